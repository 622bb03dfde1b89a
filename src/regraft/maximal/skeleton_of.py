"""A mechanism as a skeleton of S3: a floating tree of hinges and spherical joints, without gravity, springs and limits."""

from __future__ import annotations

import numpy as np

from ..ask.poses import body_poses, body_twists
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD, Joint
from ..describe.state import State
from ..errors import ModelError, listed
from ..joints import Free, Revolute, Spherical
from .skeleton import Skeleton
from .skeleton_state import SkeletonState

_WAY_OUT = 'simulate(..., coordinates="maximal") takes mechanisms with all of these.'


def skeleton_of(mech: Mechanism, state: State) -> tuple[Skeleton, SkeletonState]:
    """A mechanism of hinges and ball joints that floats on one Free joint, as a skeleton with its state.

    The first body of each joint is the joint's child: c is then the force of `joint_reactions`, and a motor's `beta` is its tau.
    Damping becomes friction.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State
        Its position and velocity.

    Returns
    -------
    skeleton : Skeleton
        The bodies and joints.
    state : SkeletonState
        Where the bodies are and how they move.

    Raises
    ------
    ModelError
        If the mechanism has what S3 does not: gravity, springs, limits, loops, other joint types.

    Examples
    --------
    >>> import regraft as rg
    >>> from regraft.maximal import energy, skeleton_of
    >>> mech = rg.Mechanism(gravity=(0, 0, 0))
    >>> mech.add_body("upper", rg.Inertia.box(1.0, (0.1, 0.1, 0.4)))
    >>> mech.add_body("lower", rg.Inertia.box(1.0, (0.1, 0.1, 0.4)))
    >>> mech.add_joint("base", rg.Free(), "world", "upper")
    >>> knee = rg.Revolute((0, 1, 0), damping=0.1)
    >>> ends = rg.Pose(translation=(0, 0, -0.2)), rg.Pose(translation=(0, 0, 0.2))
    >>> mech.add_joint("knee", knee, "upper", "lower", *ends)
    >>> state = mech.state(v={"knee": 2.0})
    >>> skeleton, bodies = skeleton_of(mech, state)
    >>> abs(energy(skeleton, bodies).kinetic - rg.energy(mech, state).kinetic) < 1e-15
    True
    """
    poses, twists = body_poses(mech, state), body_twists(mech, state)
    _check_surroundings(mech)
    joints = [joint for joint in mech.joints.values() if WORLD not in (joint.parent, joint.child)]
    inertias = [body.inertia for body in mech.bodies.values()]
    number = {name: i for i, name in enumerate(mech.bodies)}
    l, z = np.zeros((len(joints), 2, 3)), np.zeros((len(joints), 2, 3))
    for j, joint in enumerate(joints):
        for side, (body, pose) in enumerate(((joint.child, joint.child_pose), (joint.parent, joint.parent_pose))):
            l[j, side] = pose.translation - mech.bodies[body].inertia.com
            if isinstance(joint.type, Revolute):  # its axis has the same coordinates in both of its frames
                z[j, side] = pose.rotation @ joint.type.axis
    skeleton = Skeleton(
        E=[(number[joint.child], number[joint.parent]) for joint in joints],
        masses=[inertia.mass for inertia in inertias],
        inertias=[inertia.tensor for inertia in inertias],
        l=l,
        z=z,
        mu=[_friction(joint) for joint in joints],
        bodies=list(mech.bodies),
        joints=[joint.name for joint in joints],
    )
    R = np.array([poses[name].rotation for name in mech.bodies])
    turning, moving = np.split(np.array([twists[name] for name in mech.bodies]), 2, axis=1)
    arms = np.array([poses[body.name].rotation @ body.inertia.com for body in mech.bodies.values()])
    p = np.array([poses[name].translation for name in mech.bodies]) + arms
    return skeleton, SkeletonState(p, R, moving + np.cross(turning, arms), np.einsum("iba,ib->ia", R, turning))


def _check_surroundings(mech: Mechanism) -> None:
    """Nothing but one Free joint between the skeleton and the world, and nothing but joints between its bodies."""
    if not mech.bodies:
        raise ModelError("a skeleton has at least one body; add one with add_body.")
    if mech.gravity.any():
        raise ModelError(
            f"S3 has no gravity, the mechanism has {mech.gravity.tolist()}; make it with gravity=(0, 0, 0). {_WAY_OUT}"
        )
    if mech.springs:
        raise ModelError(f"S3 has no springs; leave out {listed(mech.springs)}. {_WAY_OUT}")
    if mech.loop_joints:
        raise ModelError(f"S3's skeletons are trees; leave out what closes a loop: {listed(mech.loop_joints)}. {_WAY_OUT}")
    bases = [joint for joint in mech.joints.values() if WORLD in (joint.parent, joint.child)]
    if len(bases) > 1:
        raise ModelError(
            f"S3's skeleton is one tree; these joints lead to the world: {listed(j.name for j in bases)}. {_WAY_OUT}"
        )
    for base in bases:
        if not isinstance(base.type, Free):
            raise ModelError(
                f"joint {base.name!r}: S3's skeletons float on a Free joint, not on {type(base.type).__name__}. {_WAY_OUT}"
            )
        if base.type.damping.any():
            raise ModelError(
                f"joint {base.name!r}: nothing slows a skeleton against the world; leave its damping out. {_WAY_OUT}"
            )
    for joint in mech.joints.values():
        if joint.type.limits is not None:
            raise ModelError(f"joint {joint.name!r}: S3 has no limits; leave them out. {_WAY_OUT}")
        for what in ("armature", "stiffness", "friction"):
            if getattr(joint.type, what).any():
                raise ModelError(f"joint {joint.name!r}: S3 has no {what} of joints; leave it out. {_WAY_OUT}")


def _friction(joint: Joint) -> float:
    if not isinstance(joint.type, (Revolute, Spherical)):
        raise ModelError(
            f"joint {joint.name!r}: S3 has Revolute and Spherical joints, no {type(joint.type).__name__}. {_WAY_OUT}"
        )
    damping = joint.type.damping
    if (damping != damping[0]).any():
        raise ModelError(
            f"joint {joint.name!r}: S3 has one friction about all axes, not {damping.tolist()}; give one number. {_WAY_OUT}"
        )
    return float(damping[0])
