"""Inverse kinematics as an ordinary least-squares problem in NumPy, to compare with."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import regraft as rg
from random_mechanisms import random_mechanism, random_rotation, random_state


def rotation_vector(R):
    return Rotation.from_matrix(R).as_rotvec()


def weighted_misses(mech, targets, q, frame=0):
    """The residuals √w · miss of one frame, one after another."""
    state = mech.state(q=q)
    poses, found = rg.body_poses(mech, state), []

    def place(name):
        if name in mech.frames:
            return poses[mech.frames[name].body] @ mech.frames[name].pose
        return poses[name]

    for name, target in targets.items():
        if isinstance(target, rg.Marker):
            goal = np.atleast_2d(target.positions)[frame]
            found.append(np.sqrt(target.weight) * (place(target.on or name).apply(target.at) - goal))
        elif isinstance(target, rg.PoseTarget):
            here = place(target.on or name)
            if target.position is not None:
                found.append(np.sqrt(target.weight) * (here.translation - np.atleast_2d(target.position)[frame]))
            if target.orientation is not None:
                goal = np.asarray(target.orientation).reshape(-1, 3, 3)[frame]
                found.append(np.sqrt(target.turn_weight) * rotation_vector(goal.T @ here.rotation))
        else:
            joint = target.on or name
            whole = np.array(q, float)
            whole[mech.q_slice(joint)] = np.atleast_2d(target.values)[frame]
            found.append(np.sqrt(target.weight) * rg.difference(mech, q, whole)[mech.v_slice(joint)])
    return np.concatenate([miss[np.isfinite(miss)] for miss in found])


def cost(mech, targets, q, frame=0):
    return 0.5 * float((weighted_misses(mech, targets, q, frame) ** 2).sum())


def gradient(mech, targets, q, frame=0, step=1e-5):
    """Of the cost along each velocity, by differences of the fourth order."""
    found = np.empty(mech.nv)
    for d in range(mech.nv):
        e = np.eye(mech.nv)[d] * step
        at = [cost(mech, targets, rg.integrate(mech, q, k * e), frame) for k in (1, -1, 2, -2)]
        found[d] = (8 * (at[0] - at[1]) - (at[2] - at[3])) / (12 * step)
    return found


def marked(rng, mech, state, noise=0.0, each=3):
    """Markers on all bodies, where they are in a state, and some noise."""
    poses, found = rg.body_poses(mech, state), {}
    for name in mech.bodies:
        for j in range(each):
            at = rng.uniform(-0.5, 0.5, 3)
            seen = poses[name].apply(at) + noise * rng.standard_normal(3)
            found[f"{name} {j}"] = rg.Marker(seen, weight=rng.uniform(0.3, 3.0), on=name, at=at)
    return found


def mixed(rng, mech, state, noise):
    """Markers, poses of frames and joint coordinates, all somewhat off."""
    targets, poses = marked(rng, mech, state, noise, each=1), rg.body_poses(mech, state)
    for i, name in enumerate(mech.bodies):
        turn = rg.Pose.about(rng.standard_normal(3), noise * rng.standard_normal()).rotation
        if i % 2:
            targets[name] = rg.PoseTarget(poses[name].translation, poses[name].rotation @ turn, rng.uniform(0.5, 2), 0.3)
        else:
            targets[name] = rg.PoseTarget(orientation=random_rotation(rng) if noise > 1 else poses[name].rotation @ turn)
    near = rg.integrate(mech, state.q, noise * rng.standard_normal(mech.nv))
    for name in mech.layout.names[::2]:
        if mech.q_slice(name).stop > mech.q_slice(name).start:
            targets[name] = rg.JointTarget(near[mech.q_slice(name)], weight=0.2)
    return targets


def moved(rng, mech, state, by=0.3):
    """A start near a state."""
    return rg.integrate(mech, state.q, rng.uniform(-by, by, mech.nv))


def sample(seed, **options):
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, bodies=int(rng.integers(2, 8)), **options)
    return rng, mech, random_state(rng, mech)
