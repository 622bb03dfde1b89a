"""Which coordinates of a closed chain to take, how all follow them, and how torques are shared among motors: dense algebra.

All of it starts from the decomposition that `constraint.allowed_motions` makes: the first `rank` rows of Vt are an orthonormal
basis of the directions of θ̂̇ that loops do not allow, the others one of those that they allow.
"""

from __future__ import annotations

import numpy as np

from ...algebra.dense import decompose, factorise_rows, least_solution, solve_rows
from ...compilation import Floats, IntegerTable, Table, entry
from .closure import ASSEMBLED
from .jacobian import RANK

_FIRST = 1e-6  # of equally good coordinates the first ones are taken, not those that rounding favours


@entry
def choose(Vt: Table, rank: int, weights: Floats, chosen: IntegerTable) -> None:
    """The coordinates that are left when the `rank` columns of J_C that are best together are taken out, in ascending order.

    `weights` say what speaks for a coordinate as one of those that are taken out, beside its conditioning.
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
    """θ̇ = rates θ̇_G for all coordinates; returns the least size that the chosen ones have in any motion of size 1."""
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
    Vt: Table,
    rank: int,
    scales: Floats,
    acting: Floats,
    places: IntegerTable,
    stretch: Floats,
    reach: Table,
    wanted: Floats,
    y: Table,
    lacking: Floats,
) -> int:
    """Torques y[0] by `stretch` of the motors at some `places` that do the same work in all allowed motions as `acting` in θ̂.

    Those that are least: y[1:] are a basis of what may be added. y fulfils reach y = wanted, as many rows of these as are
    returned. What the motors cannot do is `lacking`, in the allowed motions, and −1 is returned where it is asked for.
    """
    dof, motors = Vt.shape[0] - rank, places.shape[0]
    count = min(dof, motors)
    F, U, sizes, rows = np.empty((dof, motors)), np.empty((count, dof)), np.empty(count), np.empty((motors, motors))
    largest = 0.0
    for i in range(acting.shape[0]):
        largest = max(largest, abs(acting[i]))
    for g in range(dof):
        lacking[g] = 0.0
        for i in range(acting.shape[0]):
            lacking[g] += Vt[rank + g, i] * acting[i]
        for k in range(motors):
            F[g, k] = Vt[rank + g, places[k, 0]]
    decompose(F, U, sizes, rows)
    able = 0
    while able < count and sizes[able] > RANK:  # sizes are cosines between what has motors and what can move
        asked = 0.0
        for g in range(dof):
            asked += U[able, g] * lacking[g]
        for g in range(dof):
            lacking[g] -= asked * U[able, g]
        wanted[able] = asked / sizes[able]
        for k in range(motors):
            reach[able, k] = rows[able, k] * (scales[places[k, 0]] / stretch[k])
        able += 1
    for g in range(dof):
        if not abs(lacking[g]) <= ASSEMBLED * largest:
            return -1
    least_solution(reach[:able].copy(), wanted, y[: min(y.shape[0], motors - able + 1)])
    return able
