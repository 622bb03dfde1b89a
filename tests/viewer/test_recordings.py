"""Recordings as motions: bones and markers are where they were recorded."""

from __future__ import annotations

import numpy as np
import pytest

import regraft as rg
from regraft.mocap import Bone, Recording
from regraft.viewer.playback import Playback
from regraft.viewer.recordings import motion_trajectory, recorded_trajectory


@pytest.fixture
def skeleton():
    rng = np.random.default_rng(3)
    bones = (
        Bone("hip", None, np.zeros(3)),
        Bone("thigh", "hip", np.array([0.0, 0.1, 0.0])),
        Bone("shank", "thigh", np.array([0.0, 0.0, -0.4]), (np.array([0.0, 0.0, -0.4]),)),
    )
    turns = np.array([[rg.Pose.about(rng.normal(size=3), rng.uniform(0, 3)).rotation for _ in bones] for _ in range(5)])
    origins = np.broadcast_to([bone.offset for bone in bones], (5, 3, 3)).copy()
    origins[:, 0] = rng.normal(size=(5, 3))
    return Recording("walk.bvh", np.linspace(0.0, 0.4, 5), bones=bones, turns=turns, origins=origins)


def test_bones_are_where_they_were_recorded(skeleton):
    traj = recorded_trajectory(skeleton)
    axes, joints = skeleton.poses()
    for k, t in enumerate(skeleton.t):
        poses = rg.body_poses(traj.mechanism(t), traj.state(t))
        for j, bone in enumerate(skeleton.bones):
            np.testing.assert_allclose(poses[bone.name].translation, joints[k, j], atol=1e-12)
            np.testing.assert_allclose(poses[bone.name].rotation, axes[k, j], atol=1e-12)
    forms = {shape.body: shape.form for shape in traj.mechanism(0.0).shapes.values()}
    np.testing.assert_allclose(forms["thigh"].end, (0.0, 0.0, -0.4))
    assert Playback(traj).room.size > 0.0


def test_markers_stay_where_they_were_seen_last():
    heel = np.array([[np.nan] * 3, [1.0, 2.0, 3.0], [np.nan] * 3, [4.0, 5.0, 6.0]])
    toe = np.array([[0.0, 0.0, 0.1 * k] for k in range(4)])
    rec = Recording("m.trc", np.arange(4) * 0.01, markers={"heel": heel, "toe": toe, "world": toe + 1.0})
    traj = recorded_trajectory(rec)
    places = [rg.body_poses(traj.mechanism(t), traj.state(t))["heel"].translation.tolist() for t in rec.t]
    assert places == [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert "world (marker)" in traj.mechanism(0.0).bodies


def test_what_has_nothing_to_show_says_so(skeleton):
    with pytest.raises(rg.ModelError, match="neither bones nor markers"):
        recorded_trajectory(Recording("a.mot", np.arange(3.0), columns={"knee": np.zeros(3)}))
    with pytest.raises(rg.ModelError, match="no frame with anything"):
        recorded_trajectory(Recording("a.trc", np.arange(2.0), markers={"heel": np.full((2, 3), np.nan)}))
    mech = recorded_trajectory(skeleton).mechanism(0.0)
    with pytest.raises(rg.ModelError, match="no frame"):
        motion_trajectory(rg.mocap.Motion(mech, np.zeros(2), np.full((2, mech.nq), np.nan), np.zeros((2, mech.nv)), None, {}, {}))


def test_frames_that_are_not_whole_are_left_out():
    mech, state = rg.models.pendulum().start
    q = np.array([[0.1], [np.nan], [0.3]])
    motion = rg.mocap.Motion(mech, np.array([0.0, 0.1, 0.2]), q, np.zeros((3, 1)), None, {}, {})
    traj = motion_trajectory(motion)
    assert traj.t.tolist() == [0.0, 0.2]
    assert state is not None
    assert traj.state(0.2).q.tolist() == [0.3]
