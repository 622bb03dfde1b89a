"""Numbers beyond the largest that there is, and inertias below the least that can be told: an error says so, never a NaN."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pytest

import many_threads
import regraft as rg
from loops.closed_mechanisms import four_bars
from simple_mechanisms import arm, ball

LARGE = 1e308


def numbers(found):
    """All numbers in a result."""
    if isinstance(found, rg.State):
        return numbers([found.q, found.v, found.impulse])
    if isinstance(found, rg.Pose):
        return numbers(found.row)
    if isinstance(found, rg.Energy):
        return [found.kinetic, found.potential, found.total]
    if isinstance(found, Mapping):
        return numbers(list(found.values()))
    if dataclasses.is_dataclass(found):
        return numbers([getattr(found, field.name) for field in dataclasses.fields(found)])
    if isinstance(found, (list, tuple)):
        return [number for part in found for number in numbers(part)]
    if isinstance(found, (float, np.ndarray)) and np.asarray(found).dtype.kind == "f":
        return np.ravel(found).tolist()
    return []


def fast(speed):
    mech, state = many_threads.arm()
    return mech, mech.state(q=state.q, v=state.v * speed)


def fast_linkage(speed):
    mech, state = many_threads.linkage()
    return mech, mech.state(q=state.q, v=state.v * speed)


def heavy(mass):
    """Two bodies, one of them away from the root."""
    mech = rg.Mechanism()
    mech.add_body("upper", rg.Inertia.box(mass, (1, 2, 3), at=(1, 1, 1)))
    mech.add_body("lower", rg.Inertia.box(mass, (1, 2, 3)))
    mech.add_joint("base", rg.Free(), "world", "upper")
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "upper", "lower", rg.Pose(translation=(3, 0, 0)))
    mech.add_frame("tip", "lower", rg.Pose(translation=(1, 2, 3)))
    return mech, mech.state(v=np.arange(7.0))


def far(distance):
    mech, _ = heavy(1.0)
    return mech, mech.state(q={"base": (distance, distance, distance, 1, 0, 0, 0)}, v=np.arange(7.0))


EXTREMES = {
    **{f"fast {speed:g}": (fast, speed) for speed in (1e100, 1e160, 5e307)},
    **{f"fast linkage {speed:g}": (fast_linkage, speed) for speed in (1e160, 1e300)},
    **{f"heavy {mass:g}": (heavy, mass) for mass in (1e160, 1e307)},
    **{f"far {distance:g}": (far, distance) for distance in (1e160, 1.7e308)},
}

# Runs of the integrators have errors of their own.
TASKS = {name: task for name, task in many_threads.TASKS.items() if "simulate" not in name} | {
    "torques": lambda m, s: rg.forward_dynamics(m, s, np.full(m.nv, LARGE)),
    "wrenches": lambda m, s: rg.joint_reactions(m, s, wrenches={many_threads.a_body(m): np.full(6, LARGE)}),
    "accelerations": lambda m, s: rg.inverse_dynamics(m, s, np.full(m.nv, LARGE)),
    "accelerations of motors": lambda m, s: rg.actuator_torques(m, s, np.full(m.nv, LARGE)),
    "accelerations to fit": lambda m, s: rg.consistent_acceleration(m, s, np.full(m.nv, LARGE)),
    "a long step": lambda m, s: rg.integrate(m, s.q, np.full(m.nv, LARGE)),
    "a long way": lambda m, s: rg.difference(m, start=np.where(s.q == 1, 1, -LARGE), end=np.where(s.q == 1, 1, LARGE)),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("extreme", EXTREMES)
def test_every_function_gives_finite_numbers_or_a_named_error(extreme):
    make, size = EXTREMES[extreme]
    sample = make(size)
    for name, task in TASKS.items():
        try:
            found, said = numbers(task(*sample)), ""
        except rg.RegraftError as problem:
            found, said = [], str(problem)
        assert np.isfinite(found).all(), name
        assert "nan" not in said.split(), (name, said)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: rg.inverse_dynamics(*heavy(10.0), np.full(7, LARGE)),
        lambda: rg.energy(*ball(speed=1e300)),
        lambda: rg.momentum(*arm_at(1e308)),
        lambda: rg.body_twists(*arm_at(1.7e308)),
        lambda: rg.mass_matrix(*outpost(1e200)),
        lambda: rg.integrate(ball()[0], [1.7e308], [1.7e308]),
        lambda: rg.difference(ball()[0], [1.7e308], [-1.7e308]),
        lambda: rg.Pose(translation=(1.7e308, 0, 0)) @ rg.Pose(translation=(1.7e308, 0, 0)),
    ],
)
def test_what_overflows_says_to_check_the_units(ask):
    with pytest.raises(rg.ModelError, match=r"are too large to be represented; check the units"):
        ask()


def arm_at(speed):
    mech, state = arm()
    return mech, mech.state(q=state.q, v=np.full(mech.nv, speed))


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-170, 1e300])
def test_a_quaternion_without_a_length_cannot_be_normalised(size):
    mech, state = arm()
    q = state.q.copy()
    q[mech.q_slice("shoulder")] = size
    with pytest.raises(rg.ModelError, match="'shoulder' cannot be normalised: its quaternion is zero"):
        rg.normalise(mech, q)
    y = np.concatenate((q, state.v))
    with pytest.raises(rg.ModelError, match="'shoulder' cannot be normalised"):
        rg.as_ivp(mech).fun(0.0, y)


# --- far from the root -------------------------------------------------------------------------------------------------------


def outpost(distance):
    """A ball of 10 cm that turns on a boom of any length."""
    mech = rg.Mechanism()
    mech.add_body("hub", rg.Inertia.sphere(1.0, 0.1))
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("base", rg.Free(), "world", "hub")
    mech.add_joint("spin", rg.Revolute((0, 0, 1)), "hub", "ball", rg.Pose(translation=(distance, 0, 0)))
    return mech, mech.state()


def test_a_body_far_from_its_root_is_not_said_to_have_no_inertia():
    mech, state = outpost(1e7)
    for ask in (lambda: rg.forward_dynamics(mech, state), lambda: rg.simulate(mech, state, 0.1)):
        with pytest.raises(
            rg.RegraftError, match=r"joint 'spin' moves so little inertia so far from the root .* 1e\+07 m.*reroot"
        ):
            ask()


def test_the_way_out_of_a_body_far_from_its_root_is_to_make_it_the_root():
    mech, state = outpost(1e7)
    mech, state = rg.cut(mech, state, "spin")
    found = rg.forward_dynamics(mech, state, {"ball_free": (0, 0, 0, 0, 0, 1.0)})
    assert found[mech.v_slice("ball_free")][5] == pytest.approx(1.0 / 0.004, rel=1e-12)


def test_a_joint_that_carries_nothing_is_still_said_to_move_no_inertia():
    for distance in (1.0, 1e7):
        mech, _ = outpost(distance)
        mech.add_body("ghost", rg.Inertia(0.0))
        mech.add_joint("idle", rg.Revolute((0, 1, 0)), "hub", "ghost", rg.Pose(translation=(distance, 0, 0)))
        with pytest.raises(rg.ModelError, match="joint 'idle' can move without moving any inertia"):
            rg.forward_dynamics(mech, mech.state())


# --- batches, limits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("row", [0, 431, 599])
def test_a_batch_takes_unit_quaternions_only(row, threads):
    mech, state = arm()
    q, v = np.tile(state.q, (600, 1)), np.tile(state.v, (600, 1))
    where = mech.q_slice("shoulder")
    q[row, where] *= 1.0 + 0.9e-6
    assert rg.forward_dynamics_batch(mech, q, v, threads=threads).shape == v.shape
    q[row, where] *= 2.0
    with pytest.raises(rg.ModelError, match=f"state {row} of the batch: q of joint 'shoulder' .* must have length 1"):
        rg.forward_dynamics_batch(mech, q, v, threads=threads)


@pytest.mark.parametrize("threads", [1.5, 0, -1, "2", True])
def test_threads_are_a_whole_number(threads):
    mech, state = ball()
    with pytest.raises(rg.ModelError, match="threads must be a whole number"):
        rg.forward_dynamics_batch(mech, state.q[None], state.v[None], threads=threads)


@pytest.mark.parametrize("limits", [(-np.inf, -0.1), (-1.0, -1e-9), (3.2, np.inf)])
def test_a_ball_joint_cannot_be_limited_to_angles_that_no_rotation_has(limits):
    with pytest.raises(rg.ModelError, match=r"Spherical: no rotation has an angle from .* is from 0 to π"):
        rg.Spherical(limits=limits)
    assert rg.Spherical(limits=(-np.inf, 0.0)).limits.upper == (0.0,)


def test_numbers_of_ordinary_size_are_not_refused():
    mech = four_bars(1)
    assert np.isfinite(rg.mass_matrix(mech, mech.state())).all()
