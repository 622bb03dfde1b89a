"""From the tables of a tree, joints that close loops and couplings to the tables of all: where each passes, and what it holds."""

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
from ..kernels.constraints.tables import (
    COUNT,
    CUT,
    END_TERM,
    FACTOR,
    FIRST,
    FIRST_TERM,
    PATH,
    PRESCRIBED,
    REACH,
    RESISTS,
    SCRATCH_ROWS,
    SHARES,
    SINCE,
    SOFTNESS,
    TERM,
    TERM_JOINT,
    TERM_Q,
    TERM_V,
    Loops,
)
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
from .coupled import LOOP_JOINT, NUMBERS, OF_COUPLING, TREE_JOINT
from .derive import copy, rows_of_bodies
from .description import (
    CHILD_BODY,
    CLOSING_ARMATURE,
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

MOST_WORDS = 2**29
"""4 GiB: more than some 5000 rows that all share the joints of one tree have; to solve for them would take many minutes."""


@entry
def derive_closed(
    tree: int,
    rows: Table,
    limited: IntegerTable,
    limits: Table,
    coiled: IntegerTable,
    coils: Table,
    joint_tables: Table,
    coupled: Table,
) -> tuple[int, int, int, Any]:
    """The tables of a tree with loops and couplings: how many links and rotors there are, and a block of memory.

    The arrays are those of `Closings`, and what `describe_couplings` gives. Where there is no room for the tables there are
    −1 links, and instead of the rest the number of rows and of degrees of freedom on the longest path.
    """
    given = model_at(tree)
    number, rotors = rows.shape[0], rotors_in(rows)
    hard = number + couplings_in(coupled)
    couplings = hard - number + rotors
    loops, cuts, terms, header = (
        np.zeros((number, tables.JOINTS), np.int64),
        np.zeros((number + couplings, CUT), np.int64),
        np.zeros((coupled.shape[0] + rotors, TERM), np.int64),
        np.empty(HEADER, np.int64),
    )
    heads = np.empty(2 + 2 * terms.shape[0], np.int64)
    for i in range(HEADER):
        header[i] = header_at(tree)[i]
    header[memory.LOOPS], header[memory.COUPLINGS], header[memory.TERMS] = number, couplings, terms.shape[0]
    header[memory.COORDINATES] += row_loops(rows, given, header[memory.COORDINATES], loops)
    header[memory.LIMITS] += limits.shape[0]
    header[memory.COILS] += coils.shape[0]
    header[memory.TABLED] += joint_tables.shape[1]
    row_terms(coupled, given.walk, loops, cuts, terms)
    row_rotors(rows, given.walk.shape[0], loops, cuts, terms)
    header[memory.ROWS], header[memory.LONGEST], header[memory.BAND] = measure(loops, given.walk, cuts, terms, heads)
    header[memory.HARD], header[memory.HARD_ROWS] = hard, cuts[hard - 1, FIRST] + cuts[hard - 1, COUNT]
    links, cycles = link(loops, given.walk, couplings)
    if links.shape[0] == 0 and words_of_rows(header) > MOST_WORDS:
        return -1, header[memory.ROWS], header[memory.LONGEST], np.zeros(1)
    header[memory.LINKS], header[memory.CYCLES] = links.shape[0], cycles.shape[0]
    for l in cycles[:, 0]:
        header[memory.CYCLE_ROWS] += cuts[l, COUNT]
    if links.shape[0] > 0:  # all that has to do with a joint is in its own block
        header[memory.BAND] = 6
        for l in range(cuts.shape[0]):
            cuts[l, SINCE], cuts[l, REACH] = l, cuts[l, FIRST]
    start, block = structure_of(header)
    model, closed = model_at(start), loops_at(start, 0.0)
    copy_tree(given, model)
    copy(loops, closed.loops)
    copy(cuts, closed.cuts)
    copy(terms, closed.terms)
    copy(coupled[:, NUMBERS:], closed.term_numbers)
    fill_rotors(rows, model.walk.shape[0], closed)
    copy(links, closed.links)
    copy(cycles, closed.cycles)
    append(limited, limits, model.walk.shape[0], model.limit_rows, model.limits)
    append(coiled, coils, model.walk.shape[0], model.coil_rows, model.coils)
    rank(closed, model.walk)
    fill_paths(closed, model.walk, heads)
    place_loops(rows, model, closed, normals_at(start))
    move_joint_tables(joint_tables_at(tree), joint_tables, model, joint_tables_at(start))
    hold_all(start, 0.0)
    begin_with_rotors(start, 1, 0.0)
    return links.shape[0], rotors, start, block


@inline
def words_of_rows(header: Any) -> int:
    """How large the tables are that grow with the square of the rows: shares Y, paths, and the band W."""
    blocks = header[memory.LOOPS] + header[memory.COUPLINGS]
    return int(blocks * (header[memory.LONGEST] * (SHARES + 1) + header[memory.BAND] * 6))


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


@inline
def couplings_in(coupled: Any) -> int:
    """How many couplings there are; their terms are in order."""
    last = coupled.shape[0] - 1
    return int(coupled[last, OF_COUPLING]) + 1 if last >= 0 else 0


@jit
def row_terms(coupled: Any, walk: Any, loops: Any, cuts: Any, terms: Any) -> None:
    """`terms` of all couplings, and which of them each has."""
    n, number = walk.shape[0], loops.shape[0]
    for b in range(number, number + couplings_in(coupled)):
        cuts[b, FIRST_TERM] = coupled.shape[0]
    for i in range(coupled.shape[0]):
        b, l = number + int(coupled[i, OF_COUPLING]), int(coupled[i, LOOP_JOINT])
        cuts[b, FIRST_TERM], cuts[b, END_TERM] = min(cuts[b, FIRST_TERM], i), i + 1
        if l >= 0:
            own = max(int(coupled[i, NUMBERS + PRESCRIBED]) - 1, 0)
            terms[i, TERM_JOINT], terms[i, TERM_V], terms[i, TERM_Q] = n + l, loops[l, V] + own, -1
        else:
            for k in range(n):
                if walk[k, tables.JOINT] == coupled[i, TREE_JOINT]:
                    terms[i, TERM_JOINT], terms[i, TERM_V], terms[i, TERM_Q] = k, walk[k, V], walk[k, tables.Q]


@jit
def rotors_in(rows: Any) -> int:
    """How many coordinates of loop joints have armature."""
    count = 0
    for l in range(rows.shape[0]):
        for c in range(6):
            count += 1 if rows[l, CLOSING_ARMATURE + c] > 0.0 else 0
    return count


@jit
def row_rotors(rows: Any, n: int, loops: Any, cuts: Any, terms: Any) -> None:
    """The terms of rotors, which are the last ones, and the blocks that have them."""
    i, b = terms.shape[0] - rotors_in(rows), cuts.shape[0] - rotors_in(rows)
    for l in range(rows.shape[0]):
        for c in range(6):
            if rows[l, CLOSING_ARMATURE + c] > 0.0:
                terms[i, TERM_JOINT], terms[i, TERM_V], terms[i, TERM_Q] = n + l, loops[l, V] + c, -1
                cuts[b, FIRST_TERM], cuts[b, END_TERM] = i, i + 1
                i, b = i + 1, b + 1


@jit
def fill_rotors(rows: Any, n: int, closed: Loops) -> None:
    """FACTOR and SOFTNESS of the terms of rotors."""
    for b in range(closed.hard, closed.cuts.shape[0]):
        i = closed.cuts[b, FIRST_TERM]
        l = closed.terms[i, TERM_JOINT] - n
        closed.term_numbers[i, FACTOR] = 1.0
        closed.term_numbers[i, SOFTNESS] = 1.0 / rows[l, CLOSING_ARMATURE + closed.terms[i, TERM_V] - closed.loops[l, V]]


@jit
def bodies_of_block(loops: Any, cuts: Any, terms: Any, n: int, l: int, heads: Any) -> int:
    """Fill `heads` with the rows of the bodies on which the forces of a block act, −1 for the world; returns how many."""
    count = 0
    if l < loops.shape[0]:
        heads[0], heads[1], count = loops[l, PARENT], loops[l, CHILD], 2
    for i in range(cuts[l, FIRST_TERM], cuts[l, END_TERM]):
        k = terms[i, TERM_JOINT]
        heads[count] = k if k < n else loops[k - n, PARENT]
        heads[count + 1] = -1 if k < n else loops[k - n, CHILD]
        count += 2
    return count


@jit
def next_on_way(heads: Any, count: int, walk: Any) -> int:
    """The last row in the walk that any of the ways from `heads` to their roots passes, −1 at their end; heads go on from it."""
    k = -1
    for i in range(count):
        k = max(k, heads[i])  # parents come before their children
    if k >= 0:
        for i in range(count):
            if heads[i] == k:
                heads[i] = walk[k, PARENT]
    return k


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
def measure(loops: Any, walk: Any, cuts: Any, terms: Any, heads: Any) -> tuple[int, int, int]:
    """Fill FIRST, COUNT, PATH, SINCE and REACH; returns the number of rows, the longest path and the width of the band.

    `heads` is scratch for the bodies of a block.
    """
    first_of = np.full(walk.shape[0], -1, np.int64)  # the first block in each tree, by its root
    rows, longest, band = 0, 1, 1
    for l in range(cuts.shape[0]):
        cuts[l, FIRST], cuts[l, SINCE], cuts[l, COUNT] = rows, l, 6 - loops[l, DOFS] if l < loops.shape[0] else 1
        rows += cuts[l, COUNT]
        ways, count = bodies_of_block(loops, cuts, terms, walk.shape[0], l, heads), 0
        for i in range(ways):
            if heads[i] >= 0:
                root = walk[heads[i], ROOT]
                if first_of[root] < 0:
                    first_of[root] = l
                cuts[l, SINCE] = min(cuts[l, SINCE], first_of[root])
        cuts[l, REACH] = cuts[cuts[l, SINCE], FIRST]
        band = max(band, rows - cuts[l, REACH])
        k = next_on_way(heads, ways, walk)
        while k >= 0:
            count += walk[k, DOFS]
            k = next_on_way(heads, ways, walk)
        cuts[l, PATH] = count
        longest = max(longest, count)
    return rows, longest, band


@allocating
def place_loops(rows: Any, model: KernelModel, closed: Loops, normals: Any) -> None:
    """What does not change with the state: frames, whether a joint resists its motion, and rows that are constant."""
    position = closed.scratch[SCRATCH_ROWS - 1]  # any will do
    for l in range(closed.loops.shape[0]):
        loops = closed.loops
        on_parent, on_child = load_pose_at(rows, l, CLOSING_ON_PARENT), load_pose_at(rows, l, CLOSING_ON_CHILD)
        near, here = on_row(model, loops[l, PARENT], on_parent), on_row(model, loops[l, CHILD], on_child)
        store(closed.geometry, l, tables.E, near[0])
        store(closed.geometry, l, tables.T, near[1])
        store(closed.geometry, l, tables.PAR, load(rows, l, CLOSING_PARAMETERS, PARAMETERS))
        store_pose(closed.child_frames, l, here)
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
def fill_paths(closed: Loops, walk: Any, heads: Any) -> None:
    """The degrees of freedom on the ways from each block's bodies to their roots, by their places in the walk, ascending."""
    for l in range(closed.cuts.shape[0]):
        ways, at = bodies_of_block(closed.loops, closed.cuts, closed.terms, walk.shape[0], l, heads), closed.cuts[l, PATH]
        k = next_on_way(heads, ways, walk)
        while k >= 0:
            at -= walk[k, DOFS]
            for i in range(walk[k, DOFS]):
                closed.path[l, at + i] = closed.ranks[0, k] + i
            k = next_on_way(heads, ways, walk)
