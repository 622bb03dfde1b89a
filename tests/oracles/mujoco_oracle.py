"""A Regraft tree as a MuJoCo model, and MuJoCo's answers in Regraft's conventions.

A MuJoCo body has the frame of the joint that leads to it; several hinges and slides on one body act one after the other. MuJoCo's
free joint has the pose in the world as position and (linear in world axes, angular in body axes) as velocity. It exists only
on the world, and there is no screw. A ball joint's settings are the same about all axes, and a free joint has none.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

import regraft as rg
from oracles import (
    Motion,
    Step,
    motions,
    position_there,
    rotation_of,
    skew,
    velocity_block,
    velocity_block_rate,
    walk,
)

_KINDS = {
    "turn": mujoco.mjtJoint.mjJNT_HINGE,
    "slide": mujoco.mjtJoint.mjJNT_SLIDE,
    "ball": mujoco.mjtJoint.mjJNT_BALL,
    "free": mujoco.mjtJoint.mjJNT_FREE,
}


class MujocoTwin:
    """The same tree in MuJoCo; every answer is in Regraft's coordinates and conventions."""

    def __init__(self, mech: rg.Mechanism) -> None:
        self.mech = mech
        self.steps = {step.body: step for step in walk(mech)}
        self.chain: list[tuple[Motion, Step, str]] = []
        self.spec = spec = mujoco.MjSpec()
        spec.option.gravity = mech.gravity
        spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
        spec.option.enableflags = mujoco.mjtEnableBit.mjENBL_ENERGY
        bodies = {"world": spec.worldbody}
        for name, step in self.steps.items():
            bodies[name] = self._add(bodies[step.onto], step)
        self.model = spec.compile()
        self._set_rest()
        self.data = mujoco.MjData(self.model)

    def _add(self, onto: mujoco.MjsBody, step: Step) -> mujoco.MjsBody:
        frame = step.near if step.onto == "world" else self.steps[step.onto].far.inverse() @ step.near
        body = onto.add_body(name=step.body, pos=frame.translation, quat=frame.quaternion)
        inertia = self.mech.bodies[step.body].inertia.moved(step.far.inverse())
        moments, axes = np.linalg.eigh(inertia.tensor)
        axes[:, 2] *= np.linalg.det(axes)
        body.explicitinertial = True
        body.mass, body.ipos, body.inertia = inertia.mass, inertia.com, moments
        body.iquat = rg.Pose(axes).quaternion
        for number, motion in enumerate(motions(self.mech, step)):
            name = f"{step.joint.name} {number}"
            joint = body.add_joint(name=name, type=_KINDS[motion.kind])
            if motion.axis is not None:
                joint.axis = motion.axis
            kind, d = step.joint.type, motion.v.start - self.mech.v_slice(step.joint.name).start
            if motion.kind != "free":
                joint.armature = kind.armature[d]
                _set_linear(joint, "damping", kind.damping[d])
                _set_linear(joint, "stiffness", kind.stiffness[d])
            self.chain.append((motion, step, name))
        return body

    def _set_rest(self) -> None:
        """Where springs are at rest, in MuJoCo's positions."""
        at_rest = self.mech.state(q={name: joint.type.rest for name, joint in self.mech.joints.items()})
        self.model.qpos_spring[:] = self.q(at_rest)

    # --- coordinates -------------------------------------------------------------------------------------------------

    def q(self, state: rg.State) -> np.ndarray:
        q = np.array(self.model.qpos0)
        for motion, step, name in self.chain:
            own = position_there(motion, state.q)
            if motion.kind == "free":
                pose = step.near @ rg.Pose.from_quaternion(own[3:], own[:3])
                own = np.concatenate([pose.translation, pose.quaternion])
            start = self.model.joint(name).qposadr[0]
            q[start : start + len(own)] = own
        return q

    def T(self, state: rg.State) -> np.ndarray:
        def block(motion: Motion, step: Step) -> np.ndarray:
            own = velocity_block(motion, state.q)
            return _world_linear(_orientation(motion, step, state.q), np.eye(3)) @ own if motion.kind == "free" else own

        return self._blocks(block)

    def T_rate(self, state: rg.State) -> np.ndarray:
        """dT/dt along the motion; d/dt (R u) = R (u̇ + ω × u)."""

        def block(motion: Motion, step: Step) -> np.ndarray:
            rate = velocity_block_rate(motion, state.q, state.v)
            if motion.kind != "free":
                return rate
            own, R = velocity_block(motion, state.q), _orientation(motion, step, state.q)
            turning = (own @ state.v[motion.v])[3:]
            return _world_linear(R @ skew(turning), np.zeros((3, 3))) @ own + _world_linear(R, np.eye(3)) @ rate

        return self._blocks(block)

    def _blocks(self, block: Callable[[Motion, Step], np.ndarray]) -> np.ndarray:
        T = np.zeros((self.model.nv, self.mech.nv))
        for motion, step, name in self.chain:
            own = block(motion, step)
            start = self.model.joint(name).dofadr[0]
            T[start : start + len(own), motion.v] = own
        return T

    def _forward(self, state: rg.State, tau: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Run MuJoCo's forward dynamics; returns T and Ṫ v."""
        T = self.T(state)
        self.data.qpos[:] = self.q(state)
        self.data.qvel[:] = T @ state.v
        self.data.qfrc_applied[:] = 0.0 if tau is None else np.linalg.solve(T.T, tau)
        mujoco.mj_forward(self.model, self.data)
        return T, self.T_rate(state) @ state.v

    def _mass_matrix_there(self) -> np.ndarray:
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M

    # --- answers -----------------------------------------------------------------------------------------------------

    def forward_dynamics(self, state: rg.State, tau: np.ndarray) -> np.ndarray:
        T, drift = self._forward(state, tau)
        return np.linalg.solve(T, self.data.qacc - drift)

    def bias_force(self, state: rg.State) -> np.ndarray:
        """Tᵀ (c_twin + M_twin Ṫ v)."""
        T, drift = self._forward(state)
        return T.T @ (self.data.qfrc_bias + self._mass_matrix_there() @ drift)

    def inverse_dynamics(self, state: rg.State, a: np.ndarray) -> np.ndarray:
        T, drift = self._forward(state)
        self.data.qfrc_applied[:] = 0.0
        self.data.qacc[:] = T @ a + drift
        mujoco.mj_inverse(self.model, self.data)
        return T.T @ self.data.qfrc_inverse

    def mass_matrix(self, state: rg.State) -> np.ndarray:
        T, _ = self._forward(state)
        return T.T @ self._mass_matrix_there() @ T

    def body_poses(self, state: rg.State) -> dict[str, rg.Pose]:
        self._forward(state)
        return {name: self._joint_frame(name) @ step.far.inverse() for name, step in self.steps.items()}

    def _joint_frame(self, body: str) -> rg.Pose:
        found = self.data.body(body)
        return rg.Pose(found.xmat.reshape(3, 3), found.xpos)

    def jacobian(self, state: rg.State, body: str) -> np.ndarray:
        """Of a body's origin."""
        T, _ = self._forward(state)
        angular, linear = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
        origin = self.body_poses(state)[body].translation
        mujoco.mj_jac(self.model, self.data, linear, angular, origin, self.model.body(body).id)
        return np.concatenate([angular, linear]) @ T

    def energy(self, state: rg.State) -> tuple[float, float]:
        """Kinetic and potential."""
        self._forward(state)
        potential, kinetic = self.data.energy
        return kinetic, potential

    def center_of_mass(self, state: rg.State) -> np.ndarray:
        self._forward(state)
        return self.data.subtree_com[0].copy()


def _set_linear(joint: mujoco.MjsJoint, what: str, value: float) -> None:
    """Set a coefficient; newer versions have those of higher powers beside it."""
    if isinstance(getattr(joint, what), np.ndarray):
        getattr(joint, what)[0] = value
    else:
        setattr(joint, what, value)


def _orientation(motion: Motion, step: Step, q: np.ndarray) -> np.ndarray:
    """The orientation in the world of a body on six degrees of freedom."""
    return step.near.rotation @ rotation_of(position_there(motion, q)[3:])


def _world_linear(linear: np.ndarray, angular: np.ndarray) -> np.ndarray:
    """A matrix on (linear, angular) that acts on each part by itself."""
    return np.block([[linear, np.zeros((3, 3))], [np.zeros((3, 3)), angular]])
