"""Steps in which no guard comes to zero: what both of their ends tell of it, and that nothing is missed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_motions import assert_same

import regraft as rg
from random_mechanisms import random_mechanism, random_state
from regraft.simulate.clearance import stays_clear
from regraft.simulate.hybrid import Run, settings_of
from regraft.simulate.integrators import INTEGRATORS
from regraft.simulate.settings import Options
from regraft.tolerances import AT_ZERO

NEVER = rg.Event("never", lambda _mech, _state: 1.0)
"""A guard of which only samples are known: beside it, all guards are looked at in each step."""


def moving(rng, bodies, **options):
    """A tree in motion with a frame on its last body."""
    mech = random_mechanism(rng, bodies=bodies, **options)
    mech.add_frame("foot", f"b{bodies - 1}", rg.Pose(translation=rng.uniform(-0.5, 0.5, 3)))
    return mech, random_state(rng, mech)


def events_of(rng, mech, state, away=0.0):
    """Heights and joints about where they are now, or further down, in all directions, none of which changes anything."""
    place, directions = rg.frame_position(mech, state, "foot"), (-1, 0, 1)
    slopes = rng.uniform(-0.5, 0.5, 3)
    heights = place[2] - slopes * place[0] + rng.uniform(-0.3, 0.3, 3) - away
    found = [
        rg.Event(f"height {k}", rg.when_frame_below("foot", height, slope=slope).guard, direction=directions[k], already="wait")
        for k, (height, slope) in enumerate(zip(heights, slopes, strict=True))
    ]
    for name, joint in mech.joints.items():
        if joint.type.nq == 1:
            at = float(state.q[mech.layout.q_slices[name].start]) + rng.uniform(-0.2, 0.2) - away
            found.append(rg.when_joint(name, at, already="wait"))
    return found


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.sampled_from(["dopri5", "rk4"]))
def test_no_event_is_missed(seed, bodies, integrator):
    rng = np.random.default_rng(seed)
    mech, state = moving(rng, bodies)
    events, options = events_of(rng, mech, state), {} if integrator == "dopri5" else {"step": 2e-3}
    alone = rg.simulate(mech, state, 0.5, events=events, integrator=integrator, **options)
    beside = rg.simulate(mech, state, 0.5, events=[*events, NEVER], integrator=integrator, **options)
    assert_same(alone, beside)


@pytest.mark.parametrize("rtol", [1e-2, 1e-4, 1e-10])
def test_nor_with_loose_tolerances(rtol):
    """A slider on a spring, whose steps are long: it just passes a guard, or just does not."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("mass", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("x", rg.Prismatic((1, 0, 0), stiffness=1.0), "world", "mass")
    for value in (0.999, 0.99, 0.9, 0.5, 0.0, -0.9, -0.999):
        events, accuracy = [rg.when_joint("x", value)], {"rtol": rtol, "atol": rtol}
        alone = rg.simulate(mech, mech.state(q=[1.0]), 40.0, events=events, **accuracy)
        assert_same(alone, rg.simulate(mech, mech.state(q=[1.0]), 40.0, events=[*events, NEVER], **accuracy))
        assert alone.events


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_rates_and_bends_are_those_of_the_guards(seed, bodies):
    rng = np.random.default_rng(seed)
    mech, state = moving(rng, bodies, damping=True, springs=1)
    events = events_of(rng, mech, state, away=100.0)
    method = INTEGRATORS["dopri5"]
    runner = Run(method, settings_of(method, mech, Options()), tuple(events), 0.0, 1.0, None).begin(mech, state)
    while runner.steps == 0:  # events that would be beyond zero are told before the first step
        runner.run(1.0, 2)
    reached = runner.state()
    twist, J = rg.frame_twist(mech, reached, "foot"), rg.jacobian(mech, reached, "foot")
    acceleration = rg.forward_dynamics(mech, reached)
    bend = J @ acceleration + rg.jacobian_rate(mech, reached, "foot") @ reached.v
    for event, guard in zip(runner.events, runner.guards, strict=False):
        if event.name.startswith("height"):
            rise = np.array([-event.guard.slope, 0.0, 1.0])
            expected = [rise @ twist[3:], rise @ bend[3:]]
        else:
            d = mech.layout.v_slices[event.guard.joint].start
            expected = [reached.v[d], acceleration[d]]
        scale = 1.0 + np.abs(twist).max() ** 2 + np.abs(acceleration).max(initial=0.0)
        assert guard.known
        assert np.abs(np.array([guard.rate, guard.bend]) - expected).max() < 1e-12 * scale


def guard(last, rate=0.0, bend=0.0, sign=1):
    return SimpleNamespace(last=last, rate=rate, bend=bend, sign=sign)


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_guard_that_is_far_enough_stays_clear(sign):
    clear = stays_clear.py_func
    assert clear(guard(sign * 1.1, sign=sign), 1.0, sign * 2.0, 0.0, 0.0)
    assert not clear(guard(sign * 0.9, sign=sign), 1.0, sign * 2.0, 0.0, 0.0)  # it moves by more than it is away
    assert not clear(guard(sign * 1.0, sign=sign), 1.0, -sign * 1.0, 0.0, 0.0)
    assert not clear(guard(sign * 2.0, sign=-sign), 1.0, sign * 2.0, 0.0, 0.0)  # on the wrong side
    for number in range(4):  # each rate and bend alone may take it to zero in between
        ends = [0.0] * 4
        ends[number] = -sign * (40.0 if number % 2 else 10.0) * (1.0 if number < 2 or number % 2 else -1.0)
        assert not clear(guard(sign * 1.1, ends[0], ends[1], sign), 1.0, sign * 1.1, ends[2], ends[3])
        assert clear(guard(sign * 1.1, ends[0], ends[1], sign), 0.01, sign * 1.1, ends[2], ends[3])


def test_a_guard_that_rests_at_zero_stays_there():
    clear, little = stays_clear.py_func, 0.5 * AT_ZERO
    assert clear(guard(little, sign=0), 1.0, -little, 0.0, 0.0)
    assert not clear(guard(0.0, sign=0), 1.0, 3.0 * AT_ZERO, 0.0, 0.0)
    assert not clear(guard(0.0, 20.0 * AT_ZERO, sign=0), 1.0, 0.0, 0.0, 0.0)
    assert not clear(guard(0.0, -20.0 * AT_ZERO, sign=0), 1.0, 0.0, 0.0, 0.0)
