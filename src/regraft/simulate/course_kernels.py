"""A course: motion from one structure to the next without Python, where events change the structure as data say.

A *place* is a structure with all that the compiled loop needs for it, and an *edge* is what an event does there. Places and edges
are learned as they come (`course`): an event whose edge is not known leads back to Python.
"""

from __future__ import annotations

from typing import Any

from numba import float64

from ..algebra.memory import call_kernel, table_at, vector_at
from ..compilation import Floats, Integers, IntegerTable, Table, inline, inline_view, jit, long_entry
from ..tolerances import BEYOND
from .course_changes import KERNEL, LINK, MADE, OPEN, PASSED_OVER
from .flow import Flow, on_flow
from .guards import GUARD, Guards
from .places import put_at, value_at
from .records import records_at
from .stepping_loop import BEYOND_ALREADY, EVENT, FINISHED, FIRST_ERROR, GIVEN_STEPPING, GivenStepping, go_on

# places: int64 (number, PLACE)
FLOW = 0  # where the flow lies,
STEPPING = 1  # and what the loop keeps from step to step
GUARDS = 2  # address of the guards,
COUNT = 3  # and how many there are
NQ = 4
NV = 5
HANDLE = 6  # of the workspace,
ROOM = 7  # and address of scratch for
ADMIT = 8  # the address of `admit`, where loops are closed; else 0
PLACE = 9

# edges: int64 (places × most guards, EDGE), the row of a guard e in a place p is p × most + e
SORT = 0  # UNKNOWN, STOPS, CHANGES, NOTES where nothing changes, or PASSES where the event is passed over
EVENT_ID = 1  # which event it is
TO = 2  # of a change: the place it leads to,
LINKS = 3  # the address of its links,
COUNT_LINKS = 4  # and how many there are
FRESH = 5  # address of the guards as they begin in the new place
RETURNS = 6  # whether it is a return
EDGE = 7
UNKNOWN, STOPS, CHANGES, NOTES, PASSES = range(5)

# header: int64
AT = 0  # the place
GUARD_HIT = 1  # the guard whose edge is not known, or that stopped it
RETURNED = 2  # how many returns there have been
REACHED = 3  # the known state that was reached, −1 for none
WHY = 4  # why the compiled loop came back
ASKED = 5  # a bit for each event that has just happened
BEFORE = 6  # a bit for each event whose guard was beyond zero where the segment before ended
FIRES = 7  # a bit for each event that happens where a segment starts beyond zero
MOST_GUARDS = 8
PENDING = 9  # whether the event at GUARD_HIT is still to happen
FALSE_STARTS = 10  # events in a row without a step between them
HEADER = 11

# clock: float64
LONGEST = 0  # how long a return may take
NEAR = 1  # how near a known state must be
CLOCK = 2

DONE, STOPPED, TOOK_TOO_LONG, NOT_KNOWN, SEVERAL, FAILED, CANNOT_STAND, LOOP_OPEN = range(8)
"""How it ended: all returns were made, or a known state was reached; an event stopped it; no return came; an edge is not known;
several events at once; the loop gave up; a joint cannot take the pose of its body, or the impact has no result; or a loop is
not closed to rounding where it opens, or it is not plain that the closed chain can move as it does."""
ENDLESS = 1000
"""Events in a row without a step."""
SEVERAL_GUARDS, NO_EVENT = -1, -2
"""In place of the guard of an event."""
MOST_STEPS = 1_000_000
"""Of a segment."""
GUARD_WORDS = GUARD.itemsize // 8

stepping_at = value_at({float64: GIVEN_STEPPING})


@long_entry
def park(flow: Flow, stepping: GivenStepping, at_flow: int, at_stepping: int) -> int:
    """Put a flow and its stepping where they lie for good; says how many bytes the larger one takes."""
    return max(put_at(at_flow, flow), put_at(at_stepping, stepping))


@inline_view
def guards_of(places: Any, p: int) -> Guards:
    """Those of a place."""
    return records_at(places[p, GUARDS], places[p, COUNT], GUARD)


@jit
@on_flow
def set_state(flow: Flow, x: Any) -> None:
    """Begin at a state."""
    q, v = flow.vectors.start
    flow.calls.failed = False
    for i in range(q.shape[0]):
        q[i] = x[i]
    for d in range(v.shape[0]):
        v[d] = x[q.shape[0] + d]


@jit
@on_flow
def get_state(flow: Flow, x: Any) -> None:
    """Where it is."""
    q, v = flow.vectors.start
    for i in range(q.shape[0]):
        x[i] = q[i]
    for d in range(v.shape[0]):
        x[q.shape[0] + d] = v[d]


@jit
def begin(places: Any, p: int, fresh: int, x: Any, t: float, end: float) -> None:
    """A segment in a place, from a state on, with guards as they begin."""
    set_state(places[p, FLOW], 0.0, x)
    given = stepping_at(places[p, STEPPING], 0.0)
    progress, control, recording = given.progress[0], given.control[0], given.recording[0]
    progress.t, progress.end, progress.looked, progress.started = t, end, False, False
    if control.adaptive:
        control.step = 0.0
    control.error_before, control.retried, control.strict = FIRST_ERROR, False, False
    recording.rows, recording.since = 0, 0
    words = places[p, COUNT] * GUARD_WORDS
    source, target = vector_at(fresh, words), vector_at(places[p, GUARDS], words)
    for i in range(words):
        target[i] = source[i]


@long_entry
def begin_first(places: IntegerTable, fresh: int, x: Table, end: float) -> None:
    """A walk in the first place, from the state x[0] on."""
    begin(places, 0, fresh, x[0], 0.0, end)


@jit
def change(edge: Any, x: Any) -> float:
    """The state after all changes of an edge, one after the other; says what came of them."""
    links = edge[LINKS]
    for k in range(edge[COUNT_LINKS]):
        at_link = links + 8 * LINK * k
        said = call_kernel(table_at(at_link, 1, LINK, links)[0, KERNEL], (at_link, x.ctypes.data))
        if said != MADE:
            return said
    return MADE


@jit
def bits_beyond(guards: Guards, edges: Any, first: int) -> int:
    """A bit for each event whose guard is beyond zero where a segment ends."""
    found = 0
    for e in range(guards.shape[0]):
        guard = guards[e]
        if guard.direction != 0 and guard.sign == guard.direction:
            found |= 1 << edges[first + e, EVENT_ID]
    return found


@jit
def the_hit(guards: Guards) -> int:
    """The guard whose zero is the event, or SEVERAL_GUARDS."""
    found, count = -1, 0
    for e in range(guards.shape[0]):
        if guards[e].hit:
            found, count = e, count + 1
    return found if count == 1 else SEVERAL_GUARDS


@jit
def the_first_one(guards: Guards, edges: Any, first: int, header: Any) -> int:
    """The guard that is beyond zero where a segment starts, whose event happens there; or NO_EVENT, SEVERAL_GUARDS."""
    found, count, quiet = NO_EVENT, 0, header[BEFORE] | header[ASKED]
    for e in range(guards.shape[0]):
        guard, bit = guards[e], 1 << edges[first + e, EVENT_ID]
        if guard.direction * guard.last > BEYOND and quiet & bit == 0 and header[FIRES] & bit != 0:
            found, count = e, count + 1
    return found if count <= 1 else SEVERAL_GUARDS


@jit
def known_state(known: Any, owners: Any, p: int, size: int, x: Any, near: float) -> int:
    """Whose known state of a place a state is near to; −1 for none. `owners` has the place of each, and whose it is."""
    for k in range(known.shape[0]):
        if owners[k, 0] == p:
            away = 0.0
            for i in range(size):
                away = max(away, abs(known[k, i] - x[i]))
            if away <= near:
                return owners[k, 1]
    return -1


@long_entry
def follow(
    places: IntegerTable,
    edges: IntegerTable,
    known: Table,
    owners: IntegerTable,
    header: Integers,
    clock: Floats,
    x: Table,
    found: Table,
) -> int:
    """From the state x[0] on until it ends; says how.

    A row of `found` is written for each return: the time, the place and the state after it. It ends when they are full.
    """
    state = x[0]
    while True:
        e, p = next_event(places, edges, header), header[AT]
        get_state(places[p, FLOW], 0.0, state)
        if e == NO_EVENT:
            return TOOK_TOO_LONG if header[WHY] == FINISHED else FAILED
        header[GUARD_HIT] = e
        if e < 0 or header[FALSE_STARTS] > ENDLESS:
            return SEVERAL
        edge = edges[p * header[MOST_GUARDS] + e]
        if edge[SORT] == UNKNOWN:
            return NOT_KNOWN
        if edge[SORT] == STOPS:
            return STOPPED
        t = stepping_at(places[p, STEPPING], 0.0).progress[0].t
        if edge[SORT] == PASSES:
            continue
        if edge[SORT] == CHANGES:
            said = change(edge, state)
            if said == PASSED_OVER:
                continue
            if said != MADE:
                return LOOP_OPEN if said == OPEN else CANNOT_STAND
            end = stepping_at(places[p, STEPPING], 0.0).progress[0].end
            p = edge[TO]
            if places[p, ADMIT] != 0:
                said = call_kernel(places[p, ADMIT], (places[p, HANDLE], state.ctypes.data, places[p, ROOM]))
                if said != MADE:
                    return LOOP_OPEN
            header[AT], header[ASKED] = p, 1 << edge[EVENT_ID]
            begin(places, p, edge[FRESH], state, t, end)
        if edge[RETURNS] != 0:
            write_return(found[header[RETURNED]], t, p, places[p, NQ] + places[p, NV], state)
            header[RETURNED] += 1
            stepping_at(places[p, STEPPING], 0.0).progress[0].end = t + clock[LONGEST]
            header[REACHED] = known_state(known, owners, p, places[p, NQ] + places[p, NV], state, clock[NEAR])
            if header[RETURNED] == found.shape[0] or header[REACHED] >= 0:
                return DONE


@jit
def next_event(places: Any, edges: Any, header: Any) -> int:
    """Run to the next event; its guard, SEVERAL_GUARDS, or NO_EVENT with the reason in WHY."""
    if header[PENDING] != 0:
        header[PENDING] = 0
        return header[GUARD_HIT]
    p = header[AT]
    first, guards, given = p * header[MOST_GUARDS], guards_of(places, p), stepping_at(places[p, STEPPING], 0.0)
    while True:
        given.progress[0].budget = MOST_STEPS
        header[WHY] = go_on(places[p, FLOW], 0.0, given, guards)
        header[FALSE_STARTS] += 1
        if header[WHY] == EVENT:
            header[FALSE_STARTS] = 0
            header[BEFORE] = bits_beyond(guards, edges, first)
            return the_hit(guards)
        if header[WHY] != BEYOND_ALREADY:
            return NO_EVENT
        e = the_first_one(guards, edges, first, header)
        if e != NO_EVENT:
            return e


@inline
def write_return(row: Any, t: float, p: int, size: int, x: Any) -> None:
    """The time, the place and the state after a return."""
    row[0], row[1] = t, p
    for i in range(size):
        row[2 + i] = x[i]
