"""The integrators: reference motions, conserved quantities, observed orders, and an independent solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.integrate import solve_ivp

import regraft as rg
from random_mechanisms import samples
from simple_mechanisms import arm, ball, brick, slider


def distance(mech, x, y):
    """The largest difference of two states as vectors (q, v), positions on their manifold."""
    nq = mech.nq
    return float(max(np.abs(rg.difference(mech, x[:nq], y[:nq])).max(), np.abs(x[nq:] - y[nq:]).max()))


def test_the_simple_pendulum_of_the_iftomm_benchmark():
    """A01: m = 1, l = 1, from rest at (−1, 0), gravity along −y."""
    mech = rg.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("rod", rg.Inertia.point(1.0, at=(-1, 0, 0)))
    mech.add_joint("hinge", rg.Revolute((0, 0, 1)), "world", "rod")
    mech.add_frame("P", "rod", rg.Pose(translation=(-1, 0, 0)))
    traj = rg.simulate(mech, mech.state(), 10.0)
    for t, place in ((5.0, (-0.942305435044, -0.334754338414)), (10.0, (-0.275087462576, -0.961419205099))):
        found = rg.frame_position(mech, traj.state(t), "P")
        assert np.abs(found - (*place, 0.0)).max() < 1e-8


def test_a_brick_flips_about_its_intermediate_axis_and_keeps_angular_momentum_and_energy():
    mech, state = brick()
    traj = rg.simulate(mech, state, 100.0)
    spin = traj.joint("free").v[:, 4]
    assert (np.diff(np.sign(spin[np.abs(spin) > 1.0])) != 0).sum() >= 4  # it turned over, several times
    momentum, energy = traj.momentum().angular, traj.energy().total
    assert np.abs(momentum - momentum[0]).max() < 1e-8 * np.linalg.norm(momentum[0])
    assert np.abs(energy - energy[0]).max() < 1e-8 * energy[0]


def test_a_brick_that_also_flies_goes_straight():
    mech, state = brick(velocity=(0.3, -0.2, 0.1))
    traj = rg.simulate(mech, state, 10.0)
    place = traj.body("brick").position
    assert np.abs(place - traj.t[:, None] * (0.3, -0.2, 0.1)).max() < 1e-8
    assert np.abs(traj.momentum().linear - (0.6, -0.4, 0.2)).max() < 1e-9


@pytest.fixture(scope="module")
def exact():
    mech, state = arm()
    return rg.simulate(mech, state, 1.0, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(
    ("integrator", "order", "step", "options"),
    [
        ("euler", 1, 5e-4, {}),
        ("rk4", 4, 2.5e-3, {}),
        ("dopri5", 5, 1.25e-2, {"rtol": 1e6, "atol": 1e6}),  # so loose that every step but the first few is the largest
    ],
)
def test_every_method_has_its_order_with_ball_free_and_universal_joints(integrator, order, step, options, exact):
    mech, state = arm()
    between = np.linspace(0.013, 0.987, 300)
    ends, within = [], []
    for h in (step, step / 2):
        traj = rg.simulate(mech, state, 1.0, integrator=integrator, step=h, **options)
        ends.append(distance(mech, traj.final[1]._x, exact.final[1]._x))
        pairs = zip(traj.segments[0].states(between), exact.segments[0].states(between), strict=True)
        within.append(max(distance(mech, x, y) for x, y in pairs))
    assert abs(np.log2(ends[0] / ends[1]) - order) < 0.2
    # the dense output of dopri5 and the cubic of rk4 have errors of the fifth and fourth order in a step
    assert np.log2(within[0] / within[1]) > order - 0.2


def test_quaternions_keep_their_length_over_long_runs():
    mech, state = brick(velocity=(1.0, 0.0, 0.0))
    traj = rg.simulate(mech, state, 200.0, integrator="rk4", step=1e-3, every=500)
    assert np.abs(np.linalg.norm(traj.joint("free").q[:, 3:], axis=1) - 1.0).max() < 1e-15
    assert np.abs(np.linalg.norm(rg.simulate(mech, state, 20.0).joint("free").q[:, 3:], axis=1) - 1.0).max() < 1e-15


@pytest.mark.parametrize("integrator", ["dopri5", "dop853"])
@settings(max_examples=20)
@given(samples(max_bodies=5, damping=True, springs=2))
def test_motion_agrees_with_an_independent_solver(integrator, sample):
    """1e-7 of the size of the motion: the tolerance of 1e-9, and a factor of 100 by which errors may grow in a second."""
    mech, state = sample.mech, sample.state
    problem = rg.as_ivp(mech)
    other = solve_ivp(problem.fun, (0.0, 1.0), problem.y0(state), "DOP853", rtol=1e-12, atol=1e-13)
    expected = problem.state(other.y[:, -1])
    found = rg.simulate(mech, state, 1.0, integrator=integrator).final[1]
    if mech.nv:
        assert distance(mech, found._x, expected._x) < 1e-7 * max(1.0, np.abs(expected.v).max())


@pytest.mark.parametrize("integrator", ["dopri5", "dop853"])
def test_tolerances_are_obeyed(integrator):
    """The error of a whole run is of the size that was asked for."""
    mech, state = slider()
    for rtol in (1e-5, 1e-7, 1e-9, 1e-11):
        traj = rg.simulate(mech, state, 5.0, rtol=rtol, atol=rtol, integrator=integrator)
        exact = np.stack([np.cos(2 * np.pi * traj.t), -2 * np.pi * np.sin(2 * np.pi * traj.t)], axis=1)
        assert np.abs(traj.segments[0].x - exact).max() < 10 * rtol * 2 * np.pi


def test_fixed_steps_are_as_long_as_asked_for_and_never_longer():
    mech, state = ball()
    traj = rg.simulate(mech, state, 1.0, integrator="rk4", step=0.1, events=rg.at_time(0.26))
    assert np.allclose(traj.t, [0, 0.1, 0.2, 0.26, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0], rtol=0, atol=1e-15)
    uneven = rg.simulate(mech, state, 0.25, integrator="euler", step=0.1)
    assert np.allclose(uneven.t, [0, 0.1, 0.2, 0.25], rtol=0, atol=1e-15)
    assert rg.simulate(mech, state, 1000.0, integrator="rk4", step=1e-2, every=100_000).steps == 100_000


def test_an_adaptive_step_has_a_largest_size():
    mech, state = ball()
    traj = rg.simulate(mech, state, 1.0, step=0.03)
    assert np.diff(traj.t).max() < 0.03 * (1 + 1e-12)


def test_euler_is_the_update_of_s2():
    """q ⊕ h v and v + h v̇, both from the start of the step.

    The linear part of a free joint is integrated as that of three linear joints along fixed axes (S2, VI.B).
    """
    mech, state = arm()
    h = 0.01
    found = rg.simulate(mech, state, h, integrator="euler", step=h).final[1]
    a, linear = rg.forward_dynamics(mech, state), mech.v_slice("float")
    linear, spin = slice(linear.start, linear.start + 3), state.v[linear][3:]
    before, after = (rg.body_poses(mech, at)["base"] for at in (state, found))
    others = np.delete(np.arange(mech.nq), np.arange(mech.nq)[mech.q_slice("float")][:3])
    assert np.allclose(found.q[others], rg.integrate(mech, state.q, h * state.v)[others], rtol=0, atol=1e-15)
    assert np.allclose(np.delete(found.v, linear), np.delete(state.v + h * a, linear), rtol=0, atol=1e-14)
    assert np.allclose(after.translation, before.translation + h * before.rotation @ state.v[linear], rtol=0, atol=1e-15)
    pushed = state.v[linear] + h * (a[linear] + np.cross(spin, state.v[linear]))
    assert np.allclose(after.rotation @ found.v[linear], before.rotation @ pushed, rtol=0, atol=1e-14)


def test_as_ivp_takes_quaternions_that_are_not_quite_unit_and_keeps_their_length():
    mech, state = arm()
    problem = rg.as_ivp(mech)
    y = problem.y0(state)
    long = y.copy()
    ball_joint = mech.q_slice("shoulder")
    long[ball_joint] *= 1.1
    assert np.allclose(problem.fun(0.0, long), problem.fun(0.0, y), rtol=0, atol=1e-12)
    assert abs(problem.fun(0.0, long)[ball_joint] @ long[ball_joint]) < 1e-15
    assert problem.state(y) == state
    with pytest.raises(rg.ModelError, match="numbers"):
        problem.state(y[1:])
    with pytest.raises(rg.ModelError, match="another structure"):
        problem.y0(ball()[1])
    with pytest.raises(rg.ModelError, match="torque must be a function"):
        rg.as_ivp(mech, torque=3.0)
