"""How far the shapes of a contact point reach, and how fast its gap can change."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..kernels.contacts import tables as t
from .pairings import Pairing

Size = tuple[float, ...]

_ENDLESS = math.inf


def extents(pairing: Pairing) -> tuple[float, float]:
    """How far the two shapes of a pair reach from the origins of their frames, at most; planes and surfaces without end."""
    of_first, of_second = _FIRST.get(pairing.kind, _own), _SECOND.get(pairing.kind, _endless)
    return of_first(pairing.first_size), of_second(pairing.second_size)


def _own(size: Size) -> float:
    return size[0]


def _endless(_: Size) -> float:
    return _ENDLESS


def _two(size: Size) -> float:
    return sum(size[:2])


def _diagonal(size: Size) -> float:
    return math.hypot(*size[:3])


_FIRST: dict[int, Callable[[Size], float]] = {
    t.ELLIPSOID_PLANE: max,
    t.CAPSULE_CAPSULE: _two,
    t.CAPSULE_VERTEX: _two,
    t.BOX_VERTEX: _diagonal,
}
_SECOND: dict[int, Callable[[Size], float]] = {
    t.SPHERE_SPHERE: _own,
    t.SPHERE_HOLLOW: _own,
    t.SPHERE_CAPSULE: _two,
    t.SPHERE_ROD: _two,
    t.CAPSULE_CAPSULE: _two,
    t.SPHERE_BOX: _diagonal,
    t.SPHERE_CYLINDER: lambda size: math.hypot(*size[:2]),
}


def steepness(pairing: Pairing) -> float:
    """How fast the gap of a pair can change, at most, where its shapes come nearer at unit speed.

    Gaps are distances, but beyond the ends of a straight piece and where a rim is tilted they grow faster. Where capsules cross,
    the place may run along both at any speed; and of a surface that is a function nothing is known.
    """
    if pairing.kind in (t.SPHERE_SURFACE, t.CAPSULE_CAPSULE):
        return _ENDLESS
    if pairing.kind == t.SPHERE_SEGMENT:
        lower, upper = pairing.table[t.LOWER_SLANT : t.UPPER_SLANT + 1]
        return max(math.hypot(2.0, 1.0 + 2.0 * max(abs(lower), abs(upper))), 1.0 + 2.0 * (abs(lower) + abs(upper)))
    return 3.0 if pairing.kind in (t.FLAT_PLANE, t.SPHERE_ROD) else 1.0
