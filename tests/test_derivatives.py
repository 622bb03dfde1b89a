"""Derivatives of forward dynamics against Pinocchio's analytic ones, against differences, and against the mass matrix."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from oracles.pinocchio_oracle import PinocchioTwin, mechanism_from_pinocchio
from random_mechanisms import ALL_JOINTS, IN_OTHER_LIBRARIES, random_sample, relative_error, samples
from regraft.compilation import Complexes, ComplexTable, entry
from regraft.kernels.aba import aba
from regraft.kernels.configuration import integrate_position
from regraft.kernels.memory import model_at, work_at

ROUNDING = 1e-10
DIFFERENCE = 1e-5  # what central differences with this step leave of the stiffest limits and shortest springs
STEP = 1e-6

TREES = samples(max_bodies=6, roots=2, kinds=IN_OTHER_LIBRARIES)
PASSIVE = {"damping": True, "limits": True, "springs": 3}
PASSIVE_TREES = samples(max_bodies=5, roots=2, **PASSIVE)
SEEDS = st.integers(0, 2**32 - 1)


def slope(f, columns):
    """Central differences: column c is (f(ε e_c) − f(−ε e_c)) / 2ε."""
    return np.array([(f(d) - f(-d)) / (2 * STEP) for d in STEP * np.eye(columns)]).T


def assert_derivatives_are_slopes(mech, state, tau, wrenches=None):
    def forward(step_q=0.0, step_v=0.0, step_tau=0.0):
        moved = mech.state(q=rg.integrate(mech, state.q, np.zeros(mech.nv) + step_q), v=state.v + step_v)
        return rg.forward_dynamics(mech, moved, tau + step_tau, wrenches)

    found = rg.derivatives(mech, state, tau, wrenches)
    for name, derivative in (("q", found.q), ("v", found.v), ("tau", found.tau)):
        expected = slope(lambda d, name=name: forward(**{f"step_{name}": d}), mech.nv).reshape(mech.nv, mech.nv)
        assert relative_error(derivative, expected) < DIFFERENCE, name


@settings(max_examples=200)
@given(TREES)
def test_derivatives_are_pinocchios(sample):
    found = rg.derivatives(sample.mech, sample.state, sample.tau)
    expected = PinocchioTwin(sample.mech).derivatives(sample.state, sample.tau)
    assert relative_error(found.q, expected.q) < ROUNDING
    assert relative_error(found.v, expected.v) < ROUNDING
    assert relative_error(found.tau, expected.tau) < ROUNDING


@pytest.mark.parametrize("reverse", [0.0, 1.0], ids=["forwards", "backwards"])
@pytest.mark.parametrize("kind", IN_OTHER_LIBRARIES)
def test_derivatives_of_each_joint_type_walked_either_way_are_pinocchios(kind, reverse):
    for seed in range(5):
        sample = random_sample(np.random.default_rng(seed), bodies=4, kinds=(kind,), root_kinds=(rg.Free,), reverse=reverse)
        found = rg.derivatives(sample.mech, sample.state, sample.tau)
        expected = PinocchioTwin(sample.mech).derivatives(sample.state, sample.tau)
        assert relative_error(found.q, expected.q) < ROUNDING
        assert relative_error(found.v, expected.v) < ROUNDING
        assert relative_error(found.tau, expected.tau) < ROUNDING


@settings(max_examples=10)
@given(SEEDS)
def test_derivatives_of_the_humanoid_are_pinocchios(seed):
    model = pin.buildSampleModelHumanoid()
    mech, map_q = mechanism_from_pinocchio(model)
    rng = np.random.default_rng(seed)
    q = pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv))
    v, tau = rng.standard_normal(model.nv), 5 * rng.standard_normal(model.nv)
    found = rg.derivatives(mech, mech.state(q=map_q(q), v=v), tau)
    data = model.createData()
    expected = pin.computeABADerivatives(model, data, q, v, tau)
    for derivative, other in zip((found.q, found.v, found.tau), expected, strict=True):
        assert relative_error(derivative, other) < ROUNDING


@settings(max_examples=100)
@given(PASSIVE_TREES)
def test_derivatives_with_all_passive_forces_are_slopes_of_forward_dynamics(sample):
    assert_derivatives_are_slopes(sample.mech, sample.state, sample.tau)


@pytest.mark.parametrize("reverse", [0.0, 1.0], ids=["forwards", "backwards"])
@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_derivatives_of_each_joint_type_walked_either_way_are_slopes_of_forward_dynamics(kind, reverse):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        sample = random_sample(rng, bodies=3, kinds=(kind,), root_kinds=(rg.Revolute,), reverse=reverse, **PASSIVE)
        assert_derivatives_are_slopes(sample.mech, sample.state, sample.tau)


@settings(max_examples=50)
@given(PASSIVE_TREES, SEEDS)
def test_derivatives_under_wrenches_are_slopes_of_forward_dynamics_under_them(sample, seed):
    rng = np.random.default_rng(seed)
    wrenches = {body: 5 * rng.standard_normal(6) for body in sample.mech.bodies}
    assert_derivatives_are_slopes(sample.mech, sample.state, sample.tau, wrenches)


@settings(max_examples=200)
@given(samples(max_bodies=8, roots=3, **PASSIVE))
def test_derivative_by_torque_is_the_inverse_of_the_mass_matrix(sample):
    found = rg.derivatives(sample.mech, sample.state, sample.tau).tau
    assert relative_error(found, np.linalg.inv(rg.mass_matrix(sample.mech, sample.state))) < ROUNDING


@settings(max_examples=100)
@given(PASSIVE_TREES)
def test_derivatives_leave_the_state_as_it_was(sample):
    q, v, tau = sample.state.q.copy(), sample.state.v.copy(), sample.tau.copy()
    before = rg.forward_dynamics(sample.mech, sample.state, sample.tau)
    rg.derivatives(sample.mech, sample.state, sample.tau)
    assert np.array_equal(sample.state.q, q)
    assert np.array_equal(sample.state.v, v)
    assert np.array_equal(sample.tau, tau)
    assert np.array_equal(rg.forward_dynamics(sample.mech, sample.state, sample.tau), before)


@settings(max_examples=100)
@given(samples(max_bodies=6, roots=2))
def test_jacobian_rate_is_the_slope_of_the_jacobian_along_the_motion(sample):
    mech, state = sample.mech, sample.state
    for body in mech.bodies:

        def along(step, body=body):
            moved = mech.state(q=rg.integrate(mech, state.q, step[0] * state.v), v=state.v)
            return rg.jacobian(mech, moved, body).ravel()

        expected = slope(along, 1).reshape(6, mech.nv)
        assert relative_error(rg.jacobian_rate(mech, state, body), expected) < DIFFERENCE


@entry
def complex_dynamics(handle: int, q: Complexes, v: Complexes, tau: Complexes, external: ComplexTable, out: Complexes) -> None:
    aba(model_at(handle), work_at(handle, q), q, v, tau, external, out)


def test_the_complex_step_through_forward_dynamics_itself_gives_the_same():
    """The articulated-body algorithm on complex numbers, against the derivatives that come from inverse dynamics."""
    sample = random_sample(np.random.default_rng(3), bodies=9, damping=True, limits=True, springs=2)
    mech, state, nv = sample.mech, sample.state, sample.mech.nv
    work = mech.structure.new_work(0j)
    expected = rg.derivatives(mech, state, sample.tau)

    def slope(q, v, tau):
        out = np.empty(nv, complex)
        parts = [np.asarray(x, complex) for x in (q, v, tau)]
        complex_dynamics.call(work, *parts, mech.structure.no_forces.astype(complex), out)
        return out.imag / 1e-30

    def moved(step):
        out = np.empty(mech.nq, complex)
        integrate_position(mech.structure.walk, state.q.astype(complex), step, out)
        return out

    steps = 1e-30j * np.eye(nv)
    for found, wanted in (
        ([slope(moved(step), state.v, sample.tau) for step in steps], expected.q),
        ([slope(state.q, state.v + step, sample.tau) for step in steps], expected.v),
        ([slope(state.q, state.v, sample.tau + step) for step in steps], expected.tau),
    ):
        assert relative_error(np.array(found).T, wanted) < 1e-10
