"""SDF models as mechanisms: joints of every type, poses relative to any frame, models in models, and what is not carried over."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest

import regraft as rg

INERTIAL = "<inertial><pose>{}</pose><mass>2</mass><inertia><ixx>0.3</ixx><iyy>0.4</iyy><izz>0.5</izz></inertia></inertial>"


def link(name, pose="0 0 0 0 0 0", inside=None, **attributes):
    given = "".join(f" {key}='{value}'" for key, value in attributes.items())
    inertial = INERTIAL.format("0 0 0.1 0 0 0") if inside is None else inside
    return f"<link name='{name}'><pose{given}>{pose}</pose>{inertial}</link>"


def joint(name, kind, parent, child, axis="", more=""):
    axis = f"<axis><xyz>{axis}</xyz></axis>" if axis and not axis.startswith("<") else axis
    return f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{axis}{more}</joint>"


def read(folder, *parts, version="1.9", name="robot", model="", **options):
    text = f"<?xml version='1.0'?><sdf version='{version}'><model name='{name}'{model}>{''.join(parts)}</model></sdf>"
    file = folder / "model.sdf"
    file.write_text(text, encoding="utf-8")
    return rg.read(file, **options)


def two(folder, kind, axis="", more="", **options):
    """Two links, the first fixed to the world, the second 1 m above it on a joint of some type."""
    parts = [
        link("a"),
        link("b", "0 0 1 0.1 0.2 0.3"),
        joint("base", "fixed", "world", "a"),
        joint("j", kind, "a", "b", axis, more),
    ]
    return read(folder, *parts, **options)


def same_pose(one, other, bound=1e-14):
    return max(np.abs(one.rotation - other.rotation).max(), np.abs(one.translation - other.translation).max()) < bound


# --- joints --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "axis", "more", "expected"),
    [
        ("revolute", "0 0 2", "", rg.Revolute((0, 0, 1))),
        ("continuous", "0 1 0", "", rg.Revolute((0, 1, 0))),
        ("prismatic", "1 0 0", "", rg.Prismatic((1, 0, 0))),
        ("ball", "", "", rg.Spherical()),
        ("fixed", "", "", rg.Fixed()),
        ("screw", "0 0 1", "<screw_thread_pitch>0.5</screw_thread_pitch>", rg.Helical((0, 0, 1), 0.5 / (2 * math.pi))),
        ("screw", "0 0 1", "<thread_pitch>-4</thread_pitch>", rg.Helical((0, 0, 1), 0.25)),
        ("universal", "1 0 0", "<axis2><xyz>0 1 0</xyz></axis2>", rg.Universal((1, 0, 0), (0, 1, 0))),
        ("revolute2", "1 0 0", "<axis2><xyz>0 1 1</xyz></axis2>", rg.Universal((1, 0, 0), (0, 1, 1))),
    ],
)
def test_every_type_of_joint_is_read(tmp_path, kind, axis, more, expected):
    found = two(tmp_path, kind, axis, more)
    assert found.mech.joints["j"].type == expected
    assert found.report.findings == ()
    turned = rg.Pose.about((0, 0, 1), 0.3) @ rg.Pose.about((0, 1, 0), 0.2) @ rg.Pose.about((1, 0, 0), 0.1)
    there = rg.body_poses(found.mech, found.state)["b"]
    assert same_pose(there, rg.Pose(turned.rotation, (0, 0, 1)))


def test_settings_of_an_axis_are_kept(tmp_path):
    axis = (
        "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper><effort>30</effort><velocity>4</velocity>"
        "<stiffness>5000</stiffness></limit><dynamics><damping>0.1</damping><friction>0.2</friction>"
        "<spring_stiffness>7</spring_stiffness><spring_reference>0.5</spring_reference></dynamics></axis>"
    )
    kind = two(tmp_path, "revolute", axis).mech.joints["j"].type
    assert (kind.limits.lower, kind.limits.upper, kind.limits.stiffness) == ((-1.0,), (2.0,), 5000.0)
    found = [float(values[0]) for values in (kind.effort, kind.speed, kind.damping, kind.friction, kind.stiffness, kind.rest)]
    assert found == [30.0, 4.0, 0.1, 0.2, 7.0, 0.5]
    free = two(tmp_path, "revolute", axis.replace("-1<", "-1e16<").replace(">2<", ">inf<").replace(">30<", ">-1<"))
    assert free.mech.joints["j"].type.limits is None
    assert math.isinf(free.mech.joints["j"].type.effort[0])
    assert two(tmp_path, "continuous", axis).mech.joints["j"].type.limits is None
    double = axis + axis.replace("<axis>", "<axis2>").replace("</axis>", "</axis2>").replace("0 0 1", "0 1 0")
    assert two(tmp_path, "universal", double).mech.joints["j"].type.damping.tolist() == [0.1, 0.1]


@pytest.mark.parametrize(
    ("axis", "version", "expected"),
    [
        ("<xyz>0 0 1</xyz>", "1.9", "joint"),
        ("<xyz expressed_in='__model__'>0 0 1</xyz>", "1.9", "model"),
        ("<xyz expressed_in='a'>0 0 1</xyz>", "1.9", "a"),
        ("<xyz>0 0 1</xyz><use_parent_model_frame>true</use_parent_model_frame>", "1.6", "model"),
        ("<xyz>0 0 1</xyz>", "1.4", "model"),
    ],
)
def test_an_axis_may_be_expressed_in_another_frame(tmp_path, axis, version, expected):
    parts = [
        "<pose>1 2 3 0.3 -0.2 0.9</pose>",
        link("a", "0 0 0 0.5 0 0"),
        link("b", "0 0 1 0 0.7 0"),
        joint("base", "fixed", "world", "a"),
        joint("j", "revolute", "a", "b", f"<axis>{axis}</axis>", "<pose>0 0 0 0 0 0.4</pose>"),
    ]
    mech = read(tmp_path, *parts, version=version).mech
    poses = rg.body_poses(mech, mech.state())
    model = poses["a"] @ rg.Pose.about((1, 0, 0), 0.5).inverse()
    frame = {"joint": poses["b"] @ rg.Pose.about((0, 0, 1), 0.4), "model": model, "a": poses["a"]}[expected]
    turned = poses["b"].rotation @ mech.joints["j"].child_pose.rotation @ mech.joints["j"].type.axis
    assert turned == pytest.approx(frame.rotation[:, 2], abs=1e-14)


def test_a_joint_that_follows_another_is_a_coupling(tmp_path):
    numbers = "<multiplier>2</multiplier><offset>0.3</offset><reference>0.1</reference>"
    mimic = f"<axis><xyz>0 0 1</xyz><mimic joint='j' axis='axis'>{numbers}</mimic></axis>"
    parts = [link("a"), link("b"), link("c"), joint("base", "fixed", "world", "a"), joint("j", "revolute", "a", "b", "0 0 1")]
    found = read(tmp_path, *parts, joint("k", "revolute", "a", "c", mimic))
    mech = found.mech
    assert found.state["k"].q == pytest.approx(0.1, abs=1e-15)
    assert mech.couplings["k_mimic"].drivers == (("j", 2.0),)
    assert mech.couplings["k_mimic"].offset == pytest.approx(0.1, abs=1e-15)
    with pytest.raises(rg.FileError, match="mimic 'k': it follows 'nobody', which is no joint"):
        read(tmp_path, *parts, joint("k", "revolute", "a", "c", mimic.replace("'j'", "'nobody'")))


# --- frames ----------------------------------------------------------------------------------------------------------------


def test_poses_are_relative_to_what_they_name(tmp_path):
    parts = [
        "<pose>0 0 5 0 0 0</pose>",
        "<frame name='f' attached_to='b'><pose>0 0 0.5 0 0 0</pose></frame>",
        link("c", "1 0 0 0 0 0", relative_to="f"),
        link("b", "0 2 0 0 0 0", relative_to="a"),
        link("a", "0 0 1 0 0 1.5707963267948966"),
        "<frame name='g'><pose relative_to='j'>0 0 0.1 0 0 0</pose></frame>",
        joint("j", "revolute", "a", "f", "0 0 1", "<pose>0 0 0.2 0 0 0</pose>"),
        joint("k", "fixed", "b", "c"),
    ]
    found = read(tmp_path, *parts)
    mech, state = found.mech, found.state
    at = {name: pose.translation.round(12).tolist() for name, pose in rg.body_poses(mech, state).items()}
    assert at == {"c": [-2.0, 1.0, 6.5], "b": [-2.0, 0.0, 6.0], "a": [0.0, 0.0, 6.0]}
    assert rg.frame_position(mech, state, "f") == pytest.approx((-2, 0, 6.5), abs=1e-12)
    assert rg.frame_position(mech, state, "g") == pytest.approx((-2, 0, 6.8), abs=1e-12)
    assert (mech.frames["f"].body, mech.joints["j"].child) == ("b", "b")
    assert mech.joints["j"].child_pose.translation == pytest.approx((0, 0, 0.7), abs=1e-12)
    assert mech.joints["c_base"].type == rg.Free()


def test_angles_may_be_in_degrees_and_turns_quaternions(tmp_path):
    half = math.sqrt(0.5)
    parts = [
        link("a", "1 2 3 0 0 90", degrees="true"),
        link("b", f"1 2 3 0 0 {half} {half}", rotation_format="quat_xyzw"),
        joint("base", "fixed", "world", "a"),
        joint("j", "fixed", "a", "b"),
    ]
    found = read(tmp_path, *parts)
    poses = rg.body_poses(found.mech, found.state)
    assert same_pose(poses["a"], poses["b"])
    assert poses["a"].rotation[:, 0] == pytest.approx((0, 1, 0), abs=1e-15)


def test_models_in_a_model_have_its_name_before_theirs(tmp_path):
    bodies = link("a") + link("b", "0 0 1 0 0 0") + joint("j", "revolute", "a", "b", "0 1 0")
    inner = f"<model name='arm'><pose>0 0 1 0 0 0</pose>{bodies}</model>"
    found = read(tmp_path, link("base"), inner, joint("mount", "fixed", "base", "arm::a"))
    assert list(found.mech.bodies) == ["base", "arm::a", "arm::b"]
    assert found.mech.joints["arm::j"].parent == "arm::a"
    assert rg.body_poses(found.mech, found.state)["arm::b"].translation.tolist() == [0.0, 0.0, 2.0]
    placed = read(tmp_path, link("a", "0 0 2 0 0 0"), "<pose>1 0 0 0 0 0</pose>", model=" placement_frame='a'")
    assert rg.body_poses(placed.mech, placed.state)["a"].translation.tolist() == [1.0, 0.0, 0.0]


def test_all_models_of_a_world_are_read(tmp_path):
    file = tmp_path / "world.sdf"
    ground = "<model name='ground'><static>true</static>" + link("plate") + "</model>"
    ball = "<model name='ball'><pose>0 0 3 0 0 0</pose>" + link("body") + "</model>"
    more = "<include><uri>model://sun</uri></include><plugin name='p' filename='f'/>"
    file.write_text(f"<sdf version='1.9'><world name='w'><gravity>0 0 -1.6</gravity>{ground}{ball}{more}</world></sdf>")
    with pytest.raises(rg.FileError, match="include 'model://sun': a model in another file is not read"):
        rg.read(file)
    found = rg.read(file, ignore="include")
    assert found.mech.gravity.tolist() == [0.0, 0.0, -1.6]
    assert found.mech.joints["ground::plate_base"].type == rg.Fixed()
    assert found.mech.joints["ball::body_base"].type == rg.Free()
    assert found.state["ball::body_base"].q.tolist() == [0, 0, 3, 1, 0, 0, 0]
    assert "plugin" in [one.kind for one in found.report.findings]


def test_a_model_floats_unless_it_is_told_to_be_fixed(tmp_path):
    parts = ["<pose>0 0 2 0 0 0.5</pose>", link("a")]
    free, fixed = read(tmp_path, *parts), read(tmp_path, *parts, base="fixed")
    assert (free.mech.nv, fixed.mech.nv) == (6, 0)
    poses = [rg.body_poses(one.mech, one.state)["a"] for one in (free, fixed)]
    assert same_pose(*poses)


# --- bodies and shapes -----------------------------------------------------------------------------------------------------


def test_inertias_are_in_the_axes_of_the_link(tmp_path):
    mech = read(tmp_path, link("a", inside=INERTIAL.format("0.1 0.2 0.3 0 0 1.5707963267948966"))).mech
    inertia = mech.bodies["a"].inertia
    assert inertia.com.tolist() == [0.1, 0.2, 0.3]
    assert inertia.tensor.diagonal() == pytest.approx((0.4, 0.3, 0.5), abs=1e-15)


def test_a_link_without_an_inertia_has_the_default_which_is_told(tmp_path):
    found = read(tmp_path, link("a", inside=""))
    assert found.mech.bodies["a"].inertia == rg.Inertia(1.0, tensor=np.eye(3))
    assert [(one.kind, one.part) for one in found.report.findings] == [("inertial", "a")]


def test_impossible_inertias_are_one_error_or_repaired(tmp_path):
    bad = INERTIAL.format("0 0 0 0 0 0").replace("0.5", "5")
    with pytest.raises(rg.FileError, match=r"'a' \(line 1\)"):
        read(tmp_path, link("a", inside=bad))
    found = read(tmp_path, link("a", inside=bad), inertia="repair")
    assert [(one.kind, one.part) for one in found.report.findings] == [("inertia", "a")]


def test_shapes_of_every_form_are_read(tmp_path):
    forms = {
        "<box><size>1 2 3</size></box>": rg.Box((1, 2, 3)),
        "<sphere><radius>0.5</radius></sphere>": rg.Sphere(0.5),
        "<cylinder><radius>0.5</radius><length>2</length></cylinder>": rg.Cylinder(0.5, 2.0),
        "<capsule><radius>0.5</radius><length>2</length></capsule>": rg.Capsule(0.5, (0, 0, -1), (0, 0, 1)),
        "<ellipsoid><radii>1 2 3</radii></ellipsoid>": rg.Ellipsoid((1, 2, 3)),
        "<plane><normal>0 0 1</normal><size>1 1</size></plane>": rg.Plane(),
        "<mesh><uri>model://r/a.dae</uri><scale>2 2 2</scale></mesh>": rg.Mesh("model://r/a.dae", 2.0),
    }
    color = "<material><diffuse>1 0 0 0.5</diffuse></material>"
    inside = "".join(
        f"<visual name='v{i}'><pose>0 0 {i} 0 0 0</pose><geometry>{text}</geometry>{color}</visual>"
        for i, text in enumerate(forms)
    )
    collision = "<collision name='{}'><geometry><{}/></geometry></collision>"
    odd = collision.format("c", "heightmap") + collision.format("d", "box")
    found = read(tmp_path, link("a", inside=INERTIAL.format("0 0 0 0 0 0") + inside + odd))
    shapes = found.mech.shapes
    assert [shapes[f"v{i}"].form for i in range(len(forms))] == list(forms.values())
    assert shapes["v2"].color == (1.0, 0.0, 0.0, 0.5)
    assert (shapes["v2"].visual, shapes["v2"].collision, shapes["v2"].pose.translation[2]) == (True, False, 2.0)
    assert (shapes["d"].visual, shapes["d"].collision) == (False, True)
    assert sorted(one.kind for one in found.report.findings) == ["geometry", "mesh"]


# --- what cannot be ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "pattern"),
    [
        ([], "no model in it has a <link>"),
        ([link("a"), link("a")], "there are two parts 'a'"),
        ([link("world")], "cannot have the name 'world'"),
        ([link("a"), joint("j", "revolute", "a", "b", "0 0 1")], "no link, joint, frame or model 'b'"),
        ([link("a"), "<joint name='j' type='fixed'><child>a</child></joint>"], "has no <parent>"),
        ([link("a"), link("b"), joint("j", "hinge", "a", "b", "0 0 1")], "the type 'hinge', which SDF does not have"),
        ([link("a"), link("b"), joint("j", "revolute", "a", "b")], "needs <axis>"),
        ([link("a"), link("b"), joint("j", "universal", "a", "b", "0 0 1")], "needs <axis> and <axis2>"),
        ([link("a"), link("b"), joint("j", "revolute", "a", "b", "0 0 0")], "axis is zero"),
        ([link("a"), joint("j", "fixed", "a", "a")], "same body"),
        ([link("a", "0 0 x 0 0 0")], "must have numbers"),
        ([link("a", "0 0 0")], "must have 6 numbers"),
        ([link("a", relative_to="b"), link("b", relative_to="a")], "relative to itself"),
        ([link("a", relative_to="nobody")], "relative to 'nobody', which is not there"),
        ([link("a"), "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"], "to itself"),
        ([link("a"), link("b"), joint("j", "screw", "a", "b", "0 0 1", "<thread_pitch>0</thread_pitch>")], "never end"),
    ],
)
def test_what_cannot_be_is_named_with_its_line(tmp_path, parts, pattern):
    with pytest.raises(rg.FileError, match=pattern) as told:
        read(tmp_path, *parts)
    assert "model.sdf" in str(told.value)


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (joint("g", "gearbox", "a", "b", "0 0 1"), "gearbox"),
        ("<include><uri>x</uri></include>", "include"),
        (
            joint("j", "revolute", "a", "b", "<axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>0</upper></limit></axis>"),
            "limit",
        ),
        (joint("j", "revolute", "a", "b", "<axis><xyz>0 0 1</xyz><dynamics><damping>-1</damping></dynamics></axis>"), "dynamics"),
        ("<link name='c'><gravity>0</gravity></link>", "gravity"),
    ],
)
def test_what_changes_the_motion_is_an_error_unless_it_is_ignored(tmp_path, part, kind):
    with pytest.raises(rg.FileError, match=f"- {kind}"):
        read(tmp_path, link("a"), link("b"), part)
    assert kind in [one.kind for one in read(tmp_path, link("a"), link("b"), part, ignore=(kind,)).report.findings]


def test_sensors_and_plugins_are_told_and_change_nothing(tmp_path):
    found = read(tmp_path, link("a", inside="<sensor name='s' type='imu'/>"), "<plugin name='p' filename='f'/>", "<gripper/>")
    assert {one.kind for one in found.report.findings} == {"inertial", "sensor", "plugin", "gripper"}
    assert not found.report.changes_dynamics


@pytest.mark.parametrize(
    "text", ["", "<sdf", "<robot/>", "<sdf/>", "<!DOCTYPE sdf [<!ENTITY a 'b'>]><sdf>&a;</sdf>", "<sdf>" + "<model>" * 300]
)
def test_files_that_are_none_are_named_errors(tmp_path, text):
    file = tmp_path / "model.sdf"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(rg.FileError, match=r"model\.sdf"):
        rg.read(file)


# --- a real one --------------------------------------------------------------------------------------------------------------

CASSIE = Path(__file__).parents[3] / "shared" / "data" / "robots" / "urdf" / "cassie_v2.sdf"


@pytest.mark.skipif(not CASSIE.is_file(), reason="the file of Cassie is not on this machine")
def test_cassie_has_four_loops_that_are_closed():
    found = rg.read(CASSIE)
    mech, state = found.mech, found.state
    assert (len(mech.bodies), len(mech.loop_joints)) == (23, 4)
    assert sum(body.inertia.mass for body in mech.bodies.values()) == pytest.approx(32.94, abs=0.01)
    for name in mech.loop_joints:
        assert np.abs(mech.joint_position(state, name)[1:]).max(initial=0.0) < 1e-9
    assert mech.joints["left-knee-shin-joint"].type.stiffness > 0.0
    poses = rg.body_poses(mech, state)
    assert poses["left-hip-pitch"].translation == pytest.approx((-0.049, 0.135, 0.92), abs=1e-12)
    free = mech.replace(limits={name: None for name in mech.joints if mech.joints[name].type.limits is not None})
    assert np.abs(rg.forward_dynamics(free, state)).max() < 1e3
    with pytest.warns(rg.RegraftWarning, match="mesh, plugin"):
        assert rg.load(CASSIE) == mech


def test_a_long_chain_of_poses_is_read_in_reasonable_time(tmp_path):
    count = 3000
    parts = [link(f"l{i}", "0 0 0.01 0 0 0", relative_to=f"l{i + 1}") for i in range(count)] + [link(f"l{count}")]
    parts += [joint(f"j{i}", "revolute", f"l{i}", f"l{i + 1}", "0 1 0") for i in range(count)]
    found = read(tmp_path, *parts)
    assert rg.body_poses(found.mech, found.state)["l0"].translation[2] == pytest.approx(0.01 * count, rel=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_file_is_a_file_error(tmp_path, seed):
    rng = np.random.default_rng(seed)
    two(tmp_path, "universal", "1 0 0", "<axis2><xyz>0 1 0</xyz></axis2>")
    text = (tmp_path / "model.sdf").read_text()
    words = ("nan", "world", "__model__", "", "<pose>", "</link>", "a", "1e999", "ball")
    told = []
    for _ in range(20):
        start = int(rng.integers(len(text)))
        damaged = text[:start] + str(rng.choice(words)) + text[start + int(rng.choice((0, 1, 5, 40))) :]
        (tmp_path / "model.sdf").write_text(damaged, encoding="utf-8")
        try:
            rg.read(tmp_path / "model.sdf", ignore="all", inertia="repair")
        except rg.FileError as problem:  # and nothing else is ever raised
            told.append(str(problem))
    assert told
    assert all("model.sdf" in line for line in told)


def test_models_that_cannot_be_told_apart_are_an_error(tmp_path):
    """The pose of the one would be that of the other."""
    model = '<model{}><pose>{} 0 0 0 0 0</pose><link name="{}"/>{}</model>'
    for pair, said in (
        ((model.format("", 1, "a", ""), model.format("", 5, "b", "")), "<model> has no name"),
        ((model.format(' name="m"', 1, "a", ""), model.format(' name="m"', 5, "b", "")), "two parts 'm'"),
        ((model.format(' name="m"', 1, "a", model.format("", 2, "b", "")),), "<model> has no name"),
        ((model.format(' name="m"', 1, "a", model.format(' name="a"', 2, "b", "")),), "two parts 'a'"),
    ):
        file = tmp_path / "models.sdf"
        file.write_text(f'<sdf version="1.9">{"".join(pair)}</sdf>')
        with pytest.raises(rg.FileError, match=said):
            rg.read(file)


def test_an_effort_of_zero_is_a_bound(tmp_path):
    """Only a negative one is none."""
    joint = """<sdf version="1.9"><model name="m"><link name="a"/>
    <joint name="j" type="revolute"><parent>world</parent><child>a</child>
    <axis><xyz>0 0 1</xyz><limit><effort>{}</effort><velocity>{}</velocity></limit></axis></joint></model></sdf>"""
    file = tmp_path / "robot.sdf"
    for given, expected in (("0", 0.0), ("-1", np.inf), ("inf", np.inf), ("3", 3.0)):
        file.write_text(joint.format(given, given))
        kind = rg.read(file).mech.joints["j"].type
        assert (kind.effort.tolist(), kind.speed.tolist()) == ([expected], [expected])


def test_time_grows_with_the_number_of_texts_and_no_faster(tmp_path):
    """Text between a hundred thousand elements, piece by piece."""
    file = tmp_path / "texts.sdf"
    pieces = "text<a/>" * 100_000
    file.write_text(f'<sdf version="1.9"><model name="m"><link name="a"/><plugin name="p">{pieces}</plugin></model></sdf>')
    start = time.process_time()
    rg.read(file)
    assert time.process_time() - start < 20.0  # beside 1.6 that are found, and 67 where each copied those before it
