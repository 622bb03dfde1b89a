"""The spanning tree of a mechanism as arrays: the walk from the world over the tree joints, and the tables that kernels run on.

All of it is derived data. The walk is in depth-first order, a body's joints in the order in which they were added; a joint that
is walked from its child to its parent has polarity −1. In the tables each body has the frame of the joint that leads to it, so a
recursion needs one tree transform (S1's E and t) per body.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.memory import load, load_pose, store, store_pose
from ..algebra.pose import MOTION, POSE, WORLD_MOTION
from ..algebra.scalars import LANES, aligned_zeros
from ..algebra.spatial import Rotation, compose, invert, rotate_back, subtract, transpose, turn_inertia
from ..compilation import Integers, IntegerTable, Table, allocating, entry, inline, jit
from ..errors import ModelError
from ..joints import PARAMETERS
from ..kernels import aba, kinematics
from ..kernels import tables as table
from ..kernels.tables import Model
from .description import (
    CHILD_BODY,
    END_V,
    FIRST_Q,
    FIRST_V,
    JOINT_PARAMETERS,
    KIND_OF,
    ON_CHILD,
    ON_PARENT,
    PARENT_BODY,
    VARYING,
    Description,
)
from .incidence import incidence
from .layout import WORLD, Layout

Array = NDArray[np.float64]


class Tree:
    """The walk, the tables, and the scratch space of one structure."""

    def __init__(self, gravity: Array, body_names: tuple[str, ...], layout: Layout, description: Description) -> None:
        self.nq, self.nv, self.rest = layout.nq, layout.nv, layout.rest
        self.body_names, self.joint_names = body_names, layout.names
        n = len(body_names)
        self.walk: Integers = np.zeros((n, table.WALK), np.int64)
        self.geometry: Array = np.zeros((n, table.GEOMETRY))
        self.far: Array = np.zeros((n, POSE))
        """(n, 12): the frame of the joint that leads to each row, on its body."""
        d = description
        self.model = Model(
            self.walk, self.geometry, np.array(gravity).reshape(1, 3), d.damping,
            np.empty_like(d.spring_ends), d.springs.copy(), d.limited.copy(), d.limits, 0,
        )  # fmt: skip
        self.addresses: Integers = np.empty(table.HANDLE, np.int64)
        reached = derive.call(d.joints, d.numbers, d.inertias, d.spring_ends, self.model, self.far, layout.nq, self.addresses)
        if reached < n:
            self._refuse_lost_bodies(reached)
        self.no_torque, self.no_forces = np.zeros(layout.nv), np.zeros((0, table.EXTERNAL))
        self.work = self.new_work()
        self.handle = self.work.handle
        """Of the workspace of all entries that hold the interpreter's lock: there is never more than one of them at work."""

    def _refuse_lost_bodies(self, reached: int) -> None:
        walked = set(self.walk[:reached, table.BODY].tolist())
        lost = [name for b, name in enumerate(self.body_names) if b not in walked]
        raise ModelError(
            f"body {lost[0]!r} has no path to the world"
            + (f" (nor have {len(lost) - 1} others)" if len(lost) > 1 else "")
            + f'; connect it, or let it float: add_joint("{lost[0]}_free", Free(), "world", "{lost[0]}").'
        )

    def explain_failure(self, work: Workspace, q: Array, root: int | None = None) -> ModelError:
        """Why there is no finite answer at q, under one root or all: a joint that moves no inertia, or an overflow."""
        for k in range(len(self.walk) - 1, -1, -1):
            row = self.walk[k]
            margins = work.dof[row[table.V] : row[table.END], table.MARGIN].real
            if root in (None, row[table.ROOT]) and not (margins > 0.0).all():
                return ModelError(self.why_idle(self.joint_names[row[table.JOINT]], q))
        return ModelError("the accelerations are too large to be represented; check the units of masses, forces and velocities.")

    def why_idle(self, joint: str, q: Array) -> str:
        """What is wrong with a joint whose MARGIN is not positive: it moves nothing, or what it moves is lost in rounding."""
        k = self.walk[:, table.JOINT].tolist().index(self.joint_names.index(joint))
        if not self._moves_inertia(k, q):
            return (
                f"joint {joint!r} can move without moving any inertia, so its acceleration is not defined; give mass or "
                "moments of inertia to what it carries, or fix it."
            )
        at = self.motion(np.concatenate((q, np.zeros(self.nv))))[[k, self.walk[k, table.ROOT]], 9:POSE]
        far = float(np.linalg.norm(at[0] - at[1]))
        return (
            f"joint {joint!r} moves so little inertia so far from the root of its tree, {far:.3g} m, that it cannot be told from "
            "rounding, which grows with the square of that distance; make a body nearer to it the root, with reroot, or let what "
            "it carries float by itself, on a Free() joint."
        )

    def _moves_inertia(self, k: int, q: Array) -> bool:
        """Whether the joint of row k moves more inertia than rounding where it is itself the root of what it carries."""
        end = k + 1
        while end < len(self.walk) and self.walk[end, table.PARENT] >= k:  # depth first: what it carries comes right after it
            end += 1
        walk, geometry = self.walk[k:end].copy(), self.geometry[k:end].copy()
        walk[:, table.PARENT] -= k
        walk[0, table.PARENT], walk[:, table.ROOT], walk[0, table.STRAIGHT] = -1, 0, 1
        geometry[0, table.E : table.T + 3] = np.append(np.eye(3), np.zeros(3))
        carried = self.model._replace(walk=walk, geometry=geometry)
        addresses = self.addresses.copy()
        addresses[table.BODIES], addresses[table.SPRINGS], addresses[table.LIMITS] = len(walk), 0, 0
        addresses[table.TABLES : table.TABLES + 2] = _address(walk), _address(geometry)
        body, dof = self._work_shapes()
        work = Workspace(carried, addresses, aligned_zeros(body), aligned_zeros(dof))
        x = np.concatenate((q, np.zeros(self.nv)))
        aba.forward_dynamics(work.handle, x, self.no_torque, np.empty(self.nv))
        return bool((work.dof[walk[0, table.V] : walk[0, table.END], table.MARGIN] > 0.0).all())

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each body."""
        return {self.body_names[b]: k for k, b in enumerate(self.walk[:, table.BODY].tolist())}

    def row(self, body: str) -> int:
        """The row of a body, −1 for the world."""
        return -1 if body == WORLD else self.row_of[body]

    def point(self, body: str, point: Array) -> Array:
        """A point given in a body's own axes, in the frame that the tables give the body."""
        if body == WORLD:
            return point
        far = self.far[self.row_of[body]]
        result: Array = far[:9].reshape(3, 3).T @ (point - far[9:])
        return result

    def origins(self) -> Array:
        """(n, 3): the origin of each row's body in the frame that the tables give the body."""
        turns, origins = self.far[:, :9].reshape(-1, 3, 3), self.far[:, 9:]
        found: Array = -np.einsum("kji,kj->ki", turns, origins)
        return found

    def motion(self, x: Array) -> Array:
        """(n, 18) of each row's body in its own frame: pose in the world, and twist at its origin in world axes."""
        out = np.empty((len(self.walk), MOTION))
        kinematics.motion(self.handle, x, self.far, out)
        return out

    @cached_property
    def bind(self) -> Array:
        """(n, 18): `motion` in the bind pose, at rest."""
        return self.motion(self.rest)

    def motions_of(self, x: Array, *bodies: str) -> Array:
        """(bodies, 18): the motions of some bodies, the world too."""
        found = self.motion(x)
        return np.array([WORLD_MOTION if body == WORLD else found[self.row_of[body]] for body in bodies])

    def new_work(self, dtype: type = float) -> Workspace:
        """A new workspace in a scalar type."""
        body, dof = self._work_shapes()
        return Workspace(self.model, self.addresses, aligned_zeros(body, dtype), aligned_zeros(dof, dtype))

    def new_pack_work(self) -> Workspace:
        """A new workspace of packs, as floats with one more axis."""
        body, dof = self._work_shapes()
        return Workspace(self.model, self.addresses, aligned_zeros((*body, LANES)), aligned_zeros((*dof, LANES)))

    def _work_shapes(self) -> tuple[tuple[int, int], tuple[int, int]]:
        # kernels look at row 0 for the scalar type, so there is one even without bodies
        return (max(len(self.walk), 1), table.BODY_WORK), (self.nv, table.DOF_WORK)


class Workspace:
    """Scratch tables for one computation at a time, and the handle by which kernels find them and the model's."""

    __slots__ = ("addresses", "dof", "handle", "keep")

    def __reduce__(self) -> Any:
        raise TypeError("a workspace holds addresses of this process; it cannot be copied or sent elsewhere.")

    def __init__(self, model: Model, addresses: Integers, body: Any, dof: Any) -> None:
        self.dof = dof
        self.keep = (*model, body, dof)  # a handle is a bare address, and leads to more of them
        self.addresses = addresses.copy()
        self.addresses[-2:] = _address(body), _address(dof)
        self.handle = _address(self.addresses)


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


@allocating
def span(joints: Any, walk: Any) -> int:
    """Fill `walk`: depth first from the world, joints in their order. Returns how many bodies were reached.  O(n)."""
    bodies, count = walk.shape[0], joints.shape[0]
    incident, first = incidence(joints, bodies)
    row_of = np.full(bodies + 1, -2, np.int64)
    row_of[0] = -1
    last_child = np.full(bodies, -1, np.int64)
    waiting = np.empty((2 * count + 1, 2), np.int64)  # (joint, row of the body it is walked from)
    left = 0
    for e in range(first[1] - 1, first[0] - 1, -1):
        waiting[left, 0], waiting[left, 1] = incident[e], -1
        left += 1
    rows = 0
    while left > 0:
        left -= 1
        j, parent = waiting[left, 0], waiting[left, 1]
        from_body = -1 if parent < 0 else walk[parent, table.BODY]
        forward = joints[j, PARENT_BODY] == from_body
        body = joints[j, CHILD_BODY] if forward else joints[j, PARENT_BODY]
        if row_of[body + 1] != -2:
            continue
        row_of[body + 1] = rows
        walk[rows, table.BODY], walk[rows, table.PARENT], walk[rows, table.JOINT] = body, parent, j
        walk[rows, table.KIND], walk[rows, table.POLARITY] = joints[j, KIND_OF], 1 if forward else -1
        walk[rows, table.Q], walk[rows, table.V], walk[rows, table.END] = joints[j, FIRST_Q], joints[j, FIRST_V], joints[j, END_V]
        walk[rows, table.ROOT] = rows if parent < 0 else walk[parent, table.ROOT]
        walk[rows, table.VARIES], walk[rows, table.LEAF], walk[rows, table.LAST] = joints[j, VARYING], 1, 1
        if parent >= 0:
            walk[parent, table.LEAF] = 0
            if last_child[parent] >= 0:
                walk[last_child[parent], table.LAST] = 0
            last_child[parent] = rows
        for e in range(first[body + 2] - 1, first[body + 1] - 1, -1):
            if incident[e] != j:
                waiting[left, 0], waiting[left, 1] = incident[e], rows
                left += 1
        rows += 1
    return rows


@inline
def is_identity(R: Rotation) -> int:
    """1 for the rotation that turns nothing, else 0."""
    off = R[1] != 0.0 or R[2] != 0.0 or R[3] != 0.0 or R[5] != 0.0 or R[6] != 0.0 or R[7] != 0.0
    return 0 if off or R[0] != 1.0 or R[4] != 1.0 or R[8] != 1.0 else 1


@jit
def place(numbers: Any, inertias: Any, walk: Any, geometry: Any, far: Any) -> None:
    """Fill `geometry` and `far` in the frames of the joints that lead to the bodies.  O(n)."""
    for k in range(walk.shape[0]):
        j, parent, body = walk[k, table.JOINT], walk[k, table.PARENT], walk[k, table.BODY]
        on_parent = load(numbers, j, ON_PARENT, 9), load(numbers, j, ON_PARENT + 9, 3)
        on_child = load(numbers, j, ON_CHILD, 9), load(numbers, j, ON_CHILD + 9, 3)
        near, here = (on_parent, on_child) if walk[k, table.POLARITY] > 0 else (on_child, on_parent)
        if parent >= 0:
            near = compose(invert(load_pose(far, parent)), near)
        store_pose(far, k, here)
        store(geometry, k, table.E, near[0])
        store(geometry, k, table.T, near[1])
        walk[k, table.STRAIGHT] = is_identity(near[0])
        geometry[k, table.MASS] = inertias[body, 0]
        store(geometry, k, table.COM, rotate_back(here[0], subtract(load(inertias, body, 1, 3), here[1])))
        store(geometry, k, table.MOMENTS, turn_inertia(transpose(here[0]), load(inertias, body, 4, 6)))
        store(geometry, k, table.PAR, load(numbers, j, JOINT_PARAMETERS, PARAMETERS))


@allocating
def attach_forces(ends: Any, walk: Any, far: Any, spring_rows: Any, springs: Any, limit_rows: Any) -> None:
    """Springs from bodies to rows, their points into the rows' frames; limits from joints to rows.  O(n + springs + limits)."""
    n = walk.shape[0]
    row_of_body, row_of_joint = np.empty(n, np.int64), np.empty(n, np.int64)
    for k in range(n):
        row_of_body[walk[k, table.BODY]] = k
        row_of_joint[walk[k, table.JOINT]] = k
    for s in range(ends.shape[0]):
        for side in range(2):
            body = ends[s, side]
            k = -1 if body < 0 else row_of_body[body]
            spring_rows[s, side] = k
            if k >= 0:
                point = subtract(load(springs, s, 3 * side, 3), load(far, k, 9, 3))
                store(springs, s, 3 * side, rotate_back(load(far, k, 0, 9), point))
    for l in range(limit_rows.shape[0]):
        limit_rows[l, 0] = row_of_joint[limit_rows[l, 0]]


@entry
def derive(
    joints: IntegerTable,
    numbers: Table,
    inertias: Table,
    spring_ends: IntegerTable,
    model: Model,
    far: Table,
    nq: int,
    addresses: Integers,
) -> int:
    """Fill a tree's tables from a description, and where a handle leads; springs and limits come in as described.

    Returns how many bodies were reached.
    """
    walk = model.walk
    reached = span(joints, walk)
    if reached == walk.shape[0]:
        place(numbers, inertias, walk, model.geometry, far)
        attach_forces(spring_ends, walk, far, model.spring_rows, model.springs, model.limit_rows)
    addresses[table.BODIES], addresses[table.POSITIONS] = walk.shape[0], nq
    addresses[table.VELOCITIES] = model.damping.shape[1]
    addresses[table.SPRINGS], addresses[table.LIMITS] = model.springs.shape[0], model.limits.shape[0]
    t = table.TABLES
    addresses[t], addresses[t + 1] = walk.ctypes.data, model.geometry.ctypes.data
    addresses[t + 2], addresses[t + 3] = model.gravity.ctypes.data, model.damping.ctypes.data
    addresses[t + 4], addresses[t + 5] = model.spring_rows.ctypes.data, model.springs.ctypes.data
    addresses[t + 6], addresses[t + 7] = model.limit_rows.ctypes.data, model.limits.ctypes.data
    return reached
