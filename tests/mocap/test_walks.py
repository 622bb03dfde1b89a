"""Recorded walks: what `analyse` finds without plates is what those of the same trial measured; without any, it is a walk."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import regraft as rg
from regraft.mocap import analyse, body, load, motion, pressure_paths
from regraft.mocap.gait_cycles import sagittal_moments

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
    assert error(alone, plates, both) < 0.06
    assert error(alone, plates, both) < 0.5 * error(smooth, plates, both)


def test_forward_forces_and_ankle_moments_are_those_of_the_plates(trial):
    alone, plates, _ = trial
    frames = (alone.phase != "both") | whole_double_supports(alone)
    ours, theirs = (np.concatenate([g.reaction[side][frames, 0] for side in ("left", "right")]) for g in (alone, plates))
    assert np.corrcoef(ours, theirs)[0, 1] > 0.95
    for side in ("left", "right"):
        ours, theirs = (g.moment[f"{side}_ankle"][frames, 0] for g in (alone, plates))
        assert np.corrcoef(ours, theirs)[0, 1] > 0.97
        assert 0.8 < ours.min() / theirs.min() < 1.25


def test_centres_of_pressure_are_those_of_the_plates(trial):
    """Along the way, on one foot: within 3 cm (RMS)."""
    alone, plates, _ = trial
    for side in ("left", "right"):
        off = (alone.pressure[side] - plates.pressure[side])[(alone.phase == side) & (plates.phase == side), 0]
        assert np.sqrt(np.mean(off**2)) < 0.03


@pytest.mark.parametrize("cutoff", [5.0, 8.0])
@pytest.mark.parametrize("name", TRIALS)
def test_another_cut_off_frequency_changes_little(shared_data, name, cutoff):
    model, coordinates, measured = (shared_data(f"mocap/{name}/{file}") for file in TRIALS[name])
    walk = motion(model, coordinates)
    alone, plates = analyse(walk, cutoff=cutoff), analyse(walk, plates=measured, cutoff=cutoff)
    frames = (alone.phase != "both") | whole_double_supports(alone)
    for side in ("left", "right"):
        ours, theirs = (g.moment[f"{side}_ankle"][frames, 0] for g in (alone, plates))
        assert np.corrcoef(ours, theirs)[0, 1] > 0.97


def test_a_fast_walk_over_plates_on_the_floor(shared_data):
    """One stance of the right foot is whole on a plate; phases, pressure and ankle moment are found without it."""
    path = shared_data("mocap/c3d/walking2.c3d")
    rec = load(path)
    walk = body(rec, mass=70.0)
    plates = analyse(walk, plates=path)
    strike, off = 2.676, 3.248  # where the plate has 20 N
    inner = (plates.t > strike + 0.15) & (plates.t < off - 0.15)
    guess = analyse(walk)
    mass = 70.0 * float(np.mean(plates.reaction["right"][inner, 2]) / np.mean(guess.reaction["right"][inner, 2]))
    walk = body(rec, mass=mass)
    alone, plates = analyse(walk), analyse(walk, plates=path)
    for time, kind in ((strike, "strike"), (off, "off")):
        assert min(abs(e.time - time) for e in alone.events if (e.foot, e.kind) == ("right", kind)) < 2.0 / 60.0
    miss = (alone.pressure["right"] - plates.pressure["right"])[inner, :2]
    assert (np.sqrt(np.mean(miss**2, axis=0)) < 0.03).all()
    whole = (plates.t > strike) & (plates.t < off)
    ours, theirs = (g.moments("world")["right_ankle"][whole, 1] for g in (alone, plates))
    assert np.corrcoef(ours, theirs)[0, 1] > 0.93


WALKS = ("07_01", "02_01", "16_17")


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_without_plates_looks_like_one(shared_data, name):
    gait = analyse(body(load(shared_data(f"mocap/bvh/{name}.bvh")), mass=70.0))
    looks_like_a_walk(gait)
    assert set(gait.phase) >= {"left", "right", "both"}
    turns = int((gait.root[1:] != gait.root[:-1]).sum())
    assert set(gait.root) == {"left_foot", "right_foot"}
    assert 3 <= turns <= 12  # and no foot stands for a few frames only
    moments = sagittal_moments(gait)
    for side in ("left", "right"):
        assert 1.2 < moments[f"{side}_ankle"].max() / gait.mass < 2.0


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("change", ["heavier", "5 Hz", "8 Hz", "shorter", "mirrored"])
def test_it_still_does_with_other_masses_filters_and_ends(shared_data, name, change):
    rec = load(shared_data(f"mocap/bvh/{name}.bvh"))
    if change == "shorter":
        rec = replace(rec, t=rec.t[40:-50], turns=rec.turns[40:-50], origins=rec.origins[40:-50])
    if change == "mirrored":
        rec = mirrored_walk(rec)
    cutoff = {"5 Hz": 5.0, "8 Hz": 8.0}.get(change, 6.0)
    looks_like_a_walk(analyse(body(rec, mass=77.0 if change == "heavier" else 70.0, cutoff=cutoff)))


@pytest.mark.parametrize("name", WALKS)
def test_smooth_paths_are_in_the_soles_by_themselves(shared_data, monkeypatch, name):
    """Nine in ten of them are so even where nothing holds them there, and what they leave over is what noise can do."""
    walk = body(load(shared_data(f"mocap/bvh/{name}.bvh")), mass=70.0)
    left = analyse(walk).residual[:, :2]
    alone = np.isin(analyse(walk).phase, ("left", "right"))
    assert np.sqrt(np.mean(np.sum(left[alone] ** 2, axis=1))) < 0.06 * 70.0 * 9.81  # 6 cm times the weight
    monkeypatch.setattr(pressure_paths, "inside", lambda x, _: x)
    looks_like_a_walk(analyse(walk))


def looks_like_a_walk(gait):
    """On one foot: what the ground can give."""
    alone = np.isin(gait.phase, ("left", "right"))
    weight = gait.mass * 9.81
    force = np.where((gait.phase == "left")[:, None], gait.reaction["left"], gait.reaction["right"])[alone] / weight
    assert ((force[:, 2] > 0.5) & (force[:, 2] < 1.5)).all()
    assert (np.hypot(force[:, 0], force[:, 1]) < 0.8 * force[:, 2]).all()
    assert np.abs(gait.residual[alone, 3:]).max() < 1e-3 * weight  # what is left over are moments
    inside = [near_sole(gait.motion.mech, gait, i) for i in np.flatnonzero(alone)]
    assert np.mean(inside) > 0.9


def mirrored_walk(rec):
    """The same walk in a mirror: left is right."""
    names, flip = [bone.name for bone in rec.bones], np.diag([1.0, -1.0, 1.0])
    others = [other_side(name) for name in names]
    rows = [names.index(name) for name in others]
    bones = []
    for name, k in zip(names, rows, strict=True):
        bone = rec.bones[k]
        parent = None if bone.parent is None else other_side(bone.parent)
        bones.append(
            bone._replace(name=name, parent=parent, offset=flip @ bone.offset, tips=tuple(flip @ tip for tip in bone.tips))
        )
    return replace(rec, bones=tuple(bones), turns=flip @ rec.turns[:, rows] @ flip, origins=rec.origins[:, rows] @ flip)


def other_side(name):
    for left, right in (("Left", "Right"), ("LHip", "RHip"), ("LThumb", "RThumb")):
        if left in name:
            return name.replace(left, right)
        if right in name:
            return name.replace(right, left)
    return name


def near_sole(mech, gait, i, reach=0.03):
    """Whether the centre of pressure of the foot that stands is inside its sole, or nearer to it than 3 cm."""
    from scipy.spatial import ConvexHull

    side = gait.phase[i]
    foot, state = gait.motion.feet[side], mech.state(gait.motion.q[i])
    points = np.array([rg.frame_position(mech, state, name)[:2] for name in (foot.heel, *foot.ball, foot.toe)])
    edges = ConvexHull(points).equations
    return float((edges[:, :2] @ gait.pressure[side][i, :2] + edges[:, 2]).max()) < reach
