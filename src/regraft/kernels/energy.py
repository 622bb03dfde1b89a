"""Energy, momentum and centre of mass of the whole mechanism."""

from __future__ import annotations

from typing import Any

from ..algebra.memory import load
from ..algebra.scalars import Scalar, zero
from ..algebra.spatial import Vector, add, angular, cross, dot, linear, momentum_of, power, scale, zero_vector
from ..compilation import jit
from .inertia import body_inertia
from .kinematics import frame
from .passive import passive_energy
from .tables import ORIGIN, ROOT, VEL, Model, R, Work


@jit
def energy(model: Model, work: Work, q: Any) -> tuple[Scalar, Scalar]:
    """Kinetic energy ½ Σ V · I V and potential energy −Σ m g · c + springs + limits, after `move_bodies`.  O(n)."""
    walk, body = model.walk, work.body
    g = load(model.gravity, 0, 0, 3)
    like = body[0, R]
    kinetic, potential = zero(like), zero(like)
    for k in range(walk.shape[0]):
        inertia, twist = body_inertia(model, k, frame(body, k)), load(body, k, VEL, 6)
        kinetic = kinetic + 0.5 * power(twist, momentum_of(inertia, twist))
        m, h, _ = inertia
        moment = add(h, scale(m, load(body, walk[k, ROOT], ORIGIN, 3)))
        potential = potential - dot(g, moment)
    return kinetic, potential + passive_energy(model, work, q, like)


@jit
def momentum(model: Model, work: Work) -> tuple[Vector, Vector, Vector, Scalar]:
    """Angular momentum about the world's origin, linear momentum, first moment Σ m c and mass, after `move_bodies`.  O(n)."""
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
