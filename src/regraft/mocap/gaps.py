"""What was not recorded: short gaps are filled, long ones divide a record into segments."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .smoothers import LEAST_FRAMES

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Channels(NamedTuple):
    """Neighbouring columns of numbers that belong together, such as the four of a quaternion."""

    name: str
    columns: tuple[int, ...]


class Mended(NamedTuple):
    """A record without short gaps."""

    x: Array
    segments: tuple[tuple[int, int], ...]
    """From and up to which frames nothing is missing."""
    notes: tuple[str, ...]


def mend(t: Array, x: Array, channels: Sequence[Channels], gap: float) -> Mended:
    """Fill gaps that last no longer than `gap` seconds by cubic splines; what is left over divides the record.

    A gap lasts from the frame before it to the frame after it, less one frame's time. Frames before the first and after the last
    number of a column are not filled: nothing is known beyond them.
    """
    x = x.copy()
    longest = gap + float(np.median(np.diff(t)))
    filled: list[str] = []
    for name, columns in channels:
        own = np.ascontiguousarray(x[:, columns])
        known = whole_rows(own)
        if known.all() or known.sum() < LEAST_FRAMES:
            continue
        missing = _short_gaps(t, known, longest)
        if missing.any():
            x[missing, columns[0] : columns[-1] + 1] = _spline(t[known], own[known], t[missing])
            filled.append(f"{name} ({_counted(int(missing.sum()))})")
    notes = [f"filled by splines, as no gap lasts longer than {gap:g} s: {', '.join(filled)}"] if filled else []
    segments, left_out = _segments(t, whole_rows(x), gap)
    if left_out:
        notes.append("left out, as what is missing is too long to be filled or too short to be filtered: " + ", ".join(left_out))
    return Mended(x, segments, tuple(notes))


def whole_rows(x: Array) -> Mask:
    """Which rows have no NaN."""
    found: Mask = np.all(np.isfinite(x), axis=1)
    return found


def pieces_of(t: Array, whole: Mask, gap: float, fewest: int = 2) -> tuple[tuple[int, int], ...]:
    """From and up to which frames a record goes on without one that is missing, and without a pause longer than `gap` seconds.

    Pieces of fewer frames than `fewest` are none.
    """
    longest = gap + float(np.median(np.diff(t)))
    found = []
    for a, b in runs(whole):
        cuts = [a, *(a + 1 + np.flatnonzero(np.diff(t[a:b]) > longest)).tolist(), b]
        found += [(start, stop) for start, stop in pairwise(cuts) if stop - start >= fewest]
    return tuple(found)


def runs(mask: Mask) -> list[tuple[int, int]]:
    """From and up to which indices a mask is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _short_gaps(t: Array, known: Mask, longest: float) -> Mask:
    missing = np.zeros(len(t), dtype=bool)
    for a, b in runs(~known):
        if a > 0 and b < len(t) and t[b] - t[a - 1] <= longest * (1.0 + np.finfo(float).eps * len(t)):
            missing[a:b] = True
    return missing


def _spline(t: Array, x: Array, at: Array) -> Array:
    from scipy.interpolate import make_interp_spline  # on first use: it takes long to import

    values: Array = make_interp_spline(t, x, k=3)(at)
    return values


def _segments(t: Array, whole: Mask, gap: float) -> tuple[tuple[tuple[int, int], ...], list[str]]:
    """The pieces that are long enough to be filtered; and what is in none of them, in words."""
    kept, used = pieces_of(t, whole, gap, LEAST_FRAMES), np.zeros(len(t), dtype=bool)
    for start, stop in kept:
        used[start:stop] = True
    return kept, [f"{t[a]:.4g} to {t[b - 1]:.4g} s ({_counted(b - a)})" for a, b in runs(~used)]


def _counted(frames: int) -> str:
    return f"{frames} frame{'s' if frames != 1 else ''}"
