"""One structure in the compiled loop: its scratch, guards and functions, and the rows that it records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics import external_table, joint_torques, put_wrenches
from ..errors import ModelError
from ..kernels.layout import MARGIN
from ..loops import LoopTables, assembled, closing_kernel, dynamics_kernel, prepare_start
from ..mechanism import Mechanism
from ..state import State
from . import segment
from .callbacks import Callback, compiled_callback, is_compiled, lost_exceptions_kept, python_callback
from .events import Event
from .guards import ARMED, BEYOND, DIRECTION, GUARD, GUARD_NUMBERS, HIT, LAST, SIGN
from .integrators import Integrator
from .recorded import Segment
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
    TREE,
    V0,
    WRENCH_AT,
)

Array = NDArray[np.float64]

_BYTES_A_CHUNK = 1 << 20


class Runner:
    """The compiled loop on one structure, from one state on."""

    def __init__(
        self, mech: Mechanism, state: State, t: float, integrator: Integrator, settings: Any, events: tuple[Event, ...]
    ) -> None:
        self.mech, self.integrator = mech, integrator
        self.seen = mech
        """The mechanism as the user sees it."""
        tree, layout = mech.tree, mech.layout
        state = assembled(mech, state)
        self.tree, self.nq, self.nv = tree, layout.nq, layout.nv
        self.work, self.closed = tree.new_work(), LoopTables(mech) if layout.loops else None
        if self.closed is not None:
            prepare_start(mech, state, self.work, self.closed)
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
        self.callbacks: list[Callback] = []
        self._set_functions(settings.torque, settings.wrenches)
        self._set_guards(events)
        columns = (2 + self.nq + 9 * self.nv) if settings.every == 0 else (1 + self.nq + self.nv)
        self.record = np.empty((max(16, min(2048, _BYTES_A_CHUNK // (8 * columns))), columns))
        self.chunks: list[Array] = []

    def _set_functions(self, torque: Any, wrenches: Any) -> None:
        mech, layout, tree = self.mech, self.mech.layout, self.tree
        self.functions = np.zeros(FUNCTIONS, np.int64)
        self.functions[OF_FREE_BODIES] = self.integrator.of_free_bodies
        self.functions[TREE] = self.work.handle
        if self.closed is not None:
            self.functions[LOOPS] = self.closed.handle
            self.functions[DYNAMICS_AT], self.functions[CLOSING_AT] = dynamics_kernel(), closing_kernel()
        self.push, self.external = np.zeros((1, 6)), tree.no_forces
        if torque is not None:

            def driven(t: float, q: Array, v: Array) -> Array:
                return self._drive(mech, torque(t, mech, State(layout, np.concatenate((q, v)))))

            self.functions[TORQUE_AT] = self._callback(torque, "torque", driven, max(layout.nv, 1))
        if isinstance(wrenches, Mapping):
            self.external = external_table(mech, wrenches)
        elif wrenches is not None:
            self.external = external_table(mech, {})
            self.push = np.zeros((len(mech.bodies) + 1, 6))
            self.push[0, 0] = len(mech.bodies)

            def pushed(t: float, q: Array, v: Array) -> Array:
                return _push_table(mech, wrenches(t, mech, State(layout, np.concatenate((q, v)))))

            self.functions[WRENCH_AT] = self._callback(wrenches, "wrenches", pushed, self.push.size)

    def _drive(self, mech: Mechanism, given: Any) -> Array:
        """Set the motors of loop joints to what a torque function returned; returns what the tree joints get."""
        torques, of_loops = driving_torques(mech, given)
        if self.closed is not None and isinstance(given, Mapping):
            still = {l: np.zeros(mech.joints[name].type.nv) for l, name in enumerate(mech.loop_joints)}
            self.closed.drive({**still, **of_loops})
        return torques if len(torques) else np.zeros(1)

    def _callback(self, function: Any, kind: str, from_python: Callable[..., Any], size: int) -> int:
        name = f"the function {kind!r}"
        found = compiled_callback(function, kind, name) if is_compiled(function) else python_callback(from_python, size, name)
        self.callbacks.append(found)
        return found.address

    def _set_guards(self, events: tuple[Event, ...]) -> None:
        rows = [(event, event.guard.row(self.mech)) for event in events if hasattr(event.guard, "row")]
        present = [(event, row) for event, row in rows if row is not None]
        self.events = tuple(event for event, _ in present)
        self.guards = np.zeros((len(present), GUARD), np.int64)
        self.numbers = np.zeros((len(present), GUARD_NUMBERS))
        for e, (event, row) in enumerate(present):
            self.guards[e], self.numbers[e] = row.integers, row.numbers
            self.guards[e, DIRECTION] = event.direction
            if row.callback is not None:
                row.callback.name = f"the guard of event {event.name!r}"
                self.callbacks.append(row.callback)

    # --- run ---------------------------------------------------------------------------------------------------------

    def look(self) -> int:
        """Look at the guards where the run starts; says why the loop came back. A run that was looked at is left as it is."""
        if self.counts[segment.LOOKED] or not self.events:
            self.counts[segment.LOOKED] = 1
            return segment.LOOKED_AT
        return self.run(self.t, 0)

    def run(self, end: float, budget: int) -> int:
        """Go on until the end or until something happens; at most `budget` steps. Says why it came back."""
        self.clock[segment.END], self.counts[segment.BUDGET] = end, budget
        while True:
            with lost_exceptions_kept(self.callbacks):
                why = segment.run(
                    self.work.handle, self.integrator.table, self.integrator.order, self.scratch, self.clock, self.counts,
                    self.coordinate, self.functions, self.push, self.external, self.guards, self.numbers, self.record,
                )  # fmt: skip
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
        return State(self.seen.layout, self.x)

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
        return next((callback.problem for callback in self.callbacks if callback.problem is not None), None)

    def failed_function(self) -> str:
        """Which function of the user failed, for a message."""
        python = [callback.name for callback in self.callbacks if callback.python is not None and callback.problem is not None]
        return " or ".join(python or [callback.name for callback in self.callbacks if callback.python is None])

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


def driving_torques(mech: Mechanism, given: Any) -> tuple[Array, dict[int, Array]]:
    """What a torque function returned: numbers for all velocities, and those of loop joints by their number."""
    if isinstance(given, Mapping):
        return joint_torques(mech, given)
    found = np.asarray(given, float)
    if found.shape != (mech.nv,):
        raise ModelError(
            f"torque(t, mech, state) must return {mech.nv} numbers, one for each velocity, or numbers by joint name, not shape "
            f"{found.shape}."
        )
    return found, {}


def _push_table(mech: Mechanism, wrenches: Any) -> Array:
    if not isinstance(wrenches, Mapping):
        raise ModelError(f"wrenches(t, mech, state) must return wrenches by body name, not {type(wrenches).__name__}.")
    table = np.zeros((len(mech.bodies) + 1, 6))
    table[0, 0] = len(mech.bodies)
    put_wrenches(table, {name: b for b, name in enumerate(mech.bodies, 1)}, wrenches)
    return table.ravel()
