"""Springs, dampers, joint damping and joint limits: what they push, and what they store and take."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import random_inertia, random_mechanism, random_pose, random_state

Y = (0, 1, 0)
BALL = rg.Inertia.sphere(2.0, 0.5)
seeds = st.integers(0, 2**32 - 1)


def floating(*names, inertia=BALL):
    """Bodies that float freely, without gravity."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name in names:
        mech.add_body(name, inertia)
        mech.add_joint(f"{name}_free", rg.Free(), "world", name)
    return mech


def place(mech, **bodies):
    """A state from (position, velocity) of each ball, not turned."""
    q = {f"{name}_free": [*position, 1, 0, 0, 0] for name, (position, _) in bodies.items()}
    v = {f"{name}_free": [*velocity, 0, 0, 0] for name, (_, velocity) in bodies.items()}
    return mech.state(q, v)


def forces(mech, state):
    """The force on each floating ball, from its acceleration."""
    a = rg.forward_dynamics(mech, state)
    return {name: body.inertia.mass * a[mech.v_slice(f"{name}_free")][:3] for name, body in mech.bodies.items()}


# --- springs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("distance", "pull"), [(2.0, 1.0), (1.0, 0.0), (0.5, -0.5)])
def test_a_spring_pulls_when_long_and_pushes_when_short(distance, pull):
    mech = floating("a", "b")
    mech.add_spring("s", "a", (0, 0, 0), "b", (0, 0, 0), stiffness=30.0, rest_length=1.0)
    along = np.array([0.6, 0.0, 0.8])
    state = place(mech, a=((0, 0, 0), (0, 0, 0)), b=(distance * along, (0, 0, 0)))
    found = forces(mech, state)
    assert found["a"] == pytest.approx(30.0 * pull * along, abs=1e-13)
    assert found["b"] == pytest.approx(-30.0 * pull * along, abs=1e-13)
    assert rg.energy(mech, state).potential == pytest.approx(0.5 * 30.0 * pull**2)


@given(seeds)
def test_a_spring_acts_along_its_line_and_equally_on_both_ends(seed):
    """Two bodies in any pose: the spring's wrenches cancel about any point, and are along the line between its ends."""
    rng = np.random.default_rng(seed)
    mech = floating("a", "b", inertia=random_inertia(rng))
    points = {"a": rng.standard_normal(3), "b": rng.standard_normal(3)}
    stiffness, damping, rest = rng.uniform(1, 50), rng.uniform(0, 5), rng.uniform(0, 1)
    mech.add_spring("s", "a", points["a"], "b", points["b"], stiffness=stiffness, damping=damping, rest_length=rest)
    state = random_state(rng, mech)
    poses, twists = rg.body_poses(mech, state), rg.body_twists(mech, state)
    ends = {name: poses[name].apply(points[name]) for name in "ab"}
    velocities = {n: twists[n][3:] + np.cross(twists[n][:3], ends[n] - poses[n].translation) for n in "ab"}
    span = ends["b"] - ends["a"]
    length = np.linalg.norm(span)
    rate = span @ (velocities["b"] - velocities["a"]) / length
    pull = (stiffness * (length - rest) + damping * rate) * span / length
    # the same forces, given as wrenches on a mechanism without the spring
    bare = floating("a", "b", inertia=mech.bodies["a"].inertia)
    wrenches = {n: np.concatenate([np.cross(ends[n] - poses[n].translation, f), f]) for n, f in (("a", pull), ("b", -pull))}
    expected = rg.forward_dynamics(bare, bare.state(state.q, state.v), wrenches=wrenches)
    assert rg.forward_dynamics(mech, state) == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert rg.energy(mech, state).potential == pytest.approx(0.5 * stiffness * (length - rest) ** 2)


@given(seeds)
def test_a_spring_between_two_trees_adds_no_momentum(seed):
    rng = np.random.default_rng(seed)
    mech = floating("a", "b", inertia=random_inertia(rng))
    mech.add_spring("s", "a", rng.standard_normal(3), "b", rng.standard_normal(3), stiffness=40.0, damping=3.0, rest_length=0.4)
    state = random_state(rng, mech)
    a = rg.forward_dynamics(mech, state)
    h = 1e-4

    def momentum(time):
        there = mech.state(rg.integrate(mech, state.q, time * state.v), state.v + time * a)
        found = rg.momentum(mech, there)
        return np.concatenate([found.angular, found.linear])

    # a central difference of second order with h = 1e-4: its error is h² times a third derivative of order 1e2
    gained = (momentum(h) - momentum(-h)) / (2 * h)
    assert np.abs(gained).max() < 1e-5 * (1.0 + np.abs(a).max())
    assert np.abs(a).max() > 1e-3


def test_a_spring_to_the_world_is_an_oscillator():
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("cart", rg.Inertia(2.0))
    mech.add_joint("rail", rg.Prismatic((1, 0, 0)), "world", "cart")
    for ends in (("world", "cart"), ("cart", "world")):
        twin = mech.copy()
        twin.add_spring("s", ends[0], (0, 0, 0), ends[1], (0, 0, 0), stiffness=8.0, damping=0.5)
        for x, v in ((0.3, 0.0), (-0.2, 1.0), (0.1, -2.0)):
            expected = -(8.0 * x + 0.5 * v) / 2.0
            assert rg.forward_dynamics(twin, twin.state({"rail": x}, {"rail": v})) == pytest.approx([expected], abs=1e-14)


def test_a_spring_of_no_length_that_wants_none_pushes_nowhere():
    mech = floating("a", "b")
    mech.add_spring("s", "a", (0, 0, 0), "b", (0, 0, 0), stiffness=100.0, damping=7.0)
    state = place(mech, a=((1, 2, 3), (0, 0, 0)), b=((1, 2, 3), (0, 0, 0)))
    assert not rg.forward_dynamics(mech, state).any()
    assert rg.energy(mech, state).potential < 1e-290
    assert np.isfinite(rg.forward_dynamics_batch(mech, state.q[None].copy(), state.v[None].copy())).all()


def test_the_stiffness_of_a_spring_of_no_length_is_seen_by_its_derivative():
    mech = floating("a")
    mech.add_spring("s", "world", (0, 0, 0), "a", (0, 0, 0), stiffness=100.0)
    found = rg.derivatives(mech, place(mech, a=((0, 0, 0), (0, 0, 0))))
    assert found.q[:3, :3] == pytest.approx(-100.0 / 2.0 * np.eye(3))


def test_a_spring_of_no_length_that_wants_one_is_finite():
    mech = floating("a", "b")
    mech.add_spring("s", "a", (0, 0, 0), "b", (0, 0, 0), stiffness=100.0, rest_length=1.0)
    state = place(mech, a=((1, 2, 3), (0, 0, 0)), b=((1, 2, 3), (0, 0, 0)))
    assert np.isfinite(rg.forward_dynamics(mech, state)).all()
    assert rg.energy(mech, state).potential == pytest.approx(50.0)


@given(seeds)
def test_a_damper_takes_energy_whatever_the_motion(seed):
    """With stiffness 0 the power of the damper is all that its torques do."""
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies=4, roots=2)
    damped = mech.copy()
    a, b = rng.choice(["world", *mech.bodies], 2, replace=False)
    damped.add_spring("s", str(a), rng.standard_normal(3), str(b), rng.standard_normal(3), stiffness=0.0, damping=4.0)
    state = random_state(rng, mech)
    still = mech.state(state.q)
    torque = rg.bias_force(mech, state) - rg.bias_force(damped, damped.state(state.q, state.v))
    assert torque @ state.v <= 1e-12
    assert rg.bias_force(damped, damped.state(state.q)) == pytest.approx(rg.bias_force(mech, still), abs=1e-12)
    assert rg.energy(damped, state).potential == rg.energy(mech, state).potential


def test_springs_add_up():
    mech = floating("a")
    for k in range(5):
        mech.add_spring(f"s{k}", "world", (0, 0, 0), "a", (0, 0, 0), stiffness=float(k))
    assert forces(mech, place(mech, a=((0.5, 0, 0), (0, 0, 0))))["a"] == pytest.approx([-0.5 * 10.0, 0, 0])


# --- joint damping ---------------------------------------------------------------------------------------------------


@given(seeds)
def test_damping_is_a_torque_against_the_velocity(seed):
    rng = np.random.default_rng(seed)
    damped = random_mechanism(rng, bodies=5, damping=True)
    data = damped.to_dict()
    for joint in data["joints"]:
        joint["joint"].pop("damping", None)
    bare = rg.Mechanism.from_dict(data)
    state = random_state(rng, damped)
    constants = np.concatenate([joint.type.damping for joint in damped.joints.values()])
    torque = rg.bias_force(damped, state) - rg.bias_force(bare, bare.state(state.q, state.v))
    assert torque == pytest.approx(constants * state.v, abs=1e-10)


# --- limits ----------------------------------------------------------------------------------------------------------

LIMITS = rg.Limits(-0.5, 0.75, stiffness=200.0, dissipation=0.4)


def hinge(limits=LIMITS, joint=rg.Revolute):
    """One body of unit inertia along its joint, without gravity."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("body", rg.Inertia(1.0, tensor=np.eye(3)))
    mech.add_joint("joint", joint(Y, limits=limits), "world", "body")
    return mech


def push(mech, q, v):
    return float(rg.forward_dynamics(mech, mech.state({"joint": q}, {"joint": v}))[0])


@pytest.mark.parametrize("joint", [rg.Revolute, rg.Prismatic])
@given(q=st.floats(-0.5, 0.75), v=st.floats(-100.0, 100.0))
@example(q=-0.5, v=-1.0)
@example(q=0.75, v=1.0)
def test_inside_its_limits_a_joint_is_free(joint, q, v):
    mech = hinge(joint=joint)
    assert push(mech, q, v) == 0.0
    assert rg.energy(mech, mech.state({"joint": q})).potential == 0.0


@pytest.mark.parametrize("joint", [rg.Revolute, rg.Prismatic])
@given(beyond=st.floats(1e-9, 2.0), v=st.floats(-20.0, 20.0))
def test_beyond_its_limits_a_joint_is_pushed_back_and_never_pulled_out(joint, beyond, v):
    mech = hinge(joint=joint)
    above = push(mech, 0.75 + beyond, v)
    below = push(mech, -0.5 - beyond, -v)
    expected = 200.0 * beyond * max(1.0 + 0.4 * v, 0.0)
    assert above == pytest.approx(-expected, rel=1e-6, abs=1e-9)
    assert below == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert above <= 0.0 <= below
    assert rg.energy(mech, mech.state({"joint": 0.75 + beyond})).potential == pytest.approx(100.0 * beyond**2, rel=1e-6)


def test_a_limit_sets_in_without_a_jump():
    mech = hinge()
    steps = np.linspace(-1e-6, 1e-6, 21)
    found = np.array([push(mech, 0.75 + x, 3.0) for x in steps])
    assert np.abs(np.diff(found)).max() < 1e-3
    assert found[0] == 0.0
    assert found[-1] < 0.0


@pytest.mark.parametrize(("limits", "free", "held"), [((-math.inf, 0.5), -1e3, 0.6), ((-0.5, math.inf), 1e3, -0.6)])
def test_a_side_without_a_bound_is_free(limits, free, held):
    mech = hinge(limits)
    assert push(mech, free, 1.0) == 0.0
    assert rg.energy(mech, mech.state({"joint": free})).potential == 0.0
    assert push(mech, held, 0.0) * held < 0.0


def bounce(dissipation, speed=3.0, step=1e-4):
    """Energies while a joint runs into its limit and comes back (Runge–Kutta, order 4), from the bound to the bound."""
    mech = hinge(rg.Limits(-math.inf, 0.0, 400.0, dissipation))
    x, v = 0.0, speed
    energies = []
    while x >= 0.0:
        energies.append(rg.energy(mech, mech.state({"joint": x}, {"joint": v})).total)
        k1 = push(mech, x, v)
        k2 = push(mech, x + step / 2 * v, v + step / 2 * k1)
        k3 = push(mech, x + step / 2 * (v + step / 2 * k1), v + step / 2 * k2)
        k4 = push(mech, x + step * (v + step / 2 * k2), v + step * k3)
        x, v = x + step * v + step**2 / 6 * (k1 + k2 + k3), v + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    assert len(energies) > 100
    return np.array(energies)


def test_a_limit_without_dissipation_gives_all_the_energy_back():
    energies = bounce(0.0)
    assert np.abs(energies / energies[0] - 1.0).max() < 1e-12


def test_a_limit_with_dissipation_takes_energy_and_never_adds_any():
    energies = bounce(0.1)
    assert (np.diff(energies) < 1e-13).all()
    assert 0.0 < energies[-1] < 0.9 * energies[0]


def test_every_coordinate_of_a_joint_has_its_own_limits():
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("puck", rg.Inertia(1.0, tensor=np.eye(3)))
    low, high = (-1.0, -math.inf, 0.5), (2.0, 0.25, 3.0)
    mech.add_joint("table", rg.Planar((0, 0, 1), limits=rg.Limits(low, high, 100.0, 0.0)), "world", "puck")
    for q, expected in (
        ((0.0, 0.0, 1.0), (0, 0, 0)),
        ((2.5, 0.0, 1.0), (-50, 0, 0)),
        ((-1.5, 0.0, 1.0), (50, 0, 0)),
        ((0.0, 0.5, 1.0), (0, -25, 0)),
        ((0.0, -99.0, 0.25), (0, 0, 25)),
        ((2.1, 0.35, 3.1), (-10, -10, -10)),
    ):
        assert rg.forward_dynamics(mech, mech.state({"table": q})) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", [rg.Universal, rg.Cylindrical])
def test_the_two_coordinates_of_a_joint_are_told_apart(kind):
    axes = ((1, 0, 0), (0, 1, 0)) if kind is rg.Universal else ((1, 0, 0),)
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("body", rg.Inertia(1.0, tensor=np.eye(3)))
    mech.add_joint("joint", kind(*axes, limits=rg.Limits((-0.1, -0.3), (0.2, 0.4), 100.0, 0.0)), "world", "body")
    for q, expected in (((0.3, 0.3), (-10, 0)), ((0.1, 0.5), (0, -10)), ((-0.2, -0.4), (10, 10))):
        state = mech.state({"joint": q})
        torque = -rg.bias_force(mech, state)
        assert torque == pytest.approx(expected, abs=1e-12)


def ball(limit, inertia=None):
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("head", inertia or rg.Inertia(1.0, tensor=np.eye(3)))
    mech.add_joint("neck", rg.Spherical(limits=limit), "world", "head")
    return mech


def turned(axis, angle):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])


@given(st.tuples(*[st.floats(-1, 1)] * 3), st.floats(0.01, 3.1), st.tuples(*[st.floats(-5, 5)] * 3))
def test_a_ball_joints_limit_acts_on_the_angle_of_the_whole_rotation(axis, angle, v):
    axis = np.array(axis)
    assume(np.linalg.norm(axis) > 0.1)
    axis /= np.linalg.norm(axis)
    mech = ball(rg.Limits(-math.inf, 1.0, 100.0, 0.2))
    q = turned(axis, angle)
    expected = -100.0 * max(angle - 1.0, 0.0) * max(1.0 + 0.2 * axis @ v, 0.0) * axis
    for quaternion in (q, -q):  # both stand for the same rotation
        state = mech.state({"neck": quaternion}, {"neck": v})
        assert -rg.bias_force(mech, state) == pytest.approx(expected, abs=1e-9)
        assert rg.energy(mech, state).potential == pytest.approx(50.0 * max(angle - 1.0, 0.0) ** 2, abs=1e-12)


def test_a_ball_joint_at_rest_in_the_middle_is_free():
    mech = ball((-math.inf, 0.5))
    assert not rg.forward_dynamics(mech, mech.state()).any()
    assert np.isfinite(rg.derivatives(mech, mech.state()).q).all()


def test_a_ball_joints_rotation_is_measured_the_short_way_round():
    mech = ball(rg.Limits(-math.inf, 1.0, 100.0, 0.0))
    long_way = turned((0, 0, 1), 2 * math.pi - 0.5)  # half a radian the other way
    assert not rg.forward_dynamics(mech, mech.state({"neck": long_way})).any()


@given(seeds)
def test_a_limit_does_not_depend_on_the_direction_of_the_walk(seed):
    """The joint's own numbers are the same from either side, so its torque is."""
    rng = np.random.default_rng(seed)
    limits = rg.Limits(-0.1, 0.2, 300.0, 0.5)
    inertias, poses = [random_inertia(rng) for _ in range(2)], [random_pose(rng) for _ in range(2)]
    kind = (rg.Revolute, rg.Prismatic)[rng.integers(2)]
    axis, q, v = rng.standard_normal(3), rng.uniform(-1, 1), rng.uniform(-2, 2)
    torques = []
    for root in ("a", "b"):  # the same joint, reached from its parent or from its child
        mechs = []
        for bounds in (limits, None):
            mech = rg.Mechanism()
            for name, inertia in zip("ab", inertias, strict=True):
                mech.add_body(name, inertia)
            mech.add_joint("base", rg.Fixed(), "world", root)
            mech.add_joint("joint", kind(axis, limits=bounds), "a", "b", *poses)
            mechs.append(mech)
        state = mechs[0].state({"joint": q}, {"joint": v})
        torques.append(rg.bias_force(mechs[1], mechs[1].state(state.q, state.v)) - rg.bias_force(mechs[0], state))
    assert torques[0] == pytest.approx(torques[1], rel=1e-9, abs=1e-9)
    rate = v if q > 0.2 else -v
    beyond = max(q - 0.2, -0.1 - q, 0.0)
    expected = 300.0 * beyond * max(1.0 + 0.5 * rate, 0.0) * (-1.0 if q > 0.2 else 1.0)
    assert torques[0] == pytest.approx([expected], rel=1e-9, abs=1e-9)
