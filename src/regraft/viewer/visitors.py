"""Who looks at a page: each visitor has a session of their own, and that of the one who left last waits for the next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

WAITS = 600.0
"""s: so long what the last visitor left behind waits for them to come back, as when a page is loaded again."""


class Visitors(Generic[T]):
    """What each visitor has; every method may be called from any thread.

    Parameters
    ----------
    make : callable
        Makes what a visitor has who finds nothing that waits.
    first : object
        What waits for the first visitor, however late they come.
    """

    def __init__(self, make: Callable[[], T], first: T, clock: Callable[[], float] = time.monotonic) -> None:
        self._make, self._clock = make, clock
        self._lock = threading.Lock()
        self._present: dict[int, T] = {}
        self._waiting: T | None = first
        self._since: float | None = None

    def come(self, visitor: int) -> T:
        """What a new visitor has."""
        with self._lock:
            waiting, self._waiting = self._waiting, None
            fresh = waiting is None or (self._since is not None and self._clock() - self._since > WAITS)
            found = self._make() if fresh or waiting is None else waiting
            self._present[visitor] = found
            return found

    def leave(self, visitor: int) -> None:
        """A visitor has gone."""
        with self._lock:
            left = self._present.pop(visitor, None)
            if left is not None:
                self._waiting, self._since = left, self._clock()

    @property
    def all(self) -> tuple[T, ...]:
        """What is there: that of present visitors, in the order in which they came, or else what waits."""
        with self._lock:
            present = tuple(self._present.values())
            return present or (() if self._waiting is None else (self._waiting,))
