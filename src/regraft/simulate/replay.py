"""A recorded motion again: the same steps from another state, in real or in complex arithmetic, and its end on the same guard.

With the sizes of the steps frozen a motion is a smooth function of its first state. In complex arithmetic the imaginary part of
its end is its derivative, exact to rounding; the size of the last step is complex too, so that the guard is zero there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64

from ..algebra.scalars import Scalar, reciprocal
from ..compilation import Floats, Table, declare, jit, long_entry
from ..kernels import configuration
from ..kernels.derivatives.joint_slopes import STEP
from ..tolerances import END_SETTLED
from .crossings import guard_at_end
from .flow import ComplexFlow, Flow, model_of, on_flow
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
            if abs(change.real) <= END_SETTLED * nudge / NUDGE and abs(change.imag) <= END_SETTLED * abs(h.imag):
                break
    take_step(flow, t, h)
    return h


@jit
def guard_after(flow: Flow, guards: Guards, t: float, h: Scalar) -> Scalar:
    """The guard at the end of a step of the size h."""
    take_step(flow, t, h)
    return guard_at_end(flow, guards, guards[0], t + h.real)


@long_entry
def replay(given: Flow, x: Floats, steps: Steps, last: float, guards: Guards, out: Floats) -> float:
    """`repeat` from the state x to the state `out`; returns the size of the last step, NaN where a function failed."""
    return fill_end(place_of(given), 0.0, x, steps, last, guards, out)


@jit
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


@long_entry
def tangents(given: ComplexFlow, x: Floats, steps: Steps, guards: Guards, seeds: Table, out: Table, directions: Table) -> None:
    """`repeat` in complex arithmetic from the state x, once for each row of `seeds`: tangents (q, v, t) of the start.

    Row c of `out` gets how (q, v, t) of the end changes with seed c, q as plain numbers; `directions` (nq, nv) gets how these
    change along the tangent space at the end.
    """
    fill_tangents(place_of(given), complex(0.0), x, steps, guards, seeds, out, directions)


@jit
@on_flow
def fill_tangents(flow: ComplexFlow, x: Any, steps: Steps, guards: Guards, seeds: Any, out: Any, directions: Any) -> None:
    """`tangents`; in a function of its own, which does not count who uses the arrays."""
    for c in range(seeds.shape[0]):
        fill_tangent(flow, x, steps, guards, seeds[c], out[c])
    fill_directions(flow, directions)


@jit
def fill_tangent(flow: ComplexFlow, x: Any, steps: Steps, guards: Guards, seed: Any, out: Any) -> None:
    """How the end changes with one tangent of the start."""
    start, end, u = flow.vectors.start, flow.vectors.end, flow.vectors.to_end
    nq, nv = start.q.shape[0], start.v.shape[0]
    for d in range(nv):
        u[d] = complex(0.0, STEP * seed[d])
        start.v[d] = complex(x[nq + d], STEP * seed[nv + d])
    for i in range(nq):
        end.q[i] = complex(x[i], 0.0)
    configuration.integrate(model_of(flow).walk, end.q, u, start.q)
    begun = seed[2 * nv]
    last = complex(steps.sizes[steps.sizes.shape[0] - 1], -STEP * begun if steps.at_given_time else 0.0)
    h = repeat(flow, steps, last, guards)
    for i in range(nq):
        out[i] = end.q[i].imag / STEP
    for d in range(nv):
        out[nq + d] = end.v[d].imag / STEP
    out[nq + nv] = begun + h.imag / STEP


@jit
def fill_directions(flow: ComplexFlow, out: Any) -> None:
    """How the numbers of the position at the end change along its tangent space."""
    there, end, u = flow.vectors.start.q, flow.vectors.end.q, flow.vectors.to_end
    for i in range(end.shape[0]):
        end[i] = complex(end[i].real, 0.0)
    for c in range(u.shape[0]):
        for d in range(u.shape[0]):
            u[d] = complex(0.0, STEP if d == c else 0.0)
        configuration.integrate(model_of(flow).walk, end, u, there)
        for i in range(end.shape[0]):
            out[i, c] = there[i].imag / STEP
