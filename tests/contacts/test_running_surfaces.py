"""Surfaces that run over their bodies, as belts do: they run along themselves, whatever their velocity is given as."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import G
from contacts.scenes import at, free_body


def kept(traj):
    """Energy, with what friction took and what surfaces brought."""
    return traj.energy().total + traj.contacts().dissipated - traj.contacts().supplied


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_what_of_a_velocity_is_across_the_surface_counts_nothing(restitution):
    mech, state = free_body("ball", rg.Inertia.sphere(1.0, 0.1), at(z=0.5), form=rg.Sphere(0.1))
    ends = []
    for velocity in ((1, 0, 0), (1, 0, 2), (1, 0, -2)):
        contact = rg.Contact("ball", friction=0.5, restitution=restitution, velocity=velocity)
        traj = rg.simulate(mech, state, 1.0, contacts=contact)
        np.testing.assert_allclose(kept(traj), kept(traj)[0], rtol=1e-11)
        ends.append(np.concatenate((traj.final[1].q, traj.final[1].v)))
    np.testing.assert_allclose(ends, [ends[0]] * 3, rtol=0, atol=1e-12)


def test_an_inclined_belt_carries_a_box_up():
    """A level velocity of 1 m/s is cos α along the slope; friction brings the box to that speed."""
    slope, mu, t = 0.3, 0.5, 1.5
    up = rg.Pose.about((0, -1, 0), slope)
    pose = up @ at(z=0.025)
    mech, state = free_body("box", rg.Inertia.box(1.0, (0.2, 0.2, 0.05)), pose, form=rg.Box((0.2, 0.2, 0.05)))
    mech.add_shape("world", rg.ground(slope=slope), "belt")
    traj = rg.simulate(mech, mech.state(q=state.q), t, contacts=rg.Contact("box", "belt", friction=mu, velocity=(1, 0, 0)))
    speed = math.cos(slope)
    gains = G * (mu * math.cos(slope) - math.sin(slope))
    way = speed * (t - speed / (2 * gains))
    assert traj.body("box").position[-1] == pytest.approx(pose.translation + way * up.rotation[:, 0], abs=1e-11)
    np.testing.assert_allclose(kept(traj), kept(traj)[0], atol=1e-9)


@pytest.mark.parametrize("friction", [0.2, 2.0])
@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize("form", [rg.Sphere(0.5), rg.Cylinder(0.5, 4.0)], ids=["sphere", "cylinder"])
def test_energy_balances_on_curved_surfaces_that_run(form, turns, friction):
    mech, state = free_body("ball", rg.Inertia.sphere(1.0, 0.1), at(0.02, 0.01, 0.62), form=rg.Sphere(0.1))
    if turns:
        mech.add_body("drum", rg.Inertia.sphere(3.0, 0.5))
        mech.add_joint("axle", rg.Revolute((0, 1, 0.2)), "world", "drum")
    mech.add_shape("drum" if turns else "world", form, "skin", rg.Pose.about((1, 0, 0), math.pi / 2))
    start = mech.state(q={"ball free": state.q}, v={"axle": 1.5} if turns else {})
    traj = rg.simulate(mech, start, 1.0, contacts=rg.Contact("ball", "skin", friction=friction, velocity=(0.4, 0.3, 0.2)))
    assert traj.contacts().supplied[-1] != 0.0
    np.testing.assert_allclose(kept(traj), kept(traj)[0], rtol=0, atol=4e-9)
