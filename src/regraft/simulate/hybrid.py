"""`simulate`: continuous motion in compiled code, interleaved with events that may change the structure."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ModelError, RegraftError, SimulationError, listed
from ..mechanism import Mechanism
from ..pose import finite
from ..state import State
from . import segment
from .applied import Applied
from .callbacks import check_functions
from .events import STOP, Event, TimeAt, check_events
from .free_runner import FreeRunner
from .histories import EventRecord
from .integrators import INTEGRATORS, Integrator
from .progress import Progress
from .recorded import Segment
from .runner import Runner
from .trajectory import Trajectory

ENDLESS = 100
"""So many events in a row, each within `CASCADE` of the one before, are a cascade that would never end."""
SHRINKING = 4
"""So many are enough where it is the same event each time, a little later."""
CASCADE = 1e-9
"""Seconds, relative to 1 + the time."""

_PAUSE = 0.1  # seconds of compiled code between looks at the clock and at Ctrl-C


@dataclass(frozen=True)
class Settings:
    """What stays the same in all segments."""

    torque: Any
    wrenches: Any
    rtol: float
    atol: float
    first_step: float
    largest: float
    every: int
    coordinates: str
    stabilise: bool


def simulate(
    mech: Mechanism,
    state: State,
    duration: float,
    torque: Any = None,
    events: Event | Iterable[Event] = (),
    integrator: str = "dopri5",
    rtol: float = 1e-9,
    atol: float = 1e-10,
    step: float | None = None,
    coordinates: str = "reduced",
    progress: bool | None = None,
    *,
    wrenches: Any = None,
    every: int | None = None,
    start: float = 0.0,
    stabilise: bool | None = None,
) -> Trajectory:
    """The motion of a mechanism from a state on, with events that may change its structure.

    Parameters
    ----------
    mech : Mechanism
        The mechanism at the start.
    state : State
        Its state at the start.
    duration : float
        How long, in seconds.
    torque : callable, optional
        ``torque(t, mech, state)`` returns the joint torques, (nv,) or by joint name, loop joints too; or a Numba function
        ``torque(t, q, v, out)`` that fills `out` and runs inside the compiled loop.
    events : Event or iterable of Event, optional
        What to watch for, and what to do then.
    integrator : {"dopri5", "rk4", "euler", "hakenberg"}, optional
        "dopri5" chooses its steps within `rtol` and `atol`; the others take steps of the size `step`. "hakenberg" is S3's own
        step, for maximal coordinates only.
    rtol, atol : float, optional
        Relative and absolute error of "dopri5".
    step : float, optional
        The size of a fixed step, or the largest step of "dopri5", in seconds.
    coordinates : {"reduced", "maximal"}, optional
        With "maximal" every body moves by itself and forces of all joints hold them together (S3). Functions, events and the
        trajectory stay in the mechanism's joints.
    progress : bool, optional
        Whether a bar says how far a run is that takes longer than a second; by default it does in a terminal.
    wrenches : mapping of str to (6,) array_like, or callable, optional
        Constant wrenches by body; ``wrenches(t, mech, state)``, which returns such; or a Numba function ``wrenches(t, q, v,
        out)`` that fills a row of `out` for each body. A wrench is (moment, force) in world axes, the force at the body's origin.
    every : int, optional
        Keep each so many steps a sample, without dense output. By default every step is kept with its dense output.
    start : float, optional
        The time at the start.
    stabilise : bool, optional
        Whether the joints that close loops, and in maximal coordinates all joints, are put back after each step where they are
        closed; by default so for all integrators but "hakenberg".

    Returns
    -------
    Trajectory
        All that was computed. Ctrl-C ends the run and returns what there is until then.

    Raises
    ------
    SimulationError
        If the motion cannot go on; the error has the trajectory so far.
    ModelError
        If an argument does not fit.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> hit = rg.when_joint("fall", 0.0, rg.STOP, direction=-1, name="hit")
    >>> traj = rg.simulate(mech, mech.state(q={"fall": 4.905}), 10.0, events=hit)
    >>> traj.events[0].name, round(traj.events[0].t, 12)
    ('hit', 1.0)
    """
    mech.check_state(state)
    method = method_of(integrator)
    settings = settings_of(method, torque, wrenches, rtol, atol, step, every, coordinates, stabilise)
    begin, span = float(finite("start", start, ())), float(finite("duration", duration, ()))
    if span < 0.0:
        raise ModelError(f"duration must not be negative, not {span:g}.")
    run = Run(method, settings, check_events(events, mech), begin, begin + span, progress)
    return run.from_state(mech.copy(), state)


class Run:
    """A run in progress: what has been computed, and what comes next."""

    def __init__(
        self, method: Integrator, settings: Settings, events: tuple[Event, ...], start: float, end: float, progress: bool | None
    ) -> None:
        self.method, self.settings, self.events = method, settings, events
        self.start, self.end, self.progress = start, end, progress
        self.segments: list[Segment] = []
        self.closed: Runner | None = None
        self.happened: list[EventRecord] = []
        self.steps = self.rejected = self.in_a_row = 0
        self.waiting = sorted(
            (event for event in events if isinstance(event.guard, TimeAt) and event.guard.time >= start),
            key=lambda event: event.guard.time,
        )

    def from_state(self, mech: Mechanism, state: State) -> Trajectory:
        """Run to the end."""
        runner: Runner | None = self._new_runner(mech, state, self.start)
        with Progress(self.start, self.end, self.progress) as shown:
            try:
                while runner is not None:
                    runner = self._advance(runner, shown)
            except KeyboardInterrupt:
                return self._interrupted()
        return self._trajectory()

    def _new_runner(self, mech: Mechanism, state: State, t: float) -> Runner:
        kind = FreeRunner if self.settings.coordinates == "maximal" else Runner
        self.runner: Runner = kind(mech, state, t, self.method, self.settings, self.events)
        return self.runner

    def _trajectory(self) -> Trajectory:
        return Trajectory(self.segments, self.happened, self.steps, self.rejected)

    def _interrupted(self) -> Trajectory:
        self.close(self.runner, None)
        return Trajectory(self.segments, self.happened, self.steps, self.rejected, interrupted=True)

    def close(self, runner: Runner, event: str | None) -> None:
        """Keep what a runner has computed as a segment, once."""
        if runner is self.closed:
            return
        self.closed = runner
        applied = Applied(self.settings.torque, self.settings.wrenches)
        self.segments.append(replace(runner.segment(event), applied=applied))
        self.steps += runner.steps
        self.rejected += int(runner.counts[segment.REJECTED])

    def _advance(self, runner: Runner, shown: Progress) -> Runner | None:
        """Run to the next event or to the end; the runner to go on with, None at the end."""
        end = min([self.end, *(event.guard.time for event in self.waiting[:1])])
        why, budget = segment.PAUSED, 256
        while why == segment.PAUSED:
            before = time.perf_counter()
            why = runner.run(end, budget)
            took = time.perf_counter() - before
            budget = max(16, min(1_000_000, int(budget * min(4.0, _PAUSE / max(took, 1e-6)))))
            shown.update(runner.t)
        if why == segment.FINISHED:
            return self.happen(runner, self._due(runner.t))
        if why == segment.EVENT:
            return self.happen(runner, [*runner.hit(), *self._due(runner.t + segment.SAME_TIME * max(1.0, abs(runner.t)))])
        raise self._failure(runner, why)

    def _due(self, t: float) -> list[Event]:
        """The timed events up to a time, which wait no longer."""
        due = [event for event in self.waiting if event.guard.time <= t]
        self.waiting = self.waiting[len(due) :]
        return due

    def happen(self, runner: Runner, events: Sequence[Event]) -> Runner | None:
        """Let simultaneous events act in the order in which they were given."""
        if not events:
            self.close(runner, None)
            return None
        t, mech, state = runner.t, runner.seen.copy(), runner.state()  # an action may change what it is given
        self._count_cascade(runner, t)
        for event in sorted(events, key=self.events.index):
            try:
                result = event.action(mech, state) if callable(event.action) else event.action
            except KeyboardInterrupt:
                raise
            except Exception as problem:
                self.close(runner, event.name)
                raise self._error(f"the action of event {event.name!r} failed: {problem}", t, None) from problem
            if result is None and event.action is not None:
                continue  # passed over
            self.happened.append(EventRecord(t, event.name))
            if result is STOP:
                self.close(runner, event.name)
                return None
            if event.action is not None:
                mech, state = self._changed(runner, event, result)
        if mech.same_as(runner.seen) and state == runner.state():
            return runner  # nothing has changed: go on in the same segment
        self.close(runner, self.happened[-1].name)
        try:
            return self._new_runner(mech, state, t)
        except RegraftError as problem:
            last = self.happened[-1].name
            raise self._error(f"after event {last!r} the simulation cannot go on: {problem}", t, None) from problem

    def _changed(self, runner: Runner, event: Event, result: Any) -> tuple[Mechanism, State]:
        """Mechanism and state that an action returned."""
        problem = "it must return (mech, state), STOP or None"
        if isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], Mechanism):
            try:
                result[0].check_state(result[1])
                return result[0], result[1]
            except RegraftError as mismatch:
                problem = str(mismatch)
        self.close(runner, event.name)
        raise self._error(f"the action of event {event.name!r} returned something else: {problem}.", runner.t, None)

    def _count_cascade(self, runner: Runner, t: float) -> None:
        last = self.happened[-1].t if self.happened else -math.inf
        self.in_a_row = self.in_a_row + 1 if t - last <= CASCADE * (1.0 + abs(t)) else 0
        recent = [*self.happened[-SHRINKING:], EventRecord(t, self.happened[-1].name if self.happened else "")]
        shrinking = len({record.name for record in recent}) == 1 and all(a.t < b.t for a, b in pairwise(recent))
        if self.in_a_row >= ENDLESS or (self.in_a_row >= SHRINKING and shrinking):
            self.close(runner, None)
            raise self._endless(t)

    def _endless(self, t: float) -> SimulationError:
        names = dict.fromkeys(record.name for record in self.happened[-self.in_a_row :])
        return self._error(
            f"events happen without end at t = {t:.12g}: {listed(names)}. Let the action change the state so that the guard "
            "leaves zero, or stop there by returning STOP.",
            t,
            None,
        )

    def _failure(self, runner: Runner, why: int) -> BaseException:
        """Why the compiled loop gave up."""
        self.close(runner, None)
        t = runner.t
        if why == segment.FUNCTION_FAILED:
            problem = runner.problem()
            if isinstance(problem, KeyboardInterrupt):
                return problem
            said = "it raised an exception or gave NaN" if problem is None else f"{type(problem).__name__}: {problem}"
            error = self._error(f"{runner.failed_function()} failed near t = {t:.9g}: {said}", t, None)
            error.__cause__ = problem
            return error
        if (joint := runner.idle_joint()) is not None:
            return self._error(f"at t = {t:.9g} {runner.tree.why_idle(joint, runner.x[: runner.nq])}", t, joint)
        joint = runner.broken_joint()
        if why == segment.TOO_SMALL and joint is None:
            if self.in_a_row > 1:
                return self._endless(t)
            joint = runner.fastest_joint()
            closed = " Or loops are near a singular position, where digits are lost." if runner.mech.layout.loops else ""
            return self._error(
                f"the step size became too small at t = {t:.9g}; joint {joint!r} changes fastest there. Something is stiff or "
                f"discontinuous: soften limits and springs, make it an event, or loosen rtol and atol.{closed}",
                t,
                joint,
            )
        if why == segment.NOT_FINITE and joint is None and runner.mech.layout.loops:
            return self._error(
                f"the loops cannot be closed again after a step at t = {t:.9g}: the motion leads where they cannot follow, as "
                "out of a singular position. Take smaller steps, or start from another velocity.",
                t,
                None,
            )
        return self._error(
            f"the motion is no longer finite at t = {t:.9g}"
            + (f"; joint {joint!r} broke first" if joint else "")
            + ". Take smaller steps, and check the masses, stiffnesses and torques there.",
            t,
            joint,
        )

    def _error(self, message: str, t: float, joint: str | None) -> SimulationError:
        return SimulationError(f"{message} The trajectory so far is in the error's .trajectory.", self._trajectory(), t, joint)


def method_of(name: str) -> Integrator:
    """An integrator by its name."""
    if name not in INTEGRATORS:
        raise ModelError(f"integrator must be one of {listed(INTEGRATORS)}, not {name!r}.")
    return INTEGRATORS[name]


def settings_of(
    method: Integrator,
    torque: Any,
    wrenches: Any,
    rtol: float,
    atol: float,
    step: float | None,
    every: int | None,
    coordinates: str = "reduced",
    stabilise: bool | None = None,
) -> Settings:
    """The settings of a run, checked."""
    check_functions(torque, wrenches)
    tolerances = float(finite("rtol", rtol, ())), float(finite("atol", atol, ()))
    if min(tolerances) < 0.0 or max(tolerances) == 0.0:
        raise ModelError(f"rtol and atol must be positive, not {rtol!r} and {atol!r}.")
    size = math.inf if step is None else float(finite("step", step, ()))
    if size <= 0.0:
        raise ModelError(f"step must be positive, not {size:g}.")
    if not method.adaptive and step is None:
        raise ModelError(f"integrator {method.name!r} has a fixed step: give it, such as step=1e-3.")
    if every is not None and (not isinstance(every, (int, np.integer)) or isinstance(every, bool) or every < 1):
        raise ModelError(f"every must be a whole number of steps, at least 1, not {every!r}.")
    if coordinates not in ("reduced", "maximal"):
        raise ModelError(f'coordinates must be "reduced" or "maximal", not {coordinates!r}.')
    if method.of_free_bodies and coordinates != "maximal":
        raise ModelError(f'integrator {method.name!r} moves every body by itself; it needs coordinates="maximal".')
    if stabilise is not None and not isinstance(stabilise, (bool, np.bool_)):
        raise ModelError(f"stabilise must be True or False, not {stabilise!r}.")
    closing = not method.of_free_bodies if stabilise is None else bool(stabilise)
    first = 0.0 if method.adaptive else size
    return Settings(torque, wrenches, *tolerances, first, size, int(every or 0), coordinates, closing)
