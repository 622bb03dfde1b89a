"""The forward dynamics of closed chains: accelerations, and Lagrange multipliers λ for the forces in loop-closure joints.

They solve M v̇ + c = τ + Jᵀ λ and J v̇ + J̇ v = 0, with the mass matrix M of the spanning tree and the constraint Jacobian J. λ
comes from a linear system with the Delassus matrix J M⁻¹ Jᵀ (`delassus`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.memory import table_at, vector_at
from ...compilation import Floats, Scalars, ScalarTable, Table, entry, inline, jit, long_entry
from ...tolerances import ASSEMBLED, LACKING, POOR, REDUNDANT
from ..aba import accelerate, articulate
from ..kinematics import rising_world
from ..memory import loops_at, model_at, positions_in, velocities_in, work_at
from ..tables import EXTERNAL, KernelModel, R, Work
from . import delassus as coupling
from .closure import add_multipliers, ask_links, balance, couple, keep_multipliers
from .delassus import largest_residual
from .rows import acceleration_gaps, hold
from .stages import loop_stage
from .tables import GAP, MULTIPLIER, TAKE_BACK, Loops
from .torques import drive

HELPS = 0.5
"""What another solution may leave of what accelerations lack, see `LACKING`; more means that pivots are rounding themselves."""


@loop_stage
def closed_dynamics(
    model: KernelModel,
    work: Work,
    closed: Loops,
    q: Scalars,
    v: Scalars,
    tau: Scalars,
    external: ScalarTable,
    out: Scalars,
) -> float:
    """v̇ into out, with M v̇ + c = tau + passive and external forces + the forces of the loops.

    Returns the least MARGIN, as `aba`. The largest gap of a loop is left in GAP.
    """
    return hold_together(model, work, closed, q, out, articulate(model, work, q, v, tau, external))


@inline
def hold_together(model: KernelModel, work: Work, closed: Loops, q: Any, out: Any, worst: Any) -> float:
    """`closed_dynamics` after `articulate`, whose result is `worst`."""
    closed.scratch[GAP, 0] = hold(model, work, closed, q)
    drive(model, work, closed)
    accelerate(model, work, rising_world(model, work.body[0, R]), out)
    acceleration_gaps(model, work, closed, out)
    least = couple(model, work, closed, REDUNDANT)
    balance(model, work, closed)
    accelerate(model, work, rising_world(model, work.body[0, R]), out)
    if least < POOR:
        improve(model, work, closed, out)
    for d in range(out.shape[0]):
        worst = worst + 0.0 * out[d].real
    return worst


@jit
def improve(model: KernelModel, work: Work, closed: Loops, out: Any) -> None:
    """Iterative refinement: solve again for what the accelerations still lack along the rows, as long as that helps.

    Pivots are the largest first only within a loop. So a row with a small pivot may be held, while a row of a later loop that
    would have had a larger one depends on it and is left out; rounding is then magnified by the inverse of the small pivot.
    Refinement mends that. It cannot help where all pivots are small, near a singular position.
    """
    world, size = rising_world(model, work.body[0, R]), 1.0
    for d in range(out.shape[0]):
        size = max(size, abs(out[d].real))
    acceleration_gaps(model, work, closed, out)
    lack = largest_residual(closed)
    for _ in range(5):
        if not lack > LACKING * size:
            break
        before = lack
        keep_multipliers(closed)
        balance(model, work, closed)
        accelerate(model, work, world, out)
        acceleration_gaps(model, work, closed, out)
        lack = largest_residual(closed)
        if not lack < HELPS * before:
            take_back(model, work, closed)
            accelerate(model, work, world, out)
            for r in range(closed.rows.shape[0]):
                closed.rows[r, MULTIPLIER] = 0.0
            lack = 0.0
        add_multipliers(closed)


@jit
def take_back(model: KernelModel, work: Work, closed: Loops) -> None:
    """Subtract the forces of all rows from the reduced torques: undo `balance`."""
    if closed.links.shape[0] > 0:
        ask_links(model, closed, TAKE_BACK)
    else:
        coupling.push(work, closed, -1.0)


# --- what Python calls, and what `simulate` calls by address --------------------------------------------------------------


@long_entry
def loop_dynamics(handle: int, q: int, v: int, tau: int, external: int, pushed: int, out: int) -> float:
    """`closed_dynamics`, with addresses of arrays; returns the least MARGIN."""
    nq, nv = positions_in(handle), velocities_in(handle)
    position, velocity, torque, rate = vector_at(q, nq), vector_at(v, nv), vector_at(tau, nv), vector_at(out, nv)
    m, w, closed = model_at(handle), work_at(handle, 0.0), loops_at(handle, 0.0)
    return closed_dynamics(m, w, closed, position, velocity, torque, table_at(external, pushed, EXTERNAL, 0.0), rate)


@entry
def pushed_closed_dynamics(handle: int, x: Floats, tau: Floats, external: Table, out: Floats) -> tuple[float, float]:
    """`closed_dynamics` at the state x = (q, v); returns the least MARGIN and the largest gap."""
    m, w, closed, nq = model_at(handle), work_at(handle, x), loops_at(handle, x), positions_in(handle)
    worst = closed_dynamics(m, w, closed, x[:nq], x[nq:], tau, external, out)
    return worst, closed.scratch[GAP, 0]


@entry
def quick_closed_dynamics(handle: int, x: Floats, tau: Floats, out: Floats) -> float:
    """The same without external forces; NaN where tau has the wrong length or gaps, or where loops are open."""
    if tau.shape[0] != out.shape[0] or tau.strides[0] != out.strides[0]:
        return np.nan
    m, w, closed, nq = model_at(handle), work_at(handle, x), loops_at(handle, x), positions_in(handle)
    worst = closed_dynamics(m, w, closed, x[:nq], x[nq:], tau, table_at(handle, 0, EXTERNAL, x), out)
    return worst if closed.scratch[GAP, 0] <= ASSEMBLED else np.nan


@entry
def acceleration_lack(handle: int, a: Floats) -> float:
    """What the accelerations a lack along the rows of loops, those that are left out too; after the dynamics that gave them."""
    closed = loops_at(handle, a)
    acceleration_gaps(model_at(handle), work_at(handle, a), closed, a)
    return largest_residual(closed)
