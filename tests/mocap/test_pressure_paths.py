"""Paths of centres of pressure: they keep what feet do, they do not keep noise, and they stay inside the sole."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import regraft as rg
from regraft.mocap import analysis
from regraft.mocap.pressure_paths import PASSES, Standing, inside, pressure_paths

RATE, CUTOFF, WEIGHT = 100.0, 6.0, 700.0
SOLE = np.array([[-0.05, 0.0, 0.0], [0.13, 0.04, 0.0], [0.13, -0.04, 0.0], [0.20, 0.0, 0.0]])


def standing(pressure, *, stance=(0.2, 1.8), alone=(0.4, 1.6), length=2.0, belt=0.0):
    """A left foot that stands on its own for a while, between times in which the right foot stands beside it."""
    t = np.arange(0.0, length, 1.0 / RATE)
    n = len(t)
    ground = np.outer(t, (-belt, 0.0, 0.0))
    points = np.concatenate((SOLE, SOLE + np.array([0.3, -0.2, 0.0]))) + ground[:, None]
    stands = np.stack(((t >= stance[0]) & (t < stance[1]), (t < alone[0]) | (t >= alone[1])), axis=1)
    heights = np.zeros((n, 8))
    heights[t < 0.5 * length, 1:4], heights[t >= 0.5 * length, 0:3] = 0.5, 0.5  # the heel lands first, the toe leaves last
    at = pressure(t) + ground[:, :2]
    force = np.tile((0.0, 0.0, WEIGHT), (n, 1))
    rest = np.concatenate((np.cross(np.concatenate((at, np.zeros((n, 1))), axis=1), force), force), axis=1)
    only = np.stack((stands[:, 0] & ~stands[:, 1], np.zeros(n, bool)), axis=1)
    owner, rest = np.repeat([0, 1], 4), np.stack((rest, rest), axis=1)
    return Standing(t, points, heights, owner, stands, only, rest, np.zeros((n, 2)), np.array([-belt, 0.0, 0.0]), WEIGHT), ground


def rolling(t):
    """From the heel in the first frame of the stance to the toes in its last one, a tenth inside of both."""
    first, last = (end + 0.1 * (SOLE[:, 0].mean() - end) for end in (SOLE[0, 0], SOLE[3, 0]))
    return np.stack((first + (last - first) * (t - 0.2) / 1.59, np.zeros_like(t)), axis=1)


@pytest.mark.parametrize("belt", [0.0, 1.2])
def test_a_foot_that_rolls_evenly_keeps_its_path_from_strike_to_toe_off(belt):
    known, ground = standing(rolling, belt=belt)
    found = pressure_paths(known, CUTOFF)
    on = known.stands[:, 0]
    assert np.isnan(found[~on, 0]).all()
    assert np.isnan(found[:, 1]).all()  # it never stands alone
    np.testing.assert_allclose(found[on, 0, :2], (rolling(known.t) + ground[:, :2])[on], atol=1e-9)


@pytest.mark.parametrize(("times", "low", "high"), [(0.25, 0.9, 1.1), (1.0, 0.4, 0.6), (3.0, 0.0, 0.03)])
def test_half_of_a_motion_at_two_hertz_stays(times, low, high):
    """Of a long stance, far from its ends."""
    frequency = times * PASSES

    def waving(t):
        return np.stack((0.05 + 0.01 * np.sin(2.0 * np.pi * frequency * t), np.zeros_like(t)), axis=1)

    known, _ = standing(waving, stance=(0.2, 19.8), alone=(0.4, 19.6), length=20.0)
    middle = slice(500, 1500)
    waves = np.sin(2.0 * np.pi * frequency * known.t[middle])
    x = pressure_paths(known, CUTOFF)[middle, 0, 0] - 0.05
    assert low < 2.0 * np.mean(x * waves) / 0.01 < high


def test_pressure_outside_of_the_sole_is_moved_to_its_edge():
    known, _ = standing(lambda t: np.tile((0.13, 0.3), (len(t), 1)))
    found = pressure_paths(known, CUTOFF)
    np.testing.assert_allclose(found[100, 0], (0.13, 0.04, 0.0), atol=0.02)
    np.testing.assert_allclose(inside(found[50:150, 0, :2], known.points[50:150, :4, :2]), found[50:150, 0, :2], atol=1e-12)


def test_without_a_time_on_one_foot_there_is_no_path():
    known, _ = standing(rolling, alone=(1.0, 1.0))
    assert np.isnan(pressure_paths(known, CUTOFF)).all()


def test_after_a_long_time_on_both_feet_nothing_is_said_of_it():
    known, _ = standing(rolling, stance=(0.2, 5.8), alone=(5.0, 5.6), length=6.0)
    found = pressure_paths(known, CUTOFF)[:, 0, 0]
    both = (known.t > 0.405) & (known.t < 4.795)
    assert np.isnan(found[both]).all()
    assert np.isfinite(found[known.stands[:, 0] & (known.t > 5.0)]).all()


def test_a_stance_of_a_few_frames_has_a_path_too():
    for frames in (1, 2, 3, 4):
        known, _ = standing(rolling, stance=(0.495, 0.495 + frames / RATE), alone=(0.3, 1.6))
        assert np.isfinite(pressure_paths(known, CUTOFF)[known.stands[:, 0], 0]).all()


@pytest.mark.parametrize("seed", range(3))
def test_noise_moves_the_pressure_of_a_walk_that_is_known_much_less(monkeypatch, seed):
    """A millimetre at the pelvis and 0.2° at each joint; the truth is the same walk as it was made."""
    walk, rng = rg.mocap.normal_walk(), np.random.default_rng(seed)
    rec = walk.recording
    turned = Rotation.from_rotvec(rng.normal(0.0, np.radians(0.2), (rec.turns.shape[0] * rec.turns.shape[1], 3)))
    origins = rec.origins.copy()
    origins[:, 0] += rng.normal(0.0, 0.001, (len(origins), 3))
    noisy = replace(rec, origins=origins, turns=rec.turns @ turned.as_matrix().reshape(rec.turns.shape))
    motion = rg.mocap.body(noisy, walk.mass, height=walk.height, sex=walk.sex)
    truth, found = rg.mocap.analyse(walk.motion), rg.mocap.analyse(motion)
    monkeypatch.setattr(analysis, "pressure_paths", lambda known, _: np.full((len(known.t), 2, 3), np.nan))
    asked = rg.mocap.analyse(motion)
    for side in ("left", "right"):
        alone = (found.phase == side) & (truth.phase == side)
        alone[:20] = alone[-20:] = False  # accelerations at the ends of a record are less certain
        off, without = ((g.pressure[side] - truth.pressure[side])[alone, :2] for g in (found, asked))
        assert np.sqrt(np.mean(off**2)) < 0.02
        assert np.sqrt(np.mean(off**2)) < 0.7 * np.sqrt(np.mean(without**2))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("count", [3, 4, 6])
def test_the_nearest_point_of_an_outline_is_that_of_a_general_solver(seed, count):
    rng = np.random.default_rng(seed)
    corners, x = rng.standard_normal((20, count, 2)), 1.5 * rng.standard_normal((20, 2))
    for own, point, ours in zip(corners, x, inside(x, corners), strict=True):
        theirs = minimize(
            lambda part, own=own, point=point: np.sum((part @ own - point) ** 2),
            np.full(count, 1.0 / count),
            bounds=[(0.0, 1.0)] * count,
            constraints={"type": "eq", "fun": lambda part: part.sum() - 1.0},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 200},
        )
        np.testing.assert_allclose(ours, theirs.x @ own, atol=1e-4)
