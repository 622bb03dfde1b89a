"""Lengths and directions, for any scalar."""

from __future__ import annotations

from typing import Any

from ....algebra.scalars import Scalar, lift, reciprocal, square_root
from ....algebra.spatial import Rotation, Vector, dot, scale
from ....compilation import inline


@inline
def direction_of(a: Vector, otherwise: Vector) -> tuple[Scalar, Vector]:
    """The length of a vector and its direction; another direction where it has none."""
    squared = dot(a, a)
    if squared.real == 0.0:
        return 0.0 * squared, otherwise
    length = square_root(squared)
    return length, scale(reciprocal(length), a)


@inline
def clamped(x: Scalar, most: float) -> Scalar:
    """The number nearest to x from −most to most."""
    if x.real > most:
        return lift(most, x)
    if x.real < -most:
        return lift(-most, x)
    return x


@inline
def size_of_number(x: Scalar) -> Scalar:
    """|x|, continued to complex numbers by the sign of the real part."""
    return x if x.real >= 0.0 else -x


@inline
def turned(R: Rotation, x: Any, y: Any, z: Any) -> Vector:
    """R (x, y, z)."""
    return (R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z)


@inline
def tangents_of(n: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors at right angles to a unit vector n and to each other, with n = first × second.

    They are those of the least rotation from ±z to n: smooth but where n leaves the half-space about +z widened to 128°, and the
    axes x and y for the level ground. For a normal in the plane y = 0 the second one is ±y.
    """
    sign = 1.0 if n[2].real > _TURNS_OVER else -1.0
    a = -reciprocal(sign + n[2])
    b = n[0] * n[1] * a
    first = (1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0])
    return first, (b, sign + n[1] * n[1] * a, -n[1])


_TURNS_OVER = -0.618033988749895
"""Normals that point down more steeply have the tangents of −z. A number that no model is likely to have its normals at."""
