"""The demonstrations of the high bar and of the swing: they write what they say, and tell the truth."""

import csv
from html import unescape

import numpy as np
import pytest
from matplotlib.figure import Figure as MatplotlibFigure

import regraft as rg
from demonstrations import check_files, check_motions, check_pictures, check_report, demonstrate, refusal
from regraft.demos.acts.act import motion_of
from regraft.demos.acts.pictures import draw_energies
from regraft.models import high_bar, human_figure
from regraft.show.outlines import outlines_of
from regraft.show.scene import Scene
from regraft.show.scenery import Camera, draw_placed, placed_in
from regraft.simulate.invariants import largest_by_interval

STILL = ("strip.png", "energy.png", "loops.png")
COUNTS = {"highbar": [24, 23, 22], "swing": [30, 30, 29, 28]}
FREE = {"highbar": [12, 17, 22], "swing": [8, 12, 17, 22]}


@pytest.fixture(scope="module", params=COUNTS)
def performed(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / request.param
    options = ("--duration", "1.5") if request.param == "swing" else ()
    return request.param, folder, demonstrate(request.param, folder, *options)


def test_it_writes_what_it_says(performed):
    name, folder, said = performed
    check_files(folder, said, (*STILL, f"{name}.html", "parts.csv", "report.html"))


def test_every_picture_can_be_opened_and_is_small(performed):
    name, folder, _ = performed
    check_pictures(folder, STILL)
    check_motions(folder, [f"{name}.html"])


def test_the_report_needs_nothing_but_itself(performed):
    _, folder, said = performed
    text = unescape(check_report(folder / "report.html", pictures=3))
    outcome = next(line for line in said.splitlines() if "degrees of freedom" in line)
    assert outcome in text


def test_it_counts_coordinates_as_s2_does_and_degrees_of_freedom_beside_them(performed):
    name, folder, said = performed
    with (folder / "parts.csv").open(encoding="utf-8") as file:
        parts = list(csv.DictReader(file))
    assert [int(part["coordinates"]) for part in parts] == COUNTS[name]
    assert [int(part["dof"]) for part in parts] == FREE[name]
    for counts in (COUNTS[name], FREE[name]):
        assert " → ".join(map(str, counts)) in said
    assert all(float(part["gap"]) < 1e-12 for part in parts)
    energies = [float(part["energy (J)"]) for part in parts]
    assert energies == sorted(energies, reverse=True)


def test_the_act_ends_where_the_figure_meets_the_ground():
    traj = motion_of(high_bar(release=(0.4, 0.5)), 5.0)
    t, name = traj.events[-1]
    frame = name.removesuffix(" on the ground")
    assert t < 5.0
    assert traj.frame(frame).position[-1, 2] == pytest.approx(0.0, abs=1e-9)


def test_what_happened_is_written_below_the_pose_of_that_moment():
    figure = high_bar(release=(0.5, 0.52))
    traj = motion_of(figure, 0.8)
    scene = Scene(Camera(25.0, 12.0), traj, rows=2, columns=4, notes={0.0: "at first"})
    assert [(t, name) for t, name in traj.events] == [(0.5, "right hand lets go"), (0.52, "left hand lets go")]
    said = [scene.said(number) for number in range(8)]
    assert ["0.50 s", "right hand lets go"] in said
    assert ["0.52 s", "left hand lets go"] in said
    assert said[0] == ["0.00 s", "at first"]
    assert sum(len(lines) for lines in said) == 8 + 3
    assert scene.moments[-1] == traj.t[-1]
    apart = np.diff(scene.moments)
    assert len(apart) == 7
    assert apart.min() > 0.0
    assert apart.max() < 0.15  # where equal times would be 0.8 / 7 apart


def test_energies_are_drawn_with_their_zero_on_the_ground():
    figure = high_bar()
    traj = motion_of(figure, 0.1)
    ax = MatplotlibFigure().subplots()
    draw_energies(ax, traj)
    kinetic, potential, total = (line.get_ydata() for line in ax.lines[:3])
    heights = rg.center_of_mass(*figure.start)[2]
    assert potential[0] == pytest.approx(70.0 * 9.81 * heights, rel=1e-9)
    assert total == pytest.approx(kinetic + potential, rel=1e-14)
    assert "0 on the ground" in ax.get_ylabel()


def test_what_rounding_does_from_step_to_step_is_not_drawn():
    t, values = np.linspace(0.0, 1.0, 1001), np.random.default_rng(1).uniform(0.0, 1.0, 1001)
    edges, largest = largest_by_interval(t, values, 10)
    assert len(edges) == 11
    assert largest[-1] == values[900:].max()
    assert [largest[k] for k in range(9)] == [values[(t >= edges[k]) & (t < edges[k + 1])].max() for k in range(9)]


def test_a_camera_sees_what_is_near_in_front():
    level = Camera(azimuth=0.0, elevation=0.0)  # from −y: x to the right, z up
    assert level.see(np.array([1.0, 2.0, 3.0])) == pytest.approx([1.0, 3.0, -2.0], abs=1e-15)
    figure = human_figure()
    floor = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], float)
    seen = draw_placed(placed_in(outlines_of(*figure.start), *figure.start), Camera(azimuth=0.0, elevation=2.0), floor)
    right, left = (max(i for i, face in enumerate(seen.faces) if face == colour) for colour in ("#D55E00", "#0072B2"))
    assert right > left  # a figure that looks along x has its right side near a camera at −y, drawn last
    heights = np.concatenate([outline[:, 1] for outline in seen.outlines])
    assert heights.max() == pytest.approx(1.75, abs=0.03)


def test_what_makes_no_act_is_refused(tmp_path):
    assert "release must be two times" in refusal("highbar", tmp_path, "--release", "2", "1")
    assert "tears must be a time" in refusal("swing", tmp_path, "--tears", "-1")
