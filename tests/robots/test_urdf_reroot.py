"""A robot that is re-rooted and written as URDF is the same robot: for every file of example-robot-data and every leaf link.

The same q gives the same relative poses of links, inertials, visuals and collisions; names, limits, couplings, damping, friction
and effort stay; the mass matrix is the same up to the base; and the way back gives the original to the last digit.
"""

from __future__ import annotations

import zlib

import numpy as np
import pinocchio as pin
import pytest

import regraft as rg
from robots.example_robots import FILES, WITHOUT, label, leaves, moving, robot

pytestmark = pytest.mark.skipif(not FILES, reason=WITHOUT)

SAME = 1e-11  # beside some 1e-15 that are found


def sampled_top(file):
    """One leaf of a robot, another one for each file."""
    found = leaves(robot(file).mech)
    return found[zlib.crc32(label(file).encode()) % len(found)]


def freed(mech):
    """The mechanism with its root free, so that it has the motions of a re-rooted one."""
    (base,) = [name for name, joint in mech.joints.items() if joint.parent == "world"]
    root = mech.joints[base].child
    return rg.reroot(mech, mech.state(), root, name=f"{root}_base")[0], root


def joint_positions(mech, rng):
    return {name: rng.uniform(-1.5, 1.5, mech.joints[name].type.nq) for name in moving(mech) if mech.joints[name].type.nq == 1}


def places(mech, q):
    """Poses by name of all links, shapes and frames, and centres of mass."""
    poses = rg.body_poses(mech, mech.state(q=q))
    found = {f"link {name}": pose for name, pose in poses.items()}
    found |= {f"shape {name}": poses[shape.body] @ shape.pose for name, shape in mech.shapes.items() if shape.body != "world"}
    found |= {f"mass {name}": poses[name] @ rg.Pose(translation=body.inertia.com) for name, body in mech.bodies.items()}
    return found


def relative(found, to):
    back = found[to].inverse()
    return {name: (back @ pose).row for name, pose in found.items()}


def inertia_of_joints(mech, q):
    """The mass matrix of the joints when nothing acts on the base: M less what the base takes, whichever body that is."""
    M = rg.mass_matrix(mech, mech.state(q=q))
    base = np.concatenate([np.arange(mech.nv)[mech.v_slice(n)] for n in mech.joints if mech.joints[n].type.nv == 6])
    rest = np.concatenate([np.arange(0), *(np.arange(mech.nv)[mech.v_slice(name)] for name in q)]).astype(int)
    across = M[np.ix_(base, rest)]
    return M[np.ix_(rest, rest)] - across.T @ np.linalg.solve(M[np.ix_(base, base)], across)


def check_settings(after, before, q):
    assert list(after.bodies) == list(before.bodies)
    assert [name for name in after.joints if name in q] == list(q)
    for name in q:
        ours, theirs = after.joints[name].type, before.joints[name].type
        assert ours.settings() == theirs.settings(), name
        assert abs(np.dot(ours.axis, theirs.axis)) >= 1.0 - SAME
    assert after.couplings == before.couplings
    assert after.actuators == before.actuators
    assert {name: (shape.form, shape.color, shape.visual, shape.collision) for name, shape in after.shapes.items()} == {
        name: (shape.form, shape.color, shape.visual, shape.collision) for name, shape in before.shapes.items()
    }


def check_same_robot(after, before, q, frames):
    """Where a link's own frame moved, its axes did; its mass, its shapes and the tensor in the world did not."""
    to = f"shape {next(iter(before.shapes))}" if before.shapes and frames == "move" else f"link {next(iter(before.bodies))}"
    if frames == "move" and not before.shapes:
        return
    ours, theirs = relative(places(after, q), to), relative(places(before, q), to)
    for name, pose in theirs.items():
        if frames == "move" and name.startswith("link"):
            continue
        numbers = slice(9, 12) if frames == "move" and name.startswith("mass") else slice(None)
        assert np.abs(ours[name][numbers] - pose[numbers]).max() <= SAME, name
    if frames == "keep":
        assert after.bodies == before.bodies
        assert after.shapes == before.shapes


def check(file, top, tmp_path, frames):
    before, root = freed(robot(file).mech)
    rng = np.random.default_rng(3)
    q = joint_positions(before, rng)
    turned, _ = rg.reroot(before, before.state(), top)
    turned.save(tmp_path / "turned.urdf", frames=frames)
    after = rg.read(tmp_path / "turned.urdf", ignore="all").mech
    (base,) = [joint for joint in after.joints.values() if joint.parent == "world"]
    assert base.child == top
    assert base.type == rg.Free()
    check_settings(after, before, q)
    check_same_robot(after, before, q, frames)
    if q and sum(body.inertia.mass for body in before.bodies.values()) > 0.0:
        ours, theirs = inertia_of_joints(after, q), inertia_of_joints(before, q)
        assert np.abs(ours - theirs).max() <= SAME * (1.0 + np.abs(theirs).max())
    if frames == "keep":
        back, _ = rg.reroot(after, after.state(), root, name=f"{root}_base")
        back.save(tmp_path / "back.urdf")
        original = rg.read(tmp_path / "back.urdf", ignore="all").mech
        own = {name: joint for name, joint in original.joints.items() if joint.parent != "world"}
        assert own == {name: joint for name, joint in before.joints.items() if joint.parent != "world"}
        assert original.bodies == before.bodies
        assert original.shapes == before.shapes


@pytest.mark.parametrize("frames", ["keep", "move"])
@pytest.mark.parametrize("file", FILES, ids=label)
def test_a_robot_that_is_written_from_another_root_is_the_same_robot(file, frames, tmp_path):
    check(file, sampled_top(file), tmp_path, frames)


@pytest.mark.slow
@pytest.mark.parametrize("frames", ["keep", "move"])
@pytest.mark.parametrize("file", FILES, ids=label)
def test_that_holds_for_every_leaf(file, frames, tmp_path):
    for top in leaves(robot(file).mech):
        check(file, top, tmp_path, frames)


@pytest.mark.parametrize("frames", ["keep", "move"])
@pytest.mark.parametrize("file", FILES[::3], ids=label)
def test_other_programs_read_the_same_robot(file, frames, tmp_path):
    """Pinocchio, which knows nothing of what is written for Regraft alone."""
    before, _ = freed(robot(file).mech)
    top = sampled_top(file)
    rg.reroot(before, before.state(), top)[0].save(tmp_path / "turned.urdf", frames=frames)
    model = pin.buildModelFromUrdf(str(tmp_path / "turned.urdf"), pin.JointModelFreeFlyer())
    data, q = model.createData(), joint_positions(before, np.random.default_rng(5))
    theirs = pin.neutral(model)
    order = np.empty(len(q), dtype=int)
    for k, (name, angle) in enumerate(q.items()):
        joint = model.joints[model.getJointId(name)]
        theirs[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle[0]), np.sin(angle[0]))
        order[k] = joint.idx_v
    M = pin.crba(model, data, theirs)
    M = np.triu(M) + np.triu(M, 1).T
    if q:
        across = M[np.ix_(range(6), order)]
        joints = M[np.ix_(order, order)] - across.T @ np.linalg.solve(M[:6, :6], across)
        ours = inertia_of_joints(before, q)
        assert np.abs(joints - ours).max() <= SAME * (1.0 + np.abs(ours).max())
    if frames == "keep":
        pin.framesForwardKinematics(model, data, theirs)
        found = {
            f"link {frame.name}": rg.Pose(data.oMf[k].rotation, data.oMf[k].translation)
            for k, frame in enumerate(model.frames)
            if frame.type == pin.FrameType.BODY and frame.name in before.bodies
        }
        expected = relative(places(before, q), f"link {top}")
        for name, pose in relative(found, f"link {top}").items():
            assert np.abs(pose - expected[name]).max() <= SAME, name


@pytest.mark.parametrize("file", FILES[::6], ids=label)
def test_a_robot_may_be_re_rooted_in_any_state(file, tmp_path):
    """The file is about the structure, so where the joints were when the root changed makes no difference to it."""
    before, _ = freed(robot(file).mech)
    top, q = sampled_top(file), joint_positions(before, np.random.default_rng(7))
    for name, state in (("zero", before.state()), ("moved", before.state(q=q))):
        rg.reroot(before, state, top, align="bind")[0].save(tmp_path / f"{name}.urdf")
    zero, moved = (rg.read(tmp_path / f"{name}.urdf", ignore="all").mech for name in ("zero", "moved"))
    assert {name: joint for name, joint in zero.joints.items() if joint.parent != "world"} == {
        name: joint for name, joint in moved.joints.items() if joint.parent != "world"
    }
