"""Records with gaps: each piece is looked at by itself, and nothing is taken to happen in a gap."""

from dataclasses import replace

import numpy as np
import pytest

import regraft as rg
from mocap.test_analysis import plates_of
from regraft.mocap import analyse
from regraft.mocap.gait_cycles import strides
from regraft.mocap.gait_summary import summarise
from regraft.mocap.gaps import pieces_of

FROM, UPTO = 190, 240  # 0.5 s, within which the right foot lands


@pytest.fixture(scope="module")
def walk():
    motion = rg.mocap.normal_walk(cycles=4).motion
    return motion, analyse(motion)


def with_gap(motion):
    """As it would have been recorded: nothing is there, and the rest is filtered anew."""
    raw = motion.raw.copy() if motion.raw is not None else motion.q.copy()
    raw[FROM:UPTO] = np.nan
    found = rg.mocap.smooth(motion.mech, motion.t, raw, cutoff=motion.cutoff)
    return replace(motion, q=found.q, v=found.v, a=found.a, raw=raw)


@pytest.fixture(scope="module")
def gap(walk):
    motion = with_gap(walk[0])
    return motion, analyse(motion)


def test_pieces_are_what_is_on_both_sides_of_a_gap(walk, gap):
    motion, gait = gap
    assert gait.pieces == ((0, FROM), (UPTO, len(motion.t)))
    assert walk[1].pieces == ((0, len(motion.t)),)
    assert any("2 pieces" in note for note in gait.notes)
    assert not any("pieces" in note for note in walk[1].notes)
    assert set(gait.root[FROM:UPTO]) == {""}
    for side in ("left", "right"):
        assert np.isnan(gait.reaction[side][FROM:UPTO]).all()
    assert np.isnan(gait.residual[FROM:UPTO]).all()
    assert all(np.isnan(x[FROM:UPTO]).all() for x in gait.moment.values())
    assert "not recorded" in repr(gait)


def test_away_from_the_gap_all_is_as_without_it(walk, gap):
    weight = gap[1].mass * 9.81
    away = np.r_[20 : FROM - 40, UPTO + 40 : len(gap[1].t) - 20]
    assert (gap[1].phase[away] == walk[1].phase[away]).mean() > 0.97
    same = away[gap[1].phase[away] == walk[1].phase[away]]
    alone = same[np.isin(walk[1].phase[same], ("left", "right"))]
    for side in ("left", "right"):
        assert np.abs(gap[1].reaction[side] - walk[1].reaction[side])[alone].max() < 0.05 * weight


def test_nothing_happens_in_a_gap(walk, gap):
    t, (_, gait) = gap[0].t, gap
    assert not any(t[FROM - 1] < event.time <= t[UPTO] for event in gait.events)
    assert len(walk[1].events) > len(gait.events) > 4
    assert all(s.end <= t[FROM - 1] or s.start >= t[UPTO] for s in strides(gait))
    assert gait.cadence == pytest.approx(walk[1].cadence, rel=0.03)
    assert all(stance.stop <= FROM or stance.start >= UPTO for stance in gait.stances)
    stride = {m.name: m.left for m in summarise(gait).measures}
    assert stride["stride"] == pytest.approx({m.name: m.left for m in summarise(walk[1]).measures}["stride"], rel=0.03)


def test_frames_that_are_not_in_the_record_are_a_gap_too(gap):
    motion, gait = gap
    kept = np.r_[0:FROM, UPTO : len(motion.t)]
    short = replace(motion, t=motion.t[kept], q=motion.q[kept], v=motion.v[kept], a=motion.a[kept], raw=motion.raw[kept])
    found = analyse(short)
    assert found.pieces == ((0, FROM), (FROM, len(kept)))
    assert found.events == gait.events
    for side in ("left", "right"):
        np.testing.assert_allclose(found.reaction[side], gait.reaction[side][kept], atol=1e-6)


@pytest.mark.parametrize("sharing", ["effort", "smooth"])
def test_plates_and_curves_of_time_do_not_reach_over_a_gap(walk, gap, sharing):
    motion = gap[0]
    measured = analyse(motion, plates=plates_of(*walk), sharing=sharing)
    assert measured.pieces == gap[1].pieces
    for side in ("left", "right"):
        known = np.isfinite(measured.reaction[side][:, 2])
        np.testing.assert_allclose(measured.reaction[side][known], walk[1].reaction[side][known], atol=21.0)
    assert analyse(motion, sharing=sharing).pieces == gap[1].pieces


def test_single_frames_are_no_pieces():
    t = np.arange(10) / 100.0
    whole = np.array([1, 1, 0, 1, 0, 1, 1, 1, 0, 1], bool)
    assert pieces_of(t, whole, 0.1) == ((0, 2), (5, 8))
    t[7:] += 1.0
    assert pieces_of(t, whole, 0.1) == ((0, 2), (5, 7))


def test_a_motion_without_two_frames_on_end_is_refused(gap):
    q = gap[0].q.copy()
    q[::2] = np.nan
    with pytest.raises(rg.ModelError, match="no two frames on end"):
        analyse(replace(gap[0], q=q, raw=None, cutoff=None), cutoff=None)
