"""Gaussian elimination in the order that is there, for matrices that look as they did when their rank was last found.

Unknowns come in three parts. The matrix of the first two is symmetric: those that are *kept* are independent, and the *others* of
this `half` follow from them. Behind it is a *border* of unknowns whose rows and columns differ. F has the lower half of the
symmetric part and the rows of the border; G has the columns of the border as rows. Where pivots tell that this is not so, or not
so any more, `elimination` has to look for the order.
"""

from __future__ import annotations

import math
from typing import Any

from ...compilation import inline, jit
from ...tolerances import CLEAR_PIVOT, LARGE_PIVOT, REDUNDANT_FORCE
from .elimination import take_out
from .problem import PIVOT, WEIGHT, X, Y


@jit
def eliminate_held(F: Any, kept: int, half: int, scratch: Any) -> bool:
    """Factorise the symmetric part of F; False where the unknowns are not what their order says.  O(half³)."""
    return eliminate_kept(F, kept, scratch) and eliminate_others(F, kept, half, scratch)


@jit
def eliminate_kept(F: Any, k: int, scratch: Any) -> bool:
    """F = L D Lᵀ of the unknowns that count; False where a pivot is not clear.

    Only the lower half of F is looked at, and it is destroyed in any case. Two rows and two columns are taken at a time, so that
    each number that is loaded is used twice, and four sums grow at once.
    """
    first, second, inverse = scratch[X], scratch[Y], scratch[PIVOT]
    for j in range(0, k - 1, 2):
        one, two = F[j], F[j + 1]
        for i in range(0, j, 2):
            upper, lower = F[i], F[i + 1]
            a, b, c, d = one[i], one[i + 1], two[i], two[i + 1]
            for m in range(i):
                a -= first[m] * upper[m]
                b -= first[m] * lower[m]
                c -= second[m] * upper[m]
                d -= second[m] * lower[m]
            b -= a * lower[i]
            d -= c * lower[i]
            first[i], first[i + 1], second[i], second[i + 1] = a, b, c, d
            one[i], one[i + 1], two[i], two[i + 1] = a * inverse[i], b * inverse[i + 1], c * inverse[i], d * inverse[i + 1]
        a, b, c = one[j], two[j], two[j + 1]
        for m in range(j):
            a -= first[m] * one[m]
            b -= second[m] * one[m]
            c -= second[m] * two[m]
        if not a > CLEAR_PIVOT:
            return False
        inverse[j] = 1.0 / a
        share = b * inverse[j]
        c -= b * share
        if not c > CLEAR_PIVOT:
            return False
        inverse[j + 1] = 1.0 / c
        one[j], two[j], two[j + 1] = a, share, c
    if k % 2 == 1:
        one, j = F[k - 1], k - 1
        for i in range(j):
            upper, a = F[i], one[i]
            for m in range(i):
                a -= first[m] * upper[m]
            first[i] = a
            one[i] = a * inverse[i]
        a = one[j]
        for m in range(j):
            a -= first[m] * one[m]
        if not a > CLEAR_PIVOT:
            return False
        inverse[j] = 1.0 / a
        one[j] = a
    return True


@inline
def below(F: Any, row: Any, kept: int) -> None:
    """L⁻¹ of a row, in place."""
    for j in range(kept):
        left, total = F[j], row[j]
        for i in range(j):
            total -= left[i] * row[i]
        row[j] = total


@inline
def eliminate_others(F: Any, kept: int, half: int, scratch: Any) -> bool:
    """The rows of L of unknowns that follow from those that are kept; False where something is left of one."""
    inverse = scratch[PIVOT]
    for f in range(kept, half):
        row, left = F[f], F[f, f]
        below(F, row, kept)
        for j in range(kept):
            factor = row[j] * inverse[j]
            left -= factor * row[j]
            row[j] = factor
        if not left <= REDUNDANT_FORCE:
            return False
    return True


@jit
def eliminate_border(F: Any, G: Any, kept: int, half: int, k: int, scratch: Any) -> bool:
    """Factorise the border, after `eliminate_held`; False where a pivot is not large."""
    inverse = scratch[PIVOT]
    for t in range(half, k):
        row = F[t]
        below(F, row, kept)
        below(F, G[t], kept)
        for j in range(kept):
            row[j] *= inverse[j]
    for t in range(half, k):
        row = F[t]
        for s in range(half, k):
            column, total = G[s], row[s]
            for j in range(kept):
                total -= row[j] * column[j]
            row[s] = total
        for i in range(half, t - 1, 2):
            upper, lower = F[i], F[i + 1]
            one = row[i] * inverse[i]
            two = (row[i + 1] - one * upper[i + 1]) * inverse[i + 1]
            row[i], row[i + 1] = one, two
            for s in range(i + 2, k):
                row[s] -= one * upper[s] + two * lower[s]
        if (t - half) % 2 == 1:
            take_out(F, row, t - 1, k, inverse)
        if not row[t] > LARGE_PIVOT:
            return False
        inverse[t] = 1.0 / row[t]
    return True


@jit
def prepare_others(F: Any, G: Any, kept: int, half: int, scratch: Any) -> None:
    """G, for `solve_plainly`: in its first rows an x of F x = 0 for each unknown that follows, and L of the products of these x.

    The x of an unknown has 1 there; products are with the squares of weights.
    """
    weight = scratch[WEIGHT]
    for f in range(half - kept):
        null, row = G[f], F[kept + f]
        for j in range(kept):
            null[j] = -row[j]
        above(F, null, kept)
        for g in range(f + 1):
            other, total = G[g], weight[kept + f] * weight[kept + f] if g == f else 0.0
            for j in range(kept):
                total += weight[j] * weight[j] * null[j] * other[j]
            for e in range(g):
                total -= null[kept + e] * other[kept + e]
            null[kept + g] = total / other[kept + g] if g < f else math.sqrt(total)


@inline
def above(F: Any, x: Any, kept: int) -> None:
    """L⁻ᵀ x, in place."""
    for i in range(kept - 1, -1, -1):
        row = F[i]
        for c in range(i):
            x[c] -= row[c] * x[i]


@jit
def solve_plainly(F: Any, G: Any, kept: int, half: int, k: int, rhs: Any, scratch: Any) -> None:
    """X with F X = rhs, of all such X the one with the least Σ (weight X)²; after `prepare_others`.  O(k²)."""
    x, inverse = scratch[X], scratch[PIVOT]
    for i in range(kept):
        x[i] = rhs[i]
    below(F, x, kept)
    for t in range(half, k):
        row, total = F[t], rhs[t]
        for j in range(kept):
            total -= row[j] * x[j]
        for j in range(half, t):
            total -= row[j] * x[j]
        x[t] = total
    for t in range(k - 1, half - 1, -1):
        row, total = F[t], x[t]
        for j in range(t + 1, k):
            total -= row[j] * x[j]
        x[t] = total * inverse[t]
    for t in range(half, k):
        column = G[t]
        for i in range(kept):
            x[i] -= column[i] * x[t]
    for i in range(kept):
        x[i] *= inverse[i]
    above(F, x, kept)
    if kept < half:
        shorten(G, kept, half, scratch)


@inline
def shorten(G: Any, kept: int, half: int, scratch: Any) -> None:
    """Of all X that differ by what moves nothing, take the shortest; that which is there has nothing of what follows."""
    x, weight, share = scratch[X], scratch[WEIGHT], scratch[Y]
    count = half - kept
    for f in range(count):
        null, total = G[f], 0.0
        for j in range(kept):
            total -= weight[j] * weight[j] * null[j] * x[j]
        for e in range(f):
            total -= null[kept + e] * share[e]
        share[f] = total / null[kept + f]
    for f in range(count - 1, -1, -1):
        share[f] /= G[f, kept + f]
        for e in range(f):
            share[e] -= G[f, kept + e] * share[f]
    for f in range(count):
        null = G[f]
        x[kept + f] = share[f]
        for j in range(kept):
            x[j] += null[j] * share[f]
