"""Forward dynamics of many states at once, with SIMD packs and threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import real_numbers
from ..algebra.scalars import LANES, aligned_zeros
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, StructureError
from ..kernels import batch
from ..kernels.batch import closed_dynamics_batch, off_manifold
from ..kernels.tables import EXTERNAL
from ..structure.structure import Structure
from ..tolerances import UNIT_QUATERNION
from .forward import forward_dynamics

Array = NDArray[np.float64]

_WORTH_A_THREAD = 256  # states; below this, starting a thread costs more than it saves


def forward_dynamics_batch(
    mech: Mechanism, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None, threads: int | None = None
) -> Array:
    """Accelerations of many states of one mechanism at once, with or without loops.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q : (batch, nq) array_like
        Positions, one state a row; quaternions must have unit length, to 1e-6.
    v : (batch, nv) array_like
        Velocities.
    tau : (batch, nv) array_like, optional
        Joint torques; by default none.
    threads : int, optional
        By default the number of cores.

    Returns
    -------
    (batch, nv) array

    Raises
    ------
    ModelError
        If shapes do not fit, or a state has no answer; the message has its row.

    Examples
    --------
    >>> import regraft as rg, numpy as np
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.forward_dynamics_batch(mech, np.zeros((3, 1)), np.zeros((3, 1))).ravel().tolist()
    [-9.81, -9.81, -9.81]
    """
    structure = mech.structure
    nq, nv = structure.nq, structure.nv
    positions = _rows("q", q, None, nq)
    count = len(positions)
    velocities = _rows("v", v, count, nv)
    torques = np.zeros((count, nv)) if tau is None else _rows("tau", tau, count, nv)
    out, margins = np.empty((count, nv)), np.empty(count)
    workers = max(1, min(_threads(threads), count // _WORTH_A_THREAD))
    bounds = np.linspace(0, -(-count // LANES), workers + 1).astype(int) * LANES

    layout = structure.layout
    quaternions = np.array(
        [layout.q_slices[name].start + kind.quaternion for name, kind, *_ in layout.joints if kind.quaternion is not None],
        np.int64,
    )

    def run(worker: int) -> None:
        first, end = int(bounds[worker]), min(int(bounds[worker + 1]), count)
        given = positions[first:end], velocities[first:end], torques[first:end], out[first:end], margins[first:end]
        off = off_manifold(quaternions, given[0], UNIT_QUATERNION) if len(quaternions) else -1
        if off >= 0:
            raise _off_manifold(mech, positions, first + off)
        if layout.is_constrained:  # one by one: which rows of a loop depend on others differs from state to state
            work = structure.new_work()
            closed_dynamics_batch.call(work, *given)
        else:
            work, external, lanes = _scratch(structure)
            batch.forward_dynamics_batch.call(work, external, lanes, *given)

    if workers == 1:
        run(0)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(run, range(workers)))
    bad = np.flatnonzero(~(margins > 0.0))
    if bad.size:
        raise _explain(mech, int(bad[0]), positions, velocities, torques)
    return out


def _threads(given: int | None) -> int:
    if given is None:
        return os.cpu_count() or 1
    if not isinstance(given, (int, np.integer)) or isinstance(given, bool) or given < 1:
        raise ModelError(f"threads must be a whole number, at least 1, or None for as many as there are cores; not {given!r}.")
    return int(given)


def _off_manifold(mech: Mechanism, positions: Array, b: int) -> ModelError:
    if not np.isfinite(positions[b]).all():
        return _not_finite("q", positions, b)
    try:
        mech.state(q=positions[b])
    except ModelError as problem:
        return ModelError(f"state {b} of the batch: {problem}")
    return ModelError(f"state {b} of the batch: its quaternions do not have unit length. Normalise them.")


def _scratch(structure: Structure) -> tuple[Any, ...]:
    """What a worker needs for itself: work tables, no external forces, and lanes."""
    nq, nv = structure.nq, structure.nv
    lanes = aligned_zeros((5, max(nq, nv, 1), LANES))
    return structure.new_pack_work(), aligned_zeros((0, EXTERNAL, LANES)), lanes


def _rows(what: str, value: ArrayLike, count: int | None, size: int) -> Array:
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and value.flags.c_contiguous and value.flags.writeable:
        array: Array = np.asarray(value)  # as it is, for a batch may be large; a matrix as an array, whose rows have one axis
    else:
        array = np.ascontiguousarray(real_numbers(what, value))
    if array.ndim != 2 or array.shape[1] != size or (count is not None and len(array) != count):
        raise ModelError(f"{what} must have shape ({'batch' if count is None else count}, {size}), not {array.shape}.")
    return array


def _not_finite(what: str, array: Array, b: int) -> ModelError:
    return ModelError(f"{what}[{b}] has a value that is not finite: {array[b].tolist()}.")


def _explain(mech: Mechanism, b: int, q: Array, v: Array, tau: Array) -> ModelError | StructureError:
    for what, array in (("q", q), ("v", v), ("tau", tau)):
        if not np.isfinite(array[b]).all():
            return _not_finite(what, array, b)
    try:
        forward_dynamics(mech, State(mech.layout, np.concatenate([q[b], v[b]])), tau[b])
    except (ModelError, StructureError) as problem:
        return type(problem)(f"state {b} of the batch: {problem}")
    return ModelError(
        f"state {b} of the batch: a joint moves so little inertia that it can hardly be told from rounding; ask forward_dynamics."
    )
