"""Endlessly many bounces as one event: what comes down again and again, each time sooner, comes to rest at a known time.

A contact bounces at t₁, t₂, …, after ever shorter times d, until it comes so slowly that it is passed to rest. If the times
shrink by the ratio r, what is left of endlessly many bounces takes d r/(1 − r).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...kernels.contacts import memory as m
from ...kernels.contacts.problem import OPEN
from ...structure.contacts import ContactPoints
from ..histories import EventRecord
from .contacting import Contacting

Array = NDArray[np.float64]

FEWEST = 4
"""So many bounces, each sooner than the one before, are a sequence that would not end,"""
SHORTEST = 0.05
"""if the last comes so much sooner than the first."""


class Bounces:
    """The impacts of all contacts of a run, by their names."""

    def __init__(self) -> None:
        self._impacts: dict[str, list[tuple[float, frozenset[str]]]] = {}
        """Of each contact, since it last came to rest: when there were impacts, and which contacts took part. Contacts that took
        part together have one list."""

    def follow(self, t: float, contacts: Contacting, events: list[EventRecord]) -> None:
        """Look at what has just happened at a time; contacts that have come to rest have their bounces made one event.

        A point takes part in what happens where it is struck, comes down or goes up; contacts with such points, as the two feet
        of what rocks from one to the other, bounce together. They have come to rest when all that takes part stays down.
        """
        points, items = contacts.points, contacts.tables.items[: len(contacts.points.names)]
        is_open, struck = items[:, m.MODE] == OPEN, contacts.struck()
        changed = is_open != contacts.were_open
        changed[struck] = True
        takes_part = changed.nonzero()[0]
        if not takes_part.size:
            return
        names = frozenset(points.contact_names[c] for c in points.contact_of[takes_part].tolist())
        impacts = self._together(names)
        if struck.size:
            impacts.append((t, names))
        if not is_open[takes_part].any():
            down = {points.contact_names[c] for c in points.contact_of[~is_open].tolist()}
            recent = names.union(*(which for _, which in impacts[-FEWEST:])) & down
            for name in recent:
                self._impacts.pop(name, None)
            _come_to_rest(
                [name for name in points.contact_names if name in recent], shrinking([t for t, _ in impacts]), points, events
            )

    def _together(self, names: frozenset[str]) -> list[tuple[float, frozenset[str]]]:
        """The impacts of some contacts, from now on in one list."""
        lists = {id(found): found for name in names if (found := self._impacts.get(name)) is not None}
        merged = (
            next(iter(lists.values()))
            if len(lists) == 1
            else sorted({one for found in lists.values() for one in found}, key=_when)
        )
        for name in names.union(*(which for _, which in merged)) if len(lists) > 1 else names:
            self._impacts[name] = merged
        return merged


def _when(impact: tuple[float, frozenset[str]]) -> float:
    return impact[0]


def _come_to_rest(names: list[str], times: list[float], points: ContactPoints, events: list[EventRecord]) -> None:
    """Put one event for all bounces of contacts that stay down now, but for the first of them; none where they are too few."""
    if len(times) < FEWEST or times[-1] - times[-2] > SHORTEST * (times[1] - times[0]):
        return  # as with steps of a walk, each of which ends in one impact
    own = {points.contact_names.index(name) for name in names}
    touches = {f"{point} touches" for point, c in zip(points.names, points.contact_of, strict=True) if c in own}
    events[:] = [event for event in events if not (event.t > times[0] and event.name in touches)]
    said = f"{names[0]} comes to rest" if len(names) == 1 else f"{' and '.join(names)} come to rest"
    events.append(EventRecord(limit_of(np.array(times)), said, len(times)))


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
