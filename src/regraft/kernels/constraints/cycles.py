"""Rows beside the spanning tree of the joints in maximal coordinates: couplings, and joints that close cycles.

They come last, in a small dense Delassus matrix (`border`), with the largest pivot first; rows that depend on others are left
out.
"""

from __future__ import annotations

from ...algebra.memory import load, store
from ...algebra.scalars import Scalar, one, zero
from ...algebra.spatial import Force, plus, power, times, zero_spatial
from ...compilation import jit
from ..tables import CHILD, PARENT, KernelModel, Work
from .couplings import moved_pair, spread_coupling
from .delassus import inverse_of, rows_allowed, spread_rows
from .link_tree import solve_links
from .tables import (
    ACCELERATION,
    COUNT,
    COUNTED,
    END_TERM,
    FIRST,
    FIRST_TERM,
    FORCE_CHILD,
    FORCE_PARENT,
    LOAD,
    MULTIPLIER,
    ON_CHILD,
    ON_PARENT,
    PIVOT,
    RESIDUAL,
    SIZE_ALONE,
    SOFT,
    SOLVED,
    TAKEN,
    TERM_JOINT,
    Loops,
)


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
