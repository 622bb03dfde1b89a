"""The maps of the coordinates (u, w) in which a step is taken, for many states; see `kernels.chart`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..kernels.derivatives import manifold
from .positions import Curved

Array = NDArray[np.float64]


def depart(curved: Curved, start: Array, u: Array, w: Array) -> tuple[Array, Array]:
    """(q, v) at (u, w), row by row."""
    q, v = np.empty_like(start), np.empty_like(w)
    manifold.depart_rows.call(curved.walk, start, u, w, q, v)
    return q, v


def advance(curved: Curved, u: Array, v: Array, a: Array) -> tuple[Array, Array]:
    """The rates of u and w at the velocity v and the acceleration a, row by row."""
    rate_u, rate_w = np.empty_like(v), a.copy()
    manifold.advance_rows.call(curved.walk, u, v, rate_w, rate_u)
    return rate_u, rate_w


class ChartSlopes:
    """How the state at (u, w), and the rates there, change: the columns of (states, nv, columns) are changes."""

    def __init__(self, curved: Curved, start: Array, u: Array, w: Array, a: Array) -> None:
        self._curved = curved
        self._maps = np.zeros((len(u), curved.nv, manifold.MAPS * manifold.WIDEST))
        if curved.names:
            out = self._maps.reshape(-1, self._maps.shape[2])
            manifold.chart_slopes.call(curved.table, start, u, w, a, curved.scratch(), out)

    def state(self, start: Array, u: Array, w: Array) -> tuple[Array, Array]:
        """Changes of (q, v), q as a tangent vector there, with those of the start, of u and of w."""
        q, v = start + u, w.copy()
        for k, at in enumerate(self._curved.v):
            q[:, at] = self._map(manifold.REACHED_BY_START, k) @ start[:, at] + self._map(manifold.REACHED_BY_U, k) @ u[:, at]
            v[:, at] = self._map(manifold.VELOCITY_BY_U, k) @ u[:, at] + self._map(manifold.VELOCITY_BY_W, k) @ w[:, at]
        return q, v

    def rates(self, u: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """Changes of the rates of u and w with those of u, of the velocity and of the acceleration."""
        rate_u, rate_w = v.copy(), a.copy()
        for k, at in enumerate(self._curved.v):
            rate_u[:, at] = self._map(manifold.U_RATE_BY_U, k) @ u[:, at] + self._map(manifold.U_RATE_BY_V, k) @ v[:, at]
            rate_w[:, at] = (
                self._map(manifold.W_RATE_BY_U, k) @ u[:, at]
                + self._map(manifold.W_RATE_BY_V, k) @ v[:, at]
                + self._map(manifold.W_RATE_BY_A, k) @ a[:, at]
            )
        return rate_u, rate_w

    def _map(self, which: int, k: int) -> Array:
        at = self._curved.v[k]
        first = manifold.WIDEST * which
        return self._maps[:, at, first : first + at.stop - at.start]
