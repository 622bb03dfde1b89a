"""The Delassus matrix J M⁻¹ Jᵀ: made, factorised (`couple`), and solved for the Lagrange multipliers of all loops (`balance`).

J is the constraint Jacobian. It has a row for each direction in which a loop-closure joint keeps its two bodies together, up to
six for a joint, and one for each coupling; the multiplier of a row is the force along it. M is the mass matrix of the spanning
tree. The rows of one loop joint, or the one of a coupling, are a block: all but `spread_rows` is the same for all kinds of them,
and says "loop" for any block.

Neither is ever formed. The articulated-body algorithm (`aba.eliminate_joints`) leaves M factorised joint by joint; with these
factors a force along a row becomes a number for each joint between the loop's bodies and the root, the joint's share (Y), and
J M⁻¹ Jᵀ is the sum Y D Yᵀ over these joints. The rows of one loop are computed together: a vector of six numbers has one for
each row, and zeros where there are fewer.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import load, store
from ...algebra.scalars import Scalar, reciprocal, zero
from ...algebra.spatial import Force, Motion, plus, plus_times, power, times, zero_spatial
from ...compilation import inline, jit
from ...tolerances import HIDDEN, REDUNDANT
from ..tables import CHILD, END, PARENT, TAU, D, KernelModel, S, U, V, Work
from .tables import (
    ALL_ROWS,
    APPLIED,
    BLOCK,
    COUNT,
    FIRST,
    FORCE_CHILD,
    FORCE_PARENT,
    HELD_ROWS,
    INVERSE,
    MOST,
    MULTIPLIER,
    PATH,
    PIVOT,
    REACH,
    RESIDUAL,
    SINCE,
    SIZE_ALONE,
    SOFT,
    SOLVED,
    TAKEN,
    Loops,
)

Six = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]


@inline
def squares(a: Six) -> Six:
    """The square of each."""
    return a[0] * a[0], a[1] * a[1], a[2] * a[2], a[3] * a[3], a[4] * a[4], a[5] * a[5]


@inline
def seen_along(s: Motion, forces: tuple[Six, Six, Six, Six, Six, Six]) -> Six:
    """The power of each of six forces on a screw; forces[c] has component c of all six."""
    total = times(s[0], forces[0])
    for_1, for_2 = plus_times(total, s[1], forces[1]), times(s[2], forces[2])
    for_3, for_4 = plus_times(for_1, s[3], forces[3]), plus_times(for_2, s[4], forces[4])
    return plus(for_3, plus_times(for_4, s[5], forces[5]))


@inline
def spread_rows(model: KernelModel, work: Work, closed: Loops, l: int) -> None:
    """Y of a loop: the share of each joint between the loop's two bodies and their roots in the forces of the rows; D beside it.

    The forces start at the two bodies and go towards the roots. Each joint takes its share, S · f, and passes on f − U D (S · f):
    what is left when the joint gives way. SIZE_ALONE of a row is the sum of share² D with the two ways counted separately, even
    where they have joints in common, plus a bound on rounding.  O(depth).
    """
    walk, dof, loops, rows, path, Y = model.walk, work.dof, closed.loops, closed.rows, closed.path, closed.Y
    count, first = closed.cuts[l, PATH], closed.cuts[l, FIRST]
    start, number = l * path.shape[1], closed.cuts[l, COUNT]
    none = zero_spatial(closed.scratch[0, 0])
    for i in range(count):
        store(Y, start + i, 0, none)
        Y[start + i, INVERSE] = dof[closed.dofs[0, path[l, i]], D]
    alone = none
    for side in range(2):
        k = loops[l, CHILD] if side == 0 else loops[l, PARENT]
        f_0, f_1, f_2, f_3, f_4, f_5 = abreast(rows, first, number, FORCE_CHILD if side == 0 else FORCE_PARENT, closed.scratch)
        moments = plus(plus(squares(f_0), squares(f_1)), squares(f_2))
        hides = times(HIDDEN, plus(moments, plus(plus(squares(f_3), squares(f_4)), squares(f_5))))
        at = count - 1  # the path is in the order of the walk, and a way up meets its joints from last to first
        while k >= 0:
            for d in range(walk[k, END] - 1, walk[k, V] - 1, -1):
                rank = closed.ranks[0, k] + d - walk[k, V]
                while path[l, at] != rank:
                    at -= 1
                screw, inverse = load(dof, d, S, 6), dof[d, D]
                gives = times(-inverse, load(dof, d, U, 6))
                share = seen_along(screw, (f_0, f_1, f_2, f_3, f_4, f_5))
                store(Y, start + at, 0, plus(load(Y, start + at, 0, 6), share))
                alone = plus_times(alone, inverse, plus_times(squares(share), power(screw, screw), hides))
                f_0, f_1, f_2 = (
                    plus_times(f_0, gives[0], share),
                    plus_times(f_1, gives[1], share),
                    plus_times(f_2, gives[2], share),
                )
                f_3, f_4, f_5 = (
                    plus_times(f_3, gives[3], share),
                    plus_times(f_4, gives[4], share),
                    plus_times(f_5, gives[5], share),
                )
            k = walk[k, PARENT]
    store(closed.scratch, BLOCK, 0, alone)
    for r in range(number):
        rows[first + r, SIZE_ALONE] = closed.scratch[BLOCK, r]


@inline
def abreast(rows: Any, first: int, number: int, column: int, scratch: Any) -> tuple[Six, Six, Six, Six, Six, Six]:
    """The wrenches of a loop's rows, transposed: component c of all six is the c-th of the tuple."""
    for c in range(6):
        for r in range(6):
            scratch[BLOCK + c, r] = 0.0
    for r in range(number):
        for c in range(6):
            scratch[BLOCK + c, r] = rows[first + r, column + c]
    return (
        load(scratch, BLOCK, 0, 6), load(scratch, BLOCK + 1, 0, 6), load(scratch, BLOCK + 2, 0, 6),
        load(scratch, BLOCK + 3, 0, 6), load(scratch, BLOCK + 4, 0, 6), load(scratch, BLOCK + 5, 0, 6),
    )  # fmt: skip


@jit
def spread(model: KernelModel, work: Work, closed: Loops, l: int, on_child: Force, on_parent: Force, out: Any) -> None:
    """As `spread_rows` for any one pair of wrenches on a loop's bodies: the share of each joint on the ways.  O(depth)."""
    walk, dof, path = model.walk, work.dof, closed.path
    count = closed.cuts[l, PATH]
    for i in range(count):
        out[i] = 0.0
    for side in range(2):
        k = closed.loops[l, CHILD] if side == 0 else closed.loops[l, PARENT]
        force = on_child if side == 0 else on_parent
        at = count - 1
        while k >= 0:
            for d in range(walk[k, END] - 1, walk[k, V] - 1, -1):
                rank = closed.ranks[0, k] + d - walk[k, V]
                while path[l, at] != rank:
                    at -= 1
                share = power(load(dof, d, S, 6), force)
                out[at] += share
                force = plus_times(force, -share * dof[d, D], load(dof, d, U, 6))
            k = walk[k, PARENT]


@jit
def couple_band(closed: Loops, redundant: float) -> float:
    """Factorise J M⁻¹ Jᵀ = L P Lᵀ within its band into W and PIVOT, after `hold`; dependent rows get the pivot 0.

    A row that depends on rows before it (a redundant constraint) gets the pivot 0, and is left out. Returns the least other
    pivot, relative to the largest SIZE_ALONE of its loop: its inverse is by how much rounding is magnified in a solution.

    Loops that have no tree in common do not touch each other, so L is zero outside a band. Loops keep their order; within a loop
    the row with the largest pivot comes first, so that rows which nearly depend on others come last, and TAKEN of the e-th
    pivot says which row it belongs to. Row `e − REACH` of a loop in W is the part of the e-th column of L that belongs to the
    loop's rows.  O(loops · band · (band + depth)).
    """
    rows, W, scratch = closed.rows, closed.W, closed.scratch
    least = 1.0
    for l in range(closed.cuts.shape[0]):
        first, reach = closed.cuts[l, FIRST], closed.cuts[l, REACH]
        start = column_of(closed, l, 0)
        for other in range(closed.cuts[l, SINCE], l):
            fill_block(closed, other, l)
            take_out(closed, l, other)
        fill_block(closed, l, l)
        scratch[BLOCK, 0] += rows[first, SOFT]
        b_0, b_1, b_2 = load(scratch, BLOCK, 0, 6), load(scratch, BLOCK + 1, 0, 6), load(scratch, BLOCK + 2, 0, 6)
        b_3, b_4, b_5 = load(scratch, BLOCK + 3, 0, 6), load(scratch, BLOCK + 4, 0, 6), load(scratch, BLOCK + 5, 0, 6)
        for e in range(reach, first):  # what the rows of the loops before have taken
            share = load(W, start + e, 0, 6)
            column = times(inverse_of(rows[e, PIVOT]), share)
            b_0, b_1 = plus_times(b_0, -share[0], column), plus_times(b_1, -share[1], column)
            b_2, b_3 = plus_times(b_2, -share[2], column), plus_times(b_3, -share[3], column)
            b_4, b_5 = plus_times(b_4, -share[4], column), plus_times(b_5, -share[5], column)
            store(W, start + e, 0, column)
        store_block(scratch, b_0, b_1, b_2, b_3, b_4, b_5)
        least = min(least, take_rows(closed, l, redundant))
    return least


@inline
def inverse_of(pivot: Scalar) -> Scalar:
    """1 / pivot, and 0 where the pivot is 0: such a row is left out."""
    return reciprocal(pivot) if pivot.real > 0.0 else zero(pivot)


@inline
def row_taken(rows: Any, e: int) -> int:
    """TAKEN of the e-th pivot."""
    return int(rows[e, TAKEN].real)


@inline
def column_of(closed: Loops, l: int, e: int) -> int:
    """The row of W with the part of the e-th column of L that belongs to the rows of loop l."""
    return l * closed.band + e - closed.cuts[l, REACH]


@inline
def store_block(scratch: Any, b_0: Six, b_1: Six, b_2: Six, b_3: Six, b_4: Six, b_5: Six) -> None:
    """Six times six numbers into BLOCK."""
    store(scratch, BLOCK, 0, b_0)
    store(scratch, BLOCK + 1, 0, b_1)
    store(scratch, BLOCK + 2, 0, b_2)
    store(scratch, BLOCK + 3, 0, b_3)
    store(scratch, BLOCK + 4, 0, b_4)
    store(scratch, BLOCK + 5, 0, b_5)


@inline
def fill_block(closed: Loops, other: int, l: int) -> None:
    """BLOCK = Σ Y D Yᵀ over the joints that two loops have in common: their block of the Delassus matrix; or the loop's own."""
    Y, shared = closed.Y, closed.shared
    start, start_other = l * closed.path.shape[1], other * closed.path.shape[1]
    count = closed.cuts[l, PATH] if l == other else meet(closed, l, other)
    b_0 = b_1 = b_2 = b_3 = b_4 = b_5 = zero_spatial(closed.scratch[0, 0])
    for i in range(count):
        a, b = (start + i, start + i) if l == other else (start_other + shared[1, i], start + shared[0, i])
        y, z = load(Y, a, 0, 6), times(Y[a, INVERSE], load(Y, b, 0, 6))
        b_0, b_1, b_2 = plus_times(b_0, y[0], z), plus_times(b_1, y[1], z), plus_times(b_2, y[2], z)
        b_3, b_4, b_5 = plus_times(b_3, y[3], z), plus_times(b_4, y[4], z), plus_times(b_5, y[5], z)
    store_block(closed.scratch, b_0, b_1, b_2, b_3, b_4, b_5)


@inline
def take_out(closed: Loops, l: int, other: int) -> None:
    """The block of L for a loop and an earlier one, not yet divided by the pivots: BLOCK less the part of all pivots before."""
    rows, W = closed.rows, closed.W
    first, since = closed.cuts[other, FIRST], max(closed.cuts[l, REACH], closed.cuts[other, REACH])
    start, start_other = column_of(closed, l, 0), column_of(closed, other, 0)
    for c in range(first, first + closed.cuts[other, COUNT]):
        lane = row_taken(rows, c) - first
        left = load(closed.scratch, BLOCK + lane, 0, 6)
        for e in range(since, c):
            left = plus_times(left, -W[start_other + e, lane], load(W, start + e, 0, 6))
        store(W, start + c, 0, left)


@inline
def take_rows(closed: Loops, l: int, redundant: float) -> float:
    """Factorise a loop's own BLOCK: TAKEN, PIVOT, and its part of L; returns its least pivot, as `couple` does."""
    rows, W, scratch = closed.rows, closed.W, closed.scratch
    first, number, start = closed.cuts[l, FIRST], closed.cuts[l, COUNT], column_of(closed, l, 0)
    largest, smallest = 0.0, 1e300
    for r in range(first, first + number):
        largest = max(largest, rows[r, SIZE_ALONE].real)
        rows[r, SOLVED] = 0.0  # 1 once it is taken
    least, held, most = redundant * largest, 0, rows_allowed(closed, l, redundant)
    for e in range(first, first + number):
        lane = -1
        for r in range(number):
            waits, pivot = rows[first + r, SOLVED].real == 0.0, scratch[BLOCK + r, r].real
            if waits and (lane < 0 or pivot > scratch[BLOCK + lane, lane].real):
                lane = r
        found = scratch[BLOCK + lane, lane]
        rows[first + lane, SOLVED], rows[e, TAKEN] = 1.0, first + lane
        if found.real > least and held < most:
            rows[e, PIVOT], smallest, held = found, min(smallest, found.real), held + 1
        else:
            rows[e, PIVOT] = zero(found)
        column = times(inverse_of(rows[e, PIVOT]), load(scratch, BLOCK + lane, 0, 6))
        store(W, start + e, 0, column)
        for r in range(number):
            if rows[first + r, SOLVED].real != 0.0:
                W[start + e, r] = 0.0
            else:
                share = scratch[BLOCK + r, lane]
                store(scratch, BLOCK + r, 0, plus_times(load(scratch, BLOCK + r, 0, 6), -share, column))
    return smallest / largest


@inline
def rows_allowed(closed: Loops, l: int, redundant: float) -> int:
    """How many rows of a loop may be held: MOST, but all of them where `redundant` is below its usual value."""
    return closed.held[l, MOST] if redundant >= REDUNDANT else ALL_ROWS


@jit
def allow_all_rows(closed: Loops) -> None:
    """Forget MOST; for closed positions, where the pivots themselves tell which rows are redundant."""
    for l in range(closed.cuts.shape[0]):
        closed.held[l, MOST] = ALL_ROWS


@jit
def remember_rows(closed: Loops) -> None:
    """From here on hold no more rows than at this closed position, after `couple`, or at the one before.

    Overconstrained linkages (Bennett's, Bricard's) move only because of the proportions of their bodies. Within a step their
    loops are open by a little, more than some 1e-6; there the redundant rows look independent, and to hold them would lock the
    linkage. Two positions count, because a singular one has more redundant rows than those before and after.
    """
    rows = closed.rows
    for l in range(closed.cuts.shape[0]):
        count = 0
        for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
            count += 1 if rows[r, PIVOT].real > 0.0 else 0
        closed.held[l, MOST], closed.held[l, HELD_ROWS] = max(count, closed.held[l, HELD_ROWS]), count


@jit
def rows_held(closed: Loops) -> int:
    """How many of the rows that hold something have a pivot, after `couple`."""
    count = 0
    for r in range(closed.hard_rows):
        count += 1 if closed.rows[r, PIVOT].real > 0.0 else 0
    return count


@jit
def largest_residual(closed: Loops) -> float:
    """The largest RESIDUAL of all rows, also of those that are left out."""
    worst = 0.0
    for r in range(closed.rows.shape[0]):
        worst = max(worst, abs(closed.rows[r, RESIDUAL].real))
    return worst


@inline
def meet(closed: Loops, l: int, other: int) -> int:
    """Fill `shared` with where the joints that two loops have in common are on either path; returns how many there are."""
    path, shared = closed.path, closed.shared
    i, j, count = 0, 0, 0
    while i < closed.cuts[l, PATH] and j < closed.cuts[other, PATH]:
        a, b = path[l, i], path[other, j]
        if a == b:
            shared[0, count], shared[1, count] = i, j
            count += 1
        i += 1 if a <= b else 0
        j += 1 if b <= a else 0
    return count


@jit
def balance_band(work: Work, closed: Loops) -> None:
    """Solve J M⁻¹ Jᵀ λ = RESIDUAL for the Lagrange multipliers λ (MULTIPLIER), and add Jᵀ λ to TAU; after `couple`.

    TAU are torques that the elimination has reduced already, so it is Yᵀ λ that is added to them.
    """
    rows, W, scratch = closed.rows, closed.W, closed.scratch
    for l in range(closed.cuts.shape[0]):
        first, end, start = closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT], column_of(closed, l, 0)
        for r in range(first, end):
            scratch[BLOCK, r - first] = rows[r, RESIDUAL]
        left = load(scratch, BLOCK, 0, 6)
        for e in range(closed.cuts[l, REACH], first):
            left = plus_times(left, -rows[e, SOLVED], load(W, start + e, 0, 6))
        for e in range(first, end):
            store(scratch, BLOCK, 0, left)
            rows[e, SOLVED] = scratch[BLOCK, row_taken(rows, e) - first]
            left = plus_times(left, -rows[e, SOLVED], load(W, start + e, 0, 6))
    for e in range(rows.shape[0]):
        rows[e, SOLVED] *= inverse_of(rows[e, PIVOT])
    for l in range(closed.cuts.shape[0] - 1, -1, -1):
        first, end, start = closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT], column_of(closed, l, 0)
        store(scratch, BLOCK, 0, zero_spatial(scratch[0, 0]))
        for e in range(end - 1, first - 1, -1):
            row = row_taken(rows, e)
            found = rows[e, SOLVED] - power(load(W, start + e, 0, 6), load(scratch, BLOCK, 0, 6))
            rows[row, MULTIPLIER] = found
            scratch[BLOCK, row - first] = found
        forces = load(scratch, BLOCK, 0, 6)
        for e in range(closed.cuts[l, REACH], first):
            rows[e, SOLVED] -= power(load(W, start + e, 0, 6), forces)
    push(work, closed, 1.0)


@jit
def push(work: Work, closed: Loops, part: float) -> None:
    """Add a part of the forces of all rows, Yᵀ λ, to the reduced torques TAU."""
    rows, path, scratch = closed.rows, closed.path, closed.scratch
    for l in range(closed.cuts.shape[0] - 1, -1, -1):
        first = closed.cuts[l, FIRST]
        store(scratch, BLOCK, 0, zero_spatial(scratch[0, 0]))
        for r in range(first, first + closed.cuts[l, COUNT]):
            scratch[BLOCK, r - first] = part * rows[r, MULTIPLIER]
            rows[r, APPLIED] += part * rows[r, MULTIPLIER]
        forces = load(scratch, BLOCK, 0, 6)
        for i in range(closed.cuts[l, PATH]):
            work.dof[closed.dofs[0, path[l, i]], TAU] += power(forces, load(closed.Y, l * path.shape[1] + i, 0, 6))
