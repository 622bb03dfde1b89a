"""Ways from Python into kernels that have no Python wrapper."""

from __future__ import annotations

import numba
import numpy as np

from regraft.algebra.scalars import LANES, aligned_zeros, as_packs


def compiled(function):
    """A kernel on tuples as a function that Python can call."""

    @numba.njit
    def call(*arguments):
        return function(*arguments)

    return call


class Generic:
    """A kernel ``f(x, out)`` on one-dimensional arrays of scalars, compiled once for each kind of scalar."""

    def __init__(self, function, results):
        self._function = numba.njit(function)
        self._results = results
        inner = self._function

        @numba.njit
        def on_packs(x, out):
            inner(as_packs(x), as_packs(out))

        self._on_packs = on_packs

    def floats(self, x):
        """f on float64."""
        out = np.zeros(self._results)
        self._function(np.array(x, float), out)
        return out

    def complexes(self, x):
        """f on complex128."""
        out = np.zeros(self._results, complex)
        self._function(np.array(x, complex), out)
        return out

    def packs(self, rows):
        """f on packs: one row of `rows` a lane; returns one row of results a lane."""
        lanes = aligned_zeros((len(rows[0]), LANES))
        lanes[:] = np.array(rows, float).T
        out = aligned_zeros((self._results, LANES))
        self._on_packs(lanes, out)
        return out.T.copy()


def assert_same_on_every_scalar(kernel, rows, tolerance):
    """Complex numbers without imaginary part and every lane of a pack give what floats give."""
    assert len(rows) == LANES
    expected = np.array([kernel.floats(row) for row in rows])
    size = 1.0 + np.abs(expected).max()
    on_complex = np.array([kernel.complexes(row) for row in rows])
    assert np.abs(on_complex.real - expected).max() <= tolerance * size
    assert not on_complex.imag.any()
    assert np.abs(kernel.packs(rows) - expected).max() <= tolerance * size
