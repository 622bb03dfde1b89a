"""How far the loops of a mechanism are open, and what loop joints store, in many states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..kernels.constraints.closure import loops_of_many

Array = NDArray[np.float64]


def loop_measures(mech: Mechanism, states: Array) -> Array:
    """(states, 4): the largest gap, of loops and couplings, in position and in velocity; the energies of loop joints.

    These are what their limits and springs store, and the kinetic energy of their rotors.
    """
    found, out = _measures(mech, states), np.zeros((len(states), 4))
    out[:, 0], out[:, 1] = found[:, :-2:2].max(axis=1, initial=0.0), found[:, 1:-2:2].max(axis=1, initial=0.0)
    out[:, 2], out[:, 3] = found[:, -1], found[:, -2]
    return out


def loop_gaps(mech: Mechanism, states: Array) -> Array:
    """(states, loops + couplings, 2): the gap of each loop, then of each coupling, in position and in velocity."""
    found: Array = _measures(mech, states)[:, :-2].reshape(len(states), -1, 2)
    return found


def _measures(mech: Mechanism, states: Array) -> Array:
    number = len(mech.layout.constraints)
    out = np.zeros((len(states), 2 * number + 2))
    if number:
        loops_of_many.call(mech.structure.new_work(), np.ascontiguousarray(states), out)
    return out
