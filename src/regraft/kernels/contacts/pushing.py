"""A start in which shapes are within one another: the least move that takes them apart."""

from __future__ import annotations

from ...compilation import Floats, entry
from ...tolerances import TOUCHING
from ..kinematics import place_bodies
from ..memory import model_at, positions_in, work_at
from .closing import close_places
from .items import list_active
from .memory import ACTIVE_POINTS, ACTIVE_RUBS, MODE, contacts_at
from .points import gap_of
from .problem import OPEN, SLIDE

_ROUNDS = 50


@entry
def push_out(handle: int, x: Floats, best: Floats) -> bool:
    """Move q until no point is deeper than TOUCHING; whether that was possible. All points are open afterwards.

    The points that are inside are put on the surface together, by the least move in the metric of kinetic energy; where that
    takes others inside, these too.
    """
    m, w, contacts, nq = model_at(handle), work_at(handle, 0.0), contacts_at(handle), positions_in(handle)
    q, v, done = x[:nq], x[nq:], False
    for i in range(contacts.items.shape[0]):
        contacts.items[i, MODE] = OPEN
    for _ in range(_ROUNDS):
        place_bodies(m, w, q)
        done = True
        for i in range(contacts.points.shape[0]):
            if gap_of(m, w, contacts.points, contacts.shapes, contacts.profiles, i) < -TOUCHING:
                contacts.items[i, MODE], done = SLIDE, False
        if done:
            break
        list_active(contacts)
        contacts.header[ACTIVE_RUBS] = 0
        close_places(m, w, contacts, q, v, best, True)
    for i in range(contacts.items.shape[0]):
        contacts.items[i, MODE] = OPEN
    contacts.header[ACTIVE_POINTS] = 0
    return done
