"""Assembly: a consistent (admissible) state, with loops closed in position and velocity, from a rough one.

It is a projection onto the constraint manifold: what is not held moves as little as possible, in the metric of kinetic energy.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import representable
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import AssemblyError, ModelError, StructureError, listed, warn
from ..kernels.constraints.closure import closed_positions, closed_velocities
from ..kernels.constraints.tables import RESIDUAL
from ..kernels.tables import HELD
from ..structure.layout import Layout
from ..structure.workspace import Workspace
from ..tolerances import ASSEMBLED, CLOSED, GAP_SMALL, ONE_CORRECTION
from .closing import TOO_FAR, close_from_afar, starts_of
from .manifold import difference

Array = NDArray[np.float64]

_HELD = 1e18  # kg m²: the inertia that is given to a joint that is to be held, so that it does not move
_TRIALS = 200
_CORRECTIONS = 5  # of velocities: one is exact but for rounding, which badly conditioned loops magnify


def assemble(mech: Mechanism, state: State, hold: Iterable[str] = ()) -> State:
    """Close loops and couplings from a rough position, then make the velocities consistent with them.

    The result is an admissible start for `simulate`. What is not held moves as little as possible, measured by kinetic energy.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        A state to start from. Where its loops cannot be closed by ever smaller gaps, poses around it are tried, the same ones
        each time, and a warning tells it.
    hold : iterable of str, optional
        Tree joints that keep their position and velocity.

    Returns
    -------
    State

    Raises
    ------
    AssemblyError
        If loops or couplings cannot be closed; the message has the loop or the couplings, and the gap that is left.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("rod", rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (1, 0, 0)))
    >>> mech.add_joint("pin", rg.Revolute((0, 1, 0)), "world", "rod")
    >>> mech.add_joint("slot", rg.Cylindrical((1, 0, 0)), "world", "rod", child_pose=rg.Pose(translation=(1, 0, 0)))
    >>> rg.assemble(mech, mech.state(q={"pin": 0.2})).q.round(9) + 0.0
    array([0.])
    """
    found, told = assembled_anyhow(mech, state, hold)
    if told:
        warn(f"assemble: {told}")
    return found


def assembled_anyhow(mech: Mechanism, state: State, hold: Iterable[str] = ()) -> tuple[State, str]:
    """`assemble`, and instead of a warning its text, which is empty where there is nothing to tell."""
    mech.check_state(state)
    if not mech.layout.is_constrained:
        return state, ""
    work = mech.structure.new_work()
    held = np.zeros(mech.nv, bool)
    for name in (hold,) if isinstance(hold, str) else hold:
        held[mech.v_slice(name)] = True
    work.dof[held, HELD] = _HELD
    (q, told), v = _close_positions(mech, work, state._q, held), state._v.copy()
    slip = _close_velocities(work, q, v, CLOSED)
    if not slip <= ASSEMBLED:  # less is what rows slip that nearly follow from others
        raise AssemblyError(f"the velocities cannot be made consistent with the loops: {slip:.3g} is left. Hold fewer joints.")
    return State(mech.layout, representable("the velocities of the closed loops", np.concatenate((q, v)))), told


def _close_positions(mech: Mechanism, work: Workspace, q: Array, held: Array) -> tuple[Array, str]:
    """The position with its loops closed, and what is to be told where that took another start than the position given."""
    near = q.copy()
    if closed_positions.call(work, near, _TRIALS) <= CLOSED and np.abs(near - q).max(initial=0.0) <= TOO_FAR:
        return near, ""
    found = close_from_afar(mech, work, q, held)
    if not found.gap <= CLOSED:
        raise _open_loop(mech, work, found.q, found.gap)
    if not found.start:
        return found.q, ""
    way = np.abs(difference(mech, found.q, q))
    farthest = mech.coordinates.joints_of([int(np.argmax(way))])[0]
    return found.q, (
        f"from this position the loops lead into a dead end; they were closed from another one, number {found.start} of those "
        f"around it, and {farthest!r} has moved farthest, by {way.max():.3g}. If you mean another way to close them, start "
        "nearer to it."
    )


def _close_velocities(work: Workspace, q: Array, v: Array, nearly: float) -> float:
    """Project v onto J v = 0 until the gap before the last correction was at most `nearly`; returns that gap.

    Both are relative to 1 + the largest velocity.
    """
    speed = 1.0 + float(np.abs(v).max(initial=0.0))
    left = np.inf
    for _ in range(_CORRECTIONS):
        left = closed_velocities.call(work, q, v)
        if left <= nearly * speed:
            break
    return left / speed


class Closing:
    """Closes the loops of many states of one structure, with tables of its own, as those of a simulation are in use meanwhile."""

    def __init__(self, mech: Mechanism) -> None:
        self._work, self._nq = mech.structure.new_work(), mech.nq

    def near(self, x: Array) -> Array:
        """(nq + nv,): the state nearest to x in which all loops are closed; x itself where there is none."""
        q, v = x[: self._nq].copy(), x[self._nq :].copy()
        for trials in (1, _TRIALS):  # one takes the error of a step away
            gap = closed_positions.call(self._work, q, trials)
            if gap <= GAP_SMALL:
                break
        closed = gap <= CLOSED and _close_velocities(self._work, q, v, ONE_CORRECTION) <= ONE_CORRECTION
        return np.concatenate((q, v)) if closed else x


def assembled(mech: Mechanism, state: State) -> State:
    """The state with its loops closed to rounding; an error where they are open by more than a user's digits explain."""
    if not mech.layout.is_constrained:
        return state
    work = mech.structure.new_work()
    q, v = state._q.copy(), state._v.copy()
    gap = closed_positions.call(work, q, 0)
    slip = closed_velocities.call(work, q, v)
    if not (gap <= ASSEMBLED and slip <= ASSEMBLED * (1.0 + float(np.abs(v).max(initial=0.0)))):
        raise StructureError(
            f"{open_constraints(mech.layout)} in this state, by {gap:.3g} in position and {slip:.3g} in velocity; close them "
            "first: state = assemble(mech, state)."
        )
    return assemble(mech, state)


def open_constraints(layout: Layout, gap: float | None = None) -> str:
    """The beginning of a message that loops or couplings are open: by how much, and the names of the couplings."""
    parts = ["the loops"] if layout.loops else []
    parts += [f"the couplings ({listed(layout.couplings, most=6)})"] if layout.couplings else []
    return f"{' or '.join(parts)} are open" + ("" if gap is None else f" by {gap:.3g}")


def _open_loop(mech: Mechanism, work: Workspace, q: Array, gap: float) -> AssemblyError:
    """The error that names the loop with the largest gap."""
    closed_positions.call(work, q, 0)
    gaps = [np.abs(work.rows[of_loop, RESIDUAL]).max(initial=0.0) for of_loop in mech.structure.rows_of_loops]
    if not np.isfinite(gap):
        raise ModelError("the loops cannot be closed: the state is not finite.")
    worst = int(np.argmax(gaps))
    number = len(mech.layout.loops)
    if worst >= number:
        return _contradiction(mech, [mech.layout.couplings[i] for i, left in enumerate(gaps[number:]) if left > CLOSED], gap)
    return AssemblyError(
        f"{mech.layout.constraints[worst]} cannot be closed: a gap of {gap:.3g} (metres or radians) is left, and no less from "
        f"{starts_of(mech)} other poses around this one. Start from another pose, hold fewer joints, or check the lengths and "
        "the frames of its joints."
    )


def _contradiction(mech: Mechanism, couplings: list[str], gap: float) -> AssemblyError:
    """The error that couplings cannot be held; those that name the same joints may contradict them."""
    joints = {joint for name in couplings for joint in mech.couplings[name].joints}
    others = [name for name, one in mech.couplings.items() if name not in couplings and joints & set(one.joints)]
    along = f" together with {listed(others, most=6)}" if others else ""
    return AssemblyError(
        f"the couplings {listed(couplings, most=6)}{along} cannot be held: a gap of {gap:.3g} (metres or radians) is left. They "
        "may contradict each other or the loops: check their ratios and offsets, hold fewer joints, or leave one out, as with "
        f"mech.without({couplings[0]!r})."
    )
