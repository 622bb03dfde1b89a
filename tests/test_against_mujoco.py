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


def as_mujoco_has_them(mech):
    """The mechanism with such settings as MuJoCo has: no friction, balls alike about all axes, nothing on free joints."""
    settings = {}
    for name, joint in mech.joints.items():
        same = {what: getattr(joint.type, what)[:1].sum() for what in ("damping", "armature", "stiffness")}
        nothing = {"damping": 0.0, "armature": 0.0, "stiffness": 0.0}
        own = {rg.Spherical: same, rg.Free: nothing}.get(type(joint.type), {})
        settings[name] = {"friction": 0.0, **own}
    return mech.replace(settings=settings)


@TWO_HUNDRED
@given(samples(max_bodies=8, roots=3, kinds=INNER, root_kinds=(*INNER, rg.Free), damping=True, own=True))
def test_rotors_and_springs_of_joints_are_mujocos(sample):
    mech = as_mujoco_has_them(sample.mech)
    state, twin = mech.state(sample.state.q, sample.state.v), MujocoTwin(mech)
    found = rg.forward_dynamics(mech, state, sample.tau)
    assert relative_error(found, twin.forward_dynamics(state, sample.tau)) < ROUNDING
    assert relative_error(rg.inverse_dynamics(mech, state, sample.a), twin.inverse_dynamics(state, sample.a)) < ROUNDING
    assert relative_error(rg.mass_matrix(mech, state), twin.mass_matrix(state)) < ROUNDING
    energy = rg.energy(mech, state)
    assert relative_error((energy.kinetic, energy.potential), twin.energy(state)) < ROUNDING


@pytest.mark.parametrize("reverse", [0.0, 1.0], ids=["forwards", "backwards"])
@pytest.mark.parametrize("kind", INNER)
def test_dynamics_of_each_joint_type_walked_either_way_is_mujocos(kind, reverse):
    for seed in range(10):
        sample = random_sample(np.random.default_rng(seed), bodies=4, kinds=(kind,), root_kinds=(rg.Free,), reverse=reverse)
        mech, state, twin = sample.mech, sample.state, MujocoTwin(sample.mech)
        found = rg.forward_dynamics(mech, state, sample.tau)
        assert relative_error(found, twin.forward_dynamics(state, sample.tau)) < ROUNDING
        assert relative_error(rg.bias_force(mech, state), twin.bias_force(state)) < ROUNDING
