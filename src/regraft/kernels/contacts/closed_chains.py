"""What contacts ask of closed chains: a kernel that is called by its address, so that a run without loops does without it."""

from __future__ import annotations

from ...algebra.memory import vector_at
from ...compilation import long_entry
from ...tolerances import REDUNDANT
from ..constraints.closure import balance, couple
from ..constraints.rows import acceleration_gaps, hold
from ..memory import loops_at, model_at, positions_in, velocities_in, work_at
from .memory import BALANCE_LOOPS, HOLD_LOOPS
from .response import respond_closed


@long_entry
def closed_chains(handle: int, q: int, out: int, what: int) -> float:
    """What is asked, with addresses of positions and of velocities or accelerations; returns nothing of interest."""
    m, w, closed = model_at(handle), work_at(handle, 0.0), loops_at(handle, 0.0)
    positions, rates = vector_at(q, positions_in(handle)), vector_at(out, velocities_in(handle))
    if what == HOLD_LOOPS:
        hold(m, w, closed, positions)
        couple(m, w, closed, REDUNDANT)
    elif what == BALANCE_LOOPS:
        acceleration_gaps(m, w, closed, rates)
        balance(m, w, closed)
    else:
        respond_closed(m, w, closed, positions, rates)
    return 0.0
