"""From a skeleton in a file's own units and axes to a recording in metres with z up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..recording import Bone, Recording
from ..skeleton import in_the_world
from .axes import head_to_foot, turn_of, unit_of_length, upward_axis

Array = NDArray[np.float64]


def assembled(
    path: Path,
    t: Array,
    bones: Sequence[Bone],
    turns: Array,
    origins: Array,
    *,
    up: str | None,
    scale: float | None,
    notes: list[str],
    likely: str | None = None,
) -> Recording:
    """The recording of a skeleton: the first bone is turned, so that z is up, and all lengths become metres."""
    order = {bone.name: k for k, bone in enumerate(bones)}
    parents = [-1 if bone.parent is None else order[bone.parent] for bone in bones]
    joints = in_the_world(parents, turns, origins)[1]
    rest = in_the_world(parents, np.tile(np.eye(3), (1, len(bones), 1, 1)), np.array([[bone.offset for bone in bones]]))[1]
    tracks, standing = ({bone.name: places[:, k] for k, bone in enumerate(bones)} for places in (joints, rest))
    axis = upward_axis(up, tracks, "y", notes, standing)
    metres = unit_of_length(scale, _height(bones, parents, joints[..., "xyz".index(axis[-1])]), notes, likely)
    turn = turn_of(axis)
    turns, origins = turns.copy(), metres * origins
    turns[:, 0], origins[:, 0] = turn @ turns[:, 0], origins[:, 0] @ turn.T
    scaled = [bone._replace(offset=metres * bone.offset, tips=tuple(metres * tip for tip in bone.tips)) for bone in bones]
    scaled[0] = scaled[0]._replace(offset=turn @ scaled[0].offset)
    return Recording(str(path), t, bones=tuple(scaled), turns=turns, origins=origins, notes=tuple(notes))


def _height(bones: Sequence[Bone], parents: list[int], heights: Array) -> float:
    """How tall the skeleton is, in units of the file: along its bones, or by how far up it extends where names do not tell."""
    names, ways, lengths = [bone.name for bone in bones], list(parents), [float(np.linalg.norm(bone.offset)) for bone in bones]
    lengths[0] = 0.0  # where the first bone is in the world
    for k, bone in enumerate(bones):
        if "head" in bone.name.lower():
            for tip in bone.tips:
                names.append(bone.name)
                ways.append(k)
                lengths.append(float(np.linalg.norm(tip)))
    tall = head_to_foot(names, ways, np.array(lengths))
    if tall is not None:
        return tall
    seen = heights[np.isfinite(heights).all(axis=1)]
    return float(np.percentile(np.ptp(seen, axis=1), 90)) if len(seen) else np.nan
