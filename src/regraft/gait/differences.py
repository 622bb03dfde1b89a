"""Central differences of smooth functions, extrapolated to a step of zero (Richardson; the choice of the best is Ridders')."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FIRST = 0.03  # the largest step, relative to a number's size or 1
FIRST_TO_TOUCH = 0.01  # the same for a motion with contacts, which touches other ground if it begins too far away
LEVELS = 5  # steps, each half of the one before
SMALLEST = 1e-6  # a function that has no value so near is not differentiated


class Outside(Exception):  # noqa: N818
    """The function has no value at a point so far away."""


def jacobian_at_zero(function: Callable[[Array], Array], scales: Array, first: float = FIRST, levels: int = LEVELS) -> Array:
    """(results, len(scales)): the derivative at 0 of a function of vectors; `scales` are the sizes that steps are relative to."""
    columns = [_column(function, scale * unit, first, levels) for scale, unit in zip(scales, np.eye(len(scales)), strict=True)]
    return np.array([column / scale for column, scale in zip(columns, scales, strict=True)]).T


def _column(function: Callable[[Array], Array], along: Array, size: float, levels: int) -> Array:
    """The derivative along a vector: smaller steps where the function has no value at the first ones."""
    while True:
        try:
            return _extrapolated(lambda step: (function(step * along) - function(-step * along)) / (2.0 * step), size, levels)
        except Outside:
            size /= 8.0
            if size < SMALLEST:
                raise


def _extrapolated(difference: Callable[[float], Array], size: float, levels: int) -> Array:
    """The limit at 0 of a function whose error is a series in the square of the step."""
    before: list[Array] = []
    best, least = np.empty(0), np.inf
    for level in range(levels):
        row = [difference(size / 2.0**level)]
        for order, coarse in enumerate(before, 1):
            fine = row[-1]
            row.append(fine + (fine - coarse) / (4.0**order - 1.0))
            off = float(max(np.abs(row[-1] - fine).max(initial=0.0), np.abs(row[-1] - coarse).max(initial=0.0)))
            if off <= least:
                best, least = row[-1], off
        before = row
    return best
