"""The bodies of a compiled MJCF model and the joints that carry them, in MuJoCo's order; q is MuJoCo's qpos.

MuJoCo places a body at P J₁(q₁ − ref₁) J₂(q₂ − ref₂) … in its parent. P is its pose, and each Jᵢ turns about an anchor, or slides
along an axis, that is given in the body's own frame. Here each joint is a part of its own, at Rot(axis, −refᵢ) before the anchor,
so that its position is MuJoCo's number; between the joints of one body are bodies without mass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...describe.inertia import Inertia
from ...describe.mechanism import Mechanism
from ...joints import Fixed, Free, Limits, Prismatic, Revolute, Spherical
from .mjcf_assets import few, pose_of
from .mjcf_own import Own, read_own
from .mjcf_source import Names, Source

Array = NDArray[np.float64]

FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's numbers of its joint types."""
FAR = 1e10
"""Stands for infinity where a joint is bounded on one side alone, for which MJCF has no word."""


def add_tree(mech: Mechanism, source: Source) -> None:
    """Add all bodies with their joints."""
    model = source.model
    between, fixed = Names("world", *source.bodies), Names(*source.joints)
    motors, own = _Motors(source), read_own(source)
    for body in range(1, model.nbody):
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        start = pose_of(model.body_pos[body], model.body_quat[body])
        parent, name = source.bodies[model.body_parentid[body]], source.bodies[body]
        mech.add_body(name, _inertia(source, body))
        if count == 0:
            mech.add_joint(fixed.make(f"{name}_fixed"), Fixed(), parent, name, start)
        for joint in range(first, first + count):
            child = name if joint == first + count - 1 else between.make(f"{name}_on_{source.joints[joint]}")
            if child != name:
                mech.add_body(child, Inertia(0.0))
            _add_joint(mech, source, joint, (parent, child), start, _settings(source, motors, own, joint))
            parent, start = child, Pose()
    if between.made:
        source.found.note(
            "body", "", f"bodies on several joints hang on bodies without mass, one between any two joints: {few(between.made)}."
        )


def _inertia(source: Source, body: int) -> Inertia:
    model = source.model
    if source.bodies[body] in source.hollow or model.body_mass[body] == 0.0:
        return Inertia(0.0)
    axes = pose_of(model.body_ipos[body], model.body_iquat[body])
    tensor = axes.rotation @ np.diag(model.body_inertia[body]) @ axes.rotation.T
    return Inertia(float(model.body_mass[body]), axes.translation, 0.5 * (tensor + tensor.T))


def _add_joint(mech: Mechanism, source: Source, joint: int, ends: tuple[str, str], start: Pose, settings: dict[str, Any]) -> None:
    model, kind, name = source.model, int(source.model.jnt_type[joint]), source.joints[joint]
    parent, child = ends
    if kind == FREE:
        mech.add_joint(name, Free(**settings), parent, child)
        return
    anchor = Pose(translation=np.array(model.jnt_pos[joint], float))
    if kind == BALL:
        mech.add_joint(name, Spherical(**settings), parent, child, start @ anchor, anchor)
        return
    axis, ref = np.array(model.jnt_axis[joint], float), float(model.qpos0[model.jnt_qposadr[joint]])
    if kind == HINGE:
        back = Pose.about(axis, -ref) if ref else Pose()
        mech.add_joint(name, Revolute(axis, **settings), parent, child, start @ anchor @ back, anchor)
    else:
        back = Pose(translation=-ref * axis)
        mech.add_joint(name, Prismatic(axis, **settings), parent, child, start @ anchor @ back, anchor)


class _Motors:
    """What actuators add to joints: whether they drive them, what bounds their torques, and inertia and damping of rotors."""

    def __init__(self, source: Source) -> None:
        model, mj = source.model, source.mj
        self.any = actuator_count(model) > 0
        self.driven: set[int] = set()
        self.armature, self.damping = np.zeros(model.njnt), np.zeros(model.njnt)
        self.effort = np.zeros(model.njnt)
        for actuator in range(actuator_count(model)):
            kind, target = model.actuator_trntype[actuator], int(model.actuator_trnid[actuator, 0])
            if kind in (int(mj.mjtTrn.mjTRN_JOINT), int(mj.mjtTrn.mjTRN_JOINTINPARENT)):
                gear = float(model.actuator_gear[actuator, 0])
                if gear == 0.0:
                    continue  # it does nothing, however strong it is
                self.driven.add(target)
                self.effort[target] += abs(gear) * largest_force(source, actuator)
                self.armature[target] += gear * (gear * source.number("actuator_armature", actuator))
                self.damping[target] += gear * (gear * source.number("actuator_damping", actuator))
            elif kind == int(mj.mjtTrn.mjTRN_TENDON):
                for joint, share in wrapped_joints(source, target).items():
                    gear = float(model.actuator_gear[actuator, 0]) * share
                    if gear:
                        self.driven.add(joint)
                        self.effort[joint] += abs(gear) * largest_force(source, actuator)
        self.effort[[joint not in self.driven for joint in range(model.njnt)]] = math.inf


def actuator_count(model: Any) -> int:
    """How many actuators there are; some have several controls, where this version of MuJoCo knows such."""
    return len(model.actuator_trntype)


def largest_force(source: Source, actuator: int) -> float:
    """The largest force of an actuator before its gear; infinite where there is no bound."""
    model, most = source.model, math.inf
    if model.actuator_forcelimited[actuator]:
        most = float(np.abs(model.actuator_forcerange[actuator]).max())
    if plain_motor(source, actuator) and model.actuator_ctrllimited[actuator] and not source.disabled("CLAMPCTRL"):
        gain = abs(float(model.actuator_gainprm[actuator, 0]))
        most = min(most, gain * float(np.abs(model.actuator_ctrlrange[actuator]).max()))
    return most


def plain_motor(source: Source, actuator: int) -> bool:
    """Whether an actuator's force is a fixed gain times what it is told, and nothing else."""
    model, mj = source.model, source.mj
    gains, biases = mj.mjtGain, mj.mjtBias
    slopes, bias = model.actuator_gainprm[actuator, 1:3], model.actuator_biasprm[actuator, :3]
    fixed, affine = (model.actuator_gaintype[actuator] == int(kind) for kind in (gains.mjGAIN_FIXED, gains.mjGAIN_AFFINE))
    none, moved = (model.actuator_biastype[actuator] == int(kind) for kind in (biases.mjBIAS_NONE, biases.mjBIAS_AFFINE))
    return bool((fixed or (affine and not slopes.any())) and (none or (moved and not bias.any())))


def wrapped_joints(source: Source, tendon: int) -> dict[int, float]:
    """The joints of a fixed tendon with their coefficients; empty for a spatial one."""
    model, found = source.model, dict[int, float]()
    first = int(model.tendon_adr[tendon])
    for wrap in range(first, first + int(model.tendon_num[tendon])):
        if model.wrap_type[wrap] != int(source.mj.mjtWrap.mjWRAP_JOINT):
            return {}
        joint = int(model.wrap_objid[wrap])
        found[joint] = found.get(joint, 0.0) + float(model.wrap_prm[wrap])
    return found


def _settings(source: Source, motors: _Motors, own: Own, joint: int) -> dict[str, Any]:
    """What a joint has besides its axis, as constructors of joint types take it."""
    model, name, kind = source.model, source.joints[joint], int(source.model.jnt_type[joint])
    dof = int(model.jnt_dofadr[joint])
    found: dict[str, Any] = {"armature": float(model.dof_armature[dof]) + motors.armature[joint]}
    if not source.disabled("DAMPER", "PASSIVE"):
        found["damping"] = float(model.dof_damping[dof]) + motors.damping[joint]
        if source.numbers("dof_dampingpoly", dof).any():
            source.found.note("damping", name, "damping that grows with speed; only its linear part is here.", dynamics=True)
    if not source.disabled("SPRING", "PASSIVE"):
        found |= _spring(source, joint, kind)
    if not source.disabled("FRICTIONLOSS", "CONSTRAINT"):
        found["friction"] = float(model.dof_frictionloss[dof])
    if model.jnt_limited[joint] and not source.disabled("LIMIT", "CONSTRAINT"):
        found["limits"] = _limits(model, joint, kind, own.limits.get(name, ()))
    if own.passive is not None:
        found["actuated"] = name not in own.passive
    elif motors.any:
        found["actuated"] = joint in motors.driven
    effort = motors.effort[joint]
    if source.number("jnt_actfrclimited", joint):
        lower, upper = (float(bound) for bound in model.jnt_actfrcrange[joint])
        effort = min(effort, max(-lower, upper))
        if lower != -upper:
            source.found.note("effort", name, f"torques from {lower:g} to {upper:g}; here the larger bound is for both ways.")
    if not math.isinf(effort):
        found["effort"] = effort
    return found | {what: table[name] for what, table in (("speed", own.speed), ("effort", own.effort)) if name in table}


def _spring(source: Source, joint: int, kind: int) -> dict[str, Any]:
    model, name, found = source.model, source.joints[joint], source.found
    stiffness = float(model.jnt_stiffness[joint])
    if source.numbers("jnt_stiffnesspoly", joint).any():
        found.note("spring", name, "a spring whose stiffness grows with the way; only its linear part is here.", dynamics=True)
    if source.number("jnt_springyield", joint):
        found.note("spring", name, "a spring that yields; here it is elastic.", dynamics=True)
    if kind == FREE:
        if stiffness:
            found.note("spring", name, "a spring on a free joint pulls apart along and about axes; left out.", dynamics=True)
        return {}
    if not stiffness:
        return {}
    place = int(model.jnt_qposadr[joint])
    return {"stiffness": stiffness, "rest": np.array(model.qpos_spring[place : place + (4 if kind == BALL else 1)], float)}


def _limits(model: Any, joint: int, kind: int, law: Sequence[float]) -> Limits:
    lower, upper = (float(bound) for bound in model.jnt_range[joint])
    if kind == BALL:
        return Limits(-math.inf, upper, *law)
    return Limits(lower if lower > -FAR else -math.inf, upper if upper < FAR else math.inf, *law)
