"""The mass of a body and how it is spread."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.frozen import Frozen, array_key
from ..algebra.pose import Pose, finite, real_numbers
from ..errors import ModelError
from ..tolerances import PHYSICAL

Array = NDArray[np.float64]


class Inertia(Frozen):
    """Mass, centre of mass and moments of inertia of a rigid body. Immutable.

    Inertias of bodies that are welded together add up: ``a + b``, both in the same axes.

    Parameters
    ----------
    mass : float
        In kg; 0 is a body without mass.
    com : (3,) array_like, optional
        The centre of mass in the body's axes; by default the body's origin.
    tensor : (3, 3) array_like, optional
        Moments of inertia about the centre of mass, in the body's axes, in kg m²; by default a point mass.

    Raises
    ------
    ModelError
        If no real body has such an inertia, or a number is not finite.

    Examples
    --------
    >>> import regraft as rg
    >>> dumbbell = rg.Inertia.point(1.0, at=(0, 0, 1)) + rg.Inertia.point(1.0, at=(0, 0, -1))
    >>> dumbbell.mass, dumbbell.tensor.diagonal().tolist()
    (2.0, [2.0, 2.0, 0.0])
    """

    __slots__ = ("com", "mass", "tensor")
    mass: float
    com: Array
    tensor: Array

    def __init__(self, mass: float, com: ArrayLike = (0.0, 0.0, 0.0), tensor: ArrayLike | None = None) -> None:
        m = _mass(mass)
        moments = np.zeros((3, 3)) if tensor is None else _tensor(finite("Inertia: tensor", tensor, (3, 3)), m)
        self._set(mass=m, com=finite("Inertia: com", com, (3,)), tensor=moments)

    @classmethod
    def of_bodies(cls, masses: Array, coms: Array, tensors: Array) -> list[Inertia]:
        """From numbers that bodies are known to have; nothing is checked, and each has its rows of the arrays."""
        put_mass, put_com, put_tensor = _PUT
        coms.flags.writeable = tensors.flags.writeable = False  # and so is what follows from them
        found = []
        for mass, com, tensor in zip(masses.tolist(), coms, tensors, strict=True):
            made = cls.__new__(cls)
            put_mass(made, mass)
            put_com(made, com)
            put_tensor(made, tensor)
            found.append(made)
        return found

    @classmethod
    def box(cls, mass: float, size: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0)) -> Inertia:
        """A uniform box.

        Parameters
        ----------
        mass : float
            In kg.
        size : (3,) array_like
            Its edge lengths along x, y and z.
        at : (3,) array_like, optional
            Its centre.

        Returns
        -------
        Inertia

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Inertia.box(12.0, (1, 2, 3)).tensor.diagonal().tolist()
        [13.0, 10.0, 5.0]
        """
        x, y, z = _lengths("Inertia.box: size", size, 3)
        return cls(mass, at, _mass(mass) / 12.0 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y]))

    @classmethod
    def rod(cls, mass: float, start: ArrayLike, end: ArrayLike) -> Inertia:
        """A uniform thin rod between two points; about its own axis it has no inertia.

        Parameters
        ----------
        mass : float
            In kg.
        start, end : (3,) array_like
            Its two ends.

        Returns
        -------
        Inertia

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Inertia.rod(12.0, (0, 0, 0), (1, 0, 0)).tensor.diagonal().tolist()
        [0.0, 1.0, 1.0]
        """
        a, b = finite("Inertia.rod: start", start, (3,)), finite("Inertia.rod: end", end, (3,))
        along = b - a
        return cls(mass, 0.5 * (a + b), _mass(mass) / 12.0 * (along @ along * np.eye(3) - np.outer(along, along)))

    @classmethod
    def sphere(cls, mass: float, radius: float, at: ArrayLike = (0.0, 0.0, 0.0)) -> Inertia:
        """A uniform solid ball.

        Parameters
        ----------
        mass : float
            In kg.
        radius : float
            In metres.
        at : (3,) array_like, optional
            Its centre.

        Returns
        -------
        Inertia

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Inertia.sphere(5.0, 1.0).tensor.diagonal().tolist()
        [2.0, 2.0, 2.0]
        """
        (r,) = _lengths("Inertia.sphere: radius", [radius], 1)
        return cls(mass, at, 0.4 * _mass(mass) * r * r * np.eye(3))

    @classmethod
    def cylinder(cls, mass: float, radius: float, start: ArrayLike, end: ArrayLike) -> Inertia:
        """A uniform solid cylinder.

        Parameters
        ----------
        mass : float
            In kg.
        radius : float
            In metres.
        start, end : (3,) array_like
            The centres of its two ends.

        Returns
        -------
        Inertia

        Raises
        ------
        ModelError
            If the two ends are the same point.

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Inertia.cylinder(2.0, 1.0, (0, 0, 0), (0, 0, 1)).tensor[2, 2]
        np.float64(1.0)
        """
        (r,) = _lengths("Inertia.cylinder: radius", [radius], 1)
        rod = cls.rod(mass, start, end)
        along = np.asarray(end, float) - np.asarray(start, float)
        length = float(np.linalg.norm(along))
        if length == 0.0:
            raise ModelError("Inertia.cylinder: start and end are the same point; give the axis its length.")
        axis = along / length
        return cls(mass, rod.com, rod.tensor + rod.mass * r * r / 4.0 * (np.eye(3) + np.outer(axis, axis)))

    @classmethod
    def point(cls, mass: float, at: ArrayLike = (0.0, 0.0, 0.0)) -> Inertia:
        """A point mass.

        Parameters
        ----------
        mass : float
            In kg.
        at : (3,) array_like, optional
            Where it is.

        Returns
        -------
        Inertia

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Inertia.point(1.0, at=(0, 0, -1)).com.tolist()
        [0.0, 0.0, -1.0]
        """
        return cls(mass, at)

    def moved(self, pose: Pose) -> Inertia:
        """The same inertia in the axes of another frame.

        Parameters
        ----------
        pose : Pose
            The pose of the present frame in the other one.

        Returns
        -------
        Inertia

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Inertia.point(1.0).moved(rg.Pose(translation=(0, 0, 2))).com.tolist()
        [0.0, 0.0, 2.0]
        """
        R = pose.rotation
        turned = R @ self.tensor @ R.T
        return Inertia(self.mass, pose.apply(self.com), 0.5 * (turned + turned.T))

    def __add__(self, other: Inertia) -> Inertia:
        if not isinstance(other, Inertia):
            return NotImplemented
        mass = self.mass + other.mass
        com = (self.mass * self.com + other.mass * other.com) / mass if mass else 0.5 * (self.com + other.com)
        return Inertia(mass, com, self._about(com) + other._about(com))

    def _about(self, point: Array) -> Array:
        d = self.com - point
        result: Array = self.tensor + self.mass * (d @ d * np.eye(3) - np.outer(d, d))
        return result

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Inertia):
            return NotImplemented
        same = np.array_equal(self.com, other.com) and np.array_equal(self.tensor, other.tensor)
        return bool(self.mass == other.mass and same)

    def __hash__(self) -> int:
        return hash((self.mass, array_key(self.com), array_key(self.tensor)))

    def __repr__(self) -> str:
        com = ", ".join(f"{x:g}" for x in self.com)
        return f"Inertia(mass={self.mass:g}, com=({com}), tensor={self.tensor.tolist()})"


_PUT = [Inertia.__dict__[name].__set__ for name in ("mass", "com", "tensor")]


def _mass(mass: float) -> float:
    given = real_numbers("Inertia: mass", mass)
    if given.shape != ():
        raise ModelError(f"Inertia: mass must be one number, not {mass!r}.")
    value = float(given)
    if not np.isfinite(value) or value < 0:
        raise ModelError(f"Inertia: mass must be finite and not negative, not {value}.")
    return value


def _lengths(what: str, value: ArrayLike, count: int) -> Array:
    lengths = finite(what, value, (count,))
    if (lengths < 0).any():
        raise ModelError(f"{what} must not be negative: {lengths.tolist()}.")
    return lengths


def _tensor(tensor: Array, mass: float) -> Array:
    largest = float(np.abs(tensor).max())
    if largest == 0.0:
        return tensor
    if np.abs(tensor - tensor.T).max() > PHYSICAL * largest:
        raise ModelError("Inertia: the tensor is not symmetric; give (I + I.T) / 2, with all products of inertia.")
    small, middle, large = (float(x) for x in np.linalg.eigvalsh(tensor))
    if small < -PHYSICAL * large:
        raise ModelError(f"Inertia: the tensor has the negative principal moment {small:.6g}; a real body has none.")
    if small + middle < large * (1.0 - PHYSICAL):
        raise ModelError(
            f"Inertia: the principal moments {small:.6g}, {middle:.6g}, {large:.6g} break the triangle inequality: "
            "no body has one moment larger than the sum of the others. Is the tensor about the centre of mass?"
        )
    if mass == 0.0:
        raise ModelError("Inertia: a body without mass has no moments of inertia; give it a mass or leave the tensor out.")
    return 0.5 * (tensor + tensor.T)
