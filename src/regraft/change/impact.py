"""The velocities after new joints have taken hold: a plastic impact of all that is connected (S2 V-C, eqs. 25–38)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..ask.loop_forces import least_forces
from ..describe.mechanism import Mechanism
from ..describe.parts import Joint
from ..describe.state import State
from ..errors import ModelError, StructureError, listed
from ..kernels.constraints.closure import ASSEMBLED, loops_take_hold
from ..kernels.constraints.rows import holding_wrenches
from ..kernels.constraints.tables import FIRST, LOOP_V, RESIDUAL
from ..structure.loops import LoopTables, closing_kernel, loops_of
from .impulses import Impact, Impulses

Array = NDArray[np.float64]


def take_hold(mech: Mechanism, before: Array, new: Sequence[Joint], *, impact: bool) -> State:
    """The state after the loop joints `new`, the last ones of the mechanism, have taken hold at (q, v) = `before`.

    The new velocities are those nearest to the old ones, in the metric of kinetic energy, that all loops allow: M Δv = Jᵀ λ. They
    are unique even where loops are redundant and λ is not.
    """
    closed = loops_of(mech)  # nobody else has this mechanism yet, but its tree may be that of another one
    tree = closed.tree
    x, results = before.copy(), np.empty(2 + 6 * len(closed.loops))
    gap = loops_take_hold.call(tree.handle, closed.handle, closing_kernel(), x, results)
    slip, redundant, wrenches = results[0], results[1], results[2:].reshape(-1, 6)
    if not gap <= ASSEMBLED:
        raise _apart(mech, closed, new)
    if redundant < 0:
        raise StructureError(f"the impact of {_names(new)} has no unique result: {_why_not_unique(closed, before)}")
    if not impact and not slip <= ASSEMBLED * (1.0 + float(np.abs(before[mech.nq :]).max(initial=0.0))):
        raise StructureError(
            f"the bodies move apart at {slip:.3g} (metres or radians per second) along what the joints {_names(new)} hold; let "
            "them stop each other with impact=True, or use joints with more freedom."
        )
    layout = mech.layout
    after = State(layout, x)
    if redundant > 0:
        least_forces(mech, after, closed)
        wrenches[:] = 0.0
        holding_wrenches(tree.handle, closed.handle, after._q, wrenches)
    after.impulse = Impulses(Impact(mech, tree, x, tree, before, layout.loops, wrenches))
    return after


def _names(joints: Sequence[Joint]) -> str:
    return listed(joint.name for joint in joints)


def _why_not_unique(closed: LoopTables, before: Array) -> ModelError:
    """The same again in a workspace of its own, to look into afterwards."""
    work = closed.tree.new_work()
    results = np.empty(2 + 6 * len(closed.loops))
    loops_take_hold.call(work.handle, closed.handle, closing_kernel(), before.copy(), results)
    return closed.tree.explain_failure(work, before[: closed.tree.nq])


def _apart(mech: Mechanism, closed: LoopTables, new: Sequence[Joint]) -> StructureError:
    """Which joint cannot take hold, or which loop was open before."""
    for row, name in zip(closed.loops, mech.loop_joints, strict=True):
        gap = float(np.abs(closed.rows[row[FIRST] : row[FIRST] + 6 - row[LOOP_V], RESIDUAL]).max(initial=0.0))
        if gap <= ASSEMBLED:
            continue
        joint = mech.joints[name]
        if joint in new:
            return StructureError(
                f"joint {name!r} cannot take hold: its frames on {joint.parent!r} and {joint.child!r} are off by {gap:.3g} "
                f"(metres or radians) from what {joint.type!r} allows. Move the bodies there first, or give its place with at."
            )
        return StructureError(f"the loop of joint {name!r} is open by {gap:.3g}; close it first: state = assemble(mech, state).")
    return StructureError("the state is not finite.")
