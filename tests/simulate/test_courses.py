"""Walks without Python are those of `simulate`, to rounding: the same events, states and ends."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

import regraft as rg
from regraft.simulate.course import Course, NotReadyError
from regraft.simulate.settings import Options, method_of, settings_of

STRIKES = ("left strike", "right strike")


def course_of(mech, events, section=STRIKES, longest=5.0, integrator="dopri5", **options):
    method = method_of(integrator)
    numbers = {"rtol": 1e-9, "atol": 1e-10, "step": None, **options}
    torque = numbers.pop("torque", None)
    settings = settings_of(method, mech, Options(torque, None, **numbers))
    return Course(mech, events, method, settings, section, longest)


def assert_same_walk(walk, traj, tolerance=1e-10):
    """Returns of a course are the strikes of a trajectory, and the states after them."""
    strikes = [t for t, name in traj.events if name in STRIKES]
    assert len(strikes) >= len(walk.times)
    assert np.abs(walk.times - strikes[: len(walk.times)]).max(initial=0.0) < tolerance
    for state, segment in zip(walk.states, traj.segments[1:], strict=False):
        assert np.abs(segment.x[0] - state[: len(segment.x[0])]).max() < tolerance


@pytest.mark.parametrize("integrator", ["dopri5", "dop853"])
def test_the_walker_walks_as_it_is_simulated(integrator):
    biped = rg.models.compass_biped()
    mech, state = biped.start
    walk = course_of(mech, biped.events, integrator=integrator).walk(state, 30)
    traj = rg.simulate(mech, state, walk.times[-1] + 0.01, events=biped.events, integrator=integrator)
    assert walk.end == "done"
    assert_same_walk(walk, traj)
    assert walk.places[:4].tolist() == [1, 2, 1, 2]


def test_fixed_steps_are_those_of_simulate():
    biped = rg.models.compass_biped()
    mech, state = biped.start
    walk = course_of(mech, biped.events, integrator="rk4", step=1e-3).walk(state, 6)
    assert_same_walk(walk, rg.simulate(mech, state, 6.0, events=biped.events, integrator="rk4", step=1e-3))


def test_a_course_is_the_same_whatever_was_walked_before():
    biped = rg.models.compass_biped()
    mech, state = biped.start
    course = course_of(mech, biped.events)
    first = course.walk(state, 10)
    course.walk(state.replace(v=1.1 * state.v), 10)
    again = course.walk(state, 10)
    assert np.array_equal(first.states, again.states)
    assert np.array_equal(first.times, again.times)


@pytest.mark.parametrize("share", [0.3, 0.6, 1.3, 2.0])
def test_falls_are_where_they_are_simulated(share):
    biped = rg.models.compass_biped()
    mech, state = biped.start
    begun = state.replace(v=share * state.v)
    walk = course_of(mech, biped.events, longest=20.0).walk(begun, 40)
    traj = rg.simulate(mech, begun, 40.0, events=biped.events)
    assert_same_walk(walk, traj, 1e-8)  # the longer they go before they fall the more they part
    if traj.events[-1].name == "fall":
        assert (walk.end, walk.event) == ("stopped", "fall")


def test_a_body_that_starts_beyond_a_guard_that_fires_is_stopped_at_once():
    biped = rg.models.compass_biped()
    mech, state = biped.start
    lying = state.replace(q={"stance": 1.7})
    walk = course_of(mech, biped.events).walk(lying, 3)
    assert (walk.end, walk.event, len(walk.times)) == ("stopped", "fall", 0)


def test_known_states_end_a_walk():
    biped = rg.models.compass_biped()
    cycle = rg.gait.limit_cycle(*biped.start, biped.events, section=STRIKES)
    course = course_of(cycle.mech, biped.events)
    steady = course.walk(cycle.state, 4)
    course.know([(int(p), x, 7) for p, x in zip(steady.places, steady.states, strict=True)])
    course.near = 1e-3
    walk = course.walk(cycle.state.replace(v=1.02 * cycle.state.v), 60)
    assert walk.reached == 7
    assert 3 < len(walk.times) < 40
    near = [steady.states[k] for k in range(4) if steady.places[k] == walk.places[-1]]
    assert min(np.abs(x - walk.states[-1]).max() for x in near) <= 1e-3
    assert min(np.abs(steady.states[k] - walk.states[-2]).max() for k in range(4) if steady.places[k] == walk.places[-2]) > 1e-3


def bouncer(torque=None):
    """A pendulum whose passages upwards count, and nothing changes."""
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia.point(1.0, at=(0, 0, -1)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
    return course_of(mech, [rg.when_joint("hinge", 0.0, direction=1, name="up")], ["up"], torque=torque), mech


def test_events_that_change_nothing_are_returns():
    course, mech = bouncer()
    walk = course.walk(mech.state(q={"hinge": 0.5}), 5)
    traj = rg.simulate(mech, mech.state(q={"hinge": 0.5}), walk.times[-1] + 0.1, events=rg.when_joint("hinge", 0.0, direction=1))
    assert np.abs(np.diff(walk.times) - np.diff([t for t, _ in traj.events])).max() < 1e-9


def test_a_return_that_does_not_come_is_told():
    course, mech = bouncer()
    walk = course.walk(mech.state(), 5)
    assert (walk.end, len(walk.times)) == ("took too long", 0)


def test_laws_drive_a_course():
    law = rg.law(("hinge",), damp)
    course, mech = bouncer(law)
    begun = mech.state(q={"hinge": 0.5})
    walk = course.walk(begun, 4)
    traj = rg.simulate(mech, begun, walk.times[-1] + 0.1, torque=law, events=rg.when_joint("hinge", 0.0, direction=1))
    assert np.abs(walk.times - [t for t, _ in traj.events][:4]).max() < 1e-9


@njit
def damp(t, q, v, out):
    out[0] = -0.1 * v[0]


def test_what_is_a_function_in_python_is_not_ready():
    biped = rg.models.compass_biped()
    mech, state = biped.start
    own = rg.when_frame_below("left foot", 0.0, lambda mech, state: rg.PASS, slope=0.05, name="left strike")
    with pytest.raises(NotReadyError, match="the action of event 'left strike' is a function in Python"):
        course_of(mech, [own, *biped.events[1:]]).walk(state, 3)
    with pytest.raises(NotReadyError, match="given times"):
        course_of(mech, [rg.at_time(1.0)], ())
    with pytest.raises(NotReadyError, match="function in Python"):
        course_of(mech, biped.events, torque=lambda t, mech, state: np.zeros(2))
    linkage = rg.models.four_bar()
    with pytest.raises(NotReadyError, match="function in Python"):
        course_of(linkage.mech, [rg.when_joint("knee", 0.0)], ()).walk(linkage.state, 1)  # which closes the loop
    linkage.mech.add_coupling("gears", "motor", "elbow")
    with pytest.raises(NotReadyError, match="joints are coupled"):
        course_of(linkage.mech, [], ())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rg.strike("foot", 3), "joint must be a joint type"),
        (lambda: rg.strike("world", rg.Fixed()), "the world cannot land"),
        (lambda: rg.strike("foot", rg.Fixed(), past=3), "given by name"),
        (lambda: rg.strike("foot", rg.Fixed(), past="other", along=(1, 0)), "along"),
        (lambda: rg.grip("hand", 3, rg.Fixed()), "given by name"),
        (lambda: rg.release(3), "name of the joint"),
    ],
)
def test_bad_changes_are_errors(make, message):
    with pytest.raises(rg.ModelError, match=message):
        make()


def test_grip_and_release_are_connect_and_cut():
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name in "ab":
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"{name} flight", rg.Free(), "world", name)
    mech.add_frame("hand", "a", rg.Pose(translation=(0.5, 0, 0)))
    state = mech.state(q={"b flight": (1.0, 0, 0, 1, 0, 0, 0)}, v={"a flight": (0.2, 0, 0, 0, 0, 0)})
    events = [rg.at_time(0.1, rg.grip("hand", "b", rg.Fixed(), "grip")), rg.at_time(0.2, rg.release("grip"), name="lets go")]
    traj = rg.simulate(mech, state, 0.3, events=events)
    assert [len(segment.mech.joints) for segment in traj.segments] == [2, 3, 2]
    assert np.allclose(traj.momentum().linear, traj.momentum().linear[0], atol=1e-12)
    assert np.abs(traj.final[1].v[:3] - 0.1).max() > 0.0
