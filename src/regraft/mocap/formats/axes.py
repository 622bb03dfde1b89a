"""Which way is up, and how long a unit is, where a file does not say it: overridden by the caller, or guessed and told."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError

Array = NDArray[np.float64]

CMU = 0.0254 / 0.45
"""Metres in a unit of length of the CMU database."""

_TURNS: dict[str, tuple[tuple[float, float, float], ...]] = {
    "x": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    "y": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "z": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "-x": ((0, 1, 0), (0, 0, -1), (-1, 0, 0)),
    "-y": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "-z": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
}
_UNITS = {"metres": 1.0, "centimetres": 0.01, "millimetres": 1 / 1000, "inches": 0.0254, "CMU's unit (1/0.45 inch)": CMU}
_UPPER = re.compile(r"head|neck|[fb]hd$|^c7$|chest|thorax|clav|ste?rn|acrom|should|sho$|asis|[lr]asi$|[lr]psi$|psis|sacr")
_LOWER = re.compile(r"toe|heel|hee$|foot|feet|ankle|[lr]ank$|[lr]mt\d$|[lr]cal\d?$|[lr][lm]?mal\d?$|metat")
_NEARLY_ALL = 0.8  # of the frames
_CLEARLY = 1.5  # how much longer than the others the vertical extent has to be


def turn_of(up: str) -> Array:
    """The rotation from axes with that one up to those with z up: y up is x, y, z -> x, -z, y."""
    if up not in _TURNS:
        raise ModelError(f"up is the axis that points upwards: one of {', '.join(map(repr, _TURNS))}, not {up!r}.")
    return np.array(_TURNS[up], dtype=np.float64)


def scale_of(scale: float) -> float:
    """The metres in a file's unit of length, as a caller gave them, checked."""
    try:
        found = float(scale)
    except (TypeError, ValueError):
        found = np.nan
    if not (np.isfinite(found) and found > 0.0):
        raise ModelError(f"scale is how many metres one unit of the file is, a positive number, not {scale!r}.")
    return found


def upward_axis(
    up: str | None, points: Mapping[str, Array], usual: str, notes: list[str], rest: Mapping[str, Array] | None = None
) -> str:
    """The axis that points upwards: the given one, or the one along which head and feet are apart. What it is, is told.

    The points (n, 3) are those of all frames, and those of `rest` (1, 3) of the pose in which nothing is turned.
    """
    if up is not None:
        turn_of(up)
        notes.append(f"up is the file's {up} axis, as given")
        return up
    axis, reason = _guess_up(points, usual, rest or {})
    notes.append(f"up is the file's {axis} axis: {reason}; up= says otherwise")
    return axis


def _guess_up(points: Mapping[str, Array], usual: str, rest: Mapping[str, Array]) -> tuple[str, str]:
    apart = "along it head and feet are farthest apart"
    (moving, upright), (still, _) = _head_over_feet(points), _head_over_feet(rest)
    if moving is not None:
        doubt = "" if upright else "; the head is below the feet"
        if still not in (None, moving):
            doubt += f"; with nothing turned it would be {'xyz'[still]}, so does the person lie?"
        return "xyz"[moving], f"{apart}, by their names{doubt}"
    if still is not None:
        return "xyz"[still], f"{apart} in the pose in which nothing is turned, by their names"
    if points:
        cloud = np.stack(list(points.values()), axis=1)
        seen = np.isfinite(cloud.sum(axis=2)).any(axis=1)
        if seen.any():
            extent = np.median(np.nanmax(cloud[seen], axis=1) - np.nanmin(cloud[seen], axis=1), axis=0)
            axis = _longest(extent)
            if axis is not None:
                return "xyz"[axis], "the points extend farthest along it"
    return usual, "as is usual in this format, for the points do not tell"


def _head_over_feet(points: Mapping[str, Array]) -> tuple[int | None, bool]:
    """The axis along which head and feet are apart in nearly all frames, and whether the head is above in most of them."""
    upper, lower = (_centre(points, pattern) for pattern in (_UPPER, _LOWER))
    if upper is None or lower is None:
        return None, True
    span = upper - lower
    span = span[np.isfinite(span).all(axis=1)]
    if not len(span):
        return None, True
    axis = _longest(np.median(np.abs(span), axis=0))
    if axis is None or (np.argmax(np.abs(span), axis=1) == axis).mean() < _NEARLY_ALL:
        return None, True
    return axis, bool(np.median(span[:, axis]) > 0.0)


def _longest(lengths: Array) -> int | None:
    """Which of three lengths is the longest; None where none is clearly so."""
    if not np.isfinite(lengths).all():
        return None
    second, first = np.argsort(lengths)[1:]
    return int(first) if lengths[first] > _CLEARLY * lengths[second] else None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.rsplit(":", 1)[-1].lower())


def _centre(points: Mapping[str, Array], pattern: re.Pattern[str]) -> Array | None:
    """The middle, in each frame, of the points whose names are of a kind."""
    chosen = [track for name, track in points.items() if pattern.search(_plain(name))]
    if not chosen:
        return None
    total = np.stack(chosen)
    seen = ~np.isnan(total)
    with np.errstate(invalid="ignore"):
        middle: Array = np.where(seen, total, 0.0).sum(axis=0) / seen.sum(axis=0)
    return middle


def head_to_foot(names: list[str], parents: list[int], lengths: Array) -> float | None:
    """The length of the way from the head over the trunk to a foot, along the bones: nearly the height of who stands."""
    ways = []
    for pattern in (re.compile("head"), re.compile("foot|ankle")):
        chosen = [k for k, name in enumerate(names) if pattern.search(_plain(name))]
        if not chosen:
            return None
        ways.append(max((_way(k, parents) for k in chosen[:12]), key=lambda way: lengths[list(way)].sum()))
    apart = ways[0] ^ ways[1]
    return float(lengths[list(apart)].sum()) or None


def _way(bone: int, parents: list[int]) -> set[int]:
    way = set()
    while bone >= 0:
        way.add(bone)
        bone = parents[bone]
    return way


def unit_of_length(scale: float | None, height: float, notes: list[str], likely: str | None = None) -> float:
    """The metres in a unit: those given, or those with which that height in units is a person's; it is told."""
    if scale is not None:
        found = scale_of(scale)
        notes.append(f"one unit of the file is {found:g} m, as given")
        return found
    if not (np.isfinite(height) and height > 0.0):
        notes.append("one unit of the file is taken as 1 m, for nothing in it has a height; scale= says otherwise")
        return 1.0
    unit = likely or min(_UNITS, key=lambda name: abs(np.log(_UNITS[name] * height / 1.65)))
    tall = _UNITS[unit] * height
    sure = "" if 1.2 < tall < 2.1 else ", which is unusual"
    notes.append(f"lengths are read as {unit}: the skeleton is then {tall:.2f} m from head to ankle{sure}; scale= says otherwise")
    return _UNITS[unit]


CMU_UNIT = next(name for name, length in _UNITS.items() if length == CMU)
