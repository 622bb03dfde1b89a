"""Random mechanisms with loops that are closed in their state."""

import numpy as np
from hypothesis import assume
from scipy.linalg import null_space

import regraft as rg
from random_mechanisms import ALL_JOINTS, random_joint, random_pose, random_sample, random_settings
from regraft.joints import screw_rates, screws

HOLDING = tuple(kind for kind in ALL_JOINTS if kind is not rg.Free)


def random_closed(rng, bodies=5, loops=2, kinds=HOLDING, *, alike=False, tree_kinds=ALL_JOINTS, **options):
    """A random tree, and joints between random pairs of its bodies, or the world, with their frames where these bodies are.

    With `alike` the loop joints have the settings that those of the tree have, but for rotors, which only trees have.
    """
    settings = {what: alike and options.get(what, False) for what in ("damping", "limits", "own")} | {"rotors": False}
    sample = random_sample(rng, bodies=bodies, kinds=tree_kinds, **options)
    mech = sample.mech.copy()
    poses = {"world": rg.Pose(), **rg.body_poses(mech, sample.state)}
    for number in range(loops):
        parent, child = (str(name) for name in rng.choice(list(poses), 2, replace=False))
        chosen = kinds[rng.integers(len(kinds))]
        kind = random_joint(rng, chosen, **random_settings(rng, chosen, **settings))
        on_parent = random_pose(rng)
        on_child = poses[child].inverse() @ poses[parent] @ on_parent @ kind.pose(random_position(rng, kind))
        mech.add_joint(f"loop {number}", kind, parent, child, on_parent, on_child)
    return mech, mech.state(q=sample.state.q, v=sample.state.v)


def random_position(rng, kind):
    one = rg.Mechanism()
    one.add_body("body", rg.Inertia.sphere(1.0, 1.0))
    one.add_joint("joint", kind, "world", "body")
    return rg.integrate(one, one.state().q, rng.uniform(-1, 1, kind.nv))


def four_bars(count):
    """IFToMM's A02 without its state."""
    return rg.models.four_bars(count).mech


def rows_of(mech, state):
    """J and −dJ/dt v + what the loop joints' own columns change: J v̇ must equal the second."""
    J, wanted = [np.zeros((0, mech.nv))], [np.zeros(0)]
    v = state.v
    for name, parent, child in mech.layout.loops:
        joint = mech.joints[name]
        (X_p, J_p, R_p), (X_c, J_c, R_c) = (
            frame_rows(mech, state, body, pose) for body, pose in ((parent, joint.parent_pose), (child, joint.child_pose))
        )
        apart, parting, spin = X_c.translation - X_p.translation, (J_c - J_p)[3:] @ v, J_c[:3] @ v
        relative = np.vstack([J_c[:3] - J_p[:3], J_c[3:] - J_p[3:] + skew(apart) @ J_p[:3]])
        rate = np.vstack([R_c[:3] - R_p[:3], R_c[3:] - R_p[3:] + skew(apart) @ R_p[:3] + skew(parting) @ J_p[:3]])
        axes = np.kron(np.eye(2), X_c.rotation.T)
        q, u = mech.joint_position(state, name), mech.joint_velocity(state, name)
        held = null_space(screws(joint.type, q)).T if joint.type.nv else np.eye(6)
        J.append(held @ axes @ relative)
        bias = axes @ (rate - np.kron(np.eye(2), skew(spin)) @ relative) @ v
        wanted.append(held @ (u @ screw_rates(joint.type, q, u) - bias))
    return np.vstack(J), np.concatenate(wanted)


def frame_rows(mech, state, body, pose):
    """Pose, Jacobian and its rate of a frame on a body, or on the world."""
    if body == "world":
        return pose, np.zeros((6, mech.nv)), np.zeros((6, mech.nv))
    framed = mech.copy()
    framed.add_frame("here", body, pose)
    return rg.frame_pose(framed, state, "here"), rg.jacobian(framed, state, "here"), rg.jacobian_rate(framed, state, "here")


def assembled_sample(rng, bodies, loops, **options):
    """A random closed mechanism, its loops closed in position and, by a dense projection, in velocity."""
    mech, rough = random_closed(rng, bodies, loops, **options)
    still = rg.assemble(mech, mech.state(q=rough.q))
    J = rg.loop_jacobian(mech, still, reduced=True)
    return mech, mech.state(q=still.q, v=rough.v - np.linalg.pinv(J, rcond=1e-7) @ (J @ rough.v))


def clear_cut(mech, state):
    """Whether the loops are far from where the rank of their rows is a matter of taste; lengths are of order 1."""
    sizes = np.linalg.svd(rg.loop_jacobian(mech, state), compute_uv=False)
    return not ((sizes > 1e-9) & (sizes < 1e-3)).any()


def closed_sample(seed, bodies, loops, **options):
    """A random closed mechanism that can move, in an assembled state; another example is tried where there is none."""
    mech, state = assembled_sample(np.random.default_rng(seed), bodies, loops, **options)
    assume(mech.nv and clear_cut(mech, state))
    return mech, state


def two_links(**settings):
    """S2's example (VII-A): a floating base, a link on it, and the link's far end hinged to the ground; settings of the elbow."""
    mech, hinge = rg.Mechanism(), rg.Revolute((0, 0, 1))
    mech.add_body("base", rg.Inertia.box(1.0, (0.1, 1.0, 0.1)))
    mech.add_body("link 1", rg.Inertia.box(1.0, (0.1, 1.0, 0.1)))
    mech.add_joint("float", rg.Free(), "world", "base")
    mech.add_joint("elbow", rg.Revolute((0, 0, 1), **settings), "base", "link 1", rg.Pose(translation=(0, 1, 0)))
    mech.add_joint("ground", hinge, "world", "link 1", rg.Pose(translation=(0, 2, 0)), rg.Pose(translation=(0, 1, 0)))
    return mech


def bricard():
    """Bricard's six-bar without its state."""
    return rg.models.bricard().mech


def moving_four_bar(**settings):
    """A parallelogram in the middle of its swing; settings of the hinges that close it."""
    mech = four_bars(1)
    if settings:
        joint = mech.joints["end 1"]
        ends = joint.parent, joint.child, joint.parent_pose, joint.child_pose
        mech = mech.with_joint("end 1", rg.Joint("end 1", rg.Revolute((0, 0, 1), **settings), *ends))
    rough = mech.state(q={"foot 0": 0.4, "top 0": -0.4, "foot 1": 0.4}, v={"foot 0": -0.7})
    return mech, rg.assemble(mech, rough, hold=["foot 0"])


def without_loops(mech):
    """The spanning tree alone, which takes the same q and v."""
    tree = rg.Mechanism(mech.gravity)
    for name, body in mech.bodies.items():
        tree.add_body(name, body.inertia)
    for name, joint in mech.joints.items():
        if name not in mech.loop_joints:
            tree.add_joint(name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    for name, s in mech.springs.items():
        tree.add_spring(
            name, s.body_a, s.point_a, s.body_b, s.point_b, stiffness=s.stiffness, damping=s.damping, rest_length=s.rest_length
        )
    return tree


def all_velocities(mech, state):
    """θ̇ of the tree joints, then of the loop joints."""
    return np.concatenate([state.v, *(mech.joint_velocity(state, name) for name in mech.loop_joints)])


def coordinate_velocities(mech, state, labels):
    """The velocities of coordinates named "crank" or "base[3]"."""
    found = []
    for label in labels:
        name, _, index = (label, "", "0]") if label in mech.joints else label.rpartition("[")
        found.append(mech.joint_velocity(state, name)[int(index[:-1])])
    return np.array(found)


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def reordered(mech, state, order):
    """The same mechanism with its joints added in another order, so that others close the loops, in the same state."""
    twin = rg.Mechanism(mech.gravity)
    for body in mech.bodies.values():
        twin.add_body(body.name, body.inertia)
    for name in order:
        joint = mech.joints[name]
        twin.add_joint(name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    for s in mech.springs.values():
        options = {"stiffness": s.stiffness, "damping": s.damping, "rest_length": s.rest_length}
        twin.add_spring(s.name, s.body_a, s.point_a, s.body_b, s.point_b, **options)
    tree = twin.layout.names
    q = {name: mech.joint_position(state, name) for name in tree}
    return twin, twin.state(q=q, v={name: mech.joint_velocity(state, name) for name in tree})


def body_accelerations(mech, state, a):
    """(bodies, 6): of each body, by its Jacobian and the rate of that."""
    return np.array([rg.jacobian(mech, state, b) @ a + rg.jacobian_rate(mech, state, b) @ state.v for b in mech.bodies])


def body_motions(mech, state):
    """Poses and twists of all bodies, as rows."""
    poses, twists = rg.body_poses(mech, state), rg.body_twists(mech, state)
    return np.array([np.concatenate((poses[b].rotation.ravel(), poses[b].translation, twists[b])) for b in mech.bodies])
