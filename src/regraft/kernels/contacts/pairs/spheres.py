"""Balls on balls, and within them."""

from __future__ import annotations

from ....algebra.scalars import Scalar
from ....algebra.spatial import Transform, Vector, axis_z, scale, subtract
from ....compilation import inline
from .directions import direction_of


@inline
def sphere_sphere(X_a: Transform, radius_a: float, X_b: Transform, radius_b: float) -> tuple[Scalar, Vector, Vector]:
    """Two balls, one of which may be a point."""
    distance, n = direction_of(subtract(X_a[1], X_b[1]), axis_z(X_b[0]))
    return distance - (radius_a + radius_b), n, subtract(X_a[1], scale(radius_a, n))


@inline
def sphere_hollow(X_a: Transform, radius_a: float, X_b: Transform, radius_b: float) -> tuple[Scalar, Vector, Vector]:
    """A ball, or a point, within a hollow ball."""
    distance, n = direction_of(subtract(X_b[1], X_a[1]), axis_z(X_b[0]))
    return (radius_b - radius_a) - distance, n, subtract(X_a[1], scale(radius_a, n))
