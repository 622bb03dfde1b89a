"""Random mechanisms with loops that are closed in their state."""

import numpy as np

import regraft as rg
from random_mechanisms import ALL_JOINTS, random_joint, random_pose, random_sample

HOLDING = tuple(kind for kind in ALL_JOINTS if kind is not rg.Free)


def random_closed(rng, bodies=5, loops=2, kinds=HOLDING, **options):
    """A random tree, and joints between random pairs of its bodies, or the world, with their frames where these bodies are."""
    sample = random_sample(rng, bodies=bodies, **options)
    mech = sample.mech.copy()
    poses = {"world": rg.Pose(), **rg.body_poses(mech, sample.state)}
    for number in range(loops):
        parent, child = (str(name) for name in rng.choice(list(poses), 2, replace=False))
        kind = random_joint(rng, kinds[rng.integers(len(kinds))])
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
    """IFToMM's A02: rods of 1 kg and 1 m, upright ones on the ground 1 m apart, level ones between their tops."""
    mech, hinge = rg.Mechanism(gravity=(0, -9.81, 0)), rg.Revolute((0, 0, 1))
    for i in range(count + 1):
        mech.add_body(f"upright {i}", rg.Inertia.rod(1.0, (0, 0, 0), (0, 1, 0)))
        mech.add_joint(f"foot {i}", hinge, "world", f"upright {i}", rg.Pose(translation=(i, 0, 0)))
        if i < count:
            mech.add_body(f"level {i}", rg.Inertia.rod(1.0, (0, 0, 0), (1, 0, 0)))
            mech.add_joint(f"top {i}", hinge, f"upright {i}", f"level {i}", rg.Pose(translation=(0, 1, 0)))
        if i > 0:
            ends = rg.Pose(translation=(1, 0, 0)), rg.Pose(translation=(0, 1, 0))
            mech.add_joint(f"end {i}", hinge, f"level {i - 1}", f"upright {i}", *ends)
    return mech


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
