"""The human body as segments: masses, lengths, centres of mass and radii of gyration.

The numbers are those of D. A. Winter, *Biomechanics and Motor Control of Human Movement* (4th edition, chapter 4), after
Drillis and Contini and after Dempster, as fractions of the body's mass and height and of a segment's length.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..describe.inertia import Inertia
from .ready import Point

SHOULDERS, HIPS = 0.259, 0.191
"""The distances between the two shoulders and between the two hips."""
HIP_HEIGHT, ANKLE_HEIGHT = 0.530, 0.039
"""How high the hips and the ankles are when a figure stands."""
HEAD_TOP = 0.182
"""From the shoulders to the top of the head."""
HEEL = 0.25
"""How much of a foot is behind its ankle: not of Winter's table."""

_DENSITY = 1060.0  # kg/m³, of a body as a whole


class Fractions(NamedTuple):
    """A segment: mass and length of the whole body's, centre of mass (from its first end) and gyration of its own length."""

    mass: float
    length: float
    com: float
    gyration: float


UPPER_ARM = Fractions(0.028, 0.186, 0.436, 0.322)
FOREARM = Fractions(0.016, 0.146, 0.430, 0.303)
HAND = Fractions(0.006, 0.108, 0.506, 0.297)
THIGH = Fractions(0.100, 0.245, 0.433, 0.323)
SHANK = Fractions(0.0465, 0.246, 0.433, 0.302)
FOOT = Fractions(0.0145, 0.152, 0.50, 0.475)
TRUNK = Fractions(0.497, 0.288, 0.50, 0.50)
HEAD = Fractions(0.081, 0.118, 1.0, 0.495)
"""From the seventh cervical vertebra, at the height of the shoulders, to the ear, which is at 0.936 of the height."""
PELVIS = Fractions(0.281, 0.108, 0.50, 0.50)
CHEST = Fractions(0.216 - 2 * 0.02, 0.180, 0.50, 0.50)
"""The trunk below and above the waist. The table has their masses; their lengths divide the trunk's as 3 to 5."""
GIRDLE = Fractions(0.02, 0.5 * SHOULDERS, 0.50, 0.35)
"""What carries a shoulder, out of the chest's mass: not of Winter's table."""


class Size(NamedTuple):
    """The mass and the height of a whole body."""

    mass: float
    height: float

    def length(self, part: Fractions) -> float:
        """The length of a segment."""
        return part.length * self.height

    def radius(self, part: Fractions) -> float:
        """The radius of a cylinder of a segment's mass and length, as dense as a body is."""
        return math.sqrt(part.mass * self.mass / (math.pi * _DENSITY * self.length(part)))

    def inertia(self, part: Fractions, along: Point = (0.0, 0.0, -1.0), start: Point = (0.0, 0.0, 0.0)) -> Inertia:
        """A segment that goes from `start` along a direction; about its own length it is a cylinder of its mass and density."""
        mass, length, axis = part.mass * self.mass, self.length(part), np.asarray(along, float)
        across = mass * (part.gyration * length) ** 2
        lengthwise = 0.5 * mass * self.radius(part) ** 2
        tensor = across * np.eye(3) + (lengthwise - across) * np.outer(axis, axis)
        return Inertia(mass, start + part.com * length * axis, tensor)
