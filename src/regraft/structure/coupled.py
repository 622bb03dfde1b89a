"""The couplings of a mechanism as arrays: which joints each names, and by which factors; and prescribed loop joints likewise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import StructureError, listed
from ..joints import JointType
from ..kernels.constraints.tables import TERM_NUMBERS
from ..tolerances import RATIO
from .layout import Layout

if TYPE_CHECKING:
    from ..describe.parts import Coupling

OF_COUPLING, TREE_JOINT, LOOP_JOINT, NUMBERS = range(4)
"""Columns: the coupling; the joint among those of the tree, or −1; among those that close loops, or −1; then TERM_NUMBERS."""
COUPLED = NUMBERS + TERM_NUMBERS

_TEETH = 200
"""The largest whole number in a ratio whose branches are told apart where poses tell angles up to whole turns."""

NO_COUPLINGS = np.zeros((0, COUPLED))
"""Of a mechanism without any."""


def describe_couplings(couplings: Sequence[Coupling], layout: Layout, joints: Mapping[str, JointType]) -> NDArray[np.float64]:
    """(terms, COUPLED): the joints that couplings name, coupling after coupling; `joints` has the types of all of them."""
    loops = {name: l for l, (name, *_) in enumerate(layout.loops)}
    in_tree = {name: j for j, name in enumerate(layout.names)}
    terms = []
    for b, coupling in enumerate(couplings):
        factors = {coupling.driven: 1.0} | {name: -ratio for name, ratio in coupling.drivers}
        shift, period = coupling.offset, _period(coupling, {name: f for name, f in factors.items() if name in loops}, joints)
        for name, factor in factors.items():
            place = (-1, loops[name]) if name in loops else (in_tree[name], -1)
            terms.append((b, *place, factor, shift, period, 0.0, 0.0))
            shift = period = 0.0
    return np.array(terms) if terms else NO_COUPLINGS


def describe_prescribed(joints: Mapping[str, JointType], layout: Layout, couplings: int) -> NDArray[np.float64]:
    """(terms, COUPLED): the coordinates of loop joints that move as told, one after the other, behind so many couplings."""
    loops = [name for name, *_ in layout.loops]
    places = [(loops.index(name), c) for name, kind in joints.items() for c in range(kind.nv)]
    terms = [(couplings + i, -1, l, 1.0, 0.0, 0.0, 0.0, 1.0 + c) for i, (l, c) in enumerate(places)]
    return np.array(terms).reshape(-1, COUPLED)


def _period(coupling: Coupling, factors: Mapping[str, float], joints: Mapping[str, JointType]) -> float:
    """What the gap of a coupling is known up to, where these of its joints close loops: all sums of their whole turns."""
    turning = {name: abs(factor) for name, factor in factors.items() if 0 in joints[name].turns and factor != 0.0}
    least, parts = min(turning.values(), default=0.0), 1
    for factor in turning.values():
        ratio = Fraction(factor / least).limit_denominator(_TEETH)
        parts = math.lcm(parts, ratio.denominator)
        if abs(factor / least - ratio) > RATIO * factor / least or parts > _TEETH:
            raise StructureError(
                f"the coupling {coupling.name!r} cannot be held here: the joints {listed(turning)} close loops, so that bodies "
                f"tell their angles up to whole turns alone, and {factor / least:.9g}, the ratio between them, is no ratio of "
                f"whole numbers up to {_TEETH}. Give such a ratio, or coordinates in which all but one are joints of the tree."
            )
    return 2.0 * math.pi * least / parts
