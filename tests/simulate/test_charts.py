"""The coordinates in which a step is taken: laws that they obey, and what they are for, bodies that spin while they go."""

import math

import numba
import numpy as np
import pytest
from scipy.optimize import brentq

import regraft as rg
from random_mechanisms import random_joint
from regraft.joints import JOINT_TYPES, joint_advance, joint_carry, joint_carry_back, joint_depart, joint_reach, kind_of

SEEDS = range(4)
every_moving_type = pytest.mark.parametrize("kind", [kind for kind in JOINT_TYPES if kind.nv], ids=lambda kind: kind.__name__)


def drawn(seed, kind):
    """A mechanism of one body on a joint of this type, a state of it and a step from there."""
    rng = np.random.default_rng(seed)
    mech = rg.Mechanism()
    mech.add_body("body", rg.Inertia.box(1.0, (1.0, 2.0, 3.0)))
    mech.add_joint("joint", random_joint(rng, kind), "world", "body")
    q = rg.integrate(mech, mech.state().q, rng.uniform(-0.8, 0.8, mech.nv))
    return rng, mech, q, rng.uniform(-0.8, 0.8, mech.nv)


@numba.njit
def depart(kind, start, u, w, q, v):
    v[:] = w
    joint_depart(kind, start, 0, u, 0, q)
    joint_carry_back(kind, u, 0, w, v)


@numba.njit
def reach(kind, start, q, v, u, w):
    w[:] = v
    joint_reach(kind, q, 0, start, 0, u, 0)
    joint_carry(kind, u, 0, v, w)


@numba.njit
def advance(kind, u, v, rate, out):
    out[:] = v
    joint_advance(kind, u, 0, v, rate, out)


@every_moving_type
def test_a_step_and_its_velocity_are_found_again(kind):
    for seed in SEEDS:
        rng, mech, q, u = drawn(seed, kind)
        number, w = kind_of(mech.joints["joint"].type), rng.standard_normal(mech.nv)
        place, (v, step, carried) = q.copy(), np.zeros((3, mech.nv))
        depart(number, q, u, w, place, v)
        reach(number, q, place, v, step, carried)
        assert step == pytest.approx(u, abs=1e-13)
        assert carried == pytest.approx(w, abs=1e-13)


@every_moving_type
def test_rates_are_those_of_the_motion(kind):
    """Central differences along a motion with the velocity v and the acceleration a."""
    h = 1e-5
    for seed in SEEDS:
        rng, mech, q, u = drawn(seed, kind)
        number, place, (v, out) = kind_of(mech.joints["joint"].type), q.copy(), np.zeros((2, mech.nv))
        depart(number, q, u, rng.standard_normal(mech.nv), place, v)
        a = rng.standard_normal(mech.nv)
        rate, (before, after) = a.copy(), np.zeros((2, 2, mech.nv))
        advance(number, u, v, rate, out)
        for t, at in ((-h, before), (h, after)):
            reach(number, q, rg.integrate(mech, place, t * v + t * t / 2 * a), v + t * a, *at)
        assert (after - before) / (2 * h) == pytest.approx(np.array([out, rate]), abs=1e-7)


@pytest.mark.parametrize("options", [{}, {"integrator": "rk4", "step": 0.05}, {"coordinates": "maximal"}])
def test_a_spinning_body_flies_along_its_parabola_in_a_few_steps(options):
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("free", rg.Free(), "world", "ball")
    state = mech.state(q={"free": (0, 0, 1, 1, 0, 0, 0)}, v={"free": (3, 1, 4, 10, 20, -30)})
    traj = rg.simulate(mech, state, 1.0, **options)
    for t in (0.37, 1.0):
        place, twist = (what(mech, traj.state(t))["ball"] for what in (rg.body_poses, rg.body_twists))
        assert place.translation == pytest.approx((3 * t, t, 1 + 4 * t - 9.81 * t**2 / 2), abs=1e-12)
        assert twist[3:] == pytest.approx((3, 1, 4 - 9.81 * t), abs=1e-12)
        assert twist[:3] == pytest.approx((10, 20, -30), abs=1e-12)
    assert traj.steps < 40


def first_touch(height, rate):
    """When the lower end of a rod of 1 m, level at first, comes to the ground while the rod falls and turns."""
    gap = lambda t: height - 9.81 * t**2 / 2 - abs(0.5 * math.sin(rate * t))  # noqa: E731
    t = 0.0
    while gap(t) > 0.0:
        t += 1e-5
    return brentq(gap, t - 1e-5, t, xtol=1e-15)


@pytest.mark.parametrize("rate", [20.0, 200.0])
@pytest.mark.parametrize("joint", [rg.Planar((0, -1, 0)), rg.Free()], ids=["planar", "free"])
def test_the_ends_of_what_tumbles_touch_the_ground_in_time(joint, rate):
    """The ends go up and down many times on the way, in time that steps of a free flight would pass over."""
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(1.0, (-0.5, 0, 0), (0.5, 0, 0)) + rg.Inertia.sphere(0.1, 0.1))
    mech.add_joint("joint", joint, "world", "rod")
    for end, x in (("front", 0.5), ("back", -0.5)):
        mech.add_frame(end, "rod", rg.Pose(translation=(x, 0, 0)))
    flat = joint.nq == 3
    q, v = ((0, 2, 0), (0.3, 0, rate)) if flat else ((0, 0, 2, 1, 0, 0, 0), (0.3, 0, 0, 0, -rate, 0))
    touches = first_touch(2.0, rate)
    ends = [rg.Contact(end, restitution=0.5) for end in ("front", "back")]
    traj = rg.simulate(mech, mech.state(q={"joint": q}, v={"joint": v}), touches + 1e-3, contacts=ends)
    assert traj.events[0].t == pytest.approx(touches, abs=1e-13)
    seen = rg.simulate(mech, traj.state(0.0), 1.0, events=[rg.when_frame_below(end, 0.0, rg.STOP) for end in ("front", "back")])
    assert seen.t[-1] == pytest.approx(touches, abs=1e-13)
