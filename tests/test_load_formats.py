"""`load` reads every format by the suffix of a file, and says what a file is that it does not read."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import regraft as rg
from regraft.files import loading, reading
from regraft.files.formats import READERS, function_at
from regraft.files.formats.xml_root import SUFFIX_OF, suffix_by_root

OSIM = """<?xml version="1.0"?>
<OpenSimDocument Version="40000"><Model name="arm"><gravity>0 -9.81 0</gravity>
<BodySet><objects><Body name="rod"><mass>1</mass><mass_center>0 -0.5 0</mass_center>
<inertia>0.1 0.1 0.1 0 0 0</inertia></Body></objects></BodySet>
<JointSet><objects><PinJoint name="pin"><socket_parent_frame>/ground</socket_parent_frame>
<socket_child_frame>/bodyset/rod</socket_child_frame>
<coordinates><Coordinate name="turn"><default_value>0.3</default_value></Coordinate></coordinates></PinJoint></objects></JointSet>
{}</Model></OpenSimDocument>"""
MUSCLE = '<ForceSet><objects><Thelen2003Muscle name="biceps"/></objects></ForceSet>'


def write(folder, name, text):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("suffix", [".osim", ".xml", ".OSIM"])
def test_an_opensim_model_is_read_by_its_suffix_or_its_outermost_element(tmp_path, suffix):
    file = write(tmp_path, f"arm{suffix}", OSIM.format(""))
    found = rg.read(file)
    assert list(found.mech.bodies) == ["rod"]
    assert found.state["turn"].q == 0.3
    assert any("y up" in one.message for one in found.report.findings)
    with pytest.warns(rg.RegraftWarning, match="not all of it was carried over as it is: note"):
        assert rg.load(file) == found.mech


def test_what_changes_the_motion_is_an_error_unless_it_is_ignored(tmp_path):
    file = write(tmp_path, "arm.osim", OSIM.format(MUSCLE))
    for read in (rg.read, rg.load):
        with pytest.raises(rg.FileError, match="- force: left out: 1 Thelen2003Muscle"):
            read(file)
        with pytest.raises(rg.FileError, match="force"):
            read(file, ignore=("constraint",))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert list(rg.load(file, ignore=("force",)).bodies) == ["rod"]


@pytest.mark.parametrize("suffix", [".bvh", ".c3d", ".trc", ".mot", ".sto", ".amc", ".asf", ".BVH"])
def test_a_recording_is_read_elsewhere(tmp_path, suffix):
    file = write(tmp_path, f"walk{suffix}", "")
    for read in (rg.read, rg.load):
        with pytest.raises(rg.FileError, match=r"is a recording, not a mechanism; read it with regraft\.mocap\.load"):
            read(file)


@pytest.mark.parametrize("tag", SUFFIX_OF)
def test_the_outermost_element_tells_the_format(tmp_path, tag):
    file = write(tmp_path, "a.xml", f"<?xml version='1.0'?><!-- {'long ' * 40_000} --><{tag} a='1'><b>")
    assert suffix_by_root(file) == SUFFIX_OF[tag]


def test_each_format_that_xml_may_be_has_a_reader_or_is_named(tmp_path):
    for tag, suffix in SUFFIX_OF.items():
        file = write(tmp_path, "a.xml", f"<{tag}/>")
        if suffix not in READERS:
            with pytest.raises(rg.FileError, match=f"there is no reader for {suffix}"):
                rg.read(file)
        else:
            assert reading.reader_of(file) is function_at(READERS[suffix])


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("", "is not XML|no element"),
        ("robot", "is not XML"),
        ("<html/>", "outermost element is <html>"),
        ("<!-- nothing -->", "is not XML|no element"),
        ('<!DOCTYPE a [<!ENTITY b "bbb"><!ENTITY c "&b;&b;">]><a>&c;</a>', "outermost element is <a>"),
        ("<" + "a" * 1000 + "/>", "outermost element is <a{60}>"),
    ],
)
def test_xml_that_is_no_mechanism_is_named(tmp_path, text, pattern):
    with pytest.raises(rg.FileError, match=pattern):
        rg.load(write(tmp_path, "a.xml", text))


def test_a_file_that_is_not_there_is_named(tmp_path):
    for suffix in (".osim", ".xml", ".json", ".npz"):
        with pytest.raises(rg.ModelError, match=f"missing{suffix}"):
            rg.load(tmp_path / f"missing{suffix}")


def test_states_and_mechanisms_in_json_are_told_apart_by_what_is_in_them(tmp_path):
    model = rg.models.pendulum()
    for part, name in ((model.mech, "a.json"), (model.state, "b.json"), (model.mech, "without_suffix")):
        part.save(tmp_path / name)
        assert rg.load(tmp_path / name) == part
    assert ".json" not in loading.FORMATS


DATA = Path(__file__).parents[2] / "shared" / "data" / "mocap"


@pytest.mark.skipif(not DATA.is_dir(), reason="the OpenSim models are not on this machine")
@pytest.mark.parametrize("name", ["arm26/arm26.osim", "gait10dof18musc/subject01.osim", "gait2354/subject01_simbody.osim"])
def test_real_opensim_models_are_read_without_their_muscles(name):
    with pytest.raises(rg.FileError, match=r"- force: left out.*Muscle"):
        rg.read(DATA / name)
    found = rg.read(DATA / name, ignore="all")
    assert found.mech == rg.mocap.read_osim(DATA / name).mech
    assert found.report.changes_dynamics
