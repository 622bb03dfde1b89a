"""Reading SDF: models of Gazebo and Drake as mechanisms. Links with two parent joints are loops.

Links become bodies with their names, those of models in a model after its name and "::". A model without a joint to the world
floats, and starts where the file has it; a static one is welded to the world.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ...algebra.pose import Pose
from ...describe.inertia import Inertia
from ...describe.mechanism import Mechanism
from ...describe.parts import WORLD
from ...describe.state import State
from ...errors import ModelError
from ...joints import Fixed, Free
from ...xml_elements import Element, read_xml
from ..report import Findings
from .contract import ReadOptions
from .following import Mimic, followed_positions
from .inertias import Inertias
from .meshes import MeshSearch
from .sdf_frames import MODEL, SCOPE, WORLD_NAMES, Frames, checked, own_pose
from .sdf_joints import JointTypes
from .sdf_shapes import color_of, form_of

KIND = "an SDF model"

_DEFAULT = (1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0)  # SDF's: 1 kg, and 1 kg m² about all axes
_TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_KNOWN = {
    "model": {"pose", "link", "joint", "frame", "model", "static", "self_collide", "allow_auto_disable", "enable_wind"},
    "link": {
        "pose",
        "inertial",
        "visual",
        "collision",
        "self_collide",
        "kinematic",
        "must_be_base_link",
        "enable_wind",
        "gravity",
    },
    "joint": {"parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch", "physics"},
}


def read_sdf(path: Path, options: ReadOptions, found: Findings) -> tuple[Mechanism, State]:
    """The mechanism of all models in an SDF file, all joints at zero but those that mimic others."""
    root = read_xml(path, KIND)
    if root.tag != "sdf":
        raise root.error(f"the outermost element is <{root.tag}>; {KIND} has <sdf>.")
    world = root.find("world")
    place = root if world is None else world
    models = list(place.within("model"))
    if not models:
        raise root.error("there is no <model> in it.")
    for element in place:
        if element.tag == "include":
            found.note("include", element.value("uri"), "a model in another file is not read", dynamics=True)
        elif element.tag not in ("model", "world", "gravity", "physics", "scene", "light", "gui"):
            found.note(element.tag, element.name, "it is left out")
    gravity = (0.0, 0.0, -9.81) if world is None else tuple(world.numbers("gravity", 3, (0.0, 0.0, -9.81)).tolist())
    return _Builder(root, models, Mechanism(gravity), MeshSearch(path, options.packages), options, found).build()


class _Builder:
    def __init__(
        self, root: Element, models: list[Element], mech: Mechanism, meshes: MeshSearch, options: ReadOptions, found: Findings
    ) -> None:
        self.root, self.models, self.mech, self.meshes, self.options, self.found = root, models, mech, meshes, options, found
        self.frames = Frames(root)
        self.links: dict[str, Element] = {}
        self.joints: dict[str, tuple[Element, str]] = {}
        self.static: dict[str, bool] = {}
        self.first: list[str] = []
        self.told: Counter[str] = Counter()
        version = root.attributes.get("version", "1.7").split(".")
        old = version[0] == "1" and version[1:2] and version[1].isdecimal() and int(version[1]) < 5
        self.types = JointTypes(self.frames, found, bool(old))

    def build(self) -> tuple[Mechanism, State]:
        alone = len(self.models) == 1
        scopes = [""] if alone else [self._named(model) + SCOPE for model in self.models]
        for model, scope in zip(self.models, scopes, strict=True):
            self._collect(model, scope, ("", ""), model.truth("static"))
        if not self.links:
            raise self.root.error("no model in it has a <link>.")
        self._add_bodies()
        starts = self._add_bases()
        mimics = self._add_joints()
        self._add_frames()
        self._add_shapes()
        self._add_couplings(mimics)
        self.meshes.tell(self.found)
        for tag, count in self.told.items():
            self.found.note(tag, "", f"{count} left out; what they do is not part of a mechanism")
        following = followed_positions(self.mech.couplings.values())
        tree = {name: q for name, q in following.items() if name in self.mech.layout.q_slices}
        return self.mech, self.mech.state(q={**starts, **tree})

    # --- what is in the file ---------------------------------------------------------------------------------------------

    def _collect(self, model: Element, scope: str, outer: tuple[str, str], static: bool) -> None:
        """All links, joints and frames of a model and of those in it; `outer` is the scope and the frame that it is in."""
        self._tell_unknown(model, "model")
        frames, name = self.frames, scope.removesuffix(SCOPE) or MODEL
        frames.add(name, model, own_pose(model.find("pose")), self._base(model.find("pose"), *outer), "")
        here = "" if name == MODEL else scope
        for element in model:
            own = here + element.name
            if element.tag == "link":
                frames.add(own, element, own_pose(element.find("pose")), self._base(element.find("pose"), here, name), own)
                self.links[own], self.static[own] = element, static
            elif element.tag == "joint":
                child = here + element.value("child")
                frames.add(own, element, own_pose(element.find("pose")), self._base(element.find("pose"), here, child), child)
                self.joints[own] = element, here
            elif element.tag == "frame":
                attached = element.attributes.get("attached_to", "")
                on = here + attached if attached else name
                frames.add(own, element, own_pose(element.find("pose")), self._base(element.find("pose"), here, on), on)
            elif element.tag == "model":
                self._collect(element, here + self._named(element) + SCOPE, (here, name), static or element.truth("static"))
        canonical = model.attributes.get("canonical_link")
        frames.known[name].on = here + canonical if canonical else next((own for own in self.links if own.startswith(here)), "")
        placement = model.attributes.get("placement_frame")
        if placement:
            self._place_by(model, name, here + placement)

    def _named(self, model: Element) -> str:
        """The name of a model that is not alone, by which its parts are told from those of others."""
        if not model.name:
            raise model.error("a <model> has no name; where there are several of them, or one in another, each needs one.")
        return model.name

    def _base(self, pose: Element | None, scope: str, default: str) -> str:
        """The frame that a pose is relative to."""
        named = "" if pose is None else pose.attributes.get("relative_to", "")
        if pose is not None and pose.attributes.get("frame"):
            self.found.note("pose", "", f"line {pose.line}: frame= of a pose has no meaning in SDF and is not used")
        if not named or named in WORLD_NAMES:
            return "" if named else default
        return (scope.removesuffix(SCOPE) or MODEL) if named == MODEL else scope + named

    def _place_by(self, model: Element, name: str, frame: str) -> None:
        """Move a model so that one of its frames is where its pose says."""
        if frame not in self.frames.known:
            raise model.error(f"the placement_frame {frame!r} is not in the model.")
        there = self.frames.place(name).inverse() @ self.frames.place(frame)
        self.frames.placed.clear()
        own = self.frames.known[name]
        own.pose = own.pose @ there.inverse()

    def _tell_unknown(self, element: Element, kind: str) -> None:
        for child in element:
            if child.tag not in _KNOWN[kind]:
                if child.tag == "include":
                    self.found.note("include", child.value("uri"), "a model in another file is not read", dynamics=True)
                else:
                    self.told[child.tag] += 1

    # --- the mechanism ---------------------------------------------------------------------------------------------------

    def _add_bodies(self) -> None:
        read = Inertias(self.root.file, lambda element: int(element.line))
        for name, link in self.links.items():
            self._tell_unknown(link, "link")
            if link.find("gravity") is not None and not link.truth("gravity"):
                self.found.note("gravity", name, "gravity does not act on this link in the file, and does here", dynamics=True)
            self._read_inertia(read, name, link)
        inertias = read.checked(self.options.inertia, self.found)
        for name, link in self.links.items():
            try:
                self.mech.add_body(name, inertias.get(name, Inertia(0.0)))
            except ModelError as problem:
                raise checked(link, problem) from None

    def _read_inertia(self, read: Inertias, name: str, link: Element) -> None:
        inertial = link.find("inertial")
        if inertial is None:
            if not self.static[name]:
                self.found.note(
                    "inertial", name, "it has none in the file, so it has SDF's default: 1 kg, and 1 kg m² about all axes"
                )
            read.add(name, link, _DEFAULT, Pose())
            return
        if inertial.attributes.get("auto", "false").lower() in ("true", "1"):
            told = "its inertia is to be computed from its collisions, which is not done: it has what is written"
            self.found.note("inertial", name, told, dynamics=not self.static[name])
        pose, tensor = own_pose(inertial.find("pose")), inertial.find("inertia")
        moments = [1.0 if a[1] == a[2] else 0.0 for a in _TENSOR]
        if tensor is not None:
            moments = [tensor.number(part, moment) for part, moment in zip(_TENSOR, moments, strict=True)]
        read.add(name, inertial, (inertial.number("mass", 1.0), *moments), pose)

    def _add_bases(self) -> dict[str, list[float]]:
        """Weld static links to the world, and let models float that no joint holds; where those start."""
        starts: dict[str, list[float]] = {}
        for name in self.links:
            if self.static[name]:
                self.mech.add_joint(self._free_name(f"{name}_base"), Fixed(), WORLD, name, self.frames.place(name))
        for name in self._floating():
            base, pose = self._free_name(f"{name}_base"), self.frames.place(name)
            if self.options.base == "fixed":
                self.mech.add_joint(base, Fixed(), WORLD, name, pose)
            else:
                self.mech.add_joint(base, Free(), WORLD, name)
                starts[base] = [*pose.translation.tolist(), *pose.quaternion.tolist()]
        return starts

    def _free_name(self, name: str) -> str:
        while name in self.joints:
            name += "_"
        return name

    def _floating(self) -> Iterator[str]:
        """The first link of each group that no joint connects with the world."""
        group = {name: name for name in ("", *self.links)}

        def first(name: str) -> str:
            while group[name] != name:
                group[name] = group[group[name]]
                name = group[name]
            return name

        for name, static in self.static.items():
            if static:
                group[first(name)] = first("")
        for element, scope in self.joints.values():
            if element.attributes.get("type") != "gearbox":
                a, b = (first(link) for link, _ in self._ends(element, scope))
                group[a if b == first("") else b] = b if b == first("") else a
        seen = {first("")}
        for name in self.links:
            if first(name) not in seen:
                seen.add(first(name))
                yield name

    def _ends(self, element: Element, scope: str) -> list[tuple[str, Pose]]:
        """The two links of a joint, parent first, empty for the world, and where the joint's frame is on each."""
        links = []
        for tag in ("parent", "child"):
            if not element.value(tag):
                raise element.error(f"the joint {element.name!r} has no <{tag}>.")
            links.append(self.frames.link_of(self.frames.find(element.value(tag), scope, element), element))
        joint = self.frames.place(scope + element.name)
        return [(link, self.frames.place(link).inverse() @ joint if link else joint) for link in links]

    def _add_joints(self) -> dict[str, Mimic]:
        mimics = {}
        for name, (element, scope) in self.joints.items():
            self._tell_unknown(element, "joint")
            try:
                kind = self.types.read(element, name, scope)
                if kind is None:
                    continue
                (parent, on_parent), (child, on_child) = self._ends(element, scope)
                if all(not link or self.static[link] for link in (parent, child)):
                    continue  # which both do not move
                self.mech.add_joint(name, kind, parent or WORLD, child or WORLD, on_parent, on_child)
            except ModelError as problem:
                raise checked(element, problem) from None
            mimic = self.types.mimics(element, name, scope)
            if mimic is not None:
                mimics[name] = mimic
        return mimics

    def _add_frames(self) -> None:
        for name, frame in self.frames.known.items():
            if frame.element.tag == "frame":
                link = self.frames.link_of(name, frame.element)
                pose = self.frames.place(name)
                try:
                    self.mech.add_frame(name, link or WORLD, self.frames.place(link).inverse() @ pose if link else pose)
                except ModelError as problem:
                    raise checked(frame.element, problem) from None

    def _add_shapes(self) -> None:
        for name, link in self.links.items():
            for element in link:
                if element.tag not in ("visual", "collision"):
                    continue
                geometry = element.find("geometry")
                try:
                    form = None if geometry is None else form_of(geometry, self.meshes)
                    if form is None:
                        self.found.note("geometry", name, f"line {element.line}: no form that a shape can have; left out")
                        continue
                    seen, color = element.tag == "visual", color_of(element, self.found)
                    own = element.name if element.name and element.name not in self.mech.shapes else None
                    self.mech.add_shape(
                        name, form, own, own_pose(element.find("pose")), visual=seen, collision=not seen, color=color
                    )
                except ModelError as problem:
                    raise checked(element, problem) from None

    def _add_couplings(self, mimics: dict[str, Mimic]) -> None:
        for name, mimic in mimics.items():
            if mimic.driver not in self.mech.joints:
                self.found.note("mimic", name, f"it follows {mimic.driver!r}, which is no joint; it moves freely", dynamics=True)
                continue
            try:
                self.mech.add_coupling(f"{name}_mimic", mimic.driver, name, ratio=mimic.ratio, offset=mimic.offset)
            except ModelError as problem:
                raise checked(mimic.element, problem) from None
