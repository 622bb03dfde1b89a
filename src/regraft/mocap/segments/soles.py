"""The soles of a figure's feet: where heel, ball and toe touch the ground when a foot stands flat."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from .figure import Figure
from .names import Role
from .tables import ANKLE, ANKLE_FROM_HEEL, BALL_FROM_HEEL, FOOT_BREADTH, Table

Array = NDArray[np.float64]

_FLAT = 0.14  # of all frames: those in which a foot is lowest and slowest, of which half are taken as standing flat
_FEWEST = 3
_SLOW = 0.05  # s: a metre a second upwards counts as so many metres of height
_HEEL_BETWEEN = (0.15, 0.35)  # of a foot's length behind the ankle: what a heel can be
_BEND_BETWEEN = (0.05, 0.95)  # of a foot's length from the heel: where its toes can begin


class Sole(NamedTuple):
    """The sole of a foot; points in the axes of the bodies that they are on."""

    bodies: tuple[int, ...]
    """The foot, and the toes where they are a body."""
    frames: dict[str, tuple[int, Pose]]
    """Heel, ball (inner and outer) and toe: the body and the pose, with x to the front and z up when the foot stands flat."""
    ends: tuple[tuple[Array, Array], ...]
    """Heel and tip of the toes for each body, at half the height of the ankle: the axis along which the mass lies."""
    cuts: tuple[tuple[float, float], ...]
    """Which share of the foot's length each body has, from the heel."""
    flat: NDArray[np.intp]
    """The frames in which it stands flat."""
    level: float
    """How high its lowest recorded point is in these frames."""


class _Standing(NamedTuple):
    """What a recording tells of a foot."""

    side: str
    flat: NDArray[np.intp]
    ankle: Array
    ball: Array | None
    tip: Array | None
    level: float
    heel: Array | None = None


def soles(fig: Figure, table: Table, height: float) -> tuple[dict[str, Sole], list[str]]:
    """The soles of both feet as far as there are feet, and what there is to say."""
    standing = [_standing(fig, side, table, height) for side in ("left", "right") if f"{side}_foot" in fig.bodies]
    if not standing:
        return {}, ["there are no feet: nothing is known of the ground"]
    levels = ", ".join(f"{foot.side} at z = {foot.level:.4f} m" for foot in standing)
    notes = [f"soles are taken as high as the lowest recorded point of a foot that stands flat: {levels}"]
    found = {}
    for foot in standing:
        found[foot.side], said = _sole(fig, foot, table, height)
        notes += said
    return found, notes


def _standing(fig: Figure, side: str, table: Table, height: float) -> _Standing:
    ankle = fig.joint(f"{side}_foot")
    toes = fig.bone_of(Role("toes", side))
    if toes is None and f"{side}_toes" in fig.bodies:
        toes = fig.bones[fig.bodies.index(f"{side}_toes")]
    ball = None if toes is None else fig.places[:, toes]
    tip = fig.farthest(fig.bones[fig.bodies.index(f"{side}_foot")] if toes is None else toes)
    if toes is None and tip is not None:
        near = (
            np.linalg.norm(tip - ankle, axis=1).mean()
            < 0.5 * (1.0 + BALL_FROM_HEEL - 2.0 * ANKLE_FROM_HEEL) * table["foot"].length * height
        )
        ball, tip = (tip, None) if near else (None, tip)
    points = [point for point in (ankle, ball, tip) if point is not None]
    flat = _alike(fig, fig.bodies.index(f"{side}_foot"), flat_frames(fig.rec.t, [point[:, 2] for point in points[:2]]))
    lowest = min(float(point[flat, 2].mean()) for point in points)
    if len(points) == 1:
        lowest -= ANKLE * height
    heel = fig.bone_of(Role("heel", side))
    return _Standing(side, flat, ankle, ball, tip, lowest, None if heel is None else fig.places[:, heel])


def flat_frames(t: Array, heights: list[Array]) -> NDArray[np.intp]:
    """The frames in which points are low together, and neither rise nor sink; without those in which one was not seen."""
    speeds = [np.abs(np.gradient(z, t)) if len(t) > 1 else np.zeros(1) for z in heights]
    cost = np.sum([z + _SLOW * speed for z, speed in zip(heights, speeds, strict=True)], axis=0)
    known = int(np.isfinite(cost).sum())
    count = min(known, max(_FEWEST, int(np.ceil(_FLAT * known))))
    return np.sort(np.argsort(cost, kind="stable")[:count])


def _alike(fig: Figure, body: int, frames: NDArray[np.intp]) -> NDArray[np.intp]:
    """The half of some frames in which what is up for a body is nearest to the median: a foot that swings through is low, too."""
    up = fig.axes(body)[frames, 2]
    off = np.linalg.norm(up - np.median(up, axis=0), axis=1)
    return np.sort(frames[np.argsort(off, kind="stable")[: max(_FEWEST, len(frames) // 2)]])


def _sole(fig: Figure, foot: _Standing, table: Table, height: float) -> tuple[Sole, list[str]]:
    front = _front(fig, foot)
    heel, ball, toe, notes = _lengths(foot, front, table["foot"].length * height)
    on_foot, toes = fig.bodies.index(f"{foot.side}_foot"), fig.index(f"{foot.side}_toes")
    bodies = (on_foot,) if toes is None else (on_foot, toes)
    left = np.cross((0.0, 0.0, 1.0), front)
    inner = (-0.5 if foot.side == "left" else 0.5) * FOOT_BREADTH * height

    def on_the_ground(ahead: float, aside: float = 0.0, above: float = 0.0) -> Array:
        points: Array = foot.ankle[foot.flat] + ahead * front + aside * left
        points[:, 2] = foot.level + above
        return points

    where = {
        "heel": (bodies[0], heel, 0.0), "ball_inner": (bodies[0], ball, inner),
        "ball_outer": (bodies[0], ball, -inner), "toe": (bodies[-1], toe, 0.0),
    }  # fmt: skip
    frames = {
        name: (body, _pose(fig, body, foot.flat, on_the_ground(ahead, aside), front, left))
        for name, (body, ahead, aside) in where.items()
    }
    above = 0.5 * float(foot.ankle[foot.flat, 2].mean() - foot.level)
    axis = on_the_ground(heel, 0.0, above), on_the_ground(toe, 0.0, above)
    ends = tuple((_on(fig, body, foot.flat, axis[0]), _on(fig, body, foot.flat, axis[1])) for body in bodies)
    bend = float(np.clip((ball - heel) / (toe - heel), *_BEND_BETWEEN))
    cuts = ((0.0, 1.0),) if toes is None else ((0.0, bend), (bend, 1.0))
    return Sole(bodies, frames, ends, cuts, foot.flat, foot.level), notes


def _lengths(foot: _Standing, front: Array, length: float) -> tuple[float, float, float, list[str]]:
    """How far heel, ball and tip of the toes are in front of the ankle, as recorded or, for a foot of this length, assumed."""
    tip = None if foot.tip is None else _ahead(foot.tip, foot, front)
    least, most = (share * length for share in _HEEL_BETWEEN)
    behind = ANKLE_FROM_HEEL * length if tip is None else min(max(length - tip, least), most)
    if foot.heel is not None:
        behind = -_ahead(foot.heel, foot, front)
    toe = length - behind if tip is None else tip
    how = "taken" if foot.heel is None else "recorded"
    notes = [f"the {foot.side} heel is {how} {behind:.3f} m behind the ankle, and the foot is {behind + toe:.3f} m long"]
    if foot.ball is not None:
        return -behind, _ahead(foot.ball, foot, front), toe, notes
    notes.append(f"the {foot.side} ball is taken at {BALL_FROM_HEEL:g} of the foot's length")
    return -behind, min(BALL_FROM_HEEL * length - behind, toe), toe, notes


def _front(fig: Figure, foot: _Standing) -> Array:
    """(frames, 3): the level direction in which the foot points, in the frames in which it stands flat."""
    ahead = foot.ball if foot.ball is not None else foot.tip
    if ahead is None:
        left = fig.joint("left_thigh") - fig.joint("right_thigh")
        way = np.cross(left, (0.0, 0.0, 1.0))
    else:
        way = ahead - foot.ankle
    level = way[foot.flat] * (1.0, 1.0, 0.0)
    found: Array = level / np.linalg.norm(level, axis=1, keepdims=True)
    return found


def _ahead(point: Array, foot: _Standing, front: Array) -> float:
    """How far a point is in front of the ankle, on the average of the frames in which the foot stands flat."""
    return float(np.mean(np.sum((point - foot.ankle)[foot.flat] * front, axis=1)))


def _on(fig: Figure, body: int, flat: NDArray[np.intp], points: Array) -> Array:
    """Points of the world, given in some frames, in a body's axes."""
    bone = fig.bones[body]
    found: Array = np.einsum("nji,nj->ni", fig.turns[flat, bone], points - fig.places[flat, bone]).mean(axis=0)
    return found


def _pose(fig: Figure, body: int, flat: NDArray[np.intp], points: Array, front: Array, left: Array) -> Pose:
    """A frame of the sole on a body: its place, and the mean of its axes."""
    up = np.broadcast_to((0.0, 0.0, 1.0), front.shape)
    axes = np.stack([front, left, up], axis=2)
    mean = np.einsum("nji,njk->nik", fig.turns[flat, fig.bones[body]], axes).mean(axis=0)
    u, _, v = np.linalg.svd(mean)
    return Pose(u @ v, _on(fig, body, flat, points))
