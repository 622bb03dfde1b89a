"""Derivatives of closed chains: slopes along motions that keep the loops closed, and the dense inverse that loops leave."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import HOLDING, assembled_sample, closed_sample, moving_four_bar
from oracles.complex_step import complex_closed_derivatives
from random_mechanisms import relative_error

SEEDS = st.integers(0, 2**32 - 1)
STEP = 1e-5
EXACT = 1e-10  # of two exact ways, through the factors of loops that nearly lock
IN_MAXIMAL = 1e-9  # the same where forces are found twice, for what rounding has left
DIFFERENCE = 1e-5  # what central differences with this step leave of stiff limits
PASSIVE = {"damping": True, "limits": True, "own": True, "springs": 2, "alike": True}


def without_friction(mech, state):
    """The same without dry friction, which changes within its slip speed, faster than a finite difference can see."""
    smooth = mech.replace(settings={name: {"friction": 0.0} for name in mech.joints})
    return smooth, smooth.state(state.q, state.v)


def closed_near(mech, state, step_q, step_v):
    """The nearest state with closed loops."""
    return rg.assemble(mech, mech.state(q=rg.integrate(mech, state.q, step_q), v=state.v + step_v))


def assert_derivatives_are_slopes(rng, mech, state, tau=None):
    found, W = rg.derivatives(mech, state, tau), rg.mobility(mech, state).W
    for _ in range(3):
        along_q, along_v = STEP * W @ rng.standard_normal(W.shape[1]), STEP * rng.standard_normal(mech.nv)
        before, after = (closed_near(mech, state, sign * along_q, sign * along_v) for sign in (-1.0, 1.0))
        moved = rg.difference(mech, after.q, state.q) - rg.difference(mech, before.q, state.q)
        rise = rg.forward_dynamics(mech, after, tau) - rg.forward_dynamics(mech, before, tau)
        predicted = found.q @ moved + found.v @ (after.v - before.v)
        assert relative_error(predicted / STEP, rise / STEP) < DIFFERENCE


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 5), st.integers(1, 3))
def test_derivatives_are_slopes_along_motions_of_the_loops(seed, bodies, loops):
    mech, state = without_friction(*closed_sample(seed, bodies, loops, **PASSIVE))
    rng = np.random.default_rng(seed)
    assert_derivatives_are_slopes(rng, mech, state, rng.standard_normal(mech.nv))


@settings(max_examples=20)
@given(SEEDS, st.integers(1, 4), st.integers(0, 2))
def test_derivatives_in_maximal_coordinates_are_slopes_too(seed, bodies, loops):
    sample = closed_sample(seed, bodies, loops, damping=True, own=True, rotors=False, springs=1, alike=True)
    free = rg.to_maximal(*without_friction(*sample))
    assert_derivatives_are_slopes(np.random.default_rng(seed), *free)


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 5), st.integers(1, 3))
def test_what_loops_leave_of_the_inverse_mass_matrix(seed, bodies, loops):
    sample = closed_sample(seed, bodies, loops)
    found, M = rg.derivatives(*sample).tau, rg.mass_matrix(*sample)
    W = np.linalg.qr(rg.mobility(*sample).W).Q
    assert relative_error(found, W @ np.linalg.solve(W.T @ M @ W, W.T)) < EXACT


def assert_derivatives_are_those_of_the_complex_step(mech, state, tau=None, wrenches=None, bound=EXACT):
    """Along motions that keep the loops; and wherever a torque leads."""
    found, W = rg.derivatives(mech, state, tau, wrenches), rg.mobility(mech, state).W
    by_q, by_v, by_tau = complex_closed_derivatives(mech, state, tau, wrenches)
    assert relative_error(found.q @ W, by_q @ W) < bound
    assert relative_error(found.v @ W, by_v @ W) < bound
    assert relative_error(found.tau, by_tau) < bound


@settings(max_examples=100)
@given(SEEDS, st.integers(2, 6), st.integers(1, 3))
def test_derivatives_with_all_forces_are_those_of_the_complex_step(seed, bodies, loops):
    mech, state = closed_sample(seed, bodies, loops, **PASSIVE)
    rng = np.random.default_rng(seed)
    wrenches = {body: 5 * rng.standard_normal(6) for body in mech.bodies if rng.random() < 0.5}
    assert_derivatives_are_those_of_the_complex_step(mech, state, rng.standard_normal(mech.nv), wrenches)


@pytest.mark.parametrize("own", [False, True], ids=["free", "with its own torques"])
@pytest.mark.parametrize("kind", HOLDING)
def test_derivatives_of_each_type_of_loop_joint_are_those_of_the_complex_step(kind, own):
    """One loop, between two bodies or on the world, within one tree or between two."""
    passive = {"damping": own, "limits": own, "own": own, "alike": own}
    tree = {"tree_kinds": (rg.Revolute, rg.Spherical), "root_kinds": (rg.Free,)}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        mech, state = assembled_sample(rng, 5, 1, kinds=(kind,), roots=1 + seed % 2, **tree, **passive)
        assert_derivatives_are_those_of_the_complex_step(mech, state, rng.standard_normal(mech.nv))


@settings(max_examples=20)
@given(SEEDS, st.integers(1, 4), st.integers(0, 2))
def test_derivatives_in_maximal_coordinates_are_those_of_the_complex_step(seed, bodies, loops):
    sample = closed_sample(seed, bodies, loops, damping=True, own=True, rotors=False, springs=1, alike=True)
    mech, state = rg.to_maximal(*sample)
    tau = np.random.default_rng(seed).standard_normal(mech.nv)
    assert_derivatives_are_those_of_the_complex_step(mech, state, tau, bound=IN_MAXIMAL)


@settings(max_examples=20)
@given(SEEDS)
def test_derivatives_of_the_high_bar_are_those_of_the_complex_step(seed):
    mech, start = rg.models.high_bar().start
    rng = np.random.default_rng(seed)
    state = rg.assemble(
        mech, mech.state(rg.integrate(mech, start.q, 0.1 * rng.standard_normal(mech.nv)), rng.standard_normal(mech.nv))
    )
    assert_derivatives_are_those_of_the_complex_step(mech, state, rng.standard_normal(mech.nv))


def test_a_motor_in_a_loop_joint_is_part_of_the_state_of_affairs():
    mech, state = moving_four_bar()
    torques = {mech.loop_joints[0]: 3.0}
    assert_derivatives_are_slopes(np.random.default_rng(1), mech, state, torques)
    assert_derivatives_are_those_of_the_complex_step(mech, state, torques)
    assert np.abs(rg.derivatives(mech, state, torques).q - rg.derivatives(mech, state).q).max() > 1e-3


def test_open_loops_have_no_derivatives():
    mech, state = moving_four_bar()
    with pytest.raises(rg.StructureError, match="assemble"):
        rg.derivatives(mech, mech.state(q=state.q + 0.1))
