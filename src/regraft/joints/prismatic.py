"""Prismatic joint: one translation along a fixed axis. q is the distance, v its rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import inline
from ..pose import Pose
from ..spatial import Frame, Motion, identity, scale, sliding
from .axis import OneAxis, axis_of
from .contract import Array, JointKernels


@inline
def transform(par: tuple[float, ...], q: tuple[Any]) -> Frame:
    return identity(q[0]), scale(q[0], axis_of(par))


@inline
def columns(par: tuple[float, ...], _q: tuple[Any], X: Frame) -> tuple[Motion]:
    return (sliding(X, axis_of(par)),)


class Prismatic(OneAxis):
    """A slider.

    >>> import regraft as rg
    >>> rg.Prismatic(axis=(1, 0, 0), limits=(-0.5, 0.5)).limits.upper
    (0.5,)
    """

    nq = nv = limited = 1
    kernels = JointKernels(transform, columns)
    __slots__ = ()

    def nearest(self, relative: Pose) -> Array:
        return np.array([float(np.dot(self.axis, relative.translation))])
