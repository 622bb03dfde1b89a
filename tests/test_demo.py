"""The demonstrations: they run from the shell, write what they say, and tell the truth."""

import csv
import json
import re
from html import unescape

import numpy as np
import pytest
from PIL import Image

import regraft as rg
from demonstrations import check_files, check_motions, check_pictures, check_report, demonstrate, refusal
from regraft.demos.walker import animation as walker_animation
from regraft.demos.walker.walk import cycle_of, take_walk, with_distances
from regraft.models import compass_biped

PICTURES = ("walker.png", "strobe.png", "phase.png", "energy.png", "convergence.png")
FILES = (*PICTURES, "walker.html", "steps.csv", "report.html")


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "walker"
    return folder, demonstrate("walker", folder, "--steps", "6")


def test_it_writes_what_it_says(walked):
    check_files(*walked, FILES)


def test_every_picture_can_be_opened_and_is_small(walked):
    check_pictures(walked[0], PICTURES)


def test_the_motion_is_on_its_slope(walked):
    check_motions(walked[0], ["walker.html"])
    header = json.loads(re.search(r'id="film">(.*?)</script>', (walked[0] / "walker.html").read_text(), re.DOTALL)[1])
    floor = np.array(header["room"]["floor"])
    normal, place = floor[[2, 5, 8]], floor[9:]
    walk = take_walk(compass_biped(), 6)
    assert np.degrees(np.arccos(normal[2])) == pytest.approx(np.degrees(walk.biped.slope), abs=1e-4)
    for segment in walk.trajectory.segments:
        feet = [pose.apply((0, 0, -1.0)) for pose in rg.body_poses(segment.mech, segment.state(segment.t[0])).values()]
        assert min(float(normal @ (foot - place)) for foot in feet) == pytest.approx(0.0, abs=1e-5)


def test_there_is_a_moving_picture_for_where_a_page_cannot_play(tmp_path):
    walk = take_walk(compass_biped(), 6)
    with Image.open(walker_animation.animate(tmp_path / "walker.gif", walk)) as picture:
        assert picture.info["loop"] == 0
        assert picture.info["duration"] == 30
        assert picture.n_frames == pytest.approx(2 * 0.734 / 0.03, abs=1)


def test_its_numbers_are_those_of_the_gait(walked):
    folder, said = walked
    with (folder / "steps.csv").open(encoding="utf-8") as file:
        steps = list(csv.DictReader(file))
    assert len(steps) == 6
    last = {name: value for name, value in steps[-1].items() if name != "foot"}
    assert float(last["period (s)"]) == pytest.approx(0.73438, abs=2e-4)
    assert float(last["length (m)"]) == pytest.approx(0.53558, abs=2e-4)
    assert float(last["speed (m/s)"]) == pytest.approx(0.73438**-1 * 0.53558, abs=1e-3)
    assert float(last["lost (J)"]) == pytest.approx(1.1007, abs=2e-3)
    shown = f"{float(last['period (s)']):.4f}"
    assert shown in said
    assert f"<td>{shown}</td>" in (folder / "report.html").read_text(encoding="utf-8")


def test_the_report_needs_nothing_but_itself(walked):
    text = check_report(walked[0] / "report.html", pictures=4)
    assert "The walker made 6 steps" in unescape(text)


def test_a_walker_that_falls_is_drawn_too(tmp_path):
    said = demonstrate("walker", tmp_path, "--slope", "0.2", "--steps", "5")
    assert "The walker fell after 1 step" in said
    assert "Try another slope" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)


def test_one_step_is_a_walk():
    walk = take_walk(compass_biped(), 1)
    assert walk.outcome() == "The walker made 1 step in 0.74 s."
    assert len(walk.steps) == len(walk.trajectory.segments) == 1


def test_a_thousand_steps_are_a_walk():
    walk = take_walk(compass_biped(), 1000)
    assert len(walk.steps) == 1000
    assert walk.steps[-1].period == pytest.approx(walk.steps[50].period, abs=1e-9)
    assert walk.steps[-1].change < 1e-10


def test_the_distance_from_the_limit_cycle_falls_as_its_multipliers_say():
    biped = compass_biped()
    walk = with_distances(take_walk(biped, 20), cycle_of(biped))
    far = np.array([step.off_cycle for step in walk.steps])
    assert far[0] < 0.01
    assert (far[-1] / far[3]) ** (1 / 16) == pytest.approx(0.58, abs=0.02)


@pytest.mark.parametrize("name", ["walker", "highbar", "swing"])
def test_a_folder_that_cannot_be_made_is_an_error_in_one_line(name, tmp_path):
    (tmp_path / "taken").write_text("")
    assert refusal(name, tmp_path / "taken").startswith("error: cannot write to")


def test_a_slope_that_is_none_is_refused(tmp_path):
    assert "slope must be an angle" in refusal("walker", tmp_path, "--slope", "3")
