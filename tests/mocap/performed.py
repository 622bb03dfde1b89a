"""Motions that Regraft simulates for bodies of any kind, on one foot, on two, in flight and from one foot to the other.

Joints follow curves that are analytic, and all torques and all forces of the ground are known. Nothing jumps but the torques, and
these only where a foot that is at rest takes over from another one.
"""

from math import erf
from typing import NamedTuple

import numpy as np

import regraft as rg
from mocap.simulated import lifted

TIGHT = {"rtol": 1e-10, "atol": 1e-11}
STEP_TIME, STEP_WIDTH = 0.5, 0.1  # s: to the middle of a step, and the width of the curve that it follows


class Act(NamedTuple):
    """Who stands on the ground, for how long, and how joints are to be accelerated meanwhile."""

    feet: tuple[str, ...]
    duration: float
    wanted: object
    """(t, v) -> (nv,)."""


class Performed(NamedTuple):
    """A motion whose torques and ground reactions are known."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    reactions: dict
    """(n, 6) by the body of each foot: moment about the world's origin, force; nothing where it does not stand."""


def base_dofs(mech):
    """The degrees of freedom between the world and the pelvis."""
    body, found = "world", []
    while body != "pelvis":
        name, joint = next((name, joint) for name, joint in mech.joints.items() if joint.parent == body)
        found += range(mech.v_slice(name).start, mech.v_slice(name).stop)
        body = joint.child
    return found


def swinging(mech, feet, duration=0.5, seed=0, still=()):
    """All joints but the still ones swing about as they like."""
    rng = np.random.default_rng(seed)
    rates, sizes = rng.uniform(4.0, 8.0, mech.nv), rng.uniform(-1.0, 1.0, mech.nv)
    for name in still:
        sizes[mech.v_slice(name)] = 0.0
    return [Act(feet, duration, lambda t, v: sizes * np.cos(rates * t) - 2.0 * v)]


def stepping(mech, state, left, right):
    """(state, acts): from the left foot to the right one; in between all is at rest for a moment, on both feet."""
    first, last = lifted(mech, state, "right", 0.12), lifted(mech, state, "left", 0.12)
    lands, leaves = rg.difference(mech, first.q, state.q), rg.difference(mech, state.q, last.q)

    def along(way):
        def wanted(t, _):
            s = (t - STEP_TIME) / STEP_WIDTH
            return way * (-2.0 * s / STEP_WIDTH**2 * np.exp(-(s**2)) / np.sqrt(np.pi))

        return wanted

    assert erf(-STEP_TIME / STEP_WIDTH) < -1.0 + 1e-11
    whole = 2.0 * STEP_TIME
    return first, [
        Act((left,), whole, along(lands)),
        Act((left, right), 0.2, lambda _, v: -100.0 * v),
        Act((right,), whole, along(leaves)),
    ]


def performed(mech, state, acts, step=0.005):
    """Simulate acts one after the other, and look at them at equal intervals."""
    rows, begin = [], 0.0
    times = step * np.arange(round(sum(act.duration for act in acts) / step))
    every = sorted({foot for act in acts for foot in act.feet})
    for act in acts:
        here = times[(times >= begin - 1e-9) & (times < begin + act.duration - 1e-9)] - begin
        found, state = _performed(mech, state, act, here, every)
        rows += found
        begin += act.duration
    q, v, a, tau, pushed = (np.array(x) for x in zip(*rows, strict=True))
    return Performed(times, q, v, a, tau, {foot: pushed[:, k] for k, foot in enumerate(every)})


def _performed(mech, state, act, times, every):
    moving, now = mech, state
    for foot in act.feet:
        at = rg.body_poses(moving, now)[foot].translation
        moving, now = rg.connect(moving, now, "world", foot, joint=rg.Fixed(), at=at, name=f"ground_{foot}")
    base = base_dofs(mech)
    others = [k for k in range(mech.nv) if k not in base]
    held = _held(mech, act, base)

    def applied(t, m, s):
        a, free = np.array(act.wanted(t, s.v), float), mech.state(s.q, s.v)
        M, bias = rg.mass_matrix(mech, free), rg.bias_force(mech, free)
        if act.feet:
            a = rg.consistent_acceleration(m, s, a, hold=held)
        else:
            a[base] = np.linalg.solve(M[np.ix_(base, base)], -(M[np.ix_(base, others)] @ a[others] + bias[base]))
        tau = M @ a + bias
        if act.feet:  # forces of the ground that need nothing of the base, as small as they can be
            J = np.concatenate([rg.jacobian(mech, free, foot) for foot in act.feet])
            tau -= J.T @ np.linalg.lstsq(J[:, base].T, tau[base], rcond=None)[0]
        tau[base] = 0.0
        return tau

    traj = rg.simulate(moving, now, act.duration, torque=applied, **TIGHT)
    rows = []
    for t in times:
        s = traj.state(t)
        tau = applied(t, moving, s)
        carried, poses = rg.joint_reactions(moving, s, tau), rg.body_poses(moving, s)
        pushed = np.zeros((len(every), 6))
        for foot in act.feet:
            joint = moving.joints[f"ground_{foot}"]
            place, wrench = (poses[foot] @ joint.child_pose).translation, carried[f"ground_{foot}"]
            pushed[every.index(foot)] = (*(wrench[:3] + np.cross(place, wrench[3:])), *wrench[3:])
        rows.append((s.q, s.v, rg.forward_dynamics(moving, s, tau), tau, pushed))
    last = traj.state(act.duration)
    return rows, mech.state(last.q, last.v)


def _held(mech, act, base):
    """The joints whose accelerations are as wanted: all but the base's, and but those of the legs where both feet stand."""
    above, legs = {joint.child: (name, joint.parent) for name, joint in mech.joints.items()}, set()
    for foot in act.feet if len(act.feet) > 1 else ():
        body = foot
        while body != "pelvis":
            name, body = above[body]
            legs.add(name)
    parts = {name: mech.v_slice(name) for name in mech.layout.names if name not in legs}
    return [name for name, part in parts.items() if part.stop > part.start and part.start not in base]
