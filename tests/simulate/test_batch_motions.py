"""Many motions at once are the motions of `simulate`, one by one."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import moving_four_bar
from random_mechanisms import ALL_JOINTS, random_mechanism, random_state, samples

ROUNDING = 1e-12
"""What packs, which round otherwise, may change in some steps; relative to the largest number."""
PASSIVE = {"damping": True, "limits": True, "springs": 3}
STEP, STEPS = 1e-3, 10


def starts(mech, count, seed=0):
    rng = np.random.default_rng(seed)
    return [random_state(rng, mech) for _ in range(count)]


def alone(mech, state, duration=STEP * STEPS, step=STEP, **options):
    return rg.simulate(mech, state, duration, **{"integrator": "rk4", "step": step, "every": 1, **options})


def apart(found, b, traj):
    """How far motion b of a batch is from a trajectory with the same samples."""
    segment = traj.segments[0]
    assert np.array_equal(found.t, segment.t)
    q, v = np.abs(found.q[b] - segment.q).max(initial=0.0), np.abs(found.v[b] - segment.v).max(initial=0.0)
    return max(q / (1 + np.abs(segment.q).max(initial=0.0)), v / (1 + np.abs(segment.v).max(initial=0.0)))


def worst(mech, states, found, **options):
    return max(apart(found, b, alone(mech, state, **options)) for b, state in enumerate(states))


@pytest.fixture(scope="module")
def mech():
    return random_mechanism(np.random.default_rng(1), bodies=9, roots=2, reverse=0.5, **PASSIVE)


@numba.njit
def push(t, q, v, out):
    for d in range(out.shape[0]):
        out[d] = np.sin(40.0 * t) * d - 0.1 * v[d] + q[0]


@pytest.mark.parametrize("integrator", ["rk4", "euler"])
@pytest.mark.parametrize("count", [1, 3, 8, 19])
def test_motions_of_trees_are_those_of_simulate(mech, count, integrator):
    states = starts(mech, count)
    found = rg.simulate_batch(mech, states, STEP * STEPS, step=STEP, integrator=integrator)
    assert found.q.shape == (count, STEPS + 1, mech.nq)
    assert found.v.shape == (count, STEPS + 1, mech.nv)
    assert found.failed == {}
    assert worst(mech, states, found, integrator=integrator) < ROUNDING


@settings(max_examples=25)
@given(samples(max_bodies=6, roots=2, **PASSIVE), st.integers(1, 9))
def test_motions_of_any_tree_are_those_of_simulate(sample, count):
    states = starts(sample.mech, count)
    found = rg.simulate_batch(sample.mech, states, STEP * STEPS, step=STEP)
    assert worst(sample.mech, states, found) < ROUNDING


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_motions_with_each_joint_type_are_those_of_simulate(kind):
    mech = random_mechanism(np.random.default_rng(1), bodies=4, kinds=(kind,), root_kinds=(rg.Revolute,), reverse=0.5, **PASSIVE)
    states = starts(mech, 5)
    assert worst(mech, states, rg.simulate_batch(mech, states, STEP * STEPS, step=STEP)) < ROUNDING


def test_springs_and_armature_in_joints_act():
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.box(2.0, (0.1, 0.2, 0.3), at=(0, 0, -0.5)))
    mech.add_joint("joint", rg.Spherical(stiffness=20.0, armature=0.3, damping=0.1), "world", "ball")
    states = starts(mech, 5)
    assert worst(mech, states, rg.simulate_batch(mech, states, STEP * STEPS, step=STEP)) < ROUNDING


def test_free_bodies_that_spin_fast_stay_with_simulate_over_many_steps():
    """What chart of a free joint a step takes shows in its error: it must be the same."""
    mech = rg.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("brick", rg.Inertia.box(1.0, (0.1, 0.2, 0.3), at=(0.02, 0, 0)))
    mech.add_joint("flight", rg.Free(), "world", "brick")
    states = [mech.state(v={"flight": [1, 2, 3, 4 + b, -5, 6]}) for b in range(9)]
    found = rg.simulate_batch(mech, states, 1.0, step=0.01)
    assert worst(mech, states, found, duration=1.0, step=0.01) < ROUNDING
    coarse = rg.simulate_batch(mech, states, 1.0, step=0.02)
    assert np.abs(coarse.final_q - found.final_q).max() > 1e-6  # so it is not the exact solution that both agree on


def test_a_last_step_that_is_shorter_is_the_same(mech):
    states = starts(mech, 3)
    found = rg.simulate_batch(mech, states, 0.0104, step=STEP)
    assert len(found.t) == 12
    assert worst(mech, states, found, duration=0.0104) < ROUNDING


def test_arrays_and_states_are_the_same(mech):
    states = starts(mech, 5)
    q, v = np.array([s.q for s in states]), np.array([s.v for s in states])
    expected = rg.simulate_batch(mech, states, STEP * STEPS, step=STEP)
    for given_as in ((q, v), (q.tolist(), v.tolist()), (np.asfortranarray(q), v)):
        found = rg.simulate_batch(mech, *given_as, STEP * STEPS, step=STEP)
        assert np.array_equal(found.q, expected.q)
        assert np.array_equal(found.v, expected.v)
    at_rest = rg.simulate_batch(mech, q, None, STEP, step=STEP)
    assert np.array_equal(at_rest.q, rg.simulate_batch(mech, q, 0 * v, STEP, step=STEP).q)


def test_threads_and_neighbours_change_no_digit(mech):
    states = starts(mech, 40)
    expected = rg.simulate_batch(mech, states, STEP * STEPS, step=STEP, threads=1)
    for threads in (2, 3, None):
        assert np.array_equal(rg.simulate_batch(mech, states, STEP * STEPS, step=STEP, threads=threads).q, expected.q)
    found = rg.simulate_batch(mech, states[7:9], STEP * STEPS, step=STEP)
    assert np.array_equal(found.v, expected.v[7:9])


def test_no_states_make_no_motions(mech):
    found = rg.simulate_batch(mech, np.zeros((0, mech.nq)), np.zeros((0, mech.nv)), 0.01, step=STEP)
    assert found.q.shape == (0, 11, mech.nq)
    assert found.failed == {}
    assert len(rg.simulate_batch(mech, [], None, 0.01, step=STEP)) == 0


def test_no_time_leaves_states_as_they_are_whatever_the_torques(mech):
    states = starts(mech, 3)
    for torque in (None, np.ones((3, 7, mech.nv)), np.ones((1, 1, mech.nv))):
        found = rg.simulate_batch(mech, states, 0.0, step=STEP, torque=torque)
        assert found.t.tolist() == [0.0]
        assert np.array_equal(found.q[:, 0], [s.q for s in states])
        assert np.array_equal(found.final_v, [s.v for s in states])
        assert not found.failed


def test_a_mechanism_that_cannot_move_has_motions_without_numbers():
    mech = rg.Mechanism()
    mech.add_body("post", rg.Inertia.box(1.0, (1, 1, 1)))
    mech.add_joint("weld", rg.Fixed(), "world", "post")
    assert rg.simulate_batch(mech, np.zeros((3, 0)), None, 0.1, step=0.1).q.shape == (3, 2, 0)


# --- those that are not for packs ---------------------------------------------------------------------------------------------


def closed_starts(count):
    mech, state = moving_four_bar()
    return mech, [rg.assemble(mech, state.replace(v=state.v * (1 + 0.1 * b))) for b in range(count)]


@pytest.mark.parametrize("options", [{"integrator": "rk4", "step": 1e-2}, {"integrator": "dopri5"}, {"integrator": "dop853"}])
def test_motions_of_closed_chains_are_those_of_simulate_to_the_last_digit(options):
    mech, states = closed_starts(3)
    found = rg.simulate_batch(mech, states, 0.2, every=0.1, threads=2, **options)
    for b, state in enumerate(states):
        traj = rg.simulate(mech, state, 0.2, **options)
        assert np.array_equal(found.final_q[b], traj.final[1].q)
        assert np.array_equal(found.final_v[b], traj.final[1].v)
        assert np.abs(found.q[b, 1] - traj.state(0.1).q).max() < 1e-15
        assert np.array_equal(found.q[b, 2], traj.final[1].q)
    assert found.t.tolist() == [0.0, 0.1, 0.2]


def test_steps_that_are_chosen_are_those_of_simulate_to_the_last_digit(mech):
    states = starts(mech, 4)
    found = rg.simulate_batch(mech, states, 0.02, integrator="dopri5", rtol=1e-7, atol=1e-8, torque=push)
    for b, state in enumerate(states):
        traj = rg.simulate(mech, state, 0.02, rtol=1e-7, atol=1e-8, torque=push)
        assert np.array_equal(found.q[b], [state.q, traj.final[1].q])
        assert np.array_equal(found.v[b], [state.v, traj.final[1].v])


def swinging_rod():
    mech = rg.Mechanism()
    mech.add_body("rod", rg.Inertia.box(1.0, (0.1, 0.1, 1.0), at=(0, 0, -0.5)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "rod")
    return mech, mech.state(q={"hinge": 1.0})


def test_maximal_coordinates_are_those_of_simulate():
    mech, state = swinging_rod()
    found = rg.simulate_batch(mech, [state], 0.1, step=1e-2, coordinates="maximal")
    traj = rg.simulate(mech, state, 0.1, integrator="rk4", step=1e-2, coordinates="maximal")
    assert np.array_equal(found.q[0], traj.joint("hinge").q[:, None])


def test_dry_friction_holds_as_in_simulate():
    mech = rg.Mechanism()
    mech.add_body("sled", rg.Inertia.box(1.0, (1, 1, 1)))
    mech.add_joint("slide", rg.Prismatic((1, 0, 0), friction=2.0), "world", "sled")
    found = rg.simulate_batch(mech, [[0.0], [0.0]], [[1.0], [0.1]], 1.0, step=0.01)
    assert found.final_q[:, 0] == pytest.approx([0.25, 0.0025], abs=1e-9)
    assert np.abs(found.final_v).max() < 1e-12


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_samples_between_chosen_steps_are_those_of_the_dense_output(coordinates):
    mech, state = swinging_rod()
    options = {"integrator": "dopri5", "coordinates": coordinates}
    found = rg.simulate_batch(mech, [state], 0.5, every=1e-3, **options)
    traj = rg.simulate(mech, state, 0.5, **options)
    assert traj.steps < len(found.t) / 2
    expected = [traj.state(t) for t in found.t]
    assert np.array_equal(found.q[0], [one.q for one in expected])
    assert np.array_equal(found.v[0], [one.v for one in expected])
