"""How the end of a fixed step changes with its start, with the torques and with masses and damping: exact to rounding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite, real_numbers
from ..ask.batch import derivatives_batch, forward_dynamics_batch
from ..ask.many_states import refuse_infinite, rows_of
from ..ask.trees_only import open_tree
from ..describe.mechanism import Mechanism, a_mechanism
from ..errors import ModelError, listed
from ..simulate.contacts.rubs import has_friction
from ..simulate.integrators import INTEGRATORS, Integrator
from .charts import ChartSlopes, advance, depart
from .parameters import Parameters
from .positions import Curved, Positions

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StepDerivatives:
    """Derivatives of a fixed step in many states; made by `step_derivatives`.

    Positions change along tangent vectors, as in `derivatives`, at the start and at the end of the step.

    Attributes
    ----------
    next_q, next_v : (states, nq) and (states, nv) array
        The state at the end of the step.
    state : (states, 2 nv, 2 nv) array
        ∂(q, v) at the end by ∂(q, v) at the start: A of control theory.
    tau : (states, 2 nv, nv) array
        By the torques, which are held over the step: B.
    parameters : (states, 2 nv, parameters) array
        By masses and then by damping, in the order in which they were named.
    """

    next_q: Array = field(repr=False)
    next_v: Array = field(repr=False)
    state: Array
    tau: Array
    parameters: Array


def step_derivatives(
    mech: Mechanism,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    step: float | None = None,
    integrator: str = "rk4",
    threads: int | None = None,
    *,
    mass: Iterable[str] = (),
    damping: Iterable[str] = (),
) -> StepDerivatives:
    """How one fixed step of `simulate` and `simulate_batch` ends, and how its end changes, for many states at once.

    These are the derivatives of the step itself, stage by stage, not of the motion that it approximates: exact to rounding,
    however long the step is.

    Parameters
    ----------
    mech : Mechanism
        The mechanism: a tree, without dry friction in its joints.
    q : (states, nq) array_like
        Positions, one state a row.
    v : (states, nv) array_like
        Velocities.
    tau : (states, nv) array_like, optional
        Joint torques, held over the step; by default none.
    step : float
        The size of the step, in seconds.
    integrator : {"rk4", "euler"}, optional
        As for `simulate`.
    threads : int, optional
        By default the number of cores.
    mass : iterable of str, optional
        Bodies by whose masses to differentiate too; their shape stays, so moments of inertia grow with the mass.
    damping : iterable of str, optional
        Joints by whose damping to differentiate too, one number for all velocities of a joint.

    Returns
    -------
    StepDerivatives

    Raises
    ------
    ModelError
        If an argument does not fit, or a state has no answer; the message has its row.
    StructureError
        If there are loops or couplings.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> d = rg.step_derivatives(mech, [[0.0]], [[0.0]], step=0.5)
    >>> d.state[0].round(12).tolist(), d.tau[0].round(12).tolist()
    ([[1.0, 0.5], [0.0, 1.0]], [[0.0625], [0.25]])
    """
    method, size = fixed_step(a_mechanism("step_derivatives", mech), integrator, step)
    start = rows_of("q", real_numbers("q", q), None, mech.nq)
    velocities = rows_of("v", v, len(start), mech.nv)
    torques = np.zeros_like(velocities) if tau is None else rows_of("tau", tau, len(start), mech.nv)
    refuse_infinite("positions", start, q=start)
    curved = Curved(mech)
    return differentiate_step(
        mech, method, size, curved, Positions(curved, start).q, velocities, torques, Parameters(mech, mass, damping), threads
    )


def fixed_step(mech: Mechanism, integrator: str, step: Any) -> tuple[Integrator, float]:
    """The method and the size of a step that can be differentiated."""
    open_tree(mech, "a step that is differentiated")
    if has_friction(mech):
        rubbing = [name for name, joint in mech.joints.items() if joint.type.nv and joint.type.friction.any()]
        raise ModelError(
            f"dry friction of {listed(rubbing)} holds joints or lets them go within a step, which has no derivative there; use "
            'damping instead: mech.replace(settings={"name": {"friction": 0.0, "damping": ...}}).'
        )
    differentiable = [name for name, one in INTEGRATORS.items() if not (one.adaptive or one.of_free_bodies)]
    if integrator not in differentiable:
        raise ModelError(
            f"integrator must have fixed steps that can be differentiated: {listed(differentiable)}; not {integrator!r}."
        )
    if step is None:
        raise ModelError("give the size of a step, such as step=1e-3.")
    size = float(finite("step", step, ()))
    if size <= 0.0:
        raise ModelError(f"step must be positive, not {size:g}.")
    return INTEGRATORS[integrator], size


def differentiate_step(
    mech: Mechanism,
    method: Integrator,
    h: float,
    curved: Curved,
    q: Array,
    v: Array,
    tau: Array,
    parameters: Parameters,
    threads: int | None,
) -> StepDerivatives:
    """`step_derivatives` of checked arrays, with quaternions of unit length.

    The columns of a change are those of the start, q and v, of the torques and of the parameters, side by side.
    """
    count, n = v.shape
    change_q, change_v = np.zeros((2, count, n, 3 * n + parameters.count))
    change_q[:, :, :n] = change_v[:, :, n : 2 * n] = np.eye(n)
    rates: list[tuple[Array, Array, Array, Array]] = []  # of u and w, and their changes
    for i, weights in enumerate(method.stages):
        u, w, du, dw = np.zeros_like(v), v.copy(), np.zeros_like(change_q), change_v.copy()
        for weight, (rate_u, rate_w, change_u, change_w) in zip(weights, rates, strict=True):
            if weight:
                u += h * weight * rate_u
                w += h * weight * rate_w
                du += h * weight * change_u
                dw += h * weight * change_w
        here, going = depart(curved, q, u, w)
        if i == len(method.stages) - 1:
            reached, gone = ChartSlopes(curved, q, u, w, np.zeros_like(v)).state(change_q, du, dw)
            found = np.concatenate((reached, gone), axis=1)
            ends = Positions(curved, here).q
            return StepDerivatives(ends, going, found[:, :, : 2 * n], found[:, :, 2 * n : 3 * n], found[:, :, 3 * n :])
        a = forward_dynamics_batch(mech, here, going, tau, threads)
        chart = ChartSlopes(curved, q, u, w, a)
        dq, dv = chart.state(change_q, du, dw)
        by = derivatives_batch(mech, here, going, tau, threads)
        da = by.q @ dq + by.v @ dv
        da[:, :, 2 * n : 3 * n] += by.tau
        if parameters.count:
            da[:, :, 3 * n :] -= by.tau @ parameters.slopes(here, going, a, threads)
        rates.append((*advance(curved, u, going, a), *chart.rates(du, dv, da)))
    raise AssertionError("a method has a last stage")
