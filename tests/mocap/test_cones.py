"""Forces within friction cones that cost least, beside a general solver and the conditions of an optimum."""

import numpy as np
import pytest
from scipy.optimize import minimize

from regraft.mocap.cones import least_forces


def problem(seed, points=4):
    rng = np.random.default_rng(seed)
    n = 3 * points
    A = rng.standard_normal((n + 2, n))
    return A.T @ A / n + 0.1 * np.eye(n), rng.standard_normal(n) * 2.0


def solved(H, r, mu):
    f = np.empty(len(r))
    least_forces(H, r, mu, f)
    return f


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mu", [0.3, 0.8])
def test_the_cost_is_that_of_a_general_solver(seed, mu):
    H, r = problem(seed)
    f = solved(H, r, mu)
    points = f.reshape(-1, 3)
    assert (mu * points[:, 2] - np.hypot(points[:, 0], points[:, 1])).min() > 0.0
    cones = [
        {"type": "ineq", "fun": lambda x, p=p: mu * x[3 * p + 2] - np.sqrt(x[3 * p] ** 2 + x[3 * p + 1] ** 2 + 1e-18)}
        for p in range(len(points))
    ]
    theirs = minimize(
        lambda x: 0.5 * x @ H @ x - r @ x, f + 1e-3, jac=lambda x: H @ x - r, constraints=cones, method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )  # fmt: skip
    assert 0.5 * f @ H @ f - r @ f <= theirs.fun + 2e-5


@pytest.mark.parametrize("seed", range(6))
def test_forces_inside_their_cones_are_where_the_slope_is_zero(seed):
    H, _ = problem(seed)
    wanted = np.tile([0.05, -0.03, 1.0], 4)
    np.testing.assert_allclose(solved(H, H @ wanted, 0.8), wanted, atol=1e-4)


def test_nothing_pushes_where_only_pulling_would_be_cheap():
    n = 12
    f = solved(np.eye(n), np.tile([0.0, 0.0, -1.0], 4), 0.5)
    assert np.abs(f).max() < 1e-4
