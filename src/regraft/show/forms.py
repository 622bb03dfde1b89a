"""Shapes as they are drawn: hulls of points with a rounded edge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


def outline_of(shape: Shape) -> Outline | None:
    """A shape as it is drawn; None for meshes, which are in files, and planes, which have no end."""
    hull = hull_of(shape.form)
    if hull is None:
        return None
    colour = None if shape.color is None else _hex(shape.color)
    return Outline(shape.body, shape.pose.apply(hull.points), hull.radius, hull.thickness, colour)


def _hex(color: tuple[float, float, float, float]) -> str:
    """As pictures have it, without opacity: what is behind is not seen through a body."""
    return "#" + "".join(f"{round(255 * part):02X}" for part in color[:3])
