"""Events: where they are found, in which order they act, and what they may change."""

import pickle
import time
from functools import partial

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from simple_mechanisms import G, arm, ball, chain, pendulum, slider

SHORT = 1e-12  # of the time scale, which is a second in all of these


def times(traj, name=None):
    return np.array([t for t, event in traj.events if name in (None, event)])


# --- where --------------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.floats(0.1, 50.0), st.floats(-5.0, 5.0))
def test_a_ball_hits_the_floor_when_it_must(height, speed):
    mech, state = ball(height, speed)
    traj = rg.simulate(mech, state, 20.0, events=rg.when_frame_below("ball", 0.0, rg.STOP))
    exact = (speed + np.sqrt(speed**2 + 2 * G * height)) / G
    assert np.abs(times(traj) - exact).max() < SHORT * max(1.0, exact)
    assert traj.t[-1] == traj.events[0].t
    assert abs(traj.final[1].q[0]) < 1e-13 * max(1.0, height)


@pytest.mark.parametrize(("direction", "parts"), [(-1, [0.25, 1.25, 2.25]), (1, [0.75, 1.75, 2.75]), (0, None)])
def test_directions(direction, parts):
    mech, state = slider()
    traj = rg.simulate(mech, state, 3.1, events=rg.when_joint("x", 0.0, direction=direction), rtol=1e-13, atol=1e-14)
    exact = np.arange(0.25, 3.1, 0.5) if parts is None else parts
    assert len(times(traj)) == len(exact)
    assert np.abs(times(traj) - exact).max() < SHORT
    assert len(traj.segments) == 1  # an event without an action changes nothing


def test_a_pendulum_passes_its_lowest_point_after_quarters_of_its_period():
    """Times from the complete elliptic integral, by the arithmetic-geometric mean."""
    mech, state = pendulum(1.0)
    a, b = 1.0, np.cos(0.5)
    for _ in range(8):
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    period = 2 * np.pi / a / np.sqrt(G)
    traj = rg.simulate(mech, state, 5.0, events=rg.when_joint("hinge", 0.0), rtol=1e-13, atol=1e-14)
    exact = period * np.arange(0.25, 5.0 / period, 0.5)
    assert len(times(traj)) == len(exact)
    assert np.abs(times(traj) - exact).max() < 5 * SHORT  # five seconds


@numba.njit
def compiled_guard(t, q, v):
    return q[0] - 0.3


GUARDS = {
    "ready-made": rg.when_joint("x", 0.3, name="e").guard,
    "python": lambda mech, state: state.q[mech.q_slice("x")][0] - 0.3,
    "numba": compiled_guard,
}


@pytest.mark.parametrize(("integrator", "step"), [("dopri5", None), ("dop853", None), ("rk4", 0.01), ("euler", 0.002)])
def test_python_numba_and_ready_made_guards_find_the_same_times(integrator, step):
    mech, state = slider()
    found = {}
    for name, guard in GUARDS.items():
        event = rg.Event("e", guard, direction=0)
        found[name] = times(rg.simulate(mech, state, 2.0, events=event, integrator=integrator, step=step))
    assert len(found["python"]) == 4
    assert all(np.array_equal(found["python"], other) for other in found.values())


@pytest.mark.parametrize("moment", [1 / 3, 0.7123456, 1.1])
def test_a_guard_that_jumps_over_zero_fires_where_it_jumps(moment):
    """Its slope says nothing about where its zero is."""
    mech, state = ball(1.0)
    jump = rg.Event("jump", lambda t, mech, state: 1.0 if t < moment else -1.0, rg.STOP)
    (event,) = rg.simulate(mech, state, 3.0, events=jump).events
    assert abs(event.t - moment) < 1e-13


@pytest.mark.parametrize("integrator", ["dopri5", "dop853"])
def test_two_zeros_within_one_step_are_both_seen(integrator):
    """A ball in free fall has a motion that one long step gets right: both ways through a height are inside of it."""
    mech, state = ball(0.0, 0.5 * G)
    event = rg.when_joint("fall", 0.5, direction=0)
    traj = rg.simulate(mech, state, 1.0, events=event, integrator=integrator, rtol=1.0, atol=1.0)
    root = np.sqrt(0.25 - 2 * 0.5 / G)
    assert np.abs(times(traj) - (0.5 - root, 0.5 + root)).max() < SHORT
    assert np.diff(traj.t).max() > 2 * root  # or the two would not have been in one step


def test_a_guard_at_zero_does_not_fire_until_it_has_left_zero():
    mech, _ = slider()
    for start in (0.0, 5e-10, -5e-10):
        begun = mech.state(q={"x": start}, v={"x": 1.0})
        traj = rg.simulate(mech, begun, 1.2, events=rg.when_joint("x", 0.0, direction=0))
        assert len(times(traj)) == 2
        assert np.abs(times(traj) - (0.5, 1.0)).max() < 1e-8
    still = rg.simulate(mech, mech.state(), 1.0, events=rg.when_joint("x", 0.0, direction=0))
    assert still.events == []


def test_a_guard_that_starts_at_zero_fires_when_it_comes_back_however_soon():
    """After a bounce of a nanometre too; or the ball would fall through the floor."""
    for speed in (1.0, 1e-3, 1e-6, 1e-8):
        mech, state = ball(0.0, speed)
        traj = rg.simulate(mech, state, 1.0, events=rg.when_frame_below("ball", 0.0, rg.STOP))
        assert abs(times(traj)[0] - 2 * speed / G) < 1e-12


# --- moments ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("integrator", "step"), [("dopri5", None), ("dop853", None), ("rk4", 0.03)])
def test_timed_events_happen_exactly_at_their_time(integrator, step):
    mech, state = ball()
    moments = [0.1 * k for k in range(11)]
    events = [rg.at_time(t, name=f"{k}") for k, t in enumerate(moments)]
    traj = rg.simulate(mech, state, 1.0, events=events, integrator=integrator, step=step)
    assert [t for t, _ in traj.events] == moments
    assert set(moments) <= set(traj.t.tolist())
    assert len(traj.segments) == 1


def test_timed_events_at_the_start_at_the_end_beyond_and_before():
    mech, state = ball()
    events = [
        rg.at_time(t, name=name) for t, name in ((1.0, "end"), (-1.0, "start"), (1.5, "late"), (-1.5, "early"), (0.0, "zero"))
    ]
    traj = rg.simulate(mech, state, 2.0, start=-1.0, events=events)
    assert traj.events == [(-1.0, "start"), (0.0, "zero"), (1.0, "end")]
    assert traj.t[0] == -1.0
    assert traj.t[-1] == 1.0
    assert rg.simulate(mech, state, 0.0, events=rg.at_time(0.0)).events == [(0.0, "t = 0")]


def test_simultaneous_events_act_in_the_order_given():
    mech, state = ball(0.5 * G)
    order = []

    def note(name):
        def action(mech, state):
            order.append(name)
            return mech, state

        return action

    events = [
        rg.at_time(1.0, note("first"), name="first"),
        rg.when_joint("fall", 0.0, note("second"), name="second"),
        rg.at_time(1.0, note("third"), name="third"),
        rg.when_frame_below("ball", 0.0, note("fourth"), name="fourth"),
        rg.Event("fifth", lambda mech, state: 2.0 * state.q[0], note("fifth")),
    ]
    traj = rg.simulate(mech, state, 1.5, events=events)
    guarded = [name for name in order if name in ("second", "fourth", "fifth")]
    assert guarded == ["second", "fourth", "fifth"]
    assert [name for name in order if name in ("first", "third")] == ["first", "third"]
    assert sorted(order) == sorted(name for _, name in traj.events)
    assert len(order) == 5
    swapped = rg.simulate(mech, state, 1.5, events=events[::-1])
    assert [name for _, name in swapped.events if name in guarded] == guarded[::-1]


def test_a_moment_that_coincides_with_a_zero_acts_in_the_order_given():
    """The zero is found a little before the moment, which then counts as simultaneous."""
    mech, state = slider()
    exact = times(rg.simulate(mech, state, 1.0, events=rg.when_joint("x", 0.0, rg.STOP)))[0]
    for early in (0.0, 2e-13):
        events = [rg.at_time(exact + early, name="moment"), rg.when_joint("x", 0.0, name="zero", direction=-1)]
        traj = rg.simulate(mech, state, 0.5, events=events)
        assert sorted(name for _, name in traj.events) == ["moment", "zero"]
    assert [name for _, name in traj.events] == ["moment", "zero"]


# --- actions ------------------------------------------------------------------------------------------------------------


def test_an_event_that_is_passed_over_leaves_no_trace():
    mech, state = slider()
    seen = []

    def look(mech, state):
        seen.append(state.q[0])
        return rg.PASS

    events = [rg.when_joint("x", 0.0, look), rg.at_time(0.4, look)]
    traj = rg.simulate(mech, state, 1.0, events=events)
    assert len(seen) == 3
    assert traj.events == []
    assert len(traj.segments) == 1
    assert np.abs(traj.final[1].q[0] - 1.0) < 1e-8


def test_guards_and_actions_may_take_the_time():
    """By the number of arguments that they need; those with defaults are the user's own."""
    mech, state = slider()
    got = []

    def action(t, mech, state):
        got.append((t, state.q[0]))
        return rg.PASS if t < 0.3 else rg.STOP

    def plain(mech, state, more=None):
        assert more is None
        return mech, state

    class Moment:
        def __call__(self, t, mech, state):
            return 0.4 - t

    events = [
        rg.Event("time", lambda t, mech, state: 0.25 - t, action),
        rg.Event("object", Moment(), plain),
        rg.Event("partial", partial(lambda limit, t, mech, state: limit - t, 0.45), lambda *given: given),
        rg.at_time(0.5, action, name="stop"),
    ]
    traj = rg.simulate(mech, state, 1.0, events=events)
    assert [name for _, name in traj.events] == ["object", "partial", "stop"]
    assert np.abs(times(traj) - (0.4, 0.45, 0.5)).max() < SHORT
    assert [t for t, _ in got] == pytest.approx([0.25, 0.5], abs=SHORT)
    for t, x in got:
        assert abs(x - np.cos(2 * np.pi * t)) < 1e-8
    maximal = rg.simulate(mech, state, 1.0, events=events, coordinates="maximal")
    assert np.abs(times(maximal) - times(traj)).max() < SHORT


def test_answers_are_the_same_after_pickling():
    assert pickle.loads(pickle.dumps((rg.STOP, rg.PASS))) == (rg.STOP, rg.PASS)
    assert (repr(rg.STOP), repr(rg.PASS)) == ("STOP", "PASS")


def test_stop_ends_the_simulation_whether_given_or_returned():
    mech, state = slider()
    for action in (rg.STOP, lambda mech, state: rg.STOP):
        traj = rg.simulate(mech, state, 5.0, events=[rg.when_joint("x", 0.0, action, name="stop"), rg.at_time(1.0)])
        assert [name for _, name in traj.events] == ["stop"]
        assert abs(traj.t[-1] - 0.25) < 1e-9
        assert traj.segments[-1].event == "stop"


def test_an_action_gets_the_state_at_the_event_and_its_state_is_gone_on_from():
    mech, state = ball(1.0)
    got = []

    def bounce(mech, state):
        got.append(state)
        return mech, mech.state(q=state.q, v=-0.5 * state.v)

    traj = rg.simulate(mech, state, 0.6, events=rg.when_joint("fall", 0.0, bounce, name="bounce"))
    assert len(traj.segments) == 2
    assert got[0] == traj.segments[0].mech.state(q=traj.segments[0].q[-1], v=traj.segments[0].v[-1])
    assert abs(got[0].v[0] + np.sqrt(2 * G)) < 1e-12
    assert traj.segments[1].v[0, 0] == -0.5 * got[0].v[0]
    assert traj.segments[0].event == "bounce"
    assert traj.t[len(traj.segments[0].t) - 1] == traj.t[len(traj.segments[0].t)]  # both sides of the event


def test_an_action_may_change_the_mechanism_it_is_given():
    mech, state = ball(1.0)

    def grow(mech, state):
        mech.add_body("rider", rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint("saddle", rg.Revolute((0, 1, 0)), "ball", "rider")
        return mech, mech.state(q={"fall": state.q[0]}, v={"fall": state.v[0]})

    traj = rg.simulate(mech, state, 0.5, events=rg.at_time(0.25, grow))
    assert [list(segment.mech.bodies) for segment in traj.segments] == [["ball"], ["ball", "rider"]]
    assert list(mech.bodies) == ["ball"]


def test_changing_a_mechanism_afterwards_does_not_change_the_trajectory():
    mech, state = ball(1.0)
    traj = rg.simulate(mech, state, 0.5)
    before = traj.energy().total
    mech.add_body("late", rg.Inertia.sphere(1.0, 0.1))
    assert np.array_equal(traj.energy().total, before)
    assert "late" not in traj.mechanism(0.1).bodies


def assert_carried(traj):
    """All bodies go on from where the event left them, with the velocities that they had."""
    for before, after in zip(traj.segments, traj.segments[1:], strict=False):
        ends = [(s.mech, s.mech.state(q=s.q[i], v=s.v[i])) for s, i in ((before, -1), (after, 0))]
        for look in (rg.body_poses, rg.body_twists):
            old, new = (look(*end) for end in ends)
            for body in old:
                x, y = (
                    np.concatenate((p.rotation.ravel(), p.translation)) if look is rg.body_poses else p
                    for p in (old[body], new[body])
                )
                assert np.abs(x - y).max() < 1e-9


def test_cutting_and_rerooting_while_it_moves_keeps_the_motion_of_all_bodies():
    mech, state = arm()
    events = [
        rg.at_time(0.2, lambda mech, state: rg.reroot(mech, state, "hand"), name="reroot"),
        rg.at_time(0.4, lambda mech, state: rg.cut(mech, state, "elbow"), name="cut"),
    ]
    traj = rg.simulate(mech, state, 0.6, events=events)
    assert [segment.mech.nv for segment in traj.segments] == [12, 12, 17]
    assert_carried(traj)


def test_the_motion_is_the_same_whatever_the_root():
    mech, state = arm()
    plain = rg.simulate(mech, state, 0.6)
    events = [rg.at_time(t, lambda m, s, top=top: rg.reroot(m, s, top), name=top) for t, top in ((0.2, "fore"), (0.4, "hand"))]
    other = rg.simulate(mech, state, 0.6, events=events)
    for body in mech.bodies:
        assert np.abs(plain.body(body).position[-1] - other.body(body).position[-1]).max() < 1e-7


def test_events_refer_to_frames_and_joints_by_name_in_the_new_structure():
    """The frame's body has another row, and the joint another place in q, once the chain hangs by its other end."""
    mech, state = chain(3, 0.4)
    mech.add_frame("end", "rod2", rg.Pose(translation=(0, 0, -0.3)))

    def turn(mech, state):
        return rg.reroot(mech, state, "rod1", joint=rg.Free())

    def guard(mech, state):
        return rg.frame_position(mech, state, "end")[2] + 0.87 - 0.0 * state.v[0]

    events = [rg.at_time(0.05, turn), rg.when_frame_below("end", -0.87, name="ready"), rg.Event("python", guard)]
    traj = rg.simulate(mech, state, 1.0, events=events)
    ready, python = times(traj, "ready"), times(traj, "python")
    assert len(traj.segments) == 2
    assert len(ready) > 0
    assert np.array_equal(ready, python)
    for t in ready:
        assert abs(rg.frame_position(traj.mechanism(t), traj.state(t), "end")[2] + 0.87) < 1e-9


def test_when_joint_waits_while_its_joint_is_not_there():
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (0, 0, -1)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "rod")
    state = mech.state(q={"hinge": 0.5})
    seen = rg.when_joint("hinge", 0.0, name="lowest", missing="wait")
    gone = rg.simulate(mech, state, 2.0, events=[seen, rg.at_time(0.1, lambda m, s: rg.cut(m, s, "hinge"))])
    assert times(gone, "lowest").size == 0
    loose, floating = rg.cut(mech, state, "hinge")

    def hang(_mech, _state):
        return mech, state

    back = rg.simulate(loose, floating, 2.0, events=[seen, rg.at_time(0.1, hang)])
    assert times(back, "lowest").size > 0
    assert times(back, "lowest")[0] > 0.1


def test_a_joint_that_closes_a_loop_is_watched_through_whole_turns():
    """The crank of a four-bar goes around its coupler several times, by a joint that has no place in q."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name, length in (("crank", 0.3), ("rocker", 0.8), ("coupler", 1.0)):
        mech.add_body(name, rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (length, 0, 0)))
    hinge = rg.Revolute((0, 0, 1))
    mech.add_joint("motor", hinge, "world", "crank")
    mech.add_joint("pivot", hinge, "world", "rocker", parent_pose=rg.Pose(translation=(1, 0, 0)))
    mech.add_joint("far", hinge, "rocker", "coupler", parent_pose=rg.Pose(translation=(0.8, 0, 0)))
    mech.add_joint("near", hinge, "crank", "coupler", rg.Pose(translation=(0.3, 0, 0)), rg.Pose(translation=(1.0, 0, 0)))
    assert mech.loop_joints == ("near",)
    rough = mech.state(q={"motor": 1.5, "pivot": 1.6, "far": 2.0}, v={"motor": 5.0})
    state = rg.assemble(mech, rough, hold=("motor",))
    angle = rg.simulate(mech, state, 3.0).resample(1e-3).joint("near").q
    assert np.ptp(angle) > 4 * np.pi
    for value in np.linspace(angle.min() + 0.3, angle.max() - 0.3, 8):
        event = rg.when_joint("near", value, direction=0, name="through")
        for coordinates in ("reduced", "maximal"):
            traj = rg.simulate(mech, state, 3.0, events=event, coordinates=coordinates)
            assert len(traj.events) == np.count_nonzero(np.diff(np.sign(angle - value)))
            for t, _ in traj.events:
                assert abs(np.interp(t, np.linspace(0.0, 3.0, len(angle)), angle) - value) < 1e-4


def test_when_joint_waits_for_a_joint_that_comes_later_only_if_told_to():
    mech, state = ball(1.0)
    with pytest.raises(rg.ModelError, match=r"'hinge at 0': there is no joint 'hinge'.*missing=\"wait\""):
        rg.simulate(mech, state, 1.0, events=rg.when_joint("hinge", 0.0))
    assert rg.simulate(mech, state, 1.0, events=rg.when_joint("hinge", 0.0, missing="wait")).events == []
    with pytest.raises(rg.ModelError, match=r"'toe below': there is no frame or body 'toe'.*missing=\"wait\""):
        rg.simulate(mech, state, 1.0, events=rg.when_frame_below("toe", 0.0))
    assert rg.simulate(mech, state, 1.0, events=rg.when_frame_below("toe", 0.0, missing="wait")).events == []


def test_a_frame_that_is_not_there_for_a_while_is_not_below():
    mech, state = ball(1.0)
    bare, _ = ball()
    mech.add_frame("mark", "ball")

    def lose(_mech, state):
        return bare, bare.state(q=state.q, v=state.v)

    events = [rg.when_frame_below("mark", 0.0, name="mark"), rg.at_time(0.1, lose)]
    assert [name for _, name in rg.simulate(mech, state, 1.0, events=events).events] == ["t = 0.1"]


# --- without end --------------------------------------------------------------------------------------------------------


def with_floor(guard, restitution):
    def bounce(mech, state):
        return mech, mech.state(q=state.q, v=-restitution * state.v)

    return rg.Event("bounce", guard, bounce)


@pytest.mark.parametrize("restitution", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("guard", ["joint", "frame", "python"])
def test_a_bouncing_ball_ends_with_an_error_that_has_the_trajectory(restitution, guard):
    """The bounces have an end in time and none in number; they must not go through the floor instead."""
    mech, state = ball(1.0)
    guards = {
        "joint": rg.when_joint("fall", 0.0).guard,
        "frame": rg.when_frame_below("ball", 0.0).guard,
        "python": lambda mech, state: state.q[0],
    }
    with pytest.raises(rg.SimulationError, match=r"without end.*'bounce'") as caught:
        rg.simulate(mech, state, 30.0, events=with_floor(guards[guard], restitution))
    last = np.sqrt(2 / G) * (1 + restitution) / (1 - restitution)
    assert abs(caught.value.time - last) < 1e-6
    traj = caught.value.trajectory
    assert len(traj.events) > 8
    assert traj.joint("fall").q.min() > -1e-9
    assert abs(traj.t[-1] - last) < 1e-6


def test_an_action_that_triggers_its_own_event_again_at_once_is_stopped():
    mech, state = ball(1.0)

    def again(mech, _state):
        return mech, mech.state(q={"fall": 2e-9}, v={"fall": -100.0})

    with pytest.raises(rg.SimulationError, match=r"without end.*'again'") as caught:
        rg.simulate(mech, state, 5.0, events=rg.when_joint("fall", 0.0, again, name="again"))
    assert abs(caught.value.time - np.sqrt(2 / G)) < 1e-6
    assert len(caught.value.trajectory.events) >= 4


def test_many_different_events_at_one_time_are_no_cascade():
    mech, state = ball(1.0)
    events = [rg.when_joint("fall", 0.5 + 1e-11 * k, name=f"{k}") for k in range(50)]
    assert len(rg.simulate(mech, state, 1.0, events=events).events) == 50


# --- many ---------------------------------------------------------------------------------------------------------------


def test_ten_thousand_events_are_checked_and_watched_at_once():
    mech, state = ball(1.0)
    began = time.process_time()
    events = [rg.when_joint("fall", -1e3 - k, name=f"{k}") for k in range(5000)]
    events += [rg.when_frame_below("ball", -1e3 - k, name=f"frame {k}") for k in range(5000)]
    traj = rg.simulate(mech, state, 1.0, events=events)
    assert traj.events == []
    assert time.process_time() - began < 2.0  # a quarter of that as a rule


def test_many_zeros_in_one_step_come_in_their_order():
    """Whatever the order in which the events are given; far more of them than steps."""
    mech, state = ball(1.0)
    heights = np.random.default_rng(1).permutation(np.linspace(0.01, 0.99, 200))
    events = [rg.when_joint("fall", height, name=f"{k}") for k, height in enumerate(heights)]
    traj = rg.simulate(mech, state, 0.45, events=events)
    order = np.array([int(name) for _, name in traj.events])
    assert np.array_equal(order, np.argsort(-heights))
    assert np.abs(times(traj) - np.sqrt(2.0 * (1.0 - heights[order]) / G)).max() < SHORT


def test_ten_thousand_moments(monkeypatch):
    mech, state = ball(1.0)
    events = [rg.at_time(1e-5 * k, name=f"{k}") for k in range(10_000)]
    compared = []
    monkeypatch.setattr(rg.Event, "__eq__", lambda one, other: compared.append(one) or one is other)
    traj = rg.simulate(mech, state, 0.1, events=events[::-1])
    assert [name for _, name in traj.events] == [event.name for event in events]
    assert len(compared) < 10 * len(events)  # as many as pairs would take minutes
