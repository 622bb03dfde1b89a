"""Revolute joint: one rotation about a fixed axis. q is the angle, v its rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..algebra.rotations import about_axis
from ..algebra.scalars import sincos
from ..algebra.spatial import Motion, Transform, axis_x, axis_y, axis_z, turning, turning_about, zero_vector
from ..compilation import inline
from .axis import OneAxis, axis_of, turn_about
from .contract import JointKernels

_FORMS = {(1.0, 0.0, 0.0): 1, (0.0, 1.0, 0.0): 2, (0.0, 0.0, 1.0): 3}
"""Most hinges turn about a coordinate axis, where a rotation mixes two columns of a matrix and leaves the third."""


@inline
def transform(par: tuple[float, ...], q: tuple[Any]) -> Transform:
    return about_axis(axis_of(par), q[0]), zero_vector(q[0])


@inline
def columns(par: tuple[float, ...], _q: tuple[Any], X: Transform) -> tuple[Motion]:
    return (turning(X, axis_of(par)),)


@inline
def nearest(par: tuple[float, ...], X: Transform) -> tuple[Any]:
    return (turn_about(axis_of(par), X[0]),)


@inline
def place_x(_par: tuple[float, ...], q: tuple[Any], X: Transform) -> Transform:
    (a, b, c, d, e, f, g, h, i), p = X
    sine, cosine = sincos(q[0])
    return (
        *(a, cosine * b + sine * c, cosine * c - sine * b),
        *(d, cosine * e + sine * f, cosine * f - sine * e),
        *(g, cosine * h + sine * i, cosine * i - sine * h),
    ), p


@inline
def place_y(_par: tuple[float, ...], q: tuple[Any], X: Transform) -> Transform:
    (a, b, c, d, e, f, g, h, i), p = X
    sine, cosine = sincos(q[0])
    return (
        *(cosine * a - sine * c, b, cosine * c + sine * a),
        *(cosine * d - sine * f, e, cosine * f + sine * d),
        *(cosine * g - sine * i, h, cosine * i + sine * g),
    ), p


@inline
def place_z(_par: tuple[float, ...], q: tuple[Any], X: Transform) -> Transform:
    (a, b, c, d, e, f, g, h, i), p = X
    sine, cosine = sincos(q[0])
    return (
        *(cosine * a + sine * b, cosine * b - sine * a, c),
        *(cosine * d + sine * e, cosine * e - sine * d, f),
        *(cosine * g + sine * h, cosine * h - sine * g, i),
    ), p


def _columns_about(axis: Callable[..., Any]) -> Callable[..., Any]:
    @inline
    def columns_about(_par: tuple[float, ...], _q: tuple[Any], X: Transform) -> tuple[Motion]:
        return (turning_about(axis(X[0]), X[1]),)

    return columns_about


class Revolute(OneAxis):
    """A hinge: one rotation about a fixed axis. q is the angle in radians, v its rate.

    Parameters
    ----------
    axis : (3,) array_like
        Its direction in the joint's frames; it need not have unit length.
    **settings
        As `JointType` has them; limits bound the angle.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Revolute(axis=(0, 2, 0), damping=0.1)
    Revolute(axis=(0, 1, 0), damping=0.1)
    """

    nq = nv = limited = 1
    turns = (0,)
    kernels = JointKernels(transform, columns, nearest)
    forms = (
        JointKernels(transform, _columns_about(axis_x), nearest, place_x),
        JointKernels(transform, _columns_about(axis_y), nearest, place_y),
        JointKernels(transform, _columns_about(axis_z), nearest, place_z),
    )
    __slots__ = ()

    def form(self) -> int:
        return _FORMS.get(self.axis, 0)
