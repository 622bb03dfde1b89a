"""The factors of maximal coordinates along the spanning tree of the joints, and solutions by them; `free_bodies` has the idea.

A *link* is a joint of that tree, between its near body and its far one, which is nearer to the root.
"""

from __future__ import annotations

from ...algebra.memory import load, store
from ...algebra.scalars import reciprocal
from ...algebra.spatial import Force, apply, articulated, combine, plus, plus_times, power, remove_direction, times, zero_spatial
from ...compilation import inline, jit
from ..inertia import load_rigid
from ..tables import END, HELD, I, KernelModel, S, V, Work
from .delassus import Six, abreast, column_of, inverse_of, row_taken, seen_along, store_block, take_rows
from .tables import (
    ACCELERATION,
    BLOCK,
    COUNT,
    FACTOR_D,
    FACTOR_U,
    FAR,
    FIRST,
    FORCE_CHILD,
    FORCE_PARENT,
    INVERSE,
    LINK_LOOP,
    LOAD,
    MULTIPLIER,
    NEAR,
    NEAR_IS_CHILD,
    PIVOT,
    RESIDUAL,
    SEEN,
    SIZE_ALONE,
    SOLVED,
    Loops,
)


@jit
def factorise_body(model: KernelModel, work: Work, closed: Loops, k: int) -> None:
    """The factors of a body's inertia together with all that hangs on the body."""
    dof, factors = work.dof, closed.factors
    left = combine(articulated(load_rigid(work.body, k)), load(work.body, k, I, 21))
    for d in range(model.walk[k, END] - 1, model.walk[k, V] - 1, -1):
        screw = load(dof, d, S, 6)
        response = apply(left, screw)
        inverse = reciprocal(power(screw, response) + dof[d, HELD])
        store(factors, d, FACTOR_U, response)
        factors[d, FACTOR_D] = inverse
        left = remove_direction(left, response, times(inverse, response))


@jit
def factorise_joint(model: KernelModel, work: Work, closed: Loops, i: int) -> None:
    """Y, the shares of a joint's rows on its near body, and the factors of G = Y D Yᵀ."""
    l, k, dof, factors = closed.links[i, LINK_LOOP], closed.links[i, NEAR], work.dof, closed.factors
    first, number, start = closed.cuts[l, FIRST], closed.cuts[l, COUNT], l * closed.path.shape[1]
    column = FORCE_CHILD if closed.links[i, NEAR_IS_CHILD] else FORCE_PARENT
    f_0, f_1, f_2, f_3, f_4, f_5 = abreast(closed.rows, first, number, column, closed.scratch)
    b_0 = b_1 = b_2 = b_3 = b_4 = b_5 = zero_spatial(closed.scratch[0, 0])
    begin = model.walk[k, V]
    for d in range(model.walk[k, END] - 1, begin - 1, -1):
        inverse = factors[d, FACTOR_D]
        gives = times(-inverse, load(factors, d, FACTOR_U, 6))
        share = seen_along(load(dof, d, S, 6), (f_0, f_1, f_2, f_3, f_4, f_5))
        store(closed.Y, start + d - begin, 0, share)
        closed.Y[start + d - begin, INVERSE] = inverse
        f_0, f_1 = plus_times(f_0, gives[0], share), plus_times(f_1, gives[1], share)
        f_2, f_3 = plus_times(f_2, gives[2], share), plus_times(f_3, gives[3], share)
        f_4, f_5 = plus_times(f_4, gives[4], share), plus_times(f_5, gives[5], share)
        z = times(inverse, share)
        b_0, b_1, b_2 = plus_times(b_0, share[0], z), plus_times(b_1, share[1], z), plus_times(b_2, share[2], z)
        b_3, b_4, b_5 = plus_times(b_3, share[3], z), plus_times(b_4, share[4], z), plus_times(b_5, share[5], z)
    store_block(closed.scratch, b_0, b_1, b_2, b_3, b_4, b_5)
    for r in range(first, first + number):
        closed.rows[r, SIZE_ALONE] = 0.0  # a joint's rows do not depend on each other, so every pivot counts
    take_rows(closed, l, 0.0)


@jit
def load_far_body(work: Work, closed: Loops, i: int) -> None:
    """Add F G⁻¹ Fᵀ, all that hangs on a link, to the inertia of its far body."""
    l, far, rows, scratch, W = closed.links[i, LINK_LOOP], closed.links[i, FAR], closed.rows, closed.scratch, closed.W
    first, number, start = closed.cuts[l, FIRST], closed.cuts[l, COUNT], column_of(closed, l, 0)
    column = FORCE_PARENT if closed.links[i, NEAR_IS_CHILD] else FORCE_CHILD
    for r in range(number):
        store(scratch, BLOCK + r, 0, load(rows, first + r, column, 6))
    carried = load(work.body, far, I, 21)
    for e in range(first, first + number):
        force = load(scratch, BLOCK + row_taken(rows, e) - first, 0, 6)
        carried = remove_direction(carried, force, times(-inverse_of(rows[e, PIVOT]), force))
        for r in range(number):
            store(scratch, BLOCK + r, 0, plus_times(load(scratch, BLOCK + r, 0, 6), -W[start + e, r], force))
    store(work.body, far, I, carried)


@jit
def solve_block(closed: Loops, l: int, wanted: Six) -> Six:
    """G⁻¹ of a joint times a number for each of its rows."""
    rows, scratch, W = closed.rows, closed.scratch, closed.W
    first, end, start = closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT], column_of(closed, l, 0)
    left = wanted
    for e in range(first, end):
        store(scratch, BLOCK, 0, left)
        rows[e, SOLVED] = scratch[BLOCK, row_taken(rows, e) - first]
        left = plus_times(left, -rows[e, SOLVED], load(W, start + e, 0, 6))
    store(scratch, BLOCK, 0, zero_spatial(scratch[0, 0]))
    for e in range(end - 1, first - 1, -1):
        found = rows[e, SOLVED] * inverse_of(rows[e, PIVOT])
        found -= power(load(W, start + e, 0, 6), load(scratch, BLOCK, 0, 6))
        scratch[BLOCK, row_taken(rows, e) - first] = found
    return load(scratch, BLOCK, 0, 6)


@inline
def numbers_of_rows(closed: Loops, l: int, column: int) -> Six:
    """A column of a joint's rows, a number for each row and 0 where there are fewer than six."""
    first, scratch = closed.cuts[l, FIRST], closed.scratch
    store(scratch, BLOCK, 0, zero_spatial(scratch[0, 0]))
    for r in range(closed.cuts[l, COUNT]):
        scratch[BLOCK, r] = closed.rows[first + r, column]
    return load(scratch, BLOCK, 0, 6)


@jit
def store_multipliers(closed: Loops, l: int, found: Six) -> None:
    """MULTIPLIER of a joint's rows."""
    store(closed.scratch, BLOCK, 0, found)
    for r in range(closed.cuts[l, COUNT]):
        closed.rows[closed.cuts[l, FIRST] + r, MULTIPLIER] = closed.scratch[BLOCK, r]


@jit
def total_force(closed: Loops, l: int, column: int) -> Force:
    """The wrench of a joint's MULTIPLIERs on its child (column FORCE_CHILD) or on its parent (FORCE_PARENT)."""
    rows, total = closed.rows, zero_spatial(closed.scratch[0, 0])
    for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
        total = plus_times(total, rows[r, MULTIPLIER], load(rows, r, column, 6))
    return total


@jit
def seen_by_rows(closed: Loops, l: int, column: int, motion: Force) -> Six:
    """The velocity along each row of a joint when one of its bodies has this motion."""
    rows, first, scratch = closed.rows, closed.cuts[l, FIRST], closed.scratch
    store(scratch, BLOCK, 0, zero_spatial(scratch[0, 0]))
    for r in range(closed.cuts[l, COUNT]):
        scratch[BLOCK, r] = power(load(rows, first + r, column, 6), motion)
    return load(scratch, BLOCK, 0, 6)


@jit
def solve_links(model: KernelModel, work: Work, closed: Loops, wanted: bool) -> None:
    """ACCELERATION of all bodies and MULTIPLIER of all links under LOAD, after `eliminate_links`.  O(joints).

    The accelerations along the rows are to be their RESIDUALs if `wanted`, else 0. LOAD is used up: it has other values after.
    """
    walk, dof, links, bodies, factors, Y = model.walk, work.dof, closed.links, closed.bodies, closed.factors, closed.Y
    for i in range(links.shape[0]):
        l, k, far = links[i, LINK_LOOP], links[i, NEAR], links[i, FAR]
        force, begin = load(bodies, k, LOAD, 6), walk[k, V]
        for d in range(walk[k, END] - 1, begin - 1, -1):
            share = power(load(dof, d, S, 6), force)
            factors[d, SEEN] = share
            force = plus_times(force, -share * factors[d, FACTOR_D], load(factors, d, FACTOR_U, 6))
        if l >= 0:
            left = numbers_of_rows(closed, l, RESIDUAL) if wanted else zero_spatial(closed.scratch[0, 0])
            for d in range(begin, walk[k, END]):
                y = load(Y, l * closed.path.shape[1] + d - begin, 0, 6)
                left = plus_times(left, -factors[d, SEEN] * factors[d, FACTOR_D], y)
            store_multipliers(closed, l, solve_block(closed, l, left))
            if far >= 0:
                passed = total_force(closed, l, FORCE_PARENT if links[i, NEAR_IS_CHILD] else FORCE_CHILD)
                store(bodies, far, LOAD, plus(load(bodies, far, LOAD, 6), passed))
    for i in range(links.shape[0] - 1, -1, -1):
        l, k, far = links[i, LINK_LOOP], links[i, NEAR], links[i, FAR]
        forces, begin = zero_spatial(closed.scratch[0, 0]), walk[k, V]
        if l >= 0:
            forces = numbers_of_rows(closed, l, MULTIPLIER)
            if far >= 0:
                column = FORCE_PARENT if links[i, NEAR_IS_CHILD] else FORCE_CHILD
                moved = seen_by_rows(closed, l, column, load(bodies, far, ACCELERATION, 6))
                forces = plus_times(forces, -1.0, solve_block(closed, l, moved))
                store_multipliers(closed, l, forces)
        a = zero_spatial(closed.scratch[0, 0])
        for d in range(begin, walk[k, END]):
            share = factors[d, SEEN]
            if l >= 0:
                share += power(forces, load(Y, l * closed.path.shape[1] + d - begin, 0, 6))
            rate = (share - power(load(factors, d, FACTOR_U, 6), a)) * factors[d, FACTOR_D]
            a = plus_times(a, rate, load(dof, d, S, 6))
        store(bodies, k, ACCELERATION, a)
