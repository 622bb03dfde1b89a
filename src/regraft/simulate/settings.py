"""What stays the same in all segments of a run, checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..algebra.pose import finite_number
from ..describe.contacts import Contact
from ..describe.mechanism import Mechanism
from ..errors import ModelError, listed
from ..structure.contacts import parts_of
from ..tolerances import FIXED_STEP_TAKES, LEAST_STEP_TAKES
from .drives import Torques, pushes_of, torques_of
from .integrators import INTEGRATORS, Integrator
from .laws import Home
from .motions import Motion, motions_of

_MOST = 10**18  # what the compiled loop can count


class Options(NamedTuple):
    """How a motion is to be computed, as its user says it; see `simulate`."""

    torque: Any = None
    wrenches: Any = None
    rtol: float = 1e-9
    atol: float = 1e-10
    step: float | None = None
    every: int | None = None
    coordinates: str = "reduced"
    stabilise: bool | None = None
    max_steps: int | None = None
    prescribed: Any = None
    contacts: Any = ()
    impacts: str = "simultaneous"
    resolve: str = "error"
    rubs: bool = True


@dataclass(frozen=True)
class Settings:
    """What stays the same in all segments, checked."""

    home: Home
    torque: Torques | None
    wrenches: Any
    rtol: float
    atol: float
    step: float
    """The size of a fixed step, or of the largest that an adaptive method may take."""
    every: int | None
    """Keep each so many steps a state; None: every step with its dense output."""
    maximal: bool
    """Whether every body moves by itself."""
    stabilise: bool
    """Whether loops are closed again after each step."""
    max_steps: int | None = None
    prescribed: Mapping[str, Motion] = field(default_factory=dict)
    """Joints whose motion is prescribed, with its functions of time."""
    contacts: tuple[Contact, ...] = ()
    parts: frozenset[str] = frozenset()
    """The parts that contacts name and that are there at the start; where an event takes one away, its contacts rest."""
    sequential: bool = False
    """Whether contacts that meet at the same time have their impacts one after the other."""
    push: bool = False
    """Whether what starts within one another is moved out."""
    rubs: bool = True
    """Whether dry friction of joints holds them; else it is the smooth law of questions about one state."""
    options: Options = field(default_factory=Options)
    """What the user has said."""
    step_takes: float = LEAST_STEP_TAKES
    """The share of the kinetic energy that closing contacts after a step may take."""


def method_of(name: str) -> Integrator:
    """An integrator by its name."""
    if not isinstance(name, str) or name not in INTEGRATORS:
        raise ModelError(f"integrator must be one of {listed(INTEGRATORS)}, not {name!r}.")
    return INTEGRATORS[name]


def settings_of(method: Integrator, mech: Mechanism, options: Options) -> Settings:
    """The settings of a run, checked."""
    home = Home.of(mech)
    driving, pushing = torques_of(options.torque, mech, home), pushes_of(options.wrenches, home)
    rtol, atol = finite_number("rtol", options.rtol), finite_number("atol", options.atol)
    if min(rtol, atol) < 0.0 or max(rtol, atol) == 0.0:
        raise ModelError(f"rtol and atol must be positive, not {options.rtol!r} and {options.atol!r}.")
    step = math.inf if options.step is None else finite_number("step", options.step)
    if step <= 0.0:
        raise ModelError(f"step must be positive, not {step:g}.")
    if not method.adaptive and options.step is None:
        raise ModelError(f"integrator {method.name!r} has a fixed step: give it, such as step=1e-3.")
    every, max_steps = (_count(what, getattr(options, what)) for what in ("every", "max_steps"))
    if options.coordinates not in ("reduced", "maximal"):
        raise ModelError(f'coordinates must be "reduced" or "maximal", not {options.coordinates!r}.')
    maximal, stabilise = options.coordinates == "maximal", options.stabilise
    if method.of_free_bodies and not maximal:
        raise ModelError(f'integrator {method.name!r} moves every body by itself; it needs coordinates="maximal".')
    if stabilise is not None and not isinstance(stabilise, (bool, np.bool_)):
        raise ModelError(f"stabilise must be True or False, not {stabilise!r}.")
    closing = not method.of_free_bodies if stabilise is None else bool(stabilise)
    motions = motions_of(options.prescribed, mech)
    contacts = _contacts(options, method)
    sequential, push = options.impacts == "sequential", options.resolve == "push"
    rubs = options.rubs and not method.of_free_bodies
    step_takes = max(LEAST_STEP_TAKES, rtol, atol) if method.adaptive else FIXED_STEP_TAKES
    return Settings(
        home, driving, pushing, rtol, atol, step, every, maximal, closing, max_steps, motions,
        contacts, parts_of(mech, contacts), sequential, push, rubs, options, step_takes,
    )  # fmt: skip


def _contacts(options: Options, method: Integrator) -> tuple[Contact, ...]:
    """The contacts of a run, checked."""
    if not isinstance(options.contacts, (Contact, Iterable)):
        raise ModelError(f"contacts must be Contact(a, b, ...) or a list of these, not {options.contacts!r}.")
    given = (options.contacts,) if isinstance(options.contacts, Contact) else tuple(options.contacts)
    for contact in given:
        if not isinstance(contact, Contact):
            raise ModelError(f"contacts must be of Contact(a, b, ...), not {contact!r}.")
    if options.impacts not in ("simultaneous", "sequential"):
        raise ModelError(f'impacts must be "simultaneous" or "sequential", not {options.impacts!r}.')
    if options.resolve not in ("error", "push"):
        raise ModelError(f'resolve must be "error" or "push", not {options.resolve!r}.')
    if given and method.of_free_bodies:
        raise ModelError(f"integrator {method.name!r} has no contacts; use another one.")
    return given


def _count(what: str, number: Any) -> int | None:
    """A number of steps; None where none is given."""
    if number is None:
        return None
    whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    if not (whole and 1 <= number <= _MOST):
        raise ModelError(f"{what} must be a whole number of steps, from 1 to {_MOST:.0e}, not {number!r}.")
    return int(number)
