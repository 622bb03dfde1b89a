"""Times as ratios: what is compared is timed in turns, and the best turn of each counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

TURNS = 60


@dataclass(frozen=True)
class Comparison:
    """A time of ours beside a reference's in the same run, in microseconds."""

    what: str
    subject: str
    ours: float
    reference: str
    theirs: float
    target: float | None

    @property
    def ratio(self) -> float:
        """Our time over the reference's."""
        return self.ours / self.theirs

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {**asdict(self), "ratio": self.ratio}


def compare(
    what: str,
    subject: str,
    ours: Callable[[], object],
    reference: str,
    theirs: Callable[[], object],
    target: float | None = None,
    per_call: int = 1,
    calls: int = 400,
    turns: int = TURNS,
) -> Comparison:
    """Time two functions in turns; `per_call` is how many evaluations one call of ours makes."""
    our_calls = max(1, calls // per_call)
    best_ours = best_theirs = float("inf")
    ours(), theirs()
    for _ in range(turns):
        best_ours = min(best_ours, _turn(ours, our_calls) / per_call)
        best_theirs = min(best_theirs, _turn(theirs, calls))
    return Comparison(what, subject, best_ours, reference, best_theirs, target)


def best(function: Callable[[], object], calls: int = 1) -> float:
    """Microseconds of one call, in the best of several turns."""
    function()
    return min(_turn(function, calls) for _ in range(TURNS))


def _turn(function: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - start) / calls * 1e6
