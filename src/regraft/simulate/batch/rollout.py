"""The compiled loop over a batch: one group of states after the other, each from its start to its end, in packs.

A step is that of `simulate`, the same source on another scalar, so a motion is the one that `simulate` computes but for the
rounding of packs. What packs cannot decide for each of their lanes is left to `simulate`: a lane in which a guard goes through
zero, or whose next step is not finite, is handed over at the start of that step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.memory import call_kernel
from ...algebra.scalars import LANES, Scalar, as_packs, lane
from ...compilation import allocating, inline, jit, long_entry
from ..flow import TORQUE, Flow, Scratch, on_flow
from ..places import place_of
from ..stepper import first_slopes, next_step, take_stages, take_step
from .lanes import (
    ABSENT,
    AT_END,
    AT_START,
    FINISHED,
    HANDED_OVER,
    RUNNING,
    Course,
    GivenCalls,
    GivenCourse,
    GivenMethod,
    GivenMotions,
    GivenRoom,
    Motions,
    Room,
)


@long_entry
def roll_out(
    method: GivenMethod, calls: GivenCalls, course: GivenCourse, room: GivenRoom, motions: GivenMotions, first: int, end: int
) -> int:
    """The motions of the states from `first` up to `end`; says 1 where somebody has stopped it before."""
    return begin(method, calls, course[0], room, motions, first, end)


@allocating
def begin(method: Any, calls: Any, course: Course, room: Room, motions: Motions, first: int, end: int) -> int:
    """`roll_out`, with the numbers of all lanes as packs."""
    result = as_packs(room.result)
    scratch = Scratch(as_packs(room.q), as_packs(room.v), result)
    flow = Flow(room.tree, method, calls, room.push, as_packs(room.external), scratch, 0)
    return groups(place_of(flow), result[0], course, room, motions, first, end)


@jit
@on_flow
def groups(flow: Flow, course: Course, room: Room, motions: Motions, first: int, end: int) -> int:
    """One group after the other; in a function of its own, which does not count who uses the arrays."""
    for start in range(first, end, LANES):
        if motions.stop[0] != 0:
            return 1
        take_up(room, motions, start, end)
        if not go_on(flow, course, room, motions, start):
            return 1
    return 0


@jit
def go_on(flow: Flow, course: Course, room: Room, motions: Motions, start: int) -> bool:
    """The motions of a group; False where somebody has stopped it on the way, with what there is until then."""
    times, sizes, steps = motions.times, motions.sizes, motions.sizes.shape[0]
    if course.rows > 0:
        set_torques(course, room, motions, start, 0, steps)
    if course.every > 0 or steps == 0:
        keep_sample(room, motions, start, 0)
    margin = first_slopes(flow, times[0])
    hand_over(room, motions, margin, start, 0, steps > 0)
    look(flow, course, room, times[0], 0.0, AT_START)
    hand_over(room, motions, margin, start, 0, False)
    measure(flow, course, room, times[0], 0.0, AT_START)
    for i in range(steps):
        if motions.stop[0] != 0:
            leave(room, motions, start, i, RUNNING)
            return False
        margin = step_of_all(flow, course, room, motions, start, i)
        hand_over(room, motions, margin, start, i, True)
        look(flow, course, room, times[i + 1], sizes[i], AT_END)
        if not hand_over(room, motions, margin, start, i, False):
            break
        measure(flow, course, room, times[i + 1], sizes[i], AT_END)
        next_step(flow)
        course.done += 1
        if i + 1 == steps or (course.every > 0 and (i + 1) % course.every == 0):
            keep_sample(room, motions, start, 0 if course.every == 0 else (i + course.every) // course.every)
    leave(room, motions, start, steps, FINISHED)
    return True


@inline
def step_of_all(flow: Flow, course: Course, room: Room, motions: Motions, start: int, i: int) -> Scalar:
    """Step i; returns the least MARGIN of each lane.

    Where torques change at its end, the slopes there, which are the first of the next step, are those of the new torques.
    """
    t, steps, last = motions.times[i], motions.sizes.shape[0], flow.method.last
    h = motions.sizes[i] + 0.0 * flow.vectors.result[0]
    if course.rows <= 1 or i + 1 == steps or row_of(course, i, steps) == row_of(course, i + 1, steps):
        return take_step(flow, t, h)
    take_stages(flow, t, h, 1, last)
    set_torques(course, room, motions, start, i + 1, steps)
    return take_stages(flow, t, h, last, last + 1)


@inline
def row_of(course: Course, i: int, steps: int) -> int:
    """The interval of torques that step i belongs to."""
    return i * course.rows // steps


@jit
def set_torques(course: Course, room: Room, motions: Motions, start: int, i: int, steps: int) -> None:
    """The torques of step i for all lanes."""
    torque, of_all, row = room.v[TORQUE], motions.torque.shape[0] == 1, row_of(course, i, max(steps, 1))
    for k in range(LANES):
        b = 0 if of_all else min(start + k, motions.q.shape[0] - 1)
        for d in range(torque.shape[0]):
            torque[d, k] = motions.torque[b, row, d]


@jit
def take_up(room: Room, motions: Motions, start: int, end: int) -> None:
    """Begin with a group: its states and numbers of its own into the lanes. Those that are left over repeat its last state."""
    for k in range(LANES):
        b = min(start + k, end - 1)
        room.lanes[k] = motions.fate[b] if start + k < end else ABSENT
        for i in range(motions.q.shape[1]):
            room.q[0, i, k] = motions.q[b, i]
        for d in range(motions.v.shape[1]):
            room.v[0, d, k] = motions.v[b, d]
            room.v[TORQUE, d, k] = 0.0
        for c in range(motions.variants.shape[1]):
            room.variants[c, k] = motions.variants[b, c]
        room.result[0, k] = 0.0


@inline
def look(flow: Flow, course: Course, room: Room, t: float, h: float, where: int) -> None:
    """Let lanes in which a guard is through zero be HANDED_OVER."""
    if course.looking != 0:
        ask(flow, course.looking, (course.guards, course.guard_count), room.signs, room, (t, h), where)


@inline
def measure(flow: Flow, course: Course, room: Room, t: float, h: float, where: int) -> None:
    """Take what is measured into account, in lanes that are RUNNING."""
    if course.measuring != 0:
        ask(flow, course.measuring, (course.measures, course.measure_count), room.measured, room, (t, h), where)


@jit
def ask(flow: Flow, kernel: int, table: Any, numbers: Any, room: Room, step: Any, where: int) -> None:
    """Call one of the two kernels above by its address."""
    now, lanes = place_of(step), room.lanes.ctypes.data
    call_kernel(kernel, (flow.place, table[0], table[1], numbers.ctypes.data, lanes, now, where, room.result.ctypes.data))


@jit
def hand_over(room: Room, motions: Motions, margin: Scalar, start: int, i: int, judge: bool) -> bool:
    """Leave the lanes that do not go on after i steps, those that are not finite among them if they are to be judged.

    Says whether any lane goes on. What is left is NaN from there on, so that it costs no time.
    """
    going = False
    for k in range(LANES):
        if judge and room.lanes[k] == RUNNING and not lane(margin, k) > 0.0:
            room.lanes[k] = HANDED_OVER
        if room.lanes[k] == HANDED_OVER and motions.fate[start + k] != HANDED_OVER:
            keep_lane(room, motions, start, k, i, HANDED_OVER)
            for d in range(motions.v.shape[1]):
                room.v[0, d, k] = np.nan
        going = going or room.lanes[k] == RUNNING
    return going


@jit
def leave(room: Room, motions: Motions, start: int, i: int, fate: int) -> None:
    """Leave all lanes that are running, after i steps."""
    for k in range(LANES):
        if room.lanes[k] == RUNNING:
            keep_lane(room, motions, start, k, i, fate)


@jit
def keep_lane(room: Room, motions: Motions, start: int, k: int, i: int, fate: int) -> None:
    """Keep the state that a lane has reached after i steps, and what was measured."""
    b = start + k
    motions.fate[b], motions.reached[b] = fate, i
    for c in range(motions.q.shape[1]):
        motions.last_q[b, c] = room.q[0, c, k]
    for d in range(motions.v.shape[1]):
        motions.last_v[b, d] = room.v[0, d, k]
    for m in range(motions.measured.shape[1]):
        motions.measured[b, m] = room.measured[m, k]


@jit
def keep_sample(room: Room, motions: Motions, start: int, row: int) -> None:
    """Write the states of all lanes that are running into a row of samples."""
    for k in range(LANES):
        if room.lanes[k] == RUNNING:
            for i in range(motions.q.shape[1]):
                motions.out_q[start + k, row, i] = room.q[0, i, k]
            for d in range(motions.v.shape[1]):
                motions.out_v[start + k, row, d] = room.v[0, d, k]
