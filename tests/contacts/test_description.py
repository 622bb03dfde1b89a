"""Contacts and grounds as users describe them: what is refused, what comes back from files, and which points they become."""

from __future__ import annotations

import json
import math
import pickle

import numba
import numpy as np
import pytest

import regraft as rg
from regraft.files.formats.contract import WriteOptions
from regraft.files.formats.mjcf_writing import write_mjcf
from regraft.kernels.contacts import tables as t
from regraft.show.outlines import outlines_of, planes_of
from regraft.structure.contacts import points_of


@numba.njit
def bowl(x, y):
    return 0.5 * (x * x + y * y), x, y, 1.0, 0.0, 1.0


def scene():
    """A floating box with a frame, a ball, and things on the world."""
    mech = rg.Mechanism()
    for name in ("foot", "ball", "ghost"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"{name}_free", rg.Free(), "world", name, child_pose=rg.Pose.about((0, 1, 0), 0.3, (0.1, 0, 0)))
    mech.add_frame("heel", "foot", rg.Pose(translation=(-0.1, 0, -0.05)))
    mech.add_shape("foot", rg.Box((0.3, 0.1, 0.1)), "sole")
    mech.add_shape("foot", rg.Sphere(0.02), "toe", rg.Pose(translation=(0.15, 0, 0)))
    mech.add_shape("foot", rg.Mesh("foot.stl"), "skin", collision=False)
    mech.add_shape("ball", rg.Sphere(0.1), "ball")
    mech.add_shape("world", rg.ground(profile=[(0, 0), (1, 0), (1, 0.15), (2, 0.15)]), "stairs", collision=False)
    mech.add_shape("world", rg.Plane(), "floor")
    return mech


# --- Contact ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "pattern"),
    [
        (lambda: rg.Contact("a", friction=-0.1), "contact 'a': friction must not be negative, not -0.1"),
        (lambda: rg.Contact("a", friction=(0.5, -0.1)), "friction must not be negative"),
        (lambda: rg.Contact("a", friction=(0.5, 0.6)), "kinetic coefficient 0.6 is larger than the static one 0.5"),
        (lambda: rg.Contact("a", friction=(0.5, 0.4, 0.3)), "contact 'a': friction must have shape"),
        (lambda: rg.Contact("a", friction="rough"), "contact 'a': friction must be real numbers"),
        (lambda: rg.Contact("a", friction=math.nan), "contact 'a': friction has a value that is not finite"),
        (lambda: rg.Contact("a", restitution=1.01), r"restitution must be from 0 \(no bounce\) to 1"),
        (lambda: rg.Contact("a", restitution=-0.01), "restitution must be from 0"),
        (lambda: rg.Contact("a", law="moreau"), "law must be one of 'poisson', 'stronge', 'newton', not 'moreau'"),
        (lambda: rg.Contact("a", velocity=(1, 0)), "contact 'a': velocity"),
        (lambda: rg.Contact(3), "a must be the name of a frame, a shape or a body, not 3"),
        (lambda: rg.Contact("a", ""), "b must be the name"),
        (lambda: rg.Contact("a", name=""), "a contact's name must be a text that is not empty"),
    ],
)
def test_a_contact_that_cannot_be_is_refused(make, pattern):
    with pytest.raises(rg.ModelError, match=pattern):
        make()


def test_a_contact_holds_what_it_was_given_and_cannot_be_changed():
    contact = rg.Contact("a", "b", friction=(0.5, 0.4), restitution=1, law="newton", name="c", velocity=(1, 2, 3))
    assert (contact.a, contact.b, contact.friction, contact.restitution) == ("a", "b", (0.5, 0.4), 1.0)
    assert (contact.law, contact.name, contact.velocity) == ("newton", "c", (1.0, 2.0, 3.0))
    assert rg.Contact("a", friction=0.3).friction == (0.3, 0.3)
    assert pickle.loads(pickle.dumps(contact)) == contact
    with pytest.raises(AttributeError):
        contact.restitution = 0.5


# --- grounds ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "pattern"),
    [
        (lambda: rg.ground(slope=math.pi / 2), "between −π/2 and π/2"),
        (lambda: rg.ground(height=math.inf), "ground: height"),
        (lambda: rg.ground(slope=0.1, profile=[(0, 0), (1, 0)]), "a profile has slopes of its own"),
        (lambda: rg.ground(profile=[(0, 0)]), "two corners"),
        (lambda: rg.ground(profile=[0, 1, 2]), "two corners"),
        (lambda: rg.ground(profile=[(0, 0), (1, math.nan)]), "not finite"),
        (lambda: rg.ground(profile=[(0, 0), (1, 0), (0.9, 0.2)]), "overhang: corner 2 at x = 0.9 comes after x = 1"),
        (lambda: rg.ground(profile=[(0, 0), (1, 0), (1, 0)]), r"the corner \(1, 0\) twice"),
        (lambda: rg.ground(profile=[(0, 0), (1, 0), (1, 1), (1, 0.5)]), "a wall without thickness"),
        (lambda: rg.surface(math.hypot), "decorate it with @numba.njit"),
        (lambda: rg.Sphere(1.0, hollow="yes"), "hollow must be True or False"),
    ],
)
def test_a_ground_that_cannot_be_is_refused(make, pattern):
    with pytest.raises(rg.ModelError, match=pattern):
        make()


@pytest.mark.parametrize(
    "form",
    [rg.ground(0.2, -0.3), rg.ground(0.1, profile=[(0, 0), (1, 0), (1, 1 / 3)]), rg.Sphere(2.0, hollow=True), rg.Sphere(2.0)],
)
def test_grounds_and_hollows_come_back_from_files_and_pickles(form, tmp_path):
    mech = rg.Mechanism()
    mech.add_body("a", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("free", rg.Free(), "world", "a")
    mech.add_shape("world", form, "s", rg.Pose.about((0, 0, 1), 0.5))
    assert rg.Mechanism.from_dict(json.loads(json.dumps(mech.to_dict()))) == mech
    assert pickle.loads(pickle.dumps(form)) == form
    if form == rg.Sphere(2.0):
        return
    with pytest.warns(rg.RegraftWarning, match="only Regraft reads these back"):
        mech.save(tmp_path / "a.urdf")
    assert rg.load(tmp_path / "a.urdf").shapes["s"].form == form


def test_a_surface_is_pickled_and_no_file_holds_it(tmp_path):
    mech = scene()
    mech.add_shape("world", rg.surface(bowl), "bowl")
    again = pickle.loads(pickle.dumps(rg.surface(bowl)))
    assert again.function(2.0, 1.0)[0] == 2.5
    with pytest.raises(rg.ModelError, match="the surface 'bowl' is a function, which no file of data holds"):
        mech.to_dict()
    with pytest.raises(rg.FileError, match=r"surfaces, which are functions.*: the shape 'bowl'"):
        mech.save(tmp_path / "a.urdf")
    with pytest.raises(rg.FileError, match="shape 'bowl': it is a surface"):
        write_mjcf(mech, mech.state(), tmp_path / "a.xml", WriteOptions())


def test_mjcf_has_inclined_ground_as_a_plane_and_no_profiles(tmp_path):
    mech = rg.Mechanism()
    mech.add_body("a", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("free", rg.Free(), "world", "a")
    mech.add_shape("world", rg.ground(0.2, 0.3), "hill")
    mech.save(tmp_path / "a.xml")
    shape = rg.read(tmp_path / "a.xml").mech.shapes["hill"]
    assert shape.form == rg.Plane()
    np.testing.assert_allclose(shape.pose.apply((1, 0, 0)), (math.cos(0.3), 0, 0.2 + math.sin(0.3)), atol=1e-12)
    mech.add_shape("world", rg.ground(profile=[(0, 0), (1, 0.1)]), "path")
    with pytest.raises(rg.FileError, match="shape 'path': MJCF has planes, and no profiles"):
        mech.save(tmp_path / "b.xml")


def test_a_profile_is_drawn_as_lines_between_its_corners():
    mech = rg.Mechanism()
    mech.add_shape("world", rg.ground(0.5, profile=[(0, 0), (1, 0), (1, 0.2)]), "steps", color=(1, 0, 0))
    lines = outlines_of(mech, mech.state())
    assert [line.points.tolist() for line in lines] == [[[0, 0, 0.5], [1, 0, 0.5]], [[1, 0, 0.5], [1, 0, 0.7]]]
    assert {line.colour for line in lines} == {"#FF0000"}


def test_a_plane_is_drawn_as_a_line_across_the_room():
    mech = rg.Mechanism()
    low, high = np.array((-1.0, -2.0, 0.0)), np.array((3.0, 4.0, 2.0))
    mech.add_shape("world", rg.ground(), "floor")  # which every picture has
    mech.add_shape("world", rg.ground(0.5, math.atan(0.25)), "hill")
    mech.add_shape("world", rg.Plane((-1, 0, 0)), "wall", rg.Pose(translation=(2, 0, 0)))
    mech.add_shape("world", rg.Plane((-1, 0, 0)), "far wall", rg.Pose(translation=(4, 0, 0)))
    mech.add_shape("world", rg.Plane((0, 1, 0)), "side")
    mech.add_shape("world", rg.ground(7.0), "unseen", visual=False)
    hill, wall = planes_of(mech, low, high)
    np.testing.assert_allclose(hill.points, [(-1, 1, 0.25), (3, 1, 1.25)], atol=1e-15)
    np.testing.assert_allclose(wall.points, [(2, 1, 0), (2, 1, 2)], atol=1e-15)


# --- names and points ----------------------------------------------------------------------------------------------------


def test_parts_are_found_by_name_and_become_points():
    mech = scene()
    found = points_of(
        mech, [rg.Contact("heel", friction=(0.5, 0.4)), rg.Contact("ball", "world", name="bounce"), rg.Contact("sole", "floor")]
    )
    assert found.names == ("heel", "bounce", *(f"sole/{k}" for k in range(8)))
    assert found.contact_names == ("heel", "bounce", "sole")
    assert found.contact_of.tolist() == [0, 1, *(2,) * 8]
    assert found.meanings[0] == "the frame 'heel' on the level ground"
    assert found.meanings[2] == "the Box 'sole' on the Plane 'floor': its corner −x, −y, −z"
    assert found.points[:, t.FIXED].tolist() == [1, 0, *(1,) * 8]
    assert found.points[:, t.ROW_B].tolist() == [-1] * 10
    assert found.points[0, t.ROW_A] == mech.structure.row("foot")
    assert found.shapes[0, [t.MU_STATIC, t.MU_KINETIC, t.RESTITUTION]].tolist() == [0.5, 0.4, 0.0]
    assert len(set(found.meanings)) == 10


def test_a_body_stands_for_all_of_its_shapes_that_are_there_to_be_touched():
    found = points_of(scene(), [rg.Contact("foot")])
    assert len(found.names) == 9  # eight corners of the sole, and the toe; not the skin
    assert found.meanings[-1] == "the Sphere 'toe' on the level ground"
    found = points_of(scene(), [rg.Contact("ball", "foot")])
    assert [int(kind) for kind in found.points[:, t.KIND]] == [t.SPHERE_BOX, t.SPHERE_SPHERE]


def test_contacts_of_one_part_are_told_apart_by_both():
    found = points_of(scene(), [rg.Contact("ball"), rg.Contact("ball", "sole"), rg.Contact("toe")])
    assert found.contact_names == ("ball-ground", "ball-sole", "toe")
    with pytest.raises(rg.ModelError, match=r"2 contacts are called 'ball-sole'; give each a name"):
        points_of(scene(), [rg.Contact("ball", "sole"), rg.Contact("ball", "sole")])
    with pytest.raises(rg.ModelError, match=r"2 contacts are called 'toe'"):
        points_of(scene(), [rg.Contact("toe"), rg.Contact("ball", name="toe")])


def test_a_shape_called_ground_is_meant_by_that_name():
    mech = scene()
    mech.add_shape("world", rg.ground(0.3), "ground")
    found = points_of(mech, [rg.Contact("heel")])
    assert found.meanings == ("the frame 'heel' on the Ground 'ground'",)
    assert found.shapes[0, t.POSE_B + 11] == 0.3


def test_the_velocity_of_a_belt_is_turned_into_the_axes_of_its_row():
    mech = scene()
    found = points_of(mech, [rg.Contact("ball", "sole", velocity=(1, 0, 0))])
    turn = mech.joints["foot_free"].child_pose.rotation
    np.testing.assert_allclose(found.shapes[0, t.SURFACE : t.SURFACE + 3], turn.T @ (1, 0, 0), atol=1e-15)
    assert found.points[0, t.SWAPPED] == 0
    assert points_of(mech, [rg.Contact("sole", "ball")]).points[0, t.SWAPPED] == 1


@pytest.mark.parametrize(
    ("contact", "pattern"),
    [
        (rg.Contact("heal"), "contact 'heal': there is no frame, shape or body 'heal' for a. Did you mean 'heel'"),
        (rg.Contact("ball", "flour"), "there is no frame, shape or body 'flour' for b. Did you mean 'floor'"),
        (rg.Contact("xyz"), "Known frames: 'heel'; shapes: 'sole', 'toe'.*bodies: 'foot', 'ball', 'ghost'"),
        (rg.Contact("ghost"), "the body 'ghost', which has no shape to be touched; add one with add_shape"),
        (rg.Contact("heel", "sole"), "the frame 'heel' and the Box 'sole' are both on 'foot', so they never meet"),
        (rg.Contact("floor"), "are both on 'world'"),
        (rg.Contact("skin"), r"the Mesh 'skin' and the level ground cannot touch each other. Nothing can touch the Mesh 'skin'"),
        (
            rg.Contact("egg", "ball"),
            "the Ellipsoid 'egg' and the Sphere 'ball' cannot touch each other. The Ellipsoid 'egg' can touch planes. "
            "The Sphere 'ball' can touch boxes, capsules, cylinders, frames, hollow spheres, planes, profiles, spheres, ",
        ),
    ],
)
def test_parts_that_cannot_touch_are_refused(contact, pattern):
    mech = scene()
    mech.add_shape("foot", rg.Ellipsoid((0.1, 0.1, 0.2)), "egg", collision=False)
    with pytest.raises(rg.ModelError, match=pattern):
        points_of(mech, [contact])


def test_a_name_that_means_two_parts_is_refused():
    mech = scene()
    mech.add_shape("foot", rg.Sphere(0.1), "heel")
    with pytest.raises(rg.ModelError, match="'heel' is the name of a frame and of a shape; give one of them another name"):
        points_of(mech, [rg.Contact("heel")])
    mech.add_shape("ball", rg.Sphere(0.2), "second")
    with pytest.raises(rg.ModelError, match="'ball' is the name of a shape and of a body"):
        points_of(mech, [rg.Contact("ball")])


@pytest.mark.parametrize(
    ("function", "pattern"),
    [
        (numba.njit(lambda x: x), "does not take 2 arguments. It must be f"),
        (numba.njit(lambda x, y: x + y), "cannot be compiled: .*It must be f"),
        (numba.njit(lambda x, y: (x, y, "z")), "cannot be compiled"),
        (numba.njit(lambda x, y: (x * y, x, y, 0.0, 1.0, 0.0)), r"z_x at \(0.31, 0.17\) is 0.31, and by differences 0.17"),
        (numba.njit(lambda x, y: (x * y, y, x, 0.0, -1.0, 0.0)), "z_xy at .* is -1, and by differences 1"),
    ],
)
def test_a_surface_that_does_not_return_six_numbers_is_refused(function, pattern):
    mech = scene()
    mech.add_shape("world", rg.surface(function), "bumps")
    with pytest.raises(rg.ModelError, match=pattern):
        points_of(mech, [rg.Contact("ball", "bumps")])
