"""Models that walk, roll and run: closed forms, the numbers of their papers, and other programs of the same motions."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import regraft as rg
from contacts.closed_forms import least_slope, wheel_kept, wheel_period, wheel_rate
from oracles.planar_points import caught, flow

G = 9.81


def cycle_of(model, **options):
    settings = {"section": getattr(model, "section", None), "match": getattr(model, "match", None)}
    return rg.gait.limit_cycle(*model.start, model.events, **(settings | options))


# --- the rimless wheel -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spokes", "slope", "inertia"), [(8, 0.08, 0.0), (8, 0.1, 0.3), (12, 0.05, 0.5), (5, 0.4, 0.0)])
def test_the_rimless_wheel_has_its_closed_form(spokes, slope, inertia):
    cycle = cycle_of(rg.models.rimless_wheel(spokes, slope, gyration=math.sqrt(inertia)))
    assert -cycle.state.v[0] == pytest.approx(wheel_rate(slope, spokes, inertia), abs=1e-10)
    assert cycle.period == pytest.approx(wheel_period(slope, spokes, inertia), abs=1e-10)
    assert cycle.multipliers == pytest.approx([wheel_kept(spokes, inertia) ** 2, 0.0], abs=1e-9)


def test_the_wheel_of_the_references():
    wheel = rg.models.rimless_wheel()
    assert wheel.state.v == pytest.approx([-1.095462839647657], abs=1e-14)
    cycle = cycle_of(wheel)
    assert -cycle.state.v[0] == pytest.approx(1.095462839647657, abs=1e-10)
    assert cycle.period == pytest.approx(1.034549811423279, abs=1e-10)
    assert cycle.multipliers[0] == pytest.approx(0.5, abs=1e-10)
    assert cycle_of(wheel, returns=3).period == pytest.approx(3 * 1.034549811423279, abs=1e-9)


def test_the_branch_of_the_wheel_ends_where_it_does_not_pass_the_top():
    with pytest.warns(rg.RegraftWarning, match="not complete"):
        branch = rg.gait.continuation(lambda slope: rg.models.rimless_wheel(8, slope), (0.1, 0.06), least_arc_step=1e-3)
    assert branch.parameter[-1] == pytest.approx(least_slope(), abs=1e-3)
    assert branch.parameter.min() > least_slope()
    assert -branch.v[:, 0] == pytest.approx([wheel_rate(slope) for slope in branch.parameter], abs=1e-9)
    assert branch.multipliers[:, 0] == pytest.approx(np.full(len(branch), 0.5), abs=1e-9)


def test_length_mass_and_gravity_of_the_wheel_scale_as_they_must():
    cycle, plain = cycle_of(rg.models.rimless_wheel(8, 0.08, length=2.0, mass=7.0, gravity=3.0)), wheel_period(0.08)
    assert cycle.period == pytest.approx(plain * math.sqrt(2.0 * G / 3.0), abs=1e-9)


@pytest.mark.parametrize(
    "options", [{"spokes": 4}, {"spokes": 8.0}, {"length": 0.0}, {"gyration": -1.0}, {"slope": 2.0}, {"mass": 0.0}], ids=str
)
def test_what_is_no_wheel_is_refused(options):
    with pytest.raises(rg.ModelError, match=next(iter(options))):
        rg.models.rimless_wheel(**options)


# --- the spring-legged runner ----------------------------------------------------------------------------------------------


def apex_map(height, angle, k=20_000.0, speed=5.0, m=80.0):
    """From one apex to the next, in Cartesian coordinates about the foot; the energy is that of the speed at the height 1 m."""
    touch = math.sin(angle)
    forward, down = math.sqrt(speed**2 + 2 * G * (1 - height)), math.sqrt(2 * G * (height - touch))

    def stance(_, y):
        r = math.hypot(y[0], y[1])
        pull = k / m * (1 - r) / r
        return [y[2], y[3], pull * y[0], pull * y[1] - G]

    def off(_, y):
        return math.hypot(y[0], y[1]) - 1.0

    off.terminal, off.direction = True, 1
    start = [-math.cos(angle), touch, forward, -down]
    run = solve_ivp(stance, (0.0, 2.0), start, events=off, rtol=1e-11, atol=1e-12, method="DOP853")
    _, z, _, up = run.y_events[0][0]
    return z + up**2 / (2 * G), run.t_events[0][0] + up / G + down / G


def test_the_runner_is_that_of_another_program():
    angle = math.radians(68.0)
    gait = cycle_of(rg.models.spring_runner(angle))
    height = brentq(lambda h: apex_map(h, angle)[0] - h, 0.935, 0.95, xtol=1e-13)
    slope = (apex_map(height + 1e-5, angle)[0] - apex_map(height - 1e-5, angle)[0]) / 2e-5
    up = rg.body_twists(gait.mech, gait.state)["body"][5]
    assert math.sin(angle) + up**2 / (2 * G) == pytest.approx(height, abs=1e-8)
    assert not gait.exact  # its actions are functions
    assert gait.period == pytest.approx(apex_map(height, angle)[1], abs=1e-8)
    assert gait.multipliers[0] == pytest.approx(slope, abs=1e-5)
    assert np.abs(gait.multipliers[1:]).max() < 1e-9
    assert gait.stable  # Seyfarth et al.: 80 kg, 1 m, 20 kN/m, 68 degrees, 5 m/s


def test_running_keeps_its_energy_and_its_steps_are_symmetric():
    gait = cycle_of(rg.models.spring_runner())
    run = rg.simulate(gait.mech, gait.state, 0.999 * gait.period, events=rg.models.spring_runner().events, rtol=1e-11, atol=1e-12)
    assert [event.name for event in run.events] == ["lift-off"]
    stance, flight = run.segments
    first, last, up = stance.state(stance.t[0]), stance.state(stance.t[-1]), flight.state(flight.t[0])
    assert last.q == pytest.approx([-first.q[0], first.q[1]], abs=1e-9)
    assert last.v == pytest.approx([first.v[0], -first.v[1]], abs=1e-8)
    expected = 80.0 * (0.5 * 5.0**2 + G * 1.0)
    for segment, state in ((stance, first), (stance, last), (flight, up), (flight, flight.state(flight.t[-1]))):
        assert rg.energy(segment.mech, state).total == pytest.approx(expected, rel=1e-9)
    before, after = (rg.body_twists(segment.mech, state)["body"][3:] for segment, state in ((stance, last), (flight, up)))
    assert after == pytest.approx(before, abs=1e-9)


def test_gaits_of_the_runner_begin_in_a_fold_and_flip():
    """A leg that is steep enough has two gaits; the lower one is stable until it flips."""
    branch = rg.gait.continuation(
        lambda degrees: rg.models.spring_runner(math.radians(degrees)), (66.0, 69.2), start=68.0, largest_arc_step=0.4, most=30
    )
    (_, fold), (_, flip) = branch.points
    assert [kind for kind, _ in branch.points] == ["fold", "flip"]
    assert branch.complete
    mech = branch.cycle(0).mech
    ups = np.array([rg.body_twists(mech, state)["body"][5] for state in branch.states])
    heights = np.sin(np.radians(branch.parameter)) + ups**2 / (2 * G)
    some = slice(None, None, 4)
    for degrees, height, multiplier in zip(branch.parameter[some], heights[some], branch.multipliers[some, 0], strict=True):
        angle = math.radians(degrees)
        assert apex_map(height, angle)[0] == pytest.approx(height, abs=1e-7)
        slope = (apex_map(height + 1e-5, angle)[0] - apex_map(height - 1e-5, angle)[0]) / 2e-5
        assert multiplier == pytest.approx(slope, abs=1e-4 * max(1.0, abs(slope)))
    assert (66.0 < fold < 66.5, 68.5 < flip < 69.0) == (True, True)


@pytest.mark.parametrize("options", [{"angle": 2.0}, {"stiffness": 0.0}, {"speed": -1.0}, {"mass": 0.0}], ids=str)
def test_what_is_no_runner_is_refused(options):
    with pytest.raises(rg.ModelError, match=next(iter(options))):
        rg.models.spring_runner(**options)
    with pytest.raises(rg.ModelError, match="does not come up"):
        rg.models.spring_runner(speed=0.1, height=0.5)


# --- the kneed walker ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kneed():
    return cycle_of(rg.models.kneed_walker())


def test_the_kneed_walker_walks_as_published(kneed):
    """Hsu Chen: 0.564 s a step and 0.84 m/s, on legs of 1 m."""
    assert kneed.stable
    assert kneed.residual < 1e-10
    assert kneed.period == pytest.approx(0.564, abs=1e-3)
    length = 2.0 * math.sin(abs(kneed.state["hip"].q) / 2.0)
    assert length / kneed.period == pytest.approx(0.84, abs=5e-3)
    assert [event.name for event in kneed.trajectory.events] == ["knee strike", "right strike"]
    assert set(kneed.mech.joints) == {"stance", "hip", "knee", "left lock"}
    assert set(kneed.trajectory.segments[-1].mech.joints) == {"stance", "hip", "left lock", "right lock"}
    assert set(kneed.return_map.passage(kneed.mech, kneed.state).mech.joints) == {"stance", "hip", "knee", "right lock"}


def chain(q1, q2, q3):
    """Masses of a walker on its stance foot: shank, thigh, hip, thigh, shank; angles from the vertical, forward positive."""

    def along(angle, length):
        return length * np.array([np.sin(angle), -np.cos(angle)])  # down the leg: its foot is ahead where the angle is positive

    hip = -along(q1, 1.0)
    swing = hip + along(q2, 0.5)
    return np.array([-along(q1, 0.375), -along(q1, 0.675), hip, hip + along(q2, 0.325), swing + along(q3, 0.125)])


MASSES = np.array([0.05, 0.5, 0.5, 0.5, 0.05])


def test_the_kneed_walker_is_that_of_another_program(kneed):
    slope, gravity = 0.0504, np.array([0.0, -G])
    legs = np.cumsum([kneed.state["stance"].q, kneed.state["hip"].q, kneed.state["knee"].q])
    rates = np.cumsum([kneed.state["stance"].v, kneed.state["hip"].v, kneed.state["knee"].v])
    bent, straight = (lambda q: chain(*q)), (lambda q: chain(q[0], q[1], q[1]))
    first, q, v = flow(bent, MASSES, gravity, legs, rates, lambda q: q[2] - q[1], 1.0)
    both = q[:2]
    v = caught(bent, straight, MASSES, q, v, both)

    def height(q):
        foot = np.array([np.sin(q[1]) - np.sin(q[0]), np.cos(q[0]) - np.cos(q[1])])
        return foot[1] + math.tan(slope) * foot[0]

    second, q, v = flow(straight, MASSES, gravity, both, v, height, -1.0)
    turned = np.array([q[1], q[0]])
    after = caught(straight, lambda p: straight(p)[[4, 3, 2, 1, 0]], MASSES, q, v, turned)
    assert first + second == pytest.approx(kneed.period, abs=1e-8)
    assert turned == pytest.approx(legs[:2], abs=1e-8)
    assert after == pytest.approx(rates[:2], abs=1e-7)


def test_a_kneed_step_keeps_its_energy_between_strikes_and_loses_what_the_slope_gives(kneed):
    _, bent, straight = kneed.trajectory.segments
    levels = [rg.energy(s.mech, s.state(t)).total for s in (bent, straight) for t in (s.t[0], s.t[-1])]
    assert levels[0] == pytest.approx(levels[1], abs=1e-9)
    assert levels[2] == pytest.approx(levels[3], abs=1e-9)
    assert levels[1] > levels[2] + 0.01  # the knee strike takes some
    passage = kneed.return_map.passage(kneed.mech, kneed.state)
    final = rg.energy(passage.mech, passage.state).total
    length = 2.0 * math.sin(abs(kneed.state["hip"].q) / 2.0)
    assert levels[0] - final == pytest.approx(1.6 * G * length * math.sin(0.0504), abs=1e-8)


def test_two_steps_of_the_kneed_walker_are_one_twice(kneed):
    stride = cycle_of(rg.models.kneed_walker(), returns=2)
    assert stride.period == pytest.approx(2.0 * kneed.period, abs=1e-9)
    found, expected = stride.multipliers[:2], kneed.multipliers[:2] ** 2
    assert sorted(found, key=np.imag) == pytest.approx(sorted(expected, key=np.imag), abs=1e-8)


def test_the_gait_with_knees_changes_with_the_slope():
    branch = rg.gait.continuation(
        lambda slope: rg.models.kneed_walker(slope=slope), (0.048, 0.053), arc_step=0.5, largest_arc_step=0.5
    )
    assert branch.complete
    assert branch.stable.all()
    assert (np.diff(2.0 * np.sin(np.abs(branch.q[:, 1]) / 2.0)) > 0.0).all()  # longer steps on steeper ground


# --- round feet ------------------------------------------------------------------------------------------------------------


def rolling_points(radius, slope, c, rho):
    """Masses of a biped on round feet: two of each leg, at c ± ρ from the hip, and the hip; the ground is level in these axes."""

    def places(q):
        theta, psi = q
        centre = np.array([-radius * theta, radius + 0.0 * theta])
        hip = centre - (1.0 - radius) * np.array([np.sin(theta), -np.cos(theta)])
        down = [np.array([np.sin(a), -np.cos(a)]) for a in (theta, psi)]
        return np.array([hip + (c + s * rho) * d for d in down for s in (-1.0, 1.0)] + [hip])

    gravity = G * np.array([math.sin(slope), -math.cos(slope)])
    return places, gravity


@pytest.mark.parametrize(("radius", "slope"), [(0.3, 0.01), (0.6, 0.003)])
def test_the_biped_on_round_feet_is_that_of_another_program(radius, slope):
    biped = rg.models.round_footed_biped(foot_radius=radius, slope=slope)
    gait = cycle_of(biped)
    legs = biped.legs(gait.mech, gait.state)
    places, gravity = rolling_points(radius, slope, 0.5, 0.25)
    masses = np.array([0.5, 0.5, 0.5, 0.5, 10.0])
    q, v = np.array([legs.stance + slope, legs.swing + slope]), np.array([legs.stance_rate, legs.swing_rate])
    assert q[0] == pytest.approx(-q[1], abs=1e-10)

    def height(q):
        return np.cos(q[0]) - np.cos(q[1]) + (1.0 if q[1] < q[0] else 0.0)  # feet that pass each other do not strike

    time, end, speeds = flow(places, masses, gravity, q, v, height, -1.0)
    turned = end[::-1]

    def other(q):
        return places(q)[[2, 3, 0, 1, 4]]

    after = caught(places, other, masses, end, speeds, turned)
    assert time == pytest.approx(gait.period, abs=1e-8)
    assert turned == pytest.approx(q, abs=1e-7)
    assert after == pytest.approx(v, abs=1e-7)


def test_small_steps_on_round_feet_take_the_time_of_linear_theory():
    """tan(ωτ/2) = −(1 + B)/(1 − B) (ω/σ) tanh(στ/2), for legs without mass."""
    sigma, omega = math.sqrt(G * 0.5), math.sqrt(G * 0.5 / 0.3125)
    shared = 0.5 / 0.3125 * sigma**2 / (sigma**2 + omega**2)

    def off(x):
        return math.sin(x) + (1 + shared) / (1 - shared) * omega / sigma * math.tanh(sigma * x / omega) * math.cos(x)

    time = 2.0 * brentq(off, math.pi / 2 + 1e-9, math.pi, xtol=1e-15) / omega
    times = [cycle_of(rg.models.round_footed_biped(1e7, foot_radius=0.5, slope=slope)).period for slope in (8e-6, 1e-6)]
    assert (4.0 * times[1] - times[0]) / 3.0 == pytest.approx(time, rel=1e-6)  # it goes as the square of the step


def test_feet_as_large_as_legs_make_mcgeers_synthetic_wheel():
    """tan x = −x and ωτ = 2 x; radii from 0.8 to 0.975 of the leg, and small steps, point to it."""
    omega = math.sqrt(G * 0.5 / 0.3125)
    expected = 2.0 * brentq(lambda x: math.sin(x) + x * math.cos(x), 1.6, 3.1, xtol=1e-15)
    assert expected == pytest.approx(4.057515676220868, abs=1e-12)

    def turn(off):
        times = [
            cycle_of(rg.models.round_footed_biped(1e7, foot_radius=1.0 - off, slope=slope)).period
            for slope in (8e-5 * off**2, 1e-5 * off**2)
        ]
        return omega * (4.0 * times[1] - times[0]) / 3.0

    offs = np.array([0.2, 0.1, 0.05, 0.025])
    weights = [np.prod([b / (b - a) for b in offs if b != a]) for a in offs]
    assert np.dot(weights, [turn(off) for off in offs]) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    "options", [{"foot_radius": 1.0}, {"foot_radius": 0.0}, {"slope": 0.0}, {"gyration": -0.1}, {"hip_mass": 0.0}], ids=str
)
def test_what_is_no_biped_on_round_feet_is_refused(options):
    with pytest.raises(rg.ModelError, match=next(iter(options))):
        rg.models.round_footed_biped(**options)


def test_round_feet_roll_without_slipping():
    biped = rg.models.round_footed_biped()
    gait = cycle_of(biped)
    segment = gait.trajectory.segments[0]
    for t in np.linspace(segment.t[0], segment.t[-1], 5):
        state = segment.state(float(t))
        side = "right" if segment.mech.joints["stance"].child == "right" else "left"
        twist = rg.body_twists(segment.mech, state)[side]
        pose = rg.body_poses(segment.mech, state)[side]
        centre = pose.apply((0.0, 0.0, -0.7))
        contact = centre - 0.3 * np.array([-math.sin(0.01), 0.0, math.cos(0.01)])
        assert twist[3:] + np.cross(twist[:3], contact - pose.translation) == pytest.approx(np.zeros(3), abs=1e-10)
