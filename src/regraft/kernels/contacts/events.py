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
from ...tolerances import AHEAD_BELOW, AT_THE_LIMIT, PENETRATES, REST_SPEED, ROUNDING, TOUCHING
from ..kinematics import move_bodies, place_bodies
from ..memory import model_at, positions_in, work_at
from ..tables import TAU, VEL, KernelModel, R, Work
from .closing import close_places, off_anchor, prepare_rows, refuse_jump, take_speeds
from .impact import SEQUENTIAL, SIMULTANEOUS, nothing_stops, solve_impact
from .items import across, anchor, list_active, meet_one, parting_speed
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
    JUMPS,
    LEAVES,
    MODE,
    NOTHING,
    OTHER,
    PATIENCE,
    SLIPS,
    STATUS,
    STAYS,
    STEP,
    TOUCHES,
    Contacts,
    contacts_at,
    problem_of,
)
from .pairs.profiles import leaving_segment
from .points import beyond_end
from .problem import OPEN, SLIDE, SOLVED, STICK
from .reach import find_reach
from .response import respond, rows_speed
from .rows import along_rows, apply_forces, slip_velocity, surface_speed
from .settling import comes_again, comes_to_rest, joints_rest_or_slide, let_slow_ones_go, rest_or_slide, share_taken
from .sides import from_second, has_sides, hold_on_side, put_on_side
from .tables import (
    BOX_VERTEX,
    CONTACT,
    FIXED,
    FLAT_PLANE,
    GAP,
    KIND,
    LAW,
    MU_KINETIC,
    MU_STATIC,
    RESTITUTION,
    SIZE_A,
    SIZE_B,
    SPHERE_SEGMENT,
    SWAPPED,
    TABLE,
    TANGENTS,
)

_ROUNDS = 5  # of closing, where each may let more points touch; and of impacts, where each may let others collide

CALM, COLLIDED, UNSOLVED, TOOK = 0, 16, 32, 64
"""What `contact_event` tells: whether there was an impact, with what `impact` tells of it, and whether it had no solution; TOOK:
IMPULSE has what stopped points that were as good as at rest."""

NONE_JAMS, ALL_JAM = -1, -2
"""In place of the point that jams: there is none, or all that are closed do together."""

_TOO_MUCH = -1


@inline
def is_fast(model: KernelModel, work: Work, contacts: Contacts, i: int) -> bool:
    """Whether a point slips faster than what may be left of a slip that ends; that is more where it ends again and again."""
    meet_one(model, work, contacts, i)
    slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, zero_spatial(work.body[0, R])))
    return math.sqrt(dot(slip, slip)) > min(contacts.kept[i, PATIENCE] * REST_SPEED, AHEAD_BELOW)


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
            meet_one(model, work, contacts, i)
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
            put_on_side(contacts, i, 0)
            meet_one(model, work, contacts, i)
            if contacts.items[i, HIT] == TOUCHES or contacts.met[i, GAP] <= TOUCHING:
                if has_sides(contacts, i):
                    hold_on_side(model, work, contacts, i)
                    meet_one(model, work, contacts, i)
                speed = along_rows(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))[0]
                if speed <= REST_SPEED and not passes_by(model, work, contacts, i, speed):
                    contacts.items[i, MODE] = STICK
                    collides = collides or speed < -REST_SPEED
        elif contacts.items[i, MODE] != OPEN and contacts.items[i, HIT] != HELD:
            collides = collides or closed_one_collides(model, work, contacts, i)
    return collides


@jit
def passes_by(model: KernelModel, work: Work, contacts: Contacts, i: int, speed: float) -> bool:
    """Whether an edge passes by another one that point i seems to touch, as corners do that come to the end of what they are on.

    Two sides of a box end in one edge. Where that comes to an edge of the ground, the two are kept apart by the side that
    comes nearer less fast: a box that slides over the end of a step does not run into it. And a corner that comes to the end of
    a straight piece of ground, and goes on beyond it, does not land there; nor does a point of a flat end that is tilted.
    """
    still, points, at = zero_spatial(work.body[0, R]), contacts.points, SIZE_A if contacts.points[i, SWAPPED] else SIZE_B
    if points[i, KIND] == SPHERE_SEGMENT and points[i, FIXED] == 1:
        return goes_beyond(model, work, contacts, i)
    if points[i, KIND] == FLAT_PLANE:
        return beyond_end(model, work, points, contacts.shapes, contacts.profiles, i) >= 0.0
    if points[i, KIND] != BOX_VERTEX:
        return False
    for k in range(points.shape[0]):
        same = points[k, KIND] == BOX_VERTEX and points[k, CONTACT] == points[i, CONTACT] and k != i
        if same and contacts.shapes[k, at] == contacts.shapes[i, at] and contacts.shapes[k, at + 1] == contacts.shapes[i, at + 1]:
            meet_one(model, work, contacts, k)
            other = along_rows(contacts, k, slip_velocity(model, work, contacts, k, VEL, still))[0]
            if contacts.met[k, GAP] <= TOUCHING and other > speed + REST_SPEED:
                return True
    return False


@inline
def goes_beyond(model: KernelModel, work: Work, contacts: Contacts, i: int) -> bool:
    """Whether a point is at an end of a straight piece of ground and leaves it there."""
    c, v = from_second(model, work, contacts, i)
    past, outward = leaving_segment(c, v, contacts.profiles, contacts.points[i, TABLE])
    return past >= -TOUCHING and outward > REST_SPEED


@inline
def closed_one_collides(model: KernelModel, work: Work, contacts: Contacts, i: int) -> bool:
    """Whether a point that is closed comes with more than REST_SPEED all the same; one that parts so fast is open."""
    speed = parting_speed(model, work, contacts, i)
    if speed > REST_SPEED:
        contacts.items[i, MODE] = OPEN
    return speed < -REST_SPEED


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
        close_places(model, work, contacts, q, v, best, False)
        place_bodies(model, work, q)
        move_bodies(model, work, q, v)
    return collides


@jit
def strike(
    model: KernelModel, work: Work, contacts: Contacts, q: Any, v: Any, sequential: bool, jam: tuple[int, float], bounce: float
) -> int:
    """The impact of all closed points: v becomes what it is after it; points that part are open. Says how it went.

    IMPULSE of points becomes more by theirs. Restitution is `bounce` times what it is.

    `jam` is NONE_JAMS, or a point that strikes although it does not approach (or ALL_JAM, for all that are closed) and at what
    share of its slip it is taken to approach. It slips where no force could hold it out of the ground, as friction would press it
    in by more. There an impulse grows until it has stopped the slip, and then ends as any other does.
    """
    list_active(contacts)
    contacts.header[ACTIVE_RUBS] = 0
    prepare_rows(model, work, contacts, q, v)
    problem = problem_of(contacts)
    rows_speed(model, work, contacts, v, problem.b)
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        u = along_rows(contacts, i, surface_speed(work, contacts, i))
        problem.b[3 * a] -= u[0]
        problem.b[3 * a + 1] -= u[1]
        problem.b[3 * a + 2] -= u[2]
        if i == jam[0] or jam[0] == ALL_JAM:
            problem.b[3 * a] = min(problem.b[3 * a], -jam[1] * math.hypot(problem.b[3 * a + 1], problem.b[3 * a + 2]))
        problem.mu_s[a], problem.mu_k[a] = contacts.shapes[i, MU_STATIC], contacts.shapes[i, MU_KINETIC]
        contacts.laws[BOUNCE, a] = bounce * contacts.shapes[i, RESTITUTION]
        contacts.kinds[IMPACT_LAWS, a] = int(contacts.shapes[i, LAW])
    status, told = solve_impact(
        problem.A, problem.b, problem.mu_s, problem.mu_k, contacts.laws[BOUNCE], contacts.kinds[IMPACT_LAWS],
        SEQUENTIAL if sequential else SIMULTANEOUS, problem.kinds, problem.modes, problem.directions, problem.lam,
        contacts.vectors[OTHER], problem.scratch,
    )  # fmt: skip
    if status != SOLVED or nothing_stops(problem.A, problem.b, problem.lam):
        return UNSOLVED
    for d in range(work.dof.shape[0]):
        work.dof[d, TAU] = 0.0
    apply_forces(work, contacts, problem.lam)
    respond(model, work, contacts, q, contacts.spare[STEP])
    for d in range(v.shape[0]):
        v[d] += contacts.spare[STEP, d]
    add_impulses(contacts)
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
            meet_one(model, work, contacts, i)
            anchor(model, work, contacts, i)


@jit
def settle(model: KernelModel, work: Work, contacts: Contacts, q: Any, v: Any, sequential: bool, told: int) -> int:
    """STICK or SLIDE of all that is closed, until modes are chosen, and velocities that allow it; `told`, or how an impact went.

    What velocities lose is rounding. Where more would be lost, what is slow goes on; where that is not enough, what is closed
    strikes without restitution; and where that is not enough either, slips that have just ended are stopped by an impulse, or
    STATUS is JUMPS.
    """
    for again in range(2):
        took = CALM
        for _ in range(_ROUNDS):
            rest_or_slide(model, work, contacts)
            more = keep_velocities(model, work, contacts, q, v, told)
            took = more if more == _TOO_MUCH else took | more
            move_bodies(model, work, q, v)
            if took == _TOO_MUCH or not comes_to_rest(model, work, contacts):
                break
        if took != _TOO_MUCH:
            return told | took
        comes = let_slow_ones_go(model, work, contacts, q, v)
        took = keep_velocities(model, work, contacts, q, v, told)
        if took != _TOO_MUCH:
            return told | took
        if again == 1 or not comes:
            break
        told = told | strike(model, work, contacts, q, v, sequential, (NONE_JAMS, 0.0), 0.0)
        forget_modes(contacts)
    for i in range(contacts.points.shape[0]):
        if contacts.items[i, HIT] == HOLDS:  # what was left of its slip across its old direction is stopped by an impulse
            take_speeds(contacts, v)
            add_impulses(contacts)
            return told | COLLIDED
    refuse_jump(contacts)
    return told


@jit
def keep_velocities(model: KernelModel, work: Work, contacts: Contacts, q: Any, v: Any, told: int) -> int:
    """Take out of v what all that is closed may not have, unless that is _TOO_MUCH; CALM where it is rounding, else TOOK.

    The impulses that do so are part of those of an impact, if there was one, as `told` says.
    """
    hold_new_ones(model, work, contacts)
    list_active(contacts)
    contacts.header[ACTIVE_RUBS] = 0  # a joint that turns back where its linkage cannot hold it must not stop all others
    if contacts.header[ACTIVE_POINTS] == 0:
        return CALM
    prepare_rows(model, work, contacts, q, v)
    share = share_taken(model, work, contacts, q, v)
    if share < 0.0:
        return _TOO_MUCH
    take_speeds(contacts, v)
    if share <= ROUNDING and not told & COLLIDED:
        return CALM
    add_impulses(contacts)
    return TOOK


@inline
def add_impulses(contacts: Contacts) -> None:
    """Add λ of the active points to IMPULSE."""
    lam = problem_of(contacts).lam
    for a in range(contacts.header[ACTIVE_POINTS]):
        for c in range(3):
            contacts.kept[contacts.active[0, a], IMPULSE + c] += lam[3 * a + c]


@inline
def forget_modes(contacts: Contacts) -> None:
    """After an impact nothing goes on as it was."""
    for i in range(contacts.items.shape[0]):
        contacts.items[i, BEFORE] = OPEN
        if contacts.items[i, HIT] == GOES_ON:
            contacts.items[i, HIT] = NOTHING


@entry
def contact_event(handle: int, x: Floats, best: Floats, sequential: bool, jammed: int, begins: float) -> int:
    """What the HIT of items makes of them and of the state x = (q, v); says whether there was an impact, see CALM.

    `jammed` and `begins`, a point and a share of its slip, are the `jam` of `strike`.
    """
    m, w, contacts, nq = model_at(handle), work_at(handle, 0.0), contacts_at(handle), positions_in(handle)
    q, v = x[:nq], x[nq:]
    place_bodies(m, w, q)
    move_bodies(m, w, q, v)
    for i in range(contacts.items.shape[0]):
        contacts.items[i, BEFORE] = contacts.items[i, MODE]
    for i in range(contacts.points.shape[0]):
        for c in range(3):
            contacts.kept[i, IMPULSE + c] = 0.0
    let_go_and_slip(m, w, contacts)
    recall(m, w, contacts)
    if contacts.header[STATUS] != JUMPS:
        contacts.header[STATUS] = SOLVED
    told = CALM
    for again in range(_ROUNDS):
        collides = touch_and_close(m, w, contacts, q, v, best)
        jams = jammed if again == 0 else NONE_JAMS
        if collides or jams != NONE_JAMS:
            told = told | strike(m, w, contacts, q, v, sequential, (jams, begins), 1.0)
            forget_modes(contacts)
        contacts.header[CHOOSING] = 1
        told = settle(m, w, contacts, q, v, sequential, told)
        move_bodies(m, w, q, v)
        if not told & (COLLIDED | TOOK) or not comes_again(m, w, contacts):
            break
    joints_rest_or_slide(m, w, contacts, v)
    find_reach(m, w, contacts, 0.0, True)
    return told
