"""Curves: functions of one number, made of polynomials, that guides follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.frozen import Frozen
from ..algebra.pose import finite_number, real_numbers
from ..errors import ModelError
from ..tolerances import JOINED

Array = NDArray[np.float64]

MOST_DEGREE = 15
"""Of the polynomials of a curve."""


class Curve(Frozen):
    """A function of one number: polynomials, one after the other, that join with the same value and slope. Immutable.

    Make one with `Curve.linear`, `Curve.constant`, `Curve.polynomial`, `Curve.spline` or `Curve.pieces`. A curve can be called,
    with the order of a derivative as its second argument, and multiplied by a number.

    Parameters
    ----------
    breaks : (n - 1,) array_like
        Where a polynomial ends and the next one begins; the first and the last of them go on for ever.
    origins : (n,) array_like
        The place from which each polynomial counts.
    coefficients : (n, k) array_like
        Of 1, x − origin, (x − origin)², … in each polynomial; its degree is at most 15.

    Raises
    ------
    ModelError
        If the breaks do not increase, the curve has a jump or a corner, the degree is too high, or a number is not finite.

    Examples
    --------
    >>> import regraft as rg
    >>> rise = rg.Curve.spline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0])
    >>> rise(1.0), rise(1.0, 1), (rise * 2.0)(1.0)
    (1.0, 0.0, 2.0)
    """

    __slots__ = ("breaks", "coefficients", "origins")
    breaks: tuple[float, ...]
    origins: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]

    def __init__(self, breaks: ArrayLike, origins: ArrayLike, coefficients: ArrayLike) -> None:
        at, start = _row("breaks", breaks), _row("origins", origins)
        table = _table(coefficients)
        if not len(start) == len(table) == len(at) + 1:
            raise ModelError(
                f"Curve: {len(table)} polynomials need {len(table)} origins and {len(table) - 1} breaks, "
                f"not {len(start)} and {len(at)}."
            )
        _check_increasing("breaks", at)
        self._set(
            breaks=tuple(at.tolist()),
            origins=tuple(start.tolist()),
            coefficients=tuple(map(tuple, _without_zeros(table).tolist())),
        )
        self._check_joined()

    @classmethod
    def constant(cls, value: float) -> Curve:
        """The same value everywhere.

        Parameters
        ----------
        value : float
            The value.

        Returns
        -------
        Curve

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Curve.constant(0.3)(5.0)
        0.3
        """
        return cls.polynomial([value])

    @classmethod
    def linear(cls, slope: float = 1.0, intercept: float = 0.0) -> Curve:
        """A straight line.

        Parameters
        ----------
        slope : float, optional
            Its slope.
        intercept : float, optional
            Its value at 0.

        Returns
        -------
        Curve

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Curve.linear(2.0, 1.0)(3.0)
        7.0
        """
        return cls.polynomial([intercept, slope])

    @classmethod
    def polynomial(cls, coefficients: ArrayLike) -> Curve:
        """One polynomial everywhere.

        Parameters
        ----------
        coefficients : (k,) array_like
            Of 1, x, x² and so on, up to x¹⁵.

        Returns
        -------
        Curve

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Curve.polynomial([1.0, 0.0, 0.5])(2.0)
        3.0
        """
        return cls((), (0.0,), [_row("coefficients", coefficients)])

    @classmethod
    def pieces(cls, breaks: ArrayLike, coefficients: ArrayLike, outside: str = "piece") -> Curve:
        """Polynomials between given places, each counted from where it begins.

        Parameters
        ----------
        breaks : (n + 1,) array_like
            Where the pieces begin and the last one ends.
        coefficients : (n, k) array_like
            Of 1, x − begin, (x − begin)² and so on in each piece.
        outside : {"piece", "line"}, optional
            What comes before the first break and after the last one: the same piece, or a straight line.

        Returns
        -------
        Curve

        Examples
        --------
        >>> import regraft as rg
        >>> ramp = rg.Curve.pieces([0.0, 1.0], [[0.0, 0.0, 0.5]], outside="line")
        >>> ramp(-3.0), ramp(0.5), ramp(3.0)
        (0.0, 0.125, 2.5)
        """
        at, table = _row("breaks", breaks), _table(coefficients)
        if len(at) < 2 or len(table) != len(at) - 1:
            raise ModelError(f"Curve: {len(table)} pieces need {len(table) + 1} breaks, and at least 2, not {len(at)}.")
        _check_increasing("breaks", at)
        if outside == "piece":
            return cls(at[1:-1], at[:-1], table)
        if outside != "line":
            raise ModelError(f'Curve: outside must be "piece" or "line", not {outside!r}.')
        table = np.pad(table, ((0, 0), (0, max(0, 2 - table.shape[1]))))
        lines = np.zeros((2, table.shape[1]))
        lines[0, :2] = table[0, :2]
        last, width = np.polynomial.Polynomial(table[-1]), float(at[-1] - at[-2])
        lines[1, :2] = last(width), last.deriv()(width)
        return cls(at, (at[0], *at), np.vstack((lines[:1], table, lines[1:])))

    @classmethod
    def spline(cls, x: ArrayLike, y: ArrayLike, end: str = "natural", outside: str = "line") -> Curve:
        """The cubic spline through given points: its slope and its curvature have no jumps in between.

        Parameters
        ----------
        x, y : (n,) array_like
            The points, at least two, with increasing x.
        end : {"natural", "fmm"}, optional
            What holds at both ends: no curvature, or the third derivative of the cubic through the four outermost points
            (Forsythe, Malcolm and Moler, 1977), as OpenSim's SimmSpline has it.
        outside : {"line", "piece"}, optional
            What comes before the first point and after the last one: a straight line, or the same cubic.

        Returns
        -------
        Curve

        Examples
        --------
        >>> import regraft as rg
        >>> knee = rg.Curve.spline([-2.0, -1.0, 0.0], [0.0, 0.003, 0.0], end="fmm")
        >>> round(knee(-1.5), 6), round(knee(1.0), 6)
        (0.00225, -0.006)
        """
        at, value = _row("x", x), _row("y", y)
        if len(at) < 2 or len(at) != len(value):
            raise ModelError(f"Curve.spline needs at least 2 points, as many x as y; got {len(at)} and {len(value)}.")
        if end not in ("natural", "fmm"):
            raise ModelError(f'Curve.spline: end must be "natural" or "fmm", not {end!r}.')
        _check_increasing("x", at)
        step = np.diff(at)
        slope = np.diff(value) / step
        bend = _bends(at, step, slope, of_four=end == "fmm")
        cubic = np.column_stack((value[:-1], slope - step * (bend[1:] + 2.0 * bend[:-1]), 3.0 * bend[:-1], np.diff(bend) / step))
        return cls.pieces(at, cubic, outside)

    def __call__(self, x: Any, derivative: int = 0) -> Any:
        """The value at a number, or at each number of an array, or a derivative of some order there."""
        if derivative < 0:
            raise ModelError(f"Curve: the order of a derivative must not be negative, not {derivative}.")
        places = np.asarray(x, float)
        piece = np.searchsorted(self.breaks, places, side="right")
        table = np.array(self.coefficients)[piece]
        away, total = places - np.array(self.origins)[piece], np.zeros(places.shape)
        for power in range(table.shape[-1] - 1, derivative - 1, -1):
            total = total * away + table[..., power] * (factorial(power) // factorial(power - derivative))
        return total if total.ndim else float(total)

    def __mul__(self, factor: float) -> Curve:
        """The curve with all values multiplied by a number."""
        if not isinstance(factor, (int, float, np.integer, np.floating)):
            return NotImplemented
        return Curve(self.breaks, self.origins, finite_number("Curve: factor", factor) * np.array(self.coefficients))

    __rmul__ = __mul__

    @property
    def degree(self) -> int:
        """The highest degree of its polynomials."""
        return len(self.coefficients[0]) - 1

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a file."""
        return {
            "breaks": list(self.breaks),
            "origins": list(self.origins),
            "coefficients": [list(row) for row in self.coefficients],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Curve:
        """The curve of `to_dict`."""
        return cls(data["breaks"], data["origins"], data["coefficients"])

    def numbers(self) -> list[float]:
        """As kernels read it: how many pieces and coefficients of each, breaks, origins, coefficients."""
        rows = [number for row in self.coefficients for number in row]
        return [float(len(self.origins)), float(self.degree + 1), *self.breaks, *self.origins, *rows]

    def _check_joined(self) -> None:
        for where, (a, b) in zip(self.breaks, pairwise(range(len(self.origins))), strict=True):
            for what, order in (("jump", 0), ("corner", 1)):
                ends = [self._piece(piece, where, order) for piece in (a, b)]
                if abs(ends[0] - ends[1]) > JOINED * (1.0 + max(map(abs, ends))):
                    raise ModelError(
                        f"Curve: there is a {what} at {where:g}, from {ends[0]:.6g} to {ends[1]:.6g}: values and slopes must "
                        "agree where two polynomials meet. Use Curve.spline for a smooth curve through points."
                    )

    def _piece(self, piece: int, x: float, order: int) -> float:
        own = np.polynomial.Polynomial(self.coefficients[piece])
        return float((own.deriv(order) if order else own)(x - self.origins[piece]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Curve):
            return NotImplemented
        return (self.breaks, self.origins, self.coefficients) == (other.breaks, other.origins, other.coefficients)

    def __hash__(self) -> int:
        return hash((self.breaks, self.origins, self.coefficients))

    def __repr__(self) -> str:
        if self.breaks:
            return f"Curve({len(self.origins)} pieces of degree {self.degree}, {self.breaks[0]:g} to {self.breaks[-1]:g})"
        if self.origins != (0.0,) or self.degree > 1:
            return f"Curve.polynomial({', '.join(f'{c:g}' for c in self.coefficients[0])})"
        c = self.coefficients[0]
        return f"Curve.linear({c[1]:g}, {c[0]:g})" if self.degree else f"Curve.constant({c[0]:g})"


def _row(what: str, given: ArrayLike) -> Array:
    """Finite numbers in a row."""
    found = real_numbers(f"Curve: {what}", given)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise ModelError(f"Curve: {what} must be a row of finite numbers.")
    return found


def _table(given: ArrayLike) -> Array:
    """Coefficients, a row for each polynomial."""
    found = real_numbers("Curve: coefficients", given)
    if found.ndim != 2 or found.size == 0 or not np.isfinite(found).all():
        raise ModelError(f"Curve: coefficients must be finite, a row of them for each polynomial; got shape {found.shape}.")
    if _without_zeros(found).shape[1] > MOST_DEGREE + 1:
        raise ModelError(f"Curve: the degree of a polynomial can be at most {MOST_DEGREE}, not {found.shape[1] - 1}.")
    return found


def _without_zeros(table: Array) -> Array:
    """Without the highest powers that no polynomial has."""
    used = np.flatnonzero(table.any(axis=0))
    return table[:, : (used[-1] + 1 if len(used) else 1)]


def _check_increasing(what: str, x: Array) -> None:
    for a, b in pairwise(x.tolist()):
        if not a < b:
            raise ModelError(f"Curve: {what} must increase from one to the next, but {b:g} comes after {a:g}.")


def _bends(x: Array, step: Array, slope: Array, *, of_four: bool) -> Array:
    """A sixth of the second derivative of a cubic spline at its points, by elimination in a matrix with three diagonals."""
    n = len(x)
    if n == 2:
        return np.zeros(2)
    main, side, right = np.empty(n), step.copy(), np.zeros(n)
    main[1:-1], right[1:-1] = 2.0 * (step[:-1] + step[1:]), np.diff(slope)
    upper, lower = side.copy(), side.copy()
    if of_four:
        main[0], main[-1] = -step[0], -step[-1]
        if n > 3:
            second = np.diff(slope) / (x[2:] - x[:-2])
            third = np.diff(second) / (x[3:] - x[:-3])
            right[0], right[-1] = third[0] * step[0] ** 2, -third[-1] * step[-1] ** 2
    else:
        main[0] = main[-1] = 1.0
        upper[0] = lower[-1] = 0.0
    for i in range(1, n):
        share = lower[i - 1] / main[i - 1]
        main[i] -= share * upper[i - 1]
        right[i] -= share * right[i - 1]
    right[-1] /= main[-1]
    for i in range(n - 2, -1, -1):
        right[i] = (right[i] - upper[i] * right[i + 1]) / main[i]
    return right


Guides = Sequence[tuple[tuple[float, float, float], Curve]]
"""Axes, each with the curve that says how far to go along it or to turn about it."""
