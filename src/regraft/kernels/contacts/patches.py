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
from ...algebra.spatial import Vector, cross, dot, scale, subtract
from ...compilation import inline, jit
from ...tolerances import PATCH_ROW, TINY
from ..tables import KernelModel, Work
from .items import is_anchored
from .memory import ACTIVE_POINTS, CLOSING, MODE, PATCH, SPARED_ROWS, Contacts, problem_of
from .problem import STICK, VECTORS
from .problem import Contacts as Problem
from .response import couple_tree
from .rows import direction_of, spread_active
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
    if contacts.header[CLOSING] != 0:
        return
    list_patches(contacts)
    for first in range(contacts.header[ACTIVE_POINTS]):
        if is_in(contacts, first, first):
            size = patch_size(contacts, first)
            if size > 0.0:
                spare_in_patch(contacts, problem_of(contacts), first, size)


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
            size = patch_size(contacts, first)
            if size > 0.0:
                share_in_patch(contacts, problem, first, size)


@jit
def share_in_patch(contacts: Contacts, problem: Problem, first: int, size: float) -> None:
    """λ = E (Eᵀ E)⁻¹ w with the force and moment w of a patch, whose rows are E."""
    E, c = problem.scratch[VECTORS:], load(contacts.met, contacts.active[0, first], POINT, 3)
    G = problem.scratch[VECTORS + problem.A.shape[0] :]
    for k in range(_MOST):
        for l in range(_MOST + 1):
            G[k, l] = 0.0
    for a in range(first, contacts.header[ACTIVE_POINTS]):
        if is_in(contacts, a, first):
            for along in range(3):
                r = 3 * a + along
                moment, force = pull(contacts, a, along, c, size)
                store(E, r, 0, moment)
                store(E, r, 3, force)
                for k in range(_MOST):
                    for l in range(k + 1):
                        G[k, l] += E[r, k] * E[r, l]
                    G[k, _MOST] += E[r, k] * problem.lam[r]
    solve_gram(G)
    for a in range(first, contacts.header[ACTIVE_POINTS]):
        if is_in(contacts, a, first):
            for r in range(3 * a, 3 * a + 3):
                total = 0.0
                for k in range(_MOST):
                    total += E[r, k] * G[k, _MOST]
                problem.lam[r] = total


@jit
def solve_gram(G: Any) -> None:
    """Solve the symmetric G x = w in place, w its last column; what G does not reach is 0."""
    for k in range(_MOST):
        before = G[k, k]
        for l in range(k):
            G[k, k] -= G[k, l] * G[k, l] * G[l, l]
        if not G[k, k] > PATCH_ROW * before + TINY:
            G[k, k] = 0.0
        for r in range(k + 1, _MOST):
            total = G[r, k]
            for l in range(k):
                total -= G[r, l] * G[k, l] * G[l, l]
            G[r, k] = total / G[k, k] if G[k, k] > 0.0 else 0.0
    for k in range(_MOST):
        for l in range(k):
            G[k, _MOST] -= G[k, l] * G[l, _MOST]
    for k in range(_MOST):
        G[k, _MOST] = G[k, _MOST] / G[k, k] if G[k, k] > 0.0 else 0.0
    for k in range(_MOST - 1, -1, -1):
        for l in range(k + 1, _MOST):
            G[k, _MOST] -= G[l, k] * G[l, _MOST]


@jit
def with_all_rows(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> None:
    """The Delassus matrix with the rows that are spared too; after the dynamics."""
    if contacts.header[SPARED_ROWS] == 0:
        return
    for r in range(problem.A.shape[0]):
        contacts.spared[0, r] *= -1
    spread_active(model, work, contacts)
    couple_tree(work, contacts, problem.A)
    for r in range(problem.A.shape[0]):
        contacts.spared[0, r] *= -1
