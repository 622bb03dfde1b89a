"""Capsules that lie on capsules: across, along, and on the way from one to the other."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.test_energy_balance import missing

RADIUS, HALF = 0.05, 0.3


def rod_on(rails, *, yaw=0.0, pitch=0.0, place=(0.0, 0.0, 0.2), turning=0.0, speed=0.0, friction=0.5, duration=2.0, along=0.5):
    """A free capsule above fixed ones along x, at these places along y; it is turned by yaw from these, and tilted."""
    mech = rg.Mechanism()
    ends = (-HALF, 0, 0), (HALF, 0, 0)
    mech.add_body("rod", rg.Inertia.cylinder(1.0, RADIUS, *ends))
    mech.add_joint("free", rg.Free(), "world", "rod")
    mech.add_shape("rod", rg.Capsule(RADIUS, *ends), "own")
    for k, y in enumerate(rails):
        mech.add_shape("world", rg.Capsule(RADIUS, (-along, y, 0), (along, y, 0)), f"rail {k}")
    turn = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
    tilt = np.array([[math.cos(pitch), 0, math.sin(pitch)], [0, 1, 0], [-math.sin(pitch), 0, math.cos(pitch)]])
    pose = rg.Pose(turn @ tilt, place)
    state = mech.state(q={"free": (*pose.translation, *pose.quaternion)}, v={"free": (speed, 0, 0, 0, 0, turning)})
    contacts = [rg.Contact("own", f"rail {k}", friction=friction, name=f"on {k}") for k in range(len(rails))]
    return rg.simulate(mech, state, duration, contacts=contacts)


RESTING = {
    "along one": (rod_on, ((0.0,),), {}, 0.1),
    "along one, not in its middle": (rod_on, ((0.0,),), {"place": (0.35, 0.0, 0.2)}, 0.1),
    "across one": (rod_on, ((0.0,),), {"yaw": math.pi / 2}, 0.1),
    "along two": (rod_on, ((-0.06, 0.06),), {}, 0.08),
    "along two, falling tilted": (rod_on, ((-0.06, 0.06),), {"pitch": 0.1}, 0.08),
    "along two, falling askew": (
        rod_on,
        ((-0.06, 0.06),),
        {"yaw": 0.05, "pitch": 0.02, "place": (0, 0, 0.12), "duration": 3.0},
        0.08,
    ),
    "across two": (rod_on, ((-0.15, 0.15),), {"yaw": math.pi / 2}, 0.1),
}


@pytest.mark.parametrize("name", RESTING)
def test_a_capsule_comes_to_rest_on_capsules_and_does_not_creep(name):
    run, rails, options, height = RESTING[name]
    traj = run(*rails, **options)
    position = traj.body("rod").position
    assert position[-1, 2] == pytest.approx(height, abs=1e-10)
    assert np.abs(traj.final[1].v).max() < 1e-12
    assert np.ptp(position[traj.t > traj.events[-1].t], axis=0).max() < 1e-11
    assert missing(traj) < 2e-8
    carried = sum(history.normal[-1] for history in traj.contacts().values())
    assert carried >= 9.81 * (1 - 1e-9)


def test_what_lies_along_another_touches_it_in_two_points():
    history = rod_on((0.0,)).contacts()["on 0"]
    places = [point.point[-1, 0] for point in history.points if point.mode[-1] != "open"]
    assert sorted(places) == pytest.approx([-HALF, HALF])
    assert history.normal[-1] == pytest.approx(9.81)


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize("yaw", [0.0, -0.3, -1e-3])
def test_a_capsule_that_turns_on_another_passes_through_where_they_are_parallel(yaw, friction):
    traj = rod_on((0.0,), yaw=yaw, place=(0.0, 0.0, 0.1), turning=1.0, friction=friction, duration=0.6)
    angle = math.atan2(*traj.body("rod").rotation[-1, [1, 0], 0])
    # while they are parallel, within 1e-6 rad, their ends rub: at µ m g l / I for some microseconds
    assert angle == pytest.approx(yaw + 0.6, abs=1e-4 if friction else 1e-8)
    assert traj.body("rod").position[:, 2] == pytest.approx(0.1, abs=1e-9)
    assert missing(traj) < 1e-8


def test_a_capsule_slides_along_another_and_stops():
    traj = rod_on((0.0,), place=(-0.2, 0.0, 0.1), speed=1.0, friction=0.4)
    assert traj.body("rod").position[-1, 0] == pytest.approx(-0.2 + 1.0 / (2 * 0.4 * 9.81), abs=1e-9)
    assert missing(traj) < 1e-9


def test_a_capsule_slides_off_the_end_of_another_and_tips_over():
    traj = rod_on((0.0,), place=(0.0, 0.0, 0.1), speed=3.0, friction=0.2, duration=0.6)
    assert traj.body("rod").position[-1, 2] < -0.3
    assert missing(traj) < 1e-9
