"""Guards: the functions whose zeros are events, as records that the compiled loop reads and keeps up to date."""

from __future__ import annotations

from ctypes import Structure
from typing import Any

import numpy as np

from ..algebra.memory import call_kernel, load_vector, table_at, vector_at
from ..algebra.scalars import Scalar
from ..algebra.spatial import dot, subtract
from ..compilation import declare, inline, inline_view, jit
from ..kernels import chart
from ..kernels.jacobian import place_in_world
from ..kernels.kinematics import place_bodies
from ..tolerances import AT_ZERO, BEYOND, GUARD_ROUNDING, UNNOTICED
from .calls import call_at
from .flow import Flow, Point, flow_stage, model_of, work_of
from .records import Three, array_type, layout_of, record, records_at
from .stepper import evaluate_closed

HEIGHT, JOINT, FUNCTION, CONTACT = range(4)
"""What a guard can be: the height of a point over the ground, the position of a joint, a function of the user, or one of the two
guards of a contact point or of a joint with dry friction, which are positive while its mode goes on."""


@record
class Guard(Structure):
    """A guard of one structure, and where it was last seen."""

    sort: int  # HEIGHT, JOINT, FUNCTION or CONTACT
    direction: int  # −1: from above zero to below, +1: the other way, 0: both
    body: int  # of a height: the row of the body,
    point: Three  # a point in the frame of that row,
    slope: float  # and the rise of the ground along x
    coordinate: int  # of a joint: its place in q; of a contact: its place among the guards of these
    velocity: int  # of a joint: the place in v of the rate of that, −1 where it has none
    address: int  # of a function: its address,
    context: int  # and what it is called with, last; of a height: address of when its event is passed over, 0 for never
    value: float  # height of the ground at x = 0, joint position, or value of a function, where the guard is zero
    armed: bool  # whether it fires if it is at zero at the start of the segment and leaves it in its direction
    sign: int  # of the guard where it was last seen away from zero; 0 until it has left it
    last: float  # the guard where it was last seen,
    older: float  # and, of a contact, at the two samples before
    oldest: float
    sign_before: int  # `sign` and `last` at the start of the step
    last_before: float
    hit: bool  # whether it goes through zero in the present step; after an event, whether its zero is the event
    earlier: bool  # among those with `hit`: whether it does so before another one
    estimate: float  # about where in the part of the step that is looked at it does so
    known: bool  # whether the next two are those at the start of the step (`clearance`):
    rate: float  # of the guard in time,
    bend: float  # and of its rate
    ahead: float  # the guard at the end of the step


Guards = Any
"""Those of one structure."""

declare("Guards", array_type(Guard))
GUARD = layout_of(Guard)

AT_START, BETWEEN, AT_END = range(3)
"""The states of a step at which guards are looked at."""

AT_ONCE = 1e-2
"""The part of the first step within which a guard that is at zero must be through it for its rate to say where it goes."""
SLOWEST, SLOWEST_FUNCTION = 1e-5, 1e-4
"""Speeds below which the time over which a rate is taken grows no more; a user's function may change with time as well."""


@inline
def guard_value(flow: Flow, guards: Guards, e: int, t: float, where: int) -> float:
    """Guard e at a time and a state; for a height the bodies must have been placed."""
    guard = guards[e]
    if guard.sort == CONTACT:
        return vector_at(flow.calls.values, guard.coordinate + 1)[guard.coordinate]
    return guard_but_contact(flow, guards.ctypes.data, guards.shape[0], e, t, where)


@flow_stage
def guard_but_contact(flow: Flow, guards_at: int, count: int, e: int, t: float, where: int) -> float:
    """`guard_value` of a height, a joint's position or a function of the user; a stage, as many places ask for it."""
    guard, at = records_at(guards_at, count, GUARD)[e], point_of(flow, where)
    if guard.sort == JOINT or guard.sort == HEIGHT:  # noqa: PLR1714
        return place_guard(flow, guard, at)
    result = flow.vectors.result
    result[0] = np.nan  # stays where a signal comes on the way into a function in Python
    failed = call_at(guard.address, t, at.q, at.v, result, guard.context)
    if failed != 0 or np.isnan(result[0]):
        flow.calls.failed = True
        return np.nan
    return result[0] - guard.value


@inline
def place_guard(flow: Flow, guard: Guard, at: Point) -> Scalar:
    """A guard of a joint's position or of a height."""
    if guard.sort == JOINT:
        return at.q[guard.coordinate] - guard.value
    place = place_in_world(model_of(flow), work_of(flow), guard.body, guard.point)
    return place[2] - guard.value - guard.slope * place[0]


FOOT_ROW, FOOT, OTHER_ROW, OTHER, ALONG, LEAST, PAST = 0, 1, 4, 5, 8, 11, 12
"""When an event is passed over, as PAST numbers: where a point (its row, and it in the frame of that) is not further along a
direction than another one (−1 for a row of the world), by the least distance."""


@jit
def is_passed_over(flow: Flow, guard: Guard) -> bool:
    """Whether the event of a guard leaves no trace where the bodies have been placed."""
    if guard.sort != HEIGHT or guard.context == 0:
        return False
    model, work, past = model_of(flow), work_of(flow), vector_at(guard.context, PAST)
    foot, other = load_vector(past, FOOT, 3), load_vector(past, OTHER, 3)
    foot = place_in_world(model, work, int(past[FOOT_ROW]), foot)
    if past[OTHER_ROW] >= 0.0:
        other = place_in_world(model, work, int(past[OTHER_ROW]), other)
    ahead = dot(load_vector(past, ALONG, 3), subtract(foot, other))
    return ahead <= past[LEAST]


@inline_view
def point_of(flow: Flow, where: int) -> Point:
    """One of the states of a step."""
    vectors = flow.vectors
    return vectors.start if where == AT_START else vectors.between if where == BETWEEN else vectors.end


@inline
def place_for_guards(flow: Flow, guards: Guards, t: float, where: int) -> None:
    """Place the bodies if any guard asks where one is; where there are contacts, find their forces and look at their guards."""
    if flow.calls.watch != 0:
        look_at_contacts(flow, t, where)
    else:
        for e in range(guards.shape[0]):
            if guards[e].sort == HEIGHT:
                place_bodies(model_of(flow), work_of(flow), point_of(flow, where).q)
                break


@flow_stage
def look_at_contacts(flow: Flow, t: float, where: int) -> int:
    """The guards of contacts at a time and a state; `error`, which no step needs any more by then, is overwritten."""
    at = point_of(flow, where)
    if not call_kernel(flow.calls.glance, (flow.tree, at.q.ctypes.data, at.v.ctypes.data)) > 0.0:
        evaluate_closed(flow, t, at, flow.vectors.error.v)
        call_kernel(flow.calls.watch, (flow.tree, at.v.ctypes.data))
    return 0


@jit
def look_at_guards(flow: Flow, guards: Guards, t: float) -> bool:
    """`last`: the guards at the start of a segment; says whether any is beyond zero already."""
    place_for_guards(flow, guards, t, AT_START)
    beyond = False
    for e in range(guards.shape[0]):
        guard = guards[e]
        guard.last = guard_value(flow, guards, e, t, AT_START)
        beyond = beyond or (guard.sort != CONTACT and guard.direction * guard.last > BEYOND)
    return beyond


@jit
def start_guards(flow: Flow, guards: Guards, t: float, h: float) -> None:
    """Signs at the start of a segment whose first step is h.

    A guard at zero gets the sign of its rate if that takes it out of zero at once, else none until it has left zero. An armed one
    that does not go back fires where it comes `BEYOND` zero.
    """
    sign_guards(flow, guards, t, h)
    for e in range(guards.shape[0]):
        guard = guards[e]
        if guard.armed and guard.sign != -guard.direction and abs(guard.last) <= BEYOND:
            guard.value += guard.direction * BEYOND
            guard.last -= guard.direction * BEYOND
            guard.sign = -guard.direction


@jit
def sign_guards(flow: Flow, guards: Guards, t: float, h: float) -> None:
    """`sign`, `last`: the guards at the start of a segment, those at zero by their rates."""
    moves = flow.vectors.to_between
    place_for_guards(flow, guards, t, AT_START)
    waiting = False
    for e in range(guards.shape[0]):
        guard = guards[e]
        value = guard_value(flow, guards, e, t, AT_START)
        guard.hit = guard.known = False
        guard.sign = 0 if abs(value) <= AT_ZERO else (1 if value > 0.0 else -1)
        if guard.sort == CONTACT:  # which is made so that it begins on the positive side, by a little
            guard.sign = 1
        guard.last = value
        waiting = waiting or guard.sign == 0
    if not waiting:
        return
    for slowest in (SLOWEST, SLOWEST_FUNCTION):
        moved = 0.0
        eps = look_ahead(flow, slowest)
        for d in range(moves.shape[0]):
            moved = max(moved, abs(moves[d]))
        place_for_guards(flow, guards, t + eps, BETWEEN)
        for e in range(guards.shape[0]):
            guard = guards[e]
            if guard.sign == 0 and (guard.sort == FUNCTION) == (slowest == SLOWEST_FUNCTION):
                value = guard.last
                change = guard_value(flow, guards, e, t + eps, BETWEEN) - value
                at_once = value * change >= 0.0 or abs(value) <= AT_ONCE * h * abs(change) / eps
                if at_once and abs(change) > max(GUARD_ROUNDING, UNNOTICED * moved):
                    guard.sign = 1 if change > 0.0 else -1


@jit
def look_ahead(flow: Flow, slowest: float) -> float:
    """`between`: the start of the step moved along its slopes by a little time, which is returned."""
    start, between, u, rates = flow.vectors.start, flow.vectors.between, flow.vectors.to_between, flow.vectors.slopes.v[0]
    fastest = slowest
    for d in range(start.v.shape[0]):
        fastest = max(fastest, abs(start.v[d]))
    eps = 1e-6 / fastest
    for d in range(start.v.shape[0]):
        u[d] = eps * start.v[d]
        between.v[d] = start.v[d] + eps * rates[d]
    chart.depart(model_of(flow).walk, start.q, u, between.v, between.q, between.v)
    return eps


@inline
def count_live(flow: Flow, guards: Guards) -> int:
    """How many guards are looked at in the step: all but those of contacts that cannot come to zero."""
    calls = flow.calls
    return guards.shape[0] if calls.live == 0 else calls.others + table_at(calls.live, 1, 1, 0)[0, 0]


@inline
def live_guard(flow: Flow, k: int) -> int:
    """The place of one of these among all guards."""
    calls = flow.calls
    if calls.live == 0 or k < calls.others:
        return k
    place: int = calls.others + table_at(calls.live, 1, k + 2, 0)[0, 1 + k - calls.others]
    return place


@jit
def keep_guards(flow: Flow, guards: Guards) -> None:
    """Remember the guards that are looked at as they are at the start of a step, for the case that it must be taken again."""
    for k in range(count_live(flow, guards)):
        guard = guards[live_guard(flow, k)]
        guard.sign_before, guard.last_before = guard.sign, guard.last


@jit
def put_guards_back(flow: Flow, guards: Guards) -> None:
    """As `keep_guards` found them."""
    for e in range(guards.shape[0]):
        guards[e].hit = guards[e].known = False
    for k in range(count_live(flow, guards)):
        guard = guards[live_guard(flow, k)]
        guard.sign, guard.last = guard.sign_before, guard.last_before


@inline
def crossed(guard: Guard, value: float) -> bool:
    """Whether a guard has gone through zero in its direction since it was last away from it."""
    if guard.sign == 0:
        return False
    if guard.direction <= 0 and guard.sign > 0 and value <= 0.0:
        return True
    return guard.direction >= 0 and guard.sign < 0 and value >= 0.0


@inline
def remember(guard: Guard, value: float) -> None:
    """Keep the sign and the value of a guard at a sample where it did not fire."""
    if abs(value) > AT_ZERO or guard.sign != 0:
        if value > 0.0:
            guard.sign = 1
        elif value < 0.0:
            guard.sign = -1
    guard.last = value
