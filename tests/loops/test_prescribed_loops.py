"""Prescribed motion of joints that close loops, and in maximal coordinates: the same however a mechanism is described."""

import warnings

import numba
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import regraft as rg
from couplings.coupled_mechanisms import random_coupled
from loops.closed_mechanisms import body_accelerations, clear_cut, closed_sample, reordered
from random_mechanisms import random_sample, relative_error
from regraft.simulate.imposing import _callback
from regraft.simulate.motions import told_in as motions_in

SEEDS = st.integers(0, 2**32 - 1)
SAME = 1e-7
LOOSE = (rg.Spherical, rg.Cylindrical, rg.Universal, rg.Planar, rg.Free)
EVERYTHING = {"damping": True, "limits": True, "own": True, "springs": 2, "alike": True}


def torques_of(rng, mech):
    return {name: rng.standard_normal(joint.type.nv) for name, joint in mech.joints.items()}


def can_be_told(mech, state, names):
    """Whether loops and couplings leave these joints free, and by a margin: all rows are independent."""
    units = [mech.state(q=state.q, v=unit) for unit in np.eye(mech.nv)]
    rows = [rg.loop_jacobian(mech, state, reduced=True)]
    for name in names:
        if name in mech.layout.v_slices:
            rows.append(np.eye(mech.nv)[mech.v_slice(name)])
        else:
            rows.append(np.array([mech.settled(unit, name, checked=False)[1] for unit in units]).T)
    J = np.vstack(rows)
    return len(J) <= mech.nv and np.linalg.svd(J, compute_uv=False).min() > 1e-2


def told_in(rng, mech, names):
    return {name: rng.standard_normal(mech.joints[name].type.nv) for name in names}


def chosen_joints(rng, mech, state, among):
    """One or two of these joints that can be told, in any order."""
    names = []
    for name in rng.permutation([name for name in among if mech.joints[name].type.nv]):
        if len(names) < 2 and can_be_told(mech, state, [*names, str(name)]):
            names.append(str(name))
    assume(names)
    return names


@settings(max_examples=60)
@given(SEEDS, st.integers(3, 6), st.integers(1, 2))
def test_the_same_torque_whichever_joints_close_the_loops_and_in_maximal_coordinates(seed, bodies, loops):
    """With damping, limits, springs, friction and rotors; told joints of the tree become loop joints and the other way round."""
    rng = np.random.default_rng(seed)
    mech, state = closed_sample(seed, bodies, loops, kinds=LOOSE, **EVERYTHING)
    assume(np.abs(state.v).max() < 30)
    names = chosen_joints(rng, mech, state, list(mech.joints))
    told, tau = told_in(rng, mech, names), torques_of(rng, mech)
    a, taken = rg.forward_dynamics(mech, state, tau, prescribed=told), rg.prescribed_torques(mech, state, told, tau)
    others = [name for name in rng.permutation([str(name) for name in mech.joints]) if name not in names]
    twin, there = reordered(mech, state, [*others, *names])
    for other, at in ((twin, there), rg.to_maximal(mech, state)):
        assert list(taken) == names
        again = rg.prescribed_torques(other, at, told, tau)
        for name in names:
            assert relative_error(again[name], taken[name]) < SAME
    b = rg.forward_dynamics(twin, there, tau, prescribed=told)
    assert relative_error(body_accelerations(twin, there, b), body_accelerations(mech, state, a)) < SAME


@settings(max_examples=60)
@given(SEEDS, st.integers(3, 6), st.integers(1, 2), st.booleans())
def test_the_torque_that_it_takes_makes_the_acceleration(seed, bodies, loops, couple):
    """Given as an ordinary torque, it lets the joint accelerate as told: as differences of its velocity show."""
    rng = np.random.default_rng(seed)
    if couple:
        mech, state = random_coupled(rng, bodies, 1, loops, kinds=(rg.Revolute, *LOOSE), rotors=True)
    else:
        mech, state = closed_sample(seed, bodies, loops, kinds=LOOSE, **EVERYTHING)
    assume(mech.nv and np.abs(state.v).max() < 30 and clear_cut(mech, state))
    name = chosen_joints(rng, mech, state, mech.loop_joints)[0]
    told, tau = told_in(rng, mech, [name]), torques_of(rng, mech)
    a, taken = rg.forward_dynamics(mech, state, tau, prescribed=told), rg.prescribed_torques(mech, state, told, tau)[name]
    driven = rg.forward_dynamics(mech, state, {**tau, name: tau[name] + taken})
    assert relative_error(driven, a) < SAME
    h = 1e-5
    ends = [mech.state(q=rg.integrate(mech, state.q, s * h * state.v + 0.5 * h * h * a), v=state.v + s * h * a) for s in (1, -1)]
    forth, back = (mech.settled(end, name, checked=False)[1] for end in ends)
    assert np.abs((forth - back) / (2 * h) - told[name]).max() < 1e-4 * (1.0 + np.abs(a).max() + np.abs(state.v).max() ** 3)


# --- motions ------------------------------------------------------------------------------------------------


def swing(t):
    return 0.1 * np.sin(2.0 * t), 0.2 * np.cos(2.0 * t), -0.4 * np.sin(2.0 * t)


def about(begin, motion=swing):
    """A motion from a position on."""
    return lambda t: (begin + motion(t)[0], *motion(t)[1:])


def driven_four_bar(closing, **settings):
    """A four-bar linkage whose joints are added in an order in which this one closes it, with its start on the motion."""
    mech = rg.Mechanism()
    lengths = {"crank": 0.4, "coupler": 1.0, "rocker": 0.8}
    for name, length in lengths.items():
        mech.add_body(name, rg.Inertia.cylinder(2.0 * length, 0.02, (0, 0, 0), (length, 0, 0)))
    hinge = rg.Revolute((0, 1, 0), **settings)
    joints = {
        "motor": ("world", "crank", rg.Pose(), rg.Pose()),
        "knee": ("crank", "coupler", rg.Pose(translation=(0.4, 0, 0)), rg.Pose()),
        "pivot": ("world", "rocker", rg.Pose(translation=(0.9, 0, 0)), rg.Pose()),
        "tip": ("coupler", "rocker", rg.Pose(translation=(1.0, 0, 0)), rg.Pose(translation=(0.8, 0, 0))),
    }
    for name in [*(name for name in joints if name != closing), closing]:
        mech.add_joint(name, hinge, *joints[name])
    rough = {"motor": -0.9, "knee": 0.6, "pivot": -1.3, "tip": -1.0}
    held = {name: rough[name] for name in mech.layout.names}
    return mech, held


def four_bar_run(closing, driven, coordinates="reduced", span=1.0, motion=None, settings=None, **how):
    mech, _ = driven_four_bar(closing, **(settings or {}))
    tip, rough_tip = driven_four_bar("tip")
    first = rg.assemble(tip, tip.state(q=rough_tip), hold=["motor"])
    start = {name: tip.joint_position(first, name)[0] for name in mech.joints}
    told = about(start[driven]) if motion is None else motion(start[driven])
    q, v, _ = told(0.0)
    state = rg.assemble(mech, mech.state(q={name: start[name] for name in mech.layout.names}), q={driven: q}, v={driven: v})
    return rg.simulate(mech, state, span, prescribed={driven: told}, coordinates=coordinates, **how), told


def poses_at(traj, t):
    poses = rg.body_poses(traj.final[0], traj.state(t))
    return np.array([[*poses[name].translation, *poses[name].rotation.ravel()] for name in sorted(poses)])


@pytest.mark.parametrize("driven", ["motor", "tip"])
@pytest.mark.parametrize("settings", [{}, {"damping": 0.3, "stiffness": 5.0, "armature": 0.2}])
def test_a_four_bar_moves_the_same_however_it_is_described(driven, settings):
    runs = [
        four_bar_run(closing, driven, coordinates, settings=settings)[0]
        for closing, coordinates in (("tip", "reduced"), ("motor", "reduced"), ("pivot", "reduced"), ("tip", "maximal"))
    ]
    told = four_bar_run("tip", driven, span=0.0, settings=settings)[1]
    at = np.linspace(0.0, 1.0, 9)
    for traj in runs:
        taken = traj.resample(at).torques()[driven]
        expected = runs[0].resample(at).torques()[driven]
        assert relative_error(taken, expected) < 1e-6
        for t in at:
            assert np.abs(poses_at(traj, t) - poses_at(runs[0], t)).max() < 1e-8
            mech, state = traj.final[0], traj.state(t)
            assert abs(mech.joint_position(state, driven)[0] - told(t)[0]) < 1e-8
        # at samples, where loops are closed, the joint is where it is told
        ends = [(mech.joint_position(traj.state(t), driven)[0] - told(t)[0]) for t in traj.t]
        rates = [(mech.joint_velocity(traj.state(t), driven)[0] - told(t)[1]) for t in traj.t]
        assert np.abs(ends).max() < 1e-10
        assert np.abs(rates).max() < 1e-9


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_what_the_drive_puts_in_is_what_energy_gains(coordinates):
    traj, told = four_bar_run("tip", "tip", coordinates, settings={"damping": 0.4, "friction": 0.1})
    fine = traj.resample(np.linspace(0.0, 1.0, 2001))
    mech = traj.final[0]
    speeds = {name: np.array([mech.joint_velocity(fine.state(t), name)[0] for t in fine.t]) for name in mech.joints}
    assert np.abs(speeds["tip"] - [told(t)[1] for t in fine.t]).max() < 1e-8
    lost = sum(0.4 * v**2 + np.abs(0.1 * v) for v in speeds.values())
    total = fine.energy().total
    put_in = np.trapezoid(fine.torques()["tip"] * speeds["tip"] - lost, fine.t)
    assert put_in == pytest.approx(total[-1] - total[0], abs=2e-3 * np.ptp(total))


@pytest.mark.parametrize("how", [{"integrator": "rk4", "step": 2e-3}, {"every": 3}, {"integrator": "euler", "step": 1e-4}])
@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_the_drift_of_driven_joints_is_that_of_loops(how, coordinates):
    traj, told = four_bar_run("tip", "tip", coordinates, span=0.3, **how)
    mech = traj.final[0]
    assert np.abs([mech.joint_position(traj.state(t), "tip")[0] - told(t)[0] for t in traj.t]).max() < 1e-9
    assert traj.loop_error().position.max() < 1e-9


def test_whole_turns_of_a_driven_loop_joint():
    """The crank's hinge closes the loop and turns on and on: poses know nothing of turns, and nothing has to be counted."""

    def turning(begin):
        return lambda t: (begin + 5.0 * t, 5.0, 0.0)

    at = np.linspace(0.0, 4.0, 7)
    one = four_bar_run("motor", "motor", motion=turning, span=4.0)[0]
    other = four_bar_run("tip", "motor", motion=turning, span=4.0)[0]
    for t in at:
        assert np.abs(poses_at(one, t) - poses_at(other, t)).max() < 1e-6


@settings(max_examples=12, deadline=None)
@given(SEEDS, st.integers(2, 4))
def test_joints_of_any_type_are_told_in_maximal_coordinates(seed, bodies):
    """Random trees, one joint of any type told: the same motion and torque as in the joints' own coordinates."""
    rng = np.random.default_rng(seed)
    sample = random_sample(rng, bodies=bodies)
    mech = sample.mech
    name = chosen_joints(rng, mech, sample.state, list(mech.joints))[0]
    kind, begin = mech.joints[name].type, sample.state.q[mech.q_slice(name)].copy()
    one = rg.Mechanism()
    one.add_body("body", rg.Inertia.sphere(1.0, 1.0))
    one.add_joint(name, kind, "world", "body")
    direction = 0.5 * rng.standard_normal(kind.nv)

    def told(t):
        return rg.integrate(one, begin, np.sin(t) * direction), np.cos(t) * direction, -np.sin(t) * direction

    state = mech.state(q=sample.state.q, v=0.1 * sample.state.v).replace(v={name: told(0.0)[1]})
    try:
        first = rg.simulate(mech, state, 0.2, prescribed={name: told})
    except rg.SimulationError:
        assume(False)
    other = rg.simulate(mech, state, 0.2, prescribed={name: told}, coordinates="maximal")
    assert relative_error(other.final[1].q, first.final[1].q) < 1e-6
    assert relative_error(other.torques()[name][-1], first.torques()[name][-1]) < 1e-5


def test_compiled_motions_run_inside_the_loop():
    """Of one coordinate and of several; the same digits as through Python, and no Python function among those that are called."""

    def plain(t):
        return -0.5 + 0.2 * t * t, 0.4 * t, 0.4

    compiled = numba.njit(plain)

    @numba.njit
    def nod(t):
        return np.array([np.cos(t), np.sin(t), 0.0, 0.0]), np.array([2.0, 0.0, 0.0]), np.zeros(3)

    mech = rg.Mechanism()
    mech.add_body("head", rg.Inertia.box(1.0, (0.1, 0.2, 0.3), at=(0.1, 0, 0)))
    mech.add_body("arm", rg.Inertia.box(1.0, (0.1, 0.2, 0.3), at=(0.1, 0, 0)))
    mech.add_joint("neck", rg.Spherical(), "world", "head")
    mech.add_joint("elbow", rg.Revolute((0, 1, 0)), "head", "arm")
    for joint in motions_in(mech, {"elbow": compiled, "neck": nod}):
        assert _callback(joint).python is None
    state = mech.state(q={"elbow": -0.5}, v={"neck": (2.0, 0, 0)})
    for coordinates in ("reduced", "maximal"):
        quick = rg.simulate(mech, state, 0.5, prescribed={"elbow": compiled, "neck": nod}, coordinates=coordinates)
        slow = rg.simulate(mech, state, 0.5, prescribed={"elbow": plain, "neck": nod.py_func}, coordinates=coordinates)
        assert np.array_equal(quick.t, slow.t)
        assert np.array_equal(quick.final[1].q, slow.final[1].q)
        assert quick.torques()["neck"] == pytest.approx(slow.torques()["neck"], rel=1e-12)


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_a_weld_may_be_told_nothing(coordinates):
    mech = chain(2)
    mech.add_body("tool", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("weld", rg.Fixed(), "b1", "tool")
    state = mech.state(q={"j0": 0.3})
    told = rg.simulate(mech, state, 0.1, prescribed={"weld": lambda _t: ([], [], [])}, coordinates=coordinates)
    assert np.abs(told.final[1].q - rg.simulate(mech, state, 0.1).final[1].q).max() < 1e-9


def test_compiled_motions_that_break_are_told():
    @numba.njit
    def breaks(t):
        return (0.1 * t, 0.1, 0.0) if t < 0.2 else (np.nan, 0.0, 0.0)

    mech = rg.Mechanism()
    mech.add_body("arm", rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    mech.add_joint("elbow", rg.Revolute((0, 1, 0)), "world", "arm")
    with pytest.raises(rg.SimulationError, match=r"prescribed motion of 'elbow' failed"):
        rg.simulate(mech, mech.state(v={"elbow": 0.1}), 0.5, prescribed={"elbow": breaks})


# --- changes of the structure -------------------------------------------------------------------------------


def chain(count=4, **settings):
    """Bodies in a row, hanging by hinges, each joint named by its place."""
    mech = rg.Mechanism()
    for i in range(count):
        mech.add_body(f"b{i}", rg.Inertia.cylinder(1.0, 0.03, (0, 0, 0), (0.5, 0, 0)))
        above, place = ("world", rg.Pose()) if i == 0 else (f"b{i - 1}", rg.Pose(translation=(0.5, 0, 0)))
        mech.add_joint(f"j{i}", rg.Revolute((0, 1, 0), **settings), above, f"b{i}", place)
    return mech


def grip(mech, state):
    """A hinge takes hold of the last body's end where it is."""
    at = (rg.body_poses(mech, state)["b3"] @ rg.Pose(translation=(0.5, 0, 0))).translation
    return rg.connect(mech, state, "world", "b3", joint=rg.Revolute((0, 1, 0)), at=at, name="grip")


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
@pytest.mark.filterwarnings("ignore:after event:regraft.RegraftWarning")
def test_a_run_goes_on_through_reroot_connect_and_cut(coordinates):
    """The told joint is one of the tree, then in a loop, then it closes one, and last it is cut: always as told."""
    mech, told, since, seen = chain(damping=0.05), about(0.4), [], []

    def put_down(mech, state):
        """The other end takes hold too, which makes a loop."""
        at = rg.body_poses(mech, state)["b0"].translation
        return rg.connect(mech, state, "world", "b0", joint=rg.Revolute((0, 1, 0)), at=at, name="foot")

    def take_again(mech, state):
        """The told joint is cut and put back, so that now it is the one that closes the loop; its angle begins at zero."""
        at = rg.body_poses(mech, state)["b2"].translation
        since.append(True)
        open_chain = rg.cut(mech, state, "j2")
        return rg.connect(*open_chain, "b1", "b2", joint=rg.Revolute((0, 1, 0), damping=0.05), at=at, name="j2")

    def look(mech, _state):
        seen.append("j2" in mech.loop_joints)
        return rg.PASS

    def renewed(t):
        q, v, a = told(t)
        return q - (told(0.4)[0] if since else 0.0), v, a

    events = [
        rg.at_time(0.1, lambda mech, state: rg.reroot(mech, state, "b3"), name="root"),
        rg.at_time(0.2, grip, name="grip"),
        rg.at_time(0.3, put_down, name="foot"),
        rg.at_time(0.4, take_again, name="again"),
        rg.at_time(0.5, look, name="look"),
        rg.at_time(0.6, lambda mech, state: rg.cut(mech, state, "j2"), name="gone"),
    ]
    state = mech.state(q={"j0": 0.3, "j1": 0.5, "j2": 0.4, "j3": 0.2}, v={"j2": told(0.0)[1]})
    traj = rg.simulate(mech, state, 0.7, prescribed={"j2": renewed}, events=events, coordinates=coordinates)
    assert seen == [True]
    assert [record.name for record in traj.events] == ["root", "grip", "foot", "again", "gone"]
    for segment in traj.segments[:-1]:
        for t, x in zip(segment.t, segment.q, strict=True):
            here = segment.mech.state(q=x)
            turned = told(t)[0] - (told(0.4)[0] if segment.t[0] >= 0.4 else 0.0)
            assert abs(segment.mech.joint_position(here, "j2")[0] - turned) < 1e-9
    assert np.isnan(traj.torques()["j2"][-1])


# --- jumps --------------------------------------------------------------------------------------------------


def kicked(t):
    """A speed that changes at once."""
    return (0.4 + 0.3 * t, 0.3, 0.0) if t < 0.25 else (0.475 + 1.5 * (t - 0.25), 1.5, 0.0)


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
@pytest.mark.parametrize("closed", [False, True])
def test_a_velocity_that_jumps_at_an_event_is_an_impact(coordinates, closed):
    """M Δv is an impulse along the told joint, and along loops: against dense algebra."""
    mech = chain()
    state = mech.state(q={"j0": 0.3, "j1": 0.5, "j2": 0.4, "j3": 0.2}, v={"j2": 0.3})
    if closed:
        mech, state = grip(mech, mech.state(q=state.q))
        state = rg.assemble(mech, state, v={"j2": 0.3})
    with pytest.warns(rg.RegraftWarning, match=r"'kick'.*velocity of 'j2'.*impact"):
        traj = rg.simulate(
            mech, state, 0.5, prescribed={"j2": kicked}, events=rg.at_time(0.25, name="kick"), coordinates=coordinates
        )
    before, after = traj.segments[0], traj.segments[1]
    assert before.t[-1] == after.t[0] == 0.25
    here = mech.state(q=before.q[-1])
    jump = after.v[0] - before.v[-1]
    rows = np.vstack((np.eye(mech.nv)[mech.v_slice("j2")], rg.loop_jacobian(mech, here, reduced=True)[:, : mech.nv]))
    rows = rows[np.abs(rows).max(axis=1) > 1e-9]
    impulses = rg.mass_matrix(mech, here) @ jump
    left = impulses - rows.T @ np.linalg.lstsq(rows.T, impulses, rcond=None)[0]
    assert np.abs(left).max() < 1e-9
    assert jump[mech.v_slice("j2")][0] == pytest.approx(1.2, abs=1e-9)
    assert traj.joint("j2").v[-1] == pytest.approx(1.5, abs=1e-9)


@pytest.mark.filterwarnings("ignore:after event:regraft.RegraftWarning")
def test_an_impact_elsewhere_does_not_stop_a_told_joint():
    """A joint takes hold while another one is told: the impact that knows of both, as a projection in the metric of energy."""
    mech, told = chain(), about(0.4)
    state = mech.state(q={"j0": 0.3, "j1": 0.5, "j2": 0.4, "j3": 0.2}, v={"j0": 1.0, "j1": -0.5, "j2": told(0.0)[1]})
    traj = rg.simulate(mech, state, 0.4, prescribed={"j2": told}, events=rg.at_time(0.2, grip, name="grip"))
    before, after = traj.segments[0], traj.segments[1]
    here = after.mech.state(q=after.q[0])
    J = rg.loop_jacobian(after.mech, here, reduced=True)
    J = np.vstack((J[np.abs(J).max(axis=1) > 1e-9], np.eye(4)[2]))
    M = rg.mass_matrix(mech, mech.state(q=before.q[-1]))
    wanted = np.append(np.zeros(len(J) - 1), told(0.2)[1]) - J @ before.v[-1]
    jump = np.linalg.solve(M, J.T @ np.linalg.solve(J @ np.linalg.solve(M, J.T), wanted))
    assert after.v[0] == pytest.approx(before.v[-1] + jump, abs=1e-9)


@pytest.mark.parametrize("how", [{}, {"integrator": "rk4", "step": 1e-2}, {"coordinates": "maximal"}])
def test_a_velocity_that_jumps_without_an_event_is_an_error(how):
    mech = chain()
    state = mech.state(q={"j0": 0.3, "j1": 0.5, "j2": 0.4, "j3": 0.2}, v={"j2": 0.3})
    with pytest.raises(rg.SimulationError, match=r"'j2' jumps at t = 0\.25.*at_time\(0\.25") as found:
        rg.simulate(mech, state, 0.5, prescribed={"j2": kicked}, **how)
    assert found.value.joint == "j2"


def test_positions_that_jump_are_errors_with_the_way_out():
    mech = chain()
    state = mech.state(q={"j0": 0.3, "j1": 0.5, "j2": 0.4, "j3": 0.2}, v={"j2": 0.3})

    def far(t):
        return (0.4 + 0.3 * t, 0.3, 0.0) if t < 0.25 else (1.4 + 0.3 * t, 0.3, 0.0)

    with pytest.raises(rg.SimulationError, match=r"after event 'kick'.*'j2' does not start where the joint is.*assemble"):
        rg.simulate(mech, state, 0.5, prescribed={"j2": far}, events=rg.at_time(0.25, name="kick"))
    with pytest.raises(rg.SimulationError, match=r"'j2' jumps at t = 0.25"):
        rg.simulate(mech, state, 0.5, prescribed={"j2": far}, integrator="rk4", step=1e-2)


def test_a_joint_that_comes_later_moves_as_told_from_then_on():
    mech = chain()
    state = mech.state(q={"j0": 0.3, "j1": 0.5, "j2": 0.4, "j3": 0.2})

    def told(t):
        return 0.5 * (t - 0.2) ** 2, t - 0.2, 1.0

    run = {"prescribed": {"grip": rg.law("grip", told, absent="skip")}, "events": rg.at_time(0.2, grip, name="grip")}
    with pytest.warns(rg.RegraftWarning, match="'grip'"):
        traj = rg.simulate(mech, state, 0.4, **run)
    last, end = traj.final
    assert last.joint_position(end, "grip")[0] == pytest.approx(0.02, abs=1e-10)
    assert np.isfinite(traj.torques()["grip"][-1])
    assert np.isnan(traj.torques()["grip"][0])
    with pytest.raises(rg.ModelError, match="no joint 'grip'"):
        rg.simulate(mech, state, 0.4, prescribed={"grip": told})


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_motions_that_loops_do_not_allow_are_told(coordinates):
    mech, rough = driven_four_bar("tip")
    state = rg.assemble(mech, mech.state(q=rough))
    begin = mech.joint_position(state, "tip")[0]

    def tip(t):
        return begin + 0.1 * t * t, 0.2 * t, 0.2

    def still(_t):
        return state.q[mech.q_slice("motor")], 0.0, 0.0

    with pytest.raises(rg.SimulationError, match="prescribed motions of 'tip', 'motor'"):
        rg.simulate(mech, state, 1.0, prescribed={"tip": tip, "motor": still}, coordinates=coordinates)
    with pytest.raises(rg.SimulationError, match="prescribed motions of 'tip'"):  # beyond where it can reach
        rg.simulate(mech, state, 1.0, prescribed={"tip": lambda t: (begin - 2 * t * t, -4 * t, -4.0)}, coordinates=coordinates)


# --- assemble -----------------------------------------------------------------------------------------------


def test_assemble_brings_loop_joints_where_they_are_to_be():
    mech, rough = driven_four_bar("tip")
    first = rg.assemble(mech, mech.state(q=rough))
    begin = mech.joint_position(first, "tip")[0]
    found = rg.assemble(mech, first, q={"tip": begin + 0.2}, v={"tip": 0.7})
    assert mech.joint_position(found, "tip")[0] == pytest.approx(begin + 0.2, abs=1e-11)
    assert mech.joint_velocity(found, "tip")[0] == pytest.approx(0.7, abs=1e-11)
    again = rg.assemble(mech, first, q={"motor": first.q[0] + 0.1}, v={"motor": 2.0})
    assert again.q[0] == first.q[0] + 0.1
    assert again.v[0] == 2.0
    with pytest.raises(rg.AssemblyError, match="with 'tip' where"):
        rg.assemble(mech, first, q={"tip": 0.0})
    with pytest.raises(rg.ModelError, match="no joint 'typ'"):
        rg.assemble(mech, first, q={"typ": 0.0})
    with pytest.raises(rg.ModelError, match="'tip'"):
        rg.assemble(mech, first, v={"tip": [1.0, 2.0]})
    tree = chain()
    assert rg.assemble(tree, tree.state(), q={"j1": 0.3}).q.tolist() == [0.0, 0.3, 0.0, 0.0]


@pytest.mark.parametrize("names", [("motor", "tip"), ("motor", "knee"), ("pivot", "tip")])
@pytest.mark.parametrize("maximal", [False, True])
def test_torques_that_are_not_unique_are_told(names, maximal):
    """A four-bar has one degree of freedom: two motions that fit each other can share the torque in many ways."""
    mech, rough = driven_four_bar("tip")
    state = rg.assemble(mech, mech.state(q=rough), v={"motor": 1.0})
    rates = {}
    for last in ("tip", "pivot"):  # the accelerations of all joints, each where it is one of the tree
        twin, there = reordered(mech, state, [*(name for name in mech.joints if name != last), last])
        a = rg.forward_dynamics(twin, there)
        rates |= {name: a[twin.v_slice(name)] for name in twin.layout.names}
    if maximal:
        mech, state = rg.to_maximal(mech, state)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = rg.prescribed_torques(mech, state, {names[0]: rates[names[0]]})
    assert np.abs(alone[names[0]]).max() < 1e-8  # it moves so by itself
    with pytest.warns(rg.RegraftWarning, match="not unique"):
        rg.prescribed_torques(mech, state, {name: rates[name] for name in names})
