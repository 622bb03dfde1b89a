"""Human figures: their proportions, their degrees of freedom, and that they bend only the way people do."""

import math

import numpy as np
import pytest

import regraft as rg
from regraft.models import human_figure, spherical_figure

FIGURES = {"human": human_figure, "spherical": spherical_figure}
WINTER = {  # mass of each segment, as fractions of the whole
    "trunk": 0.497 + 0.081,
    "upper arm": 0.028,
    "forearm": 0.016 + 0.006,
    "thigh": 0.100,
    "shank": 0.0465 + 0.0145,
}


def kinds(mech):
    found = [type(joint.type).__name__ for joint in mech.joints.values()]
    return {kind: found.count(kind) for kind in set(found)}


def test_the_figure_of_fig_19_has_four_degrees_of_freedom_a_limb():
    mech = human_figure().mech
    assert kinds(mech) == {"Free": 1, "Spherical": 4, "Revolute": 4}
    assert mech.nv == 6 + 4 * 4
    assert len(mech.bodies) == 9


def test_the_figure_of_fig_16_has_17_links_12_balls_and_4_hinges():
    mech = spherical_figure().mech
    assert kinds(mech) == {"Free": 1, "Spherical": 12, "Revolute": 4}
    assert mech.nv == 6 + 40
    assert len(mech.bodies) == 17


@pytest.mark.parametrize("build", FIGURES.values(), ids=FIGURES)
def test_it_stands_as_tall_and_heavy_as_it_is_told(build):
    figure = build(mass=60.0, height=1.6)
    mech, state = figure.start
    assert sum(body.inertia.mass for body in mech.bodies.values()) == pytest.approx(60.0, rel=1e-12)
    assert rg.frame_position(mech, state, "crown")[2] == pytest.approx(1.6, rel=1e-12)
    for side in ("left", "right"):
        assert rg.frame_position(mech, state, f"{side} sole")[2] == pytest.approx(0.0, abs=1e-12)
    for pose in rg.body_poses(mech, state).values():
        assert np.abs(pose.rotation - np.eye(3)).max() < 1e-12
    x, y, z = rg.center_of_mass(mech, state)
    assert (abs(x), abs(y)) < (0.01, 1e-12)
    assert 0.55 < z / 1.6 < 0.59  # people: 0.55 to 0.58


def test_segments_have_the_masses_of_the_table():
    for name, body in human_figure(mass=1.0).mech.bodies.items():
        assert body.inertia.mass == pytest.approx(WINTER[name.removeprefix("left ").removeprefix("right ")], rel=1e-12)


def test_merged_segments_weigh_as_much_about_every_axis_as_the_separate_ones():
    """A forearm with its hand, and a shank with its foot, are the same bodies in both figures."""
    merged, separate = human_figure().mech.bodies, spherical_figure().mech.bodies
    forearm, hand = separate["left forearm"].inertia, separate["left hand"].inertia
    both = forearm + hand.moved(rg.Pose(translation=(0, 0, -0.146 * 1.75)))
    shank, foot = separate["left shank"].inertia, separate["left foot"].inertia
    leg = shank + foot.moved(rg.Pose(translation=(0, 0, -0.246 * 1.75)))
    for found, expected in ((merged["left forearm"].inertia, both), (merged["left shank"].inertia, leg)):
        assert found.com == pytest.approx(expected.com, abs=1e-14)
        assert found.tensor == pytest.approx(expected.tensor, abs=1e-14)


def test_the_radius_of_gyration_is_the_tables():
    thigh = human_figure(mass=80.0, height=2.0).mech.bodies["left thigh"].inertia
    assert math.sqrt(thigh.tensor[0, 0] / thigh.mass) == pytest.approx(0.323 * 0.245 * 2.0, rel=1e-12)
    assert thigh.com == pytest.approx([0.0, 0.0, -0.433 * 0.245 * 2.0], rel=1e-12)


def test_arms_flex_ahead_and_knees_back():
    figure = human_figure()
    mech = figure.mech

    def place(turns, frame):
        return rg.frame_position(mech, mech.state(q=figure.positions(turns)), frame)

    ahead = rg.Pose.about((0, 1, 0), -1.0)
    for turns, frame, sign in (
        ({"left shoulder": ahead}, "left grip", 1),
        ({"left elbow": 1.0}, "left grip", 1),
        ({"right hip": ahead}, "right sole", 1),
        ({"right knee": 1.0}, "right sole", -1),
    ):
        moved = place(turns, frame) - place({}, frame)
        assert sign * moved[0] > 0.1
        assert moved[2] > 0.05


@pytest.mark.parametrize("build", FIGURES.values(), ids=FIGURES)
def test_a_figure_that_falls_keeps_its_joints_in_their_ranges_and_its_momentum(build):
    figure = build()
    mech = figure.mech
    rng = np.random.default_rng(1)
    state = mech.state(q=figure.state.q, v=rng.uniform(-4.0, 4.0, mech.nv))
    traj = rg.simulate(mech, state, 1.0, rtol=1e-7, atol=1e-8)
    for name, joint in mech.joints.items():
        if name == "base":
            continue
        q = traj.joint(name).q
        turned = 2.0 * np.arctan2(np.linalg.norm(q[:, 1:], axis=1), np.abs(q[:, 0])) if joint.type.nq == 4 else q
        slack = 0.15  # rad, which a limit of 2000 N m/rad gives way
        assert turned.max() < joint.type.limits.upper[0] + slack
        assert turned.min() > joint.type.limits.lower[0] - slack
    momentum = traj.momentum()
    fallen = momentum.linear - momentum.linear[0] - 70.0 * np.outer(traj.t, mech.gravity)
    assert np.abs(fallen).max() < 1e-5
    energy = traj.energy().total
    assert (np.diff(energy) < 1e-5).all()  # limits take energy and never give any


def test_what_is_no_turn_of_a_figure_is_refused():
    figure = human_figure()
    with pytest.raises(rg.ModelError, match="no joint 'tail'"):
        figure.positions({"tail": 1.0})
    with pytest.raises(rg.ModelError, match="'left hip' is a ball joint"):
        figure.positions({"left hip": 1.0})
    with pytest.raises(rg.ModelError, match="'left knee' is a hinge"):
        figure.positions({"left knee": rg.Pose()})
    with pytest.raises(rg.ModelError, match="mass must be positive"):
        human_figure(mass=-1.0)
