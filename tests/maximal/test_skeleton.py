"""S3's skeletons: the paper's example and theorem, the reduced dynamics as oracle, the order of its step, bad input."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm

import regraft as rg
from loops.closed_mechanisms import body_accelerations
from maximal.skeletons import driven, on_random_skeletons, random_skeleton, state_error
from random_mechanisms import relative_error
from regraft.maximal import (
    Skeleton,
    SkeletonState,
    accelerations,
    energy,
    equations,
    gaps,
    joint_forces,
    momentum,
    skeleton_of,
    step,
)
from regraft.maximal.rotations import skew

INERTIA = np.diag([0.2, 0.3, 0.4])


def three_bodies(last=(0.0, 1.0, 0.0), **changes):
    """The paper's example: three bodies in a row, a hinge, and a hinge or, without an axis, a spherical joint."""
    ends, first = ((0.5, 0.0, 0.0), (-0.5, 0.0, 0.0)), (0.0, 0.0, 1.0)
    described = {
        "E": [(0, 1), (1, 2)],
        "masses": [1.0, 2.0, 3.0],
        "inertias": [INERTIA, 2 * INERTIA, 3 * INERTIA],
        "l": [ends, ends],
        "z": [(first, first), (last, last)],
    }
    return Skeleton(**(described | changes))


def in_a_row():
    """The state of the paper's example with its bodies in line and at rest."""
    return SkeletonState([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [np.eye(3)] * 3, np.zeros((3, 3)), np.zeros((3, 3)))


# --- the paper ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("last", "rank"), [((0.0, 1.0, 0.0), 10), ((0.0, 0.0, 0.0), 8)], ids=["hinge", "spherical"])
def test_the_example_of_three_bodies(last, rank):
    skeleton = three_bodies(last)
    assert (skeleton.E + 1).tolist() == [[1, 2], [2, 3]]  # as printed, where bodies count from 1
    assert skeleton.sigma.tolist() == [[1, -1, 0], [0, 1, -1]]
    assert skeleton.location(1, 0).tolist() == [0, 0, 0]
    assert skeleton.location(1, 1).tolist() == [0.5, 0, 0]
    assert skeleton.location(1, 2).tolist() == [-0.5, 0, 0]
    assert skeleton.axis(1, 0).tolist() == [0, 0, 0]
    assert skeleton.axis(1, 1).tolist() == skeleton.axis(1, 2).tolist() == list(last)
    x = np.array([0.3, -0.7, 1.1])
    assert np.array_equal(skeleton.L(0, 1) @ x, np.cross((-0.5, 0, 0), x))
    assert np.array_equal(skeleton.Z(0, 1) @ x, np.cross((0, 0, 1), x))
    A, _ = equations(skeleton, in_a_row())
    assert skeleton.rank == rank == np.linalg.matrix_rank(A, rtol=1e-12)
    assert np.abs(np.concatenate(gaps(skeleton, in_a_row()))).max() == 0.0


@on_random_skeletons
def test_the_rank_of_the_equations_is_five_for_each_hinge_and_three_for_each_spherical_joint(seed, bodies):
    mech, state = random_skeleton(np.random.default_rng(seed), bodies)
    skeleton, at = skeleton_of(mech, state)
    hinges = sum(isinstance(joint.type, rg.Revolute) for joint in mech.joints.values())
    A, _ = equations(skeleton, at)
    assert np.linalg.matrix_rank(A, rtol=1e-12) == 5 * hinges + 3 * (bodies - 1 - hinges)
    assert np.abs(A - A.T).max() < 1e-13 * np.abs(A).max()


@on_random_skeletons
def test_the_theorem(seed, bodies):
    """Forces of the joints change neither momentum; the power of all forces is that of friction and motors."""
    rng = np.random.default_rng(seed)
    skeleton, at, _ = driven(rng, *random_skeleton(rng, bodies))
    forces = joint_forces(skeleton, at)
    a, w_dot = accelerations(skeleton, at, forces)
    pushes = skeleton.masses[:, None] * a
    size = max(1.0, np.abs(pushes).max(), *(np.abs(f).max() for f in forces))
    assert np.abs(pushes.sum(axis=0)).max() < 1e-10 * size
    turning = np.zeros(3)
    power = 0.0
    for i, (R, w, I) in enumerate(zip(at.R, at.w, skeleton.inertias, strict=True)):
        turning += np.cross(at.p[i], pushes[i]) + R @ np.cross(w, I @ w) + R @ I @ w_dot[i]
        power += at.v[i] @ pushes[i] + w @ I @ w_dot[i]
    assert np.abs(turning).max() < 1e-10 * size
    world_w = np.einsum("iab,ib->ia", at.R, at.w)
    assert abs(power - (forces.e * (skeleton.sigma @ world_w)).sum()) < 1e-10 * size
    passive = replace(skeleton, mu=None, beta=None)
    a, w_dot = accelerations(passive, at)
    power = (passive.masses[:, None] * at.v * a).sum() + np.einsum("ia,iab,ib->", at.w, passive.inertias, w_dot)
    assert abs(power) < 1e-10 * max(1.0, np.abs(joint_forces(passive, at).c).max())


@on_random_skeletons
def test_what_holds_an_axis_is_orthogonal_to_it(seed, bodies):
    rng = np.random.default_rng(seed)
    skeleton, at, _ = driven(rng, *random_skeleton(rng, bodies))
    d = joint_forces(skeleton, at).d
    size = max(1.0, np.abs(d).max())
    for j, (first, _) in enumerate(skeleton.E):
        if skeleton.hinges[j]:
            assert abs(d[j] @ at.R[first] @ skeleton.axis(j, first)) < 1e-10 * size
        else:
            assert np.abs(d[j]).max() < 1e-10 * size


def test_a_step_goes_with_the_new_velocities():
    rng = np.random.default_rng(3)
    skeleton, at, _ = driven(rng, *random_skeleton(rng, 4))
    a, w_dot = accelerations(skeleton, at)
    h = 0.01
    after = step(skeleton, at, h)
    assert np.array_equal(after.v, at.v + a * h)
    assert np.array_equal(after.p, at.p + after.v * h)
    assert np.array_equal(after.w, at.w + w_dot * h)
    for i in range(4):
        assert np.abs(after.R[i] - at.R[i] @ expm(skew(after.w[i] * h))).max() < 1e-15


def test_steps_keep_linear_momentum_and_rotations():
    rng = np.random.default_rng(4)
    skeleton, at, _ = driven(rng, *random_skeleton(rng, 4))
    before = momentum(skeleton, at).linear
    for _ in range(100):
        at = step(skeleton, at, 1e-3)
    assert np.abs(momentum(skeleton, at).linear - before).max() < 1e-12
    assert np.abs(at.R.transpose(0, 2, 1) @ at.R - np.eye(3)).max() < 1e-13


# --- against the reduced coordinates -----------------------------------------------------------------------------------


@on_random_skeletons
def test_a_skeleton_is_where_its_mechanism_is(seed, bodies):
    mech, state = random_skeleton(np.random.default_rng(seed), bodies)
    skeleton, at = skeleton_of(mech, state)
    assert max(np.abs(gap).max() for gap in gaps(skeleton, at)) < 1e-13 * max(1.0, np.abs(at.v).max())
    found, expected = momentum(skeleton, at), rg.momentum(mech, state)
    assert relative_error(found.linear, expected.linear) < 1e-12
    assert relative_error(found.angular, expected.angular) < 1e-12
    assert relative_error(energy(skeleton, at).total, rg.energy(mech, state).total) < 1e-12


@on_random_skeletons
def test_accelerations_are_those_of_reduced_coordinates(seed, bodies):
    rng = np.random.default_rng(seed)
    mech, state = random_skeleton(rng, bodies)
    skeleton, at, tau = driven(rng, mech, state)
    expected, expected_turning = [], []
    rates = body_accelerations(mech, state, rg.forward_dynamics(mech, state, tau))
    for body, R, w, rate in zip(mech.bodies.values(), at.R, at.w, rates, strict=True):
        arm, spin = R @ body.inertia.com, R @ w
        expected.append(rate[3:] + np.cross(rate[:3], arm) + np.cross(spin, np.cross(spin, arm)))
        expected_turning.append(R.T @ rate[:3])
    a, w_dot = accelerations(skeleton, at)
    assert relative_error(a, expected) < 1e-9
    assert relative_error(w_dot, expected_turning) < 1e-9


@on_random_skeletons
def test_forces_are_the_reactions_of_reduced_coordinates(seed, bodies):
    """c is the force of the parent on the child; z × d and e are its moment about the joint."""
    rng = np.random.default_rng(seed)
    mech, state = random_skeleton(rng, bodies)
    skeleton, at, tau = driven(rng, mech, state)
    c, d, e = joint_forces(skeleton, at)
    reactions = rg.joint_reactions(mech, state, tau)
    axes = np.array([at.R[first] @ skeleton.axis(j, first) for j, (first, _) in enumerate(skeleton.E)])
    found = np.hstack([np.cross(axes, d) + e, c])
    assert relative_error(found, [reactions[name] for name in skeleton.joints]) < 1e-9


def test_the_step_is_of_first_order():
    rng = np.random.default_rng(5)
    mech, state = random_skeleton(rng, 4)
    skeleton, start, tau = driven(rng, mech, state)
    duration = 0.25
    motion = rg.simulate(mech, state, duration, torque=lambda _t, _mech, _state: tau, rtol=1e-12, atol=1e-12)
    _, exact = skeleton_of(mech, motion.final[1])
    errors = []
    for steps in (125, 250, 500):
        at = start
        for _ in range(steps):
            at = step(skeleton, at, duration / steps)
        errors.append(state_error(at, exact))
    ratios = [errors[0] / errors[1], errors[1] / errors[2]]
    assert np.abs(np.array(ratios) - 2.0).max() < 0.02, (errors, ratios)


def test_joints_that_have_drifted_apart_change_the_accelerations_as_little_as_they_have_drifted():
    """The singular values that should vanish are then of the order of the square of the drift."""
    skeleton, at = skeleton_of(*random_skeleton(np.random.default_rng(6), 4, damping=False))
    assert skeleton.hinges.any()
    exact = np.hstack(accelerations(skeleton, at))
    changes = []
    for drift in (1e-4, 1e-5):
        turn = np.random.default_rng(7).uniform(-drift, drift, (4, 3))
        R = np.array([R @ expm(skew(t)) for R, t in zip(at.R, turn, strict=True)])
        changes.append(np.abs(np.hstack(accelerations(skeleton, SkeletonState(at.p, R, at.v, at.w))) - exact).max())
    assert changes[0] / changes[1] == pytest.approx(10.0, rel=0.1)


def test_one_body_alone():
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("brick", rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    mech.add_joint("free", rg.Free(), "world", "brick")
    skeleton, at = skeleton_of(mech, mech.state(v={"free": [1, 2, 3, 4, 5, 6]}))
    (w,), (I,) = at.w, skeleton.inertias
    a, w_dot = accelerations(skeleton, at)
    assert np.array_equal(a, np.zeros((1, 3)))
    assert np.allclose(w_dot, np.linalg.solve(I, -np.cross(w, I @ w)), rtol=1e-13)
    assert np.allclose(step(skeleton, at, 0.1).p, at.p + 0.1 * at.v, rtol=1e-15)


# --- bad input ---------------------------------------------------------------------------------------------------------

NOT_SYMMETRIC = INERTIA + np.array([[0, 0.1, 0], [0, 0, 0], [0, 0, 0]])
AXIS, NONE = (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"E": [(0, 1, 2)]}, r"E must have shape \(1, 2\)"),
        ({"E": 3}, "E must have shape"),
        ({"E": [(0, 1.5), (1, 2)]}, "E must be the numbers of bodies"),
        ({"E": [(0, 1), (1, 3)]}, r"joint 'joint 1': E has \[1, 3\]; the 3 bodies are numbered 0 to 2"),
        ({"E": [(0, 1), (1, 0)]}, "no tree: joint 'joint 1', between 'body 1' and 'body 0', closes a loop"),
        ({"E": [(0, 0), (1, 2)]}, "no tree: joint 'joint 0'"),
        ({"masses": [1.0, 2.0]}, r"masses must have shape \(3,\)"),
        ({"masses": [1.0, np.nan, 1.0]}, "masses has a value that is not finite"),
        ({"masses": [1.0, -2.0, 3.0]}, "body 'body 1': .*mass must be finite and not negative"),
        ({"masses": [1.0, 0.0, 3.0]}, "body 'body 1' has no mass"),
        ({"inertias": INERTIA}, r"inertias must have shape \(3, 3, 3\)"),
        ({"inertias": [INERTIA, NOT_SYMMETRIC, INERTIA]}, "body 'body 1': .*not symmetric"),
        ({"inertias": [INERTIA, -INERTIA, INERTIA]}, "body 'body 1': .*negative principal moment"),
        ({"inertias": [INERTIA, INERTIA, np.zeros((3, 3))]}, "body 'body 2' is a point mass or a thin rod"),
        ({"inertias": [INERTIA, INERTIA, np.diag([1.0, 1.0, 1e-12])]}, "body 'body 2' is a point mass or a thin rod"),
        ({"l": np.zeros((2, 3))}, r"l must have shape \(2, 2, 3\)"),
        ({"z": np.full((2, 2, 3), np.inf)}, "z has a value that is not finite"),
        ({"z": [(AXIS, AXIS), (AXIS, NONE)]}, "joint 'joint 1': its axes z have the lengths 1 and 0"),
        ({"z": [(AXIS, AXIS), ((0, 0, 2), (0, 0, 2))]}, "joint 'joint 1': its axes z have the lengths 2 and 2"),
        ({"mu": [1.0]}, r"mu must have shape \(2,\)"),
        ({"mu": [0.0, -1.0]}, "joint 'joint 1': the friction mu must not be negative"),
        ({"beta": [0.0, "full"]}, "beta must be real numbers"),
        ({"beta": [0.0, 1.0], "z": [(AXIS, AXIS), (NONE, NONE)]}, "joint 'joint 1' is spherical: beta must be 0"),
        ({"bodies": ["a", "b"]}, "bodies must be 3 different names"),
        ({"joints": ["a", "a"]}, "joints must be 2 different names"),
        ({"joints": "ab"}, "joints must be 2 different names"),
    ],
)
def test_a_skeleton_described_wrongly(changes, message):
    with pytest.raises(rg.ModelError, match=message):
        three_bodies(**changes)


def test_errors_use_the_names_of_the_parts():
    with pytest.raises(rg.ModelError, match="body 'hand' is a point mass"):
        three_bodies(bodies=["trunk", "arm", "hand"], inertias=[INERTIA, INERTIA, np.zeros((3, 3))])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"p": 1.0}, "p must have shape"),
        ({"v": np.zeros((2, 3))}, r"v must have shape \(3, 3\)"),
        ({"w": np.full((3, 3), np.nan)}, "w has a value that is not finite"),
        ({"R": [np.eye(3), 2 * np.eye(3), np.eye(3)]}, "R of body number 1 is no rotation"),
        ({"R": [np.eye(3), np.eye(3), -np.eye(3)]}, "R of body number 2 is no rotation"),
    ],
)
def test_a_state_described_wrongly(changes, message):
    with pytest.raises(rg.ModelError, match=message):
        replace(in_a_row(), **changes)


def test_a_state_of_another_skeleton():
    state = SkeletonState(np.zeros((1, 3)), [np.eye(3)], np.zeros((1, 3)), np.zeros((1, 3)))
    for ask in (equations, joint_forces, accelerations, gaps, momentum, energy):
        with pytest.raises(rg.ModelError, match="state is one of 1 bodies, but the skeleton has 3"):
            ask(three_bodies(), state)


@pytest.mark.parametrize("h", [0.0, -0.1, np.nan, "long"])
def test_a_step_of_no_length(h):
    with pytest.raises(rg.ModelError, match="step: h"):
        step(three_bodies(), in_a_row(), h)


def test_bodies_that_differ_by_too_much():
    skeleton = three_bodies(masses=[1e-9, 1e9, 1.0], inertias=[1e-9 * INERTIA, 1e9 * INERTIA, 1e9 * INERTIA])
    with pytest.raises(rg.ModelError, match="singular values go from"):
        joint_forces(skeleton, in_a_row())


def two_links(kind, gravity=(0, 0, 0), base=None):
    mech = rg.Mechanism(gravity=gravity)
    mech.add_body("upper", rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    mech.add_body("lower", rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    mech.add_joint("base", rg.Free() if base is None else base, "world", "upper")
    mech.add_joint("elbow", kind, "upper", "lower", rg.Pose(translation=(0, 0, -0.2)))
    return mech


def with_spring():
    mech = two_links(rg.Spherical())
    mech.add_spring("tendon", "upper", (1, 0, 0), "lower", (1, 0, 0), stiffness=1.0)
    return mech


def with_loop():
    mech = two_links(rg.Spherical())
    mech.add_joint("clasp", rg.Spherical(), "upper", "lower", rg.Pose(translation=(0, 0, -0.2)))
    return mech


def with_two_trees():
    mech = two_links(rg.Spherical())
    mech.add_body("stone", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("thrown", rg.Free(), "world", "stone")
    return mech


def with_rod():
    mech = two_links(rg.Spherical())
    mech.add_body("stick", rg.Inertia.rod(1.0, (0, 0, 0), (1, 0, 0)))
    mech.add_joint("grip", rg.Spherical(), "lower", "stick")
    return mech


MAXIMAL = r'.*simulate\(\.\.\., coordinates="maximal"\)'
HINGE = (0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("mech", "message"),
    [
        (two_links(rg.Spherical(), gravity=(0, 0, -9.81)), "no gravity" + MAXIMAL),
        (two_links(rg.Revolute(HINGE, limits=(-1, 1))), "joint 'elbow': S3 has no limits" + MAXIMAL),
        (two_links(rg.Universal((1, 0, 0), HINGE)), "joint 'elbow': .*no Universal" + MAXIMAL),
        (two_links(rg.Fixed()), "joint 'elbow': .*no Fixed" + MAXIMAL),
        (two_links(rg.Free()), "joint 'elbow': .*no Free" + MAXIMAL),
        (two_links(rg.Spherical(damping=(1, 1, 2))), "joint 'elbow': .*friction" + MAXIMAL),
        (two_links(rg.Spherical(), base=rg.Revolute(HINGE)), "joint 'base': .*float.*Revolute" + MAXIMAL),
        (two_links(rg.Spherical(), base=rg.Free(damping=0.1)), "joint 'base': .*damping" + MAXIMAL),
        (with_spring(), "no springs; leave out 'tendon'" + MAXIMAL),
        (with_loop(), "closes a loop: 'clasp'" + MAXIMAL),
        (with_two_trees(), "'base', 'thrown'" + MAXIMAL),
        (with_rod(), "body 'stick' is a point mass or a thin rod"),
        (rg.Mechanism(gravity=(0, 0, 0)), "at least one body"),
    ],
)
def test_a_mechanism_that_is_no_skeleton(mech, message):
    with pytest.raises(rg.ModelError, match=message):
        skeleton_of(mech, mech.state())
