"""The room in which a motion is seen: how far it goes, which way is up, and where its floor is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose, pose_along
from ..describe.grounds import Ground
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Shape
from ..describe.shapes import ENDLESS, Plane

Array = NDArray[np.float64]

_SUNK = 0.02  # of the size: what is no deeper below zero, such as the round end of a post, stands on a floor at zero


class Room(NamedTuple):
    """Where everything that is seen takes place."""

    low: Array
    high: Array
    """(3,): its corners in world axes."""
    up: Array
    """(3,): against gravity; z where there is none."""
    floor: Pose | None
    """A frame whose plane z = 0 is the floor, below the middle of the room; None where the ground has steps or is curved."""

    @property
    def size(self) -> float:
        """Its longest diagonal, m."""
        return float(np.linalg.norm(self.high - self.low))

    @property
    def middle(self) -> Array:
        """(3,)."""
        found: Array = 0.5 * (self.low + self.high)
        return found


def up_in(mech: Mechanism) -> Array:
    """(3,): the direction against gravity; z where there is none."""
    return _up(mech.gravity)


def upright(gravity: Array) -> Pose:
    """What turns the direction against gravity to z, by the shortest way; nothing where there is no gravity."""
    up = _up(gravity)
    axis, cosine = np.cross(up, (0.0, 0.0, 1.0)), float(up[2])
    if not axis.any():
        return Pose() if cosine > 0.0 else Pose(np.diag([1.0, -1.0, -1.0]))
    return Pose.about(axis, math.atan2(float(np.linalg.norm(axis)), cosine))


def _up(gravity: Array) -> Array:
    size = float(np.linalg.norm(gravity))
    found: Array = -gravity / size if size else np.array([0.0, 0.0, 1.0])
    return found


def room_around(mech: Mechanism, points: Array) -> Room:
    """The room for points (n, 3) of the world that are all that is ever seen of a mechanism."""
    seen = points[np.isfinite(points).all(axis=1)]
    if not len(seen):
        seen = np.zeros((1, 3))
    low, high = seen.min(axis=0), seen.max(axis=0)
    if not np.ptp(np.array([low, high]), axis=0).max() > 0.0:  # nothing but a point
        low, high = low - 0.5, high + 0.5
    up = up_in(mech)
    return Room(low, high, up, _floor(mech, up, seen, low, high))


def plane_of(shape: Shape) -> Pose | None:
    """The frame whose plane z = 0 a shape is, on its body; None for other forms than planes."""
    if isinstance(shape.form, Plane):
        return shape.pose @ pose_along(shape.form.normal)
    if isinstance(shape.form, Ground) and shape.form.plane is not None:
        return shape.pose @ shape.form.plane
    return None


def seen_endless(mech: Mechanism) -> Iterable[Shape]:
    """The shapes without end that are there to be seen; those to be touched on bodies, or a world, that have no others."""
    shapes = [shape for shape in mech.shapes.values() if isinstance(shape.form, ENDLESS)]
    visible = {shape.body for shape in shapes if shape.visual}
    return [shape for shape in shapes if shape.visual or (shape.collision and shape.body not in visible)]


def _floor(mech: Mechanism, up: Array, seen: Array, low: Array, high: Array) -> Pose | None:
    """The first plane of the world, else a level one at zero, or below all that is seen where that is below or far above."""
    own = [shape for shape in seen_endless(mech) if shape.body == WORLD]
    middle = 0.5 * (low + high)
    for shape in own:
        plane = plane_of(shape)
        if plane is not None:
            n = plane.rotation[:, 2]
            return Pose(plane.rotation, middle - n * float(n @ (middle - plane.translation)))
    if own:
        return None
    heights = seen @ up
    lowest, size = float(heights.min()), float(np.ptp(seen, axis=0).max())
    height = lowest if lowest < -_SUNK * size or lowest > size else 0.0
    level = pose_along(up)
    return Pose(level.rotation, middle + up * (height - float(middle @ up)))
