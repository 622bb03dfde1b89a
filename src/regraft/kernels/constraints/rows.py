"""The constraints of loop-closure joints, row by row: directions, forces, and what position, velocity and acceleration lack.

Those of couplings are in `couplings`, which is called by its address: mechanisms without them need not wait for its compilation.

A loop-closure joint is cut (S2 calls what is left of it a virtual link), and forces have to hold its two sides together. A row of
the constraint Jacobian J belongs to each direction in which the joint does not move, so a joint with f degrees of freedom has
6 − f rows. The directions are computed from the joint's own screws: no joint type has to know of loops.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import call_kernel, clear, load, load_pose, store
from ...algebra.rotations import identity_pose, log_pose
from ...algebra.scalars import reciprocal, square_root
from ...algebra.spatial import (
    Force,
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
from ...compilation import Floats, IntegerTable, Scalars, Table, entry, inline, jit, long_entry
from ...joints import joint_columns, joint_nearest, joint_rates, joint_transform, nearest_velocity, parameters
from ..aba import factorise
from ..kinematics import frame, move_bodies, place_bodies, rising_world
from ..memory import loops_at, model_at, positions_in, work_at
from ..tables import CHILD, DOFS, END, KIND, ORIGIN, PAR, PARENT, ROOT, VARIES, VEL, A, E, KernelModel, R, S, T, V, Work
from .delassus import spread_rows
from .stages import loop_stage
from .tables import (
    ACCELERATIONS,
    ALONG,
    COUNT,
    END_TERM,
    FACTOR,
    FIRST,
    FIRST_TERM,
    FORCE_CHILD,
    FORCE_PARENT,
    MULTIPLIER,
    NORMAL,
    ON_CHILD,
    ON_PARENT,
    POSITION,
    POSITIONS,
    RESIDUAL,
    SCREWS,
    TERM_JOINT,
    TERM_V,
    VELOCITIES,
    VELOCITY,
    Loops,
)


@inline
def body_frame(body: Any, k: int) -> Transform:
    """The pose of row k about its tree's origin, or of the world."""
    return frame(body, k) if k >= 0 else identity_pose(body[0, R])


@inline
def tree_origin(model: KernelModel, body: Any, k: int) -> Vector:
    """The origin of the tree of row k in the world."""
    return load(body, model.walk[k, ROOT], ORIGIN, 3) if k >= 0 else zero_vector(body[0, R])


@inline
def loop_frames(model: KernelModel, work: Work, closed: Loops, l: int) -> tuple[Transform, Transform, Vector]:
    """The joint's frame on its parent and on its child, about the child's origin, and the parent's origin from there."""
    body, p, c = work.body, closed.loops[l, PARENT], closed.loops[l, CHILD]
    apart = subtract(tree_origin(model, body, p), tree_origin(model, body, c))
    X_p = compose(body_frame(body, p), (load(closed.geometry, l, E, 9), load(closed.geometry, l, T, 3)))
    return (X_p[0], add(X_p[1], apart)), compose(body_frame(body, c), load_pose(closed.child_frames, l)), apart


@inline
def in_frame(X: Transform, v: Motion) -> Motion:
    """A twist about the origin, in the axes and about the origin of a frame."""
    moved = at_point(v, X[1])
    return spatial(rotate_back(X[0], angular(moved)), rotate_back(X[0], linear(moved)))


@jit
def held_directions(kind: int, par: Any, q: Any, nv: int, first: int, rows: Any, columns: Any) -> None:
    """NORMAL of a loop's rows: an orthonormal basis of the directions in which its joint does not move at q.

    `columns` is scratch (12, 6).
    """
    orthonormal_basis(kind, par, q, nv, columns)
    for d in range(nv, 6):
        store(rows, first + d - nv, NORMAL, load(columns, d, 0, 6))


@jit
def orthonormal_basis(kind: int, par: Any, q: Any, nv: int, columns: Any) -> None:
    """Six rows of `columns`: first an orthonormal basis of the joint's columns at q, then one of what the joint does not allow.

    There are many bases of the second kind, and rounding decides which one is found: whoever needs it twice must keep it.
    """
    joint_columns(kind, par, q, 0, identity_pose(par[0]), columns, 0, 0)
    for d in range(6):
        best, largest = 0, -1.0
        if d >= nv:  # of the six unit vectors the one that is least in what is there already
            for i in range(6):
                rest = 1.0
                for e in range(d):
                    rest -= columns[e, i].real * columns[e, i].real
                if rest > largest:
                    best, largest = i, rest
            for i in range(6):
                columns[d, i] = 1.0 if i == best else 0.0
        for _ in range(2):
            for e in range(d):
                share = power(load(columns, e, 0, 6), load(columns, d, 0, 6))
                store(columns, d, 0, plus_times(load(columns, d, 0, 6), -share, load(columns, e, 0, 6)))
        c = load(columns, d, 0, 6)
        store(columns, d, 0, times(reciprocal(square_root(power(c, c))), c))


@jit
def least_wrench(kind: int, par: Any, q: Any, nv: int, tau: Any, scratch: Any) -> Force:
    """Of all wrenches with the work of the torques tau in the motions of a joint at q the least, in its frame on its child."""
    orthonormal_basis(kind, par, q, nv, scratch)
    joint_columns(kind, par, q, 0, identity_pose(par[0]), scratch, SCREWS + 6, 0)
    wrench = zero_spatial(par[0])
    for d in range(nv):
        column, basis = load(scratch, SCREWS + 6 + d, 0, 6), load(scratch, SCREWS + d, 0, 6)
        wrench = plus_times(wrench, (tau[d] - power(column, wrench)) / power(column, basis), basis)
    return wrench


@inline
def wrench_of(X: Transform, n: Force) -> Force:
    """A wrench given in a frame, about the origin and in world axes."""
    f = rotate(X[0], linear(n))
    return spatial(add(rotate(X[0], angular(n)), cross(X[1], f)), f)


@loop_stage
def hold(model: KernelModel, work: Work, closed: Loops, q: Scalars) -> float:
    """All rows at the position q: NORMAL, the forces on both bodies, Y, and RESIDUAL = minus the gap along each row.

    After bodies are placed and joints eliminated. Returns the largest gap.  O(rows · depth).
    """
    loops, rows, scratch = closed.loops, closed.rows, closed.scratch
    worst = 0.0
    for l in range(loops.shape[0]):
        X_p, X_c, apart = loop_frames(model, work, closed, l)
        kind, nv, first = loops[l, KIND], loops[l, DOFS], closed.cuts[l, FIRST]
        own, par = scratch[POSITION], parameters(closed.geometry, l, PAR, scratch[0, 0])
        relative = compose(invert(X_p), X_c)
        joint_nearest(kind, par, relative, own, 0)
        gap = log_pose(compose(invert(joint_transform(kind, par, own, 0)), relative))
        if loops[l, VARIES]:
            held_directions(kind, par, own, nv, first, rows, scratch)
        for r in range(first, first + 6 - nv):
            n = load(rows, r, NORMAL, 6)
            force, back = pair_of(X_c, apart, n)
            store(rows, r, FORCE_CHILD, force)
            store(rows, r, FORCE_PARENT, back)
            rows[r, RESIDUAL] = -power(n, gap)
            worst = max(worst, abs(rows[r, RESIDUAL].real))
        if closed.links.shape[0] == 0:  # else `free_bodies` makes Y
            spread_rows(model, work, closed, l)
    return max(worst, ask_couplings(closed, POSITIONS, q))


@inline
def ask_couplings(closed: Loops, what: int, numbers: Any) -> float:
    """RESIDUAL of the couplings' rows where positions, velocities or accelerations are these; returns the largest size."""
    if closed.cuts.shape[0] == closed.loops.shape[0]:
        return 0.0
    return call_kernel(closed.couplings_at, (closed.handle, what, numbers.ctypes.data))


@inline
def pair_of(X_c: Transform, apart: Vector, n: Force) -> tuple[Force, Force]:
    """A wrench in the joint's frame on the child: as the child and, opposed, the parent feel it, about their trees' origins."""
    force = wrench_of(X_c, n)
    back = times(-1.0, force)
    return force, spatial(subtract(angular(back), cross(apart, linear(back))), linear(back))


# --- what is missing: gaps in velocity and in acceleration -------------------------------------------------------------


@inline
def loop_twists(work: Work, closed: Loops, l: int, apart: Vector) -> tuple[Motion, Motion]:
    """The twists of child and parent about the child's origin, from which the parent's lies `apart`."""
    p, c = closed.loops[l, PARENT], closed.loops[l, CHILD]
    still = zero_spatial(work.body[0, R])
    V_c = load(work.body, c, VEL, 6) if c >= 0 else still
    V_p = load(work.body, p, VEL, 6) if p >= 0 else still
    return V_c, at_point(V_p, scale(-1.0, apart))


@loop_stage
def velocity_gaps(model: KernelModel, work: Work, closed: Loops, v: Scalars) -> float:
    """RESIDUAL = −J v, minus the velocity along each row; after `hold`, with VEL of all bodies. Returns the largest size."""
    loops, rows = closed.loops, closed.rows
    worst = 0.0
    for l in range(loops.shape[0]):
        _, X_c, apart = loop_frames(model, work, closed, l)
        V_c, V_p = loop_twists(work, closed, l, apart)
        twist = in_frame(X_c, minus(V_c, V_p))
        for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
            rows[r, RESIDUAL] = -power(load(rows, r, NORMAL, 6), twist)
            worst = max(worst, abs(rows[r, RESIDUAL].real))
    return max(worst, ask_couplings(closed, VELOCITIES, v))


@jit
def residuals(closed: Loops, out: Any, first: int) -> None:
    """The largest RESIDUAL of each loop and coupling, to every second place of `out`, from `first` on."""
    for l in range(closed.hard):
        worst = 0.0
        for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
            worst = max(worst, abs(closed.rows[r, RESIDUAL].real))
        out[first + 2 * l] = worst


@loop_stage
def acceleration_gaps(model: KernelModel, work: Work, closed: Loops, a: Scalars) -> None:
    """RESIDUAL = −(J v̇ + J̇ v), what the accelerations a lack along each row; after `hold`, with VEL and A of all bodies."""
    rows = closed.rows
    for l in range(closed.loops.shape[0]):
        lack = lacking(model, work, closed, l)
        for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
            rows[r, RESIDUAL] = power(load(rows, r, NORMAL, 6), lack)
    ask_couplings(closed, ACCELERATIONS, a)


@inline
def lacking(model: KernelModel, work: Work, closed: Loops, l: int) -> Motion:
    """Minus the acceleration of a loop joint's child against its parent that is not −Ṡ q̇, in the joint's frame on the child."""
    loops, world = closed.loops, rising_world(model, work.body[0, R])
    X_p, X_c, apart = loop_frames(model, work, closed, l)
    V_c, V_p = loop_twists(work, closed, l, apart)
    p, c = loops[l, PARENT], loops[l, CHILD]
    A_c = load(work.body, c, A, 6) if c >= 0 else world
    A_p = at_point(load(work.body, p, A, 6), scale(-1.0, apart)) if p >= 0 else world
    lack = times(-1.0, in_frame(X_c, plus(minus(A_c, A_p), motion_cross(V_c, V_p))))
    if loops[l, VARIES]:
        lack = plus(lack, varying(closed, l, X_p, X_c, in_frame(X_c, minus(V_c, V_p))))
    return lack


@jit
def varying(closed: Loops, l: int, X_p: Transform, X_c: Transform, twist: Motion) -> Motion:
    """Ṡ q̇ of a loop joint whose columns change in its child's frame."""
    loops, scratch = closed.loops, closed.scratch
    kind, nv, q, v = loops[l, KIND], loops[l, DOFS], scratch[POSITION], scratch[VELOCITY]
    par = parameters(closed.geometry, l, PAR, scratch[0, 0])
    joint_nearest(kind, par, compose(invert(X_p), X_c), q, 0)
    nearest_velocity(kind, closed.geometry[l : l + 1, PAR:], q, twist, v[:nv], scratch)
    joint_rates(kind, par, q, 0, v, identity_pose(par[0]), scratch, 0, 0)
    change = zero_spatial(twist[0])
    for d in range(nv):
        change = plus_times(change, v[d], load(scratch, d, 0, 6))
    return change


@jit
def loop_states(model: KernelModel, work: Work, closed: Loops, places: Any, out: Any) -> None:
    """Position and velocity of each loop joint, those nearest to how its bodies are and move; after bodies are placed and moved.

    `places` has where they go in `out`, −1 for joints that are not asked for.
    """
    loops, scratch = closed.loops, closed.scratch
    for l in range(loops.shape[0]):
        if places[l, 0] >= 0:
            X_p, X_c, apart = loop_frames(model, work, closed, l)
            V_c, V_p = loop_twists(work, closed, l, apart)
            kind, nv, par = loops[l, KIND], loops[l, DOFS], parameters(closed.geometry, l, PAR, scratch[0, 0])
            joint_nearest(kind, par, compose(invert(X_p), X_c), out, places[l, 0])
            q, v = out[places[l, 0] :], out[places[l, 1] : places[l, 1] + nv]
            nearest_velocity(kind, closed.geometry[l : l + 1, PAR:], q, in_frame(X_c, minus(V_c, V_p)), v, scratch)


# --- what comes out --------------------------------------------------------------------------------------------------


@jit
def row_wrenches(model: KernelModel, work: Work, closed: Loops, out: Any) -> None:
    """Add the forces of all rows to `out` (loops, 6): wrenches on the joints' children, given in the joints' frames there.

    Then turn these into world axes.
    """
    loops, rows = closed.loops, closed.rows
    for l in range(loops.shape[0]):
        _, X_c, _ = loop_frames(model, work, closed, l)
        wrench = load(out, l, 0, 6)
        for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
            wrench = plus_times(wrench, rows[r, MULTIPLIER], load(rows, r, NORMAL, 6))
        for b in range(loops.shape[0], closed.cuts.shape[0]):  # couplings and rotors act along the joint's own coordinates
            for i in range(closed.cuts[b, FIRST_TERM], closed.cuts[b, END_TERM]):
                if closed.terms[i, TERM_JOINT] == model.walk.shape[0] + l:
                    wrench = plus_times(wrench, rows[closed.cuts[b, FIRST], MULTIPLIER], load(closed.pairs, i, ALONG, 6))
        store(out, l, 0, spatial(rotate(X_c[0], angular(wrench)), rotate(X_c[0], linear(wrench))))


@jit
def row_jacobian(model: KernelModel, work: Work, closed: Loops, out: Any) -> None:
    """The constraint Jacobian J (rows, nv): the velocity along each row for a unit velocity of each joint; after `hold`."""
    loops, rows, n = closed.loops, closed.rows, model.walk.shape[0]
    clear(out)
    for l in range(loops.shape[0]):
        for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
            powers(model, work, loops[l, CHILD], load(rows, r, FORCE_CHILD, 6), out[r])
            powers(model, work, loops[l, PARENT], load(rows, r, FORCE_PARENT, 6), out[r])
    for b in range(loops.shape[0], closed.hard):
        r = closed.cuts[b, FIRST]
        for i in range(closed.cuts[b, FIRST_TERM], closed.cuts[b, END_TERM]):
            k = closed.terms[i, TERM_JOINT]
            if k < n:
                out[r, closed.terms[i, TERM_V]] += closed.term_numbers[i, FACTOR]
            else:
                powers(model, work, loops[k - n, CHILD], load(closed.pairs, i, ON_CHILD, 6), out[r])
                powers(model, work, loops[k - n, PARENT], load(closed.pairs, i, ON_PARENT, 6), out[r])


@jit
def powers(model: KernelModel, work: Work, k: int, force: Force, out: Any) -> None:
    """Add to `out` (nv,) the power of a force on the body of row k for a unit velocity of each joint on the way to its root."""
    walk = model.walk
    while k >= 0:
        for d in range(walk[k, V], walk[k, END]):
            out[d] += power(load(work.dof, d, S, 6), force)
        k = walk[k, PARENT]


@entry
def holding_wrenches(handle: int, q: Floats, out: Table) -> None:
    """`row_wrenches`."""
    m, w = model_at(handle), work_at(handle, q)
    place_bodies(m, w, q)
    row_wrenches(m, w, loops_at(handle, q), out)


@entry
def jacobian_of_rows(handle: int, q: Floats, out: Table) -> None:
    """`row_jacobian`."""
    m, w, closed = model_at(handle), work_at(handle, q), loops_at(handle, q)
    factorise(m, w, q)
    hold(m, w, closed, q)
    row_jacobian(m, w, closed, out)


@long_entry
def joint_states(handle: int, places: IntegerTable, states: Table, out: Table) -> None:
    """`loop_states` at each row of `states`."""
    m, w, closed, nq = model_at(handle), work_at(handle, states), loops_at(handle, states), positions_in(handle)
    for i in range(states.shape[0]):
        place_bodies(m, w, states[i, :nq])
        move_bodies(m, w, states[i, :nq], states[i, nq:])
        loop_states(m, w, closed, places, out[i])
