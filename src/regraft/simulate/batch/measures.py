"""What is measured along each motion of a batch, so that the motions themselves need not be kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ask.places import row_and_point
from ...describe.mechanism import Mechanism
from ...errors import ModelError, listed
from ..recorded import Segment
from ..trajectory import Trajectory
from .lane_measures import KINETIC, LARGEST, LEAST, MEAN, PLACE, POSITION, POTENTIAL, TOTAL, VELOCITY, Measured

Array = NDArray[np.float64]

HOW = {"largest": LARGEST, "least": LEAST, "mean": MEAN}
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "height": (0.0, 0.0, 1.0)}
NUMBERS = {"position": POSITION, "velocity": VELOCITY}
ENERGIES = {"kinetic energy": KINETIC, "potential energy": POTENTIAL, "energy": TOTAL}


@dataclass(frozen=True)
class Measure:
    """Something that `simulate_batch` measures along each motion, at its start and after each step.

    Parameters
    ----------
    how : {"largest", "least", "mean"}
        What is made of it; "mean" is the mean over time, by the trapezoidal rule.
    what : str
        "height", "x" or "y" of a frame or of a body's origin in the world, "position" or "velocity" of a joint that has one
        number, "energy", "kinetic energy" or "potential energy" of the mechanism.
    of : str, optional
        The frame, body or joint.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Measure("largest", "height", "head")
    Measure(how='largest', what='height', of='head')
    """

    how: str
    what: str
    of: str | None = None

    def __post_init__(self) -> None:
        known = (*AXES, *NUMBERS, *ENERGIES)
        if self.how not in HOW:
            raise ModelError(f"Measure: how must be one of {listed(HOW)}, not {self.how!r}.")
        if self.what not in known:
            raise ModelError(f"Measure: what must be one of {listed(known)}, not {self.what!r}.")
        if (self.what in ENERGIES) != (self.of is None):
            raise ModelError(
                f"Measure: {self.what!r} is of the whole mechanism, not of {self.of!r}."
                if self.what in ENERGIES
                else f"Measure: say of which {'joint' if self.what in NUMBERS else 'frame or body'} the {self.what} is."
            )

    def record(self, mech: Mechanism) -> Measured:
        """As compiled code takes it."""
        how = HOW[self.how]
        if self.what in ENERGIES or self.of is None:
            return Measured(sort=ENERGIES[self.what], how=how)
        if self.what in NUMBERS:
            return Measured(sort=NUMBERS[self.what], how=how, coordinate=self._coordinate(mech))
        row, point = row_and_point(mech, mech.structure, self.of)
        if row < 0:
            raise ModelError(f"Measure: {self.of!r} is on the world, which does not move.")
        return Measured(sort=PLACE, how=how, body=row, point=tuple(point), direction=AXES[self.what])

    def _coordinate(self, mech: Mechanism) -> int:
        """The place of the joint's number in q or v."""
        name = str(self.of)
        slices = mech.layout.q_slices if self.what == "position" else mech.layout.v_slices
        if name not in slices:
            raise ModelError(f"Measure: there is no joint {name!r} with numbers in q and v; there are {listed(slices)}.")
        where = slices[name]
        if where.stop - where.start != 1:
            raise ModelError(f"Measure: joint {name!r} has {where.stop - where.start} numbers, not one.")
        return int(where.start)

    def along(self, traj: Trajectory) -> Array:
        """What is measured at each sample of a motion."""
        if self.what in ENERGIES:
            found = traj.energy()
            return {"kinetic energy": found.kinetic, "potential energy": found.potential, "energy": found.total}[self.what]
        if self.what in NUMBERS:
            return np.concatenate([self._numbers(segment) for segment in traj.segments])
        mech, name = traj.segments[0].mech, str(self.of)
        history = traj.frame(name) if name in mech.frames else traj.body(name)
        place: Array = history.position @ np.array(AXES[self.what])
        return place

    def _numbers(self, segment: Segment) -> Array:
        numbers = segment.q if self.what == "position" else segment.v
        return numbers[:, self._coordinate(segment.mech)]


class Measures:
    """All that is measured, by the names that its user gives it."""

    def __init__(self, given: Any, mech: Mechanism) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise ModelError("measure must be given by name, as measure={'jump': Measure('largest', 'height', 'head')}.")
        self.named: dict[str, Measure] = {name: _measure(name, one) for name, one in (given or {}).items()}
        self.records = (Measured * len(self.named))(*(one.record(mech) for one in self.named.values()))

    def __len__(self) -> int:
        return len(self.named)

    def add(self, numbers: Array, traj: Trajectory, first: bool) -> None:
        """Let a motion that goes on from what was measured so far, (2 · measures,), count; `first` where there is nothing yet."""
        for m, one in enumerate(self.named.values()):
            values, now = one.along(traj), numbers[2 * m]
            if one.how == "mean":
                numbers[2 * m] = (0.0 if first else now) + np.trapezoid(values, traj.t)
            else:
                best = float(values.max() if one.how == "largest" else values.min())
                numbers[2 * m] = best if first else (max if one.how == "largest" else min)(now, best)
            numbers[2 * m + 1] = values[-1]

    def results(self, numbers: Array, spans: Array) -> dict[str, Array]:
        """(states,) of each by name, from what came together over these times, (states, 2 · measures)."""
        found = {}
        for m, (name, one) in enumerate(self.named.items()):
            total, last = numbers[:, 2 * m], numbers[:, 2 * m + 1]
            longer = spans > 0.0
            found[name] = np.where(longer, total / np.where(longer, spans, 1.0), last) if one.how == "mean" else total.copy()
        return found


def _measure(name: str, given: Any) -> Measure:
    if isinstance(given, Measure):
        return given
    if isinstance(given, tuple) and len(given) in (2, 3):
        return Measure(*given)
    raise ModelError(f"measure {name!r} must be a Measure, such as Measure('largest', 'height', 'head'), not {given!r}.")
