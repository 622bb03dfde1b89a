"""Balls and capsules on a profile: straight pieces and corners in the plane x, z of its frame, the same at every y.

Each straight piece and each corner that sticks out is a pair of its own. Between the ends of a piece, and where a corner is
nearest, gaps are distances; beyond its ends the gap of a piece grows by twice the way, so that it is never less than the distance
and the corner takes over. Below the ground two pieces part where the angle between them is halved; where there is another side,
as of a wall, a piece ends half way to it.
"""

from __future__ import annotations

from typing import Any

from ....algebra.memory import load_vector
from ....algebra.scalars import Scalar, lift, reciprocal, zero
from ....algebra.spatial import Transform, Vector, add, axis_z, rotate_back, scale, subtract
from ....compilation import inline
from ..tables import ALONG, LOWER_END, START
from .directions import clamped, direction_of, turned


@inline
def sphere_segment(X_a: Transform, radius: float, X_b: Transform, profiles: Any, at: int) -> tuple[Scalar, Vector, Vector]:
    """A ball, or a point, and a straight piece."""
    start, along = load_vector(profiles, at + START, 2), load_vector(profiles, at + ALONG, 2)
    lower, upper, lower_slant, upper_slant, deep = load_vector(profiles, at + LOWER_END, 5)
    c = rotate_back(X_b[0], subtract(X_a[1], X_b[1]))
    x, z = c[0] - start[0], c[2] - start[1]
    s, d = along[0] * x + along[1] * z, along[0] * z - along[1] * x
    depth = d if d.real < 0.0 else zero(d)
    n = turned(X_b[0], -along[1], 0.0, along[0])
    gap = d - radius + 2.0 * (_positive(s - upper - upper_slant * depth) + _positive(lower - s - lower_slant * depth))
    gap = gap + 2.0 * _positive(-depth - max(0.25 * deep - radius, 0.0))
    return gap, n, subtract(X_a[1], scale(radius, n))


@inline
def beyond_segment(X_a: Transform, X_b: Transform, profiles: Any, at: int) -> float:
    """How far a ball is beyond the nearer end of a straight piece; negative while it is over the piece."""
    start, along = load_vector(profiles, at + START, 2), load_vector(profiles, at + ALONG, 2)
    lower, upper, lower_slant, upper_slant = load_vector(profiles, at + LOWER_END, 4)
    c = rotate_back(X_b[0], subtract(X_a[1], X_b[1]))
    x, z = c[0] - start[0], c[2] - start[1]
    s, depth = along[0] * x + along[1] * z, min(along[0] * z - along[1] * x, 0.0)
    return max(s - upper - upper_slant * depth, lower - s - lower_slant * depth)


@inline
def above_segment(X_a: Transform, radius: float, X_b: Transform, profiles: Any, at: int) -> float:
    """How far a ball is above the line of a straight piece: never more than its gap, and it changes no faster than the ball."""
    start, along = load_vector(profiles, at + START, 2), load_vector(profiles, at + ALONG, 2)
    c = rotate_back(X_b[0], subtract(X_a[1], X_b[1]))
    return along[0] * (c[2] - start[1]) - along[1] * (c[0] - start[0]) - radius


@inline
def leaving_segment(c: Vector, v: Vector, profiles: Any, at: int) -> tuple[float, float]:
    """How far the point c, which moves at v, is beyond the nearer end of a straight piece, and how fast it goes there."""
    start, along = load_vector(profiles, at + START, 2), load_vector(profiles, at + ALONG, 2)
    ends = load_vector(profiles, at + LOWER_END, 2)
    s, rate = along[0] * (c[0] - start[0]) + along[1] * (c[2] - start[1]), along[0] * v[0] + along[1] * v[2]
    if s - ends[1] > ends[0] - s:
        return s - ends[1], rate
    return ends[0] - s, -rate


@inline
def _positive(x: Scalar) -> Scalar:
    return x if x.real > 0.0 else zero(x)


@inline
def sphere_vertex(X_a: Transform, radius: float, X_b: Transform, x: float, z: float) -> tuple[Scalar, Vector, Vector]:
    """A ball and a corner that sticks out."""
    c = rotate_back(X_b[0], subtract(X_a[1], X_b[1]))
    o = zero(c[0])
    distance, m = direction_of((c[0] - x, o, c[2] - z), (o, o, lift(1.0, o)))
    n = turned(X_b[0], m[0], m[1], m[2])
    return distance - radius, n, subtract(X_a[1], scale(radius, n))


@inline
def capsule_vertex(
    X_a: Transform, radius: float, half: float, X_b: Transform, x: float, z: float
) -> tuple[Scalar, Vector, Vector]:
    """A capsule and a corner that sticks out: the point of its axis that is nearest to the edge."""
    c, u = rotate_back(X_b[0], subtract(X_a[1], X_b[1])), rotate_back(X_b[0], axis_z(X_a[0]))
    across = u[0] * u[0] + u[2] * u[2]
    s = zero(across)  # for an axis along the edge
    if across.real != 0.0:
        s = clamped(((x - c[0]) * u[0] + (z - c[2]) * u[2]) * reciprocal(across), half)
    return sphere_vertex((X_a[0], add(X_a[1], scale(s, axis_z(X_a[0])))), radius, X_b, x, z)
