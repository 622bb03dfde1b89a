"""The rows that the compiled loop writes of a motion: taken out of its table whenever that is full or somebody asks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .stepping_loop import Recording

Array = NDArray[np.float64]

_BYTES_A_CHUNK = 1 << 20


class Recorder:
    """The rows of one segment; with `every` each so many steps a state, else every step with so many dense terms."""

    def __init__(self, nq: int, nv: int, every: int | None, terms: int) -> None:
        self.dense = every is None
        self.recording = Recording(dense=self.dense, every=every or 1)
        """What the loop keeps of it."""
        self._size, self._first = nq + nv, 2 if self.dense else 1
        columns = self._first + self._size + (2 * terms * nv if self.dense else 0)
        self.table = np.empty((max(16, min(2048, _BYTES_A_CHUNK // (8 * columns))), columns))
        """Where the loop writes to."""
        self._chunks: list[Array] = []
        self._given = 0

    def empty(self) -> None:
        """Make room in the table."""
        if self.recording.rows:
            self._chunks.append(self.table[: self.recording.rows].copy())
            self.recording.rows = 0

    def forget(self) -> None:
        """Begin anew."""
        self.recording.rows = self.recording.since = self._given = 0
        self._chunks = []

    def chunks(self) -> list[Array]:
        """All rows so far, in pieces; one without rows where there are none."""
        self.empty()
        return self._chunks or [self.table[:0]]

    def pieces(self) -> list[Array]:
        """All rows so far, the last of them as they lie in the table, which the loop will write over."""
        return [*self._chunks, self.table[: self.recording.rows]]

    def rows(self) -> Array:
        """All rows so far."""
        return np.concatenate(self.chunks())

    def times(self) -> Array:
        """The times of all rows so far."""
        return np.concatenate([rows[:, 0] for rows in self.chunks()])

    def new_states(self) -> tuple[Array, Array]:
        """Times and states of the rows that have come since this was last asked."""
        rows = np.concatenate([self.table[:0], *self.chunks()[self._given :]])
        self._given = len(self._chunks)
        return rows[:, 0], rows[:, self._first : self._first + self._size]
