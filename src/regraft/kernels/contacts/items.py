"""The items that are closed, points and joints that rub: what they are to the solver, and where they are held."""

from __future__ import annotations

import math

from ...algebra.memory import load, store
from ...algebra.spatial import Vector, add, dot, rotate_back, scale, subtract, zero_spatial
from ...compilation import inline, jit
from ...tolerances import (
    SLOW_IN_STEP,
    SLOW_SLIP,
)
from ..constraints.rows import body_frame, tree_origin
from ..tables import VEL, KernelModel, R, Work
from .memory import (
    ACTIVE_POINTS,
    ACTIVE_RUBS,
    ANCHOR,
    CHOOSING,
    DIRECTION,
    FORCE,
    LARGEST,
    LEAD,
    LEAST,
    MODE,
    MOST,
    PATIENCE,
    READY,
    SLIP,
    SPARED_ROWS,
    Contacts,
)
from .points import meet_point
from .problem import BEND, BOX, CONE, OPEN, RAY, SLIDE, STICK
from .problem import Contacts as Problem
from .rows import along_rows, slip_velocity
from .rubs import meet_rubs
from .stages import contact_stage
from .tables import FIXED, MU_KINETIC, MU_STATIC, NORMAL, POINT, ROW_A, ROW_B, SURFACE, SWAPPED, TANGENTS


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
    contacts.header[READY] = 0
    spare_nothing(contacts)


@jit
def spare_nothing(contacts: Contacts) -> None:
    """All active rows are computed with."""
    if contacts.header[SPARED_ROWS] > 0:
        contacts.header[SPARED_ROWS] = 0
        for r in range(contacts.spared.shape[1]):
            contacts.spared[0, r] = 0


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
def in_space(contacts: Contacts, i: int, s_1: float, s_2: float) -> Vector:
    """A direction along the tangents of point i, in world axes."""
    return add(scale(s_1, load(contacts.met, i, TANGENTS, 3)), scale(s_2, load(contacts.met, i, TANGENTS + 3, 3)))


@inline
def slip_direction(contacts: Contacts, i: int, v: Vector) -> Vector:
    """The unit vector along the slip v of a point that slides, for a step that began with DIRECTION.

    Where the slip turns back within the step it goes on in its old direction, so that the motion is smooth up to the event and
    beyond; and a slip that has just begun, or is about to end, is too slow to have a direction that is more than rounding: it
    keeps the one that the step began with.
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


@inline
def note(contacts: Contacts, i: int, side: int, value: float) -> None:
    """LEAST and MOST of one of the numbers that end the mode of item i."""
    contacts.kept[i, LEAST + side] = min(contacts.kept[i, LEAST + side], value)
    contacts.kept[i, MOST + side] = max(contacts.kept[i, MOST + side], value)


@inline
def pose_problem(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> bool:
    """Kinds, modes, laws and slip directions of the active items, in their present modes; says whether any point slides.

    LEAST and MOST of their slips are noted. After `meet_active`.
    """
    still, n, some = zero_spatial(work.body[0, R]), contacts.points.shape[0], False
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        problem.modes[a] = contacts.items[i, MODE]
        if i < n:
            slides = contacts.items[i, MODE] == SLIDE
            problem.kinds[a] = RAY if slides else CONE
            problem.mu_s[a], problem.mu_k[a] = contacts.shapes[i, MU_STATIC], contacts.shapes[i, MU_KINETIC]
            problem.scratch[BEND, a] = 0.0
            if slides:
                some = True
                slip = slip_velocity(model, work, contacts, i, VEL, still)
                note(contacts, i, 1, dot(slip, load(contacts.kept, i, DIRECTION, 3)))
                along = slip_direction(contacts, i, slip)
                problem.directions[a, 0], problem.directions[a, 1] = tangent_part(contacts, i, along)
            else:
                problem.directions[a, 0] = problem.directions[a, 1] = 0.0
        else:
            problem.kinds[a] = BOX
            problem.mu_s[a] = problem.mu_k[a] = contacts.kept[i, LARGEST]
            problem.directions[a, 0], problem.directions[a, 1] = contacts.kept[i, DIRECTION], 0.0
    return some


@contact_stage
def meet_active(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """Where the active points are and how these places move, and along what joints rub; after bodies are placed and moved."""
    meet_rubs(model, contacts)
    for a in range(contacts.header[ACTIVE_POINTS]):
        meet_point(model, work, contacts.points, contacts.shapes, contacts.profiles, contacts.met, contacts.active[0, a])


@contact_stage
def meet_one(model: KernelModel, work: Work, contacts: Contacts, i: int) -> None:
    """Where point i is and how this place moves; likewise."""
    meet_point(model, work, contacts.points, contacts.shapes, contacts.profiles, contacts.met, i)


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


@inline
def keep_directions(contacts: Contacts, problem: Problem) -> None:
    """LEAD of the points that slide."""
    for a in range(problem.points):
        i = contacts.active[0, a]
        if problem.modes[a] == SLIDE:
            store(contacts.kept, i, LEAD, in_space(contacts, i, problem.directions[a, 0], problem.directions[a, 1]))


@inline
def largest_force(problem: Problem) -> float:
    """The largest number in λ."""
    largest = 0.0
    for r in range(problem.lam.shape[0]):
        largest = max(largest, abs(problem.lam[r]))
    return largest


@inline
def most_patience(contacts: Contacts) -> float:
    """The largest PATIENCE of all points: 1 where no mode has changed again at one time, twice as much for each time."""
    most = 1.0
    for i in range(contacts.points.shape[0]):
        most = max(most, contacts.kept[i, PATIENCE])
    return most


@inline
def anchor(model: KernelModel, work: Work, contacts: Contacts, i: int) -> None:
    """ANCHOR: the place of a point on the body that it is no material point of."""
    k = other_row(contacts, i)
    X = body_frame(work.body, k)
    c = subtract(load(contacts.met, i, POINT, 3), tree_origin(model, work.body, k))
    store(contacts.kept, i, ANCHOR, rotate_back(X[0], subtract(c, X[1])))


@inline
def is_anchored(contacts: Contacts, i: int) -> bool:
    """Whether a point that sticks has one place on both bodies."""
    speed = load(contacts.shapes, i, SURFACE, 3)
    return contacts.points[i, FIXED] == 1 and dot(speed, speed) == 0.0


@inline
def other_row(contacts: Contacts, i: int) -> int:
    """The row of the body over which a FIXED point moves where it slides."""
    row: int = contacts.points[i, ROW_A] if contacts.points[i, SWAPPED] else contacts.points[i, ROW_B]
    return row


@contact_stage
def parting_speed(model: KernelModel, work: Work, contacts: Contacts, i: int) -> float:
    """How fast the gap of point i becomes wider, with VEL of the bodies."""
    meet_one(model, work, contacts, i)
    return along_rows(contacts, i, slip_velocity(model, work, contacts, i, VEL, zero_spatial(work.body[0, R])))[0]
