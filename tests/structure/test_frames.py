"""The frames of joints stay orthonormal to rounding, however often they are made anew from where the bodies are."""

import numpy as np
import pytest

import regraft as rg
from loops.closed_mechanisms import body_motions
from random_mechanisms import ALL_JOINTS, random_joint, random_mechanism, random_pose, random_rotation, random_state

HINGE = rg.Revolute((0, 1, 0))
ROUNDED = 1e-14  # a pose is off by 2e-15 at most


def off(*poses):
    """How far the rotations are from unit length and right angles."""
    return max(np.abs(pose.rotation.T @ pose.rotation - np.eye(3)).max() for pose in poses)


def frames_of(mech):
    """The frames of all joints, those that were there before too."""
    joints = [*mech.joints.values(), *mech.former_bases.values()]
    return [pose for joint in joints for pose in (joint.parent_pose, joint.child_pose)]


def kneed_walker():
    mech = rg.Mechanism()
    for side in ("left", "right"):
        for part in ("thigh", "shank"):
            mech.add_body(f"{side} {part}", rg.Inertia.cylinder(1.0, 0.05, (0, 0, 0), (0, 0, -0.5)))
    down = rg.Pose(translation=(0, 0, -0.5))
    mech.add_joint("stance", HINGE, "world", "left shank", child_pose=down)
    mech.add_joint("hip", HINGE, "left thigh", "right thigh")
    for side in ("left", "right"):
        mech.add_joint(f"{side} knee", HINGE, f"{side} thigh", f"{side} shank", down)
    return mech, mech.state(q={"stance": 0.2, "hip": -0.45})


def exchange(mech, state, side, new, old, joint):
    """Another joint in the place of a knee."""
    at = rg.frame_position(mech, state, f"{side} shank")
    held = rg.connect(mech, state, f"{side} thigh", f"{side} shank", joint=joint, at=at, name=f"{side} {new}")
    return rg.cut(*held, f"{side} {old}")


def walk(steps):
    """A walker at rest that changes its stance foot, locks the knee it stands on and frees the other; the worst frame met."""
    mech, state = exchange(*kneed_walker(), "left", "lock", "knee", rg.Fixed())
    worst = 0.0
    for k in range(steps):
        stance, swing = ("left", "right") if k % 2 == 0 else ("right", "left")
        mech, state = exchange(mech, state, swing, "lock", "knee", rg.Fixed())
        foot = rg.body_poses(mech, state)[f"{swing} shank"].apply((0, 0, -0.5))
        mech, state = rg.reroot(mech, state, f"{swing} shank", at=foot, joint=HINGE, name="stance", velocity="impact")
        mech, state = exchange(mech, state, stance, "knee", "lock", HINGE)
        worst = max(worst, off(*frames_of(mech)))
    return mech, state, worst


def assert_nothing_moved(steps):
    mech, state, worst = walk(steps)
    assert worst < ROUNDED
    start = body_motions(*kneed_walker())
    # the places of some joints are rounded in each step, to 1e-16
    assert np.abs(body_motions(mech, state) - start).max() < 1e-15 * steps
    assert np.abs(state.q - (0.2, -0.45, 0.0)).max() < 1e-15 * steps


def test_hundreds_of_changes_of_the_stance_foot_and_of_the_knees_lead_nowhere():
    assert_nothing_moved(500)


@pytest.mark.slow
def test_ten_thousand_do_not_either():
    assert_nothing_moved(10_000)


@pytest.mark.parametrize("where", ["at", "pose_a", "pose_b"])
def test_new_frames_of_every_joint_type_are_orthonormal(where):
    """Joints of a tree in space are replaced one after the other, and its root changes in between."""
    rng = np.random.default_rng(3)
    mech = random_mechanism(rng, bodies=5, kinds=ALL_JOINTS, root_kinds=(rg.Free,))
    state = mech.state(q=random_state(rng, mech).q)
    start = body_motions(mech, state)
    for k in range(300):
        name = str(rng.choice([joint.name for joint in mech.joints.values() if "world" not in (joint.parent, joint.child)]))
        old, kind = mech.joints[name], random_joint(rng, ALL_JOINTS[k % len(ALL_JOINTS)])
        place = rng.uniform(-1, 1, 3) if where == "at" else random_pose(rng)
        mech, state = rg.connect(mech, state, old.parent, old.child, joint=kind, name=f"joint {k}", **{where: place})
        mech, state = rg.cut(mech, state, name)
        mech, state = rg.reroot(mech, state, str(rng.choice(list(mech.bodies))), name="base")
        assert off(*frames_of(mech)) < ROUNDED
    assert np.abs(body_motions(mech, state) - start).max() < 1e-14 * 300


def test_a_mechanism_that_is_built_anew_from_its_own_poses_keeps_its_shape():
    """As a user would: every joint's frame where the world's is, on both of its bodies."""
    mech = random_mechanism(np.random.default_rng(1), bodies=6, kinds=(rg.Fixed,))
    start = body_motions(mech, mech.state())
    for _ in range(100):
        poses = {"world": rg.Pose(), **rg.body_poses(mech, mech.state())}
        anew = rg.Mechanism()
        for body in mech.bodies.values():
            anew.add_body(body.name, body.inertia)
        for joint in mech.joints.values():
            ends = joint.parent, joint.child
            anew.add_joint(joint.name, rg.Fixed(), *ends, *(poses[end].inverse() for end in ends))
        anew.add_frame("tip", "b5", poses["b5"])
        mech = anew
        assert off(*frames_of(mech), mech.frames["tip"].pose) < ROUNDED
    assert np.abs(body_motions(mech, mech.state()) - start).max() < 1e-11  # 1e-14 in each round


def test_the_pose_of_a_body_at_the_end_of_a_long_chain_can_be_a_frame():
    """It has the rounding of the whole chain, a frame has none of that."""
    mech = random_mechanism(np.random.default_rng(0), bodies=400, kinds=(rg.Revolute,), reverse=0.0)
    chain = rg.Mechanism()
    for k, body in enumerate(mech.bodies.values()):
        chain.add_body(body.name, body.inertia)
        joint = mech.joints[f"j{k}"]
        chain.add_joint(
            joint.name, joint.type, "world" if k == 0 else f"b{k - 1}", body.name, joint.parent_pose, joint.child_pose
        )
    state = chain.state(q=0.1 * np.arange(400))
    last = rg.body_poses(chain, state)["b399"]
    assert off(last) > ROUNDED
    for pose_a, pose_b in ((last, None), (last, last.inverse())):
        held, _ = rg.connect(chain, chain.state(q=state.q), "world", "b0", joint=rg.Free(), pose_a=pose_a, pose_b=pose_b)
        assert off(held.joints["world_b0"].parent_pose, held.joints["world_b0"].child_pose) < ROUNDED


def test_poses_that_are_multiplied_and_inverted_over_and_over_stay_rotations():
    """The inverse is the transpose: errors of lengths would double in each round."""
    rng = np.random.default_rng(2)
    pose = turn = random_pose(rng)
    for _ in range(200):
        pose = pose.inverse() @ turn @ pose @ turn.inverse() @ pose
        assert off(pose) < ROUNDED


def test_the_digits_that_a_user_has_left_out_are_filled_in():
    """A matrix that is off by up to 1e-9 is taken, as the rotation nearest to it; one that is a rotation, as it is."""
    R = random_rotation(np.random.default_rng(4))
    stretched = R @ np.diag([1.0 + 2e-10, 1.0, 1.0 - 1e-10]) + 1e-10 * R @ np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    found = rg.Pose(stretched)
    assert off(found) < ROUNDED
    assert found.rotation == pytest.approx(R, abs=1e-15)
    assert np.array_equal(rg.Pose(R).rotation, R)
    quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    assert (rg.Pose(quarter) @ rg.Pose(quarter)).rotation.tolist() == [[-1, 0, 0], [0, -1, 0], [0, 0, 1]]
    with pytest.raises(rg.ModelError, match="right angles"):
        rg.Pose(R * (1 + 1e-8))
