"""Ready-made models have the sizes and masses that their descriptions say, also where their motion does not show it."""

import math

import numpy as np
import pytest

import regraft as rg


@pytest.mark.parametrize(("hip_on", "masses"), [("left", (3.5, 1.5)), ("right", (1.5, 3.5))])
def test_the_hip_of_the_compass_biped_is_carried_by_the_leg_that_is_named(hip_on, masses):
    biped = rg.models.compass_biped(hip_mass=2.0, leg_mass=1.5, length=2.0, mass_distance=0.7, hip_on=hip_on, gravity=3.0)
    legs = [biped.mech.bodies[leg].inertia for leg in ("left", "right")]
    assert tuple(leg.mass for leg in legs) == masses
    for leg in legs:
        assert leg.com == pytest.approx([0.0, 0.0, -0.7 * 1.5 / leg.mass], abs=1e-15)
    assert biped.mech.gravity == pytest.approx([0.0, 0.0, -3.0])
    assert biped.length == 2.0
    poses = rg.body_poses(biped.mech, biped.state)
    for side in ("left", "right"):
        foot = rg.frame_position(biped.mech, biped.state, f"{side} foot")
        assert np.linalg.norm(foot - poses[side].translation) == pytest.approx(2.0, rel=1e-14)


def test_the_rods_of_a02_are_alike():
    mech, state = rg.models.four_bars(3, speed=2.0).start
    assert len(mech.bodies) == 2 * 3 + 1
    ends = {"upright": (0.0, 1.0, 0.0), "level": (1.0, 0.0, 0.0)}
    for name, body in mech.bodies.items():
        end = np.array(ends[name.split()[0]])
        assert body.inertia.mass == 1.0
        assert body.inertia.com == pytest.approx(0.5 * end, abs=1e-15)
        assert body.inertia.tensor == pytest.approx((np.eye(3) - np.outer(end, end)) / 12.0, abs=1e-15)
    assert tuple(mech.gravity) == (0.0, -9.81, 0.0)
    for i, pose in enumerate(rg.body_poses(mech, state)[f"upright {i}"] for i in range(4)):
        assert pose.translation == pytest.approx([i, 0.0, 0.0], abs=1e-12)
    assert rg.frame_position(mech, state, "B0") == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    assert state.v == pytest.approx(
        mech.state(v={f"{kind} {i}": s for i in range(4) for kind, s in (("foot", -2.0),)}).v, abs=3.0
    )
    for name in mech.bodies:  # the tops move along +x at the speed, and level rods do not turn
        spin = rg.body_twists(mech, state)[name][:3]
        assert spin == pytest.approx([0.0, 0.0, -2.0 if name.startswith("upright") else 0.0], abs=1e-12)


A03 = {  # mass and moment of inertia of each body, as published
    "K1": (0.04325, 2.194e-6),
    "K2": (0.00365, 4.41e-7),
    "K3": (0.02373, 5.255e-6),
    "K4": (0.00706, 5.667e-7),
    "K5": (0.0705, 1.169e-5),
    "K6": (0.00706, 5.667e-7),
    "K7": (0.05498, 1.912e-5),
}


def test_the_bodies_of_a03_are_thin_plates_with_the_published_masses_and_moments():
    bodies = rg.models.squeezer().mech.bodies
    assert set(bodies) == set(A03)
    for name, body in bodies.items():
        mass, moment = A03[name]
        assert body.inertia.mass == mass
        assert body.inertia.tensor == pytest.approx(np.diag([0.5 * moment, 0.5 * moment, moment]), rel=1e-12, abs=1e-20)
        assert body.inertia.com[2] == 0.0


def test_the_four_bar_has_its_lengths_and_its_rods_their_weight():
    lengths = {"crank": 0.3, "coupler": 1.2, "rocker": 0.9}
    mech, state = rg.models.four_bar(ground=1.1, angle=0.7, speed=2.0, **lengths).start
    crank, coupler, rocker = (rg.body_poses(mech, state)[name] for name in lengths)
    elbow = 0.3 * np.array([math.cos(0.7), 0.0, math.sin(0.7)])
    assert crank.translation == pytest.approx(np.zeros(3), abs=1e-12)
    assert coupler.translation == pytest.approx(elbow, abs=1e-12)
    assert rocker.translation == pytest.approx([1.1, 0.0, 0.0], abs=1e-12)
    knee = coupler.apply((1.2, 0.0, 0.0))
    assert knee == pytest.approx(rocker.apply((0.9, 0.0, 0.0)), abs=1e-12)
    across = np.cross(rocker.translation - elbow, knee - elbow)
    assert across[1] < 0.0  # above the line from the elbow to the pivot
    assert mech.joint_velocity(state, "motor") == pytest.approx([2.0], abs=1e-12)
    for name, length in lengths.items():
        inertia = mech.bodies[name].inertia
        assert inertia.mass == pytest.approx(length, rel=1e-15)
        assert inertia.com == pytest.approx([0.5 * length, 0.0, 0.0], abs=1e-15)


def test_bricards_rods_are_edges_of_a_cube():
    size = 1.7
    mech, state = rg.models.bricard(size).start
    corners = size * np.array([(1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1), (0, 0, 0)], float)
    poses = rg.body_poses(mech, state)
    for number in range(1, 6):
        inertia = mech.bodies[f"rod {number}"].inertia
        assert inertia.mass == pytest.approx(size, rel=1e-15)
        assert poses[f"rod {number}"].translation == pytest.approx(corners[number - 1], abs=1e-12)
        middle = poses[f"rod {number}"].apply(inertia.com)
        assert middle == pytest.approx(0.5 * (corners[number - 1] + corners[number]), abs=1e-12)
    axes = [np.array(mech.joints[f"hinge {number}"].type.axis) for number in range(1, 7)]
    assert max(abs(axes[i] @ axes[(i + 1) % 6]) for i in range(6)) < 1e-15


def test_the_figure_swings_about_the_bar_as_one_rigid_body():
    tilt, speed = 1.9, 1.5
    mech, state = rg.models.high_bar(tilt=tilt, speed=speed, mass=60.0, height=1.6).start
    bar = np.array([0.0, 0.0, 2.75])
    grips = [rg.frame_position(mech, state, f"{side} grip") for side in ("left", "right")]
    assert 0.5 * sum(grips) == pytest.approx(bar, abs=1e-10)
    assert grips[0][1] == pytest.approx(-grips[1][1], abs=1e-10)
    spin = np.array([0.0, -speed, 0.0])
    center = rg.center_of_mass(mech, state)
    assert rg.momentum(mech, state).linear == pytest.approx(60.0 * np.cross(spin, center - bar), abs=1e-7)
    trunk = rg.body_poses(mech, state)["trunk"].rotation
    assert trunk == pytest.approx(rg.Pose.about((0, 1, 0), tilt).rotation, abs=1e-9)
    for side in ("left", "right"):
        assert mech.joint_position(state, f"{side} elbow") == pytest.approx([math.radians(15.0)], abs=1e-9)
        assert mech.joint_position(state, f"{side} knee") == pytest.approx([math.radians(5.0)], abs=1e-9)
