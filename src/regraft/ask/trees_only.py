"""Functions that take trees only refuse mechanisms with loops."""

from __future__ import annotations

from ..describe.mechanism import Mechanism
from ..errors import StructureError, listed
from ..structure.structure import Structure


def open_tree(mech: Mechanism, task: str = "this computation") -> Structure:
    """The tree of a mechanism without loops; an error says that the task needs one."""
    structure = mech.structure
    if mech.layout.couplings:
        raise StructureError(
            f"the couplings {listed(mech.layout.couplings, most=6)} constrain joints, and {task} is for trees without them; "
            'leave them out, as with mech.without("name"). mass_matrix, bias_force and kinematics of the spanning tree work as '
            "it is."
        )
    if mech.layout.loops:
        names = listed(mech.loop_joints, most=6)
        raise StructureError(
            f"the loop joints {names} close loops, and {task} is for trees; remove them from the mechanism. "
            "mass_matrix, bias_force and kinematics of the spanning tree work as it is."
        )
    return structure
