"""From a guess to a solution: Newton's method on modes and slip directions, and sweeps that bring it nearer."""

from __future__ import annotations

from ...compilation import inline, stage
from ...tolerances import FEASIBLE, ROUNDING
from .laws import next_modes, worst_violation
from .modes import solve_modes
from .problem import BEND, CONE, FIXED, FIXED_FORCE, RAY, SIZE, SLIDE, STICK, TRIED, Contacts, is_sliding, move_rows, row_of, seen
from .sweeps import sweep

STEPS = 12  # from what sweeps found
SWEEPS = (5, 20, 100, 500, 3000)
"""Sweeps between attempts of Newton's method."""


@stage
def settle(c: Contacts, steps: int, free: bool, keep: bool) -> bool:
    """Newton's method from modes and directions that are given; whether it ended at a solution.

    `free`: modes may change. `keep`: of forces that are not unique take those nearest to λ. BEND is that of the first step.
    """
    to_do = 2  # once all laws are obeyed: a step for the directions of slip, and friction exactly along them
    for _ in range(steps + 2):
        solve_modes(c, keep, False)
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
    for count in SWEEPS:
        sweep(c, count)
        move_rows(c)
        for i in range(c.kinds.shape[0]):
            c.modes[i] = resting(c, i)
        next_modes(c, True)
        for r in range(c.A.shape[0]):
            c.scratch[TRIED, r] = c.lam[r]
        if settle(c, STEPS, True, False):
            return True
        for r in range(c.A.shape[0]):
            c.lam[r] = c.scratch[TRIED, r]
    return False


@inline
def resting(c: Contacts, i: int) -> int:
    """The mode in which an item moves least."""
    kind = c.kinds[i]
    if kind == FIXED_FORCE:
        return FIXED
    return SLIDE if kind == RAY or (kind == CONE and c.mu_s[i] == 0.0) else STICK


@inline
def clear(c: Contacts) -> None:
    """No forces but those that are given."""
    for i in range(c.kinds.shape[0]):
        row = row_of(c, i)
        if c.kinds[i] != FIXED_FORCE:
            for k in range(3 if i < c.points else 1):
                c.lam[row + k] = 0.0
