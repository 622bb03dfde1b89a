"""Collisions as textbooks have them, each against its closed form."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import G
from contacts.reading import impact_times
from contacts.scenes import at, free_body, moving


def velocity(traj, t, body):
    return rg.body_twists(traj.mechanism(t), traj.state(t))[body]


@pytest.mark.parametrize("law", ["poisson", "newton", "stronge"])
@pytest.mark.parametrize(("mu", "e"), [(0.1, 0.8), (0.9, 0.8), (0.3, 0.5)])
@pytest.mark.parametrize("spin", [-80.0, 10.0, 60.0])
def test_a_ball_with_back_or_top_spin_bounces(law, mu, e, spin):
    """Normal impulse P = (1 + e) m v_n, whatever friction does; that of friction is µ P, or what stops the slip u: 2/7 m u."""
    radius, drop, speed = 0.1, 0.5, 3.0
    form, inertia = rg.Sphere(radius), rg.Inertia.sphere(1.0, radius)
    mech, state = free_body("ball", inertia, at(z=radius + drop), (speed, 0, 0), (0, spin, 0), form)
    traj = rg.simulate(mech, state, 0.4, contacts=rg.Contact("ball", friction=mu, restitution=e, law=law))
    touches = math.sqrt(2 * drop / G)
    assert impact_times(traj, "ball") == pytest.approx([touches], abs=1e-13)
    slip, coming = speed - radius * spin, G * touches
    rub = -math.copysign(min(mu * (1 + e) * coming, 2 / 7 * abs(slip)), slip)
    after = velocity(traj, 0.4, "ball")
    assert after[[1, 3]] == pytest.approx((spin - 2.5 * rub / radius, speed + rub), abs=1e-11)
    assert after[5] == pytest.approx(e * coming - G * (0.4 - touches), abs=1e-11)


@pytest.mark.parametrize("mu", [0.06, 0.5])
def test_side_spin_throws_the_ball_that_is_hit(mu):
    """Both balls slip on each other by ω r; friction µ P, or m ω r/7 that stops the slip, turns and pushes both."""
    radius, mass, e, speed, spin = 0.03, 0.17, 0.95, 1.5, 100.0
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name in ("cue", "object"):
        mech.add_body(name, rg.Inertia.sphere(mass, radius))
        mech.add_joint(f"{name} free", rg.Free(), "world", name)
        mech.add_shape(name, rg.Sphere(radius), f"{name} shape")
    state = moving(mech, mech.state(q={"cue free": (-0.07, 0, 0, 1, 0, 0, 0)}), cue=((0, 0, spin), (speed, 0, 0)))
    traj = rg.simulate(mech, state, 0.1, contacts=rg.Contact("cue", "object", friction=mu, restitution=e))
    push = mass / 2 * (1 + e) * speed
    rub = min(mu * push, spin * radius * mass / 7)
    turn = rub * radius / (0.4 * mass * radius**2)
    assert velocity(traj, 0.1, "object")[2:5] == pytest.approx((-turn, push / mass, rub / mass), abs=1e-11)
    assert velocity(traj, 0.1, "cue")[2:5] == pytest.approx((spin - turn, speed - push / mass, -rub / mass), abs=1e-11)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("apart", [0.0, 0.1])
def test_as_many_balls_of_a_cradle_leave_as_come(count, apart):
    """Five equal balls, elastic, one collision after the other: velocities are handed on."""
    mech, q, v = rg.Mechanism(gravity=(0, 0, 0)), {}, {}
    for i in range(5):
        mech.add_body(f"ball {i}", rg.Inertia.sphere(0.2, 0.05))
        mech.add_joint(f"x {i}", rg.Prismatic((1, 0, 0)), "world", f"ball {i}")
        mech.add_shape(f"ball {i}", rg.Sphere(0.05), f"shape {i}")
        q[f"x {i}"], v[f"x {i}"] = 0.1 * i - (apart if i < count else 0.0), 1.0 if i < count else 0.0
    pairs = [rg.Contact(f"ball {i}", f"ball {i + 1}", restitution=1.0, name=f"pair {i}") for i in range(4)]
    traj = rg.simulate(mech, mech.state(q=q, v=v), 0.5, contacts=pairs, impacts="sequential")
    assert traj.final[1].v == pytest.approx([0.0] * (5 - count) + [1.0] * count, abs=1e-13)


def test_a_ball_between_two_walls_slows_down_by_the_same_ratio_each_time():
    e, speed, end = 0.9, 2.0, 10.0
    mech, state = free_body("ball", rg.Inertia.sphere(1.0, 0.1), at(), (speed, 0, 0), form=rg.Sphere(0.1), gravity=(0, 0, 0))
    for name, side in (("left", -1), ("right", 1)):
        mech.add_shape("world", rg.Plane((-side, 0, 0)), name, at(x=side))
    walls = [rg.Contact("ball", name, restitution=e, name=name) for name in ("left", "right")]
    traj = rg.simulate(mech, mech.state(q=state.q, v=state.v), end, contacts=walls)
    expected = [0.9 / speed]
    while expected[-1] < end:
        speed *= e
        expected.append(expected[-1] + 1.8 / speed)
    found = sorted([*impact_times(traj, "left"), *impact_times(traj, "right")])
    assert found == pytest.approx(expected[:-1], abs=1e-12)


def test_a_ball_bounces_in_step_with_a_shaken_table():
    """Flights of one period T start with v = g T/2; with w = v (1 − e)/(1 + e) of the table, v − w = e (v + w)."""
    omega, e, amplitude = 20.0, 0.8, 0.03
    period = 2 * math.pi / omega
    up = G * period / 2
    phase = math.acos(up * (1 - e) / (1 + e) / (amplitude * omega))

    def shake(t):
        s, c = amplitude * math.sin(omega * t + phase), amplitude * math.cos(omega * t + phase)
        return s, omega * c, -(omega**2) * s

    mech = rg.Mechanism()
    mech.add_body("table", rg.Inertia.box(5.0, (1, 1, 0.1)))
    mech.add_joint("shaken", rg.Prismatic((0, 0, 1)), "world", "table")
    mech.add_shape("table", rg.Plane(), "top")
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("free", rg.Free(), "world", "ball")
    mech.add_shape("ball", rg.Sphere(0.1), "shape")
    z, rise, _ = shake(0.0)
    state = mech.state(q={"shaken": z, "free": (0, 0, 0.1 + z, 1, 0, 0, 0)}, v={"shaken": rise, "free": (0, 0, up, 0, 0, 0)})
    traj = rg.simulate(mech, state, 4.5 * period, contacts=rg.Contact("ball", "top", restitution=e), prescribed={"shaken": shake})
    assert impact_times(traj, "ball") == pytest.approx(period * np.arange(1, 5), abs=1e-12)


@pytest.mark.parametrize("mu", [0.0, 0.4])
@pytest.mark.parametrize("e", [0.0, 0.6])
def test_a_double_pendulum_that_hits_a_wall_has_the_impulse_that_stops_it(e, mu):
    """M Δv = Jᵀ P with the impulse on its end, whose normal part turns the speed of approach round; friction within its cone."""
    mech = rg.Mechanism()
    for i, (parent, z) in enumerate((("world", 0.0), ("link 0", -1.0))):
        mech.add_body(f"link {i}", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, -1)))
        mech.add_joint(f"hinge {i}", rg.Revolute((0, 1, 0)), parent, f"link {i}", at(z=z))
    mech.add_frame("end", "link 1", at(z=-1))
    mech.add_shape("world", rg.Plane((1, 0, 0)), "wall", at(x=-0.2))
    state = mech.state(q={"hinge 0": -0.6, "hinge 1": -0.2})
    traj = rg.simulate(mech, state, 1.0, contacts=rg.Contact("end", "wall", restitution=e, friction=mu))
    impact = traj.contacts()["end"].impacts[0]
    before, after = (segment.state(impact.t) for segment in traj.segments[:2])
    J, M = rg.jacobian(mech, after, "end")[3:], rg.mass_matrix(mech, after)
    assert M @ (after.v - before.v) == pytest.approx(J.T @ impact.impulse, abs=1e-11)
    if mu == 0.0:
        assert (J @ after.v)[0] == pytest.approx(-e * (J @ before.v)[0], abs=1e-11)
    assert abs(impact.impulse[2]) <= mu * impact.impulse[0] + 1e-12
    assert impact.energy == pytest.approx((before.v @ M @ before.v - after.v @ M @ after.v) / 2, abs=1e-11)
