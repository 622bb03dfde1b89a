"""Linear algebra on small matrices against NumPy's, to rounding of the largest number that goes in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import qr

from regraft.algebra import dense
from regraft.kernels.constraints import sharing

SEEDS = st.integers(0, 2**32 - 1)
SCALES = st.sampled_from([1e-150, 1e-8, 1.0, 1e8, 1e150])
RELATIVE = 1e-12


def orthonormal(rng, n):
    return np.linalg.qr(rng.standard_normal((n, n)))[0]


def with_sizes(rng, m, n, sizes):
    """A matrix with these singular values."""
    k = min(m, n)
    assert len(sizes) == k
    return orthonormal(rng, m)[:, :k] * sizes @ orthonormal(rng, n)[:k]


def assert_decomposed(A):
    """All that `svd` promises."""
    U, sizes, Vt = dense.svd(A)
    m, n = A.shape
    k = min(m, n)
    assert (U.shape, sizes.shape, Vt.shape) == ((m, k), (k,), (n, n))
    largest = np.abs(A).max(initial=0.0) or 1.0
    expected = np.linalg.svd(A / largest, compute_uv=False) * largest
    assert np.abs(sizes - expected).max(initial=0.0) <= RELATIVE * largest
    assert (np.diff(sizes) <= 0.0).all()
    assert np.abs((U * (sizes / largest)) @ Vt[:k] - A / largest).max(initial=0.0) <= RELATIVE
    assert np.abs(Vt @ Vt.T - np.eye(n)).max(initial=0.0) <= RELATIVE
    there = sizes > 0.0
    assert np.abs(U.T @ U - np.diag(there.astype(float))).max(initial=0.0) <= RELATIVE
    return sizes


@settings(max_examples=150)
@given(SEEDS, st.integers(0, 14), st.integers(0, 14), SCALES)
def test_any_matrix_is_decomposed(seed, m, n, scale):
    assert_decomposed(scale * np.random.default_rng(seed).standard_normal((m, n)))


@settings(max_examples=80)
@given(SEEDS, st.integers(1, 12), st.integers(1, 12), st.integers(0, 11), SCALES)
def test_a_matrix_without_full_rank_is_decomposed(seed, m, n, rank, scale):
    rng, k = np.random.default_rng(seed), min(m, n)
    rank = min(rank, k)
    sizes = np.concatenate([rng.uniform(1.0, 10.0, rank), np.zeros(k - rank)])
    found = assert_decomposed(scale * with_sizes(rng, m, n, sizes))
    assert (found > 1e-10 * scale).sum() == rank


@settings(max_examples=80)
@given(SEEDS, st.integers(2, 14), st.integers(2, 14), SCALES)
def test_a_badly_conditioned_matrix_is_decomposed(seed, m, n, scale):
    rng = np.random.default_rng(seed)
    assert_decomposed(scale * with_sizes(rng, m, n, np.logspace(0, -12, min(m, n))))


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 10))
def test_small_sizes_of_a_matrix_with_long_and_short_rows_keep_their_digits(seed, n):
    """What reflections with pivots and rotations are taken for: rows of very different length spoil nothing."""
    rng = np.random.default_rng(seed)
    lengths, well = np.logspace(0, -100, n), np.eye(n) + 0.1 * rng.uniform(-1, 1, (n, n)) / n
    sizes = dense.svd(lengths[:, None] * well)[1]
    bounds = np.linalg.svd(well, compute_uv=False)[[-1, 0]]
    kept = lengths > 1e-14  # beyond that they count as zero
    assert (sizes[kept] >= 0.99 * bounds[0] * lengths[kept]).all()
    assert (sizes[kept] <= 1.01 * bounds[1] * lengths[kept]).all()


@pytest.mark.parametrize(
    "A",
    [np.zeros((3, 4)), np.eye(5), np.ones((4, 3)), np.diag([1.0, 0.0, 2.0]), np.full((2, 2), 5e307), np.full((3, 2), 1e-300)],
    ids=["nothing", "identity", "alike", "diagonal", "huge", "tiny"],
)
def test_special_matrices_are_decomposed(A):
    assert_decomposed(A)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_gives_no_numbers(bad):
    A = np.eye(4)
    A[1, 2] = bad
    assert all(np.isnan(part).all() for part in dense.svd(A))
    assert np.isnan(dense.least_squares(A, np.ones(4))).all()


def test_a_large_matrix_is_decomposed():
    assert_decomposed(np.random.default_rng(2).standard_normal((150, 120)))


def test_the_same_matrix_gives_the_same_digits_wherever_it_is_decomposed():
    A = np.random.default_rng(3).standard_normal((40, 30))
    first = dense.svd(A)
    for again in (dense.svd(A.copy()), dense.svd(np.asfortranarray(A)), dense.svd(np.repeat(A, 2, axis=1)[:, ::2])):
        assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))


def test_what_is_given_is_left_alone():
    rng = np.random.default_rng(4)
    A, b, M = rng.standard_normal((6, 4)), rng.standard_normal(6), np.eye(6) + 0.1
    before = A.copy(), b.copy(), M.copy()
    dense.svd(A), dense.least_squares(A, b), dense.solve_definite(M, b)
    assert all(np.array_equal(one, other) for one, other in zip(before, (A, b, M), strict=True))


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 12), st.integers(1, 12), st.integers(1, 12), SCALES)
def test_least_squares_are_those_of_numpy(seed, m, n, rank, scale):
    rng = np.random.default_rng(seed)
    k = min(m, n)
    sizes = np.concatenate([rng.uniform(1.0, 10.0, min(rank, k)), np.zeros(k - min(rank, k))])
    A, B = with_sizes(rng, m, n, sizes), rng.standard_normal((m, 3))
    expected = np.linalg.lstsq(A, B, rcond=1e-10)[0]
    found = dense.least_squares(scale * A, B, 1e-10) * scale
    assert np.abs(found - expected).max() <= 10 * RELATIVE
    assert np.abs(dense.least_squares(scale * A, B[:, 0], 1e-10) * scale - expected[:, 0]).max() <= 10 * RELATIVE


@settings(max_examples=60)
@given(SEEDS, st.integers(0, 12), SCALES)
def test_a_definite_system_is_solved_whatever_the_units_of_its_unknowns(seed, n, scale):
    """Each unknown in a unit of its own, from 1e-12 to 1e12: what is solved for in units that suit it has all digits."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, n))
    M, units = np.eye(n) + A @ A.T / max(n, 1), 10.0 ** rng.uniform(-12, 12, n)
    B = rng.standard_normal((n, 4))
    found = dense.solve_definite(scale * units[:, None] * M * units, units[:, None] * B) * units[:, None] * scale
    expected = np.linalg.solve(M, B)
    assert np.abs(found - expected).max(initial=0.0) <= RELATIVE * np.abs(expected).max(initial=1.0)
    one = dense.solve_definite(M, B[:, 0])
    assert one.shape == (n,)
    assert np.abs(one - expected[:, 0]).max(initial=0.0) <= RELATIVE * np.abs(expected).max(initial=1.0)


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 14), st.integers(0, 14))
def test_the_coordinates_that_are_left_are_those_of_a_factorisation_with_pivots(seed, count, rank):
    """LAPACK's, of the directions that loops do not allow, by weight."""
    rng, rank = np.random.default_rng(seed), min(rank, count)
    Vt, weights, chosen = orthonormal(rng, count), rng.uniform(0.5, 2.0, count), np.empty((count - rank, 1), np.int64)
    sharing.choose(Vt, rank, weights, chosen)
    in_order = weights * (1.0 + 1e-6 * np.arange(count))
    pivots = qr(Vt[:rank] * in_order, mode="economic", pivoting=True)[2] if rank else np.arange(count)
    assert chosen[:, 0].tolist() == sorted(pivots[rank:].tolist())
