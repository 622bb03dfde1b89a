"""What is drawn of a mechanism: its shapes where it has some, sticks where it has none."""

from __future__ import annotations

import numpy as np
import pytest

import regraft as rg
from regraft.show.forms import outline_of
from regraft.show.outlines import outlines_of
from regraft.show.scenery import Camera, draw_placed, placed_in

TURNED = rg.Pose.about((1, 2, 3), 0.8, translation=(0.3, -0.2, 0.5))
FLOOR = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], float)


def with_shape(form, pose=TURNED, **settings):
    mech = rg.Mechanism()
    mech.add_body("a", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("free", rg.Free(), "world", "a")
    mech.add_shape("a", form, "s", pose, **settings)
    return mech


def reach(outline, direction):
    """How far an outline goes in a direction."""
    return float((outline.points @ direction).max()) + outline.radius


@pytest.mark.parametrize(
    ("form", "farthest"),
    [
        (rg.Box((0.2, 0.4, 0.6)), lambda d: 0.1 * abs(d[0]) + 0.2 * abs(d[1]) + 0.3 * abs(d[2])),
        (rg.Sphere(0.3), lambda _: 0.3),
        (rg.Capsule(0.1, (0, 0, -1), (0, 0, 1)), lambda d: 0.1 + abs(d[2])),
        (rg.Cylinder(0.2, 1.0), lambda d: 0.2 * np.hypot(d[0], d[1]) + 0.5 * abs(d[2])),
        (rg.Ellipsoid((0.1, 0.2, 0.3)), lambda d: float(np.linalg.norm(np.array((0.1, 0.2, 0.3)) * d))),
    ],
)
def test_an_outline_reaches_as_far_as_the_form_in_every_direction(form, farthest):
    outline = outline_of(with_shape(form).shapes["s"])
    for seed in range(30):
        d = np.random.default_rng(seed).standard_normal(3)
        d /= np.linalg.norm(d)
        expected = d @ TURNED.translation + farthest(TURNED.rotation.T @ d)
        assert reach(outline, d) <= expected + 1e-12
        assert reach(outline, d) == pytest.approx(expected, abs=0.006)  # of round forms there are so many points


def test_meshes_and_planes_are_not_drawn_and_bodies_that_have_only_these_are_sticks():
    for form in (rg.Mesh("hand.stl"), rg.Plane()):
        mech = with_shape(form)
        assert outline_of(mech.shapes["s"]) is None
        (stick,) = outlines_of(mech, mech.state())
        assert (stick.body, stick.radius) == ("a", stick.thickness)
    mech.add_shape("a", rg.Box((0.1, 0.1, 0.1)), visual=False)
    (box,) = outlines_of(mech, mech.state())
    assert (len(box.points), box.radius) == (8, 0.0)
    mech.add_shape("a", rg.Sphere(0.7))
    (ball,) = outlines_of(mech, mech.state())
    assert ball.radius == 0.7


def test_a_shape_has_its_colour():
    mech = with_shape(rg.Sphere(0.3), color=(1.0, 0.5, 0.0))
    (ball,) = outlines_of(mech, mech.state())
    assert ball.colour == "#FF8000"
    seen = draw_placed(placed_in((ball,), mech, mech.state()), Camera(0.0, 10.0), FLOOR)
    assert seen.faces[-1] == "#FF8000"
    assert seen.edges[-1] == "white"


def test_pieces_of_a_flat_part_are_drawn_as_one_and_others_by_themselves():
    mech = with_shape(rg.Capsule(0.1, (0, 0, 0), (0, 0, 1)), rg.Pose())
    mech.add_shape("a", rg.Capsule(0.1, (0.15, 0, 0), (0.15, 0, 1)))
    mech.add_shape("a", rg.Capsule(0.1, (5, 0, 0), (5, 0, 1)))
    mech.add_shape("a", rg.Sphere(0.2))
    seen = draw_placed(placed_in(outlines_of(mech, mech.state()), mech, mech.state()), Camera(0.0, 10.0), FLOOR)
    assert sorted(seen.edges[5:]) == ["none"] * 2 + ["white"] * 4  # the two that touch are filled once more, without a line
    assert len(seen.widths) == len(seen.outlines) == 11


FIGURES = rg.models.human_figure, rg.models.spherical_figure, rg.models.character, rg.models.swing
LINKAGES = rg.models.pendulum, rg.models.four_bars, rg.models.four_bar, rg.models.bricard
WALKERS = rg.models.compass_biped, rg.models.simplest_walker, rg.models.kneed_walker, rg.models.rimless_wheel


@pytest.mark.parametrize("model", [*LINKAGES, *WALKERS, rg.models.squeezer])
def test_rods_of_linkages_and_walkers_reach_from_joint_to_joint(model):
    mech, state = model().start
    poses = {**rg.body_poses(mech, state), "world": rg.Pose()}
    for joint in mech.joints.values():
        place = poses[joint.child].apply(joint.child_pose.translation)
        for body in {joint.parent, joint.child} - {"world"}:
            rods = [one for one in outlines_of(mech, state) if one.body == body]
            ends = np.concatenate([poses[body].apply(one.points) for one in rods])
            assert np.linalg.norm(ends - place, axis=1).min() < 1e-9, (joint.name, body)


@pytest.mark.parametrize("model", [*FIGURES, *LINKAGES, *WALKERS])
def test_every_body_of_a_model_has_a_shape_that_its_centre_of_mass_is_in_or_near(model):
    mech, state = model().start
    outlines = outlines_of(mech, state)
    assert {one.body for one in outlines} >= set(mech.bodies)
    carried = {shape.body for shape in mech.shapes.values()}
    assert carried >= set(mech.bodies)
    for name, body in mech.bodies.items():
        own = [one for one in outlines if one.body == name]
        low = np.min([one.points.min(axis=0) - one.radius for one in own], axis=0)
        high = np.max([one.points.max(axis=0) + one.radius for one in own], axis=0)
        assert (low <= body.inertia.com).all()
        assert (body.inertia.com <= high).all()
