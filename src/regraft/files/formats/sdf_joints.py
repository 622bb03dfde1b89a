"""From the joints of an SDF model to joint types with all their settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...joints import Fixed, Helical, JointType, Limits, Prismatic, Revolute, Spherical, Universal
from ...xml_elements import Element
from ..report import Findings
from .following import Mimic
from .sdf_frames import MODEL, Frames

Array = NDArray[np.float64]

_UNBOUNDED = 1e15  # SDF writes 1e16 for a side without a bound
_SINGLE: dict[str, Callable[..., JointType]] = {"revolute": Revolute, "continuous": Revolute, "prismatic": Prismatic}
_DOUBLE = ("universal", "revolute2")


@dataclass(slots=True)
class JointTypes:
    """Makes joint types of elements.

    Attributes
    ----------
    frames : Frames
        Where the frames are that axes are expressed in.
    found : Findings
        What cannot be said is noted there.
    in_model : bool
        Whether axes are expressed in the frame of the model, as they were up to version 1.4.
    """

    frames: Frames
    found: Findings
    in_model: bool

    def read(self, element: Element, name: str, scope: str) -> JointType | None:
        """The type of a joint; None for one that a mechanism cannot have, which is noted."""
        kind = element.attributes.get("type", "")
        axes = [axis for axis in (element.find("axis"), element.find("axis2")) if axis is not None]
        if kind == "fixed":
            return Fixed()
        if kind == "ball":
            return Spherical(**self._ball(element, name, axes))
        if kind == "gearbox":
            self.found.note("gearbox", name, "a gearbox between two links is left out", dynamics=True)
            return None
        if kind not in ("screw", *_SINGLE, *_DOUBLE):
            raise element.error(f"the joint {name!r} has the type {kind!r}, which SDF does not have.")
        wanted = 2 if kind in _DOUBLE else 1
        if len(axes) < wanted:
            raise element.error(f"the joint {name!r} needs {'<axis> and <axis2>' if wanted == 2 else '<axis>'}.")
        directions = [self._direction(axis, name, scope) for axis in axes[:wanted]]
        settings = self._settings(axes[:wanted], name, bounded=kind != "continuous")
        if kind == "screw":
            return Helical(directions[0], _pitch(element, name), **settings)
        if wanted == 2:
            return Universal(*directions, **settings)
        return _SINGLE[kind](directions[0], **settings)

    def mimics(self, element: Element, name: str, scope: str) -> Mimic | None:
        """What the first axis of a joint follows, if it does."""
        axis = element.find("axis")
        mimic = None if axis is None else axis.find("mimic")
        second = element.find("axis2")
        if second is not None and second.find("mimic") is not None:
            self.found.note("mimic", name, "its second axis follows another joint, which cannot be said", dynamics=True)
        if mimic is None:
            return None
        ratio, reference = mimic.number("multiplier", 1.0), mimic.number("reference", 0.0)
        driver = scope + mimic.attributes.get("joint", "")
        return Mimic(mimic, driver, ratio, mimic.number("offset", 0.0) - ratio * reference)

    def _direction(self, axis: Element, name: str, scope: str) -> Array:
        """The axis in the joint's frame, whatever it is expressed in."""
        xyz = axis.find("xyz")
        given = np.array((0.0, 0.0, 1.0)) if xyz is None else xyz.own_numbers(3)
        frame = "" if xyz is None else xyz.attributes.get("expressed_in", "")
        at = self.frames.place(name)
        if frame:
            from_frame = self.frames.find(frame, scope, axis)
            base = self.frames.place(from_frame) if from_frame else Pose()
        elif self.in_model or axis.truth("use_parent_model_frame"):
            base = self.frames.place(self.frames.find(MODEL, scope, axis))
        else:
            return given
        turned: Array = at.rotation.T @ base.rotation @ given
        return turned

    def _settings(self, axes: list[Element], name: str, *, bounded: bool) -> dict[str, Any]:
        """Damping, friction, springs and bounds of each axis."""
        found: dict[str, list[float]] = {}
        for axis in axes:
            dynamics, limit = axis.find("dynamics"), axis.find("limit")
            values = {"damping": 0.0, "friction": 0.0, "stiffness": 0.0, "rest": 0.0, "effort": math.inf, "speed": math.inf}
            if dynamics is not None:
                for setting, tag in (("damping", "damping"), ("friction", "friction"), ("stiffness", "spring_stiffness")):
                    values[setting] = self._not_negative(dynamics, tag, name)
                values["rest"] = dynamics.number("spring_reference", 0.0)
            if limit is not None:
                for setting, tag in (("effort", "effort"), ("speed", "velocity")):
                    bound = limit.number(tag, -1.0) if limit.value(tag).lower() not in ("inf", "+inf") else -1.0
                    values[setting] = math.inf if bound < 0.0 or bound >= _UNBOUNDED else bound
            for setting, value in values.items():
                found.setdefault(setting, []).append(value)
        if not any(found["stiffness"]):
            del found["rest"]
        limits = self._limits(axes, name) if bounded else None
        return {setting: values for setting, values in found.items() if any(values) or setting in ("effort", "speed")} | (
            {"limits": limits} if limits else {}
        )

    def _not_negative(self, dynamics: Element, tag: str, name: str) -> float:
        value = dynamics.number(tag, 0.0)
        if value < 0.0:
            self.found.note("dynamics", name, f"its <{tag}> is {value:g}, which is left out: it would drive it", dynamics=True)
            return 0.0
        return value

    def _limits(self, axes: list[Element], name: str) -> Limits | None:
        bounds = []
        stiffness: list[float] = []
        for axis in axes:
            limit = axis.find("limit")
            low, high = (_bound(limit, tag, side) for tag, side in (("lower", -math.inf), ("upper", math.inf)))
            if not low < high:
                told = f"its lower bound {low:g} is not below its upper bound {high:g}; it has none here"
                self.found.note("limit", name, told, dynamics=True)
                low, high = -math.inf, math.inf
            bounds.append((low, high))
            if limit is not None and limit.find("stiffness") is not None:
                stiffness.append(limit.number("stiffness"))
        if all(math.isinf(low) and math.isinf(high) for low, high in bounds):
            return None
        soft = {"stiffness": min(stiffness)} if stiffness and min(stiffness) > 0.0 else {}
        return Limits([low for low, _ in bounds], [high for _, high in bounds], **soft)

    def _ball(self, element: Element, name: str, axes: list[Element]) -> dict[str, Any]:
        """The settings of a ball joint: one damping about all axes."""
        settings = self._settings(axes[:1], name, bounded=False) if axes else {}
        for axis in axes:
            if axis.find("limit") is not None:
                self.found.note("limit", name, f"line {element.line}: limits of a ball joint are left out", dynamics=True)
        return {setting: values[0] for setting, values in settings.items() if setting in ("damping", "friction")}


def _bound(limit: Element | None, tag: str, none: float) -> float:
    if limit is None or limit.value(tag).lower() in ("", "inf", "-inf", "+inf"):
        return none
    value = limit.number(tag)
    return none if abs(value) >= _UNBOUNDED else value


def _pitch(element: Element, name: str) -> float:
    """Metres per radian: from metres per turn of a right-handed thread, or from radians per metre of a left-handed one."""
    if element.find("screw_thread_pitch") is not None or element.find("thread_pitch") is None:
        return element.number("screw_thread_pitch", 1.0) / (2.0 * math.pi)
    turns = element.number("thread_pitch")
    if turns == 0.0:
        raise element.error(f"the <thread_pitch> of the joint {name!r} is 0, so it would never end.")
    return -1.0 / turns
