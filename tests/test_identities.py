"""Laws that hold for every tree, whatever its joints: no outside reference is needed.

Mechanisms are random: every joint type, joints walked either way, several trees, springs, and joints with all settings.

Tolerances: algebra is compared to 1e-10 of the largest number, the rounding of a few thousand operations on bodies of about equal
size. Derivatives are compared to central differences of fourth order with step h = 1e-3: their error is h⁴ times a fifth
derivative (1e-12 times up to 1e4 for the velocities drawn here) plus rounding / h = 1e-13 relative, so 1e-6 leaves room.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import ALL_JOINTS, Sample, random_mechanism, random_sample, random_state, relative_error, samples
from regraft.joints import screws
from regraft.tolerances import SLIP_SPEED

ALGEBRA = 1e-10
DIFFERENCE = 1e-6
STEP = 1e-3

everything = samples(max_bodies=7, roots=2, springs=2, damping=True, limits=True, own=True)
without_losses = samples(max_bodies=7, roots=2)
seeds = st.integers(0, 2**32 - 1)


def moved(mech, state, v_rate, time):
    """The state after a short time, to first order: enough for a derivative."""
    return mech.state(rg.integrate(mech, state.q, time * state.v), state.v + time * v_rate)


def rate(f, mech, state, v_rate):
    """d/dt f(state) along the motion."""
    at = {k: np.asarray(f(moved(mech, state, v_rate, k * STEP))) for k in (-2, -1, 1, 2)}
    return (8.0 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12.0 * STEP)


def accelerations(mech, state, v_rate):
    """(6,) of every body: angular acceleration, acceleration of the origin."""
    return {name: rg.jacobian(mech, state, name) @ v_rate + rg.jacobian_rate(mech, state, name) @ state.v for name in mech.bodies}


def wrench_at(point, moment, force):
    return np.concatenate([moment + np.cross(point, force), force])


# --- forward and inverse dynamics ------------------------------------------------------------------------------------


@given(everything)
def test_forward_dynamics_undoes_inverse_dynamics(sample):
    tau = rg.inverse_dynamics(sample.mech, sample.state, sample.a)
    assert relative_error(rg.forward_dynamics(sample.mech, sample.state, tau), sample.a) < ALGEBRA


@given(everything)
def test_inverse_dynamics_undoes_forward_dynamics(sample):
    a = rg.forward_dynamics(sample.mech, sample.state, sample.tau)
    # the torques are small differences of forces as large as mass times acceleration
    size = max(1.0, np.abs(a).max(initial=0.0))
    assert relative_error(rg.inverse_dynamics(sample.mech, sample.state, a), sample.tau) < ALGEBRA * size


@given(everything)
def test_the_equation_of_motion_holds(sample):
    """M a + c = tau with M, c and a from three different algorithms."""
    mech, state = sample.mech, sample.state
    a = rg.forward_dynamics(mech, state, sample.tau)
    left = rg.mass_matrix(mech, state) @ a + rg.bias_force(mech, state)
    assert relative_error(left, sample.tau) < ALGEBRA * max(1.0, np.abs(a).max(initial=0.0))


@given(everything)
def test_columns_of_the_mass_matrix_are_differences_of_inverse_dynamics(sample):
    mech, state = sample.mech, sample.state
    still = rg.inverse_dynamics(mech, state, np.zeros(mech.nv))
    columns = [rg.inverse_dynamics(mech, state, unit) - still for unit in np.eye(mech.nv)]
    expected = np.array(columns).reshape(mech.nv, mech.nv).T
    assert relative_error(rg.mass_matrix(mech, state), expected) < ALGEBRA


@given(everything)
def test_the_mass_matrix_is_symmetric_and_positive(sample):
    M = rg.mass_matrix(sample.mech, sample.state)
    assert np.array_equal(M, M.T)
    if sample.mech.nv:
        assert np.linalg.eigvalsh(M).min() > 0.0


@given(everything)
def test_the_mass_matrix_and_kinetic_energy_agree(sample):
    v = sample.state.v
    kinetic = rg.energy(sample.mech, sample.state).kinetic
    assert kinetic == pytest.approx(0.5 * v @ rg.mass_matrix(sample.mech, sample.state) @ v, rel=ALGEBRA, abs=1e-14)


@given(everything)
def test_derivatives_are_those_of_forward_dynamics(sample):
    mech, state, tau = sample.mech, sample.state, sample.tau
    assume(away_from_limits(mech, state) and away_from_breaks(mech, state))
    found = rg.derivatives(mech, state, tau)
    still = np.zeros(mech.nv)
    assert relative_error(found.tau @ rg.mass_matrix(mech, state), np.eye(mech.nv)) < ALGEBRA
    for d, unit in enumerate(np.eye(mech.nv)):
        along_v = rate(lambda s: rg.forward_dynamics(mech, mech.state(state.q, s.v), tau), mech, state, unit)
        at_rest = mech.state(state.q, unit)
        along_q = rate(lambda s: rg.forward_dynamics(mech, mech.state(s.q, state.v), tau), mech, at_rest, still)
        # stiff springs and limits make fifth derivatives as large as the accelerations themselves are
        assert relative_error(found.v[:, d], along_v) < DIFFERENCE
        assert relative_error(found.q[:, d], along_q) < 10 * DIFFERENCE


@given(everything, st.integers(1, 19))
def test_a_batch_is_its_states_one_by_one(sample, count):
    mech = sample.mech
    rng = np.random.default_rng(count)
    states = [random_state(rng, mech) for _ in range(count)]
    tau = rng.standard_normal((count, mech.nv))
    found = rg.forward_dynamics_batch(mech, [s.q for s in states], [s.v for s in states], tau)
    expected = [rg.forward_dynamics(mech, s, t) for s, t in zip(states, tau, strict=True)]
    assert relative_error(found, np.array(expected).reshape(count, mech.nv)) < ALGEBRA


@given(everything, seeds)
def test_a_wrench_does_what_its_joint_torques_do(sample, seed):
    mech, state = sample.mech, sample.state
    rng = np.random.default_rng(seed)
    wrenches = {name: rng.standard_normal(6) for name in mech.bodies if rng.random() < 0.6}
    tau = sample.tau + sum((rg.jacobian(mech, state, name).T @ w for name, w in wrenches.items()), np.zeros(mech.nv))
    expected = rg.forward_dynamics(mech, state, tau)
    assert relative_error(rg.forward_dynamics(mech, state, sample.tau, wrenches), expected) < ALGEBRA
    found = rg.inverse_dynamics(mech, state, expected, wrenches)
    assert relative_error(found, sample.tau) < ALGEBRA * max(1.0, np.abs(expected).max(initial=0.0))


# --- energy and momentum ---------------------------------------------------------------------------------------------


def limited_measures(mech, state):
    """(value, rate, limits of it) of every limited coordinate, by the definition of the joint types."""
    for name, joint in mech.joints.items():
        limits, q, v = joint.type.limits, state.q[mech.q_slice(name)], state.v[mech.v_slice(name)]
        if limits is None:
            continue
        values, rates = q, v
        if isinstance(joint.type, rg.Spherical):
            w, axis = (q[0], q[1:]) if q[0] >= 0 else (-q[0], -q[1:])
            values, rates = [2 * np.arctan2(np.linalg.norm(axis), w)], [v @ axis / np.linalg.norm(axis)]
        for value, change, low, high in zip(values, rates, limits.lower, limits.upper, strict=True):
            yield value, change, low, high, limits


def away_from_limits(mech, state):
    """No limit sets in, or lets go, within the steps of a finite difference: its force has a kink there."""
    return all(
        min(abs(value - low), abs(value - high), abs(abs(limits.dissipation * change) - 1.0)) > 0.03
        for value, change, low, high, limits in limited_measures(mech, state)
    )


def away_from_breaks(mech, state):
    """No guide goes from one polynomial to the next within these steps: its higher derivatives jump there."""
    guides = {name: joint.type for name, joint in mech.joints.items() if isinstance(joint.type, rg.Guided)}
    return all(
        abs(place - state.q[mech.q_slice(name)][0]) > 4 * STEP
        for name, guide in guides.items()
        for _, curve in (*guide.rotations, *guide.translations)
        for place in curve.breaks
    )


def lost_power(mech, state):
    """What damping, friction, dampers and limits take out of the mechanism, by their definitions."""
    lost = 0.0
    for name, joint in mech.joints.items():
        v = state.v[mech.v_slice(name)]
        lost += joint.type.damping @ v**2 + joint.type.friction @ (v**2 / np.hypot(v, SLIP_SPEED))
    for spring in mech.springs.values():
        ends, velocities = [], []
        for body, point in ((spring.body_a, spring.point_a), (spring.body_b, spring.point_b)):
            pose = rg.frame_pose(mech, state, body)
            twist = rg.frame_twist(mech, state, body)
            ends.append(pose.apply(point))
            velocities.append(twist[3:] + np.cross(twist[:3], pose.rotation @ point))
        along = ends[1] - ends[0]
        lost += spring.damping * (along @ (velocities[1] - velocities[0])) ** 2 / (along @ along)
    for value, change, low, high, limits in limited_measures(mech, state):
        for beyond, outward in ((value - high, change), (low - value, -change)):
            push = limits.stiffness * max(beyond, 0.0)
            lost += push * (max(1.0 + limits.dissipation * outward, 0.0) - 1.0) * outward
    return lost


@given(everything)
def test_energy_changes_by_the_power_of_the_torques_less_what_is_lost(sample):
    mech, state = sample.mech, sample.state
    assume(away_from_limits(mech, state) and away_from_breaks(mech, state))
    a = rg.forward_dynamics(mech, state, sample.tau)
    assume(STEP * np.abs(a).max(initial=0.0) < 1.0)  # or else a step changes all velocities: a guide may hardly move its body
    found = rate(lambda s: rg.energy(mech, s).total, mech, state, a)
    lost = lost_power(mech, state)
    assert lost >= 0.0
    expected = sample.tau @ state.v - lost
    # the change is the difference of kinetic and potential parts that are each as large as mass times acceleration times speed
    size = 1.0 + abs(expected) + np.abs(rg.mass_matrix(mech, state) @ a) @ np.abs(state.v)
    assert abs(found - expected) < DIFFERENCE * size


@given(without_losses)
def test_energy_changes_by_the_power_of_the_torques_alone_where_nothing_is_lost(sample):
    mech, state = sample.mech, sample.state
    a = rg.forward_dynamics(mech, state, sample.tau)
    found = rate(lambda s: rg.energy(mech, s).total, mech, state, a)
    size = 1.0 + np.abs(rg.mass_matrix(mech, state) @ a) @ np.abs(state.v)
    assert abs(found - sample.tau @ state.v) < DIFFERENCE * size


@given(without_losses)
def test_velocity_forces_do_half_the_work_of_the_changing_mass_matrix(sample):
    """vᵀ (Ṁ − 2 C) v = 0 with C v = c(q, v) − c(q, 0): forces that come from velocity alone neither add nor take energy."""
    mech, state = sample.mech, sample.state
    v = state.v
    velocity_force = rg.bias_force(mech, state) - rg.bias_force(mech, mech.state(state.q))
    M_rate = rate(lambda s: rg.mass_matrix(mech, s), mech, state, np.zeros(mech.nv))
    expected = 0.5 * v @ M_rate @ v
    assert abs(v @ velocity_force - expected) < DIFFERENCE * (1.0 + abs(expected) + np.abs(v) @ np.abs(velocity_force))


@given(seeds, st.integers(1, 7))
def test_a_floating_mechanism_gains_the_momentum_that_gravity_gives_it(seed, bodies):
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies=bodies, root_kinds=(rg.Free,), damping=True, own=True)
    mech = mech.replace(settings={"j0": {"damping": 0.0, "armature": 0.0, "stiffness": 0.0, "friction": 0.0}})
    state, tau = random_state(rng, mech), rng.standard_normal(mech.nv)
    tau[mech.v_slice("j0")] = 0.0  # nothing pushes on the world
    a = rg.forward_dynamics(mech, state, tau)
    mass = sum(body.inertia.mass for body in mech.bodies.values())
    weight = mass * mech.gravity
    turning = rate(lambda s: rg.momentum(mech, s).angular, mech, state, a)
    moving = rate(lambda s: rg.momentum(mech, s).linear, mech, state, a)
    size = 1.0 + np.abs(rg.mass_matrix(mech, state) @ a).max()
    assert np.abs(moving - weight).max() < DIFFERENCE * size
    assert np.abs(turning - np.cross(rg.center_of_mass(mech, state), weight)).max() < DIFFERENCE * size


@given(everything)
def test_momentum_is_the_sum_over_the_bodies(sample):
    mech, state = sample.mech, sample.state
    poses, twists = rg.body_poses(mech, state), rg.body_twists(mech, state)
    linear, angular, kinetic, moment, mass = np.zeros(3), np.zeros(3), 0.0, np.zeros(3), 0.0
    for name, body in mech.bodies.items():
        m, R, twist = body.inertia.mass, poses[name].rotation, twists[name]
        com = poses[name].apply(body.inertia.com)
        velocity = twist[3:] + np.cross(twist[:3], R @ body.inertia.com)
        spin = R @ body.inertia.tensor @ R.T @ twist[:3]
        linear, angular = linear + m * velocity, angular + spin + np.cross(com, m * velocity)
        kinetic += 0.5 * (m * velocity @ velocity + twist[:3] @ spin)
        moment, mass = moment + m * com, mass + m
    rotors = np.concatenate([joint.type.armature for joint in mech.joints.values()])
    kinetic += 0.5 * rotors @ state.v**2  # but no momentum of the whole
    found = rg.momentum(mech, state)
    assert relative_error(found.linear, linear) < ALGEBRA
    assert relative_error(found.angular, angular) < ALGEBRA
    assert rg.energy(mech, state).kinetic == pytest.approx(kinetic, rel=ALGEBRA, abs=1e-14)
    assert relative_error(rg.center_of_mass(mech, state), moment / mass) < ALGEBRA


# --- kinematics ------------------------------------------------------------------------------------------------------


@given(everything)
def test_the_jacobian_times_velocity_is_the_twist(sample):
    mech, state = sample.mech, sample.state
    for name, twist in rg.body_twists(mech, state).items():
        assert relative_error(rg.jacobian(mech, state, name) @ state.v, twist) < ALGEBRA


@given(everything)
def test_twists_are_rates_of_poses(sample):
    mech, state = sample.mech, sample.state
    still = np.zeros(mech.nv)
    for name, twist in rg.body_twists(mech, state).items():
        R = rg.body_poses(mech, state)[name].rotation
        spin = rate(lambda s, n=name: rg.body_poses(mech, s)[n].rotation, mech, state, still) @ R.T
        velocity = rate(lambda s, n=name: rg.body_poses(mech, s)[n].translation, mech, state, still)
        assert relative_error([spin[2, 1], spin[0, 2], spin[1, 0], *velocity], twist) < DIFFERENCE


@given(everything, seeds)
def test_jacobians_and_their_rates_give_the_acceleration_of_a_frame(sample, seed):
    mech, state = sample.mech.copy(), sample.state
    rng = np.random.default_rng(seed)
    body = f"b{rng.integers(len(mech.bodies))}"
    mech.add_frame("tip", body, rg.Pose(translation=rng.standard_normal(3)))
    found = rg.jacobian(mech, state, "tip") @ sample.a + rg.jacobian_rate(mech, state, "tip") @ state.v
    expected = rate(lambda s: rg.frame_twist(mech, s, "tip"), mech, state, sample.a)
    assert relative_error(found, expected) < DIFFERENCE
    J_rate = rate(lambda s: rg.jacobian(mech, s, "tip"), mech, state, sample.a)
    assert relative_error(rg.jacobian_rate(mech, state, "tip"), J_rate) < DIFFERENCE


# --- reactions -------------------------------------------------------------------------------------------------------


def joint_place(mech, state, joint):
    """The pose in the world of a joint's frame on its child."""
    return rg.frame_pose(mech, state, joint.child) @ joint.child_pose


@given(samples(max_bodies=7, roots=2, damping=True))
def test_a_reaction_along_its_joint_is_the_torque(sample):
    mech, state = sample.mech, sample.state
    reactions = rg.joint_reactions(mech, state, sample.tau)
    size = 1.0 + max(np.abs(w).max() for w in reactions.values())
    for name, joint in mech.joints.items():
        where, wrench = joint_place(mech, state, joint), reactions[name]
        columns = screws(joint.type, state.q[mech.q_slice(name)])
        felt = columns @ np.concatenate([where.rotation.T @ wrench[:3], where.rotation.T @ wrench[3:]])
        part = mech.v_slice(name)
        expected = sample.tau[part] - joint.type.damping * state.v[part]
        assert np.abs(felt - expected).max(initial=0.0) < ALGEBRA * size


@given(samples(max_bodies=7, roots=2, damping=True, limits=True))
def test_reactions_and_gravity_make_each_body_accelerate_as_it_does(sample):
    """Newton and Euler, body by body, about the world's origin."""
    mech, state = sample.mech, sample.state
    v_rate = rg.forward_dynamics(mech, state, sample.tau)
    poses, twists = rg.body_poses(mech, state), rg.body_twists(mech, state)
    needed = {}
    for name, acceleration in accelerations(mech, state, v_rate).items():
        inertia, R, w = mech.bodies[name].inertia, poses[name].rotation, twists[name][:3]
        arm, tensor = R @ inertia.com, R @ inertia.tensor @ R.T
        at_com = acceleration[3:] + np.cross(acceleration[:3], arm) + np.cross(w, np.cross(w, arm))
        force = inertia.mass * (at_com - mech.gravity)
        moment = tensor @ acceleration[:3] + np.cross(w, tensor @ w)
        needed[name] = wrench_at(poses[name].translation + arm, moment, force)
    size = 1.0 + max(np.abs(w).max() for w in needed.values())
    for name, wrench in rg.joint_reactions(mech, state, sample.tau).items():
        joint = mech.joints[name]
        about_origin = wrench_at(joint_place(mech, state, joint).translation, wrench[:3], wrench[3:])
        for body, share in ((joint.child, -about_origin), (joint.parent, about_origin)):
            if body != "world":
                needed[body] = needed[body] + share
    for left in needed.values():
        assert np.abs(left).max() < ALGEBRA * size


# --- the same mechanism in other words -------------------------------------------------------------------------------


@given(everything, seeds)
def test_the_order_of_description_does_not_matter(sample, seed):
    mech, state = sample.mech, sample.state
    rng = np.random.default_rng(seed)
    other = rg.Mechanism(mech.gravity)
    for name in rng.permutation(list(mech.bodies)):
        other.add_body(str(name), mech.bodies[name].inertia)
    for name in rng.permutation(list(mech.joints)):
        joint = mech.joints[name]
        other.add_joint(joint.name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    for name in rng.permutation(list(mech.springs)):
        spring = mech.springs[name]
        numbers = {key: getattr(spring, key) for key in ("stiffness", "damping", "rest_length")}
        other.add_spring(spring.name, spring.body_b, spring.point_b, spring.body_a, spring.point_a, **numbers)
    by_name = {name: (state.q[mech.q_slice(name)], state.v[mech.v_slice(name)]) for name in mech.joints}
    again = other.state({n: q for n, (q, _) in by_name.items()}, {n: v for n, (_, v) in by_name.items()})
    tau = np.zeros(mech.nv)
    for name in mech.joints:
        tau[other.v_slice(name)] = sample.tau[mech.v_slice(name)]
    found, expected = rg.forward_dynamics(other, again, tau), rg.forward_dynamics(mech, state, sample.tau)
    size = max(1.0, np.abs(expected).max(initial=0.0))
    for name in mech.joints:
        assert np.abs(found[other.v_slice(name)] - expected[mech.v_slice(name)]).max(initial=0.0) < ALGEBRA * size


def turned_round(sample):
    """The same mechanism with parent and child of every joint exchanged, its state and torques in the new numbers."""
    mech, state = sample.mech, sample.state
    other = rg.Mechanism(mech.gravity)
    for name, body in mech.bodies.items():
        other.add_body(name, body.inertia)
    q, v, tau = {}, {}, []
    for name, joint in mech.joints.items():
        back = joint.type.reversed()
        other.add_joint(name, back, joint.child, joint.parent, joint.child_pose, joint.parent_pose)
        here, part = state.q[mech.q_slice(name)], mech.v_slice(name)
        place = joint.type.pose(here)
        q[name] = joint.type.reverse(here)
        # the parent's twist relative to the child, in the parent's frame: −Ad(pose) S, column by column
        turned = screws(joint.type, here).reshape(-1, 2, 3) @ place.rotation.T
        turned[:, 1] += np.cross(place.translation, turned[:, 0])
        change = np.array([back.velocity(q[name], -column.ravel()) for column in turned]).reshape(back.nv, back.nv).T
        v[name] = change @ state.v[part]
        tau.append(np.linalg.solve(change.T, sample.tau[part]))  # the power stays the same
    for spring in mech.springs.values():
        numbers = {key: getattr(spring, key) for key in ("stiffness", "damping", "rest_length")}
        other.add_spring(spring.name, spring.body_a, spring.point_a, spring.body_b, spring.point_b, **numbers)
    return Sample(other, other.state(q, v), np.concatenate(tau), np.zeros(mech.nv))


def same_motion(one, other, tolerance=ALGEBRA):
    """Poses, twists and accelerations of all bodies, and the energy."""
    for ask in (rg.body_twists, lambda m, s: {n: p.translation for n, p in rg.body_poses(m, s).items()}):
        found, expected = ask(other.mech, other.state), ask(one.mech, one.state)
        for name in one.mech.bodies:
            assert relative_error(found[name], expected[name]) < tolerance
    lists = [accelerations(s.mech, s.state, rg.forward_dynamics(s.mech, s.state, s.tau)) for s in (one, other)]
    size = 1.0 + max(np.abs(a).max() for a in lists[0].values())
    for name in one.mech.bodies:
        assert np.abs(lists[0][name] - lists[1][name]).max() < tolerance * size
    energies = [rg.energy(s.mech, s.state) for s in (one, other)]
    assert energies[1].total == pytest.approx(energies[0].total, rel=tolerance, abs=tolerance)


@given(samples(max_bodies=7, roots=2, springs=2))
def test_every_joint_may_be_described_the_other_way_round(sample):
    same_motion(sample, turned_round(sample))


ONE_AXIS = (rg.Revolute, rg.Prismatic, rg.Helical, rg.Cylindrical, rg.Universal)


@given(seeds, st.integers(1, 6))
def test_damping_and_limits_turn_round_with_the_joint(seed, bodies):
    """For the joints whose velocities change only their signs (and, in a universal joint, their order)."""
    rng = np.random.default_rng(seed)
    sample = random_sample(rng, bodies=bodies, kinds=ONE_AXIS, damping=True, limits=True)
    same_motion(sample, turned_round(sample))


@given(seeds)
def test_a_ball_joints_damping_and_limit_turn_round_with_it(seed):
    """Equal damping in all directions; the limit bounds the angle of the whole rotation, which is the same both ways."""
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies=2, kinds=(rg.Revolute,))
    mech.add_body("ball", mech.bodies["b0"].inertia)
    settings = {"damping": 0.7, "limits": rg.Limits(-np.inf, 0.1, 200.0, 0.3)}
    mech.add_joint("socket", rg.Spherical(**settings), "b1", "ball")
    sample = Sample(mech, random_state(rng, mech), rng.standard_normal(mech.nv), np.zeros(mech.nv))
    same_motion(sample, turned_round(sample))


def shifted(sample, shift):
    """The same mechanism somewhere else in the world."""
    mech, by = sample.mech, rg.Pose(translation=shift)
    other = rg.Mechanism(mech.gravity)
    for name, body in mech.bodies.items():
        other.add_body(name, body.inertia)
    for name, joint in mech.joints.items():
        poses = [
            by @ pose if body == "world" else pose
            for body, pose in ((joint.parent, joint.parent_pose), (joint.child, joint.child_pose))
        ]
        other.add_joint(name, joint.type, joint.parent, joint.child, *poses)
    for name, spring in mech.springs.items():
        numbers = {key: getattr(spring, key) for key in ("stiffness", "damping", "rest_length")}
        ends = [
            (body, np.array(point) + (shift if body == "world" else 0.0))
            for body, point in ((spring.body_a, spring.point_a), (spring.body_b, spring.point_b))
        ]
        other.add_spring(name, *ends[0], *ends[1], **numbers)
    return other


@given(everything, seeds)
def test_a_mechanism_does_not_feel_where_it_is(sample, seed):
    shift = np.random.default_rng(seed).uniform(-10, 10, 3)
    other = shifted(sample, shift)
    expected = rg.forward_dynamics(sample.mech, sample.state, sample.tau)
    assert relative_error(rg.forward_dynamics(other, sample.state, sample.tau), expected) < ALGEBRA
    before, after = rg.body_poses(sample.mech, sample.state), rg.body_poses(other, sample.state)
    for name in sample.mech.bodies:
        assert np.abs(after[name].translation - before[name].translation - shift).max() < 1e-13
        assert np.array_equal(after[name].rotation, before[name].rotation)
    mass = sum(body.inertia.mass for body in sample.mech.bodies.values())
    lifted = rg.energy(other, sample.state).potential - rg.energy(sample.mech, sample.state).potential
    assert lifted == pytest.approx(-mass * sample.mech.gravity @ shift, rel=1e-9, abs=1e-9)


@given(samples(max_bodies=7, damping=True, limits=True), seeds)
def test_precision_does_not_fall_far_from_the_origin_of_the_world(sample, seed):
    """At a distance of 10 000 km a position has lost nine digits, an acceleration none."""
    shift = np.random.default_rng(seed).uniform(-1e7, 1e7, 3)
    other = shifted(sample, shift)
    expected = rg.forward_dynamics(sample.mech, sample.state, sample.tau)
    assert relative_error(rg.forward_dynamics(other, sample.state, sample.tau), expected) < ALGEBRA
    tau = rg.inverse_dynamics(sample.mech, sample.state, sample.a)
    assert relative_error(rg.inverse_dynamics(other, sample.state, sample.a), tau) < ALGEBRA


@given(samples(max_bodies=6, springs=1, damping=True, limits=True), seeds)
def test_a_mechanism_does_not_feel_which_way_the_world_is_turned(sample, seed):
    """Turning the base, gravity and the world's ends of springs together changes no joint acceleration."""
    rng = np.random.default_rng(seed)
    turn = rg.Pose.about(rng.standard_normal(3), rng.uniform(-3, 3))
    mech = sample.mech
    other = rg.Mechanism(turn.rotation @ mech.gravity)
    for name, body in mech.bodies.items():
        other.add_body(name, body.inertia)
    for name, joint in mech.joints.items():
        poses = [
            turn @ pose if body == "world" else pose
            for body, pose in ((joint.parent, joint.parent_pose), (joint.child, joint.child_pose))
        ]
        other.add_joint(name, joint.type, joint.parent, joint.child, *poses)
    for name, spring in mech.springs.items():
        numbers = {key: getattr(spring, key) for key in ("stiffness", "damping", "rest_length")}
        ends = [
            (body, turn.apply(point) if body == "world" else point)
            for body, point in ((spring.body_a, spring.point_a), (spring.body_b, spring.point_b))
        ]
        other.add_spring(name, *ends[0], *ends[1], **numbers)
    expected = rg.forward_dynamics(mech, sample.state, sample.tau)
    assert relative_error(rg.forward_dynamics(other, sample.state, sample.tau), expected) < ALGEBRA


@pytest.mark.parametrize("kind", ALL_JOINTS, ids=lambda kind: kind.__name__)
def test_a_massless_weld_anywhere_changes_nothing(kind):
    """A joint's frame may sit on a massless body welded to the real one."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        sample = random_sample(rng, bodies=2, kinds=(kind,))
        mech = sample.mech
        other = rg.Mechanism(mech.gravity)
        for name, body in mech.bodies.items():
            other.add_body(name, body.inertia)
        other.add_body("flange", rg.Inertia(0.0))
        for name, joint in mech.joints.items():
            if name == "j1":
                other.add_joint("weld", rg.Fixed(), joint.parent, "flange", joint.parent_pose)
                other.add_joint(name, joint.type, "flange", joint.child, rg.Pose(), joint.child_pose)
            else:
                other.add_joint(name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
        found = rg.forward_dynamics(other, other.state(sample.state.q, sample.state.v), sample.tau)
        assert relative_error(found, rg.forward_dynamics(mech, sample.state, sample.tau)) < ALGEBRA


def test_accelerations_by_the_names_of_joints_are_those_in_their_places():
    mech, state = rg.models.high_bar().start
    wanted = rg.consistent_acceleration(mech, state, np.zeros(mech.nv))
    named = {name: wanted[mech.v_slice(name)] for name in mech.layout.v_slices}
    assert np.array_equal(rg.inverse_dynamics(mech, state, named), rg.inverse_dynamics(mech, state, wanted))
    assert np.array_equal(rg.consistent_acceleration(mech, state, {}), wanted)
    arm = rg.Mechanism()
    for name, parent in (("upper", "world"), ("lower", "upper")):
        arm.add_body(name, rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, -1)))
        arm.add_joint(name, rg.Revolute((0, 1, 0)), parent, name)
    given = rg.inverse_dynamics(arm, arm.state(), {"lower": 2.0})
    assert np.array_equal(given, rg.inverse_dynamics(arm, arm.state(), [0.0, 2.0]))
    assert np.array_equal(rg.actuator_torques(arm, arm.state(), {"lower": 2.0})["lower"], given[1:])
    with pytest.raises(rg.ModelError, match="a: there is no joint 'wrist'"):
        rg.inverse_dynamics(arm, arm.state(), {"wrist": 1.0})
    with pytest.raises(rg.ModelError, match="a of joint 'lower'"):
        rg.inverse_dynamics(arm, arm.state(), {"lower": [1.0, 2.0]})
    loop = mech.loop_joints[0]
    with pytest.raises(rg.ModelError, match=f"a: the joint '{loop}' closes a loop"):
        rg.inverse_dynamics(mech, state, {loop: np.zeros(mech.joints[loop].type.nv)})
