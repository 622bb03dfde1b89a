"""Derivatives of inverse dynamics in many states, in the tangent space, as `derivatives_batch` has those of forward dynamics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..ask.derivatives import InverseDerivatives
from ..ask.many_states import in_threads, refuse_infinite
from ..describe.mechanism import Mechanism
from ..kernels.derivatives.many import inverse_derivatives_of_many

Array = NDArray[np.float64]


def inverse_slopes(mech: Mechanism, q: Array, v: Array, a: Array, threads: int | None) -> InverseDerivatives:
    """∂τ/∂q, ∂τ/∂v and ∂τ/∂a, (states, nv, nv) each."""
    structure, count = mech.structure, len(q)
    states, worst = np.hstack((q, v)), np.empty(count)
    out = np.empty((count, structure.nv, structure.new_slopes().width))

    def run(rows: slice) -> None:
        given = states[rows], a[rows], out[rows], worst[rows]
        inverse_derivatives_of_many.call(structure.new_work(), structure.new_slopes(), *given)

    in_threads(mech, q, threads, run)
    refuse_infinite("the derivatives", worst, q=q, v=v, a=a)
    return InverseDerivatives(out, structure.nv)
