"""Motors, damping, limits, springs and friction of loop-closure joints: torques along the directions in which one does move.

A cut joint has no coordinate in v, so its torque is replaced by a pair of wrenches on its two bodies that does the same work.
"""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import call_kernel, load, store
from ...algebra.scalars import Scalar, zero
from ...algebra.spatial import Transform, Vector, compose, invert, minus
from ...compilation import Floats, Table, entry, inline, jit
from ...joints import joint_nearest, nearest_velocity, parameters
from ..kinematics import move_bodies, place_bodies
from ..memory import loops_at, model_at, positions_in, work_at
from ..passive import limit_energy, limit_push, measured, pick, rub, wind
from ..tables import (
    COIL_REST,
    COILED,
    DOFS,
    JOINT_DAMPING,
    KIND,
    LIMITED,
    LOWER,
    PAR,
    TAU,
    TURNS,
    UP_TO_TURNS,
    UPPER,
    VEL,
    KernelModel,
    V,
    Work,
)
from .couplings import moved_pair
from .delassus import spread
from .rows import in_frame, least_wrench, loop_frames, loop_twists, pair_of
from .stages import loop_stage
from .tables import DRIVE, DRIVEN, FIRST_TERM, PATH, POSITION, RESISTS, SCREWS, SOFTNESS, TERM_JOINT, VELOCITY, Loops


@loop_stage
def drive(model: KernelModel, work: Work, closed: Loops) -> None:
    """Add motors and all that resists the loop joints to what is left of the tree joints' torques; after `hold`, with VEL."""
    for l in range(closed.loops.shape[0]):
        if closed.cuts[l, RESISTS] or closed.held[l, DRIVEN]:
            X_c, apart = loop_torques(model, work, closed, l)
            force, back = pair_of(X_c, apart, load(closed.scratch, DRIVE, 0, 6))
            spread(model, work, closed, l, force, back, closed.drive[0])
            for i in range(closed.cuts[l, PATH]):
                work.dof[closed.dofs[0, closed.path[l, i]], TAU] += closed.drive[0, i]


@jit
def loop_torques(model: KernelModel, work: Work, closed: Loops, l: int) -> tuple[Transform, Vector]:
    """DRIVE = the wrench of the joint's own torques on its child, in the joint's frame there; returns what `pair_of` needs.

    Of all wrenches that do the same work in the joint's own motions it is the least.
    """
    loops, scratch = closed.loops, closed.scratch
    X_p, X_c, apart = loop_frames(model, work, closed, l)
    V_c, V_p = loop_twists(work, closed, l, apart)
    kind, nv = loops[l, KIND], loops[l, DOFS]
    q, v, tau = scratch[POSITION], scratch[VELOCITY], scratch[DRIVE]
    par = parameters(closed.geometry, l, PAR, scratch[0, 0])
    joint_nearest(kind, par, compose(invert(X_p), X_c), q, 0)
    nearest_velocity(kind, closed.geometry[l : l + 1, PAR:], q, in_frame(X_c, minus(V_c, V_p)), v[:nv], scratch)
    torques_but_springs(model, closed, l, q, v, tau)
    if model.coil_rows.shape[0] > model.tree_coils:
        call_kernel(closed.coils_kernel, (closed.handle, l))
    store(scratch, DRIVE, 0, least_wrench(kind, par, q, nv, tau, scratch))
    return X_c, apart


@inline
def torques_but_springs(model: KernelModel, closed: Loops, l: int, q: Any, v: Any, tau: Any) -> None:
    """The torques of a loop joint's motor, damping, friction and limits at its position q and velocity v."""
    nv = closed.loops[l, DOFS]
    for d in range(nv):
        place = closed.loops[l, V] + d
        tau[d] = closed.motors[l, d] - model.settings[JOINT_DAMPING, place] * v[d] - rub(model, place, v[d])
    for row in range(model.tree_limits, model.limit_rows.shape[0]):
        if model.limit_rows[row, LIMITED] == model.walk.shape[0] + l:
            value, gradient = measured(model, row, q, 0)
            push = limit_push(model, row, between_bounds(model, row, value), gradient, v, 0)
            for c in range(min(nv, 3)):
                tau[c] += push * pick(gradient, c)


@jit
def between_bounds(model: KernelModel, row: int, value: Scalar) -> Scalar:
    """The number that a limit bounds; to an angle whole turns are added, so that it is between its bounds or nearest to them."""
    if model.limit_rows[row, UP_TO_TURNS]:
        middle, turn = 0.5 * (model.limits[row, LOWER] + model.limits[row, UPPER]), 2.0 * math.pi
        value += turn * math.floor((middle - value.real) / turn + 0.5)
    return value


@inline
def wind_loop(model: KernelModel, row: int, q: Any, way: Any, pull: Any) -> Scalar:
    """`wind` of a loop joint at the position q: the way of its spring, and the pull along it.

    Of an angle, which a pose gives up to whole turns, the one nearest to rest is taken. Returns the energy.
    """
    turn = 2.0 * math.pi
    for c in range(q.shape[0]):
        if (model.coil_rows[row, TURNS] >> c) & 1:
            q[c] += turn * math.floor((model.coils[row, COIL_REST + c] - q[c].real) / turn + 0.5)
    return wind(model, row, q, 0, way, 0, pull, 0)


@jit
def loop_energy(model: KernelModel, work: Work, closed: Loops) -> Scalar:
    """The energy stored in the limits and springs of loop joints, after `place_bodies`."""
    energy, q = zero(closed.scratch[0, 0]), closed.scratch[POSITION]
    for row in range(model.tree_limits, model.limit_rows.shape[0]):
        settle_at(model, work, closed, model.limit_rows[row, LIMITED] - model.walk.shape[0])
        value, _ = measured(model, row, q, 0)
        energy += limit_energy(model, row, between_bounds(model, row, value))
    for row in range(model.tree_coils, model.coil_rows.shape[0]):
        settle_at(model, work, closed, model.coil_rows[row, COILED] - model.walk.shape[0])
        energy += wind_loop(model, row, q, closed.scratch[SCREWS], closed.scratch[SCREWS + 1])
    return energy


@jit
def settle_at(model: KernelModel, work: Work, closed: Loops, l: int) -> None:
    """POSITION of a loop joint, the one nearest to how its bodies are."""
    X_p, X_c, _ = loop_frames(model, work, closed, l)
    par = parameters(closed.geometry, l, PAR, closed.scratch[0, 0])
    joint_nearest(closed.loops[l, KIND], par, compose(invert(X_p), X_c), closed.scratch[POSITION], 0)


@jit
def rotor_energy(model: KernelModel, work: Work, closed: Loops) -> Scalar:
    """The kinetic energy of the rotors of loop joints, ½ A θ̇²; after `hold`, with VEL."""
    energy = zero(closed.scratch[0, 0])
    for b in range(closed.hard, closed.cuts.shape[0]):
        i = closed.cuts[b, FIRST_TERM]
        speed = moved_pair(closed, i, closed.terms[i, TERM_JOINT] - model.walk.shape[0], work.body, VEL)
        energy += 0.5 * speed * speed / closed.term_numbers[i, SOFTNESS]
    return energy


@entry
def driving_wrenches(handle: int, x: Floats, out: Table) -> None:
    """(loops, 6): the wrench of each loop joint's own torques, `loop_torques`."""
    m, w, closed, nq = model_at(handle), work_at(handle, x), loops_at(handle, x), positions_in(handle)
    place_bodies(m, w, x[:nq])
    move_bodies(m, w, x[:nq], x[nq:])
    for l in range(out.shape[0]):
        loop_torques(m, w, closed, l)
        store(out, l, 0, load(closed.scratch, DRIVE, 0, 6))
