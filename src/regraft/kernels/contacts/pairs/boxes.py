"""Balls and points on boxes.

The sides of a box have the numbers 1 to 6: 1 + 2 × the number of the axis across them, and 1 more at its positive end.
"""

from __future__ import annotations

import math

from ....algebra.scalars import Scalar, one, zero
from ....algebra.spatial import Transform, Vector, rotate, rotate_back, scale, subtract
from ....compilation import inline
from ....tolerances import TOUCHING
from .directions import clamped, direction_of, size_of_number


@inline
def sphere_box(
    X_a: Transform, radius: float, X_b: Transform, x: float, y: float, z: float, side: int
) -> tuple[Scalar, Vector, Vector]:
    """A ball and a box with these half lengths: by the nearest point of the box, on a face, an edge or a corner.

    A centre within the box belongs to the face that it is least behind. What is on a given side is so beyond its edges too.
    """
    c = rotate_back(X_b[0], subtract(X_a[1], X_b[1]))
    beyond = (size_of_number(c[0]) - x, size_of_number(c[1]) - y, size_of_number(c[2]) - z)
    if side != 0:
        distance, m = _on_side(c, x, y, z, side)
    elif int(beyond[0].real > 0.0) + int(beyond[1].real > 0.0) + int(beyond[2].real > 0.0) > 1:  # nearest to an edge or a corner
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


@inline
def _on_side(c: Vector, x: float, y: float, z: float, side: int) -> tuple[Scalar, Vector]:
    """How far a point is in front of a side, and the direction across it."""
    i, o = one(c[0]), zero(c[0])
    sign = 1.0 if side % 2 == 0 else -1.0
    if side <= 2:
        return sign * c[0] - x, (sign * i, o, o)
    if side <= 4:
        return sign * c[1] - y, (o, sign * i, o)
    return sign * c[2] - z, (o, o, sign * i)


@inline
def beyond_box_side(c: Vector, x: float, y: float, z: float, side: int) -> float:
    """How far a point, in the frame of a box, is beyond the nearest edge of a side; negative while it is over the side."""
    beyond_x, beyond_y, beyond_z = abs(c[0]) - x, abs(c[1]) - y, abs(c[2]) - z
    if side <= 2:
        return max(beyond_y, beyond_z)
    return max(beyond_x, beyond_z) if side <= 4 else max(beyond_x, beyond_y)


@inline
def box_side(c: Vector, v: Vector, x: float, y: float, z: float) -> int:
    """The side that a point at c touches: of those that it is nearest to, the one that it leaves fastest, with its velocity v.

    At an edge it is outside as long as it is outside of one of the sides that meet there.
    """
    beyond = (abs(c[0]) - x, abs(c[1]) - y, abs(c[2]) - z)
    most, fastest, found = max(beyond[0], beyond[1], beyond[2]), -math.inf, 0
    for axis in range(3):
        k = beyond[0] if axis == 0 else (beyond[1] if axis == 1 else beyond[2])
        at = c[0] if axis == 0 else (c[1] if axis == 1 else c[2])
        speed = v[0] if axis == 0 else (v[1] if axis == 1 else v[2])
        speed = speed if at >= 0.0 else -speed
        if k >= most - TOUCHING and speed > fastest:
            fastest, found = speed, 1 + 2 * axis + (1 if at >= 0.0 else 0)
    return found
