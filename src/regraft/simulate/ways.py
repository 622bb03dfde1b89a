"""Ways from one structure to the next that a run has gone before: it goes on there with the runner it has, without a mechanism.

`strike` puts another base joint under a tree, and the same few trees come back with each step of a walk. The first time a run
makes the mechanism and a runner; where it comes back, only the numbers of the base joint are new. All else is as if everything
were made again, to the last bit: the same kernels get the same numbers. The mechanisms of segments are made when somebody asks.

A structure keeps the ways that begin in it, so the next run from there knows them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import POSE
from ..change.reroot import Landing, impact_on
from ..describe.mechanism import Mechanism
from ..describe.parts import Joint
from ..describe.rejoinable import remember_base
from ..describe.state import State
from ..errors import RegraftError
from ..kernels.memory import GEOMETRY_AT
from ..kernels.tables import GEOMETRY, JOINT, PARENT, E
from ..structure.structure import Structure
from .composed_changes import InTurn
from .coordinates import Reduced
from .events import PASS, STOP, Event, FrameBelow, JointAt, TimeAt
from .integrators import Integrator
from .ready_changes import Footing, Grip, Release, Strike
from .runner import Runner
from .settings import Options, Settings

Array = NDArray[np.float64]

_KEPT = "ways"
"""The attribute of a structure that keeps its ways; whoever goes them takes them out."""


class Lineage:
    """The mechanisms of a run's segments, each from the one before by another base joint; nobody else has the `first`."""

    def __init__(self, first: Mechanism) -> None:
        self._made, self._given = {0: first}, dict[int, Mechanism]()
        self._bases = [base_of(first)]
        self.formers = dict(first.former_bases)
        """Those of the last one."""

    @property
    def base(self) -> Joint:
        """The base joint of the last one."""
        return self._bases[-1]

    def change(self, base: Joint) -> None:
        """One more, with this base joint."""
        remember_base(self.formers, self.base)
        self._bases.append(base)

    def arrive(self, mech: Mechanism) -> None:
        """One more, which has been made."""
        self.formers = dict(mech.former_bases)
        self._bases.append(base_of(mech))
        last = len(self._bases) - 1
        self._made[last], self._given[last] = mech.copy(), mech

    def last(self) -> Callable[[], Mechanism]:
        """What makes the last one when it is called."""
        return partial(self._mechanism, len(self._bases) - 1)

    def _mechanism(self, k: int) -> Mechanism:
        """The k-th, the same for all who ask; nobody who changes it changes those that are made later."""
        known = k
        while known not in self._made:
            known -= 1
        for i in range(known, k):
            self._made.setdefault(i + 1, self._made[i].with_base(self._bases[i].name, self._bases[i + 1]))
        return self._given[k] if k in self._given else self._given.setdefault(k, self._made[k].copy())


class Place:
    """A structure that runs come to; when one comes back, with a runner of its own."""

    def __init__(self, mech: Mechanism, runner: Runner | None = None) -> None:
        self._mech, self.base, self.runner = mech.copy(), base_of(mech), runner
        self._on, self._straight = self.base.child_pose.row.tolist(), _is_straight(self.base)
        self.ways: dict[str, Way] = {}
        """What strikes do there, by the names of their events."""

    def is_of(self, mech: Mechanism) -> bool:
        """Whether it is the structure of a mechanism, but for where its base joint is."""
        return self._mech.layout.same_structure(mech.layout) and self.fits(base_of(mech))

    def fits(self, base: Joint) -> bool:
        """Whether its base joint, put elsewhere, is this one."""
        own = self.base
        same = (base.name, base.parent, base.child) == (own.name, own.parent, own.child) and base.type == own.type
        return same and _is_straight(base) == self._straight and base.child_pose.row.tolist() == self._on

    def prepared(self, make: Callable[[Mechanism], Runner]) -> Runner:
        """Its runner, with a structure that nobody else has."""
        if self.runner is None:
            self.runner = make(self._mech.with_base(self.base.name, self.base))
            structure = self.runner.structure
            geometry = structure.work.table(GEOMETRY_AT, len(structure.body_names), GEOMETRY)
            self._base_pose = geometry[structure.row_of[self.base.child], E : E + POSE]
        return self.runner

    def put(self, base: Joint) -> Structure:
        """Its structure with the base joint where this one is; see `derive.place`."""
        assert self.runner is not None
        structure = self.runner.structure
        self._base_pose[:] = base.parent_pose.row
        if not self._straight:  # else bodies are turned in the bind pose as they were, which is all that a strike asks for
            structure.__dict__.pop("bind", None)
        return structure


@dataclass
class Way:
    """What a strike does in a place, and where it leads."""

    footing: Footing
    landing: Landing
    to: Place | None = None
    """None until it has been gone."""


class Ways:
    """The ways of a run, and where it is."""

    def __init__(self, runner: Runner, events: tuple[Event, ...]) -> None:
        self._integrator, self.settings, self._events = runner.integrator, runner.settings, events
        self._frames = dict(runner.seen.frames)
        self._first, self._others = Place(runner.seen, runner), list[Place]()
        """The first has the user's own structure, whose base joint is not put elsewhere; so it is not come back to."""
        self._here, self._lineage = self._first, Lineage(runner.seen.copy())
        self._stay = _is_plain(self.settings) and all(map(_is_plain_event, events))
        """Whether they are the same for another run."""

    @classmethod
    def of(cls, runner: Runner, events: tuple[Event, ...]) -> Ways | None:
        """Those of a run that is at its first structure; None where it would never come back to one in this way."""
        strikes = any(isinstance(event.action, Strike) for event in events)
        one_tree = int((runner.structure.walk[:, PARENT] < 0).sum()) == 1
        return cls(runner, events) if strikes and one_tree and runner.is_data else None

    # --- on the way ----------------------------------------------------------------------------------------------------

    def follow(self, runner: Runner, event: Event, end: float) -> Any:
        """The runner with which a strike goes on, PASS where it does not happen; None where that must be found out otherwise."""
        if not isinstance(event.action, Strike):
            return None
        way = self._way(event)
        if way is None:
            return None
        structure, x = runner.structure, runner.x
        motions = structure.motion(x)
        over = False if runner.looks_past(event) else way.footing.is_passed_over(structure, motions)
        if over:
            return PASS
        if over is None or way.to is None:
            return None
        following = way.to.prepared(self._make)
        try:
            landed = way.landing.new_base(structure, self._lineage.formers, motions)
        except RegraftError:  # which the action will raise too
            return None
        if following is runner or not way.to.fits(landed.base):
            return None
        held, there = landed.held, way.to.put(landed.base)
        x = structure.layout.exchanged(x, landed.place, held.q, held.v)
        after, margin = impact_on(there, x, way.footing.body, landed.now)
        if not margin > 0.0:
            return None
        self._lineage.change(landed.base)
        following.begin_again((runner.t, end), after, self._lineage.last())
        self._here = way.to
        return following

    def _make(self, mech: Mechanism) -> Runner:
        """A runner that will begin again."""
        events = guarded(self._events)
        return Runner(Reduced(mech, mech.state(), 0.0), (0.0, 0.0), self._integrator, self.settings, events)

    def _way(self, event: Event) -> Way | None:
        """What a strike does here; None where it cannot be."""
        ways = self._here.ways
        if event.name not in ways:
            assert isinstance(event.action, Strike)
            try:
                footing = event.action.footing(self._lineage.last()())
            except RegraftError:
                return None
            ways[event.name] = Way(footing, event.action.landing(footing))
        return ways[event.name]

    def arrive(self, event: Event, following: Runner) -> bool:
        """Learn where a strike has led; whether there is a way on from there."""
        mech = following.seen
        way = self._here.ways.get(event.name)
        if way is None or not following.is_data:
            return False
        place = next((place for place in self._others if place.is_of(mech)), None)
        if place is None:
            place = Place(mech)
            self._others.append(place)
        way.to = self._here = place
        self._lineage.arrive(mech)
        return True

    def mechanism(self) -> Mechanism:
        """That of the present segment."""
        return self._lineage.last()()

    # --- from one run to the next --------------------------------------------------------------------------------------

    @property
    def first(self) -> Runner | None:
        """The runner with which they begin."""
        return self._first.runner

    def keep(self) -> None:
        """Keep the ways with the structure in which they begin, if all of them are the same for another run."""
        runner = self._first.runner
        if runner is not None and self._others and self._stay:
            del self._here, self._lineage  # which are of the run that is over
            for place in (self._first, *self._others):
                if place.runner is not None:
                    place.runner.let_go()
            runner.structure.__dict__[_KEPT] = self

    def begin_again(self, mech: Mechanism, state: State, times: tuple[float, float]) -> Runner:
        """The runner with which another run begins."""
        runner = self._first.runner
        assert runner is not None
        self._here, self._lineage = self._first, Lineage(mech)
        runner.seen = mech
        runner.begin_again(times, state._x, self._lineage.last())
        return runner

    def are_for(self, mech: Mechanism, events: tuple[Event, ...], integrator: Integrator, settings: Settings) -> bool:
        """Whether a run that begins in the same structure goes these ways."""
        own = self.settings
        alike = settings is own or (_is_plain(settings) and _numbers(settings) == _numbers(own))
        return alike and self._are_with(mech, events, integrator)

    def were_for(self, mech: Mechanism, events: tuple[Any, ...], integrator: Integrator, options: Options) -> bool:
        """Whether the run that left them was given the very same, and nothing that can change."""
        said = self.settings.options
        same = all(map(is_, options, said)) and _UNCHANGING.issuperset(map(type, said))
        return same and self._are_with(mech, events, integrator)

    def _are_with(self, mech: Mechanism, events: tuple[Any, ...], integrator: Integrator) -> bool:
        same = len(events) == len(self._events) and all(map(is_, events, self._events))
        return same and integrator is self._integrator and mech.frames == self._frames


def checked_before(mech: Mechanism, events: tuple[Any, ...], integrator: Integrator, options: Options) -> Settings | None:
    """The settings of a run that has left its ways, for one that is given the same: nothing need be checked again."""
    found: Ways | None = mech.structure.__dict__.get(_KEPT)
    return found.settings if found is not None and found.were_for(mech, events, integrator, options) else None


def kept_ways(mech: Mechanism, events: tuple[Event, ...], integrator: Integrator, settings: Settings) -> Ways | None:
    """The ways that a run has left, taken out so that nobody else goes them; None where there are none for this run."""
    found: Ways | None = mech.structure.__dict__.pop(_KEPT, None)
    return found if found is not None and found.are_for(mech, events, integrator, settings) else None


def guarded(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Those that the compiled loop watches for: all but those at given times."""
    return tuple(event for event in events if not isinstance(event.guard, TimeAt))


def base_of(mech: Mechanism) -> Joint:
    """The joint between a tree and the world, the first one."""
    structure = mech.structure
    return mech.joints[structure.joint_names[structure.walk[0, JOINT]]]


def _is_straight(base: Joint) -> bool:
    """Whether a base joint does not turn its body against the world, which walks tell from others."""
    return bool(base.parent_pose.row[:9].tolist() == _STRAIGHT)


def _is_plain(settings: Settings) -> bool:
    """Whether nothing is given but numbers; functions are left to those who gave them."""
    given = settings.torque, settings.wrenches, settings.prescribed or None, settings.contacts or None
    return not settings.maximal and all(one is None for one in given)


def _is_plain_event(event: Event) -> bool:
    """Whether an event has no function of the user, who may want it to be forgotten after the run."""
    ready = event.action is None or event.action is STOP or isinstance(event.action, (Strike, Grip, Release, InTurn))
    return ready and isinstance(event.guard, (FrameBelow, JointAt, TimeAt))


def _numbers(settings: Settings) -> tuple[Any, ...]:
    """What a run is computed with, but for where it began."""
    own = settings
    return own.rtol, own.atol, own.step, own.every, own.stabilise, own.rubs, own.step_takes


_STRAIGHT = np.eye(3).ravel().tolist()
_UNCHANGING = frozenset(
    (bool, float, int, str, tuple, type(None))
)  # of tuples only empty ones are in the options of plain settings
