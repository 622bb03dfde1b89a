"""States between samples, many at a time: by the dense output of each step, or by a cubic between two samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compilation import Floats, IntegerTable, Table, jit, long_entry
from ..kernels import configuration
from .stepper import DENSE_U, DENSE_V, Q0, Q1, QS, SLOPE_U, U1, V0, V1, VS, dense_at


@long_entry
def states_at(
    walk: IntegerTable, nq: int, t: Floats, x: Table, sizes: Floats, terms: Table, times: Floats, S: Table, out: Table
) -> None:
    """(times, nq + nv): the states at several times; at a sample's own time, and outside of all of them, the sample itself.

    `sizes` and `terms` are those of the steps from sample to sample; without rows where only samples were kept.
    """
    nv, last, loaded = x.shape[1] - nq, t.shape[0] - 1, -1
    for w in range(times.shape[0]):
        i = max(np.searchsorted(t, times[w], side="right") - 1, 0)
        if i >= last or times[w] <= t[i]:
            for c in range(nq + nv):
                out[w, c] = x[i, c]
            continue
        h = sizes[i] if sizes.shape[0] > 0 else t[i + 1] - t[i]
        if i != loaded:
            loaded = i
            load_row(x, i, nq, S, Q0, V0)
            if sizes.shape[0] > 0:
                for term in range(8):
                    for d in range(nv):
                        S[DENSE_U + term, d] = terms[i, term * nv + d]
            else:
                load_row(x, i + 1, nq, S, Q1, V1)
                bridge(walk, h, S, nv)
        dense_at(walk, S, (times[w] - t[i]) / h, nv)
        for c in range(nq):
            out[w, c] = S[QS, c]
        for d in range(nv):
            out[w, nq + d] = S[VS, d]


@jit
def load_row(x: Any, i: int, nq: int, S: Any, q: int, v: int) -> None:
    """A sample into the rows q and v."""
    for c in range(nq):
        S[q, c] = x[i, c]
    for d in range(x.shape[1] - nq):
        S[v, d] = x[i, nq + d]


@jit
def bridge(walk: Any, h: float, S: Any, nv: int) -> None:
    """The terms of a dense output from two samples alone: u is a cubic with the right ends and end slopes, v a parabola.

    The slope of u is v but for a part that grows like θ², since u is a vector in the tangent space at the start.
    """
    configuration.difference(walk, S[Q1], S[Q0], S[U1])
    configuration.tangent(walk, S[U1], S[V1], S[SLOPE_U, :nv])
    for d in range(nv):
        step, ending = S[U1, d], S[SLOPE_U, d]
        bend = h * S[V0, d] - step
        twist = step - h * ending - bend
        S[DENSE_U, d], S[DENSE_U + 1, d], S[DENSE_U + 2, d], S[DENSE_U + 3, d] = step, bend, twist, 0.0
        S[DENSE_V, d] = S[V1, d] - S[V0, d]
        S[DENSE_V + 1, d] = 3.0 * twist / h + ending - S[V1, d]
        S[DENSE_V + 2, d], S[DENSE_V + 3, d] = 0.0, 0.0
