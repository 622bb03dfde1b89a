"""Figures that Regraft simulates itself, on one foot, on two and in flight: torques and ground reactions are known."""

import warnings
from typing import NamedTuple

import numpy as np

import regraft as rg
from mocap.recorded_skeletons import skeleton
from regraft.mocap import Motion, body


class Simulated(NamedTuple):
    """A motion of a figure on a free joint, with the torques that were applied and the reactions of the ground."""

    motion: Motion
    tau: dict
    reactions: dict
    """(n, 6) of each foot on the ground: moment about the world's origin, force."""


def figure(mass=70.0):
    """A human figure on a free joint, its feet, and a state in which it stands."""
    found = body(skeleton("HumanIK", n=30), mass=mass, cutoff=None)
    return found, found.mech.state(found.q[0])


def lifted(mech, state, side, height=0.3):
    """The state with one foot lifted; all that is not of that side stays where it is, as far as it can."""
    keep = {name: pose for name, pose in rg.body_poses(mech, state).items() if side not in name}
    up = np.array([0.1, 0.0, height])
    high = {f"{side}_{end}": rg.frame_position(mech, state, f"{side}_{end}") + up for end in ("heel", "toe")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rg.RegraftWarning)  # what the targets leave open stays as it is
        return rg.inverse_kinematics(mech, {**keep, **high}, start=state, limits=False).states[0]


def simulated(grounded=("left_foot",), duration=0.5, step=0.004, seed=0):
    """A figure whose feet on the ground are welded to it and whose joints swing about; all torques that this takes are kept."""
    standing, state = figure()
    mech = standing.mech
    base = next(name for name, joint in mech.joints.items() if joint.parent == "world")
    rng = np.random.default_rng(seed)
    if grounded == ("left_foot",):
        state = lifted(mech, state, "right")
    moving, now = mech, state
    for k, foot in enumerate(grounded):
        if k == 0:
            moving, now = rg.reroot(moving, now, foot, joint=rg.Fixed(), name=f"ground_{foot}", align="current")
        else:
            at = rg.body_poses(moving, now)[foot].translation
            moving, now = rg.connect(moving, now, "world", foot, joint=rg.Fixed(), at=at, name=f"ground_{foot}")
    joints = [name for name in mech.layout.names if name != base]
    rates, sizes = rng.uniform(4.0, 8.0, moving.nv), rng.uniform(-1.0, 1.0, moving.nv)

    def torque(t, m, s):
        if not grounded:
            return {name: 0.1 * np.sin(rates[m.v_slice(name)] * t) for name in joints}
        wanted = sizes * np.cos(rates * t) - 2.0 * s.v
        return rg.inverse_dynamics(m, s, rg.consistent_acceleration(m, s, wanted) if len(grounded) > 1 else wanted)

    traj = rg.simulate(moving, now, duration, torque=torque)
    t, q, v, a = np.arange(0.0, duration, step), [], [], []
    tau, reactions = {name: [] for name in joints}, {foot: [] for foot in grounded}
    for at in t:
        s = traj.state(at)
        applied = torque(at, moving, s)
        rate = rg.forward_dynamics(moving, s, applied)
        held, poses = rg.joint_reactions(moving, s, applied), rg.body_poses(moving, s)
        for foot in grounded:
            place, wrench = poses[foot] @ moving.joints[f"ground_{foot}"].child_pose, held[f"ground_{foot}"]
            reactions[foot].append(np.concatenate((wrench[:3] + np.cross(place.translation, wrench[3:]), wrench[3:])))
        for name in joints:
            tau[name].append(applied[name] if isinstance(applied, dict) else applied[moving.v_slice(name)])
        loose, free = moving, s
        for foot in grounded[1:]:
            loose, free = rg.cut(loose, free, f"ground_{foot}")
        if grounded:
            loose, free, rate = rg.reroot(loose, free, "pelvis", joint=rg.Free(), name=base, acceleration=rate)
        q.append(np.concatenate([loose.joint_position(free, name) for name in mech.layout.names]))
        v.append(np.concatenate([loose.joint_velocity(free, name) for name in mech.layout.names]))
        a.append(np.concatenate([rate[loose.v_slice(name)] for name in mech.layout.names]))
    motion = Motion(mech, t, np.array(q), np.array(v), np.array(a), feet=standing.feet)
    return Simulated(motion, {k: np.array(x) for k, x in tau.items()}, {k: np.array(x) for k, x in reactions.items()})
