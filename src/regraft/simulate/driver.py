"""Several functions of the user as one function of the compiled loop: each gets its own numbers of the state and fills its own.

The numbers are copied, so no function can change the state of the integrator. Behind each copy lie marks, and a function that has
written over them has failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure, addressof
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.memory import table_at, vector_at
from ..compilation import address_of, entry, inline, inline_view
from ..errors import ModelError
from .callbacks import Callback
from .calls import FINE, call_at
from .records import layout_of, record, records_at

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@record
class Head(Structure):
    """A driver as compiled code reads it."""

    count: int  # of the functions
    parts: int  # address of their records
    size: int  # numbers that are filled in the loop's own array
    base: int  # address of the constant part of all numbers, those of motors last
    motor_count: int  # numbers that are filled elsewhere: torques of the motors of loop joints
    cells: int  # address of their places
    motors: int  # address of what these are places in
    failed: bool  # whether a function has failed,
    failed_part: int  # which one,
    overrun: bool  # and whether it wrote past the end


@record
class PartRecord(Structure):
    """One of its functions."""

    address: int  # of the function
    from_q: int  # address of the places in q of its positions, NOWHERE for NaN
    nq: int  # and how many
    from_v: int
    nv: int
    to: int  # address of the places of what it fills; those from `size` on are motors, NOWHERE is dropped
    count: int
    context: int  # what the function is called with, last: that count, unless it has something of its own
    buffer: int  # address of its copies: positions, velocities, results, each with MARKS behind it
    in_python: bool  # whether it fills all of its results, or was never reached


HEAD, PART = layout_of(Head), layout_of(PartRecord)

NOWHERE = -1
"""The place of a number that is absent."""
MARKS = 16
"""Numbers behind each array of a function that it must not write to."""
MARK = -6.02214076e-301


@entry
def drive(t: float, q: int, v: int, out: int, nq: int, nv: int, context: int) -> int:
    """Let all functions of a driver add to the numbers at `out`, with addresses of arrays; says FINE, or 0 for a failure.

    `context` is the address of the driver's record.
    """
    driver = records_at(context, 1, HEAD)[0]
    parts = records_at(driver.parts, driver.count, PART)
    size, position, velocity, results = driver.size, vector_at(q, nq), vector_at(v, nv), vector_at(out, driver.size)
    cells, motors = places_at(driver.cells, driver.motor_count), vector_at(driver.motors, driver.motor_count)
    base = vector_at(driver.base, size + driver.motor_count)
    for i in range(size):
        results[i] = base[i]
    for i in range(driver.motor_count):
        motors[cells[i]] = base[size + i]
    for p in range(driver.count):
        part = parts[p]
        own_q = vector_at(part.buffer, part.nq)
        own_v = vector_at(behind(own_q), part.nv)
        found, to = vector_at(behind(own_v), part.count), places_at(part.to, part.count)
        gather(position, places_at(part.from_q, part.nq), own_q)
        gather(velocity, places_at(part.from_v, part.nv), own_v)
        for i in range(part.count):
            found[i] = np.nan if part.in_python else 0.0  # a signal on the way into Python leaves them as they are
        failed = call_at(part.address, t, own_q, own_v, found, part.context)
        marked = is_marked(own_q) and is_marked(own_v) and is_marked(found)
        if failed != 0 or not marked:
            driver.failed, driver.failed_part, driver.overrun = True, p, not marked
            return 0
        for i in range(part.count):
            if to[i] >= size:
                motors[cells[to[i] - size]] += found[i]
            elif to[i] != NOWHERE:
                results[to[i]] += found[i]
    return FINE


@inline_view
def places_at(address: int, count: int) -> Any:
    """The places at an address."""
    return table_at(address, 1, count, address)[0]


@inline
def behind(numbers: Any) -> int:
    """The address behind numbers and the marks that follow them."""
    end: int = numbers.ctypes.data + 8 * (numbers.shape[0] + MARKS)
    return end


@inline
def gather(state: Any, places: Any, out: Any) -> None:
    """The numbers at these places, NaN for those that are nowhere."""
    for i in range(places.shape[0]):
        out[i] = state[places[i]] if places[i] != NOWHERE else np.nan


@inline
def is_marked(numbers: Any) -> bool:
    """Whether the marks behind some numbers are still there."""
    marks = vector_at(behind(numbers) - 8 * MARKS, MARKS)
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
    """A function of the user with the places of its numbers; NOWHERE for one that is absent."""

    callback: Callback
    from_q: Integers
    from_v: Integers
    to: Integers
    """Places of its results: in the loop's array, then in the cells of motors."""


class Driver:
    """Functions and constants as one function for the compiled loop: that at `driver_kernel`, called with `context`."""

    def __init__(
        self, size: int, base: Array, parts: Sequence[Part], motors: Array | None = None, cells: Integers | None = None
    ) -> None:
        places = np.zeros(0, np.int64) if cells is None else cells
        self.size, self.parts = size, tuple(parts)
        self._keep: list[Any] = [motors]
        self._rows, self._head = (PartRecord * len(parts))(), Head()
        head = self._head
        head.count, head.parts = len(parts), addressof(self._rows)
        head.size, head.base = size, self._at(base)
        head.motor_count, head.cells = len(places), self._at(places)
        head.motors = 0 if motors is None else motors.ctypes.data
        for row, part in zip(self._rows, self.parts, strict=True):
            row.nq, row.nv, row.count = sizes = len(part.from_q), len(part.from_v), len(part.to)
            row.from_q, row.from_v, row.to = (self._at(places) for places in (part.from_q, part.from_v, part.to))
            buffer = np.concatenate([piece for count in sizes for piece in (np.zeros(count), np.full(MARKS, MARK))])
            row.address, row.buffer = part.callback.address, self._at(buffer)
            row.context = row.count if part.callback.context is None else part.callback.context
            row.in_python = part.callback.python is not None

    def _at(self, array: Any) -> int:
        """The address of an array, which is kept as long as this driver."""
        kept = np.ascontiguousarray(array) if array.size else np.zeros(1, array.dtype)
        self._keep.append(kept)
        return int(kept.ctypes.data)

    @property
    def context(self) -> int:
        """What the function at `driver_kernel` is called with, last."""
        return addressof(self._head)

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
        return self.parts[self._head.failed_part].callback.name if self._head.failed else None

    def problem(self) -> BaseException | None:
        """What was wrong with it, as far as it is known."""
        if self._head.overrun:
            return ModelError("it wrote past the end of its arrays; look at the indices of what it writes to.")
        return next((callback.problem for callback in self.callbacks if callback.problem is not None), None)


@dataclass(frozen=True)
class Call:
    """A function of the user as the compiled loop calls it, and what must be kept as long as it may be called."""

    address: int
    context: int = 0
    """What the function there is called with, last."""
    callbacks: tuple[Callback, ...] = ()
    driver: Driver | None = None

    @classmethod
    def of(cls, driver: Driver) -> Call:
        """All functions of a driver as one."""
        return cls(driver_kernel(), driver.context, tuple(driver.callbacks), driver)

    @classmethod
    def to(cls, callback: Callback) -> Call:
        """One function by itself."""
        return cls(callback.address, callbacks=(callback,))
