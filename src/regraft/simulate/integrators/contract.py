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


class Method(NamedTuple):
    """The numbers of an integrator as compiled code takes them, zero where there are none."""

    weights: NDArray[np.float64]  # (stages, stages): row i, the weights of the slopes before it in stage i
    times: NDArray[np.float64]  # (stages,): when in the step each stage is
    error: NDArray[np.float64]  # (stages,): weights of the slopes in the estimate of the error
    dense: NDArray[np.float64]  # (stages,): weights of the slopes in the last term of the dense output
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
    dense: Row = field(default=())
    """Weights of the slopes in the last term of the dense output (Hairer's d); empty: a cubic through both ends."""
    of_free_bodies: bool = False
    """Whether the step is S3's, which only maximal coordinates have."""

    @property
    def adaptive(self) -> bool:
        """Whether the method chooses its steps."""
        return bool(self.error)

    @cached_property
    def method(self) -> Method:
        """The numbers as arrays."""
        count = len(self.stages)
        weights = np.array([_padded(row, count) for row in self.stages])
        times, error, dense = (np.array(_padded(row, count)) for row in (self.times, self.error, self.dense))
        return Method(weights, times, error, dense, self.order)


def _padded(row: Row, count: int) -> Row:
    return (*row, *(0.0,) * (count - len(row)))
