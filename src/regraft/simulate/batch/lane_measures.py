"""What is measured along the motions of a batch instead of keeping them. A kernel of its own, for runs that measure."""

from __future__ import annotations

from ctypes import Structure
from functools import cache
from typing import Any

from ...algebra.memory import table_at, vector_at
from ...algebra.scalars import LANES, Scalar, as_packs, lane
from ...algebra.spatial import dot
from ...compilation import address_of, allocating, inline, jit, long_entry
from ...kernels.energy import energy
from ...kernels.jacobian import place_in_world
from ..flow import Flow, Point, model_of, on_flow, work_of
from ..records import Three, layout_of, record, records_at
from .lanes import AT_START, RUNNING

PLACE, POSITION, VELOCITY, KINETIC, POTENTIAL, TOTAL = range(6)
"""What can be measured: where a point is along a direction, a number of q or of v, and energies."""
LARGEST, LEAST, MEAN = range(3)
"""What is made of it."""


@record
class Measured(Structure):
    """Something that is measured in all lanes."""

    sort: int  # PLACE or what else
    how: int  # LARGEST, LEAST or MEAN
    body: int  # of a place: the row of the body,
    point: Three  # a point in the frame of that row,
    direction: Three  # and the direction
    coordinate: int  # of a number: its place in q or v


MEASURED = layout_of(Measured)


@long_entry
def measure_kernel(flow: int, measures: int, count: int, numbers: int, lanes: int, step: int, where: int, like: int) -> float:
    """`measure_lanes`, with addresses: see `lane_guards.look_kernel`."""
    return measure(
        flow, records_at(measures, count, MEASURED), numbers, lanes, vector_at(step, 2), where, table_at(like, 1, LANES, 0.0)
    )


@allocating
def measure(flow: int, measures: Any, numbers: int, lanes: int, step: Any, where: int, like: Any) -> float:
    """The same with tables."""
    table, doing = table_at(numbers, 2 * measures.shape[0], LANES, 0.0), table_at(lanes, 1, LANES, lanes)
    measure_lanes(flow, as_packs(like)[0], measures, table, doing[0], step[1], where)
    return 0.0


@jit
@on_flow
def measure_lanes(flow: Flow, measures: Any, numbers: Any, lanes: Any, h: float, where: int) -> None:
    """Let what is measured at the start, or at the end of a step of the size h, count in all lanes that are RUNNING.

    Of measure m row 2 m of `numbers` has what has come together: the largest or least value, or the integral over time by the
    trapezoidal rule. Row 2 m + 1 has the last value.
    """
    at = flow.vectors.start if where == AT_START else flow.vectors.end
    for m in range(measures.shape[0]):
        value, how = measured_in_lanes(flow, measures[m], at), measures[m].how
        for k in range(LANES):
            if lanes[k] == RUNNING:
                now, before = lane(value, k), numbers[2 * m + 1, k]
                if where == AT_START:
                    numbers[2 * m, k] = 0.0 if how == MEAN else now
                elif how == MEAN:
                    numbers[2 * m, k] += 0.5 * h * (before + now)
                elif (how == LARGEST and now > numbers[2 * m, k]) or (how == LEAST and now < numbers[2 * m, k]):
                    numbers[2 * m, k] = now
                numbers[2 * m + 1, k] = now


@inline
def measured_in_lanes(flow: Flow, what: Measured, at: Point) -> Scalar:
    """What is measured, in all lanes; bodies are where the last evaluation of the dynamics has put them."""
    if what.sort == POSITION:
        return at.q[what.coordinate]
    if what.sort == VELOCITY:
        return at.v[what.coordinate]
    if what.sort == PLACE:
        along = what.direction
        place = place_in_world(model_of(flow), work_of(flow), what.body, what.point)
        return dot((along[0], along[1], along[2]), place)
    kinetic, potential = energy(model_of(flow), work_of(flow), at.q, at.v)
    if what.sort == KINETIC:
        return kinetic
    return potential if what.sort == POTENTIAL else kinetic + potential


@cache
def measuring_kernel() -> int:
    """The address of `measure_kernel`."""
    return address_of(measure_kernel)
