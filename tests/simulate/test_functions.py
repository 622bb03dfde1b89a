"""Torques and wrenches: Python, Numba and constant ones do the same, and the work they do is the change of energy."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.integrate import solve_ivp

import regraft as rg
from random_mechanisms import samples
from regraft.simulate import stepping_loop
from simple_mechanisms import arm, ball, pendulum, slider, welded


@numba.njit
def wobble(t, q, v, out):
    for d in range(out.shape[0]):
        out[d] = np.sin(3.0 * t + d) - 0.3 * v[d]


def wobble_in_python(t, mech, state):
    return np.sin(3.0 * t + np.arange(mech.nv)) - 0.3 * state.v


@numba.njit
def wind(t, q, v, out):
    for b in range(out.shape[0]):
        out[b, 0] = 0.1 * b
        out[b, 3] = 0.5 * np.cos(2.0 * t)
        out[b, 5] = 0.3 + 0.1 * b


def wind_in_python(t, mech, state):
    return {body: (0.1 * b, 0, 0, 0.5 * np.cos(2.0 * t), 0, 0.3 + 0.1 * b) for b, body in enumerate(mech.bodies)}


@pytest.mark.parametrize(("integrator", "step"), [("dopri5", None), ("dop853", None), ("rk4", 5e-3)])
@pytest.mark.parametrize(("what", "fast", "slow"), [("torque", wobble, wobble_in_python), ("wrenches", wind, wind_in_python)])
def test_numba_and_python_do_the_same(what, fast, slow, integrator, step):
    mech, state = arm()
    found = [rg.simulate(mech, state, 0.5, integrator=integrator, step=step, **{what: function}) for function in (fast, slow)]
    assert found[0].steps == found[1].steps
    assert np.abs(found[0].segments[0].x - found[1].segments[0].x).max() < 1e-10  # the sine of another library


def test_constant_wrenches_are_the_same_as_functions():
    mech, state = arm()
    push = {"hand": (0.1, 0.2, -0.3, 1.0, 2.0, 3.0), "base": (0, 0, 0, 0, 0, 1.0)}
    table = np.array([push.get(body, np.zeros(6)) for body in mech.bodies], float)

    @numba.njit
    def compiled(t, q, v, out):
        for b in range(out.shape[0]):
            for i in range(6):
                out[b, i] = table[b, i]

    found = [rg.simulate(mech, state, 0.5, wrenches=way) for way in (push, lambda t, mech, state: push, compiled)]
    assert all(np.array_equal(found[0].segments[0].x, other.segments[0].x) for other in found[1:])
    free = rg.simulate(mech, state, 0.5)
    assert np.abs(free.final[1].q - found[0].final[1].q).max() > 1e-3


def test_wrenches_by_name_follow_a_change_of_structure():
    """Re-rooting gives the bodies other rows; the push must stay on the body that was named."""
    mech, state = arm()
    turn = rg.at_time(0.1, lambda mech, state: rg.reroot(mech, state, "hand"))
    for way in ({"fore": (0, 0, 0, 1.0, 2.0, 3.0)}, rg.law(rg.ALL, wind), wind_in_python):
        plain, turned = (rg.simulate(mech, state, 0.3, wrenches=way, events=events) for events in ((), turn))
        assert np.abs(plain.body("fore").position[-1] - turned.body("fore").position[-1]).max() < 1e-8


def test_a_new_numba_torque_does_not_compile_the_loop_again():
    mech, state = arm()
    rg.simulate(mech, state, 0.01)
    before = list(stepping_loop.run.signatures)
    for k in range(3):
        strength = 0.1 * k

        @numba.njit
        def torque(t, q, v, out):
            out[0] = strength  # noqa: B023 (compiled at once)

        rg.simulate(mech, state, 0.01, torque=torque)
    rg.simulate(mech, state, 0.01, torque=wobble_in_python, wrenches=wind, events=rg.when_joint("elbow", 1.0))
    rg.simulate(mech, state, 0.01, integrator="rk4", step=1e-3, every=2)
    rg.simulate(*welded(), 0.01)
    assert stepping_loop.run.signatures == before
    assert len(before) <= 2  # one for trees, one for closed chains


def test_a_compiled_function_is_wrapped_once():
    from regraft.simulate.callbacks import compiled_callback

    assert compiled_callback(wobble, "torque", "a").address == compiled_callback(wobble, "torque", "b").address


@settings(max_examples=15)
@given(samples(max_bodies=4))
def test_work_done_by_torques_and_wrenches_is_the_change_of_energy(sample):
    """The power is integrated along the motion by a solver that takes the states from the dense output."""
    mech, state = sample.mech, sample.state
    tau, body = np.clip(sample.tau, -3, 3), next(iter(mech.bodies))
    push = np.array([0.3, -0.2, 0.1, 1.0, -1.0, 0.5])
    traj = rg.simulate(mech, state, 0.5, torque=lambda t, mech, state: tau, wrenches={body: push}, rtol=1e-11, atol=1e-12)

    def power(t, _work):
        here = traj.state(t)
        return [tau @ here.v + push @ rg.body_twists(mech, here)[body]]

    work = solve_ivp(power, (0.0, 0.5), [0.0], rtol=1e-9, atol=1e-10, max_step=0.02).y[0, -1]
    energy = traj.energy()
    scale = max(1.0, np.abs(energy.kinetic).max())
    assert abs(energy.total[-1] - energy.total[0] - work) < 1e-7 * scale


def test_damping_takes_the_energy_that_it_should():
    mech, state = pendulum(1.0, damping=0.3)
    traj = rg.simulate(mech, state, 3.0)
    fine = traj.resample(1e-3)
    spin, energy = fine.joint("hinge").v, fine.energy().total
    lost = np.concatenate(([0.0], np.cumsum(0.5 * (spin[1:] ** 2 + spin[:-1] ** 2) * np.diff(fine.t)))) * 0.3
    assert np.abs(energy - energy[0] + lost).max() < 1e-5  # the trapezoidal rule
    assert (np.diff(energy) < 1e-12).all()


def test_an_undamped_motion_keeps_its_energy():
    mech, state = slider()
    energy = rg.simulate(mech, state, 10.0).energy().total
    assert np.abs(energy - energy[0]).max() < 1e-7 * energy[0]


def test_a_torque_sees_the_time_and_a_state_of_its_own():
    mech, _ = ball()
    seen = []

    def torque(t, mech, state):
        seen.append((t, state))
        return np.array([mech.bodies["ball"].inertia.mass * 9.81])

    traj = rg.simulate(mech, mech.state(v={"fall": 1.0}), 1.0, torque=torque, integrator="rk4", step=0.5)
    assert [t for t, _ in seen] == [0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0]
    assert all(abs(state.q[0] - t) < 1e-12 for t, state in seen)
    assert abs(traj.final[1].q[0] - 1.0) < 1e-12


def test_torques_of_a_mechanism_that_cannot_move():
    mech, state = welded()
    for torque in (wobble, lambda t, mech, state: np.zeros(0)):
        assert rg.simulate(mech, state, 1.0, torque=torque).final[1] == state
