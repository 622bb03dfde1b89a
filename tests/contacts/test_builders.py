"""The scenes of the tests of contacts are what they say: nothing starts inside of anything, and everything can move."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts import machines, random_scenes, scenes

FLAT = {
    "ball": scenes.ball,
    "falling point": scenes.falling_point,
    "ball on an incline": lambda: scenes.ball_on_incline(0.1),
    "disc on an incline": lambda: scenes.disc_on_incline(0.1),
    "three balls": scenes.three_balls,
    "ball on a turntable": scenes.ball_on_turntable,
    "block": scenes.block,
    "puck": lambda: scenes.puck(0.1, 0.2, 10.0),
    "block on a spring": lambda: scenes.sprung_block(0.1, 0.2, 10.0),
    "slider": scenes.rubbing_slider,
    "rocking block": scenes.rocking_block,
    "rod": lambda: scenes.rod(0.3, 0.1),
    "coin": lambda: scenes.coin(0.2, 3.0, 4.0),
    "stack": machines.stack,
    "table": machines.table,
    "quadruped": machines.quadruped,
    "falling figure": machines.falling_figure,
    "standing figure": machines.standing_figure,
    "dominoes": machines.dominoes,
    "random": lambda: random_scenes.random_scene(1),
    "dropped": lambda: random_scenes.random_drop(1)[2],
}


@pytest.mark.parametrize("build", FLAT.values(), ids=FLAT)
def test_every_scene_moves_and_names_what_it_has(build):
    scene = build()
    assert np.isfinite(rg.forward_dynamics(scene.mech, scene.state)).all()
    places = {*scene.mech.frames, *scene.mech.shapes, *scene.mech.bodies, "ground"}
    assert scene.touches
    for touch in scene.touches:
        assert {touch.a, touch.b} <= places


@pytest.mark.parametrize("build", FLAT.values(), ids=FLAT)
def test_no_frame_that_touches_the_ground_starts_below_it(build):
    scene = build()
    for touch in scene.touches:
        if touch.a in scene.mech.frames and touch.b == "ground":
            assert rg.frame_position(scene.mech, scene.state, touch.a)[2] > -1e-12


def test_the_rocking_block_stands_on_its_left_edge():
    scene = scenes.rocking_block(0.15)
    pose = rg.body_poses(scene.mech, scene.state)["block"]
    left, right = (pose.apply((x, 0.0, -0.5)) for x in (-0.125, 0.125))
    assert left == pytest.approx((-0.125, 0.0, 0.0), abs=1e-15)
    assert right[2] == pytest.approx(0.25 * math.sin(0.15), abs=1e-15)


def test_the_rod_leans_towards_x_and_its_tip_is_at_the_origin():
    scene = scenes.rod(0.3, 0.5, 0.2)
    pose, twist = (what(scene.mech, scene.state)["rod"] for what in (rg.body_poses, rg.body_twists))
    assert pose.apply((0, 0, 1)) == pytest.approx((math.sin(0.3), 0.0, math.cos(0.3)), abs=1e-15)
    assert twist == pytest.approx((0, 0.5, 0, 0.2, 0, 0), abs=1e-15)


@pytest.mark.parametrize(("tilt", "precession", "spin"), [(0.2, 3.0, 4.0), (math.pi / 2, 0.0, 9.0), (1.2, 2.0, -12.0)])
def test_the_coin_rolls(tilt, precession, spin):
    scene = scenes.coin(tilt, precession, spin)
    pose, twist = (what(scene.mech, scene.state)["coin"] for what in (rg.body_poses, rg.body_twists))
    at_contact = twist[3:] + np.cross(twist[:3], -pose.translation)  # the contact is at the origin
    assert np.abs(at_contact).max() < 1e-14
    axis = pose.rotation[:, 2]
    assert axis[2] == pytest.approx(math.cos(tilt), abs=1e-14)
    assert axis @ twist[:3] == pytest.approx(spin, abs=1e-13)
    assert np.linalg.det(pose.rotation) == pytest.approx(1.0, abs=1e-14)
    assert pose.translation[2] == pytest.approx(0.1 * math.sin(tilt), abs=1e-15)


def test_the_ball_on_the_turntable_rolls():
    scene = scenes.ball_on_turntable(2.0, (0.3, 0.1), (0.1, 0.2))
    twist = rg.body_twists(scene.mech, scene.state)["ball"]
    at_contact = twist[3:] + np.cross(twist[:3], (0, 0, -0.1))
    assert at_contact == pytest.approx(2.0 * np.array([-0.1, 0.3, 0.0]), abs=1e-14)


def test_a_random_scene_starts_at_its_height_and_in_its_motion():
    for seed in range(30):
        scene = random_scenes.random_scene(seed, height=(0.1, 0.1))
        assert min(rg.frame_position(scene.mech, scene.state, touch.a)[2] for touch in scene.touches) == pytest.approx(0.1)


def points_on(kind, size, rng, count=20000):
    """Random points of the surface of what is dropped, or its corners."""
    a, b, _ = size
    if kind == "box":
        return np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    ends = np.outer(rng.choice((-b / 2, b / 2), count), (0, 0, 1))
    if kind == "cylinder":
        turn = rng.uniform(0, 2 * math.pi, count)
        return ends + a * np.column_stack((np.cos(turn), np.sin(turn), np.zeros(count)))
    directions = rng.standard_normal((count, 3))
    round_part = a * directions / np.linalg.norm(directions, axis=1)[:, None]
    return round_part + (ends if kind == "capsule" else 0.0)


@pytest.mark.parametrize("seed", range(8))
def test_the_lowest_point_of_what_is_dropped_is_above_the_ground(seed):
    kind, size, scene = random_scenes.random_drop(seed)
    pose = rg.body_poses(scene.mech, scene.state)["thing"]
    low = random_scenes.lowest(kind, size, pose)
    points = points_on(kind, size, np.random.default_rng(0))
    heights = (points @ pose.rotation.T + pose.translation)[:, 2]
    assert low > 0.0
    assert low - 1e-12 <= heights.min() < low + 1e-3


def test_the_wheel_stands_on_one_spoke_and_has_just_left_another():
    scene = machines.rimless_wheel(1.0)
    stands, left = (rg.frame_position(scene.mech, scene.state, f"spoke {i}") for i in (0, 7))
    assert np.abs(stands).max() < 1e-15
    assert left[2] == pytest.approx(left[0] * math.tan(0.08), abs=1e-15)
    assert left[0] > 0.0
    assert rg.frame_twist(scene.mech, scene.state, "spoke 7")[5] > 0.0


def test_the_walker_scuffs_over_pits_only():
    biped = rg.models.compass_biped()
    walk = rg.simulate(*biped.start, 4.6, events=biped.events)
    places = machines.footholds(biped, walk)
    for segment in walk.segments:
        swings = {"left": "right", "right": "left"}[segment.mech.joints["stance"].child]
        for t in np.linspace(segment.t[0], segment.t[-1], 300)[1:-1]:
            x, _, z = rg.frame_position(segment.mech, segment.state(t), f"{swings} foot")
            above = z - math.tan(biped.slope) * x
            assert above > 0.0 or min(abs(x - place) for place in places[swings]) > machines.FOOTHOLD + 0.05
            assert above > -machines.PIT / 2
