"""The derivatives of changes of structure: how the state after `connect`, `reroot` or `cut` changes with the one before."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import representable
from ..ask.places import known_place
from ..ask.tangents import BodyTangents, Frames, JointTangents, cross_matrix, joint_tangents
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..errors import StructureError
from .carry import absolute_point
from .connect import Connection, connect, connect_all
from .cut import cut
from .impact_slopes import ImpactSlopes, Turned
from .reroot import reroot

Array = NDArray[np.float64]


class Change(NamedTuple):
    """A change of structure that is ready to be made: one of `connect`, `connect_all`, `reroot` and `cut`, and its arguments."""

    function: Callable[..., Any]
    given: tuple[Any, ...] = ()
    options: Mapping[str, Any] = {}
    follows: str | None = None
    """The frame that the point `at` goes with; without one that point does not move."""

    def made(self, mech: Mechanism, state: State) -> tuple[Mechanism, State]:
        """The mechanism and its state after it."""
        after: tuple[Mechanism, State] = self.function(mech, state, *self.given, **self.options)
        return after

    def arguments(self, mech: Mechanism, state: State) -> dict[str, Any]:
        """All arguments by name, those that are left out too."""
        bound = inspect.signature(self.function).bind(mech, state, *self.given, **self.options)
        bound.apply_defaults()
        return dict(bound.arguments)


@dataclass(frozen=True, eq=False)
class ChangeDerivatives:
    """How the state after a change of structure changes with the one before; made by `change_derivatives`.

    Attributes
    ----------
    mech : Mechanism
        The mechanism after the change.
    state : State
        Its state.
    matrix : (2 nv after, 2 nv before) array
        The tangent (q, v) after by the tangent (q, v) before: column c is the change along the unit vector c.
    q : (2 nv after, nv before) array
        Its half by the position before.
    v : (2 nv after, nv before) array
        Its half by the velocity before.
    """

    mech: Mechanism
    state: State
    matrix: Array

    @property
    def q(self) -> Array:
        """By the position before."""
        return self.matrix[:, : self.matrix.shape[1] // 2]

    @property
    def v(self) -> Array:
        """By the velocity before."""
        return self.matrix[:, self.matrix.shape[1] // 2 :]


def change_derivatives(
    change: Callable[..., Any], mech: Mechanism, state: State, *given: Any, **options: Any
) -> ChangeDerivatives:
    """How the state after a change of structure changes with the one before, exact to rounding.

    The change is made, with its plastic impact if it has one, and differentiated with it. Where a new joint sits may depend on
    the state, as it does in the change: an absolute point `at` stays where it is while the bodies move; a foot or hand of
    `strike` or `grip` takes its joint along. What of this the new state does not show is in the new mechanism.

    In a closed mechanism only changes of the state before that keep the loops closed mean anything, and where a joint takes hold
    with both of its frames given, only those with which these still fit.

    Parameters
    ----------
    change : callable
        `connect`, `connect_all`, `reroot` or `cut`, or an action made by `strike`, `grip` or `release`.
    mech : Mechanism
        The mechanism before; it is not changed.
    state : State
        Its position and velocity.
    *given, **options
        The further arguments of the change; actions have none.

    Returns
    -------
    ChangeDerivatives

    Raises
    ------
    ModelError
        If a derivative cannot be represented.
    StructureError
        If the change cannot be made, or is none of these.

    Examples
    --------
    A ball on a rail catches another one that is at rest: they go on together at half the speed.

    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> for name in ("left", "right"):
    ...     mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
    ...     mech.add_joint(f"{name}_rail", rg.Prismatic((1, 0, 0)), "world", name)
    >>> d = rg.change_derivatives(rg.connect, mech, mech.state(v=[2.0, 0.0]), "left", "right", at=(0, 0, 0))
    >>> d.state.v.round(12).tolist(), d.v[2:].round(12).tolist()
    ([1.0, 1.0], [[0.5, 0.5], [0.5, 0.5]])
    """
    mech.check_state(state)
    found = _change_of(change, mech, state, given, options)
    if found.function is reroot and found.options.get("acceleration") is not None:
        raise StructureError("derivatives of carried accelerations are not known; leave acceleration out.")
    after = found.made(mech, state)
    matrix = derivative_of(found, mech, state, *after)
    representable("the derivatives of the change", matrix)
    return ChangeDerivatives(*after, matrix)


def _change_of(change: Any, mech: Mechanism, state: State, given: tuple[Any, ...], options: dict[str, Any]) -> Change:
    """What is to be differentiated."""
    if change in (connect, connect_all, reroot, cut):
        return Change(change, given, options)
    if not hasattr(change, "change_at"):
        raise StructureError(
            "only connect, connect_all, reroot, cut, and the actions of strike, grip and release can be differentiated, not "
            f"{change!r}."
        )
    if given or options:
        raise StructureError(f"{change!r} says all there is to say; leave further arguments out.")
    found = change.change_at(mech, state)
    if not isinstance(found, Change):
        raise StructureError(f"{change!r} passes this state over, so there is nothing to differentiate.")
    return found


def derivative_of(change: Change, mech: Mechanism, state: State, after_mech: Mechanism, after: State) -> Array:
    """(2 nv after, 2 nv before): the derivative of a change that has been made; NaN where it is not determined."""
    arguments, before = change.arguments(mech, state), BodyTangents(mech, state)
    frames = _frames(change, arguments, before, after_mech)
    joints = _joints_after(before, after_mech, after, frames)
    nv = after_mech.nv
    found = np.zeros((2 * nv, before.tangents.shape[1]))
    for name, at in after_mech.layout.v_slices.items():
        found[at] = joints[name].dq
    if change.function is cut or arguments.get("velocity") == "carry":
        for name, at in after_mech.layout.v_slices.items():
            kept = _kept(before, name, frames)
            found[nv + at.start : nv + at.stop] = (
                joints[name].velocity(*before.ends(joints[name].joint))[1] if kept is None else kept.dv
            )
    else:
        rotors = _rotors(before, after_mech, joints, frames)
        found[nv:] = ImpactSlopes(before, after_mech, after, joints, rotors).velocities()
    return found


# --- the joints after the change ---------------------------------------------------------------------------------------------


def _kept(before: BodyTangents, name: str, frames: Mapping[str, Frames | None]) -> Turned | None:
    """The velocity of a joint of the tree that was there before, and how it changes; None for other joints."""
    at = before.mech.layout.v_slices.get(name)
    if at is None or name in frames:
        return None
    nv = before.mech.nv
    return Turned(before.state._v[at], before.tangents[nv + at.start : nv + at.stop])


def _joints_after(
    before: BodyTangents, mech: Mechanism, state: State, frames: Mapping[str, Frames | None]
) -> dict[str, JointTangents]:
    """All joints of the new structure, as the bodies, which have not moved by the change, move them."""
    found = {}
    for name, joint in mech.joints.items():
        if name in before.joints and name not in frames:
            found[name] = before.joints[name]
        elif name in mech.layout.q_slices:
            q = state._q[mech.layout.q_slices[name]]
            found[name] = joint_tangents(joint, q, *before.ends(joint), frames.get(name))
        else:
            found[name] = before.closing(joint, frames.get(name))
    return found


def _rotors(
    before: BodyTangents, mech: Mechanism, joints: Mapping[str, JointTangents], frames: Mapping[str, Frames | None]
) -> dict[str, Turned]:
    """How fast the rotors of joints were before.

    That of a joint which takes hold as a loop joint turned as its bodies did; that of a new base of a tree was at rest.
    """
    found, at_rest = {}, set() if before.mech.layout.is_constrained else frames.keys() & mech.layout.v_slices.keys()
    for name, joint in mech.joints.items():
        if joint.type.armature.any() and name not in at_rest:
            kept = _kept(before, name, frames)
            found[name] = Turned(*joints[name].velocity(*before.ends(joint))) if kept is None else kept
    return found


# --- where new joints sit ----------------------------------------------------------------------------------------------------


def _frames(change: Change, arguments: Mapping[str, Any], before: BodyTangents, after: Mechanism) -> dict[str, Frames | None]:
    """How the frames of new joints are displaced, by joint; None for those that go with their bodies."""
    if change.function is cut:
        return {name: None for name in after.joints if name not in before.mech.joints}
    if change.function is reroot:
        return _base_frames(change, arguments, before, after)
    wanted = arguments["connections"] if change.function is connect_all else [_connection_of(arguments)]
    new = [name for name in after.joints if name not in before.mech.joints]
    return {name: _frames_of(one, change.follows, before) for name, one in zip(new, wanted, strict=True)}


def _connection_of(arguments: Mapping[str, Any]) -> Connection:
    return Connection(**{name: arguments[name] for name in Connection._fields})


def _frames_of(connection: Connection, follows: str | None, before: BodyTangents) -> Frames | None:
    """The frames of a joint that `connect` makes."""
    a, b = before.of[connection.body_a], before.of[connection.body_b]
    if connection.pose_a is not None or connection.pose_b is not None:
        if connection.pose_a is not None and connection.pose_b is not None:
            return None
        shift = b.shift if connection.pose_a is None else a.shift
        return shift, shift
    if connection.at is None:
        body = connection.body_b if connection.body_a == WORLD else connection.body_a
        moved = before.of[body].displaced(before.of[body].place)
    else:
        moved = _point_displaced(follows, before)
    shift = np.vstack((np.zeros_like(moved), moved))  # they keep the axes of the world
    return shift, shift


def _point_displaced(follows: str | None, before: BodyTangents) -> Array:
    """(3, m): how the point where a joint sits moves with the state."""
    if follows is None:
        return np.zeros((3, before.tangents.shape[1]))
    body, pose = known_place(before.mech, follows)
    return before.of[body].displaced(before.of[body].point(pose.translation))


def _base_frames(
    change: Change, arguments: Mapping[str, Any], before: BodyTangents, after: Mechanism
) -> dict[str, Frames | None]:
    """The frames of a base joint that `reroot` makes; one that was there before is put back as it was."""
    top, given = arguments["top"], arguments["name"]
    name = f"{top}_base" if given is None else given
    if after.joints[name] is before.mech.former_bases.get(name):
        return {name: None}
    body, turning = before.of[top], before.of[top].shift[:3]
    if arguments["at"] is None:
        point, moved = body.place, body.displaced(body.place)
    else:
        point = absolute_point(arguments["at"]) - before.origin
        moved = _point_displaced(change.follows, before)
    on_world = turning if arguments["align"] == "current" else np.zeros_like(turning)
    far = cross_matrix(point)
    return {name: (np.vstack((on_world, moved + far @ on_world)), np.vstack((turning, moved + far @ turning)))}
