"""A walk to try things on without any file: published joint angles of normal gait on a body that stands on its feet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite_number
from ..errors import ModelError
from ..tolerances import SAME_INTERVALS
from .body_motion import Motion
from .gait_events import GaitEvent
from .normal_walk_angles import CADENCE
from .normal_walk_fit import (
    HEEL_UP,
    HIP_ASIDE,
    SHANK,
    THIGH,
    TOE_OFF,
    TOES_DOWN,
    Legs,
    Stride,
    fit,
    pelvis_turns,
    pitches,
    sway,
    wave,
)
from .recording import Bone, Recording
from .segments.bodies import body
from .segments.tables import segments
from .skeleton import about

Array = NDArray[np.float64]

_STRIDE = 0.863  # of the height
_TALL = 1.75  # m: whose cadence is the published one; others have the same motion in another time (equal Froude numbers)
_SPEEDS = (0.7, 1.3)  # of the natural speed
_SHOULDER, _ELBOW = np.radians((-4.0, 15.0)), np.radians((25.0, 8.0))  # mean and swing
_AWAY = np.radians(6.0)  # upper arms from the trunk
_COUNTER = -0.6  # of the pelvis's rotation: that of the thorax

# where joints are in a figure of height 1 that stands, from the middle of the hips: the middle, and the right side
_MIDDLE = {"abdomen": ("pelvis", 0.06), "thorax": ("abdomen", 0.14), "head": ("thorax", 0.34)}
_VERTEX = 0.47 - 0.34
_SHOULDER_PLACE = (0.115, 0.288 - 0.14)  # aside, and above the joint of the thorax
_UPPER_ARM, _FOREARM, _HAND = 0.186, 0.146, 0.08


@dataclass(frozen=True, eq=False, repr=False)
class NormalWalk:
    """A walk of which all is known, from the first strike of the right heel on.

    Attributes
    ----------
    recording : Recording
        The moving skeleton, as if it had been recorded.
    events : tuple of GaitEvent
        Heel strikes and toe-offs, as the walk was made.
    mass, height : float
        Of the body, in kg and m.
    sex : {"female", "male"} or None
        Whose masses and feet.
    speed : float
        In m/s.
    cadence : float
        Steps a minute.
    stride : Stride
        One stride in the sagittal plane.
    """

    recording: Recording
    events: tuple[GaitEvent, ...]
    mass: float
    height: float
    sex: str | None
    speed: float
    cadence: float
    stride: Stride

    @cached_property
    def motion(self) -> Motion:
        """The body with mass in motion, not filtered: nothing in it is noise."""
        return body(self.recording, self.mass, height=self.height, sex=self.sex, cutoff=None)

    @property
    def share(self) -> Array:
        """(n,): how many strides of the right leg are done in each frame."""
        return self.recording.t * self.cadence / 120.0

    @property
    def phase(self) -> NDArray[np.str_]:
        """(n,): who stands in each frame: "left", "right" or "both"."""
        right, left = (np.round(self.share + later, 9) % 1.0 <= TOE_OFF for later in (0.0, 0.5))
        return np.where(right & left, "both", np.where(right, "right", "left"))

    def __repr__(self) -> str:
        steps = f"{self.speed:.3f} m/s, {self.cadence:.1f} steps a minute"
        return f"<NormalWalk: {self.mass:g} kg, {self.height:g} m, {steps}, {len(self.recording)} frames>"

    def flat(self, side: str) -> NDArray[np.bool_]:
        """(n,): in which frames a foot is flat on the ground."""
        within = (self.share + (0.5 if side == "left" else 0.0)) % 1.0
        return (within >= TOES_DOWN) & (within <= HEEL_UP)


def normal_walk(
    mass: float = 70.0,
    height: float = 1.75,
    speed: float | None = None,
    cycles: int = 3,
    rate: float = 100.0,
    sex: str | None = "male",
) -> NormalWalk:
    """A normal walk along x on level ground at z = 0, without any file.

    The mean joint angles of Winter (1991) at natural cadence, with 8 harmonics. They alone make steps that are too short for
    the cadence and speed of adults, and feet that slip. So a stride is sought by least squares that is as near to them as it can
    be while the sole stands still (heel, then flat, then ball, then toes), the swinging foot is clear of the ground, the upward
    force on the body swings smoothly, and its centre of pressure goes along the standing foot. This changes hip and ankle by
    6° and the knee by 3° (RMS); the notes of the recording have the figures. Rotation, obliquity and sway of the pelvis, arms
    and trunk are not measured: they are sinusoids of usual size. Feet point straight ahead.

    Parameters
    ----------
    mass, height : float, optional
        Of the body, in kg and m.
    speed : float, optional
        In m/s, from 0.7 to 1.3 times the natural one, which is 1.325 m/s for a height of 1.75 m. Longer steps and faster ones
        have equal shares in a higher speed.
    cycles : int, optional
        How many strides.
    rate : float, optional
        Frames per second.
    sex : {"female", "male"}, optional
        Whose masses and feet; None for the mean of both.

    Returns
    -------
    NormalWalk
        The recording, the body in motion, and the true heel strikes and toe-offs.

    Raises
    ------
    ModelError
        If a number is not one that a walk can have.

    Examples
    --------
    >>> import regraft as rg
    >>> walk = rg.mocap.normal_walk(mass=70.0, height=1.75)
    >>> walk
    <NormalWalk: 70 kg, 1.75 m, 1.325 m/s, 105.3 steps a minute, 342 frames>
    >>> walk.recording
    <Recording of 'normal walk': 342 frames in 3.41 s at 100 Hz, 18 bones, 4 notes>
    >>> [(round(event.time, 3), event.foot, event.kind) for event in walk.events[:3]]
    [(0.0, 'right', 'strike'), (0.125, 'left', 'off'), (0.57, 'left', 'strike')]
    """
    for name, number in (("mass", mass), ("height", height), ("rate", rate), ("cycles", cycles)):
        if not finite_number(name, number) > 0.0:
            raise ModelError(f"{name} must be a positive number, not {number!r}.")
    if cycles != int(cycles):
        raise ModelError(f"cycles must be a whole number of strides, not {cycles!r}.")
    faster = np.sqrt(_pace(height, speed))
    length, cadence = _STRIDE * height * faster, CADENCE * np.sqrt(_TALL / height) * faster
    stride = _stride(float(height), sex, float(length), float(120.0 / cadence))
    t = np.arange(int(np.floor(cycles * 120.0 / cadence * rate + SAME_INTERVALS)) + 1) / rate
    return NormalWalk(
        recording=_recording(stride, t, t * cadence / 120.0),
        events=_events(int(cycles), 120.0 / cadence),
        mass=float(mass),
        height=float(height),
        sex=sex,
        speed=float(length * cadence / 120.0),
        cadence=float(cadence),
        stride=stride,
    )


def _pace(height: float, speed: float | None) -> float:
    """The speed as a multiple of the natural one."""
    natural = _STRIDE * height * CADENCE * np.sqrt(_TALL / height) / 120.0
    pace = 1.0 if speed is None else finite_number("speed", speed) / natural
    least, most = _SPEEDS
    if not least <= pace <= most:
        raise ModelError(
            f"a body of {height:g} m walks like this at {least * natural:.2f} to {most * natural:.2f} m/s, not at {speed!r}; "
            f"leave speed out for its natural one, {natural:.2f} m/s."
        )
    return float(pace)


@lru_cache(maxsize=8)
def _stride(height: float, sex: str | None, length: float, time: float) -> Stride:
    return fit(Legs(height, segments("de Leva", sex)), length, time)


def _events(cycles: int, time: float) -> tuple[GaitEvent, ...]:
    found = []
    for k in range(cycles + 1):
        for share, side, kind in (
            (0.0, "right", "strike"), (TOE_OFF - 0.5, "left", "off"),
            (0.5, "left", "strike"), (TOE_OFF, "right", "off"),
        ):  # fmt: skip
            if k + share <= cycles:
                found.append(GaitEvent(float((k + share) * time), side, kind))
    return tuple(found)


# --- in space -----------------------------------------------------------------------------------------------------------


def _recording(stride: Stride, t: Array, share: Array) -> Recording:
    """The skeleton in space: the sagittal stride of both legs under a pelvis that turns and sways."""
    height = stride.legs.height
    axes, bones = _upper_body(height, share)
    x, z = stride.middle(share)
    middle = np.stack([x, sway(height, share), z], axis=1)
    for side, later in (("left", 0.5), ("right", 0.0)):
        found, below = _leg(stride, side, share + later)
        axes |= found
        bones += below
    turns = [axes[bone.name] if bone.parent is None else np.swapaxes(axes[bone.parent], 1, 2) @ axes[bone.name] for bone in bones]
    origins = [middle if bone.parent is None else np.tile(bone.offset, (len(t), 1)) for bone in bones]
    return Recording("normal walk", t, tuple(bones), np.stack(turns, 1), np.stack(origins, 1), notes=_notes(stride))


def _notes(stride: Stride) -> tuple[str, ...]:
    off = np.degrees(stride.departures())
    said = ", ".join(
        f"{name} {np.sqrt(np.mean(row**2)):.1f}° (at most {np.abs(row).max():.1f}°)"
        for name, row in zip(("hip", "knee", "ankle"), off, strict=True)
    )
    return (
        "joint angles are the means of Winter (1991) at natural cadence, with 8 harmonics",
        f"they were changed so that feet stand and the ground's force is smooth; RMS of the change: {said}",
        "rotation, obliquity and sway of the pelvis, trunk and arms are sinusoids of usual size, not measured",
        "feet point straight ahead, and all strides are alike",
    )


def _upper_body(height: float, share: Array) -> tuple[dict[str, Array], list[Bone]]:
    """Axes in the world and bones from the pelvis up."""
    rotation, oblique = pelvis_turns(share)
    axes = {
        "pelvis": about(2, rotation) @ about(0, -oblique),
        "abdomen": about(2, 0.5 * (1.0 + _COUNTER) * rotation) @ about(0, -0.5 * oblique),
        "thorax": about(2, _COUNTER * rotation),
        "head": about(2, 0.0 * rotation),
    }
    bones, below = [Bone("pelvis", None, np.zeros(3))], 0.0
    for name, (parent, place) in _MIDDLE.items():
        tips = (np.array([0.0, 0.0, _VERTEX * height]),) if name == "head" else ()
        bones.append(Bone(name, parent, np.array([0.0, 0.0, (place - below) * height]), tips))
        below = place
    for side, later in (("left", 0.5), ("right", 0.0)):
        sign = 1.0 if side == "left" else -1.0
        back = np.cos(2.0 * np.pi * (share + later))
        shoulder, elbow = _SHOULDER[0] - _SHOULDER[1] * back, _ELBOW[0] - _ELBOW[1] * back
        away = axes["thorax"] @ about(0, np.full_like(share, sign * _AWAY))
        axes[f"{side}_upper_arm"] = away @ about(1, -shoulder)
        axes[f"{side}_forearm"] = axes[f"{side}_hand"] = away @ about(1, -shoulder - elbow)
        aside, above = _SHOULDER_PLACE
        down = -height * np.diag([0.0, 0.0, 1.0])[2]
        bones += [
            Bone(f"{side}_upper_arm", "thorax", height * np.array([0.0, sign * aside, above])),
            Bone(f"{side}_forearm", f"{side}_upper_arm", _UPPER_ARM * down),
            Bone(f"{side}_hand", f"{side}_forearm", _FOREARM * down, (_HAND * down,)),
        ]
    return axes, bones


def _leg(stride: Stride, side: str, share: Array) -> tuple[dict[str, Array], list[Bone]]:
    """Axes in the world and bones of a leg; the foot stays upright."""
    legs, height, sign = stride.legs, stride.legs.height, 1.0 if side == "left" else -1.0
    angles = wave(stride.angles, share)
    thigh, shank, foot, toes = (about(1, -pitch) for pitch in pitches(angles))
    tilt = about(0, sign * legs.tilt(angles, share))
    axes = {"thigh": tilt @ thigh, "shank": tilt @ shank, "foot": foot, "toes": toes}
    places = {
        "thigh": ("pelvis", np.array([0.0, sign * HIP_ASIDE * height, 0.0])),
        "shank": (f"{side}_thigh", np.array([0.0, 0.0, -THIGH * height])),
        "foot": (f"{side}_shank", np.array([0.0, 0.0, -SHANK * height])),
        "toes": (f"{side}_foot", np.array([legs.ahead, 0.0, -legs.ankle])),
    }
    tips = {"toes": (np.array([legs.toes, 0.0, 0.0]),)}
    bones = [Bone(f"{side}_{part}", parent, place, tips.get(part, ())) for part, (parent, place) in places.items()]
    return {f"{side}_{part}": found for part, found in axes.items()}, bones
