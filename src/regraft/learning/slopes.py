"""Derivatives of inverse dynamics in many states, in the tangent space, as `derivatives_batch` has those of forward dynamics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..ask.derivatives import inverse_dynamics_derivatives
from ..describe.mechanism import Mechanism
from ..describe.state import State

Array = NDArray[np.float64]


def inverse_slopes(mech: Mechanism, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
    """∂τ/∂q, ∂τ/∂v and ∂τ/∂a, (states, nv, nv) each."""
    layout, (count, nv) = mech.layout, v.shape
    by_q, by_v, by_a = np.empty((3, count, nv, nv))
    for b, x in enumerate(np.hstack((q, v))):
        found = inverse_dynamics_derivatives(mech, State(layout, x), a[b])
        by_q[b], by_v[b], by_a[b] = found.q, found.v, found.a
    return by_q, by_v, by_a
