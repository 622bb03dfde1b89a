"""The coordinates in which a run computes: the mechanism's own joints, or in maximal ones every body by itself (S3).

Whatever the user gives and gets is in the mechanism's own joints. What differs between the two is here: which mechanism moves,
how the user's functions are called there, and how a state that was computed becomes one that the user sees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..ask.assembly import assembled
from ..ask.loads import joint_torques
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..maximal import FreeBodies
from ..structure.workspace import Workspace
from .callbacks import python_callback
from .driver import Call, Driver
from .drives import Motors, Pushes, Torques, guard_driver
from .events import JointAt
from .guards import Guard
from .laws import Home, Law
from .recorded import MechanismOrLater, Segment
from .recorder import Recorder
from .shown import Shown

Array = NDArray[np.float64]


class Coordinates(Protocol):
    """What a runner asks of the coordinates it computes in."""

    seen: Mechanism
    """The mechanism as the user sees it."""
    moved: Mechanism
    """The mechanism whose positions and velocities are integrated."""
    start: State
    """Its state at the start."""
    begin: State
    """The same as the user sees it."""
    shown: Shown
    """What the user's functions are shown."""

    def show(self, t: float, x: Array) -> tuple[Mechanism, State]:
        """Mechanism and state as the user's functions get them, where (q, v) of what is integrated is x."""

    def torque_call(self, torque: Torques, work: Workspace) -> Call:
        """What drives the joints, as the loop calls it."""

    def wrench_call(self, wrenches: Pushes) -> Call:
        """What pushes the bodies, as the loop calls it."""

    def guard_call(self, law: Law, home: Home) -> Call | None:
        """A guard that is a law, as the loop calls it; None while it rests."""

    def joint_guard(self, guard: JointAt) -> Guard | Call:
        """The guard of a joint that has a place in the user's q: a record of the loop, or a function."""

    def reached(self, recorder: Recorder, t: float, x: Array) -> Array:
        """(nq + nv,): a state that the loop has reached, as the user sees it."""

    def segment(self, recorder: Recorder, t: float, x: Array, event: str | None, **known: Any) -> Segment:
        """What has been recorded, up to the state that was reached, with what else is `known` of it."""

    def restart(self, t: float, x: Array) -> None:
        """Begin another segment at a state of the loop."""


class Reduced:
    """The mechanism's own joints."""

    def __init__(self, mech: Mechanism, state: State, _t: float) -> None:
        self.seen = self.moved = mech
        self.start = self.begin = assembled(mech, state)
        self.shown = Shown(mech)
        self.recorded_as: MechanismOrLater = mech
        """The mechanism of the segment that is recorded; `seen` but for where its base joint is."""

    def show(self, t: float, x: Array) -> tuple[Mechanism, State]:
        """Mechanism and state as the user's functions get them."""
        return self.shown.at(t, x)

    def torque_call(self, torque: Torques, work: Workspace) -> Call:
        """The torques; those of loop joints go to the tables of the loops."""
        return Call.of(torque.driver(self.seen, self.show, Motors(self.seen, work if self.seen.layout.loops else None)))

    def wrench_call(self, wrenches: Pushes) -> Call:
        """The wrenches."""
        return Call.of(wrenches.driver(self.seen, self.show))

    def guard_call(self, law: Law, home: Home) -> Call | None:
        """The guard; None while it rests."""
        driver = guard_driver(law, self.seen, home, self.show)
        return None if driver is None else Call.of(driver)

    def joint_guard(self, guard: JointAt) -> Guard:
        """The guard as a record that the loop evaluates by itself."""
        return guard.row(self.seen)

    def reached(self, _recorder: Recorder, _t: float, x: Array) -> Array:
        """The state itself."""
        return x

    def segment(self, recorder: Recorder, t: float, x: Array, event: str | None, **known: Any) -> Segment:
        """What has been recorded, with what else is `known` of it."""
        return Segment.from_rows(self.recorded_as, recorder.pieces(), recorder.dense, t, x, event, **known)

    def restart(self, t: float, x: Array) -> None:
        """There is nothing to remember."""


class Maximal:
    """Every body by itself, held by the forces of its joints; functions of the user are called through Python.

    The angles of joints are found from bodies but for whole turns. These are counted on: for functions from the last state that
    one was shown, for the recorded states from one to the next.
    """

    def __init__(self, mech: Mechanism, state: State, t: float) -> None:
        self.seen, self._bodies = mech, FreeBodies(mech)
        self.moved, begin = self._bodies.free, assembled(mech, state)
        self.begin, self.start, self.shown = begin, self._bodies.maximal(begin), Shown(mech)
        self._first = begin._x
        self._shown_last = t, self.start._x.copy(), begin._x
        """The time, the state and the user's state that a function was last shown."""
        self._converted: list[Array] = []
        """The user's states of the recorded rows, as far as somebody has asked for a state behind them."""
        self._last_row = np.empty(0), np.empty((0, self.moved.nq + self.moved.nv))
        """Time and state of the last of these rows, as arrays; empty before there is one."""

    def show(self, t: float, x: Array) -> tuple[Mechanism, State]:
        """The mechanism's state where its bodies are as x says; angles are counted on from the last one that was asked for."""
        before, there, near = self._shown_last
        found = self._bodies.reduced_of_many(np.stack((there, x)), near, np.array([before, t]))[1]
        self._shown_last = t, x.copy(), found
        return self.shown.mech, self.shown.state(found)

    def _show_reduced(self, _t: float, x: Array) -> tuple[Mechanism, State]:
        """Mechanism and state as functions get them, where (q, v) of the user's mechanism is x."""
        return self.shown.mech, State(self.seen.layout, x)

    def _asked(self, driver: Driver, t: float, q: Array, v: Array) -> Array:
        """What a driver of the user's joints says where bodies are at q and v."""
        _, state = self.show(t, np.concatenate((q, v)))
        return driver.ask(t, state._q, state._v)

    def _call(self, driver: Driver, function: Callable[..., Any], size: int) -> Call:
        """A Python function of free bodies that asks a driver of the user's joints."""
        name = driver.parts[0].callback.name if driver.parts else "a constant"
        callback = python_callback(function, size, name, driver.callbacks)
        return Call(callback.address, callbacks=(callback, *driver.callbacks), driver=driver)

    def torque_call(self, torque: Torques, work: Workspace) -> Call:
        """The torques by joint name: joints between free bodies all close loops, so they go to the tables of these."""
        seen, motors = self.seen, Motors(self.seen)
        driver = torque.driver(seen, self._show_reduced, motors)

        def driving(t: float, q: Array, v: Array) -> float:
            of_tree = self._asked(driver, t, q, v)
            by_name = {**{name: of_tree[where] for name, where in seen.layout.v_slices.items()}, **motors.torques()}
            if self.moved.layout.loops:
                work.drive(joint_torques(self.moved, by_name)[1])
            return 0.0  # for all velocities of the bodies themselves

        return self._call(driver, driving, self.moved.nv)

    def wrench_call(self, wrenches: Pushes) -> Call:
        """The wrenches: bodies are the same here and there."""
        driver = wrenches.driver(self.seen, self._show_reduced)
        return self._call(driver, lambda t, q, v: self._asked(driver, t, q, v), 6 * len(self.seen.bodies))

    def guard_call(self, law: Law, home: Home) -> Call | None:
        """The guard; None while it rests."""
        driver = guard_driver(law, self.seen, home, self._show_reduced)
        return None if driver is None else self._call(driver, lambda t, q, v: self._asked(driver, t, q, v), 1)

    def joint_guard(self, guard: JointAt) -> Call:
        """The guard as a function, since the joint has no place among the numbers that are integrated."""
        at = self.seen.layout.q_slices[guard.joint].start

        def passing(t: float, q: Array, v: Array) -> float:
            return float(self.show(t, np.concatenate((q, v)))[1]._q[at]) - guard.value

        return Call.to(python_callback(passing, 1, "a guard"))

    def reached(self, recorder: Recorder, t: float, x: Array) -> Array:
        """The user's state for one that was reached; of the recorded rows only those are converted that are new."""
        times, states = recorder.new_states()
        near = self._converted[-1][-1] if self._converted else self._first
        t_before, before = self._last_row
        found = self._bodies.reduced_of_many(
            np.concatenate((before, states, x[None])), near, np.concatenate((t_before, times, [t]))
        )
        if len(times):
            self._converted.append(found[len(before) : -1])
            self._last_row = times[-1:], states[-1:]
        last: Array = found[-1]
        return last

    def segment(self, recorder: Recorder, t: float, x: Array, event: str | None, **known: Any) -> Segment:
        """What has been recorded, with what else is `known` of it and the user's states as far as there are any already."""
        recorded = Segment.from_rows(self.moved, recorder.pieces(), recorder.dense, t, x, event, **known)
        states = np.concatenate([self._first[None][:0], *self._converted])
        return replace(recorded, mech=self.seen, bodies=self._bodies, first=self._first, converted=states)

    def restart(self, t: float, x: Array) -> None:
        """Count angles on from there."""
        before, there, near = self._shown_last
        self._first = self._bodies.reduced_of_many(np.stack((there, x)), near, np.array([before, t]))[1]
        self._shown_last = t, x.copy(), self._first
        self._converted, self._last_row = [], (np.empty(0), np.empty((0, self.moved.nq + self.moved.nv)))
