"""Shapes without end, such as planes, profiles and surfaces, as far as they are seen in a room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..describe.grounds import Ground, Surface
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Shape
from .colours import EARTH, as_hex
from .pieces import Piece
from .room import Room, plane_of, seen_endless
from .triangles import Triangles, creased

Array = NDArray[np.float64]

_BEYOND = 1.0  # of the room's size: how far ground goes on around it
_CELLS = 64  # of a surface along each of its edges


def endless_pieces(mech: Mechanism, room: Room) -> list[Piece]:
    """All of them but the world's first plane, which is the floor of the room."""
    found: list[Piece] = []
    floor_is_there = room.floor is None
    for shape in seen_endless(mech):
        if shape.body == WORLD and not floor_is_there and plane_of(shape) is not None:
            floor_is_there = True
            continue
        colour = EARTH if shape.color is None else as_hex(shape.color)
        opacity = 1.0 if shape.color is None else shape.color[3]
        found.append(Piece(shape.body, shape.name, _surface(shape, room), colour, opacity, is_ground=True))
    return found


def _surface(shape: Shape, room: Room) -> Triangles:
    plane = plane_of(shape)
    reach = (0.5 + _BEYOND) * room.size
    if plane is not None:
        middle = plane.inverse().apply(room.middle)[:2] if shape.body == WORLD else np.zeros(2)
        return _sheet(
            np.zeros((2, 2)), middle[0] + reach * _ENDS, middle[1] + reach * _ENDS, shape.pose.inverse() @ plane
        ).placed(shape.pose)
    middle = shape.pose.inverse().apply(room.middle) if shape.body == WORLD else np.zeros(3)
    if isinstance(shape.form, Ground):
        return _profile(shape.form, middle, reach).placed(shape.pose)
    assert isinstance(shape.form, Surface)
    half = 0.65 * room.size
    x, y = (middle[i] + np.linspace(-half, half, _CELLS + 1) for i in (0, 1))
    heights = np.array([[shape.form.function(float(a), float(b))[0] for b in y] for a in x], float)
    return _sheet(np.nan_to_num(heights, posinf=0.0, neginf=0.0), x, y, Pose()).placed(shape.pose)


_ENDS = np.array([-1.0, 1.0])


def _profile(form: Ground, middle: Array, reach: float) -> Triangles:
    """The line of a profile, with its first and last pieces drawn out, along y."""
    corners = np.array(form.corners)
    for first, second, side in ((0, 1, -1.0), (-1, -2, 1.0)):
        run = corners[first] - corners[second]
        far = middle[0] + side * reach
        if run[0] and (far - corners[first, 0]) * side > 0.0:
            corners[first] += run * (far - corners[first, 0]) / run[0]
    points = np.array([(x, middle[1] + side * reach, z) for x, z in corners for side in (-1.0, 1.0)])
    faces = [(2 * k + a, 2 * k + b, 2 * k + c) for k in range(len(corners) - 1) for a, b, c in ((0, 2, 3), (0, 3, 1))]
    return creased(points, np.array(faces, np.intp))


def _sheet(heights: Array, x: Array, y: Array, pose: Pose) -> Triangles:
    """A surface over a grid, seen from above."""
    across, along = np.meshgrid(x, y, indexing="ij")
    points = np.stack((across, along, heights), axis=2).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(len(x) - 1), np.arange(len(y) - 1), indexing="ij")
    a = (i * len(y) + j).ravel()
    b, c, d = a + len(y), a + len(y) + 1, a + 1
    faces = np.concatenate([np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)])
    return creased(points, faces).placed(pose)
