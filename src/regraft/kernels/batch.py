"""The algorithms on many states of one mechanism: one state per lane of a pack, or one by one where there are loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import load, store, table_at
from ..algebra.scalars import LANES, as_packs, lane, zero
from ..compilation import Blocks, Floats, Integers, Table, allocating, inline, long_entry
from ..tolerances import ASSEMBLED
from .aba import aba
from .constraints.dynamics import closed_dynamics
from .constraints.tables import GAP
from .crba import crba
from .jacobian import place_in_world
from .kinematics import place_bodies
from .memory import loops_at, model_at, work_at
from .rnea import rnea
from .tables import EXTERNAL


@inline
def take_rows(given: Any, start: int, lanes: Any) -> None:
    """Rows of a table from `start` on into lanes, side by side in the last axis; those left over repeat the last row."""
    for k in range(LANES):
        b = min(start + k, given.shape[0] - 1)
        for i in range(given.shape[1]):
            lanes[i, k] = given[b, i]


@inline
def give_rows(lanes: Any, start: int, out: Any) -> None:
    """The other way."""
    for k in range(min(LANES, out.shape[0] - start)):
        for i in range(out.shape[1]):
            out[start + k, i] = lanes[i, k]


@inline
def give_tables(lanes: Any, start: int, out: Any) -> None:
    """The same with a table in each lane."""
    for k in range(min(LANES, out.shape[0] - start)):  # one after the other, as large ones lie far apart
        for i in range(out.shape[1]):
            for c in range(out.shape[2]):
                out[start + k, i, c] = lanes[i, c, k]


@allocating
def aba_batch(handle: Any, external: Any, lanes: Any, q: Any, v: Any, tau: Any, out: Any, worst: Any) -> None:
    """out[b] = v̇ and worst[b] = what `aba` returns, for each state b.  O(n) each.

    lanes = (q, v, tau, out, worst) of one group, with the states side by side in the last axis. Lanes that the last group does
    not need repeat its last state.
    """
    q_pack, v_pack, tau_pack = as_packs(lanes[0]), as_packs(lanes[1]), as_packs(lanes[2])
    out_pack, worst_pack, external_pack = as_packs(lanes[3]), as_packs(lanes[4]), as_packs(external)
    model, work = model_at(handle), work_at(handle, q_pack)
    for start in range(0, q.shape[0], LANES):
        take_rows(q, start, lanes[0])
        take_rows(v, start, lanes[1])
        take_rows(tau, start, lanes[2])
        worst_pack[0] = aba(model, work, q_pack, v_pack, tau_pack, external_pack, out_pack)
        give_rows(lanes[3], start, out)
        for k in range(min(LANES, q.shape[0] - start)):
            worst[start + k] = lanes[4, 0, k]


@long_entry
def forward_dynamics_batch(
    handle: int, external: Blocks, lanes: Blocks, q: Table, v: Table, tau: Table, out: Table, worst: Floats
) -> None:
    """`aba_batch`."""
    aba_batch(handle, external, lanes, q, v, tau, out, worst)


@allocating
def rnea_batch(handle: Any, external: Any, lanes: Any, q: Any, v: Any, a: Any, out: Any) -> None:
    """out[b] = tau of `rnea`, for each state b; lanes as in `aba_batch`.  O(n) each."""
    q_pack, v_pack, a_pack, out_pack = as_packs(lanes[0]), as_packs(lanes[1]), as_packs(lanes[2]), as_packs(lanes[3])
    external_pack = as_packs(external)
    model, work = model_at(handle), work_at(handle, q_pack)
    for start in range(0, q.shape[0], LANES):
        take_rows(q, start, lanes[0])
        take_rows(v, start, lanes[1])
        take_rows(a, start, lanes[2])
        rnea(model, work, q_pack, v_pack, a_pack, external_pack, out_pack)
        give_rows(lanes[3], start, out)


@long_entry
def inverse_dynamics_batch(handle: int, external: Blocks, lanes: Blocks, q: Table, v: Table, a: Table, out: Table) -> None:
    """`rnea_batch`."""
    rnea_batch(handle, external, lanes, q, v, a, out)


@allocating
def crba_batch(handle: Any, q_lanes: Any, M_lanes: Any, q: Any, out: Any, worst: Any) -> None:
    """out[b] = M(q) of each state b; worst[b] is 0, NaN where an entry is not finite.  O(n depth + nv²) each."""
    q_pack, M_pack = as_packs(q_lanes), as_packs(M_lanes)
    model, work = model_at(handle), work_at(handle, q_pack)
    for start in range(0, q.shape[0], LANES):
        take_rows(q, start, q_lanes)
        crba(model, work, q_pack, M_pack)
        give_tables(M_lanes, start, out)
        left = zero(q_pack[0])
        for d in range(out.shape[1]):
            for e in range(d + 1):
                left = left + 0.0 * M_pack[d, e]
        for k in range(min(LANES, q.shape[0] - start)):
            worst[start + k] = lane(left, k)


@long_entry
def mass_matrix_batch(handle: int, q_lanes: Table, M_lanes: Blocks, q: Table, out: Blocks, worst: Floats) -> None:
    """`crba_batch`."""
    crba_batch(handle, q_lanes, M_lanes, q, out, worst)


@allocating
def places_batch(handle: Any, q_lanes: Any, out_lanes: Any, rows: Any, points: Any, q: Any, out: Any) -> None:
    """out[b, f] = the position in the world of a point of row rows[f], −1 for the world, in each state b.  O(n) each."""
    q_pack, out_pack = as_packs(q_lanes), as_packs(out_lanes)
    model, work = model_at(handle), work_at(handle, q_pack)
    for start in range(0, q.shape[0], LANES):
        take_rows(q, start, q_lanes)
        place_bodies(model, work, q_pack)
        for f in range(rows.shape[0]):
            if rows[f] >= 0:
                store(out_pack, f, 0, place_in_world(model, work, rows[f], load(points, f, 0, 3)))
            else:
                for c in range(3):
                    for k in range(LANES):
                        out_lanes[f, c, k] = points[f, c]
        give_tables(out_lanes, start, out)


@long_entry
def frame_positions_batch(
    handle: int, q_lanes: Table, out_lanes: Blocks, rows: Integers, points: Table, q: Table, out: Blocks
) -> None:
    """`places_batch`."""
    places_batch(handle, q_lanes, out_lanes, rows, points, q, out)


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
