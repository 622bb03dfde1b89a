"""What rests, rests: nothing creeps, and it costs next to nothing."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.laws import check_laws
from contacts.machines import quadruped, stack, standing_figure, table
from contacts.reading import SLIDING, STICKING, points_of
from contacts.scenes import G, ball, block, block_on_slope

FEW = 300
"""Steps that a thousand seconds of rest may take."""


def moved(traj, body):
    position, rotation = traj.body(body).position, traj.body(body).rotation
    return max(np.abs(position - position[0]).max(), np.abs(rotation - rotation[0]).max())


@pytest.mark.parametrize("form", ["level", "ground"])
def test_a_cube_at_nearly_its_friction_angle_does_not_creep(form):
    angle = 0.95 * math.atan(0.5)
    if form == "level":
        scene = block(incline=angle, friction=0.5)
    else:
        scene = block_on_slope(rg.ground(slope=angle), angle, (0.1, 0.1, 0.1), friction=0.5)
    traj = scene.run(1000.0)
    assert moved(traj, "block") < 1e-9
    assert traj.steps < FEW
    assert not (points_of(traj, "block").mode == SLIDING).any()


def test_a_stack_of_boxes_stands():
    scene = stack(4)
    traj = scene.run(1000.0)
    assert max(moved(traj, f"box {i}") for i in range(4)) < 1e-9
    assert traj.steps < FEW
    check_laws(traj, scene)
    for i in range(4):
        total = sum(points_of(traj, f"box {i} corner {k}").normal[-1, 0] for k in range(4))
        assert total == pytest.approx((4 - i) * G, abs=1e-8)


def test_a_table_stands_on_four_legs():
    """Four legs are one more than statics can tell apart: the forces balance, whatever the way they share."""
    scene = table()
    traj = scene.run(1000.0)
    assert moved(traj, "table") < 1e-9
    assert traj.steps < FEW
    forces = np.array([points_of(traj, f"leg {k}").normal[-1, 0] for k in range(4)])
    places = np.array([points_of(traj, f"leg {k}").point[-1, 0] for k in range(4)])
    assert forces.min() >= 0.0
    assert forces.sum() == pytest.approx(10 * G, abs=1e-8)
    assert forces @ places[:, :2] == pytest.approx((0.0, 0.0), abs=1e-8)


def test_a_table_that_is_pushed_holds_out_to_its_friction():
    scene = table()
    for push, holds in ((0.499, True), (0.501, False)):
        force = push * 10 * G
        wrench = {"table": (0, 0, 0, force, 0, 0)}
        traj = scene.run(1.0, wrenches=wrench)
        went = traj.body("table").position[-1, 0]
        assert went == pytest.approx(0.0 if holds else (push - 0.5) * G / 2, abs=1e-9)


def test_a_figure_stands():
    scene = standing_figure()
    traj = scene.run(100.0)
    assert max(moved(traj, body) for body in scene.mech.bodies) < 1e-8
    assert traj.steps < FEW
    total = sum(points_of(traj, touch.a).normal[-1, 0] for touch in scene.touches)
    assert total == pytest.approx(70 * G, rel=1e-9)


def test_a_quadruped_on_springs_comes_to_rest():
    scene = quadruped()
    settled = scene.run(20.0)
    mech, state = settled.final
    assert rg.energy(mech, state).kinetic < 1e-12
    traj = rg.simulate(mech, state, 10.0, contacts=scene.contacts)
    assert moved(traj, "trunk") < 1e-6
    weight = sum(body.inertia.mass for body in mech.bodies.values()) * G
    assert sum(points_of(traj, touch.a).normal[-1, 0] for touch in scene.touches) == pytest.approx(weight, rel=1e-6)


def test_a_ball_at_rest_stays():
    traj = ball(0.0, friction=0.5).run(1000.0)
    assert moved(traj, "ball") < 1e-9
    assert traj.steps < FEW
    assert (points_of(traj, "ball").mode == STICKING).all()
