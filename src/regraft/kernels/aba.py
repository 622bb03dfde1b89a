"""Forward dynamics of trees: the articulated-body algorithm (Featherstone), in world axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import load, store, table_at
from ..algebra.scalars import Scalar, one, reciprocal, where_less
from ..algebra.spatial import (
    Motion,
    add_sizes,
    apply,
    articulated,
    combine,
    largest_response,
    minus,
    plus,
    plus_times,
    power,
    remove_direction,
    size_of,
    times,
    zero_spatial,
)
from ..compilation import Floats, Scalars, ScalarTable, Table, entry, expect, inline, jit
from ..tolerances import NO_INERTIA
from .inertia import body_inertia, carrying_force, load_rigid, store_rigid
from .kinematics import frame, move_bodies, parent_motion, place_bodies, rising_world
from .memory import model_at, positions_in, work_at
from .passive import external_force, joint_torques, spring_forces
from .stages import tree_stage
from .tables import (
    BIAS,
    END,
    EXTERNAL,
    HELD,
    LAST,
    LEAF,
    MARGIN,
    NOISE,
    PARENT,
    SIZE,
    TAU,
    VEL,
    A,
    D,
    F,
    I,
    KernelModel,
    R,
    S,
    U,
    V,
    Work,
)


@jit
def aba(model: KernelModel, work: Work, q: Any, v: Any, tau: Any, external: Any, out: Any) -> Scalar:
    """v̇ into out, with M(q) v̇ + c(q, v) = tau + passive and external forces.  O(n).

    A joint of several degrees of freedom is that many rank-1 updates, so no small matrix is inverted. Returns the least MARGIN:
    positive if every joint moves an inertia that is more than rounding, NaN if the result is not finite.
    """
    worst = articulate(model, work, q, v, tau, external)
    accelerate(model, work, rising_world(model, work.body[0, R]), out)
    for d in range(out.shape[0]):
        worst = worst + 0.0 * out[d]
    return worst


@inline
def articulate(model: KernelModel, work: Work, q: Any, v: Any, tau: Any, external: Any) -> Scalar:
    """All that accelerations are found from: the factors of M, and what is left of the joints' torques.  O(n)."""
    place_bodies(model, work, q)
    move_bodies(model, work, q, v)
    load_tree(model, work, q, v, tau, external)
    return eliminate_joints(model, work)


@tree_stage
def load_tree(model: KernelModel, work: Work, q: Scalars, v: Scalars, tau: Scalars, external: ScalarTable) -> None:
    """All forces: RIGID of each body and the force F that it needs to keep its velocity, TAU of each joint.  O(n)."""
    body = work.body
    for k in range(model.walk.shape[0]):
        X = frame(body, k)
        inertia = body_inertia(model, k, X)
        store_rigid(body, k, inertia)
        force = carrying_force(inertia, load(body, k, VEL, 6))
        store(body, k, F, minus(force, external_force(external, k, X)))
    joint_torques(model, work, q, v, tau)
    spring_forces(model, work)


@tree_stage
def eliminate_joints(model: KernelModel, work: Work) -> Scalar:
    """Leaves to roots: the inertia and force that each body shows to its parent through the joint.  O(n)."""
    walk, body, dof = model.walk, work.body, work.dof
    worst = one(body[0, R])
    for k in range(walk.shape[0] - 1, -1, -1):
        own = load_rigid(body, k)
        I_a, size = articulated(own), size_of(own)
        if not walk[k, LEAF]:
            I_a, size = combine(I_a, load(body, k, I, 21)), add_sizes(size, load(body, k, SIZE, 2))
        force = plus(load(body, k, F, 6), apply(I_a, load(body, k, BIAS, 6)))
        for d in range(walk[k, END] - 1, walk[k, V] - 1, -1):
            s = load(dof, d, S, 6)
            U_d = apply(I_a, s)
            response = power(s, U_d) + dof[d, HELD]
            noise = NO_INERTIA * largest_response(size, s)
            for removed in range(d + 1, walk[k, END]):  # taking out the joint's other directions has magnified their noise
                share = power(s, load(dof, removed, U, 6)) * dof[removed, D]
                noise = noise + share * share * dof[removed, NOISE]
            dof[d, NOISE] = noise
            margin = response - noise
            dof[d, MARGIN] = margin
            worst = where_less(worst, margin, worst, margin)
            inverse = reciprocal(response)
            left = dof[d, TAU] - power(s, force)
            store(dof, d, U, U_d)
            dof[d, D] = inverse
            dof[d, TAU] = left
            e = times(inverse, U_d)
            I_a = remove_direction(I_a, U_d, e)
            force = plus_times(force, left, e)
        parent = walk[k, PARENT]
        if parent >= 0:
            if not walk[k, LAST]:  # the last child comes first here, so there is nothing yet to add to
                I_a, size = combine(I_a, load(body, parent, I, 21)), add_sizes(size, load(body, parent, SIZE, 2))
            store(body, parent, I, I_a)
            store(body, parent, SIZE, size)
            store(body, parent, F, plus(load(body, parent, F, 6), force))
    return worst


@tree_stage
def accelerate(model: KernelModel, work: Work, of_world: Motion, out: Scalars) -> None:
    """Roots to leaves: with the parent's acceleration known, each joint follows.  O(n)."""
    walk, body, dof = model.walk, work.body, work.dof
    for k in range(walk.shape[0]):
        a = parent_motion(body, walk[k, PARENT], A, of_world)
        for d in range(walk[k, V], walk[k, END]):
            rate = (dof[d, TAU] - power(load(dof, d, U, 6), a)) * dof[d, D]
            out[d] = rate
            a = plus_times(a, rate, load(dof, d, S, 6))
        store(body, k, A, plus(a, load(body, k, BIAS, 6)))


@tree_stage
def factorise(model: KernelModel, work: Work, q: Scalars) -> float:
    """The factors U and D of M at q: the first passes of the articulated-body algorithm, without forces and velocities."""
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


@entry
def forward_dynamics(handle: int, x: Floats, tau: Floats, out: Floats) -> float:
    """`aba` without external forces at the state x = (q, v); NaN where tau has the wrong length or gaps."""
    if tau.shape[0] != out.shape[0] or tau.strides[0] != out.strides[0]:
        return np.nan
    nq = positions_in(handle)
    nothing = table_at(handle, 0, EXTERNAL, x)
    return aba(model_at(handle), work_at(handle, x), x[:nq], x[nq:], tau, nothing, out)


expect(forward_dynamics)  # by nearly everybody


@entry
def pushed_dynamics(handle: int, q: Floats, v: Floats, tau: Floats, external: Table, out: Floats) -> Any:
    """`aba` with external forces."""
    return aba(model_at(handle), work_at(handle, q), q, v, tau, external, out)
