"""Brackets, brakes, clutches, screws and launching platforms, as textbooks have them, each against its closed form."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import G
from contacts.reading import STICKING
from contacts.scenes import IN_PLANE, at, ball, free_body, moving
from contacts.test_classic_slides import when


def in_plane(name, inertia, **frames):
    """A mechanism with a body that moves in the plane of x and z, with frames at (x, z)."""
    mech = rg.Mechanism()
    mech.add_body(name, inertia)
    mech.add_joint("plane", IN_PLANE, "world", name)
    for frame, (x, z) in frames.items():
        mech.add_frame(frame, name, at(x=x, z=z))
    return mech


@pytest.mark.parametrize("share", [0.98, 1.02])
def test_a_bracket_on_a_pole_locks_itself_if_its_load_is_far_out(share):
    """Its upper end leans on one side of the pole, its lower end on the other: it holds beyond h / 2µ, and falls before."""
    high, mu = 0.2, 0.25
    out = share * high / (2 * mu)
    mech = in_plane("bracket", rg.Inertia(1.0, (out, 0, 0), 0.01 * np.eye(3)), above=(0, high / 2), below=(0, -high / 2))
    mech.add_shape("world", rg.Plane((-1, 0, 0)), "left")
    mech.add_shape("world", rg.Plane((1, 0, 0)), "right")
    contacts = [rg.Contact("above", "left", friction=mu), rg.Contact("below", "right", friction=mu)]
    traj = rg.simulate(mech, mech.state(), 0.5, contacts=contacts)
    fallen = 0.0 if share > 1 else G * 0.5**2 / 2
    assert traj.final[1].q == pytest.approx((0, -fallen, 0), abs=1e-12)
    if share > 1:
        assert traj.contacts()["above"].normal == pytest.approx(G * out / high, rel=1e-11)
        assert traj.contacts()["above"].mode[-1] == STICKING


@pytest.mark.parametrize("locked", ["front", "rear"])
def test_a_cart_whose_wheels_lock_slows_down_by_what_they_carry(locked):
    """µ g b / (L − µ h) with the front wheels, µ g (L − b) / (L + µ h) with the rear ones, b being from these to the middle."""
    long, back, high, mu = 2.5, 1.2, 0.6, 0.8
    mech = in_plane("cart", rg.Inertia.box(1000.0, (3, 1, 1)), rear=(-back, -high), front=(long - back, -high))
    state = mech.state(q={"plane": (0, high, 0)}, v={"plane": (20, 0, 0)})
    contacts = [rg.Contact(name, friction=mu if name == locked else 0.0) for name in ("rear", "front")]
    traj = rg.simulate(mech, state, 2.0, contacts=contacts)
    slows = mu * G * back / (long - mu * high) if locked == "front" else mu * G * (long - back) / (long + mu * high)
    assert traj.final[1].q[0] == pytest.approx(40 - 2 * slows, rel=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.999999, 1.000001, 2.0])
def test_a_wheel_that_is_driven_by_more_than_it_can_bear_spins(share):
    """A disc rolls up to the torque 3/2 µ m g r; beyond, it has the acceleration µg whatever drives it."""
    radius, mu, mass = 0.3, 0.6, 10.0
    own, most = mass * radius**2 / 2, 1.5 * mu * mass * G * radius
    mech = in_plane("wheel", rg.Inertia(mass, (0, 0, 0), np.diag([0.3, own, 0.3])))
    mech.add_shape("wheel", rg.Sphere(radius), "tyre")
    torque = share * most
    drive = {"plane": (0, 0, -torque)}
    traj = rg.simulate(
        mech, mech.state(q={"plane": (0, radius, 0)}), 1.0, torque=drive, contacts=rg.Contact("wheel", friction=mu)
    )
    rate = torque / (1.5 * mass * radius**2) if share < 1 else (torque - mu * mass * G * radius) / own
    assert traj.final[1].v == pytest.approx((mu * G * min(share, 1.0), 0, -rate), rel=1e-11)


def test_a_rod_on_two_fingers_that_come_together_ends_above_their_middle():
    """They slip in turns: each time the load of one is to that of the other as static to kinetic friction."""
    static, kinetic, speed, left, right = 0.5, 0.3, 0.1, -0.8, 0.6
    mech = in_plane("rod", rg.Inertia.rod(1.0, (-1, 0, 0), (1, 0, 0)))
    mech.add_shape("rod", rg.Plane((0, 0, -1)), "below")
    for name in ("left", "right"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"{name} x", rg.Prismatic((1, 0, 0)), "world", name)
        mech.add_frame(f"{name} tip", name)
    start = mech.state(q={"left x": left, "right x": right}, v={"left x": speed, "right x": -speed})
    told = {"left x": lambda t: (left + speed * t, speed, 0.0), "right x": lambda t: (right - speed * t, -speed, 0.0)}
    contacts = [rg.Contact(f"{name} tip", "below", friction=(static, kinetic)) for name in ("left", "right")]
    traj = rg.simulate(mech, start, 6.9, contacts=contacts, prescribed=told)
    ratios = []
    for event in traj.events:
        if event.name.endswith("slips"):
            middle = traj.state(event.t)["plane"].q[0]
            ways = middle - (left + speed * event.t), right - speed * event.t - middle
            ratios.append(max(ways) / min(ways))
    assert ratios == pytest.approx([static / kinetic] * 5, rel=1e-9)


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_a_cube_that_slides_against_a_kerb_tips_over_it_if_it_is_fast_enough(share):
    """A smooth cube with edges of 2a turns at 3v/8a then, and gets over the edge from v² = 16/3 (√2 − 1) g a on."""
    a = 0.1
    v = share * math.sqrt(16 / 3 * (math.sqrt(2) - 1) * G * a)
    mech = in_plane("cube", rg.Inertia.box(1.0, (2 * a, 2 * a, 2 * a)), toe=(a, -a), heel=(-a, -a))
    mech.add_shape("world", rg.Plane((-1, 0, 0)), "kerb", at(x=1.0))
    start = mech.state(q={"plane": (0, a, 0)}, v={"plane": (v, 0, 0)})
    contacts = [rg.Contact("toe", "kerb", name="toe at kerb"), rg.Contact("toe"), rg.Contact("heel")]
    traj = rg.simulate(mech, start, 1.3, contacts=contacts)
    met = when(traj, "toe at kerb touches")
    assert met == pytest.approx((1 - a) / v, abs=1e-12)
    assert traj.state(met).v[2] == pytest.approx(-3 * v / (8 * a), rel=1e-11)
    assert (min(traj.joint("plane").q[:, 2]) < -math.pi / 4) == (share > 1)


def test_what_lies_on_a_platform_with_a_spring_leaves_it_where_the_spring_is_at_ease():
    mass, load, stiffness, down = 0.5, 1.0, 200.0, 0.2
    mech, _ = free_body("box", rg.Inertia.box(load, (0.1, 0.1, 0.1)), at(), form=rg.Box((0.1, 0.1, 0.1)))
    mech.add_body("platform", rg.Inertia.box(mass, (0.3, 0.3, 0.1)))
    mech.add_joint("spring", rg.Prismatic((0, 0, 1), stiffness=stiffness), "world", "platform")
    mech.add_shape("platform", rg.Plane(), "top")
    rest = -(mass + load) * G / stiffness
    state = mech.state(q={"spring": rest - down, "box free": (0, 0, rest - down + 0.05, 1, 0, 0, 0)})
    traj = rg.simulate(mech, state, 0.5, contacts=rg.Contact("box", "top", friction=0.5))
    rate = math.sqrt(stiffness / (mass + load))
    assert when(traj, "box/0 leaves") == pytest.approx(math.acos(rest / down) / rate, abs=1e-10)
    assert traj.state(when(traj, "box/0 leaves"))["spring"].q == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_a_clutch_that_slips_brings_two_flywheels_to_one_rate(coordinates):
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name, own in (("one", 2.0), ("other", 3.0)):
        mech.add_body(name, rg.Inertia(1.0, (0, 0, 0), own * np.eye(3)))
    mech.add_joint("shaft", rg.Revolute((0, 0, 1)), "world", "one")
    mech.add_joint("clutch", rg.Revolute((0, 0, 1), friction=1.5), "one", "other")
    traj = rg.simulate(mech, mech.state(v={"shaft": 10, "clutch": -10}), 12.0, coordinates=coordinates)
    assert when(traj, "clutch sticks") == pytest.approx(10 / (1.5 / 2 + 1.5 / 3), abs=1e-11)
    assert traj.final[1].v == pytest.approx((4, 0), abs=1e-12)


@pytest.mark.parametrize("share", [0.9, 1.001])
def test_a_nut_on_a_screw_runs_down_unless_friction_holds_it(share):
    mass, pitch, own = 5.0, 0.01, 0.02
    most = share * mass * G * pitch
    mech = rg.Mechanism()
    mech.add_body("nut", rg.Inertia(mass, (0, 0, 0), own * np.eye(3)))
    mech.add_joint("screw", rg.Helical((0, 0, 1), pitch, friction=most), "world", "nut")
    traj = rg.simulate(mech, mech.state(), 2.0)
    assert traj.final[1].v[0] == pytest.approx(-2 * max(mass * G * pitch - most, 0.0) / (own + mass * pitch**2), rel=1e-11)


@pytest.mark.parametrize(("ratio", "count"), [(1, 3), (100, 31), (10_000, 314)])
def test_two_blocks_and_a_wall_count_the_digits_of_pi(ratio, count):
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name, mass, x in (("small", 1.0, 1.0), ("large", ratio, 2.0)):
        mech.add_body(name, rg.Inertia.sphere(mass, 0.1))
        mech.add_joint(f"{name} x", rg.Prismatic((1, 0, 0)), "world", name, at(x=x))
        mech.add_shape(name, rg.Sphere(0.1), f"{name} shape")
    mech.add_shape("world", rg.Plane((1, 0, 0)), "wall")
    contacts = [rg.Contact("small", other, restitution=1.0, name=other) for other in ("wall", "large")]
    traj = rg.simulate(mech, mech.state(v={"large x": -1.0}), 40.0, contacts=contacts)
    assert len(traj.events) == count
    assert traj.energy().kinetic == pytest.approx(ratio / 2, rel=1e-12)


def test_a_rough_ball_between_floor_and_ceiling_loses_four_sevenths_of_its_speed_at_each():
    """It stops slipping on each; after the first, v = ω r, and the next takes 2/7 of the slip 2 v."""
    scene = ball(0.5, 0.1, linear=(3, 0, -2), friction=5.0, restitution=1.0)
    mech = scene.mech.replace(gravity=(0, 0, 0))
    mech.add_shape("world", rg.Plane((0, 0, -1)), "ceiling", at(z=1.2))
    contacts = [*scene.contacts, rg.Contact("ball", "ceiling", friction=5.0, restitution=1.0, name="high")]
    traj = rg.simulate(mech, moving(mech, scene.state, ball=((0, 0, 0), (3, 0, -2))), 2.9, contacts=contacts)
    assert len(traj.events) == 6
    twist = rg.body_twists(*traj.final)["ball"]
    assert twist[3] == pytest.approx(3 * 5 / 7 * (3 / 7) ** 5, rel=1e-12)
    assert abs(twist[1]) == pytest.approx(twist[3] / 0.1, rel=1e-12)


def test_what_lies_on_a_turntable_that_starts_slips_where_both_accelerations_take_it():
    """(α² + (αt)⁴) r² = µ² g²"""
    rate, radius, mu = 1.5, 0.5, 0.4
    mech = rg.Mechanism()
    mech.add_body("table", rg.Inertia.sphere(1.0, 1.0))
    mech.add_joint("turn", rg.Revolute((0, 0, 1)), "world", "table")
    mech.add_shape("table", rg.Plane(), "top")
    for name, axis, above in (("slide", (1, 0, 0), "world"), ("carriage", (0, 1, 0), "slide"), ("puck", (0, 0, 1), "carriage")):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1) if name == "puck" else rg.Inertia(0.0))
        mech.add_joint(f"{name} way", rg.Prismatic(axis), above, name)
    mech.add_frame("sole", "puck")
    told = {"turn": lambda t: (rate * t * t / 2, rate * t, rate)}
    contact = rg.Contact("sole", "top", friction=mu)
    traj = rg.simulate(mech, mech.state(q={"slide way": radius}), 2.0, contacts=contact, prescribed=told)
    slips = math.sqrt(math.sqrt((mu * G / radius) ** 2 - rate**2)) / rate
    assert when(traj, "sole slips") == pytest.approx(slips, abs=1e-11)
