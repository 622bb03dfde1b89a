"""The inertia of each body in world axes, and the acceleration that stands for gravity."""

from __future__ import annotations

from .._jit import inline
from ..memory import load
from ..scalars import Scalar, lift
from ..spatial import Motion, RigidInertia, add, rigid_inertia, rotate, spatial, turn_inertia, zero_vector
from .kinematics import frame
from .layout import COM, MASS, MOMENTS, Model, Work


@inline
def body_inertia(model: Model, work: Work, k: int) -> RigidInertia:
    """The rigid-body inertia of row k about the tree's origin."""
    geometry = model.geometry
    R_k, p_k = frame(work.body, k)
    com = add(p_k, rotate(R_k, load(geometry, k, COM, 3)))
    return rigid_inertia(lift(geometry[k, MASS], R_k[0]), com, turn_inertia(R_k, load(geometry, k, MOMENTS, 6)))


@inline
def standing_still(model: Model, like: Scalar) -> Motion:
    """The acceleration of a world that stands still in the field of gravity: it is as if it rose at −g."""
    g = model.gravity
    return spatial(zero_vector(like), (lift(-g[0], like), lift(-g[1], like), lift(-g[2], like)))
