"""Forms in space as closed surfaces of triangles, with the normals by which light falls on them.

Corners where a surface has an edge are there several times, once for each side, so that a normal belongs to every corner.
Triangles are counterclockwise from outside.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull, QhullError

from ..algebra.pose import Pose, pose_along

Array = NDArray[np.float64]
Indices = NDArray[np.int32]

AROUND, _RINGS = 24, 6  # corners of a circle, and rings from the equator of a ball to its pole
_CREASE = math.cos(math.radians(38.0))  # two triangles of a mesh that meet at a larger angle have an edge between them


class Triangles(NamedTuple):
    """A surface: corners, triangles by the numbers of their corners, and the outward normal at each corner."""

    vertices: Array
    """(n, 3)."""
    faces: Indices
    """(m, 3)."""
    normals: Array
    """(n, 3), of unit length."""

    def placed(self, pose: Pose) -> Triangles:
        """The same surface elsewhere."""
        return Triangles(pose.apply(self.vertices), self.faces, self.normals @ pose.rotation.T)

    def scaled(self, factors: ArrayLike) -> Triangles:
        """Stretched along the axes by these factors, one or three, none of which is zero."""
        by = np.broadcast_to(np.asarray(factors, float), (3,))
        normals = _units(self.normals / by)
        return Triangles(self.vertices * by, self.faces if by.prod() > 0.0 else self.faces[:, ::-1], normals)


def ball(radii: ArrayLike, around: int = AROUND) -> Triangles:
    """A ball, or an ellipsoid, about the origin."""
    arc = _arc(around)
    return _turned(arc, arc, around).scaled(radii)


def capsule(radius: float, start: ArrayLike, end: ArrayLike, around: int = AROUND) -> Triangles:
    """All that is within a radius of a line."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(b - a))
    if length <= 0.0:
        return ball(radius, around).placed(Pose(translation=a))
    arc = _arc(around)
    half = len(arc) // 2
    outline = np.concatenate([arc[: half + 1] * radius, arc[half:] * radius + (0.0, length)])
    return _turned(outline, np.concatenate([arc[: half + 1], arc[half:]]), around).placed(
        Pose(pose_along(tuple((b - a) / length)).rotation, a)
    )


def cylinder(radius: float, length: float, around: int = AROUND) -> Triangles:
    """A cylinder about the z axis, its middle at the origin."""
    h = 0.5 * length
    outline = np.array([(0.0, -h), (radius, -h), (radius, -h), (radius, h), (radius, h), (0.0, h)])
    return _turned(outline, np.array([(0.0, -1.0), (0.0, -1.0), (1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, 1.0)]), around)


def arrow(length: float, radius: float, around: int = 16) -> Triangles:
    """An arrow from the origin along z; its head is thrice as wide and takes what is left of the length, a quarter or less."""
    head = min(0.3 * length, 7.0 * radius)
    neck, wide = length - head, 2.6 * radius
    slant = np.array((head, wide)) / math.hypot(head, wide)
    outline = [
        (0.0, 0.0),
        (radius, 0.0),
        (radius, 0.0),
        (radius, neck),
        (radius, neck),
        (wide, neck),
        (wide, neck),
        (0.0, length),
    ]
    normals = [(0.0, -1.0), (0.0, -1.0), (1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, -1.0), tuple(slant), tuple(slant)]
    return _turned(np.array(outline), np.array(normals), around)


def box(size: ArrayLike) -> Triangles:
    """A box about the origin, its edges along the axes."""
    vertices, normals, faces = list[Array](), list[Array](), list[tuple[int, int, int]]()
    for axis in range(3):
        for side in (-1.0, 1.0):
            across, up = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3] * side
            out = np.eye(3)[axis] * side
            at = len(vertices)
            vertices += [0.5 * (out + x * across + y * up) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            normals += [out] * 4
            faces += [(at, at + 1, at + 2), (at, at + 2, at + 3)]
    return Triangles(np.array(vertices) * np.asarray(size, float), np.array(faces, np.int32), np.array(normals))


def rounded_hull(points: Array, radius: float) -> Triangles:
    """All that is within a radius of the hull of some points; a radius of zero leaves the hull."""
    if len(points) == 1:
        return ball(radius).placed(Pose(translation=points[0]))
    if len(points) == 2 and radius > 0.0:
        return capsule(radius, points[0], points[1])
    around = ball(1.0, 16).vertices if radius > 0.0 else np.zeros((1, 3))
    around = np.unique(around.round(9), axis=0)
    cloud = (points[:, None] + radius * around).reshape(-1, 3)
    try:
        hull = ConvexHull(cloud)
    except QhullError:  # all in one plane
        return rounded_hull(points, 0.02 * float(np.ptp(points, axis=0).max())) if radius <= 0.0 else ball(radius)
    corners = cloud[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flipped = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
    faces = np.where(flipped[:, None], hull.simplices[:, ::-1], hull.simplices)
    kept, renamed = np.unique(faces, return_inverse=True)
    return creased(cloud[kept], renamed.reshape(-1, 3))


def creased(points: Array, faces: NDArray[np.intp]) -> Triangles:
    """A surface of shared corners with normals: smooth where its triangles meet at small angles, and else with an edge."""
    corners = points[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(across, axis=1)
    faces, across = faces[sizes > 0.0], across[sizes > 0.0]
    units = _units(across)
    of_corner = np.repeat(np.arange(len(faces)), 3)
    order = np.argsort(faces.ravel(), kind="stable")
    which = faces.ravel()[order]  # of each corner of each triangle, sorted by its place
    sums = np.zeros((len(order), 3))
    starts = np.concatenate(([0], np.flatnonzero(np.diff(which)) + 1, [len(which)])) if len(which) else np.zeros(1, int)
    most = int(np.diff(starts).max(initial=0))
    end_of = np.repeat(starts[1:], np.diff(starts))
    start_of = np.repeat(starts[:-1], np.diff(starts))
    mine = of_corner[order]
    for step in range(most):  # each corner beside each other one at its place; there are some six of these
        other = start_of + step
        there = np.flatnonzero(other < end_of)
        theirs = mine[other[there]]
        smooth = np.einsum("ij,ij->i", units[mine[there]], units[theirs]) >= _CREASE
        sums[there[smooth]] += across[theirs[smooth]]
    normals = np.empty_like(sums)
    normals[order] = _units(sums)
    keys = np.column_stack((faces.ravel(), (normals * 63.0).round().astype(int)))
    _, first, renamed = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return Triangles(points[faces.ravel()[first]], renamed.reshape(-1, 3).astype(np.int32), normals[first])


def _arc(around: int) -> Array:
    """Half a circle from the south pole to the north pole, as distances from the axis and heights."""
    angles = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 2 * max(2, _RINGS * around // AROUND) + 1)
    points = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    points[[0, -1], 0] = 0.0
    return points


def _turned(outline: Array, normals: Array, around: int) -> Triangles:
    """The surface that an outline (k, 2), distances from the z axis and heights, makes when it is turned about that axis.

    A point that is there twice in a row is an edge, with a normal on either side.
    """
    angles = np.linspace(0.0, 2.0 * math.pi, around, endpoint=False)
    c, s = np.cos(angles), np.sin(angles)

    def spun(pairs: Array) -> Array:
        r, z = pairs[:, :1], pairs[:, 1:]
        return np.stack((r * c, r * s, np.broadcast_to(z, (len(pairs), around))), axis=2).reshape(-1, 3)

    faces = []
    turn, after = np.arange(around), (np.arange(around) + 1) % around
    for k in range(len(outline) - 1):
        if (outline[k] == outline[k + 1]).all():
            continue
        a, b, above = k * around + turn, k * around + after, (k + 1) * around
        if outline[k, 0] > 0.0:
            faces.append(np.stack((a, b, above + after), axis=1))
        if outline[k + 1, 0] > 0.0:
            faces.append(np.stack((a, above + after, above + turn), axis=1))
    return Triangles(spun(outline), np.concatenate(faces).astype(np.int32), _units(spun(normals)))


def _units(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    found: Array = np.where(lengths > 0.0, vectors / np.where(lengths > 0.0, lengths, 1.0), (0.0, 0.0, 1.0))
    return found
