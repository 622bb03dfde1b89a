"""The command line on robots: show, check, convert and re-root by the ending of a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_robots import ARM
from typer.testing import CliRunner

import regraft as rg
from regraft.cli import app


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(ARM, encoding="utf-8")
    return tmp_path


def run(*arguments, code=0):
    found = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert found.exit_code == code, found.output
    return found


def test_a_urdf_file_is_shown_with_its_notes():
    said = run("show", "arm.urdf", "--joints").stdout
    mech = rg.read("arm.urdf", ignore="all", inertia="repair").mech
    assert said.startswith(str(mech))
    assert "note: mesh" in said


def test_a_urdf_file_goes_to_json_and_back_without_a_loss():
    read = rg.read("arm.urdf", ignore="all")
    run("convert", "arm.urdf", "arm.json", "--ignore", "all")
    assert rg.load("arm.json") == read.mech
    run("convert", "arm.json", "again.urdf")
    assert rg.read("again.urdf", ignore="all").mech == read.mech


def test_a_urdf_file_is_rerooted():
    before = rg.read("arm.urdf", ignore="all")
    top = list(before.mech.bodies)[-1]
    run("reroot", "arm.urdf", "--top", top, "-o", "other.urdf", "--ignore", "all")
    after = rg.read("other.urdf", ignore="all")
    rng = np.random.default_rng(3)
    both = before.mech.layout.q_slices.keys() & after.mech.layout.q_slices.keys()
    names = sorted(name for name in both if before.mech.joints[name].type.nq == 1)
    q = {name: float(rng.uniform(-0.5, 0.5)) for name in names}
    old, new = (rg.body_poses(one.mech, one.mech.state(q=q)) for one in (before, after))
    for body in before.mech.bodies:
        one, other = old[top].inverse() @ old[body], new[top].inverse() @ new[body]
        assert np.abs(one.rotation - other.rotation).max() < 1e-12
        assert np.abs(one.translation - other.translation).max() < 1e-12


def test_check_counts_what_is_wrong_and_notes_the_rest():
    Path("bad.urdf").write_text(ARM.replace('izz="0.01"', 'izz="9"', 1), encoding="utf-8")
    said = run("check", "bad.urdf", code=1).stdout
    assert "error: inertia 'base'" in said
    assert "note: mesh" in said
    assert "1 error" in said.splitlines()[-1]
    told = CliRunner().invoke(app, ["convert", "bad.urdf", "bad.json", "--ignore", "all"])
    assert told.exit_code == 1
    assert "base" in told.output
    run("convert", "bad.urdf", "bad.json", "--ignore", "all", "--inertia", "repair")


def test_a_state_that_a_format_has_no_place_for_is_told():
    Path("state.json").write_text('{"q": {"shoulder": 0.5}}')
    said = run("convert", "arm.urdf", "posed.urdf", "--ignore", "all", "--state", "state.json").stdout
    assert "note: URDF has no state" in said
    assert said.endswith("wrote posed.urdf\n")


def test_sdf_is_read_and_not_written():
    sdf = "<sdf version='1.9'><model name='m'><link name='a'/></model></sdf>"
    Path("m.sdf").write_text(sdf)
    assert "a (1 kg)" in run("show", "m.sdf").stdout
    run("convert", "m.sdf", "m.json")
    assert "there is no writer for .sdf" in run("convert", "m.json", "n.sdf", code=1).output


def test_a_robot_floats_where_it_is_to():
    for command in ("show", "check"):
        run(command, "arm.urdf", "--base", "free")
    run("convert", "arm.urdf", "floats.json", "--ignore", "all", "--base", "free")
    assert rg.load("floats.json") == rg.read("arm.urdf", ignore="all", base="free").mech
    assert "Free" in run("reroot", "arm.urdf", "--top", "base", "--ignore", "all", "--base", "free", "--joint", "Free").stdout


def test_a_robot_is_drawn():
    said = run("show", "arm.urdf", "--picture", "arm.png").stdout
    assert said.endswith("wrote arm.png\n")
    assert Path("arm.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_said_of_several_parts_is_said_once():
    joint = '<joint name="{0}" type="revolute"><parent link="base"/><child link="{0}"/><limit lower="0" upper="0"/></joint>'
    link = (
        '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )
    parts = "".join(link.format(name) + joint.format(name) for name in ("a", "b"))
    Path("two.urdf").write_text(f'<robot name="r"><link name="base"/>{parts}</robot>', encoding="utf-8")
    reading = rg.read("two.urdf")
    limits = [one.part for one in reading.report.findings if one.kind == "limit"]
    assert limits == ["a", "b"]
    (line,) = (line for line in str(reading.report).splitlines() if line.startswith("- limit"))
    assert line.startswith("- limit 'a', 'b': both limits are 0")
    assert f"note: {line[2:]}" in run("check", "two.urdf").stdout.splitlines()
    assert f"note: {line[2:]}" in run("show", "two.urdf").stdout.splitlines()
    assert repr(reading) == f"{reading.mech}\n{reading.report}"
