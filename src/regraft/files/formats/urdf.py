"""Reading URDF: a robot's links, joints, shapes, mimic joints and transmissions as a mechanism.

Links become bodies, those at fixed joints too, and joints keep their names. What a mechanism has no place for is kept as text in
``mech.extras["urdf"]`` and written again; the report tells.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from ...describe.inertia import Inertia
from ...describe.mechanism import Mechanism
from ...describe.parts import WORLD
from ...describe.plain import add_fittings, pose_from_dict
from ...describe.state import State, build_state
from ...errors import ModelError, listed
from ...joints import Fixed, Free, Limits
from ...structure.layout import lay_out
from ...xml_tree import Node, NodeError, Tree, parse_tree, read_tree, written
from ..report import Findings
from .contract import ReadOptions
from .following import followed_positions
from .inertias import Inertias
from .meshes import MeshSearch
from .urdf_joints import FOLLOWING, JointRead, JointReader
from .urdf_own import TAG, Own, fold_helpers, read_own_parts, taken_frames
from .urdf_poses import HERE, Origins, check_once, each_number, number
from .urdf_shapes import USES, ShapeReader
from .urdf_transmissions import add_actuators
from .urdf_tree import root_of

KIND = "a robot in URDF"
_MACROS = "xacro:"
_MASSLESS = Inertia(0.0)
_MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), (None, None, None, 0.0, 0.0, 0.0)
"""Moments and products of inertia, and what those are that are not there."""


def read_urdf(path: Path, options: ReadOptions, found: Findings) -> tuple[Mechanism, State]:
    """The mechanism in a URDF file, all joints at zero but those that mimic others."""
    return _built(read_tree(path, KIND), path, options, found)


def urdf_from_text(text: str, path: Path, options: ReadOptions, found: Findings) -> tuple[Mechanism, State]:
    """The mechanism in the text of a URDF file; `path` is what errors name, and where meshes are searched."""
    return _built(parse_tree(text.encode(), str(path), KIND), path, options, found)


def _built(tree: Tree, path: Path, options: ReadOptions, found: Findings) -> tuple[Mechanism, State]:
    with tree.telling_lines():
        return _Builder(tree, path, options, found).build()


class _Builder:
    def __init__(self, tree: Tree, path: Path, options: ReadOptions, found: Findings) -> None:
        robot = tree.root
        if robot.tag != "robot":
            raise NodeError(robot, f"the outermost element is <{robot.tag}>; {KIND} has <robot>.")
        self.tree, self.robot, self.options, self.found = tree, robot, options, found
        self.meshes = MeshSearch(path, options.packages)
        self.links: dict[str, Node] = {}
        self.joints: dict[str, JointRead] = {}
        self.materials: list[Node] = []
        self.transmissions: dict[Node, str] = {}
        self.own_element: Node | None = None
        self.elements: list[str] = []
        self.kept_links: dict[str, list[str]] = {}
        self.kept_joints: dict[str, list[str]] = {}
        self.attributes: dict[str, dict[str, str]] = {}
        self.told: Counter[str] = Counter()
        self.origins = Origins()

    def build(self) -> tuple[Mechanism, State]:
        joint_reader = JointReader(self.found, self.origins, self.kept_joints, self.attributes, {}, [])
        self._sort(joint_reader)
        if not self.links:
            raise NodeError(self.robot, "the robot has no <link>.")
        root = root_of(self.links, self.joints)
        inertias = self._inertias(root)
        own = self.own = Own.of(self.own_element)
        read_own_parts(self.own_element, self._take_own)
        read_own_parts(self.own_element, self._make)
        mech = self.mech
        self._add_bodies(root, inertias)
        self._add_joints(root)
        for name, joint in self.frames.items():
            mech.add_frame(name, joint.parent, own.exact("frame", name, joint.parent_pose))
        shapes = self._add_shapes()
        read_own_parts(self.own_element, self._add_couplings)
        actuators: dict[str, Any] = {}
        read_own_parts(self.own_element, lambda: actuators.update(add_actuators(mech, self.transmissions, own, self.found)))
        read_own_parts(self.own_element, lambda: add_fittings(mech, {k: own.data.get(k, ()) for k in ("shapes", "keyframes")}))
        self._keep(shapes, actuators)
        self._tell(joint_reader)
        return mech, self._state()

    # --- what is in the file ---------------------------------------------------------------------------------------------

    def _sort(self, reader: JointReader) -> None:
        """Links, joints and all else of the robot; no name twice."""
        kept: list[Node] = []
        for element in self.robot:
            tag = element.tag
            if tag == "link":
                name = element.get("name", "")
                if not name:
                    raise NodeError(element, "a <link> has no name.")
                if name in self.links:
                    raise NodeError(
                        element, f"there are two links {name!r}; the other is in line {self.tree.line(self.links[name])}."
                    )
                self.links[name] = element
            elif tag == "joint":
                joint = reader.read(element)
                if joint.name in self.joints:
                    other = self.tree.line(self.joints[joint.name].element)
                    raise NodeError(element, f"there are two joints {joint.name!r}; the other is in line {other}.")
                self.joints[joint.name] = joint
            elif tag == "material":
                self.materials.append(element)
            elif tag == TAG:
                if self.own_element is not None:
                    other = self.tree.line(self.own_element)
                    raise NodeError(element, f"there are two elements <{TAG}>; the other is in line {other}.")
                self.own_element = element
            else:
                kept.append(element)
        self._sort_texts(kept)

    def _sort_texts(self, kept: list[Node]) -> None:
        """What is kept as it is written: transmissions, and all that is not known."""
        for element, source in zip(kept, self.tree.sources(kept), strict=True):
            tag = element.tag
            if tag == "transmission":
                self.transmissions[element] = source
                continue
            self.elements.append(source)
            self.told[tag] += 1
            if tag.startswith(_MACROS):
                told = f"<{tag}> was not expanded, so what it stands for is missing; read the .xacro file"
                self.found.note("xacro", "", f"line {self.tree.line(element)}: {told}", dynamics=True)
            if tag == "gazebo" and "<parent" in source and "<child" in source:
                at = f"line {self.tree.line(element)}"
                self.found.note("gazebo", "", f"{at}: has a joint of its own, which closes a loop", dynamics=True)

    def _inertias(self, root: str) -> dict[str, Inertia]:
        read = Inertias(self.tree.file, self.tree.line)
        for name, link in self.links.items():
            inertial = None
            for child in link:
                tag = child.tag
                if tag == "inertial":
                    if inertial is not None:
                        raise NodeError(child, f"the link {name!r} has two elements <inertial>.")
                    inertial = child
                elif tag not in USES:
                    self.kept_links.setdefault(name, []).append(written(child))
                    self.told[f"{tag} of links"] += 1
            if len(link.attrib) > 1:
                self.attributes[f"link {name}"] = {key: value for key, value in link.attrib.items() if key != "name"}
            if inertial is None:
                continue
            if name == WORLD == root:
                self.found.note("inertia", name, "the root is the world, which does not move; its inertia is left out")
            else:
                self._read_inertia(read, name, inertial)
        return read.checked(self.options.inertia, self.found)

    def _read_inertia(self, read: Inertias, name: str, inertial: Node) -> None:
        check_once(inertial, ("origin", "mass", "inertia"), f"the <inertial> of the link {name!r}")
        mass, tensor = inertial.find("mass"), inertial.find("inertia")
        if mass is None or tensor is None:
            missing = "mass" if mass is None else "inertia"
            raise NodeError(inertial, f"the <inertial> of the link {name!r} has no <{missing}>.")
        moments = each_number(tensor, *_MOMENTS)
        read.add(name, inertial, (number(mass, "value"), *moments), self.origins.pose(inertial.find("origin")))

    def _make(self) -> None:
        """The mechanism, in the gravity that the writer put in."""
        self.mech = Mechanism(self.own.data.get("gravity", (0.0, 0.0, -9.81)))

    def _take_own(self) -> None:
        """What the writer put in: helper links, frames, and poses with all digits."""
        self.frames = taken_frames(self.own, self.links, self.joints)
        fold_helpers(self.own, self.links, self.joints)
        for joint in self.joints.values():
            self.own.place(joint)
            own = self.own.table("joints").get(joint.name)
            if own:
                settings = {"actuated": own.get("actuated", joint.type.actuated)}
                if "limits" in own and joint.type.limits is not None:
                    limits = joint.type.limits
                    settings["limits"] = Limits(limits.lower, limits.upper, *own["limits"])
                joint.type = joint.type.with_settings(**settings)

    # --- the mechanism ---------------------------------------------------------------------------------------------------

    def _add_bodies(self, root: str, inertias: dict[str, Inertia]) -> None:
        for name, link in self.links.items():
            if name == WORLD:
                if root != WORLD:
                    raise NodeError(
                        link, "a link is called 'world' and is not the root; the world is what does not move. Rename it."
                    )
                continue
            try:
                self.mech.add_body(name, inertias.get(name, _MASSLESS))
            except ModelError as problem:
                raise NodeError(link, str(problem)) from None

    def _add_joints(self, root: str) -> None:
        """All joints; first the one between the world and the root, which URDF does not have."""
        if root != WORLD:
            self._add_base(root)
        elif self.options.base == "free":
            raise NodeError(self.robot, 'the root is the world itself, so it cannot be free; leave out base="free".')
        for name, joint in self.joints.items():
            try:
                self.mech.add_joint(name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
            except ModelError as problem:
                raise NodeError(joint.element, str(problem)) from None

    def _add_base(self, root: str) -> None:
        written = self.own.table("base")
        name = str(written.get("name") or f"{root}_base")
        while name in self.joints:
            name += "_"
        kind = self.options.base or ("free" if written.get("type") == "free" else "fixed")
        poses = [HERE, HERE]
        if written and kind == written.get("type"):
            poses = [pose_from_dict(written.get(side, {})) for side in ("parent", "child")]
        self.mech.add_joint(name, Free() if kind == "free" else Fixed(), WORLD, root, *poses)

    def _add_shapes(self) -> ShapeReader:
        shapes = ShapeReader(self.mech, self.found, self.meshes, self.own, self.origins, self.tree)
        for material in self.materials:
            shapes.know(material)
        shapes.know_all(list(self.links.values()))
        for name, link in self.links.items():
            kept: list[str] = []
            shapes.add(link, name, kept)
            if kept:
                self.kept_links.setdefault(name, []).extend(kept)
        self.meshes.tell(self.found)
        return shapes

    def _add_couplings(self) -> None:
        names = self.own.table("couplings")
        for name, joint in self.joints.items():
            mimic = joint.mimic
            if mimic is None:
                continue
            driver = self.joints.get(mimic.driver)
            if driver is None or not driver.is_followed or driver is joint:
                self.kept_joints.setdefault(name, []).append(written(mimic.element))
                why = (
                    "is not in the file" if driver is None else "is itself" if driver is joint else "does not move by one number"
                )
                self.found.note(
                    "mimic", name, f"it follows the joint {mimic.driver!r}, which {why}; it moves freely", dynamics=True
                )
                continue
            called = str(names.get(name, f"{name}_mimic"))
            try:
                self.mech.add_coupling(called, mimic.driver, name, ratio=mimic.ratio, offset=mimic.offset)
            except ModelError as problem:
                if name in names:
                    raise
                raise NodeError(mimic.element, str(problem)) from None

    def _state(self) -> State:
        """All joints at zero, but for those that follow others with an offset."""
        positions = followed_positions(self.mech.couplings.values())
        return self.mech.state(q=positions) if positions else build_state(lay_out(self.mech.joints), None, None)

    # --- what is kept and told -------------------------------------------------------------------------------------------

    def _keep(self, shapes: ShapeReader, actuators: dict[str, Any]) -> None:
        tables: dict[str, Any] = {
            "attributes": {"robot": {k: v for k, v in self.robot.attrib.items() if k != "name"}} | self.attributes,
            "materials": [written(material) for material in self.materials],
            "elements": self.elements,
            "links": self.kept_links,
            "joints": self.kept_joints,
            "shapes": shapes.extras,
            "transmissions": actuators,
        }
        if not tables["attributes"]["robot"]:
            del tables["attributes"]["robot"]
        self.mech.extras["urdf"] = {"name": self.robot.get("name", "")} | {name: table for name, table in tables.items() if table}

    def _tell(self, reader: JointReader) -> None:
        found = self.found
        if not self.robot.get("name", ""):
            found.note("robot", "", "the robot has no name")
        fixed = [
            name for name, texts in self.kept_joints.items() if self.joints[name].kind not in FOLLOWING and _has_mimic(texts)
        ]
        if fixed:
            found.note("mimic", "", f"joints that do not move by one number follow no other; kept as text: {listed(fixed)}")
        for tag, count in self.told.items():
            found.note(tag, "", f"{count} kept as text, written again; they do not act on the mechanism")
        odd = Counter((_place(what), *names) for what, names in self.attributes.items())
        for (place, *names), count in odd.items():
            found.note(
                "attribute", "", f"{listed(names)} of {count} {place}: kept, written again; they do not act on the mechanism"
            )
        for tag, count in Counter(_tag(text) for texts in self.kept_joints.values() for text in texts).items():
            if tag != "mimic":
                found.note(tag, "", f"{count} kept as text, written again; they do not act on the mechanism")
        if reader.zero_efforts:
            found.note("effort", "", f"an effort of 0, so a motor there has no torque: {listed(reader.zero_efforts)}")
        outside = [
            name for name, joint in self.joints.items() if (own := joint.type.limits) and not own.lower[0] <= 0.0 <= own.upper[0]
        ]
        if outside:
            found.note("limit", "", f"0 is outside of the limits, and limits push back: {listed(outside)}")


def _place(what: str) -> str:
    """Which kind of elements an entry of the kept attributes is about: "joint knee limit" about limits of joints."""
    first, *_, last = what.split(" ")
    return f"{first}s' {last}" if first == "joint" and last in ("limit", "dynamics", "mimic") else f"{first}s"


def _has_mimic(texts: list[str]) -> bool:
    return any(text.startswith("<mimic") for text in texts)


def _tag(text: str) -> str:
    return text[1:].split(">", maxsplit=1)[0].split(maxsplit=1)[0].rstrip("/")
