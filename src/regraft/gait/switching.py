"""From a flip to the branch of twice the period: the first point on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import RegraftError, SimulationError
from .bifurcations import passed
from .curves import OFF_TANGENT, Control, Family, Pace, Solved, between, solved_at

Array = NDArray[np.float64]


def doubled(point: Solved) -> Solved:
    """A flip as a fixed point of the map that is run twice, with the direction of the branch that leaves there as its tangent.

    That branch leaves along the direction that a return turns round, at first without a change of the parameter.
    """
    identity, pace = np.eye(len(point.jacobian)), Pace(2.0 * point.pace.time, point.pace.first)
    way = np.append(flip_direction(point), 0.0)
    by_parameter = (point.jacobian + identity) @ point.by_parameter
    return replace(point, pace=pace, jacobian=point.jacobian @ point.jacobian, by_parameter=by_parameter, tangent=way)


def flip_direction(point: Solved) -> Array:
    """(n,): the direction, of length 1, that a return turns round where a multiplier is −1."""
    matrix = point.jacobian + np.eye(len(point.jacobian))
    return np.asarray(np.linalg.svd(matrix)[2][-1], float)


def first_step(single: Family, double: Family, flip: Solved, begun: Solved, control: Control) -> tuple[Solved, float]:
    """The first point of the branch that leaves at a flip, and how far it is; of the map that is run once, and twice.

    It is looked for in a plane that the branch of the flip does not cross nearby. On the new branch the parameter changes as the
    square of the way, often by much more than the state does. What tells a point of it is that one return leads to the other
    side.

    Raises
    ------
    SimulationError
        If it is not found.
    """
    way, measure = begun.tangent, control.measure
    across = way - (way @ flip.tangent) * flip.tangent
    across /= np.linalg.norm(across)
    length, why = control.first, ""
    while length >= control.least:
        try:
            found = solved_at(double, begun, length * way, across, control)
            half = single.image(found.x, found.p, flip.pace).change / measure.state
            if not np.linalg.norm(half + 2.0 * length * way[:-1]) <= 2.0 * OFF_TANGENT * length:
                why = "the step led to another branch"
            elif {"flip", "neimark-sacker"} & set(passed(begun, found, measure)):
                why = "the next bifurcation is too close to it"
            else:
                gone = between(double, begun, found, measure)
                onwards = found.tangent if found.tangent @ gone > 0.0 else -found.tangent
                return replace(found, tangent=onwards), min(float(np.linalg.norm(gone)), control.largest)
        except RegraftError as problem:
            why = problem.reason if isinstance(problem, SimulationError) else str(problem)
        length *= 0.5
    raise SimulationError(f"the branch of twice the period that begins at {flip.p:.12g} is not found: {why.rstrip(chr(46))}.")
