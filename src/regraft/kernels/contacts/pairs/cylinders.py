"""Balls and points on cylinders, which are about the z axis of their frame.

Their sides have the numbers 1, which is round, 2, the lower end, and 3, the upper end.
"""

from __future__ import annotations

import math

from ....algebra.scalars import Scalar, one, zero
from ....algebra.spatial import Transform, Vector, rotate, rotate_back, scale, subtract
from ....compilation import inline
from ....tolerances import TOUCHING
from .directions import direction_of, size_of_number

_ROUND, _LOWER, _UPPER = 1, 2, 3


@inline
def sphere_cylinder(
    X_a: Transform, radius: float, X_b: Transform, of_cylinder: float, half: float, side: int
) -> tuple[Scalar, Vector, Vector]:
    """A ball and a cylinder: by the nearest point of the cylinder, on its side, an end or a rim.

    A centre within the cylinder belongs to the side or the end that it is least behind. What is on a given one is so beyond its
    rims too.
    """
    c = rotate_back(X_b[0], subtract(X_a[1], X_b[1]))
    i, o = one(c[0]), zero(c[0])
    across, out = direction_of((c[0], c[1], o), (i, o, o))
    up = (o, o, i if c[2].real >= 0.0 else -i)
    beside, above = across - of_cylinder, size_of_number(c[2]) - half
    if side == _ROUND:
        distance, m = beside, out
    elif side != 0:
        up = (o, o, i if side == _UPPER else -i)
        distance, m = c[2] * up[2] - half, up
    elif beside.real > 0.0 and above.real > 0.0:
        distance, m = direction_of((beside * out[0], beside * out[1], above * up[2]), up)
    elif beside.real >= above.real:
        distance, m = beside, out
    else:
        distance, m = above, up
    n = rotate(X_b[0], m)
    return distance - radius, n, subtract(X_a[1], scale(radius, n))


@inline
def beyond_cylinder_side(c: Vector, of_cylinder: float, half: float, side: int) -> float:
    """How far a point, in the frame of a cylinder, is beyond the rim of a side; negative while it is over the side."""
    return abs(c[2]) - half if side == _ROUND else math.hypot(c[0], c[1]) - of_cylinder


@inline
def cylinder_side(c: Vector, v: Vector, of_cylinder: float, half: float) -> int:
    """The side that a point at c touches, with its velocity v; see `boxes.box_side`."""
    across = math.hypot(c[0], c[1])
    beside, above = across - of_cylinder, abs(c[2]) - half
    end = _UPPER if c[2] >= 0.0 else _LOWER
    if abs(beside - above) > TOUCHING:
        return _ROUND if beside > above else end
    out = (c[0] * v[0] + c[1] * v[1]) / across if across > 0.0 else 0.0
    return _ROUND if out >= (v[2] if c[2] >= 0.0 else -v[2]) else end
