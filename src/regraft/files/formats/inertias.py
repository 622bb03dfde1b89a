"""Inertias of all bodies of a file, checked together: those that no real body has are one error, or are repaired."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...describe.inertia import Inertia
from ...errors import FileError
from ...tolerances import PHYSICAL
from ..report import Findings
from .contract import InertiaChoice

Array = NDArray[np.float64]

_UNTURNED = np.eye(3).ravel()
_RAYS = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
"""Principal moments of mass along one axis each; those of any body are sums of these with factors that are not negative."""


@dataclass(slots=True)
class Inertias:
    """What a file says about the masses of its bodies, in the order in which it does.

    Attributes
    ----------
    file : str
        The file, for errors.
    line : function
        The line of an element.
    names : list of str
        The bodies.
    elements : list
        The element of each.
    numbers : list of sequence of float
        Mass, and ixx, iyy, izz, ixy, ixz, iyz about the centre of mass in the axes of `frames`.
    frames : list of Pose
        The centres of mass, with axes.
    """

    file: str
    line: Callable[[Any], int]
    names: list[str] = field(default_factory=list)
    elements: list[Any] = field(default_factory=list)
    numbers: list[Sequence[float]] = field(default_factory=list)
    frames: list[Pose] = field(default_factory=list)

    def add(self, name: str, element: Any, numbers: Sequence[float], frame: Pose) -> None:
        """Note down one body."""
        self.names.append(name)
        self.elements.append(element)
        self.numbers.append(numbers)
        self.frames.append(frame)

    def checked(self, choice: InertiaChoice, found: Findings) -> dict[str, Inertia]:
        """The inertias by name; one error that lists the impossible ones, or findings that tell what became of them."""
        if not self.names:
            return {}
        table, frames = np.array(self.numbers), np.array([frame.row for frame in self.frames])
        masses, tensors = table[:, 0], table[:, [1, 4, 5, 4, 2, 6, 5, 6, 3]].reshape(-1, 3, 3)
        doubtful = np.flatnonzero(np.logical_not(_surely_possible(masses, tensors)))
        if doubtful.size:
            self._mend(doubtful, masses, tensors, choice, found)
        own = np.flatnonzero((frames[:, :9] != _UNTURNED).any(axis=1))
        if own.size:
            turned = frames[own, :9].reshape(-1, 3, 3)
            there = turned @ tensors[own] @ turned.transpose(0, 2, 1)
            tensors[own] = 0.5 * (there + there.transpose(0, 2, 1))
        return dict(zip(self.names, Inertia.of_bodies(masses, frames[:, 9:].copy(), tensors), strict=True))

    def _mend(self, rows: NDArray[np.intp], masses: Array, tensors: Array, choice: InertiaChoice, found: Findings) -> None:
        """An error if some of these rows are impossible, or other numbers in their place."""
        moments = np.linalg.eigvalsh(tensors[rows]).astype(np.float64, copy=False)
        wrong = _impossible(masses[rows], tensors[rows], moments)
        if choice == "error" and wrong.any():
            raise FileError(self._complaint(rows[wrong].tolist(), masses, moments[wrong]))
        for row, before in zip(rows[wrong].tolist(), moments[wrong], strict=True):
            self._repair(row, masses, tensors, before, found)

    def _complaint(self, rows: list[int], masses: Array, moments: Array) -> str:
        lines = [
            f"- {self.names[row]!r} (line {self.line(self.elements[row])}): {_fault(float(masses[row]), own)}"
            for row, own in zip(rows, moments, strict=True)
        ]
        return (
            f"{self.file}: no real body has the inertia that is given to these:\n" + "\n".join(lines) + "\n"
            'Correct the file, or read it with inertia="repair", which takes the nearest inertia that a body can have.'
        )

    def _repair(self, row: int, masses: Array, tensors: Array, before: Array, found: Findings) -> None:
        """Put the nearest possible numbers in the place of impossible ones."""
        was, fault = float(masses[row]), _fault(float(masses[row]), before)
        masses[row] = max(was, 0.0)
        tensors[row] = nearest_tensor(tensors[row]) if masses[row] > 0.0 else 0.0
        mass = "its mass became 0, and " if was < 0.0 else ""
        told = "" if "principal moments" in fault else f" {_triple(before)}"
        after = _triple(np.abs(np.linalg.eigvalsh(tensors[row])))
        found.note("inertia", self.names[row], f"{fault}; {mass}its principal moments{told} became {after}")


def nearest_tensor(tensor: Array) -> Array:
    """The tensor of inertia nearest to a symmetric matrix, by the sum of the squares of all nine differences.

    It has the same principal axes. Its principal moments are the nearest ones of which none is more than the sum of the others:
    that is a cone with three edges, so the nearest point is on one of its eight faces, edges and corners, or inside.
    """
    moments, axes = np.linalg.eigh(tensor)
    best, least = np.zeros(3), float(moments @ moments)
    for count in (1, 2, 3):
        for chosen in itertools.combinations(range(3), count):
            rays = _RAYS[list(chosen)].T
            factors = np.linalg.lstsq(rays, moments, rcond=None)[0]
            there = rays @ factors
            distance = float((there - moments) @ (there - moments))
            if factors.min() >= 0.0 and distance < least:
                best, least = there, distance
    nearest: Array = (axes * best) @ axes.T
    return 0.5 * (nearest + nearest.T)


def _surely_possible(masses: Array, tensors: Array) -> NDArray[np.bool_]:
    """Which bodies there are without any doubt: the second moments of their mass, ½ tr(I) 1 − I, are positive definite.

    Then all principal moments are positive, and none is more than the sum of the others. It is told by the leading minors, which
    takes far less time than the principal moments do.
    """
    xx, yy, zz = (tensors[:, i, i] for i in range(3))
    a, b, c = 0.5 * (yy + zz - xx), 0.5 * (xx + zz - yy), 0.5 * (xx + yy - zz)
    d, e, f = tensors[:, 0, 1], tensors[:, 0, 2], tensors[:, 1, 2]  # with the other sign, which counts in one place alone
    size = np.maximum(np.maximum(np.abs(a), np.abs(b)), np.abs(c))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # such sizes are doubtful
        second = a * b - d * d
        third = c * second - a * f * f - b * e * e - 2.0 * d * e * f
        positive = (a > PHYSICAL * size) & (second > PHYSICAL * size**2) & (third > PHYSICAL * size**3)
    found: NDArray[np.bool_] = (masses > 0.0) & positive
    return found


def _impossible(masses: Array, tensors: Array, moments: Array) -> Array:
    """Which bodies there cannot be, by the rules of `Inertia`."""
    small, middle, large = moments.T
    triangle = small + middle < large * (1.0 - PHYSICAL)
    found: Array = (masses < 0.0) | (small < -PHYSICAL * large) | triangle | ((masses == 0.0) & tensors.any(axis=(1, 2)))
    return found


def _fault(mass: float, moments: Array) -> str:
    small, middle, large = moments.tolist()
    if mass < 0.0:
        return f"its mass is {mass:g} kg"
    if small < -PHYSICAL * large:
        return f"it has the negative principal moment {small:.6g}"
    if small + middle < large * (1.0 - PHYSICAL):
        return f"of its principal moments {_triple(moments)} the largest is more than the sum of the others"
    return f"it has no mass but the principal moments {_triple(moments)}"


def _triple(values: Array) -> str:
    return "(" + ", ".join(f"{value:.6g}" for value in values.tolist()) + ")"
