"""Endlessly many bounces as one event: what comes down again and again, each time sooner, comes to rest at a known time.

A contact bounces at t₁, t₂, …, after ever shorter times d, until it comes so slowly that it is passed to rest. If the times shrink
by the ratio r, what is left of endlessly many bounces takes d r/(1 − r).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...kernels.contacts import memory as m
from ...kernels.contacts.problem import OPEN
from ..histories import EventRecord
from .contacting import Contacting

Array = NDArray[np.float64]

FEWEST = 4
"""So many bounces, each sooner than the one before, are a sequence that would not end."""


class Bounces:
    """The impacts of all contacts of a run, by their names."""

    def __init__(self) -> None:
        self._impacts: dict[str, list[tuple[float, frozenset[str]]]] = {}
        """When each contact took impacts since it last came to rest, and which of its points did."""

    def follow(self, t: float, contacts: Contacting, events: list[EventRecord]) -> None:
        """Look at what has just happened at a time; a contact that has come to rest has its bounces made one event.

        It has come to rest when all of its points that took one of the last impacts are closed.
        """
        points, modes = contacts.points, contacts.tables.items[:, m.MODE]
        struck = set(contacts.struck().tolist())
        for number, name in enumerate(points.contact_names):
            own = np.flatnonzero(points.contact_of == number).tolist()
            if here := struck.intersection(own):
                self._impacts.setdefault(name, []).append((t, frozenset(points.names[i] for i in here)))
            if name in self._impacts:
                bouncing = frozenset[str]().union(*(which for _, which in self._impacts[name][-FEWEST:]))
                if all(modes[i] != OPEN for i in own if points.names[i] in bouncing):
                    self._come_to_rest(name, [points.names[i] for i in own], events)

    def _come_to_rest(self, name: str, points: list[str], events: list[EventRecord]) -> None:
        """Put one event for all bounces of a contact that stays down now, but for the first of them; none where they are too few."""
        times = shrinking([t for t, _ in self._impacts.pop(name)])
        if len(times) < FEWEST:
            return
        said, first = {f"{point} touches" for point in points}, times[0]
        events[:] = [event for event in events if not (event.t > first and event.name in said)]
        events.append(EventRecord(limit_of(np.array(times)), f"{name} comes to rest", len(times)))


def shrinking(times: list[float]) -> list[float]:
    """The last of some times, as far back as each follows sooner than the one before it did."""
    start = max(0, len(times) - 2)
    while start > 0 and times[start] - times[start - 1] > times[start + 1] - times[start]:
        start -= 1
    return times[start:]


def limit_of(times: Array) -> float:
    """Where times with shrinking distances lead to.

    Each three of them give an estimate. Early ones do not know yet how fast distances shrink in the end, and late ones are
    differences of nearly equal numbers, so that one is taken where estimates change least.
    """
    d = np.diff(times)
    ratios = d[1:] / d[:-1]
    estimates = times[2:] + d[1:] * ratios / (1.0 - ratios)
    if len(estimates) < 3:
        return max(float(estimates[-1]), float(times[-1]))
    steps = np.abs(np.diff(estimates))
    best = int(np.argmin([max(pair) for pair in pairwise(steps)])) + 1
    return max(float(estimates[best]), float(times[-1]))


__all__ = ["Bounces", "limit_of", "shrinking"]
