"""What lies on a plane: balls and points, ellipsoids, and the ends of cylinders. The plane is z = 0 of its frame, solid below."""

from __future__ import annotations

import math

from ....algebra.scalars import Scalar, reciprocal, square_root
from ....algebra.spatial import Transform, Vector, add, axis_z, dot, rotate, rotate_back, scale, subtract
from ....compilation import inline
from ....tolerances import RIM_TILTED, RIM_UPRIGHT
from .directions import turned


@inline
def sphere_plane(X_a: Transform, radius: float, X_b: Transform) -> tuple[Scalar, Vector, Vector]:
    """A ball, or a point where the radius is 0."""
    n = axis_z(X_b[0])
    point = subtract(X_a[1], scale(radius, n))
    return dot(n, subtract(point, X_b[1])), n, point


@inline
def ellipsoid_plane(X_a: Transform, x: float, y: float, z: float, X_b: Transform) -> tuple[Scalar, Vector, Vector]:
    """An ellipsoid with these radii: the point whose tangent plane is parallel, D² n / |D n| below its centre."""
    n = axis_z(X_b[0])
    m = rotate_back(X_a[0], n)
    reach = square_root((x * m[0]) * (x * m[0]) + (y * m[1]) * (y * m[1]) + (z * m[2]) * (z * m[2]))
    s = -reciprocal(reach)
    point = add(X_a[1], rotate(X_a[0], (s * (x * x) * m[0], s * (y * y) * m[1], s * (z * z) * m[2])))
    return dot(n, subtract(X_a[1], X_b[1])) - reach, n, point


@inline
def rim_plane(X_a: Transform, radius: float, X_b: Transform) -> tuple[Scalar, Vector, Vector]:
    """The lowest point of a circle about the z axis a of its frame: c − r w/|w|, w = n − (n · a) a.

    A circle that lies flat has no lowest point; there w is 0 and the point goes to the centre, within the angle ε. With
    l² = w² + 4 ε² the gap is n · c − r w²/l, which is that of the circle both where it lies flat and where it is tilted, and the
    point is c − r (w² + 8 ε²) w/l³: so the gap has exactly the rate n · v of that point, at any tilt.
    """
    n, axis = axis_z(X_b[0]), axis_z(X_a[0])
    w = subtract(n, scale(dot(n, axis), axis))
    squared, small = dot(w, w), 4.0 * RIM_UPRIGHT * RIM_UPRIGHT
    short = reciprocal(square_root(squared + small))
    point = subtract(X_a[1], scale(radius * (squared + 2.0 * small) * (short * short * short), w))
    return dot(n, subtract(X_a[1], X_b[1])) - radius * (squared * short), n, point


@inline
def flat_plane(X_a: Transform, radius: float, x: float, y: float, X_b: Transform) -> tuple[Scalar, Vector, Vector]:
    """A point (x, y, 0) of a circle, for a circle that lies flat: r w² farther away where it is tilted.

    So a rim that rolls is not touched by the points that it stands on. Flat, w and its rate are 0, and this is a material point.
    """
    n, axis = axis_z(X_b[0]), axis_z(X_a[0])
    w = subtract(n, scale(dot(n, axis), axis))
    point = add(X_a[1], turned(X_a[0], x, y, 0.0))
    return dot(n, subtract(point, X_b[1])) + radius * dot(w, w), n, point


@inline
def beyond_flat(X_a: Transform, radius: float, X_b: Transform) -> float:
    """How much more a circle is tilted than one that stands on its points, in metres at its rim; negative while it lies flat.

    The lowest of these points may be where the rim is lowest, and then both would be held at once, though r w² apart.
    """
    n, axis = axis_z(X_b[0]), axis_z(X_a[0])
    w = subtract(n, scale(dot(n, axis), axis))
    return radius * (math.sqrt(dot(w, w)) - RIM_TILTED)
