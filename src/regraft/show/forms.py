"""Shapes as they are drawn: hulls of points with a rounded edge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..describe.grounds import Ground
from ..describe.hulls import hull_of
from ..describe.parts import Shape

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


_LINE = 0.01  # m: half of the thickness of the line that is the ground


def outline_of(shape: Shape) -> Outline | None:
    """A shape as it is drawn; None for meshes, which are in files, what has no end, such as planes, and hollows."""
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


def _colour(shape: Shape) -> str | None:
    return None if shape.color is None else _hex(shape.color)


def _hex(color: tuple[float, float, float, float]) -> str:
    """As pictures have it, without opacity: what is behind is not seen through a body."""
    return "#" + "".join(f"{round(255 * part):02X}" for part in color[:3])
