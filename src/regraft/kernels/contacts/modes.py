"""Forces of contact points and joints with dry friction whose modes are given: a linear problem.

What is unknown: three numbers for a point that sticks, the normal force of one that slides, the force of a joint that sticks. As
friction follows the normal force of a sliding point, the matrix is not symmetric where one slides.
"""

from __future__ import annotations

import math
from typing import Any

from ...compilation import Table, inline, jit, stage
from ...tolerances import REDUNDANT_FORCE, ROUNDING, TINY
from .elimination import eliminate, prepare_least, solve
from .plain_elimination import eliminate_border, eliminate_held, prepare_others, solve_plainly
from .problem import (
    BEND,
    BOX,
    C1,
    C2,
    COLUMN_ORDER,
    COLUMN_SCALE,
    FIRST,
    FOLLOWS,
    FORM,
    GAMMA,
    IDLE_SCALE,
    LEAN,
    PLAIN,
    PUSH,
    REACHES,
    RHS,
    ROW_1,
    ROW_2,
    ROW_SCALE,
    SHIFT,
    SIZE,
    SLIDE,
    SPEEDS_UP,
    STICK,
    VECTORS,
    WEIGHT,
    Contacts,
    W,
    X,
    is_sliding,
    is_sticking,
    move_rows,
    row_of,
    scale_rows,
    start_rows,
)

_SINGLE, _NORMAL, _ACROSS = range(3)  # forms of unknowns: a row's force, that of a normal with its friction, one across the slip
_CORRECTIONS = 2
_PLAIN = -1  # in place of a rank


@stage
def solve_modes(c: Contacts, keep: bool, again: bool) -> tuple[int, int, float]:
    """The forces λ of given modes: (unknowns, rank, the largest residual relative to the sizes of its row).  O(rows³).

    A point that slides with BEND = γ > 0 also has a force τ across its slip direction s, with w_across + γ τ = 0: one step of
    Newton's method for the slip direction. Where friction leans from the slip by an angle (LEAN = θ), the row is that across the
    slip, not across friction: cos θ w_across + γ τ = SHIFT. Where forces are not unique they are the shortest, or, with `keep`,
    those nearest to the λ that is there.

    `again`: A and modes are those of the last time, and only directions of slips and how they bend have changed since. Then the
    factors of the rows that are held, which are most, are those that are there.
    """
    rows, again = c.A.shape[0], again and c.scratch[PLAIN, 0] > 0.0
    if not again:
        scale_rows(c)
    order = list_unknowns(c, keep, again)
    start_rows(c)
    F, G = c.scratch[VECTORS : VECTORS + rows], c.scratch[VECTORS + rows : VECTORS + 2 * rows]
    kept, half, unknowns = order
    if not again:
        gather_half(c.A, F, half, c.scratch)
    gather_border(c.A, F, G, half, unknowns, c.scratch)
    plain = (again or eliminate_held(F, kept, half, c.scratch)) and eliminate_border(F, G, kept, half, unknowns, c.scratch)
    c.scratch[PLAIN, 0], c.scratch[PLAIN, 1], c.scratch[PLAIN, 2] = 1.0 if plain else 0.0, kept, half
    if plain:
        if not again:
            prepare_others(F, G, kept, half, c.scratch)
        return unknowns, kept + unknowns - half, find_forces(c, F, G, order, _PLAIN)
    rank = look_for_order(c, F, G, half, unknowns)
    return unknowns, rank, find_forces(c, F, G, order, rank)


@stage
def look_for_order(c: Contacts, F: Table, G: Table, half: int, unknowns: int) -> int:
    """Eliminate with a search for pivots, by which FOLLOWS is found; the rank."""
    symmetric = half == unknowns
    gather_half(c.A, F, half, c.scratch)
    if not symmetric:
        gather_border(c.A, F, G, half, unknowns, c.scratch)
        fill_other_half(F, G, half, unknowns)
    rank = eliminate(F, unknowns, symmetric, REDUNDANT_FORCE, c.scratch)
    mark_others(c, unknowns, rank)
    if rank < unknowns:
        prepare_least(F, G, unknowns, rank, symmetric, c.scratch)
    return rank


@jit
def factorise_again(c: Contacts, unknowns: int) -> int:
    """The factors of `elimination`, after `solve_modes`, which may have had others; the rank."""
    rows, half = c.A.shape[0], 0
    c.scratch[PLAIN, 0] = 0.0
    while half < unknowns and c.scratch[FORM, half] == _SINGLE:
        half += 1
    F, G = c.scratch[VECTORS : VECTORS + rows], c.scratch[VECTORS + rows : VECTORS + 2 * rows]
    return look_for_order(c, F, G, half, unknowns)


@inline
def mark_others(c: Contacts, unknowns: int, rank: int) -> None:
    """FOLLOWS of the rows whose forces need not be, after `eliminate`."""
    for r in range(c.lam.shape[0]):
        c.scratch[FOLLOWS, r] = 0.0
    for i in range(rank, unknowns):
        u = int(c.scratch[COLUMN_ORDER, i])
        if c.scratch[FORM, u] == _SINGLE:
            c.scratch[FOLLOWS, int(c.scratch[FIRST, u])] = 1.0


@inline
def find_forces(c: Contacts, F: Any, G: Any, order: tuple[int, int, int], rank: int) -> float:
    """λ from the factors and W, corrected until that is at rounding; the largest residual, relative to the sizes of its row.

    `rank` is that of `eliminate`, or _PLAIN after `eliminate_held` and `eliminate_border`.
    """
    lam, scratch, residual = c.lam, c.scratch, 0.0
    kept, half, unknowns = order
    for again in range(_CORRECTIONS + 1):
        for u in range(unknowns):
            scratch[RHS, u] = -scratch[ROW_SCALE, u] * residual_of(u, lam, scratch)
        if rank == _PLAIN:
            solve_plainly(F, G, kept, half, unknowns, scratch[RHS], scratch)
        else:
            solve(F, G, unknowns, rank, half == unknowns, scratch[RHS], scratch[X], scratch)
        for u in range(unknowns):
            add_force(u, scratch[COLUMN_SCALE, u] * scratch[X, u], lam, scratch)
        move_rows(c)
        before, residual = residual, 0.0
        for u in range(unknowns):
            row = int(scratch[FIRST, u])
            missed = abs(residual_of(u, lam, scratch)) / (scratch[SIZE, row] + TINY)
            residual = residual if missed <= residual else missed  # NaN too
        if residual < ROUNDING or (again > 0 and residual > 0.1 * before):
            break
    return residual


@inline
def list_unknowns(c: Contacts, keep: bool, again: bool) -> tuple[int, int, int]:
    """Set λ where it is given, and write down the unknowns in the order of `plain_elimination`: where each part of them ends.

    `again`: those of rows that are held are there.
    """
    rubbing, follows = give_forces(c, keep)
    if again:
        kept, half = int(c.scratch[PLAIN, 1]), int(c.scratch[PLAIN, 2])
    else:
        kept = list_held(c, 0, False)
        half = list_held(c, kept, True) if follows else kept
    return kept, half, list_rubbing(c, half) if rubbing else half


@inline
def give_forces(c: Contacts, keep: bool) -> tuple[bool, bool]:
    """Set λ where it is given, or is to begin with; says whether any point slides, and whether any row FOLLOWS."""
    lam, rubbing, follows = c.lam, False, False
    for i in range(c.kinds.shape[0]):
        row, mode = row_of(c, i), c.modes[i]
        follows = follows or c.scratch[FOLLOWS, row] > 0.0
        if i < c.points:
            closed = mode == STICK or mode == SLIDE  # noqa: PLR1714
            lam[row] = lam[row] if keep and closed else (0.0 if closed else c.scratch[PUSH, i])
            if not (keep and is_sticking(mode)):
                given = c.mu_k[i] * lam[row] if is_sliding(mode) else 0.0
                lam[row + 1], lam[row + 2] = -given * c.directions[i, 0], -given * c.directions[i, 1]
            rubbing = rubbing or is_sliding(mode)
            follows = follows or c.scratch[FOLLOWS, row + 1] > 0.0 or c.scratch[FOLLOWS, row + 2] > 0.0
        elif c.kinds[i] == BOX:
            if mode == SLIDE:
                lam[row] = -c.mu_k[i] * c.directions[i, 0]
            elif not (keep and mode == STICK):
                lam[row] = 0.0
    return rubbing, follows


@inline
def list_held(c: Contacts, count: int, follows: bool) -> int:
    """Write down the unknowns of rows that are held, behind those that are there: of rows that FOLLOW others, or not."""
    for i in range(c.kinds.shape[0]):
        row, mode, point = row_of(c, i), c.modes[i], i < c.points
        if (mode == STICK and (point or c.kinds[i] == BOX)) or (point and mode == SLIDE and c.mu_k[i] == 0.0):
            count = add_held(row, follows, count, c.scratch)
        if point and is_sticking(mode):
            count = add_held(row + 1, follows, count, c.scratch)
            count = add_held(row + 2, follows, count, c.scratch)
    return count


@inline
def add_held(row: int, follows: bool, count: int, scratch: Any) -> int:
    """One more unknown, if its row FOLLOWS others or not, as asked for."""
    if (scratch[FOLLOWS, row] > 0.0) != follows:
        return count
    return add_unknown(_SINGLE, row, 0.0, 0.0, 0.0, count, scratch)


@inline
def list_rubbing(c: Contacts, count: int) -> int:
    """Write down the unknowns of points that slide with friction, behind others; how many there are with these."""
    scratch = c.scratch
    for i in range(c.points):
        row, mode, s_1, s_2, mu = 3 * i, c.modes[i], c.directions[i, 0], c.directions[i, 1], c.mu_k[i]
        if mode == SLIDE and mu != 0.0:
            count = add_unknown(_NORMAL, row, -mu * s_1, -mu * s_2, 0.0, count, scratch)
        if is_sliding(mode) and min(scratch[BEND, i], scratch[IDLE_SCALE, row + 1], scratch[IDLE_SCALE, row + 2]) > 0.0:
            count = add_across(i, row, s_1, s_2, count, scratch)
    return count


@inline
def add_unknown(form: int, first: int, c_1: float, c_2: float, gamma: float, count: int, scratch: Any) -> int:
    """One more unknown, unless its row is idle."""
    scale = scratch[IDLE_SCALE, first]
    if form == _ACROSS:
        scale = min(scratch[IDLE_SCALE, first + 1], scratch[IDLE_SCALE, first + 2])
        scale = 1.0 / math.sqrt(1.0 / (scale * scale) + gamma)
    if scale == 0.0:
        return count
    scratch[FORM, count], scratch[FIRST, count] = form, first
    scratch[C1, count], scratch[C2, count], scratch[GAMMA, count] = c_1, c_2, gamma
    scratch[ROW_SCALE, count], scratch[COLUMN_SCALE, count], scratch[WEIGHT, count] = scale, scale, scale
    if form == _NORMAL:
        mu_square = c_1 * c_1 + c_2 * c_2
        scratch[COLUMN_SCALE, count] /= math.sqrt(1.0 + mu_square)
    return count + 1


@inline
def add_across(i: int, row: int, s_1: float, s_2: float, count: int, scratch: Any) -> int:
    """The force of point i across the direction s of its friction."""
    c, s = math.cos(scratch[LEAN, i]), math.sin(scratch[LEAN, i])
    v = s * scratch[SPEEDS_UP, i]
    scratch[ROW_1, count] = c * (s * s_1 - c * s_2) - v * (c * s_1 + s * s_2)
    scratch[ROW_2, count] = c * (s * s_2 + c * s_1) - v * (c * s_2 - s * s_1)
    scratch[REACHES, count] = scratch[SHIFT, i]
    return add_unknown(_ACROSS, row, -s_2, s_1, scratch[BEND, i], count, scratch)


@jit
def gather_half(A: Any, F: Any, half: int, scratch: Any) -> None:
    """The lower half of the matrix of the unknowns that come first, with rows and columns of size 1."""
    columns = scratch[COLUMN_SCALE]
    for u in range(half):
        row, scale, out = A[int(scratch[FIRST, u])], scratch[ROW_SCALE, u], F[u]
        for v in range(u + 1):
            out[v] = scale * columns[v] * row[int(scratch[FIRST, v])]


@jit
def gather_border(A: Any, F: Any, G: Any, half: int, unknowns: int, scratch: Any) -> None:
    """The rows of the other unknowns, likewise, and in G their columns above these rows, as rows."""
    columns = scratch[COLUMN_SCALE]
    for u in range(half, unknowns):
        i, form, scale, out = int(scratch[FIRST, u]), scratch[FORM, u], scratch[ROW_SCALE, u], F[u]
        r_1, r_2, column = scratch[ROW_1, u], scratch[ROW_2, u], G[u]
        for v in range(unknowns):
            j = int(scratch[FIRST, v])
            if form == _ACROSS:
                entry = r_1 * along(A, i + 1, j, v, scratch) + r_2 * along(A, i + 2, j, v, scratch)
            else:
                entry = along(A, i, j, v, scratch)
            out[v] = scale * columns[v] * entry
        out[u] += scale * columns[u] * scratch[GAMMA, u]
        for v in range(half):
            column[v] = scratch[ROW_SCALE, v] * columns[u] * along(A, int(scratch[FIRST, v]), i, u, scratch)


@inline
def fill_other_half(F: Any, G: Any, half: int, unknowns: int) -> None:
    """What is above the diagonal, after `gather_half` and `gather_border`."""
    for v in range(half):
        for u in range(v + 1, half):
            F[v, u] = F[u, v]
        for u in range(half, unknowns):
            F[v, u] = G[u, v]


@inline
def along(A: Any, i: int, j: int, v: int, scratch: Any) -> float:
    """What an unknown force does in row i."""
    form = scratch[FORM, v]
    if form == _SINGLE:
        return A[i, j]
    friction = scratch[C1, v] * A[i, j + 1] + scratch[C2, v] * A[i, j + 2]
    return friction + A[i, j] if form == _NORMAL else friction


@inline
def residual_of(u: int, lam: Any, scratch: Any) -> float:
    """What is left in the equation of an unknown, of W."""
    i = int(scratch[FIRST, u])
    if scratch[FORM, u] == _ACROSS:
        across = scratch[ROW_1, u] * scratch[W, i + 1] + scratch[ROW_2, u] * scratch[W, i + 2] - scratch[REACHES, u]
        return across + scratch[GAMMA, u] * (scratch[C1, u] * lam[i + 1] + scratch[C2, u] * lam[i + 2])
    return scratch[W, i]


@inline
def add_force(u: int, force: float, lam: Any, scratch: Any) -> None:
    """Add to the forces what an unknown stands for."""
    i, form = int(scratch[FIRST, u]), scratch[FORM, u]
    if form != _ACROSS:
        lam[i] += force
    if form != _SINGLE:
        lam[i + 1] += scratch[C1, u] * force
        lam[i + 2] += scratch[C2, u] * force
