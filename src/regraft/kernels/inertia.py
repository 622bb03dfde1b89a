"""The inertia of each body in world axes."""

from __future__ import annotations

from typing import Any

from ..algebra.memory import load, store
from ..algebra.spatial import (
    Force,
    Motion,
    RigidInertia,
    Transform,
    add,
    force_cross,
    momentum_of,
    rigid_inertia,
    rotate,
    turn_inertia,
)
from ..compilation import inline
from .tables import RIGID, KernelModel
from .variants import own_inertia


@inline
def body_inertia(model: KernelModel, k: int, X: Transform) -> RigidInertia:
    """The rigid-body inertia of row k, whose pose is X, about the tree's origin."""
    mass, centre, moments = own_inertia(model, k, X[1][0])
    return rigid_inertia(mass, add(X[1], rotate(X[0], centre)), turn_inertia(X[0], moments))


@inline
def carrying_force(inertia: RigidInertia, twist: Motion) -> Force:
    """V ×* (I V): the force that a body needs to keep its velocity V."""
    return force_cross(twist, momentum_of(inertia, twist))


@inline
def store_rigid(body: Any, k: int, inertia: RigidInertia) -> None:
    """Keep a rigid-body inertia in row k."""
    m, h, J = inertia
    store(body, k, RIGID, (m, h[0], h[1], h[2], J[0], J[1], J[2], J[3], J[4], J[5]))


@inline
def load_rigid(body: Any, k: int) -> RigidInertia:
    """The rigid-body inertia kept in row k."""
    c = load(body, k, RIGID, 10)
    return c[0], (c[1], c[2], c[3]), (c[4], c[5], c[6], c[7], c[8], c[9])
