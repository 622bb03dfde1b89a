"""Joint limits: stiff, damped, one-sided torques beyond a lower and an upper bound (S2, VII-B)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.pose import finite_number, real_numbers
from ..errors import ModelError


@dataclass(frozen=True)
class Limits:
    """Soft bounds on a joint's coordinates, held by a one-sided spring that dissipates.

    A coordinate that has gone beyond its bound by e, at the outward rate ė, meets the force ``stiffness · e · (1 + dissipation ·
    ė)``, never less than 0: it grows from 0 at the bound, only pushes back, and takes energy out on the way (Hunt and Crossley,
    1975).

    Parameters
    ----------
    lower, upper : float or array_like
        The bounds, one for each coordinate that the joint type can bound; ``-math.inf`` or ``math.inf`` for a side without one.
    stiffness : float, optional
        Torque, or force, per radian, or metre, beyond the bound.
    dissipation : float, optional
        How much of the force grows with the outward rate, in s/rad or s/m.

    Raises
    ------
    ModelError
        If a lower bound is not below its upper one, the stiffness is not positive or the dissipation is negative.

    Examples
    --------
    >>> import math, regraft as rg
    >>> rg.Revolute((0, 1, 0), limits=rg.Limits(0.0, math.inf, stiffness=500.0)).limits.stiffness
    500.0
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    stiffness: float = 1.0e4
    dissipation: float = 1.0

    def __init__(self, lower: Any, upper: Any, stiffness: float = 1.0e4, dissipation: float = 1.0) -> None:
        for name, value in (("lower", lower), ("upper", upper)):
            if isinstance(value, float):
                object.__setattr__(self, name, (float(value),))
                continue
            bounds = np.atleast_1d(real_numbers(f"limits: {name} bounds", value))
            if bounds.ndim > 1:
                raise ModelError(f"limits: {name} bounds must be one number or a row of numbers, not shape {bounds.shape}.")
            object.__setattr__(self, name, tuple(bounds.tolist()))
        object.__setattr__(self, "stiffness", finite_number("limits: stiffness", stiffness))
        object.__setattr__(self, "dissipation", finite_number("limits: dissipation", dissipation))
        if len(self.lower) != len(self.upper):
            raise ModelError(f"limits: {len(self.lower)} lower bounds but {len(self.upper)} upper ones.")
        for low, high in zip(self.lower, self.upper, strict=True):
            if math.isnan(low) or math.isnan(high) or not low < high:
                raise ModelError(f"limits: the lower bound {low:g} must be below the upper bound {high:g}.")
        if not (self.stiffness > 0 and self.dissipation >= 0):
            raise ModelError("limits: stiffness must be positive and dissipation not negative.")

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

    def negated(self) -> Limits:
        """The limits of a joint whose numbers have the other sign."""
        lower, upper = ([-bound for bound in bounds] for bounds in (self.upper, self.lower))
        return Limits(lower, upper, self.stiffness, self.dissipation)

    def swapped(self) -> Limits:
        """The limits of a joint whose numbers come in the opposite order."""
        return Limits(self.lower[::-1], self.upper[::-1], self.stiffness, self.dissipation)

    def to_list(self) -> list[Any]:
        """Plain data for a file; a side without a bound, which JSON has no number for, is None."""
        lower, upper = ([None if math.isinf(x) else x for x in bounds] for bounds in (self.lower, self.upper))
        return [lower, upper, self.stiffness, self.dissipation]

    @staticmethod
    def from_list(data: list[Any]) -> Limits:
        """The limits of `to_list`."""
        try:
            lower, upper, stiffness, dissipation = data
            lower, upper = list(lower), list(upper)
        except (TypeError, ValueError):
            raise ModelError(f"limits must be [lower, upper, stiffness, dissipation], not {data!r}.") from None
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
