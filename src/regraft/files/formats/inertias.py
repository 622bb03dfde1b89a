"""Inertias of all bodies of a file, checked together: those that no real body has are one error, or are repaired."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...describe.inertia import Inertia
from ...errors import FileError
from ...tolerances import PHYSICAL
from ..report import Findings
from .contract import InertiaChoice

Array = NDArray[np.float64]

_UNTURNED = np.eye(3).ravel().tolist()
_RAYS = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
"""Principal moments of mass along one axis each; those of any body are sums of these with factors that are not negative."""


@dataclass(slots=True)
class Inertias:
    """What a file says about the masses of its bodies, in the order in which it does.

    Attributes
    ----------
    file : str
        The file, for errors.
    names, places : list of str
        The bodies, and where each is in the file.
    numbers : list of tuple
        Mass, centre of mass (3), and ixx, iyy, izz, ixy, ixz, iyz about it in the axes of `frames`.
    frames : list of Pose or None
        The axes, of which the translation is not used; None for those of the body.
    """

    file: str
    names: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    numbers: list[tuple[float, ...]] = field(default_factory=list)
    frames: list[Pose | None] = field(default_factory=list)

    def add(self, name: str, place: str, numbers: tuple[float, ...], frame: Pose | None) -> None:
        """Note down one body."""
        self.names.append(name)
        self.places.append(place)
        self.numbers.append(numbers)
        self.frames.append(frame)

    def checked(self, choice: InertiaChoice, found: Findings) -> dict[str, Inertia]:
        """The inertias by name; one error that lists the impossible ones, or findings that tell what became of them."""
        if not self.names:
            return {}
        table = np.array(self.numbers)
        masses, tensors = table[:, 0], table[:, [4, 7, 8, 7, 5, 9, 8, 9, 6]].reshape(-1, 3, 3)
        moments = np.linalg.eigvalsh(tensors)
        for row in np.flatnonzero(_impossible(masses, tensors, moments)).tolist():
            if choice == "error":
                raise FileError(self._complaint(_impossible(masses, tensors, moments), masses, moments))
            self._repair(row, masses, tensors, moments[row], found)
        own = [row for row, frame in enumerate(self.frames) if frame is not None and frame.row[:9].tolist() != _UNTURNED]
        if own:
            turned = np.array([self.frames[row].row[:9] for row in own]).reshape(-1, 3, 3)  # type: ignore[union-attr]
            there = turned @ tensors[own] @ turned.transpose(0, 2, 1)
            tensors[own] = 0.5 * (there + there.transpose(0, 2, 1))
        rows = zip(self.names, masses.tolist(), table[:, 1:4].copy(), tensors, strict=True)
        return {name: Inertia.of_a_body(mass, com, tensor) for name, mass, com, tensor in rows}

    def _complaint(self, wrong: Array, masses: Array, moments: Array) -> str:
        lines = [
            f"- {self.names[row]!r} ({self.places[row]}): {_fault(float(masses[row]), moments[row])}"
            for row in np.flatnonzero(wrong).tolist()
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
