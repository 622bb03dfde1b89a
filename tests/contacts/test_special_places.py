"""Where shapes meet in special places: rims that lie flat, steps, edges, parallel capsules, hollows and surfaces."""

from __future__ import annotations

import math
from itertools import pairwise

import numba
import numpy as np
import pytest
from meeting_shapes import meet, pair_of, parts, placed, velocities_at
from scipy.spatial import ConvexHull

import regraft as rg
from random_mechanisms import random_pose
from regraft.kernels.contacts import tables as t
from regraft.kernels.contacts.meeting import meeting_kernel
from regraft.structure.pairings import FLAT_POINTS
from regraft.tolerances import RIM_UPRIGHT

LEVEL = rg.ground()


@numba.njit
def bowl(x, y):
    """A paraboloid whose curvature at the bottom is 1."""
    return 0.5 * (x * x + y * y), x, y, 1.0, 0.0, 1.0


# --- balls and points on planes: the quick way --------------------------------------------------------------------------------


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("radius", [0.0, 0.3])
def test_the_quick_way_for_planes_gives_what_the_complex_step_gives(radius, swapped):
    rng = np.random.default_rng(7)
    form = rg.Sphere(radius) if radius else None
    mech = pair_of(form, rg.Plane(rng.uniform(-1, 1, 3)), random_pose(rng), random_pose(rng))
    state = placed(mech, random_pose(rng), random_pose(rng), rng)
    rows, found = meet(mech, state, *(("second", "first") if swapped else ("first", "second")))
    assert found.points[0, t.MEETING_KERNEL] == 0
    slow = found.new_meetings()
    addresses = (table.ctypes.data for table in (found.points, found.shapes, found.profiles, slow))
    meeting_kernel(mech.structure.work, *addresses, 0)  # bodies are where `meet` has placed them
    np.testing.assert_allclose(slow, rows, rtol=0, atol=1e-13)


def test_on_level_ground_the_tangents_are_the_axes():
    mech = pair_of(None, LEVEL, world=True)
    row = parts(meet(mech, placed(mech, rg.Pose.about((1, 2, 3), 0.5, (3, 4, 5))))[0][0])
    assert row["gap"] == pytest.approx(5.0, abs=1e-14)
    assert row["tangents"].tolist() == [[1, 0, 0], [0, 1, 0]]
    assert row["normal"].tolist() == [0, 0, 1]
    np.testing.assert_allclose(row["point"], (3, 4, 5), atol=1e-14)


@pytest.mark.parametrize("tilt", np.linspace(0.0, 2.0 * math.pi, 37))
def test_in_the_plane_of_a_walker_one_tangent_is_across_it(tilt):
    mech = pair_of(None, rg.Plane((math.sin(tilt), 0, math.cos(tilt))), world=True)
    row = parts(meet(mech, placed(mech, rg.Pose()))[0][0])
    np.testing.assert_allclose(np.abs(row["tangents"][1]), (0, 1, 0), atol=1e-15)
    assert abs(row["tangents"][0][1]) < 1e-15


def test_points_are_called_what_they_are():
    pose = rg.Pose.about((1, 2, 3), 0.5, (0.1, 0.2, 3.0))
    capsule = rg.Capsule(0.1, (0.1, 0.2, 0.3), (-0.3, 0.4, 0.7))
    places = {"its start": capsule.start, "its end": capsule.end}
    places |= {
        f"its corner {'−+'[i]}x, {'−+'[j]}y, {'−+'[k]}z": (0.2 * (2 * i - 1), 0.3 * (2 * j - 1), 0.4 * (2 * k - 1))
        for i in (0, 1) for j in (0, 1) for k in (0, 1)
    }  # fmt: skip
    found = 0
    for form, radius in ((capsule, 0.1), (rg.Box((0.4, 0.6, 0.8)), 0.0)):
        mech = pair_of(form, LEVEL, world=True)
        rows, points = meet(mech, placed(mech, pose))
        for row, meaning in zip(rows, points.meanings, strict=True):
            expected = pose.apply(places[meaning.partition(": ")[2]]) - (0, 0, radius)
            np.testing.assert_allclose(row[t.POINT : t.POINT + 3], expected, atol=1e-14)
            found += 1
    assert found == 10


def test_tangents_turn_no_faster_than_twice_the_normal_from_below_the_horizon_up():
    last = None
    for turn in np.linspace(-0.6, math.pi + 0.6, 500):  # over a wall, the ground and another wall, both leaning over a bit
        normal = (math.cos(turn) * 0.6, math.cos(turn) * 0.8, math.sin(turn))
        mech = pair_of(None, rg.Plane(normal), world=True)
        tangents = parts(meet(mech, placed(mech, rg.Pose()))[0][0])["tangents"]
        if last is not None:
            assert np.abs(tangents - last).max() < 2.0 * (math.pi + 1.2) / 499
        last = tangents


# --- cylinders ----------------------------------------------------------------------------------------------------------------


def cylinder_at(tilt, height, radius=0.3, length=1.0, turn=0.7):
    mech = pair_of(rg.Cylinder(radius, length), LEVEL, world=True)
    pose = rg.Pose.about((0, 1, 0), tilt, (0.2, 0.1, height)) @ rg.Pose.about((0, 0, 1), turn)
    return mech, pose


def rims_and_flats(rows):
    """The rows of both rims, and (2, FLAT_POINTS, …) of the points on which they stand."""
    ends = rows.reshape(2, 1 + FLAT_POINTS, -1)
    return ends[:, 0], ends[:, 1:]


def test_a_cylinder_that_stands_touches_with_its_lower_rim_all_around():
    mech, pose = cylinder_at(0.0, 0.5)
    rims, flats = rims_and_flats(meet(mech, placed(mech, pose))[0])
    np.testing.assert_allclose(flats[0, :, t.GAP], 0.0, atol=1e-15)
    np.testing.assert_allclose(rims[:, t.GAP], (0.0, 1.0), atol=1e-15)
    np.testing.assert_allclose(flats[1, :, t.GAP], 1.0, atol=1e-15)
    np.testing.assert_allclose(rims[0, t.POINT : t.POINT + 3], (0.2, 0.1, 0.0), atol=1e-15)  # the middle of the end
    places = flats[0, :, t.POINT : t.POINT + 3] - (0.2, 0.1, 0.0)
    np.testing.assert_allclose(np.linalg.norm(places, axis=1), 0.3, atol=1e-15)
    np.testing.assert_allclose(places.sum(axis=0), 0.0, atol=1e-15)


def test_where_it_stands_the_rates_of_its_gaps_are_those_of_its_points():
    mech, pose = cylinder_at(0.0, 0.5)
    state = placed(mech, pose, rng=np.random.default_rng(3))
    rows, _ = meet(mech, state)
    h = 1e-6
    before, after = (meet(mech, mech.state(q=rg.integrate(mech, state.q, s * state.v)))[0] for s in (-h, h))
    _, flats = rims_and_flats((after[:, t.GAP] - before[:, t.GAP])[:, None] / (2 * h))
    for row, rate in zip(rims_and_flats(rows)[1][0], flats[0, :, 0], strict=True):
        point = row[t.POINT : t.POINT + 3]
        v, _ = velocities_at(mech, state, point)
        assert rate == pytest.approx(v[2], abs=1e-6)
        np.testing.assert_allclose(row[t.POINT_RATE : t.POINT_RATE + 3], v, atol=1e-12)  # they are material points
    rim = parts(rims_and_flats(rows)[0][0])
    assert np.isfinite(rim["point_rate"]).all()


def test_a_cylinder_on_its_side_touches_along_a_line_and_its_flat_points_do_not():
    mech, pose = cylinder_at(0.5 * math.pi, 0.3)
    rims, flats = rims_and_flats(meet(mech, placed(mech, pose))[0])
    np.testing.assert_allclose(rims[:, t.GAP], 0.0, atol=2 * 0.3 * RIM_UPRIGHT)
    np.testing.assert_allclose(sorted(rims[:, t.POINT]), (0.2 - 0.5, 0.2 + 0.5), atol=1e-12)
    np.testing.assert_allclose(rims[:, t.POINT + 2], 0.0, atol=1e-12)
    assert flats[:, :, t.GAP].min() >= 0.3 - 1e-12


@pytest.mark.parametrize("tilt", [1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 1.5])
@pytest.mark.parametrize("turn", np.linspace(0.0, 1.0, 5))
def test_a_tilted_cylinder_touches_with_one_point_of_its_rim_and_stays_off_the_flat_ones(tilt, turn):
    radius, half = 0.3, 0.5
    mech, pose = cylinder_at(tilt, half * math.cos(tilt) + radius * math.sin(tilt), turn=turn)
    rims, flats = rims_and_flats(meet(mech, placed(mech, pose))[0])
    assert rims[0, t.GAP] == pytest.approx(0.0, abs=2 * radius * RIM_UPRIGHT)
    assert flats[0, :, t.GAP].min() >= radius * math.sin(tilt) ** 2 - 1e-15
    expected = pose.translation + pose.rotation @ rg.Pose.about((0, 0, 1), -turn).apply((radius, 0, -half))
    if tilt >= 1e-6:
        np.testing.assert_allclose(rims[0, t.POINT : t.POINT + 3], expected, atol=2 * radius * RIM_UPRIGHT / tilt)


def test_a_disc_has_one_rim():
    mech = pair_of(rg.Cylinder(0.3, 0.0), LEVEL, world=True)
    rows, found = meet(mech, placed(mech, rg.Pose(translation=(0, 0, 0.1))))
    assert len(rows) == 1 + FLAT_POINTS
    np.testing.assert_allclose(rows[:, t.GAP], 0.1, atol=1e-15)
    assert found.meanings[0] == "the Cylinder 'first' on the Ground 'second': its rim, rolling"


# --- profiles -----------------------------------------------------------------------------------------------------------------

STAIRS = [(-1.0, 0.0), (0.0, 0.0), (0.0, 0.2), (0.5, 0.2), (0.5, 0.4), (1.0, 0.4)]


def gaps_on_stairs(form, x, z, y=0.0):
    mech = pair_of(form, rg.ground(profile=STAIRS), world=True)
    rows, found = meet(mech, placed(mech, rg.Pose(translation=(x, y, z))))
    return {meaning.partition(": ")[2]: parts(row) for meaning, row in zip(found.meanings, rows, strict=True)}


EDGE = "on the edge at (0, 0.2)"
TREADS = [f"on the piece from ({a:g}, {b:g}) to ({c:g}, {d:g})" for (a, b), (c, d) in pairwise(STAIRS)]


def closed(found, to=1e-12):
    return {meaning for meaning, row in found.items() if row["gap"] < to}


def test_a_ball_on_stairs_touches_one_piece_both_in_a_corner_and_edges_where_they_are():
    ball = rg.Sphere(0.1)
    assert closed(gaps_on_stairs(ball, -0.5, 0.1)) == {TREADS[0]}
    assert closed(gaps_on_stairs(ball, -0.1, 0.1)) == {TREADS[0], TREADS[1]}
    assert closed(gaps_on_stairs(ball, 0.25, 0.3)) == {TREADS[2]}
    assert closed(gaps_on_stairs(ball, 0.4, 0.3)) == {TREADS[2], TREADS[3]}
    s = 0.1 * math.sqrt(0.5)
    assert closed(gaps_on_stairs(ball, -s, 0.2 + s)) == {EDGE}
    assert closed(gaps_on_stairs(ball, 7.0, 0.5, y=3.0)) == {TREADS[4]}  # beyond its ends the ground goes on
    assert closed(gaps_on_stairs(ball, -7.0, 0.1)) == {TREADS[0]}


def test_a_ball_that_rolls_off_an_edge_goes_from_the_tread_to_the_edge_and_no_gap_jumps():
    ball, last = rg.Sphere(0.1), None
    for s in np.linspace(-0.02, 0.02, 41):  # rolls to the left over the edge at (0, 0.2)
        over = max(0.0, -s)
        found = gaps_on_stairs(ball, s, 0.2 + math.sqrt(0.1**2 - over**2))
        touched = closed(found)
        expected = [EDGE] if s < 1e-15 else []
        assert touched == {*expected, *([TREADS[2]] if s > -1e-15 else [])}
        gaps = np.array([row["gap"] for row in found.values()])
        if last is not None:
            assert np.abs(gaps - last).max() < 0.004  # four times the way
        last = gaps


@pytest.mark.parametrize("depth", [0.0, 1e-15, 1e-12, 1e-9])
def test_a_point_that_stands_on_a_tread_is_not_behind_the_step_below(depth):
    for x in (0.001, 0.2, 0.45):
        found = gaps_on_stairs(None, x, 0.2 - depth)
        assert closed(found) == {TREADS[2]}
        assert min(row["gap"] for meaning, row in found.items() if meaning != TREADS[2]) > 0.0009


def test_corners_at_which_a_profile_does_not_turn_are_left_out():
    mech = pair_of(rg.Sphere(0.1), rg.ground(profile=[(0, 0), (0.1, 0.01), (0.3, 0.03), (1, 0.1), (2, 0.0)]), world=True)
    _, found = meet(mech, placed(mech, rg.Pose(translation=(0, 0, 1))))
    assert len(found.names) == 3  # two pieces, and the edge between them


def test_a_capsule_across_an_edge_touches_it_with_its_side():
    found = gaps_on_stairs(rg.Capsule(0.05, (-0.3, 0, -0.1), (0.3, 0, 0.1)), 0.0, 0.4)
    row = found[EDGE]
    n = np.array((-0.1, 0.0, 0.3)) / math.hypot(0.1, 0.3)
    assert row["gap"] == pytest.approx(0.2 * n[2] - 0.05)
    np.testing.assert_allclose(row["normal"], n, atol=1e-14)


BALL, POINT, ROD = rg.Sphere(0.05), None, rg.Capsule(0.05, (-0.3, 0, 0), (0.3, 0, 0))


@pytest.mark.parametrize(
    ("form", "at"), [*((BALL, at) for at in range(7)), *((POINT, at) for at in range(5)), *((ROD, at) for at in (5, 6))]
)
def test_on_a_profile_that_moves_rates_are_those_of_the_motion(form, at):
    """At five pieces, in the middle of each, then at two edges; both bodies move."""
    rng = np.random.default_rng(at)
    if at < 5:
        (x0, z0), (x1, z1) = STAIRS[at : at + 2]
        n, place = np.array((z0 - z1, 0.0, x1 - x0)) / math.hypot(x1 - x0, z1 - z0), (0.5 * (x0 + x1), 0.3, 0.5 * (z0 + z1))
    else:
        n, place = np.array((-0.6, 0.0, 0.8)), (STAIRS[2 * at - 8][0], 0.3, STAIRS[2 * at - 8][1])
    on_body, pose_b = random_pose(rng), random_pose(rng)
    lying = rg.Pose(np.column_stack((np.cross((0, 1, 0), n), (0, 1, 0), n)))  # z along the normal
    middle = rg.Pose(translation=place + (0.05 if form is not None else 0.0) * n) @ lying @ rg.Pose.about((0, 0, 1), 0.4)
    mech = pair_of(form, rg.ground(profile=STAIRS), None, on_body)
    state = placed(mech, pose_b @ on_body @ middle, pose_b, rng)
    rows, _ = meet(mech, state)
    i = int(np.argmin(np.abs(rows[:, t.GAP])))
    assert rows[i, t.GAP] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(rows[i, t.NORMAL : t.NORMAL + 3], (pose_b @ on_body).rotation @ n, atol=1e-12)
    check_rates(mech, state, rows[i], i)


# --- hollows, capsules, surfaces ----------------------------------------------------------------------------------------------


def test_a_ball_in_a_hollow_is_pushed_inwards():
    mech = pair_of(rg.Sphere(0.2), rg.Sphere(1.0, hollow=True), world=True)
    state = placed(mech, rg.Pose(translation=(0.48, 0.0, -0.64)), rng=np.random.default_rng(5))
    row = parts(meet(mech, state)[0][0])
    assert row["gap"] == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(row["normal"], (-0.6, 0.0, 0.8), atol=1e-15)
    np.testing.assert_allclose(row["point"], (0.6, 0.0, -0.8), atol=1e-15)
    centre, _ = velocities_at(mech, state, np.array((0.48, 0.0, -0.64)))
    along = centre - row["normal"] * (row["normal"] @ centre)
    np.testing.assert_allclose(row["normal_rate"], -along / 0.8, atol=1e-13)


def test_what_is_in_the_middle_of_a_ball_has_a_normal():
    for form in (
        rg.Sphere(1.0),
        rg.Sphere(1.0, hollow=True),
        rg.Capsule(1.0, (0, 0, -1), (0, 0, 1)),
        rg.Box((1, 1, 1)),
        rg.Cylinder(1, 1),
    ):
        mech = pair_of(rg.Sphere(0.2), form, world=True)
        row = parts(meet(mech, placed(mech, rg.Pose()))[0][0])
        assert np.linalg.norm(row["normal"]) == pytest.approx(1.0)
        assert np.isfinite(row["gap"])


@pytest.mark.parametrize(("shift", "ends"), [(0.0, (-1.0, 1.0)), (0.6, (-0.4, 1.0)), (-1.6, (-1.0, -0.6))])
def test_parallel_capsules_touch_at_the_ends_of_the_line_along_which_they_lie_beside_each_other(shift, ends):
    capsule = rg.Capsule(0.1, (0, 0, -1), (0, 0, 1))
    mech = pair_of(capsule, capsule)
    rows = [parts(row) for row in meet(mech, placed(mech, rg.Pose(translation=(0.3, 0, shift)), rg.Pose()))[0]]
    touching = [row for row in rows if row["gap"] < 0.11]
    assert [row["gap"] for row in touching] == pytest.approx([0.1] * len(touching))
    np.testing.assert_allclose([row["normal"] for row in touching], [(1, 0, 0)] * len(touching), atol=1e-15)
    assert sorted({round(float(row["point"][2]), 12) for row in touching}) == pytest.approx(ends)


def test_a_ball_in_a_bowl_that_is_wider_than_it_touches_at_the_bottom():
    mech = pair_of(rg.Sphere(0.5), rg.surface(bowl), world=True)
    state = placed(mech, rg.Pose(translation=(0, 0, 0.5)), rng=np.random.default_rng(1))
    row = parts(meet(mech, state)[0][0])
    assert row["gap"] == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(row["point"], 0.0, atol=1e-15)
    v, _ = velocities_at(mech, state, np.array((0, 0, 0.5)))
    np.testing.assert_allclose(row["normal_rate"][:2], -v[:2] / 0.5, atol=1e-12)  # −κ/(1 − κ r) v with κ = 1, r = 0.5


def test_far_from_the_origin_of_the_world_a_gap_has_the_digits_of_the_world():
    mech = pair_of(rg.Sphere(0.1), LEVEL, world=True)
    row = parts(meet(mech, placed(mech, rg.Pose(translation=(1e5, -1e5, 0.35))))[0][0])
    assert row["gap"] == pytest.approx(0.25, abs=1e-15)


# --- boxes on steps ------------------------------------------------------------------------------------------------------------


def test_a_board_that_lies_on_an_edge_touches_it_with_both_edges_of_its_lower_face():
    tilt = 0.3  # its end hangs down over the edge at (0, 0.2)
    pose = rg.Pose(translation=(0, 0, 0.2)) @ rg.Pose.about((0, 1, 0), -tilt) @ rg.Pose(translation=(0.1, 0, 0.05))
    mech = pair_of(rg.Box((1.0, 0.4, 0.1)), rg.ground(profile=STAIRS[:4]), world=True)
    state = placed(mech, pose, rng=np.random.default_rng(2))
    rows, found = meet(mech, state)
    touched = {m.partition(": ")[2]: parts(row) for m, row in zip(found.meanings, rows, strict=True) if row[t.GAP] < 1e-12}
    assert set(touched) == {f"its edge {side}y, −z on {EDGE[3:]}" for side in "−+"}
    for row in touched.values():
        assert row["gap"] == pytest.approx(0.0, abs=1e-15)
        np.testing.assert_allclose(row["normal"], (-math.sin(tilt), 0, math.cos(tilt)), atol=1e-15)
        np.testing.assert_allclose(np.abs(row["point"]), (0, 0.2, 0.2), atol=1e-15)


@pytest.mark.parametrize("seed", range(40))
def test_a_box_on_an_edge_touches_where_its_shadow_along_the_edge_does(seed):
    """The least gap is 0 on the outline of the box's corners, seen along the edge, and has the right sign beside it."""
    rng = np.random.default_rng(seed)
    size, pose = rng.uniform(0.2, 0.8, 3), random_pose(rng)
    corners = pose.apply(0.5 * size * np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]))[:, [0, 2]]
    direction = rng.standard_normal(2)
    direction /= np.linalg.norm(direction)
    outline = ConvexHull(corners)
    middle = pose.translation[[0, 2]]
    slopes = outline.equations[:, :2] @ direction
    ways = -(outline.equations[:, :2] @ middle + outline.equations[:, 2]) / np.where(slopes > 0, slopes, np.nan)
    way = np.nanmin(ways)
    side = outline.equations[np.nanargmin(ways), :2]
    for part, gap in ((1.0, 0.0), (1.01, 0.01 * way * (direction @ side)), (0.99, -0.01 * way * (direction @ side))):
        x, z = middle + part * way * direction
        mech = pair_of(rg.Box(size), rg.ground(profile=[(x - 1, z - 9), (x, z), (x + 1, z - 9)]), world=True)
        state = placed(mech, pose, rng=rng)
        rows, found = meet(mech, state)
        i = int(np.argmin(np.where(found.points[:, t.KIND] == t.BOX_VERTEX, rows[:, t.GAP], np.inf)))
        row = rows[i]
        assert row[t.GAP] == pytest.approx(gap, abs=1e-12)
        np.testing.assert_allclose(row[[t.NORMAL, t.NORMAL + 2]], -side, atol=1e-12)
        assert row[t.NORMAL + 1] == 0.0
        if part == 1.0:
            np.testing.assert_allclose(row[[t.POINT, t.POINT + 2]], (x, z), atol=1e-12)
            check_rates(mech, state, row, i)


def check_rates(mech, state, row, i):
    """The rates of a point that touches, against differences, and its gap's against the velocity there."""
    h = 1e-6
    before, after = (parts(meet(mech, mech.state(q=rg.integrate(mech, state.q, s * state.v)))[0][i]) for s in (-h, h))
    here = parts(row)
    for key in ("normal", "point"):
        np.testing.assert_allclose(here[f"{key}_rate"], (after[key] - before[key]) / (2 * h), rtol=1e-4, atol=1e-5)
    v_a, v_b = velocities_at(mech, state, here["point"])
    assert (after["gap"] - before["gap"]) / (2 * h) == pytest.approx(here["normal"] @ (v_a - v_b), abs=1e-5)


def test_a_box_that_stands_beside_a_step_or_on_it_is_not_touched_by_the_edge():
    box = rg.Box((0.2, 0.2, 0.6))
    for x, z in ((-0.15, 0.3), (0.3, 0.5)):
        touched = closed(gaps_on_stairs(box, x, z), 1e-9)
        assert {meaning.partition(" on ")[0] for meaning in touched} == {f"its corner {a}x, {b}y, −z" for a in "−+" for b in "−+"}
        assert all("on the piece" in meaning for meaning in touched)


def test_a_board_without_thickness_has_four_edges():
    mech = pair_of(rg.Box((1.0, 0.4, 0.0)), rg.ground(profile=[(0, 0), (1, 1), (2, 0)]), world=True)
    _, found = meet(mech, placed(mech, rg.Pose(translation=(0, 0, 2))))
    assert sum(found.points[:, t.KIND] == t.BOX_VERTEX) == 4
