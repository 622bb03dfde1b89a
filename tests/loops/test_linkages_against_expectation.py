"""Spatial linkages that move although counting says they cannot, and what happens in singular positions.

Bennett's linkage (1903): four hinges, opposite links of equal lengths a, b and twists α, β with a sin β = b sin α. One row of its
loop follows from the others in every closed position, and in no open one.
"""

from itertools import pairwise

import numpy as np
import pytest

import regraft as rg

HINGE = rg.Revolute((0, 0, 1))


def bennett(speed=3.0, a=1.0, b=0.7, alpha=0.6):
    """In its own gravity, askew."""
    beta, mech = np.arcsin(b / a * np.sin(alpha)), rg.Mechanism(gravity=(0, -3, -9.81))
    link_a, link_b = (rg.Pose.about((1, 0, 0), twist, (length, 0, 0)) for length, twist in ((a, alpha), (b, beta)))
    for name, length in (("crank", a), ("coupler", b), ("rocker", a)):
        mech.add_body(name, rg.Inertia.cylinder(length, 0.03, (0, 0, 0), (length, 0, 0)))
    mech.add_joint("motor", HINGE, "world", "crank", link_b)
    mech.add_joint("elbow", HINGE, "crank", "coupler", link_a)
    mech.add_joint("knee", HINGE, "coupler", "rocker", link_b)
    mech.add_joint("pivot", HINGE, "rocker", "world", link_a)
    turn = 1.0
    other = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(turn / 2))  # Bennett's relation
    rough = mech.state(q={"motor": turn, "elbow": other, "knee": turn}, v={"motor": speed})
    return mech, rg.assemble(mech, rough, hold=["motor"])


def plane_four_bar(crank, coupler, rocker, ground, speed):
    mech, angle = rg.Mechanism(), 0.9
    for name, length in (("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        mech.add_body(name, rg.Inertia.cylinder(length, 0.02, (0, 0, 0), (length, 0, 0)))
    mech.add_body("load", rg.Inertia.sphere(0.1, 0.05))
    mech.add_joint("hook", rg.Fixed(), "world", "load", rg.Pose(translation=(5, 0, 0)))
    mech.add_joint("motor", HINGE, "world", "crank")
    mech.add_joint("elbow", HINGE, "crank", "coupler", rg.Pose(translation=(crank, 0, 0)))
    mech.add_joint("pivot", HINGE, "world", "rocker", rg.Pose(translation=(ground, 0, 0)))
    far = rg.Pose(translation=(coupler, 0, 0)), rg.Pose(translation=(rocker, 0, 0))
    mech.add_joint("knee", HINGE, "coupler", "rocker", *far)
    tip = crank * np.exp(1j * angle)
    reach = abs(ground - tip)
    bend = np.arccos((coupler**2 + reach**2 - rocker**2) / (2 * coupler * reach))
    coupler_turn = np.angle(ground - tip) + bend
    rocker_turn = np.angle(tip + coupler * np.exp(1j * coupler_turn) - ground)
    rough = mech.state(q={"motor": angle, "elbow": coupler_turn - angle, "pivot": rocker_turn}, v={"motor": speed})
    return mech, rg.assemble(mech, rough, hold=["motor"])


def drift(traj):
    """Of energy, relative to the largest kinetic energy."""
    energy = traj.energy()
    return np.abs(energy.total - energy.total[0]).max() / energy.kinetic.max()


def test_bennetts_linkage_has_a_degree_of_freedom_that_counting_does_not_find():
    mech, state = bennett()
    found = rg.mobility(mech, state)
    assert found.dof == 1
    assert found.rank == found.joints - 1 == 3


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
@pytest.mark.parametrize("speed", [1.0, 3.0])
@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-7, 1e-9])
def test_loose_tolerances_do_not_lock_it(rtol, speed, coordinates):
    mech, state = bennett(speed)
    traj = rg.simulate(mech, state, 1.5, rtol=rtol, atol=0.1 * rtol, coordinates=coordinates)
    assert drift(traj) < 10.0 * rtol
    assert traj.rejected <= 0.25 * traj.steps


@pytest.mark.parametrize("model", [bennett, lambda: rg.models.bricard().start], ids=["Bennett", "Bricard"])
def test_fixed_steps_of_any_size_are_of_their_order(model):
    drifts = [drift(rg.simulate(*model(), 1.0, integrator="rk4", step=step)) for step in (0.02, 0.01, 0.005)]
    assert drifts[0] < 1e-3
    assert all(fine < coarse / 10.0 for coarse, fine in pairwise(drifts))


SHAPES = {"change point": (1.0, 2.0, 1.5, 2.5), "kite": (1.0, 2.0, 2.0, 1.0)}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_structure_may_change_in_a_singular_position(shape, rtol, coordinates):
    """All links are in line when the crank has made a turn: an event there neither costs energy nor ends the motion."""
    mech, state = plane_four_bar(*shape, speed=6.0)
    in_line = rg.when_joint("motor", 2 * np.pi, lambda mech, state: rg.cut(mech, state, "hook"), name="in line")
    traj = rg.simulate(mech, state, 1.6, events=in_line, rtol=rtol, atol=0.1 * rtol, coordinates=coordinates)
    assert [event.name for event in traj.events] == ["in line"]
    linkage = [traj.body(name) for name in ("crank", "coupler", "rocker")]
    assert all(np.isfinite(body.position).all() for body in linkage)
    assert drift(traj) < 100.0 * rtol
