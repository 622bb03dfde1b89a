"""Contact points of bodies that are placed and moved: gap, normal, tangents and place in the world, and their rates.

A ball or a point on a plane, or on a straight piece of ground, does without complex numbers; `meeting` has all other pairs.
"""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import call_kernel
from ...algebra.spatial import Transform, Vector, angular, cross, rotate_back, scale, subtract
from ...compilation import Floats, IntegerTable, Table, entry, inline
from ..kinematics import place_bodies
from ..memory import model_at, work_at
from ..tables import KernelModel, Work
from .pairs.boxes import beyond_box_side
from .pairs.capsules import beyond_rod, beyond_sides
from .pairs.cylinders import beyond_cylinder_side
from .pairs.planes import beyond_flat, sphere_plane
from .pairs.profiles import above_segment, beyond_segment, sphere_segment
from .placing import first_row, first_shape, second_row, second_shape, store_meeting, twist_of, velocity_at
from .tables import (
    BOX_VERTEX,
    CAPSULE_CAPSULE,
    END_KERNEL,
    FLAT_PLANE,
    GAP_KERNEL,
    KIND,
    MEETING_KERNEL,
    SIDE,
    SPHERE_BOX,
    SPHERE_PLANE,
    SPHERE_ROD,
    SPHERE_SEGMENT,
    STEEPNESS,
    SWAPPED,
    TABLE,
)


@inline
def is_on_plane(points: Any, i: int) -> bool:
    """Whether point i is that of a ball, or of a point, on a plane or on a straight piece of one."""
    return points[i, KIND] == SPHERE_PLANE or points[i, KIND] == SPHERE_SEGMENT


@inline
def ball_on_plane(
    points: Any, profiles: Any, i: int, X_a: Transform, radius: float, X_b: Transform
) -> tuple[float, Vector, Vector]:
    """Gap, normal and place of such a point."""
    if points[i, KIND] == SPHERE_PLANE:
        return sphere_plane(X_a, radius, X_b)
    return sphere_segment(X_a, radius, X_b, profiles, points[i, TABLE])


@inline
def gap_of(model: KernelModel, work: Work, points: Any, shapes: Any, profiles: Any, i: int) -> float:
    """How far the shapes of point i are apart; after `place_bodies`."""
    if is_on_plane(points, i):
        X_a, size_a = first_shape(model, work, points, shapes, i)
        X_b, _ = second_shape(model, work, points, shapes, i)
        gap, _, _ = ball_on_plane(points, profiles, i, X_a, size_a[0], X_b)
        return gap
    tables = points.ctypes.data, shapes.ctypes.data, profiles.ctypes.data
    return call_kernel(points[i, GAP_KERNEL], (model.handle, tables[0], tables[1], tables[2], i))


@inline
def clearance_of(model: KernelModel, work: Work, points: Any, shapes: Any, profiles: Any, i: int) -> float:
    """STEEPNESS times a way that the shapes of point i have to go before they touch, at least; after `place_bodies`.

    The gap is one such number. That of a straight piece is steep beyond its ends alone, so what is over it is farther away.
    """
    gap, steep = gap_of(model, work, points, shapes, profiles, i), shapes[i, STEEPNESS]
    if points[i, KIND] == SPHERE_SEGMENT and steep < math.inf:
        X_a, size_a = first_shape(model, work, points, shapes, i)
        X_b, _ = second_shape(model, work, points, shapes, i)
        return max(gap, steep * above_segment(X_a, size_a[0], X_b, profiles, points[i, TABLE]))
    return gap


@inline
def beyond_end(model: KernelModel, work: Work, points: Any, shapes: Any, profiles: Any, i: int) -> float:
    """How far point i is beyond the end of the piece or side that it moves over; negative elsewhere. After `place_bodies`.

    Points that a flat end stands on end where it is tilted.

    There a gap that `grows_beyond` has a kink. What is closed goes on along the piece or the side up to the end
    of a step, and the guard that looks at this number ends it before.
    """
    if not has_end(points, i):
        return -math.inf
    if points[i, KIND] == BOX_VERTEX:
        return call_kernel(points[i, END_KERNEL], (model.handle, points.ctypes.data, shapes.ctypes.data, i))
    X_a, size_a = first_shape(model, work, points, shapes, i)
    X_b, size_b = second_shape(model, work, points, shapes, i)
    if points[i, KIND] == FLAT_PLANE:
        return beyond_flat(X_a, size_a[0], X_b)
    if points[i, KIND] == SPHERE_SEGMENT:
        return beyond_segment(X_a, X_b, profiles, points[i, TABLE])
    if points[i, KIND] == SPHERE_ROD:
        return beyond_rod(X_a, X_b, size_b[1])
    if points[i, KIND] == CAPSULE_CAPSULE:
        return beyond_sides(X_a, size_a[1], X_b, size_b[1])
    c = rotate_back(X_b[0], subtract(X_a[1], X_b[1]))
    if points[i, KIND] == SPHERE_BOX:
        return beyond_box_side(c, size_b[0], size_b[1], size_b[2], points[i, SIDE])
    return beyond_cylinder_side(c, size_b[0], size_b[1], points[i, SIDE])


@inline
def has_end(points: Any, i: int) -> bool:
    """Whether point i is on something that it may come to the end of."""
    return grows_beyond(points, i) or points[i, SIDE] != 0 or points[i, KIND] == FLAT_PLANE


@inline
def grows_beyond(points: Any, i: int) -> bool:
    """Whether the gap of point i grows beyond the end of what it is on, by twice `beyond_end`."""
    kind = points[i, KIND]
    return kind == SPHERE_SEGMENT or kind == SPHERE_ROD or kind == CAPSULE_CAPSULE or kind == BOX_VERTEX  # noqa: PLR1714


@inline
def meet_point(model: KernelModel, work: Work, points: Any, shapes: Any, profiles: Any, meetings: Any, i: int) -> None:
    """Fill row i of `meetings`: where the shapes of point i meet, in the world; after `place_bodies` and `move_bodies`.

    For a ball about c on a plane, which may move: n and c − r n, with the rates ω_b × n and v_a(c) − r ω_b × n.
    """
    if is_on_plane(points, i):
        X_a, size_a = first_shape(model, work, points, shapes, i)
        X_b, _ = second_shape(model, work, points, shapes, i)
        V_a, about_a = twist_of(model, work, first_row(points, i))
        V_b, _ = twist_of(model, work, second_row(points, i))
        gap, n, point = ball_on_plane(points, profiles, i, X_a, size_a[0], X_b)
        n_rate = cross(angular(V_b), n)
        point_rate = subtract(velocity_at(V_a, about_a, X_a[1]), scale(size_a[0], n_rate))
        store_meeting(meetings, i, points[i, SWAPPED], gap, n, point, n_rate, point_rate)
    else:
        tables = points.ctypes.data, shapes.ctypes.data, profiles.ctypes.data
        call_kernel(points[i, MEETING_KERNEL], (model.handle, tables[0], tables[1], tables[2], meetings.ctypes.data, i))


@entry
def gaps_at(handle: int, q: Floats, points: IntegerTable, shapes: Table, profiles: Floats, out: Floats) -> None:
    """The gaps of all points at q."""
    m, w = model_at(handle), work_at(handle, q)
    place_bodies(m, w, q)
    for i in range(points.shape[0]):
        out[i] = gap_of(m, w, points, shapes, profiles, i)
