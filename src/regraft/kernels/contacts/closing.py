"""Contacts after a step: positions and velocities go back to where closed points touch and sticking ones stay.

The projection is that of loops (`constraints.closure`): the least move in the metric of kinetic energy. A point that sticks stays
at its anchor; one that rolls, whose place of contact moves over both bodies, has none, and only its slip is taken out.
"""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import call_kernel, load, store, vector_at
from ...algebra.spatial import Vector, add, dot, rotate, scale, subtract, zero_spatial
from ...compilation import Floats, inline, inline_once, jit, long_entry
from ...tolerances import CONTACT_CLOSED, MOST_INSIDE, NO_MOVE, PENETRATES, REST_SPEED, SLOW_SLIP, SPIRALS, TURNS_TOO
from .. import configuration
from ..aba import factorise
from ..constraints.closure import CLOSE_VELOCITIES, STEP_AGAIN
from ..constraints.rows import body_frame, tree_origin
from ..energy import kinetic_energy
from ..kinematics import move_bodies, place_bodies
from ..memory import model_at, positions_in, velocities_in, work_at
from ..tables import TAU, VEL, KernelModel, R, Work
from .glance import judge_step
from .guarding import drop_slack
from .items import across, is_anchored, meet_active, note, other_row
from .memory import (
    ACTIVE_POINTS,
    ANCHOR,
    CLOSING,
    DIRECTION,
    HOLD_LOOPS,
    INSIDE,
    JUMPS,
    MODE,
    MOVED_TOO,
    READY,
    ROWS_ALONE,
    SLACK,
    SLIP,
    STARTED,
    STATUS,
    STEP,
    STEP_TAKES,
    THIN,
    WATCHED,
    WORST,
    Contacts,
    active_rows,
    contacts_at,
    problem_of,
    problem_without_friction,
)
from .one_point import solve_between_events
from .outlook import look_out
from .points import beyond_end, grows_beyond
from .problem import BEND, BOX, CONE, IDLE_SCALE, OPEN, SLIDE, SOLVED, STICK
from .problem import Contacts as Problem
from .reach import find_reach
from .response import ask_loops, couple_contacts, respond, rows_speed
from .rows import along_rows, apply_forces, slip_velocity, spread_active, surface_speed
from .stages import contact_stage
from .tables import GAP, POINT, SWAPPED

_TRIALS = 6

ALL_TOGETHER = 10.0
"""So many times what it costs to stop points one by one, it may cost to stop them together."""


@contact_stage
def prepare_rows(model: KernelModel, work: Work, contacts: Contacts, q: Floats, v: Floats) -> None:
    """The factors of M, the rows of active items and their Delassus matrix at q, and how bodies move at v: what is not READY."""
    ready, contacts.header[READY] = contacts.header[READY], 0
    if ready == 0:
        factorise(model, work, q)
        ask_loops(model, contacts, q, v, HOLD_LOOPS)
    if ready != MOVED_TOO:
        move_bodies(model, work, q, v)
    if ready == 0:
        meet_active(model, work, contacts)
        spread_active(model, work, contacts)
        couple_contacts(model, work, contacts, q, problem_of(contacts).A)


@inline
def off_anchor(model: KernelModel, work: Work, contacts: Contacts, i: int) -> Vector:
    """How far a point of body a is from where it is to be on b."""
    k = other_row(contacts, i)
    X = body_frame(work.body, k)
    held = add(add(rotate(X[0], load(contacts.kept, i, ANCHOR, 3)), X[1]), tree_origin(model, work.body, k))
    away = subtract(load(contacts.met, i, POINT, 3), held)
    return scale(-1.0, away) if contacts.points[i, SWAPPED] else away


@inline_once
def position_gaps(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> float:
    """b: how far the active rows are from where they are to be; rows that are not held have modes without them."""
    worst, first = 0.0, contacts.header[ACTIVE_POINTS]
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        if a >= first:
            problem.kinds[a], problem.modes[a] = BOX, SLIDE
            problem.directions[a, 0] = problem.directions[a, 1] = 0.0
            problem.b[2 * first + a] = 0.0
            continue
        held = contacts.items[i, MODE] == STICK and is_anchored(contacts, i)
        problem.kinds[a], problem.modes[a] = CONE, STICK if held else SLIDE
        problem.directions[a, 0], problem.directions[a, 1] = 1.0, 0.0
        away = (0.0, 0.0, 0.0)
        if held:
            away = along_rows(contacts, i, off_anchor(model, work, contacts, i))
        beyond = beyond_end(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
        gap = contacts.met[i, GAP] - (2.0 * max(beyond, 0.0) if grows_beyond(contacts.points, i) else 0.0)
        problem.b[3 * a], problem.b[3 * a + 1], problem.b[3 * a + 2] = gap, away[1], away[2]
        for along in range(3):
            if contacts.spared[0, 3 * a + along] == 0:
                worst = max(worst, abs(problem.b[3 * a + along]))
    return worst


@inline_once
def speed_gaps(model: KernelModel, work: Work, contacts: Contacts, problem: Problem, v: Any, running: bool) -> None:
    """b: how fast the active rows go; `running`: with surfaces that run."""
    rows_speed(model, work, contacts, v, problem.b)
    first = contacts.header[ACTIVE_POINTS]
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        sticks = contacts.items[i, MODE] == STICK
        problem.modes[a], problem.directions[a, 0], problem.directions[a, 1] = STICK if sticks else SLIDE, 1.0, 0.0
        if a >= first:
            problem.kinds[a], problem.directions[a, 0] = BOX, 0.0
            continue
        problem.kinds[a] = CONE
        if running:
            u = along_rows(contacts, i, surface_speed(work, contacts, i))
            problem.b[3 * a] -= u[0]
            problem.b[3 * a + 1] -= u[1]
            problem.b[3 * a + 2] -= u[2]


@contact_stage
def least_move(model: KernelModel, work: Work, contacts: Contacts, q: Floats) -> None:
    """STEP: the least move that takes b from the rows that are held."""
    problem = problem_without_friction(contacts)
    for a in range(problem.kinds.shape[0]):
        problem.scratch[BEND, a] = 0.0
    solve_between_events(model, work, contacts, problem, False, False)
    for d in range(work.dof.shape[0]):
        work.dof[d, TAU] = 0.0
    apply_forces(work, contacts, problem.lam)
    respond(model, work, contacts, q, contacts.spare[STEP])


@inline
def close_speeds(model: KernelModel, work: Work, contacts: Contacts, q: Any, v: Any, running: bool) -> None:
    """Take out of v what points that touch or stick may not have; after `prepare_rows` at q and v."""
    speeds_to_take(model, work, contacts, q, v, running)
    take_speeds(contacts, v)


@contact_stage
def speeds_to_take(model: KernelModel, work: Work, contacts: Contacts, q: Floats, v: Floats, running: bool) -> float:
    """STEP: what `close_speeds` is to add to v; returns the kinetic energy that this takes, ½ b · A⁻¹ b."""
    problem = problem_without_friction(contacts)
    speed_gaps(model, work, contacts, problem, v, running)
    least_move(model, work, contacts, q)
    return energy_taken(problem)


@inline
def energy_taken(problem: Problem) -> float:
    """½ b · A⁻¹ b, after `least_move`: the kinetic energy of what it takes away."""
    energy = 0.0
    for r in range(problem.lam.shape[0]):
        energy -= 0.5 * problem.lam[r] * problem.b[r]
    return energy


@inline
def take_speeds(contacts: Contacts, v: Any) -> None:
    """Add STEP to v."""
    for d in range(v.shape[0]):
        v[d] += contacts.spare[STEP, d]


@contact_stage
def energy_to_spare(
    _model: KernelModel, _work: Work, contacts: Contacts, kinetic: float, share: float, own: float, slow: float
) -> float:
    """What may be taken without notice, after `speeds_to_take`: a share of the kinetic energy; of each point `own` times what it
    costs to stop it alone, and what that costs at the speed `slow`, which is as good as none.
    """
    problem, total = problem_without_friction(contacts), share * kinetic
    for a in range(problem.points):
        size = slow * problem.scratch[IDLE_SCALE, 3 * a]
        total += own * stopped_alone(problem, a) + 0.5 * size * size
    for r in range(3 * problem.points, problem.lam.shape[0]):  # of joints with dry friction, which are slow where they stick
        size = max(REST_SPEED, slow) * problem.scratch[IDLE_SCALE, r]
        total += 0.5 * size * size
    return total


@inline
def stopped_alone(problem: Problem, a: int) -> float:
    """The kinetic energy that it takes to stop an active point, if no other has to be."""
    total = 0.0
    for r in range(3 * a, 3 * a + (3 if problem.modes[a] == STICK else 1)):
        speed = problem.b[r] * problem.scratch[IDLE_SCALE, r]
        total += 0.5 * speed * speed
    return total


@jit
def refuse_jump(contacts: Contacts) -> None:
    """STATUS is JUMPS, and WORST the point that costs most to stop; after `speeds_to_take`."""
    problem, most = problem_without_friction(contacts), -1.0
    contacts.header[STATUS], contacts.header[WORST] = JUMPS, contacts.active[0, 0]
    for a in range(problem.points):
        if stopped_alone(problem, a) > most:
            most, contacts.header[WORST] = stopped_alone(problem, a), contacts.active[0, a]


@inline
def is_short(step: Any) -> bool:
    """Whether a move is so short that its square is less than rounding."""
    longest = 0.0
    for d in range(step.shape[0]):
        longest = max(longest, abs(step[d]))
    return longest <= NO_MOVE


@contact_stage
def close_places(model: KernelModel, work: Work, contacts: Contacts, q: Floats, v: Floats, best: Floats, chosen: bool) -> float:
    """Put q where closed points touch and sticking ones are at their anchors; returns what is left. `best` is scratch (nq,).

    What is READY, as the dynamics has just been there, is not found again.

    Before modes are `chosen` points may be closed that cannot be so together, as where one side takes over from another. A move
    that is much more than each of them needs by itself is not made then.

    After a move that is hardly more than rounding nothing is left, and all that was found for it is what `prepare_rows` would
    find where it ends.
    """
    worst = 0.0
    for trial in range(_TRIALS):
        ready = contacts.header[READY]
        if ready == 0:
            place_bodies(model, work, q)
            move_bodies(model, work, q, v)
            meet_active(model, work, contacts)
        problem = problem_without_friction(contacts)
        before, worst = worst, position_gaps(model, work, contacts, problem)
        if worst <= CONTACT_CLOSED or (trial > 2 and not worst < 0.5 * before):
            break
        if ready == 0:
            factorise(model, work, q)
            ask_loops(model, contacts, q, v, HOLD_LOOPS)
            spread_active(model, work, contacts)
            couple_contacts(model, work, contacts, q, problem.A)
        least_move(model, work, contacts, q)
        contacts.header[READY] = 0
        if not chosen and energy_taken(problem) > energy_to_spare(model, work, contacts, 0.0, 0.0, ALL_TOGETHER, CONTACT_CLOSED):
            break
        for i in range(q.shape[0]):
            best[i] = q[i]
        configuration.integrate(model.walk, best, contacts.spare[STEP], q)
        if is_short(contacts.spare[STEP]) and contacts.header[CLOSING] == 0:
            contacts.header[READY] = ROWS_ALONE if ready == ROWS_ALONE else MOVED_TOO
            return 0.0
    return worst


@contact_stage
def turn_directions(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """DIRECTION of points that slide, where a step ends.

    A slip in space can turn ever faster while it comes to its end, and never goes back through zero; it ends where it is slow.
    STARTED is what there was before.
    """
    still = zero_spatial(work.body[0, R])
    for a in range(contacts.header[ACTIVE_POINTS]):
        i = contacts.active[0, a]
        if contacts.items[i, MODE] == SLIDE:
            slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))
            size = dot(slip, slip) ** 0.5
            before = load(contacts.kept, i, DIRECTION, 3)
            store(contacts.kept, i, STARTED, before)
            store(contacts.kept, i, STARTED + 3, load(contacts.kept, i, SLIP, 3))
            along = dot(slip, before)
            change = subtract(slip, load(contacts.kept, i, SLIP, 3))
            store(contacts.kept, i, SLIP, slip)
            note(contacts, i, 1, along)  # as the next step begins with it
            slower = dot(change, before)
            if (
                contacts.kept[i, SLACK + 1] == 0.0
                and size < SPIRALS
                and slower < 0.0
                and dot(change, change) > (1.0 + TURNS_TOO) * slower * slower
            ):
                contacts.kept[i, SLACK + 1] = -1.0  # its guard is below zero now, which ends the slip
                contacts.items[i, WATCHED] = 1
            elif size > SLOW_SLIP and along > 0.0:
                store(contacts.kept, i, DIRECTION, scale(1.0 / size, slip))


@inline
def turn_back(contacts: Contacts) -> None:
    """DIRECTION and SLIP of points that slide as they were where the last step began, as it is taken again."""
    for a in range(contacts.header[ACTIVE_POINTS]):
        i = contacts.active[0, a]
        if contacts.items[i, MODE] == SLIDE:
            store(contacts.kept, i, DIRECTION, load(contacts.kept, i, STARTED, 3))
            store(contacts.kept, i, SLIP, load(contacts.kept, i, STARTED + 3, 3))


@inline
def slides(contacts: Contacts) -> bool:
    """Whether any point does."""
    some = False
    for a in range(contacts.header[ACTIVE_POINTS]):
        some = some or contacts.items[contacts.active[0, a], MODE] == SLIDE
    return some


@inline
def is_inside(contacts: Contacts) -> bool:
    """Whether the step began with an open point within what it may touch, by the guards as they were there; STATUS says so then.

    One that has begun its mode inside, as SLACK says, may be deeper by what closing others has done to it: its guard tells where
    it goes on into the ground, and then it touches. One that is HELD open and parts may be as deep as it was put.
    """
    for k in range(contacts.live[0, 0]):
        guard = contacts.live[0, 1 + k]
        i, side = guard // 2, guard % 2
        if side == 1 or i >= contacts.points.shape[0] or contacts.items[i, MODE] != OPEN:
            continue
        deepest = MOST_INSIDE if contacts.kept[i, SLACK] > 0.0 else PENETRATES
        if contacts.kept[i, SLACK + 1] > 1.0 and contacts.kept[i, SLACK] > 0.0:
            deepest = math.inf
        if contacts.values[0, guard] - contacts.kept[i, SLACK] < -deepest:
            contacts.header[STATUS], contacts.header[WORST] = INSIDE, i
            return True
    return False


@inline_once
def take_little(model: KernelModel, work: Work, contacts: Contacts, q: Any, v: Any) -> bool:
    """`close_speeds` after `prepare_rows`, unless that takes more kinetic energy than a step may lose; whether it does not."""
    share, kinetic = contacts.laws[STEP_TAKES, 0], 0.0
    if contacts.header[CLOSING] != 0:  # where the next line overwrites VEL
        kinetic = kinetic_energy(model, work, v)
    taken = speeds_to_take(model, work, contacts, q, v, True)
    too_much = taken > energy_to_spare(model, work, contacts, kinetic, share, 0.0, REST_SPEED)
    if too_much and contacts.header[CLOSING] == 0:  # else nobody need know how much there is
        kinetic = kinetic_energy(model, work, v)
        too_much = taken > energy_to_spare(model, work, contacts, kinetic, share, 0.0, REST_SPEED)
    if not too_much:
        take_speeds(contacts, v)
    return not too_much


@long_entry
def contact_closing(handle: int, q: int, v: int, step: int, best: int, result: int, what: int) -> float:
    """What closes loops and contacts again after a step, with addresses of arrays; see `constraints.closure.loop_closing`.

    `result` has the size of the step when it is called. The last dynamics was where the step ends, so that most of what closing
    takes is READY.
    """
    m, w, contacts = model_at(handle), work_at(handle, 0.0), contacts_at(handle)
    if what == STEP_AGAIN:
        turn_back(contacts)
        return 0.0
    position, velocity = vector_at(q, positions_in(handle)), vector_at(v, velocities_in(handle))
    gap, closes, h = 0.0, contacts.header[CLOSING], vector_at(result, 1)[0]
    vector_at(result, 1)[0] = 0.0
    if contacts.header[STATUS] >= INSIDE:
        contacts.header[STATUS] = SOLVED  # of a step that was longer
    if what != CLOSE_VELOCITIES and contacts.header[THIN] > 0:
        if contacts.header[READY] != MOVED_TOO:
            place_bodies(m, w, position)
            move_bodies(m, w, position, velocity)
        find_reach(m, w, contacts, h, False)
    if what != CLOSE_VELOCITIES and is_inside(contacts):
        return math.inf
    if closes != 0:
        gap = call_kernel(closes, (handle, q, v, step, best, result, what))
    if what != CLOSE_VELOCITIES:
        judge_step(contacts)
    if active_rows(contacts) == 0:
        if what != CLOSE_VELOCITIES:
            if closes != 0:
                place_bodies(m, w, position)
                move_bodies(m, w, position, velocity)
            look_out(m, w, contacts, h)
        drop_slack(contacts)
        return gap
    if what == CLOSE_VELOCITIES:
        if contacts.header[READY] == MOVED_TOO:
            contacts.header[READY] = ROWS_ALONE  # as these are other velocities
        prepare_rows(m, w, contacts, position, velocity)
        close_speeds(m, w, contacts, position, velocity, False)
        contacts.header[READY] = ROWS_ALONE if closes == 0 else 0
        return gap
    gap = max(gap, close_places(m, w, contacts, position, velocity, vector_at(best, positions_in(handle)), True))
    if closes != 0:
        gap = max(gap, call_kernel(closes, (handle, q, v, step, best, result, what)))
    prepare_rows(m, w, contacts, position, velocity)
    if not take_little(m, w, contacts, position, velocity):
        refuse_jump(contacts)
        return math.inf
    if slides(contacts) or closes != 0:
        move_bodies(m, w, position, velocity)
        turn_directions(m, w, contacts)
    look_out(m, w, contacts, h)
    drop_slack(contacts)
    return gap
