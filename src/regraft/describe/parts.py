"""The parts of a mechanism, each with its name: bodies, joints, frames, springs, and what is fitted to them. All immutable."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..errors import ModelError
from ..joints import JointType
from ..structure.layout import WORLD
from .inertia import Inertia
from .shapes import Form

__all__ = ["WORLD", "Actuator", "Body", "Coupling", "Frame", "Joint", "Keyframe", "Shape", "Spring", "check_name"]


def check_name(name: object, whose: str) -> None:
    """Reject what cannot be the name of a part: names are printed, so nothing in them may act on a terminal or be invisible."""
    if not isinstance(name, str) or not name:
        raise ModelError(f"{whose}'s name must be a text that is not empty, not {name!r}.")
    if not name.isprintable():
        odd = next(c for c in name if not c.isprintable())
        raise ModelError(f"{whose}'s name cannot be {name!r}: the character {odd!a} cannot be shown. Leave it out.")


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body, as `Mechanism.bodies` has it.

    Attributes
    ----------
    name : str
        Its name.
    inertia : Inertia
        Its mass and how that is spread.
    """

    name: str
    inertia: Inertia


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint between two bodies, as `Mechanism.joints` has it.

    Attributes
    ----------
    name : str
        Its name.
    type : JointType
        Its kind, with axes, damping and limits.
    parent, child : str
        The two bodies; its coordinates are the motion of the child relative to the parent.
    parent_pose, child_pose : Pose
        Where the joint's frame is on either body.
    """

    name: str
    type: JointType
    parent: str
    child: str
    parent_pose: Pose
    child_pose: Pose

    def places(self) -> NDArray[np.float64]:
        """(2, 12): the poses of its frame on parent and child as rows."""
        return np.array((self.parent_pose.row, self.child_pose.row))


@dataclass(frozen=True, slots=True)
class Frame:
    """A named place on a body, as `Mechanism.frames` has it.

    Attributes
    ----------
    name : str
        Its name.
    body : str
        The body that carries it.
    pose : Pose
        Where it is on that body.
    """

    name: str
    body: str
    pose: Pose


@dataclass(frozen=True, slots=True)
class Spring:
    """A spring with a damper between a point on one body and a point on another, as `Mechanism.springs` has it.

    Attributes
    ----------
    name : str
        Its name.
    body_a, body_b : str
        The two bodies.
    point_a, point_b : tuple of float
        Where its ends are, each in the axes of its body.
    stiffness : float
        In N/m.
    damping : float
        In N s/m.
    rest_length : float
        In metres.
    """

    name: str
    body_a: str
    point_a: tuple[float, float, float]
    body_b: str
    point_b: tuple[float, float, float]
    stiffness: float
    damping: float
    rest_length: float


@dataclass(frozen=True, slots=True)
class Shape:
    """A form on a body, to be seen, to be touched or both, as `Mechanism.shapes` has it.

    Attributes
    ----------
    name : str
        Its name.
    body : str
        The body that carries it; the world may carry shapes too.
    form : Box, Sphere, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Ground or Surface
        What it looks like.
    pose : Pose
        Where its frame is on that body.
    visual, collision : bool
        Whether it is there to be seen, and to be touched.
    color : tuple of float or None
        Red, green, blue and opacity, from 0 to 1.
    """

    name: str
    body: str
    form: Form
    pose: Pose
    visual: bool = True
    collision: bool = True
    color: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Coupling:
    """A joint whose position is a linear function of those of others, as `Mechanism.couplings` has it.

    Attributes
    ----------
    name : str
        Its name.
    drivers : tuple of (str, float)
        The joints that it follows, each with its ratio.
    driven : str
        The joint that follows: q = Σ ratio · q of each driver + offset.
    offset : float
        Its position where all drivers are at 0.
    """

    name: str
    drivers: tuple[tuple[str, float], ...]
    driven: str
    offset: float = 0.0

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints that it couples, the driven one last."""
        return (*(joint for joint, _ in self.drivers), self.driven)


@dataclass(frozen=True, slots=True)
class Actuator:
    """A motor by name, as `Mechanism.actuators` has it.

    Attributes
    ----------
    name : str
        Its name.
    joint : str
        The joint that it drives.
    gear : float
        Torque of the joint per torque of the motor.
    effort : float
        The largest torque of the motor, before the gear; infinite where there is no bound.
    """

    name: str
    joint: str
    gear: float = 1.0
    effort: float = math.inf


@dataclass(frozen=True, slots=True)
class Keyframe:
    """A state with a name, as `Mechanism.keyframes` has it; `Mechanism.keyframe` makes the state of it.

    Attributes
    ----------
    name : str
        Its name.
    q, v : tuple of (str, tuple of float)
        Positions and velocities, by the names of joints.
    """

    name: str
    q: tuple[tuple[str, tuple[float, ...]], ...]
    v: tuple[tuple[str, tuple[float, ...]], ...]
