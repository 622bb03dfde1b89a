"""The law of actuators: from controls and the positions and velocities of joints to torques of these joints."""

from __future__ import annotations

import math
from typing import Any

from ..compilation import Floats, Table, entry, inline, jit

CONTROL, FIRST, END, GAIN, BIAS = 0, 1, 2, 3, 6
"""Columns of an actuator: its place among the controls, its first term and the one behind its last; three numbers each."""
CONTROL_RANGE, FORCE_RANGE = 9, 11
LAW = 13
PLACE, GEAR = 0, 1
"""Columns of a term: the place of a joint's number, and the gear."""
TERM = 2

OFF = math.inf
"""The control of an actuator that is not driven, which exerts no torque."""


@inline
def within(value: float, lower: float, upper: float) -> float:
    """The number nearest to a value that is within bounds."""
    return min(max(value, lower), upper)


@jit
def actuate(laws: Any, terms: Any, efforts: Any, controls: Any, q: Any, v: Any, out: Any) -> None:
    """τ = Σ gear · f with f = (g₀ + g₁ l + g₂ l̇) u + b₀ + b₁ l + b₂ l̇ and l = Σ gear · q.  O(terms).

    The control u, the torque f and the sum of all torques of a joint are kept within their bounds. An actuator whose control is
    OFF is passed over.
    """
    for d in range(out.shape[0]):
        out[d] = 0.0
    for a in range(laws.shape[0]):
        given = controls[int(laws[a, CONTROL])]
        if given == OFF:
            continue
        first, end = int(laws[a, FIRST]), int(laws[a, END])
        length, rate = 0.0, 0.0
        for i in range(first, end):
            place = int(terms[i, PLACE])
            length += terms[i, GEAR] * q[place]
            rate += terms[i, GEAR] * v[place]
        control = within(given, laws[a, CONTROL_RANGE], laws[a, CONTROL_RANGE + 1])
        gain = laws[a, GAIN] + laws[a, GAIN + 1] * length + laws[a, GAIN + 2] * rate
        bias = laws[a, BIAS] + laws[a, BIAS + 1] * length + laws[a, BIAS + 2] * rate
        force = within(gain * control + bias, laws[a, FORCE_RANGE], laws[a, FORCE_RANGE + 1])
        for i in range(first, end):
            out[int(terms[i, PLACE])] += terms[i, GEAR] * force
    for d in range(out.shape[0]):
        out[d] = within(out[d], -efforts[d], efforts[d])


@entry
def actuated_joints(laws: Table, terms: Table, efforts: Floats, controls: Floats, q: Floats, v: Floats, out: Floats) -> None:
    """`actuate`, from Python."""
    actuate(laws, terms, efforts, controls, q, v, out)
