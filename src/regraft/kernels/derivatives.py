"""Derivatives of inverse dynamics by the complex step: exact to rounding, from the same kernels."""

from __future__ import annotations

from typing import Any

from .._jit import jit
from .configuration import integrate
from .layout import Model, Work
from .rnea import rnea

STEP = 1e-30
"""Imaginary step: its square is below rounding, so the imaginary part of a result is STEP times the derivative, exactly."""


@jit
def rnea_derivatives(model: Model, work: Work, q: Any, v: Any, a: Any, external: Any, scratch: Any, by_q: Any, by_v: Any) -> None:
    """∂tau/∂q, in the tangent space, and ∂tau/∂v of tau = M(q) a + c(q, v). All arrays are complex but the results.  O(n nv).

    scratch has the rows: a position, a tangent vector, torques.
    """
    nq, nv = q.shape[0], v.shape[0]
    moved, step, tau = scratch[0, :nq], scratch[1, :nv], scratch[2, :nv]
    step[:] = 0.0
    for c in range(nv):
        step[c] = complex(0.0, STEP)
        integrate(model.walk, q, step, moved)
        step[c] = 0.0
        rnea(model, work, moved, v, a, external, tau)
        read_column(tau, c, by_q)
    for c in range(nv):
        v[c] += complex(0.0, STEP)
        rnea(model, work, q, v, a, external, tau)
        v[c] -= complex(0.0, STEP)
        read_column(tau, c, by_v)


@jit
def read_column(tau: Any, c: int, derivative: Any) -> None:
    """Column c of a derivative from the imaginary parts of a result."""
    for d in range(tau.shape[0]):
        derivative[d, c] = tau[d].imag / STEP
