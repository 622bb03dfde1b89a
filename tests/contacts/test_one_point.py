"""A point that alone is closed has kernels of its own: it moves as it would if others were closed far away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import regraft as rg
from contacts.random_scenes import random_scene
from contacts.scenes import at, ball_on_incline, sphere_at_rest, touching
from regraft.kernels.contacts.memory import MODE
from regraft.kernels.contacts.problem import OPEN, SLIDE, STICK


def beside_a_stone(scene):
    """The same scene with a stone that rests elsewhere: then two points are closed."""
    mech = scene.mech.copy()
    mech.add_body("stone", sphere_at_rest())
    mech.add_joint("lift", rg.Prismatic((0, 0, 1)), "world", "stone")
    mech.add_frame("underside", "stone", at(z=-0.1))
    state = mech.state(q=np.append(scene.state.q, 0.1), v=np.append(scene.state.v, 0.0))
    return replace(scene, mech=mech, state=state, touches=(*scene.touches, touching("underside", friction=0.5)))


def modes(traj):
    """The modes that the first point has had."""
    return {int(segment.contacts.items[0, MODE]) for segment in traj.segments}


def just_landed(scene):
    """The scene from where its point has landed on, as several points that are closed have another law of impacts."""
    landed = next(segment for segment in scene.run(0.4).segments if segment.contacts.items[0, MODE] != OPEN)
    return replace(scene, state=scene.mech.state(q=landed.q[0], v=landed.v[0]))


def test_a_point_that_is_closed_alone_moves_as_it_does_beside_one_that_rests():
    seen = set()
    for seed in range(12):
        scene = just_landed(random_scene(seed, points=(1, 1), bodies=(1, 4), height=(0.01, 0.05), restitution=0.0))
        alone, beside = scene.run(0.3), beside_a_stone(scene).run(0.3)
        seen |= modes(alone)
        assert [event.name for event in alone.events] == [event.name for event in beside.events]
        np.testing.assert_allclose(beside.final[1].q[: scene.mech.nq], alone.final[1].q, rtol=0, atol=1e-9)
        np.testing.assert_allclose(beside.final[1].v[: scene.mech.nv], alone.final[1].v, rtol=0, atol=1e-8)
    assert {STICK, SLIDE} <= seen


@pytest.mark.parametrize("friction", [0.0, 0.05, 0.5])
def test_so_does_what_slides_and_rolls_in_a_plane(friction):
    """One of the tangents is idle there, and the point moves over the body."""
    scene = ball_on_incline(0.3, friction=friction)
    alone, beside = scene.run(1.0), beside_a_stone(scene).run(1.0)
    assert modes(alone) == {STICK if friction > 0.2 else SLIDE}
    np.testing.assert_allclose(beside.final[1].q[:3], alone.final[1].q, rtol=0, atol=1e-11)


def test_a_joint_that_moves_as_told_carries_its_point_along():
    """The dynamics of a point alone has the accelerations of such joints too."""
    mech = rg.Mechanism()
    mech.add_body("arm", rg.Inertia.sphere(1.0, 0.1))
    mech.add_body("foot", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("lift", rg.Prismatic((0, 0, 1)), "world", "arm")
    mech.add_joint("swing", rg.Prismatic((1, 0, 0)), "arm", "foot")
    mech.add_frame("sole", "foot")
    swing = {"swing": lambda t: (0.1 * t * t, 0.2 * t, 0.2)}
    traj = rg.simulate(mech, mech.state(), 1.0, contacts=rg.Contact("sole", friction=0.5), prescribed=swing)
    assert np.abs(traj.frame("sole").position[:, 2]).max() < 1e-12
    history = traj.contacts()["sole"]
    np.testing.assert_allclose(history.normal, 2 * 9.81, rtol=1e-9)


def test_parts_that_are_changed_after_a_run_are_found_by_the_next():
    mech = rg.Mechanism()
    mech.add_body("mass", sphere_at_rest())
    mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "mass")
    mech.add_shape("mass", rg.Sphere(0.1), "skin")
    start, contact = mech.state(q={"fall": 1.0}), rg.Contact("mass")
    assert rg.simulate(mech, start, 2.0, contacts=contact).final[1].q[0] == pytest.approx(0.1, abs=1e-9)
    mech.add_shape("mass", rg.Sphere(0.3), "coat")
    traj = rg.simulate(mech, start, 2.0, contacts=contact)
    assert traj.final[1].q[0] == pytest.approx(0.3, abs=1e-9)
