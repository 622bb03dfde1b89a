"""The compiled loop in maximal coordinates; whatever the user gives and gets is in the mechanism's own joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ask.assembly import assembled
from ..ask.loads import joint_torques
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..maximal import FreeBodies
from .callbacks import python_callback
from .driver import Driver
from .drives import Motors, Pushes, Torques, guard_driver
from .events import Event, FunctionGuard, GuardRow, JointAt, function_row
from .integrators import Integrator
from .laws import law_of_guard
from .recorded import Segment
from .runner import Runner
from .stepper import TORQUE_AT, WRENCH_AT

Array = NDArray[np.float64]


class FreeRunner(Runner):
    """The compiled loop on the free bodies of a mechanism, from one state on."""

    def __init__(
        self, mech: Mechanism, state: State, t: float, integrator: Integrator, settings: Any, events: tuple[Event, ...]
    ) -> None:
        self.bodies, start = FreeBodies(mech), assembled(mech, state)
        self.first = self.near = start._x
        self.user, there = mech, self.bodies.maximal(start)
        self.asked = t, there._x.copy()
        super().__init__(self.bodies.free, there, t, integrator, settings, events)

    def _seen_by_user(self, _mech: Mechanism) -> Mechanism:
        return self.user

    def _show(self, t: float, x: Array) -> tuple[Mechanism, State]:
        """The mechanism's state where its bodies are as x says; angles are counted on from the last one that was asked for."""
        before, there = self.asked
        self.near = self.bodies.reduced_of_many(np.stack((there, x)), self.near, np.array([before, t]))[1]
        self.asked = t, x.copy()
        return self.shown.mech, self.shown.state(self.near)

    def _reduced(self, t: float, q: Array, v: Array) -> tuple[float, Array, Array]:
        """The time with the user's positions and velocities, where free bodies are at q and v."""
        _, state = self._show(t, np.concatenate((q, v)))
        return t, state._q, state._v

    def _as_shown(self, _t: float, x: Array) -> tuple[Mechanism, State]:
        return self.shown.mech, State(self.user.layout, x)

    def _call(self, driver: Driver, call: Callable[..., Any], size: int) -> int:
        """The address of a Python function of free bodies that asks a driver of the user's joints."""
        callback = python_callback(call, size, driver.parts[0].callback.name if driver.parts else "a constant", driver.callbacks)
        self.drivers.append(driver)
        self.callbacks.extend((callback, *driver.callbacks))
        return callback.address

    def _set_torque(self, torque: Torques) -> None:
        """The user's torques by joint name: joints between free bodies all close loops."""
        user, motors = self.user, Motors(self.user)
        driver = torque.driver(user, self._as_shown, motors)

        def driving(t: float, q: Array, v: Array) -> float:
            of_tree = driver.ask(*self._reduced(t, q, v))
            by_name = {**{name: of_tree[where] for name, where in user.layout.v_slices.items()}, **motors.torques()}
            if self.structure.layout.loops:
                self.work.drive(joint_torques(self.mech, by_name)[1])
            return 0.0

        self.functions[TORQUE_AT] = self._call(driver, driving, self.nv)

    def _set_wrenches(self, wrenches: Pushes) -> None:
        driver = wrenches.driver(self.user, self._as_shown)

        def pushing(t: float, q: Array, v: Array) -> Array:
            return driver.ask(*self._reduced(t, q, v))

        self.functions[WRENCH_AT] = self._call(driver, pushing, self.push.size)

    def _guard_row(self, event: Event, guard: Any) -> GuardRow | None:
        """A guard of the mechanism's joints as one of its free bodies."""
        user = self.user
        if isinstance(guard, JointAt):
            guard = guard.found_in(user)
        if isinstance(guard, JointAt):
            at = user.layout.q_slices[guard.joint].start

            def passing(t: float, q: Array, v: Array) -> float:
                return float(self._reduced(t, q, v)[1][at]) - guard.value

            return function_row(python_callback(passing, 1, "a guard"))
        law = law_of_guard(guard.function) if isinstance(guard, FunctionGuard) else None
        if law is None:
            return super()._guard_row(event, guard)
        driver = guard_driver(law, user, self.home, self._as_shown)
        if driver is None:
            return None

        def watching(t: float, q: Array, v: Array) -> Array:
            return driver.ask(*self._reduced(t, q, v))

        return function_row(None, self._call(driver, watching, 1))

    def state(self) -> State:
        """The state that has been reached, as the user sees it."""
        return self._closed_by_now(self.segment(None).seen[-1])

    def segment(self, event: str | None) -> Segment:
        """What has been computed, up to the event that ended it."""
        return replace(super().segment(event), mech=self.user, bodies=self.bodies, first=self.first)
