"""Motions of random closed mechanisms: the same whichever joints close the loops and whichever body is the root."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import assembled_sample, body_motions, clear_cut, closed_sample, moving_four_bar, reordered
from random_mechanisms import relative_error

SEEDS = st.integers(0, 2**32 - 1)
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
SAME = 1e-8


def after_one_second(mech, state):
    """Poses and twists of all bodies, in the order of their names, after the loops have been found closed all the way."""
    traj = rg.simulate(mech, state, 1.0, **TIGHT)
    error = traj.loop_error()
    assert error.position.max(initial=0.0) <= 1e-9
    assert error.velocity.max(initial=0.0) <= 1e-9 * (1.0 + np.abs(traj.final[1].v).max(initial=0.0))
    order = np.argsort(list(mech.bodies))
    return traj, body_motions(*traj.final)[order]


@settings(max_examples=12)
@given(SEEDS, st.integers(3, 5), st.integers(1, 2))
def test_the_motion_is_the_same_whichever_joints_close_the_loops(seed, bodies, loops):
    """With springs, and with damping in all joints."""
    mech, state = closed_sample(seed, bodies, loops, springs=2, damping=True, alike=True)
    order = [str(name) for name in np.random.default_rng(seed).permutation(list(mech.joints))]
    twin, there = reordered(mech, state, order)
    assume(clear_cut(twin, there))
    assert relative_error(after_one_second(twin, there)[1], after_one_second(mech, state)[1]) < SAME


@settings(max_examples=12)
@given(SEEDS, st.integers(3, 5), st.integers(1, 2))
def test_the_motion_is_the_same_whichever_body_is_the_root(seed, bodies, loops):
    """Of a mechanism that floats; energy is kept, and momentum but for gravity's share, whatever the root."""
    mech, state = floating(seed, bodies, loops)
    traj, expected = after_one_second(mech, state)
    energy = traj.energy().total
    assert np.abs(energy - energy[0]).max() < 1e-7 * (1.0 + np.abs(energy).max())
    for top in mech.bodies:
        turned, after = rg.reroot(mech, state, top)
        assert relative_error(after_one_second(turned, after)[1], expected) < SAME


def floating(seed, bodies, loops):
    """A mechanism that floats with loops among its own bodies, without damping."""
    mech, state = assembled_sample(np.random.default_rng(seed), bodies, loops, springs=0, root_kinds=(rg.Free,))
    assume(clear_cut(mech, state))
    return mech, state


@settings(max_examples=12)
@given(SEEDS, st.integers(3, 5), st.integers(1, 2))
def test_what_floats_freely_keeps_its_momentum_through_its_loops(seed, bodies, loops):
    mech, state = floating(seed, bodies, loops)
    assume(not any("world" in loop for loop in mech.layout.loops))
    mass = sum(body.inertia.mass for body in mech.bodies.values())
    traj = rg.simulate(mech, state, 1.0, **TIGHT)
    momentum = traj.momentum()
    fallen = momentum.linear - np.outer(traj.t, mass * mech.gravity)
    assert np.abs(fallen - fallen[0]).max() < 1e-8 * (1.0 + np.abs(momentum.linear).max())


def test_a_limit_of_a_loop_joint_stops_it_and_gives_its_energy_back():
    """A hinge that closes a four-bar, with a limit that takes nothing: the energy comes back, the loop stays closed."""
    mech, state = moving_four_bar(limits=rg.Limits(-0.2, 0.5, stiffness=500.0, dissipation=0.0))
    traj = rg.simulate(mech, state, 2.0, **TIGHT)
    angle = np.array([mech.joint_position(traj.state(t), "end 1")[0] for t in traj.t])
    assert angle.max() > 0.5  # it is beyond the limit
    assert angle.max() < 0.9
    energy = traj.energy().total
    assert np.abs(energy - energy[0]).max() < 1e-7
    assert traj.loop_error().position.max() <= 1e-9
    soft, start = moving_four_bar(limits=rg.Limits(-0.2, 0.5, stiffness=500.0, dissipation=0.3))
    lost = rg.simulate(soft, start, 2.0, **TIGHT).energy().total
    assert lost[-1] < lost[0] - 0.1
    assert np.diff(lost).max() < 1e-9


@pytest.mark.parametrize("motor", ["motor", "elbow", "pivot", "knee"])
def test_torques_by_name_drive_any_joint_whichever_closes_the_loop(motor):
    mech, state = rg.models.four_bar().start
    names, motions = list(mech.joints), []
    for turn in range(len(names)):
        twin, there = reordered(mech, state, names[turn:] + names[:turn])
        traj = rg.simulate(twin, there, 0.5, torque=lambda t, mech, state: {motor: 2.0 + t}, **TIGHT)  # noqa: ARG005
        motions.append(body_motions(*traj.final)[np.argsort(list(twin.bodies))])
    assert relative_error(motions[0], body_motions(*rg.simulate(mech, state, 0.5).final)) > 1e-3
    for found in motions[1:]:
        assert relative_error(found, motions[0]) < SAME


def test_damping_of_a_loop_joint_takes_the_energy_that_its_speed_says():
    mech, state = moving_four_bar(damping=0.8)
    traj = rg.simulate(mech, state, 2.0, **TIGHT)
    fine = np.linspace(0.0, 2.0, 4001)
    rate = np.array([mech.joint_velocity(traj.state(t), "end 1")[0] for t in fine])
    lost = np.trapezoid(0.8 * rate**2, fine)
    energy = traj.energy().total
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=1e-6)


def test_a_straight_chain_held_at_both_ends_cannot_be_set_in_motion():
    """Its middle may move sideways to first order, and nowhere to second order: there is no motion to compute."""
    mech, hinge = rg.Mechanism(gravity=(0, 0, 0)), rg.Revolute((0, 1, 0))
    for name in ("upper", "lower"):
        mech.add_body(name, rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (0, 0, -1)))
    mech.add_joint("top", hinge, "world", "upper")
    mech.add_joint("middle", hinge, "upper", "lower", rg.Pose(translation=(0, 0, -1)))
    moving = mech.state(v={"top": 1.0, "middle": -2.0})
    held, state = rg.connect(mech, moving, "world", "lower", joint=hinge, at=(0, 0, -2), name="foot")
    with pytest.raises(rg.StructureError, match="singular"):
        rg.consistent_acceleration(held, state, np.zeros(2))
    for coordinates in ("reduced", "maximal"):
        with pytest.raises(rg.StructureError, match=r"no acceleration keeps the loops closed at this velocity.*singular"):
            rg.simulate(held, state, 0.1, coordinates=coordinates)
    at_rest = rg.simulate(held, held.state(q=state.q), 0.1)
    assert np.abs(at_rest.final[1].v).max() < 1e-12
