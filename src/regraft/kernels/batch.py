"""Forward dynamics of many states of one mechanism: one state per lane of a pack, or one by one where there are loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import table_at
from ..algebra.scalars import LANES, as_packs
from ..compilation import Blocks, Floats, Integers, Table, allocating, long_entry
from ..tolerances import ASSEMBLED
from .aba import aba
from .constraints.dynamics import closed_dynamics
from .constraints.tables import GAP
from .memory import loops_at, model_at, work_at
from .tables import EXTERNAL


@allocating
def aba_batch(handle: Any, external: Any, lanes: Any, q: Any, v: Any, tau: Any, out: Any, worst: Any) -> None:
    """out[b] = v̇ and worst[b] = what `aba` returns, for each state b.  O(n) each.

    lanes = (q, v, tau, out, worst) of one group, with the states side by side in the last axis. Lanes that the last group does
    not need repeat its last state.
    """
    q_lane, v_lane, tau_lane, out_lane, worst_lane = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4]
    q_pack, v_pack, tau_pack = as_packs(q_lane), as_packs(v_lane), as_packs(tau_lane)
    out_pack, worst_pack, external_pack = as_packs(out_lane), as_packs(worst_lane), as_packs(external)
    model, work, count = model_at(handle), work_at(handle, q_pack), q.shape[0]
    for start in range(0, count, LANES):
        for lane in range(LANES):
            b = min(start + lane, count - 1)
            for i in range(q.shape[1]):
                q_lane[i, lane] = q[b, i]
            for d in range(v.shape[1]):
                v_lane[d, lane] = v[b, d]
                tau_lane[d, lane] = tau[b, d]
        worst_pack[0] = aba(model, work, q_pack, v_pack, tau_pack, external_pack, out_pack)
        for lane in range(min(LANES, count - start)):
            for d in range(v.shape[1]):
                out[start + lane, d] = out_lane[d, lane]
            worst[start + lane] = worst_lane[0, lane]


@long_entry
def forward_dynamics_batch(
    handle: int, external: Blocks, lanes: Blocks, q: Table, v: Table, tau: Table, out: Table, worst: Floats
) -> None:
    """`aba_batch`."""
    aba_batch(handle, external, lanes, q, v, tau, out, worst)


@long_entry
def closed_dynamics_batch(handle: int, q: Table, v: Table, tau: Table, out: Table, worst: Floats) -> None:
    """`closed_dynamics` of each state; NaN into `worst` where loops are open."""
    m, w, closed, nothing = model_at(handle), work_at(handle, q), loops_at(handle, q), table_at(handle, 0, EXTERNAL, q)
    for b in range(q.shape[0]):
        worst[b] = closed_dynamics(m, w, closed, q[b], v[b], tau[b], nothing, out[b])
        if not closed.scratch[GAP, 0] <= ASSEMBLED:
            worst[b] = np.nan


@long_entry
def off_manifold(starts: Integers, q: Table, slack: float) -> int:
    """The first of the rows with a quaternion whose numbers are off those of its unit by more; −1 for none."""
    for b in range(q.shape[0]):
        for i in starts:
            square = q[b, i] ** 2 + q[b, i + 1] ** 2 + q[b, i + 2] ** 2 + q[b, i + 3] ** 2
            if abs(square - 1.0) > slack:
                largest = max(abs(q[b, i]), abs(q[b, i + 1]), abs(q[b, i + 2]), abs(q[b, i + 3]))
                if not abs(1.0 / np.sqrt(square) - 1.0) * largest <= slack:
                    return b
    return -1
