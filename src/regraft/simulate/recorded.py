"""The recorded motion of one structure: samples, and between them the dense output of the integrator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..maximal import FreeBodies
from .dense_output import Samples, states_at
from .flow import new_scratch
from .integrators import OWN_TERMS

Array = NDArray[np.float64]

_NO_SIZES, _NO_TERMS = np.empty(0), np.empty((0, 0))


MechanismOrLater = Mechanism | Callable[[], Mechanism]
"""A mechanism, or what makes it once somebody asks for it."""


class _Later:
    """A field of a frozen class that may be given as a function: it is called when somebody first asks for the value."""

    def __init__(self, name: str) -> None:
        self._key = f"_{name}"

    def __set__(self, instance: Any, value: MechanismOrLater) -> None:
        instance.__dict__[self._key] = value

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        found: MechanismOrLater = instance.__dict__[self._key]
        if isinstance(found, Mechanism):
            return found
        made = instance.__dict__[self._key] = found()  # the same one for every thread that asks
        return made


@dataclass(frozen=True, eq=False)
class Segment:
    """The motion of one structure: samples, and between them the dense output of the integrator if it was kept."""

    mech: Mechanism
    """The mechanism as the user sees it."""
    t: Array
    """(samples,): the times of the samples, the end of the segment included."""
    x: Array
    """(samples, nq + nv): positions and velocities; in maximal coordinates those of all bodies."""
    terms: Array | None = field(default=None, repr=False)
    """(samples − 1, 2 terms nv): the terms of the dense output of each step; None where only samples were kept."""
    sizes: Array | None = field(default=None, repr=False)
    """(samples − 1,): the sizes of the steps."""
    event: str | None = None
    """The name of the event that ended it."""
    bodies: FreeBodies | None = field(default=None, repr=False)
    """In maximal coordinates the free bodies whose positions and velocities are in x; else None."""
    first: Array | None = field(default=None, repr=False)
    """(nq + nv,): in maximal coordinates the state of the mechanism at the start, from which its angles are counted."""
    applied: Any = field(default=None, repr=False)
    """The torques and wrenches that acted, an `Applied`; None where they are not known."""
    contacts: Any = field(default=None, repr=False)
    """The modes of contacts, `contacts.contacting.Modes`; None where there are none."""
    converted: Array | None = field(default=None, repr=False)
    """(some samples, nq + nv): in maximal coordinates the states of the mechanism at the first samples, if they are known."""

    @classmethod
    def from_rows(
        cls, mech: MechanismOrLater, chunks: Sequence[Array], dense: bool, t: float, end: Array, event: str | None, **known: Any
    ) -> Segment:
        """From the rows that the compiled loop wrote, in one piece or more, which are copied, and the state that it reached.

        `known` are further fields.
        """
        size, first, count = len(end), 2 if dense else 1, sum(map(len, chunks))
        times, x = np.empty(count + 1), np.empty((count + 1, size))
        terms, sizes = (np.empty((count, chunks[0].shape[1] - first - size)), np.empty(count)) if dense else (None, None)
        at = 0
        for rows in chunks:
            here = slice(at, at + len(rows))
            times[here], x[here] = rows[:, 0], rows[:, first : first + size]
            if terms is not None and sizes is not None:
                sizes[here], terms[here] = rows[:, 1], rows[:, first + size :]
            at += len(rows)
        times[-1], x[-1] = t, end
        return cls(cast(Mechanism, mech), times, x, terms, sizes, event, **known)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_mech": self.mech}

    @property
    def moved(self) -> Mechanism:
        """The mechanism whose positions and velocities are in x: the user's, or in maximal coordinates its bodies, each free."""
        return self.mech if self.bodies is None else self.bodies.free

    @property
    def degree(self) -> int:
        """Of the polynomials in time between samples: the number of terms of the dense output, 3 where there is none."""
        return OWN_TERMS if self.terms is None or not self.moved.nv else self.terms.shape[1] // (2 * self.moved.nv)

    @cached_property
    def seen(self) -> Array:
        """(samples, nq + nv): positions and velocities of the mechanism as the user sees it."""
        if self.bodies is None:
            return self.x
        if self.converted is None or not len(self.converted):
            return self.bodies.reduced_of_many(self.x, self.first, self.t)
        last = len(self.converted) - 1  # from which angles are counted on
        rest = self.bodies.reduced_of_many(self.x[last:], self.converted[last], self.t[last:])
        return np.concatenate((self.converted, rest[1:]))

    @property
    def q(self) -> Array:
        """(samples, nq)."""
        return self.seen[:, : self.mech.nq]

    @property
    def v(self) -> Array:
        """(samples, nv)."""
        return self.seen[:, self.mech.nq :]

    def state(self, t: float) -> State:
        """The state at a time: by dense output, or by a cubic between two samples."""
        x = self.states(np.array([float(t)]))[0]
        if self.bodies is not None:
            before = max(int(np.searchsorted(self.t, t, side="right")) - 1, 0)
            pair, times = np.stack((self.x[before], x)), np.array([self.t[before], t])
            x = self.bodies.reduced_of_many(pair, self.seen[before], times)[1]
        return State(self.mech.layout, x)

    def reduced(self) -> Segment:
        """The segment in the mechanism's own coordinates."""
        return self if self.bodies is None else Segment(self.mech, self.t, self.seen, event=self.event)

    def states(self, times: Array) -> Array:
        """(times, …): the rows of x at several times."""
        moved = self.moved
        nq, nv = moved.nq, moved.nv
        out = np.empty((len(times), nq + nv))
        if self.sizes is None or self.terms is None:
            samples = Samples(self.t, self.x, dense=False, sizes=_NO_SIZES, terms=_NO_TERMS)
        else:
            samples = Samples(self.t, self.x, dense=True, sizes=self.sizes, terms=self.terms)
        states_at.call(moved.structure.walk, samples, np.ascontiguousarray(times, float), new_scratch(nq, nv), out)
        if self.applied is not None:
            self.applied.impose(moved, np.asarray(times, float), out)
        return out


Segment.mech = _Later("mech")  # type: ignore[assignment]
