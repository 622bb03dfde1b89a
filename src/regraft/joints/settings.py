"""What every joint type has besides its axes: damping, a motor, a rotor, a spring, friction, and bounds. Checked here."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite, real_numbers
from ..errors import ModelError, StructureError, listed

Array = NDArray[np.float64]

NONE: ArrayLike = 0.0
"""The default of settings that most joints do not have."""
RESISTING = ("damping", "armature", "stiffness", "friction")
"""Settings with one number for each velocity, 0 unless given."""
BOUNDING = ("effort", "speed")
"""Settings with one number for each velocity, infinite unless given."""
SETTINGS = (*RESISTING, *BOUNDING, "actuated", "limits", "rest")
"""All of them, by the names that constructors take."""


def _each(value: float | Array, nv: int) -> Array:
    """An array that cannot be written to: one number for each velocity."""
    numbers = np.array([value] * nv) if isinstance(value, float) else np.full(nv, value)
    numbers.setflags(write=False)
    return numbers


_ZEROS, _UNBOUNDED = ([_each(value, nv) for nv in range(7)] for value in (0.0, math.inf))  # made once: most joints have these


def is_left_out(numbers: Array) -> bool:
    """Whether a setting of RESISTING or BOUNDING was not given; a quick look at what most joints do not have."""
    return numbers is _ZEROS[len(numbers)] or numbers is _UNBOUNDED[len(numbers)]


def not_negative(name: str, what: str, given: ArrayLike | float, nv: int) -> Array:
    """One number for each velocity, from that or from one number for all."""
    if given is NONE or given is _ZEROS[nv] or (isinstance(given, float) and given == 0.0):
        return _ZEROS[nv]
    if isinstance(given, float) and 0.0 < given < math.inf:
        return _each(given, nv)
    numbers = _for_each(name, what, given, nv)
    if not (np.isfinite(numbers).all() and (numbers >= 0).all()):
        raise ModelError(f"{name}: {what} must be finite and not negative, not {numbers.tolist()}.")
    return _each(numbers, nv)


def bound(name: str, what: str, given: ArrayLike | None, nv: int) -> Array:
    """The largest size of each velocity or torque; infinite where there is no bound."""
    if given is None or given is _UNBOUNDED[nv]:
        return _UNBOUNDED[nv]
    if isinstance(given, float) and given >= 0.0:
        return _each(given, nv)
    if isinstance(given, list | tuple):
        given = [math.inf if one is None else one for one in given]  # as JSON has it
    numbers = _for_each(name, what, given, nv)
    if not (numbers >= 0).all():
        raise ModelError(f"{name}: {what} is the largest size that there may be, so it must not be negative: {numbers.tolist()}.")
    return _each(numbers, nv)


def rest_position(name: str, given: ArrayLike, neutral: Array) -> Array:
    """Where a joint's spring is at rest; one number will do for a joint with one coordinate."""
    numbers = real_numbers(f"{name}: rest", given)
    return finite(f"{name}: rest", np.atleast_1d(numbers) if neutral.size == 1 else numbers, neutral.shape)


def plain(values: Array) -> list[float | None]:
    """Numbers for a file; an infinite one, which JSON has none for, is None."""
    return [None if math.isinf(value) else value for value in values.tolist()]


def same(values: Array) -> bool:
    """Whether a setting is one number for all of its velocities."""
    return bool((values == values[:1]).all())


def refuse_to_reverse(name: str, settings: Iterable[str]) -> None:
    """An error where a joint has settings that the reversed joint cannot have."""
    if unlike := tuple(settings):
        raise StructureError(
            f"a {name} joint with this {listed(unlike)} cannot be reversed: it acts along axes, or at a point, of one of its "
            "bodies, and the reversed joint has those of the other; leave it out, or keep parent and child as they are."
        )


def _for_each(name: str, what: str, given: ArrayLike, nv: int) -> Array:
    numbers = real_numbers(f"{name}: {what}", given)
    if numbers.shape not in ((), (nv,)):
        raise ModelError(f"{name}: {what} must be one number, or one for each of its {nv} velocities; got shape {numbers.shape}.")
    return numbers
