"""Closed chains against Pinocchio's constrained dynamics: loops closed by welds and by ball joints, which it knows."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import closed_sample, without_loops
from oracles.pinocchio_oracle import PinocchioTwin, se3
from random_mechanisms import IN_OTHER_LIBRARIES, relative_error

SEEDS = st.integers(0, 2**32 - 1)
KNOWN = {rg.Fixed: pin.ContactType.CONTACT_6D, rg.Spherical: pin.ContactType.CONTACT_3D}


class ClosedTwin(PinocchioTwin):
    """The spanning tree in Pinocchio, and its loops as constraints in the frame of the loop joint's child."""

    def __init__(self, mech):
        super().__init__(without_loops(mech))
        self.loops = {name: mech.joints[name] for name in mech.loop_joints}
        self.constraints = pin.StdVec_RigidConstraintModel()
        for joint in self.loops.values():
            (child, on_child), (parent, on_parent) = (
                (self.places[body][0], self.places[body][1] * se3(pose))
                for body, pose in ((joint.child, joint.child_pose), (joint.parent, joint.parent_pose))
            )
            constraint = pin.RigidConstraintModel(
                KNOWN[type(joint.type)], self.model, child, on_child, parent, on_parent, pin.ReferenceFrame.LOCAL
            )
            constraint.m_baumgarte_parameters.Kp, constraint.m_baumgarte_parameters.Kd = 0.0, 0.0
            self.constraints.append(constraint)

    def closed_dynamics(self, state, tau):
        """v̇, and the wrench of each loop on its child, about the joint's frame there, in world axes."""
        T = self.T(state)
        data = pin.StdVec_RigidConstraintData()
        for constraint in self.constraints:
            data.append(constraint.createData())
        pin.initConstraintDynamics(self.model, self.data, self.constraints, data)
        settings = pin.ProximalSettings(1e-14, 1e-14, 1e-10, 100)
        a = pin.constraintDynamics(
            self.model, self.data, self.q(state), T @ state.v, np.linalg.solve(T.T, tau), self.constraints, data, settings
        )
        wrenches = {}
        for name, found in zip(self.loops, data, strict=True):
            turn = found.oMc1.rotation
            wrenches[name] = np.concatenate([turn @ found.contact_force.angular, turn @ found.contact_force.linear])
        return np.linalg.solve(T, a), wrenches


def sample_with(seed, bodies, loops, kinds, damping=False):
    """A closed mechanism whose loops Pinocchio knows, none of them redundant, and that can still move."""
    options = {"roots": 1, "damping": damping, "root_kinds": (rg.Free,), "tree_kinds": IN_OTHER_LIBRARIES}
    found = closed_sample(seed, bodies, loops, kinds=kinds, **options)
    J = rg.loop_jacobian(*found, reduced=True)
    assume(np.linalg.matrix_rank(J, tol=1e-4) == J.shape[0] < J.shape[1])
    return found


@pytest.mark.parametrize("kinds", [(rg.Spherical,), (rg.Fixed,), (rg.Fixed, rg.Spherical)], ids=["balls", "welds", "both"])
@settings(max_examples=50, suppress_health_check=[HealthCheck.filter_too_much])  # many are redundant
@given(SEEDS, st.integers(2, 8), st.integers(1, 3))
def test_accelerations_and_loop_forces_are_pinocchios(kinds, seed, bodies, loops):
    mech, state = sample_with(seed, bodies, loops, kinds)
    tau = 5.0 * np.random.default_rng(seed).standard_normal(mech.nv)
    a, wrenches = ClosedTwin(mech).closed_dynamics(state, tau)
    assert relative_error(rg.forward_dynamics(mech, state, tau), a) < 1e-9
    reactions = rg.joint_reactions(mech, state, tau)
    assert reactions.redundant == ()
    for name, wrench in wrenches.items():
        assert relative_error(reactions[name], wrench) < 1e-8
