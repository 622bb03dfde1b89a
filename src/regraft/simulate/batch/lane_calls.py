"""Functions of the user for all lanes of a pack: called by their address, one lane after the other."""

from __future__ import annotations

from ctypes import Structure, addressof
from functools import cache
from typing import Any

import numpy as np

from ...algebra.memory import table_at, vector_at
from ...algebra.scalars import LANES
from ...compilation import address_of, long_entry
from ..callbacks import Callback
from ..calls import FINE, call_at
from ..driver import Call
from ..records import layout_of, record, records_at
from .lanes import RUNNING


@record
class LaneCall(Structure):
    """A function that is called for each lane."""

    address: int  # of the function,
    context: int  # and what it is called with, last
    size: int  # how many numbers it fills
    lanes: int  # address of what lanes do
    room: int  # address of room for the numbers of one lane


LANE_CALL = layout_of(LaneCall)


@long_entry
def call_in_lanes(t: float, q: int, v: int, out: int, nq: int, nv: int, context: int) -> int:
    """Call a function for each lane that is RUNNING, with the numbers of that lane; NaN for one in which it fails.

    The arguments are those of `calls.call_at`: arrays of packs by their addresses, and the address of a `LaneCall`.
    """
    call = records_at(context, 1, LANE_CALL)[0]
    positions, velocities, results = (
        table_at(q, nq, LANES, 0.0),
        table_at(v, nv, LANES, 0.0),
        table_at(out, call.size, LANES, 0.0),
    )
    lanes = table_at(call.lanes, 1, LANES, call.lanes)[0]
    own_q, own_v = vector_at(call.room, nq), vector_at(call.room + 8 * nq, nv)
    found = vector_at(call.room + 8 * (nq + nv), call.size)
    for k in range(LANES):
        if lanes[k] == RUNNING:
            for i in range(nq):
                own_q[i] = positions[i, k]
            for d in range(nv):
                own_v[d] = velocities[d, k]
            failed = call_at(call.address, t, own_q, own_v, found, call.context)
            for i in range(call.size):
                results[i, k] = np.nan if failed != 0 else found[i]
        else:
            for i in range(call.size):
                results[i, k] = 0.0
    return FINE


@cache
def lanes_kernel() -> int:
    """The address of `call_in_lanes`."""
    return address_of(call_in_lanes)


class CallInLanes:
    """A function of the user as packs call it: that at `lanes_kernel`, with `context`."""

    def __init__(self, call: Call, size: int, numbers: int, lanes: Any) -> None:
        room = np.zeros(numbers + size)
        self._keep = call, room, lanes
        self._record = LaneCall(
            address=call.address, context=call.context, size=size, lanes=lanes.ctypes.data, room=room.ctypes.data
        )

    @property
    def address(self) -> int:
        """Of the function that calls it for each lane."""
        return lanes_kernel()

    @property
    def context(self) -> int:
        """What that is called with, last."""
        return addressof(self._record)

    @property
    def callbacks(self) -> tuple[Callback, ...]:
        """The functions of the user."""
        return self._keep[0].callbacks
