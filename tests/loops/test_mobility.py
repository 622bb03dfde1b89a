"""Generalized coordinates of closed chains: S2 II."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space

import regraft as rg
from loops.closed_mechanisms import (
    all_velocities,
    assembled_sample,
    bricard,
    clear_cut,
    coordinate_velocities,
    four_bars,
    reordered,
    two_links,
)
from random_mechanisms import random_pose, random_sample, random_state, relative_error

SEEDS = st.integers(0, 2**32 - 1)


def in_line(count, tilt=np.pi / 2):
    """Four-bars with all uprights tilted; by a right angle all rods are in line."""
    mech = four_bars(count)
    return mech, mech.state(q=[-tilt if name.startswith("foot") else tilt for name in mech.layout.names])


# --- known mechanisms -------------------------------------------------------------------------------------------------


def test_the_example_of_the_paper():
    """S2 eqs. (46)–(48), with θ_G = (θ1, θ7); the first row of S as the paper's own rule gives it."""
    mech = two_links()
    found = rg.mobility(mech, mech.state(), independent=["float[0]", "elbow"])
    assert (found.joints, found.rank, found.dof) == (8, 6, 2)
    assert found.independent == ("float[0]", "elbow")
    assert found.dependent == ("float[1]", "float[2]", "float[3]", "float[4]", "float[5]", "ground")
    assert found.actuated == ("elbow", "ground")
    nothing = [[0.0, 0.0]] * 4
    assert pytest.approx(np.array([*nothing, [0.5, -0.5], [0.5, 0.5]]), abs=1e-14) == found.H
    assert pytest.approx(np.array([[1, 0], *nothing, [0.5, -0.5], [0, 1]]), abs=1e-14) == found.W
    assert pytest.approx(np.array([[0, 1], [0.5, 0.5]]), abs=1e-14) == found.S


def test_a_planar_four_bar_has_three_redundant_rows():
    mech, state = in_line(1, tilt=0.4)
    found = rg.mobility(mech, state)
    assert (found.joints, found.rank, found.dof) == (4, 3, 1)
    assert found.independent == ("foot 0",)
    assert pytest.approx(np.array([[1], [-1], [1]]), abs=1e-12) == found.W  # a parallelogram


def test_a_weld_of_what_is_welded_takes_no_freedom():
    """All of J_C is rounding, or nothing at all, and none of it counts."""
    rng = np.random.default_rng(1)
    mech = rg.Mechanism()
    place, there = random_pose(rng), random_pose(rng)
    for name in ("arm", "hand", "tool"):
        mech.add_body(name, rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    mech.add_joint("shoulder", rg.Spherical(), "world", "arm", random_pose(rng), random_pose(rng))
    mech.add_joint("wrist", rg.Revolute((1, 2, 3)), "arm", "hand", random_pose(rng), random_pose(rng))
    mech.add_joint("weld", rg.Fixed(), "hand", "tool", place)
    mech.add_joint("second weld", rg.Fixed(), "hand", "tool", place @ there, there)
    state = random_state(rng, mech)
    assert np.abs(rg.loop_jacobian(mech, state)).max() < 1e-14
    found = rg.mobility(mech, state)
    assert (found.rank, found.dof) == (0, 4)


def test_bricard_has_one_degree_of_freedom():
    mech = bricard()
    found = rg.mobility(mech, mech.state())
    assert (found.joints, found.rank, found.dof) == (6, 5, 1)
    assert np.abs(found.S) == pytest.approx(np.ones((6, 1)), abs=1e-12)  # every other hinge turns alike


def test_bricard_keeps_its_degree_of_freedom_as_it_moves():
    mech = bricard()
    start = rg.assemble(mech, mech.state(v={"hinge 1": 1.0}), hold=["hinge 1"])
    traj = rg.simulate(mech, start, 0.5)
    assert np.abs(traj.state(0.5).q).max() > 0.1
    assert all(rg.mobility(mech, traj.state(t)).dof == 1 for t in np.linspace(0.0, 0.5, 7))


@pytest.mark.parametrize(("count", "dof"), [(1, 2), (2, 3), (5, 6)])
def test_where_all_rods_are_in_line_each_loop_loses_a_row(count, dof):
    assert rg.mobility(*in_line(count)).dof == dof
    assert rg.mobility(*in_line(count, np.pi / 2 - 1e-4)).dof == 1


def slider_crank(unit, **settings):
    """A crank that drives a slider by a rod: 3, 4, 5 in a given unit of length; settings of all joints but the crank's."""
    mech = rg.Mechanism()
    for name in ("crank", "rod", "slider"):
        mech.add_body(name, rg.Inertia.sphere(1.0, unit))
    hinge, at = rg.Revolute((0, 1, 0), **settings), lambda x, z: rg.Pose(translation=(x * unit, 0, z * unit))
    mech.add_joint("motor", rg.Revolute((0, 1, 0)), "world", "crank")
    mech.add_joint("pin", hinge, "crank", "rod", at(0, 3))
    mech.add_joint("guide", rg.Prismatic((4, 0, 1), **settings), "world", "slider", at(4, 0))
    mech.add_joint("wrist", hinge, "rod", "slider", at(4, -3))
    return mech, mech.state()


@pytest.mark.parametrize("unit", [2.0**-30, 2.0**30])
def test_rank_and_choice_do_not_depend_on_the_unit_of_length(unit):
    found, expected = rg.mobility(*slider_crank(unit)), rg.mobility(*slider_crank(1.0))
    assert (found.rank, found.dof) == (expected.rank, expected.dof) == (3, 1)
    assert found.independent == expected.independent
    assert found.conditioning == pytest.approx(expected.conditioning, rel=1e-12)
    assert found.W[2] == pytest.approx(unit * expected.W[2], rel=1e-12)  # the guide slides


def test_joints_with_motors_come_first():
    assert rg.mobility(*slider_crank(1.0)).independent == ("pin",)  # it turns most
    found = rg.mobility(*slider_crank(1.0, actuated=False))
    assert found.independent == found.actuated == ("motor",)
    assert pytest.approx(np.ones((1, 1))) == found.S


@settings(max_examples=20)
@given(SEEDS, st.integers(1, 6))
def test_a_tree_moves_as_it_likes(seed, bodies):
    sample = random_sample(np.random.default_rng(seed), bodies=bodies)
    found = rg.mobility(sample.mech, sample.state)
    assert (found.joints, found.rank, found.dof) == (sample.mech.nv, 0, sample.mech.nv)
    assert found.H.shape == (0, sample.mech.nv)
    assert np.array_equal(found.W, np.eye(sample.mech.nv))
    assert found.conditioning == pytest.approx(1.0)


def test_motors_sit_where_the_joint_says_so_but_not_in_the_air():
    mech = two_links(actuated=False)
    assert rg.mobility(mech, mech.state()).actuated == ("ground",)


# --- laws for any mechanism -------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 7), st.integers(1, 3), st.integers(1, 2))
def test_all_joints_follow_the_independent_ones(seed, bodies, loops, roots):
    """J_C θ̇ = 0 for every θ̇_G, H, W and S are rows of one matrix, and they give the velocities of the state."""
    mech, state = assembled_sample(np.random.default_rng(seed), bodies, loops, roots=min(roots, bodies))
    if not clear_cut(mech, state):
        return  # rank is a matter of taste there
    found = rg.mobility(mech, state)
    J = rg.loop_jacobian(mech, state)
    assert found.joints == J.shape[1] == found.rank + found.dof
    assert found.rank == np.linalg.matrix_rank(J, tol=1e-5)  # lengths are of order 1
    rows = dict(zip(found.dependent, found.H, strict=True)) | dict(zip(found.independent, np.eye(found.dof), strict=True))
    every = np.array([rows[name] for name in labels(mech)]).reshape(found.joints, found.dof)
    size = 1.0 / max(found.conditioning, 1e-3)
    assert np.abs(J @ every).max(initial=0.0) < 1e-11 * size
    assert np.array_equal(found.W, every[: mech.nv])
    assert np.array_equal(found.S, np.array([rows[name] for name in found.actuated]).reshape(len(found.actuated), found.dof))
    rates = coordinate_velocities(mech, state, found.independent)
    assert relative_error(found.W @ rates, state.v) < 1e-8
    assert relative_error(every @ rates, all_velocities(mech, state)) < 1e-8


def labels(mech):
    for name in (*mech.layout.names, *mech.loop_joints):
        count = mech.joints[name].type.nv
        yield from [name] if count == 1 else [f"{name}[{i}]" for i in range(count)]


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 6), st.integers(1, 3))
def test_the_degrees_of_freedom_do_not_depend_on_which_joints_close_the_loops(seed, bodies, loops):
    rng = np.random.default_rng(seed)
    mech, state = assembled_sample(rng, bodies, loops)
    if not clear_cut(mech, state):
        return
    found = rg.mobility(mech, state)
    other, there = reordered(mech, state, rng.permutation(list(mech.joints)).tolist())
    again = rg.mobility(other, there)
    assert (again.joints, again.rank, again.dof) == (found.joints, found.rank, found.dof)
    same = rg.mobility(other, there, independent=found.independent)
    assert set(same.dependent) == set(found.dependent)
    order = [same.dependent.index(name) for name in found.dependent]
    assert relative_error(same.H[order], found.H) < 1e-9 / max(found.conditioning, 1e-3)


@settings(max_examples=30)
@given(SEEDS, st.integers(3, 6), st.integers(1, 2))
def test_any_independent_choice_gives_the_same_motions(seed, bodies, loops):
    rng = np.random.default_rng(seed)
    mech, state = assembled_sample(rng, bodies, loops)
    if not clear_cut(mech, state):
        return
    found = rg.mobility(mech, state)
    names = rng.permutation(found.independent + found.dependent)[: found.dof].tolist()
    try:
        other = rg.mobility(mech, state, independent=names)
    except rg.StructureError:
        return
    if other.conditioning < 1e-3:
        return
    assert other.independent == tuple(names)
    # the columns of both span the same space
    both = np.hstack([found.W, other.W]) if found.dof else np.zeros((mech.nv, 0))
    assert np.linalg.matrix_rank(both, tol=1e-7 * max(1.0, np.abs(both).max(initial=0.0))) == found.dof


# --- the choice -------------------------------------------------------------------------------------------------------


def crank_and_rocker():
    """A planar four-bar whose crank goes round: ground 4, crank 1, coupler 3.5, rocker 3."""
    mech, hinge, at = rg.Mechanism(), rg.Revolute((0, 1, 0)), lambda x: rg.Pose(translation=(x, 0, 0))
    for name, length in (("crank", 1.0), ("coupler", 3.5), ("rocker", 3.0)):
        mech.add_body(name, rg.Inertia.cylinder(length, 0.02, (0, 0, 0), (length, 0, 0)))
    mech.add_joint("motor", hinge, "world", "crank")
    mech.add_joint("elbow", hinge, "crank", "coupler", at(1.0))
    mech.add_joint("pivot", hinge, "world", "rocker", at(4.0))
    mech.add_joint("knee", hinge, "coupler", "rocker", at(3.5), at(3.0))
    rough = mech.state(q={"motor": 0.3, "elbow": -1.2, "pivot": -2.0})
    return mech, rg.assemble(mech, rough, hold=["motor"])


def turned(mech, state, angle):
    q = {name: mech.joint_position(state, name) for name in mech.layout.names} | {"motor": angle}
    return rg.assemble(mech, mech.state(q=q, v={"motor": 1.0}), hold=["motor"])


def test_coordinates_are_kept_until_they_turn_bad_and_the_motion_does_not_jump():
    """The rocker stands still twice a turn, so it cannot lead there; the crank can everywhere."""
    mech, state = crank_and_rocker()
    kept = rg.mobility(mech, state, independent=["pivot"])
    changes = []
    for angle in np.linspace(0.3, 0.3 + 2 * np.pi, 400):
        state = turned(mech, state, angle)
        before, kept = kept, rg.mobility(mech, state, keep=kept)
        rates = coordinate_velocities(mech, state, kept.independent)
        assert kept.W @ rates == pytest.approx(state.v, abs=1e-9)
        if kept.independent != before.independent:
            changes.append(angle)
            poor = rg.mobility(mech, state, independent=before.independent)
            assert poor.conditioning < 0.1 * kept.conditioning
            slow = coordinate_velocities(mech, state, before.independent)
            assert poor.W @ slow == pytest.approx(state.v, abs=1e-9)
    assert len(changes) == 1
    assert kept.independent == ("motor",)


def test_what_is_kept_must_still_be_there():
    mech, state = crank_and_rocker()
    single = rg.mobility(four_bars(1), four_bars(1).state())
    assert rg.mobility(mech, state, keep=single).independent == rg.mobility(mech, state).independent
    line = in_line(1)
    more = rg.mobility(*line, keep=rg.mobility(*in_line(1, 0.4)))
    assert more.dof == 2


def test_coordinates_can_be_named_in_three_ways():
    mech = two_links()
    state = mech.state()
    for names in (["float[0]", "elbow"], [("float", 0), "elbow"], [("float", np.int64(0)), ("elbow", 0)]):
        assert rg.mobility(mech, state, independent=names).independent == ("float[0]", "elbow")
    tree = rg.Mechanism()
    tree.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    tree.add_joint("float", rg.Free(), "world", "ball")
    assert rg.mobility(tree, tree.state(), independent="float").dof == 6
    one = four_bars(1)
    assert rg.mobility(one, one.state(), independent="top 0").independent == ("top 0",)


def test_the_choice_is_the_same_each_time_and_the_matrices_cannot_be_written_to():
    mech, state = crank_and_rocker()
    first, second = rg.mobility(mech, state), rg.mobility(mech, state)
    assert first.independent == second.independent
    for matrix in (first.H, first.W, first.S):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0] = 1.0


# --- what goes wrong --------------------------------------------------------------------------------------------------


def test_a_bad_choice_is_an_error_with_a_choice_that_works():
    mech = two_links()
    state = mech.state()
    with pytest.raises(rg.StructureError, match=r"2 degrees of freedom .*1 coordinate given.*works: 'float\[\d\]', 'elbow'\.$"):
        rg.mobility(mech, state, independent=["elbow"])
    with pytest.raises(rg.StructureError, match=r"'float\[2\]' can move only as those before do, or not at all.*'elbow'"):
        rg.mobility(mech, state, independent=["elbow", "float[2]"])
    with pytest.raises(rg.StructureError, match=r"of the given ones 'ground' can move only.*'float\[0\]', 'elbow'\.$"):
        rg.mobility(mech, state, independent=["float[0]", "elbow", "ground"])
    welded = mech.copy()
    welded.add_joint("weld", rg.Fixed(), "world", "base")
    welded.add_joint("second weld", rg.Fixed(), "world", "link 1", rg.Pose(translation=(0, 1, 0)))
    with pytest.raises(rg.StructureError, match=r"0 degrees of freedom.*'elbow' can move only.*works: none\.$"):
        rg.mobility(welded, welded.state(), independent=["elbow"])


def test_unknown_names_are_errors():
    mech = two_links()
    for bad, message in [
        ("knee", "no joint 'knee'"),
        (["float[6]", "elbow"], r"'float' has 6 coordinates.*no float\[6\]"),
        ([("float", -1), "elbow"], r"no float\[-1\]"),
        ([3, "elbow"], "no joint 3"),
        (7, "no joint 7"),
    ]:
        with pytest.raises(rg.ModelError, match=message):
            rg.mobility(mech, mech.state(), independent=bad)
    with pytest.raises(rg.ModelError, match="not both"):
        rg.mobility(mech, mech.state(), ["elbow"], keep=rg.mobility(mech, mech.state()))
    with pytest.raises(rg.ModelError, match="another structure"):
        rg.mobility(mech, four_bars(1).state())


def test_open_loops_are_refused_and_small_gaps_closed():
    mech = bricard()
    with pytest.raises(rg.StructureError, match=r"open in this state.*assemble"):
        rg.mobility(mech, mech.state(q={"hinge 1": 0.1}))
    nearly = mech.state(q=1e-8 * np.arange(5.0))
    assert rg.mobility(mech, nearly).dof == 1
    assert rg.mobility(mech, mech.state(v={"hinge 1": 3.0})).dof == 1  # mobility is about positions


# --- accelerations ----------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 7), st.integers(1, 3))
def test_the_consistent_acceleration_is_the_nearest_one(seed, bodies, loops):
    """It keeps the loops closed, and the change has no part, by M, along any motion that the loops allow."""
    rng = np.random.default_rng(seed)
    mech, state = assembled_sample(rng, bodies, loops)
    if not clear_cut(mech, state):
        return
    wanted = 10.0 * rng.standard_normal(mech.nv)
    a = rg.consistent_acceleration(mech, state, wanted)
    J = rg.loop_jacobian(mech, state)
    rest = J[:, : mech.nv] @ a + rg.loop_jacobian_rate(mech, state) @ all_velocities(mech, state)
    own = J[:, mech.nv :]
    left = rest - own @ np.linalg.pinv(own) @ rest if own.size else rest
    size = 1.0 + np.abs(a).max(initial=0.0) + np.abs(state.v).max(initial=0.0) ** 2
    assert np.abs(left).max(initial=0.0) < 1e-9 * size
    W, M = rg.mobility(mech, state).W, rg.mass_matrix(mech, state)
    assert np.abs(W.T @ M @ (a - wanted)).max(initial=0.0) < 1e-9 * size * (1.0 + np.abs(W.T @ M).max(initial=0.0))
    assert relative_error(rg.consistent_acceleration(mech, state, a), a) < 1e-8


@settings(max_examples=30)
@given(SEEDS, st.integers(2, 7), st.integers(1, 3), st.data())
def test_held_joints_accelerate_as_they_are_told(seed, bodies, loops, data):
    """Wanted accelerations that fit the loops at the held joints: these are had there, and nothing nearer is elsewhere."""
    rng = np.random.default_rng(seed)
    mech, state = assembled_sample(rng, bodies, loops)
    names = [name for name in mech.layout.names if mech.joints[name].type.nv]
    if not names or not clear_cut(mech, state):
        return
    hold = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    held = np.concatenate([np.arange(mech.nv)[mech.v_slice(name)] for name in hold])
    possible = rg.consistent_acceleration(mech, state, 10.0 * rng.standard_normal(mech.nv))
    wanted = 10.0 * rng.standard_normal(mech.nv)
    wanted[held] = possible[held]
    a = rg.consistent_acceleration(mech, state, wanted, hold=hold)
    size = 1.0 + np.abs(a).max() + np.abs(possible).max() + np.abs(state.v).max() ** 2
    assert np.abs(a[held] - wanted[held]).max() < 1e-9 * size
    J, dJ = (ask(mech, state, reduced=True) for ask in (rg.loop_jacobian, rg.loop_jacobian_rate))
    assert np.abs(J @ a + dJ @ state.v).max(initial=0.0) < 1e-8 * size
    W, M = rg.mobility(mech, state).W, rg.mass_matrix(mech, state)
    still = W @ null_space(W[held], rcond=1e-9)
    assert np.abs(still.T @ M @ (a - wanted)).max(initial=0.0) < 1e-8 * size * (1.0 + np.abs(still.T @ M).max(initial=0.0))


def test_joints_that_cannot_be_held():
    mech, state = rg.models.four_bar().start
    wanted = [1.0, 5.0, -3.0]
    a = rg.consistent_acceleration(mech, state, wanted, hold="motor")
    assert a[0] == pytest.approx(1.0, abs=1e-12)
    with pytest.raises(rg.StructureError, match="held joints cannot have these accelerations"):
        rg.consistent_acceleration(mech, state, wanted, hold=("motor", "elbow"))
    assert rg.consistent_acceleration(mech, state, a, hold=("motor", "elbow", "pivot")) == pytest.approx(a, abs=1e-12)
    with pytest.raises(rg.ModelError, match="'knee' is a loop joint"):
        rg.consistent_acceleration(mech, state, wanted, hold=("knee",))
    with pytest.raises(rg.ModelError, match="no joint 'crank'"):
        rg.consistent_acceleration(mech, state, wanted, hold="crank")


def test_where_no_acceleration_keeps_the_loops_closed_that_is_an_error():
    """All rods in line: uprights may start to turn against each other, and cannot go on."""
    mech, line = in_line(1)
    found = rg.mobility(mech, line)
    stuck = mech.state(q=line.q, v=found.W @ [1.0, 0.3])
    with pytest.raises(rg.StructureError, match="position is singular"):
        rg.consistent_acceleration(mech, stuck, np.zeros(3))
    along = mech.state(q=line.q, v=[-1.0, 1.0, -1.0])
    a = rg.consistent_acceleration(mech, along, np.zeros(3))
    assert a == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_accelerations_of_trees_stay_as_they_are():
    sample = random_sample(np.random.default_rng(3), bodies=4)
    assert np.array_equal(rg.consistent_acceleration(sample.mech, sample.state, sample.a), sample.a)
    with pytest.raises(rg.ModelError, match="a must have shape"):
        rg.consistent_acceleration(sample.mech, sample.state, [1.0])


@pytest.mark.parametrize("far", [0.0, 1e4])
def test_levers_that_are_rounding_are_none(far):
    """Two ball joints at one place, on skew frames: their loop holds nothing that moves, and all stays as with one of them."""
    rng = np.random.default_rng(1)
    mech = rg.Mechanism()
    for name in ("post", "arm"):
        mech.add_body(name, rg.Inertia.box(1.0, (0.2, 0.3, 0.5), at=(0.1, 0.2, 0.3)))
    place, on_arm = random_pose(rng), random_pose(rng)
    mech.add_joint("slide", rg.Cylindrical((0.3, 0.5, -0.2)), "world", "post", rg.Pose(translation=(far, 0, 0)))
    mech.add_joint("ball", rg.Spherical(), "post", "arm", place, on_arm)
    turned = rg.Pose.about((1.0, 2.0, -1.0), 0.7)
    mech.add_joint("second ball", rg.Spherical(), "post", "arm", place @ turned, on_arm @ turned)
    state = mech.state(q={"slide": (0.3, 0.1)}, v=rng.standard_normal(5))
    found = rg.mobility(mech, state)
    assert (found.joints, found.rank, found.dof) == (8, 3, 5)
    a = rng.standard_normal(5)
    assert rg.consistent_acceleration(mech, state, a) == pytest.approx(a, abs=1e-9)
