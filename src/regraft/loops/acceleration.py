"""Accelerations that keep the loops closed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import StructureError
from ..kernels import entries
from ..kernels.closure import ASSEMBLED
from ..mechanism import Mechanism
from ..pose import finite
from ..state import State
from .jacobian import Loop, all_velocities, closed_loops, constraint_matrix, constraint_rate
from .mobility import allowed_motions
from .tables import LoopTables, dynamics_kernel

Array = NDArray[np.float64]


def consistent_acceleration(mech: Mechanism, state: State, a: ArrayLike) -> Array:
    """The acceleration nearest to a (nv,) that keeps all loops closed; nearest in the metric of kinetic energy.

    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> for name in ("left", "right"):
    ...     mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
    ...     mech.add_joint(f"{name} slide", rg.Prismatic((1, 0, 0)), "world", name)
    >>> mech.add_joint("weld", rg.Fixed(), "left", "right")
    >>> rg.consistent_acceleration(mech, mech.state(), [1.0, 0.0]).round(12)
    array([0.5, 0.5])
    """
    wanted = finite("a", a, (mech.nv,))
    mech.check_state(state)
    if not mech.loop_joints:
        return wanted
    motions = allowed_motions(mech, state)
    loops = closed_loops(mech, state, moving=True)
    bias = constraint_rate(mech, loops) @ all_velocities(state, loops)
    some = -(motions.inverse @ bias)
    left = np.abs(constraint_matrix(mech, loops) @ some + bias).max(initial=0.0)
    if not left <= ASSEMBLED * (1.0 + np.abs(bias).max(initial=0.0)):
        raise StructureError(
            f"no acceleration keeps the loops closed at this velocity: {left:.3g} is left. The position is singular, and the "
            "mechanism cannot move on from it in this direction; start from another velocity."
        )
    M = np.empty((mech.nv, mech.nv))
    entries.mass_matrix(mech.tree.handle, state._q, M)
    basis = (motions.scale[:, None] * motions.free)[: mech.nv]
    start = some[: mech.nv]
    found: Array = start + basis @ np.linalg.solve(basis.T @ M @ basis, basis.T @ M @ (wanted - start))
    return found


def refuse_stuck(mech: Mechanism, state: State) -> None:
    """Refuse a velocity that the loops allow but that no acceleration can keep, as of a straight chain held at both ends."""
    work, closed, a = mech.tree.new_work(), LoopTables(mech), np.empty(mech.nv)
    tree, x = mech.tree, state._x
    entries.closed_dynamics(work.handle, closed.handle, dynamics_kernel(), x, tree.no_torque, tree.no_forces, a)
    lack = entries.acceleration_lack(work.handle, closed.handle, x)
    if not lack <= ASSEMBLED * (1.0 + np.abs(a).max(initial=0.0)):  # in rows that depend on others; dense algebra tells for sure
        consistent_acceleration(mech, state, np.zeros(mech.nv))


def check_acceleration(mech: Mechanism, state: State, a: Array, loops: list[Loop]) -> None:
    """Reject an acceleration that would open one of the loops."""
    rate = constraint_rate(mech, loops)
    velocities = all_velocities(state, loops)
    bias, size = rate @ velocities, np.abs(rate) @ np.abs(velocities)
    for l, loop in enumerate(loops):
        own = slice(6 * l, 6 * l + 6)
        summands = np.abs(loop.twists) @ np.abs(a) + size[own]
        gap = np.abs(loop.held @ (loop.twists @ a + bias[own])).max(initial=0.0)
        if not gap <= ASSEMBLED * (1.0 + summands.max()):
            raise StructureError(
                f"the accelerations would open the loop of joint {loop.joint.name!r}, at {gap:.3g} (m/s² or rad/s²); "
                "take the nearest ones that do not: a = consistent_acceleration(mech, state, a)."
            )
