"""Inverse dynamics of every frame with what carries the body as its root, in one compiled call (S1 7.1).

All spatial quantities of a tree are in one frame, so another root changes none of them: what each body needs by itself stays, and only
the way on which these forces add up leads to another body. So a frame costs one pass of Newton and Euler's recursion however
often the root changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, types

from ..algebra.memory import load, store
from ..algebra.spatial import add, at_point, cross, linear, minus, plus, power, rotate, spatial, subtract, times
from ..compilation import IntegerTable, Table, allocating, declare, inline, jit, long_entry
from ..kernels.kinematics import frame, joint_frame, move_bodies, place_bodies
from ..kernels.memory import model_at, work_at
from ..kernels.passive import passive_torques, spring_forces
from ..kernels.rnea import need_forces
from ..kernels.tables import END, ORIGIN, POLARITY, ROOT, TAU, VEL, F, KernelModel, S, V, Work
from .cones import least_forces_within, start_inside

# columns of `Ways.steps`
FROM, ONTO, LINK, SIGN = range(4)

EXACT = 1e6
"""How much more a wrench counts that is left over than one that is shared otherwise, in the cost of sharing."""


class Ways(NamedTuple):
    """How forces add up for each root: that of the recording first, then each support; and the points of the supports."""

    steps: Any
    """(roots · bodies, 4): row, the row that its force goes onto (−1 at the root), the row of the joint between them, and +1 where the
    first is that joint's body in the walk, else −1; the leaves first."""
    place: Any
    """(roots, bodies): where in its root's steps each row is."""
    base: Any
    """(1, k): the degrees of freedom that hold the body to the world in the recording."""
    rows: Any
    """(1, points): the row of the body of each point."""
    points: Any
    """(points, 3): the point in the frame of that row."""
    owner: Any
    """(1, points): which support it belongs to."""


class Frames(NamedTuple):
    """What is known of each frame."""

    q: Any
    v: Any
    a: Any
    root: Any
    """(n, 1): which root."""
    shares: Any
    """(n, supports): 1 for the supports that share the load, where there are several; 0 where nothing is to be shared."""
    given: Any
    """(n, 6 · supports): wrenches on the supports that are known, about the world's origin."""
    yields: Any
    """(n, points): how easily each point is loaded, from 0 to 1."""


class Cost(NamedTuple):
    """How shared loads are weighed."""

    friction: float
    weight: float
    """Of the body, in N."""
    torque: float
    """The torque that counts as much as its weight, in N m."""
    effort: float
    """How much torques count beside forces."""
    sideways: float
    """How much forces along the ground count beside those across it."""


class Results(NamedTuple):
    """What comes out for each frame."""

    tau: Any
    """(n, nv)."""
    total: Any
    """(n, 6): the wrench that the world must put on the body, about the world's origin."""
    reactions: Any
    """(n, 6 · supports): the wrench on each support, about the world's origin."""
    transmitted: Any
    """(n, 6 · bodies): moment and force that the joint of each row puts on its child, about the joint's frame there."""


_I, _X = int64[:, ::1], float64[:, ::1]
declare("Ways", types.NamedTuple([_I, _I, _I, _I, _X, _I], Ways))
declare("Frames", types.NamedTuple([_X, _X, _X, _I, _I, _X, _X], Frames))
declare("Cost", types.NamedTuple([float64] * 5, Cost))
declare("Results", types.NamedTuple([_X, _X, _X, _X], Results))


@inline
def world_point(model: KernelModel, work: Work, k: int, point: Any) -> Any:
    """A point in the frame of a row, from the origin of its tree."""
    R, p = frame(work.body, k)
    return add(p, rotate(R, point))


@long_entry
def point_motions(handle: int, q: Table, v: Table, rows: IntegerTable, points: Table, out: Table) -> None:
    """out (n, 6 · points): position and velocity in the world of points (in the frames of their rows) in each frame."""
    model, work = model_at(handle), work_at(handle, q)
    for i in range(q.shape[0]):
        place_bodies(model, work, q[i])
        move_bodies(model, work, q[i], v[i])
        for c in range(points.shape[0]):
            k = rows[0, c]
            at = world_point(model, work, k, load(points, c, 0, 3))
            store(out, i, 6 * c, add(at, load(work.body, model.walk[k, ROOT], ORIGIN, 3)))
            store(out, i, 6 * c + 3, linear(at_point(load(work.body, k, VEL, 6), at)))


@long_entry
def support_dynamics(handle: int, ways: Ways, frames: Frames, cost: Cost, out: Results) -> None:
    """Torques, ground reactions and what joints transmit, in each frame."""
    model, work, tables = model_at(handle), work_at(handle, frames.q), scratch(ways, frames)
    for i in range(frames.q.shape[0]):
        needed(model, work, frames, i)
        origin = load(work.body, 0, ORIGIN, 3)
        total = whole(model, work)
        store(out.total, i, 0, about_world(total, origin))
        for s in range(frames.shares.shape[1]):
            store(out.reactions, i, 6 * s, load(frames.given, i, 6 * s, 6))
        if frames.root[i, 0] > 0:
            share(model, work, ways, frames, cost, i, total, tables)
            settle_root(model, work, ways, frames, i, total, tables, out)
        apply_known(model, work, ways, out, i, origin, frames.root[i, 0])
        gather(model, work, ways, frames.root[i, 0], out.tau[i])
        transmit(model, work, ways, frames, i, out)


@inline
def about_world(wrench: Any, origin: Any) -> Any:
    """A wrench about the origin of a tree, about that of the world."""
    moment = add((wrench[0], wrench[1], wrench[2]), cross(origin, linear(wrench)))
    return spatial(moment, linear(wrench))


@inline
def about_tree(wrench: Any, origin: Any) -> Any:
    """The other way round."""
    moment = subtract((wrench[0], wrench[1], wrench[2]), cross(origin, linear(wrench)))
    return spatial(moment, linear(wrench))
