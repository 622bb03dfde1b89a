"""What every joint type promises, checked on each type of the registry with random axes."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

import regraft as rg
from random_mechanisms import random_inertia, random_joint, random_pose, random_settings
from regraft.algebra.rotations import identity_pose
from regraft.joints import (
    JOINT_TYPES,
    joint_columns,
    joint_integrate,
    joint_rate,
    joint_rates,
    joint_transform,
    kind_of,
    padded_parameters,
    parameters,
    screws,
)
from regraft.kernels.derivatives.tables import BEND, CHANGES, KAPPA, TURNED, TURNED_AT

SEEDS = range(8)
STEP = 1e-30

every_type = pytest.mark.parametrize("kind", JOINT_TYPES, ids=lambda kind: kind.__name__)
every_moving_type = pytest.mark.parametrize("kind", [kind for kind in JOINT_TYPES if kind.nv], ids=lambda kind: kind.__name__)


def carrier(joint, *, ends=("world", "body"), poses=(), inertia=None):
    """A mechanism of one body on this joint."""
    mech = rg.Mechanism()
    mech.add_body("body", inertia or rg.Inertia.box(1.0, (1.0, 2.0, 3.0)))
    mech.add_joint("joint", joint, *ends, *poses)
    return mech


def random_position(rng, joint, reach=1.2):
    mech = carrier(joint)
    return rg.integrate(mech, mech.state().q, rng.uniform(-reach, reach, joint.nv))


def drawn(seed, kind, **settings):
    """A generator, a joint type with random axes, and a position of it."""
    rng = np.random.default_rng(seed)
    joint = random_joint(rng, kind, **settings)
    return rng, joint, random_position(rng, joint)


def pose_error(a, b):
    return max(np.abs(a.rotation - b.rotation).max(), np.abs(a.translation - b.translation).max())


# --- position and pose -----------------------------------------------------------------------------------------------


@every_type
def test_sizes_agree(kind):
    joint = random_joint(np.random.default_rng(0), kind)
    mech = carrier(joint)
    assert (mech.nq, mech.nv) == (joint.nq, joint.nv)
    assert joint.neutral().shape == (joint.nq,)
    assert joint.damping.shape == (joint.nv,)
    assert screws(joint, joint.neutral()).shape == (joint.nv, 6)
    assert 0 <= joint.nv <= min(joint.nq, 6)


@every_type
def test_at_the_neutral_position_the_two_frames_coincide(kind):
    for seed in SEEDS:
        _, joint, _ = drawn(seed, kind)
        assert joint.pose(joint.neutral()) == rg.Pose()


@every_type
def test_every_position_is_a_rigid_displacement(kind):
    for seed in SEEDS:
        _, joint, q = drawn(seed, kind)
        R = joint.pose(q).rotation
        assert np.abs(R @ R.T - np.eye(3)).max() < 1e-14
        assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)


@every_type
def test_the_pose_tells_the_position(kind):
    """Up to what the pose cannot tell: the sign of a quaternion, whole turns."""
    for seed in SEEDS:
        _, joint, q = drawn(seed, kind)
        found = joint.position(joint.pose(q))
        assert found.shape == (joint.nq,)
        assert pose_error(joint.pose(found), joint.pose(q)) < 1e-14
        gap = rg.difference(carrier(joint), found, q)
        assert np.abs(np.remainder(gap + np.pi, 2 * np.pi) - np.pi).max(initial=0.0) < 1e-13


def test_a_screw_tells_whole_turns_from_its_advance():
    joint = rg.Helical((1.0, 2.0, -0.5), pitch=0.1)
    for turn in (-40.0, -3.3, 0.0, 7.0, 100.0):
        assert joint.position(joint.pose([turn])) == pytest.approx([turn], abs=1e-11)


def test_a_screw_without_pitch_is_a_hinge():
    screw, hinge = rg.Helical((1, 2, 3), pitch=0.0), rg.Revolute((1, 2, 3))
    assert screw.pose([0.7]) == hinge.pose([0.7])
    assert screw.position(hinge.pose([0.7])) == pytest.approx([0.7])


@every_type
def test_a_pose_out_of_reach_is_refused_with_the_name_of_the_type_and_a_way_out(kind):
    rng = np.random.default_rng(3)
    joint = random_joint(rng, kind)
    anywhere = random_pose(rng)
    if kind is rg.Free:  # it reaches every pose
        assert pose_error(joint.pose(joint.position(anywhere)), anywhere) < 1e-14
        return
    with pytest.raises(rg.StructureError, match=rf"{kind.__name__}\(.*cannot take.*Free\(\)"):
        joint.position(anywhere)


@every_type
def test_a_position_of_the_wrong_size_is_refused(kind):
    joint = random_joint(np.random.default_rng(0), kind)
    with pytest.raises(rg.ModelError, match=rf"{kind.__name__}.*shape"):
        joint.pose(np.zeros(joint.nq + 1))


# --- velocities: columns and their rates -----------------------------------------------------------------------------


@numba.njit
def stepped(kind, par, q, step, pose, columns):
    """Pose and columns at q ⊕ step; complex, so that they carry derivatives."""
    numbers = parameters(par, 0, 0, 0j)
    there = np.empty_like(q)
    joint_integrate(kind, q, 0, step, 0, there)
    R, p = joint_transform(kind, numbers, there, 0)
    for i in range(3):
        for j in range(3):
            pose[i, j] = R[3 * i + j]
        pose[i, 3] = p[i]
    joint_columns(kind, numbers, there, 0, identity_pose(0j), columns, 0, 0)


@numba.njit
def rates_of(kind, par, q, v, out):
    joint_rates(kind, parameters(par, 0, 0, 0.0), q, 0, v, identity_pose(0.0), out, 0, 0)


def derivative(joint, q, direction):
    """Pose and columns at q, and their exact derivatives along a tangent vector."""
    pose, columns = np.zeros((3, 4), complex), np.zeros((joint.nv, 6), complex)
    par = np.array([padded_parameters(joint)])
    stepped(kind_of(joint), par, q.astype(complex), 1j * STEP * np.asarray(direction), pose, columns)
    return pose.real, pose.imag / STEP, columns.real, columns.imag / STEP


def twist_in_child(pose, rate):
    """(angular, linear) velocity in the child's frame: X⁻¹ Ẋ."""
    spin, slide = pose[:, :3].T @ rate[:, :3], pose[:, :3].T @ rate[:, 3]
    assert np.abs(spin + spin.T).max() < 1e-14
    return np.array([spin[2, 1], spin[0, 2], spin[1, 0], *slide])


@numba.njit
def reached(kind, q, step, out):
    joint_integrate(kind, q, 0, step, 0, out)


@numba.njit
def rate_of(kind, q, v, out):
    joint_rate(kind, q, 0, v, 0, out)


@every_type
def test_the_rate_of_a_position_is_that_of_the_way_along_the_velocity(kind):
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind)
        v, found, expected = rng.standard_normal(joint.nv), np.empty(joint.nq), np.empty(joint.nq, complex)
        rate_of(kind_of(joint), q, v, found)
        reached(kind_of(joint), q.astype(complex), 1j * STEP * v, expected)
        assert np.abs(found - expected.imag / STEP).max(initial=0.0) < 1e-14


@every_moving_type
def test_columns_are_the_motion_of_the_child(kind):
    for seed in SEEDS:
        _, joint, q = drawn(seed, kind)
        columns = screws(joint, q)
        for d, direction in enumerate(np.eye(joint.nv)):
            pose, rate, *_ = derivative(joint, q, direction)
            assert np.abs(twist_in_child(pose, rate) - columns[d]).max() < 1e-14


@every_moving_type
def test_columns_agree_with_a_finite_difference_along_integrate(kind):
    """Central difference: h² + 1e-16 / h is below 1e-8 for h = 1e-5."""
    h = 1e-5
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind)
        mech, v = carrier(joint), rng.standard_normal(joint.nv)
        ahead, behind = (joint.pose(rg.integrate(mech, q, s * h * v)) for s in (1, -1))
        here = joint.pose(q)
        rate = np.column_stack([ahead.rotation - behind.rotation, ahead.translation - behind.translation]) / (2 * h)
        spin, slide = here.rotation.T @ rate[:, :3], here.rotation.T @ rate[:, 3]
        expected = [spin[2, 1], spin[0, 2], spin[1, 0], *slide]
        assert np.abs(v @ screws(joint, q) - expected).max() < 1e-8


@every_moving_type
def test_columns_are_independent(kind):
    for seed in SEEDS:
        _, joint, q = drawn(seed, kind)
        assert np.linalg.svd(screws(joint, q), compute_uv=False).min() > 1e-3


@every_moving_type
def test_rates_are_the_change_of_the_columns_seen_from_the_child(kind):
    """A type without rates has columns that stand still in the child's frame."""
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind)
        v, found = rng.standard_normal(joint.nv), np.zeros((joint.nv, 6))
        rates_of(kind_of(joint), np.array([padded_parameters(joint)]), q, v, found)
        *_, expected = derivative(joint, q, v)
        assert np.abs(found - expected).max() < 1e-14
        if kind.kernels.rates is not None:
            assert np.abs(found).max() > 1e-3


@every_moving_type
def test_rates_tell_how_each_column_changes_with_each_coordinate(kind):
    """They are linear in v, so those of a unit velocity are derivatives by one coordinate; those of dynamics use that."""
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind)
        number, par, total = kind_of(joint), np.array([padded_parameters(joint)]), np.zeros((joint.nv, 6))
        v, found, unit = rng.standard_normal(joint.nv), np.zeros((joint.nv, 6)), np.zeros((joint.nv, 6))
        for c, direction in enumerate(np.eye(joint.nv)):
            rates_of(number, par, q, direction, unit)
            *_, expected = derivative(joint, q, direction)
            assert np.abs(unit - expected).max() < 1e-14
            total += v[c] * unit
        rates_of(number, par, q, v, found)
        assert np.abs(found - total).max() < 1e-13


def in_axes(turn, at, screws):
    """Screws in the axes and about the origin of a frame."""
    moving = screws[:, 3:] + np.cross(screws[:, :3], at)
    return np.column_stack([screws[:, :3] @ turn, moving @ turn])


@every_moving_type
@pytest.mark.parametrize("ends", [("world", "body"), ("body", "world")], ids=["forwards", "backwards"])
def test_what_derivatives_know_of_columns_is_how_they_change_in_the_childs_frame(kind, ends):
    """TURNED against differences of `screws` and of their rates: h² + 1e-16 / h is below 1e-7 for h = 1e-5."""
    h = 1e-5
    for seed in SEEDS if kind.kernels.rates is not None else ():
        rng, joint, q = drawn(seed, kind)
        mech, v, a = carrier(joint, ends=ends), rng.standard_normal(joint.nv), rng.standard_normal(joint.nv)
        structure = mech.structure
        rg.inverse_dynamics_derivatives(mech, mech.state(q=q, v=v), a)
        table = structure.slopes.table(TURNED_AT, joint.nv, TURNED)
        number, par = kind_of(joint), np.array([padded_parameters(joint)])
        if ends[0] == "world":  # the child is the root, its origin that of all screws
            sign, turn, at = 1.0, joint.pose(q).rotation, np.zeros(3)
        else:  # the world is the child, and the root is elsewhere
            sign, turn, at = -1.0, np.eye(3), -joint.pose(q).inverse().translation
        for e, direction in enumerate(np.eye(joint.nv)):
            q_ahead, q_behind = (rg.integrate(mech, q, s * h * direction) for s in (1, -1))
            slope = (screws(joint, q_ahead) - screws(joint, q_behind)) / (2 * h)
            ahead, behind = np.zeros((joint.nv, 6)), np.zeros((joint.nv, 6))
            rates_of(number, par, q_ahead, v, ahead)
            rates_of(number, par, q_behind, v, behind)
            bend = a @ slope + v @ (ahead - behind) / (2 * h)
            changes = table[e, CHANGES : CHANGES + 6 * joint.nv].reshape(joint.nv, 6)
            kappa, bent = table[e, KAPPA : KAPPA + 6], table[e, BEND : BEND + 6]
            for found, expected in ((changes, slope), (kappa[None], [v @ slope]), (bent[None], [bend])):
                assert np.abs(sign * in_axes(turn, at, found) - expected).max() < 1e-7


@every_moving_type
def test_the_twist_tells_the_velocity(kind):
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind)
        v = rng.standard_normal(joint.nv)
        assert joint.velocity(q, v @ screws(joint, q)) == pytest.approx(v, abs=1e-12)


@every_moving_type
def test_the_velocity_of_a_twist_that_the_joint_cannot_have_is_the_nearest(kind):
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind)
        twist = rng.standard_normal(6)
        left = twist - joint.velocity(q, twist) @ screws(joint, q)
        assert np.abs(screws(joint, q) @ left).max() < 1e-12


def test_a_weld_has_no_velocity():
    assert rg.Fixed().velocity([], np.arange(6.0)).shape == (0,)


# --- moving on the manifold ------------------------------------------------------------------------------------------


@every_type
def test_no_step_leads_nowhere(kind):
    for seed in SEEDS:
        _, joint, q = drawn(seed, kind)
        mech = carrier(joint)
        assert np.abs(rg.integrate(mech, q, np.zeros(joint.nv)) - q).max(initial=0.0) < 1e-15
        assert np.abs(rg.difference(mech, q, q)).max(initial=0.0) < 1e-15


@every_moving_type
def test_difference_undoes_integrate(kind):
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind)
        step = rng.uniform(-1.2, 1.2, joint.nv)
        mech = carrier(joint)
        assert rg.difference(mech, rg.integrate(mech, q, step), q) == pytest.approx(step, abs=1e-13)


@every_moving_type
def test_difference_takes_its_two_positions_by_name_too(kind):
    rng, joint, q = drawn(0, kind)
    mech, other = carrier(joint), random_position(rng, joint)
    expected = rg.difference(mech, other, q)
    assert np.abs(expected).max() > 1e-3
    for found in (
        rg.difference(mech, start=q, end=other),
        rg.difference(mech, other, start=q),
        rg.difference(mech, q1=other, q0=q),
    ):
        assert np.array_equal(found, expected)
    for missing in (lambda: rg.difference(mech, other), lambda: rg.difference(mech, end=other)):
        with pytest.raises(rg.ModelError, match="start is missing"):
            missing()
    with pytest.raises(rg.ModelError, match="end is given twice"):
        rg.difference(mech, other, q, end=other)


@every_moving_type
def test_integrate_undoes_difference(kind):
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind)
        other = random_position(rng, joint)
        mech = carrier(joint)
        reached = rg.integrate(mech, q, rg.difference(mech, other, q))
        assert pose_error(joint.pose(reached), joint.pose(other)) < 1e-13


@every_moving_type
def test_two_half_steps_are_one_step(kind):
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind)
        mech, step = carrier(joint), rng.uniform(-2.0, 2.0, joint.nv)
        twice = rg.integrate(mech, rg.integrate(mech, q, step / 2), step / 2)
        assert np.abs(twice - rg.integrate(mech, q, step)).max() < 1e-14


@every_type
def test_normalise_leaves_a_valid_position_alone_and_brings_another_back(kind):
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind)
        mech = carrier(joint)
        assert np.abs(rg.normalise(mech, q) - q).max(initial=0.0) < 1e-15
        off = q + 1e-3 * rng.standard_normal(joint.nq)
        back = rg.normalise(mech, off)
        assert np.abs(back - off).max(initial=0.0) < 1e-2
        assert np.abs(back - joint.normalised(off)).max(initial=0.0) < 1e-15
        mech.state(q=back)  # is accepted as a position
        if kind.kernels.normalise is not None:
            with pytest.raises(rg.ModelError, match="'joint'"):
                mech.state(q=off)


# --- the other way round ---------------------------------------------------------------------------------------------


@every_type
def test_the_reversed_joint_takes_the_inverse_pose(kind):
    for seed in SEEDS:
        _, joint, q = drawn(seed, kind)
        other, back = joint.reversed(), joint.reverse(q)
        assert type(other) is kind
        assert pose_error(other.pose(back), joint.pose(q).inverse()) < 1e-14
        assert pose_error(other.reversed().pose(other.reverse(back)), joint.pose(q)) < 1e-14


def reversible(rng, kind):
    """Settings that a joint of this type still has when it is reversed."""
    if kind is rg.Spherical:
        return {"damping": 0.5, "armature": 0.3, "stiffness": 3.0, "rest": random_settings(rng, kind, own=True)["rest"]}
    if kind is rg.Free:
        about = [0.0, 0.0, 0.0, 0.5, 0.5, 0.5]
        return {"damping": about, "armature": about, "stiffness": rng.uniform(1, 5, 6)}
    if kind is rg.Planar:
        about = [0.0, 0.0, 0.5]
        return {"damping": about, "armature": about, "friction": about, "stiffness": [2.0, 2.0, 1.0], "rest": [0.0, 0.0, 0.4]}
    settings = {what: rng.uniform(1, 5, kind.nv) for what in ("damping", "armature", "friction", "stiffness", "effort", "speed")}
    return {**settings, "rest": rng.uniform(-0.3, 0.3, kind.nq)}


@every_moving_type
def test_a_joints_settings_do_the_same_when_it_is_reversed(kind):
    """The same energy and the same power at the same motion."""
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind, **reversible(np.random.default_rng(seed), kind))
        v, inertia = rng.standard_normal(kind.nv), random_inertia(rng)
        found = []
        for own, place, rate in ((joint, q, v), (joint.reversed(), joint.reverse(q), joint.reverse_velocity(q, v))):
            mech = carrier(own, inertia=inertia)
            bare = mech.replace(settings={"joint": dict.fromkeys(("damping", "armature", "stiffness", "friction"), 0.0)})
            state = mech.state(place, rate)
            torque = rg.bias_force(mech, state) - rg.bias_force(bare, state)
            less, more = rg.energy(bare, state), rg.energy(mech, state)
            found.append((torque @ rate, more.kinetic - less.kinetic, more.potential - less.potential))
        assert found[0] == pytest.approx(found[1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("what", ["damping", "armature", "stiffness", "friction", "effort", "speed"])
@pytest.mark.parametrize("kind", [rg.Spherical, rg.Free, rg.Planar], ids=lambda kind: kind.__name__)
def test_settings_that_a_reversed_joint_cannot_have_are_refused(kind, what):
    rng = np.random.default_rng(1)
    rest = random_settings(rng, kind, own=True)["rest"]
    joint = random_joint(rng, kind, **{what: np.arange(1.0, kind.nv + 1)}, rest=rest)
    with pytest.raises(rg.StructureError, match=rf"{kind.__name__} joint with this '{what}' cannot be reversed"):
        joint.reversed()
    joint.reverse_velocity(joint.neutral(), np.ones(kind.nv))  # which does not ask for its settings


def test_a_setting_that_there_is_not_is_refused():
    with pytest.raises(rg.ModelError, match="Revolute: there is no setting 'stifness'"):
        rg.Revolute((0, 1, 0)).with_settings(stifness=1.0)


@every_type
def test_reversing_twice_gives_the_joint_back(kind):
    for settings in ({}, {"actuated": False}, reversible(np.random.default_rng(2), kind)):
        _, joint, _ = drawn(1, kind, **settings)
        assert joint.reversed().reversed() == joint
        assert joint.reversed().actuated == joint.actuated


@pytest.mark.parametrize(
    "kind",
    [kind for kind in JOINT_TYPES if kind.limited == kind.nv > 0 and kind is not rg.Planar],
    ids=lambda kind: kind.__name__,
)
def test_limits_turn_round_with_the_joint(kind):
    """The numbers change their signs, so a lower bound becomes an upper one. (A plane's bounds are a box on the parent.)"""
    low, high = np.linspace(-0.5, -0.2, kind.nv), np.linspace(0.3, 1.1, kind.nv)
    _, joint, _ = drawn(1, kind, limits=rg.Limits(low, high, 123.0, 0.4))
    inside, outside = 0.5 * (low + high), high + 0.1
    other = joint.reversed()
    assert (other.limits.stiffness, other.limits.dissipation) == (123.0, 0.4)
    for q, is_inside in ((inside, True), (outside, False), (low - 0.1, False)):
        back = joint.reverse(q)
        within = bool(((other.limits.lower < back) & (back < other.limits.upper)).all())
        assert within == is_inside


@every_type
def test_a_joint_declared_from_the_body_to_the_world_moves_the_body_alike(kind):
    """World as the child: the same body pose, twist and acceleration as with the world as the parent and reversed numbers."""
    for seed in SEEDS:
        rng, joint, q = drawn(seed, kind)
        inertia, poses, v = random_inertia(rng), (random_pose(rng), random_pose(rng)), rng.standard_normal(joint.nv)
        upward = carrier(joint, ends=("body", "world"), poses=poses, inertia=inertia)
        downward = carrier(joint.reversed(), ends=("world", "body"), poses=poses[::-1], inertia=inertia)
        state = upward.state(q=q, v=v)
        place = joint.pose(q)
        twist = v @ screws(joint, q)
        seen = -np.concatenate([
            place.rotation @ twist[:3],
            place.rotation @ twist[3:] + np.cross(place.translation, place.rotation @ twist[:3]),
        ])  # fmt: skip
        back = joint.reverse(q)
        other = downward.state(q=back, v=joint.reversed().velocity(back, seen))
        assert pose_error(rg.body_poses(upward, state)["body"], rg.body_poses(downward, other)["body"]) < 1e-13
        assert rg.body_twists(upward, state)["body"] == pytest.approx(rg.body_twists(downward, other)["body"], abs=1e-12)
        accelerations = []
        for mech, here in ((upward, state), (downward, other)):
            v_rate = rg.forward_dynamics(mech, here)
            accelerations.append(rg.jacobian(mech, here, "body") @ v_rate + rg.jacobian_rate(mech, here, "body") @ here.v)
        size = 1.0 + np.abs(accelerations[0]).max()
        assert np.abs(accelerations[0] - accelerations[1]).max() < 1e-11 * size


# --- settings --------------------------------------------------------------------------------------------------------


@every_moving_type
def test_damping_is_a_number_for_all_or_one_for_each_velocity(kind):
    rng = np.random.default_rng(0)
    assert random_joint(rng, kind, damping=0.25).damping.tolist() == [0.25] * kind.nv
    each = np.arange(1.0, kind.nv + 1)
    assert random_joint(rng, kind, damping=each).damping.tolist() == each.tolist()
    assert not random_joint(rng, kind).damping.any()


@every_moving_type
def test_a_joint_does_not_share_the_numbers_it_was_made_from(kind):
    given = np.full(kind.nv, 0.5)
    joint = random_joint(np.random.default_rng(0), kind, damping=given)
    given[:] = 7.0
    assert joint.damping.tolist() == [0.5] * kind.nv


@every_type
def test_joints_are_actuated_unless_told_otherwise(kind):
    rng = np.random.default_rng(0)
    assert random_joint(rng, kind).actuated is True
    assert random_joint(rng, kind, actuated=False).actuated is False


@pytest.mark.parametrize("kind", [kind for kind in JOINT_TYPES if kind.limited], ids=lambda kind: kind.__name__)
def test_limits_are_a_pair_or_limits(kind):
    rng = np.random.default_rng(0)
    low, high = np.full(kind.limited, -1.0), np.full(kind.limited, 2.0)
    for given in ((low, high), rg.Limits(low, high), (low.tolist(), high.tolist())):
        limits = random_joint(rng, kind, limits=given).limits
        assert (limits.lower, limits.upper) == ((-1.0,) * kind.limited, (2.0,) * kind.limited)
    assert random_joint(rng, kind).limits is None
    if kind.limited == 1:
        assert random_joint(rng, kind, limits=(-math.inf, 2.0)).limits.lower == (-math.inf,)


@every_type
def test_equal_joints_are_equal_and_hash_alike(kind):
    one, same = (random_joint(np.random.default_rng(5), kind) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != "a joint"
    if kind.nv:
        damped = random_joint(np.random.default_rng(5), kind, damping=1.0)
        assert one != damped
        assert damped == random_joint(np.random.default_rng(5), kind, damping=1.0)
    assert one != random_joint(np.random.default_rng(5), kind, actuated=False)
    if kind.limited:
        bounds = (np.zeros(kind.limited), np.ones(kind.limited))
        limited = random_joint(np.random.default_rng(5), kind, limits=bounds)
        assert one != limited
        assert limited == random_joint(np.random.default_rng(5), kind, limits=bounds)
    if one.arguments():
        assert one != random_joint(np.random.default_rng(6), kind)
    assert all(one != random_joint(np.random.default_rng(5), other) for other in JOINT_TYPES if other is not kind)


@every_type
def test_a_joint_shows_its_type_and_what_was_set(kind):
    settings = {"actuated": False}
    if kind.nv:
        settings["damping"] = 0.75
    if kind.limited:
        settings["limits"] = (np.full(kind.limited, -0.125), np.full(kind.limited, 0.375))
    text = repr(random_joint(np.random.default_rng(5), kind, **settings))
    assert text.startswith(f"{kind.__name__}(")
    assert "actuated=False" in text
    assert ("damping" in text and "0.75" in text) == bool(kind.nv)
    assert ("-0.125" in text and "0.375" in text) == bool(kind.limited)
    plain = repr(random_joint(np.random.default_rng(5), kind))
    assert "damping" not in plain
    assert "actuated" not in plain
    assert "limits" not in plain


def test_an_axis_keeps_its_direction_and_gets_unit_length():
    for kind in (rg.Revolute, rg.Prismatic, rg.Cylindrical):
        assert kind((0, 3, -4)).axis == pytest.approx((0, 0.6, -0.8))


def test_a_unit_axis_is_kept_to_the_last_digit():
    rng = np.random.default_rng(2)
    for axis in rng.standard_normal((2000, 3)):
        once = rg.Revolute(axis).axis
        assert rg.Revolute(once).axis == once


def test_a_plane_has_right_handed_axes():
    for normal in np.random.default_rng(4).standard_normal((20, 3)):
        joint = rg.Planar(normal)
        x, y = joint.pose([1.0, 0.0, 0.0]).translation, joint.pose([0.0, 1.0, 0.0]).translation
        assert np.abs(np.cross(x, y) - joint.normal).max() < 1e-15
        turned = joint.pose([0.0, 0.0, 0.5]).rotation
        assert turned @ x == pytest.approx(math.cos(0.5) * x + math.sin(0.5) * y)
