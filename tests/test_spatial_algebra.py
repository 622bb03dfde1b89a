"""The algebra of motions, forces and inertias: laws on random numbers, and the same numbers on every scalar."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from compiled import Generic, assert_same_on_every_scalar, compiled
from regraft.algebra import spatial
from regraft.algebra.memory import load_vector, store_vector
from regraft.algebra.scalars import LANES

TOLERANCE = 1e-12

number = st.floats(-2.0, 2.0)


def numbers(count):
    return st.tuples(*[number] * count)


vectors, motions, forces = numbers(3), numbers(6), numbers(6)


@st.composite
def rotations(draw):
    """A rotation matrix as 9 numbers, by the formula of Euler and Rodrigues."""
    q = np.array(draw(numbers(4)))
    assume(np.linalg.norm(q) > 0.1)
    w, x, y, z = q / np.linalg.norm(q)
    skew = hat((x, y, z))
    return tuple((np.eye(3) + 2.0 * w * skew + 2.0 * skew @ skew).ravel().tolist())


poses = st.tuples(rotations(), vectors)


@st.composite
def bodies(draw):
    """Mass, centre of mass and moments about it, of a handful of point masses."""
    masses = np.array([draw(st.floats(0.01, 2.0)) for _ in range(4)])
    points = np.array([draw(vectors) for _ in range(4)])
    mass = masses.sum()
    com = masses @ points / mass
    arms = points - com
    tensor = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True))
    return float(mass), tuple(com.tolist()), packed(tensor)


def hat(a):
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def packed(tensor):
    return tuple(float(tensor[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))


def unpacked(moments):
    a, b, c, d, e, f = moments
    return np.array([[a, b, c], [b, d, e], [c, e, f]])


def matrix_of(body):
    """The 6×6 inertia about the origin, from mass, centre of mass and moments about it (Featherstone, eq. 2.63)."""
    mass, com, moments = body
    c = hat(com)
    return np.block([[unpacked(moments) + mass * c @ c.T, mass * c], [mass * c.T, mass * np.eye(3)]])


def motion_matrix(pose):
    """How a motion vector's coordinates change from a frame to the one in which it has this pose."""
    R, p = np.array(pose[0]).reshape(3, 3), np.array(pose[1])
    return np.block([[R, np.zeros((3, 3))], [hat(p) @ R, R]])


def full(articulated):
    """The 6×6 matrix of the 21 numbers."""
    A, B, D = unpacked(articulated[:6]), np.array(articulated[6:15]).reshape(3, 3), unpacked(articulated[15:])
    return np.block([[A, B], [B.T, D]])


def close(a, b, tolerance=TOLERANCE):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.abs(a - b).max() <= tolerance * (1.0 + np.abs(b).max())


motion_cross, force_cross = compiled(spatial.motion_cross), compiled(spatial.force_cross)
power, at_point, force_at = compiled(spatial.power), compiled(spatial.at_point), compiled(spatial.force_at)
compose, invert = compiled(spatial.compose), compiled(spatial.invert)
turning, sliding = compiled(spatial.turning), compiled(spatial.sliding)
rotate, rotate_back, multiply = compiled(spatial.rotate), compiled(spatial.rotate_back), compiled(spatial.multiply)
rigid_inertia, turn_inertia = compiled(spatial.rigid_inertia), compiled(spatial.turn_inertia)
momentum_of, articulated, apply = compiled(spatial.momentum_of), compiled(spatial.articulated), compiled(spatial.apply)
remove_direction, combine = compiled(spatial.remove_direction), compiled(spatial.combine)
largest_response, size_of = compiled(spatial.largest_response), compiled(spatial.size_of)


# --- the Lie algebra of motions --------------------------------------------------------------------------------------


@given(motions, motions)
def test_the_motion_product_is_antisymmetric(a, b):
    assert close(motion_cross(a, b), -np.array(motion_cross(b, a)))
    assert close(motion_cross(a, a), np.zeros(6))


@given(motions, motions, motions, number, number)
def test_the_motion_product_is_bilinear(a, b, c, s, t):
    left = motion_cross(tuple(s * np.array(a) + t * np.array(b)), c)
    right = s * np.array(motion_cross(a, c)) + t * np.array(motion_cross(b, c))
    assert close(left, right)


@given(motions, motions, motions)
def test_the_motion_product_obeys_jacobi(a, b, c):
    around = sum(np.array(motion_cross(x, motion_cross(y, z))) for x, y, z in ((a, b, c), (b, c, a), (c, a, b)))
    assert close(around, np.zeros(6))


@given(motions, motions)
def test_the_motion_product_is_the_commutator_of_twist_matrices(a, b):
    def twist(v):
        return np.block([[hat(v[:3]), np.array(v[3:])[:, None]], [np.zeros((1, 4))]])

    commutator = twist(a) @ twist(b) - twist(b) @ twist(a)
    assert close(twist(motion_cross(a, b)), commutator)


@given(motions, motions, forces)
def test_the_two_products_are_dual(v, m, f):
    assert close(power(motion_cross(v, m), f), -power(m, force_cross(v, f)))


# --- frames ----------------------------------------------------------------------------------------------------------


@given(poses, motions, forces)
def test_power_does_not_depend_on_the_frame(pose, v, f):
    X = motion_matrix(pose)
    moved_v, moved_f = X @ np.array(v), np.linalg.inv(X).T @ np.array(f)
    assert close(power(tuple(moved_v), tuple(moved_f)), power(v, f))


@given(poses, motions, motions)
def test_a_change_of_frame_respects_the_motion_product(pose, a, b):
    X = motion_matrix(pose)
    assert close(motion_cross(tuple(X @ np.array(a)), tuple(X @ np.array(b))), X @ np.array(motion_cross(a, b)))


@given(motions, vectors, vectors, vectors)
def test_a_force_at_a_point_has_the_power_of_that_points_velocity(v, p, moment, force):
    there = at_point(v, p)
    expected = np.dot(moment, v[:3]) + np.dot(force, there[3:])
    assert close(power(v, force_at(p, moment, force)), expected)
    assert close(there[3:], np.array(v[3:]) + np.cross(v[:3], p))


@given(poses, poses, vectors)
def test_composed_poses_act_one_after_the_other(X, Y, x):
    def act(pose, point):
        return np.array(rotate(pose[0], tuple(point))) + pose[1]

    assert close(act(compose(X, Y), x), act(X, act(Y, x)))


@given(poses, poses, poses)
def test_composition_is_associative(X, Y, Z):
    for left, right in zip(compose(compose(X, Y), Z), compose(X, compose(Y, Z)), strict=True):
        assert close(left, right)


@given(poses)
def test_a_pose_and_its_inverse_cancel(X):
    for both in (compose(X, invert(X)), compose(invert(X), X)):
        assert close(both[0], np.eye(3).ravel())
        assert close(both[1], np.zeros(3))


@given(rotations(), rotations(), vectors)
def test_rotations_are_matrices_in_row_order(A, B, x):
    a, b = np.array(A).reshape(3, 3), np.array(B).reshape(3, 3)
    assert close(multiply(A, B), (a @ b).ravel())
    assert close(rotate(A, x), a @ x)
    assert close(rotate_back(A, x), a.T @ x)


@given(poses, vectors)
def test_a_turning_screw_leaves_its_axis_where_it_is(pose, axis):
    s = turning(pose, axis)
    along = np.array(pose[0]).reshape(3, 3) @ axis
    for distance in (0.0, 1.0, -3.0):
        assert close(at_point(s, tuple(pose[1] + distance * along))[3:], np.zeros(3))
    assert close(s[:3], along)
    assert close(s, motion_matrix(pose) @ np.array([*axis, 0, 0, 0]))


@given(poses, vectors, vectors)
def test_a_sliding_screw_moves_every_point_alike(pose, axis, point):
    s = sliding(pose, axis)
    assert close(at_point(s, point), np.concatenate([np.zeros(3), np.array(pose[0]).reshape(3, 3) @ axis]))
    assert close(s, motion_matrix(pose) @ np.array([0, 0, 0, *axis]))


# --- inertia ---------------------------------------------------------------------------------------------------------


@given(bodies(), motions)
def test_momentum_is_the_inertia_matrix_times_the_velocity(body, v):
    expected = matrix_of(body) @ v
    assert close(momentum_of(rigid_inertia(*body), v), expected)
    assert close(apply(articulated(rigid_inertia(*body)), v), expected)
    assert close(full(articulated(rigid_inertia(*body))), matrix_of(body))


@given(bodies(), motions, motions)
def test_inertia_is_symmetric_and_positive(body, v, u):
    inertia = rigid_inertia(*body)
    assert close(power(u, momentum_of(inertia, v)), power(v, momentum_of(inertia, u)))
    assert power(v, momentum_of(inertia, v)) >= -TOLERANCE


@given(bodies(), bodies(), motions)
def test_inertias_of_bodies_that_move_together_add_up(a, b, v):
    both = combine(articulated(rigid_inertia(*a)), articulated(rigid_inertia(*b)))
    assert close(apply(both, v), np.array(momentum_of(rigid_inertia(*a), v)) + momentum_of(rigid_inertia(*b), v))


@given(bodies(), poses, motions)
def test_kinetic_energy_does_not_depend_on_the_frame(body, pose, v):
    mass, com, moments = body
    R = np.array(pose[0]).reshape(3, 3)
    moved = rigid_inertia(mass, tuple(R @ com + pose[1]), turn_inertia(pose[0], moments))
    moved_v = tuple(motion_matrix(pose) @ v)
    assert close(power(moved_v, momentum_of(moved, moved_v)), power(v, momentum_of(rigid_inertia(*body), v)), 1e-11)


@given(rotations(), numbers(6))
def test_turned_moments_are_the_matrix_product(R, moments):
    matrix = np.array(R).reshape(3, 3)
    assert close(turn_inertia(R, moments), packed(matrix @ unpacked(moments) @ matrix.T))


@given(bodies(), motions, motions)
def test_a_removed_direction_resists_no_more(body, s, v):
    I = articulated(rigid_inertia(*body))
    U = apply(I, s)
    response = power(s, U)
    assume(response > 1e-2)
    left = remove_direction(I, U, tuple(np.array(U) / response))
    assert close(apply(left, s), np.zeros(6), 1e-11)
    assert close(full(left), full(I) - np.outer(U, U) / response, 1e-11)
    assert power(v, apply(left, v)) >= -1e-11 * (1.0 + power(v, apply(I, v)))


@given(bodies(), motions)
def test_no_motion_meets_more_than_the_largest_response_of_its_halves(body, s):
    """|w + u|² ≤ 2 (|w|² + |u|²) in the norm of the inertia, and a norm is at most the trace."""
    rigid = rigid_inertia(*body)
    assert power(s, apply(articulated(rigid), s)) <= 2.0 * largest_response(size_of(rigid), s) * (1.0 + TOLERANCE) + TOLERANCE


# --- every scalar ----------------------------------------------------------------------------------------------------

SURVEYED = 6 + 6 + 1 + 6 + 6 + 12 + 12 + 6 + 6 + 6 + 6 + 21 + 21 + 1 + 6 + 6


def survey(x, out):
    """Most functions of the algebra, one after the other, on one row of scalars."""
    v, m, f = load_vector(x, 0, 6), load_vector(x, 6, 6), load_vector(x, 12, 6)
    X, Y = (load_vector(x, 18, 9), load_vector(x, 27, 3)), (load_vector(x, 30, 9), load_vector(x, 39, 3))
    body = spatial.rigid_inertia(x[42], load_vector(x, 43, 3), load_vector(x, 46, 6))
    I = spatial.articulated(body)
    store_vector(out, 0, spatial.motion_cross(v, m))
    store_vector(out, 6, spatial.force_cross(v, f))
    out[12] = spatial.power(v, f)
    store_vector(out, 13, spatial.turning(X, Y[1]))
    store_vector(out, 19, spatial.sliding(X, Y[1]))
    composed, inverse = spatial.compose(X, Y), spatial.invert(X)
    store_vector(out, 25, composed[0])
    store_vector(out, 34, composed[1])
    store_vector(out, 37, inverse[0])
    store_vector(out, 46, inverse[1])
    store_vector(out, 49, spatial.at_point(v, Y[1]))
    store_vector(out, 55, spatial.force_at(Y[1], spatial.angular(f), spatial.linear(f)))
    store_vector(out, 61, spatial.turn_inertia(X[0], load_vector(x, 46, 6)))
    store_vector(out, 67, spatial.momentum_of(body, v))
    store_vector(out, 73, spatial.combine(I, I))
    store_vector(out, 94, spatial.remove_direction(I, f, spatial.times(x[42], f)))
    out[115] = spatial.largest_response(spatial.size_of(body), v)
    store_vector(out, 116, spatial.apply(I, v))
    store_vector(out, 122, spatial.minus(spatial.plus_times(v, x[42], m), spatial.plus(f, spatial.zero_spatial(x[0]))))


surveyed = Generic(survey, SURVEYED)


def random_rows(seed):
    return np.random.default_rng(seed).uniform(-1.5, 1.5, (LANES, 52))


def test_the_algebra_gives_the_same_numbers_on_every_scalar():
    for seed in range(5):
        assert_same_on_every_scalar(surveyed, random_rows(seed), 1e-14)


def test_the_algebra_is_analytic():
    """Imaginary parts are derivatives: a central difference of polynomials of degree ≤ 4 has an error of order h²."""
    row, along = random_rows(7)[:2]
    h = 1e-4
    expected = (surveyed.floats(row + h * along) - surveyed.floats(row - h * along)) / (2 * h)
    found = surveyed.complexes(row + 1e-30j * along).imag / 1e-30
    assert close(found, expected, 1e-6)
    assert np.abs(found).max() > 1.0
