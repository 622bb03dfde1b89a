"""Events that follow each other at once, whether without end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..tolerances import CASCADE
from .histories import EventRecord

ENDLESS = 100
"""So many times in a row, each within `CASCADE` of the last, the same few events make a cascade that would never end."""
SHRINKING = 4
"""So many are enough where it is the same event each time, a little later."""


class Cascade:
    """The events of a run that come at once after one another."""

    def __init__(self) -> None:
        self.in_a_row = 0
        self._begun = 0

    def is_endless(self, happened: Sequence[EventRecord], t: float) -> bool:
        """Count an event at a time, after all that has happened before; whether it goes on like this for ever."""
        if not happened or t - happened[-1].t > CASCADE * (1.0 + abs(t)):
            self.in_a_row, self._begun = 0, len(happened)
            return False
        self.in_a_row += 1
        recent = [*happened[-SHRINKING:], EventRecord(t, happened[-1].name)]
        shrinking = len({record.name for record in recent}) == 1 and all(a.t < b.t for a, b in pairwise(recent))
        long = self.in_a_row % ENDLESS == 0 and self.in_a_row >= 2 * len(self.names(happened))
        return long or (self.in_a_row >= SHRINKING and shrinking)

    def names(self, happened: Sequence[EventRecord]) -> dict[str, None]:
        """The events of the present cascade."""
        return dict.fromkeys(record.name for record in happened[self._begun :])
