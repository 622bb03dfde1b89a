"""The return map: from a state just after the section event to the state just after its next occurrence, with what repeats it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, SimulationError, listed
from ..simulate.contacts.contacting import HAPPENS
from ..simulate.events import STOP, Event, TimeAt, check_events
from ..simulate.histories import EventRecord
from ..simulate.integrators import Integrator
from ..simulate.run import Run
from ..simulate.runner import Runner
from ..simulate.settings import Options, Settings, method_of, settings_of
from ..simulate.trajectory import Trajectory
from ..structure.contacts import contact_names
from .match import Match, matched

Array = NDArray[np.float64]

BLIND = 0.01
"""The part of the last return's time for which the section is not looked at again after the start."""
PATIENCE = 5.0
"""A return may take so many times as long as the one before it."""


@dataclass(frozen=True)
class Piece:
    """A stretch of motion in one structure, as it was computed, and what happened at its end."""

    runner: Runner
    t: float
    start: State
    sizes: Array
    """Of its steps."""
    guard: int | None
    """The number of the guard that ended it; None where none did."""
    at_given_time: bool
    """Whether an event at a given time ended it."""
    end: State
    actions: tuple[Event, ...]
    """Those whose actions led from its end to `after`, in their order."""
    after: tuple[Mechanism, State]


def names_of(record: EventRecord) -> tuple[str, ...]:
    """What an event is called: that of one point of a contact, as 'sole/3 touches', has the name of the contact too."""
    part, _, what = record.name.rpartition(" ")
    contact, _, number = part.rpartition("/")
    return (record.name, f"{contact} {what}") if number.isdigit() else (record.name,)


class Recorded(Run):
    """A run that stops after so many occurrences of the section's events, and keeps its pieces."""

    def __init__(
        self, return_map: ReturnMap, events: tuple[Event, ...], start: float, end: float, section: Sequence[str]
    ) -> None:
        super().__init__(return_map.method, return_map.settings, events, start, end, progress=False)
        self.section, self.left = frozenset(section), return_map.returns
        self.pieces: list[Piece] = []
        self.first = math.nan
        """The time of the first occurrence."""

    def change_modes(self, runner: Runner, hits: list[int]) -> Runner | None:
        """Let something happen to contacts; the last return ends the run."""
        mark = len(self.happened)
        super().change_modes(runner, hits)
        if not self._counts(self.happened[mark:], runner.t):
            return runner
        self.close(runner, self.happened[-1].name)
        end = runner.state()
        self.pieces.append(Piece(runner, runner.t, end, np.empty(0), None, False, end, (), (runner.mech, end)))
        return None

    def _counts(self, happened: Sequence[EventRecord], t: float) -> bool:
        """Count an occurrence of the section, if what has happened at the time t is one; says whether it is the last."""
        if not self.section.isdisjoint(name for record in happened for name in names_of(record)):
            self.left -= 1
            self.first = t if math.isnan(self.first) else self.first
        return bool(self.section) and self.left == 0

    def happen(self, runner: Runner, events: Sequence[Event]) -> Runner | None:
        """Let the events act; the last return ends the run."""
        mark, end = len(self.happened), runner.state()
        following = super().happen(runner, events)
        names = [record.name for record in self.happened[mark:]]
        done = self._counts(self.happened[mark:], runner.t)
        if following is runner:
            if not done:
                return runner
            self.close(runner, names[-1])
        happened = [event for event in self.events if event.name in names]
        changed = following is not None and following is not runner
        actions = tuple(event for event in happened if callable(event.action)) if changed else ()
        after = (following.mech, following.state()) if changed and following is not None else (runner.mech, end)
        rows, size = runner.recorder.rows(), runner.nq + runner.nv
        start = State(runner.mech.layout, rows[0, 2 : 2 + size].copy()) if len(rows) else end
        begun = float(rows[0, 0]) if len(rows) else runner.t
        cause = happened[0] if happened else None
        timed = cause is not None and isinstance(cause.guard, TimeAt)
        guard = None if cause is None or timed else runner.events.index(cause)
        self.pieces.append(Piece(runner, begun, start, rows[:, 1].copy(), guard, timed, end, actions, after))
        return None if done else following


class Passage(NamedTuple):
    """One passage through the return map."""

    pieces: tuple[Piece, ...]
    mech: Mechanism
    """After the section event, in the structure that it left."""
    state: State
    time: float
    first: float
    """When the section event happened for the first time."""
    trajectory: Trajectory
    start: State
    """Where it began: with contacts held as they are to be at the start."""


@dataclass(frozen=True)
class ReturnMap:
    """The map from states of `start` to states of `start`, one or more occurrences of the section later."""

    start: Mechanism
    events: tuple[Event, ...]
    section: tuple[str, ...]
    returns: int
    match: Match
    method: Integrator
    settings: Settings
    longest: float
    warned: set[str] = field(default_factory=set, compare=False, repr=False)
    """The events that were warned of, in whichever passage."""

    def __post_init__(self) -> None:
        known = [event.name for event in self.events]
        known += [f"{name} {what}" for name in contact_names(self.settings.contacts) for what in HAPPENS.values()]
        unknown = [name for name in self.section if name not in known]
        if not known:
            raise ModelError("a return map needs events, or contacts, that its section can be made of; there are none.")
        if unknown or not self.section:
            raise ModelError(f"section must name events that are given, not {listed(unknown)}; they are: {listed(known)}.")
        if not isinstance(self.returns, int) or self.returns < 1:
            raise ModelError(f"returns must be a whole number, at least 1, not {self.returns!r}.")

    def image(self, passage: Passage) -> State:
        """Where a passage led, as a state of the starting mechanism."""
        return matched(self.start, self.match, passage.mech, passage.state)

    def modes_at(self, state: State) -> Runner | None:
        """A runner that has the modes of contacts at a state of `start`; None without contacts."""
        if not self.settings.contacts:
            return None
        run = Recorded(self, self.events, 0.0, self.longest, self.section)
        return run.begin(self.start.copy(), state)

    def passage(
        self, mech: Mechanism, state: State, blind: float = 0.0, longest: float | None = None, held: Runner | None = None
    ) -> Passage:
        """From a state to the section, in any structure; for the time `blind` the section's events are not looked for.

        A state that is meant to be just after the section event may be off by rounding, or by a step of Newton's method. Contacts
        begin in the modes of `held`, if that is given, and the state is moved to where they can have them.
        """
        runs, limit = [], self.longest if longest is None else min(longest, self.longest)
        if blind > 0.0:
            others = tuple(event for event in self.events if event.name not in self.section)
            runs.append(Recorded(self, others, 0.0, blind, ()))
        runs.append(Recorded(self, self.events, blind, limit, self.section))
        now, runs[0].held = (mech, state), held
        for run in runs:
            run.asked, run.warned = frozenset(self.section), self.warned  # they have just happened, if only nearly so
            if run.from_state(*now).interrupted:
                raise KeyboardInterrupt
            now, runs[-1].before = run.pieces[-1].after, run.runner
        trajectory = Trajectory(
            [segment for run in runs for segment in run.segments], [record for run in runs for record in run.happened],
            sum(run.steps for run in runs), sum(run.rejected for run in runs),
        )  # fmt: skip
        if runs[-1].left > 0:
            raise SimulationError(
                f"the section {listed(self.section)} was met {self.returns - runs[-1].left} times of {self.returns} in "
                f"{limit:g} s; begin nearer to the cycle, or let it take longer. The motion is in the error's .trajectory.",
                trajectory,
                float(trajectory.t[-1]),
            )
        pieces = tuple(piece for run in runs for piece in run.pieces)
        begun = State(mech.layout, trajectory.segments[0].x[0].copy()) if held is not None else state
        return Passage(pieces, *now, float(trajectory.t[-1]), runs[-1].first, trajectory, begun)


def return_map_of(
    mech: Mechanism,
    events: Event | Iterable[Event],
    section: str | Iterable[str] | None,
    returns: int,
    match: Match,
    integrator: str,
    options: Options,
    longest: float,
) -> ReturnMap:
    """The return map of a mechanism, from what `limit_cycle` is given."""
    found = check_events(events, mech)
    if section is None:
        going_on = tuple(event.name for event in found if event.action is not STOP)
        names = going_on or tuple(event.name for event in found)
    elif isinstance(section, str):
        names = (section,)
    elif isinstance(section, Iterable):
        names = tuple(section)
    else:
        raise ModelError(f"section must be the name of an event, or several as a list, not {section!r}.")
    if not (match is None or callable(match) or isinstance(match, Mapping)):
        raise ModelError(f"match must be names by names, or a function match(mech, state), not {match!r}.")
    method = method_of(integrator)
    return ReturnMap(mech, found, names, returns, match, method, settings_of(method, mech, options), longest)
