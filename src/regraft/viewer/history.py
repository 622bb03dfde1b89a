"""What was done to a mechanism while it moved: changes that can be undone and redone, and the Python lines that repeat them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..describe.mechanism import Mechanism
from ..describe.state import State

UNDOABLE = 100
"""So many changes can be undone; of older ones the Python lines are kept."""
SHOWN = 200
"""So many entries of the log are kept."""


@dataclass(frozen=True)
class Moment:
    """All that a change may change: the mechanism, its state, the time, and what the damping slider has added."""

    mech: Mechanism
    state: State
    t: float = 0.0
    damping: float = 0.0
    """What the slider has added to the damping of the joints,"""
    own_damping: Mapping[str, Any] = field(default_factory=dict)
    """and the damping that these had without it."""

    def same_as(self, other: Moment) -> bool:
        """Whether nothing tells the two apart, to the last digit."""
        alike = self.mech.same_as(other.mech) and self.state == other.state
        return alike and (self.t, self.damping) == (other.t, other.damping)


class Frames(NamedTuple):
    """Steps of the simulation, one after the other."""

    steps: int
    dt: float


class Carried(NamedTuple):
    """Steps in which a hand pulled at a body: what they led to."""

    state: State
    t: float


@dataclass(frozen=True)
class Change:
    """Something that can be undone."""

    words: str
    lines: tuple[str, ...]
    before: Moment
    after: Moment
    lead: tuple[Frames | Carried, ...] = ()
    """The motion from the change before to this one."""
    topic: str | None = None
    """Changes in a row with the same topic, such as those of a slider that is moved, are one change."""
    values: tuple[str, ...] = ()
    """The values of such a slider, as Python has them: each stands between the two `lines`, which then are the parts of one."""
    gathers: bool = False
    """Whether all of these values are needed to come to the last of them, because each starts from the one before."""


class Entry(NamedTuple):
    """A line of the log."""

    number: int
    t: float
    kind: str
    """One of "change", "undo", "redo", "refused", "stopped" and "note"."""
    words: str
    lines: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether nothing was done."""
        return self.kind == "refused"


class History:
    """Changes that were made, those that were undone, and a log of both."""

    def __init__(self, with_options: bool = False) -> None:
        self._options = with_options
        self._forgotten: list[str] = []
        self._done: deque[Change] = deque()
        self._undone: list[Change] = []
        self._motion: list[Frames | Carried] = []
        self._number = 0
        self.log: deque[Entry] = deque(maxlen=SHOWN)

    # --- what happens --------------------------------------------------------------------------------------------------

    def moved(self, dt: float) -> None:
        """A step of the simulation was taken."""
        last = self._motion[-1] if self._motion else None
        if isinstance(last, Frames) and last.dt == dt:
            self._motion[-1] = Frames(last.steps + 1, dt)
        else:
            self._motion.append(Frames(1, dt))

    def pulled(self, state: State, t: float) -> None:
        """A step was taken in which a hand pulled at a body."""
        if self._motion and isinstance(self._motion[-1], Carried):
            self._motion.pop()
        self._motion.append(Carried(state, t))

    def did(self, change: Change) -> Entry:
        """A change was made; what had been undone cannot be done again any more."""
        last = self._done[-1] if self._done else None
        self._undone.clear()
        if last is not None and change.topic is not None and change.topic == last.topic and not self._motion:
            self._done.pop()
            values = (*last.values, *change.values) if change.gathers else change.values
            merged = replace(change, before=last.before, lead=last.lead, values=values)
            self._done.append(merged)
            if self.log and self.log[-1].kind == "change":
                self.log.pop()
            return self.tell(change.after.t, "change", change.words, lines_of(merged))
        self._done.append(replace(change, lead=tuple(self._motion)))
        self._motion.clear()
        if len(self._done) > UNDOABLE:
            gone = self._done.popleft()
            self._forgotten += [*self._lines_of_motion(gone.lead), *lines_of(gone)]
        return self.tell(change.after.t, "change", change.words, lines_of(change))

    def tell(self, t: float, kind: str, words: str, lines: Iterable[str] = ()) -> Entry:
        """Add a line to the log."""
        self._number += 1
        entry = Entry(self._number, t, kind, words, tuple(lines))
        self.log.append(entry)
        return entry

    # --- back and forth ------------------------------------------------------------------------------------------------

    @property
    def next_undo(self) -> Change | None:
        """The change that `undo` would take back."""
        return self._done[-1] if self._done else None

    @property
    def next_redo(self) -> Change | None:
        """The change that `redo` would make again."""
        return self._undone[-1] if self._undone else None

    def undo(self) -> Change | None:
        """Take the last change back, and the motion since; None where there is none."""
        if not self._done:
            return None
        change = self._done.pop()
        self._undone.append(change)
        self._motion = list(change.lead)
        return change

    def redo(self) -> Change | None:
        """Make the change again that was undone last, as it was; the motion since then is forgotten."""
        if not self._undone:
            return None
        change = self._undone.pop()
        self._done.append(change)
        self._motion = []
        return change

    # --- Python --------------------------------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """The Python lines that lead from the start to the present, all that was undone left out."""
        found = list(self._forgotten)
        for change in self._done:
            found += [*self._lines_of_motion(change.lead), *lines_of(change)]
        return found + self._lines_of_motion(self._motion)

    def last_lines(self, most: int) -> tuple[list[str], bool]:
        """The last of these lines, about so many characters, and whether they are all; what is left out is not even made."""
        pieces: list[list[str]] = [self._lines_of_motion(self._motion)]
        size = sum(map(len, pieces[0]))
        for change in reversed(self._done):
            if size > most:
                return _in_order(pieces), False
            pieces.append([*self._lines_of_motion(change.lead), *lines_of(change)])
            size += sum(map(len, pieces[-1]))
        for line in reversed(self._forgotten):
            if size > most:
                return _in_order(pieces), False
            pieces.append([line])
            size += len(line)
        return _in_order(pieces), True

    def _lines_of_motion(self, motion: Iterable[Frames | Carried]) -> list[str]:
        found: list[str] = []
        for piece in motion:
            found += put_lines(piece) if isinstance(piece, Carried) else frame_lines(piece, self._options)
        return found


def _in_order(pieces: list[list[str]]) -> list[str]:
    return [line for piece in reversed(pieces) for line in piece]


def frame_lines(frames: Frames, with_options: bool) -> list[str]:
    """Steps of the simulation as Python."""
    more = ", start=t, **options" if with_options else ""
    step = [f"mech, state = rg.simulate(mech, state, {frames.dt!r}{more}).final", f"t += {frames.dt!r}"]
    if frames.steps == 1:
        return step
    return [f"for _ in range({frames.steps}):", *(f"    {line}" for line in step)]


def put_lines(carried: Carried) -> list[str]:
    """A state as Python."""
    q, v = ([float(x) for x in numbers] for numbers in (carried.state.q, carried.state.v))
    return [f"t, state = {carried.t!r}, mech.state(q={q!r}, v={v!r})  # where a hand has pulled it to"]


def lines_of(change: Change) -> tuple[str, ...]:
    """A change as Python."""
    if not change.values:
        return change.lines
    head, tail = change.lines
    if len(change.values) == 1:
        return (f"{head}{change.values[0]}{tail}",)
    return (f"for value in [{', '.join(change.values)}]:", f"    {head}value{tail}")
