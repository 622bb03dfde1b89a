"""Derivatives of closed chains by the complex step: exact to rounding, from the same kernels."""

from __future__ import annotations

from typing import Any

from ..compilation import Complexes, ComplexTable, Table, inline, jit, long_entry
from .configuration import integrate
from .constraints.dynamics import closed_dynamics
from .constraints.tables import Loops
from .memory import loops_at, model_at, work_at
from .tables import KernelModel, Work

STEP = 1e-30
"""Imaginary step: its square is below rounding, so the imaginary part of a result is STEP times the derivative, exactly."""


def _differentiated(function: Any) -> Any:
    """The derivative of function(tables, q, v, given, external, result) by q, in the tangent space, by v and by what is given.

    They stand side by side in `out`, as many of the three as it has room for. All other arrays are complex; scratch has the rows:
    a position, a tangent vector, a result.
    """

    @jit
    def differentiate(tables: Any, q: Any, v: Any, given: Any, external: Any, scratch: Any, out: Any) -> None:
        nq, nv = q.shape[0], v.shape[0]
        moved, step, result = scratch[0, :nq], scratch[1, :nv], scratch[2, :nv]
        step[:] = 0.0
        for column in range(out.shape[1]):
            by, c = column // nv, column % nv
            seed, changed = complex(0.0, STEP), step if by == 0 else v if by == 1 else given
            changed[c] += seed
            integrate(tables[0].walk, q, step, moved)
            function(tables, moved, v, given, external, result)  # in one place, as it is large
            changed[c] -= seed
            for d in range(nv):
                out[d, column] = result[d].imag / STEP

    return differentiate


@inline
def _accelerations(tables: tuple[KernelModel, Work, Loops], q: Any, v: Any, tau: Any, external: Any, out: Any) -> None:
    closed_dynamics(tables[0], tables[1], tables[2], q, v, tau, external, out)


closed_derivatives = _differentiated(_accelerations)
"""Of v̇ with loops, by q, v and tau."""


@long_entry
def loop_derivatives(
    handle: int, q: Complexes, v: Complexes, tau: Complexes, external: ComplexTable, scratch: ComplexTable, out: Table
) -> None:
    """`closed_derivatives`."""
    tables = model_at(handle), work_at(handle, q), loops_at(handle, q)
    closed_derivatives(tables, q, v, tau, external, scratch, out)
