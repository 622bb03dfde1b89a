"""S3's example and the character of thirty bones: what they are made of, and that S3 can describe them."""

import numpy as np
import pytest

import regraft as rg
from regraft.maximal import accelerations, skeleton_of
from regraft.models import character, skeleton_example

WINTER = {  # mass of each segment, as fractions of the whole
    ("hips", "belly"): 0.281,
    ("ribs", "chest", "left clavicle", "right clavicle"): 0.216,
    ("neck", "head"): 0.081,
    ("upper arm",): 0.028,
    ("forearm",): 0.016,
    ("hand", "thumb", "forefinger", "fingers", "fingertips"): 0.006,
    ("thigh",): 0.100,
    ("shank",): 0.0465,
    ("foot", "toes"): 0.0145,
}


def kinds(mech):
    found = [type(joint.type).__name__ for joint in mech.joints.values()]
    return {kind: found.count(kind) for kind in set(found)}


@pytest.mark.parametrize(("joint", "expected"), [("hinge", 10), ("spherical", 8)])
def test_the_example_is_s3s(joint, expected):
    model = skeleton_example(joint)
    skeleton, _ = skeleton_of(*model.start)
    assert skeleton.bodies == ("body 1", "body 2", "body 3")
    assert np.abs(skeleton.sigma).tolist() == [[1, 1, 0], [0, 1, 1]]
    assert skeleton.rank == expected
    assert skeleton.hinges.tolist() == [True, joint == "hinge"]


def test_the_bodies_of_the_example_are_solid_ellipsoids():
    masses = {"body 1": 3.0, "body 2": 2.0, "body 3": 1.5}
    for (name, body), (a, b, c) in zip(
        skeleton_example().mech.bodies.items(), [(0.30, 0.14, 0.10), (0.24, 0.10, 0.14), (0.20, 0.12, 0.08)], strict=True
    ):
        assert body.inertia.mass == masses[name]
        moments = masses[name] / 5 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        assert np.allclose(body.inertia.tensor, np.diag(moments), rtol=1e-14)


@pytest.mark.parametrize("model", [skeleton_example("hinge"), skeleton_example("spherical"), character(damping=0.5)])
def test_s3_as_it_is_written_gives_the_same_accelerations(model):
    skeleton, bodies = skeleton_of(*model.start)
    a, _ = accelerations(skeleton, bodies)
    free, state = rg.to_maximal(*model.start)
    v_dot = rg.forward_dynamics(free, state)
    poses, twists = rg.body_poses(*model.start), rg.body_twists(*model.start)
    for i, (name, body) in enumerate(model.mech.bodies.items()):
        own, R = v_dot[free.v_slice(f"{name} (free)")], poses[name].rotation
        spin, moving = R.T @ twists[name][:3], R.T @ twists[name][3:]
        com = body.inertia.com
        pushed = own[:3] + np.cross(spin, moving) + np.cross(own[3:], com) + np.cross(spin, np.cross(spin, com))
        # S3's pseudo-inverse keeps nine digits for the character; ours, beside reduced coordinates, has 14
        assert R @ pushed == pytest.approx(a[i], rel=1e-8, abs=1e-8 * np.abs(a).max())


def test_the_character_has_thirty_bones():
    mech = character().mech
    assert len(mech.bodies) == 30
    assert kinds(mech) == {"Free": 1, "Spherical": 15, "Revolute": 14}
    assert mech.nv == 6 + 3 * 15 + 14


def test_the_character_has_the_masses_of_the_tables():
    bodies = character(mass=100.0).mech.bodies
    for names, fraction in WINTER.items():
        for side in ("left", "right"):
            of_side = [name if name in bodies else f"{side} {name}" for name in names]
            assert sum(bodies[name].inertia.mass for name in of_side) == pytest.approx(100.0 * fraction, rel=1e-12)


def test_the_character_is_as_high_as_it_should_be_and_symmetric():
    thrown = character(height=2.0)
    mech = thrown.mech
    standing = mech.state(q=thrown.positions({}))
    poses = rg.body_poses(mech, standing)
    top = poses["head"].translation[2] + (0.182 - 0.052) * 2.0
    assert top == pytest.approx(2.0, abs=0.04)
    for name, pose in poses.items():
        if name.startswith("left"):
            mirrored = poses[name.replace("left", "right")].translation * (1, -1, 1)
            assert pose.translation == pytest.approx(mirrored, abs=1e-15)
    assert rg.center_of_mass(mech, standing)[1] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("build", [character, skeleton_example])
def test_a_thrown_skeleton_moves_as_asked(build):
    model = build()
    mass = sum(body.inertia.mass for body in model.mech.bodies.values())
    velocity = rg.momentum(*model.start).linear / mass
    assert velocity == pytest.approx((0.3, 0.0, 0.1) if build is character else (0.15, 0.0, 0.05), abs=1e-14)


def test_the_character_turns_as_one_rigid_body():
    thrown = character(spin=(1.0, 2.0, -3.0))
    for twist in rg.body_twists(*thrown.start).values():
        assert twist[:3] == pytest.approx((1.0, 2.0, -3.0), abs=1e-13)


def test_friction_is_smaller_in_hands_and_feet():
    mech = character(damping=2.0).mech
    small = {joint.child for joint in mech.joints.values() if (joint.type.damping == 0.02).all()}
    ends = ("hand", "thumb", "forefinger", "fingers", "fingertips", "foot", "toes")
    assert small == {f"{side} {end}" for side in ("left", "right") for end in ends}
    others = [joint for joint in mech.joints.values() if joint.child not in small and joint.name != "base"]
    assert all((joint.type.damping == 2.0).all() for joint in others)


@pytest.mark.parametrize(
    ("build", "options", "message"),
    [
        (skeleton_example, {"joint": "slider"}, "joint must be"),
        (character, {"damping": -1.0}, "damping must not be negative"),
        (character, {"mass": 0.0}, "mass must be positive"),
        (character, {"spin": (1.0, np.nan, 0.0)}, "spin"),
    ],
)
def test_what_makes_no_skeleton_is_refused(build, options, message):
    with pytest.raises(rg.ModelError, match=message):
        build(**options)
