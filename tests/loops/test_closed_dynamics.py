"""Closed chains against the equations of motion with multipliers, written out with dense matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import clear_cut, four_bars, random_closed, rows_of, without_loops
from random_mechanisms import random_inertia, random_joint, random_pose, relative_error

SEEDS = st.integers(0, 2**32 - 1)


def solved(mech, state, tau):
    """Accelerations from M v̇ + c = tau + Jᵀ λ, J v̇ = wanted, least squares where rows depend on each other."""
    M, c = rg.mass_matrix(mech, state), rg.bias_force(mech, state)
    J, wanted = rows_of(mech, state)
    root = np.linalg.cholesky(M)
    free = np.linalg.solve(root, tau - c)
    rows = np.linalg.solve(root, J.T).T
    U, size, Vt = np.linalg.svd(rows, full_matrices=False)
    kept = size > 1e-6  # of order 1 where it is not rounding, because masses and lengths are
    multipliers = (U[:, kept].T @ (wanted - rows @ free)) / size[kept]
    return np.linalg.solve(root.T, free + Vt[kept].T @ multipliers)


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 7), st.integers(1, 3), st.integers(1, 2))
def test_closed_dynamics_solves_the_equations_with_multipliers(seed, bodies, loops, roots):
    rng = np.random.default_rng(seed)
    mech, state = random_closed(rng, bodies, loops, roots=min(roots, bodies), damping=True, own=True, springs=1)
    if mech.nv == 0:
        return
    state = rg.assemble(mech, state)
    tau = rng.standard_normal(mech.nv)
    J, wanted = rows_of(mech, state)
    if not clear_cut(mech, state):
        return
    a = rg.forward_dynamics(mech, state, tau)
    assert relative_error(a, solved(mech, state, tau)) < 1e-8
    assert relative_error(J @ a, wanted) < 1e-8


@settings(max_examples=30)
@given(SEEDS, st.integers(2, 6), st.integers(1, 2))
def test_assembly_closes_what_was_pushed_open(seed, bodies, loops):
    rng = np.random.default_rng(seed)
    mech, state = random_closed(rng, bodies, loops)
    rough = mech.state(q=rg.integrate(mech, state.q, rng.uniform(-0.02, 0.02, mech.nv)), v=state.v)
    try:
        found = rg.assemble(mech, rough)
    except rg.AssemblyError:
        return  # at a singular pose even a small push may have no way back
    J, _ = rows_of(mech, found)
    assert np.abs(J @ found.v).max(initial=0.0) < 1e-9 * (1.0 + np.abs(found.v).max(initial=0.0))
    for name in mech.loop_joints:
        mech.joint_position(found, name)  # raises where the loop is open


def test_assembly_holds_the_joints_that_are_to_be_held():
    mech = four_bars(2)
    rough = mech.state(q={"foot 0": 0.3, "top 0": -0.25, "foot 1": 0.33, "top 1": -0.28, "foot 2": 0.2}, v={"foot 0": -1.0})
    found = rg.assemble(mech, rough, hold=["foot 0"])
    assert found.q == pytest.approx([0.3, -0.3, 0.3, -0.3, 0.3], abs=1e-10)
    assert found.v == pytest.approx([-1.0, 1.0, -1.0, 1.0, -1.0], abs=1e-10)


def test_a_parallelogram_swings_as_one_pendulum():
    """Two uprights and a level rod of 1 kg and 1 m: (2/3 + 1) θ̈ = (1 + 1) g sin θ, for tilts θ from the vertical."""
    mech = four_bars(1)
    tilt = 0.4
    state = rg.assemble(mech, mech.state(q={"foot 0": tilt, "top 0": -tilt, "foot 1": tilt}), hold=["foot 0"])
    inertia = 2 * mech.bodies["upright 0"].inertia.tensor[2, 2] + 2 * 0.25 + 1.0
    assert rg.forward_dynamics(mech, state)[0] == pytest.approx(2 * 9.81 * np.sin(tilt) / inertia, rel=1e-10)


def test_what_cannot_be_closed_is_an_error_with_the_loop_and_the_gap():
    mech = four_bars(1)
    with pytest.raises(rg.AssemblyError, match=r"'end 1' cannot be closed: a gap of \d"):
        rg.assemble(mech, mech.state(q={"foot 0": 3.0, "foot 1": 0.0}), hold=["foot 0", "foot 1"])
    with pytest.raises(rg.StructureError, match=r"open by .* assemble"):
        rg.forward_dynamics(mech, mech.state(q={"foot 0": 0.5}))
    with pytest.raises(rg.ModelError, match="no joint 'crank'"):
        rg.assemble(mech, mech.state(), hold=["crank"])


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 4))
def test_a_door_swings_on_many_hinges_as_on_one(seed, hinges):
    """About an axis somewhere in space, where rounding makes it seem that one hinge could move what the others hold."""
    rng = np.random.default_rng(seed)
    joint, frame, on_door = random_joint(rng, rg.Revolute), random_pose(rng), random_pose(rng)
    mech = rg.Mechanism(rng.uniform(-10, 10, 3))
    mech.add_body("door", random_inertia(rng))
    for number in range(hinges):
        along = rg.Pose(translation=rng.uniform(-1, 1) * np.array(joint.axis))
        mech.add_joint(f"hinge {number}", joint, "world", "door", frame @ along, on_door @ along)
    alone = without_loops(mech)
    angle, rate = rng.uniform(-1, 1), rng.standard_normal()
    state = mech.state(q=[angle], v=[rate])
    expected = rg.forward_dynamics(alone, alone.state(q=[angle], v=[rate]))
    assert rg.forward_dynamics(mech, state) == pytest.approx(expected, rel=1e-12)
    assert rg.assemble(mech, state).v == pytest.approx(state.v, rel=1e-12)
    caught, after = rg.connect(mech, state, "world", "door", joint=joint, pose_a=frame, pose_b=on_door, name="one more")
    assert caught.joint_velocity(after, "hinge 0") == pytest.approx([rate], rel=1e-12)


def resized(mech, length):
    """The same mechanism with other lengths; the masses stay."""
    twin = rg.Mechanism(mech.gravity)
    for name, body in mech.bodies.items():
        inertia = body.inertia
        twin.add_body(name, rg.Inertia(inertia.mass, length * np.array(inertia.com), length**2 * np.array(inertia.tensor)))
    for name, joint in mech.joints.items():
        poses = (rg.Pose(pose.rotation, length * pose.translation) for pose in (joint.parent_pose, joint.child_pose))
        twin.add_joint(name, joint.type, joint.parent, joint.child, *poses)
    return twin


@pytest.mark.parametrize("length", [1e3, 1e-2, 1e-3, 1e-5])
def test_accelerations_of_a_smaller_mechanism_are_larger_by_its_size(length):
    """At rest under gravity angular accelerations go as 1 / length: hinges, ball joints and a loop in space."""
    kinds = (rg.Revolute, rg.Spherical, rg.Universal)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        mech, rough = random_closed(rng, 7, 1, kinds=(rg.Revolute,), tree_kinds=kinds)
        state = rg.assemble(mech, mech.state(q=rough.q))
        small = resized(mech, length)
        found = length * rg.forward_dynamics(small, small.state(q=state.q))
        assert relative_error(found, rg.forward_dynamics(mech, state)) < 1e-9
