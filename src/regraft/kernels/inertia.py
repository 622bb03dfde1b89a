"""The inertia of each body in world axes."""

from __future__ import annotations

from .._jit import inline
from ..memory import load
from ..scalars import lift
from ..spatial import Force, Frame, Motion, RigidInertia, add, force_cross, momentum_of, rigid_inertia, rotate, turn_inertia
from .layout import COM, MASS, MOMENTS, Model


@inline
def body_inertia(model: Model, k: int, X: Frame) -> RigidInertia:
    """The rigid-body inertia of row k, whose pose is X, about the tree's origin."""
    geometry = model.geometry
    com = add(X[1], rotate(X[0], load(geometry, k, COM, 3)))
    return rigid_inertia(lift(geometry[k, MASS], com[0]), com, turn_inertia(X[0], load(geometry, k, MOMENTS, 6)))


@inline
def carrying_force(inertia: RigidInertia, twist: Motion) -> Force:
    """V ×* (I V): the force that a body needs to keep its velocity V."""
    return force_cross(twist, momentum_of(inertia, twist))
