"""What the motions of a batch that go in packs are computed from and into, as compiled code sees it.

A *group* is the states of one pack, a lane each. Its memory is a `Room`, which a worker has for itself; what is given and what
comes out for all states are `Motions`, which all workers share.
"""

from __future__ import annotations

from ctypes import Structure
from typing import Any, NamedTuple, TypeAlias

from numba import float64, int64

from ...compilation import declare
from ..flow import Calls
from ..integrators import Method
from ..records import array_type, record, tuple_type

RUNNING, FINISHED, HANDED_OVER, ABSENT = range(4)
"""What has become of a state: it is to go on; it is at the end; a guard goes through zero in its next step, or that step has no
finite result, so that it goes on by itself from where it is; or there is no such state, in the last group."""
AT_START, AT_END = range(2)
"""Where guards and measures are looked at: at the start of the motion, or at the end of a step."""


@record
class Course(Structure):
    """What all groups of a worker have in common."""

    every: int  # steps from one sample to the next; 0 where only the end is kept
    rows: int  # over how many intervals torques are given, 0 where there are none
    looking: int  # address of what looks at guards (`lane_guards.look_kernel`), 0 where there are none
    guards: int  # address of them,
    guard_count: int  # and how many
    measuring: int  # address of what measures (`lane_measures.measure_kernel`), 0 where there is nothing to measure
    measures: int  # address of what is measured,
    measure_count: int  # and how many
    done: int  # steps of groups that are done, for whoever looks at it meanwhile


class Room(NamedTuple):
    """The memory of one worker: numbers of all lanes side by side in the last axis."""

    q: Any  # (POSITIONS, nq, LANES), see `flow.Scratch`
    v: Any  # (VELOCITIES, nv, LANES)
    result: Any  # (1, LANES)
    external: Any  # (0, EXTERNAL, LANES)
    push: Any  # (1, 6)
    variants: Any  # (numbers, LANES), see `kernels.variants`
    signs: Any  # (guards, LANES): of the guards where they were last seen; 0 for one that was at zero
    measured: Any  # (2 · measures, LANES): what has come together, and the values that were last seen
    lanes: Any  # (LANES,): RUNNING or what else
    tree: int  # the workspace


class Motions(NamedTuple):
    """All states: what is given, and what comes out."""

    q: Any  # (states, nq)
    v: Any  # (states, nv)
    torque: Any  # (1 or states, intervals, nv)
    variants: Any  # (states, numbers), or (0, 0)
    times: Any  # (steps + 1,)
    sizes: Any  # (steps,)
    out_q: Any  # (states, samples, nq)
    out_v: Any  # (states, samples, nv)
    last_q: Any  # (states, nq): the state that was reached
    last_v: Any  # (states, nv)
    reached: Any  # (states,): how many steps it took
    fate: Any  # (states,): RUNNING or what else
    measured: Any  # (states, 2 · measures)
    stop: Any  # (1,): 1 where all shall stop


_TABLE, _BLOCKS, _FLOATS, _INTEGERS = float64[:, ::1], float64[:, :, ::1], float64[::1], int64[::1]

declare(
    "GivenRoom",
    tuple_type(Room, _BLOCKS, _BLOCKS, _TABLE, _BLOCKS, _TABLE, _TABLE, _TABLE, _TABLE, _INTEGERS, int64),
)
declare(
    "GivenMotions",
    tuple_type(
        Motions, _TABLE, _TABLE, _BLOCKS, _TABLE, _FLOATS, _FLOATS, _BLOCKS, _BLOCKS, _TABLE, _TABLE, _INTEGERS, _INTEGERS,
        _TABLE, _INTEGERS,
    ),
)  # fmt: skip
declare("GivenCourse", array_type(Course))
declare("GivenCalls", array_type(Calls))
declare("GivenMethod", tuple_type(Method, _TABLE, _FLOATS, _TABLE, _TABLE, *(int64,) * 3))

GivenRoom: TypeAlias = Any
GivenMotions: TypeAlias = Any
GivenCourse: TypeAlias = Any
GivenCalls: TypeAlias = Any
GivenMethod: TypeAlias = Any
"""What the above are declared as."""
