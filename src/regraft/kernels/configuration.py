"""Moving on the manifold of positions: q ⊕ d, q1 ⊖ q0, and back onto it."""

from __future__ import annotations

from ..compilation import Floats, IntegerTable, Scalars, entry, stage
from ..joints import joint_difference, joint_integrate, joint_normalise, joint_rate, joint_tangent
from .tables import KIND, Q, V


@stage
def integrate(walk: IntegerTable, q: Scalars, step: Scalars, out: Scalars) -> None:
    """out = q ⊕ step, joint by joint; step is a tangent vector, a velocity times a time.  O(n)."""
    for k in range(walk.shape[0]):
        joint_integrate(walk[k, KIND], q, walk[k, Q], step, walk[k, V], out)


@stage
def tangent(walk: IntegerTable, step: Scalars, v: Scalars, out: Scalars) -> None:
    """out = the rate of the tangent vector `step` at which q ⊕ step moves at the velocity v, whatever q.  O(n)."""
    for d in range(out.shape[0]):
        out[d] = v[d]
    for k in range(walk.shape[0]):
        joint_tangent(walk[k, KIND], step, walk[k, V], v, out)


@stage
def difference(walk: IntegerTable, q1: Scalars, q0: Scalars, out: Scalars) -> None:
    """out = q1 ⊖ q0, the tangent vector with q0 ⊕ out = q1.  O(n)."""
    for k in range(walk.shape[0]):
        joint_difference(walk[k, KIND], q1, walk[k, Q], q0, walk[k, Q], out, walk[k, V])


@stage
def normalise(walk: IntegerTable, q: Scalars) -> None:
    """Put every joint's position back onto its manifold, in place.  O(n)."""
    for k in range(walk.shape[0]):
        joint_normalise(walk[k, KIND], q, walk[k, Q])


@entry
def integrate_position(walk: IntegerTable, q: Floats, step: Floats, out: Floats) -> None:
    """q ⊕ step."""
    integrate(walk, q, step, out)


@entry
def position_rate(walk: IntegerTable, q: Floats, v: Floats, out: Floats) -> None:
    """out = dq/dt at the velocity v, joint by joint.  O(n)."""
    for k in range(walk.shape[0]):
        joint_rate(walk[k, KIND], q, walk[k, Q], v, walk[k, V], out)


@entry
def position_difference(walk: IntegerTable, q1: Floats, q0: Floats, out: Floats) -> None:
    """q1 ⊖ q0."""
    difference(walk, q1, q0, out)


@entry
def normalise_position(walk: IntegerTable, q: Floats) -> None:
    """Back onto the manifold."""
    normalise(walk, q)
