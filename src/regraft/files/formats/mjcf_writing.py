"""Mechanisms as MJCF. Frames of bodies stay where they are, because MJCF has joints anywhere on a body."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from ...atomic import writing
from ...describe.mechanism import Mechanism
from ...describe.parts import WORLD, Joint
from ...describe.state import State
from ...errors import FileError, StructureError, warn
from .contract import WriteOptions
from .mjcf_chains import Link, Motion, Walk
from .mjcf_elements import SETTINGS, add_actuator, add_geom, add_inertial, add_joint, unsayable_form
from .mjcf_fittings import START
from .mjcf_numbers import pose_attributes, positions, text, velocities
from .mjcf_own import NAME, own_text
from .mjcf_source import check_text

ON_AXIS = 0.1
"""How far apart the two points are at which a hinge that closes a loop is held, in metres."""


def write_mjcf(mech: Mechanism, state: State, path: Path, _options: WriteOptions) -> None:
    """Write a mechanism, with the state as MuJoCo's qpos0; where that cannot hold it, it is the keyframe "start" too.

    What MJCF cannot hold is one error. What changes no motion but is lost, such as largest speeds, is one warning.
    """
    page = _Page(mech, state, path)
    root = page.root()
    if page.problems:
        raise FileError(
            f"{str(path)!r}: MJCF cannot hold this mechanism:\n" + "\n".join(f"- {one}." for one in page.problems)
            + "\nSave it as .json, which holds all of it."
        )  # fmt: skip
    indent(root)
    said = tostring(root, encoding="unicode") + "\n"
    if importlib.util.find_spec("mujoco"):
        check_text(said, path)
    if page.losses:
        warn(f"{str(path)!r}: MJCF does not hold {', '.join(page.losses)}; left out.")
    with writing(path) as beside:
        beside.write_text(said, encoding="utf-8")


class _Page:
    """One file while it is written."""

    def __init__(self, mech: Mechanism, state: State, path: Path) -> None:
        self.mech, self.state, self.path = mech, state, path
        self.kept: dict[str, Any] = mech.extras.get("mjcf", {})
        self.walk = Walk(mech, state)
        self.problems, self.losses = self.walk.problems, list[str]()
        self.meshes: dict[tuple[str, tuple[float, ...]], str] = {}
        self.bodies: dict[str, Element] = {}
        self.motions: list[Motion] = []

    def root(self) -> Element:
        """All of it."""
        root = Element("mujoco", model=self.path.stem or "model")
        SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false", balanceinertia="false")
        option = {"gravity": text(self.mech.gravity)}
        if "timestep" in self.kept:
            option |= {"timestep": text([self.kept["timestep"]]), "integrator": str(self.kept["integrator"])}
        SubElement(root, "option", option)
        assets, world = SubElement(root, "asset"), SubElement(root, "worldbody")
        self.bodies[WORLD] = world
        for link in self.walk.links():
            self._add_body(link)
        for shape in self.mech.shapes.values():
            problem = unsayable_form(shape)
            if problem is not None:
                self.problems.append(problem)
            elif shape.body in self.bodies:
                add_geom(self.bodies[shape.body], shape, self.meshes)
        for frame in self.mech.frames.values():
            if frame.body in self.bodies:
                SubElement(self.bodies[frame.body], "site", {"name": frame.name} | pose_attributes(frame.pose))
        for (file, scale), name in self.meshes.items():
            SubElement(assets, "mesh", {"name": name, "file": file} | ({} if scale == (1.0,) * 3 else {"scale": text(scale)}))
        tendons, equalities, actuators = (SubElement(root, what) for what in ("tendon", "equality", "actuator"))
        self._add_springs(tendons)
        self._add_loops(equalities)
        self._add_couplings(tendons, equalities)
        self._add_actuators(actuators)
        own = own_text(self.motions, {actuator.joint for actuator in self.mech.actuators.values()})
        if own is not None:
            SubElement(SubElement(root, "custom"), "text", name=NAME, data=own)
        self._add_keyframes(SubElement(root, "keyframe"))
        for section in [one for one in root if one.tag not in ("compiler", "option", "worldbody") and not len(one)]:
            root.remove(section)
        return root

    def _add_body(self, link: Link) -> None:
        body = SubElement(self.bodies[link.onto], "body", {"name": link.body} | pose_attributes(link.pose))
        self.bodies[link.body] = body
        self.motions += link.motions
        inertia = self.mech.bodies[link.body].inertia
        if inertia.mass > 0.0 and add_inertial(body, inertia, moves=bool(link.motions)):
            self.losses.append(f"the moments of inertia of {link.body!r}, which are 0: MuJoCo gets the least that it takes")
        for motion in link.motions:
            add_joint(body, motion, self.problems)

    def _add_springs(self, tendons: Element) -> None:
        for spring in self.mech.springs.values():
            ends = ((spring.body_a, spring.point_a), (spring.body_b, spring.point_b))
            found = {"name": spring.name, "stiffness": text([spring.stiffness]), "damping": text([spring.damping]),
                     "springlength": text([spring.rest_length])}  # fmt: skip
            line = SubElement(tendons, "spatial", found)
            for number, (body, point) in enumerate(ends, 1):
                SubElement(line, "site", site=self._end(f"{spring.name}/{number}", body, {"pos": text(point)}))

    def _end(self, name: str, body: str, place: dict[str, str]) -> str:
        """A site at which an equality or a tendon ends."""
        if name in self.mech.frames:
            self.problems.append(f"frame {name!r}: the end of a joint or spring needs this name")
        if body in self.bodies:
            SubElement(self.bodies[body], "site", {"name": name} | place)
        return name

    def _add_loops(self, equalities: Element) -> None:
        for joint in (self.mech.joints[name] for name in self.mech.loop_joints):
            what, kind = type(joint.type).__name__, joint.type
            has = [one for one in SETTINGS if np.any(getattr(kind, one))] + (["limits"] if kind.limits else [])
            if has:
                self.problems.append(f"joint {joint.name!r}: it closes a loop, and has {' and '.join(has)} there")
            if what in ("Spherical", "Fixed"):
                self._add_equality(equalities, "connect" if what == "Spherical" else "weld", joint.name, joint, np.zeros(3))
            elif what == "Revolute":
                half = 0.5 * ON_AXIS * np.array(kind.arguments()["axis"])
                for end, way in (("a", -half), ("b", half)):
                    self._add_equality(equalities, "connect", f"{joint.name}_{end}", joint, way)
            else:
                self.problems.append(f"joint {joint.name!r}: MJCF closes loops by balls, hinges and welds, not by {what}")

    def _add_equality(self, equalities: Element, what: str, name: str, joint: Joint, way: Any) -> None:
        found = {"name": name}
        for number, (body, pose) in enumerate(((joint.parent, joint.parent_pose), (joint.child, joint.child_pose)), 1):
            place = pose_attributes(pose) | {"pos": text(pose.apply(way))}
            found[f"site{number}"] = self._end(f"{name}/{number}", body, place)
        SubElement(equalities, what, found)

    def _motion(self, joint: str) -> Motion | None:
        """The one motion in the file that a joint with one coordinate is."""
        return next((one for one in self.motions if one.name == joint and one.kind in ("hinge", "slide")), None)

    def _add_couplings(self, tendons: Element, equalities: Element) -> None:
        for coupling in self.mech.couplings.values():
            parts = [(self._motion(joint), ratio) for joint, ratio in coupling.drivers]
            driven = self._motion(coupling.driven)
            if driven is None or any(one is None for one, _ in parts):
                self.problems.append(f"coupling {coupling.name!r}: it couples a joint that closes a loop")
                continue
            start = coupling.offset - driven.ref + sum(ratio * one.ref for one, ratio in parts if one is not None)
            if len(parts) == 1:
                ((driver, ratio),) = coupling.drivers
                found = {
                    "name": coupling.name,
                    "joint1": coupling.driven,
                    "joint2": driver,
                    "polycoef": text((start, ratio, 0, 0, 0)),
                }
                SubElement(equalities, "joint", found)
                continue
            tendon = SubElement(tendons, "fixed", name=coupling.name)
            SubElement(tendon, "joint", joint=coupling.driven, coef="1")
            for joint, ratio in coupling.drivers:
                SubElement(tendon, "joint", joint=joint, coef=text([-ratio]))
            found = {"name": coupling.name, "tendon1": coupling.name, "polycoef": text((start, 0, 0, 0, 0))}
            SubElement(equalities, "tendon", found)
        for one in self.motions:
            if one.follows:
                found = {
                    "name": one.name,
                    "joint1": one.name,
                    "joint2": one.joint.name,
                    "polycoef": text((0, one.factor, 0, 0, 0)),
                }
                SubElement(equalities, "joint", found)

    def _add_actuators(self, section: Element) -> None:
        servos = self.kept.get("servos", {})
        for actuator in self.mech.actuators.values():
            if self._motion(actuator.joint) is None:
                self.problems.append(f"actuator {actuator.name!r}: MJCF has motors on joints of the tree with one coordinate")
            add_actuator(section, actuator, actuator.joint, servos.get(actuator.name))

    def _add_keyframes(self, section: Element) -> None:
        states = dict[str, State]()
        for name in self.mech.keyframes:
            try:
                states[name] = self.mech.keyframe(name)
            except StructureError:
                self.losses.append(f"the keyframe {name!r}, which was made for another structure")
        turned = any(one.kind == "ball" and self.state.q[self.mech.q_slice(one.joint.name)][0] != 1.0 for one in self.motions)
        if turned or self.state.v.any() or START in states:
            states[START] = self.state
        for name, state in states.items():
            found = {"name": name, "qpos": text(positions(self.motions, self.mech, state))}
            if state.v.any():
                found["qvel"] = text(velocities(self.motions, self.mech, state))
            SubElement(section, "key", found)
