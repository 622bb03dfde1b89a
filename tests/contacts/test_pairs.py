"""Each pair of shapes: gaps against distances by brute force, normals and rates against the laws that they obey."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from distances import distance, distance_to_profile, height_over_plane
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from meeting_shapes import meet, pair_of, parts, placed, velocities_at

import regraft as rg
from random_mechanisms import random_pose
from regraft.kernels.contacts import tables as t

SEEDS = st.integers(0, 10**6)
STAIRS = [(-1.0, 0.1), (-0.4, 0.0), (0.0, 0.0), (0.0, 0.3), (0.5, 0.3), (0.8, 0.1), (0.8, -0.2), (1.5, -0.1)]


@numba.njit
def hills(x, y):
    """z = 0.2 sin x cos y and its derivatives: nowhere hollower than a ball of radius 1."""
    a, b, c, d = np.sin(x), np.cos(x), np.sin(y), np.cos(y)
    return 0.2 * a * d, 0.2 * b * d, -0.2 * a * c, -0.2 * a * d, -0.2 * b * c, -0.2 * a * d


def capsule(rng):
    return rg.Capsule(rng.uniform(0.05, 0.3), rng.uniform(-0.5, 0.5, 3), rng.uniform(-0.5, 0.5, 3))


def sphere(rng):
    return rg.Sphere(rng.uniform(0.05, 0.4))


ON_PLANES = {
    "frame": lambda rng: None,  # noqa: ARG005
    "sphere": sphere,
    "capsule": capsule,
    "box": lambda rng: rg.Box(rng.uniform(0.1, 0.8, 3)),
    "board": lambda rng: rg.Box((*rng.uniform(0.1, 0.8, 2), 0.0)),
    "cylinder": lambda rng: rg.Cylinder(*rng.uniform(0.1, 0.8, 2)),
    "disc": lambda rng: rg.Cylinder(rng.uniform(0.1, 0.8), 0.0),
    "ellipsoid": lambda rng: rg.Ellipsoid(rng.uniform(0.1, 0.8, 3)),
}

ROUND = {
    "frame, sphere": (lambda rng: None, sphere),  # noqa: ARG005
    "sphere, sphere": (sphere, sphere),
    "frame, capsule": (lambda rng: None, capsule),  # noqa: ARG005
    "sphere, capsule": (sphere, capsule),
    "capsule, capsule": (capsule, capsule),
    "frame, box": (lambda rng: None, lambda rng: rg.Box(rng.uniform(0.1, 0.8, 3))),  # noqa: ARG005
    "sphere, box": (sphere, lambda rng: rg.Box(rng.uniform(0.1, 0.8, 3))),
    "frame, cylinder": (lambda rng: None, lambda rng: rg.Cylinder(*rng.uniform(0.1, 0.8, 2))),  # noqa: ARG005
    "sphere, cylinder": (sphere, lambda rng: rg.Cylinder(*rng.uniform(0.1, 0.8, 2))),
    "sphere, surface": (sphere, lambda rng: rg.surface(hills)),  # noqa: ARG005
}

SMOOTH = {
    **{f"{name}, plane": (make, lambda rng: rg.Plane(rng.uniform(-1, 1, 3))) for name, make in ON_PLANES.items()},
    **ROUND,
    "sphere, hollow": (sphere, lambda rng: rg.Sphere(rng.uniform(3.0, 4.0), hollow=True)),
    "capsule, hollow": (capsule, lambda rng: rg.Sphere(rng.uniform(4.0, 5.0), hollow=True)),
    "frame, surface": (lambda rng: None, lambda rng: rg.surface(hills)),  # noqa: ARG005
    "frame, ground": (lambda rng: None, lambda rng: rg.ground(0.3, 0.2)),  # noqa: ARG005
}


def nearest(rows):
    """The row of the point that touches first."""
    return int(np.argmin(rows[:, t.GAP]))


# --- gaps ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ON_PLANES)
@given(seed=SEEDS)
@settings(max_examples=12)
def test_the_least_gap_is_the_height_of_the_lowest_point_above_a_plane(name, seed):
    rng = np.random.default_rng(seed)
    form, plane, at = ON_PLANES[name](rng), rg.Plane(rng.uniform(-1, 1, 3)), random_pose(rng)
    on_body, pose_a, pose_b = random_pose(rng), random_pose(rng), random_pose(rng)
    mech = pair_of(form, plane, on_body, at)
    rows, _ = meet(mech, placed(mech, pose_a, pose_b))
    normal = np.array(plane.normal)
    others = np.linalg.svd(normal[None])[2][1:]
    turn = np.column_stack((others[0], np.cross(normal, others[0]), normal))
    expected = height_over_plane(form, pose_a @ on_body, pose_b @ at @ rg.Pose(turn))
    assert rows[:, t.GAP].min() == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("name", ROUND)
@given(seed=SEEDS)
@settings(max_examples=12)
def test_the_gap_is_the_distance_of_shapes_that_are_apart(name, seed):
    rng = np.random.default_rng(seed)
    form_a, form_b = (make(rng) for make in ROUND[name])
    pose_b = random_pose(rng)
    above = rg.Pose(translation=(0, 0, 0.8)) if isinstance(form_b, rg.Surface) else rg.Pose()
    pose_a = pose_b @ above @ random_pose(rng, 0.3 if isinstance(form_b, rg.Surface) else 1.2)
    mech = pair_of(form_a, form_b)
    rows, _ = meet(mech, placed(mech, pose_a, pose_b))
    rows = rows[[nearest(rows)]]
    assume(rows[0, t.GAP] > 0.01)
    assert rows[0, t.GAP] == pytest.approx(distance(form_a, pose_a, form_b, pose_b), abs=1e-6)


@pytest.mark.parametrize("make", [sphere, capsule], ids=["sphere", "capsule"])
@given(seed=SEEDS)
@settings(max_examples=20)
def test_the_least_gap_is_the_distance_from_a_profile(make, seed):
    rng = np.random.default_rng(seed)
    form, pose = make(rng), rg.Pose(translation=rng.uniform((-1.5, -1.0, 0.2), (2.0, 1.0, 1.5))) @ random_pose(rng, 0.1)
    mech = pair_of(form, rg.ground(profile=STAIRS), world=True)
    rows, _ = meet(mech, placed(mech, pose))
    expected = distance_to_profile(form, pose, STAIRS)
    assume(expected > 0.01 and _above(form, pose))
    assert rows[:, t.GAP].min() == pytest.approx(expected, abs=1e-6)


def _above(form, pose):
    """Whether the middle of a form is above the stairs, which are then not behind it."""
    ends = [form.start, form.end] if isinstance(form, rg.Capsule) else [np.zeros(3)]
    heights = [pose.apply(end) for end in ends]
    line = np.array(STAIRS)
    return all(z > np.interp(x, line[:, 0] + 1e-12 * np.arange(len(line)), line[:, 1]) for x, _, z in heights)


# --- normals, places and rates ---------------------------------------------------------------------------------------------


def touching(name, rng):
    """A mechanism and a state in which the first point of its contact touches, with random velocities."""
    form_a, form_b = (make(rng) for make in SMOOTH[name])
    on_a, on_b = random_pose(rng), random_pose(rng)
    mech = pair_of(form_a, form_b, on_a, on_b)
    pose_b = random_pose(rng)
    pose_a = pose_b @ rg.Pose(translation=(0, 0, 1.0)) @ random_pose(rng)
    if name in ("frame, box", "frame, cylinder"):  # above a face: a point on an edge has no normal
        size = form_b.size if isinstance(form_b, rg.Box) else (form_b.radius, form_b.radius, form_b.length)
        above = 0.5 * np.array(size) * (*rng.uniform(-0.9, 0.9, 2), 1.5)
        pose_a = pose_b @ on_b @ rg.Pose(translation=above) @ on_a.inverse()
    velocity = rng.uniform(-1.0, 1.0, mech.structure.nv)
    for _ in range(60):
        state = placed(mech, pose_a, pose_b)
        rows = meet(mech, state)[0]
        row = parts(rows[nearest(rows) if name == "capsule, capsule" else 0])
        if abs(row["gap"]) < 1e-13:
            break
        pose_a = rg.Pose(translation=-row["gap"] * row["normal"]) @ pose_a
    return mech, mech.state(q=state.q, v=velocity), row["gap"]


@pytest.mark.parametrize("name", SMOOTH)
@given(seed=SEEDS)
@settings(max_examples=20)
def test_rates_are_those_of_the_motion(name, seed):
    mech, state, gap = touching(name, np.random.default_rng(seed))
    assume(abs(gap) < 1e-9)
    i, h = nearest(meet(mech, state)[0]), 1e-5
    here = parts(meet(mech, state)[0][i])
    before, after = (parts(meet(mech, mech.state(q=rg.integrate(mech, state.q, step * state.v)))[0][i]) for step in (-h, h))
    rates = {key: (after[key] - before[key]) / (2 * h) for key in ("gap", "normal", "point")}
    assume(max(np.abs(here[f"{key}_rate"]).max() for key in ("normal", "point")) < 50.0)  # else differences say nothing
    np.testing.assert_allclose(here["normal_rate"], rates["normal"], rtol=0, atol=1e-5)
    np.testing.assert_allclose(here["point_rate"], rates["point"], rtol=0, atol=1e-5)
    v_a, v_b = velocities_at(mech, state, here["point"])
    assert rates["gap"] == pytest.approx(here["normal"] @ (v_a - v_b), abs=1e-6)


@pytest.mark.parametrize("name", SMOOTH)
@given(seed=SEEDS)
@settings(max_examples=20)
def test_normal_and_tangents_are_a_right_handed_frame(name, seed):
    mech, state, _ = touching(name, np.random.default_rng(seed))
    row = parts(meet(mech, state)[0][0])
    frame = np.vstack((row["tangents"], row["normal"]))
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-13)
    assert np.linalg.det(frame) > 0.0


@pytest.mark.parametrize("name", SMOOTH)
@given(seed=SEEDS)
@settings(max_examples=20)
def test_a_rigid_motion_of_everything_moves_all_that_is_found(name, seed):
    rng = np.random.default_rng(seed)
    form_a, form_b = (make(rng) for make in SMOOTH[name])
    mech = pair_of(form_a, form_b, random_pose(rng), random_pose(rng))
    pose_a, pose_b, all_of_it = (random_pose(rng) for _ in range(3))
    rows, _ = meet(mech, placed(mech, pose_a, pose_b))
    moved, _ = meet(mech, placed(mech, all_of_it @ pose_a, all_of_it @ pose_b))
    for before, after in zip(map(parts, rows), map(parts, moved), strict=True):
        assert after["gap"] == pytest.approx(before["gap"], abs=1e-12)
        np.testing.assert_allclose(after["normal"], all_of_it.rotation @ before["normal"], atol=1e-10)
        np.testing.assert_allclose(after["point"], all_of_it.apply(before["point"]), atol=1e-10)


@pytest.mark.parametrize("name", SMOOTH)
@given(seed=SEEDS)
@settings(max_examples=20)
def test_a_contact_that_is_named_the_other_way_round_has_the_opposite_normal(name, seed):
    mech, state, _ = touching(name, np.random.default_rng(seed))
    rows, _ = meet(mech, state, "first", "second")
    others, _ = meet(mech, state, "second", "first")
    rows, others = (found[[nearest(found)]] if name == "capsule, capsule" else found for found in (rows, others))
    for row, other in zip(map(parts, rows), map(parts, others), strict=True):
        assert other["gap"] == pytest.approx(row["gap"], abs=1e-9)
        for key, sign in (("normal", -1.0), ("normal_rate", -1.0), ("point_rate", None)):
            if sign is not None and name not in ("sphere, sphere", "capsule, capsule"):
                np.testing.assert_allclose(other[key], sign * row[key], atol=1e-12)
        np.testing.assert_allclose(other["normal"], -row["normal"], atol=1e-9)
        np.testing.assert_allclose(other["point"], row["point"], atol=1e-9)
