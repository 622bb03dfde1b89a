"""Where events are within a step: which guards go through zero in it, where the first does, and the step again up to there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..algebra.memory import table_at
from ..compilation import inline, inline_once, jit
from ..kernels.constraints.closure import CLOSE_STATE
from ..kernels.contacts.memory import is_gap_of_place
from ..tolerances import AT_ZERO, PASSED, SAME_TIME, ZERO_BRACKETED, ZERO_CORRECTED
from .clearance import all_stay_clear
from .flow import Flow, model_of
from .guards import (
    AT_END,
    BETWEEN,
    CONTACT,
    Guards,
    count_live,
    crossed,
    guard_value,
    is_passed_over,
    keep_guards,
    live_guard,
    place_for_guards,
    remember,
)
from .stepper import close_step, dense_at, make_dense, take_step

TRIALS, FARTHEST = 7, 0.1
"""How often the end of a step is moved to the zero of a guard, and by which part of the step at most at once."""

NEARLY_DIPS = 0.1
"""A parabola through samples whose least value is smaller, relative to how it bends between them, is looked at nearer."""


class Step(NamedTuple):
    """When a step starts, and its size."""

    t: float
    h: float


@jit
def go_to(flow: Flow, guards: Guards, step: Step, theta: float) -> None:
    """`between`: the state at the part theta of the step, with all that guards ask for."""
    dense_at(model_of(flow).walk, flow.vectors, flow.method.terms, theta)
    place_for_guards(flow, guards, step.t + theta * step.h, BETWEEN)


@jit
def sampled_guard(flow: Flow, guards: Guards, e: int, step: Step, theta: float) -> float:
    """Guard e at the part theta of the step."""
    go_to(flow, guards, step, theta)
    return guard_value(flow, guards, e, step.t + theta * step.h, BETWEEN)


@inline
def nothing_can_happen(flow: Flow) -> bool:
    """Whether all guards are those of contacts, and none can come to zero within the step; `passed_over` says so then."""
    calls = flow.calls
    if calls.quiet == 0 or table_at(calls.quiet, 1, 1, 0)[0, 0] == 0:
        return False
    calls.passed_over = True
    return True


@inline_once
def first_zero(flow: Flow, guards: Guards, step: Step, samples: int) -> tuple[bool, float]:
    """Whether a guard goes through zero in the step, and at which part of it the first does; all that do so then have `hit`."""
    if nothing_can_happen(flow) or all_stay_clear(flow, guards, step.h):
        return False, 0.0
    if flow.calls.passed_over:
        flow.calls.passed_over = False
        go_to(flow, guards, step, 0.0)
        for e in range(guards.shape[0]):
            value = guard_value(flow, guards, e, step.t, BETWEEN)
            if not crossed(guards[e], value):  # as where a slip was ended at the end of the last step
                remember(guards[e], value)
    keep_guards(flow, guards)
    live = count_live(flow, guards)
    for part in range(samples):
        left, right = part / samples, (part + 1) / samples
        go_to(flow, guards, step, right)
        found = False
        for k in range(live):
            e = live_guard(flow, k)
            guard, value = guards[e], guard_value(flow, guards, e, step.t + right * step.h, BETWEEN)
            guard.hit = crossed(guard, value)
            if guard.hit:
                found = True
                guard.estimate = share_before_zero(guard.last, value)
            else:
                guard.oldest, guard.older = guard.older, guard.last
                remember(guard, value)
        if found:
            return True, first_of_all(flow, guards, step, left, right)
        for k in range(live if part > 0 else 0):
            e = live_guard(flow, k)
            if guards[e].sort == CONTACT and dips(flow, guards, e, step, left, right):
                return True, first_of_all(flow, guards, step, left - (right - left), guards[e].estimate)
    return False, 0.0


@jit
def dips(flow: Flow, guards: Guards, e: int, step: Step, left: float, right: float) -> bool:
    """Whether guard e, positive at the last three samples, is not so between them; `estimate` is where, and it alone has `hit`.

    That is looked at where the parabola through the three says so, or nearly.
    """
    guard = guards[e]
    back, ahead = guard.older - guard.oldest, guard.last - guard.older
    bend = ahead - back
    if not (bend > 0.0 and abs(back + ahead) <= 2.0 * bend):
        return False
    if guard.older - (back + ahead) ** 2 / (8.0 * bend) > NEARLY_DIPS * bend:
        return False
    theta = left - 0.5 * (right - left) * (back + ahead) / bend
    found = crossed(guard, sampled_guard(flow, guards, e, step, theta))
    if found:
        for g in range(guards.shape[0]):
            guards[g].hit = g == e
        guards[e].estimate = theta
    go_to(flow, guards, step, right)
    return found


@jit
def share_before_zero(before: float, after: float) -> float:
    """Which part of the way between two values lies before zero, if they are on two sides of it."""
    whole = abs(before) + abs(after)
    return abs(before) / whole if whole > 0.0 else 0.0


@jit
def first_of_hit(flow: Flow, guards: Guards, step: Step, left: float, right: float) -> float:
    """Where in [left, right] the first of the guards with `hit` goes through zero; takes `hit` from those that do so later.

    The zero is found of the one that seems to be the first, then of one that is through zero before that, and so on: with many
    guards that is far less than to find the zeros of all.
    """
    same, zero = SAME_TIME * max(1.0, abs(step.t)) / step.h, right
    for _ in range(guards.shape[0] + 1):
        first, count = 0, 0
        for e in range(guards.shape[0]):
            if guards[e].hit:
                if count == 0 or guards[e].estimate < guards[first].estimate:
                    first = e
                count += 1
        zero = zero_of(flow, guards, first, step, left, right)
        if count == 1:
            break
        drop_later(flow, guards, first, step, min(zero + same, 1.0))
        if not keep_earlier(flow, guards, first, step, max(zero - same, left)):
            break
    return zero


@jit
def first_of_all(flow: Flow, guards: Guards, step: Step, left: float, right: float) -> float:
    """`first_of_hit`, and before that of contacts that are through zero there but were not at the end of what was looked at."""
    zero = first_of_hit(flow, guards, step, left, right)
    for _ in range(guards.shape[0]):
        if not hit_before(flow, guards, step, zero):
            break
        zero = first_of_hit(flow, guards, step, left, zero)
    return zero


@jit
def hit_before(flow: Flow, guards: Guards, step: Step, theta: float) -> bool:
    """Whether contacts that have no `hit` are beyond zero at the part theta of the step; if so, these alone have it."""
    go_to(flow, guards, step, theta)
    some = False
    for e in range(guards.shape[0]):
        guards[e].earlier = False
        if guards[e].sort == CONTACT and not guards[e].hit:
            value = guard_value(flow, guards, e, step.t + theta * step.h, BETWEEN)
            gap = is_gap_of_place(flow.tree, guards[e].coordinate)
            guards[e].earlier = crossed(guards[e], value + (PASSED if gap else AT_ZERO))
            some = some or guards[e].earlier
    if some:
        for e in range(guards.shape[0]):
            guards[e].hit, guards[e].estimate = guards[e].earlier, 0.5
    return some


@jit
def drop_later(flow: Flow, guards: Guards, first: int, step: Step, theta: float) -> None:
    """Take `hit` from the guards, but the first, that are not through zero at the part theta of the step."""
    go_to(flow, guards, step, theta)
    for e in range(guards.shape[0]):
        if guards[e].hit and e != first:
            value = guard_value(flow, guards, e, step.t + theta * step.h, BETWEEN)
            guards[e].hit = crossed(guards[e], value)


@jit
def keep_earlier(flow: Flow, guards: Guards, first: int, step: Step, theta: float) -> bool:
    """Whether guards other than the first are through zero already at the part theta; if so, these alone keep `hit`."""
    go_to(flow, guards, step, theta)
    some = False
    for e in range(guards.shape[0]):
        guards[e].earlier = False
        if guards[e].hit and e != first:
            value = guard_value(flow, guards, e, step.t + theta * step.h, BETWEEN)
            guards[e].earlier = crossed(guards[e], value)
            some = some or guards[e].earlier
    if some:
        for e in range(guards.shape[0]):
            guards[e].hit = guards[e].earlier
    return some


@jit
def zero_of(flow: Flow, guards: Guards, e: int, step: Step, left: float, right: float) -> float:
    """Where in [left, right] guard e goes through zero, just behind it: false position and bisection, to the last digit."""
    a, b = left, right
    f_a, f_b = sampled_guard(flow, guards, e, step, a), sampled_guard(flow, guards, e, step, b)
    before = guards[e].sign
    if f_a * before <= 0.0:  # it was at zero there, on the side from which it comes
        f_a = before * abs(f_b)  # and may be on the other side by rounding: the zero need not be near a
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
        f_c = sampled_guard(flow, guards, e, step, c)
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
def shorten(flow: Flow, guards: Guards, step: Step, theta: float) -> float:
    """Take the step again up to the zero of the first guard that was hit; returns its size, or minus that where nothing happens.

    That is so where the events of all guards that were hit are passed over.

    Dense output is less accurate than the step itself, far less where what holds is not smooth at the zero. So the zero is
    corrected until the step itself ends there, as long as that brings the guard nearer to zero. Where loops are closed after each
    step, so they are here.
    """
    t, h, end, e = step.t, step.h, flow.vectors.end, 0
    while not guards[e].hit:
        e += 1
    back = max(0.0, theta - 1e-3)
    f_back, f_here = sampled_guard(flow, guards, e, step, back), sampled_guard(flow, guards, e, step, theta)
    slope = (f_here - f_back) / ((theta - back) * h) if theta > back else 0.0
    size = kept = theta * h
    before, nearest, back_again = 0.0, np.inf, False
    for trial in range(TRIALS):
        take_step(flow, t, size)
        if back_again:
            break
        value = guard_at_end(flow, guards, e, t + size)
        if not abs(value) < 0.5 * nearest:  # it does not go to zero but jumps over it, and its slope tells nothing
            size, back_again = kept, True
            continue
        if trial > 0 and size != kept:
            slope = (value - before) / (size - kept)
        kept, before, nearest = size, value, abs(value)
        change = -value / slope if slope != 0.0 else 0.0
        if trial == TRIALS - 2 or not ZERO_CORRECTED * max(abs(t), h) < abs(change) < FARTHEST * h:
            break
        size = max(size + change, 0.0)
    if flow.calls.closes:
        close_step(flow, end.v, size, CLOSE_STATE)
    make_dense(flow, t, size)
    place_for_guards(flow, guards, t + size, AT_END)
    happens = False
    for g in range(guards.shape[0]):
        value = guard_value(flow, guards, g, t + size, AT_END)
        guards[g].known = False
        if guards[g].hit:
            guards[g].sign, guards[g].last = 0, value
            happens = happens or not is_passed_over(flow, guards[g])
        else:
            remember(guards[g], value)
    return size if happens else -size


@jit
def guard_at_end(flow: Flow, guards: Guards, e: int, t: float) -> float:
    """Guard e at the end of a step, which is at the time t."""
    place_for_guards(flow, guards, t, AT_END)
    return guard_value(flow, guards, e, t, AT_END)
