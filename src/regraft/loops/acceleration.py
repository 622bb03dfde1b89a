"""Accelerations that keep the loops closed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import StructureError
from ..kernels import entries
from ..kernels.closure import ASSEMBLED
from ..mechanism import Mechanism
from ..pose import finite
from ..state import State
from .jacobian import Loop, all_velocities, closed_loops, constraint_matrix, constraint_rate
from .mobility import AllowedMotions, allowed_motions

Array = NDArray[np.float64]


def consistent_acceleration(mech: Mechanism, state: State, a: ArrayLike) -> Array:
    """The acceleration nearest to a given one that keeps all loops closed; nearest in the metric of kinetic energy.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    a : (nv,) array_like
        The acceleration that is wanted.

    Returns
    -------
    (nv,) array

    Raises
    ------
    StructureError
        If loops are open, or no acceleration keeps them closed at this velocity.

    Examples
    --------
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
    found = keeping_acceleration(mech, state)
    left = np.abs(found.left).max(initial=0.0)
    if not left <= ASSEMBLED * (1.0 + np.abs(found.bias).max(initial=0.0)):
        raise stuck(left)
    motions, some = found.motions, found.a
    tree = mech.tree_for(state)
    M = np.empty((tree.nv, tree.nv))
    entries.mass_matrix(tree.handle, state._q, M)
    basis = (motions.scale[:, None] * motions.free)[: mech.nv]
    start = some[: mech.nv]
    nearest: Array = start + basis @ np.linalg.solve(basis.T @ M @ basis, basis.T @ M @ (wanted - start))
    return nearest


class Keeping(NamedTuple):
    """Accelerations of all joints that keep the loops closed, as far as any can; J_C a + bias is to be zero."""

    motions: AllowedMotions
    a: Array
    bias: Array
    size: Array
    """What the bias is a sum of."""
    left: Array


def keeping_acceleration(mech: Mechanism, state: State) -> Keeping:
    """The least accelerations that keep the loops closed."""
    motions, loops = allowed_motions(mech, state), closed_loops(mech, state, moving=True)
    rate, velocities = constraint_rate(mech, loops), all_velocities(state, loops)
    bias = rate @ velocities
    a = -(motions.inverse @ bias)
    return Keeping(motions, a, bias, np.abs(rate) @ np.abs(velocities), constraint_matrix(mech, loops) @ a + bias)


def stuck(left: float) -> StructureError:
    """There is no motion from here at this velocity."""
    return StructureError(
        f"no acceleration keeps the loops closed at this velocity: {left:.3g} is left. The position is singular, and the "
        "mechanism cannot move on from it in this direction; start from another velocity."
    )


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
