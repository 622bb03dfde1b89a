"""States between samples, many at a time: by the dense output of each step, or by a cubic between two samples."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import boolean, float64

from ..compilation import Floats, IntegerTable, Table, declare, jit, long_entry
from ..kernels import chart
from .flow import Point, Scratch, Vectors, vectors_in
from .integrators import OWN_TERMS
from .records import tuple_type
from .stepper import dense_at


class Samples(NamedTuple):
    """What was recorded of a motion."""

    t: Floats  # (samples,)
    x: Table  # (samples, nq + nv)
    dense: bool  # whether there is the dense output of the steps between them
    sizes: Floats  # (samples − 1,): sizes of these steps; empty without dense output
    terms: Table  # (samples − 1, 2 terms nv): the terms of their dense output, those of u and then those of w


declare("Samples", tuple_type(Samples, float64[::1], float64[:, ::1], boolean, float64[::1], float64[:, ::1]))


@long_entry
def states_at(walk: IntegerTable, samples: Samples, times: Floats, scratch: Scratch, out: Table) -> None:
    """(times, nq + nv): the states at several times; at a sample's own time, and outside of all of them, the sample itself."""
    fill_states(walk, samples, times, vectors_in(scratch), out)


@jit
def fill_states(walk: Any, samples: Samples, times: Any, vectors: Vectors, out: Any) -> None:
    """`states_at`; in a function of its own, which does not count who uses the arrays."""
    t, between = samples.t, vectors.between
    nq, last, loaded, terms = between.q.shape[0], t.shape[0] - 1, t.shape[0], 0
    for w in range(times.shape[0]):
        i = max(samples_until(t, times[w]) - 1, 0)
        if i >= last or times[w] <= t[i]:
            for c in range(out.shape[1]):
                out[w, c] = samples.x[i, c]
            continue
        h = samples.sizes[i] if samples.dense else t[i + 1] - t[i]
        if i != loaded:
            loaded = i
            terms = load_step(walk, samples, i, h, vectors)
        dense_at(walk, vectors, terms, (times[w] - t[i]) / h)
        for c in range(nq):
            out[w, c] = between.q[c]
        for d in range(between.v.shape[0]):
            out[w, nq + d] = between.v[d]


@jit
def samples_until(t: Any, time: float) -> int:
    """How many samples are not later than a time, by halving: O(log n).

    Numba's `searchsorted` would bring all of its array algebra with it, into each process that loads the kernel.
    """
    first, end = 0, t.shape[0]
    while first < end:
        middle = (first + end) // 2
        if time < t[middle]:
            end = middle
        else:
            first = middle + 1
    return first


@jit
def load_step(walk: Any, samples: Samples, i: int, h: float, vectors: Vectors) -> int:
    """The step from sample i to the next, with its dense output; returns how many terms that has."""
    dense, nv = vectors.dense, vectors.start.v.shape[0]
    load_sample(samples.x[i], vectors.start)
    if not samples.dense:
        load_sample(samples.x[i + 1], vectors.end)
        bridge(walk, h, vectors)
        return OWN_TERMS
    terms = samples.terms.shape[1] // (2 * nv) if nv > 0 else OWN_TERMS
    for term in range(terms):
        for d in range(nv):
            dense.u[term, d] = samples.terms[i, term * nv + d]
            dense.v[term, d] = samples.terms[i, (terms + term) * nv + d]
    return terms


@jit
def load_sample(x: Any, to: Point) -> None:
    """A sample as a state."""
    nq = to.q.shape[0]
    for c in range(nq):
        to.q[c] = x[c]
    for d in range(to.v.shape[0]):
        to.v[d] = x[nq + d]


@jit
def bridge(walk: Any, h: float, vectors: Vectors) -> None:
    """The terms of a dense output from two samples alone: u is a cubic with the right ends and end slopes, w a parabola.

    The slope of u is w but for a part that grows like θ², since u is a vector in the tangent space at the start.
    """
    start, end, to_end, dense = vectors.start, vectors.end, vectors.to_end, vectors.dense
    ending, rates, carried = vectors.slopes.u[0], vectors.slopes.v[0], vectors.between.v
    chart.reach(walk, end.q, start.q, to_end)
    chart.carry(walk, to_end, end.v, carried)
    for d in range(to_end.shape[0]):
        rates[d] = 0.0
    chart.advance(walk, to_end, end.v, rates, ending)
    for d in range(to_end.shape[0]):
        step = to_end[d]
        bend = h * start.v[d] - step
        twist = step - h * ending[d] - bend
        dense.u[0, d], dense.u[1, d], dense.u[2, d] = step, bend, twist
        dense.v[0, d] = carried[d] - start.v[d]
        dense.v[1, d] = 3.0 * twist / h + ending[d] - carried[d]
        dense.v[2, d] = 0.0
