"""S3 as it is written: skeletons of hinges and spherical joints, dense and readable, to compare faster methods with.

Indices count from 0, the paper's from 1. In the paper's expression for j2, in front of (5), the second block row has to begin
with Z where it has L; (5) itself is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import ORTHONORMAL, finite, real_numbers
from ..ask.balance import Energy, Momentum
from ..describe.inertia import Inertia
from ..errors import ModelError
from .invertible import check_invertible

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

RANK = 1e-12
"""A singular value of (6) that should not vanish has to be above this part of the largest."""

UNIT = 1e-9
"""How far the length of a hinge's axis may be from 1."""


@dataclass(frozen=True, init=False, eq=False)
class Skeleton:
    """A tree of n + 1 rigid bodies and n joints. The origin of a body's object coordinates is its centre of mass. Immutable.

    Parameters
    ----------
    E : (n, 2) array_like of int
        The two bodies of each joint.
    masses : (n + 1,) array_like
        In kg.
    inertias : (n + 1, 3, 3) array_like
        Moments of inertia about the centre of mass, in object coordinates.
    l : (n, 2, 3) array_like
        Where each joint is on its two bodies, in their object coordinates.
    z : (n, 2, 3) array_like
        The unit axis of each hinge on its two bodies, in their object coordinates; zero for a spherical joint.
    mu : (n,) array_like, optional
        Friction, N m s.
    beta : (n,) array_like, optional
        The torque of each hinge's motor, N m: on the first body about the axis, on the second one against it.
    bodies, joints : sequence of str, optional
        Their names.

    Raises
    ------
    ModelError
        If the joints make no tree, or a number is not that of a body or a joint.

    Examples
    --------
    The paper's example, with a hinge and a spherical joint:

    >>> import numpy as np
    >>> from regraft.maximal import Skeleton
    >>> ends, axis, none = [(0.5, 0, 0), (-0.5, 0, 0)], (0, 0, 1), (0, 0, 0)
    >>> skeleton = Skeleton(
    ...     E=[(0, 1), (1, 2)], masses=[1, 1, 1], inertias=[np.eye(3)] * 3, l=[ends, ends], z=[(axis, axis), (none, none)]
    ... )
    >>> skeleton.sigma.tolist()
    [[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]]
    >>> skeleton.rank
    8
    """

    E: Integers
    masses: Array
    inertias: Array
    l: Array
    z: Array
    mu: Array
    beta: Array
    bodies: tuple[str, ...]
    joints: tuple[str, ...]

    def __init__(
        self,
        E: ArrayLike,
        masses: ArrayLike,
        inertias: ArrayLike,
        l: ArrayLike,
        z: ArrayLike,
        mu: ArrayLike | None = None,
        beta: ArrayLike | None = None,
        bodies: Sequence[str] | None = None,
        joints: Sequence[str] | None = None,
    ) -> None:
        edges = _edges(E)
        n = len(edges)
        values = {
            "E": edges,
            "masses": finite("Skeleton: masses", masses, (n + 1,)),
            "inertias": finite("Skeleton: inertias", inertias, (n + 1, 3, 3)),
            "l": finite("Skeleton: l", l, (n, 2, 3)),
            "z": finite("Skeleton: z", z, (n, 2, 3)),
            "mu": np.zeros(n) if mu is None else finite("Skeleton: mu", mu, (n,)),
            "beta": np.zeros(n) if beta is None else finite("Skeleton: beta", beta, (n,)),
        }
        for name, value in values.items():
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        object.__setattr__(self, "bodies", _names("bodies", "body", bodies, n + 1))
        object.__setattr__(self, "joints", _names("joints", "joint", joints, n))
        self._check_bodies()
        self._check_joints()
        self._check_tree()

    @property
    def n(self) -> int:
        """How many joints there are: one less than bodies."""
        return len(self.E)

    @cached_property
    def sigma(self) -> Array:
        """(n, n + 1): +1 where a body is the first one of a joint, −1 where it is the second one."""
        found = np.zeros((self.n, self.n + 1))
        for j, (first, second) in enumerate(self.E):
            found[j, first], found[j, second] = 1.0, -1.0
        found.flags.writeable = False
        return found

    @cached_property
    def inverse_inertias(self) -> Array:
        """(n + 1, 3, 3): I⁻¹ of each body."""
        found = np.asarray(np.linalg.inv(self.inertias), float)
        found.flags.writeable = False
        return found

    @cached_property
    def hinges(self) -> NDArray[np.bool_]:
        """(n,): which joints have an axis; the others are spherical."""
        return np.asarray(self.z.any(axis=(1, 2)))

    @property
    def rank(self) -> int:
        """The rank of (6): 5 for each hinge, 3 for each spherical joint."""
        return 3 * self.n + 2 * int(self.hinges.sum())

    def location(self, j: int, i: int) -> Array:
        """l_{j,i}: where joint j is on body i.

        Parameters
        ----------
        j, i : int
            The numbers of the joint and of the body.

        Returns
        -------
        (3,) array
            Zero where the joint does not belong to the body.
        """
        return self._of(self.l, j, i)

    def axis(self, j: int, i: int) -> Array:
        """z_{j,i}: the axis of joint j on body i.

        Parameters
        ----------
        j, i : int
            The numbers of the joint and of the body.

        Returns
        -------
        (3,) array
            Zero where the joint is spherical or does not belong to the body.
        """
        return self._of(self.z, j, i)

    def L(self, j: int, i: int) -> Array:
        """The skew matrix of `location`.

        Parameters
        ----------
        j, i : int
            The numbers of the joint and of the body.

        Returns
        -------
        (3, 3) array
        """
        return skew(self.location(j, i))

    def Z(self, j: int, i: int) -> Array:
        """The skew matrix of `axis`.

        Parameters
        ----------
        j, i : int
            The numbers of the joint and of the body.

        Returns
        -------
        (3, 3) array
        """
        return skew(self.axis(j, i))

    def _of(self, table: Array, j: int, i: int) -> Array:
        for side in (0, 1):
            if self.E[j, side] == i:
                found: Array = table[j, side]
                return found
        return np.zeros(3)

    def _check_bodies(self) -> None:
        for name, mass, tensor in zip(self.bodies, self.masses, self.inertias, strict=True):
            try:
                inertia = Inertia(mass, tensor=tensor if mass != 0.0 else None)
            except ModelError as problem:
                raise ModelError(f"body {name!r}: {problem}") from None
            check_invertible(name, inertia)

    def _check_joints(self) -> None:
        for name, mu, beta, lengths in zip(self.joints, self.mu, self.beta, np.linalg.norm(self.z, axis=2), strict=True):
            if (lengths == 0.0).all():
                if beta != 0.0:
                    raise ModelError(f"joint {name!r} is spherical: beta must be 0, as a motor needs the axis of a hinge.")
            elif (np.abs(lengths - 1.0) > UNIT).any():
                raise ModelError(
                    f"joint {name!r}: its axes z have the lengths {lengths[0]:.6g} and {lengths[1]:.6g}; "
                    "a hinge has a unit axis on both bodies, a spherical joint zero on both."
                )
            if mu < 0.0:
                raise ModelError(f"joint {name!r}: the friction mu must not be negative, not {mu:g}.")

    def _check_tree(self) -> None:
        """With one joint less than bodies, the bodies are connected if no joint closes a cycle."""
        part = np.arange(self.n + 1)
        for name, ends in zip(self.joints, self.E, strict=True):
            if ends.min() < 0 or ends.max() > self.n:
                raise ModelError(f"joint {name!r}: E has {ends.tolist()}; the {self.n + 1} bodies are numbered 0 to {self.n}.")
            first, second = part[ends]
            if first == second:
                between = " and ".join(repr(self.bodies[i]) for i in ends)
                raise ModelError(f"E is no tree: joint {name!r}, between {between}, closes a loop; leave it out.")
            part[part == second] = first


@dataclass(frozen=True, init=False, eq=False)
class SkeletonState:
    """Where the bodies of a skeleton are, and how they move. Immutable.

    The joints are closed where (1) and (2) hold; `gaps` says how far they are from that.

    Parameters
    ----------
    p : (n + 1, 3) array_like
        Centres of mass in the world.
    R : (n + 1, 3, 3) array_like
        Orientations, from object coordinates to those of the world.
    v : (n + 1, 3) array_like
        Velocities of the centres of mass in the world.
    w : (n + 1, 3) array_like
        Angular velocities ω, in object coordinates.

    Raises
    ------
    ModelError
        If an R is no rotation, or a number is not finite.
    """

    p: Array
    R: Array
    v: Array
    w: Array

    def __init__(self, p: ArrayLike, R: ArrayLike, v: ArrayLike, w: ArrayLike) -> None:
        count = len(np.atleast_1d(real_numbers("SkeletonState: p", p)))
        shapes = {"p": (p, (count, 3)), "R": (R, (count, 3, 3)), "v": (v, (count, 3)), "w": (w, (count, 3))}
        for name, (given, shape) in shapes.items():
            value = finite(f"SkeletonState: {name}", given, shape)
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        off = np.abs(self.R.transpose(0, 2, 1) @ self.R - np.eye(3)).max(axis=(1, 2), initial=0.0)
        for i in range(count):
            if off[i] > ORTHONORMAL or np.linalg.det(self.R[i]) < 0.0:
                raise ModelError(
                    f"SkeletonState: R of body number {i} is no rotation; it must be orthonormal, with determinant 1."
                )


class Gaps(NamedTuple):
    """How far the joints are from (1) and (2): first body less second one, in world coordinates; made by `gaps`.

    Attributes
    ----------
    location, axis : (n, 3) array
        Between the places of the joint, and between its axes, on the two bodies.
    location_rate, axis_rate : (n, 3) array
        How these change.
    """

    location: Array
    axis: Array
    location_rate: Array
    axis_rate: Array


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


def gaps(skeleton: Skeleton, state: SkeletonState) -> Gaps:
    """What is left of (1) and (2); all zero where the joints are closed.

    Parameters
    ----------
    skeleton : Skeleton
        The bodies and joints.
    state : SkeletonState
        Their motion.

    Returns
    -------
    Gaps
    """
    _check_fit(skeleton, state)
    found = np.zeros((4, skeleton.n, 3))
    for j, ends in enumerate(skeleton.E):
        for i in ends:
            R, Omega, l, z = state.R[i], skew(state.w[i]), skeleton.location(j, i), skeleton.axis(j, i)
            side = (state.p[i] + R @ l, R @ z, state.v[i] + R @ Omega @ l, R @ Omega @ z)
            found[:, j] += skeleton.sigma[j, i] * np.array(side)
    return Gaps(*found)


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
    _check_fit(skeleton, state)
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
    if n and values[rank - 1] <= RANK * values[0]:
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
    duration = float(finite("step: h", h, ()))
    if duration <= 0.0:
        raise ModelError(f"step: h must be positive, not {duration:g}.")
    a, w_dot = accelerations(skeleton, state)
    v = state.v + a * duration
    p = state.p + v * duration
    w = state.w + w_dot * duration
    R = np.array([state.R[i] @ exponential(w[i] * duration) for i in range(skeleton.n + 1)])
    return SkeletonState(p, R, v, w)


def momentum(skeleton: Skeleton, state: SkeletonState) -> Momentum:
    """Angular momentum about the world's origin, and linear momentum.

    Parameters
    ----------
    skeleton : Skeleton
        The bodies and joints.
    state : SkeletonState
        Their motion.

    Returns
    -------
    Momentum
    """
    _check_fit(skeleton, state)
    linear = skeleton.masses[:, None] * state.v
    spin = np.einsum("iab,ibc,ic->ia", state.R, skeleton.inertias, state.w)
    return Momentum((np.cross(state.p, linear) + spin).sum(axis=0), linear.sum(axis=0))


def energy(skeleton: Skeleton, state: SkeletonState) -> Energy:
    """Kinetic energy; a skeleton has no other.

    Parameters
    ----------
    skeleton : Skeleton
        The bodies and joints.
    state : SkeletonState
        Their motion.

    Returns
    -------
    Energy
    """
    _check_fit(skeleton, state)
    moving = skeleton.masses @ (state.v**2).sum(axis=1)
    turning = np.einsum("ia,iab,ib->", state.w, skeleton.inertias, state.w)
    return Energy(0.5 * float(moving + turning), 0.0)


def skew(x: Array) -> Array:
    """The matrix of the cross product by x."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def exponential(t: Array) -> Array:
    """exp of the skew matrix of t: the rotation by |t| about t (Rodrigues)."""
    angle, T = np.linalg.norm(t), skew(t)
    found: Array = np.eye(3) + np.sinc(angle / np.pi) * T + 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2 * T @ T
    return found


def _edges(E: ArrayLike) -> Integers:
    given = real_numbers("Skeleton: E", E) if np.size(E) else np.zeros((0, 2))
    edges = finite("Skeleton: E", given, (len(given) if given.ndim else 0, 2))
    whole = edges.astype(np.int64)
    if (whole != edges).any():
        raise ModelError(f"Skeleton: E must be the numbers of bodies, not {edges.tolist()}.")
    return whole


def _names(what: str, one: str, names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    found = tuple(f"{one} {i}" for i in range(count)) if names is None else tuple(names)
    if isinstance(names, str) or len(found) != count or len(set(found)) != count:
        raise ModelError(f"Skeleton: {what} must be {count} different names, not {names!r}.")
    return found


def _check_fit(skeleton: Skeleton, state: SkeletonState) -> None:
    if len(state.p) != skeleton.n + 1:
        raise ModelError(f"the state is one of {len(state.p)} bodies, but the skeleton has {skeleton.n + 1}.")
