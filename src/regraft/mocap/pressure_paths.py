"""Where the pressure of a standing foot can be: on a smooth path over the ground, inside the sole.

What a foot that stands alone has to give follows from accelerations, and its centre of pressure from their moments. That is not
known well: a third of a millimetre of noise at 6 Hz in the middle of the body moves it by 5 cm. But a foot rolls over the ground
slowly, and it can only push. So in each stance the path is taken that bends least and is nearest to the centres of pressure that
the motion asks for: a smoothing spline, which lets low frequencies pass. It begins at the points that land first, ends at those
that leave last, and stays inside the sole.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..tolerances import TINY
from .gait_result import pressure_of
from .plates import least_load
from .support import stretches

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

PAD = 0.005
"""m that a sole yields: a point that is higher by that carries less, by a factor e."""
PASSES = 2.0
"""Hz: half of what the centre of pressure does at this frequency stays in its path; feet roll over the ground more slowly."""
_AREA = 0.1  # of the way to the middle of the sole: so far is the centre of pressure from points that touch, as it needs an area
_RINGS = 0.5  # periods of the cut-off frequency, before and after what is sudden, in which a filter does not show what was there
_BLIND = 0.2  # s before and after a foot tells something: farther away it may do anything, and has no path
_CERTAIN = 0.08  # s: where a foot lands, or leaves, counts as much as what so long a time of standing tells


class Standing(NamedTuple):
    """What is known of both feet over time."""

    t: Array
    """(n,)."""
    points: Array
    """(n, points, 3): of both soles."""
    heights: Array
    """(n, points): of each point above where it stands."""
    owner: NDArray[np.int64]
    """(points,): the foot that each point belongs to."""
    stands: Mask
    """(n, 2)."""
    alone: Mask
    """(n, 2): whether a foot gets all that the body needs and plates do not give."""
    rest: Array
    """(n, 2, 6): what each foot gets then, about the world's origin."""
    levels: Array
    """(n, 2): how high the ground is under each foot."""
    belt: Array
    """(3,): the velocity of the ground."""
    weight: float
    """Of the body, in N."""

    def between(self, a: int, b: int) -> Standing:
        """The same from one frame up to another."""
        own = slice(a, b)
        return self._replace(
            t=self.t[own], points=self.points[own], heights=self.heights[own], stands=self.stands[own],
            alone=self.alone[own], rest=self.rest[own], levels=self.levels[own],
        )  # fmt: skip


def pressure_paths(known: Standing, cutoff: float | None) -> Array:
    """(n, 2, 3): the centre of pressure of each foot while it stands; NaN where it does not.

    There is no path in a stance in which a foot never carries the body alone, nor where it has not done so for long.
    """
    n = len(known.t)
    found = np.full((n, 2, 3), np.nan)
    dt = float(known.t[-1] - known.t[0]) / (n - 1)
    rings = _RINGS / cutoff if cutoff else 0.0
    stiffness = 1.0 / (2.0 * np.pi * PASSES * dt) ** 4
    moved = (known.t - known.t[0])[:, None] * known.belt[:2]
    for s in range(2):
        own = known.owner == s
        corners, touch = known.points[:, own, :2], _touching(known.points[:, own, :2], known.heights[:, own])
        seen, counts = _seen(known, s, rings)
        for a, b in stretches(known.stands[:, s]):
            if not counts[a:b].any():
                continue
            at, weights = seen[a:b].copy(), counts[a:b].copy()
            for k, is_event in ((0, a > 0), (-1, b < n)):
                if is_event:
                    at[k], weights[k] = touch[a:b][k], _CERTAIN / dt
            path = _least_bent(at - moved[a:b], weights, stiffness) + moved[a:b]
            sure = a + _near(weights, _BLIND / dt)
            found[sure, s, :2] = inside(path[sure - a], corners[sure])
            found[sure, s, 2] = known.levels[sure, s]
    return found


def _near(weights: Array, reach: float) -> NDArray[np.intp]:
    """The frames that tell something, and those that are not farther from one of these."""
    telling, frames = np.flatnonzero(weights), np.arange(len(weights))
    after = np.searchsorted(telling, frames)
    before, behind = telling[np.maximum(after - 1, 0)], telling[np.minimum(after, len(telling) - 1)]
    found: NDArray[np.intp] = frames[np.minimum(np.abs(frames - before), np.abs(behind - frames)) <= reach]
    return found


def _touching(points: Array, heights: Array) -> Array:
    """(n, 2): the middle of the pressure where those points of a foot touch that are nearest to the ground."""
    part = np.exp((heights.min(axis=1, keepdims=True) - heights) / PAD)
    middle: Array = np.einsum("np,npk->nk", part, points) / part.sum(axis=1, keepdims=True)
    middle += _AREA * (points.mean(axis=1) - middle)
    return middle


def _seen(known: Standing, s: int, rings: float) -> tuple[Array, Array]:
    """The centre of pressure (n, 2) that the motion asks for, 0 where it asks for none, and how much each frame tells.

    What is uncertain are moments, so a frame tells more where the force is larger. It tells less near an event, or an end of the
    record: a filter makes a strike ring, before and after it, which moves the centre of pressure away from the foot that lands.
    """
    n, force = len(known.t), known.rest[:, s, 5]
    centres = pressure_of(known.rest[:, s], known.levels[:, s], least_load(known.weight))[0][:, :2]
    good = known.alone[:, s] & np.isfinite(centres).all(axis=1)
    events = np.flatnonzero((known.stands[1:] != known.stands[:-1]).any(axis=1)) + 1
    borders, middles = np.concatenate(([0], events, [n])), np.arange(n) + 0.5
    after = np.searchsorted(borders, middles)
    off = np.minimum(middles - borders[after - 1], borders[after] - middles) * float(known.t[-1] - known.t[0]) / (n - 1)
    counts = (force / known.weight * np.minimum(off / max(rings, TINY), 1.0)) ** 2
    return np.where(good[:, None], centres, 0.0), np.where(good, counts, 0.0)


def _least_bent(x: Array, weights: Array, stiffness: float) -> Array:
    """The rows y that make Σ weights (y − x)² + stiffness Σ (second differences of y)² least."""
    from scipy.linalg import solveh_banded  # on first use: it takes long to import

    n = len(x)
    if n < 3 or np.count_nonzero(weights) < 2:
        return np.broadcast_to(weights @ x / weights.sum(), x.shape)
    bands = np.zeros((3, n))
    bands[0] = weights
    for k, parts in enumerate(((1.0, 4.0, 1.0), (-2.0, -2.0), (1.0,))):
        for first, part in enumerate(parts):
            bands[k, first : first + n - 2] += stiffness * part
    found: Array = solveh_banded(bands, weights[:, None] * x, lower=True)
    return found


def inside(x: Array, corners: Array) -> Array:
    """(n, 2): the points that are nearest to given ones in the convex outlines that other points (n, k, 2) span."""
    found, least, is_inside = x.copy(), np.full(len(x), np.inf), np.zeros(len(x), bool)
    for i, j, k in combinations(range(corners.shape[1]), 3):
        turns = [_turn(corners[:, a], corners[:, b], x) for a, b in ((i, j), (j, k), (k, i))]
        is_inside |= (np.min(turns, axis=0) >= 0.0) | (np.max(turns, axis=0) <= 0.0)
    for i, j in combinations(range(corners.shape[1]), 2):  # edges are among these, and none of these leaves the outline
        way = corners[:, j] - corners[:, i]
        part = np.sum((x - corners[:, i]) * way, axis=1) / np.maximum(np.sum(way * way, axis=1), TINY)
        place = corners[:, i] + np.clip(part, 0.0, 1.0)[:, None] * way
        off = np.linalg.norm(x - place, axis=1)
        nearer = ~is_inside & (off < least)
        found[nearer], least[nearer] = place[nearer], off[nearer]
    return found


def _turn(a: Array, b: Array, x: Array) -> Array:
    """(n,): positive where x is to the left of the way from a to b."""
    way, off = b - a, x - a
    found: Array = way[:, 0] * off[:, 1] - way[:, 1] * off[:, 0]
    return found
