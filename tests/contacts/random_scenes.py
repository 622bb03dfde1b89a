"""Random mechanisms with random contacts, and bodies that are dropped at random."""

from __future__ import annotations

import numpy as np

import regraft as rg
from contacts.scenes import G, Scene, at, free_body, touching
from random_mechanisms import random_mechanism, random_rotation, random_state

KINDS = (rg.Revolute, rg.Spherical, rg.Universal, rg.Prismatic, rg.Cylindrical, rg.Fixed)
LAWS = ("poisson", "stronge")


def random_settings(rng, **fixed):
    """Friction, with static and kinetic apart half of the time, restitution and its law."""
    mu = rng.uniform(0.1, 1.0)
    friction = mu if rng.random() < 0.5 else (mu, mu * rng.uniform(0.5, 1.0))
    return {"friction": friction, "restitution": rng.uniform(0, 0.9), "law": str(rng.choice(LAWS)), **fixed}


def random_scene(seed, points=(4, 12), bodies=(1, 5), height=(0.02, 0.4), calm=0.5, damping=True, **fixed):
    """A mechanism that floats above level ground, with points on its bodies that touch it.

    `calm` scales its velocities; `fixed` are settings that all of its contacts have.
    """
    rng = np.random.default_rng(seed)
    count = int(rng.integers(bodies[0], bodies[1] + 1))
    mech = random_mechanism(rng, count, KINDS, root_kinds=(rg.Free,), damping=damping)
    root = next(name for name, joint in mech.joints.items() if isinstance(joint.type, rg.Free))
    mech = mech.replace(gravity=(0, 0, -G), damping={root: 0.0})
    names = [f"point {i}" for i in range(rng.integers(points[0], points[1] + 1))]
    for i, name in enumerate(names):
        mech.add_frame(name, f"b{i % count}", rg.Pose(translation=rng.uniform(-0.5, 0.5, 3)))
    drawn = random_state(rng, mech)
    state = lifted(mech, mech.state(q=drawn.q, v=calm * drawn.v), names, rng.uniform(*height))
    return Scene(mech, state, tuple(touching(name, **random_settings(rng, **fixed)) for name in names))


def lifted(mech, state, names, height):
    """The same motion so far up that the lowest of these frames is at a height."""
    up = height - min(rg.frame_position(mech, state, name)[2] for name in names)
    root = next(joint for joint in mech.joints.values() if "world" in (joint.parent, joint.child))
    body = root.child if root.parent == "world" else root.parent
    pose, twist = rg.body_poses(mech, state)[body], rg.body_twists(mech, state)[body]
    # the root's joint may sit anywhere on both bodies and be walked either way: its numbers follow from pose and twist
    placed = at(z=up) @ pose
    there = root.parent_pose.inverse() @ placed @ root.child_pose
    if root.child == "world":
        there = (root.child_pose.inverse() @ placed @ root.parent_pose).inverse()
    q, where = state.q.copy(), mech.q_slice(root.name)
    q[where] = (*there.translation, *there.quaternion)
    still = mech.state(q=q)
    columns = mech.v_slice(root.name)
    v = state.v.copy()
    jacobian = rg.jacobian(mech, still, body)
    v[columns] = np.linalg.solve(jacobian[:, columns], twist)
    return mech.state(q=q, v=v)


FORMS = ("sphere", "box", "capsule", "cylinder")


def random_drop(seed):
    """A sphere, box, capsule or cylinder thrown down at random onto level ground; its shape, and a scene."""
    rng = np.random.default_rng(seed)
    kind = FORMS[seed % len(FORMS)]
    size = rng.uniform(0.05, 0.4, 3)
    inertia, form = solid(kind, size)
    reach = float(np.linalg.norm(size)) + size[0]
    pose = rg.Pose(random_rotation(rng), (0.0, 0.0, reach + rng.uniform(0.0, 0.5)))
    linear, angular = rng.uniform(-2, 2, 3), rng.uniform(-8, 8, 3)
    mech, state = free_body("thing", inertia, pose, linear, angular, form)
    return kind, size, Scene(mech, state, (touching("thing", **random_settings(rng)),))


def solid(kind, size):
    """Inertia and form of a body with these sizes."""
    a, b, _ = size
    if kind == "sphere":
        return rg.Inertia.sphere(1.0, a), rg.Sphere(a)
    if kind == "box":
        return rg.Inertia.box(1.0, size), rg.Box(size)
    ends = (0, 0, -b / 2), (0, 0, b / 2)
    inertia = rg.Inertia.cylinder(1.0, a, *ends)
    return inertia, rg.Capsule(a, *ends) if kind == "capsule" else rg.Cylinder(a, b)


def lowest(kind, size, pose):
    """The height of the lowest point of such a body."""
    a, b, _ = size
    z, down = pose.translation[2], pose.rotation[2]
    if kind == "sphere":
        return z - a
    if kind == "box":
        return z - float(np.abs(down) @ size) / 2
    along = abs(down[2]) * b / 2
    return z - along - (a if kind == "capsule" else a * float(np.sqrt(max(0.0, 1 - down[2] ** 2))))
