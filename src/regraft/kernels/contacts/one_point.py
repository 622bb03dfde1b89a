"""One point of contact that alone is closed, between a tree and the world, as that of a foot: three rows, found in one walk.

From the point's body down to the root its unit forces meet each joint once. What the joint feels of them makes Y, the Delassus
matrix, and, with what is left of the joint's own torque, how the point accelerates without a force: the accelerations of bodies
need not be known before the force is.
"""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import load, store, table_at, vector_at
from ...algebra.spatial import Force, Vector, add, angular, cross, plus_times, power, subtract, zero_spatial
from ...compilation import inline
from ...tolerances import CLEAR_PIVOT, IDLE_IN_POINT, IDLE_ROW, LARGE_PIVOT, ROUNDING, TINY
from ..aba import accelerate
from ..constraints.rows import tree_origin
from ..kinematics import parent_motion, rising_world
from ..memory import CONTACTS_AT, header_at, positions_in
from ..prescribed import articulate_prescribed, impose_rates
from ..tables import BIAS, END, EXTERNAL, PARENT, TAU, VEL, D, KernelModel, R, S, U, V, Work
from .glance import note_forces
from .items import meet_active
from .memory import (
    ACTIVE_AT,
    ACTIVE_POINTS,
    CHOOSING,
    CLOSING,
    CONTACT_HEADER,
    FORCE,
    FREE,
    INSIDE,
    KINETIC,
    MODE,
    MOVED_TOO,
    NONE,
    NV,
    POINTS_AT,
    READY,
    RUBS,
    SPARED_ROWS,
    STATUS,
    Contacts,
    active_rows,
    posed,
    problem_of,
)
from .modes import solve_modes
from .problem import BEND, SOLVED, STICK, scale_rows
from .problem import Contacts as Problem
from .rows import along_rows, apply_force, pull_at, slip_velocity, surface_rate, turning_normal
from .stages import contact_stage
from .tables import NORMAL, POINT, POINT_RATE, POINTS, ROW_A, ROW_B, TANGENTS

Half = tuple[float, float, float, float, float, float]
"""The numbers xx, xy, xz, yy, yz and zz of a symmetric matrix."""


# --- the rows of a point --------------------------------------------------------------------------------------------------------


@inline
def is_alone(handle: int) -> bool:
    """Whether one point is closed, on a body of a tree and in the world, in a mode that is given; no joint has dry friction.

    Nothing else of the tables is looked at: that it costs no more than this matters where all else is small.
    """
    at = table_at(header_at(handle)[CONTACTS_AT], 1, CONTACT_HEADER, handle)
    if at[0, ACTIVE_POINTS] != 1 or at[0, RUBS] + at[0, CHOOSING] > 0 or at[0, CLOSING] != 0:
        return False
    i = table_at(at[0, ACTIVE_AT], 1, 1, handle)[0, 0]
    return table_at(at[0, POINTS_AT], i + 1, POINTS, handle)[i, ROW_B] < 0


@inline
def walk_down(model: KernelModel, work: Work, contacts: Contacts, i: int) -> tuple[Half, Vector]:
    """Y, A and b of the only point i, after `aba.articulate` and `meet_active`; returns A and b.  O(depth)."""
    walk, body, dof, Y, problem = model.walk, work.body, work.dof, contacts.Y, problem_of(contacts)
    for d in range(Y.shape[1]):
        Y[0, d] = Y[1, d] = Y[2, d] = 0.0
    f, g, h = unit_forces(model, work, contacts, i)
    world, b = rising_world(model, body[0, R]), apparent(model, work, contacts, i)
    b = subtract(b, felt((f, g, h), world))
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k = contacts.points[i, ROW_A]
    while k >= 0:
        b = add(b, felt((f, g, h), load(body, k, BIAS, 6)))
        for d in range(walk[k, END] - 1, walk[k, V] - 1, -1):
            along, response, inverse, torque = load(dof, d, S, 6), load(dof, d, U, 6), dof[d, D], dof[d, TAU]
            x, y, z = power(along, f), power(along, g), power(along, h)
            Y[0, d], Y[1, d], Y[2, d] = x, y, z
            l, m, n = x * inverse, y * inverse, z * inverse
            b = b[0] + l * torque, b[1] + m * torque, b[2] + n * torque
            xx, xy, xz = xx + l * x, xy + l * y, xz + l * z
            yy, yz, zz = yy + m * y, yz + m * z, zz + n * z
            f, g, h = plus_times(f, -l, response), plus_times(g, -m, response), plus_times(h, -n, response)
        k = walk[k, PARENT]
    b = add(b, felt((f, g, h), world))
    problem.b[0], problem.b[1], problem.b[2] = b
    A = problem.A
    A[0, 0], A[0, 1], A[0, 2], A[1, 0], A[1, 1], A[1, 2], A[2, 0], A[2, 1], A[2, 2] = xx, xy, xz, xy, yy, yz, xz, yz, zz
    return (xx, xy, xz, yy, yz, zz), b


@inline
def unit_forces(model: KernelModel, work: Work, contacts: Contacts, i: int) -> tuple[Force, Force, Force]:
    """The wrenches of unit forces along the normal and the tangents of point i on its first body."""
    arm = subtract(load(contacts.met, i, POINT, 3), tree_origin(model, work.body, contacts.points[i, ROW_A]))
    t_1, t_2 = load(contacts.met, i, TANGENTS, 3), load(contacts.met, i, TANGENTS + 3, 3)
    return pull_at(arm, load(contacts.met, i, NORMAL, 3)), pull_at(arm, t_1), pull_at(arm, t_2)


@inline
def felt(forces: tuple[Force, Force, Force], a: Any) -> Vector:
    """The power of three wrenches on a spatial acceleration."""
    return power(a, forces[0]), power(a, forces[1]), power(a, forces[2])


@inline
def apparent(model: KernelModel, work: Work, contacts: Contacts, i: int) -> Vector:
    """What the rows of point i accelerate at without spatial accelerations, see `rows`; the second body is the world."""
    still = zero_spatial(work.body[0, R])
    w = angular(parent_motion(work.body, contacts.points[i, ROW_A], VEL, still))
    turns = subtract(cross(w, load(contacts.met, i, POINT_RATE, 3)), surface_rate(work, contacts, i, (0.0, 0.0, 0.0)))
    found = along_rows(contacts, i, turns)
    return found[0] + turning_normal(contacts, i, slip_velocity(model, work, contacts, i, VEL, still)), found[1], found[2]


# --- the dynamics with it -------------------------------------------------------------------------------------------------------


@contact_stage
def step_alone(
    model: KernelModel, work: Work, contacts: Contacts, q: int, v: int, tau: int, external: int, pushed: int, out: int
) -> tuple[float, bool]:
    """Accelerations with the only point, with addresses of arrays: the least MARGIN, and whether they are there.

    They are not where it slides, or where its force is not clear. Then Y, A and b are.
    """
    nv, i = contacts.header[NV], contacts.active[0, 0]
    rate, wrenches = vector_at(out, nv), table_at(external, pushed, EXTERNAL, 0.0)
    position, velocity = vector_at(q, positions_in(model.handle)), vector_at(v, nv)
    margin = articulate_prescribed(model, work, position, velocity, vector_at(tau, nv), wrenches)
    meet_active(model, work, contacts)
    A, b = walk_down(model, work, contacts, i)
    solved = contacts.header[STATUS] == SOLVED or contacts.header[STATUS] >= INSIDE
    if not solved or contacts.items[i, MODE] != STICK or contacts.header[SPARED_ROWS] > 0:
        return margin, False
    idle = idle_below(A)
    force, clear = hold(A, idle, b)
    if not (clear and residual(A, b, force, idle, True) < ROUNDING):
        return margin, False
    apply_force(work, contacts, force)
    store(contacts.kept, i, FORCE, force)
    accelerate(model, work, rising_world(model, work.body[0, R]), rate)
    note_forces(contacts)
    contacts.header[FREE], contacts.header[READY] = 0, MOVED_TOO
    return impose_rates(work, rate, margin), True


# --- its force ------------------------------------------------------------------------------------------------------------------


@inline
def solve_between_events(
    model: KernelModel, work: Work, contacts: Contacts, problem: Problem, rubs: bool, again: bool
) -> tuple[int, float]:
    """λ in given modes: how many forces are not unique, and the largest residual relative to the sizes of its row.

    The problem is `memory.problem_of`, or without `rubs` that without friction; `again` is that of `solve_modes`.
    """
    if problem.points == 1 and active_rows(contacts) == 3 and problem.scratch[BEND, 0] == 0.0:
        left = solve_one_point(model, work, contacts, rubs)
        if left < ROUNDING:
            return 0, left
    unknowns, rank, left = solve_modes(problem, False, again)
    return unknowns - rank, left


@contact_stage
def solve_one_point(model: KernelModel, work: Work, contacts: Contacts, rubs: bool) -> float:  # noqa: ARG001 (those of a stage)
    """λ of the only active item, a point; the residual relative to the sizes of its rows, infinite where λ is not clear."""
    c = posed(contacts, KINETIC if rubs else NONE)
    if not rubs:
        scale_rows(c)  # for what closing takes
    A, b = (c.A[0, 0], c.A[0, 1], c.A[0, 2], c.A[1, 1], c.A[1, 2], c.A[2, 2]), (c.b[0], c.b[1], c.b[2])
    idle, sticks = idle_below(A), c.modes[0] == STICK
    if sticks:
        force, clear = hold(A, idle, b)
    else:
        force, clear = slide(A, idle, b[0], c.mu_k[0], (c.directions[0, 0], c.directions[0, 1]))
    c.lam[0], c.lam[1], c.lam[2] = force
    return residual(A, b, force, idle, sticks) if clear else math.inf


@inline
def idle_below(A: Half) -> float:
    """The diagonal below which a row is idle."""
    return max(IDLE_ROW, IDLE_IN_POINT) * max(A[0], A[3], A[5])


@inline
def hold(A: Half, idle: float, b: Vector) -> tuple[Vector, bool]:
    """The force with which A λ + b = 0 in all rows with a diagonal beyond that of idle ones; and whether pivots are clear."""
    first = 1.0 / A[0] if A[0] > idle else 0.0
    xy, xz = A[1] * first, A[2] * first
    left, side = A[3] - xy * A[1], A[4] - xy * A[2]
    second = 1.0 / left if A[3] > idle else 0.0
    yz = side * second
    last = A[5] - xz * A[2] - yz * side
    third = 1.0 / last if A[5] > idle else 0.0
    clear = (left > CLEAR_PIVOT * A[3] or second == 0.0) and (last > CLEAR_PIVOT * A[5] or third == 0.0)
    x, y = -b[0], xy * b[0] - b[1]
    z = third * (-b[2] - xz * x - yz * y)
    y = second * y - yz * z
    return (first * x - xy * y - xz * z, y, z), clear


@inline
def slide(A: Half, idle: float, b: float, mu: float, along: tuple[float, float]) -> tuple[Vector, bool]:
    """The force with friction µ against the slip along a direction that keeps the normal row at rest; and whether it is clear."""
    response = A[0] - mu * (along[0] * A[1] + along[1] * A[2])
    press = -b / response
    clear = A[0] > idle and response > LARGE_PIVOT * A[0] * math.sqrt(1.0 + mu * mu)
    return (press, -mu * press * along[0], -mu * press * along[1]), clear


@inline
def residual(A: Half, b: Vector, force: Vector, idle: float, sticks: bool) -> float:
    """What is left in the rows that are held, relative to the largest sum of what rows are made of."""
    f, g, h = force
    x, y, z = A[0] * f + A[1] * g + A[2] * h + b[0], A[1] * f + A[3] * g + A[4] * h + b[1], A[2] * f + A[4] * g + A[5] * h + b[2]
    size = abs(A[0] * f) + abs(A[1] * g) + abs(A[2] * h) + abs(b[0])
    worst = abs(x) if A[0] > idle else 0.0
    if sticks:
        size = max(size, abs(A[1] * f) + abs(A[3] * g) + abs(A[4] * h) + abs(b[1]))
        size = max(size, abs(A[2] * f) + abs(A[4] * g) + abs(A[5] * h) + abs(b[2]))
        worst = max(worst, abs(y) if A[3] > idle else 0.0, abs(z) if A[5] > idle else 0.0)
    return worst / (size + TINY)
