"""What can be drawn at all: graphics cards count up to 10³⁸, and squares of sizes must fit into that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..tolerances import SMALLEST_DRAWN

LARGEST = 1e18
"""m: how large what is seen as a whole may be, and how far away."""


@contextmanager
def drawable() -> Iterator[None]:
    """Numbers that overflow, or vanish, while something is drawn become a ModelError, in place of a picture of nothing.

    >>> with drawable():  # doctest: +ELLIPSIS
    ...     np.array([1e300]) * 1e300
    Traceback (most recent call last):
    ...
    regraft.errors.ModelError: sizes, places or gravity of this mechanism are too large or too small to be drawn...
    """
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            yield
    except (FloatingPointError, OverflowError, ZeroDivisionError) as problem:
        raise _not_drawable(str(problem)) from problem


def check_drawable(extent: float, points: NDArray[np.float64]) -> None:
    """Refuse what is so large or small, or so far away, that nothing of it would be seen."""
    farthest = float(np.abs(points).max(initial=0.0))
    if not (SMALLEST_DRAWN <= extent <= LARGEST and farthest <= LARGEST):
        raise _not_drawable(f"it is {extent:.3g} m large, and up to {farthest:.3g} m from the origin")


def _not_drawable(why: str) -> ModelError:
    return ModelError(
        f"sizes, places or gravity of this mechanism are too large or too small to be drawn ({why}); pictures need sizes from "
        f"{SMALLEST_DRAWN:g} to {LARGEST:g} m. Check the units."
    )
