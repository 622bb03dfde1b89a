"""How far forms reach: each is all that is within a radius of the hull of some points."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .shapes import Box, Capsule, Cylinder, Ellipsoid, Form, Sphere

Array = NDArray[np.float64]

_AROUND, _ALONG = 24, 13  # points of a circle, and circles of an ellipsoid


class Hull(NamedTuple):
    """The points (k, 3) in the form's frame, the radius around them, and half of the form's thickness, about."""

    points: Array
    radius: float
    thickness: float


def hull_of(form: Form) -> Hull | None:
    """The hull of a form; None for meshes, which are in files, what has no end, such as planes, and hollows."""
    if isinstance(form, Box):
        corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
        return Hull(corners * form.size, 0.0, 0.5 * sorted(form.size)[1])  # a thin board is seen from above
    if isinstance(form, Sphere):
        return None if form.hollow else Hull(np.zeros((1, 3)), form.radius, form.radius)
    if isinstance(form, Capsule):
        return Hull(np.array((form.start, form.end)), form.radius, form.radius)
    if isinstance(form, Cylinder):
        ring = form.radius * _circle()
        ends = (0.0, 0.0, 0.5 * form.length)
        return Hull(np.concatenate((ring + ends, ring - ends)), 0.0, min(form.radius, 0.5 * form.length))
    if isinstance(form, Ellipsoid):
        heights = np.linspace(-0.5 * math.pi, 0.5 * math.pi, _ALONG)[:, None, None]
        ball = np.cos(heights) * _circle() + np.sin(heights) * (0.0, 0.0, 1.0)
        return Hull(ball.reshape(-1, 3) * form.radii, 0.0, min(form.radii))
    return None


def _circle() -> Array:
    turns = np.linspace(0.0, 2.0 * math.pi, _AROUND, endpoint=False)
    return np.stack((np.cos(turns), np.sin(turns), np.zeros_like(turns)), axis=1)
