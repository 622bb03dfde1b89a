"""Closing loops that are far open: damped steps of least squares, and further starts where these lead into a dead end.

Newton's steps, as `closure` takes them, close loops that are nearly closed. From far away they end where a chain is stretched, or
where no small step makes the largest gap smaller. Here Σ gap² is made smaller, by Levenberg's and Marquardt's steps
δ = D⁻² Jᵀ (J D⁻² Jᵀ + μ)⁻¹ r with the sizes D of the columns of J. Directions that J lacks do not spoil them, and they turn and
slide no joint too far at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..joints.single import screws
from ..kernels.configuration import integrate_position, position_difference
from ..kernels.constraints.closure import closed_positions
from ..kernels.constraints.rows import jacobian_of_rows
from ..kernels.constraints.tables import RESIDUAL
from ..kernels.memory import HARD_ROWS
from ..structure.workspace import Workspace
from ..tolerances import ASSEMBLED, CLOSED, LEAST_DAMPING, STALLED, TINY

Array = NDArray[np.float64]

_STARTS, _LEAST_STARTS = 64, 4  # other poses that are tried, of mechanisms with few and with many rows
_MANY = 60  # rows: a step costs their cube, so with more of them there are fewer starts
TOO_FAR = 2.0 * np.pi
"""A joint that has turned by more went round and round; another way to close the loops is looked for."""
_REACHES = np.geomspace(0.1, np.pi, 8)  # rad, and these times the mechanism's size: how far from the first pose they are
_STEPS = 80  # of least squares from each
_FARTHEST = 0.5  # rad, and this times the mechanism's size: the longest step
_TRIALS = 200  # of Newton's steps, to the last digit
_PATIENCE = 8  # steps after which it is looked whether they come on
_FIRST_DAMPING = 0.01
_SWAY = 5.0  # by how much damping becomes more or less


class Closed(NamedTuple):
    """Where a search has ended."""

    q: Array
    gap: float
    start: int
    """How many other poses were tried: 0 where the first one led there."""
    way: float
    """How far it is from the first pose: the largest angle, or way in sizes of the mechanism."""

    @property
    def rank(self) -> tuple[bool, bool, float]:
        """Closed before open, without a joint that went round and round, then by the gap."""
        return self.gap > CLOSED, self.way > TOO_FAR, self.gap

    @property
    def is_good(self) -> bool:
        """Whether loops are closed, and no joint went round and round on the way."""
        return self.gap <= CLOSED and self.way <= TOO_FAR


def starts_of(mech: Mechanism) -> int:
    """How many other poses are tried; none where there are only couplings, which are linear and lead to the same end."""
    rows = mech.structure.rows_of_loops[-1].stop
    return max(_LEAST_STARTS, int(_STARTS * min(1.0, (_MANY / max(rows, 1)) ** 2))) if mech.layout.loops else 0


def close_from_afar(mech: Mechanism, work: Workspace, q: Array, held: Array) -> Closed:
    """Close all loops and couplings from a position that may be far from it, without moving what is `held`, (nv,) of bool.

    First by Newton's steps, which move least; then by damped steps; then from other starts. These are the same ones each time:
    around the first position and around the best one, by larger and larger moves.
    """
    search = _Search(mech, work, q, held)
    rng = np.random.default_rng(0)
    best = search.nearest(q)
    if best.is_good:
        return best
    best = min(best, search.closed(q, 0), key=lambda one: one.rank)
    for number in range(1, starts_of(mech) + 1):
        if best.is_good:
            break
        middle = q if number % 2 else best.q
        move = _REACHES[(number - 1) // 2 % len(_REACHES)] * search.reach * rng.uniform(-1.0, 1.0, mech.nv)
        best = min(best, search.closed(search.moved(middle, move), number), key=lambda one: one.rank)
    return best


class _Search:
    """What stays the same in one search."""

    def __init__(self, mech: Mechanism, work: Workspace, first: Array, held: Array) -> None:
        structure = mech.structure
        self.work, self.walk, self.first, self.held = work, structure.walk, first, held
        self.J = np.empty((work.size(HARD_ROWS), structure.nv))  # with the rows of prescribed loop joints
        places = [pose.translation for joint in mech.joints.values() for pose in (joint.parent_pose, joint.child_pose)]
        size = max((float(np.linalg.norm(place)) for place in places), default=0.0) or 1.0
        turns = [np.linalg.norm(screw[:3]) for _, kind, *_ in mech.layout.joints for screw in screws(kind, kind.neutral())]
        self.reach = np.where(held, 0.0, np.where(np.array(turns) > TINY, 1.0, size))
        """(nv,): a radian for what turns, the size of the mechanism for what slides, 0 for what is held."""

    def moved(self, q: Array, step: Array) -> Array:
        """q ⊕ step."""
        out = np.empty_like(q)
        integrate_position(self.walk, q, step, out)
        return out

    def missing(self, q: Array) -> Array:
        """What each row lacks at q; J becomes its derivative."""
        jacobian_of_rows.call(self.work, q, self.J)
        self.J[:, self.held] = 0.0
        found: Array = self.work.rows[: len(self.J), RESIDUAL].copy()
        return found

    def nearest(self, q: Array, number: int = 0) -> Closed:
        """By Newton's steps, to the last digit."""
        near = q.copy()
        gap = closed_positions.call(self.work, near, _TRIALS)
        if not gap <= CLOSED:  # where the damped steps ended others go on better
            near, gap = q, float(np.abs(self.missing(q)).max(initial=0.0))
        step = np.empty(len(self.held))
        position_difference(self.walk, near, self.first, step)
        return Closed(near, gap, number, self._longest(step))

    def closed(self, q: Array, number: int) -> Closed:
        """By damped steps, then to the last digit by Newton's."""
        return self.nearest(self._least_gaps(q), number)

    def _least_gaps(self, q: Array) -> Array:
        """Where Σ gap² is least nearby, or nearly 0."""
        missing, damping = self.missing(q), _FIRST_DAMPING
        J, sizes, cost = self.J.copy(), np.zeros(self.J.shape[1]), float(missing @ missing)
        earlier = cost
        for count in range(_STEPS):
            if not cost > ASSEMBLED**2 or (count % _PATIENCE == _PATIENCE - 1 and cost > (1.0 - STALLED) * earlier):
                break
            if count % _PATIENCE == 0:
                earlier = cost
            sizes = np.maximum(sizes, np.einsum("rd,rd->d", J, J))
            step = self._step(J, missing, sizes, damping)
            trial = self.moved(q, step)
            found = self.missing(trial)
            if found @ found < cost:
                q, missing, cost, J = trial, found, float(found @ found), self.J.copy()
                damping = max(damping / _SWAY, LEAST_DAMPING)
            else:
                damping *= _SWAY
        return q

    def _longest(self, step: Array) -> float:
        """The largest part of a step, in radians and in sizes of the mechanism."""
        return float(np.divide(np.abs(step), self.reach, out=np.zeros_like(step), where=self.reach > 0.0).max(initial=0.0))

    def _step(self, J: Array, missing: Array, sizes: Array, damping: float) -> Array:
        """D⁻² Jᵀ (J D⁻² Jᵀ + μ)⁻¹ r, no longer than is allowed."""
        inverse = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > TINY)
        scaled = J * inverse
        step = scaled.T @ np.linalg.solve(scaled @ J.T + damping * np.eye(len(J)), missing)
        part = self._longest(step)
        limited: Array = step * min(1.0, _FARTHEST / part) if part > 0.0 else step
        return limited
