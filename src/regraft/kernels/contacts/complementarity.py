"""Which contact points open, stick and slide: the complementarity problem of Coulomb friction, solved to rounding.

A search for modes, each step of which solves the linear problem of its modes exactly; what obeys all laws is the solution. Modes
change as Alart and Curnier's semismooth Newton method has it (1991); where that goes in circles, Gauss–Seidel sweeps bring it
nearer, and where forces are not unique, a sequence of problems in which they are (the proximal point method).

Where all items can rest, they do, whatever other solutions there may be. Otherwise there may be more than one solution, of which
one is found; the guess is tried first. A point that slips already, and may as well be open (Painlevé's indeterminacy), stays.
"""

from __future__ import annotations

import math

from ...compilation import inline, jit, stage
from ...tolerances import FEASIBLE
from .approach import AT_ONCE, FAR, NEARBY, SLOWLY, approach, draw_and_approach, raise_friction
from .distribution import widest_margin
from .laws import next_modes, worst_violation
from .modes import solve_modes
from .problem import (
    BEND,
    BOX,
    CONE,
    FIXED,
    FIXED_FORCE,
    IDLE_SCALE,
    KEPT,
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
    Contacts,
    move_rows,
    row_of,
    scale_rows,
    seen,
)
from .search import STEPS, SWEEPS, clear, resting, search, settle
from .sweeps import sweep

_FEW = 4  # steps from a guess
_FEW_DRAWS, _DRAWS = 20, 300  # of modes, where nothing else has helped
_SOON, _ALL = 36, 6561  # so many combinations of modes are tried one by one, where points slip already, and at last


@stage
def find_modes(c: Contacts) -> tuple[int, int]:
    """Find λ, and the modes and slip directions with it: (status, item); where nothing pushes beside b, PUSH is zero.

    `modes` and `directions` are a guess and become the answer; of RAY items directions are given. The item is one at which there
    is no solution, or that was violated most when the search ended; −1 with SOLVED.
    """
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
    if (guessed or free > 0) and settle(c, _FEW, True, False):
        return SOLVED, -1
    slips = False
    for i in range(c.points):
        slips = slips or c.kinds[i] == RAY
    if slips and try_all(c, _SOON):
        return SOLVED, -1
    clear(c)
    scale_rows(c)
    if (free == 0 and search(c)) or approach(c, NEARBY, AT_ONCE, 0) or draw_and_approach(c, 0, _FEW_DRAWS):
        return SOLVED, -1
    if approach(c, FAR, SLOWLY, 0) or raise_friction(c) or draw_and_approach(c, _FEW_DRAWS, _DRAWS):
        return SOLVED, -1
    return (SOLVED, -1) if try_all(c, _ALL) else blame(c)


@stage
def hold_what_stays(c: Contacts) -> None:
    """Let points stick that begin to slide without going anywhere, where all forces can then still be within their cones.

    So it is where bodies are jammed, and some forces between them can be anything: at the limit of friction as well as below it.
    A slip that does not begin would have no direction.
    """
    move_rows(c)
    some = False
    for i in range(c.points):
        row = row_of(c, i)
        stays = math.hypot(seen(c, row + 1), seen(c, row + 2)) <= FEASIBLE * c.scratch[SIZE, row]
        c.scratch[KEPT, i] = c.modes[i]
        if c.kinds[i] == CONE and c.modes[i] == SLIDE and c.mu_s[i] > 0.0 and stays:
            c.modes[i], some = STICK, True
    if not some:
        return
    _, residual, _ = widest_margin(c, True)
    move_rows(c)
    if residual <= FEASIBLE and worst_violation(c)[0] <= FEASIBLE:
        return
    for i in range(c.points):
        c.modes[i] = int(c.scratch[KEPT, i])
    solve_modes(c, False, False)


@jit
def hold_what_does_not_part(c: Contacts) -> None:
    """Let points that rest without a force, and begin to slip, slide and not open where nothing takes them apart.

    So it is where pressing grows from nothing, as of a bead that starts at rest on a bar that turns: open, it would be without
    friction until it has gone into the bar by what can be told from rounding.
    """
    move_rows(c)
    some = False
    for i in range(c.points):
        row = row_of(c, i)
        a, a_1, a_2 = seen(c, row), seen(c, row + 1), seen(c, row + 2)
        slips, least = math.hypot(a_1, a_2), FEASIBLE * c.scratch[SIZE, row]
        c.scratch[KEPT, i] = c.modes[i]
        if c.kinds[i] == CONE and c.modes[i] == OPEN and a <= least < slips:
            c.modes[i], some = SLIDE, True
            c.directions[i, 0], c.directions[i, 1] = a_1 / slips, a_2 / slips
    if not some:
        return
    solve_modes(c, False, False)
    move_rows(c)
    if worst_violation(c)[0] <= FEASIBLE:
        return
    for i in range(c.points):
        c.modes[i] = int(c.scratch[KEPT, i])
    solve_modes(c, False, False)


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
def count_modes(c: Contacts, most: int) -> int:
    """How many combinations of modes there are, or one more than `most`."""
    count = 1
    for i in range(c.kinds.shape[0]):
        if c.kinds[i] != FIXED_FORCE:
            count *= 2 if c.kinds[i] == RAY else 3
        count = min(count, most + 1)
    return count


@stage
def try_all(c: Contacts, most: int) -> bool:
    """Try all combinations of modes, if they are not too many, slip starting along b; whether one of them is a solution."""
    count, found, combination = count_modes(c, most), False, 0
    while not found and count <= most and combination < count:
        choose(c, combination)
        c.scratch[BEND] = 0.0
        found = settle(c, STEPS, False, False)
        combination += 1
    return found


@stage
def blame(c: Contacts) -> tuple[int, int]:
    """Why no solution was found: (NO_SOLUTION, a point that slips already), or (NOT_FOUND, the item that was violated most).

    There is none where all modes were tried, which only in the plane is all there is to try. It is taken for Painlevé's paradox
    as well, where the friction of a slip presses a point down that its normal force should lift: A_nn − µ A_nt · s ≤ 0. The
    point for which this number is least is told.
    """
    blamed, least, tried = -1, math.inf, count_modes(c, _ALL) <= _ALL
    for i in range(c.points):
        row = row_of(c, i)
        in_space = c.scratch[IDLE_SCALE, row + 1] > 0.0 and c.scratch[IDLE_SCALE, row + 2] > 0.0
        tried = tried and not (c.kinds[i] == CONE and c.mu_s[i] > 0.0 and in_space)
        along = c.A[row, row + 1] * c.directions[i, 0] + c.A[row, row + 2] * c.directions[i, 1]
        if c.kinds[i] == RAY and c.A[row, row] > 0.0 and 1.0 - c.mu_k[i] * along / c.A[row, row] < least:
            blamed, least = i, 1.0 - c.mu_k[i] * along / c.A[row, row]
    if blamed >= 0 and (tried or least <= 0.0):
        return NO_SOLUTION, blamed
    clear(c)
    scale_rows(c)
    sweep(c, SWEEPS[1])
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
