"""Mechanisms as MJCF: what is read back is the same, or moves in the same way where MJCF has other joints for it."""

import math
import warnings

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import random_inertia, random_joint, random_mechanism, random_pose, random_state
from regraft.files.formats.mjcf_writing import MOST_DEEP
from robots.mujoco_models import FILES, MENAGERIE, MESHES_ARE_ELSEWHERE, UNREADABLE

SEEDS = st.integers(0, 2**32 - 1)
SAME_THERE = (rg.Revolute, rg.Prismatic, rg.Fixed)
TAKEN_APART = (rg.Spherical, rg.Universal, rg.Cylindrical, rg.Planar)

AT_HOME = {"rotation": np.eye(3).tolist(), "translation": [0.0, 0.0, 0.0]}


def name_of(file):
    return f"{file.parent.name}/{file.stem}"


def differences(a, b, where=""):
    """Where two descriptions differ: by more than 1e-12 in a number, or in anything else."""
    if type(a) is not type(b):
        return [f"{where}: {a!r} and {b!r}"]
    if isinstance(a, dict):
        if where.endswith("pose"):
            a, b = AT_HOME | a, AT_HOME | b
        lacking = [f"{where}/{key} is in one alone" for key in a.keys() ^ b.keys()]
        return lacking + [one for key in a.keys() & b.keys() for one in differences(a[key], b[key], f"{where}/{key}")]
    if isinstance(a, list | tuple):
        if len(a) != len(b):
            return [f"{where}: {len(a)} and {len(b)} of them"]
        return [one for i, (x, y) in enumerate(zip(a, b, strict=True)) for one in differences(x, y, f"{where}[{i}]")]
    if isinstance(a, float):
        return [] if abs(a - b) <= 1e-12 * max(1.0, abs(a)) else [f"{where}: {a!r} and {b!r}"]
    return [] if a == b else [f"{where}: {a!r} and {b!r}"]


def by_name(mech):
    """A description in which the order of parts does not matter."""
    data = mech.to_dict()
    return data | {table: sorted(data.get(table, []), key=lambda part: part["name"]) for table in ("bodies", "joints", "shapes")}


def saved_and_read(tmp_path, mech, state=None):
    mech.save(tmp_path / "again.xml", state=state)
    return rg.read(tmp_path / "again.xml", ignore="all")


@pytest.mark.parametrize("file", [f for f in FILES if name_of(f) not in (*UNREADABLE, *MESHES_ARE_ELSEWHERE)], ids=name_of)
def test_a_file_read_written_and_read_again_is_the_same(tmp_path, file):
    first = rg.read(file, ignore="all")
    again = saved_and_read(tmp_path, first.mech, first.state)
    meant = first.mech.to_dict()
    for shape, described in zip(first.mech.shapes.values(), meant.get("shapes", ()), strict=True):
        if isinstance(shape.form, rg.Mesh) and shape.form.file:
            described["path"] = shape.form.file  # from the folder of the new file it has another name
    assert differences(meant, again.mech.to_dict()) == []
    if all(shape.form.file for shape in first.mech.shapes.values() if isinstance(shape.form, rg.Mesh)):
        mujoco.MjModel.from_xml_path(str(tmp_path / "again.xml"))
    assert np.allclose(again.state.q, first.state.q, rtol=0, atol=1e-15)


def same_motion(first, again, duration=0.05):
    """Where all bodies are now and a little later, how fast they are, and their energy."""
    for one in (first, again):
        one["poses"] = rg.body_poses(one["mech"], one["state"])
        one["twists"] = rg.body_twists(one["mech"], one["state"])
        run = rg.simulate(one["mech"], one["state"], duration, rtol=1e-11, atol=1e-12)
        one["later"] = rg.body_poses(*run.final)
    for body in first["mech"].bodies:
        for when, bound in (("poses", 1e-12), ("later", 1e-9)):
            a, b = first[when][body], again[when][body]
            assert np.abs(a.row - b.row).max() < bound * max(1.0, np.abs(a.row).max()), (body, when)
        scale = max(1.0, np.abs(first["twists"][body]).max())
        assert np.abs(first["twists"][body] - again["twists"][body]).max() < 1e-12 * scale
    energies = [rg.energy(one["mech"], one["state"]).kinetic for one in (first, again)]
    assert energies[0] == pytest.approx(energies[1], rel=1e-11)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


@settings(max_examples=25)
@given(seed=SEEDS)
def test_joints_of_one_coordinate_keep_their_names_numbers_and_signs_however_the_tree_is_walked(folder, seed):
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, 5, SAME_THERE, damping=True, root_kinds=(rg.Revolute, rg.Prismatic), springs=1)
    state = random_state(rng, mech)
    again = saved_and_read(folder, mech, state)
    for name, joint in mech.joints.items():
        if joint.type.nv == 0:
            continue
        other = again.mech.joints[name].type
        assert type(other) is type(joint.type)
        assert again.state[name].q == pytest.approx(state[name].q, abs=1e-15)
        assert again.state[name].v == pytest.approx(state[name].v, abs=1e-15)
        assert other.damping.tolist() == joint.type.damping.tolist()
    same_motion({"mech": mech, "state": state}, {"mech": again.mech, "state": again.state})


@settings(max_examples=25)
@given(seed=SEEDS)
def test_joints_that_are_taken_apart_move_in_the_same_way(folder, seed):
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, 5, (*TAKEN_APART, rg.Revolute), root_kinds=(rg.Free, *TAKEN_APART), springs=1)
    state = random_state(rng, mech)
    again = saved_and_read(folder, mech, state)
    same_motion({"mech": mech, "state": state}, {"mech": again.mech, "state": again.state})


def test_a_screw_is_a_hinge_and_a_slide_that_follows_it(tmp_path):
    rng = np.random.default_rng(3)
    mech = rg.Mechanism()
    mech.add_body("nut", random_inertia(rng))
    mech.add_joint("screw", rg.Helical((1, 2, 3), 0.3, damping=0.1), "world", "nut", random_pose(rng), random_pose(rng))
    state = mech.state(q={"screw": 0.7}, v={"screw": 2.0})
    again = saved_and_read(tmp_path, mech, state)
    coupling = again.mech.couplings["screw_slide"]
    assert coupling.drivers == (("screw", 0.3),)
    assert coupling.offset == pytest.approx(0.0, abs=1e-15)
    assert again.mech.joints["screw"].type.damping[0] == 0.1
    assert not again.mech.joints["screw_slide"].type.damping[0]
    same_motion({"mech": mech, "state": state}, {"mech": again.mech, "state": again.state})


def test_mujoco_itself_starts_in_the_state_that_was_written(tmp_path):
    rng = np.random.default_rng(1)
    mech = random_mechanism(rng, 6, (rg.Revolute, rg.Prismatic, rg.Universal, rg.Planar), root_kinds=(rg.Free,))
    state = random_state(rng, mech)
    mech.save(tmp_path / "x.xml", state=state)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for name, pose in rg.body_poses(mech, state).items():
        assert np.allclose(data.body(name).xpos, pose.translation, rtol=0, atol=1e-13)
        assert np.allclose(data.body(name).xmat, pose.rotation.ravel(), rtol=0, atol=1e-13)


# --- re-rooted --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cassie", "g1", "go2", "so101", "panda"])
def test_a_robot_hung_up_elsewhere_and_back_again(tmp_path, name):
    files = {file.stem: file for file in MENAGERIE.glob("*/*.xml")}
    if name not in files:
        pytest.skip("the menagerie's files are not beside the project")
    first = rg.read(files[name], ignore="all")
    leaves = [body for body in first.mech.bodies if not any(joint.parent == body for joint in first.mech.joints.values())]
    for leaf in (leaves[0], leaves[-1]):
        turned, state = rg.reroot(first.mech, first.state, leaf)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            there = saved_and_read(tmp_path, turned, state)
        said = [str(one.message) for one in heard]
        assert [one for one in said if "keyframe" not in one and "meshes that are not there" not in one] == []
        assert any("keyframe" in one for one in said) == bool(first.mech.keyframes)
        assert "world" in (there.mech.joints[f"{leaf}_base"].parent, there.mech.joints[f"{leaf}_base"].child)
        poses, again = rg.body_poses(first.mech, first.state), rg.body_poses(there.mech, there.state)
        for body, pose in poses.items():
            assert np.abs(pose.row - again[body].row).max() < 1e-12
            assert there.mech.bodies[body].inertia.mass == first.mech.bodies[body].inertia.mass
        for joint in first.mech.layout.names:
            kind = first.mech.joints[joint].type
            if kind.nv == 1:
                assert differences(kind.settings(), there.mech.joints[joint].type.settings()) == []
                assert there.state[joint].q == pytest.approx(first.state[joint].q, abs=1e-15)
        assert sorted(there.mech.shapes) == sorted(first.mech.shapes)


@pytest.mark.parametrize("name", ["g1", "go2"])
def test_a_robot_hung_up_elsewhere_has_the_same_mass_matrix_up_to_its_base(tmp_path, name):
    files = {file.stem: file for file in MENAGERIE.glob("*/*.xml")}
    if name not in files:
        pytest.skip("the menagerie's files are not beside the project")
    first = rg.read(files[name], ignore="all")
    first.mech.save(tmp_path / "one.xml")
    state = random_state(np.random.default_rng(0), first.mech)
    turned, there = rg.reroot(first.mech, state, list(first.mech.bodies)[-1])
    with pytest.warns(rg.RegraftWarning, match="keyframe"):
        again = saved_and_read(tmp_path, turned, there)
    joints = [joint for joint in first.mech.layout.names if first.mech.joints[joint].type.nv == 1]
    a, b = (_without_base(mech, at, joints) for mech, at in ((first.mech, state), (again.mech, again.state)))
    assert np.abs(a - b).max() < 1e-12 * np.abs(a).max()


def _without_base(mech, state, joints):
    """The mass matrix of the joints where the base moves freely with them."""
    M, own = rg.mass_matrix(mech, state), [mech.v_slice(joint).start for joint in joints]
    base = [i for i in range(mech.nv) if i not in own]
    across = M[np.ix_(own, base)]
    return M[np.ix_(own, own)] - across @ np.linalg.solve(M[np.ix_(base, base)], across.T)


def test_back_again_gives_the_original(tmp_path):
    text = """<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint name="base"/><geom name="g" size=".1"/>
    <body name="b" pos=".1 .2 .3" euler="90 0 0"><joint name="x" axis="0 1 0" pos="0 .1 0" range="-20 40"/>
    <joint name="y" type="slide" ref=".3"/><geom name="h" type="capsule" size=".1 .2"/>
    <body name="c" pos="0 .5 0"><geom name="i" type="box" size=".1 .2 .3" euler="1 2 3"/><site name="tip" pos="1 2 3"/>
    </body></body></body></worldbody></mujoco>"""
    (tmp_path / "one.xml").write_text(text)
    first = rg.read(tmp_path / "one.xml")
    there = saved_and_read(tmp_path, *rg.reroot(first.mech, first.state, "c", name="foot"))
    back = saved_and_read(tmp_path, *rg.reroot(there.mech, there.state, "a", name="base"))
    assert differences(by_name(first.mech), by_name(back.mech)) == []
    assert np.allclose(back.state.q, first.state.q, rtol=0, atol=1e-14)


# --- loops, couplings, fittings ---------------------------------------------------------------------------------------


def arm(*kinds):
    rng = np.random.default_rng(5)
    mech = rg.Mechanism()
    for i, kind in enumerate(kinds):
        mech.add_body(f"b{i}", random_inertia(rng))
        mech.add_joint(
            f"j{i}", random_joint(rng, kind), f"b{i - 1}" if i else "world", f"b{i}", random_pose(rng), random_pose(rng)
        )
    return mech


@pytest.mark.parametrize(("kind", "there"), [(rg.Spherical, ["loop"]), (rg.Fixed, ["loop"]), (rg.Revolute, ["loop_a", "loop_b"])])
def test_loops_are_closed_by_connects_and_welds(tmp_path, kind, there):
    mech = arm(rg.Spherical, rg.Spherical, rg.Spherical)
    rng, state = np.random.default_rng(6), mech.state(v=np.arange(9.0))
    at = rg.body_poses(mech, state)
    world = at["b2"] @ random_pose(rng)
    mech.add_joint("loop", random_joint(rng, kind), "b2", "b0", at["b2"].inverse() @ world, at["b0"].inverse() @ world)
    state = rg.assemble(mech, mech.state(v=state.v))
    again = saved_and_read(tmp_path, mech, state)
    assert list(again.mech.loop_joints) == there
    assert not again.mech.frames
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "again.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos).max() < 1e-9
    same_motion({"mech": mech, "state": state}, {"mech": again.mech, "state": again.state})


def test_couplings_come_back_whatever_the_state_is(tmp_path):
    mech = arm(rg.Revolute, rg.Revolute, rg.Prismatic)
    mech.add_coupling("gear", "j0", "j1", ratio=-3.0, offset=0.25)
    mech.add_coupling("differential", {"j0": 0.5, "j1": 0.75}, "j2", offset=-0.5)
    again = saved_and_read(tmp_path, mech, mech.state(q={"j0": 0.1, "j1": 0.2, "j2": 0.3}))
    for name, coupling in mech.couplings.items():
        other = again.mech.couplings[name]
        assert (other.drivers, other.driven) == (coupling.drivers, coupling.driven)
        assert other.offset == pytest.approx(coupling.offset, abs=1e-15)


def test_fittings_come_back(tmp_path):
    mech = rg.Mechanism(gravity=(1, 2, 3))
    mech.add_body("a", rg.Inertia.box(2.0, (0.1, 0.2, 0.3)))
    kind = rg.Revolute((0, 0, 1), limits=(-math.inf, 1.5), armature=0.1, stiffness=2.0, rest=0.3, friction=0.4, effort=50.0)
    mech.add_joint("j", kind, "world", "a")
    mech.add_body("e", rg.Inertia.box(2.0, (0.1, 0.2, 0.3)))
    mech.add_joint("k", rg.Spherical(limits=(-math.inf, 1.0), actuated=False), "a", "e")
    mech.add_actuator("motor", "j", gear=5.0, effort=10.0)
    mech.add_frame("tip", "a", rg.Pose.about((1, 2, 3), 0.5, (0.1, 0.2, 0.3)))
    mech.add_spring("s", "world", (0, 0, 1), "a", (0.1, 0, 0), stiffness=3.0, damping=0.5, rest_length=0.2)
    mech.add_shape("a", rg.Box((0.1, 0.2, 0.3)), "box", color=(1, 0, 0))
    mech.add_shape("a", rg.Cylinder(0.1, 0.2), "rod", collision=False)
    mech.add_shape("a", rg.Mesh("thing.stl", (1, -1, 2)), "thing", rg.Pose.about((1, 0, 0), 0.3), visual=False)
    mech.add_shape("world", rg.Plane(), "floor")
    mech.add_keyframe("home", mech.state(q={"j": 0.4, "k": [0.6, 0.8, 0.0, 0.0]}, v={"j": 1.0}))
    again = saved_and_read(tmp_path, mech).mech
    again.extras.clear()
    assert differences(by_name(mech), by_name(again)) == []


def test_servos_are_written_as_they_were_read(tmp_path):
    text = """<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody><actuator>
    <position name="p" joint="j" kp="50" kv="3" ctrlrange="-1 2" gear="4"/></actuator></mujoco>"""
    (tmp_path / "one.xml").write_text(text)
    rg.read(tmp_path / "one.xml", ignore="all").mech.save(tmp_path / "two.xml")
    one, two = (mujoco.MjModel.from_xml_path(str(tmp_path / f"{name}.xml")) for name in ("one", "two"))
    for table in ("gainprm", "biasprm", "ctrlrange", "gear", "gaintype", "biastype", "forcelimited"):
        assert np.array_equal(getattr(one, f"actuator_{table}"), getattr(two, f"actuator_{table}")), table


def test_frames_stay_where_they_are_whatever_is_asked_for(tmp_path):
    mech = arm(rg.Revolute, rg.Revolute)
    for frames in ("keep", "move"):
        mech.save(tmp_path / f"{frames}.xml", frames=frames)
    assert (tmp_path / "keep.xml").read_text().replace("keep", "move") == (tmp_path / "move.xml").read_text()


# --- what cannot be held ----------------------------------------------------------------------------------------------


def test_what_mjcf_cannot_hold_is_one_error(tmp_path):
    mech = arm(rg.Guided, rg.Free, rg.Spherical)
    mech.add_joint("loop", rg.Prismatic((1, 0, 0), damping=1.0), "world", "b2")
    with pytest.raises(rg.FileError) as caught:
        mech.save(tmp_path / "x.xml")
    said = str(caught.value)
    assert all(
        part in said for part in ("'j0': MJCF has nothing like Guided", "'j1': MJCF has free joints on the world", "'loop'")
    )
    assert not (tmp_path / "x.xml").exists()


def test_a_body_that_moves_needs_mass(tmp_path):
    mech = rg.Mechanism()
    mech.add_body("light", rg.Inertia(0.0))
    mech.add_joint("j", rg.Revolute((0, 0, 1)), "world", "light")
    with pytest.raises(rg.FileError, match="'light': MuJoCo asks for mass"):
        mech.save(tmp_path / "x.xml")


def test_uneven_settings_of_a_ball_are_errors(tmp_path):
    mech = arm(rg.Revolute)
    mech.add_body("c", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("ball", rg.Spherical(damping=(1, 2, 3), stiffness=1.0, rest=(0, 1, 0, 0)), "b0", "c")
    with pytest.raises(rg.FileError, match=r"one damping for all(.|\n)*at rest where its frames coincide"):
        mech.save(tmp_path / "x.xml")


def test_what_is_lost_without_changing_the_motion_is_a_warning(tmp_path):
    mech = rg.Mechanism()
    mech.add_body("a", rg.Inertia.point(1.0, (0, 0, 1)))
    mech.add_joint("j", rg.Revolute((0, 1, 0)), "world", "a")
    with pytest.warns(rg.RegraftWarning, match="moments of inertia of 'a'"):
        mech.save(tmp_path / "x.xml")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm(rg.Revolute).save(tmp_path / "y.xml")


def test_what_mjcf_has_no_word_for_comes_back_too(tmp_path):
    """Joints without a motor where no actuator tells them, largest speeds, torques of ball joints, the law of limits."""
    mech = rg.Mechanism()
    kinds = {
        "a's": rg.Revolute((0, 0, 1), speed=3.0, limits=rg.Limits(0, 1, stiffness=5.0, dissipation=0.5)),
        "b": rg.Prismatic((0, 0, 1), actuated=False),
        "c": rg.Spherical(effort=(1, 2, math.inf), speed=4.0, actuated=False, limits=rg.Limits(-math.inf, 1, 7.0)),
    }
    for name, kind in kinds.items():
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"{name} joint", kind, "world", name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = saved_and_read(tmp_path, mech).mech
    for name, kind in kinds.items():
        assert again.joints[f"{name} joint"].type == kind


@pytest.mark.parametrize("text", ["no json", "[1]", '{"passive": 3}', '{"speed": [1, 2]}'])
def test_a_damaged_text_of_ours_is_told_and_passed_over(tmp_path, text):
    mech = arm(rg.Revolute)
    mech.save(tmp_path / "x.xml")
    custom = f"<custom><text name='regraft' data='{text}'/></custom></mujoco>"
    (tmp_path / "y.xml").write_text((tmp_path / "x.xml").read_text().replace("</mujoco>", custom))
    reading = rg.read(tmp_path / "y.xml")
    assert [one.part for one in reading.report.findings if one.kind == "text"] == ["regraft"]
    assert reading.mech.joints["j0"].type.actuated


def test_a_chain_that_is_too_long_is_one_error(tmp_path):
    """Elements in elements without end: neither Python nor MuJoCo follows them."""

    def row(count):
        mech = rg.Mechanism()
        for number in range(count):
            onto = f"b{number - 1}" if number else "world"
            mech.add_body(f"b{number}", rg.Inertia.sphere(1.0, 0.1))
            mech.add_joint(f"j{number}", rg.Revolute((0, 0, 1)), onto, f"b{number}", rg.Pose(translation=(0, 0, 0.2)))
        return mech

    row(MOST_DEEP).save(tmp_path / "long.xml")
    assert len(rg.read(tmp_path / "long.xml").mech.bodies) == MOST_DEEP
    for count in (MOST_DEEP + 1, 3000):
        with pytest.raises(rg.FileError, match=rf"body 'b{count - 1}'.*hangs on {count - 1} others.*root in the middle"):
            row(count).save(tmp_path / "longer.xml")
    assert not (tmp_path / "longer.xml").exists()
