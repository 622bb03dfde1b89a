"""Forward dynamics of many states of one mechanism: one state per lane of a pack."""

from __future__ import annotations

from typing import Any

from ..algebra.scalars import LANES, as_packs
from ..compilation import allocating
from .aba import aba
from .tables import model_at, work_at


@allocating
def aba_batch(
    handle: Any, external: Any, lanes: Any, q: Any, v: Any, tau: Any, first: int, end: int, out: Any, worst: Any
) -> None:
    """out[b] = v̇ and worst[b] = what `aba` returns, for the states first ≤ b < end.  O(n) each.

    lanes = (q, v, tau, out, worst) of one group, with the states side by side in the last axis. Lanes that the last group does
    not need repeat its last state.
    """
    q_lane, v_lane, tau_lane, out_lane, worst_lane = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4]
    q_pack, v_pack, tau_pack = as_packs(q_lane), as_packs(v_lane), as_packs(tau_lane)
    out_pack, worst_pack, external_pack = as_packs(out_lane), as_packs(worst_lane), as_packs(external)
    model, work = model_at(handle), work_at(handle, q_pack)
    for start in range(first, end, LANES):
        for lane in range(LANES):
            b = min(start + lane, end - 1)
            for i in range(q.shape[1]):
                q_lane[i, lane] = q[b, i]
            for d in range(v.shape[1]):
                v_lane[d, lane] = v[b, d]
                tau_lane[d, lane] = tau[b, d]
        worst_pack[0] = aba(model, work, q_pack, v_pack, tau_pack, external_pack, out_pack)
        for lane in range(min(LANES, end - start)):
            for d in range(v.shape[1]):
                out[start + lane, d] = out_lane[d, lane]
            worst[start + lane] = worst_lane[0, lane]
