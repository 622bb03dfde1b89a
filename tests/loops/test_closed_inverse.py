"""Inverse dynamics of closed chains, S2 III-A, and its forward dynamics by unit vectors, III-B, as an oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import qr

import regraft as rg
from loops.closed_mechanisms import (
    all_velocities,
    bricard,
    closed_sample,
    four_bars,
    moving_four_bar,
    two_links,
    without_loops,
)
from random_mechanisms import random_sample, relative_error

SEEDS = st.integers(0, 2**32 - 1)


# --- S2's forward dynamics --------------------------------------------------------------------------------------------


def forward_by_unit_vectors(mech, state, tau):
    """S2 III-B, steps 1 to 5, on the tree without its loops."""
    tree = without_loops(mech)
    there = tree.state(q=state.q, v=state.v)
    J, velocities = rg.loop_jacobian(mech, state), all_velocities(mech, state)
    left, upper, order = qr(J, pivoting=True)
    m = int((np.abs(np.diag(upper)) > 1e-6).sum())
    S, G = order[:m], order[m:]
    J_Cm, rate = left[:, :m].T @ J, left[:, :m].T @ (rg.loop_jacobian_rate(mech, state) @ velocities)
    H = -np.linalg.solve(J_Cm[:, S], J_Cm[:, G])  # (17)
    bias = -np.linalg.solve(J_Cm[:, S], rate)  # (21)

    def all_accelerations(of_G):
        whole = np.empty(J.shape[1])
        whole[G], whole[S] = of_G, H @ of_G + bias  # (18)
        return whole[: mech.nv]

    W = np.zeros((J.shape[1], len(G)))
    W[G], W[S] = np.eye(len(G)), H
    W = W[: mech.nv]

    def generalized_force(of_G):
        return W.T @ rg.inverse_dynamics(tree, there, all_accelerations(of_G))  # (7)

    b = generalized_force(np.zeros(len(G)))
    A = np.column_stack([np.zeros((len(G), 0)), *(generalized_force(e) - b for e in np.eye(len(G)))])
    return all_accelerations(np.linalg.solve(A, W.T @ tau - b))  # (24), (18)


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 7), st.integers(1, 3), st.integers(1, 2))
def test_forward_dynamics_is_that_of_unit_vectors(seed, bodies, loops, roots):
    mech, state = closed_sample(seed, bodies, loops, roots=min(roots, bodies), springs=1)
    tau = np.random.default_rng(seed).standard_normal(mech.nv)
    assert relative_error(rg.forward_dynamics(mech, state, tau), forward_by_unit_vectors(mech, state, tau)) < 1e-8


# --- inverse dynamics -------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 7), st.integers(1, 3), st.integers(1, 2))
def test_forward_dynamics_undoes_inverse_dynamics(seed, bodies, loops, roots):
    mech, state = closed_sample(
        seed, bodies, loops, roots=min(roots, bodies), damping=True, own=True, limits=True, springs=1, alike=True
    )
    rng = np.random.default_rng(seed)
    tau = 5.0 * rng.standard_normal(mech.nv)
    a = rg.forward_dynamics(mech, state, tau)
    found = rg.inverse_dynamics(mech, state, a)
    assert relative_error(rg.forward_dynamics(mech, state, found), a) < 1e-8
    W = rg.mobility(mech, state).W
    assert relative_error(W.T @ found, W.T @ tau) < 1e-8 * (1.0 + np.abs(W).max(initial=0.0))
    assert np.linalg.norm(found) <= np.linalg.norm(tau) * (1.0 + 1e-9)
    wanted = rg.consistent_acceleration(mech, state, rng.standard_normal(mech.nv))
    assert relative_error(rg.forward_dynamics(mech, state, rg.inverse_dynamics(mech, state, wanted)), wanted) < 1e-8


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 6), st.integers(1, 2))
def test_wrenches_are_beside_the_torques(seed, bodies, loops):
    mech, state = closed_sample(seed, bodies, loops)
    rng = np.random.default_rng(seed)
    wrenches = {"b0": rng.standard_normal(6), "b1": rng.standard_normal(6)}
    a = rg.forward_dynamics(mech, state, rng.standard_normal(mech.nv), wrenches)
    tau = rg.inverse_dynamics(mech, state, a, wrenches)
    assert relative_error(rg.forward_dynamics(mech, state, tau, wrenches), a) < 1e-8
    named = rg.actuator_torques(mech, state, a, wrenches=wrenches)
    assert np.array_equal(np.concatenate([np.zeros(0), *named.values()]), tau)


@settings(max_examples=40)
@given(SEEDS, st.integers(3, 7), st.integers(1, 2))
def test_the_power_of_the_torques_is_the_rate_of_energy(seed, bodies, loops):
    """With damped loop joints, driven at the independent coordinates, whichever joints they are."""
    sample = closed_sample(seed, bodies, loops)
    mech, state = damped_loops(sample[0], seed), sample[1]
    state = mech.state(q=state.q, v=state.v)
    a = rg.consistent_acceleration(mech, state, np.random.default_rng(seed).standard_normal(mech.nv))
    found = rg.mobility(mech, state)
    torques = rg.actuator_torques(mech, state, a, actuated=found.independent)
    power = sum(torque @ mech.joint_velocity(state, name) for name, torque in torques.items())
    lost = sum(mech.joints[name].type.damping @ mech.joint_velocity(state, name) ** 2 for name in mech.loop_joints)
    speed = 1.0 + np.abs(state.v).max() + np.abs(a).max() ** 0.5
    rate = energy_rate(mech, state, a, 1e-3 / speed)
    assert power - lost == pytest.approx(rate, abs=1e-8 * speed**3 * (1.0 + rg.energy(mech, state).kinetic))


def damped_loops(mech, seed):
    rng = np.random.default_rng(seed)
    for name in mech.loop_joints:
        joint = mech.joints[name]
        kind = type(joint.type)(**joint.type.arguments(), damping=rng.uniform(0.5, 2.0, joint.type.nv))
        mech = mech.with_joint(name, rg.Joint(name, kind, joint.parent, joint.child, joint.parent_pose, joint.child_pose))
    return mech


def energy_rate(mech, state, a, step):
    """By central differences of fourth order along the motion with the acceleration a."""

    def at(t):
        q = rg.integrate(mech, state.q, t * state.v + 0.5 * t * t * a)
        return rg.energy(mech, mech.state(q=q, v=state.v + t * a)).total

    return (8.0 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12.0 * step)


# --- which joints are actuated ----------------------------------------------------------------------------------------


def test_the_torque_of_one_motor_is_that_of_the_pendulum():
    """(2/3 + 1) θ̈ = 2 g sin θ + τ for two uprights and a level rod of 1 kg and 1 m, and tilts θ from the vertical."""
    mech, state = moving_four_bar()
    inertia = 2 * mech.bodies["upright 0"].inertia.tensor[2, 2] + 2 * 0.25 + 1.0
    expected = 3.0 * inertia - 2 * 9.81 * np.sin(0.4)
    tau = rg.inverse_dynamics(mech, state, [3.0, -3.0, 3.0], actuated=["foot 0"])
    assert tau == pytest.approx([expected, 0.0, 0.0], abs=1e-10)
    for joint, sign in (("top 0", -1), ("foot 1", 1), ("end 1", 1)):
        torque = rg.actuator_torques(mech, state, [3.0, -3.0, 3.0], actuated=[joint])
        assert list(torque) == [joint]
        assert torque[joint] == pytest.approx([sign * expected], abs=1e-10)


def test_the_example_of_the_paper():
    """τ_A = S⁻ᵀ Wᵀ τ_O (S2 eq. 22) with motors at θ7 and θ8, where θ8 closes the loop."""
    mech = two_links()
    state = rg.assemble(mech, mech.state(v={"elbow": 0.8, "float": (0.3, 0, 0, 0, 0, 0)}))
    a = rg.consistent_acceleration(mech, state, np.arange(7.0))
    torques = rg.actuator_torques(mech, state, a, actuated=["elbow", "ground"])
    W = np.array([[1, 0], *[[0, 0]] * 4, [0.5, -0.5], [0, 1]])
    S = np.array([[0, 1], [0.5, 0.5]])
    tree = without_loops(mech)
    needed = rg.inverse_dynamics(tree, tree.state(q=state.q, v=state.v), a)
    expected = np.linalg.solve(S.T, W.T @ needed)
    assert np.concatenate([torques["elbow"], torques["ground"]]) == pytest.approx(expected, abs=1e-10)


@settings(max_examples=40)
@given(SEEDS, st.integers(3, 7), st.integers(1, 2))
def test_motors_at_generalized_coordinates_are_enough(seed, bodies, loops):
    """S is square there, and so is unique what they do; tree joints among them get it from forward dynamics too."""
    mech, state = closed_sample(seed, bodies, loops, damping=True)
    a = rg.consistent_acceleration(mech, state, np.random.default_rng(seed).standard_normal(mech.nv))
    found = rg.mobility(mech, state)
    torques = rg.actuator_torques(mech, state, a, actuated=found.independent)
    tree = without_loops(mech)
    generalized = found.W.T @ rg.inverse_dynamics(tree, tree.state(q=state.q, v=state.v), a)
    picked = [torques[name][int(index[:-1] or 0)] for name, _, index in map(split_label(mech), found.independent)]
    assert relative_error(np.array(picked), generalized) < 1e-9 / max(found.conditioning, 1e-3)
    if not any(name in mech.loop_joints for name in torques):
        tau = rg.inverse_dynamics(mech, state, a, actuated=found.independent)
        assert relative_error(rg.forward_dynamics(mech, state, tau), a) < 1e-8 / max(found.conditioning, 1e-3)


def split_label(mech):
    return lambda label: (label, "", "0]") if label in mech.joints else label.rpartition("[")


def test_damping_of_a_loop_joint_is_driven_against():
    mech, state = moving_four_bar(damping=2.0)
    free, _ = moving_four_bar()
    a = [3.0, -3.0, 3.0]
    more = rg.inverse_dynamics(mech, state, a, actuated=["foot 0"]) - rg.inverse_dynamics(
        free, free.state(q=state.q, v=state.v), a, actuated=["foot 0"]
    )
    assert more == pytest.approx([2.0 * -0.7, 0.0, 0.0], abs=1e-10)


# --- too few motors ---------------------------------------------------------------------------------------------------


def five_bar():
    """A planar five-bar: two degrees of freedom."""
    mech, hinge, at = rg.Mechanism(), rg.Revolute((0, 1, 0)), lambda x: rg.Pose(translation=(x, 0, 0))
    for name in ("left arm", "left rod", "right rod", "right arm"):
        mech.add_body(name, rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (1, 0, 0)))
    mech.add_joint("left", hinge, "world", "left arm")
    mech.add_joint("left elbow", hinge, "left arm", "left rod", at(1.0))
    mech.add_joint("right", hinge, "world", "right arm", at(1.5))
    mech.add_joint("right elbow", hinge, "right arm", "right rod", at(1.0))
    mech.add_joint("tip", hinge, "left rod", "right rod", at(1.0), at(1.0))
    rough = mech.state(q={"left": -2.0, "left elbow": 0.9, "right": -1.1, "right elbow": -0.9}, v={"left": 0.5, "right": -0.3})
    return mech, rg.assemble(mech, rough)


def test_a_motion_that_no_motor_drives_is_named():
    mech, state = five_bar()
    a = rg.consistent_acceleration(mech, state, [1.0, 0.0, -2.0, 0.0])
    with pytest.raises(
        rg.StructureError, match=r"motion of '.*' \(with .*\) cannot be driven by 'left': no actuated joint moves"
    ):
        rg.inverse_dynamics(mech, state, a, actuated=["left"])
    with pytest.raises(rg.StructureError, match="cannot be driven by nothing"):
        rg.inverse_dynamics(mech, state, a, actuated=[])
    tau = rg.inverse_dynamics(mech, state, a, actuated=["left", "right"])
    assert tau[[1, 3]] == pytest.approx([0.0, 0.0], abs=0.0)
    assert rg.forward_dynamics(mech, state, tau) == pytest.approx(a, abs=1e-9)


def test_few_motors_are_enough_for_a_motion_that_needs_no_others():
    mech, state = five_bar()
    a = rg.forward_dynamics(mech, state, [0.7, 0.0, 0.0, 0.0])
    assert rg.inverse_dynamics(mech, state, a, actuated=["left"]) == pytest.approx([0.7, 0.0, 0.0, 0.0], abs=1e-9)
    assert rg.inverse_dynamics(mech, state, rg.forward_dynamics(mech, state), actuated=[]) == pytest.approx(np.zeros(4), abs=0.0)


def test_trees_may_have_few_motors_too():
    rng = np.random.default_rng(5)
    sample = random_sample(rng, bodies=5, kinds=(rg.Revolute, rg.Spherical), root_kinds=(rg.Free,))
    mech, state = sample.mech, sample.state
    tau = sample.tau.copy()
    tau[mech.v_slice("j0")] = 0.0
    a = rg.forward_dynamics(mech, state, tau)
    legs = ["j1", "j2", "j3", "j4"]
    assert relative_error(rg.inverse_dynamics(mech, state, a, actuated=legs), tau) < 1e-9
    with pytest.raises(rg.StructureError, match=r"motion of 'j0' cannot be driven by 'j1', 'j2', 'j3', 'j4'"):
        rg.inverse_dynamics(mech, state, sample.a, actuated=legs)
    found = rg.actuator_torques(mech, state, sample.a)
    assert relative_error(np.concatenate(list(found.values())), rg.inverse_dynamics(mech, state, sample.a)) < 1e-12


def test_bricard_is_driven_by_any_of_its_hinges():
    mech = bricard()
    state = rg.assemble(mech, mech.state(v={"hinge 1": 1.0}), hold=["hinge 1"])
    a = rg.forward_dynamics(mech, state, [2.0, 0.0, 0.0, 0.0, 0.0])
    for hinge in mech.layout.names:
        tau = rg.inverse_dynamics(mech, state, a, actuated=[hinge])
        assert np.abs(tau[mech.v_slice(hinge)]) == pytest.approx(2.0, rel=1e-9)
        assert rg.forward_dynamics(mech, state, tau) == pytest.approx(a, abs=1e-9)


def test_where_rods_are_in_line_two_motors_are_needed():
    mech = four_bars(1)
    state = mech.state(q=[-np.pi / 2, np.pi / 2, -np.pi / 2])
    apart = rg.mobility(mech, state).W @ [1.0, 0.4]
    with pytest.raises(rg.StructureError, match="cannot be driven by 'foot 0'"):
        rg.inverse_dynamics(mech, state, apart, actuated=["foot 0"])
    tau = rg.inverse_dynamics(mech, state, apart, actuated=["foot 0", "foot 1"])
    assert rg.forward_dynamics(mech, state, tau) == pytest.approx(apart, abs=1e-9)
