"""The fixed steps of a batch: those that `simulate` takes."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...compilation import Floats, declare, long_entry
from ...tolerances import LEAST_STEP, NO_PROGRESS
from ..records import array_type, given
from ..stepping_loop import Control, Progress, step_size

Array = NDArray[np.float64]
GivenProgress: TypeAlias = Any
GivenControl: TypeAlias = Any
"""Records from Python: each in an array."""

declare("GivenProgress", array_type(Progress))
declare("GivenControl", array_type(Control))


@long_entry
def fill_steps(given_progress: GivenProgress, given_control: GivenControl, times: Floats, sizes: Floats) -> int:
    """Times at which steps start and end, and their sizes; returns how many there are."""
    progress, control, count = given_progress[0], given_control[0], 0
    times[0] = progress.t
    while progress.t < progress.end:
        h, last = step_size(progress, control, np.inf)
        if not h > max(NO_PROGRESS * abs(progress.t), control.least):
            times[count] = progress.end  # what is left is rounding
            break
        sizes[count] = h
        count += 1
        progress.t = progress.end if last else progress.t + h
        times[count] = progress.t
    return count


def fixed_steps(start: float, end: float, step: float) -> tuple[Array, Array]:
    """Times and sizes of the steps that `simulate` takes with a fixed step."""
    most = math.ceil((end - start) / step) + 2
    times, sizes = np.empty(most + 1), np.empty(most)
    progress, control = Progress(t=start, end=end), Control(step=step, grid=start, least=LEAST_STEP * (end - start))
    count = fill_steps.call(given(progress), given(control), times, sizes)
    return times[: count + 1].copy(), sizes[:count].copy()
