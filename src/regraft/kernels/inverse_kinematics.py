"""Inverse kinematics of many frames: Levenberg–Marquardt on the manifold of positions, each frame started from another's result.

Every position on the way has its loops closed and its joints within their limits (`constrained_step`), so costs can be compared.
A step d is taken as q ⊕ d. The damping λ D lets go where steps keep what they promise, and grows where they do not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, types

from ..algebra.dense import turn_row_back
from ..compilation import Integers, declare, inline, jit, long_entry
from ..tolerances import CLOSED, COST_ROUNDING, EPSILON, LEAST_DAMPING, SAME_FIT, TAKES_PART, UNSEEN
from . import configuration
from .bounds import Bounds, least_move, let_go_of_distant, measure, refresh, restore, rows_that_hold
from .constrained_step import cholesky, forward, promise, step, turn_matrix
from .constraints.tables import Loops
from .memory import loops_at, model_at, work_at
from .tables import KernelModel, Work
from .targets import MOST_DOFS, Fit, Targets, assess, misses

# told: (frames, TOLD)
ITERATIONS = 0
CONVERGED = 1  # 1 where the step that is left is as small as was asked for
COST = 2  # ½ Σ w |miss|²
GAP = 3  # how far loops are open, or limits exceeded
TOLD = 4

_FIRST_DAMPING, _NEXT_DAMPING, _MOST_DAMPING = 1e-2, 1e-6, 1e12
_CLOSING = 25  # trials to close the loops again after a step
_NEAR = 0.2  # what a step gains of the cost where second derivatives are looked at from then on
_NEARER = 0.01  # that becomes so much smaller where they were no help
_ASIDE = 0.1  # how far a position is put aside that is no least cost, as its second derivatives say
_IN_NOISE = 1000.0  # a step that gains less, in units of the rounding of the cost, is taken on its word
_ROUNDINGS = 16.0  # how many of them a miss may have


@inline
def copy(one: Any, other: Any) -> None:
    """Make a vector equal to another one."""
    for i in range(one.shape[0]):
        other[i] = one[i]


class Search(NamedTuple):
    """How long to look for the least cost of a frame, and how well."""

    limits: Any
    """How many of the tree's limits are kept, all or none."""
    tolerance: Any
    most: Any
    """How many steps at most."""


class Tracked(NamedTuple):
    """What comes out for each frame."""

    q: Any
    told: Any
    """(frames, TOLD)."""
    loose: Any
    """(frames, nv): 1 for degrees of freedom that are not determined."""
    misses: Any
    """Of all targets."""


class Tools(NamedTuple):
    """Scratch for one frame."""

    one: Fit
    two: Fit
    bounds: Bounds
    trial: Any
    """(nq,)."""
    other: Any
    """(nq,)."""


declare("Search", types.NamedTuple([int64, float64, int64], Search))
declare("Tracked", types.NamedUniTuple(float64[:, ::1], 4, Tracked))


@jit
def settle_frame(
    tree: tuple[KernelModel, Work, Loops],
    targets: Targets,
    f: int,
    search: Search,
    tools: Tools,
    q: Any,
    damping: float,
    told: Any,
) -> int:
    """Move q to the least cost of frame f; returns which of the two fits is that of q.

    It ends where the step that is left would gain less than tolerance² of the cost, or
    than what rounding makes of the misses; that step is still taken.
    """
    model, work, closed = tree
    bounds, trial, other, tolerance = tools.bounds, tools.trial, tools.other, search.tolerance
    now, grow = 0, 4.0
    measure(model, bounds, q)
    let_go_of_distant(model, bounds)
    gap = restore(model, work, closed, bounds, q, other, 8 * _CLOSING)
    cost, size = assess(model, work, targets, f, q, tools.one, False)
    done, second, count, near = False, False, 0, _NEAR
    while count < search.most and not done and gap <= CLOSED:
        count += 1
        fit = tools.one if now == 0 else tools.two
        if not step(model, closed, fit, bounds, q, other, damping):
            if second:  # far from the least cost its second derivatives may point nowhere
                cost, size = assess(model, work, targets, f, q, fit, False)
                second, near = False, _NEARER * near
            else:
                damping *= 10.0
            continue
        gain = promise(model, fit, bounds)
        floor = (_ROUNDINGS * EPSILON) ** 2 * size
        done = gain * (1.0 + damping) <= max(tolerance * tolerance * cost, floor)
        configuration.integrate(model.walk, q, bounds.d[0], trial)
        left = restore(model, work, closed, bounds, trial, other, _CLOSING)
        ahead = gain * (1.0 + damping) <= near * cost
        found, larger = assess(model, work, targets, f, trial, tools.two if now == 0 else tools.one, ahead)
        noise = COST_ROUNDING * cost + _ROUNDINGS * EPSILON * math.sqrt(cost * size) + floor  # of the cost, by rounding
        if left <= CLOSED and found <= cost + (noise if gain <= _IN_NOISE * noise else 0.0):
            kept = (cost - found) / gain if gain > 10.0 * noise else 0.5
            copy(trial, q)
            cost, size, gap, now, grow, second = found, larger, left, 1 - now, 4.0, ahead
            damping *= 0.05 if kept > 0.75 else 1.0 if kept > 0.25 else 3.0
            damping = max(damping, LEAST_DAMPING)
        else:
            refresh(model, work, closed, bounds, q)
            damping, grow = max(damping, _NEXT_DAMPING) * grow, 2.0 * grow
            if damping > _MOST_DAMPING:
                break
    told[ITERATIONS], told[CONVERGED], told[COST], told[GAP] = count, 1.0 if done else 0.0, cost, gap
    return now


@jit
def look_for_unseen(model: KernelModel, closed: Loops, fit: Fit, bounds: Bounds, loose: Any) -> bool:
    """1 for each degree of freedom that takes part in a motion which no target sees, and no loop or limit holds; else 0.

    False where H is not positive. In coordinates in which H has a diagonal of ones, τ (H + τ)⁻¹ is the projection onto the
    directions that H does not see.
    """
    B, y, nv = bounds.B, bounds.y, bounds.B.shape[0]
    for i in range(nv):
        loose[i] = 0.0
        y[1, i] = 1.0 / math.sqrt(fit.D[0, i])
    count = rows_that_hold(model, closed, bounds)
    for r in range(count):
        for i in range(nv):
            bounds.C[r, i] *= y[1, i]
    taken = least_move(bounds, count)
    for i in range(nv):
        for j in range(nv):
            B[i, j] = fit.H[i, j] * y[1, i] * y[1, j]
        B[i, i] += UNSEEN
    if taken > 0:
        turn_matrix(bounds, taken)
    if not cholesky(B, taken):
        return False
    least = math.inf
    for i in range(taken, nv):
        least = min(least, B[i, i] * B[i, i])
    if least > 4.0 * UNSEEN:
        return True
    for i in range(nv):
        for j in range(nv):
            y[0, j] = 1.0 if i == j else 0.0
        turn_row_back(bounds.C, bounds.heads, taken, y, 0)
        forward(B, taken, y, 0)
        share = 0.0
        for j in range(taken, nv):
            share += UNSEEN * y[0, j] * y[0, j]
        loose[i] = 1.0 if share > TAKES_PART else 0.0
    return True


@jit
def nudge(model: KernelModel, fit: Fit, told: Any, q: Any, step: Any, out: Any) -> None:
    """A position aside of q, off a balance: each degree of freedom by a tenth of what would double the cost, at most."""
    nv = step.shape[0]
    for d in range(nv):
        size = _ASIDE * min(1.0, math.sqrt(2.0 * told[COST] / (nv * fit.D[0, d])))
        step[d] = size if d % 2 == 0 else -0.5 * size
    configuration.integrate(model.walk, q, step, out)


@long_entry
def track(handle: int, frames: Integers, before: Integers, targets: Targets, search: Search, out: Tracked) -> None:
    """`settle_frame` of some frames, one after another, each from q of the one `before` it, or from its own where that is −1."""
    m, w, closed = model_at(handle), work_at(handle, out.q), loops_at(handle, out.q)
    tree, limits, q, told, loose = (m, w, closed), search.limits, out.q, out.told, out.loose
    nq, nv, loop_rows = q.shape[1], loose.shape[1], closed.hard_rows
    rows = loop_rows + limits
    one = Fit(np.empty((1, nv)), np.empty((nv, nv)), np.empty((1, nv)), np.empty(nv), np.empty((MOST_DOFS, nv)), np.empty(nv))
    two = Fit(np.empty((1, nv)), np.empty((nv, nv)), np.empty((1, nv)), np.empty(nv), np.empty((MOST_DOFS, nv)), np.empty(nv))
    bounds = Bounds(
        limits, np.zeros(limits, np.int64), np.empty(limits), np.empty((limits, 3)), np.zeros(limits), np.zeros((limits, 9)),
        np.empty((loop_rows, nv)), np.empty((rows, nv)), np.empty(rows), np.empty(rows, np.int64), np.empty(rows, np.int64),
        np.empty(rows), np.empty(rows), np.empty(rows), np.empty((nv, nv)), np.empty((2, nv)), np.empty((1, nv)),
    )  # fmt: skip
    tools, aside, once = Tools(one, two, bounds, np.empty(nq), np.empty(nq)), np.empty(nq), np.empty(TOLD)
    for i in range(frames.shape[0]):
        f = frames[i]
        if before[i] >= 0:
            copy(q[before[i]], q[f])
        damping = _NEXT_DAMPING if before[i] >= 0 else _FIRST_DAMPING
        which = settle_frame(tree, targets, f, search, tools, q[f], damping, told[f])
        if not look_for_unseen(m, closed, one if which == 0 else two, bounds, loose[f]):
            nudge(m, one if which == 0 else two, told[f], q[f], bounds.d[0], aside)
            settle_frame(tree, targets, f, search, tools, aside, _FIRST_DAMPING, once)
            if once[CONVERGED] > 0.0 and once[GAP] <= CLOSED and once[COST] < (1.0 - SAME_FIT) * told[f, COST]:
                once[ITERATIONS] += told[f, ITERATIONS]
                copy(aside, q[f])
                copy(once, told[f])
            refresh(m, w, closed, bounds, q[f])
            let_go_of_distant(m, bounds)
            assess(m, w, targets, f, q[f], one, False)
            look_for_unseen(m, closed, one, bounds, loose[f])
        configuration.normalise(m.walk, q[f])
        misses(m, w, targets, f, q[f], one.miss, out.misses)
