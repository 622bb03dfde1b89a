"""Contact problems that are near the one to solve, and lead to it.

Problems in which forces are unique or small, or friction is little: their solutions are followed to that of the problem itself
(continuation, and the proximal point method). This is for problems whose forces are not unique, and for those in which nothing
else finds a solution.
"""

from __future__ import annotations

import math

from ...compilation import inline, jit, stage
from ...tolerances import ANY_SLIP, FEASIBLE, PROXIMAL
from .laws import next_modes
from .problem import (
    BEND,
    BOX,
    CONE,
    FIXED_FORCE,
    FORMER,
    KEPT,
    LESS_K,
    LESS_S,
    NEAR,
    OPEN,
    P_SLIDE,
    P_STICK,
    PUSH,
    RAY,
    SIZE,
    SLIDE,
    STICK,
    TRIED,
    VECTORS,
    Contacts,
    is_sliding,
    move_rows,
    row_of,
    seen,
)
from .search import STEPS, clear, resting, search, settle

NEARBY, FAR = 0.01, 10.0
"""Shares of the diagonal that `approach` begins with."""
AT_ONCE, SLOWLY = 0.1, 0.95
"""By what they shrink."""

_AGAIN, _FEWER = 450, 15  # times that `approach` repeats itself slowly, and at once
_LITTLE, _MORE = 0.1, 1.1  # friction that `raise_friction` begins with, and by what it grows
_MANY = 30  # steps from modes that are drawn
_POLISH = 4


@stage
def approach(c: Contacts, share: float, less: float, draw: int) -> bool:
    """Solve A λ + ε D (λ − λ_before) + b with an ever smaller ε, D being the diagonal of A: each of these has full rank.

    As long as ε is more than PROXIMAL, λ_before is zero for a `share` that shrinks slowly: the solution is followed from where
    points hardly know of each other. Then λ_before follows; what does not change any more solves the problem itself. It begins
    with sweeps, or with modes that are drawn.
    """
    rows = c.A.shape[0]
    near, moved = c.scratch[VECTORS + 2 * rows : VECTORS + 3 * rows], c.scratch[NEAR]
    n = Contacts(near, moved, c.kinds, c.mu_s, c.mu_k, c.directions, c.modes, c.lam, c.scratch, c.points, c.size)
    clear(c)
    for i in range(rows):
        for j in range(rows):
            near[i, j] = c.A[i, j]
    for again in range(_AGAIN if less == SLOWLY else _FEWER):
        follows = less == AT_ONCE or share == PROXIMAL
        for i in range(rows):
            near[i, i] = c.A[i, i] * (1.0 + share)
            moved[i] = c.b[i] - (share * c.A[i, i] * c.lam[i] if follows else 0.0)
        if again == 0 and draw > 0:
            draw_modes(c, draw)
        c.scratch[BEND] = 0.0
        found = (again > 0 or draw > 0) and settle(n, STEPS if draw == 0 else _MANY, True, False)
        if not found and (draw > 0 or not search(n)):
            return False
        if share <= NEARBY and (polish(c, FEASIBLE) or polish(c, max(share, ANY_SLIP))):
            return True
        share = max(less * share, PROXIMAL)
    return False


@stage
def raise_friction(c: Contacts) -> bool:
    """Follow a solution from where there is little friction to where there is all of it."""
    less_s, less_k, largest = c.scratch[LESS_S], c.scratch[LESS_K], 0.0
    n = Contacts(c.A, c.b, c.kinds, less_s, less_k, c.directions, c.modes, c.lam, c.scratch, c.points, c.size)
    for i in range(c.points):
        largest = max(largest, c.mu_s[i])
    part, begins = _LITTLE / max(largest, 1.0), True
    while True:
        part = min(part, 1.0)
        for i in range(c.kinds.shape[0]):
            share = part if i < c.points else 1.0
            less_s[i], less_k[i] = share * c.mu_s[i], share * c.mu_k[i]
            if i < c.points and is_sliding(c.modes[i]) and less_k[i] > 1.0:
                c.lam[3 * i] /= _MORE  # of much friction the friction stays, and the normal force hardly matters
        move_rows(n)
        next_modes(n, False)
        found = not begins and settle(n, STEPS, True, True)
        if not found and not approach(n, NEARBY, AT_ONCE, 0):
            return False
        if part == 1.0:
            return True
        part, begins = part * _MORE, False


@jit
def draw_and_approach(c: Contacts, first: int, last: int) -> bool:
    """`approach` from modes that are drawn, one draw after the other."""
    found, draw = False, first
    while not found and draw < last:
        draw += 1
        found = approach(c, PROXIMAL, AT_ONCE, draw)
    return found


@inline
def draw_modes(c: Contacts, draw: int) -> None:
    """Modes and slip directions of which nothing is known, the same ones each time (a linear congruential generator)."""
    number = draw
    for i in range(c.kinds.shape[0]):
        number = (number * 1103515245 + 12345) % 2147483648
        pick = (number // 65536) % 24
        if c.kinds[i] == FIXED_FORCE:
            continue
        pushed = c.scratch[PUSH, i] > 0.0
        if pick < 8:
            c.modes[i] = P_STICK if pushed and c.mu_s[i] > 0.0 else resting(c, i)
        elif pick < 16 or c.kinds[i] == BOX:
            c.modes[i] = SLIDE
        else:
            c.modes[i] = P_SLIDE if pushed else OPEN
        if c.kinds[i] == BOX:
            c.directions[i, 0] = 1.0 if pick % 2 == 0 else -1.0
        elif c.kinds[i] == CONE:
            c.directions[i, 0], c.directions[i, 1] = math.cos(0.25 * math.pi * pick), math.sin(0.25 * math.pi * pick)


@jit
def polish(c: Contacts, least: float) -> bool:
    """Whether λ of a problem nearby leads to a solution; if not, λ and modes stay. A slip below `least` is none."""
    move_rows(c)
    for r in range(c.A.shape[0]):
        c.scratch[TRIED, r] = c.lam[r]
    for i in range(c.kinds.shape[0]):
        c.scratch[KEPT, i], c.scratch[FORMER, i] = c.modes[i], math.atan2(c.directions[i, 1], c.directions[i, 0])
        if is_sliding(c.modes[i]) and c.kinds[i] != RAY and c.mu_s[i] > 0.0 and rests(c, i, least):
            c.modes[i] = STICK if c.modes[i] == SLIDE else P_STICK
    c.scratch[BEND] = 0.0
    if settle(c, _POLISH, False, True):
        return True
    for i in range(c.kinds.shape[0]):
        c.modes[i] = int(c.scratch[KEPT, i])
        if c.kinds[i] == CONE:
            c.directions[i, 0], c.directions[i, 1] = math.cos(c.scratch[FORMER, i]), math.sin(c.scratch[FORMER, i])
    for r in range(c.A.shape[0]):
        c.lam[r] = c.scratch[TRIED, r]
    return False


@inline
def rests(c: Contacts, i: int, least: float) -> bool:
    """Whether the slip of an item is below `least` by the size of its rows."""
    row = row_of(c, i)
    slip = math.hypot(seen(c, row + 1), seen(c, row + 2)) if i < c.points else abs(seen(c, row))
    return slip <= least * c.scratch[SIZE, row]
