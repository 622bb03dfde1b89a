"""What closed chains do: their dynamics, and how positions and velocities are made to fit their loops.

The dynamics solves for Lagrange multipliers at the level of accelerations. What integration then lets drift is taken out by
projection: after a step, positions and velocities are moved onto what the loops allow, by the least move in the metric of kinetic
energy. So there are no Baumgarte terms, and no gains to tune.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import call_kernel, clear, store
from ...algebra.spatial import zero_spatial
from ...compilation import Scalars, inline, jit
from .. import configuration
from ..aba import accelerate, articulate, eliminate_joints
from ..inertia import body_inertia, store_rigid
from ..kinematics import frame, move_bodies, place_bodies, rising_world
from ..stages import tree_stage
from ..tables import BIAS, TAU, F, Model, R, Work
from . import delassus as coupling
from .delassus import BARELY_REDUNDANT, REDUNDANT, allow_all_rows, largest_residual, remember_rows, rows_held
from .rows import acceleration_gaps, hold, row_wrenches, velocity_gaps
from .stages import loop_stage
from .tables import BALANCE, ELIMINATE, GAP, MULTIPLIER, REDUNDANT_BELOW, TAKE_BACK, TOTAL, Loops
from .torques import drive

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
def take_back(model: Model, work: Work, closed: Loops) -> None:
    """Take the forces of all rows out of what is left of the joints' torques."""
    if closed.links.shape[0] > 0:
        ask_links(model, closed, TAKE_BACK)
    else:
        coupling.push(work, closed, -1.0)


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
def keep_multipliers(closed: Loops) -> None:
    """TOTAL = MULTIPLIER, before these are solved for again."""
    for r in range(closed.rows.shape[0]):
        closed.rows[r, TOTAL] = closed.rows[r, MULTIPLIER]


@jit
def add_multipliers(closed: Loops) -> None:
    """Add what was there before to what was found the second time."""
    for r in range(closed.rows.shape[0]):
        closed.rows[r, MULTIPLIER] += closed.rows[r, TOTAL]


@tree_stage
def factorise(model: Model, work: Work, q: Scalars) -> float:
    """Place the bodies and eliminate the joints without any force or velocity: U and D of every degree of freedom."""
    body, dof = work.body, work.dof
    nothing = zero_spatial(body[0, R])
    place_bodies(model, work, q)
    for k in range(model.walk.shape[0]):
        store_rigid(body, k, body_inertia(model, k, frame(body, k)))
        store(body, k, F, nothing)
        store(body, k, BIAS, nothing)
    for d in range(dof.shape[0]):
        dof[d, TAU] = 0.0
    return eliminate_joints(model, work)


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
