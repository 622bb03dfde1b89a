"""Forces within friction cones that cost least, beside a general solver and the conditions of an optimum."""

import numpy as np
import pytest

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


def nearest(x, mu):
    """The forces within the cones that are nearest to any."""
    points = x.reshape(-1, 3)
    across, z = np.hypot(points[:, 0], points[:, 1]), points[:, 2]
    on_cone = np.maximum(mu * across + z, 0.0) / (mu**2 + 1.0)  # the height of the foot of the perpendicular
    inside = across <= mu * z
    shrunk = np.where(inside, 1.0, mu * on_cone / np.maximum(across, 1e-300))
    return np.stack((shrunk * points[:, 0], shrunk * points[:, 1], np.where(inside, z, on_cone)), axis=1).ravel()


def projected_descent(H, r, mu):
    """The least cost by steps downhill, each followed by a projection, which converges for every convex set."""
    step, x = 1.0 / np.linalg.eigvalsh(H)[-1], np.zeros(len(r))
    for _ in range(3000):
        x = nearest(x - step * (H @ x - r), mu)
    assert np.abs(nearest(x - step * (H @ x - r), mu) - x).max() < 1e-12
    return 0.5 * x @ H @ x - r @ x


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mu", [0.3, 0.8])
def test_the_cost_is_that_of_a_general_solver(seed, mu):
    H, r = problem(seed)
    f = solved(H, r, mu)
    points = f.reshape(-1, 3)
    assert (mu * points[:, 2] - np.hypot(points[:, 0], points[:, 1])).min() > 0.0
    least = projected_descent(H, r, mu)
    assert least - 1e-9 <= 0.5 * f @ H @ f - r @ f <= least + 2e-5


@pytest.mark.parametrize("seed", range(6))
def test_forces_inside_their_cones_are_where_the_slope_is_zero(seed):
    H, _ = problem(seed)
    wanted = np.tile([0.05, -0.03, 1.0], 4)
    np.testing.assert_allclose(solved(H, H @ wanted, 0.8), wanted, atol=1e-4)


def test_nothing_pushes_where_only_pulling_would_be_cheap():
    n = 12
    f = solved(np.eye(n), np.tile([0.0, 0.0, -1.0], 4), 0.5)
    assert np.abs(f).max() < 1e-4
