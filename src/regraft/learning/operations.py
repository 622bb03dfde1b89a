"""Forward and inverse dynamics and rollouts as operations on arrays, with their derivatives by the numbers of q.

A framework needs of each what it gives (`value`) and how that changes (`pull`, `push`, `slopes`); none is known here. A position
stands for the pose that it has once its quaternions are normalised. So every operation is a function of all numbers of q, and its
derivative is unique: along a quaternion it is zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..ask.batch import derivatives_batch, forward_dynamics_batch, inverse_dynamics_batch
from ..ask.trees_only import open_tree
from ..describe.mechanism import Mechanism
from ..errors import SimulationError
from ..simulate.batch.simulation import simulate_batch
from .parameters import Parameters
from .positions import Curved, Positions
from .slopes import inverse_slopes
from .steps import StepDerivatives, differentiate_step, fixed_step

Array = NDArray[np.float64]
Arrays = tuple[Array, ...]

MOST_ROWS = 4096
"""Steps that are differentiated together: the matrices of so many are kept at once."""


class Operation(ABC):
    """What maps (q, v, one thing more) in each row to one or two arrays.

    The mechanism is copied, so that derivatives that are asked for later are those of what was computed.
    """

    def __init__(self, mech: Mechanism, threads: int | None) -> None:
        self.mech, self.threads = mech.copy(), threads
        self.curved = Curved(self.mech)

    @abstractmethod
    def value(self, q: Array, v: Array, third: Array) -> Arrays:
        """What it gives."""

    @abstractmethod
    def pull(self, given: Arrays, found: Arrays, slopes: Arrays) -> Arrays:
        """Slopes by what is given from slopes by what was found: a product with the transpose of the derivative."""

    @abstractmethod
    def push(self, given: Arrays, found: Arrays, changes: Arrays) -> Arrays:
        """Changes of what was found from changes of what is given: a product with the derivative."""


class Dynamics(Operation):
    """Forward or inverse dynamics: one array of (states, nv)."""

    @abstractmethod
    def tangent_slopes(self, q: Array, v: Array, third: Array) -> tuple[Array, Array, Array]:
        """The derivatives in the tangent space, (states, nv, nv) each."""

    def slopes(self, q: Array, v: Array, third: Array) -> tuple[Array, Array, Array]:
        """The derivatives by the numbers of q, (states, nv, nq), by v and by the third."""
        at = Positions(self.curved, q)
        by_q, by_v, by_third = self.tangent_slopes(at.q, v, third)
        return at.by_numbers(by_q), by_v, by_third

    def pull(self, given: Arrays, _found: Arrays, slopes: Arrays) -> Arrays:  # noqa: D102
        (g,) = slopes
        return tuple((g[:, None] @ matrix)[:, 0] for matrix in self.slopes(*given))

    def push(self, given: Arrays, _found: Arrays, changes: Arrays) -> Arrays:  # noqa: D102
        by_q, by_v, by_third = (m @ c[:, :, None] for m, c in zip(self.slopes(*given), changes, strict=True))
        return ((by_q + by_v + by_third)[:, :, 0],)


class ForwardDynamics(Dynamics):
    """v̇ of (q, v, tau)."""

    def value(self, q: Array, v: Array, third: Array) -> Arrays:  # noqa: D102
        return (forward_dynamics_batch(self.mech, Positions(self.curved, q).q, v, third, self.threads),)

    def tangent_slopes(self, q: Array, v: Array, third: Array) -> tuple[Array, Array, Array]:  # noqa: D102
        found = derivatives_batch(self.mech, q, v, third, self.threads)
        return found.q, found.v, found.tau


class InverseDynamics(Dynamics):
    """The torques of (q, v, v̇), of trees."""

    def __init__(self, mech: Mechanism, threads: int | None) -> None:
        open_tree(mech, "inverse dynamics that is differentiated")
        super().__init__(mech, threads)

    def value(self, q: Array, v: Array, third: Array) -> Arrays:  # noqa: D102
        return (inverse_dynamics_batch(self.mech, Positions(self.curved, q).q, v, third, self.threads),)

    def tangent_slopes(self, q: Array, v: Array, third: Array) -> tuple[Array, Array, Array]:  # noqa: D102
        found = inverse_slopes(self.mech, q, v, third, self.threads)
        return found.q, found.v, found.a


class Rollout(Operation):
    """The states (states, steps + 1, nq) and (states, steps + 1, nv) that fixed steps lead through, from (q, v).

    The third are torques, (states, steps, nv), each held over its step.
    """

    def __init__(self, mech: Mechanism, step: float | None, integrator: str, threads: int | None) -> None:
        self._method, self._step = fixed_step(mech, integrator, step)
        super().__init__(mech, threads)
        self._no_parameters = Parameters(self.mech, (), ())

    def value(self, q: Array, v: Array, third: Array) -> Arrays:  # noqa: D102
        start, steps = Positions(self.curved, q).q, third.shape[1]
        found = simulate_batch(
            self.mech, start, v, steps * self._step, step=self._step, integrator=self._method.name, torque=third,
            threads=self.threads, progress=False,
        )  # fmt: skip
        if found.interrupted:
            raise KeyboardInterrupt
        for b, why in found.failed.items():
            raise SimulationError(
                f"motion {b} of {len(found)} ended at t = {found.until[b]:.6g}: {why}", time=float(found.until[b])
            )
        return found.q, found.v

    def derivatives(self, q: Array, v: Array, tau: Array) -> StepDerivatives:
        """Those of each step, one a row, in the tangent space."""
        return differentiate_step(self.mech, self._method, self._step, self.curved, q, v, tau, self._no_parameters, self.threads)

    def pull(self, given: Arrays, found: Arrays, slopes: Arrays) -> Arrays:  # noqa: D102
        (q, _, tau), (path_q, path_v), (slopes_q, slopes_v), nv = given, found, slopes, self.curved.nv
        by_tau = np.empty_like(tau)
        x = np.zeros((len(q), 1, 2 * nv))  # by the state at the end of a step, q in its tangent space
        for steps in reversed(list(self._parts(tau))):
            made = self._of_steps(path_q, path_v, tau, steps)
            for k in reversed(range(steps.start, steps.stop)):
                x += self._in_tangent_space(path_q, slopes_q, slopes_v, k + 1)
                a, b = (matrix[:, k - steps.start] for matrix in made)
                by_tau[:, k] = (x @ b)[:, 0]
                x = x @ a
        x += self._in_tangent_space(path_q, slopes_q, slopes_v, 0)
        return Positions(self.curved, q).by_numbers(x[:, :, :nv])[:, 0], x[:, 0, nv:], by_tau

    def push(self, given: Arrays, found: Arrays, changes: Arrays) -> Arrays:  # noqa: D102
        (q, _, tau), (path_q, path_v), (change_q, change_v, change_tau), nv = given, found, changes, self.curved.nv
        out_q, out_v = np.empty_like(path_q), np.empty_like(path_v)
        tangent = Positions(self.curved, q).by_numbers(np.broadcast_to(np.eye(nv), (len(q), nv, nv))) @ change_q[:, :, None]
        x = np.concatenate((tangent, change_v[:, :, None]), axis=1)
        for steps in self._parts(tau):
            made = self._of_steps(path_q, path_v, tau, steps)
            for k in range(steps.start, steps.stop):
                out_q[:, k], out_v[:, k] = Positions(self.curved, path_q[:, k]).numbers(x[:, :nv])[:, :, 0], x[:, nv:, 0]
                a, b = (matrix[:, k - steps.start] for matrix in made)
                x = a @ x + b @ change_tau[:, k, :, None]
        out_q[:, -1], out_v[:, -1] = Positions(self.curved, path_q[:, -1]).numbers(x[:, :nv])[:, :, 0], x[:, nv:, 0]
        return out_q, out_v

    def slopes(self, q: Array, v: Array, third: Array) -> Arrays:
        """All that a framework needs to differentiate a rollout by itself.

        ∂tangent/∂q of the start, A and B of each step, and ∂q/∂tangent of each state.
        """
        nv, count = self.curved.nv, len(q)
        path_q, path_v = self.value(q, v, third)
        a, b = self._of_steps(path_q, path_v, third, slice(0, third.shape[1]))
        flat = path_q.reshape(-1, self.curved.nq)
        numbers = Positions(self.curved, flat).numbers(np.broadcast_to(np.eye(nv), (len(flat), nv, nv)))
        tangents = Positions(self.curved, q).by_numbers(np.broadcast_to(np.eye(nv), (count, nv, nv)))
        return tangents, a, b, numbers.reshape(count, -1, self.curved.nq, nv)

    def _parts(self, tau: Array) -> Iterator[slice]:
        """Steps whose derivatives are made together."""
        size = max(1, MOST_ROWS // max(1, len(tau)))
        for first in range(0, tau.shape[1], size):
            yield slice(first, min(first + size, tau.shape[1]))

    def _of_steps(self, path_q: Array, path_v: Array, tau: Array, steps: slice) -> tuple[Array, Array]:
        """A and B of some steps, (states, steps, ...)."""
        nv, count = self.curved.nv, steps.stop - steps.start
        rows = (np.ascontiguousarray(x[:, steps]).reshape(len(x) * count, x.shape[2]) for x in (path_q, path_v, tau))
        made = self.derivatives(*rows)
        return made.state.reshape(-1, count, 2 * nv, 2 * nv), made.tau.reshape(-1, count, 2 * nv, nv)

    def _in_tangent_space(self, path_q: Array, slopes_q: Array, slopes_v: Array, k: int) -> Array:
        """Slopes by the numbers of a state as slopes by its changes, (states, 1, 2 nv)."""
        nv = self.curved.nv
        numbers = Positions(self.curved, path_q[:, k]).numbers(np.broadcast_to(np.eye(nv), (len(path_q), nv, nv)))
        return np.concatenate((slopes_q[:, k, None] @ numbers, slopes_v[:, k, None]), axis=2)
