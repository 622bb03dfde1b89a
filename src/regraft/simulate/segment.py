"""The compiled loop: steps from one change of structure to the next, with step control, events and records."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..algebra.memory import borrowed, borrowed_vector
from ..compilation import Floats, Integers, IntegerTable, Table, jit, long_entry
from ..kernels.constraints.closure import CLOSE_STATE, CLOSE_VELOCITIES
from ..kernels.memory import model_at, positions_in, work_at
from ..kernels.tables import KernelModel, Work
from ..tolerances import CLOSED, LAST_STEP, NO_PROGRESS, WHOLE_STEP
from .crossings import SAMPLES, first_zero, shorten
from .guards import keep_guards, look_at_guards, put_guards_back, start_guards
from .stepper import (
    DENSE_U,
    ERROR_U,
    ERROR_V,
    FAILED,
    LOOPS,
    Q0,
    Q1,
    RESULT,
    SHARE,
    SLOPE_V,
    V0,
    V1,
    close_step,
    estimate_error,
    evaluate,
    first_slopes,
    make_dense,
    next_step,
    size_of_error,
    take_step,
)

# why the loop came back
FINISHED, EVENT, FULL, PAUSED, NOT_FINITE, TOO_SMALL, FUNCTION_FAILED, BEYOND_ALREADY = range(8)
GOING = -1  # it did not

# clock: float64
T = 0  # time at the start of the next step
STEP = 1  # size of the next step; the fixed one where it is fixed
END = 2  # time at which the loop finishes
RTOL = 3
ATOL = 4
LARGEST = 5  # size that no step exceeds
OLD_ERROR = 6  # error of the step before, for the step control
START = 7  # time at which the fixed steps began
LEAST = 8  # size that every step but the last exceeds
CLOCK = 9

# counts: int64
ROWS = 0  # rows of the record that are filled
BUDGET = 1  # steps until the loop pauses
EVERY = 2  # steps from one row to the next; 0: every step, with its dense output
SINCE = 3  # steps since the last row
STARTED = 4  # 1 once the first slopes are there
ADAPTIVE = 5
TAKEN = 6  # steps taken
REJECTED = 7  # steps that were not good enough
AGAIN = 8  # 1 while a step is tried again
STABILISED = 9  # 1 where loops are closed again after each step
STRICT = 10  # 1 where there is an event in the next steps, so that no error may be left to the closing of loops
LOOKED = 11  # 1 once the guards have been looked at where the segment starts
COUNTS = 12

# step control (Hairer, Nørsett, Wanner, II.4): a PI controller
SAFETY, SHRINK, GROW, MEMORY = 0.9, 0.2, 10.0, 0.04


@long_entry
def run(
    handle: int, table: Table, order: int, S: Table, clock: Floats, counts: Integers, coordinate: Integers,
    functions: Integers, push: Table, external: Table, guards: IntegerTable, numbers: Table, record: Table,
) -> int:  # fmt: skip
    """Step until the end, an event, a full record, the end of the budget or a failure; says which.

    The first call looks at the guards before any step: where one is beyond zero already, which may be an event, it comes back.
    """
    table, S, push, external = borrowed(table), borrowed(S), borrowed(push), borrowed(external)
    guards, numbers, record = borrowed(guards), borrowed(numbers), borrowed(record)
    clock, counts, functions = borrowed_vector(clock), borrowed_vector(counts), borrowed_vector(functions)
    model, work, nq = model_at(handle), work_at(handle, S), positions_in(handle)
    nv, stages, closing = work.dof.shape[0], table.shape[1], functions[LOOPS] != 0 and counts[STABILISED] != 0
    if counts[STARTED] == 0:
        why = start(model, work, table, order, functions, clock, counts, S, nq, coordinate, push, external, guards, numbers)
        if why != GOING:
            return why
    while True:
        t = clock[T]
        if t >= clock[END]:
            return FINISHED
        if counts[ROWS] == record.shape[0]:
            return FULL
        if counts[BUDGET] == 0:
            return PAUSED
        h, last = step_size(clock, counts)
        if not h > max(NO_PROGRESS * abs(t), clock[LEAST]):
            if last:  # what is left is rounding
                clock[T] = clock[END]
                return FINISHED
            return TOO_SMALL
        margin = take_step(model, work, table, functions, t, h, S, nq, push, external)
        if functions[FAILED] != 0:
            return FUNCTION_FAILED
        forgiven = False
        if counts[ADAPTIVE] != 0:
            error = np.inf
            if margin > 0.0:
                error, forgiven = step_error(table, functions, S, h, nv, coordinate, clock, counts)
            if not accept(clock, counts, order, h, last, error):
                continue
        elif not margin > 0.0:
            return NOT_FINITE
        if closing:
            if not close_step(functions, S, V1, CLOSE_STATE) < CLOSED:
                return NOT_FINITE
            if S[RESULT, 0] != 0.0:  # the last slopes are those before it
                evaluate(model, work, functions, t + h, S, nq, Q1, V1, SLOPE_V + stages - 1, push, external)
        counts[BUDGET] -= 1
        if counts[EVERY] == 0 or guards.shape[0] > 0:
            make_dense(table, S, h, nv)
        if guards.shape[0] > 0:
            keep_guards(guards, numbers)
            theta = first_zero(model, work, guards, numbers, functions, t, h, S, nq, SAMPLES if counts[ADAPTIVE] != 0 else 1)
            if functions[FAILED] != 0:
                return FUNCTION_FAILED
            if theta >= 0.0 and forgiven:  # it is not so at the event
                put_guards_back(guards, numbers)
                counts[STRICT], counts[AGAIN], clock[STEP] = 1, 1, h * SHRINK
                continue
            if theta >= 0.0:
                h = shorten(model, work, table, guards, numbers, functions, t, h, theta, S, nq, push, external, closing)
                if functions[FAILED] != 0:
                    return FUNCTION_FAILED
                finish_step(S, clock, counts, record, t + h, h, nq, nv, stages)
                return EVENT
        finish_step(S, clock, counts, record, clock[END] if last else t + h, h, nq, nv, stages)


@jit
def start(
    model: KernelModel, work: Work, table: Any, order: int, functions: Any, clock: Any, counts: Any, S: Any, nq: int,
    coordinate: Any, push: Any, external: Any, guards: Any, numbers: Any,
) -> int:  # fmt: skip
    """A look at the guards; then the first slopes, the size of the first step, and the signs of the guards.

    Says GOING, or why the loop comes back.
    """
    if counts[LOOKED] == 0:
        counts[LOOKED] = 1
        beyond = look_at_guards(model, work, guards, numbers, functions, clock[T], S, nq)
        if functions[FAILED] != 0:
            return FUNCTION_FAILED
        if beyond:
            return BEYOND_ALREADY
    if not clock[T] < clock[END]:
        return GOING
    margin = first_slopes(model, work, functions, clock[T], S, nq, push, external)
    if functions[FAILED] != 0:
        return FUNCTION_FAILED
    if not margin > 0.0:
        return NOT_FINITE
    if clock[STEP] <= 0.0:
        clock[STEP] = first_size(model, work, table, order, functions, clock, S, nq, coordinate, push, external)
    start_guards(model, work, guards, numbers, functions, clock[T], clock[STEP], S, nq)
    if functions[FAILED] != 0:
        return FUNCTION_FAILED
    clock[START] = clock[T]
    counts[STARTED] = 1
    return GOING


@jit
def step_error(
    table: Any, functions: Any, S: Any, h: float, nv: int, coordinate: Any, clock: Any, counts: Any
) -> tuple[float, bool]:
    """The estimated error of a step, in units of its tolerance; where loops are closed after it, what that leaves of the error.

    Beside it whether it is small enough only for that.

    Closing takes out all that lies across the motions which loops allow, but for the square of it. Near a singular position that
    is what rounding makes large, and smaller steps would make it larger still.
    """
    rtol, atol = clock[RTOL], clock[ATOL]
    estimate_error(table, S, h, nv)
    error = size_of_error(S, nv, coordinate, rtol, atol)
    if error <= 1.0 or functions[LOOPS] == 0 or counts[STABILISED] == 0 or counts[STRICT] != 0:
        return error, False
    squared = error * error * SHARE * max(rtol, atol)
    if not squared <= 1.0:
        return error, False
    close_step(functions, S, ERROR_U, CLOSE_VELOCITIES)
    close_step(functions, S, ERROR_V, CLOSE_VELOCITIES)
    left = min(error, max(squared, size_of_error(S, nv, coordinate, rtol, atol)))
    return left, left <= 1.0


@jit
def step_size(clock: Any, counts: Any) -> tuple[float, bool]:
    """The size of the next step and whether it is the last; the last two share what is left, so that none is tiny."""
    left = clock[END] - clock[T]
    if counts[ADAPTIVE] == 0:
        taken = math.floor((clock[T] - clock[START]) / clock[STEP] + WHOLE_STEP)
        h = clock[START] + (taken + 1) * clock[STEP] - clock[T]  # so that rounding does not add up
        return (left, True) if h >= left * (1.0 - LAST_STEP) else (h, False)
    h = min(clock[STEP], clock[LARGEST])
    if h >= left:
        return left, True
    return (0.5 * left, False) if 2.0 * h > left else (h, False)


@jit
def accept(clock: Any, counts: Any, order: int, h: float, last: bool, error: float) -> bool:
    """Whether a step is good enough; sets the size of the next one, or of the next attempt."""
    power = 1.0 / order - 0.75 * MEMORY
    if error <= 1.0:
        change = error**power / clock[OLD_ERROR] ** MEMORY / SAFETY
        new = h / max(1.0 / GROW, min(1.0 / SHRINK, change))
        if counts[AGAIN] != 0:
            new, counts[AGAIN] = min(new, h), 0
        if not last or new < clock[STEP]:
            clock[STEP] = new
        clock[OLD_ERROR] = max(error, 1e-4)
        return True
    counts[REJECTED] += 1
    counts[AGAIN] = 1
    clock[STEP] = h * max(SHRINK, SAFETY / error**power) if error < 1e300 else h * SHRINK
    return False


@jit
def finish_step(S: Any, clock: Any, counts: Any, record: Any, t: float, h: float, nq: int, nv: int, stages: int) -> None:
    """Write the step's row, if it has one, and go on to the next step at the time t."""
    if counts[EVERY] == 0:
        row = record[counts[ROWS]]
        row[0], row[1] = clock[T], h
        for i in range(nq):
            row[2 + i] = S[Q0, i]
        at = 2 + nq
        for d in range(nv):
            row[at + d] = S[V0, d]
        at += nv
        for term in range(8):
            for d in range(nv):
                row[at + term * nv + d] = S[DENSE_U + term, d]
        counts[ROWS] += 1
    else:
        if counts[SINCE] == 0:
            row = record[counts[ROWS]]
            row[0] = clock[T]
            for i in range(nq):
                row[1 + i] = S[Q0, i]
            for d in range(nv):
                row[1 + nq + d] = S[V0, d]
            counts[ROWS] += 1
        counts[SINCE] = (counts[SINCE] + 1) % counts[EVERY]
    next_step(S, nq, nv, stages)
    clock[T] = t
    counts[TAKEN] += 1
    counts[STRICT] = 0


@jit
def first_size(
    model: KernelModel, work: Work, table: Any, order: int, functions: Any, clock: Any, S: Any, nq: int, coordinate: Any,
    push: Any, external: Any,
) -> float:  # fmt: skip
    """A first step size from the sizes of the state, its slope and the change of that (Hairer, Nørsett, Wanner, II.4)."""
    nv = work.dof.shape[0]
    rtol, atol = clock[RTOL], clock[ATOL]
    state, slope = 0.0, 0.0
    for d in range(nv):
        i = coordinate[d]
        size = 1.0 if i < 0 else abs(S[Q0, i])
        scale_u, scale_v = atol + rtol * size, atol + rtol * abs(S[V0, d])
        state = max(state, size / scale_u, abs(S[V0, d]) / scale_v)
        slope = max(slope, abs(S[V0, d]) / scale_u, abs(S[SLOPE_V, d]) / scale_v)
    left = min(clock[END] - clock[T], clock[LARGEST])
    h = 1e-6 if state < 1e-5 or slope < 1e-5 else 0.01 * state / slope
    h = min(h, left)
    if nv == 0 or not h > 0.0:
        return left
    margin = take_step(model, work, table, functions, clock[T], h, S, nq, push, external)
    if not margin > 0.0:
        return h
    bend, last = 0.0, table.shape[1] - 1
    for d in range(nv):
        i = coordinate[d]
        size = 1.0 if i < 0 else abs(S[Q0, i])
        bend = max(bend, abs(S[V1, d] - S[V0, d]) / (atol + rtol * size) / h)
        bend = max(bend, abs(S[SLOPE_V + last, d] - S[SLOPE_V, d]) / (atol + rtol * abs(S[V0, d])) / h)
    largest = max(slope, bend)
    other = max(1e-6, h * 1e-3) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / order)
    return min(100.0 * h, other, left)
