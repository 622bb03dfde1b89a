"""One structure in the compiled loop: its scratch, guards and functions, and the rows that it records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ask.assembly import assembled
from ..ask.loads import external_table
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..kernels.tables import MARGIN
from ..tolerances import BEYOND
from . import segment
from .callbacks import Callback, lost_exceptions_kept, python_callback
from .driver import Driver, driver_kernel
from .drives import Motors, Pushes, Torques, guard_driver
from .events import Event, FunctionGuard, GuardRow, JointAt, function_row
from .guards import ARMED, DIRECTION, GUARD, GUARD_NUMBERS, HIT, LAST, SIGN
from .integrators import Integrator
from .laws import Home, Law, law_of_guard
from .loop_kernels import closing_kernel, dynamics_kernel
from .recorded import Segment
from .shown import Shown
from .start import prepare_start
from .stepper import (
    CLOSING_AT,
    DYNAMICS_AT,
    FUNCTIONS,
    LOOPS,
    OF_FREE_BODIES,
    Q0,
    SCRATCH,
    SLOPE_V,
    TORQUE_AT,
    TORQUE_WITH,
    TREE,
    V0,
    WRENCH_AT,
    WRENCH_WITH,
)

Array = NDArray[np.float64]

_BYTES_A_CHUNK = 1 << 20


class Runner:
    """The compiled loop on one structure, from one state on."""

    def __init__(
        self, mech: Mechanism, state: State, t: float, integrator: Integrator, settings: Any, events: tuple[Event, ...]
    ) -> None:
        self.mech, self.integrator = mech, integrator
        self.seen = self._seen_by_user(mech)
        """The mechanism as the user sees it."""
        structure, layout = mech.structure, mech.layout
        state = assembled(mech, state)
        self.structure, self.nq, self.nv = structure, layout.nq, layout.nv
        self.work = structure.new_work()
        if layout.loops:
            prepare_start(mech, state, self.work)
        self.scratch = np.zeros((SCRATCH, max(self.nq, self.nv, 1)))
        self.scratch[Q0, : self.nq], self.scratch[V0, : self.nv] = state._q, state._v
        self.clock = np.zeros(segment.CLOCK)
        self.clock[segment.T], self.clock[segment.STEP] = t, settings.first_step
        self.clock[segment.RTOL], self.clock[segment.ATOL] = settings.rtol, settings.atol
        self.clock[segment.LARGEST], self.clock[segment.OLD_ERROR] = settings.largest, 1e-4
        self.counts = np.zeros(segment.COUNTS, np.int64)
        self.counts[segment.EVERY], self.counts[segment.ADAPTIVE] = settings.every, integrator.adaptive
        self.counts[segment.STABILISED] = settings.stabilise
        self.coordinate = coordinates_of(mech)
        self.shown = Shown(self.seen)
        self.callbacks: list[Callback] = []
        self.drivers: list[Driver] = []
        self.home: Home = settings.home
        self._set_functions(settings.torque, settings.wrenches)
        self._set_guards(events)
        columns = (2 + self.nq + 9 * self.nv) if settings.every == 0 else (1 + self.nq + self.nv)
        self.record = np.empty((max(16, min(2048, _BYTES_A_CHUNK // (8 * columns))), columns))
        self.chunks: list[Array] = []

    def _seen_by_user(self, mech: Mechanism) -> Mechanism:
        return mech

    def _set_functions(self, torque: Torques | None, wrenches: Pushes | Mapping[str, Any] | None) -> None:
        structure = self.structure
        self.functions = np.zeros(FUNCTIONS, np.int64)
        self.functions[OF_FREE_BODIES] = self.integrator.of_free_bodies
        self.functions[TREE] = self.work
        if structure.layout.loops:
            self.functions[LOOPS] = 1
            self.functions[DYNAMICS_AT], self.functions[CLOSING_AT] = dynamics_kernel(), closing_kernel()
        self.push, self.external = np.zeros((1, 6)), structure.no_forces
        if torque is not None:
            self._set_torque(torque)
        if isinstance(wrenches, Mapping):
            self.external = external_table(self.mech, wrenches)
        elif wrenches is not None:
            self.external, self.push = external_table(self.mech, {}), np.zeros((max(1, len(self.mech.bodies)), 6))
            self._set_wrenches(wrenches)

    def _set_torque(self, torque: Torques) -> None:
        driver = torque.driver(self.mech, self._show, Motors(self.mech, self.work if self.structure.layout.loops else None))
        self.functions[TORQUE_AT], self.functions[TORQUE_WITH] = self._with(driver)

    def _set_wrenches(self, wrenches: Pushes) -> None:
        self.functions[WRENCH_AT], self.functions[WRENCH_WITH] = self._with(wrenches.driver(self.mech, self._show))

    def _with(self, driver: Driver) -> tuple[int, int]:
        """The address of a driver and what it is called with, after all that belongs to it is kept."""
        self.drivers.append(driver)
        self.callbacks.extend(driver.callbacks)
        return driver_kernel(), driver.context

    def _show(self, t: float, x: Array) -> tuple[Mechanism, State]:
        """Mechanism and state as the user's functions get them."""
        return self.shown.at(t, x)

    def _set_guards(self, events: tuple[Event, ...]) -> None:
        found = [(event, self._guard_row(event, event.guard)) for event in events]
        present = [(event, row) for event, row in found if row is not None]
        self.events = tuple(event for event, _ in present)
        self.guards = np.zeros((len(present), GUARD), np.int64)
        self.numbers = np.zeros((len(present), GUARD_NUMBERS))
        for e, (event, row) in enumerate(present):
            self.guards[e], self.numbers[e] = row.integers, row.numbers
            self.guards[e, DIRECTION] = event.direction
            if row.callback is not None:
                row.callback.name = f"the guard of event {event.name!r}"
                self.callbacks.append(row.callback)

    def _guard_row(self, event: Event, guard: Any) -> GuardRow | None:
        """An event's guard as the loop reads it; None where it is not there, or is a time."""
        if isinstance(guard, JointAt):
            guard = guard.found_in(self.mech)
        if not isinstance(guard, FunctionGuard):
            return guard.row(self.mech) if hasattr(guard, "row") else None
        law = law_of_guard(guard.function)
        if law is None:
            return function_row(python_callback(self._watching(guard), 1, "a guard"))
        driver = self._guard_driver(law)
        if driver is None:
            return None
        for callback in driver.callbacks:
            callback.name = f"the guard of event {event.name!r}"
        return function_row(None, *self._with(driver))

    def _guard_driver(self, law: Law) -> Driver | None:
        return guard_driver(law, self.mech, self.home, self._show)

    def _watching(self, guard: FunctionGuard) -> Callable[..., float]:
        """A guard in Python as a function of t, q and v."""

        def watching(t: float, q: Array, v: Array) -> float:
            return guard.value(t, *self._show(t, np.concatenate((q, v))))

        return watching

    # --- run ---------------------------------------------------------------------------------------------------------

    def run(self, end: float, budget: int) -> int:
        """Go on until the end or until something happens; at most `budget` steps. Says why it came back."""
        self.clock[segment.END], self.counts[segment.BUDGET] = end, budget
        while True:
            with lost_exceptions_kept(self.callbacks):
                why = segment.run.call(
                    self.work, self.integrator.table, self.integrator.order, self.scratch, self.clock, self.counts,
                    self.coordinate, self.functions, self.push, self.external, self.guards, self.numbers, self.record,
                )  # fmt: skip
            if self.problem() is not None:  # also one that came on the way out of a function, which compiled code cannot see
                return segment.FUNCTION_FAILED
            if why != segment.FULL:
                return int(why)
            self._keep_rows()

    def _keep_rows(self) -> None:
        self.chunks.append(self.record[: self.counts[segment.ROWS]].copy())
        self.counts[segment.ROWS] = 0

    def pieces(self) -> list[Array]:
        """All rows recorded so far, in pieces."""
        self._keep_rows()
        return self.chunks

    def rows(self) -> Array:
        """All rows recorded so far."""
        return np.concatenate(self.pieces())

    @property
    def t(self) -> float:
        """The time that has been reached."""
        return float(self.clock[segment.T])

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self.counts[segment.TAKEN])

    @property
    def x(self) -> Array:
        """(nq + nv,): the state that has been reached, in the coordinates of the loop."""
        return np.concatenate((self.scratch[Q0, : self.nq], self.scratch[V0, : self.nv]))

    def state(self) -> State:
        """The state that has been reached, as the user sees it."""
        return self._closed_by_now(self.x)

    def _closed_by_now(self, x: Array) -> State:
        """A state of the user's mechanism; where steps leave loops open, the nearest in which they are closed."""
        return State(self.seen.layout, x) if self.counts[segment.STABILISED] else self.shown.state(x)

    def segment(self, event: str | None) -> Segment:
        """What has been computed, up to the event that ended it."""
        return Segment.from_rows(self.mech, self.pieces(), self.counts[segment.EVERY] == 0, self.t, self.x, event)

    def beyond(self) -> dict[str, bool]:
        """Whether the guard of each event is beyond zero, as it was last seen; before the first step, where the run starts."""
        directions = self.guards[:, DIRECTION]
        started = self.counts[segment.STARTED] != 0
        found = self.guards[:, SIGN] == directions if started else directions * self.numbers[:, LAST] > BEYOND
        return {event.name: bool(yes) for event, yes in zip(self.events, found & (directions != 0), strict=True)}

    def arm(self, names: Collection[str]) -> None:
        """Let events fire if their guards are at zero where the run starts, and leave it in their directions."""
        for event, row in zip(self.events, self.guards, strict=True):
            row[ARMED] = row[DIRECTION] != 0 and event.name in names

    def hit(self) -> list[Event]:
        """The events whose guards ended the run."""
        return [self.events[e] for e in np.flatnonzero(self.guards[:, HIT])]

    def problem(self) -> BaseException | None:
        """The exception that a user's function raised; None where there is none, or it was only printed."""
        found = [driver.problem() for driver in self.drivers if driver.failed is not None]
        raised = [callback.problem for callback in self.callbacks]
        return next((problem for problem in (*found, *raised) if problem is not None), None)

    def failed_function(self) -> str:
        """Which function of the user failed, for a message."""
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
            rates = self.scratch[SLOPE_V : SLOPE_V + len(self.integrator.stages), where]
            if not np.isfinite(rates).all() or not np.isfinite(self.scratch[V0, where]).all():
                return name
        return None

    def fastest_joint(self) -> str | None:
        """The joint that changes fastest: where a step size that has become too small comes from."""
        rates = np.abs(self.scratch[SLOPE_V, : self.nv])
        if not self.nv or not np.isfinite(rates).all():
            return self.broken_joint()
        d = int(np.argmax(rates))
        if rates[d] == 0.0:
            return None
        return next(name for name, where in self.mech.layout.v_slices.items() if where.start <= d < where.stop)


def coordinates_of(mech: Mechanism) -> NDArray[np.int64]:
    """For each velocity, the place in q of the coordinate whose rate it is; −1 for those of joints on a manifold."""
    layout = mech.layout
    found, curved = np.full(layout.nv, -1, np.int64), set(layout.curved)
    for j, (name, *_) in enumerate(layout.joints):
        if j not in curved:
            found[layout.v_slices[name]] = np.arange(layout.q_slices[name].start, layout.q_slices[name].stop)
    return found
