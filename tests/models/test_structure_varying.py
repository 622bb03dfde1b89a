"""The high bar and the swing of S2, section VII: their counts, and that changes of structure change no motion."""

import numpy as np
import pytest

import regraft as rg
from regraft.models.playground import DEPTH, slid

TOLERANCES = {"rtol": 1e-8, "atol": 1e-9}


def counts(traj):
    """S2's N_J and N_F from change to change: degrees of freedom of all joints, and what the loops leave of them."""
    found = [rg.mobility(segment.mech, segment.state(segment.t[0])) for segment in traj.segments]
    return [each.joints for each in found], [each.dof for each in found]


@pytest.fixture(scope="module")
def bar():
    model = rg.models.high_bar()
    return model, rg.simulate(*model.start, 1.6, events=model.events, **TOLERANCES)


@pytest.fixture(scope="module")
def swing():
    model = rg.models.swing()
    return model, rg.simulate(*model.start, 2.0, events=model.events, **TOLERANCES)


def test_the_bar_counts_as_in_s2(bar):
    model, traj = bar
    assert counts(traj) == ([24, 23, 22], [12, 17, 22])
    assert [segment.mech.loop_joints for segment in traj.segments] == [("left hand", "right hand"), ("left hand",), ()]
    assert [name for _, name in traj.events] == ["right hand lets go", "left hand lets go"]
    assert model.mech.nv == 22


def test_the_swing_counts_as_in_s2(swing):
    model, traj = swing
    assert counts(traj) == ([30, 30, 29, 28], [8, 12, 17, 22])
    assert traj.events[0].name == "rope tears"
    assert {name for _, name in traj.events[1:]} == {"left thigh off", "right thigh off"}
    assert "base" not in model.mech.joints


@pytest.mark.parametrize("which", ["bar", "swing"])
def test_a_change_of_structure_changes_no_motion(which, request):
    _, traj = request.getfixturevalue(which)
    for before, after in zip(traj.segments[:-1], traj.segments[1:], strict=True):
        old, new = (before.mech, before.state(before.t[-1])), (after.mech, after.state(after.t[0]))
        assert rg.energy(*new).total == pytest.approx(rg.energy(*old).total, rel=1e-12)
        for body, pose in rg.body_poses(*old).items():
            assert np.abs(rg.body_poses(*new)[body].translation - pose.translation).max() < 1e-12
            assert np.abs(rg.body_twists(*new)[body] - rg.body_twists(*old)[body]).max() < 1e-11


@pytest.mark.parametrize("which", ["bar", "swing"])
def test_loops_stay_closed_energy_never_grows_and_joints_stay_human(which, request):
    model, traj = request.getfixturevalue(which)
    assert traj.loop_error().position.max() < 1e-12
    energy = traj.energy().total
    assert (np.diff(energy) < 1e-5).all()
    assert energy[0] - energy[-1] > 10.0
    for name, joint in model.mech.joints.items():
        if joint.type.limits is None:
            continue
        q = traj.joint(name).q
        turned = 2.0 * np.arctan2(np.linalg.norm(q[:, 1:], axis=1), np.abs(q[:, 0])) if joint.type.nq == 4 else q
        slack = 0.3  # rad, which a limit of 2000 N m/rad gives way to a body that swings at three g
        assert turned.max() < joint.type.limits.upper[0] + slack
        assert turned.min() > joint.type.limits.lower[0] - slack


def test_hands_hold_the_bar_until_they_let_go(bar):
    _, traj = bar
    at = np.searchsorted(traj.t, [0.66, 0.86], side="left")
    for side, last in (("right", at[0]), ("left", at[1])):
        hand = traj.frame(f"{side} grip").position
        assert np.ptp(hand[: last + 1], axis=0).max() < 1e-10
        assert np.ptp(hand, axis=0).max() > 0.5


def test_in_flight_the_momentum_is_that_of_a_fall(bar):
    _, traj = bar
    flight = traj.segments[-1]
    momentum = traj.momentum()
    t, p, L = (values[-len(flight.t) :] for values in (momentum.t, momentum.linear, momentum.angular))
    assert np.abs(p - p[0] - 70.0 * np.outer(t - t[0], flight.mech.gravity)).max() < 1e-6
    c = np.array([rg.center_of_mass(flight.mech, flight.state(time)) for time in t[[0, -1]]])
    own = L[[0, -1]] - np.cross(c, p[[0, -1]])
    assert own[1] == pytest.approx(own[0], abs=1e-5)


def test_a_thigh_is_cut_where_its_middle_comes_to_the_edge_of_the_plate(swing):
    _, traj = swing
    for segment in traj.segments:
        if segment.event and segment.event.endswith("off"):
            side = segment.event.split()[0]
            assert abs(slid(segment.mech, segment.state(segment.t[-1]), side)) == pytest.approx(0.5 * DEPTH, abs=1e-9)
            assert f"{side} seat" in segment.mech.joints


def test_the_hands_hold_on_to_the_ropes_and_the_rope_is_torn(swing):
    _, traj = swing
    mech, state = traj.final
    poses = rg.body_poses(mech, state)
    for side in ("left", "right"):
        held = mech.joints[f"{side} hand"]
        on_rope = poses[held.parent].apply(held.parent_pose.translation)
        assert np.abs(rg.frame_position(mech, state, f"{side} grip") - on_rope).max() < 1e-10
    ends = [poses[name].apply((0.0, 0.0, -1.3)) for name in ("right stub", "right rope")]
    assert np.linalg.norm(ends[0] - ends[1]) > 0.3


@pytest.mark.parametrize(
    ("build", "arguments", "says"),
    [
        (rg.models.high_bar, {"release": (1.0, 0.5)}, "release must be two times"),
        (rg.models.high_bar, {"release": (0.0, 0.5)}, "release must be two times"),
        (rg.models.high_bar, {"tilt": float("nan")}, "tilt"),
        (rg.models.swing, {"tears": 0.0}, "tears must be a time"),
        (rg.models.swing, {"height": 0.0}, "height must be positive"),
    ],
)
def test_what_makes_no_act_is_refused(build, arguments, says):
    with pytest.raises(rg.ModelError, match=says):
        build(**arguments)
