"""Cylindrical joint: a rotation about and a translation along the same axis. q = (angle, distance)."""

from __future__ import annotations

from typing import Any

from ..algebra.rotations import about_axis
from ..algebra.spatial import Motion, Transform, dot, scale, sliding, turning
from ..compilation import inline
from .axis import OneAxis, axis_of, turn_about
from .contract import JointKernels


@inline
def transform(par: tuple[float, ...], q: tuple[Any, Any]) -> Transform:
    return about_axis(axis_of(par), q[0]), scale(q[1], axis_of(par))


@inline
def columns(par: tuple[float, ...], _q: tuple[Any, Any], X: Transform) -> tuple[Motion, Motion]:
    return (turning(X, axis_of(par)), sliding(X, axis_of(par)))


@inline
def nearest(par: tuple[float, ...], X: Transform) -> tuple[Any, Any]:
    return turn_about(axis_of(par), X[0]), dot(axis_of(par), X[1])


class Cylindrical(OneAxis):
    """A shaft that turns and slides in its sleeve. q = (angle about the axis, way along it), v their rates.

    Parameters
    ----------
    axis : (3,) array_like
        Its direction in the joint's frames; it need not have unit length.
    **settings
        As `JointType` has them; limits bound the angle and the way.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Cylindrical(axis=(0, 0, 1)).pose([0.0, 0.3]).translation
    array([0. , 0. , 0.3])
    """

    nq = nv = limited = 2
    turns = (0,)
    kernels = JointKernels(transform, columns, nearest)
    __slots__ = ()
