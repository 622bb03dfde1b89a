"""Joints that close loops are joints in a run, too: they have motors, and angles that go on through whole turns."""

import numpy as np
import pytest

import regraft as rg

COORDINATES = ["reduced", "maximal"]
PUSH = 0.7  # N m


def crank_closes_the_loop(**settings):
    """The four-bar of `models` with its crank's hinge added last."""
    mech, state = rg.models.four_bar(**settings).start
    found = rg.Mechanism(mech.gravity)
    for name, body in mech.bodies.items():
        found.add_body(name, body.inertia)
    for name in ("pivot", "knee", "elbow", "motor"):
        joint = mech.joints[name]
        found.add_joint(name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    q, v = (
        {name: read(state, name) for name in ("pivot", "knee", "elbow")} for read in (mech.joint_position, mech.joint_velocity)
    )
    return found, rg.assemble(found, found.state(q=q, v=v))


def work_and_energy(mech, state, coordinates, until, joint="motor"):
    """The work that a motor does while it is on, and how the total energy has changed at the end."""

    def torque(t, mech, state):  # noqa: ARG001
        return {joint: PUSH} if t < until else {}

    off = rg.at_time(until, name="off")
    traj = rg.simulate(mech, state, 0.4, torque=torque, events=off, coordinates=coordinates, rtol=1e-10, atol=1e-12)
    turned = [mech.joint_position(traj.state(t), joint)[0] for t in (0.0, until, 0.4)]
    energy = [rg.energy(mech, traj.state(t)).total for t in (0.0, until, 0.4)]
    return np.array(turned), np.array(energy)


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_the_motor_of_a_loop_joint_does_its_work_while_it_is_on(coordinates):
    """What is left out of a later answer is off: from then on the energy stays."""
    mech, state = crank_closes_the_loop(speed=2.0)
    assert mech.loop_joints == ("motor",)
    turned, energy = work_and_energy(mech, state, coordinates, 0.2)
    assert energy[1] - energy[0] == pytest.approx(PUSH * (turned[1] - turned[0]), abs=1e-7)
    assert abs(energy[1] - energy[0]) > 0.1
    assert energy[2] == pytest.approx(energy[1], abs=1e-7)


def test_the_motor_of_a_joint_moves_the_linkage_alike_whether_it_closes_the_loop_or_not():
    closing = work_and_energy(*crank_closes_the_loop(speed=2.0), "reduced", 0.4)
    in_tree = work_and_energy(*rg.models.four_bar(speed=2.0).start, "reduced", 0.4)
    assert closing[0] == pytest.approx(in_tree[0], abs=1e-8)
    assert closing[1] - closing[1][0] == pytest.approx(in_tree[1] - in_tree[1][0], abs=1e-8)


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_the_angle_of_a_loop_joint_goes_on_through_whole_turns(coordinates):
    mech, state = crank_closes_the_loop(speed=12.0)
    traj = rg.simulate(mech, state, 1.2, coordinates=coordinates)
    crank = traj.joint("motor")
    assert np.ptp(crank.q) > 4.0 * np.pi  # two turns at least
    assert np.abs(np.diff(crank.q[:, 0] if crank.q.ndim == 2 else crank.q)).max() < np.pi
    fine = traj.resample(np.linspace(0.0, 1.2, 4001)).joint("motor")
    assert np.trapezoid(fine.v.ravel(), fine.t) == pytest.approx(fine.q.ravel()[-1] - fine.q.ravel()[0], abs=1e-4)
