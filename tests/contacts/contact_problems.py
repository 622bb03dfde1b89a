"""Contact problems, and their laws written down a second time, in NumPy."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from contact_entries import coulomb, mode_forces

from regraft.kernels.contacts.problem import BOX, CONE, OPEN, RAY, scratch_shape


@dataclass
class Problem:
    A: np.ndarray
    b: np.ndarray
    kinds: np.ndarray
    mu_s: np.ndarray
    mu_k: np.ndarray
    directions: np.ndarray = field(default=None)
    modes: np.ndarray = field(default=None)
    lam: np.ndarray = field(default=None)
    status: int = -1
    item: int = -1

    def __post_init__(self):
        items, rows = len(self.kinds), len(self.b)
        self.A, self.b = np.ascontiguousarray(self.A, float).reshape(rows, rows), np.asarray(self.b, float)
        self.kinds = np.asarray(self.kinds, np.int64)
        self.mu_s, self.mu_k = np.asarray(self.mu_s, float), np.asarray(self.mu_k, float)
        if self.directions is None:
            self.directions = np.tile([1.0, 0.0], (items, 1))
        if self.modes is None:
            self.modes = np.full(items, OPEN, np.int64)
        if self.lam is None:
            self.lam = np.zeros(rows)
        self.scratch = np.full(scratch_shape(rows), np.nan)

    @property
    def points(self):
        return int(((self.kinds == CONE) | (self.kinds == RAY)).sum())

    def in_modes(self, modes):
        self.modes = np.asarray(modes, np.int64)
        return mode_forces(self.A, self.b, self.kinds, self.mu_k, self.modes, self.directions, self.lam, self.scratch)

    def solve(self):
        self.status, self.item = coulomb(
            self.A, self.b, self.kinds, self.mu_s, self.mu_k, self.directions, self.modes, self.lam, self.scratch
        )
        return self

    @property
    def w(self):
        return self.A @ self.lam + self.b

    def violation(self):
        """By how much λ misses the laws themselves, relative to what w is a sum of; the modes are not looked at."""
        w, n = self.w, self.points
        size = np.abs(self.b) + np.abs(self.A) @ np.abs(self.lam)
        size = size + 1e-5 * size.max(initial=0.0) + 1e-300
        worst = 0.0
        for i in range(n):
            k = slice(3 * i, 3 * i + 3)
            d = np.diag(self.A)[k]
            scale = size[k].max()
            worst = max(worst, violation_of_point(self, i, w[k] / scale, self.lam[k] * max(d[0], 1e-300) / scale, d))
        for i in range(n, len(self.kinds)):
            row = 2 * n + i
            if self.kinds[i] == BOX:
                slack = self.A[row, row] * (abs(self.lam[row]) - self.mu_s[i])
                slips = max(
                    self.A[row, row] * abs(abs(self.lam[row]) - self.mu_k[i]),
                    self.lam[row] * w[row] / (abs(self.lam[row]) + 1e-300),
                )
                worst = max(worst, min(max(abs(w[row]), slack), slips) / size[row])
        return worst


def violation_of_point(problem, i, w, f, d):
    """w and f = A_nn λ relative to the size of the point's rows."""
    if d[0] <= 1e-24 * d.max():
        return 0.0
    w_t, f_t = w[1:] * (d[1:] > 1e-20 * d[0]), f[1:]
    mu_s, mu_k = problem.mu_s[i], problem.mu_k[i]
    normal = max(-f[0], -w[0], min(abs(f[0]), abs(w[0])))
    if problem.kinds[i] == RAY:
        return max(normal, np.abs(f_t + mu_k * f[0] * problem.directions[i]).max() / (1 + mu_k))
    sticks = max(np.abs(w_t).max(), (np.hypot(*f_t) - mu_s * f[0]) / (1 + mu_s))
    slip = np.hypot(*w_t)
    slides = np.abs(f_t + mu_k * f[0] * w_t / (slip + 1e-300)).max() / (1 + mu_k)
    # friction of a slip that is rounding has any direction, within the cone of kinetic friction
    return max(normal, min(sticks, slides))


def random_problem(rng, n, *, planar=False, freedoms=None, mu=None, kinds=None, joints=0, spread=0.0, gravity=True):
    """A = J M⁻¹ Jᵀ and b = J M⁻¹ f of n points and some joints on a system with random masses."""
    freedoms = freedoms or max(1, int(rng.integers(1, 3 * n + joints + 4)))
    J = rng.normal(size=(3 * n + joints, freedoms))
    if planar:
        J[2 : 3 * n : 3] = 0.0
    M = rng.normal(size=(freedoms, freedoms + 2))
    M = M @ M.T
    if spread:
        scales = 10.0 ** rng.uniform(-spread / 2, spread / 2, size=freedoms)
        M = scales[:, None] * M * scales
        J = J * scales
    f = rng.normal(size=freedoms)
    if gravity:
        f = f - 2.0 * J[0 : 3 * n : 3].sum(axis=0)
    A = J @ np.linalg.solve(M, J.T)
    A = (A + A.T) / 2
    b = J @ np.linalg.solve(M, f)
    mu = rng.uniform(0, 0.8, size=n) if mu is None else np.full(n, float(mu))
    bounds = rng.uniform(0, 1.0, size=joints)
    kinds = np.full(n, CONE) if kinds is None else np.asarray(kinds)
    return Problem(A, b, np.r_[kinds, np.full(joints, BOX)], np.r_[mu, bounds], np.r_[mu, bounds])


def box_on_ground(load=(0.0, 0.0), push=0.0, friction=0.7):
    """A box of 1 kg, 1 m long and 0.6 m wide, on its four corners, under 10 N at a place of its base and a push along it."""
    corners = [np.array([x, y, -0.2]) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
    J = np.array([np.r_[d, np.cross(r, d)] for r in corners for d in np.eye(3)[[2, 0, 1]]])
    force, base = np.array([0.0, 0.0, -10.0]), np.array([*load, -0.2])
    along = np.array([push, 0.0, 0.0])
    f = np.r_[force + along, np.cross(base, force) + np.cross([0.0, 0.0, -0.2], along)]
    M = np.diag([1.0, 1.0, 1.0, 12.0, 10.0, 8.0])  # M⁻¹
    return Problem(J @ M @ J.T, J @ M @ f, np.full(4, CONE), np.full(4, friction), np.full(4, friction))
