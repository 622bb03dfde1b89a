"""What contacts did in a motion: modes, forces, places, slips, gaps and impacts at all samples, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, listed
from ...kernels.contacts import looking as k
from ...kernels.contacts.memory import MODE
from ...kernels.contacts.problem import OPEN, STICK
from ...structure.contacts import ContactPoints, contact_names
from ...tolerances import STANDS_STILL
from .. import data_frames
from ..applied import pushed, seen_contacts
from ..recorded import Segment
from .impacts import Impact, Struck, impacts_of, struck_in
from .losses import Losses, losses_of

Array = NDArray[np.float64]
Words = NDArray[np.str_]
Flags = NDArray[np.bool_]

HELD_MOST = ("sticking", "rolling", "sliding", "open")
"""The modes, that of the contact as a whole first where its points differ."""
NOT_THERE = ""


@dataclass(frozen=True, eq=False)
class ContactHistory:
    """A contact, or one of its points, over time; NaN, and no mode, while its bodies are not there.

    Of a contact with several points, normal force and friction are sums, the place is the centre of pressure, the mode is the one
    that holds most (sticking, rolling, sliding, open), the slip is the fastest, and the gap the least.
    """

    t: Array
    """(samples,)."""
    mode: Words
    """(samples,): "open", "sticking", "sliding" or "rolling": sticking where the place of contact moves over the bodies."""
    normal: Array
    """(samples,): normal force in N, 0 while open."""
    friction: Array
    """(samples, 3): friction on a, in world axes."""
    force: Array
    """(samples, 3): normal force and friction together, on a, in world axes."""
    point: Array
    """(samples, 3): where it is in the world; while open the nearest place on the shape that comes first."""
    slip: Array
    """(samples, 3): velocity of a against the surface of b there, across the normal."""
    gap: Array
    """(samples,): how far the two are apart."""
    unique: Flags
    """(samples,): whether the motion determines normal force and friction. If not, some are taken that obey Coulomb's law."""
    impacts: tuple[Impact, ...]
    """What it took at once, in the order of time."""
    points: tuple[ContactHistory, ...] = field(repr=False, default=())
    """Its single points; of a point that point alone."""


class ContactHistories(Mapping[str, ContactHistory]):
    """What all contacts of a motion did, by their names; their single points are found by theirs too, as in ``"sole/0"``."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = tuple(segments)
        self.t: Array = np.concatenate([segment.t for segment in segments])
        """The times of all samples."""
        self._seen = [_Seen.of(segment) if segment.contacts is not None else None for segment in segments]
        self._contacts = _names_by_contact(self._seen)
        self._of_points: dict[str, ContactHistory] = {}
        self._struck_in: dict[int, Struck | None] = {}  # by the id of a segment

    def __getitem__(self, name: str) -> ContactHistory:
        if name in self._contacts:
            return self._whole[name]
        if any(name in points for points in self._contacts.values()):
            return self._point(name)
        raise ModelError(
            f"the trajectory has no contact {name!r}; it has: {listed(self._contacts) if self._contacts else 'none'}."
        )

    def __contains__(self, name: object) -> bool:
        return name in self._contacts or any(name in points for points in self._contacts.values())

    def __iter__(self) -> Iterator[str]:
        return iter(self._contacts)

    def __len__(self) -> int:
        return len(self._contacts)

    def __repr__(self) -> str:
        return f"ContactHistories: {listed(self._contacts) if self._contacts else 'none'}"

    @property
    def dissipated(self) -> Array:
        """(samples,): what friction and impacts have taken until then, in J; dry friction in joints too.

        Friction is integrated along the dense output of the run.

        Raises
        ------
        ModelError
            If the trajectory has no dense output, or what drove it is known at its samples only.
        """
        taken: Array = self._losses.taken.sum(axis=1)
        return taken

    @property
    def supplied(self) -> Array:
        """(samples,): what surfaces that run, as belts do, have brought until then, in J. Raises as `dissipated` does."""
        brought: Array = self._losses.brought.sum(axis=1)
        return brought

    def dissipated_by(self, name: str) -> Array:
        """What friction and impacts of one contact, or one of its points, have taken.

        Parameters
        ----------
        name : str
            Of the contact, or of a point.

        Returns
        -------
        (samples,) array
            In J.

        Raises
        ------
        ModelError
            If there is no such contact, or as for `dissipated`.
        """
        wanted = self._contacts.get(name, (name,))
        if name not in self:
            self[name]  # raises
        return sum((self._losses.taken[:, self._losses.names.index(point)] for point in wanted), np.zeros(len(self.t)))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All samples of all contacts by name.

        Returns
        -------
        dict of str to array
            "t", and of each contact ``"<contact>.mode"``, and so on for normal, friction, point, slip and gap.
        """
        found: dict[str, NDArray[Any]] = {"t": self.t}
        for name, history in self.items():
            found |= {f"{name}.{what}": getattr(history, what) for what in ("mode", "normal", "friction", "point", "slip", "gap")}
        return found

    def to_pandas(self) -> Any:
        """The arrays of `to_arrays` as a table over the time, a column for each number. Needs `regraft[tables]`.

        Returns
        -------
        pandas.DataFrame
        """
        return data_frames.to_frame(self.to_arrays(), [])

    def to_xarray(self) -> Any:
        """The arrays of `to_arrays` as a dataset over the samples. Needs `regraft[tables]`.

        Returns
        -------
        xarray.Dataset
        """
        return data_frames.to_dataset(self.to_arrays(), [])

    @cached_property
    def _losses(self) -> Losses:
        return losses_of(self._segments)

    @cached_property
    def _whole(self) -> dict[str, ContactHistory]:
        return {name: self._contact(name) for name in self._contacts}

    def _rows(self) -> Iterator[tuple[slice, _Seen | None, Segment]]:
        at = 0
        for segment, seen in zip(self._segments, self._seen, strict=True):
            yield slice(at, at + len(segment.t)), seen, segment
            at += len(segment.t)

    def _struck(self, segment: Segment, seen: _Seen) -> Struck | None:
        """The impulses with which a segment begins, which all of its points share."""
        if id(segment) not in self._struck_in:
            self._struck_in[id(segment)] = struck_in(segment, seen.points, seen.rows)
        return self._struck_in[id(segment)]

    def _point(self, name: str) -> ContactHistory:
        """One point over all segments."""
        if name not in self._of_points:
            found, impacts = _Columns(len(self.t)), []
            for rows, seen, segment in self._rows():
                if seen is not None and name in seen.points.names:
                    i = seen.points.names.index(name)
                    found.put(rows, seen.rows[:, i], seen.words[:, i], seen.rows[:, i, k.IS_ONE])
                    impacts += impacts_of(self._struck(segment, seen), [i])
            self._of_points[name] = history = found.history(self.t, impacts, ())
            object.__setattr__(history, "points", (history,))
        return self._of_points[name]

    def _contact(self, name: str) -> ContactHistory:
        """A contact over all segments, from its points."""
        names = self._contacts[name]
        points = tuple(self._point(point) for point in names)
        if len(points) == 1 and names == (name,):
            return points[0]
        found, impacts = _Columns(len(self.t)), []
        for rows, seen, segment in self._rows():
            if seen is None or (own := [i for i, point in enumerate(seen.points.names) if point in names]) == []:
                continue
            found.put(rows, *_together(seen.rows[:, own], seen.words[:, own]))
            impacts += impacts_of(self._struck(segment, seen), own)
        return found.history(self.t, impacts, points)


class _Seen(NamedTuple):
    """What was seen of the points of one segment."""

    points: ContactPoints
    rows: Array
    """(samples, points, SEEN)."""
    words: Words
    """(samples, points): modes."""

    @classmethod
    def of(cls, segment: Segment) -> _Seen:
        looking, seen = seen_contacts(segment)
        rows, modes = seen[:, : len(looking.points.names)], looking.tables.items[: len(looking.points.names), MODE]
        words = np.full(rows.shape[:2], "sliding", dtype="<U8")
        words[:, modes == OPEN] = "open"
        words[:, modes == STICK] = "sticking"
        words[(modes == STICK) & (rows[:, :, k.ROLLS_AT] > STANDS_STILL)] = "rolling"
        return cls(looking.points, rows, words)


class _Columns:
    """The columns of a history as they fill."""

    def __init__(self, count: int) -> None:
        self.rows, self.words = np.full((count, k.SEEN), np.nan), np.full(count, NOT_THERE, dtype="<U8")
        self.unique = np.ones(count, bool)

    def put(self, rows: slice, seen: Array, words: Words, unique: Array) -> None:
        self.rows[rows], self.words[rows], self.unique[rows] = seen, words, unique > 0.0

    def history(self, t: Array, impacts: list[Impact], points: tuple[ContactHistory, ...]) -> ContactHistory:
        rows = self.rows
        friction, place, slip = (rows[:, at : at + 3].copy() for at in (k.RUBS, k.PLACE, k.SLIPS_AT))
        normal, gap = rows[:, k.PRESSES].copy(), rows[:, k.APART].copy()
        force = normal[:, None] * rows[:, k.FACES : k.FACES + 3] + friction
        if points:  # each of which may face elsewhere
            force = np.where(np.isnan(normal)[:, None], np.nan, sum(np.nan_to_num(point.force) for point in points))
        return ContactHistory(t, self.words, normal, friction, force, place, slip, gap, self.unique, tuple(impacts), points)


def _together(rows: Array, words: Words) -> tuple[Array, Words, Array]:
    """(samples, SEEN), modes and whether forces are unique, of a contact; `rows` (samples, points, SEEN) has its points."""
    found, every = rows.sum(axis=1), np.arange(len(rows))
    closed = words != "open"
    weights = np.where(found[:, [k.PRESSES]] > 0.0, rows[:, :, k.PRESSES], closed)
    nearest = rows[:, :, k.APART].argmin(axis=1)
    none = weights.sum(axis=1) <= 0.0
    weights[none, nearest[none]] = 1.0
    share = weights / weights.sum(axis=1, keepdims=True)
    found[:, k.PLACE : k.PLACE + 3] = np.einsum("sp,spc->sc", share, rows[:, :, k.PLACE : k.PLACE + 3])
    speeds = np.linalg.norm(rows[:, :, k.SLIPS_AT : k.SLIPS_AT + 3], axis=2)
    fastest = np.where(closed.any(axis=1), np.where(closed, speeds, -1.0).argmax(axis=1), nearest)
    found[:, k.SLIPS_AT : k.SLIPS_AT + 3] = rows[every, fastest, k.SLIPS_AT : k.SLIPS_AT + 3]
    found[:, k.APART] = rows[:, :, k.APART].min(axis=1)
    words_of_all = np.full(len(rows), "open", dtype="<U8")
    for word in reversed(HELD_MOST):
        words_of_all[(words == word).any(axis=1)] = word
    return found, words_of_all, rows[:, :, k.SUM_IS_ONE].min(axis=1)


def _names_by_contact(seen: Sequence[_Seen | None]) -> dict[str, tuple[str, ...]]:
    """The names of the points of each contact, over all segments."""
    found: dict[str, dict[str, None]] = {}
    for part in seen:
        if part is not None:
            for name in contact_names(part.points.contacts):
                found.setdefault(name, {})
            for point, contact in zip(part.points.names, part.points.contact_of.tolist(), strict=True):
                found[part.points.contact_names[contact]][point] = None
    return {name: tuple(points) for name, points in found.items()}


def wrench_histories(segments: Sequence[Segment]) -> dict[str, Array]:
    """By body that a contact can touch: (samples, 6), moment about its origin and force; NaN while the body is not there."""
    parts = [pushed(segment).wrenches for segment in segments]
    names = dict.fromkeys(body for part in parts for body in part)
    counts = [len(segment.t) for segment in segments]

    def rows(part: Mapping[str, Array], segment: Segment, body: str, count: int) -> Array:
        return part.get(body, np.full((count, 6), 0.0 if body in segment.mech.bodies else np.nan))

    return {
        body: np.concatenate([rows(p, s, body, n) for p, s, n in zip(parts, segments, counts, strict=True)]) for body in names
    }
