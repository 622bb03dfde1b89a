"""Balls, discs and coins that slip, roll and precess, against closed forms."""

import math

import numba
import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import G, ball_after_touch, bowl_period, disc_lean, on_turntable, rolling_disc, rolls_from
from contacts.reading import STICKING, changes, impact_times, points_of
from contacts.scenes import ball, ball_in_bowl, ball_on_incline, ball_on_turntable, coin, disc_on_incline


def twist_after(traj, t, body):
    twist = rg.body_twists(traj.mechanism(t), traj.state(t))[body]
    return twist[:3], twist[3:]


def test_a_sliding_ball_begins_to_roll():
    begins = rolls_from(5.0, 0.2)
    traj = ball(0.0, linear=(5, 0, 0), friction=0.2).run(1.5)
    (found,) = changes(traj, "ball", STICKING)
    assert found == pytest.approx(0.72811999417504, abs=1e-10)
    assert begins == pytest.approx(0.72811999417504, abs=1e-14)
    place = rg.body_poses(traj.mechanism(begins), traj.state(begins))["ball"].translation
    assert place[0] == pytest.approx(3.120514260750172, abs=1e-10)
    spin, velocity = twist_after(traj, 1.5, "ball")
    assert velocity == pytest.approx((25 / 7, 0, 0), abs=1e-10)
    assert spin == pytest.approx((0, 250 / 7, 0), abs=1e-9)


@pytest.mark.parametrize(("build", "most"), [(ball_on_incline, 3.5), (disc_on_incline, 3.0)])
@pytest.mark.parametrize("beyond", [-1e-7, 1e-7, -0.1, 0.3])
def test_what_is_round_slips_on_a_steep_incline(build, most, beyond):
    mu = 0.2
    angle = math.atan(most * mu) + beyond
    traj = build(angle, friction=mu).run(1.0)
    found = points_of(traj, "wheel")
    assert (found.mode[-1] == STICKING).any() == (beyond < 0)
    rolled = G * math.sin(angle) * (1 - 1 / most)
    slid = G * (math.sin(angle) - mu * math.cos(angle))
    expected = rolled if beyond < 0 else slid
    assert traj.body("wheel").velocity[-1, 0] == pytest.approx(expected, abs=1e-10)


def test_a_spinning_ball_that_lands_slips_then_rolls():
    traj = ball(0.9, angular=(0, 50, 0), friction=0.2).run(1.2)
    (touch,) = impact_times(traj, "ball")
    assert touch == pytest.approx(0.428352936878119, abs=1e-10)
    velocity, spin = ball_after_touch(0.9, 50.0, 0.2, 0.1)
    turning, going = twist_after(traj, touch, "ball")
    assert going == pytest.approx((velocity, 0, 0), abs=1e-10)
    assert turning == pytest.approx((0, spin, 0), abs=1e-9)
    assert (velocity, spin) == pytest.approx((0.840428462154870, 28.9892884461282), abs=1e-12)
    assert changes(traj, "ball", STICKING)[-1] == pytest.approx(0.72811999417504, abs=1e-10)
    assert twist_after(traj, 1.2, "ball")[1][0] == pytest.approx(10 / 7, abs=1e-10)


def test_a_landing_ball_that_can_stick_rolls_at_once():
    traj = ball(0.9, angular=(0, 50, 0), friction=2.0).run(0.6)
    turning, going = twist_after(traj, 0.5, "ball")
    assert going[0] == pytest.approx(0.1 * turning[1], abs=1e-10)
    assert going[0] == pytest.approx(10 / 7, abs=1e-10)


@pytest.mark.parametrize("rate", [2.0, -5.0])
def test_a_ball_on_a_turntable_turns_at_two_sevenths(rate):
    start, velocity = (0.3, 0.0), (0.1, 0.2)
    scene = ball_on_turntable(rate, start, velocity, friction=10.0)
    traj = scene.run(5.0, prescribed={"axle": lambda t: (rate * t, rate, 0.0)})
    for t in (1.0, 2.5, 5.0):
        place = rg.body_poses(traj.mechanism(t), traj.state(t))["ball"].translation
        assert place == pytest.approx((*on_turntable(rate, start, velocity, t), 0.1), abs=1e-8)
    assert np.abs(points_of(traj, "ball").slip).max() < 1e-9


def leaning(traj, t):
    axis = rg.body_poses(traj.mechanism(t), traj.state(t))["coin"].rotation[:, 2]
    return math.acos(axis[2])


@pytest.mark.parametrize("square", [1.5, 1.01, 0.99, 0.5])
def test_an_upright_disc_is_stable_if_it_is_fast_enough(square):
    """v² = square · g r / 3: beyond 1 a lean swings about a mean, below it grows as a hyperbolic cosine."""
    radius, lean = 0.1, 1e-5
    spin = math.sqrt(square * G / (3 * radius))
    traj = coin(math.pi / 2 + lean, 0.0, spin, radius, friction=1.0).run(0.6)
    for t in (0.2, 0.4, 0.6):
        assert leaning(traj, t) - math.pi / 2 == pytest.approx(disc_lean(lean, spin, radius, t), abs=1e-8)
        assert leaning(traj, t) == pytest.approx(rolling_disc(math.pi / 2 + lean, 0.0, 0.0, spin, radius, t)[0], abs=1e-9)


def test_a_coin_rolls_in_a_circle_as_eulers_equations_say():
    tilt, precession, spin, radius = 1.2, 2.0, -12.0, 0.1
    traj = coin(tilt, precession, spin, radius, friction=2.0).run(0.5)
    for t in (0.1, 0.3, 0.5):
        expected = rolling_disc(tilt, 0.0, precession, spin, radius, t)
        assert leaning(traj, t) == pytest.approx(expected[0], abs=1e-8)
        pose, twist = (what(traj.mechanism(t), traj.state(t))["coin"] for what in (rg.body_poses, rg.body_twists))
        assert pose.rotation[:, 2] @ twist[:3] == pytest.approx(expected[2], abs=1e-8)


@pytest.mark.parametrize("tilt", [0.02, 0.1, 0.5])
def test_a_coin_precesses_about_its_middle(tilt):
    radius = 0.1
    precession = math.sqrt(4 * G / (radius * math.sin(tilt)))
    turns = 2 * math.pi * 0.8 / precession
    traj = coin(tilt, precession, 0.0, radius, friction=5.0).run(turns)
    pose = rg.body_poses(*traj.final)["coin"]
    assert pose.translation == pytest.approx((0, radius * math.cos(tilt), radius * math.sin(tilt)), abs=1e-8)
    axis = pose.rotation[:, 2]
    start = rg.body_poses(traj.mechanism(0.0), traj.state(0.0))["coin"].rotation[:, 2]
    expected = rg.Pose.about((0, 0, 1), precession * turns).rotation @ start
    assert axis == pytest.approx(expected, abs=1e-7)  # the rate is some 60 rad/s, so 1e-8 of it is 1e-7 of the angle


@numba.njit
def hollow(x, y):
    """A hemisphere of the radius 1, lowest at the origin, with its derivatives."""
    d = math.sqrt(1.0 - x * x - y * y)
    return 1.0 - d, x / d, y / d, 1 / d + x * x / d**3, x * y / d**3, 1 / d + y * y / d**3


def test_the_hollow_hemisphere_has_the_derivatives_that_it_says():
    x, y, h = 0.3, -0.2, 1e-6
    z, zx, zy, zxx, zxy, zyy = hollow(x, y)
    sideways, ahead = ([hollow(x + s * h * a, y + s * h * b) for s in (1, -1)] for a, b in ((1, 0), (0, 1)))
    slope = lambda pair, k: (pair[0][k] - pair[1][k]) / (2 * h)  # noqa: E731
    assert (slope(sideways, 0), slope(ahead, 0)) == pytest.approx((zx, zy), abs=1e-9)
    assert (slope(sideways, 1), slope(ahead, 1), slope(ahead, 2)) == pytest.approx((zxx, zxy, zyy), abs=1e-8)
    assert z == pytest.approx(1 - math.sqrt(1 - 0.13), abs=1e-15)


@pytest.mark.parametrize("amplitude", [0.01, 0.5])
def test_a_ball_in_a_bowl_swings_with_the_known_period(amplitude):
    period = bowl_period(1.0, 0.1, amplitude)
    traj = ball_in_bowl(rg.surface(hollow), amplitude, friction=5.0).run(3 * period)
    x = lambda t: rg.body_poses(traj.mechanism(t), traj.state(t))["ball"].translation[0]  # noqa: E731
    top = 0.9 * math.sin(amplitude)
    assert [x(n * period) for n in (1, 2, 3)] == pytest.approx([top] * 3, abs=1e-8)
    assert [x((n + 0.25) * period) for n in (0, 1, 2)] == pytest.approx([0.0] * 3, abs=1e-8)
    assert (points_of(traj, "ball").mode[1:] == STICKING).all()
