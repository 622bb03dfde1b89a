"""The equations of S3: the forces in the joints of a skeleton, the accelerations of its bodies, and the paper's step in time.

In the paper's expression for j2, in front of (5), the second block row has to begin with Z where it has L; (5) itself is right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite_number
from ..errors import ModelError
from ..tolerances import SKELETON_RANK
from .rotations import exponential, skew
from .skeleton import Skeleton
from .skeleton_state import SkeletonState, check_fit

Array = NDArray[np.float64]


class JointForces(NamedTuple):
    """What acts in the joints on their first bodies, and with the other sign on their second ones; in world coordinates.

    Attributes
    ----------
    c : (n, 3) array
        Force.
    d : (n, 3) array
        z × d is the torque that holds the axis; orthogonal to the axis, zero for a spherical joint.
    e : (n, 3) array
        Torque of friction and motor.
    """

    c: Array
    d: Array
    e: Array


def intrinsic_torques(skeleton: Skeleton, state: SkeletonState) -> Array:
    """(n, 3): e_j = −μ_j (R_j1 ω_j1 − R_j2 ω_j2) + β_j R_j1 z_j,j1, in world coordinates."""
    found = np.zeros((skeleton.n, 3))
    for j, (j1, j2) in enumerate(skeleton.E):
        turning = state.R[j1] @ state.w[j1] - state.R[j2] @ state.w[j2]
        found[j] = -skeleton.mu[j] * turning + skeleton.beta[j] * state.R[j1] @ skeleton.axis(j, j1)
    return found


def equations(skeleton: Skeleton, state: SkeletonState) -> tuple[Array, Array]:
    """The linear system (6), whose unknowns are c₁, d₁, c₂, d₂ and so on.

    Parameters
    ----------
    skeleton : Skeleton
        The bodies and joints.
    state : SkeletonState
        Their motion.

    Returns
    -------
    A : (6 n, 6 n) array
        Its matrix.
    b : (6 n,) array
        Its right-hand side.
    """
    check_fit(skeleton, state)
    n, e = skeleton.n, intrinsic_torques(skeleton, state)
    A, b = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    for j, (j1, j2) in enumerate(skeleton.E):
        rows = slice(6 * j, 6 * j + 6)
        b[rows] = _b(skeleton, state, e, j, j1) - _b(skeleton, state, e, j, j2)
        for k in range(n):
            A[rows, 6 * k : 6 * k + 6] = _A(skeleton, state, j, k, j1) - _A(skeleton, state, j, k, j2)
    return A, b


def _A(skeleton: Skeleton, state: SkeletonState, j: int, k: int, i: int) -> Array:
    """(5): A_{j,k,1} where i is the first body of joint j, A_{j,k,2} where it is the second one."""
    sigma = skeleton.sigma[k, i]
    if sigma == 0.0:
        return np.zeros((6, 6))
    R, I_inv = state.R[i], skeleton.inverse_inertias[i]
    RL, RZ = R @ skeleton.L(j, i), R @ skeleton.Z(j, i)
    LR, ZR = skeleton.L(k, i) @ R.T, skeleton.Z(k, i) @ R.T
    blocks = [
        [RL @ I_inv @ LR - np.eye(3) / skeleton.masses[i], RL @ I_inv @ ZR],
        [RZ @ I_inv @ LR, RZ @ I_inv @ ZR],
    ]
    return np.asarray(sigma * np.block(blocks))


def _b(skeleton: Skeleton, state: SkeletonState, e: Array, j: int, i: int) -> Array:
    """(5): b_{j,1} where i is the first body of joint j, b_{j,2} where it is the second one."""
    R, w, I, I_inv = state.R[i], state.w[i], skeleton.inertias[i], skeleton.inverse_inertias[i]
    Omega = skew(w)
    turning = I_inv @ (Omega @ I @ w - R.T @ (skeleton.sigma[:, i] @ e))  # the sum over k, taken out of the brackets
    location = R @ Omega @ Omega @ skeleton.location(j, i) + R @ skeleton.L(j, i) @ turning
    axis = R @ Omega @ Omega @ skeleton.axis(j, i) + R @ skeleton.Z(j, i) @ turning
    return np.concatenate([location, axis])


def joint_forces(skeleton: Skeleton, state: SkeletonState) -> JointForces:
    """The solution c, d of (6) by the pseudo-inverse, and e.

    Of the singular values the `rank` largest are kept. A tolerance cannot tell them from the rest: where the axes of a hinge have
    drifted apart by ε, a value that should vanish is of order ε², and its inverse would make torques that do not go to
    zero with ε.

    Parameters
    ----------
    skeleton : Skeleton
        The bodies and joints.
    state : SkeletonState
        Their motion.

    Returns
    -------
    JointForces

    Raises
    ------
    ModelError
        If the equations cannot be solved.
    """
    A, b = equations(skeleton, state)
    n, rank = skeleton.n, skeleton.rank
    U, values, Vt = np.linalg.svd(A)
    if n and values[rank - 1] <= SKELETON_RANK * values[0]:
        raise ModelError(
            f"the equations of the skeleton cannot be solved: their singular values go from {values[0]:.3g} down to "
            f"{values[rank - 1]:.3g}. Are the masses and moments of inertia of its bodies in the same units?"
        )
    found = (Vt[:rank].T @ ((U[:, :rank].T @ b) / values[:rank])).reshape(n, 2, 3)
    return JointForces(found[:, 0], found[:, 1], intrinsic_torques(skeleton, state))


def accelerations(skeleton: Skeleton, state: SkeletonState, forces: JointForces | None = None) -> tuple[Array, Array]:
    """The accelerations of the bodies by (4).

    Parameters
    ----------
    skeleton : Skeleton
        The bodies and joints.
    state : SkeletonState
        Their motion.
    forces : JointForces, optional
        Those of `joint_forces`, if they are there already.

    Returns
    -------
    a : (n + 1, 3) array
        Of the centres of mass, in world coordinates.
    w_dot : (n + 1, 3) array
        dω/dt, in object coordinates.
    """
    c, d, e = joint_forces(skeleton, state) if forces is None else forces
    a, w_dot = np.zeros_like(state.v), np.zeros_like(state.w)
    for i in range(skeleton.n + 1):
        R, w, I = state.R[i], state.w[i], skeleton.inertias[i]
        tau = np.zeros(3)
        for j in np.flatnonzero(skeleton.sigma[:, i]).tolist():
            sigma = skeleton.sigma[j, i]
            a[i] += sigma * c[j] / skeleton.masses[i]
            tau += sigma * (skeleton.L(j, i) @ R.T @ c[j] + skeleton.Z(j, i) @ R.T @ d[j] + R.T @ e[j])
        w_dot[i] = skeleton.inverse_inertias[i] @ (-skew(w) @ I @ w + tau)
    return a, w_dot


def step(skeleton: Skeleton, state: SkeletonState, h: float) -> SkeletonState:
    """One step of the paper's method: velocities first, then positions with the new velocities. First order.

    Parameters
    ----------
    skeleton : Skeleton
        The bodies and joints.
    state : SkeletonState
        Their motion before.
    h : float
        The time of the step, in seconds.

    Returns
    -------
    SkeletonState
        Their motion after.

    Raises
    ------
    ModelError
        If h is not positive.
    """
    duration = finite_number("step: h", h)
    if duration <= 0.0:
        raise ModelError(f"step: h must be positive, not {duration:g}.")
    a, w_dot = accelerations(skeleton, state)
    v = state.v + a * duration
    p = state.p + v * duration
    w = state.w + w_dot * duration
    R = np.array([state.R[i] @ exponential(w[i] * duration) for i in range(skeleton.n + 1)])
    return SkeletonState(p, R, v, w)
