"""A stride in the sagittal plane: joint angles as near as can be to published ones, on feet that stay where they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tolerances import FIT_STEP
from .normal_walk_angles import ANKLE, HIP, KNEE
from .segments.tables import ANKLE as ANKLE_HEIGHT
from .segments.tables import ANKLE_FROM_HEEL, BALL_FROM_HEEL, Table

Array = NDArray[np.float64]
Waves = NDArray[np.complex128]

TOE_OFF = 0.61
"""Share of a stride in which a foot stands: the heel strikes at 0."""
TOES_DOWN, HEEL_UP, BALL_UP = 0.09, 0.36, 0.555
"""Shares of a stride: from the first to the second the foot is flat, and up to the third the ball stands."""
THIGH, SHANK, HIP_ASIDE = 0.245, 0.246, 0.049
"""Of the height: the first two after Drillis and Contini; the hip joints from the middle are an assumption."""
FOOT_ASIDE = 0.031
"""Of the height: each foot from the middle of the way."""

_ROTATION, _OBLIQUITY = np.radians(4.0), np.radians(3.0)  # of the pelvis, to either side
_SWAY = 0.0115  # of the height: the pelvis to either side
_HARMONICS = 8  # of a stride, in joint angles
_EVEN = (2, 4, 6)  # in the path of the pelvis, as each step is like the one before
_FRAMES = 100  # of a stride
_SPREADS = np.radians((6.0, 4.0, 5.0, 8.0))  # of hip, knee, ankle and toes: what counts as much as the lengths below
_STRAIGHTEST, _BENT = np.radians((4.0, 0.3))  # the knee is bent by so much at least, and misses it by that
_OFF = 1.0 / 2500.0  # of the height: how far a standing point is off its place
_WAVY = np.radians(1500.0)  # the second derivative, by the share of a stride, of what is changed in an angle
_CLEARANCE = 0.008  # of the height: of a swinging foot
_FORCE = 0.05  # of the weight: how far the ground's upward force is from that of a smooth step
_SWING = 0.20  # of the weight: how far the force of a smooth step swings, with its peak halfway through double support
_PRESSURE = 0.02  # of the height: how far the centre of pressure is from the line below
_FROM, _TO = 0.15, 0.85  # of the foot: where the centre of pressure is while one foot stands, at first and at last
_TRUNK = 0.19  # of the height: the centre of mass of trunk, head and arms over the hips
_GRAVITY = 9.81
_FIRST_DAMPING = 1.0 / 1000.0
_STEPS, _STUCK = 100, 1e6  # of the search: how many steps, and the damping at which it is stuck


@dataclass(frozen=True, eq=False)
class Legs:
    """Lengths of legs in metres, and the masses of their segments."""

    height: float
    """Of the whole body."""
    table: Table

    @property
    def foot(self) -> float:
        """From the heel to the tip of the toes."""
        return self.table["foot"].length * self.height

    @property
    def ankle(self) -> float:
        """Height of the ankle over the sole."""
        return ANKLE_HEIGHT * self.height

    @property
    def toes(self) -> float:
        """From the ball to the tip."""
        return (1.0 - BALL_FROM_HEEL) * self.foot

    @property
    def behind(self) -> float:
        """The heel behind the ankle."""
        return ANKLE_FROM_HEEL * self.foot

    @property
    def ahead(self) -> float:
        """The ball in front of the ankle."""
        return (BALL_FROM_HEEL - ANKLE_FROM_HEEL) * self.foot

    def places(self) -> dict[str, float]:
        """Where the points of the sole stand, from the place of the heel."""
        return {"heel": 0.0, "ball": self.behind + self.ahead, "toe": self.foot}

    def hip(self, share: Array) -> Array:
        """(3, n): the right hip from the middle of the way and the height of the hips: forwards, to the left and upwards."""
        rotation, oblique = pelvis_turns(share)
        level = HIP_ASIDE * self.height * np.cos(oblique)
        aside = sway(self.height, share) - level * np.cos(rotation)
        return np.stack([level * np.sin(rotation), aside, HIP_ASIDE * self.height * np.sin(oblique)])

    def tilt(self, angles: Array, share: Array) -> Array:
        """(n,): how far the plane of the right leg is turned outwards to the foot's place beside the way; in radians."""
        thigh, shank, *_ = pitches(angles)
        down = self.height * (THIGH * np.cos(thigh) + SHANK * np.cos(shank))
        found: Array = np.arcsin((FOOT_ASIDE * self.height + self.hip(share)[1]) / down)
        return found

    def points(self, angles: Array, middle: Array, share: Array) -> dict[str, Array]:
        """(2, n) each: joints and sole of the right leg, from angles (4, n) and the middle of the hips (2, n)."""
        thigh, shank, foot, toes = pitches(angles)
        (ahead, _, above), upright = self.hip(share), np.cos(self.tilt(angles, share))
        hip = np.stack([middle[0] + ahead, middle[1] + above])
        knee = hip + THIGH * self.height * np.stack([np.sin(thigh), -upright * np.cos(thigh)])
        ankle = knee + SHANK * self.height * np.stack([np.sin(shank), -upright * np.cos(shank)])
        ball = ankle + _turned(foot, self.ahead, -self.ankle)
        heel, tip = ankle + _turned(foot, -self.behind, -self.ankle), ball + _turned(toes, self.toes, 0.0)
        return {"hip": hip, "knee": knee, "ankle": ankle, "heel": heel, "ball": ball, "toe": tip}

    def lumps(self, angles: Array, middle: Array, share: Array) -> list[tuple[float, Array, float, Array]]:
        """Masses of the right leg as shares, their places (2, n), moments of inertia and pitches (n,)."""
        part, points, turns = self.table, self.points(angles, middle, share), pitches(angles)
        knee = points["knee"]
        foot = points["ankle"] + _turned(turns[2], part["foot"].com * self.foot - self.behind, -0.5 * self.ankle)
        places = {
            "thigh": points["hip"] + part["thigh"].com * (knee - points["hip"]),
            "shank": knee + part["shank"].com * (points["ankle"] - knee),
            "foot": foot,
        }
        lengths = {"thigh": THIGH * self.height, "shank": SHANK * self.height, "foot": self.foot}
        return [
            (part[name].mass, place, part[name].mass * (part[name].transverse * lengths[name]) ** 2, turn)
            for (name, place), turn in zip(places.items(), turns, strict=False)
        ]


@dataclass(frozen=True, eq=False)
class Stride:
    """A stride of the right leg that repeats; the left leg has it half a stride later."""

    legs: Legs
    length: float
    angles: Waves
    """(4, harmonics + 1): hip, knee, ankle and toes, in radians."""
    path: Waves
    """(2, harmonics + 1): the middle of the hips, forwards and upwards, beside the steady way."""

    def middle(self, share: Array) -> Array:
        """(2, n): the middle of the hips, when the right heel first strikes at the origin."""
        return wave(self.path, share) + np.stack([self.length * share, np.zeros_like(share)])

    def points(self, share: Array) -> dict[str, Array]:
        """(2, n) each: joints and points of the sole of the right leg."""
        return self.legs.points(wave(self.angles, share), self.middle(share), share)

    def departures(self) -> Array:
        """(3, n): how far hip, knee and ankle are from the published angles over a stride."""
        share = np.arange(_FRAMES) / _FRAMES
        found: Array = wave(self.angles, share)[:3] - wave(published(), share)
        return found


def wave(waves: Waves, share: Array) -> Array:
    """(..., n): real periodic functions from their complex coefficients (..., harmonics + 1)."""
    turns = np.exp(2j * np.pi * np.multiply.outer(np.arange(waves.shape[-1]), share))
    found: Array = 2.0 * np.real(waves @ turns) - np.real(waves[..., :1])
    return found


def published() -> Waves:
    """(3, harmonics + 1): hip, knee and ankle of the table, in radians, without what is faster than the harmonics."""
    table = np.radians([HIP, KNEE, ANKLE])
    table[:, 0] = 0.5 * (table[:, 0] + table[:, -1])
    found: Waves = np.fft.rfft(table[:, :-1], axis=1)[:, : _HARMONICS + 1] / (table.shape[1] - 1)
    return found


def pitches(angles: Array) -> tuple[Array, Array, Array, Array]:
    """How far thigh, shank, foot and toes are turned forwards and upwards."""
    shank = angles[0] - angles[1]
    foot = shank + angles[2]
    return angles[0], shank, foot, foot + angles[3]


def pelvis_turns(share: Array) -> tuple[Array, Array]:
    """Rotation of the pelvis (right side to the front) and its obliquity (right side up)."""
    return _ROTATION * np.cos(2.0 * np.pi * share), _OBLIQUITY * np.sin(2.0 * np.pi * (share + 0.02))


def sway(height: float, share: Array) -> Array:
    """How far the pelvis is to the left of the way: over the foot that stands."""
    found: Array = -_SWAY * height * np.cos(2.0 * np.pi * (share - 0.5 * TOE_OFF))
    return found


def _turned(angle: Array, x: float, z: float) -> Array:
    return np.stack([x * np.cos(angle) - z * np.sin(angle), x * np.sin(angle) + z * np.cos(angle)])


def fit(legs: Legs, length: float, time: float) -> Stride:
    """The stride of a length and a time that is nearest to the published angles on feet that do not slip.

    Least squares over the harmonics of four angles and of the pelvis's path: points of the sole that stand are at their places,
    the others are clear of the ground, angles are as in the table, and the ground's force swings as over a smooth step.
    """
    angles = np.concatenate([published(), np.zeros((1, _HARMONICS + 1))])
    path = np.zeros((2, len(_EVEN) + 1), dtype=complex)
    path[:, 0] = -0.15 * legs.height, 0.515 * legs.height
    start = np.concatenate([_numbers(angles), _numbers(path)])
    return Stride(legs, length, *_waves(_least_squares(_misses(legs, length, time), start)))


def _least_squares(misses: Callable[[Array], Array], x: Array) -> Array:
    """Levenberg and Marquardt's search; differences for all directions are one call, so that it takes next to no time."""
    damping, here = _FIRST_DAMPING, misses(x)
    for _ in range(_STEPS):
        slopes = (misses(x + FIT_STEP * np.eye(x.size)) - here) / FIT_STEP
        matrix, gradient = slopes @ slopes.T, slopes @ here
        while True:
            ahead = x - np.linalg.solve(matrix + damping * np.diag(np.diag(matrix)), gradient)
            there = misses(ahead)
            if there @ there < here @ here or damping > _STUCK:
                break
            damping *= 4.0
        gain = 1.0 - (there @ there) / (here @ here)
        if gain > 0.0:
            x, here, damping = ahead, there, 0.25 * damping
        if gain < FIT_STEP:
            break
    return x


def _numbers(waves: Waves) -> Array:
    return np.concatenate([waves[:, 0].real, waves[:, 1:].real.ravel(), waves[:, 1:].imag.ravel()])


def _waves(x: Array) -> tuple[Waves, Waves]:
    """Angles (4, ..., harmonics + 1) and path (2, ..., harmonics + 1) from numbers (..., m)."""
    cut = 4 * (2 * _HARMONICS + 1)
    path = np.zeros((2, *x.shape[:-1], max(_EVEN) + 1), dtype=complex)
    path[..., (0, *_EVEN)] = _one(x[..., cut:], 2)
    return _one(x[..., :cut], 4), path


def _one(x: Array, k: int) -> Waves:
    real, imaginary = np.moveaxis(x[..., k:].reshape(*x.shape[:-1], 2, k, -1), (-3, -2), (0, 1))
    return np.concatenate([np.moveaxis(x[..., :k], -1, 0)[..., None], real + 1j * imaginary], axis=-1)


def _misses(legs: Legs, length: float, time: float) -> Callable[[Array], Array]:
    share = np.arange(_FRAMES) / _FRAMES
    tables = np.concatenate([published(), np.zeros((1, _HARMONICS + 1))])
    aims, waviness = wave(tables, share), (2.0 * np.pi * np.arange(_HARMONICS + 1)) ** 2
    flat_or_later = share >= TOES_DOWN
    stands = {
        "heel": share <= HEEL_UP, "ball": flat_or_later & (share <= BALL_UP), "toe": flat_or_later & (share <= TOE_OFF)
    }  # fmt: skip
    clear = _CLEARANCE * legs.height * np.sin(np.pi * np.clip((share - TOE_OFF) / (1.0 - TOE_OFF), 0.0, 1.0))
    line = _pressure(legs, length, share) - length * share
    twice: Array = -np.square(2.0 * np.pi * np.arange(_FRAMES // 2 + 1) / time)
    force = 1.0 + _SWING * np.cos(4.0 * np.pi * (share - 0.5 * (TOE_OFF - 0.5)))

    def misses(x: Array) -> Array:
        waves, path = _waves(x)
        angles, middle = wave(waves, share), wave(path, share)
        points = legs.points(angles, np.stack([middle[0] + length * share, middle[1]]), share)
        rows = [np.minimum(angles[1] - _STRAIGHTEST, 0.0) / _BENT]
        for k, spread in enumerate(_SPREADS):
            rows += [(angles[k] - aims[k]) / spread, wave((waves[k] - tables[k]) * waviness, share) / _WAVY]
        for name, place in legs.places().items():
            ahead, up = points[name]
            on, off = stands[name], _OFF * legs.height
            rows += [(ahead - place)[..., on] / off, up[..., on] / off, np.minimum(up - clear, 0.0)[..., ~on] / off]
        upward, pressure = _ground(legs, angles, middle, share, twice)
        rows += [(upward - force) / _FORCE, (pressure - line) / (_PRESSURE * legs.height)]
        return np.concatenate(rows, axis=-1)

    return misses


def _pressure(legs: Legs, length: float, share: Array) -> Array:
    """A line for the centre of pressure: along the standing foot, and from foot to foot while both stand."""
    both, step = TOE_OFF - 0.5, 0.5 * length
    first, last = _FROM * legs.foot, _TO * legs.foot
    found: Array = np.interp(share, [0.0, both, 0.5, 0.5 + both, 1.0], [last - step, first, last, first + step, last + step])
    return found


def _ground(legs: Legs, angles: Array, middle: Array, share: Array, twice: Array) -> tuple[Array, Array]:
    """The ground's upward force (by the weight) and its centre of pressure, seen from the steady way, by Newton and Euler."""

    def faster(x: Array) -> Array:
        found: Array = np.fft.irfft(twice * np.fft.rfft(x, axis=-1), share.size, axis=-1)
        return found

    leg = legs.lumps(angles, middle, share)
    above = np.stack([middle[0], middle[1] + _TRUNK * legs.height])
    force, moment = np.zeros_like(middle[0]), np.zeros_like(middle[0])
    for mass, place in ((1.0 - 2.0 * sum(lump[0] for lump in leg), above), *((lump[0], lump[1]) for lump in leg)):
        (ax, az), both = faster(place), 1 if place is above else 2
        up = mass * (1.0 + az / _GRAVITY)
        turn = up * place[0] - mass * ax / _GRAVITY * place[1]
        force, moment = force + _both(up, both), moment + _both(turn, both)
    for _, _, inertia, pitch in leg:
        moment = moment + _both(inertia * faster(pitch) / _GRAVITY, 2)
    return force, moment / force


def _both(x: Array, legs: int) -> Array:
    """What is on both legs, the left one half a stride later."""
    return x if legs == 1 else x + np.roll(x, x.shape[-1] // 2, axis=-1)
