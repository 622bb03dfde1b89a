"""The method of order eight, "dop853": its numbers, its steps beside SciPy's, and all that runs with "dopri5"."""

import numpy as np
import pytest
from scipy.integrate import DOP853 as SCIPY
from scipy.integrate._ivp import dop853_coefficients as published

import regraft as rg
from contacts.machines import falling_figure, quadruped, shifting, table
from contacts.scenes import ball, block
from regraft.simulate.integrators import INTEGRATORS
from simple_mechanisms import arm, chain, pendulum, slider

METHOD = INTEGRATORS["dop853"].method
EIGHT = {"integrator": "dop853"}


# --- its numbers ------------------------------------------------------------------------------------------------------


def test_its_numbers_are_the_published_ones():
    last = METHOD.last
    assert last == 12
    assert np.array_equal(METHOD.weights, published.A)
    assert np.array_equal(METHOD.weights[last, :last], published.B)
    assert np.array_equal(METHOD.times, published.C)
    assert np.array_equal(METHOD.error[0, : last + 1], published.E5)
    assert np.array_equal(METHOD.error[1, : last + 1], published.E3)
    assert np.array_equal(METHOD.dense, published.D)


@pytest.mark.parametrize("name", [name for name, each in INTEGRATORS.items() if not each.of_free_bodies])
def test_numbers_fulfil_the_conditions_that_every_method_of_their_order_does(name):
    """Stages are where their weights lead, and powers of time up to the order are integrated exactly."""
    method = INTEGRATORS[name].method
    assert np.abs(method.weights.sum(axis=1) - method.times).max() < 2e-14  # some weights are near 40
    for power in range(method.order):
        assert abs(method.weights[method.last] @ method.times**power - 1.0 / (power + 1)) < 1e-14
    assert np.abs(method.error.sum(axis=1)).max() < 1e-14  # what does not change has no error


# --- its steps --------------------------------------------------------------------------------------------------------


def test_a_step_and_its_dense_output_are_those_of_scipy():
    """Of a chain on hinges, whose positions are plain numbers."""
    mech, state = chain(4)
    problem = rg.as_ivp(mech)
    traj = rg.simulate(mech, state, 0.3, step=0.03, rtol=1e3, atol=1e3, **EIGHT)
    segment = traj.segments[0]
    assert np.diff(segment.t).max() > 0.02
    for t, x, h in zip(segment.t[:-1], segment.x[:-1], segment.sizes, strict=True):
        other = SCIPY(problem.fun, t, x, t + h, first_step=h, rtol=1e3, atol=1e3)
        other.step()
        assert other.t == t + h
        within = t + h * np.array([0.05, 0.3, 0.77, 0.999])
        assert np.abs(segment.states(within) - other.dense_output()(within).T).max() < 2e-12
        assert np.abs(segment.states(np.array([t + h]))[0] - other.y).max() < 2e-12


def test_it_has_its_order_with_ball_free_and_universal_joints():
    """Eight at the ends of steps, seven and one for the step itself between them; 8.7 and 7.3 are observed."""
    mech, state = arm()
    exact = rg.simulate(mech, state, 1.0, rtol=1e-14, atol=1e-15, **EIGHT)
    between = np.linspace(0.013, 0.987, 300)
    errors = []
    for h in (3e-2, 1.5e-2):
        traj = rg.simulate(mech, state, 1.0, step=h, rtol=1e6, atol=1e6, **EIGHT)  # nearly all steps are the largest
        pairs = zip(*(each.segments[0].states(np.append(between, 1.0)) for each in (traj, exact)), strict=True)
        apart = [
            np.abs(np.append(rg.difference(mech, *(z[: mech.nq] for z in pair)), np.subtract(*pair)[mech.nq :])).max()
            for pair in pairs
        ]
        errors.append((apart[-1], max(apart)))
    ends, within = np.log2(np.divide(*errors))
    assert ends > 8.0
    assert within > 7.0


def test_it_takes_fewer_evaluations_at_tight_tolerances():
    """15 a step with dense output, beside 6; both are as near to an exact motion as they were asked to be."""
    mech, state = slider()
    found = {}
    for integrator, evaluations in (("dopri5", 6), ("dop853", 15)):
        traj = rg.simulate(mech, state, 5.0, integrator=integrator)
        times = np.linspace(0.0, 5.0, 1001)
        x = traj.segments[0].states(times)
        assert np.abs(x[:, 0] - np.cos(2 * np.pi * times)).max() < 1e-9
        assert np.abs(x[:, 1] + 2 * np.pi * np.sin(2 * np.pi * times)).max() < 2 * np.pi * 1e-9
        found[integrator] = evaluations * traj.steps
    assert found["dop853"] < 0.35 * found["dopri5"]


class AtDenseStages:
    """A torque of zero that once, in a stage of the dense output alone, does something else: at 0.1 of a step, after its end."""

    def __init__(self, action):
        self.asked, self.action = [], action

    def __call__(self, t, mech, state):
        if self.action is not None and len(self.asked) > 40:
            first, end = self.asked[-12], self.asked[-1]  # of the step before: its second stage and its end
            h = (end - first) / (1.0 - METHOD.times[1])
            if abs(t - (end - 0.9 * h)) < 1e-6 * h:
                action, self.action = self.action, None
                return action()
        self.asked.append(t)
        return np.zeros(mech.nv)


def test_a_stage_of_the_dense_output_that_is_not_finite_shortens_the_step():
    mech, state = pendulum()
    torque = AtDenseStages(lambda: np.array([np.nan]))
    traj = rg.simulate(mech, state, 1.0, torque=torque, **EIGHT)
    assert torque.action is None
    assert traj.rejected > rg.simulate(mech, state, 1.0, **EIGHT).rejected
    assert np.isfinite(traj.segments[0].terms).all()


def test_a_function_that_fails_in_a_stage_of_the_dense_output_is_told():
    mech, state = pendulum()

    def fail():
        raise ZeroDivisionError("as it goes back")

    with pytest.raises(rg.SimulationError, match="ZeroDivisionError: as it goes back"):
        rg.simulate(mech, state, 1.0, torque=AtDenseStages(fail), **EIGHT)


# --- with all else ----------------------------------------------------------------------------------------------------


def largest_difference(a, b, times):
    """Of two motions of the same bodies, in metres."""
    worst = 0.0
    for t in times:
        here, there = (rg.body_poses(*state) for state in ((x.mechanism(t), x.state(t)) for x in (a, b)))
        worst = max(worst, *(float(np.abs(here[name].translation - there[name].translation).max()) for name in here))
    return worst


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
@pytest.mark.parametrize("model", ["four_bar", "arm"])
def test_it_moves_trees_and_loops_as_dopri5_does_in_both_coordinates(model, coordinates):
    start = arm() if model == "arm" else rg.models.four_bar(speed=3.0).start
    five = rg.simulate(*start, 1.0, coordinates=coordinates, rtol=1e-11, atol=1e-12)
    eight = rg.simulate(*start, 1.0, coordinates=coordinates, rtol=1e-11, atol=1e-12, **EIGHT)
    assert eight.steps < 0.3 * five.steps
    assert largest_difference(five, eight, np.linspace(0.0, 1.0, 41)) < 1e-9
    assert eight.loop_error().position.max(initial=0.0) < 1e-10


def test_events_change_the_structure_at_the_same_times():
    biped = rg.models.compass_biped()
    five, eight = (rg.simulate(*biped.start, 4.0, events=biped.events, integrator=name) for name in ("dopri5", "dop853"))
    assert [event.name for event in eight.events] == [event.name for event in five.events]
    assert len(five.events) > 4
    assert np.abs(np.subtract([event.t for event in eight.events], [event.t for event in five.events])).max() < 1e-8


def test_a_guard_is_zero_to_rounding_where_its_event_is():
    mech, state = pendulum(1.0)
    traj = rg.simulate(mech, state, 10.0, events=rg.when_joint("hinge", 0.0, direction=0), **EIGHT)
    assert len(traj.events) > 8
    for event in traj.events:
        assert abs(traj.state(event.t).q[0]) < 1e-13


def test_prescribed_joints_move_as_told():
    mech, state = chain(3, 0.0)

    def nod(t):
        return 0.2 * np.sin(5 * t), np.cos(5 * t), -5 * np.sin(5 * t)

    state = mech.state(q=state.q, v={"hinge1": 1.0})
    five, eight = (
        rg.simulate(mech, state, 2.0, prescribed={"hinge1": nod}, rtol=1e-10, atol=1e-11, integrator=name)
        for name in ("dopri5", "dop853")
    )
    assert np.abs(eight.joint("hinge1").q - 0.2 * np.sin(5 * eight.t)).max() < 1e-14
    assert largest_difference(five, eight, np.linspace(0.0, 2.0, 41)) < 1e-8


def test_a_limit_cycle_is_the_same():
    biped = rg.models.compass_biped()
    five, eight = (rg.gait.limit_cycle(*biped.start, biped.events, integrator=name) for name in ("dopri5", "dop853"))
    assert eight.period == pytest.approx(five.period, abs=1e-10)
    assert eight.multipliers == pytest.approx(five.multipliers, abs=1e-8)


# --- contacts ---------------------------------------------------------------------------------------------------------


def test_a_ball_comes_to_rest_when_it_must():
    """Infinitely many bounces: with restitution e they end (1 + e) / (1 − e) √(2 h / g) after the drop."""
    scene, e = ball(drop=1.0, restitution=0.5), 0.5
    traj = scene.run(4.0, **EIGHT)
    first = np.sqrt(2.0 * 1.0 / 9.81)
    assert abs(traj.events[0].t - first) < 1e-14
    assert abs(traj.events[-1].t - first * (1 + e) / (1 - e)) < 1e-12
    assert np.abs(traj.state(4.0).v).max() < 1e-14


def test_a_block_slides_down_as_the_law_says():
    mu, slope = 0.3, np.radians(30.0)
    traj = block(incline=slope, friction=mu).run(2.0, **EIGHT)
    a = 9.81 * (np.sin(slope) - mu * np.cos(slope))
    place = traj.body("block").position
    assert abs(np.linalg.norm(place[-1] - place[0]) - 0.5 * a * 4.0) < 1e-12
    total, lost = traj.energy().total, traj.contacts().dissipated
    assert np.abs(total + lost - total[0]).max() < 1e-9 * lost[-1]


def test_a_table_stays_where_it_stands():
    traj = table().run(100.0, **EIGHT)
    assert traj.steps < 30
    assert np.abs(traj.body("table").position - traj.body("table").position[0]).max() < 1e-12


def test_a_quadruped_shifts_its_weight_in_fewer_evaluations():
    scene = quadruped()
    five, eight = (scene.run(1.0, torque=shifting(scene), integrator=name) for name in ("dopri5", "dop853"))
    assert 15 * eight.steps < 0.9 * 6 * five.steps
    assert largest_difference(five, eight, np.linspace(0.0, 1.0, 21)) < 1e-9
    assert np.abs(eight.contacts()["hind left foot 0"].gap).max() < 1e-10


def test_a_figure_falls_to_the_same_first_places():
    """Later on rounding decides which point touches first; energy only falls."""
    scene = falling_figure()
    five, eight = (scene.run(0.5, integrator=name) for name in ("dopri5", "dop853"))
    assert [event.name for event in eight.events[:5]] == [event.name for event in five.events[:5]]
    assert np.abs(np.subtract([e.t for e in eight.events[:5]], [e.t for e in five.events[:5]])).max() < 1e-9
    total, lost = eight.energy().total, eight.contacts().dissipated
    assert (np.diff(total) < 1e-9 * total[0]).all()
    assert np.isfinite(lost).all()
