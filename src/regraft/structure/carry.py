"""What a body's motion is to a joint that takes hold of it, and states whose joints have been exchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import StructureError, listed
from ..joints import JointType, screw_rates, screws
from ..kernels import entries
from ..mechanism import Mechanism
from ..parts import WORLD
from ..pose import Pose
from ..state import State

Array = NDArray[np.float64]

CARRIED = 1e-9
"""How far the twist that a joint can carry may be from the body's, relative to 1 + its size."""


@dataclass(frozen=True)
class Motion:
    """Pose in the world of a frame on a body, and its own twist (angular, linear) in the frame's axes."""

    pose: Pose
    twist: Array


def motion_of(mech: Mechanism, state: State, body: str, frame: Pose) -> Motion:
    """Where a frame on a body is and how it moves."""
    pose, twist = mech.tree.frame_motion(state._q, state._v, body, frame)
    return Motion(pose, (twist.reshape(2, 3) @ pose.rotation).ravel())


def halves_exchanged(vectors: Array) -> Array:
    """(angular, linear) as a free joint stores it, (linear, angular); and back."""
    return np.roll(vectors, 3, axis=-1)


def carried_velocity(name: str, joint: JointType, q: Array, twist: Array) -> Array:
    """The joint velocity that gives a frame its own twist; an error where the joint cannot carry it."""
    v = joint.velocity(q, twist)
    gap = float(np.abs(v @ screws(joint, q) - twist).max()) if joint.nv else float(np.abs(twist).max())
    if gap > CARRIED * (1.0 + float(np.abs(twist).max())):
        raise StructureError(
            f"joint {name!r}, a {type(joint).__name__}, cannot carry this motion: {gap:.3g} of it is left over. "
            'Let it stop with velocity="impact", or use a joint with more freedom, such as Free().'
        )
    return v


def carried_acceleration(name: str, joint: JointType, q: Array, v: Array, rate: Array) -> Array:
    """The joint acceleration that changes a frame's own twist at the given rate; an error where the joint cannot."""
    try:
        return carried_velocity(name, joint, q, rate - v @ screw_rates(joint, q, v))
    except StructureError as problem:
        raise StructureError(f"joint {name!r} cannot carry this acceleration: use a joint with more freedom.") from problem


def twist_rate(mech: Mechanism, state: State, body: str, moving: Motion, frame: Pose, a: Array) -> Array:
    """How the own twist of a frame on a body changes, in the frame's axes, when the mechanism accelerates at a."""
    tree = mech.tree
    k, point = tree.row_of[body], tree.point(body, frame.translation)
    J, J_rate = np.empty((6, mech.nv)), np.empty((6, mech.nv))
    entries.jacobian(tree.handle, state._q, k, point, J)
    entries.jacobian_rate(tree.handle, state._q, state._v, k, point, J_rate)
    turning, moving_on = np.split(J @ a + J_rate @ state._v, 2)
    axes = moving.pose.rotation
    return np.concatenate([turning @ axes, moving_on @ axes - np.cross(moving.twist[:3], moving.twist[3:])])


def rebuilt_state(mech: Mechanism, old: State, q: Mapping[str, Array], v: Mapping[str, Array]) -> State:
    """A state of a mechanism whose joints keep their numbers from an old state, but for the given ones."""
    layout, before = mech.layout, old.layout
    x = np.empty(layout.nq + layout.nv)
    for name, *_ in layout.joints:
        x[layout.q_slices[name]] = q[name] if name in q else old._q[before.q_slices[name]]
        where = layout.v_slices[name]
        x[layout.nq + where.start : layout.nq + where.stop] = v[name] if name in v else old._v[before.v_slices[name]]
    return State(layout, x)


def check_body(mech: Mechanism, body: str) -> None:
    """A body that can be walked to, not the world."""
    if body == WORLD:
        raise StructureError("the world cannot be the top of a tree that hangs on it; name a body.")
    if not isinstance(body, str) or body not in mech.bodies:
        raise StructureError(f"there is no body {body!r} to take as the top; the bodies are: {listed(mech.bodies)}.")
