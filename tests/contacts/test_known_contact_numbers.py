"""The reference numbers of contacts, from their closed forms: what the other tests here compare with is right by itself."""

import math
from itertools import pairwise

import numpy as np
import pytest

from contacts import closed_forms as known

DEGREE = math.pi / 180


def near(number, tolerance=1e-14):
    return pytest.approx(number, rel=tolerance, abs=tolerance)


def test_a_ball_that_bounces():
    assert known.first_touch(1.0) == near(0.4515236409857309)
    assert known.end_of_bouncing(1.0, 0.9) == near(8.578949178728887)
    assert known.end_of_bouncing(1.0, 0.5) == near(1.354570922957193)
    bounces, height, velocity = known.bouncing(1.0, 0.9, 8.5)
    assert bounces == 44
    assert height == near(5.565551008992671e-6, 1e-13)
    assert velocity == near(-0.04166519580981356, 1e-12)


def test_a_block_on_an_incline():
    turns, distance = known.uphill(30 * DEGREE, 0.4, 3.0)
    takes, speed = known.downhill(30 * DEGREE, 0.4, distance)
    assert (turns, distance) == near((0.361302842828098, 0.541954264242147))
    assert (turns + takes, speed) == near((1.20946828048135, 1.27794470319765))
    assert math.atan(0.4) / DEGREE == near(21.8014094863518)


def test_a_mass_on_a_spring_that_rubs():
    assert known.rubbing_stop(12.0, 6.0) == near((15 - math.sqrt(205), math.atan(6 / 13) + 7 * math.pi), 1e-13)
    assert known.rubbing_stop(12.0, 6.0) == near((0.6821789367236468, 22.42355635069909), 1e-13)


def test_stick_and_slip_on_a_belt():
    assert known.stick_slip_cycle() == near((3.152680870494475, 1.190680870494475, 0.0881582041409, 0.5004417958591), 1e-12)


def test_balls_that_begin_to_roll():
    assert known.rolls_from(5.0, 0.2) == near(0.72811999417504)
    t = known.rolls_from(5.0, 0.2)
    assert 5.0 * t - 0.2 * known.G * t**2 / 2 == near(3.120514260750172)
    assert 5.0 - 0.2 * known.G * t == near(25 / 7)
    touch = known.first_touch(0.9)
    velocity, spin = known.ball_after_touch(0.9, 50.0, 0.2, 0.1)
    assert (touch, velocity, spin) == near((0.428352936878119, 0.840428462154870, 28.9892884461282))
    begins = touch + known.rolls_from(0.1 * spin - velocity, 0.2)
    assert begins == near(0.72811999417504)
    assert velocity + 0.2 * known.G * (begins - touch) == near(10 / 7)


def test_a_cube_that_slides_to_rest():
    speed, slows = 6.0, 0.5 * known.G
    assert speed / slows == near(1.223241590214067)
    assert speed**2 / (2 * slows) == near(3.669724770642202)


def test_a_falling_pencil():
    most, tilt = known.MOST_NEEDED
    assert most == near(0.370579413300982)
    assert tilt / DEGREE == near(35.0968012275846)
    tilts = np.linspace(1e-3, math.acos(2 / 3), 20001)
    ratios = [np.divide(*known.pencil_forces(angle)) for angle in tilts]
    assert max(ratios) == pytest.approx(most, abs=1e-8)
    assert tilts[np.argmax(ratios)] == pytest.approx(tilt, abs=1e-4)
    assert known.pencil_forces(math.acos(2 / 3))[0] == near(0.0)
    assert known.pencil_forces(math.acos(1 / 3))[1] == near(0.0)


def test_painleves_rod():
    low, high = known.painleve_angles(1.4)
    assert (low / DEGREE, high / DEGREE) == near((55.5858108078871, 69.9518669840873))
    for angle in (low, high):
        assert known.painleve_friction(angle) == near(1.4, 1e-13)
    assert known.painleve_friction(math.atan(2)) == near(4 / 3)
    assert min(map(known.painleve_friction, np.linspace(0.9, 1.3, 1001))) >= 4 / 3


def test_a_rimless_wheel():
    assert known.wheel_rate() == near(1.095462839647657)
    assert known.wheel_period() == near(1.034549811423279, 1e-13)
    assert known.wheel_kept() ** 2 == near(0.5)
    assert known.least_slope() == near(0.06822945245228716, 1e-13)


def test_a_disc_that_leans_obeys_eulers_equations():
    for square in (1.5, 1.01, 0.99, 0.5):
        spin = math.sqrt(square * known.G / 0.3)
        found = known.rolling_disc(math.pi / 2 + 1e-5, 0.0, 0.0, spin, 0.1, 0.6)[0] - math.pi / 2
        assert found == pytest.approx(known.disc_lean(1e-5, spin, 0.1, 0.6), abs=1e-9)


def test_a_coin_precesses_steadily():
    tilt, radius = 0.1, 0.1
    precession = math.sqrt(4 * known.G / (radius * math.sin(tilt)))
    assert known.rolling_disc(tilt, 0.0, precession, 0.0, radius, 0.05) == near((tilt, precession, 0.0), 1e-8)


def test_the_period_in_a_bowl_is_the_known_one_where_it_swings_little():
    assert known.bowl_period(1.0, 0.1, 1e-6) == near(2 * math.pi * math.sqrt(7 * 0.9 / (5 * known.G)), 1e-12)


def test_a_rocking_block_loses_what_housner_says():
    alpha = math.atan2(0.25, 1.0)
    times, rises = known.rocking(0.15, 0.25, 1.0, 12)
    assert (np.diff(times) > 0).all()
    assert (np.diff(rises) < 0).all()
    kept = 1 - 1.5 * math.sin(alpha) ** 2
    level = lambda angle: math.cos(alpha - angle) - math.cos(alpha)  # noqa: E731
    assert [level(b) / level(a) for a, b in pairwise(rises)] == near([kept**2] * 11, 1e-11)
    # small angles fall freely: 4/3 R² θ̈ = −g R sin α
    small = known.fall_time(1e-9, alpha, 3 * known.G / (2 * math.hypot(0.25, 1.0)))
    assert small == near(math.sqrt(2e-9 / (3 * known.G / (2 * math.hypot(0.25, 1.0)) * math.sin(alpha))), 1e-8)
