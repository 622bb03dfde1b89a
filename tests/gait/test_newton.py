"""Newton's method on return maps that are known as functions: where it is damped, and how it fails."""

import math

import numpy as np
import pytest

import regraft as rg
from regraft.gait.differences import Outside, jacobian_at_zero
from regraft.gait.sensitivity import passage_derivative

GOAL = 3.0


def track(change, gravity=(0.0, 0.0, 0.0)):
    """A cart that is put back to 0 each time it comes to 1, with another velocity; the return map is `change`."""
    mech = rg.Mechanism(gravity)
    mech.add_body("cart", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("rail", rg.Prismatic((1, 0, 0)), "world", "cart")
    back = rg.when_joint("rail", 1.0, lambda mech, state: (mech, mech.state(v=[change(state.v[0])])), direction=1, name="back")
    return mech, back


def gentle(v):
    """Newton's whole step overshoots far from the goal, since the slope is steep there only."""
    return v - 0.3 * math.atan(4.0 * (v - GOAL))


@pytest.mark.parametrize("start", [4.0, 3.6, 2.2])
def test_steps_that_lead_away_are_halved(start):
    """From 4 a whole step goes to −1.6, from where nothing returns, and half of it to 1.2, which is further off than 4."""
    mech, back = track(gentle)
    cycle = rg.gait.limit_cycle(mech, mech.state(v=[start]), back)
    assert cycle.state.v == pytest.approx([GOAL], abs=1e-9)
    assert cycle.period == pytest.approx(1.0 / GOAL, abs=1e-9)
    assert cycle.multipliers == pytest.approx([1.0 - 0.3 * 4.0, 0.0], abs=1e-8)
    assert 1 < cycle.iterations < 10
    assert cycle.residual <= 1e-10


def test_a_linear_map_takes_one_step_and_one_that_is_solved_none():
    mech, back = track(lambda v: GOAL - 3.0 * (v - GOAL))
    assert rg.gait.limit_cycle(mech, mech.state(v=[3.5]), back).iterations == 1
    solved = rg.gait.limit_cycle(mech, mech.state(v=[GOAL]), back)
    assert (solved.iterations, solved.stable, solved.spectral_radius) == (0, False, pytest.approx(3.0, abs=1e-8))
    assert "not stable" in repr(solved)


def test_a_guess_whose_return_never_returns_is_good_enough():
    mech, back = track(lambda v: GOAL - 3.0 * (v - GOAL))  # from 4.5 to −1.5, which leads away for ever
    cycle = rg.gait.limit_cycle(mech, mech.state(v=[4.5]), back, longest=5.0)
    assert cycle.state.v == pytest.approx([GOAL], abs=1e-9)


def test_too_few_steps_are_an_error_with_the_motion():
    mech, back = track(gentle)
    with pytest.raises(rg.SimulationError, match=r"after 1 steps of Newton's method: .* by 0.3") as problem:
        rg.gait.limit_cycle(mech, mech.state(v=[4.0]), back, most=1)
    assert problem.value.trajectory.t[-1] == problem.value.time
    assert problem.value.time == pytest.approx(1.0 / (GOAL - 1.64 / 4.0), rel=0.01)  # x = 4 − 22.5 / 4 of 4 (v − 3)
    with pytest.raises(rg.SimulationError, match="after 1 steps"):
        rg.gait.limit_cycle(mech, mech.state(v=[3.2]), back, most=1)


def test_where_no_part_of_the_step_helps_the_error_has_the_motion():
    """A speed that always grows, least at 2: no step comes nearer from there."""
    mech, back = track(lambda v: v + 1.0 + (v - 2.0) ** 2)
    with pytest.raises(rg.SimulationError, match=r"does not come nearer .* by 1") as problem:
        rg.gait.limit_cycle(mech, mech.state(v=[2.0]), back)
    assert problem.value.time == problem.value.trajectory.t[-1] == pytest.approx(0.5)


@pytest.mark.parametrize(
    "options",
    [{"settle": -1}, {"settle": 1.0}, {"most": 0}, {"most": 2.0}, {"tolerance": 0.0}, {"tolerance": -1e-9}, {"longest": 0.0}],
    ids=str,
)
def test_numbers_that_make_no_search_are_refused(options):
    mech, back = track(gentle)
    with pytest.raises(rg.ModelError, match="settle must be"):
        rg.gait.limit_cycle(mech, mech.state(v=[GOAL]), back, **options)


def test_settling_goes_on_from_where_the_last_return_led():
    mech, back = track(gentle)
    fresh = rg.gait.limit_cycle(mech, mech.state(v=[30.0]), back, settle=200, tolerance=1e-9)
    assert fresh.iterations <= 1  # each return takes up to 0.47 off
    with pytest.raises(rg.SimulationError):
        rg.gait.limit_cycle(mech, mech.state(v=[30.0]), back, most=2)


def test_a_structure_from_which_nothing_returns_makes_no_cycle():
    mech, _ = track(gentle)
    still = rg.Mechanism((-20.0, 0.0, 0.0))
    still.add_body("cart", rg.Inertia.sphere(1.0, 0.1))
    still.add_joint("rail", rg.Prismatic((1, 0, 0)), "world", "cart")
    turn = rg.when_joint("rail", 1.0, lambda mech, state: (still, still.state(v=[2.0 + state.v[0] / 3.0])), direction=1)  # noqa: ARG005
    with pytest.raises(rg.SimulationError, match=r"takes nan s.*no cycle") as problem:
        rg.gait.limit_cycle(mech, mech.state(v=[GOAL]), turn)
    assert problem.value.time == pytest.approx(1.0 / GOAL, abs=1e-9)


def test_an_interrupt_ends_the_search():
    mech, back = track(gentle)

    def torque(t, mech, state):  # noqa: ARG001
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rg.gait.limit_cycle(mech, mech.state(v=[GOAL]), back, torque=torque)


def test_convergence_asks_for_a_state_of_the_cycle():
    mech, back = track(gentle)
    cycle = rg.gait.limit_cycle(mech, mech.state(v=[3.1]), back)
    other = rg.Mechanism()
    with pytest.raises(rg.ModelError):
        cycle.convergence(other.state())
    few = cycle.convergence(mech.state(v=[3.1]), 2)
    assert math.isnan(few.rate)  # two points are no line
    assert few.distances == pytest.approx([0.1, abs(gentle(3.1) - GOAL), abs(gentle(gentle(3.1)) - GOAL)], abs=1e-9)
    assert cycle.convergence(mech.state(v=[3.1]), 8).rate == pytest.approx(0.2, rel=0.01)


# --- the derivative of the map ------------------------------------------------------------------------------------------


def test_a_guard_that_jumps_has_no_derivative():
    """Its sign changes at a place, but it tells nothing of how that place is approached."""
    mech, _ = track(gentle)
    jump = rg.Event(
        "jump",
        lambda mech, state: math.copysign(1.0, state.q[0] - 1.0),  # noqa: ARG005
        lambda mech, state: (mech, mech.state(v=state.v)),
        direction=1,
    )
    with pytest.raises(rg.SimulationError, match=r"no derivative here: near t = 0.333.*Choose a section") as problem:
        rg.gait.limit_cycle(mech, mech.state(v=[GOAL]), jump)
    assert problem.value.time == pytest.approx(1.0 / GOAL, abs=1e-3)


def test_an_action_that_fails_beside_the_cycle_has_no_derivative():
    def only_here(v):
        if abs(v - GOAL) > 1e-9:
            raise rg.ModelError("not defined there")
        return GOAL

    mech, back = track(only_here)
    with pytest.raises(
        rg.SimulationError, match=r"action of event 'back' has no derivative: .* t = 0.333333 .*smoothly"
    ) as problem:
        rg.gait.limit_cycle(mech, mech.state(v=[GOAL]), back)
    assert problem.value.time == pytest.approx(1.0 / GOAL, abs=1e-9)


def test_an_action_that_leaves_another_structure_beside_the_cycle_has_no_derivative():
    mech, _ = track(gentle)
    other = rg.Mechanism((0, 0, 0))

    def act(mech, state):
        return (mech, mech.state(v=[GOAL])) if abs(state.v[0] - GOAL) < 1e-9 else (other, other.state())

    with pytest.raises(rg.SimulationError, match="leaves another structure"):
        rg.gait.limit_cycle(mech, mech.state(v=[GOAL]), rg.when_joint("rail", 1.0, act, direction=1))


def test_the_state_of_a_match_must_be_one_of_the_start():
    mech, back = track(gentle)
    other = rg.Mechanism()
    with pytest.raises(rg.ModelError, match="another structure"):
        rg.gait.limit_cycle(mech, mech.state(v=[GOAL]), back, match=lambda mech, state: other.state())  # noqa: ARG005


def test_a_match_must_be_of_the_same_type():
    mech, _ = track(gentle)
    other = rg.Mechanism((0, 0, 0))
    other.add_body("cart", rg.Inertia.sphere(1.0, 0.1))
    other.add_joint("rail", rg.Revolute((1, 0, 0)), "world", "cart")
    turn = rg.when_joint("rail", 1.0, lambda mech, state: (other, other.state(v=state.v)), direction=1)  # noqa: ARG005
    with pytest.raises(rg.StructureError, match=r"'rail' .* no Prismatic joint 'rail'"):
        rg.gait.limit_cycle(mech, mech.state(v=[GOAL]), turn)


# --- differences --------------------------------------------------------------------------------------------------------


def curved(x):
    return np.array([math.exp(x[0]) * math.cos(x[1]), math.sin(3.0 * x[0]) + x[1] ** 3, x[1]])


CURVED = [[1.0, 0.0], [3.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("scales", [(1.0, 1.0), (2.0, 0.5)])
def test_extrapolated_differences_have_eleven_digits(scales):
    assert jacobian_at_zero(curved, np.array(scales)) == pytest.approx(np.array(CURVED), abs=1e-11)


def test_a_function_that_is_known_nearby_only_is_differentiated_there():
    def nearby(x):
        if np.abs(x).max() > 1e-3:
            raise Outside
        return curved(x)

    assert jacobian_at_zero(nearby, np.ones(2)) == pytest.approx(np.array(CURVED), abs=1e-9)


def test_a_function_that_is_known_at_a_point_only_has_no_derivative():
    def nowhere(_):
        raise Outside

    with pytest.raises(Outside):
        jacobian_at_zero(nowhere, np.ones(1))


def test_differences_end_where_the_clock_does():
    """The last step before a given time is shorter than the others, and a later start makes it shorter still."""
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia.point(1.0, at=(0, 0, -1)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
    cycle = rg.gait.limit_cycle(mech, mech.state(), rg.at_time(0.73), integrator="rk4", step=0.1)
    passage = cycle.return_map.passage(mech, mech.state(q=[0.5], v=[0.3]))
    assert passage.pieces[-1].sizes[-1] == pytest.approx(0.03, abs=1e-12)
    exact, differences = (passage_derivative(cycle.return_map, passage, exact=exact) for exact in (True, False))
    assert differences == pytest.approx(exact, abs=1e-9)
