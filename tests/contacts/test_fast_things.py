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
