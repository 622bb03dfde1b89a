"""What the compiled loop asks of guards: a kernel of its own that it calls by its address.

So a simulation without events need not wait until it is compiled.
"""

from __future__ import annotations

from functools import cache

from ..algebra.memory import call_kernel, vector_at
from ..compilation import address_of, inline_once, jit, long_entry
from ..kernels.constraints.closure import STEP_AGAIN
from .crossings import Step, first_zero, shorten
from .flow import Flow, on_flow
from .guards import AT_START, GUARD, Guards, look_at_guards, place_for_guards, put_guards_back, start_guards
from .places import place_of
from .records import records_at
from .stepper import close_step

LOOK, START, FIND, PUT_BACK, SHORTEN = range(5)
"""What can be asked: whether a guard is beyond zero where the segment starts; to set signs there; for the first zero in a step;
to have the guards as they were before that; to take the step again up to a zero."""
NONE = -1.0
"""The answer of FIND where no guard is zero in the step."""


@jit
def ask_guards(flow: Flow, guards: Guards, what: int, t: float, h: float, more: float) -> float:
    """Ask `guard_kernel` about the step from t on of the size h, which may be the next one; `more` as `answer` takes it."""
    step = place_of((t, h, float(more)))  # `answer` takes it for three floats
    return call_kernel(flow.calls.guarding, (flow.place, guards.ctypes.data, guards.shape[0], step, what))


@long_entry
def guard_kernel(flow: int, guards: int, count: int, step: int, what: int) -> float:
    """`answer`, with addresses: of the flow as it was given, of the guards, and of t, h and what more is told."""
    numbers = vector_at(step, 3)
    return answer(flow, 0.0, records_at(guards, count, GUARD), what, Step(numbers[0], numbers[1]), numbers[2])


@inline_once
@on_flow
def answer(flow: Flow, guards: Guards, what: int, step: Step, more: float) -> float:
    """What is asked.

    LOOK says 1 for yes; FIND, with a number of samples as `more`, says the part of the step or NONE; SHORTEN, with that part as
    `more`, says the size of the step, or minus that where what happens at its end is passed over.
    """
    if what == FIND:
        found, theta = first_zero(flow, guards, step, int(more))
        return theta if found else NONE
    if flow.calls.watch != 0 and (what == SHORTEN or what == PUT_BACK):  # noqa: PLR1714, SIM109
        close_step(flow, flow.vectors.end.v, step.h, STEP_AGAIN)
    if what == SHORTEN:
        return shorten(flow, guards, step, more)
    if what == PUT_BACK:
        put_guards_back(flow, guards)
        place_for_guards(flow, guards, step.t, AT_START)  # what closes contacts takes guards as they are at the start
        return 0.0
    if what == START:
        start_guards(flow, guards, step.t, step.h)
        return 0.0
    return 1.0 if look_at_guards(flow, guards, step.t) else 0.0


@cache
def guarding_kernel() -> int:
    """The address of `guard_kernel`."""
    return address_of(guard_kernel)
