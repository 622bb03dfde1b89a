"""Mechanisms on manifolds, and differences that derivatives are compared with."""

import re
from pathlib import Path

import numpy as np

import regraft as rg
from random_mechanisms import random_inertia, random_mechanism, random_pose

STEP = 1e-3
AGREES = 1e-8  # extrapolated differences with this step are good to some 1e-11; relative to the largest number


def flyer(seed=0):
    """A floating base, a ball joint that is walked backwards, a universal joint and a hinge with a limit."""
    rng = np.random.default_rng(seed)
    mech = rg.Mechanism()
    for name in ("trunk", "arm", "hand", "tool"):
        mech.add_body(name, random_inertia(rng))
    mech.add_joint("base", rg.Free(damping=0.3), "world", "trunk", child_pose=random_pose(rng))
    mech.add_joint("shoulder", rg.Spherical(damping=0.2, stiffness=3.0), "arm", "trunk", parent_pose=random_pose(rng))
    mech.add_joint("wrist", rg.Universal((1, 0, 0), (0, 1, 0)), "arm", "hand", parent_pose=random_pose(rng))
    mech.add_joint(
        "finger", rg.Revolute((0, 1, 0), limits=rg.Limits(-0.1, 0.1, 20.0, 0.2)), "hand", "tool", parent_pose=random_pose(rng)
    )
    return mech


def any_tree(seed):
    """A tree with joints of random types, damped, with a spring, and two bodies that hang on the world.

    Without limits: where a stage of a step is near one, differences are taken across its bend.
    """
    return random_mechanism(np.random.default_rng(seed), bodies=5, roots=2, damping=True, springs=1)


def random_rows(mech, count, seed=0, steps=None):
    """Positions, velocities and torques, or torques of so many steps."""
    rng = np.random.default_rng(seed)
    q = np.array([rg.integrate(mech, mech.state().q, rng.uniform(-1.2, 1.2, mech.nv)) for _ in range(count)])
    shape = (count, mech.nv) if steps is None else (count, steps, mech.nv)
    return q.reshape(count, mech.nq), rng.standard_normal((count, mech.nv)), rng.standard_normal(shape)


def stretched(mech, q, seed=1):
    """The same positions by quaternions of other lengths."""
    rng, found = np.random.default_rng(seed), q.copy()
    for name, kind, *_ in mech.layout.joints:
        if kind.quaternion is not None:
            first = mech.q_slice(name).start + kind.quaternion
            found[:, first : first + 4] *= rng.uniform(0.5, 2.0, (len(q), 1)) * rng.choice([-1.0, 1.0], (len(q), 1))
    return found


def slope(function, step=STEP):
    """The derivative at zero of a function of one number, by differences of two steps, extrapolated."""

    def central(h):
        return (function(h) - function(-h)) / (2.0 * h)

    return (4.0 * central(step) - central(2.0 * step)) / 3.0


def page_blocks():
    """The code of PyTorch and of JAX on the page about them, which runs only where they are installed."""
    page = Path(__file__).parents[2] / "docs" / "learning.md"
    return re.findall(r"^```py\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
