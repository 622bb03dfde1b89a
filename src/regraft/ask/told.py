"""Joints that are told how to move, in the workspace of one computation: those of the tree are held, loop joints get rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..describe.graph import known
from ..describe.mechanism import Mechanism
from ..errors import ModelError
from ..joints import JointType
from ..kernels.constraints.tables import MULTIPLIER, TOLD_A, TOLD_Q, TOLD_V
from ..kernels.tables import GIVEN, HELD
from ..structure.workspace import Workspace

Array = NDArray[np.float64]


def prescribed_type(mech: Mechanism, name: str) -> JointType:
    """The type of a joint whose motion is prescribed; an error where there is none."""
    if not isinstance(name, str) or name not in mech.joints:
        raise ModelError(f"prescribed: there is no joint {name!r}. {known('joints', mech.joints, name)}")
    return mech.joints[name].type


class Place(NamedTuple):
    """A prescribed joint in a workspace: where its velocities are, or for a loop joint its rows among those of such joints."""

    name: str
    nq: int
    closes: bool
    v: slice

    def accelerate(self, work: Workspace, a: Array) -> None:
        """Prescribe accelerations."""
        if self.closes:
            work.told[self.v, TOLD_A] = a
        else:
            work.dof[self.v, GIVEN] = a

    def keep(self, work: Workspace, q: Array, v: Array) -> None:
        """Prescribe position and velocity of a loop joint."""
        work.told[self.v, TOLD_Q : TOLD_Q + self.nq] = q
        work.told[self.v, TOLD_V] = v

    def torques(self, work: Workspace, of_tree: Array) -> Array:
        """What its motion takes, after the dynamics."""
        found: Array = (work.rows[work.prescribed_rows, MULTIPLIER] if self.closes else of_tree)[self.v].copy()
        return found


def prescribed_work(mech: Mechanism, names: Iterable[str]) -> tuple[Workspace, list[Place]]:
    """A new workspace in which these joints move as told, and where they are told."""
    layout, structure = mech.layout, mech.structure
    types = {name: prescribed_type(mech, name) for name in names}
    closing = {name: kind for name, kind in types.items() if name not in layout.v_slices}
    work = structure.prescribed_work(closing) if closing else structure.new_work()
    places, count = [], 0
    for name, kind in types.items():
        if name in closing:
            places.append(Place(name, kind.nq, True, slice(count, count + kind.nv)))
            count += kind.nv
        else:
            places.append(Place(name, kind.nq, False, layout.v_slices[name]))
            work.dof[layout.v_slices[name], HELD] = np.inf
    return work, places
