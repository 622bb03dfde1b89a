"""What drives and pushes the mechanism of a run, as one function of the compiled loop for each structure that it comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ask.loads import joint_torques, put_wrenches
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError
from ..structure.workspace import Workspace
from .callbacks import is_compiled, python_callback
from .controls import BoundControls, Controls
from .driver import NOWHERE, Driver, Part
from .laws import ALL, Home, Law, law_callback, laws_of, numbers_of

Array = NDArray[np.float64]
Show = Callable[[float, Array], tuple[Mechanism, State]]
"""From the time and (q, v) to mechanism and state as the user's functions get them."""


class Motors:
    """The torques of the loop joints of a structure, by which their motors are set."""

    def __init__(self, mech: Mechanism, work: Workspace | None = None) -> None:
        counts = [mech.joints[name].type.nv for name in mech.loop_joints]
        starts = np.concatenate(([0], np.cumsum(counts))).astype(int)
        self.places = {name: np.arange(starts[l], starts[l + 1]) for l, name in enumerate(mech.loop_joints)}
        """Where the numbers of each loop joint are among all of them."""
        self._work = work
        self.table = np.zeros(max(1, starts[-1])) if work is None else work.motors
        self.cells = (
            np.arange(starts[-1])
            if work is None
            else np.array([6 * l + d for l, count in enumerate(counts) for d in range(count)], np.int64)
        )
        """Where they are in the table."""

    def switch_on(self, name: str) -> None:
        """Let the loop have the torques of a joint."""
        if self._work is not None:
            self._work.switch_on(list(self.places).index(name))

    def torques(self) -> dict[str, Array]:
        """What is set, by joint name."""
        set_to = self.table.reshape(-1)[self.cells]
        return {name: set_to[places] for name, places in self.places.items()}


@dataclass(frozen=True)
class Torques:
    """What drives the joints of a run."""

    laws: tuple[Law, ...]
    functions: tuple[Callable[..., Any], ...]
    home: Home
    controls: tuple[BoundControls, ...] = ()

    def driver(self, mech: Mechanism, show: Show, motors: Motors) -> Driver:
        """All of it in one structure."""
        nv = mech.nv
        base, parts = np.zeros(nv + len(motors.cells)), []
        actuators = (one.law(mech) for one in self.controls)
        for law in (*self.laws, *(one for one in actuators if one is not None)):
            if not self.home.check(law, mech, "torque"):
                continue
            places = self._filled_by(law, mech, motors)
            if law.is_constant:
                if len(places) != len(law.function):
                    raise ModelError(f"{law.called('torque')} takes {len(places)} torques, not {len(law.function)}.")
                there = places != NOWHERE
                base[places[there]] += law.function[there]
            else:
                parts.append(part_of(law, "torque", mech, self.home, show, places))
        if self.functions:
            size = nv + len(motors.cells)
            callback = python_callback(_summed(self.functions, mech, show, motors), size, "the function 'torque'")
            parts.append(Part(callback, np.arange(mech.nq), np.arange(nv), np.arange(size)))
        return Driver(nv, base, parts, motors.table, motors.cells)

    def _filled_by(self, law: Law, mech: Mechanism, motors: Motors) -> NDArray[np.int64]:
        """The places of what a law fills, those of motors behind those of the tree."""
        places = numbers_of(law, mech, self.home).v.copy()
        at = 0
        for name in law.names:
            count = self.home.sizes[name][1]
            if name in motors.places:
                places[at : at + count] = mech.nv + motors.places[name]
                motors.switch_on(name)
            at += count
        return places


def _summed(functions: Sequence[Callable[..., Any]], mech: Mechanism, show: Show, motors: Motors) -> Callable[..., Array]:
    """The torques of Python functions, added up: those of all velocities, then those of loop joints."""
    nv = mech.nv

    def called(t: float, q: Array, v: Array) -> Array:
        shown, total = show(t, np.concatenate((q, v))), np.zeros(nv + len(motors.cells))
        for function in functions:
            of_tree, of_loops = driving_torques(mech, function(t, *shown))
            total[:nv] += of_tree
            for l, torque in of_loops.items():
                name = mech.loop_joints[l]
                motors.switch_on(name)
                total[nv + motors.places[name]] += torque
        return total

    return called


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


@dataclass(frozen=True)
class Pushes:
    """Functions that push the bodies of a run."""

    function: Law | Callable[..., Any]
    home: Home

    def driver(self, mech: Mechanism, show: Show) -> Driver:
        """All of it in one structure: six numbers for each body."""
        size, function = 6 * len(mech.bodies), self.function
        if isinstance(function, Law):
            called = self.home.check(function, mech, "wrenches")
            parts = [part_of(function, "wrenches", mech, self.home, show, np.arange(size))] if called else []
            return Driver(size, np.zeros(size), parts)
        rows = {name: b for b, name in enumerate(mech.bodies)}

        def pushed(t: float, q: Array, v: Array) -> Array:
            wrenches, table = function(t, *show(t, np.concatenate((q, v)))), np.zeros((len(rows), 6))
            if not isinstance(wrenches, Mapping):
                raise ModelError(f"wrenches(t, mech, state) must return wrenches by body name, not {type(wrenches).__name__}.")
            put_wrenches(table, rows, wrenches)
            return table.ravel()

        callback = python_callback(pushed, size, "the function 'wrenches'")
        return Driver(size, np.zeros(size), [Part(callback, np.arange(mech.nq), np.arange(mech.nv), np.arange(size))])


def guard_driver(law: Law, mech: Mechanism, home: Home, show: Show) -> Driver | None:
    """A guard that is a law in one structure; None while one of its joints is absent and that is fine."""
    if not home.check(law, mech, "guard"):
        return None
    return Driver(1, np.zeros(1), [part_of(law, "guard", mech, home, show, np.zeros(1, np.int64))])


def part_of(law: Law, kind: str, mech: Mechanism, home: Home, show: Show, to: NDArray[np.int64]) -> Part:
    """A law that is a function as a part of a driver, with the places of what it fills."""
    numbers, size = numbers_of(law, mech, home), len(to)
    callback = law_callback(law, kind, size)
    if not numbers.loops:
        return Part(callback, numbers.q, numbers.v, to)
    own = Driver(size, np.zeros(size), [Part(callback, np.arange(len(numbers.q)), np.arange(len(numbers.v)), np.arange(size))])

    def called(t: float, q: Array, v: Array) -> Array:
        return own.ask(t, *_settled(law, home, *show(t, np.concatenate((q, v)))))

    return Part(python_callback(called, size, callback.name, own.callbacks), np.arange(mech.nq), np.arange(mech.nv), to)


def _settled(law: Law, home: Home, mech: Mechanism, state: State) -> tuple[Array, Array]:
    """Positions and velocities of a law's joints, loop joints among them: these have no places in q and v and are asked for."""
    there = [name in mech.joints for name in law.names]
    q = [mech.joint_position(state, name) if is_there else np.full(home.sizes[name][0], np.nan)
         for name, is_there in zip(law.names, there, strict=True)]  # fmt: skip
    v = [mech.joint_velocity(state, name) if is_there else np.full(home.sizes[name][1], np.nan)
         for name, is_there in zip(law.names, there, strict=True)]  # fmt: skip
    return np.concatenate(q), np.concatenate(v)


def torques_of(torque: Any, mech: Mechanism, home: Home) -> Torques | None:
    """What drives a run that begins with this mechanism; None for nothing."""
    if torque is None:
        return None
    kinds = (Law, Controls, Mapping)
    several = isinstance(torque, (list, tuple)) and any(callable(part) or isinstance(part, kinds) for part in torque)
    parts = torque if several else [torque]
    controls = tuple(BoundControls.of(part, mech) for part in parts if isinstance(part, Controls))
    laws, functions = laws_of([part for part in parts if not isinstance(part, Controls)], mech)
    return Torques(tuple(laws), tuple(functions), home, controls)


def pushes_of(wrenches: Any, home: Home) -> Pushes | Mapping[str, Any] | None:
    """What pushes the bodies of a run; constant wrenches by body as they are, None for nothing."""
    if wrenches is None or isinstance(wrenches, Mapping):
        return wrenches
    if isinstance(wrenches, Law) and not wrenches.is_constant:
        return Pushes(wrenches, home)
    if not callable(wrenches):
        raise ModelError(f"wrenches must be a function, a law with a function, or wrenches by body name, not {wrenches!r}.")
    return Pushes(Law(ALL, wrenches, raw=True) if is_compiled(wrenches) else wrenches, home)
