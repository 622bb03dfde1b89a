"""Segments at other times than those of their samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite
from ..errors import ModelError
from ..tolerances import SAMPLE_APART, TIME_ROUNDING
from .recorded import Segment

Array = NDArray[np.float64]


def segment_at(segments: Sequence[Segment], t: float) -> Segment:
    """The segment at a time; where one ends and the next begins, the later one."""
    _check_times(segments, t)
    for segment in reversed(segments):
        if segment.t[0] <= t:
            return segment
    return segments[0]


def _check_times(segments: Sequence[Segment], times: float | Array) -> None:
    start, end = segments[0].t[0], segments[-1].t[-1]
    slack = TIME_ROUNDING * (1.0 + abs(end))
    outside = ~((np.asarray(times) >= start - slack) & (np.asarray(times) <= end + slack))
    if outside.any():
        first = np.asarray(times)[outside].flat[0]
        raise ModelError(f"the trajectory is from t = {start:g} to {end:g}; it has no state at t = {first:g}.")


def resampled(segments: Sequence[Segment], times: ArrayLike) -> list[Segment]:
    """The segments at other times, a step or the times themselves; each keeps its two ends."""
    given = finite("resample: times", times, np.shape(times))
    if given.ndim > 1 or (given.ndim == 0 and given <= 0.0):
        raise ModelError(f"resample takes a step in seconds, which must be positive, or a list of times, not {times!r}.")
    if given.ndim == 0:
        start, end, step = float(segments[0].t[0]), float(segments[-1].t[-1]), float(given)
        wanted: Array = start + step * np.arange(1, int((end - start) / step) + 1, dtype=float)
        close = SAMPLE_APART * step
    else:
        _check_times(segments, given)
        wanted, close = np.unique(given), 0.0
    return [_at_other_samples(segment, wanted, close) for segment in segments]


def _at_other_samples(segment: Segment, wanted: Array, close: float) -> Segment:
    """A segment at its ends and at those of the times that are inside; a time so close to an end is that end."""
    a, b = segment.t[0], segment.t[-1]
    inside = wanted[(wanted > a + close) & (wanted < b - close)]  # an end is not repeated for the sake of rounding
    t = np.concatenate(([a], inside, [b] if b > a else []))
    applied = segment.applied and segment.applied.at_other_samples()
    rest = {
        "event": segment.event,
        "bodies": segment.bodies,
        "first": segment.first,
        "applied": applied,
        "contacts": segment.contacts,
    }
    return Segment(segment.mech, t, segment.states(t), **rest)
