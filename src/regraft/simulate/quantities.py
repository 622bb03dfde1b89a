"""Quantities of a motion at all samples of its segments: joints, bodies, frames, energy, momentum and centre of mass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import MOTION, POSE, WORLD_MOTION, Pose, representable
from ..ask.loop_measures import loop_measures
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..errors import ModelError, listed
from ..kernels.energy import balance_of_many
from ..kernels.kinematics import motion_of_many
from .histories import BodyHistory, JointHistory
from .recorded import Segment

Array = NDArray[np.float64]
Segments = Sequence[Segment]


def joint_names(segments: Segments) -> Iterable[str]:
    """All joints that there are at any time."""
    return dict.fromkeys(joint for segment in segments for joint in segment.mech.joints)


def joint_history(segments: Segments, name: str) -> JointHistory:
    """Position and velocity of a joint, loop joints too; NaN while it is not there or has another size."""
    found = [segment for segment in segments if isinstance(name, str) and name in segment.mech.joints]
    if not found:
        raise ModelError(f"the trajectory has no joint {name!r}; it has: {listed(joint_names(segments))}.")
    kind = found[0].mech.joints[name].type
    q, v = [], []
    for segment in segments:
        layout, count = segment.mech.layout, len(segment.t)
        here = segment.mech.joints[name].type if name in segment.mech.joints else None
        if here is not None and (here.nq, here.nv) == (kind.nq, kind.nv):
            positions, velocities = _loop_joint(segment, name) if name not in layout.q_slices else (
                segment.q[:, layout.q_slices[name]], segment.v[:, layout.v_slices[name]])  # fmt: skip
            q.append(positions)
            v.append(velocities)
        else:
            q.append(np.full((count, kind.nq), np.nan))
            v.append(np.full((count, kind.nv), np.nan))
    squeeze = (slice(None), 0) if kind.nq == 1 else slice(None)
    return JointHistory(_times(segments), np.concatenate(q)[squeeze], np.concatenate(v)[squeeze])


def body_history(segments: Segments, name: str) -> BodyHistory:
    """The motion of a body; NaN while it is not there."""
    if name != WORLD and not _some(segments, lambda mech: mech.bodies, name):
        known = dict.fromkeys(body for segment in segments for body in segment.mech.bodies)
        raise ModelError(f"the trajectory has no body {name!r}; it has: {listed(known)}.")
    return _history(segments, lambda mech: (name, Pose()) if name == WORLD or name in mech.bodies else None)


def frame_history(segments: Segments, name: str) -> BodyHistory:
    """The motion of a frame, or of a body of this name; NaN while it is not there."""
    if not _some(segments, lambda mech: mech.frames, name):
        if name == WORLD or _some(segments, lambda mech: mech.bodies, name):
            return body_history(segments, name)
        known = dict.fromkeys(frame for segment in segments for frame in segment.mech.frames)
        raise ModelError(f"the trajectory has no frame {name!r}; it has: {listed(known)}.")

    def place(mech: Mechanism) -> tuple[str, Pose] | None:
        found = mech.frames.get(name)
        return None if found is None else (found.body, found.pose)

    return _history(segments, place)


def _some(segments: Segments, table: Callable[[Mechanism], Mapping[str, Any]], name: str) -> bool:
    """Whether one of the mechanisms has a part of this name in a table."""
    return isinstance(name, str) and any(name in table(segment.mech) for segment in segments)


def _times(segments: Segments) -> Array:
    return np.concatenate([segment.t for segment in segments])


def _history(segments: Segments, place: Callable[[Mechanism], tuple[str, Pose] | None]) -> BodyHistory:
    """The motion of a place that each mechanism has on one of its bodies, or has not."""
    position, rotation, velocity, spin = [], [], [], []
    for segment in segments:
        found = place(segment.mech)
        if found is None:
            rows, local = np.full((len(segment.t), MOTION), np.nan), Pose()
        else:
            rows, local = motion_of_body(segment, found[0]), found[1]
        turned = rows[:, :9].reshape(-1, 3, 3)
        arm = turned @ local.translation
        position.append(rows[:, 9:POSE] + arm)
        rotation.append(turned @ local.rotation)
        velocity.append(rows[:, POSE + 3 :] + np.cross(rows[:, POSE : POSE + 3], arm))
        spin.append(rows[:, POSE : POSE + 3])
    return BodyHistory(_times(segments), *(np.concatenate(parts) for parts in (position, rotation, velocity, spin)))


def balances(segments: Segments) -> Array:
    """(samples, 8): kinetic and potential energy, angular and linear momentum."""
    return np.concatenate([_balance(segment) for segment in segments])


def motion_of_body(segment: Segment, body: str) -> Array:
    """(samples, 18): pose and twist of a body."""
    structure, out = segment.moved.structure, np.empty((len(segment.t), MOTION))
    if body == WORLD:
        out[:] = WORLD_MOTION
    else:
        work = structure.new_work()
        motion_of_many.call(work, segment.x, structure.row_of[body], out)
    return out


def center_of_mass(segment: Segment) -> Array:
    """(samples, 3): of all bodies together."""
    inertias = {name: body.inertia for name, body in segment.moved.bodies.items()}
    total, whole = np.zeros((len(segment.t), 3)), sum(inertia.mass for inertia in inertias.values())
    if whole <= 0.0:
        raise ModelError("nothing has a mass, so there is no centre of mass.")
    for name, inertia in inertias.items():
        rows = motion_of_body(segment, name)
        total += inertia.mass * (rows[:, 9:POSE] + rows[:, :9].reshape(-1, 3, 3) @ inertia.com)
    return total / whole


def _loop_joint(segment: Segment, name: str) -> tuple[Array, Array]:
    """Position and velocity of a loop joint; its angles go on through whole turns."""
    mech, kind = segment.moved, segment.mech.joints[name].type
    q, v = np.empty((len(segment.t), kind.nq)), np.empty((len(segment.t), kind.nv))
    for i, x in enumerate(segment.x):
        q[i], v[i] = mech.settled(State(mech.layout, x), name)
    for c in kind.turns:
        q[:, c] = np.unwrap(q[:, c])
    return q, v


def _balance(segment: Segment) -> Array:
    """(samples, 8): kinetic and potential energy, angular and linear momentum."""
    mech, out = segment.moved, np.empty((len(segment.t), 8))
    work = mech.structure.new_work()
    balance_of_many.call(work, segment.x, out)
    if mech.loop_joints:
        found = loop_measures(mech, segment.x)
        out[:, 0] += found[:, 3]
        out[:, 1] += found[:, 2]
    return representable("the energies and momenta of this motion", out)
