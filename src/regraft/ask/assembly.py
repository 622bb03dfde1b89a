"""Assembly: positions and velocities that keep all loops closed, reached from a rough state by moving the rest least."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import representable
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import AssemblyError, ModelError, StructureError
from ..kernels.constraints import closure
from ..kernels.constraints.closure import ASSEMBLED, CLOSE_VELOCITIES, CLOSED, GAP_SMALL
from ..kernels.constraints.tables import FIRST, LOOP_V, RESIDUAL
from ..kernels.tables import HELD
from ..structure.loops import LoopTables, closing_kernel, loops_of
from ..structure.tree import Workspace

Array = NDArray[np.float64]

_HELD = 1e18  # kg m²: the inertia of a joint that is to be held
_TRIALS = 200
_NEARLY = 1e-4  # the gap of velocities, relative to 1 + the largest, that one correction takes away even in poor conditions
_CORRECTIONS = 5  # of velocities: one is exact but for rounding, which badly conditioned loops magnify


def assemble(mech: Mechanism, state: State, hold: Iterable[str] = ()) -> State:
    """Close the loops from a rough pose, then make the velocities consistent.

    What is not held moves as little as it can, measured by kinetic energy.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        A state whose loops are nearly closed.
    hold : iterable of str, optional
        Tree joints that keep their position and velocity.

    Returns
    -------
    State

    Raises
    ------
    AssemblyError
        If the loops cannot be closed; the message has the loop and the gap that is left.

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
    mech.check_state(state)
    if not mech.layout.loops:
        return state
    closed = loops_of(mech)
    work = closed.tree.new_work()
    for name in (hold,) if isinstance(hold, str) else hold:
        work.dof[mech.v_slice(name), HELD] = _HELD
    q, v = state._q.copy(), state._v.copy()
    gap = closure.close(work.handle, closed.handle, closing_kernel(), q, v, _TRIALS)
    if not gap <= CLOSED:
        raise _open_loop(mech, work, q, gap)
    slip = _close_velocities(work, closed, q, v, CLOSED)
    if not slip <= ASSEMBLED:  # less is what rows slip that nearly follow from others
        raise AssemblyError(f"the velocities cannot be made consistent with the loops: {slip:.3g} is left. Hold fewer joints.")
    return State(mech.layout, representable("the velocities of the closed loops", np.concatenate((q, v))))


def _close_velocities(work: Workspace, closed: LoopTables, q: Array, v: Array, nearly: float) -> float:
    """Correct v until the gap before the last correction was no more than `nearly`; returns it. Relative to 1 + the largest."""
    speed = 1.0 + float(np.abs(v).max(initial=0.0))
    left = np.inf
    for _ in range(_CORRECTIONS):
        left = closure.close(work.handle, closed.handle, closing_kernel(), q, v, CLOSE_VELOCITIES)
        if left <= nearly * speed:
            break
    return left / speed


class Closing:
    """What closes the loops of one structure again and again, with tables of its own: those of a run are in use meanwhile."""

    def __init__(self, mech: Mechanism) -> None:
        self._work, self._closed, self._nq = mech.tree.new_work(), LoopTables(mech), mech.nq

    def near(self, x: Array) -> Array:
        """(nq + nv,): the state nearest to x in which all loops are closed; x itself where there is none."""
        q, v = x[: self._nq].copy(), x[self._nq :].copy()
        for trials in (1, _TRIALS):  # one takes the error of a step away
            gap = closure.close(self._work.handle, self._closed.handle, closing_kernel(), q, v, trials)
            if gap <= GAP_SMALL:
                break
        closed = gap <= CLOSED and _close_velocities(self._work, self._closed, q, v, _NEARLY) <= _NEARLY
        return np.concatenate((q, v)) if closed else x


def assembled(mech: Mechanism, state: State) -> State:
    """The state with its loops closed to rounding; an error where they are open by more than rounding of a user's numbers."""
    if not mech.layout.loops:
        return state
    closed = loops_of(mech)
    work = closed.tree.new_work()
    q, v = state._q.copy(), state._v.copy()
    gap = closure.close(work.handle, closed.handle, closing_kernel(), q, v, 0)
    slip = closure.close(work.handle, closed.handle, closing_kernel(), q, v, CLOSE_VELOCITIES)
    if not (gap <= ASSEMBLED and slip <= ASSEMBLED * (1.0 + float(np.abs(v).max(initial=0.0)))):
        raise StructureError(
            f"the loops are open in this state, by {gap:.3g} in position and {slip:.3g} in velocity; close them first: "
            "state = assemble(mech, state)."
        )
    return assemble(mech, state)


def _open_loop(mech: Mechanism, work: Workspace, q: Array, gap: float) -> AssemblyError:
    """Which loop is open most."""
    closed = LoopTables(mech)  # its own: another thread may have been at the common ones since
    closure.close(work.handle, closed.handle, closing_kernel(), q, np.zeros(mech.nv), 0)
    gaps = [np.abs(closed.rows[row[FIRST] : row[FIRST] + 6 - row[LOOP_V], RESIDUAL]).max(initial=0.0) for row in closed.loops]
    if not np.isfinite(gap):
        raise ModelError("the loops cannot be closed: the state is not finite.")
    name = mech.layout.loops[int(np.argmax(gaps))][0]
    return AssemblyError(
        f"the loop of joint {name!r} cannot be closed: a gap of {gap:.3g} (metres or radians) is left. Start from another pose, "
        "hold fewer joints, or check the lengths and the frames of its joints."
    )
