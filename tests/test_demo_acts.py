"""The demonstrations of the high bar and of the swing: they write what they say, and tell the truth."""

import csv
from html import unescape

import numpy as np
import pytest
from PIL import Image

from demonstrations import check_files, check_pictures, check_report, demonstrate, refusal
from regraft.demos import act_pictures
from regraft.demos.act import run
from regraft.demos.scenery import Camera, draw_shapes
from regraft.models import high_bar, human_figure

STILL = ("strip.png", "energy.png", "gaps.png")
COUNTS = {"highbar": [24, 23, 22], "swing": [30, 30, 29, 28]}


@pytest.fixture(scope="module", params=COUNTS)
def performed(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(act_pictures, "FRAME", 0.1)  # to draw fewer frames
        options = ("--duration", "1.5") if request.param == "swing" else ()
        return request.param, folder, demonstrate(request.param, folder, *options)


def test_it_writes_what_it_says(performed):
    name, folder, said = performed
    check_files(folder, said, (*STILL, f"{name}.gif", "parts.csv", "report.html"))


def test_every_picture_can_be_opened_and_is_small(performed):
    name, folder, _ = performed
    check_pictures(folder, (*STILL, f"{name}.gif"))


def test_the_report_needs_nothing_but_itself(performed):
    _, folder, said = performed
    text = unescape(check_report(folder / "report.html", pictures=4))
    outcome = next(line for line in said.splitlines() if "degrees of freedom" in line)
    assert outcome in text


def test_its_table_counts_as_s2_does(performed):
    name, folder, said = performed
    with (folder / "parts.csv").open(encoding="utf-8") as file:
        parts = list(csv.DictReader(file))
    assert [int(part["joint dof"]) for part in parts] == COUNTS[name]
    assert " → ".join(map(str, COUNTS[name])) + " degrees of freedom" in said
    assert all(float(part["gap"]) < 1e-12 for part in parts)
    energies = [float(part["energy (J)"]) for part in parts]
    assert energies == sorted(energies, reverse=True)


def test_the_animation_plays_at_half_speed(performed):
    name, folder, _ = performed
    with Image.open(folder / f"{name}.gif") as picture:
        assert picture.info["loop"] == 0
        assert picture.info["duration"] == pytest.approx(2 * 100, abs=1)


def test_the_act_ends_where_the_figure_meets_the_ground():
    traj = run(high_bar(release=(0.4, 0.5)), 5.0)
    t, name = traj.events[-1]
    frame = name.removesuffix(" on the ground")
    assert t < 5.0
    assert traj.frame(frame).position[-1, 2] == pytest.approx(0.0, abs=1e-9)


def test_a_camera_sees_what_is_near_in_front():
    level = Camera(azimuth=0.0, elevation=0.0)  # from −y: x to the right, z up
    assert level.see(np.array([1.0, 2.0, 3.0])) == pytest.approx([1.0, 3.0, -2.0], abs=1e-15)
    figure = human_figure()
    floor = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], float)
    seen = draw_shapes(figure.shapes, *figure.start, Camera(azimuth=0.0, elevation=2.0), floor)
    right, left = (max(i for i, face in enumerate(seen.faces) if face == colour) for colour in ("#D55E00", "#0072B2"))
    assert right > left  # a figure that looks along x has its right side near a camera at −y, drawn last
    heights = np.concatenate([outline[:, 1] for outline in seen.outlines])
    assert heights.max() == pytest.approx(1.75, abs=0.03)


def test_what_makes_no_act_is_refused(tmp_path):
    assert "release must be two times" in refusal("highbar", tmp_path, "--release", "2", "1")
    assert "tears must be a time" in refusal("swing", tmp_path, "--tears", "-1")
