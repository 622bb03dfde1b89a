"""Random mechanisms of boxes that fall onto level ground on points at their corners."""

from __future__ import annotations

import numpy as np

import regraft as rg

SIZE = (0.2, 0.15, 0.1)


def falling_boxes(seed, bodies=(2, 3), restitution=0.0):
    """(mech, state, contacts): boxes joined by hinges, thrown at random; each has points at four of its corners."""
    rng = np.random.default_rng(seed)
    mech, count, names = rg.Mechanism(), int(rng.integers(bodies[0], bodies[1] + 1)), []
    for k in range(count):
        mech.add_body(f"b{k}", rg.Inertia.box(rng.uniform(0.5, 2), SIZE))
    mech.add_joint("base", rg.Free(), "world", "b0")
    for k in range(1, count):
        axis = rng.normal(size=3)
        hinge = rg.Revolute(tuple(axis / np.linalg.norm(axis)), damping=0.02)
        here, there = rg.Pose(translation=(0.1, 0.07, 0)), rg.Pose(translation=(-0.1, -0.07, 0))
        mech.add_joint(f"j{k}", hinge, f"b{k - 1}", f"b{k}", here, there)
    for k in range(count):
        for i in range(4):
            corner = (0.1 if i & 1 else -0.1, 0.075 if i & 2 else -0.075, rng.choice([-0.05, 0.05]))
            names.append(f"p{k}_{i}")
            mech.add_frame(names[-1], f"b{k}", rg.Pose(translation=corner))
    turned = rng.normal(size=4)
    speeds = rng.normal(size=6) * np.array([1, 1, 1, 3, 3, 3])
    state = mech.state(q={"base": (0, 0, 0.7, *(turned / np.linalg.norm(turned)))}, v={"base": speeds})
    friction = rng.uniform(0.1, 0.8)
    return mech, state, [rg.Contact(name, friction=friction, restitution=restitution) for name in names]


def farthest_apart(one, other, times):
    """How far the origins and axes of bodies are apart in two motions."""
    off = 0.0
    for t in times:
        mine, theirs = (rg.body_poses(traj.mechanism(t), traj.state(t)) for traj in (one, other))
        off = max(off, *(np.abs(mine[body].apply(np.eye(3)) - theirs[body].apply(np.eye(3))).max() for body in mine))
    return off
