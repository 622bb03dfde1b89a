"""`continuation`: how a periodic motion changes with a parameter, by pseudo-arclength continuation of the return map."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..algebra.pose import finite_number
from ..describe.contacts import Contact
from ..describe.state import State
from ..errors import ModelError
from .branch import TAKEN, Branch, Plan, checked_range, grown
from .curves import Control, Image, Measure, Pace, first_point
from .cycle import limit_cycle
from .families import GaitFamily, ModelOf, Search, model_at, with_own
from .following import Track
from .match import Match


def continuation(
    model_of: ModelOf,
    parameter: tuple[float, float],
    *,
    start: float | None = None,
    state: State | None = None,
    name: str = "parameter",
    section: str | Iterable[str] | None = None,
    returns: int = 1,
    match: Match = None,
    settle: int = 0,
    torque: Any = None,
    wrenches: Any = None,
    integrator: str = "dopri5",
    rtol: float = 1e-11,
    atol: float = 1e-12,
    step: float | None = None,
    longest: float = 30.0,
    tolerance: float = 1e-10,
    contacts: Contact | Iterable[Contact] = (),
    impacts: str = "simultaneous",
    arc_step: float = 0.02,
    largest_arc_step: float = 0.1,
    least_arc_step: float = 1e-5,
    state_size: float | None = None,
    most: int = 400,
    store: str | Path | None = None,
    progress: bool | None = None,
) -> Branch:
    """Follow a periodic motion along a parameter of its mechanism, events or torques, through folds, with all bifurcations.

    The motion at the start is found by `limit_cycle` from the state of the model there. Then the branch is followed by
    pseudo-arclength continuation. Flips, folds, Neimark–Sacker bifurcations and crossings with other branches are found where
    their test functions are zero.

    Parameters
    ----------
    model_of : callable
        ``model_of(parameter)`` builds the model: one of `regraft.models` or any object with `start` (mechanism and state), or
        with `mech` and `state`, and with `events`; a tuple ``(mech, state, events)``; or a mapping with these names. An object or
        a mapping may also have `section`, `match`, `torque`, `wrenches` and `contacts`. The states are used at the start of the
        branch only. The function has to be smooth, defined a little beyond the ends of the range, and always of the same
        structure.
    parameter : (float, float)
        The range, from and to.
    start : float, optional
        Where in the range to start, by default at its beginning. From elsewhere the branch is followed in both directions.
    state : State, optional
        A guess of the state at the start, in place of the model's.
    name : str, optional
        What the parameter is called in tables.
    section, returns, match, settle, torque, wrenches : optional
        As for `limit_cycle`. What is given here goes before what the model has.
    integrator, rtol, atol, step, longest, tolerance, contacts, impacts : optional
        Likewise.
    arc_step, largest_arc_step, least_arc_step : float, optional
        The first, the largest and the least step along the branch. The unit is the length at which the parameter has gone through
        its range, or the state has changed by `state_size`.
    state_size : float, optional
        By default the size of the state at the start: the square root of the sum of its squares.
    most : int, optional
        How many points there may be.
    store : str or Path, optional
        A file that keeps the branch while it grows; if it is there already, the branch goes on from it.
    progress : bool, optional
        Whether to show how far it has come; by default only on a terminal, for what takes longer than a second.

    Returns
    -------
    Branch

    Warns
    -----
    RegraftWarning
        If the branch cannot be followed to an end of the range; it is returned as far as it goes, and `ends` says why.

    Raises
    ------
    ModelError
        If an argument is not what it has to be, or `store` has another branch.
    SimulationError
        If there is no periodic motion to start from.

    Examples
    --------
    A ball that a floor throws up again, with a share of its speed and a push that is the parameter:

    >>> import regraft as rg
    >>> def bouncing(push):
    ...     mech = rg.Mechanism()
    ...     mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    ...     mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    ...     def bounce(mech, state):
    ...         return mech, mech.state(q=state.q, v=[push + 0.5 * abs(state.v[0])])
    ...     return mech, mech.state(v={"fall": 3.0}), rg.when_joint("fall", 0.0, bounce, direction=-1)
    >>> branch = rg.gait.continuation(bouncing, (1.0, 3.0), name="push")
    >>> branch.complete, branch.points, [round(float(v), 9) for v in branch.v[[0, -1], 0]]
    (True, [], [2.0, 6.0])
    """
    bounds = checked_range(parameter)
    begin = bounds[0] if start is None else finite_number("start", start)
    if not min(bounds) <= begin <= max(bounds):
        raise ModelError(f"start must be within the range {bounds}, not {begin!r}.")
    if state_size is not None and not finite_number("state_size", state_size) > 0.0:
        raise ModelError(f"state_size must be positive, not {state_size!r}.")
    if not isinstance(name, str):
        raise ModelError(f"the parameter must be called by a text, not {name!r}.")
    if name in TAKEN:
        raise ModelError(f"the parameter cannot be called {name!r}, as tables of the branch have something else of this name.")
    _check_steps(arc_step, largest_arc_step, least_arc_step, most)
    search = Search(section, returns, match, torque, wrenches, integrator, rtol, atol, step, longest, contacts, impacts)
    model = model_at(model_of, begin)
    fitted = with_own(search, model)
    cycle = limit_cycle(
        model.mech, model.state if state is None else state, model.events,
        settle=settle, tolerance=tolerance, **{key: getattr(fitted, key) for key in vars(fitted)},
    )  # fmt: skip
    span = abs(bounds[1] - bounds[0])
    held = cycle.return_map.modes_at(cycle.state)
    family = GaitFamily(model_of, search, cycle.mech, span, held)
    numbers = np.concatenate((cycle.state.q, cycle.state.v))
    measure = Measure(state_size or float(np.linalg.norm(numbers)) or 1.0, span)
    control = Control(measure, arc_step, largest_arc_step, least_arc_step, tolerance)
    here = _evaluated(family, cycle.state, begin, Pace(cycle.period, cycle.period / returns))
    plan = Plan(name, bounds, control, most, store, progress)
    towards = 1.0 if bounds[1] > bounds[0] else -1.0
    first = first_point(family, here, control, towards)
    tracks = [Track(arc_step)] if begin == bounds[0] else [Track(arc_step), Track(arc_step)]
    for track, sign in zip(tracks, (1.0, -1.0), strict=False):
        track.add(replace(first, tangent=sign * first.tangent))
    return grown(family, tracks, plan)


def _check_steps(first: float, largest: float, least: float, most: int) -> None:
    for what, step in (("arc_step", first), ("largest_arc_step", largest), ("least_arc_step", least)):
        finite_number(what, step)
    if not (0.0 < least <= first <= largest and np.isfinite(largest)):
        raise ModelError(
            f"least_arc_step, arc_step and largest_arc_step must be positive and in this order, not {least!r}, {first!r}, "
            f"{largest!r}."
        )
    if not isinstance(most, int) or most < 2:
        raise ModelError(f"most must be a whole number, at least 2, not {most!r}.")


def _evaluated(family: GaitFamily, state: State, p: float, pace: Pace) -> Image:
    return family.image(np.concatenate((state.q, state.v)), p, pace)
