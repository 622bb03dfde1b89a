"""Random trees of all joint types that MuJoCo has, walked either way, against MuJoCo: no screws, and Free only on the world."""

import numpy as np
import pytest
from hypothesis import given, settings

import regraft as rg
from oracles.mujoco_oracle import MujocoTwin
from random_mechanisms import IN_OTHER_LIBRARIES, random_sample, relative_error, samples

ROUNDING = 1e-10
INNER = tuple(kind for kind in IN_OTHER_LIBRARIES if kind not in (rg.Free, rg.Helical))
TREES = samples(max_bodies=8, roots=3, kinds=INNER, root_kinds=(*INNER, rg.Free, rg.Free, rg.Free))
TWO_HUNDRED = settings(max_examples=200)


@TWO_HUNDRED
@given(TREES)
def test_forward_dynamics_is_mujocos(sample):
    found = rg.forward_dynamics(sample.mech, sample.state, sample.tau)
    assert relative_error(found, MujocoTwin(sample.mech).forward_dynamics(sample.state, sample.tau)) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_inverse_dynamics_is_mujocos(sample):
    found = rg.inverse_dynamics(sample.mech, sample.state, sample.a)
    assert relative_error(found, MujocoTwin(sample.mech).inverse_dynamics(sample.state, sample.a)) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_bias_force_is_mujocos(sample):
    found = rg.bias_force(sample.mech, sample.state)
    assert relative_error(found, MujocoTwin(sample.mech).bias_force(sample.state)) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_mass_matrix_is_mujocos(sample):
    found = rg.mass_matrix(sample.mech, sample.state)
    assert relative_error(found, MujocoTwin(sample.mech).mass_matrix(sample.state)) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_body_poses_are_mujocos(sample):
    found, expected = rg.body_poses(sample.mech, sample.state), MujocoTwin(sample.mech).body_poses(sample.state)
    assert set(found) == set(expected)
    for body, pose in found.items():
        assert relative_error(pose.rotation, expected[body].rotation) < ROUNDING
        assert relative_error(pose.translation, expected[body].translation) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_jacobians_of_bodies_are_mujocos(sample):
    twin = MujocoTwin(sample.mech)
    for body in sample.mech.bodies:
        found = rg.jacobian(sample.mech, sample.state, body)
        assert relative_error(found, twin.jacobian(sample.state, body)) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_energy_is_mujocos(sample):
    found = rg.energy(sample.mech, sample.state)
    assert relative_error((found.kinetic, found.potential), MujocoTwin(sample.mech).energy(sample.state)) < ROUNDING


@TWO_HUNDRED
@given(TREES)
def test_center_of_mass_is_mujocos(sample):
    found = rg.center_of_mass(sample.mech, sample.state)
    assert relative_error(found, MujocoTwin(sample.mech).center_of_mass(sample.state)) < ROUNDING


@pytest.mark.parametrize("reverse", [0.0, 1.0], ids=["forwards", "backwards"])
@pytest.mark.parametrize("kind", INNER)
def test_dynamics_of_each_joint_type_walked_either_way_is_mujocos(kind, reverse):
    for seed in range(10):
        sample = random_sample(np.random.default_rng(seed), bodies=4, kinds=(kind,), root_kinds=(rg.Free,), reverse=reverse)
        mech, state, twin = sample.mech, sample.state, MujocoTwin(sample.mech)
        found = rg.forward_dynamics(mech, state, sample.tau)
        assert relative_error(found, twin.forward_dynamics(state, sample.tau)) < ROUNDING
        assert relative_error(rg.bias_force(mech, state), twin.bias_force(state)) < ROUNDING
