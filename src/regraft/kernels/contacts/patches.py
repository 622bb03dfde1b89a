"""Points that stick between the same two bodies: together they hold six directions at most, however many they are.

A foot that stands on three points has nine rows, of which six hold it and three say the same again. Between events only rows that
tell something new are computed with; the others are *spared*. They have forces again once those of the rest are known: the
shortest ones with the same force and moment between the two bodies. Points have to be anchored, so that what their rows tell
stays the same while they stick; and joints have to be a tree.
"""

from __future__ import annotations

import math
from typing import Any

from ...algebra.memory import load, store
from ...algebra.spatial import Vector, add, cross, dot, scale, subtract, zero_vector
from ...compilation import inline, jit
from ...tolerances import PATCH_ROW, TINY
from ..tables import KernelModel, Work
from .items import is_anchored
from .memory import ACTIVE_POINTS, CLOSING, MODE, PATCH, READY, ROWS_SPARED, SPARED_ROWS, Contacts, problem_of
from .problem import STICK, VECTORS
from .problem import Contacts as Problem
from .response import couple_tree
from .rows import along_rows, direction_of, spread_active
from .tables import POINT, ROW_A, ROW_B

_MOST = 6  # rows that hold two bodies together


@inline
def holds(contacts: Contacts, a: int) -> bool:
    """Whether the active point a sticks at an anchor."""
    i = contacts.active[0, a]
    return contacts.items[i, MODE] == STICK and is_anchored(contacts, i)


@inline
def is_between(contacts: Contacts, a: int, b: int) -> bool:
    """Whether two active points are between the same two bodies."""
    i, k = contacts.active[0, a], contacts.active[0, b]
    return contacts.points[i, ROW_A] == contacts.points[k, ROW_A] and contacts.points[i, ROW_B] == contacts.points[k, ROW_B]


@inline
def is_in(contacts: Contacts, a: int, first: int) -> bool:
    """Whether an active point is in the patch that begins with another one."""
    return contacts.items[contacts.active[0, a], PATCH] == first


@jit
def list_patches(contacts: Contacts) -> None:
    """PATCH of the active points: the first active point of the same patch, −1 where the point is alone in its own."""
    for a in range(contacts.header[ACTIVE_POINTS]):
        contacts.items[contacts.active[0, a], PATCH] = -1
        if not holds(contacts, a):
            continue
        for first in range(a):
            if is_between(contacts, a, first) and holds(contacts, first):
                contacts.items[contacts.active[0, a], PATCH] = contacts.items[contacts.active[0, first], PATCH] = first
                break


@inline
def patch_size(contacts: Contacts, first: int) -> float:
    """How far the points of a patch are from its first, at most."""
    size, c = 0.0, load(contacts.met, contacts.active[0, first], POINT, 3)
    for a in range(first, contacts.header[ACTIVE_POINTS]):
        if is_in(contacts, a, first):
            arm = subtract(load(contacts.met, contacts.active[0, a], POINT, 3), c)
            size = max(size, math.sqrt(dot(arm, arm)))
    return size


@inline
def pull(contacts: Contacts, a: int, along: int, c: Vector, size: float) -> tuple[Vector, Vector]:
    """Moment about c, in units of `size`, and force of a unit force along one of the rows of an active point."""
    i = contacts.active[0, a]
    e, arm = direction_of(contacts, i, along), subtract(load(contacts.met, i, POINT, 3), c)
    return scale(1.0 / size, cross(arm, e)), e


@jit
def spare_rows(contacts: Contacts) -> None:
    """Choose the rows that need not be computed with, after modes were chosen; places of points are those of that moment."""
    for i in range(contacts.points.shape[0]):
        contacts.items[i, ROWS_SPARED] = 0
    if contacts.header[CLOSING] != 0:
        return
    list_patches(contacts)
    for first in range(contacts.header[ACTIVE_POINTS]):
        if is_in(contacts, first, first):
            size = patch_size(contacts, first)
            if size > 0.0:
                spare_in_patch(contacts, problem_of(contacts), first, size)
    for a in range(contacts.header[ACTIVE_POINTS]):
        for along in range(3):
            contacts.items[contacts.active[0, a], ROWS_SPARED] += contacts.spared[0, 3 * a + along] << along


@jit
def spare_again(contacts: Contacts) -> None:
    """The rows that were spared, as ROWS_SPARED has it, for who looks at a motion that is over.

    Where points slide, how others share a load may decide on their forces, and these on the motion: so all must be as it was.
    """
    list_patches(contacts)
    for a in range(contacts.header[ACTIVE_POINTS]):
        for along in range(3):
            spared = (contacts.items[contacts.active[0, a], ROWS_SPARED] >> along) & 1
            contacts.spared[0, 3 * a + along] = spared
            contacts.header[SPARED_ROWS] += spared


@jit
def spare_in_patch(contacts: Contacts, problem: Problem, first: int, size: float) -> None:
    """Of the rows of a patch, keep those that are farthest from what the kept ones hold already, one after the other."""
    E, c = problem.scratch[VECTORS:], load(contacts.met, contacts.active[0, first], POINT, 3)
    for a in range(first, contacts.header[ACTIVE_POINTS]):
        if is_in(contacts, a, first):
            for along in range(3):
                moment, force = pull(contacts, a, along, c, size)
                store(E, 3 * a + along, 0, moment)
                store(E, 3 * a + along, 3, force)
                contacts.spared[0, 3 * a + along] = 1
                contacts.header[SPARED_ROWS] += 1
    for _ in range(_MOST):
        best, largest = -1, PATCH_ROW
        for a in range(first, contacts.header[ACTIVE_POINTS]):
            if is_in(contacts, a, first):
                for r in range(3 * a, 3 * a + 3):
                    square = product(E, r, r)
                    if contacts.spared[0, r] > 0 and square > largest:
                        best, largest = r, square
        if best < 0:
            return
        contacts.spared[0, best] = 0
        contacts.header[SPARED_ROWS] -= 1
        take_out(contacts, E, first, best)


@inline
def product(E: Any, r: int, s: int) -> float:
    """The product of two rows."""
    total = 0.0
    for k in range(_MOST):
        total += E[r, k] * E[s, k]
    return total


@inline
def take_out(contacts: Contacts, E: Any, first: int, best: int) -> None:
    """Take from all rows of a patch that are spared what is along one that is kept."""
    square = product(E, best, best)
    for a in range(first, contacts.header[ACTIVE_POINTS]):
        if is_in(contacts, a, first):
            for r in range(3 * a, 3 * a + 3):
                if contacts.spared[0, r] > 0:
                    share = product(E, r, best) / square
                    for k in range(_MOST):
                        E[r, k] -= share * E[best, k]


@jit
def share_in_patches(contacts: Contacts, problem: Problem) -> None:
    """λ of all rows of patches, from that of the rows that are kept: the shortest with the same force and moment."""
    for first in range(contacts.header[ACTIVE_POINTS]):
        if is_in(contacts, first, first):
            share_in_patch(contacts, problem, first)


@inline
def share_in_patch(contacts: Contacts, problem: Problem, first: int) -> None:
    """The shortest forces f of the points of a patch, with the sums F of forces and M of moments about the middle of the points.

    Each point takes forces along all three axes, so f = F/n + x × b with its place b, where Σ b × (x × b) = M.
    """
    start = load(contacts.met, contacts.active[0, first], POINT, 3)
    count, middle = 0, zero_vector(start[0])
    for a in range(first, contacts.header[ACTIVE_POINTS]):
        if is_in(contacts, a, first):
            count += 1
            middle = add(middle, subtract(load(contacts.met, contacts.active[0, a], POINT, 3), start))
    middle = add(start, scale(1.0 / count, middle))
    force, moment = zero_vector(start[0]), zero_vector(start[0])
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(first, contacts.header[ACTIVE_POINTS]):
        if is_in(contacts, a, first):
            i = contacts.active[0, a]
            b, f = subtract(load(contacts.met, i, POINT, 3), middle), pull_of(contacts, i, problem.lam, 3 * a)
            force, moment = add(force, f), add(moment, cross(b, f))
            xx, yy, zz = xx + b[0] * b[0], yy + b[1] * b[1], zz + b[2] * b[2]
            xy, xz, yz = xy + b[0] * b[1], xz + b[0] * b[2], yz + b[1] * b[2]
    x = solve_three((yy + zz, -xy, -xz, xx + zz, -yz, xx + yy), moment)
    even = scale(1.0 / count, force)
    for a in range(first, contacts.header[ACTIVE_POINTS]):
        if is_in(contacts, a, first):
            i = contacts.active[0, a]
            f = add(even, cross(x, subtract(load(contacts.met, i, POINT, 3), middle)))
            problem.lam[3 * a], problem.lam[3 * a + 1], problem.lam[3 * a + 2] = along_rows(contacts, i, f)


@inline
def pull_of(contacts: Contacts, i: int, lam: Any, row: int) -> Vector:
    """The force of point i, whose rows begin at a place in λ."""
    n, t_1, t_2 = direction_of(contacts, i, 0), direction_of(contacts, i, 1), direction_of(contacts, i, 2)
    return add(add(scale(lam[row], n), scale(lam[row + 1], t_1)), scale(lam[row + 2], t_2))


@inline
def solve_three(J: tuple[float, float, float, float, float, float], m: Vector) -> Vector:
    """x with J x = m, for the symmetric J of rows (xx, xy, xz), (yy, yz), (zz); along what J does not reach it is 0."""
    least = PATCH_ROW * (J[0] + J[3] + J[5]) + TINY
    p = 1.0 / J[0] if J[0] > least else 0.0
    b, c = J[1] * p, J[2] * p
    second, side = J[3] - b * J[1], J[4] - b * J[2]
    q = 1.0 / second if second > least else 0.0
    d = side * q
    third = J[5] - c * J[2] - d * side
    y = m[1] - b * m[0]
    z = (m[2] - c * m[0] - d * y) / third if third > least else 0.0
    y = y * q - d * z
    return m[0] * p - b * y - c * z, y, z


@jit
def with_all_rows(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> None:
    """The Delassus matrix with the rows that are spared too; after the dynamics."""
    if contacts.header[SPARED_ROWS] == 0:
        return
    contacts.header[READY] = 0  # as those are without them
    for r in range(problem.A.shape[0]):
        contacts.spared[0, r] *= -1
    spread_active(model, work, contacts)
    couple_tree(work, contacts, problem.A)
    for r in range(problem.A.shape[0]):
        contacts.spared[0, r] *= -1
