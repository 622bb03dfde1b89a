"""Simulating in maximal coordinates: the same motion and the same events as in reduced ones, closed joints, S3's own step."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import body_motions, closed_sample
from maximal.skeletons import driven, random_skeleton, state_error
from random_mechanisms import random_mechanism, random_state
from regraft.maximal import SkeletonState, skeleton_of, step
from simple_mechanisms import arm
from simulate.recorded_motions import assert_same, cut_arm
from walkers import COMPASS_SLOPE, strikes, two_legs

SAME = 1e-7
"""Metres, radians, and these per second, with the default tolerances."""
SEEDS = st.integers(0, 2**32 - 1)


def both(mech, state, duration, **options):
    """The same motion in reduced and in maximal coordinates."""
    return [rg.simulate(mech, state, duration, coordinates=which, **options) for which in ("reduced", "maximal")]


def motions_differ(one, other, samples=21):
    """The largest difference of a body's pose or twist at any of some times, relative to the largest of these numbers."""
    assert (one.t[0], one.t[-1]) == pytest.approx((other.t[0], other.t[-1]), abs=1e-9)
    worst = 0.0
    for t in np.linspace(one.t[0], min(one.t[-1], other.t[-1]), samples):
        found, expected = (body_motions(traj.mechanism(t), traj.state(t)) for traj in (other, one))
        worst = max(worst, np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))
    return worst


def assert_same_motion(one, other):
    assert [name for _, name in one.events] == [name for _, name in other.events]
    assert np.abs(np.subtract([t for t, _ in one.events], [t for t, _ in other.events])).max(initial=0.0) < 1e-9
    assert motions_differ(one, other) < SAME
    assert list(one.final[0].joints) == list(other.final[0].joints)


# --- the same motion ---------------------------------------------------------------------------------------------------


@settings(max_examples=12)
@given(SEEDS, st.integers(1, 5), st.integers(1, 2))
def test_trees_move_alike(seed, bodies, roots):
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies, roots=min(roots, bodies), damping=True, springs=1)
    assert_same_motion(*both(mech, random_state(rng, mech), 0.3))


@settings(max_examples=8)
@given(SEEDS, st.integers(2, 5))
def test_closed_chains_move_alike(seed, bodies):
    assert_same_motion(*both(*closed_sample(seed, bodies, 1, damping=True), 0.2))


def test_a_four_bar_moves_alike_although_its_joints_are_redundant():
    reduced, maximal = both(*rg.models.four_bar(speed=3.0).start, 1.0)
    assert_same_motion(reduced, maximal)
    found, expected = (traj.resample(0.1).joint("knee") for traj in (maximal, reduced))  # it closes the loop
    assert np.abs(found.q - expected.q).max() < SAME
    assert np.abs(found.v - expected.v).max() < SAME


def test_a_human_figure_lets_go_of_a_high_bar_alike():
    bar = rg.models.high_bar()
    reduced, maximal = both(*bar.start, 1.2, events=bar.events)
    assert [name for _, name in maximal.events] == ["right hand lets go", "left hand lets go"]
    assert_same_motion(reduced, maximal)
    assert [segment.mech.loop_joints for segment in maximal.segments] == [("left hand", "right hand"), ("left hand",), ()]


def test_a_walker_that_is_rerooted_at_each_strike_walks_alike():
    """The compass walker with legs that are no point masses."""
    mech = two_legs(rg.Inertia.box(1.0, (0.04, 0.05, 0.3), at=(0, 0, -0.5)), 2.0)
    state = mech.state(q={"stance": 0.2188, "hip": -0.5424}, v={"stance": -1.0917, "hip": 0.7156})
    reduced, maximal = both(mech, state, 2.8, events=strikes(np.tan(COMPASS_SLOPE)))
    assert [name for _, name in maximal.events] == ["right strike", "left strike", "right strike"]
    assert_same_motion(reduced, maximal)


@pytest.mark.parametrize(("integrator", "size", "tolerance"), [("rk4", 1e-3, 1e-7), ("euler", 1e-4, 1e-2)])
def test_steps_of_a_fixed_size_move_alike_as_far_as_they_are_accurate(integrator, size, tolerance):
    exact = rg.simulate(*arm(), 0.3)
    assert motions_differ(exact, rg.simulate(*arm(), 0.3, coordinates="maximal", integrator=integrator, step=size)) < tolerance


# --- functions and events ----------------------------------------------------------------------------------------------


@numba.njit
def wobble(t, q, v, out):
    for d in range(out.shape[0]):
        out[d] = np.sin(3.0 * t + d) - 0.3 * v[d] - 0.1 * q[d]


def wobble_in_python(t, mech, state):
    return np.sin(3.0 * t + np.arange(mech.nv)) - 0.3 * state.v - 0.1 * state.q[: mech.nv]


@numba.njit
def wind(t, _q, v, out):
    for b in range(out.shape[0]):
        out[b, 0] = 0.1 * b
        out[b, 3] = 0.5 * np.cos(2.0 * t) - 0.1 * v[0]
        out[b, 5] = 0.3 + 0.1 * b


def wind_in_python(t, mech, state):
    return {
        body: (0.1 * b, 0, 0, 0.5 * np.cos(2.0 * t) - 0.1 * state.v[0], 0, 0.3 + 0.1 * b) for b, body in enumerate(mech.bodies)
    }


FUNCTIONS = {
    "a torque in Python": {"torque": wobble_in_python},
    "a compiled torque": {"torque": wobble},
    "constant wrenches": {"wrenches": {"fore": (0.1, 0.2, -0.3, 1.0, 2.0, 3.0)}},
    "wrenches in Python": {"wrenches": wind_in_python},
    "compiled wrenches": {"wrenches": wind},
    "both": {"torque": wobble, "wrenches": wind_in_python},
}


@pytest.mark.parametrize("options", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_do_the_same(options):
    reduced, maximal = both(*arm(), 0.4, **options)
    assert_same_motion(reduced, maximal)
    assert motions_differ(reduced, rg.simulate(*arm(), 0.4)) > 1e-3  # or the functions would have done nothing


def test_functions_and_structure_change_together():
    """Wrenches and torques follow the bodies and joints through a cut."""
    cut = rg.at_time(0.2, lambda mech, state: rg.cut(mech, state, "elbow"), name="break")
    reduced, maximal = both(*arm(), 0.4, torque=wobble_in_python, wrenches=rg.law(rg.ALL, wind), events=cut)
    assert "fore_free" in maximal.final[0].joints
    assert_same_motion(reduced, maximal)


@numba.njit
def elbow_is_bent(_t, q, _v):
    return q[11] - 0.05


GUARDS = {
    "when_joint": rg.when_joint("elbow", 0.05, direction=0, name="it").guard,
    "when_frame_below": rg.when_frame_below("finger", -1.0, name="it").guard,
    "in Python": lambda mech, state: mech.joint_position(state, "elbow")[0] - 0.05,
    "compiled": elbow_is_bent,
}


@pytest.mark.parametrize("guard", GUARDS.values(), ids=GUARDS)
def test_events_happen_at_the_same_times(guard):
    mech, state = arm()
    assert mech.q_slice("elbow").start == 11
    mech.add_frame("finger", "hand", rg.Pose(translation=(0, 0, -0.6)))
    reduced, maximal = both(mech, state, 1.0, events=rg.Event("it", guard, direction=0))
    assert reduced.events
    assert_same_motion(reduced, maximal)


def test_timed_events_happen_exactly_at_their_time():
    moments = [0.1, 0.25, 0.3]
    traj = rg.simulate(*arm(), 0.4, coordinates="maximal", events=[rg.at_time(t, name=f"{t}") for t in moments])
    assert [t for t, _ in traj.events] == moments
    assert len(traj.segments) == 1


def test_an_event_stops_the_run_at_the_value_of_its_joint():
    mech, state = arm()
    traj = rg.simulate(
        mech, state, 1.0, coordinates="maximal", events=rg.when_joint("elbow", 0.05, rg.STOP, direction=0, name="bent")
    )
    assert mech.joint_position(traj.final[1], "elbow")[0] == pytest.approx(0.05, abs=1e-12)
    assert 0.0 < traj.t[-1] < 1.0


# --- whole turns -------------------------------------------------------------------------------------------------------


def spinner(offset):
    """A box on a hinge, some turns away from zero, which spins fast; without gravity where its hinge is in its middle."""
    mech = rg.Mechanism(gravity=(0, 0, -9.81 if offset else 0.0))
    mech.add_body("box", rg.Inertia.box(1.0, (0.2, 0.1, 0.3), at=(offset, 0, 0)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "box")
    return mech, mech.state(q={"hinge": 7.0}, v={"hinge": 50.0})


def slowed(mech, state):
    return mech, mech.state(q=state.q, v=0.9 * state.v)


SPINS = [
    pytest.param(0.1, {}, id="uneven"),
    pytest.param(0.0, {"integrator": "rk4", "step": 1e-3}, id="even, short steps"),
    pytest.param(0.0, {}, id="even, one step is some turns"),
    pytest.param(0.1, {"every": 50}, id="few samples"),
]


@pytest.mark.parametrize(("offset", "options"), SPINS)
@pytest.mark.parametrize("events", [(), rg.at_time(0.5, slowed, name="brake")], ids=["free", "braked"])
def test_angles_go_on_through_whole_turns(offset, options, events):
    reduced, maximal = both(*spinner(offset), 1.0, events=events, **options)
    assert reduced.final[1].q[0] > 50.0
    assert np.abs(maximal.final[1].q - reduced.final[1].q) < 1e-6
    assert maximal.joint("hinge").q[0] == 7.0
    assert (np.diff(maximal.joint("hinge").q) >= 0.0).all()


def test_angles_between_samples_go_on_through_whole_turns():
    reduced, maximal = both(*spinner(0.1), 1.0, events=rg.at_time(0.5, slowed, name="brake"))
    for t in np.linspace(0.0, 1.0, 37):
        assert np.abs(maximal.state(t).q - reduced.state(t).q) < 1e-6


def test_angles_of_few_samples_of_a_trajectory_go_on_through_whole_turns():
    reduced, maximal = (traj.resample(0.2) for traj in both(*spinner(0.1), 1.0))
    assert np.abs(maximal.joint("hinge").q - reduced.joint("hinge").q).max() < 1e-6


@pytest.mark.parametrize("offset", [0.1, 0.0])
def test_events_at_angles_some_turns_away(offset):
    reduced, maximal = both(*spinner(offset), 1.0, events=rg.when_joint("hinge", 40.0, direction=0, name="there"))
    assert len(reduced.events) == 1
    assert_same_motion(reduced, maximal)


# --- gaps --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("integrator", "size", "stabilise"),
    [
        ("dopri5", None, None),
        ("dopri5", None, True),
        ("dop853", None, None),
        ("rk4", 2e-3, None),
        ("hakenberg", 1e-3, True),
        ("euler", 1e-3, None),
    ],
)
@pytest.mark.parametrize("start", [arm(), rg.models.four_bar(speed=3.0).start], ids=["tree", "four-bar"])
def test_joints_stay_closed_where_they_are_put_back(start, integrator, size, stabilise):
    traj = rg.simulate(*start, 0.5, coordinates="maximal", integrator=integrator, step=size, stabilise=stabilise)
    error = traj.loop_error()
    assert error.position.max() < 1e-9
    assert error.velocity.max() < 1e-9


@pytest.mark.parametrize(
    ("integrator", "sizes", "order"), [("hakenberg", (2e-3, 1e-3, 5e-4), 1.0), ("rk4", (2e-2, 1e-2, 5e-3), 4.0)]
)
def test_without_that_gaps_shrink_with_the_step(integrator, sizes, order):
    def gap(size):
        traj = rg.simulate(*arm(), 0.2, coordinates="maximal", integrator=integrator, step=size, stabilise=False)
        return traj.loop_error().position.max()

    found = [gap(size) for size in sizes]
    assert found[-1] > 1e-13
    assert np.diff(np.log2(found)) == pytest.approx([-order] * 2, abs=0.3)


def test_s3s_step_does_not_put_joints_back_by_default():
    options = {"coordinates": "maximal", "integrator": "hakenberg", "step": 1e-3}
    plain, off = rg.simulate(*arm(), 0.1, **options), rg.simulate(*arm(), 0.1, stabilise=False, **options)
    assert np.array_equal(plain.segments[0].x, off.segments[0].x)
    assert plain.loop_error().position.max() > 1e-6


# --- S3's step ---------------------------------------------------------------------------------------------------------


def bodies_of(traj):
    """The last sample of a trajectory in maximal coordinates as a state of a skeleton; bodies are where they are, gaps too."""
    last = traj.segments[-1]
    free = last.moved
    poses, twists = (ask(free, rg.State(free.layout, last.x[-1])) for ask in (rg.body_poses, rg.body_twists))
    R = np.array([poses[name].rotation for name in free.bodies])
    arms = np.array([poses[body.name].rotation @ body.inertia.com for body in free.bodies.values()])
    p = np.array([poses[name].translation for name in free.bodies]) + arms
    turning, moving = np.split(np.array([twists[name] for name in free.bodies]), 2, axis=1)
    return SkeletonState(p, R, moving + np.cross(turning, arms), np.einsum("iba,ib->ia", R, turning))


@settings(max_examples=20)
@given(SEEDS, st.integers(1, 6))
def test_one_step_from_closed_joints_is_that_of_the_dense_reference(seed, bodies):
    rng = np.random.default_rng(seed)
    mech, state = random_skeleton(rng, bodies)
    skeleton, at, tau = driven(rng, mech, state)
    h = 1e-3
    options = {"coordinates": "maximal", "integrator": "hakenberg", "step": h, "torque": lambda _t, _mech, _state: tau}
    after = step(skeleton, at, h)
    size = max(1.0, *(np.abs(getattr(after, name)).max() for name in ("p", "v", "w")))
    assert state_error(bodies_of(rg.simulate(mech, state, h, **options)), after) < 1e-12 * size


def test_many_steps_are_those_of_the_dense_reference_as_far_as_joints_are_closed():
    """Where joints have come apart, S3's equations and ours measure the arms of forces at other points of the gap."""
    mech, state = random_skeleton(np.random.default_rng(8), 4)
    skeleton, at = skeleton_of(mech, state)
    found = []
    for h in (1e-3, 5e-4):
        there = at
        for _ in range(50):
            there = step(skeleton, there, h)
        traj = rg.simulate(mech, state, 50 * h, coordinates="maximal", integrator="hakenberg", step=h)
        found.append((state_error(bodies_of(traj), there), traj.loop_error().velocity.max(), traj.loop_error().position.max()))
    for difference, rate, gap in found:
        assert difference < max(gap, rate)
    assert found[1][0] < 0.5 * found[0][0]


# --- trajectories ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"integrator": "rk4", "step": 1e-3}, {"every": 3}], ids=str)
def test_files_come_back_equal_to_the_last_digit(options, tmp_path):
    traj = cut_arm(coordinates="maximal", **options)
    traj.save(tmp_path / "arm.npz")
    again = rg.load(tmp_path / "arm.npz")
    assert_same(again, traj)
    assert again.state(0.1234) == traj.state(0.1234)
    assert again.final == traj.final
    assert np.array_equal(again.joint("wrist").q, traj.joint("wrist").q)
    assert np.array_equal(again.loop_error().position, traj.loop_error().position)
    assert np.array_equal(again.energy().total, traj.energy().total)


def test_histories_are_those_of_the_reduced_motion():
    reduced, maximal = (traj.resample(0.05) for traj in (cut_arm(), cut_arm(coordinates="maximal")))
    assert np.abs(reduced.t - maximal.t).max() < 1e-12
    for name in ("elbow", "wrist", "fore_free", "shoulder"):
        (_, q, v), (_, found_q, found_v) = reduced.joint(name), maximal.joint(name)
        assert np.array_equal(np.isnan(q), np.isnan(found_q))
        sign = 1.0
        if name in ("shoulder", "fore_free"):  # q and −q are one turn
            q, found_q, sign = q[..., -4:], found_q[..., -4:], np.sign((q[..., -4:] * found_q[..., -4:]).sum(-1, keepdims=True))
        assert np.nanmax(np.abs(q - sign * found_q)) < SAME
        assert np.nanmax(np.abs(v - found_v)) < SAME
    for what in ("position", "rotation", "velocity"):
        assert np.abs(getattr(reduced.body("hand"), what) - getattr(maximal.body("hand"), what)).max() < SAME
        assert np.abs(getattr(reduced.frame("finger"), what) - getattr(maximal.frame("finger"), what)).max() < SAME
    assert np.abs(reduced.energy().total - maximal.energy().total).max() < SAME
    assert np.abs(reduced.momentum().angular - maximal.momentum().angular).max() < SAME
    assert reduced.to_arrays().keys() == maximal.to_arrays().keys()


def test_states_between_samples_and_at_the_end_are_of_the_mechanism():
    mech, state = arm()
    traj = rg.simulate(mech, state, 0.3, coordinates="maximal")
    assert traj.final[0] == mech == traj.mechanism(0.1)
    assert traj.final[1] == traj.state(0.3)
    assert np.abs(rg.difference(mech, traj.state(0.0).q, state.q)).max() < 1e-14
    between = 0.5 * (traj.t[7] + traj.t[8])
    sooner, later = traj.state(between - 1e-5), traj.state(between + 1e-5)
    assert rg.difference(mech, later.q, sooner.q) / 2e-5 == pytest.approx(traj.state(between).v, abs=1e-6)


# --- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coordinates": "minimal"}, 'coordinates must be "reduced" or "maximal", not \'minimal\''),
        ({"coordinates": None}, 'coordinates must be "reduced" or "maximal"'),
        ({"integrator": "hakenberg", "step": 1e-3}, "integrator 'hakenberg' .* needs coordinates=\"maximal\""),
        ({"integrator": "hakenberg", "coordinates": "maximal"}, "'hakenberg' has a fixed step"),
        ({"coordinates": "maximal", "stabilise": "yes"}, "stabilise must be True or False, not 'yes'"),
        ({"coordinates": "maximal", "stabilise": 1}, "stabilise must be True or False, not 1"),
    ],
)
def test_what_cannot_be_simulated_is_refused(options, message):
    with pytest.raises(rg.ModelError, match=message):
        rg.simulate(*arm(), 0.1, **options)


def test_a_torque_that_fails_says_so_and_keeps_the_trajectory():
    def torque(t, mech, _state):
        return np.full(mech.nv, np.nan if t > 0.1 else 0.0)

    with pytest.raises(rg.SimulationError, match="not finite") as problem:
        rg.simulate(*arm(), 0.3, torque=torque, coordinates="maximal")
    assert 0.0 < problem.value.trajectory.t[-1] <= 0.1
