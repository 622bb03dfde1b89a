"""What the motions of a batch that go in packs are computed from and into, as compiled code sees it.

A *group* is the states of one pack, a lane each. Its memory is a `Room`, which a worker has for itself; what is given and what
comes out for all states are `Motions`, which all workers share.
"""

from __future__ import annotations

from ctypes import Structure
from typing import Any, TypeAlias

from numba import float64, int64

from ...compilation import declare
from ..flow import Calls
from ..integrators import Method
from ..records import array_type, layout_of, record, tuple_type

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


@record
class Room(Structure):
    """The memory of one worker, by addresses: numbers of all lanes side by side in the last axis."""

    q: int  # (POSITIONS, nq, LANES), see `flow.Scratch`
    v: int  # (VELOCITIES, nv, LANES)
    result: int  # (1, LANES)
    push: int  # (1, 6)
    variants: int  # (numbers, LANES), see `kernels.variants`
    signs: int  # (guards, LANES): of the guards where they were last seen
    measured: int  # (2 · measures, LANES): what has come together, and the values that were last seen
    lanes: int  # (LANES,): RUNNING or what else
    tree: int  # the workspace
    calls: int  # the functions that a step calls, see `flow.Calls`


@record
class Motions(Structure):
    """All states, by addresses: what is given, and what comes out."""

    states: int
    nq: int
    nv: int
    steps: int
    samples: int
    numbers: int  # of a state's own mechanism; 0 where all states have the same
    measures: int  # numbers of what is measured, twice as many as measures
    torques: int  # states that have torques of their own; 1 where all have the same
    q: int  # (states, nq)
    v: int  # (states, nv)
    torque: int  # (torques, intervals, nv)
    variants: int  # (states, numbers)
    times: int  # (steps + 1,)
    sizes: int  # (steps,)
    out_q: int  # (states · samples, nq)
    out_v: int  # (states · samples, nv)
    last_q: int  # (states, nq): the state that was reached
    last_v: int  # (states, nv)
    reached: int  # (states,): how many steps it took
    fate: int  # (states,): RUNNING or what else
    measured: int  # (states, measures)
    stop: int  # (1,): 1 where all shall stop


CALLS, COURSE, ROOM, MOTIONS = map(layout_of, (Calls, Course, Room, Motions))

declare("GivenCourse", array_type(Course))
declare("GivenRoom", array_type(Room))
declare("GivenMotions", array_type(Motions))
declare("GivenMethod", tuple_type(Method, float64[:, ::1], float64[::1], float64[:, ::1], float64[:, ::1], *(int64,) * 3))

GivenCourse: TypeAlias = Any
GivenRoom: TypeAlias = Any
GivenMotions: TypeAlias = Any
GivenMethod: TypeAlias = Any
"""What the above are declared as: each record in an array."""
