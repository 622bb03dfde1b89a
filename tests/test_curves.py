"""Curves that joints follow: their values, splines as those of OpenSim, and what is refused."""

import math

import numpy as np
import pytest

import regraft as rg


def test_simple_curves_have_the_values_that_their_names_say():
    x = np.linspace(-3, 3, 13)
    assert np.array_equal(rg.Curve.constant(2.5)(x), np.full(13, 2.5))
    assert rg.Curve.linear(2.0, -1.0)(x) == pytest.approx(2 * x - 1)
    cubic = rg.Curve.polynomial([1.0, 2.0, -3.0, 0.5])
    assert cubic(x) == pytest.approx(1 + 2 * x - 3 * x**2 + 0.5 * x**3)
    assert cubic(x, 1) == pytest.approx(2 - 6 * x + 1.5 * x**2)
    assert cubic(x, 2) == pytest.approx(-6 + 3 * x)
    assert cubic(x, 3) == pytest.approx(np.full(13, 3.0))
    assert not cubic(x, 4).any()
    assert isinstance(cubic(0.5), float)
    assert (cubic * 1.1)(x) == pytest.approx(1.1 * cubic(x))
    assert (2 * cubic)(0.3, 1) == pytest.approx(2 * cubic(0.3, 1))


def test_pieces_count_from_where_they_begin_and_go_on_outside():
    table = [[0.0, 0.0, 1.0], [1.0, 2.0, -1.0]]
    curve = rg.Curve.pieces([0.0, 1.0, 3.0], table)
    assert curve(0.5) == 0.25
    assert curve(2.0) == pytest.approx(2.0)
    assert curve(-1.0) == pytest.approx(1.0)
    assert curve(4.0) == pytest.approx(1 + 6 - 9)
    straight = rg.Curve.pieces([0.0, 1.0, 3.0], table, outside="line")
    assert straight(-1.0) == 0.0
    assert straight(4.0) == pytest.approx(curve(3.0) + curve(3.0, 1))
    assert straight(4.0, 2) == 0.0


@pytest.mark.parametrize("end", ["natural", "fmm"])
@pytest.mark.parametrize("points", [2, 3, 4, 5, 11, 200])
def test_splines_pass_their_points_smoothly_and_end_as_told(end, points):
    rng = np.random.default_rng(points)
    x, y = np.cumsum(rng.uniform(0.2, 1.0, points)), rng.standard_normal(points)
    curve = rg.Curve.spline(x, y, end)
    assert curve(x) == pytest.approx(y, abs=1e-13)
    for order, size in ((0, 1e-12), (1, 1e-11), (2, 1e-9)):
        if order < 2 or points > 2:
            inner = x[1:-1] if order == 2 else x
            assert np.abs(curve(inner, order) - curve(np.nextafter(inner, -np.inf), order)).max() < size
    for place, step in ((x[0], -1.0), (x[-1], 1.0)):
        assert curve(place + step) == pytest.approx(curve(place) + step * curve(place, 1))
        assert curve(place + step, 2) == 0.0
    if end == "natural":
        within = rg.Curve.spline(x, y, end, outside="piece")
        assert np.abs(within(x[[0, -1]], 2)).max() < 1e-12


def test_four_points_make_the_cubic_through_them():
    x, y = np.array([0.0, 0.5, 2.0, 3.0]), np.array([1.0, -1.0, 0.5, 2.0])
    curve = rg.Curve.spline(x, y, "fmm", outside="piece")
    through = np.polynomial.Polynomial.fit(x, y, 3).convert()
    places = np.linspace(-1, 4, 21)
    assert curve(places) == pytest.approx(through(places), abs=1e-12)


SIMM = {  # from opensim 4.6: SimmSpline through (0, 1), (1, 2), (2.5, 0), (3, 1.5), (4, 1)
    -1.0: (-3.749999999999999, 4.749999999999999),
    0.3: (2.0223999999999998, 2.159),
    1.7: (0.4168592592592595, -2.1732222222222224),
    2.7: (0.5242000000000006, 3.1196666666666673),
    3.5: (2.3166666666666664, -0.125),
    5.0: (-4.516666666666667, -5.516666666666667),
}


def test_splines_after_forsythe_malcolm_and_moler_are_those_of_opensim():
    curve = rg.Curve.spline([0, 1, 2.5, 3, 4], [1, 2, 0, 1.5, 1], end="fmm")
    for x, (value, slope) in SIMM.items():
        assert curve(x) == pytest.approx(value, rel=1e-13)
        assert curve(x, 1) == pytest.approx(slope, rel=1e-13)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rg.Curve.spline([0, 1, 1], [0, 1, 2]), "increase.*1 comes after 1"),
        (lambda: rg.Curve.spline([0, 2, 1], [0, 1, 2]), "increase"),
        (lambda: rg.Curve.spline([0], [0]), "at least 2"),
        (lambda: rg.Curve.spline([0, 1], [0, 1, 2]), "as many x as y"),
        (lambda: rg.Curve.spline([0, math.nan], [0, 1]), "finite"),
        (lambda: rg.Curve.spline([0, 1], [0, math.inf]), "finite"),
        (lambda: rg.Curve.spline([0, 1], [0, 1], end="clamped"), "clamped"),
        (lambda: rg.Curve.spline([0, 1], [0, 1], outside="nothing"), "nothing"),
        (lambda: rg.Curve.polynomial([0.0] * 16 + [1.0]), "at most 15"),
        (lambda: rg.Curve.polynomial([]), "coefficients"),
        (lambda: rg.Curve.polynomial([math.nan]), "finite"),
        (lambda: rg.Curve.polynomial("abc"), "real numbers"),
        (lambda: rg.Curve.pieces([0, 1], [[0.0], [1.0]]), "3 breaks"),
        (lambda: rg.Curve.pieces([0, 1, 2], [[0.0], [1.0]]), "jump at 1"),
        (lambda: rg.Curve.pieces([0, 1, 2], [[0.0, 0.0], [0.0, 1.0]]), "corner at 1.*spline"),
        (lambda: rg.Curve((), (0.0, 1.0), [[1.0]]), "origins"),
        (lambda: rg.Curve.linear(1.0) * math.nan, "factor"),
        (lambda: rg.Curve.linear(1.0)(0.0, -1), "negative"),
    ],
)
def test_bad_curves_are_refused(make, words):
    with pytest.raises(rg.ModelError, match=words):
        make()


def test_a_polynomial_may_have_degree_15():
    assert rg.Curve.polynomial([0.0] * 15 + [1.0])(2.0) == 2.0**15


@pytest.mark.slow
def test_random_splines_are_those_of_opensim():
    opensim = pytest.importorskip("opensim", reason="needs the package opensim")
    for seed in range(5):
        rng = np.random.default_rng(seed)
        points = int(rng.integers(2, 12))
        x, y = np.cumsum(rng.uniform(0.2, 1.0, points)), rng.standard_normal(points)
        curve, other = rg.Curve.spline(x, y, end="fmm"), opensim.SimmSpline()
        for point in zip(x.tolist(), y.tolist(), strict=True):
            other.addPoint(*point)
        for place in np.linspace(x[0] - 1.0, x[-1] + 1.0, 37).tolist():
            at = opensim.Vector(1, place)
            assert curve(place) == pytest.approx(other.calcValue(at), rel=1e-12, abs=1e-12)
            assert curve(place, 1) == pytest.approx(other.calcDerivative(opensim.StdVectorInt([0]), at), rel=1e-12, abs=1e-12)
