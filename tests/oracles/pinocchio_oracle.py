"""A Regraft tree as a Pinocchio model, and Pinocchio's answers in Regraft's conventions.

Pinocchio has quaternions (x, y, z, w) and spatial vectors (linear, angular). A joint of several turns and slides becomes a
chain of Pinocchio joints with nothing in between, so that its velocities are the rates of its positions. Welded bodies become
one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

import regraft as rg
from oracles import Motion, Step, motions, position_there, velocity_block, velocity_block_rate, walk

WORLD_AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def se3(pose: rg.Pose) -> pin.SE3:
    return pin.SE3(np.array(pose.rotation), np.array(pose.translation))


def pin_inertia(inertia: rg.Inertia) -> pin.Inertia:
    return pin.Inertia(inertia.mass, np.array(inertia.com), np.array(inertia.tensor))


def angular_first(vector: np.ndarray) -> np.ndarray:
    """(linear, angular) rows as (angular, linear)."""
    return np.concatenate([vector[3:], vector[:3]])


def joint_model(motion: Motion) -> pin.JointModel:
    match motion.kind:
        case "turn":
            return pin.JointModelRevoluteUnaligned(motion.axis)
        case "slide":
            return pin.JointModelPrismaticUnaligned(motion.axis)
        case "screw":
            return pin.JointModelHelicalUnaligned(motion.axis, motion.pitch)
        case "ball":
            return pin.JointModelSpherical()
    return pin.JointModelFreeFlyer()


@dataclass(frozen=True)
class Derivatives:
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray


class PinocchioTwin:
    """The same tree in Pinocchio; every answer is in Regraft's coordinates and conventions.

    With `lock_welds` a weld is a slider that stands still instead of one body out of two: Pinocchio then knows the wrench that
    passes through it, but its forward dynamics is no longer that of the mechanism.
    """

    def __init__(self, mech: rg.Mechanism, *, lock_welds: bool = False) -> None:
        self.mech = mech
        self.model = pin.Model()
        self.model.gravity = pin.Motion(np.array(mech.gravity), np.zeros(3))
        self.places: dict[str, tuple[int, pin.SE3]] = {"world": (0, pin.SE3.Identity())}
        """The Pinocchio joint that carries each body, and the body's frame in the joint's."""
        self.leads: dict[str, tuple[Step, int]] = {}
        """The walk's step over each joint and the last Pinocchio joint of its chain."""
        self.chain: list[tuple[Motion, int]] = []
        for step in walk(mech):
            self._add(step, lock_welds)
        places = {**self.places, **{f.name: self._frame_place(f) for f in mech.frames.values()}}
        self.frame_ids = {
            name: self.model.addFrame(pin.Frame(f"frame {name}", joint, place, pin.FrameType.OP_FRAME))
            for name, (joint, place) in places.items()
        }
        armature = np.zeros(self.model.nv)
        for motion, joint in self.chain:
            start = self.model.joints[joint].idx_v
            armature[start : start + motion.v.stop - motion.v.start] = self._armature(motion)
        self.model.armature = armature
        self.data = self.model.createData()

    def _armature(self, motion: Motion) -> np.ndarray:
        """Of a motion, whose velocities are Regraft's: so not of a ball or a free body that is walked backwards."""
        own = np.concatenate([joint.type.armature for joint in self.mech.joints.values()])[motion.v]
        assert not motion.backwards or not own.any()
        return own

    def _add(self, step: Step, lock_welds: bool) -> None:
        joint, place = self.places[step.onto]
        place = place * se3(step.near)
        pieces = motions(self.mech, step)
        for number, motion in enumerate(pieces):
            joint = self.model.addJoint(joint, joint_model(motion), place, f"{step.joint.name} {number}")
            self.chain.append((motion, joint))
            place = pin.SE3.Identity()
        if not pieces and lock_welds:
            joint = self.model.addJoint(joint, pin.JointModelPX(), place, f"{step.joint.name} locked")
            place = pin.SE3.Identity()
        place = place * se3(step.far).inverse()
        self.places[step.body] = joint, place
        self.leads[step.joint.name] = step, joint
        if joint:
            self.model.appendBodyToJoint(joint, pin_inertia(self.mech.bodies[step.body].inertia), place)

    def _frame_place(self, frame: rg.Frame) -> tuple[int, pin.SE3]:
        joint, place = self.places[frame.body]
        return joint, place * se3(frame.pose)

    # --- coordinates -------------------------------------------------------------------------------------------------

    def q(self, state: rg.State) -> np.ndarray:
        q = pin.neutral(self.model)
        for motion, joint in self.chain:
            own = position_there(motion, state.q)
            if motion.kind in ("ball", "free"):
                own = np.concatenate([own[:-4], own[-3:], own[-4:-3]])
            start = self.model.joints[joint].idx_q
            q[start : start + len(own)] = own
        return q

    def T(self, state: rg.State) -> np.ndarray:
        return self._blocks(lambda motion: velocity_block(motion, state.q))

    def T_rate(self, state: rg.State, v: np.ndarray) -> np.ndarray:
        """dT along the tangent vector v. Here Ṫ(q, v) v is 0, so that v̇ maps as v does."""
        return self._blocks(lambda motion: velocity_block_rate(motion, state.q, v))

    def _blocks(self, block: Callable[[Motion], np.ndarray]) -> np.ndarray:
        T = np.zeros((self.model.nv, self.mech.nv))
        for motion, joint in self.chain:
            own = block(motion)
            start = self.model.joints[joint].idx_v
            T[start : start + len(own), motion.v] = own
        return T

    def _wrenches(self, state: rg.State, wrenches: Mapping[str, np.ndarray]) -> pin.StdVec_Force:
        """Wrenches on bodies, at their origins in world axes, as forces on joints in their own axes."""
        pin.forwardKinematics(self.model, self.data, self.q(state))
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for body, wrench in wrenches.items():
            joint, place = self.places[body]
            R = (self.data.oMi[joint] * place).rotation
            forces[joint] += place.act(pin.Force(R.T @ wrench[3:], R.T @ wrench[:3]))
        vector = pin.StdVec_Force()
        vector.extend(forces)
        return vector

    def _wide(self, matrix: np.ndarray, rows: int | None = None) -> np.ndarray:
        """A matrix with a column per velocity; Pinocchio's binding gives a single column as a vector."""
        return matrix.reshape(self.model.nv if rows is None else rows, self.model.nv)

    # --- dynamics ----------------------------------------------------------------------------------------------------

    def forward_dynamics(self, state: rg.State, tau: np.ndarray, wrenches: Mapping[str, np.ndarray] | None = None) -> np.ndarray:
        T = self.T(state)
        forces = self._wrenches(state, wrenches or {})
        a = pin.aba(self.model, self.data, self.q(state), T @ state.v, np.linalg.solve(T.T, tau), forces)
        return np.linalg.solve(T, a)

    def inverse_dynamics(self, state: rg.State, a: np.ndarray, wrenches: Mapping[str, np.ndarray] | None = None) -> np.ndarray:
        T = self.T(state)
        forces = self._wrenches(state, wrenches or {})
        return T.T @ pin.rnea(self.model, self.data, self.q(state), T @ state.v, T @ a, forces)

    def mass_matrix(self, state: rg.State) -> np.ndarray:
        T = self.T(state)
        upper = np.triu(self._wide(pin.crba(self.model, self.data, self.q(state))))
        return T.T @ (upper + np.triu(upper, 1).T) @ T

    def bias_force(self, state: rg.State) -> np.ndarray:
        T = self.T(state)
        return T.T @ pin.nonLinearEffects(self.model, self.data, self.q(state), T @ state.v)

    def derivatives(self, state: rg.State, tau: np.ndarray) -> Derivatives:
        """Of v̇ = T⁻¹ f(q, T v, T⁻ᵀ tau), where f is Pinocchio's forward dynamics and T depends on q."""
        T = self.T(state)
        there = np.linalg.solve(T.T, tau)
        partials = pin.computeABADerivatives(self.model, self.data, self.q(state), T @ state.v, there)
        f_q, f_v, f_tau = (self._wide(partial) for partial in partials)
        a = np.linalg.solve(T, self.data.ddq)
        dq = f_q @ T
        for c, direction in enumerate(np.eye(self.mech.nv)):
            dT = self.T_rate(state, direction)
            dq[:, c] += f_v @ dT @ state.v - f_tau @ np.linalg.solve(T.T, dT.T @ there) - dT @ a
        return Derivatives(*(np.linalg.solve(T, x) for x in (dq, f_v @ T, np.linalg.solve(T, f_tau.T).T)))

    def inverse_derivatives(self, state: rg.State, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of τ = Tᵀ g(q, T v, T v̇), where g is Pinocchio's inverse dynamics and T depends on q: by q, v and v̇."""
        T = self.T(state)
        partials = pin.computeRNEADerivatives(self.model, self.data, self.q(state), T @ state.v, T @ a)
        g_q, g_v, g_a = (self._wide(partial) for partial in partials)
        g_a = np.triu(g_a) + np.triu(g_a, 1).T  # it fills the upper half
        dq = T.T @ g_q @ T
        for c, direction in enumerate(np.eye(self.mech.nv)):
            dT = self.T_rate(state, direction)
            dq[:, c] += T.T @ (g_v @ dT @ state.v + g_a @ dT @ a) + dT.T @ self.data.tau
        return dq, T.T @ g_v @ T, T.T @ g_a @ T

    def joint_reactions(
        self, state: rg.State, a: np.ndarray, wrenches: Mapping[str, np.ndarray] | None = None
    ) -> dict[str, np.ndarray]:
        """The wrench that each joint's parent puts on its child, about the joint's frame on the child. Needs `lock_welds`."""
        T = self.T(state)
        forces = self._wrenches(state, wrenches or {})
        pin.rnea(self.model, self.data, self.q(state), T @ state.v, T @ a, forces)
        found = {}
        for name, (step, joint) in self.leads.items():
            force = self.data.oMi[joint].act(self.data.f[joint])
            if step.backwards:
                force = -force
            carrier, place = self.places[step.joint.child]
            at = (self.data.oMi[carrier] * place * se3(step.joint.child_pose)).translation
            found[name] = np.concatenate([force.angular - np.cross(at, force.linear), force.linear])
        return found

    # --- motion ------------------------------------------------------------------------------------------------------

    def frame_poses(self, state: rg.State) -> dict[str, rg.Pose]:
        pin.forwardKinematics(self.model, self.data, self.q(state))
        pin.updateFramePlacements(self.model, self.data)
        placements = {name: self.data.oMf[frame] for name, frame in self.frame_ids.items()}
        return {name: rg.Pose(place.rotation, place.translation) for name, place in placements.items()}

    def frame_twists(self, state: rg.State) -> dict[str, np.ndarray]:
        pin.forwardKinematics(self.model, self.data, self.q(state), self.T(state) @ state.v)
        return {
            name: angular_first(pin.getFrameVelocity(self.model, self.data, frame, WORLD_AXES).vector)
            for name, frame in self.frame_ids.items()
        }

    def _stands_still(self, frame: str) -> bool:
        """Whether a frame is fixed to the world; Pinocchio has no Jacobian for it."""
        return self.model.frames[self.frame_ids[frame]].parentJoint == 0

    def jacobian(self, state: rg.State, frame: str) -> np.ndarray:
        pin.computeJointJacobians(self.model, self.data, self.q(state))
        pin.updateFramePlacements(self.model, self.data)
        if self._stands_still(frame):
            return np.zeros((6, self.mech.nv))
        found = pin.getFrameJacobian(self.model, self.data, self.frame_ids[frame], WORLD_AXES)
        return angular_first(self._wide(found, 6)) @ self.T(state)

    def jacobian_rate(self, state: rg.State, frame: str) -> np.ndarray:
        """d/dt (J T) = dJ/dt T + J dT/dt."""
        T, T_rate = self.T(state), self.T_rate(state, state.v)
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self.q(state), T @ state.v)
        pin.updateFramePlacements(self.model, self.data)
        if self._stands_still(frame):
            return np.zeros((6, self.mech.nv))
        rate = pin.getFrameJacobianTimeVariation(self.model, self.data, self.frame_ids[frame], WORLD_AXES)
        return angular_first(self._wide(rate, 6)) @ T + self.jacobian(state, frame) @ np.linalg.solve(T, T_rate)

    # --- balances ----------------------------------------------------------------------------------------------------

    def _welded_to_world(self) -> tuple[float, np.ndarray]:
        """Mass and first moment of the bodies that cannot move, which Pinocchio leaves out."""
        mass, moment = 0.0, np.zeros(3)
        for body, (joint, place) in self.places.items():
            if joint == 0 and body != "world":
                inertia = self.mech.bodies[body].inertia
                mass += inertia.mass
                moment += inertia.mass * place.act(np.array(inertia.com))
        return mass, moment

    def energy(self, state: rg.State) -> tuple[float, float]:
        """Kinetic and potential."""
        q, v = self.q(state), self.T(state) @ state.v
        _, moment = self._welded_to_world()
        kinetic = pin.computeKineticEnergy(self.model, self.data, q, v)
        return kinetic, pin.computePotentialEnergy(self.model, self.data, q) - float(self.mech.gravity @ moment)

    def center_of_mass(self, state: rg.State) -> np.ndarray:
        mass, moment = self._welded_to_world()
        moving = pin.computeTotalMass(self.model)
        if moving:
            moment = moment + moving * pin.centerOfMass(self.model, self.data, self.q(state))
        return moment / (mass + moving)

    def momentum(self, state: rg.State) -> tuple[np.ndarray, np.ndarray]:
        """Angular about the world's origin, and linear."""
        if not pin.computeTotalMass(self.model):
            return np.zeros(3), np.zeros(3)
        about_com = pin.computeCentroidalMomentum(self.model, self.data, self.q(state), self.T(state) @ state.v)
        return about_com.angular + np.cross(self.data.com[0], about_com.linear), np.array(about_com.linear)


# --- the other way ---------------------------------------------------------------------------------------------------

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def _joint_type(joint: pin.JointModel) -> rg.JointType:
    kind = joint.shortname().removeprefix("JointModel")
    match kind:
        case "RX" | "RY" | "RZ":
            return rg.Revolute(_AXES[kind[1]])
        case "PX" | "PY" | "PZ":
            return rg.Prismatic(_AXES[kind[1]])
        case "RevoluteUnaligned":
            return rg.Revolute(joint.extract().axis)
        case "PrismaticUnaligned":
            return rg.Prismatic(joint.extract().axis)
        case "Spherical":
            return rg.Spherical()
        case "FreeFlyer":
            return rg.Free()
    raise NotImplementedError(f"no Regraft joint is known for Pinocchio's {kind}")


def mechanism_from_pinocchio(model: pin.Model) -> tuple[rg.Mechanism, Callable[[np.ndarray], np.ndarray]]:
    """A Pinocchio model as a mechanism, and the map from Pinocchio's q to Regraft's. Velocities are the same numbers.

    Each Pinocchio joint gives a joint of its name and a body of its name. The bodies' frames are those of the joints.
    """
    mech = rg.Mechanism(gravity=model.gravity.linear)
    order: list[int] = []
    for j in range(1, model.njoints):
        name, joint = model.names[j], model.joints[j]
        Y, place = model.inertias[j], model.jointPlacements[j]
        parent = "world" if model.parents[j] == 0 else model.names[model.parents[j]]
        mech.add_body(name, rg.Inertia(Y.mass, Y.lever, Y.inertia))
        mech.add_joint(name, _joint_type(joint), parent, name, rg.Pose(place.rotation, place.translation))
        numbers = list(range(joint.idx_q, joint.idx_q + joint.nq))
        if joint.nq in (4, 7):
            numbers = [*numbers[:-4], numbers[-1], *numbers[-4:-1]]
        order += numbers

    return mech, lambda q: np.asarray(q)[order]
