"""The constraint Jacobian in the coordinates of all joints (S2's J_C) and its rate; the motions and accelerations that it allows.

There is a column for each coordinate θ: those of the tree joints in the order of v, then those of the loop-closure joints, which
are unknowns here too. A loop has six rows, which say that the loop joint closes: the twist of its child, less that of its
parent, less the joint's own S q̇; in world axes, at the joint's frame on the child. (The Jacobian J of `rows` has the columns of
v alone, and 6 − f rows for a loop joint with f degrees of freedom.)
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
    minus,
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
from ...joints import joint_columns, joint_nearest, joint_rates, nearest_position, nearest_velocity, parameters
from ...tolerances import ASSEMBLED, CLOSED, LOOP_RANK, NO_LEVER, REDUNDANT, ROUNDING
from ..jacobian import carrying_motion
from ..kinematics import move_bodies, place_bodies
from ..memory import loops_at, model_at, positions_in, work_at
from ..tables import CHILD, DOFS, END, KIND, PAR, PARENT, RATE, VARIES, KernelModel, Q, S, T, V, Work
from .closure import close_positions
from .rows import held_directions, in_frame, loop_frames, loop_twists, tree_origin
from .tables import DRIVE, FIRST, NORMAL, POSITION, SCREWS, VELOCITY, Loops

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


@entry
def constraint_matrices(handle: int, x: Floats, size: float, demands: Table, velocities: Floats, J: Table, rate: Table) -> None:
    """J_C and dJ_C/dt at the state x = (q, v), the velocities of all joints, and GAP_THERE and SLIP of each loop to `demands`.

    `size` is as for `allowed_motions`.
    """
    m, w, closed, nq = model_at(handle), work_at(handle, x), loops_at(handle, x), positions_in(handle)
    place_bodies(m, w, x[:nq])
    move_bodies(m, w, x[:nq], x[nq:])
    constraint_columns(m, w, closed, J)
    clear(rate)
    size = places_of_loops(m, w, closed, size)
    for d in range(w.dof.shape[0]):
        velocities[d] = x[nq + d]
    for l in range(closed.loops.shape[0]):
        settle_loop(m, w, closed, l, size, demands)
        for d in range(closed.loops[l, DOFS]):
            velocities[closed.loops[l, V] + d] = closed.scratch[VELOCITY, d]
        constraint_rates(m, w, closed, l, rate)


# --- the motions that loops allow ----------------------------------------------------------------------------------------


@entry
def allowed_motions(
    handle: int, q: Floats, size: float, scales: Floats, U: Table, sizes: Floats, Vt: Table
) -> tuple[float, float, int, float]:
    """Close the loops in q to rounding, then make the singular value decomposition U diag(sizes) Vt of J_C, without units.

    Returns the gap that was there and the one that is left, the rank, and the length that makes rows free of units. Where one of
    the gaps is too large, nothing else is done. `scales` become those of θ̇ = scales θ̂̇, such that each θ̂̇ of 1 moves its joint's
    child about as much; `size` is the largest coordinate of a loop joint's frame on its bodies.
    """
    m, w, closed = model_at(handle), work_at(handle, q), loops_at(handle, q)
    gap, left = 0.0, 0.0
    if closed.loops.shape[0] > 0:
        step, best = np.empty(w.dof.shape[0]), np.empty(q.shape[0])
        gap = close_positions(m, w, closed, q, step, best, 0, REDUNDANT)
        if not gap <= ASSEMBLED:
            return gap, gap, 0, 1.0
        left = close_positions(m, w, closed, q, step, best, TRIALS, REDUNDANT)  # which leaves the bodies placed
        if not left <= CLOSED:
            return gap, left, 0, 1.0
    J = np.empty((U.shape[1], Vt.shape[0]))
    constraint_columns(m, w, closed, J)
    length = longest_lever(J, places_of_loops(m, w, closed, size))
    column_sizes(m, closed, q, J, length, scales)
    for r in range(J.shape[0]):
        for c in range(J.shape[1]):
            J[r, c] *= scales[c] if r % 6 < 3 else scales[c] / length
    decompose(J, U, sizes, Vt)
    rank, largest = 0, 1.0
    for k in range(sizes.shape[0]):
        largest = max(largest, sizes[k])
        rank += 1 if sizes[k] > LOOP_RANK * largest else 0  # the first is the largest
    return gap, left, rank, length


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


# --- what accelerations must fulfil ------------------------------------------------------------------------------------------

GAP_THERE, SLIP, OPENING, OPENING_OF = range(4)
DEMANDS = 4
"""Four numbers for each loop: its gap in position; its gap in velocity, relative to 1 + the speed; what accelerations lack along
its rows; and the sum of the sizes of all that this is a sum of, by which its rounding is measured."""


@entry
def loop_demands(handle: int, x: Floats, a: Floats, size: float, wrenches: Table, own: Floats, out: Table) -> None:
    """DEMANDS of each loop to `out` at the state x = (q, v) with the accelerations a, and the loop joints' own torques.

    The torques are those of `wrenches`, given as on the joints' children in the joints' frames there: Sᵀ wrench. `size` is as
    for `allowed_motions`.
    """
    m, w, closed, nq = model_at(handle), work_at(handle, x), loops_at(handle, x), positions_in(handle)
    place_bodies(m, w, x[:nq])
    move_bodies(m, w, x[:nq], x[nq:])
    rows, columns = 6 * out.shape[0], a.shape[0] + own.shape[0]
    J, rate = np.empty((rows, columns)), np.zeros((rows, columns))
    constraint_columns(m, w, closed, J)
    size = places_of_loops(m, w, closed, size)
    for l in range(closed.loops.shape[0]):
        settle_loop(m, w, closed, l, size, out)
        for d in range(closed.loops[l, DOFS]):
            own[closed.loops[l, V] - a.shape[0] + d] = power(load(closed.scratch, SCREWS + d, 0, 6), load(wrenches, l, 0, 6))
        constraint_rates(m, w, closed, l, rate)
        opening(m, w, closed, l, (x[nq:], a), (J, rate), out)


@jit
def settle_loop(model: KernelModel, work: Work, closed: Loops, l: int, size: float, out: Any) -> None:
    """POSITION, VELOCITY and SCREWS of a loop joint, nearest to how its bodies are and move; GAP_THERE and SLIP."""
    loops, scratch = closed.loops, closed.scratch
    kind, nv, par = loops[l, KIND], loops[l, DOFS], closed.geometry[l : l + 1, PAR:]
    X_p, X_c, apart = loop_frames(model, work, closed, l)
    V_c, V_p = loop_twists(work, closed, l, apart)
    rounding = ROUNDING * size
    out[l, 0] = nearest_position(kind, par, compose(invert(X_p), X_c), scratch[POSITION], rounding)
    twist = in_frame(X_c, minus(V_c, V_p))
    left = nearest_velocity(kind, par, scratch[POSITION], twist, scratch[VELOCITY][:nv], scratch)
    swept = rounding * (longest_of(angular(V_p)) + longest_of(angular(V_c)))
    speed = max(longest_of(angular(twist)), longest_of(linear(twist)))
    out[l, 1] = (left - min(left, swept)) / (1.0 + speed)
    if loops[l, VARIES]:
        first = closed.cuts[l, FIRST]
        held_directions(kind, parameters(par, 0, 0, 0.0), scratch[POSITION], nv, first, closed.rows, scratch)
    loop_columns(closed, l)


@jit
def opening(
    model: KernelModel, work: Work, closed: Loops, l: int, rates: tuple[Any, Any], matrices: tuple[Any, Any], out: Any
) -> None:
    """OPENING and OPENING_OF of a loop: J_C θ̈ + dJ_C/dt θ̇ along its rows, in which the loop joint's own θ̈ has no part."""
    loops, scratch, nv = closed.loops, closed.scratch, work.dof.shape[0]
    (v, a), (J, rate) = rates, matrices
    out[l, 3] = 0.0
    for r in range(6):
        total, summands = 0.0, 0.0
        for d in range(nv):
            total += J[6 * l + r, d] * a[d] + rate[6 * l + r, d] * v[d]
            summands += abs(J[6 * l + r, d] * a[d]) + abs(rate[6 * l + r, d] * v[d])
        for d in range(loops[l, DOFS]):
            own = rate[6 * l + r, loops[l, V] + d] * scratch[VELOCITY, d]
            total += own
            summands += abs(own)
        scratch[DRIVE, r] = total
        out[l, 3] = max(out[l, 3], summands)
    _, X_c, _ = loop_frames(model, work, closed, l)
    out[l, 2] = 0.0
    for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + 6 - loops[l, DOFS]):
        held = turned(X_c[0], load(closed.rows, r, NORMAL, 6))
        found = abs(power(held, load(scratch, DRIVE, 0, 6)))
        out[l, 2] = found if not found <= out[l, 2] else out[l, 2]  # NaN too
