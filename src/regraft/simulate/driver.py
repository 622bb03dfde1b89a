"""Several functions of the user as one function of the compiled loop: each gets its own numbers of the state and fills its own.

The numbers are copied, so no function can change the state of the integrator. Behind each copy lie marks, and a function that has
written over them has failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.memory import table_at, vector_at
from ..compilation import address_of, entry, inline
from ..errors import ModelError
from .callbacks import Callback
from .calls import FINE, call_at

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# the table of a driver, int64: HEAD words, then PART words for each function
COUNT = 0  # of the functions
FAILED_PART = 1  # 1 + the number of the function that failed
OVERRUN = 2  # 1 where it wrote past the end
SIZE = 3  # numbers that are filled in the loop's own array
BASE = 4  # address of the constant part of all numbers, those of motors last
CELLS_IN = 5  # numbers that are filled elsewhere: torques of the motors of loop joints
CELLS = 6  # address of their places
MOTORS = 7  # address of what these are places in
HEAD = 8

ADDRESS = 0  # of the function
FROM_Q, NQ = 1, 2  # address of the places in q of its positions, and how many; a place −1 gives NaN
FROM_V, NV = 3, 4
TO, OUT = 5, 6  # address of the places of what it fills; those from SIZE on are motors, −1 is dropped
BUFFER = 7  # address of its copies: positions, velocities, results, each with MARKS behind it
IN_PYTHON = 8  # 1 for a function that fills all of its results, or was never reached
PART = 9

MARKS = 16
"""Numbers behind each array of a function that it must not write to."""
MARK = -6.02214076e-301


@entry
def drive(t: float, q: int, v: int, out: int, nq: int, nv: int, table: int) -> int:
    """Let all functions of a driver add to the numbers at `out`, with addresses of arrays; says FINE, or 0 for a failure."""
    head = table_at(table, 1, HEAD, table)[0]
    size, filled, base = head[SIZE], head[CELLS_IN], vector_at(head[BASE], head[SIZE] + head[CELLS_IN])
    results = vector_at(out, size)
    cells, motors = table_at(head[CELLS], 1, filled, table)[0], vector_at(head[MOTORS], filled)
    for i in range(size):
        results[i] = base[i]
    for i in range(filled):
        motors[cells[i]] = base[size + i]
    parts = table_at(table + 8 * HEAD, head[COUNT], PART, table)
    for p in range(head[COUNT]):
        part = parts[p]
        own_q, own_v = part[BUFFER], part[BUFFER] + 8 * (part[NQ] + MARKS)
        own_out = own_v + 8 * (part[NV] + MARKS)
        gather(vector_at(q, nq), table_at(part[FROM_Q], 1, part[NQ], table)[0], vector_at(own_q, part[NQ]))
        gather(vector_at(v, nv), table_at(part[FROM_V], 1, part[NV], table)[0], vector_at(own_v, part[NV]))
        found, to = vector_at(own_out, part[OUT]), table_at(part[TO], 1, part[OUT], table)[0]
        found[:] = np.nan if part[IN_PYTHON] != 0 else 0.0  # a signal on the way into Python leaves them as they are
        failed = call_at(part[ADDRESS], t, own_q, own_v, own_out, part[NQ], part[NV], part[OUT])
        marked = is_marked(own_q, part[NQ]) and is_marked(own_v, part[NV]) and is_marked(own_out, part[OUT])
        if failed != 0 or not marked:
            head[FAILED_PART], head[OVERRUN] = p + 1, 0 if marked else 1
            return 0
        for i in range(part[OUT]):
            if to[i] >= size:
                motors[cells[to[i] - size]] += found[i]
            elif to[i] >= 0:
                results[to[i]] += found[i]
    return FINE


@inline
def gather(state: Any, places: Any, out: Any) -> None:
    """The numbers at these places, NaN for those that are nowhere."""
    for i in range(places.shape[0]):
        out[i] = state[places[i]] if places[i] >= 0 else np.nan


@inline
def is_marked(address: int, count: int) -> bool:
    """Whether the marks behind the numbers at an address are still there."""
    marks = vector_at(address + 8 * count, MARKS)
    changed = 0
    for i in range(MARKS):
        changed += marks[i] != MARK
    return changed == 0


@cache
def driver_kernel() -> int:
    """The address of `drive`."""
    return address_of(drive)


@dataclass(frozen=True)
class Part:
    """A function of the user with the places of its numbers; −1 for one that is absent."""

    callback: Callback
    from_q: Integers
    from_v: Integers
    to: Integers
    """Places of its results: in the loop's array, then in the cells of motors."""


class Driver:
    """Functions and constants as one function for the compiled loop: `address` with `table`."""

    def __init__(
        self, size: int, base: Array, parts: Sequence[Part], motors: Array | None = None, cells: Integers | None = None
    ) -> None:
        places = np.zeros(0, np.int64) if cells is None else cells
        self.size, self.parts = size, tuple(parts)
        self.table = np.zeros(HEAD + PART * len(parts), np.int64)
        self._keep: list[Any] = [motors]
        there = 0 if motors is None else motors.ctypes.data
        self.table[:HEAD] = len(parts), 0, 0, size, self._at(base), len(places), self._at(places), there
        rows = self.table[HEAD:].reshape(-1, PART)
        for row, part in zip(rows, self.parts, strict=True):
            sizes = [len(places) for places in (part.from_q, part.from_v, part.to)]
            buffer = np.concatenate([piece for size in sizes for piece in (np.zeros(size), np.full(MARKS, MARK))])
            row[ADDRESS], row[BUFFER] = part.callback.address, self._at(buffer)
            row[FROM_Q], row[FROM_V], row[TO] = (self._at(places) for places in (part.from_q, part.from_v, part.to))
            row[NQ], row[NV], row[OUT] = sizes
            row[IN_PYTHON] = part.callback.python is not None

    def _at(self, array: Any) -> int:
        """The address of an array, which is kept as long as this driver."""
        kept = np.ascontiguousarray(array) if array.size else np.zeros(1, array.dtype)
        self._keep.append(kept)
        return int(kept.ctypes.data)

    @property
    def context(self) -> int:
        """What the function at `driver_kernel` is called with, last."""
        return int(self.table.ctypes.data)

    def ask(self, t: float, q: Array, v: Array) -> Array:
        """(size,): all results at a state, from Python; those of motors are written to their cells."""
        out = np.zeros(self.size)
        q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
        said = drive(float(t), q.ctypes.data, v.ctypes.data, out.ctypes.data, len(q), len(v), self.context)
        if said != FINE:
            problem = self.problem()
            raise problem if problem is not None else ModelError(f"{self.failed} raised an exception or gave NaN.")
        return out

    @property
    def callbacks(self) -> list[Callback]:
        """The functions of all parts, and those that they call."""
        return [callback for part in self.parts for callback in (part.callback, *part.callback.within)]

    @property
    def failed(self) -> str | None:
        """The name of the function that failed, None where none did."""
        return self.parts[self.table[FAILED_PART] - 1].callback.name if self.table[FAILED_PART] else None

    def problem(self) -> BaseException | None:
        """What was wrong with it, as far as it is known."""
        if self.table[OVERRUN]:
            return ModelError("it wrote past the end of its arrays; look at the indices of what it writes to.")
        return next((callback.problem for callback in self.callbacks if callback.problem is not None), None)
