"""Loops and motors from the .yaml file beside a URDF file."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import regraft as rg
from regraft.ask.loop_measures import loop_measures

LINK = """<link name="{}"><inertial><origin xyz="0 0 0.5"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
HINGE = """<joint name="{}" type="continuous"><parent link="{}"/><child link="{}"/>
<origin xyz="{}"/><axis xyz="0 1 0"/></joint>"""
WELD = '<joint name="{}" type="fixed"><parent link="{}"/><child link="{}"/><origin xyz="{}"/></joint>'
YAML = """closed_loop: [['end', 'pin']]
type: ['{}']
name_mot: ['motor']
"""


def five_bar(folder, yaml=None, name="robot"):
    """Two arms on a base whose ends a loop holds together: a square that is closed at zero, with a spare body."""
    parts = [LINK.format(link) for link in ("base", "left", "left_end", "right", "bar", "tip")] + ["<link name='end'/>"]
    parts += [
        HINGE.format("motor", "base", "left", "0 0 0"),
        HINGE.format("elbow", "left", "left_end", "0 0 1"),
        WELD.format("end_frame", "left_end", "end", "1 0 0"),
        HINGE.format("shoulder", "base", "right", "1 0 0"),
        HINGE.format("pin", "right", "tip", "0 0 1"),
        HINGE.format("spare", "right", "bar", "0 0 0.5"),
    ]
    file = folder / f"{name}.urdf"
    file.write_text(f"<robot name='five_bar'>{''.join(parts)}</robot>", encoding="utf-8")
    if yaml is not None:
        file.with_suffix(".yaml").write_text(yaml, encoding="utf-8")
    return file


@pytest.mark.parametrize(("kind", "joint"), [("6d", rg.Fixed()), ("3d", rg.Spherical()), ("6D", rg.Fixed())])
def test_pairs_of_frames_become_loop_joints(tmp_path, kind, joint):
    found = rg.read(five_bar(tmp_path, YAML.format(kind)))
    assert found.mech.loop_joints == ("end_pin",)
    loop = found.mech.joints["end_pin"]
    assert (loop.type, loop.parent, loop.child) == (joint, "end", "tip")
    assert loop_measures(found.mech, found.state._x[None])[0, 0] < 1e-9
    assert not found.state.q.any()  # closed at zero already
    assert [one.kind for one in found.report.findings] == ["loop"]
    alone = rg.read(five_bar(tmp_path, name="alone")).mech
    assert alone.loop_joints == ()
    assert list(found.mech.bodies) == list(alone.bodies)


def test_motors_are_actuators_and_all_other_joints_passive(tmp_path):
    mech = rg.read(five_bar(tmp_path, YAML.format("6d"))).mech
    assert {name: actuator.joint for name, actuator in mech.actuators.items()} == {"motor": "motor"}
    assert [name for name, joint in mech.joints.items() if joint.type.actuated and joint.type.nv] == ["motor"]


def test_the_yaml_file_may_be_named_instead(tmp_path):
    file = five_bar(tmp_path, YAML.format("6d"))
    assert rg.read(file.with_suffix(".yaml")).mech == rg.read(file).mech


def test_joints_may_be_made_balls_or_welds(tmp_path):
    more = "joint_name: ['pin', 'spare']\njoint_type: ['SPHERICAL', 'FIXED']\n"
    found = rg.read(five_bar(tmp_path, YAML.format("6d") + more))
    assert found.mech.joints["pin"].type == rg.Spherical(actuated=False)
    assert found.mech.joints["spare"].type == rg.Fixed(actuated=False)
    assert rg.mobility(found.mech, found.state).dof == 1


def test_loops_that_are_open_at_zero_are_closed_at_the_start(tmp_path):
    file = five_bar(tmp_path, YAML.format("6d"))
    file.write_text(file.read_text().replace('<origin xyz="1 0 0"/><axis', '<origin xyz="1.2 0 0"/><axis'))
    found = rg.read(file)
    assert "the loops are open; the state to start from has them closed" in str(found.report)
    assert loop_measures(found.mech, found.state._x[None])[0, 0] < 1e-9
    file.write_text(file.read_text().replace('<origin xyz="1.2 0 0"/><axis', '<origin xyz="9 0 0"/><axis'))
    assert "could not be closed from there" in str(rg.read(file).report)


def test_another_yaml_file_beside_is_not_looked_at(tmp_path):
    file = five_bar(tmp_path, "rate: [100\n")
    assert rg.read(file).mech.loop_joints == ()
    with pytest.raises(rg.FileError, match="no entry closed_loop"):
        rg.read(file.with_suffix(".yaml"))
    only = tmp_path / "only.yaml"
    only.write_text(YAML.format("6d"))
    with pytest.raises(rg.FileError, match=r"no file 'only\.urdf' beside it"):
        rg.read(only)


@pytest.mark.parametrize(
    ("yaml", "pattern"),
    [
        ("closed_loop: [['end', 'pin']", "is not YAML"),
        ("- closed_loop", "must have entries by name"),
        ("closed_loop: 3", "closed_loop must be a list"),
        ("closed_loop: [['end']]", "pairs of names"),
        ("closed_loop: [[1, 2]]", "no link, joint or frame '1'"),
        ("closed_loop: [['end', 'nobody']]", "no link, joint or frame 'nobody'"),
        ("closed_loop: [['end', 'end']]", "same body"),
        ("closed_loop: [['end', 'pin']]\ntype: ['5d']", "6d or 3d, not '5d'"),
        ("closed_loop: [['end', 'pin']]\ntype: ['6d', '6d']", "1 pairs in closed_loop and 2 types"),
        ("closed_loop: [['end', 'pin']]\nname_mot: ['engine']", "no joint 'engine'"),
        ("closed_loop: [['end', 'pin']]\nname_mot: ['end_frame']", "cannot move"),
        ("closed_loop: [['end', 'pin']]\njoint_name: ['pin']", "1 names in joint_name and 0 types"),
        ("closed_loop: [['end', 'pin']]\njoint_name: ['pin']\njoint_type: ['PLANAR']", "SPHERICAL or FIXED"),
        ("closed_loop: &a [*a]", "pairs of names|is not YAML"),
        ("closed_loop: [['end', 'pin']]\nclosed_loop: []", "two entries 'closed_loop'"),
        ("closed_loop: [['end', 'pin'], ['end', 'pin']]", "'end', 'pin' is in closed_loop twice"),
        ("closed_loop: [['end', 'pin']]\n# " + "long" * (1 << 18), "larger than"),
        ("closed_loop: 2001-99-99", "must be a list, not '2001-99-99'"),
        ('closed_loop: !!int "x"', "must be a list"),
        ("closed_loop: !!bool x", "must be a list"),
        ("closed_loop: !!timestamp x", "must be a list"),
        ("closed_loop: !!python/object/apply:os.getcwd [1]", "pairs of names, not '1'"),
    ],
)
def test_what_cannot_be_is_named(tmp_path, yaml, pattern):
    with pytest.raises(rg.FileError, match=pattern) as told:
        rg.read(five_bar(tmp_path, yaml))
    assert "robot.yaml" in str(told.value)


LETTERS = "abcdefghij"
REPEATED = "a: &a [1, 1]\n" + "".join(f"{own}: &{own} [{', '.join(['*' + before] * 12)}]\n" for before, own in pairwise(LETTERS))
MERGED = "a: &a {x: 1}\n" + "".join(
    f"{own}: &{own} {{<<: [{', '.join(['*' + before] * 12)}]}}\n" for before, own in pairwise(LETTERS)
)


@pytest.mark.parametrize(
    "entry",
    [
        "closed_loop: [*j]",
        "closed_loop: [['end', 'pin']]\ntype: [*j]",
        "closed_loop: [['end', 'pin']]\nname_mot: [*j]",
        "closed_loop: [['end', 'pin']]\njoint_name: [pin]\njoint_type: [*j]",
        "closed_loop: *j",
    ],
)
def test_lists_that_repeat_one_another_take_no_time(tmp_path, entry):
    """Ten lists of twelve times the one before have 12⁹ entries when they are written out."""
    start = time.process_time()
    with pytest.raises(rg.FileError, match=r"robot\.yaml") as told:
        rg.read(five_bar(tmp_path, REPEATED + entry))
    assert len(str(told.value)) < 500
    with pytest.raises(rg.FileError, match="nobody"):
        rg.read(five_bar(tmp_path, MERGED + "closed_loop: [['end', 'nobody']]"))
    assert time.process_time() - start < 10.0


def test_an_error_names_the_file_once(tmp_path):
    with pytest.raises(rg.FileError) as told:
        rg.read(five_bar(tmp_path, "closed_loop: [['end', 'nobody']]"))
    assert str(told.value).count("robot.yaml") == 1


def test_other_encodings_are_read(tmp_path):
    file = five_bar(tmp_path)
    file.with_suffix(".yaml").write_bytes(YAML.format("6d").encode("utf-16"))
    assert rg.read(file).mech.loop_joints == ("end_pin",)


def test_settings_that_another_type_takes_away_are_told(tmp_path):
    yaml = YAML.format("6d") + "joint_name: [spare]\njoint_type: [SPHERICAL]\n"
    file = five_bar(tmp_path, yaml)
    assert "none of their settings" not in str(rg.read(file).report)
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace('"0 1 0"/></joint></robot>', '"0 1 0"/><dynamics damping="2"/></joint></robot>'), encoding="utf-8"
    )
    assert "none of their settings there: 'spare'" in str(rg.read(file).report)


def test_entries_that_are_not_known_are_told(tmp_path):
    found = rg.read(five_bar(tmp_path, YAML.format("6d") + "rotor_mass: [1.0]\n"))
    assert "entries that are not known are left out: 'rotor_mass'" in str(found.report)


PARALLEL = Path(__file__).parents[3] / "shared" / "data" / "robots" / "parallel"


@pytest.mark.skipif(not PARALLEL.is_dir(), reason="the parallel robots are not on this machine")
@pytest.mark.parametrize(("name", "loops", "motors"), [("5bar_linkage", 1, 2), ("cassie_like", 2, 5), ("robot_delta", 3, 2)])
def test_the_loops_of_real_robots_close(name, loops, motors):
    found = rg.read(PARALLEL / name / "robot.urdf", ignore="all", inertia="repair")
    mech, state = found.mech, found.state
    assert (len(mech.loop_joints), len(mech.actuators)) == (loops, motors)
    assert loop_measures(mech, state._x[None])[0, 0] < 1e-9
    assert np.isfinite(rg.forward_dynamics(mech, state)).all()
