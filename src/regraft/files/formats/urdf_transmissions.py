"""From the transmissions of a URDF file to actuators with a gear, where they drive one joint by one motor."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from ...describe.mechanism import Mechanism
from ...xml_elements import Element
from ..report import Findings
from .urdf_own import Own


def add_actuators(mech: Mechanism, transmissions: list[Element], own: Own, found: Findings) -> dict[str, Any]:
    """Add an actuator for each transmission that can be one, and give back their texts.

    Parameters
    ----------
    mech : Mechanism
        The mechanism, with all its joints.
    transmissions : list of Element
        Those of the file.
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
    read: dict[str, tuple[str, float]] = {}
    for element in transmissions:
        said = _joint_and_gear(element)
        if said is None or said[0] not in mech.joints or said[1] == 0.0 or mech.joints[said[0]].type.nv == 0:
            others.append(element.source)
            continue
        joint, gear = said
        name = _name(element, read)
        read[name] = said
        texts[name] = {"joint": joint, "gear": gear, "text": element.source}
    for name, written in own.table("actuators").items():  # in their order; one whose transmission was changed is passed over
        if not isinstance(written["joint"], str) or read.get(name) == (written["joint"], written["gear"]):
            mech.add_actuator(**written)
    for name, (joint, gear) in read.items():
        if name not in mech.actuators:
            mech.add_actuator(name, joint, gear=gear, effort=own.table("efforts").get(name, math.inf))
    if others:
        found.note(
            "transmission", "", f"{len(others)} kept as text: they do not drive one joint, that moves, by one motor with one gear"
        )
    return {name: table for name, table in (("actuators", texts), ("others", others)) if table}


def _joint_and_gear(element: Element) -> tuple[str, float] | None:
    """What a transmission with one joint and one motor says; None for any other."""
    joints = [child for child in element.children if child.tag == "joint"]
    motors = [child for child in element.children if child.tag == "actuator"]
    if len(joints) != 1 or len(motors) != 1 or not joints[0].name:
        return None
    said = [part for place in (element, joints[0], motors[0]) if (part := place.find("mechanicalReduction")) is not None]
    try:
        gears = {float(part.text) for part in said}
    except ValueError:
        return None
    if len(gears) > 1 or not all(abs(gear) < float("inf") for gear in gears):
        return None
    return joints[0].name, gears.pop() if gears else 1.0


def _name(element: Element, taken: Collection[str]) -> str:
    """The motor's name, or that of the transmission, with a number where both are taken."""
    motor = element.find("actuator")
    candidates = [name for name in ("" if motor is None else motor.name, element.name) if name]
    for name in candidates:
        if name not in taken:
            return name
    base = candidates[-1] if candidates else "actuator"
    count = 1
    while f"{base}_{count}" in taken:
        count += 1
    return f"{base}_{count}"
