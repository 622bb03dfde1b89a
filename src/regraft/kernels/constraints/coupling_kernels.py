"""The entries of `couplings`; `rows` calls them by their addresses.

So closed chains without couplings, which do not need them, need not wait until they are compiled.
"""

from __future__ import annotations

from typing import Any

from ...algebra.memory import table_at
from ...compilation import entry, inline
from ..memory import loops_at, model_at, positions_in, velocities_in, work_at
from .couplings import coupling_gaps, hold_couplings
from .tables import ACCELERATIONS, POSITIONS, VELOCITIES


@entry
def couplings_kernel(handle: int, what: int, numbers: int) -> float:
    """What positions, velocities or accelerations at an address lack along the rows of couplings; see `rows.ask_couplings`."""
    return look_at_couplings(handle, what, numbers, 0.0)


@inline
def look_at_couplings(handle: int, what: int, numbers: int, like: Any) -> float:
    """What a kernel does, in the scalar of `like`."""
    model, work, closed = model_at(handle), work_at(handle, like), loops_at(handle, like)
    if what in (VELOCITIES, ACCELERATIONS):
        rates = table_at(numbers, 1, velocities_in(handle), like)[0]
        return coupling_gaps(model, work, closed, rates, what == ACCELERATIONS)
    spreads = what == POSITIONS and closed.links.shape[0] == 0  # else `free_bodies` does it
    return hold_couplings(model, work, closed, table_at(numbers, 1, positions_in(handle), like)[0], spreads)
