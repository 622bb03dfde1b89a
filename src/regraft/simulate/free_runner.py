"""The compiled loop in maximal coordinates; whatever the user gives and gets is in the mechanism's own joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..loops import assembled
from ..maximal import FreeBodies
from ..mechanism import Mechanism
from ..state import State
from .callbacks import is_compiled
from .events import Event, FunctionGuard, JointAt
from .integrators import Integrator
from .recorded import Segment
from .runner import Runner, driving_torques

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
        self.seen = mech

    def _seen_at(self, t: float, x: Array) -> State:
        """The mechanism's state where its bodies are as x says; angles are counted on from the last one that was asked for."""
        before, there = self.asked
        self.near = self.bodies.reduced_of_many(np.stack((there, x)), self.near, np.array([before, t]))[1]
        self.asked = t, x.copy()
        return State(self.user.layout, self.near)

    def _set_functions(self, torque: Any, wrenches: Any) -> None:
        if wrenches is not None and not isinstance(wrenches, Mapping):
            wrenches = self._pushing(wrenches)
        super()._set_functions(None if torque is None else self._driving(torque), wrenches)

    def _driving(self, torque: Any) -> Callable[..., dict[str, Array]]:
        """The user's torques by joint name: joints between free bodies all close loops."""
        user = self.user

        def driving(t: float, _mech: Mechanism, state: State) -> dict[str, Array]:
            seen, given = self._seen_at(t, state._x), np.zeros(user.nv)
            if is_compiled(torque):
                torque(t, seen._q, seen._v, given)
            else:
                given = torque(t, user, seen)
            of_tree, of_loops = driving_torques(user, given)
            return {
                **{name: of_tree[where] for name, where in user.layout.v_slices.items()},
                **{user.loop_joints[l]: torques for l, torques in of_loops.items()},
            }

        return driving

    def _pushing(self, wrenches: Any) -> Callable[..., Any]:
        user = self.user

        def pushing(t: float, _mech: Mechanism, state: State) -> Any:
            seen = self._seen_at(t, state._x)
            if not is_compiled(wrenches):
                return wrenches(t, user, seen)
            table = np.zeros((len(user.bodies), 6))
            wrenches(t, seen._q, seen._v, table)
            return dict(zip(user.bodies, table, strict=True))

        return pushing

    def _set_guards(self, events: tuple[Event, ...]) -> None:
        there = [event for event in events if not isinstance(event.guard, JointAt) or event.guard.row(self.user) is not None]
        super()._set_guards(tuple(replace(event, guard=self._guarding(event.guard)) for event in there))
        given = {event.name: event for event in events}
        self.events = tuple(given[event.name] for event in self.events)

    def _guarding(self, guard: Any) -> Any:
        """A guard of the mechanism's joints as one of its free bodies."""
        user = self.user
        if isinstance(guard, JointAt) and guard.joint not in user.layout.q_slices:
            guard = guard.of_loop()
        if isinstance(guard, JointAt):
            at = user.layout.q_slices[guard.joint].start

            def passing(t: float, _mech: Mechanism, state: State) -> float:
                return float(self._seen_at(t, state._x)._q[at]) - guard.value

            return FunctionGuard(passing, timed=True)
        if not isinstance(guard, FunctionGuard):
            return guard

        def watching(t: float, _mech: Mechanism, state: State) -> float:
            seen = self._seen_at(t, state._x)
            if is_compiled(guard.function):
                return float(guard.function(t, seen._q, seen._v))
            return float(guard.function(*((t,) if guard.timed else ()), user, seen))

        return FunctionGuard(watching, timed=True)

    def state(self) -> State:
        """The state that has been reached, as the user sees it."""
        return State(self.user.layout, self.segment(None).seen[-1])

    def segment(self, event: str | None) -> Segment:
        """What has been computed, up to the event that ended it."""
        return replace(super().segment(event), mech=self.user, bodies=self.bodies, first=self.first)
