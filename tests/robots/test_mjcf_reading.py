"""What becomes of each element of an MJCF file, on files with known answers."""

import math

import mujoco
import numpy as np
import pytest

import regraft as rg
from robots.mujoco_models import Peer

FORCES = ("spring", "damper") if hasattr(mujoco.mjtDisableBit, "mjDSBL_SPRING") else ("passive",)  # by version
BALL = '<geom type="sphere" size="0.1" mass="1"/>'


@pytest.fixture
def read(tmp_path):
    """Reads a file with this text inside <mujoco>, or this worldbody."""

    def one(text, ignore="all", **options):
        file = tmp_path / "robot.xml"
        file.write_text(f"<mujoco>{text}</mujoco>", encoding="utf-8")
        return rg.read(file, ignore=ignore, **options)

    return one


def world(*bodies):
    return f"<worldbody>{''.join(bodies)}</worldbody>"


def found(reading, kind):
    return [one for one in reading.report.findings if one.kind == kind]


def residual(file, qpos):
    """What MuJoCo's equalities lack in a position."""
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    return data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]


# --- joints -----------------------------------------------------------------------------------------------------------


def test_several_joints_on_a_body_are_joined_by_bodies_without_mass(read):
    reading = read(
        world(f'<body name="cart"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" axis="0 1 0"/>{BALL}</body>')
    )
    mech = reading.mech
    assert list(mech.joints) == ["x", "y"]
    assert (mech.joints["x"].child, mech.joints["y"].parent, mech.joints["y"].child) == ("cart_on_x", "cart_on_x", "cart")
    assert mech.bodies["cart_on_x"].inertia.mass == 0.0
    assert "cart_on_x" in found(reading, "body")[0].message


def test_a_position_is_mujocos_number_whatever_ref_is(read, tmp_path):
    body = f"""<body name="arm" pos="1 2 3" euler="10 20 30"><joint name="a" axis="1 1 0" pos=".1 .2 .3" ref="40"/>
    <joint name="b" type="slide" axis="0 1 2" ref="0.7"/>{BALL}</body>"""
    reading, peer = read(world(body)), Peer(tmp_path / "robot.xml")
    assert np.array_equal(reading.state.q, peer.model.qpos0)
    assert math.isclose(reading.state.q[0], math.radians(40))
    for q in (reading.state.q, np.array([0.3, -0.2])):
        peer.set(q, np.zeros(2))
        pose = rg.body_poses(reading.mech, reading.mech.state(q))["arm"]
        assert np.allclose(pose.translation, peer.data.xpos[1], rtol=0, atol=1e-14)
        assert np.allclose(pose.rotation, peer.data.xmat[1].reshape(3, 3), rtol=0, atol=1e-14)


def test_settings_of_joints(read):
    body = f"""<body><joint name="a" range="-30 90" damping="0.1" armature="0.2" stiffness="3" springref="45" frictionloss="0.4"
    actuatorfrcrange="-2 5"/>{BALL}</body><body><joint name="b" type="ball" range="0 60"/>{BALL}</body>"""
    reading = read(world(body))
    mech = reading.mech
    kind = mech.joints["a"].type
    assert [one.part for one in found(reading, "effort")] == ["a"]
    assert [kind.damping[0], kind.armature[0], kind.stiffness[0], kind.friction[0], kind.effort[0]] == [0.1, 0.2, 3.0, 0.4, 5.0]
    assert kind.rest[0] == pytest.approx(math.pi / 4, rel=1e-15)
    assert (kind.limits.lower[0], kind.limits.upper[0]) == pytest.approx((-math.pi / 6, math.pi / 2), rel=1e-15)
    ball = mech.joints["b"].type
    assert isinstance(ball, rg.Spherical)
    assert ball.limits.lower == (-math.inf,)
    assert ball.limits.upper[0] == pytest.approx(math.pi / 3, rel=1e-15)


def test_a_body_without_a_joint_is_fixed_and_names_are_made_where_there_are_none(read):
    reading = read(world(f'<body pos="0 0 1">{BALL}<body name="tip"><freejoint/></body></body>'.replace("<freejoint/>", "")))
    assert list(reading.mech.bodies) == ["body_1", "tip"]
    assert list(reading.mech.joints) == ["body_1_fixed", "tip_fixed"]
    assert "body_1" in found(reading, "name")[0].message


def test_gravity_and_what_is_switched_off(read):
    body = f'<body><joint name="a" range="-1 1" damping="1" stiffness="2" frictionloss="3"/>{BALL}</body>'
    assert read(f'<option gravity="1 2 3"/>{world(body)}').mech.gravity.tolist() == [1.0, 2.0, 3.0]
    off = " ".join(f'{one}="disable"' for one in ("gravity", *FORCES, "limit", "frictionloss"))
    mech = read(f"<option><flag {off}/></option>{world(body)}").mech
    kind = mech.joints["a"].type
    assert not mech.gravity.any()
    assert kind.limits is None
    assert not np.any([kind.damping, kind.stiffness, kind.friction])


def test_rotors_of_actuators_count_for_their_joints(read, tmp_path):
    body = f'<body><joint name="a" armature="0.5" damping="0.25"/>{BALL}</body>'
    try:
        mech = read(f'{world(body)}<actuator><motor joint="a" gear="3" armature="2" damping="0.5"/></actuator>').mech
    except rg.FileError:
        pytest.skip("this version of MuJoCo has no rotors of actuators")
    assert (mech.joints["a"].type.armature[0], mech.joints["a"].type.damping[0]) == (18.5, 4.75)
    peer = Peer(tmp_path / "robot.xml")
    peer.set(np.zeros(1), np.ones(1))
    assert peer.raw_mass_matrix()[0, 0] - peer.model.body_inertia[1][0] == pytest.approx(18.5, rel=1e-14)


# --- loops and couplings ----------------------------------------------------------------------------------------------

TWO = world(
    f'<body name="a" pos="0 0 1"><joint type="ball"/>{BALL}</body>',
    f'<body name="b" pos=".3 .2 .1" euler="10 20 30"><freejoint/>{BALL}</body>',
)


@pytest.mark.parametrize(
    ("equality", "kind"),
    [
        ('<connect name="e" body1="a" body2="b" anchor=".1 .2 .3"/>', rg.Spherical),
        ('<connect name="e" body1="b" anchor=".1 .2 .3"/>', rg.Spherical),
        ('<weld name="e" body1="a" body2="b"/>', rg.Fixed),
        ('<weld name="e" body1="a" body2="b" anchor=".1 .2 .3"/>', rg.Fixed),
        ('<weld name="e" body1="a" body2="b" anchor=".1 .2 .3" relpose=".4 .5 .6 .5 .5 .5 .5"/>', rg.Fixed),
        ('<weld name="e" body2="b"/>', rg.Fixed),
    ],
)
def test_connect_and_weld_close_loops_where_mujoco_does(read, tmp_path, equality, kind):
    if "body1" not in equality:
        equality = equality.replace("body2", "body1")
    reading = read(f"{TWO}<equality>{equality}</equality>")
    mech = reading.mech
    assert mech.loop_joints == ("e",)
    assert type(mech.joints["e"].type) is kind
    rng = np.random.default_rng(0)
    start = rg.integrate(mech, reading.state.q, 0.3 * rng.normal(size=mech.nv))
    state = rg.assemble(mech, mech.state(start))
    assert np.abs(residual(tmp_path / "robot.xml", start)).max() > 0.01
    assert np.abs(residual(tmp_path / "robot.xml", state.q)).max() < 1e-9


@pytest.mark.parametrize("what", ["connect", "weld"])
def test_sites_can_be_held_together(read, tmp_path, what):
    sites = TWO.replace(BALL, f'{BALL}<site name="s" pos=".1 0 .2" euler="40 50 60"/>', 1)
    sites = sites[::-1].replace(BALL[::-1], f'{BALL}<site name="t" pos="0 .3 .2"/>'[::-1], 1)[::-1]
    reading = read(f'{sites}<equality><{what} name="e" site1="s" site2="t"/></equality>')
    near = reading.state.q + np.array([0, 0, 0, 0, 0, -0.3, 0.9, 0, 0, 0, 0])
    state = rg.assemble(reading.mech, reading.mech.state(near))
    assert np.abs(residual(tmp_path / "robot.xml", near)).max() > 0.01
    assert np.abs(residual(tmp_path / "robot.xml", state.q)).max() < 1e-9
    assert set(reading.mech.frames) == {"s", "t"}


def hinges(*names, ref=()):
    refs = dict(zip(names, ref, strict=False))
    return world(*(f'<body><joint name="{n}" ref="{refs.get(n, 0)}"/>{BALL}</body>' for n in names))


def test_a_joint_equality_is_a_coupling(read, tmp_path):
    text = f'{hinges("a", "b", ref=(10, 20))}<equality><joint name="c" joint1="a" joint2="b" polycoef=".1 -3 0 0 0"/></equality>'
    mech = read(text).mech
    coupling = mech.couplings["c"]
    assert (coupling.drivers, coupling.driven) == ((("b", -3.0),), "a")
    for b in (0.0, 0.4):
        assert np.abs(residual(tmp_path / "robot.xml", [-3.0 * b + coupling.offset, b])).max() < 1e-14


def test_a_joint_equality_along_a_curve_is_a_finding(read):
    text = f'{hinges("a", "b")}<equality><joint name="c" joint1="a" joint2="b" polycoef="0 1 2 0 0"/></equality>'
    assert found(read(text), "equality")[0].dynamics
    with pytest.raises(rg.FileError, match=r"'c'.*curve"):
        read(text, ignore=())


def test_a_joint_equality_of_one_joint_locks_it(read, tmp_path):
    reading = read(f'{hinges("a", "b", ref=(10, 0))}<equality><joint name="c" joint1="a" polycoef=".2 0 0 0 0"/></equality>')
    state = rg.assemble(reading.mech, reading.state)
    assert reading.mech.loop_joints == ("c",)
    assert np.abs(residual(tmp_path / "robot.xml", state.q)).max() < 1e-9
    assert state.q[0] == pytest.approx(math.radians(10) + 0.2, abs=1e-9)


TENDONS = """<tendon><fixed name="t"><joint joint="a" coef="2"/><joint joint="b" coef="-1"/></fixed>
<fixed name="u"><joint joint="c" coef="4"/></fixed></tendon>"""


@pytest.mark.parametrize(
    ("equality", "ratios"),
    [('<tendon name="e" tendon1="t" polycoef=".3 0 0 0 0"/>', {"b": 0.5}),
     ('<tendon name="e" tendon1="t" tendon2="u" polycoef=".3 .5 0 0 0"/>', {"b": 0.5, "c": 1.0})],
)  # fmt: skip
def test_an_equality_of_fixed_tendons_is_a_coupling(read, tmp_path, equality, ratios):
    mech = read(f"{hinges('a', 'b', 'c', ref=(10, 20, 30))}{TENDONS}<equality>{equality}</equality>").mech
    coupling = mech.couplings["e"]
    assert (dict(coupling.drivers), coupling.driven) == (ratios, "a")
    others = {"b": 0.4, "c": -0.7}
    a = sum(ratio * others[joint] for joint, ratio in coupling.drivers) + coupling.offset
    assert np.abs(residual(tmp_path / "robot.xml", [a, 0.4, -0.7])).max() < 1e-14


def test_equalities_that_are_switched_off_are_left_out_and_told(read):
    reading = read(f'{TWO}<equality><weld name="e" body1="a" body2="b" active="false"/></equality>')
    assert not reading.mech.loop_joints
    (one,) = found(reading, "equality")
    assert not one.dynamics


# --- tendons, springs, fluids and the like ----------------------------------------------------------------------------

STRAIGHT = world(
    '<site name="s" pos="1 0 0"/>', f'<body name="a"><freejoint/>{BALL}<site name="t" pos="0 0 .1"/></body>'
)  # fmt: skip


def test_a_straight_tendon_with_stiffness_is_a_spring(read, tmp_path):
    ends = '<site site="s"/><site site="t"/>'
    tendon = f'<tendon><spatial name="rope" stiffness="30" damping="2" springlength="0.4">{ends}</spatial></tendon>'
    mech = read(f"{STRAIGHT}{tendon}", ignore=()).mech
    spring = mech.springs["rope"]
    assert (spring.stiffness, spring.damping, spring.rest_length) == (30.0, 2.0, 0.4)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    data = mujoco.MjData(model)
    data.qvel[:] = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    mujoco.mj_forward(model, data)
    state = mech.state(data.qpos, data.qvel)
    drift = np.concatenate([np.cross(data.qvel[3:], data.qvel[:3]), np.zeros(3)])
    assert np.allclose(rg.forward_dynamics(mech, state), data.qacc - drift, rtol=0, atol=1e-9)


@pytest.mark.parametrize("what", ['stiffness="3" springlength="0.1 0.2"', 'limited="true" range="0 1"', 'frictionloss="1"'])
def test_other_tendons_are_findings(read, what):
    text = f'{STRAIGHT}<tendon><spatial name="rope" {what}><site site="s"/><site site="t"/></spatial></tendon>'
    (one,) = found(read(text), "tendon")
    assert (one.part, one.dynamics) == ("rope", True)
    assert not read(text, ignore=("tendon",)).mech.springs
    with pytest.raises(rg.FileError, match="'rope'"):
        read(text, ignore=())


@pytest.mark.parametrize(
    ("text", "kind", "dynamics"),
    [
        (f'<option density="1.2"/>{world(BALL)}', "fluid", True),
        (world(f'<body name="a" gravcomp="1"><freejoint/>{BALL}</body>'), "gravcomp", True),
        (world(f'<body name="a" mocap="true">{BALL}</body>'), "mocap", False),
        (world(f"<body><freejoint/>{BALL}</body>"), "contact", False),
        (world(f"<body><freejoint/>{BALL}</body>", '<camera pos="0 0 1"/>'), "camera", False),
        (world(f'<body><joint range="0 1" name="j"/>{BALL}</body>'), "limit", False),
        (f"{hinges('a')}<sensor><jointpos joint='a'/></sensor>", "sensor", False),
        (f"{hinges('a')}<actuator><position name='p' joint='a' kp='5'/></actuator>", "servo", False),
        (f"{hinges('a')}<tendon><fixed name='t'><joint joint='a' coef='1'/></fixed></tendon>", "tendon", False),
        (f"{hinges('a')}<tendon><fixed name='t' stiffness='2'><joint joint='a' coef='1'/></fixed></tendon>", "tendon", True),
    ],
)
def test_what_is_not_carried_over_is_told(read, text, kind, dynamics):
    assert any(one.dynamics == dynamics for one in found(read(text), kind))
    if dynamics:
        with pytest.raises(rg.FileError, match=f"- {kind}"):
            read(text, ignore=())
        read(text, ignore=(kind,))
    else:
        read(text, ignore=())


# --- actuators, keyframes, shapes -------------------------------------------------------------------------------------


def test_motors_have_gears_and_the_smaller_of_their_bounds(read):
    text = f"""{hinges("a", "b", "c")}<actuator><motor name="m" joint="a" gear="-20" ctrlrange="-3 2" forcerange="-4 4"/>
    <motor joint="b"/></actuator>"""
    reading = read(text, ignore=())
    mech = reading.mech
    assert [one.part for one in found(reading, "actuator")] == ["m"]  # it is stronger one way than the other
    assert (mech.actuators["m"].joint, mech.actuators["m"].gear, mech.actuators["m"].effort) == ("a", -20.0, 3.0)
    assert math.isinf(mech.actuators["b_motor"].effort)
    assert mech.joints["a"].type.effort.tolist() == [60.0]
    assert [joint.type.actuated for joint in mech.joints.values()] == [True, True, False]


def test_keyframes_and_the_velocity_of_a_free_joint(read):
    keys = '<keyframe><key name="k" qpos="1 2 3 .5 .5 .5 .5" qvel="1 2 3 4 5 6"/><key qpos="0 0 0 1 0 0 0"/></keyframe>'
    body = f'<body name="a"><freejoint/>{BALL}</body>'
    mech = read(f"{world(body)}{keys}").mech
    assert list(mech.keyframes) == ["k", "key_1"]
    state = mech.keyframe("k")
    assert state.q.tolist() == [1.0, 2.0, 3.0, 0.5, 0.5, 0.5, 0.5]
    twist = rg.body_twists(mech, state)["a"]
    assert np.allclose(twist[3:], (1, 2, 3), rtol=0, atol=1e-14)
    turn = rg.body_poses(mech, state)["a"].rotation
    assert np.allclose(turn.T @ twist[:3], (4, 5, 6), rtol=0, atol=1e-14)


def test_a_keyframe_called_start_is_where_it_starts(read):
    reading = read(f'{hinges("a")}<keyframe><key name="start" qpos="0.5" qvel="2"/></keyframe>')
    assert (reading.state.q.tolist(), reading.state.v.tolist()) == ([0.5], [2.0])


def test_geoms_are_shapes(read):
    geoms = """<geom name="floor" type="plane" size="1 1 .1" pos="0 0 -1"/><body name="b"><freejoint/>
    <geom name="box" type="box" size=".1 .2 .3" rgba="1 0 0 .5" group="3"/>
    <geom name="ball" size=".1" contype="0" conaffinity="0"/>
    <geom name="pill" type="capsule" fromto="0 0 0 0 0 .4" size=".05"/><geom name="rod" type="cylinder" size=".1 .2"/>
    <geom name="egg" type="ellipsoid" size=".1 .2 .3"/></body>"""
    shapes = read(world(geoms)).mech.shapes
    assert shapes["floor"].form == rg.Plane()
    assert shapes["floor"].body == "world"
    assert shapes["box"].form == rg.Box((0.2, 0.4, 0.6))
    assert (shapes["box"].visual, shapes["box"].collision, shapes["box"].color) == (False, True, (1.0, 0.0, 0.0, 0.5))
    assert (shapes["ball"].visual, shapes["ball"].collision, shapes["ball"].color) == (True, False, None)
    pill = shapes["pill"]
    assert np.allclose(sorted(pill.pose.apply([pill.form.start, pill.form.end])[:, 2]), (0.0, 0.4), rtol=0, atol=1e-14)
    assert shapes["rod"].form == rg.Cylinder(0.1, 0.4)
    assert shapes["egg"].form == rg.Ellipsoid((0.1, 0.2, 0.3))


def test_sites_are_frames_and_one_with_the_name_of_a_body_gets_another(read):
    reading = read(
        world(f'<body name="b"><freejoint/>{BALL}<site name="b" pos="1 0 0"/><site name="s"/></body>', '<site name="o"/>')
    )
    assert {name: frame.body for name, frame in reading.mech.frames.items()} == {"o": "world", "b_site": "b", "s": "b"}
    assert "b_site" in found(reading, "name")[-1].message


# --- meshes -----------------------------------------------------------------------------------------------------------

OBJ = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def mesh_file(more="", geom="", meshdir="parts"):
    return f"""<compiler meshdir="{meshdir}"/><asset><mesh name="m" file="m.obj" {more}/></asset>{
        world(
            f'<body name="b"><joint name="j"/><geom name="g" type="mesh" mesh="m" pos=".5 0 0" euler="10 20 30" {geom}/></body>'
        )
    }"""


@pytest.mark.parametrize("more", ["", 'scale=".1 -.2 .3"', 'refpos=".1 .2 .3"', 'refpos="1 0 0" refquat="1 1 0 0" scale="2 2 2"'])
def test_a_mesh_is_where_its_file_has_it(read, tmp_path, more):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "m.obj").write_text(OBJ)
    reading = read(mesh_file(more), ignore=())
    shape = reading.mech.shapes["g"]
    assert shape.form.path == "parts/m.obj"
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]) * shape.form.scale
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.geom_quat[0])
    wanted = model.mesh_vert @ turn.reshape(3, 3).T + model.geom_pos[0]
    ours = shape.pose.apply(corners)
    assert all(np.abs(wanted - point).max(axis=1).min() < 1e-5 for point in ours)  # MuJoCo keeps corners in single precision
    assert reading.mech.bodies["b"].inertia.mass == model.body_mass[1] > 0.0


def test_a_mesh_that_is_not_there_takes_its_mass_with_it(read):
    with pytest.raises(rg.FileError, match=r"mesh 'b'.*no mass"):
        read(mesh_file(), ignore=())
    reading = read(mesh_file(), ignore=("mesh",))
    assert reading.mech.bodies["b"].inertia.mass == 0.0
    assert reading.mech.shapes["g"].form == rg.Mesh("parts/m.obj")
    assert np.allclose(reading.mech.shapes["g"].pose.translation, (0.5, 0, 0), rtol=0, atol=1e-14)


def test_a_mesh_that_is_not_there_does_no_harm_beside_an_inertial(read):
    text = mesh_file().replace("<joint", '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><joint')
    reading = read(text, ignore=())
    assert reading.mech.bodies["b"].inertia.mass == 2.0
    assert not found(reading, "mesh")[0].dynamics


def test_other_geoms_keep_the_mass_that_they_give(read):
    reading = read(mesh_file().replace("</body>", f"{BALL}</body>"))
    assert reading.mech.bodies["b"].inertia.mass == 1.0
    assert "other geoms" in found(reading, "mesh")[1].message


def test_meshes_are_searched_in_packages(read, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "m.obj").write_text(OBJ)
    reading = read(mesh_file(), ignore=(), packages=[tmp_path / "elsewhere"])
    assert reading.mech.bodies["b"].inertia.mass == pytest.approx(1000.0, rel=1e-6)


# --- inertias ---------------------------------------------------------------------------------------------------------

IMPOSSIBLE = {
    "diagonal": 'diaginertia="1 5 1" euler="10 20 30"',
    "full": 'fullinertia="1 1 5 0.1 0.2 0.3"',
}


@pytest.mark.parametrize("how", IMPOSSIBLE)
def test_an_impossible_inertia_is_an_error_or_the_nearest_that_there_can_be(read, how):
    text = world(f'<body name="b"><freejoint/><inertial pos="0 0 0" mass="1" {IMPOSSIBLE[how]}/></body>')
    with pytest.raises(rg.FileError, match="repair"):
        read(text)
    reading = read(text, inertia="repair")
    (one,) = found(reading, "inertia")
    assert one.part == "b"
    tensor = reading.mech.bodies["b"].inertia.tensor
    moments = np.linalg.eigvalsh(tensor)
    assert moments[0] + moments[1] == pytest.approx(moments[2], rel=1e-12)  # it is on the border of what there can be
    if how == "diagonal":
        assert moments == pytest.approx([2.0, 2.0, 4.0], rel=1e-12)
    else:
        given = np.array([[1, 0.1, 0.2], [0.1, 1, 0.3], [0.2, 0.3, 5]])
        excess = np.linalg.eigvalsh(given) @ (-1, -1, 1)
        assert np.linalg.norm(tensor - given) == pytest.approx(excess / math.sqrt(3.0), rel=1e-9)


def test_it_is_kept_what_only_mjcf_says(read):
    mech = read(f'<option timestep="0.004" integrator="RK4"/>{hinges("a")}').mech
    assert (mech.extras["mjcf"]["timestep"], mech.extras["mjcf"]["integrator"]) == (0.004, "RK4")


def test_a_file_may_end_in_mjcf_too(tmp_path):
    (tmp_path / "part.xml").write_text(f"<mujocoinclude>{hinges('a')}</mujocoinclude>")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "m.obj").write_text(OBJ)
    text = f'<mujoco><include file="part.xml"/>{mesh_file()}</mujoco>'
    for suffix in ("xml", "mjcf"):
        (tmp_path / f"robot.{suffix}").write_text(text)
    one, two = (rg.read(tmp_path / f"robot.{suffix}") for suffix in ("xml", "mjcf"))
    assert one.mech == two.mech
    assert list(one.mech.joints) == ["a", "j"]
    one.mech.save(tmp_path / "again.mjcf")
    assert rg.read(tmp_path / "again.mjcf").mech.nq == 2


def test_a_motor_with_any_gear_is_read(read):
    """The square of the largest ones cannot be represented."""
    arm = '<body name="b"><joint name="j"/><geom size=".1"/></body>'
    reading = read(world(arm) + '<actuator><motor name="m" joint="j" gear="1e300"/></actuator>')
    assert reading.mech.actuators["m"].gear == 1e300
    assert reading.mech.joints["j"].type.armature.tolist() == [0.0]


def test_a_motor_with_a_gear_of_zero_does_nothing(read):
    """It has no bound, and 0 · ∞ is no number."""
    motors = '<motor joint="j" gear="0"/><motor name="real" joint="j" gear="2" ctrlrange="-3 3"/>'
    arm = '<body name="b"><joint name="j"/><geom size=".1"/></body><body name="c"><joint name="k"/><geom size=".1"/></body>'
    reading = read(world(arm) + f'<actuator>{motors}<motor joint="k" gear="0"/></actuator>')
    assert reading.mech.joints["j"].type.effort.tolist() == [6.0]
    assert list(reading.mech.actuators) == ["real"]
    assert not reading.mech.joints["k"].type.actuated
    assert sum("has a gear of 0" in finding.message for finding in reading.report.findings) == 2
