"""Loops, kerbs, carts, logs and dominoes as textbooks have them: each against its closed form, in both kinds of coordinates."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

import regraft as rg
from contacts.closed_forms import G, least_slope, wheel_period, wheel_rate
from contacts.machines import rimless_wheel
from contacts.reading import STICKING, changes
from contacts.scenes import IN_PLANE, at, free_body, moving
from contacts.test_energy_balance import missing

BOTH = pytest.mark.parametrize("coordinates", ["reduced", "maximal"])


def add(mech, name, inertia, form=None, joint=None):
    """A body that moves freely, or in the plane of x and z."""
    mech.add_body(name, inertia)
    mech.add_joint(f"{name} free", rg.Free() if joint is None else joint, "world", name)
    if form is not None:
        mech.add_shape(name, form, f"{name} shape")


def seen(traj, t, body):
    """(place, twist) of a body at a time."""
    mech, state = traj.mechanism(t), traj.state(t)
    return rg.body_poses(mech, state)[body].translation, rg.body_twists(mech, state)[body]


def names_and_times(traj):
    return [event.name for event in traj.events], [event.t for event in traj.events]


@BOTH
def test_a_bead_that_is_too_slow_for_a_loop_leaves_it_and_lands_where_its_parabola_does(coordinates):
    """With v₀² = 7/2 g R at the bottom it leaves at the height R/2 over the middle, and flies 4 v cos β/g, with sin β = 1/2."""
    mech, state = free_body("bead", rg.Inertia.sphere(1.0, 0.01), at(z=-1.0), (math.sqrt(3.5 * G), 0, 0))
    mech.add_frame("point", "bead")
    mech.add_shape("world", rg.Sphere(1.0, hollow=True), "loop")
    state = mech.state(q=state.q, v=state.v)
    traj = rg.simulate(mech, state, 1.5, contacts=rg.Contact("point", "loop"), coordinates=coordinates)
    said, (leaves, lands) = names_and_times(traj)
    assert said == ["point leaves", "point touches"]
    assert seen(traj, leaves, "bead")[0][2] == pytest.approx(0.5, abs=1e-9)
    assert lands - leaves == pytest.approx(4 * math.sqrt(G / 2) * math.cos(math.pi / 6) / G, abs=1e-9)
    assert missing(traj) < 1e-9


@BOTH
def test_a_small_ball_on_a_large_one_is_thrown_up(coordinates):
    """One impact after the other, elastic: the small one leaves with v (3 M − m)/(M + m)."""
    heavy, light, large, small, drop, end = 1.0, 0.25, 0.1, 0.05, 1.0, 0.6
    mech = rg.Mechanism()
    add(mech, "large", rg.Inertia.sphere(heavy, large), rg.Sphere(large))
    add(mech, "small", rg.Inertia.sphere(light, small), rg.Sphere(small))
    state = mech.state(
        q={"large free": (0, 0, large + drop, 1, 0, 0, 0), "small free": (0, 0, 2 * large + small + drop, 1, 0, 0, 0)}
    )
    touching = [rg.Contact("large", restitution=1.0), rg.Contact("small", "large", restitution=1.0)]
    traj = rg.simulate(mech, state, end, contacts=touching, impacts="sequential", coordinates=coordinates)
    t = math.sqrt(2 * drop / G)
    up = np.array([3 * heavy - light, heavy - 3 * light]) / (heavy + light) * G * t - G * (end - t)
    assert [seen(traj, end, name)[1][5] for name in ("small", "large")] == pytest.approx(up, abs=1e-12)


@pytest.mark.parametrize("spin", [0.0, 2.0 / 0.03, -50.0], ids=["stun", "follow", "draw"])
def test_a_cue_ball_stops_follows_or_comes_back_by_its_spin(spin):
    """A smooth full hit hands on the speed and leaves the spin, of which 2/7 ω r are speed in the end; 5/7 v of the other."""
    radius, speed = 0.03, 2.0
    mech = rg.Mechanism()
    for name in ("cue", "object"):
        add(mech, name, rg.Inertia.sphere(0.17, radius), rg.Sphere(radius))
    state = mech.state(q={"cue free": (-2 * radius, 0, radius, 1, 0, 0, 0), "object free": (0, 0, radius, 1, 0, 0, 0)})
    state = moving(mech, state, cue=((0, spin, 0), (speed, 0, 0)))
    cloth = [rg.Contact(name, friction=0.2) for name in ("cue", "object")]
    traj = rg.simulate(mech, state, 1.5, contacts=[*cloth, rg.Contact("cue", "object", restitution=1.0, name="hit")])
    found = [seen(traj, 1.5, name)[1][3] for name in ("cue", "object")]
    assert found == pytest.approx([2 / 7 * radius * spin, 5 / 7 * speed], abs=1e-12)


@pytest.mark.parametrize("share", [0.999, 1.001])
def test_a_ball_climbs_a_kerb_if_it_is_fast_enough(share):
    """An edge that is rough keeps 1 − 5 h/7 r of the rate, and 7/10 r² ω² has to be g h."""
    radius, height = 0.2, 0.05
    kept = 1 - 5 * height / (7 * radius)
    speed = share * math.sqrt(10 / 7 * G * height) / kept
    mech = rg.Mechanism()
    add(mech, "ball", rg.Inertia.sphere(1.0, radius), rg.Sphere(radius), IN_PLANE)
    mech.add_shape("world", rg.ground(profile=[(-5, 0), (0, 0), (0, height), (5, height)]), "kerb")
    state = mech.state(q={"ball free": (-0.25, radius, 0)}, v={"ball free": (speed, 0, -speed / radius)})
    traj = rg.simulate(mech, state, 2.5, contacts=rg.Contact("ball", "kerb", friction=1.0))
    place, twist = seen(traj, 2.5, "ball")
    assert place[2] == pytest.approx(radius + (height if share > 1 else 0.0), abs=1e-12)
    if share > 1:
        assert twist[3] == pytest.approx(math.sqrt((kept * speed) ** 2 - 10 / 7 * G * height), abs=1e-9)
    else:
        assert twist[3] < 0
    assert missing(traj) < 1e-9


@BOTH
def test_a_ball_that_spins_in_a_corner_stops_by_the_friction_of_both_walls(coordinates):
    """Slipping on floor and wall: N = m g/(1 + µ²) below and µ N beside, so ω falls by µ (1 + µ) N r/I until it rests."""
    mu, radius, spin = 0.3, 0.1, 50.0
    mech = rg.Mechanism()
    add(mech, "ball", rg.Inertia.sphere(1.0, radius), rg.Sphere(radius), IN_PLANE)
    mech.add_shape("world", rg.Plane((-1, 0, 0)), "beside", at(x=radius))
    walls = [rg.Contact("ball", friction=mu, name="floor"), rg.Contact("ball", "beside", friction=mu, name="wall")]
    state = mech.state(q={"ball free": (0, radius, 0)}, v={"ball free": (0, 0, -spin)})
    traj = rg.simulate(mech, state, 0.8, contacts=walls, coordinates=coordinates)
    below = G / (1 + mu**2)
    assert traj.contacts()["floor"].normal[1] == pytest.approx(below, abs=1e-11)
    stops = spin * 0.4 * radius / (mu * (1 + mu) * below)
    assert [changes(traj, name, STICKING)[0] for name in ("floor", "wall")] == pytest.approx([stops] * 2, abs=1e-11)
    assert np.abs(traj.final[1].v).max() < 1e-13


@pytest.mark.parametrize(("ground", "logs", "stays"), [(1e-6, 1e-6, True), (-1e-3, 0.1, False), (0.1, -1e-3, False)])
def test_a_pile_of_three_logs_holds_if_both_frictions_suffice(ground, logs, stays):
    """Between logs tan 15° is needed, on the ground a third of that."""
    radius, needed = 0.1, math.tan(math.pi / 12)
    mech, q = rg.Mechanism(), {}
    for name, x, z in (("left", -radius, radius), ("right", radius, radius), ("top", 0.0, (1 + math.sqrt(3)) * radius)):
        add(mech, name, rg.Inertia.cylinder(1.0, radius, (0, -0.1, 0), (0, 0.1, 0)), rg.Sphere(radius), IN_PLANE)
        q[f"{name} free"] = (x, z, 0)
    contacts = [rg.Contact(name, friction=needed / 3 + ground) for name in ("left", "right")]
    contacts += [rg.Contact("top", name, friction=needed + logs, name=f"top on {name}") for name in ("left", "right")]
    traj = rg.simulate(
        mech, mech.state(q=q), 0.1, contacts=[*contacts, rg.Contact("left", "right", friction=needed + logs, name="low")]
    )
    assert (np.abs(traj.final[1].v).max() < 1e-12) == stays


@pytest.mark.parametrize(
    "form", [rg.ground(profile=[(-5, 0), (0, 0), (0, -3), (5, -3)]), rg.Box((10, 1, 1))], ids=["profile", "box"]
)
def test_a_smooth_ball_slides_over_the_edge_of_a_table_and_leaves_it(form):
    """cos θ = 2/3 + v²/(3 g r) where it leaves the edge, as its middle goes round that."""
    radius, speed = 0.2, 0.5
    mech, state = free_body("ball", rg.Inertia.sphere(1.0, radius), at(x=-0.3, z=radius), (speed, 0, 0), form=rg.Sphere(radius))
    mech.add_shape("world", form, "table", at(x=-5, z=-0.5) if isinstance(form, rg.Box) else rg.Pose())
    traj = rg.simulate(mech, mech.state(q=state.q, v=state.v), 1.0, contacts=rg.Contact("ball", "table"))
    height = seen(traj, traj.events[-1].t, "ball")[0][2]
    assert traj.events[-1].name.endswith("leaves")
    assert height / radius == pytest.approx(2 / 3 + speed**2 / (3 * G * radius), abs=1e-9)


@BOTH
def test_a_domino_falls_against_another(coordinates):
    """It turns about its foot until its top meets the face; there a plastic impact without friction halves its rate."""
    high, wide, apart, rate = 0.1, 0.02, 0.05, 6.0
    mech = rg.Mechanism()
    feet = [(f"{name} {side}", name, sign) for name in ("first", "second") for side, sign in (("heel", -1), ("toe", 1))]
    for name in ("first", "second"):
        add(mech, name, rg.Inertia.box(1.0, (wide, 0.05, high)), joint=IN_PLANE)
    for foot, name, sign in feet:
        mech.add_frame(foot, name, at(sign * wide / 2, 0, -high / 2))
    mech.add_frame("top", "first", at(wide / 2, 0, high / 2))
    mech.add_shape("second", rg.Plane((-1, 0, 0)), "face", at(x=-wide / 2))
    state = mech.state(q={"first free": (0, high / 2, 0), "second free": (apart, high / 2, 0)})
    state = moving(mech, state, first=((0, rate, 0), (rate * high / 2, 0, rate * wide / 2)), second=((0, 0, 0), (0, 0, 0)))
    ground = [rg.Contact(foot, friction=3.0) for foot, _, _ in feet]
    traj = rg.simulate(mech, state, 0.1, contacts=[*ground, rg.Contact("top", "face")], coordinates=coordinates)
    diagonal, lean, hits = math.hypot(wide, high), math.atan2(wide, high), math.asin((apart - wide) / high)
    at_angle = lambda a: math.sqrt(rate**2 + 3 * G / diagonal * (math.cos(lean) - math.cos(a - lean)))  # noqa: E731
    said, times = names_and_times(traj)
    assert said[0] == "top touches"
    assert times[0] == pytest.approx(quad(lambda a: 1 / at_angle(a), 0, hits, epsabs=1e-14)[0], abs=1e-11)
    assert traj.segments[1].state(times[0]).v[[2, 5]] == pytest.approx([-at_angle(hits) / 2] * 2, abs=1e-9)
    assert missing(traj) < 1e-9


@pytest.mark.parametrize(("spokes", "steeper", "inertia"), [(6, 1.2, 0.1), (12, 2.0, 0.8), (20, 3.0, 1e-4)])
def test_rimless_wheels_of_other_numbers_of_spokes_have_their_periods(spokes, steeper, inertia):
    slope = steeper * least_slope(spokes, inertia)
    period = wheel_period(slope, spokes, inertia)
    traj = rimless_wheel(wheel_rate(slope, spokes, inertia), slope, spokes, inertia).run(2.5 * period)
    said, times = names_and_times(traj)
    assert said == ["spoke 1 touches", "spoke 2 touches"]
    assert times == pytest.approx([period, 2 * period], abs=1e-9)


@pytest.mark.parametrize("count", [1, 2])
def test_five_balls_of_a_cradle_that_collide_together_reflect_about_their_mean(count):
    """Elastic and simultaneous, all points pressed: each velocity becomes 2 v̄ − v."""
    mech, q, v = rg.Mechanism(gravity=(0, 0, 0)), {}, {}
    for i in range(5):
        add(mech, f"ball {i}", rg.Inertia.sphere(0.2, 0.05), rg.Sphere(0.05), rg.Prismatic((1, 0, 0)))
        q[f"ball {i} free"], v[f"ball {i} free"] = 0.1 * i, float(i < count)
    pairs = [rg.Contact(f"ball {i}", f"ball {i + 1}", restitution=1.0, name=f"pair {i}") for i in range(4)]
    traj = rg.simulate(mech, mech.state(q=q, v=v), 0.5, contacts=pairs)
    expected = 2 * count / 5 - np.array([float(i < count) for i in range(5)])
    assert traj.final[1].v == pytest.approx(expected, abs=1e-12)


@BOTH
def test_a_tall_box_on_a_cart_tips_where_its_acceleration_is_g_times_width_by_height(coordinates):
    """The feet in front leave then; that they have no friction any more either is no event of its own."""
    jerk, wide, high = 10.0, 0.1, 0.4
    mech = rg.Mechanism()
    mech.add_body("cart", rg.Inertia.box(5.0, (2, 1, 0.1)))
    mech.add_joint("x", rg.Prismatic((1, 0, 0)), "world", "cart")
    mech.add_shape("cart", rg.Plane(), "top")
    add(mech, "box", rg.Inertia.box(1.0, (wide, wide, high)), rg.Box((wide, wide, high)))
    drive = {"x": lambda t: (jerk * t**3 / 6, jerk * t**2 / 2, jerk * t)}
    state = mech.state(q={"box free": (0, 0, high / 2, 1, 0, 0, 0)})
    touching = rg.Contact("box", "top", friction=2.0)
    traj = rg.simulate(mech, state, 0.3, contacts=touching, prescribed=drive, coordinates=coordinates)
    said, times = names_and_times(traj)
    assert said == ["box/4 leaves", "box/6 leaves"]
    assert times == pytest.approx([G * wide / high / jerk] * 2, abs=1e-12)


def test_an_elastic_bead_in_a_groove_bounces_on_each_side_by_itself():
    """Between walls at right angles the motions across each are independent, however near to the corner it comes."""
    mech, state = free_body("bead", rg.Inertia.sphere(1.0, 0.01), at(x=0.2, z=1.0))
    mech.add_frame("point", "bead")
    mech.add_shape("world", rg.ground(profile=[(-5, 5), (0, 0), (5, 5)]), "groove")
    traj = rg.simulate(mech, mech.state(q=state.q), 6.0, contacts=rg.Contact("point", "groove", restitution=1.0))
    periods = [2 * math.sqrt(2 * (1.0 + side * 0.2) / G) for side in (-1, 1)]
    expected = sorted(t for period in periods for t in period * np.arange(0.5, 20) if t < 6.0)
    assert names_and_times(traj)[1] == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("wide", [0.1, 0.001])
@pytest.mark.parametrize("form", [None, rg.Sphere(0.01)], ids=["point", "ball"])
@pytest.mark.parametrize("side", [-1, 1])
def test_what_flies_at_a_thin_wall_of_a_profile_bounces_back_from_its_near_side(wide, form, side):
    mech, state = free_body(
        "shot", rg.Inertia.sphere(0.1, 0.01), at(x=3.0 * side, z=0.5), (-30.0 * side, 0, 0), form=form, gravity=(0, 0, 0)
    )
    mech.add_frame("point", "shot")
    profile = [(-5, 0), (-wide / 2, 0), (-wide / 2, 1), (wide / 2, 1), (wide / 2, 0), (5, 0)]
    mech.add_shape("world", rg.ground(profile=profile), "wall")
    part, radius = ("point", 0.0) if form is None else ("shot", form.radius)
    traj = rg.simulate(mech, mech.state(q=state.q, v=state.v), 0.15, contacts=rg.Contact(part, "wall", restitution=1.0))
    said, times = names_and_times(traj)
    assert said == [f"{part}/{2 + side} touches"]
    assert times == pytest.approx([(3.0 - wide / 2 - radius) / 30.0], abs=1e-12)
    assert traj.final[1].v[0] == pytest.approx(30.0 * side, abs=1e-11)
