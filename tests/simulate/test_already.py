"""Events whose guards are beyond zero where a segment starts."""

import warnings

import numba
import numpy as np
import pytest

import regraft as rg
from regraft.simulate.cascades import ENDLESS
from simple_mechanisms import G, arm, ball, slider


def names(traj):
    return [name for _, name in traj.events]


def loaded(mass=10.0):
    """A load that hangs on a hook."""
    mech = rg.Mechanism()
    mech.add_body("load", rg.Inertia.sphere(mass, 0.1))
    mech.add_joint("hook", rg.Fixed(), "world", "load")
    return mech, mech.state()


def strength(mech, state):
    """What is left of the 50 N that the hook can bear."""
    return 50.0 - np.linalg.norm(rg.joint_reactions(mech, state)["hook"][3:]) if "hook" in mech.joints else 1.0


def tear(mech, state):
    return rg.cut(mech, state, "hook")


# --- at the start of a run ----------------------------------------------------------------------------------------------


def test_a_joint_that_is_loaded_too_much_from_the_start_breaks_at_once():
    mech, state = loaded()
    traj = rg.simulate(mech, state, 0.5, events=rg.Event("break", strength, tear, already="fire"))
    assert traj.events == [(0.0, "break")]
    assert traj.body("load").position[-1, 2] == pytest.approx(-0.125 * G, rel=1e-12)
    light = rg.simulate(*loaded(5.0), 0.5, events=rg.Event("break", strength, tear, already="fire"))
    assert light.events == []


def test_without_a_choice_a_guard_beyond_zero_warns_once_and_waits():
    mech, state = loaded()
    heavier = rg.Mechanism((0, 0, -20.0))
    heavier.add_body("load", rg.Inertia.sphere(10.0, 0.1))
    heavier.add_joint("hook", rg.Fixed(), "world", "load")
    changes = [rg.at_time(t, lambda m, s, to=to: (to, to.state())) for t, to in ((0.1, heavier), (0.2, mech))]
    with pytest.warns(rg.RegraftWarning, match=r"'break'.*t = 0.*already=\"fire\"") as caught:
        traj = rg.simulate(mech, state, 0.5, events=[rg.Event("break", strength, tear), *changes])
    assert len(caught) == 1
    assert caught[0].filename == __file__  # the line that can be changed
    assert names(traj) == ["t = 0.1", "t = 0.2"]
    assert len(traj.segments) == 3


@pytest.mark.parametrize("already", ["wait", "fire"])
def test_with_a_choice_nothing_warns(already):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traj = rg.simulate(*loaded(), 0.1, events=rg.Event("break", strength, tear, already=already))
    assert names(traj) == (["break"] if already == "fire" else [])


@pytest.mark.parametrize(("direction", "start", "fires"), [(-1, -0.5, True), (-1, 0.5, False), (1, 0.5, True), (1, -0.5, False)])
def test_what_counts_as_beyond_is_the_side_to_which_the_direction_leads(direction, start, fires):
    mech, state = slider(start)
    event = rg.when_joint("x", 0.0, direction=direction, already="fire", name="through")
    traj = rg.simulate(mech, state, 0.2, events=event)
    assert traj.events == ([(0.0, "through")] if fires else [])


def test_with_both_directions_neither_side_is_beyond():
    for start in (-0.5, 0.5):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for already in (None, "fire", "wait"):
                event = rg.Event("through", lambda mech, state: state.q[0], direction=0, already=already)
                assert rg.simulate(*slider(start), 0.2, events=event).events == []


def test_an_event_that_has_fired_at_the_start_fires_again_when_the_guard_comes_back():
    """x = −cos(2π t) goes down through zero at 3/4."""
    mech, state = slider(-1.0)
    for already, times in (("fire", [0.0, 0.75]), ("wait", [0.75])):
        event = rg.when_joint("x", 0.0, direction=-1, already=already)
        assert [t for t, _ in rg.simulate(mech, state, 1.0, events=event).events] == pytest.approx(times, abs=1e-9)


@numba.njit
def compiled(t, q, v):
    return q[0]


GUARDS = {
    "ready-made": rg.when_joint("x", 0.0).guard,
    "python": lambda mech, state: mech.joint_position(state, "x")[0],
    "numba": compiled,
}


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
@pytest.mark.parametrize("guard", ["ready-made", "python", "numba"])
def test_all_kinds_of_guards_in_all_coordinates(guard, coordinates):
    mech, state = slider(-1.0)
    event = rg.Event("below", GUARDS[guard], already="fire")
    assert rg.simulate(mech, state, 0.1, coordinates=coordinates, events=event).events == [(0.0, "below")]


def test_a_frame_below_the_ground_has_met_it():
    mech, state = ball(-0.1)
    assert rg.simulate(mech, state, 1.0, events=rg.when_frame_below("ball", 0.0, rg.STOP)).t[-1] == 0.0
    waits = rg.simulate(mech, state, 1.0, events=rg.when_frame_below("ball", 0.0, rg.STOP, already="wait"))
    assert waits.t[-1] == 1.0
    joint = rg.simulate(mech, state, 1.0, events=rg.when_joint("fall", 0.0, rg.STOP, direction=-1))
    assert joint.t[-1] == 1.0


def test_a_run_of_no_duration_sees_it_too():
    assert rg.simulate(*ball(-0.1), 0.0, events=rg.when_frame_below("ball", 0.0)).events == [(0.0, "ball below")]


def test_events_at_the_start_act_in_the_order_given_together_with_moments():
    mech, state = ball(-0.1)
    order = []

    def note(name):
        return lambda mech, state: (order.append(name), (mech, mech.state(v=[len(order)])))[1]

    events = [
        rg.when_frame_below("ball", 0.0, note("first"), name="first"),
        rg.at_time(0.0, note("second"), name="second"),
        rg.Event("third", lambda mech, state: state.q[0], note("third"), already="fire"),
        rg.at_time(0.0, note("fourth"), name="fourth"),
    ]
    traj = rg.simulate(mech, state, 0.1, events=events)
    assert order == names(traj) == ["first", "second", "third", "fourth"]
    assert len(traj.segments) == 2
    assert traj.segments[1].v[0, 0] == 4.0


def test_an_event_at_the_start_may_be_passed_over():
    traj = rg.simulate(*ball(-0.1), 0.2, events=rg.when_frame_below("ball", 0.0, lambda mech, state: rg.PASS))
    assert traj.events == []
    assert len(traj.segments) == 1


# --- at the start of a later segment --------------------------------------------------------------------------------------


def test_a_joint_that_takes_hold_of_too_much_breaks_where_it_takes_hold():
    mech, state = loaded()
    loose, falling = rg.cut(mech, state, "hook")
    hang = rg.at_time(0.3, lambda m, s: rg.connect(m, s, "world", "load", joint=rg.Fixed(), name="hook"), name="hang")
    event = rg.Event("break", strength, tear, already="fire")
    traj = rg.simulate(loose, falling, 0.5, events=[event, hang])
    assert traj.events == [(0.3, "hang"), (0.3, "break")]
    assert [len(segment.t) > 1 for segment in traj.segments] == [True, False, True]
    with pytest.warns(rg.RegraftWarning, match=r"'break'.*t = 0\.3"):
        kept = rg.simulate(loose, falling, 0.5, events=[rg.Event("break", strength, tear), hang])
    assert names(kept) == ["hang"]


def test_an_event_whose_own_action_leaves_its_guard_beyond_zero_waits():
    def lower(mech, state):
        return mech, mech.state(q=[-1.0], v=[0.0])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traj = rg.simulate(*ball(1.0), 1.0, events=rg.when_frame_below("ball", 0.0, lower))
        assert len(traj.events) == 1
        plain = rg.Event("own", lambda mech, state: state.q[0], lower)
        assert len(rg.simulate(*ball(1.0), 1.0, events=plain).events) == 1


def test_an_event_whose_guard_stays_beyond_zero_does_not_fire_again_with_later_segments():
    """It fires where the guard comes to be beyond zero: at the start, through zero, or by a change."""

    def faster(mech, state):
        return mech, mech.state(q=state.q, v=1.1 * state.v)

    changes = [rg.at_time(t, faster) for t in (0.2, 0.6, 0.7)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for height in (1.0, -1.0):
            for action in (None, faster, lambda mech, state: rg.PASS):
                asked = []

                def guard(mech, state):
                    return state.q[0]

                def act(mech, state, asked=asked, action=action):
                    asked.append(state.q[0])
                    return (mech, state) if action is None else action(mech, state)

                event = rg.Event("below", guard, act, already="fire")
                rg.simulate(*ball(height, -0.1), 1.0, events=[event, *changes])
                assert len(asked) == 1


def test_an_event_fires_again_where_a_change_takes_its_guard_beyond_zero_again():
    def lift(mech, state):
        return mech, mech.state(q=[1.0], v=[0.0])

    def sink(mech, state):
        return mech, mech.state(q=[-1.0], v=[0.0])

    changes = [rg.at_time(t, action, name=f"{t}") for t, action in ((0.1, lift), (0.2, sink), (0.3, lift), (0.4, sink))]
    traj = rg.simulate(*ball(-1.0), 0.5, events=[*changes, rg.when_frame_below("ball", 0.0, name="below")])
    assert [t for t, name in traj.events if name == "below"] == [0.0, 0.2, 0.4]


def test_two_events_that_undo_each_other_are_a_cascade():
    """A foot that leaves and touches at one instant, for ever."""
    mech, state = slider(1.0)
    up = rg.Event("up", lambda mech, state: state.q[0], lambda m, s: (m, m.state(q=[1.0])), already="fire")
    down = rg.Event("down", lambda mech, state: -state.q[0], lambda m, s: (m, m.state(q=[-1.0])), already="fire")
    with pytest.raises(rg.SimulationError, match=r"without end at t = 0: 'down', 'up'"):
        rg.simulate(mech, state, 1.0, events=[up, down])


def test_a_chain_of_many_different_events_at_one_instant_is_no_cascade():
    mech, state = slider(0.5)

    def step(k):
        return rg.Event(
            f"{k}", lambda m, s: k + 1.25 - s.q[0], lambda m, s: (m, m.state(q=[s.q[0] + 1.0], v=s.v)), already="fire"
        )

    first = rg.at_time(0.0, lambda m, s: (m, m.state(q=[1.5])), name="first")
    traj = rg.simulate(mech, state, 1e-3, events=[first, *(step(k) for k in range(150))])
    assert len(traj.events) == 151 > ENDLESS


# --- guards at zero -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("speed", "when"), [(-1.0, 1e-8), (-1e-3, 1e-5), (0.0, np.sqrt(2e-8 / G))])
def test_a_guard_at_zero_that_goes_beyond_fires_as_soon_as_it_is(speed, when):
    """A ball that lies on the floor, and one that has just come there."""
    traj = rg.simulate(*ball(0.0, speed), 1.0, events=rg.when_frame_below("ball", 0.0, rg.STOP))
    assert traj.t[-1] == pytest.approx(when, rel=0.05)
    assert traj.final[1].q[0] == pytest.approx(-1e-8, rel=1e-6)
    waits = rg.simulate(*ball(0.0, speed), 1.0, events=rg.when_frame_below("ball", 0.0, rg.STOP, already="wait"))
    assert waits.t[-1] == 1.0


def test_a_foot_that_is_held_on_the_ground_is_not_below_it():
    """By a joint of the tree, and by one that closes a loop; other events make new segments meanwhile."""
    mech = rg.Mechanism()
    for name in ("thigh", "shank"):
        mech.add_body(name, rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (0, 0, -0.5)))
    mech.add_joint("hip", rg.Planar((0, 1, 0)), "world", "thigh")
    mech.add_joint("knee", rg.Revolute((0, 1, 0)), "thigh", "shank", parent_pose=rg.Pose(translation=(0, 0, -0.5)))
    mech.add_frame("foot", "shank", rg.Pose(translation=(0, 0, -0.5)))
    state = mech.state(q={"knee": 0.9}, v={"knee": 1.0})
    foot, hinge = rg.frame_position(mech, state, "foot"), rg.Revolute((0, 1, 0))
    by_loop = rg.connect(mech, state, "world", "shank", joint=hinge, at=foot, name="stance")
    by_tree = rg.reroot(mech, state, "shank", at=foot, joint=hinge, name="stance", velocity="impact")
    changes = [rg.at_time(t, lambda m, s: (m, m.state(q=s.q, v=0.9 * s.v))) for t in (0.0, 0.05, 0.1, 0.15)]
    for held, still in (by_loop, by_tree):
        for coordinates in ("reduced", "maximal"):
            events = [rg.when_frame_below("foot", foot[2]), *changes]
            traj = rg.simulate(held, still, 0.2, events=events, coordinates=coordinates)
            assert "foot below" not in names(traj)
            assert np.abs(np.diff(traj.body("thigh").position[:, 2])).max() > 1e-3  # it moves


# --- bad values -----------------------------------------------------------------------------------------------------------


def test_bad_choices():
    with pytest.raises(rg.ModelError, match='already must be "fire" or "wait"'):
        rg.Event("e", lambda mech, state: 1.0, already="maybe")
    with pytest.raises(rg.ModelError, match='already must be "fire" or "wait"'):
        rg.when_joint("x", 0.0, already=True)


def test_a_guard_that_fails_at_the_start():
    mech, state = arm()

    def fails(mech, state):
        raise ZeroDivisionError("oops")

    with pytest.raises(rg.SimulationError, match="guard of event 'e' failed near t = 0: ZeroDivisionError: oops"):
        rg.simulate(mech, state, 1.0, events=rg.Event("e", fails, already="fire"))
