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

from ..ask.assembly import assembled
from ..compilation import address_of
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..tolerances import LEAST_STEP, REPRESENTABLE
from . import course_kernels as kernels
from .composed_changes import COMPOSED, parts_in
from .coordinates import Reduced
from .course_changes import MADE, admit
from .course_links import NotReadyError, Part, chain, mechanisms_through, present
from .events import STOP, Event, TimeAt
from .guards import Guard
from .integrators import Integrator
from .records import layout_of
from .runner import Runner
from .settings import Settings

Array = NDArray[np.float64]

_ROOM = 4096  # bytes for a flow, or for what a loop keeps
_SELDOM = 1_000_000_000  # steps between rows of a record that nobody reads
_MOST_EVENTS = 62  # each has a bit of an integer
ENDS = ("done", "stopped", "took too long", "not known", "several", "failed", "cannot stand", "a loop is open")
"""How a walk ends, by the numbers of the kernels."""


class Walk(NamedTuple):
    """What came of one start.

    Attributes
    ----------
    end : str
        One of "done", "stopped", "took too long", "several", "failed", "cannot stand" and "a loop is open".
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
        self.closed = self.mech.layout.is_constrained
        self.room = np.zeros(4 * runner.nv + 2 * runner.nq)
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
            runner.nq, runner.nv, int(runner.work), self.room.ctypes.data, address_of(admit) if self.closed else 0,
        ]  # fmt: skip

    def fresh_guards(self, asked: Collection[str]) -> int:
        """The address of guards as a segment begins with them, after the events that were `asked`."""
        self.runner.arm(asked)
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
        Those of `simulate`; with actions that are data, STOP or none.
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
        self._edges, self._widest = np.zeros((0, kernels.EDGE), np.int64), 0
        self._known, self._owners = np.zeros((0, 1)), np.zeros((0, 2), np.int64)
        self._mech = mech.copy()
        if not mech.layout.is_constrained:  # else a state that is closed is to be known first
            self._add_first(mech.state())
        self.near = 0.0
        """How near a known state must be to be reached."""

    def mechanism(self, place: int) -> Mechanism:
        """The structure of a place; where its base is in the world means nothing."""
        return self._places[place].mech

    def _bits(self, names: Collection[str]) -> int:
        return sum(1 << self._ids[name] for name in names if name in self._ids)

    def _add_first(self, state: State) -> None:
        """The place where walks start."""
        self._add(self._mech, State(self._mech.layout, state._x))
        self._start_guards = self._places[0].fresh_guards(self._section)

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
        self._widest = max(self._widest, mech.nq + mech.nv)
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
        if not self._places:
            self._add_first(state)
        first = self._places[0]
        x, found = np.zeros((1, self._widest)), np.zeros((returns, 2 + self._widest))
        x[0, : first.runner.nq + first.runner.nv] = assembled(first.mech, state)._x
        if first.closed and admit(int(first.runner.work), x.ctypes.data, first.room.ctypes.data) != MADE:
            return Walk("a loop is open", "", found[:0, 0], found[:0, 1].astype(np.int64), found[:0, 2:], -1)
        header, clock = np.zeros(kernels.HEADER, np.int64), np.array([self._longest, self.near])
        header[kernels.REACHED], header[kernels.ASKED] = -1, self._bits(self._section)
        header[kernels.FIRES], header[kernels.MOST_GUARDS] = self._bits(self._fires), self._most
        kernels.begin_first.call(self._rows, self._start_guards, x, self._longest)
        end = kernels.NOT_KNOWN
        while end == kernels.NOT_KNOWN:
            end = kernels.follow.call(self._rows, self._edges, self._known, self._owners, header, clock, x, found)
            if end == kernels.NOT_KNOWN:
                self._learn(int(header[kernels.AT]), int(header[kernels.GUARD_HIT]), x[0])
                x, found = (_widened(table, more) for table, more in ((x, self._widest), (found, 2 + self._widest)))
                header[kernels.PENDING] = 1
        place, count = self._places[header[kernels.AT]], int(header[kernels.RETURNED])
        event = place.runner.events[header[kernels.GUARD_HIT]].name if end == kernels.STOPPED else ""
        return Walk(
            ENDS[end], event, found[:count, 0].copy(), found[:count, 1].astype(np.int64), found[:count, 2:].copy(),
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
            edge[kernels.SORT] = kernels.NOTES
        elif isinstance(action, COMPOSED):
            self._learn_change(place, row, event, parts_in(action, place.mech), x)
        else:
            raise NotReadyError(f"the action of event {event.name!r} is a function in Python")

    def _learn_change(self, place: _Place, row: int, event: Event, parts: Sequence[Part], x: Array) -> None:
        """Where changes of structure lead: to the one that they make there."""
        if not parts:
            self._edges[row, kernels.SORT] = kernels.PASSES
            return
        try:
            through = mechanisms_through(parts, *present(place.mech, x))
        except NotReadyError as reason:
            raise NotReadyError(f"at event {event.name!r} {reason}") from reason
        to = self._place_of(*through[-1])
        new, between = self._places[to], [mech for mech, _ in through[:-1]]
        works = [place.runner.work, *(mech.structure.new_work() for mech in between), new.runner.work]
        links = chain(parts, [place.mech, *between, new.mech], works)
        new.kept += [links, works]
        self._widest = max(self._widest, *(mech.nq + mech.nv for mech, _ in through))
        fresh = new.fresh_guards({event.name})
        edge = self._edges[row]  # which may have moved, with a new place
        edge[kernels.SORT], edge[kernels.TO], edge[kernels.FRESH] = kernels.CHANGES, to, fresh
        edge[kernels.LINKS], edge[kernels.COUNT_LINKS] = links.rows.ctypes.data, len(parts)

    def _place_of(self, mech: Mechanism, state: State) -> int:
        """The place of a structure, a new one where there is none; the first is the user's own, and is not come back to."""
        for number, place in enumerate(self._places[1:], 1):
            if _alike(place.mech, mech):
                return number
        return self._add(mech, state)


def _alike(one: Mechanism, other: Mechanism) -> bool:
    """Whether two structures are the same but for where trees hang on the world."""
    if not one.layout.same_structure(other.layout) or one.actuators.keys() != other.actuators.keys():
        return False
    for name, joint in one.joints.items():
        there = other.joints[name]
        if (joint.parent, joint.child, joint.type) != (there.parent, there.child, there.type):
            return False
        apart = np.abs(joint.places() - there.places())
        if joint.parent == WORLD and name in one.layout.q_slices:
            apart[0, 9:] = 0.0
        if not apart.max() <= REPRESENTABLE:
            return False
    return True


def _widened(table: Array, columns: int) -> Array:
    """A table with at least so many columns."""
    return np.pad(table, ((0, 0), (0, max(0, columns - table.shape[1]))))


def _check(mech: Mechanism, events: Sequence[Event], settings: Settings) -> None:
    """Raise NotReadyError where a course cannot be made."""
    reasons = {
        "joints are coupled": bool(mech.layout.couplings),
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


assert layout_of(Guard).itemsize % 8 == 0, "guards are copied in words of eight bytes"
