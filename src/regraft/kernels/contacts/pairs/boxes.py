"""Balls and points on boxes."""

from __future__ import annotations

from ....algebra.scalars import Scalar, one, zero
from ....algebra.spatial import Transform, Vector, rotate, rotate_back, scale, subtract
from ....compilation import inline
from .directions import clamped, direction_of, size_of_number


@inline
def sphere_box(X_a: Transform, radius: float, X_b: Transform, x: float, y: float, z: float) -> tuple[Scalar, Vector, Vector]:
    """A ball and a box with these half lengths: by the nearest point of the box, on a face, an edge or a corner.

    A centre within the box belongs to the face that it is least behind.
    """
    c = rotate_back(X_b[0], subtract(X_a[1], X_b[1]))
    beyond = (size_of_number(c[0]) - x, size_of_number(c[1]) - y, size_of_number(c[2]) - z)
    if int(beyond[0].real > 0.0) + int(beyond[1].real > 0.0) + int(beyond[2].real > 0.0) > 1:  # nearest to an edge or a corner
        away = (c[0] - clamped(c[0], x), c[1] - clamped(c[1], y), c[2] - clamped(c[2], z))
        distance, m = direction_of(away, away)
    else:
        distance, m = _nearest_face(c, beyond)
    n = rotate(X_b[0], m)
    return distance - radius, n, subtract(X_a[1], scale(radius, n))


@inline
def _nearest_face(c: Vector, beyond: Vector) -> tuple[Scalar, Vector]:
    i, o = one(c[0]), zero(c[0])
    if beyond[0].real >= beyond[1].real and beyond[0].real >= beyond[2].real:
        return beyond[0], (i if c[0].real >= 0.0 else -i, o, o)
    if beyond[1].real >= beyond[2].real:
        return beyond[1], (o, i if c[1].real >= 0.0 else -i, o)
    return beyond[2], (o, o, i if c[2].real >= 0.0 else -i)
