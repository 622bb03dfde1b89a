"""Arrays with one state a row: checked, spread over threads, and what is said of a row that has no answer."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import real_numbers
from ..algebra.scalars import LANES
from ..describe.mechanism import Mechanism
from ..errors import ModelError
from ..kernels.batch import off_manifold
from ..tolerances import UNIT_QUATERNION

Array = NDArray[np.float64]

_WORTH_A_THREAD = 256  # states; below this, starting a thread costs more than it saves


def threads_of(given: Any) -> int:
    """How many threads there may be; by default as many as cores."""
    if given is None:
        return os.cpu_count() or 1
    if not isinstance(given, (int, np.integer)) or isinstance(given, bool) or given < 1:
        raise ModelError(f"threads must be a whole number, at least 1, or None for as many as there are cores; not {given!r}.")
    return int(given)


def rows_of(what: str, value: ArrayLike, count: int | None, size: int) -> Array:
    """(count, size) from what a user gives."""
    ours = isinstance(value, np.ndarray) and value.dtype == np.float64 and not isinstance(value, np.ma.MaskedArray)
    if isinstance(value, np.ndarray) and ours and value.flags.c_contiguous and value.flags.writeable:
        array: Array = np.asarray(value)  # for a batch may be large; a matrix as an array, whose rows have one axis
    else:
        array = np.ascontiguousarray(real_numbers(what, value))
        if array.shape == (0,):  # an empty list: no states
            array = array.reshape(0, size)
    if array.ndim != 2 or array.shape[1] != size or (count is not None and len(array) != count):
        raise ModelError(f"{what} must have shape ({'batch' if count is None else count}, {size}), not {array.shape}.")
    return array


def in_threads(mech: Mechanism, q: Array, threads: int | None, run: Callable[[slice], None]) -> None:
    """Let `run` have all rows, whole packs of them in each of several threads; an error where a quaternion has no unit length."""
    count, layout = len(q), mech.layout
    workers = max(1, min(threads_of(threads), count // _WORTH_A_THREAD))
    bounds = np.linspace(0, -(-count // LANES), workers + 1).astype(int) * LANES
    starts = [layout.q_slices[name].start + kind.quaternion for name, kind, *_ in layout.joints if kind.quaternion is not None]
    quaternions = np.array(starts, np.int64)

    def work(worker: int) -> None:
        first, end = int(bounds[worker]), min(int(bounds[worker + 1]), count)
        off = off_manifold(quaternions, q[first:end], UNIT_QUATERNION) if starts else -1
        if off >= 0:
            raise _off_manifold(mech, q, first + off)
        run(slice(first, end))

    if workers == 1:
        work(0)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(work, range(workers)))


def _off_manifold(mech: Mechanism, positions: Array, b: int) -> ModelError:
    if not np.isfinite(positions[b]).all():
        return not_finite("q", positions, b)
    try:
        mech.state(q=positions[b])
    except ModelError as problem:
        return ModelError(f"state {b} of the batch: {problem}")
    return ModelError(f"state {b} of the batch: its quaternions do not have unit length. Normalise them.")


def not_finite(what: str, array: Array, b: int) -> ModelError:
    """What is said of a row with a number that is not finite."""
    return ModelError(f"{what}[{b}] has a value that is not finite: {array[b].tolist()}.")


def refuse_infinite(said: str, found: Array, **given: Array) -> None:
    """An error that names the first row whose result is not finite, and what was given there that is not; else the result."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(found.sum()):  # a batch may be large, and a look at each number takes longer than to compute it
            return
    bad = np.flatnonzero(~np.isfinite(found).all(axis=tuple(range(1, found.ndim))))
    if bad.size:
        b = int(bad[0])
        for what, array in given.items():
            if not np.isfinite(array[b]).all():
                raise not_finite(what, array, b)
        raise ModelError(
            f"state {b} of the batch: {said} are too large to be represented; check the units of lengths, masses and velocities."
        )
