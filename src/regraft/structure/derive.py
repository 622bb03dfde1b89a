"""From a description to the tables of a tree that kernels run on: the walk over it, and its geometry.

The walk is in depth-first order, a body's joints in the order in which they were added; a joint that is walked from its child to
its parent has polarity −1. In the tables each body has the frame of the joint that leads to it, so a recursion needs one
tree transform (S1's E and t) per body.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import load, load_pose, store, store_pose
from ..algebra.spatial import Rotation, compose, invert, rotate_back, subtract, transpose, turn_inertia
from ..compilation import allocating, entry, inline, jit
from ..joints import PARAMETERS, joint_tabled
from ..kernels import memory, tables
from ..kernels.memory import HEADER, begin_with_rotors, joint_tables_at, model_at, structure_of
from ..kernels.tables import CHILD, DOFS, END, KIND, PARENT, ROOT, VARIES, KernelModel, V
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


@entry
def derive_tree(d: Description, nq: int, nv: int) -> tuple[int, int, Any]:
    """The tables of a structure without loops: how many bodies the walk has reached, and a block of memory.

    Where a body was not reached there is nothing in it but the walk.
    """
    walk, header = np.zeros((d.inertias.shape[0], tables.JOINTS), np.int64), np.zeros(HEADER, np.int64)
    header[memory.BODIES], header[memory.LONGEST] = walk.shape[0], 1
    header[memory.POSITIONS], header[memory.VELOCITIES], header[memory.COORDINATES] = nq, nv, nv
    header[memory.SPRINGS], header[memory.LIMITS], header[memory.TREE_LIMITS] = (
        d.springs.shape[0],
        d.limits.shape[0],
        d.limits.shape[0],
    )
    header[memory.TABLED] = d.joint_tables.shape[1]
    header[memory.COILS], header[memory.TREE_COILS] = d.coils.shape[0], d.coils.shape[0]
    for c in range(nv):
        header[memory.ROTORS] += d.settings[tables.ARMATURE, c] > 0.0
        header[memory.RUBBING] += d.settings[tables.FRICTION, c] > 0.0
    reached = span(d.joints, walk)
    start, block = structure_of(header)
    model = model_at(start)
    copy(walk, model.walk)
    if reached == walk.shape[0]:
        copy(d.gravity, model.gravity)
        copy(d.settings, model.settings)
        copy(d.limits, model.limits)
        copy(d.coils, model.coils)
        place(d.numbers, d.inertias, model.walk, model.geometry, model.far)
        if d.springs.shape[0] > 0:
            copy(d.springs, model.springs)
            attach_springs(d.spring_ends, model.walk, model.far, model.spring_rows, model.springs)
        attach_to_rows(d.limited, model.walk, model.limit_rows)
        attach_to_rows(d.coiled, model.walk, model.coil_rows)
        attach_joint_tables(d, model, joint_tables_at(start))
        begin_with_rotors(start, 1, 0.0)
    return reached, start, block


@jit
def copy(given: Any, table: Any) -> None:
    """Make a table equal to another one."""
    for i in range(given.shape[0]):
        for c in range(given.shape[1]):
            table[i, c] = given[i, c]


# --- the tree ---------------------------------------------------------------------------------------------------------------


@allocating
def span(joints: Any, walk: Any) -> int:
    """Fill `walk`: depth first from the world, joints in their order. Returns how many bodies were reached.  O(n)."""
    bodies, count = walk.shape[0], joints.shape[0]
    incident, first = incidence(joints, PARENT_BODY, CHILD_BODY, bodies)
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
        from_body = -1 if parent < 0 else walk[parent, tables.BODY]
        forward = joints[j, PARENT_BODY] == from_body
        body = joints[j, CHILD_BODY] if forward else joints[j, PARENT_BODY]
        if row_of[body + 1] != -2:
            continue
        row_of[body + 1] = rows
        describe_row(joints, j, walk, rows)
        walk[rows, tables.BODY], walk[rows, PARENT], walk[rows, CHILD] = body, parent, rows
        walk[rows, tables.POLARITY] = 1 if forward else -1
        walk[rows, ROOT] = rows if parent < 0 else walk[parent, ROOT]
        walk[rows, tables.LEAF], walk[rows, tables.LAST] = 1, 1
        if parent >= 0:
            walk[parent, tables.LEAF] = 0
            if last_child[parent] >= 0:
                walk[last_child[parent], tables.LAST] = 0
            last_child[parent] = rows
        for e in range(first[body + 2] - 1, first[body + 1] - 1, -1):
            if incident[e] != j:
                waiting[left, 0], waiting[left, 1] = incident[e], rows
                left += 1
        rows += 1
    return rows


@inline
def describe_row(joints: Any, j: int, table: Any, row: int) -> None:
    """What a joint says by itself."""
    table[row, tables.JOINT], table[row, KIND], table[row, tables.Q] = j, joints[j, KIND_OF], joints[j, FIRST_Q]
    table[row, V], table[row, END], table[row, DOFS] = joints[j, FIRST_V], joints[j, END_V], joints[j, END_V] - joints[j, FIRST_V]
    table[row, VARIES] = joints[j, VARYING]


@inline
def is_identity(R: Rotation) -> int:
    """1 for the rotation that turns nothing, else 0."""
    off = R[1] != 0.0 or R[2] != 0.0 or R[3] != 0.0 or R[5] != 0.0 or R[6] != 0.0 or R[7] != 0.0
    return 0 if off or R[0] != 1.0 or R[4] != 1.0 or R[8] != 1.0 else 1


@jit
def place(numbers: Any, inertias: Any, walk: Any, geometry: Any, far: Any) -> None:
    """Fill `geometry` and `far` of the tree, in the frames of the joints that lead to the bodies.  O(n)."""
    for k in range(walk.shape[0]):
        j, parent, body = walk[k, tables.JOINT], walk[k, PARENT], walk[k, tables.BODY]
        on_parent = load(numbers, j, ON_PARENT, 9), load(numbers, j, ON_PARENT + 9, 3)
        on_child = load(numbers, j, ON_CHILD, 9), load(numbers, j, ON_CHILD + 9, 3)
        near, here = (on_parent, on_child) if walk[k, tables.POLARITY] > 0 else (on_child, on_parent)
        if parent >= 0:
            near = compose(invert(load_pose(far, parent)), near)
        store_pose(far, k, here)
        store(geometry, k, tables.E, near[0])
        store(geometry, k, tables.T, near[1])
        walk[k, tables.STRAIGHT] = is_identity(near[0])
        geometry[k, tables.MASS] = inertias[body, 0]
        store(geometry, k, tables.COM, rotate_back(here[0], subtract(load(inertias, body, 1, 3), here[1])))
        store(geometry, k, tables.MOMENTS, turn_inertia(transpose(here[0]), load(inertias, body, 4, 6)))
        store(geometry, k, tables.PAR, load(numbers, j, JOINT_PARAMETERS, PARAMETERS))


@allocating
def rows_of_bodies(walk: Any) -> Any:
    """The row of each body, that of the world first."""
    rows = np.empty(walk.shape[0] + 1, np.int64)
    rows[0] = -1
    for k in range(walk.shape[0]):
        rows[walk[k, tables.BODY] + 1] = k
    return rows


@allocating
def attach_springs(ends: Any, walk: Any, far: Any, spring_rows: Any, springs: Any) -> None:
    """Springs from bodies to rows, their points into the rows' frames.  O(n + springs)."""
    rows = rows_of_bodies(walk)
    for s in range(ends.shape[0]):
        for side in range(2):
            k = rows[ends[s, side] + 1]
            spring_rows[s, side] = k
            if k >= 0:
                point = subtract(load(springs, s, 3 * side, 3), load(far, k, 9, 3))
                store(springs, s, 3 * side, rotate_back(load(far, k, 0, 9), point))


@allocating
def attach_to_rows(given: Any, walk: Any, table: Any) -> None:
    """What joints have, limits or springs, from joints to rows: the first column.  O(n + their number)."""
    if given.shape[0] == 0:
        return
    rows = np.empty(walk.shape[0], np.int64)
    for k in range(walk.shape[0]):
        rows[walk[k, tables.JOINT]] = k
    copy(given, table)
    for i in range(given.shape[0]):
        table[i, 0] = rows[given[i, 0]]


@jit
def attach_joint_tables(d: Description, model: KernelModel, own: Any) -> None:
    """Copy the tables of joints that have some, and leave their addresses in the parameters of these joints."""
    if own.shape[1] == 0:
        return
    copy(d.joint_tables, own)
    for k in range(model.walk.shape[0]):
        if joint_tabled(model.walk[k, KIND]) == 1:
            place_of = d.numbers[model.walk[k, tables.JOINT], JOINT_PARAMETERS]
            model.geometry[k, tables.PAR] = own.ctypes.data + 8 * int(place_of)
