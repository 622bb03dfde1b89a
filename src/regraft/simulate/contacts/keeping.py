"""Modes of contacts in files: by their meanings, so that a file does not depend on how the tables of contacts are laid out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...describe.contacts import Contact
from ...describe.mechanism import Mechanism
from ...errors import ModelError
from ...kernels.contacts import memory as m
from ...kernels.contacts.problem import OPEN, SLIDE
from .contacting import Modes
from .rubs import Rub

Arrays = dict[str, NDArray[Any]]

_KEPT = [m.MODE, m.HIT, m.SIDE_WAS, m.ROWS_SPARED]
_FEWEST = 3  # of these, in files of earlier versions


def described(modes: Modes) -> dict[str, Any]:
    """What is said of modes in words and single numbers."""
    return {
        "contacts": [asdict(contact) for contact in modes.contacts],
        "rubs": [list(rub) for rub in modes.rubs],
        "chosen": modes.chosen,
        "collided": modes.collided,
    }


def arrays_of(modes: Modes) -> Arrays:
    """What is said of them in arrays."""
    direction = m.BEGUN if modes.chosen else m.DIRECTION
    found: Arrays = {
        "modes": modes.items[:, _KEPT],
        "directions": modes.kept[:, direction : direction + 3],
        "impulses": modes.kept[:, m.IMPULSE : m.IMPULSE + 3],
        "patience": modes.kept[:, m.PATIENCE],
    }
    return found if modes.before is None else {**found, "before": modes.before}


def modes_from(known: Any, arrays: Arrays, moved: Mechanism, k: int) -> Modes:
    """The modes that `described` and `arrays_of` tell of; `moved` is the mechanism whose numbers segment k has."""
    contacts = tuple(Contact(given.pop("a"), given.pop("b"), **given) for given in map(dict, known["contacts"]))
    rubs = tuple(
        Rub(str(name), int(place), float(torque), int(loop), int(own)) for name, place, torque, loop, own in known["rubs"]
    )
    empty = Modes(contacts, rubs, np.zeros((0, m.ITEM), np.int64), np.zeros((0, m.KEPT)))
    points, before = empty.points_in(moved), arrays.get("before")
    count = len(points.names) + len(rubs)
    columns = min(max(arrays["modes"].shape[-1], _FEWEST), len(_KEPT))
    shapes = {"modes": (count, columns), "directions": (count, 3), "impulses": (count, 3), "patience": (count,)}
    shapes["before"] = (moved.nq + moved.nv,)
    fits = all(arrays[what].shape == shapes[what] for what in arrays) and arrays["modes"].dtype == np.int64
    fits = (
        fits
        and bool(np.isin(arrays["modes"][:, 0], range(OPEN, SLIDE + 1)).all())
        and all(0 <= rub.place < moved.coordinates.count for rub in rubs)
    )
    if not fits:
        raise ModelError(f"the file is damaged: the contacts of segment {k} do not fit together. Save the trajectory again.")
    items, kept = np.zeros((count, m.ITEM), np.int64), np.zeros((count, m.KEPT))
    items[:, _KEPT[:columns]] = arrays["modes"]
    for i, rub in enumerate(rubs, len(points.names)):
        items[i, [m.RUB_V, m.RUB_LOOP, m.RUB_OWN]], kept[i, m.LARGEST] = (rub.place, rub.loop, rub.own), rub.torque
    for column, what in ((m.DIRECTION, "directions"), (m.BEGUN, "directions"), (m.IMPULSE, "impulses")):
        kept[:, column : column + 3] = arrays[what]
    kept[:, m.PATIENCE] = arrays.get("patience", 1.0)  # which files of earlier versions do not have
    return Modes(points, rubs, items, kept, before, bool(known["chosen"]), bool(known["collided"]))
