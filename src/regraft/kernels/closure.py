"""What closed chains do: their dynamics, and how positions and velocities are made to fit their loops."""

from __future__ import annotations

from typing import Any

from .._jit import jit
from ..memory import store
from ..spatial import zero_spatial
from . import configuration, coupling
from .aba import accelerate, articulate, eliminate_joints
from .free_bodies import balance_links, eliminate_links
from .inertia import body_inertia, store_rigid
from .kinematics import frame, move_bodies, place_bodies, rising_world
from .layout import BIAS, TAU, F, Model, R, Work
from .loop_layout import MULTIPLIER, PIVOT, TOTAL, Loops
from .loop_torques import drive
from .loops import acceleration_gaps, hold, row_wrenches, velocity_gaps

ASSEMBLED = 1e-6
"""The gap of a loop, in metres and radians (or these per second), above which a state counts as not assembled."""

CLOSED = 1e-9
"""The gap of a loop, in metres and radians, below which it counts as closed."""

GAP_ENOUGH = 1e-15
"""The gap, in metres and radians, at which the search for closed loops ends, if it does not end at rounding before.

At a distance d from a singular position a gap ε bends the motion as ε / d³ does, so every digit helps to get past it.
"""

GAP_SMALL = 1e-12
"""The gap below which a step that does not make it smaller is rounding, and no shorter one is tried."""


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
    couple(model, work, closed)
    balance(model, work, closed)
    accelerate(model, work, rising_world(model, work.body[0, R]), out)
    for d in range(out.shape[0]):
        worst = worst + 0.0 * out[d]
    return worst, gap


@jit
def couple(model: Model, work: Work, closed: Loops) -> None:
    """Factorise J M⁻¹ Jᵀ, after `hold`: along the links where every body is free by itself, else within its band."""
    if closed.links.shape[0] > 0:
        eliminate_links(model, work, closed)
    else:
        coupling.couple(closed)


@jit
def balance(model: Model, work: Work, closed: Loops) -> None:
    """Solve for MULTIPLIER, and add the forces of all rows to what is left of the joints' torques; after `couple`."""
    if closed.links.shape[0] > 0:
        balance_links(model, work, closed)
    else:
        coupling.balance(work, closed)


@jit
def factorise(model: Model, work: Work, q: Any) -> float:
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
def close_positions(model: Model, work: Work, closed: Loops, q: Any, step: Any, best: Any, trials: int) -> float:
    """Move q, least in the metric of kinetic energy, until all loops are closed; returns the gap that is left.

    Damped Newton: a step that does not make the gap smaller is halved. The factors and rows are left as they are at q. `step` and
    `best` are scratch (nv,) and (nq,).
    """
    factorise(model, work, q)
    gap = hold(model, work, closed)
    for _ in range(trials):
        if not gap > GAP_ENOUGH:
            break
        couple(model, work, closed)
        balance(model, work, closed)
        accelerate(model, work, zero_spatial(work.body[0, R]), step)
        best[:] = q
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
            q[:] = best
            factorise(model, work, q)
            gap = hold(model, work, closed)
            break
        gap = found
    return gap


@jit
def close_state(model: Model, work: Work, closed: Loops, q: Any, v: Any, step: Any, best: Any) -> float:
    """Put a state back where all loops are closed, in position and in velocity; returns the gap in position that is left.

    Both moves are the least in the metric of kinetic energy, so the second takes energy and adds none.
    """
    gap = close_positions(model, work, closed, q, step, best, 20)
    correct_velocities(model, work, closed, q, v, step)
    return gap


@jit
def close_velocities(model: Model, work: Work, closed: Loops, q: Any, v: Any, step: Any) -> float:
    """Change v, least in the metric of kinetic energy, so that all loops stay closed; returns the gap that was there."""
    factorise(model, work, q)
    hold(model, work, closed)
    return correct_velocities(model, work, closed, q, v, step)


@jit
def correct_velocities(model: Model, work: Work, closed: Loops, q: Any, v: Any, step: Any) -> float:
    """`close_velocities` where joints are eliminated and loops held at q already."""
    body = work.body
    move_bodies(model, work, q, v)
    for k in range(model.walk.shape[0]):
        store(body, k, BIAS, zero_spatial(body[0, R]))
    for d in range(work.dof.shape[0]):
        work.dof[d, TAU] = 0.0
    gap = velocity_gaps(model, work, closed)
    couple(model, work, closed)
    balance(model, work, closed)
    accelerate(model, work, zero_spatial(body[0, R]), step)
    for d in range(v.shape[0]):
        v[d] += step[d]
    return gap


@jit
def take_hold(
    model: Model, work: Work, closed: Loops, q: Any, v: Any, step: Any, best: Any, out: Any
) -> tuple[float, float, int]:
    """Close loops that are as good as closed, and stop what they do not allow, as a plastic impact.

    Returns the gaps in position and velocity that were there, and how many rows follow from others, −1 where the result is not
    finite. Where the first is too large nothing is done. `out` gets the impulses, as `row_wrenches` gives them.
    """
    rows = closed.rows
    gap = close_positions(model, work, closed, q, step, best, 0)
    if not gap <= ASSEMBLED:
        return gap, 0.0, 0
    if gap > GAP_ENOUGH:
        close_positions(model, work, closed, q, step, best, 20)
    slip = correct_velocities(model, work, closed, q, v, step)
    for r in range(rows.shape[0]):
        rows[r, TOTAL] = rows[r, MULTIPLIER]
    correct_velocities(model, work, closed, q, v, step)  # takes away what rounding has left
    redundant = 0
    for r in range(rows.shape[0]):
        rows[r, MULTIPLIER] += rows[r, TOTAL]
        redundant += 0 if rows[r, PIVOT] > 0.0 else 1
    out[:] = 0.0
    row_wrenches(model, work, closed, out)
    nothing = 0.0
    for d in range(v.shape[0]):
        nothing += 0.0 * v[d]
    return gap, slip, redundant if nothing == 0.0 else -1
