"""What is small and fast does not pass through what is thin, however long the steps of its flight are."""

import numpy as np
import pytest

import regraft as rg

TARGETS = {
    "ball": rg.Sphere(0.02),
    "small ball": rg.Sphere(0.005),
    "plate": rg.Box((0.5, 0.5, 0.01)),
    "foil": rg.Box((0.5, 0.5, 0.001)),
    "capsule": rg.Capsule(0.01, (-0.3, 0, 0), (0.3, 0, 0)),
    "disc": rg.Cylinder(0.2, 0.01),
}
BALL, ROD = rg.Sphere(0.01), rg.Capsule(0.01, (0, -0.3, 0), (0, 0.3, 0))


def thrown_at(form, thrown, *, x=0.0, height=3.0, speed=100.0, gravity=0.0, duration=0.2, fast_target=False):
    """A ball, a rod, or a point where it is None, that comes down on a shape at the origin, which may fly up; elastic."""
    mech = rg.Mechanism(gravity=(0, 0, -gravity))
    mech.add_body("thing", rg.Inertia.sphere(0.1, 0.01))
    mech.add_joint("flight", rg.Free(), "world", "thing")
    if thrown is None:
        mech.add_frame("shot", "thing")
    else:
        mech.add_shape("thing", thrown, "shot")
    on, v = "world", {"flight": (0, 0, -speed, 0, 0, 0)}
    if fast_target:
        on = "other"
        mech.add_body(on, rg.Inertia.sphere(0.1, 0.02))
        mech.add_joint("up", rg.Free(), "world", on)
        v["up"] = (0, 0, speed, 0, 0, 0)
    mech.add_shape(on, form, "target")
    state = mech.state(q={"flight": (x, 0, height, 1, 0, 0, 0)}, v=v)
    return rg.simulate(mech, state, duration, contacts=rg.Contact("shot", "target", restitution=1.0))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("thrown", [BALL, None], ids=["ball", "point"])
def test_it_bounces_back(target, thrown):
    traj = thrown_at(TARGETS[target], thrown)
    assert [event.name for event in traj.events] == ["shot touches"]
    assert traj.final[1].v[2] == pytest.approx(100.0)


def test_a_rod_bounces_back_from_one_that_it_crosses():
    traj = thrown_at(TARGETS["capsule"], ROD)
    assert len(traj.events) == 1
    assert traj.final[1].v[2] == pytest.approx(100.0)


def test_two_balls_that_fly_at_each_other_meet():
    traj = thrown_at(TARGETS["ball"], BALL, fast_target=True)
    assert traj.events[0].t == pytest.approx((3.0 - 0.03) / 200.0)
    assert traj.final[1].v[[2, 8]] == pytest.approx((100.0, -100.0))


def test_what_grazes_a_ball_is_seen_and_what_misses_it_is_not():
    assert len(thrown_at(TARGETS["ball"], BALL, x=0.0298).events) == 1
    assert thrown_at(TARGETS["ball"], BALL, x=0.0302).events == []


def test_what_falls_from_rest_far_above_is_seen():
    traj = thrown_at(TARGETS["plate"], BALL, height=500.0, speed=0.0, gravity=9.81, duration=12.0)
    assert traj.events[0].t == pytest.approx(np.sqrt(2 * (500.0 - 0.015) / 9.81))


def test_far_away_it_costs_next_to_nothing():
    near, far = (thrown_at(TARGETS["ball"], BALL, height=h, duration=2.0 * h / 100.0).steps for h in (3.0, 3e4))
    assert far < near + 40
    assert thrown_at(TARGETS["ball"], BALL, x=5.0, duration=10.0).steps < 40


def flown_over_plates(*, one_moves=False, touches=True, height=0.3):
    """A ball that flies over plates in a row, each too thin to be left out of sight for long; the last may be on a body."""
    mech = rg.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("thing", rg.Inertia.sphere(0.1, 0.01))
    mech.add_joint("flight", rg.Free(), "world", "thing")
    mech.add_shape("thing", BALL, "shot")
    mech.add_body("carrier", rg.Inertia.sphere(0.1, 0.01))
    mech.add_joint("rail", rg.Prismatic((0, 1, 0)), "world", "carrier")
    contacts = []
    for k in range(30):
        on = "carrier" if one_moves and k == 29 else "world"
        mech.add_shape(on, rg.Box((0.1, 0.5, 0.001)), f"plate {k}", rg.Pose(translation=(0.4 * k, 0, 0)))
        contacts.append(rg.Contact("shot", f"plate {k}", name=f"at {k}", restitution=0.8))
    state = mech.state(q={"flight": (-0.5, 0, height, 1, 0, 0, 0)}, v={"flight": (8.0, 0, -1.0, 0, 5.0, 0)})
    return rg.simulate(mech, state, 1.0, contacts=contacts if touches else (), step=0.02)


@pytest.mark.parametrize("height", [0.1, 0.3])
def test_steps_are_as_short_where_only_what_is_near_is_looked_at(height):
    """Where a target is on a body, all of them are looked at after each step; where all are in the world, few are."""
    few, all_of_them = flown_over_plates(height=height), flown_over_plates(height=height, one_moves=True)
    assert few.steps > 10 + flown_over_plates(height=height, touches=False).steps  # what is thin shortens them
    assert few.steps == all_of_them.steps
    assert [(e.t, e.name) for e in few.events] == [(e.t, e.name) for e in all_of_them.events]
    np.testing.assert_array_equal(few.final[1].q, all_of_them.final[1].q)
