"""Inverse dynamics of trees: the recursive Newton–Euler algorithm (Luh, Walker, Paul), in world axes."""

from __future__ import annotations

from typing import Any

from ..algebra.memory import load, store
from ..algebra.spatial import angular, cross, linear, minus, momentum_of, plus, plus_times, power, spatial, subtract, times
from ..compilation import Floats, Scalars, ScalarTable, Table, entry, inline, jit
from .inertia import body_inertia, carrying_force, store_rigid
from .kinematics import frame, joint_frame, move_bodies, parent_motion, place_bodies, rising_world
from .memory import model_at, work_at
from .passive import external_force, passive_torques, spring_forces
from .stages import tree_stage
from .tables import BIAS, END, PARENT, POLARITY, TAU, VEL, A, F, KernelModel, R, S, V, Work


@jit
def rnea(model: KernelModel, work: Work, q: Any, v: Any, a: Any, external: Any, tau: Any) -> None:
    """tau = M(q) a + c(q, v) − passive and external forces; F of each row is what its joint transmits.  O(n)."""
    place_bodies(model, work, q)
    move_bodies(model, work, q, v)
    need_forces(model, work, a, external)
    passive_torques(model, work, q, v, a)
    spring_forces(model, work)
    pass_forces(model, work, tau)


@tree_stage
def need_forces(model: KernelModel, work: Work, a: Scalars, external: ScalarTable) -> None:
    """A, RIGID, and F that each body needs by itself, from the roots to the leaves."""
    walk, body, dof = model.walk, work.body, work.dof
    for k in range(walk.shape[0]):
        rate = parent_motion(body, walk[k, PARENT], A, rising_world(model, body[k, R]))
        for d in range(walk[k, V], walk[k, END]):
            rate = plus_times(rate, a[d], load(dof, d, S, 6))
        rate = plus(rate, load(body, k, BIAS, 6))
        store(body, k, A, rate)
        X = frame(body, k)
        inertia = body_inertia(model, k, X)
        store_rigid(body, k, inertia)
        force = plus(momentum_of(inertia, rate), carrying_force(inertia, load(body, k, VEL, 6)))
        store(body, k, F, minus(force, external_force(external, k, X)))


@inline
def pass_forces(model: KernelModel, work: Work, tau: Any) -> None:
    """From the leaves to the roots: forces add up, and joints keep their share, which is tau less TAU."""
    walk, body, dof = model.walk, work.body, work.dof
    for k in range(walk.shape[0] - 1, -1, -1):
        force = load(body, k, F, 6)
        for d in range(walk[k, V], walk[k, END]):
            tau[d] = power(load(dof, d, S, 6), force) - dof[d, TAU]
        parent = walk[k, PARENT]
        if parent >= 0:
            store(body, parent, F, plus(load(body, parent, F, 6), force))


@jit
def reactions(model: KernelModel, work: Work, q: Any, out: Any) -> None:
    """out[k] = wrench that the joint of row k puts on its child, about the child's joint frame, after `rnea`.  O(n)."""
    for k in range(model.walk.shape[0]):
        wrench = times(model.walk[k, POLARITY], load(work.body, k, F, 6))
        at = joint_frame(model, work, q, k)[1]
        moment = subtract(angular(wrench), cross(at, linear(wrench)))
        store(out, k, 0, spatial(moment, linear(wrench)))


@entry
def inverse_dynamics(handle: int, q: Floats, v: Floats, a: Floats, external: Table, out: Floats) -> None:
    """`rnea`."""
    rnea(model_at(handle), work_at(handle, q), q, v, a, external, out)


@entry
def joint_reactions(handle: int, q: Floats, v: Floats, a: Floats, external: Table, tau: Floats, out: Table) -> None:
    """`rnea`, then `reactions`."""
    rnea(model_at(handle), work_at(handle, q), q, v, a, external, tau)
    reactions(model_at(handle), work_at(handle, q), q, out)
