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

_FLAT = 0.1  # of all frames: those in which a foot is lowest and slowest are taken as standing flat
_FEWEST = 3
_SLOW = 0.05  # s: a metre a second upwards counts as so many metres of height
_HEEL_BETWEEN = (0.15, 0.35)  # of a foot's length behind the ankle: what a heel can be


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
    """What is known of a foot before the ground is."""

    side: str
    flat: NDArray[np.intp]
    ankle: Array
    ball: Array | None
    tip: Array | None
    level: float


def soles(fig: Figure, table: Table, height: float) -> tuple[dict[str, Sole], float, list[str]]:
    """The soles of both feet as far as there are feet, the height of the ground, and what there is to say."""
    standing = [_standing(fig, side, table, height) for side in ("left", "right") if f"{side}_foot" in fig.bodies]
    if not standing:
        return {}, 0.0, ["there are no feet: nothing is known of the ground"]
    ground = min(foot.level for foot in standing)
    notes = [f"the ground is taken to be at z = {ground:.4f} m, the lowest that a foot that stands flat comes to"]
    found = {}
    for foot in standing:
        found[foot.side], said = _sole(fig, foot, table, height, ground)
        notes += said
    return found, ground, notes


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
    flat = _flat(fig.rec.t, [point[:, 2] for point in points[:2]])
    lowest = min(float(point[flat, 2].mean()) for point in points)
    if len(points) == 1:
        lowest -= ANKLE * height
    return _Standing(side, flat, ankle, ball, tip, lowest)


def _flat(t: Array, heights: list[Array]) -> NDArray[np.intp]:
    """The frames in which points are low together, and neither rise nor sink."""
    cost = sum(z + _SLOW * np.abs(np.gradient(z, t)) for z in heights)
    count = min(len(t), max(_FEWEST, int(np.ceil(_FLAT * len(t)))))
    return np.sort(np.argsort(cost, kind="stable")[:count])


def _sole(fig: Figure, foot: _Standing, table: Table, height: float, ground: float) -> tuple[Sole, list[str]]:
    length, breadth = table["foot"].length * height, FOOT_BREADTH * height
    front = _front(fig, foot)
    ball = None if foot.ball is None else _ahead(foot.ball, foot, front)
    toe = None if foot.tip is None else _ahead(foot.tip, foot, front)
    notes = []
    behind = (
        ANKLE_FROM_HEEL * length if toe is None else float(np.clip(length - toe, *(share * length for share in _HEEL_BETWEEN)))
    )
    told = f"the {foot.side} heel is taken {behind:.3f} m behind the ankle, so that the foot is {behind + (toe or length - behind):.3f} m long"
    notes.append(told)
    toe = length - behind if toe is None else toe
    if ball is None:
        ball = min(BALL_FROM_HEEL * length - behind, toe)
        notes.append(f"the {foot.side} ball is taken at {BALL_FROM_HEEL:g} of the foot's length")
    foot_body, toes_body = fig.bodies.index(f"{foot.side}_foot"), fig.index(f"{foot.side}_toes")
    last = foot_body if toes_body is None else toes_body
    left = np.cross((0.0, 0.0, 1.0), front)
    inner = -0.5 * breadth if foot.side == "left" else 0.5 * breadth
    where = {
        "heel": (foot_body, -behind, 0.0), "ball_inner": (foot_body, ball, inner),
        "ball_outer": (foot_body, ball, -inner), "toe": (last, toe, 0.0),
    }  # fmt: skip
    frames = {}
    for name, (body, ahead, aside) in where.items():
        points = foot.ankle[foot.flat] + ahead * front + aside * left
        points[:, 2] = ground
        frames[name] = (body, _pose(fig, body, foot.flat, points, front, left))
    up = np.array([0.0, 0.0, 0.5 * float(foot.ankle[foot.flat, 2].mean() - ground)])
    bodies = (foot_body,) if toes_body is None else (foot_body, toes_body)
    ends = []
    for body in bodies:
        along = [foot.ankle[foot.flat] + ahead * front for ahead in (-behind, toe)]
        for points in along:
            points[:, 2] = ground
        ends.append(tuple(_on(fig, body, foot.flat, points + up) for points in along))
    bend = float(np.clip((ball + behind) / (toe + behind), 0.05, 0.95))
    cuts = ((0.0, 1.0),) if toes_body is None else ((0.0, bend), (bend, 1.0))
    return Sole(bodies, frames, (*((a, b) for a, b in ends),), cuts, foot.flat, foot.level), notes


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
