"""The loops of a mechanism as the tables that kernels run on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.memory import load, load_pose, load_vector, store, table_at, words_in
from ..algebra.scalars import Scalar
from ..algebra.spatial import compose, invert
from ..compilation import Floats, IntegerTable, SixFloats, Table, address_of, allocating, entry, generic_entry, jit
from ..describe.mechanism import Mechanism
from ..describe.parts import Joint
from ..joints import JointType, kind_of, padded_parameters, parameters
from ..kernels.constraints.closure import loop_closing, loops_of_many
from ..kernels.constraints.delassus import ALL_ROWS
from ..kernels.constraints.dynamics import loop_dynamics
from ..kernels.constraints.link_kernels import complex_links_kernel, links_kernel
from ..kernels.constraints.rows import held_directions
from ..kernels.constraints.tables import (
    BAND,
    BODIES_IN,
    BODY_LOADS,
    CHILD_ROW,
    CYCLE_ROWS_IN,
    CYCLES_IN,
    DRIVEN,
    FACTORS,
    FIRST,
    HELD_ROWS,
    LIMIT_OF,
    LIMITED,
    LINKS_AT,
    LINKS_IN,
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
    MOST,
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
    Loops,
    loops_at,
)
from ..kernels.tables import END, LOWER, PARENT, ROOT, UPPER, V, model_at, velocities_in
from .derived import Derived
from .description import limit_rows
from .links import link
from .tree import Tree

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


class LoopTables:
    """The tables of a structure's loops with scratch for one computation at a time, and the handle by which kernels find them.

    `like` is a number of the kind in which they compute, float or complex. The handle is a bare address: whoever uses it keeps
    the tables in a variable of its own until the kernel has returned.
    """

    __slots__ = ("coordinates", "handle", "keep", "loops", "memory", "numbers", "tree")

    def __init__(self, mech: Mechanism, like: complex = 0.0, derived: Derived | None = None) -> None:
        structure, joints = derived or mech._derived, mech.joints
        self.tree = tree = structure.tree or mech.tree_of(structure)
        """The tree that they belong to."""
        loops = (structure.layout or mech.layout_of(structure)).loops
        self.loops: Integers = np.zeros((len(loops), LOOP), np.int64)
        self.numbers: Array = np.zeros((len(loops), LOOP_NUMBERS))
        self.coordinates: Any = None
        """The coordinates of all joints, once they are asked for."""
        limits = []
        for l, (name, _, _) in enumerate(loops):
            joint = joints[name]
            self._fill(l, tree, joint)
            if joint.type.limits is not None:
                limits.append(_limits(l, joint.type))
        limited = np.concatenate([rows for rows, _ in limits]) if limits else _NO_ROWS
        bounds = np.concatenate([numbers for _, numbers in limits]) if limits else _NO_BOUNDS
        self.keep = limited, bounds  # a handle is a bare address, and leads to more of them
        make = derive if isinstance(like, complex) else derive.call
        self.handle, self.memory = make(self.loops, self.numbers, limited, bounds, tree.handle, tree.far, like)
        addresses = self.memory[:LOOP_HANDLE].view(np.int64)
        if addresses[LINKS_IN]:
            addresses[LINKS_AT] = _links_kernel(isinstance(like, complex))

    def _fill(self, l: int, tree: Tree, joint: Joint) -> None:
        """What a joint says by itself; its frames on its bodies, not yet in those of the bodies' rows."""
        kind = joint.type
        fill.call(
            self.loops, self.numbers, l, tree.row(joint.parent), tree.row(joint.child),
            kind_of(kind), kind.nv, kind.kernels.rates is not None, kind.limits is not None,
            joint.parent_pose.row, joint.child_pose.row, padded_parameters(kind), kind.damping,
        )  # fmt: skip

    def __reduce__(self) -> Any:
        raise TypeError("the tables of loops hold addresses of this process; they cannot be copied or sent elsewhere.")

    @property
    def limited(self) -> bool:
        """Whether a loop joint has limits."""
        return bool(len(self.keep[0]))

    @property
    def rows(self) -> Array:
        """The constraint rows of all loops, as kernels left them; a view."""
        addresses = self.memory[:LOOP_HANDLE].view(np.int64)
        first = (addresses[LOOP_TABLES + Loops._fields.index("rows")] - self.handle) // self.memory.itemsize
        found: Array = self.memory[first : first + addresses[ROWS_IN] * ROW].reshape(-1, ROW)
        return found

    def drive(self, torques: Mapping[int, Array]) -> None:
        """Set the torques of the motors of loop joints, by their numbers."""
        for l, torque in torques.items():
            self.numbers[l, LOOP_TAU : LOOP_TAU + len(torque)] = torque
            self.loops[l, DRIVEN] = 1


_NO_ROWS, _NO_BOUNDS = np.zeros((0, LIMIT_OF), np.int64), np.zeros((0, 4))


def _limits(l: int, joint: JointType) -> tuple[Integers, Array]:
    """`limit_rows` of a loop joint, and which of them bound an angle from both sides that a pose gives up to whole turns."""
    rows, bounds = limit_rows(l, joint)
    between = np.isfinite(bounds[:, (LOWER, UPPER)]).all(axis=1)
    return np.column_stack([rows, np.isin(rows[:, 1], joint.turns) & between]), bounds


@cache
def dynamics_kernel() -> int:
    """The address of the dynamics of closed chains."""
    return address_of(loop_dynamics)


@cache
def closing_kernel() -> int:
    """The address of what closes loops."""
    return address_of(loop_closing)


@cache
def _links_kernel(in_complex_numbers: bool) -> int:
    """The address of the forces of all joints where every body is free by itself."""
    return address_of(complex_links_kernel if in_complex_numbers else links_kernel)


def loops_of(mech: Mechanism, derived: Derived | None = None) -> LoopTables:
    """The tables of a mechanism's loops, made once for each structure; for one entry that holds the interpreter's lock.

    What an entry leaves in them is gone as soon as another thread calls one: to look at it, make `LoopTables` of your own.
    """
    structure = derived or mech._derived
    found: LoopTables = structure.closed or structure.publish("closed", LoopTables(mech, derived=structure))
    return found


def loop_measures(mech: Mechanism, states: Array) -> Array:
    """(states, 3): the largest gap of a loop in position and in velocity, and the energy in the limits of loop joints."""
    found, out = _measures(mech, states), np.zeros((len(states), 3))
    out[:, 0], out[:, 1] = found[:, :-1:2].max(axis=1, initial=0.0), found[:, 1:-1:2].max(axis=1, initial=0.0)
    out[:, 2] = found[:, -1]
    return out


def loop_gaps(mech: Mechanism, states: Array) -> Array:
    """(states, loops, 2): the gap of each loop in position and in velocity."""
    found: Array = _measures(mech, states)[:, :-1].reshape(len(states), -1, 2)
    return found


def _measures(mech: Mechanism, states: Array) -> Array:
    closed = LoopTables(mech)
    work = closed.tree.new_work()
    out = np.zeros((len(states), 2 * len(closed.loops) + 1))
    if len(closed.loops):
        loops_of_many(work.handle, closed.handle, states, out)
    return out


@entry
def fill(
    loops: IntegerTable, numbers: Table, l: int, parent: int, child: int, kind: int, nv: int, varies: int, limited: int,
    on_parent: Floats, on_child: Floats, par: SixFloats, damping: Floats,
) -> None:  # fmt: skip
    """The l-th row of the tables as the joint describes it; the frames are poses as rows (12,)."""
    loops[l, PARENT_ROW], loops[l, CHILD_ROW], loops[l, LOOP_KIND], loops[l, LOOP_V] = parent, child, kind, nv
    loops[l, VARIES_TOO], loops[l, DRIVEN] = varies, limited
    loops[l, MOST] = loops[l, HELD_ROWS] = ALL_ROWS
    store(numbers, l, ON_PARENT, load_vector(on_parent, 0, 12))
    store(numbers, l, ON_CHILD, load_vector(on_child, 0, 12))
    store(numbers, l, LOOP_PAR, par)
    for d in range(nv):
        numbers[l, LOOP_DAMPING + d] = damping[d]


@generic_entry
def derive(
    loops: IntegerTable, numbers: Table, limited: IntegerTable, limits: Table, handle: int, far: Table, like: Scalar
) -> tuple[int, Any]:
    """Complete the tables of the loops; returns their handle and the memory that it leads to, which begins with the addresses.

    `handle` is that of the tree, `like` a scalar of the kind that results are.  O(n + loops · depth).
    """
    walk, nv = model_at(handle).walk, velocities_in(handle)
    number, n = loops.shape[0], walk.shape[0]
    rows, longest, band = _measure(loops, walk)
    links, cycles = link(loops, walk)
    linked, border = links.shape[0] > 0, 0
    for l in cycles[:, 0]:
        border += 6 - loops[l, LOOP_V]
    if linked:  # all that has to do with a joint is in its own block
        band = 6
        for l in range(number):
            loops[l, SINCE], loops[l, REACH] = l, loops[l, FIRST]
    scalar = words_in(like)
    sizes = (  # in words of memory, of the fields of `Loops` after the four that are given
        number * longest, n, nv, scalar * rows * ROW, scalar * number * longest * SHARES, scalar * number * band * 6, 2 * longest,
        scalar * longest, scalar * SCRATCH_ROWS * SCRATCH_COLUMNS, links.size, cycles.size, border * 3, scalar * border * border,
        scalar * nv * FACTORS if linked else 0, scalar * n * BODY_LOADS if linked else 0,
    )  # fmt: skip
    total = LOOP_HANDLE
    for size in sizes:
        total += size
    memory = np.zeros(total)
    found: Any = np.int64(memory.ctypes.data)  # signed, as a handle is
    t = LOOP_TABLES
    addresses = table_at(found, 1, LOOP_HANDLE, handle)[0]
    addresses[NUMBER], addresses[LIMITED], addresses[BODIES_IN], addresses[VELOCITIES_IN] = number, limits.shape[0], n, nv
    addresses[ROWS_IN], addresses[LONGEST], addresses[BAND] = rows, longest, band
    addresses[LINKS_IN], addresses[CYCLES_IN], addresses[CYCLE_ROWS_IN] = links.shape[0], cycles.shape[0], border
    addresses[t], addresses[t + 1] = loops.ctypes.data, numbers.ctypes.data
    addresses[t + 2], addresses[t + 3] = limited.ctypes.data, limits.ctypes.data
    field, at = t + 4, found + memory.itemsize * LOOP_HANDLE
    for size in sizes:
        addresses[field] = at
        field, at = field + 1, at + memory.itemsize * size
    closed = loops_at(found, like)
    for i in range(links.shape[0]):
        for c in range(links.shape[1]):
            closed.links[i, c] = links[i, c]
    for i in range(cycles.shape[0]):
        closed.cycles[i, 0] = cycles[i, 0]
    _rank(closed, walk)
    for l in range(number):
        _place(closed, l, far)
        _fill_path(closed, l, walk)
        _settle(closed, l)
    return found, memory


@jit
def _rank(closed: Loops, walk: Any) -> None:
    """The places of all degrees of freedom in the walk."""
    count = 0
    for k in range(walk.shape[0]):
        closed.ranks[0, k] = count
        for d in range(walk[k, V], walk[k, END]):
            closed.dofs[0, count] = d
            count += 1


@jit
def _place(closed: Loops, l: int, far: Any) -> None:
    """The joint's frames, which are given on its bodies, in the frames of the bodies' rows."""
    loops, numbers = closed.loops, closed.numbers
    for column, k in ((ON_PARENT, loops[l, PARENT_ROW]), (ON_CHILD, loops[l, CHILD_ROW])):
        if k >= 0:
            R, p = compose(invert(load_pose(far, k)), (load(numbers, l, column, 9), load(numbers, l, column + 9, 3)))
            store(numbers, l, column, R)
            store(numbers, l, column + 9, p)


@jit
def _settle(closed: Loops, l: int) -> None:
    """What does not change with the state: whether the joint resists its own motion; NORMAL where its columns are constant."""
    loops, numbers, scratch, nv = closed.loops, closed.numbers, closed.scratch, closed.loops[l, LOOP_V]
    for d in range(nv):
        if numbers[l, LOOP_DAMPING + d] != 0.0:
            loops[l, DRIVEN] = 1
    if not loops[l, VARIES_TOO]:
        for c in range(scratch.shape[1]):
            scratch[POSITION, c] = 0.0  # any position will do
        par = parameters(numbers, l, LOOP_PAR, scratch[0, 0])
        held_directions(loops[l, LOOP_KIND], par, scratch[POSITION], nv, loops[l, FIRST], closed.rows, scratch)


@allocating
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
def _fill_path(closed: Loops, l: int, walk: Any) -> None:
    """The degrees of freedom on the ways from a loop's bodies to their roots, by their places in the walk, in ascending order."""
    loops, path = closed.loops, closed.path
    a, b, at = loops[l, PARENT_ROW], loops[l, CHILD_ROW], loops[l, PATH]
    while a >= 0 or b >= 0:
        k = max(a, b)  # parents come before their children
        count = walk[k, END] - walk[k, V]
        at -= count
        for i in range(count):
            path[l, at + i] = closed.ranks[0, k] + i
        a, b = walk[k, PARENT] if a == k else a, walk[k, PARENT] if b == k else b
