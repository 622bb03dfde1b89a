"""A run that comes back to a structure goes on there as if everything were made again, to the last bit."""

from __future__ import annotations

import gc
import pickle
import threading
import weakref
from dataclasses import replace

import numpy as np
import pytest
from numba import njit

import regraft as rg
from regraft.simulate.events import check_events
from regraft.simulate.progress import Progress
from regraft.simulate.run import Run
from regraft.simulate.settings import Options, method_of, settings_of
from walkers import COMPASS_SLOPE, two_legs


def made_again(mech, state, duration, events, integrator="dopri5", start=0.0, **options):
    """The run that makes each mechanism and each runner."""
    method = method_of(integrator)
    settings = settings_of(method, mech, Options(**options))
    return Run(method, settings, check_events(events, mech), start, start + duration, False).from_state(mech.copy(), state)


def assert_identical(found, wanted):
    assert found.events == wanted.events
    assert (found.steps, found.rejected) == (wanted.steps, wanted.rejected)
    for one, other in zip(found.segments, wanted.segments, strict=True):
        assert one.event == other.event
        for mine, theirs in ((one.t, other.t), (one.x, other.x), (one.terms, other.terms), (one.sizes, other.sizes)):
            assert np.array_equal(mine, theirs) if mine is not None else theirs is None
        assert one.mech.same_as(other.mech)
        parts = zip(one.mech.structure.description, other.mech.structure.description, strict=True)
        assert all(np.array_equal(mine, theirs) for mine, theirs in parts)
    assert np.array_equal(found.final[1]._x, wanted.final[1]._x)


def returns_of(traj):
    """How many segments begin in a structure that was there before."""
    return len(traj.segments) - 3


def turned_walker():
    """The compass biped with a base joint that is turned against the world, and a name for the base joint of each foot."""
    hinge = rg.Revolute((0, 1, 0))
    legs, foot = two_legs(rg.Inertia.point(1.0, at=(0, 0, -0.5)), 2.0), rg.Pose(translation=(0, 0, -1))
    mech = rg.Mechanism()
    for name, body in legs.bodies.items():
        mech.add_body(name, body.inertia)
        mech.add_frame(f"{name} foot", name, foot)
    mech.add_joint("left foot_base", hinge, "world", "left", rg.Pose.about((0, 1, 0), 0.2), foot)
    mech.add_joint("hip", hinge, "left", "right")
    state = mech.state(q={"left foot_base": 0.0188, "hip": -0.5424}, v={"left foot_base": -1.0917, "hip": 0.7156})
    slope = np.tan(COMPASS_SLOPE)
    events = [
        rg.when_frame_below(
            f"{side} foot", 0.0, rg.strike(f"{side} foot", hinge, past=f"{other} foot", along=(-1, 0, 0), least=1e-6), slope,
            f"{side} strike",
        )
        for side, other in (("left", "right"), ("right", "left"))
    ]  # fmt: skip
    return mech, state, events


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"integrator": "dop853"},
        {"integrator": "rk4", "step": 2e-3},
        {"every": 3},
        {"rtol": 1e-5, "atol": 1e-6, "step": 0.05},
        {"start": 3.5},
    ],
)
def test_a_walk_is_the_same_whatever_was_run_before(options):
    biped = rg.models.compass_biped()
    mech, state = biped.start
    wanted = made_again(mech, state, 8.0, biped.events, **options)
    assert returns_of(wanted) >= 5
    for _ in range(3):
        assert_identical(rg.simulate(mech, state, 8.0, events=biped.events, **options), wanted)
    other = state.replace(v=1.03 * state.v)
    assert_identical(
        rg.simulate(mech, other, 6.0, events=biped.events, **options), made_again(mech, other, 6.0, biped.events, **options)
    )


def test_base_joints_may_be_turned_and_have_names_of_their_own():
    mech, state, events = turned_walker()
    wanted = made_again(mech, state, 8.0, events)
    assert returns_of(wanted) >= 5
    assert list(wanted.final[0].former_bases) == ["left foot_base", "right foot_base"][:: 1 if len(wanted.segments) % 2 else -1]
    for _ in range(3):
        assert_identical(rg.simulate(mech, state, 8.0, events=events), wanted)


def test_a_run_on_known_ways_is_refused_as_any_other():
    biped = rg.models.compass_biped()
    mech, state = biped.start
    rtol = np.array(1e-9)

    def walk(mech=mech, events=biped.events, **options):
        return rg.simulate(mech, state, 4.0, events=events, **options)

    for options in ({"every": 1}, {"rtol": rtol}, {}):
        walk(**options), walk(**options)
    rtol[...] = -1.0
    with pytest.raises(rg.ModelError, match="rtol and atol must be positive"):
        walk(rtol=rtol)
    walk(every=1), walk(every=1)
    with pytest.raises(rg.ModelError, match="every must be a whole number"):
        walk(every=True)
    walk(), walk()
    with pytest.raises(rg.ModelError, match="different names"):
        walk(events=[*biped.events, biped.events[0]])
    with pytest.raises(rg.ModelError, match="no frame or body 'left foot'"):
        walk(mech.without("left foot"))
    with pytest.raises(rg.SimulationError, match="max_steps = 50"):
        walk(max_steps=50)


@pytest.mark.parametrize("past", ["the other foot", "a mark on the world", "a frame that is not there"])
def test_the_loop_goes_on_where_a_strike_is_passed_over(monkeypatch, past):
    mech, state, events = turned_walker()
    mech.add_frame("mark", "world", rg.Pose(translation=(-0.6, 0.0, 0.0)))
    if past == "a mark on the world":
        events = [replace(e, action=replace(e.action, past=replace(e.action.past, frame="mark"))) for e in events]
    if past == "a frame that is not there":
        events[0] = replace(events[0], action=replace(events[0].action, past=replace(events[0].action.past, frame="elsewhere")))
    stops, happen = [], Run.happen
    monkeypatch.setattr(Run, "happen", lambda run, runner, hit: stops.append(runner.t) or happen(run, runner, hit))

    def walk(events):
        stops.clear()
        try:
            return rg.simulate(mech, state, 3.0, events=events), len(stops)
        except rg.SimulationError as problem:
            return problem.trajectory, len(stops)

    in_functions, often = walk([replace(event, action=lambda *given, act=event.action: act(*given)) for event in events])
    for _ in range(2):
        found, seldom = walk(events)
        assert_identical(found, in_functions)
        assert seldom == len(found.events) + 1 < often if past == "the other foot" else seldom <= often


@njit
def ankle(t, q, v, out):
    out[0] = -0.02 * v[0]
    out[1] = 0.05 * np.sin(3.0 * t)


LAW = rg.law(("stance", "hip"), ankle)


@pytest.mark.parametrize(
    "driven",
    [
        {"torque": LAW},
        {"torque": lambda t, mech, state: {"hip": 0.05 * np.sin(3.0 * t)}},
        {"torque": {"hip": 0.01}},
        {"wrenches": {"left": (0, 0, 0, -0.05, 0, 0)}},
        {"wrenches": lambda t, mech, state: {"left": (0, 0, 0, -0.05, 0, 0)}},
        {"max_steps": 100_000},
    ],
    ids=["law", "function", "constant", "wrench", "wrench function", "numbers"],
)
def test_whatever_drives_a_walk_it_is_the_same(driven):
    biped = rg.models.compass_biped()
    mech, state = biped.start
    wanted = made_again(mech, state, 6.0, biped.events, **driven)
    assert returns_of(wanted) >= 3
    for _ in range(3):
        found = rg.simulate(mech, state, 6.0, events=biped.events, **driven)
        assert_identical(found, wanted)
        assert all(np.array_equal(found.torques()[name], wanted.torques()[name], equal_nan=True) for name in ("stance", "hip"))


def test_other_events_come_in_between():
    biped = rg.models.compass_biped()
    mech, state = biped.start
    seen = []

    def push(mech, state):
        seen.append(rg.frame_position(mech, state, "left foot"))
        return mech, state.replace(v=1.02 * state.v)

    def look(t, mech, state):
        seen.append(rg.frame_position(mech, state, "right foot"))
        return rg.PASS

    def hold(mech, state):
        mech.add_frame("mark", "world", rg.Pose(translation=rg.frame_position(mech, state, "left foot")))
        return mech, state

    events = (
        *biped.events,
        rg.at_time(4.0, push, "push"),
        rg.at_time(5.5, look, "look"),
        rg.at_time(7.2, hold, "hold"),
        rg.when_joint("hip", 0.0, name="legs pass"),
        rg.at_time(12.0, rg.STOP, "enough"),
    )
    wanted, told = made_again(mech, state, 15.0, events), [*seen]
    assert returns_of(wanted) >= 10
    assert {"push", "hold", "legs pass", "enough"} <= {name for _, name in wanted.events}
    for _ in range(2):
        seen.clear()
        assert_identical(rg.simulate(mech, state, 15.0, events=events), wanted)
        assert np.array_equal(seen, told)


def test_a_fall_stops_it():
    biped = rg.models.compass_biped()
    mech, state = biped.start
    begun = state.replace(v=1.15 * state.v)
    wanted = made_again(mech, begun, 40.0, biped.events)
    for _ in range(3):
        rg.simulate(mech, state, 5.0, events=biped.events)
        assert_identical(rg.simulate(mech, begun, 40.0, events=biped.events), wanted)


@njit
def breaks_off(t, q, v, out):
    out[0] = np.nan if t > 4.2 else 0.0


def test_an_error_has_the_trajectory_so_far_and_the_next_run_is_as_ever():
    biped = rg.models.compass_biped()
    mech, state = biped.start
    driven = {"torque": rg.law(("hip",), breaks_off)}
    rg.simulate(mech, state, 8.0, events=biped.events)
    with pytest.raises(rg.SimulationError) as wanted:
        made_again(mech, state, 8.0, biped.events, **driven)
    with pytest.raises(rg.SimulationError) as found:
        rg.simulate(mech, state, 8.0, events=biped.events, **driven)
    assert str(found.value) == str(wanted.value)
    assert returns_of(wanted.value.trajectory) >= 3
    assert_identical(found.value.trajectory, wanted.value.trajectory)
    again = rg.simulate(mech, state, 8.0, events=biped.events)
    assert_identical(again, made_again(mech, state, 8.0, biped.events))


def test_ctrl_c_leaves_what_there_is(monkeypatch):
    biped = rg.models.compass_biped()
    mech, state = biped.start
    wanted = made_again(mech, state, 8.0, biped.events)
    for _ in range(2):
        rg.simulate(mech, state, 8.0, events=biped.events)

    def interrupt(self, t):
        if t > 5.0:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "update", interrupt)
        cut_short = rg.simulate(mech, state, 8.0, events=biped.events)
    assert cut_short.interrupted
    assert 5.0 < cut_short.t[-1] < 6.0
    for one, other in zip(cut_short.segments[:-1], wanted.segments, strict=False):
        assert np.array_equal(one.x, other.x)
        assert one.mech.same_as(other.mech)
    assert_identical(rg.simulate(mech, state, 8.0, events=biped.events), wanted)


def test_mechanisms_of_segments_do_not_hang_together(tmp_path):
    biped = rg.models.compass_biped()
    mech, state = biped.start
    wanted = made_again(mech, state, 8.0, biped.events)
    for _ in range(3):
        found = rg.simulate(mech, state, 8.0, events=biped.events)
    found.segments[3].mech.add_frame("mark", "left")
    assert "mark" not in found.segments[4].mech.frames
    assert found.segments[3].mech is found.segments[3].mech
    assert not found.segments[3].mech.same_as(wanted.segments[3].mech)
    assert all(found.segments[k].mech.same_as(wanted.segments[k].mech) for k in (0, 1, 2, 4, 5))
    assert_identical(pickle.loads(pickle.dumps(rg.simulate(mech, state, 8.0, events=biped.events))), wanted)
    rg.simulate(mech, state, 8.0, events=biped.events).save(tmp_path / "walk.npz")
    assert_identical(rg.load(tmp_path / "walk.npz"), wanted)


def test_nothing_of_a_run_is_kept_but_the_ways():
    biped = rg.models.compass_biped()
    mech, state = biped.start
    for _ in range(3):
        walk = rg.simulate(mech, state, 8.0, events=biped.events)
    left = [weakref.ref(segment.mech) for segment in walk.segments[3:]]
    del walk
    gc.collect()
    assert [one() for one in left] == [None] * len(left)


def test_frames_and_events_are_those_of_each_run():
    biped = rg.models.compass_biped()
    bare, state = biped.start
    runs = []
    for height in (0.0, 0.3):
        mech = bare.copy()
        mech.add_frame("knee", "left", rg.Pose(translation=(0, 0, -0.5 - height)))
        runs.append(mech)
    watch = rg.when_frame_below("knee", 0.35, name="low", already="wait")
    events = (*biped.events, watch)
    wanted = [made_again(mech, state, 6.0, events) for mech in runs]
    assert wanted[0].events != wanted[1].events
    for _ in range(3):
        for mech, run in zip(runs, wanted, strict=True):
            assert_identical(rg.simulate(mech, state, 6.0, events=events), run)
        assert_identical(rg.simulate(bare, state, 6.0, events=biped.events), made_again(bare, state, 6.0, biped.events))
        lighter = made_again(runs[0], state, 6.0, events, rtol=1e-6)
        assert_identical(rg.simulate(runs[0], state, 6.0, events=events, rtol=1e-6), lighter)


def test_threads_do_not_go_each_other_s_ways():
    biped = rg.models.compass_biped()
    mech, state = biped.start
    wanted = {share: made_again(mech, state.replace(v=share * state.v), 6.0, biped.events) for share in (0.99, 1.0, 1.01, 1.02)}
    found = {}

    def walk(share):
        found[share] = [rg.simulate(mech, state.replace(v=share * state.v), 6.0, events=biped.events) for _ in range(5)]

    threads = [threading.Thread(target=walk, args=(share,)) for share in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for share, runs in found.items():
        for run in runs:
            assert_identical(run, wanted[share])


def test_no_mechanism_is_made_on_the_way(monkeypatch):
    biped = rg.models.compass_biped()
    mech, state = biped.start
    for _ in range(2):
        rg.simulate(mech, state, 8.0, events=biped.events)
    with monkeypatch.context() as patch:
        patch.setattr(rg.Mechanism, "with_base", None)
        walk = rg.simulate(mech, state, 8.0, events=biped.events)
    assert len(walk.segments) > 8
    assert list(walk.final[0].joints) == ["stance", "hip"]


def test_a_body_that_is_put_on_a_new_base_in_the_structure_that_it_has():
    mech = rg.Mechanism()
    mech.add_body("leg", rg.Inertia.box(1.0, (0.2, 0.3, 1.0)))
    mech.add_joint("toe_base", rg.Free(), "world", "leg")
    mech.add_frame("toe", "leg")
    mech.add_spring("bounce", "world", (0, 0, 0), "leg", (0, 0, 0), stiffness=200.0)
    lands = rg.when_frame_below("toe", 0.0, rg.strike("toe", rg.Free()), name="lands")
    state = mech.state(q={"toe_base": (0.1, 0, 0.3, 1, 0, 0, 0)}, v={"toe_base": (0, 0.1, 0, 0.2, 0, 0)})
    wanted = made_again(mech, state, 4.0, [lands])
    assert len(wanted.segments) > 4
    for _ in range(3):
        assert_identical(rg.simulate(mech, state, 4.0, events=lands), wanted)


def test_two_walkers_in_one_mechanism():
    model = rg.models.compass_biped()
    one, state = model.start
    both = rg.merge(one, one, prefix="b ")
    events = [
        rg.when_frame_below(
            f"{who}{side} foot", 0.0,
            rg.strike(f"{who}{side} foot", rg.Revolute((0, 1, 0)), f"{who}stance", past=f"{who}{other} foot", along=(-1, 0, 0),
                      least=1e-6),
            np.tan(COMPASS_SLOPE), f"{who}{side} strike",
        )
        for who in ("", "b ")
        for side, other in (("left", "right"), ("right", "left"))
    ]  # fmt: skip
    q = {f"{who}{joint}": state[joint].q for who in ("", "b ") for joint in ("stance", "hip")}
    v = {f"{who}{joint}": share * state[joint].v for who, share in (("", 1.0), ("b ", 1.03)) for joint in ("stance", "hip")}
    start = both.state(q=q, v=v)
    wanted = made_again(both, start, 5.0, events)
    assert len(wanted.segments) > 9
    for _ in range(3):
        assert_identical(rg.simulate(both, start, 5.0, events=events), wanted)
