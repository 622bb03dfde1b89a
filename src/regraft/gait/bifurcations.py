"""Where a branch of fixed points changes: the functions that are zero there, and the places, found along the branch.

With the multipliers μ of the map, the eigenvalues of its derivative J, these functions are smooth along a branch and change their
sign where

- flip: det(J + I) = Π (μ + 1) = 0, a multiplier is −1 and the period doubles;
- fold: the tangent's part along the parameter is 0, a multiplier is +1 and the branch turns back;
- branch: the determinant of the equations with the tangent as their last row is 0: another branch crosses this one;
- neimark-sacker: Π (μᵢ μⱼ − 1) over all pairs, the determinant of the bialternate product 2 J ⊙ J − I, is 0: two complex
  multipliers are on the unit circle, and a torus is born. (It is zero too where two real ones have the product 1, which
  changes nothing.)

Yu. A. Kuznetsov, Elements of Applied Bifurcation Theory, chapter 10.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from ..tolerances import LOCATED, NEARLY_REAL, ON_CIRCLE, UNDECIDED
from .curves import Control, Family, Measure, Solved, between, equations, solved_at

KINDS = ("flip", "fold", "branch", "neimark-sacker")


def value_of(kind: str, point: Solved, measure: Measure) -> float:
    """The test function of a kind at a point of a branch."""
    if kind == "fold":
        return float(point.tangent[-1])
    if kind == "branch":
        return float(np.linalg.det(np.vstack((equations(point.jacobian, point.by_parameter, measure), point.tangent))))
    multipliers = np.linalg.eigvals(point.jacobian).astype(complex)
    if kind == "flip":
        return float(np.prod(multipliers + 1.0).real)
    return float(np.prod([a * b - 1.0 for a, b in combinations(multipliers, 2)]).real)


def passed(before: Solved, after: Solved, measure: Measure) -> list[str]:
    """The kinds whose test functions change their sign from one point of a branch to the next."""
    found = []
    for kind in KINDS:
        a, b = value_of(kind, before, measure), value_of(kind, after, measure)
        if a * b < 0.0 and max(abs(a), abs(b)) > UNDECIDED:
            found.append(kind)
    return found


def is_clear(before: Solved, after: Solved, measure: Measure) -> bool:
    """Whether what the test functions tell explains how many multipliers have left the unit circle, or come into it.

    Two of a kind within one step are not seen by a change of sign. Where a multiplier is on the circle, nothing can be told.
    """
    found = [np.linalg.eigvals(point.jacobian).astype(complex) for point in (before, after)]
    if np.abs(np.abs(np.concatenate(found)) - 1.0).min(initial=1.0) < ON_CIRCLE:
        return True
    fewer, more = sorted((some[np.abs(some) > 1.0] for some in found), key=len)
    kinds = passed(before, after, measure)
    real = sum(kind != "neimark-sacker" for kind in kinds)
    match len(more) - len(fewer):
        case 0:
            return True
        case 1 | 2 as change if real == change:
            return True
        case 2:
            return "neimark-sacker" in kinds and bool(np.iscomplex(more).any())
        case _:
            return False


def located(family: Family, kind: str, before: Solved, after: Solved, control: Control) -> Solved | None:
    """The point between two others where a test function is zero, on the curve; None where nothing happens there after all."""
    from scipy.optimize import brentq  # on first use: it takes long to import

    measure, tangent = control.measure, before.tangent
    way = between(family, before, after, measure)
    length = float(tangent @ way)
    aside = way - length * tangent
    known = {0.0: before, length: after}

    def there(s: float) -> Solved:
        if s not in known:
            step = s * tangent + (s / length) ** 2 * aside
            known[s] = solved_at(family, before, step, tangent, control)
        return known[s]

    s = brentq(lambda s: value_of(kind, there(s), measure), 0.0, length, xtol=LOCATED, rtol=4.0 * np.finfo(float).eps)
    found = there(float(s))
    return found if kind != "neimark-sacker" or math.isfinite(angle(found)) else None


def angle(point: Solved) -> float:
    """The angle by which the complex multipliers on the unit circle turn a deviation in a return, rad; NaN if there are none."""
    for multiplier in point.multipliers:
        turn = abs(float(np.angle(multiplier)))
        if abs(abs(multiplier) - 1.0) < ON_CIRCLE and NEARLY_REAL < turn < math.pi - NEARLY_REAL:
            return turn
    return math.nan
