"""The coordinates (u, w) in which one step of an integrator is taken: how far from its start, and how fast, in the axes there.

Of most joints u is the tangent vector of `configuration`, with q = start ⊕ u, and w is the velocity v itself. A free body goes
along a straight line instead, and w has its linear velocity in the axes that the body has at the start; see `joints.free`.
"""

from __future__ import annotations

from typing import Any

from ..algebra.memory import table_at
from ..algebra.scalars import Scalar, zero
from ..compilation import IntegerTable, Scalars, inline, stage
from ..joints import joint_advance, joint_carry, joint_carry_back, joint_depart, joint_reach
from .tables import JOINTS, KIND, Q, V


@inline
def depart(walk: Any, start: Any, u: Any, w: Any, q: Any, v: Any) -> None:
    """(q, v): the state at (u, w), from the position `start` on.  O(n)."""
    at = start.ctypes.data, u.ctypes.data, w.ctypes.data, q.ctypes.data, v.ctypes.data
    _depart(walk.ctypes.data, walk.shape[0], q.shape[0], v.shape[0], at[0], at[1], at[2], at[3], at[4], zero(v[0]))


@stage
def _depart(
    walk_at: int, joints: int, nq: int, nv: int, start_at: int, u_at: int, w_at: int, q_at: int, v_at: int, like: Scalar
) -> None:
    """`depart`, with addresses: six arrays would be 44 arguments, which take as long as the arithmetic."""
    walk = table_at(walk_at, joints, JOINTS, nq)
    start, q = table_at(start_at, 1, nq, like)[0], table_at(q_at, 1, nq, like)[0]
    u, w, v = table_at(u_at, 1, nv, like)[0], table_at(w_at, 1, nv, like)[0], table_at(v_at, 1, nv, like)[0]
    for d in range(nv):
        v[d] = w[d]
    for k in range(joints):
        joint_depart(walk[k, KIND], start, walk[k, Q], u, walk[k, V], q)
        joint_carry_back(walk[k, KIND], u, walk[k, V], w, v)


@inline
def advance(walk: Any, u: Any, v: Any, rate: Any, out: Any) -> None:
    """out = the rate of u at the velocity v; `rate`, the acceleration, becomes the rate of w.  O(n)."""
    at = u.ctypes.data, v.ctypes.data, rate.ctypes.data, out.ctypes.data
    _advance(walk.ctypes.data, walk.shape[0], out.shape[0], at[0], at[1], at[2], at[3], zero(out[0]))


@stage
def _advance(walk_at: int, joints: int, nv: int, u_at: int, v_at: int, rate_at: int, out_at: int, like: Scalar) -> None:
    """`advance`, with addresses."""
    walk = table_at(walk_at, joints, JOINTS, nv)
    u, v = table_at(u_at, 1, nv, like)[0], table_at(v_at, 1, nv, like)[0]
    rate, out = table_at(rate_at, 1, nv, like)[0], table_at(out_at, 1, nv, like)[0]
    for d in range(nv):
        out[d] = v[d]
    for k in range(joints):
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
