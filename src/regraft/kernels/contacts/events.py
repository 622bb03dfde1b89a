"""What happens to contact points at an event: they touch, with an impact or without; leave; begin to slip, or stop.

The event itself says what becomes of the points that it is about. Then velocities are what the points that stay closed allow, and
the next dynamics chooses the modes of all of them together (`dynamics.choose_modes`).
"""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import load, store
from ...algebra.spatial import add, dot, scale, zero_spatial
from ...compilation import Floats, entry, inline, jit
from ...tolerances import AHEAD_BELOW, AT_THE_LIMIT, JAMS_AT, JOINT_RESTS, PENETRATES, REST_SPEED, STANDS_STILL, TOUCHING
from ..kinematics import move_bodies, place_bodies
from ..memory import model_at, positions_in, work_at
from ..tables import TAU, VEL, KernelModel, R, Work
from .closing import close_places, close_speeds, off_anchor, prepare_rows
from .impact import SEQUENTIAL, SIMULTANEOUS, solve_impact
from .items import across, anchor, list_active
from .memory import (
    ACTIVE_POINTS,
    ACTIVE_RUBS,
    BEFORE,
    BOUNCE,
    CHOOSING,
    DIRECTION,
    FORCE,
    GOES_ON,
    HELD,
    HIT,
    HOLDS,
    IMPACT_LAWS,
    IMPULSE,
    LEAVES,
    MODE,
    NOTHING,
    OTHER,
    READY,
    SLIPS,
    STATUS,
    STAYS,
    STEP,
    TOUCHES,
    Contacts,
    contacts_at,
    problem_of,
)
from .points import meet_point
from .problem import OPEN, SLIDE, SOLVED, STICK
from .response import respond, rows_speed
from .rows import along_rows, apply_forces, slip_velocity, surface_speed
from .rubs import meet_rubs, rub_speed
from .tables import GAP, LAW, MU_KINETIC, MU_STATIC, RESTITUTION, TANGENTS

_ROUNDS = 5  # of closing, where each may let more points touch

CALM, COLLIDED, UNSOLVED = 0, 16, 32
"""What `contact_event` tells: whether there was an impact, with what `impact` tells of it, and whether it had no solution."""


@inline
def is_fast(model: KernelModel, work: Work, contacts: Contacts, i: int) -> bool:
    """Whether a point slips faster than what may be left of a slip that ends."""
    meet_point(model, work, contacts.points, contacts.shapes, contacts.profiles, contacts.met, i)
    slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, zero_spatial(work.body[0, R])))
    return math.sqrt(dot(slip, slip)) > AHEAD_BELOW


@jit
def let_go_and_slip(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """Points that LEAVE are open; what SLIPS does so against the friction that was not enough."""
    n = contacts.points.shape[0]
    for i in range(contacts.items.shape[0]):
        hit = contacts.items[i, HIT]
        if hit == LEAVES:
            contacts.items[i, MODE] = OPEN
        elif hit == SLIPS and i >= n:
            contacts.kept[i, DIRECTION] = -math.copysign(1.0, contacts.kept[i, FORCE])
            contacts.items[i, MODE] = SLIDE
        elif hit == SLIPS:
            f_1, f_2 = contacts.kept[i, FORCE + 1], contacts.kept[i, FORCE + 2]
            size = math.hypot(f_1, f_2)
            if contacts.shapes[i, MU_STATIC] * contacts.kept[i, FORCE] < (1.0 - AT_THE_LIMIT) * size:
                contacts.items[i, HIT] = NOTHING  # friction is far from enough: the law itself says where it goes
                continue
            back = -1.0 / size if size > 0.0 else 0.0
            t_1, t_2 = load(contacts.met, i, TANGENTS, 3), load(contacts.met, i, TANGENTS + 3, 3)
            store(contacts.kept, i, DIRECTION, add(scale(back * f_1, t_1), scale(back * f_2, t_2)))
            contacts.items[i, MODE] = SLIDE
        elif hit == HOLDS and i < n and is_fast(model, work, contacts, i):
            contacts.items[i, HIT] = NOTHING  # the slip has not ended, but turned by a right angle within a step
        elif hit == HOLDS:
            contacts.items[i, MODE] = STICK


@jit
def recall(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """Points that were closed in the structure before and no longer touch, or come together or part, are open."""
    still = zero_spatial(work.body[0, R])
    for i in range(contacts.items.shape[0]):
        stays, goes_on = contacts.items[i, HIT] == STAYS, contacts.items[i, HIT] == GOES_ON
        if stays or goes_on:
            contacts.items[i, HIT] = SLIPS if goes_on else NOTHING
        if (stays or goes_on) and i < contacts.points.shape[0]:
            meet_point(model, work, contacts.points, contacts.shapes, contacts.profiles, contacts.met, i)
            speed = along_rows(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))[0]
            if abs(contacts.met[i, GAP]) > PENETRATES or abs(speed) > REST_SPEED:
                contacts.items[i, MODE] = contacts.items[i, BEFORE] = OPEN
                contacts.items[i, HIT] = NOTHING
            elif contacts.items[i, MODE] == STICK:
                away = off_anchor(model, work, contacts, i)
                if dot(away, away) > PENETRATES * PENETRATES:
                    contacts.items[i, BEFORE] = OPEN  # it was moved, so it has another anchor now


@jit
def close_touching(model: KernelModel, work: Work, contacts: Contacts) -> bool:
    """Close the open points that touch and do not part; says whether any comes with more than REST_SPEED."""
    still, collides = zero_spatial(work.body[0, R]), False
    for i in range(contacts.points.shape[0]):
        if contacts.items[i, MODE] == OPEN and contacts.items[i, HIT] != LEAVES and contacts.items[i, HIT] != HELD:
            meet_point(model, work, contacts.points, contacts.shapes, contacts.profiles, contacts.met, i)
            if contacts.items[i, HIT] == TOUCHES or contacts.met[i, GAP] <= TOUCHING:
                speed = along_rows(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))[0]
                if speed <= REST_SPEED:
                    contacts.items[i, MODE] = STICK
                    collides = collides or speed < -REST_SPEED
    return collides


@jit
def touch_and_close(model: KernelModel, work: Work, contacts: Contacts, q: Any, v: Any, best: Any) -> bool:
    """`close_touching`, and put q where closed points touch, or rounding would add up from one bounce to the next.

    What is little of a move at one point may be more at another that is nearly closed, so that this one touches as well.
    """
    collides, closed = False, 0
    for _ in range(_ROUNDS):
        collides = close_touching(model, work, contacts) or collides
        hold_new_ones(model, work, contacts)
        list_active(contacts)
        contacts.header[ACTIVE_RUBS] = 0
        if contacts.header[ACTIVE_POINTS] == closed:
            break
        closed = contacts.header[ACTIVE_POINTS]
        close_places(model, work, contacts, q, v, best)
        place_bodies(model, work, q)
        move_bodies(model, work, q, v)
    return collides


@jit
def strike(model: KernelModel, work: Work, contacts: Contacts, q: Any, v: Any, sequential: bool, jammed: int) -> int:
    """The impact of all closed points: v becomes what it is after it; points that part are open. Says how it went.

    The point `jammed`, if not −1, strikes although it does not approach. It slips where no force could hold it out of the ground,
    as friction would press it in by more. There an impulse grows until it has stopped the slip, and then ends as any other does.
    """
    list_active(contacts)
    contacts.header[ACTIVE_RUBS] = 0
    prepare_rows(model, work, contacts, q, v)
    problem = problem_of(contacts)
    rows_speed(model, work, contacts, v, problem.b)
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        u = along_rows(contacts, i, surface_speed(work, contacts, i))
        for c in range(3):
            contacts.kept[i, IMPULSE + c] = 0.0
        problem.b[3 * a] -= u[0]
        problem.b[3 * a + 1] -= u[1]
        problem.b[3 * a + 2] -= u[2]
        if i == jammed:
            problem.b[3 * a] = min(problem.b[3 * a], -JAMS_AT * math.hypot(problem.b[3 * a + 1], problem.b[3 * a + 2]))
        problem.mu_s[a], problem.mu_k[a] = contacts.shapes[i, MU_STATIC], contacts.shapes[i, MU_KINETIC]
        contacts.laws[BOUNCE, a], contacts.kinds[IMPACT_LAWS, a] = contacts.shapes[i, RESTITUTION], int(contacts.shapes[i, LAW])
    status, told = solve_impact(
        problem.A, problem.b, problem.mu_s, problem.mu_k, contacts.laws[BOUNCE], contacts.kinds[IMPACT_LAWS],
        SEQUENTIAL if sequential else SIMULTANEOUS, problem.kinds, problem.modes, problem.directions, problem.lam,
        contacts.vectors[OTHER], problem.scratch,
    )  # fmt: skip
    if status != SOLVED:
        return UNSOLVED
    for d in range(work.dof.shape[0]):
        work.dof[d, TAU] = 0.0
    apply_forces(work, contacts, problem.lam)
    respond(model, work, contacts, q, contacts.spare[STEP])
    for d in range(v.shape[0]):
        v[d] += contacts.spare[STEP, d]
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        for c in range(3):
            contacts.kept[i, IMPULSE + c] = problem.lam[3 * a + c]
    move_bodies(model, work, q, v)
    still = zero_spatial(work.body[0, R])
    for a in range(contacts.header[ACTIVE_POINTS]):
        i = contacts.active[0, a]
        if along_rows(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))[0] > REST_SPEED:
            contacts.items[i, MODE] = OPEN
    return told | COLLIDED


@jit
def hold_new_ones(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """ANCHOR of the points that have just come to stick."""
    for i in range(contacts.points.shape[0]):
        if contacts.items[i, MODE] == STICK and contacts.items[i, BEFORE] != STICK:
            meet_point(model, work, contacts.points, contacts.shapes, contacts.profiles, contacts.met, i)
            anchor(model, work, contacts, i)


@inline
def rub_moves(contacts: Contacts, i: int, speed: float) -> bool:
    """Whether a joint with friction moves. Sets DIRECTION if so."""
    if not abs(speed) > JOINT_RESTS:
        return False
    contacts.kept[i, DIRECTION] = math.copysign(1.0, speed)
    return True


@jit
def rest_or_slide(model: KernelModel, work: Work, contacts: Contacts, v: Any) -> None:
    """STICK for what does not slip, SLIDE for what does, until modes are chosen; with VEL."""
    still, n = zero_spatial(work.body[0, R]), contacts.points.shape[0]
    for i in range(contacts.items.shape[0]):
        hit = contacts.items[i, HIT]
        if contacts.items[i, MODE] == OPEN or hit == SLIPS or hit == HOLDS or hit == HELD:  # noqa: PLR1714, SIM109
            continue
        if i < n:
            slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))
            slips = math.sqrt(dot(slip, slip)) > STANDS_STILL
        else:
            slips = rub_moves(contacts, i, rub_speed(model, work, contacts, i, v))
        contacts.items[i, MODE] = SLIDE if slips else STICK


@entry
def contact_event(handle: int, x: Floats, best: Floats, sequential: bool, jammed: int) -> int:
    """What the HIT of items makes of them and of the state x = (q, v); says whether there was an impact, see CALM.

    `jammed` is the point that strikes without approaching, −1 for none; see `strike`.
    """
    m, w, contacts, nq = model_at(handle), work_at(handle, 0.0), contacts_at(handle), positions_in(handle)
    q, v = x[:nq], x[nq:]
    place_bodies(m, w, q)
    move_bodies(m, w, q, v)
    for i in range(contacts.items.shape[0]):
        contacts.items[i, BEFORE] = contacts.items[i, MODE]
    let_go_and_slip(m, w, contacts)
    recall(m, w, contacts)
    told = CALM
    collides = touch_and_close(m, w, contacts, q, v, best)
    contacts.header[READY] = 0  # as other points may be closed by then
    if collides or jammed >= 0:
        told = strike(m, w, contacts, q, v, sequential, jammed)
        for i in range(contacts.items.shape[0]):
            contacts.items[i, BEFORE] = OPEN  # nothing goes on as it was
    else:
        for i in range(contacts.points.shape[0]):
            for c in range(3):
                contacts.kept[i, IMPULSE + c] = 0.0
    meet_rubs(m, contacts)
    rest_or_slide(m, w, contacts, v)
    hold_new_ones(m, w, contacts)
    list_active(contacts)
    contacts.header[ACTIVE_RUBS] = 0  # a joint that turns back where its linkage cannot hold it must not stop all others
    if contacts.header[ACTIVE_POINTS] > 0:
        prepare_rows(m, w, contacts, q, v)
        close_speeds(m, w, contacts, q, v, True)
    contacts.header[CHOOSING], contacts.header[STATUS] = 1, SOLVED
    return told
