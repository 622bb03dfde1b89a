"""Generalized coordinates of closed chains, how all coordinates follow from them, and torques shared among motors (S2).

All of it is dense algebra on the singular value decomposition that `jacobian.allowed_motions` makes of J_C, in coordinates θ̂
without units: the first `rank` rows of Vt are an orthonormal basis of the velocities that the loops do not allow, the other rows
one of those that they allow (the null space of J_C).
"""

from __future__ import annotations

import numpy as np

from ...algebra.dense import decompose, factorise_rows, least_solution, solve_rows
from ...compilation import Floats, IntegerTable, Table, entry
from ...tolerances import ASSEMBLED, LOOP_RANK

_FIRST = 1e-6  # of equally good coordinates the first ones are taken, not those that rounding favours


@entry
def choose(Vt: Table, rank: int, weights: Floats, chosen: IntegerTable) -> None:
    """Choose generalized coordinates: all but the `rank` coordinates whose columns of J_C are best conditioned together.

    The best are found by a QR factorisation with pivots, in which the column of a coordinate is multiplied with its weight: the
    larger the weight, the sooner it becomes a dependent coordinate. `chosen` gets the others in ascending order.
    """
    count = Vt.shape[0]
    X, order, heads, left = np.empty((count, rank)), np.empty(count, np.int64), np.empty(count), np.empty(count)
    for i in range(count):
        for c in range(rank):
            X[i, c] = Vt[c, i] * (weights[i] * (1.0 + _FIRST * i))
    factorise_rows(X, order, heads, left, 0.0)
    for i in range(rank, count):
        at = i - rank
        while at > 0 and chosen[at - 1, 0] > order[i]:
            chosen[at, 0] = chosen[at - 1, 0]
            at -= 1
        chosen[at, 0] = order[i]


@entry
def follow(Vt: Table, rank: int, scales: Floats, chosen: IntegerTable, rates: Table) -> float:
    """`rates` with θ̇ = rates θ̇_G for all coordinates; returns how well conditioned the chosen θ_G are.

    That is the least size that θ̂̇_G has in any allowed motion with |θ̂̇| = 1: 1 at best, 0 where they depend on each other.
    """
    dof = chosen.shape[0]
    F, copied = np.empty((dof, dof)), np.empty((dof, dof))
    for g in range(dof):
        for c in range(dof):
            F[g, c] = copied[g, c] = Vt[rank + c, chosen[g, 0]]
    for i in range(rates.shape[0]):
        for c in range(dof):
            rates[i, c] = Vt[rank + c, i]
    solve_rows(F, rates)
    for g in range(dof):
        for c in range(dof):
            rates[chosen[g, 0], c] = 1.0 if c == g else 0.0
    for i in range(rates.shape[0]):
        for g in range(dof):
            rates[i, g] *= scales[i] / scales[chosen[g, 0]]
    sizes = np.empty(dof)
    decompose(copied, np.empty((dof, dof)), sizes, np.empty((dof, dof)))
    return sizes[dof - 1] if dof > 0 else 1.0


@entry
def share(
    free: Table, acting: Floats, places: IntegerTable, weights: Floats, reach: Table, wanted: Floats, y: Table, lacking: Floats
) -> int:
    """The least torques of motors at some `places` that do the same work in all allowed motions as the torques `acting`.

    The rows of `free` are the allowed motions in θ̂, to which `acting` belongs; `weights` are dθ/dθ̂ of the motors' coordinates by
    their stretch. y[0] are the torques of the motors, each times its stretch, and y[1:] a basis of what may be added to
    them without a change of work (internal forces). Both fulfil reach y = wanted, with as many rows as the number returned.
    `lacking` is what the motors cannot do, in terms of the allowed motions; where it is not zero, −1 is returned.
    """
    dof, motors = free.shape[0], places.shape[0]
    count = min(dof, motors)
    F, U, sizes, rows = np.empty((dof, motors)), np.empty((count, dof)), np.empty(count), np.empty((motors, motors))
    largest = 0.0
    for i in range(acting.shape[0]):
        largest = max(largest, abs(acting[i]))
    for g in range(dof):
        lacking[g] = 0.0
        for i in range(acting.shape[0]):
            lacking[g] += free[g, i] * acting[i]
        for k in range(motors):
            F[g, k] = free[g, places[k, 0]]
    decompose(F, U, sizes, rows)
    able = 0
    while able < count and sizes[able] > LOOP_RANK:  # sizes are cosines between what has motors and what can move
        asked = 0.0
        for g in range(dof):
            asked += U[able, g] * lacking[g]
        for g in range(dof):
            lacking[g] -= asked * U[able, g]
        wanted[able] = asked / sizes[able]
        for k in range(motors):
            reach[able, k] = rows[able, k] * weights[k]
        able += 1
    for g in range(dof):
        if not abs(lacking[g]) <= ASSEMBLED * largest:
            return -1
    least_solution(reach[:able].copy(), wanted, y[: min(y.shape[0], motors - able + 1)])
    return able
