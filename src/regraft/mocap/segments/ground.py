"""Whether the ground of a recording is level: the places where feet stand tell."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..gaps import runs
from .figure import Figure
from .names import Role

Array = NDArray[np.float64]

_STANDS = 0.25  # m/s: a foot that is slower stands
_WAY = 1.5  # m: over a shorter way a slope is not to be told from how feet are held
_STEPS = 3
_TOLD = np.radians(0.5)  # a smaller slope is not worth a word


class Slope(NamedTuple):
    """A slope of the ground along the way that was walked."""

    way: Array
    """(2,): the level direction along which the ground rises or falls."""
    angle: float
    """In radians; positive where it rises."""
    off: float
    """m: how far places where feet stand are from this slope (RMS)."""


def slope(fig: Figure) -> Slope | None:
    """The slope of the ground; None where nothing tells it: on a treadmill, or where nobody walks any distance.

    Only the slope along the way is found. How feet are held hides the slope across it.
    """
    places, heights, whose = [], [], []
    for foot, side in enumerate(("left", "right")):
        if f"{side}_foot" not in fig.bodies:
            return None
        toes = fig.bone_of(Role("toes", side))
        point = fig.joint(f"{side}_foot") if toes is None else fig.places[:, toes]
        stands = np.linalg.norm(np.gradient(point, fig.rec.t, axis=0), axis=1) < _STANDS
        for start, stop in runs(stands):
            mean = point[start:stop].mean(axis=0)
            places.append(mean[:2])
            heights.append(mean[2])
            whose.append((1.0 - foot, float(foot), stop - start))
    if len(places) < _STEPS:
        return None
    at, z, of = np.array(places), np.array(heights), np.array(whose)
    weights = np.sqrt(of[:, 2:])
    way = np.linalg.svd((at - at.mean(axis=0)) * weights, full_matrices=False)[2][0]
    along = at @ way
    if np.ptp(along) < _WAY or not of[:, :2].any(axis=0).all():
        return None
    matrix = np.column_stack([along, of[:, :2]])
    found = np.linalg.lstsq(matrix * weights, z * weights[:, 0], rcond=None)[0]
    miss = (matrix @ found - z) * weights[:, 0]
    return Slope(way, float(np.arctan(found[0])), float(np.sqrt(np.sum(miss**2) / np.sum(of[:, 2]))))


def levelled(fig: Figure, level: bool) -> tuple[Figure, list[str]]:
    """The figure on level ground if that is wanted, and what there is to say about the ground."""
    ground = slope(fig)
    if ground is None:
        return fig, ["whether the ground is level is not to be told, so the recording was not turned"] if level else []
    words = f"{np.degrees(abs(ground.angle)):.2f}° along the way, by the places where feet stand (to {1000 * ground.off:.0f} mm)"
    if not level:
        told = f"the ground has a slope of {words}; if the floor was level, level=True turns the recording to it"
        return fig, [told] if abs(ground.angle) > _TOLD else []
    from scipy.spatial.transform import Rotation  # on first use: it takes long to import

    turn = Rotation.from_rotvec(ground.angle * np.array([-ground.way[1], ground.way[0], 0.0])).as_matrix()
    return replace(fig, turns=turn @ fig.turns, places=fig.places @ turn.T), [f"turned to level ground, from a slope of {words}"]
