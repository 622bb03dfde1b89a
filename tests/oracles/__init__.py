"""Regraft's mechanisms rebuilt in other rigid-body libraries, to ask them the same questions.

This package walks a mechanism by itself, from its public description, and takes every joint apart into elementary motions
that other libraries have too: a slide, a turn, a screw, a ball, six degrees of freedom. Nothing here uses Regraft's own walk
or kernels.

A twin has its own order and meaning of positions and velocities. With T(q) such that ``v_twin = T(q) v``:

    v̇_twin = T v̇ + Ṫ v      tau = Tᵀ tau_twin      M = Tᵀ M_twin T      J = J_twin T
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import regraft as rg


@dataclass(frozen=True)
class Step:
    """One joint of the walk from the world: `body` hangs on `onto`."""

    joint: rg.Joint
    onto: str
    body: str
    backwards: bool
    """Whether the walk goes from the joint's child to its parent."""

    @property
    def near(self) -> rg.Pose:
        """The joint's frame on the body that the walk comes from."""
        return self.joint.child_pose if self.backwards else self.joint.parent_pose

    @property
    def far(self) -> rg.Pose:
        """The joint's frame on the body that the walk leads to."""
        return self.joint.parent_pose if self.backwards else self.joint.child_pose


@dataclass(frozen=True)
class Motion:
    """An elementary motion, with the place of its numbers in Regraft's q and v."""

    kind: str
    """'slide', 'turn', 'screw', 'ball' or 'free'."""
    q: slice
    v: slice
    axis: np.ndarray | None = None
    pitch: float = 0.0
    backwards: bool = False
    """Only of 'ball' and 'free': the twin's motion is the inverse of Regraft's."""


def walk(mech: rg.Mechanism) -> Iterator[Step]:
    """The joints of a tree, depth first from the world."""
    around: dict[str, list[rg.Joint]] = {}
    for joint in mech.joints.values():
        around.setdefault(joint.parent, []).append(joint)
        around.setdefault(joint.child, []).append(joint)
    waiting = [(joint, "world") for joint in reversed(around.get("world", []))]
    while waiting:
        joint, onto = waiting.pop()
        backwards = joint.child == onto
        body = joint.parent if backwards else joint.child
        yield Step(joint, onto, body, backwards)
        waiting += [(other, body) for other in reversed(around[body]) if other is not joint]


def motions(mech: rg.Mechanism, step: Step) -> list[Motion]:
    """A joint as a chain of elementary motions, in the direction of the walk.

    The inverse of a product is the product of the inverses in the other order, and the inverse of a slide, turn or screw by q
    along an axis is the same by q along the opposite axis.
    """
    joint = step.joint.type
    q, v = mech.q_slice(step.joint.name), mech.v_slice(step.joint.name)

    def along(kind: str, number: int, axis: tuple[float, ...], pitch: float = 0.0) -> Motion:
        at_q, at_v = (slice(s.start + number, s.start + number + 1) for s in (q, v))
        return Motion(kind, at_q, at_v, -np.array(axis) if step.backwards else np.array(axis), pitch)

    match joint:
        case rg.Fixed():
            chain = []
        case rg.Spherical():
            return [Motion("ball", q, v, backwards=step.backwards)]
        case rg.Free():
            return [Motion("free", q, v, backwards=step.backwards)]
        case rg.Revolute():
            chain = [along("turn", 0, joint.axis)]
        case rg.Prismatic():
            chain = [along("slide", 0, joint.axis)]
        case rg.Helical():
            chain = [along("screw", 0, joint.axis, joint.pitch)]
        case rg.Cylindrical():
            chain = [along("turn", 0, joint.axis), along("slide", 1, joint.axis)]
        case rg.Universal():
            chain = [along("turn", 0, joint.axis1), along("turn", 1, joint.axis2)]
        case rg.Planar():
            y_axis = tuple(np.cross(joint.normal, joint.x_axis))
            chain = [along("slide", 0, joint.x_axis), along("slide", 1, y_axis), along("turn", 2, joint.normal)]
        case _:
            raise NotImplementedError(f"no twin has a {type(joint).__name__} joint")
    return chain[::-1] if step.backwards else chain


def rotation_of(quaternion: np.ndarray) -> np.ndarray:
    """The rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def skew(a: np.ndarray) -> np.ndarray:
    """[a]× with [a]× b = a × b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def position_there(motion: Motion, q: np.ndarray) -> np.ndarray:
    """Regraft's numbers of one motion as the twin's, with quaternions still (w, x, y, z)."""
    own = q[motion.q]
    if not motion.backwards:
        return own
    if motion.kind == "ball":
        return own * (1, -1, -1, -1)
    return np.concatenate([-rotation_of(own[3:]).T @ own[:3], own[3:] * (1, -1, -1, -1)])


def velocity_block(motion: Motion, q: np.ndarray) -> np.ndarray:
    """T of one motion: 1, or of a ball or six degrees of freedom walked backwards, −Ad(X)."""
    if not motion.backwards:
        return np.eye(motion.v.stop - motion.v.start)
    own = q[motion.q]
    if motion.kind == "ball":
        return -rotation_of(own)
    R = rotation_of(own[3:])
    return -np.block([[R, skew(own[:3]) @ R], [np.zeros((3, 3)), R]])


def velocity_block_rate(motion: Motion, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """dT/dt of one motion along the velocity v: d/dt Ad(X) = Ad(X) ad(v)."""
    if not motion.backwards:
        return np.zeros((motion.v.stop - motion.v.start,) * 2)
    own = v[motion.v]
    if motion.kind == "ball":
        return velocity_block(motion, q) @ skew(own)
    linear, angular = skew(own[:3]), skew(own[3:])
    return velocity_block(motion, q) @ np.block([[angular, linear], [np.zeros((3, 3)), angular]])
