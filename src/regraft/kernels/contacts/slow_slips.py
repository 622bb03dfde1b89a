"""Slips that are so slow that their direction turns faster than anything else: friction looks a moment ahead."""

from __future__ import annotations

import math

from ...algebra.spatial import dot, zero_spatial
from ...compilation import inline, jit
from ...tolerances import (
    AHEAD,
    AHEAD_BELOW,
    STANDS_STILL,
)
from ..tables import VEL, KernelModel, R, Work
from .items import across
from .memory import (
    Contacts,
)
from .modes import solve_modes
from .problem import BEND, SLIDE
from .problem import Contacts as Problem
from .rows import slip_velocity


@jit
def look_ahead(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> bool:
    """Turn the directions of slow slips to what they will be a moment later; says whether there are any. BEND = 0."""
    if not slips_slowly(model, work, contacts, problem):
        return False
    solve_modes(problem, False)
    bend_slow_slips(model, work, contacts, problem)
    solve_modes(problem, False)
    turn_slow_slips(problem)
    return True


@inline
def slip_speed(model: KernelModel, work: Work, contacts: Contacts, i: int) -> float:
    """How fast point i slips."""
    slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, zero_spatial(work.body[0, R])))
    return math.sqrt(dot(slip, slip))


@jit
def slips_slowly(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> bool:
    """Whether any point with friction slides slowly; BEND = 0."""
    slow = False
    for a in range(problem.kinds.shape[0]):
        problem.scratch[BEND, a] = 0.0
        if a < problem.points and problem.modes[a] == SLIDE and problem.mu_k[a] > 0.0:
            slow = slow or slip_speed(model, work, contacts, contacts.active[0, a]) < AHEAD_BELOW
    return slow


@jit
def bend_slow_slips(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> None:
    """BEND of points that slide slowly, with the normal forces that were found without it.

    The direction of a slow slip v turns at a rate of µ λ_n / (m v), faster than anything else. What friction does across it is
    therefore taken as it will be a moment later: with the slip that the acceleration w across will have made by then,
    v across + τ w, f across = −µ λ_n τ w / v. That is a row w + γ f = 0.
    """
    for a in range(problem.points):
        if problem.modes[a] == SLIDE and problem.mu_k[a] > 0.0:
            speed = slip_speed(model, work, contacts, contacts.active[0, a])
            if speed < AHEAD_BELOW:
                rest = 1.0 - speed * speed / (AHEAD_BELOW * AHEAD_BELOW)
                push = problem.mu_k[a] * abs(problem.lam[3 * a]) * AHEAD * rest * rest
                problem.scratch[BEND, a] = (speed + STANDS_STILL) / push if push > 0.0 else 0.0


@inline
def turn_slow_slips(problem: Problem) -> None:
    """Directions of points that slide slowly, against the friction that was found for them; BEND = 0."""
    for a in range(problem.points):
        if problem.scratch[BEND, a] > 0.0:
            f_1, f_2 = problem.lam[3 * a + 1], problem.lam[3 * a + 2]
            size, forward = math.hypot(f_1, f_2), f_1 * problem.directions[a, 0] + f_2 * problem.directions[a, 1]
            if size > 0.0 and forward < 0.0:
                problem.directions[a, 0], problem.directions[a, 1] = -f_1 / size, -f_2 / size
        problem.scratch[BEND, a] = 0.0
