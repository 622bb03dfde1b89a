"""One joint by itself, called from Python: its pose and screws, and the inverse joint problem (S1 eqs. 21–22)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.memory import load, load_pose, load_vector, store, store_pose
from ..algebra.pose import POSE, Pose
from ..algebra.rotations import identity_pose
from ..algebra.scalars import Scalar, reciprocal, square_root
from ..algebra.spatial import (
    Motion,
    Rotation,
    Transform,
    Vector,
    add,
    angular,
    compose,
    cross,
    invert,
    linear,
    minus,
    plus_times,
    power,
    rotate_back,
    spatial,
    subtract,
    times,
)
from ..compilation import Floats, Table, entry, inline
from ..tolerances import ROUNDING
from .contract import JointType, padded_parameters
from .dispatch import parameters
from .registry import joint_columns, joint_nearest, joint_rates, joint_transform, kind_of

Array = NDArray[np.float64]


_TURN = 2.0 * math.pi


# --- from numbers to poses and screws ----------------------------------------------------------------------------------


@entry
def _relative_pose(kind: int, par: Table, q: Floats, out: Table) -> None:
    store_pose(out, 0, joint_transform(kind, parameters(par, 0, 0, 0.0), q, 0))


@entry
def _screws(kind: int, par: Table, q: Floats, out: Table) -> None:
    joint_columns(kind, parameters(par, 0, 0, 0.0), q, 0, identity_pose(0.0), out, 0, 0)


@entry
def _screw_rates(kind: int, par: Table, q: Floats, v: Floats, out: Table) -> None:
    joint_rates(kind, parameters(par, 0, 0, 0.0), q, 0, v, identity_pose(0.0), out, 0, 0)


def relative_pose(joint: JointType, q: Array) -> Pose:
    """The pose of the child's joint frame in the parent's at the joint position q."""
    out = np.empty((1, POSE))
    _relative_pose(*_described(joint), q, out)
    return Pose.from_row(out[0])


def screws(joint: JointType, q: Array) -> Array:
    """The joint's columns at q, as rows (nv, 6), in the axes and about the origin of its child's frame."""
    out = np.empty((joint.nv, 6))
    _screws(*_described(joint), q, out)
    return out


def screw_rates(joint: JointType, q: Array, v: Array) -> Array:
    """How the joint's columns change at q and v, as rows (nv, 6), in the axes and about the origin of its child's frame."""
    out = np.zeros((joint.nv, 6))
    if joint.kernels.rates is not None:
        _screw_rates(*_described(joint), q, v, out)
    return out


# --- from poses and twists to numbers ----------------------------------------------------------------------------------


@inline
def nearest_position(kind: int, par: Any, X: Transform, q: Any, rounding: float) -> float:
    """Fill q with the position nearest to a relative pose; returns how far its own pose is from that.

    `rounding` is what rounding may have added to the translation of X, where that is a difference of larger ones.
    """
    joint_nearest(kind, parameters(par, 0, 0, 0.0), X, q, 0)
    R, p = joint_transform(kind, parameters(par, 0, 0, 0.0), q, 0)
    turned, moved = _largest_turn(R, X[0]), subtract(p, X[1])
    return max(turned, max(_largest(moved) - rounding, 0.0) / (1.0 + _largest(X[1])))


@inline
def _largest(a: Vector) -> Scalar:
    return max(abs(a[0]), abs(a[1]), abs(a[2]))


@inline
def _largest_turn(A: Rotation, B: Rotation) -> Scalar:
    first = max(abs(A[0] - B[0]), abs(A[1] - B[1]), abs(A[2] - B[2]))
    second = max(abs(A[3] - B[3]), abs(A[4] - B[4]), abs(A[5] - B[5]))
    return max(first, second, abs(A[6] - B[6]), abs(A[7] - B[7]), abs(A[8] - B[8]))


@inline
def nearest_velocity(kind: int, par: Any, q: Any, twist: Motion, v: Any, columns: Any) -> float:
    """Fill v with the least-squares fit of the joint's columns to a twist in the child's frame; returns what is left of it.

    By orthogonalisation of the columns, which stays exact where two of them are nearly parallel. `columns` is scratch (12, 6).
    """
    nv = v.shape[0]
    joint_columns(kind, parameters(par, 0, 0, twist[0]), q, 0, identity_pose(twist[0]), columns, 0, 0)
    left = twist
    for d in range(nv):  # row d becomes orthogonal to those before it; row 6 + d keeps its parts along them
        c = load(columns, d, 0, 6)
        for e in range(d):
            share = power(load(columns, e, 0, 6), c)
            columns[6 + d, e] = share
            c = plus_times(c, -share, load(columns, e, 0, 6))
        size = square_root(power(c, c))
        columns[6 + d, d] = size
        c = times(reciprocal(size), c)
        store(columns, d, 0, c)
        v[d] = power(c, left)
        left = plus_times(left, -v[d], c)
    finite = 0.0
    for d in range(nv - 1, -1, -1):
        finite += 0.0 * v[d].real  # NaN where v is not finite, which a comparison may forget
        v[d] /= columns[6 + d, d]
        for e in range(d):
            v[e] -= columns[6 + d, e] * v[d]
    return max(_largest(angular(left)), _largest(linear(left))) + finite


@inline
def frame_motion(motions: Any, places: Any, side: int) -> tuple[Transform, Motion]:
    """Pose of the joint's frame on one of the two bodies, and its twist at its origin in world axes."""
    body = load_pose(motions, side)
    twist = load(motions, side, POSE, 6)
    X = compose(body, load_pose(places, side))
    swept = cross(angular(twist), subtract(X[1], body[1]))
    return X, spatial(angular(twist), add(linear(twist), swept))


@entry
def _position(kind: int, par: Table, pose: Table, q: Floats) -> float:
    return nearest_position(kind, par, load_pose(pose, 0), q, 0.0)


@entry
def _velocity(kind: int, par: Table, q: Floats, twist: Floats, v: Floats) -> float:
    return nearest_velocity(kind, par, q, load_vector(twist, 0, 6), v, np.empty((12, 6)))


@inline
def settle_joint(kind: int, par: Any, motions: Any, places: Any, q: Any, v: Any, columns: Any) -> tuple[float, float, float]:
    """Fill q and v with the position and the velocity of a joint between two bodies; see `settle`.

    Returns what is left of the pose, what is left of the twist, and the size of the twist. `columns` is scratch (12, 6).
    """
    X_p, V_p = frame_motion(motions, places, 0)
    X_c, V_c = frame_motion(motions, places, 1)
    # far from the world's origin a difference of two positions has the rounding of both
    bodies = max(_largest(load(motions, 0, 9, 3)), _largest(load(motions, 1, 9, 3)))
    rounding = ROUNDING * max(bodies, _largest(X_p[1]), _largest(X_c[1]))
    gap = nearest_position(kind, par, compose(invert(X_p), X_c), q, rounding)
    # how the child's frame moves in the parent's, seen in the child's axes
    V = minus(V_c, spatial(angular(V_p), add(linear(V_p), cross(angular(V_p), subtract(X_c[1], X_p[1])))))
    twist = spatial(rotate_back(X_c[0], angular(V)), rotate_back(X_c[0], linear(V)))
    left = nearest_velocity(kind, par, q, twist, v, columns)
    swept = rounding * (_largest(angular(V_p)) + _largest(angular(V_c)))
    return gap, left - min(left, swept), max(_largest(angular(twist)), _largest(linear(twist)))


@entry
def _settle(kind: int, par: Table, motions: Table, places: Table, q: Floats, v: Floats) -> Any:
    return settle_joint(kind, par, motions, places, q, v, np.empty((12, 6)))


def position(joint: JointType, relative: Pose) -> tuple[Array, float]:
    """The joint position nearest to a relative pose, and how far its pose is from that (radians or metres by 1 + |p|)."""
    q = np.empty(joint.nq)
    gap = _position.call(*_described(joint), relative.row.reshape(1, POSE), q)
    return within_limits(joint, q), gap


def velocity(joint: JointType, q: Array, twist: Array) -> tuple[Array, float]:
    """The joint velocity nearest to a twist in the child's frame, and what is left of the twist."""
    v = np.empty(joint.nv)
    return v, _velocity(*_described(joint), q, twist, v)


class Settling:
    """`settle` for one joint type, with what the kernel takes of it at hand."""

    def __init__(self, joint: JointType) -> None:
        self._joint, self._described = joint, _described(joint)

    def __call__(self, motions: Array, places: Array) -> tuple[Array, Array, float, float]:
        """See `settle`."""
        joint = self._joint
        q, v = np.empty(joint.nq), np.empty(joint.nv)
        gap, left, size = _settle.call(*self._described, motions, places, q, v)
        return within_limits(joint, q), v, gap, left / (1.0 + size)


def settle(joint: JointType, motions: Array, places: Array) -> tuple[Array, Array, float, float]:
    """Position and velocity of a joint between two bodies in given motions (2, 18), its frames at given places on them (2, 12).

    With them two measures of what the joint cannot do: of the pose as in `position`, of the twist relative to 1 + its size.
    """
    return Settling(joint)(motions, places)


def within_limits(joint: JointType, q: Array) -> Array:
    """The same position, its angles counted from the whole turn that brings them within the joint's limits or nearest to them.

    Where there are none, the turn is that nearest to where the joint's spring is at rest.
    """
    limits = joint.limits
    if limits is not None:
        for c in joint.turns:
            q[c] = _nearest_turn(float(q[c]), limits.lower[c], limits.upper[c])
    elif joint.turns and any(joint.stiffness.tolist()):
        for c in joint.turns:
            q[c] += _TURN * round((joint.rest[c] - q[c]) / _TURN) if joint.stiffness[c] else 0.0
    return q


def _nearest_turn(angle: float, low: float, high: float) -> float:
    if not (angle < low or angle > high):
        return angle
    edge = low if angle < low else high
    near = angle + _TURN * round((edge - angle) / _TURN)
    return min((near - _TURN, near, near + _TURN), key=lambda x: (max(low - x, x - high, 0.0), abs(x - angle)))


def _described(joint: JointType) -> tuple[int, Array]:
    return kind_of(joint), np.array((padded_parameters(joint),))
