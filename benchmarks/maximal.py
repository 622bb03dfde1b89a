"""Maximal coordinates: how their dynamics grows with the number of joints, beside S3's dense equations, and their memory."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import regraft as rg
from regraft.maximal import Skeleton, SkeletonState, accelerations, skeleton_of
from timing import Comparison, best, compare

Start = tuple[rg.Mechanism, rg.State]

JOINTS = (10, 30, 100, 300, 1000, 3000, 10000)
BONES = 30
LONG, STEPS, SIZE = 10000, 20, 1e-4  # bodies, steps and their size in seconds of the simulated chain


def chain(joints: int, *, floating: bool = False) -> Start:
    """Equal rods on hinges about x and y in turn, in a random state; hung on the world, or afloat without gravity."""
    mech = rg.Mechanism((0.0, 0.0, 0.0 if floating else -9.81))
    rod, end = rg.Inertia.cylinder(0.5, 0.05, (0, 0, 0), (0, 0, 0.1)), rg.Pose(translation=(0, 0, 0.1))
    below = "world"
    if floating:
        mech.add_body("first", rod)
        mech.add_joint("float", rg.Free(), "world", "first")
        below = "first"
    for i in range(joints):
        mech.add_body(f"rod {i}", rod)
        mech.add_joint(f"hinge {i}", rg.Revolute((0, 1, 0) if i % 2 else (1, 0, 0)), below, f"rod {i}", end)
        below = f"rod {i}"
    rng = np.random.default_rng(0)
    q = {f"hinge {i}": angle for i, angle in enumerate(rng.uniform(-0.1, 0.1, joints))}
    return mech, mech.state(q=q, v=rng.uniform(-0.1, 0.1, mech.nv))


def chain_times() -> dict[int, float]:
    """Microseconds of `forward_dynamics`, from Python, in maximal coordinates, by the number of joints of a chain."""
    found = {}
    for joints in JOINTS:
        free, bodies = rg.to_maximal(*chain(joints))
        found[joints] = best(lambda: rg.forward_dynamics(free, bodies), max(1, 1000 // joints))  # noqa: B023
    return found


def skeleton_comparison() -> Comparison:
    """Accelerations of a skeleton beside S3's equations, filled and solved by the pseudo-inverse as the paper has it."""
    start = chain(BONES - 1, floating=True)
    (free, bodies), (skeleton, at) = rg.to_maximal(*start), skeleton_of(*start)
    _check_same(free, bodies, skeleton, at)

    def ours() -> object:
        return rg.forward_dynamics(free, bodies)

    def theirs() -> object:
        return accelerations(skeleton, at)

    return compare("forward_dynamics in maximal coordinates", f"skeleton of {BONES}", ours, "S3, dense", theirs, 0.02, 1, 1)


def _check_same(free: rg.Mechanism, bodies: rg.State, skeleton: Skeleton, at: SkeletonState) -> None:
    """What is compared computes the same."""
    _, dense = accelerations(skeleton, at)
    ours = rg.forward_dynamics(free, bodies).reshape(-1, 6)[:, 3:]  # of each body in its own axes
    assert np.abs(ours - dense).max() < 1e-9 * max(1.0, float(np.abs(dense).max()))


def long_simulation() -> dict[str, Any]:
    """Seconds that a long chain takes for some steps of rk4, all that `simulate` does included; joints are put back closed."""
    mech, state = chain(LONG)
    options: dict[str, Any] = {"coordinates": "maximal", "integrator": "rk4", "step": SIZE, "every": STEPS}
    rg.simulate(mech, state, SIZE, **options)
    begin = time.perf_counter()
    traj = rg.simulate(mech, state, STEPS * SIZE, **options)
    seconds = time.perf_counter() - begin
    assert traj.steps == STEPS
    return {"bodies": LONG, "steps": STEPS, "seconds": seconds, "gap": float(traj.loop_error().position.max())}


def table_bytes(joints: int = LONG) -> float:
    """Bytes of the solver's tables per joint of a chain."""
    free, _ = rg.to_maximal(*chain(joints))
    return float(free.structure.work.memory.nbytes) / joints


def maximal_scaling() -> dict[str, Any]:
    """All of these but the comparison, as plain data."""
    return {
        "microseconds": chain_times(),
        "simulation": long_simulation(),
        "table_bytes_per_joint": table_bytes(),
    }
