"""Bodies in space on paper: a camera, and the outlines of shapes as it sees them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.collections import PolyCollection
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from ..algebra.pose import Pose
from ..ask.poses import body_poses
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..models import Shape
from .style import BLUE, GREEN, ORANGE

Array = NDArray[np.float64]

GROUND, SHADOW, ROPE, SKIN, STEEL = "#EFEBE4", "#D8D2C6", "#8A6A3B", "#7C828A", "#4A4F55"
_IN_TURN = GREEN, BLUE, ORANGE
_THIN = 0.03  # m: what is thinner has no white edge, which would hide it
_TURN = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
_CIRCLE = np.stack((np.cos(_TURN), np.sin(_TURN), np.zeros_like(_TURN)), axis=1)


class Camera(NamedTuple):
    """Looks from far away: `azimuth` is from −y towards +x, `elevation` above the horizon, in degrees.

    To see shadows it must be above the horizon.
    """

    azimuth: float
    elevation: float

    def see(self, points: Array) -> Array:
        """Points (..., 3) as what is to the right, what is up, and what is near."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        right = np.array([math.cos(a), math.sin(a), 0.0])
        near = np.array([math.sin(a) * math.cos(e), -math.cos(a) * math.cos(e), math.sin(e)])
        seen: Array = points @ np.stack((right, np.cross(near, right), near)).T
        return seen


class Drawn(NamedTuple):
    """Polygons, from the farthest to the nearest, and how to fill them."""

    outlines: list[Array]
    faces: list[str]
    edges: list[str]

    def put_into(self, collection: PolyCollection) -> None:
        """Show these polygons instead of what a collection has shown."""
        collection.set_verts(self.outlines)
        collection.set_facecolor(self.faces)
        collection.set_edgecolor(self.edges)


def together(*parts: Drawn) -> Drawn:
    """All of them, the later over the earlier."""
    return Drawn(
        [outline for part in parts for outline in part.outlines],
        [face for part in parts for face in part.faces],
        [edge for part in parts for edge in part.edges],
    )


def empty_collection() -> PolyCollection:
    """Where polygons can be put."""
    return PolyCollection([], linewidths=0.4, joinstyle="round")


def draw_shapes(shapes: Sequence[Shape], mech: Mechanism, state: State, camera: Camera, floor: Array) -> Drawn:
    """The shapes of bodies at one moment, with their shadows on a floor, whose corners are (4, 3)."""
    poses = {**body_poses(mech, state), WORLD: Pose()}
    return draw_placed([(shape, poses[shape.body].apply(np.array(shape.points))) for shape in shapes], camera, floor)


def draw_placed(
    placed: Sequence[tuple[Shape, Array]], camera: Camera, floor: Array, colour: Callable[[str], str] | None = None
) -> Drawn:
    """The same of shapes whose points (k, 3) are given in the world; `colour` is that of a body by its name."""
    coloured = colour or colour_of
    shadows = [_outline(camera.see(_fallen(points, shape.radius))) for shape, points in placed if shape.body != WORLD]
    seen = sorted(((camera.see(points), shape) for shape, points in placed), key=lambda each: float(each[0][:, 2].mean()))
    outlines = [_outline(points[:, None, :2] + shape.radius * _CIRCLE[:, :2]) for points, shape in seen]
    colours = [STEEL if shape.joint else coloured(shape.body) for _, shape in seen]
    edges = [colour if shape.radius < _THIN else "white" for colour, (_, shape) in zip(colours, seen, strict=True)]
    below = [GROUND] + [SHADOW] * len(shadows)
    return Drawn([camera.see(floor)[:, :2], *shadows, *outlines], below + colours, below + edges)


def colour_of(body: str) -> str:
    """Left and right of a figure in two colours, bodies with a number in turn, ropes and boards as such."""
    if body == WORLD:
        return STEEL
    last = body.rsplit(maxsplit=1)[-1]
    if last in ("rope", "stub", "plate"):
        return ROPE
    if last.isdecimal():
        return _IN_TURN[int(last) % len(_IN_TURN)]
    return BLUE if body.startswith("left") else ORANGE if body.startswith("right") else SKIN


def _fallen(points: Array, radius: float) -> Array:
    """Discs on the floor, straight below."""
    flat: Array = points[:, None, :] * (1.0, 1.0, 0.0) + radius * _CIRCLE
    return flat


def _outline(points: Array) -> Array:
    """The hull of points on the paper."""
    cloud = points[..., :2].reshape(-1, 2)
    hull: Array = cloud[ConvexHull(cloud).vertices]
    return hull
