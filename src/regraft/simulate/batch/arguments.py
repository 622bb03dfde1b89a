"""What `simulate_batch` is given, checked: states, when and how long, samples, torques and events."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import finite, real_numbers
from ...ask.many_states import threads_of
from ...describe.mechanism import Mechanism
from ...describe.state import State
from ...errors import ModelError
from ...tolerances import QUATERNION_ROUNDING, UNIT_QUATERNION, WHOLE_STEP
from ..callbacks import is_compiled
from ..controls import Controls
from ..drives import Torques, torques_of
from ..events import STOP, Event, FunctionGuard, TimeAt, check_events
from ..hybrid import MOST_STEPS
from ..integrators import Integrator
from ..laws import Home, Law, OwnFunction, law_of_guard
from .grid import fixed_steps

Array = NDArray[np.float64]

END = "end"
"""What `every` is where only the end is kept."""


# --- states ----------------------------------------------------------------------------------------------------------------


def states_of(mech: Mechanism, q: Any, v: Any, duration: Any) -> tuple[Array, Array, Any]:
    """(states, nq) and (states, nv) of arrays or of a list of states, and the duration, which may stand in the place of v."""
    if isinstance(q, State) or (isinstance(q, Sequence) and any(isinstance(one, State) for one in q)):
        if isinstance(q, State):
            raise ModelError("simulate_batch takes several states, as a list, or arrays q and v; for one there is simulate.")
        if duration is None:
            v, duration = None, v
        elif v is not None:
            raise ModelError("states have velocities; leave v out, as simulate_batch(mech, states, duration, ...).")
        for b, one in enumerate(q):
            if not isinstance(one, State):
                raise ModelError(f"state {b} must be a State as all others are, not {type(one).__name__}.")
            mech.check_state(one)
        x = np.array([one._x for one in q])
        positions, velocities = x[:, : mech.nq], x[:, mech.nq :]
    else:
        positions = real_numbers("q", q)
        if positions.size == 0 and positions.ndim == 1:
            positions = positions.reshape(0, mech.nq)
        velocities = np.zeros((len(positions), mech.nv)) if v is None and positions.ndim else real_numbers("v", v)
        if velocities.size == 0 and velocities.ndim == 1 and len(positions) == 0:
            velocities = velocities.reshape(0, mech.nv)
    if positions.ndim != 2 or positions.shape[1] != mech.nq:
        raise ModelError(f"q must have shape (states, {mech.nq}), one state a row, not {positions.shape}.")
    if velocities.shape != (len(positions), mech.nv):
        raise ModelError(f"v must have shape ({len(positions)}, {mech.nv}), not {velocities.shape}.")
    if duration is None:
        raise ModelError("duration is missing: simulate_batch(mech, q, v, duration, ...).")
    return np.ascontiguousarray(positions), np.ascontiguousarray(velocities), duration


def not_finite(q: Array, v: Array) -> dict[int, str]:
    """The states that have a number that is not finite, with what is to be said of them."""
    found = {}
    for b in np.flatnonzero(~(np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1))).tolist():
        what, row = ("v", v[b]) if np.isfinite(q[b]).all() else ("q", q[b])
        found[b] = f"{what}[{b}] has a value that is not finite: {row.tolist()}."
    return found


def on_manifold(mech: Mechanism, q: Array) -> Array:
    """Positions whose quaternions have unit length, as `Mechanism.state` takes them; an error where one is far from that."""
    found = q.copy()
    for name, kind, *_ in mech.layout.joints:
        if kind.quaternion is None:
            continue
        first = mech.layout.q_slices[name].start + kind.quaternion
        given = q[:, first : first + 4]
        length = np.linalg.norm(given, axis=1, keepdims=True)
        nearest = given / np.where(length > 0.0, length, 1.0)
        off = np.where(length[:, 0] > 0.0, np.abs(nearest - given).max(axis=1, initial=0.0), 1.0)
        far = np.flatnonzero((off > UNIT_QUATERNION) & np.isfinite(given).all(axis=1))
        if far.size:
            b = int(far[0])
            raise ModelError(
                f"q[{b}]: the quaternion of joint {name!r} must have length 1, it is off by {off[b]:.3g}. Normalise it, as with "
                "normalise(mech, q)."
            )
        found[:, first : first + 4] = np.where((off < QUATERNION_ROUNDING)[:, None], given, nearest)
    return found


# --- times -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clock:
    """When a batch starts and ends, and when its samples are."""

    start: float
    end: float
    times: Array
    """(steps + 1,): when fixed steps start and end; only start and end where steps are chosen."""
    sizes: Array
    """(steps,): how long they are."""
    every: int
    """Fixed steps from one sample to the next; 0: only the end is kept."""
    samples: Array
    """The times of the samples."""

    @property
    def steps(self) -> int:
        """How many fixed steps there are."""
        return len(self.sizes)


def clock_of(method: Integrator, start: Any, duration: Any, step: float, every: Any) -> Clock:
    """The times of a batch."""
    begin, span = float(finite("start", start, ())), float(finite("duration", duration, ()))
    if span < 0.0:
        raise ModelError(f"duration must not be negative, not {span:g}.")
    if not method.adaptive and span > MOST_STEPS * step:
        raise ModelError(f"steps of {step:g} s are more than a billion in {span:g} s; take longer ones.")
    end = begin + span
    if method.adaptive:
        return _chosen_steps(begin, end, every)
    times, sizes = fixed_steps(begin, end, step)
    if every == END and isinstance(every, str):
        return Clock(begin, end, times, sizes, 0, times[-1:])
    count = _whole_steps(every, step)
    kept = np.concatenate((times[:-1][::count], times[-1:]))
    return Clock(begin, end, times, sizes, count, kept)


def _whole_steps(every: Any, step: float) -> int:
    """How many steps are from one sample to the next."""
    if every is None:
        return 1
    if isinstance(every, (int, np.integer)) and not isinstance(every, bool):
        if (whole := int(every)) >= 1:
            return whole
        raise ModelError(f"every must be at least one step, not {whole}.")
    if isinstance(every, (float, np.floating)) and 0.0 < float(every) < math.inf:
        seconds = float(every)
        count = round(seconds / step)
        if count >= 1 and abs(count * step - seconds) <= WHOLE_STEP * seconds:
            return count
        raise ModelError(f"every = {seconds:g} s must be a multiple of the step, which is {step:g} s.")
    raise ModelError(f'every must be a whole number of steps, a time in seconds such as 0.01, "end" or None, not {every!r}.')


def _chosen_steps(begin: float, end: float, every: Any) -> Clock:
    """Of a method that chooses its steps, for each motion its own: samples are at times."""
    if every is None:
        samples = np.array([begin, end]) if end > begin else np.array([begin])
    elif isinstance(every, str) and every == END:
        samples = np.array([end])
    elif isinstance(every, (float, np.floating)) and every > 0.0 and math.isfinite(every):
        count = math.floor((end - begin) / every + WHOLE_STEP)
        samples = begin + every * np.arange(count + 1)
        samples = np.concatenate((samples[samples < end - WHOLE_STEP * every], [end]))
    else:
        raise ModelError(
            "an integrator that chooses its steps takes other ones in each motion: every must be a time in seconds, such as "
            f'every=0.01, "end" or None, not {every!r}.'
        )
    return Clock(begin, end, np.array([begin, end]), np.array([end - begin]), 1, samples)


# --- torques ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drive:
    """What drives the joints of all states."""

    table: Array
    """(1 or states, intervals, nv): torques that are held over equal parts of the time; no intervals where there are none."""
    given: Any = None
    """What is not numbers: compiled functions, laws, controls, as `simulate` takes them."""

    @property
    def rows(self) -> int:
        """The number of intervals."""
        return int(self.table.shape[1])

    def of_state(self, b: int, row: int) -> Any:
        """What drives one state in one of the intervals, as `simulate` takes it."""
        if not self.rows:
            return self.given
        return self.table[b if len(self.table) > 1 else 0, row]

    def torques(self, mech: Mechanism) -> Torques | None:
        """Of what is not numbers; an error where it is not compiled."""
        found = torques_of(self.given, mech, Home.of(mech))
        if found is not None and (found.functions or not all(map(_runs_compiled, found.laws))):
            raise ModelError(
                "torque must be compiled for many motions at once: a Numba function torque(t, q, v, out), law(joints, f) with "
                "such a function, controls of actuators, or an array. For a Python function call simulate for each state."
            )
        return found


def _runs_compiled(law: Law) -> bool:
    return law.is_constant or isinstance(law.function, OwnFunction) or is_compiled(law.function)


def drive_of(torque: Any, mech: Mechanism, count: int, steps: int | None) -> Drive:
    """What drives a batch of so many states; `steps`, where they are fixed, must be divided evenly by the intervals."""
    nothing = np.zeros((1, 0, mech.nv))
    if torque is None:
        return Drive(nothing)
    if not _is_numbers(torque):
        found = Drive(nothing, torque)
        found.torques(mech)
        return found
    given = real_numbers("torque", torque)
    if given.ndim == 0 or given.ndim > 3 or given.shape[-1] != mech.nv:
        raise _wrong_torques(mech, count, steps, given.shape)
    table = given.reshape((1, 1, mech.nv)) if given.ndim == 1 else given
    if given.ndim == 2:
        per_state, over_time = len(given) == count, steps is None or (len(given) > 0 and steps % len(given) == 0)
        if per_state and over_time and count != 1:
            raise ModelError(
                f"torque of shape {given.shape} may be torques of {count} states or of {len(given)} intervals of time; say which "
                f"by a third axis: torque[:, None] for states, torque[None] for intervals."
            )
        table = given[:, None] if per_state else given[None]
    fits = len(table) in (1, count) and table.shape[1] > 0 and (steps is None or steps % table.shape[1] == 0)
    if not fits:
        raise _wrong_torques(mech, count, steps, given.shape)
    return Drive(np.ascontiguousarray(table[:, :1] if steps == 0 else table))  # without time the first is all there is


def _is_numbers(torque: Any) -> bool:
    kinds = (Law, Controls, Mapping)
    if isinstance(torque, (list, tuple)):
        return not any(callable(part) or isinstance(part, kinds) for part in torque)
    return not (callable(torque) or isinstance(torque, kinds))


def _wrong_torques(mech: Mechanism, count: int, steps: int | None, shape: tuple[int, ...]) -> ModelError:
    over = "intervals" if steps is None else f"intervals, a number that divides the {steps} steps"
    return ModelError(
        f"torque must have shape ({mech.nv},), ({count}, {mech.nv}) for a torque of each state, or ({over}, {mech.nv}) or "
        f"({count}, intervals, {mech.nv}) for torques over time; not {shape}."
    )


# --- events and threads ----------------------------------------------------------------------------------------------------


def stopping_events(events: Any, mech: Mechanism) -> tuple[Event, ...]:
    """Events that stop a motion, with guards that compiled code can ask."""
    found = check_events(events, mech)
    for event in found:
        if event.action is not STOP:
            raise ModelError(f"event {event.name!r}: in a batch events can only stop a motion; its action must be STOP.")
        if isinstance(event.guard, TimeAt):
            raise ModelError(f"event {event.name!r}: all motions of a batch end at the same time; give it as the duration.")
        if isinstance(event.guard, FunctionGuard):
            law = law_of_guard(event.guard.function)
            if law is None or not _runs_compiled(law):
                raise ModelError(
                    f"event {event.name!r}: its guard must be compiled: a Numba function guard(t, q, v), or law(joints, f) with "
                    "such a function."
                )
    return found


def workers_of(threads: Any, most: int) -> int:
    """How many threads there are to be."""
    return max(1, min(threads_of(threads), most))
