"""Bodies that nothing presses at first, and that are pressed and pushed ever more: with closed forms."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import G
from contacts.scenes import IN_PLANE, at

MU = 0.5


def weightless(form):
    """A body of 1 kg that weighs nothing, with its middle at its sole: a point of what moves in a plane, or a flat box."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("body", rg.Inertia.box(1.0, (0.2, 0.2, 0.1)))
    if form == "point":
        mech.add_joint("joint", IN_PLANE, "world", "body")
        mech.add_frame("sole", "body", at())
    else:
        mech.add_joint("joint", rg.Free(), "world", "body")
        mech.add_shape("body", rg.Box((0.2, 0.2, 0.1)), "sole", at(z=0.05))
    return mech


@pytest.mark.parametrize("form", ["point", "box"])
@pytest.mark.parametrize("power", [0.5, 1, 2])
@pytest.mark.parametrize("share", [0.5, 1.0, 1.000001, 1.5, 3.0])
def test_what_is_pushed_by_more_than_friction_slips_from_the_first_moment_on(form, power, share):
    """Pressed by 10 tᵖ and pushed by µ times as much and more: ẍ = (share − 1) µ 10 tᵖ."""
    mech = weightless(form)
    push = lambda t, mech, state: {"body": (0, 0, 0, share * MU * 10 * t**power, 0, -10 * t**power)}  # noqa: E731, ARG005
    traj = rg.simulate(mech, mech.state(), 1.0, wrenches=push, contacts=rg.Contact("sole", friction=MU))
    way = max(share - 1, 0.0) * MU * 10 / ((power + 1) * (power + 2))
    assert traj.body("body").position[-1] == pytest.approx((way, 0, 0), abs=1e-8)


def test_a_bead_that_starts_at_rest_on_a_bar_that_turns_rubs_from_the_start():
    """Nothing presses it at first. r̈ = Ω² r − 2 µ Ω ṙ, so r is a sum of exponentials."""
    rate, start, mu, t = 2.0, 0.4, 0.3, 1.2
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("bar", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("turn", rg.Revolute((0, 0, 1)), "world", "bar")
    mech.add_shape("bar", rg.Plane((0, 1, 0)), "side")
    mech.add_body("bead", rg.Inertia.sphere(0.2, 0.01))
    mech.add_joint("level", rg.Planar((0, 0, 1)), "world", "bead")
    mech.add_frame("point", "bead", at())
    state = mech.state(q={"level": (start, 0, 0)}, v={"turn": rate, "level": (0, rate * start, 0)})
    told = {"turn": lambda t: (rate * t, rate, 0.0)}
    traj = rg.simulate(mech, state, t, contacts=rg.Contact("point", "side", friction=mu), prescribed=told)
    fast, slow = (rate * (sign * math.hypot(1, mu) - mu) for sign in (1, -1))
    found = (fast * math.exp(slow * t) - slow * math.exp(fast * t)) * start / (fast - slow)
    assert np.hypot(*traj.body("bead").position[-1][:2]) == pytest.approx(found, rel=1e-10)
    assert traj.events == []


def test_what_is_lifted_until_it_weighs_nothing_and_let_down_again_stays():
    mech = weightless("box").replace(gravity=(0, 0, -G))
    lift = lambda t, mech, state: {"body": (0, 0, 0, 0.4 * G * math.cos(t) ** 2, 0, G * math.sin(t) ** 2)}  # noqa: E731, ARG005
    traj = rg.simulate(mech, mech.state(), math.pi, wrenches=lift, contacts=rg.Contact("sole", friction=MU))
    assert abs(traj.final[1].v).max() < 1e-9
    assert traj.body("body").position[-1] == pytest.approx((0, 0, 0), abs=1e-9)
