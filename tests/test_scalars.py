"""The scalars that kernels run on: float64, complex128 and packs of doubles."""

from __future__ import annotations

import cmath
import math

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiled import Generic
from regraft.algebra.scalars import (
    LANES,
    aligned_zeros,
    angle,
    lanes,
    lift,
    one,
    sincos,
    square_root,
    where_less,
    with_lane,
    zero,
)
from regraft.algebra.scalars import (
    lane as lane_of,
)

ROUNDING = 4e-16


def turn(x, out):
    s, c = sincos(x[0])
    out[0] = s
    out[1] = c


sincos_of = Generic(turn, 2)


@numba.njit
def sincos_of_many(x, s, c):
    for i in range(x.shape[0]):
        s[i], c[i] = sincos(x[i])


def on_packs(x):
    """Sine and cosine through packs, LANES numbers at a time."""
    padded = np.resize(x, -(-len(x) // LANES) * LANES)
    pairs = [sincos_of.packs([[value] for value in padded[i : i + LANES]]) for i in range(0, len(padded), LANES)]
    return np.concatenate(pairs)[: len(x)].T


def on_floats(x):
    s, c = np.empty_like(x), np.empty_like(x)
    sincos_of_many(x, s, c)
    return s, c


RANGES = {
    "small": np.linspace(-10.0, 10.0, 4001),
    "tiny": np.concatenate([np.logspace(-320, 0, 400), -np.logspace(-320, 0, 400)]),
    "up to a thousand": np.linspace(-1.0e3, 1.0e3, 4001) + 0.1,
    "up to where the library takes over": np.linspace(0.9e6, 1.1e6, 2001) + 1.0 / 3.0,
    "large": np.logspace(3, 12, 2000),
    "huge": np.logspace(12, 300, 500),
    "multiples of a quarter turn": np.arange(-3000, 3001) * (math.pi / 2),
    "far multiples of a quarter turn": np.arange(600_000, 637_000, 17) * (math.pi / 2),
}


@pytest.mark.parametrize("numbers", RANGES.values(), ids=RANGES)
@pytest.mark.parametrize("run", [on_floats, on_packs])
def test_sine_and_cosine_are_right_to_the_last_digit(run, numbers):
    s, c = run(numbers)
    assert np.abs(s - np.sin(numbers)).max() < ROUNDING
    assert np.abs(c - np.cos(numbers)).max() < ROUNDING


@pytest.mark.parametrize("run", [on_floats, on_packs])
def test_a_small_sine_keeps_its_relative_precision(run):
    """At multiples of π sine is as small as 1e-16 k and yet known to all its digits."""
    numbers = np.concatenate([RANGES["tiny"], np.arange(1, 300_000, 331) * math.pi])
    s, _ = run(numbers)
    assert np.abs(s / np.sin(numbers) - 1.0).max() < 2 * ROUNDING


@pytest.mark.parametrize("run", [on_floats, on_packs])
def test_sine_is_odd_cosine_even_and_both_lie_on_the_circle(run):
    numbers = np.random.default_rng(1).uniform(-1e5, 1e5, 2000)
    (s, c), (s_back, c_back) = run(numbers), run(-numbers)
    assert np.array_equal(s, -s_back)
    assert np.array_equal(c, c_back)
    assert np.abs(s * s + c * c - 1.0).max() < 2 * ROUNDING


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_no_number_has_no_sine(bad):
    assert np.isnan(sincos_of.floats([bad])).all()
    assert np.isnan(sincos_of.complexes([bad]).real).all()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_lane_that_is_no_number_leaves_the_others_alone(bad):
    for lane in range(LANES):
        numbers = np.linspace(0.3, 2.0, LANES)
        numbers[lane] = bad
        found = sincos_of.packs(numbers[:, None])
        others = [other for other in range(LANES) if other != lane]
        assert np.isnan(found[lane]).all()
        assert np.abs(found[others] - np.stack([np.sin(numbers[others]), np.cos(numbers[others])], 1)).max() < ROUNDING


def test_a_far_lane_leaves_the_others_alone():
    numbers = np.linspace(0.3, 2.0, LANES)
    numbers[1] = 3.0e9
    assert np.abs(sincos_of.packs(numbers[:, None]) - np.stack([np.sin(numbers), np.cos(numbers)], 1)).max() < ROUNDING


@given(st.floats(-30.0, 30.0), st.floats(-2.0, 2.0))
def test_complex_sine_and_cosine_are_those_of_the_library(x, y):
    found = sincos_of.complexes([complex(x, y)])
    assert abs(found[0] - cmath.sin(complex(x, y))) < 4 * ROUNDING
    assert abs(found[1] - cmath.cos(complex(x, y))) < 4 * ROUNDING


@given(st.floats(-1e6, 1e6))
def test_the_complex_step_gives_the_derivatives_of_sine_and_cosine(x):
    slopes = sincos_of.complexes([complex(x, 1e-30)]).imag / 1e-30
    assert abs(slopes[0] - math.cos(x)) < 2 * ROUNDING
    assert abs(slopes[1] + math.sin(x)) < 2 * ROUNDING


# --- choices, roots, angles ------------------------------------------------------------------------------------------


def choose(x, out):
    out[0] = where_less(x[0], x[1], x[2], x[3])


chosen = Generic(choose, 1)

CHOICES = [
    (1.0, 2.0, 5.0, 7.0, 5.0),
    (2.0, 1.0, 5.0, 7.0, 7.0),
    (1.0, 1.0, 5.0, 7.0, 7.0),
    (math.nan, 1.0, 5.0, 7.0, 7.0),
    (1.0, math.nan, 5.0, 7.0, 7.0),
    (-math.inf, 1.0, 5.0, 7.0, 5.0),
    (1.0, math.inf, 5.0, math.nan, 5.0),
    (2.0, 1.0, math.nan, 7.0, 7.0),
]


@pytest.mark.parametrize(("x", "y", "a", "b", "expected"), CHOICES)
def test_where_less_takes_the_first_where_less_and_the_second_where_not_or_unknown(x, y, a, b, expected):
    assert chosen.floats([x, y, a, b]) == expected
    assert chosen.complexes([x, y, a, b]) == expected


def test_where_less_chooses_in_each_lane_by_itself():
    rows = [CHOICES[lane % len(CHOICES)] for lane in range(LANES)]
    assert chosen.packs([row[:4] for row in rows]).ravel().tolist() == [row[4] for row in rows]
    rows = [CHOICES[(lane + 4) % len(CHOICES)] for lane in range(LANES)]
    assert chosen.packs([row[:4] for row in rows]).ravel().tolist() == [row[4] for row in rows]


def test_where_less_judges_complex_numbers_by_their_real_parts():
    assert chosen.complexes([1 + 9j, 2 - 9j, 5 + 1j, 7 + 2j]) == 5 + 1j
    assert chosen.complexes([2 - 9j, 1 + 9j, 5 + 1j, 7 + 2j]) == 7 + 2j


def measure(x, out):
    out[0] = square_root(x[0])
    out[1] = angle(x[1], x[2])


measured = Generic(measure, 2)


@given(st.floats(0.0, 1e300))
def test_square_roots_are_right_on_every_scalar(x):
    expected = math.sqrt(x)
    assert measured.floats([x, 0.0, 1.0])[0] == expected
    assert measured.complexes([x, 0.0, 1.0])[0] == pytest.approx(expected, rel=4 * ROUNDING, abs=0.0)
    assert measured.packs([[x, 0.0, 1.0]] * LANES)[:, 0].tolist() == [expected] * LANES


@given(st.floats(1e-6, 1e6))
def test_the_complex_step_gives_the_derivative_of_the_square_root(x):
    slope = measured.complexes([complex(x, 1e-30), 0.0, 1.0])[0].imag / 1e-30
    assert slope == pytest.approx(0.5 / math.sqrt(x), rel=1e-14)


def test_the_root_of_a_negative_number_is_not_a_number():
    assert math.isnan(measured.floats([-1.0, 0.0, 1.0])[0])
    rows = [[(-1.0) ** lane * 4.0, 0.0, 1.0] for lane in range(LANES)]
    assert np.isnan(measured.packs(rows)[:, 0]).tolist() == [lane % 2 == 1 for lane in range(LANES)]


@given(st.floats(-math.pi, math.pi), st.floats(1e-3, 1e3))
def test_angles_are_those_of_atan2_on_every_scalar(turn, size):
    s, c = size * math.sin(turn), size * math.cos(turn)
    expected = math.atan2(s, c)
    assert measured.floats([1.0, s, c])[1] == pytest.approx(expected, abs=ROUNDING)
    assert measured.complexes([1.0, s, c])[1] == pytest.approx(expected, abs=ROUNDING)
    assert np.abs(measured.packs([[1.0, s, c]] * LANES)[:, 1] - expected).max() < ROUNDING


@given(st.floats(-math.pi, math.pi), st.floats(1e-3, 1e3), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_the_complex_step_gives_the_derivative_of_an_angle(turn, size, ds, dc):
    s, c = size * math.sin(turn), size * math.cos(turn)
    slope = measured.complexes([1.0, complex(s, 1e-30 * ds), complex(c, 1e-30 * dc)])[1].imag / 1e-30
    assert slope == pytest.approx((c * ds - s * dc) / (s * s + c * c), rel=1e-13, abs=1e-13)


# --- arithmetic on packs ---------------------------------------------------------------------------------------------


def calculate(x, out):
    a, b = x[0], x[1]
    out[0], out[1], out[2], out[3] = a + b, a - b, a * b, a / b
    out[4], out[5], out[6], out[7] = a + 2.5, 2.5 - a, a * 3, 3 / a
    out[8], out[9], out[10] = -a, 2 + a, a / 4
    total = a
    total += b
    total -= 0.5
    total *= 2
    total /= b
    out[11] = total
    out[12], out[13], out[14] = zero(a), one(a), lift(0.25, a)
    out[15] = 2 * a


calculated = Generic(calculate, 16)


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(0.1, 1e3)), min_size=LANES, max_size=LANES))
def test_packs_calculate_like_floats_in_every_lane(rows):
    rows = [(a if abs(a) > 0.1 else 1.0, b) for a, b in rows]
    expected = np.array([[
        a + b, a - b, a * b, a / b, a + 2.5, 2.5 - a, a * 3, 3 / a, -a, 2 + a, a / 4,
        (a + b - 0.5) * 2 / b, 0.0, 1.0, 0.25, 2 * a,
    ] for a, b in rows])  # fmt: skip
    # the compiler may reorder sums of a pack: a few units in the last place of the largest term
    assert np.abs(calculated.packs(rows) - expected).max() < 1e-12 * np.abs(expected).max()
    assert np.abs(np.array([calculated.floats(row) for row in rows]) - expected).max() < 1e-12 * np.abs(expected).max()


def counted(x, out):
    found = zero(x[0])
    for k in range(lanes(x[0])):
        found = with_lane(found, k, 2.0 * lane_of(x[0], k) + 1.0)
    out[0] = found


def test_the_numbers_of_a_scalar_can_be_taken_one_by_one():
    each = Generic(counted, 1)
    assert each.floats([3.0]).tolist() == [7.0]
    assert each.complexes([3.0 + 2.0j]).tolist() == [7.0 + 4.0j]
    rows = [[float(k)] for k in range(LANES)]
    assert np.array_equal(each.packs(rows), 2.0 * np.array(rows) + 1.0)


def test_a_pack_keeps_what_is_not_a_number_in_its_lane():
    rows = [[math.nan if lane == 0 else 2.0, 1.0] for lane in range(LANES)]
    found = calculated.packs(rows)
    assert np.isnan(found[0, :12]).all()
    assert np.isfinite(found[1:]).all()


@pytest.mark.parametrize("shape", [(1, LANES), (3, 5, LANES), (7, LANES)])
def test_storage_of_packs_is_zero_aligned_and_contiguous(shape):
    for _ in range(5):
        array = aligned_zeros(shape)
        assert array.shape == shape
        assert array.flags.c_contiguous
        assert array.ctypes.data % (8 * LANES) == 0
        assert not array.any()
