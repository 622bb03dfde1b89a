"""Which contact points open, stick and slide: the complementarity problem of Coulomb friction, solved to rounding.

A search for modes, each step of which solves the linear problem of its modes exactly; what obeys all laws is the solution. Modes
change as Alart and Curnier's semismooth Newton method has it (1991); where that goes in circles, Gauss–Seidel sweeps bring it
nearer, and where forces are not unique, a sequence of problems in which they are (the proximal point method).

Where all items can rest, they do, whatever other solutions there may be. Otherwise there may be more than one solution, of which
one is found; the guess is tried first.
"""

from __future__ import annotations

import math
from typing import Any

from ...compilation import Floats, Integers, Table, entry, inline, jit, stage
from ...tolerances import ANY_SLIP, FEASIBLE, PROXIMAL, ROUNDING
from .distribution import widest_margin
from .laws import next_modes, worst_violation
from .modes import solve_modes
from .problem import (
    BEND,
    BOX,
    CONE,
    FIXED,
    FIXED_FORCE,
    FORMER,
    KEPT,
    LESS_K,
    LESS_S,
    NEAR,
    NO_SOLUTION,
    NOT_FOUND,
    OPEN,
    P_SLIDE,
    P_STICK,
    PUSH,
    RAY,
    SIZE,
    SLIDE,
    SOLVED,
    STICK,
    TRIED,
    VECTORS,
    Contacts,
    count_points,
    is_sliding,
    move_rows,
    row_of,
    scale_rows,
    seen,
)
from .sweeps import sweep

_FEW = 4  # steps from a guess
_STEPS = 12  # from what sweeps found
_LITTLE, _MORE = 0.1, 1.1  # friction that `raise_friction` begins with, and by what it grows
_MANY = 30  # from modes that are drawn
_DRAWS = 300  # of modes, where nothing else has helped
_POLISH = 4
_SWEEPS = (5, 20, 100, 500, 3000)
_NEAR, _FAR = 0.01, 10.0  # shares of the diagonal that `approach` begins with
_AT_ONCE, _SLOWLY = 0.1, 0.95  # and by what they shrink
_AGAIN, _FEWER = 450, 15  # times that `approach` repeats itself slowly, and at once
_ALL = 6561  # so many combinations of modes are tried one by one where nothing else helps


@jit
def solve_coulomb(
    A: Any, b: Any, kinds: Any, mu_s: Any, mu_k: Any, directions: Any, modes: Any, lam: Any, scratch: Any
) -> tuple[int, int]:
    """Find λ, and the modes and slip directions with it: (status, item).

    `modes` and `directions` are a guess and become the answer; of RAY items directions are given. The item is one at which there
    is no solution, or that was violated most when the search ended; −1 with SOLVED.
    """
    scratch[PUSH] = 0.0
    return find_modes(Contacts(A, b, kinds, mu_s, mu_k, directions, modes, lam, scratch, count_points(kinds), 0.0))


@stage
def find_modes(c: Contacts) -> tuple[int, int]:
    """`solve_coulomb`."""
    guessed = False
    for i in range(c.kinds.shape[0]):
        rest = resting(c, i)
        c.scratch[KEPT, i] = c.modes[i] if may_be(c, i) else rest
        guessed = guessed or (c.scratch[KEPT, i] != rest and c.scratch[KEPT, i] != OPEN)
        c.modes[i] = rest
    _, residual, free = widest_margin(c, True)
    move_rows(c)
    worst, item = worst_violation(c)
    if worst <= FEASIBLE:
        return SOLVED, -1
    if math.isnan(residual) or worst == math.inf:  # numbers that are none
        return NOT_FOUND, item
    if guessed:
        for i in range(c.kinds.shape[0]):
            c.modes[i] = int(c.scratch[KEPT, i])
        c.scratch[BEND] = 0.0
    else:
        next_modes(c, True)
    if settle(c, _FEW, True, False):
        return SOLVED, -1
    clear(c)
    scale_rows(c)
    if (free == 0 and search(c)) or approach(c, _NEAR, _AT_ONCE, 0) or approach(c, _FAR, _SLOWLY, 0):
        return SOLVED, -1
    if raise_friction(c):
        return SOLVED, -1
    for draw in range(_DRAWS):
        if approach(c, PROXIMAL, _AT_ONCE, draw + 1):
            return SOLVED, -1
    return try_all(c)


@inline
def resting(c: Contacts, i: int) -> int:
    """The mode in which an item moves least."""
    kind = c.kinds[i]
    if kind == FIXED_FORCE:
        return FIXED
    return SLIDE if kind == RAY or (kind == CONE and c.mu_s[i] == 0.0) else STICK


@inline
def may_be(c: Contacts, i: int) -> bool:
    """Whether a guess is one of an item's modes."""
    kind, mode = c.kinds[i], c.modes[i]
    if kind == FIXED_FORCE:
        return mode == FIXED
    if mode == P_SLIDE or mode == P_STICK:  # noqa: PLR1714, SIM109
        return kind == CONE and c.scratch[PUSH, i] > 0.0 and (mode == P_SLIDE or c.mu_s[i] > 0.0)
    return mode == SLIDE or (mode == STICK and resting(c, i) == STICK) or (mode == OPEN and kind != BOX)


@inline
def clear(c: Contacts) -> None:
    """No forces but those that are given."""
    for i in range(c.kinds.shape[0]):
        row = row_of(c, i)
        if c.kinds[i] != FIXED_FORCE:
            for k in range(3 if i < c.points else 1):
                c.lam[row + k] = 0.0


@stage
def settle(c: Contacts, steps: int, free: bool, keep: bool) -> bool:
    """Newton's method from modes and directions that are given; whether it ended at a solution.

    `free`: modes may change. `keep`: of forces that are not unique take those nearest to λ. BEND is that of the first step.
    """
    to_do = 2  # once all laws are obeyed: a step for the directions of slip, and friction exactly along them
    for _ in range(steps + 2):
        solve_modes(c, keep)
        if worst_violation(c)[0] <= FEASIBLE:
            if to_do == 0 or (to_do == 2 and not is_askew(c)):
                return True
            next_modes(c, False)
            to_do -= 1
            if to_do == 0:
                c.scratch[BEND] = 0.0
        else:
            to_do = 2
            if not next_modes(c, free):
                return False
    return False


@inline
def is_askew(c: Contacts) -> bool:
    """Whether friction of a point that slides is not exactly against its slip."""
    askew = False
    for i in range(c.points):
        row = row_of(c, i)
        if is_sliding(c.modes[i]) and c.kinds[i] == CONE and c.mu_k[i] > 0.0:
            across = seen(c, row + 1) * c.directions[i, 1] - seen(c, row + 2) * c.directions[i, 0]
            askew = askew or abs(across) > ROUNDING * c.scratch[SIZE, row]
    return askew


@stage
def search(c: Contacts) -> bool:
    """Look for a solution from λ on: sweeps, more and more, and Newton's method from where they lead."""
    for count in _SWEEPS:
        sweep(c, count)
        move_rows(c)
        for i in range(c.kinds.shape[0]):
            c.modes[i] = resting(c, i)
        next_modes(c, True)
        for r in range(c.A.shape[0]):
            c.scratch[TRIED, r] = c.lam[r]
        if settle(c, _STEPS, True, False):
            return True
        for r in range(c.A.shape[0]):
            c.lam[r] = c.scratch[TRIED, r]
    return False


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
    for again in range(_AGAIN if less == _SLOWLY else _FEWER):
        follows = less == _AT_ONCE or share == PROXIMAL
        for i in range(rows):
            near[i, i] = c.A[i, i] * (1.0 + share)
            moved[i] = c.b[i] - (share * c.A[i, i] * c.lam[i] if follows else 0.0)
        if again == 0 and draw > 0:
            draw_modes(c, draw)
        c.scratch[BEND] = 0.0
        found = (again > 0 or draw > 0) and settle(n, _STEPS if draw == 0 else _MANY, True, False)
        if not found and (draw > 0 or not search(n)):
            return False
        if share <= _NEAR and (polish(c, FEASIBLE) or polish(c, max(share, ANY_SLIP))):
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
        if begins or not settle(n, _STEPS, True, True):
            if not approach(n, _NEAR, _AT_ONCE, 0):
                return False
        if part == 1.0:
            return True
        part, begins = part * _MORE, False


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


@stage
def try_all(c: Contacts) -> tuple[int, int]:
    """Try all combinations of modes, slip starting along b; NO_SOLUTION where they are all and a point that slips is to blame."""
    count, blamed, least = 1, -1, 1.0
    for i in range(c.kinds.shape[0]):
        if c.kinds[i] == RAY:
            count *= 2
            row = row_of(c, i)
            along = c.A[row, row + 1] * c.directions[i, 0] + c.A[row, row + 2] * c.directions[i, 1]
            if c.A[row, row] - c.mu_k[i] * along < least * c.A[row, row]:
                blamed, least = i, 1.0 - c.mu_k[i] * along / c.A[row, row]
        elif c.kinds[i] != FIXED_FORCE:
            count *= 3
        count = min(count, _ALL + 1)
    for combination in range(count if count <= _ALL else 0):
        choose(c, combination)
        c.scratch[BEND] = 0.0
        if settle(c, _STEPS, False, False):
            return SOLVED, -1
    if count <= _ALL and blamed >= 0:
        return NO_SOLUTION, blamed
    clear(c)
    scale_rows(c)
    sweep(c, _SWEEPS[1])
    move_rows(c)
    next_modes(c, True)
    return NOT_FOUND, worst_violation(c)[1]


@inline
def choose(c: Contacts, combination: int) -> None:
    """Set the modes of a combination; in the first, all rest."""
    rest, b = combination, c.b
    for i in range(c.kinds.shape[0]):
        row = row_of(c, i)
        if c.kinds[i] == RAY:
            c.modes[i] = SLIDE if rest % 2 == 0 else OPEN
            rest //= 2
        elif c.kinds[i] == CONE:
            away = P_SLIDE if c.scratch[PUSH, i] > 0.0 else OPEN
            c.modes[i] = resting(c, i) if rest % 3 == 0 else (SLIDE if rest % 3 == 1 else away)
            size = math.hypot(b[row + 1], b[row + 2])
            c.directions[i, 0], c.directions[i, 1] = (b[row + 1] / size, b[row + 2] / size) if size > 0.0 else (1.0, 0.0)
            rest //= 3
        elif c.kinds[i] == BOX:
            c.modes[i] = STICK if rest % 3 == 0 else SLIDE
            c.directions[i, 0] = 1.0 if rest % 3 == 1 else -1.0
            rest //= 3


@entry
def coulomb(
    A: Table,
    b: Floats,
    kinds: Integers,
    mu_s: Floats,
    mu_k: Floats,
    directions: Table,
    modes: Integers,
    lam: Floats,
    scratch: Table,
) -> tuple[int, int]:
    """`solve_coulomb`."""
    return solve_coulomb(A, b, kinds, mu_s, mu_k, directions, modes, lam, scratch)
