"""Forward dynamics: from torques to accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import empty
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import StructureError
from ..kernels import aba
from ..kernels.aba import pushed_dynamics
from ..kernels.constraints.closure import ASSEMBLED
from ..kernels.constraints.dynamics import pushed_closed_dynamics, quick_closed_dynamics
from ..structure.loops import LoopTables, dynamics_kernel, loops_of
from .loads import Torques, Wrenches, external_table, joint_torques

Array = NDArray[np.float64]
_FLOAT64 = np.dtype(np.float64)


def forward_dynamics(mech: Mechanism, state: State, tau: Torques | None = None, wrenches: Wrenches | None = None) -> Array:
    """The accelerations v̇ under torques, gravity, springs, damping, limits and external wrenches, with or without loops.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    tau : (nv,) array_like, or mapping of str to array_like, optional
        Joint torques, as one array or by joint name, loop joints too; by default none.
    wrenches : mapping of str to (6,) array_like, optional
        By body: moment, then force, in world axes; the force acts at the body's origin.

    Returns
    -------
    (nv,) array

    Raises
    ------
    ModelError
        If a joint moves no inertia, or a number is not finite.
    StructureError
        If loops are open, or can only break from here.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.forward_dynamics(mech, mech.state())
    array([-9.81])
    """
    # A small arm's dynamics takes little more than a microsecond, so this path does without all that can be spared.
    # It takes what is derived from the mechanism once, and keeps tree and tables alive while a kernel has their addresses.
    derived = mech._derived
    tree = derived.tree or mech.tree_of(derived)
    try:
        torque: Any = tree.no_torque if tau is None else tau
        if wrenches is None and torque.dtype is _FLOAT64:
            out = empty(tree.nv)
            if state.layout is derived.open_layout:
                if aba.forward_dynamics.call(tree.handle, state._x, torque, out) > 0.0:
                    return out
            elif state.layout is derived.layout:
                closed = derived.closed or loops_of(mech, derived)
                if quick_closed_dynamics.call(tree.handle, closed.handle, dynamics_kernel(), state._x, torque, out) > 0.0:
                    return out
    except (AttributeError, TypeError):  # not a state, or not an array of one axis
        pass
    return careful_forward_dynamics(mech, state, tau, {} if wrenches is None else wrenches)[0]


def careful_forward_dynamics(
    mech: Mechanism, state: State, tau: Torques | None, wrenches: Wrenches
) -> tuple[Array, LoopTables | None]:
    """Forward dynamics for any input: converts what can be converted and says what is wrong with the rest.

    Returns also the tables of the loops, with their forces.
    """
    derived = mech.derived_for(state)
    tree = mech.tree_of(derived)
    torque, loop_torques = joint_torques(mech, tau)
    external = external_table(mech, wrenches)
    out = empty(tree.nv)
    work = tree.new_work()  # its own, to look into afterwards
    closed = LoopTables(mech, derived=derived) if mech.layout_of(derived).loops else None
    if closed is not None:
        closed.drive(loop_torques)
        margin, gap = pushed_closed_dynamics(work.handle, closed.handle, dynamics_kernel(), state._x, torque, external, out)
        if gap > ASSEMBLED:
            raise StructureError(
                f"the loops are open by {gap:.3g} in this state; close them first: state = assemble(mech, state)."
            )
    elif wrenches:
        margin = pushed_dynamics(work.handle, state._q, state._v, torque, external, out)
    else:  # by the same kernel as the quick path, so that the last digits are the same
        margin = aba.forward_dynamics.call(work.handle, state._x, torque, out)
    if not margin > 0.0:
        raise tree.explain_failure(work, state._q)
    return out, closed
