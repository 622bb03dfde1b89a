"""Balls, spools, hoops and cylinders that roll, as textbooks have them, each against its closed form."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import regraft as rg
from contacts.closed_forms import G
from contacts.reading import STICKING, accumulations, changes
from contacts.scenes import IN_PLANE, UPRIGHT, at, free_body

DEGREE = math.pi / 180


def seen(traj, t, body):
    """(place, twist) of a body at a time."""
    mech, state = traj.mechanism(t), traj.state(t)
    return rg.body_poses(mech, state)[body].translation, rg.body_twists(mech, state)[body]


def ball_at(place, linear=(0, 0, 0), angular=(0, 0, 0), radius=0.1, gravity=(0, 0, -G)):
    return free_body("ball", rg.Inertia.sphere(1.0, radius), at(*place), linear, angular, rg.Sphere(radius), gravity)


def test_a_cue_ball_with_skew_spin_goes_along_a_parabola_until_it_rolls():
    """Its slip keeps its direction, as friction changes it along itself, by (7/2) µ g."""
    radius, mu = 0.0285, 0.2
    velocity, spin = np.array([2.0, 0.5, 0.0]), np.array([30.0, 40.0, 25.0])
    mech, state = ball_at((0, 0, radius), velocity, spin, radius)
    traj = rg.simulate(mech, state, 0.5, contacts=rg.Contact("ball", friction=mu))
    slip = velocity + np.cross(spin, (0, 0, -radius))
    rolls, against = np.linalg.norm(slip) / (3.5 * mu * G), -mu * G * slip / np.linalg.norm(slip)
    assert changes(traj, "ball", STICKING) == pytest.approx([rolls], abs=1e-11)
    for t in (rolls / 3, rolls):
        assert seen(traj, t, "ball")[0] == pytest.approx(velocity * t + against * t**2 / 2 + (0, 0, radius), abs=1e-11)
    twist = seen(traj, 0.5, "ball")[1]
    assert twist[3:] == pytest.approx(velocity + against * rolls, abs=1e-9)
    assert twist[2] == pytest.approx(spin[2], abs=1e-7)


def test_a_ball_rolls_across_an_incline_along_a_parabola():
    """Rolling, it accelerates downhill by (5/7) g sin θ and keeps its speed across."""
    angle, radius = 25 * DEGREE, 0.1
    gravity = (0, -G * math.sin(angle), -G * math.cos(angle))
    mech, state = ball_at((0, 0, radius), (1, 0, 0), (0, 1 / radius, 0), radius, gravity)
    traj = rg.simulate(mech, state, 1.0, contacts=rg.Contact("ball", friction=1.0))
    assert seen(traj, 1.0, "ball")[0] == pytest.approx((1.0, -5 / 14 * G * math.sin(angle), radius), abs=1e-9)


@pytest.mark.parametrize("mu", [0.05, 2.0])
@pytest.mark.parametrize("made", ["planes", "profile"])
def test_a_ball_in_a_groove_rolls_slower_the_steeper_its_walls_are(mu, made):
    """Walls at α to the level are r cos α from the axis of rolling: a = g sin θ/(1 + (2/5)/cos² α).

    Sliding: a = g (sin θ − µ cos θ/cos α).
    """
    radius, steep, angle = 0.1, 35 * DEGREE, 20 * DEGREE
    gravity = (0, G * math.sin(angle), -G * math.cos(angle))
    mech, state = ball_at((0, 0, radius / math.cos(steep)), radius=radius, gravity=gravity)
    walls = [rg.Plane((side * math.sin(steep), 0, math.cos(steep))) for side in (-1, 1)]
    if made == "profile":
        rise = math.tan(steep)
        walls = [rg.ground(profile=[(-1, rise), (0, 0), (1, rise)])]
    for i, wall in enumerate(walls):
        mech.add_shape("world", wall, f"wall {i}")
    touching = [rg.Contact("ball", f"wall {i}", friction=mu, name=f"on {i}") for i in range(len(walls))]
    traj = rg.simulate(mech, mech.state(q=state.q), 1.0, contacts=touching)
    rolls = G * math.sin(angle) / (1 + 0.4 / math.cos(steep) ** 2)
    slides = G * (math.sin(angle) - mu * math.cos(angle) / math.cos(steep))
    assert seen(traj, 1.0, "ball")[1][3:] == pytest.approx((0, rolls if mu > 1 else slides, 0), abs=1e-10)


def test_a_ball_rolls_around_in_a_bowl_at_one_height():
    """On a circle at the polar angle α without spin about the normal: Ω² = (5/7) g/((R − r) cos α), by the balance of moments."""
    inner, radius, polar = 1.0, 0.1, 60 * DEGREE
    far, outwards = inner - radius, np.array([math.sin(polar), 0.0, -math.cos(polar)])
    rate = math.sqrt(5 / 7 * G / (far * math.cos(polar)))
    velocity = np.array([0.0, rate * far * math.sin(polar), 0.0])
    spin = -np.cross(outwards, velocity) / radius  # ω × r n = −v
    mech, state = ball_at(far * outwards, velocity, spin, radius)
    mech.add_shape("world", rg.Sphere(inner, hollow=True), "bowl")
    traj = rg.simulate(
        mech, mech.state(q=state.q, v=state.v), 2 * math.pi / rate, contacts=rg.Contact("ball", "bowl", friction=5.0)
    )
    assert seen(traj, traj.t[-1], "ball")[0] == pytest.approx(far * outwards, abs=1e-9)
    assert traj.body("ball").position[:, 2] == pytest.approx(far * outwards[2], abs=1e-9)


@pytest.mark.parametrize("degrees", [0.0, 30.0, math.degrees(math.acos(0.4)), 75.0])
def test_a_spool_rolls_to_or_from_the_thread_that_pulls_it(degrees):
    """A thread from below its core r at the angle φ: a = F (cos φ − r/R)/(m (1 + k)), I = k m R²."""
    outer, core, k, mass, pull = 0.2, 0.08, 0.6, 2.0, 3.0
    angle = degrees * DEGREE
    mech = rg.Mechanism()
    mech.add_body("spool", rg.Inertia(mass, (0, 0, 0), k * mass * outer**2 * np.diag([0.5, 1.0, 0.5])))
    mech.add_joint("plane", IN_PLANE, "world", "spool")
    mech.add_shape("spool", rg.Sphere(outer), "rims")
    along = np.array([math.cos(angle), 0.0, math.sin(angle)])
    moment = np.cross(core * np.array([math.sin(angle), 0.0, -math.cos(angle)]), pull * along)
    traj = rg.simulate(
        mech, mech.state(q={"plane": (0, outer, 0)}), 1.0,
        contacts=rg.Contact("spool", friction=2.0), wrenches={"spool": (*moment, *(pull * along))},
    )  # fmt: skip
    assert seen(traj, 1.0, "spool")[1][3] == pytest.approx(pull * (math.cos(angle) - core / outer) / (mass * (1 + k)), abs=1e-11)


@pytest.mark.parametrize("mu", [0.5, 5.0, 1e3, 1e6, 1e8])
@pytest.mark.parametrize("joint", [rg.Free(), IN_PLANE], ids=["free", "planar"])
def test_a_ball_on_a_ball_rolls_slips_and_leaves(joint, mu):
    """Rolling from rest at θ₀, N = m g (17 cos θ − 10 cos θ₀)/7 and friction m g (2/7) sin θ: it slips where this is µ N.

    Rough ones leave soon after that, where cos θ is 10/17 of cos θ₀; how soon is the time in which N goes from there to zero.
    """
    big, radius, start = 1.0, 0.2, 0.1
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, radius))
    mech.add_joint("joint", joint, "world", "ball")
    mech.add_shape("ball", rg.Sphere(radius), "shape")
    mech.add_shape("world", rg.Sphere(big), "below")
    far = big + radius
    state = mech.state(q={"joint": joint.position(at(x=far * math.sin(start), z=far * math.cos(start)))})
    traj = rg.simulate(mech, state, 1.3, contacts=rg.Contact("ball", "below", friction=mu))
    slips, leaves = (next(e.t for e in traj.events if e.name == f"ball {does}") for does in ("slips", "leaves"))
    missing = lambda a: 2 * math.sin(a) - mu * (17 * math.cos(a) - 10 * math.cos(start))  # noqa: E731
    assert seen(traj, slips, "ball")[0][2] / far == pytest.approx(math.cos(brentq(missing, start, 1.2, xtol=1e-15)), abs=1e-11)
    leaving = 10 / 17 * math.cos(start)
    assert seen(traj, leaves, "ball")[0][2] / far == pytest.approx(leaving, abs=0.1 / mu + 1e-11)


def test_a_smooth_ball_leaves_a_ball_at_two_thirds_of_its_height():
    far, start = 1.2, 0.1
    mech, state = ball_at((far * math.sin(start), 0, far * math.cos(start)), radius=0.2)
    mech.add_shape("world", rg.Sphere(1.0), "below")
    traj = rg.simulate(mech, mech.state(q=state.q), 1.1, contacts=rg.Contact("ball", "below"))
    (leaves,) = (event.t for event in traj.events)
    assert seen(traj, leaves, "ball")[0][2] / far == pytest.approx(2 / 3 * math.cos(start), abs=1e-11)
    assert traj.body("ball").angular_velocity == pytest.approx(0.0, abs=1e-14)


def test_a_hoop_with_a_heavy_point_rolls_as_its_energy_says():
    """m at the rim of a hoop M: θ̇² (2 M + 2 m (1 + cos θ)) r² = 2 m g r (cos θ₀ − cos θ)."""
    hoop, point, radius, start = 1.0, 1.0, 0.5, 0.3
    mech = rg.Mechanism()
    whole = rg.Inertia(hoop, (0, 0, 0), hoop * radius**2 * np.diag([0.5, 1.0, 0.5])) + rg.Inertia.point(point, at=(0, 0, radius))
    mech.add_body("hoop", whole)
    mech.add_joint("plane", IN_PLANE, "world", "hoop")
    mech.add_shape("hoop", rg.Cylinder(radius, 0.0), "rim", UPRIGHT)
    traj = rg.simulate(mech, mech.state(q={"plane": (0, radius, -start)}), 2.0, contacts=rg.Contact("hoop", friction=5.0))
    assert not traj.events

    def slowness(u):
        angle = start + u * u
        inertia = (2 * hoop + 2 * point * (1 + math.cos(angle))) * radius**2
        return 2 * u * math.sqrt(inertia / (2 * point * G * radius * (math.cos(start) - math.cos(angle))))

    for angle in (1.0, 2.0):
        t = quad(slowness, 0.0, math.sqrt(angle - start), epsabs=1e-14, epsrel=1e-13)[0]
        assert -traj.state(t).q[2] == pytest.approx(angle, abs=4e-9)


@pytest.mark.parametrize("length", [0.0, 0.2])
def test_a_cylinder_that_starts_on_the_ground_is_on_it(length):
    radius = 0.5
    mech, state = free_body(
        "roll", rg.Inertia.cylinder(1.0, radius, (0, -0.1, 0), (0, 0.1, 0)), at(z=radius), (1, 0, 0), (0, 1 / radius, 0)
    )
    mech.add_shape("roll", rg.Cylinder(radius, length), "side", UPRIGHT)
    traj = rg.simulate(mech, mech.state(q=state.q, v=state.v), 1.0, contacts=rg.Contact("roll", friction=1.0))
    assert not traj.events
    assert seen(traj, 1.0, "roll")[0] == pytest.approx((1.0, 0.0, radius), abs=1e-13)


def test_a_ball_bounces_down_an_incline_until_it_slides_and_rolls():
    """Each impact takes µ (1 + e) of the speed of approach from the slip, or all of it; then friction does (7/2) µ g cos θ."""
    angle, e, mu, radius, drop = 20 * DEGREE, 0.6, 0.15, 0.05, 0.5
    pull, press = G * math.sin(angle), G * math.cos(angle)
    mech, state = ball_at((0, 0, radius + drop), radius=radius, gravity=(pull, 0, -press))
    t = math.sqrt(2 * drop / press)
    ends = t * (1 + e) / (1 - e)
    traj = rg.simulate(mech, state, ends + 1.0, contacts=rg.Contact("ball", friction=mu, restitution=e))
    x, v, spin, coming = pull * t**2 / 2, pull * t, 0.0, press * t
    while coming > 1e-14:
        impulse = min(mu * (1 + e) * coming, 2 / 7 * (v - radius * spin))
        coming *= e
        flight = 2 * coming / press
        v, spin = v - impulse, spin + 2.5 * impulse / radius
        x, v = x + v * flight + pull * flight**2 / 2, v + pull * flight
    ((rest, _, _),) = accumulations(traj)
    assert rest == pytest.approx(ends, abs=1e-11)
    place, twist = seen(traj, rest, "ball")
    assert (place[0], twist[3], twist[1]) == pytest.approx((x, v, spin), abs=1e-9)
    slides = (v - radius * spin) / (3.5 * mu * press - pull)
    assert 0 < slides < 1
    later = v + (pull - mu * press) * slides + 5 / 7 * pull * (1 - slides)
    assert seen(traj, ends + 1.0, "ball")[1][3] == pytest.approx(later, abs=1e-9)
