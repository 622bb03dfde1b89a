"""Constraint forces of loop-closure joints (Lagrange multipliers), of least norm where redundant constraints leave a choice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import svd
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..kernels.constraints.rows import jacobian_of_rows
from ..kernels.constraints.tables import MULTIPLIER, PIVOT
from ..kernels.constraints.torques import driving_wrenches
from ..kernels.tables import JOINT, PARENT
from ..structure.structure import Structure
from ..structure.workspace import Workspace
from ..tolerances import IDLE

Array = NDArray[np.float64]


def least_forces(mech: Mechanism, state: State, work: Workspace) -> tuple[str, ...]:
    """Replace multipliers λ that are not unique by the least ones with the same Jᵀ λ; returns the names of their loop joints."""
    structure = mech.structure
    rows = work.rows[: structure.rows_of_loops[-1].stop]
    rank = int((rows[:, PIVOT] > 0.0).sum())
    if rank == len(rows):
        return ()
    left = svd(loop_rows(structure, state._q).T)[2].T
    held, idle = left[:, :rank], left[:, rank:]
    rows[:, MULTIPLIER] = held @ (held.T @ rows[:, MULTIPLIER])  # their part in the range of J
    free = np.abs(idle).max(axis=1, initial=0.0) > IDLE
    of_loops = structure.rows_of_loops[: len(structure.layout.loops)]
    return tuple(name for name, of_loop in zip(mech.loop_joints, of_loops, strict=True) if free[of_loop].any())


def loop_rows(structure: Structure, q: Array) -> Array:
    """The constraint Jacobian J (rows, nv), a row for each direction that a loop-closure joint holds."""
    J = np.empty((structure.rows_of_loops[-1].stop, structure.nv))
    jacobian_of_rows.call(structure.work, q, J)
    return J


def own_wrenches(structure: Structure, work: Workspace, x: Array) -> Array:
    """(loops, 6): the wrench of each loop joint's own torques on its child, in its frame there, at x = (q, v)."""
    found = np.zeros((len(structure.layout.loops), 6))
    if structure.loops_resist or work.is_driven:
        driving_wrenches.call(work, x, found)
    return found


def ways_of(mech: Mechanism, loops: tuple[str, ...]) -> tuple[str, ...]:
    """The tree joints in these loops: between their bodies and where the ways from these to the world meet."""
    structure, found = mech.structure, set()
    rows = structure.walk[:, (JOINT, PARENT)].tolist()
    for name in loops:
        joint, ways = mech.joints[name], []
        for body in (joint.parent, joint.child):
            way, k = set(), structure.row(body)
            while k >= 0:
                number, k = rows[k]
                way.add(number)
            ways.append(way)
        found |= ways[0] ^ ways[1]
    return tuple(structure.joint_names[j] for j in sorted(found))
