"""What loops hold with: the forces of their joints, of least norm where redundant loops leave them open."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels import entries
from ..kernels.layout import JOINT, PARENT
from ..kernels.loop_layout import FIRST, LOOP_V, MULTIPLIER, PIVOT
from ..mechanism import Mechanism
from ..state import State
from .jacobian import Loop
from .tables import LoopTables, loops_of

Array = NDArray[np.float64]

_IDLE = 1e-9  # share in forces that hold nothing: what is smaller is zero


class LoopWrenches(NamedTuple):
    """Forces, or impulses, of loop joints by name."""

    wrenches: dict[str, Array]
    """(moment, force) on the child about the joint's frame there, in world axes."""
    redundant: tuple[str, ...]
    """The loop joints whose forces are not determined by the motion; theirs are the least that do."""
    undetermined: tuple[str, ...]
    """The tree joints whose forces depend on these."""


def loop_wrenches(mech: Mechanism, state: State, closed: LoopTables, *, driven: bool = False) -> LoopWrenches:
    """The forces of all loops, from the multipliers that a computation has left in `closed`.

    With `driven` also what motors, damping and limits of the loop joints themselves do.
    """
    wrenches = np.zeros((len(closed.loops), 6))
    tree = closed.tree
    if driven:
        entries.loop_torques(tree.handle, closed.handle, state._x, wrenches)
    redundant = least_forces(mech, state, closed)
    entries.row_wrenches(tree.handle, closed.handle, state._q, wrenches)
    return LoopWrenches(dict(zip(mech.loop_joints, wrenches, strict=True)), redundant, _ways(mech, redundant))


def least_forces(mech: Mechanism, state: State, closed: LoopTables) -> tuple[str, ...]:
    """Replace multipliers that are not unique by the least ones that do the same; returns the names of their loop joints."""
    rows = closed.rows
    rank = int((rows[:, PIVOT] > 0.0).sum())
    if rank == len(rows):
        return ()
    left = np.linalg.svd(loop_rows(state._q, closed), full_matrices=True).U
    held, idle = left[:, :rank], left[:, rank:]
    rows[:, MULTIPLIER] = held @ (held.T @ rows[:, MULTIPLIER])  # their part in the range of J
    free = np.abs(idle).max(axis=1, initial=0.0) > _IDLE
    return tuple(
        name
        for name, row in zip(mech.loop_joints, closed.loops, strict=True)
        if free[row[FIRST] : row[FIRST] + 6 - row[LOOP_V]].any()
    )


def loop_rows(q: Array, closed: LoopTables) -> Array:
    """J (rows, nv): the velocity along each direction that a loop holds."""
    tree = closed.tree
    J = np.empty((len(closed.rows), tree.nv))
    entries.row_jacobian(tree.handle, closed.handle, q, J)
    return J


def passive_torques(mech: Mechanism, state: State, loops: list[Loop]) -> list[Array]:
    """The torques of damping and limits of each loop joint, along its own velocities."""
    wrenches = np.zeros((len(loops), 6))
    if loops:
        closed = loops_of(mech)
        tree = closed.tree
        entries.loop_torques(tree.handle, closed.handle, state._x, wrenches)
    return [loop.screws @ wrench for loop, wrench in zip(loops, wrenches, strict=True)]


def _ways(mech: Mechanism, loops: tuple[str, ...]) -> tuple[str, ...]:
    """The tree joints in these loops: between their bodies and where the ways from these to the world meet."""
    tree, found = mech.tree, set()
    for name in loops:
        joint, ways = mech.joints[name], []
        for body in (joint.parent, joint.child):
            way, k = set(), tree.row(body)
            while k >= 0:
                way.add(int(tree.walk[k, JOINT]))
                k = int(tree.walk[k, PARENT])
            ways.append(way)
        found |= ways[0] ^ ways[1]
    return tuple(tree.joint_names[j] for j in sorted(found))
