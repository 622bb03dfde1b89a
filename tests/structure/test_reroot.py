"""Re-rooting: the same mechanism in the same motion, hung up by another body (S1)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import ALL_JOINTS, random_inertia, random_pose, random_sample, random_state, relative_error, samples
from regraft.kernels.tables import BODY, JOINT, POLARITY

ALGEBRA = 1e-10
GEOMETRY = 1e-12
BODIES = st.integers(0, 7)


def body_of(mech, number):
    return f"b{number % len(mech.bodies)}"


def assert_same_motion(one, other, tolerance=GEOMETRY):
    """Every body at the same place with the same twist; the same energy and momentum."""
    poses, twists = rg.body_poses(*one), rg.body_twists(*one)
    new_poses, new_twists = rg.body_poses(*other), rg.body_twists(*other)
    for name, pose in poses.items():
        assert np.abs(new_poses[name].rotation - pose.rotation).max() < tolerance
        assert relative_error(new_poses[name].translation, pose.translation) < tolerance
        assert relative_error(new_twists[name], twists[name]) < ALGEBRA
    assert rg.energy(*other).total == pytest.approx(rg.energy(*one).total, rel=ALGEBRA, abs=ALGEBRA)
    for part in ("angular", "linear"):
        assert relative_error(getattr(rg.momentum(*other), part), getattr(rg.momentum(*one), part)) < ALGEBRA


def accelerations(mech, state, a):
    """(angular, linear) acceleration of every body's origin."""
    found = {}
    for body in mech.bodies:
        found[body] = rg.jacobian(mech, state, body) @ a + rg.jacobian_rate(mech, state, body) @ state.v
    return found


@given(samples(roots=2, damping=True, springs=2), BODIES, st.integers(0, 2**32 - 1))
def test_reroot_keeps_every_body_where_it_was_and_as_it_moved(sample, number, seed):
    mech, state = sample.mech, sample.state
    at = np.random.default_rng(seed).uniform(-2, 2, 3)
    assert_same_motion((mech, state), rg.reroot(mech, state, body_of(mech, number), at=at, joint=rg.Free()))


@given(samples(), BODIES)
def test_reroot_keeps_every_other_joint_its_numbers_and_its_order(sample, number):
    mech, state = sample.mech, sample.state
    base = next(name for name, j in mech.joints.items() if "world" in (j.parent, j.child))
    after, new_state = rg.reroot(mech, state, body_of(mech, number), name="new base")
    assert [name for name in after.joints if name != "new base"] == [name for name in mech.joints if name != base]
    assert list(after.joints).index("new base") == list(mech.joints).index(base)
    for name, joint in mech.joints.items():
        if name != base:
            assert after.joints[name] is joint
            assert np.array_equal(after.joint_position(new_state, name), mech.joint_position(state, name))
            assert np.array_equal(after.joint_velocity(new_state, name), mech.joint_velocity(state, name))


@given(samples(max_bodies=6), BODIES)
def test_the_old_mechanism_and_state_stay_valid(sample, number):
    mech, state = sample.mech, sample.state
    before = mech.copy(), state.q.copy(), state.v.copy()
    rg.reroot(mech, state, body_of(mech, number))
    assert mech == before[0]
    assert np.array_equal(state.q, before[1])
    assert np.array_equal(state.v, before[2])


@given(samples(kinds=ALL_JOINTS, root_kinds=(rg.Free,), damping=True, limits=True, own=True, springs=2), BODIES)
def test_on_a_free_base_the_same_forces_give_the_same_accelerations(sample, number):
    """A3. The joint torques act inside; the free base joint has none, and no damping."""
    mech, state = sample.mech, sample.state
    base = next(j for j in mech.joints.values() if "world" in (j.parent, j.child))
    mech = mech.with_joint(base.name, rg.Joint(base.name, rg.Free(), base.parent, base.child, base.parent_pose, base.child_pose))
    tau = {name: sample.tau[mech.v_slice(name)] for name in mech.joints if name != base.name}
    after, new_state = rg.reroot(mech, state, body_of(mech, number), name="new base")

    def solved(m, s):
        torque = np.zeros(m.nv)
        for name, numbers in tau.items():
            torque[m.v_slice(name)] = numbers
        return accelerations(m, s, rg.forward_dynamics(m, s, torque))

    expected, found = solved(mech, mech.state(q=state.q, v=state.v)), solved(after, new_state)
    size = 1.0 + max(np.abs(a).max() for a in expected.values())
    for body in mech.bodies:
        assert np.abs(found[body] - expected[body]).max() < ALGEBRA * size


@given(samples(roots=2), BODIES)
def test_away_and_back_is_where_it_began(sample, number):
    """A1: op(op(model)) = model; every joint, the slots and the walk bit for bit, the state to rounding."""
    mech, state = sample.mech, sample.state
    away = body_of(mech, number)
    structure = mech.structure
    root = structure.walk[structure.row_of[away], 8]
    base = mech.joints[structure.joint_names[structure.walk[root, JOINT]]]
    top, place = (base.child, base.child_pose) if base.parent == "world" else (base.parent, base.parent_pose)
    there = rg.reroot(mech, state, away, name="elsewhere")
    point = (rg.body_poses(mech, state)[top] @ place).translation
    again, new_state = rg.reroot(*there, top, at=point, joint=base.type, name=base.name)
    assert again == mech
    assert np.array_equal(again.structure.walk, mech.structure.walk)
    assert again.layout.same_structure(mech.layout)
    assert relative_error(rg.difference(mech, new_state.q, state.q), np.zeros(mech.nv)) < 1e-14
    assert relative_error(new_state.v, state.v) < 1e-13


@given(samples(max_bodies=4), BODIES)
def test_accelerations_come_back_too(sample, number):
    """Away and back onto the old base joint, described from either side."""
    mech, state = sample.mech, sample.state
    base = next(j for j in mech.joints.values() if "world" in (j.parent, j.child))
    top, place = (base.child, base.child_pose) if base.parent == "world" else (base.parent, base.parent_pose)
    point = (rg.body_poses(mech, state)[top] @ place).translation
    there, moved, a = rg.reroot(mech, state, body_of(mech, number), name="elsewhere", acceleration=sample.a)
    again, _, back = rg.reroot(there, moved, top, at=point, joint=base.type, name=base.name, acceleration=a)
    assert again == mech
    assert relative_error(back, sample.a) < ALGEBRA


def test_the_way_back_is_in_the_file_too(tmp_path):
    sample = random_sample(np.random.default_rng(7), bodies=4, reverse=0.0)
    base = sample.mech.joints["j0"]
    point = (rg.body_poses(sample.mech, sample.state)["b0"] @ base.child_pose).translation
    away, state = rg.reroot(sample.mech, sample.state, "b3", name="elsewhere")
    away.save(tmp_path / "away.json")
    back, _ = rg.reroot(rg.load(tmp_path / "away.json"), state, "b0", at=point, joint=base.type, name="j0")
    assert back == sample.mech


@pytest.mark.parametrize(
    ("kind", "q"),
    [
        (rg.Revolute((0, 1, 0), limits=(0, 5)), [4.0]),
        (rg.Revolute((0, 1, 0), limits=(-20, -15)), [-16.0]),
        (rg.Revolute((0, 1, 0), limits=(8.0, 9.0)), [9.01]),  # a little beyond
        (rg.Universal((1, 0, 0), (0, 1, 0), limits=([-5, 3], [-3, 9])), [-4.0, 8.5]),
        (rg.Cylindrical((0, 0, 1), limits=([3, 10], [9, 20])), [7.0, 15.0]),
        (rg.Planar((0, 0, 1), limits=([-9, -9, 5], [9, 9, 11])), [7.0, -8.0, 6.0]),
    ],
    ids=lambda part: type(part).__name__ if isinstance(part, rg.JointType) else None,
)
def test_an_angle_comes_back_within_the_limits_of_its_joint(kind, q):
    """A pose tells an angle up to whole turns; outside its limits a joint would be pushed that was free before."""
    mech = rg.Mechanism()
    mech.add_body("b", rg.Inertia.box(1.0, (1, 2, 3)))
    mech.add_joint("base", kind, "world", "b")
    state = mech.state(q=q, v=np.ones(mech.nv))
    there = rg.reroot(mech, state, "b", name="elsewhere")
    again, back = rg.reroot(*there, "b", joint=kind, name="base")
    assert again == mech
    assert relative_error(back.q, state.q) < 1e-14
    assert relative_error(back.v, state.v) < 1e-14


@pytest.mark.parametrize(("far", "fast"), [(6.4e6, 1.0), (1.0, 1e5)], ids=["far from the origin", "fast"])
def test_rounding_is_no_reason_to_refuse_a_joint(far, fast):
    """A1 on every base joint type, in coordinates as large as the earth and at speeds whose accelerations cancel."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        bodies = 1 + seed % 4
        near = random_sample(rng, bodies=bodies, root_kinds=(ALL_JOINTS[seed % 9],)).mech
        base = near.joints["j0"]
        places = [rg.Pose(pose.rotation, pose.translation + far * (end == "world")) for end, pose in
                  ((base.parent, base.parent_pose), (base.child, base.child_pose))]  # fmt: skip
        mech = near.with_joint("j0", rg.Joint("j0", base.type, base.parent, base.child, *places))
        top, place = (base.child, places[1]) if base.parent == "world" else (base.parent, places[0])
        state = random_state(rng, mech)
        state, a = mech.state(q=state.q, v=fast * state.v), rng.standard_normal(mech.nv)
        *there, carried = rg.reroot(mech, state, f"b{seed % bodies}", name="elsewhere", acceleration=a)
        point = (rg.body_poses(mech, state)[top] @ place).translation
        again, back, back_a = rg.reroot(*there, top, at=point, joint=base.type, name="j0", acceleration=carried)
        assert again == mech
        assert relative_error(rg.difference(mech, back.q, state.q), np.zeros(mech.nv)) < 1e-13 * far
        assert relative_error(back.v, state.v) < 1e-13 * far
        assert np.abs(back_a - a).max(initial=0.0) < 1e-13 * max(far, fast**2)


def joints_that_can_carry(mech, state, body, rng):
    """A joint of each type that can carry the motion which the body has, with the point where it can."""
    pose, twist = rg.body_poses(mech, state)[body], rg.body_twists(mech, state)[body]
    spin, speed = twist[:3], twist[3:]
    found = [(rg.Free(), rng.uniform(-1, 1, 3))]
    size = spin @ spin
    if size > 0.01:  # any motion is a screw about an axis; without an advance the axis stands still
        axis, pitch = pose.rotation.T @ spin, float(spin @ speed / size)
        at = pose.translation + np.cross(spin, speed) / size
        found += [(rg.Helical(axis, pitch), at), (rg.Cylindrical(axis), at)]
        if abs(pitch) < 1e-12:
            across = np.cross(axis, rng.standard_normal(3))
            found += [(rg.Revolute(axis), at), (rg.Spherical(), at), (rg.Universal(axis, across), at), (rg.Planar(axis), at)]
    return found


@pytest.mark.parametrize("planar", [False, True])
def test_a_thousand_reroots_in_a_row_lead_nowhere(planar):
    """Random bodies and points, and every joint type that can carry the motion: in space a screw, in a plane a hinge too."""
    rng = np.random.default_rng(5)
    kinds, roots = ((rg.Revolute,), (rg.Revolute,)) if planar else (ALL_JOINTS, (rg.Free,))
    sample = random_sample(rng, bodies=8, kinds=kinds, root_kinds=roots)
    start = sample.mech, sample.state
    if planar:
        mech = rg.Mechanism()
        for i in range(8):
            mech.add_body(f"b{i}", sample.mech.bodies[f"b{i}"].inertia)
            ends = ("world" if i == 0 else f"b{i // 2}", f"b{i}")
            places = (rg.Pose(translation=rng.uniform(-1, 1, 3)) for _ in range(2))
            mech.add_joint(f"j{i}", rg.Revolute((0, 1, 0)), *(ends if i % 3 else ends[::-1]), *places)
        start = mech, mech.state(q=rng.uniform(-2, 2, mech.nv), v=rng.standard_normal(mech.nv))
    now, used = start, set()
    for _ in range(1000):
        body = f"b{rng.integers(8)}"
        choices = joints_that_can_carry(*now, body, rng)
        joint, at = choices[rng.integers(len(choices))]
        used.add(type(joint))
        now = rg.reroot(*now, body, at=at, joint=joint, name="base", align="current")
    assert len(used) == (7 if planar else 3)
    assert_same_motion(start, now, tolerance=1e-10)


@given(samples(max_bodies=6), BODIES)
def test_the_chain_of_inversion_and_nothing_else_changes_polarity(sample, number):
    """S1 6.1, variant (ii): siblings keep their parents."""
    mech, state = sample.mech, sample.state
    top = body_of(mech, number)
    after, _ = rg.reroot(mech, state, top, name="new base")

    def walked(m):
        names = [m.structure.joint_names[j] for j in m.structure.walk[:, JOINT]]
        return dict(zip(names, m.structure.walk[:, POLARITY].tolist(), strict=True))

    def chain(m, body):
        parents = {m.structure.body_names[b]: p for b, p in m.structure.walk[:, [BODY, 1]].tolist()}
        found = []
        while body is not None:
            k = m.structure.row_of[body]
            found.append(m.structure.joint_names[m.structure.walk[k, JOINT]])
            body = m.structure.body_names[m.structure.walk[parents[body], BODY]] if parents[body] >= 0 else None
        return found[:-1]

    inverted = set(chain(mech, top))
    before, now = walked(mech), walked(after)
    for name in set(before) & set(now):
        assert now[name] == (-before[name] if name in inverted else before[name])


def test_a_top_joint_of_any_type_holds_the_pose_that_it_can_represent():
    rng = np.random.default_rng(2)
    for kind in (rg.Revolute((0, 1, 0)), rg.Spherical(), rg.Fixed(), rg.Universal((1, 0, 0), (0, 1, 0)), rg.Planar((0, 0, 1))):
        sample = random_sample(rng, bodies=4, root_kinds=(rg.Free,))
        still = sample.mech.state(q=sample.state.q)
        after = rg.reroot(sample.mech, still, "b2", at=(0.1, 0.2, 0.3), joint=kind, align="current", name="grip")
        assert_same_motion((sample.mech, still), after)
        assert relative_error(after[0].joint_position(after[1], "grip"), kind.neutral()) < 4e-15


def test_a_revolute_top_joint_counts_from_the_bind_orientation():
    mech = rg.Mechanism()
    mech.add_body("leg", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, -1)))
    mech.add_body("other", rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, -1)))
    mech.add_joint("stance", rg.Revolute((0, 1, 0)), "world", "leg", child_pose=rg.Pose(translation=(0, 0, -1)))
    mech.add_joint("hip", rg.Revolute((0, 1, 0)), "leg", "other")
    state = mech.state(q={"stance": -0.3, "hip": 0.5}, v={"stance": -1.0, "hip": 0.2})
    foot = (rg.body_poses(mech, state)["other"]).apply((0, 0, -1))
    after, new = rg.reroot(mech, state, "other", at=foot, joint=rg.Revolute((0, 1, 0)), name="strike", velocity="impact")
    assert after.joint_position(new, "strike") == pytest.approx([0.2], abs=1e-14)
    assert after.joint_position(new, "hip") == pytest.approx([0.5], abs=1e-15)


@given(samples(kinds=ALL_JOINTS, roots=2), BODIES, st.integers(0, 2**32 - 1))
def test_accelerations_are_carried_over_body_by_body(sample, number, seed):
    """S1 7.1."""
    mech, state = sample.mech, sample.state
    at = np.random.default_rng(seed).uniform(-1, 1, 3)
    after, new, a = rg.reroot(mech, state, body_of(mech, number), at=at, name="new base", acceleration=sample.a)
    expected, found = accelerations(mech, state, sample.a), accelerations(after, new, a)
    size = 1.0 + max(np.abs(x).max() for x in expected.values())
    for body in mech.bodies:
        assert np.abs(found[body] - expected[body]).max() < ALGEBRA * size


@given(samples(kinds=ALL_JOINTS, damping=True, limits=True, own=True, springs=2), BODIES)
def test_inverse_dynamics_before_and_after_agree(sample, number):
    """The old base's wrench put on its body by hand: the new base then needs none, and every other joint the same torque."""
    mech, state = sample.mech, sample.state
    base = next(j for j in mech.joints.values() if "world" in (j.parent, j.child))
    tau = rg.inverse_dynamics(mech, state, sample.a)
    reaction = rg.joint_reactions(mech, state, tau)[base.name]
    if base.parent == "world":
        held, place, wrench = base.child, rg.body_poses(mech, state)[base.child] @ base.child_pose, reaction
    else:  # what its body puts on the world, turned round
        held, place, wrench = base.parent, base.child_pose, -reaction
    arm = place.translation - rg.body_poses(mech, state)[held].translation
    wrench = np.concatenate([wrench[:3] + np.cross(arm, wrench[3:]), wrench[3:]])
    after, new, a = rg.reroot(mech, state, body_of(mech, number), name="new base", acceleration=sample.a)
    found = rg.inverse_dynamics(after, new, a, wrenches={held: wrench})
    size = 1.0 + max(np.abs(tau).max(initial=0.0), np.abs(wrench).max())
    assert np.abs(found[after.v_slice("new base")]).max() < ALGEBRA * size
    for name in mech.joints:
        if name != base.name:
            assert np.abs(found[after.v_slice(name)] - tau[mech.v_slice(name)]).max(initial=0.0) < ALGEBRA * size


@pytest.mark.parametrize(
    "kind", [rg.Universal((1, 0, 0), (0, 1, 0)), rg.Planar((0, 0, 1)), rg.Revolute((0, 0, 1)), rg.Spherical()]
)
def test_accelerations_are_carried_onto_every_joint_that_can_carry_them(kind):
    """One body on a joint: hang it on the same joint again, at the same point, and nothing has changed."""
    rng = np.random.default_rng(4)
    mech = rg.Mechanism()
    mech.add_body("b", rg.Inertia.box(1.0, (1, 2, 3)))
    mech.add_joint("first", kind, "world", "b")
    state = mech.state(q=rg.integrate(mech, mech.state().q, rng.uniform(-1, 1, mech.nv)), v=rng.standard_normal(mech.nv))
    a = rng.standard_normal(mech.nv)
    at = rg.body_poses(mech, state)["b"].translation
    after, new, carried = rg.reroot(mech, state, "b", at=at, joint=kind, name="first", acceleration=a)
    expected, found = accelerations(mech, state, a), accelerations(after, new, carried)
    assert relative_error(found["b"], expected["b"]) < ALGEBRA


def test_an_impact_has_no_accelerations():
    sample = random_sample(np.random.default_rng(1), bodies=2)
    with pytest.raises(rg.StructureError, match="acceleration"):
        rg.reroot(sample.mech, sample.state, "b1", velocity="impact", acceleration=sample.a)


# --- impacts ---------------------------------------------------------------------------------------------------------

GRIPS = (
    rg.Fixed(),
    rg.Spherical(),
    rg.Revolute((0, 1, 0)),
    rg.Prismatic((0, 0, 1)),
    rg.Universal((1, 0, 0), (0, 1, 0)),
    rg.Free(),
)


@settings(max_examples=60)
@given(samples(max_bodies=5, kinds=ALL_JOINTS, own=True), BODIES, st.sampled_from(GRIPS), st.integers(0, 2**32 - 1))
def test_an_impact_takes_energy_keeps_what_is_free_and_repeats_without_effect(sample, number, grip, seed):
    mech, state = sample.mech, sample.state
    at = np.random.default_rng(seed).uniform(-1, 1, 3)
    options = {"at": at, "joint": grip, "name": "grip", "align": "current", "velocity": "impact"}
    top = body_of(mech, number)
    after, new = rg.reroot(mech, state, top, **options)
    before, now = rg.energy(mech, state), rg.energy(after, new)
    assert now.kinetic <= before.kinetic * (1 + ALGEBRA)
    # momentum changes by the impulse of the grip alone, which does no work along its freedom
    impulse = new.impulse["grip"]
    change = rg.momentum(after, new).linear - rg.momentum(mech, state).linear
    turn = rg.momentum(after, new).angular - rg.momentum(mech, state).angular
    if sum("world" in (j.parent, j.child) for j in mech.joints.values()) == 1:
        assert relative_error(change, impulse[3:]) < ALGEBRA
        assert relative_error(turn - np.cross(at, impulse[3:]), impulse[:3]) < ALGEBRA
    again, still = rg.reroot(after, new, top, **{**options, "name": "grip"})
    assert relative_error(still.v, new.v) < ALGEBRA
    assert_same_motion((after, new), (again, still), tolerance=1e-11)


def test_the_impact_of_the_compass_biped_is_that_of_equation_23():
    """S1 8.5: angular momentum about the strike point, of all, and about the hip, of the leg that swings next."""
    hip, leg, length, d = 2.0, 1.0, 1.0, 0.5
    mech = rg.Mechanism()
    mech.add_body("stance", rg.Inertia.point(leg, at=(0, 0, -d)) + rg.Inertia.point(hip))
    mech.add_body("swing", rg.Inertia.point(leg, at=(0, 0, -d)))
    y = rg.Revolute((0, 1, 0))
    mech.add_joint("ground", y, "world", "stance", child_pose=rg.Pose(translation=(0, 0, -length)))
    mech.add_joint("hip", y, "stance", "swing")
    state = mech.state(q={"ground": -0.3236, "hip": 0.5424}, v={"ground": -1.4939, "hip": -0.3117})
    strike = rg.body_poses(mech, state)["swing"].apply((0, 0, -length))
    after, new = rg.reroot(mech, state, "swing", at=strike, joint=y, name="foot", velocity="impact")
    H = rg.mass_matrix(after, new)

    def about(point, bodies, m, s):
        total = 0.0
        for body in bodies:
            pose, twist, inertia = rg.body_poses(m, s)[body], rg.body_twists(m, s)[body], m.bodies[body].inertia
            arm = pose.rotation @ inertia.com
            speed = twist[3:] + np.cross(twist[:3], arm)
            spin = pose.rotation @ inertia.tensor @ pose.rotation.T @ twist[:3]
            total += (np.cross(pose.translation + arm - point, inertia.mass * speed) + spin)[1]
        return total

    hip_point = rg.body_poses(mech, state)["swing"].translation
    momenta = {"foot": about(strike, ["stance", "swing"], mech, state), "hip": -about(hip_point, ["stance"], mech, state)}
    wanted = np.linalg.solve(H, [momenta[name] for name, *_ in after.layout.joints])
    assert relative_error(new.v, wanted) < 1e-12


def test_a_rotor_keeps_its_momentum_in_an_impact():
    """Of two bodies in line: the first stops, and the joint between them keeps what its rotor and the second body had."""
    rng = np.random.default_rng(4)
    mech = rg.Mechanism()
    for name in ("a", "b"):
        mech.add_body(name, random_inertia(rng))
    mech.add_joint("base", rg.Free(armature=0.7), "world", "a")
    mech.add_joint("knee", rg.Revolute((0, 1, 0), armature=0.4), "b", "a", random_pose(rng))
    state = random_state(rng, mech)
    after, new = rg.reroot(mech, state, "a", joint=rg.Fixed(), name="hold", align="current", velocity="impact")
    free = mech.replace(settings={"base": {"armature": 0.0}})
    share = rg.mass_matrix(free, free.state(state.q))[6] @ state.v  # the momentum along the knee, that of its rotor too
    assert new.v == pytest.approx([share / rg.mass_matrix(after, new)[0, 0]], rel=1e-12)
    whole, turned = rg.reroot(mech, state, "a", joint=rg.Free(armature=2.0), name="hold", align="current", velocity="impact")
    M = rg.mass_matrix(whole, turned)
    caught = np.linalg.solve(M, rg.mass_matrix(free, free.state(state.q)) @ state.v)  # of a rotor at rest, which takes its part
    assert turned.v == pytest.approx(caught, rel=1e-10, abs=1e-12)
    assert np.abs(turned.v - state.v).max() > 1e-2


def test_an_impact_that_leaves_a_velocity_open_is_refused():
    """A joint that moves no inertia, followed by joints that do: the later ones must not make the first forgotten."""
    mech = rg.Mechanism()
    for body, inertia in (("leg", rg.Inertia.box(2.0, (1, 1, 1))), ("ghost", rg.Inertia(0.0)), ("tip", rg.Inertia.point(1.0))):
        mech.add_body(body, inertia)
    mech.add_joint("float", rg.Free(), "world", "leg")
    mech.add_joint("loose", rg.Spherical(), "leg", "ghost")
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "leg", "tip", child_pose=rg.Pose(translation=(0, 0, -0.3)))
    state = mech.state(v=np.arange(1.0, 11.0))
    with pytest.raises(rg.StructureError, match="no unique result: joint 'loose'"):
        rg.reroot(mech, state, "leg", joint=rg.Fixed(), velocity="impact")


def test_an_impact_is_none_of_the_business_of_other_trees():
    mech = rg.Mechanism()
    mech.add_body("leg", rg.Inertia.box(2.0, (1, 1, 1)))
    mech.add_body("ghost", rg.Inertia(0.0))
    mech.add_joint("float", rg.Free(), "world", "leg")
    mech.add_joint("haunt", rg.Free(), "world", "ghost")
    state = mech.state(v=np.arange(1.0, 13.0))
    _, after = rg.reroot(mech, state, "leg", joint=rg.Fixed(), velocity="impact")
    assert after.v.tolist() == state.v[6:].tolist()
    mech.add_body("loose end", rg.Inertia(0.0))
    mech.add_joint("loose", rg.Revolute((0, 1, 0)), "leg", "loose end")
    with pytest.raises(rg.StructureError, match="no unique result: joint 'loose'"):
        rg.reroot(mech, mech.state(), "leg", joint=rg.Fixed(), velocity="impact")


# --- requests that cannot be met -------------------------------------------------------------------------------------


class Unregistered(rg.Revolute):
    __slots__ = ()


def test_impossible_requests_say_what_would_work():
    sample = random_sample(np.random.default_rng(1), bodies=3, kinds=(rg.Spherical,), root_kinds=(rg.Free,))
    mech, state = sample.mech, sample.state
    still = mech.state(q=state.q)
    for call, pattern in (
        (lambda: rg.reroot(mech, still, "b2", joint=rg.Revolute((0, 1, 0))), 'align="current"'),
        (lambda: rg.reroot(mech, state, "b2", joint=rg.Fixed(), align="current"), 'velocity="impact"'),
        (lambda: rg.reroot(mech, state, "foot"), "no body 'foot'.*'b0'"),
        (lambda: rg.reroot(mech, state, "world"), "world.*name a body"),
        (lambda: rg.reroot(mech, state, "b1", at=(0, 0)), "at must have shape.*absolute position"),
        (lambda: rg.reroot(mech, state, "b1", velocity="keep"), '"carry" or "impact"'),
        (lambda: rg.reroot(mech, state, "b1", align="world"), '"bind" or "current"'),
        (lambda: rg.reroot(mech, state, "b1", joint="hinge"), "joint type"),
        (lambda: rg.reroot(mech, state, "b1", joint=Unregistered((0, 1, 0))), "joint type of the registry"),
        (lambda: rg.reroot(mech, state, np.array(["b1", "b2"])), "no body"),
        (lambda: rg.reroot(mech, mech.state(v=np.full(mech.nv, 1e308)), "b1"), "too large to be represented"),
        (lambda: rg.cut(mech, state, "knee"), "no joint 'knee'.*'j0'"),
    ):
        with pytest.raises(rg.StructureError, match=pattern):
            call()
    with pytest.raises(rg.ModelError, match="already a joint 'j2'"):
        rg.reroot(mech, state, "b1", name="j2")
    with pytest.raises(rg.ModelError, match="name must be a text"):
        rg.reroot(mech, state, "b1", name=["base"])


# --- cutting ---------------------------------------------------------------------------------------------------------


@given(samples(roots=2, springs=1), BODIES)
def test_a_cut_changes_no_motion(sample, number):
    mech, state = sample.mech, sample.state
    joint = f"j{number % len(mech.joints)}"
    loose = rg.cut(mech, state, joint)
    assert_same_motion((mech, state), loose)
    assert joint not in loose[0].joints
    assert loose[0].nv == mech.nv - mech.joints[joint].type.nv + 6


def test_what_is_cut_twice_gets_a_name_of_its_own():
    mech = rg.Mechanism()
    mech.add_body("a", rg.Inertia.sphere(1.0, 0.1))
    mech.add_body("b", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("b_free", rg.Free(), "world", "a")
    mech.add_joint("hinge", rg.Revolute((0, 0, 1)), "a", "b", random_pose(np.random.default_rng(0)))
    loose, _ = rg.cut(mech, mech.state(), "hinge")
    assert set(loose.joints) == {"b_free", "b_free_2"}
    mech.add_body("c", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("b_free_2", rg.Free(), "world", "c")
    loose, _ = rg.cut(mech, mech.state(), "hinge")
    assert set(loose.joints) == {"b_free", "b_free_2", "b_free_3"}


def test_what_floats_already_floats_on_under_its_name():
    mech = rg.Mechanism()
    mech.add_body("b", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("b_free", rg.Free(), "world", "b")
    state = mech.state(v=np.arange(1.0, 7.0))
    loose, after = rg.cut(mech, state, "b_free")
    assert loose == mech
    assert relative_error(after.v, state.v) < 1e-15
