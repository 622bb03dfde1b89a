"""Helical joint: a screw. q is the angle; the child advances `pitch` metres along the axis per radian."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import ArrayLike

from ..algebra.pose import finite_number
from ..algebra.rotations import about_axis
from ..algebra.spatial import Motion, Transform, dot, plus_times, scale, sliding, turning
from ..compilation import inline
from .axis import OneAxis, axis_of, turn_about
from .contract import JointKernels


@inline
def transform(par: tuple[float, ...], q: tuple[Any]) -> Transform:
    return about_axis(axis_of(par), q[0]), scale(par[3] * q[0], axis_of(par))


@inline
def columns(par: tuple[float, ...], _q: tuple[Any], X: Transform) -> tuple[Motion]:
    return (plus_times(turning(X, axis_of(par)), par[3], sliding(X, axis_of(par))),)


@inline
def nearest(par: tuple[float, ...], X: Transform) -> tuple[Any]:
    turn, pitch = turn_about(axis_of(par), X[0]), par[3]
    if pitch != 0.0:  # the advance tells how many whole turns there are
        advance = dot(axis_of(par), X[1]) / pitch
        turn += 2.0 * math.pi * math.floor((advance - turn).real / (2.0 * math.pi) + 0.5)
    return (turn,)


class Helical(OneAxis):
    """A screw: a rotation about an axis that moves it along the axis. q is the angle in radians, v its rate.

    Parameters
    ----------
    axis : (3,) array_like
        Its direction in the joint's frames; it need not have unit length.
    pitch : float
        Metres per radian.
    **settings
        As `JointType` has them; limits bound the angle.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Helical(axis=(0, 0, 1), pitch=0.01).pose([2.0]).translation
    array([0.  , 0.  , 0.02])
    """

    nq = nv = limited = 1
    kernels = JointKernels(transform, columns, nearest)
    __slots__ = ("pitch",)
    pitch: float

    def __init__(self, axis: ArrayLike, pitch: float, **settings: Any) -> None:
        super().__init__(axis, **settings)
        self._set(pitch=finite_number("Helical: pitch, in metres per radian,", pitch))

    def arguments(self) -> dict[str, Any]:
        return {"axis": self.axis, "pitch": self.pitch}

    def parameters(self) -> tuple[float, ...]:
        return (*self.axis, self.pitch)
