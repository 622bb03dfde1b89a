"""Motions as functions of time: from what a user gives to the position, velocity and acceleration of one joint, checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite
from ..ask.told import prescribed_type
from ..describe.graph import by_name
from ..describe.mechanism import Mechanism
from ..errors import ModelError, warn
from ..joints import JointType, kind_of
from ..kernels.configuration import position_difference
from ..kernels.tables import JOINTS, KIND
from ..tolerances import ASSEMBLED, PRESCRIBED_RATE, SAME_TIME
from .laws import Law

Array = NDArray[np.float64]
Motion = Callable[[float], Any]
"""From a time to (position, velocity, acceleration)."""

_NEARBY = 1e-4  # s: the step of a derivative
_TURN = 2.0 * np.pi


def motions_of(prescribed: Any, mech: Mechanism) -> dict[str, Motion]:
    """The prescribed motions that a user gives, checked; those of joints that come later are laws that may be skipped."""
    found = {}
    for name, given in by_name("prescribed", "joints", prescribed).items():
        motion, waits = given, False
        if isinstance(given, Law):
            motion, waits = given.function, given.absent == "skip"
            if given.names != (name,) or given.absent == "nan":
                raise ModelError(
                    f"prescribed: a law for {name!r} must be law({name!r}, f) with f(t) -> (q, v, a), without absent='nan'."
                )
        if not waits:
            prescribed_type(mech, name)
        if not callable(motion):
            raise ModelError(f"prescribed: the motion of {name!r} must be a function of time, t -> (q, v, a), not {motion!r}.")
        found[name] = motion
    return found


class Moment(NamedTuple):
    """What a joint is told at one time."""

    q: Array
    v: Array
    a: Array


class Told(NamedTuple):
    """A prescribed joint of one structure, with its function."""

    name: str
    motion: Motion
    type: JointType

    def at(self, t: float) -> Moment:
        """Position, velocity and acceleration at a time, checked."""
        return self._checked(t, self.motion(t))

    def numbers(self, t: float) -> Any:
        """The same one after the other; without detours where these are three plain numbers."""
        found = self.motion(t)
        if self.type.nv == self.type.nq == 1 and isinstance(found, tuple) and len(found) == 3:
            q, v, a = found
            if isinstance(q, float) and isinstance(v, float) and isinstance(a, float) and math.isfinite(q + v + a):
                return found
        return np.concatenate(self._checked(t, found))

    def _checked(self, t: float, found: Any) -> Moment:
        try:
            q, v, a = found
        except (TypeError, ValueError):
            raise ModelError(
                f"the prescribed motion of {self.name!r} must return (q, v, a) of the joint; not {found!r}."
            ) from None
        counts = (("position", q, self.type.nq), ("velocity", v, self.type.nv), ("acceleration", a, self.type.nv))
        return Moment(*(
            finite(
                f"the prescribed {what} of {self.name!r} at t = {t:g}",
                np.reshape(numbers, 1) if np.ndim(numbers) == 0 else numbers,
                (count,),
            )
            for what, numbers, count in counts
        ))  # fmt: skip

    def way(self, end: Array, start: Array, turns_count: bool = True) -> Array:
        """(nv,): the way from one position of the joint to another; without whole turns, if these do not count."""
        row, out = np.zeros((1, JOINTS), np.int64), np.empty(self.type.nv)
        row[0, KIND] = kind_of(self.type)
        position_difference.call(row, np.ascontiguousarray(end), np.ascontiguousarray(start), out)
        if not turns_count:
            for c in self.type.turns:
                out[c] -= _TURN * np.round(out[c] / _TURN)
        return out

    def check_rates(self, t: float, span: float) -> None:
        """Velocity and acceleration against differences of the positions and velocities just after a time."""
        h = min(_NEARBY, 0.1 * span)
        if h <= 0.0:
            return
        (q, v, a), one, two = (self.at(t + i * h) for i in range(3))
        size = 1.0 + max(_largest(v), h * _largest(a))
        for what, of, found, told, scale in (
            ("velocity", "position", (4.0 * self.way(one.q, q) - self.way(two.q, q)) / (2.0 * h), v, size),
            ("acceleration", "velocity", (4.0 * one.v - two.v - 3.0 * v) / (2.0 * h), a, size + _largest(a)),
        ):
            if not _largest(found - told) <= PRESCRIBED_RATE * scale:
                raise ModelError(
                    f"the prescribed {what} of {self.name!r} is {told.tolist()} at t = {t:g}, but its {of} changes at "
                    f"{found.round(6).tolist()}: give (q, v, a) of one motion."
                )

    # --- jumps -------------------------------------------------------------------------------------------------------------

    def breaks_at(self, t: float) -> bool:
        """Whether position, velocity or acceleration just before a time is another one."""
        before, after = self.at(math.nextafter(t, -math.inf)), self.at(t)
        pairs = ((self.way(after.q, before.q), after.q), (after.v - before.v, after.v), (after.a - before.a, after.a))
        return any(_largest(change) > ASSEMBLED * (1.0 + _largest(size)) for change, size in pairs)

    def jump_in(self, times: Sequence[float]) -> float | None:
        """A time between the first and the last of these at which position or velocity jump; None where there is none."""
        for t_0, t_1 in self._suspicious(times):
            found = self._jump(t_0, self.at(t_0), t_1, self.at(t_1))
            if found is not None:
                return found
        return None

    def _suspicious(self, times: Sequence[float]) -> list[tuple[float, float]]:
        """The intervals in which more changes than the mean of the rates at their ends; all where that is not seen at once."""
        intervals = list(pairwise(times))
        if self.type.nv != 1 or self.type.nq != 1:
            return intervals
        try:
            q, v, a = np.array([self.motion(t) for t in times], float).reshape(len(times), 3).T
        except (TypeError, ValueError):
            return intervals
        h = np.diff(times)
        moved = np.abs(np.diff(q) - 0.5 * h * (v[1:] + v[:-1])) / (1.0 + np.abs(q[1:]))
        sped = np.abs(np.diff(v) - 0.5 * h * (a[1:] + a[:-1])) / (1.0 + np.abs(v[1:]))
        return [intervals[i] for i in np.flatnonzero(~(np.maximum(moved, sped) <= ASSEMBLED))]

    def _jump(self, t_0: float, begin: Moment, t_1: float, end: Moment) -> float | None:
        """The same within one interval: by halves, until all that is left is what smooth motions explain."""
        while self._unexplained(t_0, begin, t_1, end) > 1.0:
            middle = 0.5 * (t_0 + t_1)
            if t_1 - t_0 <= SAME_TIME * max(1.0, abs(t_1)):
                return t_1
            half = self.at(middle)
            if self._unexplained(t_0, begin, middle, half) >= self._unexplained(middle, half, t_1, end):
                t_1, end = middle, half
            else:
                t_0, begin = middle, half
        return None

    def _unexplained(self, t_0: float, begin: Moment, t_1: float, end: Moment) -> float:
        """What changes in an interval beyond the mean of the rates at its ends, relative to what counts as a jump."""
        h = t_1 - t_0
        moved = _largest(self.way(end.q, begin.q) - 0.5 * h * (begin.v + end.v)) / (1.0 + _largest(end.q))
        sped = _largest(end.v - begin.v - 0.5 * h * (begin.a + end.a)) / (1.0 + _largest(end.v))
        return max(moved, sped) / ASSEMBLED


def told_in(mech: Mechanism, motions: Mapping[str, Motion]) -> list[Told]:
    """The prescribed joints of one structure; those that are not there, or no longer, are left out."""
    return [Told(name, motion, mech.joints[name].type) for name, motion in motions.items() if name in mech.joints]


def tell_impacts(event: str, t: float, jumps: Mapping[str, Array]) -> None:
    """Warn of prescribed velocities that jump where a run goes on after an event, by joint."""
    for name, jump in jumps.items():
        warn(
            f"after event {event!r} the prescribed velocity of {name!r} differs from the joint's by {jump.round(9).tolist()} at "
            f"t = {t:.9g}: an impact there gives the joint its velocity, and all else feels it."
        )


def jump_message(name: str, t: float) -> str:
    """What to say of a prescribed motion that jumps where no event is."""
    return (
        f"the prescribed motion of {name!r} jumps at t = {t:.9g}, in position or velocity. A velocity that jumps is an impact, "
        f"and that needs an event: events=at_time({t:.9g}). A position must not jump."
    )


def _largest(numbers: Array) -> float:
    return float(np.abs(numbers).max(initial=0.0))
