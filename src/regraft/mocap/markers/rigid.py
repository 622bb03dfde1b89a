"""Markers that keep their distances: their shape, where it is in every frame, and the point that two shapes turn about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...tolerances import ON_A_LINE

Array = NDArray[np.float64]

_FRAMES = 500  # are enough to see a shape
_ROUNDS = 5  # of finding a mean shape: more change nothing
_FAITH = 0.01  # rad²: how much a guess of a centre counts beside the mean square of the angle that segments turn


class Rigid(NamedTuple):
    """Poses of something rigid in all frames; NaN where too little of it was seen."""

    turns: Array
    """(n, 3, 3)"""
    places: Array
    """(n, 3)"""

    def of(self, point: Array) -> Array:
        """(n, 3): a point of it in the world."""
        found: Array = self.places + self.turns @ point
        return found

    def seen(self, points: Array) -> Array:
        """(n, 3): points of the world in its axes."""
        return self.turned(points - self.places)

    def turned(self, directions: Array) -> Array:
        """(n, 3): directions of the world in its axes."""
        found: Array = np.einsum("nji,nj->ni", self.turns, np.broadcast_to(directions, self.places.shape))
        return found

    def with_axes(self, axes: Array, origin: Array) -> Rigid:
        """The same with other axes, the columns of a matrix, and another origin."""
        return Rigid(self.turns @ axes, self.of(origin))


def middle(x: Array) -> Array:
    """(3,): the median over frames, without those in which something is missing; NaN where it always is."""
    whole = x[np.isfinite(x).all(axis=1)]
    return np.median(whole, axis=0) if len(whole) else np.full(3, np.nan)


def mean_shape(tracks: Array) -> Array | None:
    """(k, 3): the shape of points (n, k, 3), on the average of the frames in which all were seen; None where there are none."""
    whole = tracks[np.isfinite(tracks).all(axis=(1, 2))]
    if not len(whole):
        return None
    whole = whole[:: 1 + len(whole) // _FRAMES]
    shape: Array = whole[len(whole) // 2] - whole[len(whole) // 2].mean(axis=0)
    for _ in range(_ROUNDS):
        fit = fitted(shape, whole)
        if np.isnan(fit.turns).any():
            return shape
        shape = np.einsum("nji,nkj->nki", fit.turns, whole - fit.places[:, None]).mean(axis=0)
    return shape


def fitted(shape: Array, tracks: Array) -> Rigid:
    """Where a shape (k, 3) is nearest to points (n, k, 3) as far as they were seen (Kabsch); NaN where fewer than three tell."""
    seen: NDArray[np.bool_] = np.asarray(np.isfinite(tracks).all(axis=2))
    weight = seen[:, :, None] / np.maximum(seen.sum(axis=1), 1)[:, None, None]
    known = np.where(seen[:, :, None], tracks, 0.0)
    to, at = (weight * known).sum(axis=1), (weight * shape).sum(axis=1)
    own, goal = shape - at[:, None], np.where(seen[:, :, None], known - to[:, None], 0.0)
    u, s, v = np.linalg.svd(np.einsum("nki,nkj->nij", weight * own, goal))
    mirrored = np.sign(np.linalg.det(u) * np.linalg.det(v))
    u[:, :, 2] *= mirrored[:, None]
    turns = np.swapaxes(u @ v, 1, 2)
    found = Rigid(turns, to - np.einsum("nij,nj->ni", turns, at))
    few = (seen.sum(axis=1) < 3) | (s[:, 1] < ON_A_LINE**2)
    found.turns[few], found.places[few] = np.nan, np.nan
    return found


def centre_of_rotation(upper: Rigid, lower: Rigid, guess: Array) -> tuple[Array, Array]:
    """The point that two segments have in common while they turn, in the axes of each.

    Least squares of ‖R_u c_u + p_u − R_l c_l − p_l‖² (Ehrig et al. 2006, J. Biomech. 39, 2798), with so much faith in a guess,
    (n, 3) in the world, as leaves it along an axis about which alone they turn.
    """
    first = middle(upper.seen(guess)), middle(lower.seen(guess))
    gap = lower.of(first[1]) - upper.of(first[0])
    whole = np.isfinite(gap).all(axis=1)
    rows = np.concatenate([upper.turns[whole], -lower.turns[whole]], axis=2).reshape(-1, 6) / np.sqrt(whole.sum())
    faith = np.sqrt(_FAITH) * np.eye(6)
    found = np.linalg.lstsq(
        np.concatenate([rows, faith]), np.concatenate([gap[whole].ravel() / np.sqrt(whole.sum()), np.zeros(6)]), rcond=None
    )[0]
    return first[0] + found[:3], first[1] + found[3:]


def across(along: Array, left: Array) -> Array:
    """Axes to the front, to the left and along a direction upwards, as columns."""
    z = along / np.linalg.norm(along)
    y = left - (left @ z) * z
    y = y / np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)


def mean_turn(turns: Array) -> Array:
    """The rotation that is nearest to some (n, 3, 3); those that are not known are left out."""
    u, _, v = np.linalg.svd(turns[np.isfinite(turns).all(axis=(1, 2))].mean(axis=0))
    found: Array = u @ np.diag([1.0, 1.0, np.linalg.det(u @ v)]) @ v
    return found
