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

from ...algebra.memory import call_kernel, clear, load, store
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
from ...compilation import Floats, Scalars, ScalarTable, Table, entry, inline, jit
from ...tolerances import ASSEMBLED
from ..aba import accelerate
from ..constraints.closure import balance
from ..constraints.couplings import moved_pair
from ..constraints.delassus import column_of, inverse_of, row_taken
from ..constraints.dynamics import closed_dynamics
from ..constraints.rows import loop_frames, loop_twists, wrench_of
from ..constraints.stages import loop_stage
from ..constraints.tables import (
    APPLIED,
    COUNT,
    DRIVE,
    DRIVEN,
    END_TERM,
    FACTOR,
    FIRST,
    FIRST_TERM,
    FORCE_CHILD,
    FORCE_PARENT,
    GAP,
    MULTIPLIER,
    ON_CHILD,
    PATH,
    PIVOT,
    REACH,
    RESIDUAL,
    RESISTS,
    SOFT,
    TERM_JOINT,
    TERM_V,
    Loops,
)
from ..constraints.torques import loop_torques
from ..kinematics import rising_world
from ..memory import loops_at, model_at, positions_in, work_at
from ..tables import BIAS, CHILD, DOFS, END, PARENT, TAU, VARIES, A, D, F, KernelModel, R, S, V, Work
from .accelerations import need_again, through_factors, through_transposed
from .tables import (
    ALONG,
    BEND,
    BY_Q,
    BY_V,
    DAMP,
    DUAL,
    FASTER,
    FOLLOWS,
    KAPPA,
    MOVES,
    PACKS,
    PHI,
    PSI1,
    PSI2,
    QUICK,
    STIFF,
    TOTAL_WRENCH,
    Slopes,
    slopes_at,
)
from .torques import differentiate, finite


@entry
def closed_derivatives(handle: int, slopes: int, x: Floats, tau: Floats, external: Table, a: Floats, out: Table) -> float:
    """v̇ into a, and ∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ side by side into the rows of `out`; returns the least MARGIN.

    NaN where a result is not finite, loops are open, or `tau` has the wrong length or gaps.
    """
    if tau.shape[0] != a.shape[0] or tau.strides[0] != a.strides[0]:
        return np.nan
    return assembled_slopes(handle, slopes, x, tau, external, a, out)


@jit
def assembled_slopes(handle: int, slopes: int, x: Any, tau: Any, external: Any, a: Any, out: Any) -> float:
    """`closed_slopes` of a position and a velocity side by side; NaN where a result is not finite or loops are open."""
    model, work, closed, nq = model_at(handle), work_at(handle, x), loops_at(handle, x), positions_in(handle)
    worst = closed_slopes(model, work, closed, slopes, x[:nq], x[nq:], tau, external, a, out)
    return worst + finite(out) if closed.scratch[GAP, 0] <= ASSEMBLED else np.nan


@loop_stage
def closed_slopes(
    model: KernelModel,
    work: Work,
    closed: Loops,
    slopes: int,
    q: Scalars,
    v: Scalars,
    tau: Scalars,
    external: ScalarTable,
    a: Scalars,
    out: ScalarTable,
) -> float:
    """The same for position and velocity in two places, however far loops are open."""
    s, n = slopes_at(slopes), v.shape[0]
    worst = closed_dynamics(model, work, closed, q, v, tau, external, a)
    need_again(model, work, external)
    load_loops(model, work, closed)
    differentiate(model, work, s, q, v, a, external, out, True)
    clear(s.lacks)
    for l in range(closed.loops.shape[0]):
        differentiate_loop(model, work, closed, s, l, out)
    for d in range(n):
        out[d, 2 * n + d] = 1.0
    through_transposed(work, s, out)
    if closed.links.shape[0] > 0:
        solve_columns(model, work, closed, s, out)
    else:
        hold_columns(work, closed, s, out)
        through_factors(work, s, out)
    return worst


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
    if closed.cuts[l, RESISTS] or closed.held[l, DRIVEN]:
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
    if closed.cuts[l, RESISTS] or closed.loops[l, VARIES]:
        store(slopes.own, TOTAL_WRENCH, 0, wrench)
        call_kernel(slopes.loop_slopes, (closed.handle, slopes.address, l))
        give_way(closed, slopes, l, count, out)
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


@jit
def give_way(closed: Loops, slopes: Slopes, l: int, count: int, out: Any) -> None:
    """What a loop joint's own torques, and columns that change, make of this: see `loop_slopes`."""
    ends, own, numbers, nv, n = slopes.ends, slopes.own, slopes.numbers, closed.loops[l, DOFS], slopes.plan.shape[0]
    for i in range(count):
        rho, moves = load(ends, i, ALONG, 6), load(ends, i, MOVES, 6)
        for f in range(nv):
            own[BY_Q, f] = own[BY_V, f] = power(load(own, f, DUAL, 6), rho)
            moves = plus_times(moves, -own[BY_Q, f], load(own, f, KAPPA, 6))
        by_q, by_v = load(ends, i, FOLLOWS, 6), load(ends, i, FASTER, 6)
        on_q, on_v = zero_spatial(0.0), zero_spatial(0.0)
        for f in range(nv):
            further, faster, sooner = own[BY_Q, f], power(load(own, f, DUAL, 6), moves), own[BY_V, f]
            by_q = plus_times(plus_times(by_q, -further, load(own, f, BEND, 6)), -faster, load(own, f, QUICK, 6))
            by_v = plus_times(by_v, -sooner, load(own, f, QUICK, 6))
            for d in range(nv):
                dual = load(own, d, DUAL, 6)
                on_q = plus_times(on_q, own[f, STIFF + d] * further + own[f, DAMP + d] * faster, dual)
                on_v = plus_times(on_v, own[f, DAMP + d] * sooner, dual)
        store(ends, i, FOLLOWS, by_q)
        store(ends, i, FASTER, by_v)
        for j in range(count):
            along = load(ends, j, ALONG, 6)
            out[numbers[0, j], numbers[0, i]] += power(along, on_q)
            out[numbers[0, j], n + numbers[0, i]] += power(along, on_v)


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
            store(slopes.ends, count, MOVES, plus(first, motion_cross(rho, V_p)))
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


# --- in maximal coordinates ----------------------------------------------------------------------------------------------------


@jit
def solve_columns(model: KernelModel, work: Work, closed: Loops, slopes: Slopes, X: Any) -> None:
    """Accelerations from the reduced torques X, column by column, as `closed_dynamics` finds them.  O(n) a column."""
    found, none, n = slopes.solved[0], zero_spatial(0.0), work.dof.shape[0]
    for k in range(model.walk.shape[0]):
        store(work.body, k, BIAS, none)
    for column in range(3 * n):
        for d in range(n):
            work.dof[d, TAU] = X[d, column]
        for r in range(closed.rows.shape[0]):
            closed.rows[r, APPLIED] = 0.0
        accelerate(model, work, none, found)
        for _ in range(2):  # the second time for what rounding has left, as always in maximal coordinates
            for r in range(closed.rows.shape[0]):
                closed.rows[r, RESIDUAL] = slopes.lacks[r, column]
            take_accelerations(model, work, closed, found)
            balance(model, work, closed)
            accelerate(model, work, none, found)
        for d in range(n):
            X[d, column] = found[d]


@jit
def take_accelerations(model: KernelModel, work: Work, closed: Loops, a: Any) -> None:
    """Take the accelerations along all rows, J a, out of RESIDUAL; A of all bodies is theirs."""
    rows, loops, body = closed.rows, closed.loops, work.body
    for l in range(loops.shape[0]):
        c, p = loops[l, CHILD], loops[l, PARENT]
        for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
            if c >= 0:
                rows[r, RESIDUAL] -= power(load(rows, r, FORCE_CHILD, 6), load(body, c, A, 6))
            if p >= 0:
                rows[r, RESIDUAL] -= power(load(rows, r, FORCE_PARENT, 6), load(body, p, A, 6))
    for b in range(loops.shape[0], closed.cuts.shape[0]):
        r = closed.cuts[b, FIRST]
        for i in range(closed.cuts[b, FIRST_TERM], closed.cuts[b, END_TERM]):
            k = closed.terms[i, TERM_JOINT]
            if k < model.walk.shape[0]:
                rows[r, RESIDUAL] -= closed.term_numbers[i, FACTOR] * a[closed.terms[i, TERM_V]]
            else:
                rows[r, RESIDUAL] -= moved_pair(closed, i, k - model.walk.shape[0], body, A)
        rows[r, RESIDUAL] -= rows[r, SOFT] * rows[r, APPLIED]


# --- the forces of the rows, for all columns ----------------------------------------------------------------------------------


@inline
def hold_columns(work: Work, closed: Loops, slopes: Slopes, X: Any) -> None:
    """Add to the reduced torques X, in each column, the forces of all rows that take away what these lack."""
    for column in range(0, 3 * work.dof.shape[0], PACKS * LANES):
        hold_some(work, closed, slopes, X, column)


@inline
def subtract_from(table: Any, row: int, column: int, factor: float, packs: Any) -> None:
    """Take a multiple of packs out of those in a table."""
    store_packs(table, row, column, less_times(load_packs(table, row, column, PACKS), factor, packs))


@jit
def hold_some(work: Work, closed: Loops, slopes: Slopes, X: Any, column: int) -> None:
    """The same for PACKS of columns; `delassus.balance_band` does it for one."""
    lacks, solved, W, cuts, longest = slopes.lacks, slopes.solved, closed.W, closed.cuts, closed.path.shape[1]
    for l in range(cuts.shape[0]):
        first, start = cuts[l, FIRST], column_of(closed, l, 0)
        for i in range(cuts[l, PATH]):
            d = closed.dofs[0, closed.path[l, i]]
            moves = load_packs(X, d, column, PACKS)
            for r in range(cuts[l, COUNT]):
                subtract_from(lacks, first + r, column, closed.Y[l * longest + i, r] * work.dof[d, D], moves)
        for e in range(cuts[l, REACH], first + cuts[l, COUNT]):
            if e >= first:
                store_packs(solved, e, column, load_packs(lacks, row_taken(closed.rows, e), column, PACKS))
            known = load_packs(solved, e, column, PACKS)
            for r in range(cuts[l, COUNT]):
                subtract_from(lacks, first + r, column, W[start + e, r], known)
    for e in range(closed.rows.shape[0]):
        found = load_packs(solved, e, column, PACKS)
        store_packs(solved, e, column, less_times(found, 1.0 - inverse_of(closed.rows[e, PIVOT]), found))
    for l in range(cuts.shape[0] - 1, -1, -1):
        first, start, number = cuts[l, FIRST], column_of(closed, l, 0), cuts[l, COUNT]
        for r in range(number):  # from here on `lacks` are the forces
            found = load_packs(lacks, first + r, column, PACKS)
            store_packs(lacks, first + r, column, less_times(found, 1.0, found))
        for e in range(first + number - 1, cuts[l, REACH] - 1, -1):
            left = load_packs(solved, e, column, PACKS)
            for r in range(number):
                left = less_times(left, W[start + e, r], load_packs(lacks, first + r, column, PACKS))
            if e >= first:
                store_packs(lacks, row_taken(closed.rows, e), column, left)
            else:
                store_packs(solved, e, column, left)
        for i in range(cuts[l, PATH]):
            d = closed.dofs[0, closed.path[l, i]]
            for r in range(number):
                subtract_from(X, d, column, -closed.Y[l * longest + i, r], load_packs(lacks, first + r, column, PACKS))
