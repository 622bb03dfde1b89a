"""The Lagrange multipliers of all joints in maximal coordinates (S3), in time linear in the number of joints.

In maximal coordinates every body has a pose of its own (a `Free` joint to the world), and every joint of the mechanism is a
constraint. The accelerations a of all bodies and the multipliers λ of all joints solve

    M a − Jᵀ λ = g,    J a = r,

which is sparse: M has a block for each body, and a joint couples two bodies. So it is eliminated along the spanning tree of the
joints, from leaves to roots. A *link* is a joint of that tree. Its *near* body is the one farther from the root, its *far* body
the other one (none, for the body at which a tree ends). With F the rows of the joint on the far body and Y their shares on
the near one, the near body leaves G = Y D Yᵀ for the rows, and these add F G⁻¹ Fᵀ to the inertia of the far body.

Joints that are not in the spanning tree close cycles. Their rows come last, in a small dense Delassus matrix (`border`), with the
largest pivot first; rows that depend on others are left out. Couplings act on the bodies of several joints, so their rows are
there too.
"""

from __future__ import annotations

from ...algebra.memory import load, store
from ...algebra.scalars import Scalar, one, reciprocal, zero
from ...algebra.spatial import Force, apply, articulated, combine, plus, plus_times, power, remove_direction, times, zero_spatial
from ...compilation import inline, jit
from ..inertia import load_rigid
from ..tables import CHILD, END, HELD, PARENT, TAU, D, I, KernelModel, S, U, V, Work
from .couplings import moved_pair, spread_coupling
from .delassus import (
    Six,
    abreast,
    column_of,
    inverse_of,
    row_taken,
    rows_allowed,
    seen_along,
    spread_rows,
    store_block,
    take_rows,
)
from .tables import (
    ACCELERATION,
    APPLIED,
    BLOCK,
    COUNT,
    COUNTED,
    END_TERM,
    FACTOR_D,
    FACTOR_U,
    FAR,
    FIRST,
    FIRST_TERM,
    FORCE_CHILD,
    FORCE_PARENT,
    INVERSE,
    LINK_LOOP,
    LOAD,
    MULTIPLIER,
    NEAR,
    NEAR_IS_CHILD,
    ON_CHILD,
    ON_PARENT,
    PIVOT,
    RESIDUAL,
    SEEN,
    SIZE_ALONE,
    SOFT,
    SOLVED,
    TAKEN,
    TERM_JOINT,
    TOTAL_LOAD,
    Loops,
)


@jit
def eliminate_links(model: KernelModel, work: Work, closed: Loops, redundant: float) -> None:
    """Factorise the system along the spanning tree of the joints, from its leaves to its roots; after `hold`.  O(joints)."""
    body, links = work.body, closed.links
    for k in range(model.walk.shape[0]):
        for c in range(21):
            body[k, I + c] = 0.0
    for i in range(links.shape[0]):
        factorise_body(model, work, closed, links[i, NEAR])
        if links[i, LINK_LOOP] >= 0:
            factorise_joint(model, work, closed, i)
            if links[i, FAR] >= 0:
                load_far_body(work, closed, i)
    if closed.cycles.shape[0] > 0:
        factorise_cycles(model, work, closed, redundant)


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


@jit
def unload(closed: Loops, column: int) -> None:
    """Zero LOAD or TOTAL_LOAD of all bodies."""
    for k in range(closed.bodies.shape[0]):
        store(closed.bodies, k, column, zero_spatial(closed.scratch[0, 0]))


@jit
def load_row(model: KernelModel, closed: Loops, l: int, r: int, column: int, part: Scalar) -> None:
    """Add a part of the force of a row, of a joint that closes a cycle or of a coupling, to LOAD or TOTAL_LOAD of its bodies."""
    rows, pairs, n = closed.rows, closed.pairs, model.walk.shape[0]
    if l < closed.loops.shape[0]:
        load_ends(closed, l, column, times(part, load(rows, r, FORCE_CHILD, 6)), times(part, load(rows, r, FORCE_PARENT, 6)))
    for i in range(closed.cuts[l, FIRST_TERM], closed.cuts[l, END_TERM]):
        on_child, on_parent = times(part, load(pairs, i, ON_CHILD, 6)), times(part, load(pairs, i, ON_PARENT, 6))
        load_ends(closed, closed.terms[i, TERM_JOINT] - n, column, on_child, on_parent)


@jit
def load_ends(closed: Loops, l: int, column: int, on_child: Force, on_parent: Force) -> None:
    """Add two wrenches to LOAD or TOTAL_LOAD of a joint's bodies."""
    c, p = closed.loops[l, CHILD], closed.loops[l, PARENT]
    if c >= 0:
        store(closed.bodies, c, column, plus(load(closed.bodies, c, column, 6), on_child))
    if p >= 0:
        store(closed.bodies, p, column, plus(load(closed.bodies, p, column, 6), on_parent))


# --- cycles --------------------------------------------------------------------------------------------------------------


@jit
def moved_row(model: KernelModel, closed: Loops, l: int, r: int) -> Scalar:
    """The acceleration along a row of a joint or a coupling, by the ACCELERATION of its bodies."""
    rows, bodies, total = closed.rows, closed.bodies, zero(closed.scratch[0, 0])
    if l >= closed.loops.shape[0]:
        for i in range(closed.cuts[l, FIRST_TERM], closed.cuts[l, END_TERM]):
            total += moved_pair(closed, i, closed.terms[i, TERM_JOINT] - model.walk.shape[0], bodies, ACCELERATION)
        return total
    c, p = closed.loops[l, CHILD], closed.loops[l, PARENT]
    if c >= 0:
        total += power(load(rows, r, FORCE_CHILD, 6), load(bodies, c, ACCELERATION, 6))
    if p >= 0:
        total += power(load(rows, r, FORCE_PARENT, 6), load(bodies, p, ACCELERATION, 6))
    return total


@jit
def factorise_cycles(model: KernelModel, work: Work, closed: Loops, redundant: float) -> None:
    """Make and factorise `border`, the Delassus matrix of couplings and joints that close cycles, all other joints being held.

    A column is the accelerations along all these rows under a unit force along one of them.
    O(rows of cycles · joints + rows of cycles³).
    """
    border, at = closed.border, 0
    for l in closed.cycles[:, 0]:
        if l < closed.loops.shape[0]:
            spread_rows(model, work, closed, l)
        else:
            spread_coupling(model, work, closed, l)
        for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
            unload(closed, LOAD)
            load_row(model, closed, l, r, LOAD, one(closed.scratch[0, 0]))
            solve_links(model, work, closed, False)
            e = 0
            for other in closed.cycles[:, 0]:
                for s in range(closed.cuts[other, FIRST], closed.cuts[other, FIRST] + closed.cuts[other, COUNT]):
                    border[e, at] = moved_row(model, closed, other, s)
                    e += 1
            border[at, at] += closed.rows[r, SOFT]
            at += 1
    take_cycle_rows(closed, redundant)


@jit
def take_cycle_rows(closed: Loops, redundant: float) -> None:
    """Factorise `border` as L P Lᵀ, the largest pivot first: `order` has the row of each pivot, PIVOT of that row its size."""
    rows, border, order = closed.rows, closed.border, closed.order
    at = 0
    for l in closed.cycles[:, 0]:
        first, end = closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]
        largest = 0.0
        for r in range(first, end):
            largest = max(largest, rows[r, SIZE_ALONE].real)
        closed.held[l, COUNTED] = 0
        for r in range(first, end):
            rows[r, SIZE_ALONE], rows[r, TAKEN] = largest, r
            order[at, 0], order[at, 1], order[at, 2] = at, r, l
            at += 1
    for e in range(at):
        best = e
        for s in range(e + 1, at):
            if border[order[s, 0], order[s, 0]].real > border[order[best, 0], order[best, 0]].real:
                best = s
        for c in range(3):
            order[e, c], order[best, c] = order[best, c], order[e, c]
        i, r, l = order[e, 0], order[e, 1], order[e, 2]
        enough = border[i, i].real > redundant * rows[r, SIZE_ALONE].real
        if enough and closed.held[l, COUNTED] < rows_allowed(closed, l, redundant):
            rows[r, PIVOT], closed.held[l, COUNTED] = border[i, i], closed.held[l, COUNTED] + 1
        else:
            rows[r, PIVOT] = zero(border[i, i])
        for s in range(e + 1, at):
            j = order[s, 0]
            share = border[j, i] * inverse_of(rows[r, PIVOT])
            for t in range(e + 1, at):
                border[j, order[t, 0]] -= share * border[i, order[t, 0]]
            border[j, i] = share


@jit
def solve_cycles(model: KernelModel, closed: Loops) -> None:
    """MULTIPLIER of the rows of cycles, from the ACCELERATION of the bodies without them; LOAD becomes the forces of the rows."""
    rows, border, order, at = closed.rows, closed.border, closed.order, 0
    for l in closed.cycles[:, 0]:
        for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
            rows[r, SOLVED] = rows[r, RESIDUAL] - moved_row(model, closed, l, r)
            at += 1
    for e in range(at):
        for s in range(e):
            rows[order[e, 1], SOLVED] -= border[order[e, 0], order[s, 0]] * rows[order[s, 1], SOLVED]
    for e in range(at - 1, -1, -1):
        r = order[e, 1]
        found = rows[r, SOLVED] * inverse_of(rows[r, PIVOT])
        for s in range(e + 1, at):
            found -= border[order[s, 0], order[e, 0]] * rows[order[s, 1], MULTIPLIER]
        rows[r, MULTIPLIER] = found
    unload(closed, LOAD)
    for l in closed.cycles[:, 0]:
        for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
            load_row(model, closed, l, r, LOAD, rows[r, MULTIPLIER])


# --- all together ----------------------------------------------------------------------------------------------------------


@jit
def balance_links(model: KernelModel, work: Work, closed: Loops) -> None:
    """MULTIPLIER of all rows; their forces are added to the reduced torques TAU. After `eliminate_links`.  O(joints)."""
    unload(closed, LOAD)
    solve_links(model, work, closed, True)
    if closed.cycles.shape[0] > 0:
        solve_cycles(model, closed)
        solve_links(model, work, closed, True)
    push_links(model, work, closed, 1.0)


@jit
def push_links(model: KernelModel, work: Work, closed: Loops, part: float) -> None:
    """Add a part of the forces of all rows to the reduced torques TAU of the bodies' Free joints."""
    walk, dof, loops, bodies = model.walk, work.dof, closed.loops, closed.bodies
    unload(closed, TOTAL_LOAD)
    for r in range(closed.rows.shape[0]):
        closed.rows[r, APPLIED] += part * closed.rows[r, MULTIPLIER]
    for l in range(loops.shape[0]):
        load_ends(closed, l, TOTAL_LOAD, total_force(closed, l, FORCE_CHILD), total_force(closed, l, FORCE_PARENT))
    for b in range(loops.shape[0], closed.cuts.shape[0]):
        load_row(model, closed, b, closed.cuts[b, FIRST], TOTAL_LOAD, closed.rows[closed.cuts[b, FIRST], MULTIPLIER])
    for k in range(walk.shape[0]):
        force = times(part, load(bodies, k, TOTAL_LOAD, 6))
        for d in range(walk[k, END] - 1, walk[k, V] - 1, -1):
            share = power(load(dof, d, S, 6), force)
            dof[d, TAU] += share
            force = plus_times(force, -share * dof[d, D], load(dof, d, U, 6))
