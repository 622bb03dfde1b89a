"""Contact points on the bodies of any mechanism: they are where frames are, and as fast as these move."""

from __future__ import annotations

import numpy as np
import pytest
from contact_entries import meetings_at
from hypothesis import given
from hypothesis import strategies as st
from meeting_shapes import parts

import regraft as rg
from random_mechanisms import random_pose, samples
from regraft.kernels.contacts import tables as t
from regraft.structure.contacts import points_of


def meetings(mech, state, contacts):
    found = points_of(mech, contacts)
    out = found.new_meetings()
    meetings_at(mech.structure.work, np.concatenate((state.q, state.v)), found.points, found.shapes, found.profiles, out)
    return [parts(row) for row in out]


@given(samples(roots=2), st.integers(0, 10**6))
def test_a_frame_touches_where_it_is_and_its_place_moves_as_it_does(sample, seed):
    mech, state = sample.mech, sample.state
    rng = np.random.default_rng(seed)
    for body in mech.bodies:
        mech.add_frame(f"{body} tip", body, random_pose(rng))
    mech.add_shape("world", rg.ground(0.2, -0.3), "hill", random_pose(rng))
    plane = mech.shapes["hill"].pose @ mech.shapes["hill"].form.plane
    for body, row in zip(
        mech.bodies, meetings(mech, state, [rg.Contact(f"{body} tip", "hill") for body in mech.bodies]), strict=True
    ):
        place, twist = rg.frame_position(mech, state, f"{body} tip"), rg.frame_twist(mech, state, f"{body} tip")
        size = 1.0 + np.abs(place).max()
        np.testing.assert_allclose(row["point"], place, rtol=0, atol=1e-11 * size)
        np.testing.assert_allclose(row["point_rate"], twist[3:], rtol=0, atol=1e-11 * size * (1.0 + np.abs(twist).max()))
        assert row["gap"] == pytest.approx(plane.inverse().apply(place)[2], abs=1e-11 * size)
        np.testing.assert_allclose(row["normal"], plane.rotation[:, 2], atol=1e-14)


@given(samples(roots=2), st.integers(0, 10**6))
def test_balls_on_two_bodies_touch_as_their_centres_say(sample, seed):
    mech, state = sample.mech, sample.state
    rng = np.random.default_rng(seed)
    bodies = [*mech.bodies, "world"]
    for body in bodies:
        pose = random_pose(rng)
        mech.add_shape(body, rg.Sphere(0.2), f"{body} ball", pose)
        mech.add_frame(f"{body} centre", body, pose)
    pairs = [(a, b) for a in bodies for b in bodies if a < b]
    rows = meetings(mech, state, [rg.Contact(f"{a} ball", f"{b} ball", name=f"{a}, {b}") for a, b in pairs])
    for (a, b), row in zip(pairs, rows, strict=True):
        places = [rg.frame_position(mech, state, f"{body} centre") for body in (a, b)]
        speeds = [rg.frame_twist(mech, state, f"{body} centre")[3:] for body in (a, b)]
        apart, rate = places[0] - places[1], speeds[0] - speeds[1]
        distance, size = float(np.linalg.norm(apart)), 1.0 + np.abs(places).max()
        if distance < 1e-3:
            continue
        n = apart / distance
        assert row["gap"] == pytest.approx(distance - 0.4, abs=1e-11 * size)
        np.testing.assert_allclose(row["normal"], n, atol=1e-11 * size / distance)
        bound = 1e-10 * size * (1.0 + np.abs(speeds).max()) / distance**2
        np.testing.assert_allclose(row["normal_rate"], (rate - n * (n @ rate)) / distance, rtol=0, atol=bound)
        np.testing.assert_allclose(row["point"], places[0] - 0.2 * n, atol=1e-11 * size / distance)
        np.testing.assert_allclose(row["point_rate"], speeds[0] - 0.2 * (rate - n * (n @ rate)) / distance, rtol=0, atol=bound)


def test_tables_are_made_again_where_the_structure_has_changed():
    mech = rg.Mechanism()
    for name in ("left", "right"):
        mech.add_body(name, rg.Inertia.box(2.0, (0.1, 0.1, 0.9), at=(0, 0, -0.45)))
        mech.add_frame(f"{name} sole", name, rg.Pose(translation=(0, 0, -0.9)))
    mech.add_joint("stance", rg.Revolute((0, 1, 0)), "world", "left", child_pose=rg.Pose(translation=(0, 0, -0.9)))
    mech.add_joint("hip", rg.Revolute((0, 1, 0)), "left", "right")
    state = mech.state(q={"stance": 0.2, "hip": -0.3}, v={"stance": 1.0, "hip": 0.5})
    contacts = [rg.Contact("left sole"), rg.Contact("right sole")]
    before = meetings(mech, state, contacts)
    floating, state = rg.reroot(mech, state, "right", joint=rg.Free())
    after = meetings(floating, state, contacts)
    rows = [points_of(one, contacts).points[:, t.ROW_A].tolist() for one in (mech, floating)]
    assert rows[0] != rows[1]
    for one, other in zip(before, after, strict=True):
        for key in ("gap", "point", "point_rate"):
            np.testing.assert_allclose(other[key], one[key], atol=1e-13)
