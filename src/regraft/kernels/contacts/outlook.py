"""What cannot happen within a step: points that are too far away to touch are not looked at, nor is anything where all rests.

The shapes of an open point come nearer by no more than their bodies move, and how far that can be in a step follows from speeds
at its ends. So most gaps need not be computed in most steps, and those that must be, once. Points that are so far away that
nothing can bring them together within several steps are not even asked in these: only items that are *near* are.

CLEARANCE is how far away a point is at least, times its STEEPNESS, so that it shrinks as its gap can.
"""

from __future__ import annotations

import math

from ...algebra.memory import load
from ...algebra.spatial import Vector, add, angular, cross, dot, linear
from ...compilation import inline, inline_once, jit
from ..tables import VEL, KernelModel, P, Work
from .memory import (
    CALM,
    CLEARANCE,
    FARTHEST,
    FASTEST,
    FIXED_TARGETS,
    MODE,
    NEAR,
    QUIET,
    ROOM,
    SIDES,
    SINCE,
    SLACK,
    SPEED,
    SPINNING,
    STEEPEST,
    TURN,
    TURNING,
    WATCHED,
    WAY,
    Contacts,
)
from .placing import second_row
from .points import clearance_of, has_end
from .problem import OPEN, SLIDE
from .stages import contact_stage
from .tables import FIXED, REACH_A, REACH_B, ROW_A, ROW_B, STEEPNESS, THICKNESS

FAR = 8.0
"""A point is far away where nothing can bring its shapes together in so many steps such as the last one."""
LATEST = 4.0
"""After as many steps as FAR says, times this, all points are looked at again, as what was near may be far away by then."""


@contact_stage
def look_out(model: KernelModel, work: Work, contacts: Contacts, h: float) -> None:
    """WATCHED of the points that may touch within the step of size h that has been taken, and QUIET.

    Bodies are placed and moved as they are at its end.
    """
    closer = note_speeds(work, contacts, h)
    if closer <= contacts.ahead[0, ROOM]:
        contacts.ahead[0, ROOM] -= closer
    else:
        list_near(model, work, contacts, closer)
    quiet, n = contacts.header[CALM] == 1, contacts.points.shape[0]
    contacts.live[0, 0] = 0
    for k in range(contacts.live[NEAR, 0]):
        i = contacts.live[NEAR, 1 + k]
        if i < n and contacts.items[i, MODE] == OPEN:
            far = stays_open(model, work, contacts, i)
            contacts.items[i, WATCHED] = 0 if far else 1
            quiet = quiet and far
            if not far and has_bounced(contacts, i):
                contacts.header[CALM] = 0  # as its guard looks at how it parts too
        elif i < n and may_end(contacts, i):
            quiet = False
        add_live(contacts, i, n)
    contacts.header[QUIET] = 1 if quiet else 0


@inline
def may_end(contacts: Contacts, i: int) -> bool:
    """Whether the mode of the closed point i may end within the step by its slip, or by its place."""
    slides = contacts.items[i, MODE] == SLIDE
    if has_end(contacts.points, i) and (slides or contacts.points[i, FIXED] == 0):
        return True
    return slides and contacts.items[i, WATCHED] == 1


@inline
def has_bounced(contacts: Contacts, i: int) -> bool:
    """Whether the open point i has begun its mode where it touches, and has not left that place yet."""
    return contacts.kept[i, SLACK] > 0.0 and contacts.kept[i, SLACK + 1] > 0.0


# --- what is looked at --------------------------------------------------------------------------------------------------------


@jit
def begin_outlook(contacts: Contacts) -> None:
    """All items are near, and the guards of all but open points that are not watched are `live`, until a step has been taken."""
    n, ahead = contacts.points.shape[0], contacts.ahead
    contacts.live[0, 0], contacts.live[NEAR, 0] = 0, contacts.items.shape[0]
    for i in range(contacts.items.shape[0]):
        contacts.live[NEAR, 1 + i] = i
        add_live(contacts, i, n)
    ahead[0, ROOM], ahead[0, STEEPEST], ahead[0, FARTHEST], ahead[0, SIDES], ahead[0, FIXED_TARGETS] = -1.0, 0.0, 0.0, 0.0, 1.0
    for i in range(n):
        thin, far = contacts.shapes[i, THICKNESS] > 0.0, may_be_far(contacts, i)
        if thin and not (second_row(contacts.points, i) < 0 and reach_of(contacts, i) < math.inf):
            ahead[0, FIXED_TARGETS] = 0.0
        if (thin or far) and reach_of(contacts, i) < math.inf:
            ahead[0, FARTHEST] = max(ahead[0, FARTHEST], reach_of(contacts, i))
        if far:
            ahead[0, STEEPEST] = max(ahead[0, STEEPEST], contacts.shapes[i, STEEPNESS])
            ahead[0, SIDES] = max(ahead[0, SIDES], (contacts.points[i, ROW_A] >= 0) + (contacts.points[i, ROW_B] >= 0))
    for k in range(contacts.bodies.shape[0]):
        contacts.bodies[k, SINCE] = contacts.bodies[k, SINCE + 1] = 0.0


@inline
def add_live(contacts: Contacts, i: int, points: int) -> None:
    """Put the guards of item i on that list; so many of the items are points."""
    count = contacts.live[0, 0]
    opened = i < points and contacts.items[i, MODE] == OPEN
    if not opened:
        contacts.live[0, 1 + count], contacts.live[0, 2 + count] = 2 * i, 2 * i + 1
        contacts.live[0, 0] = count + 2
    elif contacts.items[i, WATCHED]:
        contacts.live[0, 1 + count] = 2 * i
        contacts.live[0, 0] = count + 1


@inline_once
def list_near(model: KernelModel, work: Work, contacts: Contacts, closer: float) -> None:
    """The items that are near, after a step in which no CLEARANCE has shrunk by more than `closer`.  O(items)."""
    count, n, room = 0, contacts.points.shape[0], LATEST * FAR * closer
    for i in range(contacts.items.shape[0]):
        if i < n and contacts.items[i, MODE] == OPEN and may_be_far(contacts, i):
            least = FAR * closer
            left = contacts.kept[i, CLEARANCE] - shrinks(contacts, i, SINCE)
            if not left > least:
                left = clearance_of(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
            if left > least:
                contacts.kept[i, CLEARANCE], contacts.items[i, WATCHED] = left, 0
                room = min(room, left)
                continue
            contacts.kept[i, CLEARANCE] -= shrinks(contacts, i, SINCE) - shrinks(contacts, i, WAY)  # where the step began
        contacts.live[NEAR, 1 + count] = i
        count += 1
    contacts.live[NEAR, 0], contacts.ahead[0, ROOM] = count, room
    for k in range(contacts.bodies.shape[0]):
        contacts.bodies[k, SINCE] = contacts.bodies[k, SINCE + 1] = 0.0


@inline
def stays_open(model: KernelModel, work: Work, contacts: Contacts, i: int) -> bool:
    """Whether the open point i is so far away that it cannot have touched within the step. Keeps CLEARANCE.

    To touch in between it would have had to go all the way from where it started, and back to where it is at the end.
    """
    closer, begun = shrinks(contacts, i, WAY), contacts.kept[i, CLEARANCE]
    if begun > closer:
        contacts.kept[i, CLEARANCE] = begun - closer
        return True
    left = clearance_of(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
    contacts.kept[i, CLEARANCE] = left
    return begun > 0.0 and left > 0.0 and begun + left > closer


# --- how far bodies go --------------------------------------------------------------------------------------------------------


@inline
def note_speeds(work: Work, contacts: Contacts, h: float) -> float:
    """WAY and TURN of all bodies: how far their origins go and how far they turn within the step, at most; SPEED and TURNING.

    Returns by how much any CLEARANCE shrinks in it, at most.
    """
    bodies, ahead, fastest, spinning, way, turn = contacts.bodies, contacts.ahead, 0.0, 0.0, 0.0, 0.0
    for k in range(bodies.shape[0]):
        speed, turning = speed_of(work, k)
        bodies[k, WAY], bodies[k, TURN] = h * (speed + bodies[k, SPEED]), h * (turning + bodies[k, TURNING])
        bodies[k, SINCE] += bodies[k, WAY]
        bodies[k, SINCE + 1] += bodies[k, TURN]
        bodies[k, SPEED], bodies[k, TURNING] = speed, turning
        fastest, spinning = max(fastest, speed), max(spinning, turning)
        way, turn = max(way, bodies[k, WAY]), max(turn, bodies[k, TURN])
    ahead[0, FASTEST], ahead[0, SPINNING] = fastest, spinning
    return most_shrinking(contacts, way, turn)


@inline
def most_shrinking(contacts: Contacts, way: float, turn: float) -> float:
    """By how much any CLEARANCE shrinks, at most, while no body goes and turns farther; of points that may be far away."""
    ahead = contacts.ahead
    return ahead[0, STEEPEST] * (ahead[0, SIDES] * way + ahead[0, FARTHEST] * turn)


@inline
def speed_of(work: Work, k: int) -> tuple[float, float]:
    """How fast the origin of the body of row k goes, and how fast the body turns."""
    twist = load(work.body, k, VEL, 6)
    return length(add(linear(twist), cross(angular(twist), load(work.body, k, P, 3)))), length(angular(twist))


@inline
def length(v: Vector) -> float:
    """|v|."""
    return math.sqrt(dot(v, v))


@inline
def shrinks(contacts: Contacts, i: int, columns: int) -> float:
    """By how much the CLEARANCE of point i shrinks, at most, while its bodies go and turn as far as two columns of theirs say."""
    a, b = contacts.points[i, ROW_A], contacts.points[i, ROW_B]
    return contacts.shapes[i, STEEPNESS] * (way_of(contacts, i, a, REACH_A, columns) + way_of(contacts, i, b, REACH_B, columns))


@inline
def way_of(contacts: Contacts, i: int, k: int, reach: int, columns: int) -> float:
    """How far one of its shapes goes, on the body of row k; the world stays."""
    if k < 0:
        return 0.0
    return contacts.bodies[k, columns] + contacts.bodies[k, columns + 1] * contacts.shapes[i, reach]


@inline
def reach_of(contacts: Contacts, i: int) -> float:
    """How far the shapes of point i that are on bodies reach, together."""
    reach = contacts.shapes[i, REACH_A] if contacts.points[i, ROW_A] >= 0 else 0.0
    return reach + (contacts.shapes[i, REACH_B] if contacts.points[i, ROW_B] >= 0 else 0.0)


@inline
def may_be_far(contacts: Contacts, i: int) -> bool:
    """Whether the CLEARANCE of point i shrinks by no more than some number times what its bodies move."""
    return contacts.shapes[i, STEEPNESS] * (1.0 + reach_of(contacts, i)) < math.inf
