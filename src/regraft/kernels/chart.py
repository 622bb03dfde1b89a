"""The coordinates (u, w) in which one step of an integrator is taken: how far from its start, and how fast, in the axes there.

Of most joints u is the tangent vector of `configuration`, with q = start ⊕ u, and w is the velocity v itself. A free body goes
along a straight line instead, and w has its linear velocity in the axes that the body has at the start; see `joints.free`.
"""

from __future__ import annotations

from ..compilation import IntegerTable, Scalars, stage
from ..joints import joint_advance, joint_carry, joint_carry_back, joint_depart, joint_reach
from .tables import KIND, Q, V


@stage
def depart(walk: IntegerTable, start: Scalars, u: Scalars, w: Scalars, q: Scalars, v: Scalars) -> None:
    """(q, v): the state at (u, w), from the position `start` on.  O(n)."""
    for d in range(v.shape[0]):
        v[d] = w[d]
    for k in range(walk.shape[0]):
        joint_depart(walk[k, KIND], start, walk[k, Q], u, walk[k, V], q)
        joint_carry_back(walk[k, KIND], u, walk[k, V], w, v)


@stage
def advance(walk: IntegerTable, u: Scalars, v: Scalars, rate: Scalars, out: Scalars) -> None:
    """out = the rate of u at the velocity v; `rate`, the acceleration, becomes the rate of w.  O(n)."""
    for d in range(out.shape[0]):
        out[d] = v[d]
    for k in range(walk.shape[0]):
        joint_advance(walk[k, KIND], u, walk[k, V], v, rate, out)


@stage
def carry(walk: IntegerTable, u: Scalars, v: Scalars, out: Scalars) -> None:
    """out = w of the velocity v at u.  O(n)."""
    for d in range(out.shape[0]):
        out[d] = v[d]
    for k in range(walk.shape[0]):
        joint_carry(walk[k, KIND], u, walk[k, V], v, out)


@stage
def carry_back(walk: IntegerTable, u: Scalars, w: Scalars, out: Scalars) -> None:
    """out = the velocity v, or acceleration, that is w in the axes of the start; may be w itself.  O(n)."""
    for d in range(out.shape[0]):
        out[d] = w[d]
    for k in range(walk.shape[0]):
        joint_carry_back(walk[k, KIND], u, walk[k, V], w, out)


@stage
def reach(walk: IntegerTable, q1: Scalars, q0: Scalars, out: Scalars) -> None:
    """out = the u that leads from q0 to q1.  O(n)."""
    for k in range(walk.shape[0]):
        joint_reach(walk[k, KIND], q1, walk[k, Q], q0, walk[k, Q], out, walk[k, V])
