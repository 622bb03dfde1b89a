"""From the tables of a tree and joints that close loops to the tables of both: where each loop passes, and what it holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import load, load_pose, store, store_pose
from ..algebra.rotations import identity_pose
from ..algebra.spatial import compose, invert
from ..compilation import IntegerTable, Table, allocating, entry, inline, jit
from ..joints import PARAMETERS, joint_tabled, parameters
from ..kernels import memory, tables
from ..kernels.constraints.rows import held_directions
from ..kernels.constraints.tables import CUT, FIRST, PATH, REACH, RESISTS, SCRATCH_ROWS, SINCE, Loops
from ..kernels.memory import (
    HEADER,
    begin_with_rotors,
    header_at,
    hold_all,
    joint_tables_at,
    loops_at,
    model_at,
    normals_at,
    structure_of,
)
from ..kernels.tables import CHILD, CLOSES, COILED, DOFS, END, KIND, LIMITED, PARENT, ROOT, VARIES, KernelModel, V
from .derive import copy, rows_of_bodies
from .description import (
    CHILD_BODY,
    CLOSING_ON_CHILD,
    CLOSING_ON_PARENT,
    CLOSING_PARAMETERS,
    CLOSING_SETTINGS,
    FREEDOM,
    KIND_OF,
    PARENT_BODY,
    VARYING_COLUMNS,
)
from .links import link


@entry
def derive_closed(
    tree: int, rows: Table, limited: IntegerTable, limits: Table, coiled: IntegerTable, coils: Table, joint_tables: Table
) -> tuple[int, int, Any]:
    """The tables of a tree with loops: how many links there are, and a block of memory. The arrays are those of `Closings`."""
    given = model_at(tree)
    number = rows.shape[0]
    loops, cuts, header = (
        np.zeros((number, tables.JOINTS), np.int64),
        np.zeros((number, CUT), np.int64),
        np.empty(HEADER, np.int64),
    )
    header[:] = header_at(tree)
    header[memory.LOOPS] = number
    header[memory.COORDINATES] += row_loops(rows, given, header[memory.COORDINATES], loops)
    header[memory.LIMITS] += limits.shape[0]
    header[memory.COILS] += coils.shape[0]
    header[memory.TABLED] += joint_tables.shape[1]
    header[memory.ROWS], header[memory.LONGEST], header[memory.BAND] = measure(loops, given.walk, cuts)
    links, cycles = link(loops, given.walk)
    header[memory.LINKS], header[memory.CYCLES] = links.shape[0], cycles.shape[0]
    for l in cycles[:, 0]:
        header[memory.CYCLE_ROWS] += 6 - loops[l, DOFS]
    if links.shape[0] > 0:  # all that has to do with a joint is in its own block
        header[memory.BAND] = 6
        for l in range(number):
            cuts[l, SINCE], cuts[l, REACH] = l, cuts[l, FIRST]
    start, block = structure_of(header)
    model, closed = model_at(start), loops_at(start, 0.0)
    copy_tree(given, model)
    copy(loops, closed.loops)
    copy(cuts, closed.cuts)
    copy(links, closed.links)
    copy(cycles, closed.cycles)
    append(limited, limits, model.walk.shape[0], model.limit_rows, model.limits)
    append(coiled, coils, model.walk.shape[0], model.coil_rows, model.coils)
    place_loops(rows, model, closed, normals_at(start))
    move_joint_tables(joint_tables_at(tree), joint_tables, model, joint_tables_at(start))
    hold_all(start, 0.0)
    begin_with_rotors(start, 1, 0.0)
    return links.shape[0], start, block


@jit
def append(given: Any, numbers: Any, n: int, rows: Any, table: Any) -> None:
    """Put what loop joints have, limits or springs, after that of the tree: rows of joints in the table of all, and numbers."""
    for i in range(given.shape[0]):
        at = rows.shape[0] - given.shape[0] + i
        for c in range(numbers.shape[1]):
            table[at, c] = numbers[i, c]
        for c in range(given.shape[1]):
            rows[at, c] = given[i, c]
        rows[at, 0] += n


@jit
def copy_tree(given: KernelModel, model: KernelModel) -> None:
    """The tables of a tree."""
    copy(given.walk, model.joints)
    copy(given.geometry, model.geometry)
    copy(given.gravity, model.gravity)
    copy(given.settings, model.settings)
    copy(given.spring_rows, model.spring_rows)
    copy(given.springs, model.springs)
    copy(given.limit_rows, model.limit_rows)
    copy(given.limits, model.limits)
    copy(given.coil_rows, model.coil_rows)
    copy(given.coils, model.coils)
    copy(given.far, model.far)


@jit
def move_joint_tables(of_tree: Any, of_loops: Any, model: KernelModel, own: Any) -> None:
    """Copy the tables of joints that have some, and leave their new addresses in the parameters of these joints."""
    if own.shape[1] == 0:
        return
    shared = of_tree.shape[1]
    for i in range(shared):
        own[0, i] = of_tree[0, i]
    for i in range(of_loops.shape[1]):
        own[0, shared + i] = of_loops[0, i]
    for k in range(model.joints.shape[0]):
        if joint_tabled(model.joints[k, KIND]) == 1:
            if k < model.walk.shape[0]:
                model.geometry[k, tables.PAR] += float(own.ctypes.data) - float(of_tree.ctypes.data)  # addresses have no sign
            else:
                model.geometry[k, tables.PAR] = own.ctypes.data + 8 * (shared + int(model.geometry[k, tables.PAR]))


@allocating
def row_loops(rows: Any, model: KernelModel, first: int, loops: Any) -> int:
    """The rows of the loop joints in the table of all joints; returns how many velocities they have, from `first` on."""
    row_of, v = rows_of_bodies(model.walk), first
    for l in range(rows.shape[0]):
        parent, child = row_of[int(rows[l, PARENT_BODY]) + 1], row_of[int(rows[l, CHILD_BODY]) + 1]
        dofs = int(rows[l, FREEDOM])
        loops[l, tables.JOINT], loops[l, KIND], loops[l, tables.Q] = model.walk.shape[0] + l, int(rows[l, KIND_OF]), -1
        loops[l, V], loops[l, END], loops[l, DOFS] = v, v + dofs, dofs
        loops[l, VARIES], loops[l, CLOSES] = int(rows[l, VARYING_COLUMNS]), 1
        loops[l, tables.BODY], loops[l, tables.POLARITY] = -1, 1
        loops[l, PARENT], loops[l, CHILD] = parent, child
        loops[l, ROOT] = model.walk[child, ROOT] if child >= 0 else -1
        v += dofs
    return v - first


@inline
def load_pose_at(rows: Any, l: int, column: int) -> Any:
    """A pose that begins at a column of a closing."""
    return load(rows, l, column, 9), load(rows, l, column + 9, 3)


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
def place_loops(rows: Any, model: KernelModel, closed: Loops, normals: Any) -> None:
    """What does not change with the state: frames, paths, whether a joint resists its motion, and rows that are constant."""
    rank(closed, model.walk)
    position = closed.scratch[SCRATCH_ROWS - 1]  # any will do
    for l in range(closed.loops.shape[0]):
        loops = closed.loops
        on_parent, on_child = load_pose_at(rows, l, CLOSING_ON_PARENT), load_pose_at(rows, l, CLOSING_ON_CHILD)
        near, here = on_row(model, loops[l, PARENT], on_parent), on_row(model, loops[l, CHILD], on_child)
        store(closed.geometry, l, tables.E, near[0])
        store(closed.geometry, l, tables.T, near[1])
        store(closed.geometry, l, tables.PAR, load(rows, l, CLOSING_PARAMETERS, PARAMETERS))
        store_pose(closed.child_frames, l, here)
        fill_path(closed, l, model.walk)
        for c in range(loops[l, DOFS]):
            for s in range(tables.SETTINGS):
                model.settings[s, loops[l, V] + c] = rows[l, CLOSING_SETTINGS + 6 * s + c]
                if s != tables.ARMATURE and rows[l, CLOSING_SETTINGS + 6 * s + c] != 0.0:
                    closed.cuts[l, RESISTS] = 1
        if not loops[l, VARIES]:
            par = parameters(closed.geometry, l, tables.PAR, 0.0)
            held_directions(loops[l, KIND], par, position, loops[l, DOFS], closed.cuts[l, FIRST], normals, closed.scratch)
    for i in range(model.tree_limits, model.limit_rows.shape[0]):
        closed.cuts[model.limit_rows[i, LIMITED] - model.walk.shape[0], RESISTS] = 1
    for i in range(model.tree_coils, model.coil_rows.shape[0]):
        closed.cuts[model.coil_rows[i, COILED] - model.walk.shape[0], RESISTS] = 1


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
