"""Bodies dropped at random: none fails, none falls through the ground."""

from dataclasses import replace

import numpy as np
import pytest

import regraft as rg
from contacts.laws import check_impacts, check_laws, coefficients
from contacts.random_scenes import lowest, random_drop, random_scene
from contacts.scenes import ball_on_incline


def drop(seed):
    kind, size, scene = random_drop(seed)
    traj = scene.run(2.5)
    assert traj.t[-1] == 2.5
    history = traj.body("thing")
    poses = (rg.Pose(R, p) for R, p in zip(history.rotation, history.position, strict=True))
    assert min(lowest(kind, size, pose) for pose in poses) > -1e-9, kind
    check_impacts(traj)
    total = traj.energy().total
    assert (np.diff(total) < 1e-8 * max(1.0, abs(total[0]))).all()


@pytest.mark.parametrize("seed", range(30))
def test_a_body_that_is_dropped_does_not_fall_through(seed):
    drop(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30, 1000))
def test_a_thousand_bodies_that_are_dropped_do_not_fall_through(seed):
    drop(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_mechanisms_that_are_dropped_come_down_whole(seed):
    scene = random_scene(seed, points=(4, 12), height=(0.1, 1.0), calm=2.0)
    traj = scene.run(3.0)
    assert traj.t[-1] == 3.0
    check_laws(traj, scene)
    check_impacts(traj)


@pytest.mark.parametrize(("seed", "until"), [(5039, 1.6), (5333, 1.6), (5395, 3.1), (5096, 2.5), (5451, 3.25), (5134, 3.6)])
def test_slow_slips_and_impacts_that_are_hard_to_follow_do_not_end_a_run(seed, until):
    """Two have a slip that turns fast in an impact; others slips whose directions decide on modes, and these on them.

    In the last one the friction of a slip of 0.1 mm/s grows beyond all bounds, and it is stopped.
    """
    scene = random_scene(seed)
    traj = scene.run(until)
    assert min(traj.frame(touch.a).position[:, 2].min() for touch in scene.touches) > -1e-9
    check_impacts(traj)


@pytest.mark.parametrize(("seed", "until"), [(5080, 4.65), (5988, 1.97)])
def test_points_beside_a_slip_that_ends_do_not_go_into_the_ground(seed, until):
    """Open points are hardly above the ground, and one goes down and up again before a slip ends in the same step.

    In the first one three slow slips hold each other, and where one ends another turns back.
    """
    scene = random_scene(seed)
    traj = scene.run(until)
    assert min(traj.frame(touch.a).position[:, 2].min() for touch in scene.touches) > -1e-10
    check_impacts(traj)


def test_forces_that_no_law_allows_are_not_told():
    """Friction has grown beyond all bounds where a slip is stopped at 3.5648 s, and forces would pull by kilonewtons."""
    scene = random_scene(5134)
    traj = scene.run(3.57)
    contacts, none = traj.contacts(), 0
    for touch in scene.touches:
        found, mu = contacts[touch.a], coefficients(touch)[0]
        normal, friction = found.normal, np.linalg.norm(found.friction, axis=1)
        told = ~np.isnan(normal)
        scale = max(1.0, normal[told].max())
        assert normal[told].min() >= -1e-8 * scale
        assert (friction - mu * normal)[told].max() <= 1e-8 * scale
        none = max(none, int((~told).sum()))
    assert none <= 3


def rubbing(scene, seed):
    """The same scene with dry friction in its hinges and sliders."""
    rng = np.random.default_rng(seed)
    hinges = [name for name, joint in scene.mech.joints.items() if isinstance(joint.type, (rg.Revolute, rg.Prismatic))]
    mech = scene.mech.replace(settings={name: {"friction": float(rng.uniform(0.1, 2.0))} for name in hinges})
    return replace(scene, mech=mech, state=mech.state(q=scene.state.q, v=scene.state.v))


def test_joints_that_others_push_back_where_they_stop_go_back():
    """The slip of one ends again and again at one time, if what contacts give it there counts as none."""
    scene = rubbing(random_scene(7, bodies=(2, 4)), 7)
    traj = scene.run(2.0)
    assert any("sticks" in event.name and event.name.startswith("j") for event in traj.events)
    assert min(traj.frame(touch.a).position[:, 2].min() for touch in scene.touches) > -1e-10
    check_impacts(traj)


def test_fast_bodies_do_not_pass_through_between_two_steps():
    scene = ball_on_incline(0.0, restitution=0.5)
    state = scene.mech.state(q={"plane": (0.0, 50.0, 0.0)}, v={"plane": (0.0, -300.0, 0.0)})
    traj = rg.simulate(scene.mech, state, 1.0, contacts=scene.contacts)
    assert traj.body("wheel").position[:, 2].min() > 0.1 - 1e-10
    assert traj.body("wheel").velocity[-1, 2] > 0.0
