"""Spherical joint: any rotation. q is a unit quaternion, v the angular velocity in the child's frame."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.rotations import (
    Quaternion,
    conjugate,
    exp_quaternion,
    log_quaternion,
    quaternion_product,
    quaternion_rate,
    quaternion_rotation,
    rate_of_vector,
    rotation_quaternion,
    unit_quaternion,
    unwound,
)
from ..algebra.scalars import Scalar, angle, one, square_root, where_less, zero
from ..algebra.spatial import Motion, Transform, Vector, axis_x, axis_y, axis_z, cross, dot, scale, spatial, zero_vector
from ..compilation import inline
from ..errors import ModelError
from ..tolerances import TINY
from .contract import Array, JointKernels, JointType
from .settings import BOUNDING, refuse_to_reverse, same


@inline
def transform(_par: tuple[float, ...], q: Quaternion) -> Transform:
    return quaternion_rotation(q), zero_vector(q[0])


@inline
def turning_axes(X: Transform) -> tuple[Motion, Motion, Motion]:
    """The screws of rotations about the three axes of a frame."""
    R, p = X
    x, y, z = axis_x(R), axis_y(R), axis_z(R)
    return spatial(x, cross(p, x)), spatial(y, cross(p, y)), spatial(z, cross(p, z))


@inline
def columns(_par: tuple[float, ...], _q: Quaternion, X: Transform) -> tuple[Motion, Motion, Motion]:
    return turning_axes(X)


@inline
def nearest(_par: tuple[float, ...], X: Transform) -> Quaternion:
    return rotation_quaternion(X[0])


@inline
def integrate(q: Quaternion, d: Vector) -> Quaternion:
    return quaternion_product(q, exp_quaternion(d))


@inline
def difference(q1: Quaternion, q0: Quaternion) -> Vector:
    return log_quaternion(quaternion_product(conjugate(q0), q1))


@inline
def limit(q: Quaternion) -> tuple[Scalar, Vector]:
    """The angle of the whole rotation; it grows at the rate of the velocity about the axis of the rotation."""
    i = one(q[0])
    sign = where_less(q[0], zero(q[0]), -i, i)  # of a rotation's two quaternions the one with the smaller angle
    axis = (sign * q[1], sign * q[2], sign * q[3])
    r = square_root(dot(axis, axis) + TINY)
    return 2.0 * angle(r, sign * q[0]), scale(i / r, axis)


def unit_length(q: Array) -> Array:
    """A quaternion of length 1; NaN from one of no length."""
    length = float(np.linalg.norm(q))
    return q / length if length > 0.0 else np.full_like(q, np.nan)


class Spherical(JointType):
    """A ball joint: any rotation. q is a unit quaternion (w, x, y, z).

    v is the angular velocity of the child relative to the parent, in the child's frame.

    Parameters
    ----------
    **settings
        As `JointType` has them; limits bound the angle of the whole rotation, which is never negative: ``limits=(-inf, 1.0)``.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Spherical().neutral()
    array([1., 0., 0., 0.])
    """

    nq, nv, limited, quaternion = 4, 3, 1, 0
    kernels = JointKernels(
        transform, columns, nearest,
        integrate=integrate, rate=quaternion_rate, tangent=rate_of_vector, pull=unwound, difference=difference,
        normalise=unit_quaternion, limit=limit,
    )  # fmt: skip
    __slots__ = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        if self.limits is not None and not (self.limits.upper[0] >= 0.0 and self.limits.lower[0] <= math.pi):
            raise ModelError(
                f"Spherical: no rotation has an angle from {self.limits.lower[0]:g} to {self.limits.upper[0]:g}; the angle of a "
                "whole rotation, which this limit bounds, is from 0 to π: limits=(-inf, 1.0)."
            )

    def neutral(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def normalised(self, q: Array) -> Array:
        return unit_length(q)

    def reversed(self) -> JointType:
        unlike = [what for what in ("damping", "armature") if not same(getattr(self, what))]
        unlike += ["stiffness"] * (not same(self.stiffness) and not np.array_equal(self.rest, self.neutral()))
        unlike += ["friction"] * bool(self.friction.any())
        refuse_to_reverse("Spherical", unlike + [what for what in BOUNDING if np.isfinite(getattr(self, what)).any()])
        return self.with_settings(rest=self.reverse(self.rest))  # the angle of a rotation is that of its inverse

    def reverse(self, q: ArrayLike) -> Array:
        return np.asarray(q, float) * (1.0, -1.0, -1.0, -1.0)
