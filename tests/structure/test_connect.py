"""Connecting bodies while they move: S2's velocity jump, and what an impact must keep."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import body_motions, random_closed
from random_mechanisms import ALL_JOINTS, random_joint, random_mechanism, random_pose, relative_error
from regraft.joints import screws

SEEDS = st.integers(0, 2**32 - 1)
HINGE = rg.Revolute((0, 1, 0))


def floating(rng, chains=2, links=3, **options):
    """Chains of bodies that float, in random motion."""
    mech = random_mechanism(rng, bodies=chains * links, roots=chains, root_kinds=(rg.Free,), **options)
    while min(map(len, bodies_by_root(mech))) < 2:
        mech = random_mechanism(rng, bodies=chains * links, roots=chains, root_kinds=(rg.Free,), **options)
    return mech, mech.state(q=rg.integrate(mech, mech.state().q, rng.uniform(-1, 1, mech.nv)), v=rng.standard_normal(mech.nv))


def bodies_by_root(mech):
    """The bodies of each tree."""
    roots = {}
    for name, k in mech.structure.row_of.items():
        roots.setdefault(int(mech.structure.walk[k, 8]), []).append(name)
    return list(roots.values())


def connection_jacobians(mech, state, joint):
    """S2's J₁, J₂ and J_n: of the connection point on child and parent, and of the virtual link; rows in world axes."""
    framed = mech.copy()
    for name, body, pose in (("on a", joint.parent, joint.parent_pose), ("on b", joint.child, joint.child_pose)):
        framed.add_frame(name, body, pose)
    here = rg.frame_pose(framed, state, "on b")
    turn = np.kron(np.eye(2), here.rotation)
    J_a, J_b = rg.jacobian(framed, state, "on a"), rg.jacobian(framed, state, "on b")
    apart = here.translation - rg.frame_position(framed, state, "on a")
    J_a = np.vstack([J_a[:3], J_a[3:] - np.cross(apart, J_a[:3].T).T])  # of the point of a that is at b's frame
    q = joint.type.position(rg.frame_pose(framed, state, "on a").inverse() @ here)
    return J_b, J_a, (turn @ screws(joint.type, q).T if joint.type.nv else np.zeros((6, 0)))


def jump(M, J_1, J_2, J_n, v):
    """Δθ̇ of S2's eqs. (35)–(38), which are (29)–(33) where the chains are two: M is then block-diagonal; and F₁ on body b."""
    J = J_1 - J_2
    B_inverse = np.linalg.inv(J @ np.linalg.solve(M, J.T))
    C = J_n @ np.linalg.inv(J_n.T @ B_inverse @ J_n) @ J_n.T @ B_inverse if J_n.size else np.zeros((6, 6))
    F = -B_inverse @ (np.eye(6) - C) @ (J @ v)
    return np.linalg.solve(M, J.T @ F), F


@settings(max_examples=60)
@given(SEEDS, st.sampled_from(ALL_JOINTS), st.booleans())
def test_the_velocities_jump_as_the_paper_says(seed, kind, two_chains):
    """For p = 0 … 6 degrees of freedom of the new joint, two floating chains or one."""
    rng = np.random.default_rng(seed)
    mech, state = floating(rng, chains=2, kinds=(rg.Spherical, rg.Free, rg.Planar, rg.Universal), own=True)
    first, second = bodies_by_root(mech)
    pair = (first[-1], second[-1]) if two_chains else (first[0], first[-1])
    joint = random_joint(rng, kind)
    at = rng.uniform(-1, 1, 3)
    held, after = rg.connect(mech, state, *pair, joint=joint, at=at, name="grip")
    J_1, J_2, J_n = connection_jacobians(mech, state, held.joints["grip"])
    M = rg.mass_matrix(mech, state)
    if np.linalg.cond((J_1 - J_2) @ np.linalg.solve(M, (J_1 - J_2).T)) > 1e6:
        return  # the chain is too stiff for the paper's inverse of B
    change, F = jump(M, J_1, J_2, J_n, state.v)
    assert relative_error(after.v, state.v + change) < 1e-8
    assert relative_error(after.impulse["grip"], F) < 1e-7
    assert after.q == pytest.approx(state.q, abs=1e-12)


@settings(max_examples=60)
@given(SEEDS, st.sampled_from([kind for kind in ALL_JOINTS if kind is not rg.Free]), st.integers(0, 2))
def test_an_impact_takes_energy_and_keeps_momentum(seed, kind, loops):
    rng = np.random.default_rng(seed)
    mech, state = random_closed(rng, bodies=5, loops=loops, root_kinds=(rg.Free,), own=True)
    mech = mech.replace(settings={"j0": {"armature": 0.0}})  # a rotor against the world takes momentum
    state = rg.assemble(mech, mech.state(state.q, state.v))
    a, b = (str(name) for name in rng.choice(list(mech.bodies), 2, replace=False))
    held, after = rg.connect(mech, state, a, b, joint=random_joint(rng, kind), at=rng.uniform(-1, 1, 3), name="grip")
    change, M = after.v - state.v, rg.mass_matrix(mech, state)
    before, now = rg.energy(mech, state).kinetic, rg.energy(held, after).kinetic
    size = 1.0 + before
    assert now <= before + 1e-12 * size
    assert before - now == pytest.approx(0.5 * change @ M @ change, abs=1e-9 * size)
    if not mech.loop_joints or all("world" not in loop for loop in mech.layout.loops):
        for part in ("angular", "linear"):
            was, found = getattr(rg.momentum(mech, state), part), getattr(rg.momentum(held, after), part)
            assert found == pytest.approx(was, abs=1e-9 * (1.0 + np.abs(was).max()))
    again = rg.connect(held, after, a, b, joint=rg.Free(), at=(0, 0, 0), name="nothing")[1]
    assert relative_error(again.v, after.v) < 1e-9
    opened, loose = rg.cut(held, after, "grip")
    _, caught = rg.connect(opened, loose, a, b, joint=held.joints["grip"].type, name="grip",
                           pose_a=held.joints["grip"].parent_pose, pose_b=held.joints["grip"].child_pose)  # fmt: skip
    assert relative_error(caught.v, after.v) < 1e-8  # cutting and reconnecting at once changes nothing


def test_several_connections_at_one_instant_are_one_impact():
    rng = np.random.default_rng(5)
    mech, state = floating(rng, kinds=(rg.Spherical,))
    first, second = bodies_by_root(mech)
    wanted = [
        rg.Connection(first[0], second[-1], rg.Spherical(), at=(0.1, 0.2, 0.3), name="one"),
        rg.Connection("world", first[-1], HINGE, at=(0.3, -0.2, 0.1), name="two"),
        rg.Connection("world", second[0], rg.Spherical(), at=(-0.3, 0.4, 0.0), name="three"),
    ]
    held, together = rg.connect_all(mech, state, wanted)
    _, backwards = rg.connect_all(mech, state, wanted[::-1])
    assert together.v == pytest.approx(backwards.v, rel=1e-9, abs=1e-10)
    assert set(together.impulse) == {"one", "two", "three", *mech.joints}
    for name, impulse in together.impulse.items():
        assert impulse == pytest.approx(backwards.impulse[name], rel=1e-8, abs=1e-9)
    # one after the other ends at the same velocities: projections onto ever smaller spaces
    one_by_one = mech, state
    for c in wanted:
        one_by_one = rg.connect(*one_by_one, c.body_a, c.body_b, joint=c.joint, at=c.at, name=c.name)
    assert one_by_one[0].loop_joints == held.loop_joints
    assert one_by_one[1].v == pytest.approx(together.v, rel=1e-9, abs=1e-10)
    assert one_by_one[1].impulse["three"] == pytest.approx(together.impulse["three"], rel=1e-9, abs=1e-10)


def test_redundant_connections_share_the_impulse_and_leave_the_velocities_unique():
    mech, state = falling_rod()
    _, once = rg.connect(mech, state, "world", "rod", at=(0, 0, 0), name="weld")
    both = [rg.Connection("world", "rod", rg.Fixed(), at=(0, 0, 0), name=name) for name in ("weld", "other weld")]
    _, twice = rg.connect_all(mech, state, both)
    assert twice.v == pytest.approx(once.v, abs=1e-12)
    for name in ("weld", "other weld"):
        assert twice.impulse[name] == pytest.approx(0.5 * once.impulse["weld"], abs=1e-12)


def falling_rod():
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia(2.0, com=(0.5, 0, 0), tensor=np.diag([1e-3, 1 / 6, 1 / 6])))
    mech.add_joint("flight", rg.Free(), "world", "rod")
    return mech, mech.state(v={"flight": (0.3, 0.0, -2.0, 0.0, 0.0, 0.0)})


def test_a_falling_rod_caught_at_its_end_by_a_hinge():
    """About the caught end the angular momentum 2 kg · 0.5 m · 2 m/s is kept: ω = 2 / (m l² / 3) = 3 rad/s, from z to x."""
    mech, state = falling_rod()
    held, after = rg.connect(mech, state, "world", "rod", joint=HINGE, name="pin")
    assert held.joint_velocity(after, "pin") == pytest.approx([3.0], abs=1e-12)
    assert after.impulse["pin"] == pytest.approx([0, 0, 0, -0.6, 0, 4.0 - 2.0 * 1.5], abs=1e-12)


def stout(mech):
    """The mechanism with some inertia about every axis, so that it can float."""
    twin = rg.Mechanism(mech.gravity)
    for body in mech.bodies.values():
        twin.add_body(body.name, body.inertia + rg.Inertia.sphere(1.0, 0.1))
    for joint in mech.joints.values():
        twin.add_joint(joint.name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    for frame in mech.frames.values():
        twin.add_frame(frame.name, frame.body, frame.pose)
    return twin


@settings(max_examples=20)
@given(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4), st.floats(-3, 3), st.floats(-3, 3))
def test_it_equals_re_rooting_with_an_impact(stance, hip, stance_rate, hip_rate):
    """S1's eq. (23) on the compass biped: the strike of a foot as re-rooting, and as a connection of a biped that floats."""
    mech = stout(rg.models.compass_biped().mech)
    state = mech.state(q={"stance": stance, "hip": hip}, v={"stance": stance_rate, "hip": hip_rate})
    foot = rg.frame_position(mech, state, "right foot")
    stood, expected = rg.reroot(mech, state, "right", at=foot, joint=HINGE, name="strike", velocity="impact")
    loose, flying = rg.cut(mech, state, "stance")
    held, found = rg.connect(loose, flying, "world", "right", joint=HINGE, at=foot, name="strike")
    assert body_motions(held, found) == pytest.approx(body_motions(stood, expected), rel=1e-9, abs=1e-9)


def test_where_the_joint_sits():
    rng = np.random.default_rng(0)
    mech, state = floating(rng, kinds=(rg.Spherical,))
    first, second = bodies_by_root(mech)
    a, b = first[0], second[0]
    poses = rg.body_poses(mech, state)
    held, after = rg.connect(mech, state, a, b, joint=rg.Spherical(), pose_a=rg.Pose(translation=(0, 0, 0.3)), name="grip")
    assert (poses[b] @ held.joints["grip"].child_pose).translation == pytest.approx(poses[a].apply((0, 0, 0.3)))
    assert held.joint_position(after, "grip") == pytest.approx([1, 0, 0, 0], abs=1e-9)
    held, after = rg.connect(mech, state, a, b, joint=HINGE, pose_b=rg.Pose(translation=(0, 0, 0.3)))
    assert held.joint_position(after, f"{a}_{b}") == pytest.approx([0.0], abs=1e-9)
    held, _ = rg.connect(mech, state, "world", b)
    assert held.joints[f"world_{b}"].parent_pose.translation == pytest.approx(poses[b].translation)
    here = rg.Pose.from_quaternion((1, 0, 0, 0))
    far, _ = rg.connect(mech, state, a, b, joint=rg.Free(), pose_a=here, pose_b=here)  # a free joint fits anywhere
    assert far.loop_joints == (f"{a}_{b}",)


REFUSED = {
    "no such body": (lambda m, s: rg.connect(m, s, "hand", "b0"), "no body 'hand' to connect.*'b0'"),
    "itself": (lambda m, s: rg.connect(m, s, "b0", "b0"), "needs two bodies"),
    "no joint type": (lambda m, s: rg.connect(m, s, "b0", "b1", joint="Revolute", at=(0, 0, 0)), "joint type"),
    "no pose": (lambda m, s: rg.connect(m, s, "b0", "b1", pose_a=(0, 0, 1)), "pose_a must be a Pose"),
    "both ways": (lambda m, s: rg.connect(m, s, "b0", "b1", pose_a=rg.Pose(), at=(0, 0, 0)), "either at"),
    "bad point": (lambda m, s: rg.connect(m, s, "b0", "b1", at=(0, 0)), "at.*absolute position"),
    "no point": (lambda m, s: rg.connect(m, s, "b0", "b1"), "not at the same place.*at"),
    "apart": (lambda m, s: rg.connect(m, s, "b0", "b1", pose_a=rg.Pose(), pose_b=rg.Pose()), "cannot take hold.*off by"),
    "apart in speed": (lambda m, s: rg.connect(m, s, "b0", "b1", at=(0, 0, 0), impact=False), "move apart.*impact=True"),
    "no connection": (lambda m, s: rg.connect_all(m, s, [("b0", "b1")]), "Connection"),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_connected_is_refused(call, message):
    rng = np.random.default_rng(3)
    mech, state = floating(rng, kinds=(rg.Spherical,))
    with pytest.raises(rg.StructureError, match=message):
        call(mech, state)


def test_a_body_without_inertia_about_an_axis_cannot_float_and_be_caught():
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(2.0, (0, 0, 0), (1, 0, 0)))
    mech.add_joint("flight", rg.Free(), "world", "rod")
    with pytest.raises(rg.StructureError, match=r"'pin' has no unique result.*'flight' can move without moving any inertia"):
        rg.connect(mech, mech.state(), "world", "rod", joint=HINGE, name="pin")


def test_a_name_can_be_used_once():
    mech, state = falling_rod()
    with pytest.raises(rg.ModelError, match="already a joint 'flight'"):
        rg.connect(mech, state, "world", "rod", name="flight")


def test_open_loops_are_closed_before_others_are_made():
    rng = np.random.default_rng(4)
    mech, state = random_closed(rng, bodies=4, loops=1, kinds=(rg.Spherical,), root_kinds=(rg.Free,))
    torn = mech.state(q=rg.integrate(mech, state.q, rng.uniform(-0.3, 0.3, mech.nv)), v=state.v)
    with pytest.raises(rg.StructureError, match=r"'loop 0' is open .* assemble"):
        rg.connect(mech, torn, "b0", "b3", at=(0, 0, 0))


@settings(max_examples=30)
@given(SEEDS)
def test_connections_within_a_random_chain_leave_old_loops_closed(seed):
    rng = np.random.default_rng(seed)
    mech, state = random_closed(rng, bodies=6, loops=2, root_kinds=(rg.Free,))
    state = rg.assemble(mech, state)
    held, after = rg.connect(mech, state, "b0", "b5", joint=rg.Spherical(), pose_a=random_pose(rng), name="grip")
    for name in held.loop_joints:
        joint = held.joints[name]
        motion = rg.body_twists(held, after)
        assert np.isfinite(held.joint_velocity(after, name)).all()
        assert motion[joint.child] is not None if joint.child != "world" else True
    closed = rg.assemble(held, after)
    assert relative_error(closed.v, after.v) < 1e-8
