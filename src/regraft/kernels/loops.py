"""Closed chains: each loop joint as a cut that forces must hold together (S2's virtual links).

The rows of a loop are the directions in which its joint does not move; they are found on the fly for any joint type. The
articulated factors that `eliminate_joints` leaves behind turn the force of each row into its share in every joint on the
way to the root (Y), and the constraint matrix J M⁻¹ Jᵀ into a sum over these joints, Y D⁻¹ Yᵀ, without ever forming M or J.
"""

from __future__ import annotations

from typing import Any

from .._jit import inline, jit
from ..joints import joint_columns, joint_nearest, joint_rates, joint_transform, nearest_velocity, parameters
from ..memory import load, store
from ..rotations import identity_pose, log_pose
from ..spatial import (
    Force,
    Frame,
    Motion,
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
    plus_times,
    power,
    rotate,
    rotate_back,
    scale,
    spatial,
    subtract,
    times,
    zero_spatial,
    zero_vector,
)
from .kinematics import frame, rising_world
from .layout import END, ORIGIN, PARENT, ROOT, TAU, VEL, A, D, Model, R, S, U, V, Work
from .loop_layout import (
    CARRIED,
    CHILD_ROW,
    FIRST,
    FORCE_CHILD,
    FORCE_PARENT,
    HIDES,
    LOOP_KIND,
    LOOP_PAR,
    LOOP_V,
    MULTIPLIER,
    NORMAL,
    ON_CHILD,
    ON_PARENT,
    PARENT_ROW,
    PATH,
    PIVOT,
    POSITION,
    REACH,
    RESIDUAL,
    SINCE,
    SIZE_ALONE,
    SOLVED,
    TAKEN,
    VARIES_TOO,
    VELOCITY,
    Loops,
)

REDUNDANT = 1e-10
"""A row whose pivot is below this part of the largest SIZE_ALONE of its loop follows from others: it is left out.

In lengths that is 1e-5: loops that are redundant only to five digits still count as redundant. Near a singular position
accelerations along such a row would be noise: rounding of positions comes into them divided by the square of the distance.
"""

HIDDEN = 1e-16
"""Added to the square of a share, by the squares of what it is a product of: where no joint moves a loop's rows at all, as of two
hinges about one axis, their shares are rounding, and REDUNDANT must not be measured by that. Together they are (1e-13)².
"""


@inline
def body_frame(body: Any, k: int) -> Frame:
    """The pose of row k about its tree's origin, or of the world."""
    return frame(body, k) if k >= 0 else identity_pose(body[0, R])


@inline
def tree_origin(model: Model, body: Any, k: int) -> Vector:
    """The origin of the tree of row k in the world."""
    return load(body, model.walk[k, ROOT], ORIGIN, 3) if k >= 0 else zero_vector(body[0, R])


@inline
def loop_frames(model: Model, work: Work, closed: Loops, l: int) -> tuple[Frame, Frame, Vector]:
    """The joint's frame on its parent and on its child, about the child's origin, and the parent's origin from there."""
    loops, numbers = closed.loops, closed.numbers
    body, p, c = work.body, loops[l, PARENT_ROW], loops[l, CHILD_ROW]
    apart = subtract(tree_origin(model, body, p), tree_origin(model, body, c))
    on_p = load(numbers, l, ON_PARENT, 9), load(numbers, l, ON_PARENT + 9, 3)
    on_c = load(numbers, l, ON_CHILD, 9), load(numbers, l, ON_CHILD + 9, 3)
    X_p = compose(body_frame(body, p), on_p)
    return (X_p[0], add(X_p[1], apart)), compose(body_frame(body, c), on_c), apart


@inline
def in_frame(X: Frame, v: Motion) -> Motion:
    """A twist about the origin, in the axes and about the origin of a frame."""
    moved = at_point(v, X[1])
    return spatial(rotate_back(X[0], angular(moved)), rotate_back(X[0], linear(moved)))


@jit
def held_directions(kind: int, par: Any, q: Any, nv: int, first: int, rows: Any, columns: Any) -> None:
    """NORMAL of a loop's rows: an orthonormal basis of what its joint at q does not allow. `columns` is scratch (12, 6)."""
    orthonormal_basis(kind, par, q, nv, columns)
    for d in range(nv, 6):
        store(rows, first + d - nv, NORMAL, load(columns, d, 0, 6))


@jit
def orthonormal_basis(kind: int, par: Any, q: Any, nv: int, columns: Any) -> None:
    """Six rows of `columns`: first an orthonormal basis of the joint's columns at q, then one of what the joint does not allow.

    The second is one of many, and rounding may choose another, so whoever needs it twice must keep it.
    """
    joint_columns(kind, par, q, 0, identity_pose(0.0), columns, 0, 0)
    for d in range(6):
        best, largest = 0, -1.0
        if d >= nv:  # of the six unit vectors the one that is least in what is there already
            for i in range(6):
                rest = 1.0
                for e in range(d):
                    rest -= columns[e, i] * columns[e, i]
                if rest > largest:
                    best, largest = i, rest
            for i in range(6):
                columns[d, i] = 1.0 if i == best else 0.0
        for _ in range(2):
            for e in range(d):
                share = power(load(columns, e, 0, 6), load(columns, d, 0, 6))
                store(columns, d, 0, plus_times(load(columns, d, 0, 6), -share, load(columns, e, 0, 6)))
        c = load(columns, d, 0, 6)
        store(columns, d, 0, times(1.0 / power(c, c) ** 0.5, c))


@inline
def wrench_of(X: Frame, n: Force) -> Force:
    """A wrench given in a frame, about the origin and in world axes."""
    f = rotate(X[0], linear(n))
    return spatial(add(rotate(X[0], angular(n)), cross(X[1], f)), f)


@jit
def hold(model: Model, work: Work, closed: Loops) -> float:
    """NORMAL, forces and Y of all rows, and the gap of each as RESIDUAL; after bodies are placed and joints eliminated.

    Returns the largest gap.  O(rows · depth).
    """
    loops, numbers, rows, scratch = closed.loops, closed.numbers, closed.rows, closed.scratch
    worst = 0.0
    for l in range(loops.shape[0]):
        X_p, X_c, apart = loop_frames(model, work, closed, l)
        kind, nv, first = loops[l, LOOP_KIND], loops[l, LOOP_V], loops[l, FIRST]
        q, par = scratch[POSITION], parameters(numbers, l, LOOP_PAR, 0.0)
        relative = compose(invert(X_p), X_c)
        joint_nearest(kind, par, relative, q, 0)
        gap = log_pose(compose(invert(joint_transform(kind, par, q, 0)), relative))
        if loops[l, VARIES_TOO]:
            held_directions(kind, par, q, nv, first, rows, scratch)
        for r in range(first, first + 6 - nv):
            n = load(rows, r, NORMAL, 6)
            force, back = pair_of(X_c, apart, n)
            store(rows, r, FORCE_CHILD, force)
            store(rows, r, FORCE_PARENT, back)
            rows[r, RESIDUAL] = -power(n, gap)
            worst = max(worst, abs(rows[r, RESIDUAL]))
        spread_rows(model, work, closed, l)
    return worst


@inline
def pair_of(X_c: Frame, apart: Vector, n: Force) -> tuple[Force, Force]:
    """A wrench in the joint's frame on the child: as the child and, opposed, the parent feel it, about their trees' origins."""
    force = wrench_of(X_c, n)
    back = times(-1.0, force)
    return force, spatial(subtract(angular(back), cross(apart, linear(back))), linear(back))


@jit
def spread_rows(model: Model, work: Work, closed: Loops, l: int) -> None:
    """Y and YD of all rows of a loop: what each joint on the way to the roots feels of a row's two wrenches.

    What gives way before it is taken out. SIZE_ALONE is Σ share² D as if the two ways had no joint in common, and what rounding
    may hide.  O(rows · depth).
    """
    walk, dof, loops, rows, path = model.walk, work.dof, closed.loops, closed.rows, closed.path
    Y, YD, count, first = closed.Y, closed.YD, closed.loops[l, PATH], closed.loops[l, FIRST]
    end = first + 6 - loops[l, LOOP_V]
    for r in range(first, end):
        rows[r, SIZE_ALONE] = 0.0
        for i in range(count):
            Y[r, i] = 0.0
    for side in range(2):
        k = loops[l, CHILD_ROW] if side == 0 else loops[l, PARENT_ROW]
        for r in range(first, end):
            force = load(rows, r, FORCE_CHILD if side == 0 else FORCE_PARENT, 6)
            store(rows, r, CARRIED, force)
            rows[r, HIDES] = HIDDEN * power(force, force)
        at = count - 1  # the path is in the order of the walk, and a way up meets its joints from last to first
        while k >= 0:
            for d in range(walk[k, END] - 1, walk[k, V] - 1, -1):
                rank = closed.ranks[0, k] + d - walk[k, V]
                while path[l, at] != rank:
                    at -= 1
                screw, inverse = load(dof, d, S, 6), dof[d, D]
                gives, reach = times(inverse, load(dof, d, U, 6)), power(screw, screw)
                for r in range(first, end):
                    force = load(rows, r, CARRIED, 6)
                    share = power(screw, force)
                    Y[r, at] += share
                    rows[r, SIZE_ALONE] += (share * share + rows[r, HIDES] * reach) * inverse
                    store(rows, r, CARRIED, plus_times(force, -share, gives))
            k = walk[k, PARENT]
    for i in range(count):
        inverse = dof[closed.dofs[0, path[l, i]], D]
        for r in range(first, end):
            YD[r, i] = Y[r, i] * inverse


@jit
def spread(model: Model, work: Work, closed: Loops, l: int, on_child: Force, on_parent: Force, out: Any) -> None:
    """The same for any two wrenches on a loop's bodies: what each joint on the way to the roots feels of them.  O(depth)."""
    walk, dof, path = model.walk, work.dof, closed.path
    count = closed.loops[l, PATH]
    for i in range(count):
        out[i] = 0.0
    for side in range(2):
        k = closed.loops[l, CHILD_ROW] if side == 0 else closed.loops[l, PARENT_ROW]
        force = on_child if side == 0 else on_parent
        at = count - 1
        while k >= 0:
            for d in range(walk[k, END] - 1, walk[k, V] - 1, -1):
                rank = closed.ranks[0, k] + d - walk[k, V]
                while path[l, at] != rank:
                    at -= 1
                share = power(load(dof, d, S, 6), force)
                out[at] += share
                force = plus_times(force, -share * dof[d, D], load(dof, d, U, 6))
            k = walk[k, PARENT]


@jit
def couple(closed: Loops) -> None:
    """Factorise J M⁻¹ Jᵀ = L P Lᵀ within its band into W and PIVOT, after `hold`; dependent rows get the pivot 0.

    W[r, j] belongs to the column r − j. The rows of a loop are taken with the largest pivot first, so that one which nearly
    follows from others comes after those that tell more.  O(rows · band · (band + depth)).
    """
    loops, rows, W = closed.loops, closed.rows, closed.W
    for l in range(loops.shape[0]):
        first, end, reach = loops[l, FIRST], loops[l, FIRST] + 6 - loops[l, LOOP_V], loops[l, REACH]
        fill_rows(closed, l)
        largest = 0.0
        for r in range(first, end):
            largest = max(largest, rows[r, SIZE_ALONE])
            for c in range(reach, r + 1):  # what the rows of the loops before have taken
                value = W[r, r - c]
                for e in range(max(reach, c - W.shape[1] + 1), min(c, first)):
                    value -= W[r, r - e] * rows[e, PIVOT] * W[c, c - e]
                if c < first:
                    value = value / rows[c, PIVOT] if rows[c, PIVOT] > 0.0 else 0.0
                W[r, r - c] = value
        for s in range(first, end):
            take_largest(closed, reach, s, end)
            rows[s, PIVOT] = W[s, 0] if W[s, 0] > REDUNDANT * largest else 0.0
            for r in range(s + 1, end):
                W[r, r - s] = W[r, r - s] / rows[s, PIVOT] if rows[s, PIVOT] > 0.0 else 0.0
                for c in range(s + 1, r + 1):
                    W[r, r - c] -= W[r, r - s] * rows[s, PIVOT] * W[c, c - s]


@jit
def take_largest(closed: Loops, reach: int, s: int, end: int) -> None:
    """Exchange row s, and what has been found of it in W, with the one of those after it that has the largest pivot left."""
    rows, W = closed.rows, closed.W
    best = s
    for r in range(s + 1, end):
        if W[r, 0] > W[best, 0]:
            best = r
    if best == s:
        return
    rows[s, TAKEN], rows[best, TAKEN] = rows[best, TAKEN], rows[s, TAKEN]
    W[s, 0], W[best, 0] = W[best, 0], W[s, 0]
    for c in range(reach, s):
        W[s, s - c], W[best, best - c] = W[best, best - c], W[s, s - c]
    for r in range(s + 1, best):
        W[r, r - s], W[best, best - r] = W[best, best - r], W[r, r - s]
    for r in range(best + 1, end):
        W[r, r - s], W[r, r - best] = W[r, r - best], W[r, r - s]


@jit
def fill_rows(closed: Loops, l: int) -> None:
    """The rows of a loop in J M⁻¹ Jᵀ: with each row before them, Σ Y Y / (S · I S) over the joints that both move."""
    loops, W, Y, YD, shared = closed.loops, closed.W, closed.Y, closed.YD, closed.shared
    first, end = loops[l, FIRST], loops[l, FIRST] + 6 - loops[l, LOOP_V]
    for r in range(first, end):
        closed.rows[r, TAKEN] = r
        for j in range(W.shape[1]):
            W[r, j] = 0.0
        for c in range(first, r + 1):
            total = 0.0
            for i in range(loops[l, PATH]):
                total += Y[r, i] * YD[c, i]
            W[r, r - c] = total
    for other in range(loops[l, SINCE], l):
        count = meet(closed, l, other)
        for r in range(first, end):
            for c in range(loops[other, FIRST], loops[other, FIRST] + 6 - loops[other, LOOP_V]):
                total, taken = 0.0, int(closed.rows[c, TAKEN])
                for i in range(count):
                    total += Y[r, shared[0, i]] * YD[taken, shared[1, i]]
                W[r, r - c] = total


@jit
def meet(closed: Loops, l: int, other: int) -> int:
    """Fill `shared` with the places that the paths of two loops have in common; returns how many there are."""
    path, shared = closed.path, closed.shared
    i, j, count = 0, 0, 0
    while i < closed.loops[l, PATH] and j < closed.loops[other, PATH]:
        a, b = path[l, i], path[other, j]
        if a == b:
            shared[0, count], shared[1, count] = i, j
            count += 1
        i += 1 if a <= b else 0
        j += 1 if b <= a else 0
    return count


@jit
def balance(work: Work, closed: Loops) -> None:
    """Solve for MULTIPLIER, and add the forces of all rows to what is left of the joints' torques; after `couple`."""
    loops, rows, W = closed.loops, closed.rows, closed.W
    for l in range(loops.shape[0]):
        for r in range(loops[l, FIRST], loops[l, FIRST] + 6 - loops[l, LOOP_V]):
            value = rows[int(rows[r, TAKEN]), RESIDUAL]
            for e in range(loops[l, REACH], r):
                value -= W[r, r - e] * rows[e, SOLVED]
            rows[r, SOLVED] = value
    for r in range(rows.shape[0]):
        rows[r, SOLVED] = rows[r, SOLVED] / rows[r, PIVOT] if rows[r, PIVOT] > 0.0 else 0.0
    for l in range(loops.shape[0] - 1, -1, -1):
        for r in range(loops[l, FIRST] + 5 - loops[l, LOOP_V], loops[l, FIRST] - 1, -1):
            for e in range(loops[l, REACH], r):
                rows[e, SOLVED] -= W[r, r - e] * rows[r, SOLVED]
            row = int(rows[r, TAKEN])
            rows[row, MULTIPLIER] = rows[r, SOLVED]
            for i in range(loops[l, PATH]):
                d = closed.dofs[0, closed.path[l, i]]
                work.dof[d, TAU] += rows[row, MULTIPLIER] * closed.Y[row, i]


# --- what is missing: gaps in velocity and in acceleration -------------------------------------------------------------


@inline
def loop_twists(work: Work, closed: Loops, l: int, apart: Vector) -> tuple[Motion, Motion]:
    """The twists of child and parent about the child's origin, from which the parent's lies `apart`."""
    p, c = closed.loops[l, PARENT_ROW], closed.loops[l, CHILD_ROW]
    still = zero_spatial(work.body[0, R])
    V_c = load(work.body, c, VEL, 6) if c >= 0 else still
    V_p = load(work.body, p, VEL, 6) if p >= 0 else still
    return V_c, at_point(V_p, scale(-1.0, apart))


@jit
def velocity_gaps(model: Model, work: Work, closed: Loops) -> float:
    """RESIDUAL = minus the velocity along each row, after `hold` and with VEL there; returns the largest."""
    loops, rows = closed.loops, closed.rows
    worst = 0.0
    for l in range(loops.shape[0]):
        _, X_c, apart = loop_frames(model, work, closed, l)
        V_c, V_p = loop_twists(work, closed, l, apart)
        twist = in_frame(X_c, minus(V_c, V_p))
        for r in range(loops[l, FIRST], loops[l, FIRST] + 6 - loops[l, LOOP_V]):
            rows[r, RESIDUAL] = -power(load(rows, r, NORMAL, 6), twist)
            worst = max(worst, abs(rows[r, RESIDUAL]))
    return worst


@jit
def acceleration_gaps(model: Model, work: Work, closed: Loops) -> None:
    """RESIDUAL = what the acceleration along each row lacks, after `hold`, with VEL and A there."""
    loops, rows = closed.loops, closed.rows
    world = rising_world(model, work.body[0, R])
    for l in range(loops.shape[0]):
        X_p, X_c, apart = loop_frames(model, work, closed, l)
        V_c, V_p = loop_twists(work, closed, l, apart)
        p, c, nv = loops[l, PARENT_ROW], loops[l, CHILD_ROW], loops[l, LOOP_V]
        A_c = load(work.body, c, A, 6) if c >= 0 else world
        A_p = at_point(load(work.body, p, A, 6), scale(-1.0, apart)) if p >= 0 else world
        lack = times(-1.0, in_frame(X_c, plus(minus(A_c, A_p), motion_cross(V_c, V_p))))
        if loops[l, VARIES_TOO]:
            lack = plus(lack, varying(closed, l, X_p, X_c, in_frame(X_c, minus(V_c, V_p))))
        for r in range(loops[l, FIRST], loops[l, FIRST] + 6 - nv):
            rows[r, RESIDUAL] = power(load(rows, r, NORMAL, 6), lack)


@jit
def varying(closed: Loops, l: int, X_p: Frame, X_c: Frame, twist: Motion) -> Motion:
    """Ṡ q̇ of a loop joint whose columns change in its child's frame."""
    loops, numbers, scratch = closed.loops, closed.numbers, closed.scratch
    kind, nv, q, v = loops[l, LOOP_KIND], loops[l, LOOP_V], scratch[POSITION], scratch[VELOCITY]
    par = parameters(numbers, l, LOOP_PAR, 0.0)
    joint_nearest(kind, par, compose(invert(X_p), X_c), q, 0)
    nearest_velocity(kind, numbers[l : l + 1, LOOP_PAR:], q, twist, v[:nv], scratch)
    joint_rates(kind, par, q, 0, v, identity_pose(0.0), scratch, 0, 0)
    change = zero_spatial(twist[0])
    for d in range(nv):
        change = plus_times(change, v[d], load(scratch, d, 0, 6))
    return change


# --- what comes out --------------------------------------------------------------------------------------------------


@jit
def row_wrenches(model: Model, work: Work, closed: Loops, out: Any) -> None:
    """Add what the rows do to `out` (loops, 6), wrenches in the joints' frames on their children; turn all into world axes."""
    loops, rows = closed.loops, closed.rows
    for l in range(loops.shape[0]):
        _, X_c, _ = loop_frames(model, work, closed, l)
        wrench = load(out, l, 0, 6)
        for r in range(loops[l, FIRST], loops[l, FIRST] + 6 - loops[l, LOOP_V]):
            wrench = plus_times(wrench, rows[r, MULTIPLIER], load(rows, r, NORMAL, 6))
        store(out, l, 0, spatial(rotate(X_c[0], angular(wrench)), rotate(X_c[0], linear(wrench))))


@jit
def row_jacobian(model: Model, work: Work, closed: Loops, out: Any) -> None:
    """J (rows, nv): the velocity along each row that each degree of freedom gives, after `hold`."""
    walk, dof, loops, rows = model.walk, work.dof, closed.loops, closed.rows
    out[:] = 0.0
    for l in range(loops.shape[0]):
        for r in range(loops[l, FIRST], loops[l, FIRST] + 6 - loops[l, LOOP_V]):
            for side in range(2):
                k = loops[l, CHILD_ROW] if side == 0 else loops[l, PARENT_ROW]
                force = load(rows, r, FORCE_CHILD if side == 0 else FORCE_PARENT, 6)
                while k >= 0:
                    for d in range(walk[k, V], walk[k, END]):
                        out[r, d] += power(load(dof, d, S, 6), force)
                    k = walk[k, PARENT]
