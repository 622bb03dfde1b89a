"""The parts of a mechanism by name, as a graph, checked as they come."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import Pose, finite
from ..errors import ModelError, StructureError, listed, meant
from ..joints import JointType, is_registered
from ..structure.once import kept_first
from ..structure.structure import Structure
from .coordinates import Coordinates
from .inertia import Inertia
from .parts import WORLD, Actuator, Body, Coupling, Frame, Joint, Keyframe, Shape, Spring, check_name

Array = NDArray[np.float64]
G = TypeVar("G", bound="Graph")


class Follows:
    """What follows from the parts of a graph, once somebody has asked for it.

    A change of the graph makes another one of these. So what a thread has begun to derive before the change goes where nobody
    asks any more.
    """

    __slots__ = ("__dict__", "coordinates", "structure")

    def __init__(self, structure: Structure | None = None) -> None:
        self.structure = structure
        self.coordinates: Coordinates | None = None


class Graph:
    """Bodies, joints, frames and springs by name. It knows no root; what follows from it is its `structure`."""

    __slots__ = ("__dict__", "__weakref__", "follows")

    def __init__(self, gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        self._gravity = finite("gravity", gravity, (3,))
        self._gravity.flags.writeable = False
        self._bodies: dict[str, Body] = {}
        self._joints: dict[str, Joint] = {}
        self._frames: dict[str, Frame] = {}
        self._springs: dict[str, Spring] = {}
        self._shapes: dict[str, Shape] = {}
        self._couplings: dict[str, Coupling] = {}
        self._actuators: dict[str, Actuator] = {}
        self._keyframes: dict[str, Keyframe] = {}
        self._extras: dict[str, Any] = {}
        self._former_bases: dict[str, Joint] = {}
        self._is_frozen = False
        self.follows = Follows()

    # --- describe ----------------------------------------------------------------------------------------------------

    def add_body(self, name: str, inertia: Inertia) -> None:
        """Add a rigid body; join it to others with `add_joint`.

        Parameters
        ----------
        name : str
            A name that no body and no frame has.
        inertia : Inertia
            Its mass and how that is spread, in the body's axes.

        Raises
        ------
        ModelError
            If the name is taken.
        """
        self._check_new(name, "body")
        self._bodies[name] = Body(name, checked_inertia(name, inertia))
        self._changed()

    def add_joint(
        self,
        name: str,
        joint: JointType,
        parent: str,
        child: str,
        parent_pose: Pose = Pose(),  # noqa: B008 (a pose is immutable)
        child_pose: Pose = Pose(),  # noqa: B008
    ) -> None:
        """Join two bodies; a body without a way to the world needs a `Free()` joint to it.

        Parameters
        ----------
        name : str
            A name that no joint has.
        joint : JointType
            The kind of joint, such as ``Revolute((0, 1, 0))``.
        parent, child : str
            The two bodies; the joint's coordinates are the motion of the child relative to the parent.
        parent_pose, child_pose : Pose, optional
            Where the joint's frame is on either body; by default at its origin, with its axes.

        Raises
        ------
        ModelError
            If the name is taken or there is no such body.
        """
        self._check_new(name, "joint")
        new = Joint(name, joint, parent, child, parent_pose, child_pose)
        self._check_parts(new)
        places = parent_pose.orthonormal(), child_pose.orthonormal()
        same = places[0] is parent_pose and places[1] is child_pose
        self._joints[name] = new if same else Joint(name, joint, parent, child, *places)
        self._changed()

    def add_frame(self, name: str, body: str, pose: Pose = Pose()) -> None:  # noqa: B008
        """Name a place on a body.

        Parameters
        ----------
        name : str
            A name that no frame and no body has.
        body : str
            The body that carries it.
        pose : Pose, optional
            Where it is on that body.

        Raises
        ------
        ModelError
            If the name is taken or there is no such body.
        """
        self._check_new(name, "frame")
        self._check_body(body, "body of frame", name)
        check_pose("frame", name, "pose", pose)
        self._frames[name] = Frame(name, body, pose.orthonormal())

    def add_spring(
        self,
        name: str,
        body_a: str,
        point_a: ArrayLike,
        body_b: str,
        point_b: ArrayLike,
        *,
        stiffness: float,
        damping: float = 0.0,
        rest_length: float = 0.0,
    ) -> None:
        """Put a spring and a damper between two points.

        Parameters
        ----------
        name : str
            A name that no spring has.
        body_a, body_b : str
            The two bodies.
        point_a, point_b : (3,) array_like
            Where its ends are, each in the axes of its body.
        stiffness : float
            In N/m.
        damping : float, optional
            In N s/m.
        rest_length : float, optional
            In metres.

        Raises
        ------
        ModelError
            If the name is taken, there is no such body, both ends are on one body or a number is negative.
        """
        self._check_new(name, "spring")
        self._check_body(body_a, "body_a of spring", name)
        self._check_body(body_b, "body_b of spring", name)
        if body_a == body_b:
            raise ModelError(f"spring {name!r}: both ends are on the body {body_a!r}; it would do nothing.")
        numbers = [finite(f"spring {name!r}: {what}", x, ()) for what, x in
                   (("stiffness", stiffness), ("damping", damping), ("rest_length", rest_length))]  # fmt: skip
        if any(x < 0 for x in numbers):
            raise ModelError(f"spring {name!r}: stiffness, damping and rest_length must not be negative.")
        ends = [finite(f"spring {name!r}: {what}", x, (3,)) for what, x in (("point_a", point_a), ("point_b", point_b))]
        point_a_, point_b_ = (_triple(end) for end in ends)
        self._springs[name] = Spring(name, body_a, point_a_, body_b, point_b_, *(float(x) for x in numbers))
        self._changed()

    # --- read --------------------------------------------------------------------------------------------------------

    @property
    def gravity(self) -> Array:
        """The acceleration of free fall."""
        return self._gravity

    @property
    def bodies(self) -> Mapping[str, Body]:
        """The bodies by name, without the world."""
        return MappingProxyType(self._bodies)

    @property
    def joints(self) -> Mapping[str, Joint]:
        """The joints by name, loop joints too."""
        return MappingProxyType(self._joints)

    @property
    def frames(self) -> Mapping[str, Frame]:
        """The frames by name."""
        return MappingProxyType(self._frames)

    @property
    def springs(self) -> Mapping[str, Spring]:
        """The springs by name."""
        return MappingProxyType(self._springs)

    @property
    def extras(self) -> dict[str, Any]:
        """What a file format knows besides, as plain data under the format's name, so that it can be written again.

        Copies of a mechanism share these data until one is given others: put another entry there rather than change one.
        """
        return MappingProxyType(self._extras) if self._is_frozen else self._extras  # type: ignore[return-value]

    def copy(self: G) -> G:
        """A mechanism that can be changed without changing this one.

        Returns
        -------
        Mechanism
        """
        twin = self.__class__.__new__(self.__class__)
        twin.__dict__, twin.follows = self.__dict__.copy(), self.follows
        twin._bodies, twin._joints = self._bodies.copy(), self._joints.copy()
        twin._frames, twin._springs = self._frames.copy(), self._springs.copy()
        twin._shapes, twin._couplings = self._shapes.copy(), self._couplings.copy()
        twin._actuators, twin._keyframes = self._actuators.copy(), self._keyframes.copy()
        twin._extras, twin._former_bases = self._extras.copy(), self._former_bases.copy()
        twin._is_frozen = False
        return twin

    def __copy__(self: G) -> G:
        return self.copy()

    # --- what follows --------------------------------------------------------------------------------------------------

    @property
    def structure(self) -> Structure:
        """The layout of states, the spanning tree, the loops, and the memory of kernels; another one after every change."""
        follows = self.follows
        if follows.structure is None:
            parts = dict(self._bodies), dict(self._joints), dict(self._springs)  # as they are now, whatever other threads add
            follows.structure = kept_first(follows, "first_structure", Structure.of(*parts, dict(self._couplings), self._gravity))
        return follows.structure

    @property
    def coordinates(self) -> Coordinates:
        """The coordinates of all joints, loop joints too."""
        follows = self.follows
        if follows.coordinates is None:
            made = Coordinates(self.structure.layout, dict(self._joints))
            follows.coordinates = kept_first(follows, "first_coordinates", made)
        return follows.coordinates

    def _changed(self, structure: Structure | None = None) -> None:
        """Forget what followed from the parts as they were; what follows now may be known already."""
        self.follows = Follows(structure)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__  # all but what follows, which has memory of this process

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.follows = Follows()
        self._gravity.flags.writeable = False  # which an array forgets on the way

    # --- check ---------------------------------------------------------------------------------------------------------

    def _check_changeable(self, part: str) -> None:
        if self._is_frozen:
            raise StructureError(
                f"{part} cannot be added: this mechanism is frozen, as the one that a simulation shows to its functions. Add it "
                "to mech.copy(), or let the action of an event change the structure."
            )

    def _check_parts(self, joint: Joint) -> None:
        """A joint of a registered type between two bodies that there are."""
        name = joint.name
        check_type(name, joint.type)
        self._check_body(joint.parent, "parent of joint", name)
        self._check_body(joint.child, "child of joint", name)
        if joint.parent == joint.child:
            raise ModelError(f"joint {name!r}: parent and child are the same body {joint.parent!r}; join it to another one.")
        check_pose("joint", name, "parent_pose", joint.parent_pose)
        check_pose("joint", name, "child_pose", joint.child_pose)

    def _check_former_base(self, joint: Joint) -> None:
        check_name(joint.name, "a joint")
        self._check_parts(joint)
        if WORLD not in (joint.parent, joint.child):
            raise ModelError(f"joint {joint.name!r} cannot have been the base of a tree: it does not join a body to the world.")

    def _check_new(self, name: str, kind: str) -> None:
        """A part may be added, and its name is one that it can have."""
        if self._is_frozen:
            self._check_changeable(f"the {kind} {name!r}")
        self._check_new_name(name, kind)

    def _check_new_name(self, name: str, kind: str) -> None:
        check_name(name, _ONE[kind])
        if name in self.__dict__[_TABLE_OF[kind]] or (kind == "body" and name == WORLD):
            raise ModelError(f"there is already {_ONE[kind]} {name!r}; choose another name.")
        if kind in ("body", "frame") and (name in self._bodies or name in self._frames):
            raise ModelError(
                f"there is already a body or frame {name!r}: both are places, so they share their names; choose another."
            )
        if kind == "frame" and name == WORLD:
            raise ModelError("a frame cannot be called 'world'; choose another name.")

    def _check_body(self, name: str, role: str, part: str) -> None:
        if not isinstance(name, str) or (name != WORLD and name not in self._bodies):
            raise ModelError(
                f"{role} {part!r}: there is no body {name!r}; add it first with add_body. {known('bodies', self._bodies, name)}"
            )

    def _check_joint(self, name: str) -> None:
        if not isinstance(name, str) or name not in self._joints:
            raise ModelError(f"there is no joint {name!r}. {known('joints', self._joints, name)}")


_TABLE_OF = {
    "body": "_bodies", "joint": "_joints", "frame": "_frames", "spring": "_springs",
    "shape": "_shapes", "coupling": "_couplings", "actuator": "_actuators", "keyframe": "_keyframes",
}  # fmt: skip
_ONE = {kind: f"{'an' if kind == 'actuator' else 'a'} {kind}" for kind in _TABLE_OF}
PARTS = tuple(table.removeprefix("_") for table in _TABLE_OF.values())
"""The tables of all parts, as users know them."""


def _triple(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def check_type(joint: str, kind: JointType) -> None:
    """Reject what is not a joint type, and one that kernels do not know."""
    if not isinstance(kind, JointType):
        raise ModelError(f"joint {joint!r}: give a joint type, such as Revolute((0, 0, 1)), not {kind!r}.")
    if not is_registered(kind):
        raise ModelError(
            f"joint {joint!r}: {type(kind).__name__} is not in the registry; add it to JOINT_TYPES in regraft.joints."
        )


def known(what: str, table: Mapping[str, Any], name: object = None) -> str:
    """The end of an error about a name that is not there: those that are, and which of them may be meant."""
    return f"Known {what}: {listed(table)}.{meant(name, table)}"


def checked_inertia(body: str, inertia: Inertia) -> Inertia:
    """What was given as a body's inertia, if it is one."""
    if not isinstance(inertia, Inertia):
        raise ModelError(f"body {body!r}: inertia must be an Inertia, such as Inertia(mass=1.0), not {inertia!r}.")
    return inertia


def check_pose(kind: str, name: str, which: str, pose: Pose) -> None:
    """Reject what is not a pose."""
    if not isinstance(pose, Pose):
        raise ModelError(f"{kind} {name!r}: {which} must be a Pose, such as Pose(translation=(0, 0, 1)), not {pose!r}.")


def by_name(what: str, whose: str, table: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """What was given by the names of parts; nothing where it is None."""
    if table is not None and not isinstance(table, Mapping):
        raise ModelError(f"{what} must be given by the names of the {whose} it is for, as a dict, not as {table!r}.")
    return table or {}
