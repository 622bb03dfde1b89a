"""When supports land and leave, what phases are called, and how quick the steps are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SIDES = ("left", "right")
PHASES = ("none", "left", "right", "both")
"""By which feet stand; further supports are added to these by a +."""
TAKEN_NAMES = PHASES


class GaitEvent(NamedTuple):
    """A foot that lands or leaves.

    Attributes
    ----------
    time : float
        When.
    foot : str
        "left" or "right", or the name of another support.
    kind : str
        "strike" or "off".
    """

    time: float
    foot: str
    kind: str


def phases_of(stands: Mask, names: Sequence[str]) -> NDArray[Any]:
    """(n,): what to call each frame by who stands (n, supports): the feet first, then others, as in "both+left_hand"."""
    feet = np.array(PHASES, dtype=object)[(stands[:, :2] * np.array([1, 2])).sum(axis=1)]
    if stands.shape[1] == len(SIDES):
        return np.array(feet.tolist(), dtype=f"U{max(map(len, PHASES))}")
    found = []
    for phase, row in zip(feet, stands[:, 2:], strict=True):
        others = [name for name, on in zip(names[2:], row, strict=True) if on]
        found.append("+".join(([] if phase == "none" and others else [phase]) + others))
    return np.array(found)


def carries(phase: str, name: str) -> bool:
    """Whether a support stands in a phase."""
    parts = str(phase).split("+")
    return name in parts or (name in SIDES and "both" in parts)


def events_of(stands: Mask, t: Array, names: Sequence[str], pieces: Sequence[tuple[int, int]]) -> tuple[GaitEvent, ...]:
    """When supports land and leave; what happens in a gap is not known."""
    found, kinds = [], {1: "strike", -1: "off"}
    for a, b in pieces:
        for s, name in enumerate(names):
            change = np.diff(stands[a:b, s].astype(np.int8))
            found += [GaitEvent(float(t[a + i + 1]), name, kinds[int(change[i])]) for i in np.flatnonzero(change)]
    return tuple(sorted(found))


def cadence_of(events: Sequence[GaitEvent], spans: Sequence[tuple[float, float]]) -> float:
    """Steps per minute, from the first to the last strike of a foot in each span of time that was recorded without a gap."""
    steps, lasted = 0, 0.0
    for start, end in spans:
        own = {event.time for event in events if (event.kind, event.foot in SIDES) == ("strike", True)}
        strikes = sorted(time for time in own if start <= time <= end)  # two feet that land together make one step
        if len(strikes) > 1:
            steps, lasted = steps + len(strikes) - 1, lasted + strikes[-1] - strikes[0]
    return 60.0 * steps / lasted if steps else float("nan")
