"""The constraint matrix of the loops and its rate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regraft as rg
from loops.closed_mechanisms import HOLDING, all_velocities, assembled_sample, clear_cut, four_bars, random_closed, two_links
from random_mechanisms import relative_error

SEEDS = st.integers(0, 2**32 - 1)


def test_the_example_of_the_paper():
    """S2 eq. (45), its rows linear over angular; θ1–θ3 linear, θ4–θ6 angular velocity of the base, θ7 elbow, θ8 ground."""
    expected = np.array(
        [
            [1, 0, 0, 0, 0, -2, -1, 0],
            [0, 1, 0, 0, 0, 0, 0, 0],
            [0, 0, 1, 2, 0, 0, 0, 0],
            [0, 0, 0, 1, 0, 0, 0, 0],
            [0, 0, 0, 0, 1, 0, 0, 0],
            [0, 0, 0, 0, 0, 1, 1, -1],
        ]
    )
    mech = two_links()
    found = rg.loop_jacobian(mech, mech.state())
    assert found[[3, 4, 5, 0, 1, 2]] == pytest.approx(expected, abs=1e-15)


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 7), st.integers(1, 3), st.integers(1, 2))
def test_rows_are_the_child_less_the_virtual_link(seed, bodies, loops, roots):
    """For velocities that open the loops too: the block of v is the child's twist less the parent's, at the child's frame."""
    rng = np.random.default_rng(seed)
    mech, state = random_closed(rng, bodies, loops, roots=min(roots, bodies))
    J = rg.loop_jacobian(mech, state)
    twists = {"world": np.zeros(6), **rg.body_twists(mech, state)}
    poses = {"world": rg.Pose(), **rg.body_poses(mech, state)}
    for l, name in enumerate(mech.loop_joints):
        joint = mech.joints[name]
        at = (poses[joint.child] @ joint.child_pose).translation
        child, parent = (
            np.concatenate([t[:3], t[3:] + np.cross(t[:3], at - poses[body].translation)])
            for body, t in ((body, twists[body]) for body in (joint.child, joint.parent))
        )
        assert relative_error(J[6 * l : 6 * l + 6, : mech.nv] @ state.v, child - parent) < 1e-12


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 7), st.integers(1, 3), st.integers(1, 2))
def test_consistent_velocities_are_in_the_null_space(seed, bodies, loops, roots):
    mech, state = assembled_sample(np.random.default_rng(seed), bodies, loops, roots=min(roots, bodies))
    velocities = all_velocities(mech, state)
    size = 1.0 + np.abs(velocities).max(initial=0.0)
    J, reduced = rg.loop_jacobian(mech, state), rg.loop_jacobian(mech, state, reduced=True)
    count = sum(mech.joints[name].type.nv for name in mech.loop_joints)
    assert J.shape == (6 * loops, mech.nv + count)
    assert reduced.shape == (6 * loops - count, mech.nv)
    assert np.abs(J @ velocities).max(initial=0.0) < 1e-9 * size
    assert np.abs(reduced @ state.v).max(initial=0.0) < 1e-9 * size


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 6), st.integers(1, 2))
def test_the_reduced_rows_are_the_full_ones_without_the_loop_joints(seed, bodies, loops):
    """Rows that vanish on the loop joints' columns, and as long as the twists that these do not reach."""
    mech, state = random_closed(np.random.default_rng(seed), bodies, loops)
    J, reduced = rg.loop_jacobian(mech, state), rg.loop_jacobian(mech, state, reduced=True)
    column = row = 0
    for l, name in enumerate(mech.loop_joints):
        count = mech.joints[name].type.nv
        block = J[6 * l : 6 * l + 6]
        own = block[:, mech.nv + column : mech.nv + column + count]
        rest = block[:, : mech.nv] - own @ np.linalg.pinv(own) @ block[:, : mech.nv]
        held = reduced[row : row + 6 - count]
        assert relative_error(held.T @ held, rest.T @ rest) < 1e-12
        column, row = column + count, row + 6 - count


def difference_along(mech, state, step, reduced=False):
    """dJ_C/dt by central differences of fourth order along the velocity."""

    def at(t):
        return rg.loop_jacobian(mech, mech.state(q=rg.integrate(mech, state.q, t * state.v), v=state.v), reduced)

    return (8.0 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12.0 * step)


@pytest.mark.parametrize("kind", HOLDING)
@settings(max_examples=12)
@given(seed=SEEDS, bodies=st.integers(4, 8), roots=st.integers(1, 2))
def test_the_rate_is_the_derivative_along_the_motion(kind, seed, bodies, roots):
    """Each joint type as the one that closes a loop, and all of them in the tree."""
    mech, state = assembled_sample(np.random.default_rng(seed), bodies, 1, kinds=(kind,), roots=roots)
    speed = 1.0 + np.abs(all_velocities(mech, state)).max(initial=0.0)
    step = 1e-4 / speed
    for reduced in (False, True):
        found = rg.loop_jacobian_rate(mech, state, reduced=reduced)
        # rounding by the step, and the fifth derivative by the fourth power of the step
        off = np.abs(found - difference_along(mech, state, step, reduced)).max(initial=0.0)
        assert off < 1e-9 * speed * (1.0 + np.abs(found).max(initial=0.0))


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 7), st.integers(1, 3))
def test_accelerations_of_forward_dynamics_keep_the_loops_closed(seed, bodies, loops):
    """J_C θ̈ + dJ_C/dt θ̇ = 0, the accelerations of the loop joints left out by their columns."""
    rng = np.random.default_rng(seed)
    mech, state = assembled_sample(rng, bodies, loops)
    if mech.nv == 0 or not clear_cut(mech, state):
        return
    a = rg.forward_dynamics(mech, state, rng.standard_normal(mech.nv))
    J = rg.loop_jacobian(mech, state)
    rest = J[:, : mech.nv] @ a + rg.loop_jacobian_rate(mech, state) @ all_velocities(mech, state)
    own = J[:, mech.nv :]
    left = rest - own @ np.linalg.pinv(own) @ rest if own.size else rest
    size = 1.0 + np.abs(a).max() + np.abs(state.v).max() ** 2
    assert np.abs(left).max() < 1e-8 * size
    J, dJ = (ask(mech, state, reduced=True) for ask in (rg.loop_jacobian, rg.loop_jacobian_rate))
    assert np.abs(J @ a + dJ @ state.v).max(initial=0.0) < 1e-8 * size


def test_a_tree_has_no_rows():
    mech = rg.models.pendulum().mech
    assert rg.loop_jacobian(mech, mech.state()).shape == (0, 1)
    assert rg.loop_jacobian(mech, mech.state(), reduced=True).shape == (0, 1)
    assert rg.loop_jacobian_rate(mech, mech.state()).shape == (0, 1)
    assert rg.loop_jacobian_rate(mech, mech.state(), reduced=True).shape == (0, 1)


def test_open_loops_are_refused():
    mech = four_bars(1)
    for ask in (rg.loop_jacobian, rg.loop_jacobian_rate):
        with pytest.raises(rg.StructureError, match=r"'end 1' is open in this state.*assemble"):
            ask(mech, mech.state(q={"foot 0": 0.1}))
    opening = mech.state(v={"foot 0": 0.1})
    assert rg.loop_jacobian(mech, opening).shape == (6, 4)
    with pytest.raises(rg.StructureError, match=r"in velocity.*assemble"):
        rg.loop_jacobian_rate(mech, opening)
