"""Random mechanisms that S3 can describe."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import random_mechanism, random_state
from regraft.maximal import skeleton_of


def random_skeleton(rng, bodies, *, damping=True):
    """A mechanism that S3 can describe, with a state."""
    drawn = random_mechanism(rng, bodies=bodies, kinds=(rg.Revolute, rg.Spherical), root_kinds=(rg.Free,))
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name, body in drawn.bodies.items():
        mech.add_body(name, body.inertia)
    for name, joint in drawn.joints.items():
        friction = rng.uniform(0, 2) if damping and not isinstance(joint.type, rg.Free) else 0.0
        kind = type(joint.type)(**joint.type.arguments(), damping=friction)
        mech.add_joint(name, kind, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    return mech, random_state(rng, mech)


def driven(rng, mech, state):
    """The skeleton with random motors on its hinges, its state, and the torques that these motors are in the mechanism."""
    skeleton, bodies = skeleton_of(mech, state)
    beta = np.where(skeleton.hinges, rng.uniform(-5, 5, skeleton.n), 0.0)
    tau = np.zeros(mech.nv)
    for name, torque in zip(skeleton.joints, beta, strict=True):
        tau[mech.v_slice(name)] = torque
    return replace(skeleton, beta=beta), bodies, tau


def on_random_skeletons(test):
    """Run on random seeds with up to seven bodies."""
    return settings(max_examples=40)(given(st.integers(0, 2**32 - 1), st.integers(2, 7))(test))


def state_error(found, expected):
    """The largest difference of two states, in any number."""
    return max(np.abs(getattr(found, name) - getattr(expected, name)).max() for name in ("p", "R", "v", "w"))
