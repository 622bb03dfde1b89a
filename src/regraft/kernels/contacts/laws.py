"""The laws of contact and friction: whether forces obey them, and what a mode has to become where they do not."""

from __future__ import annotations

import math

from ...compilation import inline, jit
from ...tolerances import FEASIBLE, ROUNDING, TINY
from .problem import (
    BEND,
    BOX,
    IDLE_SCALE,
    LEAN,
    OPEN,
    P_SLIDE,
    P_STICK,
    PUSH,
    RAY,
    SHIFT,
    SIZE,
    SLIDE,
    SPEEDS_UP,
    STICK,
    Contacts,
    W,
    is_sliding,
    is_sticking,
    row_of,
    seen,
)


@jit
def worst_violation(c: Contacts) -> tuple[float, int]:
    """By how much the laws of the modes are missed, relative to the sizes of their rows, and by which item.

    W and SIZE are those of λ. A force counts as much as the acceleration that it gives its own row.
    """
    worst, item = 0.0, -1
    for i in range(c.kinds.shape[0]):
        missed = 0.0
        if i < c.points:
            missed = missed_by_point(c, i)
        elif c.kinds[i] == BOX:
            missed = missed_by_joint(c, i)
        missed /= c.scratch[SIZE, row_of(c, i)] + TINY
        if math.isnan(missed):
            return math.inf, i
        if missed > worst:
            worst, item = missed, i
    return worst, item


@inline
def missed_by_point(c: Contacts, i: int) -> float:
    """By how much a point misses the laws of its mode."""
    row, mode, lam = row_of(c, i), c.modes[i], c.lam
    if c.scratch[IDLE_SCALE, row] == 0.0:
        return 0.0
    w_n, w_1, w_2 = seen(c, row), seen(c, row + 1), seen(c, row + 2)
    if mode == OPEN:
        return max(0.0, -w_n) if c.scratch[PUSH, i] == 0.0 else math.inf
    own, normal = c.A[row, row], lam[row]
    closed = mode == STICK or mode == SLIDE  # noqa: PLR1714
    missed = max(abs(w_n), own * (c.scratch[PUSH, i] - normal)) if closed else max(0.0, -w_n)
    friction = math.hypot(lam[row + 1], lam[row + 2])
    if is_sticking(mode):
        return max(missed, abs(w_1), abs(w_2), own * (friction - c.mu_s[i] * normal) / (1.0 + c.mu_s[i]))
    s_1, s_2, mu = c.directions[i, 0], c.directions[i, 1], c.mu_k[i]
    missed = max(missed, own * math.hypot(lam[row + 1] + mu * normal * s_1, lam[row + 2] + mu * normal * s_2) / (1.0 + mu))
    if c.kinds[i] == RAY or mu == 0.0:
        return missed
    return max(missed, -(w_1 * s_1 + w_2 * s_2), abs(w_2 * s_1 - w_1 * s_2))


@inline
def missed_by_joint(c: Contacts, i: int) -> float:
    """By how much a joint with dry friction misses those of its mode."""
    row = row_of(c, i)
    w = seen(c, row)
    if c.modes[i] == STICK:
        return max(abs(w), c.A[row, row] * (abs(c.lam[row]) - c.mu_s[i]))
    return max(0.0, -w * c.directions[i, 0])


@jit
def next_modes(c: Contacts, free: bool) -> bool:
    """What modes and slip directions become by λ and W: the active set of Alart and Curnier; whether anything changed.

    A point that sticks begins to slide beyond µ_s, one that slides begins to stick below µ_k. `free`: modes may change.
    """
    changed = False
    for i in range(c.kinds.shape[0]):
        mode, former_1, former_2 = c.modes[i], c.directions[i, 0], c.directions[i, 1]
        if i < c.points:
            turn_point(c, i, free)
        elif c.kinds[i] == BOX and free:
            turn_joint(c, i)
        turned = abs(c.directions[i, 0] - former_1) + abs(c.directions[i, 1] - former_2)
        changed = changed or c.modes[i] != mode or turned > ROUNDING
    return changed


@inline
def turn_joint(c: Contacts, i: int) -> None:
    """The next mode of a joint with dry friction."""
    row = row_of(c, i)
    z = c.lam[row] - c.scratch[IDLE_SCALE, row] * c.scratch[IDLE_SCALE, row] * seen(c, row)
    slides = abs(z) > (c.mu_k[i] if c.modes[i] == SLIDE else c.mu_s[i])
    c.modes[i] = SLIDE if slides else STICK
    if slides:
        c.directions[i, 0] = -1.0 if z > 0.0 else 1.0


@inline
def turn_point(c: Contacts, i: int, free: bool) -> None:
    """The next mode of a point, its slip direction, and how friction bends with that (γ of `solve_modes`)."""
    row, lam, scratch = row_of(c, i), c.lam, c.scratch
    push = scratch[PUSH, i]
    z_n = lam[row] - scratch[IDLE_SCALE, row] * scratch[IDLE_SCALE, row] * scratch[W, row]
    closed = z_n > push and scratch[IDLE_SCALE, row] > 0.0
    z_n = max(z_n, push)
    scratch[BEND, i] = scratch[LEAN, i] = scratch[SHIFT, i] = scratch[SPEEDS_UP, i] = 0.0
    if c.kinds[i] == RAY or c.mu_s[i] == 0.0:
        if free:
            c.modes[i] = SLIDE if closed else (P_SLIDE if push > 0.0 else OPEN)
        return
    r_1, r_2 = scratch[IDLE_SCALE, row + 1], scratch[IDLE_SCALE, row + 2]
    r = min(r_1, r_2) if r_1 > 0.0 and r_2 > 0.0 else max(r_1, r_2)
    r *= r
    z_1, z_2 = lam[row + 1] - r * seen(c, row + 1), lam[row + 2] - r * seen(c, row + 2)
    size = math.hypot(z_1, z_2)
    slides = size > (c.mu_k[i] if is_sliding(c.modes[i]) else c.mu_s[i]) * z_n and size > 0.0
    if free and closed:
        c.modes[i] = SLIDE if slides else STICK
    elif free:
        c.modes[i] = OPEN if push == 0.0 else (P_SLIDE if slides else P_STICK)
    if slides and is_sliding(c.modes[i]):
        c.directions[i, 0], c.directions[i, 1] = -z_1 / size, -z_2 / size
        force = c.mu_k[i] * max(lam[row], 0.0)
        if force * r > 0.0 and size * FEASIBLE < force:
            scratch[BEND, i] = max(size - force, 0.0) / (force * r)
