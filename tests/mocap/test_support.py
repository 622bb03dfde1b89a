"""When feet stand: on level ground, on a belt, on stairs, in flight; from feet whose events are known."""

import numpy as np
import pytest

import regraft as rg
from regraft.mocap.support import Soles, find_support

RATE = 100.0
PLACES = np.array([[-0.05, 0.0, 0.0], [0.13, 0.04, 0.0], [0.13, -0.04, 0.0], [0.19, 0.0, 0.0]])


def step_up(t, start, stop):
    """From 0 to 1, without a jump in speed."""
    s = np.clip((t - start) / (stop - start), 0.0, 1.0)
    return s * s * (3.0 - 2.0 * s)


def soles(stride=1.2, swing=0.4, strides=4, rise=0.0, belt=0.0, flight=None):
    """Two feet that stand and swing in turns, each flat; with `rise` a foot stands higher each time."""
    t = np.arange(0.0, strides * stride, 1.0 / RATE)
    points, truth = [], []
    for side in range(2):
        x, z, stands = np.zeros_like(t), np.zeros_like(t), np.ones(len(t), bool)
        for k in range(-1, strides + 1):
            start = (k + 0.5 * side) * stride + 0.3
            moved = step_up(t, start, start + swing)
            x += 1.3 * moved
            z += rise * moved + 0.5 * np.clip(moved * (1.0 - moved), 0.0, None)
            stands &= ~((t > start) & (t < start + swing))
        place = np.stack((x - belt * t, np.full_like(t, 0.1 - 0.2 * side), z), axis=1)
        points.append(place[:, None] + PLACES)
        truth.append(stands)
    found = np.concatenate(points, axis=1)
    rates = np.gradient(found, 1.0 / RATE, axis=0)
    carried = np.ones(len(t), bool) if flight is None else ~((t > flight[0]) & (t < flight[1]))
    return Soles(t, found, rates, np.repeat([0, 1], 4), ("left", "right"), carried), np.stack(truth, axis=1)


def wrong_frames(found, truth):
    return int((found.stands != truth).sum(axis=0).max())


@pytest.mark.parametrize("rise", [0.0, 0.01, 0.17], ids=["level", "slope", "stairs"])
def test_stances_are_those_that_were_made(rise):
    given, truth = soles(rise=rise)
    found = find_support(given)
    events = int((np.diff(truth.astype(int), axis=0) != 0).sum(axis=0).max())
    assert wrong_frames(found, truth) <= 8 * events  # feet begin and end a swing slowly here: 0.08 s each
    assert np.linalg.norm(found.belt) == 0.0
    assert any("not level" in note for note in found.notes) == (rise > 0.0)


def test_levels_are_those_of_the_stairs():
    given, _ = soles(rise=0.17)
    left = [stance.level for stance in find_support(given).stances if stance.foot == "left"]
    np.testing.assert_allclose(np.diff(left), 0.17, atol=0.02)


@pytest.mark.parametrize("belt", [0.6, 1.4])
def test_a_belt_is_found_from_the_feet(belt):
    given, truth = soles(belt=belt)
    found = find_support(given)
    np.testing.assert_allclose(found.belt, [-belt, 0.0, 0.0], atol=0.02)
    np.testing.assert_array_equal(found.stands, find_support(given, belt=belt).stands)
    assert wrong_frames(found, truth) < 80
    assert any("belt" in note for note in found.notes)


def test_a_belt_that_is_denied_leaves_nobody_standing():
    given, _ = soles(belt=1.4)
    assert find_support(given, belt=0.0).stands.mean() < 0.5


def test_a_body_that_needs_nothing_flies():
    given, _ = soles(flight=(1.0, 1.5))
    assert not find_support(given).stands[105:145].any()


def test_a_foot_that_is_held_up_does_not_stand():
    given, _ = soles(strides=2)
    points, rates = given.points.copy(), given.rates.copy()
    points[:, :4], rates[:, :4] = points[0, :4], 0.0  # the left foot stands all the time
    points[:, 4:], rates[:, 4:] = points[0, 4:] + [0.0, 0.0, 0.3], 0.0  # and the right one is held up
    found = find_support(given._replace(points=points, rates=rates))
    assert found.stands[:, 0].all()
    assert not found.stands[:, 1].any()


@pytest.mark.parametrize("belt", ["fast", np.nan])
def test_a_belt_must_be_a_speed(belt):
    with pytest.raises(rg.ModelError, match="belt must be a speed"):
        find_support(soles()[0], belt=belt)
