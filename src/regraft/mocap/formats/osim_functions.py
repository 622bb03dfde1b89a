"""OpenSim's functions of one coordinate, which say how far a joint has turned or slid."""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline, make_interp_spline

from ...errors import ModelError
from ...joints import Curve
from ...xml_elements import Element

Array = NDArray[np.float64]


class Line(NamedTuple):
    """slope · q + offset."""

    slope: float
    offset: float


Function = Line | Curve

SPLINES = ("SimmSpline", "NaturalCubicSpline", "natCubicSpline")
MOST_HALF_ORDER = 4
KNOWN = (
    "Constant",
    "LinearFunction",
    "PolynomialFunction",
    *SPLINES,
    "PiecewiseLinearFunction",
    "GCVSpline",
    "MultiplierFunction",
)


def read_function(element: Element, whose: str) -> Function:
    """The function that an element describes; `whose` says in errors which axis it moves."""
    try:
        return _read(element, whose, 1.0)
    except ModelError as problem:
        if str(problem).startswith(element.file):
            raise
        raise element.error(f"{whose}: {problem}") from None


def as_curve(function: Function) -> Curve:
    """Any of these functions as a curve that a guided joint can follow."""
    return Curve.linear(function.slope, function.offset) if isinstance(function, Line) else function


def _read(element: Element, whose: str, scale: float) -> Function:
    tag = element.tag
    if tag == "MultiplierFunction":
        inner = next(iter(element.within("function/*")), None)
        if inner is None:
            raise element.error(f"{whose}: the MultiplierFunction has no function to multiply.")
        return _read(inner, whose, scale * element.number("scale", 1.0))
    if tag == "Constant":
        return Line(0.0, scale * element.number("value", 0.0))
    if tag == "LinearFunction":
        slope, offset = element.numbers("coefficients", 2, (1.0, 0.0))
        return Line(float(scale * slope), float(scale * offset))
    if tag == "PolynomialFunction":
        return _polynomial(scale * element.numbers("coefficients"))
    if tag in KNOWN:
        x, y = _points(element, whose)
        return _through(element, whose, x, scale * y)
    raise element.error(f"{whose}: functions of the kind {tag!r} are not known; these are: {', '.join(KNOWN)}.")


def _polynomial(highest_first: Array) -> Function:
    lowest_first = highest_first[::-1]
    if len(lowest_first) <= 2:
        offset, slope = (*lowest_first, 0.0)[:2]
        return Line(float(slope), float(offset))
    return Curve.polynomial(lowest_first)


def _points(element: Element, whose: str) -> tuple[Array, Array]:
    x, y = element.numbers("x"), element.numbers("y")
    if len(x) != len(y) or len(x) < 2:
        raise element.error(f"{whose}: a {element.tag} needs as many x as y, two or more; it has {len(x)} and {len(y)}.")
    if not (np.diff(x) > 0).all():
        raise element.error(f"{whose}: the x of a {element.tag} must increase.")
    return x, y


def _through(element: Element, whose: str, x: Array, y: Array) -> Function:
    if element.tag in SPLINES:
        return Curve.spline(x, y, end="fmm")
    if element.tag == "PiecewiseLinearFunction":
        return Curve.pieces(x, np.column_stack((y[:-1], np.diff(y) / np.diff(x))))
    return _gcv(element, whose, x, y)


def _gcv(element: Element, whose: str, x: Array, y: Array) -> Function:
    """A spline through all points that goes on outside of them with half of its order."""
    half = int(element.number("half_order", 3))
    if element.number("error_variance", 0.0) > 0.0:
        raise element.error(
            f"{whose}: a GCVSpline that smooths (error_variance above 0) is not read; give it 0, or other points."
        )
    if not 2 <= half <= MOST_HALF_ORDER:
        raise element.error(f"{whose}: a GCVSpline must have a half order from 2 to {MOST_HALF_ORDER}, not {half}.")
    if len(x) < 2 * half:
        raise element.error(f"{whose}: a GCVSpline of half order {half} needs {2 * half} points, not {len(x)}.")
    flat = [(order, 0.0) for order in range(half, 2 * half - 1)]
    spline = make_interp_spline(x, y, k=2 * half - 1, bc_type=(flat, flat))
    table = np.array([spline.derivative(order)(x) / factorial(order) for order in range(1, 2 * half - 1)])
    inner = np.column_stack((y, table.T, _highest(spline, x, half)))
    before, behind = inner[:1].copy(), inner[-1:].copy()
    before[:, half:] = behind[:, half:] = 0.0
    return Curve(x, (x[0], *x), np.vstack((before, inner[:-1], behind)))


def _highest(spline: BSpline, x: Array, half: int) -> Array:
    """The coefficient of the highest power behind each point, which is constant in between."""
    order = 2 * half - 1
    middle = np.append(0.5 * (x[:-1] + x[1:]), x[-1])
    return np.asarray(spline.derivative(order)(middle)) / factorial(order)
