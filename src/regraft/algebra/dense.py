"""Linear algebra on small dense matrices: factorisations with reflections, singular values, and what is solved with them.

The libraries behind NumPy hand even small matrices to several threads, which then wait for each other far longer than the work
takes; and their last digits depend on how many there are. These kernels run where they are called and are deterministic.

The vectors that are made orthogonal are the rows of a table, so that each lies in one piece of memory.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compilation import Floats, Table, allocating, entry, inline, jit
from ..tolerances import EPSILON

Array = NDArray[np.float64]


_SWEEPS = 40  # of rotations over all pairs of rows; ten are enough for most matrices


# --- reflections ---------------------------------------------------------------------------------------------------------


@jit
def factorise_rows(X: Any, order: Any, heads: Any, left: Any, least: float) -> int:
    """X[order] = L Qᵀ in place, by Householder reflections; returns how many rows were taken.  O(rows · columns · taken).

    L is left below and on the diagonal, the reflections that make up Q beyond it and in `heads`. The longest of what
    is left of the rows is taken first. It ends where what is left of every row is below `least` by the longest row. `order`,
    `heads` and `left` are scratch with a place for each row.
    """
    m, n = X.shape
    largest = 0.0
    for i in range(m):
        order[i] = i
        left[i] = row_square(X, i, 0)
        largest = max(largest, left[i])
    for i in range(min(m, n)):
        best = i
        for j in range(i + 1, m):
            if left[j] > left[best]:
                best = j
        if not left[best] > least * least * largest:
            return i
        if best != i:
            swap_rows(X, i, best)
            order[i], order[best] = order[best], order[i]
            left[best] = left[i]
        heads[i] = reflect(X, i)
        for j in range(i + 1, m):
            share = heads[i] * (X[j, i] + row_product(X, i, X, j, i + 1))
            X[j, i] -= share
            rest = 0.0
            for c in range(i + 1, n):
                X[j, c] -= share * X[i, c]
                rest += X[j, c] * X[j, c]
            left[j] = rest
    return min(m, n)


@inline
def row_square(X: Any, i: int, start: int) -> float:
    """The sum of the squares of a row from a column on."""
    total = 0.0
    for c in range(start, X.shape[1]):
        total += X[i, c] * X[i, c]
    return total


@inline
def row_product(X: Any, i: int, Y: Any, j: int, start: int) -> float:
    """The product of two rows from a column on."""
    total = 0.0
    for c in range(start, X.shape[1]):
        total += X[i, c] * Y[j, c]
    return total


@inline
def swap_rows(X: Any, i: int, j: int) -> None:
    """Exchange two rows."""
    for c in range(X.shape[1]):
        X[i, c], X[j, c] = X[j, c], X[i, c]


@inline
def reflect(X: Any, i: int) -> float:
    """Turn row i from its diagonal on into what is left of it when it is reflected, and how; returns the reflection's factor.

    The reflection is 1 − factor u uᵀ with u = 1 on the diagonal, and the rest of u in the row.
    """
    alpha, rest = X[i, i], row_square(X, i, i + 1)
    if rest == 0.0:
        return 0.0
    beta = -math.copysign(math.sqrt(alpha * alpha + rest), alpha)
    for c in range(i + 1, X.shape[1]):
        X[i, c] /= alpha - beta
    X[i, i] = beta
    return (beta - alpha) / beta


@inline
def mirror(X: Any, i: int, factor: float, Y: Any, j: int) -> None:
    """The i-th reflection of row j of another table."""
    share = factor * (Y[j, i] + row_product(X, i, Y, j, i + 1))
    Y[j, i] -= share
    for c in range(i + 1, X.shape[1]):
        Y[j, c] -= share * X[i, c]


@jit
def turn_row(X: Any, heads: Any, taken: int, Y: Any, j: int) -> None:
    """y ← Q y for row j of Y, after `factorise_rows` of X."""
    for i in range(taken - 1, -1, -1):
        mirror(X, i, heads[i], Y, j)


@jit
def turn_row_back(X: Any, heads: Any, taken: int, Y: Any, j: int) -> None:
    """y ← Qᵀ y for row j of Y, after `factorise_rows` of X."""
    for i in range(taken):
        mirror(X, i, heads[i], Y, j)


@allocating
def solve_rows(X: Any, Y: Any) -> None:
    """Each row y of Y becomes the z with z X = y; X, square, is destroyed."""
    n = X.shape[0]
    order, heads, left, z = np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty(n)
    factorise_rows(X, order, heads, left, 0.0)
    for j in range(Y.shape[0]):
        turn_row_back(X, heads, n, Y, j)
        for i in range(n - 1, -1, -1):
            z[i] = Y[j, i] / X[i, i]
            for c in range(i):
                Y[j, c] -= z[i] * X[i, c]
        for i in range(n):
            Y[j, order[i]] = z[i]


@allocating
def least_solution(X: Any, b: Any, y: Any) -> None:
    """The shortest y (1, n) with X y = b, and after it, as rows, an orthonormal basis of all that X does not see.

    The rows of X, which is destroyed, are independent; y has as many rows as the basis needs, and one.
    """
    m = X.shape[0]
    order, heads, left = np.empty(m, np.int64), np.empty(m), np.empty(m)
    factorise_rows(X, order, heads, left, 0.0)
    y[:] = 0.0
    for i in range(m):
        total = b[order[i]]
        for c in range(i):
            total -= X[i, c] * y[0, c]
        y[0, i] = total / X[i, i]
    for j in range(1, y.shape[0]):
        y[j, m + j - 1] = 1.0
    for j in range(y.shape[0]):
        turn_row(X, heads, m, y, j)


# --- singular values -------------------------------------------------------------------------------------------------------


@allocating
def decompose(A: Any, U: Any, sizes: Any, Vt: Any) -> int:
    """A = Σ sizes[k] U[k]ᵀ Vt[k], the largest first, for A (m, n), which is destroyed; returns how many sizes are not zero.

    The rows of Vt (n, n) are orthonormal, those of U (min(m, n), m) too but for the last ones, which are zero where the sizes
    are; all of it is NaN where A is not finite. By reflections to a triangle, then by rotations of its rows until these are
    orthogonal (Hestenes 1958; Drmač, Veselić 2008), accurate whatever the condition is.  O(m n min(m, n)) for each sweep.
    """
    m, n = A.shape
    largest = largest_of(A)
    if not largest < np.inf:
        U[:], sizes[:], Vt[:] = np.nan, np.nan, np.nan
        return 0
    unit = power_of_two(largest)
    for i in range(m):
        for c in range(n):
            A[i, c] *= unit
    order, heads, left = np.empty(m, np.int64), np.empty(m), np.empty(m)
    taken = factorise_rows(A, order, heads, left, EPSILON * max(m, n))
    U[:], sizes[:], Vt[:] = 0.0, 0.0, 0.0
    for j in range(n):
        Vt[j, j] = 1.0
    for i in range(m):
        for j in range(min(i + 1, taken)):
            U[j, order[i]] = A[i, j]
    rotate_rows(U, Vt, taken)
    for j in range(taken):
        sizes[j] = math.sqrt(row_square(U, j, 0))
    sort_rows(sizes, U, Vt, taken)
    for j in range(taken):
        inverse = 1.0 / sizes[j]
        for c in range(m):
            U[j, c] *= inverse
        sizes[j] /= unit
    for j in range(n):
        turn_row(A, heads, taken, Vt, j)
    return taken


@inline
def largest_of(A: Any) -> float:
    """The largest size of an element; NaN where one is not finite."""
    largest, nothing = 0.0, 0.0
    for i in range(A.shape[0]):
        for c in range(A.shape[1]):
            largest = max(largest, abs(A[i, c]))
            nothing += 0.0 * A[i, c]
    return largest + nothing


@inline
def power_of_two(largest: float) -> float:
    """What brings numbers of this size to about 1 without rounding, so that their squares are numbers too."""
    if largest == 0.0:
        return 1.0
    return math.ldexp(1.0, -min(max(math.frexp(largest)[1], -1000), 1000))


@jit
def rotate_rows(U: Any, G: Any, taken: int) -> None:
    """Turn the first rows of U against each other until they are orthogonal, and those of G alike, in their first places."""
    for _ in range(_SWEEPS):
        turned = 0
        for p in range(taken - 1):
            for q in range(p + 1, taken):
                turned += make_orthogonal(U, G, p, q, taken)
        if turned == 0:
            break


@inline
def make_orthogonal(U: Any, G: Any, p: int, q: int, taken: int) -> int:
    """Turn two rows of U, and of G, in their plane such that those of U are orthogonal; 0 where they are already."""
    m = U.shape[1]
    alpha, beta, gamma = 0.0, 0.0, 0.0
    for c in range(m):
        alpha += U[p, c] * U[p, c]
        beta += U[q, c] * U[q, c]
        gamma += U[p, c] * U[q, c]
    if not abs(gamma) > EPSILON * math.sqrt(m * alpha) * math.sqrt(beta):
        return 0
    zeta = (beta - alpha) / (2.0 * gamma)
    t = math.copysign(1.0, zeta) / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
    cosine = 1.0 / math.sqrt(1.0 + t * t)
    rotate_pair(U, p, q, m, cosine, cosine * t)
    rotate_pair(G, p, q, taken, cosine, cosine * t)
    return 1


@inline
def rotate_pair(X: Any, p: int, q: int, count: int, cosine: float, sine: float) -> None:
    """Rotate two rows."""
    for c in range(count):
        x, y = X[p, c], X[q, c]
        X[p, c] = cosine * x - sine * y
        X[q, c] = sine * x + cosine * y


@inline
def sort_rows(sizes: Any, U: Any, Vt: Any, taken: int) -> None:
    """The largest size first, with its rows."""
    for i in range(taken - 1):
        best = i
        for j in range(i + 1, taken):
            if sizes[j] > sizes[best]:
                best = j
        if best != i:
            sizes[i], sizes[best] = sizes[best], sizes[i]
            swap_rows(U, i, best)
            swap_rows(Vt, i, best)


# --- symmetric positive matrices -----------------------------------------------------------------------------------------


@jit
def solve_definite_rows(M: Any, Y: Any) -> None:
    """Each row y of Y becomes M⁻¹ y, by M = L D Lᵀ with M symmetric and positive, which is destroyed."""
    n = M.shape[0]
    for i in range(n):
        for j in range(i):  # M[i, j] is L D here; L is the mirror image above the diagonal
            for c in range(j):
                M[i, j] -= M[i, c] * M[c, j]
            M[j, i] = M[i, j] / M[j, j]
            M[i, i] -= M[i, j] * M[j, i]
    for k in range(Y.shape[0]):
        for i in range(n):
            for c in range(i):
                Y[k, i] -= M[c, i] * Y[k, c]
        for i in range(n):
            Y[k, i] /= M[i, i]
        for i in range(n - 1, -1, -1):
            for c in range(i + 1, n):
                Y[k, i] -= M[i, c] * Y[k, c]


# --- what Python calls -----------------------------------------------------------------------------------------------------


@entry
def singular(A: Table, U: Table, sizes: Floats, Vt: Table) -> int:
    """`decompose`."""
    return decompose(A, U, sizes, Vt)


@entry
def definite(M: Table, Y: Table) -> None:
    """`solve_definite_rows`."""
    solve_definite_rows(M, Y)


def svd(A: Array) -> tuple[Array, Array, Array]:
    """U (m, k), sizes (k,) and Vt (n, n) with A = U diag(sizes) Vt[:k], k = min(m, n), the largest size first.

    Vt is complete. A column of U is zero where its size is. All of it is NaN where A is not finite.
    """
    m, n = A.shape
    U, sizes, Vt = np.empty((min(m, n), m)), np.empty(min(m, n)), np.empty((n, n))
    singular.call(np.array(A, float, order="C"), U, sizes, Vt)
    return U.T, sizes, Vt


def least_squares(A: Array, B: Array, cutoff: float = 0.0) -> Array:
    """The shortest X for which |A X − B| is least; sizes of A below `cutoff` by the largest count as zero.

    NaN where A is not finite.
    """
    U, sizes, Vt = svd(A)
    if not np.isfinite(sizes).all():
        return np.full((A.shape[1], *B.shape[1:]), np.nan)
    rank = int((sizes > max(cutoff, EPSILON * max(A.shape)) * sizes.max(initial=0.0)).sum())
    found: Array = (Vt[:rank].T / sizes[:rank]) @ (U[:, :rank].T @ B)
    return found


def solve_definite(M: Array, B: Array) -> Array:
    """M⁻¹ B for a symmetric positive M and B (n,) or (n, k)."""
    Y = np.array(B.T, float, order="C", ndmin=2)
    definite.call(np.array(M, float, order="C"), Y)
    return Y[0] if B.ndim == 1 else Y.T
