"""Shapes as they are drawn: hulls of points with a rounded edge, and surfaces of triangles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..describe.hulls import hull_of
from ..describe.parts import Shape
from ..describe.shapes import Mesh
from ..errors import FileError
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


def outline_of(shape: Shape) -> Outline | None:
    """A shape as it is drawn; None for meshes whose files cannot be read, and planes, which have no end."""
    colour = None if shape.color is None else _hex(shape.color)
    if isinstance(shape.form, Mesh):
        return _surface(shape, shape.form, colour)
    hull = hull_of(shape.form)
    if hull is None:
        return None
    return Outline(shape.body, shape.pose.apply(hull.points), hull.radius, hull.thickness, colour)


def _surface(shape: Shape, form: Mesh, colour: str | None) -> Outline | None:
    try:
        surface = read_surface(form.file or form.path)
    except FileError:
        return None
    points = shape.pose.apply(surface.points * form.scale)
    return Outline(shape.body, points, 0.0, float(np.ptp(points, axis=0).min()), colour, surface.faces)


def _hex(color: tuple[float, float, float, float]) -> str:
    """As pictures have it, without opacity: what is behind is not seen through a body."""
    return "#" + "".join(f"{round(255 * part):02X}" for part in color[:3])
