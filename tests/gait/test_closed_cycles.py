"""Limit cycles of closed chains: the same as of trees that move alike, and derivatives through joints that take hold."""

import numpy as np
import pytest

import regraft as rg
from regraft.gait.differences import jacobian_at_zero
from regraft.gait.match import apart, match_derivative, matched, moved
from regraft.gait.returns import ReturnMap
from regraft.gait.sensitivity import is_exact, passage_derivative
from regraft.simulate.events import check_events
from regraft.simulate.settings import Options, method_of, settings_of

HINGE = rg.Revolute((0, 1, 0))
SLOPE = 0.0524
KNEE = (0.0, 0.0, -0.5)
DAMPING, SEAT, ROPE = 20.0, 30.0, 2.5
SWAP = {"left knee": "right knee", "right knee": "left knee"}


# --- a walker whose knees are locked by welds that close loops, and the same with legs in one piece ---------------------


def walker(closed, slope=SLOPE):
    mech, at_knee = rg.Mechanism(), rg.Pose(translation=KNEE)
    thigh, shank = rg.Inertia.point(0.6, (0, 0, -0.3)), rg.Inertia.point(0.4, (0, 0, -0.2))
    whole = thigh + rg.Inertia.point(0.4, (0, 0, -0.7))
    for side, hip in (("left", rg.Inertia.point(2.0)), ("right", rg.Inertia(0.0))):
        mech.add_body(side, (thigh if closed else whole) + hip)
        if closed:
            mech.add_body(f"{side} shank", shank)
        foot = rg.Pose(translation=(0, 0, -0.5 if closed else -1.0))
        mech.add_frame(f"{side} foot", f"{side} shank" if closed else side, foot)
    mech.add_joint("stance", HINGE, "world", mech.frames["left foot"].body, child_pose=foot)
    if closed:
        for side in ("left", "right"):
            mech.add_joint(f"{side} knee", HINGE, side, f"{side} shank", at_knee)
            mech.add_joint(f"{side} lock", rg.Fixed(), side, f"{side} shank", at_knee)
    mech.add_joint("hip", HINGE, "left", "right")
    state = mech.state(q={"stance": 0.2188, "hip": -0.5424}, v={"stance": -1.0917, "hip": 0.7156})
    lands = [
        rg.strike(f"{side} foot", HINGE, "stance", past=f"{other} foot", along=(-1, 0, 0), least=0.05)
        for side, other in (("left", "right"), ("right", "left"))
    ]
    return mech, state, [rg.when_frame_below(one.foot, 0.0, one, slope=np.tan(slope)) for one in lands]


def test_a_walker_with_locked_knees_walks_as_one_without_knees():
    plain = rg.gait.limit_cycle(*walker(False))
    found = rg.gait.limit_cycle(*walker(True), match=SWAP)
    assert found.mech.layout.is_constrained
    assert found.exact
    assert plain.exact
    assert found.period == pytest.approx(plain.period, abs=1e-11)
    assert found.multipliers[:3] == pytest.approx(plain.multipliers[:3], abs=1e-9)
    assert np.abs(found.multipliers[3:]).max() < 1e-12
    assert found.multipliers.shape == (2 * found.mech.nv,)
    joints = ("stance", "hip")
    own = [found.mech.v_slice(name).start for name in joints] + [
        found.mech.nv + found.mech.v_slice(name).start for name in joints
    ]
    # a tangent of the plain walker is one of the other in which knees do not bend
    assert found.jacobian[np.ix_(own, own)] == pytest.approx(plain.jacobian, abs=1e-9)


# --- a swing on two ropes, pushed at the lowest point, and a pendulum ---------------------------------------------------


def swing(closed, damping=DAMPING, length=ROPE, width=0.4):
    """Its ropes are tied `width` apart, above a seat that is 0.4 m wide."""
    mech = rg.Mechanism()
    rope = rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, -length))
    if not closed:
        mech.add_body("ropes", rope + rope + rg.Inertia.point(SEAT, (0, 0, -length)))
        mech.add_joint("front", rg.Revolute((0, 1, 0), damping=damping), "world", "ropes")
        return mech
    for name in ("front rope", "back rope"):
        mech.add_body(name, rope)
    mech.add_body("seat", rg.Inertia.box(SEAT, (0.4, 0.3, 0.05), at=(0.2, 0, 0)))  # which does not turn where both are as wide
    end = rg.Pose(translation=(0, 0, -length))
    mech.add_joint("front", rg.Revolute((0, 1, 0), damping=damping), "world", "front rope")
    mech.add_joint("front knot", HINGE, "front rope", "seat", end)
    mech.add_joint("back knot", HINGE, "seat", "back rope", rg.Pose(translation=(0.4, 0, 0)), end)
    mech.add_joint("back", HINGE, "world", "back rope", rg.Pose(translation=(width, 0, 0)))
    return mech


def push(mech, state):
    """Energy is given at the lowest point, as much each time."""
    rate = float(state.v[mech.v_slice("front")][0])
    return mech, mech.state(q=state.q, v=state.v * np.sqrt(1.0 + 0.1 / rate**2))


def started(mech, rate):
    return rg.assemble(mech, mech.state(v={"front": rate}), hold=["front"] if mech.layout.is_constrained else ())


@pytest.mark.parametrize("name", ["front", "back"])
def test_a_swing_on_two_ropes_is_a_pendulum(name):
    """By an event at a joint of the tree, and at one that closes the loop."""

    def cycle(mech, joint):
        event = rg.when_joint(joint, 0.0, push, direction=1, name="push")
        return rg.gait.limit_cycle(mech, started(mech, 0.8), event, longest=20.0)

    found, expected = cycle(swing(True), name), cycle(swing(False), "front")
    assert found.period == pytest.approx(expected.period, abs=1e-10)
    assert found.multipliers[0] == pytest.approx(expected.multipliers[0], abs=1e-9)
    assert np.abs(found.multipliers[1:]).max() < 1e-10
    assert not found.exact  # the push is a function


def test_an_undamped_swing_has_a_family_of_cycles():
    mech = swing(True, damping=0.0)
    found = rg.gait.limit_cycle(mech, started(mech, 0.8), rg.when_joint("front", 0.0, direction=1, name="lowest"))
    assert found.exact
    assert found.iterations == 0
    assert found.multipliers[0] == pytest.approx(1.0, abs=1e-8)
    assert np.abs(found.multipliers[1:]).max() < 1e-8


def test_a_guess_with_open_loops_is_closed():
    mech = swing(True)
    event = rg.when_joint("front", 0.0, push, direction=1, name="push")
    found = rg.gait.limit_cycle(mech, mech.state(v={"front": 0.8, "front knot": -0.7}), event, longest=20.0)
    assert np.abs(rg.loop_jacobian(mech, found.state, reduced=True) @ found.state.v).max() < 1e-12


def test_iterates_approach_at_the_rate_of_the_multiplier():
    mech = swing(True)
    event = rg.when_joint("front", 0.0, push, direction=1, name="push")
    cycle = rg.gait.limit_cycle(mech, started(mech, 0.8), event, longest=20.0)
    near = rg.assemble(mech, cycle.state.replace(v={"front": 0.7}), hold=["front"])
    assert cycle.convergence(near, 12).rate == pytest.approx(cycle.spectral_radius, rel=0.02)


# --- over a parameter ---------------------------------------------------------------------------------------------------


def swinging(closed, **lengths):
    mech = swing(closed, **lengths)
    return mech, started(mech, 0.8), rg.when_joint("front", 0.0, push, direction=1, name="push")


def test_the_branch_of_a_swing_on_two_ropes_is_that_of_a_pendulum():
    branches = [
        rg.gait.continuation(lambda length, c=closed: swinging(c, length=length), (2.0, 3.0), largest_arc_step=0.3, longest=20.0)
        for closed in (True, False)
    ]
    for length in (2.0, 2.3, 2.8):
        (found,), (expected,) = (branch.at(length) for branch in branches)
        assert found.period == pytest.approx(expected.period, abs=1e-10)
        assert found.multipliers[0] == pytest.approx(expected.multipliers[0], abs=1e-9)
        assert np.abs(found.multipliers[1:]).max() < 1e-10
        assert np.abs(rg.loop_jacobian(found.mech, found.state, reduced=True) @ found.state.v).max() < 1e-12
    assert all(branch.complete and branch.residual.max() < 1e-10 for branch in branches)


def test_a_branch_goes_on_where_the_parameter_changes_how_loops_close():
    """A seat that tilts, as its ropes are tied farther apart: a state of one parameter has open loops for all others."""
    branch = rg.gait.continuation(lambda width: swinging(True, width=width), (0.4, 0.6), largest_arc_step=0.3, longest=20.0)
    assert branch.complete
    assert branch.residual.max() < 1e-10
    for width in (0.47, 0.6):
        (found,), expected = branch.at(width), rg.gait.limit_cycle(*swinging(True, width=width), longest=20.0)
        assert np.abs(apart(found.mech, found.state, expected.state)).max() < 1e-9
        assert found.period == pytest.approx(expected.period, abs=1e-10)
    assert len(branch) < 20  # as tangents are those of the branch, steps grow


def test_a_walker_with_locked_knees_has_the_branch_and_the_flip_of_one_without_knees():
    slopes, settings = (0.06, 0.085), {"largest_arc_step": 0.3, "state_size": 1.5}
    plain = rg.gait.continuation(lambda slope: walker(False, slope), slopes, **settings)
    found = rg.gait.continuation(lambda slope: walker(True, slope), slopes, match=SWAP, **settings)
    assert [kind for kind, _ in found.points] == [kind for kind, _ in plain.points] == ["flip"]
    assert found.points[0].parameter == pytest.approx(plain.points[0].parameter, abs=1e-8)
    with pytest.warns(rg.RegraftWarning, match="it has its most points, 4"):
        double, expected = (branch.switch(parameter=slopes, most=4) for branch in (found, plain))
    assert double.parameter[1] == pytest.approx(expected.parameter[1], abs=1e-7)


def test_a_closed_chain_settles_to_what_a_tree_settles_to():
    expected = rg.gait.bifurcation_diagram(lambda slope: walker(False, slope), [0.05, 0.06], settle=60, keep=3)
    with pytest.warns(rg.RegraftWarning, match="happens while loops are closed"):
        found = rg.gait.bifurcation_diagram(lambda slope: walker(True, slope), [0.05, 0.06], match=SWAP, settle=60, keep=3)
    assert found.fate.values.tolist() == expected.fate.values.tolist() == ["goes on", "goes on"]
    assert found.time.values == pytest.approx(expected.time.values, abs=1e-7)


def test_a_diagram_closes_loops_for_each_value():
    widths = [0.4, 0.5, 0.6]
    with pytest.warns(rg.RegraftWarning, match="'push' is a function in Python"):
        found = rg.gait.bifurcation_diagram(lambda width: swinging(True, width=width), widths, settle=150, keep=2, longest=20.0)
    for k, width in enumerate(widths):
        expected = rg.gait.limit_cycle(*swinging(True, width=width), longest=20.0)
        assert found.time.values[k] == pytest.approx(np.full(2, expected.period), abs=1e-6)


# --- joints that take hold and open within a return ---------------------------------------------------------------------


def return_map(mech, events, **options):
    found, method = check_events(events, mech), method_of("dopri5")
    settings = settings_of(method, mech, Options(rtol=1e-12, atol=1e-13, **options))
    return ReturnMap(mech, found, (found[-1].name,), 1, None, method, settings, 20.0)


def double_pendulum():
    mech = rg.Mechanism()
    mech.add_body("thigh", rg.Inertia.rod(3.0, (0, 0, 0), KNEE))
    mech.add_body("shank", rg.Inertia.rod(2.0, (0, 0, 0), KNEE))
    mech.add_joint("hip", rg.Revolute((0, 1, 0), damping=0.1), "world", "thigh")
    mech.add_joint("knee", rg.Revolute((0, 1, 0), damping=0.05), "thigh", "shank", rg.Pose(translation=KNEE))
    mech.add_frame("toe", "shank", rg.Pose(translation=KNEE))
    return mech, mech.state(q={"hip": -0.5, "knee": 0.6}, v={"knee": -1.0})


def of_whole_runs(section, mech, state):
    base = section.image(section.passage(mech, state))
    return jacobian_at_zero(
        lambda step: apart(mech, section.image(section.passage(mech, moved(mech, state, step))), base), np.ones(2 * mech.nv)
    )


def test_a_knee_that_locks_and_is_free_again():
    """The weld is at the same place whatever the state, so the derivative is exact through it; with a motor as well."""
    mech, state = double_pendulum()
    events = (
        rg.when_joint("knee", 0.0, rg.grip("shank", "thigh", rg.Fixed(), "lock"), direction=-1, name="locks"),
        rg.when_joint("hip", 0.1, rg.release("lock"), direction=1, name="frees"),
    )
    for torque in (None, [0.4, -0.2]):
        section = return_map(mech, events, torque=torque)
        found = section.passage(mech, state)
        assert [record.name for record in found.trajectory.events] == ["locks", "frees"]
        assert is_exact(found)
        exact = passage_derivative(section, found)
        assert np.abs(exact - passage_derivative(section, found, exact=False)).max() < 1e-8 * np.abs(exact).max()
        assert np.abs(exact - of_whole_runs(section, mech, state)).max() < 1e-6 * np.abs(exact).max()


def test_a_toe_that_takes_hold_at_another_place_for_another_state():
    """The mechanism after it changes with the state, so nothing but the whole return says what becomes of it."""
    mech, state = double_pendulum()
    events = (
        rg.when_joint("hip", -0.2, rg.grip("toe", "world", HINGE, "stuck"), direction=1, name="sticks"),
        rg.at_time(0.9, rg.release("stuck"), "frees"),
    )
    section = return_map(mech, events)
    found = section.passage(mech, state)
    assert not is_exact(found)
    derivative, expected = passage_derivative(section, found), of_whole_runs(section, mech, state)
    assert np.abs(derivative - expected).max() < 1e-6 * np.abs(expected).max()


# --- states that are read in another structure ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [rg.Spherical(), rg.Free(), rg.Universal((1, 0, 0), (0, 1, 0.3)), HINGE, rg.Planar((1, 2, 0.5))])
def test_joints_that_are_read_in_reverse_are_differentiated(kind):
    start = rg.Mechanism()
    for name in ("a", "b"):
        start.add_body(name, rg.Inertia.sphere(1.0, 0.2))
    start.add_joint("base", rg.Free(), "world", "a")
    start.add_joint("joint", kind, "a", "b", rg.Pose.about((1, 1, 0), 0.4), rg.Pose(translation=(0.1, 0.2, 0.3)))
    rng = np.random.default_rng(3)
    mech, _ = rg.reroot(start, start.state(), "b", name="base")
    q = rg.integrate(mech, mech.state().q, rng.uniform(-0.8, 0.8, mech.nv))
    state = mech.state(q=q, v=rng.standard_normal(mech.nv))
    base = matched(start, None, mech, state)
    expected = jacobian_at_zero(
        lambda step: apart(start, matched(start, None, mech, moved(mech, state, step)), base), np.full(2 * mech.nv, 0.5), levels=6
    )
    assert match_derivative(start, {}, mech, state) == pytest.approx(expected, abs=1e-9)
