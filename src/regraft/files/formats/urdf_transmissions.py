"""From the transmissions of a URDF file to actuators with a gear, where they drive one joint by one motor."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from ...describe.mechanism import Mechanism
from ...errors import ModelError
from ...xml_tree import Node, NodeError, text_in
from ..report import Findings
from .urdf_own import Own


def add_actuators(mech: Mechanism, transmissions: Mapping[Node, str], own: Own, found: Findings) -> dict[str, Any]:
    """Add an actuator for each transmission that can be one, and give back their texts.

    Parameters
    ----------
    mech : Mechanism
        The mechanism, with all its joints.
    transmissions : mapping of Node to str
        Those of the file, each with its text.
    own : Own
        What only Regraft reads: the largest torques of motors, servos, and motors of several joints.
    found : Findings
        Where it is told what became no actuator.

    Returns
    -------
    dict
        ``actuators``: the text of each by the actuator's name, with the joint and the gear that it says. ``others``: the texts of
        those that are none.
    """
    texts: dict[str, Any] = {}
    others: list[str] = []
    read: dict[str, Node] = {}
    joints = mech.joints
    for element, source in transmissions.items():
        said = _joint_and_gear(element)
        if said is None or said[0] not in joints or said[1] == 0.0 or joints[said[0]].type.nv == 0:
            others.append(source)
            continue
        joint, gear = said
        name = _name(element, read)
        read[name] = element
        texts[name] = {"joint": joint, "gear": gear, "text": source}
    _add_written(mech, own, texts)
    there = set(mech.actuators)
    for name in [name for name in texts if name not in there]:
        _add_motor(mech, own, read[name], name, texts[name])
    if others:
        found.note(
            "transmission", "", f"{len(others)} kept as text: they do not drive one joint, that moves, by one motor with one gear"
        )
    return {name: table for name, table in (("actuators", texts), ("others", others)) if table}


def _add_written(mech: Mechanism, own: Own, texts: Mapping[str, Any]) -> None:
    """Add the actuators that only Regraft reads, in their order; one whose transmission was changed is passed over."""
    for name, written in own.table("actuators").items():
        said = texts.get(name, {"joint": None, "gear": None})
        if not isinstance(written["joint"], str) or (said["joint"], said["gear"]) == (written["joint"], written["gear"]):
            mech.add_actuator(**written)


def _add_motor(mech: Mechanism, own: Own, element: Node, name: str, said: Mapping[str, Any]) -> None:
    """Add the motor that a transmission says."""
    efforts = own.table("efforts")
    try:
        mech.add_actuator(name, said["joint"], gear=said["gear"], effort=efforts.get(name, math.inf))
    except ModelError as problem:
        if name in efforts:
            raise
        raise NodeError(element, str(problem)) from None


def _joint_and_gear(element: Node) -> tuple[str, float] | None:
    """What a transmission with one joint and one motor says; None for any other."""
    joints, motors = element.findall("joint"), element.findall("actuator")
    if len(joints) != 1 or len(motors) != 1 or not joints[0].get("name", ""):
        return None
    said = [part for place in (element, joints[0], motors[0]) if (part := place.find("mechanicalReduction")) is not None]
    try:
        gears = {float(text_in(part)) for part in said}
    except ValueError:
        return None
    if len(gears) > 1 or not all(abs(gear) < float("inf") for gear in gears):
        return None
    return joints[0].get("name", ""), gears.pop() if gears else 1.0


def _name(element: Node, taken: Collection[str]) -> str:
    """The motor's name, or that of the transmission, with a number where both are taken."""
    motor = element.find("actuator")
    candidates = [name for name in ("" if motor is None else motor.get("name", ""), element.get("name", "")) if name]
    for name in candidates:
        if name not in taken:
            return name
    base = candidates[-1] if candidates else "actuator"
    count = 1
    while f"{base}_{count}" in taken:
        count += 1
    return f"{base}_{count}"
