"""Where two shapes of any kind meet: one switch over all pairs, and the kernels with it that `points` calls by address.

So contacts of balls and points with planes, which are most, need not wait until the other pairs are compiled. Rates are by the
complex step along the twists of both bodies, which is exact.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import table_at, vector_at
from ...algebra.scalars import Scalar
from ...algebra.spatial import Motion, Rotation, Transform, Vector, angular
from ...compilation import entry, inline
from ..memory import model_at, work_at
from .pairs.box_edges import beyond_edge, box_vertex
from .pairs.boxes import sphere_box
from .pairs.capsules import capsule_capsule, sphere_capsule, sphere_rod
from .pairs.cylinders import sphere_cylinder
from .pairs.planes import ellipsoid_plane, flat_plane, rim_plane, sphere_plane
from .pairs.profiles import capsule_vertex, sphere_segment, sphere_vertex
from .pairs.spheres import sphere_hollow, sphere_sphere
from .pairs.surfaces import sphere_surface
from .placing import first_row, first_shape, second_row, second_shape, store_meeting, twist_of, velocity_at
from .tables import (
    BOX_VERTEX,
    CAPSULE_CAPSULE,
    CAPSULE_VERTEX,
    ELLIPSOID_PLANE,
    FLAT_PLANE,
    KIND,
    MEETINGS,
    POINTS,
    RIM_PLANE,
    SHAPES,
    SIDE,
    SPHERE_BOX,
    SPHERE_CAPSULE,
    SPHERE_CYLINDER,
    SPHERE_HOLLOW,
    SPHERE_PLANE,
    SPHERE_ROD,
    SPHERE_SEGMENT,
    SPHERE_SPHERE,
    SPHERE_VERTEX,
    SWAPPED,
    TABLE,
)

_STEP = 1e-30  # of the complex step


@inline
def meet(
    kind: int, X_a: Transform, size_a: Any, X_b: Transform, size_b: Any, profiles: Any, at: int, side: int
) -> tuple[Scalar, Vector, Vector]:
    """Gap, normal from the second to the first, and place of contact of two shapes in the order of their pair.

    X_a and X_b are the poses of the shapes' frames about a common origin, the sizes four numbers each; `side` is SIDE.
    """
    if kind == SPHERE_PLANE:
        return sphere_plane(X_a, size_a[0], X_b)
    if kind == ELLIPSOID_PLANE:
        return ellipsoid_plane(X_a, size_a[0], size_a[1], size_a[2], X_b)
    if kind == RIM_PLANE:
        return rim_plane(X_a, size_a[0], X_b)
    if kind == FLAT_PLANE:
        return flat_plane(X_a, size_a[0], size_a[1], size_a[2], X_b)
    if kind == SPHERE_SPHERE:
        return sphere_sphere(X_a, size_a[0], X_b, size_b[0])
    if kind == SPHERE_HOLLOW:
        return sphere_hollow(X_a, size_a[0], X_b, size_b[0])
    if kind == SPHERE_CAPSULE:
        return sphere_capsule(X_a, size_a[0], X_b, size_b[0], size_b[1])
    if kind == CAPSULE_CAPSULE:
        return capsule_capsule(X_a, size_a[0], size_a[1], X_b, size_b[0], size_b[1])
    if kind == SPHERE_ROD:
        return sphere_rod(X_a, size_a[0], X_b, size_b[0], size_b[1])
    if kind == SPHERE_BOX:
        return sphere_box(X_a, size_a[0], X_b, size_b[0], size_b[1], size_b[2], side)
    if kind == SPHERE_SEGMENT:
        return sphere_segment(X_a, size_a[0], X_b, profiles, at)
    if kind == SPHERE_VERTEX:
        return sphere_vertex(X_a, size_a[0], X_b, size_b[0], size_b[1])
    if kind == CAPSULE_VERTEX:
        return capsule_vertex(X_a, size_a[0], size_a[1], X_b, size_b[0], size_b[1])
    if kind == BOX_VERTEX:
        return box_vertex(X_a, size_a[0], size_a[1], size_a[2], size_a[3], X_b, size_b[0], size_b[1])
    if kind == SPHERE_CYLINDER:
        return sphere_cylinder(X_a, size_a[0], X_b, size_b[0], size_b[1], side)
    return sphere_surface(X_a, size_a[0], X_b, at)


@entry
def gap_kernel(handle: int, points: int, shapes: int, profiles: int, i: int) -> float:
    """The gap of point i; `points`, `shapes` and `profiles` are the addresses of the tables."""
    model, work = model_at(handle), work_at(handle, 0.0)
    rows, numbers = table_at(points, i + 1, POINTS, 0), table_at(shapes, i + 1, SHAPES, 0.0)
    X_a, size_a = first_shape(model, work, rows, numbers, i)
    X_b, size_b = second_shape(model, work, rows, numbers, i)
    gap, _, _ = meet(rows[i, KIND], X_a, size_a, X_b, size_b, vector_at(profiles, 1), rows[i, TABLE], rows[i, SIDE])
    return gap


@entry
def end_kernel(handle: int, points: int, shapes: int, i: int) -> float:
    """How far point i, an edge of a box on an edge of a profile, is beyond the ends of its side."""
    model, work = model_at(handle), work_at(handle, 0.0)
    rows, numbers = table_at(points, i + 1, POINTS, 0), table_at(shapes, i + 1, SHAPES, 0.0)
    X_a, size_a = first_shape(model, work, rows, numbers, i)
    X_b, size_b = second_shape(model, work, rows, numbers, i)
    return beyond_edge(X_a, size_a[0], size_a[1], size_a[2], size_a[3], X_b, size_b[0], size_b[1])


@entry
def meeting_kernel(handle: int, points: int, shapes: int, profiles: int, meetings: int, i: int) -> float:
    """Fill row i of `meetings`; all tables are given by their addresses."""
    model, work = model_at(handle), work_at(handle, 0.0)
    rows, numbers = table_at(points, i + 1, POINTS, 0), table_at(shapes, i + 1, SHAPES, 0.0)
    X_a, size_a = first_shape(model, work, rows, numbers, i)
    X_b, size_b = second_shape(model, work, rows, numbers, i)
    V_a, about_a = twist_of(model, work, first_row(rows, i))
    V_b, about_b = twist_of(model, work, second_row(rows, i))
    gap, n, point = meet(
        rows[i, KIND],
        along(X_a, V_a, about_a),
        size_a,
        along(X_b, V_b, about_b),
        size_b,
        vector_at(profiles, 1),
        rows[i, TABLE],
        rows[i, SIDE],
    )
    out = table_at(meetings, i + 1, MEETINGS, 0.0)
    store_meeting(out, i, rows[i, SWAPPED], gap.real, _real(n), _real(point), _rate(n), _rate(point))
    return 0.0


@inline
def along(X: Transform, twist: Motion, about: Vector) -> Transform:
    """A pose with an imaginary part that is _STEP times its rate."""
    turn, shift = _turning(angular(twist), X[0]), velocity_at(twist, about, X[1])
    A, a = X
    return (
        (
            complex(A[0], _STEP * turn[0]), complex(A[1], _STEP * turn[1]), complex(A[2], _STEP * turn[2]),
            complex(A[3], _STEP * turn[3]), complex(A[4], _STEP * turn[4]), complex(A[5], _STEP * turn[5]),
            complex(A[6], _STEP * turn[6]), complex(A[7], _STEP * turn[7]), complex(A[8], _STEP * turn[8]),
        ),
        (complex(a[0], _STEP * shift[0]), complex(a[1], _STEP * shift[1]), complex(a[2], _STEP * shift[2])),
    )  # fmt: skip


@inline
def _turning(w: Vector, A: Rotation) -> Rotation:
    """w × each column of A."""
    return (
        w[1] * A[6] - w[2] * A[3], w[1] * A[7] - w[2] * A[4], w[1] * A[8] - w[2] * A[5],
        w[2] * A[0] - w[0] * A[6], w[2] * A[1] - w[0] * A[7], w[2] * A[2] - w[0] * A[8],
        w[0] * A[3] - w[1] * A[0], w[0] * A[4] - w[1] * A[1], w[0] * A[5] - w[1] * A[2],
    )  # fmt: skip


@inline
def _rate(a: Any) -> Vector:
    return (a[0].imag / _STEP, a[1].imag / _STEP, a[2].imag / _STEP)


@inline
def _real(a: Any) -> Vector:
    return (a[0].real, a[1].real, a[2].real)
