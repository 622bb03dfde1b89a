"""A ball that bounces: each touch to rounding, and endlessly many of them as one event."""

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import bouncing, end_of_bouncing, first_touch
from contacts.reading import OPEN, accumulations, impact_times, jumps, points_of
from contacts.scenes import at, ball, falling_point

LAWS = ("poisson", "stronge", "newton")


def height(traj, t, body):
    return float(rg.body_poses(traj.mechanism(t), traj.state(t))[body].translation[2]) - 0.1


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("build", "body", "name"), [(ball, "ball", "ball"), (falling_point, "mass", "tip")])
def test_it_is_where_it_should_be_after_44_bounces(build, body, name, law):
    traj = build(1.0, restitution=0.9, law=law).run(8.5)
    bounces, expected, velocity = bouncing(1.0, 0.9, 8.5)
    times = impact_times(traj, name)
    assert len(times) == bounces == 44
    assert times[0] == pytest.approx(0.4515236409857309, abs=1e-10)
    assert height(traj, 8.5, body) == pytest.approx(expected, abs=1e-10)
    assert rg.body_twists(*traj.final)[body][5] == pytest.approx(velocity, abs=1e-10)
    flights = 2 * first_touch(1.0) * 0.9 ** np.arange(1, 44)
    assert np.diff(times) == pytest.approx(flights, abs=1e-10)


@pytest.mark.parametrize("e", [0.5, 0.9, 0.99])
def test_it_comes_to_rest_at_the_known_time(e):
    traj = ball(1.0, restitution=e).run(end_of_bouncing(1.0, e) + 1.0)
    (rest,) = accumulations(traj)
    t, name, count = rest
    assert t == pytest.approx(end_of_bouncing(1.0, e), abs=1e-10)
    assert "ball" in name
    assert count > 15
    after = points_of(traj, "ball")
    assert (after.mode[traj.t > t] != OPEN).all()
    assert after.normal[-1].sum() == pytest.approx(9.81, abs=1e-9)
    assert abs(height(traj, traj.t[-1], "ball")) < 1e-10


def test_each_bounce_keeps_the_square_of_the_restitution():
    traj = ball(1.0, restitution=0.8).run(2.5)
    kinetic = traj.energy().kinetic
    impacts = impact_times(traj, "ball")
    before = [i for i in jumps(traj) if traj.t[i] in impacts]
    assert len(before) == len(impacts) > 3
    for i in before:
        assert kinetic[i + 1] == pytest.approx(0.64 * kinetic[i], rel=1e-9)


def test_a_plastic_ball_stays_and_an_elastic_one_never_does():
    plastic, elastic = (ball(1.0, restitution=e).run(5.0) for e in (0.0, 1.0))
    assert len(impact_times(plastic, "ball")) == 1
    assert points_of(plastic, "ball").mode[-1, 0] != OPEN
    assert not accumulations(elastic)
    assert points_of(elastic, "ball").mode[-1, 0] == OPEN
    total = elastic.energy().total
    assert np.ptp(total) < 1e-9 * abs(total[0])
    assert np.diff(impact_times(elastic, "ball")) == pytest.approx(2 * first_touch(1.0), abs=1e-10)


def test_bounces_on_a_raised_ground_and_on_a_plane_that_stands_aslant():
    scene = ball(1.0, restitution=0.5)
    mech = scene.mech.copy()
    mech.add_shape("world", rg.ground(height=0.5), "floor")
    traj = rg.simulate(mech, scene.state, 1.0, contacts=[rg.Contact("ball", "floor", restitution=0.5)])
    assert impact_times(traj, "ball")[0] == pytest.approx(first_touch(0.5), abs=1e-10)
    wall = scene.mech.copy()
    wall.add_shape("world", rg.Plane((-1, 0, 1)), "wall", at(z=0.1 - 0.1 * 2**0.5))  # touches a ball at the ground's height
    traj = rg.simulate(wall, scene.state, 0.6, contacts=[rg.Contact("ball", "wall", restitution=1.0)])
    assert impact_times(traj, "ball")[0] == pytest.approx(first_touch(1.0), abs=1e-10)
    after = rg.body_twists(traj.mechanism(0.5), traj.state(0.5))["ball"]
    assert after[3] == pytest.approx(-9.81 * first_touch(1.0), abs=1e-9)  # without friction it is reflected to the side


def test_what_touches_may_be_said_by_body_shape_or_frame():
    scene = ball(1.0)
    mech = scene.mech.copy()
    mech.add_frame("south", "ball", at(z=-0.1))
    for what in ("ball", "ball shape", "south"):
        traj = rg.simulate(mech, scene.state, 0.6, contacts=[rg.Contact(what, restitution=0.5)])
        assert impact_times(traj, what)[0] == pytest.approx(first_touch(1.0), abs=1e-10)


def test_without_contacts_named_nothing_is_touched():
    scene = ball(1.0)
    traj = rg.simulate(scene.mech, scene.state, 1.0, contacts=[])
    assert height(traj, 1.0, "ball") == pytest.approx(1.0 - 9.81 / 2, abs=1e-9)
    assert len(traj.contacts()) == 0


def test_names_of_contacts():
    scene = ball(1.0)
    mech = scene.mech.copy()
    mech.add_shape("world", rg.ground(height=-1.0), "cellar")
    contacts = [rg.Contact("ball"), rg.Contact("ball", "cellar"), rg.Contact("ball shape", name="own")]
    traj = rg.simulate(mech, scene.state, 0.1, contacts=contacts)
    assert set(traj.contacts()) == {"ball-ground", "ball-cellar", "own"}
