"""Grounds: slopes, steps, profiles and surfaces of one's own."""

import math

import numba
import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import G
from contacts.reading import OPEN, changes, impact_times, points_of
from contacts.scenes import IN_PLANE, ball, falling_point

RADIUS = 0.1


def on_ground(form, x=0.0, z=1.0, speed=0.0, duration=2.0, **settings):
    """A ball of 0.1 m in the plane of x and z with its middle at (x, z), above such a ground."""
    scene = ball(1.0)
    mech = scene.mech.copy()
    mech.add_shape("world", form, "ground")
    there = {"ball free": (x, 0.0, z, 1, 0, 0, 0)}
    state = mech.state(q=there, v={"ball free": (speed, 0, 0, 0, 0, 0)})
    return rg.simulate(mech, state, duration, contacts=[rg.Contact("ball", "ground", **settings)])


def fallen(distance):
    return math.sqrt(2 * distance / G)


@pytest.mark.parametrize("slope", [0.3, -0.5, 0.0])
def test_a_slope_is_met_where_its_normal_says(slope):
    """The ball touches where its middle is 0.1 from the line z = x tan(slope), measured across it."""
    traj = on_ground(rg.ground(slope=slope), x=0.4, z=1.0)
    above = 1.0 - 0.4 * math.tan(slope) - RADIUS / math.cos(slope)
    assert impact_times(traj, "ball")[0] == pytest.approx(fallen(above), abs=1e-10)


def test_a_slope_is_that_of_events():
    """`rg.ground(slope=…)` and `rg.when_frame_below(…, slope=tan)` mean the same ground."""
    scene, slope = falling_point(1.0), 0.2
    mech = scene.mech.copy()
    mech.add_frame("aside", "mass", rg.Pose(translation=(0.7, 0.0, 0.0)))
    mech.add_shape("world", rg.ground(slope=slope, height=0.05), "ground")
    touched = rg.simulate(mech, scene.state, 1.0, contacts=[rg.Contact("aside", "ground")])
    met = rg.simulate(mech, scene.state, 1.0, events=rg.when_frame_below("aside", 0.05, rg.STOP, slope=math.tan(slope)))
    assert impact_times(touched, "aside")[0] == pytest.approx(met.t[-1], abs=1e-12)


HILLS = [(-2.0, 0.0), (0.0, 0.0), (1.0, 0.5), (2.0, 0.0), (2.0, -1.0), (5.0, -1.0)]
"""Level, up, down again, and an upright step down to level ground."""


def test_a_profile_is_met_along_its_segments_and_at_its_corners():
    rise = math.atan(0.5)
    onto_segment = on_ground(rg.ground(profile=HILLS), x=0.5, z=1.5, duration=0.6)
    assert impact_times(onto_segment, "ball")[0] == pytest.approx(fallen(1.25 - RADIUS / math.cos(rise)), abs=1e-10)
    onto_corner = on_ground(rg.ground(profile=HILLS), x=1.0, z=1.5, duration=0.6)
    assert impact_times(onto_corner, "ball")[0] == pytest.approx(fallen(1.0 - RADIUS), abs=1e-10)
    beside = on_ground(rg.ground(profile=HILLS), x=1.02, z=1.5, duration=0.6)  # still the corner: 0.02 < r sin(rise)
    assert impact_times(beside, "ball")[0] == pytest.approx(fallen(1.0 - math.sqrt(RADIUS**2 - 0.02**2)), abs=1e-10)
    valley = on_ground(rg.ground(profile=HILLS), x=0.01, z=1.5, duration=0.6)  # both sides of a valley: the steeper one first
    above = 1.5 - 0.005 - RADIUS / math.cos(rise)
    assert impact_times(valley, "ball")[0] == pytest.approx(fallen(above), abs=1e-10)


def test_a_ball_that_is_fast_flies_off_a_step():
    """Beyond v² = g r it leaves the edge at once, and falls by the height of the step on a parabola."""
    steps = rg.ground(profile=[(-3.0, 0.0), (0.0, 0.0), (0.0, -0.5), (5.0, -0.5)])
    speed = 2.0
    traj = on_ground(steps, x=-1.0, z=RADIUS, speed=speed, duration=1.5)
    assert changes(traj, "ball", OPEN)[0] == pytest.approx(1.0 / speed, abs=1e-9)
    landing = 1.0 / speed + fallen(0.5)
    assert impact_times(traj, "ball")[-1] == pytest.approx(landing, abs=1e-9)
    place = rg.body_poses(traj.mechanism(landing), traj.state(landing))["ball"].translation
    assert place == pytest.approx((speed * fallen(0.5), 0.0, RADIUS - 0.5), abs=1e-9)


def test_a_ball_that_is_slow_turns_about_the_edge_of_a_step():
    """It slides off the edge where the normal force vanishes: v² + 2 g r (1 − cos φ) = g r cos φ."""
    steps = rg.ground(profile=[(-3.0, 0.0), (0.0, 0.0), (0.0, -0.5), (5.0, -0.5)])
    speed = 0.3
    traj = on_ground(steps, x=-0.1, z=RADIUS, speed=speed, duration=1.0)
    t = changes(traj, "ball", OPEN)[0]
    x, _, z = rg.body_poses(traj.mechanism(t), traj.state(t))["ball"].translation
    assert math.hypot(x, z) == pytest.approx(RADIUS, abs=1e-9)
    cosine = (speed**2 + 2 * G * RADIUS) / (3 * G * RADIUS)
    assert z / RADIUS == pytest.approx(cosine, abs=1e-8)
    assert points_of(traj, "ball").gap.min() > -1e-10


@numba.njit
def waves(x, y):
    """A ground that rises and falls along x, with its derivatives."""
    return 0.1 * math.sin(2 * x), 0.2 * math.cos(2 * x), 0.0 * y, -0.4 * math.sin(2 * x), 0.0, 0.0


def test_a_surface_of_ones_own_is_met_and_followed():
    traj = on_ground(rg.surface(waves), x=0.25 * math.pi, z=1.0, duration=0.6)  # above a crest
    assert impact_times(traj, "ball")[0] == pytest.approx(fallen(1.0 - 0.1 - RADIUS), abs=1e-10)
    # from a trough it moves over the crests without friction: energy stays, and so does the ground below it
    rolls = on_ground(rg.surface(waves), x=-0.25 * math.pi, z=-0.1 + RADIUS, speed=2.5, duration=1.5)
    total = rolls.energy().total
    assert np.ptp(total) < 1e-9 * abs(total).max()
    assert points_of(rolls, "ball").gap.min() > -1e-10
    x, z = rolls.body("ball").position[:, 0], rolls.body("ball").position[:, 2]
    assert x[-1] > 1.5
    assert z.max() < 0.1 + 2 * RADIUS


def test_a_surface_whose_function_fails_ends_the_run_where_it_does(capfd):
    @numba.njit
    def mined(x, y):
        if x > 0.5:
            raise ValueError("no ground")
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 * y

    with pytest.raises(rg.SimulationError, match=r"surface 'mined', at \(x, y\) = \(0\.5.*ValueError: no ground") as told:
        on_ground(rg.surface(mined), z=RADIUS, speed=1.0)
    assert told.value.trajectory.t[-1] > 0.4
    assert "no ground" not in capfd.readouterr().err  # nothing is only printed
    assert on_ground(rg.surface(mined), z=RADIUS, speed=1.0, duration=0.4).t[-1] == 0.4  # it counts in that run alone


def test_where_a_surface_has_no_height_there_is_none():
    @numba.njit
    def shelf(x, y):
        return (0.0 if x < 0.5 else math.nan), 0.0, 0.0, 0.0, 0.0, 0.0 * y

    traj = on_ground(rg.surface(shelf), x=1.0, z=1.0, duration=1.0)
    assert traj.events == []
    assert traj.final[1]["ball free"].q[2] == pytest.approx(1.0 - G / 2)


def test_a_frame_is_a_point_on_any_ground():
    scene = falling_point(1.0)
    for form, height in ((rg.ground(profile=[(-1, 0.2), (1, 0.4)]), 0.3), (rg.surface(waves), 0.0), (rg.ground(height=0.1), 0.1)):
        mech = scene.mech.copy()
        mech.add_shape("world", form, "ground")
        traj = rg.simulate(mech, scene.state, 0.6, contacts=[rg.Contact("tip", "ground")])
        assert impact_times(traj, "tip")[0] == pytest.approx(fallen(1.0 - height), abs=1e-10)


def test_a_ground_is_saved_with_its_mechanism(tmp_path):
    mech = ball(1.0).mech
    mech.add_shape("world", rg.ground(profile=HILLS), "hills")
    mech.add_shape("world", rg.ground(slope=0.1, height=0.2), "slope")
    mech.save(tmp_path / "hills.json")
    found = rg.load(tmp_path / "hills.json")
    assert found.shapes["hills"].form == mech.shapes["hills"].form
    assert found.shapes["slope"].form == mech.shapes["slope"].form


@pytest.mark.parametrize("joint", [IN_PLANE, rg.Free()])
@pytest.mark.parametrize(("friction", "speed"), [(0.0, 1.0), (0.1, 2.0), (0.3, 3.0)])
def test_a_box_slides_over_the_end_of_a_step_and_falls_off(joint, friction, speed):
    """Its leading corners leave at the end; it tips once its middle is there; then only the edge of the step carries it."""
    side, start, drop = 0.2, -0.5, 0.5
    mech = rg.Mechanism()
    mech.add_body("box", rg.Inertia.box(1.0, (side, side, side)))
    mech.add_joint("base", joint, "world", "box")
    mech.add_shape("box", rg.Box((side, side, side)), "sides")
    mech.add_shape("world", rg.ground(profile=[(-3, 0), (0, 0), (0, -drop), (5, -drop)]), "step")
    pose = (start, side / 2, 0) if joint == IN_PLANE else (start, 0, side / 2, 1, 0, 0, 0)
    state = mech.state(q={"base": pose}, v={"base": (speed, *[0] * (mech.nv - 1))})
    traj = rg.simulate(mech, state, 1.5, contacts=rg.Contact("sides", "step", friction=friction))
    if friction == 0.0:
        # where corners leave the edge takes over, and rounding says whether it is listed as a touch
        times = [event.t for event in traj.events if event.name.endswith("leaves")][:4]
        assert times == pytest.approx([(-start - side / 2) / speed] * 2 + [-start / speed] * 2, abs=1e-9)
    energy, contacts = traj.energy(), traj.contacts()
    total = energy.total + contacts.dissipated
    assert np.ptp(total) < 1e-8 * np.ptp(energy.total)
    assert contacts["sides"].gap.min() > -1e-10
    assert traj.body("box").position[-1, 2] == pytest.approx(side / 2 - drop, abs=1e-9)
