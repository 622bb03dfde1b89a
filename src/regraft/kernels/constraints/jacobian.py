"""The constraint Jacobian in the coordinates of all joints (S2's J_C) and its rate; the motions and accelerations that it allows.

There is a column for each coordinate θ: those of the tree joints in the order of v, then those of the loop-closure joints, which
are unknowns here too. A loop has six rows, which say that the loop joint closes: the twist of its child, less that of its
parent, less the joint's own S q̇; in world axes, at the joint's frame on the child. After the loops each coupling has a row with
its factors, which do not change. (The Jacobian J of `rows` has the columns of v alone, and 6 − f rows for a loop joint with f
degrees of freedom.)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...algebra.dense import decompose
from ...algebra.memory import clear, load
from ...algebra.rotations import identity_pose
from ...algebra.spatial import (
    Motion,
    Transform,
    Vector,
    add,
    angular,
    at_point,
    compose,
    cross,
    invert,
    linear,
    motion_cross,
    plus,
    power,
    rotate,
    scale,
    spatial,
    subtract,
    times,
)
from ...compilation import Floats, Table, entry, inline, jit
from ...joints import joint_columns, joint_nearest, joint_rates, parameters
from ...tolerances import ASSEMBLED, CLOSED, LOOP_RANK, NO_LEVER, REDUNDANT
from ..jacobian import carrying_motion
from ..memory import loops_at, model_at, work_at
from ..tables import CHILD, DOFS, END, KIND, PAR, PARENT, RATE, VARIES, KernelModel, Q, S, T, V, Work
from .closure import close_positions
from .rows import loop_frames, loop_twists, tree_origin
from .tables import (
    END_TERM,
    FACTOR,
    FIRST_TERM,
    POSITION,
    SCREWS,
    TERM_V,
    VELOCITY,
    Loops,
)

TRIALS = 200
"""In so many steps of Newton's method loops must be closed."""


# --- the matrix ------------------------------------------------------------------------------------------------------------


@inline
def put(J: Any, row: int, column: int, m: Motion) -> None:
    """Add a motion to six rows of a column."""
    J[row, column] += m[0]
    J[row + 1, column] += m[1]
    J[row + 2, column] += m[2]
    J[row + 3, column] += m[3]
    J[row + 4, column] += m[4]
    J[row + 5, column] += m[5]


@jit
def loop_columns(closed: Loops, l: int) -> None:
    """SCREWS of a loop joint: its columns at POSITION, in the axes and about the origin of its frame on its child."""
    scratch, par = closed.scratch, parameters(closed.geometry, l, PAR, 0.0)
    joint_columns(closed.loops[l, KIND], par, scratch[POSITION], 0, identity_pose(0.0), scratch, SCREWS, 0)


@jit
def loop_position(closed: Loops, l: int, X_p: Transform, X_c: Transform) -> None:
    """POSITION and SCREWS of a loop joint whose frames on parent and child are X_p and X_c."""
    par = parameters(closed.geometry, l, PAR, 0.0)
    joint_nearest(closed.loops[l, KIND], par, compose(invert(X_p), X_c), closed.scratch[POSITION], 0)
    loop_columns(closed, l)


@inline
def turned(R: Any, m: Motion) -> Motion:
    """A motion of a frame's axes in those of the world, about the same point."""
    return spatial(rotate(R, angular(m)), rotate(R, linear(m)))


@jit
def constraint_columns(model: KernelModel, work: Work, closed: Loops, J: Any) -> None:
    """J_C, after `place_bodies`.  O(loops · depth), and O(rows · columns) to clear the matrix."""
    loops = closed.loops
    clear(J)
    for l in range(loops.shape[0]):
        X_p, X_c, apart = loop_frames(model, work, closed, l)
        for side in range(2):
            sign, k = (1.0, loops[l, CHILD]) if side == 0 else (-1.0, loops[l, PARENT])
            at = X_c[1] if side == 0 else subtract(X_c[1], apart)
            while k >= 0:
                for d in range(model.walk[k, V], model.walk[k, END]):
                    put(J, 6 * l, d, times(sign, at_point(load(work.dof, d, S, 6), at)))
                k = model.walk[k, PARENT]
        loop_position(closed, l, X_p, X_c)
        for d in range(loops[l, DOFS]):
            put(J, 6 * l, loops[l, V] + d, times(-1.0, turned(X_c[0], load(closed.scratch, SCREWS + d, 0, 6))))
    for b in range(loops.shape[0], closed.hard):
        for i in range(closed.cuts[b, FIRST_TERM], closed.cuts[b, END_TERM]):
            J[row_of_coupling(closed, b), closed.terms[i, TERM_V]] += closed.term_numbers[i, FACTOR]


@inline
def row_of_coupling(closed: Loops, b: int) -> int:
    """The row of a coupling in J_C."""
    return 5 * closed.loops.shape[0] + b


@jit
def constraint_rates(model: KernelModel, work: Work, closed: Loops, l: int, rate: Any) -> None:
    """The six rows of dJ_C/dt of a loop, from its POSITION, SCREWS and VELOCITY; after `move_bodies`.  O(depth)."""
    loops, scratch, dof = closed.loops, closed.scratch, work.dof
    _, X_c, apart = loop_frames(model, work, closed, l)
    V_c, _ = loop_twists(work, closed, l, apart)
    moving = add(linear(V_c), cross(angular(V_c), X_c[1]))
    for side in range(2):
        sign, k = (1.0, loops[l, CHILD]) if side == 0 else (-1.0, loops[l, PARENT])
        at = X_c[1] if side == 0 else subtract(X_c[1], apart)
        while k >= 0:
            carrier = carrying_motion(model, work, k)
            for d in range(model.walk[k, V], model.walk[k, END]):
                screw = load(dof, d, S, 6)
                change = motion_cross(carrier, screw)
                if model.walk[k, VARIES]:
                    change = plus(change, load(dof, d, RATE, 6))
                moved = at_point(change, at)
                swept = spatial(angular(moved), add(linear(moved), cross(angular(screw), moving)))
                put(rate, 6 * l, d, times(sign, swept))
            k = model.walk[k, PARENT]
    for d in range(loops[l, DOFS]):
        carried = turned(X_c[0], load(scratch, SCREWS + d, 0, 6))
        put(rate, 6 * l, loops[l, V] + d, times(-1.0, motion_cross(spatial(angular(V_c), scale(0.0, moving)), carried)))
    if loops[l, VARIES]:
        par = parameters(closed.geometry, l, PAR, 0.0)
        joint_rates(loops[l, KIND], par, scratch[POSITION], 0, scratch[VELOCITY], identity_pose(0.0), scratch, SCREWS, 0)
        for d in range(loops[l, DOFS]):
            put(rate, 6 * l, loops[l, V] + d, times(-1.0, turned(X_c[0], load(scratch, SCREWS + d, 0, 6))))


# --- the motions that loops allow ----------------------------------------------------------------------------------------


@entry
def allowed_motions(
    handle: int, q: Floats, size: float, scales: Floats, row_scales: Floats, U: Table, sizes: Floats, Vt: Table
) -> tuple[float, float, int]:
    """Close the loops in q to rounding, then make the singular value decomposition U diag(sizes) Vt of J_C, without units.

    Returns the gap that was there and the one that is left, and the rank. Where one of the gaps is too large, nothing else is
    done. `scales` become those of θ̇ = scales θ̂̇, such that each θ̂̇ of 1 moves its joint's child about as much. `row_scales` become
    what makes rows free of units: of loops by the longest lever of any joint, of couplings by their own sizes. `size` is the
    largest coordinate of a loop joint's frame on its bodies.
    """
    m, w, closed = model_at(handle), work_at(handle, q), loops_at(handle, q)
    gap, left = 0.0, 0.0
    if closed.cuts.shape[0] > 0:
        step, best = np.empty(w.dof.shape[0]), np.empty(q.shape[0])
        gap = close_positions(m, w, closed, q, step, best, 0, REDUNDANT)
        if not gap <= ASSEMBLED:
            return gap, gap, 0
        left = close_positions(m, w, closed, q, step, best, TRIALS, REDUNDANT)  # which leaves the bodies placed
        if not left <= CLOSED:
            return gap, left, 0
    J = np.empty((U.shape[1], Vt.shape[0]))
    constraint_columns(m, w, closed, J)
    loop_rows = 6 * closed.loops.shape[0]
    length = longest_lever(J[:loop_rows], places_of_loops(m, w, closed, size))
    column_sizes(m, closed, q, J, length, scales)
    for r in range(J.shape[0]):
        largest = 0.0
        for c in range(J.shape[1]):
            J[r, c] *= scales[c]
            largest = max(largest, abs(J[r, c]))
        row_scales[r] = 1.0 / largest if r >= loop_rows else 1.0 if r % 6 < 3 else 1.0 / length
        for c in range(J.shape[1]):
            J[r, c] *= row_scales[r]
    decompose(J, U, sizes, Vt)
    rank, largest = 0, 1.0
    for k in range(sizes.shape[0]):
        largest = max(largest, sizes[k])
        rank += 1 if sizes[k] > LOOP_RANK * largest else 0  # the first is the largest
    return gap, left, rank


@inline
def longest_of(a: Vector) -> float:
    """The largest coordinate."""
    return max(abs(a[0]), abs(a[1]), abs(a[2]))


@jit
def places_of_loops(model: KernelModel, work: Work, closed: Loops, size: float) -> float:
    """The largest of `size` and the coordinates of the loop joints' frames, on their bodies and in the world."""
    for l in range(closed.loops.shape[0]):
        X_p, X_c, _ = loop_frames(model, work, closed, l)
        origin = tree_origin(model, work.body, closed.loops[l, CHILD])
        size = max(size, longest_of(load(closed.geometry, l, T, 3)), longest_of(load(closed.child_frames, l, 9, 3)))
        size = max(size, longest_of(add(X_p[1], origin)), longest_of(add(X_c[1], origin)))
    return size


@jit
def longest_lever(J: Any, size: float) -> float:
    """The longest lever by which a joint turns the bodies of a loop: how far they move for a turn of 1.

    It is 1 where there is no lever; coordinates of this `size` leave some rounding of it.
    """
    longest = 0.0
    for r in range(0, J.shape[0], 6):
        for c in range(J.shape[1]):
            turning = math.sqrt(J[r, c] ** 2 + J[r + 1, c] ** 2 + J[r + 2, c] ** 2)
            if turning > LOOP_RANK:  # the rest slides, or carries both ends of a loop and moves neither against the other
                moving = math.sqrt(J[r + 3, c] ** 2 + J[r + 4, c] ** 2 + J[r + 5, c] ** 2)
                longest = max(longest, moving / turning)
    return longest if longest > NO_LEVER * size else 1.0


@jit
def column_sizes(model: KernelModel, closed: Loops, q: Any, J: Any, length: float, scales: Any) -> None:
    """`scales`: 1 / the size of each joint's screws (angular, linear / length) in its frame on its child.

    The screws of loop joints are taken from J_C.
    """
    walk, loops, scratch = model.walk, closed.loops, closed.scratch
    for k in range(walk.shape[0]):
        par = parameters(model.geometry, k, PAR, 0.0)
        joint_columns(walk[k, KIND], par, q, walk[k, Q], identity_pose(0.0), scratch, SCREWS, 0)
        for d in range(walk[k, V], walk[k, END]):
            scales[d] = 1.0 / screw_size(load(scratch, SCREWS + d - walk[k, V], 0, 6), length)
    for l in range(loops.shape[0]):
        for d in range(loops[l, V], loops[l, END]):
            r = 6 * l
            screw = J[r, d], J[r + 1, d], J[r + 2, d], J[r + 3, d], J[r + 4, d], J[r + 5, d]
            scales[d] = 1.0 / screw_size(screw, length)


@inline
def screw_size(s: Motion, length: float) -> float:
    """The size of a screw whose linear part is measured by a length."""
    scaled = spatial(angular(s), scale(1.0 / length, linear(s)))
    return math.sqrt(power(scaled, scaled))
