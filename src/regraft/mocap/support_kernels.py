"""Inverse dynamics of every frame with what carries the body as its root, in one compiled call (S1 7.1).

All spatial quantities of a tree are in one frame, so another root changes none of them: what each body needs by itself stays, and
only the way on which these forces add up leads to another body. So a frame costs one pass of Newton and Euler's recursion
however often the root changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, types

from ..algebra.memory import load, store, table_at
from ..algebra.spatial import add, angular, at_point, cross, linear, minus, plus, power, rotate, spatial, subtract, times
from ..compilation import IntegerTable, Table, declare, inline, jit, long_entry
from ..kernels.kinematics import frame, joint_frame, move_bodies, place_bodies
from ..kernels.memory import model_at, work_at
from ..kernels.passive import passive_torques, spring_forces
from ..kernels.rnea import need_forces
from ..kernels.tables import END, EXTERNAL, ORIGIN, POLARITY, ROOT, TAU, VEL, F, KernelModel, S, V, Work
from .cones import least_forces_within, start_inside

# columns of `Ways.steps`
FROM, ONTO, LINK, SIGN = range(4)

EXACT = 1e8
"""How much more a wrench counts that is left over than one that is shared otherwise, in the cost of sharing."""


class Ways(NamedTuple):
    """How forces add up for each root: that of the recording first, then each support; and the points of the supports."""

    steps: Any
    """(roots · bodies, 4): row, the row that its force goes onto (−1 at the root), the row of the joint between them, +1 where
    the first is that joint's body in the walk, else −1; the leaves first."""
    place: Any
    """(roots, bodies): where in its root's steps each row is."""
    dofs: Any
    """(2, bodies): the first degree of freedom of each row's joint, and one past its last."""
    base: Any
    """(1, k): the degrees of freedom that hold the body to the world in the recording."""
    feet: Any
    """(1, supports): the row of the body on which each support's reaction acts."""
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
    turning: float
    """How much a moment counts that is left over about the line between two feet, or about the vertical."""
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


class Sharing(NamedTuple):
    """Scratch for loads that several supports share."""

    members: Any
    """Which points share."""
    columns: Any
    """(3 · points, 6): wrenches of unit forces at them."""
    H: Any
    M: Any
    numbers: Any
    """(5, 3 · points): r, the forces, two rows of a step, and one for anything."""


_I, _X = int64[:, ::1], float64[:, ::1]
declare("Ways", types.NamedTuple([_I, _I, _I, _I, _I, _I, _X, _I], Ways))
declare("Frames", types.NamedTuple([_X, _X, _X, _I, _I, _X, _X], Frames))
declare("Cost", types.NamedUniTuple(float64, 6, Cost))
declare("Results", types.NamedUniTuple(_X, 4, Results))


@inline
def world_point(work: Work, k: int, point: Any) -> Any:
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
            left = about_world(total, origin)
            for s in range(frames.shares.shape[1]):
                left = minus(left, load(out.reactions, i, 6 * s, 6))
            top = ways.steps[ways.place.shape[1] - 1, FROM]
            store(work.body, top, F, minus(load(work.body, top, F, 6), about_tree(left, origin)))
        elif root > 0:  # it takes all that others do not
            rest = total
            for s in range(frames.shares.shape[1]):
                rest = minus(rest, about_tree(load(out.reactions, i, 6 * s, 6), origin))
            at = 6 * (root - 1)
            store(out.reactions, i, at, plus(load(out.reactions, i, at, 6), about_world(rest, origin)))
        push_back(work, ways, frames, i, out)
        gather(model, work, ways, root, out.tau[i])
        transmit(model, work, ways, frames, i, out)


@jit
def share(ways: Ways, cost: Cost, at: Any, sharing: Sharing, origin: Any, reactions: Any) -> None:
    """The reactions of supports that share a load at the least cost."""
    i, count = at
    n, numbers = 3 * count, sharing.numbers
    f, step = numbers[1, :n], numbers[2:4].reshape(-1)[: 2 * n].reshape(2, n)
    H, M = sharing.H.reshape(-1)[: n * n].reshape(n, n), sharing.M.reshape(-1)[: n * n].reshape(n, n)
    start_inside(f, 1.0 / count)
    least_forces_within(H, numbers[0, :n], cost.friction, f, M, step, numbers[4, :n])
    for row in range(n):
        force = times(cost.weight * f[row], load(sharing.columns, row, 0, 6))
        s = ways.owner[0, sharing.members[row // 3]]
        store(reactions, i, 6 * s, plus(load(reactions, i, 6 * s, 6), about_world(force, origin)))


@inline
def whole(work: Work) -> Any:
    """The wrench that all bodies need together, about the origin of the tree."""
    total = load(work.body, 0, F, 6)
    for k in range(1, work.body.shape[0]):
        total = plus(total, load(work.body, k, F, 6))
    return total


@jit
def shared_columns(work: Work, ways: Ways, frames: Frames, i: int, sharing: Sharing) -> int:
    """The points that share the load of a frame, and the wrenches of unit forces at them; returns how many points there are."""
    count, members, columns = 0, sharing.members, sharing.columns
    for c in range(ways.points.shape[0]):
        if frames.shares[i, ways.owner[0, c]] == 1 and frames.yields[i, c] > 0.0:
            members[count] = c
            x, y, z = world_point(work, ways.rows[0, c], load(ways.points, c, 0, 3))
            store(columns, 3 * count, 0, (0.0, z, -y, 1.0, 0.0, 0.0))
            store(columns, 3 * count + 1, 0, (-z, 0.0, x, 0.0, 1.0, 0.0))
            store(columns, 3 * count + 2, 0, (y, -x, 0.0, 0.0, 0.0, 1.0))
            count += 1
    return count


@jit
def weigh(work: Work, ways: Ways, frames: Frames, cost: Cost, at: Any, sharing: Sharing, total: Any) -> None:
    """The cost of sharing, ½ fᵀ H f − rᵀ f, of forces in body weights; r goes into the first row of `numbers`.

    What counts are the forces themselves, more at points that yield less; the torques of the joints between the supports; and, by
    far the most, what is left of the wrench that the body needs, along all motions that hold it to the world. How two feet share
    it follows from the moment across the line between them. Moments about that line, and about the vertical, act within the
    breadth of a sole; they are known too badly for that, so they count less.
    """
    i, count = at
    members, columns, numbers, n = sharing.members, sharing.columns, sharing.numbers, 3 * count
    H, dof, r = sharing.H.reshape(-1)[: n * n].reshape(n, n), work.dof, numbers[0]
    for row in range(n):
        r[row] = 0.0
        for column in range(n):
            H[row, column] = 0.0
        sideways = cost.sideways if row % 3 < 2 else 1.0
        H[row, row] = sideways / frames.yields[i, members[row // 3]]
    if ways.base.shape[1] == 6:
        ex, ey = between_feet(ways, sharing, count)
        for c in range(6):
            weight, wanted = EXACT, part(total, c)
            for row in range(n):
                numbers[4, row] = columns[row, c]
            if c < 3:  # moments about the line between the feet, across it, and about the vertical
                weight = cost.turning if c != 1 else EXACT
                if c < 2:
                    a, b = (ex, ey) if c == 0 else (-ey, ex)
                    wanted = a * total[0] + b * total[1]
                    for row in range(n):
                        numbers[4, row] = a * columns[row, 0] + b * columns[row, 1]
            add_square(H, r, numbers[4], n, weight, wanted / cost.weight)
    else:
        for d in ways.base[0]:
            for row in range(n):
                numbers[4, row] = power(load(dof, d, S, 6), load(columns, row, 0, 6))
            add_square(H, r, numbers[4], n, EXACT, power(load(dof, d, S, 6), total) / cost.weight)
    add_torques(work, ways, frames, cost, at, sharing)


@jit
def between_feet(ways: Ways, sharing: Sharing, count: int) -> tuple[float, float]:
    """The horizontal direction from the first to the last support that shares a load."""
    first, last = ways.owner[0, sharing.members[0]], ways.owner[0, sharing.members[count - 1]]
    x, y = 0.0, 0.0
    for c in range(count):
        # the moment of a unit force upwards is (y, −x, 0)
        side = ways.owner[0, sharing.members[c]]
        sign = (1.0 if side == last else 0.0) - (1.0 if side == first else 0.0)
        x -= sign * sharing.columns[3 * c + 2, 1]
        y += sign * sharing.columns[3 * c + 2, 0]
    length = np.sqrt(x * x + y * y)
    return (x / length, y / length) if length > 0.0 else (1.0, 0.0)


@inline
def part(wrench: Any, c: int) -> Any:
    """The c-th number of a wrench."""
    if c < 3:
        return wrench[0] if c == 0 else (wrench[1] if c == 1 else wrench[2])
    return wrench[3] if c == 3 else (wrench[4] if c == 4 else wrench[5])


@inline
def add_square(H: Any, r: Any, row: Any, n: int, weight: float, wanted: float) -> None:
    """Add the cost ½ weight (row · f − wanted)² to one of f."""
    for j in range(n):
        r[j] += weight * wanted * row[j]
        for c in range(n):
            H[j, c] += weight * row[j] * row[c]


@jit
def add_torques(work: Work, ways: Ways, frames: Frames, cost: Cost, at: Any, sharing: Sharing) -> None:
    """Add the cost of the torques of joints between the supports that share a load.

    For the root as it is, forces add up as if it carried all; a force on another support is taken off all joints on its way to
    the root.
    """
    i, count = at
    members, columns, numbers, n = sharing.members, sharing.columns, sharing.numbers, 3 * count
    H = sharing.H.reshape(-1)[: n * n].reshape(n, n)
    root, bodies, body, dof = frames.root[i, 0], ways.place.shape[1], work.body, work.dof
    first = root * bodies
    for k in range(bodies):  # what joints would have to hold, into F
        onto, row = ways.steps[first + k, ONTO], ways.steps[first + k, FROM]
        if onto < 0:
            continue
        force = load(body, row, F, 6)
        store(body, onto, F, plus(load(body, onto, F, 6), force))
    for k in range(bodies):
        onto, row, joint = ways.steps[first + k, ONTO], ways.steps[first + k, FROM], ways.steps[first + k, LINK]
        if onto < 0 or not carries(ways, frames, i, row):
            continue
        for c in range(n):
            numbers[2, c] = 1.0 if is_beyond(ways, root, row, ways.feet[0, ways.owner[0, members[c // 3]]]) else 0.0
        for d in range(ways.dofs[0, joint], ways.dofs[1, joint]):
            screw = load(dof, d, S, 6)
            unit = cost.torque if abs(screw[0]) + abs(screw[1]) + abs(screw[2]) > 0.0 else cost.weight
            for c in range(n):
                numbers[4, c] = numbers[2, c] * power(screw, load(columns, c, 0, 6)) * cost.weight / unit
            add_square(H, numbers[0], numbers[4], n, cost.effort, power(screw, load(body, row, F, 6)) / unit)
    for k in range(bodies - 1, -1, -1):  # and out of it again
        onto, row = ways.steps[first + k, ONTO], ways.steps[first + k, FROM]
        if onto >= 0:
            store(body, onto, F, minus(load(body, onto, F, 6), load(body, row, F, 6)))


@inline
def is_beyond(ways: Ways, root: int, row: int, body: int) -> bool:
    """Whether the way of a body to the root leads over a row."""
    while body >= 0 and body != row:
        body = ways.steps[root * ways.place.shape[1] + ways.place[root, body], ONTO]
    return body == row


@inline
def carries(ways: Ways, frames: Frames, i: int, row: int) -> bool:
    """Whether there is a support that shares the load beyond a row."""
    for s in range(frames.shares.shape[1]):
        if frames.shares[i, s] == 1 and is_beyond(ways, frames.root[i, 0], row, ways.feet[0, s]):
            return True
    return False


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


@inline
def about_world(wrench: Any, origin: Any) -> Any:
    """A wrench about the origin of a tree, about that of the world."""
    return spatial(add(angular(wrench), cross(origin, linear(wrench))), linear(wrench))


@inline
def about_tree(wrench: Any, origin: Any) -> Any:
    """The other way round."""
    return spatial(subtract(angular(wrench), cross(origin, linear(wrench))), linear(wrench))
