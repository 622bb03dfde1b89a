"""What a run hands to its functions, every function takes: the loops of a state within a step are closed."""

import inspect

import numba
import numpy as np
import pytest

import regraft as rg
from simple_mechanisms import arm

# loops may hold the joint that is prescribed
pytestmark = pytest.mark.filterwarnings("ignore:the torques of the prescribed motions:regraft.RegraftWarning")


def body_of(mech):
    return next(reversed(mech.bodies))


def loose_joint(mech):
    """A joint that can be cut."""
    return mech.loop_joints[0]


def accelerated(mech, state):
    return rg.forward_dynamics(mech, state, np.linspace(-1.0, 1.0, mech.nv))


def as_it_goes(mech, state):
    """The first joint's own acceleration, which loops allow."""
    first = mech.layout.names[0]
    return {first: rg.forward_dynamics(mech, state)[mech.v_slice(first)]}


def with_servo(mech, state):
    """The same with a servo at the first joint that has one coordinate."""
    first = next(name for name, kind, *_ in mech.layout.joints if kind.nv == 1)
    twin = mech.copy()
    twin.add_actuator("servo", first, gain=2.0, bias=(0.0, -2.0, -1.0))
    return twin, state


QUESTIONS = {
    "actuator_torques": lambda m, s: rg.actuator_torques(m, s, accelerated(m, s)),
    "assemble": rg.assemble,
    "bias_force": rg.bias_force,
    "body_poses": rg.body_poses,
    "body_twists": rg.body_twists,
    "center_of_mass": rg.center_of_mass,
    "check": rg.check,
    "connect": lambda m, s: rg.connect(m, s, "world", body_of(m), joint=rg.Free(), name="more", pose_a=rg.Pose()),
    "connect_all": lambda m, s: rg.connect_all(m, s, []),
    "consistent_acceleration": lambda m, s: rg.consistent_acceleration(m, s, np.zeros(m.nv)),
    "control_torques": lambda m, s: rg.control_torques(*with_servo(m, s), {"servo": 0.5}),
    "cut": lambda m, s: rg.cut(m, s, loose_joint(m)),
    "derivatives": rg.derivatives,
    "energy": rg.energy,
    "forward_dynamics": rg.forward_dynamics,
    "frame_pose": lambda m, s: rg.frame_pose(m, s, body_of(m)),
    "frame_position": lambda m, s: rg.frame_position(m, s, body_of(m)),
    "frame_twist": lambda m, s: rg.frame_twist(m, s, body_of(m)),
    "hierarchy": rg.hierarchy,
    "inverse_dynamics": lambda m, s: rg.inverse_dynamics(m, s, accelerated(m, s)),
    "inverse_dynamics_derivatives": lambda m, s: rg.inverse_dynamics_derivatives(m, s, np.ones(m.nv)),
    "jacobian": lambda m, s: rg.jacobian(m, s, body_of(m)),
    "jacobian_rate": lambda m, s: rg.jacobian_rate(m, s, body_of(m)),
    "joint_reactions": rg.joint_reactions,
    "loop_jacobian": rg.loop_jacobian,
    "loop_jacobian_rate": rg.loop_jacobian_rate,
    "mass_matrix": rg.mass_matrix,
    "mobility": rg.mobility,
    "momentum": rg.momentum,
    "momentum_derivatives": rg.momentum_derivatives,
    "prescribed_torques": lambda m, s: rg.prescribed_torques(m, s, as_it_goes(m, s)),
    "reroot": lambda m, s: rg.reroot(m, s, body_of(m)),
    "simulate": lambda m, s: rg.simulate(m, s, 1e-9),
    "to_maximal": rg.to_maximal,
    "to_reduced": lambda m, s: rg.to_reduced(*rg.to_maximal(m, s)),
}
OTHERS = {
    "joint_position": lambda m, s: [m.joint_position(s, name) for name in m.joints],
    "joint_velocity": lambda m, s: [m.joint_velocity(s, name) for name in m.joints],
    "a state of its own": lambda m, s: rg.forward_dynamics(m, m.state(q=s.q, v=s.v)),
    "a state at rest": lambda m, s: rg.forward_dynamics(m, m.state(q=s.q)),
    "forward_dynamics_batch": lambda m, s: rg.forward_dynamics_batch(m, s.q[None], s.v[None]),
    "with wrenches": lambda m, s: rg.forward_dynamics(m, s, wrenches={body_of(m): np.ones(6)}),
    "chosen coordinates": lambda m, s: rg.mobility(m, s, keep=rg.mobility(m, s)),
}

LINKAGES = {
    "four_bar": lambda: rg.models.four_bar().start,
    "high_bar": lambda: rg.models.high_bar().start,
    "bricard": lambda: rg.models.bricard().start,
    "four_bars": lambda: rg.models.four_bars(3).start,
}
WAYS = {
    "loose": {"rtol": 1e-3, "atol": 1e-3},
    "coarse": {"integrator": "rk4", "step": 0.05},
    "maximal": {"integrator": "rk4", "step": 0.02, "coordinates": "maximal"},
}


def test_every_function_of_a_mechanism_and_its_state_is_asked():
    public = {name: getattr(rg, name) for name in rg.__all__ if inspect.isfunction(getattr(rg, name))}
    asked = {name for name, function in public.items() if list(inspect.signature(function).parameters)[:2] == ["mech", "state"]}
    assert asked - {"simulate"} <= QUESTIONS.keys()
    assert QUESTIONS.keys() <= asked


def answerable(mech, state):
    """The questions that this mechanism answers where a run begins."""
    found = {}
    for name, question in {**QUESTIONS, **OTHERS}.items():
        try:
            question(mech, state)
        except rg.RegraftError:
            continue
        found[name] = question
    return found


def asking(questions, at_most):
    """A function that puts all questions, one after the other, to each of its first states, and remembers what failed."""
    failed, count = [], [0]

    def ask(mech, state):
        count[0] += 1
        if count[0] > at_most:
            return
        for name, question in questions.items():
            try:
                question(mech, state)
            except rg.RegraftError as problem:
                failed.append((name, str(problem)))

    ask.failed, ask.count = failed, count
    return ask


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("linkage", LINKAGES.values(), ids=LINKAGES)
def test_what_a_function_gets_every_function_takes(linkage, way):
    mech, state = linkage()
    if way.get("coordinates") == "maximal" and any(np.linalg.det(b.inertia.tensor) < 1e-12 for b in mech.bodies.values()):
        pytest.skip("thin rods cannot move by themselves")
    questions = answerable(mech, state)
    assert len(questions) >= 34  # of 37: some cannot be re-rooted, or determined
    driving, pushing, watching = (asking(questions, 40) for _ in range(3))

    def torque(_t, mech, state):
        driving(mech, state)
        return {}

    def wrenches(_t, mech, state):
        pushing(mech, state)
        return {}

    def guard(mech, state):
        watching(mech, state)
        return 1.0

    rg.simulate(mech, state, 0.3, torque=torque, wrenches=wrenches, events=rg.Event("never", guard), **way)
    for ask in (driving, pushing, watching):
        assert ask.count[0] >= 6
        assert not ask.failed


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_an_action_gets_a_closed_state_where_steps_leave_loops_open(coordinates):
    mech, state = rg.models.four_bar().start
    gaps = []

    def action(mech, state):
        gaps.append(np.abs(mech.joint_position(state, mech.loop_joints[0])))
        return rg.cut(mech, state, mech.loop_joints[0])

    options = {"integrator": "rk4", "step": 0.05, "stabilise": False, "coordinates": coordinates}
    traj = rg.simulate(mech, state, 1.0, events=rg.at_time(0.6, action), **options)
    assert traj.loop_error().position.max() > 1e-6  # or the test would show nothing
    assert gaps
    assert not traj.final[0].loop_joints


@numba.njit
def braked(_t, _q, v, out):
    for d in range(out.shape[0]):
        out[d] = -0.5 * v[d]


def test_closing_what_a_function_sees_changes_the_motion_by_less_than_its_error():
    """A compiled law sees the numbers of the integrator itself."""
    mech, state = rg.models.four_bar().start
    as_it_is, closed = (rg.simulate(mech, state, 2.0, torque=way) for way in (braked, lambda _t, _mech, state: -0.5 * state.v))
    exact = rg.simulate(mech, state, 2.0, torque=braked, rtol=1e-13, atol=1e-14)
    assert np.abs(as_it_is.final[1].q - exact.final[1].q).max() < 1e-9  # 2e-12 to 3e-12 on this machine
    assert np.abs(closed.final[1].q - exact.final[1].q).max() < 1e-9


def test_open_chains_are_shown_as_they_are():
    """Nothing is closed where there are no loops: the very numbers of the integrator."""
    mech, state = arm()
    seen = []
    rg.simulate(mech, state, 0.01, torque=lambda _t, mech, state: seen.append(state.q) or np.zeros(mech.nv))
    assert np.array_equal(seen[0], state.q)
