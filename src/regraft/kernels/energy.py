"""Energy, momentum and centre of mass of the whole mechanism."""

from __future__ import annotations

from typing import Any

from ..algebra.memory import load, store
from ..algebra.scalars import Scalar, zero
from ..algebra.spatial import Vector, add, angular, cross, dot, linear, momentum_of, power, scale, zero_vector
from ..compilation import Floats, Table, entry, jit, long_entry
from .inertia import body_inertia
from .kinematics import frame, move_bodies, place_bodies
from .memory import model_at, positions_in, work_at
from .passive import passive_energy
from .tables import ARMATURE, ORIGIN, ROOT, VEL, KernelModel, R, Work
from .variants import own_gravity


@jit
def energy(model: KernelModel, work: Work, q: Any, v: Any) -> tuple[Scalar, Scalar]:
    """Kinetic energy ½ Σ V · I V + rotors and potential energy −Σ m g · c + springs + limits, after `move_bodies`.  O(n)."""
    walk, body = model.walk, work.body
    like = body[0, R]
    g = own_gravity(model, like)
    kinetic, potential = zero(like), zero(like)
    for k in range(walk.shape[0]):
        inertia, twist = body_inertia(model, k, frame(body, k)), load(body, k, VEL, 6)
        kinetic = kinetic + 0.5 * power(twist, momentum_of(inertia, twist))
        m, h, _ = inertia
        moment = add(h, scale(m, load(body, walk[k, ROOT], ORIGIN, 3)))
        potential = potential - dot(g, moment)
    if model.rotors > 0:
        for d in range(work.dof.shape[0]):
            kinetic = kinetic + 0.5 * model.settings[ARMATURE, d] * v[d] * v[d]
    return kinetic, potential + passive_energy(model, work, q, like)


@jit
def kinetic_energy(model: KernelModel, work: Work, v: Any) -> Scalar:
    """½ Σ V · I V + rotors alone, after `move_bodies`.  O(n)."""
    kinetic = zero(work.body[0, R])
    for k in range(model.walk.shape[0]):
        twist = load(work.body, k, VEL, 6)
        kinetic = kinetic + 0.5 * power(twist, momentum_of(body_inertia(model, k, frame(work.body, k)), twist))
    if model.rotors > 0:
        for d in range(work.dof.shape[0]):
            kinetic = kinetic + 0.5 * model.settings[ARMATURE, d] * v[d] * v[d]
    return kinetic


@jit
def momentum(model: KernelModel, work: Work) -> tuple[Vector, Vector, Vector, Scalar]:
    """Angular momentum about the world's origin, linear momentum, first moment Σ m c and mass, after `move_bodies`.  O(n).

    Those of bodies: rotors are inertia along their joints' own motion, and have no part in it.
    """
    walk, body = model.walk, work.body
    like = body[0, R]
    turning, moving, moment, mass = zero_vector(like), zero_vector(like), zero_vector(like), zero(like)
    for k in range(walk.shape[0]):
        inertia = body_inertia(model, k, frame(body, k))
        own = momentum_of(inertia, load(body, k, VEL, 6))
        origin = load(body, walk[k, ROOT], ORIGIN, 3)
        m, h, _ = inertia
        turning = add(turning, add(angular(own), cross(origin, linear(own))))
        moving = add(moving, linear(own))
        moment = add(moment, add(h, scale(m, origin)))
        mass = mass + m
    return turning, moving, moment, mass


@entry
def energy_at(handle: int, q: Floats, v: Floats) -> Any:
    """Kinetic and potential energy."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    move_bodies(model_at(handle), work_at(handle, q), q, v)
    return energy(model_at(handle), work_at(handle, q), q, v)


@entry
def momentum_at(handle: int, q: Floats, v: Floats) -> Any:
    """Angular and linear momentum, first moment and mass."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    move_bodies(model_at(handle), work_at(handle, q), q, v)
    return momentum(model_at(handle), work_at(handle, q))


@long_entry
def balance_of_many(handle: int, states: Table, out: Table) -> None:
    """Kinetic and potential energy, angular and linear momentum at each row of `states`: (rows, 8)."""
    m, w, nq = model_at(handle), work_at(handle, states), positions_in(handle)
    for i in range(states.shape[0]):
        q = states[i, :nq]
        place_bodies(m, w, q)
        move_bodies(m, w, q, states[i, nq:])
        store(out, i, 0, energy(m, w, q, states[i, nq:]))
        turning, moving, _, _ = momentum(m, w)
        store(out, i, 2, turning)
        store(out, i, 5, moving)
