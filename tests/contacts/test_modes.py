"""Forces in given modes: exact, the shortest where not unique, and honest where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from contact_problems import Problem, random_problem

from regraft.kernels.contacts.problem import CONE, FIXED_FORCE, OPEN, SLIDE, STICK


def test_sticking_points_do_not_move():
    rng = np.random.default_rng(0)
    for n in range(1, 9):
        problem = random_problem(rng, n, freedoms=3 * n)
        unknowns, rank, residual = problem.in_modes([STICK] * n)
        assert (unknowns, rank) == (3 * n, 3 * n)
        assert residual < 1e-13
        np.testing.assert_allclose(problem.lam, np.linalg.solve(problem.A, -problem.b), rtol=1e-6)


@pytest.mark.parametrize("freedoms", [2, 5, 9, 14])
def test_forces_that_are_not_unique_are_the_shortest(freedoms):
    rng = np.random.default_rng(freedoms)
    problem = random_problem(rng, 6, freedoms=freedoms)
    unknowns, rank, residual = problem.in_modes([STICK] * 6)
    assert (unknowns, rank) == (18, freedoms)
    assert residual < 1e-13
    expected = -np.linalg.pinv(problem.A, rcond=1e-10, hermitian=True) @ problem.b
    np.testing.assert_allclose(problem.lam, expected, atol=1e-9 * np.abs(expected).max())


def test_sliding_points_have_friction_against_the_slip_and_leave_others_alone():
    rng = np.random.default_rng(5)
    problem = random_problem(rng, 4, freedoms=12, joints=2)
    angles = rng.uniform(0, 2 * np.pi, size=6)
    problem.directions = np.c_[np.cos(angles), np.sin(angles)]
    problem.directions[4:] = [[-1.0, 0.0], [1.0, 0.0]]
    _, _, residual = problem.in_modes([SLIDE, STICK, OPEN, SLIDE, SLIDE, STICK])
    assert residual < 1e-13
    lam, w, mu = problem.lam, problem.w, problem.mu_k
    for i in (0, 3):
        np.testing.assert_allclose(lam[3 * i + 1 : 3 * i + 3], -mu[i] * lam[3 * i] * problem.directions[i], rtol=1e-12)
    size = np.abs(problem.A) @ np.abs(lam) + np.abs(problem.b)
    rows = [0, 3, 4, 5, 9, 13]
    assert np.abs(w[rows] / size[rows]).max() < 1e-13
    assert (lam[6:9] == 0.0).all()
    assert lam[12] == mu[4]


def test_a_given_force_stays_and_acts():
    problem = Problem(np.diag([1.0, 1.0, 1.0, 1.0]) + 0.5, np.zeros(4), [CONE, FIXED_FORCE], [0.5, 0.0], [0.5, 0.0])
    problem.lam[3] = -2.0
    problem.in_modes([STICK, 3])
    assert problem.lam[3] == -2.0
    np.testing.assert_allclose(problem.w[:3], 0.0, atol=1e-14)


def test_rows_that_move_nothing_are_left_out():
    problem = random_problem(np.random.default_rng(3), 3, planar=True, freedoms=6)
    unknowns, rank, residual = problem.in_modes([STICK] * 3)
    assert (unknowns, rank) == (6, 6)
    assert residual < 1e-13
    assert (problem.lam[2::3] == 0.0).all()


def test_a_problem_without_forces_in_these_modes_is_seen():
    J = np.array([[1.0], [0.0], [0.0], [1.0], [0.0], [0.0]])
    problem = Problem(J @ J.T, [-1.0, 0, 0, -2.0, 0, 0], [CONE, CONE], [0.0, 0.0], [0.0, 0.0])
    unknowns, rank, residual = problem.in_modes([SLIDE, SLIDE])
    assert (unknowns, rank) == (2, 1)
    assert residual > 0.1


@pytest.mark.parametrize("spread", [6, 12])
def test_scales_far_apart_lose_no_row(spread):
    rng = np.random.default_rng(spread)
    scales = 10.0 ** rng.uniform(-spread / 2, spread / 2, size=12)
    core = random_problem(rng, 4, freedoms=12)
    A = scales[:, None] * core.A * scales
    problem = Problem(A, scales * core.b, core.kinds, core.mu_s, core.mu_k)
    unknowns, rank, _ = problem.in_modes([STICK] * 4)
    assert unknowns == rank == 12
    core.in_modes([STICK] * 4)
    np.testing.assert_allclose(problem.lam * scales, core.lam, rtol=1e-9, atol=1e-9 * np.abs(core.lam).max())


def test_nothing_is_nothing():
    problem = Problem(np.zeros((0, 0)), np.zeros(0), [], [], [])
    assert problem.in_modes([]) == (0, 0, 0.0)


@pytest.mark.parametrize("slides", [False, True])
def test_a_row_that_hardly_tells_anything_new_counts_until_it_is_rounding(slides):
    """Whether rows are taken as they come or in a chosen order: both sides of where that is decided."""
    rng = np.random.default_rng(8)
    rows = rng.standard_normal((9, 9))
    for apart, rank in ((1e-1, 9), (1e-2, 9), (1e-3, 9), (1e-4, 9), (0.0, 8)):
        near = rows.copy()
        near[6] = near[0] + near[3] + apart * rows[6]
        problem = Problem(near @ near.T, near @ rng.standard_normal(9), [CONE] * 3, [0.1] * 3, [0.1] * 3)
        modes = [SLIDE if slides else STICK, STICK, STICK]
        unknowns, found, residual = problem.in_modes(modes)
        assert unknowns == (7 if slides else 9)
        assert found == rank - (2 if slides else 0)
        assert residual < 1e-13
        if not slides:
            np.testing.assert_allclose(problem.w, 0.0, atol=1e-12 * np.abs(problem.A).max() * np.abs(problem.lam).max())


def test_forces_are_the_same_after_others_that_were_not_unique():
    """The memory of a problem says that its last forces were not, and rows are then taken in a chosen order at once."""
    rng = np.random.default_rng(4)
    unique = random_problem(rng, 3, freedoms=9)
    unique.in_modes([STICK] * 3)
    found, short = unique.lam.copy(), random_problem(rng, 3, freedoms=5)
    unique.scratch, short.scratch = short.scratch, unique.scratch
    assert short.in_modes([STICK] * 3)[1] == 5
    unique.scratch = short.scratch
    assert unique.in_modes([STICK] * 3)[1] == 9
    np.testing.assert_allclose(unique.lam, found, rtol=1e-9)
    assert unique.in_modes([STICK] * 3)[1] == 9
    np.testing.assert_allclose(unique.lam, found, rtol=1e-9)


@pytest.mark.parametrize("freedoms", [4, 9, 14, 30])
def test_forces_that_are_asked_for_again_are_the_same_where_rows_follow_from_others(freedoms):
    """What was found of the rank before is only tried: it may have changed."""
    rng = np.random.default_rng(freedoms)
    problem, angles = random_problem(rng, 7, freedoms=freedoms), rng.uniform(0, 2 * np.pi, size=7)
    problem.directions = np.c_[np.cos(angles), np.sin(angles)]
    for modes in ([STICK] * 7, [STICK] * 5 + [SLIDE] * 2, [SLIDE, OPEN] + [STICK] * 5, [STICK] * 7):
        first, lam = problem.in_modes(modes), problem.lam.copy()
        again = problem.in_modes(modes)
        assert first[:2] == again[:2]
        assert max(first[2], again[2]) < 1e-13
        np.testing.assert_allclose(problem.lam, lam, rtol=0, atol=1e-9 * np.abs(lam).max())
        problem.scratch[:] = 0.0
        assert problem.in_modes(modes)[:2] == first[:2]
        np.testing.assert_allclose(problem.lam, lam, rtol=0, atol=1e-9 * np.abs(lam).max())
        problem.in_modes([STICK] * 7)
