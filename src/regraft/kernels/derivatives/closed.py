"""The derivatives of closed chains, along motions that keep the loops: through the forces of the loops.

Accelerations and multipliers solve M v̇ + c − Jᵀ λ = τ and J v̇ + J̇ v = 0. Differentiated, with T = ∂(M v̇ + c − Jᵀ λ) and
R = ∂(J v̇ + J̇ v) at fixed v̇ and λ:

    M ∂v̇ − Jᵀ ∂λ = −T (by τ: 1)      J ∂v̇ = −R (by τ: 0)

These are the equations of the dynamics again, with the same factors, for each column: through Lᵀ, then forces of the rows by the
Delassus matrix Y D Yᵀ, then through D and L (`accelerations`).

The wrench of a loop, whose rows are fixed in the frame of the joint on its child, is a load that turns with the child; R is how
the acceleration along the rows grows, as seen from there. With ρ = S for the degrees of freedom that move the child, less S for
those that move the parent, likewise ρ̇ of Ψ̇, ρ̈ of Ψ̈ and φ of Φ, that of the child against the parent grows by

    by q: ρ̈ − (V_c + V_p) × ρ̇ + ρ × A_p − V_c × (ρ × V_p)      by v: φ − (V_c + V_p) × ρ

and the wrench W on the parent gains ρ ×* W against one that turned with the parent. Couplings of tree joints add nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.memory import clear, load, store
from ...algebra.pack_rows import less_times, load_packs, store_packs
from ...algebra.scalars import LANES
from ...algebra.spatial import (
    Force,
    Motion,
    Vector,
    angular,
    at_point,
    cross,
    force_cross,
    linear,
    minus,
    motion_cross,
    plus,
    plus_times,
    power,
    scale,
    spatial,
    subtract,
    times,
    zero_spatial,
)
from ...compilation import Floats, Table, entry, inline, jit
from ...tolerances import ASSEMBLED
from ..constraints.delassus import column_of, inverse_of, row_taken
from ..constraints.dynamics import closed_dynamics
from ..constraints.rows import loop_frames, loop_twists, wrench_of
from ..constraints.tables import (
    COUNT,
    DRIVE,
    DRIVEN,
    END_TERM,
    FIRST,
    FIRST_TERM,
    FORCE_CHILD,
    GAP,
    MULTIPLIER,
    ON_CHILD,
    PATH,
    PIVOT,
    REACH,
    TERM_JOINT,
    Loops,
)
from ..constraints.torques import loop_torques
from ..kinematics import rising_world
from ..memory import loops_at, model_at, positions_in, work_at
from ..tables import CHILD, END, PARENT, A, D, F, KernelModel, R, S, V, Work
from .accelerations import FEW, MANY, need_again, through_factors, through_transposed
from .tables import ALONG, FASTER, FOLLOWS, PHI, PSI1, PSI2, Slopes, slopes_at
from .torques import differentiate, finite


@entry
def closed_derivatives(handle: int, slopes: int, x: Floats, tau: Floats, external: Table, a: Floats, out: Table) -> float:
    """v̇ into a, and ∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ side by side into the rows of `out`; returns the least MARGIN.

    NaN where a result is not finite, loops are open, or `tau` has the wrong length or gaps.
    """
    if tau.shape[0] != a.shape[0] or tau.strides[0] != a.strides[0]:
        return np.nan
    model, work, closed, s = model_at(handle), work_at(handle, x), loops_at(handle, x), slopes_at(slopes)
    nq, n = positions_in(handle), a.shape[0]
    q, v = x[:nq], x[nq:]
    worst = closed_dynamics(model, work, closed, q, v, tau, external, a)
    if not closed.scratch[GAP, 0] <= ASSEMBLED:
        return np.nan
    need_again(model, work, external)
    load_loops(model, work, closed)
    differentiate(model, work, s, q, v, a, external, out, True)
    clear(s.lacks)
    for l in range(closed.loops.shape[0]):
        differentiate_loop(model, work, closed, s, l, out)
    for d in range(n):
        out[d, 2 * n + d] = 1.0
    through_transposed(work, s, out)
    hold_columns(work, closed, s, out)
    through_factors(work, s, out)
    return worst + finite(out)


# --- what a loop adds to ∂τ, and what its rows lack -------------------------------------------------------------------------


@jit
def load_loops(model: KernelModel, work: Work, closed: Loops) -> None:
    """Take the wrenches of all loops out of F, the force that each body still needs."""
    for l in range(closed.loops.shape[0]):
        c, p = closed.loops[l, CHILD], closed.loops[l, PARENT]
        _, _, apart = loop_frames(model, work, closed, l)
        wrench = loop_wrench(model, work, closed, l)
        if c >= 0:
            store(work.body, c, F, minus(load(work.body, c, F, 6), wrench))
        if p >= 0:
            store(work.body, p, F, plus(load(work.body, p, F, 6), about_parent(wrench, apart)))


@inline
def about_parent(wrench: Force, apart: Vector) -> Force:
    """A wrench about the origin of the child's tree, about that of the parent's, which is `apart` from it."""
    return spatial(subtract(angular(wrench), cross(apart, linear(wrench))), linear(wrench))


@jit
def loop_wrench(model: KernelModel, work: Work, closed: Loops, l: int) -> Force:
    """The wrench of a loop joint on its child, about the origin of the child's tree: of its rows, couplings, and motor."""
    rows, wrench = closed.rows, zero_spatial(0.0)
    for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
        wrench = plus_times(wrench, rows[r, MULTIPLIER], load(rows, r, FORCE_CHILD, 6))
    for b in range(closed.loops.shape[0], closed.cuts.shape[0]):
        for i in range(closed.cuts[b, FIRST_TERM], closed.cuts[b, END_TERM]):
            if closed.terms[i, TERM_JOINT] == model.walk.shape[0] + l:
                wrench = plus_times(wrench, rows[closed.cuts[b, FIRST], MULTIPLIER], load(closed.pairs, i, ON_CHILD, 6))
    if closed.held[l, DRIVEN]:
        X_c, _ = loop_torques(model, work, closed, l)
        wrench = plus(wrench, wrench_of(X_c, load(closed.scratch, DRIVE, 0, 6)))
    return wrench


@jit
def differentiate_loop(model: KernelModel, work: Work, closed: Loops, slopes: Slopes, l: int, out: Any) -> None:
    """Take what the parent's side of a loop adds to ∂τ/∂q out of `out`, and −R of the loop's rows into `lacks`.  O(depth²)."""
    walk, ends, numbers, n = model.walk, slopes.ends, slopes.numbers, work.dof.shape[0]
    _, _, apart = loop_frames(model, work, closed, l)
    count = follow_loop(model, work, closed, slopes, l, apart)
    wrench, above = loop_wrench(model, work, closed, l), closed.loops[l, PARENT]
    while above >= 0:
        for d in range(walk[above, V], walk[above, END]):
            s = load(work.dof, d, S, 6)
            for i in range(count):
                gained = about_parent(force_cross(load(ends, i, ALONG, 6), wrench), apart)
                out[d, numbers[0, i]] -= power(s, gained)
        above = walk[above, PARENT]
    for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
        lack_along(slopes, r, load(closed.rows, r, FORCE_CHILD, 6), count, n)
    for b in range(closed.loops.shape[0], closed.cuts.shape[0]):
        for i in range(closed.cuts[b, FIRST_TERM], closed.cuts[b, END_TERM]):
            if closed.terms[i, TERM_JOINT] == walk.shape[0] + l:
                lack_along(slopes, closed.cuts[b, FIRST], load(closed.pairs, i, ON_CHILD, 6), count, n)


@inline
def lack_along(slopes: Slopes, r: int, force: Force, count: int, n: int) -> None:
    """Take the accelerations along a row out of what it lacks."""
    for i in range(count):
        e = slopes.numbers[0, i]
        slopes.lacks[r, e] -= power(force, load(slopes.ends, i, FOLLOWS, 6))
        slopes.lacks[r, n + e] -= power(force, load(slopes.ends, i, FASTER, 6))


@jit
def follow_loop(model: KernelModel, work: Work, closed: Loops, slopes: Slopes, l: int, apart: Vector) -> int:
    """ρ (ALONG) of each degree of freedom that moves one end of a loop against the other, and what accelerates there by q and v.

    Returns how many there are; they are listed in `numbers`.
    """
    walk, c, p, count = model.walk, closed.loops[l, CHILD], closed.loops[l, PARENT], 0
    V_c, V_p = loop_twists(work, closed, l, apart)
    shift = scale(-1.0, apart)
    A_p = at_point(load(work.body, p, A, 6), shift) if p >= 0 else rising_world(model, work.body[0, R])
    both = plus(V_c, V_p)
    while c != p:  # parents come before their children, so the two ways meet, in a body or in the world
        k, sign = (c, 1.0) if c > p else (p, -1.0)
        for d in range(walk[k, V], walk[k, END]):
            rho = seen(work.dof, d, S, sign, shift)
            first, second = seen(slopes.directions, d, PSI1, sign, shift), seen(slopes.directions, d, PSI2, sign, shift)
            by_q = minus(plus(second, motion_cross(rho, A_p)), motion_cross(both, first))
            store(slopes.ends, count, ALONG, rho)
            store(slopes.ends, count, FOLLOWS, minus(by_q, motion_cross(V_c, motion_cross(rho, V_p))))
            store(slopes.ends, count, FASTER, minus(seen(slopes.directions, d, PHI, sign, shift), motion_cross(both, rho)))
            slopes.numbers[0, count] = d
            count += 1
        if c > p:
            c = walk[c, PARENT]
        else:
            p = walk[p, PARENT]
    return count


@inline
def seen(table: Any, d: int, column: int, sign: float, shift: Vector) -> Motion:
    """A motion vector of the child's side, or the opposite of one of the parent's, about the origin of the child's tree."""
    x = load(table, d, column, 6)
    return x if sign > 0.0 else times(-1.0, at_point(x, shift))


# --- the forces of the rows, for all columns ----------------------------------------------------------------------------------


@inline
def hold_columns(work: Work, closed: Loops, slopes: Slopes, X: Any) -> None:
    """Add to the reduced torques X, in each column, the forces of all rows that take away what these lack."""
    column, columns = 0, 3 * work.dof.shape[0]
    while columns - column >= MANY * LANES:
        hold_many(work, closed, slopes, X, column)
        column += MANY * LANES
    while column < columns:
        hold_few(work, closed, slopes, X, column)
        column += FEW * LANES


def _holder(count: int) -> Any:
    """The same for so many packs of columns; `delassus.balance_band` does it for one."""

    @inline
    def subtract_from(table: Any, row: int, column: int, factor: float, packs: Any) -> None:
        store_packs(table, row, column, less_times(load_packs(table, row, column, count), factor, packs))

    @jit
    def hold_some(work: Work, closed: Loops, slopes: Slopes, X: Any, column: int) -> None:
        lacks, solved, W, cuts, longest = slopes.lacks, slopes.solved, closed.W, closed.cuts, closed.path.shape[1]
        for l in range(cuts.shape[0]):
            first, start = cuts[l, FIRST], column_of(closed, l, 0)
            for i in range(cuts[l, PATH]):
                d = closed.dofs[0, closed.path[l, i]]
                moves = load_packs(X, d, column, count)
                for r in range(cuts[l, COUNT]):
                    subtract_from(lacks, first + r, column, closed.Y[l * longest + i, r] * work.dof[d, D], moves)
            for e in range(cuts[l, REACH], first + cuts[l, COUNT]):
                if e >= first:
                    store_packs(solved, e, column, load_packs(lacks, row_taken(closed.rows, e), column, count))
                known = load_packs(solved, e, column, count)
                for r in range(cuts[l, COUNT]):
                    subtract_from(lacks, first + r, column, W[start + e, r], known)
        for e in range(closed.rows.shape[0]):
            found = load_packs(solved, e, column, count)
            store_packs(solved, e, column, less_times(found, 1.0 - inverse_of(closed.rows[e, PIVOT]), found))
        for l in range(cuts.shape[0] - 1, -1, -1):
            first, start, number = cuts[l, FIRST], column_of(closed, l, 0), cuts[l, COUNT]
            for r in range(number):  # from here on `lacks` are the forces
                found = load_packs(lacks, first + r, column, count)
                store_packs(lacks, first + r, column, less_times(found, 1.0, found))
            for e in range(first + number - 1, cuts[l, REACH] - 1, -1):
                left = load_packs(solved, e, column, count)
                for r in range(number):
                    left = less_times(left, W[start + e, r], load_packs(lacks, first + r, column, count))
                if e >= first:
                    store_packs(lacks, row_taken(closed.rows, e), column, left)
                else:
                    store_packs(solved, e, column, left)
            for i in range(cuts[l, PATH]):
                d = closed.dofs[0, closed.path[l, i]]
                for r in range(number):
                    subtract_from(X, d, column, -closed.Y[l * longest + i, r], load_packs(lacks, first + r, column, count))

    return hold_some


hold_many, hold_few = _holder(MANY), _holder(FEW)
