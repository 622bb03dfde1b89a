"""From the transmissions of a URDF file to actuators with a gear, where they drive one joint by one motor."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from ...describe.mechanism import Mechanism
from ...errors import ModelError
from ...xml_tree import Node, NodeError, text_in
from ..report import Findings


def add_actuators(
    mech: Mechanism, transmissions: Mapping[Node, str], efforts: Mapping[str, float], found: Findings
) -> dict[str, Any]:
    """Add an actuator for each transmission that can be one, and give back their texts.

    Parameters
    ----------
    mech : Mechanism
        The mechanism, with all its joints.
    transmissions : mapping of Node to str
        Those of the file, each with its text.
    efforts : mapping of str to float
        The largest torques of motors, by name.
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
    joints = mech.joints
    for element, source in transmissions.items():
        said = _joint_and_gear(element)
        if said is None or said[0] not in joints or said[1] == 0.0 or joints[said[0]].type.nv == 0:
            others.append(source)
            continue
        joint, gear = said
        name = _name(element, texts)
        try:
            mech.add_actuator(name, joint, gear=gear, effort=efforts.get(name, math.inf))
        except ModelError as problem:
            if name in efforts:
                raise
            raise NodeError(element, str(problem)) from None
        texts[name] = {"joint": joint, "gear": gear, "text": source}
    if others:
        found.note(
            "transmission", "", f"{len(others)} kept as text: they do not drive one joint, that moves, by one motor with one gear"
        )
    return {name: table for name, table in (("actuators", texts), ("others", others)) if table}


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
