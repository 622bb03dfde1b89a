"""Motions through many changes of structure without Python: places and edges are learned as they come, and then run compiled.

For maps of gaits, where thousands of walks take thousands of steps. What happens is what `simulate` does with the same events;
only where a walk has got to in the world is not kept, nor is its trajectory.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ask.places import known_place
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import RegraftError
from ..kernels.tables import POLARITY
from ..tolerances import LEAST_STEP
from . import course_kernels as kernels
from .coordinates import Reduced
from .events import STOP, Event, TimeAt
from .guards import Guard
from .integrators import Integrator
from .ready_changes import Strike
from .records import layout_of
from .runner import Runner
from .settings import Settings

Array = NDArray[np.float64]

_ROOM = 4096  # bytes for a flow, or for what a loop keeps
_SELDOM = 1_000_000_000  # steps between rows of a record that nobody reads
_MOST_EVENTS = 62  # each has a bit of an integer
ENDS = ("done", "stopped", "took too long", "not known", "several", "failed", "cannot stand")
"""How a walk ends, by the numbers of the kernels."""


class NotReadyError(Exception):
    """Something has a part in the motion that is a function in Python, or that a course does not know; the message says what."""


class Walk(NamedTuple):
    """What came of one start.

    Attributes
    ----------
    end : str
        One of "done", "stopped", "took too long", "several", "failed" and "cannot stand".
    event : str
        The event that stopped it.
    times : (returns,) array
    places : (returns,) array of int
        The structure after each return, by its number.
    states : (returns, width) array
        The state after each return; of structures with fewer numbers the first ones.
    reached : int
        Whose known state was reached, −1 for none.
    """

    end: str
    event: str
    times: Array
    places: NDArray[np.int64]
    states: Array
    reached: int


class _Place:
    """A structure with all that the compiled loop needs for it, in memory that nobody else has."""

    def __init__(self, runner: Runner) -> None:
        self.runner, self.mech = runner, runner.mech
        self.flow, self.stepping = np.zeros(_ROOM, np.uint8), np.zeros(_ROOM, np.uint8)
        taken = kernels.park.call(runner.flow, runner._stepping, self.flow.ctypes.data, self.stepping.ctypes.data)
        assert taken <= _ROOM
        self.kept: list[Any] = []
        """What edges refer to."""

    def row(self) -> list[int]:
        """For the kernels."""
        runner = self.runner
        return [
            self.flow.ctypes.data, self.stepping.ctypes.data, runner.guard_table.ctypes.data, len(runner.guards),
            int(runner.work), runner.nq, runner.nv,
        ]  # fmt: skip

    def fresh_guards(self, armed: Collection[str]) -> int:
        """The address of guards as a segment begins with them."""
        self.runner.arm(armed)
        fresh = self.runner.guard_table.copy()
        self.kept.append(fresh)
        return int(fresh.ctypes.data)


class Course:
    """The walks of one mechanism from one structure on, with its events.

    Parameters
    ----------
    mech : Mechanism
        Where walks start.
    events : sequence of Event
        Those of `simulate`; with actions of `strike`, STOP or none.
    method, settings : Integrator, Settings
        How it is integrated.
    section : collection of str
        The events that count as returns.
    longest : float
        How many seconds a return may take.
    """

    def __init__(
        self,
        mech: Mechanism,
        events: Sequence[Event],
        method: Integrator,
        settings: Settings,
        section: Collection[str],
        longest: float,
    ) -> None:
        _check(mech, events, settings)
        self._method, self._settings = method, replace(settings, every=_SELDOM)
        self._events, self._section, self._longest = tuple(events), frozenset(section), longest
        self._ids = {event.name: k for k, event in enumerate(events)}
        self._fires = {event.name for event in events if event.already == "fire"}
        self._places: list[_Place] = []
        self._most = max(1, len(events))
        self._rows = np.zeros((0, kernels.PLACE), np.int64)
        self._edges, self._numbers = np.zeros((0, kernels.EDGE), np.int64), np.zeros((0, kernels.NUMBERS))
        self._known, self._owners = np.zeros((0, 1)), np.zeros((0, 2), np.int64)
        self._add(mech.copy(), mech.state())
        self._start_guards = self._places[0].fresh_guards(self._fires - self._section)
        self.near = 0.0
        """How near a known state must be to be reached."""

    def mechanism(self, place: int) -> Mechanism:
        """The structure of a place; where its base is in the world means nothing."""
        return self._places[place].mech

    def _bits(self, names: Collection[str]) -> int:
        return sum(1 << self._ids[name] for name in names if name in self._ids)

    def _add(self, mech: Mechanism, state: State) -> int:
        """A new place."""
        runner = Runner(Reduced(mech, state, 0.0), (0.0, self._longest), self._method, self._settings, self._events)
        for callback in runner.callbacks:
            if callback.python is not None:
                raise NotReadyError(f"{callback.name} is a function in Python")
        runner.control.least = LEAST_STEP * self._longest
        self._places.append(_Place(runner))
        self._rows = np.array([place.row() for place in self._places], np.int64)
        edges = np.zeros((self._most, kernels.EDGE), np.int64)
        for e, event in enumerate(runner.events):
            edges[e, kernels.EVENT_ID], edges[e, kernels.RETURNS] = self._ids[event.name], event.name in self._section
        self._edges = np.concatenate((self._edges, edges))
        self._numbers = np.concatenate((self._numbers, np.zeros((self._most, kernels.NUMBERS))))
        return len(self._places) - 1

    def know(self, states: Sequence[tuple[int, Array, int]]) -> None:
        """Walks end where they come `near` one of these: of each the place, the state, and a number to tell whose it is."""
        width = max((len(x) for _, x, _ in states), default=1)
        self._known = np.zeros((len(states), width))
        for row, (_, x, _) in zip(self._known, states, strict=True):
            row[: len(x)] = x
        self._owners = np.array([(place, owner) for place, _, owner in states], np.int64).reshape(-1, 2)

    def walk(self, state: State, returns: int) -> Walk:
        """Follow the motion from a state of the first place, for so many returns at most."""
        first, width = self._places[0], max(place.runner.nq + place.runner.nv for place in self._places)
        x = np.zeros((2, width + 64))
        x[0, : first.runner.nq + first.runner.nv] = state._x
        header, clock = np.zeros(kernels.HEADER, np.int64), np.array([self._longest, self.near])
        header[kernels.REACHED], header[kernels.ASKED] = -1, self._bits(self._section)
        header[kernels.FIRES], header[kernels.MOST_GUARDS] = self._bits(self._fires), self._most
        found = np.zeros((returns, 2 + x.shape[1]))
        kernels.begin_first.call(self._rows, self._start_guards, x, self._longest)
        end = kernels.NOT_KNOWN
        while end == kernels.NOT_KNOWN:
            end = kernels.follow.call(self._rows, self._edges, self._numbers, self._known, self._owners, header, clock, x, found)
            if end == kernels.NOT_KNOWN:
                self._learn(int(header[kernels.AT]), int(header[kernels.GUARD_HIT]), x[0])
                header[kernels.PENDING] = 1
        place, count = self._places[header[kernels.AT]], int(header[kernels.RETURNED])
        event = place.runner.events[header[kernels.GUARD_HIT]].name if end == kernels.STOPPED else ""
        width = max(p.runner.nq + p.runner.nv for p in self._places)
        return Walk(
            ENDS[end], event, found[:count, 0].copy(), found[:count, 1].astype(np.int64), found[:count, 2 : 2 + width].copy(),
            int(header[kernels.REACHED]),
        )  # fmt: skip

    def _learn(self, p: int, e: int, x: Array) -> None:
        """What an event does in a place."""
        place = self._places[p]
        event, row = place.runner.events[e], p * self._most + e
        action, edge = event.action, self._edges[row]
        if action is STOP:
            edge[kernels.SORT] = kernels.STOPS
        elif action is None:
            edge[kernels.SORT] = kernels.PASSES
        elif isinstance(action, Strike):
            state = State(place.mech.layout, x[: place.runner.nq + place.runner.nv].copy())
            self._learn_strike(place, row, event, action, state)
        else:
            raise NotReadyError(f"the action of event {event.name!r} is a function in Python")

    def _learn_strike(self, place: _Place, row: int, event: Event, action: Strike, state: State) -> None:
        """Where a strike leads: the structure that `reroot` makes there."""
        mech = place.mech
        try:
            after, there = replace(action, past=None)(mech, state)
        except RegraftError as problem:
            raise NotReadyError(f"the strike of event {event.name!r} cannot happen: {problem}") from problem
        body, foot = known_place(mech, action.foot)
        to = self._place_of(after, there, body, action.name)
        new = self._places[to]
        base, structure = new.mech.joints[action.name], new.mech.structure
        k = structure.row_of[body]
        if structure.walk[k, POLARITY] != 1 or base.child != body or not np.array_equal(base.child_pose.rotation, np.eye(3)):
            raise NotReadyError(f"the base joint {action.name!r} stands the other way round")
        sources = _sources(mech, new.mech, action.name)
        new.kept.append(sources)
        fresh = new.fresh_guards(self._fires - {event.name})
        edge, number = self._edges[row], self._numbers[row]  # which may have moved, with a new place
        edge[kernels.SORT], edge[kernels.TO] = kernels.STRIKES, to
        edge[kernels.TOP], edge[kernels.NEW_TOP] = mech.structure.row_of[body], k
        edge[kernels.SOURCES], edge[kernels.FRESH], edge[kernels.PAST_ROW] = sources.ctypes.data, fresh, -1
        number[kernels.POINT : kernels.POINT + 3] = mech.structure.point(body, foot.translation)
        if action.past is not None:
            other, at = known_place(mech, action.past.frame)
            if other not in mech.structure.row_of:
                raise NotReadyError(f"the frame {action.past.frame!r} is on the world")
            edge[kernels.PAST_ROW] = mech.structure.row_of[other]
            number[kernels.PAST_POINT : kernels.PAST_POINT + 3] = mech.structure.point(other, at.translation)
            number[kernels.ALONG : kernels.ALONG + 3] = action.past.along
            number[kernels.LEAST] = action.past.least

    def _place_of(self, mech: Mechanism, state: State, body: str, base: str) -> int:
        """The place of a structure, a new one where there is none; the first is the user's own, and is not come back to."""
        for number, place in enumerate(self._places[1:], 1):
            known = place.mech
            if base in known.joints and known.joints[base].child == body and known.layout.same_structure(mech.layout):
                return number
        return self._add(mech, state)


def _check(mech: Mechanism, events: Sequence[Event], settings: Settings) -> None:
    """Raise NotReadyError where a course cannot be made."""
    reasons = {
        "the mechanism has closed loops or couplings": mech.layout.is_constrained,
        "there are contacts": bool(settings.contacts),
        "joints move as they are told": bool(settings.prescribed),
        "coordinates are maximal": settings.maximal,
        "joints have dry friction": settings.rubs and any(np.any(joint.type.friction) for joint in mech.joints.values()),
        "events happen at given times": any(isinstance(event.guard, TimeAt) for event in events),
        "there are very many events": len(events) > _MOST_EVENTS,
    }
    for reason, holds in reasons.items():
        if holds:
            raise NotReadyError(reason)


def _sources(before: Mechanism, after: Mechanism, base: str) -> NDArray[np.int64]:
    """For each number of the state after a strike its place in the one before, −1 for the numbers of the base joint."""
    old, new = before.layout, after.layout
    found = np.full(new.nq + new.nv, -1, np.int64)
    for name in new.q_slices:
        if name != base:
            found[new.q_slices[name]] = np.arange(old.nq)[old.q_slices[name]]
            found[new.nq :][new.v_slices[name]] = old.nq + np.arange(old.nv)[old.v_slices[name]]
    return found


assert layout_of(Guard).itemsize % 8 == 0, "guards are copied in words of eight bytes"
