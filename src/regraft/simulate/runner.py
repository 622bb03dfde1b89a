"""One structure in the compiled loop: its vectors, guards and functions, and the rows that it records."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from ctypes import addressof, memmove
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ask.loads import external_table
from ..compilation import expect
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import RegraftError, listed
from ..kernels.tables import MARGIN
from ..tolerances import BEYOND
from . import stepping_loop
from .applied import Applied
from .callbacks import Callback, lost_exceptions_kept, python_callback
from .contacts.contacting import Contacting, Modes
from .contacts.rubs import rubs_of
from .coordinates import Coordinates, Reduced
from .driver import Call, Driver
from .drives import Pushes, Torques
from .events import Event, FrameBelow, FunctionGuard, JointAt, TimeAt, function_row
from .flow import Calls, Flow, accelerations_in, new_scratch, start_in
from .guarding import guard_kernel, guarding_kernel
from .guards import HEIGHT, Guard
from .imposing import Imposing
from .integrators import Integrator
from .laws import law_of_guard
from .loop_kernels import closing_kernel, dynamics_kernel
from .prescribed import Guiding
from .ready_changes import Strike
from .recorded import MechanismOrLater, Segment
from .recorder import Recorder
from .records import given, given_array
from .settings import Settings
from .start import prepare_start
from .stepper import ON_A_MANIFOLD

Array = NDArray[np.float64]


class Runner:
    """The compiled loop on one structure, from one state on.

    Contacts go on as they were in the structure `before`: where they still touch, with `hold` in any case.
    """

    def __init__(
        self,
        coordinates: Coordinates,
        times: tuple[float, float],
        integrator: Integrator,
        settings: Settings,
        events: tuple[Event, ...],
        first: bool = True,
        before: Runner | None = None,
        hold: bool = False,
    ) -> None:
        t, end = times
        self.coordinates, self.integrator, self.settings = coordinates, integrator, settings
        mech = self.mech = coordinates.moved
        self.seen = coordinates.seen
        """The mechanism as the user sees it."""
        self.structure, self.nq, self.nv = mech.structure, mech.layout.nq, mech.layout.nv
        self._end, start = end, coordinates.start
        self.guiding = Guiding(mech, settings.prescribed) if settings.prescribed else None
        self.imposing: Imposing | None = None
        self._looked_until = t
        self.struck: dict[str, Array] = {}
        """The jumps of prescribed velocities where the run starts: there was an impact."""
        if events:
            expect(guard_kernel)
        if self.guiding is None:
            self.work = self.structure.new_work()
        else:
            self.work = self.guiding.work
            self.struck = self.guiding.check_start(t, self.seen, coordinates.begin, end - t, first)
            start = self.guiding.start(t, start)
        if mech.layout.is_constrained:
            prepare_start(mech, start, self.work, None if self.guiding is None else self.guiding.follow)
        self.contacts: Contacting | None = None
        rubs = rubs_of(mech, settings.prescribed) if settings.rubs else ()
        if settings.contacts or rubs:
            self.contacts = Contacting(mech, settings, rubs, self.work)
            carried = None if before is None else before.contacts
            start = State(mech.layout, self.contacts.start(start._x, settings.push, carried, hold))
        self.callbacks: list[Callback] = []
        self.drivers: list[Driver] = []
        self.flow = self._flow(settings.torque, settings.wrenches)
        self._now, self._accelerations = start_in(self.flow.vectors), accelerations_in(self.flow.vectors)
        self._now.q[:], self._now.v[:] = start._q, start._v
        self._pasts: list[Array] = []
        self.events, self.guards = self._watched(events)
        self._watching = tuple(zip(self.events, self.guards, strict=False))
        """The events with their guards."""
        self.guard_table = given_array(self.guards)
        self.calls.guarding = guarding_kernel() if len(self.guards) else 0
        self.recorder = Recorder(self.nq, self.nv, settings.every, integrator.method.terms)
        self.progress = stepping_loop.Progress(t=t)
        self.control = stepping_loop.Control(
            adaptive=integrator.adaptive, step=0.0 if integrator.adaptive else settings.step,
            largest=settings.step, rtol=settings.rtol, atol=settings.atol, error_before=stepping_loop.FIRST_ERROR,
        )  # fmt: skip
        self._made = tuple((addressof(record), bytes(record)) for record in (self.guards, self.progress, self.control))
        """Where the records lie that the loop changes, and how they were made."""
        self._stepping = stepping_loop.Stepping(
            given(self.progress),
            given(self.control),
            given(self.recorder.recording),
            self.recorder.table,
            coordinates_of(mech),
            turning_of(mech),
        )

    def _flow(self, torque: Torques | None, wrenches: Pushes | Mapping[str, Any] | None) -> Flow:
        """The mechanism with all that acts on it."""
        calls = Calls(of_free_bodies=self.integrator.of_free_bodies)
        if self.mech.layout.is_constrained:
            calls.has_loops, calls.closes = True, self.settings.stabilise
            calls.dynamics, calls.closing = dynamics_kernel(), closing_kernel()
        scratch = new_scratch(self.nq, self.nv)
        if self.guiding is not None and self.guiding.places:
            self.imposing = self.guiding.act_in(calls, start_in(scratch).q)
            self.callbacks.extend(self.imposing.driver.callbacks)
            self.drivers.append(self.imposing.driver)
        if self.contacts is not None:
            self.contacts.call_into(calls)
        push, external = np.zeros((1, 6)), self.structure.no_forces
        if torque is not None:
            calls.torque, calls.torque_context = self._kept(self.coordinates.torque_call(torque, self.work))
        if isinstance(wrenches, Mapping):
            external = external_table(self.mech, wrenches)
        elif wrenches is not None:
            external, push = external_table(self.mech, {}), np.zeros((max(1, len(self.mech.bodies)), 6))
            calls.wrenches, calls.wrenches_context = self._kept(self.coordinates.wrench_call(wrenches))
        self.calls = calls
        return Flow(self.work, self.integrator.method, given(calls), push, external, scratch)

    def _kept(self, call: Call) -> tuple[int, int]:
        """The address of a function and what it is called with, after all that belongs to it is kept."""
        self.callbacks.extend(call.callbacks)
        if call.driver is not None:
            self.drivers.append(call.driver)
        return call.address, call.context

    def _watched(self, events: tuple[Event, ...]) -> tuple[tuple[Event, ...], Any]:
        """The events that are watched for in this structure, and their guards."""
        found = [(event, self._guard(event)) for event in events]
        present = [(event, guard) for event, guard in found if guard is not None]
        guards = (Guard * (len(present) + (0 if self.contacts is None else self.contacts.guard_count)))()
        for e, (event, guard) in enumerate(present):
            guards[e] = guard
            guards[e].direction = event.direction
            if guard.sort == HEIGHT and isinstance(event.action, Strike):
                guards[e].context = self._past(event.action)
        if self.contacts is not None:
            self.contacts.fill_guards(given_array(guards)[len(present) :])
            self.contacts.call_beside(self.calls, len(present))
        return tuple(event for event, _ in present), guards

    def _past(self, strike: Strike) -> int:
        """The address of when a strike is passed over, 0 where the loop does not know."""
        try:
            numbers = strike.footing(self.seen).past_numbers(self.structure) if self._moves_freely else None
        except RegraftError:  # the strike will say so, if it comes to that
            numbers = None
        if numbers is None:
            return 0
        self._pasts.append(numbers)
        return int(numbers.ctypes.data)

    def looks_past(self, event: Event) -> bool:
        """Whether the loop passes an event over by itself where its strike does not happen, and has not come back for that."""
        return any(guard.sort == HEIGHT and guard.context != 0 for watched, guard in self._watching if watched is event)

    @property
    def _moves_freely(self) -> bool:
        """Whether it is a tree on which nothing acts but forces, so that states are what the user sees."""
        plain = self.guiding is None and self.contacts is None and isinstance(self.coordinates, Reduced)
        return plain and not self.mech.layout.is_constrained

    def _guard(self, event: Event) -> Guard | None:
        """An event's guard as the loop reads it; None where it is not there, or is a time."""
        guard = event.guard.found_in(self.seen) if isinstance(event.guard, JointAt) else event.guard
        if guard is None or isinstance(guard, TimeAt):
            return None
        if isinstance(guard, FrameBelow):
            return guard.row(self.mech)
        found = self.coordinates.joint_guard(guard) if isinstance(guard, JointAt) else self._function_call(guard)
        if not isinstance(found, Call):
            return found
        for callback in found.callbacks:
            callback.name = f"the guard of event {event.name!r}"
        self._kept(found)
        return function_row(found)

    def _function_call(self, guard: FunctionGuard) -> Call | None:
        """A guard that is a function of the user; None while it rests."""
        law = law_of_guard(guard.function)
        if law is not None:
            return self.coordinates.guard_call(law, self.settings.home)

        def watching(t: float, q: Array, v: Array) -> float:
            return guard.value(t, *self.coordinates.show(t, np.concatenate((q, v))))

        return Call.to(python_callback(watching, 1, "a guard"))

    # --- run ---------------------------------------------------------------------------------------------------------

    def run(self, end: float, budget: int) -> int:
        """Go on until the end or until something happens; at most `budget` steps. Says why it came back."""
        self.progress.end, self.progress.budget = end, budget
        if self.imposing is not None:
            self.imposing.ends(end if end < self._end or self.prescribed_breaks(end) else math.inf)
        while True:
            why = self._step()
            if self.problem() is not None:  # also one that came on the way out of a function, which compiled code cannot see
                return stepping_loop.FUNCTION_FAILED
            if why != stepping_loop.FULL:
                return int(why)
            self.recorder.empty()

    def _step(self) -> int:
        """The compiled loop; exceptions that functions of the user raise where nobody can catch them are kept."""
        if not self.callbacks:
            return stepping_loop.run.call(self.flow, self._stepping, self.guard_table)
        with lost_exceptions_kept(self.callbacks):
            return stepping_loop.run.call(self.flow, self._stepping, self.guard_table)

    def prescribed_jump(self, further: float = 0.0) -> tuple[str, float] | None:
        """A prescribed joint that has jumped on the way, or does so soon after it, and when; None where there is none.

        What happens at an event, where functions may jump, is not on the way.
        """
        if self.imposing is None or self.guiding is None or self.problem() is not None or self.calls.failed:
            return None
        times = self.recorder.times()
        last = self.imposing.last_asked(min(self.t + further, self._end))
        way = [*times[times >= self._looked_until].tolist(), last]
        self._looked_until = last
        return self.guiding.jump_in(way)

    def prescribed_hint(self) -> str:
        """A sentence for a message that a closed chain cannot go on, where prescribed motions may be the reason; else nothing."""
        if self.guiding is None or not self.guiding.joints or not self.mech.layout.is_constrained:
            return ""
        names = listed(joint.name for joint in self.guiding.joints)
        return f" Or the loops do not allow the prescribed motions of {names} there: prescribe fewer joints, or smaller motions."

    def prescribed_breaks(self, t: float) -> bool:
        """Whether a prescribed motion, or its acceleration, jumps at a time."""
        try:
            return self.guiding is not None and self.guiding.breaks_at(t)
        except Exception:  # of the user's function, which the loop will meet too, if it gets there
            return False

    @property
    def t(self) -> float:
        """The time that has been reached."""
        return float(self.progress.t)

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self.progress.taken)

    @property
    def x(self) -> Array:
        """(nq + nv,): the state that has been reached, in the coordinates of the loop."""
        return np.concatenate(self._now)

    def state(self) -> State:
        """The state that has been reached, as the user sees it; where steps leave loops open, the nearest that closes them."""
        x = self.coordinates.reached(self.recorder, self.t, self.x)
        return State(self.seen.layout, x) if self.settings.stabilise else self.coordinates.shown.state(x)

    def recorded(self, event: str | None, modes: Modes | None = None) -> Segment:
        """What has been computed, up to the event that ended it; in the present modes of contacts, if not in those given."""
        settings = self.settings
        applied = Applied(settings.torque, settings.wrenches, prescribed=settings.prescribed)
        modes = self.contacts.modes() if modes is None and self.contacts is not None else modes
        return self.coordinates.segment(self.recorder, self.t, self.x, event, applied=applied, contacts=modes)

    def beyond(self) -> dict[str, bool]:
        """Whether the guard of each event is beyond zero, as it was last seen; before the first step, where the run starts."""
        return {event.name: self._is_beyond(guard) for event, guard in self._watching}

    def _is_beyond(self, guard: Guard) -> bool:
        if guard.direction == 0:
            return False
        return guard.sign == guard.direction if self.progress.started else guard.direction * guard.last > BEYOND

    def arm(self, asked: Collection[str]) -> None:
        """Let events that happen at once fire if their guards are at zero where the run starts, and leave it in their directions.

        Not those that are `asked`: their actions have led there.
        """
        for event, guard in self._watching:
            guard.armed = event.already == "fire" and event.name not in asked and guard.direction != 0

    def hit(self) -> list[Event]:
        """The events whose guards ended the run."""
        return [event for event, guard in self._watching if guard.hit]

    def contact_hits(self) -> list[int]:
        """The guards of contacts that ended the run."""
        if self.contacts is None:
            return []
        found: list[int] = self.guard_table["hit"][len(self.events) :].nonzero()[0].tolist()
        return found

    def restart(self, x: Array) -> None:
        """Go on from another state at the same time, with new modes of contacts; what was recorded is forgotten."""
        self._now.q[:], self._now.v[:] = x[: self.nq], x[self.nq :]
        self.recorder.forget()
        self.coordinates.restart(self.t, x)
        self.progress.started = False

    @property
    def is_data(self) -> bool:
        """Whether all that acts in it is compiled, on a tree: no function in Python, no contact, no joint that moves as told."""
        return self._moves_freely and all(call.python is None for call in self.callbacks)

    def begin_again(self, times: tuple[float, float], x: Array, mech: MechanismOrLater) -> None:
        """Begin another segment of the same structure, as a new runner would; `mech` is that segment's mechanism."""
        assert isinstance(self.coordinates, Reduced)
        t, self._end = times
        self._now.q[:], self._now.v[:] = x[: self.nq], x[self.nq :]
        for place, made in self._made:
            memmove(place, made, len(made))
        self.progress.t = t
        self.recorder.forget()
        self.coordinates.recorded_as = mech

    def let_go(self) -> None:
        """Forget the segment that was recorded, and its mechanism."""
        assert isinstance(self.coordinates, Reduced)
        self.recorder.forget()
        self.coordinates.recorded_as = self.mech

    def problem(self) -> BaseException | None:
        """The exception that a user's function raised; None where there is none, or it was only printed."""
        surface = None if self.contacts is None else self.contacts.failed_surface()
        if surface is not None:
            return surface.problem()
        if not self.callbacks and not self.drivers:
            return None
        found = [driver.problem() for driver in self.drivers if driver.failed is not None]
        raised = [callback.problem for callback in self.callbacks]
        return next((problem for problem in (*found, *raised) if problem is not None), None)

    def failed_function(self) -> str:
        """Which function of the user failed, for a message."""
        surface = None if self.contacts is None else self.contacts.failed_surface()
        if surface is not None:
            return surface.where
        named = [driver.failed for driver in self.drivers if driver.failed is not None]
        return named[0] if named else next(callback.name for callback in self.callbacks if callback.problem is not None)

    def idle_joint(self) -> str | None:
        """A joint that moves no inertia, or none that can be told from rounding."""
        for name, where in self.mech.layout.v_slices.items():
            if (self.work.dof[where, MARGIN] <= 0.0).any():
                return name
        return None

    def broken_joint(self) -> str | None:
        """The joint whose acceleration is not finite."""
        for name, where in self.mech.layout.v_slices.items():
            rates = self._accelerations[: len(self.integrator.stages), where]
            if not np.isfinite(rates).all() or not np.isfinite(self._now.v[where]).all():
                return name
        return None

    def fastest_joint(self) -> str | None:
        """The joint that changes fastest: where a step size that has become too small comes from."""
        rates = np.abs(self._accelerations[0])
        if not self.nv or not np.isfinite(rates).all():
            return self.broken_joint()
        d = int(np.argmax(rates))
        if rates[d] == 0.0:
            return None
        return next(name for name, where in self.mech.layout.v_slices.items() if where.start <= d < where.stop)


def turning_of(mech: Mechanism) -> NDArray[np.int64]:
    """For each velocity GOES, TURNS or ROTATES."""
    found = np.full(mech.layout.nv, stepping_loop.GOES, np.int64)
    for name, where in mech.layout.v_slices.items():
        kind, own = mech.joints[name].type, found[where]
        own[list(kind.turns)] = stepping_loop.TURNS
        if kind.quaternion is not None:
            own[-3:] = stepping_loop.ROTATES
    return found


def coordinates_of(mech: Mechanism) -> NDArray[np.int64]:
    """For each velocity, the place in q of the coordinate whose rate it is; ON_A_MANIFOLD for those that have none."""
    layout = mech.layout
    found, curved = np.full(layout.nv, ON_A_MANIFOLD, np.int64), set(layout.curved)
    for j, (name, *_) in enumerate(layout.joints):
        if j not in curved:
            found[layout.v_slices[name]] = np.arange(layout.q_slices[name].start, layout.q_slices[name].stop)
    return found
