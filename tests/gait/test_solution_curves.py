"""Curves of fixed points of maps that are known in closed form: steps, folds, bifurcations, ends."""

import math

import numpy as np
import pytest

import regraft as rg
from known_maps import Maps, bifurcations, control, delayed_logistic, henon, sampled_pd, track_of
from regraft.gait.bifurcations import angle, is_clear, passed
from regraft.gait.curves import Pace, Solved, Tracer, first_point
from regraft.gait.switching import flip_direction

EXACT = pytest.approx


def test_henons_map_has_its_flip_and_its_fold_and_goes_on_beyond():
    track = track_of(henon, [0.6, 0.2], 1.0, (-1.0, 1.0), towards=-1.0, most=60)
    assert [kind for kind, _ in bifurcations(track)] == ["flip", "fold"]
    assert [p for _, p in bifurcations(track)] == EXACT([0.3675, -0.1225], abs=1e-10)
    x, p = track.points[-1].x, track.points[-1].p
    assert -0.1225 < p < 0.0
    assert x[0] == EXACT((-0.7 - math.sqrt(0.49 + 4.0 * p)) / (2.0 * p), abs=1e-8)  # the other root of p x² + 0.7 x − 1
    assert max(abs(henon(point.x, point.p) - point.x).max() for point in track.points) < 1e-10
    assert track.ended is None


def test_the_fold_is_where_the_two_fixed_points_meet():
    track = track_of(henon, [0.6, 0.2], 1.0, (-1.0, 1.0), towards=-1.0, most=60)
    fold = track.points[track.kinds.index("fold")]
    assert fold.x == EXACT([0.7 / (2 * 0.1225), 0.3 * 0.7 / (2 * 0.1225)], abs=1e-5)  # −0.7 / 2a, the square root of the rest
    assert min(abs(fold.multipliers - 1.0)) < 1e-7
    assert abs(fold.tangent[-1]) < 1e-10


def test_the_delayed_logistic_map_turns_by_a_sixth():
    track = track_of(delayed_logistic, [0.4, 0.4], 1.5, (1.2, 2.3))
    assert bifurcations(track) == [("neimark-sacker", EXACT(2.0, abs=1e-10))]
    at = track.points[track.kinds.index("neimark-sacker")]
    assert angle(at) == EXACT(math.pi / 3.0, abs=1e-9)
    assert abs(at.multipliers) == EXACT([1.0, 1.0], abs=1e-9)
    assert track.ended.expected
    assert track.points[-1].p == 2.3
    assert track.points[-1].x == EXACT([1.0 - 1.0 / 2.3] * 2, abs=1e-10)


@pytest.mark.parametrize("d", [0.2, 0.5, 1.1])
def test_sampled_control_flips(d):
    track = track_of(lambda x, k: sampled_pd(x, k, d), [0.0, 0.0], 1.0, (0.5, 3.9))
    assert bifurcations(track) == [("flip", EXACT(4.0 - 2.0 * d, abs=1e-10))]
    flip = track.points[track.kinds.index("flip")]
    way = flip_direction(flip)
    assert flip.jacobian @ way == EXACT(-way, abs=1e-8)


@pytest.mark.parametrize("k", [0.3, 0.7, 2.5])
def test_sampled_control_without_damping_turns_by_its_angle(k):
    track = track_of(lambda x, d: sampled_pd(x, k, d), [0.0, 0.0], 0.4, (-0.3, 0.4), towards=-1.0)
    assert bifurcations(track) == [("neimark-sacker", EXACT(0.0, abs=1e-10))]
    assert angle(track.points[track.kinds.index("neimark-sacker")]) == EXACT(math.acos(1.0 - k / 2.0), abs=1e-8)


def test_two_real_multipliers_whose_product_is_one_are_no_bifurcation():
    track = track_of(lambda x, p: np.array([2.0 * x[0], p * x[1]]), [0.0, 0.0], 0.3, (0.3, 0.8))
    assert bifurcations(track) == []
    assert track.ended.expected


def test_a_crossing_of_two_branches_is_told_from_a_fold():
    """x ← (1 + p) x − x²: the fixed points 0 and p exchange their stability at p = 0."""
    track = track_of(lambda x, p: (1.0 + p) * x - x**2, [0.0], -0.5, (-0.5, 0.5))
    assert bifurcations(track) == [("branch", EXACT(0.0, abs=1e-9))]
    assert abs(track.points[-1].x) < 1e-9  # it goes straight on


def test_a_pitchfork_is_a_crossing_too():
    track = track_of(lambda x, p: (1.0 + p) * x - x**3, [0.0], -0.5, (-0.5, 0.5))
    assert bifurcations(track) == [("branch", EXACT(0.0, abs=1e-9))]


def test_a_closed_branch_is_followed_once_around():
    track = track_of(lambda x, p: x + (p * p + x * x - 1.0), [1.0], 0.0, (-2.0, 2.0))
    assert bifurcations(track) == [("fold", EXACT(1.0, abs=1e-10)), ("fold", EXACT(-1.0, abs=1e-10))]
    assert track.ended.why == "the branch has come back to where it began"
    assert track.ended.expected
    assert max(abs(point.x[0] ** 2 + point.p**2 - 1.0) for point in track.points) < 1e-9


def test_two_flips_within_a_step_are_found_by_shorter_steps():
    """The multipliers −0.9 and −0.95 go through −1 close to each other: the sign of det(J + I) is as before."""

    def f(x, p):
        return np.array([-(0.9 + p) * x[0], -(0.95 + p) * x[1]])

    track = track_of(f, [0.0, 0.0], 0.0, (0.0, 1.0), steps=control(1.0, first=0.5, largest=0.5))
    assert bifurcations(track) == [("flip", EXACT(0.05, abs=1e-10)), ("flip", EXACT(0.1, abs=1e-10))]


def test_what_explains_the_multipliers_is_clear():
    def at(*multipliers):
        n = len(multipliers)
        return Solved(np.zeros(n), 0.0, Pace(1.0, 1.0), np.diag(multipliers), np.ones(n), np.eye(n + 1)[-1], 0.0)

    measure = control(1.0).measure
    assert is_clear(at(0.5, 0.2), at(0.6, 0.1), measure)
    assert is_clear(at(-0.5, 0.2), at(-1.5, 0.1), measure)
    assert passed(at(-0.5, 0.2), at(-1.5, 0.1), measure) == ["flip"]
    assert not is_clear(at(-0.5, -0.6), at(-1.5, -1.6), measure)
    assert is_clear(at(-0.5, -1.0), at(-1.5, -1.6), measure)  # on the circle nothing can be told


def test_a_curve_ends_where_its_map_does_and_says_why():
    def f(x, p):
        if np.real(p) > 0.4321:
            raise rg.SimulationError("nothing comes back")
        return 0.5 * x + p

    track = track_of(f, [0.0], 0.0, (0.0, 1.0))
    assert not track.ended.expected
    assert "nothing comes back" in track.ended.why
    assert track.points[-1].p == EXACT(0.4321, abs=1e-4)
    assert f"beyond {track.points[-1].p:.12g}" in track.ended.why


def test_a_family_of_fixed_points_is_not_followed():
    family, settings = Maps(lambda x, p: np.array([x[0], 0.5 * x[1] + p])), control(1.0)
    with pytest.raises(rg.SimulationError, match="let match put that quantity back"):
        first_point(family, family.image(np.array([1.0, 0.0]), 0.0, None), settings, 1.0)


def test_steps_grow_where_the_curve_is_straight_and_shrink_where_it_turns():
    family, settings = Maps(lambda x, p: 0.5 * x + p), control(1.0, first=1e-4)
    tracer = Tracer(family, first_point(family, family.image(np.zeros(1), 0.0, None), settings, 1.0), (0.0, 1.0), settings, 1e-4)
    for _ in range(5):
        tracer.advance()
    assert tracer.length == EXACT(1e-4 * 1.5**5)
    sharp = track_of(lambda x, p: x + (np.sqrt(p * p + 1e-4) - x) * 0.5, [0.5], -0.5, (-0.5, 0.5), steps=control(1.0, 0.1))
    gaps = np.diff([point.p for point in sharp.points])
    assert gaps.min() < 0.2 * gaps.max()
    assert max(abs(point.x[0] - math.sqrt(point.p**2 + 1e-4)) for point in sharp.points) < 1e-9


def test_both_ends_of_the_range_are_met_exactly():
    up = track_of(lambda x, p: 0.5 * x + p, [0.4], 0.2, (0.0, 0.7))
    down = track_of(lambda x, p: 0.5 * x + p, [0.4], 0.2, (0.0, 0.7), towards=-1.0)
    assert (up.points[-1].p, down.points[-1].p) == (0.7, 0.0)
    assert up.ended.why == "the end of the range, 0.7, was reached"
