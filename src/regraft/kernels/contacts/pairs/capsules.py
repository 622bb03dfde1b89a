"""Balls on capsules, and capsules on each other. A capsule is along the z axis of its frame.

Two capsules touch with an end of one of them, which is a ball, or where they cross; on a line with the ends of that line, which
are ends of capsules too. Each of these is a pair of its own, and none is at the same place as another.
"""

from __future__ import annotations

from ....algebra.scalars import Scalar, reciprocal
from ....algebra.spatial import Transform, Vector, add, axis_x, axis_z, cross, dot, scale, subtract
from ....compilation import inline
from ....tolerances import PARALLEL_AXES
from .directions import clamped, direction_of, size_of_number


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
def sphere_rod(X_a: Transform, radius_a: float, X_b: Transform, radius_b: float, half: float) -> tuple[Scalar, Vector, Vector]:
    """A ball and the side of a capsule between its ends; beyond them the gap grows by twice the way."""
    axis = axis_z(X_b[0])
    s = dot(axis, subtract(X_a[1], X_b[1]))
    gap, n, point = round_pair(X_a[1], radius_a, add(X_b[1], scale(s, axis)), radius_b, axis_x(X_b[0]))
    beyond = size_of_number(s) - half
    return (gap + 2.0 * beyond if beyond.real > 0.0 else gap), n, point


@inline
def beyond_rod(X_a: Transform, X_b: Transform, half: float) -> float:
    """How far a ball is beyond the nearer end of the side of a capsule; negative while it is beside it."""
    return abs(dot(axis_z(X_b[0]), subtract(X_a[1], X_b[1]))) - half


@inline
def capsule_capsule(
    X_a: Transform, radius_a: float, half_a: float, X_b: Transform, radius_b: float, half_b: float
) -> tuple[Scalar, Vector, Vector]:
    """The sides of two capsules that cross: the nearest points of the lines that their axes are on.

    Where these are beyond an end the gap grows by twice the way, and where the axes are nearly parallel there is no crossing: the
    ends of the capsules touch there.
    """
    u, v, apart = axis_z(X_a[0]), axis_z(X_b[0]), subtract(X_a[1], X_b[1])
    sine, across = direction_of(cross(u, v), axis_x(X_b[0]))
    distance = dot(across, apart)
    sign = 1.0 if distance.real >= 0.0 else -1.0
    n = scale(sign, across)
    s, t = crossing(dot(u, v), sine, dot(u, apart), dot(v, apart))
    beyond = beyond_crossing(sine, s, t, half_a, half_b)
    gap = sign * distance - (radius_a + radius_b)
    return (gap + 2.0 * beyond if beyond.real > 0.0 else gap), n, subtract(add(X_a[1], scale(s, u)), scale(radius_a, n))


@inline
def crossing(c: Scalar, sine: Scalar, d: Scalar, e: Scalar) -> tuple[Scalar, Scalar]:
    """How far along two axes the nearest points of their lines are; the middles where they are parallel.

    With c the cosine between the axes, d and e what a's middle is ahead of b's along a's axis and along b's.
    """
    if sine.real == 0.0:
        return 0.0 * c, 0.0 * c
    scaled = reciprocal(sine * sine)
    return (c * e - d) * scaled, (e - c * d) * scaled


@inline
def beyond_crossing(sine: Scalar, s: Scalar, t: Scalar, half_a: float, half_b: float) -> Scalar:
    """How far the crossing is beyond an end of either capsule, or how much they are parallel; negative where they cross."""
    beyond, other = size_of_number(s) - half_a, size_of_number(t) - half_b
    beyond = beyond if beyond.real >= other.real else other
    parallel = (half_a + half_b) * (1.0 - sine / PARALLEL_AXES)
    return beyond if beyond.real >= parallel.real else parallel


@inline
def beyond_sides(X_a: Transform, half_a: float, X_b: Transform, half_b: float) -> float:
    """`beyond_crossing` of two capsules."""
    u, v, apart = axis_z(X_a[0]), axis_z(X_b[0]), subtract(X_a[1], X_b[1])
    turn = cross(u, v)
    sine = dot(turn, turn) ** 0.5
    s, t = crossing(dot(u, v), sine, dot(u, apart), dot(v, apart))
    return beyond_crossing(sine, s, t, half_a, half_b)
