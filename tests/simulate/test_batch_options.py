"""What a batch can be asked for: torques, samples, measures, mechanisms that differ, events."""

import numba
import numpy as np
import pytest

import regraft as rg
from loops.closed_mechanisms import moving_four_bar
from random_mechanisms import random_mechanism, random_state

ROUNDING = 1e-12
STEP, STEPS = 1e-3, 12
SPAN = STEP * STEPS
FIXED = {"integrator": "rk4", "step": STEP}


@pytest.fixture(scope="module")
def mech():
    return random_mechanism(np.random.default_rng(1), bodies=7, roots=2, reverse=0.5, damping=True)


@pytest.fixture(scope="module")
def states(mech):
    rng = np.random.default_rng(2)
    return [random_state(rng, mech) for _ in range(11)]


def figure():
    """Two rods that hang, with a foot at the end."""
    mech = rg.Mechanism()
    rod = rg.Inertia.cylinder(3.0, 0.05, (0, 0, 0), (0, 0, -0.4))
    mech.add_body("thigh", rod)
    mech.add_body("shank", rod)
    mech.add_joint("hip", rg.Revolute((0, 1, 0)), "world", "thigh")
    mech.add_joint("knee", rg.Revolute((0, 1, 0)), "thigh", "shank", parent_pose=rg.Pose(translation=(0, 0, -0.4)))
    mech.add_frame("foot", "shank", rg.Pose(translation=(0, 0, -0.4)))
    q = np.column_stack((np.linspace(-2.0, 2.0, 13), np.linspace(1.0, -1.0, 13)))
    return mech, q


def close(found, expected):
    return np.abs(found - expected).max(initial=0.0) < ROUNDING * (1.0 + np.abs(expected).max(initial=0.0))


def ends_as(found, b, final):
    return close(found.final_q[b], final.q) and close(found.final_v[b], final.v)


# --- torques ------------------------------------------------------------------------------------------------------------------


@numba.njit
def damp(t, q, v, out):
    for d in range(out.shape[0]):
        out[d] = -v[d] + np.sin(30.0 * t)


def test_a_compiled_function_acts_in_each_motion_as_in_simulate(mech, states):
    found = rg.simulate_batch(mech, states, SPAN, step=STEP, torque=damp, every="end")
    for b, state in enumerate(states):
        assert ends_as(found, b, rg.simulate(mech, state, SPAN, torque=damp, **FIXED).final[1])


def test_a_law_and_constants_by_name_act_as_in_simulate():
    mech, q = figure()
    for torque in (rg.law("knee", damp), {"hip": 3.0}, [rg.law("knee", damp), {"hip": 3.0}]):
        found = rg.simulate_batch(mech, q, None, SPAN, step=STEP, torque=torque)
        for b in (0, 5, 12):
            assert ends_as(found, b, rg.simulate(mech, mech.state(q=q[b]), SPAN, torque=torque, **FIXED).final[1])


def test_constant_torques_are_for_all_states_or_for_each(mech, states):
    tau = np.random.default_rng(3).standard_normal((len(states), mech.nv))
    of_all = rg.simulate_batch(mech, states, SPAN, step=STEP, torque=tau[0])
    of_each = rg.simulate_batch(mech, states, SPAN, step=STEP, torque=tau)
    for b, state in enumerate(states):
        assert ends_as(of_all, b, rg.simulate(mech, state, SPAN, torque=tau[0], **FIXED).final[1])
        assert ends_as(of_each, b, rg.simulate(mech, state, SPAN, torque=tau[b], **FIXED).final[1])


def held(mech, state, rows, span, **options):
    """A motion with a torque in each of some intervals, one run after the other."""
    for tau in rows:
        state = rg.simulate(mech, state, span / len(rows), torque=tau, **options).final[1]
    return state


@pytest.mark.parametrize("integrator", ["rk4", "euler"])
@pytest.mark.parametrize("intervals", [STEPS, 4, 1])
def test_torques_over_time_are_held_over_their_steps(mech, states, intervals, integrator):
    tau = 20 * np.random.default_rng(3).standard_normal((len(states), intervals, mech.nv))
    options = {"integrator": integrator, "step": STEP}
    of_each = rg.simulate_batch(mech, states, SPAN, torque=tau, **options)
    of_all = rg.simulate_batch(mech, states, SPAN, torque=tau[:1], **options)
    for b, state in enumerate(states):
        assert ends_as(of_each, b, held(mech, state, tau[b], SPAN, **options))
        assert ends_as(of_all, b, held(mech, state, tau[0], SPAN, **options))
    if intervals > 1:
        assert np.array_equal(rg.simulate_batch(mech, states, SPAN, torque=tau[0], **options).q, of_all.q)


@pytest.mark.parametrize("options", [{"integrator": "rk4", "step": 0.01}, {"integrator": "dopri5"}])
def test_torques_over_time_drive_closed_chains(options):
    mech, state = moving_four_bar()
    tau = np.random.default_rng(4).standard_normal((2, 5, mech.nv))
    found = rg.simulate_batch(mech, [state, state], 0.1, torque=tau, every=0.05, **options)
    for b in range(2):
        assert ends_as(found, b, held(mech, state, tau[b], 0.1, **options))
    assert np.isfinite(found.q).all()


# --- samples ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [1, 3, 5, 12, 100, 0.003, "end", None])
def test_samples_are_those_of_simulate(mech, states, every):
    found = rg.simulate_batch(mech, states, SPAN, step=STEP, every=every)
    if every == "end":
        assert found.t.tolist() == [SPAN]
        assert np.array_equal(found.q[:, 0], found.final_q)
        return
    steps = {0.003: 3, None: 1}.get(every, every)
    traj = rg.simulate(mech, states[4], SPAN, every=steps, **FIXED)
    assert np.array_equal(found.t, traj.t)
    assert close(found.q[4], traj.segments[0].q)
    assert np.array_equal(found.q[:, -1], found.final_q)
    assert np.array_equal(found.until, np.full(len(states), SPAN))


def test_states_of_a_batch_are_states_of_the_mechanism(mech, states):
    found = rg.simulate_batch(mech, states, SPAN, step=STEP)
    assert np.array_equal(found.state(3).q, found.final_q[3])
    assert np.array_equal(found.state(3, 0).v, states[3].v)
    assert "11 motions" in repr(found)
    for number, sample, message in [
        (11, None, "no motion 11; there are 11"),
        (1.5, None, "no motion 1.5"),
        ("first", None, "no motion 'first'"),
        (0, 99, f"no sample 99; there are {len(found.t)}"),
        (0, 0.5, "no sample 0.5"),
    ]:
        with pytest.raises(rg.ModelError, match=message):
            found.state(number, sample)


# --- measures -----------------------------------------------------------------------------------------------------------------

MEASURES = {
    "top": rg.Measure("largest", "height", "foot"),
    "low": ("least", "height", "shank"),
    "far": ("mean", "x", "foot"),
    "aside": ("largest", "y", "foot"),
    "bent": ("least", "position", "knee"),
    "fast": ("largest", "velocity", "knee"),
    "energy": ("mean", "energy"),
    "kinetic": ("largest", "kinetic energy"),
    "potential": ("least", "potential energy"),
}


def measured_along(traj):
    foot, shank, knee, energy, t = (
        traj.frame("foot").position,
        traj.body("shank").position,
        traj.joint("knee"),
        traj.energy(),
        traj.t,
    )
    span = t[-1] - t[0]
    return {
        "top": foot[:, 2].max(),
        "low": shank[:, 2].min(),
        "far": np.trapezoid(foot[:, 0], t) / span,
        "aside": foot[:, 1].max(),
        "bent": knee.q.min(),
        "fast": knee.v.max(),
        "energy": np.trapezoid(energy.total, t) / span,
        "kinetic": energy.kinetic.max(),
        "potential": energy.potential.min(),
    }


@pytest.mark.parametrize("options", [{"integrator": "rk4", "step": 0.01}, {"integrator": "dopri5"}])
def test_what_is_measured_is_what_the_samples_of_simulate_show(options):
    mech, q = figure()
    found = rg.simulate_batch(mech, q, None, 0.5, every="end", measure=MEASURES, **options)
    for b in range(len(q)):
        for name, value in measured_along(rg.simulate(mech, mech.state(q=q[b]), 0.5, **options)).items():
            assert found.measured[name][b] == pytest.approx(value, rel=1e-11, abs=1e-11), name


def test_what_is_measured_ends_where_an_event_stops_the_motion():
    mech, q = figure()
    stop = rg.when_frame_below("foot", -0.7, rg.STOP)
    found = rg.simulate_batch(mech, q, None, 0.3, step=0.01, every="end", measure=MEASURES, events=stop)
    assert 3 < np.isfinite(found.stopped).sum() < len(q)
    for b in range(len(q)):
        traj = rg.simulate(mech, mech.state(q=q[b]), 0.3, integrator="rk4", step=0.01, events=stop)
        if traj.t[-1] > 0.0:
            for name, value in measured_along(traj).items():
                assert found.measured[name][b] == pytest.approx(value, rel=1e-10, abs=1e-10), name


def test_springs_in_joints_have_energy_in_packs_too():
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.box(2.0, (0.1, 0.2, 0.3), at=(0, 0, -0.5)))
    mech.add_joint("joint", rg.Spherical(stiffness=20.0, armature=0.3, limits=(-np.inf, 0.1)), "world", "ball")
    mech.add_spring("tendon", "ball", (0, 0, -1), "world", (1, 0, -1), stiffness=30.0, rest_length=0.2)
    rng = np.random.default_rng(0)
    states = [random_state(rng, mech) for _ in range(5)]
    found = rg.simulate_batch(mech, states, SPAN, step=STEP, measure={"e": ("least", "energy")})
    expected = [rg.simulate(mech, state, SPAN, **FIXED).energy().total.min() for state in states]
    assert found.measured["e"] == pytest.approx(expected, rel=1e-11)


# --- mechanisms that differ ---------------------------------------------------------------------------------------------------


def test_masses_inertias_damping_and_gravity_may_differ_from_state_to_state(mech, states):
    rng, count = np.random.default_rng(5), len(states)
    one, other, *_ = mech.bodies
    joints = [name for name, joint in mech.joints.items() if joint.type.nv > 0]
    inertias = [rg.Inertia.box(1 + rng.random(), rng.random(3), at=rng.random(3)) for _ in range(count)]
    masses, gravity = 1 + rng.random(count), 9 * rng.standard_normal((count, 3))
    damping = {name: rng.random((count, mech.joints[name].type.nv)) for name in joints[:3]}
    found = rg.simulate_batch(
        mech, states, SPAN, step=STEP, inertia={one: inertias}, mass={other: masses}, damping=damping, gravity=gravity
    )
    own = mech.bodies[other].inertia
    for b, state in enumerate(states):
        heavy = rg.Inertia(masses[b], own.com, own.tensor * (masses[b] / own.mass))
        this = mech.replace(
            gravity[b], inertia={one: inertias[b], other: heavy}, damping={name: values[b] for name, values in damping.items()}
        )
        assert ends_as(found, b, rg.simulate(this, this.state(q=state.q, v=state.v), SPAN, **FIXED).final[1])
    plain = rg.simulate_batch(mech, states, SPAN, step=STEP)
    assert np.abs(plain.final_v - found.final_v).max() > 1e-3


def test_numbers_that_are_the_same_for_all_states_may_be_given_once(mech, states):
    name = next(name for name, joint in mech.joints.items() if joint.type.nv == 1)
    found = rg.simulate_batch(mech, states, SPAN, step=STEP, gravity=(0, 1, 2), damping={name: 0.7})
    this = mech.replace((0, 1, 2), damping={name: 0.7})
    assert close(found.q, rg.simulate_batch(this, [this.state(q=s.q, v=s.v) for s in states], SPAN, step=STEP).q)


def test_closed_chains_may_differ_too():
    mech, state = moving_four_bar()
    gravity = np.array([[0, 0, -9.81], [0, 0, -1.62]])
    found = rg.simulate_batch(mech, [state, state], 0.1, step=0.01, gravity=gravity)
    for b in range(2):
        this = mech.replace(gravity[b])
        traj = rg.simulate(this, this.state(q=state.q, v=state.v), 0.1, integrator="rk4", step=0.01)
        assert np.array_equal(found.final_v[b], traj.final[1].v)


# --- events -------------------------------------------------------------------------------------------------------------------


@numba.njit
def knee_straight(t, q, v):
    return q[1] + 0.3 + 0.1 * t


EVENTS = {
    "frame": lambda: rg.when_frame_below("foot", -0.7, rg.STOP),
    "joint": lambda: rg.when_joint("knee", 0.0, rg.STOP),
    "upwards": lambda: rg.when_joint("hip", 0.5, rg.STOP, direction=1),
    "compiled": lambda: rg.Event("straight", knee_straight, rg.STOP, direction=0),
    "law": lambda: rg.Event("law", rg.law(("hip", "knee"), knee_straight), rg.STOP, already="wait"),
    "several": lambda: [rg.when_joint("knee", 0.0, rg.STOP), rg.when_frame_below("foot", -0.75, rg.STOP)],
}


SPANS = {"upwards": 0.6, "several": 0.12}  # in which some motions are stopped, and some are not


@pytest.mark.parametrize("kind", EVENTS)
@pytest.mark.parametrize("options", [{"integrator": "rk4", "step": 0.01}, {"integrator": "dopri5"}])
def test_events_stop_motions_where_they_stop_simulate(kind, options):
    mech, q = figure()
    events, span = EVENTS[kind](), SPANS.get(kind, 0.3)
    found = rg.simulate_batch(mech, q, None, span, events=events, every=0.05, **options)
    happened = 0
    for b in range(len(q)):
        traj = rg.simulate(mech, mech.state(q=q[b]), span, events=events, **options)
        assert found.until[b] == pytest.approx(traj.t[-1], abs=1e-11)
        assert ends_as(found, b, traj.final[1])
        if traj.events:
            happened += 1
            assert found.stopped[b] == pytest.approx(traj.events[0].t, abs=1e-11)
            assert found.events[b] == traj.events[0].name
        else:
            assert np.isnan(found.stopped[b])
            assert found.events[b] is None
        there = found.t <= traj.t[-1] + 1e-12
        assert np.isfinite(found.q[b, there]).all()
        assert np.isnan(found.q[b, ~there]).all()
    assert 0 < happened < len(q)
    assert found.failed == {}


@numba.njit
def never_above(t, q, v):
    return q[1] - 10.0 + 0.0 * t


@pytest.mark.parametrize("options", [{"integrator": "rk4", "step": 0.01}, {"integrator": "dopri5"}])
def test_an_event_that_waits_is_told_once_for_all_motions(options):
    """And not for each motion, nor for each interval of torques, in which `simulate`'s loop starts anew."""
    mech, q = figure()
    torque, event = np.zeros((1, 5, mech.nv)), rg.Event("high", never_above, rg.STOP)
    with pytest.warns(rg.RegraftWarning, match="event 'high': its guard is beyond zero at t = 0") as told:
        found = rg.simulate_batch(mech, q, None, 0.1, torque=torque, events=event, every="end", threads=1, **options)
    assert len(told) == 1
    assert np.isnan(found.stopped).all()
    assert np.array_equal(found.until, np.full(len(q), 0.1))


def test_a_motion_that_starts_where_an_event_fires_stops_at_once():
    mech, q = figure()
    found = rg.simulate_batch(mech, q * 0.0, None, 0.6, step=0.01, events=rg.when_frame_below("foot", -0.5, rg.STOP))
    assert np.array_equal(found.stopped, np.zeros(len(q)))
    assert np.array_equal(found.final_q, q * 0.0)


def test_events_of_closed_chains_stop_motions():
    mech, state = moving_four_bar()
    joint = next(iter(mech.layout.q_slices))
    there = rg.simulate(mech, state, 0.2).state(0.1)[joint].q
    stop = rg.when_joint(joint, float(there), rg.STOP)
    found = rg.simulate_batch(mech, [state], 0.2, integrator="dopri5", events=stop)
    assert found.stopped[0] == rg.simulate(mech, state, 0.2, events=stop).events[0].t
