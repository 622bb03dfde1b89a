"""Helical joint: a screw. q is the angle; the child advances `pitch` metres along the axis per radian."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._jit import inline
from ..pose import Pose, finite
from ..rotations import about_axis
from ..spatial import Frame, Motion, plus_times, scale, sliding, turning
from .axis import OneAxis, axis_of, turn_about
from .contract import Array, JointKernels


@inline
def transform(par: tuple[float, ...], q: tuple[Any]) -> Frame:
    return about_axis(axis_of(par), q[0]), scale(par[3] * q[0], axis_of(par))


@inline
def columns(par: tuple[float, ...], _q: tuple[Any], X: Frame) -> tuple[Motion]:
    return (plus_times(turning(X, axis_of(par)), par[3], sliding(X, axis_of(par))),)


class Helical(OneAxis):
    """A screw joint with its pitch in metres per radian.

    >>> import regraft as rg
    >>> rg.Helical(axis=(0, 0, 1), pitch=0.01).pose([2.0]).translation
    array([0.  , 0.  , 0.02])
    """

    nq = nv = limited = 1
    kernels = JointKernels(transform, columns)
    __slots__ = ("pitch",)
    pitch: float

    def __init__(self, axis: ArrayLike, pitch: float, **settings: Any) -> None:
        super().__init__(axis, **settings)
        self._set(pitch=float(finite("Helical: pitch, in metres per radian,", pitch, ())))

    def arguments(self) -> dict[str, Any]:
        return {"axis": self.axis, "pitch": self.pitch}

    def parameters(self) -> tuple[float, ...]:
        return (*self.axis, self.pitch)

    def nearest(self, relative: Pose) -> Array:
        turn = turn_about(self.axis, relative.rotation)
        if self.pitch:  # the advance tells how many whole turns there are
            advance = float(np.dot(self.axis, relative.translation)) / self.pitch
            turn += 2 * np.pi * round((advance - turn) / (2 * np.pi))
        return np.array([turn])
