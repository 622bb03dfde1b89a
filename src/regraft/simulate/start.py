"""The admissible start of a closed chain: a state from which it can move, and which of its constraints are redundant there.

A state can satisfy all loops and yet lead nowhere. The velocity of a straight chain that is held at both ends may point across
it: it opens no loop to first order, but no acceleration keeps the loops closed a moment later. Such a start is refused.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..ask.acceleration import keeping_acceleration, stuck
from ..ask.manifold import integrate
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..kernels.constraints.closure import closed_positions, remembered_rows
from ..kernels.constraints.dynamics import acceleration_lack, pushed_closed_dynamics
from ..structure.workspace import Workspace
from ..tolerances import AT_REST, START_LACKING, STUCK, STUCK_OF_ALL

Array = NDArray[np.float64]

A_LITTLE = 1e-3  # radians or metres


def prepare_start(mech: Mechanism, state: State, work: Workspace, follow: Callable[[Array], None] | None = None) -> None:
    """Refuse a start that is not admissible; else let the workspace know which constraint rows are redundant.

    That is looked at where the motion starts and a little further along it: at a singular start more rows are redundant than on
    the way. `follow` tells prescribed loop joints that they are at a position.
    """
    structure, x, a = mech.structure, state._x, np.empty(mech.nv)
    pushed_closed_dynamics.call(work, x, structure.no_torque, structure.no_forces, a)
    lack = acceleration_lack.call(work, a)
    if np.abs(state._v).max(initial=0.0) > AT_REST and not lack <= START_LACKING * np.abs(a).max(initial=0.0):
        _refuse_stuck(mech, state)
    remembered_rows.call(work, state._q)
    along = state._v if state._v.any() else a
    if along.any():
        nearby = integrate(mech, state._q, A_LITTLE * (along / np.abs(along).max()))
        if follow is not None:
            follow(nearby)
        closed_positions.call(work, nearby, 20)
        remembered_rows.call(work, nearby)


def _refuse_stuck(mech: Mechanism, state: State) -> None:
    """Raise an error if, but for rounding, no acceleration keeps the loops closed at this velocity."""
    found = keeping_acceleration(mech, state)
    loop_rows = 6 * len(mech.layout.loops)  # those of couplings are fulfilled by any velocity that the loops allow
    left, size = (np.abs(part)[:loop_rows].reshape(-1, 2, 3).max(axis=2) for part in (found.left, found.size))  # turning, moving
    if not (left <= STUCK * size + STUCK_OF_ALL * size.max(initial=0.0)).all():
        raise stuck(float(left.max()))
