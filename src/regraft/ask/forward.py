"""Forward dynamics: from torques to accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import empty
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import StructureError
from ..kernels.aba import forward_dynamics as tree_dynamics
from ..kernels.aba import pushed_dynamics
from ..kernels.constraints.dynamics import pushed_closed_dynamics, quick_closed_dynamics
from ..structure.failures import explain_failure
from ..structure.workspace import Workspace
from ..tolerances import ASSEMBLED
from .assembly import open_constraints
from .loads import Torques, Wrenches, external_table, joint_torques
from .prescribed import Prescribed, driven_dynamics

Array = NDArray[np.float64]
_FLOAT64 = np.dtype(np.float64)


def forward_dynamics(
    mech: Mechanism,
    state: State,
    tau: Torques | None = None,
    wrenches: Wrenches | None = None,
    prescribed: Prescribed | None = None,
) -> Array:
    """The accelerations v̇ under torques, gravity, all passive forces and external wrenches, with loops and couplings.

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
    prescribed : mapping of str to (nv of the joint,) array_like, optional
        Accelerations of joints by name, of loop joints too: these accelerate as told, all others follow. `prescribed_torques` are
        the torques that it takes.

    Returns
    -------
    (nv,) array

    Raises
    ------
    ModelError
        If a joint moves no inertia, or a number is not finite.
    StructureError
        If loops or couplings are open, can only break from here, or do not allow the prescribed accelerations.

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
    structure = mech.follows.structure or mech.structure
    work = structure.ready or structure.work
    try:
        torque: Any = structure.no_torque if tau is None else tau
        if wrenches is None and prescribed is None and (tau is None or (torque.dtype is _FLOAT64 and torque.ndim == 1)):
            out = empty(structure.nv)
            if state.layout is structure.open_layout:
                if tree_dynamics.call(work, state._x, torque, out) > 0.0:
                    return out
            elif state.layout is structure.layout and quick_closed_dynamics.call(work, state._x, torque, out) > 0.0:
                return out
    except (AttributeError, TypeError):  # not a state, or not an array
        pass
    if prescribed:
        return driven_dynamics(mech, state, prescribed, tau, wrenches).a
    return careful_forward_dynamics(mech, state, tau, {} if wrenches is None else wrenches)[0]


def careful_forward_dynamics(mech: Mechanism, state: State, tau: Torques | None, wrenches: Wrenches) -> tuple[Array, Workspace]:
    """Forward dynamics for any input: converts what can be converted and says what is wrong with the rest.

    Returns also the workspace, with the forces of the loops.
    """
    structure = mech.structure_for(state)
    torque, loop_torques = joint_torques(mech, tau)
    external = external_table(mech, wrenches)
    out = empty(structure.nv)
    work = structure.new_work()  # its own, to look into afterwards
    if structure.layout.is_constrained:
        work.drive(loop_torques)
        margin, gap = pushed_closed_dynamics.call(work, state._x, torque, external, out)
        if gap > ASSEMBLED:
            raise StructureError(
                f"{open_constraints(structure.layout, gap)} in this state; close them first: state = assemble(mech, state)."
            )
    elif wrenches:
        margin = pushed_dynamics.call(work, state._q, state._v, torque, external, out)
    else:  # by the same kernel as the quick path, so that the last digits are the same
        margin = tree_dynamics.call(work, state._x, torque, out)
    if not margin > 0.0:
        raise explain_failure(structure, work, state._q)
    return out, work
