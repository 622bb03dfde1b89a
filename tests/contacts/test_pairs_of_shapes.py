"""Which shapes touch which, when, and along which normal: bodies that fall onto shapes of the world."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import G
from contacts.reading import impact_times, jumps
from contacts.scenes import at, free_body

ALONG_Y = rg.Capsule(0.1, (0, -0.5, 0), (0, 0.5, 0))


def first_touch(form, inertia, pose, below, place, duration=1.0, names=("thing", "below")):
    """(time, velocity that the middle gains, momentum about the middle) in the first impact, elastic and without friction."""
    mech, state = free_body("thing", inertia, pose, form=form)
    mech.add_shape("world", below, "below", place)
    state = mech.state(q=state.q)
    traj = rg.simulate(mech, state, duration, contacts=[rg.Contact(*names, restitution=1.0)])
    t = impact_times(traj, names[0])[0]
    i = next(i for i in jumps(traj) if traj.t[i] == t)
    momentum, middle = traj.momentum(), traj.body("thing").position[i]
    gained = momentum.linear[i + 1] - momentum.linear[i]
    turned = momentum.angular[i + 1] - momentum.angular[i] - np.cross(middle, gained)
    return t, gained, turned


def fallen(distance):
    return math.sqrt(2 * distance / G)


def unit(vector):
    return np.asarray(vector) / np.linalg.norm(vector)


BALL = rg.Sphere(0.1), rg.Inertia.sphere(1.0, 0.1)
BOX = rg.Box((0.2, 0.2, 0.2)), rg.Inertia.box(1.0, (0.2, 0.2, 0.2))
BAR = rg.Capsule(0.1, (-0.5, 0, 0), (0.5, 0, 0)), rg.Inertia.cylinder(1.0, 0.1, (-0.5, 0, 0), (0.5, 0, 0))
DISC = rg.Cylinder(0.3, 0.1), rg.Inertia.cylinder(1.0, 0.3, (0, 0, -0.05), (0, 0, 0.05))


@pytest.mark.parametrize(
    ("below", "place", "top", "normal"),
    [
        (rg.Plane(), at(), 0.1, (0, 0, 1)),
        (rg.Sphere(0.2), at(), math.sqrt(0.3**2 - 0.1**2), (0.1, 0, math.sqrt(0.3**2 - 0.1**2))),
        (ALONG_Y, at(), math.sqrt(0.2**2 - 0.1**2), (0.1, 0, math.sqrt(0.2**2 - 0.1**2))),
        (ALONG_Y, at(y=-0.6), math.sqrt(0.2**2 - 0.1**2 - 0.1**2), (0.1, 0.1, math.sqrt(0.02))),
        (rg.Box((1, 1, 0.4)), at(), 0.3, (0, 0, 1)),
    ],
    ids=["plane", "sphere", "capsule", "end of a capsule", "face of a box"],
)
def test_a_ball_at_x_01_meets_what_is_below_it(below, place, top, normal):
    t, gained, turned = first_touch(*BALL, at(x=0.1, z=1.0), below, place)
    assert t == pytest.approx(fallen(1.0 - top), abs=1e-10)
    expected = 2 * G * t * unit(normal)[2] * unit(normal)  # it is reflected
    assert gained == pytest.approx(expected, abs=1e-9)
    assert np.abs(turned).max() < 1e-9


def test_two_capsules_meet_crosswise_and_end_to_side():
    t, gained, turned = first_touch(*BAR, at(x=0.1, z=1.0), ALONG_Y, at())
    assert t == pytest.approx(fallen(0.8), abs=1e-10)
    assert gained[:2] == pytest.approx((0.0, 0.0), abs=1e-10)
    assert turned == pytest.approx((0.0, 0.1 * gained[2], 0.0), abs=1e-9)  # the point is at −0.1 along the bar
    t, gained, _ = first_touch(*BAR, at(x=0.6, z=1.0), ALONG_Y, at())  # its end at 0.1 from the axis of the other
    top = math.sqrt(0.2**2 - 0.1**2)
    assert t == pytest.approx(fallen(1.0 - top), abs=1e-10)
    assert unit(gained) == pytest.approx(unit((0.1, 0, top)), abs=1e-9)


@pytest.mark.parametrize("tilt", [0.2, -0.7])
def test_a_box_lands_on_its_lowest_edge_and_a_disc_on_its_rim(tilt):
    turn = rg.Pose.about((0, 1, 0), tilt)
    low = 0.1 * (abs(math.cos(tilt)) + abs(math.sin(tilt)))
    t, gained, turned = first_touch(*BOX, at(z=1.0) @ turn, rg.Plane(), at())
    assert t == pytest.approx(fallen(1.0 - low), abs=1e-10)
    assert gained[:2] == pytest.approx((0.0, 0.0), abs=1e-10)
    aside = 0.1 * (math.copysign(math.cos(tilt), tilt) - math.sin(tilt))
    assert turned == pytest.approx((0.0, -aside * gained[2], 0.0), abs=1e-9)
    low = 0.3 * abs(math.sin(tilt)) + 0.05 * math.cos(tilt)
    t, gained, _ = first_touch(*DISC, at(z=1.0) @ turn, rg.Plane(), at())
    assert t == pytest.approx(fallen(1.0 - low), abs=1e-10)
    assert gained[:2] == pytest.approx((0.0, 0.0), abs=1e-10)


def test_a_capsule_lands_on_its_lower_end():
    t, gained, turned = first_touch(*BAR, at(z=1.0) @ rg.Pose.about((0, 1, 0), 0.3), rg.Plane(), at())
    assert t == pytest.approx(fallen(1.0 - 0.5 * math.sin(0.3) - 0.1), abs=1e-10)
    assert turned == pytest.approx((0.0, -0.5 * math.cos(0.3) * gained[2], 0.0), abs=1e-9)


def test_the_order_of_names_makes_no_difference():
    one = first_touch(*BALL, at(x=0.1, z=1.0), rg.Sphere(0.2), at())
    other = first_touch(*BALL, at(x=0.1, z=1.0), rg.Sphere(0.2), at(), names=("below", "thing"))
    assert one[0] == pytest.approx(other[0], abs=1e-12)
    assert one[1] == pytest.approx(other[1], abs=1e-10)


def test_a_shape_that_sits_aside_on_its_body_is_met_where_it_is():
    mech, state = free_body("thing", rg.Inertia.box(1.0, (0.4, 0.4, 0.4)), at(z=1.0))
    mech.add_shape("thing", rg.Sphere(0.1), "knob", at(x=0.3, z=-0.4))
    traj = rg.simulate(mech, mech.state(q=state.q), 0.5, contacts=[rg.Contact("knob", restitution=0.5)])
    assert impact_times(traj, "knob")[0] == pytest.approx(fallen(0.5), abs=1e-10)


def test_two_bodies_in_flight_meet_and_keep_their_momentum():
    """A ball from the left and one from the right, not head on: what they exchange is along the line of their middles."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name, x, z in (("one", -1.0, 0.0), ("other", 1.0, 0.1)):
        mech.add_body(name, rg.Inertia.sphere(1.0 if name == "one" else 2.0, 0.1))
        mech.add_joint(f"{name} free", rg.Free(), "world", name, at(x=x, z=z))
        mech.add_shape(name, rg.Sphere(0.1), f"{name} shape")
    state = mech.state(v={"one free": (1, 0, 0, 0, 0, 0), "other free": (-1, 0, 0, 0, 0, 0)})
    traj = rg.simulate(mech, state, 1.5, contacts=[rg.Contact("one", "other", restitution=0.6)])
    (t,) = impact_times(traj, "one")
    assert t == pytest.approx((2.0 - math.sqrt(0.2**2 - 0.1**2)) / 2, abs=1e-12)
    line = unit((math.sqrt(0.03), 0, 0.1))
    impulse = 1.6 * (2 / 3) * 2.0 * line[0]  # (1 + e) · reduced mass · speed of approach
    assert traj.body("one").velocity[-1] == pytest.approx(np.array([1.0, 0, 0]) - impulse * line, abs=1e-12)
    assert traj.body("other").velocity[-1] == pytest.approx(np.array([-1.0, 0, 0]) + impulse / 2 * line, abs=1e-12)
    assert np.ptp(traj.momentum().angular, axis=0).max() < 1e-12
