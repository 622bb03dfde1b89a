"""Contacts that go on in another structure: modes and anchors are carried by name, and contacts whose parts are gone rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...kernels.contacts import memory as m
from ...kernels.contacts import tables as t
from ...kernels.contacts.problem import OPEN, SLIDE, STICK
from ...tolerances import STANDS_STILL

if TYPE_CHECKING:
    from ...structure.structure import Structure
    from .contacting import Contacting

Array = NDArray[np.float64]


def carry(before: Contacting, now: Contacting, hold: bool = False) -> None:
    """Give the items of a structure that has just begun the modes that those of the same names had in the one before.

    Whether they can still have them, the next event of contacts asks (`kernels.contacts.events.recall`); with `hold` they have
    them in any case, and the state is moved there.
    """
    places = {name: i for i, name in enumerate(before.names)}
    for i, name in enumerate(now.names):
        if (old := places.get(name)) is None:
            continue
        was, items, kept = before.tables.items[old], now.tables.items, now.tables.kept
        items[i, m.MODE] = was[m.MODE]
        if was[m.MODE] != OPEN:
            items[i, m.HIT] = m.HELD if hold else m.GOES_ON if _creeps(before, old) else m.STAYS
        elif hold or was[m.HIT] == m.LEAVES:
            items[i, m.HIT] = m.HELD if hold else m.LEAVES
        for field, size in ((m.DIRECTION, 3), (m.FORCE, 3), (m.LEAD, 3)):
            kept[i, field : field + size] = before.tables.kept[old, field : field + size]
        if i < len(now.points.names):
            now.tables.points[i, t.SIDE] = items[i, m.SIDE_WAS] = was[m.SIDE_WAS]
        if i < len(now.points.names) and was[m.MODE] == STICK:
            kept[i, m.ANCHOR : m.ANCHOR + 3] = _carried_anchor(before, now, old, i)


def _creeps(contacts: Contacting, i: int) -> bool:
    """Whether an item slips, or is about to, but not so that its velocity tells it."""
    items, kept = contacts.tables.items[i], contacts.tables.kept[i]
    if items[m.MODE] != SLIDE:
        return False
    slip = float(contacts.tables.values[2 * i + 1] - kept[m.SLACK + 1])
    return bool(items[m.HIT] == m.SLIPS or abs(slip) <= STANDS_STILL)


def _carried_anchor(before: Contacting, now: Contacting, old: int, new: int) -> Array:
    """ANCHOR of a point in the frame that the row of its body has now."""
    at = before.tables.kept[old, m.ANCHOR : m.ANCHOR + 3]
    on_body = _far(before.mech.structure, before.points.points[old]).apply(at)
    return np.asarray(_far(now.mech.structure, now.points.points[new]).inverse().apply(on_body))


def _far(structure: Structure, point: NDArray[np.int64]) -> Pose:
    """From the frame of the row of the body that a point is anchored on to that body's own frame."""
    row = int(point[t.ROW_A if point[t.SWAPPED] else t.ROW_B])
    return Pose() if row < 0 else Pose.from_row(structure.far[row].copy())
