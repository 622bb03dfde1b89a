"""How torques are shared among actuated joints: weights, bounds, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

import regraft as rg
from loops.closed_mechanisms import closed_sample, moving_four_bar

SEEDS = st.integers(0, 2**32 - 1)


def slider():
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
    mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    return mech, mech.state()


# --- redundancy -------------------------------------------------------------------------------------------------------


def test_redundant_motors_share_by_their_weights():
    """Four motors that each turn as one, τ1 − τ2 + τ3 + τ4 = needed; the least Σ w τ² has τ ∝ ± 1 / w."""
    mech, state = moving_four_bar()
    a, every = [3.0, -3.0, 3.0], ["foot 0", "top 0", "foot 1", "end 1"]
    needed = rg.inverse_dynamics(mech, state, a, actuated=["foot 0"])[0]
    for weights in (None, [1, 2, 4, 8], {"foot 0": 0.25, "end 1": 10.0}):
        w = np.array([weights.get(name, 1.0) for name in every] if isinstance(weights, dict) else weights or np.ones(4))
        expected = needed / w / (1 / w).sum() * [1, -1, 1, 1]
        torques = rg.actuator_torques(mech, state, a, actuated=every, weights=weights)
        assert np.concatenate(list(torques.values())) == pytest.approx(expected, rel=1e-10)
    tau = rg.inverse_dynamics(mech, state, a, weights=[1.0, 1e6, 1e12])
    assert tau == pytest.approx([needed, 0.0, 0.0], abs=1e-5 * abs(needed))


def test_bounds_pass_on_what_one_motor_cannot_do():
    mech, state = moving_four_bar()
    a = [3.0, -3.0, 3.0]
    needed = rg.inverse_dynamics(mech, state, a, actuated=["foot 0"])[0]
    assert needed < -2.0
    third = needed / 3
    tau = rg.inverse_dynamics(mech, state, a, bounds={"foot 0": (third / 2, 1.0)})
    assert tau == pytest.approx([third / 2, -third * 1.25, third * 1.25], rel=1e-10)
    tau = rg.inverse_dynamics(mech, state, a, bounds=([-1.0, -np.inf, -0.5], [1.0, np.inf, 0.5]))
    assert tau == pytest.approx([-1.0, -needed - 1.5, -0.5], rel=1e-10)
    wide = rg.inverse_dynamics(mech, state, a, bounds=(-1e9, 1e9))
    assert wide == pytest.approx(rg.inverse_dynamics(mech, state, a), rel=1e-12)
    still, nothing = mech.state(), np.zeros(3)
    assert rg.inverse_dynamics(mech, still, nothing) == pytest.approx(nothing, abs=1e-12)  # upright, so nothing is needed
    tense = rg.inverse_dynamics(mech, still, nothing, bounds=([1.0, 0.0, -9.0], [2.0, 9.0, 0.0]))
    assert tense == pytest.approx([1.0, 0.5, -0.5], rel=1e-9)
    only = rg.inverse_dynamics(mech, state, a, actuated=["foot 0"], bounds=(needed, needed))
    assert only == pytest.approx([needed, 0.0, 0.0], rel=1e-12)


@settings(max_examples=40)
@given(SEEDS, st.integers(3, 6), st.integers(1, 2), st.floats(0.3, 0.95))
def test_bounded_torques_are_exact_and_least(seed, bodies, loops, tightness):
    """Against a general solver, which may only find something worse; the equations hold to rounding all the same."""
    mech, state = closed_sample(seed, bodies, loops)
    rng = np.random.default_rng(seed)
    a = rg.consistent_acceleration(mech, state, rng.standard_normal(mech.nv))
    weights, W = rng.uniform(0.5, 2.0, mech.nv), rg.mobility(mech, state).W
    free = rg.inverse_dynamics(mech, state, a, weights=weights)
    limit = tightness * np.abs(free).max(initial=0.0)
    if not feasible(W, W.T @ free, limit * (1 + 1e-6)):
        with pytest.raises(rg.StructureError, match="bounds: these accelerations need more"):
            rg.inverse_dynamics(mech, state, a, weights=weights, bounds=(-limit, limit))
    if not feasible(W, W.T @ free, limit * (1 - 1e-6)):
        return
    tau = rg.inverse_dynamics(mech, state, a, weights=weights, bounds=(-limit, limit))
    size = 1.0 + np.abs(free).max()
    assert np.abs(tau).max() <= limit
    assert np.abs(W.T @ (tau - free)).max(initial=0.0) < 1e-9 * size * (1.0 + np.abs(W).max(initial=0.0))
    other = minimize(
        lambda x: weights @ x**2, free, jac=lambda x: 2 * weights * x, bounds=[(-limit, limit)] * mech.nv, method="SLSQP",
        constraints={"type": "eq", "fun": lambda x: W.T @ (x - free), "jac": lambda _: W.T}, options={"ftol": 1e-12},
    )  # fmt: skip
    if other.success:
        assert weights @ tau**2 <= weights @ other.x**2 + 1e-6 * size**2


def feasible(W, generalized, limit):
    """Whether torques within the limit make the generalized force: a linear programme."""
    return linprog(np.zeros(len(W)), A_eq=W.T, b_eq=generalized, bounds=(-limit, limit)).status == 0


def test_what_the_bounds_do_not_allow_names_the_joints_that_are_at_them():
    mech, state = moving_four_bar()
    with pytest.raises(rg.StructureError, match=r"bounds.*'foot 0', 'foot 1' at their bounds \d+\.\d% of it"):
        rg.inverse_dynamics(mech, state, [50.0, -50.0, 50.0], actuated=["foot 0", "foot 1"], bounds=(-1.0, [2.0, 3.0]))
    ball = slider()
    with pytest.raises(rg.StructureError, match="'fall' at their bounds"):
        rg.inverse_dynamics(*ball, [0.0], bounds={"fall": (-1.0, 10.0)})


# --- bad input --------------------------------------------------------------------------------------------------------


def test_accelerations_that_open_a_loop_are_refused():
    mech, state = moving_four_bar()
    with pytest.raises(rg.StructureError, match=r"would open the loop of joint 'end 1'.*consistent_acceleration"):
        rg.inverse_dynamics(mech, state, [3.0, 0.0, 0.0])
    with pytest.raises(rg.StructureError, match=r"open in this state.*assemble"):
        rg.inverse_dynamics(mech, mech.state(q={"foot 0": 0.2}), [0.0, 0.0, 0.0])
    with pytest.raises(rg.StructureError, match=r"in velocity; close it first: state = assemble"):
        rg.inverse_dynamics(mech, mech.state(v={"foot 0": 0.2}), [0.0, 0.0, 0.0])


def test_a_loop_joint_has_no_place_in_an_array():
    mech, state = moving_four_bar()
    with pytest.raises(rg.StructureError, match=r"'end 1' close loops; ask actuator_torques"):
        rg.inverse_dynamics(mech, state, [3.0, -3.0, 3.0], actuated=["foot 0", "end 1"])


BAD = {
    "unknown joint": ({"actuated": ["motor"]}, "actuated: there is no joint 'motor'"),
    "unknown coordinate": ({"actuated": ["foot 0[1]"]}, r"no foot 0\[1\]"),
    "twice": ({"actuated": ["foot 0", "foot 0"]}, "named twice"),
    "weights: shape": ({"weights": [1.0, 2.0]}, r"weights must have shape \(3,\)"),
    "weights: sign": ({"weights": [1.0, 0.0, 1.0]}, "weights must be positive"),
    "weights: infinite": ({"weights": {"foot 0": np.inf}}, "weights must be positive and finite"),
    "weights: name": ({"weights": {"knee": 1.0}}, "weights: there is no joint 'knee'"),
    "weights: not actuated": ({"actuated": ["foot 0"], "weights": {"foot 1": 1.0}}, "'foot 1' is not among the actuated"),
    "weights: text": ({"weights": {"foot 0": "heavy"}}, "must be real numbers"),
    "weights: NaN": ({"weights": {"foot 0": np.nan}}, "one number"),
    "bounds: no pair": ({"bounds": 3.0}, r"bounds must be a pair \(lower, upper\)"),
    "bounds: order": ({"bounds": (1.0, -1.0)}, "'foot 0': no torque is between 1 and -1"),
    "bounds: infinite": ({"bounds": (np.inf, np.inf)}, "no torque is between"),
    "bounds: shape": ({"bounds": ([0.0, 0.0], 1.0)}, "lower bounds must be one number, or 3"),
    "bounds: NaN": ({"bounds": (np.nan, 1.0)}, "lower bounds must be"),
    "bounds: by joint": ({"bounds": {"top 0": 3.0}}, r"bounds of 'top 0' must be a pair"),
    "bounds: not actuated": ({"actuated": ["foot 0"], "bounds": {"foot 1": (0, 1)}}, "'foot 1' is not among"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name):
    mech, state = moving_four_bar()
    options, message = BAD[name]
    for ask in (rg.inverse_dynamics, rg.actuator_torques):
        with pytest.raises(rg.ModelError, match=message):
            ask(mech, state, [3.0, -3.0, 3.0], **options)
