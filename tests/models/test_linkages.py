"""Overconstrained loops: they have the one degree of freedom that a count of joints denies them, and keep it."""

import math

import numpy as np
import pytest

import regraft as rg


def count(mech):
    """What Grübler and Kutzbach count: six for a body, less what each joint holds."""
    return 6 * len(mech.bodies) - sum(6 - joint.type.nv for joint in mech.joints.values())


@pytest.mark.parametrize(
    ("model", "counted"), [(rg.models.four_bar(), -2), (rg.models.bricard(), 0)], ids=["four_bar", "bricard"]
)
def test_it_has_one_degree_of_freedom_and_keeps_energy_and_loop_for_20_s(model, counted):
    assert count(model.mech) == counted
    traj = rg.simulate(*model.start, 20.0)
    energy = traj.energy()
    assert energy.kinetic.max() > 5.0
    assert np.abs(energy.total - energy.total[0]).max() < 1e-7
    error = traj.loop_error()
    assert error.position.max() < 1e-12
    assert error.velocity.max() < 1e-8  # where rods turn at up to 10 rad/s
    for t in np.linspace(0.0, 20.0, 21):
        assert rg.mobility(model.mech, traj.state(t)).dof == 1


def test_the_crank_of_the_four_bar_turns_and_its_rocker_rocks():
    traj = rg.simulate(*rg.models.four_bar(angle=0.3, speed=8.0).start, 3.0)
    assert np.ptp(traj.joint("motor").q) > 2 * math.pi
    # the rocker turns back where crank and coupler are in line: triangles with the sides 1, 0.8 and 1.1 ± 0.4
    stops = [math.acos((1.0 + 0.64 - side**2) / (2 * 0.8)) for side in (0.7, 1.5)]
    assert math.pi - traj.joint("pivot").q.max() == pytest.approx(stops[0], abs=1e-3)
    assert math.pi - traj.joint("pivot").q.min() == pytest.approx(stops[1], abs=1e-3)


def test_bricards_linkage_turns_about_the_diagonal_of_its_cube_threefold():
    """Every other hinge does the same: the motion keeps the symmetry of the six edges."""
    model = rg.models.bricard()
    traj = rg.simulate(*model.start, 5.0)
    names = [f"hinge {number}" for number in range(1, 6)]
    odd, even = np.array([traj.joint(name).q for name in names[::2]]), np.array([traj.joint(name).q for name in names[1::2]])
    assert np.ptp(odd) > 2.0
    assert np.abs(odd - odd[0]).max() < 1e-8
    assert np.abs(even - even[0]).max() < 1e-8


def test_rods_that_cannot_meet_are_refused():
    with pytest.raises(rg.ModelError, match="cannot meet"):
        rg.models.four_bar(ground=3.0)
    with pytest.raises(rg.ModelError, match="crank must be positive"):
        rg.models.four_bar(crank=0.0)
