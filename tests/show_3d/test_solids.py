"""A mechanism in space: closed surfaces of the right volume, sticks and ellipsoids for bodies without shapes, many poses."""

from __future__ import annotations

from collections import Counter

import numba
import numpy as np
import pytest

import regraft as rg
from regraft.show.glyphs import (
    LOOP_JOINT,
    REVERSED_JOINT,
    ROOT,
    TREE_JOINT,
    coil,
    frame_pieces,
    glyph_size,
    gravity_arrow,
    joint_pieces,
    placed_between,
    springs_shown,
)
from regraft.show.solids import poses_of, semi_axes, solids_of
from regraft.show.tree_glyphs import tree_pieces
from regraft.show.triangles import arrow, ball, box, capsule, creased, cylinder, rounded_hull

TURNED = rg.Pose.about((1, 2, 3), 0.8, translation=(0.3, -0.2, 0.5))


def volume(surface):
    a, b, c = np.moveaxis(surface.vertices[surface.faces], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def is_closed(surface):
    """Whether each edge is there once in either direction, corners in one place being one."""
    _, place = np.unique(surface.vertices.round(9) + 0.0, axis=0, return_inverse=True)
    faces = place[surface.faces]
    edges = Counter(map(tuple, np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).tolist()))
    return all(edges[b, a] == count for (a, b), count in edges.items())


def agree(surface):
    """Whether normals point to the side from which triangles are counterclockwise."""
    a, b, c = np.moveaxis(surface.vertices[surface.faces], 1, 0)
    across = np.cross(b - a, c - a)
    return bool((np.einsum("ij,ikj->ik", across, surface.normals[surface.faces]) > 0.0).all())


def with_shape(form, pose=TURNED, **settings):
    mech = rg.Mechanism()
    mech.add_body("a", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("free", rg.Free(), "world", "a")
    mech.add_shape("a", form, "s", pose, **settings)
    return mech


@pytest.mark.parametrize(
    ("surface", "exact"),
    [
        (ball(0.7), 4 / 3 * np.pi * 0.7**3),
        (ball((0.1, 0.2, 0.3)), 4 / 3 * np.pi * 0.006),
        (box((1, 2, 3)), 6.0),
        (box((1, 2, 3)).scaled((-1, 1, 1)), 6.0),
        (cylinder(0.5, 2.0), 0.5 * np.pi),
        (capsule(0.5, (0, 0, 0), (1, 1, 1)), np.pi * 0.25 * 3**0.5 + np.pi / 6),
        (capsule(0.5, (1, 1, 1), (1, 1, 1)), np.pi / 6),
        (capsule(0.1, (0, 0, 1), (0, 0, -1)), np.pi * 0.02 + 4 / 3 * np.pi * 0.001),
        (rounded_hull(np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)]), 0.1), None),
        (rounded_hull(np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]), 0.0), 1 / 6),
        (arrow(1.0, 0.05), None),
    ],
)
def test_surfaces_are_closed_with_outward_normals_and_nearly_the_volume_of_the_form(surface, exact):
    moved = surface.placed(TURNED)
    assert is_closed(moved)
    assert agree(moved)
    assert np.allclose(np.linalg.norm(moved.normals, axis=1), 1.0)
    assert volume(moved) > 0.0
    if exact is not None:
        assert 0.95 * exact < volume(moved) <= exact * (1 + 1e-9)


def test_a_mesh_has_edges_where_its_triangles_meet_at_large_angles_and_is_smooth_elsewhere():
    corners = np.array([(x, y, z) for x in (0.0, 1) for y in (0.0, 1) for z in (0.0, 1)])
    cube = rounded_hull(corners, 0.0)
    assert len(cube.vertices) == 24
    assert np.allclose(np.abs(cube.normals).max(axis=1), 1.0)
    round_ball = ball(1.0)
    merged, place = np.unique(round_ball.vertices.round(9) + 0.0, axis=0, return_inverse=True)
    smooth = creased(merged, place[round_ball.faces])
    assert len(smooth.vertices) == len(merged)
    assert np.einsum("ij,ij->i", smooth.normals, smooth.vertices).min() > 0.99


@pytest.mark.parametrize(
    "form",
    [rg.Box((0.2, 0.4, 0.6)), rg.Sphere(0.3), rg.Capsule(0.1, (0, 0, -1), (0, 0, 1)), rg.Cylinder(0.2, 1.0),
     rg.Ellipsoid((0.1, 0.2, 0.3))],
)  # fmt: skip
def test_a_shape_is_shown_where_it_is_in_its_colour_and_opacity(form):
    mech = with_shape(form, color=(1.0, 0.0, 0.5, 0.25))
    (piece,) = solids_of(mech, mech.state()).pieces
    assert (piece.body, piece.name, piece.colour, piece.opacity, piece.stands_in) == ("a", "s", "#FF0080", 0.25, False)
    assert np.allclose(0.5 * (piece.vertices.min(axis=0) + piece.vertices.max(axis=0)), TURNED.translation, atol=2e-3)


def test_what_is_to_be_seen_goes_before_what_is_to_be_touched_and_that_before_sticks():
    mech = with_shape(rg.Mesh("lacking.stl"))
    solids = solids_of(mech, mech.state())
    assert [piece.stands_in for piece in solids.pieces] == [True]
    assert "lacking.stl" in solids.told[0]
    mech.add_shape("a", rg.Sphere(0.4), "touched", visual=False)
    assert [piece.name for piece in solids_of(mech, mech.state()).pieces] == ["touched"]
    mech.add_shape("a", rg.Sphere(0.4), "seen", collision=False)
    assert [piece.name for piece in solids_of(mech, mech.state()).pieces] == ["seen"]


def test_a_body_without_shapes_and_joints_is_the_ellipsoid_of_equal_inertia():
    mech = rg.Mechanism()
    mech.add_body("brick", rg.Inertia.box(3.0, (0.2, 0.4, 0.8), at=(1, 0, 0)))
    mech.add_joint("free", rg.Free(), "world", "brick")
    (piece,) = solids_of(mech, mech.state()).pieces
    lengths, turned = semi_axes(mech.bodies["brick"].inertia)
    moments = 0.2 * 3.0 * (lengths @ lengths - lengths**2)
    assert np.allclose(turned @ np.diag(moments) @ turned.T, mech.bodies["brick"].inertia.tensor)
    reach = np.ptp(piece.vertices, axis=0) / 2
    assert np.allclose(reach, np.array((0.2, 0.4, 0.8)) * np.sqrt(5 / 12), rtol=1e-9)


def test_a_pendulum_without_shapes_is_a_stick_from_its_hinge_beyond_its_centre_of_mass():
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia.point(1.0, (0, 0, -0.5)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
    (piece,) = solids_of(mech, mech.state()).pieces
    assert piece.stands_in
    assert piece.vertices[:, 2].max() > 0.0 > -0.9 > piece.vertices[:, 2].min()


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4])
def test_sticks_are_in_proportion_to_tiny_and_huge_mechanisms(size):
    mech = rg.Mechanism()
    mass = 1000.0 * size**3
    for name, parent, place in (("a", "world", (0, 0, 0)), ("b", "a", (0, 0, -size)), ("c", "b", (0, 0, -size))):
        mech.add_body(name, rg.Inertia.rod(mass, (0, 0, 0), (0, 0, -size)))
        mech.add_joint(name, rg.Revolute((0, 1, 0)), parent, name, rg.Pose(translation=place))
    solids = solids_of(mech, mech.state())
    for piece in solids.pieces:
        wide, _, high = np.ptp(piece.vertices, axis=0) / size
        assert 0.01 < wide < 0.4 < high < 1.6
    assert solids.room.size == pytest.approx(3.0 * size, rel=0.2)


def test_a_mechanism_of_bodies_without_mass_is_seen_too_and_one_without_bodies_has_a_room():
    mech = rg.Mechanism()
    mech.add_body("frame", rg.Inertia(0.0))
    mech.add_joint("weld", rg.Fixed(), "world", "frame")
    assert [piece.body for piece in solids_of(mech, mech.state()).pieces] == ["frame"]
    nothing = rg.Mechanism()
    assert solids_of(nothing, nothing.state()).room.size > 0.5


@numba.njit
def bowl(x, y):
    return x * x + y * y, 2 * x, 2 * y, 2.0, 0.0, 2.0


def test_planes_are_floors_and_profiles_surfaces_and_other_planes_are_pieces_that_face_up():
    mech = with_shape(rg.Sphere(0.2))
    mech.add_shape("world", rg.Plane((0, 1, 1)), "slope")
    solids = solids_of(mech, mech.state())
    assert [piece.name for piece in solids.pieces] == ["s"]
    normal = solids.room.floor.rotation[:, 2]
    assert np.allclose(normal, np.array((0, 1, 1)) / 2**0.5)
    assert normal @ solids.room.floor.translation == pytest.approx(0.0, abs=1e-12)
    mech.add_shape("world", rg.Plane((1, 0, 0)), "wall")
    wall = solids_of(mech, mech.state()).pieces[-1]
    assert (wall.name, wall.is_ground) == ("wall", True)
    assert np.allclose(wall.vertices[:, 0], 0.0)
    for form in (rg.ground(profile=[(0, 0), (1, 0), (1, 0.2), (2, 0.2)]), rg.surface(bowl)):
        stepped = with_shape(rg.Sphere(0.2))
        stepped.add_shape("world", form, "g")
        solids = solids_of(stepped, stepped.state())
        assert solids.room.floor is None
        ground = solids.pieces[-1]
        assert agree(ground.surface)
        assert (ground.normals[:, 2] >= -1e-12).all()
        if form.__class__.__name__ == "Surface":
            assert np.allclose(ground.vertices[:, 2], (ground.vertices[:, :2] ** 2).sum(axis=1))


def test_meshes_keep_to_a_budget_of_triangles_and_say_so(tmp_path):
    fine = ball(1.0, 96)
    lines = [f"v {x} {y} {z}" for x, y, z in fine.vertices] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in fine.faces]
    (tmp_path / "ball.obj").write_text("\n".join(lines))
    mech = with_shape(rg.Mesh(str(tmp_path / "ball.obj"), scale=(0.5, -0.5, 0.5)))
    whole = solids_of(mech, mech.state())
    (piece,) = whole.pieces
    assert not whole.told
    assert agree(piece.surface)
    assert volume(piece.surface) == pytest.approx(4 / 3 * np.pi / 8, rel=0.02)
    thinned = solids_of(mech, mech.state(), budget=2000)
    assert 500 < len(thinned.pieces[0].faces) <= 2000
    assert f"{len(thinned.pieces[0].faces)} triangles" in thinned.told[0]


def test_poses_of_many_states_are_those_of_each():
    mech, rng = rg.models.human_figure().mech, np.random.default_rng(1)
    kinds = {name: mech.joints[name].type for name in mech.layout.q_slices}
    states = [
        mech.state(q={name: kind.normalised(kind.neutral() + 0.3 * rng.standard_normal(kind.nq)) for name, kind in kinds.items()})
        for _ in range(3)
    ]
    found = poses_of(mech, np.array([one._x for one in states]))
    for k, one in enumerate(states):
        for body, pose in rg.body_poses(mech, one).items():
            assert np.array_equal(found[body][k], pose.row)
    assert set(found) == set(mech.bodies)


def test_joints_are_shown_by_the_directions_in_which_they_move():
    mech = rg.Mechanism()
    kinds = {
        "turn": rg.Revolute((0, 1, 0)), "slide": rg.Prismatic((1, 0, 0)), "ball": rg.Spherical(), "weld": rg.Fixed(),
        "cardan": rg.Universal((1, 0, 0), (0, 1, 0)), "screw": rg.Helical((0, 0, 1), 0.1), "flat": rg.Planar((0, 0, 1)),
        "both": rg.Cylindrical((0, 0, 1)), "free": rg.Free(),
    }  # fmt: skip
    before = "world"
    for name, kind in kinds.items():
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(name, kind, before, name)
        before = name
    pieces = joint_pieces(mech, 0.1)
    count = Counter(piece.name for piece in pieces)
    assert count == {"turn": 1, "slide": 1, "ball": 1, "weld": 1, "cardan": 2, "screw": 2, "flat": 3, "both": 2}
    by_name = {piece.name: piece for piece in pieces}
    assert np.argmax(np.ptp(by_name["turn"].vertices, axis=0)) == 1
    assert np.argmax(np.ptp(by_name["slide"].vertices, axis=0)) == 0
    assert [piece.body for piece in pieces if piece.name == "cardan"] == ["weld", "cardan"]  # axis 1 stays on the parent
    loop = rg.models.four_bar().mech
    assert {piece.name for piece in joint_pieces(loop, 0.1) if piece.colour == LOOP_JOINT} == set(loop.loop_joints)
    assert all(piece.colour == TREE_JOINT for piece in pieces)


def arm():
    mech = rg.Mechanism()
    for name in ("upper", "lower"):
        mech.add_body(name, rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, -0.5)))
    mech.add_joint("shoulder", rg.Revolute((0, 1, 0)), "world", "upper", rg.Pose(translation=(0, 0, 1)))
    mech.add_joint("elbow", rg.Revolute((0, 1, 0)), "upper", "lower", rg.Pose(translation=(0, 0, -0.5)))
    return mech


def test_what_is_welded_to_a_body_with_shapes_is_a_place_of_it():
    mech = with_shape(rg.Sphere(0.2))
    for name, holder, kind in (("sensor", "a", rg.Fixed()), ("wheel", "a", rg.Revolute((0, 0, 1))), ("bracket", "a", rg.Fixed())):
        mech.add_body(name, rg.Inertia(0.001, tensor=np.eye(3)))
        mech.add_joint(name, kind, holder, name, rg.Pose(translation=(0.3, 0, 0)))
    mech.add_body("arm", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("swings", rg.Revolute((0, 1, 0)), "bracket", "arm", rg.Pose(translation=(0.3, 0, 0)))
    assert {piece.body for piece in solids_of(mech, mech.state()).pieces} == {"a", "wheel", "bracket", "arm"}


def test_a_joint_that_is_walked_from_child_to_parent_has_a_colour_of_its_own():
    mech = arm()
    assert {piece.colour for piece in joint_pieces(mech, 0.1)} == {TREE_JOINT}
    turned, _ = rg.reroot(mech, mech.state(), "lower", joint=rg.Revolute((0, 1, 0)))
    assert {piece.name: piece.colour for piece in joint_pieces(turned, 0.1)}["elbow"] == REVERSED_JOINT


def test_the_tree_is_arrows_from_the_root_to_the_ends():
    mech = arm()
    (ball, first), second = [piece for piece in tree_pieces(mech, 0.1) if piece.body == "upper"], tree_pieces(mech, 0.1)[-1]
    assert (ball.body, ball.colour) == ("upper", ROOT)
    assert first.vertices[first.vertices[:, 2].argmin()] == pytest.approx([0, 0, -0.5], abs=1e-9)  # its tip is at the elbow
    assert (second.body, second.vertices[:, 2].min()) == ("lower", pytest.approx(-0.25))  # and here at the centre of mass
    turned, _ = rg.reroot(mech, mech.state(), "lower", joint=rg.Revolute((0, 1, 0)))
    roots = [piece.body for piece in tree_pieces(turned, 0.1) if piece.colour == ROOT]
    assert roots == ["lower"]


def test_frames_springs_and_gravity_are_shown_where_they_are():
    mech = with_shape(rg.Sphere(0.2))
    mech.add_frame("tip", "a", TURNED)
    mech.add_spring("s", "a", (0, 0, 0.1), "world", (0, 0, 2.0), stiffness=1.0)
    assert len(frame_pieces(mech, 0.1)) == 3
    (spring,) = springs_shown(mech)
    assert (spring.body_a, spring.body_b, spring.point_b.tolist()) == ("a", "world", [0, 0, 2])
    wire = coil(0.1)
    assert wire.vertices[:, 2].min() == pytest.approx(0.0, abs=0.02)
    assert wire.vertices[:, 2].max() == pytest.approx(1.0, abs=0.02)
    pose, length = placed_between(np.array((1.0, 0, 0)), np.array((1.0, 3, 0)))
    assert length == 3.0
    assert np.allclose(pose.apply((0, 0, 3)), (1, 3, 0))
    room = solids_of(mech, mech.state()).room
    shown = gravity_arrow(mech, room)
    assert np.argmax(np.ptp(shown.vertices, axis=0)) == 2
    assert glyph_size(room) > 0.0
    assert gravity_arrow(rg.Mechanism(gravity=(0, 0, 0)), room) is None
