"""What inverse kinematics has to keep: closed loops, and limits as bounds. Their rows, and the way back onto them.

Loops, and limits that hold, are rows C d = b, d being a step from the present position.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..algebra.dense import factorise_rows, turn_row
from ..compilation import inline, jit
from ..joints import joint_integrate
from ..tolerances import CLOSED, GAP_SMALL, LOOP_RANK, WITHIN_LIMIT
from . import configuration
from .constraints.rows import hold, row_jacobian
from .constraints.tables import RESIDUAL, Loops
from .kinematics import place_bodies
from .passive import measured, pick
from .tables import DOFS, KIND, LIMITED, LOWER, UPPER, KernelModel, Q, V, Work

NUDGE = 1e-6  # rad: the step of a derivative


class Bounds(NamedTuple):
    """The rows that a step has to keep, and scratch to solve for it."""

    limits: int  # how many of the tree's limits are kept: all or none
    held: Any  # int64 (limits,): +1 at its upper bound, −1 at its lower one, 0 where it does not hold
    value: Any  # (limits,): the limited measure
    slope: Any  # (limits, 3): its gradient by the joint's velocities
    force: Any  # (limits,): the multiplier with which it held in the last step, 0 where it did not
    bend: Any  # (limits, 9): that times its second derivatives
    loops: Any  # (loop rows, nv): J of the loops
    C: Any  # (loop rows + limits, nv): the rows that hold, then their factors
    b: Any  # (loop rows + limits,)
    who: Any  # int64 (loop rows + limits,): the limit that a row belongs to, −1 for a loop's
    order: Any  # int64 (loop rows + limits,)
    heads: Any  # (loop rows + limits,)
    left: Any  # (loop rows + limits,)
    push: Any  # (loop rows + limits,): multipliers of the rows, in the order in which they were taken
    B: Any  # (nv, nv): the matrix as it is solved
    y: Any  # (2, nv): the step that is solved for, and the gradient, along the free directions
    d: Any  # (1, nv): the step


# --- rows -------------------------------------------------------------------------------------------------------------------


@jit
def measure(model: KernelModel, bounds: Bounds, q: Any) -> None:
    """Every limited measure and its gradient at q."""
    for i in range(bounds.limits):
        value, gradient = measured(model, i, q, model.walk[model.limit_rows[i, LIMITED], Q])
        bounds.value[i] = value
        for c in range(3):
            bounds.slope[i, c] = pick(gradient, c)


@jit
def bend_limits(model: KernelModel, bounds: Bounds, q: Any, other: Any) -> None:
    """The second derivatives of limits that hold, times their multipliers: a limited rotation moves on a sphere, not on a plane.

    By differences of the gradients along the joint's own velocities. `other` is scratch (nq,).
    """
    bend, walk = bounds.bend, model.walk
    for i in range(bounds.limits):
        k = model.limit_rows[i, LIMITED]
        count = min(walk[k, DOFS], 3)
        for c in range(9):
            bend[i, c] = 0.0
        if bounds.held[i] == 0 or bounds.force[i] == 0.0:
            continue
        for c in range(count):
            for side in (-1.0, 1.0):
                for e in range(walk[k, DOFS]):
                    bounds.y[0, walk[k, V] + e] = side * NUDGE if e == c else 0.0
                joint_integrate(walk[k, KIND], q, walk[k, Q], bounds.y[0], walk[k, V], other)
                _, gradient = measured(model, i, other, walk[k, Q])
                for e in range(count):
                    half = side * bounds.force[i] * pick(gradient, e) / (4.0 * NUDGE)
                    bend[i, 3 * c + e] += half
                    bend[i, 3 * e + c] += half


@inline
def along(model: KernelModel, bounds: Bounds, i: int, step: Any) -> float:
    """How far a limited measure goes along a step (1, nv), to first order."""
    k = model.limit_rows[i, LIMITED]
    total = 0.0
    for c in range(min(model.walk[k, DOFS], 3)):
        total += bounds.slope[i, c] * step[0, model.walk[k, V] + c]
    return total


@inline
def bound_of(model: KernelModel, i: int, side: int) -> float:
    """The bound of a limit on one side."""
    return model.limits[i, UPPER] if side > 0 else model.limits[i, LOWER]


@inline
def slack_of(bound: float) -> float:
    """How far a measure may be beyond a bound, or off one that holds it."""
    return WITHIN_LIMIT * (1.0 + abs(bound))


@jit
def rows_that_hold(model: KernelModel, closed: Loops, bounds: Bounds) -> int:
    """Fill C and b with the rows of loops and of limits that hold; returns how many there are."""
    C, nv, count = bounds.C, bounds.C.shape[1], bounds.loops.shape[0]
    for r in range(count):
        bounds.b[r], bounds.who[r] = closed.rows[r, RESIDUAL], -1
        for d in range(nv):
            C[r, d] = bounds.loops[r, d]
    for i in range(bounds.limits):
        if bounds.held[i] != 0:
            k = model.limit_rows[i, LIMITED]
            bounds.b[count], bounds.who[count] = bound_of(model, i, bounds.held[i]) - bounds.value[i], i
            for d in range(nv):
                C[count, d] = 0.0
            for c in range(min(model.walk[k, DOFS], 3)):
                C[count, model.walk[k, V] + c] = bounds.slope[i, c]
            count += 1
    return count


@jit
def least_move(bounds: Bounds, count: int) -> int:
    """Factorise the first rows of C; the first numbers of y[0] become what the rows ask for. Returns how many rows were taken."""
    if count == 0:
        return 0
    taken = factorise_rows(bounds.C[:count], bounds.order, bounds.heads, bounds.left, LOOP_RANK)
    for i in range(taken):
        total = bounds.b[bounds.order[i]]
        for c in range(i):
            total -= bounds.C[i, c] * bounds.y[0, c]
        bounds.y[0, i] = total / bounds.C[i, i]
    return taken


@inline
def let_go_of_distant(model: KernelModel, bounds: Bounds) -> None:
    """Limits that the present position is not at do not hold: those of a step that was not taken."""
    for i in range(bounds.limits):
        if bounds.held[i] != 0:
            bound = bound_of(model, i, bounds.held[i])
            if abs(bound - bounds.value[i]) > slack_of(bound):
                bounds.held[i] = 0


# --- back onto closed loops, and within limits -------------------------------------------------------------------------------


@jit
def take_hold_beyond(model: KernelModel, bounds: Bounds) -> bool:
    """Let limits hold whose measures are beyond their bounds; whether there were any."""
    found = False
    for i in range(bounds.limits):
        if bounds.held[i] == 0:
            for side in (-1, 1):
                bound = bound_of(model, i, side)
                if side * (bounds.value[i] - bound) > slack_of(bound):
                    bounds.held[i], found = side, True
    return found


@jit
def restore(model: KernelModel, work: Work, closed: Loops, bounds: Bounds, q: Any, other: Any, trials: int) -> float:
    """Move q, by least steps, to where all loops are closed and no limit is exceeded; returns the gap that is left.

    The rows of loops are left as they are at q; `other` is scratch (nq,). What holds nothing is not moved at all.
    """
    gap = math.inf
    for trial in range(trials):
        before = gap
        gap = refresh(model, work, closed, bounds, q)
        beyond = take_hold_beyond(model, bounds)
        for i in range(bounds.limits):
            if bounds.held[i] != 0:
                bound = bound_of(model, i, bounds.held[i])
                gap = max(gap, abs(bound - bounds.value[i]) - slack_of(bound))
        stuck = gap <= CLOSED and not gap < 0.5 * before
        if not beyond and (gap <= GAP_SMALL or stuck or trial == trials - 1 or not gap < math.inf):
            break
        taken = least_move(bounds, rows_that_hold(model, closed, bounds))
        for j in range(taken, bounds.y.shape[1]):
            bounds.y[0, j] = 0.0
        turn_row(bounds.C, bounds.heads, taken, bounds.y, 0)
        configuration.integrate(model.walk, q, bounds.y[0], other)
        for i in range(q.shape[0]):
            q[i] = other[i]
    return gap


@inline
def refresh(model: KernelModel, work: Work, closed: Loops, bounds: Bounds, q: Any) -> float:
    """The rows of loops and the measures of limits at q; returns the largest gap of a loop."""
    gap = 0.0
    if bounds.loops.shape[0] > 0:
        place_bodies(model, work, q)
        gap = hold(model, work, closed, q)
        row_jacobian(model, work, closed, bounds.loops)
    measure(model, bounds, q)
    return gap
