"""What an integrator is: the numbers of an explicit Runge–Kutta method. One file per method; the compiled loop runs them all.

Within a step positions are reached along u, in the tangent space at the step's start (Munthe-Kaas), and what is integrated are
the coordinates (u, w) of `kernels.chart`. So positions never leave their manifold, and every method keeps its order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Row = tuple[float, ...]

OWN_TERMS = 3
"""The terms of a dense output that a step has by its ends alone: a cubic."""


class Method(NamedTuple):
    """The numbers of an integrator as compiled code takes them, zero where there are none."""

    weights: NDArray[np.float64]  # (stages, stages): row i, the weights of the slopes before it in stage i
    times: NDArray[np.float64]  # (stages,): when in the step each stage is
    error: NDArray[np.float64]  # (1 or 2, stages): weights of the slopes in the estimate of the error, and in a coarse one
    dense: NDArray[np.float64]  # (rows, stages): weights of the slopes in the last terms of the dense output
    terms: int  # how many terms the dense output has, for u and for v each
    last: int  # the stage that is the end of the step; those behind it are for the dense output alone
    order: int


@dataclass(frozen=True)
class Integrator:
    """A method whose last stage is the end of the step, which is then the first stage of the next one."""

    name: str
    order: int
    stages: tuple[Row, ...]
    """Row i: the weights of the slopes before it in stage i; the last row gives the end of the step."""
    times: Row
    """When in the step each stage is, from 0 to 1."""
    error: Row = field(default=())
    """Weights of the slopes in the estimate of the error; empty where the step is fixed."""
    coarse: Row = field(default=())
    """Weights in a coarser estimate, which tells how much of the other one is the error; may be empty."""
    more: tuple[Row, ...] = field(default=())
    """Stages that the dense output alone needs: rows as those of `stages`, which go on behind the end of the step."""
    more_times: Row = field(default=())
    """When in the step these are."""
    dense: tuple[Row, ...] = field(default=())
    """Weights of the slopes in the last terms of the dense output (Hairer's d); empty: a cubic through both ends."""
    of_free_bodies: bool = False
    """Whether the step is S3's, which only maximal coordinates have."""

    @property
    def adaptive(self) -> bool:
        """Whether the method chooses its steps."""
        return bool(self.error)

    @cached_property
    def method(self) -> Method:
        """The numbers as arrays."""
        stages, last = (*self.stages, *self.more), len(self.stages) - 1
        error = (self.error, self.coarse) if self.coarse else (self.error,)
        weights, errors, dense = (_table(rows, len(stages)) for rows in (stages, error, self.dense))
        times, terms = np.array((*self.times, *self.more_times)), OWN_TERMS + len(self.dense)
        return Method(weights, times, errors, dense, terms, last, self.order)


def _table(rows: tuple[Row, ...], columns: int) -> NDArray[np.float64]:
    """Rows as one table, zero where they end."""
    table = np.zeros((len(rows), columns))
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table
