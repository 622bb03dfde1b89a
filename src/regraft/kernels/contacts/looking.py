"""A motion with contacts that is over: forces, places and slips of all items at many states, in the modes that held there.

The forces are those of the dynamics, found again: nothing of them is recorded. Where they are not unique, and those of the
dynamics are not within their cones, others that move the mechanism likewise are taken, as guards do (`dynamics.share_forces`).
"""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import call_kernel, load, store
from ...algebra.spatial import add, dot, linear, scale, subtract, zero_spatial
from ...compilation import Floats, Table, inline, jit, long_entry
from ...tolerances import BEYOND_LAW, FEASIBLE, NEARLY_ENDED, NEARLY_NO_FORCE, SLOW_SLIP
from ..kinematics import move_bodies, place_bodies
from ..memory import model_at, positions_in, velocities_in, work_at
from ..tables import PUSH, VEL, KernelModel, R, Work
from .distribution import list_idle_forces
from .items import across, list_active, meet_one
from .memory import CHOOSING, DIRECTION, FORCE, FREE, IMPULSE, LARGEST, MODE, SLIP, Contacts, contacts_at, problem_of
from .modes import factorise_again, solve_modes
from .patches import spare_again, with_all_rows
from .problem import OPEN, SLIDE, STICK, VECTORS
from .rows import motion_at, slip_velocity, surface_speed
from .rubs import rub_speed
from .tables import CONTACT, GAP, MU_STATIC, NORMAL, POINT, POINT_RATE, ROW_A, TANGENTS

# What is seen of an item at one state: a row of SEEN numbers. Of a joint with dry friction: PRESSES, its torque; SLIPS_AT; LOSES.
PRESSES = 0  # normal force
RUBS = 1  # 3: friction on a, in world axes
PLACE = 4  # 3: the place of contact in the world
SLIPS_AT = 7  # 3: velocity of a against the surface of b there, across the normal; of a joint its velocity
APART = 10  # gap
FACES = 11  # 3: the normal, from b to a
ROLLS_AT = 14  # how fast the place of contact moves over a
LOSES = 15  # power that friction takes
GAINS = 16  # power that surfaces which run bring
IS_ONE = 17  # 1 where its force is the only one that fits the motion, else 0
SUM_IS_ONE = 18  # the same for the sum of all points of its contact
STRUCK = 19  # 3: the impulse that it had when its mode began, in world axes
SEEN = 22

_ENDED = 1.0 / NEARLY_ENDED  # m/s, as SLIP of a point whose slip has ended: beside it no slip has a direction of its own


@inline
def turn(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """DIRECTION of points that slide, where a step begins; after bodies are placed and moved. See `closing.turn_directions`.

    A slip that has nearly ended since the state before is within the last step of its mode, which began with a faster one: what
    is left of it is rounding, and friction is what it was up to there.
    """
    still = zero_spatial(work.body[0, R])
    for i in range(contacts.points.shape[0]):
        if contacts.items[i, MODE] == SLIDE:
            meet_one(model, work, contacts, i)
            slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))
            size, begun = math.sqrt(dot(slip, slip)), load(contacts.kept, i, SLIP, 3)
            faster = math.sqrt(dot(begun, begun))
            if faster < 0.5 * _ENDED and size <= NEARLY_ENDED * faster:
                store(contacts.kept, i, SLIP, scale(_ENDED, load(contacts.kept, i, DIRECTION, 3)))
                continue
            store(contacts.kept, i, SLIP, slip)
            if size > SLOW_SLIP and dot(slip, load(contacts.kept, i, DIRECTION, 3)) > 0.0:
                store(contacts.kept, i, DIRECTION, scale(1.0 / size, slip))


@inline
def see_point(model: KernelModel, work: Work, contacts: Contacts, i: int, out: Any, row: int) -> None:
    """Where point i is, how it moves and what acts there; after the dynamics."""
    if contacts.items[i, MODE] == OPEN:
        meet_one(model, work, contacts, i)
        for c in range(3):
            contacts.kept[i, FORCE + c] = 0.0
    still, c = zero_spatial(work.body[0, R]), load(contacts.met, i, POINT, 3)
    n, t_1, t_2 = (
        load(contacts.met, i, NORMAL, 3),
        load(contacts.met, i, TANGENTS, 3),
        load(contacts.met, i, TANGENTS + 3, 3),
    )
    force = load(contacts.kept, i, FORCE, 3)
    rubs = add(scale(force[1], t_1), scale(force[2], t_2))
    slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))
    over = subtract(
        load(contacts.met, i, POINT_RATE, 3), linear(motion_at(model, work, contacts.points[i, ROW_A], VEL, still, c))
    )
    out[row, PRESSES], out[row, APART], out[row, ROLLS_AT] = force[0], contacts.met[i, GAP], math.sqrt(dot(over, over))
    store(out, row, RUBS, rubs)
    store(out, row, PLACE, c)
    store(out, row, SLIPS_AT, slip)
    store(out, row, FACES, n)
    p = load(contacts.kept, i, IMPULSE, 3)
    store(out, row, STRUCK, add(scale(p[0], n), add(scale(p[1], t_1), scale(p[2], t_2))))


@inline
def see_power(model: KernelModel, work: Work, contacts: Contacts, i: int, out: Any, row: int) -> None:
    """What friction of point i takes and surfaces bring, by the very forces that moved the mechanism; after the dynamics.

    Of forces that are not unique others move it likewise, but for rounding, which is more where rows are nearly redundant. Energy
    is a sum over time, and would miss it.
    """
    if contacts.items[i, MODE] == OPEN:
        out[row, LOSES] = out[row, GAINS] = 0.0
        return
    force = load(contacts.kept, i, FORCE, 3)
    rubs = add(scale(force[1], load(contacts.met, i, TANGENTS, 3)), scale(force[2], load(contacts.met, i, TANGENTS + 3, 3)))
    slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, zero_spatial(work.body[0, R])))
    pushes = add(scale(force[0], load(contacts.met, i, NORMAL, 3)), rubs)
    out[row, LOSES], out[row, GAINS] = -dot(rubs, slip), dot(pushes, surface_speed(work, contacts, i))


@inline
def see_rub(contacts: Contacts, i: int, speed: float, out: Any, row: int) -> None:
    """Torque and velocity of a joint with dry friction."""
    for c in range(SEEN):
        out[row, c] = 0.0
    torque = contacts.kept[i, FORCE]
    if contacts.items[i, MODE] == SLIDE:
        torque = -contacts.kept[i, LARGEST] * contacts.kept[i, DIRECTION]
    out[row, PRESSES], out[row, SLIPS_AT] = torque, speed
    out[row, LOSES] = -torque * speed


@jit
def see_what_is_unique(contacts: Contacts, out: Any, first: int) -> None:
    """IS_ONE and SUM_IS_ONE: what forces that move nothing would change. Overwrites the forces of the problem."""
    items, n = contacts.items.shape[0], contacts.points.shape[0]
    for i in range(items):
        out[first + i, IS_ONE] = out[first + i, SUM_IS_ONE] = 1.0
    if contacts.header[FREE] == 0:
        return
    problem = problem_of(contacts)
    rows = problem.A.shape[0]
    unknowns, _, _ = solve_modes(problem, False, False)
    rank = factorise_again(problem, unknowns)
    N = problem.scratch[VECTORS + 2 * rows : VECTORS + 3 * rows]
    list_idle_forces(problem.scratch[VECTORS : VECTORS + rows], N, unknowns, rank, rows, problem.scratch)
    for j in range(unknowns - rank):
        for a in range(problem.kinds.shape[0]):
            i = contacts.active[0, a]
            if i >= n:
                if abs(N[j, 2 * problem.points + a]) > FEASIBLE:
                    out[first + i, IS_ONE] = out[first + i, SUM_IS_ONE] = 0.0
                continue
            own = max(abs(N[j, 3 * a]), abs(N[j, 3 * a + 1]), abs(N[j, 3 * a + 2]))
            if own > FEASIBLE:
                out[first + i, IS_ONE] = 0.0
            if sum_of(contacts, problem.points, N[j], contacts.points[i, CONTACT]) > FEASIBLE:
                out[first + i, SUM_IS_ONE] = 0.0


@inline
def sum_of(contacts: Contacts, points: int, force: Any, contact: int) -> float:
    """How much normal force or friction some forces are, summed over the points of a contact."""
    normal, friction = 0.0, (0.0, 0.0, 0.0)
    for a in range(points):
        i = contacts.active[0, a]
        if contacts.points[i, CONTACT] == contact:
            normal += force[3 * a]
            t_1, t_2 = load(contacts.met, i, TANGENTS, 3), load(contacts.met, i, TANGENTS + 3, 3)
            friction = add(friction, add(scale(force[3 * a + 1], t_1), scale(force[3 * a + 2], t_2)))
    return max(abs(normal), math.sqrt(dot(friction, friction)))


@jit
def obeys_the_law(contacts: Contacts) -> bool:
    """Whether the forces of points push, and sticking ones hold by no more than their friction; after the guards.

    Where a mode ends because no step could go on in it, as next to Painlevé's paradox, its last forces may be any; and of forces
    that are not unique those within their cones may not have been found.
    """
    n, largest, beyond = contacts.points.shape[0], 0.0, 0.0
    for i in range(n):
        if contacts.items[i, MODE] != OPEN:
            f = load(contacts.kept, i, FORCE, 3)
            largest, beyond = max(largest, abs(f[0])), max(beyond, -f[0])
            if contacts.items[i, MODE] == STICK:
                beyond = max(beyond, math.sqrt(f[1] * f[1] + f[2] * f[2]) - contacts.shapes[i, MU_STATIC] * f[0])
    return beyond <= max(BEYOND_LAW * largest, NEARLY_NO_FORCE)


@jit
def see_all(handle: int, dynamics: int, guards: int, x: Any, begins: Any, tau: Any, pushes: Any, external: Any, out: Any) -> None:
    """`look_at_contacts`, with addresses of arrays where kernels are called; in a function that does not count their users."""
    m, w, contacts = model_at(handle), work_at(handle, 0.0), contacts_at(handle)
    nq, nv, items, n = positions_in(handle), velocities_in(handle), contacts.items.shape[0], contacts.points.shape[0]
    rate, tables = x.shape[0] * items, (tau.shape[0] > 1, pushes.shape[0] > 1)
    list_active(contacts)
    if contacts.header[CHOOSING] == 0:
        spare_again(contacts)
    for s in range(x.shape[0]):
        for k in range(external.shape[0]):
            for c in range(6):
                external[k, PUSH + c] = pushes[s if tables[1] else 0, 6 * k + c]
        place_bodies(m, w, x[s, :nq])
        move_bodies(m, w, x[s, :nq], x[s, nq:])
        if begins[s] != 0.0:
            turn(m, w, contacts)
        q = x.ctypes.data + 8 * s * x.shape[1]
        torque = tau.ctypes.data + 8 * nv * (s if tables[0] else 0)
        given = handle, q, q + 8 * nq, torque, external.ctypes.data, external.shape[0], out.ctypes.data + 8 * SEEN * rate
        margin = call_kernel(dynamics, given)
        for i in range(n):
            see_power(m, w, contacts, i, out, s * items + i)
        call_kernel(guards, (handle, q + 8 * nq))
        for i in range(items):
            if i < n:
                see_point(m, w, contacts, i, out, s * items + i)
            else:
                see_rub(contacts, i, rub_speed(m, w, contacts, i, x[s, nq:]), out, s * items + i)
        if not (margin > 0.0 and obeys_the_law(contacts)):
            for i in range(items):
                for c in range(PRESSES, RUBS + 3):
                    out[s * items + i, c] = math.nan
        with_all_rows(m, w, contacts, problem_of(contacts))
        see_what_is_unique(contacts, out, s * items)


@long_entry
def look_at_contacts(
    handle: int, dynamics: int, guards: int, x: Table, begins: Floats, tau: Table, pushes: Table, external: Table, out: Table
) -> None:
    """Fill `out` with SEEN numbers of each item at each state, a row of x, in the modes that its tables have.

    `dynamics` and `guards` are the addresses of `contact_dynamics` and `contact_guards`. `begins` is not 0 where a step begins,
    so that slips have new directions; `tau` (…, nv) and `pushes` (…, 6 bodies) have one row for each state, or one for all.
    Behind its last row `out` has further ones with room for nv accelerations.
    """
    see_all(handle, dynamics, guards, x, begins, tau, pushes, external, out)
