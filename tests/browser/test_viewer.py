"""The viewer in Chromium: what is clicked happens to the mechanism behind the page, and is seen on the canvas."""

from __future__ import annotations

import time

import numpy as np
import pytest
from pictures import changed, seen

import regraft as rg

pytest.importorskip("viser")

NAME = "<img src=x onerror=\"window.broken = 1\"><script>window.broken = 2</script> 'quoted' *bold* `code` &amp;"
SEEN = 8.0  # of 255: the cell that changed most, where something moved


def until(condition, page, patience=60.0):
    """What a condition gives as soon as it gives something; the browser goes on meanwhile."""
    end = time.monotonic() + patience
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        page.wait_for_timeout(50)
    return found


def opened(page, viewer):
    """The page of a viewer, when it is drawn."""
    page.goto(viewer.url)
    until(lambda: viewer.pages, page)
    page.get_by_role("button", name="Play").wait_for()
    page.locator("canvas").first.wait_for()
    page.wait_for_timeout(1000)
    hint = page.locator(".mantine-Notification-closeButton")  # that there is no graphics card
    if hint.count():
        hint.first.click()
    return viewer.pages[0]


def pixel(page, shown, place):
    """Where a place in the world is on the screen."""
    camera = shown.client.camera
    z = camera.look_at - camera.position
    z = z / np.linalg.norm(z)
    x = np.cross(z, camera.up_direction)
    x = x / np.linalg.norm(x)
    y = np.cross(z, x)
    away = np.asarray(place) - camera.position
    box = page.locator("canvas").first.bounding_box()
    scale = 0.5 * box["height"] / np.tan(0.5 * camera.fov) / float(away @ z)
    middle = box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]
    return float(middle[0] + scale * float(away @ x)), float(middle[1] + scale * float(away @ y))


def click_at(page, shown, place, **how):
    """Click on a place in the world."""
    x, y = pixel(page, shown, place)
    page.mouse.move(x, y)
    page.wait_for_timeout(300)
    if how.get("shift"):
        page.keyboard.down("Shift")
    page.mouse.click(x, y)
    if how.get("shift"):
        page.keyboard.up("Shift")


def choose(page, label, option):
    """Choose from a list."""
    page.get_by_label(label, exact=True).first.click()
    page.get_by_role("option", name=option, exact=True).click()


def test_a_joint_is_clicked_and_cut_the_run_is_seen_and_all_is_undone(page):
    with rg.view(rg.models.high_bar().start, browser=False) as viewer:
        shown = opened(page, viewer)
        session, canvas = viewer.session, page.locator("canvas").first
        start = seen(canvas)
        assert changed(np.broadcast_to(start[2, 2], start.shape), start) > 40.0  # a figure, not an empty canvas
        beside = np.array([0.0, 0.1, 0.0])  # the hand, on the axis
        click_at(page, shown, shown.stage.placed.joint("left hand") + beside)
        cut = page.get_by_role("button", name="Cut it")
        until(cut.is_enabled, page)
        cut.click()
        until(lambda: session.mech.loop_joints == ("right hand",), page)
        page.get_by_role("button", name="Play").click()
        until(lambda: session.t > 0.6, page)
        page.get_by_role("button", name="Pause").click()
        until(lambda: not session.running, page)
        page.wait_for_timeout(500)
        moved = seen(canvas)
        assert changed(start, moved) > SEEN
        page.get_by_role("tab", name="Log").click()
        page.get_by_text("Cut the joint “left hand”.").first.wait_for()
        page.get_by_role("button", name="Undo").click()
        until(lambda: len(session.mech.loop_joints) == 2 and session.t == 0.0, page)
        page.wait_for_timeout(500)
        assert changed(start, seen(canvas)) < changed(start, moved)


def test_bodies_are_connected_pulled_and_made_the_root(page):
    model = rg.models.high_bar()
    with rg.view((model.mech, model.state.replace(v=np.zeros(model.mech.nv))), browser=False) as viewer:
        shown = opened(page, viewer)
        session, placed = viewer.session, shown.stage.placed
        click_at(page, shown, placed.centre("right shank"))
        page.get_by_role("button", name="Make it the root").wait_for()
        until(page.get_by_role("button", name="Make it the root").is_enabled, page)
        choose(page, "Body", "left forearm")
        page.get_by_role("button", name="Make it the root").click()
        until(lambda: rg.hierarchy(session.mech).top == "left forearm", page)
        choose(page, "Body", "left shank")
        choose(page, "Connect to", "right shank")
        choose(page, "Joint type", "Fixed")
        page.get_by_role("button", name="Connect", exact=True).click()
        until(lambda: "left shank_right shank" in session.mech.joints, page)
        page.get_by_role("button", name="Play").click()
        x, y = pixel(page, shown, shown.stage.placed.centre("trunk"))
        page.mouse.move(x, y)
        page.mouse.down()
        for k in range(1, 6):
            page.mouse.move(x + 20 * k, y)
            page.wait_for_timeout(100)
        until(lambda: session.grip is not None, page)
        page.mouse.up()
        until(lambda: session.grip is None, page)
        assert {entry.kind for entry in session.history.log} == {"change"}


def test_a_motion_is_played_across_its_events(page):
    walker = rg.models.simplest_walker()
    traj = rg.simulate(*walker.start, 8.0, events=walker.events)
    with rg.view(traj, browser=False) as viewer:
        opened(page, viewer)
        played, canvas = viewer.session, page.locator("canvas").first
        start = seen(canvas)
        page.get_by_role("button", name="Play").click()
        until(lambda: played.t > 1.5, page)
        page.get_by_role("button", name="Pause").click()
        until(lambda: not played.running, page)
        page.wait_for_timeout(500)
        assert changed(start, seen(canvas)) > SEEN
        page.get_by_role("button", name="On ▶").last.click()
        until(lambda: played.t == traj.events[0][0], page)
        page.get_by_text("root: “left”").wait_for()
        assert page.locator(".uplot canvas").count() == 1


def test_names_are_shown_as_text_and_code_is_copied(new_page):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    mech = rg.Mechanism()
    mech.add_body(NAME, rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint(NAME, rg.Revolute((0, 1, 0)), "world", NAME, child_pose=rg.Pose(translation=(0, 0, 1)))
    with rg.view(mech, browser=False) as viewer:
        shown = opened(page, viewer)
        viewer.session.set_joint(NAME, [0.3])
        shown.post(shown.change.choose_joint, NAME)
        shown.post(shown.stage.show, "Names of bodies", True)
        shown.post(shown.tell, NAME, NAME)
        page.get_by_text(NAME).first.wait_for()
        page.get_by_role("tab", name="Plots").click()
        choose(page, "Plot", NAME)
        page.get_by_role("tab", name="Log").click()
        page.get_by_text(f"Put the joint “{NAME}” to 0.3.").wait_for()
        page.get_by_role("button", name="Copy").click()
        page.get_by_role("button", name="Copied").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == viewer.session.script()
        assert page.evaluate("window.broken") is None
