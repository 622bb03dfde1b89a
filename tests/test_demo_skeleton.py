"""The demonstration of skeletons in maximal coordinates: it writes what it says, and tells the truth."""

import csv
from html import unescape

import numpy as np
import pytest

from demonstrations import check_files, check_motions, check_pictures, check_report, demonstrate, refusal
from regraft.demos.skeleton.demo import motors
from regraft.models import character, skeleton_example
from regraft.show.colours import STEEL, colour_of
from regraft.show.outlines import outlines_of
from regraft.show.scenery import Camera, draw_placed, placed_in

STRIPS = ("hinge.png", "spherical.png", "frictionless.png", "friction.png", "motors.png")
MOTIONS = tuple(name.replace("png", "html") for name in STRIPS)
STILL = (*STRIPS, "linear.png", "angular.png", "energy.png", "gaps.png")
DURATION = 0.4


@pytest.fixture(scope="module")
def performed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "skeleton"
    return folder, demonstrate("skeleton", folder, "--duration", str(DURATION), "--step", "0.002")


@pytest.fixture(scope="module")
def drifts(performed):
    folder, _ = performed
    with (folder / "drifts.csv").open(encoding="utf-8") as file:
        return {(row["motion"], row["step"]): row for row in csv.DictReader(file)}


def test_it_writes_what_it_says(performed):
    check_files(*performed, (*STILL, *MOTIONS, "drifts.csv", "report.html"))


def test_every_picture_can_be_opened_and_is_small(performed):
    check_pictures(performed[0], STILL)
    check_motions(performed[0], MOTIONS)


def test_the_report_needs_nothing_but_itself(performed):
    folder, said = performed
    text = unescape(check_report(folder / "report.html", pictures=len(STILL), motions=5))
    outcome = next(line for line in said.splitlines() if line.startswith("Joints closed"))
    assert outcome in text


def test_rk4_keeps_the_joints_closed_and_s3_lets_them_drift(drifts):
    assert len(drifts) == 10
    for (_, step), row in drifts.items():
        gap, linear = float(row["gap"]), float(row["ΔP/P"])
        assert (gap < 1e-14) if step == "rk4" else (1e-5 < gap < 0.1)
        assert linear < (1e-4 if step == "rk4" else 1e-12)


def test_momentum_is_kept_by_all_and_energy_where_nothing_takes_it(drifts):
    for (motion, step), row in drifts.items():
        assert float(row["ΔL/L"]) < (1e-4 if step == "rk4" else 1e-2)
        first, last = float(row["energy at the start (J)"]), float(row["energy at the end (J)"])
        assert bool(row["ΔE/E"]) == ("friction" not in motion or motion == "no friction")
        if row["ΔE/E"]:
            assert float(row["ΔE/E"]) < (1e-6 if step == "rk4" else 0.05)
            assert last == pytest.approx(first, rel=1e-6 if step == "rk4" else 0.05)
    taken, given = (float(drifts[motion, "rk4"]["energy at the end (J)"]) for motion in ("friction", "friction, motors"))
    assert taken < 0.99 * first < given


def test_motors_act_in_elbows_and_knees_and_for_a_while():
    thrown = character()
    torque = motors(0.5, 1.0)
    assert not torque(0.4, *thrown.start).any()
    assert not torque(1.0, *thrown.start).any()
    found = torque(0.5, *thrown.start)
    driven = {name for name in thrown.mech.joints if found[thrown.mech.v_slice(name)].any()}
    assert driven == {"left elbow", "right elbow", "left knee", "right knee"}
    assert (found >= 0.0).all()


def test_joints_are_drawn_in_another_colour_than_bodies():
    example = skeleton_example()
    floor = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], float)
    placed = placed_in(outlines_of(*example.start), *example.start)
    faces = draw_placed(placed, Camera(30.0, 15.0), floor).faces
    assert faces.count(STEEL) == 2
    bodies = {colour_of(body) for body in example.mech.bodies}
    assert len(bodies) == 3
    assert bodies < set(faces)


def test_a_step_that_is_too_long_is_refused(tmp_path):
    assert "at most a hundredth of the duration" in refusal("skeleton", tmp_path, "--step", "0.1")
    assert "the step must be positive" in refusal("skeleton", tmp_path, "--step", "0")
