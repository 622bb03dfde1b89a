"""The actuators of a compiled MJCF model, as laws from controls to torques of joints; what is no such law is told.

In MuJoCo an actuator has a length l, gear · q or gear times the length of a tendon, and the force gain · control + bias, where
gain and bias are affine in l and l̇. That is the law of actuators here. A servo has a bias, so in MuJoCo it pushes without being
told to; here it acts where it is given a control.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...describe.mechanism import Mechanism
from .mjcf_assets import few
from .mjcf_source import Names, Source
from .mjcf_tree import FAR, actuator_count, plain_motor, wrapped_joints

_SLIDE = 2  # the first of MuJoCo's joint types with one coordinate


def add_actuators(mech: Mechanism, source: Source) -> None:
    """Actuators of joints with one coordinate, alone or summed by a fixed tendon."""
    model, found = source.model, source.found
    count = actuator_count(model)
    names, servos = Names(*filter(None, (source.name("ACTUATOR", i) for i in range(count)))), []
    for number in range(count):
        name = source.name("ACTUATOR", number)
        pushes = not plain_motor(source, number) and not source.disabled("ACTUATION")
        joints = driven_joints(source, number)
        if isinstance(joints, str):
            found.note("actuator", name or f"actuator_{number}", f"it {joints}; it is left out.", dynamics=pushes)
            continue
        name = name or names.make(f"{next(iter(joints))}_motor")
        law, foreign = _law(source, number), _foreign(source, number)
        if foreign:
            found.note("actuator", name, f"{foreign}; here it is a motor, whose control is its torque.", dynamics=pushes)
            law = {}
        mech.add_actuator(name, joints, force_range=_force_range(source, number), **law)
        if not mech.actuators[name].is_motor:
            servos.append(name)
        _note_rest(source, number, name)
    if servos:
        found.note("servo", "", f"servos act only where they are given controls, by control_torques or controls: {few(servos)}.")


def driven_joints(source: Source, number: int) -> dict[str, float] | str:
    """The joints that an actuator drives, each with its gear; or what is wrong with them, as the end of a sentence."""
    model, kinds = source.model, source.mj.mjtTrn
    kind, target = int(model.actuator_trntype[number]), int(model.actuator_trnid[number, 0])
    gear = float(model.actuator_gear[number, 0])
    if kind in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)):
        parts = {target: 1.0} if model.jnt_type[target] >= _SLIDE else {}
    elif kind == int(kinds.mjTRN_TENDON):
        parts = wrapped_joints(source, target)
    else:
        parts = {}
    if not parts:
        return "does not drive joints with one coordinate"
    found = {source.joints[joint]: gear * share for joint, share in parts.items() if gear * share}
    return found or "has a gear of 0"


def _law(source: Source, number: int) -> dict[str, Any]:
    """Gain, bias and range of the control, as `Mechanism.add_actuator` takes them."""
    model, mj = source.model, source.mj
    gain, bias = (np.array(table[number][:3], float) for table in (model.actuator_gainprm, model.actuator_biasprm))
    if model.actuator_gaintype[number] == int(mj.mjtGain.mjGAIN_FIXED):
        gain[1:] = 0.0
    if model.actuator_biastype[number] == int(mj.mjtBias.mjBIAS_NONE):
        bias[:] = 0.0
    limited = [model.actuator_ctrlrange[number]] * bool(model.actuator_ctrllimited[number] and not source.disabled("CLAMPCTRL"))
    limited += [model.actuator_actrange[number]] * bool(model.actuator_actlimited[number])
    return {"gain": gain, "bias": bias, "control_range": _common(limited)}


def _common(ranges: list[Any]) -> tuple[float, float]:
    """What is within all of some ranges."""
    lower, upper = max([-FAR, *(float(one[0]) for one in ranges)]), min([FAR, *(float(one[1]) for one in ranges)])
    return lower if lower > -FAR else -math.inf, upper if upper < FAR else math.inf


def _force_range(source: Source, number: int) -> tuple[float, float]:
    """The bounds of the force, and those of the tendon where no other actuator pulls it."""
    model = source.model
    limited = [model.actuator_forcerange[number]] * bool(model.actuator_forcelimited[number])
    tendon = _bounded_tendon(source, number)
    if tendon >= 0 and len(_pulling(source, tendon)) == 1:
        limited.append(model.tendon_actfrcrange[tendon])
    return _common(limited)


def _bounded_tendon(source: Source, number: int) -> int:
    """The tendon that an actuator pulls, where it bounds what all of them pull together; else −1."""
    model, target = source.model, int(source.model.actuator_trnid[number, 0])
    on_tendon = model.actuator_trntype[number] == int(source.mj.mjtTrn.mjTRN_TENDON)
    return target if on_tendon and source.number("tendon_actfrclimited", target) else -1


def _pulling(source: Source, tendon: int) -> list[int]:
    """The actuators of a tendon."""
    model, kind = source.model, int(source.mj.mjtTrn.mjTRN_TENDON)
    return [i for i in range(actuator_count(model)) if model.actuator_trntype[i] == kind and model.actuator_trnid[i, 0] == tendon]


def _foreign(source: Source, number: int) -> str:
    """Why an actuator has another law than those here; empty where it has not."""
    model, mj = source.model, source.mj
    gains, biases = (mj.mjtGain.mjGAIN_FIXED, mj.mjtGain.mjGAIN_AFFINE), (mj.mjtBias.mjBIAS_NONE, mj.mjtBias.mjBIAS_AFFINE)
    if source.number("actuator_plugin", number) >= 0 and hasattr(model, "actuator_plugin"):
        return "its force is that of a plugin"
    if model.actuator_gaintype[number] not in map(int, gains) or model.actuator_biastype[number] not in map(int, biases):
        kinds = mj.mjtGain(model.actuator_gaintype[number]).name, mj.mjtBias(model.actuator_biastype[number]).name
        return f"its force is not affine, but of the kinds {' and '.join(kind.split('_')[1].lower() for kind in kinds)}"
    if model.actuator_dyntype[number] not in map(int, (mj.mjtDyn.mjDYN_NONE, *_filters(mj))):
        kind = mj.mjtDyn(model.actuator_dyntype[number]).name.removeprefix("mjDYN_").lower()
        return f"its control passes through dynamics of the kind {kind}"
    return ""


def _filters(mj: Any) -> tuple[Any, ...]:
    return mj.mjtDyn.mjDYN_FILTER, mj.mjtDyn.mjDYN_FILTEREXACT


def _note_rest(source: Source, number: int, name: str) -> None:
    """What an actuator has besides its law."""
    model, found = source.model, source.found
    tendon = _bounded_tendon(source, number)
    if tendon >= 0 and len(_pulling(source, tendon)) > 1:
        found.note("actuator", name, "its tendon bounds what several actuators pull together; here each has its own bounds.")
    if _lopsided(source, number):
        found.note("actuator", name, "it is stronger one way than the other; the effort of its joint is the larger bound.")
    if model.actuator_dyntype[number] in map(int, _filters(source.mj)):
        found.note("actuator", name, "its control acts with a delay in the file, by a filter; here it acts at once.")
    if source.number("actuator_delay", number):
        found.note("actuator", name, "its control acts later in the file; here it acts at once.")
    if int(model.opt.disableactuator) >> int(model.actuator_group[number]) & 1 and model.actuator_group[number] < 31:
        found.note("actuator", name, "the file switches its group off; here it acts where it is given a control.")
    rotor = {what: source.numbers(f"actuator_{what}", number).any() for what in ("armature", "damping", "dampingpoly")}
    if model.actuator_trntype[number] != int(source.mj.mjtTrn.mjTRN_TENDON):
        rotor = {"dampingpoly": rotor["dampingpoly"]}
    if any(rotor.values()):
        said = " and ".join(what for what, there in rotor.items() if there)
        found.note("actuator", name, f"its rotor has {said}, which is left out.", dynamics=True)


def _lopsided(source: Source, number: int) -> bool:
    """Whether an actuator has other bounds one way than the other."""
    model = source.model
    ranges = [model.actuator_forcerange[number]] if model.actuator_forcelimited[number] else []
    if plain_motor(source, number) and model.actuator_ctrllimited[number]:
        ranges.append(model.actuator_ctrlrange[number])
    return any(lower != -upper for lower, upper in ranges)
