"""Inverse kinematics of many frames: Levenberg–Marquardt on the manifold of positions, each frame started from another's result.

Every position on the way has its loops closed and its joints within their limits (`constrained_step`), so costs can be compared.
A step d is taken as q ⊕ d. The damping λ D lets go where steps keep what they promise, and grows where they do not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..algebra.dense import turn_row_back
from ..compilation import Integers, Table, inline, jit, long_entry
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


@jit
def settle_frame(
    model: KernelModel,
    work: Work,
    closed: Loops,
    targets: Targets,
    f: int,
    fits: tuple[Fit, Fit],
    bounds: Bounds,
    q: Any,
    trial: Any,
    other: Any,
    damping: float,
    tolerance: float,
    most: int,
    told: Any,
) -> int:
    """Move q to the least cost of frame f; returns which of the two fits is that of q.

    `trial` and `other` are scratch (nq,). It ends where the step that is left would gain less than tolerance² of the cost, or
    than what rounding makes of the misses; that step is still taken.
    """
    now, grow = 0, 4.0
    measure(model, bounds, q)
    let_go_of_distant(model, bounds)
    gap = restore(model, work, closed, bounds, q, other, 8 * _CLOSING)
    cost, size = assess(model, work, targets, f, q, fits[0], False)
    done, second, count, near = False, False, 0, _NEAR
    while count < most and not done and gap <= CLOSED:
        count += 1
        fit = fits[0] if now == 0 else fits[1]
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
        found, larger = assess(model, work, targets, f, trial, fits[1] if now == 0 else fits[0], ahead)
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
def track(
    handle: int,
    frames: Integers,
    before: Integers,
    point_rows: Integers,
    points: Table,
    point_goals: Table,
    point_weights: Table,
    turn_rows: Integers,
    turns: Table,
    turn_goals: Table,
    turn_weights: Table,
    joint_goals: Table,
    joint_weights: Table,
    limits: int,
    tolerance: float,
    most: int,
    q: Table,
    told: Table,
    loose: Table,
    out: Table,
) -> None:
    """`settle_frame` of some frames, one after another: each from q of the frame `before` it, or from its own q where that is −1.

    `limits` is how many of the tree's limits are kept, all or none. `told` gets what is in TOLD, `loose` the degrees of freedom
    that are not determined, `out` the misses of all targets.
    """
    m, w, closed = model_at(handle), work_at(handle, q), loops_at(handle, q)
    targets = Targets(
        point_rows, points, point_goals, point_weights, turn_rows, turns, turn_goals, turn_weights, joint_goals, joint_weights
    )
    nq, nv, loop_rows = q.shape[1], loose.shape[1], closed.rows.shape[0]
    rows = loop_rows + limits
    one = Fit(np.empty((1, nv)), np.empty((nv, nv)), np.empty((1, nv)), np.empty(nv), np.empty((MOST_DOFS, nv)), np.empty(nv))
    two = Fit(np.empty((1, nv)), np.empty((nv, nv)), np.empty((1, nv)), np.empty(nv), np.empty((MOST_DOFS, nv)), np.empty(nv))
    bounds = Bounds(
        limits, np.zeros(limits, np.int64), np.empty(limits), np.empty((limits, 3)), np.zeros(limits), np.zeros((limits, 9)),
        np.empty((loop_rows, nv)), np.empty((rows, nv)), np.empty(rows), np.empty(rows, np.int64), np.empty(rows, np.int64),
        np.empty(rows), np.empty(rows), np.empty(rows), np.empty((nv, nv)), np.empty((2, nv)), np.empty((1, nv)),
    )  # fmt: skip
    trial, other, aside, once = np.empty(nq), np.empty(nq), np.empty(nq), np.empty(TOLD)
    for i in range(frames.shape[0]):
        f = frames[i]
        if before[i] >= 0:
            copy(q[before[i]], q[f])
        damping = _NEXT_DAMPING if before[i] >= 0 else _FIRST_DAMPING
        which = settle_frame(m, w, closed, targets, f, (one, two), bounds, q[f], trial, other, damping, tolerance, most, told[f])
        if not look_for_unseen(m, closed, one if which == 0 else two, bounds, loose[f]):
            nudge(m, one if which == 0 else two, told[f], q[f], bounds.d[0], aside)
            settle_frame(m, w, closed, targets, f, (one, two), bounds, aside, trial, other, _FIRST_DAMPING, tolerance, most, once)
            if once[CONVERGED] > 0.0 and once[GAP] <= CLOSED and once[COST] < (1.0 - SAME_FIT) * told[f, COST]:
                once[ITERATIONS] += told[f, ITERATIONS]
                copy(aside, q[f])
                copy(once, told[f])
            refresh(m, w, closed, bounds, q[f])
            let_go_of_distant(m, bounds)
            assess(m, w, targets, f, q[f], one, False)
            look_for_unseen(m, closed, one, bounds, loose[f])
        configuration.normalise(m.walk, q[f])
        misses(m, w, targets, f, q[f], one.miss, out)
