"""Universal joint: a rotation about axis1, fixed to the parent, then one about axis2, fixed to the child."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.rotations import about_axis
from ..algebra.scalars import angle, zero
from ..algebra.spatial import (
    Motion,
    Transform,
    Vector,
    cross,
    dot,
    multiply,
    rotate,
    scale,
    subtract,
    turning,
    zero_spatial,
    zero_vector,
)
from ..compilation import inline
from ..errors import ModelError
from ..tolerances import PARALLEL
from .axis import axis_of, turn_about
from .contract import Array, JointKernels, JointType, unit
from .settings import BOUNDING, RESISTING


@inline
def second_axis(par: tuple[float, ...]) -> Vector:
    """The axis that is fixed to the child."""
    return (par[3], par[4], par[5])


@inline
def first_axis_in_child(par: tuple[float, ...], q: tuple[Any, Any]) -> Vector:
    """The parent's axis as the child sees it."""
    return rotate(about_axis(second_axis(par), -q[1]), axis_of(par))


@inline
def transform(par: tuple[float, ...], q: tuple[Any, Any]) -> Transform:
    return multiply(about_axis(axis_of(par), q[0]), about_axis(second_axis(par), q[1])), zero_vector(q[0])


@inline
def columns(par: tuple[float, ...], q: tuple[Any, Any], X: Transform) -> tuple[Motion, Motion]:
    return (turning(X, first_axis_in_child(par, q)), turning(X, second_axis(par)))


@inline
def rates(par: tuple[float, ...], q: tuple[Any, Any], v: tuple[Any, Any], X: Transform) -> tuple[Motion, Motion]:
    turned_away = scale(zero(v[1]) - v[1], cross(second_axis(par), first_axis_in_child(par, q)))
    return (turning(X, turned_away), zero_spatial(v[0]))


@inline
def nearest(par: tuple[float, ...], X: Transform) -> tuple[Any, Any]:
    # R a2 = rot(a1, q1) a2 gives the first angle from where the child's axis went, the rest is the second
    a1, a2 = axis_of(par), second_axis(par)
    went = rotate(X[0], a2)
    start, end = subtract(a2, scale(dot(a1, a2), a1)), subtract(went, scale(dot(a1, went), a1))
    first = angle(dot(a1, cross(start, end)), dot(start, end))
    return first, turn_about(a2, multiply(about_axis(a1, -first), X[0]))


class Universal(JointType):
    """A Cardan joint: a turn about an axis of the parent, then one about an axis of the child. q = (angle 1, angle 2).

    Parameters
    ----------
    axis1 : (3,) array_like
        The axis that is fixed to the parent.
    axis2 : (3,) array_like
        The axis that is fixed to the child; it must not be parallel to the first one.
    **settings
        As `JointType` has them; limits bound the two angles.

    Raises
    ------
    ModelError
        If the axes are parallel.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Universal(axis1=(1, 0, 0), axis2=(0, 1, 0)).nv
    2
    """

    nq = nv = limited = 2
    turns = (0, 1)
    kernels = JointKernels(transform, columns, nearest, rates=rates)
    __slots__ = ("axis1", "axis2")
    axis1: tuple[float, float, float]
    axis2: tuple[float, float, float]

    def __init__(self, axis1: ArrayLike, axis2: ArrayLike, **settings: Any) -> None:
        super().__init__(**settings)
        self._set(axis1=unit("Universal: axis1", axis1), axis2=unit("Universal: axis2", axis2))
        if np.linalg.norm(np.cross(self.axis1, self.axis2)) < PARALLEL:
            raise ModelError("Universal: axis1 and axis2 are parallel; use Revolute for one axis, or turn one of them.")

    def arguments(self) -> dict[str, Any]:
        return {"axis1": self.axis1, "axis2": self.axis2}

    def parameters(self) -> tuple[float, ...]:
        return (*self.axis1, *self.axis2)

    def reversed(self) -> Universal:
        swapped: dict[str, Any] = {what: getattr(self, what)[::-1] for what in (*RESISTING, *BOUNDING)}
        limits, rest = self.limits and self.limits.negated().swapped(), self.reverse(self.rest)
        return Universal(self.axis2, self.axis1, actuated=self.actuated, limits=limits, rest=rest, **swapped)

    def reverse(self, q: ArrayLike) -> Array:
        return -np.asarray(q, float)[::-1]
