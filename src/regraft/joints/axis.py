"""What joints with one axis have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._jit import inline
from ..spatial import Vector
from .contract import Array, JointType, unit


@inline
def axis_of(par: tuple[float, ...]) -> Vector:
    """The first three parameters: a joint's axis."""
    return (par[0], par[1], par[2])


def turn_about(axis: ArrayLike, rotation: Array) -> float:
    """The angle about a unit axis that brings the identity nearest to a rotation."""
    a = np.asarray(axis, float)
    sine = 0.5 * float(a @ (rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]))
    cosine = 0.5 * float(np.trace(rotation) - a @ rotation @ a)
    return float(np.arctan2(sine, cosine))


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
