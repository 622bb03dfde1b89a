"""What a joint cannot carry is refused however little it is, and what is rounding is not."""

import numpy as np
import pytest

import regraft as rg


def tumbling(speed):
    """A box that turns about y, and a little about x."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("box", rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    mech.add_joint("free", rg.Free(), "world", "box")
    return mech, mech.state(v={"free": (0, 0, 0, speed, 1.0, 0)})


@pytest.mark.parametrize("speed", [1e-7, 1e-3, 0.5])
def test_a_hinge_refuses_a_motion_across_it(speed):
    with pytest.raises(rg.StructureError, match="cannot carry"):
        rg.reroot(*tumbling(speed), "box", joint=rg.Revolute((0, 1, 0)))


def test_a_hinge_carries_a_motion_along_it():
    _, after = rg.reroot(*tumbling(1e-12), "box", joint=rg.Revolute((0, 1, 0)))
    assert after.v[0] == pytest.approx(1.0, abs=1e-11)


@pytest.mark.parametrize("rate", [1e-6, 0.5])
def test_a_hinge_refuses_an_acceleration_across_it(rate):
    mech, state = tumbling(0.0)
    with pytest.raises(rg.StructureError, match="cannot carry"):
        rg.reroot(mech, state, "box", joint=rg.Revolute((0, 1, 0)), acceleration=(0, 0, 0, rate, 2.0, 0))


def test_without_a_place_a_joint_sits_where_both_origins_are():
    mech = rg.Mechanism(gravity=(0, 0, 0))
    for name in ("left", "right"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"{name}_free", rg.Free(), "world", name, rg.Pose(translation=(0.3, -0.2, 0.7)))
    held, _ = rg.connect(mech, mech.state(), "left", "right", joint=rg.Spherical(), name="pin")
    for pose in (held.joints["pin"].parent_pose, held.joints["pin"].child_pose):
        assert np.abs(pose.translation).max() < 1e-15
    held, after = rg.connect(mech, mech.state(), "world", "right", joint=rg.Spherical(), name="pin")
    assert held.joints["pin"].parent_pose.translation == pytest.approx((0.3, -0.2, 0.7), abs=1e-15)
    assert after.v == pytest.approx(np.zeros(12), abs=1e-15)


def test_what_floats_is_named_after_its_body_as_often_as_needed():
    mech = rg.Mechanism()
    for name in ("ball", "box"):
        mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("ball_free", rg.Fixed(), "world", "box")
    mech.add_joint("ball_free_2", rg.Fixed(), "box", "ball")
    loose, _ = rg.cut(mech, mech.state(), "ball_free_2")
    assert set(loose.joints) == {"ball_free", "ball_free_2"}  # the name that goes is free again
    assert isinstance(loose.joints["ball_free_2"].type, rg.Free)
    mech.add_joint("second", rg.Fixed(), "box", "ball")
    twice = rg.cut(*rg.cut(mech, mech.state(), "second"), "ball_free_2")[0]
    assert isinstance(twice.joints["ball_free_2"].type, rg.Free)
