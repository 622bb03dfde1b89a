"""What joints transmit: the wrench of each, tree joints and loop joints."""

from __future__ import annotations

import numpy as np
from numpy import empty
from numpy.typing import NDArray

from ..algebra.pose import representable
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..kernels import rnea
from ..kernels.constraints import reactions as loop_reactions
from ..kernels.tables import EXTERNAL, JOINT
from .forward import careful_forward_dynamics, forward_dynamics
from .loads import Torques, Wrenches, external_table, joint_torques
from .loop_forces import own_wrenches, ways_of

Array = NDArray[np.float64]


class Reactions(dict[str, Array]):
    """Wrenches by joint name."""

    redundant: tuple[str, ...] = ()
    """The joints whose wrenches the motion does not determine, because loops are redundant: theirs are of least norm."""


def joint_reactions(mech: Mechanism, state: State, tau: Torques | None = None, wrenches: Wrenches | None = None) -> Reactions:
    """The whole wrench that each joint's parent puts on its child.

    Along the joint's own freedom it is tau with all that resists, less what a rotor takes. Where loops are redundant, the
    forces of their loop joints are the least that hold them.

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
    dict of str to (6,) array
        By joint: moment about the joint's frame on the child, then force, in world axes. Its attribute `redundant` names the
        joints whose wrenches the motion does not determine.

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
    >>> mech.add_joint("weld", rg.Fixed(), "world", "ball")
    >>> rg.joint_reactions(mech, mech.state())["weld"].tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 19.62]
    """
    structure, found = mech.structure_for(state), Reactions()
    external = structure.no_forces if wrenches is None else external_table(mech, wrenches)
    out = np.empty((len(structure.walk), 6))
    if mech.layout.is_constrained:
        _closed_reactions(mech, state, tau, wrenches, external, found, out)
    else:
        a = forward_dynamics(mech, state, tau, wrenches)
        rnea.joint_reactions.call(structure.work, state._q, state._v, a, external, np.empty(structure.nv), out)
    representable("the forces of joints", np.concatenate([out, *(wrench[None] for wrench in found.values())]))
    found.update((structure.joint_names[j], out[k]) for k, j in enumerate(structure.walk[:, JOINT].tolist()))
    return found


def _closed_reactions(
    mech: Mechanism, state: State, tau: Torques | None, wrenches: Wrenches | None, external: Array, found: Reactions, out: Array
) -> None:
    """The reactions of loop joints to `found`, those of the tree's joints to the rows of `out`."""
    torque, of_loops = joint_torques(mech, tau)
    structure = mech.structure
    work = structure.new_work() if of_loops else structure.work
    work.drive(of_loops)
    redundant, a = np.empty((len(structure.layout.loops), 1), np.int64), empty(structure.nv)
    held_with = own_wrenches(structure, work, state._x)
    push = np.zeros((len(out), EXTERNAL)) if wrenches is None else external
    if not loop_reactions.closed_reactions.call(work, state._x, torque, external, a, redundant, held_with, push):
        careful_forward_dynamics(mech, state, tau, wrenches or {})  # raises, and says why there is no answer
    rnea.joint_reactions.call(structure.work, state._q, state._v, a, push, empty(structure.nv), out)
    names = mech.loop_joints
    found.update(zip(names, held_with, strict=True))
    if redundant.any():
        loops = tuple(name for name, undetermined in zip(names, redundant[:, 0].tolist(), strict=True) if undetermined)
        found.redundant = (*loops, *ways_of(mech, loops))
