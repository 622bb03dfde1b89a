"""A motion whose body hangs on the world by one free joint, instead of by joints in a row with nothing in between."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from ..ask.poses import frame_pose
from ..change.reroot import reroot
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..errors import ModelError
from ..joints import Free
from .body_motion import Motion

Array = NDArray[np.float64]


def free_base(motion: Motion) -> Motion:
    """The same motion with a free joint at the first body that has a mass.

    OpenSim's models hang on the ground by sliding and turning joints in a row, with massless bodies in between. When another
    body becomes the root, these would dangle from the pelvis and move without moving any inertia. Here they are gone; all other
    joints, their numbers and their torques stay.

    Parameters
    ----------
    motion : Motion
        A motion, such as `regraft.mocap.motion` gives it.

    Returns
    -------
    Motion
        The motion itself where nothing massless is between its body and the world.

    Raises
    ------
    ModelError
        If more than one joint is at the world, so that no single body hangs on it.
    """
    between, base = _massless_chain(motion.mech)
    if not between:
        return motion
    mech = _without(motion.mech, between, base)
    q, v, a = np.full((len(motion.t), mech.nq), np.nan), *np.full((2, len(motion.t), mech.nv), np.nan)
    for k in np.flatnonzero(np.isfinite(motion.q).all(axis=1)):
        state = motion.mech.state(q=motion.q[k], v=motion.v[k])
        other, there, rate = reroot(motion.mech, state, base, name=_name(base), acceleration=motion.a[k])
        for name, where in mech.layout.q_slices.items():
            q[k, where] = there.q[other.q_slice(name)]
            v[k, mech.v_slice(name)] = there.v[other.v_slice(name)]
            a[k, mech.v_slice(name)] = rate[other.v_slice(name)]
        pose = frame_pose(motion.mech, state, base)
        q[k, mech.q_slice(_name(base))] = (*pose.translation, *_near(pose.quaternion, q[k - 1, 3:7] if k else None))
    notes = (
        *motion.notes,
        f"{base!r} hangs on the world by a free joint, {_name(base)!r}, in place of {len(between) + 1} joints.",
    )
    return dataclasses.replace(motion, mech=mech, q=q, v=v, a=a, raw=None, notes=notes)


def _name(base: str) -> str:
    return f"{base}_base"


def _near(quaternion: Array, last: Array | None) -> Array:
    """The same rotation with the sign that is nearer to the last one."""
    return -quaternion if last is not None and np.isfinite(last).all() and quaternion @ last < 0.0 else quaternion


def _massless_chain(mech: Mechanism) -> tuple[list[str], str]:
    """The massless bodies from the world on that have two joints each, and the first body behind them."""
    ends: dict[str, list[str]] = {}
    for joint in mech.joints.values():
        ends.setdefault(joint.parent, []).append(joint.child)
        ends.setdefault(joint.child, []).append(joint.parent)
    if len(ends.get(WORLD, [])) != 1:
        raise ModelError(f"{len(ends.get(WORLD, []))} joints are at the world; a free base needs a body that hangs on it by one.")
    before, body, between = WORLD, ends[WORLD][0], []
    while mech.bodies[body].inertia.mass == 0.0 and len(ends[body]) == 2:
        between.append(body)
        before, body = body, next(other for other in ends[body] if other != before)
    return between, body


def _without(mech: Mechanism, between: list[str], base: str) -> Mechanism:
    """The mechanism with a free joint at its base; the frames on what is left out are gone with it."""
    kept = Mechanism(gravity=mech.gravity)
    for name, body in mech.bodies.items():
        if name not in between:
            kept.add_body(name, body.inertia)
    kept.add_joint(_name(base), Free(), WORLD, base)
    for name, joint in mech.joints.items():
        if joint.parent not in (WORLD, *between) and joint.child not in (WORLD, *between):
            kept.add_joint(name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    for name, frame in mech.frames.items():
        if frame.body not in between:
            kept.add_frame(name, frame.body, frame.pose)
    return kept
