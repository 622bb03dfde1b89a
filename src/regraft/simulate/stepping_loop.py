"""The compiled loop: step after step in one structure, with step control, events and recording.

It runs until the end, an event or a failure; and comes back in between where its record is full, or to let Python look around.
"""

from __future__ import annotations

import math
from ctypes import Structure
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64

from ..algebra.memory import vector_at
from ..compilation import declare, expect, inline, inline_once, jit, long_entry
from ..kernels import chart
from ..kernels.constraints.closure import CLOSE_STATE, CLOSE_VELOCITIES
from ..tolerances import CLOSED, LAST_STEP, NO_PROGRESS, SAME_TIME, TRIED_SHORTER, WHOLE_STEP
from .flow import Flow, flow_stage, model_of, on_flow
from .guarding import FIND, LOOK, NONE, PUT_BACK, SHORTEN, START, ask_guards
from .guards import GUARD, Guards
from .places import place_of
from .records import array_type, record, records_at, tuple_type
from .stepper import (
    ON_A_MANIFOLD,
    SHARE,
    close_step,
    estimate_error,
    evaluate_closed,
    first_slopes,
    make_dense,
    next_step,
    size_of_error,
    take_step,
)

# why the loop came back; GOING: it did not
FINISHED, EVENT, FULL, PAUSED, NOT_FINITE, TOO_SMALL, FUNCTION_FAILED, BEYOND_ALREADY, GOING = range(9)


@record
class Progress(Structure):
    """How far the loop has come."""

    t: float  # time at the start of the next step
    end: float  # time at which the loop finishes
    budget: int  # steps until the loop pauses
    taken: int  # steps taken
    rejected: int  # steps that were not good enough
    looked: bool  # whether the guards have been looked at where the segment starts
    started: bool  # whether the first slopes are there


@record
class Control(Structure):
    """How the sizes of steps are chosen."""

    adaptive: bool  # whether steps are chosen by their errors; else they are fixed
    step: float  # size of the next step; the fixed one where it is fixed
    largest: float  # size that no step exceeds
    least: float  # size that every step but the last exceeds
    grid: float  # time at which the fixed steps began
    rtol: float
    atol: float
    error_before: float  # error of the step before
    retried: bool  # whether a step is tried again
    strict: bool  # whether there is an event in the next steps, so that no error may be left to the closing of loops


@record
class Recording(Structure):
    """What is kept of the motion."""

    dense: bool  # whether every step is kept with its dense output; else only states are
    every: int  # then, steps from one row to the next
    since: int  # and steps since the last row
    rows: int  # rows that are filled


class Stepping(NamedTuple):
    """What the loop keeps from step to step."""

    progress: Progress
    control: Control
    recording: Recording
    record: Any  # the rows: time, state; with dense output time, size of the step, state, terms of u and of v
    coordinate: Any  # for each velocity the place in q of the coordinate whose rate it is, or ON_A_MANIFOLD
    turning: Any  # for each velocity whether it is a rate of turning: GOES, TURNS or ROTATES


GivenStepping = Any
"""A `Stepping` from Python: with an array for each record."""

GIVEN_STEPPING = tuple_type(Stepping, *map(array_type, (Progress, Control, Recording)), float64[:, ::1], int64[::1], int64[::1])
declare("GivenStepping", GIVEN_STEPPING)

# step control (Hairer, Nørsett, Wanner, II.4): a PI controller
SAFETY, SHRINK, GROW, MEMORY = 0.9, 0.2, 10.0, 0.04
FIRST_ERROR = 1e-4
"""That of the step before the first, and the least that is remembered of any."""

MOST_TURN = 1.0
"""The angle by which a joint turns at most in an adaptive step: about an axis only where there are guards."""
GOES, TURNS, ROTATES = range(3)
"""What a velocity may be: of something straight, about an axis, or of a rotation in space."""


@long_entry
def run(given: Flow, given_stepping: GivenStepping, guards: Guards) -> int:
    """Step until the end, an event, a full record, the end of the budget or a failure; says which.

    The first call looks at the guards before any step: where one is beyond zero already, which may be an event, it comes back.
    """
    return go_on(place_of(given), 0.0, given_stepping, guards)


expect(run)  # by most programs


@inline_once
@on_flow
def go_on(flow: Flow, given: GivenStepping, guards: Guards) -> int:
    """`run`; in a function of its own, which does not count who uses the arrays."""
    return steps(flow, given, guards.ctypes.data, guards.shape[0])


@flow_stage
def steps(flow: Flow, given: GivenStepping, at_guards: int, count: int) -> int:
    """`run` on a flow that lies somewhere."""
    guards = records_at(at_guards, count, GUARD)  # an array of them would have a symbol of its own in each process
    stepping = Stepping(given.progress[0], given.control[0], given.recording[0], given.record, given.coordinate, given.turning)
    why = GOING if stepping.progress.started else start(flow, stepping, guards)
    while why == GOING:
        why = advance(flow, stepping, guards)
    return why


@jit
def start(flow: Flow, stepping: Stepping, guards: Guards) -> int:
    """A look at the guards; then the first slopes, the size of the first step, and the signs of the guards.

    Says GOING, or why the loop comes back.
    """
    progress, control, calls = stepping.progress, stepping.control, flow.calls
    if not progress.looked:
        progress.looked = True
        beyond = guards.shape[0] > 0 and ask_guards(flow, guards, LOOK, progress.t, 0.0, 0.0) > 0.0
        if calls.failed:
            return FUNCTION_FAILED
        if beyond:
            return BEYOND_ALREADY
    if not progress.t < progress.end:
        return GOING
    margin = first_slopes(flow, progress.t)
    if calls.failed:
        return FUNCTION_FAILED
    if not margin > 0.0:
        return NOT_FINITE
    if control.adaptive:
        control.step = first_size(flow, stepping)
    if guards.shape[0] > 0:
        ask_guards(flow, guards, START, progress.t, control.step, 0.0)
    if calls.failed:
        return FUNCTION_FAILED
    control.grid = progress.t
    progress.started = True
    return GOING


@inline
def advance(flow: Flow, stepping: Stepping, guards: Guards) -> int:
    """Take one step, or find that it must be tried again; says GOING, or why the loop comes back."""
    progress, control, calls = stepping.progress, stepping.control, flow.calls
    t = progress.t
    if t >= progress.end:
        return FINISHED
    if stepping.recording.rows == stepping.record.shape[0]:
        return FULL
    if progress.budget <= 0:
        return PAUSED
    h, last = step_size(progress, control, longest_step(flow, stepping, guards.shape[0] > 0))
    if not h > max(NO_PROGRESS * abs(t), control.least):
        if not last:
            return TOO_SMALL
        progress.t = progress.end  # what is left is rounding
        return FINISHED
    margin = take_step(flow, t, h)
    if calls.failed:
        return FUNCTION_FAILED
    forgiven = False
    if control.adaptive:
        error = np.inf
        if margin > 0.0:
            error, forgiven = step_error(flow, stepping, h)
        if not accept(stepping, flow.method.order, h, last, error):
            return GOING
    elif not margin > 0.0:
        return NOT_FINITE
    if calls.reach != 0:
        vector_at(calls.reach, 2)[1] = control.step if control.adaptive else 0.0
    if calls.closes and not close_end(flow, t, h):
        if not (control.adaptive and calls.watch != 0 and h > TRIED_SHORTER):
            return NOT_FINITE
        return try_shorter(stepping, h)  # contacts may end before, where a shorter step sees it
    if stepping.recording.dense or guards.shape[0] > 0:
        margin = make_dense(flow, t, h)
        if calls.failed:
            return FUNCTION_FAILED
        if not margin > 0.0:  # only adaptive methods have stages for it
            return try_shorter(stepping, h)
    progress.budget -= 1
    if guards.shape[0] > 0:
        zero = ask_guards(flow, guards, FIND, t, h, flow.method.terms if control.adaptive else 1)
        if calls.failed:
            return FUNCTION_FAILED
        if zero != NONE and forgiven:  # no error is, at an event
            ask_guards(flow, guards, PUT_BACK, t, h, 0.0)
            control.strict, control.retried, control.step = True, True, h * SHRINK
            return GOING
        if zero != NONE:
            h = ask_guards(flow, guards, SHORTEN, t, h, zero)
            if calls.failed:
                return FUNCTION_FAILED
            finish_step(flow, stepping, t + abs(h), abs(h))
            return EVENT if h >= 0.0 else GOING
    finish_step(flow, stepping, progress.end if last else t + h, h)
    return GOING


@inline
def try_shorter(stepping: Stepping, h: float) -> int:
    """Have a step of size h taken again, much shorter; says GOING."""
    stepping.progress.rejected += 1
    stepping.control.retried, stepping.control.step = True, h * SHRINK
    return GOING


@inline
def close_end(flow: Flow, t: float, h: float) -> bool:
    """Close the loops again at the end of a step of size h from the time t on; whether that is possible."""
    end, slopes = flow.vectors.end, flow.vectors.slopes
    if not close_step(flow, end.v, h, CLOSE_STATE) < CLOSED:
        return False
    if flow.vectors.result[0] != 0.0:  # something was stopped, and the last slopes are those before it
        u, v = slopes.u[flow.method.last], slopes.v[flow.method.last]
        evaluate_closed(flow, t + h, end, v)
        chart.advance(model_of(flow).walk, flow.vectors.to_end, end.v, v, u)
    return True


@inline
def step_error(flow: Flow, stepping: Stepping, h: float) -> tuple[float, bool]:
    """The estimated error of a step, in units of its tolerance; where loops are closed after it, what that leaves of the error.

    Beside it whether it is small enough only for that.

    Closing takes out all that lies across the motions which loops allow, but for the square of it. Near a singular position that
    is what rounding makes large, and smaller steps would make it larger still.

    Where a method has a coarse estimate e₃ too, the error is e₅² / √(e₅² + (e₃ / 10)²) (Hairer, Nørsett, Wanner, II.10).
    """
    control, parts = stepping.control, flow.vectors.error
    error, coarse = 0.0, 0.0
    for which in range(flow.method.error.shape[0] - 1, -1, -1):
        estimate_error(flow, h, which)
        coarse, error = error, size_of_error(flow.vectors, stepping.coordinate, control.rtol, control.atol)
    share = error / math.sqrt(error * error + 0.01 * coarse * coarse) if coarse > 0.0 else 1.0
    error *= share
    if error <= 1.0 or not flow.calls.closes or control.strict:
        return error, False
    squared = error * error * SHARE * max(control.rtol, control.atol)
    if not squared <= 1.0:
        return error, False
    for part in (parts.u, parts.v):
        chart.carry_back(model_of(flow).walk, flow.vectors.to_end, part, part)
        close_step(flow, part, h, CLOSE_VELOCITIES)
    left = share * size_of_error(flow.vectors, stepping.coordinate, control.rtol, control.atol)
    return min(error, max(squared, left)), left <= 1.0


@inline
def longest_step(flow: Flow, stepping: Stepping, guarded: bool) -> float:
    """How long a step may be: nothing turns by more than MOST_TURN, and contacts do not pass through anything.

    Guards of what turns may go to and fro in each turn; and whole turns are where the tangent vectors of rotations end.
    """
    v, fastest, most = flow.vectors.start.v, 0.0, np.inf
    for d in range(v.shape[0]):
        if stepping.turning[d] == ROTATES or (guarded and stepping.turning[d] == TURNS):
            fastest = max(fastest, abs(v[d]))
    if flow.calls.reach != 0:
        most = vector_at(flow.calls.reach, 1)[0]
    return min(most, MOST_TURN / fastest) if fastest > 0.0 else most


@inline
def step_size(progress: Progress, control: Control, most: float) -> tuple[float, bool]:
    """The size of the next step, `most` of an adaptive one, and whether it is the last.

    The last two share what is left, so that none is tiny.
    """
    left = progress.end - progress.t
    if not control.adaptive:
        taken = math.floor((progress.t - control.grid) / control.step + WHOLE_STEP)
        h = control.grid + (taken + 1) * control.step - progress.t  # so that rounding does not add up
        return (left, True) if h >= left * (1.0 - LAST_STEP) else (h, False)
    h = min(control.step, control.largest, most)
    if h >= left:
        return left, True
    return (0.5 * left, False) if 2.0 * h > left else (h, False)


@inline
def accept(stepping: Stepping, order: int, h: float, last: bool, error: float) -> bool:
    """Whether a step is good enough; sets the size of the next one, or of the next attempt."""
    control = stepping.control
    power = 1.0 / order - 0.75 * MEMORY
    if error <= 1.0:
        change = error**power / control.error_before**MEMORY / SAFETY
        new = h / max(1.0 / GROW, min(1.0 / SHRINK, change))
        if control.retried:
            new, control.retried = min(new, h), False
        if not last or new < control.step:
            control.step = new
        control.error_before = max(error, FIRST_ERROR)
        return True
    stepping.progress.rejected += 1
    control.retried = True
    control.step = h * max(SHRINK, SAFETY / error**power) if error < 1e300 else h * SHRINK
    return False


@inline
def finish_step(flow: Flow, stepping: Stepping, t: float, h: float) -> None:
    """Write the step's row, if it has one, and go on to the next step at the time t."""
    progress, recording = stepping.progress, stepping.recording
    if recording.dense:
        write_step(flow, stepping.record[recording.rows], progress.t, h)
        recording.rows += 1
    else:
        if recording.since == 0:
            write_state(flow, stepping.record[recording.rows], progress.t)
            recording.rows += 1
        recording.since = (recording.since + 1) % recording.every
    next_step(flow)
    progress.t = t
    progress.taken += 1
    stepping.control.strict = False


@inline
def write_step(flow: Flow, row: Any, t: float, h: float) -> None:
    """A row with a step: its time and size, the state at its start, and its dense output."""
    start, dense = flow.vectors.start, flow.vectors.dense
    nq, nv = start.q.shape[0], start.v.shape[0]
    row[0], row[1] = t, h
    for i in range(nq):
        row[2 + i] = start.q[i]
    for d in range(nv):
        row[2 + nq + d] = start.v[d]
    for term in range(flow.method.terms):
        at_u = 2 + nq + (1 + term) * nv
        at_v = at_u + flow.method.terms * nv
        for d in range(nv):
            row[at_u + d], row[at_v + d] = dense.u[term, d], dense.v[term, d]


@inline
def write_state(flow: Flow, row: Any, t: float) -> None:
    """A row with the state at the start of a step."""
    start = flow.vectors.start
    row[0] = t
    for i in range(start.q.shape[0]):
        row[1 + i] = start.q[i]
    for d in range(start.v.shape[0]):
        row[1 + start.q.shape[0] + d] = start.v[d]


@jit
def first_size(flow: Flow, stepping: Stepping) -> float:
    """A first step size from the sizes of the state, its slope and the change of that (Hairer, Nørsett, Wanner, II.4)."""
    start, end, rates, control = flow.vectors.start, flow.vectors.end, flow.vectors.slopes.v, stepping.control
    nv, rtol, atol = start.v.shape[0], control.rtol, control.atol
    state, slope = 0.0, 0.0
    for d in range(nv):
        size = size_of(start.q, stepping.coordinate[d])
        scale_u, scale_v = atol + rtol * size, atol + rtol * abs(start.v[d])
        state = max(state, size / scale_u, abs(start.v[d]) / scale_v)
        slope = max(slope, abs(start.v[d]) / scale_u, abs(rates[0, d]) / scale_v)
    left = min(stepping.progress.end - stepping.progress.t, control.largest)
    h = 1e-6 if state < 1e-5 or slope < 1e-5 else 0.01 * state / slope
    h = min(h, left)
    if nv == 0 or not h > 0.0:
        return left
    margin = take_step(flow, stepping.progress.t, h)
    if not margin > 0.0:
        return h
    bend, last = 0.0, flow.method.last
    for d in range(nv):
        size = size_of(start.q, stepping.coordinate[d])
        bend = max(bend, abs(end.v[d] - start.v[d]) / (atol + rtol * size) / h)
        bend = max(bend, abs(rates[last, d] - rates[0, d]) / (atol + rtol * abs(start.v[d])) / h)
    largest = max(slope, bend)
    other = max(1e-6, h * 1e-3) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / flow.method.order)
    least = SAME_TIME * max(1.0, abs(stepping.progress.t))  # where the trial went far beyond what holds, its bend says nothing
    return min(100.0 * h, max(other, least), left)


@jit
def size_of(q: Any, place: int) -> float:
    """The size of the coordinate at a place in q, 1 for what is on a manifold."""
    return 1.0 if place == ON_A_MANIFOLD else abs(q[place])
