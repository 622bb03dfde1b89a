"""What is to be known of closed chains before they start to move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..ask.acceleration import keeping_acceleration, stuck
from ..ask.manifold import integrate
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..kernels.constraints import closure
from ..kernels.constraints.closure import LOOK_AT_ROWS
from ..kernels.constraints.dynamics import acceleration_lack, pushed_closed_dynamics
from ..structure.loops import LoopTables, closing_kernel, dynamics_kernel
from ..structure.tree import Workspace

Array = NDArray[np.float64]

_ROUNDING = 1e-9  # part of the largest acceleration that one may lack along a loop for rounding alone
_STUCK = 0.05  # part of what velocities do along a loop that no acceleration makes up for; of a motion it is 1e-4 at most
_OF_ALL = 1e-3  # the same, of what they do along all loops
_A_LITTLE = 1e-3  # radians or metres
_AT_REST = 1e-9  # radians or metres per second that may be rounding


def prepare_start(mech: Mechanism, state: State, work: Workspace, closed: LoopTables) -> None:
    """Refuse a state from which there is no motion; else find out which rows of the loops are redundant in it and after it.

    There is none where the loops allow a velocity that no acceleration can keep, as of a straight chain held at both ends.
    """
    tree, x, a = mech.tree, state._x, np.empty(mech.nv)
    pushed_closed_dynamics(work.handle, closed.handle, dynamics_kernel(), x, tree.no_torque, tree.no_forces, a)
    lack = acceleration_lack(work.handle, closed.handle, x)
    if np.abs(state._v).max(initial=0.0) > _AT_REST and not lack <= _ROUNDING * np.abs(a).max(initial=0.0):
        _refuse_stuck(mech, state)
    _look_at_rows(state._q, work, closed)
    along = state._v if state._v.any() else a
    if along.any():
        nearby = integrate(mech, state._q, _A_LITTLE * (along / np.abs(along).max()))
        closure.close(work.handle, closed.handle, closing_kernel(), nearby, np.zeros(mech.nv), 20)
        _look_at_rows(nearby, work, closed)


def _refuse_stuck(mech: Mechanism, state: State) -> None:
    found = keeping_acceleration(mech, state)
    left, size = (np.abs(part).reshape(-1, 2, 3).max(axis=2) for part in (found.left, found.size))  # turning, moving
    if not (left <= _STUCK * size + _OF_ALL * size.max()).all():
        raise stuck(float(left.max()))


def _look_at_rows(q: Array, work: Workspace, closed: LoopTables) -> None:
    closure.close(work.handle, closed.handle, closing_kernel(), q.copy(), np.zeros(0), LOOK_AT_ROWS)
