"""`limit_cycle`: a fixed point of the return map (Poincaré map), found by Newton's method.

With the return map P and its Jacobian J a step solves (I − J) Δ = P(x) − x. The eigenvalues of J at the fixed point are the
multipliers of the cycle, which say whether it is stable.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import least_squares
from ..algebra.pose import finite_number
from ..ask.assembly import assemble
from ..ask.tangents import closed_directions
from ..compilation import expect
from ..describe.contacts import Contact
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import AssemblyError, ModelError, SimulationError, StructureError
from ..simulate.events import Event
from ..simulate.runner import Runner
from ..simulate.settings import Options
from ..simulate.trajectory import Trajectory
from ..tolerances import NEUTRAL, REPEATS, RESIDUAL_ROUNDING
from .match import Match, apart, moved
from .returns import BLIND, PATIENCE, Passage, ReturnMap, return_map_of
from .sensitivity import KERNELS, is_exact, passage_derivative

Array = NDArray[np.float64]

HALVINGS = 10
"""How often a step of Newton's method is halved that does not reduce the residual."""
BESIDE = 0.2
"""A guess that meets the section this early, as a part of the time of the return after that, was just before the section."""


@dataclass(frozen=True, eq=False)
class Convergence:
    """How iterates of the return map approach the cycle; made by `LimitCycle.convergence`.

    Attributes
    ----------
    distances : (returns + 1,) array
        The distance from the fixed point before the first return and after each.
    rate : float
        The factor by which a return changes the distance, fitted to the iterates after the first; NaN with too few of them.
    spectral_radius : float
        What that factor tends to near a cycle: the largest modulus of a multiplier.
    """

    distances: Array
    rate: float
    spectral_radius: float


@dataclass(frozen=True, eq=False, repr=False)
class LimitCycle:
    """A motion that repeats itself: a fixed point of the return map, and how states near it come back; made by `limit_cycle`.

    Attributes
    ----------
    mech : Mechanism
        The structure in which the map starts.
    state : State
        Its state just after the section event.
    period : float
        In seconds.
    jacobian : (2 nv, 2 nv) array
        How the state after a return changes with the one before, both as tangents (q, v).
    multipliers : (2 nv,) complex array
        Its eigenvalues, the largest first. Directions that a return forgets, such as the one along the motion, have 0, and so
        have those that would open loops.
    spectral_radius : float
        The largest modulus of a multiplier.
    stable : bool
        Whether all multipliers are inside the unit circle, so that states near the cycle come nearer.
    residual : float
        The largest difference between the state and its return.
    iterations : int
        Steps of Newton's method.
    exact : bool
        Whether all of the map was differentiated exactly; otherwise contacts, or a user's function as torque, guard, action or
        `match`, had part in it. The actions of `strike`, `grip` and `release` are exact.
    trajectory : Trajectory
        One period.
    return_map : ReturnMap
        The map itself.
    """

    mech: Mechanism
    state: State
    period: float
    jacobian: Array
    multipliers: NDArray[np.complex128]
    residual: float
    iterations: int
    exact: bool
    trajectory: Trajectory
    return_map: ReturnMap

    @property
    def spectral_radius(self) -> float:
        """The largest modulus of a multiplier."""
        return float(np.abs(self.multipliers).max(initial=0.0))

    @property
    def stable(self) -> bool:
        """Whether all multipliers are inside the unit circle, so that states near the cycle come nearer."""
        return self.spectral_radius < 1.0

    def convergence(self, state: State, returns: int = 10) -> Convergence:
        """Iterate the return map and watch the distance from the cycle.

        Parameters
        ----------
        state : State
            A state of `mech` just after the section event.
        returns : int, optional
            How often.

        Returns
        -------
        Convergence

        Raises
        ------
        ModelError
            If `returns` is no positive whole number.
        SimulationError
            If the motion does not come back to the section.
        """
        self.mech.check_state(state)
        if not isinstance(returns, int) or returns < 1:
            raise ModelError(f"returns must be a whole number, at least 1, not {returns!r}.")
        now, distances = state, [self._distance(state)]
        for _ in range(returns):
            blind = BLIND * self.period / self.return_map.returns
            now = self.return_map.image(self.return_map.passage(self.mech, now, blind, held=self.return_map.modes_at(self.state)))
            distances.append(self._distance(now))
        floor = 100.0 * max(self.residual, RESIDUAL_ROUNDING)
        return Convergence(np.array(distances), _rate(distances, floor), self.spectral_radius)

    def __repr__(self) -> str:
        kind = "stable" if self.stable else "not stable"
        found = f"residual {self.residual:.1e} after {self.iterations} iterations"
        return f"LimitCycle: period {self.period:.12g}, {kind}, spectral radius {self.spectral_radius:.6g}, {found}"

    def _distance(self, state: State) -> float:
        return float(np.linalg.norm(apart(self.mech, state, self.state)))


def limit_cycle(
    mech: Mechanism,
    state: State,
    events: Event | Iterable[Event] = (),
    *,
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
    most: int = 20,
    contacts: Contact | Iterable[Contact] = (),
    impacts: str = "simultaneous",
) -> LimitCycle:
    """The periodic motion near a state, by Newton's method on the return map.

    The map leads from a state just after a *section* event to the state just after its next occurrence, or the next so many.
    What comes back is read in the structure where the map started: each joint takes the numbers of the joint of its name, or
    of the one that `match` names for it, reversed where the tree is now walked through it in the opposite direction.

    Parameters
    ----------
    mech : Mechanism
        The structure just after the section event.
    state : State
        A guess of the fixed point; with `settle` any state from which the section is reached. Loops that are open are closed.
    events : Event or iterable of Event, optional
        The events of the motion, as for `simulate`.
    section : str or iterable of str, optional
        The names of the section events, such as ``"heel touches"`` of a contact; by default all of `events` but those whose
        action is `STOP`.
    returns : int, optional
        How many occurrences of the section make one period.
    match : mapping of str to str, or callable, optional
        For a joint of the start the name of the joint whose numbers it takes; or ``match(mech, state)``, which returns a state of
        the starting mechanism.
    settle : int, optional
        How many returns are run before the search begins.
    torque, wrenches : callable or constant, optional
        As for `simulate`; the clock starts at zero with each return.
    integrator : str, optional
        As for `simulate`.
    rtol, atol : float, optional
        Relative and absolute error of the integrator, as for `simulate` but smaller.
    step : float, optional
        As for `simulate`.
    longest : float, optional
        How many seconds a return may take.
    tolerance : float, optional
        No number of the fixed point may differ from its return by more than this.
    most : int, optional
        How many steps of Newton's method there may be.
    contacts, impacts : optional
        As for `simulate`. States are moved to where the points that touch at the section do so, and the derivative is that of
        whole returns, by extrapolated differences.

    Returns
    -------
    LimitCycle

    Raises
    ------
    SimulationError
        If a return takes too long, or Newton's method finds no fixed point.
    StructureError
        If what comes back cannot be read in the structure of the start.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> def bounce(mech, state):
    ...     return mech, mech.state(q=state.q, v=[2.0 + 0.5 * abs(state.v[0])])
    >>> hit = rg.when_joint("fall", 0.0, bounce, direction=-1)
    >>> cycle = rg.gait.limit_cycle(mech, mech.state(v={"fall": 3.0}), hit)
    >>> round(float(cycle.state.v[0]), 9), abs(cycle.multipliers).round(9).tolist()
    (4.0, [0.5, 0.0])
    """
    limit, close = finite_number("longest", longest), finite_number("tolerance", tolerance)
    if not (isinstance(settle, int) and settle >= 0 and isinstance(most, int) and most >= 1 and close > 0.0 and limit > 0.0):
        raise ModelError("settle must be a whole number, most and longest positive ones, and tolerance positive.")
    options = Options(torque, wrenches, rtol, atol, step, contacts=contacts, impacts=impacts)
    return_map = return_map_of(mech, events, section, returns, match, integrator, options, limit)
    mech.check_state(state)
    expect(*KERNELS)
    state = assemble(mech, state)
    for _ in range(settle):
        passage = return_map.passage(return_map.start, state)
        return_map, state = replace(return_map, start=passage.mech), passage.state
    return _newton(return_map, state, close, most)


def _newton(return_map: ReturnMap, state: State, tolerance: float, most: int) -> LimitCycle:
    mech = return_map.start
    state, passage, held = _first_passage(return_map, state)
    for iteration in range(most + 1):
        change = apart(mech, return_map.image(passage), state)
        jacobian = passage_derivative(return_map, passage, held=held)
        residual = float(np.abs(change).max(initial=0.0))
        if residual <= tolerance:
            check_repetition(return_map, passage)
            return cycle_at(return_map, state, passage, jacobian, residual, iteration)
        if iteration < most:
            # where I − J is singular there is a family of cycles, and this is the shortest way to it
            free = closed_directions(mech, state)
            step = least_squares(np.eye(len(change)) - jacobian, free @ (free.T @ change), NEUTRAL)
            state, passage = _damped(return_map, state, step, passage, residual, held)
    raise SimulationError(
        f"no periodic motion after {most} steps of Newton's method: the state still differs from its return by {residual:.3g}. "
        "Begin nearer to the cycle, or let the motion approach it first with settle=.",
        passage.trajectory,
        passage.time,
    )


def _first_passage(return_map: ReturnMap, state: State) -> tuple[State, Passage, Runner | None]:
    """The passage from a guess, and with contacts the modes in which they begin.

    If the guess was just before the section, or there are contacts, the passage begins where the motion meets it.
    """
    mech = return_map.start
    passage = return_map.passage(mech, state)
    there = return_map.image(passage)
    held = return_map.modes_at(there)
    try:
        following = return_map.passage(mech, there, held=held)
    except SimulationError:
        if held is not None:
            raise
        return state, passage, None
    if held is not None:
        return following.start, following, held
    return (there, following, None) if passage.first < BESIDE * following.first else (state, passage, None)


def _damped(
    return_map: ReturnMap, state: State, step: Array, passage: Passage, residual: float, held: Runner | None
) -> tuple[State, Passage]:
    """The state after a step of Newton's method, and its passage; a shorter step where the whole one leads away."""
    mech = return_map.start
    for halving in range(HALVINGS):
        try:
            there = moved(mech, state, 0.5**halving * step)
            found = return_map.passage(mech, there, BLIND * passage.first, PATIENCE * passage.time, held)
            there = found.start
            off = float(np.abs(apart(mech, return_map.image(found), there)).max(initial=0.0))
        except (AssemblyError, SimulationError, StructureError):
            continue
        if off < residual:
            return there, found
    raise SimulationError(
        f"Newton's method does not come nearer to a periodic motion: the state differs from its return by {residual:.3g}, and "
        "so it does all along the step. Begin nearer to the cycle, or let the motion approach it first with settle=.",
        passage.trajectory,
        passage.time,
    )


def check_repetition(return_map: ReturnMap, passage: Passage) -> None:
    """Raise an error unless the next return, from the structure that this one led to, takes the same time.

    A fixed point compares numbers of joints that `match` pairs. It is a cycle only if both structures move alike.
    """
    if passage.mech is return_map.start:
        return
    try:
        following = return_map.passage(passage.mech, passage.state, BLIND * passage.first, PATIENCE * passage.time).time
    except SimulationError:
        following = math.nan
    if not abs(following - passage.time) <= REPEATS * passage.time:
        raise SimulationError(
            f"the state comes back after {passage.time:.9g} s, but from the structure it has then the next return "
            f"takes {following:.9g} s: the two structures do not move alike, so this is no cycle. Check match, or count "
            "more returns.",
            passage.trajectory,
            passage.time,
        )


def cycle_at(
    return_map: ReturnMap, state: State, passage: Passage, jacobian: Array, residual: float, iterations: int
) -> LimitCycle:
    """The cycle that has been found."""
    multipliers = np.linalg.eigvals(jacobian).astype(complex)
    return LimitCycle(
        mech=return_map.start,
        state=state,
        period=passage.time,
        jacobian=jacobian,
        multipliers=multipliers[np.argsort(-np.abs(multipliers), kind="stable")],
        residual=residual,
        iterations=iterations,
        exact=is_exact(passage, return_map.match),
        trajectory=passage.trajectory,
        return_map=return_map,
    )


def _rate(distances: list[float], floor: float) -> float:
    """The factor from one distance to the next, by a line through their logarithms; what is only rounding is left out."""
    useful = [(k, math.log(d)) for k, d in enumerate(distances) if k > 0 and d > floor]
    if len(useful) < 3:
        return math.nan
    k, logarithms = np.array(useful).T
    return float(np.exp(np.polyfit(k, logarithms, 1)[0]))
