"""Cylindrical joint: a rotation about and a translation along the same axis. q = (angle, distance)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._jit import inline
from ..pose import Pose
from ..rotations import about_axis
from ..spatial import Frame, Motion, scale, sliding, turning
from .contract import Array, JointKernels, JointType, unit
from .revolute import axis_of, turn_about


@inline
def transform(par: tuple[float, ...], q: tuple[Any, Any]) -> Frame:
    return about_axis(axis_of(par), q[0]), scale(q[1], axis_of(par))


@inline
def columns(par: tuple[float, ...], _q: tuple[Any, Any], X: Frame) -> tuple[Motion, Motion]:
    return (turning(X, axis_of(par)), sliding(X, axis_of(par)))


class Cylindrical(JointType):
    """A shaft that turns and slides in its sleeve.

    >>> import regraft as rg
    >>> rg.Cylindrical(axis=(0, 0, 1)).pose([0.0, 0.3]).translation
    array([0. , 0. , 0.3])
    """

    nq = nv = limited = 2
    kernels = JointKernels(transform, columns)
    __slots__ = ("axis",)

    def __init__(self, axis: ArrayLike, **settings: Any) -> None:
        super().__init__(**settings)
        self.axis = unit("Cylindrical: axis", axis)

    def arguments(self) -> dict[str, Any]:
        return {"axis": self.axis}

    def parameters(self) -> tuple[float, ...]:
        return self.axis

    def nearest(self, relative: Pose) -> Array:
        return np.array([turn_about(self.axis, relative.rotation), float(np.dot(self.axis, relative.translation))])
