"""What closed chains are asked beside their accelerations, as ratios to these in the same run: two arms that hold a load."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import regraft as rg
from grips import AGREEMENT, let_go
from subjects import PinocchioTwin, robot_pair, se3
from timing import Comparison, compare

Array = NDArray[np.float64]

FORWARD = "forward_dynamics"
NAME = "two arms, one load"


def question_comparisons() -> list[Comparison]:
    """Inverse dynamics, generalized coordinates and reactions, all called from Python."""
    mech, state = robot_pair()
    motors = [name for name in mech.layout.names if mech.joints[name].type.actuated]
    rng, tau, weights = np.random.default_rng(0), np.zeros(mech.nv), np.ones(len(motors))
    for name in motors:  # no others: nothing but a torque in a grip could turn the load about the line through both
        tau[mech.v_slice(name)] = rng.standard_normal()
    a = rg.forward_dynamics(mech, state, tau)

    def forward() -> object:
        return rg.forward_dynamics(mech, state, tau)

    return [
        compare("forward_dynamics of a loop, called from Python", NAME, forward,
                "pin.constraintDynamics", pinocchio_forward(mech, state, tau, a)),
        compare("inverse_dynamics of a loop, called from Python", NAME,
                lambda: rg.inverse_dynamics(mech, state, a), FORWARD, forward, 12.5, calls=100),
        compare("inverse_dynamics of a loop with given motors", NAME,
                lambda: rg.inverse_dynamics(mech, state, a, actuated=motors, weights=weights), FORWARD, forward, 12.5, calls=100),
        compare("mobility, called from Python", NAME, lambda: rg.mobility(mech, state), FORWARD, forward, 50.0, calls=100),
        compare("joint_reactions of a loop, called from Python", NAME,
                lambda: rg.joint_reactions(mech, state, tau), FORWARD, forward, 12.5, calls=100),
    ]  # fmt: skip


def pinocchio_forward(mech: rg.Mechanism, state: rg.State, tau: Array, a: Array) -> Callable[[], Array]:
    """A call of `pin.constraintDynamics` with the grip that closes the loop, a ball, as a point that is held; checked."""
    grip = mech.joints[mech.loop_joints[0]]
    apart, there = let_go(mech, state)
    twin = PinocchioTwin(apart)
    (parent, on_parent), (child, on_child) = twin.places[grip.parent], twin.places[grip.child]
    held = pin.StdVec_RigidConstraintModel()
    ends = parent, on_parent * se3(grip.parent_pose), child, on_child * se3(grip.child_pose)
    held.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, twin.model, *ends, pin.LOCAL))
    scratch, data = pin.StdVec_RigidConstraintData(), twin.model.createData()
    scratch.extend([constraint.createData() for constraint in held])
    pin.initConstraintDynamics(twin.model, data, held, scratch)
    T, settings = twin.T(there), pin.ProximalSettings(1e-12, 0.0, 1)
    arguments = twin.q(there), T @ there.v, np.linalg.solve(T.T, tau)

    def call() -> Array:
        found: Array = pin.constraintDynamics(twin.model, data, *arguments, held, scratch, settings)
        return found

    off = float(np.abs(np.linalg.solve(T, np.array(call())) - a).max() / np.abs(a).max())
    assert off < AGREEMENT, f"Pinocchio's accelerations of the two arms differ by {off:.3g}"
    return call
