"""The derivative of a passage through the return map: flows, times of events and actions, one after the other.

Columns are tangents (q, v, t): a change of the state and of the time at which it is there. At an event the time changes with
the state, so that what comes after begins earlier or later: the derivative across it is the saltation matrix. It is not formed
here, but comes out of the time being one of the coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..algebra.dense import singular
from ..ask.frame_jacobian import jacobian
from ..ask.manifold import difference
from ..ask.tangents import BodyTangents, closed_directions
from ..change.derivatives import Change, derivative_of
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import RegraftError, SimulationError
from ..kernels.configuration import position_difference
from ..kernels.jacobian import frame_jacobian
from ..simulate import replay
from ..simulate.composed_changes import COMPOSED, parts_in
from ..simulate.events import FrameBelow, JointAt
from ..simulate.flow import TORQUE, new_scratch
from ..simulate.guarding import guard_kernel
from ..simulate.loop_kernels import slopes_kernel
from ..simulate.ready_changes import Release, Strike
from ..simulate.runner import Runner
from ..simulate.variations import variations
from ..tolerances import OFF_MANIFOLD
from .differences import FIRST_TO_TOUCH, Outside, jacobian_at_zero
from .match import Match, apart, match_derivative, matched, moved
from .returns import BLIND, Passage, Piece, ReturnMap

KERNELS = guard_kernel, variations, singular, frame_jacobian, position_difference
"""What derivatives of passages compute with, and before them the passages, those first that are needed first."""

Array = NDArray[np.float64]
Result = TypeVar("Result")


def is_exact(passage: Passage, match: Match = None) -> bool:
    """Whether all of a passage is differentiated exactly: where a user's function acts, or contacts do, it is not."""
    actions = [event.action for piece in passage.pieces for event in piece.actions]
    if callable(match) or not all(isinstance(action, COMPOSED) for action in actions):
        return False
    if not all(_is_analytic(piece) for piece in passage.pieces):
        return False
    never_closes = all(isinstance(action, (Strike, Release)) for action in actions)
    return never_closes or _tangents_after(passage, _free(passage), True) is not None


def passage_derivative(return_map: ReturnMap, passage: Passage, exact: bool = True, held: Runner | None = None) -> Array:
    """(2 nv, 2 nv): how the image changes with the state where the passage began; without `exact` by differences throughout.

    In closed chains only tangents that keep loops closed go through the map; directions that open them are forgotten. With
    contacts, `held` at the start, by differences of whole passages.
    """
    if held is not None:
        return _of_whole_passages(return_map, passage, held)
    free = _free(passage)
    tangents = _tangents_after(passage, free, exact)
    if tangents is None:
        return _of_whole_passages(return_map, passage)
    return _at_image(return_map, passage, _matched_tangents(return_map, passage, tangents, exact)) @ free.T


def _free(passage: Passage) -> Array:
    """The tangents with which a passage may begin."""
    first = passage.pieces[0]
    return closed_directions(first.runner.mech, first.start)


def _tangents_after(passage: Passage, free: Array, exact: bool) -> Array | None:
    """What becomes of tangents in a passage; None where these do not tell it, as its mechanisms change with the state."""
    tangents = np.vstack((free, np.zeros(free.shape[1])))
    for piece in passage.pieces:
        tangents = _through_flow(piece, tangents, exact)
        if piece.actions:
            tangents = np.concatenate((_action_derivative(piece, exact) @ tangents, tangents[-1:]))
            if not _stay_closed(piece, tangents):
                return None
    return tangents[:-1]


def _matched_tangents(return_map: ReturnMap, passage: Passage, tangents: Array, exact: bool) -> Array:
    """Tangents after a passage in the structure where the map starts."""
    start, match, mech, state = return_map.start, return_map.match, passage.mech, passage.state
    if match is None and mech.layout.same_structure(start.layout):
        return tangents
    if exact and not callable(match):
        return match_derivative(start, match or {}, mech, state) @ tangents
    base = return_map.image(passage)

    def image(step: Array) -> Array:
        return apart(start, _or_outside(lambda: matched(start, match, mech, moved(mech, state, step))), base)

    found: Array = jacobian_at_zero(image, _scales(state)) @ tangents
    return found


def _at_image(return_map: ReturnMap, passage: Passage, tangents: Array) -> Array:
    """Tangents at the image of a passage, without what rounding and the errors of steps would open loops by."""
    start = return_map.start
    if not start.layout.is_constrained:
        return tangents
    free = closed_directions(start, return_map.image(passage))
    found: Array = free @ (free.T @ tangents)
    return found


def _stay_closed(piece: Piece, tangents: Array) -> bool:
    """Whether the states beside the one after an action are states of the same mechanism.

    They are not where a joint that closes a loop takes hold at another place if the state is another one.
    """
    mech, after = piece.after
    if not mech.layout.is_constrained:
        return True
    free, found = closed_directions(mech, after), tangents[:-1]
    return bool(np.abs(found - free @ (free.T @ found)).max(initial=0.0) <= OFF_MANIFOLD * (1.0 + np.abs(found).max(initial=0.0)))


def _of_whole_passages(return_map: ReturnMap, passage: Passage, held: Runner | None = None) -> Array:
    """The derivative by extrapolated differences of whole passages.

    So it is with contacts, which may touch, slip, stick and leave, and where mechanisms change with the state.
    """
    start, base = return_map.start, return_map.image(passage)
    directions, scales = _directions(start, passage.start)

    def image(step: Array) -> Array:
        begun = _or_outside(lambda: moved(start, passage.start, directions @ step))
        found = _or_outside(lambda: return_map.passage(start, begun, BLIND * passage.first, 2.0 * passage.time, held))
        return apart(start, _or_outside(lambda: return_map.image(found)), base)

    try:
        return _at_image(return_map, passage, jacobian_at_zero(image, scales, FIRST_TO_TOUCH)) @ directions.T
    except Outside:
        raise SimulationError(
            "the return map has no derivative here: states near the one where it begins do not come back to the section. Choose "
            "another section, where contacts neither begin nor end.",
            passage.trajectory,
            passage.time,
        ) from None


def _is_analytic(piece: Piece) -> bool:
    runner = piece.runner
    if runner.contacts is not None:
        return False
    calls = runner.calls
    constant = any(driver.context == calls.torque_context and not driver.parts for driver in runner.drivers)
    called = (calls.torque != 0 and not constant) or calls.wrenches != 0
    return not called and (piece.guard is None or isinstance(runner.events[piece.guard].guard, (FrameBelow, JointAt)))


def _ending_guard(piece: Piece) -> Any:
    """The guard that ended a piece, alone, or none."""
    guards = piece.runner.guard_table
    return guards[:0] if piece.guard is None else guards[piece.guard : piece.guard + 1]


def _through_flow(piece: Piece, tangents: Array, exact: bool) -> Array:
    if not len(piece.sizes):
        return tangents
    try:
        found = _by_variations(piece, tangents) if exact and _is_analytic(piece) else _by_differences(piece) @ tangents
    except Outside:
        found = np.full_like(tangents, np.nan)
    if not np.isfinite(found).all():
        raise SimulationError(
            f"the return map has no derivative here: near t = {piece.t + piece.sizes.sum():.6g} an event's guard does not go "
            "through zero at a rate. Choose a section that the motion crosses.",
            time=piece.t + float(piece.sizes.sum()),
        )
    return found


def _by_variations(piece: Piece, tangents: Array) -> Array:
    """The flow's derivative by its variational equations, the time of its event included: exact for the steps that were taken."""
    r, n = piece.runner, piece.runner.nv
    flow = r.flow._replace(external=r.flow.external.copy(), vectors=new_scratch(r.nq, n))
    flow.vectors.v[TORQUE] = r.flow.vectors.v[TORQUE]  # which is constant
    slopes, stages = r.structure.new_slopes(), flow.method.last + 1
    by_call = slopes_kernel() if r.mech.layout.is_constrained else 0
    D, K, rates = np.empty((2 * n, 2 * n + 1)), np.empty((stages * 2 * n, 2 * n + 1)), np.zeros((stages + 1, 2 * n))
    X, manifold = np.empty((n, slopes.width)), any(kind.quaternion is not None for _, kind, *_ in r.mech.layout.joints)
    variations(flow, slopes, by_call, manifold, piece.start._x, _steps(piece), D, K, X, rates)
    moving, begun = D[:, :-1] @ tangents[:-1], tangents[-1]
    if piece.guard is not None:
        rise = _guard_slope(r.mech, piece.end, r.events[piece.guard].guard)
        with np.errstate(divide="ignore", invalid="ignore"):
            longer = -(rise @ moving[:n]) / (rise @ D[:n, -1])
    else:
        longer = -begun if piece.at_given_time else np.zeros_like(begun)
    return np.concatenate((moving + np.outer(D[:, -1], longer), [begun + longer]))


def _guard_slope(mech: Mechanism, state: State, guard: FrameBelow | JointAt) -> Array:
    """(nv,): how a guard changes with the position."""
    if isinstance(guard, FrameBelow):
        J = jacobian(mech, state, guard.frame)
        rise: Array = J[5] - guard.slope * J[3]
        return rise
    at = mech.layout.v_slices.get(guard.joint)
    if at is not None:
        return np.asarray(np.eye(mech.nv)[at.start])
    found: Array = BodyTangents(mech, state).closing(mech.joints[guard.joint]).dq[0, : mech.nv]
    return found


def _by_differences(piece: Piece) -> Array:
    """The same by extrapolated differences, with the same steps: for a user's functions, which take real numbers only."""
    r = piece.runner
    mech, base, (directions, scales) = r.mech, np.empty(r.nq + r.nv), _directions(r.mech, piece.start)
    flow = r.flow._replace(external=r.flow.external.copy(), vectors=new_scratch(r.nq, r.nv))
    steps, guards = _steps(piece), _ending_guard(piece)

    def end(step: Array, out: Array) -> float:
        begun, last = steps._replace(t=piece.t + step[-1]), piece.sizes[-1] - (step[-1] if piece.at_given_time else 0.0)
        start = _or_outside(lambda: moved(mech, piece.start, directions @ step[:-1]))
        size = replay.replay(flow, start._x, begun, last, guards, out)
        if (problem := r.problem()) is not None:
            raise problem
        return float(step[-1] + size - piece.sizes[-1])

    def change(step: Array) -> Array:
        out = np.empty_like(base)
        later = end(step, out)
        if not (np.isfinite(out).all() and np.isfinite(later)):
            raise Outside
        return np.concatenate((difference(mech, out[: r.nq], base[: r.nq]), out[r.nq :] - base[r.nq :], [later]))

    end(np.zeros(len(scales) + 1), base)
    found = jacobian_at_zero(change, np.append(scales, 1.0))
    return np.column_stack((found[:, :-1] @ directions.T, found[:, -1]))


def _steps(piece: Piece) -> replay.Steps:
    return replay.Steps(piece.t, piece.sizes, piece.at_given_time)


def _action_derivative(piece: Piece, exact: bool) -> Array:
    """(2 nv after, 2 nv + 1): how the state after the actions changes with the one before and with the time.

    Ready-made ones know their derivatives; of a user's functions it is found by extrapolated differences.
    """
    if exact and all(isinstance(event.action, COMPOSED) for event in piece.actions):
        return _ready_derivative(piece)
    mech, (mech_after, after) = piece.runner.mech, piece.after
    directions, scales = _directions(mech, piece.end)
    moment = piece.t + float(piece.sizes.sum())

    def act(state: State, t: float) -> tuple[Mechanism, State]:
        now = mech, state
        for event in piece.actions:
            result = event.act(t, *now)
            if not isinstance(result, tuple):
                raise Outside
            now = result
        return now

    def change(step: Array) -> Array:
        found_mech, found = _or_outside(lambda: act(moved(mech, piece.end, directions @ step[:-1]), moment + step[-1]))
        if not found_mech.layout.same_structure(mech_after.layout):
            raise Outside
        return apart(mech_after, found, after)

    try:
        if any(event.timed for event in piece.actions):
            found = jacobian_at_zero(change, np.append(scales, 1.0))
        else:
            found = jacobian_at_zero(lambda step: change(np.append(step, 0.0)), scales)
            found = np.column_stack((found, np.zeros(len(found))))
        return np.column_stack((found[:, :-1] @ directions.T, found[:, -1]))
    except Outside:
        names = " and ".join(repr(event.name) for event in piece.actions)
        raise SimulationError(
            f"the action of event {names} has no derivative: for states near the one at t = {moment:.6g} it "
            "fails or leaves another structure. Let it depend smoothly on the state there.",
            time=moment,
        ) from None


def _ready_derivative(piece: Piece) -> Array:
    """The same of changes of structure that are data: exact, through their impacts."""
    now, found = (piece.runner.mech, piece.end), np.eye(2 * piece.runner.nv, 2 * piece.runner.nv + 1)
    for event in piece.actions:
        parts = parts_in(event.action, now[0])
        for part in parts:
            change = part.change_at(*now)
            if isinstance(change, Change):
                last = event is piece.actions[-1] and part is parts[-1]
                after = piece.after if last else change.made(*now)
                now, found = after, derivative_of(change, *now, *after) @ found
    return found


def _or_outside(function: Callable[[], Result]) -> Result:
    try:
        return function()
    except RegraftError:
        raise Outside from None


def _directions(mech: Mechanism, state: State) -> tuple[Array, Array]:
    """Tangents along which differences are taken, as columns, and what steps along them are relative to."""
    directions = closed_directions(mech, state)
    return directions, np.ones(directions.shape[1]) if mech.layout.is_constrained else _scales(state)


def _scales(state: State) -> Array:
    """What steps are relative to: positions as they are, velocities by their size."""
    return np.concatenate((np.ones(state.layout.nv), np.maximum(1.0, np.abs(state._v))))
