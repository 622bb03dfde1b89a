"""Dynamics as differentiable operations of PyTorch: double precision, on the CPU, with any leading axes.

Gradients are exact to rounding, backwards and forwards, and `torch.func` may map and differentiate them; once: second
derivatives are refused. A gradient by q is by its numbers: a quaternion stands for the rotation along it, whatever its length, so
the gradient by it has no part along it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..describe.mechanism import Mechanism
from ..errors import ModelError, RegraftError
from ..extras import require
from .operations import ForwardDynamics, InverseDynamics, Operation, Rollout
from .shapes import Given, shaped, steps_of

__all__ = ["forward_dynamics", "inverse_dynamics", "rollout", "step"]


def forward_dynamics(mech: Mechanism, q: Any, v: Any, tau: Any = None, threads: int | None = None) -> Any:
    """Accelerations, as `regraft.forward_dynamics_batch` computes them, to be differentiated by q, v and tau.

    In a closed mechanism only changes that keep its loops closed mean anything: let q and v come from what keeps them.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q : (..., nq) Tensor
        Positions, in float64; quaternions of any length but zero.
    v : (..., nv) Tensor
        Velocities.
    tau : (..., nv) Tensor, optional
        Joint torques; by default none.
    threads : int, optional
        By default the number of cores.

    Returns
    -------
    (..., nv) Tensor

    Raises
    ------
    ModelError
        If an argument does not fit, or a state has no answer; the message has its row.
    """
    return _apply(lambda: ForwardDynamics(mech, threads), mech, q, v, Given("tau", tau, (mech.nv,)))[0]


def inverse_dynamics(mech: Mechanism, q: Any, v: Any, a: Any = None, threads: int | None = None) -> Any:
    """Joint torques, as `regraft.inverse_dynamics_batch` computes them, to be differentiated by q, v and a.

    Parameters
    ----------
    mech : Mechanism
        The mechanism: a tree.
    q : (..., nq) Tensor
        Positions, in float64; quaternions of any length but zero.
    v : (..., nv) Tensor
        Velocities.
    a : (..., nv) Tensor, optional
        Accelerations; by default none.
    threads : int, optional
        By default the number of cores.

    Returns
    -------
    (..., nv) Tensor

    Raises
    ------
    ModelError
        If an argument does not fit, or a state has no answer; the message has its row.
    StructureError
        If there are loops or couplings.
    """
    return _apply(lambda: InverseDynamics(mech, threads), mech, q, v, Given("a", a, (mech.nv,)))[0]


def step(
    mech: Mechanism,
    q: Any,
    v: Any,
    tau: Any = None,
    step: float | None = None,
    integrator: str = "rk4",
    threads: int | None = None,
) -> tuple[Any, Any]:
    """The state after one fixed step, as `regraft.simulate_batch` takes it, to be differentiated by q, v and tau.

    Parameters
    ----------
    mech : Mechanism
        The mechanism: a tree, without dry friction in its joints.
    q : (..., nq) Tensor
        Positions, in float64; quaternions of any length but zero.
    v : (..., nv) Tensor
        Velocities.
    tau : (..., nv) Tensor, optional
        Joint torques, held over the step; by default none.
    step : float
        Its size, in seconds.
    integrator : {"rk4", "euler"}, optional
        As for `simulate`.
    threads : int, optional
        By default the number of cores.

    Returns
    -------
    (..., nq) Tensor and (..., nv) Tensor
        Position and velocity at its end.

    Raises
    ------
    ModelError
        If an argument does not fit.
    SimulationError
        If a motion cannot go on.
    """
    make = lambda: Rollout(mech, step, integrator, threads)  # noqa: E731
    path_q, path_v = _apply(make, mech, q, v, Given("tau", tau, (mech.nv,)), held=True)
    return path_q[..., 1, :], path_v[..., 1, :]


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
    """The states along fixed steps, as `regraft.simulate_batch` computes them, to be differentiated by q, v and tau.

    Parameters
    ----------
    mech : Mechanism
        The mechanism: a tree, without dry friction in its joints.
    q : (..., nq) Tensor
        Positions at the start, in float64; quaternions of any length but zero.
    v : (..., nv) Tensor
        Velocities at the start.
    tau : (..., steps, nv) Tensor, optional
        Joint torques, each held over its step; by default none.
    step : float
        The size of a step, in seconds.
    integrator : {"rk4", "euler"}, optional
        As for `simulate`.
    threads : int, optional
        By default the number of cores.
    steps : int, optional
        How many; by default as many as there are torques.

    Returns
    -------
    (..., steps + 1, nq) Tensor and (..., steps + 1, nv) Tensor
        Positions and velocities, those of the start included.

    Raises
    ------
    ModelError
        If an argument does not fit.
    SimulationError
        If a motion cannot go on; the message has its row.
    """
    given = Given("tau", tau, (steps_of(steps), mech.nv))
    found = _apply(lambda: Rollout(mech, step, integrator, threads), mech, q, v, given)
    return found[0], found[1]


def _apply(make: Any, mech: Mechanism, q: Any, v: Any, third: Given, held: bool = False) -> tuple[Any, ...]:
    """An operation on tensors with the same leading axes, which become one; the third is `held` where it is of one step."""
    torch = require("torch", "regraft.learning.torch")
    given = [Given("q", q, (mech.nq,)), Given("v", v, (mech.nv,)), third]
    for one in given:
        _check(torch, one)
    lead, sizes = shaped(given)
    if third.value is None:
        given[2] = third._replace(value=q.new_zeros((*lead, *sizes[2])))
    rows = [one.value.expand(*lead, *size).reshape(-1, *size) for one, size in zip(given, sizes, strict=True)]
    if held:
        rows[2] = rows[2][:, None]
    found = _functions()[0].apply(make(), *rows)
    return tuple(one.reshape(*lead, *one.shape[1:]) for one in found)


def _check(torch: Any, given: Given) -> None:
    name, value = given.name, given.value
    if value is None and name not in ("q", "v"):
        return
    if not isinstance(value, torch.Tensor):
        raise ModelError(
            f"{name} must be a torch.Tensor, not {type(value).__name__}: torch.as_tensor({name}, dtype=torch.float64)."
        )
    if value.dtype != torch.float64:
        raise ModelError(f"{name} must be of torch.float64, as dynamics needs its digits, not of {value.dtype}: {name}.double().")
    if value.device.type != "cpu":
        raise ModelError(f"{name} is on the device {value.device}, and this dynamics runs on the CPU: {name}.cpu().")


@cache
def _functions() -> tuple[Any, Any, Any]:
    """The classes that PyTorch needs: an operation, and the products with its derivative that its gradients are."""
    torch = require("torch", "regraft.learning.torch")
    function: Any = torch.autograd.Function

    def arrays(tensors: Any) -> tuple[Any, ...]:
        return tuple(one.detach().contiguous().numpy() for one in tensors)

    def tensors(found: Any) -> tuple[Any, ...]:
        return tuple(map(torch.from_numpy, found))

    def mapped(mapping: Any, info: Any, axes: Any, operation: Operation, *given: Any) -> Any:
        """`mapping` of all that `torch.vmap` maps over, as more rows."""
        size = info.batch_size
        moved = [
            one.unsqueeze(0).expand(size, *one.shape) if axis is None else one.movedim(axis, 0)
            for one, axis in zip(given, axes[1:], strict=True)
        ]
        found = mapping.apply(operation, *(one.reshape(-1, *one.shape[2:]) for one in moved))
        return tuple(one.reshape(size, -1, *one.shape[1:]) for one in found), (0,) * len(found)

    class Once(function):  # type: ignore[misc]
        """What is not differentiated again."""

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, *slopes: Any) -> Any:  # noqa: ARG004
            raise RegraftError(
                "second derivatives of this dynamics are not known; differentiate once, without create_graph, or detach() "
                "what is to be held."
            )

    class Pull(Once):
        """A product with the transpose of the derivative, from (given, found, slopes)."""

        @staticmethod
        def forward(operation: Operation, *all_of_it: Any) -> Any:
            found = arrays(all_of_it)
            count = (len(found) - 3) // 2
            return tensors(operation.pull(found[:3], found[3 : 3 + count], found[3 + count :]))

        @staticmethod
        def vmap(info: Any, axes: Any, operation: Operation, *given: Any) -> Any:
            return mapped(Pull, info, axes, operation, *given)

    class Push(Once):
        """A product with the derivative, from (given, changes, found)."""

        @staticmethod
        def forward(operation: Operation, *all_of_it: Any) -> Any:
            found = arrays(all_of_it)
            return tensors(operation.push(found[:3], found[6:], found[3:6]))

        @staticmethod
        def vmap(info: Any, axes: Any, operation: Operation, *given: Any) -> Any:
            return mapped(Push, info, axes, operation, *given)

    class Differentiable(function):  # type: ignore[misc]
        """An operation."""

        @staticmethod
        def forward(operation: Operation, *given: Any) -> Any:
            return tensors(operation.value(*arrays(given)))

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            operation, *given = inputs
            ctx.operation = operation
            ctx.save_for_backward(*given, *output)
            ctx.save_for_forward(*given, *output)

        @staticmethod
        def backward(ctx: Any, *slopes: Any) -> Any:
            return (None, *Pull.apply(ctx.operation, *ctx.saved_tensors, *slopes))

        @staticmethod
        def jvp(ctx: Any, _operation: None, *changes: Any) -> Any:
            given = ctx.saved_tensors[:3]
            known = [torch.zeros_like(one) if change is None else change for one, change in zip(given, changes, strict=True)]
            return Push.apply(ctx.operation, *given, *known, *ctx.saved_tensors[3:])

        @staticmethod
        def vmap(info: Any, axes: Any, operation: Operation, *given: Any) -> Any:
            return mapped(Differentiable, info, axes, operation, *given)

    return Differentiable, Pull, Push
