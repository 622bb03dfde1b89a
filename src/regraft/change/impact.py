"""The velocities after new joints have taken hold: a plastic impact of all that is connected (S2 V-C, eqs. 25–38)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..ask.loop_forces import least_forces
from ..compilation import expect
from ..describe.mechanism import Mechanism
from ..describe.parts import Joint
from ..describe.state import State
from ..errors import ModelError, StructureError, listed
from ..kernels.constraints.closure import loops_take_hold
from ..kernels.constraints.rows import holding_wrenches
from ..kernels.constraints.tables import RESIDUAL
from ..structure.failures import explain_failure
from ..structure.structure import Structure
from ..tolerances import ASSEMBLED
from .impulses import Impact, Impulses

Array = NDArray[np.float64]


def held_state(mech: Mechanism, before: Array, new: Sequence[Joint], *, impact: bool) -> State:
    """The state after the loop joints `new`, the last ones of the mechanism, have taken hold at (q, v) = `before`.

    The velocities are projected onto J v = 0 by the least change in the metric of kinetic energy, M Δv = Jᵀ λ (Gauss's principle
    for a plastic impact). They are unique even where constraints are redundant and the impulses λ are not.
    """
    expect(loops_take_hold)
    structure = mech.structure  # which nobody else has yet, nor its workspace
    layout, work = structure.layout, structure.work
    x, wrenches = before.copy(), np.empty((len(layout.loops), 6))
    gap, slip, redundant = loops_take_hold.call(work, x, wrenches)
    if not gap <= ASSEMBLED:
        raise _apart(mech, structure, new)
    if redundant < 0:
        raise StructureError(f"the impact of {_names(new)} has no unique result: {_why_not_unique(structure, before)}")
    if not impact and not slip <= ASSEMBLED * (1.0 + float(np.abs(before[layout.nq :]).max(initial=0.0))):
        raise StructureError(
            f"the bodies move apart at {slip:.3g} (metres or radians per second) along what the joints {_names(new)} hold; let "
            "them stop each other with impact=True, or use joints with more freedom."
        )
    after = State(layout, x)
    if redundant > 0:
        least_forces(mech, after, work)
        wrenches[:] = 0.0
        holding_wrenches.call(work, after._q, wrenches)
    after.impulse = Impulses(Impact(mech, structure, x, structure, before, layout.loops, wrenches))
    return after


def _names(joints: Sequence[Joint]) -> str:
    return listed(joint.name for joint in joints)


def _why_not_unique(structure: Structure, before: Array) -> ModelError:
    """Why an impact failed: it is computed again in a workspace of its own, which then shows it."""
    work = structure.new_work()
    loops_take_hold.call(work, before.copy(), np.empty((len(structure.layout.loops), 6)))
    return explain_failure(structure, work, before[: structure.nq])


def _apart(mech: Mechanism, structure: Structure, new: Sequence[Joint]) -> StructureError:
    """Which joint cannot take hold, or which loop was open before."""
    rows = structure.work.rows
    layout = structure.layout
    for name, of_coupling in zip(layout.couplings, structure.rows_of_loops[len(layout.loops) :], strict=True):
        gap = float(np.abs(rows[of_coupling, RESIDUAL]).max())
        if not gap <= ASSEMBLED:
            return StructureError(f"the coupling {name!r} is open by {gap:.3g}; close it first: state = assemble(mech, state).")
    for name, of_loop in zip(mech.loop_joints, structure.rows_of_loops[: len(layout.loops)], strict=True):
        gap = float(np.abs(rows[of_loop, RESIDUAL]).max(initial=0.0))
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
