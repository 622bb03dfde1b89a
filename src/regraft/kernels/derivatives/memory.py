"""Scratch memory for derivatives, made once for a structure."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...algebra.scalars import LANES
from ...algebra.scalars.pack import aligned_zeros
from ...compilation import address_of
from .. import tables
from ..constraints.tables import CUT, RESISTS
from ..memory import BODIES as BODIES_OF
from ..memory import CUTS_AT, JOINTS_AT, LOOPS, TREE_COILS, TREE_LIMITS, Block
from ..memory import ROWS as CONSTRAINTS
from .joint_slopes import joint_slopes_kernel
from .loop_slopes import loop_slopes_kernel
from .planning import plan_dofs
from .tables import (
    BLOCKS,
    BODIES,
    CARRIED,
    COMPLEX_COLUMNS,
    COMPLEX_ROWS,
    DIRECTIONS,
    ENDS,
    FOUND,
    HEADER,
    JOINT_SLOPES,
    LOOP_SLOPES,
    NV,
    OWN,
    OWN_ROWS,
    PACKS,
    PATH,
    PLAN,
    PLAN_AT,
    ROWS,
    TURNED,
    TURNING,
    WIDTH,
)

_LINE = 8  # words of a cache line, at which every table begins


class SlopeMemory(int):
    """The scratch tables of derivatives: the address of their header, as kernels are handed it, which keeps them alive."""

    memory: Any
    width: int
    """Columns of a result: three blocks of nv, and room behind them, as packs of columns are solved for together."""

    def __new__(cls, work: Block, walk: Any, nv: int) -> SlopeMemory:
        """For one computation at a time on the tree of a workspace."""
        plan = np.empty((nv, PLAN), np.int64)
        deepest = plan_dofs.call(work, plan)
        blocks, turning = max(1, -(-deepest // LANES)), bool(walk[:, tables.VARIES].any())
        n, rows, width = len(walk), work.size(CONSTRAINTS), padded(3 * nv)
        words = (nv * PLAN, nv + blocks * LANES, nv * DIRECTIONS, nv * TURNED * turning, n * CARRIED, blocks * PATH * LANES,
                 blocks * FOUND * LANES, blocks * LANES * 6 * PACKS * LANES, nv * ENDS, 2 * COMPLEX_ROWS * COMPLEX_COLUMNS,
                 rows * width, rows * width, OWN_ROWS * OWN)  # fmt: skip
        starts = np.cumsum([HEADER, *(-(-count // _LINE) * _LINE for count in words)])
        memory = aligned_zeros((int(starts[-1]),))
        header, address = memory[:HEADER].view(np.int64), int(memory.__array_interface__["data"][0])
        needed = turning or work.size(TREE_LIMITS) + work.size(TREE_COILS) > 0
        header[[NV, BODIES, BLOCKS, TURNING, JOINT_SLOPES]] = nv, n, blocks, turning, _joint_slopes() if needed else 0
        header[ROWS], header[WIDTH] = rows, width
        header[LOOP_SLOPES] = _loop_slopes() if loops_need_slopes(work) else 0
        header[PLAN_AT : PLAN_AT + len(words)] = address + 8 * starts[:-1]
        memory[starts[0] : starts[0] + plan.size].view(np.int64)[:] = plan.ravel()
        found = super().__new__(cls, address)
        found.memory, found.width = memory, width
        return found

    def __reduce__(self) -> Any:
        raise TypeError("kernels run on memory of this process; it cannot be copied or sent elsewhere.")

    def table(self, field: int, rows: int, columns: int) -> Any:
        """A table of floats, of which the header has the address in `field`, as a view."""
        first = (int(self.memory[:HEADER].view(np.int64)[field]) - int(self)) // 8
        return self.memory[first : first + rows * columns].reshape(rows, columns)


def padded(columns: int) -> int:
    """So many columns as whole groups of packs have."""
    return -(-columns // (PACKS * LANES)) * PACKS * LANES


def loops_need_slopes(work: Block) -> bool:
    """Whether a loop joint has torques by itself, or columns that change in its child's frame."""
    bodies, loops = work.size(BODIES_OF), work.size(LOOPS)
    turning = work.table(JOINTS_AT, bodies + loops, tables.JOINTS, np.int64)[bodies:, tables.VARIES]
    return bool(turning.any() or work.table(CUTS_AT, loops, CUT, np.int64)[:, RESISTS].any())


@cache
def _loop_slopes() -> int:
    return address_of(loop_slopes_kernel)


@cache
def _joint_slopes() -> int:
    return address_of(joint_slopes_kernel)
