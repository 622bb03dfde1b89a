"""Carrying a motion over to another structure: the same positions, velocities and accelerations of bodies, in other joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import WORLD_MOTION, Pose, finite
from ..ask.turns import turn_to_couplings
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint
from ..describe.state import State
from ..errors import ModelError, StructureError, listed, meant
from ..joints import screw_rates, screws, settle
from ..kernels.jacobian import frame_jacobian, frame_jacobian_rate
from ..tolerances import ASSEMBLED, CARRIED, GAP_SMALL, ROUNDING
from .nearest import nearest_state

Array = NDArray[np.float64]


class Settled(NamedTuple):
    """Position and velocity of a joint, those nearest to how its bodies are and move, and how far off these are.

    The gaps are what the joint cannot represent of the bodies' relative pose and twist.
    """

    q: Array
    v: Array
    pose_gap: float
    twist_gap: float


def settled(joint: Joint, body: str, moving: Array, places: Array | None = None) -> Settled:
    """A joint between the world and a body that is and moves as `moving` (18,): pose and twist, as `Tree.motion` has them.

    The body may be the joint's parent or its child. `places` are the joint's two frames as rows, if they are at hand.
    """
    motions = np.array((WORLD_MOTION, moving) if joint.child == body else (moving, WORLD_MOTION))
    return Settled(*settle(joint.type, motions, joint.places() if places is None else places))


def carried(
    mech: Mechanism, state: State, changed: Mechanism, known: Mapping[str, Settled] | None = None, impulse: Any = None
) -> State:
    """The state of a changed structure in which every body is and moves as it did.

    A joint of both spanning trees keeps its numbers. A loop-closure joint that became a tree joint gets them from its bodies, if
    they are not `known`, with the whole turns with which couplings are held. A loop may have been slightly open, by the rounding
    of a user's digits or along a nearly redundant row; a tree joint cannot be. Then the bodies move as nearly as they can to what
    they did, see `nearest_state`.
    """
    before, after, known = mech.layout, changed.layout, known or {}
    if before.names == after.names and not known:
        return State(after, state._x, impulse)
    x, left = after.rest.copy(), 0.0
    for name, *_ in after.joints:
        q, v = x[after.q_slices[name]], x[after.nq :][after.v_slices[name]]
        if name in known:
            q[:], v[:] = known[name].q, known[name].v
        elif name in before.q_slices:
            q[:], v[:] = state._q[before.q_slices[name]], state._v[before.v_slices[name]]
        else:
            held = _settled_loop(mech, state, name)
            q[:], v[:] = held.q, held.v
            left = max(left, held.pose_gap, held.twist_gap)
    if after.couplings:
        turn_to_couplings(changed, x[: after.nq], after.v_slices.keys() - before.v_slices.keys() - known.keys())
    found = State(after, x, impulse)
    return nearest_state(mech, state, changed, found) if left > GAP_SMALL else found


def _settled_loop(mech: Mechanism, state: State, name: str) -> Settled:
    """Position and velocity of a loop joint; an error where its loop is open."""
    joint = mech.joints[name]
    held = Settled(*settle(joint.type, mech.structure.motions_of(state._x, joint.parent, joint.child), joint.places()))
    if not max(held.pose_gap, held.twist_gap) <= ASSEMBLED:
        raise StructureError(
            f"the loop of joint {name!r} is open in this state, by {held.pose_gap:.3g} in position and {held.twist_gap:.3g} in "
            "velocity; close it first: state = assemble(mech, state)."
        )
    return held


def refuse_motion(joint: Joint, gap: float) -> StructureError:
    """The error that a joint cannot carry the motion that its body has."""
    if not np.isfinite(gap):
        return StructureError(
            f"joint {joint.name!r}: the velocities of its body are too large to be represented; check the units of lengths and "
            "velocities."
        )
    return StructureError(
        f"joint {joint.name!r}, a {type(joint.type).__name__}, cannot carry this motion: {gap:.3g} of it is left over. "
        'Let it stop with velocity="impact", or use a joint with more freedom, such as Free().'
    )


def carried_accelerations(mech: Mechanism, state: State, a: Array, changed: Mechanism, known: Mapping[str, Settled]) -> Array:
    """The accelerations of a changed structure in which every body accelerates as it did."""
    before, after = mech.layout, changed.layout
    found = np.empty(after.nv)
    for name, *_ in after.joints:
        if name in before.v_slices and name not in known:
            found[after.v_slices[name]] = a[before.v_slices[name]]
        else:
            held = known[name] if name in known else _settled_loop(mech, state, name)
            found[after.v_slices[name]] = _joint_acceleration(mech, state, changed.joints[name], a, held)
    return found


def _joint_acceleration(mech: Mechanism, state: State, joint: Joint, a: Array, held: Settled) -> Array:
    """The joint acceleration with which both of its bodies accelerate as they do; an error where there is none."""
    parent, child = (_frame_acceleration(mech, state, *end, a) for end in
                     ((joint.parent, joint.parent_pose), (joint.child, joint.child_pose)))  # fmt: skip
    rate = _relative_rate(parent, child) - held.v @ screw_rates(joint.type, held.q, held.v)
    found = joint.type.velocity(held.q, rate)
    left = rate - found @ screws(joint.type, held.q)
    rounding = ROUNDING * max(parent.size, child.size)
    if not np.abs(left).max() <= CARRIED * (1.0 + float(np.abs(rate).max())) + rounding:
        raise StructureError(
            f"joint {joint.name!r} cannot carry this acceleration of {joint.child!r}: use a joint with more freedom."
        )
    return found


@dataclass(frozen=True)
class _Accelerating:
    """A frame: its pose, twist and acceleration (angular, linear at its origin), in world axes."""

    pose: Pose
    twist: Array
    rate: Array
    size: float
    """A bound on the summands of the rate, which measures its rounding: of fast bodies far away large summands cancel."""


def _frame_acceleration(mech: Mechanism, state: State, body: str, place: Pose, a: Array) -> _Accelerating:
    if body == WORLD:
        return _Accelerating(place, np.zeros(6), np.zeros(6), 0.0)
    structure = mech.structure
    k, point = structure.row_of[body], structure.point(body, place.translation)
    J, J_rate = np.empty((6, mech.nv)), np.empty((6, mech.nv))
    frame_jacobian.call(structure.work, state._q, k, point, J)
    frame_jacobian_rate.call(structure.work, state._q, state._v, k, point, J_rate)
    pose = Pose.from_row(structure.motions_of(state._x, body)[0]) @ place
    twist, rate = J @ state._v, J @ a + J_rate @ state._v
    summands = np.abs(J) @ np.abs(a) + np.abs(J_rate) @ np.abs(state._v)
    spin, far = float(np.abs(twist[:3]).max()), float(np.abs(pose.translation).max())
    return _Accelerating(pose, twist, rate, float(summands.max()) + (1.0 + far) * (spin * spin + float(np.abs(rate[:3]).max())))


def _relative_rate(parent: _Accelerating, child: _Accelerating) -> Array:
    """The rate of the child frame's twist relative to the parent's frame, in the child's axes."""
    spin, apart = parent.twist[:3], child.pose.translation - parent.pose.translation
    parting = child.twist[3:] - parent.twist[3:]
    turning, moving = child.twist[:3] - spin, parting - np.cross(spin, apart)
    turning_rate = child.rate[:3] - parent.rate[:3]
    moving_rate = child.rate[3:] - parent.rate[3:] - np.cross(parent.rate[:3], apart) - np.cross(spin, parting)
    own = np.array([turning_rate - np.cross(child.twist[:3], turning), moving_rate - np.cross(child.twist[:3], moving)])
    return (own @ child.pose.rotation).ravel()


def check_body(mech: Mechanism, body: str) -> None:
    """Reject what is no body of the mechanism, and the world."""
    if isinstance(body, str) and body == WORLD:
        raise StructureError("the world cannot be the top of a tree that hangs on it; name a body.")
    if not isinstance(body, str) or body not in mech.bodies:
        raise StructureError(
            f"there is no body {body!r} to take as the top; the bodies are: {listed(mech.bodies)}.{meant(body, mech.bodies)}"
        )


def absolute_point(at: ArrayLike) -> Array:
    """Where a new joint is to sit in the world."""
    try:
        return finite("at", at, (3,))
    except ModelError as problem:
        raise StructureError(f"{problem} Give the absolute position of the new joint.") from problem
