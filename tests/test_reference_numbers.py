"""Published numbers, textbook formulas, and a humanoid ten kilometres away from the origin of the world."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from oracles.pinocchio_oracle import mechanism_from_pinocchio
from random_mechanisms import random_inertia, random_joint, random_pose, random_rotation, relative_error

ROUNDING = 1e-12
SEEDS = st.integers(0, 2**32 - 1)
FIFTY = settings(max_examples=50)
X, Y, Z = np.eye(3)
G = 9.81


# --- the unit tests of RBDL: bodies of 1 kg with unit moments of inertia, at rest at q = 0, gravity along −y --------------------

RBDL_CHAIN = [
    [-4.905],
    [-5.886, 3.924],
    [-6.03692307692308, 3.77307692307692, 1.50923076923077],
]
RBDL_TREE = [-1.60319066147860, -0.534396887159533, 4.10340466926070, 0.267198443579767, 5.30579766536965]


def add_rbdl_body(mech, name, parent, at, axis, com):
    mech.add_body(name, rg.Inertia(1.0, com, np.eye(3)))
    mech.add_joint(name, rg.Revolute(axis), parent, name, parent_pose=rg.Pose(translation=at))


@pytest.mark.parametrize("expected", RBDL_CHAIN, ids=["one body", "two bodies", "three bodies"])
def test_chain_falls_as_in_rbdl(expected):
    mech = rg.Mechanism(gravity=(0, -G, 0))
    for i in range(len(expected)):
        add_rbdl_body(mech, f"b{i}", f"b{i - 1}" if i else "world", X if i else 0 * X, Z, X)
    assert relative_error(rg.forward_dynamics(mech, mech.state()), expected) < ROUNDING


def test_branched_tree_falls_as_in_rbdl():
    mech = rg.Mechanism(gravity=(0, -G, 0))
    add_rbdl_body(mech, "a", "world", 0 * X, Z, X)
    add_rbdl_body(mech, "b1", "a", X, Y, Y)
    add_rbdl_body(mech, "c1", "b1", Y, X, Z)
    add_rbdl_body(mech, "b2", "a", -0.5 * X, Y, Y)
    add_rbdl_body(mech, "c2", "b2", -0.5 * Y, X, Z)
    assert relative_error(rg.forward_dynamics(mech, mech.state()), RBDL_TREE) < ROUNDING


# --- textbook formulas ----------------------------------------------------------------------------------------------------------


@FIFTY
@given(SEEDS)
def test_pendulum_accelerates_by_m_g_l_sine_over_inertia(seed):
    rng = np.random.default_rng(seed)
    m, l, moment = rng.uniform(0.1, 3, 3)
    angle, speed = rng.uniform(-3, 3, 2)
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia(m, (0, 0, -l), moment * np.eye(3)))
    mech.add_joint("hinge", rg.Revolute(Y), "world", "bob")
    found = rg.forward_dynamics(mech, mech.state(q=[angle], v=[speed]))
    assert relative_error(found, [-m * G * l * np.sin(angle) / (moment + m * l**2)]) < ROUNDING


@FIFTY
@given(SEEDS)
def test_double_pendulum_obeys_the_textbook(seed):
    rng = np.random.default_rng(seed)
    m1, m2, l1, l2 = rng.uniform(0.1, 3, 4)
    (q1, q2), (v1, v2), tau = rng.uniform(-3, 3, (3, 2))
    mech = rg.Mechanism()
    mech.add_body("upper", rg.Inertia.point(m1, at=(0, 0, -l1)))
    mech.add_body("lower", rg.Inertia.point(m2, at=(0, 0, -l2)))
    mech.add_joint("shoulder", rg.Revolute(Y), "world", "upper")
    mech.add_joint("elbow", rg.Revolute(Y), "upper", "lower", parent_pose=rg.Pose(translation=(0, 0, -l1)))
    state = mech.state(q=[q1, q2], v=[v1, v2])

    coupling = m2 * l2**2 + m2 * l1 * l2 * np.cos(q2)
    M = np.array([[(m1 + m2) * l1**2 + coupling + m2 * l1 * l2 * np.cos(q2), coupling], [coupling, m2 * l2**2]])
    twist = m2 * l1 * l2 * np.sin(q2)
    weight = m2 * G * l2 * np.sin(q1 + q2)
    c = np.array([-twist * (2 * v1 * v2 + v2**2) + (m1 + m2) * G * l1 * np.sin(q1) + weight, twist * v1**2 + weight])

    assert relative_error(rg.mass_matrix(mech, state), M) < ROUNDING
    assert relative_error(rg.bias_force(mech, state), c) < ROUNDING
    found = rg.forward_dynamics(mech, state, tau)
    assert relative_error(rg.mass_matrix(mech, state) @ found, tau - c) < ROUNDING * np.linalg.cond(M)


@FIFTY
@given(SEEDS)
def test_free_body_obeys_newton_and_euler(seed):
    """I ω̇ + ω × I ω = moment, m (u̇ + ω × u) = force + weight, all in the axes of the body."""
    rng = np.random.default_rng(seed)
    I = random_inertia(rng).tensor
    m, R, p = rng.uniform(0.1, 5), random_rotation(rng), rng.uniform(-9, 9, 3)
    u, w, force, moment, gravity = rng.standard_normal((5, 3))
    mech = rg.Mechanism(gravity=gravity)
    mech.add_body("stone", rg.Inertia(m, tensor=I))
    mech.add_joint("float", rg.Free(), "world", "stone")
    state = mech.state(q=[*p, *rg.Pose(R).quaternion], v=[*u, *w])
    found = rg.forward_dynamics(mech, state, [*force, *moment])
    linear = force / m + R.T @ gravity - np.cross(w, u)
    angular = np.linalg.solve(I, moment - np.cross(w, I @ w))
    assert relative_error(found, [*linear, *angular]) < ROUNDING * np.linalg.cond(I)


@FIFTY
@given(SEEDS)
def test_heavy_top_obeys_euler_about_its_tip(seed):
    """I ω̇ + ω × I ω = l × m Rᵀ g, with the moments of inertia about the tip."""
    rng = np.random.default_rng(seed)
    inertia, R, w, gravity = random_inertia(rng), random_rotation(rng), rng.standard_normal(3), rng.standard_normal(3)
    mech = rg.Mechanism(gravity=gravity)
    mech.add_body("top", inertia)
    mech.add_joint("tip", rg.Spherical(), "world", "top")
    found = rg.forward_dynamics(mech, mech.state(q=rg.Pose(R).quaternion, v=w))
    l = inertia.com
    I = inertia.tensor + inertia.mass * (l @ l * np.eye(3) - np.outer(l, l))
    expected = np.linalg.solve(I, inertia.mass * np.cross(l, R.T @ gravity) - np.cross(w, I @ w))
    assert relative_error(found, expected) < ROUNDING * np.linalg.cond(I)


@FIFTY
@given(SEEDS)
def test_nut_on_a_screw_falls_with_the_inertia_of_its_turning(seed):
    """(I + m h²) θ̈ = −m g h for a vertical screw of pitch h."""
    rng = np.random.default_rng(seed)
    m, moment = rng.uniform(0.1, 3, 2)
    h = rng.uniform(-1, 1)
    mech = rg.Mechanism()
    mech.add_body("nut", rg.Inertia(m, tensor=moment * np.eye(3)))
    mech.add_joint("thread", rg.Helical(Z, h), "world", "nut")
    found = rg.forward_dynamics(mech, mech.state(q=[rng.uniform(-9, 9)], v=rng.standard_normal(1)))
    assert relative_error(found, [-m * G * h / (moment + m * h**2)]) < ROUNDING


def taken_apart(joint):
    """The joint as a chain of hinges and sliders with the same coordinates."""
    match joint:
        case rg.Universal():
            return [rg.Revolute(joint.axis1), rg.Revolute(joint.axis2)]
        case rg.Cylindrical():
            return [rg.Revolute(joint.axis), rg.Prismatic(joint.axis)]
    y_axis = np.cross(joint.normal, joint.x_axis)
    return [rg.Prismatic(joint.x_axis), rg.Prismatic(y_axis), rg.Revolute(joint.normal)]


@pytest.mark.parametrize("kind", [rg.Universal, rg.Cylindrical, rg.Planar])
def test_joint_of_several_freedoms_is_a_chain_of_simple_ones_with_massless_bodies_between(kind):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        arm, hand, joint = random_inertia(rng), random_inertia(rng), random_joint(rng, kind)
        near, far = random_pose(rng), random_pose(rng)
        whole, parts = rg.Mechanism(), rg.Mechanism()
        for mech in (whole, parts):
            mech.add_body("arm", arm)
            mech.add_body("hand", hand)
            mech.add_joint("shoulder", rg.Spherical(), "world", "arm")
        whole.add_joint("wrist", joint, "arm", "hand", near, far)
        onto, place, chain = "arm", near, taken_apart(joint)
        for i, piece in enumerate(chain[:-1]):
            parts.add_body(f"ring {i}", rg.Inertia(0.0))
            parts.add_joint(f"wrist {i}", piece, onto, f"ring {i}", place)
            onto, place = f"ring {i}", rg.Pose()
        parts.add_joint("wrist last", chain[-1], onto, "hand", place, far)
        q = rg.integrate(whole, whole.state().q, rng.uniform(-1.2, 1.2, whole.nv))
        v, tau = rng.standard_normal((2, whole.nv))
        states = whole.state(q=q, v=v), parts.state(q=q, v=v)
        found, expected = (rg.forward_dynamics(m, s, tau) for m, s in zip((whole, parts), states, strict=True))
        assert relative_error(found, expected) < 1e-10
        found, expected = (rg.mass_matrix(m, s) for m, s in zip((whole, parts), states, strict=True))
        assert relative_error(found, expected) < ROUNDING


# --- Pinocchio's sample humanoid, here and ten kilometres away ------------------------------------------------------------------

HOME, FAR = np.array([0.0, 0.0, 1.0]), np.array([1e4, -1e4, 1e4])
LOSS = 1e-9


def humanoid():
    """The mechanism, random joint positions at HOME, velocities and torques."""
    model = pin.buildSampleModelHumanoid()
    mech, map_q = mechanism_from_pinocchio(model)
    rng = np.random.default_rng(0)
    there = pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv))
    there[:3] = HOME
    return model, there, mech, map_q(there), rng.standard_normal(model.nv), 5 * rng.standard_normal(model.nv)


def on_root(mech, root, parent_pose):
    """The same mechanism with another joint to the world."""
    out = rg.Mechanism(gravity=mech.gravity)
    for name, body in mech.bodies.items():
        out.add_body(name, body.inertia)
    for joint in mech.joints.values():
        if joint.parent == "world":
            out.add_joint(joint.name, root, "world", joint.child, parent_pose, joint.child_pose)
        else:
            out.add_joint(joint.name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    return out


def free_humanoids():
    """The humanoid on a free joint, with its states at HOME and FAR away."""
    _, _, mech, q, v, tau = humanoid()
    far = np.concatenate([FAR, q[3:]])
    return (mech, mech.state(q=q, v=v)), (mech, mech.state(q=far, v=v)), tau


def hinged_humanoids():
    """The humanoid on a hinge that is at HOME and FAR away."""
    _, _, mech, q, v, tau = humanoid()
    pairs = []
    for place in (HOME, FAR):
        hinged = on_root(mech, rg.Revolute((1, 2, 3)), rg.Pose.about((3, 2, 1), 0.7, translation=place))
        pairs.append((hinged, hinged.state(q=q[6:], v=v[5:])))
    return *pairs, tau[5:]


def sliding_humanoids():
    """The humanoid on a slider along FAR − HOME, with its states at either end."""
    _, _, mech, q, v, tau = humanoid()
    rail = on_root(mech, rg.Prismatic(FAR - HOME), rg.Pose(translation=HOME))
    length = np.linalg.norm(FAR - HOME)
    return *((rail, rail.state(q=[x, *q[7:]], v=v[5:])) for x in (0.0, length)), tau[5:]


FAR_AWAY = pytest.mark.parametrize("humanoids", [free_humanoids, hinged_humanoids, sliding_humanoids])


def test_humanoid_moves_as_in_pinocchio():
    model, there, mech, q, v, tau = humanoid()
    data = model.createData()
    state = mech.state(q=q, v=v)
    assert mech.nv == model.nv
    a = pin.aba(model, data, there, v, tau)
    assert relative_error(rg.forward_dynamics(mech, state, tau), a) < 1e-10
    assert relative_error(rg.inverse_dynamics(mech, state, a), pin.rnea(model, data, there, v, a)) < 1e-10


@FAR_AWAY
def test_humanoid_ten_kilometres_away_loses_no_precision_in_its_accelerations(humanoids):
    here, there, tau = humanoids()
    assert relative_error(rg.forward_dynamics(*there, tau), rg.forward_dynamics(*here, tau)) < LOSS


@FAR_AWAY
def test_humanoid_ten_kilometres_away_loses_no_precision_in_torques_and_inertia(humanoids):
    here, there, tau = humanoids()
    assert relative_error(rg.inverse_dynamics(*there, tau), rg.inverse_dynamics(*here, tau)) < LOSS
    assert relative_error(rg.mass_matrix(*there), rg.mass_matrix(*here)) < LOSS


@FAR_AWAY
def test_humanoid_ten_kilometres_away_loses_no_precision_in_its_reactions(humanoids):
    here, there, tau = humanoids()
    expected = rg.joint_reactions(*here, tau)
    for joint, wrench in rg.joint_reactions(*there, tau).items():
        assert relative_error(wrench, expected[joint]) < LOSS


@FAR_AWAY
def test_humanoid_ten_kilometres_away_loses_no_precision_in_its_derivatives(humanoids):
    here, there, tau = humanoids()
    found, expected = rg.derivatives(*there, tau), rg.derivatives(*here, tau)
    assert relative_error(found.q, expected.q) < LOSS
    assert relative_error(found.v, expected.v) < LOSS
    assert relative_error(found.tau, expected.tau) < LOSS


@FAR_AWAY
def test_humanoid_ten_kilometres_away_has_the_same_jacobian_and_its_rate(humanoids):
    here, there, _ = humanoids()
    hand = "larm_wrist2_joint"
    assert relative_error(rg.jacobian(*there, hand), rg.jacobian(*here, hand)) < LOSS
    assert relative_error(rg.jacobian_rate(*there, hand), rg.jacobian_rate(*here, hand)) < LOSS


@FAR_AWAY
def test_energy_and_momentum_follow_the_shift_of_the_origin(humanoids):
    """T and the linear momentum p stay, V changes by −m g · shift, the angular momentum by shift × p."""
    here, there, _ = humanoids()
    shift, mech = FAR - HOME, here[0]
    mass = sum(body.inertia.mass for body in mech.bodies.values())
    before, after = rg.energy(*here), rg.energy(*there)
    assert relative_error(after.kinetic, before.kinetic) < LOSS
    assert relative_error(after.potential, before.potential - mass * mech.gravity @ shift) < ROUNDING
    assert relative_error(rg.center_of_mass(*there), rg.center_of_mass(*here) + shift) < ROUNDING
    before, after = rg.momentum(*here), rg.momentum(*there)
    assert relative_error(after.linear, before.linear) < LOSS
    assert relative_error(after.angular, before.angular + np.cross(shift, before.linear)) < ROUNDING
