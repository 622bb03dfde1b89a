"""Scenes that one tries first, written as the documentation says: they run, obey the laws and end as they should."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.machines import corners
from contacts.scenes import at
from contacts.test_energy_balance import missing


def free(mech, name, inertia, **shapes):
    """A body that floats, with these shapes."""
    mech.add_body(name, inertia)
    mech.add_joint(f"{name} free", rg.Free(), "world", name)
    for shape, form in shapes.items():
        mech.add_shape(name, form, shape)


def nothing_is_inside(traj):
    return min(history.gap.min() for history in traj.contacts().values()) > -1e-10


def test_a_chair_that_is_tipped_over_falls_on_its_back_and_lies_still():
    mech = rg.Mechanism()
    free(mech, "chair", rg.Inertia.box(5.0, (0.4, 0.4, 0.5)))
    places = [*corners((0.4, 0.4, 0.9)), (-0.2, 0.2, 0.5), (-0.2, -0.2, 0.5), (0.2, 0.2, 0.0), (0.2, -0.2, 0.0)]
    for k, place in enumerate(places):
        mech.add_frame(f"point {k}", "chair", rg.Pose(translation=place))
    tilt = rg.Pose.about((0, 1, 0), -0.35)
    height = -min(tilt.apply(np.array(place))[2] for place in places)
    state = mech.state(q={"chair free": (0, 0, height, *tilt.quaternion)}, v={"chair free": (0, 0, 0, 0.2, -2.5, 0)})
    traj = rg.simulate(mech, state, 3.0, contacts=[rg.Contact(f"point {k}", friction=0.6) for k in range(len(places))])
    assert np.abs(traj.final[1].v).max() < 1e-9
    assert traj.body("chair").rotation[-1][2, 2] < 0.3  # it lies
    assert nothing_is_inside(traj)
    assert missing(traj) < 1e-9


def test_two_fingers_close_on_a_box_and_lift_it():
    mech = rg.Mechanism()
    mech.add_body("hand", rg.Inertia.box(1.0, (0.2, 0.2, 0.1)))
    mech.add_joint("lift", rg.Prismatic((0, 0, 1), stiffness=2000.0, damping=120.0, rest=0.35), "world", "hand")
    for side, name in ((1, "left"), (-1, "right")):
        mech.add_body(name, rg.Inertia.box(0.2, (0.02, 0.06, 0.2)))
        slide = rg.Prismatic((1, 0, 0), stiffness=800.0, damping=30.0, rest=side * 0.02)
        mech.add_joint(f"{name} slide", slide, "hand", name, at(z=-0.15))
        mech.add_shape(name, rg.Plane(), f"{name} pad", at(x=-side * 0.01) @ rg.Pose.about((0, 1, 0), -side * math.pi / 2))
    free(mech, "box", rg.Inertia.box(0.3, (0.08, 0.08, 0.1)))
    contacts = []
    for k, place in enumerate((*corners((0.08, 0.08, 0.1)), *corners((0.08, 0.08, 0.1), 1.0))):
        mech.add_frame(f"corner {k}", "box", rg.Pose(translation=place))
        contacts.append(rg.Contact(f"corner {k}", "left pad" if place[0] > 0 else "right pad", friction=0.8, name=f"grip {k}"))
        if place[2] < 0:
            contacts.append(rg.Contact(f"corner {k}", friction=0.5, name=f"floor {k}"))
    q = {"box free": (0.005, 0, 0.05, 1, 0, 0, 0), "lift": 0.2, "left slide": 0.08, "right slide": -0.08}
    traj = rg.simulate(mech, mech.state(q=q), 2.0, contacts=contacts)
    assert traj.body("box").position[-1, 2] > 0.14
    assert traj.contacts()["floor 0"].mode[-1] == "open"
    assert all(traj.contacts()[f"grip {k}"].mode[-1] == "sticking" for k in range(8))
    assert nothing_is_inside(traj)


def test_a_ball_rolls_off_a_table_and_bounces_on_the_floor():
    mech = rg.Mechanism()
    free(mech, "ball", rg.Inertia.sphere(0.5, 0.1), skin=rg.Sphere(0.1))
    mech.add_shape("world", rg.Box((1.0, 1.0, 0.1)), "table", at(z=0.75))
    state = mech.state(q={"ball free": (0, 0, 0.9, 1, 0, 0, 0)}, v={"ball free": (1, 0, 0, 0, 0, 0)})
    contacts = [rg.Contact("skin", "table", friction=0.4), rg.Contact("skin", friction=0.4, restitution=0.6, name="floor")]
    traj = rg.simulate(mech, state, 3.0, contacts=contacts)
    assert traj.body("ball").position[:, 2].min() > 0.1 - 1e-10
    assert len(traj.contacts()["floor"].impacts) > 3
    assert missing(traj) < 1e-9


@pytest.mark.parametrize("balls", [3, 5])
def test_a_cradle_passes_the_swing_on_to_the_last_ball(balls):
    mech, contacts = rg.Mechanism(), []
    for i in range(balls):
        mech.add_body(f"ball {i}", rg.Inertia(1.0, (0, 0, -1.0), 0.001 * np.eye(3)))
        mech.add_joint(f"string {i}", rg.Revolute((0, 1, 0)), "world", f"ball {i}", at(x=0.1 * i, z=1.2))
        mech.add_shape(f"ball {i}", rg.Sphere(0.05), f"skin {i}", at(z=-1.0))
        if i:
            contacts.append(rg.Contact(f"skin {i - 1}", f"skin {i}", restitution=1.0, name=f"pair {i}"))
    traj = rg.simulate(mech, mech.state(q={"string 0": 0.5}), 1.2, contacts=contacts, impacts="sequential")
    swings = [np.abs(traj.joint(f"string {i}").q).max() for i in range(balls)]
    assert swings[-1] == pytest.approx(0.5, abs=1e-3)  # at the samples
    assert max(swings[1:-1]) < 1e-6
    assert missing(traj) < 1e-9
