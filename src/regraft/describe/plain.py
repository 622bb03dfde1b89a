"""JSON files, and the parts of mechanisms as plain data and back. Numbers keep their last digit."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..algebra.pose import Pose, finite
from ..atomic import writing
from ..errors import ModelError, printable
from ..joints import BY_NAME, JointType, Limits
from ..structure.layout import Layout, lay_out
from .inertia import Inertia
from .parts import WORLD, Actuator, Body, Coupling, Frame, Joint, Keyframe, Shape, Spring, check_name
from .shapes import form_from_dict, form_to_dict

if TYPE_CHECKING:
    from .rejoinable import Rejoinable

M = TypeVar("M", bound="Rejoinable")

FORMAT = "regraft mechanism"
VERSION = 1


def read_json(path: Path, way_out: str = "Save the mechanism again.") -> Any:
    """The data in a JSON file; where it is none, the error ends with the way out."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as problem:
        raise ModelError(f"cannot read {str(path)!r}: {problem}.") from problem
    except (ValueError, RecursionError) as problem:  # besides bad JSON: a number of thousands of digits, too deep a nesting
        raise ModelError(f"{str(path)!r} is not JSON: {problem}. {way_out}") from problem


def write_json(path: str | Path, data: dict[str, Any]) -> None:
    """Write data to a JSON file, whole or not at all."""
    text = json.dumps(data, indent=1) + "\n"
    with writing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def pose_to_dict(pose: Pose) -> dict[str, Any]:
    """A pose, without what is at its default."""
    found: dict[str, Any] = {}
    if pose.rotation.tolist() != Pose().rotation.tolist():
        found["rotation"] = pose.rotation.tolist()
    if pose.translation.any():
        found["translation"] = pose.translation.tolist()
    return found


def pose_from_dict(data: dict[str, Any]) -> Pose:
    """The pose of `pose_to_dict`."""
    if not data:
        return Pose()
    return Pose(data.get("rotation"), data.get("translation", (0.0, 0.0, 0.0)))


def body_to_dict(body: Body) -> dict[str, Any]:
    """A body as plain data."""
    inertia = body.inertia
    return {"name": body.name, "mass": inertia.mass, "com": inertia.com.tolist(), "tensor": inertia.tensor.tolist()}


def inertia_from_dict(data: dict[str, Any]) -> Inertia:
    """The inertia in a body's data."""
    return Inertia(data["mass"], data["com"], data["tensor"])


def joint_type_to_dict(kind: JointType) -> dict[str, Any]:
    """A joint type as plain data."""
    return {"type": type(kind).__name__, **kind.arguments(), **kind.settings()}


def joint_to_dict(joint: Joint) -> dict[str, Any]:
    """A joint as plain data."""
    return {
        "name": joint.name,
        "joint": joint_type_to_dict(joint.type),
        "parent": joint.parent,
        "child": joint.child,
        "parent_pose": pose_to_dict(joint.parent_pose),
        "child_pose": pose_to_dict(joint.child_pose),
    }


def joint_type_from_dict(data: dict[str, Any]) -> JointType:
    """The joint type in a joint's data."""
    if not isinstance(data, dict):
        raise ModelError(f"a joint's type must be given by name and arguments, not as {data!r}.")
    given = dict(data)
    name = given.pop("type")
    if name not in BY_NAME:
        raise ModelError(f"there is no joint type {name!r}; known are {', '.join(sorted(BY_NAME))}.")
    if "limits" in given:
        given["limits"] = Limits.from_list(given["limits"])
    return BY_NAME[name](**given)


def joint_from_dict(data: dict[str, Any]) -> Joint:
    """The joint of `joint_to_dict`."""
    poses = (pose_from_dict(data[side]) for side in ("parent_pose", "child_pose"))
    return Joint(data["name"], joint_type_from_dict(data["joint"]), data["parent"], data["child"], *poses)


def layout_to_dict(layout: Layout) -> dict[str, Any]:
    """What tells the states of one structure from those of another: tree joints and loop joints, and the bodies they join."""
    return {
        "joints": [
            {"name": name, "joint": joint_type_to_dict(kind), "parent": parent, "child": child}
            for name, kind, parent, child in layout.joints
        ],
        "loops": [{"name": name, "parent": parent, "child": child} for name, parent, child in layout.loops],
    }


def layout_from_dict(data: dict[str, Any]) -> Layout:
    """The layout of `layout_to_dict`, checked: no name twice, no loop among the tree joints, and bodies that there are."""
    names = [joint["name"] for table in ("joints", "loops") for joint in data[table]]
    for name in names:
        check_name(name, "a joint")
    if len(set(names)) < len(names):
        raise ModelError("there are two joints of one name.")
    tree = {
        joint["name"]: Joint(joint["name"], joint_type_from_dict(joint["joint"]), joint["parent"], joint["child"], Pose(), Pose())
        for joint in data["joints"]
    }
    bodies = {WORLD, *(body for joint in tree.values() for body in (joint.parent, joint.child))}
    for body in bodies - {WORLD}:
        check_name(body, "a body")
    loops = tuple((loop["name"], loop["parent"], loop["child"]) for loop in data["loops"])
    layout = lay_out(tree)
    if layout.loops:
        raise ModelError(f"the joint {layout.loops[0][0]!r} closes a loop, so it has no place in q and v.")
    if any(body not in bodies for _, *ends in loops for body in ends):
        raise ModelError("a loop joint is on a body that no other joint is on.")
    return layout.with_loops(loops)


def frame_to_dict(frame: Frame) -> dict[str, Any]:
    """A frame as plain data."""
    return {"name": frame.name, "body": frame.body, "pose": pose_to_dict(frame.pose)}


def spring_to_dict(spring: Spring) -> dict[str, Any]:
    """A spring as plain data."""
    return {
        "name": spring.name,
        "body_a": spring.body_a,
        "point_a": list(spring.point_a),
        "body_b": spring.body_b,
        "point_b": list(spring.point_b),
        "stiffness": spring.stiffness,
        "damping": spring.damping,
        "rest_length": spring.rest_length,
    }


def shape_to_dict(shape: Shape) -> dict[str, Any]:
    """A shape as plain data."""
    found = {"name": shape.name, "body": shape.body, **form_to_dict(shape.form), "pose": pose_to_dict(shape.pose)}
    found |= {use: False for use in ("visual", "collision") if not getattr(shape, use)}
    return found if shape.color is None else found | {"color": list(shape.color)}


def add_shape(mech: Rejoinable, data: dict[str, Any]) -> None:
    """Add the shape of `shape_to_dict`."""
    given = dict(data)
    body, name, pose = given.pop("body"), given.pop("name"), pose_from_dict(given.pop("pose"))
    settings = {what: given.pop(what) for what in ("visual", "collision", "color") if what in given}
    mech.add_shape(body, form_from_dict(given), name, pose, **settings)


def coupling_to_dict(coupling: Coupling) -> dict[str, Any]:
    """A coupling as plain data."""
    drivers = dict(coupling.drivers)
    return {"name": coupling.name, "driver": drivers, "driven": coupling.driven, "offset": coupling.offset}


def actuator_to_dict(actuator: Actuator) -> dict[str, Any]:
    """An actuator as plain data; without what a motor of its kind has by default."""
    one = len(actuator.joints) == 1
    found: dict[str, Any] = {"name": actuator.name, "joint": actuator.joint if one else dict(actuator.joints)}
    if one:
        found["gear"] = actuator.gear
    plain = Actuator(actuator.name, actuator.joints)
    lower, upper = actuator.force_range
    if lower == -upper and upper < math.inf:
        found["effort"] = upper
    elif actuator.force_range != plain.force_range:
        found["force_range"] = _bounds(actuator.force_range)
    if actuator.control_range != plain.control_range:
        found["control_range"] = _bounds(actuator.control_range)
    return found | {what: list(getattr(actuator, what)) for what in ("gain", "bias")
                    if getattr(actuator, what) != getattr(plain, what)}  # fmt: skip


def _bounds(within: tuple[float, float]) -> list[float | None]:
    """A range; None where there is no bound, for JSON has no infinity."""
    return [None if math.isinf(bound) else bound for bound in within]


def keyframe_to_dict(keyframe: Keyframe) -> dict[str, Any]:
    """A keyframe as plain data."""
    q, v = ({joint: list(values) for joint, values in numbers} for numbers in (keyframe.q, keyframe.v))
    return {"name": keyframe.name, "q": q, "v": v}


def fittings_to_dict(mech: Rejoinable) -> dict[str, Any]:
    """Shapes, couplings, actuators and keyframes; only the tables that are not empty."""
    tables: dict[str, list[dict[str, Any]]] = {
        "shapes": [shape_to_dict(shape) for shape in mech.shapes.values()],
        "couplings": [coupling_to_dict(coupling) for coupling in mech.couplings.values()],
        "actuators": [actuator_to_dict(one) for table in (mech.actuators, mech.former_actuators) for one in table.values()],
        "keyframes": [keyframe_to_dict(keyframe) for keyframe in mech.keyframes.values()],
    }
    return {name: table for name, table in tables.items() if table}


def add_fittings(mech: Rejoinable, data: Mapping[str, Any]) -> None:
    """Add what `fittings_to_dict` has; files of earlier releases have none of it."""
    for shape in data.get("shapes", ()):
        add_shape(mech, shape)
    for coupling in data.get("couplings", ()):
        mech.add_coupling(**coupling)
    for actuator in data.get("actuators", ()):
        mech.add_actuator(**actuator)
    for keyframe in data.get("keyframes", ()):
        mech.remember_keyframe(Keyframe(keyframe["name"], *(_numbers(keyframe[part]) for part in ("q", "v"))))


def _numbers(data: Mapping[str, Any]) -> tuple[tuple[str, tuple[float, ...]], ...]:
    return tuple((joint, tuple(finite(f"joint {joint!r}", values, (len(values),)).tolist())) for joint, values in data.items())


def mechanism_to_dict(mech: Rejoinable) -> dict[str, Any]:
    """A whole mechanism."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "gravity": mech.gravity.tolist(),
        "bodies": [body_to_dict(body) for body in mech.bodies.values()],
        "joints": [joint_to_dict(joint) for joint in mech.joints.values()],
        "frames": [frame_to_dict(frame) for frame in mech.frames.values()],
        "springs": [spring_to_dict(spring) for spring in mech.springs.values()],
        **fittings_to_dict(mech),
        **({"extras": deepcopy(dict(mech.extras))} if mech.extras else {}),
        "former_bases": [joint_to_dict(joint) for joint in mech.former_bases.values()],
    }


def mechanism_from_dict(cls: type[M], data: Mapping[str, Any]) -> M:
    """The same from plain data; every part is checked as if it were added by hand."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise ModelError(f"this is not a mechanism: the field 'format' must be {FORMAT!r}.")
    if data.get("version") != VERSION:
        raise ModelError(f"the file has version {data.get('version')!r}; this release reads version {VERSION}.")
    try:
        mech = cls(data["gravity"])
        for body in data["bodies"]:
            mech.add_body(body["name"], inertia_from_dict(body))
        for joint in map(joint_from_dict, data["joints"]):
            mech.add_joint(joint.name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
        for frame in data["frames"]:
            mech.add_frame(frame["name"], frame["body"], pose_from_dict(frame["pose"]))
        for spring in data["springs"]:
            mech.add_spring(**spring)
        for joint in map(joint_from_dict, data["former_bases"]):
            mech.remember(joint)
        add_fittings(mech, data)
        mech.extras.update(deepcopy(data.get("extras", {})))
    except KeyError as missing:
        raise ModelError(f"the description is damaged: the entry {missing} is missing. Save the mechanism again.") from missing
    except (TypeError, AttributeError, ValueError) as problem:
        if isinstance(problem, ModelError):
            raise
        raise ModelError(f"the description is damaged: {printable(str(problem))}. Save the mechanism again.") from problem
    return mech
