"""How far the shapes of a contact point reach, and how fast its gap can change."""

from __future__ import annotations

import math

from ..kernels.contacts import tables as t
from .pairings import Pairing

_ENDLESS = math.inf


def extents(pairing: Pairing) -> tuple[float, float]:
    """How far the two shapes of a pair reach from the origins of their frames, at most; planes and surfaces without end."""
    first, second = pairing.first_size, pairing.second_size
    of_first = {
        t.ELLIPSOID_PLANE: max(first),
        t.CAPSULE_CAPSULE: sum(first[:2]),
        t.CAPSULE_VERTEX: sum(first[:2]),
        t.BOX_VERTEX: math.hypot(*first[:3]),
    }
    of_second = {
        t.SPHERE_SPHERE: sum(second[:1]),
        t.SPHERE_HOLLOW: sum(second[:1]),
        t.SPHERE_CAPSULE: sum(second[:2]),
        t.SPHERE_ROD: sum(second[:2]),
        t.CAPSULE_CAPSULE: sum(second[:2]),
        t.SPHERE_BOX: math.hypot(*second[:3]),
        t.SPHERE_CYLINDER: math.hypot(*second[:2]),
    }
    return of_first.get(pairing.kind, first[0]), of_second.get(pairing.kind, _ENDLESS)


def steepness(pairing: Pairing) -> float:
    """How fast the gap of a pair can change, at most, where its shapes come nearer at unit speed.

    Gaps are distances, but beyond the ends of a straight piece and where a rim is tilted they grow faster. Where capsules cross,
    the place may run along both at any speed; and of a surface that is a function nothing is known.
    """
    if pairing.kind in (t.SPHERE_SURFACE, t.CAPSULE_CAPSULE):
        return _ENDLESS
    if pairing.kind == t.SPHERE_SEGMENT:
        lower, upper = pairing.table[t.LOWER_SLANT : t.UPPER_SLANT + 1]
        return max(math.hypot(2.0, 1.0 + 2.0 * max(lower, upper)), 2.0 * (lower + upper))
    return 3.0 if pairing.kind in (t.FLAT_PLANE, t.SPHERE_ROD) else 1.0
