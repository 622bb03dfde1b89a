"""Where the shapes of a contact point are in the world, how they move, and what is found where they meet."""

from __future__ import annotations

from typing import Any

from ...algebra.memory import load, store
from ...algebra.spatial import (
    Motion,
    Transform,
    Vector,
    add,
    angular,
    compose,
    cross,
    linear,
    scale,
    subtract,
    zero_spatial,
    zero_vector,
)
from ...compilation import inline
from ..kinematics import frame
from ..tables import ORIGIN, ROOT, VEL, KernelModel, R, Work
from .pairs.directions import tangents_of
from .tables import (
    GAP,
    NORMAL,
    NORMAL_RATE,
    POINT,
    POINT_RATE,
    POSE_A,
    POSE_B,
    ROW_A,
    ROW_B,
    SIZE_A,
    SIZE_B,
    SWAPPED,
    TANGENTS,
)


@inline
def first_row(points: Any, i: int) -> int:
    """The row of the body whose shape comes first in the pair of point i."""
    return points[i, ROW_B] if points[i, SWAPPED] else points[i, ROW_A]


@inline
def second_row(points: Any, i: int) -> int:
    """The row of the other one."""
    return points[i, ROW_A] if points[i, SWAPPED] else points[i, ROW_B]


@inline
def first_shape(model: KernelModel, work: Work, points: Any, shapes: Any, i: int) -> tuple[Transform, Any]:
    """Pose in the world, and four lengths, of the shape that comes first in the pair of point i."""
    pose, size = (POSE_B, SIZE_B) if points[i, SWAPPED] else (POSE_A, SIZE_A)
    X = load(shapes, i, pose, 9), load(shapes, i, pose + 9, 3)
    return place_shape(model, work, first_row(points, i), X), load(shapes, i, size, 4)


@inline
def second_shape(model: KernelModel, work: Work, points: Any, shapes: Any, i: int) -> tuple[Transform, Any]:
    """The same of the one that comes second."""
    pose, size = (POSE_A, SIZE_A) if points[i, SWAPPED] else (POSE_B, SIZE_B)
    X = load(shapes, i, pose, 9), load(shapes, i, pose + 9, 3)
    return place_shape(model, work, second_row(points, i), X), load(shapes, i, size, 4)


@inline
def place_shape(model: KernelModel, work: Work, row: int, X: Transform) -> Transform:
    """A frame that is given in that of a row, or of the world, in world axes and coordinates."""
    if row < 0:
        return X
    placed = compose(frame(work.body, row), X)
    return placed[0], add(placed[1], load(work.body, model.walk[row, ROOT], ORIGIN, 3))


@inline
def twist_of(model: KernelModel, work: Work, row: int) -> tuple[Motion, Vector]:
    """The twist of a row, or of the world, and the point in the world at which its linear half is taken."""
    like = work.body[0, R]
    if row < 0:
        return zero_spatial(like), zero_vector(like)
    return load(work.body, row, VEL, 6), load(work.body, model.walk[row, ROOT], ORIGIN, 3)


@inline
def velocity_at(twist: Motion, about: Vector, point: Vector) -> Vector:
    """The velocity at a point in the world of what moves at a twist whose linear half is taken at `about`."""
    return add(linear(twist), cross(angular(twist), subtract(point, about)))


@inline
def store_meeting(
    meetings: Any, i: int, swapped: int, gap: float, n: Vector, point: Vector, n_rate: Vector, point_rate: Vector
) -> None:
    """Fill row i of `meetings` from what was found in the order of the pair: its normal is from the second to the first."""
    sign = -1.0 if swapped else 1.0
    normal = scale(sign, n)
    first, second = tangents_of(normal)
    meetings[i, GAP] = gap
    store(meetings, i, NORMAL, normal)
    store(meetings, i, TANGENTS, first)
    store(meetings, i, TANGENTS + 3, second)
    store(meetings, i, POINT, point)
    store(meetings, i, NORMAL_RATE, scale(sign, n_rate))
    store(meetings, i, POINT_RATE, point_rate)
