"""Accelerations that keep the loops closed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.dense import solve_definite, svd
from ..algebra.pose import finite, representable
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import StructureError
from ..kernels import crba
from ..kernels.constraints import jacobian as constraint
from ..kernels.constraints.closure import ASSEMBLED
from ..structure.loops import loops_of
from .coordinates import coordinates_of
from .loop_forces import own_wrenches
from .loop_jacobian import all_velocities, closed_loops, constraint_matrix, constraint_rate, open_loop
from .mobility import AllowedMotions, allowed_motions

Array = NDArray[np.float64]

_DEPENDENT = 1e-10  # of the largest: directions of held joints that follow from others


def consistent_acceleration(mech: Mechanism, state: State, a: ArrayLike, hold: Iterable[str] = ()) -> Array:
    """The acceleration nearest to a that keeps all loops closed; nearest in the metric of kinetic energy.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    a : (nv,) array_like
        The accelerations that are wanted.
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
    wanted = finite("a", a, (mech.nv,))
    mech.check_state(state)
    held = [i for name in ((hold,) if isinstance(hold, str) else hold) for i in range(*mech.v_slice(name).indices(mech.nv))]
    if not mech.loop_joints:
        return wanted
    found = keeping_acceleration(mech, state)
    left = np.abs(found.left).max(initial=0.0)
    if not left <= ASSEMBLED * (1.0 + np.abs(found.bias).max(initial=0.0)):
        raise stuck(left)
    motions, some = found.motions, found.a
    tree = mech.tree_for(state)
    M = np.empty((tree.nv, tree.nv))
    crba.mass_matrix(tree.handle, state._q, M)
    basis = (motions.scale[:, None] * motions.free)[: mech.nv]
    start, basis = _holding(some[: mech.nv], basis, held, wanted)
    nearest: Array = start + basis @ solve_definite(basis.T @ M @ basis, basis.T @ M @ (wanted - start))
    return representable("the accelerations", nearest)


def _holding(start: Array, basis: Array, held: list[int], wanted: Array) -> tuple[Array, Array]:
    """Of the accelerations ``start + basis y``, those whose held numbers are the wanted ones, in the same form."""
    if not held:
        return start, basis
    left, sizes, right = svd(basis[held])
    rank = int((sizes > _DEPENDENT * sizes.max(initial=0.0)).sum())
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
    bias = representable("the accelerations of the loops", rate @ velocities)
    a = -(motions.inverse @ bias)
    return Keeping(motions, a, bias, np.abs(rate) @ np.abs(velocities), constraint_matrix(mech, loops) @ a + bias)


def stuck(left: float) -> StructureError:
    """There is no motion from here at this velocity."""
    return StructureError(
        f"no acceleration keeps the loops closed at this velocity: {left:.3g} is left. The position is singular, and the "
        "mechanism cannot move on from it in this direction; start from another velocity."
    )


def loop_torques_at(mech: Mechanism, state: State, a: Array) -> Array:
    """The torques of damping and limits of all loop joints, along their own velocities, one joint after the other.

    Rejects a state in which loops are open or about to open, and accelerations that would open them.
    """
    coordinates, tables = coordinates_of(mech), loops_of(mech)
    own = np.empty(coordinates.count - coordinates.tree)
    if not len(tables.loops):
        return own
    found = np.empty((len(tables.loops), constraint.DEMANDS))
    tree = tables.tree
    wrenches = own_wrenches(tables, state._x)
    constraint.loop_demands.call(tree.handle, tables.handle, state._x, a, coordinates.loop_size, wrenches, own, found)
    representable("the accelerations of the loops", found)
    for (name, _, _), (gap, slip, opening, summands) in zip(mech.layout.loops, found.tolist(), strict=True):
        if not (gap <= ASSEMBLED and slip <= ASSEMBLED):
            raise open_loop(name, gap, slip)
        if not opening <= ASSEMBLED * (1.0 + summands):
            raise StructureError(
                f"the accelerations would open the loop of joint {name!r}, at {opening:.3g} (m/s² or rad/s²); "
                "take the nearest ones that do not: a = consistent_acceleration(mech, state, a)."
            )
    return own
