"""Walkers of the CMU database, where they are at hand: they become bodies that stand on the ground and weigh what they should."""

import numpy as np
import pytest

import regraft as rg
from regraft.mocap import loading
from regraft.mocap.segments.bodies import body

MASS = 70.0


@pytest.fixture(params=["07_01", "02_01", "16_17"])
def walker(request, shared_data):
    return loading.load(shared_data(f"mocap/bvh/{request.param}.bvh"))


def test_masses_add_up_and_joints_are_where_they_were_recorded(walker):
    motion = body(walker, MASS, cutoff=None)
    assert abs(sum(part.inertia.mass for part in motion.mech.bodies.values()) - MASS) < 1e-12 * MASS
    points = dict(zip([bone.name for bone in walker.bones], np.moveaxis(walker.points(), 1, 0), strict=True))
    for k in range(0, len(motion.t), 10):
        poses = rg.body_poses(motion.mech, motion.mech.state(motion.q[k]))
        for name, bone in (
            ("left_foot", "LeftFoot"),
            ("right_toes", "RightToeBase"),
            ("head", "Head"),
            ("left_hand", "LeftHand"),
        ):
            assert np.abs(poses[name].translation - points[bone][k]).max() < 1e-12


def test_soles_are_on_the_ground_in_the_frames_in_which_the_foot_is_lowest(walker):
    motion = body(walker, MASS)
    states = [motion.mech.state(q) for q in motion.q]
    for foot in motion.feet.values():
        heights = np.array([[rg.frame_position(motion.mech, s, f)[2] for f in (foot.heel, *foot.ball, foot.toe)] for s in states])
        flat = np.argsort(np.abs(heights - np.median(np.sort(heights, axis=0)[: len(heights) // 4])).max(axis=1))[
            : len(heights) // 10
        ]
        assert np.ptp(heights[flat]) < 0.03


def test_the_force_on_the_body_is_that_of_a_walk(walker):
    motion = body(walker, MASS)
    force = []
    for q, v, a in zip(motion.q[12:-12], motion.v[12:-12], motion.a[12:-12], strict=True):
        state = motion.mech.state(q, v)
        push = rg.inverse_dynamics(motion.mech, state, a)[motion.mech.v_slice("root")][:3]
        force.append(rg.body_poses(motion.mech, state)["pelvis"].rotation @ push / (MASS * 9.81))
    vertical = np.array(force)[:, 2]
    assert 0.5 < vertical.min() < vertical.max() < 1.5
    assert abs(vertical.mean() - 1.0) < 0.02
