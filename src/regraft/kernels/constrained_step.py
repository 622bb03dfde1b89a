"""One step of inverse kinematics: the damped least-squares step that keeps loops closed and joints within their limits.

    min ½ dᵀ (H + λ D) d + gᵀ d   with   J d = −gap along the rows of loops, and lower ≤ c + a · d ≤ upper for limited measures c.

Loops, and limits that hold, are rows C d = b. They are factorised by reflections with pivots, which find the rows that follow
from others; what is left is free, and is solved for by a Cholesky factorisation. Which limits hold is found by an active-set
method: the first bound in the way takes hold, and one that pulls instead of pushing lets go.
"""

from __future__ import annotations

import math
from typing import Any

from ..algebra.dense import turn_row, turn_row_back
from ..compilation import inline, jit
from ..tolerances import PULLING
from .bounds import Bounds, along, bend_limits, least_move, let_go_of_distant, rows_that_hold
from .constraints.tables import Loops
from .tables import DOFS, LIMITED, LOWER, UPPER, KernelModel, V
from .targets import Fit

# --- the step ---------------------------------------------------------------------------------------------------------------


@jit
def cholesky(B: Any, first: int) -> bool:
    """B = Uᵀ U from a row and column on, U in the upper half; False where B is not positive.  Rows are taken two at a time."""
    n, k = B.shape[0], first
    while k < n:
        if not scale_row(B, k):
            return False
        if k + 1 == n:
            break
        take_from_row(B, k, k + 1)
        if not scale_row(B, k + 1):
            return False
        for i in range(k + 2, n):
            above, over, row = B[k, i:], B[k + 1, i:], B[i, i:]  # indices from 0 on need no look at their sign
            one, two = above[0], over[0]
            for c in range(row.shape[0]):
                row[c] -= one * above[c] + two * over[c]
        k += 2
    return True


@inline
def scale_row(B: Any, k: int) -> bool:
    """Row k of U, where those above it have been taken from it; False where B is not positive."""
    if not B[k, k] > 0.0:
        return False
    B[k, k] = math.sqrt(B[k, k])
    inverse = 1.0 / B[k, k]
    for c in range(k + 1, B.shape[0]):
        B[k, c] *= inverse
    return True


@inline
def take_from_row(B: Any, k: int, i: int) -> None:
    """Take what row k of U makes of row i from it."""
    share = B[k, i]
    for c in range(i, B.shape[0]):
        B[i, c] -= share * B[k, c]


@inline
def forward(B: Any, first: int, y: Any, row: int) -> None:
    """Y ← U⁻ᵀ y."""
    for i in range(first, B.shape[0]):
        y[row, i] /= B[i, i]
        for c in range(i + 1, B.shape[0]):
            y[row, c] -= B[i, c] * y[row, i]


@inline
def backward(B: Any, first: int, y: Any, row: int) -> None:
    """Y ← U⁻¹ y."""
    for i in range(B.shape[0] - 1, first - 1, -1):
        total = y[row, i]
        for c in range(i + 1, B.shape[0]):
            total -= B[i, c] * y[row, c]
        y[row, i] = total / B[i, i]


@jit
def turn_matrix(bounds: Bounds, taken: int) -> None:
    """B ← Qᵀ B Q, for the reflections of the rows that hold."""
    B = bounds.B
    for _side in range(2):
        for j in range(B.shape[0]):
            turn_row_back(bounds.C, bounds.heads, taken, B, j)
        for i in range(B.shape[0]):
            for j in range(i):
                B[i, j], B[j, i] = B[j, i], B[i, j]


@jit
def solve_rows_held(model: KernelModel, fit: Fit, bounds: Bounds, count: int, damping: float) -> int:
    """The step y[0] that the rows that hold allow, and their multipliers `push`; returns how many were taken, −1 for no step."""
    B, y, nv = bounds.B, bounds.y, bounds.B.shape[0]
    taken = least_move(bounds, count)
    for i in range(nv):
        y[1, i] = fit.g[0, i]
        for j in range(nv):
            B[i, j] = fit.H[i, j]
        B[i, i] += damping * fit.D[0, i]
    add_bends(model, bounds)
    if taken > 0:
        turn_matrix(bounds, taken)
        turn_row_back(bounds.C, bounds.heads, taken, y, 1)
    for i in range(nv):  # the gradient where the rows have taken us
        for c in range(taken):
            y[1, i] += B[i, c] * y[0, c]
    for i in range(taken, nv):
        y[0, i] = -y[1, i]
    for i in range(taken):
        bounds.push[i] = -y[1, i]
    if not cholesky(B, taken):
        return -1
    forward(B, taken, y, 0)
    backward(B, taken, y, 0)
    finish_multipliers(bounds, taken)
    if taken > 0:
        turn_row(bounds.C, bounds.heads, taken, y, 0)
    return taken


@inline
def add_bends(model: KernelModel, bounds: Bounds) -> None:
    """Add the second derivatives of limits that hold to B."""
    for i in range(bounds.limits):
        if bounds.held[i] != 0:
            k = model.limit_rows[i, LIMITED]
            first, count = model.walk[k, V], min(model.walk[k, DOFS], 3)
            for c in range(count):
                for e in range(count):
                    bounds.B[first + c, first + e] += bounds.bend[i, 3 * c + e]


@jit
def promise(model: KernelModel, fit: Fit, bounds: Bounds) -> float:
    """How much less the cost becomes along the step d, by its model: −g · d − ½ d · H d, on limits that bend."""
    d, nv, total = bounds.d, bounds.d.shape[1], 0.0
    for i in range(nv):
        row = 0.0
        for j in range(nv):
            row += fit.H[i, j] * d[0, j]
        total -= d[0, i] * (fit.g[0, i] + 0.5 * row)
    for i in range(bounds.limits):
        if bounds.held[i] != 0:
            k = model.limit_rows[i, LIMITED]
            first, count = model.walk[k, V], min(model.walk[k, DOFS], 3)
            for c in range(count):
                for e in range(count):
                    total -= 0.5 * d[0, first + c] * bounds.bend[i, 3 * c + e] * d[0, first + e]
    return total


@inline
def finish_multipliers(bounds: Bounds, taken: int) -> None:
    """Push = L⁻ᵀ (minus the gradient at the step, along the rows)."""
    B, y, C = bounds.B, bounds.y, bounds.C
    for i in range(taken):
        for c in range(taken, B.shape[0]):
            bounds.push[i] -= B[i, c] * y[0, c]
    for i in range(taken - 1, -1, -1):
        bounds.push[i] /= C[i, i]
        for c in range(i):
            bounds.push[c] -= C[i, c] * bounds.push[i]


@jit
def step(model: KernelModel, closed: Loops, fit: Fit, bounds: Bounds, q: Any, other: Any, damping: float) -> bool:
    """The step d from a position q whose `fit` and rows are known; False where there is none for so little damping.

    `other` is scratch (nq,).
    """
    d, y, nv = bounds.d, bounds.y, bounds.d.shape[1]
    let_go_of_distant(model, bounds)
    bend_limits(model, bounds, q, other)
    for j in range(nv):
        d[0, j] = 0.0
    for _change in range(4 * bounds.limits + 1):
        count = rows_that_hold(model, closed, bounds)
        taken = solve_rows_held(model, fit, bounds, count, damping)
        keep_forces(bounds, taken)
        if taken < 0:
            return False
        share, first = first_in_the_way(model, bounds)
        for j in range(nv):
            d[0, j] += share * (y[0, j] - d[0, j])
        if first < 0:
            first = pulling(fit, bounds, taken)
            if first < 0:
                break
            bounds.held[first] = 0
        else:
            bounds.held[first] = 1 if along(model, bounds, first, y) > along(model, bounds, first, d) else -1
    return True


@inline
def keep_forces(bounds: Bounds, taken: int) -> None:
    """Remember the multipliers of limits that hold; none where there was no step."""
    for i in range(bounds.limits):
        bounds.force[i] = 0.0
    for r in range(taken):
        i = bounds.who[bounds.order[r]]
        if i >= 0:
            bounds.force[i] = bounds.push[r]


@inline
def first_in_the_way(model: KernelModel, bounds: Bounds) -> tuple[float, int]:
    """Which part of the way from d to y[0] is free, and the limit that ends it, −1 for none."""
    share, first = 1.0, -1
    for i in range(bounds.limits):
        if bounds.held[i] == 0:
            here, there = bounds.value[i] + along(model, bounds, i, bounds.d), bounds.value[i] + along(model, bounds, i, bounds.y)
            bound = model.limits[i, UPPER] if there > here else model.limits[i, LOWER]
            beyond = there - bound if there > here else bound - there
            if beyond > 0.0 and there != here:
                part = max((bound - here) / (there - here), 0.0)
                if part < share:
                    share, first = part, i
    return share, first


@inline
def pulling(fit: Fit, bounds: Bounds, taken: int) -> int:
    """The limit whose row pulls hardest towards its bound, where it should push back from it; −1 for none."""
    largest = 0.0
    for j in range(fit.g.shape[1]):
        largest = max(largest, abs(fit.g[0, j]))
    first, worst = -1, PULLING * largest
    for r in range(taken):
        i = bounds.who[bounds.order[r]]
        if i >= 0 and -bounds.held[i] * bounds.push[r] > worst:
            first, worst = i, -bounds.held[i] * bounds.push[r]
    return first
