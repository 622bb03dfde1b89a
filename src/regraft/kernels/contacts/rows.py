"""The rows of contact points: the directions of their forces, how bodies go and accelerate along them, and who feels the forces.

At a point of contact c the body a goes at v_a(c) and b at v_b(c); u is how fast the surface of b runs over b. The slip and the
closing speed are the parts of v = v_a(c) − v_b(c) − u. The point itself moves over both bodies, at ċ in space, so

    v̇ = a_a(c) − a_b(c) + (ω_a − ω_b) × ċ − ω_b × u

with the spatial accelerations a(c) = a_O + α × c of the bodies. Along the normal ṅ · v is added.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import load
from ...algebra.spatial import (
    Motion,
    Vector,
    add,
    angular,
    at_point,
    cross,
    dot,
    linear,
    plus_times,
    power,
    rotate,
    scale,
    spatial,
    subtract,
)
from ...compilation import inline, jit
from ..constraints.rows import body_frame, tree_origin
from ..kinematics import parent_motion
from ..tables import CHILD, END, PARENT, TAU, D, KernelModel, S, U, V, Work
from .memory import ACTIVE_POINTS, ACTIVE_RUBS, ON_CHILD, ON_PARENT, RUB_LOOP, RUB_V, STEP, Contacts
from .rubs import loop_row
from .stages import contact_stage
from .tables import NORMAL, NORMAL_RATE, POINT, POINT_RATE, ROW_A, ROW_B, SURFACE, TANGENTS


@inline
def motion_at(model: KernelModel, work: Work, k: int, column: int, of_world: Motion, c: Vector) -> Motion:
    """A body's twist or spatial acceleration, a column of its table, with the linear part at the point c in the world."""
    moved = parent_motion(work.body, k, column, of_world)
    if k < 0:
        return moved
    return at_point(moved, subtract(c, tree_origin(model, work.body, k)))


@inline
def runs(contacts: Contacts, i: int) -> bool:
    """Whether the surface of b runs over b at point i."""
    return contacts.shapes[i, SURFACE] != 0.0 or contacts.shapes[i, SURFACE + 1] != 0.0 or contacts.shapes[i, SURFACE + 2] != 0.0


@inline
def given_speed(work: Work, contacts: Contacts, i: int) -> Vector:
    """What is given as the velocity of b's surface over b at point i, in world axes."""
    return rotate(body_frame(work.body, contacts.points[i, ROW_B])[0], load(contacts.shapes, i, SURFACE, 3))


@inline
def surface_speed(work: Work, contacts: Contacts, i: int) -> Vector:
    """How fast the surface of b runs over b at point i, in world axes: u − n (n · u), as a surface runs along itself."""
    if not runs(contacts, i):
        return 0.0, 0.0, 0.0
    u, n = given_speed(work, contacts, i), load(contacts.met, i, NORMAL, 3)
    return subtract(u, scale(dot(n, u), n))


@inline
def surface_rate(work: Work, contacts: Contacts, i: int, w_b: Vector) -> Vector:
    """How that changes in time, where b turns at w_b: u̇ − ṅ (n · u) − n (ṅ · u + n · u̇) with u̇ = w_b × u."""
    if not runs(contacts, i):
        return 0.0, 0.0, 0.0
    u, n, n_rate = given_speed(work, contacts, i), load(contacts.met, i, NORMAL, 3), load(contacts.met, i, NORMAL_RATE, 3)
    turns = cross(w_b, u)
    return subtract(turns, add(scale(dot(n, u), n_rate), scale(dot(n_rate, u) + dot(n, turns), n)))


@inline
def relative_velocity(model: KernelModel, work: Work, contacts: Contacts, i: int, column: int, still: Motion) -> Vector:
    """v_a(c) − v_b(c) at point i, with twists from a column of the bodies' table; surfaces that run are not counted."""
    c = load(contacts.met, i, POINT, 3)
    V_a = motion_at(model, work, contacts.points[i, ROW_A], column, still, c)
    V_b = motion_at(model, work, contacts.points[i, ROW_B], column, still, c)
    return subtract(linear(V_a), linear(V_b))


@inline
def slip_velocity(model: KernelModel, work: Work, contacts: Contacts, i: int, column: int, still: Motion) -> Vector:
    """The velocity v of a against the surface of b at point i."""
    return subtract(relative_velocity(model, work, contacts, i, column, still), surface_speed(work, contacts, i))


@inline
def relative_acceleration(
    model: KernelModel, work: Work, contacts: Contacts, i: int, columns: tuple[int, int], still: Motion, world: Motion
) -> Vector:
    """v̇ at point i; `columns` are those of twists and of spatial accelerations, the world rises as `world` says."""
    c, rate = load(contacts.met, i, POINT, 3), load(contacts.met, i, POINT_RATE, 3)
    a, b = contacts.points[i, ROW_A], contacts.points[i, ROW_B]
    A_a, A_b = motion_at(model, work, a, columns[1], world, c), motion_at(model, work, b, columns[1], world, c)
    w_a = angular(parent_motion(work.body, a, columns[0], still))
    w_b = angular(parent_motion(work.body, b, columns[0], still))
    turning = subtract(cross(subtract(w_a, w_b), rate), surface_rate(work, contacts, i, w_b))
    return add(subtract(linear(A_a), linear(A_b)), turning)


@inline
def along_rows(contacts: Contacts, i: int, v: Vector) -> Vector:
    """A vector at point i along its normal and its tangents."""
    n, t_1, t_2 = (
        load(contacts.met, i, NORMAL, 3),
        load(contacts.met, i, TANGENTS, 3),
        load(contacts.met, i, TANGENTS + 3, 3),
    )
    return dot(n, v), dot(t_1, v), dot(t_2, v)


@inline
def turning_normal(contacts: Contacts, i: int, v: Vector) -> float:
    """ṅ · v at point i."""
    return dot(load(contacts.met, i, NORMAL_RATE, 3), v)


@inline
def direction_of(contacts: Contacts, i: int, along: int) -> Vector:
    """The direction of one of the three rows of point i."""
    if along == 0:
        return load(contacts.met, i, NORMAL, 3)
    if along == 1:
        return load(contacts.met, i, TANGENTS, 3)
    return load(contacts.met, i, TANGENTS + 3, 3)


@contact_stage
def spread_active(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """Y of all active rows, of points that are spared as a whole excepted: what each joint feels of a unit force along the row.

    After the joints are eliminated.
    """
    points, nv = contacts.points, contacts.Y.shape[1]
    for a in range(contacts.header[ACTIVE_POINTS]):
        i, row = contacts.active[0, a], 3 * a
        if min(contacts.spared[0, row], contacts.spared[0, row + 1], contacts.spared[0, row + 2]) > 0:
            continue
        for d in range(nv):
            contacts.Y[row, d] = contacts.Y[row + 1, d] = contacts.Y[row + 2, d] = 0.0
        only = only_row(contacts, row)
        for side in range(2):
            k, sign = (points[i, ROW_A], 1.0) if side == 0 else (points[i, ROW_B], -1.0)
            if k < 0:
                continue
            if only < 0:
                spread_point(model, work, contacts, row, k, i, sign)
            else:
                arm = subtract(load(contacts.met, i, POINT, 3), tree_origin(model, work.body, k))
                pull = pull_at(arm, scale(sign, direction_of(contacts, i, only)))
                carry_down(model, work, contacts.Y, row + only, k, pull)
    first, row = contacts.header[ACTIVE_POINTS], 3 * contacts.header[ACTIVE_POINTS]
    for a in range(first, first + contacts.header[ACTIVE_RUBS]):
        for d in range(nv):
            contacts.Y[row, d] = 0.0
        spread_rub(model, work, contacts, row, contacts.active[0, a])
        row += 1


@inline
def only_row(contacts: Contacts, row: int) -> int:
    """Which of the three rows of a point that begin at a row is the only one that is not spared; −1 where there are more."""
    first, second, third = contacts.spared[0, row] > 0, contacts.spared[0, row + 1] > 0, contacts.spared[0, row + 2] > 0
    if second and third:
        return 0
    if first and third:
        return 1
    return 2 if first and second else -1


@inline
def spread_point(model: KernelModel, work: Work, contacts: Contacts, row: int, k: int, i: int, sign: float) -> None:
    """Add what joints feel of the forces along the three rows of point i, with a sign, on the body of row k.  O(depth).

    The three go down together, as a processor is quicker with three sums than with one after the other.
    """
    walk, dof, Y = model.walk, work.dof, contacts.Y
    arm = subtract(load(contacts.met, i, POINT, 3), tree_origin(model, work.body, k))
    f = pull_at(arm, scale(sign, load(contacts.met, i, NORMAL, 3)))
    g = pull_at(arm, scale(sign, load(contacts.met, i, TANGENTS, 3)))
    h = pull_at(arm, scale(sign, load(contacts.met, i, TANGENTS + 3, 3)))
    while k >= 0:
        for d in range(walk[k, END] - 1, walk[k, V] - 1, -1):
            along, response, inverse = load(dof, d, S, 6), load(dof, d, U, 6), dof[d, D]
            first, second, third = power(along, f), power(along, g), power(along, h)
            Y[row, d] += first
            Y[row + 1, d] += second
            Y[row + 2, d] += third
            f = plus_times(f, -first * inverse, response)
            g = plus_times(g, -second * inverse, response)
            h = plus_times(h, -third * inverse, response)
        k = walk[k, PARENT]


@inline
def pull_at(arm: Vector, f: Vector) -> Any:
    """The wrench of a force whose point is at the end of an arm."""
    return spatial(cross(arm, f), f)


@inline
def carry_down(model: KernelModel, work: Work, Y: Any, row: int, k: int, force: Any) -> None:
    """Add what the joints from row k to its root feel of a force, each after those above it have given way."""
    walk, dof = model.walk, work.dof
    while k >= 0:
        for d in range(walk[k, END] - 1, walk[k, V] - 1, -1):
            share = power(load(dof, d, S, 6), force)
            Y[row, d] += share
            force = plus_times(force, -share * dof[d, D], load(dof, d, U, 6))
        k = walk[k, PARENT]


@inline
def spread_rub(model: KernelModel, work: Work, contacts: Contacts, row: int, i: int) -> None:
    """What joints feel of a unit torque of item i, a joint with friction."""
    if contacts.items[i, RUB_LOOP] < 0:
        spread_torque(model, work, contacts.Y, row, contacts.items[i, RUB_V])
        return
    joint, k = loop_row(model, contacts, i), i - contacts.points.shape[0]
    carry_down(model, work, contacts.Y, row, model.joints[joint, CHILD], load(contacts.pairs, k, ON_CHILD, 6))
    carry_down(model, work, contacts.Y, row, model.joints[joint, PARENT], load(contacts.pairs, k, ON_PARENT, 6))


@jit
def spread_torque(model: KernelModel, work: Work, Y: Any, row: int, at: int) -> None:
    """What joints feel of a unit torque along the velocity `at`."""
    walk, dof, k = model.walk, work.dof, 0
    while not walk[k, V] <= at < walk[k, END]:
        k += 1
    Y[row, at] = 1.0
    force = spatial((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    force = plus_times(force, -dof[at, D], load(dof, at, U, 6))
    for d in range(at - 1, walk[k, V] - 1, -1):
        share = power(load(dof, d, S, 6), force)
        Y[row, d] += share
        force = plus_times(force, -share * dof[d, D], load(dof, d, U, 6))
    carry_down(model, work, Y, row, walk[k, PARENT], force)


@inline
def apply_force(work: Work, contacts: Contacts, force: Vector) -> None:
    """`apply_forces` of one point: that is quicker than to begin with zeros."""
    for d in range(work.dof.shape[0]):
        work.dof[d, TAU] += force[0] * contacts.Y[0, d] + force[1] * contacts.Y[1, d] + force[2] * contacts.Y[2, d]


@inline
def apply_forces(work: Work, contacts: Contacts, lam: Any) -> None:
    """Add the forces λ of all active rows to the reduced torques. Overwrites STEP."""
    if lam.shape[0] == 3:
        apply_force(work, contacts, (lam[0], lam[1], lam[2]))
        return
    total = contacts.spare[STEP]
    for d in range(total.shape[0]):
        total[d] = 0.0
    for row in range(lam.shape[0]):
        force, felt = lam[row], contacts.Y[row]
        if force != 0.0:
            for d in range(total.shape[0]):
                total[d] += force * felt[d]
    for d in range(total.shape[0]):
        work.dof[d, TAU] += total[d]
