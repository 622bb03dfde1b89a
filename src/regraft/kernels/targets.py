"""How far a pose misses its targets, and how that changes: cost, gradient and Gauss–Newton matrix of inverse kinematics.

Along a motion v a point moves as a point mass does, so the matrix Jᵀ W J of weighted points is the mass matrix that the tree has
with the weights as point masses on its bodies; weights of orientations are moments of inertia. Both are summed from the leaves to
the roots, ten numbers a body, and so are the misses, as forces. No Jacobian is ever written down.

Where misses remain, as with markers that slide on skin, steps by Jᵀ W J alone converge slowly. With the moments Σ x fᵀ of the
forces f at their points x, nine numbers more, the matrix is completed to that of Newton's method.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, types

from ..algebra.memory import load, store
from ..algebra.rotations import log_rotation
from ..algebra.spatial import (
    RigidInertia,
    Vector,
    add,
    angular,
    cross,
    dot,
    force_at,
    joined,
    largest_response,
    linear,
    momentum_of,
    multiply,
    plus,
    power,
    rigid_inertia,
    rotate,
    scale,
    size_of,
    subtract,
    transpose,
    zero_vector,
)
from ..compilation import declare, inline, jit
from ..tolerances import ROUNDING, WEAKLY_SEEN
from . import configuration
from .inertia import load_rigid, store_rigid
from .jacobian import point_on
from .kinematics import frame, place_bodies, vary_columns
from .tables import DOFS, END, ORIGIN, PARENT, ROOT, VARIES, VEL, F, KernelModel, S, V, Work

MOST_DOFS = 6
MOMENTS = VEL  # 9 in work.body, which nothing moves here: Σ x fᵀ of all that a body carries


class Targets(NamedTuple):
    """What is wanted in each frame f, with weights that are 0 for what was not seen."""

    point_rows: Any  # int64 (points,): the body that carries each point
    points: Any  # (points, 3): where on it
    point_goals: Any  # (frames, 3 · points): where it should be
    point_weights: Any  # (frames, points)
    turn_rows: Any  # int64 (turns,): the body of each orientation
    turns: Any  # (turns, 9): the orientation on it
    turn_goals: Any  # (frames, 9 · turns): the one in the world that is wanted
    turn_weights: Any  # (frames, turns)
    joint_goals: Any  # (frames, nq), or no rows
    joint_weights: Any  # (frames, nv), or no rows


_ROWS, _TABLE = int64[::1], float64[:, ::1]
declare("Targets", types.NamedTuple([_ROWS, *[_TABLE] * 3, _ROWS, *[_TABLE] * 5], Targets))


class Fit(NamedTuple):
    """The cost ½ Σ w |miss|² around a position: its gradient g, and its Gauss–Newton matrix H."""

    g: Any  # (1, nv)
    H: Any  # (nv, nv)
    D: Any  # (1, nv): the diagonal of H, or what stands for it where nothing is seen of a degree of freedom
    miss: Any  # (nv,): of joint coordinates
    rates: Any  # (6, nv): how it changes with the c-th velocity of each joint
    unit: Any  # (nv,)


@jit
def assess(model: KernelModel, work: Work, targets: Targets, f: int, q: Any, fit: Fit, second: bool) -> tuple[float, float]:
    """Fill `fit` at q for frame f; returns the cost, and the same for the sizes that the misses are differences of.

    With `second` H has the second derivatives of points and orientations too, and need not be positive.  O(n depth + targets),
    and O(nv²) to clear the matrix.
    """
    place_bodies(model, work, q)
    body, walk = work.body, model.walk
    for k in range(walk.shape[0]):
        store_rigid(body, k, (0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
        store(body, k, F, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        store(body, k, MOMENTS, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    cost, size = weigh_points(model, work, targets, f)
    more, larger = weigh_turns(work, targets, f, second)
    gather(model, work, q, fit, second)
    cost, size = cost + more, size + larger
    if targets.joint_goals.shape[0] > 0:
        more, larger = weigh_joints(model, targets, f, q, fit)
        cost, size = cost + more, size + larger
    for d in range(fit.g.shape[1]):
        if fit.D[0, d] == 0.0:
            fit.D[0, d] = 1.0
    return cost, size


@inline
def weigh_points(model: KernelModel, work: Work, targets: Targets, f: int) -> tuple[float, float]:
    """Put the weights of points on their bodies, as masses, and their misses as forces."""
    body, weights, goals = work.body, targets.point_weights, targets.point_goals
    cost, size = 0.0, 0.0
    for i in range(targets.point_rows.shape[0]):
        w, k = weights[f, i], targets.point_rows[i]
        if w > 0.0:
            x = point_on(work, k, load(targets.points, i, 0, 3))
            goal = load(goals, f, 3 * i, 3)
            near = subtract(goal, load(body, model.walk[k, ROOT], ORIGIN, 3))
            miss = subtract(x, near)
            put_on(body, k, rigid_inertia(w, x, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
            force = scale(w, miss)
            store(body, k, F, plus(load(body, k, F, 6), force_at(x, zero_vector(w), force)))
            add_moments(body, k, outer(x, force))
            cost += 0.5 * w * dot(miss, miss)
            size += 0.5 * w * (dot(x, x) + dot(goal, goal))
    return cost, size


@inline
def put_on(body: Any, k: int, inertia: RigidInertia) -> None:
    """Add an inertia to that of row k."""
    store_rigid(body, k, joined(load_rigid(body, k), inertia))


@inline
def outer(a: Vector, b: Vector) -> Any:
    """A bᵀ."""
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2], a[1] * b[0], a[1] * b[1], a[1] * b[2], a[2] * b[0], a[2] * b[1], a[2] * b[2]
    )  # fmt: skip


@inline
def add_moments(body: Any, k: int, X: Any) -> None:
    """Add to the moments of row k."""
    M = load(body, k, MOMENTS, 9)
    store(
        body, k, MOMENTS,
        (M[0] + X[0], M[1] + X[1], M[2] + X[2], M[3] + X[3], M[4] + X[4], M[5] + X[5], M[6] + X[6], M[7] + X[7], M[8] + X[8]),
    )  # fmt: skip


@inline
def weigh_turns(work: Work, targets: Targets, f: int, second: bool) -> tuple[float, float]:
    """Put the weights of orientations on their bodies, as moments of inertia, and their misses as moments.

    The miss is the rotation vector e of R_goalᵀ R.
    """
    body, weights, goals = work.body, targets.turn_weights, targets.turn_goals
    cost, size = 0.0, 0.0
    for i in range(targets.turn_rows.shape[0]):
        w, k = weights[f, i], targets.turn_rows[i]
        if w > 0.0:
            R = multiply(frame(body, k)[0], load(targets.turns, i, 0, 9))
            goal = load(goals, f, 9 * i, 9)
            miss = rotate(R, log_rotation(multiply(transpose(goal), R)))
            square = dot(miss, miss)
            put_on(body, k, (0.0, (0.0, 0.0, 0.0), turning_weight(w, miss, square, second)))
            moment = (w * miss[0], w * miss[1], w * miss[2], 0.0, 0.0, 0.0)
            store(body, k, F, plus(load(body, k, F, 6), moment))
            x, y, z = 0.5 * moment[0], 0.5 * moment[1], 0.5 * moment[2]
            add_moments(body, k, (0.0, z, -y, -z, 0.0, x, y, -x, 0.0))
            cost += 0.5 * w * square
            size += w
    return cost, size


@inline
def turning_weight(w: float, miss: Vector, square: float, second: bool) -> Any:
    """W (a + (1 − a) e eᵀ / θ²), what a rotation vector e of length θ makes of its weight.

    About e itself e changes as the rotation does, and across it by ½θ / sin ½θ, the root of a. The second derivative of ½θ²
    itself has a = ½θ cot ½θ.
    """
    half = 0.5 * np.sqrt(square)
    a = 1.0
    if half > 0.0:
        a = half * np.cos(half) / np.sin(half) if second else (half / np.sin(half)) ** 2
    b = (1.0 - a) / square if square > 0.0 else 0.0
    x, y, z = miss
    return (w * (a + b * x * x), w * b * x * y, w * b * x * z, w * (a + b * y * y), w * b * y * z, w * (a + b * z * z))


@inline
def gather(model: KernelModel, work: Work, q: Any, fit: Fit, second: bool) -> None:
    """g, H and D of all points and orientations, from the leaves to the roots."""
    walk, body, dof, H = model.walk, work.body, work.dof, fit.H
    for d in range(H.shape[0]):
        for e in range(H.shape[0]):
            H[d, e] = 0.0
    for k in range(walk.shape[0] - 1, -1, -1):
        composite, force = load_rigid(body, k), load(body, k, F, 6)
        for d in range(walk[k, V], walk[k, END]):
            screw = load(dof, d, S, 6)
            momentum = momentum_of(composite, screw)
            seen, most = power(screw, momentum), largest_response(size_of(composite), screw)
            fit.D[0, d] = max(seen, WEAKLY_SEEN * most)
            fit.g[0, d] = 0.0
            if seen > ROUNDING * most:
                fit.g[0, d] = power(screw, force)
                fill_row(model, work, k, d, momentum, H)
                if second:
                    bend_row(model, work, k, d, H)
                    if walk[k, VARIES] and walk[k, DOFS] == 1:
                        fit.unit[d] = 1.0
                        H[d, d] += power(vary_columns(model, work, q, fit.unit, k), force)
        parent = walk[k, PARENT]
        if parent >= 0:
            put_on(body, parent, composite)
            store(body, parent, F, plus(load(body, parent, F, 6), force))
            add_moments(body, parent, load(body, k, MOMENTS, 9))


@inline
def fill_row(model: KernelModel, work: Work, k: int, d: int, momentum: Any, H: Any) -> None:
    """The entries of H for the d-th degree of freedom, of row k, and those that come before it on the way from the root."""
    walk, dof = model.walk, work.dof
    for e in range(walk[k, V], d + 1):
        H[d, e] = H[e, d] = power(load(dof, e, S, 6), momentum)
    above = walk[k, PARENT]
    while above >= 0:
        for e in range(walk[above, V], walk[above, END]):
            H[d, e] = H[e, d] = power(load(dof, e, S, 6), momentum)
        above = walk[above, PARENT]


@inline
def bend_row(model: KernelModel, work: Work, k: int, d: int, H: Any) -> None:
    """Add Σ f · ∂²x: a joint nearer to the root turns the velocities that this one gives to points.

    Two directions of one joint are taken as those of one exponential map.
    """
    walk, body, dof = model.walk, work.body, work.dof
    bend = turned_forces(body, k, load(dof, d, S, 6))
    for e in range(walk[k, V], d + 1):
        screw = load(dof, e, S, 6)
        both = 0.5 * (dot(angular(screw), bend) + dot(angular(load(dof, d, S, 6)), turned_forces(body, k, screw)))
        H[d, e] += both
        if e < d:
            H[e, d] += both
    above = walk[k, PARENT]
    while above >= 0:
        for e in range(walk[above, V], walk[above, END]):
            more = dot(angular(load(dof, e, S, 6)), bend)
            H[d, e] += more
            H[e, d] += more
        above = walk[above, PARENT]


@inline
def turned_forces(body: Any, k: int, screw: Any) -> Vector:
    """Σ v × f over all points that row k carries, which move at v along a screw."""
    X, w = load(body, k, MOMENTS, 9), angular(screw)
    trace = X[0] + X[4] + X[8]
    return add(cross(linear(screw), linear(load(body, k, F, 6))), subtract(rotate(X, w), scale(trace, w)))


@inline
def weigh_joints(model: KernelModel, targets: Targets, f: int, q: Any, fit: Fit) -> tuple[float, float]:
    """Add what joint coordinates miss, q ⊖ goal on their manifold, to g, H and D."""
    walk, weights, goal, miss, rates = model.walk, targets.joint_weights, targets.joint_goals[f], fit.miss, fit.rates
    configuration.difference(walk, q, goal, miss)
    for c in range(MOST_DOFS):
        for k in range(walk.shape[0]):
            for d in range(walk[k, V], walk[k, END]):
                fit.unit[d] = 1.0 if d == walk[k, V] + c else 0.0
        configuration.tangent(walk, miss, fit.unit, rates[c])
    cost, size = 0.0, 0.0
    for k in range(walk.shape[0]):
        first, end = walk[k, V], walk[k, END]
        for d in range(first, end):
            w = weights[f, d]
            if w > 0.0:
                cost += 0.5 * w * miss[d] * miss[d]
                size += w * (1.0 + miss[d] * miss[d])
                for a in range(first, end):
                    fit.g[0, a] += w * rates[a - first, d] * miss[d]
                    for b in range(first, end):
                        fit.H[a, b] += w * rates[a - first, d] * rates[b - first, d]
                    fit.D[0, a] += w * rates[a - first, d] * rates[a - first, d]
    return cost, size


@jit
def misses(model: KernelModel, work: Work, targets: Targets, f: int, q: Any, miss: Any, out: Any) -> None:
    """Into row f of `out`: the distance of each point from its goal, the angle of each orientation, then the misses of joints."""
    place_bodies(model, work, q)
    body, goals, points, turns = work.body, targets.point_goals, targets.point_rows.shape[0], targets.turn_rows.shape[0]
    for i in range(points):
        k = targets.point_rows[i]
        x = add(point_on(work, k, load(targets.points, i, 0, 3)), load(body, model.walk[k, ROOT], ORIGIN, 3))
        off = subtract(x, load(goals, f, 3 * i, 3))
        out[f, i] = np.sqrt(dot(off, off))
    for i in range(turns):
        R = multiply(frame(body, targets.turn_rows[i])[0], load(targets.turns, i, 0, 9))
        goal = load(targets.turn_goals, f, 9 * i, 9)
        e = log_rotation(multiply(transpose(goal), R))
        out[f, points + i] = np.sqrt(dot(e, e))
    if targets.joint_goals.shape[0] > 0:
        configuration.difference(model.walk, q, targets.joint_goals[f], miss)
        for d in range(miss.shape[0]):
            out[f, points + turns + d] = miss[d]
