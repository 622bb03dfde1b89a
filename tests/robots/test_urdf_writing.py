"""Mechanisms as URDF: equal to the last digit after a round trip, and one error that lists what URDF has no words for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from regraft.files.formats.urdf_poses import angles_of, pose_of
from robots.example_robots import FILES, WITHOUT, label, robot
from robots.small_robots import ARM, read


def again(mech, folder, **options):
    mech.save(folder / "again.urdf", **options)
    return rg.read(folder / "again.urdf", ignore="all").mech


# --- round trips -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not FILES, reason=WITHOUT)
@pytest.mark.parametrize("file", FILES, ids=label)
def test_a_robot_comes_back_to_the_last_digit(file, tmp_path):
    mech = robot(file).mech
    twin = again(mech, tmp_path)
    text = (tmp_path / "again.urdf").read_text()
    assert twin == mech
    assert twin.extras["urdf"].keys() == mech.extras["urdf"].keys()
    assert again(twin, tmp_path) == mech
    assert (tmp_path / "again.urdf").read_text() == text


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_what_was_kept_is_written_again(tmp_path, base):
    mech = read(tmp_path, base=base).mech
    twin = again(mech, tmp_path)
    assert twin == mech
    assert twin.extras["urdf"].pop("attributes") == {"robot": {"version": "1.1"}}  # which capsules need
    assert mech.extras["urdf"].pop("attributes") == {"robot": {"version": "1.0"}}
    assert twin.extras == mech.extras


def test_what_urdf_has_no_words_for_but_moves_nothing_comes_back(tmp_path):
    mech = read(tmp_path).mech
    mech.add_frame("eye", "upper", rg.Pose.about((1, 2, 3), 0.4, (0.1, 0.2, 0.3)))
    mech.add_shape("upper", rg.Ellipsoid((0.1, 0.2, 0.3)), "egg", rg.Pose(translation=(1, 0, 0)))
    mech.add_keyframe("home", mech.state(q={"shoulder": 0.5}))
    mech.add_actuator("second", "wheel", gear=-3.0, effort=7.0)
    mech.add_body("extra", rg.Inertia.sphere(1.0, 0.1))
    soft = rg.Limits(-1.0, math.inf, 500.0, 2.0)
    mech.add_joint("passive", rg.Revolute((0, 1, 0), actuated=False, limits=soft), "base", "extra")
    with pytest.warns(rg.RegraftWarning) as told:
        twin = again(mech.replace(gravity=(0, 0, -1.62)), tmp_path)
    words = " ".join(str(warning.message) for warning in told)
    assert "no gravity" in words
    assert "no ellipsoids" in words
    assert "no keyframes" in words
    assert twin == mech.replace(gravity=(0, 0, -1.62))


def test_a_mechanism_that_was_never_a_file(tmp_path):
    mech = rg.Mechanism()
    mech.add_body("cart", rg.Inertia.box(2.0, (0.3, 0.2, 0.1)))
    mech.add_body("pole", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, 1)))
    mech.add_joint("rail", rg.Prismatic((1, 0, 0)), "world", "cart", rg.Pose.about((1, 1, 0), 0.3))
    mech.add_joint(
        "hinge", rg.Revolute((0, 1, 0), damping=0.1), "cart", "pole", child_pose=rg.Pose.about((0, 1, 1), 0.7, (0.1, 0, 0))
    )
    mech.add_shape("cart", rg.Box((0.3, 0.2, 0.1)), color=(1, 0, 0))
    mech.add_shape("world", rg.Box((5, 0.1, 0.01)), "track")
    twin = again(mech, tmp_path)
    assert twin.joints == mech.joints
    assert twin.bodies == mech.bodies
    assert {name: shape.color for name, shape in twin.shapes.items()} == {"track": None, "cart_shape": (1.0, 0.0, 0.0, 1.0)}


def test_a_capsule_along_any_line_is_the_same_capsule(tmp_path):
    mech = read(tmp_path).mech
    mech.add_shape("upper", rg.Capsule(0.05, (0.1, 0.2, 0.3), (0.3, 0.1, -0.4)), "arm", rg.Pose.about((1, 2, 3), 0.5, (1, 2, 3)))
    ours, theirs = mech.shapes["arm"], again(mech, tmp_path).shapes["arm"]
    for end in ("start", "end"):
        gap = theirs.pose.apply(getattr(theirs.form, end)) - ours.pose.apply(getattr(ours.form, end))
        assert np.abs(gap).max() < 1e-14


def test_a_joint_to_the_world_in_some_place_is_written_with_a_link_world(tmp_path):
    mech = read(tmp_path).mech
    there, _ = rg.reroot(mech, mech.state(q={"shoulder": 0.4}), "tip", joint=rg.Fixed(), align="current")
    twin = again(there, tmp_path)
    assert '<link name="world"/>' in (tmp_path / "again.urdf").read_text()
    pose = rg.body_poses(mech, mech.state(q={"shoulder": 0.4}))["upper"]
    assert np.abs(rg.body_poses(twin, twin.state(q={"shoulder": 0.4}))["upper"].row - pose.row).max() < 1e-14


def test_frames_that_move_leave_no_helper_links(tmp_path):
    mech = read(tmp_path, base="free").mech
    turned, _ = rg.reroot(mech, mech.state(), "tip")
    turned.save(tmp_path / "keep.urdf")
    turned.save(tmp_path / "move.urdf", frames="move")
    links = {name: (tmp_path / f"{name}.urdf").read_text().count("<link ") for name in ("keep", "move")}
    assert links["move"] == len(mech.bodies)
    assert links["keep"] == len(mech.bodies) + 2  # at the shoulder and at the wheel; the slide's frame is at its link


def test_a_file_that_was_edited_counts_and_not_what_only_we_read(tmp_path):
    mech = read(tmp_path, base="free").mech
    turned, _ = rg.reroot(mech, mech.state(), "tip")
    turned.save(tmp_path / "turned.urdf")
    text = (tmp_path / "turned.urdf").read_text()
    edited = text.replace('<origin xyz="0.4 0 0"', '<origin xyz="0.5 0 0"').replace(
        '<origin xyz="0 0 0.4"', '<origin xyz="0 0 0.5"'
    )
    assert edited != text
    (tmp_path / "turned.urdf").write_text(edited)
    found = rg.read(tmp_path / "turned.urdf").mech.joints["wheel"].child_pose
    assert np.abs(found.translation - (0, 0, -0.5)).max() < 1e-15


def test_a_damaged_element_of_ours_is_named(tmp_path):
    for damaged in ("{", "[]", '{"version": 2}', '{"version": 1, "poses": 3}', '{"version": 1, "keyframes": [{"name": "a"}]}'):
        with pytest.raises(rg.FileError, match=r"line 1: the element <regraft> is damaged"):
            read(tmp_path, f'<robot name="r"><link name="a"/><regraft>{damaged}</regraft></robot>')


# --- what URDF has no words for --------------------------------------------------------------------------------------------


def test_all_that_urdf_cannot_hold_is_one_error(tmp_path):
    mech = read(tmp_path).mech
    kinds = {
        "helix": rg.Helical((0, 0, 1), 0.1),
        "ball": rg.Spherical(),
        "cross": rg.Universal((1, 0, 0), (0, 1, 0)),
        "sleeve": rg.Cylindrical((0, 0, 1)),
        "rotor": rg.Revolute((0, 0, 1), armature=0.1),
        "leaf": rg.Prismatic((0, 0, 1), stiffness=10.0),
        "table": rg.Planar((0, 0, 1), damping=(1.0, 2.0, 3.0)),
    }
    for name, kind in kinds.items():
        mech.add_body(f"{name}_body", rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(name, kind, "base", f"{name}_body")
    mech.add_joint("closing", rg.Spherical(), "helix_body", "ball_body")
    mech.add_spring("elastic", "base", (0, 0, 0), "tip", (0, 0, 0), stiffness=1.0)
    mech.add_coupling("differential", {"shoulder": 0.5, "rotor": 0.5}, "wheel")
    with pytest.raises(rg.FileError) as caught:
        mech.save(tmp_path / "out.urdf")
    message = str(caught.value)
    for part in (*kinds, "closing", "elastic", "differential"):
        assert f"'{part}'" in message
    assert "MJCF" in message
    assert ".json" in message
    assert not (tmp_path / "out.urdf").exists()


def test_what_urdf_cannot_hold_is_left_out_on_demand_and_named(tmp_path):
    mech = read(tmp_path).mech
    plain = mech.copy()
    for name, kind in (("rotor", {"armature": 0.1}), ("leaf", {"stiffness": 10.0}), ("other", {"armature": 0.2})):
        for one, taken in ((mech, kind), (plain, {})):
            one.add_body(f"{name}_body", rg.Inertia.sphere(1.0, 0.1))
            one.add_joint(name, rg.Revolute((0, 0, 1), **taken), "base", f"{name}_body")
    mech.add_joint("closing", rg.Spherical(), "rotor_body", "leaf_body")
    mech.add_spring("elastic", "base", (0, 0, 0), "tip", (0, 0, 0), stiffness=1.0)
    mech.add_coupling("differential", {"shoulder": 0.5, "rotor": 0.5}, "other")
    with pytest.raises(
        rg.FileError, match=r"armature: the joints 'rotor', 'other'\n(.*\n)*.*ignore=\('loop', 'armature', 'stiff"
    ):
        mech.save(tmp_path / "out.urdf")
    with pytest.raises(rg.FileError, match="the spring 'elastic'"):
        mech.save(tmp_path / "out.urdf", ignore=("loop", "armature", "stiffness", "coupling"))
    with pytest.warns(rg.RegraftWarning, match="moves otherwise") as told:
        mech.save(tmp_path / "out.urdf", ignore="all")
    (said,) = (str(one.message) for one in told if "moves otherwise" in str(one.message))
    for part in ("rotor", "leaf", "other", "closing", "elastic", "differential"):
        assert f"'{part}'" in said
    assert rg.read(tmp_path / "out.urdf").mech == plain


def test_a_joint_of_many_coordinates_cannot_be_turned_round(tmp_path):
    mech = read(tmp_path, ARM.replace('"continuous"', '"planar"'), base="free").mech
    turned, _ = rg.reroot(mech, mech.state(), "tip")
    with pytest.raises(rg.FileError, match="the Planar joint 'wheel' is described from 'upper', which 'hub' is to carry"):
        turned.save(tmp_path / "out.urdf")


def test_a_state_is_told_to_be_left_out(tmp_path):
    mech = read(tmp_path).mech
    with pytest.warns(rg.RegraftWarning, match="no state"):
        mech.save(tmp_path / "out.urdf", state=mech.state(q={"shoulder": 1.0}))


# --- angles ----------------------------------------------------------------------------------------------------------------

angles = st.floats(-7.0, 7.0) | st.sampled_from([math.pi, -math.pi, math.pi / 2, -math.pi / 2, 1.5708, -1.5708, 3.14159, 0.0])
near_ninety = st.builds(
    lambda sign, off: sign * (math.pi / 2 + off),
    st.sampled_from([1, -1]),
    st.sampled_from([0.0, 1e-16, 1e-12, 1e-9, 1e-8, 1e-6, -1e-7]),
)


@given(angles, angles | near_ninety, angles)
@settings(max_examples=300, deadline=None)
def test_three_angles_give_any_rotation_also_at_a_pitch_of_ninety_degrees(roll, pitch, yaw):
    pose = pose_of((1.0, 2.0, 3.0), (roll, pitch, yaw))
    found, is_exact = angles_of(pose)
    back = pose_of((1.0, 2.0, 3.0), found)
    assert np.abs(back.row - pose.row).max() <= 1e-14
    assert is_exact == (back == pose)


@pytest.mark.parametrize("rpy", [(0, 1.5708, 0), (0, -1.5707963267948966, 0), (3.1416, 0, 0), (0.1, 0.2, 0.3), (1.57, 0, -1.57)])
def test_angles_that_people_write_come_back_as_they_were(rpy):
    assert angles_of(pose_of((0.0, 0.0, 0.0), tuple(map(float, rpy)))) == (rpy, True)


@given(st.lists(st.tuples(angles, near_ninety | angles, angles), min_size=2, max_size=4), st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_re_rooting_survives_pitches_of_ninety_degrees(tmp_path_factory, turns, top):
    folder = tmp_path_factory.mktemp("turned")
    joint = '<joint name="j{0}" type="revolute"><origin xyz="0.1 {0} 0.3" rpy="{2} {3} {4}"/><parent link="l{1}"/>'
    rest = '<child link="l{0}"/><axis xyz="1 2 -3"/><limit lower="-1" upper="2" effort="3" velocity="4"/></joint>'
    links = "".join(f'<link name="l{i}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
                    for i in range(len(turns) + 1))  # fmt: skip
    joints = "".join((joint + rest).format(i + 1, i, *turn) for i, turn in enumerate(turns))
    mech = read(folder, f'<robot name="r">{links}{joints}</robot>', base="free").mech
    body = f"l{min(top, len(turns))}"
    turned = again(rg.reroot(mech, mech.state(), body)[0], folder)
    q = {f"j{i + 1}": 0.3 * (i + 1) for i in range(len(turns))}
    ours, theirs = (rg.body_poses(one, one.state(q=q)) for one in (turned, mech))
    for link in mech.bodies:
        gap = (ours[body].inverse() @ ours[link]).row - (theirs[body].inverse() @ theirs[link]).row
        assert np.abs(gap).max() <= 1e-12
    back = again(rg.reroot(turned, turned.state(), "l0", name="l0_base")[0], folder)
    assert [back.joints[name] for name in q] == [mech.joints[name] for name in q]


def test_names_of_all_characters_come_back(tmp_path):
    odd = "a <b> & \"c\" 'd' é ☃"
    mech = read(tmp_path).mech
    mech.add_body(odd, rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint(f"{odd} joint", rg.Revolute((0, 1, 0)), "base", odd)
    mech.add_shape(odd, rg.Mesh(f"{odd}.stl"), f"{odd} shape", color=(1, 0, 0))
    mech.add_frame(f"{odd} frame", odd)
    assert again(mech, tmp_path) == mech


@pytest.mark.parametrize(
    "own",
    [
        '{"version": 1, "gravity": "down"}',
        '{"version": 1, "gravity": [1e400, 0, 0]}',
        '{"version": 1, "couplings": {"slide": ""}}',
        '{"version": 1, "efforts": {"motor": -1}}',
        '{"version": 1, "efforts": {"motor": "strong"}}',
    ],
)
def test_any_damage_of_our_element_is_named_with_the_file_and_the_line(tmp_path, own):
    with pytest.raises(rg.FileError, match=r"robot\.urdf, line \d+: the element <regraft> is damaged"):
        read(tmp_path, ARM.replace("</robot>", f"<regraft>{own}</regraft></robot>"))
