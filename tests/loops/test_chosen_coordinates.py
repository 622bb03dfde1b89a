"""Which coordinates are taken as the independent ones: what is preferred, kept and refused."""

import pytest

import regraft as rg
from loops.closed_mechanisms import four_bars
from loops.test_mobility import slider_crank


def test_one_coordinate_may_be_given_as_a_pair():
    one = four_bars(1)
    assert rg.mobility(one, one.state(), independent=("top 0", 0)).independent == ("top 0",)


@pytest.mark.parametrize("loop_joint", ["pin", "guide", "wrist"])
def test_motors_of_joints_that_close_loops_do_not_come_first(loop_joint):
    """They have no place in v, so that a run or a torque by place could not use them."""
    mech, _ = slider_crank(1.0)
    found = rg.mobility(*_with_motors(mech, (loop_joint,), last=loop_joint))
    without = rg.mobility(*_with_motors(mech, (), last=loop_joint))
    assert found.actuated == (loop_joint,)
    assert found.independent == without.independent  # chosen by conditioning alone


def _with_motors(mech, names, last=None):
    """The same mechanism with motors at these joints alone; the `last` joint closes the loop."""
    found = rg.Mechanism()
    for name, body in mech.bodies.items():
        found.add_body(name, body.inertia)
    for name, joint in sorted(mech.joints.items(), key=lambda item: item[0] == last):
        kind = type(joint.type)(joint.type.axis, actuated=name in names)
        found.add_joint(name, kind, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    return found, found.state()


@pytest.mark.parametrize(("motor", "chosen"), [("motor", "motor"), ("pivot", "elbow"), ("elbow", "elbow")])
def test_a_motor_is_taken_unless_another_coordinate_is_twice_as_good(motor, chosen):
    """In this four-bar the crank turns 0.88 times, the rocker 0.32 times as fast as the elbow."""
    mech, state = rg.models.four_bar().start
    rates = rg.mobility(mech, state, ["elbow"]).W[:, 0]
    assert [abs(rates[mech.v_slice(name)]).item() for name in ("motor", "pivot")] == pytest.approx([0.884, 0.323], abs=1e-3)
    passive, _ = _with_motors(mech, ())
    assert rg.mobility(passive, passive.state(q=state.q)).independent == ("elbow",)
    driven, _ = _with_motors(mech, (motor,))
    found = rg.mobility(driven, driven.state(q=state.q))
    assert found.actuated == (motor,)
    assert found.independent == (chosen,)
