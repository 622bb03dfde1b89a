"""Writing URDF: the tree of a mechanism, walked from the world, as links and joints.

URDF has the frame of each link at the joint to its parent. A joint that the walk passes from its child to its parent is written
with parent and child exchanged and its axis turned round, so that its coordinate, its limits and all else stay what they were:
where the child is turned by R(a, q) in the parent, the parent is turned by R(a, −q) = R(−a, q) in the child. A joint that then is
not at the frame of its link gets a helper link (``frames="keep"``), or the link's frame moves to the joint (``frames="move"``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...algebra.pose import Pose
from ...atomic import writing
from ...describe.mechanism import Mechanism
from ...describe.parts import WORLD, Coupling, Joint, Shape
from ...describe.plain import fittings_to_dict, pose_to_dict, shape_to_dict
from ...describe.shapes import Capsule
from ...describe.state import State
from ...joints import Fixed, Free, Limits, Planar, Prismatic, Revolute
from ...xml_elements import attributes_text, escaped, quoted
from .contract import WriteOptions
from .urdf_joints import UNBOUNDED
from .urdf_links import Poses, inertial_lines, shape_lines
from .urdf_own import TAG, VERSION
from .urdf_poses import HERE, number_text, text_of
from .urdf_unsayable import GRAVITY, check_sayable, only_ours, tell_what_only_we_read

_DEFAULT = Limits(0.0, 1.0)


def write_urdf(mech: Mechanism, state: State, path: Path, options: WriteOptions) -> None:
    """Write a mechanism; what URDF cannot hold is one error that lists it."""
    backwards = walked_backwards(mech)
    check_sayable(mech, backwards, path)
    tell_what_only_we_read(mech, state)
    text = _Writer(mech, backwards, options.frames == "move").text()
    with writing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def walked_backwards(mech: Mechanism) -> set[str]:
    """The tree joints that a walk from the world passes from their child to their parent."""
    at: dict[str, list[Joint]] = {}
    loops = set(mech.loop_joints)
    for joint in mech.joints.values():
        if joint.name not in loops:
            at.setdefault(joint.parent, []).append(joint)
            at.setdefault(joint.child, []).append(joint)
    found, reached, waiting = set(), {WORLD}, [WORLD]
    while waiting:
        body = waiting.pop()
        for joint in at.get(body, ()):
            other = joint.child if joint.parent == body else joint.parent
            if other in reached:
                continue
            if joint.child == body:
                found.add(joint.name)
            reached.add(other)
            waiting.append(other)
    return found


@dataclass(slots=True)
class _Names:
    """Names that are taken, so that new ones are none of them."""

    taken: set[str]

    def new(self, base: str) -> str:
        name, count = base, 1
        while name in self.taken:
            count += 1
            name = f"{base}_{count}"
        self.taken.add(name)
        return name


@dataclass(slots=True)
class _Way:
    """A joint as it is written: from which link to which, and where its frame is on both."""

    joint: Joint
    parent: str
    child: str
    on_parent: Pose
    on_child: Pose
    sign: float

    @classmethod
    def of(cls, joint: Joint, backwards: bool) -> _Way:
        if backwards:
            return cls(joint, joint.child, joint.parent, joint.child_pose, joint.parent_pose, -1.0)
        return cls(joint, joint.parent, joint.child, joint.parent_pose, joint.child_pose, 1.0)


@dataclass(slots=True)
class _Writer:
    mech: Mechanism
    backwards: set[str]
    moves: bool
    kept: dict[str, Any] = field(init=False)
    poses: Poses = field(default_factory=Poses)
    own: dict[str, Any] = field(default_factory=dict)
    extra_links: list[str] = field(default_factory=list)
    links: _Names = field(init=False)
    joints: _Names = field(init=False)
    frames: dict[str, Pose] = field(default_factory=dict)
    """Where the frame of a link is on its body, for those that moved."""
    shapes: dict[str, list[Shape]] = field(default_factory=dict)
    """The shapes that URDF has a word for, by body."""
    following: dict[str, Coupling] = field(default_factory=dict)
    """The coupling of each joint that follows another."""

    def text(self) -> str:
        """The whole file."""
        mech = self.mech
        self.kept = mech.extras.get("urdf", {})
        self.links = _Names({WORLD, *mech.bodies, *mech.frames})
        self.joints = _Names(set(mech.joints))
        self.following = {coupling.driven: coupling for coupling in mech.couplings.values()}
        for shape in mech.shapes.values():
            if not only_ours(shape.form):
                self.shapes.setdefault(shape.body, []).append(shape)
        ways = [_Way.of(joint, name in self.backwards) for name, joint in mech.joints.items()]
        base = self._base(ways)
        if self.moves:
            self.frames = {
                way.child: way.on_child
                for way in ways
                if way is not base and way.on_child != HERE and not isinstance(way.joint.type, Fixed)
            }
        joints = [line for way in ways if way is not base for line in self._joint(way)]
        frames = [line for name in mech.frames for line in self._frame(name)]
        links = [*([] if base else self._link(WORLD)), *(line for body in mech.bodies for line in self._link(body))]
        robot = {"name": str(self.kept.get("name") or "robot")} | self._attributes("robot")
        if any(isinstance(shape.form, Capsule) for shape in mech.shapes.values()) and robot.get("version", "1.0") == "1.0":
            robot["version"] = "1.1"  # which brought capsules; readers pass over them in files of earlier versions
        inner = [
            *self.kept.get("materials", ()),
            *links,
            *self.extra_links,
            *joints,
            *frames,
            *self._transmissions(),
            *self.kept.get("elements", ()),
            *self._own(),
        ]
        body = "\n".join(f"  {line}" for line in inner)
        return f'<?xml version="1.0" encoding="utf-8"?>\n<robot{attributes_text(robot)}>\n{body}\n</robot>\n'

    # --- the base --------------------------------------------------------------------------------------------------------

    def _base(self, ways: list[_Way]) -> _Way | None:
        """The joint to the world that URDF leaves out: that of a root which is free, or which is the world but in name."""
        at_world = [way for way in ways if way.parent == WORLD]
        fitted = {part.body for part in self.mech.shapes.values()} | {part.body for part in self.mech.frames.values()}
        if len(at_world) != 1 or WORLD in fitted:
            return None
        (way,) = at_world
        if isinstance(way.joint.type, Fixed):
            is_default = way.joint.name == f"{way.child}_base" and way.sign > 0.0
            return way if is_default and way.on_parent == HERE == way.on_child else None
        if not isinstance(way.joint.type, Free) or way.joint.type != Free():
            return None
        self.own["base"] = {
            "type": "free", "name": way.joint.name, "parent": pose_to_dict(way.on_parent), "child": pose_to_dict(way.on_child)
        }  # fmt: skip
        return way

    # --- links -----------------------------------------------------------------------------------------------------------

    def _moved(self, body: str, pose: Pose) -> Pose:
        """A pose on a body in the frame that its link has."""
        return self.frames[body].inverse() @ pose if body in self.frames else pose

    def _link(self, body: str) -> Iterator[str]:
        inertia = None if body == WORLD else self.mech.bodies[body].inertia
        if inertia is not None and body in self.frames:
            inertia = inertia.moved(self.frames[body].inverse())
        lines = [] if inertia is None else list(inertial_lines(inertia))
        kept = self.kept.get("shapes", {})
        for shape in self.shapes.get(body, ()):
            lines += shape_lines(shape, self._moved(body, shape.pose), self.poses, kept.get(shape.name, {}))
        lines += self.kept.get("links", {}).get(body, ())
        yield from _element("link", {"name": body} | self._attributes(f"link {body}"), lines)

    def _frame(self, name: str) -> Iterator[str]:
        """A frame as a link without anything, at a fixed joint."""
        frame = self.mech.frames[name]
        joint = self.joints.new(f"{name}_frame")
        self.own.setdefault("frames", {})[name] = joint
        yield f"<link name={quoted(name)}/>"
        origin = self.poses.origin(self._moved(frame.body, frame.pose), f"frame {name}")
        yield from _element("joint", {"name": joint, "type": "fixed"}, _ends(origin, frame.body, name))

    # --- joints ----------------------------------------------------------------------------------------------------------

    def _joint(self, way: _Way) -> Iterator[str]:
        joint, kind = way.joint, way.joint.type
        on_parent, on_child = self._moved(way.parent, way.on_parent), self._moved(way.child, way.on_child)
        child, after = way.child, list[str]()
        if isinstance(kind, Fixed) and on_child != HERE:
            origin = Poses().origin(on_parent @ on_child.inverse(), "")
            self.poses.exact |= {f"parent {joint.name}": pose_to_dict(on_parent), f"child {joint.name}": pose_to_dict(on_child)}
        else:
            if on_child != HERE and way.child not in self.frames:
                child, after = self._helper(way, on_child)
            origin = self.poses.origin(on_parent, f"parent {joint.name}")
        lines = _ends(origin, way.parent, child)
        if not isinstance(kind, Fixed):
            lines += self._motion(way)
        kept = self.kept.get("joints", {}).get(joint.name, ())
        lines += [text for text in kept if joint.name not in self.following or not text.startswith("<mimic")]
        self._note_settings(joint)
        attributes = {"name": joint.name, "type": _type(joint)} | self._attributes(f"joint {joint.name}")
        yield from _element("joint", attributes, lines)
        yield from after

    def _helper(self, way: _Way, on_child: Pose) -> tuple[str, list[str]]:
        """A link at a joint's frame on the child, and the fixed joint from there to the child's own frame."""
        helper = self.links.new(f"{way.child}_at_{way.joint.name}")
        fixed = self.joints.new(f"{way.joint.name}_at_{way.child}")
        self.own.setdefault("helpers", {})[helper] = way.joint.name
        self.poses.exact[f"child {way.joint.name}"] = pose_to_dict(on_child)
        self.extra_links.append(f"<link name={quoted(helper)}/>")
        origin = Poses().origin(on_child.inverse(), "")
        return helper, list(_element("joint", {"name": fixed, "type": "fixed"}, _ends(origin, helper, way.child)))

    def _motion(self, way: _Way) -> Iterator[str]:
        """Axis, limit, dynamics and mimic."""
        kind, name = way.joint.type, way.joint.name
        axis = kind.normal if isinstance(kind, Planar) else kind.axis if isinstance(kind, Revolute | Prismatic) else None
        if axis is not None:
            yield f'<axis xyz="{text_of([way.sign * part + 0.0 for part in axis])}"/>'
        bounds = {}
        if kind.limits is not None:
            bounds = {"lower": kind.limits.lower[0], "upper": kind.limits.upper[0]}
        elif isinstance(kind, Prismatic):
            bounds = {"lower": -math.inf, "upper": math.inf}
        limit, odd = bounds | {"effort": kind.effort[0], "velocity": kind.speed[0]}, self._attributes(f"joint {name} limit")
        if bounds or odd or any(math.isfinite(value) for value in limit.values()):
            yield f"<limit{attributes_text({key: _bound(value) for key, value in limit.items()} | odd)}/>"
        resisting = {what: getattr(kind, what)[0] for what in ("damping", "friction") if getattr(kind, what)[0]}
        odd = self._attributes(f"joint {name} dynamics")
        if resisting or odd:
            yield f"<dynamics{attributes_text({key: number_text(value) for key, value in resisting.items()} | odd)}/>"
        yield from self._mimic(name)

    def _mimic(self, joint: str) -> Iterator[str]:
        coupling = self.following.get(joint)
        if coupling is None:
            return
        ((driver, ratio),) = coupling.drivers
        numbers = {"multiplier": number_text(ratio), "offset": number_text(coupling.offset)}
        if coupling.name != f"{joint}_mimic":
            self.own.setdefault("couplings", {})[joint] = coupling.name
        yield f"<mimic{attributes_text({'joint': driver} | numbers | self._attributes(f'joint {joint} mimic'))}/>"

    def _note_settings(self, joint: Joint) -> None:
        """Note down what URDF has no word for and which changes nothing that another program reads."""
        kind, said = joint.type, dict[str, Any]()
        if kind.actuated == (joint.name in self.following):
            said["actuated"] = kind.actuated
        soft = kind.limits
        if soft is not None and (soft.stiffness, soft.dissipation) != (_DEFAULT.stiffness, _DEFAULT.dissipation):
            said["limits"] = [soft.stiffness, soft.dissipation]
        if said:
            self.own.setdefault("joints", {})[joint.name] = said

    # --- the rest --------------------------------------------------------------------------------------------------------

    def _attributes(self, what: str) -> dict[str, str]:
        found: dict[str, str] = self.kept.get("attributes", {}).get(what, {})
        return found

    def _transmissions(self) -> Iterator[str]:
        """Those that were read, and new ones for other actuators."""
        kept = self.kept.get("transmissions", {})
        for name, actuator in self.mech.actuators.items():
            text = kept.get("actuators", {}).get(name)
            if math.isfinite(actuator.effort):
                self.own.setdefault("efforts", {})[name] = actuator.effort
            if text is not None and (text["joint"], text["gear"]) == (actuator.joint, actuator.gear):
                yield text["text"]
                continue
            yield from _element("transmission", {"name": f"{name}_transmission"}, [
                "<type>transmission_interface/SimpleTransmission</type>",
                f"<joint name={quoted(actuator.joint)}/>",
                f"<actuator name={quoted(name)}>"
                f"<mechanicalReduction>{number_text(actuator.gear)}</mechanicalReduction></actuator>",
            ])  # fmt: skip
        yield from kept.get("others", ())

    def _own(self) -> Iterator[str]:
        """The element that only Regraft reads; nothing where there is nothing to say."""
        own = dict(self.own)
        if self.poses.exact:
            own["poses"] = self.poses.exact
        if self.mech.gravity.tolist() != list(GRAVITY):
            own["gravity"] = self.mech.gravity.tolist()
        shapes = [shape for shape in self.mech.shapes.values() if only_ours(shape.form)]
        if shapes:
            own["shapes"] = [
                shape_to_dict(shape) | {"pose": pose_to_dict(self._moved(shape.body, shape.pose))} for shape in shapes
            ]
        own |= {key: table for key, table in fittings_to_dict(self.mech).items() if key == "keyframes"}
        if own:
            yield f"<{TAG}>{escaped(json.dumps({'version': VERSION} | own))}</{TAG}>"


def _ends(origin: str, parent: str, child: str) -> list[str]:
    lines = [f"<parent link={quoted(parent)}/>", f"<child link={quoted(child)}/>"]
    return [origin, *lines] if origin else lines


def _element(tag: str, attributes: dict[str, str], lines: list[str]) -> Iterator[str]:
    opening = f"<{tag}{attributes_text(attributes)}"
    if not lines:
        yield f"{opening}/>"
        return
    yield f"{opening}>"
    yield from (f"  {line}" for line in lines)
    yield f"</{tag}>"


def _type(joint: Joint) -> str:
    kind = joint.type
    if isinstance(kind, Revolute):
        return "continuous" if kind.limits is None else "revolute"
    return {Prismatic: "prismatic", Fixed: "fixed", Free: "floating", Planar: "planar"}[type(kind)]


def _bound(value: float) -> str:
    """A bound; a very large number where there is none, for URDF asks for one."""
    return number_text(math.copysign(UNBOUNDED, value) if math.isinf(value) else float(value))
