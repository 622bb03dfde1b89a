"""The passive walkers: S1's Table 1, the gait that comes of it, and what a heel strike may and may not do."""

import math
from dataclasses import replace

import numpy as np
import pytest

import regraft as rg
from regraft.models import Legs, compass_biped, simplest_walker

TABLE_1 = {"stance": (-0.3236, -1.4939), "hip": (0.5424, -0.3117)}
FEET = ("left foot", "right foot")


def walk(biped, duration=2.0, **options):
    return rg.simulate(*biped.start, duration, events=biped.events, **options)


def above_the_slope(biped, mech, state, foot):
    x, _, z = rg.frame_position(mech, state, foot)
    return z - math.tan(biped.slope) * x


def strike_times(trajectory):
    return np.array([t for t, name in trajectory.events if name.endswith("strike")])


@pytest.fixture(scope="module")
def steady():
    """Thirty steps, by the end of which the gait is steady to nine digits."""
    return walk(compass_biped(), 30 * 0.7344)


def test_the_state_is_that_of_table_1():
    biped = compass_biped()
    for joint, (q, v) in TABLE_1.items():
        assert biped.mech.joint_position(biped.state, joint) == pytest.approx(q, abs=1e-15)
        assert biped.mech.joint_velocity(biped.state, joint) == v
    assert sum(body.inertia.mass for body in biped.mech.bodies.values()) == 4.0
    assert biped.legs(biped.mech, biped.state)[:2] == pytest.approx((-0.3236, 0.2188), abs=1e-15)


@pytest.mark.parametrize("slope", [0.0524, 0.02, 0.1])
def test_both_feet_are_on_the_slope_when_it_starts(slope):
    biped = compass_biped(slope=slope)
    for where in ((biped.mech, biped.state), biped.start):
        for foot in FEET:
            assert abs(above_the_slope(biped, *where, foot)) < 1e-12


def test_table_1_itself_has_its_feet_on_the_slope():
    biped = compass_biped()
    state = biped.mech.state(q={joint: q for joint, (q, _) in TABLE_1.items()})
    assert all(abs(above_the_slope(biped, biped.mech, state, foot)) < 1e-4 for foot in FEET)


def test_either_leg_may_carry_the_mass_of_the_hip():
    one, other = (walk(compass_biped(hip_on=leg), 3.0, rtol=1e-11, atol=1e-12) for leg in ("left", "right"))
    assert np.allclose(strike_times(one), strike_times(other), rtol=0, atol=1e-9)
    for t in np.linspace(0.0, 3.0, 31):
        poses = (rg.body_poses(trajectory.mechanism(t), trajectory.state(t)) for trajectory in (one, other))
        mine, theirs = ([pose[leg].apply(np.eye(3)) for leg in ("left", "right")] for pose in poses)
        assert np.allclose(mine, theirs, rtol=0, atol=1e-9)


def test_a_strike_keeps_every_pose_and_takes_energy():
    biped = compass_biped()
    before, after = (biped.mech, biped.state), biped.start
    poses = [rg.body_poses(*where) for where in (before, after)]
    for leg in ("left", "right"):
        assert np.allclose(poses[0][leg].apply(np.eye(3)), poses[1][leg].apply(np.eye(3)), rtol=0, atol=1e-14)
    energies = [rg.energy(*where) for where in (before, after)]
    assert energies[1].kinetic < energies[0].kinetic
    assert energies[1].potential == pytest.approx(energies[0].potential, abs=1e-13)
    assert set(after[1].impulse) == {"stance", "hip"}


def test_a_strike_keeps_the_angular_momenta_of_equation_23():
    biped = compass_biped()
    foot = rg.frame_position(biped.mech, biped.state, "right foot")
    about_foot = []
    for where in ((biped.mech, biped.state), biped.start):
        momentum = rg.momentum(*where)
        about_foot.append((momentum.angular - np.cross(foot, momentum.linear))[1])
    assert about_foot[1] == pytest.approx(about_foot[0], abs=1e-13)


def test_the_gait_becomes_steady(steady):
    periods = np.diff(strike_times(steady))
    assert steady.events[-1].name != "fall"
    assert periods[-5:] == pytest.approx([0.734379] * 5, abs=2e-6)


def test_in_the_steady_gait_a_strike_takes_what_the_slope_gives(steady):
    last, following = steady.segments[-3:-1]
    before, after = rg.energy(last.mech, last.state(last.t[-1])), rg.energy(following.mech, following.state(following.t[0]))
    start = rg.energy(last.mech, last.state(last.t[0]))
    lost, gained = before.total - after.total, start.potential - before.potential
    assert lost == pytest.approx(gained, rel=1e-6)
    assert lost == pytest.approx(1.100745, rel=1e-5)


def test_scuffing_is_no_strike(steady):
    biped = compass_biped()
    segments = steady.segments[:-1]
    assert [segment.event for segment in segments] == ["left strike", "right strike"] * (len(segments) // 2) + ["left strike"] * (
        len(segments) % 2
    )
    assert min(np.diff(strike_times(steady))) > 0.7
    middle = segments[5]
    swinging = "left foot" if middle.event == "left strike" else "right foot"
    heights = [above_the_slope(biped, middle.mech, middle.state(t), swinging) for t in np.linspace(*middle.t[[0, -1]], 200)]
    assert min(heights) < -1e-4  # it does scuff, and goes on


def test_feet_stand_on_the_slope_after_many_steps(steady):
    biped = compass_biped()
    for segment in steady.segments:
        standing = "left foot" if segment.mech.joints["stance"].child == "left" else "right foot"
        assert abs(above_the_slope(biped, segment.mech, segment.state(segment.t[-1]), standing)) < 1e-10


def test_histories_across_all_strikes_are_those_of_the_states(steady):
    begins = np.cumsum([0, *(len(segment.t) for segment in steady.segments[:-1])])
    states = [(segment.mech, segment.state(segment.t[0])) for segment in steady.segments]
    assert np.allclose(steady.energy().kinetic[begins], [rg.energy(*where).kinetic for where in states], rtol=1e-12)
    feet = steady.frame("right foot").position[begins]
    assert np.allclose(feet, [rg.frame_position(*where, "right foot") for where in states], rtol=0, atol=1e-12)


def test_on_a_steep_slope_it_falls():
    biped = compass_biped(slope=0.2)
    fall = walk(biped, 10.0)
    assert fall.events[-1].name == "fall"
    mech, state = fall.final
    hip = rg.body_poses(mech, state)["left"].translation
    assert hip[2] == pytest.approx(math.tan(0.2) * hip[0], abs=1e-9)


def test_legs_and_standing_undo_each_other():
    biped = compass_biped()
    legs = Legs(0.1, -0.2, 0.3, -0.4)
    assert biped.legs(biped.mech, biped.standing(legs)) == pytest.approx(legs, abs=1e-15)
    mech, state = biped.start
    again = replace(biped, state=biped.standing(biped.legs(mech, state)))
    assert rg.energy(again.mech, again.state).kinetic == pytest.approx(rg.energy(mech, state).kinetic, rel=1e-12)


def test_the_simplest_walker_walks_as_published():
    biped = simplest_walker(foot_mass=1e-8)
    strides = walk(biped, 5 * 3.8825)
    mech, state = strides.segments[-1].mech, strides.segments[-1].state(strides.segments[-1].t[0])
    legs = biped.legs(mech, state)
    assert np.diff(strike_times(strides))[-1] == pytest.approx(3.88246375, abs=2e-6)
    assert legs.stance + biped.slope == pytest.approx(0.2003109005442, abs=1e-6)
    assert legs.stance_rate == pytest.approx(-0.1998324730050, abs=1e-6)


def test_the_simplest_walker_keeps_going_with_its_own_feet():
    assert len(strike_times(walk(simplest_walker(), 40.0))) == 10


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"hip_on": "middle"}, "hip_on"),
        ({"length": 0.0}, "length must be positive"),
        ({"slope": 2.0}, "slope"),
        ({"gravity": -9.81}, "gravity must be positive"),
    ],
)
def test_what_makes_no_biped_is_refused(arguments, says):
    with pytest.raises(rg.ModelError, match=says):
        compass_biped(**arguments)


def test_legs_together_cannot_strike():
    biped = compass_biped()
    closed = replace(biped, state=biped.standing(Legs(0.0, 0.0, -1.0, -1.0)))
    with pytest.raises(rg.ModelError, match="spread the legs"):
        _ = closed.start
