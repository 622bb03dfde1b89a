"""Limit cycles whose numbers are known: from the literature, in closed form, or from the law that they must obey."""

import numba
import numpy as np
import pytest
from scipy.integrate import quad

import regraft as rg
from walkers import GARCIA_ANGLE, GARCIA_RATE, compass_biped, simplest_walker, strikes, two_legs


@pytest.fixture(scope="module")
def gait():
    return rg.gait.limit_cycle(*compass_biped())


def test_the_compass_biped_walks_its_gait(gait):
    assert gait.residual < 1e-10
    assert not gait.exact  # these strikes are functions
    assert gait.period == pytest.approx(0.7343791048, abs=1e-9)  # S1: 0.734 s a step
    assert gait.multipliers[:3] == pytest.approx([-0.20043895 + 0.54417370j, -0.20043895 - 0.54417370j, 0.13151933], abs=1e-7)
    assert abs(gait.multipliers[3]) < 1e-12
    assert gait.stable
    assert repr(gait).startswith("LimitCycle: period 0.7343791047")


def test_strikes_that_are_data_are_differentiated_exactly(gait):
    model = rg.models.compass_biped()
    found = rg.gait.limit_cycle(*model.start, model.events)
    assert found.exact
    assert found.period == pytest.approx(gait.period, abs=1e-11)
    assert found.multipliers == pytest.approx(gait.multipliers, abs=1e-10)


def test_both_feet_are_on_the_slope_at_the_fixed_point(gait):
    stance, hip = gait.state.q
    assert 2 * stance + hip == pytest.approx(-2 * 0.0524, abs=1e-10)


def test_the_table_of_s1_is_near_this_gait(gait):
    pre = gait.trajectory.segments[-1].x[-1]
    assert pre == pytest.approx([-0.3236, 0.5424, -1.4939, -0.3117], abs=1e-3)


def test_iterates_approach_at_the_rate_of_the_largest_multiplier(gait):
    near = gait.mech.state(q=gait.state.q + np.array([1e-3, -2e-3]), v=gait.state.v * 1.002)
    found = gait.convergence(near, 20)
    assert found.distances.shape == (21,)
    assert found.distances[-1] < 1e-3 * found.distances[0]
    assert found.spectral_radius == pytest.approx(0.5799145, abs=1e-6)
    assert found.rate == pytest.approx(found.spectral_radius, rel=0.02)


def test_two_steps_are_one_step_twice(gait):
    both = rg.gait.limit_cycle(*compass_biped(), returns=2)
    assert both.period == pytest.approx(2 * gait.period, abs=1e-9)
    assert both.jacobian == pytest.approx(gait.jacobian @ gait.jacobian, abs=1e-8)


def test_fixed_steps_find_the_same_gait(gait):
    found = rg.gait.limit_cycle(*compass_biped(), integrator="rk4", step=1e-3)
    assert found.residual < 1e-10
    assert found.period == pytest.approx(gait.period, abs=1e-9)
    assert found.multipliers == pytest.approx(gait.multipliers, abs=1e-8)


def test_a_motion_that_settles_may_start_anywhere(gait):
    mech, _, events = compass_biped()
    swinging = mech.state(q=gait.trajectory.state(0.3).q.round(2), v=gait.trajectory.state(0.3).v.round(2))
    found = rg.gait.limit_cycle(mech, swinging, events, settle=2)
    assert found.period == pytest.approx(gait.period, abs=1e-9)


def test_the_joints_may_have_other_names_in_the_other_structure(gait):
    """The base joint is named after the foot that stands."""
    mech, state, events = compass_biped()

    def renamed(event, side):
        def action(mech, state):
            if event.action(mech, state) is rg.PASS:
                return rg.PASS
            foot = rg.frame_position(mech, state, f"{side} foot")
            hinge = rg.Revolute((0, 1, 0))
            return rg.reroot(mech, state, side, at=foot, joint=hinge, name=f"{side} stance", velocity="impact")

        return rg.Event(event.name, event.guard, action, event.direction)

    named = [renamed(event, side) for event, side in zip(events, ("left", "right"), strict=True)]
    with pytest.raises(rg.StructureError, match="match="):
        rg.gait.limit_cycle(mech, state, named)
    found = rg.gait.limit_cycle(mech, state, named, match={"stance": "right stance"}, section=("left strike", "right strike"))
    assert found.period == pytest.approx(gait.period, abs=1e-9)
    assert found.multipliers == pytest.approx(gait.multipliers, abs=1e-9)


def test_legs_that_differ_make_no_cycle_of_one_step():
    leg, other = rg.Inertia.point(1.0, at=(0, 0, -0.5)), rg.Inertia.point(1.01, at=(0, 0, -0.5))
    mech = two_legs(leg, 2.0, right=other)
    _, state, events = compass_biped()
    with pytest.raises(rg.SimulationError, match="do not move alike"):
        rg.gait.limit_cycle(mech, state, events)
    assert rg.gait.limit_cycle(mech, state, events, returns=2).residual < 1e-10


def test_the_simplest_walker_in_the_limit_of_small_feet():
    """Each number is a series in the foot's mass; four masses give it at zero."""
    masses = np.array([1.0, 0.5, 0.25, 0.125]) * 1e-3
    cycles = [rg.gait.limit_cycle(*simplest_walker(mass)) for mass in masses]
    assert max(cycle.residual for cycle in cycles) < 1e-10
    rows = np.array([[c.state.q[0], c.state.v[0], c.period, c.multipliers[0].real, abs(c.multipliers[0].imag)] for c in cycles])
    weights = [np.prod([b / (b - a) for b in masses if b != a]) for a in masses]
    angle, rate, period, real, imaginary = weights @ rows
    assert (angle, rate) == pytest.approx((GARCIA_ANGLE, GARCIA_RATE), abs=1e-9)
    assert period == pytest.approx(3.88246375, abs=1e-8)
    assert (real, imaginary) == pytest.approx((-0.19009984, 0.55759878), abs=2e-8)


# --- closed forms ------------------------------------------------------------------------------------------------------


def rimless_wheel(spokes, slope):
    """A hub with light spokes of length 1 that rolls towards −x; gravity is inclined, so that the ground is level."""
    mech = rg.Mechanism((-9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope)))
    mech.add_body("wheel", rg.Inertia.point(3.0))
    step = 2 * np.pi / spokes
    feet = [(np.sin(k * step), 0.0, -np.cos(k * step)) for k in range(spokes)]  # a turn towards −x lowers the last one
    mech.add_joint("stance", rg.Revolute((0, 1, 0)), "world", "wheel", child_pose=rg.Pose(translation=feet[0]))

    def strike(k):
        def action(mech, state):
            at = rg.frame_position(mech, state, f"foot {k}")
            return rg.reroot(mech, state, "wheel", at=at, joint=rg.Revolute((0, 1, 0)), name="stance", velocity="impact")

        return rg.when_frame_below(f"foot {k}", 0.0, action)

    for k, foot in enumerate(feet):
        mech.add_frame(f"foot {k}", "wheel", rg.Pose(translation=foot))
    return mech, [strike(k) for k in range(spokes)], step


def test_the_rimless_wheel_has_its_closed_form():
    slope, spokes = 0.08, 8
    mech, events, step = rimless_wheel(spokes, slope)
    half = step / 2

    def next_spoke(_, state):
        return mech.state(q=state.q + step, v=state.v)

    cycle = rg.gait.limit_cycle(mech, mech.state(q=[half], v=[-1.5]), events, match=next_spoke)
    kept = np.cos(step) ** 2
    speed = np.sqrt(kept * 4 * 9.81 * np.sin(slope) * np.sin(half) / (1 - kept))

    def slowness(angle):
        fallen = np.cos(half - slope) - np.cos(angle - slope)
        return 1 / np.sqrt(speed**2 + 2 * 9.81 * fallen)

    period = quad(slowness, -half, half, epsabs=1e-13, epsrel=1e-13)[0]
    assert cycle.state.q == pytest.approx([half], abs=1e-10)
    assert cycle.state.v == pytest.approx([-speed], abs=1e-10)
    assert cycle.period == pytest.approx(period, abs=1e-10)
    assert cycle.multipliers == pytest.approx([kept, 0.0], abs=1e-10)


def slider():
    mech = rg.Mechanism((0, 0, 0))
    mech.add_body("cart", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("rail", rg.Prismatic((1, 0, 0)), "world", "cart")
    return mech


@numba.njit
def van_der_pol(_t, q, v, out):
    out[0] = (1 - q[0] ** 2) * v[0] - q[0]


@pytest.mark.parametrize("compiled", [True, False])
def test_the_oscillator_of_van_der_pol(compiled):
    torque = van_der_pol if compiled else lambda t, mech, state: (1 - state.q**2) * state.v - state.q  # noqa: ARG005
    mech = slider()
    section = rg.when_joint("rail", 0.0, direction=1)
    rtol = 1e-11 if compiled else 1e-8  # Python functions are slow
    cycle = rg.gait.limit_cycle(mech, mech.state(v=[2.17]), section, torque=torque, rtol=rtol)
    assert cycle.period == pytest.approx(6.6632868593231301897, abs=100 * rtol)
    assert not cycle.exact
    fine = cycle.trajectory.resample(np.linspace(0, cycle.period, 20001))
    rail = fine.joint("rail")
    shrinks = np.exp(np.trapezoid(1 - rail.q**2, rail.t))  # Liouville
    assert cycle.multipliers == pytest.approx([shrinks, 0.0], abs=max(1e-8, 100 * rtol))


def test_a_guess_beside_the_section_is_not_taken_for_its_own_return():
    mech = slider()
    section = rg.when_joint("rail", 0.0, direction=1)
    cycle = rg.gait.limit_cycle(mech, mech.state(q=[-0.05], v=[2.1]), section, torque=van_der_pol, rtol=1e-9)
    assert cycle.period == pytest.approx(6.66328686, abs=1e-7)


def test_a_forced_oscillator_by_its_stroboscopic_map():
    """q̈ + 2 d q̇ + q = cos w t: the steady answer is known, and the map is linear."""
    d, w = 0.1, 1.3
    mech = slider()
    period = 2 * np.pi / w

    def torque(t, _, state):
        return np.cos(w * t) - state.q - 2 * d * state.v

    cycle = rg.gait.limit_cycle(mech, mech.state(), rg.at_time(period), torque=torque, rtol=1e-9)
    answer = 1 / (1 - w**2 + 2j * d * w)
    assert cycle.period == pytest.approx(period, abs=1e-14)
    assert (cycle.state.q[0], cycle.state.v[0]) == pytest.approx((answer.real, (1j * w * answer).real), abs=1e-8)
    expected = np.exp((-d + 1j * np.sqrt(1 - d**2)) * period)
    assert sorted(cycle.multipliers, key=np.imag) == pytest.approx(
        sorted([expected, expected.conjugate()], key=np.imag), abs=1e-9
    )


def test_a_family_of_cycles_is_met_at_its_nearest_member():
    """Every swing of a pendulum repeats itself: I − J is singular along the family."""
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia.point(1.0, at=(0, 0, -1)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
    cycle = rg.gait.limit_cycle(mech, mech.state(q=[0.05], v=[1.0]), rg.when_joint("hinge", 0.0, direction=1))
    assert cycle.residual < 1e-10
    assert abs(cycle.state.q[0]) < 1e-9
    assert sorted(cycle.multipliers.real) == pytest.approx([0.0, 1.0], abs=1e-8)
    amplitude = 2 * np.arcsin(np.sqrt(cycle.state.v[0] ** 2 / (4 * 9.81)))
    mean = np.pi / 2 / quad(lambda a: 1 / np.sqrt(1 - (np.sin(amplitude / 2) * np.sin(a)) ** 2), 0, np.pi / 2, epsabs=1e-13)[0]
    assert cycle.period == pytest.approx(2 * np.pi / np.sqrt(9.81) / mean, abs=1e-9)


# --- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"section": "heel strike"}, "they are: 'left strike', 'right strike'"),
        ({"section": 3}, "section must be the name of an event, or several as a list, not 3"),
        ({"events": []}, "needs events, or contacts, that its section can be made of; there are none"),
        ({"returns": 0}, "returns must be a whole number"),
        ({"settle": -1}, "settle must be a whole number"),
        ({"tolerance": 0.0}, "tolerance positive"),
        ({"tolerance": "small"}, "tolerance must be real numbers, not 'small'"),
        ({"longest": "long"}, "longest must be real numbers"),
        ({"match": ["hip"]}, "match must be names by names, or a function"),
        ({"match": {"hips": "hip"}}, "match: 'hips' is no joint of the structure where the map starts.*mean 'hip'"),
    ],
    ids=str,
)
def test_what_makes_no_return_map_is_refused(options, message):
    mech, state, events = compass_biped()
    with pytest.raises(rg.ModelError, match=message):
        rg.gait.limit_cycle(mech, state, **({"events": events} | options))


@pytest.mark.parametrize("returns", [0, -1, 1.5, "many"])
def test_so_many_returns_are_none(gait, returns):
    with pytest.raises(rg.ModelError, match=f"returns must be a whole number, at least 1, not {returns!r}"):
        gait.convergence(gait.state, returns)


def test_a_walker_that_falls_never_returns():
    mech, _, events = compass_biped()
    with pytest.raises(rg.SimulationError, match="0 times of 1") as problem:
        rg.gait.limit_cycle(mech, mech.state(q={"stance": 0.2, "hip": -0.5}), strikes(-1.0)[:1], longest=0.5)
    assert problem.value.trajectory.t[-1] == pytest.approx(0.5)
    assert events


def test_a_motion_without_a_cycle_says_so():
    mech = slider()
    there = rg.when_joint("rail", 1.0, lambda mech, state: (mech, mech.state(q=[0.0], v=state.v + 0.1)), direction=1)
    with pytest.raises(rg.SimulationError, match="settle="):
        rg.gait.limit_cycle(mech, mech.state(v=[1.0]), there)


def test_a_match_must_return_a_state():
    mech, state, events = compass_biped()
    with pytest.raises(rg.ModelError, match="must return a state"):
        rg.gait.limit_cycle(mech, state, events, match=lambda mech, state: state.q)  # noqa: ARG005
