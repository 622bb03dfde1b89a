"""The torques of springs in joints; `passive` and `torques` call them by their addresses, which are there where joints have some.

So mechanisms without such springs, which are most, need not wait until the logarithms of rotations and poses are compiled.
"""

from __future__ import annotations

from typing import Any

from ..algebra.memory import table_at
from ..compilation import entry, inline
from ..joints import joint_pull
from .constraints.tables import DRIVE, POSITION, SCREWS, Loops
from .constraints.torques import wind_loop
from .memory import loops_at, model_at, positions_in, velocities_in
from .passive import wind
from .tables import COILED, DOF_WORK, DOFS, KIND, RATE, TAU, KernelModel, Q, U, V


@entry
def coils_kernel(handle: int, dof: int, q: int, lanes: int) -> float:
    """Add the torques of the springs in the tree's joints to TAU, for each lane of numbers that lie side by side.  O(springs).

    `dof` and `q` are the addresses of the tables of the computation.
    """
    n, nv = positions_in(handle), velocities_in(handle)
    pull_coils(model_at(handle), table_at(dof, nv, DOF_WORK * lanes, 0.0), table_at(q, n, lanes, 0.0))
    return 0.0


@inline
def pull_coils(model: KernelModel, dof: Any, q: Any) -> None:
    """The torques −T(d)ᵀ K d with d = q ⊖ rest, from q (nq, lanes); the row of a joint's first velocity has room for d."""
    walk, lanes = model.walk, q.shape[1]
    for row in range(model.tree_coils):
        k = model.coil_rows[row, COILED]
        first, here = walk[k, V], walk[k, Q]
        room, way, pull = dof[first], U * lanes, RATE * lanes
        for lane in range(lanes):
            place, numbers = here, table_at(q.ctypes.data, 1, q.size, q)[0]
            if lanes > 1:  # the position goes behind the way, where several lanes leave room
                place, numbers = way + 6, room
                for c in range(min(7, q.shape[0] - here)):
                    room[place + c] = q[here + c, lane]
            wind(model, row, numbers, place, room, way, room, pull)
            joint_pull(walk[k, KIND], room, way, room, pull)
            for c in range(walk[k, DOFS]):
                dof[first + c, TAU * lanes + lane] -= room[pull + c]


@entry
def loop_coils_kernel(handle: int, l: int) -> float:
    """Add the torques of the springs in a loop joint, whose POSITION is known, to its DRIVE."""
    pull_loop_coils(model_at(handle), loops_at(handle, 0.0), l)
    return 0.0


@inline
def pull_loop_coils(model: KernelModel, closed: Loops, l: int) -> None:
    """DRIVE −= T(d)ᵀ K d."""
    scratch, loops = closed.scratch, closed.loops
    for row in range(model.tree_coils, model.coil_rows.shape[0]):
        if model.coil_rows[row, COILED] == model.walk.shape[0] + l:
            wind_loop(model, row, scratch[POSITION], scratch[SCREWS], scratch[SCREWS + 1])
            joint_pull(loops[l, KIND], scratch[SCREWS], 0, scratch[SCREWS + 1], 0)
            for d in range(loops[l, DOFS]):
                scratch[DRIVE, d] -= scratch[SCREWS + 1, d]
