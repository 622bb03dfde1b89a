"""Shapes as they are drawn: hulls of points with a rounded edge."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..describe.parts import Shape
from ..describe.shapes import Box, Capsule, Cylinder, Ellipsoid, Form, Sphere

Array = NDArray[np.float64]

_AROUND, _ALONG = 24, 13  # points of a circle, and circles of an ellipsoid


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
    hull = _hull(shape.form)
    if hull is None:
        return None
    points, radius, thickness = hull
    return Outline(shape.body, shape.pose.apply(points), radius, thickness, None if shape.color is None else _hex(shape.color))


def _hull(form: Form) -> tuple[Array, float, float] | None:
    """Points in the form's frame, the radius about their hull, and half of the thickness."""
    if isinstance(form, Box):
        corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
        return corners * form.size, 0.0, 0.5 * sorted(form.size)[1]  # a thin board is seen from above
    if isinstance(form, Sphere):
        return np.zeros((1, 3)), form.radius, form.radius
    if isinstance(form, Capsule):
        return np.array((form.start, form.end)), form.radius, form.radius
    if isinstance(form, Cylinder):
        ring = form.radius * _circle()
        ends = (0.0, 0.0, 0.5 * form.length)
        return np.concatenate((ring + ends, ring - ends)), 0.0, min(form.radius, 0.5 * form.length)
    if isinstance(form, Ellipsoid):
        heights = np.linspace(-0.5 * math.pi, 0.5 * math.pi, _ALONG)[:, None, None]
        ball = np.cos(heights) * _circle() + np.sin(heights) * (0.0, 0.0, 1.0)
        return ball.reshape(-1, 3) * form.radii, 0.0, min(form.radii)
    return None


def _circle() -> Array:
    turns = np.linspace(0.0, 2.0 * math.pi, _AROUND, endpoint=False)
    return np.stack((np.cos(turns), np.sin(turns), np.zeros_like(turns)), axis=1)


def _hex(color: tuple[float, float, float, float]) -> str:
    """As pictures have it, without opacity: what is behind is not seen through a body."""
    return "#" + "".join(f"{round(255 * part):02X}" for part in color[:3])
