"""One step of an explicit Runge–Kutta method on the manifold of positions, with its error and its dense output.

Everything lies in one scratch table in the scalar of the computation, a row for each vector. A step starts at (Q0, V0) with its
first slopes in the first rows of SLOPE_U and SLOPE_V, and ends at (Q1, V1) = (Q0 ⊕ U1, V1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import call_kernel, load, store
from ..algebra.scalars import Scalar, one, where_less
from ..compilation import inline, jit
from ..kernels import configuration
from ..kernels.aba import aba
from ..kernels.tables import BODY, PUSH, KernelModel, Work
from .calls import call_at
from .skeleton_step import skeleton_step

MOST_STAGES = 8

SHARE = 0.06
"""The part of the tolerance that the estimated error of one step may use, so that the error of a whole run is of its size."""

# rows of the scratch table
Q0 = 0  # position at the start of the step
V0 = 1  # velocity there
Q1 = 2  # position of the present stage; after the last stage, of the end
V1 = 3  # velocity there
U1 = 4  # tangent vector from Q0 to Q1
TORQUE = 5
QS = 6  # a position within the step, by dense output
VS = 7
US = 8
RESULT = 9  # what a guard's function returns, or whether closing loops has stopped something
DENSE_U = 10  # 4: dense output of u
DENSE_V = 14  # 4: dense output of v
ERROR_U, ERROR_V = DENSE_U, DENSE_V  # before that, the estimated error of the step
SLOPE_U = 18  # MOST_STAGES: slopes of u
SLOPE_V = 26  # MOST_STAGES: slopes of v
SCRATCH = 34

# functions: int64, and what kind of step they are called in
TORQUE_AT = 0  # address of the torque function, 0 for none
WRENCH_AT = 1  # address of the wrench function
FAILED = 2  # 1 after a function has failed
OF_FREE_BODIES = 3  # 1 where the step is S3's
TREE = 4  # handle of the workspace
LOOPS = 5  # 1 where there are loops
DYNAMICS_AT = 6  # address of the dynamics of closed chains
CLOSING_AT = 7  # address of what closes them again
TORQUE_WITH = 8  # what the torque function is called with, last
WRENCH_WITH = 9
FUNCTIONS = 10


@inline
def evaluate(
    model: KernelModel, work: Work, functions: Any, t: float, S: Any, nq: int, q: int, v: int, out: int, push: Any, external: Any
) -> Scalar:
    """The acceleration at the time t and at the rows q and v into row `out`; returns the least MARGIN, NaN for a failure."""
    nv = work.dof.shape[0]
    if functions[FAILED] != 0:
        return np.nan * one(S[V0, 0])
    if functions[TORQUE_AT] != 0:
        S[TORQUE, :nv] = np.nan  # stays where a signal comes on the way into a function in Python
        if call(functions, TORQUE_AT, TORQUE_WITH, t, S, nq, nv, q, v, S[TORQUE].ctypes.data) != 0:
            return np.nan * one(S[V0, 0])
    if functions[WRENCH_AT] != 0:
        push[:] = np.nan
        if call(functions, WRENCH_AT, WRENCH_WITH, t, S, nq, nv, q, v, push.ctypes.data) != 0:
            return np.nan * one(S[V0, 0])
        for k in range(external.shape[0]):
            store(external, k, PUSH, load(push, model.walk[k, BODY], 0, 6))
    if functions[LOOPS] == 0:
        return aba(model, work, S[q, :nq], S[v, :nv], S[TORQUE, :nv], external, S[out, :nv])
    margin = call_kernel(
        functions[DYNAMICS_AT], functions[TREE], S[q].ctypes.data, S[v].ctypes.data, S[TORQUE].ctypes.data,
        external.ctypes.data, external.shape[0], S[out].ctypes.data, 0,
    )  # fmt: skip
    return margin * one(S[V0, 0])


@inline
def call(functions: Any, which: int, last: int, t: float, S: Any, nq: int, nv: int, q: int, v: int, out: int) -> int:
    """Call one of the user's functions with the rows q and v."""
    failed = call_at(functions[which], t, S[q].ctypes.data, S[v].ctypes.data, out, nq, nv, functions[last])
    if failed != 0:
        functions[FAILED] = 1
    return failed


@jit
def first_slopes(model: KernelModel, work: Work, functions: Any, t: float, S: Any, nq: int, push: Any, external: Any) -> Scalar:
    """The slopes at the start of a step."""
    margin = evaluate(model, work, functions, t, S, nq, Q0, V0, SLOPE_V, push, external)
    for d in range(work.dof.shape[0]):
        S[SLOPE_U, d] = S[V0, d]
    return margin


@jit
def take_step(
    model: KernelModel, work: Work, table: Any, functions: Any, t: float, h: Scalar, S: Any, nq: int, push: Any, external: Any
) -> Scalar:
    """All stages but the first, up to the end of the step; returns the least MARGIN of them, NaN for a failure."""
    nv, stages = work.dof.shape[0], table.shape[1]
    worst = one(S[V0, 0])
    if functions[OF_FREE_BODIES] != 0:
        skeleton_step(model, S, h, Q0, V0, SLOPE_V, Q1, V1, U1)
        worst = evaluate(model, work, functions, t + h.real, S, nq, Q1, V1, SLOPE_V + 1, push, external)
        configuration.tangent(model.walk, S[U1], S[V1], S[SLOPE_U + 1, :nv])
        configuration.normalise(model.walk, S[Q1])
        return worst
    for i in range(1, stages):
        first = 0
        while table[i, first] == 0.0 and first < i - 1:  # most rows of the classical method have one weight alone
            first += 1
        for d in range(nv):
            u, v = table[i, first] * S[SLOPE_U + first, d], table[i, first] * S[SLOPE_V + first, d]
            for j in range(first + 1, i):
                u += table[i, j] * S[SLOPE_U + j, d]
                v += table[i, j] * S[SLOPE_V + j, d]
            S[U1, d] = h * u
            S[V1, d] = S[V0, d] + h * v
        configuration.integrate(model.walk, S[Q0], S[U1], S[Q1])
        then = t + table[stages, i] * h.real
        margin = evaluate(model, work, functions, then, S, nq, Q1, V1, SLOPE_V + i, push, external)
        configuration.tangent(model.walk, S[U1], S[V1], S[SLOPE_U + i, :nv])
        worst = where_less(worst, margin, worst, margin)
    configuration.normalise(model.walk, S[Q1])  # or rounding would add up
    return worst


@jit
def close_step(functions: Any, S: Any, velocity: int, what: int) -> float:
    """Put the end of a step back where all loops are closed, as `what` says; returns the gap that is left.

    RESULT says with 1 that more was stopped than the errors of the step.
    """
    return call_kernel(
        functions[CLOSING_AT], functions[TREE], S[Q1].ctypes.data, S[velocity].ctypes.data,
        S[US].ctypes.data, S[QS].ctypes.data, S[RESULT].ctypes.data, what, 0,
    )  # fmt: skip


@jit
def next_step(S: Any, nq: int, nv: int, stages: int) -> None:
    """Make the end of a step the start of the next one."""
    for i in range(nq):
        S[Q0, i] = S[Q1, i]
    for d in range(nv):
        S[V0, d] = S[V1, d]
        S[SLOPE_V, d] = S[SLOPE_V + stages - 1, d]
        S[SLOPE_U, d] = S[V1, d]


@jit
def estimate_error(table: Any, S: Any, h: float, nv: int) -> None:
    """ERROR_U, ERROR_V: the estimated error of a step."""
    stages = table.shape[1]
    for d in range(nv):
        u, v = 0.0, 0.0
        for j in range(stages):
            weight = table[stages + 1, j]
            u += weight * S[SLOPE_U + j, d]
            v += weight * S[SLOPE_V + j, d]
        S[ERROR_U, d], S[ERROR_V, d] = h * u, h * v


@jit
def size_of_error(S: Any, nv: int, coordinate: Any, rtol: float, atol: float) -> float:
    """The largest part of the estimated error, in units of its tolerance.

    `coordinate` is where a velocity's position is in q; −1 for one on a manifold, whose size is 1.
    """
    worst = 0.0
    for d in range(nv):
        i = coordinate[d]
        size = 1.0 if i < 0 else max(abs(S[Q0, i]), abs(S[Q1, i]))
        worst = max(worst, abs(S[ERROR_U, d]) / (atol + rtol * size))
        worst = max(worst, abs(S[ERROR_V, d]) / (atol + rtol * max(abs(S[V0, d]), abs(S[V1, d]))))
    return worst / SHARE


@jit
def make_dense(table: Any, S: Any, h: Scalar, nv: int) -> None:
    """DENSE_U, DENSE_V: the terms of the dense output after a step (Hairer, Nørsett, Wanner, II.6)."""
    stages = table.shape[1]
    last = stages - 1
    for d in range(nv):
        for first, slope, step in ((DENSE_U, SLOPE_U, S[U1, d]), (DENSE_V, SLOPE_V, S[V1, d] - S[V0, d])):
            bend = h * S[slope, d] - step
            top = 0.0 * step
            for j in range(stages):
                top += table[stages + 2, j] * S[slope + j, d]
            S[first, d] = step
            S[first + 1, d] = bend
            S[first + 2, d] = step - h * S[slope + last, d] - bend
            S[first + 3, d] = h * top


@inline
def dense_at(walk: Any, S: Any, theta: float, nv: int) -> None:
    """QS, VS: the state at the part theta of the step, after `make_dense`."""
    rest = 1.0 - theta
    for d in range(nv):
        S[US, d] = theta * (S[DENSE_U, d] + rest * (S[DENSE_U + 1, d] + theta * (S[DENSE_U + 2, d] + rest * S[DENSE_U + 3, d])))
        S[VS, d] = S[V0, d] + theta * (
            S[DENSE_V, d] + rest * (S[DENSE_V + 1, d] + theta * (S[DENSE_V + 2, d] + rest * S[DENSE_V + 3, d]))
        )
    configuration.integrate(walk, S[Q0], S[US], S[QS])
