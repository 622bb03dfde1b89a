"""Inverse dynamics of every frame with what carries the body as its root, in one compiled call (S1 7.1).

All spatial quantities of a tree are in one frame, so another root changes none of them: what each body needs by itself stays, and
only the way on which these forces add up leads to another body. So a frame costs one pass of Newton and Euler's recursion
however often the root changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import load, store, table_at
from ..algebra.spatial import add, at_point, cross, linear, minus, plus, power, times
from ..compilation import IntegerTable, Table, inline, jit, long_entry
from ..kernels.kinematics import joint_frame, move_bodies, place_bodies
from ..kernels.memory import model_at, work_at
from ..kernels.passive import passive_torques, spring_forces
from ..kernels.rnea import need_forces
from ..kernels.tables import END, EXTERNAL, ORIGIN, POLARITY, ROOT, TAU, VEL, F, KernelModel, S, V, Work
from .sharing_kernels import about_tree, about_world, share, shared_columns, weigh, world_point
from .support_tables import FROM, LINK, ONTO, SIGN, Cost, Frames, Results, Sharing, Ways


@long_entry
def point_motions(handle: int, q: Table, v: Table, rows: IntegerTable, points: Table, out: Table) -> None:
    """out (n, 6 · points): position and velocity in the world of points (in the frames of their rows) in each frame."""
    model, work = model_at(handle), work_at(handle, q)
    for i in range(q.shape[0]):
        place_bodies(model, work, q[i])
        move_bodies(model, work, q[i], v[i])
        for c in range(points.shape[0]):
            k = rows[0, c]
            at = world_point(work, k, load(points, c, 0, 3))
            store(out, i, 6 * c, add(at, load(work.body, model.walk[k, ROOT], ORIGIN, 3)))
            store(out, i, 6 * c + 3, linear(at_point(load(work.body, k, VEL, 6), at)))


@long_entry
def support_dynamics(handle: int, ways: Ways, frames: Frames, cost: Cost, out: Results) -> None:
    """Torques, ground reactions and what joints transmit, in each frame."""
    model, work = model_at(handle), work_at(handle, frames.q)
    n = 3 * ways.points.shape[0]
    members = np.zeros(ways.points.shape[0], np.int64)
    sharing = Sharing(members, np.zeros((n, 6)), np.zeros((n, n)), np.zeros((n, n)), np.zeros((5, n)))
    for i in range(frames.q.shape[0]):
        place_bodies(model, work, frames.q[i])
        move_bodies(model, work, frames.q[i], frames.v[i])
        need_forces(model, work, frames.a[i], table_at(handle, 0, EXTERNAL, frames.q))
        passive_torques(model, work, frames.q[i], frames.v[i], frames.a[i])
        spring_forces(model, work)
        origin, root, total = load(work.body, 0, ORIGIN, 3), frames.root[i, 0], whole(work)
        store(out.total, i, 0, about_world(total, origin))
        for c in range(frames.given.shape[1]):
            out.reactions[i, c] = frames.given[i, c]
        count = shared_columns(work, ways, frames, i, sharing)
        if count > 0:
            weigh(work, ways, frames, cost, (i, count), sharing, total)
            share(ways, cost, (i, count), sharing, origin, out.reactions)
            leave(work, ways, i, total, out)
        elif root > 0:  # it takes all that others do not
            rest = about_world(total, origin)
            for s in range(frames.shares.shape[1]):
                rest = minus(rest, load(out.reactions, i, 6 * s, 6))
            at, centre = 6 * (root - 1), load(frames.pressed, i, 3 * (root - 1), 3)
            if np.isfinite(centre[0]):
                rest = pressing_at(rest, centre)
            store(out.reactions, i, at, plus(load(out.reactions, i, at, 6), rest))
            if np.isfinite(centre[0]):
                leave(work, ways, i, total, out)
        push_back(work, ways, frames, i, out)
        gather(model, work, ways, root, out.tau[i])
        transmit(model, work, ways, frames, i, out)


@inline
def pressing_at(wrench: Any, centre: Any) -> Any:
    """A wrench about the world's origin with another centre of pressure: its force and its moment about the vertical stay."""
    moment = cross(centre, linear(wrench))
    return (moment[0], moment[1], wrench[2], wrench[3], wrench[4], wrench[5])


@jit
def leave(work: Work, ways: Ways, i: int, total: Any, out: Results) -> None:
    """What no support gives is left to the base."""
    origin, top = load(work.body, 0, ORIGIN, 3), ways.steps[ways.place.shape[1] - 1, FROM]
    left = about_world(total, origin)
    for s in range(out.reactions.shape[1] // 6):
        left = minus(left, load(out.reactions, i, 6 * s, 6))
    store(work.body, top, F, minus(load(work.body, top, F, 6), about_tree(left, origin)))


@inline
def whole(work: Work) -> Any:
    """The wrench that all bodies need together, about the origin of the tree."""
    total = load(work.body, 0, F, 6)
    for k in range(1, work.body.shape[0]):
        total = plus(total, load(work.body, k, F, 6))
    return total


@jit
def push_back(work: Work, ways: Ways, frames: Frames, i: int, out: Results) -> None:
    """Take the reactions out of what the supports need, all but that of the root."""
    origin = load(work.body, 0, ORIGIN, 3)
    for s in range(frames.shares.shape[1]):
        if s != frames.root[i, 0] - 1:
            k = ways.feet[0, s]
            store(work.body, k, F, minus(load(work.body, k, F, 6), about_tree(load(out.reactions, i, 6 * s, 6), origin)))


@inline
def gather(model: KernelModel, work: Work, ways: Ways, root: int, tau: Any) -> None:
    """Forces add up from the leaves to the root, and joints keep their share."""
    body, dof, bodies = work.body, work.dof, ways.place.shape[1]
    for d in range(tau.shape[0]):
        tau[d] = 0.0
    for k in range(root * bodies, (root + 1) * bodies):
        row, onto, joint = ways.steps[k, FROM], ways.steps[k, ONTO], ways.steps[k, LINK]
        force = load(body, row, F, 6)
        if onto >= 0:
            for d in range(model.walk[joint, V], model.walk[joint, END]):
                tau[d] = ways.steps[k, SIGN] * power(load(dof, d, S, 6), force) - dof[d, TAU]
            store(body, onto, F, plus(load(body, onto, F, 6), force))


@jit
def transmit(model: KernelModel, work: Work, ways: Ways, frames: Frames, i: int, out: Results) -> None:
    """What each joint puts on its child, about its frame there; nothing where the root does not need it."""
    bodies, root = ways.place.shape[1], frames.root[i, 0]
    for c in range(out.transmitted.shape[1]):
        out.transmitted[i, c] = 0.0
    for k in range(root * bodies, (root + 1) * bodies):
        row, joint = ways.steps[k, FROM], ways.steps[k, LINK]
        if ways.steps[k, ONTO] >= 0:
            side = ways.steps[k, SIGN] * model.walk[joint, POLARITY]
            wrench = times(side, load(work.body, row, F, 6))
            at = joint_frame(model, work, frames.q[i], joint)[1]
            store(out.transmitted, i, 6 * joint, about_tree(wrench, at))
