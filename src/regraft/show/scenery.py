"""Bodies in space on paper: a camera, and the outlines of shapes as it sees them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import repeat
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from matplotlib.collections import PolyCollection
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from ..algebra.pose import Pose
from ..ask.poses import body_poses
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from .colours import GROUND, SHADOW, colour_of
from .forms import Outline
from .shading import Polygon, shaded_triangles

Array = NDArray[np.float64]

_THIN = 0.03  # m: what is thinner has no white edge, which would hide it
_LINE = 0.4  # points: the width of the line around a body
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
    """Polygons, from the farthest to the nearest, how to fill them, and the lines around them."""

    outlines: list[Array]
    faces: list[str]
    edges: list[str]
    widths: list[float]

    @classmethod
    def plain(cls, outlines: list[Array], faces: list[str], edges: list[str]) -> Drawn:
        """Polygons whose lines are as wide as usual."""
        return cls(outlines, faces, edges, [_LINE] * len(outlines))

    def shifted(self, shift: Array) -> Drawn:
        """The same elsewhere on the paper."""
        return self._replace(outlines=[outline + shift for outline in self.outlines])

    def some(self, which: slice) -> Drawn:
        """Some of these polygons."""
        return Drawn(self.outlines[which], self.faces[which], self.edges[which], self.widths[which])

    def put_into(self, collection: PolyCollection) -> None:
        """Show these polygons instead of what a collection has shown."""
        collection.set_verts(self.outlines)
        collection.set_facecolor(self.faces)
        collection.set_edgecolor(self.edges)
        collection.set_linewidth(self.widths)


def together(*parts: Drawn) -> Drawn:
    """All of them, the later over the earlier."""
    return Drawn(
        [outline for part in parts for outline in part.outlines],
        [face for part in parts for face in part.faces],
        [edge for part in parts for edge in part.edges],
        [width for part in parts for width in part.widths],
    )


def empty_collection() -> PolyCollection:
    """Where polygons can be put."""
    return PolyCollection([], joinstyle="round")


def placed_in(outlines: Sequence[Outline], mech: Mechanism, state: State) -> list[tuple[Outline, Array]]:
    """Outlines at one moment, with their points (k, 3) in the world."""
    poses = {**body_poses(mech, state), WORLD: Pose()}
    return [(one, poses[one.body].apply(one.points)) for one in outlines]


def draw_placed(
    placed: Sequence[tuple[Outline, Array]], camera: Camera, floor: Array, colour: Callable[[str], str] | None = None
) -> Drawn:
    """Outlines whose points (k, 3) are given in the world, with their shadows on a floor, whose corners are (4, 3).

    `colour` is that of a body by its name.
    """
    coloured = colour or colour_of
    shadows = [_outline(camera.see(_fallen(points, one.radius))) for one, points in placed if one.body != WORLD]
    flat = [(one, points) for one, points in placed if one.faces is None]
    pieces = [[(one, camera.see(points)) for one, points in piece] for piece in _pieces(flat)]
    found: list[Polygon] = []
    for piece in pieces:
        near = float(np.concatenate([seen for _, seen in piece])[:, 2].mean())
        found += zip(repeat(near), *_one_piece(piece, coloured(piece[0][0].body)))
    for one, points in placed:
        if one.faces is not None:
            found += shaded_triangles(camera.see(points)[one.faces], one.colour or coloured(one.body))
    below = [SHADOW] * len(shadows)
    floor_and_shadows = Drawn.plain([camera.see(floor)[:, :2], *shadows], [GROUND, *below], [GROUND, *below])
    if not found:
        return floor_and_shadows
    _, *behind_first = zip(*sorted(found, key=itemgetter(0)), strict=True)
    return together(floor_and_shadows, Drawn(*map(list, behind_first)))


def _pieces(placed: Sequence[tuple[Outline, Array]]) -> list[list[tuple[Outline, Array]]]:
    """Outlines that belong together: capsules of one body that are equally thick and touch are one flat piece of it."""
    found: list[list[tuple[Outline, Array]]] = []
    for one, points in placed:
        touched = [piece for piece in found if one.thickness >= _THIN and _touches(one, points, piece)]
        merged = [each for piece in touched for each in piece]
        found = [piece for piece in found if not any(piece is other for other in touched)] + [[*merged, (one, points)]]
    return found


def _touches(one: Outline, points: Array, piece: Sequence[tuple[Outline, Array]]) -> bool:
    return any(
        (one.body, one.colour, one.radius) == (other.body, other.colour, other.radius)
        and bool((np.linalg.norm(points[:, None] - others, axis=2) < 2.0 * one.radius).any())
        for other, others in piece
    )


def _one_piece(parts: Sequence[tuple[Outline, Array]], colour: str) -> Drawn:
    """Outlines that belong together, as one: the line around them does not go through them."""
    first = parts[0][0]
    face = first.colour or colour
    edge = face if first.thickness < _THIN else "white"
    outlines, count = [_outline(seen[:, None, :2] + one.radius * _CIRCLE[:, :2]) for one, seen in parts], len(parts)
    if count == 1:
        return Drawn.plain(outlines, [face], [edge])
    lines = Drawn(outlines, [face] * count, [edge] * count, [2.0 * _LINE] * count)  # the inner half of which is covered
    return together(lines, Drawn(outlines, [face] * count, ["none"] * count, [0.0] * count))


def _fallen(points: Array, radius: float) -> Array:
    """Discs on the floor, straight below; points where they have no radius."""
    flat: Array = points[:, None, :] * (1.0, 1.0, 0.0)
    return flat + radius * _CIRCLE if radius else flat


def _outline(points: Array) -> Array:
    """The hull of points on the paper."""
    cloud = points[..., :2].reshape(-1, 2)
    try:
        hull: Array = cloud[ConvexHull(cloud).vertices]
    except QhullError:  # all on one line
        along = (cloud - cloud[0]) @ (cloud[np.argmax(np.linalg.norm(cloud - cloud[0], axis=1))] - cloud[0])
        hull = cloud[[np.argmin(along), np.argmax(along)]]
    return hull
