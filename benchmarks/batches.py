"""Thousands of motions at once: `simulate_batch` against MuJoCo's rollout, with the same number of threads."""

from __future__ import annotations

import os

import mujoco
import numpy as np
from mujoco import rollout

import regraft as rg
from subjects import MujocoTwin, Subject
from timing import Comparison, compare

MOTIONS, STEPS, SIZE = 4096, 20, 1e-4
TURNS = 8


def batch_comparisons(s: Subject) -> list[Comparison]:
    """A step of each of thousands of passive humanoids with the classical Runge–Kutta method; no contacts, all steps kept."""
    cores = os.cpu_count() or 1
    return [_rolling(s, 1, "on one core"), _rolling(s, cores, "on all cores")]


def _rolling(s: Subject, threads: int, where: str) -> Comparison:
    rng = np.random.default_rng(0)
    q, v = np.repeat(s.state.q[None], MOTIONS, axis=0), s.state.v + 0.1 * rng.standard_normal((MOTIONS, s.mech.nv))
    twin = MujocoTwin(s.mech)
    model = twin.model
    model.opt.integrator, model.opt.timestep, model.opt.enableflags = mujoco.mjtIntegrator.mjINT_RK4, SIZE, 0
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    starts = np.zeros((MOTIONS, mujoco.mj_stateSize(model, kind)))
    for b in range(MOTIONS):
        twin.data.qpos[:], twin.data.qvel[:] = twin.q(s.mech.state(q=q[b], v=v[b])), v[b]
        mujoco.mj_getState(model, twin.data, starts[b], kind)
    room = [mujoco.MjData(model) for _ in range(threads)]

    def ours() -> object:
        return rg.simulate_batch(s.mech, q, v, STEPS * SIZE, step=SIZE, threads=threads)

    with rollout.Rollout(nthread=threads) as pool:

        def theirs() -> object:
            return pool.rollout(model, room, starts, nstep=STEPS)

        found = compare(f"simulate_batch, a step of rk4 {where}", s.name, ours, "mujoco.rollout, RK4", theirs, 0.2, 1, 1, TURNS)
    steps = MOTIONS * STEPS
    return Comparison(found.what, s.name, found.ours / steps, found.reference, found.theirs / steps, found.target)
