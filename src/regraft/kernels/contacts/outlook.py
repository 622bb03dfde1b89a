"""What cannot happen within a step: points that are too far away to touch are not looked at, nor is anything where all rests.

The gap of an open point shrinks by no more than its bodies move, and how far that can be in a step follows from their speeds at
its ends. So most gaps need not be computed in most steps, and those that must be, once.
"""

from __future__ import annotations

import math

from ...algebra.memory import load
from ...algebra.spatial import Vector, add, angular, cross, dot, linear
from ...compilation import inline, jit
from ..tables import VEL, KernelModel, P, Work
from .memory import CALM, CLEARANCE, MODE, QUIET, SLACK, SPEED, TURN, TURNING, WATCHED, WAY, Contacts
from .points import gap_of, has_end
from .problem import OPEN, SLIDE
from .tables import FIXED, REACH_A, REACH_B, ROW_A, ROW_B, STEEPNESS


@jit
def look_out(model: KernelModel, work: Work, contacts: Contacts, h: float) -> None:
    """WATCHED of the points that may touch within the step of size h that has been taken, and QUIET.

    Bodies are placed and moved as they are at its end.
    """
    note_speeds(work, contacts, h)
    quiet, n = contacts.header[CALM] == 1, contacts.points.shape[0]
    contacts.live[0, 0] = 0
    for i in range(n):
        if contacts.items[i, MODE] == OPEN:
            far = stays_open(model, work, contacts, i)
            contacts.items[i, WATCHED] = 0 if far else 1
            quiet = quiet and far
            if not far and has_bounced(contacts, i):
                contacts.header[CALM] = 0  # as its guard looks at how it parts too
        elif may_end(contacts, i):
            quiet = False
        add_live(contacts, i, n)
    for i in range(n, contacts.items.shape[0]):
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


@jit
def list_live(contacts: Contacts) -> None:
    """`live`: the guards of all items but open points that are not watched."""
    contacts.live[0, 0] = 0
    for i in range(contacts.items.shape[0]):
        add_live(contacts, i, contacts.points.shape[0])


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


@inline
def stays_open(model: KernelModel, work: Work, contacts: Contacts, i: int) -> bool:
    """Whether the open point i is so far away that it cannot have touched within the step. Keeps CLEARANCE."""
    closer = contacts.shapes[i, STEEPNESS] * way(contacts, i)
    if contacts.kept[i, CLEARANCE] > closer:
        contacts.kept[i, CLEARANCE] -= closer
        return True
    contacts.kept[i, CLEARANCE] = gap_of(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
    return contacts.kept[i, CLEARANCE] > closer


@inline
def note_speeds(work: Work, contacts: Contacts, h: float) -> None:
    """WAY and TURN of all bodies: how far their origins go and how far they turn within the step, at most; SPEED and TURNING."""
    for k in range(contacts.bodies.shape[0]):
        V = load(work.body, k, VEL, 6)
        speed, turning = length(add(linear(V), cross(angular(V), load(work.body, k, P, 3)))), length(angular(V))
        contacts.bodies[k, WAY] = h * (speed + contacts.bodies[k, SPEED])
        contacts.bodies[k, TURN] = h * (turning + contacts.bodies[k, TURNING])
        contacts.bodies[k, SPEED], contacts.bodies[k, TURNING] = speed, turning


@inline
def length(v: Vector) -> float:
    """|v|."""
    return math.sqrt(dot(v, v))


@inline
def way(contacts: Contacts, i: int) -> float:
    """How far the shapes of point i go, at most."""
    return way_of(contacts, i, contacts.points[i, ROW_A], REACH_A) + way_of(contacts, i, contacts.points[i, ROW_B], REACH_B)


@inline
def way_of(contacts: Contacts, i: int, k: int, reach: int) -> float:
    """How far one of them goes, on the body of row k; the world stays."""
    if k < 0:
        return 0.0
    return contacts.bodies[k, WAY] + contacts.bodies[k, TURN] * contacts.shapes[i, reach]
