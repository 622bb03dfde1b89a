"""Where bodies are and how they move."""

from __future__ import annotations

from typing import Any

from ..algebra.memory import load, load_pose, store, store_pose
from ..algebra.rotations import identity_pose
from ..algebra.scalars import Scalar
from ..algebra.spatial import (
    Motion,
    Transform,
    add,
    at_point,
    compose,
    invert,
    motion_cross,
    multiply,
    plus,
    plus_times,
    rotate,
    scale,
    spatial,
    times,
    zero_spatial,
    zero_vector,
)
from ..compilation import Floats, Scalars, Table, entry, inline, jit, long_entry
from ..joints import joint_columns, joint_place, joint_rates, joint_transform, parameters
from .memory import model_at, positions_in, work_at
from .stages import tree_stage
from .tables import (
    BIAS,
    END,
    KIND,
    ORIGIN,
    PAR,
    PARENT,
    POLARITY,
    RATE,
    ROOT,
    STRAIGHT,
    VARIES,
    VEL,
    E,
    KernelModel,
    P,
    Q,
    R,
    S,
    T,
    V,
    Work,
)
from .variants import own_gravity


@inline
def frame(body: Any, k: int) -> Transform:
    """The pose of the body in row k."""
    return load(body, k, R, 9), load(body, k, P, 3)


@inline
def parent_frame(body: Any, parent: int, like: Scalar) -> Transform:
    """The pose of the parent's row, or of the world."""
    if parent < 0:
        return identity_pose(like)
    return frame(body, parent)


@tree_stage
def place_bodies(model: KernelModel, work: Work, q: Scalars) -> None:
    """R, P, S: orientation and position of each body, screw of each degree of freedom (S1 eq. 8).  O(n)."""
    for k in range(model.walk.shape[0]):
        place_body(model, work, q, k)


@inline
def place_body(model: KernelModel, work: Work, q: Any, k: int) -> Transform:
    """Place the body of row k on its parent; returns its pose.

    The origin is the root's own position, so that nothing loses digits far from the world's origin.
    """
    walk, geometry, body, dof = model.walk, model.geometry, work.body, work.dof
    parent, kind, polarity, i = walk[k, PARENT], walk[k, KIND], walk[k, POLARITY], walk[k, Q]
    like = body[k, R]
    par = parameters(geometry, k, PAR, like)
    R_p, p_p = parent_frame(body, parent, like)
    R_near = R_p if walk[k, STRAIGHT] else multiply(R_p, load(geometry, k, E, 9))
    p_near = add(p_p, rotate(R_p, load(geometry, k, T, 3)))
    if polarity > 0:
        R_far, p_far = joint_place(kind, par, q, i, (R_near, p_near))
        R_child, p_child = R_far, p_far
    else:
        back = invert(joint_transform(kind, par, q, i))
        R_far, arm = multiply(R_near, back[0]), rotate(R_near, back[1])
        p_far = add(p_near, arm)
        R_child, p_child = R_near, p_near if parent >= 0 else scale(-1.0, arm)
    if parent < 0:
        store(body, k, ORIGIN, p_far)
        p_far = zero_vector(like)
        if polarity > 0:
            p_child = p_far
    store(body, k, R, R_far)
    store(body, k, P, p_far)
    joint_columns(kind, par, q, i, (R_child, p_child), dof, walk[k, V], S)
    if polarity < 0:
        flip(dof, walk[k, V], walk[k, END], S)
    return R_far, p_far


@inline
def flip(dof: Any, first: int, end: int, column: int) -> None:
    """Turn screws round: the walk goes from the joint's child to its parent."""
    for d in range(first, end):
        store(dof, d, column, times(-1.0, load(dof, d, column, 6)))


@tree_stage
def move_bodies(model: KernelModel, work: Work, q: Scalars, v: Scalars) -> None:
    """V = V_parent + S v and the bias V_parent × S v + Ṡ v of each body, after `place_bodies`.  O(n)."""
    walk, body, dof = model.walk, work.body, work.dof
    for k in range(walk.shape[0]):
        like = body[k, R]
        V_p = parent_motion(body, walk[k, PARENT], VEL, zero_spatial(like))
        V_J = zero_spatial(like)
        for d in range(walk[k, V], walk[k, END]):
            V_J = plus_times(V_J, v[d], load(dof, d, S, 6))
        bias = motion_cross(V_p, V_J)
        if walk[k, VARIES]:
            bias = plus(bias, vary_columns(model, work, q, v, k))
        store(body, k, VEL, plus(V_p, V_J))
        store(body, k, BIAS, bias)


@inline
def parent_motion(body: Any, parent: int, column: int, of_world: Motion) -> Motion:
    """The parent's vector in a column, or the world's."""
    if parent < 0:
        return of_world
    return load(body, parent, column, 6)


@inline
def rising_world(model: KernelModel, like: Scalar) -> Motion:
    """The acceleration of a world that stands still in the field of gravity."""
    return spatial(zero_vector(like), scale(-1.0, own_gravity(model, like)))


@inline
def joint_frame(model: KernelModel, work: Work, q: Any, k: int) -> Transform:
    """The frame, on its child's side, of the joint that leads to row k."""
    walk = model.walk
    if walk[k, POLARITY] > 0:
        return frame(work.body, k)
    par = parameters(model.geometry, k, PAR, work.body[k, R])
    return compose(frame(work.body, k), joint_transform(walk[k, KIND], par, q, walk[k, Q]))


@jit
def vary_columns(model: KernelModel, work: Work, q: Any, v: Any, k: int) -> Motion:
    """Fill RATE for the joint of row k and return Ṡ v as seen from the frame of the joint's child."""
    walk, dof = model.walk, work.dof
    kind, i, first = walk[k, KIND], walk[k, Q], walk[k, V]
    like = work.body[k, R]
    par = parameters(model.geometry, k, PAR, like)
    joint_rates(kind, par, q, i, v, joint_frame(model, work, q, k), dof, first, RATE)
    if walk[k, POLARITY] < 0:
        flip(dof, first, walk[k, END], RATE)
    change = zero_spatial(like)
    for d in range(first, walk[k, END]):
        change = plus_times(change, v[d], load(dof, d, RATE, 6))
    return change


@entry
def motion(handle: int, x: Floats, out: Table) -> None:
    """Pose (R, p) in the world and twist at its own origin, world axes, of each row's body at x = (q, v)."""
    m, w, nq = model_at(handle), work_at(handle, x), positions_in(handle)
    place_bodies(m, w, x[:nq])
    move_bodies(m, w, x[:nq], x[nq:])
    for k in range(m.walk.shape[0]):
        store_motion(m, w, k, out, k)


@inline
def store_motion(m: KernelModel, w: Work, k: int, out: Any, row: int) -> None:
    """Pose in the world and twist at its own origin of the body of row k into a row of `out`."""
    R_k, p_k = compose(frame(w.body, k), invert(load_pose(m.far, k)))
    store_pose(out, row, (R_k, add(p_k, load(w.body, m.walk[k, ROOT], ORIGIN, 3))))
    store(out, row, 12, at_point(load(w.body, k, VEL, 6), p_k))


@long_entry
def motion_of_many(handle: int, states: Table, k: int, out: Table) -> None:
    """Pose and twist of row k's body, as `motion` gives them, at each row of `states`."""
    m, w, nq = model_at(handle), work_at(handle, states), positions_in(handle)
    for i in range(states.shape[0]):
        place_bodies(m, w, states[i, :nq])
        move_bodies(m, w, states[i, :nq], states[i, nq:])
        store_motion(m, w, k, out, i)
