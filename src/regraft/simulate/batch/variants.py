"""Mechanisms that differ in their numbers from state to state of a batch: inertias, damping and gravity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra.pose import real_numbers
from ...describe.inertia import Inertia
from ...describe.mechanism import Mechanism
from ...errors import ModelError, listed, meant
from ...kernels.memory import GEOMETRY_AT, GRAVITY_AT, SETTINGS_AT
from ...kernels.tables import GEOMETRY, INERTIA, JOINT_DAMPING, MASS, SETTINGS, VARIED_GRAVITY

Array = NDArray[np.float64]


class Variants:
    """What differs from state to state.

    Parameters
    ----------
    mech : Mechanism
        The mechanism whose numbers they replace.
    count : int
        How many states there are.
    inertia, mass, damping, gravity
        As `simulate_batch` takes them.
    """

    def __init__(self, mech: Mechanism, count: int, inertia: Any, mass: Any, damping: Any, gravity: Any) -> None:
        self._mech, self._count = mech, count
        self.inertias = self._inertias(inertia)
        """For each body that differs its inertias, one a state."""
        self.inertias |= self._masses(mass)
        self.damping = self._dampings(damping)
        """For each joint that differs (states, nv of the joint)."""
        self.gravity: Array | None = None if gravity is None else self._rows("gravity", gravity, 3)
        """(states, 3), or None."""

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.inertias or self.damping or self.gravity is not None)

    def mechanism(self, b: int) -> Mechanism:
        """The mechanism of one state."""
        if not self:
            return self._mech
        inertia = {body: found[b] for body, found in self.inertias.items()}
        damping = {joint: found[b] for joint, found in self.damping.items()}
        return self._mech.replace(None if self.gravity is None else self.gravity[b], inertia=inertia, damping=damping)

    def table(self) -> Array:
        """(states, numbers): the numbers of each state, see `kernels.variants`; (0, 0) where all states have the same."""
        if not self:
            return np.zeros((0, 0))
        structure, mech = self._mech.structure, self._mech
        n, nv, work = len(structure.body_names), structure.nv, structure.work
        own = work.table(GEOMETRY_AT, n, GEOMETRY)[:, MASS : MASS + INERTIA].ravel()
        damping = work.table(SETTINGS_AT, SETTINGS, nv)[JOINT_DAMPING]
        found = np.tile(np.concatenate((own, work.table(GRAVITY_AT, 1, 3)[0], damping)), (self._count, 1))
        for body, inertias in self.inertias.items():
            row = structure.row_of[body]
            found[:, INERTIA * row : INERTIA * (row + 1)] = in_row(structure.far[row], inertias)
        if self.gravity is not None:
            found[:, INERTIA * n : INERTIA * n + VARIED_GRAVITY] = self.gravity
        for joint, values in self.damping.items():
            found[:, INERTIA * n + VARIED_GRAVITY :][:, mech.v_slice(joint)] = values
        return found

    def _inertias(self, given: Any) -> dict[str, Sequence[Inertia]]:
        found: dict[str, Sequence[Inertia]] = {}
        for body, inertias in _by_name("inertia", given, self._mech.bodies).items():
            several = [inertias] * self._count if isinstance(inertias, Inertia) else list(inertias)
            if len(several) != self._count or not all(isinstance(one, Inertia) for one in several):
                raise ModelError(f"inertia of {body!r} must be an Inertia for each of the {self._count} states, or one for all.")
            found[body] = several
        return found

    def _masses(self, given: Any) -> dict[str, Sequence[Inertia]]:
        found: dict[str, Sequence[Inertia]] = {}
        for body, masses in _by_name("mass", given, self._mech.bodies).items():
            if body in self.inertias:
                raise ModelError(f"mass and inertia are both given for {body!r}; an inertia has a mass.")
            values, own = self._rows(f"mass of {body!r}", masses, 1)[:, 0], self._mech.bodies[body].inertia
            if not own.mass > 0.0:
                raise ModelError(f"mass of {body!r}: it has none that could be scaled; give inertia={{{body!r}: [...]}} instead.")
            _refuse(f"mass of {body!r}", values < 0.0, "must not be negative", values)
            found[body] = [Inertia(mass, own.com, own.tensor * (mass / own.mass)) for mass in values.tolist()]
        return found

    def _dampings(self, given: Any) -> dict[str, Array]:
        found = {}
        for joint, values in _by_name("damping", given, self._mech.joints).items():
            found[joint] = self._rows(f"damping of {joint!r}", values, self._mech.joints[joint].type.nv)
            _refuse(f"damping of {joint!r}", found[joint] < 0.0, "must not be negative", found[joint])
        return found

    def _rows(self, what: str, given: ArrayLike, size: int) -> Array:
        """(states, size) from numbers for all states or for each."""
        numbers = real_numbers(what, given)
        if numbers.shape == (self._count,) and size == 1:
            numbers = numbers[:, None]
        elif numbers.shape in {(), (size,)} and (numbers.shape or size == 1):
            numbers = np.broadcast_to(numbers, (self._count, size))
        if numbers.shape != (self._count, size):
            raise ModelError(f"{what} must have shape {(self._count, size)}, not {numbers.shape}.")
        _refuse(what, ~np.isfinite(numbers), "must be finite", numbers)
        return np.ascontiguousarray(numbers)


def _refuse(what: str, is_wrong: NDArray[np.bool_], rule: str, values: Array) -> None:
    """An error that names the first state whose numbers break a rule."""
    rows = np.flatnonzero(is_wrong.reshape(len(values), -1).any(axis=1))
    if rows.size:
        b = int(rows[0])
        raise ModelError(f"{what} {rule}; of state {b} it is {values[b].tolist()}.")


def in_row(far: Array, inertias: Sequence[Inertia]) -> Array:
    """(inertias, INERTIA): mass, centre of mass and moments in the frame of a body's row, whose frame on the body is `far`."""
    turn, origin = far[:9].reshape(3, 3), far[9:]
    coms, tensors = np.array([one.com for one in inertias]), np.array([one.tensor for one in inertias])
    moments = (turn.T @ tensors @ turn).reshape(-1, 9)[:, [0, 1, 2, 4, 5, 8]]
    return np.column_stack(([one.mass for one in inertias], (coms - origin) @ turn, moments))


def _by_name(what: str, given: Any, names: Mapping[str, Any]) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ModelError(f"{what} must be given by name, as {what}={{'thigh': [...]}}, not as {type(given).__name__}.")
    for name in given:
        if name not in names:
            raise ModelError(f"{what}: there is no {name!r}; there are {listed(names)}.{meant(name, names)}")
    return given
