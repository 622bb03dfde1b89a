"""The high bar in other libraries: the same figure on its free joint, both hands held on the bar by hinges that close loops.

Pinocchio's constraints hold a point or a whole frame, so a hinge, which holds five directions, is made of what there is, in two
ways. Either a sleeve turns on the hand about the bar, and its frame is held: exact, as a sleeve of a milligram adds nothing that
double precision shows beside a forearm. Or two points of the hand are held on the bar: one of the six rows then follows from
the others, and a proximal term takes care of it, which costs digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import regraft as rg
from subjects import MujocoTwin, PinocchioTwin, se3

Array = NDArray[np.float64]

SLEEVE = 1e-6  # kg and kg m²
APART = 0.1  # m: of each of the two points from the middle of the hand
MATRIX_AGREEMENT = 1e-5  # the same of their derivatives, of which the proximal term takes more digits
AGREEMENT = 1e-7  # of accelerations, relative to the largest: worse is another mechanism


class PinocchioGrips:
    """The high bar for Pinocchio; `sleeves` says which of the two ways."""

    def __init__(self, mech: rg.Mechanism, state: rg.State, tau: Array, *, sleeves: bool) -> None:
        hands = mech.loop_joints
        figure = let_go(mech, state)[0]
        positions = {name: state.q[mech.q_slice(name)] for name in figure.joints}
        speeds = {name: state.v[mech.v_slice(name)] for name in figure.joints}
        if sleeves:
            for name in hands:
                hand = mech.joints[name]
                figure.add_body(f"{name} sleeve", rg.Inertia(SLEEVE, (0, 0, 0), SLEEVE * np.eye(3)))
                figure.add_joint(name, hand.type, hand.child, f"{name} sleeve", hand.child_pose)
                positions[name], speeds[name] = -mech.joint_position(state, name), -mech.joint_velocity(state, name)
        self.twin = twin = PinocchioTwin(figure)
        self.model, self.nv = twin.model, mech.nv
        there = figure.state(q=positions, v=speeds)
        T = self.T = twin.T(there)
        full = np.concatenate([tau, np.zeros(figure.nv - mech.nv)])
        self.arguments = twin.q(there), T @ there.v, np.linalg.solve(T.T, full)
        self.constraints = pin.StdVec_RigidConstraintModel()
        for hand in (mech.joints[name] for name in hands):
            if sleeves:
                body, place = twin.places[f"{hand.name} sleeve"]
                self._hold(pin.ContactType.CONTACT_6D, body, place, se3(hand.parent_pose))
            else:
                body, place = twin.places[hand.child]
                for point in map(se3, points_of(hand)):
                    on_hand, on_bar = se3(hand.child_pose) * point, se3(hand.parent_pose) * point
                    self._hold(pin.ContactType.CONTACT_3D, body, place * on_hand, on_bar)

    def _hold(self, kind: Any, body: int, on_body: Any, on_world: Any) -> None:
        self.constraints.append(pin.RigidConstraintModel(kind, self.model, body, on_body, 0, on_world, pin.LOCAL))

    def _scratch(self) -> tuple[Any, Any]:
        found = pin.StdVec_RigidConstraintData()
        found.extend([constraint.createData() for constraint in self.constraints])
        return self.model.createData(), found

    def constraint_dynamics(self, mu: float) -> Callable[[], Array]:
        """A call of `pin.constraintDynamics`, with one proximal iteration."""
        data, scratch = self._scratch()
        pin.initConstraintDynamics(self.model, data, self.constraints, scratch)
        settings = pin.ProximalSettings(1e-12, mu, 1)
        return lambda: pin.constraintDynamics(self.model, data, *self.arguments, self.constraints, scratch, settings)

    def derivatives(self, mu: float, by_torque: Array) -> Callable[[], object]:
        """A call of `pin.computeConstraintDynamicsDerivatives`, without the dynamics that has to come before it; checked."""
        data, scratch = self._scratch()
        pin.initConstraintDynamics(self.model, data, self.constraints, scratch)
        settings = pin.ProximalSettings(1e-12, mu, 1)
        pin.constraintDynamics(self.model, data, *self.arguments, self.constraints, scratch, settings)

        def call() -> Any:
            return pin.computeConstraintDynamicsDerivatives(self.model, data, self.constraints, scratch, settings)

        found = np.linalg.solve(self.T, np.linalg.solve(self.T, call()[2].T).T)[: self.nv, : self.nv]
        off = float(np.abs(found - by_torque).max() / np.abs(by_torque).max())
        assert off < MATRIX_AGREEMENT, f"Pinocchio's derivatives of the high bar differ by {off:.3g}"
        return call

    def lcaba(self, mu: float, iterations: int) -> Callable[[], Array]:
        """A call of `pin.lcaba`, which is O(n) and proximal throughout: it trades digits for time."""
        data, scratch = self._scratch()
        pin.computeJointMinimalOrdering(self.model, data, self.constraints)
        settings = pin.ProximalSettings(1e-12, mu, iterations)
        return lambda: pin.lcaba(self.model, data, *self.arguments, self.constraints, scratch, settings)

    def checked(self, call: Callable[[], Array], a: Array) -> Callable[[], Array]:
        """The call, once it has shown that it answers the same question."""
        found = np.linalg.solve(self.T, np.array(call()))[: self.nv]
        off = float(np.abs(found - a).max() / np.abs(a).max())
        assert off < AGREEMENT, f"Pinocchio's accelerations of the high bar differ by {off:.3g}"
        return call


def mujoco_forward(mech: rg.Mechanism, state: rg.State) -> Callable[[], object]:
    """A call of `mj_forward` with two points of each hand held on the bar, as softly as MuJoCo does by default."""
    figure, there = let_go(mech, state)
    twin = MujocoTwin(figure)
    spec, site = twin.spec, mujoco.mjtObj.mjOBJ_SITE
    for hand in (mech.joints[name] for name in mech.loop_joints):
        onto = twin.steps[hand.child].far.inverse()
        for number, point in enumerate(points_of(hand)):
            on_hand, on_bar = (onto @ hand.child_pose @ point).translation, (hand.parent_pose @ point).translation
            ends = f"{hand.name} {number}", f"bar {hand.name} {number}"
            spec.body(hand.child).add_site(name=ends[0], pos=on_hand)
            spec.worldbody.add_site(name=ends[1], pos=on_bar)
            spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=site, name1=ends[0], name2=ends[1])
    model = spec.compile()
    model.opt.enableflags = 0
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = twin.q(there), twin.T(there) @ there.v
    mujoco.mj_forward(model, data)
    rows = 3 * 2 * len(mech.loop_joints)
    assert data.nefc == rows, f"MuJoCo holds {data.nefc} rows of the high bar, not {rows}"
    assert float(np.abs(data.efc_pos).max()) < AGREEMENT, "MuJoCo's hands are not on the bar"
    return lambda: mujoco.mj_forward(model, data)


def points_of(hand: rg.Joint) -> list[rg.Pose]:
    """The two points that are held, in the hinge's frame."""
    assert isinstance(hand.type, rg.Revolute)
    return [rg.Pose(translation=along * np.asarray(hand.type.axis)) for along in (-APART, APART)]


def let_go(mech: rg.Mechanism, state: rg.State) -> tuple[rg.Mechanism, rg.State]:
    """The mechanism without its loops, in the same motion."""
    for name in mech.loop_joints:
        mech, state = rg.cut(mech, state, name)
    return mech, state
