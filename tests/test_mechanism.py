"""Mechanisms and states as the user sees them: names, slots, loops, copies, equality, the drawing."""

from __future__ import annotations

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import random_inertia, random_mechanism, random_pose, random_state, samples

Y = (0, 1, 0)


def link(mass=1.0):
    """A bar from the origin to (1, 0, 0)."""
    return rg.Inertia.box(mass, (1.0, 0.1, 0.2), at=(0.5, 0.0, 0.0))


def four_bar():
    """A unit square in the x–z plane: two cranks on the ground, a coupler between them."""
    mech = rg.Mechanism()
    for name in ("crank", "coupler", "rocker"):
        mech.add_body(name, link())
    along = rg.Pose(translation=(1, 0, 0))
    mech.add_joint("a", rg.Revolute(Y), "world", "crank")
    mech.add_joint("b", rg.Revolute(Y), "crank", "coupler", along)
    mech.add_joint("c", rg.Revolute(Y), "coupler", "rocker", along)
    mech.add_joint("d", rg.Revolute(Y), "world", "rocker", along, along)
    return mech


def parallelogram(mech, crank, rate):
    """The state in which the coupler stays level: closed at every angle of the crank."""
    # the rocker points from the coupler's end down to the ground: it is the crank turned by half a turn
    q = {"a": crank, "b": -crank, "c": crank + np.pi}
    return mech.state(q=q, v={"a": rate, "b": -rate, "c": rate})


def pair():
    mech = rg.Mechanism()
    mech.add_body("upper", link())
    mech.add_body("lower", link())
    mech.add_joint("shoulder", rg.Spherical(), "world", "upper")
    mech.add_joint("elbow", rg.Revolute(Y), "upper", "lower", rg.Pose(translation=(1, 0, 0)))
    return mech


# --- slots -----------------------------------------------------------------------------------------------------------


@given(samples(max_bodies=7, roots=2))
def test_joints_have_their_slots_in_the_order_in_which_they_were_added(sample):
    mech = sample.mech
    q = v = 0
    for name, joint in mech.joints.items():
        assert mech.q_slice(name) == slice(q, q + joint.type.nq)
        assert mech.v_slice(name) == slice(v, v + joint.type.nv)
        assert np.array_equal(mech.joint_position(sample.state, name), sample.state.q[mech.q_slice(name)])
        assert np.array_equal(mech.joint_velocity(sample.state, name), sample.state.v[mech.v_slice(name)])
        q, v = q + joint.type.nq, v + joint.type.nv
    assert (mech.nq, mech.nv) == (q, v)
    assert (sample.state.q.shape, sample.state.v.shape) == ((q,), (v,))


def test_slots_do_not_depend_on_where_the_joint_sits_in_the_tree():
    mech = rg.Mechanism()
    for name in "abc":
        mech.add_body(name, link())
    mech.add_joint("last", rg.Revolute(Y), "b", "c")
    mech.add_joint("middle", rg.Spherical(), "b", "a")
    mech.add_joint("first", rg.Prismatic(Y), "world", "a")
    assert [mech.v_slice(name) for name in ("last", "middle", "first")] == [slice(0, 1), slice(1, 4), slice(4, 5)]
    state = mech.state(v={"first": 2.0, "last": 1.0})
    assert state.v.tolist() == [1.0, 0.0, 0.0, 0.0, 2.0]
    assert rg.body_twists(mech, state)["a"].tolist() == [0, 0, 0, 0, 2, 0]


# --- loops -----------------------------------------------------------------------------------------------------------


def test_a_joint_between_connected_bodies_becomes_a_loop_joint():
    mech = four_bar()
    assert mech.loop_joints == ("d",)
    assert mech.nv == 3
    assert list(mech.joints) == ["a", "b", "c", "d"]
    for slot in (mech.q_slice, mech.v_slice):
        with pytest.raises(rg.ModelError, match="'d' is a loop joint"):
            slot("d")


def test_which_joint_closes_the_loop_follows_from_the_order_of_adding():
    mech = rg.Mechanism()
    for name in "abc":
        mech.add_body(name, link())
    for name, ends in {"ab": ("a", "b"), "bc": ("b", "c"), "ca": ("c", "a"), "wa": ("world", "a"), "wc": ("world", "c")}.items():
        mech.add_joint(name, rg.Revolute(Y), *ends)
    assert mech.loop_joints == ("ca", "wc")


@pytest.mark.parametrize("crank", [0.3, -1.0, 1.5])
def test_a_loop_joint_follows_from_the_tree(crank):
    """In a parallelogram the rocker turns as the crank does; `d` measures it from the other side, half a turn away."""
    mech = four_bar()
    state = parallelogram(mech, crank, 0.7)
    turned = mech.joint_position(state, "d") - (crank + np.pi)
    assert np.abs(np.remainder(turned + np.pi, 2 * np.pi) - np.pi).max() < 1e-12
    assert mech.joint_velocity(state, "d") == pytest.approx([0.7], abs=1e-12)


def test_the_velocity_of_a_loop_joint_between_moving_bodies_is_the_rate_of_its_position():
    mech = rg.Mechanism()
    for name in ("a", "b"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("spin", rg.Revolute((0, 0, 1)), "world", "a")
    mech.add_joint("slide", rg.Cylindrical((0, 0, 1)), "a", "b", rg.Pose(translation=(1, 0, 0)))
    mech.add_joint("loop", rg.Planar((1, 0, 0)), "a", "b", rg.Pose(translation=(1, 0, 0)))
    v = {"spin": 2.0, "slide": (0.0, 0.7)}
    now, later = (mech.state(q={"spin": 0.3 + 2e-6 * k, "slide": (0.0, 0.4 + 0.7e-6 * k)}, v=v) for k in (0, 1))
    rate = (mech.joint_position(later, "loop") - mech.joint_position(now, "loop")) / 1e-6
    assert mech.joint_velocity(now, "loop") == pytest.approx(rate, abs=1e-8)


def test_the_position_of_a_loop_that_is_open_is_refused_with_the_name_of_its_joint():
    mech = four_bar()
    with pytest.raises(rg.StructureError, match="'d'"):
        mech.joint_position(mech.state(q={"a": 0.5}), "d")


def test_a_loop_joints_numbers_cannot_be_set():
    with pytest.raises(rg.ModelError, match="'d' is a loop joint"):
        four_bar().state(q={"d": 0.1})


def test_the_spanning_tree_of_a_closed_mechanism_answers():
    mech = four_bar()
    state = parallelogram(mech, 0.5, 1.0)
    assert rg.mass_matrix(mech, state).shape == (3, 3)
    assert rg.bias_force(mech, state).shape == (3,)
    assert rg.body_poses(mech, state)["rocker"].apply((1, 0, 0)) == pytest.approx((1, 0, 0), abs=1e-12)


# --- copies and equality ---------------------------------------------------------------------------------------------


@given(samples(max_bodies=6, roots=2, springs=2, damping=True, limits=True))
def test_a_copy_is_equal_and_behaves_alike(sample):
    twin = sample.mech.copy()
    assert twin == sample.mech
    assert twin.structure is sample.mech.structure or twin.layout.same_structure(sample.mech.layout)
    assert np.array_equal(
        rg.forward_dynamics(twin, sample.state, sample.tau), rg.forward_dynamics(sample.mech, sample.state, sample.tau)
    )


CHANGES = {
    "body": lambda mech: mech.add_body("new", link()),
    "frame": lambda mech: mech.add_frame("new", "upper"),
    "joint": lambda mech: mech.add_joint("new", rg.Revolute(Y), "world", "lower"),
    "spring": lambda mech: mech.add_spring("new", "world", (0, 0, 1), "upper", (1, 0, 0), stiffness=5.0),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_copy_changes_alone(change):
    mech = pair()
    before, drawing = mech.to_dict(), repr(mech)
    acceleration = rg.forward_dynamics(mech, mech.state())
    twin = mech.copy()
    change(twin)
    assert twin != mech
    assert mech.to_dict() == before
    assert repr(mech) == drawing
    assert np.array_equal(rg.forward_dynamics(mech, mech.state()), acceleration)
    third = mech.copy()
    change(mech)
    assert third.to_dict() == before
    assert mech == twin


def test_a_change_is_seen_at_once():
    mech = pair()
    still = rg.forward_dynamics(mech, mech.state())
    mech.add_spring("tendon", "world", (0, 0, 3), "lower", (1, 0, 0), stiffness=50.0)
    assert not np.allclose(rg.forward_dynamics(mech, mech.state()), still)
    mech.add_body("hand", rg.Inertia.sphere(0.5, 0.1))
    mech.add_joint("wrist", rg.Revolute(Y), "lower", "hand", rg.Pose(translation=(1, 0, 0)))
    assert rg.forward_dynamics(mech, mech.state()).shape == (5,)


def test_mechanisms_differ_in_any_part():
    mech = pair()
    assert mech == pair()
    assert mech != "a mechanism"
    lighter, elsewhere, floating = pair(), pair(), rg.Mechanism(gravity=(0, 0, 0))
    lighter._bodies["upper"] = rg.Body("upper", link(mass=0.5))
    elsewhere._joints["elbow"] = rg.Joint("elbow", rg.Revolute(Y), "upper", "lower", rg.Pose(), rg.Pose())
    assert mech != lighter
    assert mech != elsewhere
    assert rg.Mechanism() != floating
    assert rg.Mechanism(gravity=(0, 0, 0)) == floating


def test_the_order_of_joints_is_part_of_a_mechanism():
    """It decides where the numbers are."""
    one, other = rg.Mechanism(), rg.Mechanism()
    for mech, order in ((one, "ab"), (other, "ba")):
        mech.add_body("a", link())
        mech.add_body("b", link())
        for name in order:
            mech.add_joint(f"to {name}", rg.Revolute(Y), "world", name)
    assert one != other


def test_tables_cannot_be_written_to():
    mech = pair()
    for table in (mech.bodies, mech.joints, mech.frames, mech.springs):
        with pytest.raises(TypeError):
            table["x"] = None
    with pytest.raises(ValueError, match="read-only"):
        mech.gravity[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        mech.bodies["upper"].inertia.com[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        mech.joints["elbow"].parent_pose.translation[0] = 2.0


def test_a_mechanism_does_not_share_the_numbers_it_was_made_from():
    gravity, com, place = np.array([0.0, 0.0, -1.0]), np.array([0.1, 0.2, 0.3]), np.array([1.0, 0.0, 0.0])
    mech = rg.Mechanism(gravity)
    mech.add_body("a", rg.Inertia(1.0, com, np.eye(3)))
    mech.add_joint("j", rg.Revolute(Y), "world", "a", rg.Pose(translation=place))
    before = mech.to_dict()
    gravity[:] = com[:] = place[:] = 9.0
    assert mech.to_dict() == before


# --- the drawing -----------------------------------------------------------------------------------------------------


def test_the_drawing_shows_branches_directions_loops_and_what_is_loose():
    mech = rg.Mechanism()
    for name in ("torso", "arm", "leg", "foot", "bar", "stray"):
        mech.add_body(name, link(mass=2.0))
    mech.add_joint("base", rg.Free(), "world", "torso")
    mech.add_joint("shoulder", rg.Spherical(), "torso", "arm")
    mech.add_joint("hip", rg.Revolute(Y), "leg", "torso")
    mech.add_joint("ankle", rg.Revolute(Y), "leg", "foot")
    mech.add_joint("hinge", rg.Revolute(Y), "world", "bar")
    mech.add_joint("grip", rg.Revolute(Y), "arm", "bar")
    mech.add_spring("tendon", "leg", (0, 0, 0), "foot", (0, 0, 0), stiffness=1.0)
    assert str(mech) == (
        "Mechanism: 6 bodies, 6 joints, 12 degrees of freedom of the tree, 1 spring, 12 kg\n"
        "world\n"
        "├─ base: Free → torso (2 kg)\n"
        "│  ├─ shoulder: Spherical → arm (2 kg)\n"
        "│  └─ hip: Revolute ← leg (2 kg)\n"
        "│     └─ ankle: Revolute → foot (2 kg)\n"
        "└─ hinge: Revolute → bar (2 kg)\n"
        "loop grip: Revolute, arm ↔ bar\n"
        "not connected: stray"
    )


def test_bodies_that_hang_together_but_not_on_the_world_are_drawn_as_loose():
    mech = rg.Mechanism()
    for name in "abc":
        mech.add_body(name, link())
    mech.add_joint("j", rg.Revolute(Y), "world", "a")
    mech.add_joint("k", rg.Revolute(Y), "b", "c")
    assert repr(mech).splitlines()[-2:] == ["not connected: b", "not connected: c"]


def drawn_and_told(mech):
    """How many bodies the drawing shows by name, and how many more it speaks of."""
    lines = repr(mech).splitlines()
    told = [int(line.split()[2]) for line in lines if line.startswith("... and ")]
    assert all(count > 0 for count in told)
    shown = sum("→" in line or "←" in line or line.startswith("not connected") for line in lines)
    return shown, sum(told), len(lines)


@pytest.mark.parametrize("count", [150, 198, 199, 200, 201, 500])
@pytest.mark.parametrize("connected", [True, False], ids=["connected", "loose"])
def test_a_large_drawing_is_cut_and_tells_how_much_is_left_out(count, connected):
    mech = rg.Mechanism()
    for i in range(count):
        mech.add_body(f"b{i}", link())
        if connected:
            mech.add_joint(f"j{i}", rg.Revolute(Y), "world", f"b{i}")
    shown, told, lines = drawn_and_told(mech)
    assert shown + told == count
    assert lines <= 210


def test_an_empty_mechanism_is_drawn():
    assert repr(rg.Mechanism()) == "Mechanism: 0 bodies, 0 joints, 0 degrees of freedom, 0 kg\nworld"


# --- states ----------------------------------------------------------------------------------------------------------


def test_a_state_is_made_from_names_or_from_whole_arrays():
    mech = pair()
    turn = np.array([np.cos(0.2), 0.0, np.sin(0.2), 0.0])
    by_name = mech.state(q={"shoulder": turn, "elbow": 0.3}, v={"elbow": [1.5], "shoulder": (1, 2, 3)})
    whole = mech.state(q=[*turn, 0.3], v=[1, 2, 3, 1.5])
    assert by_name == whole
    assert by_name.q.dtype == by_name.v.dtype == np.float64
    assert mech.state().q.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert mech.state().v.tolist() == [0.0] * 4
    assert mech.state(v={"elbow": 1}) != mech.state()
    assert mech.state() != "a state"


def test_a_state_cannot_be_changed():
    mech = pair()
    q, v = np.array([1.0, 0, 0, 0, 0.3]), np.arange(4.0)
    state = mech.state(q=q, v=v)
    q[:], v[:] = 0.0, 0.0
    assert (state.q.tolist(), state.v.tolist()) == ([1, 0, 0, 0, 0.3], [0, 1, 2, 3])
    for array in (state.q, state.v):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5.0
    for name in ("q", "v"):
        with pytest.raises(AttributeError):
            setattr(state, name, np.zeros(4))
    position = mech.joint_position(state, "elbow")
    position[0] = 9.0
    assert state.q[4] == 0.3


def test_asking_does_not_change_a_state():
    mech = pair()
    state = random_state(np.random.default_rng(0), mech)
    q, v, tau = state.q.copy(), state.v.copy(), np.arange(4.0)
    for ask in (rg.forward_dynamics, rg.inverse_dynamics, rg.derivatives, rg.joint_reactions):
        ask(mech, state, tau)
    for ask in (rg.mass_matrix, rg.bias_force, rg.energy, rg.momentum, rg.center_of_mass, rg.body_poses, rg.body_twists):
        ask(mech, state)
    rg.normalise(mech, state.q)
    rg.integrate(mech, state.q, state.v)
    assert np.array_equal(state.q, q)
    assert np.array_equal(state.v, v)
    assert tau.tolist() == [0, 1, 2, 3]


def test_a_state_shows_its_numbers_by_name():
    text = repr(pair().state(q={"elbow": 0.25}, v={"shoulder": (1, 2, 3)}))
    assert "shoulder: q = (1, 0, 0, 0), v = (1, 2, 3)" in text
    assert "elbow: q = 0.25, v = 0" in text


@given(samples(max_bodies=5))
def test_a_state_serves_every_mechanism_of_equal_structure(sample):
    again = rg.Mechanism.from_dict(sample.mech.to_dict())
    for twin in (sample.mech.copy(), again):
        assert twin.state(sample.state.q, sample.state.v) == sample.state
        assert np.array_equal(rg.forward_dynamics(twin, sample.state), rg.forward_dynamics(sample.mech, sample.state))


def _renamed():
    mech = rg.Mechanism()
    mech.add_body("upper", link())
    mech.add_body("lower", link())
    mech.add_joint("shoulder", rg.Spherical(), "world", "upper")
    mech.add_joint("knee", rg.Revolute(Y), "upper", "lower")
    return mech


def _retyped():
    mech = rg.Mechanism()
    mech.add_body("upper", link())
    mech.add_body("lower", link())
    mech.add_joint("shoulder", rg.Spherical(), "world", "upper")
    mech.add_joint("elbow", rg.Prismatic(Y), "upper", "lower")
    return mech


def _turned_round():
    mech = rg.Mechanism()
    mech.add_body("upper", link())
    mech.add_body("lower", link())
    mech.add_joint("shoulder", rg.Spherical(), "world", "upper")
    mech.add_joint("elbow", rg.Revolute(Y), "lower", "upper")
    return mech


def _closed():
    mech = pair()
    mech.add_joint("grip", rg.Revolute(Y), "world", "lower")
    return mech


ASKING = {
    "forward_dynamics": rg.forward_dynamics,
    "inverse_dynamics": lambda mech, state: rg.inverse_dynamics(mech, state, np.zeros(mech.nv)),
    "mass_matrix": rg.mass_matrix,
    "bias_force": rg.bias_force,
    "derivatives": rg.derivatives,
    "joint_reactions": rg.joint_reactions,
    "energy": rg.energy,
    "momentum": rg.momentum,
    "center_of_mass": rg.center_of_mass,
    "body_poses": rg.body_poses,
    "body_twists": rg.body_twists,
    "frame_pose": lambda mech, state: rg.frame_pose(mech, state, "lower"),
    "frame_twist": lambda mech, state: rg.frame_twist(mech, state, "lower"),
    "jacobian": lambda mech, state: rg.jacobian(mech, state, "lower"),
    "jacobian_rate": lambda mech, state: rg.jacobian_rate(mech, state, "lower"),
    "joint_position": lambda mech, state: mech.joint_position(state, "elbow"),
    "joint_velocity": lambda mech, state: mech.joint_velocity(state, "elbow"),
}


@pytest.mark.parametrize("other", [_renamed, _retyped, _turned_round, _closed])
@pytest.mark.parametrize("ask", ASKING.values(), ids=ASKING)
def test_a_state_of_another_structure_is_refused(ask, other):
    mech = pair()
    ask(mech, mech.state())
    with pytest.raises(rg.ModelError, match=r"another structure.*mech\.state"):
        ask(mech, other().state())


@pytest.mark.parametrize("ask", ASKING.values(), ids=ASKING)
@pytest.mark.parametrize("wrong", [None, np.zeros(5), {"elbow": 0.0}], ids=["nothing", "an array", "a dict"])
def test_what_is_no_state_is_refused(ask, wrong):
    with pytest.raises(rg.ModelError, match=r"State.*mech\.state"):
        ask(pair(), wrong)


def test_a_state_from_before_a_change_of_structure_is_refused():
    mech = pair()
    state = mech.state()
    mech.add_body("hand", link())
    mech.add_joint("wrist", rg.Revolute(Y), "lower", "hand")
    with pytest.raises(rg.ModelError, match="another structure"):
        rg.forward_dynamics(mech, state)


def test_a_state_from_before_a_change_that_keeps_the_structure_is_accepted():
    mech = pair()
    state = mech.state()
    mech.add_spring("tendon", "world", (0, 0, 3), "lower", (1, 0, 0), stiffness=50.0)
    mech.add_frame("tip", "lower", rg.Pose(translation=(1, 0, 0)))
    assert rg.forward_dynamics(mech, state).shape == (4,)
    assert rg.frame_position(mech, state, "tip").tolist() == [2.0, 0.0, 0.0]


# --- names -----------------------------------------------------------------------------------------------------------


def test_bodies_and_frames_share_their_names():
    mech = pair()
    mech.add_frame("tip", "lower")
    with pytest.raises(rg.ModelError, match=r"'tip'.*choose another"):
        mech.add_body("tip", link())
    with pytest.raises(rg.ModelError, match=r"'upper'.*choose another"):
        mech.add_frame("upper", "lower")
    with pytest.raises(rg.ModelError, match="world"):
        mech.add_frame("world", "lower")


def test_joints_and_springs_have_their_own_names():
    mech = pair()
    mech.add_joint("upper", rg.Revolute(Y), "world", "lower")
    mech.add_spring("upper", "world", (0, 0, 0), "lower", (0, 0, 0), stiffness=1.0)
    assert mech.joints["upper"].child == "lower"
    assert mech.springs["upper"].body_b == "lower"


def test_frames_are_places_on_bodies_and_on_the_world():
    mech = pair()
    mech.add_frame("tip", "lower", rg.Pose.about(Y, 0.5, translation=(1, 0, 0)))
    mech.add_frame("wall", "world", rg.Pose(translation=(0, 0, 7)))
    state = mech.state(q={"elbow": 0.5}, v={"elbow": 2.0})
    pose = rg.frame_pose(mech, state, "tip")
    assert pose.translation == pytest.approx([1 + np.cos(0.5), 0, -np.sin(0.5)])
    assert pose.rotation == pytest.approx(rg.Pose.about(Y, 1.0).rotation)
    assert rg.frame_twist(mech, state, "tip") == pytest.approx([0, 2, 0, -2 * np.sin(0.5), 0, -2 * np.cos(0.5)])
    assert rg.frame_position(mech, state, "wall").tolist() == [0, 0, 7]
    assert rg.frame_pose(mech, state, "world") == rg.Pose()
    for still in ("wall", "world"):
        assert not rg.frame_twist(mech, state, still).any()
        assert not rg.jacobian(mech, state, still).any()
        assert not rg.jacobian_rate(mech, state, still).any()


# --- several threads, other processes --------------------------------------------------------------------------------


def test_threads_do_not_disturb_each_other():
    """Kernels run side by side, each call in scratch space of its own."""
    rng = np.random.default_rng(0)
    mech = random_mechanism(rng, bodies=30, damping=True, limits=True, springs=3)
    states = [random_state(rng, mech) for _ in range(400)]
    expected = [rg.forward_dynamics(mech, state) for state in states]
    energies = [rg.energy(mech, state) for state in states]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda state: rg.forward_dynamics(mech, state), states))
        found_energies = list(pool.map(lambda state: rg.energy(mech, state), states))
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))
    assert found_energies == energies


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda part: pickle.loads(pickle.dumps(part))], ids=["copy", "deepcopy", "pickle"]
)
def test_mechanisms_and_states_survive_copying_and_pickling(copied):
    rng = np.random.default_rng(1)
    mech = random_mechanism(rng, bodies=8, damping=True, limits=True, springs=2)
    mech.add_frame("tip", "b3", random_pose(rng))
    state = random_state(rng, mech)
    expected = rg.forward_dynamics(mech, state)
    twin, again = copied(mech), copied(state)
    assert twin == mech
    assert again == state
    assert np.array_equal(rg.forward_dynamics(twin, again), expected)
    both_mech, both_state = copied((mech, state))
    assert np.array_equal(rg.forward_dynamics(both_mech, both_state), expected)
    twin.add_body("more", link())
    assert twin != mech
    assert "more" not in mech.bodies
    assert not twin.gravity.flags.writeable


def test_a_mechanism_that_is_gone_leaves_nothing_behind_that_is_used():
    """Kernels get addresses; whatever they point to must live as long as the call."""
    for seed in range(50):
        mech = random_mechanism(np.random.default_rng(seed), bodies=5)
        state = random_state(np.random.default_rng(seed), mech)
        expected = rg.forward_dynamics(mech, state)
        twin = mech.copy()
        del mech
        gc.collect(0)
        other = random_mechanism(np.random.default_rng(seed + 1), bodies=5)  # may take the memory that came free
        rg.forward_dynamics(other, other.state())
        assert np.array_equal(rg.forward_dynamics(twin, state), expected)


# --- special shapes --------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1))
def test_trees_that_hang_on_the_world_side_by_side_do_not_feel_each_other(seed):
    """Two mechanisms in one give the accelerations of each by itself."""
    rng = np.random.default_rng(seed)
    one, two = (random_mechanism(rng, bodies=3, damping=True, limits=True) for _ in range(2))
    both = rg.Mechanism(one.gravity)
    alone = []
    for k, mech in enumerate((one, two)):
        data = mech.to_dict() | {"gravity": one.gravity.tolist()}
        alone.append(rg.Mechanism.from_dict(data))
        for body in mech.bodies.values():
            both.add_body(f"{k}{body.name}", body.inertia)
        for joint in mech.joints.values():
            ends = (name if name == "world" else f"{k}{name}" for name in (joint.parent, joint.child))
            both.add_joint(f"{k}{joint.name}", joint.type, *ends, joint.parent_pose, joint.child_pose)
    states = [random_state(rng, mech) for mech in alone]
    state = both.state(np.concatenate([s.q for s in states]), np.concatenate([s.v for s in states]))
    expected = np.concatenate([rg.forward_dynamics(mech, s) for mech, s in zip(alone, states, strict=True)])
    assert rg.forward_dynamics(both, state) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_mechanism_without_bodies_answers():
    mech = rg.Mechanism()
    mech.add_frame("mark", "world", rg.Pose(translation=(1, 2, 3)))
    state = mech.state()
    assert (mech.nq, mech.nv, state.q.size, state.v.size) == (0, 0, 0, 0)
    assert rg.forward_dynamics(mech, state).shape == (0,)
    assert rg.inverse_dynamics(mech, state, []).shape == (0,)
    assert rg.mass_matrix(mech, state).shape == (0, 0)
    assert rg.bias_force(mech, state).shape == (0,)
    assert rg.derivatives(mech, state).q.shape == (0, 0)
    assert rg.forward_dynamics_batch(mech, np.zeros((3, 0)), np.zeros((3, 0))).shape == (3, 0)
    assert rg.joint_reactions(mech, state) == {}
    assert rg.body_poses(mech, state) == {}
    assert rg.energy(mech, state).total == 0.0
    assert not rg.momentum(mech, state).linear.any()
    assert rg.frame_position(mech, state, "mark").tolist() == [1, 2, 3]
    assert rg.jacobian(mech, state, "mark").shape == (6, 0)
    with pytest.raises(rg.ModelError, match="no mass"):
        rg.center_of_mass(mech, state)


def test_a_mechanism_of_welds_only_is_a_rigid_body_at_rest():
    rng = np.random.default_rng(0)
    mech, total = rg.Mechanism(), rg.Inertia(0.0)
    place = rg.Pose()
    for i in range(4):
        inertia, near, far = random_inertia(rng), random_pose(rng), random_pose(rng)
        mech.add_body(f"b{i}", inertia)
        upper, lower = ("world" if i == 0 else f"b{i - 1}"), f"b{i}"
        if i % 2:
            mech.add_joint(f"j{i}", rg.Fixed(), lower, upper, far, near)
        else:
            mech.add_joint(f"j{i}", rg.Fixed(), upper, lower, near, far)
        place = place @ near @ far.inverse()
        total = total + inertia.moved(place)
    state = mech.state()
    assert rg.forward_dynamics(mech, state).shape == (0,)
    assert rg.center_of_mass(mech, state) == pytest.approx(total.com, abs=1e-13)
    assert rg.energy(mech, state).potential == pytest.approx(9.81 * total.mass * total.com[2], abs=1e-12)
    assert rg.joint_reactions(mech, state)["j0"][3:] == pytest.approx([0, 0, 9.81 * total.mass])


@given(st.integers(0, 2**32 - 1))
def test_welded_bodies_are_one_body(seed):
    rng = np.random.default_rng(seed)
    inertias, places = [random_inertia(rng) for _ in range(3)], [random_pose(rng) for _ in range(2)]
    gravity = rng.uniform(-10, 10, 3)
    apart, whole = rg.Mechanism(gravity), rg.Mechanism(gravity)
    for k, inertia in enumerate(inertias):
        apart.add_body(f"b{k}", inertia)
    whole.add_body("b0", inertias[0] + inertias[1].moved(places[0]) + inertias[2].moved(places[0] @ places[1]))
    for mech in (apart, whole):
        mech.add_joint("base", rg.Free(), "world", "b0")
    apart.add_joint("weld 1", rg.Fixed(), "b0", "b1", places[0])
    apart.add_joint("weld 2", rg.Fixed(), "b2", "b1", rg.Pose(), places[1])
    state, tau = random_state(rng, whole), rng.standard_normal(6)
    expected = rg.forward_dynamics(whole, state, tau)
    assert rg.forward_dynamics(apart, apart.state(state.q, state.v), tau) == pytest.approx(expected, rel=1e-10, abs=1e-10)


# --- poses and inertias ----------------------------------------------------------------------------------------------


def test_equal_poses_and_inertias_hash_alike():
    """0 and −0 are equal numbers."""
    for make in (
        lambda zero: rg.Pose(translation=(zero, 0.0, 1.0)),
        lambda zero: rg.Pose(rotation=[[1, 0, 0], [zero, 1, 0], [0, 0, 1]]),
        lambda zero: rg.Inertia(1.0, com=(zero, 0.0, 1.0)),
        lambda zero: rg.Revolute((zero, 0.0, 1.0)),
    ):
        assert make(0.0) == make(-0.0)
        assert hash(make(0.0)) == hash(make(-0.0))
        assert make(0.0) != "another"


def test_uniform_bodies_have_the_moments_of_the_textbook():
    assert rg.Inertia.box(12.0, (1, 2, 3)).tensor.diagonal() == pytest.approx([13, 10, 5])
    assert rg.Inertia.sphere(5.0, 2.0).tensor.diagonal() == pytest.approx([8, 8, 8])
    assert rg.Inertia.rod(12.0, (0, 0, 0), (0, 0, 2)).tensor.diagonal() == pytest.approx([4, 4, 0])
    assert rg.Inertia.rod(12.0, (0, 0, 0), (0, 0, 2)).com.tolist() == [0, 0, 1]
    assert rg.Inertia.cylinder(12.0, 1.0, (0, 0, 0), (0, 0, 2)).tensor.diagonal() == pytest.approx([7, 7, 6])
    assert not rg.Inertia.point(3.0, at=(1, 2, 3)).tensor.any()
    assert rg.Inertia.point(3.0, at=(1, 2, 3)).com.tolist() == [1, 2, 3]


@given(st.integers(0, 2**32 - 1))
def test_inertias_add_in_any_frame(seed):
    rng = np.random.default_rng(seed)
    a, b, pose = random_inertia(rng), random_inertia(rng), random_pose(rng)
    together, apart = (a + b).moved(pose), a.moved(pose) + b.moved(pose)
    assert together.mass == pytest.approx(apart.mass)
    assert together.com == pytest.approx(apart.com, abs=1e-14)
    assert together.tensor == pytest.approx(apart.tensor, abs=1e-13)
    assert (a + rg.Inertia(0.0)).tensor == pytest.approx(a.tensor)


@given(st.integers(0, 2**32 - 1))
def test_poses_form_a_group(seed):
    rng = np.random.default_rng(seed)
    a, b, x = random_pose(rng), random_pose(rng), rng.standard_normal((4, 3))
    assert (a @ b).apply(x) == pytest.approx(a.apply(b.apply(x)), abs=1e-14)
    assert a.inverse().apply(a.apply(x)) == pytest.approx(x, abs=1e-14)
    assert rg.Pose.from_quaternion(a.quaternion, a.translation).rotation == pytest.approx(a.rotation, abs=4e-15)
    assert a @ rg.Pose() == a
