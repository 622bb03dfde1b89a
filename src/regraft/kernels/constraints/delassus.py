"""The forces of all loops, their Lagrange multipliers, from one linear system: that of the Delassus matrix J M⁻¹ Jᵀ.

J is the constraint Jacobian, with a row for each direction that a loop holds. The factors of M that `eliminate_joints` leaves
behind turn the force of a row into its share in every joint on the way to the root (Y). The Delassus matrix is then a sum over
these joints, Y D Yᵀ; neither M nor J is ever formed. The up to six rows of a loop are done abreast: a vector of six numbers
has one for each row, zero where there are fewer.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import load, store
from ...algebra.scalars import Scalar, reciprocal, zero
from ...algebra.spatial import Force, Motion, plus, plus_times, power, times, zero_spatial
from ...compilation import inline, jit
from ..tables import END, PARENT, TAU, D, Model, S, U, V, Work
from .tables import (
    BLOCK,
    CHILD_ROW,
    FIRST,
    FORCE_CHILD,
    FORCE_PARENT,
    HELD_ROWS,
    INVERSE,
    LOOP_V,
    MOST,
    MULTIPLIER,
    PARENT_ROW,
    PATH,
    PIVOT,
    REACH,
    RESIDUAL,
    SINCE,
    SIZE_ALONE,
    SOLVED,
    TAKEN,
    Loops,
)

REDUNDANT = 1e-12
"""A row whose pivot is below this part of the largest SIZE_ALONE of its loop follows from others: it is left out.

In lengths that is 1e-6: loops that are redundant only to six digits still count as redundant. Near a singular position
accelerations along such a row would be noise: rounding of positions comes into them divided by the square of the distance.
"""

BARELY_REDUNDANT = 1e-14
"""The same where loops have come apart along a row that was left out, so that it does not follow from others after all.

In lengths that is 1e-7. Pivots are differences, with an error of some 1e-16, so less would not be told from nothing.
"""

ALL_ROWS = 6
"""MOST of a loop of whose redundancy nothing is known."""

HIDDEN = 1e-16
"""Added to the square of a share, by the squares of what it is a product of: where no joint moves a loop's rows at all, as of two
hinges about one axis, their shares are rounding, and REDUNDANT must not be measured by that. Together they are (1e-13)².
"""

Six = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]


@inline
def squares(a: Six) -> Six:
    """The square of each."""
    return a[0] * a[0], a[1] * a[1], a[2] * a[2], a[3] * a[3], a[4] * a[4], a[5] * a[5]


@inline
def seen_along(s: Motion, forces: tuple[Six, Six, Six, Six, Six, Six]) -> Six:
    """What a screw feels of six forces, given component by component."""
    total = times(s[0], forces[0])
    for_1, for_2 = plus_times(total, s[1], forces[1]), times(s[2], forces[2])
    for_3, for_4 = plus_times(for_1, s[3], forces[3]), plus_times(for_2, s[4], forces[4])
    return plus(for_3, plus_times(for_4, s[5], forces[5]))


@inline
def spread_rows(model: Model, work: Work, closed: Loops, l: int) -> None:
    """Y of a loop: what each joint on the way to the roots feels of a row's two wrenches, and D beside it.

    What gives way before it is taken out. SIZE_ALONE is Σ share² D as if the two ways had no joint in common, and what rounding
    may hide.  O(depth).
    """
    walk, dof, loops, rows, path, Y = model.walk, work.dof, closed.loops, closed.rows, closed.path, closed.Y
    count, first = loops[l, PATH], loops[l, FIRST]
    start, number = l * path.shape[1], 6 - loops[l, LOOP_V]
    none = zero_spatial(closed.scratch[0, 0])
    for i in range(count):
        store(Y, start + i, 0, none)
        Y[start + i, INVERSE] = dof[closed.dofs[0, path[l, i]], D]
    alone = none
    for side in range(2):
        k = loops[l, CHILD_ROW] if side == 0 else loops[l, PARENT_ROW]
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
    """The wrenches of a loop's rows, component by component."""
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
def spread(model: Model, work: Work, closed: Loops, l: int, on_child: Force, on_parent: Force, out: Any) -> None:
    """The same for any two wrenches on a loop's bodies: what each joint on the way to the roots feels of them.  O(depth)."""
    walk, dof, path = model.walk, work.dof, closed.path
    count = closed.loops[l, PATH]
    for i in range(count):
        out[i] = 0.0
    for side in range(2):
        k = closed.loops[l, CHILD_ROW] if side == 0 else closed.loops[l, PARENT_ROW]
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
def couple(closed: Loops, redundant: float) -> float:
    """Factorise J M⁻¹ Jᵀ = L P Lᵀ within its band into W and PIVOT, after `hold`; dependent rows get the pivot 0.

    Returns the least pivot that was taken, as part of the largest SIZE_ALONE of its loop: what is solved with these factors has
    errors of rounding by that.

    The rows of a loop are taken with the largest pivot first, so that one which nearly follows from others comes after those that
    tell more: the e-th pivot belongs to the row TAKEN. Row `e − REACH` of a loop in W is the column of L that belongs to the e-th
    pivot, a number for each of the loop's rows.  O(loops · band · (band + depth)).
    """
    loops, rows, W, scratch = closed.loops, closed.rows, closed.W, closed.scratch
    least = 1.0
    for l in range(loops.shape[0]):
        first, reach = loops[l, FIRST], loops[l, REACH]
        start = column_of(closed, l, 0)
        for other in range(loops[l, SINCE], l):
            fill_block(closed, other, l)
            take_out(closed, l, other)
        fill_block(closed, l, l)
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
    """1 / pivot; 0 for that of a row which is left out."""
    return reciprocal(pivot) if pivot.real > 0.0 else zero(pivot)


@inline
def row_taken(rows: Any, e: int) -> int:
    """TAKEN of the e-th pivot."""
    return int(rows[e, TAKEN].real)


@inline
def column_of(closed: Loops, l: int, e: int) -> int:
    """The row of W that has the column of L of the e-th pivot for the rows of a loop."""
    return l * closed.band + e - closed.loops[l, REACH]


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
    """BLOCK: what the rows of another loop, or of the same, have to do with those of a loop: Σ Y D Yᵀ."""
    loops, Y, shared = closed.loops, closed.Y, closed.shared
    start, start_other = l * closed.path.shape[1], other * closed.path.shape[1]
    count = loops[l, PATH] if l == other else meet(closed, l, other)
    b_0 = b_1 = b_2 = b_3 = b_4 = b_5 = zero_spatial(closed.scratch[0, 0])
    for i in range(count):
        a, b = (start + i, start + i) if l == other else (start_other + shared[1, i], start + shared[0, i])
        y, z = load(Y, a, 0, 6), times(Y[a, INVERSE], load(Y, b, 0, 6))
        b_0, b_1, b_2 = plus_times(b_0, y[0], z), plus_times(b_1, y[1], z), plus_times(b_2, y[2], z)
        b_3, b_4, b_5 = plus_times(b_3, y[3], z), plus_times(b_4, y[4], z), plus_times(b_5, y[5], z)
    store_block(closed.scratch, b_0, b_1, b_2, b_3, b_4, b_5)


@inline
def take_out(closed: Loops, l: int, other: int) -> None:
    """The columns of a loop before for a loop's rows, not yet divided: BLOCK without what all pivots before have taken."""
    loops, rows, W = closed.loops, closed.rows, closed.W
    first, since = loops[other, FIRST], max(loops[l, REACH], loops[other, REACH])
    start, start_other = column_of(closed, l, 0), column_of(closed, other, 0)
    for c in range(first, first + 6 - loops[other, LOOP_V]):
        lane = row_taken(rows, c) - first
        left = load(closed.scratch, BLOCK + lane, 0, 6)
        for e in range(since, c):
            left = plus_times(left, -W[start_other + e, lane], load(W, start + e, 0, 6))
        store(W, start + c, 0, left)


@inline
def take_rows(closed: Loops, l: int, redundant: float) -> float:
    """TAKEN and PIVOT of a loop, and the columns of its own pivots, from BLOCK; returns what `couple` does."""
    loops, rows, W, scratch = closed.loops, closed.rows, closed.W, closed.scratch
    first, number, start = loops[l, FIRST], 6 - loops[l, LOOP_V], column_of(closed, l, 0)
    largest, smallest = 0.0, 1e300
    for r in range(first, first + number):
        largest = max(largest, rows[r, SIZE_ALONE].real)
        rows[r, SOLVED] = 0.0  # 1 once it is taken
    least, held, most = redundant * largest, 0, rows_allowed(loops, l, redundant)
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
def rows_allowed(loops: Any, l: int, redundant: float) -> int:
    """How many rows of a loop may be held; all where rows are to be held that are barely redundant, or whatever they are."""
    return loops[l, MOST] if redundant >= REDUNDANT else ALL_ROWS


@jit
def allow_all_rows(closed: Loops) -> None:
    """At closed positions pivots tell which rows are redundant."""
    for l in range(closed.loops.shape[0]):
        closed.loops[l, MOST] = ALL_ROWS


@jit
def remember_rows(closed: Loops) -> None:
    """Let no more rows be held from here on than at this closed position, after `couple`, or at the one before.

    Within a step loops are open, by more than some 1e-6. There rows that are redundant by the shapes of all bodies together, as
    in spatial linkages that can move against all expectation, do not look so, and held they would lock the loops. Of two
    positions, because in one that is singular more rows are redundant than before and after.
    """
    loops, rows = closed.loops, closed.rows
    for l in range(loops.shape[0]):
        count = 0
        for r in range(loops[l, FIRST], loops[l, FIRST] + 6 - loops[l, LOOP_V]):
            count += 1 if rows[r, PIVOT].real > 0.0 else 0
        loops[l, MOST], loops[l, HELD_ROWS] = max(count, loops[l, HELD_ROWS]), count


@jit
def rows_held(closed: Loops) -> int:
    """How many rows have a pivot, after `couple`."""
    count = 0
    for r in range(closed.rows.shape[0]):
        count += 1 if closed.rows[r, PIVOT].real > 0.0 else 0
    return count


@jit
def largest_residual(closed: Loops) -> float:
    """Of all rows, those that are left out too."""
    worst = 0.0
    for r in range(closed.rows.shape[0]):
        worst = max(worst, abs(closed.rows[r, RESIDUAL].real))
    return worst


@inline
def meet(closed: Loops, l: int, other: int) -> int:
    """Fill `shared` with the places that the paths of two loops have in common; returns how many there are."""
    path, shared = closed.path, closed.shared
    i, j, count = 0, 0, 0
    while i < closed.loops[l, PATH] and j < closed.loops[other, PATH]:
        a, b = path[l, i], path[other, j]
        if a == b:
            shared[0, count], shared[1, count] = i, j
            count += 1
        i += 1 if a <= b else 0
        j += 1 if b <= a else 0
    return count


@jit
def balance(work: Work, closed: Loops) -> None:
    """Solve for MULTIPLIER, and add the forces of all rows to what is left of the joints' torques; after `couple`."""
    loops, rows, W, scratch = closed.loops, closed.rows, closed.W, closed.scratch
    for l in range(loops.shape[0]):
        first, end, start = loops[l, FIRST], loops[l, FIRST] + 6 - loops[l, LOOP_V], column_of(closed, l, 0)
        for r in range(first, end):
            scratch[BLOCK, r - first] = rows[r, RESIDUAL]
        left = load(scratch, BLOCK, 0, 6)
        for e in range(loops[l, REACH], first):
            left = plus_times(left, -rows[e, SOLVED], load(W, start + e, 0, 6))
        for e in range(first, end):
            store(scratch, BLOCK, 0, left)
            rows[e, SOLVED] = scratch[BLOCK, row_taken(rows, e) - first]
            left = plus_times(left, -rows[e, SOLVED], load(W, start + e, 0, 6))
    for e in range(rows.shape[0]):
        rows[e, SOLVED] *= inverse_of(rows[e, PIVOT])
    for l in range(loops.shape[0] - 1, -1, -1):
        first, end, start = loops[l, FIRST], loops[l, FIRST] + 6 - loops[l, LOOP_V], column_of(closed, l, 0)
        store(scratch, BLOCK, 0, zero_spatial(scratch[0, 0]))
        for e in range(end - 1, first - 1, -1):
            row = row_taken(rows, e)
            found = rows[e, SOLVED] - power(load(W, start + e, 0, 6), load(scratch, BLOCK, 0, 6))
            rows[row, MULTIPLIER] = found
            scratch[BLOCK, row - first] = found
        forces = load(scratch, BLOCK, 0, 6)
        for e in range(loops[l, REACH], first):
            rows[e, SOLVED] -= power(load(W, start + e, 0, 6), forces)
    push(work, closed, 1.0)


@jit
def push(work: Work, closed: Loops, part: float) -> None:
    """Add a part of the forces of all rows to what is left of the joints' torques."""
    loops, rows, path, scratch = closed.loops, closed.rows, closed.path, closed.scratch
    for l in range(loops.shape[0] - 1, -1, -1):
        first = loops[l, FIRST]
        store(scratch, BLOCK, 0, zero_spatial(scratch[0, 0]))
        for r in range(first, first + 6 - loops[l, LOOP_V]):
            scratch[BLOCK, r - first] = part * rows[r, MULTIPLIER]
        forces = load(scratch, BLOCK, 0, 6)
        for i in range(loops[l, PATH]):
            work.dof[closed.dofs[0, path[l, i]], TAU] += power(forces, load(closed.Y, l * path.shape[1] + i, 0, 6))
