"""Impacts of contact points with friction: velocities w = u + A Λ after the impulses Λ, u being those before.

One point is followed through its impact (`single_impact`). For several points at once there are two laws, and they differ:

- SIMULTANEOUS: all points compress together, as if without restitution, until none approaches; then all expand together. With
  Poisson's law each expands with e times its normal impulse of compression at least, and with more where it would approach
  otherwise: 0 ≤ Λ_n − e Λ_n,compression ⊥ w_n ≥ 0. Friction obeys Coulomb's law in both phases, by the slip at their ends.
- SEQUENTIAL: one point after the other, the one that approaches fastest first, until none approaches.

Newton's law, w_n = −e u_n, may add energy where there is friction, which is told, and may contradict itself where more points
touch than can move by themselves: then there is no solution. Stronge's law has no form for several points at once; Poisson's
takes its place, which is told. Poisson's and Stronge's add no energy: where the expansion of several points with friction would,
only as much of it takes place as does not, which is told as well.
"""

from __future__ import annotations

import math
from typing import Any

from ...compilation import Floats, Integers, Table, entry, inline, jit, stage
from ...tolerances import FEASIBLE, ROUNDING, UNSTOPPED
from .complementarity import find_modes
from .problem import (
    BEFORE,
    COMPRESSION,
    CONE,
    NOT_FOUND,
    ONE_BEFORE,
    ONE_IMPULSE,
    OPEN,
    PUSH,
    SOLVED,
    VECTORS,
    Contacts,
)
from .single_impact import NEWTON, POISSON, ROWS, STRONGE, strike

SIMULTANEOUS, SEQUENTIAL = range(2)
"""What several points do at once."""

ADDS_ENERGY, LESS_EXPANSION, STRONGE_AS_POISSON, ENDED_PLASTIC = 1, 2, 4, 8
"""What is told: there is more energy than before; the expansion was cut short; another law took a law's place; a sequence of
impacts that would not end was ended without restitution."""

_MOST = 1000  # impacts of a sequence for each point


@jit
def solve_impact(
    A: Any, u: Any, mu_s: Any, mu_k: Any, restitution: Any, laws: Any, order: int,
    kinds: Any, modes: Any, directions: Any, impulse: Any, after: Any, scratch: Any,
) -> tuple[int, int]:  # fmt: skip
    """Impulses of n points and the velocities of their rows after the impact: (status, what is told).

    `kinds`, `modes` and `directions` are scratch with a place for each point; modes end as those of the last phase.
    """
    kinds[:] = CONE
    modes[:] = OPEN
    for r in range(A.shape[0]):
        impulse[r], after[r] = 0.0, u[r]
    if order == SEQUENTIAL or kinds.shape[0] == 1:
        status, told = one_by_one(A, u, mu_s, mu_k, restitution, laws, kinds, modes, directions, impulse, after, scratch)
        if status == SOLVED or order == SEQUENTIAL or not A[0, 0] > 0.0:
            return status, told
        for r in range(A.shape[0]):  # a slip that turns too fast to be followed through the impact
            impulse[r], after[r] = 0.0, u[r]
    return all_at_once(A, u, mu_s, mu_k, restitution, laws, kinds, modes, directions, impulse, after, scratch)


@stage
def one_by_one(
    A: Table, u: Floats, mu_s: Floats, mu_k: Floats, restitution: Floats, laws: Integers,
    kinds: Integers, modes: Integers, directions: Table, impulse: Floats, after: Floats, scratch: Table,
) -> tuple[int, int]:  # fmt: skip
    """The sequential law; of one point it is all there is."""
    n, rows = kinds.shape[0], A.shape[0]
    y, own = scratch[VECTORS : VECTORS + ROWS], scratch[VECTORS + ROWS : VECTORS + ROWS + 3]
    fastest, told = 0.0, 0
    for r in range(rows):
        fastest = max(fastest, abs(u[r]))
    for count in range(_MOST * n + 1):
        i = first_to_strike(after)
        if i < 0 or not -after[3 * i] > (FEASIBLE * fastest if count > 0 else 0.0):
            break
        if count == _MOST * n:
            told = ENDED_PLASTIC
            break
        for r in range(3):
            scratch[ONE_BEFORE, r] = after[3 * i + r]
            for c in range(3):
                own[r, c] = A[3 * i + r, 3 * i + c]
        if not strike(own, scratch[ONE_BEFORE], mu_s[i], mu_k[i], restitution[i], laws[i], scratch[ONE_IMPULSE], y):
            return NOT_FOUND, told
        for c in range(3):
            impulse[3 * i + c] += scratch[ONE_IMPULSE, c]
        move(A, u, impulse, after)
        if n == 1:
            break
    for r in range(rows):
        if not math.isfinite(after[r]):  # with Newton's law a sequence may gain energy without end
            return NOT_FOUND, ADDS_ENERGY
    i = first_to_strike(after)
    if n > 1 and i >= 0 and -after[3 * i] > ROUNDING * fastest:  # what approaches still, by next to nothing
        for r in range(rows):
            scratch[BEFORE, r], scratch[COMPRESSION, r] = after[r], impulse[r]
        scratch[PUSH] = 0.0
        status, _ = find_modes(Contacts(A, scratch[BEFORE], kinds, mu_s, mu_k, directions, modes, impulse, scratch, n, fastest))
        for r in range(rows):
            impulse[r] += scratch[COMPRESSION, r]
        if status != SOLVED:
            return status, told
        move(A, u, impulse, after)
    return SOLVED, told | adds_energy(u, after, impulse)


@inline
def first_to_strike(velocities: Any) -> int:
    """The point that approaches fastest, −1 where none does."""
    first = -1
    for i in range(velocities.shape[0] // 3):
        if velocities[3 * i] < (0.0 if first < 0 else velocities[3 * first]):
            first = i
    return first


@inline
def nothing_stops(A: Any, u: Any, impulse: Any) -> bool:
    """Whether impulses are so large that velocities after them are rounding, as where nothing can stop what comes."""
    fastest, largest = 0.0, 0.0
    for r in range(u.shape[0]):
        fastest = max(fastest, abs(u[r]))
        terms = 0.0
        for c in range(u.shape[0]):
            terms += abs(A[r, c] * impulse[c])
        largest = max(largest, terms)
    return not FEASIBLE * largest <= UNSTOPPED * fastest


@inline
def move(A: Any, u: Any, impulse: Any, after: Any) -> None:
    """u + A Λ."""
    for r in range(A.shape[0]):
        total = u[r]
        for c in range(A.shape[0]):
            total += A[r, c] * impulse[c]
        after[r] = total


@inline
def energy_of(u: Any, after: Any, impulse: Any) -> tuple[float, float]:
    """What impulses add to the kinetic energy, ½ (u + w) · Λ, and the size of the terms of this sum."""
    total, size = 0.0, 0.0
    for r in range(impulse.shape[0]):
        total += 0.5 * (u[r] + after[r]) * impulse[r]
        size += 0.5 * (abs(u[r]) + abs(after[r])) * abs(impulse[r])
    return total, size


@inline
def adds_energy(u: Any, after: Any, impulse: Any) -> int:
    """ADDS_ENERGY where they do, beyond rounding."""
    total, size = energy_of(u, after, impulse)
    return ADDS_ENERGY if total > FEASIBLE * size else 0


@stage
def all_at_once(
    A: Table, u: Floats, mu_s: Floats, mu_k: Floats, restitution: Floats, laws: Integers,
    kinds: Integers, modes: Integers, directions: Table, impulse: Floats, after: Floats, scratch: Table,
) -> tuple[int, int]:  # fmt: skip
    """The simultaneous law."""
    n, rows, told, phases = kinds.shape[0], A.shape[0], 0, 1
    b, compressed = scratch[BEFORE], scratch[COMPRESSION]
    fastest = 0.0
    for r in range(rows):
        fastest = max(fastest, abs(u[r]))
    c = Contacts(A, b, kinds, mu_s, mu_k, directions, modes, impulse, scratch, n, fastest)
    for i in range(n):
        if laws[i] != NEWTON and restitution[i] > 0.0:
            phases = 2
        if laws[i] == STRONGE and restitution[i] > 0.0:
            told = STRONGE_AS_POISSON
    for r in range(rows):
        b[r] = u[r]
    if phases == 1:
        aim(c, u, restitution, laws)
    scratch[PUSH] = 0.0
    status, _ = find_modes(c)
    if status != SOLVED:
        return status, told
    move(A, u, impulse, after)
    if phases == 1:
        return SOLVED, told | adds_energy(u, after, impulse)
    for r in range(rows):
        compressed[r], b[r] = impulse[r], after[r]
    aim(c, u, restitution, laws)
    for i in range(n):
        scratch[PUSH, i] = restitution[i] * max(impulse[3 * i], 0.0) if laws[i] != NEWTON else 0.0
    status, _ = find_modes(c)
    if status != SOLVED:
        return status, told
    return SOLVED, told | expand(c, u, compressed, after)


@inline
def aim(c: Contacts, u: Any, restitution: Any, laws: Any) -> None:
    """Newton's law as if there were no restitution: shift the velocities of points that have it by e u_n."""
    for i in range(c.points):
        if laws[i] == NEWTON and u[3 * i] < 0.0:
            c.b[3 * i] += restitution[i] * u[3 * i]


@jit
def expand(c: Contacts, u: Any, compressed: Any, after: Any) -> int:
    """All impulses, those of the expansion being λ, or as large a share of it as adds no energy; what is told.

    The energy is a quadratic function of the share s, and at s = 0 not more than before: E₀ + s E₁ + s² E₂ ≤ 0.
    """
    impulse, rows = c.lam, c.A.shape[0]
    for r in range(rows):
        after[r] = impulse[r]  # of the expansion
        impulse[r] += compressed[r]
    none, slope, bend, size = 0.0, 0.0, 0.0, 0.0
    for r in range(rows):
        moved, more = 0.0, 0.0
        for k in range(rows):
            moved += c.A[r, k] * compressed[k]
            more += c.A[r, k] * after[k]
        none += (u[r] + 0.5 * moved) * compressed[r]
        slope += (u[r] + moved) * after[r]
        bend += 0.5 * more * after[r]
        size += abs(u[r] * after[r]) + abs(u[r] * compressed[r]) + abs(more * after[r])
    if none + slope + bend <= FEASIBLE * size:
        move(c.A, u, impulse, after)
        return 0
    share = 0.0
    if bend > 0.0 and none < 0.0:
        root = (slope * slope - 4.0 * none * bend) ** 0.5
        share = -2.0 * none / (slope + root) if slope > 0.0 else (root - slope) / (2.0 * bend)
    for r in range(rows):
        impulse[r] = compressed[r] + min(max(share, 0.0), 1.0) * after[r]
    move(c.A, u, impulse, after)
    return LESS_EXPANSION


@entry
def impacts(
    A: Table, u: Floats, mu_s: Floats, mu_k: Floats, restitution: Floats, laws: Integers, order: int,
    kinds: Integers, modes: Integers, directions: Table, impulse: Floats, after: Floats, scratch: Table,
) -> tuple[int, int]:  # fmt: skip
    """`solve_impact`."""
    return solve_impact(A, u, mu_s, mu_k, restitution, laws, order, kinds, modes, directions, impulse, after, scratch)


__all__ = ["NEWTON", "POISSON", "STRONGE", "impacts", "nothing_stops", "solve_impact"]
