"""Scratch memory for one computation at a time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.scalars import LANES
from ..compilation import address_of
from ..kernels.coil_kernels import coils_kernel, loop_coils_kernel
from ..kernels.constraints.coupling_kernels import couplings_kernel
from ..kernels.constraints.link_kernels import links_kernel
from ..kernels.constraints.prescribed_rows import prescribed_rows_kernel
from ..kernels.constraints.tables import DRIVEN, HELD_COUNTS, PAIR, ROW
from ..kernels.memory import (
    COILS,
    COILS_KERNEL,
    COUPLINGS,
    COUPLINGS_AT,
    DOF_AT,
    HARD_ROWS,
    HELD_AT,
    LINKS,
    LINKS_AT,
    LOOP_COILS_KERNEL,
    LOOPS,
    MOTORS_AT,
    PAIRS_AT,
    ROWS,
    ROWS_AT,
    TERMS,
    TREE_COILS,
    VELOCITIES,
    Block,
    new_block,
)
from ..kernels.tables import DOF_WORK

Array = NDArray[np.float64]


class Workspace(Block):
    """The scratch tables of one computation, with those of the structure behind them: what kernels are handed."""

    is_driven = False
    """Whether a loop joint's motor is set."""
    told: Any
    """(prescribed coordinates of loop joints, PAIR): what they are told, in TOLD_Q, TOLD_V and TOLD_A; a view."""
    prescribed_rows: slice
    """Which constraint rows these have."""

    def another(self) -> Workspace:
        """One more workspace of the same structure."""
        header = self.header
        links = _links_kernel() if header[LINKS] else 0
        couplings = _couplings_kernel() if header[COUPLINGS] else 0
        found = Workspace(*new_block.call(self, links, couplings, 1), self)
        if header[COILS]:
            found.prepare_coils()
        return found

    def of_packs(self) -> Workspace:
        """A workspace of packs of the same structure."""
        return Workspace(*new_block.call(self, 0, 0, LANES), self)

    def prepare_coils(self) -> None:
        """Tell kernels where those are that they need where joints have springs."""
        in_tree = self.size(TREE_COILS)
        if in_tree:
            self.header[COILS_KERNEL] = _coils_kernel()
        if self.size(COILS) > in_tree:
            self.header[LOOP_COILS_KERNEL] = _loop_coils_kernel()

    def prepare_links(self) -> None:
        """Tell kernels where the one is that they need where every body is free by itself and joints make a tree of links."""
        self.header[LINKS_AT] = _links_kernel()

    def prepare_couplings(self) -> None:
        """Tell kernels where the one is that they need where joints are coupled."""
        self.header[COUPLINGS_AT] = _couplings_kernel()

    def prepare_prescribed(self, first: int, count: int) -> None:
        """The same where so many coordinates of loop joints are prescribed, after the first terms; and where these are told."""
        self.header[COUPLINGS_AT] = _prescribed_rows_kernel()
        self.told = self.table(PAIRS_AT, self.size(TERMS), PAIR)[first : first + count]
        last = self.size(HARD_ROWS)
        self.prescribed_rows = slice(last - count, last)

    @property
    def dof(self) -> Any:
        """(nv, DOF_WORK), as kernels left it; a view."""
        return self.table(DOF_AT, self.size(VELOCITIES), DOF_WORK)

    @property
    def rows(self) -> Any:
        """The constraint rows of all loops, as kernels left them; a view."""
        return self.table(ROWS_AT, self.size(ROWS), ROW)

    @property
    def _held(self) -> Any:
        return self.table(HELD_AT, self.size(LOOPS) + self.size(COUPLINGS), HELD_COUNTS, np.int64)

    @property
    def motors(self) -> Any:
        """(loops, 6): the torques of the motors of loop joints; a view."""
        return self.table(MOTORS_AT, self.size(LOOPS), 6)

    def switch_on(self, l: int) -> None:
        """Let the l-th loop joint have the torques of its motor."""
        self._held[l, DRIVEN] = 1
        self.is_driven = True

    def drive(self, torques: Mapping[int, Array]) -> None:
        """Set the torques of the motors of loop joints, by their numbers."""
        for l, torque in torques.items():
            self.motors[l, : len(torque)] = torque
            self.switch_on(l)


@cache
def _links_kernel() -> int:
    """The address of the forces of all joints where every body is free by itself."""
    return address_of(links_kernel)


@cache
def _couplings_kernel() -> int:
    """The address of what couplings lack."""
    return address_of(couplings_kernel)


@cache
def _prescribed_rows_kernel() -> int:
    """The same where some rows are those of loop joints that move as told."""
    return address_of(prescribed_rows_kernel)


@cache
def _coils_kernel() -> int:
    """The address of the torques of springs in joints."""
    return address_of(coils_kernel)


@cache
def _loop_coils_kernel() -> int:
    """The same of loop joints."""
    return address_of(loop_coils_kernel)
