"""From a description to the tables that kernels run on: the walk over the tree, its geometry, and where each loop passes.

The walk is in depth-first order, a body's joints in the order in which they were added; a joint that is walked from its child to
its parent has polarity −1. In the tables each body has the frame of the joint that leads to it, so a recursion needs one
tree transform (S1's E and t) per body.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import load, load_pose, store, store_pose
from ..algebra.rotations import identity_pose
from ..algebra.spatial import Rotation, compose, invert, rotate_back, subtract, transpose, turn_inertia
from ..compilation import allocating, entry, inline, jit
from ..joints import PARAMETERS, joint_tabled, parameters
from ..kernels import memory, tables
from ..kernels.constraints.rows import held_directions
from ..kernels.constraints.tables import CUT, FIRST, PATH, REACH, RESISTS, SCRATCH_COLUMNS, SINCE, Loops
from ..kernels.memory import HEADER, block_of, joint_tables_at, loops_at, model_at, normals_at, size_structure
from ..kernels.tables import CHILD, CLOSES, DOFS, END, KIND, LIMITED, PARENT, ROOT, VARIES, KernelModel, V
from .description import (
    CHILD_BODY,
    CLOSING,
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
from .links import link


@entry
def derive_tree(d: Description, nq: int, nv: int) -> tuple[int, int, int, Any]:
    """The tables of a structure without loops: how many bodies the walk has reached, no links, and a block of memory.

    Where a body was not reached there is nothing in it but the walk.
    """
    joints = np.zeros((d.inertias.shape[0], tables.JOINTS), np.int64)
    header = header_of(joints.shape[0], 0, d.damping.shape[1], nq, nv)
    header[memory.SPRINGS], header[memory.LIMITS] = d.springs.shape[0], d.limits.shape[0]
    header[memory.TABLED] = d.joint_tables.shape[1]
    reached = span(d.joints, joints)
    header[memory.TREE_LIMITS] = header[memory.LIMITS]
    start, block = new_structure(header, joints)
    if reached == joints.shape[0]:
        fill_tree(d, joints.shape[0], model_at(start))
        attach_joint_tables(d, joints.shape[0], model_at(start), joint_tables_at(start))
    return reached, 0, start, block


@entry
def derive_closed(d: Description, nq: int, nv: int) -> tuple[int, int, int, Any]:
    """The same for one with loops, and how many links there are; by itself, as it takes longer to compile."""
    n, tree = d.inertias.shape[0], 0
    while d.joints[tree, CLOSING] == 0:
        tree += 1
    joints = np.zeros((n + d.joints.shape[0] - tree, tables.JOINTS), np.int64)
    walk, loops, cuts = joints[:n], joints[n:], np.zeros((joints.shape[0] - n, CUT), np.int64)
    header = header_of(n, joints.shape[0] - n, d.damping.shape[1], nq, nv)
    header[memory.SPRINGS], header[memory.LIMITS] = d.springs.shape[0], d.limits.shape[0]
    header[memory.TABLED] = d.joint_tables.shape[1]
    reached = span(d.joints[:tree], walk)
    if reached < n:
        start, block = new_structure(header, joints)
        return reached, 0, start, block
    row_loops(d.joints[tree:], walk, loops)
    header[memory.ROWS], header[memory.LONGEST], header[memory.BAND] = measure(loops, walk, cuts)
    links, cycles = link(loops, walk)
    header[memory.LINKS], header[memory.CYCLES] = links.shape[0], cycles.shape[0]
    for l in cycles[:, 0]:
        header[memory.CYCLE_ROWS] += 6 - loops[l, DOFS]
    if links.shape[0] > 0:  # all that has to do with a joint is in its own block
        header[memory.BAND] = 6
        for l in range(loops.shape[0]):
            cuts[l, SINCE], cuts[l, REACH] = l, cuts[l, FIRST]
    while header[memory.TREE_LIMITS] < d.limits.shape[0] and d.limited[header[memory.TREE_LIMITS], 0] < tree:
        header[memory.TREE_LIMITS] += 1
    start, block = new_structure(header, joints)
    model, closed = model_at(start), loops_at(start, 0.0)
    copy(cuts, closed.cuts)
    copy(links, closed.links)
    copy(cycles, closed.cycles)
    fill_tree(d, tree, model)
    close_loops(d, tree, model, closed, normals_at(start))
    attach_joint_tables(d, tree, model, joint_tables_at(start))
    return reached, links.shape[0], start, block


@allocating
def header_of(bodies: int, loops: int, coordinates: int, nq: int, nv: int) -> Any:
    """The sizes of the tables of a tree, without its springs and limits."""
    header = np.zeros(HEADER, np.int64)
    header[memory.BODIES], header[memory.LOOPS], header[memory.LONGEST] = bodies, loops, 1
    header[memory.POSITIONS], header[memory.VELOCITIES], header[memory.COORDINATES] = nq, nv, coordinates
    return header


@allocating
def new_structure(header: Any, joints: Any) -> tuple[int, Any]:
    """A block for a structure of these sizes, with its joints."""
    size_structure(header)
    start, block = block_of(header, memory.JOINTS_AT, memory.BODY_AT)
    copy(joints, model_at(start).joints)
    return start, block


@allocating
def fill_tree(d: Description, tree: int, model: KernelModel) -> None:
    """All tables of a structure but those of its loops; `tree` is how many joints the tree has."""
    copy(d.gravity, model.gravity)
    copy(d.damping, model.damping)
    copy(d.limits, model.limits)
    place(d.numbers, d.inertias, model.walk, model.geometry, model.far)
    if d.springs.shape[0] > 0:
        copy(d.springs, model.springs)
        attach_springs(d.spring_ends, model.walk, model.far, model.spring_rows, model.springs)
    if d.limited.shape[0] > 0:
        attach_limits(d.limited, tree, model.walk, model.limit_rows)


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
    table[row, VARIES], table[row, CLOSES] = joints[j, VARYING], joints[j, CLOSING]


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
def attach_limits(limited: Any, tree: int, walk: Any, limit_rows: Any) -> None:
    """Limits from joints to rows.  O(n + limits)."""
    rows = np.empty(walk.shape[0], np.int64)
    for k in range(walk.shape[0]):
        rows[walk[k, tables.JOINT]] = k
    copy(limited, limit_rows)
    for i in range(limited.shape[0]):
        j = limited[i, 0]
        limit_rows[i, LIMITED] = rows[j] if j < tree else walk.shape[0] + j - tree


@jit
def attach_joint_tables(d: Description, tree: int, model: KernelModel, own: Any) -> None:
    """Copy the tables of joints that have some, and leave their addresses in the parameters of these joints."""
    if own.shape[1] == 0:
        return
    copy(d.joint_tables, own)
    for k in range(model.joints.shape[0]):
        if joint_tabled(model.joints[k, KIND]) == 1:
            j = model.joints[k, tables.JOINT] + (0 if k < model.walk.shape[0] else tree)
            model.geometry[k, tables.PAR] = own.ctypes.data + 8 * int(d.numbers[j, JOINT_PARAMETERS])


# --- loops ------------------------------------------------------------------------------------------------------------------


@allocating
def row_loops(joints: Any, walk: Any, loops: Any) -> None:
    """The rows of the loop joints in the table of all joints."""
    if joints.shape[0] == 0:
        return
    rows = rows_of_bodies(walk)
    for l in range(joints.shape[0]):
        describe_row(joints, l, loops, l)
        loops[l, tables.BODY], loops[l, tables.POLARITY] = -1, 1
        loops[l, PARENT], loops[l, CHILD] = rows[joints[l, PARENT_BODY] + 1], rows[joints[l, CHILD_BODY] + 1]
        loops[l, ROOT] = walk[loops[l, CHILD], ROOT] if loops[l, CHILD] >= 0 else -1


@allocating
def measure(loops: Any, walk: Any, cuts: Any) -> tuple[int, int, int]:
    """Fill FIRST, PATH, SINCE and REACH; returns the number of rows, the longest path and the width of the band."""
    first_of = np.full(walk.shape[0], -1, np.int64)  # the first loop in each tree, by its root
    rows, longest, band = 0, 1, 1
    for l in range(loops.shape[0]):
        a, b = loops[l, PARENT], loops[l, CHILD]
        cuts[l, FIRST], cuts[l, SINCE] = rows, l
        rows += 6 - loops[l, DOFS]
        for k in (a, b):
            if k >= 0:
                root = walk[k, ROOT]
                if first_of[root] < 0:
                    first_of[root] = l
                cuts[l, SINCE] = min(cuts[l, SINCE], first_of[root])
        cuts[l, REACH] = cuts[cuts[l, SINCE], FIRST]
        band = max(band, rows - cuts[l, REACH])
        count = 0
        while a >= 0 or b >= 0:
            k = max(a, b)
            count += walk[k, DOFS]
            a, b = walk[k, PARENT] if a == k else a, walk[k, PARENT] if b == k else b
        cuts[l, PATH] = count
        longest = max(longest, count)
    return rows, longest, band


@allocating
def close_loops(d: Description, tree: int, model: KernelModel, closed: Loops, normals: Any) -> None:
    """What does not change with the state: frames, paths, whether a joint resists its motion, and rows that are constant."""
    if closed.loops.shape[0] == 0:
        return
    rank(closed, model.walk)
    position, scratch = np.zeros(SCRATCH_COLUMNS), np.zeros((12, SCRATCH_COLUMNS))  # any position will do
    for l in range(closed.loops.shape[0]):
        loops, j = closed.loops, tree + l
        on_parent = load(d.numbers, j, ON_PARENT, 9), load(d.numbers, j, ON_PARENT + 9, 3)
        on_child = load(d.numbers, j, ON_CHILD, 9), load(d.numbers, j, ON_CHILD + 9, 3)
        near, here = on_row(model, loops[l, PARENT], on_parent), on_row(model, loops[l, CHILD], on_child)
        store(closed.geometry, l, tables.E, near[0])
        store(closed.geometry, l, tables.T, near[1])
        store(closed.geometry, l, tables.PAR, load(d.numbers, j, JOINT_PARAMETERS, PARAMETERS))
        store_pose(closed.child_frames, l, here)
        fill_path(closed, l, model.walk)
        for c in range(loops[l, V], loops[l, END]):
            if model.damping[0, c] != 0.0:
                closed.cuts[l, RESISTS] = 1
        if not loops[l, VARIES]:
            par = parameters(closed.geometry, l, tables.PAR, 0.0)
            held_directions(loops[l, KIND], par, position, loops[l, DOFS], closed.cuts[l, FIRST], normals, scratch)
    for i in range(model.tree_limits, model.limit_rows.shape[0]):
        closed.cuts[model.limit_rows[i, LIMITED] - model.walk.shape[0], RESISTS] = 1


@inline
def on_row(model: KernelModel, k: int, X: Any) -> Any:
    """A frame that is given on a body, in the frame of the body's row."""
    if k >= 0:
        return compose(invert(load_pose(model.far, k)), X)
    return compose(identity_pose(0.0), X)


@jit
def rank(closed: Loops, walk: Any) -> None:
    """The places of all degrees of freedom in the walk."""
    count = 0
    for k in range(walk.shape[0]):
        closed.ranks[0, k] = count
        for d in range(walk[k, V], walk[k, END]):
            closed.dofs[0, count] = d
            count += 1


@jit
def fill_path(closed: Loops, l: int, walk: Any) -> None:
    """The degrees of freedom on the ways from a loop's bodies to their roots, by their places in the walk, in ascending order."""
    path = closed.path
    a, b, at = closed.loops[l, PARENT], closed.loops[l, CHILD], closed.cuts[l, PATH]
    while a >= 0 or b >= 0:
        k = max(a, b)  # parents come before their children
        count = walk[k, DOFS]
        at -= count
        for i in range(count):
            path[l, at + i] = closed.ranks[0, k] + i
        a, b = walk[k, PARENT] if a == k else a, walk[k, PARENT] if b == k else b
