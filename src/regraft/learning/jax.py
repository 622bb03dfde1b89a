"""Dynamics as differentiable operations of JAX: in float64, on the CPU, with any leading axes, under `jit`, `vmap` and `grad`.

The dynamics itself is called back from what JAX compiles (`jax.pure_callback`), and its derivatives are matrices that JAX
multiplies with. So gradients are there forwards and backwards (`jvp`, `vjp`, `jacfwd`, `jacrev`), exact to rounding; once: second
derivatives are refused. A gradient by q is by its numbers: a quaternion stands for the rotation along it, whatever its length, so
the gradient by it has no part along it.

A mechanism is part of what `jit` compiles. JAX computes in float32 unless it is told otherwise, before anything else:
``jax.config.update("jax_enable_x64", True)``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..describe.mechanism import Mechanism
from ..errors import ModelError, RegraftError
from ..extras import require
from . import torch
from .described import takes_as
from .operations import Dynamics, ForwardDynamics, InverseDynamics, Rollout
from .shapes import Given, shaped, steps_of

__all__ = ["forward_dynamics", "inverse_dynamics", "rollout", "step"]


@takes_as(torch.forward_dynamics)
def forward_dynamics(mech: Mechanism, q: Any, v: Any, tau: Any = None, threads: int | None = None) -> Any:
    """Accelerations, as `regraft.forward_dynamics_batch` computes them, to be differentiated by q, v and tau.

    In a closed mechanism only changes that keep its loops closed mean anything: let q and v come from what keeps them.
    """
    given = _given(mech, q, v, Given("tau", tau, (mech.nv,)))
    return _dynamics(ForwardDynamics(mech, threads), *given)


@takes_as(torch.inverse_dynamics)
def inverse_dynamics(mech: Mechanism, q: Any, v: Any, a: Any = None, threads: int | None = None) -> Any:
    """Joint torques, as `regraft.inverse_dynamics_batch` computes them, to be differentiated by q, v and a."""
    given = _given(mech, q, v, Given("a", a, (mech.nv,)))
    return _dynamics(InverseDynamics(mech, threads), *given)


@takes_as(torch.step)
def step(
    mech: Mechanism,
    q: Any,
    v: Any,
    tau: Any = None,
    step: float | None = None,
    integrator: str = "rk4",
    threads: int | None = None,
) -> tuple[Any, Any]:
    """The state after one fixed step, as `regraft.simulate_batch` takes it, to be differentiated by q, v and tau."""
    at, going, held = _given(mech, q, v, Given("tau", tau, (mech.nv,)))
    path_q, path_v = _rollout(Rollout(mech, step, integrator, threads), at, going, held[..., None, :])
    return path_q[..., 1, :], path_v[..., 1, :]


@takes_as(torch.rollout)
def rollout(
    mech: Mechanism,
    q: Any,
    v: Any,
    tau: Any = None,
    step: float | None = None,
    integrator: str = "rk4",
    threads: int | None = None,
    *,
    steps: int | None = None,
) -> tuple[Any, Any]:
    """The states along fixed steps, as `regraft.simulate_batch` computes them, to be differentiated by q, v and tau."""
    given = _given(mech, q, v, Given("tau", tau, (steps_of(steps), mech.nv)))
    path_q, path_v = _rollout(Rollout(mech, step, integrator, threads), *given)
    return path_q, path_v


def _given(mech: Mechanism, q: Any, v: Any, third: Given) -> list[Any]:
    """The arguments with the same leading axes."""
    jax = require("jax", "regraft.learning.jax")
    if not jax.config.jax_enable_x64:
        raise ModelError(
            'JAX computes in float32, and dynamics needs float64: jax.config.update("jax_enable_x64", True) before anything else.'
        )
    given = [Given("q", q, (mech.nq,)), Given("v", v, (mech.nv,)), third]
    for name, value, _ in given:
        if value is None and name not in ("q", "v"):
            continue
        if not isinstance(value, (jax.Array, np.ndarray)):
            raise ModelError(f"{name} must be an array of JAX or NumPy, not {type(value).__name__}: jnp.asarray({name}).")
        if value.dtype != np.float64:
            raise ModelError(f"{name} must be of float64, not of {value.dtype}: {name}.astype(float).")
    lead, sizes = shaped(given)
    zeros = jax.numpy.zeros
    return [
        zeros((*lead, *size)) if one.value is None else jax.numpy.broadcast_to(one.value, (*lead, *size))
        for one, size in zip(given, sizes, strict=True)
    ]


def _called(function: Callable[..., Any], shapes: list[tuple[int, ...]], sizes: tuple[int, ...], given: Any) -> Any:
    """What a function of rows finds in all of them, from within what JAX compiles.

    `shapes` are those of its results behind the leading axes, `sizes` how many axes of each argument are not leading ones.
    """
    jax = require("jax", "regraft.learning.jax")
    lead = given[0].shape[: given[0].ndim - sizes[0]]

    def in_rows(*arrays: Any) -> list[Any]:
        numbers = [np.asarray(one, np.float64) for one in arrays]
        ahead = numbers[0].shape[: numbers[0].ndim - sizes[0]]  # with what vmap has put before the others
        rows = [np.ascontiguousarray(one).reshape(-1, *one.shape[one.ndim - n :]) for one, n in zip(numbers, sizes, strict=True)]
        return [np.ascontiguousarray(one).reshape(*ahead, *one.shape[1:]) for one in function(*rows)]

    results = [jax.ShapeDtypeStruct((*lead, *shape), np.float64) for shape in shapes]
    return jax.pure_callback(in_rows, results, *given, vmap_method="broadcast_all")


def _once(jax: Any, function: Callable[..., Any]) -> Any:
    """A function that is an error to differentiate, for what are derivatives already."""
    same = jax.custom_jvp(lambda *given: function(given))

    @same.defjvp  # type: ignore[untyped-decorator]
    def refuse(_given: Any, _changes: Any) -> Any:
        raise RegraftError(
            "second derivatives of this dynamics are not known; differentiate once, or hold the first ones by "
            "jax.lax.stop_gradient."
        )

    return same


def _dynamics(operation: Dynamics, q: Any, v: Any, third: Any) -> Any:
    jax = require("jax", "regraft.learning.jax")
    nq, nv, sizes = operation.curved.nq, operation.curved.nv, (1, 1, 1)

    @jax.custom_jvp  # type: ignore[untyped-decorator]
    def value(*given: Any) -> Any:
        return _called(operation.value, [(nv,)], sizes, given)[0]

    slopes = _once(jax, partial(_called, operation.slopes, [(nv, nq), (nv, nv), (nv, nv)], sizes))

    @value.defjvp  # type: ignore[untyped-decorator]
    def differentiated(given: Any, changes: Any) -> Any:
        matrices = slopes(*given)
        change = sum(jax.numpy.einsum("...ij,...j->...i", m, c) for m, c in zip(matrices, changes, strict=True))
        return value(*given), change

    return value(q, v, third)


def _rollout(operation: Rollout, q: Any, v: Any, tau: Any) -> Any:
    jax = require("jax", "regraft.learning.jax")
    jnp, nq, nv, sizes, steps = jax.numpy, operation.curved.nq, operation.curved.nv, (1, 1, 2), tau.shape[-2]

    @jax.custom_jvp  # type: ignore[untyped-decorator]
    def value(*given: Any) -> Any:
        return tuple(_called(operation.value, [(steps + 1, nq), (steps + 1, nv)], sizes, given))

    shapes = [(nv, nq), (steps, 2 * nv, 2 * nv), (steps, 2 * nv, nv), (steps + 1, nq, nv)]
    slopes = _once(jax, partial(_called, operation.slopes, shapes, sizes))

    @value.defjvp  # type: ignore[untyped-decorator]
    def differentiated(given: Any, changes: Any) -> Any:
        tangents, a, b, numbers = slopes(*given)
        start = jnp.concatenate((jnp.einsum("...ij,...j->...i", tangents, changes[0]), changes[1]), -1)
        pushed = jnp.einsum("...kij,...kj->...ki", b, changes[2])

        def go(x: Any, now: Any) -> Any:
            after = jnp.einsum("...ij,...j->...i", now[0], x) + now[1]
            return after, after

        _, rest = jax.lax.scan(go, start, (jnp.moveaxis(a, -3, 0), jnp.moveaxis(pushed, -2, 0)))
        path = jnp.concatenate((start[..., None, :], jnp.moveaxis(rest, 0, -2)), -2)
        change_q = jnp.einsum("...kij,...kj->...ki", numbers, path[..., :nv])
        return value(*given), (change_q, path[..., nv:])

    return value(q, v, tau)
