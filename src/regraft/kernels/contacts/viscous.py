"""From viscous friction to dry friction: a path to a solution that hardly anything leads astray.

With friction −µ λ_n w_t / (|w_t|² + δ²)½ and normal forces of a soft law, x y = ε², forces are unique and smooth functions of δ
and ε. They are followed, by Newton's method, while both shrink. Slips that shrink with them are none: those points stick.
"""

from __future__ import annotations

import math
from typing import Any

from ...compilation import inline, jit, stage
from ...tolerances import DRY, FEASIBLE, NEARLY_DRY, VISCOUS_ROUNDING
from .elimination import eliminate, solve
from .laws import worst_violation
from .modes import solve_modes
from .problem import (
    ALONG,
    BEND,
    BOX,
    CONE,
    FIXED_FORCE,
    FORMER,
    IDLE_SCALE,
    NEAR,
    OPEN,
    P_SLIDE,
    P_STICK,
    PUSH,
    RAY,
    RHS,
    SLIDE,
    STICK,
    TRIED,
    VECTORS,
    Contacts,
    W,
    X,
    is_sliding,
    move_rows,
    row_of,
    scale_rows,
    seen,
)
from .search import clear, is_askew, settle

_STEPS = 25  # of Newton's method for one pair of δ and ε
_NEAR = 0.05  # of ε: forces are followed no nearer than that
_PART = 0.01  # of a step, at least
_DRIER = 0.1  # the next δ and ε
_HARDLY = 0.8  # the path is lost where they could shrink by no more than that
_POLISH = 12


@stage
def dry_out(c: Contacts) -> bool:
    """Follow the path from viscous friction to dry friction; whether that led to a solution."""
    soft, slow = begin(c)
    share, reached, drier = 1.0, math.inf, _DRIER
    while share > DRY:
        remember(c)
        if follow(c, share * soft, share * slow, VISCOUS_ROUNDING / share * soft):
            remember(c)
            shrunk = math.sqrt(share / reached)
            if share <= NEARLY_DRY and (polish(c, shrunk, False) or polish(c, shrunk, True)):
                return True
            for i in range(c.kinds.shape[0]):
                c.scratch[FORMER, i] = slip_of(c, i)
            reached = share
        else:
            go_back(c)
            drier = math.sqrt(drier)
            if reached == math.inf or drier > _HARDLY:
                return False
        share = reached * drier
    return False


@inline
def begin(c: Contacts) -> tuple[float, float]:
    """λ with which the path begins, and the first ε and δ."""
    soft, slow, scratch = 0.0, 0.0, c.scratch
    scale_rows(c)
    clear(c)
    for r in range(c.lam.shape[0]):
        if scratch[IDLE_SCALE, r] > 0.0:
            soft, slow = max(soft, abs(c.b[r]) * scratch[IDLE_SCALE, r]), max(slow, abs(c.b[r]))
    for i in range(c.points):
        c.lam[3 * i] = scratch[PUSH, i] + soft * scratch[IDLE_SCALE, 3 * i]
    return soft, slow


@inline
def remember(c: Contacts) -> None:
    """TRIED is λ."""
    for r in range(c.lam.shape[0]):
        c.scratch[TRIED, r] = c.lam[r]


@inline
def go_back(c: Contacts) -> None:
    """λ is TRIED."""
    for r in range(c.lam.shape[0]):
        c.lam[r] = c.scratch[TRIED, r]
    move_rows(c)


@jit
def polish(c: Contacts, shrunk: float, free: bool) -> bool:
    """Whether modes that are read off the path, see `take_modes`, lead to a solution; if not, λ stays what TRIED is."""
    take_modes(c, shrunk)
    if fits(c):
        return True
    turn_against_friction(c, 1.0)
    if settle(c, _POLISH, free, True) or fits(c):
        return True
    go_back(c)
    return False


@jit
def fits(c: Contacts) -> bool:
    """Whether the modes hold with slips exactly against the friction that there is.

    Where a slip hardly begins, its direction is what balances forces, and only these tell it to all digits.
    """
    turn_against_friction(c, 0.0)
    solve_modes(c, True, False)
    return worst_violation(c)[0] <= FEASIBLE and not is_askew(c)


@jit
def turn_against_friction(c: Contacts, bend: float) -> None:
    """Directions of points that slide, against their friction, and BEND, if it is to be more than 0."""
    for i in range(c.points):
        row = row_of(c, i)
        f_1, f_2 = c.lam[row + 1], c.lam[row + 2]
        size = math.hypot(f_1, f_2)
        c.scratch[BEND, i] = 0.0
        if c.kinds[i] == CONE and is_sliding(c.modes[i]) and size > 0.0:
            c.directions[i, 0], c.directions[i, 1] = -f_1 / size, -f_2 / size
            c.scratch[BEND, i] = bend * slip_of(c, i) / size


@inline
def slip_of(c: Contacts, i: int) -> float:
    """How large w of an item is along its friction."""
    row = row_of(c, i)
    return math.hypot(seen(c, row + 1), seen(c, row + 2)) if i < c.points else abs(seen(c, row))


@jit
def follow(c: Contacts, soft: float, slow: float, rounding: float) -> bool:
    """Newton's method for λ with ε = `soft` and δ = `slow`; whether it found it, or came as near as `rounding` lets it."""
    rows, lam, scratch = c.lam.shape[0], c.lam, c.scratch
    J, before, step = scratch[VECTORS : VECTORS + rows], scratch[NEAR], scratch[ALONG]
    move_rows(c)
    missed = list_equations(c, soft, slow, J)
    for _ in range(_STEPS):
        if missed <= _NEAR * soft:
            return True
        if not missed < math.inf or eliminate(J, rows, False, 0.0, scratch) < rows:
            return False
        solve(J, J, rows, rows, False, scratch[RHS], scratch[X], scratch)
        for r in range(rows):
            before[r], step[r] = lam[r], scratch[X, r] * unit(c, r)
        part, best, missed = 1.0, missed, math.inf
        while not missed < best and part >= _PART:
            for r in range(rows):
                lam[r] = before[r] + part * step[r]
            move_rows(c)
            missed = list_equations(c, soft, slow, J)
            part *= 0.5
        if not missed < best:
            for r in range(rows):
                lam[r] = before[r]
            move_rows(c)
            return best <= rounding
    return missed <= rounding


@inline
def unit(c: Contacts, row: int) -> float:
    """The unit of a row's force."""
    return c.scratch[IDLE_SCALE, row] if c.scratch[IDLE_SCALE, row] > 0.0 else 1.0


@jit
def list_equations(c: Contacts, soft: float, slow: float, J: Any) -> float:
    """J and RHS of a step of Newton's method, rows of size 1, after `move_rows`; how much is missed, √Σ g²."""
    rows, rhs, total = c.lam.shape[0], c.scratch[RHS], 0.0
    for i in range(c.kinds.shape[0]):
        row = row_of(c, i)
        if i < c.points:
            press(c, i, soft, J)
            rub(c, i, row + 1, slow, J)
            rub(c, i, row + 2, slow, J)
        else:
            rub(c, i, row, slow, J)
    for r in range(rows):
        total += rhs[r] * rhs[r]
        size = 0.0
        for k in range(rows):
            size = max(size, abs(J[r, k]))
        for k in range(rows):
            J[r, k] /= size
        rhs[r] /= size
    return math.sqrt(total)


@inline
def add_moves(c: Contacts, row: int, of: int, factor: float, J: Any) -> None:
    """Add what all forces do in row `of`, times a factor, to an equation."""
    for k in range(c.lam.shape[0]):
        J[row, k] += factor * c.A[of, k] * unit(c, k)


@inline
def hold(c: Contacts, row: int, J: Any) -> None:
    """The equation of a force that stays as it is."""
    for k in range(c.lam.shape[0]):
        J[row, k] = 0.0
    J[row, row], c.scratch[RHS, row] = 1.0, 0.0


@inline
def press(c: Contacts, i: int, soft: float, J: Any) -> None:
    """The soft law of a normal force: x + y = (x² + y² + 2 ε²)½ with x and y of one unit."""
    row = 3 * i
    hold(c, row, J)
    r = c.scratch[IDLE_SCALE, row]
    if r > 0.0:
        x, y = (c.lam[row] - c.scratch[PUSH, i]) / r, r * c.scratch[W, row]
        size = math.sqrt(x * x + y * y + 2.0 * soft * soft)
        c.scratch[RHS, row] = size - x - y
        J[row, row] = 1.0 - x / size
        add_moves(c, row, row, (1.0 - y / size) * r, J)


@inline
def rub(c: Contacts, i: int, row: int, slow: float, J: Any) -> None:
    """Viscous friction in one row of an item: λ (|w|² + δ²)½ + µ λ_n w = 0."""
    hold(c, row, J)
    lam, r, mu = c.lam, c.scratch[IDLE_SCALE, row], c.mu_k[i]
    if r == 0.0 or c.kinds[i] == FIXED_FORCE:
        return
    point, normal = i < c.points, row_of(c, i)
    if c.kinds[i] == RAY:
        along = mu * c.directions[i, row - normal - 1] / r
        c.scratch[RHS, row] = -lam[row] / r - along * lam[normal]
        J[row, normal] += along * unit(c, normal)
        return
    speed = slip_of(c, i)
    size = math.sqrt(speed * speed + slow * slow)
    limit, w = mu * lam[normal] if point else mu, c.scratch[W, row]
    c.scratch[RHS, row] = -(lam[row] + limit * w / size) / r
    if point:
        J[row, normal] += mu * w / (size * r) * unit(c, normal)
        for k in range(normal + 1, normal + 3):
            add_moves(c, row, k, lam[row] * seen(c, k) / (size * size * r), J)
    else:
        add_moves(c, row, row, lam[row] * w / (size * size * r), J)
    add_moves(c, row, row, limit / (size * r), J)


@jit
def take_modes(c: Contacts, shrunk: float) -> None:
    """Modes and directions of items by the path: what slips by less than `shrunk` times the slip before sticks."""
    for i in range(c.kinds.shape[0]):
        row, kind = row_of(c, i), c.kinds[i]
        if kind == FIXED_FORCE:
            continue
        slides = kind == RAY or c.mu_s[i] == 0.0 or slip_of(c, i) > shrunk * c.scratch[FORMER, i]
        c.modes[i] = SLIDE if slides else STICK
        if kind == BOX:
            c.directions[i, 0] = math.copysign(1.0, c.scratch[W, row])
            continue
        r, push = c.scratch[IDLE_SCALE, row], c.scratch[PUSH, i]
        if not c.lam[row] - push > r * r * c.scratch[W, row]:
            c.modes[i] = OPEN if push == 0.0 else (P_SLIDE if slides else P_STICK)
