"""Motions that were recorded as trajectories, so that they are played like all others."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.shapes import Capsule, Sphere
from ..errors import ModelError
from ..joints import Free
from ..mocap.body_motion import Motion
from ..mocap.recording import Recording
from ..simulate import Trajectory
from ..simulate.recorded import Segment

Array = NDArray[np.float64]

_THIN, _MARKER = 0.012, 0.007  # of the recording's size: the radius of bones and of markers
WITHOUT_MASS = "A recording has no masses: its energy and its momentum are not known. A body with mass has them: rg.mocap.body."


def motion_trajectory(motion: Motion) -> Trajectory:
    """A body in motion; frames that were not recorded whole are left out."""
    x = np.concatenate([motion.q, motion.v], axis=1)
    whole = np.isfinite(x).all(axis=1)
    if not whole.any():
        raise ModelError("there is no frame in which all of the body was recorded, so there is nothing to show.")
    return Trajectory([Segment(motion.mech, np.asarray(motion.t, float)[whole], x[whole])], [])


def recorded_trajectory(rec: Recording) -> Trajectory:
    """A recording as it is: bones as sticks, markers as balls, none of which has mass or is joined to another."""
    places, turns, sticks = _bones(rec)
    for name, found in rec.markers.items():
        places[_unused(name, places)] = found
    if not places or not len(rec.t):
        raise ModelError(
            f"{rec.source!r} has neither bones nor markers to show; coordinates move a model: regraft.mocap.motion, or --model."
        )
    known = np.isfinite(np.array(list(places.values()))).all(axis=2)
    everything = np.concatenate([found[seen] for found, seen in zip(places.values(), known, strict=True)])
    if not len(everything):
        raise ModelError(f"{rec.source!r} has no frame with anything to show.")
    size = float(np.linalg.norm(np.nanmax(everything, axis=0) - np.nanmin(everything, axis=0))) or 1.0
    size = min(size, _tall(places))
    mech, columns = Mechanism(), []
    for name, found in places.items():
        mech.add_body(name, Inertia(0.0))
        mech.add_joint(f"{name}_free", Free(), WORLD, name)
        ends = sticks.get(name)
        for end in ends or ():
            mech.add_shape(name, Capsule(_THIN * size, (0.0, 0.0, 0.0), tuple(end)), collision=False)
        if not ends:
            mech.add_shape(name, Sphere((_THIN if name in sticks else _MARKER) * size), collision=False)
        columns.append(np.concatenate([_held(found), turns.get(name, np.tile((1.0, 0.0, 0.0, 0.0), (len(found), 1)))], axis=1))
    q = np.concatenate(columns, axis=1)
    x = np.concatenate([q, np.zeros((len(q), mech.nv))], axis=1)
    return Trajectory([Segment(mech, np.asarray(rec.t, float), x)], [])


def _bones(rec: Recording) -> tuple[dict[str, Array], dict[str, Array], dict[str, list[Array]]]:
    """Of each bone its joint (n, 3), its orientation (n, 4), and where it ends, in its own axes."""
    if not rec.bones:
        return {}, {}, {}
    axes, joints = rec.poses()
    places = {bone.name: joints[:, k] for k, bone in enumerate(rec.bones)}
    turns = {bone.name: Rotation.from_matrix(axes[:, k]).as_quat(scalar_first=True) for k, bone in enumerate(rec.bones)}
    sticks: dict[str, list[Array]] = {bone.name: [tip for tip in bone.tips if np.any(tip)] for bone in rec.bones}
    for bone in rec.bones:
        if bone.parent is not None and np.any(bone.offset):
            sticks[bone.parent].append(bone.offset)
    return places, turns, sticks


def _tall(places: Mapping[str, Array]) -> float:
    """How large a recording is in a frame of which most is known."""
    stacked = np.array(list(places.values()))
    best = int(np.isfinite(stacked).all(axis=2).sum(axis=0).argmax())
    points = stacked[:, best][np.isfinite(stacked[:, best]).all(axis=1)]
    return (float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) > 1 else 0.0) or math.inf


def _held(found: Array) -> Array:
    """Places with those of the frame before, or the first that is known, where there are none."""
    seen = np.isfinite(found).all(axis=1)
    if not seen.any():
        return np.zeros_like(found)
    latest = np.maximum.accumulate(np.where(seen, np.arange(len(found)), -1))
    latest[latest < 0] = int(seen.argmax())
    held: Array = found[latest]
    return held


def _unused(name: str, taken: Mapping[str, object]) -> str:
    while name in taken or name == WORLD:
        name += " (marker)"
    return name


__all__ = ["WITHOUT_MASS", "motion_trajectory", "recorded_trajectory"]
