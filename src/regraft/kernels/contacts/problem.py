"""The words and the memory of the contact problem w = A λ + b.

Items come in this order: n contact points, with three rows each (normal, two tangents) at 3 i, then joints with dry friction, one
row each. An item has a kind, which says what its law is, and a mode, which says which part of that law holds now:

- CONE: a point that does not slip yet. OPEN: λ = 0 and w_n ≥ 0. STICK: w = 0, λ_n ≥ 0, |λ_t| ≤ µ_s λ_n. SLIDE along the unit
  vector s: w_n = 0, w_t = |w_t| s, λ_t = −µ_k λ_n s.
  A point may be *pushed*: its normal force is P at least. P_STICK and P_SLIDE: λ_n = P, w_n ≥ 0, friction as in STICK and SLIDE.
  These stand for OPEN then, and λ_n ≥ P in STICK and SLIDE: the expansion of an impact.
- RAY: a point that slips along s already. OPEN as above, or SLIDE with any w_t.
- BOX: a joint with dry friction. STICK: w = 0 and |λ| ≤ µ_s. SLIDE in the direction s = ±1: λ = −µ_k s and w s ≥ 0. µ are forces.
- FIXED_FORCE: a row whose λ is given.

`directions` has s of item i in its row i (a joint's in the first column). A row of A that is zero belongs to a direction in which
nothing can move; it is *idle*, has no force, and no law asks for it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numba import float64, int64
from numba.core import types

from ...compilation import Floats, Integers, Table, declare, inline, jit
from ...tolerances import IDLE_IN_POINT, IDLE_ROW, SIZE_OF_ALL

CONE, RAY, BOX, FIXED_FORCE = range(4)
"""Kinds of items."""
OPEN, STICK, SLIDE, FIXED, P_STICK, P_SLIDE = range(6)
"""Modes of items."""
SOLVED, NO_SOLUTION, NOT_FOUND = range(3)
"""What a search ended with."""

# Rows of the scratch table that are vectors: of unknowns …
FIRST, FORM, C1, C2, GAMMA, ROW_SCALE, COLUMN_SCALE, WEIGHT, ROW_ORDER, COLUMN_ORDER, RHS, X, Y, PIVOT = range(14)
# … of rows of A …
W, SIZE, IDLE_SCALE, TRIED, NEAR, ALONG = range(14, 20)
# … and of items.
KEPT, FORMER, BEND, PUSH = range(20, 24)
# Of an impact: velocities before a phase, impulses of compression, and those of one point; of items again: less friction.
BEFORE, COMPRESSION, ONE_BEFORE, ONE_IMPULSE, LESS_S, LESS_K = range(24, 30)
# Of points that slide slowly: what their slip is multiplied with to be added to b, see `slow_slips`.
SLOW = 30
# In its first place: 1 where forces of points that stick, as last found, were not the only ones.
DOUBT = 31
# Of the unknown forces across a slip: the row in which each acts, and what it is to reach there; see `slow_slips`.
ROW_1, ROW_2, REACHES = range(32, 35)
# Of points again: the angle between the slip and the direction of friction, and what makes REACHES.
LEAN, SHIFT, SPEEDS_UP, RESISTS = range(35, 39)
# Of rows of A: 1 where the row followed from others when that was last looked at, so that its force need not be.
FOLLOWS = 39
# In its first places: 1 where the factors that were found last are those of `plain_elimination`, and where the unknowns that are
# kept end there, and those of held rows.
PLAIN = 40
VECTORS = 41
"""Where the square tables of the scratch begin; there are three."""


class Contacts(NamedTuple):
    """A contact problem with its memory."""

    A: Table
    b: Floats
    kinds: Integers
    mu_s: Floats
    mu_k: Floats
    directions: Table
    modes: Integers
    lam: Floats
    scratch: Table
    points: int
    size: float
    """What is small beside this is rounding, besides what is so beside A λ and b: the size of what b is a sum of."""


_FLOATS, _TABLE, _INTEGERS = float64[::1], float64[:, ::1], int64[::1]
declare(
    "Contacts",
    types.NamedTuple(
        (_TABLE, _FLOATS, _INTEGERS, _FLOATS, _FLOATS, _TABLE, _INTEGERS, _FLOATS, _TABLE, int64, float64), Contacts
    ),
)


def scratch_shape(rows: int) -> tuple[int, int]:
    """The shape of the scratch table for a problem with so many rows, 3 for a point and 1 for a joint."""
    side = max(rows, 7)  # what the impact of one point needs
    return VECTORS + 3 * side, side


@inline
def count_points(kinds: Any) -> int:
    """How many items are points; they come first."""
    n = 0
    while n < kinds.shape[0] and (kinds[n] == CONE or kinds[n] == RAY):
        n += 1
    return n


@inline
def row_of(c: Contacts, item: int) -> int:
    """The first row of an item."""
    return 3 * item if item < c.points else 2 * c.points + item


@inline
def is_sliding(mode: int) -> bool:
    """Whether friction of a point follows its slip."""
    return mode == SLIDE or mode == P_SLIDE  # noqa: PLR1714 (kernels make no tuples to look into)


@inline
def is_sticking(mode: int) -> bool:
    """Whether friction of a point holds it."""
    return mode == STICK or mode == P_STICK  # noqa: PLR1714


@jit
def scale_rows(c: Contacts) -> None:
    """IDLE_SCALE: what makes the diagonal of A one, 0 for idle rows."""
    A, largest = c.A, 0.0
    for i in range(A.shape[0]):
        largest = max(largest, A[i, i])
    for i in range(A.shape[0]):
        least = IDLE_ROW * largest
        if i < 3 * c.points:
            k = i - i % 3
            least = max(least, IDLE_IN_POINT * max(A[k, k], A[k + 1, k + 1], A[k + 2, k + 2]))
        c.scratch[IDLE_SCALE, i] = 1.0 / math.sqrt(A[i, i]) if A[i, i] > least else 0.0


@jit
def start_rows(c: Contacts) -> None:
    """W = A λ + b; before the first forces are known, that is b."""
    some = False
    for i in range(c.lam.shape[0]):
        some = some or c.lam[i] != 0.0
        c.scratch[W, i] = c.b[i]
    if some:
        move_rows(c)


@jit
def move_rows(c: Contacts) -> None:
    """W = A λ + b, and SIZE: of what each is a sum, the largest of a point's three rows."""
    A, lam, scratch = c.A, c.lam, c.scratch
    rows, largest = A.shape[0], c.size / SIZE_OF_ALL
    for i in range(rows):
        total, size = c.b[i], abs(c.b[i])
        for j in range(rows if A[i, i] > 0.0 else 0):  # all of a row is zero where its diagonal is
            term = A[i, j] * lam[j]
            total += term
            size += abs(term)
        scratch[W, i], scratch[SIZE, i] = total, size
        largest = max(largest, size)
    for i in range(rows):
        if i < 3 * c.points and i % 3 == 0:
            size = max(scratch[SIZE, i], scratch[SIZE, i + 1], scratch[SIZE, i + 2])
            scratch[SIZE, i] = scratch[SIZE, i + 1] = scratch[SIZE, i + 2] = size
        scratch[SIZE, i] += SIZE_OF_ALL * largest


@inline
def seen(c: Contacts, row: int) -> float:
    """W of a row, 0 of an idle one."""
    return c.scratch[W, row] if c.scratch[IDLE_SCALE, row] > 0.0 else 0.0
