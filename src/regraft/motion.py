"""Where the bodies and frames of a mechanism are, how they move, and how positions are moved along velocities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ModelError
from .kernels import entries
from .mechanism import Mechanism
from .parts import WORLD
from .pose import POSE, Pose, finite
from .state import State
from .tree import Tree

Array = NDArray[np.float64]


def body_poses(mech: Mechanism, state: State) -> Mapping[str, Pose]:
    """The pose of every body in the world.

    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("box", rg.Inertia.box(1.0, (1, 1, 1)))
    >>> mech.add_joint("slider", rg.Prismatic((0, 0, 1)), "world", "box")
    >>> rg.body_poses(mech, mech.state(q={"slider": 0.5}))["box"]
    Pose(translation=(0.0, 0.0, 0.5))
    """
    tree = mech.tree_for(state)
    motions = tree.motion(state._x)
    return {name: Pose.from_row(motions[k]) for name, k in tree.row_of.items()}


def body_twists(mech: Mechanism, state: State) -> Mapping[str, Array]:
    """(6,) of every body: angular velocity, then velocity of the body's origin, in world axes."""
    tree = mech.tree_for(state)
    motions = tree.motion(state._x)
    return {name: motions[k, POSE:] for name, k in tree.row_of.items()}


def frame_pose(mech: Mechanism, state: State, frame: str) -> Pose:
    """The pose of a frame, or of a body, in the world."""
    tree = mech.tree_for(state)
    body, local = _place(mech, frame)
    return Pose.from_row(tree.motions_of(state._x, body)[0]) @ local


def frame_position(mech: Mechanism, state: State, frame: str) -> Array:
    """(3,): the position of a frame's, or of a body's, origin in the world."""
    return frame_pose(mech, state, frame).translation.copy()


def frame_twist(mech: Mechanism, state: State, frame: str) -> Array:
    """(6,): angular velocity of a frame, then velocity of its origin, in world axes."""
    mech.check_state(state)
    return jacobian(mech, state, frame) @ state._v


def jacobian(mech: Mechanism, state: State, frame: str) -> Array:
    """(6, nv) with J v = angular velocity over velocity of the origin of a frame, or of a body, in world axes.

    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("arm", rg.Inertia.rod(1.0, (0, 0, 0), (1, 0, 0)))
    >>> mech.add_joint("shoulder", rg.Revolute((0, 0, 1)), "world", "arm")
    >>> mech.add_frame("hand", "arm", rg.Pose(translation=(1, 0, 0)))
    >>> rg.jacobian(mech, mech.state(), "hand").ravel().tolist()
    [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    """
    tree = mech.tree_for(state)
    k, point = _row_and_point(mech, tree, frame)
    out = np.zeros((6, tree.nv))
    if k >= 0:
        entries.jacobian(tree.handle, state._q, k, point, out)
    return out


def jacobian_rate(mech: Mechanism, state: State, frame: str) -> Array:
    """(6, nv): dJ/dt along the motion, so that J v̇ + dJ/dt v is the acceleration of the frame."""
    tree = mech.tree_for(state)
    k, point = _row_and_point(mech, tree, frame)
    out = np.zeros((6, tree.nv))
    if k >= 0:
        entries.jacobian_rate(tree.handle, state._q, state._v, k, point, out)
    return out


def integrate(mech: Mechanism, q: ArrayLike, step: ArrayLike) -> Array:
    """Q ⊕ step: the position reached from q along a tangent vector, such as a velocity times a time.

    >>> import regraft as rg, numpy as np
    >>> mech = rg.Mechanism()
    >>> mech.add_body("top", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("ball", rg.Spherical(), "world", "top")
    >>> rg.integrate(mech, mech.state().q, [0, 0, np.pi]).round(12)
    array([0., 0., 0., 1.])
    """
    tree = mech.tree
    start, along = finite("q", q, (tree.nq,)), finite("step", step, (tree.nv,))
    out = np.empty(tree.nq)
    entries.integrate(tree.walk, start, along, out)
    return out


def difference(mech: Mechanism, q1: ArrayLike, q0: ArrayLike) -> Array:
    """q1 ⊖ q0: the shortest tangent vector that leads from q0 to q1, so that q0 ⊕ (q1 ⊖ q0) = q1."""
    tree = mech.tree
    end, start = finite("q1", q1, (tree.nq,)), finite("q0", q0, (tree.nq,))
    out = np.empty(tree.nv)
    entries.difference(tree.walk, end, start, out)
    return out


def normalise(mech: Mechanism, q: ArrayLike) -> Array:
    """The valid position nearest to q: quaternions get their unit length back."""
    tree = mech.tree
    out = finite("q", q, (tree.nq,))
    entries.normalise(tree.walk, out)
    return out


def place_of(mech: Mechanism, frame: str) -> tuple[str, Pose] | None:
    """The body that carries a frame and the frame's pose on it, None where there is none; a body is a frame too."""
    if frame in mech.frames:
        found = mech.frames[frame]
        return found.body, found.pose
    return (frame, Pose()) if frame == WORLD or frame in mech.bodies else None


def _place(mech: Mechanism, frame: str) -> tuple[str, Pose]:
    found = place_of(mech, frame)
    if found is not None:
        return found
    raise ModelError(f"there is no frame or body {frame!r}; add it with add_frame.")


def _row_and_point(mech: Mechanism, tree: Tree, frame: str) -> tuple[int, Array]:
    body, local = _place(mech, frame)
    if body == WORLD:
        return -1, np.zeros(3)
    point: Any = tree.point(body, local.translation)
    return tree.row_of[body], point
