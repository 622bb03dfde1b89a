"""Forces at points within friction cones that cost least: a small convex programme, by an interior-point method.

The cost is ½ fᵀ H f − rᵀ f, of the forces f = (x, y, z) at all points one after the other; each must push, and may not pull
sideways by more than friction allows. A logarithmic barrier keeps every force inside its cone; it is made weaker step by step,
each time followed by Newton's method (Boyd and Vandenberghe, *Convex Optimization*, chapter 11).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.dense import solve_definite_rows
from ..compilation import Floats, Table, entry, inline, jit
from ..tolerances import BARRIER_STEP, CONE_STEP, LAST_BARRIER, SHORTEST_PART

_STEPS = 40  # of Newton's method for one barrier; some five are needed


@inline
def inside(mu: float, x: float, y: float, z: float) -> float:
    """How far a force is within its cone, as a square."""
    return mu * mu * z * z - x * x - y * y


@jit
def cost(H: Any, r: Any, f: Any, mu: float, weight: float) -> float:
    """The cost with its barrier; infinite outside of a cone."""
    total, n = 0.0, f.shape[0]
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += H[i, j] * f[j]
        total += f[i] * (0.5 * row - r[i])
    for p in range(0, n, 3):
        room = inside(mu, f[p], f[p + 1], f[p + 2])
        if not (room > 0.0 and f[p + 2] > 0.0):
            return np.inf
        total -= weight * np.log(room)
    return total


@jit
def newton_step(H: Any, r: Any, f: Any, mu: float, weight: float, M: Any, step: Any) -> float:
    """The step of Newton's method; returns the square of its length in the metric of the cost."""
    n = f.shape[0]
    for i in range(n):
        slope = -r[i]
        for j in range(n):
            slope += H[i, j] * f[j]
            M[i, j] = H[i, j]
        step[0, i] = -slope
    for p in range(0, n, 3):
        room = inside(mu, f[p], f[p + 1], f[p + 2])
        g = (-2.0 * f[p], -2.0 * f[p + 1], 2.0 * mu * mu * f[p + 2])  # of the room
        curve = (-2.0, -2.0, 2.0 * mu * mu)
        for i in range(3):
            step[0, p + i] += weight * g[i] / room
            for j in range(3):
                M[p + i, p + j] += weight * g[i] * g[j] / (room * room)
            M[p + i, p + i] -= weight * curve[i] / room
    for i in range(n):
        step[1, i] = step[0, i]
    solve_definite_rows(M, step[:1])
    length = 0.0
    for i in range(n):
        length += step[0, i] * step[1, i]
    return length


@jit
def least_forces_within(H: Any, r: Any, mu: float, f: Any, M: Any, step: Any, trial: Any) -> None:
    """f becomes the forces that cost least; it must begin inside all cones. M, `step` (2, n) and `trial` (n,) are scratch."""
    weight = BARRIER_STEP  # beside costs of the order of one
    while weight > LAST_BARRIER:
        for _ in range(_STEPS):
            length = newton_step(H, r, f, mu, weight, M, step)
            if not length > (BARRIER_STEP if weight * BARRIER_STEP > LAST_BARRIER else CONE_STEP) * weight:
                break
            now, part = cost(H, r, f, mu, weight), 1.0
            while part > SHORTEST_PART:
                for i in range(f.shape[0]):
                    trial[i] = f[i] + part * step[0, i]
                if cost(H, r, trial, mu, weight) <= now - 0.1 * part * length:
                    break
                part *= 0.5
            if not part > SHORTEST_PART:
                break
            for i in range(f.shape[0]):
                f[i] = trial[i]
        weight *= BARRIER_STEP


@jit
def start_inside(f: Any, share: float) -> None:
    """Equal forces that push straight up."""
    for i in range(f.shape[0]):
        f[i] = share if i % 3 == 2 else 0.0


@entry
def least_forces(H: Table, r: Floats, mu: float, f: Floats) -> None:
    """`least_forces_within` from equal forces."""
    n = f.shape[0]
    start_inside(f, 3.0 / n)
    least_forces_within(H, r, mu, f, np.empty((n, n)), np.empty((2, n)), np.empty(n))
