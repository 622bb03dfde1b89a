"""The session behind the viewer: a mechanism that moves is changed, all can be undone, and the Python lines do the same."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from random_edits import edit_at_random

import regraft as rg
from regraft.viewer.history import UNDOABLE
from regraft.viewer.session import FRAME, Session
from regraft.viewer.words import JOINT_CHOICES, joint_of, number
from simple_mechanisms import chain


@pytest.fixture
def bar():
    return rg.models.high_bar()


def replayed(session, mech, state, **given):
    """What the lines of a session lead to."""
    names = {"mech": mech, "state": state, **given}
    exec(session.script(), names)  # which is what a user would do
    return names["mech"], names["state"], names["t"]


def assert_lines_do_the_same(session, mech, state, **given):
    found, reached, t = replayed(session, mech, state, **given)
    assert found.same_as(session.mech.copy())
    assert reached == session.state
    assert t == session.t


def test_it_moves_as_simulate_does(bar):
    session = Session(*bar.start)
    for _ in range(30):
        assert session.advance()
    _, state = rg.simulate(*bar.start, 0.5).final
    np.testing.assert_allclose(session.state.q, state.q, atol=1e-6)
    assert session.t == pytest.approx(0.5)


def test_changes_while_it_runs_are_undone_and_redone_to_the_last_digit(bar):
    session = Session(*bar.start)
    for _ in range(10):
        session.advance()
    changes = [
        lambda: session.cut("left hand"),
        lambda: session.connect("left shank", "right shank", "Spherical"),
        lambda: session.reroot("left forearm", "Revolute y", impact=True),
        lambda: session.reroot("trunk"),
        lambda: session.set_gravity((0, 0, -3)),
        lambda: session.set_damping(0.5),
        lambda: session.set_joint("left elbow", [0.4]),
        session.stop,
        session.reset,
    ]
    for change in changes:
        before = session.moment
        assert not change().failed
        after = session.moment
        assert not after.same_as(before)
        session.advance()
        session.undo()
        assert session.moment.same_as(before)
        session.advance()  # time goes on, and the change can still be made again
        session.redo()
        assert session.moment.same_as(after)
    for _ in changes:
        assert not session.undo().failed
    assert session.t == pytest.approx(10 * FRAME)
    assert session.mech.same_as(bar.mech.frozen())


def test_lines_repeat_a_session(bar):
    session = Session(*bar.start)
    for _ in range(5):
        session.advance()
    session.cut("left hand")
    session.undo()
    session.advance()
    session.connect("left shank", "right shank", "Spherical")
    session.reroot("left forearm", "Cylindrical x", impact=True, at=(0.1, 0.2, 2.7))
    session.advance(0.5 * FRAME)
    session.set_gravity((0, 0, -3))
    session.set_gravity((0, 0, -2))
    session.set_damping(0.5)
    session.set_damping(0.25)
    for angle in (0.3, 0.35, 0.4):
        session.set_joint("left elbow", [angle])
    session.hold("left shank", (0, 0, -0.3), (1, 0, 1))
    for _ in range(3):
        session.advance()
    session.let_go()
    session.advance()
    session.reroot("trunk")
    assert_lines_do_the_same(session, *bar.start)
    assert "for value in [[0.3], [0.35], [0.4]]" in session.script()
    session.reset()
    session.advance()
    assert_lines_do_the_same(session, *bar.start)


def test_lines_of_a_model_with_events_repeat_them(bar):
    options = {"events": bar.events, "wrenches": {"trunk": (0, 0, 0, 30.0, 0, 0)}}
    session = Session(*bar.start, options)
    session.hold("trunk", (0, 0, 0), (0, 0, 1))
    for _ in range(48):  # until the right hand has let go, with a hand at the trunk
        session.advance()
    session.let_go()
    for _ in range(12):  # until the left one has
        session.advance()
    assert session.mech.loop_joints == ()
    assert [entry.words for entry in session.history.log if entry.kind == "change"] == [
        "Events of the simulation: “right hand lets go”.",
        "Events of the simulation: “left hand lets go”.",
    ]
    assert not session.mech.springs
    assert_lines_do_the_same(session, *bar.start, options=options)
    session.undo()
    assert session.mech.loop_joints == ("left hand",)


def test_an_impact_tells_what_it_took(bar):
    session = Session(*bar.start)
    before = rg.energy(session.mech, session.state).kinetic
    entry = session.reroot("trunk", "Fixed", impact=True)
    lost = before - rg.energy(session.mech, session.state).kinetic
    assert lost > 0.0
    assert f"The impact took {lost:.4g} J" in entry.words


def test_what_is_not_possible_says_why_and_changes_nothing(bar):
    session = Session(*bar.start)
    moment = session.moment
    for entry, why in (
        (session.cut("left foot"), "there is no joint 'left foot' to cut"),
        (session.connect("trunk", "trunk"), "cannot be connected to itself"),
        (session.connect("world", "world"), "cannot be connected to itself"),
        (session.reroot("nobody"), "nobody"),
        (session.reroot("trunk", "Fixed"), "cannot carry"),
        (session.set_gravity((0, 0, np.nan)), "gravity"),
        (session.set_damping(-1.0), "damping"),
        (session.set_joint("base", (5.0, 0, 0, 0, 0, 0)), "cannot be closed"),
        (session.undo(), "nothing to undo"),
        (session.redo(), "nothing to do again"),
    ):
        assert entry.failed
        assert why in entry.words
        assert session.moment is moment
    session.running = True
    assert "pause" in session.set_joint("left elbow", [0.4]).words


def test_a_simulation_that_cannot_go_on_pauses_and_loses_nothing():
    mech, state = chain(2)

    def breaks(t, mech, _):
        if t > 0.1:
            raise RuntimeError("the motor burns")
        return np.zeros(mech.nv)

    session = Session(mech, state, {"torque": breaks})
    session.running = True
    while session.advance():
        assert session.t < 0.2
    moment = session.moment
    assert not session.running
    assert 0.1 - FRAME <= session.t <= 0.1 + FRAME
    assert "The simulation stopped" in session.history.log[-1].words
    assert "the motor burns" in session.history.log[-1].words
    assert not session.advance()
    assert session.moment is moment


def test_a_hand_pulls_a_body_towards_its_target():
    mech, state = chain(2)
    session = Session(mech.replace(gravity=(0, 0, 0)), state)
    body = list(mech.bodies)[-1]
    target = np.array([0.25, 0.0, -0.25])
    point = mech.bodies[body].inertia.com
    session.set_damping(2.0)

    def gap():
        return np.linalg.norm(rg.body_poses(session.mech, session.state)[body].apply(point) - target)

    start = gap()
    session.hold(body, point, target)
    for _ in range(240):
        assert session.advance()
    assert gap() < 0.4 * start
    assert not session.mech.springs


def test_damping_comes_and_goes_without_a_trace():
    mech, state = chain(2)
    own = mech.replace(damping={next(iter(mech.joints)): 0.1})
    session = Session(own, state)
    session.set_damping(0.3)
    session.set_damping(0.7)
    joints = list(own.joints)
    assert [float(session.mech.joints[name].type.damping[0]) for name in joints] == [0.1 + 0.7, 0.7]
    session.set_damping(0.0)
    assert session.mech.same_as(own.frozen())


def test_joint_choices_are_what_python_says():
    for choice in JOINT_CHOICES:
        kind, code = joint_of(choice)
        assert eval(code, {"rg": rg}) == kind


def test_loops_that_are_open_are_an_error_at_the_start(bar):
    mech, state = bar.start
    with pytest.raises(rg.StructureError, match="assemble"):
        Session(mech, state.replace(q={"left elbow": 1.0}))


def test_old_changes_cannot_be_undone_and_their_lines_stay():
    mech, state = chain(2)
    session = Session(mech, state)
    for k in range(UNDOABLE + 20):
        session.reroot(list(mech.bodies)[k % 2])
        session.advance()
    count = 0
    while not session.undo().failed:
        count += 1
    assert count == UNDOABLE
    assert_lines_do_the_same(session, mech, state)


def test_the_last_lines_of_a_long_script():
    mech, state = chain(2)
    session = Session(mech, state)
    for k in range(UNDOABLE + 20):
        session.reroot(list(mech.bodies)[k % 2])
        session.advance()
    whole = session.script()
    for most in (500, 20_000):
        shown = session.script(most)
        assert shown.startswith("# the last lines")
        assert whole.endswith(shown.partition("…\n")[2])
        assert most < len(shown) < most + 1000
    assert session.script(10 * len(whole)) == whole


def test_odd_names_are_told_as_text():
    mech = rg.Mechanism()
    name = "<script>alert('\"')</script>{} /& *x* `y`"
    mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint(name, rg.Revolute((0, 1, 0)), "world", name, child_pose=rg.Pose(translation=(0, 0, 1)))
    session = Session(mech, mech.state())
    session.set_joint(name, [0.1])
    session.set_joint(name, [0.2])
    session.cut(name)
    session.reroot(name)
    assert_lines_do_the_same(session, mech, mech.state())
    assert all(entry.words.isprintable() for entry in session.history.log)


@pytest.mark.parametrize(("model", "seed"), [("high_bar", 5), ("four_bars", 8)])
def test_random_changes_break_nothing(model, seed):
    made = getattr(rg.models, model)()
    session = edit_at_random(made, seed, 60)
    assert_lines_do_the_same(session, *made.start)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "seed"), [("high_bar", 2), ("four_bars", 3)])
def test_two_thousand_random_changes_break_nothing_and_leak_nothing(model, seed):
    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096

    made = getattr(rg.models, model)()
    edit_at_random(made, seed, UNDOABLE)  # what is compiled, loaded and remembered by then is no leak
    before = resident()
    edit_at_random(made, seed, 2000)
    assert resident() - before < 20e6


@pytest.mark.parametrize("bad", [None, "", "x", b"x", [], [1.0, 2.0], [np.nan] * 3, [np.inf] * 3])
def test_whatever_is_no_number_or_no_choice_is_refused_in_words(bar, bad):
    session = Session(*bar.start)
    body, joint = next(iter(session.mech.bodies)), next(iter(session.mech.layout.names))
    tried = [
        lambda: session.set_damping(bad),
        lambda: session.set_joint(joint, bad),
        lambda: session.set_gravity(bad),
        lambda: session.set_joint("no such joint", [0.0]),
        lambda: session.reroot(body, bad),
        lambda: session.connect(body, "world", bad),
    ]
    if bad is not None:  # which is the place midway
        tried += [lambda: session.connect(body, "world", "Fixed", bad), lambda: session.reroot(body, at=bad)]
    for one in tried:
        entry = one()
        assert entry.failed
        assert entry.words.startswith("Not possible: ")
    assert session.moment is session.first
    with pytest.raises(rg.ModelError, match="point must be 3"):
        session.hold(body, bad, (0.0, 0.0, 0.0))
    with pytest.raises(rg.ModelError, match="target must be 3"):
        session.hold(body, (0.0, 0.0, 0.0), bad)
    assert session.grip is None


def test_a_step_that_leaves_loops_open_is_not_taken(monkeypatch):
    session = Session(*rg.models.four_bar().start)
    assert session.advance()
    before = session.moment

    def opened(mech, state, *_, **__):
        q = state.q.copy()
        q[0] += 0.01
        return SimpleNamespace(final=(mech, state.replace(q=q)), events=[])

    monkeypatch.setattr("regraft.viewer.session.simulate", opened)
    session.running = True
    assert not session.advance()
    assert session.moment is before
    assert not session.running
    assert "open in this state" in session.history.log[-1].words


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.0, "0"), (2.4525, "2.453"), (14032.7, "14030"), (-523456.0, "-523500"), (2.5e7, "2.5e+07"), (0.0024526, "0.002453")],
)
def test_numbers_for_people_have_four_digits(value, written):
    assert number(value) == written


def thin_pole_on_a_cart():
    mech = rg.Mechanism()
    mech.add_body("cart", rg.Inertia.box(2.0, (0.4, 0.2, 0.1)))
    mech.add_body("pole", rg.Inertia.rod(0.5, (0, 0, 0), (0, 0, 1)))
    mech.add_joint("rail", rg.Prismatic((1, 0, 0)), "world", "cart")
    mech.add_joint("pivot", rg.Revolute((0, 1, 0)), "cart", "pole")
    return mech, mech.state(q={"pivot": 0.3})


def test_a_change_after_which_it_cannot_run_says_so_and_the_run_that_stops_says_why_and_when():
    session = Session(*thin_pole_on_a_cart())
    for _ in range(30):
        assert session.advance()
    entry = session.cut("pivot")  # a rod without thickness has no inertia about its own axis
    assert "“pole” floats" in entry.words
    assert "It cannot run like this: joint 'pole_free' can move without moving any inertia" in entry.words
    session.running = True
    assert not session.advance()
    words = session.history.log[-1].words
    assert words.startswith("The simulation stopped: at t = 0.5 joint 'pole_free'")
    assert ".trajectory" not in words
    session.undo()
    assert session.advance()
