"""The page of a mechanism that runs, seen by a visitor without a browser: what is pressed is done, and what is done is shown."""

from __future__ import annotations

import re
import threading
import time

import numpy as np
import pytest
from visitor import Visitor, until

import regraft as rg

pytest.importorskip("viser")

NAME = "<script>alert('\"')</script>&amp; *x* `y`"


@pytest.fixture
def viewer():
    with rg.view(rg.models.high_bar().start, browser=False) as made:
        yield made


@pytest.fixture
def visitor(viewer):
    with Visitor(viewer) as come:
        come.element("Play")
        until(lambda: "Nothing has been changed" in come.html)
        yield come


def body_node(viewer, name):
    return viewer.pages[0].stage.path(name)


def joint_node(viewer, name):
    joints = next(one for one in viewer.pages[0].stage.overlays if one.label == "Joints")
    return next(node.name for piece, node in zip(joints.pieces, joints.nodes, strict=True) if piece.name == name)


def test_it_runs_in_real_time_and_is_paused(viewer, visitor):
    session = viewer.session
    visitor.press("Play")
    until(lambda: session.t > 0.3)
    assert visitor["Pause"]["color"] == "orange"
    visitor.press("Pause")
    until(lambda: not session.running)
    until(lambda: visitor["Play"])
    t = session.t
    time.sleep(0.1)
    assert session.t == t
    node = visitor.nodes[body_node(viewer, "trunk")]
    until(lambda: np.allclose(node["position"], rg.body_poses(session.mech, session.state)["trunk"].translation))
    assert f"<b>{t:.2f} s</b>" in visitor.html


def test_keys_do_what_buttons_do(viewer, visitor):
    visitor.trigger("Play or pause")
    until(lambda: viewer.session.running)
    viewer.session.cut("left hand")
    visitor.trigger("Undo")
    until(lambda: "left hand" in viewer.session.mech.loop_joints)
    visitor.trigger("Redo")
    until(lambda: "left hand" not in viewer.session.mech.loop_joints)


def test_single_steps_reset_and_rest(viewer, visitor):
    session = viewer.session
    visitor.put("Speed", 0.5)
    visitor.put("Run", "Step")
    until(lambda: session.t == pytest.approx(1 / 120))
    visitor.put("Run", "Stop all")
    until(lambda: not session.state.v.any())
    visitor.put("Run", "Reset")
    until(lambda: session.t == 0.0 and session.state.v.any())


def test_a_joint_that_is_clicked_is_cut_by_a_button_undone_and_redone(viewer, visitor):
    session = viewer.session
    visitor.click(joint_node(viewer, "left hand"))
    until(lambda: visitor["Joint"]["value"] == "left hand")
    until(lambda: visitor.nodes.get("/chosen", {}).get("text") == "left hand")
    assert not visitor["Cut it"]["disabled"]
    visitor.press("Cut it")
    until(lambda: session.mech.loop_joints == ("right hand",))
    until(lambda: "Cut the joint “left hand”." in visitor.html)
    assert "mech, state = rg.cut(mech, state, &#x27;left hand&#x27;)" in visitor.html
    until(lambda: "left hand" not in visitor["Joint"]["options"])
    visitor.put("Change", "Undo")
    until(lambda: len(session.mech.loop_joints) == 2)
    until(lambda: "left hand" in visitor["Joint"]["options"])
    visitor.put("Change", "Redo")
    until(lambda: session.mech.loop_joints == ("right hand",))


def test_what_is_done_takes_effect_within_a_tenth_of_a_second(viewer, visitor):
    session = viewer.session
    visitor.press("Play")
    until(lambda: session.t > 0.2)
    took = []
    for _ in range(8):
        visitor.put("Joint", "left hand", "Dropdown")
        until(lambda: not visitor["Cut it"]["disabled"])
        start = time.perf_counter()
        visitor.press("Cut it")
        until(lambda: "left hand" not in session.mech.joints)
        took.append(time.perf_counter() - start)
        visitor.put("Change", "Undo")
        until(lambda: "left hand" in session.mech.joints)
        until(lambda: "left hand" in visitor["Joint"]["options"])
    assert min(took) < 0.1  # others may be at work on this machine


def test_two_bodies_are_connected_and_the_place_is_shown_before(viewer, visitor):
    session = viewer.session
    visitor.click(body_node(viewer, "left shank") + "/piece 0")
    until(lambda: visitor["Body"]["value"] == "left shank")
    visitor.click(body_node(viewer, "right shank") + "/piece 0", "shift")
    until(lambda: visitor["Connect to"]["value"] == "right shank")
    until(lambda: "/preview/joint" in visitor.nodes)
    visitor.put("Joint type", "Revolute y")
    place = until(lambda: visitor.nodes.get("/preview/joint", {}).get("position"))
    visitor.press("Connect")
    until(lambda: "left shank_right shank" in session.mech.joints)
    joint = session.mech.joints["left shank_right shank"]
    assert joint.type == rg.Revolute((0, 1, 0))
    where = rg.body_poses(session.mech, session.state)[joint.child].apply(joint.child_pose.translation)
    np.testing.assert_allclose(where, place, atol=1e-6)
    until(lambda: "/preview/joint" not in visitor.nodes)


def test_a_place_that_is_typed_is_where_the_joint_is(viewer, visitor):
    session = viewer.session
    visitor.put("Body", "left shank", "Dropdown")
    until(lambda: visitor["Body"]["value"] == "left shank")
    visitor.put("Connect to", "world")
    until(lambda: visitor["Place, m"]["visible"])
    visitor.put("Place, m", (0.5, 0.0, 2.0))
    until(lambda: np.allclose(visitor.nodes["/preview/joint"]["position"], (0.5, 0.0, 2.0)))
    visitor.press("Connect")
    name = until(lambda: [one for one in session.mech.joints if "world" in one])[0]
    joint = session.mech.joints[name]
    assert sorted((joint.parent, joint.child)) == ["left shank", "world"]
    pose = joint.parent_pose if joint.parent == "world" else joint.child_pose
    np.testing.assert_allclose(pose.translation, (0.5, 0.0, 2.0), atol=1e-12)


def test_a_drag_from_one_body_to_another_chooses_both(viewer, visitor):
    poses = rg.body_poses(viewer.session.mech, viewer.session.state)
    mech = viewer.session.mech
    start, end = (poses[name].apply(mech.bodies[name].inertia.com) for name in ("left shank", "right upper arm"))
    node = body_node(viewer, "left shank") + "/piece 0"
    visitor.drag(node, "start", start, start, "shift")
    visitor.drag(node, "update", start, end, "shift")
    until(lambda: "/joining" in visitor.nodes)
    visitor.drag(node, "end", start, end, "shift")
    until(lambda: visitor["Body"]["value"] == "left shank" and visitor["Connect to"]["value"] not in ("left shank", None))
    page = viewer.pages[0]
    eye = np.array((5.0, 0.0, 2.0))
    assert visitor["Connect to"]["value"] == page.stage.hit(eye, end - eye, without="left shank").body
    until(lambda: "/joining" not in visitor.nodes)
    visitor.drag(node, "start", start, start, "shift")
    visitor.drag(node, "end", start, (0.0, 50.0, 50.0), "shift")
    until(lambda: any("Nothing there" in words for words in visitor.told))


def test_another_root_carried_or_caught(viewer, visitor):
    session = viewer.session
    visitor.put("Body", "left forearm", "Dropdown")
    until(lambda: not visitor["Make it the root"]["disabled"])
    visitor.press("Make it the root")
    until(lambda: rg.hierarchy(session.mech).top == "left forearm")
    until(lambda: "Root: “left forearm”" in visitor.html)
    visitor.put("Body", "trunk", "Dropdown")
    until(lambda: visitor["Body"]["value"] == "trunk")
    visitor.put("Base joint", "Fixed")
    visitor.put("With an impact", True)
    visitor.press("Make it the root")
    until(lambda: "trunk_base" in session.mech.joints)
    until(lambda: re.search(r"The impact took [\d.]+ J", visitor.html))


def test_what_is_not_possible_is_said_in_the_page(viewer, visitor):
    visitor.put("Body", "trunk", "Dropdown")
    visitor.put("Base joint", "Fixed")
    until(lambda: not visitor["Make it the root"]["disabled"])
    visitor.press("Make it the root")
    until(lambda: any("cannot carry" in words for words in visitor.told))
    until(lambda: "Not possible: " in visitor.html)
    assert viewer.session.mech.same_as(viewer.session.first.mech)


def test_a_hand_pulls_while_it_runs(viewer, visitor):
    session = viewer.session
    node = body_node(viewer, "trunk") + "/piece 0"
    place = rg.body_poses(session.mech, session.state)["trunk"].translation
    visitor.drag(node, "start", place, place)
    until(lambda: any("Paused" in words for words in visitor.told))
    until(lambda: session.grip is not None)
    visitor.press("Play")
    visitor.drag(node, "update", place, (3.0, 0.0, 2.0))
    until(lambda: session.grip.target.tolist() == [3.0, 0.0, 2.0])
    np.testing.assert_allclose(session.grip.point, 0.0, atol=1e-9)
    until(lambda: "/pull" in visitor.nodes)
    visitor.drag(node, "end", place, (3.0, 0.0, 2.0))
    until(lambda: session.grip is None)
    until(lambda: "/pull" not in visitor.nodes)


def test_sliders_of_gravity_damping_and_joints(viewer, visitor):
    session = viewer.session
    visitor.put("Gravity, m/s²", 2.0)
    until(lambda: session.mech.gravity.tolist() == [0.0, 0.0, -2.0])
    visitor.put("Damping, N m s", 0.5)
    until(lambda: session.moment.damping == 0.5)
    visitor.put("Change", "Undo")
    until(lambda: visitor["Damping, N m s"]["value"] == 0.0)
    visitor.click(joint_node(viewer, "left elbow"))
    until(lambda: any(one.get("label") == "turn, rad" for one in list(visitor.gui.values())))
    visitor.put("turn, rad", 0.4)
    until(lambda: session.coordinates("left elbow")[0] == pytest.approx(0.4))
    assert visitor["turn, rad"]["disabled"] is False
    visitor.press("Play")
    until(lambda: visitor["turn, rad"]["disabled"] is True)


def test_switches_show_and_hide(viewer, visitor):
    piece = body_node(viewer, "trunk") + "/piece 0"
    for label, node in (("Bodies", piece), ("Ground", "/floor"), ("Joints", joint_node(viewer, "left hand"))):
        assert visitor.nodes[node]["visible"]
        visitor.put(label, False)
        until(lambda node=node: not visitor.nodes[node]["visible"])
    for label, node in (
        ("Tree", "/tree/loops"),
        ("Names of bodies", body_node(viewer, "trunk") + "/name"),
        ("Centre of mass", "/centre of mass"),
    ):
        assert node not in visitor.nodes  # made when it is first seen
        visitor.put(label, True, "Checkbox")
        until(lambda node=node: visitor.nodes.get(node, {}).get("visible"))
    assert visitor.nodes[body_node(viewer, "trunk") + "/name"]["text"] == "trunk"
    np.testing.assert_allclose(
        visitor.nodes["/centre of mass"]["position"], rg.center_of_mass(*rg.models.high_bar().start), atol=1e-6
    )


def test_forces_are_shown_after_a_step(visitor):
    visitor.put("Forces", True)
    visitor.put("Run", "Step")
    until(lambda: visitor.nodes.get("/forces/joints", {}).get("visible"))
    assert not visitor.nodes["/forces/contacts"]["visible"]
    visitor.put("Run", "Reset")
    until(lambda: not visitor.nodes["/forces/joints"]["visible"])


def test_forces_of_contacts_are_shown_while_it_runs():
    mech = rg.Mechanism()
    mech.add_body("block", rg.Inertia.box(2.0, (0.4, 0.4, 0.2)))
    mech.add_joint("float", rg.Free(), "world", "block")
    mech.add_shape("block", rg.Box((0.4, 0.4, 0.2)))
    start = mech, mech.state(q={"float": (0, 0, 0.1, 1, 0, 0, 0)})
    with rg.view(start, contacts=rg.Contact("block"), browser=False) as viewer, Visitor(viewer) as visitor:
        visitor.put("Forces", True)
        visitor.put("Run", "Step")
        until(lambda: visitor.nodes.get("/forces/contacts", {}).get("visible"))


def test_plots_follow_and_take_joints(viewer, visitor):
    visitor.press("Play")

    def plot():
        return next((one for one in list(visitor.gui.values()) if one["type"] == "GuiUplotMessage"), None)

    until(lambda: plot() and len(plot()["data"]) == 4)
    visitor.put("Plot", "left elbow")
    until(lambda: plot() and len(plot()["data"]) == 2)
    viewer.session.cut("left elbow")
    until(lambda: "left elbow" not in visitor["Plot"]["options"] and visitor["Plot"]["value"] == "Energy, J")


def test_the_script_is_saved_as_a_file(viewer, visitor):
    viewer.session.cut("left hand")
    visitor.press("Save as a file")
    until(lambda: visitor.files)
    until(lambda: "left hand" in visitor.html)


def test_python_and_the_page_work_on_the_same_session(viewer, visitor):
    viewer.session.cut("right hand")
    until(lambda: "Cut the joint “right hand”." in visitor.html)
    until(lambda: "right hand" not in visitor["Joint"]["options"])


def test_names_are_shown_as_text():
    mech = rg.Mechanism()
    mech.add_body(NAME, rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint(NAME, rg.Revolute((0, 1, 0)), "world", NAME, child_pose=rg.Pose(translation=(0, 0, 1)))
    with rg.view(mech, browser=False) as viewer, Visitor(viewer) as visitor:
        visitor.put("Joint", NAME, "Dropdown")
        until(lambda: not visitor["Cut it"]["disabled"])
        visitor.press("Cut it")
        until(lambda: "Cut the joint" in visitor.html)
        assert "<script" not in visitor.html
        assert "&lt;script&gt;" in visitor.html
        assert not any("/" + NAME in node for node in visitor.nodes)


def test_each_visitor_has_a_session_of_their_own(viewer):
    with Visitor(viewer) as first, Visitor(viewer) as second:
        first.element("Play")
        second.element("Play")
        until(lambda: len(viewer.sessions) == 2)
        one, other = viewer.sessions
        assert one is not other
        first.put("Change", "Undo")  # refused, which is told to the first alone
        until(lambda: first.told)
        first.put("Joint", "left hand", "Dropdown")
        until(lambda: not first["Cut it"]["disabled"])
        first.press("Cut it")
        until(lambda: sum(len(each.mech.loop_joints) for each in viewer.sessions) == 3)
        assert second.told == []
        assert "Cut the joint" not in second.html


def test_who_comes_back_goes_on_where_they_left(viewer):
    with Visitor(viewer) as first:
        first.press("Play")
        session = viewer.session
        until(lambda: session.t > 0.1)
        session.cut("left hand")
    until(lambda: not viewer.pages)
    t = session.t
    time.sleep(0.1)
    assert session.t == t  # nobody looks, nothing runs
    with Visitor(viewer) as again:
        until(lambda: "Cut the joint “left hand”." in again.html)
        assert viewer.session is session
        until(lambda: session.t > t)


def test_pages_that_vanish_leave_no_threads(viewer):
    before = threading.active_count()
    for _ in range(5):
        with Visitor(viewer) as visitor:
            visitor.element("Speed")
            viewer.session.running = True
            until(lambda: "running" in visitor.html)
        until(lambda: not viewer.pages)
    names = [thread.name for thread in threading.enumerate()]
    assert not any("regraft viewer" in name for name in names)
    assert threading.active_count() - before < 40  # the server's pool of at most 32


def test_an_error_in_a_page_is_told_and_it_goes_on(viewer, visitor, caplog):
    def breaks():
        raise RuntimeError("a mistake of ours")

    viewer.pages[0].post(breaks)
    until(lambda: any("a mistake of ours" in words for words in visitor.told))
    assert "an error in the viewer" in caplog.text
    visitor.put("Run", "Step")
    until(lambda: viewer.session.t > 0.0)


def test_a_speed_that_the_slider_does_not_have_leaves_the_page_whole(viewer):
    for speed in (50.0, -5.0, float("nan")):
        viewer.session.speed = speed
        with Visitor(viewer) as come:
            assert 0.1 <= come["Speed"]["value"] <= 2.0
            come.element("Save as a file")  # the last of its panels
        until(lambda: not viewer.pages)


def test_numbers_from_a_page_that_is_none_of_ours_disturb_nobody(viewer, visitor):
    with Visitor(viewer) as other:
        other.element("Save as a file")
        for value in (None, float("nan"), 1e308, "<script>", [], {}, [float("nan")] * 3, 2**63):
            for uuid in list(other.gui):
                other.send(type="GuiUpdateMessage", uuid=uuid, updates={"value": value})
        until(lambda: len(other.told) > 3)
        mine = viewer.pages[0]
        visitor.press("Play")
        frames = mine.frames
        until(lambda: mine.frames > frames + 20)
        assert viewer.pages[1].worker.alive
    assert visitor.told == []


@pytest.mark.parametrize("gravity", [1e30, 1e100])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_energies_too_large_for_a_number_leave_the_page_whole(gravity):
    mech = rg.models.human_figure().mech.replace(gravity=(0.0, 0.0, -gravity))
    with rg.view(mech, browser=False) as viewer, Visitor(viewer) as visitor:
        visitor.element("Save as a file")
        viewer.session.set_gravity((0.0, 0.0, -1e308))
        until(lambda: "too large to be represented" in visitor.html)
        viewer.session.undo()
        until(lambda: "energy" in visitor.html and "too large" not in visitor.html)
        assert visitor.told == []


def test_an_error_of_every_frame_is_told_once(viewer, visitor, caplog):
    page = viewer.pages[0]

    def fails():
        raise RuntimeError("in every frame")

    page.refresh = fails
    until(lambda: sum("an error in the viewer" in one.message for one in caplog.records) > 4)
    assert len(visitor.told) == 1
    page.tell = fails
    page.worker._said = ""  # as if another one had come: now it cannot be told either
    until(lambda: any("cannot be told" in one.message for one in caplog.records))
    assert page.worker.alive


def test_a_run_that_stops_tells_why_whichever_tab_is_open():
    def breaks(t, mech, _):
        if t > 0.1:
            raise RuntimeError("the motor burns")
        return np.zeros(mech.nv)

    with rg.view(rg.models.pendulum(), browser=False, torque=breaks) as viewer, Visitor(viewer) as visitor:
        visitor.element("Play")
        visitor.press("Play")
        until(lambda: any("the motor burns" in str(one) for one in visitor.told))
        assert any("The run has stopped" in str(one) for one in visitor.told)
        seen = len(visitor.told)
        visitor.put("Run", "Step")
        until(lambda: len(visitor.told) > seen)


def test_the_camera_follows_what_leaves_the_picture_until_the_visitor_says_otherwise():
    follow = "Follow with the camera"
    with rg.view(rg.models.high_bar().start, browser=False) as viewer, Visitor(viewer) as visitor:
        visitor.element("Play")
        page, session = viewer.pages[0], viewer.session
        assert visitor[follow]["value"] is False
        session.cut("left hand")
        session.cut("right hand")
        for _ in range(120):
            session.advance()
        until(lambda: visitor[follow]["value"])
        assert any("It has left the picture" in one for one in visitor.told)
        middle = rg.center_of_mass(session.mech, session.state)
        until(lambda: np.allclose(page.client.camera.look_at, middle))
        visitor.put(follow, False)
        until(lambda: not page.stage.shown[follow])
        session.advance()
        until(lambda: page._drawn is session.moment)
        assert page.stage.shown[follow] is False


def test_what_hangs_on_the_world_is_not_followed():
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(1.0, (0, 0, 0), (1, 0, 0)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "rod")
    with rg.view(mech, browser=False) as viewer, Visitor(viewer) as visitor:
        visitor.element("Play")
        for angle in np.linspace(0.0, 2.0 * np.pi, 9):
            viewer.session.set_joint("hinge", [angle])
            until(lambda: viewer.pages[0]._drawn is viewer.session.moment)
        assert viewer.pages[0].stage.shown["Follow with the camera"] is False


def test_signs_of_joints_are_no_larger_than_the_bodies_of_a_long_chain():
    mech = rg.Mechanism()
    for k in range(60):
        mech.add_body(f"b{k}", rg.Inertia.rod(0.1, (0, 0, 0), (0.1, 0, 0)))
        place = rg.Pose(translation=(0.1 if k else 0.0, 0, 0))
        mech.add_joint(f"j{k}", rg.Revolute((0, 1, 0)), f"b{k - 1}" if k else "world", f"b{k}", place)
    with rg.view(mech, browser=False) as viewer, Visitor(viewer) as visitor:
        visitor.element("Play")
        joints = next(one for one in viewer.pages[0].stage.overlays if one.label == "Joints")
        assert len(joints.pieces) == 60
        assert max(np.ptp(piece.vertices, axis=0).max() for piece in joints.pieces) < 0.16  # it was 0.3, of bodies of 0.1 m


def test_the_arrow_of_gravity_has_its_name(visitor):
    assert visitor.nodes["/name of gravity"]["text"] == "gravity"
    visitor.put("Gravity", False)
    until(lambda: visitor.nodes["/name of gravity"].get("visible") is False)
