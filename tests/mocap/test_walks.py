"""Recorded walks: what `analyse` finds without plates is what those of the same trial measured; without any, it is a walk."""

from functools import cache

import numpy as np
import pytest

import regraft as rg
from regraft.mocap import analyse, body, load, motion

TRIALS = {
    "gait10dof18musc": ("subject01.osim", "subject01_walk_IK.mot", "subject01_walk_grf.mot"),
    "gait2354": ("subject01_simbody.osim", "subject01_walk1_ik.mot", "subject01_walk1_grf.mot"),
}


@pytest.fixture(params=TRIALS)
def trial(request, shared_data):
    folder = f"mocap/{request.param}/"
    model, coordinates, plates = (shared_data(folder + name) for name in TRIALS[request.param])
    return _trial(model, coordinates, plates)


@cache
def _trial(model, coordinates, plates):
    walk = motion(model, coordinates)
    return analyse(walk), analyse(walk, plates=plates), analyse(walk, sharing="smooth")


def whole_double_supports(gait):
    both = gait.phase == "both"
    if both[0]:
        both[: np.argmin(both)] = False
    if both[-1]:
        both[len(both) - np.argmin(both[::-1]) :] = False
    return both


def error(gait, plates, frames):
    """RMS of the vertical forces of both feet, of the body's weight."""
    off = np.concatenate([(gait.reaction[side] - plates.reaction[side])[frames, 2] for side in ("left", "right")])
    return float(np.sqrt(np.mean(off**2))) / (gait.mass * 9.81)


def test_phases_are_those_of_the_plates(trial):
    """Strikes and toe-offs within two frames of 20 N."""
    alone, plates, _ = trial
    dt = alone.t[1] - alone.t[0]
    for event in alone.events:
        same = [other.time for other in plates.events if (other.foot, other.kind) == (event.foot, event.kind)]
        assert np.abs(np.array(same) - event.time).min() < 2.01 * dt, event
    assert np.abs(alone.belt[0] + 1.14) < 0.03  # a treadmill


def test_vertical_forces_are_those_of_the_plates(trial):
    alone, plates, smooth = trial
    one = [(alone.reaction[side] - plates.reaction[side])[alone.phase == side, 2] for side in ("left", "right")]
    assert np.sqrt(np.mean(np.concatenate(one) ** 2)) < 0.03 * alone.mass * 9.81
    both = whole_double_supports(alone)
    assert error(alone, plates, both) < 0.08
    assert error(alone, plates, both) < 0.7 * error(smooth, plates, both)


def test_forward_forces_and_ankle_moments_are_those_of_the_plates(trial):
    alone, plates, _ = trial
    frames = (alone.phase != "both") | whole_double_supports(alone)
    ours, theirs = (np.concatenate([g.reaction[side][frames, 0] for side in ("left", "right")]) for g in (alone, plates))
    assert np.corrcoef(ours, theirs)[0, 1] > 0.95
    for side in ("left", "right"):
        ours, theirs = (g.moment[f"{side}_ankle"][frames, 0] for g in (alone, plates))
        assert np.corrcoef(ours, theirs)[0, 1] > 0.94
        assert 0.8 < ours.min() / theirs.min() < 1.25


@pytest.mark.parametrize("name", ["07_01", "02_01", "16_17"])
def test_a_walk_without_plates_looks_like_one(shared_data, name):
    walk = body(load(shared_data(f"mocap/bvh/{name}.bvh")), mass=70.0)
    gait = analyse(walk)
    alone = np.isin(gait.phase, ("left", "right"))
    force = np.where((gait.phase == "left")[:, None], gait.reaction["left"], gait.reaction["right"])[alone] / (70.0 * 9.81)
    assert ((force[:, 2] > 0.5) & (force[:, 2] < 1.5)).all()
    assert (np.hypot(force[:, 0], force[:, 1]) < 0.8 * force[:, 2]).all()
    assert set(gait.phase) >= {"left", "right", "both"}
    turns = int((gait.root[1:] != gait.root[:-1]).sum())
    assert set(gait.root) == {"left_foot", "right_foot"}
    assert 3 <= turns <= 12  # and no foot stands for a few frames only
    inside = [near_sole(walk.mech, gait, i) for i in np.flatnonzero(alone)]
    assert np.mean(inside) > 0.7


def near_sole(mech, gait, i, reach=0.03):
    """Whether the centre of pressure of the foot that stands is inside its sole, or nearer to it than 3 cm."""
    from scipy.spatial import ConvexHull

    side = gait.phase[i]
    foot, state = gait.motion.feet[side], mech.state(gait.motion.q[i])
    points = np.array([rg.frame_position(mech, state, name)[:2] for name in (foot.heel, *foot.ball, foot.toe)])
    edges = ConvexHull(points).equations
    return float((edges[:, :2] @ gait.pressure[side][i, :2] + edges[:, 2]).max()) < reach
