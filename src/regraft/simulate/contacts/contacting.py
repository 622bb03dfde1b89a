"""The contacts of one structure in a run: their guards, what happens at their events, and the modes of each segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...compilation import address_of
from ...describe.mechanism import Mechanism
from ...errors import ModelError
from ...kernels.contacts import memory as m
from ...kernels.contacts.closing import contact_closing
from ...kernels.contacts.dynamics import contact_dynamics, contact_guards
from ...kernels.contacts.events import contact_event
from ...kernels.contacts.glance import contact_glance
from ...kernels.contacts.points import gaps_at
from ...kernels.contacts.problem import OPEN, SLIDE, SOLVED, STICK
from ...structure.contacts import ContactPoints, points_of
from ...structure.workspace import Workspace
from ...tolerances import CASCADE, PENETRATES
from ..flow import Calls
from ..guards import CONTACT, Guard
from .carrying import carry
from .tables import ContactTables

if TYPE_CHECKING:
    from ..settings import Settings

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

HAPPENS = {m.TOUCHES: "touches", m.LEAVES: "leaves", m.SLIPS: "slips", m.HOLDS: "sticks"}


@dataclass(frozen=True)
class Modes:
    """The modes of all points in one segment, with what is needed to find their forces again."""

    points: ContactPoints
    rubs: tuple[tuple[str, int, float], ...]
    items: Integers
    kept: Array


class Contacting:
    """The contact points of one structure, and what has become of them."""

    def __init__(self, mech: Mechanism, settings: Settings, work: Workspace) -> None:
        self.mech, self.work, self.sequential = mech, work, settings.sequential
        self.points = points_of(mech, settings.contacts, settings.parts)
        self.rubs: tuple[tuple[str, int, float], ...] = ()
        self.tables = ContactTables(mech, self.points, [rub[1:] for rub in self.rubs], work)
        self.names = (*self.points.names, *[rub[0] for rub in self.rubs])
        self._best = np.zeros(mech.nq)
        self._last = np.full(len(self.names), -np.inf)
        """When something happened to each item last."""

    def call_into(self, calls: Calls) -> None:
        """Let a step compute with contacts."""
        calls.has_loops = calls.closes = True
        calls.dynamics, calls.closing = address_of(contact_dynamics), address_of(contact_closing)
        calls.glance = address_of(contact_glance)
        calls.watch, calls.values = address_of(contact_guards), self.tables.values.ctypes.data

    def guards(self) -> list[Guard]:
        """Two for each item."""
        return [Guard(sort=CONTACT, direction=-1, coordinate=e) for e in range(2 * len(self.names))]

    def start(self, x: Array, push: bool, before: Contacting | None = None, hold: bool = False) -> Array:
        """The state from which a run starts, with all points in their modes; an error where shapes are in one another.

        Points that are closed in the structure `before`, and can be so here, go on as they were; with `hold` all points have the
        modes that they had there, and the state is moved so that they can.
        """
        if before is not None and hold:
            carry(before, self, hold)
            return self._settled(x)
        gaps = np.zeros(len(self.points.names))
        gaps_at(self.work, x[: self.mech.nq].copy(), self.points.points, self.points.shapes, self.points.profiles, gaps)
        deepest = int(np.argmin(gaps)) if len(gaps) else -1
        if deepest >= 0 and gaps[deepest] < -PENETRATES and not push:
            raise ModelError(
                f"contact {self.points.names[deepest]!r} ({self.points.meanings[deepest]}) starts {-gaps[deepest]:.3g} m deep in "
                'what it touches. Start above it, or let resolve="push" move it out.'
            )
        for i in np.flatnonzero(gaps < 0.0):
            self.tables.items[i, m.HIT] = m.TOUCHES
        if before is not None:
            carry(before, self)
        return self._settled(x)

    def _settled(self, x: Array) -> Array:
        found = x.copy()
        self.told = contact_event(self.work, found, self._best, self.sequential)
        return found

    def struck_at_start(self, before: Contacting) -> list[str]:
        """What is to be told of points that were open before and have struck something where this structure began."""
        opened = {name for name, mode in zip(before.names, before.tables.items[:, m.MODE], strict=True) if mode == OPEN}
        hard = self.tables.kept[:, m.IMPULSE] > 0.0
        return [
            f"{name} {HAPPENS[m.TOUCHES]}" for name, struck in zip(self.names, hard, strict=True) if struck and name in opened
        ]

    def happened(self, hits: Sequence[int], t: float) -> list[str]:
        """Say what the guards that were hit mean, and let it happen at the next `event`."""
        items, said = self.tables.items, []
        self.lose_patience([guard // 2 for guard in hits], t)
        for guard in hits:
            i, side = divmod(guard, 2)
            mode = items[i, m.MODE]
            if mode == OPEN:
                what = m.TOUCHES
            elif side == 0:
                what = m.LEAVES
            else:
                what = m.SLIPS if mode == STICK else m.HOLDS
            if items[i, m.HIT] != m.LEAVES:
                items[i, m.HIT] = what
            said.append(f"{self.names[i]} {HAPPENS[what]}")
        return said

    def lose_patience(self, hit: Sequence[int], t: float) -> None:
        """Give more slack to what changes its mode again at once; a slow slip in space may do so without end."""
        patience = self.tables.kept[:, m.PATIENCE]
        patience[t - self._last > CASCADE] = 1.0
        for i in set(hit):
            patience[i] = min(2.0 * patience[i], 1e6)
            self._last[i] = t

    def event(self, x: Array) -> Array:
        """The state after what has happened."""
        return self._settled(x)

    def modes(self) -> Modes:
        """The present modes, for a segment."""
        return Modes(self.points, self.rubs, self.tables.items.copy(), self.tables.kept.copy())

    def problem(self) -> str | None:
        """Which contact has no force that obeys its law; None where all have."""
        if self.tables.header[m.STATUS] == SOLVED:
            return None
        item = int(self.tables.header[m.WORST])
        closed = [self.names[i] for i in range(len(self.names)) if self.tables.items[i, m.MODE] != OPEN]
        return closed[item] if 0 <= item < len(closed) else ", ".join(closed)


__all__ = ["HAPPENS", "SLIDE", "Contacting", "Modes"]
