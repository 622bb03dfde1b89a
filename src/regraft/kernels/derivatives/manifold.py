"""How positions on a manifold, and the coordinates of a step from there, change: for many states, one a row.

Only joints whose positions are on a manifold need this, quaternions above all; of the others every map here is the identity or
zero. These are closed forms in a few numbers, which the joint types give for any scalar; so they are differentiated by the
complex step, as in `joint_slopes`, and no joint type needs to know of it.
"""

from __future__ import annotations

from typing import Any

from ...compilation import ComplexTable, Floats, Integers, IntegerTable, Table, inline, jit, long_entry
from ...joints import (
    joint_advance,
    joint_carry_back,
    joint_depart,
    joint_difference,
    joint_integrate,
    joint_normalise,
    joint_rate,
)
from .. import chart
from ..tables import DOFS, KIND, Q, V
from .joint_slopes import STEP

WIDEST = 6
"""Degrees of freedom of a joint, at most: columns of a map."""
NUMBERS = 7
"""Numbers of a joint's position, at most."""

# Which six columns of a row of `chart_slopes` are which map, of (u, w) to (q, v) and to their rates
(REACHED_BY_START, REACHED_BY_U, VELOCITY_BY_U, VELOCITY_BY_W, U_RATE_BY_U, U_RATE_BY_V, W_RATE_BY_U, W_RATE_BY_V,
 W_RATE_BY_A) = range(9)  # fmt: skip
MAPS = 9

# rows of the scratch, which has room for a position in each
START, HERE, MOVED, ALONG, U, W, VELOCITY, RATE, FOUND, CHANGE = range(10)
SCRATCH = 10


@long_entry
def depart_rows(walk: IntegerTable, start: Table, u: Table, w: Table, q: Table, v: Table) -> None:
    """`chart.depart` in each row."""
    for b in range(start.shape[0]):
        chart.depart(walk, start[b], u[b], w[b], q[b], v[b])


@long_entry
def advance_rows(walk: IntegerTable, u: Table, v: Table, rate: Table, out: Table) -> None:
    """`chart.advance` in each row."""
    for b in range(u.shape[0]):
        chart.advance(walk, u[b], v[b], rate[b], out[b])


@long_entry
def position_slopes(
    curved: IntegerTable, counts: Integers, q: Table, unit: Floats, rate: Floats, numbers: Table, tangents: Table
) -> None:
    """Normalise the positions in each row of q; how they change along tangent vectors, and these with positions.

    `curved` has the rows of the walk that are on manifolds, `counts` how many numbers each position has. Row b nq + i of
    `numbers` has ∂q_i/∂d, row b nv + d of `tangents` ∂d/∂q_i, each by the joint's own d or q_i: its inverse on the manifold and
    zero across it, which is its transpose by the squares of its columns, as these are at right angles to each other. Of joints
    that are not curved nothing is written. `unit` is zero; `rate` has room for a position.
    """
    nq, nv = q.shape[1], tangents.shape[0] // max(q.shape[0], 1)
    for b in range(q.shape[0]):
        for k in range(curved.shape[0]):
            kind, i, d = curved[k, KIND], curved[k, Q], curved[k, V]
            joint_normalise(kind, q[b], i)
            for e in range(curved[k, DOFS]):
                unit[d + e], square = 1.0, 0.0
                joint_rate(kind, q[b], i, unit, d, rate)
                unit[d + e] = 0.0
                for c in range(i, i + counts[k]):
                    square += rate[c] * rate[c]
                for c in range(counts[k]):
                    numbers[b * nq + i + c, e] = rate[i + c]
                    tangents[b * nv + d + e, c] = rate[i + c] / square


@long_entry
def chart_slopes(curved: IntegerTable, start: Table, u: Table, w: Table, a: Table, scratch: ComplexTable, out: Table) -> None:
    """The maps of the chart of a step at (u, w) and the acceleration a, for the curved joints, into row b nv + d of `out`."""
    for b in range(start.shape[0]):
        for k in range(curved.shape[0]):
            take(start[b], scratch[START])
            take(u[b], scratch[U])
            take(w[b], scratch[W])
            differentiate_chart(curved, k, a[b], scratch, out, b * u.shape[1] + curved[k, V])


@jit
def differentiate_chart(curved: Any, k: int, a: Any, scratch: Any, out: Any, row: int) -> None:
    """The maps of one joint."""
    d, seed = curved[k, V], complex(0.0, STEP)
    depart(curved, k, START, HERE, scratch)
    carry_back(curved, k, scratch)
    for e in range(curved[k, DOFS]):
        scratch[FOUND, d + e] = scratch[VELOCITY, d + e]
    for e in range(curved[k, DOFS]):
        step_from_start(curved, k, e, scratch)
        depart(curved, k, MOVED, CHANGE, scratch)
        keep_change(curved, k, e, scratch, out, row, REACHED_BY_START)
        for e1 in range(curved[k, DOFS]):
            scratch[VELOCITY, d + e1] = scratch[FOUND, d + e1].real
        for which in range(3):
            place = U if which == 0 else VELOCITY if which == 1 else RATE
            for e1 in range(curved[k, DOFS]):
                scratch[RATE, d + e1] = a[d + e1]
            scratch[place, d + e] += seed
            advance(curved, k, scratch)
            if which == 2:
                keep(curved, k, e, RATE, scratch, out, row, W_RATE_BY_A)
            else:
                keep(curved, k, e, CHANGE, scratch, out, row, U_RATE_BY_U if which == 0 else U_RATE_BY_V)
                keep(curved, k, e, RATE, scratch, out, row, W_RATE_BY_U if which == 0 else W_RATE_BY_V)
            scratch[place, d + e] -= seed
        for which in range(2):
            place = U if which == 0 else W
            scratch[place, d + e] += seed
            carry_back(curved, k, scratch)
            keep(curved, k, e, VELOCITY, scratch, out, row, VELOCITY_BY_U if which == 0 else VELOCITY_BY_W)
            if which == 0:
                depart(curved, k, START, CHANGE, scratch)
                keep_change(curved, k, e, scratch, out, row, REACHED_BY_U)
            scratch[place, d + e] -= seed


@inline
def take(given: Any, out: Any) -> None:
    """Real numbers as complex ones."""
    for i in range(given.shape[0]):
        out[i] = given[i]


@inline
def step_from_start(curved: Any, k: int, e: int, scratch: Any) -> None:
    """MOVED = START ⊕ an imaginary step along the coordinate e."""
    d = curved[k, V]
    for e1 in range(curved[k, DOFS]):
        scratch[ALONG, d + e1] = 0.0
    scratch[ALONG, d + e] = complex(0.0, STEP)
    joint_integrate(curved[k, KIND], scratch[START], curved[k, Q], scratch[ALONG], d, scratch[MOVED])


@inline
def depart(curved: Any, k: int, start: int, out: int, scratch: Any) -> None:
    """The position that U leads to from a row of the scratch, into another row."""
    joint_depart(curved[k, KIND], scratch[start], curved[k, Q], scratch[U], curved[k, V], scratch[out])


@inline
def carry_back(curved: Any, k: int, scratch: Any) -> None:
    """VELOCITY: that which is W in the axes of the start."""
    d = curved[k, V]
    for e in range(curved[k, DOFS]):
        scratch[VELOCITY, d + e] = scratch[W, d + e]
    joint_carry_back(curved[k, KIND], scratch[U], d, scratch[W], scratch[VELOCITY])


@inline
def advance(curved: Any, k: int, scratch: Any) -> None:
    """CHANGE: the rate of U; that of W in place of the acceleration in RATE."""
    d = curved[k, V]
    for e in range(curved[k, DOFS]):
        scratch[CHANGE, d + e] = scratch[VELOCITY, d + e]
    joint_advance(curved[k, KIND], scratch[U], d, scratch[VELOCITY], scratch[RATE], scratch[CHANGE])


@inline
def keep_change(curved: Any, k: int, e: int, scratch: Any, out: Any, row: int, which: int) -> None:
    """Column e of a map to positions: the position in CHANGE against that in HERE, as a tangent vector."""
    i, d = curved[k, Q], curved[k, V]
    joint_difference(curved[k, KIND], scratch[CHANGE], i, scratch[HERE], i, scratch[ALONG], d)
    keep(curved, k, e, ALONG, scratch, out, row, which)


@inline
def keep(curved: Any, k: int, e: int, place: int, scratch: Any, out: Any, row: int, which: int) -> None:
    """Column e of a map: the derivative that a row of the scratch has in its imaginary parts."""
    for e1 in range(curved[k, DOFS]):
        out[row + e1, WIDEST * which + e] = scratch[place, curved[k, V] + e1].imag / STEP
