"""Where joints, frames and markers of an OpenSim file sit: a body, and a pose on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...algebra.pose import Pose
from ...errors import listed
from ...xml_elements import Element

GROUND = "ground"


class Place(NamedTuple):
    """A pose on a body, in the file's own axes."""

    body: str
    pose: Pose


def offset(element: Element, translation: str, orientation: str) -> Pose:
    """A pose from its translation and its angles about x, y and z, each about the axes that the ones before have turned."""
    x, y, z = element.numbers(orientation, 3, (0.0, 0.0, 0.0))
    turned = Pose.about((1, 0, 0), x) @ Pose.about((0, 1, 0), y) @ Pose.about((0, 0, 1), z)
    return Pose(turned.rotation, element.numbers(translation, 3, (0.0, 0.0, 0.0)))


class Places:
    """The bodies of a model and the frames that are fixed to them, found by the paths that the file has for them."""

    def __init__(self, bodies: set[str], model: Element) -> None:
        self.bodies = bodies
        self.shared: dict[str, Element] = {}
        self.owner: dict[Element, str] = {}
        for owner in _owners(model):
            for frame in _frames(owner):
                self.owner[frame] = owner.name
                self.shared.setdefault(f"{owner.name}/{frame.name}", frame)
                self.shared.setdefault(frame.name, frame)

    def of(self, path: str, user: Element) -> Place:
        """Where a path such as "/bodyset/pelvis" or "femur_r_offset" leads to from an element that uses it."""
        pose, element, seen = Pose(), user, set[Element]()
        while True:
            name = path.strip().split("/")[-1]
            frame = self._frame(path, element)
            if frame is None:
                break
            if frame in seen:
                raise user.error(f"{user.tag} {user.name!r}: the frame {name!r} is fixed to itself.")
            seen.add(frame)
            pose = offset(frame, "translation", "orientation") @ pose
            path, element = socket(frame, "parent"), frame
            if path.strip("/ ") == "..":
                path = self.owner.get(frame, path)
        if name != GROUND and name not in self.bodies:
            raise user.error(
                f"{user.tag} {user.name!r} sits on {path.strip()!r}, and there is no such body or frame; "
                f"the bodies are: {listed(sorted(self.bodies))}."
            )
        return Place(name, pose)

    def _frame(self, path: str, user: Element) -> Element | None:
        words = path.strip().split("/")
        if words[0] != "" and "bodyset" not in words and (len(words) == 1 or set(words[:-1]) == {".."}):
            own = next((frame for frame in _frames(user) if frame.name == words[-1]), None)
            if own is not None:
                return own
        if "bodyset" in words and words[-1] in self.bodies:
            return None
        found = self.shared.get("/".join(words[-2:]))
        if found is not None:
            return found
        return None if words[-1] in self.bodies or words[-1] == GROUND else self.shared.get(words[-1])


def socket(element: Element, name: str) -> str:
    """The path in a socket, as the versions 4.x have it, or in a connector, as those before 4.0 was finished."""
    found = element.value(f"socket_{name}", f"socket_{name}_connectee_name")
    if found:
        return found
    return next((own.value("connectee_name") for own in element.within("connectors/*") if own.name == name), "")


def joint_places(element: Element, places: Places, body: str | None) -> tuple[Place, Place]:
    """Where a joint sits on its parent and on its child; `body` is the one that it is written in, before version 4."""
    if body is not None:
        on_parent = places.of(element.value("parent_body"), element)
        parent = Place(on_parent.body, on_parent.pose @ offset(element, "location_in_parent", "orientation_in_parent"))
        child = Place(body, offset(element, "location", "orientation"))
    else:
        parent = places.of(socket(element, "parent_frame"), element)
        child = places.of(socket(element, "child_frame"), element)
    return (child, parent) if element.truth("reverse") else (parent, child)


def point_place(element: Element, places: Places) -> Place:
    """Where a marker or a contact sphere sits."""
    path = socket(element, "parent_frame") or socket(element, "frame") or element.value("body", "body_name")
    place = places.of(path, element)
    return Place(place.body, place.pose @ Pose(translation=element.numbers("location", 3, (0.0, 0.0, 0.0))))


def _owners(model: Element) -> Iterator[Element]:
    for path in ("BodySet/objects/*", "JointSet/objects/*", "Ground", "components/*", "ComponentSet/objects/*"):
        yield from model.within(path)
    yield model


def _frames(owner: Element) -> Iterator[Element]:
    for path in ("frames/PhysicalOffsetFrame", "components/PhysicalOffsetFrame"):
        yield from owner.within(path)


def turned_up(gravity: np.ndarray) -> Pose:
    """The file's axes in a world with z up: most files have y up, and gravity tells."""
    along = int(np.abs(gravity).argmax())
    if along == 2 and gravity[2] < 0.0:
        return Pose()
    return Pose([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
