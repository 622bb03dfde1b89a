"""Where everything is that a film shows: the points that a camera must not lose, and how large the mechanism is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..describe.parts import WORLD
from .film import Film, Part
from .pieces import Piece

Array = NDArray[np.float64]

_FRAMES, _CORNERS = 240, 40_000  # of a part in which it is looked: fewer where there are many corners, and two at least
_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))
_COUNT = 96  # directions in which the farthest points are kept


class Seen(NamedTuple):
    """Points of all bodies in frames of a film."""

    points: Array
    """(n, 3): in the world."""
    hull: Array
    """(k, 3): of these, those that are farthest in some direction."""
    around: Array
    """(k, 3): the same of moving bodies, from the centre of mass; empty where there is none."""
    extent: float
    """The length of the diagonal of a box around the moving bodies, in the middle of all frames."""
    body: float
    """The same of a single body, in the middle of all of them."""
    mass: Array | None
    """(frames, 3): the centre of mass in all frames."""


def seen_places(film: Film, pieces: Sequence[Sequence[Piece]]) -> Seen:
    """Looks at some frames of each part; `pieces` are those of its bodies."""
    mass, at = film.center_of_mass(), 0
    points, around, sizes = list[Array](), list[Array](), list[Array]()
    for part, shown in zip(film.parts, pieces, strict=True):
        count = min(_FRAMES, len(part.t), max(2, _CORNERS // (8 * len(film.parts) * len(shown) or 1)))
        some = np.unique(np.linspace(0, len(part.t) - 1, count).round().astype(int))
        moving = _corners(part, [piece for piece in shown if piece.body != WORLD], some)
        still = _corners(part, [piece for piece in shown if piece.body == WORLD], some[:1])
        points += [moving.reshape(-1, 3), still.reshape(-1, 3)]
        if moving.size:
            sizes.append(np.linalg.norm(np.ptp(moving, axis=1), axis=1))
            if mass is not None:
                around.append((moving - mass[at + some][:, None]).reshape(-1, 3))
        at += len(part.t)
    whole = np.concatenate(points)
    if not len(whole):
        whole = np.array([(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)])
    extent = float(np.median(np.concatenate(sizes))) if sizes else float(np.linalg.norm(np.ptp(whole, axis=0)))
    usual = usual_size([one for shown in pieces for one in diagonals(shown)])
    near = farthest(np.concatenate(around)) if around else np.empty((0, 3))
    return Seen(whole, farthest(whole), near, extent or 1.0, extent or 1.0 if usual is None else usual, mass)


def usual_size(diagonals: Sequence[float]) -> float | None:
    """How large a body in the middle of all of them is; None where there is none."""
    return float(np.median(diagonals)) if diagonals else None


def diagonals(pieces: Sequence[Piece]) -> list[float]:
    """Of boxes around moving bodies, each in its own frame."""
    by_body: dict[str, list[Array]] = {}
    for piece in pieces:
        if piece.body != WORLD:
            by_body.setdefault(piece.body, []).append(piece.vertices)
    return [float(np.linalg.norm(np.ptp(np.concatenate(points), axis=0))) for points in by_body.values()]


def farthest(points: Array) -> Array:
    """Of many points (n, 3) those that are farthest in one of some directions, which are spread evenly."""
    k = np.arange(_COUNT) + 0.5
    height, angle = 1.0 - 2.0 * k / _COUNT, _GOLDEN * k
    level = np.sqrt(1.0 - height**2)
    ways = np.stack((level * np.cos(angle), level * np.sin(angle), height))
    found: Array = points[np.unique((points @ ways).argmax(axis=0))]
    return found


def _corners(part: Part, pieces: Sequence[Piece], some: NDArray[np.intp]) -> Array:
    """(frames, k, 3): where the corners of boxes around pieces are in some frames."""
    signs = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    points = [np.empty((len(some), 0, 3))]
    for piece in pieces:
        low, high = piece.vertices.min(axis=0), piece.vertices.max(axis=0)
        box = low + signs * (high - low)
        rows = part.poses[piece.body][some] if piece.body != WORLD else np.broadcast_to(Pose().row, (len(some), 12))
        points.append(np.einsum("fij,kj->fki", rows[:, :9].reshape(-1, 3, 3), box) + rows[:, None, 9:])
    return np.concatenate(points, axis=1)
