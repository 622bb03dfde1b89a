"""Forces that are not unique: the distribution that is farthest inside all friction cones.

Four feet on level ground share a load in many ways. In given modes all forces λ₀ + N z hold, N being what moves nothing. Of these
the one with the largest margin t is found, margins being the distances of forces from the surfaces of their cones: a convex
problem, solved along its central path with a logarithmic barrier (Boyd and Vandenberghe, Convex Optimization, chapter 11). Where
the largest margin is negative, no forces keep the modes.
"""

from __future__ import annotations

import math
from typing import Any

from ...compilation import inline, jit, stage
from ...tolerances import BARRIER_GAP, FEASIBLE, REDUNDANT_FORCE, TINY
from .elimination import eliminate, solve
from .modes import add_force, factorise_again, solve_modes
from .problem import (
    ALONG,
    BEND,
    BOX,
    COLUMN_ORDER,
    COLUMN_SCALE,
    PIVOT,
    RHS,
    ROW_ORDER,
    SLIDE,
    STICK,
    VECTORS,
    WEIGHT,
    Contacts,
    X,
    Y,
    is_sticking,
    row_of,
)

_STEPS = 60  # of Newton's method at one strength of the barrier
_STRONGER = 0.05  # the next strength of the barrier
_SHORT = 0.01  # how much it counts that forces are short: where they press against each other nothing else bounds them
_CONE, _NORMAL, _JOINT, _FREE = range(4)  # how the force of an item is bounded


@stage
def widest_margin(c: Contacts, enough: bool) -> tuple[float, float, int]:
    """λ in given modes with the largest least margin: (that margin, the residual of rows, how many forces are free).

    The shortest λ is taken where it is within its cones, or the only one. `enough`: any λ within all cones will do, and the
    margin is any negative number where there is none.
    """
    rows, lam, scratch = c.A.shape[0], c.lam, c.scratch
    scratch[BEND] = 0.0
    unknowns, rank, residual = solve_modes(c, False, False)
    margin, free = least_margin(c), unknowns - rank
    if free > 0 and margin < 0.0:
        rank = factorise_again(c, unknowns)
        free = unknowns - rank
    if free == 0 or margin >= 0.0 or residual > FEASIBLE:
        return margin, residual, free
    N = scratch[VECTORS + 2 * rows : VECTORS + 3 * rows]
    list_idle_forces(scratch[VECTORS : VECTORS + rows], N, unknowns, rank, rows, scratch)
    largest = 0.0
    for r in range(rows):
        largest = max(largest, abs(lam[r]))
    t, strength = margin - 0.1 * largest, 0.1 * largest
    while True:
        t = follow(c, t, largest, strength, free, N)
        gap = strength * (2.0 * c.kinds.shape[0] + 1.0)
        if gap < BARRIER_GAP * largest or (enough and (t > 0.0 or t + 2.0 * gap < 0.0)):
            break
        strength *= _STRONGER
    return least_margin(c), residual, free


@jit
def least_margin(c: Contacts) -> float:
    """The least margin of all items, infinite where no force is bounded."""
    least = math.inf
    for i in range(c.kinds.shape[0]):
        least = min(least, margin_of(c, i))
    return least


@inline
def bound_of(c: Contacts, i: int) -> int:
    """How the force of an item is bounded in its mode."""
    if i >= c.points:
        return _JOINT if c.kinds[i] == BOX and c.modes[i] == STICK else _FREE
    if is_sticking(c.modes[i]) and c.mu_s[i] > 0.0:
        return _CONE
    return _NORMAL if c.modes[i] == SLIDE or c.modes[i] == STICK else _FREE


@inline
def margin_of(c: Contacts, i: int) -> float:
    """How far the force of an item is inside its cone, or its bounds; negative outside, infinite where it is not bounded."""
    row, bound, lam, mu = row_of(c, i), bound_of(c, i), c.lam, c.mu_s[i]
    if bound == _CONE:
        return (mu * lam[row] - math.hypot(lam[row + 1], lam[row + 2])) / math.sqrt(1.0 + mu * mu)
    if bound == _JOINT:
        return mu - abs(lam[row])
    return lam[row] if bound == _NORMAL else math.inf


@jit
def list_idle_forces(F: Any, N: Any, unknowns: int, rank: int, rows: int, scratch: Any) -> None:
    """The rows of N: orthonormal forces that move nothing, after `eliminate`."""
    x = scratch[X]
    for j in range(unknowns - rank):
        for u in range(unknowns):
            x[u] = 0.0
        x[int(scratch[COLUMN_ORDER, rank + j])] = 1.0
        for i in range(rank - 1, -1, -1):
            total = F[i, rank + j]
            for c in range(i + 1, rank):
                total += F[i, c] * x[int(scratch[COLUMN_ORDER, c])]
            x[int(scratch[COLUMN_ORDER, i])] = -total * scratch[PIVOT, i]
        for r in range(rows):
            N[j, r] = 0.0
        for u in range(unknowns):
            add_force(u, scratch[COLUMN_SCALE, u] * x[u], N[j], scratch)
        for _ in range(2):  # once leaves what rounding makes of nearly parallel ones
            make_orthonormal(N, j, rows)


@inline
def make_orthonormal(N: Any, j: int, rows: int) -> None:
    """Take from row j what is along the rows before it, and make it a unit vector."""
    for i in range(j):
        share = 0.0
        for r in range(rows):
            share += N[i, r] * N[j, r]
        for r in range(rows):
            N[j, r] -= share * N[i, r]
    square = 0.0
    for r in range(rows):
        square += N[j, r] * N[j, r]
    for r in range(rows):
        N[j, r] /= math.sqrt(square) + TINY


# --- the central path ---------------------------------------------------------------------------------------------------------


@jit
def follow(c: Contacts, t: float, cap: float, strength: float, free: int, N: Any) -> float:
    """Move λ along N, and the margin t, to where t + strength · Σ log(room) is largest, `room` being what margins leave; t.

    `cap` is the largest t, and the size of the forces.
    """
    lam, scratch, rows, size = c.lam, c.scratch, c.A.shape[0], free + 1
    H, step = scratch[VECTORS : VECTORS + rows], scratch[ALONG]
    for _ in range(_STEPS):
        list_barriers(c, t, cap, strength, free, N, H)
        if eliminate(H, size, True, 0.0, scratch) < size:
            break
        solve(H, H, size, size, True, scratch[RHS], scratch[X], scratch)
        gain = 0.0
        for i in range(size):
            gain += scratch[RHS, i] * scratch[X, i]
        if not gain > REDUNDANT_FORCE:
            break
        for r in range(rows):
            step[r] = 0.0
            for j in range(free):
                step[r] += scratch[X, j] * N[j, r]
        part, ahead, now = 1.0, scratch[X, free], barrier(c, t, cap, strength, 0.0, 0.0)
        while not barrier(c, t, cap, strength, part, ahead) < now - 0.1 * part * gain:
            part *= 0.5
            if part < FEASIBLE:
                return t
        for r in range(rows):
            lam[r] += part * step[r]
        t += part * ahead
    return t


@jit
def barrier(c: Contacts, t: float, cap: float, strength: float, part: float, ahead: float) -> float:
    """What is made least, at a part of a step; infinite outside."""
    lam, step = c.lam, c.scratch[ALONG]
    t += part * ahead
    if not t < cap:
        return math.inf
    total = -t / strength - math.log(cap - t)
    for r in range(lam.shape[0]):
        force = (lam[r] + part * step[r]) / cap
        total += 0.5 * _SHORT * force * force
    for i in range(c.kinds.shape[0]):
        row, bound, mu = row_of(c, i), bound_of(c, i), c.mu_s[i]
        if bound == _FREE:
            continue
        force = lam[row] + part * step[row]
        one, other = force - t, 1.0
        if bound == _CONE:
            alpha = 1.0 / math.sqrt(1.0 + mu * mu)
            g = alpha * mu * force - t
            h = alpha * math.hypot(lam[row + 1] + part * step[row + 1], lam[row + 2] + part * step[row + 2])
            one, other = g - h, g + h
        elif bound == _JOINT:
            one, other = mu - t - force, mu - t + force
        if not (one > 0.0 and other > 0.0):
            return math.inf
        total -= math.log(one) + math.log(other)
    return total


@jit
def list_barriers(c: Contacts, t: float, cap: float, strength: float, free: int, N: Any, H: Any) -> None:
    """The slope of the barrier, with its sign changed, as RHS, and its second derivatives as the lower half of H."""
    lam, scratch = c.lam, c.scratch
    for i in range(free + 1):
        scratch[RHS, i], scratch[WEIGHT, i] = 0.0, 1.0
        for j in range(free + 1):
            H[i, j] = 0.0
    for i in range(free):
        H[i, i] = _SHORT / (cap * cap)
        for r in range(lam.shape[0]):
            scratch[RHS, i] -= H[i, i] * lam[r] * N[i, r]
    scratch[RHS, free] = 1.0 / strength - 1.0 / (cap - t)
    H[free, free] = 1.0 / ((cap - t) * (cap - t))
    for i in range(c.kinds.shape[0]):
        row, bound = row_of(c, i), bound_of(c, i)
        if bound == _CONE:
            add_cone(c, i, t, free, N, H)
        elif bound == _NORMAL:
            add_bound(row, 1.0, lam[row] - t, free, N, H, scratch)
        elif bound == _JOINT:
            add_bound(row, 1.0, c.mu_s[i] - t + lam[row], free, N, H, scratch)
            add_bound(row, -1.0, c.mu_s[i] - t - lam[row], free, N, H, scratch)


@jit
def add_cone(c: Contacts, i: int, t: float, free: int, N: Any, H: Any) -> None:
    """Add the barrier of a friction cone, −log(g² − |h|²), to RHS and to the lower half of H."""
    row, lam, scratch = row_of(c, i), c.lam, c.scratch
    alpha = 1.0 / math.sqrt(1.0 + c.mu_s[i] * c.mu_s[i])
    slope = alpha * c.mu_s[i]
    g, h_1, h_2 = slope * lam[row] - t, alpha * lam[row + 1], alpha * lam[row + 2]
    h = math.hypot(h_1, h_2)
    inverse = 1.0 / ((g - h) * (g + h))
    G_1, G_2, G_3, Q = scratch[ROW_ORDER], scratch[COLUMN_ORDER], scratch[PIVOT], scratch[Y]
    for j in range(free):
        G_1[j], G_2[j], G_3[j] = slope * N[j, row], alpha * N[j, row + 1], alpha * N[j, row + 2]
    G_1[free], G_2[free], G_3[free] = -1.0, 0.0, 0.0
    for j in range(free + 1):
        Q[j] = 2.0 * (g * G_1[j] - h_1 * G_2[j] - h_2 * G_3[j]) * inverse
        scratch[RHS, j] += Q[j]
    inverse *= 2.0
    for j in range(free + 1):
        q, a_1, a_2, a_3 = Q[j], inverse * G_1[j], inverse * G_2[j], inverse * G_3[j]
        for k in range(j + 1):
            H[j, k] += q * Q[k] - a_1 * G_1[k] + a_2 * G_2[k] + a_3 * G_3[k]


@jit
def add_bound(row: int, sign: float, room: float, free: int, N: Any, H: Any, scratch: Any) -> None:
    """Add that of one bound of a row's force."""
    Q = scratch[Y]
    for j in range(free):
        Q[j] = sign * N[j, row] / room
    Q[free] = -1.0 / room
    for j in range(free + 1):
        scratch[RHS, j] += Q[j]
        for k in range(j + 1):
            H[j, k] += Q[j] * Q[k]
