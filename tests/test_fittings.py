"""Shapes, couplings, actuators, keyframes and extras: they come back from files, and stay through changes of structure."""

from __future__ import annotations

import copy
import json
import math
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import random_pose
from regraft.maximal import skeleton_of

FORMS = {
    "box": rg.Box,
    "sphere": lambda x: rg.Sphere(x[0]),
    "capsule": lambda x: rg.Capsule(x[0], -x, 2 * x),
    "cylinder": lambda x: rg.Cylinder(x[0], x[1]),
    "ellipsoid": rg.Ellipsoid,
    "mesh": lambda x: rg.Mesh("package://arm/meshes/hand.stl", x),
    "plane": rg.Plane,
}


def legs():
    """A walker on its left foot, with a motor at the foot, a gear from the hip to a wheel, shapes and a named pose."""
    mech = rg.Mechanism()
    for name in ("left", "right", "wheel"):
        mech.add_body(name, rg.Inertia.box(2.0, (0.1, 0.2, 0.9), at=(0, 0, -0.5)))
    hinge = rg.Revolute((0, 1, 0))
    mech.add_joint("foot", hinge, "world", "left", child_pose=rg.Pose(translation=(0, 0, -1)))
    mech.add_joint("hip", hinge, "left", "right")
    mech.add_joint("axle", hinge, "left", "wheel", parent_pose=rg.Pose(translation=(0.2, 0, 0)))
    mech.add_coupling("gear", "hip", "axle", ratio=-2.5)
    mech.add_actuator("hip motor", "hip", gear=80.0, effort=2.0)
    mech.add_actuator("foot motor", "foot")
    mech.add_shape("left", rg.Capsule(0.05, (0, 0, 0), (0, 0, -1)), color=(1, 0.5, 0))
    mech.add_shape("right", rg.Box((0.1, 0.1, 0.9)), "thigh", rg.Pose.about((1, 2, 3), 0.7), collision=False)
    mech.add_shape("world", rg.Plane((0.1, 0.2, 1.0)), "ground", visual=False)
    mech.add_keyframe("stride", mech.state(q={"foot": 0.1, "hip": -0.3, "axle": 0.75}, v={"foot": 1 / 3}))
    mech.extras["urdf"] = {"robot": {"version": "1.0"}, "gazebo": ["<a/>"]}
    return mech


def fittings(mech):
    return {name: dict(getattr(mech, name)) for name in ("shapes", "couplings", "actuators", "keyframes", "extras")}


# --- forms and what they refuse ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 10**6))
def test_shapes_come_back_from_json_equal_to_the_last_digit(form, seed):
    rng = np.random.default_rng(seed)
    mech = rg.Mechanism()
    mech.add_body("a", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("free", rg.Free(), "world", "a")
    color = rng.uniform(size=4) if seed % 2 else None
    mech.add_shape("a", FORMS[form](rng.uniform(0.01, 2.0, 3)), "s", random_pose(rng), visual=bool(seed % 3), color=color)
    again = rg.Mechanism.from_dict(json.loads(json.dumps(mech.to_dict())))
    assert again == mech
    assert again.shapes["s"] == mech.shapes["s"]


@pytest.mark.parametrize(
    ("make", "pattern"),
    [
        (lambda: rg.Box((1, 2)), "Box: size"),
        (lambda: rg.Box((1, 2, -3)), "Box: size must not be negative"),
        (lambda: rg.Box("abc"), "Box: size"),
        (lambda: rg.Sphere(-1), "Sphere: radius must not be negative"),
        (lambda: rg.Sphere(math.nan), "Sphere: radius"),
        (lambda: rg.Sphere(None), "Sphere: radius"),
        (lambda: rg.Capsule(0.1, (0, 0), (0, 0, 1)), "Capsule: start"),
        (lambda: rg.Capsule(0.1, (0, 0, 0), (0, math.inf, 1)), "Capsule: end"),
        (lambda: rg.Cylinder(0.1, -2), "Cylinder: length must not be negative"),
        (lambda: rg.Ellipsoid((1, 1, 1j)), "Ellipsoid: radii"),
        (lambda: rg.Mesh(""), "Mesh: path"),
        (lambda: rg.Mesh(3), "Mesh: path"),
        (lambda: rg.Mesh("a.stl", 0.0), "Mesh: a scale of 0"),
        (lambda: rg.Mesh("a.stl", (1, 2)), "Mesh: scale"),
        (lambda: rg.Mesh("a.stl", "big"), "Mesh: scale"),
        (lambda: rg.Mesh("a.stl", None), "Mesh: scale"),
        (lambda: rg.Plane((0, 0, 0)), "Plane: normal is zero: give a direction"),
    ],
)
def test_a_form_that_cannot_be_is_refused(make, pattern):
    with pytest.raises(rg.ModelError, match=pattern):
        make()


@pytest.mark.parametrize(
    ("add", "pattern"),
    [
        (lambda m: m.add_shape("nobody", rg.Sphere(1)), "there is no body 'nobody'"),
        (lambda m: m.add_shape(["left"], rg.Sphere(1)), "there is no body"),
        (lambda m: m.add_shape("left", "ball"), "give a form, such as Box"),
        (lambda m: m.add_shape("left", rg.Sphere), "give a form, such as Box"),
        (lambda m: m.add_shape("left", rg.Sphere(1), "thigh"), "already a shape 'thigh'"),
        (lambda m: m.add_shape("left", rg.Sphere(1), ""), "name must be a text that is not empty"),
        (lambda m: m.add_shape("left", rg.Sphere(1), "a", (0, 0, 1)), "pose must be a Pose"),
        (lambda m: m.add_shape("left", rg.Sphere(1), "a", visual="no"), "visual must be True or False"),
        (lambda m: m.add_shape("left", rg.Sphere(1), "a", collision=None), "collision must be True or False"),
        (lambda m: m.add_shape("left", rg.Sphere(1), "a", color=(1, 2, 3)), "each from 0 to 1"),
        (lambda m: m.add_shape("left", rg.Sphere(1), "a", color=(1, 0)), "each from 0 to 1"),
        (lambda m: m.add_shape("left", rg.Sphere(1), "a", color=(math.nan, 0, 0)), "each from 0 to 1"),
        (lambda m: m.add_coupling("gear", "hip", "axle"), "already a coupling 'gear'"),
        (lambda m: m.add_coupling("g", "hip", "toe"), "there is no joint 'toe'"),
        (lambda m: m.add_coupling("g", 5, "hip"), "driver must be given by the names"),
        (lambda m: m.add_coupling("g", {}, "hip"), "name a joint to follow"),
        (lambda m: m.add_coupling("g", {"foot": 1.0}, "hip", ratio=2.0), "leave ratio=2.0 out"),
        (lambda m: m.add_coupling("g", {"foot": "1 to 2"}, "hip"), "ratio"),
        (lambda m: m.add_coupling("g", "foot", "hip", ratio=math.nan), "ratio"),
        (lambda m: m.add_coupling("g", "foot", "hip", offset=math.inf), "offset"),
        (lambda m: m.add_coupling("g", "hip", "hip"), "a joint cannot follow itself"),
        (lambda m: m.add_coupling("g", "foot", "ball"), "only joints with one coordinate are coupled"),
        (lambda m: m.add_actuator("hip motor", "hip"), "already an actuator 'hip motor'"),
        (lambda m: m.add_actuator("m", "toe"), "there is no joint 'toe'"),
        (lambda m: m.add_actuator("m", ["hip"]), "joint must be given by the names"),
        (lambda m: m.add_actuator("m", "hip", gear=0.0), "gear must not be 0"),
        (lambda m: m.add_actuator("m", "hip", effort=-1.0), "effort not negative"),
        (lambda m: m.add_actuator("m", "hip", effort=math.nan), "effort"),
        (lambda m: m.add_actuator("m", "weld"), "'weld' is a Fixed and cannot move"),
        (lambda m: m.add_keyframe("stride", m.state()), "already a keyframe 'stride'"),
        (lambda m: m.add_keyframe("k", None), "give a state of this mechanism"),
        (lambda m: m.add_keyframe("k", rg.models.pendulum().state), "give a state of this mechanism"),
        (lambda m: m.keyframe("home"), "there is no keyframe 'home'"),
        (lambda m: m.keyframe(["stride"]), "there is no keyframe"),
    ],
)
def test_bad_input_is_named_and_leaves_everything_as_it_was(add, pattern):
    mech = legs()
    for name, joint in (("ball", rg.Spherical()), ("weld", rg.Fixed())):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(name, joint, "world", name)
    before = mech.copy()
    with pytest.raises(rg.ModelError, match=pattern):
        add(mech)
    assert mech.same_as(before)


def test_shapes_without_names_get_names_that_are_not_taken():
    mech = legs()
    mech.add_shape("left", rg.Sphere(0.1), "left_shape_2")
    mech.add_shape("left", rg.Sphere(0.2))
    assert mech.shapes["left_shape_3"].form == rg.Sphere(0.2)
    mech.add_shape("world", rg.Sphere(0.3))
    assert mech.shapes["world_shape"].body == "world"


@pytest.mark.parametrize(
    "add",
    [
        lambda m: m.add_shape("left", rg.Sphere(1)),
        lambda m: m.add_coupling("g", "foot", "hip"),
        lambda m: m.add_actuator("m", "hip"),
        lambda m: m.add_keyframe("k", m.state()),
    ],
)
def test_nothing_is_fitted_to_a_frozen_mechanism(add):
    frozen = legs().frozen()
    with pytest.raises(rg.StructureError, match="this mechanism is frozen"):
        add(frozen)
    with pytest.raises(TypeError):
        frozen.extras["urdf"] = {}
    thawed = frozen.copy()
    add(thawed)
    thawed.extras["urdf"] = {}
    assert thawed != frozen
    assert frozen.extras["urdf"]


# --- copies and files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "again",
    [
        lambda m: m.copy(),
        copy.copy,
        copy.deepcopy,
        lambda m: pickle.loads(pickle.dumps(m)),
        lambda m: m.frozen(),
        lambda m: rg.Mechanism.from_dict(json.loads(json.dumps(m.to_dict()))),
        lambda m: m.replace(gravity=m.gravity),
    ],
    ids=["copy", "copy.copy", "deepcopy", "pickle", "frozen", "json", "replace"],
)
def test_copies_have_equal_fittings(again):
    mech = legs()
    twin = again(mech)
    assert twin.same_as(mech)
    assert fittings(twin) == fittings(mech)
    assert twin.keyframe("stride") == mech.keyframe("stride")


def test_couplings_of_several_joints_come_back_with_all_their_digits():
    mech = legs()
    mech.add_coupling("differential", {"foot": 1 / 3, "hip": -2 / 7}, "axle", offset=0.1)
    again = rg.Mechanism.from_dict(json.loads(json.dumps(mech.to_dict())))
    assert again.couplings["differential"] == mech.couplings["differential"]
    assert again.couplings["differential"].joints == ("foot", "hip", "axle")


@pytest.mark.parametrize("table", ["shapes", "couplings", "actuators", "keyframes"])
def test_each_kind_of_fitting_makes_a_difference(table):
    mech = legs()
    data = mech.to_dict()
    del data[table][0]
    assert rg.Mechanism.from_dict(data) != mech


def test_extras_tell_mechanisms_apart_that_are_equal_otherwise():
    mech = legs()
    other = mech.copy()
    other.extras["urdf"] = {}
    assert other == mech
    assert not other.same_as(mech)
    data = mech.to_dict()
    data["extras"]["urdf"].clear()
    assert mech.extras["urdf"]


@pytest.mark.parametrize(
    ("spoil", "pattern"),
    [
        (lambda d: d["shapes"][0].update(form="Torus"), "there is no shape 'Torus'"),
        (lambda d: d["shapes"][0].pop("form"), "'form' is missing"),
        (lambda d: d["shapes"][0].update(body="nobody"), "there is no body 'nobody'"),
        (lambda d: d["shapes"][0].update(radius="wide"), "radius"),
        (lambda d: d["shapes"][0].update(depth=1.0), "damaged"),
        (lambda d: d.update(shapes=3), "damaged"),
        (lambda d: d["couplings"][0].update(driver="toe"), "there is no joint 'toe'"),
        (lambda d: d["couplings"][0].update(teeth=12), "damaged"),
        (lambda d: d["actuators"][0].update(gear=0), "gear must not be 0"),
        (lambda d: d["keyframes"][0]["q"].update(hip="12"), "hip"),
        (lambda d: d["keyframes"][0]["q"].update(hip=[None]), "hip"),
        (lambda d: d["keyframes"][0]["q"].update(hip=[math.nan]), "hip"),
        (lambda d: d["keyframes"][0]["q"].pop("hip"), "the same joints"),
        (lambda d: d["keyframes"][0].pop("v"), "'v' is missing"),
        (lambda d: d.update(extras=[1, 2]), "damaged"),
    ],
)
def test_a_damaged_description_is_a_named_error(spoil, pattern):
    data = json.loads(json.dumps(legs().to_dict()))
    spoil(data)
    with pytest.raises(rg.ModelError, match=pattern):
        rg.Mechanism.from_dict(data)


def test_fittings_may_be_read_while_another_thread_adds_some():
    mech, problems = legs(), []
    done = threading.Event()

    def read():
        try:
            while not done.is_set():
                assert mech.actuators["hip motor"].gear == 80.0
                assert mech.copy().keyframe("stride")["hip"].q == -0.3
                assert not mech.former_actuators
        except Exception as problem:  # whatever it is, the test is to show it
            problems.append(problem)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(300):
        mech.add_actuator(f"motor {number}", "hip")
        mech.add_shape("left", rg.Sphere(0.1), f"shape {number}")
        mech.add_keyframe(f"pose {number}", mech.state())
    done.set()
    for reader in readers:
        reader.join()
    assert not problems
    assert (len(mech.actuators), len(mech.shapes), len(mech.keyframes)) == (302, 303, 301)


# --- changes of structure --------------------------------------------------------------------------------------------


def test_shapes_ride_on_their_bodies_through_every_change():
    mech = legs()
    state = mech.keyframe("stride")
    closed, _ = rg.connect(mech, state, "right", "wheel", joint=rg.Spherical(), at=(0, 0, 0), name="hold")
    for changed, _ in (
        rg.reroot(mech, state, "right"),
        (closed, state),
        rg.cut(closed, closed.state(q=state.q), "hold"),
        rg.cut(mech, state, "foot"),
        rg.to_maximal(mech, state),
        rg.to_reduced(*rg.to_maximal(mech, state)),
    ):
        assert changed.shapes == mech.shapes
        assert changed.extras == mech.extras


def test_the_motor_of_a_base_joint_rests_while_another_base_is_there_and_comes_back_with_it():
    mech = legs()
    state = mech.state()
    away, there = rg.reroot(mech, state, "right", name="other foot")
    assert list(away.actuators) == ["hip motor"]
    assert list(away.former_actuators) == ["foot motor"]
    with pytest.raises(rg.ModelError, match="already an actuator 'foot motor'"):
        away.copy().add_actuator("foot motor", "hip")
    saved = rg.Mechanism.from_dict(json.loads(json.dumps(away.to_dict())))
    assert saved.same_as(away)
    for one in (away, saved):
        back, _ = rg.reroot(one, there, "left", at=(0, 0, 0), joint=rg.Revolute((0, 1, 0)), name="foot")
        assert back == mech
        assert dict(back.actuators) == dict(mech.actuators)


def test_the_motor_of_a_joint_goes_with_the_joint_that_is_cut():
    mech = legs()
    loose, _ = rg.cut(mech, mech.state(), "foot")
    assert list(loose.actuators) == ["hip motor"]
    assert not loose.former_actuators
    again, _ = rg.cut(loose, loose.state(), "left_free")
    assert list(again.actuators) == ["hip motor"]
    free = rg.Mechanism()
    free.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    free.add_joint("ball_free", rg.Free(), "world", "ball")
    free.add_actuator("jet", "ball_free")
    freed, _ = rg.cut(free, free.state(), "ball_free")
    assert list(freed.joints) == ["ball_free"]
    assert not freed.actuators


def test_a_joint_that_a_coupling_needs_cannot_be_cut_or_replaced():
    mech = legs()
    for joint in ("hip", "axle"):
        with pytest.raises(rg.StructureError, match=f"joint '{joint}' cannot be taken away: the coupling 'gear' needs it"):
            rg.cut(mech, mech.state(), joint)
    mech.add_coupling("belt", "foot", "hip")
    with pytest.raises(rg.StructureError, match="joint 'foot' cannot be replaced: the coupling 'belt' needs it"):
        rg.reroot(mech, mech.state(), "right")
    with pytest.raises(rg.StructureError, match="joint 'foot' cannot be replaced by a Free: the coupling 'belt' needs it"):
        rg.reroot(mech, mech.state(), "right", name="foot")
    same, _ = rg.reroot(mech, mech.state(), "left", at=(0, 0, 0), joint=rg.Revolute((0, 1, 0)), name="foot")
    assert same.couplings == mech.couplings


def test_a_keyframe_of_another_structure_is_an_error_when_it_is_asked_for():
    mech = legs()
    state = mech.keyframe("stride")
    maximal, free = rg.to_maximal(mech, state)
    again, _ = rg.to_reduced(maximal, free)
    assert again == mech
    assert again.keyframe("stride") == state
    rerooted, _ = rg.reroot(mech, state, "right")
    fixed, _ = rg.reroot(mech, state, "left", joint=rg.Planar((0, 1, 0)), name="foot")
    larger = mech.copy()
    larger.add_body("hand", rg.Inertia.sphere(1.0, 0.1))
    larger.add_joint("wrist", rg.Revolute((0, 1, 0)), "right", "hand")
    for changed, joint in ((maximal, "foot"), (rerooted, "right_base"), (fixed, "foot"), (larger, "wrist")):
        assert list(changed.keyframes) == ["stride"]
        with pytest.raises(rg.StructureError, match=f"the keyframe 'stride' was made for another structure.*'{joint}'"):
            changed.keyframe("stride")
    closed, _ = rg.connect(mech, state, "right", "wheel", joint=rg.Spherical(), at=(0, 0, 0), name="hold")
    assert closed.keyframe("stride").q.tolist() == state.q.tolist()  # loop joints have no numbers in it


def test_a_motor_of_a_joint_that_makes_a_body_free_is_not_lost():
    maximal, state = rg.to_maximal(*rg.models.four_bar().start)
    body = next(iter(maximal.bodies))
    driven = maximal.copy()
    driven.add_actuator("jet", f"{body} (free)")
    with pytest.raises(rg.StructureError, match="the actuator 'jet' drives the joint"):
        rg.to_reduced(driven, state)


@pytest.mark.parametrize("what", ["coupling", "armature", "stiffness", "friction"])
def test_a_skeleton_of_s3_does_not_leave_out_what_it_cannot_have(what):
    mech = rg.Mechanism(gravity=(0, 0, 0))
    settings = {} if what == "coupling" else {what: 0.1}
    for name in "abc":
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("free", rg.Free(), "world", "a")
    mech.add_joint("ab", rg.Revolute((0, 1, 0), **settings), "a", "b")
    mech.add_joint("bc", rg.Revolute((0, 1, 0)), "b", "c")
    if what == "coupling":
        mech.add_coupling("coupling", "ab", "bc")
    with pytest.raises(rg.ModelError, match=f"S3 has no {what}"):
        skeleton_of(mech, mech.state())
