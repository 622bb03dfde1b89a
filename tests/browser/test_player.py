"""Motions as one HTML file in Chromium: they play from disk, follow the scrubber and the events, and show names as text."""

from __future__ import annotations

import re

import numpy as np
import pytest
from pictures import changed, seen

import regraft as rg
from regraft.show.html import motion_html
from regraft.show.player_page import framed
from regraft.simulate.histories import EventRecord

HOSTILE = "</script><script>document.title='caught'</script><img src=x onerror=document.title='caught'>"


def let_go(at=0.5):
    """Two rods on a hinge, the lower of which is let go after a while."""
    mech = rg.Mechanism()
    for name in ("upper", "lower"):
        mech.add_body(name, rg.Inertia.cylinder(1.0, 0.04, (0, 0, 0), (0, 0, -0.5)))
    mech.add_joint("shoulder", rg.Revolute((0, 1, 0)), "world", "upper", rg.Pose(translation=(0, 0, 2)))
    mech.add_joint("elbow", rg.Revolute((0, 1, 0)), "upper", "lower", rg.Pose(translation=(0, 0, -0.5)))
    mech.add_spring("rope", "upper", (0, 0, -0.5), "world", (0.5, 0, 2.5), stiffness=5.0)
    cut = rg.at_time(at, lambda mech, state: rg.cut(mech, state, "elbow"), name="elbow lets go")
    return rg.simulate(mech, mech.state(q={"shoulder": 1.0}), 1.0, events=[cut, rg.at_time(0.8, name="later")])


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return let_go().to_html(tmp_path_factory.mktemp("pages") / "arm.html", title="An arm", azimuth=0)


def opened(page, file):
    page.goto(file.as_uri())
    page.wait_for_selector("body.ready")
    return page


def drawn(page):
    """Waits until what was asked for is on the page."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def time_of(page):
    drawn(page)
    return float(page.locator("#now").text_content())


def canvas_at(page, t):
    """What is on the canvas at a time."""
    page.evaluate("t => player.seek(t)", t)
    drawn(page)
    return seen(page.locator("#space"))


def test_it_plays_from_disk(page, file):
    opened(page, file)
    before = canvas_at(page, 0.0)
    page.select_option("#speed", "0.5")
    page.click("#play")
    page.wait_for_function("() => player.t > 0.2")
    assert page.locator("#play").get_attribute("aria-label") == "Pause"
    page.keyboard.press("Escape")  # which does nothing
    page.click("#play")
    stopped = time_of(page)
    assert 0.0 < stopped < 1.0
    assert changed(before, canvas_at(page, stopped)) > 25.0
    page.wait_for_timeout(150)
    assert time_of(page) == stopped


def test_it_stops_at_the_end_and_begins_again(page, file):
    opened(page, file)
    page.evaluate("() => player.seek(0.95)")
    page.keyboard.press(" ")
    page.wait_for_function("() => !player.playing && player.t === player.film.end")
    page.evaluate("() => player.play(true)")
    page.wait_for_function("() => player.playing && player.t < 0.5")


def test_the_scrubber_and_the_curves_move_the_time(page, file):
    opened(page, file)
    page.locator("#scrubber").fill("0.25")
    assert time_of(page) == pytest.approx(0.25, abs=2e-3)
    box = page.locator("#curves").bounding_box()
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"])
    assert time_of(page) == pytest.approx(0.75, abs=0.02)
    plotted = seen(page.locator("#curves"))
    page.evaluate("() => player.seek(0.1)")
    drawn(page)
    assert changed(plotted, seen(page.locator("#curves"))) > 5.0  # the line that tells the time
    page.mouse.move(box["x"] + 9 + 0.5 * (box["width"] - 18), box["y"] + 20)
    assert "elbow lets go" in page.locator("#hint").text_content()


def test_an_event_is_a_caption_and_a_row_to_click_on(page, file):
    opened(page, file)
    assert page.locator(".caption").count() == 0
    page.click("#events button:has-text('elbow lets go')")
    assert time_of(page) == 0.5
    caption = page.locator(".caption")
    assert caption.text_content() == "elbow lets go0.500 s"
    assert "past" in page.locator("#events button").first.get_attribute("class")
    page.evaluate("() => player.seek(0.2)")
    page.wait_for_function("() => !document.querySelector('.caption')")


def test_frames_are_stepped_with_both_sides_of_a_change(page, file):
    """Before it the elbow is a joint, after it the lower rod is a root of its own."""
    opened(page, file)
    page.click("#events button:has-text('elbow lets go')")
    rows = page.locator("#tree .row")
    drawn(page)
    assert rows.last.text_content().endswith("lowerroot")
    assert "new" in rows.last.get_attribute("class")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => document.getElementById('time').dataset.side === 'before'")
    assert time_of(page) == 0.5
    assert rows.last.text_content() == "  └ elbow → lower"
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => player.t < 0.5")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_function("() => Math.abs(player.t - 0.8) < 1e-8")
    page.keyboard.press("Home")
    page.wait_for_function("() => player.t === 0")


@pytest.mark.parametrize("at", [1 / 3, 0.7, np.nextafter(0.6, 0)])
def test_an_event_at_any_time_is_seen_from_after_it(page, tmp_path, at):
    opened(page, let_go(at).to_html(tmp_path / "arm.html"))
    page.click("#events button:has-text('elbow lets go')")
    page.wait_for_function("() => document.getElementById('time').dataset.side === 'after'")
    assert page.locator("#tree .row").last.text_content().endswith("lowerroot")
    assert page.locator(".caption").count() == 1


def test_the_picture_is_turned_and_layers_are_switched(page, file):
    opened(page, file)
    first = canvas_at(page, 0.3)
    box = page.locator("#space").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 330, box["y"] + 240, steps=4)
    page.mouse.up()
    turned = canvas_at(page, 0.3)
    assert changed(first, turned) > 25.0
    page.dblclick("#space", position={"x": 20, "y": 200})
    assert changed(first, canvas_at(page, 0.3)) < 3.0
    page.mouse.wheel(0, -600)
    assert changed(first, canvas_at(page, 0.3)) > 20.0
    page.click("#whole")
    page.click("button[data-layer=floor]")
    assert changed(first, canvas_at(page, 0.3)) > 8.0


def test_the_pointer_tells_what_is_below_it(page, file):
    opened(page, file)
    canvas_at(page, 0.0)
    at = page.evaluate("""() => {
      const p = player.film.places, m = player.painter.scene.seen;
      const [x, y, z] = [0, 4, 8].map((r) => -0.25 * p[r + 2] + p[r + 3]);  // the middle of the upper rod
      const [right, up, , deep] = [0, 1, 2, 3].map((r) => m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r]);
      return [0.5 + (0.5 * right) / deep, 0.5 - (0.5 * up) / deep];
    }""")
    box = page.locator("#space").bounding_box()
    page.mouse.move(box["x"] + at[0] * box["width"], box["y"] + at[1] * box["height"])
    page.locator("#pointed:visible").wait_for()
    assert page.locator("#pointed").text_content() == "upper"
    page.wait_for_timeout(60)
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.locator("#pointed").wait_for(state="hidden")


def test_bodies_are_where_the_simulation_has_them(page, file):
    """In the middle of the picture of a thin rod's own colour, and elsewhere at another time."""
    opened(page, file)
    traj = let_go()
    for t in (0.123, 0.61):
        page.evaluate("t => player.seek(t)", t)
        places = np.array(page.evaluate("() => [...player.film.moveTo(player.cursor)]")).reshape(-1, 3, 4)
        poses = rg.body_poses(traj.mechanism(t), traj.state(t))
        for k, body in enumerate(("upper", "lower")):
            assert places[k, :, 3] == pytest.approx(poses[body].translation, abs=2e-3)  # between two frames it is interpolated
            assert places[k, :, :3] == pytest.approx(poses[body].rotation, abs=4e-3)


def test_names_are_shown_as_text(page, tmp_path):
    mech = rg.Mechanism()
    mech.add_body(HOSTILE, rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint('a" onclick="x', rg.Free(), "world", HOSTILE)
    traj = rg.simulate(mech, mech.state(), 0.3)
    traj.events.append(EventRecord(0.1, HOSTILE + "\x1b\u2028"))
    opened(page, traj.to_html(tmp_path / "hostile.html", title=HOSTILE))
    page.click("#events button")
    drawn(page)
    assert page.locator("#title").text_content() == HOSTILE
    assert page.locator("#events .what").text_content() == HOSTILE + r"\x1b\u2028"
    assert page.locator(".caption .what").text_content() == HOSTILE + r"\x1b\u2028"
    assert HOSTILE in page.locator("#tree").text_content()
    assert page.title() == HOSTILE
    assert page.locator("img").count() == 0


def test_the_policy_stops_what_names_could_do_if_they_were_no_text(page, file):
    opened(page, file)
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.caught = 1'; document.body.append(s); }"
    )
    assert page.evaluate("() => window.caught") is None
    failed = page.evaluate("() => fetch('data:,x').then(() => false, () => true)")
    assert failed


def test_it_works_in_a_narrow_frame_of_another_page(page, tmp_path):
    whole = tmp_path / "whole.html"
    frame = framed(motion_html(let_go(), autoplay=True, loop=True), "An arm", 320)
    whole.write_text(f"<!DOCTYPE html><body style='width: 340px'>{frame}</body>", encoding="utf-8")
    page.goto(whole.as_uri())
    inside = page.frame_locator("iframe")
    inside.locator("body.ready").wait_for()
    inside.locator("#play.playing").wait_for()
    page.frames[1].wait_for_function("document.documentElement.scrollWidth <= innerWidth")  # once it is laid out
    shapes = seen(inside.locator("#space"))
    assert np.ptp(shapes) > 40.0


def test_a_mechanism_at_rest_has_no_timeline(page, tmp_path):
    mech, state = rg.models.four_bar().start
    opened(page, mech.to_html(state, tmp_path / "four_bar.html"))
    assert not page.locator("#bottom").is_visible()
    assert page.locator("#tree .row.loop").count() == 1
    assert re.search("closes a loop", page.locator("#legend").text_content())


def test_light_and_dark(new_page, file):
    light, dark = (canvas_at(opened(new_page(color_scheme=scheme), file), 0.0) for scheme in ("light", "dark"))
    assert light.mean() > dark.mean() + 100.0


def test_without_webgl_the_page_says_so(page, file):
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null;")
    page.goto(file.as_uri())
    page.wait_for_selector("body.in-trouble")
    assert "WebGL 2" in page.locator("#trouble").text_content()
