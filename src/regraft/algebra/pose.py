"""A pose: where one frame is in another, as a rotation and a translation."""

from __future__ import annotations

from math import atan2, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ModelError
from ..tolerances import NO_DIRECTION, ORTHONORMAL, ROTATION_ROUNDING, UNIT_QUATERNION
from .frozen import Frozen, array_key

Array = NDArray[np.float64]

POSE, MOTION = 12, 18
"""Lengths of the rows that hold a pose (R, p), and a motion (a pose, then its twist at its origin in world axes)."""

_FLOAT64 = np.dtype(np.float64)
_FEW = 16  # numbers that are looked at one by one sooner than by NumPy

WORLD_MOTION: Array = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, *(0.0,) * 9])


class Pose(Frozen):
    """Where one frame is in another: ``x_parent = rotation @ x + translation``. Immutable.

    ``a @ b`` chains two poses: b is given in the frame of a.

    Parameters
    ----------
    rotation : (3, 3) array_like, optional
        The axes of this frame as columns in the parent's; by default the identity.
    translation : (3,) array_like, optional
        The origin of this frame in the parent; by default the parent's origin.

    Raises
    ------
    ModelError
        If the rotation is not orthonormal to 1e-9, is a reflection, or a number is not finite.

    Examples
    --------
    >>> import regraft as rg
    >>> half_turn = rg.Pose.about((0, 0, 1), 3.141592653589793, translation=(1, 0, 0))
    >>> (half_turn @ half_turn).apply((2, 0, 5)).round(12) + 0.0
    array([2., 0., 5.])
    """

    __slots__ = ("row",)
    row: Array
    """(12,): the rotation in row order, then the translation."""

    def __init__(self, rotation: ArrayLike | None = None, translation: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        if rotation is None and isinstance(translation, tuple) and translation == (0.0, 0.0, 0.0):
            self._set(row=_HERE)  # shared: most poses of a large mechanism are this one
            return
        matrix = _IDENTITY if rotation is None else _rotation(rotation)
        self._set(row=np.array(_rounded(_numbers(matrix, finite("Pose: translation", translation, (3,))))))

    @staticmethod
    def _of(numbers: list[float]) -> Pose:
        """From 12 numbers that are a `row` but for rounding."""
        row = np.array(_rounded(numbers))
        row.setflags(write=False)
        return Pose.around(row)

    @classmethod
    def from_row(cls, row: Array) -> Pose:
        """From numbers of which the first 12 are known to be a `row`. Shares their memory."""
        own = row[:POSE]
        own.setflags(write=False)
        return cls.around(own)

    @staticmethod
    def around(row: Array) -> Pose:
        """From 12 numbers that are known to be a `row` and cannot be written to: what `_set` makes, which is much slower."""
        pose = _new(Pose)
        _put(pose, row)
        return pose

    @property
    def rotation(self) -> Array:
        """(3, 3): the axes of this frame as columns in the parent's."""
        return self.row[:9].reshape(3, 3)

    @property
    def translation(self) -> Array:
        """(3,): the origin of this frame in the parent."""
        return self.row[9:]

    @classmethod
    def about(cls, axis: ArrayLike, turn: float, translation: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """A rotation by an angle about an axis, and a translation.

        Parameters
        ----------
        axis : (3,) array_like
            Its direction; it need not have unit length.
        turn : float
            The angle in radians, right-handed about the axis.
        translation : (3,) array_like, optional
            The origin of the frame in the parent.

        Returns
        -------
        Pose

        Raises
        ------
        ModelError
            If the axis is zero.

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Pose.about((0, 0, 1), 0.5).quaternion.round(3)
        array([0.969, 0.   , 0.   , 0.247])
        """
        direction = finite("Pose.about: axis", axis, (3,))
        length = float(np.linalg.norm(direction))
        if length < NO_DIRECTION:
            raise ModelError("Pose.about: the axis is zero; give a direction, such as (0, 0, 1).")
        radians = finite_number("Pose.about: angle", turn)
        matrix = _scipy_rotation().from_rotvec(direction * (radians / length)).as_matrix()
        return cls._of(_numbers(matrix, finite("Pose.about: translation", translation, (3,))))

    @classmethod
    def from_quaternion(cls, quaternion: ArrayLike, translation: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """A rotation by a unit quaternion, and a translation.

        Parameters
        ----------
        quaternion : (4,) array_like
            (w, x, y, z), of length 1 to 1e-6.
        translation : (3,) array_like, optional
            The origin of the frame in the parent.

        Returns
        -------
        Pose

        Raises
        ------
        ModelError
            If the quaternion has another length.

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Pose.from_quaternion((0, 0, 0, 1)).apply((1, 0, 0)).tolist()
        [-1.0, 0.0, 0.0]
        """
        q = finite("Pose.from_quaternion: quaternion", quaternion, (4,))
        length = float(np.linalg.norm(q))
        if abs(length - 1.0) > UNIT_QUATERNION:
            raise ModelError(
                f"Pose.from_quaternion: {q.tolist()} has length {length:.6g}, a rotation has length 1; normalise it."
            )
        matrix = _scipy_rotation().from_quat(q, scalar_first=True).as_matrix()
        return cls._of(_numbers(matrix, finite("Pose.from_quaternion: translation", translation, (3,))))

    @property
    def quaternion(self) -> Array:
        """The rotation as a unit quaternion (w, x, y, z) with w ≥ 0."""
        found: Array = _scipy_rotation().from_matrix(self.rotation).as_quat(canonical=True, scalar_first=True)
        return found

    def __matmul__(self, other: Pose) -> Pose:
        if not isinstance(other, Pose):
            return NotImplemented
        # by hand, as in `inverse` and `_off`, which for so few numbers is much faster than NumPy
        a, b, c, d, e, f, g, h, i, x, y, z = self.row.tolist()
        A, B, C, D, E, F, G, H, I, X, Y, Z = other.row.tolist()
        return Pose._of(
            [
                a * A + b * D + c * G, a * B + b * E + c * H, a * C + b * F + c * I,
                d * A + e * D + f * G, d * B + e * E + f * H, d * C + e * F + f * I,
                g * A + h * D + i * G, g * B + h * E + i * H, g * C + h * F + i * I,
                a * X + b * Y + c * Z + x, d * X + e * Y + f * Z + y, g * X + h * Y + i * Z + z,
            ]
        )  # fmt: skip

    def inverse(self) -> Pose:
        """The pose of the parent frame in this one.

        Returns
        -------
        Pose

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Pose(translation=(1, 2, 3)).inverse().translation.tolist()
        [-1.0, -2.0, -3.0]
        """
        a, b, c, d, e, f, g, h, i, x, y, z = self.row.tolist()
        place = -(a * x + d * y + g * z), -(b * x + e * y + h * z), -(c * x + f * y + i * z)
        return Pose._of([a, d, g, b, e, h, c, f, i, *place])

    def orthonormal(self) -> Pose:
        """This pose with its rotation orthonormal to rounding; that of a body at the end of a long chain has more."""
        if self.row is _HERE:
            return self
        numbers = self.row.tolist()
        rounded = _rounded(numbers)
        return self if rounded is numbers else Pose._of(rounded)

    def apply(self, point: ArrayLike) -> Array:
        """Points from this frame's coordinates to the parent's.

        Parameters
        ----------
        point : (..., 3) array_like
            A point, or an array of points.

        Returns
        -------
        (..., 3) array

        Raises
        ------
        ModelError
            If the last axis does not have three numbers.

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Pose(translation=(1, 2, 3)).apply([(0, 0, 0), (0, 0, 1)]).tolist()
        [[1.0, 2.0, 3.0], [1.0, 2.0, 4.0]]
        """
        x = real_numbers("Pose.apply: points", point)
        if x.shape[-1:] != (3,):
            raise ModelError(f"Pose.apply: points must have 3 coordinates in their last axis, not shape {x.shape}.")
        result: Array = x @ self.rotation.T + self.translation
        return result

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pose):
            return NotImplemented
        return np.array_equal(self.row, other.row)

    def __hash__(self) -> int:
        return hash(array_key(self.row))

    def __repr__(self) -> str:
        turn = "" if np.array_equal(self.rotation, _IDENTITY) else f"rotation={self.rotation.round(6).tolist()}, "
        return f"Pose({turn}translation={tuple(float(x) for x in self.translation)})"


def pose_along(direction: ArrayLike, middle: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
    """A frame at a place whose z axis has a direction; that of the parent where there is none."""
    given = np.asarray(direction, float)
    length = float(np.linalg.norm(given))
    if length == 0.0:
        return Pose(translation=middle)
    z = given / length
    turn = np.cross((0.0, 0.0, 1.0), z)
    sine = float(np.linalg.norm(turn))
    if sine == 0.0:
        return Pose(None if z[2] > 0.0 else np.diag([1.0, -1.0, -1.0]), middle)
    return Pose.about(turn / sine, atan2(sine, float(z[2])), middle)


def _scipy_rotation() -> Any:
    from scipy.spatial.transform import Rotation  # on first use: it takes as long to import as all of Regraft

    return Rotation


def real_numbers(what: str, value: ArrayLike) -> Array:
    """A new float64 array from a user's real numbers; text, complex numbers, objects and masked ones are a ModelError."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ModelError(f"{what} has masked numbers, which are no numbers; fill them, or leave them out.")
    try:
        given = np.array(value)
    except ValueError:  # lists of unequal lengths
        given = np.array(None)
    except (RuntimeError, TypeError) as problem:  # tensors on a graphics card, or with gradients that would be lost
        raise ModelError(f"{what} must be real numbers: {problem}") from None
    if given.dtype.kind not in "iuf":
        raise ModelError(f"{what} must be real numbers, not {value!r}.")
    return given.astype(float, copy=False)


def finite(what: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """A new float64 array of the given shape from a user's finite real numbers, or a ModelError that says what is wrong."""
    array = value.copy() if type(value) is np.ndarray and value.dtype is _FLOAT64 else real_numbers(what, value)
    if array.shape != shape:
        raise ModelError(f"{what} must have shape {shape}, not {array.shape}.")
    if not _is_finite(array):
        raise ModelError(f"{what} has a value that is not finite: {array.tolist()}.")
    return array


def finite_number(what: str, value: ArrayLike | float) -> float:
    """One finite real number of a user's."""
    if isinstance(value, float) and isfinite(value):
        return float(value)
    return float(finite(what, value, ()))


def representable(what: str, found: Array) -> Array:
    """What was computed from finite numbers, or a ModelError where that has gone beyond the largest number there is."""
    if not _is_finite(found):
        raise _too_large(what)
    return found


def _is_finite(array: Array) -> bool:
    return all(map(isfinite, array.ravel().tolist())) if array.size < _FEW else bool(np.isfinite(array).all())


def _too_large(what: str) -> ModelError:
    return ModelError(
        f"{what} are too large to be represented; check the units of lengths, masses, forces, times and velocities."
    )


def _rotation(value: ArrayLike) -> Array:
    matrix = finite("Pose: rotation", value, (3, 3))
    off = _off(matrix.ravel().tolist())
    if off > ORTHONORMAL:
        raise ModelError(
            f"Pose: the rotation's columns are off unit length and right angles by {off:.3g}; "
            "give an orthonormal matrix, or use Pose.about or Pose.from_quaternion."
        )
    if np.linalg.det(matrix) < 0:
        raise ModelError("Pose: the matrix is a reflection (determinant −1), not a rotation; flip one axis.")
    return matrix


def _numbers(rotation: Array, translation: Array) -> list[float]:
    return [*rotation.ravel().tolist(), *translation.tolist()]


def _off(rotation: list[float]) -> float:
    """How far the columns of a rotation in row order are from unit length and right angles."""
    a, b, c, d, e, f, g, h, i = rotation
    lengths = abs(a * a + d * d + g * g - 1.0), abs(b * b + e * e + h * h - 1.0), abs(c * c + f * f + i * i - 1.0)
    return max(*lengths, abs(a * b + d * e + g * h), abs(b * c + e * f + h * i), abs(c * a + f * d + i * g))


def _rounded(numbers: list[float]) -> list[float]:
    """A `row` whose rotation is the nearest to one that is nearly orthonormal, by a step of Newton's method.

    That is itself where it is orthonormal to rounding.
    """
    if not all(map(isfinite, numbers)):
        raise _too_large("the coordinates of a pose")
    rotation = numbers[:9]
    if rotation == _UNTURNED or _off(rotation) <= ROTATION_ROUNDING:
        return numbers
    matrix = np.array(numbers[:9]).reshape(3, 3)
    nearest: Array = matrix @ (1.5 * _IDENTITY - 0.5 * (matrix.T @ matrix))
    return [*nearest.ravel().tolist(), *numbers[9:]]


_new, _put = object.__new__, Pose.__dict__["row"].__set__


_IDENTITY = np.eye(3)
_UNTURNED = _IDENTITY.ravel().tolist()
_HERE: Array = WORLD_MOTION[:POSE].copy()
