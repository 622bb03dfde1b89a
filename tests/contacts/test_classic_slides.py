"""Ladders, rods, blocks and planks that slide, tip and slip, as textbooks have them, each against its closed form."""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

import regraft as rg
from contacts.closed_forms import G
from contacts.reading import SLIDING, STICKING, changes
from contacts.scenes import IN_PLANE, at

DEGREE = math.pi / 180


def when(traj, name):
    """The time of the first event of this name."""
    return next(event.t for event in traj.events if event.name == name)


def seen(traj, t, body):
    """(place, twist) of a body at a time."""
    mech, state = traj.mechanism(t), traj.state(t)
    return rg.body_poses(mech, state)[body].translation, rg.body_twists(mech, state)[body]


def from_rest(rate_squared, start, end):
    """The time from rest at one angle to another, for ω² as a function of the angle; 2 u du takes away the pole at the start."""
    way = math.copysign(math.sqrt(abs(end - start)), end - start)
    there = lambda u: start + math.copysign(u * u, way)  # noqa: E731
    return quad(lambda u: 2 * u / math.sqrt(rate_squared(there(u))), 0.0, abs(way), epsabs=1e-14, epsrel=1e-13)[0]


def test_a_smooth_ladder_leaves_the_wall_at_two_thirds_of_its_height():
    """Energy: θ̇² = 3 g/l (sin θ₀ − sin θ). The wall's force is m ẍ, and is zero where sin θ = ⅔ sin θ₀."""
    length, start = 2.0, 70 * DEGREE
    mech = rg.Mechanism()
    mech.add_body("ladder", rg.Inertia.rod(3.0, (-length / 2, 0, 0), (length / 2, 0, 0)))
    mech.add_joint("plane", IN_PLANE, "world", "ladder")
    mech.add_frame("top", "ladder", at(x=-length / 2))
    mech.add_frame("foot", "ladder", at(x=length / 2))
    mech.add_shape("world", rg.Plane((1, 0, 0)), "wall")
    state = mech.state(q={"plane": (length / 2 * math.cos(start), length / 2 * math.sin(start), -start)})
    traj = rg.simulate(mech, state, 0.7, contacts=[rg.Contact("top", "wall"), rg.Contact("foot")])
    leaves = when(traj, "top leaves")
    angle = -traj.state(leaves).q[2]
    assert math.sin(angle) == pytest.approx(2 / 3 * math.sin(start), abs=1e-10)
    square = lambda theta: 3 * G / length * (math.sin(start) - math.sin(theta))  # noqa: E731
    assert leaves == pytest.approx(from_rest(square, start, angle), abs=1e-10)
    along = length / 2 * math.sin(angle) * math.sqrt(square(angle))  # nothing pushes it sideways from there on
    assert [seen(traj, t, "ladder")[1][3] for t in (leaves + 0.05, 0.7)] == pytest.approx([along] * 2, abs=1e-10)


def test_a_rod_over_an_edge_turns_about_it_and_slips_at_the_known_angle():
    """A rod of length 2a whose middle is c beyond the edge slips where tan θ = µ a²/(a² + 9 c²)."""
    half, beyond, mu = 0.5, 0.1, 0.6
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(1.0, (-half, 0, 0), (half, 0, 0)))
    mech.add_joint("plane", IN_PLANE, "world", "rod")
    mech.add_shape("rod", rg.Plane((0, 0, -1)), "lower side")
    mech.add_frame("edge", "world")
    traj = rg.simulate(
        mech, mech.state(q={"plane": (beyond, 0, 0)}), 0.35, contacts=rg.Contact("edge", "lower side", friction=mu)
    )
    angle = -traj.state(when(traj, "edge slips")).q[2]
    assert math.tan(angle) == pytest.approx(mu * half**2 / (half**2 + 9 * beyond**2), abs=1e-11)


@pytest.mark.parametrize("floor", [0.0, 0.05])
def test_a_block_on_a_block_drags_it_along(floor):
    """The upper one is slowed by µg, the lower one driven by the rest of its friction, until both are as fast."""
    mu, speed, heavy, light = 0.4, 2.0, 3.0, 1.0
    mech = rg.Mechanism()
    for name, mass, size in (("lower", heavy, (1.0, 0.4, 0.1)), ("upper", light, (0.1, 0.1, 0.05))):
        mech.add_body(name, rg.Inertia.box(mass, size))
        mech.add_joint(f"{name} free", rg.Free(), "world", name)
        mech.add_shape(name, rg.Box(size), f"{name} sides")
    mech.add_shape("lower", rg.Plane(), "top", at(z=0.05))
    q = {"lower free": (0, 0, 0.05, 1, 0, 0, 0), "upper free": (-0.3, 0, 0.125, 1, 0, 0, 0)}
    contacts = [rg.Contact("lower sides", friction=floor), rg.Contact("upper sides", "top", friction=mu)]
    traj = rg.simulate(mech, mech.state(q=q, v={"upper free": (speed, 0, 0, 0, 0, 0)}), 1.0, contacts=contacts)
    slows, driven = mu * G, (mu * light - floor * (light + heavy)) * G / heavy
    together = speed / (slows + driven)
    assert changes(traj, "upper sides", STICKING)[0] == pytest.approx(together, abs=1e-8)
    assert seen(traj, together, "upper")[0][0] + 0.3 == pytest.approx(speed * together - slows * together**2 / 2, abs=1e-9)
    later = driven * together - floor * G * 0.1
    assert [seen(traj, together + 0.1, name)[1][3] for name in ("upper", "lower")] == pytest.approx([later] * 2, abs=1e-9)


@pytest.mark.parametrize(
    ("degrees", "mu", "does"),
    [(44, 1.5, "rests"), (46, 1.5, "tips"), (50, 2.0, "tips"), (44, 0.9, "slides"), (46, 0.9, "slides")],
)
@pytest.mark.parametrize("joint", [rg.Free(), IN_PLANE], ids=["free", "planar"])
def test_a_cube_on_an_incline_rests_slides_or_tips(degrees, mu, does, joint):
    """It slides where tan θ > µ; else it tips about its lower edge where tan θ > 1: (2/3) a² φ̈ = g (a/√2) sin(θ − 45° + φ)."""
    angle, side, t = degrees * DEGREE, 0.2, 0.1
    mech = rg.Mechanism((G * math.sin(angle), 0, -G * math.cos(angle)))
    mech.add_body("cube", rg.Inertia.box(1.0, (side, side, side)))
    mech.add_joint("joint", joint, "world", "cube")
    mech.add_shape("cube", rg.Box((side, side, side)), "sides")
    traj = rg.simulate(mech, mech.state(q={"joint": joint.position(at(z=side / 2))}), t, contacts=rg.Contact("cube", friction=mu))
    twist = seen(traj, t, "cube")[1]
    if does == "tips":
        rate = lambda _t, y: [y[1], 1.5 / side * G / math.sqrt(2) * math.sin(angle - math.pi / 4 + y[0])]  # noqa: E731
        expected = solve_ivp(rate, (0, t), [0, 0], rtol=1e-12, atol=1e-14, method="DOP853").y[1, -1]
        assert twist[1] == pytest.approx(expected, abs=1e-10)
    else:
        speed = G * (math.sin(angle) - mu * math.cos(angle)) * t if does == "slides" else 0.0
        assert twist == pytest.approx((0, 0, 0, speed, 0, 0), abs=1e-11)


@pytest.mark.parametrize("round_", [False, True], ids=["block", "ball"])
def test_a_wedge_gives_way_under_what_slides_or_rolls_on_it(round_):
    """Smooth: A = m g sin α cos α/(M + m sin² α).

    Rolling: a = (M + m) g sin α/((7/5)(M + m) − m cos² α) on the wedge, which has A = m a cos α/(M + m).
    """
    heavy, light, angle, t = 3.0, 1.0, 35 * DEGREE, 0.5
    turn = rg.Pose.about((0, 1, 0), -angle)
    mech = rg.Mechanism()
    mech.add_body("wedge", rg.Inertia.box(heavy, (1, 1, 0.5)))
    mech.add_joint("x", rg.Prismatic((1, 0, 0)), "world", "wedge")
    mech.add_shape("wedge", rg.Plane((-math.sin(angle), 0, math.cos(angle))), "face")
    size, form = (0.1, rg.Sphere(0.1)) if round_ else (0.02, rg.Box((0.1, 0.1, 0.04)))
    mech.add_body("load", rg.Inertia.sphere(light, 0.1) if round_ else rg.Inertia.box(light, (0.1, 0.1, 0.04)))
    mech.add_joint("free", rg.Free(), "world", "load")
    mech.add_shape("load", form, "form")
    pose = turn @ at(z=size)
    state = mech.state(q={"free": (*pose.translation, *pose.quaternion)})
    traj = rg.simulate(mech, state, t, contacts=rg.Contact("load", "face", friction=2.0 if round_ else 0.0))
    s, c, both = math.sin(angle), math.cos(angle), heavy + light
    smooth, rolls = light * G * s * c / (heavy + light * s**2), light * c / both * both * G * s / (1.4 * both - light * c**2)
    assert traj.joint("x").v[-1] == pytest.approx((rolls if round_ else smooth) * t, abs=1e-11)


def test_a_plank_on_two_rollers_that_turn_inwards_swings():
    """Timoshenko's oscillator: normal forces m g (l ± x)/2l, so ẍ = −(µ g/l) x."""
    half, mu, first = 0.5, 0.3, 0.1
    mech = rg.Mechanism()
    mech.add_body("plank", rg.Inertia.box(1.0, (3, 0.2, 0.02)))
    mech.add_joint("plane", IN_PLANE, "world", "plank")
    mech.add_shape("plank", rg.Plane((0, 0, -1)), "lower side")
    contacts = []
    for name, side in (("left", -1), ("right", 1)):
        mech.add_frame(name, "world", at(x=side * half))
        contacts.append(rg.Contact("lower side", name, friction=mu, velocity=(-2.0 * side, 0, 0), name=f"{name} roller"))
    traj = rg.simulate(mech, mech.state(q={"plane": (first, 0, 0)}), 3.0, contacts=contacts)
    rate = math.sqrt(mu * G / half)
    times = (0.5, 1.7, 3.0)
    assert [seen(traj, t, "plank")[0][0] for t in times] == pytest.approx([first * math.cos(rate * t) for t in times], abs=1e-10)


@pytest.mark.parametrize("friction", [0.3, (0.4, 0.2)])
@pytest.mark.parametrize("amplitude", [0.02, 0.06])
def test_a_block_on_a_shaken_table_slips_beyond_the_known_acceleration(amplitude, friction):
    """It slips from where A ω² sin ωt = µ_s g, and is slowed by µ_k g until it is as fast as the table again."""
    omega, (static, kinetic) = 10.0, friction if isinstance(friction, tuple) else (friction, friction)
    mech = rg.Mechanism()
    mech.add_body("table", rg.Inertia.box(5.0, (2, 1, 0.1)))
    mech.add_joint("shaken", rg.Prismatic((1, 0, 0)), "world", "table")
    mech.add_shape("table", rg.Plane(), "top")
    mech.add_body("block", rg.Inertia.box(1.0, (0.2, 0.2, 0.1)))
    mech.add_joint("free", rg.Free(), "world", "block")
    mech.add_shape("block", rg.Box((0.2, 0.2, 0.1)), "sides")

    def shake(t):
        s, c = amplitude * math.sin(omega * t), amplitude * math.cos(omega * t)
        return s, omega * c, -(omega**2) * s

    speed = shake(0.0)[1]
    state = mech.state(q={"free": (0, 0, 0.05, 1, 0, 0, 0)}, v={"shaken": speed, "free": (speed, 0, 0, 0, 0, 0)})
    traj = rg.simulate(mech, state, 0.6, contacts=rg.Contact("block", "top", friction=friction), prescribed={"shaken": shake})
    slips = changes(traj, "block", SLIDING)
    if amplitude * omega**2 < static * G:
        assert not len(slips)
        return
    begins = math.asin(static * G / (amplitude * omega**2)) / omega
    assert slips[0] == pytest.approx(begins, abs=1e-11)
    ahead = lambda t: shake(begins)[1] - kinetic * G * (t - begins) - shake(t)[1]  # noqa: E731
    ends = brentq(ahead, begins + 0.1, 0.55, xtol=1e-15)
    assert min(abs(event.t - ends) for event in traj.events) < 1e-10


def test_a_pendulum_loses_what_dry_friction_in_its_hinge_takes_each_swing():
    """From one turning point to the next, beyond the lowest one or not, m g l (cos β − cos α) = f (α ± β)."""
    friction, first = 0.4, 1.2
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia(1.0, (0, 0, -1.0), 1e-3 * np.eye(3)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0), friction=friction), "world", "bob")
    traj = rg.simulate(mech, mech.state(q={"hinge": first}), 16.0)
    angle, expected = first, []
    while G * math.sin(angle) > friction:
        left = lambda b, a=angle: G * (math.cos(b) - math.cos(a)) - friction * (a + b)  # noqa: E731
        angle = brentq(left, -0.999 * angle, angle, xtol=1e-15)
        expected.append(angle)
    found = [(-1) ** n * -traj.state(event.t).q[0] for n, event in enumerate(traj.events)]
    assert found == pytest.approx(expected, abs=1e-8)
    assert np.ptp(traj.joint("hinge").q[traj.t > traj.events[-1].t]) < 1e-14
