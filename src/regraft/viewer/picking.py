"""Which body a ray from the eye meets first, and where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import Pose
from ..show.pieces import Piece

Array = NDArray[np.float64]


class Hit(NamedTuple):
    """Where a ray meets a body."""

    body: str
    point: Array
    """(3,), in the world."""
    distance: float


def first_hit(
    pieces: Iterable[Piece], poses: Mapping[str, Pose], origin: ArrayLike, direction: ArrayLike, without: str = ""
) -> Hit | None:
    """The first surface of a body that a ray meets; `without` leaves one body out, and the ground counts as the world."""
    start, along = np.asarray(origin, float), np.asarray(direction, float)
    found: Hit | None = None
    for piece in pieces:
        if piece.body == without or piece.body not in poses:
            continue
        pose = poses[piece.body]
        distance = _distance(piece, pose.rotation.T @ (start - pose.translation), pose.rotation.T @ along)
        if distance is not None and (found is None or distance < found.distance):
            found = Hit(piece.body, start + distance * along, distance)
    return found


def _distance(piece: Piece, start: Array, along: Array) -> float | None:
    """How many lengths of `along` it is to a surface, in its body's frame; None where the ray misses it (Möller–Trumbore)."""
    middle = 0.5 * (piece.vertices.min(axis=0) + piece.vertices.max(axis=0))
    reach = float(np.linalg.norm(np.ptp(piece.vertices, axis=0)))  # twice the radius of a ball around it, at least
    to_middle = middle - start
    nearest = to_middle - along * float(to_middle @ along) / float(along @ along)
    if float(np.linalg.norm(nearest)) > reach:
        return None
    a, b, c = (piece.vertices[piece.faces[:, k]] for k in range(3))
    ab, ac = b - a, c - a
    across = np.cross(along, ac)
    volume = np.einsum("ij,ij->i", ab, across)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("ij,ij->i", start - a, across) / volume
        beside = np.cross(start - a, ab)
        v = beside @ along / volume
        lengths = np.einsum("ij,ij->i", ac, beside) / volume
        hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (lengths > 0.0)
    return float(lengths[hit].min()) if hit.any() else None
