"""Joints that follow curves of one coordinate: against other joint types, differences, Lagrange's equations."""

import json
import math
import pickle
from itertools import pairwise

import numpy as np
import pytest

import regraft as rg
from random_mechanisms import random_guided, random_inertia, random_pose, relative_error
from regraft.joints import screw_rates, screws

SEEDS = range(12)
Z = (0, 0, 1)


def bead(joint, *, ends=("world", "body"), poses=(), inertia=None):
    mech = rg.Mechanism(gravity=(1.0, -2.0, -9.0))
    mech.add_body("body", inertia or rg.Inertia(2.0, com=(0.1, -0.2, 0.3), tensor=np.diag([0.3, 0.4, 0.5])))
    mech.add_joint("guide", joint, *ends, *poses)
    return mech


# --- bad guides ------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (rg.Guided, "never moves.*Fixed"),
        (lambda: rg.Guided([(Z, rg.Curve.constant(1.0))]), "never moves"),
        (lambda: rg.Guided([((0, 0, 0), rg.Curve.linear())]), "axis of rotations is zero"),
        (lambda: rg.Guided([], [((0, 0, math.nan), rg.Curve.linear())]), "axis of translations.*not finite"),
        (lambda: rg.Guided([(Z, rg.Curve.linear())] * 4), "at most 3 rotations"),
        (lambda: rg.Guided([], [(Z, rg.Curve.linear())] * 4), "at most 3 translations"),
        (lambda: rg.Guided([(Z, math.sin)]), "need a Curve"),
        (lambda: rg.Guided([Z]), r"pairs \(axis, curve\)"),
    ],
)
def test_bad_guides_are_refused(make, words):
    with pytest.raises(rg.ModelError, match=words):
        make()


def test_axes_may_be_parallel():
    twice = rg.Guided([(Z, rg.Curve.linear()), (Z, rg.Curve.polynomial([0, 0, 0.3]))])
    assert np.abs(twice.pose([0.7]).rotation - rg.Pose.about(Z, 0.7 + 0.3 * 0.49).rotation).max() < 1e-15


def test_a_guide_that_stands_still_is_told_where_that_matters():
    joint = rg.Guided([(Z, rg.Curve.polynomial([0, 0, 1.0]))])
    mech = bead(joint)
    assert np.isfinite(rg.forward_dynamics(mech, mech.state(q=[0.5]))).all()
    with pytest.raises(rg.ModelError, match=r"joint 'guide' stands still at its position \[0.0\].*slope"):
        rg.forward_dynamics(mech, mech.state())


# --- other joint types as guides ------------------------------------------------------------


def alike(axis, other):
    """Pairs of a guide and the joint type that it is."""
    line, bent = rg.Curve.linear(), rg.Curve.spline([-2.0, 0.0, 1.0, 3.0], [-2.0, 0.0, 1.0, 3.0])
    yield rg.Guided([(axis, line)]), rg.Revolute(axis)
    yield rg.Guided([(axis, bent)]), rg.Revolute(axis)
    yield rg.Guided([], [(axis, line)]), rg.Prismatic(axis)
    yield rg.Guided([(axis, line)], [(axis, 0.2 * line)]), rg.Helical(axis, 0.2)
    yield rg.Guided([(axis, line)], inverse=True), rg.Revolute(-np.array(axis))
    yield rg.Guided([(axis, line)], [(axis, 0.2 * line)], inverse=True), rg.Helical(-np.array(axis), 0.2)
    yield rg.Guided([], [(axis, 0.3 * line), (axis, 0.7 * line), (other, rg.Curve.constant(0.0))]), rg.Prismatic(axis)


@pytest.mark.parametrize("ends", [("world", "body"), ("body", "world")], ids=["down", "up"])
def test_guides_with_straight_lines_are_the_joints_of_their_kind(ends):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        for guide, plain in alike(rng.standard_normal(3), rng.standard_normal(3)):
            poses, inertia = (random_pose(rng), random_pose(rng)), random_inertia(rng)
            mechs = [bead(joint, ends=ends, poses=poses, inertia=inertia) for joint in (guide, plain)]
            q, v, tau = rng.uniform(-1.5, 1.5, 1), rng.standard_normal(1), rng.standard_normal(1)
            states = [mech.state(q=q, v=v) for mech in mechs]
            for ask in (
                lambda m, s, tau=tau: rg.forward_dynamics(m, s, tau),
                rg.mass_matrix,
                lambda m, s: rg.jacobian(m, s, "body"),
                lambda m, s: rg.jacobian_rate(m, s, "body"),
                lambda m, s: rg.derivatives(m, s).q,
                lambda m, s: rg.forward_dynamics_batch(m, s.q[None], s.v[None]),
            ):
                found, expected = (ask(mech, state) for mech, state in zip(mechs, states, strict=True))
                assert relative_error(found, expected) < 1e-12
            assert guide.position(plain.pose(q)) == pytest.approx(q, abs=1e-13)


# --- columns and rates by differences of the pose ------------------------------------------------------------

TINY = 1e-30


def plain_pose(joint, q):
    """R and p of a guide by its formula, written down once more, for complex numbers too."""
    R, p = np.eye(3), np.zeros(3)
    for (x, y, z), curve in joint.rotations:
        K, angle = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), plain_curve(curve, q)
        R = R @ (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K))
    for axis, curve in joint.translations:
        p = p + plain_curve(curve, q) * np.array(axis)
    return (R.T, -R.T @ p) if joint.inverse else (R, p)


def plain_curve(curve, q):
    piece = sum(q.real >= where for where in curve.breaks)
    return np.polynomial.Polynomial(curve.coefficients[piece])(q - curve.origins[piece])


def plain_screw(joint, q):
    """(ω, u) in the child's axes, by a step along the imaginary axis, which is exact."""
    R, p = plain_pose(joint, q + 1j * TINY)
    spin, slide = R.real.T @ (R.imag / TINY), R.real.T @ (p.imag / TINY)
    return np.array([spin[2, 1], spin[0, 2], spin[1, 0], *slide])


def slope(f, h=1e-3):
    """The derivative at 0 by a difference of fourth order: exact to some 1e-11."""
    return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)


def away_from_breaks(rng, joint, reach=3.0):
    """A coordinate with no break so near that a difference would step over it."""
    breaks = [where for _, curve in (*joint.rotations, *joint.translations) for where in curve.breaks]
    while True:
        q = rng.uniform(-reach, reach)
        if min((abs(q - where) for where in breaks), default=1.0) > 0.01:
            return q


def test_columns_and_rates_are_derivatives_of_the_pose():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        joint = random_guided(rng)
        q = away_from_breaks(rng, joint)
        R, p = plain_pose(joint, q)
        found = joint.pose([q])
        assert np.abs(found.rotation - R).max() < 1e-14
        assert np.abs(found.translation - p).max() < 1e-13
        size = 1.0 + np.abs(plain_screw(joint, q)).max()
        assert np.abs(screws(joint, np.array([q]))[0] - plain_screw(joint, q)).max() < 1e-13 * size
        rates = screw_rates(joint, np.array([q]), np.array([2.0]))[0]
        expected = slope(lambda h, joint=joint, q=q: plain_screw(joint, q + h))
        assert np.abs(rates - 2.0 * expected).max() < 1e-8 * (1.0 + np.abs(expected).max())


# --- dynamics by Lagrange's equations ------------------------------------------------------------


def two_on_guides(seed):
    """A body on a guide, and another one whose guide leads to the first: it is walked backwards."""
    rng = np.random.default_rng(seed)
    mech = rg.Mechanism(gravity=rng.uniform(-5, 5, 3))
    for name in ("a", "b"):
        mech.add_body(name, random_inertia(rng))
    mech.add_joint("first", random_guided(rng), "world", "a", random_pose(rng), random_pose(rng))
    mech.add_joint("second", random_guided(rng), "b", "a", random_pose(rng), random_pose(rng))
    q = np.array([away_from_breaks(rng, joint.type, 1.5) for joint in mech.joints.values()])
    return mech, q, rng.standard_normal(2), rng.standard_normal(2)


def lagrangian(mech, q, v):
    """T − V from the formula of the pose alone; velocities by a step along the imaginary axis."""

    def product(A, B):
        return A[0] @ B[0], A[0] @ B[1] + A[1]

    def inverse(A):
        return A[0].T, -A[0].T @ A[1]

    first, second = mech.joints.values()
    at = np.asarray(q) + 1j * TINY * np.asarray(v)
    across = [
        product(product((j.parent_pose.rotation, j.parent_pose.translation), plain_pose(j.type, at[k])),
                inverse((j.child_pose.rotation, j.child_pose.translation)))
        for k, j in enumerate((first, second))
    ]  # fmt: skip
    places, total = {"a": across[0], "b": product(across[0], inverse(across[1]))}, 0.0
    for name, (R, p) in places.items():
        inertia = mech.bodies[name].inertia
        spin = R.real.T @ (R.imag / TINY)
        w, centre = np.array([spin[2, 1], spin[0, 2], spin[1, 0]]), R @ inertia.com + p
        speed = centre.imag / TINY
        total += 0.5 * (inertia.mass * speed @ speed + w @ inertia.tensor @ w) + inertia.mass * mech.gravity @ centre.real
    return total


def test_accelerations_fulfil_lagranges_equations():
    """d/dt ∂L/∂v − ∂L/∂q = τ. L is of second degree in v, so differences along v are exact."""
    for seed in range(30):
        mech, q, v, tau = two_on_guides(seed)
        a = rg.forward_dynamics(mech, mech.state(q=q, v=v), tau)
        for i, e in enumerate(np.eye(2)):

            def momentum(t, e=e, mech=mech, q=q, v=v, a=a):
                there, rate = q + t * v, v + t * a
                return 0.5 * (lagrangian(mech, there, rate + e) - lagrangian(mech, there, rate - e))

            along = slope(lambda h, e=e, mech=mech, q=q, v=v: lagrangian(mech, q + h * e, v))
            size = 1.0 + np.abs(a).max() + abs(along)
            assert slope(momentum) - along == pytest.approx(tau[i], abs=1e-7 * size)


# --- the nearest position ------------------------------------------------------------


def test_every_position_is_found_again_however_far():
    line = rg.Curve.linear()
    knots = np.linspace(-2, 2, 9)
    wavy = rg.Curve.spline(knots, np.sin(2 * knots))
    for joint, places in (
        (rg.Guided([(Z, line)], [((1, 0, 0), 0.1 * line)]), (-300.0, -4.0, 0.0, 2.0, 77.0)),
        (rg.Guided([], [(Z, wavy), ((1, 0, 0), wavy * wavy(1.0)), ((0, 1, 0), line)]), (-50.0, -1.5, 0.3, 1.9, 40.0)),
        (rg.Guided([(Z, wavy)], [((0, 1, 0), 0.05 * line)]), (-9.0, -1.0, 0.1, 1.2, 9.0)),
        (rg.Guided([(Z, line), ((1, 0, 0), 0.5 * line)]), (-6.0, -3.5, 0.2, 3.0, 6.2)),
        (rg.Guided([(Z, line)], limits=(4.0, 8.0)), (4.5, 6.0, 7.9)),
        (rg.Guided([(Z, line)], [((1, 0, 0), 0.1 * line)], inverse=True), (-30.0, 0.0, 30.0)),
    ):
        for q in places:
            assert joint.position(joint.pose([q])) == pytest.approx([q], abs=1e-10)


def test_the_nearest_position_is_nearer_than_any_other():
    """Distances as the sum of squares of what turns, half of that of all nine numbers of a matrix, and of what shifts."""
    from regraft.joints.single import position

    for seed in range(40):
        rng = np.random.default_rng(seed)
        joint, wanted = random_guided(rng), random_pose(rng, 0.3)

        def away(q, joint=joint, wanted=wanted):
            pose = joint.pose([q])
            return 0.5 * ((pose.rotation - wanted.rotation) ** 2).sum() + ((pose.translation - wanted.translation) ** 2).sum()

        found, gap = position(joint, wanted)
        assert gap > 0.0
        assert away(found[0]) <= min(map(away, np.linspace(-3.0, 3.0, 301))) + 1e-12


def test_a_pose_that_is_not_a_number_gives_no_position():
    from regraft.joints.single import _described, _position

    q = np.zeros(1)
    gap = _position.call(*_described(rg.Guided([(Z, rg.Curve.linear())])), np.full((1, 12), np.nan), q)
    assert np.isnan(q[0])
    assert not gap <= 1e-9


# --- copies, files, changed structures ------------------------------------------------------------


def test_guides_survive_files_and_pickles_to_the_last_digit():
    for seed in SEEDS:
        joint = random_guided(np.random.default_rng(seed), limits=(-1.0, 2.0), damping=0.3)
        mech = bead(joint)
        for other in (
            rg.Mechanism.from_dict(json.loads(json.dumps(mech.to_dict()))).joints["guide"].type,
            pickle.loads(pickle.dumps(joint)),
            pickle.loads(pickle.dumps(mech)).joints["guide"].type,
        ):
            assert other == joint
            assert hash(other) == hash(joint)
            assert np.array_equal(other.table(), joint.table())
            assert np.array_equal(other.pose([0.7]).row, joint.pose([0.7]).row)


def test_a_damaged_curve_in_a_file_is_refused():
    data = bead(rg.Guided([(Z, rg.Curve.linear())])).to_dict()
    del data["joints"][0]["joint"]["rotations"][0][1]["origins"]
    with pytest.raises(rg.ModelError, match=r"damaged.*origins"):
        rg.Mechanism.from_dict(data)


def chain(rng, bodies):
    """Bodies one after the other on guides, the first one floating."""
    mech = rg.Mechanism()
    for k in range(bodies):
        mech.add_body(f"b{k}", random_inertia(rng))
    mech.add_joint("float", rg.Free(), "world", "b0")
    for a, b in pairwise(range(bodies)):
        mech.add_joint(f"j{b}", random_guided(rng), f"b{a}", f"b{b}", random_pose(rng), random_pose(rng))
    return mech


def test_rows_of_guides_stay_with_their_joints_while_others_come_and_go():
    """Loop joints are added and taken away, and the base changes; each time the dynamics is that of a mechanism made anew."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        mech = chain(rng, 4)
        state = mech.state(q={f"j{b}": rng.uniform(-1, 1) for b in range(1, 4)}, v=0.1 * rng.standard_normal(mech.nv))
        grips = []
        for number in range(3):
            joint = random_guided(rng) if number != 2 else rg.Spherical()
            mech, state = rg.connect(
                mech, state, "b0", f"b{3 - number % 2}", joint=joint, at=rng.uniform(-1, 1, 3), name=f"g{number}"
            )
            grips.append(f"g{number}")
            if number == 1:
                mech, state = rg.cut(mech, state, grips.pop(0))
            fresh = rg.Mechanism.from_dict(mech.to_dict())
            same = fresh.state(q=state.q, v=state.v)
            assert relative_error(rg.forward_dynamics(mech, state), rg.forward_dynamics(fresh, same)) < 1e-9


def test_a_structure_has_the_numbers_of_its_guides_when_the_joints_are_gone():
    rng = np.random.default_rng(3)
    mech = chain(rng, 3)
    x = np.concatenate((mech.state(q={"j1": 0.4, "j2": -0.3}).q, rng.standard_normal(mech.nv)))
    structure = mech.structure
    expected = structure.motion(x)
    for joint in mech.joints.values():
        if joint.type.tabled:
            joint.type.table().flags.writeable = True
            joint.type.table()[:] = np.nan  # as if the memory were someone else's
    assert np.array_equal(structure.motion(x), expected)
    assert np.isfinite(expected).all()


def test_a_base_on_a_guide_may_be_changed():
    rng = np.random.default_rng(5)
    mech = chain(rng, 3)
    state = mech.state(q={"j1": 0.4, "j2": -0.3})
    for joint in (rg.Guided([(Z, rg.Curve.linear())], [(Z, rg.Curve.linear(0.1))]), rg.Revolute(Z), random_guided(rng)):
        mech, state = rg.reroot(mech, state, "b2", joint=joint, at=(0.1, 0.2, 0.3), velocity="impact", align="current")
        fresh = rg.Mechanism.from_dict(mech.to_dict())
        same = fresh.state(q=state.q, v=state.v)
        assert relative_error(rg.forward_dynamics(mech, state), rg.forward_dynamics(fresh, same)) < 1e-12
        mech, state = rg.reroot(mech, state, "b0")


# --- motions ------------------------------------------------------------


def pendulum_on_a_cam():
    """A pendulum that hangs on a wheel, which rises and falls as a cam lifts it while it turns; and a sliding bob."""
    lift = rg.Curve.spline(np.linspace(-8.0, 8.0, 41), 0.05 * np.sin(1.3 * np.linspace(-8.0, 8.0, 41)))
    mech = rg.Mechanism()
    mech.add_body("wheel", rg.Inertia.sphere(2.0, 0.2, at=(0.02, 0.0, 0.0)))
    mech.add_body("bob", rg.Inertia.sphere(1.0, 0.1, at=(0.0, 0.0, -0.5)))
    mech.add_joint(
        "cam", rg.Guided([((0, 1, 0), rg.Curve.linear())], [((0, 0, 1), lift), ((1, 0, 0), 0.5 * lift)]), "world", "wheel"
    )
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "wheel", "bob", rg.Pose(translation=(0.1, 0.0, 0.0)))
    return mech, mech.state(q={"cam": 0.3, "hinge": 0.8}, v={"cam": 0.5})


def test_a_pendulum_on_a_cam_keeps_its_energy():
    mech, state = pendulum_on_a_cam()
    run = rg.simulate(mech, state, 10.0, rtol=1e-12, atol=1e-13)
    start, end = (rg.energy(mech, at).total for at in (state, run.final[1]))
    # lost where steps meet the breaks of the spline: 1e-11 to 3e-9, with starts that are 1e-7 apart
    assert abs(end - start) < 3e-8
    assert np.ptp(run.joint("cam").q) > 0.5


def test_a_free_chain_of_guides_keeps_energy_and_momentum():
    rng = np.random.default_rng(8)
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for k in range(3):
        mech.add_body(f"b{k}", random_inertia(rng))
    mech.add_joint("float", rg.Free(), "world", "b0")
    mech.add_joint("j1", random_guided(rng), "b0", "b1", random_pose(rng), random_pose(rng))
    mech.add_joint("j2", random_guided(rng), "b2", "b1", random_pose(rng), random_pose(rng))
    state = mech.state(v=0.4 * rng.standard_normal(mech.nv))
    run = rg.simulate(mech, state, 2.0, rtol=1e-11, atol=1e-12)
    for quantity in (rg.energy, rg.momentum):
        before, after = (np.concatenate([np.ravel(x) for x in vars_of(quantity(mech, at))]) for at in (state, run.final[1]))
        assert np.abs(after - before).max() < 1e-8


def vars_of(found):
    return [found.total] if isinstance(found, rg.Energy) else [found.linear, found.angular]


def test_a_guide_that_closes_a_loop_moves_as_one_in_the_tree():
    """A body on a guide: as a joint of the tree, and as a loop joint of a body that floats."""
    mech, state = pendulum_on_a_cam()
    cam = mech.joints["cam"]
    other = rg.Mechanism()
    for name, body in mech.bodies.items():
        other.add_body(name, body.inertia)
    other.add_joint("float", rg.Free(), "world", "wheel")
    hinge = mech.joints["hinge"]
    other.add_joint("hinge", hinge.type, "wheel", "bob", hinge.parent_pose, hinge.child_pose)
    other.add_joint("cam", cam.type, "world", "wheel", cam.parent_pose, cam.child_pose)
    pose, twist = rg.body_poses(mech, state)["wheel"], screws(cam.type, state.q[:1])[0] * state.v[0]
    quaternion = (math.cos(0.15), 0.0, math.sin(0.15), 0.0)
    assert np.abs(rg.Pose.from_quaternion(quaternion).rotation - pose.rotation).max() < 1e-15
    start = other.state(
        q={"float": [*pose.translation, *quaternion], "hinge": 0.8}, v={"float": [*twist[3:], *twist[:3]], "hinge": 0.0}
    )
    expected = rg.simulate(mech, state, 1.0, rtol=1e-11, atol=1e-12)
    found = rg.simulate(other, start, 1.0, rtol=1e-11, atol=1e-12)
    there, here = (rg.body_poses(*run.final)["bob"] for run in (expected, found))
    assert np.abs(there.translation - here.translation).max() < 1e-8
    assert np.abs(there.rotation - here.rotation).max() < 1e-8


def test_events_see_the_coordinate_of_a_guide():
    """In the tree and as a loop joint."""
    mech, state = pendulum_on_a_cam()
    free, start = rg.to_maximal(mech, state)
    for moving, at in ((mech, state), (free, start)):
        run = rg.simulate(moving, at, 5.0, events=rg.when_joint("cam", 0.4, rg.STOP))
        assert run.t[-1] < 5.0
        where = rg.body_poses(*run.final)["wheel"].rotation
        assert math.atan2(where[0, 2], where[0, 0]) == pytest.approx(0.4, abs=1e-8)


def test_a_mechanism_of_guides_moves_in_maximal_coordinates_as_in_its_own():
    for seed in range(6):
        mech, q, v, _ = two_on_guides(seed)
        state = mech.state(q=q, v=v)
        _, same = rg.to_reduced(*rg.to_maximal(mech, state))
        assert same.q == pytest.approx(q, abs=1e-10)
        assert same.v == pytest.approx(v, abs=1e-10)
        runs = [rg.simulate(*start, 0.2, rtol=1e-10, atol=1e-11).final for start in ((mech, state), rg.to_maximal(mech, state))]
        here, there = (rg.body_poses(*run)["b"] for run in runs)
        assert np.abs(here.translation - there.translation).max() < 1e-7
