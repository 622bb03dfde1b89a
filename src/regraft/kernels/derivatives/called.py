"""The derivatives of closed chains by addresses: flows that are differentiated call them only where there are loops."""

from __future__ import annotations

from ...algebra.memory import table_at, vector_at
from ...compilation import long_entry
from ..memory import loops_at, model_at, positions_in, velocities_in, work_at
from ..tables import EXTERNAL
from .closed import closed_slopes


@long_entry
def called_slopes(
    handle: int, slopes: int, q: int, v: int, tau: int, external: int, pushed: int, a: int, out: int, columns: int
) -> float:
    """`closed_slopes`, with addresses of arrays; rows of `out` have so many columns."""
    nq, nv = positions_in(handle), velocities_in(handle)
    model, work, closed = model_at(handle), work_at(handle, 0.0), loops_at(handle, 0.0)
    position, velocity, torque, rate = vector_at(q, nq), vector_at(v, nv), vector_at(tau, nv), vector_at(a, nv)
    forces, found = table_at(external, pushed, EXTERNAL, 0.0), table_at(out, nv, columns, 0.0)
    return closed_slopes(model, work, closed, slopes, position, velocity, torque, forces, rate, found)
