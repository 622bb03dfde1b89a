"""What stays the same in all segments of a run, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.pose import finite
from ..describe.mechanism import Mechanism
from ..errors import ModelError, listed
from .drives import Torques, pushes_of, torques_of
from .integrators import INTEGRATORS, Integrator
from .laws import Home

_MOST = 10**18  # what the compiled loop can count


@dataclass(frozen=True)
class Settings:
    """What stays the same in all segments."""

    home: Home
    torque: Torques | None
    wrenches: Any
    rtol: float
    atol: float
    first_step: float
    largest: float
    every: int
    coordinates: str
    stabilise: bool
    max_steps: int | None = None


def method_of(name: str) -> Integrator:
    """An integrator by its name."""
    if not isinstance(name, str) or name not in INTEGRATORS:
        raise ModelError(f"integrator must be one of {listed(INTEGRATORS)}, not {name!r}.")
    return INTEGRATORS[name]


def settings_of(
    method: Integrator,
    mech: Mechanism,
    torque: Any,
    wrenches: Any,
    rtol: float,
    atol: float,
    step: float | None,
    every: int | None,
    coordinates: str = "reduced",
    stabilise: bool | None = None,
    max_steps: int | None = None,
) -> Settings:
    """The settings of a run, checked."""
    home = Home.of(mech)
    driving, pushing = torques_of(torque, mech, home), pushes_of(wrenches, home)
    tolerances = float(finite("rtol", rtol, ())), float(finite("atol", atol, ()))
    if min(tolerances) < 0.0 or max(tolerances) == 0.0:
        raise ModelError(f"rtol and atol must be positive, not {rtol!r} and {atol!r}.")
    size = math.inf if step is None else float(finite("step", step, ()))
    if size <= 0.0:
        raise ModelError(f"step must be positive, not {size:g}.")
    if not method.adaptive and step is None:
        raise ModelError(f"integrator {method.name!r} has a fixed step: give it, such as step=1e-3.")
    for what, number in (("every", every), ("max_steps", max_steps)):
        whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if number is not None and not (whole and 1 <= number <= _MOST):
            raise ModelError(f"{what} must be a whole number of steps, from 1 to {_MOST:.0e}, not {number!r}.")
    if coordinates not in ("reduced", "maximal"):
        raise ModelError(f'coordinates must be "reduced" or "maximal", not {coordinates!r}.')
    if method.of_free_bodies and coordinates != "maximal":
        raise ModelError(f'integrator {method.name!r} moves every body by itself; it needs coordinates="maximal".')
    if stabilise is not None and not isinstance(stabilise, (bool, np.bool_)):
        raise ModelError(f"stabilise must be True or False, not {stabilise!r}.")
    closing = not method.of_free_bodies if stabilise is None else bool(stabilise)
    first = 0.0 if method.adaptive else size
    return Settings(home, driving, pushing, *tolerances, first, size, int(every or 0), coordinates, closing, max_steps)
