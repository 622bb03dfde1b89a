"""What tangents of a state do to bodies and joints: how these are displaced, and how their velocities change.

Columns are tangents (δq, δv). All spatial vectors are about one fixed point, in world axes: a body is displaced by the screw X,
and its twist V changes by δV. With the columns S of a joint, which are at rest in its frame on its child but for what they do by
themselves, a child that is displaced with that frame by ξ against a parent has

    ξ_child − ξ_parent = S δq      δV_child − δV_parent = δS v + S δv      δS = ξ_child × S + Σ ∂S/∂q_e δq_e

So nothing here asks how the tree hangs: the same equations lead from a state to its bodies, and from bodies to another structure.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import least_squares, svd
from ..algebra.pose import POSE, Pose
from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint
from ..describe.state import State
from ..joints import JointType, screw_rates, screws, settle
from ..kernels.tables import BODY, JOINT, PARENT
from ..tolerances import LOOP_RANK

Array = NDArray[np.float64]


def cross_matrix(a: Array) -> Array:
    """(3, 3): a ×."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def motion_cross_matrix(twist: Array) -> Array:
    """(6, 6): V ×, on motions; its transpose is −V ×*, on forces."""
    turning, moving = cross_matrix(twist[:3]), cross_matrix(twist[3:])
    return np.block([[turning, np.zeros((3, 3))], [moving, turning]])


def force_turned(force: Array, shift: Array) -> Array:
    """(6, m): X ×* f for each column X."""
    moment, push = cross_matrix(force[:3]), cross_matrix(force[3:])
    found: Array = np.block([[-moment, -push], [-push, np.zeros((3, 3))]]) @ shift
    return found


class Moving(NamedTuple):
    """A body in motion, and what tangents do to it."""

    rotation: Array
    place: Array
    """Of its origin, from the fixed point."""
    twist: Array
    shift: Array
    """(6, m): X, by which it is displaced."""
    gain: Array
    """(6, m): δV, by which its twist changes."""

    def point(self, local: Array) -> Array:
        """A point in the body's axes, from the fixed point."""
        found: Array = self.place + self.rotation @ local
        return found

    def displaced(self, point: Array) -> Array:
        """(3, m): how a point of the body moves."""
        found: Array = self.shift[3:] - cross_matrix(point) @ self.shift[:3]
        return found

    def inertia(self, own: Inertia) -> Array:
        """(6, 6): the spatial inertia of the body."""
        c = cross_matrix(self.point(own.com))
        tensor = self.rotation @ own.tensor @ self.rotation.T
        return np.block([[tensor - own.mass * c @ c, own.mass * c], [-own.mass * c, own.mass * np.eye(3)]])


class JointTangents(NamedTuple):
    """A joint between two moving bodies, and what tangents do to it."""

    joint: Joint
    S: Array
    """(6, nv): its columns."""
    to_joint: Array
    """(6, 6): motions in the axes and about the origin of its frame on the child."""
    least: Array
    """(nv, 6): S⁺ there, by least squares."""
    own: Array
    """(nv, 6, nv), or (0, 6, 0): ∂S/∂q_e as the child sees it."""
    turn: Array
    """(6, m): ξ, by which its frame on the child is displaced."""
    dq: Array
    """(nv, m)."""

    def bent(self, v: Array) -> Array:
        """(6, m): δS v."""
        found: Array = -motion_cross_matrix(self.S @ v) @ self.turn
        return found + (self.own @ v).T @ self.dq if len(self.own) else found

    def works_more(self, force: Array) -> Array:
        """(nv, m): δSᵀ f."""
        found = np.array([-motion_cross_matrix(s).T @ force for s in self.S.T]).reshape(-1, 6) @ self.turn
        return found + (force @ self.own).T @ self.dq if len(self.own) else found

    def velocity(self, parent: Moving, child: Moving) -> tuple[Array, Array]:
        """The joint's velocity, by least squares where it does not carry all of what its bodies do, and how it changes."""
        twist = child.twist - parent.twist
        v: Array = self.least @ (self.to_joint @ twist)
        gain = child.gain - parent.gain + motion_cross_matrix(twist) @ self.turn  # as seen from the joint's frame
        if not len(self.own):
            return v, self.least @ (self.to_joint @ gain)
        left = self.to_joint @ (twist - self.S @ v)
        found = self.least @ (self.to_joint @ (gain - (self.own @ v).T @ self.dq))
        return v, found + self.least @ self.least.T @ (left @ (self.to_joint @ self.own)).T @ self.dq


Frames = tuple[Array, Array]
"""How a joint's frames on parent and child are displaced, (6, m) each, where these do not go with the bodies."""


def joint_tangents(joint: Joint, q: Array, parent: Moving, child: Moving, frames: Frames | None = None) -> JointTangents:
    """A joint at q between two bodies."""
    R, p = child.rotation @ joint.child_pose.rotation, child.point(joint.child_pose.translation)
    far, columns = cross_matrix(p), screws(joint.type, q).T
    nv, none = joint.type.nv, np.zeros((3, 3))
    to_world, to_joint = np.block([[R, none], [far @ R, R]]), np.block([[R.T, none], [-R.T @ far, R.T]])
    least = least_squares(columns, np.eye(6)) if nv else np.zeros((0, 6))
    own = np.zeros((0, 6, 0))
    if joint.type.kernels.rates is not None:
        own = np.array([to_world @ screw_rates(joint.type, q, unit).T for unit in np.eye(nv)])
    above, turn = (parent.shift, child.shift) if frames is None else frames
    return JointTangents(joint, to_world @ columns, to_joint, least, own, turn, least @ (to_joint @ (turn - above)))


class BodyTangents:
    """All bodies of a mechanism in a state, and what tangents of the state do to them.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.
    tangents : (2 nv, m) array, optional
        By default all unit vectors.
    """

    def __init__(self, mech: Mechanism, state: State, tangents: Array | None = None) -> None:
        self.mech, self.state = mech, state
        structure, layout = mech.structure_for(state), mech.layout
        nv, motions = mech.nv, structure.motion(state._x)
        self.tangents: Array = np.eye(2 * nv) if tangents is None else tangents
        self.origin: Array = motions[0, 9:POSE].copy() if len(motions) else np.zeros(3)
        none = np.zeros((6, self.tangents.shape[1]))
        self.of: dict[str, Moving] = {WORLD: Moving(np.eye(3), -self.origin, np.zeros(6), none, none)}
        self.joints: dict[str, JointTangents] = {}
        for k, row in enumerate(structure.walk.tolist()):
            name, body = layout.names[row[JOINT]], structure.body_names[row[BODY]]
            near = self.of[WORLD if row[PARENT] < 0 else structure.body_names[structure.walk[row[PARENT], BODY]]]
            self.joints[name], self.of[body] = self._reach(name, body, near, motions[k])

    def _reach(self, name: str, body: str, near: Moving, motion: Array) -> tuple[JointTangents, Moving]:
        """A joint of the tree, and the body to which it leads from another one."""
        joint, layout, nv = self.mech.joints[name], self.mech.layout, self.mech.nv
        q, at = self.state._q[layout.q_slices[name]], layout.v_slices[name]
        v, dq, dv = self.state._v[at], self.tangents[at], self.tangents[nv + at.start : nv + at.stop]
        place, spin = motion[9:POSE] - self.origin, motion[POSE : POSE + 3]
        twist = np.concatenate((spin, motion[POSE + 3 :] + np.cross(place, spin)))
        far = Moving(motion[:9].reshape(3, 3), place, twist, near.shift, near.gain)
        forwards = joint.child == body
        parent, child = (near, far) if forwards else (far, near)
        found = joint_tangents(joint, q, parent, child)
        turn = near.shift + found.S @ dq if forwards else near.shift
        found = found._replace(turn=turn, dq=dq)
        sign, faster = (1.0 if forwards else -1.0), found.bent(v) + found.S @ dv
        return found, far._replace(shift=near.shift + sign * (found.S @ dq), gain=near.gain + sign * faster)

    def ends(self, joint: Joint) -> tuple[Moving, Moving]:
        """Parent and child of a joint."""
        return self.of[joint.parent], self.of[joint.child]

    def closing(self, joint: Joint, frames: Frames | None = None) -> JointTangents:
        """A joint that is not in the tree, as it fits between its bodies; `frames` as for `joint_tangents`."""
        motions = self.mech.structure.motions_of(self.state._x, joint.parent, joint.child)
        q = settle(joint.type, motions, joint.places())[0]
        return joint_tangents(joint, q, *self.ends(joint), frames)


def reversed_tangents(kind: JointType, q: Array, v: Array) -> Array:
    """(2 nv, 2 nv): how position and velocity of the reversed joint change with those of a joint, as tangents."""
    nv = kind.nv
    if nv == 1:
        return np.eye(2) * float(kind.reverse_velocity(q, np.ones(1))[0])
    there, still, none = kind.pose(q), np.zeros((6, 2 * nv)), Pose()
    near = Moving(np.eye(3), np.zeros(3), np.zeros(6), still, still)
    moving = Moving(there.rotation, there.translation, np.zeros(6), still, still)
    forth = joint_tangents(Joint("", kind, "near", "far", none, none), q, near, moving)
    unit = np.eye(nv, 2 * nv)
    forth = forth._replace(turn=forth.S @ unit, dq=unit)
    gain = forth.bent(v) + forth.S @ np.eye(nv, 2 * nv, nv)
    moving = moving._replace(twist=forth.S @ v, shift=forth.turn, gain=gain)
    back = type(kind)(**kind.arguments()).reversed()  # whose settings do not matter here
    found = joint_tangents(Joint("", back, "far", "near", none, none), kind.reverse(q), moving, near)
    return np.vstack((found.dq, found.velocity(moving, near)[1]))


class Coupled(NamedTuple):
    """The rows of couplings, Σ factor · q = offset: by velocities of the tree, and by those of loop joints in their order."""

    of_tree: Array
    of_loops: Array


def coupled_rows(mech: Mechanism) -> Coupled:
    """The rows of all couplings."""
    coordinates, couplings = mech.coordinates, [mech.couplings[name] for name in mech.layout.couplings]
    rows = np.zeros((len(couplings), coordinates.count))
    for row, coupling in zip(rows, couplings, strict=True):
        for name, factor in (*coupling.drivers, (coupling.driven, -1.0)):
            row[coordinates.slices[name]] += factor
    return Coupled(rows[:, : mech.nv], rows[:, mech.nv :])


def closed_directions(mech: Mechanism, state: State) -> Array:
    """(2 nv, 2 N_F): an orthonormal basis of the tangents (δq, δv) that keep all loops and couplings closed.

    With the rows J of position, J δq = 0 and δ(J v) = ∂(J v) δq + J δv = 0.
    """
    nv = mech.nv
    if not mech.layout.is_constrained:
        return np.eye(2 * nv)
    bodies, coupled = BodyTangents(mech, state), coupled_rows(mech)
    rows, own_q, own_v = [], [np.zeros((0, 2 * nv))], [np.zeros((0, 2 * nv))]
    for name, *_ in mech.layout.loops:
        joint = mech.joints[name]
        parent, child = bodies.ends(joint)
        found = bodies.closing(joint)
        u, du = found.velocity(parent, child)
        left = child.shift - parent.shift - found.S @ found.dq
        parting = child.gain - parent.gain - found.bent(u) - found.S @ du
        rows.append(np.hstack((left[:, :nv], parting[:, :nv])))
        own_q.append(found.dq)
        own_v.append(du)
    by_q, by_v = np.vstack(own_q), np.vstack(own_v)
    rows.append(np.hstack((coupled.of_tree + coupled.of_loops @ by_q[:, :nv], coupled.of_loops @ by_v[:, :nv])))
    J, bends = np.hsplit(np.vstack(rows), 2)
    _, sizes, Vt = svd(J)
    free = Vt[int((sizes > LOOP_RANK * sizes.max(initial=0.0)).sum()) :].T
    faster = -least_squares(J, bends @ free, LOOP_RANK)
    basis = np.vstack((np.hstack((free, np.zeros_like(free))), np.hstack((faster, free))))
    return svd(basis)[0]
