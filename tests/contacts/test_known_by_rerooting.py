"""Closed forms of wheels and blocks that land, checked by hinges that take over from each other: they need no contacts."""

import math

import numpy as np
import pytest

import regraft as rg
from contacts.closed_forms import rocking, wheel_kept, wheel_period, wheel_rate
from contacts.machines import spoke

HINGE = rg.Revolute((0, 1, 0))
EXACT = {"rtol": 1e-12, "atol": 1e-13}


def wheel_on_hinge(slope, inertia, spokes=8):
    """The wheel on its spoke 0, just after that has landed at the steady rate."""
    mech = rg.Mechanism()
    mech.add_body("wheel", rg.Inertia(1.0, (0, 0, 0), inertia * np.eye(3)))
    mech.add_joint("stance", HINGE, "world", "wheel", child_pose=rg.Pose(translation=spoke(0)))
    mech.add_frame("next", "wheel", rg.Pose(translation=spoke(1)))
    # it rolls towards −x, about −y
    return mech, mech.state(q={"stance": math.pi / spokes - slope}, v={"stance": -wheel_rate(slope, spokes, inertia)})


@pytest.mark.parametrize("inertia", [0.0, 0.02, 0.5])
def test_a_wheel_on_hinges_has_the_steady_rate(inertia):
    slope = 0.08
    mech, state = wheel_on_hinge(slope, inertia)
    assert rg.frame_position(mech, mech.state(q={"stance": -slope - math.pi / 8}), "next")[2] < 0.0
    traj = rg.simulate(mech, state, 5.0, events=rg.when_frame_below("next", 0.0, rg.STOP, math.tan(slope)), **EXACT)
    assert traj.t[-1] == pytest.approx(wheel_period(slope, 8, inertia), abs=1e-10)
    before = rg.body_twists(*traj.final)["wheel"][1]
    place = rg.frame_position(*traj.final, "next")
    after = rg.body_twists(*rg.reroot(*traj.final, "wheel", at=place, joint=HINGE, name="stance", velocity="impact"))["wheel"][1]
    assert after / before == pytest.approx(wheel_kept(8, inertia), abs=1e-12)
    assert after == pytest.approx(-wheel_rate(slope, 8, inertia), abs=1e-10)


def test_a_block_on_hinges_rocks_as_housner_says():
    """A hinge at the left edge and, after a plastic impact, one at the right: times of two landings, and the rise between."""
    width, height, angle = 0.25, 1.0, 0.15
    times, rises = rocking(angle, width, height, 2)
    edges = [rg.Pose(translation=(x, 0.0, -height / 2)) for x in (-width / 2, width / 2)]
    mech = rg.Mechanism()
    mech.add_body("block", rg.Inertia.box(1.0, (width, 0.5, height)))
    mech.add_joint("edge", HINGE, "world", "block", rg.Pose(translation=(-width / 2, 0, 0)), edges[0])
    for name, edge in zip(("left", "right"), edges, strict=True):
        mech.add_frame(name, "block", edge)
    flat = rg.when_frame_below("right", 0.0, rg.STOP)
    down = rg.simulate(mech, mech.state(q={"edge": -angle}), 2.0, events=flat, **EXACT)
    assert down.t[-1] == pytest.approx(times[0], abs=1e-10)
    place = rg.frame_position(*down.final, "right")
    landed = rg.reroot(*down.final, "block", at=place, joint=HINGE, name="edge", velocity="impact")
    over = rg.simulate(*landed, 2.0, events=rg.when_frame_below("left", 0.0, rg.STOP), **EXACT)
    assert over.t[-1] == pytest.approx(times[1] - times[0], abs=1e-10)
    halfway = over.state(over.t[-1] / 2)
    assert abs(float(halfway.q[0])) == pytest.approx(rises[0], abs=1e-10)
