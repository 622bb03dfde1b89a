"""Prismatic joint: one translation along a fixed axis. q is the distance, v its rate."""

from __future__ import annotations

from typing import Any

from ..algebra.spatial import Motion, Transform, add, dot, identity, rotate, scale, sliding
from ..compilation import inline
from .axis import OneAxis, axis_of
from .contract import JointKernels


@inline
def transform(par: tuple[float, ...], q: tuple[Any]) -> Transform:
    return identity(q[0]), scale(q[0], axis_of(par))


@inline
def columns(par: tuple[float, ...], _q: tuple[Any], X: Transform) -> tuple[Motion]:
    return (sliding(X, axis_of(par)),)


@inline
def place(par: tuple[float, ...], q: tuple[Any], X: Transform) -> Transform:
    return X[0], add(X[1], scale(q[0], rotate(X[0], axis_of(par))))


@inline
def nearest(par: tuple[float, ...], X: Transform) -> tuple[Any]:
    return (dot(axis_of(par), X[1]),)


class Prismatic(OneAxis):
    """A slider: one translation along a fixed axis. q is the way in metres, v its rate.

    Parameters
    ----------
    axis : (3,) array_like
        Its direction in the joint's frames; it need not have unit length.
    **settings
        As `JointType` has them; limits bound the way.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Prismatic(axis=(1, 0, 0), limits=(-0.5, 0.5)).limits.upper
    (0.5,)
    """

    nq = nv = limited = 1
    kernels = JointKernels(transform, columns, nearest, place)
    __slots__ = ()
