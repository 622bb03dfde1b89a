"""Whole turns of coupled joints: a pose tells an angle up to whole turns, and a gear with another ratio than 1 can tell more."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..tolerances import ASSEMBLED

Array = NDArray[np.float64]

_TURN = 2.0 * np.pi
_MOST, _MOST_OF_MANY = 200, 8  # turns of a joint that are tried, beside one other, and beside several


def turn_to_couplings(mech: Mechanism, q: Array, joints: Collection[str]) -> None:
    """Add whole turns to the angles of some tree joints in q (nq,), as few as there are with which couplings are held.

    Coupling after coupling; a joint that has its turns by one coupling keeps them in the next.
    """
    slices = mech.layout.q_slices
    settled: set[str] = set()
    for coupling in mech.couplings.values():
        factors = {coupling.driven: 1.0} | {name: -ratio for name, ratio in coupling.drivers}
        if not factors.keys() <= slices.keys():
            continue  # loop joints have no whole turns
        gap = sum(factor * q[slices[name].start] for name, factor in factors.items()) - coupling.offset
        turning = [name for name in factors if name in joints and name not in settled and 0 in mech.joints[name].type.turns]
        turns = _fewest_turns(gap / _TURN, [factors[name] for name in turning])
        for name, count in zip(turning, turns, strict=True):
            q[slices[name].start] -= _TURN * count
        settled |= factors.keys()


def _fewest_turns(gap: float, factors: list[float]) -> tuple[int, ...]:
    """The whole numbers whose sum, each times its factor, is nearest to a gap, and of several such the least."""
    if not any(factors):
        return (0,) * len(factors)
    last = min((i for i, factor in enumerate(factors) if factor), key=lambda i: abs(factors[i]))
    most = _MOST if len(factors) < 3 else _MOST_OF_MANY
    found: list[tuple[float, int, tuple[int, ...]]] = []
    for others in product(range(-most, most + 1), repeat=len(factors) - 1):
        turns = [*others[:last], 0, *others[last:]]
        left = gap - sum(factor * count for factor, count in zip(factors, turns, strict=True))
        turns[last] = round(left / factors[last])
        left -= factors[last] * turns[last]
        found.append((float(np.round(abs(left) / ASSEMBLED)), sum(map(abs, turns)), tuple(turns)))
    return min(found)[2]
