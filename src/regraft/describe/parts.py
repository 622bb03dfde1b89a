"""The parts of a mechanism, each with its name: bodies, joints, frames, springs, and what is fitted to them. All immutable."""

from __future__ import annotations

import math
from collections.abc import Collection
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

UNBOUNDED = (-math.inf, math.inf)
"""A range without bounds."""


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
    """A motor or servo by name, as `Mechanism.actuators` has it: a law from a control to torques of joints.

    With a length l = Σ gear · q, the torque of the motor is f = (gain₀ + gain₁ l + gain₂ l̇) · control + bias₀ + bias₁ l +
    bias₂ l̇, and each joint gets gear · f. A plain motor has f = control, a position servo f = k (control − l) − d l̇.

    Attributes
    ----------
    name : str
        Its name.
    joints : tuple of (str, float)
        The joints that it drives, each with its gear: torque of the joint per torque of the motor.
    gain : (3,) tuple of float
        Torque per control: constant, by length and by its rate.
    bias : (3,) tuple of float
        Torque without any control: constant, by length and by its rate.
    control_range, force_range : (2,) tuple of float
        What control and torque, before the gear, are kept within; infinite where there is no bound.
    """

    name: str
    joints: tuple[tuple[str, float], ...]
    gain: tuple[float, float, float] = (1.0, 0.0, 0.0)
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    control_range: tuple[float, float] = UNBOUNDED
    force_range: tuple[float, float] = UNBOUNDED

    @property
    def joint(self) -> str:
        """The joint that it drives; an error where there are several, which `joints` has."""
        self._only_one()
        return self.joints[0][0]

    @property
    def gear(self) -> float:
        """Torque of that joint per torque of the motor."""
        self._only_one()
        return self.joints[0][1]

    def _only_one(self) -> None:
        if len(self.joints) > 1:
            raise ModelError(f"actuator {self.name!r} drives {len(self.joints)} joints: ask for its joints, not for one.")

    @property
    def is_motor(self) -> bool:
        """Whether its torque is a fixed multiple of the control, and 0 without any."""
        return not (self.gain[1] or self.gain[2] or any(self.bias))

    @property
    def effort(self) -> float:
        """The largest torque of the motor, before the gear; infinite where there is no bound.

        What `force_range` lets through, and for a plain motor what `control_range` does, whichever is less.
        """
        most = max(abs(bound) for bound in self.force_range)
        if self.is_motor and self.gain[0]:
            most = min(most, max(abs(self.gain[0] * bound) for bound in self.control_range))
        return most

    def drives(self, joints: Collection[str]) -> bool:
        """Whether one of its joints is among these."""
        return any(joint in joints for joint, _ in self.joints)

    def is_within(self, joints: Collection[str]) -> bool:
        """Whether all of its joints are among these."""
        return all(joint in joints for joint, _ in self.joints)


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
