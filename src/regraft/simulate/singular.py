"""Singular positions that a closed chain has passed: where its loops lose rank and it could have gone another way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import svd
from ..ask.loop_forces import loop_rows
from ..ask.mobility import mobility
from ..describe.state import State
from ..tolerances import SINGULAR_POSITION, SINGULAR_TIME
from .recorded import Segment

Array = NDArray[np.float64]

_CLOSE = 0.1  # part of its largest value below which a minimum of the least singular value is looked at closely


class SingularPosition(NamedTuple):
    """A position at which loops lose rank."""

    t: float
    dof: int
    """Degrees of freedom there."""
    usual_dof: int
    """Degrees of freedom before and after."""


def singular_positions(segment: Segment) -> list[SingularPosition]:
    """Those that the motion of a segment goes through, between its samples too."""
    if not segment.mech.layout.is_constrained or len(segment.t) < 3:
        return []
    sizes = _Sizes(segment)
    each = np.array([sizes.of(x) for x in segment.x])
    largest = float(each.max(initial=0.0))
    rank = int((each > SINGULAR_POSITION * largest).sum(axis=1).max(initial=0))
    if rank == 0:
        return []
    least, found = each[:, rank - 1], []
    for i in range(1, len(least) - 1):
        if least[i] <= least[i - 1] and least[i] < least[i + 1] and least[i] < _CLOSE * least.max():
            t = sizes.minimum(segment.t[i - 1], segment.t[i + 1], rank - 1)
            if sizes.at(t)[rank - 1] < SINGULAR_POSITION * largest:
                usual, there = (mobility(segment.mech, State(segment.mech.layout, x)).dof for x in
                                (segment.x[int(np.argmax(least))], sizes.state(t)))  # fmt: skip
                found.append(SingularPosition(t, there, usual))
    return found


class _Sizes:
    """The singular values of the loops' rows along a segment."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment

    def of(self, x: Array) -> Array:
        return svd(loop_rows(self.segment.mech.structure, x[: self.segment.mech.nq]))[1]

    def state(self, t: float) -> Array:
        found: Array = self.segment.states(np.array([t]))[0]
        return found

    def at(self, t: float) -> Array:
        return self.of(self.state(t))

    def minimum(self, start: float, end: float, which: int) -> float:
        from scipy.optimize import minimize_scalar  # on first use: it takes as long to import as all of Regraft

        options = {"xatol": SINGULAR_TIME * max(1.0, abs(end)), "maxiter": 200}
        found = minimize_scalar(lambda t: self.at(t)[which], bounds=(start, end), method="bounded", options=options)
        return float(found.x)
