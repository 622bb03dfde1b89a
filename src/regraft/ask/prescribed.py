"""Prescribed motion: joints that accelerate as told, the rest of the mechanism that follows, and the torques that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite, representable
from ..describe.graph import by_name
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import StructureError, listed, warn
from ..kernels.constraints.dynamics import acceleration_lack, pushed_closed_dynamics
from ..kernels.constraints.tables import PIVOT
from ..kernels.memory import HARD_ROWS
from ..kernels.prescribed import prescribed_closed_dynamics, prescribed_dynamics
from ..kernels.tables import HELD
from ..structure.failures import explain_failure
from ..structure.workspace import Workspace
from ..tolerances import ASSEMBLED
from .assembly import open_constraints
from .loads import Torques, Wrenches, external_table, joint_torques
from .told import prescribed_type, prescribed_work

Array = NDArray[np.float64]
Prescribed = Mapping[str, ArrayLike]
"""Accelerations (nv,) of joints, by name."""


class Driven(NamedTuple):
    """What follows from prescribed accelerations."""

    a: Array
    """(nv,): the accelerations of all joints."""
    torques: dict[str, Array]
    """What the prescribed joints take, beside the torques that were given, by their names."""
    work: Workspace
    """The tables, as the dynamics left them."""


def prescribed_torques(
    mech: Mechanism, state: State, prescribed: Prescribed, tau: Torques | None = None, wrenches: Wrenches | None = None
) -> dict[str, Array]:
    """The torques that it takes to let some joints accelerate as told, while all others follow as in `forward_dynamics`.

    They come on top of those in `tau`. Damping, limits and springs act in prescribed joints as in any other, and are not part of
    them.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    prescribed : mapping of str to (nv of the joint,) array_like
        Accelerations of joints by name, of loop joints too; a number where a joint has one coordinate.
    tau, wrenches
        What acts besides, as in `forward_dynamics`.

    Returns
    -------
    dict of str to (nv of the joint,) array
        By the names of the prescribed joints. Where they are not unique, a warning says so.

    Raises
    ------
    ModelError
        If there is no such joint, or a number is not finite.
    StructureError
        If loops and couplings do not allow these accelerations.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("lift", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.prescribed_torques(mech, mech.state(), {"lift": 1.0})["lift"].round(9)
    array([21.62])
    """
    found = driven_dynamics(mech, state, prescribed, tau, wrenches)
    tell_shared(mech, state, found)
    return found.torques


def driven_dynamics(
    mech: Mechanism, state: State, prescribed: Prescribed, tau: Torques | None = None, wrenches: Wrenches | None = None
) -> Driven:
    """All accelerations, and the torques that the prescribed ones take."""
    structure = mech.structure_for(state)
    torque, of_loops = joint_torques(mech, tau)
    external = external_table(mech, {} if wrenches is None else wrenches)
    given = {name: _checked(mech, name, numbers) for name, numbers in by_name("prescribed", "joints", prescribed).items()}
    work, places = prescribed_work(mech, tuple(given))
    for place in places:
        place.accelerate(work, given[place.name])
        if place.closes:
            place.keep(work, mech.joint_position(state, place.name), mech.joint_velocity(state, place.name))
    a, of_tree = np.empty(structure.nv), np.empty(structure.nv)
    if not structure.layout.is_constrained:
        margin = prescribed_dynamics.call(work, state._x, torque, external, a, of_tree)
    else:
        work.drive(of_loops)
        margin, gap = prescribed_closed_dynamics.call(work, state._x, torque, external, a, of_tree)
        if gap > ASSEMBLED:
            raise StructureError(
                f"{open_constraints(structure.layout, gap)} in this state; close them first: state = assemble(mech, state)."
            )
        refuse_impossible(work, a, tuple(given))
    if not margin > 0.0:
        raise explain_failure(structure, work, state._q)
    torques = {place.name: place.torques(work, of_tree) for place in places}
    for what, numbers in (("the accelerations", a), *(("the torques of prescribed motions", one) for one in torques.values())):
        representable(what, numbers)
    return Driven(a, torques, work)


def _checked(mech: Mechanism, name: str, numbers: ArrayLike) -> Array:
    """The accelerations of a joint."""
    count = prescribed_type(mech, name).nv
    given = np.atleast_1d(np.asarray(numbers)) if np.ndim(numbers) == 0 else numbers
    return finite(f"prescribed: acceleration of {name!r}", given, (count,))


def tell_shared(mech: Mechanism, state: State, found: Driven) -> None:
    """A warning where torques are not unique: loops, couplings or other prescribed joints keep a joint on its motion already.

    That is where the rows of all have a smaller rank than those of loops and couplings, and all prescribed coordinates.
    """
    if not mech.layout.is_constrained:
        return
    structure = mech.structure_for(state)
    work, a = structure.new_work(), np.empty(structure.nv)
    pushed_closed_dynamics.call(work, state._x, structure.no_torque, structure.no_forces, a)
    told = sum(len(torques) for torques in found.torques.values())
    held = int(np.isinf(found.work.dof[:, HELD]).sum())
    if rows_held(found.work) + held < rows_held(work) + told:
        warn(
            f"the torques of the prescribed motions of {listed(found.torques)} are not unique: loops, couplings or the others "
            "keep one of these joints on its motion already, so torques can be shared in many ways. Prescribe fewer joints."
        )


def rows_held(work: Workspace) -> int:
    """How many constraint rows are independent of those before them, after the dynamics."""
    return int((work.rows[: work.size(HARD_ROWS), PIVOT] > 0.0).sum())


def refuse_impossible(work: Workspace, a: Array, names: tuple[str, ...]) -> None:
    """An error where loops or couplings do not allow the prescribed accelerations; after the dynamics that gave a."""
    free = np.where(np.isinf(work.dof[:, HELD]), 0.0, a)  # as kernels have them, which add what is given
    lack = acceleration_lack.call(work, free)
    if not lack <= ASSEMBLED * (1.0 + float(np.abs(a).max(initial=0.0))):
        raise StructureError(
            f"loops and couplings do not allow the prescribed motions of {listed(names)} together: {lack:.3g} (m/s² or rad/s²) "
            "is left. Prescribe fewer joints, or motions that fit each other."
        )
