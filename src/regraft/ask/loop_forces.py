"""What loops hold with: the forces of their joints, of least norm where redundant loops leave them open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import svd
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..kernels.constraints.reactions import IDLE
from ..kernels.constraints.rows import jacobian_of_rows
from ..kernels.constraints.tables import DRIVEN, FIRST, LOOP_V, MULTIPLIER, PIVOT
from ..kernels.constraints.torques import driving_wrenches
from ..kernels.tables import JOINT, PARENT
from ..structure.loops import LoopTables

Array = NDArray[np.float64]


def least_forces(mech: Mechanism, state: State, closed: LoopTables) -> tuple[str, ...]:
    """Replace multipliers that are not unique by the least ones that do the same; returns the names of their loop joints."""
    rows = closed.rows
    rank = int((rows[:, PIVOT] > 0.0).sum())
    if rank == len(rows):
        return ()
    left = svd(loop_rows(state._q, closed).T)[2].T
    held, idle = left[:, :rank], left[:, rank:]
    rows[:, MULTIPLIER] = held @ (held.T @ rows[:, MULTIPLIER])  # their part in the range of J
    free = np.abs(idle).max(axis=1, initial=0.0) > IDLE
    return tuple(
        name
        for name, row in zip(mech.loop_joints, closed.loops, strict=True)
        if free[row[FIRST] : row[FIRST] + 6 - row[LOOP_V]].any()
    )


def loop_rows(q: Array, closed: LoopTables) -> Array:
    """J (rows, nv): the velocity along each direction that a loop holds."""
    tree = closed.tree
    J = np.empty((len(closed.rows), tree.nv))
    jacobian_of_rows(tree.handle, closed.handle, q, J)
    return J


def own_wrenches(closed: LoopTables, x: Array) -> Array:
    """(loops, 6): the wrench of each loop joint's motor, damping and limits on its child, in its frame there, at x = (q, v)."""
    found, tree = np.zeros((len(closed.loops), 6)), closed.tree
    if closed.loops[:, DRIVEN].any():
        driving_wrenches(tree.handle, closed.handle, x, found)
    return found


def ways_of(mech: Mechanism, loops: tuple[str, ...]) -> tuple[str, ...]:
    """The tree joints in these loops: between their bodies and where the ways from these to the world meet."""
    tree, found = mech.tree, set()
    rows = tree.walk[:, (JOINT, PARENT)].tolist()
    for name in loops:
        joint, ways = mech.joints[name], []
        for body in (joint.parent, joint.child):
            way, k = set(), tree.row(body)
            while k >= 0:
                number, k = rows[k]
                way.add(number)
            ways.append(way)
        found |= ways[0] ^ ways[1]
    return tuple(tree.joint_names[j] for j in sorted(found))
