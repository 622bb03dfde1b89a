"""Contacts beside all else that holds joints: maximal coordinates, closed chains, couplings, prescribed motion, limits."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import on_turntable
from contacts.falling_mechanisms import falling_boxes, farthest_apart

EXACT = {"rtol": 1e-11, "atol": 1e-12}
BOTH = pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
G = 9.81


def at(x=0.0, y=0.0, z=0.0):
    return rg.Pose(translation=(x, y, z))


def same_in_both(mech, state, contacts, duration, bound):
    """Run in both kinds of coordinates: the same events, and motions no further apart than a bound."""
    one, other = (
        rg.simulate(mech, state, duration, contacts=contacts, coordinates=kind, **EXACT) for kind in ("reduced", "maximal")
    )
    assert [event.name for event in one.events] == [event.name for event in other.events]
    assert farthest_apart(one, other, np.linspace(0, duration, 9)) < bound
    return one


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_random_mechanisms_fall_alike_in_maximal_coordinates(seed):
    assert len(same_in_both(*falling_boxes(seed), 0.7, 1e-8).events) >= 5


def four_bar(seed):
    """A closed chain of four bars that is thrown at random, with points beside all of its hinges."""
    rng, length, mech = np.random.default_rng(seed), 0.3, rg.Mechanism()
    for k in range(4):
        mech.add_body(f"bar {k}", rg.Inertia.box(1.0 + 0.1 * k, (length, 0.05, 0.05)))
        mech.add_frame(f"near {k}", f"bar {k}", at(-length / 2, 0.02))
        mech.add_frame(f"far {k}", f"bar {k}", at(length / 2, -0.02))
    mech.add_joint("float", rg.Free(), "world", "bar 0")
    for k in range(4):
        hinge = rg.Revolute((0, 0, 1))
        mech.add_joint(f"hinge {k}", hinge, f"bar {k}", f"bar {(k + 1) % 4}", at(length / 2), at(-length / 2))
    turn = rng.normal(size=4)
    right = dict.fromkeys(("hinge 0", "hinge 1", "hinge 2"), math.pi / 2)
    q = {"float": (0, 0, 0.6, *(turn / np.linalg.norm(turn))), **right}
    contacts = [rg.Contact(name, friction=0.4) for name in mech.frames]
    return mech, mech.state(q=q, v={"float": rng.normal(size=6)}), contacts


@pytest.mark.parametrize(("seed", "bound"), [(1, 1e-8), (2, 1e-5)])
def test_a_closed_chain_falls_and_comes_to_rest(seed, bound):
    """The second rattles until all its points slip slowly at once; how they go on from there is found to about 1e-6 only."""
    mech, state, contacts = four_bar(seed)
    same_in_both(mech, state, contacts, 0.53, 1e-8)
    traj = same_in_both(mech, state, contacts, 0.8, bound)
    heights = [rg.frame_position(*traj.final, name)[2] for name in mech.frames]
    assert min(heights) == pytest.approx(0.0, abs=1e-12)
    before, after = (rg.energy(traj.mechanism(t), traj.state(t)).total for t in (0.0, 0.8))
    assert after < before


def test_coupled_legs_with_springs_and_limits_land_alike():
    """They come down one foot after the other: of two that land at once on one leg this narrow, one begins to slip from rest, and
    the direction of that slip is unstable, so that rounding decides how they share the load."""
    mech = rg.Mechanism()
    mech.add_body("trunk", rg.Inertia.box(2.0, (0.3, 0.2, 0.1)))
    mech.add_joint("float", rg.Free(), "world", "trunk")
    for k, x in enumerate((-0.12, 0.12)):
        mech.add_body(f"leg {k}", rg.Inertia.box(0.5, (0.05, 0.05, 0.3), at=(0, 0, -0.15)))
        hip = rg.Revolute((0, 1, 0), stiffness=5.0, damping=0.2, limits=(-0.4, 0.4))
        mech.add_joint(f"hip {k}", hip, "trunk", f"leg {k}", at(x, 0, -0.05))
        for side in (-1, 1):
            mech.add_frame(f"foot {k} {side}", f"leg {k}", at(0, 0.05 * side, -0.3))
    mech.add_coupling("spread", "hip 0", "hip 1", ratio=-1.0)
    state = mech.state(q={"float": (0, 0, 0.5, 1, 0, 0, 0)}, v={"float": (0.5, 0.2, 0, 0.2, 0.3, 0)})
    traj = same_in_both(mech, state, [rg.Contact(name, friction=0.5) for name in mech.frames], 0.8, 1e-8)
    assert len(traj.events) >= 4


@BOTH
def test_a_block_is_pulled_over_the_ground_by_a_rope(coordinates):
    """A coupling is the rope from a block of 2 kg, on a carriage of 0.5 kg without load, to a weight of 1 kg."""
    mech = rg.Mechanism()
    mech.add_body("carriage", rg.Inertia.sphere(0.5, 0.1))
    mech.add_body("block", rg.Inertia.sphere(2.0, 0.1))
    mech.add_body("weight", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("x", rg.Prismatic((1, 0, 0)), "world", "carriage")
    mech.add_joint("z", rg.Prismatic((0, 0, 1)), "carriage", "block")
    mech.add_joint("down", rg.Prismatic((0, 0, -1)), "world", "weight")
    mech.add_frame("sole", "block")
    mech.add_coupling("rope", "x", "down")
    rate = lambda mu: (1.0 - mu * 2.0) * G / 3.5  # noqa: E731
    slides = rg.simulate(mech, mech.state(), 1.0, contacts=rg.Contact("sole", friction=0.3), coordinates=coordinates)
    assert slides.final[1].q[mech.q_slice("x")] == pytest.approx([rate(0.3) / 2], abs=1e-9)
    assert slides.events == []
    start = mech.state(v={"x": 1.0, "down": 1.0})
    stops = rg.simulate(mech, start, 1.5, contacts=rg.Contact("sole", friction=0.8), coordinates=coordinates)
    assert [event.name for event in stops.events] == ["sole sticks"]
    assert stops.events[0].t == pytest.approx(-1.0 / rate(0.8), abs=1e-9)
    assert stops.final[1].q[mech.q_slice("x")] == pytest.approx([-0.5 / rate(0.8)], abs=1e-9)


def test_a_ball_on_a_driven_turntable_goes_round_at_two_sevenths_of_its_rate():
    rate, start, velocity, radius = 2.0, (0.5, 0.0), (0.1, 0.3), 0.1
    mech = rg.Mechanism()
    mech.add_body("table", rg.Inertia.cylinder(5.0, 1.0, (0, 0, -0.05), (0, 0, 0)))
    mech.add_joint("axle", rg.Revolute((0, 0, 1)), "world", "table")
    mech.add_shape("table", rg.Plane(), "top")
    mech.add_body("ball", rg.Inertia.sphere(1.0, radius))
    mech.add_joint("free", rg.Free(), "world", "ball")
    mech.add_shape("ball", rg.Sphere(radius), "round")
    slip = np.array([*velocity, 0.0]) - np.cross((0, 0, rate), (*start, 0.0))
    spin = np.cross((0, 0, 1), slip) / radius
    state = mech.state(q={"free": (*start, radius, 1, 0, 0, 0)}, v={"axle": rate, "free": (*velocity, 0, *spin)})
    drive = {"axle": lambda t: (rate * t, rate, 0.0)}
    traj = rg.simulate(mech, state, 2.0, contacts=rg.Contact("ball", "table", friction=0.8), prescribed=drive, **EXACT)
    assert traj.events == []
    place = rg.body_poses(*traj.final)["ball"].translation
    assert place[:2] == pytest.approx(on_turntable(rate, start, velocity, 2.0), abs=1e-10)
    assert place[2] == pytest.approx(radius, abs=1e-12)


@BOTH
def test_a_box_is_taken_along_by_a_belt(coordinates):
    mech = rg.Mechanism()
    mech.add_body("box", rg.Inertia.box(1.0, (0.2, 0.2, 0.1)))
    mech.add_joint("free", rg.Free(), "world", "box")
    mech.add_shape("box", rg.Box((0.2, 0.2, 0.1)), "sides")
    belt, state = rg.Contact("box", friction=0.3, velocity=(1, 0, 0)), mech.state(q={"free": (0, 0, 0.05, 1, 0, 0, 0)})
    traj = rg.simulate(mech, state, 1.0, contacts=belt, coordinates=coordinates)
    t = 1 / (0.3 * G)
    assert [event.t for event in traj.events] == pytest.approx([t] * 4, abs=1e-10)
    assert rg.body_poses(*traj.final)["box"].translation == pytest.approx((t / 2 + 1 - t, 0, 0.05), abs=1e-12)


def test_a_driven_lift_leaves_what_it_cannot_pull_down():
    """A floor goes up and down as A (1 − cos ωt): a ball on it leaves when the floor falls faster than the ball would."""
    amplitude, omega = 0.2, 10.0
    mech = rg.Mechanism()
    mech.add_body("floor", rg.Inertia.box(5.0, (1, 1, 0.1)))
    mech.add_joint("lift", rg.Prismatic((0, 0, 1)), "world", "floor")
    mech.add_shape("floor", rg.Plane(), "top")
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    mech.add_shape("ball", rg.Sphere(0.1), "round")

    def motion(t):
        s, c = math.sin(omega * t), math.cos(omega * t)
        return amplitude * (1 - c), amplitude * omega * s, amplitude * omega**2 * c

    leaves = math.acos(-G / (amplitude * omega**2)) / omega
    traj = rg.simulate(
        mech, mech.state(q={"fall": 0.1}), 0.3, contacts=rg.Contact("ball", "floor"), prescribed={"lift": motion}, **EXACT
    )
    assert [event.name for event in traj.events] == ["ball leaves"]
    assert traj.events[0].t == pytest.approx(leaves, abs=1e-9)
    height, speed, _ = motion(leaves)
    rest = 0.3 - leaves
    expected = 0.1 + height + speed * rest - G * rest**2 / 2
    assert rg.body_poses(*traj.final)["ball"].translation[2] == pytest.approx(expected, abs=1e-9)
