"""A mechanism's tree as MJCF has it: bodies in bodies, each on a chain of hinges, slides and balls, given in its own frame.

The pose of a body in the one it hangs on is N E₁(q₁) L₁ E₂(q₂) L₂ … with elementary motions E and fixed poses L. With the
position rᵢ at which MuJoCo is to have its zero, E(q) = E(r) E(q − r); so it is

    N E₁(r₁) T₁ · G₁ E₁(q₁ − r₁) G₁⁻¹ · G₂ E₂(q₂ − r₂) G₂⁻¹ …

where Tᵢ = Lᵢ Eᵢ₊₁(rᵢ₊₁) Tᵢ₊₁ is the body seen from the i-th motion, and Gᵢ = Tᵢ⁻¹ is where that motion's frame is on the body.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...describe.mechanism import Mechanism
from ...describe.parts import WORLD, Joint
from ...describe.state import State
from ...joints import JointType
from .mjcf_source import Names

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """An elementary motion: a joint of MJCF, and the part of one of the mechanism's joints that it is.

    Attributes
    ----------
    kind : str
        "hinge", "slide", "ball" or "free".
    name : str
        Its name in the file.
    joint : Joint
        The joint of the mechanism that it is, or is a part of.
    number : int
        Which of that joint's numbers it has, if it has one.
    axis : array
        Of hinges and slides, in the joint's frame.
    factor : float
        Its number per number of the joint: 1, but for the slide of a screw.
    backwards : bool
        Whether the walk goes from the joint's child to its parent.
    place : Pose
        The joint's frame on the body that the motion moves.
    ref : float
        Its number where MuJoCo starts.
    """

    kind: str
    name: str
    joint: Joint
    number: int = 0
    axis: Array = field(default_factory=lambda: np.zeros(3))
    factor: float = 1.0
    backwards: bool = False
    place: Pose = field(default_factory=Pose)
    ref: float = 0.0

    @property
    def follows(self) -> bool:
        """Whether it is the slide of a screw, which follows the hinge."""
        return self.kind == "slide" and type(self.joint.type).__name__ == "Helical"

    def at(self, value: float) -> Pose:
        """The pose that a hinge or a slide gives."""
        if self.kind == "hinge":
            return Pose.about(self.axis, value) if value else Pose()
        return Pose(translation=value * self.axis)


@dataclass(frozen=True)
class Link:
    """A body of the file: the one that it hangs on, its pose there, and its joints."""

    body: str
    onto: str
    pose: Pose
    motions: tuple[Motion, ...]


@dataclass
class Walk:
    """The tree of a mechanism, from the world outwards."""

    mech: Mechanism
    state: State
    problems: list[str] = field(default_factory=list)
    """What MJCF cannot hold."""

    def __post_init__(self) -> None:
        self.names = Names(*self.mech.joints)
        tree = [self.mech.joints[name] for name in self.mech.layout.names]
        self.around: dict[str, list[Joint]] = {}
        for joint in tree:
            for end in (joint.parent, joint.child):
                self.around.setdefault(end, []).append(joint)
        self.occupied = _occupied(self.mech)

    def links(self) -> Iterator[Link]:
        """All bodies, depth first; those without mass that only stand between two joints are left out."""
        waiting: list[tuple[str, Joint]] = [(WORLD, joint) for joint in reversed(self.around.get(WORLD, []))]
        while waiting:
            onto, joint = waiting.pop()
            steps: list[tuple[Pose, list[Motion], Pose]] = []
            here = onto
            while True:
                backwards = joint.child == here
                near, far = (joint.child_pose, joint.parent_pose) if backwards else (joint.parent_pose, joint.child_pose)
                steps.append((near, self._motions(joint, backwards), far))
                here = joint.parent if backwards else joint.child
                onwards = [other for other in self.around[here] if other is not joint]
                if not self._between(here, onwards, steps[-1][1]):
                    break
                (joint,) = onwards
            yield self._link(here, onto, steps)
            waiting += [(here, other) for other in reversed(onwards)]

    def _between(self, body: str, onwards: list[Joint], motions: list[Motion]) -> bool:
        """Whether a body only stands between two joints of the next one; one that needs mass and has none is a problem."""
        if not motions or self._has_mass(body, onwards):
            return False
        if len(onwards) != 1 or body in self.occupied or _kinds(motions) & {"free", "ball"}:
            self.problems.append(f"body {body!r}: MuJoCo asks for mass on what moves, and it has none")
            return False
        return True

    def _has_mass(self, body: str, onwards: list[Joint]) -> bool:
        """Whether a body, or one that is fixed to it on the way outwards, has mass."""
        if self.mech.bodies[body].inertia.mass > 0.0:
            return True
        fixed = [joint for joint in onwards if joint.type.nv == 0]
        ends = [(joint.parent if joint.child == body else joint.child, joint) for joint in fixed]
        return any(self._has_mass(end, [other for other in self.around[end] if other is not joint]) for end, joint in ends)

    def _motions(self, joint: Joint, backwards: bool) -> list[Motion]:
        """A joint as elementary motions, in the direction of the walk."""
        parts = elementary(joint.type, on_world=WORLD in (joint.parent, joint.child))
        if parts is None:
            what = "free joints on the world alone" if joint.type.nv == 6 else f"nothing like {type(joint.type).__name__}"
            self.problems.append(f"joint {joint.name!r}: MJCF has {what}")
            return []
        found = []
        for kind, suffix, number, axis, factor in parts:
            name = self.names.make(f"{joint.name}{suffix}") if suffix else joint.name
            along = np.zeros(3) if axis is None else np.array(axis) * (-1.0 if backwards else 1.0)
            value = self.state.q[self.mech.q_slice(joint.name)][number] * factor if axis is not None else 0.0
            found.append(Motion(kind, name, joint, number, along, factor, backwards, ref=float(value)))
        return found[::-1] if backwards else found

    def _link(self, body: str, onto: str, steps: list[tuple[Pose, list[Motion], Pose]]) -> Link:
        """The body with its joints in its own frame."""
        seen, done = Pose(), list[Motion]()
        for near, motions, far in reversed(steps):
            seen = far.inverse() @ seen
            for motion in reversed(motions):
                done.append(replace(motion, place=seen.inverse()))
                seen = motion.at(motion.ref) @ seen if motion.kind in ("hinge", "slide") else seen
            seen = near @ seen
        chain = tuple(reversed(done))
        turned = [motion.kind for motion in chain if motion.kind != "slide"]
        if "ball" in turned[:-1]:
            self.problems.append(f"body {body!r}: MuJoCo has no joint that turns after a ball joint on the same body")
        if "free" in turned:
            motion = chain[0]
            return Link(body, onto, free_pose(motion, self.state.q[self.mech.q_slice(motion.joint.name)]), chain)
        return Link(body, onto, seen, chain)


def free_pose(motion: Motion, q: Array) -> Pose:
    """Where a body on a free joint is in the world."""
    joint = motion.joint
    child_in_parent = joint.parent_pose @ joint.type.pose(q) @ joint.child_pose.inverse()
    return child_in_parent.inverse() if motion.backwards else child_in_parent


def elementary(kind: JointType, *, on_world: bool) -> list[tuple[str, str, int, Any, float]] | None:
    """(kind, end of the name, which number, axis, factor) of each elementary motion; None where MJCF has nothing like it."""
    own = kind.arguments()
    what = type(kind).__name__
    if what == "Fixed":
        return []
    if what in ("Revolute", "Prismatic"):
        return [("hinge" if what == "Revolute" else "slide", "", 0, own["axis"], 1.0)]
    if what == "Cylindrical":
        return [("hinge", "_turn", 0, own["axis"], 1.0), ("slide", "_slide", 1, own["axis"], 1.0)]
    if what == "Helical":
        return [("hinge", "", 0, own["axis"], 1.0), ("slide", "_slide", 0, own["axis"], float(own["pitch"]))]
    if what == "Universal":
        return [("hinge", "_1", 0, own["axis1"], 1.0), ("hinge", "_2", 1, own["axis2"], 1.0)]
    if what == "Planar":
        x, normal = kind.parameters()[3:], own["normal"]
        return [("slide", "_x", 0, x, 1.0), ("slide", "_y", 1, np.cross(normal, x), 1.0), ("hinge", "_turn", 2, normal, 1.0)]
    if what == "Spherical":
        return [("ball", "", 0, None, 1.0)]
    if what == "Free" and on_world:
        return [("free", "", 0, None, 1.0)]
    return None


def _kinds(motions: list[Motion]) -> set[str]:
    return {motion.kind for motion in motions}


def _occupied(mech: Mechanism) -> set[str]:
    """Bodies that carry something, or that loops and springs hold on to."""
    loops = [mech.joints[name] for name in mech.loop_joints]
    found = {part.body for table in (mech.frames, mech.shapes) for part in table.values()}
    found |= {end for spring in mech.springs.values() for end in (spring.body_a, spring.body_b)}
    return found | {end for joint in loops for end in (joint.parent, joint.child)}
