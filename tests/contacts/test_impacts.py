"""Impacts with friction: known ones, against independent integrations, and never with more energy than before."""

from __future__ import annotations

import numpy as np
import pytest
from impact_problems import impact, random_impact

from regraft.kernels.contacts.impact import (
    ADDS_ENERGY,
    ENDED_PLASTIC,
    LESS_EXPANSION,
    SEQUENTIAL,
    SIMULTANEOUS,
    STRONGE_AS_POISSON,
)
from regraft.kernels.contacts.problem import SOLVED
from regraft.kernels.contacts.single_impact import NEWTON, POISSON, STRONGE

LAWS = [POISSON, STRONGE, NEWTON]


def three_balls(e, order):
    J = np.zeros((6, 3))
    J[0], J[3] = [-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]
    v = np.array([1.0, 0.0, 0.0])
    found = impact(J @ J.T, J @ v, e=e, order=order)
    assert found.status == SOLVED
    return v + J.T @ found.impulse


def test_three_balls_together_and_one_after_the_other():
    np.testing.assert_allclose(three_balls(1.0, SIMULTANEOUS), [-1 / 3, 2 / 3, 2 / 3], atol=1e-15)
    np.testing.assert_allclose(three_balls(1.0, SEQUENTIAL), [0.0, 0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(three_balls(0.0, SIMULTANEOUS), [1 / 3, 1 / 3, 1 / 3], atol=1e-15)


BALL = np.diag([1.0, 3.5, 3.5])  # 1 kg: 1 / m, and 1 / m + r² / (2 m r² / 5)


@pytest.mark.parametrize("law", LAWS)
def test_a_ball_that_skids_all_through_its_impact(law):
    found = impact(BALL, [-2.0, 3.0, 4.0], mu=0.1, e=0.6, law=law)
    np.testing.assert_allclose(found.impulse, [3.2, -0.32 * 0.6, -0.32 * 0.8], rtol=1e-14)


@pytest.mark.parametrize("law", LAWS)
def test_a_ball_that_comes_to_roll(law):
    found = impact(BALL, [-2.0, 0.3, 0.4], mu=0.5, e=0.6, law=law)
    np.testing.assert_allclose(found.after, [1.2, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(found.impulse, [3.2, -0.3 / 3.5, -0.4 / 3.5], rtol=1e-14)


def routh(A, u, mu, e):
    """Λ in the plane with Poisson's law, by following the impact from break to break."""
    a, b, c = A[0, 0], A[0, 1], A[1, 1]
    u_n, u_t, n, t, end = u[0], u[1], 0.0, 0.0, None
    for _ in range(10):
        if u_t != 0.0:
            friction = -mu * np.sign(u_t)
        elif abs(b) <= mu * c:
            friction = -b / c
        else:
            friction = -mu * np.sign(b)
        rate_n, rate_t = a + b * friction, b + c * friction
        steps = [(end - n) if end is not None else (-u_n / rate_n if rate_n > 0 else np.inf)]
        if u_t * rate_t < 0:
            steps.append(-u_t / rate_t)
        step = min(steps)
        stops = len(steps) == 2 and step == steps[1]
        n, t, u_n = n + step, t + friction * step, u_n + rate_n * step
        u_t = 0.0 if stops or (u_t == 0.0 and abs(b) <= mu * c) else u_t + rate_t * step
        if not stops:
            if end is not None:
                return np.array([n, t, 0.0])
            end = (1 + e) * n
    raise AssertionError


def rod(theta):
    c, s = np.cos(theta), np.sin(theta)
    A = np.zeros((3, 3))
    A[0, 0], A[1, 1], A[0, 1] = 1 + 3 * c * c, 1 + 3 * s * s, 3 * s * c
    A[1, 0] = A[0, 1]
    return A


def test_a_rod_whose_slip_reverses():
    A, u = rod(0.7), np.array([-1.0, -0.3, 0.0])
    found = impact(A, u, mu=0.2, e=0.5)
    assert found.after[1] > 0.0  # it slipped backwards before
    np.testing.assert_allclose(found.impulse, routh(A, u, 0.2, 0.5), atol=1e-13)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_impacts_in_the_plane_are_those_of_routh(e):
    rng = np.random.default_rng(3)
    for _ in range(200):
        J = rng.normal(size=(3, 3)) * [[1], [1], [0]]
        A, u = J @ J.T, np.array([-rng.uniform(0.1, 2), rng.normal(), 0.0])
        mu = rng.uniform(0.01, 1.0)
        expected = routh(A, u, mu, e)
        found = impact(A, u, mu=mu, e=e)
        np.testing.assert_allclose(found.impulse, expected, atol=1e-12 * np.abs(expected).max())


def keller(A, u, mu, e):
    """Λ in space with Poisson's law, as a differential equation by Λ_n; None where slip begins again from rest."""
    integrate = pytest.importorskip("scipy.integrate")
    small = 1e-10 * np.hypot(u[1], u[2])

    def slope(_, y):
        s = y[1:3] / np.hypot(y[1], y[2])
        return np.r_[A[:, 0] - mu * A[:, 1:] @ s, -mu * s]

    def turns(_, y):
        return y[0]

    def stops(_, y):
        return np.hypot(y[1], y[2]) - small

    turns.terminal = stops.terminal = True
    turns.direction = 1
    y, n, end, slips = np.r_[u, 0.0, 0.0], 0.0, None, True
    for _ in range(4):
        if slips:
            events = [stops] if end is not None else [stops, turns]
            found = integrate.solve_ivp(slope, [n, end or 1e4], y, method="DOP853", rtol=1e-13, atol=1e-15, events=events)
            y, n = found.y[:, -1], found.t[-1]
            slips = len(found.t_events[0]) == 0
            done = slips and end is not None
        else:
            friction = -np.linalg.solve(A[1:, 1:], A[1:, 0])
            if np.hypot(*friction) > mu:
                return None
            rate = A[0, 0] + A[0, 1:] @ friction
            step = -y[0] / rate if end is None else end - n
            y, n, done = np.r_[y[0] + rate * step, 0.0, 0.0, y[3:] + friction * step], n + step, end is not None
        if done:
            return np.r_[n, y[3:]]
        if end is None and abs(y[0]) < 1e-9:
            end = (1 + e) * n
    raise AssertionError


def test_impacts_in_space_are_those_of_keller():
    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(40):
        J = rng.normal(size=(3, 4))
        A, u, mu = J @ J.T, np.r_[-rng.uniform(0.1, 2), rng.normal(size=2)], rng.uniform(0.05, 0.6)
        expected = keller(A, u, mu, 0.5)
        if expected is not None:
            compared += 1
            found = impact(A, u, mu=mu, e=0.5)
            np.testing.assert_allclose(found.impulse, expected, atol=1e-8 * np.abs(expected).max())
    assert compared > 20


@pytest.mark.parametrize(("mass", "speed"), [(1e-6, 1.0), (1e6, 1.0), (1.0, 1e-6), (1.0, 1e6)])
def test_impacts_have_no_scale(mass, speed):
    rng = np.random.default_rng(2)
    for _ in range(10):
        J = rng.normal(size=(3, 4))
        A, u = J @ J.T, np.r_[-rng.uniform(0.1, 2), rng.normal(size=2)]
        one, other = impact(A, u, mu=0.3, e=0.5), impact(A / mass, u * speed, mu=0.3, e=0.5)
        np.testing.assert_allclose(other.impulse, one.impulse * mass * speed, atol=1e-11 * np.abs(other.impulse).max())


def test_slip_begins_again_in_a_direction_that_it_keeps():
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(200):
        J = rng.normal(size=(3, 4))
        A, mu = J @ J.T, 0.1
        hold = -np.linalg.solve(A[1:, 1:], A[1:, 0])
        if np.hypot(*hold) <= mu:
            continue
        seen += 1
        found = impact(A, [-1.0, 0.0, 0.0], mu=mu, e=0.5)
        slip = found.after[1:] / np.hypot(*found.after[1:])
        np.testing.assert_allclose(found.impulse[1:], -mu * found.impulse[0] * slip, atol=1e-11 * found.impulse[0])
    assert seen > 50


def test_stronges_law_is_one_of_work():
    """Without friction all laws agree; with a slip that reverses the work of expansion is e² that of compression."""
    for law in LAWS:
        np.testing.assert_allclose(impact(rod(0.7), [-1.0, -0.3, 0.0], e=0.5, law=law).after[0], 0.5, rtol=1e-14)
    A, u, mu, e = rod(0.7), np.array([-1.0, -0.3, 0.0]), 0.2, 0.5
    total = impact(A, u, mu=mu, e=e, law=STRONGE).impulse[0]
    # u_n over the impulse has a break where slip reverses
    back, forth = A[0, 0] + mu * A[0, 1], A[0, 0] - mu * A[0, 1]
    at = 0.3 / (A[0, 1] + mu * A[1, 1])

    def u_n(p):
        return u[0] + back * min(p, at) + forth * max(p - at, 0.0)

    compressed = at + (-u_n(at)) / forth
    assert at < compressed
    work_down = 0.5 * at * (u[0] + u_n(at)) + 0.5 * (compressed - at) * u_n(at)
    work_up = 0.5 * (total - compressed) * u_n(total)
    np.testing.assert_allclose(work_up, -e * e * work_down, rtol=1e-12)


@pytest.mark.parametrize("order", [SIMULTANEOUS, SEQUENTIAL])
def test_newtons_law_gives_velocities_and_tells_of_energy(order):
    A, u = rod(0.7), np.array([-1.0, -1.0, 0.0])
    found = impact(A, u, mu=0.3, e=0.4, law=NEWTON, order=order)
    np.testing.assert_allclose(found.after[0], 0.4, rtol=1e-12)
    rng = np.random.default_rng(0)
    more = 0
    for _ in range(300):
        A, u = random_impact(rng, 2)
        found = impact(A, u, mu=0.8, e=1.0, law=NEWTON, order=order)
        if found.status == SOLVED:
            assert np.isfinite(found.after).all()
            assert bool(found.told & ADDS_ENERGY) == (found.energy > 1e-10 * abs(u @ found.impulse))
            more += bool(found.told & ADDS_ENERGY)
    assert more > 0


def test_what_takes_the_place_of_stronges_law_is_told():
    A, u = random_impact(np.random.default_rng(1), 3)
    assert impact(A, u, mu=0.3, e=0.5, law=STRONGE).told & STRONGE_AS_POISSON
    assert not impact(A, u, mu=0.3, e=0.5, law=POISSON).told & STRONGE_AS_POISSON


def test_nothing_happens_to_points_that_part():
    found = impact(np.diag([1.0] * 6), [0.5, 1.0, 0.0, 0.0, 2.0, 0.0], mu=0.5, e=0.5)
    assert found.status == SOLVED
    assert (found.impulse == 0.0).all()
    np.testing.assert_array_equal(found.after, [0.5, 1.0, 0.0, 0.0, 2.0, 0.0])


def check_random_impacts(rng, count):
    for _ in range(count):
        n = int(rng.integers(1, 7))
        A, u = random_impact(rng, n, planar=bool(rng.integers(2)))
        mu, e = rng.uniform(0, 0.8, size=n), rng.uniform(0, 1, size=n) * (rng.random() < 0.8)
        found = impact(A, u, mu, e, law=int(rng.integers(2)), order=int(rng.integers(2)))
        assert found.status == SOLVED
        size = np.abs(u) + np.abs(A) @ np.abs(found.impulse)
        assert found.energy <= 1e-9 * np.abs(u) @ np.abs(found.impulse)
        assert not found.told & ADDS_ENERGY
        assert (found.after[0::3] >= -1e-9 * size.max()).all()
        assert (found.impulse[0::3] >= -1e-9 * np.abs(found.impulse).max()).all()
        friction = np.hypot(found.impulse[1::3], found.impulse[2::3])
        assert (friction <= mu * found.impulse[0::3] + 1e-9 * np.abs(found.impulse).max()).all()


def test_no_impact_adds_energy():
    check_random_impacts(np.random.default_rng(10), 400)


@pytest.mark.slow
def test_none_of_ten_thousand_impacts_adds_energy():
    check_random_impacts(np.random.default_rng(11), 10_000)


def test_impacts_that_would_never_end_are_ended():
    """Two plates of a funnel: a disc strikes one and the other, less and less."""
    J = np.zeros((6, 2))
    J[0], J[3] = [1.0, 0.1], [-1.0, 0.1]
    v = np.array([1.0, -1.0])
    found = impact(J @ J.T, J @ v, e=0.99, order=SEQUENTIAL)
    assert found.status == SOLVED
    assert (found.after[[0, 3]] > -1e-12).all()
    assert found.energy < 0.0
    assert not found.told & ~ENDED_PLASTIC


def test_expansion_goes_as_far_as_it_adds_no_energy():
    """Points with and without restitution at once: some of the expansion would add energy, and is left out."""
    rng = np.random.default_rng(0)
    cut = 0
    for _ in range(600):
        n = int(rng.integers(2, 5))
        A, u = random_impact(rng, n)
        e = rng.choice([0.0, 1.0], size=n)
        found, plastic = impact(A, u, mu=0.5, e=e), impact(A, u, mu=0.5)
        if found.told & LESS_EXPANSION:
            cut += 1
            assert abs(found.energy) < 1e-11 * abs(u @ found.impulse)
            assert plastic.energy < found.energy
            assert np.abs(found.impulse - plastic.impulse).max() > 1e-6 * np.abs(plastic.impulse).max()
    assert cut >= 3


def test_poissons_law_of_several_points_without_friction():
    """Both phases by themselves: 0 ≤ Λ_C ⊥ w_C ≥ 0, and 0 ≤ Λ − (1 + e) Λ_C ⊥ w ≥ 0."""
    rng = np.random.default_rng(12)
    for _ in range(100):
        n = int(rng.integers(2, 6))
        A, u = random_impact(rng, n)
        e = np.full(n, rng.uniform(0.1, 1.0))
        plastic, found = impact(A, u), impact(A, u, e=e)
        size = np.abs(u).max() + (np.abs(A) @ np.abs(found.impulse)).max()
        for after, impulse in (
            (plastic.after[0::3], plastic.impulse[0::3]),
            (found.after[0::3], found.impulse[0::3] - (1 + e) * plastic.impulse[0::3]),
        ):
            assert after.min() > -1e-9 * size
            assert impulse.min() > -1e-9 * np.abs(found.impulse).max()
            assert np.abs(after * impulse).max() < 1e-9 * size * np.abs(found.impulse).max()


def test_points_with_different_laws():
    found = impact(np.eye(6), [-1.0, 0.0, 0.0, -1.0, 0.0, 0.0], e=[0.5, 0.8], law=[NEWTON, POISSON])
    np.testing.assert_allclose(found.after[[0, 3]], [0.5, 0.8], rtol=1e-14)


def test_no_points_have_no_impact():
    assert impact(np.zeros((0, 0)), np.zeros(0)).status == SOLVED


def test_a_point_that_nothing_can_move_is_told():
    assert impact(np.zeros((3, 3)), [-1.0, 0.0, 0.0]).status != SOLVED
