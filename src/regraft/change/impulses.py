"""The impulses that joints transmit in an impact: those that take hold, and all others, which feel it too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import POSE
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint
from ..kernels.tables import BODY, JOINT, PARENT
from ..structure.structure import Structure

Array = NDArray[np.float64]


class Impulses(Mapping[str, Array]):
    """(6,) of every joint by name: the (moment, force) impulse on its child, about its frame there, in world axes. Immutable.

    Those of the loop joints come with the impact. Those of the tree joints follow from them and from the change of each body's
    momentum, and are computed when the first of them is asked for.
    """

    __slots__ = ("_all", "_impact")

    def __init__(self, known: Impact | Mapping[str, Array]) -> None:
        self._impact = known if isinstance(known, Impact) else None
        self._all = None if isinstance(known, Impact) else known

    def __getitem__(self, joint: str) -> Array:
        impact = self._impact
        found = None if impact is None else impact.of_loop(joint)
        return self._whole()[joint] if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return self.keys() == other.keys() and all(np.array_equal(impulse, other[name]) for name, impulse in self.items())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Impulses({self._whole()!r})"

    def __reduce__(self) -> Any:
        return Impulses, (self._whole(),)  # not what they are computed from, which has addresses of this process

    def among(self, joints: Iterable[str]) -> Impulses:
        """Those of some joints, in their order."""
        impact, wanted = self._impact, tuple(joints)
        return Impulses({name: self[name] for name in wanted} if impact is None else impact._replace(wanted=wanted))

    def _whole(self) -> Mapping[str, Array]:
        impact, found = self._impact, self._all
        if found is None:
            assert impact is not None
            self._all = found = impact.by_joint()
            self._impact = None  # after the other: a second thread may be here too
        return found


class Impact(NamedTuple):
    """The motion before and after an impact, and what the loop joints exchanged."""

    mech: Mechanism
    """To which parts may have been added since; none that it has is ever exchanged or taken away."""
    structure: Structure
    """Its tree at the impact."""
    after: Array
    """(q, v) of this tree."""
    old_tree: Structure
    """That in which the motion before is described; with another joint to the world if it is not the same."""
    before: Array
    loops: tuple[tuple[str, str, str], ...]
    """The loops of the mechanism's layout at the impact."""
    wrenches: Array
    """(loops, 6): the impulses of their joints."""
    wanted: tuple[str, ...] | None = None
    """The joints that are asked for, if not all."""

    def of_loop(self, joint: str) -> Array | None:
        """The impulse of a loop joint."""
        return next((wrench for (name, _, _), wrench in zip(self.loops, self.wrenches, strict=True) if name == joint), None)

    def by_joint(self) -> dict[str, Array]:
        """The impulses of all joints.  O(n)."""
        structure, joints, motions = self.structure, self.mech.joints, self._changes()
        poses = {WORLD: (np.eye(3), np.zeros(3))}
        poses |= {body: (motions[k, :9].reshape(3, 3), motions[k, 9:POSE]) for body, k in structure.row_of.items()}
        found = {name: wrench for (name, _, _), wrench in zip(self.loops, self.wrenches, strict=True)}
        needed = momenta(self.mech, structure, motions)
        for name, impulse in found.items():
            self._take(needed, joints[name], impulse, poses)
        for k, row in reversed(
            list(enumerate(structure.walk.tolist()))
        ):  # leaves to roots: what a body needs, its joint has to give
            body, parent, joint = structure.body_names[row[BODY]], row[PARENT], joints[structure.joint_names[row[JOINT]]]
            if parent >= 0:
                needed[parent] += _moved(needed[k], motions[k, 9:POSE] - motions[parent, 9:POSE])
            given = _moved(needed[k], motions[k, 9:POSE] - _frame_origin(joint, poses))
            found[joint.name] = given if joint.child == body else -given
        wanted = (name for name in joints if name in found) if self.wanted is None else self.wanted
        return {name: found[name] for name in wanted}

    def _changes(self) -> Array:
        """(rows, 18): `Tree.motion` after the impact, with the change of each twist in place of the twist."""
        nq, structure, old = self.structure.nq, self.structure, self.old_tree
        if old is structure:
            return structure.motion(np.concatenate((self.after[:nq], self.after[nq:] - self.before[nq:])))
        motions, was = structure.motion(self.after), old.motion(self.before)
        motions[:, POSE:] -= was[[old.row_of[structure.body_names[b]] for b in structure.walk[:, BODY].tolist()], POSE:]
        return motions

    def _take(self, needed: Array, joint: Joint, impulse: Array, poses: Mapping[str, tuple[Array, Array]]) -> None:
        """Subtract the impulse of a joint on its two bodies from the change of momentum that is still to be explained."""
        at = _frame_origin(joint, poses)
        for body, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            if body != WORLD:
                needed[self.structure.row_of[body]] -= sign * _moved(impulse, at - poses[body][1])


def momenta(mech: Mechanism, structure: Structure, motions: Array) -> Array:
    """(rows, 6): the angular momentum of each row's body about its own origin, and its linear momentum, in world axes.

    The motions are as `Tree.motion` gives them; with changes of the twists the momenta are changes too.
    """
    bodies = [mech.bodies[structure.body_names[b]].inertia for b in structure.walk[:, BODY].tolist()]
    mass, com, tensor = (np.array([getattr(body, what) for body in bodies]) for what in ("mass", "com", "tensor"))
    R, spin, speed = motions[:, :9].reshape(-1, 3, 3), motions[:, POSE : POSE + 3], motions[:, POSE + 3 :]
    arm = np.einsum("kij,kj->ki", R, com)
    moving = mass[:, None] * (speed + np.cross(spin, arm))
    turning = np.einsum("kij,kj->ki", R, np.einsum("kij,kj->ki", tensor, np.einsum("kji,kj->ki", R, spin)))
    return np.concatenate((turning + np.cross(arm, moving), moving), axis=1)


def _moved(wrench: Array, arm: Array) -> Array:
    """A wrench, about a point from which the wrench's own is `arm` away."""
    return np.concatenate((wrench[:3] + np.cross(arm, wrench[3:]), wrench[3:]))


def _frame_origin(joint: Joint, poses: Mapping[str, tuple[Array, Array]]) -> Array:
    """Where the joint's frame on its child is."""
    R, p = poses[joint.child]
    found: Array = R @ joint.child_pose.translation + p
    return found
