"""Gaussian elimination that tells rank, and the least solution where rank is lacking."""

from __future__ import annotations

import math
from typing import Any

from ...compilation import inline, jit
from ...tolerances import LARGE_PIVOT
from .problem import COLUMN_ORDER, PIVOT, ROW_ORDER, WEIGHT, X, Y


@jit
def eliminate(F: Any, k: int, symmetric: bool, least: float, scratch: Any) -> int:
    """F = L U in place, L with a diagonal of ones, rows and columns in the order of ROW_ORDER and COLUMN_ORDER; the rank.  O(k³).

    A symmetric F is positive semidefinite: the largest number of the diagonal is the next pivot, and only L is made. Otherwise
    the pivot is one that is large enough, or the largest number of the row that is longest. It ends where what is left is below
    `least`, so F should have rows of size 1.
    """
    for i in range(k):
        scratch[ROW_ORDER, i] = scratch[COLUMN_ORDER, i] = i
    return eliminate_half(F, k, least, scratch) if symmetric else eliminate_all(F, k, least, scratch)


@jit
def eliminate_all(F: Any, k: int, least: float, scratch: Any) -> int:
    """`eliminate` for any F. Large pivots are taken as they come; the largest is looked for in what they leave."""
    squares, first = scratch[Y], eliminate_clear(F, k, scratch)
    for j in range(first, k):
        squares[j] = 0.0
        for c in range(first, k):
            squares[j] += F[j, c] * F[j, c]
    for i in range(first, k):
        row, column, size = next_pivot(F, i, k, squares)
        if not size > least:
            return i
        exchange(F, i, row, column, k, scratch)
        squares[row] = squares[i]
        inverse, top = 1.0 / F[i, i], F[i]
        scratch[PIVOT, i] = inverse
        for j in range(i + 1, k):
            below, total = F[j], 0.0
            factor = below[i] * inverse
            below[i] = factor
            for c in range(i + 1, k):
                left = below[c] - factor * top[c]
                below[c] = left
                total += left * left
            squares[j] = total
    return k


@jit
def eliminate_clear(F: Any, k: int, scratch: Any) -> int:
    """The first part of `eliminate_all`: pivots as they come on the diagonal, if they are large; how many there are.

    Rows without one are set aside, behind the others. Two pivots are taken out of a row at a time.
    """
    inverse, begun = scratch[PIVOT], scratch[X]
    j, count = 0, k
    while j < count:
        row = F[j]
        for i in range(0, j - 1, 2):
            upper, lower = F[i], F[i + 1]
            one = row[i] * inverse[i]
            two = (row[i + 1] - one * upper[i + 1]) * inverse[i + 1]
            row[i], row[i + 1] = one, two
            for c in range(i + 2, k):
                row[c] -= one * upper[c] + two * lower[c]
        if j % 2 == 1:
            take_out(F, row, j - 1, k, inverse)
        if row[j] > LARGE_PIVOT:
            inverse[j] = 1.0 / row[j]
            j += 1
        else:
            count -= 1
            begun[count] = j
            exchange(F, j, count, count, k, scratch)
    for r in range(count, k):
        for i in range(int(begun[r]), count):
            take_out(F, F[r], i, k, inverse)
    return count


@inline
def take_out(F: Any, row: Any, i: int, k: int, inverse: Any) -> None:
    """Take pivot i out of a row."""
    top, factor = F[i], row[i] * inverse[i]
    row[i] = factor
    for c in range(i + 1, k):
        row[c] -= factor * top[c]


@jit
def eliminate_half(F: Any, k: int, least: float, scratch: Any) -> int:
    """`eliminate` for a symmetric F, of which only the lower half is looked at."""
    column = scratch[Y]
    for i in range(k):
        best = next_diagonal(F, i, k)
        if not F[best, best] > least:
            return i
        exchange_both(F, i, best, k, scratch)
        inverse = 1.0 / F[i, i]
        scratch[PIVOT, i] = inverse
        for j in range(i + 1, k):
            column[j] = F[j, i]
        for j in range(i + 1, k):
            below = F[j]
            factor = column[j] * inverse
            below[i] = factor
            for c in range(i + 1, j + 1):
                below[c] -= factor * column[c]
    return k


@inline
def exchange_both(F: Any, i: int, j: int, k: int, scratch: Any) -> None:
    """Exchange rows and columns i < j of a symmetric table of which the lower half is there."""
    if i == j:
        return
    for c in range(i):
        F[i, c], F[j, c] = F[j, c], F[i, c]
    F[i, i], F[j, j] = F[j, j], F[i, i]
    for r in range(i + 1, j):
        F[r, i], F[j, r] = F[j, r], F[r, i]
    for r in range(j + 1, k):
        F[r, i], F[r, j] = F[r, j], F[r, i]
    scratch[ROW_ORDER, i], scratch[ROW_ORDER, j] = scratch[ROW_ORDER, j], scratch[ROW_ORDER, i]
    scratch[COLUMN_ORDER, i], scratch[COLUMN_ORDER, j] = scratch[COLUMN_ORDER, j], scratch[COLUMN_ORDER, i]


@inline
def next_diagonal(F: Any, i: int, k: int) -> int:
    """Where the diagonal is largest from i on."""
    best = i
    for j in range(i + 1, k):
        if F[j, j] > F[best, best]:
            best = j
    return best


@inline
def next_pivot(F: Any, i: int, k: int, squares: Any) -> tuple[int, int, float]:
    """The largest number of the longest row from i on, by the squares of their lengths."""
    row, longest = i, -1.0
    for j in range(i, k):
        if squares[j] > longest:
            row, longest = j, squares[j]
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
def prepare_least(F: Any, G: Any, k: int, rank: int, symmetric: bool, scratch: Any) -> None:
    """G, for `solve`: in each row an x of U x = 0 for one of the columns that are left, and L of the products of these x.

    U n = −u with a column u that is left, of which x has 1; products are with the squares of weights.  O((k − rank) k²).
    """
    if symmetric:
        for i in range(rank):
            for c in range(i + 1, k):
                F[i, c] = F[c, i] * F[i, i]
    squares = scratch[X]
    for c in range(k):
        weight = scratch[WEIGHT, int(scratch[COLUMN_ORDER, c])]
        squares[c] = weight * weight
    for f in range(k - rank):
        null = G[f]
        for i in range(rank - 1, -1, -1):
            row, total = F[i], F[i, rank + f]
            for c in range(i + 1, rank):
                total += row[c] * null[c]
            null[i] = -total * scratch[PIVOT, i]
        for g in range(f + 1):
            other, total = G[g], squares[rank + f] if g == f else 0.0
            for c in range(rank):
                total += squares[c] * null[c] * other[c]
            for e in range(g):
                total -= null[rank + e] * other[rank + e]
            null[rank + g] = total / other[rank + g] if g < f else math.sqrt(total)


@jit
def solve(F: Any, G: Any, k: int, rank: int, symmetric: bool, rhs: Any, x: Any, scratch: Any) -> None:
    """x with F x = rhs in the rows that count, of all such x the one with the least Σ (weight x)².  O(k²)."""
    y = scratch[Y]
    for i in range(rank):
        row, total = F[i], rhs[int(scratch[ROW_ORDER, i])]
        for c in range(i):
            total -= row[c] * y[c]
        y[i] = total
    for i in range(rank):
        y[i] *= scratch[PIVOT, i]
    if rank < k:
        solve_least(F, G, k, rank, y, x, scratch)
        return
    for i in range(rank - 1, -1, -1):
        row = F[i]
        if symmetric:
            for c in range(i):
                y[c] -= row[c] * y[i]
        else:
            total = 0.0
            for c in range(i + 1, k):
                total += row[c] * y[c]
            y[i] -= total * scratch[PIVOT, i]
    for i in range(k):
        x[int(scratch[COLUMN_ORDER, i])] = y[i]


@jit
def solve_least(F: Any, G: Any, k: int, rank: int, y: Any, x: Any, scratch: Any) -> None:
    """The least x with U x = y, both divided by the pivots, after `prepare_least`; y is destroyed.

    One x is that with nothing in the columns that are left; of those of U x = 0 so much is added that the sum is the shortest.
    """
    for i in range(rank - 1, -1, -1):
        row, total = F[i], 0.0
        for c in range(i + 1, rank):
            total += row[c] * y[c]
        y[i] -= total * scratch[PIVOT, i]
    for f in range(k - rank):
        null, total = G[f], 0.0
        for c in range(rank):
            weight = scratch[WEIGHT, int(scratch[COLUMN_ORDER, c])]
            total -= weight * weight * null[c] * y[c]
        for e in range(f):
            total -= null[rank + e] * y[rank + e]
        y[rank + f] = total / null[rank + f]
    for f in range(k - rank - 1, -1, -1):
        y[rank + f] /= G[f, rank + f]
        for e in range(f):
            y[rank + e] -= G[f, rank + e] * y[rank + f]
    for f in range(k - rank):
        null = G[f]
        for c in range(rank):
            y[c] += null[c] * y[rank + f]
    for c in range(k):
        x[int(scratch[COLUMN_ORDER, c])] = y[c]
