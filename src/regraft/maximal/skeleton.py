"""The method of S3 as the paper has it: skeletons of hinges and spherical joints in maximal coordinates.

It is dense and made to be read, and faster methods are compared with it. (1) to (6) are the equations of the paper: (1) and (2)
say that a joint's places and axes on its two bodies coincide, (4) are the equations of motion of a body, and (5) and (6) the
linear system for the constraint forces c and d.

Indices count from 0, the paper's from 1. The state of a skeleton is in `skeleton_state`, its equations in `skeleton_dynamics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite, real_numbers
from ..describe.inertia import Inertia
from ..errors import ModelError
from ..tolerances import UNIT_AXIS
from .invertible import check_invertible
from .rotations import skew

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


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
            elif (np.abs(lengths - 1.0) > UNIT_AXIS).any():
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
