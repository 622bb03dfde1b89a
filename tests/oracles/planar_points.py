"""Walkers in a plane as point masses at given places, by hand: Lagrange's equations and plastic impacts, without this library.

Places are complex numbers' worth of care: they are computed with NumPy on real or complex coordinates, and differentiated by
complex steps. x is forward, that is down the slope, z is up; all that is needed of a walker is where its masses are.
"""

import numpy as np
from scipy.integrate import solve_ivp

STEP = 1e-30


def jacobian(places, q):
    """(2 points, coordinates): derivatives of the places by the coordinates."""
    return np.array([np.imag(places(q + 1j * STEP * unit)).ravel() / STEP for unit in np.eye(len(q))]).T


def accelerations(places, masses, gravity, q, v):
    """M q̈ = Jᵀ m (g − J̇ q̇), with J̇ q̇ by differences of J along v."""
    weights = np.repeat(masses, 2)
    J, h = jacobian(places, q), 1e-5

    def rate(size):
        return (jacobian(places, q + size * v) - jacobian(places, q - size * v)) @ v / (2.0 * size)

    drift = (4.0 * rate(0.5 * h) - rate(h)) / 3.0
    pull = np.tile(gravity, len(masses)) - drift
    return np.linalg.solve(J.T @ (weights[:, None] * J), J.T @ (weights * pull))


def flow(places, masses, gravity, q, v, until, direction):
    """Time, coordinates and velocities where `until(q)` goes through zero in a direction."""
    n = len(q)

    def event(_, y):
        return until(y[:n])

    event.terminal, event.direction = True, direction

    def rates(_, y):
        return np.concatenate((y[n:], accelerations(places, masses, gravity, y[:n], y[n:])))

    start = np.concatenate((q, v))
    first = solve_ivp(rates, (0.0, 0.01), start, rtol=1e-10, atol=1e-12, method="DOP853")  # away from where it began
    rest = solve_ivp(rates, (0.01, 20.0), first.y[:, -1], events=event, rtol=1e-10, atol=1e-12, method="DOP853")
    assert len(rest.t_events[0]) == 1
    y = rest.y_events[0][0]
    return rest.t_events[0][0], y[:n], y[n:]


def caught(places_before, places_after, masses, q_before, v_before, q_after):
    """Velocities after a plastic impact: what the new structure allows, nearest in kinetic energy to what the masses had."""
    weights = np.repeat(masses, 2)
    before, after = jacobian(places_before, q_before) @ v_before, jacobian(places_after, q_after)
    return np.linalg.solve(after.T @ (weights[:, None] * after), after.T @ (weights * before))
