"""The complementarity problem of contact with friction, against its laws, against all modes tried, and in known cases."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from contact_problems import Problem, box_on_ground, random_problem
from hypothesis import given, settings
from hypothesis import strategies as st

from regraft.kernels.contacts.problem import BOX, CONE, NO_SOLUTION, NOT_FOUND, OPEN, RAY, SLIDE, SOLVED, STICK

LAW = 1e-9  # ten times what the solver takes for feasible


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 12])
def test_random_problems_obey_the_laws(n, planar):
    rng = np.random.default_rng(100 * n + planar)
    for _ in range(60):
        problem = random_problem(rng, n, planar=planar, freedoms=int(rng.integers(3, 3 * n + 4))).solve()
        assert problem.status == SOLVED
        assert problem.violation() < LAW


@pytest.mark.parametrize("joints", [1, 3])
def test_joints_with_dry_friction_obey_theirs(joints):
    rng = np.random.default_rng(joints)
    slips = 0
    for _ in range(60):
        problem = random_problem(rng, 3, joints=joints, freedoms=12).solve()
        assert problem.status == SOLVED
        assert problem.violation() < LAW
        slips += (problem.modes[3:] == SLIDE).sum()
    assert 0 < slips < 60 * joints


def test_kinetic_friction_may_be_less_than_static():
    rng = np.random.default_rng(2)
    for _ in range(100):
        problem = random_problem(rng, 4)
        problem.mu_k = problem.mu_s * rng.uniform(0.5, 1.0, size=4)
        assert problem.solve().status == SOLVED
        assert problem.violation() < LAW


def several(rng, options):
    n = int(rng.integers(1, 13))
    problem = random_problem(
        rng, n, planar=bool(rng.integers(2)), freedoms=int(rng.integers(1, 3 * n + 4)), joints=int(rng.integers(0, 4)),
        spread=float(rng.choice([0.0, 6.0])), gravity=bool(rng.integers(2)),
    )  # fmt: skip
    if options:
        problem.mu_k = problem.mu_s * rng.uniform(0.5, 1.0, size=len(problem.mu_s))
    return problem


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=300, deadline=None)
def test_no_problem_of_a_mechanism_with_points_at_rest_is_without_solution(seed, options):
    problem = several(np.random.default_rng(seed), options).solve()
    assert problem.status == SOLVED
    assert problem.violation() < LAW


@pytest.mark.slow
def test_ten_thousand_problems_are_solved():
    rng = np.random.default_rng(2024)
    for k in range(10_000):
        problem = several(rng, k % 4 == 0).solve()
        assert problem.status == SOLVED, k
        assert problem.violation() < LAW, k


# --- all modes tried ---------------------------------------------------------------------------------------------------------


def planar_solutions(problem):
    """w of all solutions in the plane, by trying all modes; where no matrix is singular."""
    n = problem.points
    choices = [("open", "slip") if kind == RAY else ("open", "stick", "+", "-") for kind in problem.kinds]
    for modes in itertools.product(*choices):
        rows, columns = [], []
        for i, mode in enumerate(modes):
            e_n, e_t = np.eye(3 * n)[3 * i], np.eye(3 * n)[3 * i + 1]
            sign = {"+": 1.0, "-": -1.0, "slip": problem.directions[i, 0]}.get(mode)
            if mode == "stick":
                rows += [e_n, e_t]
                columns += [e_n, e_t]
            elif sign is not None:
                rows.append(e_n)
                columns.append(e_n - problem.mu_k[i] * sign * e_t)
        if rows:
            R, C = np.array(rows), np.array(columns).T
            lam = C @ np.linalg.solve(R @ problem.A @ C, -R @ problem.b)
        else:
            lam = np.zeros(3 * n)
        w = problem.A @ lam + problem.b
        if all(obeys(problem, i, mode, lam[3 * i : 3 * i + 3], w[3 * i : 3 * i + 3]) for i, mode in enumerate(modes)):
            yield w


def obeys(problem, i, mode, f, w):
    if mode == "open":
        return w[0] >= 0.0
    if mode == "stick":
        return abs(f[1]) <= problem.mu_s[i] * f[0]
    return f[0] >= 0.0 and (mode == "slip" or w[1] * (1.0 if mode == "+" else -1.0) >= 0.0)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("mixed", [False, True])
def test_what_is_found_is_among_all_solutions_in_the_plane(n, mixed):
    rng = np.random.default_rng(n)
    found = {SOLVED: 0, NO_SOLUTION: 0}
    for _ in range(150):
        problem = random_problem(rng, n, planar=True, freedoms=2 * n + 2, mu=rng.uniform(0.1, 1.5))
        if mixed:
            problem.kinds = rng.choice([CONE, RAY], size=n)
            problem.directions[:, 0] = rng.choice([-1.0, 1.0], size=n)
        solutions = list(planar_solutions(problem))
        problem.solve()
        found[problem.status] += 1
        if problem.status == SOLVED:
            assert min(np.abs(w - problem.w).max() / np.abs(problem.A @ problem.lam).max(initial=1.0) for w in solutions) < 1e-9
        else:
            assert solutions == []
            assert problem.kinds[problem.item] == RAY
    assert found[SOLVED] > 100
    assert mixed or found[NO_SOLUTION] == 0


# --- known cases -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mu", "sticks"), [(0.5, True), (0.3, False)])
def test_a_block_on_an_incline_sticks_below_the_friction_angle(mu, sticks):
    slope, g = 0.4, 9.81  # tan 0.4 = 0.42
    problem = Problem(np.eye(3), [-g * np.cos(slope), g * np.sin(slope), 0.0], [CONE], [mu], [mu]).solve()
    assert problem.modes.tolist() == [STICK if sticks else SLIDE]
    acceleration = 0.0 if sticks else g * (np.sin(slope) - mu * np.cos(slope))
    np.testing.assert_allclose(problem.w, [0.0, acceleration, 0.0], atol=1e-14)


def test_four_corners_rest_where_the_shortest_forces_would_pull():
    problem = box_on_ground(load=(0.3, 0.25))
    shortest = -np.linalg.pinv(problem.A, rcond=1e-10, hermitian=True) @ problem.b
    assert shortest[0] < -0.1
    problem.solve()
    assert problem.status == SOLVED
    assert problem.modes.tolist() == [STICK] * 4
    assert problem.lam[0::3].min() > 0.0
    assert np.abs(problem.w).max() < 1e-13


def test_a_box_tips_where_its_load_is_beyond_its_edge():
    problem = box_on_ground(load=(0.6, 0.0)).solve()
    assert problem.status == SOLVED
    assert problem.w[0] > 0.0
    assert problem.w[3] > 0.0
    assert problem.modes.tolist()[:2] == [OPEN, OPEN]


def test_a_box_that_is_pushed_slides_with_all_corners():
    problem = box_on_ground(push=6.0, friction=0.5).solve()
    assert problem.modes.tolist() == [SLIDE] * 4
    np.testing.assert_allclose(problem.w[1::3], 1.0, rtol=1e-12)  # (6 − 0.5 · 10) N on 1 kg


def painleve(theta, mu, b_n):
    """A rod of length 2 and mass 1 whose lower end slips on the ground, leaning against its motion or along it."""
    c, s = np.cos(theta), np.sin(theta)
    A = np.zeros((3, 3))
    A[0, 0], A[1, 1], A[0, 1] = 1 + 3 * c * c, 1 + 3 * s * s, 3 * s * c
    A[1, 0] = A[0, 1]
    problem = Problem(A, [b_n, 0.0, 0.0], [RAY], [mu], [mu])
    problem.directions[0] = [1.0, 0.0]
    return problem


@pytest.mark.parametrize("theta", [0.5, 0.8, 1.2])
def test_painleves_rod_has_no_solution_beyond_its_threshold(theta):
    threshold = (1 + 3 * np.cos(theta) ** 2) / (3 * np.sin(theta) * np.cos(theta))
    before = painleve(theta, threshold * (1 - 1e-6), -1.0).solve()
    assert before.status == SOLVED
    assert before.lam[0] > 1e4
    beyond = painleve(theta, threshold * (1 + 1e-6), -1.0).solve()
    assert (beyond.status, beyond.item) == (NO_SOLUTION, 0)
    assert painleve(theta, threshold * 1.5, 1.0).solve().status == SOLVED


def test_where_nothing_presses_all_rest():
    problem = random_problem(np.random.default_rng(0), 3)
    problem.b[:] = 0.0
    problem.solve()
    assert problem.status == SOLVED
    assert problem.modes.tolist() == [STICK] * 3
    assert (problem.lam == 0.0).all()


def test_no_points_are_solved():
    assert Problem(np.zeros((0, 0)), np.zeros(0), [], [], []).solve().status == SOLVED


def test_without_friction_there_is_none():
    rng = np.random.default_rng(4)
    for _ in range(50):
        problem = random_problem(rng, 4, mu=0.0).solve()
        assert problem.status == SOLVED
        assert problem.violation() < LAW
        assert (problem.lam.reshape(-1, 3)[:, 1:] == 0.0).all()


def test_so_much_friction_that_nothing_slips_but_what_has_no_load():
    for load in ((0.0, 0.0), (0.4, -0.2)):
        problem = box_on_ground(load=load, push=1000.0, friction=1e6).solve()
        assert problem.status == SOLVED
        assert problem.violation() < LAW
    rng = np.random.default_rng(4)
    for _ in range(50):
        problem = random_problem(rng, 4, mu=1e6, planar=True).solve()
        assert problem.status == SOLVED
        assert problem.violation() < LAW
    found = 0
    for _ in range(100):  # in space, with points that couple at random, a few are not found, and this is told
        problem = random_problem(rng, 4, mu=1e6).solve()
        assert problem.status in (SOLVED, NOT_FOUND)
        if problem.status == SOLVED:
            assert problem.violation() < LAW
            found += 1
    assert found >= 95


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_scales_do_not_matter(scale):
    rng = np.random.default_rng(6)
    for _ in range(20):
        problem = random_problem(rng, 4)
        other = Problem(problem.A * scale, problem.b, problem.kinds, problem.mu_s, problem.mu_k).solve()
        problem.solve()
        assert problem.status == other.status == SOLVED
        np.testing.assert_allclose(other.lam * scale, problem.lam, rtol=1e-5, atol=1e-7 * np.abs(problem.lam).max())


def test_points_of_very_different_masses():
    rng = np.random.default_rng(9)
    for _ in range(50):
        core = random_problem(rng, 4, freedoms=12)
        scales = np.repeat(10.0 ** rng.uniform(-3, 3, size=4), 3)  # numbers of A from 1e-6 to 1e6
        problem = Problem(scales[:, None] * core.A * scales, scales * core.b, core.kinds, core.mu_s, core.mu_k).solve()
        assert problem.status == SOLVED
        assert problem.violation() < 1e-6  # beside the largest only: small rows have the rounding of large ones


def test_twenty_four_points():
    rng = np.random.default_rng(24)
    for freedoms in (6, 30, 72):
        problem = random_problem(rng, 24, freedoms=freedoms).solve()
        assert problem.status == SOLVED
        assert problem.violation() < LAW


def test_a_guess_that_is_right_is_kept():
    rng = np.random.default_rng(8)
    for _ in range(30):
        problem = random_problem(rng, 4, freedoms=12).solve()
        again = Problem(
            problem.A, problem.b, problem.kinds, problem.mu_s, problem.mu_k, problem.directions.copy(), problem.modes.copy()
        )
        again.solve()
        assert (again.modes == problem.modes).all()
        np.testing.assert_allclose(again.lam, problem.lam, atol=1e-10 * np.abs(problem.lam).max(initial=1.0))


def test_numbers_that_are_none_are_not_solved():
    problem = random_problem(np.random.default_rng(0), 2)
    problem.b[1] = np.nan
    assert problem.solve().status == NOT_FOUND


def test_a_joint_holds_up_to_its_bound():
    for load, mode in ((0.9, STICK), (1.1, SLIDE)):
        problem = Problem([[2.0]], [2.0 * load], [BOX], [1.0], [1.0]).solve()
        assert problem.modes.tolist() == [mode]
        np.testing.assert_allclose(problem.w, [max(0.0, 2.0 * (load - 1.0))], atol=1e-15)
