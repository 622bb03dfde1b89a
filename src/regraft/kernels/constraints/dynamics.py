"""The dynamics of closed chains: accelerations with Lagrange multipliers for the forces of the loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.memory import call_kernel, table_at, vector_at
from ...compilation import Floats, Table, entry, inline, jit, long_entry
from ..aba import accelerate, articulate
from ..kinematics import rising_world
from ..tables import EXTERNAL, Model, R, Work, model_at, positions_in, velocities_in, work_at
from . import delassus as coupling
from .closure import ASSEMBLED, add_multipliers, ask_links, balance, couple, keep_multipliers
from .delassus import REDUNDANT, largest_residual
from .rows import acceleration_gaps, hold
from .tables import GAP, MULTIPLIER, TAKE_BACK, Loops, loops_at
from .torques import drive

POOR = 1e-6
"""The least pivot, relative to what `couple` says, below which the accelerations may have to be solved for again."""

LACKING = 1e-11
"""What accelerations may lack along the rows of loops, relative to the largest, or to 1.

Accelerations are off by some multiples of it: 3 for the swing, whose hands are light against what they hold.
"""

HELPS = 0.5
"""What may be left of that after another solution; more means that pivots are rounding themselves."""


@jit
def closed_dynamics(
    model: Model, work: Work, closed: Loops, q: Any, v: Any, tau: Any, external: Any, out: Any
) -> tuple[float, float]:
    """v̇ into out, with M v̇ + c = tau + passive and external forces + the forces of the loops.

    Returns the least MARGIN, as `aba`, and the largest gap of a loop.
    """
    worst = articulate(model, work, q, v, tau, external)
    gap = hold(model, work, closed)
    drive(model, work, closed)
    accelerate(model, work, rising_world(model, work.body[0, R]), out)
    acceleration_gaps(model, work, closed)
    least = couple(model, work, closed, REDUNDANT)
    balance(model, work, closed)
    accelerate(model, work, rising_world(model, work.body[0, R]), out)
    if least < POOR:
        improve(model, work, closed, out)
    for d in range(out.shape[0]):
        worst = worst + 0.0 * out[d].real
    return worst, gap


@jit
def improve(model: Model, work: Work, closed: Loops, out: Any) -> None:
    """Solve again for what the accelerations still lack along the rows, as long as that is a help.

    The rows of a loop cannot wait for those of later loops that tell more. So one with a small pivot may be held, and a better
    one of a later loop follows from it and is left out; there rounding shows by the inverse of the pivot. That is mended here.
    Where all pivots are small, near a singular position, it is not.
    """
    world, size = rising_world(model, work.body[0, R]), 1.0
    for d in range(out.shape[0]):
        size = max(size, abs(out[d].real))
    acceleration_gaps(model, work, closed)
    lack = largest_residual(closed)
    for _ in range(5):
        if not lack > LACKING * size:
            break
        before = lack
        keep_multipliers(closed)
        balance(model, work, closed)
        accelerate(model, work, world, out)
        acceleration_gaps(model, work, closed)
        lack = largest_residual(closed)
        if not lack < HELPS * before:
            take_back(model, work, closed)
            accelerate(model, work, world, out)
            for r in range(closed.rows.shape[0]):
                closed.rows[r, MULTIPLIER] = 0.0
            lack = 0.0
        add_multipliers(closed)


@jit
def take_back(model: Model, work: Work, closed: Loops) -> None:
    """Take the forces of all rows out of what is left of the joints' torques."""
    if closed.links.shape[0] > 0:
        ask_links(model, closed, TAKE_BACK)
    else:
        coupling.push(work, closed, -1.0)


# `loop_dynamics` is called by its address (`kernel`), by other entries too, so that it is compiled once.


@long_entry
def loop_dynamics(handle: int, loops: int, q: int, v: int, tau: int, external: int, pushed: int, out: int) -> float:
    """`closed_dynamics`, with addresses of arrays; returns the least MARGIN. The largest gap of a loop is left in GAP."""
    m, w, closed = model_at(handle), work_at(handle, 0.0), loops_at(loops, 0.0)
    nq, nv = positions_in(handle), velocities_in(handle)
    position, velocity, torque, rate = vector_at(q, nq), vector_at(v, nv), vector_at(tau, nv), vector_at(out, nv)
    forces = table_at(external, pushed, EXTERNAL, 0.0)
    worst, closed.scratch[GAP, 0] = closed_dynamics(m, w, closed, position, velocity, torque, forces, rate)
    return worst


@inline
def dynamics_of(
    handle: int, loops: int, kernel: int, x: Any, tau: Any, external: int, pushed: int, out: Any
) -> tuple[float, float]:
    """`loop_dynamics` at the state x = (q, v), with the address of the external forces, and how many they are.

    Returns the least MARGIN and the largest gap.
    """
    q = x.ctypes.data
    v = q + positions_in(handle) * x.itemsize
    worst = call_kernel(kernel, handle, loops, q, v, tau.ctypes.data, external, pushed, out.ctypes.data)
    return worst, loops_at(loops, x).scratch[GAP, 0]


@entry
def pushed_closed_dynamics(
    handle: int, loops: int, kernel: int, x: Floats, tau: Floats, external: Table, out: Floats
) -> tuple[float, float]:
    """`loop_dynamics` at the state x = (q, v); returns the least MARGIN and the largest gap."""
    return dynamics_of(handle, loops, kernel, x, tau, external.ctypes.data, external.shape[0], out)


@entry
def quick_closed_dynamics(handle: int, loops: int, kernel: int, x: Floats, tau: Floats, out: Floats) -> float:
    """The same without external forces; NaN where tau has the wrong length or gaps, or where loops are open."""
    if tau.shape[0] != out.shape[0] or tau.strides[0] != out.strides[0]:
        return np.nan
    worst, gap = dynamics_of(handle, loops, kernel, x, tau, 0, 0, out)
    return worst if gap <= ASSEMBLED else np.nan


@entry
def acceleration_lack(handle: int, loops: int, x: Floats) -> float:
    """What the accelerations lack along the rows of loops, those that are left out too; after the dynamics at x."""
    closed = loops_at(loops, x)
    acceleration_gaps(model_at(handle), work_at(handle, x), closed)
    return largest_residual(closed)
