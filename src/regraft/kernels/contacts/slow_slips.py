"""Slips that are so slow that their direction turns faster than anything else: friction looks a moment ahead.

The direction of a slow slip v turns at a rate of µ λ_n / (m v). So friction acts against the slip that there will be a moment τ
later, by the acceleration w that the slip has with that very friction: v + τ w, but for what makes the slip slower. So friction
leans from v, by an angle that Newton's method finds for all slow slips together. Where v is one that lasts, as of feet that are
pushed aside, w is nothing beside it and friction is against v itself; one step of the method alone would hold other directions.

Where modes are chosen the slowest slips, whose directions may be rounding, have it found with the modes: it is the law of a point
that does not slip yet, with v/τ + w for w.
"""

from __future__ import annotations

import math

from ...algebra.memory import load
from ...algebra.spatial import Vector, dot, zero_spatial
from ...compilation import inline, jit
from ...tolerances import (
    AHEAD,
    AHEAD_BELOW,
    LEANS,
    REST_SPEED,
    SLOWEST_AHEAD,
    STANDS_STILL,
)
from ..tables import VEL, KernelModel, R, Work
from .items import across, most_patience, tangent_part
from .memory import HIT, MOST_PATIENCE, SLIP, SLIPS, Contacts
from .modes import solve_modes
from .problem import BEND, CONE, IDLE_SCALE, LEAN, RAY, RESISTS, SHIFT, SLIDE, SLOW, SPEEDS_UP, STICK, W, scale_rows
from .problem import Contacts as Problem
from .rows import slip_velocity

_TURNS = 12  # of Newton's method for the directions of slow slips
_OF_SLOWING = 0.25  # of how fast a slip becomes slower: so much of the time until it ends is looked ahead, at most four times
_MOST_TURN = 0.7  # rad, in one of them
_OF_BEGUN = 0.3  # of the slip with which a step begins: where that is more than AHEAD_BELOW, the step looks ahead at none


@jit
def look_ahead(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> bool:
    """Turn the directions of slow slips to what they will be a moment later; says whether there are any. BEND = 0."""
    if not slips_slowly(model, work, contacts, problem):
        return False
    for a in range(problem.points):
        problem.scratch[LEAN, a] = problem.scratch[SHIFT, a] = problem.scratch[SPEEDS_UP, a] = 0.0
    solve_modes(problem, False, False)
    list_slow_slips(model, work, contacts, problem)
    for _ in range(_TURNS):
        bend_slow_slips(problem)
        solve_modes(problem, False, True)
        if turn_slow_slips(problem) < LEANS:
            break
    for a in range(problem.points):
        problem.scratch[BEND, a] = problem.scratch[LEAN, a] = problem.scratch[SHIFT, a] = 0.0
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
def moment_ahead(speed: float) -> float:
    """How much later than now a slip of such a speed is looked at: when it has gone a given way, so the slower the later."""
    return AHEAD * AHEAD_BELOW / max(speed, SLOWEST_AHEAD)


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
def list_slow_slips(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> None:
    """RESISTS of points that slide slowly, 0 of others: |v| / τ, and how fast the slip becomes slower by itself.

    So nothing is looked at later than where the slip ends; after forces with friction against the slips as they are.
    """
    scratch = problem.scratch
    for a in range(problem.points):
        scratch[RESISTS, a] = 0.0
        if problem.modes[a] == SLIDE and problem.mu_k[a] > 0.0:
            speed = slip_speed(model, work, contacts, contacts.active[0, a])
            fastest = fastest_in_step(model, work, contacts, contacts.active[0, a])
            if fastest < AHEAD_BELOW:
                rest = 1.0 - fastest * fastest / (AHEAD_BELOW * AHEAD_BELOW)
                along = problem.directions[a, 0] * scratch[W, 3 * a + 1] + problem.directions[a, 1] * scratch[W, 3 * a + 2]
                scratch[RESISTS, a] = (speed + STANDS_STILL) / (moment_ahead(speed) * rest * rest) + _OF_SLOWING * max(
                    -along, 0.0
                )


@jit
def bend_slow_slips(problem: Problem) -> None:
    """BEND, LEAN and SHIFT of points that slide slowly, for the next step of Newton's method; after forces in their modes.

    Friction is against v + τ w a: the slip v, with what its acceleration w across v, along the unit vector a, makes of it within
    τ. So it leans from v by the angle θ of cos θ w = sin θ |v| / τ. With a force f across friction θ is less by f / (µ λ_n).
    """
    scratch = problem.scratch
    for a in range(problem.points):
        push, slow = problem.mu_k[a] * abs(problem.lam[3 * a]), scratch[RESISTS, a]
        scratch[BEND, a] = 0.0
        if slow > 0.0 and push > 0.0:
            c, s = math.cos(scratch[LEAN, a]), math.sin(scratch[LEAN, a])
            s_1, s_2 = problem.directions[a, 0], problem.directions[a, 1]
            w_1, w_2 = scratch[W, 3 * a + 1], scratch[W, 3 * a + 2]
            along = (c * s_1 + s * s_2) * w_1 + (c * s_2 - s * s_1) * w_2
            across = (s * s_1 - c * s_2) * w_1 + (s * s_2 + c * s_1) * w_2
            scratch[SPEEDS_UP, a] = 1.0 if along > 0.0 else 0.0
            scratch[BEND, a] = (max(across * s, 0.0) + (slow + max(along, 0.0)) * c) / push
            scratch[SHIFT, a] = slow * s


@inline
def turn_slow_slips(problem: Problem) -> float:
    """Directions of points that slide slowly, against the friction that was found for them; by how much they turn at most."""
    most = 0.0
    for a in range(problem.points):
        if problem.scratch[BEND, a] > 0.0:
            s_1, s_2, lean = problem.directions[a, 0], problem.directions[a, 1], problem.scratch[LEAN, a]
            push = problem.mu_k[a] * abs(problem.lam[3 * a])
            across = s_1 * problem.lam[3 * a + 2] - s_2 * problem.lam[3 * a + 1]
            turned = -across / push if push > 0.0 else 0.0
            turned = min(max(turned, -_MOST_TURN), _MOST_TURN)
            turned = min(max(lean + turned, -0.5 * math.pi), 0.5 * math.pi) - lean
            c, s = math.cos(turned), math.sin(turned)
            problem.directions[a, 0], problem.directions[a, 1] = c * s_1 - s * s_2, c * s_2 + s * s_1
            problem.scratch[LEAN, a] = lean + turned
            most = max(most, abs(turned))
    return most


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
            problem.scratch[SLOW, a], problem.kinds[a], some = 1.0 / moment_ahead(math.sqrt(dot(slip, slip))), CONE, True
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
    """What `see_ahead` has added is taken back. Points that would stick a moment later slide on until they do.

    Those that stand still stick; others slide as was found.
    """
    for a in range(problem.points):
        if problem.scratch[SLOW, a] == 0.0:
            continue
        slip = slip_of(model, work, contacts, contacts.active[0, a])
        add_slip(contacts, problem, a, slip, -1.0)
        problem.scratch[SLOW, a] = problem.scratch[BEND, a] = 0.0
        size = math.sqrt(dot(slip, slip))
        if problem.modes[a] == STICK and size > STANDS_STILL:
            problem.modes[a] = SLIDE
            v_1, v_2 = tangent_part(contacts, contacts.active[0, a], slip)
            problem.directions[a, 0], problem.directions[a, 1] = v_1 / size, v_2 / size
        if problem.modes[a] != STICK:
            problem.kinds[a] = RAY
