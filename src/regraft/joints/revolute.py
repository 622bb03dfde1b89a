"""Revolute joint: one rotation about a fixed axis. q is the angle, v its rate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._jit import inline
from ..pose import Pose
from ..rotations import about_axis
from ..spatial import Frame, Motion, Vector, turning, zero_vector
from .contract import Array, JointKernels, JointType, unit


@inline
def axis_of(par: tuple[float, ...]) -> Vector:
    """The joint's axis."""
    return (par[0], par[1], par[2])


@inline
def transform(par: tuple[float, ...], q: tuple[Any]) -> Frame:
    return about_axis(axis_of(par), q[0]), zero_vector(q[0])


@inline
def columns(par: tuple[float, ...], _q: tuple[Any], X: Frame) -> tuple[Motion]:
    return (turning(X, axis_of(par)),)


def turn_about(axis: ArrayLike, rotation: Array) -> float:
    """The angle about a unit axis that brings the identity nearest to a rotation."""
    a = np.asarray(axis, float)
    sine = 0.5 * float(a @ (rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]))
    cosine = 0.5 * float(np.trace(rotation) - a @ rotation @ a)
    return float(np.arctan2(sine, cosine))


class Revolute(JointType):
    """A hinge.

    >>> import regraft as rg
    >>> rg.Revolute(axis=(0, 2, 0), damping=0.1)
    Revolute(axis=(0, 1, 0), damping=(0.1))
    """

    nq = nv = limited = 1
    kernels = JointKernels(transform, columns)
    __slots__ = ("axis",)

    def __init__(self, axis: ArrayLike, **settings: Any) -> None:
        super().__init__(**settings)
        self.axis = unit("Revolute: axis", axis)

    def arguments(self) -> dict[str, Any]:
        return {"axis": self.axis}

    def parameters(self) -> tuple[float, ...]:
        return self.axis

    def nearest(self, relative: Pose) -> Array:
        return np.array([turn_about(self.axis, relative.rotation)])
