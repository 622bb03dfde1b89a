"""Shapes as they are drawn: hulls of points with a rounded edge, and surfaces of triangles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import pose_along
from ..describe.grounds import Ground
from ..describe.hulls import hull_of
from ..describe.parts import Shape
from ..describe.shapes import Mesh, Plane
from ..errors import FileError
from ..tolerances import DRAWN_APART
from .colours import as_hex
from .meshes import read_surface

Array = NDArray[np.float64]


class Outline(NamedTuple):
    """A piece of a body: all that is within a radius of the hull of some points."""

    body: str
    points: Array
    """(k, 3), in the body's axes."""
    radius: float
    thickness: float
    """Half of it, about, where it is thinnest."""
    colour: str | None = None
    faces: NDArray[np.intp] | None = None
    """(m, 3): of a mesh, the corners of its triangles; it is drawn as these, not as the hull of its points."""


_LINE = 0.01  # m: half of the thickness of the line that is the ground
_ACROSS = 0.1  # cosine: a plane whose normal is nearer to y faces the camera, and is no line


def outline_of(shape: Shape) -> Outline | None:
    """A shape as it is drawn; None for meshes whose files cannot be read, what has no end, such as planes, and hollows."""
    if isinstance(shape.form, Mesh):
        return _surface(shape, shape.form, _colour(shape))
    hull = hull_of(shape.form)
    if hull is None:
        return None
    return Outline(shape.body, shape.pose.apply(hull.points), hull.radius, hull.thickness, _colour(shape))


def lines_of(shape: Shape) -> list[Outline]:
    """The pieces of a profile as lines between its corners, at y = 0 of its frame; nothing for other forms."""
    form = shape.form
    if not isinstance(form, Ground) or form.profile is None:
        return []
    corners = shape.pose.apply([(x, 0.0, z) for x, z in form.corners])
    return [Outline(shape.body, corners[i : i + 2], _LINE, _LINE, _colour(shape)) for i in range(len(corners) - 1)]


def line_across(shape: Shape, low: Array, high: Array) -> Outline | None:
    """A plane as a line through a room with these corners (3,), halfway in y; None for other forms, and planes that miss it.

    Nor is the level plane z = 0 a line: it is the floor of every picture.
    """
    form = shape.form
    if isinstance(form, Plane):
        plane = shape.pose @ pose_along(form.normal)
    elif isinstance(form, Ground) and form.plane is not None:
        plane = shape.pose @ form.plane
    else:
        return None
    n = plane.rotation[:, 2]
    along, up = (0, 2) if abs(n[2]) >= abs(n[0]) else (2, 0)
    if abs(n[up]) < _ACROSS:
        return None
    ends = np.array([low, high])
    ends[:, 1] = 0.5 * (low[1] + high[1])
    rest = (ends[:, [along, 1]] - plane.translation[[along, 1]]) @ n[[along, 1]]
    ends[:, up] = plane.translation[up] - rest / n[up]
    missed = up == 0 and not (low[0] <= ends[:, 0].max() and ends[:, 0].min() <= high[0])
    return None if missed or np.abs(ends[:, 2]).max() < DRAWN_APART else Outline(shape.body, ends, _LINE, _LINE, _colour(shape))


def _colour(shape: Shape) -> str | None:
    return None if shape.color is None else as_hex(shape.color)


def _surface(shape: Shape, form: Mesh, colour: str | None) -> Outline | None:
    try:
        surface = read_surface(form.file or form.path)
    except FileError:
        return None
    points = shape.pose.apply(surface.points * form.scale)
    return Outline(shape.body, points, 0.0, float(np.ptp(points, axis=0).min()), colour, surface.faces)
