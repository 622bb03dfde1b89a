"""Which joints close the loops is a matter of the order in which they were added: no answer may depend on it."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import body_accelerations, body_motions, clear_cut, closed_sample, reordered, rows_of
from random_mechanisms import relative_error

SEEDS = st.integers(0, 2**32 - 1)
MECHANISMS = SEEDS, st.integers(2, 6), st.integers(1, 3), st.integers(1, 2)
SAME = 1e-8


def two_choices(seed, bodies, loops, roots):
    """A mechanism with damping, limits, springs and friction everywhere, twice, with other loop joints."""
    everything = {"damping": True, "limits": True, "own": True, "rotors": False, "springs": 2, "alike": True}
    first = closed_sample(seed, bodies, loops, roots=min(roots, bodies), **everything)
    order = np.random.default_rng(seed).permutation(list(first[0].joints))
    second = reordered(*first, [str(name) for name in order])
    assume(second[0].nv and clear_cut(*second))
    return first, second


def random_torques(seed, mech):
    rng = np.random.default_rng(seed)
    return {name: 5.0 * rng.standard_normal(joint.type.nv) for name, joint in mech.joints.items()}


def random_wrenches(seed, mech):
    rng = np.random.default_rng(seed)
    return {body: 5.0 * rng.standard_normal(6) for body in mech.bodies}


@settings(max_examples=100)
@given(*MECHANISMS)
def test_bodies_accelerate_the_same_whichever_joints_close_the_loops(seed, bodies, loops, roots):
    """Under torques by name in all joints, damping, active limits, springs and wrenches."""
    (mech, state), (twin, there) = two_choices(seed, bodies, loops, roots)
    assert relative_error(body_motions(twin, there), body_motions(mech, state)) < SAME
    wrenches = random_wrenches(seed, mech)
    for torques in (None, random_torques(seed, mech)):
        a, b = rg.forward_dynamics(mech, state, torques, wrenches), rg.forward_dynamics(twin, there, torques, wrenches)
        assert relative_error(body_accelerations(twin, there, b), body_accelerations(mech, state, a)) < SAME


@given(st.sampled_from([(180, 3, 2, 2), (2982, 4, 2, 1)]))
def test_no_digits_are_lost_where_rows_nearly_follow_from_others(sample):
    """Far from singular: the least singular value of the loops that is not 0 is 0.46 and 0.17."""
    first, second = two_choices(*sample)
    for mech, state in (first, second):
        a = rg.forward_dynamics(mech, state)
        J, wanted = rows_of(mech, state)
        assert relative_error(J @ a, wanted) < 1e-9 * (1.0 + np.abs(a).max())


@settings(max_examples=60)
@given(*MECHANISMS)
def test_energy_is_the_same_whichever_joints_close_the_loops(seed, bodies, loops, roots):
    both = two_choices(seed, bodies, loops, roots)
    first, second = rg.energy(*both[0]), rg.energy(*both[1])
    size = 1.0 + abs(first.kinetic) + abs(first.potential)
    assert abs(second.kinetic - first.kinetic) < SAME * size
    assert abs(second.potential - first.potential) < SAME * size


@settings(max_examples=100)
@given(*MECHANISMS)
def test_reactions_are_the_same_whichever_joints_close_the_loops(seed, bodies, loops, roots):
    """Of all joints that no redundant loop concerns; and whether there is such a loop is the same too."""
    (mech, state), (twin, there) = two_choices(seed, bodies, loops, roots)
    torques, wrenches = random_torques(seed, mech), random_wrenches(seed, mech)
    first, second = rg.joint_reactions(mech, state, torques, wrenches), rg.joint_reactions(twin, there, torques, wrenches)
    assert set(first) == set(second) == set(mech.joints)
    assert bool(first.redundant) == bool(second.redundant)
    determined = [name for name in mech.joints if name not in first.redundant + second.redundant]
    size = np.array([1.0, *(np.abs(wrench).max() for wrench in first.values())]).max()
    for name in determined:
        assert np.abs(second[name] - first[name]).max() < 10 * SAME * size


@settings(max_examples=60)
@given(*MECHANISMS)
def test_a_torque_by_name_does_the_same_in_a_tree_joint_and_in_a_loop_joint(seed, bodies, loops, roots):
    """One joint at a time, without anything else that acts: the accelerations that the torque adds."""
    both = two_choices(seed, bodies, loops, roots)
    at_rest = [(mech, mech.state(q=state.q)) for mech, state in both]
    still = [rg.forward_dynamics(*pair) for pair in at_rest]
    for name, torque in random_torques(seed, both[0][0]).items():
        found = []
        for (mech, state), without in zip(at_rest, still, strict=True):
            added = rg.forward_dynamics(mech, state, {name: torque}) - without
            found.append(np.array([rg.jacobian(mech, state, body) @ added for body in both[0][0].bodies]))
        size = 1.0 + max(np.abs(without).max() for without in still)
        assert np.abs(found[1] - found[0]).max() < SAME * size * (1.0 + np.abs(found[0]).max())


@settings(max_examples=60)
@given(*MECHANISMS)
def test_forward_dynamics_undoes_actuator_torques_with_motors_in_loop_joints(seed, bodies, loops, roots):
    """And the least torques of the same motors are the same numbers, whichever of these joints close the loops."""
    (mech, state), (twin, there) = two_choices(seed, bodies, loops, roots)
    a = rg.forward_dynamics(mech, state, random_torques(seed, mech))
    b = rg.forward_dynamics(twin, there, random_torques(seed, mech))
    every = list(mech.joints)
    first = rg.actuator_torques(mech, state, a, actuated=every)
    assert list(first) == [name for name in every if mech.joints[name].type.nv]
    assert relative_error(rg.forward_dynamics(mech, state, first), a) < SAME
    second = rg.actuator_torques(twin, there, b, actuated=every)
    size = 1.0 + max((np.abs(torque).max() for torque in first.values()), default=0.0)
    for name, torque in first.items():
        assert np.abs(second[name] - torque).max() < 10 * SAME * size


TREE, LOOP = ("limited", "hinge"), ("hinge", "limited")
EITHER_WAY = [(order, *case) for order in (TREE, LOOP) for case in ((4.0, False), (2.5, False), (5.2, True), (1.8, True))]


@pytest.mark.parametrize(("order", "angle", "pushes"), [*EITHER_WAY, (LOOP, -2.0, False), (LOOP, 0.5, True)])
def test_limits_beyond_half_a_turn_are_met_where_they_are(order, angle, pushes):
    """Limits from 2 to 5 rad, of a hinge of the tree or one that closes a loop; −2 rad is a whole turn before 4.28 rad."""
    mech = rg.Mechanism(gravity=(0, 0, 0))
    mech.add_body("rod", rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (1, 0, 0)))
    kinds = {"hinge": rg.Revolute((0, 1, 0)), "limited": rg.Revolute((0, 1, 0), limits=rg.Limits(2.0, 5.0, stiffness=10.0))}
    for name in order:
        mech.add_joint(name, kinds[name], "world", "rod")
    state = mech.state(q={order[0]: angle})
    where = mech.joint_position(state, "limited")[0]
    beyond = max(2.0 - where, where - 5.0, 0.0)
    assert (beyond > 0.0) == pushes
    assert rg.energy(mech, state).potential == pytest.approx(5.0 * beyond**2, abs=1e-12)
    assert abs(rg.joint_reactions(mech, state)["limited"][1]) == pytest.approx(10.0 * beyond, abs=1e-12)
    inertia = mech.bodies["rod"].inertia
    assert abs(rg.forward_dynamics(mech, state)[0]) == pytest.approx(10.0 * beyond / (inertia.tensor[1, 1] + 0.25), rel=1e-12)
