"""The dynamics with contacts: accelerations in given modes, the choice of modes after an event, and the guards that end a mode.

Between events the modes are given, and forces follow from a linear problem (`modes`). After an event the next dynamics chooses the
modes of all closed points together (`complementarity`); what has just happened to a point is not asked again, as the number
that would decide it is zero there.
"""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import call_kernel, load, store, vector_at
from ...algebra.spatial import Vector, add, dot, rotate_back, scale, subtract, zero_spatial
from ...compilation import inline, jit, long_entry
from ...tolerances import (
    AHEAD,
    AHEAD_BELOW,
    REDUNDANT_FORCE,
    SLACK_FORCE,
    SLACK_GAP,
    SLACK_SLIP,
    SLOW_IN_STEP,
    SLOW_SLIP,
    STANDS_STILL,
    UNHEALTHY,
    UNLOADED,
)
from ..aba import accelerate
from ..constraints.closure import balance
from ..constraints.rows import acceleration_gaps, body_frame, tree_origin
from ..kinematics import rising_world
from ..memory import loops_at, model_at, positions_in, velocities_in, work_at
from ..prescribed import impose_rates
from ..tables import VEL, A, D, KernelModel, R, Work
from .complementarity import find_modes
from .distribution import least_margin, widest_margin
from .glance import forget_forces, note_forces
from .memory import (
    ACTIVE_POINTS,
    ACTIVE_RUBS,
    ANCHOR,
    BASE,
    BEFORE,
    BEGUN,
    CHOOSING,
    CLOSING,
    DIRECTION,
    FORCE,
    FREE,
    HELD,
    HIT,
    HOLDS,
    LARGEST,
    LEAD,
    MODE,
    NOTHING,
    PATIENCE,
    RUBS,
    SLACK,
    SLIP,
    SLIPS,
    STATUS,
    WORST,
    Contacts,
    active_rows,
    contacts_at,
    problem_of,
)
from .modes import solve_modes
from .points import beyond_end, gap_of, meet_point
from .problem import BEND, BOX, CONE, FIXED_FORCE, OPEN, PUSH, RAY, SLIDE, SOLVED, STICK
from .problem import Contacts as Problem
from .response import couple_contacts
from .rows import along_rows, apply_forces, relative_acceleration, slip_velocity, spread_active, turning_normal
from .rubs import add_slides, meet_rubs, rates_of_rubs, rub_rate, rub_speed
from .tables import MU_KINETIC, MU_STATIC, NORMAL, POINT, ROW_A, ROW_B, SWAPPED, TANGENTS

_CHOICES = 6  # of modes, each for the directions of slow slips in the one before

# --- which items are there, and what they are to the solver ---------------------------------------------------------------------


@jit
def list_active(contacts: Contacts) -> None:
    """`active`: the points that are closed, then the rubs that stick; while modes are to be chosen, all rubs."""
    n, count = contacts.points.shape[0], 0
    for i in range(n):
        if contacts.items[i, MODE] != OPEN:
            contacts.active[0, count] = i
            count += 1
    points = count
    for i in range(n, contacts.items.shape[0]):
        if contacts.header[CHOOSING] == 1 or contacts.items[i, MODE] == STICK:
            contacts.active[0, count] = i
            count += 1
    contacts.header[ACTIVE_POINTS], contacts.header[ACTIVE_RUBS] = points, count - points


@inline
def tangent_part(contacts: Contacts, i: int, v: Vector) -> tuple[float, float]:
    """A vector along the two tangents of point i."""
    return dot(load(contacts.met, i, TANGENTS, 3), v), dot(load(contacts.met, i, TANGENTS + 3, 3), v)


@inline
def across(contacts: Contacts, i: int, v: Vector) -> Vector:
    """The part of a vector that is in the tangent plane of point i."""
    n = load(contacts.met, i, NORMAL, 3)
    return subtract(v, scale(dot(n, v), n))


@inline
def slip_direction(contacts: Contacts, i: int, v: Vector) -> Vector:
    """The unit vector along the slip v of a point that slides, for a step that began with DIRECTION.

    Where the slip turns back within the step it goes on in its old direction, so that the motion is smooth up to the event and
    beyond; and a slip that has just begun, or is about to end, is too slow to have a direction that is more than rounding: it keeps
    the one that the step began with.
    """
    before = across(contacts, i, load(contacts.kept, i, DIRECTION, 3))
    size = math.sqrt(dot(before, before))
    before = scale(1.0 / size if size > 0.0 else 0.0, before)
    slip = across(contacts, i, v)
    along = dot(slip, before)
    begun = load(contacts.kept, i, SLIP, 3)
    slow = max(SLOW_SLIP, SLOW_IN_STEP * math.sqrt(dot(begun, begun)))
    rest = max(0.0, 1.0 - dot(slip, slip) / (100.0 * slow * slow))
    found = add(scale(abs(along) + slow * rest * rest, before), subtract(slip, scale(along, before)))
    size = math.sqrt(dot(found, found))
    return scale(1.0 / size if size > 0.0 else 0.0, found)


@jit
def pose_problem(model: KernelModel, work: Work, contacts: Contacts, v: Any, problem: Problem) -> None:
    """Kinds, modes, laws and slip directions of the active items, in their present modes; after `meet_active`."""
    still, n = zero_spatial(work.body[0, R]), contacts.points.shape[0]
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        problem.modes[a] = contacts.items[i, MODE]
        if i < n:
            slides = contacts.items[i, MODE] == SLIDE
            problem.kinds[a] = RAY if slides else CONE
            problem.mu_s[a], problem.mu_k[a] = contacts.shapes[i, MU_STATIC], contacts.shapes[i, MU_KINETIC]
            if slides:
                along = slip_direction(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))
                problem.directions[a, 0], problem.directions[a, 1] = tangent_part(contacts, i, along)
            else:
                problem.directions[a, 0] = problem.directions[a, 1] = 0.0
        else:
            problem.kinds[a] = BOX
            problem.mu_s[a] = problem.mu_k[a] = contacts.kept[i, LARGEST]
            problem.directions[a, 0], problem.directions[a, 1] = contacts.kept[i, DIRECTION], 0.0


@jit
def meet_active(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """Where the active points are and how these places move, and along what joints rub; after bodies are placed and moved."""
    meet_rubs(model, contacts)
    for a in range(contacts.header[ACTIVE_POINTS]):
        meet_point(model, work, contacts.points, contacts.shapes, contacts.profiles, contacts.met, contacts.active[0, a])


@jit
def rows_acceleration(model: KernelModel, work: Work, contacts: Contacts, rates: Any, out: Any) -> None:
    """How the active rows accelerate, with VEL and A of the bodies and the accelerations `rates` of the joints."""
    still, world = zero_spatial(work.body[0, R]), rising_world(model, work.body[0, R])
    row, first = 0, contacts.header[ACTIVE_POINTS]
    rates_of_rubs(model, contacts)
    for a in range(first):
        i = contacts.active[0, a]
        lack = along_rows(contacts, i, relative_acceleration(model, work, contacts, i, (VEL, A), still, world))
        out[row] = lack[0] + turning_normal(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))
        out[row + 1], out[row + 2] = lack[1], lack[2]
        row += 3
    for a in range(first, first + contacts.header[ACTIVE_RUBS]):
        out[row] = rub_rate(contacts, contacts.active[0, a], rates)
        row += 1


# --- the dynamics -----------------------------------------------------------------------------------------------------------------


@jit
def hold_contacts(model: KernelModel, work: Work, contacts: Contacts, q: Any, v: Any, out: Any) -> bool:
    """Forces of contacts and what they make of the accelerations `out`; after the dynamics without them. False for none."""
    meet_active(model, work, contacts)
    problem = problem_of(contacts)
    pose_problem(model, work, contacts, v, problem)
    rows_acceleration(model, work, contacts, out, problem.b)
    spread_active(model, work, contacts)
    couple_contacts(model, work, contacts, q, problem.A)
    if contacts.header[CHOOSING]:
        contacts.header[CHOOSING] = 0
        if not choose_modes(model, work, contacts, v, problem):
            return False
    else:
        look_ahead(model, work, contacts, problem)
        unknowns, rank, left = solve_modes(problem, False)
        contacts.header[FREE] = unknowns - rank
        keep_directions(contacts, problem)
        if not left < UNHEALTHY:
            return False
    keep_forces(contacts, problem)
    apply_forces(work, contacts, problem.lam)
    world = rising_world(model, work.body[0, R])
    accelerate(model, work, world, out)
    if contacts.header[CLOSING] != 0:
        closed = loops_at(model.handle, 0.0)
        acceleration_gaps(model, work, closed, out)
        balance(model, work, closed)
        accelerate(model, work, world, out)
    return True


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


@inline
def keep_directions(contacts: Contacts, problem: Problem) -> None:
    """LEAD of the points that slide."""
    for a in range(problem.points):
        i = contacts.active[0, a]
        if problem.modes[a] == SLIDE:
            store(contacts.kept, i, LEAD, in_space(contacts, i, problem.directions[a, 0], problem.directions[a, 1]))


@inline
def in_space(contacts: Contacts, i: int, s_1: float, s_2: float) -> Vector:
    """A direction along the tangents of point i, in world axes."""
    return add(scale(s_1, load(contacts.met, i, TANGENTS, 3)), scale(s_2, load(contacts.met, i, TANGENTS + 3, 3)))


@inline
def keep_forces(contacts: Contacts, problem: Problem) -> None:
    """FORCE of all active items."""
    row = 0
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        contacts.kept[i, FORCE] = problem.lam[row]
        if a < contacts.header[ACTIVE_POINTS]:
            contacts.kept[i, FORCE + 1], contacts.kept[i, FORCE + 2] = problem.lam[row + 1], problem.lam[row + 2]
            row += 3
        else:
            row += 1


# --- the choice of modes ------------------------------------------------------------------------------------------------------------


@jit
def choose_modes(model: KernelModel, work: Work, contacts: Contacts, v: Any, problem: Problem) -> bool:
    """Choose the modes of all closed items by Coulomb's law, but for what has just happened; says whether there are any."""
    still, n = zero_spatial(work.body[0, R]), contacts.points.shape[0]
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        if i < n:
            slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))
            size = math.sqrt(dot(slip, slip))
            if contacts.items[i, HIT] == SLIPS:
                along = load(contacts.kept, i, DIRECTION, 3)
            elif contacts.items[i, HIT] != HOLDS and size > STANDS_STILL:
                goes_on = contacts.items[i, BEFORE] == SLIDE and size < AHEAD_BELOW
                along = load(contacts.kept, i, LEAD, 3) if goes_on else scale(1.0 / size, slip)
            else:
                problem.kinds[a], problem.modes[a] = CONE, STICK
                continue
            problem.kinds[a], problem.modes[a] = RAY, SLIDE
            problem.directions[a, 0], problem.directions[a, 1] = tangent_part(contacts, i, along)
            store(contacts.kept, i, DIRECTION, along)
        else:
            choose_rub(work, contacts, i, a, problem)
    status, item = SOLVED, -1
    for _ in range(_CHOICES):
        problem.scratch[PUSH] = 0.0  # impacts leave theirs there
        problem.scratch[BEND] = 0.0
        status, item = find_modes(problem)
        if status != SOLVED or not look_ahead(model, work, contacts, problem):
            break
        solve_modes(problem, False)
        if least_margin(problem) >= -SLACK_FORCE * largest_force(problem):  # the modes hold for the directions ahead too
            break
    contacts.header[STATUS], contacts.header[WORST] = status, item
    if status != SOLVED:
        return False
    set_modes(model, work, contacts, problem)
    return True


@inline
def largest_force(problem: Problem) -> float:
    """The largest number in λ."""
    largest = 0.0
    for r in range(problem.lam.shape[0]):
        largest = max(largest, abs(problem.lam[r]))
    return largest


@inline
def choose_rub(work: Work, contacts: Contacts, i: int, a: int, problem: Problem) -> None:
    """What a joint with dry friction is to the solver: BOX where it is at rest, a given torque where it moves."""
    row = 2 * contacts.header[ACTIVE_POINTS] + a
    if contacts.items[i, MODE] != SLIDE and not is_taken_along(work, contacts, row, problem):
        problem.kinds[a], problem.modes[a] = BOX, STICK
        return
    if contacts.items[i, MODE] != SLIDE:
        contacts.kept[i, DIRECTION] = math.copysign(1.0, problem.b[row])
    sign = contacts.kept[i, DIRECTION]
    problem.kinds[a], problem.modes[a], problem.directions[a, 0] = FIXED_FORCE, SLIDE, sign
    problem.lam[row] = -sign * problem.mu_k[a]


@inline
def is_taken_along(work: Work, contacts: Contacts, row: int, problem: Problem) -> bool:
    """Whether a joint that is at rest for a moment accelerates although no torque in it moves anything.

    So it is where a linkage moves on and takes one of its joints through a turning point.
    """
    alone = 0.0
    for d in range(contacts.Y.shape[1]):
        alone += contacts.Y[row, d] * contacts.Y[row, d] * work.dof[d, D]
    return problem.A[row, row] <= REDUNDANT_FORCE * alone and problem.b[row] != 0.0


@jit
def set_modes(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> None:
    """MODE, DIRECTION, ANCHOR and SLACK of all items, from the solution of their problem."""
    n, largest = contacts.points.shape[0], max(largest_force(problem), UNLOADED)
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        mode = problem.modes[a] if problem.kinds[a] != FIXED_FORCE else SLIDE
        has_anchor = contacts.items[i, MODE] == STICK
        contacts.items[i, MODE], contacts.items[i, HIT] = mode, NOTHING
        patience = max(1.0, contacts.kept[i, PATIENCE])
        contacts.kept[i, SLACK] = contacts.kept[i, SLACK + 1] = min(patience, 10.0) * SLACK_FORCE * largest
        if i >= n:
            if mode == SLIDE:
                contacts.kept[i, DIRECTION] = problem.directions[a, 0]
                contacts.kept[i, SLACK + 1] = SLACK_SLIP
        elif mode == SLIDE:
            store(contacts.kept, i, DIRECTION, in_space(contacts, i, problem.directions[a, 0], problem.directions[a, 1]))
            contacts.kept[i, SLACK + 1] = min(patience, 100.0) * SLACK_SLIP
            store(contacts.kept, i, SLIP, (0.0, 0.0, 0.0))
        elif mode == STICK and not has_anchor:
            anchor(model, work, contacts, i)


@jit
def watch_open_ones(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """SLACK of the points that are open: they begin on the outer side, whatever rounding the last event has left.

    One that bounces back, which SLACK + 1 says, has it only until it comes down again. Otherwise it would come down lower than it has
    started, and the lowest of endlessly many bounces would not lose height.
    """
    for i in range(contacts.points.shape[0]):
        if contacts.items[i, MODE] == OPEN:
            gap = gap_of(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
            contacts.kept[i, SLACK] = contacts.kept[i, SLACK + 1] = 0.0
            if gap < SLACK_GAP:
                contacts.kept[i, SLACK] = max(0.0, SLACK_GAP - 2.0 * gap)
                parts = 2.0 if contacts.items[i, HIT] == HELD else 1.0
                contacts.kept[i, SLACK + 1] = parts if parting_speed(model, work, contacts, i) > STANDS_STILL else 0.0
            contacts.items[i, HIT] = NOTHING


@jit
def parting_speed(model: KernelModel, work: Work, contacts: Contacts, i: int) -> float:
    """How fast the gap of point i becomes wider, with VEL of the bodies."""
    meet_point(model, work, contacts.points, contacts.shapes, contacts.profiles, contacts.met, i)
    return along_rows(contacts, i, slip_velocity(model, work, contacts, i, VEL, zero_spatial(work.body[0, R])))[0]


@inline
def anchor(model: KernelModel, work: Work, contacts: Contacts, i: int) -> None:
    """ANCHOR: the place of a point on the body that it is no material point of."""
    k = other_row(contacts, i)
    X = body_frame(work.body, k)
    c = subtract(load(contacts.met, i, POINT, 3), tree_origin(model, work.body, k))
    store(contacts.kept, i, ANCHOR, rotate_back(X[0], subtract(c, X[1])))


@inline
def other_row(contacts: Contacts, i: int) -> int:
    """The row of the body over which a FIXED point moves where it slides."""
    row: int = contacts.points[i, ROW_A] if contacts.points[i, SWAPPED] else contacts.points[i, ROW_B]
    return row


# --- guards ---------------------------------------------------------------------------------------------------------------------------


@jit
def share_forces(contacts: Contacts) -> None:
    """Forces within their cones, where those of the dynamics are not but others would do the same."""
    problem = problem_of(contacts)
    if least_margin(problem) < 0.0:
        widest_margin(problem, True)
        keep_forces(contacts, problem)


@jit
def watch(model: KernelModel, work: Work, contacts: Contacts, v: Any) -> None:
    """`values`: two guards of each item, positive while its mode goes on; after the dynamics.

    OPEN: the gap. STICK: the normal force, and what friction has left. SLIDE: the normal force, and the slip in its direction.
    """
    still, n, values = zero_spatial(work.body[0, R]), contacts.points.shape[0], contacts.values
    meet_rubs(model, contacts)
    for i in range(contacts.items.shape[0]):
        mode, normal = contacts.items[i, MODE], contacts.kept[i, FORCE]
        first, second = 1.0, 1.0
        if i >= n:
            if mode == STICK:
                second = contacts.kept[i, LARGEST] - abs(normal)
            else:
                second = rub_speed(model, work, contacts, i, v) * contacts.kept[i, DIRECTION]
        elif mode == OPEN:
            first = gap_of(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
            if contacts.kept[i, SLACK] > 0.0 and contacts.kept[i, SLACK + 1] > 0.0:
                if parting_speed(model, work, contacts, i) <= 0.0:
                    first -= contacts.kept[i, SLACK]
        else:
            first = min(normal, -beyond_end(model, work, contacts.points, contacts.shapes, contacts.profiles, i))
            if mode == STICK:
                friction = math.hypot(contacts.kept[i, FORCE + 1], contacts.kept[i, FORCE + 2])
                second = contacts.shapes[i, MU_STATIC] * normal - friction
            elif contacts.shapes[i, MU_KINETIC] > 0.0:
                second = dot(slip_velocity(model, work, contacts, i, VEL, still), load(contacts.kept, i, DIRECTION, 3))
        values[0, 2 * i] = first + contacts.kept[i, SLACK]
        values[0, 2 * i + 1] = second + contacts.kept[i, SLACK + 1]


@jit
def drop_slack(contacts: Contacts) -> None:
    """Take SLACK from guards that have left zero, at the end of a step."""
    for i in range(contacts.items.shape[0]):
        for side in range(2):
            slack = contacts.kept[i, SLACK + side]
            if slack > 0.0 and contacts.values[0, 2 * i + side] > 3.0 * slack:
                contacts.kept[i, SLACK + side] = 0.0
                contacts.values[0, 2 * i + side] -= slack


@inline
def keep_first_directions(contacts: Contacts) -> None:
    """BEGUN of all items, for who looks at a motion that is over."""
    for i in range(contacts.items.shape[0]):
        store(contacts.kept, i, BEGUN, load(contacts.kept, i, DIRECTION, 3))


# --- what `simulate` calls by address ----------------------------------------------------------------------------------------------------


@long_entry
def contact_dynamics(handle: int, q: int, v: int, tau: int, external: int, pushed: int, out: int) -> float:
    """Accelerations with contacts, with addresses of arrays; returns the least MARGIN, NaN where forces cannot be found."""
    m, w, nq, nv = model_at(handle), work_at(handle, 0.0), positions_in(handle), velocities_in(handle)
    contacts = contacts_at(handle)
    slides = contacts.header[RUBS] > 0 and contacts.header[CHOOSING] == 0
    if slides:
        add_slides(m, contacts, tau, 1.0)
    margin = call_kernel(contacts.header[BASE], (handle, q, v, tau, external, pushed, out))
    if slides:
        add_slides(m, contacts, tau, -1.0)
    if contacts.header[STATUS] != SOLVED:
        return math.nan
    if contacts.header[CHOOSING]:
        list_active(contacts)
    chooses, rate = contacts.header[CHOOSING] == 1, vector_at(out, nv)
    if active_rows(contacts) > 0:
        if not hold_contacts(m, w, contacts, vector_at(q, nq), vector_at(v, nv), rate):
            return math.nan
        margin = impose_rates(w, rate, margin)
    if chooses:
        contacts.header[CHOOSING] = 0
        list_active(contacts)
        watch_open_ones(m, w, contacts)
        keep_first_directions(contacts)
        forget_forces(contacts)
    elif active_rows(contacts) > 0:
        note_forces(contacts)
    return margin


@long_entry
def contact_guards(handle: int, v: int) -> float:
    """`watch`, after the dynamics."""
    contacts = contacts_at(handle)
    if contacts.header[FREE] > 0 and active_rows(contacts) > 0:
        share_forces(contacts)
    watch(model_at(handle), work_at(handle, 0.0), contacts, vector_at(v, velocities_in(handle)))
    return 0.0
