"""OpenSim models: small ones with known answers in both ways of writing them, and files that are none."""

import re

import numpy as np
import pytest

import regraft as rg
from mocap.osim_files import Model, Part, axis, constant, linear, scaled, spline
from regraft.errors import FileError, RegraftWarning
from regraft.mocap.bases import free_base
from regraft.mocap.body_motion import Motion
from regraft.mocap.formats.osim import read_osim

G = 9.80665
PENDULUM = Model(
    [Part("rod", "ground", "PinJoint", coordinates=("swing",), com="0 -0.5 0", inertia="0.1 0.05 0.09 0 0 0", mass=2.0)],
    markers=[("tip", "rod", "0 -1 0"), ("wall", "ground", "0 1 2")],
)
KNEE = (
    axis("rotation1", "0 0 1", "knee", linear())
    + axis(
        "translation1",
        "1 0 0",
        "knee",
        scaled(2.0, "<PolynomialFunction><coefficients>0.01 0 0.02</coefficients></PolynomialFunction>"),
    )
    + axis("translation2", "0 1 0", "knee", spline("-2 -1 0 1", "-0.4 -0.41 -0.39 -0.4"))
    + axis("translation3", "0 0 1", "", constant(0.03))
)
LEG = Model(
    [
        Part(
            "pelvis",
            "ground",
            "CustomJoint",
            "ground_pelvis",
            ("tilt", "tx", "ty"),
            mass=10.0,
            com="0 0.1 0",
            axes=axis("rotation1", "0 0 1", "tilt", linear())
            + axis("translation1", "1 0 0", "tx", linear())
            + axis("translation2", "0 1 0", "ty", linear()),
        ),
        Part(
            "femur_r",
            "pelvis",
            "BallJoint",
            "hip_r",
            ("flexion", "adduction", "rotation"),
            at="0 -0.1 0.1",
            mass=7.0,
            com="0 -0.2 0",
        ),
        Part("tibia_r", "femur_r", "CustomJoint", "knee_r", ("knee",), axes=KNEE, mass=3.0, com="0 -0.2 0"),
        Part(
            "calcn_r", "tibia_r", "PinJoint", "ankle_r", ("ankle",), at="0 -0.4 0", own_at="0.05 0.04 0", mass=1.0, com="0.1 0 0"
        ),
        Part(
            "toes_r",
            "calcn_r",
            "WeldJoint",
            "mtp_r",
            at="0.18 0 0.01",
            mass=0.2,
            com="0.03 0 0",
            inertia="0.001 0.001 0.001 0 0 0",
        ),
    ]
)


def read(tmp_path, text):
    path = tmp_path / "model.osim"
    path.write_text(text)
    return read_osim(path)


@pytest.mark.parametrize("version", ["old", "new"])
def test_a_pendulum(tmp_path, version):
    model = read(tmp_path, getattr(PENDULUM, version)())
    mech = model.mech
    assert list(model.coordinates) == ["swing"]
    assert model.place("swing") == ("swing", 0)
    assert mech.gravity == pytest.approx([0, 0, -G])
    state = mech.state(q={"swing": 0.3}, v={"swing": 2.0})
    inertia = 0.09 + 2.0 * 0.25
    assert rg.inverse_dynamics(mech, state, [5.0]) == pytest.approx([inertia * 5.0 + 2.0 * G * 0.5 * np.sin(0.3)])
    assert rg.frame_position(mech, state, model.markers["tip"]) == pytest.approx([np.sin(0.3), 0.0, -np.cos(0.3)])
    assert rg.frame_position(mech, state, model.markers["wall"]) == pytest.approx([0.0, -2.0, 1.0])


@pytest.mark.parametrize("version", ["old", "new"])
def test_a_slider_on_a_turned_frame(tmp_path, version):
    part = Part("cart", "ground", "SliderJoint", coordinates=("way",), turned="0 0 0.5", at="1 2 3", mass=2.0)
    mech = read(tmp_path, getattr(Model([part]), version)()).mech
    state = mech.state(q={"way": 2.0})
    assert rg.bias_force(mech, state) == pytest.approx([2.0 * G * np.sin(0.5)])
    assert rg.body_poses(mech, state)["cart"].translation == pytest.approx([1 + 2 * np.cos(0.5), -3.0, 2 + 2 * np.sin(0.5)])


@pytest.mark.parametrize("version", ["old", "new"])
def test_a_knee_slides_as_it_bends(tmp_path, version):
    model = read(tmp_path, getattr(LEG, version)())
    mech = model.mech
    q = -0.7
    state = mech.state(q={"knee": q})
    poses = rg.body_poses(mech, state)
    found = poses["femur_r"].inverse() @ poses["tibia_r"]
    assert found.translation[[0, 2]] == pytest.approx([2 * (0.01 * q**2 + 0.02), 0.03])
    assert rg.Curve.spline([-2, -1, 0, 1], [-0.4, -0.41, -0.39, -0.4], end="fmm")(q) == pytest.approx(found.translation[1])
    assert found.rotation == pytest.approx(rg.Pose.about((0, 0, 1), q).rotation)


def test_both_ways_of_writing_are_the_same_mechanism(tmp_path):
    old, new = (read(tmp_path, text) for text in (LEG.old(), LEG.new()))
    assert old.mech.to_dict() == new.mech.to_dict()
    assert old.chains == new.chains


def test_chains_are_named_after_coordinates(tmp_path):
    model = read(tmp_path, LEG.new())
    assert list(model.coordinates) == ["tx", "ty", "tilt", "flexion", "adduction", "rotation", "knee", "ankle"]
    assert model.chains["ground_pelvis"] == ("tx", "ty", "tilt")
    assert "hip_r.flexion" in model.mech.bodies
    assert isinstance(model.mech.joints["tx"].type, rg.Prismatic)
    assert isinstance(model.mech.joints["flexion"].type, rg.Revolute)
    assert isinstance(model.mech.joints["knee"].type, rg.Guided)
    assert isinstance(model.mech.joints["mtp_r"].type, rg.Fixed)
    assert [own.motion for own in model.coordinates.values()][:3] == ["translation", "translation", "rotation"]
    assert model.joints == {"right_hip": ("flexion", "adduction", "rotation"), "right_knee": ("knee",), "right_ankle": ("ankle",)}


def test_massless_bodies_in_between_do_no_harm(tmp_path):
    """Forward dynamics undoes inverse dynamics, also of the mechanism that hangs on its foot."""
    mech = read(tmp_path, LEG.new()).mech
    q, v, a = np.random.default_rng(3).uniform(-1, 1, (3, mech.nv))
    state = mech.state(q=q, v=v)
    tau = rg.inverse_dynamics(mech, state, a)
    assert rg.forward_dynamics(mech, state, tau) == pytest.approx(a, abs=1e-8)
    moving = free_base(Motion(mech, np.zeros(1), q[None], v[None], a[None]))
    assert "ground_pelvis.tx" not in moving.mech.bodies
    free = moving.mech.state(q=moving.q[0], v=moving.v[0])
    needed = rg.inverse_dynamics(moving.mech, free, moving.a[0])
    for name in ("flexion", "adduction", "rotation", "knee", "ankle"):
        assert needed[moving.mech.v_slice(name)] == pytest.approx(tau[mech.v_slice(name)], abs=1e-9)
    for body, pose in rg.body_poses(moving.mech, free).items():
        assert pose.translation == pytest.approx(rg.body_poses(mech, state)[body].translation, abs=1e-12)
    other, there, rate = rg.reroot(moving.mech, free, "calcn_r", acceleration=moving.a[0])
    found = rg.inverse_dynamics(other, there, rate)
    assert rg.forward_dynamics(other, there, found) == pytest.approx(rate, abs=1e-8)


def test_a_base_that_is_free_already_stays(tmp_path):
    mech = read(tmp_path, PENDULUM.new()).mech
    motion = Motion(mech, *np.zeros((4, 1)))
    assert free_base(motion) is motion


def test_the_file_decides_which_way_is_up(tmp_path):
    model = read(tmp_path, Model(PENDULUM.parts, gravity="0 0 -9.81").new())
    assert model.mech.gravity == pytest.approx([0, 0, -9.81])
    assert model.up == rg.Pose()
    assert rg.bias_force(model.mech, model.default) == pytest.approx([0.0])


def test_defaults_ranges_and_flags_of_coordinates(tmp_path):
    about = (
        "<default_value>0.4</default_value><default_speed_value>2</default_speed_value><range>-1 2</range>"
        "<clamped>true</clamped><locked>true</locked>"
    )
    model = read(tmp_path, Model([Part("rod", "ground", "PinJoint", coordinates=("swing",), about=about)]).new())
    own = model.coordinates["swing"]
    assert (own.default, own.speed, own.range, own.clamped, own.locked, own.prescribed) == (
        0.4,
        2.0,
        (-1.0, 2.0),
        True,
        True,
        False,
    )
    assert model.default.q.tolist() == [0.4]
    assert model.default.v.tolist() == [2.0]
    assert any("locked" in note and "'swing'" in note for note in model.notes)
    assert any("clamped" in note for note in model.notes)


def test_a_constant_between_two_rotations(tmp_path):
    axes = (
        axis("rotation1", "0 0 1", "a", linear(1, 0.2))
        + axis("rotation2", "1 0 0", "", constant(0.4))
        + axis("rotation3", "0 2 0", "b", linear(-1))
    )
    mech = read(
        tmp_path, Model([Part("rod", "ground", "CustomJoint", coordinates=("a", "b"), axes=axes)], gravity="0 0 -9.81").new()
    ).mech
    found = rg.body_poses(mech, mech.state(q={"a": 0.3, "b": 0.7}))["rod"]
    wanted = rg.Pose.about((0, 0, 1), 0.5) @ rg.Pose.about((1, 0, 0), 0.4) @ rg.Pose.about((0, 1, 0), -0.7)
    assert found.rotation == pytest.approx(wanted.rotation)


def test_constants_in_front_of_a_guide_and_behind_it(tmp_path):
    axes = (
        axis("rotation1", "1 0 0", "", constant(0.4))
        + axis("rotation2", "0 0 1", "a", linear(2.0))
        + axis("rotation3", "0 1 0", "", constant(-0.2))
        + axis("translation1", "1 0 0", "", constant(0.1))
        + axis("translation2", "0 1 0", "a", linear(3.0))
    )
    mech = read(
        tmp_path, Model([Part("rod", "ground", "CustomJoint", coordinates=("a",), axes=axes)], gravity="0 0 -9.81").new()
    ).mech
    found = rg.body_poses(mech, mech.state(q={"a": 0.3}))["rod"]
    wanted = rg.Pose.about((1, 0, 0), 0.4) @ rg.Pose.about((0, 0, 1), 0.6) @ rg.Pose.about((0, 1, 0), -0.2)
    assert found.rotation == pytest.approx(wanted.rotation)
    assert found.translation == pytest.approx([0.1, 0.9, 0.0])


@pytest.mark.parametrize(
    "function",
    [
        spline("-1 0 1 2 3 4", "0 1 4 9 16 25", "GCVSpline", "<half_order>3</half_order><error_variance>0</error_variance>"),
        spline("-1 0 1 2 3 4", "0 1 4 9 16 25", "GCVSpline", "<half_order>2</half_order>"),
        spline("-1 0 1 2 3 4", "0 1 4 9 16 25", "NaturalCubicSpline"),
        "<PolynomialFunction><coefficients>1 2 1</coefficients></PolynomialFunction>",
    ],
)
def test_functions_go_through_their_points(tmp_path, function):
    axes = axis("translation1", "1 0 0", "a", function)
    mech = read(tmp_path, Model([Part("cart", "ground", "CustomJoint", coordinates=("a",), axes=axes)]).new()).mech
    for q in (0.0, 1.0, 2.0):
        assert rg.body_poses(mech, mech.state(q={"a": q}))["cart"].translation[0] == pytest.approx((q + 1) ** 2)


def test_a_joint_that_is_reversed(tmp_path):
    text = PENDULUM.old().replace("<CoordinateSet>", "<reverse>true</reverse><CoordinateSet>")
    mech = read(tmp_path, text).mech
    found = rg.body_poses(mech, mech.state(q={"swing": 0.3}))["rod"]
    assert found.rotation == pytest.approx((rg.Pose.about((1, 0, 0), np.pi / 2) @ rg.Pose.about((0, 0, 1), -0.3)).rotation)


def test_frames_that_hang_on_frames(tmp_path):
    text = (
        PENDULUM.new()
        .replace(
            "<socket_child_frame>rod_offset</socket_child_frame>",
            "<socket_child_frame>../../bodyset/rod/deep</socket_child_frame>",
        )
        .replace(
            "</inertia></Body>",
            "</inertia><components>"
            '<PhysicalOffsetFrame name="deep"><socket_parent>../half</socket_parent>'
            "<translation>0 0.5 0</translation></PhysicalOffsetFrame>"
            '<PhysicalOffsetFrame name="half"><socket_parent>..</socket_parent>'
            "<translation>0 0.5 0</translation></PhysicalOffsetFrame>"
            "</components></Body>",
        )
    )
    mech = read(tmp_path, text).mech
    assert rg.body_poses(mech, mech.state())["rod"].translation == pytest.approx([0.0, 0.0, -1.0])


def test_the_connectors_of_early_versions_4(tmp_path):
    text = LEG.new()
    for name in ("parent_frame", "child_frame", "parent"):
        text = re.sub(
            f"<socket_{name}>(.*?)</socket_{name}>",
            lambda found, name=name: (
                f'<connectors><Connector_PhysicalFrame_ name="{name}">'
                f"<connectee_name>{'../' if '/' not in found[1] else ''}{found[1]}</connectee_name>"
                "</Connector_PhysicalFrame_></connectors>"
            ),
            text,
        )
    assert "socket" not in text
    assert read(tmp_path, text).mech.to_dict() == read(tmp_path, LEG.new()).mech.to_dict()


def test_frames_of_the_same_name_are_those_of_their_joint(tmp_path):
    """Every joint at the pelvis has a frame called pelvis_offset."""
    legs = [Part(f"femur_{side}", "pelvis", coordinates=(side,), at=f"0 0 {z}") for side, z in (("r", 0.1), ("l", -0.1))]
    mech = read(tmp_path, Model([Part("pelvis", "ground", coordinates=("tilt",)), *legs]).new()).mech
    assert [rg.body_poses(mech, mech.state())[f"femur_{side}"].translation[1] for side in "rl"] == pytest.approx([-0.1, 0.1])


def test_what_is_left_out_is_told(tmp_path):
    more = (
        '<ForceSet><objects><Thelen2003Muscle name="m"/><BushingForce name="b"/></objects></ForceSet>'
        '<ConstraintSet><objects><CoordinateCouplerConstraint name="patella"/>'
        '<WeldConstraint name="off"><isDisabled>true</isDisabled></WeldConstraint></objects></ConstraintSet>'
    )
    with pytest.warns(RegraftWarning, match="CoordinateCouplerConstraint 'patella'") as told:
        model = read(tmp_path, Model(PENDULUM.parts, more=more).new())
    assert "off" not in str(told[0].message).split("'patella'")[1]
    assert any("1 BushingForce, 1 Thelen2003Muscle" in note for note in model.notes)


# --- feet ------------------------------------------------------------------------------------------------------------


def foot_points(model):
    frames, pose = model.mech.frames, rg.body_poses(model.mech, model.default)["calcn_r"].inverse()
    names = [model.feet["right"].heel, *model.feet["right"].ball, model.feet["right"].toe]
    return {name: (pose @ rg.frame_pose(model.mech, model.default, frames[name].name)).translation for name in names}


def test_a_foot_without_markers_is_guessed_and_told(tmp_path):
    model = read(tmp_path, LEG.new())
    assert model.feet["right"].bodies == ("calcn_r", "toes_r")
    assert "left" not in model.feet
    points = foot_points(model)
    assert points["right_heel"] == pytest.approx([-0.018, 0, 0], abs=1e-12)
    assert points["right_ball_inner"] == pytest.approx([0.18, 0, 0.01 - 0.036])
    assert points["right_ball_outer"] == pytest.approx([0.18, 0, 0.01 + 0.036])
    assert points["right_toe"] == pytest.approx([0.243, 0, 0.01])
    assert model.mech.frames["right_toe"].body == "toes_r"
    assert any("right foot" in note and "guessed" in note for note in model.notes)


def test_toes_at_the_heel_are_no_reason_to_fail(tmp_path):
    text = LEG.new().replace("<translation>0.18 0 0.01</translation>", "<translation>-0.3 0 0</translation>")
    assert "right" in read(tmp_path, text).feet


def test_markers_show_the_sole(tmp_path):
    spots = [
        ("a", "calcn_r", "-0.03 0.02 0"),
        ("b", "calcn_r", "0.2 -0.01 0.06"),
        ("c", "calcn_r", "0.19 0 -0.04"),
        ("d", "toes_r", "0.08 0.01 0"),
    ]
    points = foot_points(read(tmp_path, Model(LEG.parts, markers=spots).new()))
    assert points["right_heel"] == pytest.approx([-0.03, -0.01, 0])
    assert points["right_ball_inner"] == pytest.approx([0.18, -0.01, -0.04])
    assert points["right_ball_outer"] == pytest.approx([0.18, -0.01, 0.06])
    assert points["right_toe"] == pytest.approx([0.26, -0.01, 0.01])


def test_contact_spheres_show_it_better(tmp_path):
    spheres = "".join(
        f'<ContactSphere name="s{i}"><socket_frame>/bodyset/{body}</socket_frame><location>{at}</location>'
        f"<radius>0.03</radius></ContactSphere>"
        for i, (body, at) in enumerate(
            [("calcn_r", "0 0 0"), ("calcn_r", "0.18 0 0.04"), ("calcn_r", "0.18 0 -0.04"), ("toes_r", "0.05 0 0")]
        )
    )
    more = f"<ContactGeometrySet><objects>{spheres}</objects></ContactGeometrySet>"
    points = foot_points(read(tmp_path, Model(LEG.parts, more=more).new()))
    assert points["right_heel"] == pytest.approx([0, -0.03, 0])
    assert points["right_toe"] == pytest.approx([0.23, -0.03, 0.01])


# --- files that are none ---------------------------------------------------------------------------------------------

GOOD = PENDULUM.new()
CUSTOM = Model([Part("rod", "ground", "CustomJoint", coordinates=("a", "b"), axes="AXES")]).new()
TWICE = (
    axis("rotation1", "0 0 1", "a", linear())
    + axis("rotation2", "1 0 0", "b", linear())
    + axis("rotation3", "0 1 0", "a", linear())
)
LATE = (
    axis("rotation1", "0 0 1", "a", linear())
    + axis("rotation2", "1 0 0", "b", linear())
    + axis("translation1", "1 0 0", "b", linear())
)
LOOP = (
    '<PinJoint name="again"><socket_parent_frame>/ground</socket_parent_frame>'
    "<socket_child_frame>/bodyset/rod</socket_child_frame>"
    '<coordinates><Coordinate name="more"/></coordinates></PinJoint></objects></JointSet>'
)
BAD = {
    "empty": ("", "is empty"),
    "not XML": ("# a text\n", "is not XML"),
    "cut off": (GOOD[: len(GOOD) // 2], "is not XML"),
    "another kind": ("<robot/>", "<robot>"),
    "a document without a model": ('<OpenSimDocument Version="40000"><ExternalLoads/></OpenSimDocument>', "<Model>"),
    "entities": ('<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;&a;">]><OpenSimDocument>&b;</OpenSimDocument>', "DOCTYPE"),
    "an external entity": ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><OpenSimDocument/>', "DOCTYPE"),
    "no bodies": ('<OpenSimDocument Version="40000"><Model name="m"><BodySet/></Model></OpenSimDocument>', "no bodies"),
    "a body that is not there": (GOOD.replace("<socket_parent>/bodyset/rod", "<socket_parent>/bodyset/rood"), "rood"),
    "a body that hangs on nothing": (
        GOOD.replace("<JointSet>", "<X>").replace("</JointSet>", "</X>"),
        "no joint leads from ground to 'rod'",
    ),
    "a loop": (GOOD.replace("</objects></JointSet>", LOOP), "'again' closes a loop"),
    "an unknown joint": (GOOD.replace("PinJoint", "HingeJoint"), "HingeJoint"),
    "an ellipsoid joint": (GOOD.replace("PinJoint", "EllipsoidJoint"), "EllipsoidJoint is not read"),
    "too few coordinates": (GOOD.replace("PinJoint", "UniversalJoint"), "2 coordinates, not 1"),
    "a word for a number": (GOOD.replace("<mass>2.0", "<mass>heavy"), "'heavy'"),
    "no number at all": (GOOD.replace("<mass>2.0", "<mass>nan"), "not finite"),
    "too few numbers": (GOOD.replace("<mass_center>0 -0.5 0", "<mass_center>0 -0.5"), "3 numbers, not 2"),
    "no real body": (GOOD.replace("0.1 0.05 0.09", "9 1 1"), "'rod'.*triangle"),
    "a negative mass": (GOOD.replace("<mass>2.0", "<mass>-2.0"), "'rod'"),
    "a body called world": (GOOD.replace("rod", "world"), "world"),
    "two bodies of a name": (GOOD.replace("</Body>", '</Body><Body name="rod"/>', 1), "two bodies"),
    "no spatial transform": (GOOD.replace("PinJoint", "CustomJoint"), "SpatialTransform"),
    "an unknown function": (CUSTOM.replace("AXES", axis("rotation1", "0 0 1", "a", "<Sine/>")), "'Sine'"),
    "a sum of two": (CUSTOM.replace("AXES", axis("rotation1", "0 0 1", "a b", linear())), "follows 2 coordinates"),
    "a coordinate of another": (CUSTOM.replace("AXES", axis("rotation1", "0 0 1", "c", linear())), "'c'"),
    "no direction": (CUSTOM.replace("AXES", axis("rotation1", "0 0 0", "a", linear())), "no direction"),
    "a coordinate in two places": (CUSTOM.replace("AXES", TWICE), "'a' turns before and after 'b'"),
    "a coordinate that slides late": (CUSTOM.replace("AXES", LATE), "'b' slides"),
    "points out of order": (CUSTOM.replace("AXES", axis("rotation1", "0 0 1", "a", spline("0 2 1", "0 1 2"))), "increase"),
    "more x than y": (CUSTOM.replace("AXES", axis("rotation1", "0 0 1", "a", spline("0 1 2", "0 1"))), "3 and 2"),
    "corners": (
        CUSTOM.replace("AXES", axis("rotation1", "0 0 1", "a", spline("0 1 2", "0 1 0", "PiecewiseLinearFunction"))),
        "corner",
    ),
    "a frame on itself": (GOOD.replace("<socket_parent>/bodyset/rod", "<socket_parent>rod_offset"), "rod_offset"),
    "not true, not false": (
        GOOD.replace('<Coordinate name="swing">', '<Coordinate name="swing"><locked>maybe</locked>'),
        "true or false",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_files_are_named_with_the_reason(tmp_path, what):
    text, reason = BAD[what]
    with pytest.raises(FileError, match=r"model\.osim") as told:
        read(tmp_path, text)
    assert told.match(f"(?s){reason}")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="nowhere"):
        read_osim(tmp_path / "nowhere.osim")


@pytest.mark.parametrize(
    ("name", "count", "mass"),
    [
        ("arm26/arm26.osim", 2, 3.398887),
        ("gait10dof18musc/subject01.osim", 10, 72.6),
        ("gait2354/subject01_simbody.osim", 23, 72.6),
    ],
)
def test_real_models(shared_data, name, count, mass):
    model = read_osim(shared_data(f"mocap/{name}"))
    assert len(model.coordinates) == model.mech.nq == count
    assert sum(body.inertia.mass for body in model.mech.bodies.values()) == pytest.approx(mass, abs=1e-3)
    assert set(model.markers) <= set(model.mech.frames)
    if count == 23:
        assert model.joints["left_hip"] == ("hip_flexion_l", "hip_adduction_l", "hip_rotation_l")
        assert set(model.feet) == {"left", "right"}
        moving = free_base(Motion(model.mech, np.zeros(1), model.default.q[None], *np.zeros((2, 1, 23))))
        other, there = rg.reroot(moving.mech, moving.mech.state(q=moving.q[0]), "calcn_l")
        assert other.nv == 6 + 17
        a = np.linspace(-1, 1, other.nv)
        assert rg.forward_dynamics(other, there, rg.inverse_dynamics(other, there, a)) == pytest.approx(a, abs=1e-6)
