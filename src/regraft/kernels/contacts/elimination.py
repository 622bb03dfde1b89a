"""Gaussian elimination that tells rank, and the least solution where rank is lacking."""

from __future__ import annotations

import math
from typing import Any

from ...compilation import inline, jit
from .problem import COLUMN_ORDER, PIVOT, ROW_ORDER, WEIGHT, Y


@jit
def eliminate(F: Any, k: int, symmetric: bool, least: float, scratch: Any) -> int:
    """F = L U in place, L with a diagonal of ones, rows and columns in the order of ROW_ORDER and COLUMN_ORDER; the rank.  O(k³).

    A symmetric F is positive semidefinite: the largest number of the diagonal is the next pivot. Otherwise it is the largest
    number of the row that is longest. It ends where what is left is below `least`, so F should have rows of size 1.
    """
    for i in range(k):
        scratch[ROW_ORDER, i] = scratch[COLUMN_ORDER, i] = i
    for i in range(k):
        row, column, size = next_diagonal(F, i, k) if symmetric else next_pivot(F, i, k)
        if not size > least:
            return i
        exchange(F, i, row, column, k, scratch)
        inverse = 1.0 / F[i, i]
        scratch[PIVOT, i] = inverse
        for j in range(i + 1, k):
            factor = F[j, i] * inverse
            F[j, i] = factor
            if factor != 0.0:
                for c in range(i + 1, k):
                    F[j, c] -= factor * F[i, c]
    return k


@inline
def next_diagonal(F: Any, i: int, k: int) -> tuple[int, int, float]:
    """The largest number of the diagonal from i on."""
    best = i
    for j in range(i + 1, k):
        if F[j, j] > F[best, best]:
            best = j
    return best, best, F[best, best]


@inline
def next_pivot(F: Any, i: int, k: int) -> tuple[int, int, float]:
    """The largest number of the longest row from i on."""
    row, longest = i, -1.0
    for j in range(i, k):
        square = 0.0
        for c in range(i, k):
            square += F[j, c] * F[j, c]
        if square > longest:
            row, longest = j, square
    column = i
    for c in range(i + 1, k):
        if abs(F[row, c]) > abs(F[row, column]):
            column = c
    return row, column, abs(F[row, column])


@inline
def exchange(F: Any, i: int, row: int, column: int, k: int, scratch: Any) -> None:
    """Bring a row and a column to place i."""
    if row != i:
        for c in range(k):
            F[i, c], F[row, c] = F[row, c], F[i, c]
        scratch[ROW_ORDER, i], scratch[ROW_ORDER, row] = scratch[ROW_ORDER, row], scratch[ROW_ORDER, i]
    if column != i:
        for r in range(k):
            F[r, i], F[r, column] = F[r, column], F[r, i]
        scratch[COLUMN_ORDER, i], scratch[COLUMN_ORDER, column] = scratch[COLUMN_ORDER, column], scratch[COLUMN_ORDER, i]


@jit
def prepare_least(F: Any, G: Any, k: int, rank: int, scratch: Any) -> None:
    """G = L Lᵀ of the products of the rows of U, divided by pivots and by the weights of unknowns, for `solve`.  O(k rank²)."""
    for i in range(rank):
        for j in range(i + 1):
            total = 0.0
            for c in range(i, k):
                weight = scratch[WEIGHT, int(scratch[COLUMN_ORDER, c])]
                total += F[i, c] * F[j, c] / (weight * weight)
            G[i, j] = total * scratch[PIVOT, i] * scratch[PIVOT, j]
    for i in range(rank):
        for j in range(i):
            total = G[i, j]
            for c in range(j):
                total -= G[i, c] * G[j, c]
            G[i, j] = total / G[j, j]
        total = G[i, i]
        for c in range(i):
            total -= G[i, c] * G[i, c]
        G[i, i] = math.sqrt(total)


@jit
def solve(F: Any, G: Any, k: int, rank: int, rhs: Any, x: Any, scratch: Any) -> None:
    """x with F x = rhs in the rows that count, of all such x the one with the least Σ (weight x)².  O(k²)."""
    y = scratch[Y]
    for i in range(rank):
        total = rhs[int(scratch[ROW_ORDER, i])]
        for c in range(i):
            total -= F[i, c] * y[c]
        y[i] = total
    for i in range(rank):
        y[i] *= scratch[PIVOT, i]
    if rank < k:
        solve_least(F, G, k, rank, y, x, scratch)
        return
    for i in range(rank - 1, -1, -1):
        total = 0.0
        for c in range(i + 1, k):
            total += F[i, c] * y[c]
        y[i] -= total * scratch[PIVOT, i]
    for i in range(k):
        x[int(scratch[COLUMN_ORDER, i])] = y[i]


@jit
def solve_least(F: Any, G: Any, k: int, rank: int, y: Any, x: Any, scratch: Any) -> None:
    """The least x with U x = y, both divided by the pivots, after `prepare_least`; y is destroyed."""
    for i in range(rank):
        for c in range(i):
            y[i] -= G[i, c] * y[c]
        y[i] /= G[i, i]
    for i in range(rank - 1, -1, -1):
        for c in range(i + 1, rank):
            y[i] -= G[c, i] * y[c]
        y[i] /= G[i, i]
    for i in range(rank):
        y[i] *= scratch[PIVOT, i]
    for c in range(k):
        place = int(scratch[COLUMN_ORDER, c])
        total = 0.0
        for i in range(min(c + 1, rank)):
            total += F[i, c] * y[i]
        x[place] = total / (scratch[WEIGHT, place] * scratch[WEIGHT, place])
