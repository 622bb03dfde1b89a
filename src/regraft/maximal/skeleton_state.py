"""Where the bodies of a skeleton are and how they move: how far its joints are open, its momentum and its energy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite, real_numbers
from ..ask.balance import Energy, Momentum
from ..errors import ModelError
from ..tolerances import ORTHONORMAL
from .rotations import skew
from .skeleton import Skeleton

Array = NDArray[np.float64]


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


def check_fit(skeleton: Skeleton, state: SkeletonState) -> None:
    """Refuse a state of another number of bodies."""
    if len(state.p) != skeleton.n + 1:
        raise ModelError(f"the state is one of {len(state.p)} bodies, but the skeleton has {skeleton.n + 1}.")


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
    check_fit(skeleton, state)
    found = np.zeros((4, skeleton.n, 3))
    for j, ends in enumerate(skeleton.E):
        for i in ends:
            R, Omega, l, z = state.R[i], skew(state.w[i]), skeleton.location(j, i), skeleton.axis(j, i)
            side = (state.p[i] + R @ l, R @ z, state.v[i] + R @ Omega @ l, R @ Omega @ z)
            found[:, j] += skeleton.sigma[j, i] * np.array(side)
    return Gaps(*found)


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
    check_fit(skeleton, state)
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
    check_fit(skeleton, state)
    moving = skeleton.masses @ (state.v**2).sum(axis=1)
    turning = np.einsum("ia,iab,ib->", state.w, skeleton.inertias, state.w)
    return Energy(0.5 * float(moving + turning), 0.0)
