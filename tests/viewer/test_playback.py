"""A motion that is played: its time, its events, its forces and curves, as a visitor without a browser sees them."""

from __future__ import annotations

import numpy as np
import pytest
from visitor import Visitor, until

import regraft as rg
from regraft.viewer.placed import Placed
from regraft.viewer.playback import Playback
from regraft.viewer.plots import ENERGY, MOMENTUM, TURNING, curves_of
from regraft.viewer.session import FRAME
from regraft.viewer.tree import told_change, told_tree, tree_of

pytest.importorskip("viser")


@pytest.fixture(scope="module")
def walk():
    walker = rg.models.simplest_walker()
    return rg.simulate(*walker.start, 8.0, events=walker.events)


@pytest.fixture
def viewer(walk):
    with rg.view(walk, browser=False) as made:
        yield made


@pytest.fixture
def visitor(viewer):
    with Visitor(viewer) as come:
        come.element("Play")
        until(lambda: "of 8.000 s" in come.html)
        yield come


def test_time_goes_on_stops_or_starts_again(walk):
    played = Playback(walk)
    played.seek(99.0)
    assert played.t == 8.0
    played.running = True
    played.advance(0.1)
    assert (played.t, played.running) == (0.0, True)
    played.seek(7.99)
    played.advance(0.1)
    assert played.t == 8.0  # the end is seen
    played.repeats = False
    played.advance(0.1)
    assert (played.t, played.running) == (8.0, False)
    played.step(-2)
    assert played.t == pytest.approx(8.0 - 2 * FRAME)


def test_events_are_gone_to_and_told(walk):
    played = Playback(walk)
    times = [t for t, _ in walk.events]
    assert played.latest is None
    played.to_event(1)
    assert played.t == times[0]
    assert played.latest.name == walk.events[0][1]
    assert "root: “left”" in played.latest.change
    assert "walked the other way: “hip”" in played.latest.change
    played.to_event(1)
    assert played.t == times[1]
    played.to_event(1)
    assert played.t == played.end
    played.to_event(-1)
    played.to_event(-1)
    assert played.t == times[0]
    played.to_event(-1)
    assert played.t == 0.0


def test_the_tree_in_words():
    mech, state = rg.models.high_bar().start
    before = tree_of(mech)
    assert told_tree(before) == ["Root: “trunk” (on “base”).", "Closes a loop: “left hand”, “right hand”."]
    opened, _ = rg.cut(mech, state, "left hand")
    assert told_change(before, tree_of(opened)) == "loop opened at “left hand”"
    assert told_change(tree_of(opened), before) == "loop closed at “left hand”"
    other, _ = rg.reroot(mech, state, "left forearm")
    after = tree_of(other)
    assert set(after.backward) == {"left elbow", "left shoulder"}
    assert "Walked backwards: “left elbow”, “left shoulder”." in told_tree(after)
    assert told_change(before, before) == ""


def test_the_page_plays_and_shows_where_bodies_are(viewer, visitor, walk):
    visitor.press("Play")
    until(lambda: viewer.session.t > 0.2)
    visitor.press("Pause")
    until(lambda: not viewer.session.running)
    visitor.put("Time, s", 4.5)
    until(lambda: viewer.session.t == 4.5)
    poses = rg.body_poses(walk.mechanism(4.5), walk.state(4.5))
    stage = viewer.pages[0].stage
    for name in ("left", "right"):
        until(lambda name=name: np.allclose(visitor.nodes[stage.path(name)]["position"], poses[name].translation))
    until(lambda: "<b>4.500 s</b> of 8.000 s" in visitor.html)
    assert "“left strike”" in visitor.html
    assert len(visitor["Time, s"]["_marks"]) == len(walk.events)


def test_buttons_go_frame_by_frame_and_event_by_event(viewer, visitor, walk):
    visitor.put("One event", "On ▶")
    until(lambda: viewer.session.t == walk.events[0][0])
    until(lambda: "root: “left”" in visitor.html)
    visitor.put("One frame", "◀ Back")
    until(lambda: viewer.session.t == pytest.approx(walk.events[0][0] - FRAME))
    until(lambda: "Root: “right”" in visitor.html)
    second = visitor["Go to event"]["options"][2]
    assert walk.events[1][1] in second
    visitor.put("Go to event", second)
    until(lambda: viewer.session.t == walk.events[1][0])
    visitor.put("Speed", 0.5)
    visitor.put("Repeat", False)
    until(lambda: viewer.session.speed == 0.5 and not viewer.session.repeats)


def test_the_sign_of_the_root_changes_its_body_at_an_event(viewer, visitor, walk):
    stage = viewer.pages[0].stage

    joints = next(one for one in stage.overlays if one.label == "Joints")

    def sign():
        """Where the sign is, in the world, as the page has it: on the node of its body."""
        piece, node = next((p, n) for p, n in zip(joints.pieces, joints.nodes, strict=True) if p.name == "stance")
        frame = visitor.nodes[node.name.rpartition("/")[0]]
        return rg.Pose.from_quaternion(frame["wxyz"], frame["position"]).apply(piece.vertices.mean(axis=0))

    for t in (1.0, 4.8, 1.0):
        mech = walk.mechanism(t)
        visitor.put("Time, s", t)
        until(lambda mech=mech: stage.placed.mech is mech and np.allclose(sign(), mech.joints["stance"].parent_pose.translation))


def test_forces_of_joints_are_those_of_the_trajectory(viewer, visitor, walk):
    visitor.put("Time, s", 2.0)
    visitor.put("Forces", True)
    until(lambda: visitor.nodes.get("/forces/joints", {}).get("visible"))
    page = viewer.pages[0]
    until(lambda: page.playback.t == 2.0)
    k = int(np.abs(walk.t - 2.0).argmin())
    placed = page.stage.placed
    joints, contacts = page.playback.forces.at(page.playback.sample(2.0), placed)
    expected = [(placed.joint(name), wrench[k, 3:]) for name, wrench in walk.reactions().items()]
    assert len(expected) == 2
    np.testing.assert_array_equal(joints, expected)
    assert len(contacts) == 0


def test_forces_of_contacts_carry_the_weight():
    mech = rg.Mechanism()
    mech.add_body("block", rg.Inertia.box(2.0, (0.4, 0.4, 0.2)))
    mech.add_joint("float", rg.Free(), "world", "block")
    mech.add_shape("block", rg.Box((0.4, 0.4, 0.2)))
    traj = rg.simulate(mech, mech.state(q={"float": (1.0, 0, 0.1, 1, 0, 0, 0)}), 0.2, contacts=rg.Contact("block", friction=0.5))
    played = Playback(traj)
    played.seek(0.2)
    _, contacts = played.forces.at(played.sample(0.2), Placed(*played.at(0.2)))
    ((place, force),) = contacts
    np.testing.assert_allclose(force, (0.0, 0.0, 2.0 * 9.81), atol=1e-6)
    np.testing.assert_allclose(place, (1.0, 0.0, 0.0), atol=1e-3)


def test_forces_that_are_not_known_are_told(walk):
    motion = rg.mocap.Motion(walk.segments[0].mech, walk.segments[0].t, walk.segments[0].q, walk.segments[0].v, None, {}, {})
    with rg.view(motion, browser=False) as viewer, Visitor(viewer) as visitor:
        visitor.put("Forces", True)
        until(lambda: any("Forces cannot be shown" in words for words in visitor.told))
        until(lambda: visitor["Forces"]["value"] is False)


def test_curves_have_a_line_at_the_time(viewer, visitor):
    plot = viewer.pages[0].plots
    visitor.put("Time, s", 3.0)
    data = until(lambda: plot._plot.data if abs(plot._plot.data[0][np.argmax(plot._plot.data[-1])] - 3.0) < 1e-5 else None)
    assert (np.diff(data[0]) >= 0.0).all()
    visitor.put("Plot", "hip")
    until(lambda: len(plot._plot.data) == 3)
    until(lambda: "/chosen" not in visitor.nodes)
    stage = viewer.pages[0].stage
    joints = next(one for one in stage.overlays if one.label == "Joints")
    visitor.put("Plot", ENERGY)
    node = next(node.name for piece, node in zip(joints.pieces, joints.nodes, strict=True) if piece.name == "hip")
    visitor.click(node)
    until(lambda: visitor.nodes.get("/chosen", {}).get("text") == "hip")
    until(lambda: visitor["Plot"]["value"] == "hip")


@pytest.mark.parametrize("what", [ENERGY, MOMENTUM, TURNING, "hip"])
def test_curves_are_those_of_the_trajectory(walk, what):
    t, rows, names = curves_of(walk, what)
    assert rows.shape == (len(names), len(t))
    expected = {
        ENERGY: lambda: walk.energy().total,
        MOMENTUM: lambda: walk.momentum().linear[:, 0],
        TURNING: lambda: walk.momentum().angular[:, 0],
        "hip": lambda: walk.joint("hip").q,
    }[what]()
    np.testing.assert_array_equal(rows[0], expected)


def test_long_motions_are_thinned(walk):
    played = Playback(walk.resample(0.005))
    assert len(played.traj.t) > 1600
    assert len(played.thinned.t) < 700
    for t in (0.0, 3.3, 8.0):
        assert abs(played.thinned.t[played.sample(t)] - t) < 0.01


def test_the_room_holds_the_whole_motion(walk):
    room = Playback(walk).room
    for t in np.linspace(0.0, 8.0, 30):
        for pose in rg.body_poses(walk.mechanism(t), walk.state(t)).values():
            assert (pose.translation >= room.low - 0.15).all()
            assert (pose.translation <= room.high + 0.15).all()
