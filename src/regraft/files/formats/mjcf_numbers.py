"""Positions and velocities of a mechanism as MuJoCo's qpos and qvel, for the joints of a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...describe.mechanism import Mechanism
from ...describe.state import State
from .mjcf_chains import Motion, free_pose

Array = NDArray[np.float64]


def text(values: Iterable[float]) -> str:
    """Numbers with all their digits, as MJCF has them."""
    return " ".join(repr(float(value) + 0.0) for value in values)


def pose_attributes(pose: Pose) -> dict[str, str]:
    """Where something is, without what is at its default."""
    found = {}
    if pose.translation.any():
        found["pos"] = text(pose.translation)
    if not np.array_equal(pose.rotation, np.eye(3)):
        found["quat"] = text(pose.quaternion)
    return found


def positions(motions: Sequence[Motion], mech: Mechanism, state: State) -> Array:
    """MuJoCo's qpos of a state."""
    return np.concatenate([np.zeros(0), *(_position(one, state.q[mech.q_slice(one.joint.name)]) for one in motions)])


def velocities(motions: Sequence[Motion], mech: Mechanism, state: State) -> Array:
    """MuJoCo's qvel of a state."""
    parts = []
    for one in motions:
        q, v = state.q[mech.q_slice(one.joint.name)], state.v[mech.v_slice(one.joint.name)]
        parts.append(_velocity(one, q, v))
    return np.concatenate([np.zeros(0), *parts])


def _position(motion: Motion, q: Array) -> Array:
    if motion.kind == "free":
        pose = free_pose(motion, q)
        same = motion.joint.parent_pose == Pose() and motion.joint.child_pose == Pose()
        return q if same else np.concatenate([pose.translation, pose.quaternion])
    if motion.kind != "ball":
        return np.array([motion.factor * q[motion.number]])
    own = motion.joint.type.reverse(q) if motion.backwards else q
    return np.concatenate([own[:1], motion.place.rotation @ own[1:]])


def _velocity(motion: Motion, q: Array, v: Array) -> Array:
    if motion.kind in ("hinge", "slide"):
        return np.array([motion.factor * v[motion.number]])
    joint = motion.joint
    if motion.kind == "ball":
        return motion.place.rotation @ (joint.type.reverse_velocity(q, v) if motion.backwards else v)
    own, place = (joint.type.reverse_velocity(q, v), joint.parent_pose) if motion.backwards else (v, joint.child_pose)
    turn = place.rotation @ own[3:]
    linear = place.rotation @ own[:3] - np.cross(turn, place.translation)  # of the body's origin, in its own axes
    return np.concatenate([free_pose(motion, q).rotation @ linear, turn])
