"""The forces in the joints of closed chains: each body's own Newton–Euler balance, and what redundant loops leave open."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space

import regraft as rg
from loops.closed_mechanisms import bricard, closed_sample, four_bars, frame_rows, moving_four_bar, rows_of
from loops.newton_euler import imbalance
from random_mechanisms import random_pose
from regraft.joints import screws

SEEDS = st.integers(0, 2**32 - 1)


def held_parts(mech, state, reactions):
    """λ: what each loop joint pushes along the directions that it holds, in the order of `rows_of`."""
    found = [np.zeros(0)]
    for name in mech.loop_joints:
        joint = mech.joints[name]
        axes = frame_rows(mech, state, joint.child, joint.child_pose)[0].rotation
        held = null_space(screws(joint.type, mech.joint_position(state, name))).T if joint.type.nv else np.eye(6)
        found.append(held @ (reactions[name].reshape(2, 3) @ axes).ravel())
    return np.concatenate(found)


def is_least(mech, state, reactions):
    """Nothing of λ does no work in any motion of the tree: such a part could be left out, and what is left would be smaller."""
    J, _ = rows_of(mech, state)
    idle = null_space(J.T, rcond=1e-7)
    multipliers = held_parts(mech, state, reactions)
    return idle.shape[1], np.abs(idle.T @ multipliers).max(initial=0.0) <= 1e-8 * (1.0 + np.abs(multipliers).max(initial=0.0))


@settings(max_examples=100)
@given(SEEDS, st.integers(2, 7), st.integers(1, 3), st.integers(1, 2))
def test_what_the_joints_push_is_what_every_body_needs(seed, bodies, loops, roots):
    """With torques by name, damping, active limits, springs and wrenches, redundant loops or not."""
    mech, state = closed_sample(
        seed, bodies, loops, roots=min(roots, bodies), damping=True, limits=True, own=True, springs=2, alike=True
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    torques = {name: rng.standard_normal(joint.type.nv) for name, joint in mech.joints.items()}
    wrenches = {body: rng.standard_normal(6) for body in mech.bodies}
    assert imbalance(mech, state, torques, wrenches) < 1e-9
    reactions = rg.joint_reactions(mech, state, torques, wrenches)
    redundancies, least = is_least(mech, state, reactions)
    assert bool(reactions.redundant) == (redundancies > 0)
    assert least


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 6), st.integers(1, 3))
def test_along_its_freedom_a_joint_pushes_torque_damping_and_limits(seed, bodies, loops):
    """The power of the reaction on the joint's own screws: for joints with damping alone it is τ − d q̇."""
    mech, state = closed_sample(seed, bodies, loops, damping=True, alike=True)
    rng = np.random.default_rng(seed)
    torques = {name: rng.standard_normal(joint.type.nv) for name, joint in mech.joints.items()}
    reactions = rg.joint_reactions(mech, state, torques)
    size = max(1.0, *(np.abs(wrench).max() for wrench in reactions.values()))
    for name, joint in mech.joints.items():
        axes = frame_rows(mech, state, joint.child, joint.child_pose)[0].rotation
        local = (reactions[name].reshape(2, 3) @ axes).ravel()
        own = screws(joint.type, mech.joint_position(state, name)) @ local
        expected = torques[name] - joint.type.damping * mech.joint_velocity(state, name)
        assert np.abs(own - expected).max(initial=0.0) < 1e-9 * size


# --- redundant loops --------------------------------------------------------------------------------------------------


def welded_twice(*poses):
    """A ball on a slide, and two welds that hold it where it is."""
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    mech.add_joint("slide", rg.Free(), "world", "ball")
    for number, pose in enumerate(poses or (rg.Pose(), rg.Pose())):
        mech.add_joint(f"weld {number}", rg.Fixed(), "world", "ball", pose, pose)
    return mech, mech.state()


def test_two_welds_in_parallel_share_the_weight():
    mech, state = welded_twice()
    found = rg.joint_reactions(mech, state)
    assert set(found.redundant) == {"weld 0", "weld 1", "slide"}
    for number in range(2):
        assert found[f"weld {number}"] == pytest.approx([0, 0, 0, 0, 0, 9.81], abs=1e-12)
    assert found["slide"] == pytest.approx(np.zeros(6), abs=1e-12)
    assert imbalance(mech, state) < 1e-12
    assert is_least(mech, state, found) == (6, True)


def test_two_welds_at_other_places_share_it_with_the_least_forces_and_moments():
    """Symmetric about the ball, so that each carries half; a moment in one would need the opposite one in the other."""
    sides = [rg.Pose(translation=(x, 0, 0)) for x in (-1, 1)]
    mech, state = welded_twice(*sides)
    found = rg.joint_reactions(mech, state)
    for number, x in enumerate((-1, 1)):
        # about its own place each weld must carry half the weight; moments ∓ m with force f fulfil m + x f = 0 in sum
        assert found[f"weld {number}"][3:] == pytest.approx([0, 0, 9.81], abs=1e-12)
        assert found[f"weld {number}"][:3] == pytest.approx(np.zeros(3), abs=1e-12), x
    assert is_least(mech, state, found) == (6, True)


def test_a_push_on_a_twice_welded_body_is_balanced():
    mech, state = welded_twice(rg.Pose(translation=(0.3, 0.1, 0)), rg.Pose.about((1, 0, 0), 0.4))
    push = {"ball": np.array([1.0, -2.0, 3.0, 4.0, 0.5, -1.0])}
    assert imbalance(mech, state, wrenches=push) < 1e-12
    assert is_least(mech, state, rg.joint_reactions(mech, state, wrenches=push)) == (6, True)


@pytest.mark.parametrize("settings", [{}, {"damping": 3.0}, {"limits": rg.Limits(-0.1, 0.1, 200.0)}], ids=str)
def test_a_planar_four_bar_in_space_is_redundant_and_balanced(settings):
    mech, state = moving_four_bar(**settings)
    found = rg.joint_reactions(mech, state)
    assert set(found.redundant) == set(mech.joints)
    assert imbalance(mech, state) < 1e-10
    assert is_least(mech, state, found) == (3, True)
    for name in mech.loop_joints:
        assert found[name][[0, 1, 5]] == pytest.approx(np.zeros(3), abs=1e-9)  # nothing out of the plane pushes


@pytest.mark.parametrize("seed", [0, 27, 46, 55])  # the last three: of rounding that has full rank
def test_a_joint_beside_a_weld_is_redundant_in_all_that_it_holds(seed):
    """No joint moves it, so all that is left of its rows is rounding; its least force is none."""
    rng, mech, last = np.random.default_rng(seed), rg.Mechanism(), "world"
    for name in ("hip", "knee", "ankle", "toe"):
        mech.add_body(f"{name} link", rg.Inertia.box(2.0, (0.1, 0.2, 0.9)))
        mech.add_joint(name, rg.Revolute(rng.standard_normal(3)), last, f"{name} link", random_pose(rng))
        last = f"{name} link"
    mech.add_body("shoe", rg.Inertia.box(2.0, (0.1, 0.2, 0.9)))
    mech.add_joint("weld", rg.Fixed(), last, "shoe", random_pose(rng), random_pose(rng))
    there = rg.body_poses(mech, mech.state())
    mech.add_joint("ball", rg.Spherical(), last, "shoe", there[last].inverse() @ there["shoe"])
    found = rg.joint_reactions(mech, mech.state(v=rng.standard_normal(4)))
    assert set(found.redundant) == {"weld", "ball"}
    assert np.abs(found["ball"]).max() == 0.0


def test_only_the_joints_of_redundant_loops_are_named():
    """A four-bar with a pendulum on its top, and another pendulum beside it."""
    mech, hinge = four_bars(1), rg.Revolute((0, 0, 1))
    for name, onto in (("bob", "level 0"), ("other bob", "world")):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"{name} hinge", hinge, onto, name, child_pose=rg.Pose(translation=(0, 0.5, 0)))
    found = rg.joint_reactions(mech, rg.assemble(mech, mech.state(v={"foot 0": 1.0}), hold=["foot 0"]))
    assert set(found.redundant) == {"foot 0", "top 0", "foot 1", "end 1"}


def test_a_ball_in_one_corner_makes_a_four_bar_determined():
    """One hinge of four replaced by a cylinder, one by a ball: the loop holds six directions for six that it needs."""
    mech, hinge = rg.Mechanism(gravity=(0, -9.81, 0)), rg.Revolute((0, 0, 1))
    for name, end in (("left", (0, 1, 0)), ("top", (1, 0, 0)), ("right", (0, 1, 0))):
        mech.add_body(name, rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), end))
    mech.add_joint("a", hinge, "world", "left")
    mech.add_joint("b", rg.Spherical(), "left", "top", rg.Pose(translation=(0, 1, 0)))
    mech.add_joint("c", rg.Cylindrical((0, 0, 1)), "right", "top", rg.Pose(translation=(0, 1, 0)), rg.Pose(translation=(1, 0, 0)))
    mech.add_joint("d", hinge, "world", "right", rg.Pose(translation=(1, 0, 0)))
    state = rg.assemble(mech, mech.state(q={"a": 0.3}, v={"a": 1.0}), hold=["a"])
    found = rg.joint_reactions(mech, state)
    assert found.redundant == ()
    assert imbalance(mech, state) < 1e-10


def test_bricards_linkage_is_redundant_in_one_direction():
    mech = bricard()
    state = rg.assemble(mech, mech.state(v={"hinge 1": 0.5}), hold=["hinge 1"])
    found = rg.joint_reactions(mech, state, {"hinge 3": 2.0})
    assert set(found.redundant) == set(mech.joints)
    assert imbalance(mech, state, {"hinge 3": np.array([2.0])}) < 1e-9
    assert is_least(mech, state, found) == (1, True)
