"""Guards of a batch: which lanes have one that goes through zero in a step. It is a kernel of its own, for runs with events."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...algebra.memory import table_at, vector_at
from ...algebra.scalars import LANES, Scalar, as_packs, lane, one
from ...compilation import address_of, allocating, inline, jit, long_entry
from ...tolerances import AT_ZERO, BEYOND
from ..calls import call_at
from ..flow import Flow, Point, on_flow
from ..guards import FUNCTION, GUARD, Guard, Guards, place_guard
from ..records import records_at
from .lanes import AT_START, HANDED_OVER, RUNNING


@long_entry
def look_kernel(flow: int, guards: int, count: int, signs: int, lanes: int, step: int, where: int, like: int) -> float:
    """`look_at_lanes`, with addresses: of the flow, guards, their signs, what lanes do, time and size of a step, and a pack."""
    return look(flow, records_at(guards, count, GUARD), signs, lanes, vector_at(step, 2), where, table_at(like, 1, LANES, 0.0))


@allocating
def look(flow: int, guards: Guards, signs: int, lanes: int, step: Any, where: int, like: Any) -> float:
    """The same with tables."""
    table, doing = table_at(signs, guards.shape[0], LANES, 0.0), table_at(lanes, 1, LANES, lanes)
    look_at_lanes(flow, as_packs(like)[0], guards, table, doing[0], step[0], where)
    return 0.0


@jit
@on_flow
def look_at_lanes(flow: Flow, guards: Guards, signs: Any, lanes: Any, t: float, where: int) -> None:
    """Let the lanes be HANDED_OVER in which a guard has gone through zero since it was last away from it, in its direction.

    At the start of the motion these are lanes where a guard is at zero, or beyond it and `armed`, which means here that it fires
    there. Bodies are where the last evaluation of the dynamics has put them.
    """
    at = flow.vectors.start if where == AT_START else flow.vectors.end
    for e in range(guards.shape[0]):
        value = value_in_lanes(flow, guards[e], t, at)
        for k in range(LANES):
            if lanes[k] == RUNNING:
                now = lane(value, k)
                if where == AT_START:
                    signs[e, k] = 1.0 if now > 0.0 else -1.0
                    fires = abs(now) <= AT_ZERO or (guards[e].armed and guards[e].direction * now > BEYOND)
                else:
                    fires = goes_through(guards[e].direction, signs[e, k], now)
                    if now != 0.0:
                        signs[e, k] = 1.0 if now > 0.0 else -1.0
                if fires or np.isnan(now):
                    lanes[k] = HANDED_OVER


@inline
def goes_through(direction: int, sign: float, value: float) -> bool:
    """Whether a guard that had a sign is through zero."""
    return (direction <= 0 and sign > 0.0 and value <= 0.0) or (direction >= 0 and sign < 0.0 and value >= 0.0)


@inline
def value_in_lanes(flow: Flow, guard: Guard, t: float, at: Point) -> Scalar:
    """A guard in all lanes."""
    if guard.sort != FUNCTION:
        return place_guard(flow, guard, at)
    result = flow.vectors.result
    call_at(guard.address, t, at.q, at.v, result, guard.context)  # which leaves NaN where it fails
    return result[0] - guard.value * one(result[0])


@cache
def looking_kernel() -> int:
    """The address of `look_kernel`."""
    return address_of(look_kernel)
