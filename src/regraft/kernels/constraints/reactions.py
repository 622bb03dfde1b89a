"""Reactions of closed chains: the constraint forces of loop-closure joints, from which those of the tree joints follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.dense import decompose
from ...algebra.memory import load, store
from ...algebra.spatial import Force, Vector, add, angular, cross, linear, plus, rotate, spatial, subtract, times
from ...compilation import Floats, IntegerTable, Table, allocating, entry, inline, jit
from ...tolerances import ASSEMBLED, IDLE
from ..kinematics import frame
from ..memory import loops_at, model_at, positions_in, work_at
from ..tables import CHILD, PARENT, PUSH, PUSH_POINT, KernelModel, Work
from .delassus import rows_held
from .dynamics import closed_dynamics
from .rows import loop_frames, row_jacobian, row_wrenches
from .tables import COUNT, FIRST, GAP, MULTIPLIER, Loops


@entry
def closed_reactions(
    handle: int,
    x: Floats,
    tau: Floats,
    external: Table,
    a: Floats,
    redundant: IntegerTable,
    of_loops: Table,
    push: Table,
) -> bool:
    """The wrench of every loop joint on its child, about the joint's frame there, to `of_loops`; the accelerations to `a`.

    The accelerations go to `a`. `of_loops` comes with what `torques.driving_wrenches` gives, and `push` may be `external`.
    `redundant` becomes 1 for the loops whose wrenches the motion does not determine; theirs are the least that do. False, and no
    results, where there are no accelerations or where loops are open.
    """
    m, w, closed = model_at(handle), work_at(handle, x), loops_at(handle, x)
    nq = positions_in(handle)
    worst = closed_dynamics(m, w, closed, x[:nq], x[nq:], tau, external, a)
    if not (worst > 0.0 and closed.scratch[GAP, 0] <= ASSEMBLED):
        return False
    least_multipliers(m, w, closed, redundant)
    row_wrenches(m, w, closed, of_loops)
    push_back(m, w, closed, of_loops, push)
    return True


@allocating
def least_multipliers(model: KernelModel, work: Work, closed: Loops, redundant: Any) -> None:
    """Replace multipliers that are not unique by the least ones with the same Jᵀ λ, and mark their loops; after the dynamics."""
    rows, count = closed.rows, closed.hard_rows
    redundant[:] = 0
    rank, nv = rows_held(closed), work.dof.shape[0]
    if rank == count:
        return
    J, U, sizes, left = np.empty((count, nv)), np.empty((min(count, nv), nv)), np.empty(min(count, nv)), np.empty((count, count))
    row_jacobian(model, work, closed, J)
    decompose(J.T.copy(), U, sizes, left)
    shares = np.zeros(rank)
    for k in range(rank):
        for r in range(count):
            shares[k] += left[k, r] * rows[r, MULTIPLIER]
    for r in range(count):
        rows[r, MULTIPLIER] = 0.0  # then their part in the range of J
        for k in range(rank):
            rows[r, MULTIPLIER] += left[k, r] * shares[k]
    for l in range(closed.loops.shape[0]):
        for r in range(closed.cuts[l, FIRST], closed.cuts[l, FIRST] + closed.cuts[l, COUNT]):
            for k in range(rank, count):
                if abs(left[k, r]) > IDLE:
                    redundant[l, 0] = 1


@jit
def push_back(model: KernelModel, work: Work, closed: Loops, of_loops: Any, push: Any) -> None:
    """Add the wrench of each loop joint to what pushes its child, and the opposite one to what pushes its parent."""
    for l in range(closed.loops.shape[0]):
        _, X_c, apart = loop_frames(model, work, closed, l)
        wrench = load(of_loops, l, 0, 6)
        push_at(work, closed.loops[l, CHILD], X_c[1], wrench, push)
        push_at(work, closed.loops[l, PARENT], subtract(X_c[1], apart), times(-1.0, wrench), push)


@inline
def push_at(work: Work, k: int, at: Vector, wrench: Force, push: Any) -> None:
    """Add a wrench at a point, given from the origin of the tree, to the force on the body of row k."""
    if k >= 0:
        R, p = frame(work.body, k)
        arm = subtract(at, add(p, rotate(R, load(push, k, PUSH_POINT, 3))))
        moved = spatial(add(angular(wrench), cross(arm, linear(wrench))), linear(wrench))
        store(push, k, PUSH, plus(load(push, k, PUSH, 6), moved))
