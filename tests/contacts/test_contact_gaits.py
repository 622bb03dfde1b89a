"""Wheels and walkers by contacts alone: a rimless wheel against its closed form, S1's biped against re-rooting."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import least_slope, wheel_kept, wheel_period, wheel_rate
from contacts.machines import rimless_wheel, walker
from contacts.reading import distinct, impact_times, points_of

INERTIA = 0.5
EXACT = {"rtol": 1e-12, "atol": 1e-13}


def landings(traj, spokes=8):
    """When spokes land, each landing once, and the rate just after each."""
    times = distinct(np.concatenate([impact_times(traj, f"spoke {i}") for i in range(spokes)]))
    rate = lambda t: abs(rg.body_twists(traj.mechanism(t), traj.state(t))["wheel"][1])  # noqa: E731
    return times, np.array([rate(t) for t in times])


@pytest.mark.parametrize("inertia", [0.5, 0.02])  # none at all, as in the reference, would leave a free hub without inertia
def test_a_rimless_wheel_rolls_on_with_its_known_rate(inertia):
    period, rate = wheel_period(inertia=inertia), wheel_rate(inertia=inertia)
    traj = rimless_wheel(rate, inertia=inertia).run(5.5 * period, **EXACT)
    times, rates = landings(traj)
    assert times == pytest.approx(period * np.arange(1, 6), abs=1e-10)
    assert rates == pytest.approx([rate] * 5, abs=1e-10)


def test_a_rimless_wheel_forgets_its_start_at_the_known_pace():
    steady, off = wheel_rate(inertia=INERTIA), 1e-2
    _, rates = landings(rimless_wheel(steady + off, inertia=INERTIA).run(4.0, **EXACT))
    squares = np.concatenate([[(steady + off) ** 2], rates**2]) - steady**2  # ω² is multiplied by η² exactly
    assert squares[1:4] / squares[:3] == pytest.approx([wheel_kept(inertia=INERTIA) ** 2] * 3, abs=1e-7)


@pytest.mark.parametrize("beside", [1e-6, -1e-6])
def test_a_rimless_wheel_needs_the_least_slope(beside):
    slope = least_slope(inertia=INERTIA) + beside
    start = wheel_rate(slope, inertia=INERTIA)
    traj = rimless_wheel(start, slope, inertia=INERTIA).run(12.0, **EXACT)
    assert ("spoke 1" in landed(traj)) == (beside > 0)


def landed(traj):
    return {f"spoke {i}" for i in range(8) if len(impact_times(traj, f"spoke {i}"))}


def test_a_rimless_wheel_on_level_ground_stops_on_two_spokes():
    traj = rimless_wheel(1.0, slope=0.0, inertia=INERTIA).run(20.0)
    assert np.abs(rg.body_twists(*traj.final)["wheel"]).max() < 1e-9
    forces = [points_of(traj, f"spoke {i}").normal[-1, 0] for i in range(8)]
    assert sorted(forces)[-2:] == pytest.approx([9.81 / 2] * 2, abs=1e-8)


@pytest.fixture(scope="module")
def walks():
    """Six steps of S1's biped by re-rooting, and the same by contacts."""
    biped = rg.models.compass_biped()
    by_roots = rg.simulate(*biped.start, 4.6, events=biped.events, **EXACT)
    return biped, by_roots, walker(biped, by_roots).run(4.6, **EXACT)


def test_strikes_are_when_re_rooting_has_them(walks):
    _, by_roots, by_contacts = walks
    strikes = [t for t, name in by_roots.events if name.endswith("strike")]
    found = distinct(np.concatenate([impact_times(by_contacts, f"{leg} foot") for leg in ("left", "right")]))
    assert found == pytest.approx(strikes, abs=1e-9)
    assert len(strikes) == 6


def test_the_walk_is_the_same(walks):
    _, by_roots, by_contacts = walks
    for t in np.linspace(0.0, 4.6, 47):
        mine, theirs = (
            (rg.body_poses(traj.mechanism(t), traj.state(t)), rg.body_twists(traj.mechanism(t), traj.state(t)))
            for traj in (by_contacts, by_roots)
        )
        for leg in ("left", "right"):
            assert mine[0][leg].apply(np.eye(3)) == pytest.approx(theirs[0][leg].apply(np.eye(3)), abs=1e-9)
            assert mine[1][leg] == pytest.approx(theirs[1][leg], abs=1e-8)


def test_forces_on_the_standing_foot_are_those_of_its_hinge(walks):
    biped, by_roots, by_contacts = walks
    feet = [points_of(by_contacts, f"{leg} foot") for leg in ("left", "right")]
    upright = np.array([-math.sin(biped.slope), 0.0, math.cos(biped.slope)])
    strikes = np.array([t for t, _ in by_roots.events])
    looked_at = 0
    for j, t in enumerate(by_contacts.t):
        if np.abs(strikes - t).min() < 1e-6:
            continue
        force = sum(foot.normal[j, 0] * upright + foot.friction[j, 0] for foot in feet)
        hinge = rg.joint_reactions(by_roots.mechanism(t), by_roots.state(t))["stance"][3:]
        assert force == pytest.approx(hinge, abs=1e-6)
        looked_at += 1
    assert looked_at > 50


def test_the_gait_becomes_that_of_the_limit_cycle():
    biped = rg.models.compass_biped()
    by_roots = rg.simulate(*biped.start, 15 * 0.7344, events=biped.events, **EXACT)
    cycle = rg.gait.limit_cycle(*biped.start, events=biped.events, section="right strike")
    traj = walker(biped, by_roots).run(15 * 0.7344, **EXACT)
    times = distinct(impact_times(traj, "right foot"))
    assert np.diff(times)[-2:] == pytest.approx([cycle.period] * 2, abs=5e-5)
    assert np.diff(times) == pytest.approx(np.diff([t for t, name in by_roots.events if name == "right strike"]), abs=1e-9)
