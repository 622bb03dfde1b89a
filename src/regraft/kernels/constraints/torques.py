"""The torques that loop joints have along their own freedom: motors, damping and limits."""

from __future__ import annotations

import math

from ...algebra.memory import load, store
from ...algebra.rotations import identity_pose
from ...algebra.scalars import Scalar, zero
from ...algebra.spatial import Frame, Vector, compose, invert, minus, plus_times, power, zero_spatial
from ...compilation import Floats, Table, entry, jit
from ...joints import joint_columns, joint_limit, joint_nearest, nearest_velocity, parameters
from ..kinematics import move_bodies, place_bodies
from ..passive import beyond, limit_push, pick
from ..tables import LIMIT_STIFFNESS, LOWER, TAU, UPPER, Model, Work, model_at, positions_in, work_at
from .delassus import spread
from .rows import in_frame, loop_frames, loop_twists, orthonormal_basis, pair_of
from .stages import loop_stage
from .tables import (
    DRIVE,
    DRIVEN,
    LIMITED_LOOP,
    LOOP_DAMPING,
    LOOP_KIND,
    LOOP_PAR,
    LOOP_TAU,
    LOOP_V,
    MEASURE,
    PATH,
    POSITION,
    SCREWS,
    UP_TO_TURNS,
    VELOCITY,
    Loops,
    loops_at,
)


@loop_stage
def drive(model: Model, work: Work, closed: Loops) -> None:
    """Add motors, damping and limits of the loop joints to what is left of the tree joints' torques; after `hold`, with VEL."""
    loops, scratch = closed.loops, closed.scratch
    for l in range(loops.shape[0]):
        if loops[l, DRIVEN]:
            X_c, apart = loop_torques(model, work, closed, l)
            force, back = pair_of(X_c, apart, load(scratch, DRIVE, 0, 6))
            spread(model, work, closed, l, force, back, closed.drive[0])
            for i in range(loops[l, PATH]):
                work.dof[closed.dofs[0, closed.path[l, i]], TAU] += closed.drive[0, i]


@jit
def loop_torques(model: Model, work: Work, closed: Loops, l: int) -> tuple[Frame, Vector]:
    """DRIVE = the wrench of the joint's own torques on its child, in the joint's frame there; returns what `pair_of` needs.

    Of all wrenches that do the same along the joint's freedom it is the least.
    """
    loops, numbers, limits, scratch = closed.loops, closed.numbers, closed.limits, closed.scratch
    X_p, X_c, apart = loop_frames(model, work, closed, l)
    V_c, V_p = loop_twists(work, closed, l, apart)
    kind, nv = loops[l, LOOP_KIND], loops[l, LOOP_V]
    q, v, tau = scratch[POSITION], scratch[VELOCITY], scratch[DRIVE]
    par = parameters(numbers, l, LOOP_PAR, scratch[0, 0])
    joint_nearest(kind, par, compose(invert(X_p), X_c), q, 0)
    nearest_velocity(kind, numbers[l : l + 1, LOOP_PAR:], q, in_frame(X_c, minus(V_c, V_p)), v[:nv], scratch)
    for d in range(nv):
        tau[d] = numbers[l, LOOP_TAU + d] - numbers[l, LOOP_DAMPING + d] * v[d]
    for row in range(closed.limited.shape[0]):
        if closed.limited[row, LIMITED_LOOP] == l:
            value, gradient = joint_limit(kind, q, 0, closed.limited[row, MEASURE])
            rate = zero(value)
            for c in range(min(nv, 3)):
                rate += pick(gradient, c) * v[c]
            push = limit_push(limits, row, between_bounds(closed, row, value), rate)
            for c in range(min(nv, 3)):
                tau[c] += push * pick(gradient, c)
    orthonormal_basis(kind, par, q, nv, scratch)
    joint_columns(kind, par, q, 0, identity_pose(par[0]), scratch, SCREWS + 6, 0)
    wrench = zero_spatial(par[0])
    for d in range(nv):
        column, basis = load(scratch, SCREWS + 6 + d, 0, 6), load(scratch, SCREWS + d, 0, 6)
        wrench = plus_times(wrench, (tau[d] - power(column, wrench)) / power(column, basis), basis)
    store(scratch, DRIVE, 0, wrench)
    return X_c, apart


@jit
def between_bounds(closed: Loops, row: int, value: Scalar) -> Scalar:
    """The measure of a limit; an angle from the whole turn that brings it between its bounds or nearest to them."""
    if closed.limited[row, UP_TO_TURNS]:
        middle, turn = 0.5 * (closed.limits[row, LOWER] + closed.limits[row, UPPER]), 2.0 * math.pi
        value += turn * math.floor((middle - value.real) / turn + 0.5)
    return value


@jit
def limit_energy(model: Model, work: Work, closed: Loops) -> Scalar:
    """The energy stored in the limits of loop joints, after `place_bodies`."""
    energy = zero(closed.scratch[0, 0])
    for row in range(closed.limited.shape[0]):
        l = closed.limited[row, LIMITED_LOOP]
        X_p, X_c, _ = loop_frames(model, work, closed, l)
        kind, q = closed.loops[l, LOOP_KIND], closed.scratch[POSITION]
        joint_nearest(kind, parameters(closed.numbers, l, LOOP_PAR, q[0]), compose(invert(X_p), X_c), q, 0)
        value, _ = joint_limit(kind, q, 0, closed.limited[row, MEASURE])
        above, below = beyond(closed.limits, row, between_bounds(closed, row, value))
        energy += 0.5 * closed.limits[row, LIMIT_STIFFNESS] * (above * above + below * below)
    return energy


@entry
def driving_wrenches(handle: int, loops: int, x: Floats, out: Table) -> None:
    """(loops, 6): the wrench of each loop joint's own torques, `loop_torques`."""
    m, w, closed, nq = model_at(handle), work_at(handle, x), loops_at(loops, x), positions_in(handle)
    place_bodies(m, w, x[:nq])
    move_bodies(m, w, x[:nq], x[nq:])
    for l in range(out.shape[0]):
        loop_torques(m, w, closed, l)
        store(out, l, 0, load(closed.scratch, DRIVE, 0, 6))
