"""Random trees of all joint types, walked either way, against Pinocchio.

The trees have no springs, friction and limits: those forces are Regraft's own, and Pinocchio has none of them.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from oracles import walk
from oracles.pinocchio_oracle import PinocchioTwin
from random_mechanisms import IN_OTHER_LIBRARIES, random_pose, random_sample, relative_error, samples

ROUNDING = 1e-10
TREES = samples(max_bodies=8, roots=3, kinds=IN_OTHER_LIBRARIES)
SEEDS = st.integers(0, 2**32 - 1)
TWO_HUNDRED = settings(max_examples=200)


def random_wrenches(seed, mech):
    """A wrench on about half of the bodies."""
    rng = np.random.default_rng(seed)
    return {body: 5 * rng.standard_normal(6) for body in mech.bodies if rng.random() < 0.5}


def add_tip(seed, mech):
    """A frame somewhere on one of the bodies."""
    rng = np.random.default_rng(seed)
    mech.add_frame("tip", str(rng.choice(list(mech.bodies))), random_pose(rng))
    return "tip"


@TWO_HUNDRED
@given(TREES)
def test_forward_dynamics_is_pinocchios(sample):
    found = rg.forward_dynamics(sample.mech, sample.state, sample.tau)
    assert relative_error(found, PinocchioTwin(sample.mech).forward_dynamics(sample.state, sample.tau)) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_inverse_dynamics_is_pinocchios(sample):
    found = rg.inverse_dynamics(sample.mech, sample.state, sample.a)
    assert relative_error(found, PinocchioTwin(sample.mech).inverse_dynamics(sample.state, sample.a)) < ROUNDING


@TWO_HUNDRED
@given(TREES, SEEDS)
def test_forward_dynamics_under_wrenches_is_pinocchios(sample, seed):
    wrenches = random_wrenches(seed, sample.mech)
    found = rg.forward_dynamics(sample.mech, sample.state, sample.tau, wrenches)
    expected = PinocchioTwin(sample.mech).forward_dynamics(sample.state, sample.tau, wrenches)
    assert relative_error(found, expected) < ROUNDING


@TWO_HUNDRED
@given(TREES, SEEDS)
def test_inverse_dynamics_under_wrenches_is_pinocchios(sample, seed):
    wrenches = random_wrenches(seed, sample.mech)
    found = rg.inverse_dynamics(sample.mech, sample.state, sample.a, wrenches)
    expected = PinocchioTwin(sample.mech).inverse_dynamics(sample.state, sample.a, wrenches)
    assert relative_error(found, expected) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_mass_matrix_is_pinocchios(sample):
    found = rg.mass_matrix(sample.mech, sample.state)
    assert relative_error(found, PinocchioTwin(sample.mech).mass_matrix(sample.state)) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_bias_force_is_pinocchios(sample):
    found = rg.bias_force(sample.mech, sample.state)
    assert relative_error(found, PinocchioTwin(sample.mech).bias_force(sample.state)) < ROUNDING


@TWO_HUNDRED
@given(samples(max_bodies=8, roots=3, damping=True, kinds=IN_OTHER_LIBRARIES))
def test_damping_is_a_torque_against_the_velocity(sample):
    damping = np.zeros(sample.mech.nv)
    for name, joint in sample.mech.joints.items():
        damping[sample.mech.v_slice(name)] = joint.type.damping
    drag, twin = -damping * sample.state.v, PinocchioTwin(sample.mech)
    found = rg.forward_dynamics(sample.mech, sample.state, sample.tau)
    assert relative_error(found, twin.forward_dynamics(sample.state, sample.tau + drag)) < ROUNDING
    found = rg.inverse_dynamics(sample.mech, sample.state, sample.a)
    assert relative_error(found, twin.inverse_dynamics(sample.state, sample.a) - drag) < ROUNDING


@TWO_HUNDRED
@given(samples(max_bodies=8, roots=3, own=True, kinds=IN_OTHER_LIBRARIES))
def test_rotors_are_pinocchios(sample):
    settings = {name: {"friction": 0.0, "stiffness": 0.0} for name in sample.mech.joints}
    for step in walk(sample.mech):
        if step.backwards and step.joint.type.quaternion is not None:
            settings[step.joint.name]["armature"] = 0.0
    mech = sample.mech.replace(settings=settings)
    state, twin = mech.state(sample.state.q, sample.state.v), PinocchioTwin(mech)
    found = rg.forward_dynamics(mech, state, sample.tau)
    assert relative_error(found, twin.forward_dynamics(state, sample.tau)) < ROUNDING
    assert relative_error(rg.inverse_dynamics(mech, state, sample.a), twin.inverse_dynamics(state, sample.a)) < ROUNDING
    assert relative_error(rg.mass_matrix(mech, state), twin.mass_matrix(state)) < ROUNDING
    assert relative_error(rg.derivatives(mech, state, sample.tau).tau, np.linalg.inv(twin.mass_matrix(state))) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_body_poses_are_pinocchios(sample):
    found, expected = rg.body_poses(sample.mech, sample.state), PinocchioTwin(sample.mech).frame_poses(sample.state)
    assert set(found) == set(sample.mech.bodies)
    for body, pose in found.items():
        assert relative_error(pose.rotation, expected[body].rotation) < ROUNDING
        assert relative_error(pose.translation, expected[body].translation) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_body_twists_are_pinocchios(sample):
    found, expected = rg.body_twists(sample.mech, sample.state), PinocchioTwin(sample.mech).frame_twists(sample.state)
    assert set(found) == set(sample.mech.bodies)
    for body, twist in found.items():
        assert relative_error(twist, expected[body]) < ROUNDING


@TWO_HUNDRED
@given(TREES, SEEDS)
def test_jacobians_of_frames_and_bodies_are_pinocchios(sample, seed):
    mech, state = sample.mech, sample.state
    tip, body = add_tip(seed, mech), list(mech.bodies)[-1]
    twin = PinocchioTwin(mech)
    for frame in (tip, body):
        assert relative_error(rg.jacobian(mech, state, frame), twin.jacobian(state, frame)) < ROUNDING


@TWO_HUNDRED
@given(TREES, SEEDS)
def test_jacobian_rates_of_frames_and_bodies_are_pinocchios(sample, seed):
    mech, state = sample.mech, sample.state
    tip, body = add_tip(seed, mech), list(mech.bodies)[-1]
    twin = PinocchioTwin(mech)
    for frame in (tip, body):
        assert relative_error(rg.jacobian_rate(mech, state, frame), twin.jacobian_rate(state, frame)) < ROUNDING


@TWO_HUNDRED
@given(TREES, SEEDS)
def test_frame_poses_and_twists_are_pinocchios(sample, seed):
    mech, state = sample.mech, sample.state
    tip = add_tip(seed, mech)
    twin = PinocchioTwin(mech)
    pose, expected = rg.frame_pose(mech, state, tip), twin.frame_poses(state)[tip]
    assert relative_error(pose.rotation, expected.rotation) < ROUNDING
    assert relative_error(rg.frame_position(mech, state, tip), expected.translation) < ROUNDING
    assert relative_error(rg.frame_twist(mech, state, tip), twin.frame_twists(state)[tip]) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_energy_is_pinocchios(sample):
    found = rg.energy(sample.mech, sample.state)
    assert relative_error((found.kinetic, found.potential), PinocchioTwin(sample.mech).energy(sample.state)) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_momentum_is_pinocchios(sample):
    found = rg.momentum(sample.mech, sample.state)
    angular, linear = PinocchioTwin(sample.mech).momentum(sample.state)
    assert relative_error(found.angular, angular) < ROUNDING
    assert relative_error(found.linear, linear) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_center_of_mass_is_pinocchios(sample):
    found = rg.center_of_mass(sample.mech, sample.state)
    assert relative_error(found, PinocchioTwin(sample.mech).center_of_mass(sample.state)) < ROUNDING


@TWO_HUNDRED
@given(TREES, SEEDS)
def test_joint_reactions_are_pinocchios(sample, seed):
    mech, state = sample.mech, sample.state
    wrenches = random_wrenches(seed, mech)
    a = PinocchioTwin(mech).forward_dynamics(state, sample.tau, wrenches)
    expected = PinocchioTwin(mech, lock_welds=True).joint_reactions(state, a, wrenches)
    found = rg.joint_reactions(mech, state, sample.tau, wrenches)
    assert set(found) == set(mech.joints)
    for joint, wrench in found.items():
        assert relative_error(wrench, expected[joint]) < ROUNDING


@pytest.mark.parametrize("reverse", [0.0, 1.0], ids=["forwards", "backwards"])
@pytest.mark.parametrize("kind", IN_OTHER_LIBRARIES)
def test_dynamics_of_each_joint_type_walked_either_way_is_pinocchios(kind, reverse):
    for seed in range(10):
        sample = random_sample(np.random.default_rng(seed), bodies=4, kinds=(kind,), root_kinds=(rg.Free,), reverse=reverse)
        mech, state, twin = sample.mech, sample.state, PinocchioTwin(sample.mech)
        found = rg.forward_dynamics(mech, state, sample.tau)
        assert relative_error(found, twin.forward_dynamics(state, sample.tau)) < ROUNDING
        found = rg.inverse_dynamics(mech, state, sample.a)
        assert relative_error(found, twin.inverse_dynamics(state, sample.a)) < ROUNDING
        found = rg.jacobian_rate(mech, state, "b3")
        assert relative_error(found, twin.jacobian_rate(state, "b3")) < ROUNDING


@settings(max_examples=20)
@given(SEEDS)
def test_dynamics_of_trees_with_sixty_bodies_is_pinocchios(seed):
    sample = random_sample(np.random.default_rng(seed), bodies=60, roots=2, kinds=IN_OTHER_LIBRARIES)
    mech, state, twin = sample.mech, sample.state, PinocchioTwin(sample.mech)
    assert relative_error(rg.inverse_dynamics(mech, state, sample.a), twin.inverse_dynamics(state, sample.a)) < ROUNDING
    assert relative_error(rg.mass_matrix(mech, state), twin.mass_matrix(state)) < ROUNDING
    assert relative_error(rg.forward_dynamics(mech, state, sample.tau), twin.forward_dynamics(state, sample.tau)) < ROUNDING
