"""A film: all frames of a motion, from change of structure to change of structure, and what is told beside them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..describe.mechanism import Mechanism
from ..describe.state import State

Array = NDArray[np.float64]


class Part(NamedTuple):
    """The frames of one structure."""

    mech: Mechanism
    state: State
    """At its first frame."""
    t: Array
    """(frames,): when they are, s."""
    poses: Mapping[str, Array]
    """By body: (frames, 12), its rotation in row order and then its place."""
    colours: Mapping[str, str] = MappingProxyType({})
    """Of bodies that look otherwise than usual."""
    root: str = ""
    """The body to be told as the root, where it is not that of the tree."""


class Happened(NamedTuple):
    """An event."""

    t: float
    name: str
    changes: bool
    """Whether the structure changes with it."""


class Curve(NamedTuple):
    """A quantity in all frames."""

    name: str
    colour: str
    values: Array


class Forces(NamedTuple):
    """Forces in all frames, each at a point of the world."""

    names: tuple[str, ...]
    points: Array
    """(frames, names, 3)."""
    vectors: Array
    """(frames, names, 3): N; not finite where none acts."""


class Film(NamedTuple):
    """All that a page shows."""

    parts: tuple[Part, ...]
    events: tuple[Happened, ...] = ()
    curves: tuple[Curve, ...] = ()
    unit: str = ""
    """Of the curves, with what they are, as in "force (N)"."""
    forces: Forces | None = None
    told: tuple[str, ...] = ()
    """What is left out or coarser than it is, in words."""
    floor: Pose | None = None
    """A frame whose plane z = 0 is the floor, where it is not the one of the mechanism."""

    @property
    def t(self) -> Array:
        """(frames,): the times of all frames; at a change of structure there are two."""
        return np.concatenate([part.t for part in self.parts])

    @property
    def bodies(self) -> tuple[str, ...]:
        """All bodies that there are at any time."""
        return tuple(dict.fromkeys(body for part in self.parts for body in part.poses))

    def center_of_mass(self) -> Array | None:
        """(frames, 3): of all bodies in each frame; None where nothing has a mass."""
        found = []
        for part in self.parts:
            inertias = {name: body.inertia for name, body in part.mech.bodies.items()}
            whole = sum(inertia.mass for inertia in inertias.values())
            if whole <= 0.0:
                return None
            total = np.zeros((len(part.t), 3))
            for name, inertia in inertias.items():
                rows = part.poses[name]
                total += inertia.mass / whole * (rows[:, 9:] + rows[:, :9].reshape(-1, 3, 3) @ inertia.com)
            found.append(total)
        return np.concatenate(found)
