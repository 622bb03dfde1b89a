"""A course: motion from one structure to the next without Python, where events change the structure as data say.

A *place* is a structure with all that the compiled loop needs for it, and an *edge* is what an event does there. Places and edges
are learned as they come (`course`): an event whose edge is not known leads back to Python.
"""

from __future__ import annotations

from typing import Any

from numba import float64

from ..algebra.memory import load, store, table_at, vector_at
from ..algebra.spatial import Vector, dot, multiply, subtract, transpose
from ..compilation import Floats, Integers, IntegerTable, Table, inline, inline_view, jit, long_entry
from ..joints import joint_nearest, joint_transform, parameters
from ..kernels.impact import impact
from ..kernels.jacobian import place_in_world
from ..kernels.kinematics import move_bodies, place_bodies
from ..kernels.memory import model_at, work_at
from ..kernels.tables import KIND, ORIGIN, PAR, ROOT, VEL, E, KernelModel, Q, T, Work
from ..tolerances import BEYOND, REPRESENTABLE
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
HANDLE = 4  # of the workspace
NQ = 5
NV = 6
PLACE = 7

# edges: int64 (places × most guards, EDGE), the row of a guard e in a place p is p × most + e
SORT = 0  # UNKNOWN, STOPS, STRIKES, or PASSES where nothing changes
EVENT_ID = 1  # which event it is
TO = 2  # of a strike: the place it leads to,
TOP = 3  # the row of the foot's body in the place before,
NEW_TOP = 4  # and in the place after
PAST_ROW = 5  # the row of the frame that the foot must be past, −1 for none
SOURCES = 6  # address of (NQ + NV) places in the state before, from which the one after takes its numbers, −1 for none
FRESH = 7  # address of the guards as they begin in the new place
RETURNS = 8  # whether it is a return
EDGE = 9
UNKNOWN, STOPS, STRIKES, PASSES = range(4)

# numbers: float64 (places × most guards, NUMBERS)
POINT = 0  # 3: where the foot is, in the frame of its row
PAST_POINT = 3  # 3: the same of the frame that it must be past
ALONG = 6  # 3: the direction,
LEAST = 9  # and by how much
NUMBERS = 10

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

DONE, STOPPED, TOOK_TOO_LONG, NOT_KNOWN, SEVERAL, FAILED, CANNOT_STAND = range(7)
"""How it ended: all returns were made, or a known state was reached; an event stopped it; no return came; an edge is not known;
several events at once; the loop gave up; or a joint cannot take the pose of its body, or the impact has no result."""
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
def is_past(model: KernelModel, work: Work, edge: Any, number: Any) -> bool:
    """Whether a foot is past the frame that it must be past; the bodies are placed."""
    if edge[PAST_ROW] < 0:
        return True
    foot = place_in_world(model, work, edge[TOP], (number[POINT], number[POINT + 1], number[POINT + 2]))
    other = place_in_world(model, work, edge[PAST_ROW], (number[PAST_POINT], number[PAST_POINT + 1], number[PAST_POINT + 2]))
    along = number[ALONG], number[ALONG + 1], number[ALONG + 2]
    return dot(subtract(foot, other), along) > number[LEAST]


@jit
def stand(model: KernelModel, new: KernelModel, work: Work, edge: Any, foot: Vector, q: Any) -> float:
    """Put the new base joint where the foot is, and its numbers into q (S1 eqs. 13–18); returns how far off its pose is."""
    top, k = edge[TOP], edge[NEW_TOP]
    store(new.geometry, k, T, foot)
    R_body = multiply(load(work.body, top, 0, 9), transpose(load(model.far, top, 0, 9)))
    R_joint = multiply(transpose(load(new.geometry, k, E, 9)), R_body)
    kind, par = new.walk[k, KIND], parameters(new.geometry, k, PAR, 0.0)
    joint_nearest(kind, par, (R_joint, (0.0, 0.0, 0.0)), q, new.walk[k, Q])
    R, p = joint_transform(kind, par, q, new.walk[k, Q])
    off = max(abs(p[0]), abs(p[1]), abs(p[2]))
    for i in range(9):
        off = max(off, abs(R[i] - R_joint[i]))
    return off


@jit
def change(before: Any, after: Any, edge: Any, number: Any, x: Any, spare: Any) -> bool:
    """The state after a strike, in the place that it leads to; whether there is one. `spare` is scratch of its size.

    The bodies of the place before are placed and moved.
    """
    model, work = model_at(before[HANDLE]), work_at(before[HANDLE], 0.0)
    new, new_work = model_at(after[HANDLE]), work_at(after[HANDLE], 0.0)
    nq, nv, sources = after[NQ], after[NV], table_at(edge[SOURCES], 1, after[NQ] + after[NV], edge[0])[0]
    for i in range(nq + nv):
        spare[i] = x[sources[i]] if sources[i] >= 0 else 0.0
    for i in range(nq + nv):
        x[i] = spare[i]
    q, v = vector_at(x.ctypes.data, nq), vector_at(x.ctypes.data + 8 * nq, nv)
    foot = place_in_world(model, work, edge[TOP], (number[POINT], number[POINT + 1], number[POINT + 2]))
    if not stand(model, new, work, edge, foot, q) <= REPRESENTABLE:
        return False
    origin, twist = load(work.body, model.walk[edge[TOP], ROOT], ORIGIN, 3), load(work.body, edge[TOP], VEL, 6)
    out = vector_at(spare.ctypes.data, nv)
    margin = impact(new, new_work, q, v, edge[NEW_TOP], origin, twist, out)
    for d in range(nv):
        v[d] = out[d]
    return margin > 0.0


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
    numbers: Table,
    known: Table,
    owners: IntegerTable,
    header: Integers,
    clock: Floats,
    x: Table,
    found: Table,
) -> int:
    """From the state x[0] on until it ends; says how. x[1] is scratch.

    A row of `found` is written for each return: the time, the place and the state after it. It ends when they are full.
    """
    state, spare = x[0], x[1]
    while True:
        e, p = next_event(places, edges, header), header[AT]
        get_state(places[p, FLOW], 0.0, state)
        if e == NO_EVENT:
            return TOOK_TOO_LONG if header[WHY] == FINISHED else FAILED
        header[GUARD_HIT] = e
        if e < 0 or header[FALSE_STARTS] > ENDLESS:
            return SEVERAL
        edge, number = edges[p * header[MOST_GUARDS] + e], numbers[p * header[MOST_GUARDS] + e]
        if edge[SORT] == UNKNOWN:
            return NOT_KNOWN
        if edge[SORT] == STOPS:
            return STOPPED
        t = stepping_at(places[p, STEPPING], 0.0).progress[0].t
        if edge[SORT] == STRIKES:
            if not prepare(places[p], edge, number, state):
                continue
            if not change(places[p], places[edge[TO]], edge, number, state, spare):
                return CANNOT_STAND
            end = stepping_at(places[p, STEPPING], 0.0).progress[0].end
            p = edge[TO]
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


@jit
def prepare(place: Any, edge: Any, number: Any, x: Any) -> bool:
    """Place the bodies and let them move, if the foot is past what it must be past; whether it is."""
    nq, nv = place[NQ], place[NV]
    model, work = model_at(place[HANDLE]), work_at(place[HANDLE], 0.0)
    q, v = vector_at(x.ctypes.data, nq), vector_at(x.ctypes.data + 8 * nq, nv)
    place_bodies(model, work, q)
    if not is_past(model, work, edge, number):
        return False
    move_bodies(model, work, q, v)
    return True


@inline
def write_return(row: Any, t: float, p: int, size: int, x: Any) -> None:
    """The time, the place and the state after a return."""
    row[0], row[1] = t, p
    for i in range(size):
        row[2 + i] = x[i]
