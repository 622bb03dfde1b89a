"""The projection of positions and velocities onto the constraint manifold: closed loops, and J v = 0.

The dynamics of closed chains (`dynamics`) solves for the Lagrange multipliers with which accelerations keep the loops closed.
Integration still lets positions and velocities drift apart. So after each step they are projected back, by the least move in the
metric of kinetic energy, M⁻¹ Jᵀ λ with (J M⁻¹ Jᵀ) λ = what is missing. There is no Baumgarte stabilisation, and there are no
gains to tune. An impact in which loops take hold is the same projection of the velocity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.memory import call_kernel, clear, store, vector_at
from ...algebra.spatial import zero_spatial
from ...compilation import Floats, Scalars, Table, entry, inline, jit, long_entry
from ...tolerances import ASSEMBLED, BARELY_REDUNDANT, GAP_ENOUGH, GAP_SMALL, REDUNDANT
from .. import configuration
from ..aba import accelerate, factorise
from ..kinematics import move_bodies
from ..memory import loops_at, model_at, positions_in, velocities_in, work_at
from ..tables import BIAS, TAU, KernelModel, R, Work
from . import delassus as coupling
from .delassus import allow_all_rows, remember_rows, rows_held
from .rows import hold, residuals, row_wrenches, velocity_gaps
from .stages import loop_stage
from .tables import BALANCE, ELIMINATE, GAP, MULTIPLIER, REDUNDANT_BELOW, TOTAL, Loops
from .torques import loop_energy, rotor_energy


@loop_stage
def couple(model: KernelModel, _work: Work, closed: Loops, redundant: float) -> float:
    """Factorise the Delassus matrix J M⁻¹ Jᵀ, after `hold`: with `free_bodies` in maximal coordinates, else with `delassus`.

    Returns the least pivot relative to the largest SIZE_ALONE of its loop; 0 in maximal coordinates, where pivots do not show the
    digits that are lost to bodies with small moments of inertia.
    """
    if closed.links.shape[0] > 0:
        closed.scratch[GAP, REDUNDANT_BELOW] = redundant
        ask_links(model, closed, ELIMINATE)
        return 0.0
    return coupling.couple_band(closed, redundant)


@loop_stage
def balance(model: KernelModel, work: Work, closed: Loops) -> None:
    """Solve J M⁻¹ Jᵀ λ = RESIDUAL for MULTIPLIER, λ, and add the forces of all rows to the reduced torques; after `couple`."""
    if closed.links.shape[0] > 0:
        ask_links(model, closed, BALANCE)
    else:
        coupling.balance_band(work, closed)


@inline
def ask_links(model: KernelModel, closed: Loops, what: int) -> None:
    """Call `free_bodies` by its address, which is there in maximal coordinates only: others need not wait for its compilation."""
    call_kernel(closed.links_at, (model.handle, what))


@jit
def keep_multipliers(closed: Loops) -> None:
    """TOTAL = MULTIPLIER, before these are solved for again."""
    for r in range(closed.rows.shape[0]):
        closed.rows[r, TOTAL] = closed.rows[r, MULTIPLIER]


@jit
def add_multipliers(closed: Loops) -> None:
    """MULTIPLIER += TOTAL: the first solution and its correction together."""
    for r in range(closed.rows.shape[0]):
        closed.rows[r, MULTIPLIER] += closed.rows[r, TOTAL]


@loop_stage
def close_positions(
    model: KernelModel, work: Work, closed: Loops, q: Scalars, step: Scalars, best: Scalars, trials: int, redundant: float
) -> float:
    """Project q onto the positions in which all loops are closed; returns the gap that is left.

    Damped Newton with the least steps in the metric of kinetic energy, M⁻¹ Jᵀ λ; a step that does not make the gap smaller is
    halved. The factors of M and the rows of J are left as they are at the last q. `step` and `best` are scratch (nv,) and (nq,).
    """
    factorise(model, work, q)
    gap = hold(model, work, closed, q)
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
            found = hold(model, work, closed, q)
            if found < gap or gap < GAP_SMALL:
                break
            shrink = 0.5
        if not found < gap:
            copy(best, q)
            factorise(model, work, q)
            gap = hold(model, work, closed, q)
            break
        gap = found
    return gap


@inline
def copy(one: Any, other: Any) -> None:
    """Make a vector equal to another one."""
    for i in range(one.shape[0]):
        other[i] = one[i]


@jit
def close_velocities(model: KernelModel, work: Work, closed: Loops, q: Any, v: Any, step: Any) -> float:
    """Project v onto J v = 0, by the least change in the metric of kinetic energy; returns the gap that was there."""
    factorise(model, work, q)
    hold(model, work, closed, q)
    return correct_velocities(model, work, closed, q, v, step, REDUNDANT)


@loop_stage
def correct_velocities(
    model: KernelModel, work: Work, closed: Loops, q: Scalars, v: Scalars, step: Scalars, redundant: float
) -> float:
    """`close_velocities` after `factorise` and `hold` at q; with `redundant` = 0 also after `couple`, whose factors it uses."""
    body = work.body
    move_bodies(model, work, q, v)
    for k in range(model.walk.shape[0]):
        store(body, k, BIAS, zero_spatial(body[0, R]))
    for d in range(work.dof.shape[0]):
        work.dof[d, TAU] = 0.0
    gap = velocity_gaps(model, work, closed, v)
    if redundant > 0.0:
        couple(model, work, closed, redundant)
    balance(model, work, closed)
    accelerate(model, work, zero_spatial(body[0, R]), step)
    for d in range(v.shape[0]):
        v[d] += step[d]
    return gap


@jit
def close_again(model: KernelModel, work: Work, closed: Loops, q: Any, v: Any, step: Any, best: Any) -> tuple[float, bool]:
    """Project the end of a step onto closed loops, first the position, then the velocity; after `closed_dynamics` there.

    Returns the gap that is left, and whether the projection stopped a motion (an impact), not only the errors of the step.

    The projection of the velocity is the least in the metric of kinetic energy, so it takes energy and adds none. In some
    singular positions rows are redundant to first order only: a chain that is straight between two fixed points can be shaken,
    but not moved on. Such rows show when loops stay open without them, or when they were held before the loops were closed and
    no longer after. Then they are held too, by the bound BARELY_REDUNDANT; the velocity first, while they can be told apart.
    """
    held = rows_held(closed)
    gap = close_positions(model, work, closed, q, step, best, 20, REDUNDANT)
    allow_all_rows(closed)
    correct_velocities(model, work, closed, q, v, step, REDUNDANT)
    caught = gap > GAP_SMALL
    if rows_held(closed) < held:
        move_bodies(model, work, q, v)
        caught = caught or velocity_gaps(model, work, closed, v) > GAP_SMALL
    if caught:
        correct_velocities(model, work, closed, q, v, step, BARELY_REDUNDANT)
        gap = close_positions(model, work, closed, q, step, best, 20, BARELY_REDUNDANT)
        correct_velocities(model, work, closed, q, v, step, BARELY_REDUNDANT)
    else:
        remember_rows(closed)
    return gap, caught


@jit
def look_at_rows(model: KernelModel, work: Work, closed: Loops, q: Any) -> None:
    """How many rows are independent at a closed position q; see `remember_rows`."""
    factorise(model, work, q)
    hold(model, work, closed, q)
    allow_all_rows(closed)
    couple(model, work, closed, REDUNDANT)
    remember_rows(closed)


@jit
def take_hold(
    model: KernelModel, work: Work, closed: Loops, q: Any, v: Any, step: Any, best: Any, out: Any
) -> tuple[float, float, int]:
    """New loop joints take hold: close loops that are nearly closed, then project v onto J v = 0, a plastic impact.

    Returns the gaps in position and velocity that were there before, and how many rows are redundant, −1 where the result is not
    finite. Where the gap in position is too large nothing is done. `out` gets the impulses, as `row_wrenches` gives them.
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
    redundant = closed.hard_rows - rows_held(closed)
    clear(out)
    row_wrenches(model, work, closed, out)
    nothing = 0.0
    for d in range(v.shape[0]):
        nothing += 0.0 * v[d].real
    return gap, slip, redundant if nothing == 0.0 else -1


# --- what Python calls, and what `simulate` calls by address --------------------------------------------------------------

CLOSE_STATE, CLOSE_VELOCITIES, STEP_AGAIN = range(3)
"""What is to be closed after a step: a state, or velocities alone. STEP_AGAIN, which contacts alone are told: the step whose end
was closed is taken again, so what was noted there of its end is forgotten."""


@long_entry
def loop_closing(handle: int, q: int, v: int, step: int, best: int, result: int, what: int) -> float:
    """`close_with`."""
    return close_with(handle, q, v, step, best, result, what)


@inline
def close_with(handle: int, q: int, v: int, step: int, best: int, result: int, what: int) -> float:
    """`close_again` or `close_velocities`, with addresses of arrays; returns the gap.

    `step` and `best` are scratch (nv,) and (nq,). What else `close_again` returns goes to `result`, as 0 or 1.
    """
    m, w, closed = model_at(handle), work_at(handle, 0.0), loops_at(handle, 0.0)
    nq, nv = positions_in(handle), velocities_in(handle)
    position, velocity, change, kept = vector_at(q, nq), vector_at(v, nv), vector_at(step, nv), vector_at(best, nq)
    if what == CLOSE_VELOCITIES:
        return close_velocities(m, w, closed, position, velocity, change)
    gap, stopped = close_again(m, w, closed, position, velocity, change, kept)
    vector_at(result, 1)[0] = 1.0 if stopped else 0.0
    return gap


@entry
def closed_positions(handle: int, q: Floats, trials: int) -> float:
    """`close_positions` of q, in so many trials; returns the gap that is left."""
    step, best = np.empty(velocities_in(handle)), np.empty(q.shape[0])
    m, w, closed = model_at(handle), work_at(handle, q), loops_at(handle, q)
    return close_positions(m, w, closed, q, step, best, trials, REDUNDANT)


@entry
def closed_velocities(handle: int, q: Floats, v: Floats) -> float:
    """`close_velocities` of v; returns the gap that was there."""
    return close_velocities(model_at(handle), work_at(handle, q), loops_at(handle, q), q, v, np.empty(v.shape[0]))


@entry
def remembered_rows(handle: int, q: Floats) -> None:
    """`look_at_rows` at a closed position q."""
    look_at_rows(model_at(handle), work_at(handle, q), loops_at(handle, q), q)


@entry
def loops_take_hold(handle: int, x: Floats, out: Table) -> tuple[float, float, int]:
    """`take_hold` of x = (q, v), which is changed."""
    m, w, closed, nq = model_at(handle), work_at(handle, x), loops_at(handle, x), positions_in(handle)
    return take_hold(m, w, closed, x[:nq], x[nq:], np.empty(x.shape[0] - nq), np.empty(nq), out)


@long_entry
def loops_of_many(handle: int, states: Table, out: Table) -> None:
    """At each row of `states` the gaps of each loop in position and in velocity, and last the energies of loop joints.

    These are the kinetic energy of their rotors, and what their limits and springs store.
    """
    m, w, closed, nq = model_at(handle), work_at(handle, states), loops_at(handle, states), positions_in(handle)
    for i in range(states.shape[0]):
        factorise(m, w, states[i, :nq])
        move_bodies(m, w, states[i, :nq], states[i, nq:])
        hold(m, w, closed, states[i, :nq])
        residuals(closed, out[i], 0)
        velocity_gaps(m, w, closed, states[i, nq:])
        residuals(closed, out[i], 1)
        out[i, out.shape[1] - 2] = rotor_energy(m, w, closed)
        out[i, out.shape[1] - 1] = loop_energy(m, w, closed)
