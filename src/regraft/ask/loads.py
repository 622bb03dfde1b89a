"""What acts on a mechanism, as the arrays that kernels take: torques of joints and wrenches on bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite
from ..describe.mechanism import Mechanism
from ..errors import ModelError, listed, meant
from ..kernels.tables import EXTERNAL, PUSH, PUSH_POINT

Array = NDArray[np.float64]
Wrenches = Mapping[str, ArrayLike]
Torques = ArrayLike | Mapping[str, ArrayLike]
Accelerations = ArrayLike | Mapping[str, ArrayLike]


def joint_torques(mech: Mechanism, tau: Torques | None) -> tuple[Array, dict[int, Array]]:
    """Torques as an array (nv,) for the tree joints, and those of loop joints by their number."""
    if not isinstance(tau, Mapping):
        return mech.structure.no_torque if tau is None else finite("tau", tau, (mech.nv,)), {}
    torques, of_loops = np.zeros(mech.nv), {}
    for name, given in tau.items():
        numbers = _of_joint(mech, "tau", name, given)
        if name in mech.layout.v_slices:
            torques[mech.v_slice(name)] = numbers
        else:
            of_loops[mech.loop_joints.index(name)] = numbers
    return torques, of_loops


def joint_accelerations(mech: Mechanism, a: Accelerations) -> Array:
    """Accelerations as an array (nv,); given by the names of tree joints, those of the others are 0."""
    if not isinstance(a, Mapping):
        return finite("a", a, (mech.nv,))
    found = np.zeros(mech.nv)
    for name, given in a.items():
        numbers = _of_joint(mech, "a", name, given)
        if name not in mech.layout.v_slices:
            raise ModelError(f"a: the joint {name!r} closes a loop; its acceleration follows from those of the others.")
        found[mech.v_slice(name)] = numbers
    return found


def _of_joint(mech: Mechanism, what: str, name: str, given: ArrayLike) -> Array:
    """What is given for a joint, a number or as many as it has coordinates."""
    if name not in mech.joints:
        raise ModelError(f"{what}: there is no joint {name!r}; the joints are: {listed(mech.joints)}.{meant(name, mech.joints)}")
    count = mech.joints[name].type.nv
    one_number: Any = [given] if count == 1 and np.ndim(given) == 0 else given
    return finite(f"{what} of joint {name!r}", one_number, (count,))


def external_table(mech: Mechanism, wrenches: Wrenches) -> Array:
    """Wrenches by body name as the table that kernels take."""
    structure = mech.structure
    if not isinstance(wrenches, Mapping):
        raise ModelError(f"wrenches must be given by the names of the bodies they act on, not as {type(wrenches).__name__}.")
    table = np.zeros((len(structure.walk), EXTERNAL))
    table[:, PUSH_POINT:] = structure.origins()
    put_wrenches(table, structure.row_of, wrenches)
    return table


def put_wrenches(table: Array, row_of: Mapping[str, int], wrenches: Wrenches) -> None:
    """Write each wrench into the first columns of its body's row."""
    for body, wrench in wrenches.items():
        if body not in row_of:
            raise ModelError(f"wrenches: there is no body {body!r} that could be pushed.{meant(body, row_of)}")
        table[row_of[body], PUSH:PUSH_POINT] = finite(f"wrench on {body!r}", wrench, (6,))
