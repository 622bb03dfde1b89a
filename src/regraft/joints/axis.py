"""What joints with one axis have in common."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ..algebra.scalars import Scalar, angle
from ..algebra.spatial import Rotation, Vector, dot, rotate
from ..compilation import inline
from .contract import JointType, unit


@inline
def axis_of(par: tuple[float, ...]) -> Vector:
    """The first three parameters: a joint's axis."""
    return (par[0], par[1], par[2])


@inline
def turn_about(a: Vector, R: Rotation) -> Scalar:
    """The angle about a unit axis that brings the identity nearest to a rotation."""
    sine = dot(a, (R[7] - R[5], R[2] - R[6], R[3] - R[1]))
    cosine = R[0] + R[4] + R[8] - dot(a, rotate(R, a))
    return angle(sine, cosine)


class OneAxis(JointType):
    """A joint type that is described by one axis."""

    __slots__ = ("axis",)
    axis: tuple[float, float, float]

    def __init__(self, axis: ArrayLike, **settings: Any) -> None:
        super().__init__(**settings)
        self._set(axis=unit(f"{type(self).__name__}: axis", axis))

    def arguments(self) -> dict[str, Any]:
        return {"axis": self.axis}

    def parameters(self) -> tuple[float, ...]:
        return self.axis
