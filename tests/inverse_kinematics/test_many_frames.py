"""Inverse kinematics over many frames: gaps, what is not determined, where it starts, what it gives back."""

import time
import warnings

import numpy as np
import pytest
from fitting_problems import marked

import regraft as rg


def walk_of(mech, frames, seed=0, each=3, size=0.3):
    """A smooth motion of a mechanism and markers on it: positions, and targets."""
    rng, t = np.random.default_rng(seed), np.arange(frames) / 100
    swing, phase, pace = (rng.uniform(low, high, mech.nv) for low, high in ((0.05, size), (0, 6), (2, 6)))
    q = np.array([rg.integrate(mech, mech.state().q, swing * np.sin(pace * now + phase)) for now in t])
    places = {f"{body} {j}": (body, rng.uniform(-0.1, 0.1, 3)) for body in mech.bodies for j in range(each)}
    poses = [rg.body_poses(mech, mech.state(q=row)) for row in q]
    return q, {
        name: rg.Marker(np.array([pose[body].apply(at) for pose in poses]), on=body, at=at) for name, (body, at) in places.items()
    }


def figure():
    return rg.models.spherical_figure().start[0]


def arm():
    mech = rg.Mechanism()
    mech.add_body("upper", rg.Inertia.rod(1.0, (0, 0, 0), (0.5, 0, 0)))
    mech.add_body("lower", rg.Inertia.rod(1.0, (0, 0, 0), (0.5, 0, 0)))
    mech.add_joint("shoulder", rg.Spherical(), "world", "upper")
    mech.add_joint("elbow", rg.Revolute((0, 0, 1)), "upper", "lower", rg.Pose(translation=(0.5, 0, 0)))
    mech.add_frame("wrist", "lower", rg.Pose(translation=(0.5, 0, 0)))
    mech.add_frame("mid", "upper", rg.Pose(translation=(0.25, 0, 0.1)))
    return mech


def test_a_motion_is_found_without_any_start_and_unpacks():
    mech = figure()
    q, targets = walk_of(mech, 50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rg.inverse_kinematics(mech, targets, limits=False)
    states, residuals = found
    assert len(states) == len(found.states) == 50
    assert found.converged.all()
    assert not found.undetermined.any()
    assert set(residuals) == set(targets)
    assert all(residual.shape == (50,) for residual in residuals.values())
    assert max(residual.max() for residual in residuals.values()) < 1e-9
    assert max(np.abs(rg.difference(mech, a, b)).max() for a, b in zip(found.q, q, strict=True)) < 1e-9
    assert found.iterations.shape == (50,)
    assert found.iterations.max() < 20
    assert (states[3].q == states[3:][0].q).all()
    assert (states[-1].q == found.q[-1]).all()
    assert not states[0].v.any()


def test_a_free_figure_is_found_wherever_it_stands():
    mech = figure()
    q, targets = walk_of(mech, 3)
    there = rg.Pose.about((1, 2, -1), 2.8) @ rg.Pose(translation=(40, -7, 3))
    moved = {
        name: marker._replace(positions=np.array([there.apply(x) for x in marker.positions])) for name, marker in targets.items()
    }
    found = rg.inverse_kinematics(mech, moved, limits=False)
    assert found.rms.max() < 1e-9
    assert np.abs(found.q[:, 7:] - q[:, 7:]).max() < 1e-8


def test_gaps_are_bridged_by_the_other_markers():
    mech = figure()
    q, targets = walk_of(mech, 40, each=4)
    rng = np.random.default_rng(2)
    gappy = {}
    for name, marker in targets.items():
        seen = marker.positions.copy()
        start = rng.integers(0, 35)
        if name.endswith("0"):
            seen[start : start + 6] = np.nan
        gappy[name] = marker._replace(positions=seen)
    found = rg.inverse_kinematics(mech, gappy, limits=False)
    assert found.converged.all()
    assert max(np.abs(rg.difference(mech, a, b)).max() for a, b in zip(found.q, q, strict=True)) < 1e-8
    for name, marker in gappy.items():
        assert (np.isnan(found.residuals[name]) == np.isnan(marker.positions[:, 0])).all()
    assert np.isfinite(found.rms).all()


def test_the_first_frame_may_be_a_gap():
    mech = arm()
    q, targets = walk_of(mech, 20)
    late = {
        name: marker._replace(positions=np.concatenate([np.full((5, 3), np.nan), marker.positions]))
        for name, marker in targets.items()
    }
    with pytest.warns(rg.RegraftWarning, match=r"the targets of frames 0-4 do not determine the joints 'shoulder', 'elbow'"):
        found = rg.inverse_kinematics(mech, late)
    assert found.converged.all()
    assert found.undetermined[:5].all()
    assert not found.undetermined[5:].any()
    assert np.isnan(found.rms[:5]).all()
    np.testing.assert_allclose(found.q[:5], np.tile(found.q[5], (5, 1)), atol=1e-12)  # it waits where it is seen first
    assert np.abs(np.abs(found.q[5:]) - np.abs(q)).max() < 1e-8


def test_what_no_target_sees_stays_as_it_was_and_is_told():
    mech = arm()
    start = mech.state(q={"elbow": 0.7})
    with pytest.warns(rg.RegraftWarning, match=r"frames 0-2 do not determine the joints 'shoulder', 'elbow'"):
        found = rg.inverse_kinematics(mech, {"mid": [(0.2, 0.1, 0.1), (0.2, 0.12, 0.1), (0.2, 0.14, 0.08)]}, start=start)
    assert (found.q[:, 4] == 0.7).all()  # to the last digit: nothing pulls at it
    assert found.undetermined[:, 3].all()
    assert found.converged.all()


def test_a_marker_on_the_axis_of_a_joint_does_not_turn_it():
    mech = rg.Mechanism()
    mech.add_body("wheel", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("axle", rg.Cylindrical((0, 0, 1)), "world", "wheel")
    with pytest.warns(rg.RegraftWarning, match="do not determine the joints 'axle'"):
        found = rg.inverse_kinematics(mech, {"wheel": (0.3, 0.1, 0.5)}, start=[0.4, 0.0])
    assert found.converged.all()
    assert sorted(found.q[0].tolist()) == pytest.approx([0.4, 0.5])


@pytest.mark.parametrize("goal", [(0.2, 0.2, 0.1), (0.1, -0.2, 0.2), (0.5, 0.1, 0.3)])
def test_a_ball_joint_may_turn_about_the_line_to_its_only_marker(goal):
    mech = arm()
    mech.add_frame("dot", "upper", rg.Pose(translation=(0.3, 0, 0)))
    with pytest.warns(rg.RegraftWarning, match="do not determine the joints 'shoulder', 'elbow'"):
        found = rg.inverse_kinematics(mech, {"dot": goal}, start=mech.state())
    assert found.converged.all()
    turn = rg.difference(mech, found.q[0], mech.state().q)[:3]
    assert abs(turn @ (1, 0, 0)) < 1e-6  # the least turn, not any


def test_a_small_weight_on_joints_decides_what_markers_leave_open():
    mech = arm()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rg.inverse_kinematics(
            mech, {"wrist": (0.6, 0.3, 0.1), "elbow": rg.JointTarget(0.5, 1e-6), "shoulder": rg.JointTarget([1, 0, 0, 0], 1e-6)}
        )
    assert found.converged.all()
    assert found.residuals["wrist"][0] < 1e-4
    assert not found.undetermined.any()


def test_every_frame_may_have_a_start_of_its_own():
    mech = arm()
    q, targets = walk_of(mech, 6)
    rng = np.random.default_rng(0)
    starts = np.array([rg.integrate(mech, row, 0.1 * rng.standard_normal(mech.nv)) for row in q])
    each = rg.inverse_kinematics(mech, targets, start=starts)
    assert each.rms.max() < 1e-12
    one = rg.inverse_kinematics(mech, targets, start=mech.state(q=starts[0]))
    assert np.abs(one.q - each.q).max() < 1e-9
    assert (one.q == rg.inverse_kinematics(mech, targets, start=starts[0]).q).all()


def test_a_balance_by_symmetry_is_left():
    """A straight arm that has to fold: straight, no joint knows which way."""
    mech = rg.Mechanism()
    for i, below in enumerate(("world", "a", "b")):
        mech.add_body("abc"[i], rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"j{i}", rg.Revolute((0, 0, 1)), below, "abc"[i], rg.Pose(translation=(1.0 if i else 0, 0, 0)))
    mech.add_frame("tip", "c", rg.Pose(translation=(1, 0, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rg.inverse_kinematics(mech, {"tip": (1.0, 0.0, 0.0)})
        again = rg.inverse_kinematics(mech, {"tip": (1.0, 0.0, 0.0)})
        straight = rg.inverse_kinematics(mech, {"tip": (1.0, 0.0, 0.0)}, start=mech.state())
    assert found.rms[0] < 1e-9
    assert straight.rms[0] < 1e-9
    assert (found.q == again.q).all()  # nothing depends on chance


def test_too_few_steps_are_told():
    mech = figure()
    _, targets = walk_of(mech, 3)
    with pytest.warns(rg.RegraftWarning, match=r"did not converge in frames 0-2: 2 steps were not enough"):
        found = rg.inverse_kinematics(mech, targets, start=mech.state(), max_iterations=2)
    assert not found.converged.any()


def test_one_frame_and_many_are_given_alike():
    mech = arm()
    rng = np.random.default_rng(0)
    state = mech.state(q={"elbow": 0.4})
    one = rg.inverse_kinematics(mech, marked(rng, mech, state), start=state)
    assert one.q.shape == (1, 5)
    assert len(one.states) == 1
    poses = [rg.frame_pose(mech, state, "wrist")] * 4
    found = rg.inverse_kinematics(mech, {"wrist": poses, "mid": rg.frame_position(mech, state, "mid"), "elbow": [0.4] * 4})
    assert found.q.shape == (4, 5)
    assert found.residuals["wrist"].shape == (4, 2)
    assert found.residuals["elbow"].shape == (4,)
    assert found.rms.max() < 1e-9


def test_nothing_is_changed_that_was_given():
    mech = arm()
    q, targets = walk_of(mech, 5)
    before = {name: marker.positions.copy() for name, marker in targets.items()}
    start = q[0].copy()
    rg.inverse_kinematics(mech, targets, start=start)
    assert (start == q[0]).all()
    assert all((targets[name].positions == positions).all() for name, positions in before.items())


def test_a_thousand_frames_a_second():
    """A loose bound, for busy machines; `make bench` has the figures."""
    mech = figure()
    _, targets = walk_of(mech, 200)
    rg.inverse_kinematics(mech, targets, limits=False)
    start = time.perf_counter()
    rg.inverse_kinematics(mech, targets, limits=False)
    assert time.perf_counter() - start < 0.2


def test_markers_that_never_fit_take_no_more_steps_than_those_that_do():
    """As second derivatives are looked at where misses remain."""
    mech, rng = figure(), np.random.default_rng(5)
    _, targets = walk_of(mech, 60)
    noisy = {
        name: marker._replace(positions=marker.positions + 0.005 * rng.standard_normal((60, 3)))
        for name, marker in targets.items()
    }
    found = rg.inverse_kinematics(mech, noisy, limits=False)
    assert found.converged.all()
    assert np.median(found.iterations) <= 7
    assert found.iterations[1:].max() <= 20
