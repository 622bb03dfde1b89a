"""How the positions and velocities of closed chains are made to fit their loops.

Their dynamics (`dynamics`) solves for Lagrange multipliers at the level of accelerations. What integration then lets drift is
taken out here by projection: after a step, positions and velocities are moved onto what the loops allow, by the least move in the
metric of kinetic energy. So there are no Baumgarte terms, and no gains to tune.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.memory import call_kernel, clear, store, table_at, vector_at
from ...algebra.spatial import zero_spatial
from ...compilation import Floats, Table, entry, inline, jit, long_entry
from .. import configuration
from ..aba import accelerate, factorise
from ..kinematics import move_bodies
from ..tables import BIAS, TAU, Model, R, Work, model_at, positions_in, velocities_in, work_at
from . import delassus as coupling
from .delassus import BARELY_REDUNDANT, REDUNDANT, allow_all_rows, remember_rows, rows_held
from .rows import hold, residuals, row_wrenches, velocity_gaps
from .stages import loop_stage
from .tables import BALANCE, ELIMINATE, GAP, MULTIPLIER, REDUNDANT_BELOW, TOTAL, Loops, loops_at
from .torques import limit_energy

ASSEMBLED = 1e-6
"""The gap of a loop, in metres and radians (or these per second), above which a state counts as not assembled."""

CLOSED = 1e-9
"""The gap of a loop, in metres and radians, below which it counts as closed."""

GAP_ENOUGH = 1e-15
"""The gap, in metres and radians, at which the search for closed loops ends, if it does not end at rounding before.

At a distance d from a singular position a gap ε bends the motion as ε / d³ does, so every digit helps to get past it.
"""

GAP_SMALL = 1e-12
"""The gap, in position or in velocity, below which all may be rounding, so that nothing more is tried against it."""


@loop_stage
def couple(model: Model, _work: Work, closed: Loops, redundant: float) -> float:
    """Factorise J M⁻¹ Jᵀ, after `hold`: along the links where every body is free by itself, else within its band.

    Returns the least pivot that was taken, as part of the largest SIZE_ALONE of its loop; 0 for links, whose pivots tell nothing
    of the digits that bodies with small moments of inertia cost.
    """
    if closed.links.shape[0] > 0:
        closed.scratch[GAP, REDUNDANT_BELOW] = redundant
        ask_links(model, closed, ELIMINATE)
        return 0.0
    return coupling.couple(closed, redundant)


@loop_stage
def balance(model: Model, work: Work, closed: Loops) -> None:
    """Solve for MULTIPLIER, and add the forces of all rows to what is left of the joints' torques; after `couple`."""
    if closed.links.shape[0] > 0:
        ask_links(model, closed, BALANCE)
    else:
        coupling.balance(work, closed)


@inline
def ask_links(model: Model, closed: Loops, what: int) -> None:
    """Let the kernel of free bodies do something. Its address is there where bodies are free, for only then is it compiled."""
    call_kernel(closed.links_at, model.handle, closed.handle, what, 0, 0, 0, 0, 0)


@jit
def keep_multipliers(closed: Loops) -> None:
    """TOTAL = MULTIPLIER, before these are solved for again."""
    for r in range(closed.rows.shape[0]):
        closed.rows[r, TOTAL] = closed.rows[r, MULTIPLIER]


@jit
def add_multipliers(closed: Loops) -> None:
    """Add what was there before to what was found the second time."""
    for r in range(closed.rows.shape[0]):
        closed.rows[r, MULTIPLIER] += closed.rows[r, TOTAL]


@jit
def close_positions(
    model: Model, work: Work, closed: Loops, q: Any, step: Any, best: Any, trials: int, redundant: float
) -> float:
    """Move q, least in the metric of kinetic energy, until all loops are closed; returns the gap that is left.

    Damped Newton: a step that does not make the gap smaller is halved. The factors and rows are left as they are at q. `step` and
    `best` are scratch (nv,) and (nq,).
    """
    factorise(model, work, q)
    gap = hold(model, work, closed)
    for _ in range(trials):
        if not gap > GAP_ENOUGH:
            break
        couple(model, work, closed, redundant)
        balance(model, work, closed)
        accelerate(model, work, zero_spatial(work.body[0, R]), step)
        copy(q, best)
        shrink, found = 1.0, gap
        for _halving in range(12):
            for d in range(step.shape[0]):
                step[d] *= shrink
            configuration.integrate(model.walk, best, step, q)
            factorise(model, work, q)
            found = hold(model, work, closed)
            if found < gap or gap < GAP_SMALL:
                break
            shrink = 0.5
        if not found < gap:
            copy(best, q)
            factorise(model, work, q)
            gap = hold(model, work, closed)
            break
        gap = found
    return gap


@inline
def copy(one: Any, other: Any) -> None:
    """Make a vector equal to another one."""
    for i in range(one.shape[0]):
        other[i] = one[i]


@jit
def close_velocities(model: Model, work: Work, closed: Loops, q: Any, v: Any, step: Any) -> float:
    """Change v, least in the metric of kinetic energy, so that all loops stay closed; returns the gap that was there."""
    factorise(model, work, q)
    hold(model, work, closed)
    return correct_velocities(model, work, closed, q, v, step, REDUNDANT)


@jit
def correct_velocities(model: Model, work: Work, closed: Loops, q: Any, v: Any, step: Any, redundant: float) -> float:
    """`close_velocities` where joints are eliminated and loops held at q already, with `redundant` = 0 also coupled."""
    body = work.body
    move_bodies(model, work, q, v)
    for k in range(model.walk.shape[0]):
        store(body, k, BIAS, zero_spatial(body[0, R]))
    for d in range(work.dof.shape[0]):
        work.dof[d, TAU] = 0.0
    gap = velocity_gaps(model, work, closed)
    if redundant > 0.0:
        couple(model, work, closed, redundant)
    balance(model, work, closed)
    accelerate(model, work, zero_spatial(body[0, R]), step)
    for d in range(v.shape[0]):
        v[d] += step[d]
    return gap


@jit
def close_again(model: Model, work: Work, closed: Loops, q: Any, v: Any, step: Any, best: Any) -> tuple[float, bool]:
    """Close the loops at the end of a step, in position and in velocity, after `closed_dynamics` there.

    Returns the gap that is left, and whether more was stopped than the errors of the step.

    Both moves are the least in the metric of kinetic energy, so the second takes energy and adds none. In some singular positions
    rows are redundant at first sight only: the loops can be moved there, but not far, as a straight rod that is held at both ends
    can be shaken. Such rows show when the loops stay open without them, or when they have held the loops until these were closed.
    Then they are held as far as rounding lets them be told from others; the velocity first, while they are there.
    """
    held = rows_held(closed)
    gap = close_positions(model, work, closed, q, step, best, 20, REDUNDANT)
    allow_all_rows(closed)
    correct_velocities(model, work, closed, q, v, step, REDUNDANT)
    caught = gap > GAP_SMALL
    if rows_held(closed) < held:
        move_bodies(model, work, q, v)
        caught = caught or velocity_gaps(model, work, closed) > GAP_SMALL
    if caught:
        correct_velocities(model, work, closed, q, v, step, BARELY_REDUNDANT)
        gap = close_positions(model, work, closed, q, step, best, 20, BARELY_REDUNDANT)
        correct_velocities(model, work, closed, q, v, step, BARELY_REDUNDANT)
    else:
        remember_rows(closed)
    return gap, caught


@jit
def look_at_rows(model: Model, work: Work, closed: Loops, q: Any) -> None:
    """`remember_rows` at a closed position q."""
    factorise(model, work, q)
    hold(model, work, closed)
    allow_all_rows(closed)
    couple(model, work, closed, REDUNDANT)
    remember_rows(closed)


@jit
def take_hold(
    model: Model, work: Work, closed: Loops, q: Any, v: Any, step: Any, best: Any, out: Any
) -> tuple[float, float, int]:
    """Close loops that are as good as closed, and stop what they do not allow, as a plastic impact.

    Returns the gaps in position and velocity that were there, and how many rows follow from others, −1 where the result is not
    finite. Where the first is too large nothing is done. `out` gets the impulses, as `row_wrenches` gives them.
    """
    gap = close_positions(model, work, closed, q, step, best, 0, REDUNDANT)
    if not gap <= ASSEMBLED:
        return gap, 0.0, 0
    if gap > GAP_SMALL:
        close_positions(model, work, closed, q, step, best, 20, REDUNDANT)
    slip = correct_velocities(model, work, closed, q, v, step, REDUNDANT)
    keep_multipliers(closed)
    correct_velocities(model, work, closed, q, v, step, 0.0)  # takes away what rounding has left
    add_multipliers(closed)
    redundant = closed.rows.shape[0] - rows_held(closed)
    clear(out)
    row_wrenches(model, work, closed, out)
    nothing = 0.0
    for d in range(v.shape[0]):
        nothing += 0.0 * v[d].real
    return gap, slip, redundant if nothing == 0.0 else -1


LOOK_AT_ROWS, TAKE_HOLD, CLOSE_VELOCITIES, CLOSE_STATE = -4, -3, -2, -1
"""What `loop_closing` does, other than `close_positions` in so many trials as it is told."""


@long_entry
def loop_closing(handle: int, loops: int, q: int, v: int, step: int, best: int, results: int, what: int) -> float:
    """All that moves positions and velocities to where loops are closed, with addresses of arrays; returns the gap.

    `step` and `best` are scratch (nv,) and (nq,). What else `take_hold` returns goes to `results`, the impulses last; what
    `close_again` does, as 0 or 1.
    """
    m, w, closed = model_at(handle), work_at(handle, 0.0), loops_at(loops, 0.0)
    nq, nv = positions_in(handle), velocities_in(handle)
    position, velocity, change, kept = vector_at(q, nq), vector_at(v, nv), vector_at(step, nv), vector_at(best, nq)
    if what == TAKE_HOLD:
        found, impulses = vector_at(results, 2), table_at(results + 2 * velocity.itemsize, closed.loops.shape[0], 6, 0.0)
        gap, found[0], found[1] = take_hold(m, w, closed, position, velocity, change, kept, impulses)
        return gap
    if what == LOOK_AT_ROWS:
        look_at_rows(m, w, closed, position)
        return 0.0
    if what == CLOSE_VELOCITIES:
        return close_velocities(m, w, closed, position, velocity, change)
    if what == CLOSE_STATE:
        gap, stopped = close_again(m, w, closed, position, velocity, change, kept)
        vector_at(results, 1)[0] = 1.0 if stopped else 0.0
        return gap
    return close_positions(m, w, closed, position, change, kept, what, REDUNDANT)


@entry
def close(handle: int, loops: int, kernel: int, q: Floats, v: Floats, what: int) -> float:
    """`loop_closing` of q and v."""
    step, best = np.empty(v.shape[0]), np.empty(q.shape[0])
    return call_kernel(kernel, handle, loops, q.ctypes.data, v.ctypes.data, step.ctypes.data, best.ctypes.data, 0, what)


@entry
def loops_take_hold(handle: int, loops: int, kernel: int, x: Floats, results: Floats) -> float:
    """`loop_closing` of x = (q, v), which is changed; `results` (2 + 6 loops,) gets what else `take_hold` returns."""
    nq, q = positions_in(handle), x.ctypes.data
    step, best = np.empty(x.shape[0] - nq), np.empty(nq)
    v, at = q + nq * x.itemsize, results.ctypes.data
    return call_kernel(kernel, handle, loops, q, v, step.ctypes.data, best.ctypes.data, at, TAKE_HOLD)


@long_entry
def loops_of_many(handle: int, loops: int, states: Table, out: Table) -> None:
    """At each row of `states` the gaps of each loop in position and in velocity, and last the energy in limits of loop joints."""
    m, w, closed, nq = model_at(handle), work_at(handle, states), loops_at(loops, states), positions_in(handle)
    for i in range(states.shape[0]):
        factorise(m, w, states[i, :nq])
        move_bodies(m, w, states[i, :nq], states[i, nq:])
        hold(m, w, closed)
        residuals(closed, out[i], 0)
        velocity_gaps(m, w, closed)
        residuals(closed, out[i], 1)
        out[i, out.shape[1] - 1] = limit_energy(m, w, closed)
