"""Impacts of points on a system with given masses, for tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regraft.kernels.contacts.impact import impacts
from regraft.kernels.contacts.problem import scratch_shape


@dataclass
class Impact:
    status: int
    told: int
    impulse: np.ndarray
    after: np.ndarray
    energy: float
    modes: np.ndarray


def impact(A, u, mu=0.0, e=0.0, law=0, order=0, mu_static=None):
    A, u = np.ascontiguousarray(A, float), np.asarray(u, float)
    n = len(u) // 3
    mu, e = np.broadcast_to(np.asarray(mu, float), n).copy(), np.broadcast_to(np.asarray(e, float), n).copy()
    mu_s = mu if mu_static is None else np.broadcast_to(np.asarray(mu_static, float), n).copy()
    laws = np.broadcast_to(np.asarray(law, np.int64), n).copy()
    kinds, modes, directions = np.zeros(n, np.int64), np.zeros(n, np.int64), np.tile([1.0, 0.0], (n, 1))
    impulse, after = np.zeros(3 * n), np.zeros(3 * n)
    scratch = np.full(scratch_shape(3 * n), np.nan)
    status, told = impacts(A, u, mu_s, mu, e, laws, order, kinds, modes, directions, impulse, after, scratch)
    return Impact(status, told, impulse, after, 0.5 * float((u + after) @ impulse), modes)


def random_impact(rng, n, planar=False):
    freedoms = int(rng.integers(3, 3 * n + 4))
    J = rng.normal(size=(3 * n, freedoms))
    if planar:
        J[2::3] = 0.0
    M = rng.normal(size=(freedoms, freedoms + 2))
    A = J @ np.linalg.solve(M @ M.T, J.T)
    v = rng.normal(size=freedoms) - J[0::3].sum(axis=0)
    return (A + A.T) / 2, J @ v
