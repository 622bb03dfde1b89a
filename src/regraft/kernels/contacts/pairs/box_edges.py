"""The edges of a box on a corner of a profile that sticks out, which is an edge too, along the y axis of the profile's frame.

Seen along y the box is a polygon whose sides are edges of the box, and the profile's edge is a point. f is how far the point is
beyond the side that it is farthest beyond: 0 where they touch, negative within. An edge of the box that the point is d beyond has
the gap f + |d − f|: it touches only where no other side keeps the point outside. A face that lies on the profile's edge does so
with two edges.
"""

from __future__ import annotations

import math

from ....algebra.scalars import Scalar, reciprocal, square_root, zero
from ....algebra.spatial import Transform, Vector, add, axis_x, axis_y, axis_z, dot, rotate, rotate_back, scale, subtract
from ....compilation import inline
from ....tolerances import SEEN_END_ON
from .directions import size_of_number


@inline
def box_vertex(
    X_a: Transform, x: float, y: float, z: float, edge: float, X_b: Transform, at_x: float, at_z: float
) -> tuple[Scalar, Vector, Vector]:
    """An edge of a box with these half lengths, and a corner (x, z) of a profile.

    The edge's number is 4 times that of its axis, plus 1 where it is at the positive end of the next axis, plus 2 where it is at
    that of the one after.
    """
    point, u, v, w = picture(X_a, x, y, z, X_b, at_x, at_z)
    f = _farther(_farther(beyond_side(point, u, v, w), beyond_side(point, v, w, u)), beyond_side(point, w, u, v))
    number = int(edge)
    second = 1.0 if number % 2 else -1.0
    third = 1.0 if number % 4 >= 2 else -1.0
    if number < 4:
        gap, n, place = edge_beyond(point, u, scale(second, v), scale(third, w), f)
    elif number < 8:
        gap, n, place = edge_beyond(point, v, scale(second, w), scale(third, u), f)
    else:
        gap, n, place = edge_beyond(point, w, scale(second, u), scale(third, v), f)
    return gap, rotate(X_b[0], n), add(X_a[1], rotate(X_b[0], place))


@inline
def picture(
    X_a: Transform, x: float, y: float, z: float, X_b: Transform, at_x: float, at_z: float
) -> tuple[Vector, Vector, Vector, Vector]:
    """The profile's corner from the middle of the box, and the half edges of the box, in the axes of the profile."""
    middle = rotate_back(X_b[0], subtract(X_a[1], X_b[1]))
    u = scale(x, rotate_back(X_b[0], axis_x(X_a[0])))
    v = scale(y, rotate_back(X_b[0], axis_y(X_a[0])))
    w = scale(z, rotate_back(X_b[0], axis_z(X_a[0])))
    return (at_x - middle[0], zero(middle[0]), at_z - middle[2]), u, v, w


@inline
def beyond_edge(X_a: Transform, x: float, y: float, z: float, edge: float, X_b: Transform, at_x: float, at_z: float) -> float:
    """How far a corner of a profile is beyond the ends of the side of a box that an edge is on; negative while it is beside it.

    There another side is the one that it is farthest beyond.
    """
    point, u, v, w = picture(X_a, x, y, z, X_b, at_x, at_z)
    if edge < 4.0:
        return ends_beyond(point, u, v, w)
    if edge < 8.0:
        return ends_beyond(point, v, w, u)
    return ends_beyond(point, w, u, v)


@inline
def ends_beyond(point: Vector, u: Vector, v: Vector, w: Vector) -> float:
    """How much farther a point of the picture is beyond the sides along v and w than beyond those along u."""
    farthest = -math.inf
    if not is_seen_end_on(v):
        farthest = beyond_side(point, v, w, u)
    if not is_seen_end_on(w):
        farthest = max(farthest, beyond_side(point, w, u, v))
    return farthest - beyond_side(point, u, v, w)


@inline
def is_seen_end_on(u: Vector) -> bool:
    """Whether a half edge is a point of the picture."""
    return (u[0] * u[0] + u[2] * u[2]).real <= SEEN_END_ON * dot(u, u).real


@inline
def side_normal(u: Vector) -> tuple[Scalar, Vector]:
    """The square of the length that a half edge has in the picture, and a direction of the picture at right angles to it."""
    squared = u[0] * u[0] + u[2] * u[2]
    o = zero(squared)
    if squared.real == 0.0:  # along the line of sight
        return squared, (o, o, o + 1.0)
    s = reciprocal(square_root(squared))
    return squared, (-u[2] * s, o, u[0] * s)


@inline
def beyond_side(point: Vector, u: Vector, v: Vector, w: Vector) -> Scalar:
    """How far a point of the picture is beyond the sides along u, of the polygon whose half edges are u, v and w."""
    _, n = side_normal(u)
    return size_of_number(dot(n, point)) - size_of_number(dot(n, v)) - size_of_number(dot(n, w))


@inline
def edge_beyond(point: Vector, u: Vector, v: Vector, w: Vector, f: Scalar) -> tuple[Scalar, Vector, Vector]:
    """Gap, normal into the box and place, from its middle, for the edge along u through v + w."""
    squared, n = side_normal(u)
    at = add(v, w)
    reach = dot(n, at)
    out = scale(1.0 if reach.real >= 0.0 else -1.0, n)
    away = dot(out, point)
    d = away - size_of_number(reach)
    gap = f + size_of_number(d - f)
    if away.real < 0.0:  # on the other side of the box
        gap = gap + 2.0 * size_of_number(away)
    t = zero(squared)
    if is_seen_end_on(u):  # the sides that end there touch, not the edge
        gap = gap + square_root(dot(at, at))
    else:
        t = ((point[0] - at[0]) * u[0] + (point[2] - at[2]) * u[2]) * reciprocal(squared)
    return gap, scale(-1.0, out), add(at, scale(t, u))


@inline
def _farther(a: Scalar, b: Scalar) -> Scalar:
    return a if a.real >= b.real else b
