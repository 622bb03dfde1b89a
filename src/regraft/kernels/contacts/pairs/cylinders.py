"""Balls and points on cylinders, which are about the z axis of their frame."""

from __future__ import annotations

from ....algebra.scalars import Scalar, one, zero
from ....algebra.spatial import Transform, Vector, rotate, rotate_back, scale, subtract
from ....compilation import inline
from .directions import direction_of, size_of_number


@inline
def sphere_cylinder(
    X_a: Transform, radius: float, X_b: Transform, of_cylinder: float, half: float
) -> tuple[Scalar, Vector, Vector]:
    """A ball and a cylinder: by the nearest point of the cylinder, on its side, an end or a rim.

    A centre within the cylinder belongs to the side or the end that it is least behind.
    """
    c = rotate_back(X_b[0], subtract(X_a[1], X_b[1]))
    i, o = one(c[0]), zero(c[0])
    across, out = direction_of((c[0], c[1], o), (i, o, o))
    up = (o, o, i if c[2].real >= 0.0 else -i)
    beside, above = across - of_cylinder, size_of_number(c[2]) - half
    if beside.real > 0.0 and above.real > 0.0:
        distance, m = direction_of((beside * out[0], beside * out[1], above * up[2]), up)
    elif beside.real >= above.real:
        distance, m = beside, out
    else:
        distance, m = above, up
    n = rotate(X_b[0], m)
    return distance - radius, n, subtract(X_a[1], scale(radius, n))
