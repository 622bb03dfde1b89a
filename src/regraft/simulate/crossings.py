"""Where events are within a step: which guards go through zero in it, where the first does, and the step again up to there."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compilation import jit
from ..kernels.constraints.closure import CLOSE_STATE
from ..kernels.tables import KernelModel, Work
from ..tolerances import SAME_TIME, TINY, ZERO_BRACKETED, ZERO_CORRECTED
from .guards import HIT, LAST, SIGN, crossed, guard_value, place_for_guards, remember
from .stepper import Q1, QS, V1, VS, close_step, dense_at, make_dense, take_step

SAMPLES = 4
"""Parts of an adaptive step at whose ends guards are looked at, so that two zeros in one step are seen."""
EARLIER = 2
"""HIT of a guard that is through zero before another one."""


@jit
def sampled_guard(
    model: KernelModel,
    work: Work,
    guards: Any,
    numbers: Any,
    functions: Any,
    e: int,
    t: float,
    h: float,
    theta: float,
    S: Any,
    nq: int,
) -> float:
    """Guard e at the part theta of the step."""
    dense_at(model.walk, S, theta, work.dof.shape[0])
    place_for_guards(model, work, guards, S, nq, QS)
    return guard_value(model, work, guards, numbers, functions, e, t + theta * h, S, nq, QS, VS)


@jit
def first_zero(
    model: KernelModel, work: Work, guards: Any, numbers: Any, functions: Any, t: float, h: float, S: Any, nq: int, samples: int
) -> float:
    """The part of the step at which the first guard goes through zero, HIT set for all that do so then; −1 for none."""
    nv = work.dof.shape[0]
    for part in range(samples):
        left, right = part / samples, (part + 1) / samples
        dense_at(model.walk, S, right, nv)
        place_for_guards(model, work, guards, S, nq, QS)
        found = False
        for e in range(guards.shape[0]):
            value = guard_value(model, work, guards, numbers, functions, e, t + right * h, S, nq, QS, VS)
            guards[e, HIT] = 0
            if crossed(guards, e, value):
                guards[e, HIT] = 1
                found = True
                before = abs(numbers[e, LAST])
                numbers[e, LAST] = before / (before + abs(value)) if before + abs(value) > 0.0 else 0.0
            else:
                remember(guards, numbers, e, value)
        if found:
            return first_of_hit(model, work, guards, numbers, functions, t, h, left, right, S, nq)
    return -1.0


@jit
def first_of_hit(
    model: KernelModel, work: Work, guards: Any, numbers: Any, functions: Any, t: float, h: float, left: float, right: float,
    S: Any, nq: int,
) -> float:  # fmt: skip
    """Where in [left, right] the first of the guards with HIT goes through zero; takes HIT from those that do so later.

    LAST is about where in between each of them does. The zero is found of the one that seems to be the first, then of one that is
    through zero before that, and so on: with many guards that is far less than to find the zeros of all.
    """
    same = SAME_TIME * max(1.0, abs(t)) / h
    while True:
        e, others = -1, -1
        for g in range(guards.shape[0]):
            if guards[g, HIT] != 0:
                others += 1
                if e < 0 or numbers[g, LAST] < numbers[e, LAST]:
                    e = g
        zero = zero_of(model, work, guards, numbers, functions, e, t, h, left, right, S, nq)
        if others == 0:
            return zero
        mark_hit(model, work, guards, numbers, functions, e, t, h, min(zero + same, 1.0), 1, 0, S, nq)
        if mark_hit(model, work, guards, numbers, functions, e, t, h, max(zero - same, left), EARLIER, 1, S, nq) == 0:
            return zero
        for g in range(guards.shape[0]):
            guards[g, HIT] = 1 if guards[g, HIT] == EARLIER else 0


@jit
def mark_hit(
    model: KernelModel, work: Work, guards: Any, numbers: Any, functions: Any, e: int, t: float, h: float, theta: float,
    through: int, short: int, S: Any, nq: int,
) -> int:  # fmt: skip
    """HIT of the guards that have it, but e: whether they are `through` zero at the part theta of the step, or `short` of it.

    Returns how many are through.
    """
    dense_at(model.walk, S, theta, work.dof.shape[0])
    place_for_guards(model, work, guards, S, nq, QS)
    count = 0
    for g in range(guards.shape[0]):
        if guards[g, HIT] != 0 and g != e:
            is_through = crossed(guards, g, guard_value(model, work, guards, numbers, functions, g, t + theta * h, S, nq, QS, VS))
            guards[g, HIT] = through if is_through else short
            count += is_through
    return count


@jit
def zero_of(
    model: KernelModel, work: Work, guards: Any, numbers: Any, functions: Any, e: int, t: float, h: float, left: float,
    right: float, S: Any, nq: int,
) -> float:  # fmt: skip
    """Where in [left, right] guard e goes through zero, just behind it: false position and bisection, to the last digit."""
    a, b = left, right
    f_a = sampled_guard(model, work, guards, numbers, functions, e, t, h, a, S, nq)
    f_b = sampled_guard(model, work, guards, numbers, functions, e, t, h, b, S, nq)
    before = guards[e, SIGN]
    if f_a * before <= 0.0:  # it was at zero there, on the side from which it comes
        f_a = before * TINY
    side, width = 0, b - a
    for trial in range(100):
        if not b - a > ZERO_BRACKETED:
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
    model: KernelModel, work: Work, table: Any, guards: Any, numbers: Any, functions: Any, t: float, h: float, theta: float,
    S: Any, nq: int, push: Any, external: Any, closing: bool,
) -> float:  # fmt: skip
    """Take the step again up to the zero of the first guard that was hit; returns its size.

    Dense output is less accurate than the step itself, so the zero is corrected until the step itself ends there, as long as that
    brings the guard nearer to zero. With `closing` its end is put back where all loops are closed.
    """
    nv, e = work.dof.shape[0], 0
    while guards[e, HIT] == 0:
        e += 1
    back = max(0.0, theta - 1e-3)
    f_back = sampled_guard(model, work, guards, numbers, functions, e, t, h, back, S, nq)
    f_here = sampled_guard(model, work, guards, numbers, functions, e, t, h, theta, S, nq)
    slope = (f_here - f_back) / ((theta - back) * h) if theta > back else 0.0
    size = kept = theta * h
    nearest, back_again = np.inf, False
    for trial in range(5):
        take_step(model, work, table, functions, t, size, S, nq, push, external)
        if back_again:
            break
        place_for_guards(model, work, guards, S, nq, Q1)
        value = guard_value(model, work, guards, numbers, functions, e, t + size, S, nq, Q1, V1)
        if not abs(value) < 0.5 * nearest:  # it does not go to zero but jumps over it, and its slope tells nothing
            size, back_again = kept, True
            continue
        kept, nearest = size, abs(value)
        change = -value / slope if slope != 0.0 else 0.0
        if trial == 3 or not ZERO_CORRECTED * max(abs(t), h) < abs(change) < 1e-3 * h:
            break
        size = max(size + change, 0.0)
    if closing:
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
