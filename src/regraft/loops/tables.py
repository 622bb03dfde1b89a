"""The loops of a mechanism as the tables that kernels run on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._jit import entry, jit
from ..description import limit_rows
from ..joints import JointType, kind_of, padded_parameters, parameters
from ..kernels import entries
from ..kernels.layout import END, LOWER, PARENT, ROOT, UPPER, V
from ..kernels.loop_layout import (
    BAND,
    BODIES_IN,
    CHILD_ROW,
    DRIVEN,
    FIRST,
    LIMIT_OF,
    LIMITED,
    LONGEST,
    LOOP,
    LOOP_DAMPING,
    LOOP_HANDLE,
    LOOP_KIND,
    LOOP_NUMBERS,
    LOOP_PAR,
    LOOP_TABLES,
    LOOP_TAU,
    LOOP_V,
    NUMBER,
    ON_CHILD,
    ON_PARENT,
    PARENT_ROW,
    PATH,
    POSITION,
    REACH,
    ROW,
    ROWS_IN,
    SCRATCH_COLUMNS,
    SCRATCH_ROWS,
    SHARES,
    SINCE,
    VARIES_TOO,
    VELOCITIES_IN,
)
from ..kernels.loops import held_directions
from ..mechanism import Mechanism
from ..memory import load, load_pose, store
from ..parts import WORLD, Joint
from ..spatial import compose, invert
from ..tree import Tree

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


class LoopTables:
    """The tables of a structure's loops with scratch for one computation at a time, and the handle by which kernels find them."""

    __slots__ = ("handle", "keep", "loops", "numbers", "rows")

    def __init__(self, mech: Mechanism) -> None:
        tree, names = mech.tree, mech.loop_joints
        self.loops: Integers = np.zeros((len(names), LOOP), np.int64)
        self.numbers: Array = np.zeros((len(names), LOOP_NUMBERS))
        limits = []
        for l, name in enumerate(names):
            joint = mech.joints[name]
            _fill(self.loops[l], self.numbers[l], tree, joint)
            if joint.type.limits is not None:
                limits.append(_limits(l, joint.type))
        limited = np.concatenate([rows for rows, _ in limits]) if limits else _NO_ROWS
        bounds = np.concatenate([numbers for _, numbers in limits]) if limits else _NO_BOUNDS
        addresses: Integers = np.empty(LOOP_HANDLE, np.int64)
        self.handle, *memory, self.rows = derive(
            self.loops, self.numbers, limited, bounds, tree.walk, tree.far, tree.nv, addresses
        )
        self.keep = limited, bounds, addresses, *memory  # a handle is a bare address, and leads to more of them

    def __reduce__(self) -> Any:
        raise TypeError("the tables of loops hold addresses of this process; they cannot be copied or sent elsewhere.")

    @property
    def limited(self) -> bool:
        """Whether a loop joint has limits."""
        return bool(len(self.keep[0]))

    def drive(self, l: int, torques: Array) -> None:
        """Set the torques of a loop joint's motor."""
        self.numbers[l, LOOP_TAU : LOOP_TAU + len(torques)] = torques
        self.loops[l, DRIVEN] = 1


_NO_ROWS, _NO_BOUNDS = np.zeros((0, LIMIT_OF), np.int64), np.zeros((0, 4))


def _limits(l: int, joint: JointType) -> tuple[Integers, Array]:
    """`limit_rows` of a loop joint, and which of them bound an angle from both sides that a pose gives up to whole turns."""
    rows, bounds = limit_rows(l, joint)
    between = np.isfinite(bounds[:, (LOWER, UPPER)]).all(axis=1)
    return np.column_stack([rows, np.isin(rows[:, 1], joint.turns) & between]), bounds


def loops_of(mech: Mechanism) -> LoopTables:
    """The tables of a mechanism's loops; made once for each structure."""
    tree = mech.tree
    if tree.closed is None:
        tree.closed = LoopTables(mech)
    found: LoopTables = tree.closed
    return found


def loop_measures(mech: Mechanism, states: Array) -> Array:
    """(states, 3): the largest gap of a loop in position and in velocity, and the energy in the limits of loop joints."""
    work, closed, out = mech.tree.new_work(), LoopTables(mech), np.zeros((len(states), 3))
    if len(closed.loops):
        entries.loops_of_many(work.handle, closed.handle, states, out)
    return out


def _fill(row: Integers, numbers: Array, tree: Tree, joint: Joint) -> None:
    """What the joint says by itself; its frames on its bodies, not yet in those of the bodies' rows."""
    kind, on_parent, on_child = joint.type, joint.parent_pose, joint.child_pose
    parent = -1 if joint.parent == WORLD else tree.row_of[joint.parent]
    child = -1 if joint.child == WORLD else tree.row_of[joint.child]
    row[: LOOP_V + 1] = parent, child, kind_of(kind), kind.nv
    row[VARIES_TOO], row[DRIVEN] = kind.kernels.rates is not None, kind.limits is not None
    numbers[ON_PARENT : ON_PARENT + 9], numbers[ON_PARENT + 9 : ON_CHILD] = on_parent.rotation.ravel(), on_parent.translation
    numbers[ON_CHILD : ON_CHILD + 9], numbers[ON_CHILD + 9 : LOOP_PAR] = on_child.rotation.ravel(), on_child.translation
    numbers[LOOP_PAR:LOOP_DAMPING] = padded_parameters(kind)
    numbers[LOOP_DAMPING : LOOP_DAMPING + kind.nv] = kind.damping


@entry
def derive(
    loops: Any, numbers: Any, limited: Any, limits: Any, walk: Any, far: Any, nv: int, addresses: Any
) -> tuple[int, Any, Any, Any, Any]:
    """Complete the tables of the loops; returns their handle and the memory that it leads to, the rows last.

    O(n + loops · depth).
    """
    number, n = loops.shape[0], walk.shape[0]
    rows, longest, band = _measure(loops, walk)
    for l in range(number):
        for column, k in ((ON_PARENT, loops[l, PARENT_ROW]), (ON_CHILD, loops[l, CHILD_ROW])):
            if k >= 0:
                place = load(numbers, l, column, 9), load(numbers, l, column + 9, 3)
                R, p = compose(invert(load_pose(far, k)), place)
                store(numbers, l, column, R)
                store(numbers, l, column + 9, p)
    integers = np.empty((number + 2) * longest + n + nv, np.int64)
    path, shared = integers[: number * longest].reshape((number, longest)), integers[n + nv + number * longest :]
    ranks, dofs = integers[number * longest : number * longest + n], integers[number * longest + n :]
    count = 0
    for k in range(n):
        ranks[k] = count
        for d in range(walk[k, V], walk[k, END]):
            dofs[count] = d
            count += 1
    for l in range(number):
        _fill_path(loops, l, walk, ranks, path)
    table, scratch = np.zeros((rows, ROW)), np.zeros((SCRATCH_ROWS, SCRATCH_COLUMNS))
    for l in range(number):
        _settle(loops, numbers, l, table, scratch)
    floats = np.zeros((SHARES * longest + 6 * band) * number + longest)
    at, t = floats.ctypes.data, LOOP_TABLES
    addresses[NUMBER], addresses[LIMITED], addresses[BODIES_IN], addresses[VELOCITIES_IN] = number, limits.shape[0], n, nv
    addresses[ROWS_IN], addresses[LONGEST], addresses[BAND] = rows, longest, band
    addresses[t], addresses[t + 1] = loops.ctypes.data, numbers.ctypes.data
    addresses[t + 2], addresses[t + 3] = limited.ctypes.data, limits.ctypes.data
    addresses[t + 4], addresses[t + 5], addresses[t + 6] = path.ctypes.data, ranks.ctypes.data, dofs.ctypes.data
    addresses[t + 7], addresses[t + 8] = table.ctypes.data, at
    addresses[t + 9] = at + 8 * SHARES * number * longest
    addresses[t + 10] = shared.ctypes.data
    addresses[t + 11] = addresses[t + 9] + 8 * 6 * band * number
    addresses[t + 12] = scratch.ctypes.data
    return addresses.ctypes.data, integers, floats, scratch, table


@jit
def _settle(loops: Any, numbers: Any, l: int, rows: Any, scratch: Any) -> None:
    """What does not change with the state: whether the joint resists its own motion; NORMAL where its columns are constant."""
    nv = loops[l, LOOP_V]
    for d in range(nv):
        if numbers[l, LOOP_DAMPING + d] != 0.0:
            loops[l, DRIVEN] = 1
    if not loops[l, VARIES_TOO]:
        scratch[POSITION, :] = 0.0  # any position will do
        par = parameters(numbers, l, LOOP_PAR, 0.0)
        held_directions(loops[l, LOOP_KIND], par, scratch[POSITION], nv, loops[l, FIRST], rows, scratch)


@jit
def _measure(loops: Any, walk: Any) -> tuple[int, int, int]:
    """Fill FIRST, PATH, SINCE and REACH; returns the number of rows, the longest path and the width of the band."""
    first_of = np.full(walk.shape[0], -1, np.int64)  # the first loop in each tree, by its root
    rows, longest, band = 0, 1, 1
    for l in range(loops.shape[0]):
        a, b = loops[l, PARENT_ROW], loops[l, CHILD_ROW]
        loops[l, FIRST], loops[l, SINCE] = rows, l
        rows += 6 - loops[l, LOOP_V]
        for k in (a, b):
            if k >= 0:
                root = walk[k, ROOT]
                if first_of[root] < 0:
                    first_of[root] = l
                loops[l, SINCE] = min(loops[l, SINCE], first_of[root])
        loops[l, REACH] = loops[loops[l, SINCE], FIRST]
        band = max(band, rows - loops[l, REACH])
        count = 0
        while a >= 0 or b >= 0:
            k = max(a, b)
            count += walk[k, END] - walk[k, V]
            a, b = walk[k, PARENT] if a == k else a, walk[k, PARENT] if b == k else b
        loops[l, PATH] = count
        longest = max(longest, count)
    return rows, longest, band


@jit
def _fill_path(loops: Any, l: int, walk: Any, ranks: Any, path: Any) -> None:
    """The degrees of freedom on the ways from a loop's bodies to their roots, by their places in the walk, in ascending order."""
    a, b, at = loops[l, PARENT_ROW], loops[l, CHILD_ROW], loops[l, PATH]
    while a >= 0 or b >= 0:
        k = max(a, b)  # parents come before their children
        count = walk[k, END] - walk[k, V]
        at -= count
        for i in range(count):
            path[l, at + i] = ranks[k] + i
        a, b = walk[k, PARENT] if a == k else a, walk[k, PARENT] if b == k else b
