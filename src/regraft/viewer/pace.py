"""How fast a run goes: as the clock does, or slower where the processor cannot."""

from __future__ import annotations

from collections import deque

from .session import FRAME

_LATE = 3.0  # frames: what is later than this is not caught up with, and the run is slower
_MEASURED = 1.0  # s: over which the speed is measured
_SLOW = 0.93  # of the speed asked for: below this it is told


class Pace:
    """When frames are due, and how much time of the motion passes in a second."""

    def __init__(self) -> None:
        self._due = 0.0
        self._passed: deque[tuple[float, float]] = deque()

    def start(self, now: float) -> None:
        """The run begins, or goes on after a pause."""
        self._due = now
        self._passed.clear()

    def next(self, now: float) -> float:
        """When the frame after this one is due."""
        self._due += FRAME
        if now > self._due + _LATE * FRAME:
            self._due = now
        return self._due

    def passed(self, now: float, t: float) -> None:
        """The motion has come to the time t."""
        self._passed.append((now, t))
        while now - self._passed[0][0] > _MEASURED:
            self._passed.popleft()

    @property
    def speed(self) -> float | None:
        """Time of the motion per time of the clock; None while it is not known."""
        if len(self._passed) < 2:
            return None
        (start, first), (end, last) = self._passed[0], self._passed[-1]
        return (last - first) / (end - start) if end - start > 0.5 * _MEASURED else None

    def words(self, wanted: float) -> str:
        """What there is to tell of a run that is slower than it should be; empty where it is not."""
        found = self.speed
        if found is None or found >= _SLOW * wanted:
            return ""
        return f"This machine is too slow: it runs at {found:.2f} of real time, not at {wanted:g}."
