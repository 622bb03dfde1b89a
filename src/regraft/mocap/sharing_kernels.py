"""How several supports share a load: the points at which they push, what their forces cost, and the forces that cost least."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import load, store
from ..algebra.spatial import add, angular, cross, linear, minus, plus, power, rotate, spatial, subtract, times
from ..compilation import inline, jit
from ..kernels.kinematics import frame
from ..kernels.tables import ORIGIN, F, S, Work
from .cones import least_forces_within, start_inside
from .support_tables import FROM, LINK, ONTO, Cost, Frames, Sharing, Ways

EXACT = 1e8
"""How much more a wrench counts that is left over than one that is shared otherwise, in the cost of sharing."""


@inline
def world_point(work: Work, k: int, point: Any) -> Any:
    """A point in the frame of a row, from the origin of its tree."""
    R, p = frame(work.body, k)
    return add(p, rotate(R, point))


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
    add_pressures(work, ways, frames, cost, at, sharing)
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
def add_pressures(work: Work, ways: Ways, frames: Frames, cost: Cost, at: Any, sharing: Sharing) -> None:
    """Add the cost of the moment that each support has, about level axes, about the known centre of its pressure."""
    i, count = at
    n, columns, numbers, origin = 3 * count, sharing.columns, sharing.numbers, load(work.body, 0, ORIGIN, 3)
    H = sharing.H.reshape(-1)[: n * n].reshape(n, n)
    for s in range(frames.shares.shape[1]):
        centre = subtract(load(frames.pressed, i, 3 * s, 3), origin)
        if not np.isfinite(centre[0]):
            continue
        for axis in range(2):
            for row in range(n):
                own = ways.owner[0, sharing.members[row // 3]] == s
                moment = about_tree(load(columns, row, 0, 6), centre)
                numbers[4, row] = (moment[0] if axis == 0 else moment[1]) if own else 0.0
            add_square(H, numbers[0], numbers[4], n, cost.astray, 0.0)


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


@inline
def about_world(wrench: Any, origin: Any) -> Any:
    """A wrench about the origin of a tree, about that of the world."""
    return spatial(add(angular(wrench), cross(origin, linear(wrench))), linear(wrench))


@inline
def about_tree(wrench: Any, origin: Any) -> Any:
    """The other way round."""
    return spatial(subtract(angular(wrench), cross(origin, linear(wrench))), linear(wrench))
