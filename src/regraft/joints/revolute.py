"""Revolute joint: one rotation about a fixed axis. q is the angle, v its rate."""

from __future__ import annotations

from typing import Any

from .._jit import inline
from ..rotations import about_axis
from ..spatial import Frame, Motion, turning, zero_vector
from .axis import OneAxis, axis_of, turn_about
from .contract import JointKernels


@inline
def transform(par: tuple[float, ...], q: tuple[Any]) -> Frame:
    return about_axis(axis_of(par), q[0]), zero_vector(q[0])


@inline
def columns(par: tuple[float, ...], _q: tuple[Any], X: Frame) -> tuple[Motion]:
    return (turning(X, axis_of(par)),)


@inline
def nearest(par: tuple[float, ...], X: Frame) -> tuple[Any]:
    return (turn_about(axis_of(par), X[0]),)


class Revolute(OneAxis):
    """A hinge.

    >>> import regraft as rg
    >>> rg.Revolute(axis=(0, 2, 0), damping=0.1)
    Revolute(axis=(0, 1, 0), damping=0.1)
    """

    nq = nv = limited = 1
    kernels = JointKernels(transform, columns, nearest)
    __slots__ = ()
