"""Cylinders that come down on a flat end, or rock on it: the points that it stands on, and its rim, which may be in one place."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.scenes import IN_PLANE, at

RADIUS, HEIGHT = 0.1, 0.6


@pytest.mark.parametrize("degrees", [0, 30, 60])
def test_a_cylinder_that_comes_down_flat_within_a_plane_comes_to_rest(degrees):
    """At 0 and 60 degrees one of the points that it then stands on is where the rim is lowest, at 30 degrees none."""
    mech = rg.Mechanism()
    mech.add_body("tin", rg.Inertia.cylinder(1.0, RADIUS, (0, 0, -RADIUS), (0, 0, RADIUS)))
    mech.add_joint("free", rg.Free(), "world", "tin")
    mech.add_shape("tin", rg.Cylinder(RADIUS, 2 * RADIUS), "sides", rg.Pose.about((0, 0, 1), math.radians(degrees)))
    state = mech.state(q={"free": (0, 0, 0.3, 1, 0, 0, 0)}, v={"free": (1, 0, 0, 0, 2, 0)})
    traj = rg.simulate(mech, state, 1.0, contacts=rg.Contact("tin", friction=0.5))
    assert abs(traj.final[1].v).max() < 1e-9
    assert traj.final[1]["free"].q[2] == pytest.approx(RADIUS, abs=1e-10)
    kept = traj.energy().total + traj.contacts().dissipated
    np.testing.assert_allclose(kept, kept[0], rtol=1e-9)


def test_a_cylinder_rocks_on_its_rim_as_a_block_does_on_its_edges():
    mech = rg.Mechanism()
    mech.add_body("tin", rg.Inertia.cylinder(2.0, RADIUS, (0, 0, -HEIGHT / 2), (0, 0, HEIGHT / 2)))
    mech.add_joint("plane", IN_PLANE, "world", "tin")
    mech.add_shape("tin", rg.Cylinder(RADIUS, HEIGHT), "sides")
    for name, x in (("left", -RADIUS), ("right", RADIUS)):
        mech.add_frame(name, "tin", at(x=x, z=-HEIGHT / 2))
    edge = rg.Pose.about((0, -1, 0), 0.1).apply((-RADIUS, 0, -HEIGHT / 2))
    state = mech.state(q={"plane": (0.0, -edge[2], 0.1)})
    rim, edges = (
        rg.simulate(mech, state, 2.2, contacts=[rg.Contact(name, friction=0.8) for name in names])
        for names in (("tin",), ("left", "right"))
    )
    for t in np.linspace(0.0, 2.2, 45):
        np.testing.assert_allclose(rim.state(t).q, edges.state(t).q, rtol=0, atol=1e-7)
