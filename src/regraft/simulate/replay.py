"""A recorded motion again: the same steps from another state, and its end on the same guard.

With the sizes of the steps frozen a motion is a smooth function of its first state.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64

from ..algebra.scalars import Scalar, reciprocal
from ..compilation import Floats, declare, inline_once, jit, long_entry
from ..tolerances import END_SETTLED
from .crossings import guard_at_end
from .flow import Flow, on_flow
from .guards import Guards
from .places import place_of
from .records import tuple_type
from .stepper import first_slopes, next_step, take_step

TRIALS = 10  # corrections of the last step: each gains several digits
NUDGE = 1e-5  # part of the largest step by which the guard's rate is measured


class Steps(NamedTuple):
    """The steps of a recorded motion."""

    t: float  # when they begin
    sizes: Floats
    at_given_time: bool  # whether they end at a given time, so that a later start shortens the last one


declare("Steps", tuple_type(Steps, float64, float64[::1], boolean))


@jit
def repeat(flow: Flow, steps: Steps, last: Scalar, guards: Guards) -> Scalar:
    """All steps from `start` to `end`; returns the size of the last one.

    It is `last`; or where `guards` has a guard, the size after which that is zero.
    """
    t, sizes = steps.t, steps.sizes
    first_slopes(flow, t)
    for i in range(sizes.shape[0] - 1):
        take_step(flow, t, sizes[i] + 0.0 * last)
        next_step(flow)
        t += sizes[i]
    h = last
    if guards.shape[0] > 0:
        largest = 0.0
        for i in range(sizes.shape[0]):
            largest = max(largest, sizes[i])
        nudge = NUDGE * largest
        for _ in range(TRIALS):
            here, there = guard_after(flow, guards, t, h), guard_after(flow, guards, t, h + nudge)
            change = here * nudge * reciprocal(there - here)
            h = h - change
            if abs(change) <= END_SETTLED * nudge / NUDGE:
                break
    take_step(flow, t, h)
    return h


@jit
def guard_after(flow: Flow, guards: Guards, t: float, h: Scalar) -> Scalar:
    """The guard at the end of a step of the size h."""
    take_step(flow, t, h)
    return guard_at_end(flow, guards, 0, t + h.real)


@long_entry
def replay(given: Flow, x: Floats, steps: Steps, last: float, guards: Guards, out: Floats) -> float:
    """`repeat` from the state x to the state `out`; returns the size of the last step, NaN where a function failed."""
    return fill_end(place_of(given), 0.0, x, steps, last, guards, out)


@inline_once
@on_flow
def fill_end(flow: Flow, x: Any, steps: Steps, last: float, guards: Guards, out: Any) -> float:
    """`replay`; in a function of its own, which does not count who uses the arrays."""
    start, end = flow.vectors.start, flow.vectors.end
    nq, nv = start.q.shape[0], start.v.shape[0]
    for i in range(nq):
        start.q[i] = x[i]
    for d in range(nv):
        start.v[d] = x[nq + d]
    h = repeat(flow, steps, last, guards)
    for i in range(nq):
        out[i] = end.q[i]
    for d in range(nv):
        out[nq + d] = end.v[d]
    return np.nan if flow.calls.failed else h
