"""Revolute joint: one rotation about a fixed axis. q is the angle, v its rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import inline
from ..pose import Pose
from ..rotations import about_axis
from ..spatial import Frame, Motion, turning, zero_vector
from .axis import OneAxis, axis_of, turn_about
from .contract import Array, JointKernels


@inline
def transform(par: tuple[float, ...], q: tuple[Any]) -> Frame:
    return about_axis(axis_of(par), q[0]), zero_vector(q[0])


@inline
def columns(par: tuple[float, ...], _q: tuple[Any], X: Frame) -> tuple[Motion]:
    return (turning(X, axis_of(par)),)


class Revolute(OneAxis):
    """A hinge.

    >>> import regraft as rg
    >>> rg.Revolute(axis=(0, 2, 0), damping=0.1)
    Revolute(axis=(0, 1, 0), damping=0.1)
    """

    nq = nv = limited = 1
    kernels = JointKernels(transform, columns)
    __slots__ = ()

    def nearest(self, relative: Pose) -> Array:
        return np.array([turn_about(self.axis, relative.rotation)])
