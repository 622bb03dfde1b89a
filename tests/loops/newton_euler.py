"""Newton's and Euler's equations of each body by itself, from nothing but what can be asked of a mechanism."""

import numpy as np

import regraft as rg
from loops.closed_mechanisms import body_accelerations


def spring_wrenches(mech, state):
    """(moment about the world's origin, force) of all springs on each body."""
    poses, twists = rg.body_poses(mech, state), rg.body_twists(mech, state)
    found = {body: np.zeros(6) for body in ("world", *mech.bodies)}
    for s in mech.springs.values():
        ends, rates = [], []
        for body, point in ((s.body_a, s.point_a), (s.body_b, s.point_b)):
            pose, twist = (rg.Pose(), np.zeros(6)) if body == "world" else (poses[body], twists[body])
            ends.append(pose.apply(point))
            rates.append(twist[3:] + np.cross(twist[:3], pose.rotation @ np.array(point)))
        span = ends[1] - ends[0]
        length = np.linalg.norm(span)
        along = span / length
        pull = (s.stiffness * (length - s.rest_length) + s.damping * (rates[1] - rates[0]) @ along) * along
        for body, at, force in ((s.body_a, ends[0], pull), (s.body_b, ends[1], -pull)):
            found[body] += np.concatenate([np.cross(at, force), force])
    return found


def imbalance(mech, state, torques=None, wrenches=None):
    """The largest force or moment about the world's origin by which a body's momentum changes otherwise than it is pushed.

    Relative to the largest of these pushes.
    """
    a = rg.forward_dynamics(mech, state, torques, wrenches)
    reactions = rg.joint_reactions(mech, state, torques, wrenches)
    poses, twists = rg.body_poses(mech, state), rg.body_twists(mech, state)
    pushed = spring_wrenches(mech, state)
    largest = 1.0
    for name, joint in mech.joints.items():
        pose = rg.Pose() if joint.child == "world" else poses[joint.child]
        at = pose.apply(joint.child_pose.translation)
        wrench = np.concatenate([reactions[name][:3] + np.cross(at, reactions[name][3:]), reactions[name][3:]])
        pushed[joint.child] += wrench
        pushed[joint.parent] -= wrench
        largest = max(largest, np.abs(wrench).max())
    worst = 0.0
    for body, rate in zip(mech.bodies, body_accelerations(mech, state, a), strict=True):
        inertia, pose, spin, turning = mech.bodies[body].inertia, poses[body], twists[body][:3], rate[:3]
        arm = pose.rotation @ np.array(inertia.com)
        com = pose.translation + arm
        weight = inertia.mass * mech.gravity
        pushed[body] += np.concatenate([np.cross(com, weight), weight])
        if wrenches and body in wrenches:
            moment, force = wrenches[body][:3], wrenches[body][3:]
            pushed[body] += np.concatenate([moment + np.cross(pose.translation, force), force])
        force = inertia.mass * (rate[3:] + np.cross(turning, arm) + np.cross(spin, np.cross(spin, arm)))
        tensor = pose.rotation @ np.array(inertia.tensor) @ pose.rotation.T
        moment = tensor @ turning + np.cross(spin, tensor @ spin) + np.cross(com, force)
        worst = max(worst, np.abs(np.concatenate([moment, force]) - pushed[body]).max())
        largest = max(largest, np.abs(force).max(), np.abs(moment).max())
    return worst / largest
