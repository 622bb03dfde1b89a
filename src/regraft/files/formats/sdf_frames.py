"""Where the frames of an SDF model are: every pose is relative to some frame, and these make a tree."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ...algebra.pose import Pose
from ...errors import ModelError
from ...xml_elements import Element
from .urdf_poses import pose_of

MODEL, WORLD_NAMES = "__model__", ("world", "__root__")
SCOPE = "::"


def own_pose(element: Element | None) -> Pose:
    """The pose that a <pose> element says, relative to what it names; the identity where there is none."""
    if element is None or not element.text:
        return Pose()
    if element.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, *turn = element.own_numbers(7).tolist()
        size = math.hypot(*turn)
        if size == 0.0:
            raise element.error("the quaternion of <pose> is zero.")
        return Pose.from_quaternion([part / size for part in (turn[3], *turn[:3])], (x, y, z))
    x, y, z, *angles = element.own_numbers(6).tolist()
    if element.attributes.get("degrees", "false").lower() in ("true", "1"):
        angles = [math.radians(angle) for angle in angles]
    return pose_of((x, y, z), tuple(angles))


@dataclass(slots=True)
class Named:
    """A frame of a model.

    Attributes
    ----------
    element : Element
        Where it is in the file, for errors.
    pose : Pose
        Relative to `base`.
    base : str
        The frame that its pose is relative to.
    on : str
        The frame that it is attached to; its own name if it is a link, empty for that of the whole model.
    """

    element: Element
    pose: Pose
    base: str
    on: str


@dataclass(slots=True)
class Frames:
    """All frames of a model by name, those of models in it after their names and "::"."""

    model: Element
    known: dict[str, Named] = field(default_factory=dict)
    placed: dict[str, Pose] = field(default_factory=dict)

    def add(self, name: str, element: Element, pose: Pose, base: str, on: str) -> None:
        """Note a frame down; no name twice."""
        if not name or name in WORLD_NAMES:
            raise element.error(f"a <{element.tag}> cannot have the name {name!r}.")
        if name in self.known:
            raise element.error(f"there are two parts {name!r}; the other is in line {self.known[name].element.line}.")
        self.known[name] = Named(element, pose, base, on)

    def find(self, name: str, scope: str, element: Element) -> str:
        """The frame that a name means in a model with this scope; empty for the world."""
        if name in WORLD_NAMES:
            return ""
        own = (scope.removesuffix(SCOPE) or MODEL) if name == MODEL else scope + name
        if own not in self.known:
            raise element.error(f"there is no link, joint, frame or model {name!r} here.")
        return own

    def place(self, name: str) -> Pose:
        """Where a frame is in the world when all joints are at zero."""
        chain: dict[str, None] = {}  # in order, and found at once however long it is
        at = name
        while at and at not in self.placed:
            if at in chain:
                raise self.known[at].element.error(f"the pose of {at!r} is relative to itself, by way of other frames.")
            chain[at] = None
            base = self.known[at].base
            if base and base not in self.known:
                raise self.known[at].element.error(f"the pose of {at!r} is relative to {base!r}, which is not there.")
            at = base
        pose = self.placed[at] if at else Pose()
        for one in reversed(chain):
            pose = (pose @ self.known[one].pose).orthonormal()
            self.placed[one] = pose
        return pose

    def link_of(self, name: str, element: Element) -> str:
        """The link that a frame belongs to; empty for the world."""
        seen: set[str] = set()
        at = name
        while at and self.known[at].on != at:
            if at in seen:
                raise element.error(f"the frame {name!r} is attached to itself, by way of other frames.")
            seen.add(at)
            at = self.known[at].on
            if at and at not in self.known:
                raise element.error(f"{name!r} is attached to {at!r}, which is not there.")
        return at


def checked(element: Element, problem: ModelError) -> ModelError:
    """An error of ours with the line of the element that it is about."""
    return problem if str(problem).startswith(element.file) else element.error(str(problem))
