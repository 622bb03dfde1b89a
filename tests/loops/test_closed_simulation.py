"""Simulating closed chains: the IFToMM benchmark A02, conservation, and what does not depend on the choice of loop joints."""

import numpy as np
import pytest

import regraft as rg

TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def gaps(traj):
    """The largest gap of a loop, in position and in velocity."""
    error = traj.loop_error()
    return error.position.max(), error.velocity.max()


def test_two_four_bars_pass_their_singular_positions_and_stay_on_their_branch():
    """A02, N = 2 (references: B0 and its velocity after 10 s); all rods are in line twice a turn."""
    traj = rg.simulate(*rg.models.four_bars(2).start, 10.0, **TIGHT)
    top = traj.frame("B0")
    assert top.position[-1] == pytest.approx([0.3284581115, 0.9445185382, 0.0], abs=1e-9)
    assert top.velocity[-1] == pytest.approx([1.423051470, -0.494868845, 0.0], abs=1e-8)
    energy = traj.energy().total
    assert np.abs(energy - energy[0]).max() < 1e-8
    assert max(gaps(traj)) < 1e-9


def test_with_default_tolerances_loops_stay_closed_and_energy_is_kept():
    mech = linkage(("motor", "ball", "joint", "pivot"))
    traj = rg.simulate(mech, rg.assemble(mech, mech.state()), 20.0)
    energy = traj.energy().total
    assert np.abs(energy - energy[0]).max() < 1e-5
    assert max(gaps(traj)) < 1e-9


@pytest.mark.parametrize(("count", "speed"), [(5, 2.0), (5, 3.2), (10, 1.4), (10, 2.6), (40, 1.0)])
def test_many_loops_pass_singular_positions_together(count, speed):
    """With default tolerances, however near to such a position a step begins or ends; all loops stay on their branch."""
    traj = rg.simulate(*rg.models.four_bars(count, speed=speed).start, 10.0)
    energy = traj.energy().total
    assert np.abs(energy - energy[0]).max() < 1e-9 * np.abs(energy).max()
    assert traj.rejected < 0.05 * traj.steps  # where accelerations are noise, smaller steps would not help
    position, velocity = gaps(traj)
    assert position < 1e-12
    assert velocity < 1e-8
    cranks = np.abs(traj.final[1].q)
    assert np.ptp(cranks) < 1e-8


@pytest.mark.parametrize("options", [{}, {"integrator": "dop853"}, {"integrator": "rk4", "step": 0.002}])
def test_a_straight_chain_held_at_both_ends_carries_its_weight(options):
    """It can be shaken, by first order, but cannot move: the rows of its loop are redundant only where it is straight."""
    mech, hinge, half = rg.Mechanism(), rg.Revolute((0, 1, 0)), rg.Pose(translation=(1, 0, 0))
    for name in ("left", "right"):
        mech.add_body(name, rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (1, 0, 0)))
    mech.add_joint("start", hinge, "world", "left")
    mech.add_joint("middle", hinge, "left", "right", half)
    mech.add_joint("end", hinge, "right", "world", half, rg.Pose(translation=(2, 0, 0)))
    assert rg.mobility(mech, mech.state()).dof == 1
    traj = rg.simulate(mech, mech.state(), 0.2, **options)
    energy = traj.energy().total
    bent, velocity = np.abs(traj.joint("middle").q).max(), np.abs(traj.joint("middle").v).max()
    assert bent < 1e-5  # its rows are no longer redundant from 1e-6 of its size on
    assert velocity < np.sqrt(4.0 * 9.81 * 1e-5)  # of a fall that far, and at an angle
    assert np.abs(energy - energy[0]).max() < 20.0 * 1e-5  # the work of its weight on that way
    assert gaps(traj)[0] < 1e-12
    assert gaps(traj)[1] < 1e-6 * velocity * 3.0


def linkage(order):
    """A spatial four-bar on ball joints and hinges, its joints added in a given order."""
    mech = rg.Mechanism()
    sizes = {"crank": (0.2, 0.05, 0.05), "coupler": (0.9, 0.04, 0.04), "rocker": (0.05, 0.05, 0.6)}
    for name, size in sizes.items():
        mech.add_body(name, rg.Inertia.box(1.0, size))
    at = lambda *x: rg.Pose(translation=x)  # noqa: E731
    joints = {
        "motor": (rg.Revolute((0, 1, 0)), "world", "crank", at(0, 0, 0), at(-0.1, 0, 0)),
        "ball": (rg.Spherical(), "crank", "coupler", at(0.1, 0, 0), at(-0.45, 0, 0)),
        "joint": (rg.Universal((0, 1, 0), (0, 0, 1)), "coupler", "rocker", at(0.45, 0, 0), at(0, 0, 0.3)),
        "pivot": (rg.Revolute((0, 1, 0)), "world", "rocker", at(1.1, 0, -0.6), at(0, 0, -0.3)),
    }
    for name in order:
        mech.add_joint(name, *joints[name])
    return mech


OTHER_ORDERS = [
    ("pivot", "joint", "ball", "motor"),
    ("motor", "pivot", "ball", "joint"),
    ("joint", "motor", "pivot", "ball"),
]


@pytest.mark.parametrize("order", OTHER_ORDERS)
def test_the_motion_does_not_depend_on_which_joint_closes_the_loop(order):
    def positions(names):
        mech = linkage(names)
        traj = rg.simulate(mech, rg.assemble(mech, mech.state()), 1.5, **TIGHT)
        return rg.body_poses(*traj.final)

    expected, found = positions(("motor", "ball", "joint", "pivot")), positions(order)
    for body, pose in expected.items():
        assert np.abs(found[body].translation - pose.translation).max() < 1e-8
        assert np.abs(found[body].rotation - pose.rotation).max() < 1e-8


def test_events_work_on_closed_chains():
    mech, state = rg.models.four_bars(1).start
    level = rg.when_joint("foot 0", -np.pi / 2, rg.STOP, direction=-1, name="level")
    traj = rg.simulate(mech, state, 10.0, events=level)
    assert traj.events[-1].name == "level"
    assert mech.joint_position(traj.final[1], "end 1") == pytest.approx([-np.pi / 2], abs=1e-9)


def test_a_state_with_open_loops_is_refused():
    mech = rg.models.four_bars(1).mech
    for state in (mech.state(q={"foot 0": 0.1}), mech.state(v={"foot 0": 0.1})):
        with pytest.raises(rg.StructureError, match=r"open in this state.*assemble"):
            rg.simulate(mech, state, 1.0)


def test_singular_positions_that_were_passed_are_reported():
    """All rods in line: the uprights point along +x or −x, where each loop lets go of one direction."""
    mech, state = rg.models.four_bars(2).start
    traj = rg.simulate(mech, state, 4.0, **TIGHT)
    found = traj.singular_positions()
    assert len(found) >= 2
    for place in found:
        arm = rg.body_poses(mech, traj.state(place.t))["upright 0"].rotation @ (0, 1, 0)
        assert arm == pytest.approx([round(arm[0]), 0, 0], abs=1e-6)
        assert place.usual_dof == 1
        assert place.dof > 1
    turns = traj.joint("foot 0").q  # every half turn there is one
    crossed = np.count_nonzero(np.diff(np.floor(turns / np.pi + 0.5)))
    assert len(found) == crossed


def test_a_chain_that_stays_away_from_singular_positions_reports_none():
    mech = linkage(("motor", "ball", "joint", "pivot"))
    assert rg.simulate(mech, rg.assemble(mech, mech.state()), 1.0).singular_positions() == []


def test_the_history_of_a_loop_joint_is_that_of_the_same_joint_in_the_tree():
    histories = []
    for order in (("motor", "ball", "joint", "pivot"), ("pivot", "motor", "ball", "joint")):
        mech = linkage(order)
        start = rg.assemble(mech, mech.state(v={"motor": 3.0}), hold=["motor"])
        histories.append(rg.simulate(mech, start, 1.0, **TIGHT).resample(0.1).joint("pivot"))
    assert histories[0].q == pytest.approx(histories[1].q, abs=1e-7)
    assert histories[0].v == pytest.approx(histories[1].v, abs=1e-6)
