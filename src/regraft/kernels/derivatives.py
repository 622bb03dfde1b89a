"""Derivatives of forward dynamics by the complex step: exact to rounding, from the same kernels."""

from __future__ import annotations

from typing import Any

from .._jit import jit
from ..scalars import Scalar
from .aba import aba
from .configuration import integrate
from .layout import Model, Work

STEP = 1e-30
"""Imaginary step: its square is below rounding, so the imaginary part of a result is STEP times the derivative, exactly."""


@jit
def aba_derivatives(
    model: Model, work: Work, q: Any, v: Any, tau: Any, external: Any, scratch: Any, dq: Any, dv: Any, dtau: Any
) -> Scalar:
    """dq, dv, dtau = ∂v̇/∂q (tangent space), ∂v̇/∂v, ∂v̇/∂tau. All arrays are complex but the results.  O(n nv).

    scratch has the rows: a position, a tangent vector, an acceleration. Returns what `aba` returns.
    """
    nq, nv = q.shape[0], v.shape[0]
    moved, step, out = scratch[0, :nq], scratch[1, :nv], scratch[2, :nv]
    step[:] = 0.0
    worst = aba(model, work, q, v, tau, external, out)
    for c in range(nv):
        step[c] = complex(0.0, STEP)
        integrate(model.walk, q, step, moved)
        step[c] = 0.0
        aba(model, work, moved, v, tau, external, out)
        read_column(out, c, dq)
    for c in range(nv):
        v[c] += complex(0.0, STEP)
        aba(model, work, q, v, tau, external, out)
        v[c] -= complex(0.0, STEP)
        read_column(out, c, dv)
    for c in range(nv):
        tau[c] += complex(0.0, STEP)
        aba(model, work, q, v, tau, external, out)
        tau[c] -= complex(0.0, STEP)
        read_column(out, c, dtau)
    return worst


@jit
def read_column(out: Any, c: int, derivative: Any) -> None:
    """Column c of a derivative from the imaginary parts of a result."""
    for d in range(out.shape[0]):
        derivative[d, c] = out[d].imag / STEP
