"""Planar joint: two translations in a plane of the parent, then a rotation about its normal. q = (x, y, angle), v = q̇."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.rotations import about_axis
from ..algebra.spatial import Motion, Transform, Vector, add, cross, dot, rotate, scale, sliding, turning, zero_spatial
from ..compilation import inline
from ..errors import StructureError
from .axis import axis_of, turn_about
from .contract import Array, JointKernels, JointType, unit
from .settings import BOUNDING, refuse_to_reverse, same


@inline
def in_plane(par: tuple[float, ...]) -> tuple[Vector, Vector]:
    """The two directions of the plane."""
    x = (par[3], par[4], par[5])
    return x, cross(axis_of(par), x)


@inline
def transform(par: tuple[float, ...], q: tuple[Any, Any, Any]) -> Transform:
    x, y = in_plane(par)
    return about_axis(axis_of(par), q[2]), add(scale(q[0], x), scale(q[1], y))


@inline
def directions_in_child(par: tuple[float, ...], q: tuple[Any, Any, Any]) -> tuple[Vector, Vector]:
    """The parent's directions as the child sees them."""
    x, y = in_plane(par)
    back = about_axis(axis_of(par), -q[2])
    return rotate(back, x), rotate(back, y)


@inline
def columns(par: tuple[float, ...], q: tuple[Any, Any, Any], X: Transform) -> tuple[Motion, Motion, Motion]:
    x, y = directions_in_child(par, q)
    return (sliding(X, x), sliding(X, y), turning(X, axis_of(par)))


@inline
def rates(
    par: tuple[float, ...], q: tuple[Any, Any, Any], v: tuple[Any, Any, Any], X: Transform
) -> tuple[Motion, Motion, Motion]:
    x, y = directions_in_child(par, q)
    # the child turns, so x and y turn the other way for it: n × x = y, n × y = −x
    return (sliding(X, scale(-v[2], y)), sliding(X, scale(v[2], x)), zero_spatial(v[0]))


@inline
def nearest(par: tuple[float, ...], X: Transform) -> tuple[Any, Any, Any]:
    x, y = in_plane(par)
    return dot(x, X[1]), dot(y, X[1]), turn_about(axis_of(par), X[0])


class Planar(JointType):
    """Sliding and turning on a plane. q = (x, y, angle about the normal), v their rates; x and y are along the parent's axes.

    The first in-plane direction is the coordinate axis most nearly in the plane, projected onto it; the second completes a
    right-handed frame.

    Parameters
    ----------
    normal : (3,) array_like
        The normal of the plane in the joint's frames; it need not have unit length.
    **settings
        As `JointType` has them; limits bound all three numbers.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Planar(normal=(0, 0, 1)).pose([0.1, 0.2, 0.0]).translation
    array([0.1, 0.2, 0. ])
    """

    nq = nv = limited = 3
    turns = (2,)
    kernels = JointKernels(transform, columns, nearest, rates=rates)
    __slots__ = ("normal", "x_axis")
    normal: tuple[float, float, float]
    x_axis: tuple[float, float, float]

    def __init__(self, normal: ArrayLike, **settings: Any) -> None:
        super().__init__(**settings)
        self._set(normal=unit("Planar: normal", normal))
        n = np.array(self.normal)
        across = np.eye(3)[int(np.argmin(np.abs(n)))]
        self._set(x_axis=unit("Planar: x", across - n * (n @ across)))

    def arguments(self) -> dict[str, Any]:
        return {"normal": self.normal}

    def parameters(self) -> tuple[float, ...]:
        return (*self.normal, *self.x_axis)

    def reversed(self) -> Planar:
        if self.limits is not None:
            raise StructureError("a Planar joint's limits are bounds along its parent's axes; its child has no such bounds.")
        unlike = [what for what in ("damping", "armature", "friction") if getattr(self, what)[:2].any()]
        pulled = bool(self.stiffness[:2].any())
        unlike += ["stiffness"] * (pulled and (bool(self.rest[:2].any()) or not same(self.stiffness[:2])))
        refuse_to_reverse("Planar", unlike + [what for what in BOUNDING if np.isfinite(getattr(self, what)[:2]).any()])
        found = self.with_settings(rest=self.reverse(self.rest))
        assert isinstance(found, Planar)
        return found

    def reverse(self, q: ArrayLike) -> Array:
        x, y, turn = np.asarray(q, float)
        s, c = np.sin(turn), np.cos(turn)
        return np.array([-c * x - s * y, s * x - c * y, -turn])
