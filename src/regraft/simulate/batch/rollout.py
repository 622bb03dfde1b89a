"""The compiled loop over a batch: one group of states after the other, each from its start to its end, in packs.

A step is that of `simulate`, the same source on another scalar, so a motion is the one that `simulate` computes but for the
rounding of packs. What packs cannot decide for each of their lanes is left to `simulate`: a lane in which a guard goes through
zero, or whose next step is not finite, is handed over at the start of that step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.memory import call_kernel, table_at, vector_at
from ...algebra.scalars import LANES, Scalar, as_packs, lane
from ...compilation import allocating, inline, inline_view, jit, long_entry
from ...kernels.tables import EXTERNAL
from ..flow import POSITIONS, TORQUE, VELOCITIES, Flow, Scratch, flow_stage
from ..places import place_of
from ..records import records_at
from ..stepper import first_slopes, next_step, take_stages, take_step
from .lanes import (
    ABSENT,
    AT_END,
    AT_START,
    CALLS,
    COURSE,
    FINISHED,
    HANDED_OVER,
    MOTIONS,
    ROOM,
    RUNNING,
    Course,
    GivenCourse,
    GivenMethod,
    GivenMotions,
    GivenRoom,
    Motions,
    Room,
)


@long_entry
def roll_out(method: GivenMethod, course: GivenCourse, room: GivenRoom, motions: GivenMotions, first: int, end: int) -> int:
    """The motions of the states from `first` up to `end`, group by group; says 1 where somebody has stopped it before."""
    return groups(method, course.ctypes.data, room.ctypes.data, motions.ctypes.data, first, end)


@allocating
def groups(method: Any, course: int, room: int, motions: int, first: int, end: int) -> int:
    """`roll_out`, with the numbers of all lanes as packs."""
    own, all_of_them = records_at(room, 1, ROOM)[0], records_at(motions, 1, MOTIONS)[0]
    result = as_packs(table_at(own.result, 1, LANES, 0.0))
    scratch = Scratch(
        table_at(own.q, POSITIONS, all_of_them.nq, result[0]), table_at(own.v, VELOCITIES, all_of_them.nv, result[0]), result
    )
    calls, push, nothing = records_at(own.calls, 1, CALLS), table_at(own.push, 1, 6, 0.0), table_at(0, 0, EXTERNAL, result[0])
    flow = Flow(own.tree, method, calls, push, nothing, scratch, 0)
    placed = Flow(own.tree, method, calls, push, nothing, scratch, place_of(flow))
    for start in range(first, end, LANES):
        if not go_through(placed, course, room, motions, start, min(start + LANES, end)):
            return 1
    return 0


@inline_view
def integers(address: int, count: int) -> Any:
    """The integers at an address."""
    return table_at(address, 1, count, address)[0]


@inline_view
def lanes_at(address: int, rows: int) -> Any:
    """The numbers of all lanes at an address, a row for each."""
    return table_at(address, rows, LANES, 0.0)


@flow_stage
def go_through(flow: Flow, at_course: int, at_room: int, at_motions: int, start: int, end: int) -> bool:
    """The motions of a group; False where somebody has stopped it on the way, with what there is until then.

    It takes course, room and motions by their addresses, and is a stage so that it is compiled and optimised once.
    """
    course, room, motions = (
        records_at(at_course, 1, COURSE)[0],
        records_at(at_room, 1, ROOM)[0],
        records_at(at_motions, 1, MOTIONS)[0],
    )
    steps, stop = motions.steps, integers(motions.stop, 1)
    times, sizes = vector_at(motions.times, steps + 1), vector_at(motions.sizes, steps)
    if stop[0] != 0:
        return False
    take_up(room, motions, start, end)
    if course.rows > 0:
        set_torques(course, room, motions, start, 0)
    if course.every > 0 or steps == 0:
        keep_sample(room, motions, start, 0)
    margin = first_slopes(flow, times[0])
    hand_over(room, motions, margin, start, 0, steps > 0)
    look(flow.place, course, room, times[0], 0.0, AT_START)
    hand_over(room, motions, margin, start, 0, False)
    measure(flow.place, course, room, times[0], 0.0, AT_START)
    for i in range(steps):
        if stop[0] != 0:
            leave(room, motions, start, i, RUNNING)
            return False
        margin = step_of_all(flow, course, room, motions, start, i, times[i], sizes[i] + 0.0 * flow.vectors.result[0])
        hand_over(room, motions, margin, start, i, True)
        look(flow.place, course, room, times[i + 1], sizes[i], AT_END)
        if not hand_over(room, motions, margin, start, i, False):
            break
        measure(flow.place, course, room, times[i + 1], sizes[i], AT_END)
        next_step(flow)
        course.done += 1
        if i + 1 == steps or (course.every > 0 and (i + 1) % course.every == 0):
            keep_sample(room, motions, start, 0 if course.every == 0 else (i + course.every) // course.every)
    leave(room, motions, start, steps, FINISHED)
    return True


@inline
def step_of_all(flow: Flow, course: Course, room: Room, motions: Motions, start: int, i: int, t: float, h: Scalar) -> Scalar:
    """Step i; returns the least MARGIN of each lane.

    Where torques change at its end, the slopes there, which are the first of the next step, are those of the new torques.
    """
    steps, last = motions.steps, flow.method.last
    if course.rows <= 1 or i + 1 == steps or row_of(course, i, steps) == row_of(course, i + 1, steps):
        return take_step(flow, t, h)
    take_stages(flow, t, h, 1, last)
    set_torques(course, room, motions, start, i + 1)
    return take_stages(flow, t, h, last, last + 1)


@inline
def row_of(course: Course, i: int, steps: int) -> int:
    """The interval of torques that step i belongs to."""
    return i * course.rows // steps


@jit
def set_torques(course: Course, room: Room, motions: Motions, start: int, i: int) -> None:
    """The torques of step i for all lanes."""
    nv, of_all, row = motions.nv, motions.torques == 1, row_of(course, i, max(motions.steps, 1))
    torque, given = torques_of(room, nv), table_at(motions.torque, motions.torques * course.rows, nv, 0.0)
    for k in range(LANES):
        b = 0 if of_all else min(start + k, motions.states - 1)
        for d in range(nv):
            torque[d, k] = given[b * course.rows + row, d]


@inline_view
def torques_of(room: Room, nv: int) -> Any:
    """(nv, LANES): the torques of all lanes."""
    return lanes_at(room.v + 8 * LANES * TORQUE * nv, nv)


@jit
def take_up(room: Room, motions: Motions, start: int, end: int) -> None:
    """Begin with a group: its states and numbers of its own into the lanes. Those that are left over repeat its last state."""
    nq, nv, numbers, fate = motions.nq, motions.nv, motions.numbers, integers(motions.fate, motions.states)
    lanes, result, torque = integers(room.lanes, LANES), lanes_at(room.result, 1), torques_of(room, nv)
    for k in range(LANES):
        b = min(start + k, end - 1)
        lanes[k] = fate[b] if start + k < end else ABSENT
        fill_lane(motions.q, b, nq, room.q, k)
        fill_lane(motions.v, b, nv, room.v, k)
        if numbers > 0:
            fill_lane(motions.variants, b, numbers, room.variants, k)
        for d in range(nv):
            torque[d, k] = 0.0
        result[0, k] = 0.0


@jit
def fill_lane(table: int, row: int, count: int, lanes: int, k: int) -> None:
    """A row of a table into lane k, by addresses."""
    given, there = table_at(table, row + 1, count, 0.0), lanes_at(lanes, count)
    for i in range(count):
        there[i, k] = given[row, i]


@jit
def keep_row(lanes: int, k: int, count: int, table: int, row: int) -> None:
    """The other way."""
    there, given = lanes_at(lanes, count), table_at(table, row + 1, count, 0.0)
    for i in range(count):
        given[row, i] = there[i, k]


@inline
def look(flow: int, course: Course, room: Room, t: float, h: float, where: int) -> None:
    """Let lanes in which a guard is through zero be HANDED_OVER."""
    ask(course.looking, (flow, course.guards, course.guard_count, room.signs), room, t, h, where)


@inline
def measure(flow: int, course: Course, room: Room, t: float, h: float, where: int) -> None:
    """Take what is measured into account, in lanes that are RUNNING."""
    ask(course.measuring, (flow, course.measures, course.measure_count, room.measured), room, t, h, where)


@inline
def ask(kernel: int, what: tuple[int, ...], room: Room, t: float, h: float, where: int) -> None:
    """Call one of the two kernels by its address, if there is one."""
    if kernel != 0:
        step = place_of((t, h))
        call_kernel(kernel, (what[0], what[1], what[2], what[3], room.lanes, step, where, room.result))


@jit
def hand_over(room: Room, motions: Motions, margin: Scalar, start: int, i: int, judge: bool) -> bool:
    """Leave the lanes that do not go on after i steps, those that are not finite among them if they are to be judged.

    Says whether any lane goes on. What is left is NaN from there on, so that it costs no time.
    """
    going, lanes, fate = False, integers(room.lanes, LANES), integers(motions.fate, motions.states)
    velocities = lanes_at(room.v, motions.nv)
    for k in range(LANES):
        if judge and lanes[k] == RUNNING and not lane(margin, k) > 0.0:
            lanes[k] = HANDED_OVER
        if lanes[k] == HANDED_OVER and fate[start + k] != HANDED_OVER:
            keep_lane(room, motions, start, k, i, HANDED_OVER)
            for d in range(motions.nv):
                velocities[d, k] = np.nan
        going = going or lanes[k] == RUNNING
    return going


@jit
def leave(room: Room, motions: Motions, start: int, i: int, fate: int) -> None:
    """Leave all lanes that are running, after i steps."""
    lanes = integers(room.lanes, LANES)
    for k in range(LANES):
        if lanes[k] == RUNNING:
            keep_lane(room, motions, start, k, i, fate)


@jit
def keep_lane(room: Room, motions: Motions, start: int, k: int, i: int, fate: int) -> None:
    """Keep the state that a lane has reached after i steps, and what was measured."""
    b = start + k
    integers(motions.fate, motions.states)[b] = fate
    integers(motions.reached, motions.states)[b] = i
    keep_row(room.q, k, motions.nq, motions.last_q, b)
    keep_row(room.v, k, motions.nv, motions.last_v, b)
    keep_row(room.measured, k, motions.measures, motions.measured, b)


@jit
def keep_sample(room: Room, motions: Motions, start: int, row: int) -> None:
    """Write the states of all lanes that are running into a row of samples."""
    lanes = integers(room.lanes, LANES)
    for k in range(LANES):
        if lanes[k] == RUNNING:
            place = (start + k) * motions.samples + row
            keep_row(room.q, k, motions.nq, motions.out_q, place)
            keep_row(room.v, k, motions.nv, motions.out_v, place)
