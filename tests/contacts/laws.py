"""What holds for every run with contacts, whatever touches whatever."""

from __future__ import annotations

import numpy as np

import regraft as rg
from contacts.reading import OPEN, SLIDING, STICKING, jumps, points_of, stretches, work_within
from regraft.tolerances import AHEAD_BELOW

GAP, CONE, SLIP = 1e-10, 1e-9, 1e-9


def coefficients(touch):
    """(static, kinetic) friction."""
    mu = touch.settings.get("friction", 0.0)
    return mu if isinstance(mu, tuple) else (mu, mu)


def named(scene):
    return [(touch.settings.get("name", touch.a), touch) for touch in scene.touches]


def check_laws(traj, scene):
    """Nothing pulls, nothing penetrates, friction is within its cone and against the slip, and what sticks does not slip."""
    for name, touch in named(scene):
        static, kinetic = coefficients(touch)
        found = points_of(traj, name)
        scale = max(1.0, float(found.normal.max(initial=0.0)))
        assert set(np.unique(found.mode)) <= {OPEN, STICKING, SLIDING}
        assert found.normal.min() >= -CONE * scale
        assert found.gap.min() >= -GAP
        away, sticks, slides = (found.mode == mode for mode in (OPEN, STICKING, SLIDING))
        assert np.abs(found.normal[away]).max(initial=0.0) == 0.0
        assert found.rubs[away].max(initial=0.0) == 0.0
        assert np.abs(found.gap[~away]).max(initial=0.0) < GAP
        assert (found.rubs - static * found.normal)[sticks].max(initial=-1.0) <= CONE * scale
        assert found.slips[sticks].max(initial=0.0) < SLIP
        assert np.abs(found.rubs - kinetic * found.normal)[slides].max(initial=0.0) < CONE * scale
        power = np.einsum("tpk,tpk->tp", found.friction, found.slip)
        opposed, fast = power + found.rubs * found.slips, slides & (found.slips > AHEAD_BELOW)
        assert np.abs(opposed[fast]).max(initial=0.0) < CONE * scale * (1 + found.slips.max())
        assert power[slides].max(initial=0.0) < 10 * CONE * scale  # slower ones are along the slip of a moment later


def check_impacts(traj):
    """No event adds energy."""
    total, before = traj.energy().total, jumps(traj)
    room = 1e-9 * max(1.0, np.abs(total).max())
    assert (total[before + 1] - total[before]).max(initial=-1.0) <= room


def check_balance(traj, scene):
    """Between events energy changes by the work of friction alone; joints of the scene must not be damped."""
    total, power = traj.energy().total, np.zeros(len(traj.t))
    for name, _ in named(scene):
        found = points_of(traj, name)
        power += np.einsum("tpk,tpk->t", found.friction, found.slip)
    room, long_enough = 1e-9 * max(1.0, np.abs(total).max()), 0
    for part in stretches(traj):
        change = total[part][-1] - total[part][0]
        assert change < room
        if part.stop - part.start >= 7:  # else samples are too few to integrate between them
            long_enough += 1
            assert abs(change - work_within(traj.t[part], power[part])) < room
    assert long_enough


def check_flight(traj, scene, gravity):
    """While nothing is touched, momentum changes by gravity alone, and angular momentum about the centre of mass does not."""
    touched = np.any([(points_of(traj, name).mode != OPEN).any(axis=1) for name, _ in named(scene)], axis=0)
    momentum, com = traj.momentum(), traj.center_of_mass()
    mass = sum(body.inertia.mass for body in scene.mech.bodies.values())
    about = momentum.angular - np.cross(com, momentum.linear)
    flights = 0
    for part in stretches(traj):
        if touched[part].any():
            continue
        flights += 1
        linear = momentum.linear[part] - mass * np.outer(traj.t[part], gravity)
        assert np.ptp(linear, axis=0).max() < 1e-8 * max(1.0, np.abs(linear).max())
        assert np.ptp(about[part], axis=0).max() < 1e-8 * max(1.0, np.abs(about[part]).max())
    return flights


def same_motion(one, other, times, bodies, tolerance):
    """Whether two runs have their bodies in the same places, moving likewise."""
    for t in times:
        found = [(rg.body_poses(r.mechanism(t), r.state(t)), rg.body_twists(r.mechanism(t), r.state(t))) for r in (one, other)]
        for body in bodies:
            (pose, twist), (pose2, twist2) = ((poses[body], twists[body]) for poses, twists in found)
            assert np.abs(pose.apply(np.eye(3)) - pose2.apply(np.eye(3))).max() < tolerance, (t, body)
            assert np.abs(twist - twist2).max() < 100 * tolerance, (t, body)
