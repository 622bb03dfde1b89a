"""Impacts of several contacts at once: balls in a row, dominoes, a rocking block, and what no impact may do."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import rocking
from contacts.machines import dominoes
from contacts.reading import accumulations, distinct, impact_times, jumps, points_of
from contacts.scenes import ball, rocking_block, three_balls


def speeds(traj):
    return [float(traj.joint(f"{name} x").v[-1]) for name in ("first", "second", "third")]


@pytest.mark.parametrize("law", ["poisson", "stronge", "newton"])
def test_three_balls_at_once(law):
    traj = three_balls(restitution=1.0, law=law).run(0.2, impacts="simultaneous")
    assert speeds(traj) == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-14)
    assert impact_times(traj, "first")[0] == pytest.approx(0.05, abs=1e-12)


@pytest.mark.parametrize("law", ["poisson", "stronge", "newton"])
def test_three_balls_one_after_the_other(law):
    traj = three_balls(restitution=1.0, law=law).run(0.2, impacts="sequential")
    assert speeds(traj) == pytest.approx([0.0, 0.0, 1.0], abs=1e-14)


def test_simultaneous_is_what_comes_by_itself():
    assert speeds(three_balls(restitution=1.0).run(0.2)) == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-14)


def test_three_plastic_balls_go_on_together():
    for impacts in ("simultaneous", "sequential"):
        traj = three_balls(restitution=0.0).run(0.2, impacts=impacts)
        assert speeds(traj) == pytest.approx([1 / 3] * 3, abs=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("impacts", ["simultaneous", "sequential"])
def test_balls_in_a_row_keep_their_momentum(e, impacts):
    traj = three_balls(restitution=e).run(0.5, impacts=impacts)
    assert np.ptp(traj.momentum().linear[:, 0]) < 1e-13
    kinetic = traj.energy().kinetic
    assert (np.diff(kinetic) < 1e-14).all()
    if e == 1.0:
        assert np.ptp(kinetic) < 1e-14


def test_an_impact_has_its_impulse():
    traj = ball(1.0, restitution=0.5).run(0.6)
    (impact,) = traj.contacts()["ball"].impacts
    assert np.linalg.norm(impact.impulse) == pytest.approx(1.5 * math.sqrt(2 * 9.81), rel=1e-10)


def test_dominoes_topple_one_after_the_other():
    traj = dominoes(5, restitution=0.0, friction=0.2).run(1.2)  # later some are parallel: they touch along a line
    firsts = [impact_times(traj, f"pair {i}")[0] for i in range(1, 5)]
    assert (np.diff(firsts) > 0.01).all()
    assert all(traj.joint(f"hinge {i}").q[-1] > 0.2 for i in range(5))
    assert (np.diff(traj.energy().total) < 1e-9 * abs(traj.energy().total[0])).all()
    for i in range(1, 5):
        assert points_of(traj, f"pair {i}").gap.min() > -1e-10


def test_the_first_domino_meets_the_next_where_geometry_says():
    """Its round end, at 0.95 from the hinge, is 0.1 from the upright axis of the next: 0.95 sin θ = 0.5 − 0.1."""
    traj = dominoes(2, restitution=0.0).run(0.8)
    t = impact_times(traj, "pair 1")[0]
    before = next(i for i in jumps(traj) if traj.t[i] == t)
    angles, rates = traj.joint("hinge 0").q, [traj.joint(f"hinge {i}").v for i in (0, 1)]
    assert angles[before] == pytest.approx(math.asin(0.4 / 0.95), abs=1e-10)
    # plastic: the end and the point that it meets go on together along x, and impulses are equal and opposite
    height = 0.95 * math.cos(angles[before])
    after = [rate[before + 1] for rate in rates]
    assert height * after[0] == pytest.approx(height * after[1], abs=1e-10)
    assert after[0] + after[1] == pytest.approx(rates[0][before], abs=1e-10)


@pytest.mark.parametrize("angle", [0.05, 0.15])
def test_a_rocking_block_lands_when_housner_says(angle):
    times, rises = rocking(angle, 0.25, 1.0, 6)
    traj = rocking_block(angle, friction=2.0).run(float(times[-1]) + 0.01, rtol=1e-11, atol=1e-12)
    found = distinct(impact_times(traj, "block"))
    assert found[:6] == pytest.approx(times, abs=1e-9)
    middle = (times[:-1] + times[1:]) / 2
    turns = [abs(float(traj.state(t).q[2])) for t in middle]
    assert turns == pytest.approx(rises[:-1], abs=1e-8)


def test_a_rocking_block_comes_to_rest_by_one_event():
    times, _ = rocking(0.15, 0.25, 1.0, 400)
    traj = rocking_block(0.15, friction=2.0).run(float(times[-1]) + 1.0)
    (rest,) = accumulations(traj)
    assert rest[0] == pytest.approx(times[-1], abs=1e-8)
    assert "block" in rest[1]
    assert rest[2] > 20
    assert np.abs(traj.state(traj.t[-1]).q[2]) < 1e-10
    assert traj.steps < 20000


def test_a_flat_block_does_not_rock():
    """Housner's factor is negative for blocks wider than √2 of their height: it stops at once."""
    traj = rocking_block(0.05, width=2.0, height=1.0, friction=2.0).run(2.0)
    assert len(distinct(impact_times(traj, "block"))) == 1
    assert np.abs(rg.body_twists(*traj.final)["block"]).max() < 1e-10
