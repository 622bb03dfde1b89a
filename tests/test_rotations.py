"""Exponential and logarithm of SO(3) and SE(3), quaternions, and rotation by axis and angle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.linalg import expm, expm_frechet
from scipy.spatial.transform import Rotation

from compiled import Generic, assert_same_on_every_scalar, compiled
from regraft.algebra import rotations
from regraft.algebra.memory import load_vector, store_vector
from regraft.algebra.scalars import LANES

TOLERANCE = 1e-14

# Angles where a formula changes or a determinant vanishes: the series end at angles √0.05 and 2 √0.05 (quaternions take
# half the angle) and at sin(angle / 2) = 0.01.
SERIES = math.sqrt(0.05)
SPECIAL_ANGLES = [
    *(0.0, 1e-300, 1e-160, 1e-30, 1e-12, 1e-8, 1e-5, 1e-3),
    *(0.02, np.nextafter(SERIES, 0), SERIES, np.nextafter(SERIES, 1), 2 * SERIES, 2.1 * SERIES, 1.0),
    *(math.pi / 2, 2 * math.pi / 3, 3.0, math.pi - 1e-5, math.pi - 1e-9, math.pi - 1e-12),
]
angles = st.one_of(st.sampled_from(SPECIAL_ANGLES), st.floats(0.0, math.pi - 1e-9))


@st.composite
def axes(draw):
    a = np.array([draw(st.floats(-1.0, 1.0)) for _ in range(3)])
    assume(np.linalg.norm(a) > 1e-3)
    return a / np.linalg.norm(a)


translations = st.tuples(*[st.floats(-3.0, 3.0)] * 3)


@st.composite
def quaternions(draw):
    q = np.array([draw(st.floats(-1.0, 1.0)) for _ in range(4)])
    assume(np.linalg.norm(q) > 1e-3)
    return tuple((q / np.linalg.norm(q)).tolist())


exp_quaternion, exp_rotation = compiled(rotations.exp_quaternion), compiled(rotations.exp_rotation)
exp_pose, log_pose = compiled(rotations.exp_pose), compiled(rotations.log_pose)
log_quaternion, log_rotation = compiled(rotations.log_quaternion), compiled(rotations.log_rotation)
quaternion_product, conjugate = compiled(rotations.quaternion_product), compiled(rotations.conjugate)
quaternion_rotation, rotation_quaternion = compiled(rotations.quaternion_rotation), compiled(rotations.rotation_quaternion)
unit_quaternion, about_axis = compiled(rotations.unit_quaternion), compiled(rotations.about_axis)
exponential_coefficients = compiled(rotations.exponential_coefficients)


def vector(array):
    return tuple(np.asarray(array, float).tolist())


def matrix(nine):
    return np.array(nine).reshape(3, 3)


def hat(a):
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def twist_matrix(v):
    return np.block([[hat(v[:3]), np.asarray(v[3:], float)[:, None]], [np.zeros((1, 4))]])


def off(a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.abs(a - b).max() / (1.0 + np.abs(b).max())


# --- exponential -----------------------------------------------------------------------------------------------------


@given(axes(), angles)
def test_exp_is_the_matrix_exponential(axis, turn):
    t = axis * turn
    assert off(matrix(exp_rotation(vector(t))), expm(hat(t))) < 20 * TOLERANCE
    assert off(matrix(exp_rotation(vector(t))), Rotation.from_rotvec(t).as_matrix()) < TOLERANCE


@given(axes(), angles, translations)
def test_exp_of_a_twist_is_the_matrix_exponential(axis, turn, u):
    v = np.concatenate([axis * turn, u])
    R, p = exp_pose(vector(v))
    expected = expm(twist_matrix(v))
    assert off(matrix(R), expected[:3, :3]) < 20 * TOLERANCE
    assert off(p, expected[:3, 3]) < 20 * TOLERANCE


@given(axes(), st.floats(-500.0, 500.0))
def test_exp_goes_round_more_than_once(axis, turn):
    """The rounding of the angle itself, 500 · 1e-16, is most of the error."""
    expected = Rotation.from_rotvec(axis * math.remainder(turn, 2 * math.pi)).as_matrix()
    assert off(matrix(exp_rotation(vector(axis * turn))), expected) < 1e-12


@given(axes(), angles)
def test_exp_gives_unit_quaternions(axis, turn):
    assert abs(np.linalg.norm(exp_quaternion(vector(axis * turn))) - 1.0) < 2e-15


def test_steps_of_a_rotation_add_up_and_keep_unit_length():
    """Rounding leads away from length 1: after n steps by no more than some n · 1e-16."""
    step = np.array([0.011, -0.007, 0.019])
    q = (1.0, 0.0, 0.0, 0.0)
    for _ in range(1000):
        q = quaternion_product(q, exp_quaternion(vector(step)))
    assert abs(np.linalg.norm(q) - 1.0) < 5e-13
    assert off(matrix(quaternion_rotation(q)), Rotation.from_rotvec(1000 * step).as_matrix()) < 1e-12


def taylor(first, squared):
    """Σ (−s)ᵏ / (2k + first)!, exactly rounded."""
    return math.fsum((-squared) ** k / math.factorial(2 * k + first) for k in range(60))


@given(st.floats(0.0, 9.0))
@example(0.0)
@example(0.05)
@example(float(np.nextafter(0.05, 0)))
def test_exponential_coefficients_are_their_power_series(squared):
    """The third is a difference of nearly equal numbers at the end of the series, s = 0.05: it loses log10(6 / s) digits.

    The angle itself, up to 3, is rounded too, and near 3 the first hardly depends on anything else.
    """
    found = exponential_coefficients(squared)
    for coefficient, first, tolerance in zip(found, (1, 2, 3), (1e-15, 1e-14, 1e-13), strict=True):
        assert abs(coefficient - taylor(first, squared)) < tolerance * taylor(first, squared) + 1e-15


# --- logarithm -------------------------------------------------------------------------------------------------------


@given(axes(), angles)
def test_log_undoes_exp(axis, turn):
    t = axis * turn
    # near a half turn the direction of the rotation vector is as good as the matrix: 1e-16 relative to 1
    assert off(log_rotation(exp_rotation(vector(t))), t) < 10 * TOLERANCE
    assert off(log_quaternion(exp_quaternion(vector(t))), t) < 10 * TOLERANCE


@given(axes(), angles, translations)
def test_log_undoes_exp_of_a_twist(axis, turn, u):
    v = np.concatenate([axis * turn, u])
    assert off(log_pose(exp_pose(vector(v))), v) < 20 * TOLERANCE


@given(axes(), st.sampled_from([a for a in SPECIAL_ANGLES if a < 1e-2]))
def test_small_rotations_keep_their_relative_precision(axis, turn):
    t = axis * turn
    found = np.array(log_quaternion(exp_quaternion(vector(t))))
    assert np.abs(found - t).max() <= 1e-15 * turn


@given(quaternions(), translations)
def test_exp_undoes_log(q, p):
    R = quaternion_rotation(q)
    again, place = exp_pose(log_pose((R, p)))
    assert off(again, R) < 10 * TOLERANCE
    assert off(place, p) < 10 * TOLERANCE
    assert np.linalg.norm(log_rotation(R)) <= math.pi + TOLERANCE


@given(axes(), translations)
def test_a_half_turn_has_a_logarithm(axis, p):
    """Exactly π: R = 2 a aᵀ − 1. The vector may point either way; both are right."""
    R = vector((2.0 * np.outer(axis, axis) - np.eye(3)).ravel())
    t = np.array(log_rotation(R))
    assert min(off(t, math.pi * axis), off(t, -math.pi * axis)) < 10 * TOLERANCE
    again, place = exp_pose(log_pose((R, p)))
    assert off(again, R) < 10 * TOLERANCE
    assert off(place, p) < 10 * TOLERANCE


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)])
def test_a_half_turn_about_a_coordinate_axis_is_exact(axis):
    t = np.array(log_quaternion((0.0, *axis)))
    assert np.abs(t).max() == pytest.approx(math.pi, abs=1e-15)
    assert off(np.abs(t), math.pi * np.abs(axis)) < 1e-15


def test_no_motion_has_no_logarithm_and_no_exponential():
    identity = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    still = (0.0,) * 6
    assert exp_pose(still) == (identity, (0.0, 0.0, 0.0))
    assert log_pose((identity, (0.0, 0.0, 0.0))) == still
    assert log_pose((identity, (1.0, 2.0, 3.0))) == (0.0, 0.0, 0.0, 1.0, 2.0, 3.0)


@given(quaternions())
def test_both_quaternions_of_a_rotation_have_the_same_logarithm(q):
    assume(abs(q[0]) > 1e-9)
    assert off(log_quaternion(q), log_quaternion(vector(-np.array(q)))) < TOLERANCE


# --- quaternions -----------------------------------------------------------------------------------------------------


@given(quaternions(), quaternions())
def test_quaternions_multiply_like_rotations(a, b):
    product = matrix(quaternion_rotation(a)) @ matrix(quaternion_rotation(b))
    assert off(matrix(quaternion_rotation(quaternion_product(a, b))), product) < TOLERANCE


@given(quaternions())
def test_quaternions_are_those_of_scipy(q):
    R = Rotation.from_quat(q, scalar_first=True).as_matrix()
    assert off(matrix(quaternion_rotation(q)), R) < TOLERANCE
    found = np.array(rotation_quaternion(vector(R.ravel())))
    assert found[0] >= 0.0
    assert min(off(found, q), off(-found, q)) < TOLERANCE


@given(quaternions())
def test_the_conjugate_turns_back(q):
    assert off(matrix(quaternion_rotation(conjugate(q))), matrix(quaternion_rotation(q)).T) < TOLERANCE
    assert off(quaternion_product(q, conjugate(q)), (1.0, 0.0, 0.0, 0.0)) < TOLERANCE


@given(quaternions(), st.floats(0.1, 10.0))
def test_a_scaled_quaternion_gets_its_length_back(q, size):
    assert off(unit_quaternion(vector(size * np.array(q))), q) < TOLERANCE


@given(axes(), st.floats(-1000.0, 1000.0))
def test_rotation_about_an_axis_is_rodrigues_formula(axis, turn):
    found = matrix(about_axis(vector(axis), turn))
    expected = np.eye(3) + math.sin(turn) * hat(axis) + (1.0 - math.cos(turn)) * hat(axis) @ hat(axis)
    assert off(found, expected) < TOLERANCE
    assert off(found @ found.T, np.eye(3)) < TOLERANCE


# --- every scalar ----------------------------------------------------------------------------------------------------


def survey(x, out):
    t, p = load_vector(x, 0, 3), load_vector(x, 3, 3)
    q = rotations.exp_quaternion(t)
    R, moved = rotations.exp_pose(rotations.body_twist(p, t))
    store_vector(out, 0, q)
    store_vector(out, 4, R)
    store_vector(out, 13, moved)
    store_vector(out, 16, rotations.log_quaternion(q))
    store_vector(out, 19, rotations.unit_quaternion(rotations.quaternion_product(q, rotations.conjugate(q))))
    store_vector(out, 23, rotations.about_axis(p, x[0]))


surveyed = Generic(survey, 32)


def rows_of_angles(turns):
    rng = np.random.default_rng(3)
    along = rng.standard_normal((LANES, 6))
    along[:, :3] /= np.linalg.norm(along[:, :3], axis=1)[:, None]
    along[:, :3] *= np.resize(turns, LANES)[:, None]
    return along


def test_rotations_are_the_same_on_every_scalar():
    for start in range(0, len(SPECIAL_ANGLES), LANES):
        assert_same_on_every_scalar(surveyed, rows_of_angles(SPECIAL_ANGLES[start : start + LANES]), 1e-14)


@given(axes(), angles, axes())
def test_the_complex_step_gives_the_derivative_of_exp(axis, turn, direction):
    """Against the Fréchet derivative of the matrix exponential, a different algorithm."""
    t = axis * turn
    row = np.concatenate([t, np.zeros(3)])
    found = surveyed.complexes(row + 1e-30j * np.concatenate([direction, np.zeros(3)])).imag[4:13] / 1e-30
    expected = expm_frechet(hat(t), hat(direction), compute_expm=False)
    assert off(matrix(found), expected) < 1e-12


@given(axes(), angles, axes())
def test_the_complex_step_goes_through_log_after_exp(axis, turn, direction):
    """d log(exp(t)) = dt; near a half turn dq is divided by cos(angle / 4)-like numbers of order 1, not by small ones."""
    row = np.concatenate([axis * turn, np.zeros(3)])
    found = surveyed.complexes(row + 1e-30j * np.concatenate([direction, np.zeros(3)])).imag[16:19] / 1e-30
    assert off(found, direction) < 1e-10
