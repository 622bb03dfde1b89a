"""The torques that actuators exert when they are given controls: those of motors and servos, by the law of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite, finite_number, representable
from ..describe.graph import by_name, known
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, StructureError, listed
from ..kernels.actuators import LAW, OFF, TERM, actuated_joints

Array = NDArray[np.float64]
Controls = ArrayLike | Mapping[str, float]


class ActuatorTables(NamedTuple):
    """Actuators as kernels take them."""

    names: tuple[str, ...]
    """Those that controls are given for, in this order; some may not be there."""
    joints: tuple[str, ...]
    """The joints that they drive, each with one coordinate: the places of terms and efforts."""
    laws: Array
    terms: Array
    efforts: Array
    not_single: Mapping[str, str]
    """Actuators whose joint has more than one coordinate, which no control can drive, with these joints."""


def actuator_tables(mech: Mechanism, names: Sequence[str] | None = None) -> ActuatorTables:
    """The tables of those actuators that there are; of all of them where none are named."""
    there = mech.actuators
    asked = tuple(there if names is None else names)
    joints: dict[str, int] = {}
    laws, terms, not_single = [], list[tuple[int, float]](), {}
    for number, name in enumerate(asked):
        if name not in there:
            continue
        one = there[name]
        several = [joint for joint, _ in one.joints if mech.joints[joint].type.nq != 1 or mech.joints[joint].type.nv != 1]
        if several:
            not_single[name] = several[0]
            continue
        first = len(terms)
        terms += [(joints.setdefault(joint, len(joints)), gear) for joint, gear in one.joints]
        laws.append((number, first, len(terms), *one.gain, *one.bias, *one.control_range, *one.force_range))
    efforts = np.array([mech.joints[joint].type.effort[0] for joint in joints], float)
    by_law, by_term = np.array(laws, float).reshape(-1, LAW), np.array(terms, float).reshape(-1, TERM)
    return ActuatorTables(asked, tuple(joints), by_law, by_term, efforts, not_single)


def control_numbers(tables: ActuatorTables, controls: Controls | Any) -> Array:
    """One number for each actuator, OFF for those that are not named."""
    names = tables.names
    if isinstance(controls, Mapping):
        given = by_name("controls", "actuators", controls)
        odd = [name for name in given if name not in names]
        if odd:
            raise ModelError(f"controls: there is no actuator {odd[0]!r}. {known('actuators', dict.fromkeys(names), odd[0])}")
        found = np.full(len(names), OFF)
        for name, control in given.items():
            found[names.index(name)] = finite_number(f"control of actuator {name!r}", control)
        driven = set(given)
    else:
        found, driven = finite("controls", controls, (len(names),)), set(names)
    refuse_several(tables, driven)
    return found


def refuse_several(tables: ActuatorTables, driven: set[str]) -> None:
    """An error where an actuator is to be driven whose joint has more than one coordinate."""
    for name, joint in tables.not_single.items():
        if name in driven:
            raise ModelError(
                f"controls: the actuator {name!r} drives the joint {joint!r}, which has more than one coordinate, and controls "
                "are for joints with one. Give the controls of the others by name, and the torques of this joint by `torque`."
            )


def control_torques(mech: Mechanism, state: State, controls: Controls) -> Array:
    """The joint torques that actuators exert at given controls: motors and servos, by the law of each.

    Controls and torques are kept within the ranges of the actuator, and the sum for a joint within the joint's `effort`. See
    `Mechanism.add_actuator` for the law.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    controls : (n,) array_like or mapping of str to float
        One for each actuator, in the order of `Mechanism.actuators`; or by name, and then actuators that are not named are not
        driven: they exert no torque, servos neither.

    Returns
    -------
    (nv,) array
        For `forward_dynamics` and all that takes `tau`; 0 for joints without an actuator that is driven.

    Raises
    ------
    ModelError
        If there is no such actuator, a control is not finite, or a joint has more than one coordinate.
    StructureError
        If an actuator that is driven drives a loop joint, which has no place in the result. In a run, by `controls`, it may.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.models.pendulum().mech.copy()
    >>> mech.add_actuator("servo", "hinge", gain=50.0, bias=(0.0, -50.0, -5.0), effort=8.0)
    >>> rg.control_torques(mech, mech.state(q={"hinge": 0.1}), {"servo": 0.2})
    array([5.])
    >>> rg.control_torques(mech, mech.state(), [0.2])
    array([8.])
    """
    mech.check_state(state)
    tables = actuator_tables(mech)
    numbers = control_numbers(tables, controls)
    layout = mech.layout
    closing = {joint for joint in tables.joints if joint not in layout.v_slices}
    driven = [name for name, control in zip(tables.names, numbers, strict=True) if control != OFF]
    lost = [name for name in driven if mech.actuators[name].drives(closing)]
    if lost:
        raise StructureError(
            f"control_torques: {listed(lost)} drive joints that close loops, {listed(sorted(closing))}, without a place in tau. "
            "Let a run have them, by simulate(..., torque=controls(...)), or give the other controls by name."
        )
    q, v = (
        np.array([x[places[joint].start] if joint in places else 0.0 for joint in tables.joints])
        for x, places in ((state._q, layout.q_slices), (state._v, layout.v_slices))
    )
    found, tau = np.zeros(len(tables.joints)), np.zeros(mech.nv)
    actuated_joints(tables.laws, tables.terms, tables.efforts, numbers, q, v, found)
    for joint, torque in zip(tables.joints, found.tolist(), strict=True):
        if joint not in closing:
            tau[layout.v_slices[joint]] = torque
    return representable("the torques of the actuators", tau)
