"""Recorded skeletons as BVH files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...atomic import writing
from ...errors import ModelError
from ...tolerances import ORTHONORMAL
from ..recording import Bone, Recording
from .axes import scale_of, turn_of
from .text import number

Array = NDArray[np.float64]

_TURNS = "Zrotation Yrotation Xrotation"
_PLACES = "Xposition Yposition Zposition"


def write_bvh(rec: Recording, path: str | Path, *, up: str = "y", scale: float | None = None) -> None:
    """Write the skeleton of a recording, in centimetres unless scaled; a joint that moves is offset by the middle of its way."""
    if not rec.bones or not len(rec.t):
        raise ModelError(f"{rec!r} has no moving skeleton, which is what a BVH file holds.")
    step = _step(rec.t)
    metres = 0.01 if scale is None else scale_of(scale)
    turn = turn_of(up)
    turns, origins = rec.turns.copy(), rec.origins / metres
    turns[:, 0], origins[:, 0] = turn.T @ turns[:, 0], origins[:, 0] @ turn
    bones = [bone._replace(offset=bone.offset / metres, tips=tuple(tip / metres for tip in bone.tips)) for bone in rec.bones]
    bones[0] = bones[0]._replace(offset=np.zeros(3))
    moves = [k == 0 or bool((origins[:, k] != bone.offset).any()) for k, bone in enumerate(bones)]
    bones = [bone._replace(offset=_middle(origins[:, k])) if moves[k] and k else bone for k, bone in enumerate(bones)]
    angles = np.degrees(_angles(turns))
    text, order = _hierarchy(bones, moves)
    parts = [np.concatenate([origins[:, k], angles[:, k]], axis=1) if moves[k] else angles[:, k] for k in order]
    rows = (" ".join(map(number, row)) for row in np.concatenate(parts, axis=1).tolist())
    head = ["HIERARCHY", *text, "MOTION", f"Frames: {len(rec.t)}", f"Frame Time: {number(step)}"]
    with writing(path) as beside:
        beside.write_text("\n".join([*head, *rows, ""]), encoding="utf-8", newline="\n")


def _middle(places: Array) -> Array:
    known = places[np.isfinite(places).all(axis=1)]
    return np.median(known, axis=0) if len(known) else np.zeros(3)


def _step(t: Array) -> float:
    if len(t) < 2:
        return 1.0
    step = float(t[-1] - t[0]) / (len(t) - 1)
    if np.abs(np.diff(t) - step).max() > ORTHONORMAL * step:
        raise ModelError("a BVH file has one time from frame to frame, but these frames are not evenly apart; resample them.")
    return step


def _hierarchy(bones: list[Bone], moves: list[bool]) -> tuple[list[str], list[int]]:
    """The lines of the hierarchy, and the bones in the order in which they are there."""
    below: dict[str | None, list[int]] = {}
    for k, bone in enumerate(bones):
        if not bone.name.strip() or re.search(r"[{}\r\n]", bone.name):
            raise ModelError(f"{bone.name!r} cannot be the name of a joint in a BVH file.")
        below.setdefault(bone.parent, []).append(k)
    text, order = [], []
    stack: list[tuple[int, int]] = [(0, 0)]
    while stack:
        k, depth = stack.pop()
        indent = "\t" * depth
        if k < 0:
            text.append(indent + "}")
            continue
        bone = bones[k]
        order.append(k)
        channels = f"CHANNELS 6 {_PLACES} {_TURNS}" if moves[k] else f"CHANNELS 3 {_TURNS}"
        text += [f"{indent}{'JOINT' if depth else 'ROOT'} {bone.name}", indent + "{"]
        text += [f"{indent}\t{_offset(bone.offset)}", f"{indent}\t{channels}"]
        for tip in bone.tips:
            text += [f"{indent}\tEnd Site", indent + "\t{", f"{indent}\t\t{_offset(tip)}", indent + "\t}"]
        stack.append((-1, depth))
        stack += [(child, depth + 1) for child in reversed(below.get(bone.name, []))]
    return text, order


def _offset(vector: Array) -> str:
    return "OFFSET " + " ".join(map(number, vector.tolist()))


def _angles(R: Array) -> Array:
    """(…, 3): the angles about z, y and x, in this order, whose rotations make up each R, exact even where two axes coincide."""
    x = np.arctan2(R[..., 2, 1], R[..., 2, 2])
    s, c = np.sin(x), np.cos(x)
    y = np.arctan2(-R[..., 2, 0], np.hypot(R[..., 2, 1], R[..., 2, 2]))
    z = np.arctan2(s * R[..., 0, 2] - c * R[..., 0, 1], c * R[..., 1, 1] - s * R[..., 1, 2])
    return np.stack([z, y, x], axis=-1)
