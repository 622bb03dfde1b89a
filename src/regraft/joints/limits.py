"""Joint limits: stiff, damped, one-sided torques beyond a lower and an upper bound (S2, VII-B)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError


@dataclass(frozen=True)
class Limits:
    """Bounds on a joint's coordinates, held by a one-sided spring that dissipates.

    A coordinate that has gone beyond its bound by e, at the outward rate ė, meets the force
    ``stiffness · e · (1 + dissipation · ė)``, never less than 0: it grows from 0 at the bound, only pushes back, and takes energy
    out on the way (Hunt and Crossley, 1975).
    Use ``-math.inf`` or ``math.inf`` for a side without a bound.
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    stiffness: float = 1.0e4
    dissipation: float = 1.0

    def __init__(self, lower: Any, upper: Any, stiffness: float = 1.0e4, dissipation: float = 1.0) -> None:
        try:
            for name, value in (("lower", lower), ("upper", upper)):
                object.__setattr__(self, name, tuple(float(x) for x in np.atleast_1d(np.asarray(value, dtype=float))))
            object.__setattr__(self, "stiffness", float(stiffness))
            object.__setattr__(self, "dissipation", float(dissipation))
        except (TypeError, ValueError):
            raise ModelError(f"limits must be numbers, not {(lower, upper, stiffness, dissipation)!r}.") from None
        if len(self.lower) != len(self.upper):
            raise ModelError(f"limits: {len(self.lower)} lower bounds but {len(self.upper)} upper ones.")
        for low, high in zip(self.lower, self.upper, strict=True):
            if math.isnan(low) or math.isnan(high) or not low < high:
                raise ModelError(f"limits: the lower bound {low:g} must be below the upper bound {high:g}.")
        if not (0 < self.stiffness < math.inf and 0 <= self.dissipation < math.inf):
            raise ModelError("limits: stiffness must be positive and dissipation not negative, both finite.")

    @staticmethod
    def of(joint: str, given: Any, measures: int) -> Limits | None:
        """Limits from None, a pair (lower, upper) or Limits, checked against what the joint type can bound."""
        if given is None:
            return None
        if measures == 0:
            raise ModelError(f"{joint} has no coordinate that limits can bound; leave limits out.")
        limits = given if isinstance(given, Limits) else Limits(*_pair(joint, given))
        if len(limits.lower) != measures:
            raise ModelError(f"{joint}: limits need {measures} lower and upper bounds, not {len(limits.lower)}.")
        return limits

    def reversed(self) -> Limits:
        """The limits of a joint whose numbers have their signs and their order reversed."""
        lower, upper = ([-bound for bound in bounds[::-1]] for bounds in (self.upper, self.lower))
        return Limits(lower, upper, self.stiffness, self.dissipation)

    def to_list(self) -> list[Any]:
        """Plain data for a file; a side without a bound, which JSON has no number for, is None."""
        lower, upper = ([None if math.isinf(x) else x for x in bounds] for bounds in (self.lower, self.upper))
        return [lower, upper, self.stiffness, self.dissipation]

    @staticmethod
    def from_list(data: list[Any]) -> Limits:
        """The limits of `to_list`."""
        lower, upper, stiffness, dissipation = data
        return Limits(
            [-math.inf if x is None else x for x in lower],
            [math.inf if x is None else x for x in upper],
            stiffness,
            dissipation,
        )


def _pair(joint: str, given: Any) -> tuple[Any, Any]:
    try:
        lower, upper = given
    except (TypeError, ValueError):
        raise ModelError(f"{joint}: limits must be a pair (lower, upper) or Limits(...), not {given!r}.") from None
    return lower, upper
