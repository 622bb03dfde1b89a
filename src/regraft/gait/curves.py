"""Curves of fixed points x = P(x, p) in a parameter p, by pseudo-arclength continuation (H. B. Keller, 1977).

A step goes along the tangent of the curve, then Newton's method comes back to it in the plane across the tangent, so that a curve
which turns back in p (a fold) is followed like any other. Nothing here knows mechanisms: `Family` is all that is asked of a map.

Lengths along a curve are without units: x is measured by one size, p by another, both in `Measure`. Tangents have n + 1 numbers
in these units, the last one that of p.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import least_squares, svd
from ..errors import RegraftError, SimulationError
from ..tolerances import EPSILON, ONE_CURVE

Array = NDArray[np.float64]

NEWTON_STEPS = 15
"""How many steps of Newton's method may lead back to the curve."""
SLOW = 0.03
"""If a step leaves more of the residual than this, the derivative is made anew for the next one."""
TURNS = 0.9
"""The cosine of the angle by which the tangent may turn within a step."""
STRAIGHT = 0.98
"""After a step in which it turned less, the next one is longer."""
LONGER = 1.5
OFF_TANGENT = 0.5
"""How far from the end of the tangent the curve may be found, by the length of the step."""


class Pace(NamedTuple):
    """What the next evaluation of a map may want to know of one nearby: how long it took."""

    time: float
    first: float
    """Until the section was met for the first time."""


class Image(NamedTuple):
    """One evaluation of a map."""

    x: Array
    """The point: the one that was given, or the nearest at which the map is defined."""
    p: float
    change: Array
    """P(x, p) − x."""
    pace: Pace
    note: Any
    """Whatever the family needs for the derivatives."""


class Family(Protocol):
    """Maps x → P(x, p), one for each p, of points that may lie on a manifold with n-dimensional tangents."""

    def image(self, x: Array, p: float, pace: Pace | None) -> Image:
        """Where the map of p leads."""

    def derivatives(self, image: Image) -> tuple[Array, Array]:
        """(n, n) and (n,): those of the map by x and by p."""

    def check(self, image: Image) -> None:
        """Raise an error if a fixed point is not what is looked for after all."""

    def moved(self, x: Array, step: Array) -> Array:
        """The point at the end of a tangent vector."""

    def apart(self, end: Array, start: Array) -> Array:
        """The tangent vector that leads from one point to the other."""


class Measure(NamedTuple):
    """The units of lengths along a curve."""

    state: float
    parameter: float


@dataclass(frozen=True, eq=False)
class Solved:
    """A fixed point, with the derivatives and the tangent of the curve there."""

    x: Array
    p: float
    pace: Pace
    jacobian: Array
    by_parameter: Array
    tangent: Array
    residual: float

    @property
    def multipliers(self) -> NDArray[np.complex128]:
        """The eigenvalues of the derivative by x, the largest first."""
        found = np.linalg.eigvals(self.jacobian).astype(complex)
        return found[np.argsort(-np.abs(found), kind="stable")]


class Control(NamedTuple):
    """How a curve is followed: lengths of steps, and the largest residual of a fixed point."""

    measure: Measure
    first: float
    largest: float
    least: float
    tolerance: float


def equations(jacobian: Array, by_parameter: Array, measure: Measure) -> Array:
    """(n, n + 1): the derivative of P(x, p) − x in the units of the curve."""
    return np.column_stack(((jacobian - np.eye(len(jacobian))) * measure.state, by_parameter * measure.parameter))


def solved_at(family: Family, start: Solved, step: Array, row: Array, control: Control) -> Solved:
    """The point of the curve in the plane across `row` through the end of a step from a point nearby.

    Raises
    ------
    SimulationError
        If Newton's method does not find one.
    """
    measure = control.measure
    there = family.image(
        family.moved(start.x, measure.state * step[:-1]), start.p + measure.parameter * float(step[-1]), start.pace
    )
    matrix = np.vstack((equations(start.jacobian, start.by_parameter, measure), row))
    image, (jacobian, by_parameter) = _newton(family, there, matrix, control)
    family.check(image)
    tangent = tangent_at(equations(jacobian, by_parameter, measure), start.tangent)
    return Solved(image.x, image.p, image.pace, jacobian, by_parameter, tangent, _residual(image))


def _newton(family: Family, image: Image, matrix: Array, control: Control) -> tuple[Image, tuple[Array, Array]]:
    """Newton's method in a plane, the last row of the matrix, from equations nearby.

    These are kept as long as they lead on quickly. A step more before the derivatives at the end, and one with them, go beyond
    what is asked.
    """
    row, fresh, useful = matrix[-1], False, True
    for _ in range(NEWTON_STEPS):
        off = _residual(image)
        if off <= control.tolerance:
            break
        if not useful:
            matrix, fresh = np.vstack((equations(*family.derivatives(image), control.measure), row)), True
        following, problem = _stepped(family, image, matrix, control)
        if following is None or not _residual(following) < off:
            if fresh:
                raise problem or SimulationError(
                    f"Newton's method does not come nearer to a periodic motion: the state differs from its return by {off:.3g}."
                )
            useful = False
            continue
        useful, fresh = _residual(following) < SLOW * off, False
        image = following
    else:
        raise SimulationError(
            f"Newton's method has not found a periodic motion after {NEWTON_STEPS} steps: the state still differs from its "
            f"return by {_residual(image):.3g}."
        )
    image = _nearer(family, image, matrix, control)
    derivatives = family.derivatives(image)
    return _nearer(family, image, np.vstack((equations(*derivatives, control.measure), row)), control), derivatives


def _residual(image: Image) -> float:
    return float(np.abs(image.change).max(initial=0.0))


def _nearer(family: Family, image: Image, matrix: Array, control: Control) -> Image:
    """One step of Newton's method more, if that helps."""
    found, _ = _stepped(family, image, matrix, control)
    return image if found is None or not _residual(found) < _residual(image) else found


def _stepped(family: Family, image: Image, matrix: Array, control: Control) -> tuple[Image | None, RegraftError | None]:
    """A step of Newton's method, or why there is none."""
    step = least_squares(matrix, np.append(-image.change, 0.0), EPSILON)
    x = family.moved(image.x, control.measure.state * step[:-1])
    try:
        return family.image(x, image.p + control.measure.parameter * float(step[-1]), image.pace), None
    except RegraftError as problem:
        return None, problem


def tangent_at(matrix: Array, near: Array) -> Array:
    """(n + 1,): the direction in which the equations do not change, on the side of one nearby."""
    across = np.vstack((matrix, near))
    found = least_squares(across, np.append(np.zeros(len(matrix)), 1.0), EPSILON)
    length = float(np.linalg.norm(found))
    if not (np.isfinite(length) and length > 0.0):
        raise SimulationError("the curve of periodic motions has no tangent here.")
    return found / length


def first_point(family: Family, image: Image, control: Control, towards: float) -> Solved:
    """The fixed point that an evaluation is at, with the tangent of its curve on the side where p goes `towards` ±1."""
    jacobian, by_parameter = family.derivatives(image)
    matrix = equations(jacobian, by_parameter, control.measure)
    _check_one_curve(matrix)
    near = np.asarray(np.linalg.svd(matrix)[2][-1], float)
    near = near if near[-1] * towards > 0.0 or (near[-1] == 0.0 and towards > 0.0) else -near
    tangent = tangent_at(matrix, near)
    return Solved(image.x, image.p, image.pace, jacobian, by_parameter, tangent, _residual(image))


def _check_one_curve(matrix: Array) -> None:
    sizes = svd(matrix)[1]
    if len(sizes) and not sizes[-1] > ONE_CURVE * sizes[0]:
        raise SimulationError(
            "through this point goes more than one branch of periodic motions. Where they are a whole family, with a multiplier "
            "1 for a quantity that is kept, such as the energy, let match put that quantity back to its value; where two "
            "branches cross, begin beside the crossing."
        )


class Ended(NamedTuple):
    """Why a curve is not followed any further."""

    why: str
    expected: bool
    """Whether it is where it was to end."""


class Tracer:
    """Follows a curve from one point to the next."""

    def __init__(self, family: Family, here: Solved, bounds: tuple[float, float], control: Control, length: float) -> None:
        self.family, self.here, self.bounds, self.control, self.length = family, here, bounds, control, length

    def advance(self, is_clear: Callable[[Solved, Solved], bool] | None = None) -> Solved | Ended:
        """The next point, or why there is none; steps after which `is_clear(before, after)` is not true are made shorter.

        A point on a bound of the parameter is the last one; the next call says so.
        """
        if self._at_bound():
            return Ended(f"the end of the range, {self.here.p:.12g}, was reached", True)
        while True:
            try:
                there, last = self._step()
                turned = float(there.tangent @ self.here.tangent)
                if turned >= TURNS and (is_clear is None or is_clear(self.here, there)):
                    break
                why = f"the curve turns too sharply near {there.p:.9g}"
                if turned >= TURNS and self.length < 2.0 * self.control.least:
                    break
            except RegraftError as problem:
                why = problem.reason if isinstance(problem, SimulationError) else str(problem)
            self.length *= 0.5
            if self.length < self.control.least:
                return Ended(f"beyond {self.here.p:.12g} the branch is not found: {why}", False)
        self.here = there
        if turned > STRAIGHT and not last:
            self.length = min(LONGER * self.length, self.control.largest)
        return there

    def _at_bound(self) -> bool:
        low, high = self.bounds
        rising = self.here.tangent[-1] > 0.0
        return (self.here.p >= high and rising) or (self.here.p <= low and not rising)

    def _step(self) -> tuple[Solved, bool]:
        """A step along the tangent, and back to the curve; whether it ended on a bound of the parameter."""
        here, tangent = self.here, self.here.tangent
        unit = self.control.measure.parameter
        if not self.bounds[0] <= here.p + unit * self.length * tangent[-1] <= self.bounds[1]:
            return self._to_bound(self.bounds[int(tangent[-1] > 0.0)], tangent), True
        there = solved_at(self.family, here, self.length * tangent, tangent, self.control)
        moved = self.from_here(there)
        if np.linalg.norm(moved - self.length * tangent) > OFF_TANGENT * self.length:
            raise SimulationError(f"the step to {there.p:.9g} led to another branch, or the curve turns too sharply there.")
        if not self.bounds[0] <= there.p <= self.bounds[1]:
            return self._to_bound(self.bounds[int(there.p > self.bounds[1])], moved), True
        return there, False

    def _to_bound(self, bound: float, along: Array) -> Solved:
        """The point of the curve at a bound of the parameter, which a vector leads to and beyond."""
        part = (bound - self.here.p) / (self.control.measure.parameter * along[-1])
        step = part * along
        step[-1] = (bound - self.here.p) / self.control.measure.parameter
        row = np.zeros(len(along))
        row[-1] = 1.0
        found = solved_at(self.family, self.here, step, row, self.control)
        if np.linalg.norm(self.from_here(found) - step) > OFF_TANGENT * max(self.length, float(np.linalg.norm(step))):
            raise SimulationError(f"the step to the end of the range, {bound:.9g}, led to another branch.")
        return Solved(found.x, bound, found.pace, found.jacobian, found.by_parameter, found.tangent, found.residual)

    def from_here(self, there: Solved) -> Array:
        """(n + 1,): the vector from the present point to another one, in the units of the curve."""
        return between(self.family, self.here, there, self.control.measure)


def between(family: Family, start: Solved, end: Solved, measure: Measure) -> Array:
    """(n + 1,): the vector from one point to another, in the units of the curve."""
    return np.append(family.apart(end.x, start.x) / measure.state, (end.p - start.p) / measure.parameter)
