"""The demonstration of a gait and the command for files: they write what they say, and say what is wrong in one line."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import regraft as rg
from demonstrations import check_files, check_motions, check_pictures, check_report, demonstrate, refusal
from regraft.cli import app

PICTURES = ("strip.png", "time.png", "cycle.png")
FILES = (*PICTURES, "gait.html", "gait.csv", "gait.sto", "report.html")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "gait"
    return folder, demonstrate("gait", folder, "--strides", "3")


def test_the_demonstration_writes_what_it_says(shown):
    check_files(*shown, FILES)
    check_pictures(shown[0], PICTURES)
    check_motions(shown[0], ["gait.html"])
    check_report(shown[0] / "report.html", pictures=len(PICTURES))


def test_it_finds_who_stands_when(shown):
    (late,) = re.findall(r"of (\d+) strikes and toe-offs that were found, the farthest is (\d+) ms", shown[1])
    assert int(late[0]) == 12
    assert int(late[1]) <= 40
    assert "The root changed 6 times." in shown[1]


def test_a_walk_that_nobody_can_walk_is_refused(tmp_path):
    assert "speed" in refusal("gait", tmp_path, "--speed", "9")


# --- regraft gait ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A walk in a BVH file, and the forces of the ground in a table."""
    folder = tmp_path_factory.mktemp("recorded")
    walk = rg.mocap.normal_walk(cycles=3, rate=60.0)
    walk.recording.save(folder / "walk.bvh")
    gait = rg.mocap.analyse(walk.motion)
    plates = tuple(
        rg.mocap.Plate(side, gait.t, gait.reaction[side], np.nan_to_num(gait.pressure[side]), np.zeros((len(gait.t), 3)))
        for side in ("left", "right")
    )
    rg.mocap.Recording("plates", gait.t, plates=plates).save(folder / "plates.mot")
    return folder


def called(*arguments, code=0):
    found = CliRunner().invoke(app, ["gait", *map(str, arguments)])
    assert found.exit_code == code, found.output
    assert "Traceback" not in found.output
    return found


@pytest.fixture
def undrawn(monkeypatch):
    """Pictures take most of the time of a report, and are no matter of these tests."""
    monkeypatch.setattr("regraft.show.gait_terminal.write_files", lambda *_: [])


def refused(*arguments):
    return called(*arguments, code=1).stderr.splitlines()[-1]


def test_a_recording_becomes_a_report(recorded, tmp_path):
    said = called(recorded / "walk.bvh", "--mass", 70, "--sex", "male", "--out", tmp_path / "out").stdout
    check_files(tmp_path / "out", said, FILES)
    assert re.search(r"^speed \(m/s\)\s+1\.3\d", said, re.MULTILINE)
    assert re.search(r"^cadence \(steps/min\)\s+10\d\.", said, re.MULTILINE)
    assert "note: masses by de Leva, male, 70 kg in all" in said


def test_plates_are_shown_beside_what_motion_gives(recorded, tmp_path):
    said = called(recorded / "walk.bvh", "--mass", 70, "--plates", recorded / "plates.mot", "--out", tmp_path).stdout
    check_files(tmp_path, said, (*FILES, "gait_with_plates.csv", "gait_with_plates.sto"))
    assert "right, plates" in said


@pytest.mark.usefixtures("undrawn")
def test_options_reach_the_analysis(recorded, tmp_path):
    said = called(
        recorded / "walk.bvh", "--mass", 70, "--height", 1.6, "--cutoff", 0, "--sharing", "smooth", "--belt", 0, "--out", tmp_path
    ).stdout
    assert "so that the body is 1.6 m tall" in said
    assert "note: not filtered" in said


def test_what_is_wrong_is_told_in_one_line(recorded, tmp_path):
    walk, table, out = recorded / "walk.bvh", recorded / "plates.mot", ("--out", tmp_path / "never")
    assert "--mass 75" in refused(walk, *out)
    assert "--model FILE.osim" in refused(table, *out)
    assert "cannot read" in refused(tmp_path / "none.bvh", "--mass", 70, *out)
    assert "--belt is a speed in m/s or auto, not 'fast'" in refused(walk, "--mass", 70, "--belt", "fast", *out)
    assert "has no force plates" in refused(walk, "--mass", 70, "--own-plates", *out)
    assert "has no force plates" in refused(walk, "--mass", 70, "--plates", walk, *out)
    assert "two sources of force plates" in refused(walk, "--mass", 70, "--own-plates", "--plates", table, *out)
    for option, value in (("--mass", "70"), ("--height", "1.8"), ("--sex", "male"), ("--static", str(walk))):
        assert f"{option} is not for an OpenSim model" in refused(table, "--model", "x.osim", option, value, *out)
    assert "--level is not for" in refused(table, "--model", "x.osim", "--level", *out)
    assert "--up is not for coordinates of a model" in refused(table, "--model", "x.osim", "--up", "y", *out)
    assert not (tmp_path / "never").exists()


def test_a_folder_that_cannot_be_is_told(recorded, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "cannot write" in refused(recorded / "walk.bvh", "--mass", 70, "--out", tmp_path / "file" / "out")


def test_other_supports_are_named_on_the_command_line(recorded, tmp_path):
    walk, out = recorded / "walk.bvh", ("--out", tmp_path / "out")
    for wrong in ("rail", "=left_hand", "rail=", "rail=right_hand@high"):
        assert f"--support takes NAME=POINT,POINT or NAME=POINT,POINT@LEVEL in metres, not {wrong!r}" in refused(
            walk, "--mass", 70, "--support", wrong, *out
        )
    assert "'left_paw', which the body does not have" in refused(walk, "--mass", 70, "--support", "hand=left_paw", *out)
    said = called(walk, "--mass", 70, "--support", "cane=left_toe", "--support", "rail=right_hand@0.95", *out).stdout
    assert "cane_reaction_z" in (tmp_path / "out" / "gait.csv").read_text(encoding="utf-8").splitlines()[0]
    assert "'rail' never carries anything" in " ".join(said.split())


@pytest.mark.usefixtures("undrawn")
def test_a_static_trial_has_the_axes_and_units_of_the_motion(recorded, tmp_path):
    said = called(
        recorded / "walk.bvh", "--mass", 70, "--static", recorded / "walk.bvh", "--scale", 0.01, "--out", tmp_path
    ).stdout
    assert "m tall" in said
