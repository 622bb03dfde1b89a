"""Positions as numbers and as points of a manifold: how each changes with the other, for many states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..errors import ModelError
from ..kernels.derivatives import manifold
from ..kernels.tables import JOINT
from ..tolerances import QUATERNION_ROUNDING

Array = NDArray[np.float64]


class Curved:
    """The joints of a mechanism whose positions are on a manifold: where their numbers are, and tables for their kernels."""

    def __init__(self, mech: Mechanism) -> None:
        layout = mech.layout
        self.layout, self.nq, self.nv = layout, layout.nq, layout.nv
        self.walk = mech.structure.walk
        names = [layout.names[j] for j in layout.curved]
        self.q = [layout.q_slices[name] for name in names]
        self.v = [layout.v_slices[name] for name in names]
        self.names = names
        self.quaternions = [at.start + (layout.joints[j][1].quaternion or 0) for j, at in zip(layout.curved, self.q, strict=True)]
        rows = [int(np.flatnonzero(self.walk[:, JOINT] == j)[0]) for j in layout.curved]
        self.table = np.ascontiguousarray(self.walk[rows])
        self.counts = np.array([in_q.stop - in_q.start for in_q in self.q], np.int64)
        self.plain_q, self.plain_v = _others(self.nq, self.q), _others(self.nv, self.v)

    def scratch(self) -> NDArray[np.complex128]:
        """What kernels work on."""
        return np.zeros((manifold.SCRATCH, max(self.nq, self.nv)), complex)


def _others(count: int, slices: list[slice]) -> NDArray[np.int64]:
    return np.delete(np.arange(count), [i for one in slices for i in range(one.start, one.stop)])


class Positions:
    """Rows of positions whose quaternions may have any length but zero: they stand for the rotation along them."""

    def __init__(self, curved: Curved, q: Array) -> None:
        self.curved, self.q, count = curved, np.array(q, order="C"), len(q)
        self._numbers = np.zeros((count, curved.nq, manifold.WIDEST))
        self._tangents = np.zeros((count, curved.nv, manifold.NUMBERS))
        if curved.names:
            lengths = self._lengths(q)
            flat = self._numbers.reshape(-1, manifold.WIDEST), self._tangents.reshape(-1, manifold.NUMBERS)
            manifold.position_slopes.call(curved.table, curved.counts, self.q, np.zeros(curved.nv), np.empty(curved.nq), *flat)
            for in_q, in_v, first, length in zip(curved.q, curved.v, curved.quaternions, lengths, strict=True):
                self._tangents[:, in_v, first - in_q.start :] /= length[:, None, None]
                same = np.abs(self.q[:, in_q] - q[:, in_q]).max(axis=1, initial=0.0) < QUATERNION_ROUNDING
                self.q[same, in_q] = q[same, in_q]

    def _lengths(self, q: Array) -> list[Array]:
        """Of the quaternions of each joint; an error where one stands for no rotation."""
        found = []
        for name, in_q, first in zip(self.curved.names, self.curved.q, self.curved.quaternions, strict=True):
            length = np.linalg.norm(q[:, first : in_q.stop], axis=1)
            bad = np.flatnonzero(~((length > 0.0) & np.isfinite(q[:, in_q]).all(axis=1)))
            if bad.size:
                b = int(bad[0])
                raise ModelError(
                    f"q[{b}]: the position of joint {name!r}, {q[b, in_q].tolist()}, has a number that is not finite, or its "
                    "quaternion is zero and stands for no rotation; give one of length 1."
                )
            found.append(length)
        return found

    def numbers(self, along: Array) -> Array:
        """(states, nq, columns): how the numbers change along tangent vectors, the columns of (states, nv, columns)."""
        c = self.curved
        found = np.empty((len(along), c.nq, along.shape[2]))
        found[:, c.plain_q] = along[:, c.plain_v]
        for in_q, in_v in zip(c.q, c.v, strict=True):
            found[:, in_q] = self._numbers[:, in_q, : in_v.stop - in_v.start] @ along[:, in_v]
        return found

    def by_numbers(self, slopes: Array) -> Array:
        """(states, rows, nq): slopes (states, rows, nv) by tangent vectors as slopes by the numbers that were given.

        Along a quaternion nothing changes, so these have no part along it.
        """
        c = self.curved
        found = np.empty((len(slopes), slopes.shape[1], c.nq))
        found[:, :, c.plain_q] = slopes[:, :, c.plain_v]
        for in_q, in_v in zip(c.q, c.v, strict=True):
            found[:, :, in_q] = slopes[:, :, in_v] @ self._tangents[:, in_v, : in_q.stop - in_q.start]
        return found
