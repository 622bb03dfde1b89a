"""Many returns from many starts: without Python where all that happens is data, and by the return map itself where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import SimulationError, StructureError, warn
from ..simulate.course import Course, Walk
from ..simulate.course_links import NotReadyError
from ..simulate.events import STOP
from .match import apart, matched
from .returns import ReturnMap

Array = NDArray[np.float64]

REACHED, STOPPED, ELSEWHERE, NO_RETURN, FAILED = "reached", "stopped", "elsewhere", "no return", "failed"
"""What becomes of a start: it comes to a known motion; an event stops it, as a fall does; it goes on without coming to one;
it does not come back to the section in time; or its motion cannot be computed."""


Arrival = tuple[Mechanism, Array]


class Fate(NamedTuple):
    """What became of a start.

    Attributes
    ----------
    fate : str
        "reached", "stopped", "elsewhere", "no return" or "failed".
    which : int
        The motion that was reached, by its number; −1 for none.
    event : str
        The event that stopped it.
    times : (returns,) array
        When it came back to the section.
    arrivals : list of (Mechanism, array)
        Where, as numbers (q, v) in the structure that it had then; see `Walks.image`.
    """

    fate: str
    which: int
    event: str
    times: Array
    arrivals: list[Arrival]


class Walks:
    """Walks of one return map; the motions that are known end them.

    Parameters
    ----------
    return_map : ReturnMap
        From states of a mechanism to its section.
    known : sequence of sequences of State
        Of each motion the states in which it comes to the section, one a return.
    near : float
        How near to one of these a return must be: the largest difference of any number.
    """

    def __init__(self, return_map: ReturnMap, known: Sequence[Sequence[State]] = (), near: float = 0.0) -> None:
        self.return_map, self._known, self._near = return_map, known, near
        self._stops = {event.name for event in return_map.events if event.action is STOP}
        self.compiled = True
        """Whether walks go without Python."""
        m = return_map
        try:
            self._course = Course(m.start, m.events, m.method, m.settings, m.section, m.longest)
            self._learn_known()
        except NotReadyError as reason:
            self._slow_down(reason)

    def _slow_down(self, reason: NotReadyError) -> None:
        self.compiled = False
        warn(
            f"these walks go through Python at each event, which takes some ten times as long, as {reason}. What rg.strike, "
            "rg.grip, rg.release and rg.in_turn describe needs no function."
        )

    def _learn_known(self) -> None:
        """Known states in each structure that a walk can be in when it comes to the section."""
        rows = []
        for which, states in enumerate(self._known):
            walk = self._course.walk(states[0], 4 * len(states))
            for place, arrival in zip(walk.places.tolist(), self._arrivals(walk), strict=True):
                if self._distance(self.image(arrival), states) <= 0.5 * self._near:
                    rows.append((place, arrival[1][: arrival[0].nq + arrival[0].nv], which))
        self._course.know(rows)
        self._course.near = self._near

    def _distance(self, image: State, states: Sequence[State]) -> float:
        """From a state to the nearest of some."""
        return min(float(np.abs(apart(self.return_map.start, image, state)).max()) for state in states)

    def walk(self, state: State, returns: int) -> Fate:
        """What becomes of a start within so many returns."""
        if self.compiled:
            try:
                walk = self._course.walk(state, returns)
            except NotReadyError as reason:
                self._slow_down(reason)
                return self._slowly(state, returns)
            if walk.end not in ("several", "a loop is open"):
                return self._fate(walk)
        return self._slowly(state, returns)

    def image(self, arrival: Arrival) -> State:
        """Where a walk has come to, as a state of the starting mechanism."""
        mech, x = arrival
        return matched(self.return_map.start, self.return_map.match, mech, State(mech.layout, x[: mech.nq + mech.nv].copy()))

    def _arrivals(self, walk: Walk) -> list[Arrival]:
        return [(self._course.mechanism(place), x) for place, x in zip(walk.places.tolist(), walk.states, strict=True)]

    def _fate(self, walk: Walk) -> Fate:
        ends = {"stopped": STOPPED, "took too long": NO_RETURN, "failed": FAILED, "cannot stand": FAILED}
        fate = ends.get(walk.end, REACHED if walk.reached >= 0 else ELSEWHERE)
        return Fate(fate, walk.reached, walk.event, walk.times, self._arrivals(walk))

    def _slowly(self, state: State, returns: int) -> Fate:
        """The same by the return map."""
        m, mech, t = self.return_map, self.return_map.start, 0.0
        times: list[float] = []
        arrivals: list[Arrival] = []
        for _ in range(returns):
            try:
                passage = m.passage(mech, state)
                image = m.image(passage)
            except SimulationError as problem:
                happened = [] if problem.trajectory is None else problem.trajectory.events
                event = happened[-1].name if happened else ""
                late = problem.trajectory is not None and problem.trajectory.t[-1] >= m.longest
                fate = STOPPED if event in self._stops else NO_RETURN if late else FAILED
                return Fate(fate, -1, event if fate == STOPPED else "", np.array(times), arrivals)
            except StructureError:
                return Fate(FAILED, -1, "", np.array(times), arrivals)
            mech, state, t = passage.mech, passage.state, t + passage.time
            times.append(t)
            arrivals.append((mech, state._x))
            for which, motion in enumerate(self._known):
                if self._distance(image, motion) <= self._near:
                    return Fate(REACHED, which, "", np.array(times), arrivals)
        return Fate(ELSEWHERE, -1, "", np.array(times), arrivals)
