"""What rolls, rocks and spins on curved surfaces, or has them, against periods and numbers that stay what they are."""

import math

import numba
import numpy as np
import pytest
from scipy.integrate import quad

import regraft as rg
from contacts.closed_forms import G
from contacts.scenes import IN_PLANE, free_body


def swing(rate_squared, most):
    """The period of an even oscillation between ∓most, for ω² as a function of the angle; 2 u du takes away its pole."""
    quarter = lambda u: 2 * u / math.sqrt(rate_squared(most - u * u))  # noqa: E731
    return 4 * quad(quarter, 0, math.sqrt(most), epsabs=1e-14, epsrel=1e-13)[0]


def comes_back(inertia, form, height, angle, period, friction):
    """How far a body that starts at rest, leaning by an angle, is from there after a period."""
    mech = rg.Mechanism()
    mech.add_body("body", inertia)
    mech.add_joint("plane", IN_PLANE, "world", "body")
    mech.add_shape("body", form, "surface")
    start = mech.state(q={"plane": (0, height, angle)})
    traj = rg.simulate(mech, start, period, contacts=rg.Contact("body", friction=friction))
    assert traj.events == []
    return max(abs(traj.final[1].q - start.q).max(), abs(traj.final[1].v).max())


@pytest.mark.parametrize("friction", [2.0, 0.0])
def test_an_ellipsoid_rocks_with_the_period_of_its_curves(friction):
    """Its middle is at the height h(θ), and h'(θ) beside the place of contact: that is at rest where it rolls."""
    a, c, mass, most = 0.3, 0.2, 2.0, 0.7
    own = mass * (a * a + c * c) / 5
    height = lambda t: math.hypot(a * math.sin(t), c * math.cos(t))  # noqa: E731
    slope = lambda t: (a * a - c * c) * math.sin(t) * math.cos(t) / height(t)  # noqa: E731
    lever = lambda t: slope(t) ** 2 + (height(t) ** 2 if friction else 0.0)  # noqa: E731
    period = swing(lambda t: 2 * mass * G * (height(most) - height(t)) / (own + mass * lever(t)), most)
    inertia = rg.Inertia(mass, (0, 0, 0), np.diag([2 * mass * c * c / 5, own, own]))
    assert comes_back(inertia, rg.Ellipsoid((a, c, c)), height(most), most, period, friction) < 1e-8


@pytest.mark.parametrize("friction", [2.0, 0.0])
def test_half_a_ball_rocks_with_its_period(friction):
    radius, mass, most = 0.2, 1.5, 0.8
    low, whole = 3 * radius / 8, 2 * mass * radius**2 / 5
    own = whole - mass * low * low
    far = lambda t: (radius - low * math.cos(t)) ** 2 if friction else 0.0  # noqa: E731
    lever = lambda t: far(t) + (low * math.sin(t)) ** 2  # noqa: E731
    period = swing(lambda t: 2 * mass * G * low * (math.cos(t) - math.cos(most)) / (own + mass * lever(t)), most)
    inertia = rg.Inertia(mass, (0, 0, -low), np.diag([own, own, whole]))
    assert comes_back(inertia, rg.Sphere(radius), radius, most, period, friction) < 1e-8


@numba.njit
def cycloid(x, y):
    """x = a (t + sin t), z = a (1 − cos t) with a = ¼; z_x = tan t/2."""
    a = 0.25
    t = x / (2 * a)
    for _ in range(60):
        t -= (a * (t + math.sin(t)) - x) / (a * (1 + math.cos(t)))
    up = 1 + math.cos(t)
    return a * (1 - math.cos(t)), math.sin(t) / up, 0.0 * y, 1 / (a * up * up), 0.0, 0.0


@pytest.mark.parametrize("far", [0.05, 0.3, 0.6])
def test_a_bead_in_a_cycloid_swings_with_one_period(far):
    """4π √(a/g), however far."""
    mech, _ = free_body("bead", rg.Inertia.sphere(1.0, 0.01), rg.Pose())
    mech.add_frame("point", "bead")
    mech.add_shape("world", rg.surface(cycloid), "trough")
    start = mech.state(q={"bead free": (far, 0, cycloid(far, 0.0)[0], 1, 0, 0, 0)})
    traj = rg.simulate(mech, start, 4 * math.pi * math.sqrt(0.25 / G), contacts=rg.Contact("point", "trough"))
    assert traj.final[1].q == pytest.approx(start.q, abs=1e-9)


@numba.njit
def cone(x, y):
    r = math.sqrt(x * x + y * y)
    return r, x / r, y / r, y * y / r**3, -x * y / r**3, x * x / r**3


def test_a_bead_in_a_cone_goes_round_at_one_height_or_between_two():
    """v² = g r; slower, energy and angular momentum say how low it comes. Its function divides by zero at the tip."""
    radius = 0.5
    mech, _ = free_body("bead", rg.Inertia.sphere(1.0, 0.01), rg.Pose())
    mech.add_frame("point", "bead")
    mech.add_shape("world", rg.surface(cone), "funnel")
    for speed in (math.sqrt(G * radius), 1.0):
        start = mech.state(q={"bead free": (radius, 0, radius, 1, 0, 0, 0)}, v={"bead free": (0, speed, 0, 0, 0, 0)})
        traj = rg.simulate(mech, start, 2.0, contacts=rg.Contact("point", "funnel"))
        assert traj.energy().total == pytest.approx(speed**2 / 2 + G * radius, rel=1e-9)
        assert rg.momentum(*traj.final).angular[2] == pytest.approx(radius * speed, rel=1e-9)
        if speed > 1.0:
            turn = 2.0 * math.sqrt(G / radius)
            there = (radius * math.cos(turn), radius * math.sin(turn), radius)
            assert traj.final[1].q[:3] == pytest.approx(there, abs=1e-9)


def test_a_top_that_slides_keeps_jelletts_number():
    """L · a, from the middle of mass to the place of contact, whatever the friction does, while the top turns over."""
    radius, below, mass, spin = 0.02, 0.004, 0.006, 120.0
    tilt = rg.Pose.about((0, 1, 0), 0.2)
    inertia = rg.Inertia(mass, (0, 0, -below), 1e-6 * np.diag([1.0, 1.0, 0.9]))
    pose = rg.Pose(tilt.rotation, (0, 0, radius))
    mech, start = free_body("top", inertia, pose, angular=spin * tilt.rotation[:, 2], form=rg.Sphere(radius))
    traj = rg.simulate(mech, start, 1.0, contacts=rg.Contact("top", friction=0.3))
    found, kept = [], traj.energy().total + traj.contacts().dissipated
    for t in np.linspace(0.0, 1.0, 21):
        at = traj.mechanism(t), traj.state(t)
        middle, momentum = rg.center_of_mass(*at), rg.momentum(*at)
        to_contact = rg.body_poses(*at)["top"].translation - (0, 0, radius) - middle
        found.append((momentum.angular - np.cross(middle, momentum.linear)) @ to_contact)
    np.testing.assert_allclose(found, found[0], rtol=1e-8)
    np.testing.assert_allclose(kept, kept[0], rtol=1e-9)
    assert traj.contacts().dissipated[-1] > 1e-5


def test_a_top_whose_tip_sticks_moves_as_one_on_a_ball_joint():
    inertia, pose, spin = rg.Inertia(0.5, (0, 0, 0.1), 1e-3 * np.diag([2.0, 2.0, 1.0])), rg.Pose.about((0, 1, 0), 0.3), 150.0
    mech, start = free_body("top", inertia, pose, angular=spin * pose.rotation[:, 2])
    mech.add_frame("tip", "top")
    held = rg.Mechanism()
    held.add_body("top", inertia)
    held.add_joint("ball", rg.Spherical(), "world", "top")
    turns = held.state(q={"ball": pose.quaternion}, v={"ball": (0, 0, spin)})
    touches, jointed = rg.simulate(mech, start, 1.0, contacts=rg.Contact("tip", friction=3.0)), rg.simulate(held, turns, 1.0)
    there, here = (rg.body_poses(*traj.final)["top"] for traj in (touches, jointed))
    np.testing.assert_allclose(there.rotation, here.rotation, atol=1e-9)
    assert touches.events == []
