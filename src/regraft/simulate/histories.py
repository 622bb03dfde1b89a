"""What a trajectory answers with: quantities at all of its samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class _TimeAndName(NamedTuple):
    t: float
    name: str


class EventRecord(_TimeAndName):
    """An event that happened: the pair (t, name), with a count.

    Attributes
    ----------
    t : float
        When, in seconds.
    name : str
        Its name.
    count : int
        How many impacts it stands for: more than one where a contact comes to rest after bounces without end.
    """

    count: int  # type: ignore[assignment]  # in the place of a method of tuples that says nothing of events

    def __new__(cls, t: float, name: str, count: int = 1) -> EventRecord:
        """An event, which stands for itself alone where no count is given."""
        self = super().__new__(cls, t, name)
        self.count = count
        return self

    def __repr__(self) -> str:
        return f"EventRecord(t={self.t!r}, name={self.name!r}{f', count={self.count}' if self.count > 1 else ''})"


class JointHistory(NamedTuple):
    """A joint over time; NaN while the joint is not there."""

    t: Array
    q: Array
    v: Array


class BodyHistory(NamedTuple):
    """A body's, or a frame's, motion over time, in world axes; NaN while it is not there."""

    t: Array
    position: Array
    rotation: Array
    velocity: Array
    angular_velocity: Array


class EnergyHistory(NamedTuple):
    """Energies over time."""

    t: Array
    kinetic: Array
    potential: Array

    @property
    def total(self) -> Array:
        """Kinetic and potential energy together."""
        return self.kinetic + self.potential


class LoopErrorHistory(NamedTuple):
    """How far loops are open over time: metres or radians, whichever is more, and these per second."""

    t: Array
    position: Array
    velocity: Array


class MomentumHistory(NamedTuple):
    """Momentum over time; the angular one is about the world's origin."""

    t: Array
    angular: Array
    linear: Array
