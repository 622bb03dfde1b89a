"""Assembly: a consistent (admissible) state, with loops closed in position and velocity, from a rough one.

It is a projection onto the constraint manifold: what is not held moves as little as possible, in the metric of kinetic energy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite, representable
from ..describe.graph import by_name
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
from .told import prescribed_type, prescribed_work

Array = NDArray[np.float64]
Numbers = Mapping[str, ArrayLike]
"""Positions or velocities of joints, by name."""

_HELD = 1e18  # kg m²: the inertia that is given to a joint that is to be held, so that it does not move
_TRIALS = 200
_CORRECTIONS = 5  # of velocities: one is exact but for rounding, which badly conditioned loops magnify


def assemble(
    mech: Mechanism, state: State, hold: Iterable[str] = (), q: Numbers | None = None, v: Numbers | None = None
) -> State:
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
    q, v : mapping of str to array_like, optional
        Positions and velocities that joints are to have, by name, loop joints too.

    Returns
    -------
    State

    Raises
    ------
    AssemblyError
        If loops or couplings cannot be closed; the message has the loop or the couplings, and the gap that is left.
    ModelError
        If there is no such joint, or numbers do not fit it.

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
    found, told = assembled_anyhow(mech, state, hold, q, v)
    if told:
        warn(f"assemble: {told}")
    return found


def assembled_anyhow(
    mech: Mechanism, state: State, hold: Iterable[str] = (), q: Numbers | None = None, v: Numbers | None = None
) -> tuple[State, str]:
    """`assemble`, and instead of a warning its text, which is empty where there is nothing to tell."""
    mech.check_state(state)
    held, layout = (hold,) if isinstance(hold, str) else tuple(hold), mech.layout
    positions = {} if q is None else _wanted(mech, "q", q)
    velocities = {} if v is None else _wanted(mech, "v", v)
    if not (layout.is_constrained or positions or velocities):
        return state, ""
    end, speeds = _with(state._q, layout.q_slices, positions), _with(state._v, layout.v_slices, velocities)
    if not layout.is_constrained:
        return State(layout, np.concatenate((end, speeds))), ""
    work = _work_for(mech, held, positions)
    end, told = _close_positions(mech, work, end, _places(mech, (*held, *positions)), tuple(positions))
    if velocities or positions:
        work = _work_for(mech, held, velocities, end)
    slip = close_velocities(work, end, speeds, CLOSED)
    if not slip <= ASSEMBLED:  # less is what rows slip that nearly follow from others
        raise AssemblyError(f"the velocities cannot be made consistent with the loops: {slip:.3g} is left. Hold fewer joints.")
    return State(layout, representable("the velocities of the closed loops", np.concatenate((end, speeds)))), told


def _close_positions(mech: Mechanism, work: Workspace, q: Array, held: Array, wanted: tuple[str, ...]) -> tuple[Array, str]:
    """The position with its loops closed, and what is to be told where that took another start than the position given."""
    near = q.copy()
    if closed_positions.call(work, near, _TRIALS) <= CLOSED and np.abs(near - q).max(initial=0.0) <= TOO_FAR:
        return near, ""
    found = close_from_afar(mech, work, q, held)
    if not found.gap <= CLOSED:
        raise _open_loop(mech, work, found.q, found.gap, wanted)
    if not found.start:
        return found.q, ""
    way = np.abs(difference(mech, found.q, q))
    farthest = mech.coordinates.joints_of([int(np.argmax(way))])[0]
    return found.q, (
        f"from this position the loops lead into a dead end; they were closed from another one, number {found.start} of those "
        f"around it, and {farthest!r} has moved farthest, by {way.max():.3g}. If you mean another way to close them, start "
        "nearer to it."
    )


def _places(mech: Mechanism, names: Iterable[str]) -> Array:
    """(nv,) of bool: which velocities are those of the joints of the tree among these."""
    found = np.zeros(mech.nv, bool)
    for name in names:
        if name in mech.layout.v_slices:
            found[mech.layout.v_slices[name]] = True
    return found


def _wanted(mech: Mechanism, what: str, given: Numbers) -> dict[str, Array]:
    """The numbers that joints are to have, checked."""
    found = {}
    for name, numbers in by_name(what, "joints", given).items():
        kind = prescribed_type(mech, name)
        count = kind.nq if what == "q" else kind.nv
        found[name] = finite(f"{what} of joint {name!r}", [numbers] if np.ndim(numbers) == 0 else numbers, (count,))
    return found


def _with(numbers: Array, slices: Mapping[str, slice], wanted: Mapping[str, Array]) -> Array:
    """A copy with what joints of the tree are to have."""
    found = numbers.copy()
    for name, of_joint in wanted.items():
        if name in slices:
            found[slices[name]] = of_joint
    return found


def _work_for(mech: Mechanism, held: Iterable[str], wanted: Mapping[str, Array], at: Array | None = None) -> Workspace:
    """A workspace that holds joints, and tells others what positions to have; at a position `at`, what velocities."""
    work, places = prescribed_work(mech, wanted) if wanted else (mech.structure.new_work(), [])
    for place in places:
        if place.closes and at is None:
            place.keep(work, wanted[place.name], np.zeros(place.v.stop - place.v.start))
        elif place.closes and at is not None:
            here = State(mech.layout, np.concatenate((at, np.zeros(mech.nv))))
            place.keep(work, mech.joint_position(here, place.name), wanted[place.name])
    for name in held:
        work.dof[mech.v_slice(name), HELD] = _HELD
    return work


def close_velocities(work: Workspace, q: Array, v: Array, nearly: float) -> float:
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
        closed = gap <= CLOSED and close_velocities(self._work, q, v, ONE_CORRECTION) <= ONE_CORRECTION
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


def _open_loop(mech: Mechanism, work: Workspace, q: Array, gap: float, wanted: tuple[str, ...]) -> AssemblyError:
    """The error that names the loop with the largest gap."""
    closed_positions.call(work, q, 0)
    gaps = [np.abs(work.rows[of_loop, RESIDUAL]).max(initial=0.0) for of_loop in mech.structure.rows_of_loops]
    if not np.isfinite(gap):
        raise ModelError("the loops cannot be closed: the state is not finite.")
    if wanted:
        return AssemblyError(
            f"the loops cannot be closed with {listed(wanted)} where they are to be: a gap of {gap:.3g} (metres or radians) "
            f"is left, and no less from {starts_of(mech)} other poses around this one. Ask for positions that they can reach, or "
            "start from a pose that is nearer."
        )
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
