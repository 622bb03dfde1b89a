"""Grips and releases without Python are those of `simulate`, to rounding; so are several in turn, and those structures choose."""

from __future__ import annotations

import numpy as np
import pytest

import regraft as rg
from regraft.gait.match import apart, moved
from regraft.gait.sensitivity import passage_derivative
from regraft.simulate import course_changes
from regraft.simulate.course import Course
from regraft.simulate.course_links import NotReadyError, chain
from regraft.simulate.settings import Options, method_of, settings_of

HINGE = rg.Revolute((0, 1, 0))


def course_of(mech, events, longest=10.0):
    method = method_of("dopri5")
    settings = settings_of(method, mech, Options(None, None, rtol=1e-9, atol=1e-10, step=None))
    return Course(mech, events, method, settings, [event.name for event in events], longest)


def assert_same(mech, state, events, returns, tolerance=1e-10):
    """A course comes to the same states at the same times as a simulation; the simulation."""
    walk = course_of(mech, events).walk(state, returns)
    assert walk.end == "done"
    traj = rg.simulate(mech, state, walk.times[-1] + 0.01, events=events)
    happened = [t for t, _ in traj.events]
    assert np.abs(walk.times - happened[:returns]).max() < tolerance
    for x, segment in zip(walk.states, traj.segments[1:], strict=False):
        size = segment.mech.nq + segment.mech.nv
        assert np.abs(segment.x[0] - x[:size]).max() < tolerance
        assert not x[size:].any()
    return traj


def chained(base, *others):
    """Rods of 1 m, one below the other."""
    mech = rg.Mechanism()
    mech.add_frame("peg", "world", rg.Pose(translation=(0, 0, -0.5)))
    for k, joint in enumerate((base, *others)):
        mech.add_body(f"rod {k}", rg.Inertia.box(1.0, (0.1, 0.2, 1.0)) if k else rg.Inertia.box(2.0, (0.2, 0.1, 1.0)))
        above = "world" if k == 0 else f"rod {k - 1}"
        on_parent = rg.Pose(translation=(0, 0, 0.0 if k == 0 else -0.5))
        mech.add_joint(f"joint {k}", joint, above, f"rod {k}", on_parent, rg.Pose(translation=(0, 0, 0.5)))
        mech.add_frame(f"end {k}", f"rod {k}", rg.Pose(translation=(0, 0, -0.5)))
    return mech


# --- releases --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", [rg.Revolute((1, 2, 0)), rg.Universal((1, 0, 0), (0, 1, 0)), rg.Spherical()], ids=repr)
def test_what_is_released_flies_on(joint):
    mech = chained(HINGE, joint, rg.Spherical())
    state = mech.state(q={"joint 0": -0.8}, v={"joint 2": (0.3, 0.2, -0.4)})
    events = [
        rg.when_joint("joint 0", 0.3, rg.release("joint 1"), direction=1, name="lets go", missing="wait"),
        rg.when_joint("joint 0", 0.0, rg.release("joint 0"), direction=-1, name="flies", missing="wait"),
        rg.when_frame_below("end 2", -12.0, rg.release("joint 2"), name="falls apart"),
    ]
    traj = assert_same(mech, state, events, 3)
    assert [name for _, name in traj.events] == ["lets go", "flies", "falls apart"]
    free = [name for name, joint in traj.final[0].joints.items() if isinstance(joint.type, rg.Free)]
    assert free == ["rod 0_free", "rod 1_free", "rod 2_free"]


def test_what_flies_lands_and_takes_off_again():
    """From the hinge into flight and back to a foot, over and over: a rod that is thrown from end to end."""
    mech = chained(HINGE)
    mech.add_frame("start", "rod 0", rg.Pose(translation=(0, 0, 0.5)))
    events = [
        rg.when_joint("joint 0", 0.9, rg.release("joint 0"), direction=1, name="flies", missing="wait"),
        rg.when_frame_below("start", -4.0, rg.strike("start", rg.Spherical(), "stands"), slope=0.3, name="lands"),
        rg.when_frame_below("end 0", -4.2, rg.in_turn(rg.strike("end 0", rg.Free(), "off")), slope=0.3, name="takes off"),
    ]
    traj = assert_same(mech, mech.state(q={"joint 0": -1.5}, v={"joint 0": 2.0}), events, 3)
    assert [name for _, name in traj.events][:3] == ["flies", "takes off", "lands"]


# --- one joint for another -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grasp", [HINGE, rg.Spherical(), rg.Universal((1, 0, 0), (0, 1, 0))], ids=repr)
def test_a_hand_that_meets_a_peg_holds_on_there(grasp):
    mech = chained(HINGE, rg.Spherical())
    catch = rg.in_turn(rg.grip("rod 0", "world", grasp, "grasp", at="peg"), rg.release("joint 0"))

    def lets_go(mech):
        return rg.PASS if "joint 0" in mech.joints else rg.release("joint 1")

    events = [
        rg.when_joint("joint 0", 0.0, catch, direction=1, name="catches", missing="wait"),
        rg.when_frame_below("end 0", -0.99, rg.by_structure(lets_go), name="loses", already="wait"),
    ]
    state = mech.state(q={"joint 0": -0.9}, v={"joint 1": (0.5, 3.0, 0.2)})
    traj = assert_same(mech, state, events, 2)
    assert [name for _, name in traj.events][:2] == ["catches", "loses"]
    first, second = traj.segments[:2]
    before, after = (rg.energy(s.mech, s.state(t)).kinetic for s, t in ((first, first.t[-1]), (second, second.t[0])))
    assert after < 0.9 * before  # it is caught with an impact


@pytest.mark.parametrize("holds", ["peg", "rod"])
def test_the_same_joint_may_hold_on_at_different_pegs(holds):
    mech = chained(HINGE, rg.Spherical())
    mech.add_frame("other peg", "world", rg.Pose(translation=(-0.5 * np.sin(0.5), 0, -0.5 * np.cos(0.5))))

    def caught(peg):
        hand, to, at = ("rod 0", "world", peg) if holds == "rod" else (peg, "rod 0", "rod 0")
        return rg.in_turn(rg.grip(hand, to, HINGE, "grasp", at=at), rg.release("joint 0"))

    def lets_go(mech):
        return rg.PASS if "joint 0" in mech.joints else rg.release("joint 1")

    events = [
        rg.when_joint("joint 0", 0.0, caught("peg"), direction=1, name="catches", missing="wait"),
        rg.when_joint("joint 0", 0.5, caught("other peg"), direction=-1, name="catches there", missing="wait"),
        rg.when_frame_below("end 0", -0.93, rg.by_structure(lets_go), name="loses", already="wait"),
    ]
    course, places = course_of(mech, events), []
    for angle in (-0.9, 0.9, -0.9, 0.9):
        state = mech.state(q={"joint 0": angle}, v={"joint 1": (0.5, 3.0, 0.2)})
        walk = course.walk(state, 2)
        places.append(walk.places.tolist())
        traj = rg.simulate(mech, state, walk.times[-1] + 0.01, events=events)
        assert [name for _, name in traj.events] == ["catches" if angle < 0.0 else "catches there", "loses"]
        assert np.abs(walk.times - [t for t, _ in traj.events]).max() < 1e-10
        assert np.abs(walk.states[1] - traj.segments[2].x[0]).max() < 1e-9
    second = [1, 2] if holds == "peg" else [3, 4]  # a joint whose child is the world is another one elsewhere
    assert places == [[1, 2], second] * 2


@pytest.fixture(scope="module")
def kneed():
    return rg.models.kneed_walker()


def test_the_kneed_walker_walks_as_it_is_simulated(kneed):
    mech, state = kneed.start
    walk = course_of(mech, kneed.events).walk(state.replace(v=1.05 * state.v), 24)
    traj = rg.simulate(mech, state.replace(v=1.05 * state.v), walk.times[-1] + 0.01, events=kneed.events)
    assert walk.end == "done"
    assert np.abs(walk.times - [t for t, _ in traj.events][:24]).max() < 1e-9
    for x, segment in zip(walk.states, traj.segments[1:], strict=False):
        assert np.abs(segment.x[0] - x[: segment.x.shape[1]]).max() < 1e-8
    assert walk.places[8:].tolist() == walk.places[4:-4].tolist()  # in the first ones joints have another order
    assert len(set(walk.places[4:].tolist())) == 4


def test_the_basin_of_the_kneed_walker_has_no_python_in_it(kneed, recwarn):
    cycle = rg.gait.limit_cycle(*kneed.start, kneed.events, section=kneed.section)
    assert cycle.exact
    speeds = np.linspace(-1.3, -0.8, 4)
    found = rg.gait.basin(cycle, v={"stance": speeds})
    assert not [w for w in recwarn if "through Python" in str(w.message)]
    for speed, cell in zip(speeds, found.fate.values, strict=True):
        traj = rg.simulate(cycle.mech, cycle.state.replace(v={"stance": speed}), 15.0, events=kneed.events)
        assert (traj.events[-1].name == "fall") == (cell == "stopped")
    assert set(found.fate.values) == {"reached", "stopped"}


def test_derivatives_through_the_knees_are_those_of_differences(kneed):
    cycle = rg.gait.limit_cycle(*kneed.start, kneed.events, section=kneed.section)
    through, mech, x = cycle.return_map, cycle.mech, cycle.state
    found, step = passage_derivative(through, through.passage(mech, x)), 1e-5

    def image(tangent):
        return through.image(through.passage(mech, moved(mech, x, tangent)))

    free = [0, 1, 3, 4, 5]  # a knee that is bent back locks at once
    for column, e in zip(found.T[free], np.eye(6)[free], strict=True):
        expected = apart(mech, image(step * e), image(-step * e)) / (2.0 * step)
        assert np.abs(column - expected).max() < 1e-5 * (1.0 + np.abs(expected).max())


# --- closed chains ---------------------------------------------------------------------------------------------------------


def caught_by_a_peg(release):
    """A rod swings to a peg, which catches it with its joint above still there, and goes on from one of the two."""
    mech = chained(HINGE, rg.Spherical())

    def lets_go(mech):
        return rg.release(release) if {"grasp", "joint 0"} <= mech.joints.keys() else rg.PASS

    grasp = rg.grip("rod 0", "world", HINGE, "grasp", at="peg")
    events = [
        rg.when_joint("joint 0", 0.0, grasp, direction=1, name="catches", missing="wait"),
        rg.when_frame_below("end 1", -1.95, rg.by_structure(lets_go), name="loses", already="wait"),
    ]
    return mech, mech.state(q={"joint 0": -0.9}, v={"joint 1": (0.5, 3.0, 0.2)}), events


@pytest.mark.parametrize(("release", "returns"), [("joint 0", 2), ("grasp", 3)])
def test_a_loop_closes_and_opens_again(release, returns):
    mech, state, events = caught_by_a_peg(release)
    traj = assert_same(mech, state, events, returns, 1e-9)
    assert [name for _, name in traj.events][:2] == ["catches", "loses"]
    assert [segment.mech.layout.is_constrained for segment in traj.segments[:3]] == [False, True, False]


def test_the_same_walk_through_closed_chains_is_the_same_again():
    mech, state, events = caught_by_a_peg("grasp")
    course = course_of(mech, events)
    first, _, again = (course.walk(begun, 6) for begun in (state, state.replace(v=1.1 * state.v), state))
    assert np.array_equal(first.states, again.states)
    assert np.array_equal(first.times, again.times)


@pytest.mark.parametrize("joint", ["elbow", "pivot", "knee"])
def test_a_linkage_that_opens_goes_on_as_it_moved(joint):
    linkage = rg.models.four_bar(speed=4.0)
    events = [
        rg.when_joint("motor", 2.0, rg.release(joint), direction=1, name="opens"),
        rg.when_frame_below("coupler", -0.1, rg.release("motor"), name="falls"),
    ]
    traj = assert_same(linkage.mech, linkage.state, events, 2, 1e-9)
    assert [segment.mech.layout.is_constrained for segment in traj.segments[:3]] == [True, False, False]


def test_the_basin_of_a_swing_on_two_ropes_has_no_python_in_it(recwarn):
    mech = rg.Mechanism()
    for name, x in (("front", 0.0), ("back", 0.4)):
        mech.add_body(f"{name} rope", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, -2.5)))
        mech.add_joint(name, HINGE, "world", f"{name} rope", rg.Pose(translation=(x, 0, 0)))
    mech.add_body("seat", rg.Inertia.box(30.0, (0.4, 0.3, 0.05), at=(0.2, 0, 0)))
    end = rg.Pose(translation=(0, 0, -2.5))
    mech.add_joint("front knot", HINGE, "front rope", "seat", end)
    mech.add_joint("back knot", HINGE, "back rope", "seat", end, rg.Pose(translation=(0.4, 0, 0)))

    def started(rate):
        return rg.assemble(mech, mech.state(v={"front": rate}), hold=["front"])

    cycle = rg.gait.limit_cycle(mech, started(0.8), rg.when_joint("front", 0.0, direction=1, name="lowest"))
    found = rg.gait.basin(cycle, grid={"rate": [0.4, 0.8, 1.2]}, start=started, returns=3)
    assert found.fate.values.tolist() == ["elsewhere", "reached", "elsewhere"]
    assert found.time.values[1] == pytest.approx(cycle.period, abs=1e-5)
    assert not [w for w in recwarn if "through Python" in str(w.message)]


def test_a_closed_chain_that_cannot_move_on_is_left_to_python():
    mech = chained(HINGE, HINGE)
    held, state = rg.connect(mech, mech.state(), "world", "rod 1", joint=HINGE, at=(0, 0, -2.0), name="held")
    across = state.replace(v={"joint 0": 1.0, "joint 1": -2.0})
    course = course_of(held, [rg.when_joint("joint 0", 0.1, name="moves")], longest=0.1)
    assert course.walk(state, 1).end == "took too long"
    assert course.walk(across, 1).end == "a loop is open"
    with pytest.raises(rg.StructureError, match="in this state"):
        course.walk(state.replace(q={"joint 0": 0.1}), 1)
    with pytest.raises(rg.RegraftError):
        rg.simulate(held, across, 0.1)


# --- what is passed over, refused, or left to Python -----------------------------------------------------------------------


def test_the_structure_chooses_once_for_each():
    asked = []

    def lets_go(mech):
        asked.append(tuple(mech.joints))
        return rg.release("joint 1") if "joint 1" in mech.joints else rg.PASS

    mech = chained(HINGE, rg.Spherical())
    events = [rg.when_joint("joint 0", 0.0, rg.by_structure(lets_go), name="low")]
    course = course_of(mech, events, longest=3.0)
    walk = course.walk(mech.state(q={"joint 0": 0.5}), 5)
    assert (walk.end, len(walk.times)) == ("took too long", 1)  # what is passed over is no return
    assert len(asked) == len(set(asked)) == 2
    traj = rg.simulate(mech, mech.state(q={"joint 0": 0.5}), 3.0, events=events)
    assert [name for _, name in traj.events] == ["low"]


def test_a_loop_that_is_open_is_left_to_python():
    mech = chained(HINGE, HINGE)
    held, state = rg.connect(mech, mech.state(), "world", "rod 1", joint=HINGE, at=(0, 0, -2.0), name="held")
    after, expected = rg.cut(held, state, "joint 0")
    links = chain([rg.release("joint 0")], [held, after], [held.structure.new_work(), after.structure.new_work()])
    for off, said in ((0.0, course_changes.MADE), (1e-9, course_changes.OPEN), (np.nan, course_changes.OPEN)):
        x = np.concatenate((state.q + off, state.v, np.zeros(8)))
        assert course_changes.go_on_in(links.rows.ctypes.data, x.ctypes.data) == said
        if not off:
            assert x[: after.nq + after.nv] == pytest.approx(np.concatenate((expected.q, expected.v)), abs=1e-14)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (rg.grip("end 1", "world", HINGE), "the grip of 'end 1' takes hold wherever it is; say with at="),
        (rg.in_turn(rg.grip("rod 0", "world", HINGE, at="peg"), rg.strike("end 1", HINGE)), "'end 1' happens while loops"),
        (rg.grip("end 1", "world", HINGE, at="peg"), "at event 'it' the grip of 'end 1' cannot happen: joint .* off by"),
        (rg.grip("end 0", "rod 1", HINGE, at="peg"), "cannot take hold of 'rod 1' at 'peg', which is on 'world'"),
        (rg.release("joint 7"), "the release of 'joint 7' cannot happen: there is no joint"),
        (rg.strike("end 7", HINGE), "the strike of 'end 7' cannot happen"),
    ],
)
def test_what_a_course_cannot_do_is_told(action, message):
    mech = chained(HINGE, HINGE)
    events = [rg.when_joint("joint 0", 0.0, action, name="it")]
    with pytest.raises(NotReadyError, match=message):
        course_of(mech, events).walk(mech.state(q={"joint 0": 0.5, "joint 1": 1.0}), 1)


def test_joints_that_count_their_turns_are_left_to_python():
    mech = chained(HINGE, HINGE)
    sprung = rg.Revolute((0, 1, 0), stiffness=1.0)
    catch = rg.in_turn(rg.grip("rod 0", "world", sprung, "grasp", at="peg"), rg.release("joint 0"))
    with pytest.raises(NotReadyError, match="joint 'grasp' has limits or a spring"):
        course_of(mech, [rg.when_joint("joint 0", 0.0, catch)]).walk(mech.state(q={"joint 0": 0.5}), 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (rg.in_turn, "one or more"),
        (lambda: rg.in_turn(rg.STOP), "one or more"),
        (lambda: rg.in_turn(rg.release("a"), rg.strike("foot", HINGE, past="other")), "only the first"),
        (lambda: rg.by_structure(3), "a function of the mechanism"),
        (lambda: rg.grip("hand", "body", HINGE, at=3), "given by name"),
        (lambda: rg.by_structure(lambda mech: None)(chained(HINGE), chained(HINGE).state()), "must return what strike"),
    ],
)
def test_bad_changes_are_errors(make, message):
    with pytest.raises(rg.ModelError, match=message):
        make()


def test_changes_in_turn_are_passed_over_with_the_first():
    mech = chained(HINGE, HINGE)
    state = mech.state(q={"joint 0": 0.3})
    steps = rg.in_turn(rg.strike("end 1", HINGE, past="end 0", least=5.0), rg.release("joint 1"))
    assert steps(mech, state) is rg.PASS
    assert rg.by_structure(lambda mech: rg.PASS)(mech, state) is rg.PASS
