"""How the velocities after a plastic impact change with the motion before it.

The impulses of joints change the momentum of each body from I V⁻ to I V⁺. With the motions of bodies by the tree's velocities,
J, the columns S of loop joints and their velocities u, the impulses W of these, and the rows C of couplings with their impulses ν

    Σ Jᵀ I (V⁺ − V⁻) + rotors = Jᵀ W + Cᵀ ν      J_loop v − S u = 0      Sᵀ W + rotors = Cᵀ ν      C (v, u) = 0

This is linear in v, u, W and ν. Differentiated it has the same symmetric matrix, and on the right what inertias, momenta,
columns and impulses gain as they are displaced with their bodies and joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import least_squares
from ..ask.tangents import BodyTangents, JointTangents, coupled_rows, force_turned, motion_cross_matrix
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..kernels.tables import BODY, JOINT, PARENT
from ..tolerances import REDUNDANT

Array = NDArray[np.float64]


class Turned(NamedTuple):
    """The velocity that the rotor of a joint had before the impact, and how it changes; zero for one that is new."""

    v: Array
    dv: Array


class _Branch(NamedTuple):
    """A joint of the tree, and the body to which it leads."""

    joint: JointTangents
    at: slice
    sign: float
    row: int
    parent: int


class ImpactSlopes:
    """The impact of all bodies in a structure that has just taken hold of them.

    Parameters
    ----------
    before : BodyTangents
        All bodies just before.
    mech : Mechanism
        The structure that takes hold.
    state : State
        Its state after the impact.
    joints : mapping of str to JointTangents
        All of its joints, those of the tree and of loops.
    rotors : mapping of str to Turned
        Those of joints with armature.
    """

    def __init__(
        self,
        before: BodyTangents,
        mech: Mechanism,
        state: State,
        joints: Mapping[str, JointTangents],
        rotors: Mapping[str, Turned],
    ) -> None:
        self.before, self.mech, self.rotors = before, mech, rotors
        self.nv, structure = mech.nv, mech.structure
        bodies = [structure.body_names[b] for b in structure.walk[:, BODY].tolist()]
        self.row_of = {body: k for k, body in enumerate(bodies)}
        self.moving = [before.of[body] for body in bodies]
        self.inertias = [moving.inertia(mech.bodies[body].inertia) for body, moving in zip(bodies, self.moving, strict=True)]
        names, layout = mech.layout.names, mech.layout
        self.branches = [
            _Branch(joints[names[j]], layout.v_slices[names[j]], 1.0 if mech.joints[names[j]].child == bodies[k] else -1.0, k, p)
            for k, (j, p) in enumerate(structure.walk[:, [JOINT, PARENT]].tolist())
        ]
        self.loops = [joints[name] for name, *_ in layout.loops]
        self.of_loops = mech.coordinates.count - self.nv
        self._move(state._v)

    def _move(self, v: Array) -> None:
        """J and V⁺ of each row, and how V⁺ changes at the same v."""
        count, columns = len(self.moving), self.before.tangents.shape[1]
        self.J = np.zeros((count, 6, self.nv))
        self.twist, self.gain = np.zeros((count, 6)), np.zeros((count, 6, columns))
        for joint, at, sign, k, parent in self.branches:
            if parent >= 0:
                self.J[k], self.twist[k], self.gain[k] = self.J[parent], self.twist[parent], self.gain[parent]
            self.J[k][:, at] += sign * joint.S
            self.twist[k] += sign * (joint.S @ v[at])
            self.gain[k] += sign * joint.bent(v[at])

    def velocities(self) -> Array:
        """(nv, m): how the velocities after the impact change with each tangent.

        NaN where they are not determined.
        """
        matrix = self._matrix()
        scale = _balance(matrix)
        scaled = scale[:, None] * matrix * scale
        unknown = scale * least_squares(scaled, scale * self._momenta(), REDUNDANT)
        right = self._gains(unknown[self.nv : self.nv + self.of_loops], self._impulses(unknown))
        found: Array = scale[:, None] * least_squares(scaled, scale[:, None] * right, REDUNDANT)
        return found[: self.nv]

    def _impulses(self, unknown: Array) -> Array:
        """(loops, 6): −W of each loop joint, among the unknown."""
        first = self.nv + self.of_loops
        return unknown[first : first + 6 * len(self.loops)].reshape(-1, 6)

    def _loop_motion(self, table: Array, l: int, none: Array) -> Array:
        """What the child of a loop joint has in a table of rows, less what its parent has."""
        joint = self.loops[l].joint
        child, parent = (none if body == WORLD else table[self.row_of[body]] for body in (joint.child, joint.parent))
        found: Array = child - parent
        return found

    def _places(self) -> list[slice]:
        """Where the velocities of each loop joint are."""
        slices = self.mech.coordinates.slices
        return [slices[name] for name, *_ in self.mech.layout.loops]

    def _matrix(self) -> Array:
        """The matrix of the unknown v, u, −W and −ν."""
        coupled, nv, nu, first = coupled_rows(self.mech), self.nv, self.of_loops, self.nv + self.of_loops
        size = first + 6 * len(self.loops) + len(coupled.of_tree)
        found = np.zeros((size, size))
        for J, inertia in zip(self.J, self.inertias, strict=True):
            found[:nv, :nv] += J.T @ inertia @ J
        for name, at in self.mech.coordinates.slices.items():
            found[at, at] += np.diag(self.mech.joints[name].type.armature)
        for l, (loop, at) in enumerate(zip(self.loops, self._places(), strict=True)):
            rows = slice(first + 6 * l, first + 6 * l + 6)
            found[rows, :nv], found[rows, at] = self._loop_motion(self.J, l, np.zeros((6, nv))), -loop.S
            found[:first, rows] = found[rows, :first].T
        last = size - len(coupled.of_tree)
        found[last:, :nv], found[last:, nv : nv + nu] = coupled
        found[:first, last:] = found[last:, :first].T
        return found

    def _momenta(self) -> Array:
        """The right side: the momentum before along each velocity of the tree, and of the rotors of loop joints."""
        found = np.zeros(self.nv + self.of_loops + 6 * len(self.loops) + len(self.mech.layout.couplings))
        for J, inertia, moving in zip(self.J, self.inertias, self.moving, strict=True):
            found[: self.nv] += J.T @ (inertia @ moving.twist)
        for name, rotor in self.rotors.items():
            found[self.mech.coordinates.slices[name]] += self.mech.joints[name].type.armature * rotor.v
        return found

    def _gains(self, u: Array, pulls: Array) -> Array:
        """The right side of the differentiated equations, with the velocities u of loop joints and −W in `pulls`."""
        nv, first, columns = self.nv, self.nv + self.of_loops, self.before.tangents.shape[1]
        found = np.zeros((first + 6 * len(self.loops) + len(self.mech.layout.couplings), columns))
        pushed = np.zeros((len(self.moving), 6))  # the change of momentum of each row, less the impulses of loops on it
        for k, (inertia, moving) in enumerate(zip(self.inertias, self.moving, strict=True)):
            jump = self.twist[k] - moving.twist
            pushed[k] = inertia @ jump
            faster = self.gain[k] - moving.gain + motion_cross_matrix(jump) @ moving.shift
            found[:nv] -= self.J[k].T @ (inertia @ faster + force_turned(pushed[k], moving.shift))
        for l, (loop, at) in enumerate(zip(self.loops, self._places(), strict=True)):
            for body, sign in ((loop.joint.child, 1.0), (loop.joint.parent, -1.0)):
                if body != WORLD:
                    pushed[self.row_of[body]] += sign * pulls[l]
            found[at] += loop.works_more(pulls[l])
            gap = self._loop_motion(self.gain, l, np.zeros((6, columns)))
            found[first + 6 * l : first + 6 * l + 6] = loop.bent(u[at.start - nv : at.stop - nv]) - gap
        for joint, at, sign, k, parent in reversed(self.branches):
            found[at] -= sign * joint.works_more(pushed[k])
            if parent >= 0:
                pushed[parent] += pushed[k]
        for name, rotor in self.rotors.items():
            found[self.mech.coordinates.slices[name]] += self.mech.joints[name].type.armature[:, None] * rotor.dv
        return found


def _balance(matrix: Array) -> Array:
    """Factors of rows and columns with which the largest number of each is about 1, so that rank does not depend on units."""
    scale = np.ones(len(matrix))
    for _ in range(3):
        largest = np.abs(scale[:, None] * matrix * scale).max(axis=1, initial=0.0)
        scale /= np.sqrt(np.where(largest > 0.0, largest, 1.0))
    return scale
