"""Guards: the functions whose zeros are events, as rows of a table that the compiled loop reads."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import load
from ..algebra.scalars import Scalar
from ..algebra.spatial import add
from ..compilation import inline, jit
from ..kernels import configuration
from ..kernels.jacobian import point_on
from ..kernels.kinematics import place_bodies
from ..kernels.tables import ORIGIN, ROOT, KernelModel, Work
from ..tolerances import AT_ZERO, BEYOND, GUARD_ROUNDING, UNNOTICED
from .calls import call_at
from .stepper import FAILED, Q0, QS, RESULT, SLOPE_V, US, V0, VS

# guards: int64 (number, GUARD)
SORT = 0  # HEIGHT, JOINT or FUNCTION
INDEX = 1  # row of the body, place in q, or what a function is called with, last
ADDRESS = 2  # of a function
DIRECTION = 3  # −1: from above zero to below, +1: the other way, 0: both
SIGN = 4  # of the guard where it was last seen away from zero; 0 until it has left it
HIT = 5  # 1 for the guards whose zero ended the segment
SIGN_BEFORE = 6  # SIGN at the start of the step
ARMED = 7  # 1 where the guard fires if it is at zero at the start of the segment and leaves it in its direction
GUARD = 8
HEIGHT, JOINT, FUNCTION = range(3)

# guard_numbers: float64 (number, GUARD_NUMBERS)
POINT = 0  # 3: a point in the frame of the body's row
VALUE = 3  # height at x = 0, joint position, or value of a function
SLOPE = 4  # rise of the ground along x
LAST = 5  # the guard at the last sample
LAST_BEFORE = 6  # LAST at the start of the step
GUARD_NUMBERS = 7

AT_ONCE = 1e-2
"""The part of the first step within which a guard that is at zero must be through it for its rate to say where it goes."""
SLOWEST, SLOWEST_FUNCTION = 1e-5, 1e-4
"""Speeds below which the time over which a rate is taken grows no more; a user's function may change with time as well."""


@inline
def guard_value(
    model: KernelModel, work: Work, guards: Any, numbers: Any, functions: Any, e: int, t: float, S: Any, nq: int, q: int, v: int
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
    S[RESULT, 0] = np.nan  # stays where a signal comes on the way into a function in Python
    failed = call_at(guards[e, ADDRESS], t, S[q].ctypes.data, S[v].ctypes.data, S[RESULT].ctypes.data, nq, nv, guards[e, INDEX])
    if failed != 0 or np.isnan(S[RESULT, 0].real):
        functions[FAILED] = 1
        return np.nan * S[q, 0]
    return S[RESULT, 0] - numbers[e, VALUE]


@inline
def place_for_guards(model: KernelModel, work: Work, guards: Any, S: Any, nq: int, q: int) -> None:
    """Place the bodies at row q if any guard asks where one is."""
    for e in range(guards.shape[0]):
        if guards[e, SORT] == HEIGHT:
            place_bodies(model, work, S[q, :nq])
            return


@jit
def look_at_guards(model: KernelModel, work: Work, guards: Any, numbers: Any, functions: Any, t: float, S: Any, nq: int) -> bool:
    """LAST: the guards at the start of a segment; says whether any is beyond zero already."""
    place_for_guards(model, work, guards, S, nq, Q0)
    beyond = False
    for e in range(guards.shape[0]):
        numbers[e, LAST] = guard_value(model, work, guards, numbers, functions, e, t, S, nq, Q0, V0)
        beyond = beyond or guards[e, DIRECTION] * numbers[e, LAST] > BEYOND
    return beyond


@jit
def start_guards(
    model: KernelModel, work: Work, guards: Any, numbers: Any, functions: Any, t: float, h: float, S: Any, nq: int
) -> None:
    """Signs at the start of a segment whose first step is h.

    A guard at zero gets the sign of its rate if that takes it out of zero at once, else none until it has left zero. An armed one
    that does not go back fires where it comes `BEYOND` zero.
    """
    sign_guards(model, work, guards, numbers, functions, t, h, S, nq)
    for e in range(guards.shape[0]):
        direction = guards[e, DIRECTION]
        if guards[e, ARMED] != 0 and guards[e, SIGN] != -direction and abs(numbers[e, LAST]) <= BEYOND:
            numbers[e, VALUE] += direction * BEYOND
            numbers[e, LAST] -= direction * BEYOND
            guards[e, SIGN] = -direction


@jit
def sign_guards(
    model: KernelModel, work: Work, guards: Any, numbers: Any, functions: Any, t: float, h: float, S: Any, nq: int
) -> None:
    """SIGN, LAST: the guards at the start of a segment, those at zero by their rates."""
    place_for_guards(model, work, guards, S, nq, Q0)
    waiting = False
    for e in range(guards.shape[0]):
        value = guard_value(model, work, guards, numbers, functions, e, t, S, nq, Q0, V0)
        guards[e, HIT] = 0
        guards[e, SIGN] = 0 if abs(value) <= AT_ZERO else (1 if value > 0.0 else -1)
        numbers[e, LAST] = value
        waiting = waiting or guards[e, SIGN] == 0
    if not waiting:
        return
    for slowest in (SLOWEST, SLOWEST_FUNCTION):
        nv, moved = work.dof.shape[0], 0.0
        eps = look_ahead(model, S, nv, slowest)
        for d in range(nv):
            moved = max(moved, abs(S[US, d]))
        place_for_guards(model, work, guards, S, nq, QS)
        for e in range(guards.shape[0]):
            if guards[e, SIGN] == 0 and (guards[e, SORT] == FUNCTION) == (slowest == SLOWEST_FUNCTION):
                value = numbers[e, LAST]
                change = guard_value(model, work, guards, numbers, functions, e, t + eps, S, nq, QS, VS) - value
                at_once = value * change >= 0.0 or abs(value) <= AT_ONCE * h * abs(change) / eps
                if at_once and abs(change) > max(GUARD_ROUNDING, UNNOTICED * moved):
                    guards[e, SIGN] = 1 if change > 0.0 else -1


@jit
def look_ahead(model: KernelModel, S: Any, nv: int, slowest: float) -> float:
    """QS, VS: the start of the step moved along its slopes by a little time, which is returned."""
    fastest = slowest
    for d in range(nv):
        fastest = max(fastest, abs(S[V0, d]))
    eps = 1e-6 / fastest
    for d in range(nv):
        S[US, d] = eps * S[V0, d]
        S[VS, d] = S[V0, d] + eps * S[SLOPE_V, d]
    configuration.integrate(model.walk, S[Q0], S[US], S[QS])
    return eps


@jit
def keep_guards(guards: Any, numbers: Any) -> None:
    """Remember the guards as they are at the start of a step, for the case that it must be taken again."""
    for e in range(guards.shape[0]):
        guards[e, SIGN_BEFORE], numbers[e, LAST_BEFORE] = guards[e, SIGN], numbers[e, LAST]


@jit
def put_guards_back(guards: Any, numbers: Any) -> None:
    """As `keep_guards` found them."""
    for e in range(guards.shape[0]):
        guards[e, SIGN], numbers[e, LAST], guards[e, HIT] = guards[e, SIGN_BEFORE], numbers[e, LAST_BEFORE], 0


@inline
def crossed(guards: Any, e: int, value: float) -> bool:
    """Whether a guard has gone through zero in its direction since it was last away from it."""
    before, direction = guards[e, SIGN], guards[e, DIRECTION]
    if before == 0:
        return False
    if direction <= 0 and before > 0 and value <= 0.0:
        return True
    return direction >= 0 and before < 0 and value >= 0.0


@inline
def remember(guards: Any, numbers: Any, e: int, value: float) -> None:
    """Keep the sign and the value of a guard at a sample where it did not fire."""
    if abs(value) > AT_ZERO or guards[e, SIGN] != 0:
        if value > 0.0:
            guards[e, SIGN] = 1
        elif value < 0.0:
            guards[e, SIGN] = -1
    numbers[e, LAST] = value
