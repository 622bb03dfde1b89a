"""Targets that cannot be read are errors that name them and the way out."""

import math

import numpy as np
import pytest

import regraft as rg


def arm():
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.rod(1.0, (0, 0, 0), (1, 0, 0)))
    mech.add_joint("hinge", rg.Spherical(), "world", "rod")
    mech.add_body("end", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("weld", rg.Fixed(), "rod", "end")
    mech.add_frame("tip", "rod", rg.Pose(translation=(1, 0, 0)))
    mech.add_frame("corner", "world", rg.Pose())
    mech.add_frame("hinge too", "rod")
    return mech


NAN = [[math.nan, 0, 0]] * 4

BAD = {
    "no targets": ({}, "there are no targets"),
    "no mapping": ([(1, 2, 3)], "must be a mapping"),
    "unknown name": ({"tap": (1, 0, 0)}, "'tap': there is no frame, body or joint"),
    "unknown place": ({"m": rg.Marker((1, 0, 0), on="leg")}, "target 'm': there is no frame or body 'leg'"),
    "fixed to the world": ({"corner": (1, 0, 0)}, "'corner' is fixed to the world"),
    "four numbers": ({"tip": (1, 0, 0, 0)}, r"'tip': positions must have shape \(n, 3\)"),
    "three axes": ({"tip": np.zeros((2, 2, 3))}, "'tip': positions must have shape"),
    "words": ({"tip": "here"}, "'tip'"),
    "no frames": ({"tip": np.zeros((0, 3))}, "'tip' has no frames"),
    "never seen": ({"tip": NAN, "end": np.zeros((4, 3))}, "'tip' is never seen.*leave it out"),
    "infinite": ({"tip": (math.inf, 0, 0)}, "'tip' has a number that is not finite"),
    "other frames": ({"tip": np.zeros((4, 3)), "end": np.zeros((5, 3))}, "'end' has 5 frames.*4"),
    "negative weight": ({"tip": rg.Marker((1, 0, 0), weight=-1.0)}, "'tip': weights must be finite and not negative"),
    "weight of NaN": ({"tip": rg.Marker((1, 0, 0), weight=math.nan)}, "'tip': weights must be finite"),
    "weights of another shape": ({"tip": rg.Marker(np.zeros((4, 3)), weight=[1, 2])}, r"'tip': its weight.*\(4,\)"),
    "bad place on a body": ({"tip": rg.Marker((1, 0, 0), at=(0, 0))}, "'tip': its place 'at'"),
    "nothing in a pose": ({"tip": rg.PoseTarget()}, "'tip' has neither a position nor an orientation"),
    "no rotation": ({"tip": rg.PoseTarget(orientation=2 * np.eye(3))}, "'tip': an orientation is no rotation"),
    "a mirror": ({"tip": rg.PoseTarget(orientation=np.diag([1, 1, -1]))}, "'tip': an orientation is no rotation"),
    "a long quaternion": ({"tip": rg.PoseTarget(orientation=(1, 1, 0, 0))}, "'tip': a quaternion must have length 1"),
    "no orientation": ({"tip": rg.PoseTarget(orientation=(1, 0))}, "'tip': orientations must be"),
    "unknown joint": ({"m": rg.JointTarget(0.3, on="knee")}, "'m': joint 'knee' is not in the mechanism"),
    "joint without coordinates": ({"weld": 0.3}, "'weld': joint 'weld' has no coordinates"),
    "coordinates of another shape": ({"hinge": 0.3}, r"joint 'hinge' must have shape \(n, 4\)"),
    "joint's quaternion": ({"hinge": (2, 0, 0, 0)}, "'hinge': a quaternion must have length 1"),
    "joint's weights": ({"hinge": rg.JointTarget((1, 0, 0, 0), weight=(1, 2))}, "'hinge': its weight"),
    "two for a joint": ({"hinge": (1, 0, 0, 0), "h": rg.JointTarget((1, 0, 0, 0), on="hinge")}, "'hinge' has two targets"),
}


@pytest.mark.parametrize("name", BAD)
def test_it_is_named(name):
    targets, message = BAD[name]
    with pytest.raises(rg.ModelError, match=message):
        rg.inverse_kinematics(arm(), targets)


def test_a_name_of_a_joint_and_a_body_has_to_be_told_apart():
    mech = rg.Mechanism()
    mech.add_body("knee", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("knee", rg.Free(), "world", "knee")
    with pytest.raises(rg.ModelError, match=r"'knee' is a joint and a frame or body too; say which with rg.Marker"):
        rg.inverse_kinematics(mech, {"knee": (1, 0, 0)})
    found = rg.inverse_kinematics(mech, {"knee": rg.JointTarget([1, 2, 3, 1, 0, 0, 0])})
    assert found.q[0] == pytest.approx([1, 2, 3, 1, 0, 0, 0])


def test_a_joint_that_closes_a_loop_has_no_coordinates_to_reach():
    mech, state = rg.models.four_bar().start
    with pytest.raises(rg.ModelError, match="closes a loop and has no coordinates"):
        rg.inverse_kinematics(mech, {mech.loop_joints[0]: 0.2}, start=state)


def test_a_mechanism_that_cannot_move():
    mech = rg.Mechanism()
    mech.add_body("stone", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("weld", rg.Fixed(), "world", "stone")
    with pytest.raises(rg.ModelError, match="no joint of this mechanism can move"):
        rg.inverse_kinematics(mech, {"stone": (0, 0, 0)})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tolerance": 0.0}, "tolerance must be between 0 and 1"),
        ({"tolerance": 1.0}, "tolerance must be between 0 and 1"),
        ({"max_iterations": 0}, "max_iterations must be a whole number"),
        ({"max_iterations": True}, "max_iterations must be a whole number"),
        ({"starts": 2.5}, "starts must be a whole number"),
        ({"start": (1, 0, 0)}, r"start must be a state or have shape \(4,\) or \(1, 4\)"),
        ({"start": (2, 0, 0, 0)}, "quaternion"),
        ({"start": rg.models.pendulum().start[1]}, "state"),
    ],
)
def test_settings(settings, message):
    with pytest.raises(rg.RegraftError, match=message):
        rg.inverse_kinematics(arm(), {"tip": (1, 0, 0)}, **settings)
