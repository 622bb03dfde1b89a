"""The Jacobian of a frame and its time derivative."""

from __future__ import annotations

from typing import Any

from ..algebra.memory import clear, load
from ..algebra.spatial import (
    Motion,
    Vector,
    add,
    angular,
    at_point,
    cross,
    linear,
    motion_cross,
    plus,
    rotate,
    spatial,
    zero_spatial,
)
from ..compilation import Floats, Table, entry, inline, jit
from .kinematics import frame, move_bodies, parent_motion, place_bodies
from .memory import model_at, work_at
from .tables import END, ORIGIN, PARENT, POLARITY, RATE, ROOT, VARIES, VEL, KernelModel, S, V, Work


@inline
def point_on(work: Work, k: int, local: Any) -> Vector:
    """Position, about the tree's origin, of a point given in the frame of row k."""
    R_k, p_k = frame(work.body, k)
    return add(p_k, rotate(R_k, (local[0], local[1], local[2])))


@inline
def place_in_world(model: KernelModel, work: Work, k: int, local: Any) -> Vector:
    """Position in the world of a point given in the frame of row k, after `place_bodies`."""
    return add(point_on(work, k, local), load(work.body, model.walk[k, ROOT], ORIGIN, 3))


@inline
def put_column(J: Any, d: int, column: Motion) -> None:
    """Write one column."""
    J[0, d], J[1, d], J[2, d] = column[0], column[1], column[2]
    J[3, d], J[4, d], J[5, d] = column[3], column[4], column[5]


@inline
def carrying_motion(model: KernelModel, work: Work, k: int) -> Motion:
    """The velocity of the child of the joint that leads to row k: the body that carries the joint's screws."""
    carrier = k if model.walk[k, POLARITY] > 0 else model.walk[k, PARENT]
    return parent_motion(work.body, carrier, VEL, zero_spatial(work.body[k, VEL]))


@jit
def jacobian(model: KernelModel, work: Work, k: int, local: Any, J: Any) -> None:
    """J with J v = (angular velocity of row k, velocity of its point `local`), after `place_bodies`.  O(depth + nv)."""
    walk, dof = model.walk, work.dof
    p = point_on(work, k, local)
    clear(J)
    while k >= 0:
        for d in range(walk[k, V], walk[k, END]):
            put_column(J, d, at_point(load(dof, d, S, 6), p))
        k = walk[k, PARENT]


@jit
def jacobian_rate(model: KernelModel, work: Work, k: int, local: Any, J: Any) -> None:
    """dJ/dt along the motion, after `move_bodies`.  O(depth + nv).

    A screw is carried along by the body that holds its axis, the joint's child: Ṡ = V_child × S + (its change in that body).
    """
    walk, body, dof = model.walk, work.body, work.dof
    p = point_on(work, k, local)
    twist = load(body, k, VEL, 6)
    p_rate = add(linear(twist), cross(angular(twist), p))
    clear(J)
    while k >= 0:
        carrier = carrying_motion(model, work, k)
        for d in range(walk[k, V], walk[k, END]):
            s = load(dof, d, S, 6)
            s_rate = motion_cross(carrier, s)
            if walk[k, VARIES]:
                s_rate = plus(s_rate, load(dof, d, RATE, 6))
            moved = at_point(s_rate, p)
            put_column(J, d, spatial(angular(moved), add(linear(moved), cross(angular(s), p_rate))))
        k = walk[k, PARENT]


@entry
def frame_jacobian(handle: int, q: Floats, k: int, local: Floats, out: Table) -> None:
    """`jacobian` of a point fixed to row k."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    jacobian(model_at(handle), work_at(handle, q), k, local, out)


@entry
def frame_jacobian_rate(handle: int, q: Floats, v: Floats, k: int, local: Floats, out: Table) -> None:
    """`jacobian_rate` of a point fixed to row k."""
    place_bodies(model_at(handle), work_at(handle, q), q)
    move_bodies(model_at(handle), work_at(handle, q), q, v)
    jacobian_rate(model_at(handle), work_at(handle, q), k, local, out)
