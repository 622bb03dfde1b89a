"""Questions about many states at once, with SIMD packs and threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.scalars import LANES, aligned_zeros
from ..describe.mechanism import Mechanism, a_mechanism
from ..describe.state import State
from ..errors import ModelError, RegraftError
from ..kernels import batch
from ..kernels.batch import closed_dynamics_batch
from ..kernels.derivatives.many import closed_derivatives_of_many, derivatives_of_many
from ..kernels.tables import EXTERNAL
from ..structure.structure import Structure
from .derivatives import Derivatives, derivatives
from .forward import forward_dynamics
from .inverse import inverse_dynamics
from .many_states import in_threads, not_finite, refuse_infinite, rows_of
from .places import known_place

Array = NDArray[np.float64]


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
    structure = a_mechanism("forward_dynamics_batch", mech).structure
    nq, nv = structure.nq, structure.nv
    positions = rows_of("q", q, None, nq)
    count = len(positions)
    velocities = rows_of("v", v, count, nv)
    torques = np.zeros((count, nv)) if tau is None else rows_of("tau", tau, count, nv)
    out, margins = np.empty((count, nv)), np.empty(count)

    def run(rows: slice) -> None:
        given = positions[rows], velocities[rows], torques[rows], out[rows], margins[rows]
        if mech.layout.is_constrained:  # one by one: which rows of a loop depend on others differs from state to state
            closed_dynamics_batch.call(structure.new_work(), *given)
        else:
            work, external, lanes = _scratch(structure)
            batch.forward_dynamics_batch.call(work, external, lanes, *given)

    in_threads(mech, positions, threads, run)
    bad = np.flatnonzero(~(margins > 0.0))
    if bad.size:
        raise _explain(mech, forward_dynamics, int(bad[0]), positions, velocities, torques)
    return out


def inverse_dynamics_batch(
    mech: Mechanism, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None, threads: int | None = None
) -> Array:
    """Joint torques of many states of one mechanism at once, with or without loops.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q : (batch, nq) array_like
        Positions, one state a row; quaternions must have unit length, to 1e-6.
    v : (batch, nv) array_like
        Velocities.
    a : (batch, nv) array_like, optional
        Accelerations; by default none, which gives the bias forces. In a closed mechanism they must keep the loops closed.
    threads : int, optional
        By default the number of cores.

    Returns
    -------
    (batch, nv) array
        The torques of `inverse_dynamics`.

    Raises
    ------
    ModelError
        If shapes do not fit, or a state has no answer; the message has its row.
    StructureError
        If accelerations would open a loop; the message has the row.

    Examples
    --------
    >>> import regraft as rg, numpy as np
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.inverse_dynamics_batch(mech, np.zeros((3, 1)), np.zeros((3, 1)), [[0.0], [1.0], [2.0]]).ravel().tolist()
    [19.62, 21.62, 23.62]
    """
    structure = a_mechanism("inverse_dynamics_batch", mech).structure
    positions = rows_of("q", q, None, structure.nq)
    count = len(positions)
    velocities = rows_of("v", v, count, structure.nv)
    rates = np.zeros((count, structure.nv)) if a is None else rows_of("a", a, count, structure.nv)
    out = np.empty((count, structure.nv))

    def run(rows: slice) -> None:
        if mech.layout.is_constrained:
            for b in range(rows.start, rows.stop):
                out[b] = _closed_inverse(mech, b, positions, velocities, rates)
        else:
            work, external, lanes = _scratch(structure)
            batch.inverse_dynamics_batch.call(work, external, lanes, positions[rows], velocities[rows], rates[rows], out[rows])

    in_threads(mech, positions, threads, run)
    refuse_infinite("the torques", out, q=positions, v=velocities, a=rates)
    return out


def mass_matrix_batch(mech: Mechanism, q: ArrayLike, threads: int | None = None) -> Array:
    """The mass matrices of many states of one mechanism at once; of a closed one those of its spanning tree.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q : (batch, nq) array_like
        Positions, one state a row; quaternions must have unit length, to 1e-6.
    threads : int, optional
        By default the number of cores.

    Returns
    -------
    (batch, nv, nv) array

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
    >>> rg.mass_matrix_batch(mech, np.zeros((3, 1))).ravel().tolist()
    [2.0, 2.0, 2.0]
    """
    tree = a_mechanism("mass_matrix_batch", mech).structure.tree
    positions = rows_of("q", q, None, tree.nq)
    out, worst = np.empty((len(positions), tree.nv, tree.nv)), np.empty(len(positions))

    def run(rows: slice) -> None:
        lanes = aligned_zeros((max(tree.nq, 1), LANES)), aligned_zeros((tree.nv, tree.nv, LANES))
        batch.mass_matrix_batch.call(tree.new_pack_work(), *lanes, positions[rows], out[rows], worst[rows])

    in_threads(mech, positions, threads, run)
    refuse_infinite("the moments of inertia", worst, q=positions)
    return out


def frame_positions_batch(mech: Mechanism, q: ArrayLike, frames: str | Sequence[str], threads: int | None = None) -> Array:
    """The positions of frames, or of bodies' origins, in the world, in many states of one mechanism at once.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q : (batch, nq) array_like
        Positions, one state a row; quaternions must have unit length, to 1e-6.
    frames : str or sequence of str
        The names of frames or bodies.
    threads : int, optional
        By default the number of cores.

    Returns
    -------
    (batch, 3) or (batch, frames, 3) array
        Of one name, or of several.

    Raises
    ------
    ModelError
        If shapes do not fit, there is no such frame, or a state has no answer; the message has its row.

    Examples
    --------
    >>> import regraft as rg, numpy as np
    >>> mech = rg.Mechanism()
    >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    >>> rg.frame_positions_batch(mech, [[0.5], [1.5]], "ball")
    array([[0. , 0. , 0.5],
           [0. , 0. , 1.5]])
    """
    tree = a_mechanism("frame_positions_batch", mech).structure.tree
    positions = rows_of("q", q, None, tree.nq)
    names = _names_of(frames)
    places = [known_place(mech, name) for name in names]
    out = np.empty((len(positions), len(names), 3))
    bodies = np.array([tree.row(body) for body, _ in places], np.int64)
    points = np.array([tree.point(body, place.translation) for body, place in places]).reshape(-1, 3)

    def run(rows: slice) -> None:
        lanes = aligned_zeros((max(tree.nq, 1), LANES)), aligned_zeros((max(len(names), 1), 3, LANES))
        batch.frame_positions_batch.call(tree.new_pack_work(), *lanes, bodies, points, positions[rows], out[rows])

    in_threads(mech, positions, threads, run)
    refuse_infinite("the positions", out, q=positions)
    return out[:, 0] if isinstance(frames, str) else out


def _names_of(frames: Any) -> list[str]:
    """The names in one name or several."""
    if isinstance(frames, str):
        return [frames]
    if not isinstance(frames, Iterable):
        raise ModelError(f"frames must be the name of a frame or body, or several as a list, not {frames!r}.")
    return list(frames)


def derivatives_batch(
    mech: Mechanism, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None, threads: int | None = None
) -> Derivatives:
    """The derivatives of forward dynamics in many states of one mechanism at once, with or without loops.

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
    Derivatives
        As `derivatives` gives them, with an axis for the states first: (batch, nv, nv) each.

    Raises
    ------
    ModelError
        If shapes do not fit, or a state has no answer; the message has its row.

    Examples
    --------
    >>> import regraft as rg, numpy as np
    >>> mech = rg.Mechanism()
    >>> mech.add_body("bob", rg.Inertia.point(1.0, at=(0, 0, -1)))
    >>> mech.add_joint("hinge", rg.Revolute((0, 1, 0), damping=0.5), "world", "bob")
    >>> rg.derivatives_batch(mech, [[0.0], [np.pi]], [[0.0], [0.0]]).q.round(9).ravel().tolist()
    [-9.81, 9.81]
    """
    structure = a_mechanism("derivatives_batch", mech).structure
    nq, nv = structure.nq, structure.nv
    positions = rows_of("q", q, None, nq)
    count = len(positions)
    velocities = rows_of("v", v, count, nv)
    torques = np.zeros((count, nv)) if tau is None else rows_of("tau", tau, count, nv)
    states, margins, out = np.hstack((positions, velocities)), np.ones(count), np.empty((count, nv, structure.new_slopes().width))
    kernel = closed_derivatives_of_many if mech.layout.is_constrained else derivatives_of_many

    def run(rows: slice) -> None:
        given = states[rows], torques[rows], np.empty(nv), out[rows], margins[rows]
        kernel.call(structure.new_work(), structure.new_slopes(), *given)

    in_threads(mech, positions, threads, run)
    bad = np.flatnonzero(~(margins > 0.0))
    if bad.size:
        raise _explain(mech, derivatives, int(bad[0]), positions, velocities, torques)
    return Derivatives(out, nv)


def _closed_inverse(mech: Mechanism, b: int, q: Array, v: Array, a: Array) -> Array:
    """`inverse_dynamics` of one row."""
    try:
        return inverse_dynamics(mech, _state_of(mech, b, q=q, v=v, a=a), a[b])
    except RegraftError as problem:
        raise _with_number(problem, b) from None


def _state_of(mech: Mechanism, b: int, **given: Array) -> State:
    """The state of a row, after a look at all that is given for it."""
    for what, array in given.items():
        if not np.isfinite(array[b]).all():
            raise not_finite(what, array, b)
    return State(mech.layout, np.concatenate((given["q"][b], given["v"][b])))


def _with_number(problem: RegraftError, b: int) -> RegraftError:
    """A problem of one row; one that has its number already as it is."""
    return problem if f"[{b}]" in str(problem) else type(problem)(f"state {b} of the batch: {problem}")


def _scratch(structure: Structure) -> tuple[Any, ...]:
    """What a worker needs for itself: work tables, no external forces, and lanes."""
    nq, nv = structure.nq, structure.nv
    lanes = aligned_zeros((5, max(nq, nv, 1), LANES))
    return structure.new_pack_work(), aligned_zeros((0, EXTERNAL, LANES)), lanes


def _explain(mech: Mechanism, question: Callable[..., Any], b: int, q: Array, v: Array, tau: Array) -> RegraftError:
    """Why a row has no answer: what the question says of it alone."""
    try:
        question(mech, _state_of(mech, b, q=q, v=v, tau=tau), tau[b])
    except RegraftError as problem:
        return _with_number(problem, b)
    return ModelError(
        f"state {b} of the batch: a joint moves so little inertia that it can hardly be told from rounding; ask forward_dynamics."
    )
