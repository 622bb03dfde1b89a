"""A gait as people look at it: from strike to strike, along the way it goes, and in the plane in which it goes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .body_motion import Motion
from .gait_events import SIDES
from .gait_result import Gait

Array = NDArray[np.float64]

PERCENT = np.linspace(0.0, 100.0, 101)
"""Of a stride: where curves over it have their points."""
UP = np.array([0.0, 0.0, 1.0])
FLEXION = {"ankle": ("plantarflexion", 1.0), "knee": ("extension", -1.0), "hip": ("extension", 1.0)}
"""What is positive in the plane of walking, and which way it turns the child about an axis to the left."""
_TURNING = 1.0  # s over which the way that the pelvis looks is averaged: steps turn it to and fro


class Stride(NamedTuple):
    """From one strike of a foot to its next."""

    foot: str
    start: float
    off: float
    """When the foot leaves the ground; NaN where it does not."""
    end: float


def strides(gait: Gait) -> tuple[Stride, ...]:
    """All whole strides of both feet, in the order in which they begin; none that a gap of the record divides."""
    found = []
    for side in SIDES:
        mine = [event for event in gait.events if event.foot == side]
        strikes = [event.time for event in mine if event.kind == "strike"]
        offs = [event.time for event in mine if event.kind == "off"]
        for start, end in pairwise(strikes):
            if not on_end(gait, start, end):
                continue
            found.append(Stride(side, start, next((t for t in offs if start < t < end), float("nan")), end))
    return tuple(sorted(found, key=lambda stride: stride.start))


def on_end(gait: Gait, start: float, end: float) -> bool:
    """Whether everything from one time to another was recorded."""
    return any(gait.t[a] <= start and end <= gait.t[b - 1] for a, b in gait.pieces)


def over_strides(gait: Gait, values: Array, foot: str) -> Array:
    """(strides, 101): a row of numbers over time as curves over the strides of a foot; only those that were recorded whole."""
    rows = []
    for stride in strides(gait):
        if stride.foot == foot:
            times = stride.start + PERCENT / 100.0 * (stride.end - stride.start)
            inside = (gait.t >= stride.start) & (gait.t <= stride.end)
            if np.isfinite(values[inside]).all():
                rows.append(np.interp(times, gait.t, values))
    return np.array(rows).reshape(-1, len(PERCENT))


class View(NamedTuple):
    """A gait along the way that the body looks, averaged over a second."""

    forward: Array
    """(n, 3): unit vectors."""
    left: Array
    """(n, 3)."""

    @classmethod
    def of(cls, gait: Gait) -> View:
        """From hip to hip; where there are no hips, from the first frame to the last."""
        left = _from_hip_to_hip(gait)
        if left is None:
            left = np.tile(np.cross(UP, way(gait)), (len(gait.t), 1))
        return cls(np.cross(left, UP), left)

    def along(self, vectors: Array) -> Array:
        """(n,): how much of vectors points forward."""
        found: Array = np.einsum("ni,ni->n", vectors, self.forward)
        return found

    def across(self, vectors: Array) -> Array:
        """(n,): how much of vectors points to the left."""
        found: Array = np.einsum("ni,ni->n", vectors, self.left)
        return found


def way(gait: Gait) -> Array:
    """(3,): the horizontal direction from the first frame to the last, relative to the ground."""
    places = body_places(gait.motion)[:, 0, 9:]
    whole = np.flatnonzero(np.isfinite(places).all(axis=1))
    first, last = whole[0], whole[-1]
    gone = places[last] - places[first] - gait.belt * (gait.t[last] - gait.t[first])
    gone[2] = 0.0
    length = float(np.linalg.norm(gone))
    return gone / length if length > 0.0 else np.array([1.0, 0.0, 0.0])


def body_places(motion: Motion) -> Array:
    """(n, bodies, 12): axes and origin of every body in the world, in the order of the structure's rows; NaN where unknown."""
    structure = motion.mech.structure
    found = np.full((len(motion.t), len(structure.body_names), 12), np.nan)
    rest = np.zeros(structure.nv)
    for i in np.flatnonzero(np.isfinite(motion.q).all(axis=1)):
        found[i] = structure.motion(np.concatenate((motion.q[i], rest)))[:, :12]
    return found


def joints_of(motion: Motion, name: str) -> tuple[str, ...]:
    """The joints that make up an anatomical one, from the trunk outwards; none where it is not known."""
    return motion.joints.get(name) or ((name,) if name in motion.mech.joints else ())


def joint_places(motion: Motion, places: Array, joint: str) -> Array:
    """(n, 3): where a joint is in the world, on its child."""
    where = motion.mech.joints[joint]
    here = places[:, motion.mech.structure.row(where.child)]
    found: Array = here[:, :9].reshape(-1, 3, 3) @ where.child_pose.translation + here[:, 9:]
    return found


def sagittal_moments(gait: Gait, view: View | None = None) -> dict[str, Array]:
    """By "left_ankle" and so on: the moment in the plane of walking, as plantarflexion or extension, in N m."""
    seen = View.of(gait) if view is None else view
    found = {}
    for side in SIDES:
        for joint, (_, sign) in FLEXION.items():
            parts = [name for name in joints_of(gait.motion, f"{side}_{joint}") if name in gait.wrench]
            if parts:
                found[f"{side}_{joint}"] = sign * seen.across(gait.wrench[parts[-1]][:, :3])
    return found


def powers(gait: Gait) -> Mapping[str, Array]:
    """By "left_ankle" and so on: the power of the whole joint, in W."""
    names = [f"{side}_{joint}" for side in SIDES for joint in FLEXION]
    return {name: gait.power[name] for name in names if any(part in gait.power for part in joints_of(gait.motion, name))}


def _from_hip_to_hip(gait: Gait) -> Array | None:
    hips = [joints_of(gait.motion, f"{side}_hip") for side in SIDES]
    if not all(hips):
        return None
    places = body_places(gait.motion)
    here, there = (joint_places(gait.motion, places, joints[0]) for joints in hips)
    across = (here - there) * (1.0, 1.0, 0.0)
    across /= np.linalg.norm(across, axis=1)[:, None]
    mean = _running_mean(gait.t, across)
    length = np.linalg.norm(mean, axis=1)[:, None]
    return None if not (length[np.isfinite(length)] > 0.0).all() else mean / length


def _running_mean(t: Array, rows: Array) -> Array:
    """The mean of rows within half a second of each, without those that are not known."""
    known: NDArray[np.bool_] = np.asarray(np.isfinite(rows).all(axis=1))
    total = np.concatenate((np.zeros((1, rows.shape[1])), np.cumsum(np.where(known[:, None], rows, 0.0), axis=0)))
    first, last = np.searchsorted(t, t - 0.5 * _TURNING), np.searchsorted(t, t + 0.5 * _TURNING, side="right")
    found: Array = np.where(known[:, None], total[last] - total[first], np.nan)
    return found
