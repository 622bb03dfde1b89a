"""What a URDF file says and what becomes of it: every element, findings, and errors that name the line."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import regraft as rg
from robots.small_robots import ARM, read, written


def kinds(reading):
    return {finding.kind for finding in reading.report.findings}


def test_links_become_bodies_and_joints_keep_their_names(tmp_path):
    mech = read(tmp_path).mech
    assert list(mech.bodies) == ["base", "upper", "hub", "finger", "tip"]
    assert list(mech.joints) == ["base_base", "shoulder", "wheel", "slide", "tip_joint"]
    assert [type(joint.type) for joint in mech.joints.values()] == [rg.Fixed, rg.Revolute, rg.Revolute, rg.Prismatic, rg.Fixed]
    assert mech.bodies["tip"].inertia == rg.Inertia(0.0)
    assert mech.bodies["hub"].inertia == rg.Inertia(0.0)


def test_an_inertia_that_is_turned_is_turned_back(tmp_path):
    found = read(tmp_path).mech.bodies["upper"].inertia
    R = Rotation.from_euler("xyz", [0.3, -0.2, 0.5]).as_matrix()
    tensor = np.array([[0.03, 0.001, 0.0], [0.001, 0.02, 0.0], [0.0, 0.0, 0.015]])
    assert np.abs(found.tensor - R @ tensor @ R.T).max() < 1e-16
    assert found.com.tolist() == [0.0, 0.05, -0.2]
    assert found.mass == 1.5


def test_a_quaternion_is_as_good_as_angles(tmp_path):
    x, y, z, w = 2.0 * Rotation.from_euler("xyz", [0.3, -0.2, 0.5]).as_quat()
    text = ARM.replace('rpy="0.3 -0.2 0.5"', f'quat_xyzw="{x} {y} {z} {w}"')
    found, expected = (read(tmp_path, one).mech.bodies["upper"].inertia for one in (text, ARM))
    assert np.abs(found.tensor - expected.tensor).max() < 1e-16
    assert found.com.tolist() == expected.com.tolist()
    with pytest.raises(rg.FileError, match="both rpy and quat_xyzw"):
        read(tmp_path, ARM.replace('rpy="0.3 -0.2 0.5"', 'rpy="0 0 0" quat_xyzw="0 0 0 1"'))
    with pytest.raises(rg.FileError, match="quat_xyzw of <origin> is zero"):
        read(tmp_path, ARM.replace('rpy="0.3 -0.2 0.5"', 'quat_xyzw="0 0 0 0"'))


def test_joints_have_their_settings(tmp_path):
    mech = read(tmp_path).mech
    shoulder, wheel, slide = (mech.joints[name].type for name in ("shoulder", "wheel", "slide"))
    assert shoulder == rg.Revolute((0, 0, 1), damping=0.3, friction=0.2, limits=(-1.0, 2.0), effort=30.0, speed=4.0)
    assert wheel == rg.Revolute((0, 1, 0))
    assert slide == rg.Prismatic((1, 0, 0), limits=(0.0, 0.04), effort=5.0, speed=0.1, actuated=False)
    assert np.abs(mech.joints["shoulder"].parent_pose.rotation - Rotation.from_euler("y", math.pi / 2).as_matrix()).max() < 1e-15


def test_a_mimic_joint_is_a_coupling_and_begins_in_its_place(tmp_path):
    reading = read(tmp_path)
    (coupling,) = reading.mech.couplings.values()
    assert (coupling.name, coupling.drivers, coupling.driven) == ("slide_mimic", (("shoulder", 0.02),), "slide")
    assert coupling.offset == 0.01
    assert reading.state.q.tolist() == [0.0, 0.0, 0.01]


def test_mimic_joints_that_follow_one_another_begin_in_their_places(tmp_path):
    text = ARM.replace('<child link="hub"/>', '<child link="hub"/><mimic joint="slide" multiplier="3" offset="-1"/>')
    assert read(tmp_path, text).state.q.tolist() == [0.0, 3 * 0.01 - 1.0, 0.01]


def test_shapes_have_forms_places_and_colours(tmp_path):
    shapes = read(tmp_path).mech.shapes
    assert list(shapes) == ["base_visual", "foot", "skin", "hub_visual", "hub_collision"]
    assert shapes["base_visual"].form == rg.Box((0.2, 0.2, 0.2))
    assert shapes["base_visual"].color == (0.5, 0.5, 0.5, 1.0)
    assert (shapes["base_visual"].visual, shapes["base_visual"].collision) == (True, False)
    assert (shapes["foot"].visual, shapes["foot"].collision) == (False, True)
    assert shapes["foot"].pose == rg.Pose(translation=(0.0, 0.0, 0.1))
    assert (shapes["skin"].visual, shapes["skin"].collision, shapes["skin"].color) == (True, True, (1.0, 0.0, 0.0, 0.5))
    assert shapes["hub_visual"].form == rg.Mesh("package://arm_parts/meshes/hub.stl", 0.001)
    assert shapes["hub_collision"].form == rg.Capsule(0.02, (0, 0, -0.05), (0, 0, 0.05))


def test_a_transmission_is_an_actuator_with_a_gear(tmp_path):
    (actuator,) = read(tmp_path).mech.actuators.values()
    assert (actuator.name, actuator.joint, actuator.gear) == ("motor", "shoulder", 50.0)


def test_what_a_mechanism_has_no_place_for_is_told_and_kept(tmp_path):
    reading = read(tmp_path)
    assert kinds(reading) == {"mesh", "gazebo", "contact of links", "safety_controller", "calibration"}
    assert not reading.report.changes_dynamics
    kept = reading.mech.extras["urdf"]
    assert kept["elements"] == ['<gazebo reference="upper"><material>Gazebo/Red</material></gazebo>']
    assert kept["joints"]["shoulder"][1] == '<calibration rising="0.1"/>'
    assert kept["links"]["upper"] == ['<contact><lateral_friction value="1.0"/></contact>']
    assert kept["attributes"] == {"robot": {"version": "1.0"}}


# --- the base --------------------------------------------------------------------------------------------------------------


def test_the_root_is_fixed_unless_it_is_to_be_free(tmp_path):
    assert read(tmp_path).mech.joints["base_base"].type == rg.Fixed()
    assert read(tmp_path, base="free").mech.joints["base_base"].type == rg.Free()
    with pytest.raises(rg.ModelError, match='base must be "fixed" or "free"'):
        read(tmp_path, base="floating")


def test_a_root_that_is_called_world_is_the_world(tmp_path):
    text = ARM.replace('"base"', '"world"')
    reading = read(tmp_path, text)
    assert "world" not in reading.mech.bodies
    assert next(iter(reading.mech.joints)) == "shoulder"
    assert reading.mech.joints["shoulder"].parent == "world"
    assert reading.mech.shapes["foot"].body == "world"
    assert any(finding.kind == "inertia" and finding.part == "world" for finding in reading.report.findings)
    with pytest.raises(rg.FileError, match="cannot be free"):
        read(tmp_path, text, base="free")


def test_a_base_joint_takes_a_name_that_is_free(tmp_path):
    assert "base_base_" in read(tmp_path, ARM.replace('"wheel"', '"base_base"')).mech.joints


@pytest.mark.parametrize(("kind", "expected"), [("floating", rg.Free()), ("planar", rg.Planar((0, 1, 0)))])
def test_joints_of_many_coordinates(tmp_path, kind, expected):
    assert read(tmp_path, ARM.replace('"continuous"', f'"{kind}"')).mech.joints["wheel"].type == expected


# --- inertias that no body has ---------------------------------------------------------------------------------------------

IMPOSSIBLE = ARM.replace('izz="0.01"', 'izz="0.1"').replace('ixx="1e-5"', 'ixx="-1e-5"')


def test_impossible_inertias_are_one_error_that_lists_all(tmp_path):
    with pytest.raises(rg.FileError, match="no real body has") as caught:
        read(tmp_path, IMPOSSIBLE)
    assert "'base' (line 5): of its principal moments (0.02, 0.02, 0.1) the largest is more" in str(caught.value)
    line = 1 + IMPOSSIBLE[: IMPOSSIBLE.index('ixx="-1e-5"')].count("\n")
    assert f"'finger' (line {line}): it has the negative principal moment -1e-05" in str(caught.value)
    assert 'inertia="repair"' in str(caught.value)


def test_repairing_takes_the_nearest_inertia_and_tells(tmp_path):
    reading = read(tmp_path, IMPOSSIBLE, inertia="repair")
    repaired = {finding.part: finding.message for finding in reading.report.findings if finding.kind == "inertia"}
    assert list(repaired) == ["base", "finger"]
    assert "(0.02, 0.02, 0.1)" in repaired["base"]
    moments = np.diag(reading.mech.bodies["base"].inertia.tensor)
    # nearest point on the plane a + b = c to (0.02, 0.02, 0.1): along its normal (1, 1, -1) by 0.06 / 3
    assert np.abs(moments - [0.04, 0.04, 0.08]).max() < 1e-16
    assert not reading.report.changes_dynamics


@pytest.mark.parametrize(
    ("mass", "moments", "expected_mass", "expected"),
    [
        ("-1", (1.0, 1.0, 1.0), 0.0, (0.0, 0.0, 0.0)),
        ("0", (1.0, 1.0, 1.0), 0.0, (0.0, 0.0, 0.0)),
        ("1", (-1.0, -1.0, -1.0), 1.0, (0.0, 0.0, 0.0)),
        ("1", (0.0, 0.0, 3.0), 1.0, (1.0, 1.0, 2.0)),
        ("1", (-1.0, 2.0, 2.0), 1.0, (0.0, 2.0, 2.0)),
    ],
)
def test_repairs_by_hand(tmp_path, mass, moments, expected_mass, expected):
    inertia = '<inertia ixx="{}" iyy="{}" izz="{}"/>'.format(*moments)
    text = f'<robot name="r"><link name="a"><inertial><mass value="{mass}"/>{inertia}</inertial></link></robot>'
    found = read(tmp_path, text, inertia="repair").mech.bodies["a"].inertia
    assert found.mass == expected_mass
    assert np.abs(np.diag(found.tensor) - expected).max() < 1e-15


# --- limits ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bounds", ["", 'lower="0" upper="0"'])
def test_limits_of_zero_are_none_and_told(tmp_path, bounds):
    reading = read(tmp_path, ARM.replace('lower="-1" upper="2"', bounds))
    assert reading.mech.joints["shoulder"].type.limits is None
    assert any(finding.kind == "limit" and finding.part == "shoulder" for finding in reading.report.findings)


@pytest.mark.parametrize(
    ("bounds", "message"), [('lower="1" upper="1"', "is locked"), ('lower="2" upper="1"', "wrong way round")]
)
def test_limits_that_no_joint_has_are_loud(tmp_path, bounds, message):
    text = ARM.replace('lower="-1" upper="2"', bounds)
    with pytest.raises(rg.FileError, match=message):
        read(tmp_path, text)
    assert read(tmp_path, text, ignore=("limit",)).mech.joints["shoulder"].type.limits is None


def test_limits_that_leave_out_zero_are_told(tmp_path):
    reading = read(tmp_path, ARM.replace('lower="-1"', 'lower="0.5"'))
    assert any("0 is outside of the limits" in finding.message for finding in reading.report.findings)


def test_limits_are_taken_away_by_replace(tmp_path):
    mech = read(tmp_path).mech
    hard = mech.replace(limits=dict.fromkeys(mech.joints))
    assert all(joint.type.limits is None for joint in hard.joints.values())


def test_a_mimic_joint_that_follows_nothing_is_loud(tmp_path):
    text = ARM.replace('mimic joint="shoulder"', 'mimic joint="gone"')
    with pytest.raises(rg.FileError, match=r"mimic 'slide': it follows the joint 'gone', which is not in the file"):
        read(tmp_path, text)
    mech = read(tmp_path, text, ignore=("mimic",)).mech
    assert not mech.couplings
    mech.add_coupling("mended", "shoulder", "slide", ratio=0.02)
    mech.save(tmp_path / "mended.urdf")
    assert rg.read(tmp_path / "mended.urdf").mech.couplings == mech.couplings


# --- meshes ----------------------------------------------------------------------------------------------------------------


def mesh_findings(reading):
    return [finding for finding in reading.report.findings if finding.kind == "mesh"]


def test_a_package_is_found_by_search_paths_by_the_environment_and_upwards(tmp_path, monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "arm" / "urdf"
    (elsewhere / "arm_parts" / "meshes").mkdir(parents=True)
    (elsewhere / "arm_parts" / "meshes" / "hub.stl").write_text("")
    here.mkdir(parents=True)
    assert "1 of 1 mesh files are not there" in mesh_findings(read(here))[0].message
    assert not mesh_findings(read(here, packages=[elsewhere]))
    assert not mesh_findings(read(here, packages=str(elsewhere)))
    assert not mesh_findings(read(here, packages=[elsewhere / "arm_parts"]))
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(elsewhere))
    assert not mesh_findings(read(here))
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    (elsewhere / "arm_parts").rename(tmp_path / "arm_parts")
    assert not mesh_findings(read(here))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("package://arm_parts/../../secret.stl", "leads out of its package"),
        ("https://example.org/hub.stl", "nothing is fetched"),
        ("meshes/hub.stl", "not there"),
        ("file:///nowhere/hub.stl", "not there"),
        ("package://", "not there"),
    ],
)
def test_meshes_that_are_not_there_are_told_and_kept(tmp_path, path, message):
    (tmp_path / "arm_parts").mkdir()
    reading = read(tmp_path, ARM.replace("package://arm_parts/meshes/hub.stl", path))
    assert message in mesh_findings(reading)[0].message
    assert reading.mech.shapes["hub_visual"].form.path == path


def test_meshes_are_not_read(tmp_path):
    (tmp_path / "arm_parts" / "meshes" / "hub.stl").mkdir(parents=True)
    assert not mesh_findings(read(tmp_path))


# --- xacro -----------------------------------------------------------------------------------------------------------------


def test_xacro_files_are_read_by_xacrodoc(tmp_path):
    pytest.importorskip("xacrodoc")
    text = ARM.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ').replace(
        '<mass value="2"/>', '<xacro:property name="half" value="4"/><mass value="${half / 2}"/>'
    )
    assert rg.read(written(tmp_path, text, "arm.xacro")).mech == read(tmp_path).mech
    with pytest.raises(rg.FileError, match="xacro cannot read it"):
        rg.read(written(tmp_path, text.replace("half / 2", "nothing / 2"), "arm.xacro"))


def test_macros_that_were_not_expanded_are_loud(tmp_path):
    text = ARM.replace("</robot>", '<xacro:include filename="gripper.xacro"/></robot>')
    with pytest.raises(rg.FileError, match=r"<xacro:include> was not expanded"):
        read(tmp_path, text)
    assert "xacro:include" in str(read(tmp_path, text, ignore="xacro").report)


@pytest.mark.parametrize("kind", ["continuous", "floating", "planar"])
def test_bounds_that_a_type_does_not_have_are_told(tmp_path, kind):
    joint = f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/><limit {{}} effort="1" velocity="1"/></joint>'
    text = f'<robot name="r"><link name="a"/><link name="b"/>{joint}</robot>'
    assert "has no bounds" in str(read(tmp_path, text.format('lower="-1" upper="1"')).report)
    assert "has no bounds" not in str(read(tmp_path, text.format('lower="0" upper="0"')).report)
