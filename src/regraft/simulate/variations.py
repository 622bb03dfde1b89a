"""The variational equations along a recorded motion: how its end changes with its start, by the same steps of the same method.

A tangent (δq, δv) of the motion, δq in the tangent space, obeys δq' = δv − [v, δq] and δv' = ∂v̇/∂q δq + ∂v̇/∂v δv. Here [v, δq] is
zero for joints with q̇ = v, and the bracket of rotations, or poses, of others: T(−δq) v − T(δq) v, as T(d) v = v + ½ [d, v] + even
terms is the rate of the tangent vector d at the velocity v. With the weights of the method, tangents at its stages give the
derivative of the step that was taken. One more tangent is that of the size of the last step. Steps of closed chains end by
closing loops, which takes away less than their error, and is not differentiated.
"""

from __future__ import annotations

from typing import Any

from ..algebra.memory import call_kernel, clear
from ..compilation import Floats, Table, inline_once, jit, long_entry
from ..kernels import chart, configuration
from ..kernels.constraints.closure import CLOSE_STATE
from ..kernels.derivatives.accelerations import forward_slopes
from ..kernels.derivatives.tables import Slopes, slopes_at
from .flow import Flow, model_of, on_flow, work_of
from .places import place_of
from .replay import Steps
from .stepper import close_step, go_to_stage, next_step


@long_entry
def variations(
    given: Flow, slopes: int, by_call: int, manifold: bool, x: Floats, steps: Steps, D: Table, K: Table, X: Table, rates: Table
) -> None:
    """D (2 nv, 2 nv + 1) = how the end of the steps from x changes with (q, v) of their start, and with the size of the last one.

    K (stages · 2 nv, 2 nv + 1), X, as `forward_derivatives` takes it, and rates (stages + 1, 2 nv) are scratch. `manifold` says
    whether there are joints with q̇ ≠ v. Closed chains are differentiated `by_call`, an address.
    """
    fill_variations(place_of(given), 0.0, slopes, by_call, manifold, x, steps, D, K, X, rates)


@inline_once
@on_flow
def fill_variations(
    flow: Flow, slopes: int, by_call: int, manifold: bool, x: Any, steps: Steps, D: Any, K: Any, X: Any, rates: Any
) -> None:
    """`variations`; in a function of its own, which does not count who uses the arrays."""
    start, sizes, own = flow.vectors.start, steps.sizes, slopes_at(slopes)
    nq, nv = start.q.shape[0], start.v.shape[0]
    for i in range(nq):
        start.q[i] = x[i]
    for d in range(nv):
        start.v[d] = x[nq + d]
    clear(D)
    for r in range(2 * nv):
        D[r, r] = 1.0
    for step in range(sizes.shape[0]):
        h, is_last = sizes[step], step == sizes.shape[0] - 1
        for s in range(1 if step > 0 else 0, flow.method.last + 1):
            vary_stage(flow, own, by_call, manifold, h, s, is_last, D, K, X, rates)
        configuration.normalise(model_of(flow).walk, flow.vectors.end.q)
        if flow.calls.closes:
            close_step(flow, flow.vectors.end.v, h, CLOSE_STATE)
        last = flow.method.last
        for r in range(2 * nv):
            for c in range(D.shape[1]):
                D[r, c] = varied(flow, K, D, rates, h, last, r, c, is_last)
        for r in range(2 * nv):
            rates[0, r] = rates[last, r]
            for c in range(D.shape[1]):
                K[r, c] = K[last * 2 * nv + r, c]
        next_step(flow)


@jit
def vary_stage(
    flow: Flow, own: Slopes, by_call: int, manifold: bool, h: float, s: int, is_last: bool, D: Any, K: Any, X: Any, rates: Any
) -> None:
    """Stage s of a step: its slopes, and K, how they change."""
    model, work, v = model_of(flow), work_of(flow), flow.vectors.slopes
    at, u, nv = flow.vectors.start if s == 0 else flow.vectors.end, flow.vectors.to_end, flow.vectors.start.v.shape[0]
    if s > 0:
        go_to_stage(flow, model.walk, h, s, at, u)
    else:
        for d in range(nv):
            u[d] = 0.0
    if by_call != 0:
        external, torque = flow.external, flow.vectors.torque.ctypes.data
        given = flow.tree, own.address, at.q.ctypes.data, at.v.ctypes.data, torque, external.ctypes.data, external.shape[0]
        call_kernel(by_call, (*given, v.v[s].ctypes.data, X.ctypes.data, X.shape[1]))
    else:
        forward_slopes(model, work, own, at.q, at.v, flow.vectors.torque, flow.external, v.v[s], X)
    for d in range(nv):
        rates[s, d], rates[s, nv + d] = at.v[d], v.v[s, d]
    chart.advance(model.walk, u, at.v, v.v[s], v.u[s])
    first = s * 2 * nv
    for r in range(2 * nv):  # the tangents at the stage, first in the place of their slopes
        for c in range(D.shape[1]):
            K[first + r, c] = varied(flow, K, D, rates, h, s, r, c, is_last)
    if manifold:
        bracket(flow, at.v, X)
    for c in range(D.shape[1]):
        for r in range(nv):
            total = 0.0
            for e in range(nv):
                total += X[r, e] * K[first + e, c] + X[r, nv + e] * K[first + nv + e, c]
            rates[flow.method.last + 1, nv + r] = total
            rates[flow.method.last + 1, r] = K[first + nv + r, c]
            if manifold:
                for e in range(nv):
                    rates[flow.method.last + 1, r] -= X[r, 2 * nv + e] * K[first + e, c]
        for r in range(2 * nv):
            K[first + r, c] = rates[flow.method.last + 1, r]


@jit
def varied(flow: Flow, K: Any, D: Any, rates: Any, h: float, s: int, r: int, c: int, is_last: bool) -> float:
    """Number r of the tangent c at stage s: that of the start, and the slopes of all stages before by their weights."""
    total, rows = 0.0, D.shape[0]
    for j in range(s):
        total += flow.method.weights[s, j] * K[j * rows + r, c]
    total = D[r, c] + h * total
    if is_last and c == rows:
        for j in range(s):
            total += flow.method.weights[s, j] * rates[j, r]
    return total


@jit
def bracket(flow: Flow, v: Any, X: Any) -> None:
    """The third block of X = the matrix of [v, ·]: T(−d) v − T(d) v for each unit vector 2 d."""
    walk, nv, step, found = model_of(flow).walk, v.shape[0], flow.vectors.to_between, flow.vectors.between.v
    for d in range(nv):
        step[d] = 0.0
    for e in range(nv):
        for r in range(nv):
            X[r, 2 * nv + e] = 0.0
        for turn in range(2):
            side = 0.5 - turn
            step[e] = side
            configuration.tangent(walk, step, v, found)
            for r in range(nv):
                X[r, 2 * nv + e] -= 4.0 * side * found[r]
        step[e] = 0.0
