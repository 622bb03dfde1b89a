"""OpenSim models (.osim), of versions 2 to 4: bodies, joints, coordinates and markers as a mechanism with z up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...describe.inertia import Inertia
from ...describe.mechanism import Mechanism
from ...describe.parts import WORLD
from ...describe.state import State
from ...errors import ModelError, listed, warn
from ...joints import Fixed
from ...xml_elements import Element, read_xml
from ..body_motion import Foot
from .osim_anatomy import anatomical_joints, find_feet
from .osim_joints import Coordinate, JointRead, read_joint
from .osim_places import GROUND, Place, Places, joint_places, point_place, turned_up

Array = NDArray[np.float64]

KIND = "an OpenSim model (.osim)"


@dataclass(frozen=True, eq=False)
class OsimModel:
    """An OpenSim model as a mechanism.

    Attributes
    ----------
    name : str
        The model's name in the file.
    mech : Mechanism
        The bodies with OpenSim's own axes, in a world with z up. Each coordinate has a joint of its own name, so ``q``, ``v`` and
        generalised forces by joint name are OpenSim's.
    coordinates : mapping of str to Coordinate
        OpenSim's coordinates in the order of `q`.
    default : State
        The state that the file has as default.
    markers : mapping of str to str
        The frame of each marker; frames have the markers' names.
    chains : mapping of str to tuple of str
        The joints of the mechanism that make up each joint of the file.
    feet : mapping of str to Foot
        "left" and "right", as far as bodies of such names are there.
    joints : mapping of str to tuple of str
        The joints that make up each anatomical one, such as "right_knee".
    up : Pose
        The file's ground in the world: mostly a quarter turn from y up to z up.
    notes : tuple of str
        What was left out, converted or guessed, in words.
    """

    name: str
    mech: Mechanism
    coordinates: Mapping[str, Coordinate]
    default: State
    markers: Mapping[str, str]
    chains: Mapping[str, tuple[str, ...]]
    feet: Mapping[str, Foot]
    joints: Mapping[str, tuple[str, ...]]
    up: Pose
    notes: tuple[str, ...]

    def place(self, coordinate: str) -> tuple[str, int]:
        """The joint of a coordinate and where its number is in q."""
        if coordinate not in self.coordinates:
            raise ModelError(f"there is no coordinate {coordinate!r}; the coordinates are: {listed(self.coordinates)}.")
        joint = self.coordinates[coordinate].joint
        return joint, self.mech.q_slice(joint).start


def read_osim(path: str | Path) -> OsimModel:
    """Read an OpenSim model.

    Muscles and other forces, wrapping, contact and pictures are left out, and constraints too, with a warning; `notes` tells.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    OsimModel

    Raises
    ------
    FileError
        If the file is none of that kind, damaged, or has a joint or function that cannot be read exactly.
    """
    root = read_xml(path, KIND)
    model = root if root.tag == "Model" else root.find("Model")
    if model is None or root.tag not in ("OpenSimDocument", "Model"):
        raise root.error(f"the outermost element is <{root.tag}>; {KIND} has <OpenSimDocument> with a <Model> in it.")
    return _Builder(model).build()


class _Builder:
    def __init__(self, model: Element) -> None:
        self.model = model
        self.notes: list[str] = []
        gravity = model.numbers("gravity", 3, (0.0, -9.80665, 0.0))
        self.up = turned_up(gravity)
        self.mech = Mechanism(gravity=self.up.apply(gravity))
        self.bodies = _bodies(model)
        self.places = Places(set(self.bodies), model)
        self.group = {name: name for name in (*self.bodies, GROUND)}

    def build(self) -> OsimModel:
        self._note_axes()
        for name, element in self.bodies.items():
            self._add_body(name, element)
        read = [(read_joint(element), body) for element, body in _joints(self.model)]
        self._check_names(joint for joint, _ in read)
        chains = {joint.name: self._add_joint(joint, body) for joint, body in read}
        self._check_connected()
        coordinates = {own.name: own for joint, _ in read for own in joint.coordinates}
        ordered = {name: coordinates[name] for name in self.mech.layout.q_slices if name in coordinates}
        self._note_coordinates([joint for joint, _ in read], ordered)
        default = self.mech.state(
            q={name: own.default for name, own in ordered.items()}, v={name: own.speed for name, own in ordered.items()}
        )
        points = {name: self._world(place) for name, place in self._markers().items()}
        self._note_left_out()
        markers = {name: self._add_frame(name, place) for name, place in points.items()}
        feet = find_feet(self.mech, default, points, self._spheres(), self.notes)
        return OsimModel(
            name=self.model.name,
            mech=self.mech,
            coordinates=ordered,
            default=default,
            markers=markers,
            chains=chains,
            feet=feet,
            joints=dict(anatomical_joints(self.mech, chains)),
            up=self.up,
            notes=tuple(self.notes),
        )

    # --- parts -------------------------------------------------------------------------------------------------------

    def _add_body(self, name: str, element: Element) -> None:
        if name == WORLD:
            raise element.error(f"a body cannot be called {WORLD!r}, which is what does not move here; give it another name.")
        mass, tensor = element.number("mass", 0.0), _tensor(element)
        if mass == 0.0 and tensor.any():
            self.notes.append(f"the body {name!r} has moments of inertia but no mass; they are left out.")
            tensor = np.zeros((3, 3))
        try:
            self.mech.add_body(name, Inertia(mass, element.numbers("mass_center", 3, (0.0, 0.0, 0.0)), tensor))
        except ModelError as problem:
            raise element.error(f"the body {name!r}: {problem}") from None

    def _add_joint(self, joint: JointRead, body: str | None) -> tuple[str, ...]:
        parent, child = joint_places(joint.element, self.places, body)
        self._join(joint, parent.body, child.body)
        parent, child = self._world(parent), self._world(child)
        links, carrier, pose = joint.chain.links, parent.body, parent.pose
        end = child.pose @ joint.chain.after.inverse()
        for link in links[:-1]:
            between = self._unused(f"{joint.name}.{link.coordinate}", self.mech.bodies)
            self.mech.add_body(between, Inertia(0.0))
            self.mech.add_joint(link.coordinate, link.type, carrier, between, pose @ link.before)
            carrier, pose = between, Pose()
        if links:
            self.mech.add_joint(links[-1].coordinate, links[-1].type, carrier, child.body, pose @ links[-1].before, end)
            return tuple(link.coordinate for link in links)
        name = self._unused(joint.name, self.mech.joints)
        self.mech.add_joint(name, Fixed(), carrier, child.body, pose, end)
        return (name,)

    def _add_frame(self, name: str, place: Place) -> str:
        frame = self._unused(name, self.mech.frames)
        self.mech.add_frame(frame, place.body, place.pose)
        return frame

    def _markers(self) -> dict[str, Place]:
        found: dict[str, Place] = {}
        for element in self.model.within("MarkerSet/objects/Marker"):
            if element.name in found:
                self.notes.append(f"the marker {element.name!r} is there twice; the first one is taken.")
                continue
            found[element.name] = point_place(element, self.places)
        return found

    def _spheres(self) -> list[tuple[Place, float]]:
        """Contact spheres: where each is, and its radius."""
        spheres = self.model.within("ContactGeometrySet/objects/ContactSphere")
        return [(self._world(point_place(own, self.places)), own.number("radius", 0.0)) for own in spheres]

    def _world(self, place: Place) -> Place:
        return Place(WORLD, self.up @ place.pose) if place.body == GROUND else place

    @staticmethod
    def _unused(name: str, taken: Iterable[str]) -> str:
        have = set(taken)
        return next(own for own in (name, *(f"{name} ({i})" for i in range(2, len(have) + 3))) if own not in have)

    # --- checks ------------------------------------------------------------------------------------------------------

    def _check_names(self, joints: Iterable[JointRead]) -> None:
        owner: dict[str, JointRead] = {}
        names: set[str] = set()
        for joint in joints:
            if not joint.name or joint.name in names:
                raise joint.element.error(f"two joints have the name {joint.name!r}; each needs one of its own.")
            names.add(joint.name)
            for own in joint.coordinates:
                if not own.name or own.name in owner:
                    raise joint.element.error(f"two coordinates have the name {own.name!r}; each needs one of its own.")
                owner[own.name] = joint

    def _root(self, body: str) -> str:
        while self.group[body] != body:
            body = self.group[body]
        return body

    def _join(self, joint: JointRead, parent: str, child: str) -> None:
        a, b = self._root(parent), self._root(child)
        if a == b:
            raise joint.element.error(
                f"the joint {joint.name!r} closes a loop between {parent!r} and {child!r}; loops of joints are not read. "
                "Cut one of these joints, and close the loop with Regraft's connect()."
            )
        self.group[b] = a

    def _check_connected(self) -> None:
        ground = self._root(GROUND)
        loose = [name for name in self.bodies if self._root(name) != ground]
        if loose:
            element = self.bodies[loose[0]]
            raise element.error(
                f"no joint leads from ground to {listed(loose)}; give each a joint, such as a FreeJoint to ground."
            )

    # --- notes -------------------------------------------------------------------------------------------------------

    def _note_axes(self) -> None:
        if not np.array_equal(self.up.rotation, np.eye(3)):
            self.notes.append("the file has y up; its ground is turned so that z is up (x, y, z becomes x, -z, y).")
        units = self.model.value("length_units")
        if units and units.lower() not in ("meters", "metres", "meter", "m"):
            self.notes.append(f"the file says that lengths are in {units!r}; they are taken as metres, as OpenSim does.")

    def _note_coordinates(self, joints: Iterable[JointRead], coordinates: Mapping[str, Coordinate]) -> None:
        unused = [name for joint in joints for name in joint.unused]
        if unused:
            self.notes.append(f"coordinates that move nothing are left out: {listed(unused)}.")
        for word, what in (("locked", "stay free"), ("prescribed", "stay free"), ("clamped", "may leave their ranges")):
            names = [own.name for own in coordinates.values() if getattr(own, word)]
            if names:
                self.notes.append(f"coordinates that are {word} in the file {what} here: {listed(names)}.")
        angular = [joint.name for joint in joints if joint.element.tag in ("BallJoint", "FreeJoint")]
        if angular:
            self.notes.append(
                f"the speeds and moments of {listed(angular)} belong to the rates of the three angles; "
                "OpenSim's belong to the angular velocity."
            )

    def _note_left_out(self) -> None:
        left = Counter(own.tag for path in _LEFT_OUT for own in self.model.within(path))
        wraps = [own for path in _WRAPS for own in self.model.within(path)]
        left.update(own.tag for own in wraps)
        if left:
            self.notes.append("left out: " + ", ".join(f"{count} {tag}" for tag, count in sorted(left.items())) + ".")
        constraints = [
            f"{own.tag} {own.name!r}"
            for own in self.model.within("ConstraintSet/objects/*")
            if not (own.truth("isDisabled") or own.value("isEnforced").lower() == "false")
        ]
        if constraints:
            told = f"constraints are left out, and their coordinates stay free: {', '.join(constraints)}."
            self.notes.append(told)
            warn(f"{self.model.file}: {told}")


_LEFT_OUT = ("ForceSet/objects/*", "ContactGeometrySet/objects/*", "ControllerSet/objects/*", "ProbeSet/objects/*")
_WRAPS = (
    "Ground/WrapObjectSet/objects/*",
    "BodySet/objects/Body/WrapObjectSet/objects/*",
)


def _bodies(model: Element) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for path in ("BodySet/objects/Body", "components/Body", "ComponentSet/objects/Body"):
        for element in model.within(path):
            if not element.name or element.name in found:
                raise element.error(f"two bodies have the name {element.name!r}; each needs one of its own.")
            found[element.name] = element
    found.pop(GROUND, None)
    if not found:
        raise model.error("the model has no bodies (<BodySet>).")
    return found


def _joints(model: Element) -> list[tuple[Element, str | None]]:
    """Every joint, and the body that it is written in, as it was before version 4."""
    old = [(joint, body.name) for body in model.within("BodySet/objects/Body") for joint in body.within("Joint/*")]
    new = [own for path in ("JointSet/objects/*", "components/*", "ComponentSet/objects/*") for own in model.within(path)]
    return [*old, *((own, None) for own in new if own.tag.endswith("Joint") or own in tuple(model.within("JointSet/objects/*")))]


def _tensor(element: Element) -> Array:
    if element.find("inertia") is not None:
        xx, yy, zz, xy, xz, yz = element.numbers("inertia", 6)
    else:
        xx, yy, zz, xy, xz, yz = (element.number(f"inertia_{i}", 0.0) for i in ("xx", "yy", "zz", "xy", "xz", "yz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
