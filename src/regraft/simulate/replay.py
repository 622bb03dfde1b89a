"""A recorded motion again: the same steps from another state, in real or in complex arithmetic, and its end on the same guard.

With the sizes of the steps frozen a motion is a smooth function of its first state. In complex arithmetic the imaginary part of
its end is its derivative, exact to rounding; the size of the last step is complex too, so that the guard is zero there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.scalars import Scalar, reciprocal
from ..compilation import ComplexTable, Floats, Integers, IntegerTable, Table, jit, long_entry
from ..kernels import configuration
from ..kernels.derivatives import STEP
from ..kernels.memory import model_at, positions_in, work_at
from ..kernels.tables import KernelModel, Work
from ..tolerances import END_SETTLED
from .guards import guard_value, place_for_guards
from .stepper import FAILED, Q0, Q1, U1, V0, V1, first_slopes, next_step, take_step

TRIALS = 10  # corrections of the last step: each gains several digits
NUDGE = 1e-5  # part of the largest step by which the guard's rate is measured


@jit
def repeat(
    model: KernelModel, work: Work, table: Any, functions: Any, t: float, sizes: Any, last: Scalar, S: Any, nq: int,
    push: Any, external: Any, guards: Any, numbers: Any, e: int,
) -> Scalar:  # fmt: skip
    """All steps from (Q0, V0) to (Q1, V1); the last of the size `last`, or until guard e is zero if e ≥ 0. Returns its size."""
    nv, stages, count = work.dof.shape[0], table.shape[1], sizes.shape[0]
    first_slopes(model, work, functions, t, S, nq, push, external)
    for i in range(count - 1):
        take_step(model, work, table, functions, t, sizes[i] + 0.0 * last, S, nq, push, external)
        next_step(S, nq, nv, stages)
        t += sizes[i]
    h = last
    if e >= 0:
        largest = 0.0
        for i in range(count):
            largest = max(largest, sizes[i])
        nudge = NUDGE * largest
        for _ in range(TRIALS):
            here = guard_after(model, work, table, functions, t, h, S, nq, push, external, guards, numbers, e)
            there = guard_after(model, work, table, functions, t, h + nudge, S, nq, push, external, guards, numbers, e)
            change = here * nudge * reciprocal(there - here)
            h = h - change
            if abs(change.real) <= END_SETTLED * nudge / NUDGE and abs(change.imag) <= END_SETTLED * abs(h.imag):
                break
    take_step(model, work, table, functions, t, h, S, nq, push, external)
    return h


@jit
def guard_after(
    model: KernelModel, work: Work, table: Any, functions: Any, t: float, h: Scalar, S: Any, nq: int,
    push: Any, external: Any, guards: Any, numbers: Any, e: int,
) -> Scalar:  # fmt: skip
    """Guard e at the end of a step of the size h."""
    take_step(model, work, table, functions, t, h, S, nq, push, external)
    place_for_guards(model, work, guards, S, nq, Q1)
    return guard_value(model, work, guards, numbers, functions, e, t + h.real, S, nq, Q1, V1)


@long_entry
def replay(
    handle: int, table: Table, x: Floats, t: float, sizes: Floats, last: float, S: Table, functions: Integers, push: Table,
    external: Table,
    guards: IntegerTable, numbers: Table, e: int, out: Floats,
) -> float:  # fmt: skip
    """`repeat` from the state x to the state `out`; returns the size of the last step, NaN where a function failed."""
    model, work, nq = model_at(handle), work_at(handle, S), positions_in(handle)
    nv = work.dof.shape[0]
    for i in range(nq):
        S[Q0, i] = x[i]
    for d in range(nv):
        S[V0, d] = x[nq + d]
    h = repeat(model, work, table, functions, t, sizes, last, S, nq, push, external, guards, numbers, e)
    for i in range(nq):
        out[i] = S[Q1, i]
    for d in range(nv):
        out[nq + d] = S[V1, d]
    return np.nan if functions[FAILED] != 0 else h


@long_entry
def tangents(
    handle: int, table: Table, x: Floats, t: float, sizes: Floats, timed: bool, S: ComplexTable, functions: Integers,
    push: Table, external: ComplexTable,
    guards: IntegerTable, numbers: Table, e: int, seeds: Table, out: Table, directions: Table,
) -> None:  # fmt: skip
    """`repeat` in complex arithmetic, once for each row of `seeds`: tangents (q, v, t) of the start.

    Row c of `out` gets how (q, v, t) of the end changes with seed c, q as plain numbers; `directions` (nq, nv) gets how these
    change along the tangent space at the end. Where the end is at a fixed time (`timed`), a later start shortens the last step.
    """
    model, work, nq = model_at(handle), work_at(handle, S), positions_in(handle)
    nv, count = work.dof.shape[0], sizes.shape[0]
    for c in range(seeds.shape[0]):
        for d in range(nv):
            S[U1, d] = complex(0.0, STEP * seeds[c, d])
            S[V0, d] = complex(x[nq + d], STEP * seeds[c, nv + d])
        for i in range(nq):
            S[Q1, i] = complex(x[i], 0.0)
        configuration.integrate(model.walk, S[Q1], S[U1], S[Q0])
        begun = seeds[c, 2 * nv]
        last = complex(sizes[count - 1], -STEP * begun if timed else 0.0)
        h = repeat(model, work, table, functions, t, sizes, last, S, nq, push, external, guards, numbers, e)
        for i in range(nq):
            out[c, i] = S[Q1, i].imag / STEP
        for d in range(nv):
            out[c, nq + d] = S[V1, d].imag / STEP
        out[c, nq + nv] = begun + h.imag / STEP
    for i in range(nq):
        S[Q1, i] = complex(S[Q1, i].real, 0.0)
    for c in range(nv):
        for d in range(nv):
            S[U1, d] = complex(0.0, STEP if d == c else 0.0)
        configuration.integrate(model.walk, S[Q1], S[U1], S[Q0])
        for i in range(nq):
            directions[i, c] = S[Q0, i].imag / STEP
