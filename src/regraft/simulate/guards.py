"""Guards: the functions whose zeros are events, as rows of a table that the compiled loop reads."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import jit
from ..kernels.jacobian import point_on
from ..kernels.kinematics import place_bodies
from ..kernels.layout import ORIGIN, ROOT, Model, Work
from ..memory import load
from ..scalars import Scalar
from ..spatial import add
from .callbacks import call_at
from .stepper import FAILED, RESULT

# guards: int64 (number, GUARD)
SORT = 0  # HEIGHT, JOINT or FUNCTION
INDEX = 1  # row of the body, or place in q
ADDRESS = 2  # of a function
DIRECTION = 3  # −1: from above zero to below, +1: the other way, 0: both
SIGN = 4  # of the guard where it was last seen away from zero; 0 until it has left it
HIT = 5  # 1 for the guards whose zero ended the segment
GUARD = 6
HEIGHT, JOINT, FUNCTION = range(3)

# guard_numbers: float64 (number, GUARD_NUMBERS)
POINT = 0  # 3: a point in the frame of the body's row
VALUE = 3  # height at x = 0, or joint position
SLOPE = 4  # rise of the ground along x
LAST = 5  # the guard at the last sample
GUARD_NUMBERS = 6

AT_ZERO = 1e-9
"""How near to zero a guard counts as zero where a segment starts, in the guard's units."""


@jit
def guard_value(
    model: Model, work: Work, guards: Any, numbers: Any, functions: Any, e: int, t: float, S: Any, nq: int, q: int, v: int
) -> Scalar:
    """Guard e at the time t and at the rows q and v; for a height the bodies must have been placed."""
    sort = guards[e, SORT]
    if sort == JOINT:
        return S[q, guards[e, INDEX]] - numbers[e, VALUE]
    if sort == HEIGHT:
        k = guards[e, INDEX]
        at = point_on(work, k, numbers[e])
        place = add(at, load(work.body, model.walk[k, ROOT], ORIGIN, 3))
        return place[2] - numbers[e, VALUE] - numbers[e, SLOPE] * place[0]
    nv = work.dof.shape[0]
    failed = call_at(guards[e, ADDRESS], t, S[q].ctypes.data, S[v].ctypes.data, S[RESULT].ctypes.data, nq, nv)
    if failed != 0:
        functions[FAILED] = 1
        return np.nan * S[q, 0]
    return S[RESULT, 0]


@jit
def place_for_guards(model: Model, work: Work, guards: Any, S: Any, nq: int, q: int) -> None:
    """Place the bodies at row q if any guard asks where one is."""
    for e in range(guards.shape[0]):
        if guards[e, SORT] == HEIGHT:
            place_bodies(model, work, S[q, :nq])
            return


@jit
def start_guards(
    model: Model, work: Work, guards: Any, numbers: Any, functions: Any, t: float, S: Any, nq: int, q: int, v: int
) -> None:
    """Signs at the start of a segment: a guard at zero has none until it has left it."""
    place_for_guards(model, work, guards, S, nq, q)
    for e in range(guards.shape[0]):
        value = guard_value(model, work, guards, numbers, functions, e, t, S, nq, q, v)
        guards[e, HIT] = 0
        guards[e, SIGN] = 0 if abs(value) <= AT_ZERO else (1 if value > 0.0 else -1)
        numbers[e, LAST] = value


@jit
def crossed(guards: Any, e: int, value: float) -> bool:
    """Whether a guard has gone through zero in its direction since it was last away from it."""
    before, direction = guards[e, SIGN], guards[e, DIRECTION]
    if before == 0:
        return False
    if direction <= 0 and before > 0 and value <= 0.0:
        return True
    return direction >= 0 and before < 0 and value >= 0.0


@jit
def remember(guards: Any, numbers: Any, e: int, value: float) -> None:
    """Keep the sign and the value of a guard at a sample where it did not fire."""
    if abs(value) > AT_ZERO or guards[e, SIGN] != 0:
        if value > 0.0:
            guards[e, SIGN] = 1
        elif value < 0.0:
            guards[e, SIGN] = -1
    numbers[e, LAST] = value
