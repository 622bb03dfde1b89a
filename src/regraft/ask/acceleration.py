"""Consistent accelerations: those that keep all loops closed, J v̇ + J̇ v = 0 with the constraint Jacobian J."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import solve_definite, svd
from ..algebra.pose import representable
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import StructureError
from ..kernels import crba
from ..kernels.constraints.demands import DEMANDS, loop_demands
from ..tolerances import ASSEMBLED, HELD_DEPENDENT
from .loads import Accelerations, joint_accelerations
from .loop_forces import own_wrenches
from .loop_jacobian import loop_matrices, open_loop
from .mobility import AllowedMotions, allowed_motions

Array = NDArray[np.float64]


def consistent_acceleration(mech: Mechanism, state: State, a: Accelerations, hold: Iterable[str] = ()) -> Array:
    """The acceleration nearest to a that keeps all loops closed; nearest in the metric of kinetic energy.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    a : (nv,) array_like, or mapping of str to number or array_like
        The accelerations that are wanted, or those of some joints by their names, where the others are to have none.
    hold : str or several, optional
        Names of tree joints whose accelerations are to be just those in `a`; the rest follows.

    Returns
    -------
    (nv,) array
        Accelerations that satisfy the loops, as `inverse_dynamics` takes them.

    Raises
    ------
    StructureError
        If a loop is open, or no acceleration at all keeps the loops closed, or none in which these joints are held.

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
    >>> rg.consistent_acceleration(mech, mech.state(), [1.0, 0.0], hold="left slide").round(12)
    array([1., 1.])
    """
    wanted = joint_accelerations(mech, a)
    mech.check_state(state)
    held = [i for name in ((hold,) if isinstance(hold, str) else hold) for i in range(*mech.v_slice(name).indices(mech.nv))]
    if not mech.layout.is_constrained:
        return wanted
    found = keeping_acceleration(mech, state)
    left = np.abs(found.left).max(initial=0.0)
    if not left <= ASSEMBLED * (1.0 + np.abs(found.bias).max(initial=0.0)):
        raise stuck(left)
    motions, some = found.motions, found.a
    structure = mech.structure_for(state)
    M = np.empty((structure.nv, structure.nv))
    crba.mass_matrix.call(structure.work, state._q, M)
    basis = (motions.scale[:, None] * motions.free)[: mech.nv]
    start, basis = _holding(some[: mech.nv], basis, held, wanted)
    nearest: Array = start + basis @ solve_definite(basis.T @ M @ basis, basis.T @ M @ (wanted - start))
    return representable("the accelerations", nearest)


def _holding(start: Array, basis: Array, held: list[int], wanted: Array) -> tuple[Array, Array]:
    """The accelerations ``start + basis y`` whose held coordinates are as wanted, written as another start and basis."""
    if not held:
        return start, basis
    left, sizes, right = svd(basis[held])
    rank = int((sizes > HELD_DEPENDENT * sizes.max(initial=0.0)).sum())
    missing = wanted[held] - start[held]
    y = right[:rank].T @ ((left[:, :rank].T @ missing) / sizes[:rank])
    off = np.abs(basis[held] @ y - missing).max()
    if not off <= ASSEMBLED * (1.0 + np.abs(wanted[held]).max() + np.abs(start[held]).max()):
        raise StructureError(
            f"the held joints cannot have these accelerations while the loops stay closed: they are off by {off:.3g}. Hold fewer "
            "joints, or give them accelerations that fit each other."
        )
    return start + basis @ y, basis @ right[rank:].T


class Keeping(NamedTuple):
    """The least accelerations a of all joints with J_C a + bias = 0, as nearly as any can fulfil it; bias is dJ_C/dt θ̇."""

    motions: AllowedMotions
    a: Array
    bias: Array
    size: Array
    """The sum of the sizes of all that each number of the bias is a sum of, by which its rounding is measured."""
    left: Array
    """J_C a + bias: not zero where the velocity is one that no acceleration can keep."""


def keeping_acceleration(mech: Mechanism, state: State) -> Keeping:
    """The least accelerations that keep the loops closed."""
    motions, loops = allowed_motions(mech, state), loop_matrices(mech, state, moving=True)
    bias = representable("the accelerations of the loops", loops.rate @ loops.velocities)
    a = -(motions.inverse @ bias)
    return Keeping(motions, a, bias, np.abs(loops.rate) @ np.abs(loops.velocities), loops.J @ a + bias)


def stuck(left: float) -> StructureError:
    """The error that no motion goes on from here at this velocity."""
    return StructureError(
        f"no acceleration keeps the loops closed at this velocity: {left:.3g} is left. The position is singular, and the "
        "mechanism cannot move on from it in this direction; start from another velocity."
    )


def loop_torques_at(mech: Mechanism, state: State, a: Array) -> Array:
    """The torques of all that resists loop joints: a number for each of their velocities, joint after joint.

    Rejects a state whose loops are open in position or in velocity, and accelerations that would open them.
    """
    coordinates, structure = mech.coordinates, mech.structure
    own = np.empty(coordinates.count - coordinates.tree)
    constraints = structure.layout.constraints
    if not constraints:
        return own
    found = np.empty((len(constraints), DEMANDS))
    wrenches = own_wrenches(structure, structure.work, state._x)
    loop_demands.call(structure.work, state._x, a, coordinates.loop_size, wrenches, own, found)
    representable("the accelerations of the loops", found)
    for which, (gap, slip, opening, summands) in zip(constraints, found.tolist(), strict=True):
        if not (gap <= ASSEMBLED and slip <= ASSEMBLED):
            raise open_loop(which, gap, slip)
        if not opening <= ASSEMBLED * (1.0 + summands):
            raise StructureError(
                f"the accelerations would open {which}, at {opening:.3g} (m/s² or rad/s²); "
                "take the nearest ones that do not: a = consistent_acceleration(mech, state, a)."
            )
    return own
