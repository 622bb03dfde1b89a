"""Random mechanisms and states for property tests, drawn by Hypothesis from a seed so that a failure shrinks and repeats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import regraft as rg

ALL_JOINTS = (
    rg.Revolute,
    rg.Prismatic,
    rg.Spherical,
    rg.Free,
    rg.Fixed,
    rg.Universal,
    rg.Cylindrical,
    rg.Planar,
    rg.Helical,
    rg.Guided,
)


IN_OTHER_LIBRARIES = tuple(kind for kind in ALL_JOINTS if kind is not rg.Guided)
"""The types that Pinocchio has too."""


def random_rotation(rng):
    q = rng.standard_normal(4)
    return rg.Pose.from_quaternion(q / np.linalg.norm(q)).rotation


def random_pose(rng, reach=0.7):
    return rg.Pose(random_rotation(rng), rng.uniform(-reach, reach, 3))


def random_inertia(rng):
    """A real body: a handful of point masses, so that every inequality holds."""
    masses, places = zip(*((rng.uniform(0.1, 0.6), rng.uniform(-0.5, 0.5, 3)) for _ in range(6)), strict=True)
    m, x = np.array(masses), np.array(places)
    com = m @ x / m.sum()
    second = (x - com).T @ (m[:, None] * (x - com))
    return rg.Inertia(m.sum(), com, np.trace(second) * np.eye(3) - second)


def random_curve(rng, slope=0.0):
    """A curve through (0, 0), of any sort that there is, whose slope is near to a given one."""
    wave = 0.15 * rng.standard_normal(7)
    if rng.integers(3) == 0:
        return rg.Curve.polynomial([0.0, slope, *(wave[:3] / (4.0, 8.0, 16.0))])
    x = np.linspace(-2.4, 2.4, 7) + rng.uniform(-0.2, 0.2, 7)
    x[3] = wave[3] = 0.0
    return rg.Curve.spline(x, slope * x + wave, str(rng.choice(["natural", "fmm"])), str(rng.choice(["line", "piece"])))


def random_guided(rng, **settings):
    """A guide with one to three turns and none to three shifts; the first motion goes on whatever the others do."""
    turns, shifts = rng.integers(1, 4), rng.integers(0, 4)
    slopes = [rng.uniform(0.6, 1.2), *(0.0,) * (turns - 1)]
    rotations = [(rng.standard_normal(3), random_curve(rng, slope)) for slope in slopes]
    translations = [(rng.standard_normal(3), random_curve(rng, rng.uniform(-0.3, 0.3))) for _ in range(shifts)]
    return rg.Guided(rotations, translations, inverse=bool(rng.integers(2)), **settings)


def random_joint(rng, kind, **settings):
    if kind is rg.Guided:
        return random_guided(rng, **settings)
    if kind in (rg.Revolute, rg.Prismatic, rg.Cylindrical, rg.Planar):
        return kind(rng.standard_normal(3), **settings)
    if kind is rg.Helical:
        return kind(rng.standard_normal(3), rng.uniform(-0.5, 0.5), **settings)
    if kind is rg.Universal:
        axis1 = rng.standard_normal(3)
        return kind(axis1, np.cross(axis1, rng.standard_normal(3)) + 0.3 * axis1, **settings)
    return kind(**settings)


def random_rest(rng, kind):
    """A position not so far from the neutral one that a state of `random_state` could be half a turn away from it."""
    step = rng.uniform(-0.3, 0.3, kind.nv)
    if kind.quaternion is None:
        return step
    turn = rng.standard_normal(3)
    turn *= rng.uniform(0.0, 0.3) / np.linalg.norm(turn)
    half = np.linalg.norm(turn) / 2
    return np.concatenate([step[: kind.quaternion], [np.cos(half)], np.sin(half) / (2 * half) * turn])


def random_settings(rng, kind, *, damping=False, limits=False, own=False, rotors=True):
    """Damping, and limits that a state of `random_state` is often beyond; with `own` rotors, springs and friction as well."""
    settings = {}
    if own:
        for what, most in (("armature", 0.5), ("stiffness", 40.0), ("friction", 3.0)):
            if rng.random() < 0.6:
                settings[what] = rng.uniform(0, most, kind.nv)
        settings["rest"] = random_rest(rng, kind)
        if not rotors:
            settings.pop("armature", None)
    if damping:
        settings["damping"] = rng.uniform(0, 2, kind.nv)
    if limits and kind.limited and rng.random() < 0.7:
        low = rng.uniform(-0.6, 0.2, kind.limited)
        high = low + rng.uniform(0.05, 0.6, kind.limited)
        if kind is rg.Spherical:  # an angle that is never below zero
            high = np.abs(high)
        settings["limits"] = rg.Limits(low, high, rng.uniform(10, 500), rng.uniform(0, 1))
    return settings


@dataclass
class Sample:
    """A mechanism with a state, torques and accelerations for it."""

    mech: rg.Mechanism
    state: rg.State
    tau: np.ndarray
    a: np.ndarray


def random_mechanism(
    rng,
    bodies=6,
    kinds=ALL_JOINTS,
    *,
    reverse=0.3,
    roots=1,
    poses=True,
    damping=False,
    limits=False,
    own=False,
    rotors=True,
    springs=0,
    root_kinds=None,
):
    """A tree of `bodies`; each joint is walked backwards with probability `reverse`; `roots` trees hang on the world."""
    mech = rg.Mechanism(gravity=rng.uniform(-10, 10, 3))
    names = [f"b{i}" for i in range(bodies)]
    for name in names:
        mech.add_body(name, random_inertia(rng))
    for i, name in enumerate(names):
        parent = "world" if i < roots else names[rng.integers(0, i)]
        allowed = root_kinds if parent == "world" and root_kinds else kinds
        kind = allowed[rng.integers(len(allowed))]
        settings = random_settings(rng, kind, damping=damping, limits=limits, own=own, rotors=rotors)
        joint = random_joint(rng, kind, **settings)
        ends = (name, parent) if rng.random() < reverse else (parent, name)
        placed = (random_pose(rng), random_pose(rng)) if poses else (rg.Pose(), rg.Pose())
        mech.add_joint(f"j{i}", joint, *ends, *placed)
    for s in range(springs):
        a, b = rng.choice(["world", *names], 2, replace=False)
        mech.add_spring(
            f"s{s}", str(a), rng.uniform(-0.5, 0.5, 3), str(b), rng.uniform(-0.5, 0.5, 3),
            stiffness=rng.uniform(1, 200), damping=rng.uniform(0, 5), rest_length=rng.uniform(0, 1),
        )  # fmt: skip
    return mech


def random_state(rng, mech):
    step = rng.uniform(-1.2, 1.2, mech.nv)
    q = rg.integrate(mech, mech.state().q, step)
    v = rng.standard_normal(mech.nv)
    if any(joint.type.friction.any() for joint in mech.joints.values()):
        v += np.copysign(0.3, v)  # friction changes within its slip speed, faster than a finite difference can see
    return mech.state(q=q, v=v)


def random_sample(rng, **options):
    mech = random_mechanism(rng, **options)
    return Sample(mech, random_state(rng, mech), rng.standard_normal(mech.nv) * 5, rng.standard_normal(mech.nv) * 5)


def samples(max_bodies=8, **options):
    """A strategy of samples: Hypothesis picks the seed and the number of bodies, and shrinks both."""

    def build(seed, bodies):
        wanted = {**options, "roots": min(options.get("roots", 1), bodies)}
        return random_sample(np.random.default_rng(seed), bodies=bodies, **wanted)

    return st.builds(build, st.integers(0, 2**32 - 1), st.integers(1, max_bodies))


def relative_error(found, expected):
    """The largest difference, relative to the largest expected number (and to 1 where all are small)."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape
    if expected.size == 0:
        return 0.0
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))
