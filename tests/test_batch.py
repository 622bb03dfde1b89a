"""Forward dynamics of many states at once is forward dynamics of each."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import moving_four_bar
from oracles import walk
from random_mechanisms import ALL_JOINTS, random_mechanism, random_state, relative_error, samples

ROUNDING = 1e-12
PASSIVE = {"damping": True, "limits": True, "springs": 3}


def mechanism_of_all_types():
    """Every joint type walked either way, with every passive force."""
    mech = random_mechanism(np.random.default_rng(1), bodies=48, roots=2, reverse=0.5, **PASSIVE)
    assert {(type(step.joint.type), step.backwards) for step in walk(mech)} == set(product(ALL_JOINTS, (False, True)))
    return mech


def random_batch(mech, size, seed=0):
    rng = np.random.default_rng(seed)
    states = [random_state(rng, mech) for _ in range(size)]
    q = np.array([state.q for state in states]).reshape(size, mech.nq)
    v = np.array([state.v for state in states]).reshape(size, mech.nv)
    return q, v, 5 * rng.standard_normal((size, mech.nv))


def one_by_one(mech, q, v, tau):
    rows = [rg.forward_dynamics(mech, mech.state(q=q[b], v=v[b]), tau[b]) for b in range(len(q))]
    return np.array(rows).reshape(len(q), mech.nv)


def worst_row(found, expected):
    assert found.shape == expected.shape
    return max((relative_error(*rows) for rows in zip(found, expected, strict=True)), default=0.0)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 7, 8, 9, 33, 600])
def test_a_batch_of_any_size_is_its_states_one_by_one(size, threads):
    mech = mechanism_of_all_types()
    q, v, tau = random_batch(mech, size)
    found = rg.forward_dynamics_batch(mech, q, v, tau, threads=threads)
    assert found.shape == (size, mech.nv)
    assert worst_row(found, one_by_one(mech, q, v, tau)) < ROUNDING


@settings(max_examples=100)
@given(samples(max_bodies=6, roots=2, **PASSIVE), st.integers(1, 11))
def test_a_batch_of_any_mechanism_is_its_states_one_by_one(sample, size):
    q, v, tau = random_batch(sample.mech, size)
    assert worst_row(rg.forward_dynamics_batch(sample.mech, q, v, tau), one_by_one(sample.mech, q, v, tau)) < ROUNDING


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_a_batch_of_each_joint_type_is_its_states_one_by_one(kind):
    mech = random_mechanism(np.random.default_rng(1), bodies=4, kinds=(kind,), root_kinds=(rg.Revolute,), reverse=0.5, **PASSIVE)
    q, v, tau = random_batch(mech, 19)
    assert worst_row(rg.forward_dynamics_batch(mech, q, v, tau), one_by_one(mech, q, v, tau)) < ROUNDING


def test_the_number_of_threads_changes_no_digit():
    mech = mechanism_of_all_types()
    q, v, tau = random_batch(mech, 600)
    expected = rg.forward_dynamics_batch(mech, q, v, tau, threads=1)
    for threads in (2, 3, None):
        assert np.array_equal(rg.forward_dynamics_batch(mech, q, v, tau, threads=threads), expected)


def test_the_order_of_the_states_changes_no_digit():
    mech = mechanism_of_all_types()
    q, v, tau = random_batch(mech, 33)
    order = np.random.default_rng(0).permutation(33)
    shuffled = rg.forward_dynamics_batch(mech, q[order], v[order], tau[order])
    assert np.array_equal(shuffled, rg.forward_dynamics_batch(mech, q, v, tau)[order])


def test_torques_left_out_are_zero():
    mech = mechanism_of_all_types()
    q, v, tau = random_batch(mech, 5)
    assert np.array_equal(rg.forward_dynamics_batch(mech, q, v), rg.forward_dynamics_batch(mech, q, v, 0 * tau))


def test_lists_and_arrays_of_any_memory_order_are_read_and_left_alone():
    mech = mechanism_of_all_types()
    arrays = random_batch(mech, 9)
    copies = [array.copy() for array in arrays]
    expected = rg.forward_dynamics_batch(mech, *arrays)
    assert np.array_equal(rg.forward_dynamics_batch(mech, *(np.asfortranarray(array) for array in arrays)), expected)
    assert np.array_equal(rg.forward_dynamics_batch(mech, *(array.tolist() for array in arrays)), expected)
    for array, copy in zip(arrays, copies, strict=True):
        assert np.array_equal(array, copy)


def test_a_mechanism_that_cannot_move_has_empty_rows():
    mech = rg.Mechanism()
    mech.add_body("post", rg.Inertia.box(1.0, (1, 1, 1)))
    mech.add_joint("weld", rg.Fixed(), "world", "post")
    assert rg.forward_dynamics_batch(mech, np.zeros((3, 0)), np.zeros((3, 0))).shape == (3, 0)


def wrong_shapes(mech):
    q, v, tau = random_batch(mech, 4)
    return [
        ("q", (q[0], v, tau)),
        ("q", (q[:, :-1], v, tau)),
        ("q", (q[None], v, tau)),
        ("v", (q, v[:3], tau)),
        ("v", (q, v[0], tau)),
        ("v", (q, np.hstack([v, v]), tau)),
        ("tau", (q, v, tau[:, 1:])),
        ("tau", (q, v, tau[0])),
        ("tau", (q, v, np.vstack([tau, tau]))),
    ]


@pytest.mark.parametrize("case", range(9))
def test_an_array_of_the_wrong_shape_is_named(case):
    mech = mechanism_of_all_types()
    name, arrays = wrong_shapes(mech)[case]
    with pytest.raises(rg.ModelError, match=rf"^{name} must have shape"):
        rg.forward_dynamics_batch(mech, *arrays)


@pytest.mark.parametrize("name", ["q", "v", "tau"])
def test_an_array_that_is_not_of_numbers_is_named(name):
    mech = mechanism_of_all_types()
    arrays = dict(zip(("q", "v", "tau"), random_batch(mech, 4), strict=True))
    arrays[name] = [["a"]]
    with pytest.raises(rg.ModelError, match=rf"^{name} must be real numbers"):
        rg.forward_dynamics_batch(mech, **arrays)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["q", "v", "tau"])
@pytest.mark.parametrize(("size", "index"), [(1, 0), (4, 3), (33, 17), (33, 32), (600, 431)])
def test_a_value_that_is_not_finite_is_named_with_its_index(name, size, index, value, threads):
    mech = mechanism_of_all_types()
    arrays = dict(zip(("q", "v", "tau"), random_batch(mech, size), strict=True))
    arrays[name][index, 2] = value
    with pytest.raises(rg.ModelError, match=rf"^{name}\[{index}\] has a value that is not finite"):
        rg.forward_dynamics_batch(mech, **arrays, threads=threads)


def test_of_several_bad_states_the_first_is_named():
    mech = mechanism_of_all_types()
    q, v, tau = random_batch(mech, 9)
    v[3, 0], q[6, 0] = np.nan, np.nan
    with pytest.raises(rg.ModelError, match=r"^v\[3\]"):
        rg.forward_dynamics_batch(mech, q, v, tau)


def test_a_joint_that_moves_no_inertia_is_named_with_the_state():
    mech = rg.Mechanism()
    mech.add_body("ring", rg.Inertia(0.0))
    mech.add_body("bob", rg.Inertia.point(1.0, at=(0, 0, 1)))
    mech.add_joint("swing", rg.Revolute((0, 1, 0)), "world", "ring")
    mech.add_joint("spin", rg.Revolute((0, 0, 1)), "ring", "bob")
    with pytest.raises(rg.ModelError, match=r"state 0 of the batch.*'spin'"):
        rg.forward_dynamics_batch(mech, np.zeros((5, 2)), np.ones((5, 2)))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_with_loops_is_its_states_one_by_one(threads):
    mech, state = moving_four_bar()
    traj = rg.simulate(mech, state, 1.0)
    states = [traj.state(t) for t in np.linspace(0.0, 1.0, 600)]
    q, v = np.array([s.q for s in states]), np.array([s.v for s in states])
    tau = np.random.default_rng(2).standard_normal((600, mech.nv))
    assert worst_row(rg.forward_dynamics_batch(mech, q, v, tau, threads=threads), one_by_one(mech, q, v, tau)) < ROUNDING


def test_a_batch_names_the_state_whose_loops_are_open():
    mech, state = moving_four_bar()
    q = np.array([state.q, state.q + 0.1])
    with pytest.raises(rg.StructureError, match=r"state 1 of the batch: .*assemble"):
        rg.forward_dynamics_batch(mech, q, np.zeros_like(q))
