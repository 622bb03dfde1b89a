"""Slips that are so slow that their direction turns faster than anything else: friction looks a moment ahead.

The direction of a slow slip v turns at a rate of µ λ_n / (m v). So friction acts against the slip that there will be a moment τ
later, v + τ w with the acceleration w of the slip, which depends on friction itself. Within a step that is found by one step of
Newton's method from the direction of v, so that it is smooth. Where modes are chosen the slowest slips, whose directions may be
rounding, have it found to the end and with the modes: it is the law of a point that does not slip yet, with v/τ + w for w.
"""

from __future__ import annotations

import math

from ...algebra.memory import load
from ...algebra.spatial import Vector, dot, zero_spatial
from ...compilation import inline, jit
from ...tolerances import (
    AHEAD,
    AHEAD_BELOW,
    REST_SPEED,
    STANDS_STILL,
)
from ..tables import VEL, KernelModel, R, Work
from .items import across, most_patience, tangent_part
from .memory import HIT, MOST_PATIENCE, SLIP, SLIPS, Contacts
from .modes import solve_modes
from .problem import BEND, CONE, IDLE_SCALE, RAY, SLIDE, SLOW, STICK, scale_rows
from .problem import Contacts as Problem
from .rows import slip_velocity

_OF_BEGUN = 0.3  # of the slip with which a step begins: where that is more than AHEAD_BELOW, the step looks ahead at none


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
def slip_of(model: KernelModel, work: Work, contacts: Contacts, i: int) -> Vector:
    """The slip of point i."""
    return across(contacts, i, slip_velocity(model, work, contacts, i, VEL, zero_spatial(work.body[0, R])))


@inline
def slip_speed(model: KernelModel, work: Work, contacts: Contacts, i: int) -> float:
    """How fast it slips."""
    slip = slip_of(model, work, contacts, i)
    return math.sqrt(dot(slip, slip))


@inline
def fastest_in_step(model: KernelModel, work: Work, contacts: Contacts, i: int) -> float:
    """How fast point i slips, or if that is more, a part of how fast it did so where the present step began.

    A step that begins with a fast slip and ends where the slip does must not see how it turns in the last moment: that is over
    in a small part of the step, and one stage would take it for a large one.
    """
    begun = load(contacts.kept, i, SLIP, 3)
    return max(slip_speed(model, work, contacts, i), _OF_BEGUN * math.sqrt(dot(begun, begun)))


@jit
def slips_slowly(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> bool:
    """Whether any point with friction slides slowly; BEND = 0. None counts as slow where a look ahead has led to no end."""
    slow, ends = False, most_patience(contacts) < MOST_PATIENCE
    for a in range(problem.kinds.shape[0]):
        problem.scratch[BEND, a] = 0.0
        if a < problem.points and problem.modes[a] == SLIDE and problem.mu_k[a] > 0.0:
            i = contacts.active[0, a]
            slow = slow or (ends and fastest_in_step(model, work, contacts, i) < AHEAD_BELOW)
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
            fastest = fastest_in_step(model, work, contacts, contacts.active[0, a])
            if fastest < AHEAD_BELOW:
                rest = 1.0 - fastest * fastest / (AHEAD_BELOW * AHEAD_BELOW)
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


# --- while modes are chosen ---------------------------------------------------------------------------------------------------


@jit
def see_ahead(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> bool:
    """Add v/τ to b of the points that hardly slide, and make them of the kind CONE; says whether there are any.

    Not those whose slip has just begun, by an event; nor where a slip cannot turn, as in a plane.
    """
    scale_rows(problem)
    some = False
    for a in range(problem.points):
        problem.scratch[SLOW, a] = problem.scratch[BEND, a] = 0.0
        turns = min(problem.scratch[IDLE_SCALE, 3 * a + 1], problem.scratch[IDLE_SCALE, 3 * a + 2]) > 0.0
        if problem.modes[a] != SLIDE or problem.kinds[a] != RAY or not (turns and problem.mu_k[a] > 0.0):
            continue
        i = contacts.active[0, a]
        if contacts.items[i, HIT] == SLIPS:
            continue
        slip = slip_of(model, work, contacts, i)
        if dot(slip, slip) < REST_SPEED * REST_SPEED:
            problem.scratch[SLOW, a], problem.kinds[a], some = 1.0 / AHEAD, CONE, True
            add_slip(contacts, problem, a, slip, 1.0)
    return some


@inline
def add_slip(contacts: Contacts, problem: Problem, a: int, slip: Vector, sign: float) -> None:
    """Add v/τ to b of an active point, or with the sign −1 take it back."""
    v_1, v_2 = tangent_part(contacts, contacts.active[0, a], slip)
    problem.b[3 * a + 1] += sign * problem.scratch[SLOW, a] * v_1
    problem.b[3 * a + 2] += sign * problem.scratch[SLOW, a] * v_2


@jit
def look_back(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> None:
    """What `see_ahead` has added is taken back. Points that would stick a moment later stick; others slide as was found."""
    for a in range(problem.points):
        if problem.scratch[SLOW, a] == 0.0:
            continue
        slip = slip_of(model, work, contacts, contacts.active[0, a])
        add_slip(contacts, problem, a, slip, -1.0)
        problem.scratch[SLOW, a] = problem.scratch[BEND, a] = 0.0
        if problem.modes[a] != STICK:
            problem.kinds[a] = RAY
