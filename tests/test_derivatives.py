"""Derivatives of dynamics against Pinocchio's, the complex step, differences, and against each other."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from oracles.complex_step import complex_inverse_derivatives, complex_work, integrate_complex
from oracles.pinocchio_oracle import PinocchioTwin, mechanism_from_pinocchio
from random_mechanisms import ALL_JOINTS, IN_OTHER_LIBRARIES, random_sample, relative_error, samples
from regraft.compilation import Complexes, ComplexTable, entry
from regraft.kernels.aba import aba
from regraft.kernels.memory import model_at, work_at

ROUNDING = 1e-10
DIFFERENCE = 1e-5  # what central differences with this step leave of the stiffest limits and shortest springs
STEP = 1e-6

TREES = samples(max_bodies=6, roots=2, kinds=IN_OTHER_LIBRARIES)
PASSIVE = {"damping": True, "limits": True, "springs": 3}
PASSIVE_TREES = samples(max_bodies=5, roots=2, **PASSIVE)
ALL_TREES = samples(max_bodies=7, roots=3, own=True, **PASSIVE)
SEEDS = st.integers(0, 2**32 - 1)
EXACT = 1e-12  # of what two exact ways leave of each other where no matrix is inverted


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


def random_wrenches(rng, mech):
    return {body: 5 * rng.standard_normal(6) for body in mech.bodies if rng.random() < 0.7}


def assert_inverse_derivatives_are_those_of_the_complex_step(mech, state, a, wrenches):
    found = rg.inverse_dynamics_derivatives(mech, state, a, wrenches)
    expected = complex_inverse_derivatives(mech, state, a, wrenches)
    for name, derivative, other in zip("qva", (found.q, found.v, found.a), expected, strict=True):
        assert relative_error(derivative, other) < EXACT, name


@settings(max_examples=200)
@given(ALL_TREES, SEEDS)
def test_inverse_derivatives_with_all_forces_are_those_of_the_complex_step(sample, seed):
    wrenches = random_wrenches(np.random.default_rng(seed), sample.mech)
    assert_inverse_derivatives_are_those_of_the_complex_step(sample.mech, sample.state, sample.a, wrenches)


@pytest.mark.parametrize("reverse", [0.0, 1.0], ids=["forwards", "backwards"])
@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_inverse_derivatives_of_each_joint_type_walked_either_way_are_those_of_the_complex_step(kind, reverse):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        sample = random_sample(rng, bodies=4, kinds=(kind,), root_kinds=(rg.Free,), reverse=reverse, own=True, **PASSIVE)
        wrenches = random_wrenches(rng, sample.mech)
        assert_inverse_derivatives_are_those_of_the_complex_step(sample.mech, sample.state, sample.a, wrenches)


@settings(max_examples=200)
@given(ALL_TREES, SEEDS)
def test_derivatives_with_all_forces_are_those_of_the_complex_step(sample, seed):
    """M ∂v̇ + ∂τ = 0 at the accelerations that the torques make."""
    mech, state, tau = sample.mech, sample.state, sample.tau
    wrenches = random_wrenches(np.random.default_rng(seed), mech)
    found = rg.derivatives(mech, state, tau, wrenches)
    by_q, by_v, M = complex_inverse_derivatives(mech, state, rg.forward_dynamics(mech, state, tau, wrenches), wrenches)
    for derivative, expected in ((found.q, -np.linalg.solve(M, by_q)), (found.v, -np.linalg.solve(M, by_v))):
        assert relative_error(derivative, expected) < 1e-9
    assert relative_error(found.tau @ M, np.eye(mech.nv)) < 1e-9


@settings(max_examples=200)
@given(TREES)
def test_inverse_derivatives_are_pinocchios(sample):
    found = rg.inverse_dynamics_derivatives(sample.mech, sample.state, sample.a)
    expected = PinocchioTwin(sample.mech).inverse_derivatives(sample.state, sample.a)
    for derivative, other in zip((found.q, found.v, found.a), expected, strict=True):
        assert relative_error(derivative, other) < ROUNDING


@settings(max_examples=50)
@given(ALL_TREES)
def test_inverse_and_forward_derivatives_undo_each_other(sample):
    forward = rg.derivatives(sample.mech, sample.state, sample.tau)
    back = rg.inverse_dynamics_derivatives(sample.mech, sample.state, rg.forward_dynamics(sample.mech, sample.state, sample.tau))
    for name in "qv":
        assert relative_error(back.a @ getattr(forward, name), -getattr(back, name)) < ROUNDING
    assert relative_error(back.a @ forward.tau, np.eye(sample.mech.nv)) < ROUNDING


def test_inverse_derivatives_by_acceleration_are_the_mass_matrix_with_its_rotors():
    sample = random_sample(np.random.default_rng(0), bodies=6, own=True)
    found = rg.inverse_dynamics_derivatives(sample.mech, sample.state, sample.a).a
    assert relative_error(found, rg.mass_matrix(sample.mech, sample.state)) < EXACT


def test_a_state_of_a_large_tree_has_exact_derivatives_too():
    """Paths longer than a pack, many branches, and more columns than are solved for at a time."""
    sample = random_sample(np.random.default_rng(5), bodies=40, roots=2)
    a = rg.forward_dynamics(sample.mech, sample.state, sample.tau)
    by_q, by_v, M = complex_inverse_derivatives(sample.mech, sample.state, a)
    found = rg.derivatives(sample.mech, sample.state, sample.tau)
    assert relative_error(found.q, -np.linalg.solve(M, by_q)) < 1e-9
    assert relative_error(found.v, -np.linalg.solve(M, by_v)) < 1e-9


def test_a_mechanism_without_velocities_has_empty_derivatives():
    mech = rg.Mechanism()
    mech.add_body("stone", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("weld", rg.Fixed(), "world", "stone")
    assert rg.derivatives(mech, mech.state()).q.shape == (0, 0)
    assert rg.inverse_dynamics_derivatives(mech, mech.state(), []).a.shape == (0, 0)


@pytest.mark.parametrize("a", [[1.0], [1.0, 2.0, 3.0], [np.nan, 0.0], np.zeros((2, 1)), {"nobody": 1.0}])
def test_accelerations_that_do_not_fit_are_refused(a):
    sample = random_sample(np.random.default_rng(0), bodies=2, kinds=(rg.Revolute,))
    with pytest.raises(rg.ModelError):
        rg.inverse_dynamics_derivatives(sample.mech, sample.state, a)


def test_accelerations_may_be_a_list_a_view_with_gaps_integers_or_by_name():
    sample = random_sample(np.random.default_rng(0), bodies=2, kinds=(rg.Revolute,))
    mech, state = sample.mech, sample.state
    expected = rg.inverse_dynamics_derivatives(mech, state, np.array([1.0, 2.0])).q
    for given_a in ([1.0, 2.0], np.array([1.0, 0.0, 2.0])[::2], np.array([1, 2]), {"j0": 1.0, "j1": 2.0}):
        assert np.array_equal(rg.inverse_dynamics_derivatives(mech, state, given_a).q, expected)


@settings(max_examples=100)
@given(samples(max_bodies=6, roots=2))
def test_derivatives_of_momentum_are_its_slopes(sample):
    mech, state = sample.mech, sample.state

    def momentum(step_q, step_v):
        found = rg.momentum(mech, mech.state(q=rg.integrate(mech, state.q, step_q), v=state.v + step_v))
        return np.concatenate([found.angular, found.linear])

    found, still = rg.momentum_derivatives(mech, state), np.zeros(mech.nv)
    assert relative_error(found.v @ state.v, momentum(still, still)) < EXACT
    assert relative_error(found.q, slope(lambda d: momentum(d, still), mech.nv).reshape(6, mech.nv)) < DIFFERENCE
    assert relative_error(found.v, slope(lambda d: momentum(still, d), mech.nv).reshape(6, mech.nv)) < DIFFERENCE


def test_momentum_of_the_humanoid_changes_as_pinocchio_says():
    model = pin.buildSampleModelHumanoid()
    mech, map_q = mechanism_from_pinocchio(model)
    rng = np.random.default_rng(2)
    q, v = pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv)), rng.standard_normal(model.nv)
    data, state = model.createData(), mech.state(q=map_q(q), v=v)
    pin.computeCentroidalMap(model, data, q)
    A, com = data.Ag, pin.centerOfMass(model, data, q)
    found = rg.momentum_derivatives(mech, state).v
    assert relative_error(found[3:], A[:3]) < 1e-11
    assert relative_error(found[:3] - np.cross(com, found[3:].T).T, A[3:]) < 1e-11


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
    work = complex_work(mech.structure)
    expected = rg.derivatives(mech, state, sample.tau)

    def slope(q, v, tau):
        out = np.empty(nv, complex)
        parts = [np.asarray(x, complex) for x in (q, v, tau)]
        complex_dynamics.call(work, *parts, mech.structure.no_forces.astype(complex), out)
        return out.imag / 1e-30

    def moved(step):
        out = np.empty(mech.nq, complex)
        integrate_complex(mech.structure.walk, state.q.astype(complex), step, out)
        return out

    steps = 1e-30j * np.eye(nv)
    for found, wanted in (
        ([slope(moved(step), state.v, sample.tau) for step in steps], expected.q),
        ([slope(state.q, state.v + step, sample.tau) for step in steps], expected.v),
        ([slope(state.q, state.v, sample.tau + step) for step in steps], expected.tau),
    ):
        assert relative_error(np.array(found).T, wanted) < 1e-10
