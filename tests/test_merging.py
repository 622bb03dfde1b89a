"""Two mechanisms as one, and mechanisms without some of their parts."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given

import regraft as rg
from random_mechanisms import random_pose, samples

PREFIX = "gripper_"


def arm():
    mech = rg.Mechanism()
    link = rg.Inertia.box(2.0, (0.1, 0.1, 0.5), at=(0, 0, 0.25))
    for name in ("upper", "fore"):
        mech.add_body(name, link)
    top = rg.Pose(translation=(0, 0, 0.5))
    mech.add_joint("shoulder", rg.Revolute((0, 1, 0), damping=0.1), "world", "upper")
    mech.add_joint("elbow", rg.Revolute((0, 1, 0), limits=(-2, 2)), "upper", "fore", top)
    mech.add_frame("flange", "fore", rg.Pose.about((1, 0, 0), 0.3, translation=(0, 0, 0.5)))
    mech.add_actuator("elbow motor", "elbow", gear=50.0)
    mech.add_keyframe("home", mech.state(q={"elbow": 0.5}))
    mech.extras["urdf"] = {"robot": "arm"}
    return mech


def gripper(base=None):
    """A palm with two fingers that are coupled, a spring to its world and shapes."""
    mech = rg.Mechanism()
    mech.add_body("palm", rg.Inertia.box(0.4, (0.1, 0.05, 0.1)))
    mech.add_joint("base", base or rg.Fixed(), "world", "palm", child_pose=rg.Pose(translation=(0, 0, -0.05)))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        mech.add_body(side, rg.Inertia.box(0.05, (0.02, 0.02, 0.08), at=(0, 0, 0.04)))
        mech.add_joint(f"{side}_slide", rg.Prismatic((0, sign, 0)), "palm", side, rg.Pose(translation=(0, 0, 0.05)))
    mech.add_coupling("fingers", "left_slide", "right_slide")
    mech.add_actuator("motor", "left_slide", effort=20.0)
    mech.add_frame("tip", "left", rg.Pose(translation=(0, 0, 0.08)))
    mech.add_frame("mount", "world", rg.Pose(translation=(0.01, 0.02, 0.03)))
    mech.add_spring("return", "world", (0.0, 0.1, 0.05), "left", (0, 0, 0), stiffness=40.0, rest_length=0.05)
    mech.add_shape("palm", rg.Box((0.1, 0.05, 0.1)), "palm_box")
    mech.add_shape("world", rg.Cylinder(0.05, 0.01), "plate")
    mech.add_keyframe("open", mech.state(q={"left_slide": 0.03, "right_slide": 0.03}))
    return mech


# --- merge -------------------------------------------------------------------------------------------------------------


def test_a_robot_with_a_gripper_has_all_parts_under_their_names():
    robot = rg.merge(arm(), gripper(), prefix=PREFIX, onto="flange")
    for table in ("bodies", "joints", "frames", "springs", "shapes", "couplings", "actuators", "keyframes"):
        expected = [*getattr(arm(), table), *(PREFIX + name for name in getattr(gripper(), table))]
        assert list(getattr(robot, table)) == expected
    assert robot.couplings["gripper_fingers"].joints == ("gripper_left_slide", "gripper_right_slide")
    assert robot.actuators["gripper_motor"].joint == "gripper_left_slide"
    assert robot.shapes["gripper_plate"].body == "fore"
    assert robot.frames["gripper_mount"].body == "fore"
    assert robot.extras == arm().extras
    assert rg.Mechanism.from_dict(json.loads(json.dumps(robot.to_dict()))).same_as(robot)


@given(samples())
def test_the_second_is_where_its_world_is_put_on_the_first(sample):
    rng = np.random.default_rng(sample.mech.nq)
    robot_arm, pose = arm(), random_pose(rng)
    other = sample.mech.replace(gravity=robot_arm.gravity)
    robot = rg.merge(robot_arm, other, prefix="b ", onto="flange", pose=pose)
    state = rg.merge_states(robot, robot_arm.state(q={"elbow": 0.4}), sample.state, prefix="b ")
    where = rg.frame_pose(robot_arm, robot_arm.state(q={"elbow": 0.4}), "flange") @ pose
    poses, alone = rg.body_poses(robot, state), rg.body_poses(other, sample.state)
    for name, expected in alone.items():
        found = where @ expected
        assert np.abs(poses[f"b {name}"].rotation - found.rotation).max() < 1e-12
        assert np.abs(poses[f"b {name}"].translation - found.translation).max() < 1e-11
    assert state.v[robot_arm.nv :].tolist() == sample.state.v.tolist()


def test_two_trees_in_one_world_move_as_each_alone():
    one, other = arm(), gripper(rg.Free())
    both = rg.merge(one, other, prefix="b_").without("b_fingers")
    a, b = one.state(q={"elbow": 0.3}, v={"shoulder": 1.0}), other.state(q={"left_slide": 0.02}, v={"base": (1, 2, 3, 4, 5, 6)})
    state = rg.merge_states(both, a, b, prefix="b_")
    expected = [rg.forward_dynamics(one, a), rg.forward_dynamics(other.without("fingers"), b)]
    assert rg.forward_dynamics(both, state) == pytest.approx(np.concatenate(expected), rel=1e-10, abs=1e-10)
    energy = rg.energy(both, state)
    alone = rg.energy(one, a).total + rg.energy(other, b).total
    assert energy.total == pytest.approx(alone, rel=1e-12)  # of the spring too, whose end is on the world


def test_the_base_joint_may_be_replaced():
    welded = rg.merge(arm(), gripper(rg.Free()), prefix=PREFIX, onto="flange", joint=rg.Fixed())
    assert welded == rg.merge(arm(), gripper(), prefix=PREFIX, onto="flange")
    assert welded.joints["gripper_base"].child_pose.translation.tolist() == [0, 0, -0.05]
    state = rg.merge_states(
        welded, arm().state(q={"elbow": 1.0}), gripper(rg.Free()).state(q={"left_slide": 0.01}), prefix=PREFIX
    )
    assert state.q.tolist() == [0.0, 1.0, 0.01, 0.0]
    turning = rg.merge(arm(), gripper(), prefix=PREFIX, onto="flange", joint=rg.Revolute((0, 0, 1)))
    assert turning.keyframe("gripper_open").q.tolist() == [0.0, 0.0, 0.0, 0.03, 0.03]


def test_keyframes_of_either_have_the_other_at_its_bind_pose():
    robot = rg.merge(arm(), gripper(), prefix=PREFIX, onto="flange")
    assert robot.keyframe("home").q.tolist() == [0.0, 0.5, 0.0, 0.0]
    assert robot.keyframe("gripper_open").q.tolist() == [0.0, 0.0, 0.03, 0.03]
    floating = rg.merge(arm(), gripper(rg.Free()), prefix=PREFIX, onto="flange")
    assert floating.keyframe("home")["gripper_base"].q.tolist() == [0, 0, 0, 1, 0, 0, 0]
    rerooted, _ = rg.reroot(arm(), arm().state(), "fore")
    with pytest.raises(rg.StructureError, match="made for another structure"):
        rg.merge(rerooted, gripper(), prefix=PREFIX).keyframe("home")


def test_neither_of_the_two_is_changed():
    one, other = arm(), gripper()
    rg.merge(one, other, prefix=PREFIX, onto="fore")
    assert one.same_as(arm())
    assert other.same_as(gripper())


@pytest.mark.parametrize(
    ("call", "pattern"),
    [
        (lambda: rg.merge(arm(), arm()), "both would have parts called 'elbow', 'elbow motor', 'flange', 'fore', 'home'"),
        (lambda: rg.merge(arm(), gripper().replace(gravity=(0, 0, 0))), "different gravity.*replace"),
        (lambda: rg.merge(arm(), gripper(), onto="hand"), "no body or frame 'hand'.*'upper', 'fore'"),
        (lambda: rg.merge(arm(), gripper(), onto=["fore"]), "no body or frame"),
        (lambda: rg.merge(arm(), gripper(), pose=(0, 0, 1)), "pose must be a Pose"),
        (lambda: rg.merge(arm(), gripper(), prefix=None), "prefix must be a text"),
        (lambda: rg.merge(arm(), gripper(), joint=rg.Fixed), "give a joint type"),
        (lambda: rg.merge(arm(), rg.models.pendulum()), "model.mech"),
        (lambda: rg.merge_states(arm(), arm().state(), gripper().state()), "'base' is no joint of the merged tree"),
        (lambda: rg.merge_states(arm(), arm().state(), None), "give states of the two"),
    ],
)
def test_what_cannot_be_merged_is_named(call, pattern):
    with pytest.raises(rg.ModelError, match=pattern):
        call()


def test_one_joint_to_the_world_can_be_replaced_and_no_more():
    four_bar = rg.models.four_bar().mech.replace(gravity=arm().gravity)
    with pytest.raises(rg.StructureError, match="one joint between the second and its world, which has: 'motor'"):
        rg.merge(arm(), four_bar, prefix="b ", joint=rg.Fixed())
    with pytest.raises(rg.StructureError, match="which has: none"):
        rg.merge(arm(), rg.Mechanism(), joint=rg.Fixed())


def test_loops_of_the_second_stay_loops():
    model = rg.models.four_bar()
    four_bar = model.mech.replace(gravity=arm().gravity)
    robot = rg.merge(arm(), four_bar, prefix="b ", onto="flange")
    assert robot.loop_joints == tuple(f"b {name}" for name in four_bar.loop_joints)
    state = rg.merge_states(robot, arm().state(), model.state, prefix="b ")
    assert robot.joint_position(state, robot.loop_joints[0]).shape == (1,)


# --- without -----------------------------------------------------------------------------------------------------------


def robot():
    return rg.merge(arm(), gripper(), prefix=PREFIX, onto="flange")


def test_a_gripper_that_is_taken_away_leaves_the_arm():
    left = robot().without("gripper_palm", below=True).without("gripper_mount", "gripper_plate", "gripper_open")
    assert left.same_as(arm())


def test_what_would_hang_on_nothing_is_an_error_that_names_it():
    with pytest.raises(rg.StructureError, match=r"no way from the world to 'gripper_left', 'gripper_right'; .*below=True"):
        robot().without("gripper_palm")
    with pytest.raises(rg.StructureError, match="without 'elbow' there is no way from the world to 'fore', 'gripper_palm'"):
        robot().without("elbow")
    loose = arm()
    loose.add_body("lost", rg.Inertia.sphere(1.0, 0.1))
    assert "lost" in loose.without("fore").bodies  # which had no way before


def test_with_a_body_goes_all_that_is_on_it():
    left = robot().without("gripper_left")
    assert "gripper_left_slide" not in left.joints
    assert not left.springs
    assert not left.couplings
    assert list(left.actuators) == ["elbow motor"]
    assert list(left.frames) == ["flange", "gripper_mount"]
    assert left.keyframe("home").q.tolist() == [0.0, 0.5, 0.0]


def test_a_joint_in_a_loop_can_go_and_the_keyframe_says_that_the_tree_is_another():
    mech = rg.models.four_bar().mech.copy()
    mech.add_keyframe("start", rg.models.four_bar().state)
    loop = mech.loop_joints[0]
    opened = mech.without(loop)
    assert opened.loop_joints == mech.loop_joints[1:]
    assert opened.keyframe("start").q.tolist() == mech.keyframe("start").q.tolist()
    other = mech.without("motor")
    with pytest.raises(rg.StructureError, match="made for another structure"):
        other.keyframe("start")


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("flange", "frames"),
        ("gripper_return", "springs"),
        ("gripper_plate", "shapes"),
        ("gripper_fingers", "couplings"),
        ("elbow motor", "actuators"),
        ("home", "keyframes"),
    ],
)
def test_a_fitting_goes_alone(name, table):
    mech = robot()
    left = mech.without(name)
    for each in ("bodies", "joints", "frames", "springs", "shapes", "couplings", "actuators", "keyframes"):
        gone = set(getattr(mech, each)) - set(getattr(left, each))
        assert gone == ({name} if each == table else set())
    mech.check_state(left.state())
    assert mech.same_as(robot())


def test_a_spring_that_is_gone_pulls_no_more():
    mech = robot().without("gripper_fingers")
    state = mech.state()
    free = mech.without("gripper_return")
    assert rg.energy(mech, state).potential != rg.energy(free, state).potential
    assert (rg.forward_dynamics(mech, state) != rg.forward_dynamics(free, state)).any()


def test_former_bases_of_bodies_that_are_gone_are_forgotten_with_their_motors():
    mech = arm()
    mech.add_actuator("base motor", "shoulder")
    away, _ = rg.reroot(mech, mech.state(), "fore")
    assert list(away.former_actuators) == ["base motor"]
    left = away.without("upper")
    assert not left.former_bases
    assert not left.former_actuators
    left.add_actuator("base motor", "fore_base")
    assert list(away.without("elbow motor").former_actuators) == ["base motor"]


@pytest.mark.parametrize(
    ("call", "pattern"),
    [
        (lambda m: m.without("hand"), "there is no part 'hand'.*Known bodies: 'upper'"),
        (lambda m: m.without(3), "there is no part 3"),
        (lambda m: m.without("home", kind="joint"), "there is no joint 'home'. Known joints"),
        (lambda m: m.without("home", kind="pose"), "there is no kind 'pose'"),
    ],
)
def test_a_part_that_is_not_there_is_named(call, pattern):
    with pytest.raises(rg.ModelError, match=pattern):
        call(robot())


def test_parts_of_several_kinds_with_one_name_are_told_apart_by_their_kind():
    mech = arm()
    mech.add_body("tool", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("tool", rg.Fixed(), "fore", "tool")
    with pytest.raises(rg.ModelError, match="'tool' is the name of a body and of a joint; say which you mean, as kind='body'"):
        mech.without("tool")
    assert mech.without("tool", kind="body") == arm()
    with pytest.raises(rg.StructureError, match="no way from the world to 'tool'"):
        mech.without("tool", kind="joint")
    assert mech.without("tool", kind="joint", below=True) == arm()


def test_a_frozen_mechanism_gives_out_one_that_can_be_changed():
    left = robot().frozen().without("home")
    left.add_keyframe("home", left.state())


# --- with_inertia --------------------------------------------------------------------------------------------------------


def test_bodies_get_other_inertias():
    heavy = rg.Inertia.sphere(9.0, 0.3)
    assert arm().with_inertia("fore", heavy) == arm().replace(inertia={"fore": heavy})
    both = arm().with_inertia({"fore": heavy, "upper": heavy})
    assert [body.inertia for body in both.bodies.values()] == [heavy, heavy]
    assert arm().with_inertia({}) == arm()


@pytest.mark.parametrize(
    ("given", "pattern"),
    [
        (("hand", rg.Inertia(1.0)), "there is no body 'hand'"),
        (("fore",), "must be an Inertia"),
        (("fore", 3.0), "must be an Inertia"),
        (({"fore": rg.Inertia(1.0)}, rg.Inertia(1.0)), "not both"),
        ((7,), "by the names of the bodies"),
    ],
)
def test_what_is_no_inertia_is_refused(given, pattern):
    with pytest.raises(rg.ModelError, match=pattern):
        arm().with_inertia(*given)
