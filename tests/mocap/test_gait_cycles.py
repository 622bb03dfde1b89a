"""A gait from strike to strike and in a few numbers, on a walk of which all is known."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import regraft as rg
from regraft.mocap import gait_cycles
from regraft.mocap.gait_cycles import PERCENT, View, body_places, joint_places, over_strides, powers, sagittal_moments, strides
from regraft.mocap.gait_summary import phase_runs, summarise

WEIGHT = 70.0 * 9.81


@pytest.fixture(scope="module")
def walk():
    return rg.mocap.normal_walk(cycles=3)


@pytest.fixture(scope="module")
def gait(walk):
    return rg.mocap.analyse(walk.motion)


def measures(gait):
    return {measure.name: measure for measure in summarise(gait).measures}


def test_strides_are_those_of_the_walk(walk, gait):
    found = strides(gait)
    assert [stride.foot for stride in found] == ["left", "right", "left", "right"]
    for stride in found:
        assert stride.end - stride.start == pytest.approx(120.0 / walk.cadence, abs=0.011)
        assert stride.start < stride.off < stride.end


def test_curves_run_from_strike_to_strike(gait):
    (first, last), rows = [s for s in strides(gait) if s.foot == "left"], over_strides(gait, gait.t, "left")
    assert rows.shape == (2, len(PERCENT))
    for row, stride in zip(rows, (first, last), strict=True):
        assert row == pytest.approx(np.linspace(stride.start, stride.end, 101))


def test_a_stride_with_a_gap_is_left_out(gait):
    values = gait.t.copy()
    first = next(stride for stride in strides(gait) if stride.foot == "left")
    values[int(np.argmax(gait.t > first.start + 0.1))] = np.nan
    assert len(over_strides(gait, values, "left")) == 1
    assert len(over_strides(gait, np.full_like(values, np.nan), "left")) == 0


def test_forward_is_where_the_walk_goes(gait):
    view = View.of(gait)
    assert np.abs(view.forward - (1.0, 0.0, 0.0)).max() < 0.1
    assert np.abs(view.left - (0.0, 1.0, 0.0)).max() < 0.1
    assert view.along(np.tile((2.0, 3.0, 4.0), (len(gait.t), 1))) == pytest.approx(2.0, abs=0.4)
    assert view.across(np.tile((2.0, 3.0, 4.0), (len(gait.t), 1))) == pytest.approx(3.0, abs=0.4)


def test_without_hips_forward_is_from_start_to_end(gait, monkeypatch):
    monkeypatch.setattr(gait_cycles, "joints_of", lambda _motion, _name: ())
    assert View.of(gait).forward == pytest.approx(np.tile((1.0, 0.0, 0.0), (len(gait.t), 1)), abs=0.01)
    assert sagittal_moments(gait) == {}


def test_the_moment_of_an_ankle_is_what_the_ground_does_about_it(gait):
    """In the middle of single support a foot is nearly at rest and light: its ankle balances the force below it."""
    places, view = body_places(gait.motion), View.of(gait)
    for side in ("left", "right"):
        single = gait.phase == side
        ankle = joint_places(gait.motion, places, f"{side}_ankle")
        about = np.cross(gait.pressure[side] - ankle, gait.reaction[side])
        balance = -view.across(about)[single] / gait.mass
        assert sagittal_moments(gait)[f"{side}_ankle"][single] / gait.mass == pytest.approx(balance, abs=0.08)


def test_push_off_gives_power_by_plantarflexion(gait):
    moment = over_strides(gait, sagittal_moments(gait)["left_ankle"] / gait.mass, "left").mean(axis=0)
    power = over_strides(gait, powers(gait)["left_ankle"] / gait.mass, "left").mean(axis=0)
    assert 40 < PERCENT[moment.argmax()] < 60
    assert 1.2 < moment.max() < 2.2
    assert 45 < PERCENT[power.argmax()] < 65


def test_the_numbers_are_those_of_the_walk(walk, gait):
    found = measures(gait)
    assert found["speed"].left == pytest.approx(walk.speed, rel=0.01)
    assert found["speed"].is_common
    assert found["cadence"].left == pytest.approx(walk.cadence, rel=0.01)
    for side in (0, 1):
        assert found["step length"][2 + side] == pytest.approx(walk.speed * 60.0 / walk.cadence, rel=0.02)
        assert found["stance"][2 + side] == pytest.approx(61.0, abs=4.0)
    assert found["double support"].left == pytest.approx(22.0, abs=7.0)
    assert found["flight"].left == 0.0


def test_peaks_are_means_over_strides(gait):
    vertical = gait.reaction["right"][:, 2] / WEIGHT
    tops = [vertical[(gait.t >= s.start) & (gait.t < s.end)].max() for s in strides(gait) if s.foot == "right"]
    assert measures(gait)["peak vertical force"].right == pytest.approx(np.mean(tops))
    braking = measures(gait)["peak braking force"].right
    assert braking == pytest.approx(-np.min(View.of(gait).along(gait.reaction["right"])) / WEIGHT, rel=0.05)


def test_without_a_whole_stride_peaks_are_those_of_the_record():
    gait = rg.mocap.analyse(rg.mocap.normal_walk(cycles=1).motion)
    summary = summarise(gait)
    assert summary.strides == ()
    found = {measure.name: measure for measure in summary.measures}
    assert np.isnan(found["stance"].left)
    assert found["peak vertical force"].left == pytest.approx(gait.reaction["left"][:, 2].max() / WEIGHT)
    assert ("stance (% of a stride)", "–", "–") in summary.cells()


def test_on_a_belt_speed_and_steps_are_those_on_the_ground(walk):
    """The same walk on a treadmill: all of it moves backwards with the belt."""
    rec = walk.recording
    origins = rec.origins.copy()
    origins[:, 0, 0] -= walk.speed * rec.t
    moving = rg.mocap.body(replace(rec, origins=origins), walk.mass, height=walk.height, sex=walk.sex, cutoff=None)
    found = measures(rg.mocap.analyse(moving))
    assert found["speed"].left == pytest.approx(walk.speed, rel=0.02)
    assert found["step length"].right == pytest.approx(walk.speed * 60.0 / walk.cadence, rel=0.04)


def test_phases_follow_each_other_without_gaps(gait):
    runs = phase_runs(gait)
    assert runs[0][2] == gait.t[0]
    assert runs[-1][3] == gait.t[-1]
    for (_, _, _, end), (_, _, start, _) in pairwise(runs):
        assert end == start
    for phase, root, start, end in runs:
        inside = (gait.t >= start) & ((gait.t < end) | (gait.t == start))  # the last frame is a phase of its own here
        assert set(gait.phase[inside]) == {phase}
        assert set(gait.root[inside]) == {root}
