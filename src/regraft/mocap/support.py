"""Who carries the weight: when each foot stands, from how its sole moves.

A point of a sole stands where it moves with the ground. Heels land while they still slip, and toes leave while they turn, so what
counts as standing still is a part of how fast feet swing: near it a foot's motion relative to the body turns round, which is
where Zeni, Richards and Higginson (2008) have the events of a gait. A foot that stands must also be where ground can be: as
low as other stances, or it carries the body alone while the other foot swings, as on stairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..tolerances import FLOOR_EVEN

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LANDS, LEAVES = 0.15, 0.22
"""A point lands when it is slower, relative to the ground, than this part of the speed of a swing, and leaves when faster."""
SHORTEST = 0.08
"""Seconds: a stance or a swing that is shorter is none."""
SLOWEST_SWING = 0.3
"""m/s: feet that are never faster do not walk."""
BELT_MOVES = 0.15
"""m/s: feet that stand while they move faster stand on a belt."""
_NEAR, _LEVEL_SPEED = 0.02, 0.1  # m above the lowest that it comes, and m/s up or down: a point that may stand
_LOW = 0.04  # m above where a point stands: it may still stand, on its way down or up
_BELT_OFF = 1.3  # times: a belt that is given so much faster, or slower, than feet go with it is worth a word
_ALONE = 0.08  # s that a foot must carry the body alone to prove that there is ground where it stands


class Stance(NamedTuple):
    """A foot on the ground, from one frame up to another."""

    foot: str
    start: int
    stop: int
    """One past the last frame."""
    level: float
    """How high the ground is there."""


class Support(NamedTuple):
    """Which feet stand when."""

    stands: Mask
    """(n, feet)."""
    stances: tuple[Stance, ...]
    belt: Array
    """(3,): the velocity of the ground."""
    heights: Array
    """(n, points): of each point above where it stands."""
    notes: tuple[str, ...]


class Soles(NamedTuple):
    """The points of all soles over time."""

    t: Array
    """(n,)."""
    points: Array
    """(n, points, 3)."""
    rates: Array
    """(n, points, 3): how fast they move."""
    owner: NDArray[np.int64]
    """(points,): the foot that each point belongs to."""
    feet: Sequence[str]
    """Their names."""
    carried: Mask
    """(n,): whether the body needs anything that carries it; in flight it does not."""
    pieces: Sequence[tuple[int, int]] = ()
    """From and up to which frames they were recorded without a gap; none: all of them."""


def find_support(soles: Soles, belt: float | str | None = None) -> Support:
    """When each foot stands.

    Parameters
    ----------
    soles : Soles
        The points of all soles.
    belt : float, "auto" or None
        The speed of a treadmill's belt, positive where it carries feet backwards; by default it is found.
    """
    t, points, rates, owner, feet, carried, _ = soles
    notes: list[str] = []
    low = np.percentile(points[:, :, 2], 5, axis=0)
    ground, said = _ground_velocity(soles, low, belt)
    notes += said
    speeds = np.linalg.norm(rates - ground, axis=2)
    swing = swing_speed(rates - ground)
    if float(np.percentile(speeds, 95)) < SLOWEST_SWING:
        notes.append("the feet hardly move: both are taken to stand all the time.")
    found = []
    for s, foot in enumerate(feet):
        own = np.flatnonzero(owner == s)
        runs = still_stretches(speeds[:, own], swing, soles)
        found.append([Stance(foot, a, b, _level(points[a:b, own, 2])) for a, b in runs])
    stances = _on_ground(found, t)
    stands = np.zeros((len(t), len(feet)), bool)
    for s, foot in enumerate(feet):
        for stance in stances:
            if stance.foot == foot:
                stands[stance.start : stance.stop, s] = True
    levels = sorted(stance.level for stance in stances)
    if not stances:
        notes.append(
            "no foot ever stands"
            + (", so all of it is flight." if not carried.any() else ": are units and the axis that is up right, and belt=?")
        )
    elif levels[-1] - levels[0] > FLOOR_EVEN:
        notes.append(f"the ground is not level: feet stand between {levels[0]:.3f} and {levels[-1]:.3f} m.")
    return Support(stands, tuple(stances), ground, _heights(points, owner, feet, stances, low), tuple(notes))


def _ground_velocity(soles: Soles, low: Array, belt: float | str | None) -> tuple[Array, list[str]]:
    """How the ground moves: as points do that are low and neither rise nor fall."""
    points, rates = soles.points, soles.rates
    at_ground = (points[:, :, 2] < low + _NEAR) & (np.abs(rates[:, :, 2]) < _LEVEL_SPEED) & soles.carried[:, None]
    found = np.zeros(3)
    if at_ground.any():
        moving = rates[at_ground][:, :2]
        middle = np.median(moving, axis=0)
        near = moving[np.linalg.norm(moving - middle, axis=1) < SLOWEST_SWING]
        found[:2] = np.median(near, axis=0) if len(near) else middle
    speed = float(np.linalg.norm(found))
    if belt is None or belt == "auto":
        if speed < BELT_MOVES:
            return np.zeros(3), []
        return found, [f"the feet stand on a belt that moves at {speed:.3f} m/s, found from the feet; belt= gives another."]
    if not isinstance(belt, int | float) or not np.isfinite(belt):
        raise ModelError(f"belt must be a speed in m/s, 0 for ground that does not move, or 'auto', not {belt!r}.")
    if belt == 0.0:
        if speed < BELT_MOVES:
            return np.zeros(3), []
        return np.zeros(3), [f"belt=0 says that the ground does not move, but the feet that stand move at {speed:.3f} m/s."]
    return _given_belt(float(belt), found, _facing(soles))


def _given_belt(belt: float, found: Array, facing: Array) -> tuple[Array, list[str]]:
    """The velocity of a belt whose speed is given: backwards, as the body looks, where it is positive; and what to say.

    The feet that stand know better which way the belt moves, if it moves at all: they go with it.
    """
    given, speed = -belt * facing, float(np.linalg.norm(found))
    if speed < BELT_MOVES:
        told = f"belt={belt:g}, but the feet that stand do not move: is it a treadmill, and is its belt in the recording's frame?"
        return given, [told]
    way = found / speed
    notes = [f"the belt moves at {abs(belt):.3f} m/s along ({way[0]:.2f}, {way[1]:.2f})."]
    if given @ found < 0.0:
        where = "forwards" if belt < 0.0 else "backwards"
        notes.append(
            f"belt={belt:g} has the wrong sign: it says that the belt moves {where}, and the feet that stand move the other way. "
            f"Taken as belt={-belt:g}: a positive speed carries feet backwards, as the body looks."
        )
    if not 1.0 / _BELT_OFF <= abs(belt) / speed <= _BELT_OFF:
        notes.append(f"belt={belt:g}, but the feet that stand move at {speed:.3f} m/s: is it in m/s?")
    return abs(belt) * way, notes


def _facing(soles: Soles) -> Array:
    """(3,): the level direction from heels to toes, the first and the last points of each foot, on the average."""
    ends = [np.flatnonzero(soles.owner == s)[[0, -1]] for s in range(len(soles.feet))]
    way = np.mean([soles.points[:, b] - soles.points[:, a] for a, b in ends], axis=(0, 1))
    way[2] = 0.0
    length = float(np.linalg.norm(way))
    return way / length if length > 0.0 else np.array([1.0, 0.0, 0.0])


def swing_speed(rates: Array) -> float:
    """How fast feet swing, from how their points (n, points, 3) move relative to the ground; more where they hardly move."""
    swing = float(np.percentile(np.linalg.norm(rates, axis=2), 95))
    return swing if swing >= SLOWEST_SWING else max(swing / LANDS, SLOWEST_SWING)


def still_stretches(speeds: Array, swing: float, soles: Soles) -> list[tuple[int, int]]:
    """From and up to which frames any of some points, of speeds (n, k) relative to what they stand on, stands."""
    found = []
    for first, last in soles.pieces or [(0, len(soles.t))]:
        still = _standing(speeds[first:last], swing) & soles.carried[first:last]
        found += [(first + a, first + b) for a, b in _runs(still, soles.t[first:last])]
    return found


def _standing(speeds: Array, swing: float) -> Mask:
    """(n,): whether any point of a foot stands, each with hysteresis."""
    stands = np.zeros(len(speeds), bool)
    for own in speeds.T:
        on = own < LANDS * swing
        keep = own < LEAVES * swing
        state = False
        for i in range(len(own)):
            state = bool(on[i] or (state and keep[i]))
            stands[i] |= state
    return stands


def _runs(mask: Mask, t: Array) -> list[tuple[int, int]]:
    """The stretches of frames in which a mask holds; gaps and stretches that are too short are left out."""
    shortest = max(1, round(SHORTEST * (len(t) - 1) / float(t[-1] - t[0])))
    for value in (False, True):
        for a, b in stretches(mask == value):
            if b - a < shortest and a > 0 and b < len(mask):
                mask[a:b] = not value
    return stretches(mask)


def stretches(mask: Mask, first: int = 0) -> list[tuple[int, int]]:
    """From where up to where a mask holds, whose first frame has this number."""
    edges = first + np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _level(heights: Array) -> float:
    """The ground under a foot: where its lowest point is most of the time."""
    return float(np.percentile(heights.min(axis=1), 25))


def _on_ground(found: Sequence[Sequence[Stance]], t: Array) -> list[Stance]:
    """The stances where there is ground: as low as the lowest, or where a foot carries the body alone for a while."""
    every = [stance for own in found for stance in own]
    if not every:
        return []
    lowest, kept = min(stance.level for stance in every), []
    dt = float(np.median(np.diff(t)))
    for own in found:
        others = np.zeros(len(t), bool)
        for other in found:
            if other is not own:
                for stance in other:
                    others[stance.start : stance.stop] = True
        for stance in own:
            alone = dt * float((~others[stance.start : stance.stop]).sum())
            if stance.level < lowest + _LOW or alone >= _ALONE:
                kept.append(stance)
    return sorted(kept, key=lambda stance: stance.start)


def _heights(points: Array, owner: NDArray[np.int64], feet: Sequence[str], stances: Sequence[Stance], low: Array) -> Array:
    """(n, points): how high each point is above where it stands; on ground that is not level, in the stance at hand."""
    heights = points[:, :, 2] - low
    for foot in feet:
        own = np.flatnonzero(owner == feet.index(foot))
        mine = [stance for stance in stances if stance.foot == foot]
        lowest = min((stance.level for stance in mine), default=0.0)
        for stance in mine:
            if stance.level - lowest > FLOOR_EVEN:
                heights[stance.start : stance.stop, own] -= stance.level - lowest
    return heights
