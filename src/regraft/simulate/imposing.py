"""Prescribed motions inside the compiled loop: all functions are asked at a stage of a step, and their joints put there.

A joint of the tree gets its numbers in q and v, a loop joint what its constraint rows are told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from ctypes import Structure, addressof
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..algebra.memory import table_at, vector_at
from ..ask.told import Place
from ..compilation import address_of, entry
from ..describe.mechanism import Mechanism
from ..errors import ModelError
from ..joints import joint_reach, kind_of
from ..kernels.constraints.tables import PAIR, TOLD_A, TOLD_Q, TOLD_V
from ..kernels.memory import work_at
from ..kernels.tables import GIVEN
from ..structure.workspace import Workspace
from .callbacks import Callback, compiled_callback, is_compiled, python_callback
from .calls import FINE, call_at
from .driver import HEAD as DRIVER
from .driver import Driver, Part, driver_kernel
from .motions import Told
from .records import layout_of, record, records_at

Array = NDArray[np.float64]


@record
class Head(Structure):
    """Prescribed motions as compiled code reads them."""

    drive: int  # address of `driver.drive`
    driver: int  # what it is called with: the functions
    numbers: int  # address of what they say, joint after joint: position, velocity, acceleration
    size: int  # how many numbers these are
    count: int  # of the joints
    places: int  # address of a row for each of them
    work: int  # the workspace
    told: int  # address of what loop joints are told, a row for each of their coordinates
    rows: int  # how many rows these are
    begin: int  # address of the position at the start of the step
    until: float  # time from which on functions are asked for the time `before`, at which they are what they were until then
    before: float


HEAD = layout_of(Head)
FROM, POSITIONS, VELOCITIES, JOINT_KIND, AT_Q, AT_V, PLACE = range(7)
"""Of a joint: its first number, how many there are, its kind, its places in q and v; a loop joint has −1, and its first row."""


@entry
def impose(t: float, q: int, v: int, way: int, nq: int, nv: int, context: int) -> int:
    """Put all prescribed joints of a state where they are to be at a time, with addresses of arrays; says FINE, or 0.

    `way` is the way to q from the start of the step, and is changed with it. `context` is the address of a `Head`.  O(joints).
    """
    head = records_at(context, 1, HEAD)[0]
    position, velocity, moved, begin = vector_at(q, nq), vector_at(v, nv), vector_at(way, nv), vector_at(head.begin, nq)
    numbers, dof = vector_at(head.numbers, head.size), work_at(head.work, 0.0).dof
    places, told = table_at(head.places, head.count, PLACE, head.count), table_at(head.told, head.rows, PAIR, 0.0)
    time = head.before if t >= head.until else t
    if call_at(head.drive, time, position, velocity, numbers, head.driver) != 0:
        return 0
    for j in range(head.count):
        first, d_q, d_v = places[j, FROM], places[j, POSITIONS], places[j, VELOCITIES]
        for i in range(first, first + d_q + 2 * d_v):
            if not math.isfinite(numbers[i]):
                driver = records_at(head.driver, 1, DRIVER)[0]
                driver.failed, driver.failed_part = True, j
                return 0
        at_q, at_v = places[j, AT_Q], places[j, AT_V]
        if at_q >= 0:
            for i in range(d_q):
                position[at_q + i] = numbers[first + i]
            for d in range(d_v):
                velocity[at_v + d], dof[at_v + d, GIVEN] = numbers[first + d_q + d], numbers[first + d_q + d_v + d]
            joint_reach(places[j, JOINT_KIND], position, at_q, begin, at_q, moved, at_v)
        else:
            for d in range(d_v):
                for i in range(d_q):
                    told[at_v + d, TOLD_Q + i] = numbers[first + i]
                told[at_v + d, TOLD_V], told[at_v + d, TOLD_A] = numbers[first + d_q + d], numbers[first + d_q + d_v + d]
    return FINE


@cache
def imposing_kernel() -> int:
    """The address of `impose`."""
    return address_of(impose)


class Imposing:
    """The prescribed motions of a run in one structure, as the function at `imposing_kernel` that is called with `context`."""

    def __init__(self, mech: Mechanism, joints: Sequence[Told], places: Sequence[Place], work: Workspace, begin: Array) -> None:
        table, parts, at = np.zeros((max(1, len(joints)), PLACE), np.int64), [], 0
        for row, joint, place in zip(table, joints, places, strict=False):
            nq, nv = joint.type.nq, joint.type.nv
            at_q = -1 if place.closes else mech.layout.q_slices[joint.name].start
            row[:] = at, nq, nv, kind_of(joint.type), at_q, place.v.start
            nothing = np.zeros(0, np.int64)
            parts.append(Part(_callback(joint), nothing, nothing, np.arange(at, at + nq + 2 * nv)))
            at += nq + 2 * nv
        self.driver = Driver(at, np.zeros(at), parts)
        told, numbers = getattr(work, "told", np.zeros((0, PAIR))), np.zeros(max(1, at))
        self._keep = table, numbers, work, told, begin
        self._head = Head(
            drive=driver_kernel(), driver=self.driver.context, numbers=numbers.ctypes.data, size=at, count=len(joints),
            places=table.ctypes.data, work=int(work), told=told.ctypes.data, rows=len(told), begin=begin.ctypes.data,
        )  # fmt: skip
        self.ends(math.inf)

    @property
    def context(self) -> int:
        """What the function at `imposing_kernel` is called with, last."""
        return addressof(self._head)

    def ends(self, t: float) -> None:
        """From here on the run comes to an event at the time t: what functions say there belongs to what follows."""
        self._head.until, self._head.before = t, math.nextafter(t, -math.inf)

    def last_asked(self, t: float) -> float:
        """The time for which functions are asked in place of t."""
        return float(self._head.before if t >= self._head.until else t)


def _callback(joint: Told) -> Callback:
    """A motion as a C function that fills the numbers of its joint: a compiled one as it is, others through Python."""
    name = f"the prescribed motion of {joint.name!r}"
    if is_compiled(joint.motion):
        try:
            return compiled_callback(joint.motion, "motion", name)
        except ModelError:
            pass  # whatever it returns, such as a list, Python can take apart
    return python_callback(lambda t, _q, _v: joint.numbers(t), joint.type.nq + 2 * joint.type.nv, name)
