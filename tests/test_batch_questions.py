"""Other questions about many states at once are these questions about each."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import moving_four_bar
from random_mechanisms import relative_error, samples
from test_batch import PASSIVE, ROUNDING, mechanism_of_all_types, random_batch, worst_row


def states(mech, q, v):
    return [mech.state(q=q[b], v=v[b]) for b in range(len(q))]


def stacked(rows, *shape):
    several = list(rows)
    return np.array(several).reshape(len(several), *shape)


def inverse_one_by_one(mech, q, v, a):
    return stacked((rg.inverse_dynamics(mech, state, a[b]) for b, state in enumerate(states(mech, q, v))), mech.nv)


def matrices_one_by_one(mech, q, v):
    return stacked((rg.mass_matrix(mech, state) for state in states(mech, q, v)), mech.nv, mech.nv)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 600])
def test_a_batch_of_any_size_is_its_states_one_by_one(size, threads):
    mech = mechanism_of_all_types()
    q, v, a = random_batch(mech, size)
    torques = rg.inverse_dynamics_batch(mech, q, v, a, threads=threads)
    assert worst_row(torques, inverse_one_by_one(mech, q, v, a)) < ROUNDING
    assert worst_row(rg.mass_matrix_batch(mech, q, threads=threads), matrices_one_by_one(mech, q, v)) < ROUNDING
    frames = list(mech.bodies)
    places = rg.frame_positions_batch(mech, q, frames, threads=threads)
    expected = stacked(
        ([rg.frame_position(mech, state, name) for name in frames] for state in states(mech, q, v)), len(frames), 3
    )
    assert worst_row(places, expected) < ROUNDING
    assert np.array_equal(rg.frame_positions_batch(mech, q, frames[3]), places[:, 3])


@settings(max_examples=50)
@given(samples(max_bodies=6, roots=2, **PASSIVE), st.integers(1, 11))
def test_a_batch_of_any_mechanism_is_its_states_one_by_one(sample, size):
    mech = sample.mech
    q, v, a = random_batch(mech, size)
    assert worst_row(rg.inverse_dynamics_batch(mech, q, v, a), inverse_one_by_one(mech, q, v, a)) < ROUNDING
    assert worst_row(rg.mass_matrix_batch(mech, q), matrices_one_by_one(mech, q, v)) < ROUNDING


def test_inverse_dynamics_undoes_forward_dynamics():
    mech = mechanism_of_all_types()
    q, v, tau = random_batch(mech, 33)
    rates = rg.forward_dynamics_batch(mech, q, v, tau)
    assert worst_row(rg.inverse_dynamics_batch(mech, q, v, rates), tau) < 1e-9


def test_accelerations_left_out_are_zero():
    mech = mechanism_of_all_types()
    q, v, _ = random_batch(mech, 5)
    found = rg.inverse_dynamics_batch(mech, q, v)
    assert worst_row(found, stacked((rg.bias_force(mech, state) for state in states(mech, q, v)), mech.nv)) < ROUNDING


def test_rotors_are_on_the_diagonal():
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia.point(2.0, at=(0, 0, -1)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0), armature=0.5), "world", "bob")
    assert rg.mass_matrix_batch(mech, [[0.1], [0.2]]).ravel().tolist() == pytest.approx([2.5, 2.5])


def test_frames_of_the_world_stay_where_they_are():
    mech = mechanism_of_all_types()
    mech.add_frame("mark", "world", rg.Pose(translation=(1, 2, 3)))
    q, *_ = random_batch(mech, 3)
    found = rg.frame_positions_batch(mech, q, ["mark", "world"])
    assert np.array_equal(found, np.tile([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]], (3, 1, 1)))
    assert rg.frame_positions_batch(mech, q, []).shape == (3, 0, 3)


def test_closed_chains_have_these_answers_too():
    mech, state = moving_four_bar()
    traj = rg.simulate(mech, state, 0.5)
    several = [traj.state(t) for t in np.linspace(0.0, 0.5, 9)]
    q, v = np.array([s.q for s in several]), np.array([s.v for s in several])
    a = np.array([rg.forward_dynamics(mech, s) for s in several])
    expected = np.array([rg.inverse_dynamics(mech, s, a[b]) for b, s in enumerate(several)])
    assert np.array_equal(rg.inverse_dynamics_batch(mech, q, v, a), expected)
    assert worst_row(rg.mass_matrix_batch(mech, q), np.array([rg.mass_matrix(mech, s) for s in several])) < ROUNDING
    body = list(mech.bodies)[-1]
    places = np.array([rg.frame_position(mech, s, body) for s in several])
    assert worst_row(rg.frame_positions_batch(mech, q, body), places) < ROUNDING
    with pytest.raises(rg.StructureError, match="state 4 of the batch"):
        rg.inverse_dynamics_batch(mech, q, v, np.where(np.arange(9)[:, None] == 4, a + 1.0, a))


def assert_derivatives(mech, q, v, tau, several, bound):
    found = rg.derivatives_batch(mech, q, v, tau, threads=2)
    assert found.q.shape == found.v.shape == found.tau.shape == (len(q), mech.nv, mech.nv)
    for b, state in enumerate(several):
        one = rg.derivatives(mech, state, tau[b])
        for name in ("q", "v", "tau"):
            assert relative_error(getattr(found, name)[b], getattr(one, name)) <= bound


@pytest.mark.parametrize("size", [0, 1, 9, 600])
def test_derivatives_of_many_states_are_those_of_each(size):
    mech = mechanism_of_all_types()
    q, v, tau = random_batch(mech, size)
    assert_derivatives(mech, q, v, tau, states(mech, q, v)[:40], ROUNDING)


def swinging(size):
    """A four-bar linkage in several states of its motion, with other torques in each."""
    mech, state = moving_four_bar()
    traj = rg.simulate(mech, state, 0.5)
    several = [traj.state(t) for t in np.linspace(0.0, 0.5, size)]
    tau = np.random.default_rng(0).standard_normal((size, mech.nv))
    return mech, several, np.array([s.q for s in several]), np.array([s.v for s in several]), tau


@pytest.mark.parametrize("size", [1, 9, 600])
def test_derivatives_of_many_states_of_closed_chains_are_those_of_each(size):
    mech, several, q, v, tau = swinging(size)
    assert_derivatives(mech, q, v, tau, several[:40], 0.0)
    found, other = (rg.derivatives_batch(mech, q, v, tau, threads=threads) for threads in (1, 2))
    assert np.array_equal(found.q, other.q)
    assert np.array_equal(found.tau, other.tau)


def test_derivatives_of_many_states_in_maximal_coordinates_are_those_of_each():
    mech = rg.Mechanism()
    above = "world"
    for link in ("upper", "lower"):
        mech.add_body(link, rg.Inertia.cylinder(2.0, 0.04, start=(0, 0, 0), end=(0, 0, -0.5)))
        place = rg.Pose() if above == "world" else rg.Pose(translation=(0, 0, -0.5))
        mech.add_joint(f"to {link}", rg.Revolute((0, 1, 0), damping=0.1), above, link, parent_pose=place)
        above = link
    free, bodies = rg.to_maximal(mech, mech.state(q=[0.3, -0.5], v=[1.0, 2.0]))
    tau = np.random.default_rng(0).standard_normal((2, free.nv))
    fast = bodies.replace(v=2.0 * bodies.v)
    assert_derivatives(free, np.array([bodies.q] * 2), np.array([bodies.v, fast.v]), tau, [bodies, fast], 0.0)


def test_a_state_of_a_closed_chain_that_has_no_derivatives_is_named():
    mech, _, q, v, tau = swinging(9)
    apart = np.where(np.arange(9)[:, None] == 4, q + 0.1, q)
    with pytest.raises(rg.StructureError, match=r"state 4 of the batch: .*open"):
        rg.derivatives_batch(mech, apart, v, tau)
    with pytest.raises(rg.ModelError, match=r"state 6 of the batch: .*too large"):
        rg.derivatives_batch(mech, q, np.where(np.arange(9)[:, None] == 6, 1e200 * v, v), tau)
    rows = {"q": q, "v": v, "tau": tau}
    for name, row in rows.items():
        broken = rows | {name: np.where(np.arange(9)[:, None] == 2, np.nan, row)}
        with pytest.raises(rg.ModelError, match=rf"^{name}\[2\] has a value that is not finite"):
            rg.derivatives_batch(mech, **broken)


def test_torques_left_out_of_derivatives_are_zero():
    mech = mechanism_of_all_types()
    q, v, tau = random_batch(mech, 3)
    assert np.array_equal(rg.derivatives_batch(mech, q, v).q, rg.derivatives_batch(mech, q, v, 0 * tau).q)


QUESTIONS = {
    "derivatives": lambda mech, q, v, a: rg.derivatives_batch(mech, q, v, a).q,
    "inverse": rg.inverse_dynamics_batch,
    "matrix": lambda mech, q, *_, **__: rg.mass_matrix_batch(mech, q),
    "places": lambda mech, q, *_, **__: rg.frame_positions_batch(mech, q, next(iter(mech.bodies))),
}


@pytest.mark.parametrize("name", ["q", "v", "a"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_value_that_is_not_finite_is_named_with_its_index(question, name):
    mech = mechanism_of_all_types()
    arrays = dict(zip(("q", "v", "a"), random_batch(mech, 11), strict=True))
    arrays[name][4] = np.nan
    if question in ("matrix", "places") and name != "q":
        assert np.isfinite(QUESTIONS[question](mech, **arrays)).all()
        return
    with pytest.raises(
        rg.ModelError,
        match=rf"^{'tau' if (question, name) == ('derivatives', 'a') else name}\[4\] has a value that is not finite",
    ):
        QUESTIONS[question](mech, **arrays)


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_array_of_the_wrong_shape_is_named(question):
    mech = mechanism_of_all_types()
    q, v, a = random_batch(mech, 4)
    with pytest.raises(rg.ModelError, match=r"^q must have shape"):
        QUESTIONS[question](mech, q[:, :-1], v, a)
    if question == "inverse":
        with pytest.raises(rg.ModelError, match=r"^a must have shape"):
            QUESTIONS[question](mech, q, v, a[:3])
        with pytest.raises(rg.ModelError, match=r"^v must have shape"):
            QUESTIONS[question](mech, q, v[0], a)


@pytest.mark.parametrize("question", QUESTIONS)
def test_quaternions_must_have_unit_length(question):
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("joint", rg.Spherical(), "world", "ball")
    with pytest.raises(rg.ModelError, match="state 1 of the batch"):
        QUESTIONS[question](mech, [[1, 0, 0, 0], [1, 1, 0, 0]], np.zeros((2, 3)), np.zeros((2, 3)))


def test_a_frame_that_is_not_there_is_named():
    mech = mechanism_of_all_types()
    q, *_ = random_batch(mech, 2)
    with pytest.raises(rg.ModelError, match="no frame or body 'nose'"):
        rg.frame_positions_batch(mech, q, ["nose"])
    for frames in (3, None):
        with pytest.raises(rg.ModelError, match=f"frames must be the name of a frame .* not {frames}"):
            rg.frame_positions_batch(mech, q, frames)


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_empty_list_has_no_states(question):
    found = QUESTIONS[question](mechanism_of_all_types(), [], [], [])
    assert len(found) == 0
