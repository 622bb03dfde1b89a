"""`BranchPoint`: a bifurcation on a branch of periodic motions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..describe.state import State

Multipliers = NDArray[np.complex128]


class BranchPoint(tuple[str, float]):
    """A bifurcation on a branch: the pair (kind, parameter), with more by name; in `Branch.points`.

    Attributes
    ----------
    kind : {"flip", "fold", "neimark-sacker", "branch"}
        What happens: a multiplier goes through −1 (the period doubles), through +1 where the branch turns back, a pair of
        complex ones through the unit circle, or another branch crosses this one.
    parameter : float
        Where.
    number : int
        Which one of the points of the branch it is.
    period : float
        Of the motion there, in seconds.
    state : State
        Its state, just after the section event.
    multipliers : (2 nv,) complex array
        Its multipliers, the largest first.
    angle : float
        Of the multipliers on the unit circle at a Neimark–Sacker bifurcation, rad; else NaN.
    """

    number: int
    period: float
    state: State
    multipliers: Multipliers
    angle: float

    def __new__(  # noqa: D102
        cls, kind: str, parameter: float, number: int, period: float, state: State, multipliers: Multipliers, angle: float
    ) -> BranchPoint:
        made = super().__new__(cls, (kind, parameter))
        made.number, made.period, made.state, made.multipliers, made.angle = number, period, state, multipliers, angle
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (*self, self.number, self.period, self.state, self.multipliers, self.angle)

    @property
    def kind(self) -> str:
        """What happens there."""
        return self[0]

    @property
    def parameter(self) -> float:
        """Where it is."""
        return self[1]
