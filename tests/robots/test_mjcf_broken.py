"""Broken MJCF files: every one is an error that names the file, soon, and never the end of the process."""

import os
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from forks import Forks

GOOD = """<mujoco model="arm"><option timestep="0.01"/><default><joint damping="1"/></default><worldbody>
<body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" range="-10 20"/>
<geom name="g" type="capsule" size=".1" fromto="0 0 0 0 0 1"/>
<body name="b" pos="0 0 1"><joint name="k" type="ball"/><geom size=".1"/><site name="s"/></body></body></worldbody>
<equality><connect body1="b" anchor="0 0 1"/></equality><actuator><motor joint="j"/></actuator>
<keyframe><key qpos="0.1 1 0 0 0"/></keyframe></mujoco>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("broken")


def refused(folder, text, *said, **options):
    file = folder / "robot.mjcf"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    start = time.process_time()
    with pytest.raises(rg.FileError) as caught:
        rg.read(file, ignore="all", **options)
    assert "robot.mjcf" in str(caught.value)
    assert time.process_time() - start < 20.0
    for part in said:
        assert re.search(part, str(caught.value)), str(caught.value)


def read_or_refused(file):
    """What comes is a mechanism, or an error of ours that names the file."""
    said = file.name
    try:
        found = rg.read(file, ignore="all")
        assert found.mech.nq == found.state.q.size
    except rg.FileError as problem:
        said = str(problem)
    assert file.name in said


def bodies(inside):
    return f"<mujoco><worldbody>{inside}</worldbody></mujoco>"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not XML|no element"),
        ("not xml", "is not XML"),
        ("<mujoco", "is not XML|MuJoCo cannot read it"),
        ("<mujoco><worldbody></mujoco>", "MuJoCo cannot read it"),
        ("<robot name='r'/>", r"not <robot>.*\.urdf"),
        ("<sdf/>", r"not <sdf>.*\.sdf"),
        ("<mujocoinclude/>", "includes it"),
        ("<html/>", "not <html>"),
        ("<!DOCTYPE m [<!ENTITY a 'b'>]><mujoco>&a;</mujoco>", "document type"),
        (bodies("<body name='a'><geom size='.1'/></body><body name='a'><geom size='.1'/></body>"), "repeated name"),
        (bodies("<body><joint axis='0 0 0'/><geom size='.1'/></body>"), "axis"),
        (bodies("<body><joint axis='a b c'/><geom size='.1'/></body>"), "MuJoCo cannot read it"),
        (bodies("<body><joint axis='1 0'/><geom size='.1'/></body>"), "axis"),
        (bodies("<body><joint/><geom size='nan'/></body>"), "MuJoCo cannot read it"),
        (bodies("<body><joint/></body>"), "mass and inertia"),
        (bodies("<body><joint type='wheel'/><geom size='.1'/></body>"), "wheel"),
        (bodies("<body><freejoint/><geom size='.1'/><body><freejoint/><geom size='.1'/></body></body>"), "free joint"),
        (bodies("<spinning/>"), "spinning"),
        (bodies("<include file='nowhere.xml'/>"), "nowhere.xml"),
        (bodies("<include file='robot.mjcf'/>"), "MuJoCo cannot read it"),
        (bodies("<body name='\x85'><geom size='.1'/></body>"), "cannot be shown"),
        ("<mujoco><equality><weld body1='a' body2='b'/></equality></mujoco>", "MuJoCo cannot read it"),
        ("<mujoco><keyframe><key qpos='1 2'/></keyframe></mujoco>", "qpos"),
        (bodies("<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/></body>"), "repair"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)  # fmt: skip
def test_what_is_wrong_is_said(folder, text, said):
    refused(folder, text, said)


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_nesting_without_end(folder, depth):
    refused(folder, bodies("<body>" * depth + "</body>" * depth), "MuJoCo cannot read it")


@pytest.mark.parametrize("inner", ["100000000", "10' offset='0 0 1'><replicate count='100000001"])
def test_copies_without_number(folder, inner):
    ends = "</replicate>" * (1 + inner.count("replicate"))
    refused(folder, bodies(f"<replicate count='{inner}'><geom size='.1'/>{ends}"), "copies by <replicate>")
    (folder / "part.xml").write_text(f"<mujocoinclude><replicate count='{inner}'><geom size='.1'/>{ends}</mujocoinclude>")
    refused(folder, bodies("<include file='part.xml'/>"), "copies by <replicate>")


def test_a_chain_of_a_hundred_thousand_empty_elements(folder):
    refused(folder, "<mujoco>" + "<a/>" * 100_000 + "</mujoco>", "MuJoCo cannot read it")


@pytest.mark.parametrize("length", range(0, len(GOOD) - 1, 61))
def test_files_that_end_too_soon(folder, length):
    refused(folder, GOOD[:length])


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_few_bytes_changed(folder, data):
    raw = bytearray(GOOD.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    file = folder / "changed.xml"
    file.write_bytes(raw)
    read_or_refused(file)


@settings(max_examples=150, deadline=None)
@given(value=st.text(st.characters(codec="utf-8", exclude_characters='<&"'), max_size=12), where=st.integers(0, 25))
def test_any_text_as_the_value_of_an_attribute(folder, value, where):
    places = list(re.finditer(r'="([^"]*)"', GOOD))
    place = places[where % len(places)]
    file = folder / "odd.mjcf"
    file.write_text(f"{GOOD[: place.start(1)]}{value}{GOOD[place.end(1) :]}", encoding="utf-8")
    read_or_refused(file)


def test_mujoco_leaves_no_file_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(tmp_path, bodies("<body><joint/><geom size='nan'/></body>"))
    (tmp_path / "odd.mjcf").write_text(
        bodies("<geom size='.1' user='nan'/>").replace("<worldbody", "<size nuser_geom='1'/><worldbody")
    )
    said = [one.message for one in rg.read(tmp_path / "odd.mjcf").report.findings if one.kind == "mujoco"]
    assert len(said) == 1
    assert "NaN" in said[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["odd.mjcf", "robot.mjcf"]


def test_a_file_that_is_no_file_or_cannot_be_read(tmp_path):
    with pytest.raises(rg.FileError, match="there is no file"):
        rg.read(tmp_path / "nowhere.xml")
    (tmp_path / "folder.xml").mkdir()
    with pytest.raises(rg.FileError, match="is a folder, not a file"):
        rg.read(tmp_path / "folder.xml")


PART = '<mujoco><worldbody><body name="{}"><geom size=".1"/></body></worldbody>{}</mujoco>'
ATTACHED = '<asset><model name="m" file="{}"/></asset>'


@pytest.fixture(scope="module")
def forks():
    with Forks() as started:
        yield started


READS = "import sys, regraft as rg\ntry:\n    rg.read(sys.argv[1])\nexcept rg.FileError as problem:\n    print(problem)"


@pytest.mark.parametrize("files", [("robot.xml",), ("robot.xml", "other.xml"), ("robot.xml", "other.xml", "third.xml")])
def test_a_model_that_is_attached_to_itself(tmp_path, files, forks):
    """MuJoCo would read it until its stack is full, which ends the process."""
    for own, other in zip(files, (*files[1:], files[0]), strict=True):
        (tmp_path / own).write_text(PART.format("a", ATTACHED.format(other)))
    told = forks.run(READS, tmp_path / "robot.xml")
    assert told.returncode == 0
    assert "robot.xml" in told.stdout
    assert "attached to itself" in told.stdout


def test_a_model_may_be_attached_twice(tmp_path):
    (tmp_path / "part.xml").write_text(PART.format("a", ""))
    twice = '<mujoco><asset><model name="m" file="part.xml"/></asset><worldbody>{}</worldbody></mujoco>'
    frames = "".join(f'<frame pos="{i} 0 0"><attach model="m" body="a" prefix="{i}_"/></frame>' for i in range(2))
    (tmp_path / "robot.xml").write_text(twice.format(frames))
    assert {"0_a", "1_a"} <= set(rg.read(tmp_path / "robot.xml").mech.bodies)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
@pytest.mark.parametrize("ending", ["xml", "mjcf"])
def test_a_pipe_is_not_waited_for(tmp_path, ending, forks):
    os.mkfifo(tmp_path / "pipe")
    file = tmp_path / f"robot.{ending}"
    file.write_text('<mujoco><include file="pipe"/></mujoco>')
    told = forks.run(READS, file)
    assert told.returncode == 0
    assert "pipe" in told.stdout
    assert "not a file" in told.stdout
