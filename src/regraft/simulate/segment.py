"""The compiled loop: steps from one change of structure to the next, with step control, events and records."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._jit import jit, long_entry
from ..kernels.closure import CLOSED
from ..kernels.entries import CLOSE_STATE, CLOSE_VELOCITIES
from ..kernels.layout import Model, Work, model_at, positions_in, work_at
from ..memory import borrowed, borrowed_vector, call_kernel
from .guards import (
    HIT,
    LAST,
    SIGN,
    crossed,
    guard_value,
    keep_guards,
    place_for_guards,
    put_guards_back,
    remember,
    start_guards,
)
from .stepper import (
    CLOSING_AT,
    DENSE_U,
    ERROR_U,
    ERROR_V,
    FAILED,
    LOOPS,
    Q0,
    Q1,
    QS,
    RESULT,
    SHARE,
    SLOPE_V,
    TREE,
    US,
    V0,
    V1,
    VS,
    dense_at,
    estimate_error,
    evaluate,
    first_slopes,
    make_dense,
    next_step,
    size_of_error,
    take_step,
)

# why the loop came back
FINISHED, EVENT, FULL, PAUSED, NOT_FINITE, TOO_SMALL, FUNCTION_FAILED = range(7)
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
CLOCK = 8

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
COUNTS = 11

SAMPLES = 4  # parts of an adaptive step at whose ends guards are looked at, so that two zeros in one step are seen
LEAST = 1e-14  # step, relative to the time, below which steps make no progress
SAME_TIME = 1e-12  # relative to the time: zeros of guards that count as simultaneous

# step control (Hairer, Nørsett, Wanner, II.4): a PI controller
SAFETY, SHRINK, GROW, MEMORY = 0.9, 0.2, 10.0, 0.04


@long_entry
def run(
    handle: int, table: Any, order: int, S: Any, clock: Any, counts: Any, coordinate: Any,
    functions: Any, push: Any, external: Any, guards: Any, numbers: Any, record: Any,
) -> int:  # fmt: skip
    """Step until the end, an event, a full record, the end of the budget or a failure; says which."""
    table, S, push, external = borrowed(table), borrowed(S), borrowed(push), borrowed(external)
    guards, numbers, record = borrowed(guards), borrowed(numbers), borrowed(record)
    clock, counts, functions = borrowed_vector(clock), borrowed_vector(counts), borrowed_vector(functions)
    model, work, nq = model_at(handle), work_at(handle, S), positions_in(handle)
    nv, stages = work.dof.shape[0], table.shape[1]
    if counts[STARTED] == 0 and clock[T] < clock[END]:
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
        if not h > LEAST * abs(t):
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
        if functions[LOOPS] != 0 and counts[STABILISED] != 0:
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
                h = shorten(model, work, table, guards, numbers, functions, t, h, theta, S, nq, push, external, counts)
                if functions[FAILED] != 0:
                    return FUNCTION_FAILED
                finish_step(S, clock, counts, record, t + h, h, nq, nv, stages)
                return EVENT
        finish_step(S, clock, counts, record, clock[END] if last else t + h, h, nq, nv, stages)


@jit
def start(
    model: Model, work: Work, table: Any, order: int, functions: Any, clock: Any, counts: Any, S: Any, nq: int, coordinate: Any,
    push: Any, external: Any, guards: Any, numbers: Any,
) -> int:  # fmt: skip
    """The first slopes, the size of the first step, and the signs of the guards; says GOING, or why the loop cannot start."""
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
def close_step(functions: Any, S: Any, velocity: int, what: int) -> float:
    """Put the end of a step back where all loops are closed, as `what` says; returns the gap that is left.

    RESULT says with 1 that more was stopped than the errors of the step.
    """
    return call_kernel(
        functions[CLOSING_AT], functions[TREE], functions[LOOPS], S[Q1].ctypes.data, S[velocity].ctypes.data,
        S[US].ctypes.data, S[QS].ctypes.data, S[RESULT].ctypes.data, what,
    )  # fmt: skip


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
        taken = math.floor((clock[T] - clock[START]) / clock[STEP] + 1e-6)
        h = clock[START] + (taken + 1) * clock[STEP] - clock[T]  # so that rounding does not add up
        return (left, True) if h >= left * (1.0 - 1e-9) else (h, False)
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
    model: Model, work: Work, table: Any, order: int, functions: Any, clock: Any, S: Any, nq: int, coordinate: Any,
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


@jit
def sampled_guard(
    model: Model, work: Work, guards: Any, numbers: Any, functions: Any, e: int, t: float, h: float, theta: float, S: Any, nq: int
) -> float:
    """Guard e at the part theta of the step."""
    dense_at(model.walk, S, theta, work.dof.shape[0])
    place_for_guards(model, work, guards, S, nq, QS)
    return guard_value(model, work, guards, numbers, functions, e, t + theta * h, S, nq, QS, VS)


@jit
def first_zero(
    model: Model, work: Work, guards: Any, numbers: Any, functions: Any, t: float, h: float, S: Any, nq: int, samples: int
) -> float:
    """The part of the step at which the first guard goes through zero, HIT set for all that do so then; −1 for none."""
    nv = work.dof.shape[0]
    for part in range(samples):
        left, right = part / samples, (part + 1) / samples
        dense_at(model.walk, S, right, nv)
        place_for_guards(model, work, guards, S, nq, QS)
        found = 2.0
        for e in range(guards.shape[0]):
            value = guard_value(model, work, guards, numbers, functions, e, t + right * h, S, nq, QS, VS)
            guards[e, HIT] = 0
            if crossed(guards, e, value):
                guards[e, HIT] = 1
                found = 1.0
            else:
                remember(guards, numbers, e, value)
        if found > 1.0:
            continue
        first = 2.0
        for e in range(guards.shape[0]):
            if guards[e, HIT] != 0:
                zero = zero_of(model, work, guards, numbers, functions, e, t, h, left, right, S, nq)
                numbers[e, LAST] = zero
                first = min(first, zero)
        for e in range(guards.shape[0]):
            if guards[e, HIT] != 0 and (numbers[e, LAST] - first) * h > SAME_TIME * max(1.0, abs(t)):
                guards[e, HIT] = 0
        return first
    return -1.0


@jit
def zero_of(
    model: Model, work: Work, guards: Any, numbers: Any, functions: Any, e: int, t: float, h: float, left: float, right: float,
    S: Any, nq: int,
) -> float:  # fmt: skip
    """Where in [left, right] guard e goes through zero, just behind it: false position and bisection, to the last digit."""
    a, b = left, right
    f_a = sampled_guard(model, work, guards, numbers, functions, e, t, h, a, S, nq)
    f_b = sampled_guard(model, work, guards, numbers, functions, e, t, h, b, S, nq)
    before = guards[e, SIGN]
    if f_a * before <= 0.0:  # it was at zero there, on the side from which it comes
        f_a = before * 1e-300
    side, width = 0, b - a
    for trial in range(100):
        if not b - a > 4e-16:
            break
        c = (a * f_b - b * f_a) / (f_b - f_a)
        if trial % 3 == 2:
            if b - a > 0.5 * width:
                c = 0.5 * (a + b)
            width = b - a
        if not a < c < b:
            c = 0.5 * (a + b)
            if not a < c < b:
                break
        f_c = sampled_guard(model, work, guards, numbers, functions, e, t, h, c, S, nq)
        if f_c * before > 0.0:
            a, f_a = c, f_c
            if side == 1:
                f_b *= 0.5
            side = 1
        else:
            b, f_b = c, f_c
            if side == -1:
                f_a *= 0.5
            side = -1
            if f_c == 0.0:
                break
    return b


@jit
def shorten(
    model: Model, work: Work, table: Any, guards: Any, numbers: Any, functions: Any, t: float, h: float, theta: float, S: Any,
    nq: int, push: Any, external: Any, counts: Any,
) -> float:  # fmt: skip
    """Take the step again up to the zero of the first guard that was hit; returns its size.

    Dense output is less accurate than the step itself, so the zero is corrected until the step itself ends there.
    """
    nv, e = work.dof.shape[0], 0
    while guards[e, HIT] == 0:
        e += 1
    back = max(0.0, theta - 1e-3)
    f_back = sampled_guard(model, work, guards, numbers, functions, e, t, h, back, S, nq)
    f_here = sampled_guard(model, work, guards, numbers, functions, e, t, h, theta, S, nq)
    slope = (f_here - f_back) / ((theta - back) * h) if theta > back else 0.0
    size = theta * h
    take_step(model, work, table, functions, t, size, S, nq, push, external)
    for _ in range(3):
        place_for_guards(model, work, guards, S, nq, Q1)
        value = guard_value(model, work, guards, numbers, functions, e, t + size, S, nq, Q1, V1)
        change = -value / slope if slope != 0.0 else 0.0
        if not 1e-16 * max(abs(t), h) < abs(change) < 1e-3 * h:
            break
        size = max(size + change, 0.0)
        take_step(model, work, table, functions, t, size, S, nq, push, external)
    if functions[LOOPS] != 0 and counts[STABILISED] != 0:
        close_step(functions, S, V1, CLOSE_STATE)
    make_dense(table, S, size, nv)
    place_for_guards(model, work, guards, S, nq, Q1)
    for g in range(guards.shape[0]):
        value = guard_value(model, work, guards, numbers, functions, g, t + size, S, nq, Q1, V1)
        if guards[g, HIT] != 0:
            guards[g, SIGN] = 0
            numbers[g, LAST] = value
        else:
            remember(guards, numbers, g, value)
    return size
