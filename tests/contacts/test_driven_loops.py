"""Prescribed motion of joints that close loops beside contacts and dry friction: a linkage that kicks itself off the ground."""

import itertools
import math
import warnings

import numpy as np
import pytest

import regraft as rg
from contacts.reading import stretches
from contacts.scenes import IN_PLANE, at

WAYS = [("tip", "reduced"), ("motor", "reduced"), ("pivot", "reduced"), ("tip", "maximal")]
"""Which joint closes the loop, and in which coordinates."""
LENGTHS = {"crank": 0.2, "coupler": 0.5, "rocker": 0.4}
JOINTS = {
    "motor": ("base", "crank", at(), at()),
    "knee": ("crank", "coupler", at(x=0.2), at()),
    "pivot": ("base", "rocker", at(x=0.45), at()),
    "tip": ("coupler", "rocker", at(x=0.5), at(x=0.4)),
}


def kicker(closing, friction=0.0):
    """A four-bar linkage on a base that falls in a plane, with a foot on its coupler and two on its base."""
    mech = rg.Mechanism()
    mech.add_body("base", rg.Inertia.box(3.0, (0.5, 0.1, 0.1)))
    mech.add_joint("float", IN_PLANE, "world", "base")
    for name, length in LENGTHS.items():
        mech.add_body(name, rg.Inertia.cylinder(2 * length, 0.02, (0, 0, 0), (length, 0, 0)))
    for name in sorted(JOINTS, key=lambda name: name == closing):
        mech.add_joint(name, rg.Revolute((0, 1, 0), friction=friction), *JOINTS[name])
    for name, body, place in (("foot", "coupler", at(0.25, 0, -0.35)), ("heel", "base", at(-0.25, 0, -0.25))):
        mech.add_frame(name, body, place)
    return mech


def kicks(driven, closing, coordinates, duration=0.6, friction=0.0):
    """A run in which the joint `driven` swings as prescribed; and that motion."""
    plain = kicker("tip")
    rough = plain.state(q={"float": (0, 0.7, 0), "motor": 0.9, "knee": -0.6, "pivot": 1.3})
    first = rg.assemble(plain, rough, hold=["motor", "float"])
    begin = {name: plain.joint_position(first, name) for name in plain.joints}

    def told(t):
        return begin[driven][0] + 0.1 * math.sin(8 * t), 0.8 * math.cos(8 * t), -6.4 * math.sin(8 * t)

    mech = kicker(closing, friction)
    state = mech.state(q={name: begin[name] for name in mech.layout.names})
    state = rg.assemble(mech, state, q={driven: told(0)[0]}, v={driven: told(0)[1]}, hold=["float"])
    feet = [rg.Contact(name, friction=0.6, restitution=0.3) for name in ("foot", "heel")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traj = rg.simulate(mech, state, duration, contacts=feet, prescribed={driven: told}, coordinates=coordinates)
    return traj, told


def rates_at(traj, t):
    """By hinge: its velocity at a time."""
    mech, state = traj.mechanism(t), traj.state(t)
    return {name: mech.joint_velocity(state, name)[0] for name in JOINTS}


def integral(traj, a, b, power):
    """Of power(fine, samples) from a to b, by Gauss's rule on two halves; `fine` has the trajectory at these samples too."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    total = 0.0
    for low, high in itertools.pairwise(np.linspace(a, b, 3)):
        times = low + (high - low) * (nodes + 1) / 2
        fine = traj.resample(times)
        places = [int(np.argmin(np.abs(fine.t - t))) for t in times]
        total += (high - low) / 2 * float(weights @ power(fine, times, places))
    return total


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("driven", ["tip", "motor"])
def test_a_driven_linkage_lands_the_same_however_it_is_described(driven, friction):
    runs = [kicks(driven, *way, friction=friction) for way in WAYS]
    first, told = runs[0]
    assert {"foot touches", "foot comes to rest"} <= {event.name for event in first.events}
    touches = [event.t for event in first.events if event.name == "foot touches"]
    for traj, _ in runs:
        assert [event.t for event in traj.events if event.name == "foot touches"] == pytest.approx(touches, abs=1e-10)
        for t in (0.1, 0.3, 0.6):
            here, there = (rg.body_poses(run.mechanism(t), run.state(t)) for run in (traj, first))
            for name in (*LENGTHS, "base"):
                assert here[name].translation == pytest.approx(there[name].translation, abs=1e-10)
        for t in traj.t:  # impacts do not stop it, and contacts do not push it off its way
            mech, state = traj.mechanism(t), traj.state(t)
            assert mech.joint_position(state, driven)[0] == pytest.approx(told(t)[0], abs=1e-11)
            assert mech.joint_velocity(state, driven)[0] == pytest.approx(told(t)[1], abs=1e-10)


@pytest.mark.parametrize(("closing", "coordinates"), [WAYS[0], WAYS[-1]])
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_what_the_driver_puts_in_is_what_energy_gains_and_friction_takes(closing, coordinates, friction):
    """Between impacts; the driver also overcomes the friction of its own joint, which no contact has."""
    traj, _ = kicks("tip", closing, coordinates, friction=friction)
    total, lost = traj.energy().total, traj.contacts().dissipated

    def power(fine, times, places):
        rates = np.array([rates_at(traj, t)["tip"] for t in times])
        own = friction * rates**2 / np.sqrt(rates**2 + rg.tolerances.SLIP_SPEED**2)
        return fine.torques()["tip"][places] * rates - own

    long = [part for part in stretches(traj) if np.ptp(traj.t[part]) > 0.05]
    assert long
    for part in long:
        a, b = part.start, part.stop - 1
        gained = total[b] + lost[b] - total[a] - lost[a]
        assert gained == pytest.approx(integral(traj, traj.t[a], traj.t[b], power), abs=1e-9)


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_dry_friction_holds_a_joint_beside_a_driven_loop(coordinates):
    """An arm on the base keeps its angle to it as long as less acts than its friction: it does not creep."""
    mech = kicker("tip")
    mech.add_body("arm", rg.Inertia.cylinder(0.2, 0.01, (0, 0, 0), (0.2, 0, 0)))
    mech.add_joint("shoulder", rg.Revolute((0, 1, 0), friction=20.0), "base", "arm", at(z=0.1))
    rough = mech.state(q={"float": (0, 2.0, 0), "motor": 0.9, "knee": -0.6, "pivot": 1.3, "shoulder": 0.4})
    state = rg.assemble(mech, rough, hold=["motor", "float", "shoulder"])
    begin = mech.joint_position(state, "tip")[0]
    swing = {"tip": lambda t: (begin + 0.05 * math.sin(8 * t) ** 2, 0.4 * math.sin(16 * t), 6.4 * math.cos(16 * t))}
    traj = rg.simulate(mech, state, 0.4, prescribed=swing, coordinates=coordinates)
    assert not traj.events
    assert np.ptp([mech.joint_position(traj.state(t), "shoulder")[0] for t in traj.t]) < 1e-11
