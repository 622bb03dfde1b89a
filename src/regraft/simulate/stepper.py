"""One step of an explicit Runge–Kutta method on the manifold of positions, with its error and its dense output.

What is integrated are the coordinates (u, w) of `kernels.chart`, which begin at zero and at the velocity of the step's start.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra.memory import call_kernel, load, store
from ..algebra.scalars import Scalar, lane, one, where_less
from ..algebra.spatial import times
from ..compilation import inline, jit
from ..kernels import chart, configuration
from ..kernels.aba import aba
from ..kernels.tables import BODY, PUSH, KernelModel, Work
from .calls import call_at
from .flow import Flow, Point, Vectors, flow_stage, model_of, work_of
from .integrators import OWN_TERMS, Method
from .skeleton_step import skeleton_step

SHARE = 0.06
"""The part of the tolerance that the estimated error of one step may use, so that the error of a whole run is of its size."""
ON_A_MANIFOLD = -1
"""The place in q of a velocity that is not the rate of one coordinate."""


@inline
def evaluate(flow: Flow, model: KernelModel, work: Work, t: float, at: Point, out: Any) -> Scalar:
    """The acceleration at a time and a state into `out`; returns the least MARGIN, NaN for a failure.

    `model` and `work` are those of the flow, which are found once for all stages of a step.
    """
    if not act(flow, model, t, at):
        return np.nan * one(flow.vectors.result[0])
    if flow.calls.has_loops:
        return called_dynamics(flow, at, out) * one(flow.vectors.result[0])
    return aba(model, work, at.q, at.v, flow.vectors.torque, flow.external, out)


@inline
def act(flow: Flow, model: KernelModel, t: float, at: Point) -> bool:
    """Let the functions of the user act on a state: prescribed motions, torques and wrenches; False where one has failed."""
    calls, torque, push, external = flow.calls, flow.vectors.torque, flow.push, flow.external
    if calls.failed:
        return False
    if calls.motion != 0 and call_at(calls.motion, t, at.q, at.v, flow.vectors.to_end, calls.motion_context) != 0:
        calls.failed = True
        return False
    if calls.torque != 0:
        for d in range(torque.shape[0]):
            torque[d] = np.nan * one(torque[d])  # stays where a signal comes on the way into a function in Python
        if call_at(calls.torque, t, at.q, at.v, torque, calls.torque_context) != 0:
            calls.failed = True
            return False
    if calls.wrenches != 0:
        for b in range(push.shape[0]):
            for c in range(push.shape[1]):
                push[b, c] = np.nan
        if call_at(calls.wrenches, t, at.q, at.v, push, calls.wrenches_context) != 0:
            calls.failed = True
            return False
        for k in range(external.shape[0]):
            store(external, k, PUSH, times(one(flow.vectors.result[0]), load(push, model.walk[k, BODY], 0, 6)))
    return True


@inline
def called_dynamics(flow: Flow, at: Point, out: Any) -> float:
    """The acceleration into `out` by the dynamics that is called by its address; returns the least MARGIN."""
    external = flow.external.ctypes.data, flow.external.shape[0]
    q, v, torque = at.q.ctypes.data, at.v.ctypes.data, flow.vectors.torque.ctypes.data
    return call_kernel(flow.calls.dynamics, (flow.tree, q, v, torque, external[0], external[1], out.ctypes.data))


@jit
def evaluate_closed(flow: Flow, t: float, at: Point, out: Any) -> None:
    """`evaluate` where the dynamics is called by its address: without that of trees it is far quicker to compile."""
    if act(flow, model_of(flow), t, at):
        called_dynamics(flow, at, out)


@inline
def first_slopes(flow: Flow, t: float) -> Scalar:
    """The slopes at the start of a step."""
    return take_stages(flow, t, 0.0 * flow.vectors.result[0], 0, 1)


@inline
def take_step(flow: Flow, t: float, h: Scalar) -> Scalar:
    """All stages but the first, up to the end of the step; returns the least MARGIN of them, NaN for a failure."""
    return take_stages(flow, t, h, 1, flow.method.last + 1)


@flow_stage
def take_stages(flow: Flow, t: float, h: Scalar, begin: int, stop: int) -> Scalar:
    """The slopes of some stages of a step, and its `end` by the last of them; returns the least MARGIN, NaN for a failure.

    The first stage, 0, is at the start of the step; those behind the end of the step are at `between`. One function for all of
    them, as the dynamics is merged into it.
    """
    start, slopes = flow.vectors.start, flow.vectors.slopes
    model, work = model_of(flow), work_of(flow)
    walk = model.walk
    worst = one(flow.vectors.result[0])
    at, u = (
        (flow.vectors.end, flow.vectors.to_end) if begin <= flow.method.last else (flow.vectors.between, flow.vectors.to_between)
    )
    for i in range(begin, stop):
        if i == 0:
            at = start
            for d in range(start.v.shape[0]):
                u[d] = 0.0 * start.v[d]
        elif flow.calls.of_free_bodies:
            skeleton_step(flow, h)
        else:
            go_to_stage(flow, walk, h, i, at, u)
        margin = evaluate(flow, model, work, t + flow.method.times[i] * lane(h, 0).real, at, slopes.v[i])
        chart.advance(walk, u, at.v, slopes.v[i], slopes.u[i])
        worst = where_less(worst, margin, worst, margin)
    if begin > 0:
        configuration.normalise(walk, at.q)  # or rounding would add up
    return worst


@inline
def go_to_stage(flow: Flow, walk: Any, h: Scalar, i: int, at: Point, to: Any) -> None:
    """The state at stage i of a step into `at`, and its u into `to`, by the slopes of the stages before it."""
    start, slopes = flow.vectors.start, flow.vectors.slopes
    weights, first = flow.method.weights, 0
    while weights[i, first] == 0.0 and first < i - 1:  # most rows of the classical method have one weight alone
        first += 1
    for d in range(start.v.shape[0]):
        u, v = weights[i, first] * slopes.u[first, d], weights[i, first] * slopes.v[first, d]
        for j in range(first + 1, i):
            u += weights[i, j] * slopes.u[j, d]
            v += weights[i, j] * slopes.v[j, d]
        to[d] = h * u
        at.v[d] = start.v[d] + h * v
    chart.depart(walk, start.q, to, at.v, at.q, at.v)


@inline
def close_step(flow: Flow, velocity: Any, h: float, what: int) -> float:
    """Put the end of a step of size h back where all loops are closed, as `what` says; returns the gap that is left.

    `result` says with 1 that more was stopped than the errors of the step.
    """
    calls, s = flow.calls, flow.vectors
    s.result[0] = h * one(s.result[0])
    step, best = s.to_between.ctypes.data, s.between.q.ctypes.data
    return call_kernel(
        calls.closing, (flow.tree, s.end.q.ctypes.data, velocity.ctypes.data, step, best, s.result.ctypes.data, what)
    )


@inline
def next_step(flow: Flow) -> None:
    """Make the end of a step the start of the next one."""
    start, end, slopes = flow.vectors.start, flow.vectors.end, flow.vectors.slopes
    chart.carry_back(model_of(flow).walk, flow.vectors.to_end, slopes.v[flow.method.last], slopes.v[0])
    for i in range(start.q.shape[0]):
        start.q[i] = end.q[i]
    for d in range(start.v.shape[0]):
        start.v[d] = end.v[d]
        slopes.u[0, d] = end.v[d]


@inline
def estimate_error(flow: Flow, h: float, which: int) -> None:
    """`error`: one of the estimates of the error of (u, w) at the end of a step."""
    error, slopes, weights = flow.vectors.error, flow.vectors.slopes, flow.method.error[which]
    for d in range(error.v.shape[0]):
        u, v = 0.0, 0.0
        for j in range(flow.method.last + 1):
            u += weights[j] * slopes.u[j, d]
            v += weights[j] * slopes.v[j, d]
        error.u[d], error.v[d] = h * u, h * v


@inline
def size_of_error(vectors: Vectors, coordinate: Any, rtol: float, atol: float) -> float:
    """The largest part of the estimated error, in units of its tolerance.

    `coordinate` is where a velocity's position is in q; ON_A_MANIFOLD for one whose size is 1.
    """
    start, end, error = vectors.start, vectors.end, vectors.error
    worst = 0.0
    for d in range(start.v.shape[0]):
        i = coordinate[d]
        size = 1.0 if i == ON_A_MANIFOLD else max(abs(start.q[i]), abs(end.q[i]))
        worst = max(worst, abs(error.u[d]) / (atol + rtol * size))
        worst = max(worst, abs(error.v[d]) / (atol + rtol * max(abs(start.v[d]), abs(end.v[d]))))
    return worst / SHARE


@inline
def make_dense(flow: Flow, t: float, h: Scalar) -> Scalar:
    """`dense`: the terms of the dense output after a step (Hairer, Nørsett, Wanner, II.6); returns what `take_stages` does."""
    s, method, margin = flow.vectors, flow.method, one(flow.vectors.result[0])
    if method.times.shape[0] > method.last + 1:
        margin = take_stages(flow, t, h, method.last + 1, method.times.shape[0])
    chart.carry(model_of(flow).walk, s.to_end, s.end.v, s.between.v)
    for d in range(s.start.v.shape[0]):
        make_terms(method, s.slopes.u, s.to_end[d], h, d, s.dense.u)
        make_terms(method, s.slopes.v, s.between.v[d] - s.start.v[d], h, d, s.dense.v)
    return margin


@inline
def make_terms(method: Method, slopes: Any, change: Scalar, h: Scalar, d: int, out: Any) -> None:
    """The terms of one number, from its slopes and its change in the whole step."""
    bend = h * slopes[0, d] - change
    out[0, d] = change
    out[1, d] = bend
    out[2, d] = change - h * slopes[method.last, d] - bend
    for i in range(method.dense.shape[0]):
        top = 0.0 * change
        for j in range(method.dense.shape[1]):
            top += method.dense[i, j] * slopes[j, d]
        out[OWN_TERMS + i, d] = h * top


@inline
def dense_at(walk: Any, vectors: Vectors, terms: int, theta: float) -> None:
    """`between`: the state at the part theta of the step, by so many terms of `dense`."""
    start, between, u = vectors.start, vectors.between, vectors.to_between
    for d in range(start.v.shape[0]):
        u[d] = dense_change(vectors.dense.u, terms, theta, d)
        between.v[d] = start.v[d] + dense_change(vectors.dense.v, terms, theta, d)
    chart.depart(walk, start.q, u, between.v, between.q, between.v)


@inline
def dense_change(dense: Any, terms: int, theta: float, d: int) -> Scalar:
    """The change of one number up to the part θ of the step: θ (f₀ + (1 − θ) (f₁ + θ (f₂ + (1 − θ) (f₃ + …))))."""
    change = dense[terms - 1, d]
    for i in range(terms - 2, -1, -1):
        change = dense[i, d] + (1.0 - theta if i % 2 == 0 else theta) * change
    return theta * change
