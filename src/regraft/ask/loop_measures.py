"""How far the loops of a mechanism are open, and what loop joints store, in many states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..kernels.constraints.closure import loops_of_many

Array = NDArray[np.float64]


def loop_measures(mech: Mechanism, states: Array) -> Array:
    """(states, 3): the largest gap of a loop in position and in velocity, and the energy that loop joints store."""
    found, out = _measures(mech, states), np.zeros((len(states), 3))
    out[:, 0], out[:, 1] = found[:, :-1:2].max(axis=1, initial=0.0), found[:, 1:-1:2].max(axis=1, initial=0.0)
    out[:, 2] = found[:, -1]
    return out


def loop_gaps(mech: Mechanism, states: Array) -> Array:
    """(states, loops, 2): the gap of each loop in position and in velocity."""
    found: Array = _measures(mech, states)[:, :-1].reshape(len(states), -1, 2)
    return found


def _measures(mech: Mechanism, states: Array) -> Array:
    number = len(mech.layout.loops)
    out = np.zeros((len(states), 2 * number + 1))
    if number:
        loops_of_many.call(mech.structure.new_work(), np.ascontiguousarray(states), out)
    return out
