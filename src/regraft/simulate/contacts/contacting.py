"""The contacts of one structure in a run: their guards, what happens at their events, and the modes of each segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...compilation import address_of, expect
from ...describe.mechanism import Mechanism
from ...errors import ModelError, listed
from ...kernels.contacts import memory as m
from ...kernels.contacts.closing import contact_closing
from ...kernels.contacts.dynamics import contact_dynamics
from ...kernels.contacts.events import ALL_JAM, COLLIDED, NONE_JAMS, TOOK, UNSOLVED, contact_event
from ...kernels.contacts.glance import contact_glance
from ...kernels.contacts.guarding import contact_guards
from ...kernels.contacts.impact import ADDS_ENERGY, ENDED_PLASTIC, LESS_EXPANSION, STRONGE_AS_POISSON
from ...kernels.contacts.points import gaps_at
from ...kernels.contacts.problem import NO_SOLUTION, NOT_FOUND, OPEN, SLIDE, SOLVED, STICK
from ...kernels.contacts.pushing import push_out
from ...structure.contacts import GROUND, ContactPoints, points_of
from ...structure.heights import HeightKernel
from ...structure.workspace import Workspace
from ...tolerances import AHEAD_BELOW, JAMMED, JAMS_AT, NEARLY_JAMS_AT, PATIENT_AGAIN, PENETRATES, SLACK_FORCE, STARTS_TOUCHING
from ..flow import Calls
from ..guarding import guard_kernel
from ..guards import CONTACT
from .carrying import carry
from .rubs import Rub
from .tables import ContactTables

if TYPE_CHECKING:
    from ...describe.contacts import Contact
    from ..settings import Settings

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

HAPPENS = {m.TOUCHES: "touches", m.LEAVES: "leaves", m.SLIPS: "slips", m.HOLDS: "sticks"}


_TOLD = (
    (ADDS_ENERGY, "energy", "the impact of {} has added energy, as Newton's law of restitution may where there is friction"),
    (LESS_EXPANSION, "expansion", "{} bounce back less than their restitution says, as energy would be added otherwise"),
    (STRONGE_AS_POISSON, "stronge", "Stronge's law says nothing of points that collide together: {} do by Poisson's"),
    (ENDED_PLASTIC, "plastic", "impacts of {} that follow each other without end were ended without restitution"),
)


@dataclass(frozen=True)
class Modes:
    """The modes of all points in one segment, with what is needed to find their forces again."""

    points: ContactPoints | tuple[Contact, ...]
    """The points; from a file or another process the contacts alone, as tables of points have addresses of this process."""
    rubs: tuple[Rub, ...]
    items: Integers
    kept: Array
    before: Array | None = None
    """(nq + nv,): the state before the impulses with which the segment begins; None where there were none."""
    chosen: bool = True
    """Whether the modes have been chosen, as they are by the first dynamics of a segment; not where it ended before that."""
    collided: bool = True
    """Whether these impulses were an impact; else they have only stopped what was as good as at rest."""

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The contacts."""
        return self.points.contacts if isinstance(self.points, ContactPoints) else self.points

    def points_in(self, mech: Mechanism) -> ContactPoints:
        """The points, of the mechanism that they were found in."""
        if isinstance(self.points, ContactPoints):
            return self.points
        named = {part for contact in self.points for part in (contact.a, contact.b)}
        return points_of(mech, self.points, frozenset(named - {GROUND}))

    def __reduce__(self) -> Any:
        return Modes, (self.contacts, self.rubs, self.items, self.kept, self.before, self.chosen, self.collided)


KERNELS = contact_event, contact_dynamics, contact_closing, contact_glance, contact_guards
"""What a run with contacts computes with, in the order in which it is needed."""


class Contacting:
    """The contact points of one structure, and what has become of them."""

    def __init__(self, mech: Mechanism, settings: Settings, rubs: tuple[Rub, ...], work: Workspace) -> None:
        expect(*KERNELS, guard_kernel)
        self.mech, self.work, self.sequential = mech, work, settings.sequential
        self.points, self.rubs = points_of(mech, settings.contacts, settings.parts), rubs
        self.tables = ContactTables(mech, self.points, rubs, work, settings.step_takes)
        self.names = (*self.points.names, *(rub.joint for rub in rubs))
        self._best = np.zeros(mech.nq)
        self._raised = [heights.raised[0] for heights in self.points.functions]
        self._last = -np.inf
        """When something happened to contacts last."""
        self._struck: Integers | None = np.zeros(0, np.int64)
        self._handed_on: tuple[Array, Array, int] | None = None
        """The state before an event that nothing has moved since, its impulses, and what it told of them."""

    def call_into(self, calls: Calls) -> None:
        """Let a step compute with contacts."""
        calls.has_loops = calls.closes = True
        calls.dynamics, calls.closing = address_of(contact_dynamics), address_of(contact_closing)
        calls.glance = address_of(contact_glance)
        calls.watch, calls.values = address_of(contact_guards), self.tables.values.ctypes.data
        calls.reach = self.tables.ahead.ctypes.data

    def call_beside(self, calls: Calls, others: int) -> None:
        """Let a step look at the guards of contacts, which come after so many others."""
        calls.others, calls.live = others, self.tables.live.ctypes.data
        calls.quiet = 0 if others else self.tables.header[m.QUIET :].ctypes.data

    @property
    def guard_count(self) -> int:
        """Two guards for each item."""
        return 2 * len(self.names)

    def fill_guards(self, guards: Any) -> None:
        """Say of a table of guards what they are."""
        guards["sort"], guards["direction"], guards["coordinate"] = CONTACT, -1, np.arange(self.guard_count)

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
        if push and deepest >= 0 and gaps[deepest] < -PENETRATES:
            x = self._pushed_out(x)
        for i in np.flatnonzero(gaps < STARTS_TOUCHING):
            self.tables.items[i, m.HIT] = m.TOUCHES
        if before is not None:
            carry(before, self)
        return self._settled(x)

    def _pushed_out(self, x: Array) -> Array:
        found = x.copy()
        if not push_out(self.work, found, self._best):
            raise ModelError(
                f"the contacts {listed(self.points.contact_names)} start within what they touch, and no move was found that "
                "takes all of them out. Start above it."
            )
        return found

    def _settled(self, x: Array, jammed: int = NONE_JAMS, begins: float = 0.0) -> Array:
        found = x.copy()
        self.before, self.were_open = x.copy(), self.tables.items[: len(self.points.names), m.MODE] == OPEN
        self.tables.kept[:, m.IMPULSE : m.IMPULSE + 3], self._struck = 0.0, None
        self.told = contact_event.call(self.work, found, self._best, self.sequential, jammed, begins)
        if self._handed_on is not None:
            self.before, impulses, took = self._handed_on
            self.tables.kept[:, m.IMPULSE : m.IMPULSE + 3] += impulses
            self.told, self._handed_on = self.told | took, None
        if self.told & UNSOLVED:
            raise ModelError(
                f"the impact of {listed(self.closed())} has no solution that obeys the laws of restitution and friction. "
                + self._way_out()
            )
        return found

    def _way_out(self) -> str:
        """What to do about an impact without a solution."""
        of = self.points.contact_of[self.tables.items[: len(self.points.names), m.MODE] != OPEN]
        if any(self.points.contacts[c].law == "newton" and self.points.contacts[c].restitution > 0.0 for c in of):
            return (
                "Newton's law contradicts itself where more points touch than can move by themselves: take "
                'law="poisson", or impacts="sequential".'
            )
        return (
            "Nothing can stop what comes together there, as something is pressed that cannot give way: let what presses it "
            "do so, as by a spring or a force in place of a prescribed motion."
        )

    def closed(self) -> list[str]:
        """The names of what is closed, or held by dry friction."""
        return [name for name, mode in zip(self.names, self.tables.items[:, m.MODE], strict=True) if mode != OPEN]

    def jam(self, x: Array) -> tuple[Array, str] | None:
        """The state after an impact without collision, and what to say of it; None where that is not why there is no motion.

        Painlevé: a point that slips may press itself into the ground by its own friction, so that no force obeys Coulomb's law;
        or it comes near to that, and its force grows beyond all bounds. Then an impulse that begins with next to nothing grows
        until it has stopped the slip.
        """
        for item, begins in self._may_jam():
            was, told = [table.copy() for table in self.tables.changing], self.told
            jamming = self._most_pressed() if item == ALL_JAM else [item]
            slip = np.linalg.norm(self.tables.kept[jamming, m.SLIP : m.SLIP + 3], axis=1).max(initial=0.0)
            try:
                found = self._settled(x, item, begins)
            except ModelError:
                found = x  # this impact has no solution, but another may have one
            if np.abs(found - x).max() > JAMMED * slip and self.struck().size:
                names, verb = ", ".join(self.names[i] for i in jamming), "strikes" if len(jamming) == 1 else "strike"
                return found, f"{names} {verb} without collision (Painlevé's paradox)"
            for table, before in zip(self.tables.changing, was, strict=True):
                table[:] = before
            self.told = told
        return None

    def _may_jam(self) -> list[tuple[int, float]]:
        """The points that may jam, the likeliest first, each with the share of its slip at which its impulse begins."""
        status, worst = int(self.tables.header[m.STATUS]), int(self.tables.header[m.WORST])
        pressed = [(item, NEARLY_JAMS_AT) for item in self._most_pressed()]
        if status == SOLVED:
            return pressed
        item = int(self.tables.active[worst])
        if status != NO_SOLUTION or item >= len(self.points.names):
            return []
        return [(item, JAMS_AT), *pressed, (ALL_JAM, NEARLY_JAMS_AT)]

    def _most_pressed(self) -> list[int]:
        """The points that slide, those with the largest forces first."""
        slides = np.flatnonzero(self.tables.items[: len(self.points.names), m.MODE] == SLIDE)
        return [int(i) for i in slides[np.argsort(-self.tables.kept[slides, m.FORCE])]]

    def warnings(self) -> dict[str, str]:
        """What the last impact was not as its laws say, each by a word."""
        if not any(self.told & bit for bit, _, _ in _TOLD):
            return {}
        who = listed(self.names[i] for i in self.struck())
        return {word: said.format(who) for bit, word, said in _TOLD if self.told & bit}

    def struck_at_start(self, before: Contacting) -> list[str]:
        """What is to be told of points that were open before and have struck something where this structure began."""
        opened = {name for name, mode in zip(before.names, before.tables.items[:, m.MODE], strict=True) if mode == OPEN}
        hard = (self.tables.kept[:, m.IMPULSE] > 0.0) & bool(self.told & COLLIDED)
        return [
            f"{name} {HAPPENS[m.TOUCHES]}" for name, struck in zip(self.names, hard, strict=True) if struck and name in opened
        ]

    def happened(self, hits: Sequence[int]) -> list[str]:
        """Say what the guards that were hit mean, and let it happen at the next `event`."""
        items, said = self.tables.items, []
        leave = {guard // 2 for guard in hits if guard % 2 == 0}
        for guard in hits:
            i, side = divmod(guard, 2)
            if side == 1 and i in leave:
                continue  # what would have to pull has no friction either: that it slips as well says nothing
            mode = items[i, m.MODE]
            if mode == OPEN:
                what = m.TOUCHES
            elif side == 0:
                what = m.LEAVES
            else:
                what = m.SLIPS if mode == STICK else m.HOLDS
            items[i, m.HIT] = what
            said.append(f"{self.names[i]} {HAPPENS[what]}")
        return said

    def lose_patience(self, hits: Sequence[int], t: float) -> None:
        """Give more slack to what changes its mode again at once; a slow slip in space may do so without end.

        That is for the next segment: the one that has ended has to be kept before, with the patience that it had.
        """
        patience = self.tables.kept[:, m.PATIENCE]
        np.maximum(1.0, patience * 0.5 ** ((t - self._last) / (PATIENT_AGAIN * (1.0 + abs(t)))), out=patience)
        self._last = t
        for i in {guard // 2 for guard in hits}:
            patience[i] = min(2.0 * patience[i], m.MOST_PATIENCE)

    def slow_slips(self) -> Integers:
        """The points whose slips are so slow that steps may not be able to follow them, but those that were let go before."""
        n, kept = len(self.points.names), self.tables.kept
        slow = np.linalg.norm(kept[:n, m.SLIP : m.SLIP + 3], axis=1) < AHEAD_BELOW
        patient = kept[:n, m.PATIENCE] < m.MOST_PATIENCE
        return np.flatnonzero((self.tables.items[:n, m.MODE] == SLIDE) & slow & patient)

    def slowest_slip(self) -> tuple[int, float] | None:
        """The point whose slip is the slowest, and its speed; None where none is as slow as steps may not be able to follow."""
        sliding = np.flatnonzero(self.tables.items[: len(self.points.names), m.MODE] == SLIDE)
        speeds = np.linalg.norm(self.tables.kept[sliding, m.SLIP : m.SLIP + 3], axis=1)
        least = float(speeds.min(initial=np.inf))
        return (int(sliding[np.argmin(speeds)]), least) if least < AHEAD_BELOW else None

    def end_slow_slips(self, slides: Integers, t: float) -> None:
        """Let those of these slips that are next to nothing end at the next `event`.

        Those that are only slow go on, without a look ahead at where they turn to, as that may be one way as well as another.
        As `lose_patience` this is for the next segment.
        """
        self.tables.kept[slides, m.PATIENCE], self._last = m.MOST_PATIENCE, t

    def event(self, x: Array) -> Array:
        """The state after what has happened."""
        return self._settled(x)

    def modes(self) -> Modes:
        """The present modes, for a segment."""
        items, kept = self.tables.items.copy(), self.tables.kept.copy()
        chosen = not self.tables.header[m.CHOOSING] and int(self.tables.header[m.STATUS]) not in (NO_SOLUTION, NOT_FOUND)
        collided, pushed = bool(self.struck().size), bool(self.told & TOOK)
        return Modes(self.points, self.rubs, items, kept, self.before if collided or pushed else None, chosen, collided)

    def hand_on(self) -> bool:
        """Let what the last event took be part of what the next one takes, as nothing moves between them.

        Says whether that can be: not where points were open before and have struck something, which is told by itself.
        """
        if self.were_open[self.struck()].any():
            return False
        if self.told & (COLLIDED | TOOK):
            self._handed_on = self.before, self.tables.kept[:, m.IMPULSE : m.IMPULSE + 3].copy(), self.told & (COLLIDED | TOOK)
        return True

    def struck(self) -> Integers:
        """The points that took an impulse in the last event, if it was an impact; an impulse that is rounding is none."""
        if self._struck is None and not self.told & COLLIDED:
            self._struck = np.zeros(0, np.int64)
        elif self._struck is None:
            sizes = np.abs(self.tables.kept[: len(self.points.names), m.IMPULSE : m.IMPULSE + 3])
            self._struck = (sizes > SLACK_FORCE * sizes.max(initial=0.0)).any(axis=1).nonzero()[0]
        return self._struck

    def failed_surface(self) -> HeightKernel | None:
        """A surface whose function has raised an exception during the run."""
        counted = zip(self.points.functions, self._raised, strict=True)
        return next((heights for heights, before in counted if heights.raised[0] != before), None)

    def problem(self) -> str | None:
        """Why contacts do not let the motion go on; None where they do."""
        status, item = int(self.tables.header[m.STATUS]), int(self.tables.header[m.WORST])
        if status == SOLVED:
            return None
        if status == m.INSIDE:
            return (
                f"contact {self.names[item]!r} ({self.points.meanings[item]}) is within what it may touch, although no touch was "
                "seen. Take smaller steps, by `step`, so that it is."
            )
        if status == m.JUMPS:
            what = self.points.meanings[item] if item < len(self.points.names) else "a joint with dry friction"
            closed = self.closed()
            together = f", or the contacts {listed(closed)} cannot all stay closed on the way" if len(closed) > 1 else ""
            return (
                f"contact {self.names[item]!r} ({what}) would have to be stopped at once, although nothing "
                f"has struck: where it is, its normal jumps, or what touches nearly jams{together}. Round off what touches "
                "there, or take smaller steps, by `step`."
            )
        worst = self.names[int(self.tables.active[item])] if item >= 0 else ""
        paradox = " It slips where its friction would press it into what it touches (Painlevé's paradox)."
        return (
            f"no forces at the contacts {listed(self.closed())} obey Coulomb's law"
            + (f", {worst!r} among them." if worst else ".")
            + (paradox if status == NO_SOLUTION and worst else "")
        )


__all__ = ["HAPPENS", "SLIDE", "Contacting", "Modes"]
