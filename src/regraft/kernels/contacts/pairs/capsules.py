"""Balls on capsules, and capsules on each other: the nearest points of their axes. A capsule is along the z axis of its frame."""

from __future__ import annotations

from ....algebra.scalars import Scalar, lift
from ....algebra.spatial import Transform, Vector, add, axis_x, axis_z, dot, scale, subtract
from ....compilation import inline
from ....tolerances import PARALLEL_AXES
from .directions import clamped, direction_of


@inline
def sphere_capsule(
    X_a: Transform, radius_a: float, X_b: Transform, radius_b: float, half: float
) -> tuple[Scalar, Vector, Vector]:
    """A ball, or a point, and a capsule."""
    axis = axis_z(X_b[0])
    s = clamped(dot(axis, subtract(X_a[1], X_b[1])), half)
    return round_pair(X_a[1], radius_a, add(X_b[1], scale(s, axis)), radius_b, axis_x(X_b[0]))


@inline
def round_pair(a: Vector, radius_a: float, b: Vector, radius_b: float, otherwise: Vector) -> tuple[Scalar, Vector, Vector]:
    """What is within a radius of a point each."""
    distance, n = direction_of(subtract(a, b), otherwise)
    return distance - (radius_a + radius_b), n, subtract(a, scale(radius_a, n))


@inline
def capsule_capsule(
    X_a: Transform, radius_a: float, half_a: float, X_b: Transform, radius_b: float, half_b: float
) -> tuple[Scalar, Vector, Vector]:
    """Two capsules. Parallel ones touch along a line; its middle is taken there."""
    u, v, apart = axis_z(X_a[0]), axis_z(X_b[0]), subtract(X_a[1], X_b[1])
    s, t = nearest_on_axes(dot(u, v), dot(u, apart), dot(v, apart), half_a, half_b)
    return round_pair(add(X_a[1], scale(s, u)), radius_a, add(X_b[1], scale(t, v)), radius_b, axis_x(X_b[0]))


@inline
def nearest_on_axes(c: Scalar, d: Scalar, e: Scalar, half_a: float, half_b: float) -> tuple[Scalar, Scalar]:
    """How far along two axes their nearest points are: s from −half_a to half_a, t from −half_b to half_b.

    With c the cosine between the axes, d and e what a's middle is ahead of b's along a's axis and along b's: s = c t − d and
    t = c s + e where neither is at an end.
    """
    across = 1.0 - c * c
    if across.real > PARALLEL_AXES:
        s = clamped((c * e - d) / across, half_a)
    else:  # a's part beside b: between where b's ends are along a
        low, high = -half_b - d.real, half_b - d.real
        s = lift(0.5 * (max(low, -half_a) + min(high, half_a)), c)
        s = clamped(s, half_a)
    t = c * s + e
    if t.real > half_b or t.real < -half_b:
        t = clamped(t, half_b)
        s = clamped(c * t - d, half_a)
    return s, t
