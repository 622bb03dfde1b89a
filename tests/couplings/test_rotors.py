"""Armature of loop joints: the same motion as that of a mechanism with a body for each rotor, geared to the joint."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import regraft as rg
from couplings.coupled_mechanisms import kkt
from loops.closed_mechanisms import random_closed, rows_of
from oracles.complex_step import complex_closed_derivatives
from random_mechanisms import relative_error

SEEDS = st.integers(0, 2**32 - 1)


def four_bar(armature, flywheel=False):
    """A four-bar whose loop joint has a rotor; or, beside it, a flywheel on the world that a coupling turns with the joint."""
    mech = rg.Mechanism()
    rod = rg.Inertia.cylinder(1.0, 0.05, (0, 0, 0), (0, 0, 1))
    bar = rg.Inertia.cylinder(1.0, 0.05, (0, 0, 0), (1, 0, 0))
    hinge = rg.Revolute((0, 1, 0))
    for name, inertia in (("crank", rod), ("coupler", bar), ("rocker", rod)):
        mech.add_body(name, inertia)
    mech.add_joint("motor", hinge, "world", "crank")
    mech.add_joint("elbow", hinge, "crank", "coupler", rg.Pose(translation=(0, 0, 1)))
    mech.add_joint("pivot", hinge, "world", "rocker", rg.Pose(translation=(1.2, 0, 0)))
    own = rg.Revolute((0, 1, 0), armature=0.0 if flywheel else armature)
    mech.add_joint("knee", own, "coupler", "rocker", rg.Pose(translation=(1, 0, 0)), rg.Pose(translation=(0, 0, 1)))
    if flywheel:
        mech.add_body("flywheel", rg.Inertia(1.0, tensor=armature * np.eye(3)))
        mech.add_joint("axle", rg.Revolute((0, 1, 0)), "world", "flywheel")
        mech.add_coupling("gear", "knee", "axle")
    return mech, rg.assemble(mech, mech.state(q={"motor": 0.4}, v={"motor": 2.0}), hold="motor")


@pytest.mark.parametrize("armature", [1e-6, 0.3, 50.0])
def test_a_rotor_is_a_flywheel_that_turns_with_the_joint(armature):
    (one, here), (two, there) = four_bar(armature), four_bar(armature, flywheel=True)
    a, b = rg.forward_dynamics(one, here, {"motor": 3.0}), rg.forward_dynamics(two, there, {"motor": 3.0})
    assert relative_error(a, b[:3]) < 1e-9
    assert rg.energy(one, here).kinetic == pytest.approx(rg.energy(two, there).kinetic, rel=1e-10)
    assert rg.mobility(one, here).dof == 1
    found = rg.inverse_dynamics(one, here, a, actuated=["motor"])
    assert found[0] == pytest.approx(3.0, rel=1e-8)
    assert relative_error(rg.derivatives(one, here).tau[:, 0], rg.derivatives(two, there).tau[:3, 0]) < 1e-8


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_energy_is_kept_with_rotors(coordinates):
    mech, state = four_bar(0.3)
    other, start = four_bar(0.3, flywheel=True)
    traj = rg.simulate(mech, state, 2.0, coordinates=coordinates)
    total = traj.energy().total
    assert np.abs(total - total[0]).max() < 1e-6
    assert rg.energy(mech, state).total == pytest.approx(total[0])
    end = rg.simulate(other, start, 2.0).final[1]
    assert np.abs(traj.final[1].q - end.q[:3]).max() < 1e-6


@settings(max_examples=30)
@given(SEEDS, st.integers(2, 5))
def test_rotors_of_any_loop_joint_against_dense_algebra(seed, bodies):
    """M + Σ A wᵀw for M, with w the rows of the loop joint's own velocities."""
    rng = np.random.default_rng(seed)
    kinds = (rg.Revolute, rg.Prismatic, rg.Cylindrical, rg.Spherical, rg.Universal, rg.Planar)
    mech, state = random_closed(rng, bodies, 1, kinds=kinds)
    name = mech.loop_joints[0]
    joint = mech.joints[name]
    armature = rng.uniform(0.05, 2.0, joint.type.nv)
    plain = state
    turning = mech.copy().joined_by(
        {n: (j if n != name else rg.Joint(n, with_armature(j.type, armature), j.parent, j.child, j.parent_pose, j.child_pose))
         for n, j in mech.joints.items()}
    )  # fmt: skip
    state = rg.assemble(turning, turning.state(q=plain.q, v=plain.v))
    J, wanted = rows_of(mech, mech.state(q=state.q, v=state.v))
    assume(mech.nv and len(J) and np.linalg.svd(J, compute_uv=False).min() > 1e-2 and np.abs(state.v).max() < 30)
    full = rg.loop_jacobian(mech, mech.state(q=state.q, v=state.v))
    own = slice(mech.nv, full.shape[1])
    columns = -full[:, own]
    w = np.linalg.pinv(columns) @ full[:, : mech.nv]
    assume(np.linalg.svd(columns, compute_uv=False).min() > 0.1)
    a = rg.forward_dynamics(turning, state)
    rates = rg.loop_jacobian_rate(mech, mech.state(q=state.q, v=state.v))
    theta = mech.joint_velocity(mech.state(q=state.q, v=state.v), name)
    bias = np.linalg.pinv(columns) @ (rates[:, : mech.nv] @ state.v + rates[:, own] @ theta)
    M = rg.mass_matrix(mech, state) + w.T @ (armature[:, None] * w)
    expected, _ = kkt(M, J, -rg.bias_force(mech, state) - w.T @ (armature * bias), wanted)
    assert relative_error(a, expected) < 1e-7
    found, W = rg.derivatives(turning, state), rg.mobility(turning, state).W
    by_q, by_v, by_tau = complex_closed_derivatives(turning, state)
    assert relative_error(found.q @ W, by_q @ W) < 1e-8
    assert relative_error(found.v @ W, by_v @ W) < 1e-8
    assert relative_error(found.tau, by_tau) < 1e-8
    pushed = rng.standard_normal(mech.nv)
    caught = rg.assemble(turning, turning.state(q=state.q, v=pushed))
    change = M @ (caught.v - pushed)  # as after an impact: only what holds the loop exchanges momentum
    assert np.abs(change - J.T @ np.linalg.lstsq(J.T, change, rcond=None)[0]).max() < 1e-7 * (1.0 + np.abs(change).max())
    speed = w @ state.v
    gained = rg.energy(turning, state).kinetic - rg.energy(mech, mech.state(q=state.q, v=state.v)).kinetic
    assert gained == pytest.approx(0.5 * speed @ (armature * speed), rel=1e-8, abs=1e-10)


def with_armature(kind, armature):
    """The same joint type with armature."""
    return kind.replace(armature=armature) if hasattr(kind, "replace") else rebuilt(kind, armature)


def rebuilt(kind, armature):
    if isinstance(kind, rg.Universal):
        return rg.Universal(kind.axis1, kind.axis2, armature=armature)
    if isinstance(kind, rg.Spherical):
        return rg.Spherical(armature=armature)
    return type(kind)(getattr(kind, "axis", getattr(kind, "normal", None)), armature=armature)
