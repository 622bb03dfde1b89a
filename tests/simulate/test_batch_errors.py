"""What goes wrong in a batch: one motion that fails leaves the others alone, and bad arguments are named."""

import os
import signal
import threading

import numba
import numpy as np
import pytest

import regraft as rg
from loops.closed_mechanisms import moving_four_bar
from random_mechanisms import random_mechanism, random_state
from regraft.simulate.batch import workers

STEP, SPAN = 1e-3, 0.01


@pytest.fixture(scope="module")
def mech():
    return random_mechanism(np.random.default_rng(1), bodies=5, roots=1)


@pytest.fixture(scope="module")
def arrays(mech):
    rng = np.random.default_rng(2)
    states = [random_state(rng, mech) for _ in range(11)]
    return np.array([s.q for s in states]), np.array([s.v for s in states])


def pendulum():
    mech = rg.Mechanism()
    mech.add_body("bob", rg.Inertia.point(1.0, at=(0, 0, -1)))
    mech.add_joint("hinge", rg.Revolute((0, 1, 0)), "world", "bob")
    return mech


# --- one motion that fails ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("which", [0, 1])
def test_a_state_that_is_not_finite_is_named_and_the_others_finish(mech, arrays, which, value):
    bad = [array.copy() for array in arrays]
    bad[which][4, 2] = value
    expected = rg.simulate_batch(mech, *arrays, SPAN, step=STEP)
    found = rg.simulate_batch(mech, *bad, SPAN, step=STEP)
    assert list(found.failed) == [4]
    assert f"{'qv'[which]}[4] has a value that is not finite" in found.failed[4]
    others = [b for b in range(11) if b != 4]
    assert np.array_equal(found.q[others], expected.q[others])
    assert np.isnan(found.q[4]).all()
    with pytest.raises(rg.ModelError, match="motion 4 has no state"):
        found.state(4)


def test_a_torque_that_is_not_finite_fails_its_motion_alone(mech, arrays):
    tau = np.zeros((11, mech.nv))
    tau[7, 0] = np.nan
    found = rg.simulate_batch(mech, *arrays, SPAN, step=STEP, torque=tau)
    assert list(found.failed) == [7]
    assert "torque" in found.failed[7]
    assert np.isfinite(np.delete(found.q, 7, axis=0)).all()


@numba.njit
def breaks(t, q, v, out):
    if q[0] > 0.5 and t > 0.05:
        raise ValueError("too far")
    out[0] = 0.0


def test_a_function_that_raises_fails_its_motion_alone_and_the_message_says_so():
    found = rg.simulate_batch(pendulum(), [[0.0], [1.0], [0.2]], None, 0.1, step=0.01, torque=breaks)
    assert list(found.failed) == [1]
    assert "torque" in found.failed[1]
    assert found.until.tolist() == pytest.approx([0.1, 0.05, 0.1])
    assert np.isfinite(found.q[1, :6]).all()
    assert np.isnan(found.q[1, 6:]).all()


def test_a_motion_that_blows_up_fails_as_in_simulate():
    mech = pendulum()
    mech = mech.replace(damping={"hinge": 1e4})  # far too stiff for the step
    found = rg.simulate_batch(mech, [[1.0], [1.0]], [[0.0], [1.0]], 2.0, step=0.01)
    with pytest.raises(rg.SimulationError) as caught:
        rg.simulate(mech, mech.state(q=[1.0], v=[1.0]), 2.0, integrator="rk4", step=0.01)
    assert set(found.failed) == {0, 1}
    assert found.failed[1] == caught.value.reason
    assert found.until[1] == pytest.approx(caught.value.time)
    assert "2 failed" in repr(found)


def test_loops_that_are_open_fail_their_motion_alone():
    mech, state = moving_four_bar()
    q = np.array([state.q, state.q + 0.4])
    found = rg.simulate_batch(mech, q, np.zeros_like(q), 0.02, step=0.01)
    assert list(found.failed) == [1]
    assert "assemble" in found.failed[1]
    assert np.isfinite(found.q[0]).all()


# --- bad arguments ------------------------------------------------------------------------------------------------------------

BAD = {
    "q must have shape": {"q": np.zeros(3)},
    "v must have shape": {"v": np.zeros((3, 1))},
    "q must be real numbers": {"q": [["a"]]},
    "duration must not be negative": {"duration": -1.0},
    "duration is missing": {"duration": None},
    "duration must be real numbers, not 'long'": {"duration": "long"},
    r"duration must have shape \(\)": {"duration": [0.1]},
    "duration has a value that is not finite": {"duration": np.inf},
    "more than a billion in 0.1 s": {"step": 1e-12},
    "fixed step": {"step": None},
    "step must be positive": {"step": 0.0},
    "integrator must be one of": {"integrator": "rk5"},
    "threads must be": {"threads": 0},
    "every must be a whole number": {"every": "seldom"},
    "every must be at least": {"every": 0},
    "must be a multiple of the step": {"every": 0.015},
    "every must be a time in seconds": {"every": 3, "integrator": "dopri5"},
    "torque must have shape": {"torque": np.zeros(2)},
    "divides the 10 steps": {"torque": np.zeros((3, 1))},
    "may be torques of 2 states or of 2 intervals": {"torque": np.zeros((2, 1))},
    "torque must be real": {"torque": "strong"},
    "torque must be compiled": {"torque": lambda t, mech, state: np.zeros(1)},
    "does not take 4 arguments": {"torque": numba.njit(lambda t, q: 0.0)},
    "cannot be compiled": {"torque": numba.njit(lambda t, q, v, out: undefined_name)},  # noqa: F821
    "action must be STOP": {"events": rg.when_joint("hinge", 0.0)},
    "give it as the duration": {"events": rg.at_time(0.05, rg.STOP)},
    "guard must be compiled": {"events": rg.Event("e", lambda mech, state: 1.0, rg.STOP)},
    "there is no joint 'knee'": {"events": rg.when_joint("knee", 0.0, rg.STOP)},
    "measure must be given by name": {"measure": [("largest", "energy")]},
    "must be a Measure": {"measure": {"a": "energy"}},
    "there is no frame or body": {"measure": {"a": ("largest", "height", "foot")}},
    "there is no joint 'elbow'": {"measure": {"a": ("mean", "position", "elbow")}},
    "on the world": {"measure": {"a": ("mean", "x", "world")}},
    "gravity must have shape": {"gravity": np.zeros((3, 3))},
    "inertia must be given by name": {"inertia": [1.0]},
    "there is no 'leg'": {"mass": {"leg": [1.0, 2.0]}},
    "an Inertia for each of the 2 states": {"inertia": {"bob": [rg.Inertia(1.0)]}},
    "mass of 'bob' must have shape": {"mass": {"bob": [1.0, 2.0, 3.0]}},
    "both given for 'bob'": {"mass": {"bob": [1.0, 2.0]}, "inertia": {"bob": rg.Inertia(1.0)}},
    "damping of 'hinge' must not be negative; of state 1 it is": {"damping": {"hinge": [0.0, -1.0]}},
    r"damping of 'hinge' must be finite; of state 0 it is \[nan\]": {"damping": {"hinge": [np.nan, 0.0]}},
    r"mass of 'bob' must not be negative; of state 1 it is -2\.0": {"mass": {"bob": [1.0, -2.0]}},
    r"mass of 'bob' must be finite; of state 1 it is \[inf\]": {"mass": {"bob": [1.0, np.inf]}},
    r"gravity must be finite; of state 1 it is \[0\.0, nan, 0\.0\]": {"gravity": [[0.0, 0.0, -9.81], [0.0, np.nan, 0.0]]},
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_argument_is_named(message):
    arguments = {"q": np.zeros((2, 1)), "v": np.zeros((2, 1)), "duration": 0.1, "step": 0.01, **BAD[message]}
    with pytest.raises(rg.ModelError, match=message):
        rg.simulate_batch(pendulum(), **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("most", "energy"), "how must be"), (("mean", "speed"), "what must be"), (("mean", "energy", "bob"), "whole mechanism"),
     (("mean", "height"), "frame or body"), (("mean", "velocity"), "which joint")],
)  # fmt: skip
def test_a_measure_that_is_none_is_named(arguments, message):
    with pytest.raises(rg.ModelError, match=message):
        rg.Measure(*arguments)


def test_states_must_be_states_of_the_mechanism():
    mech = pendulum()
    other = pendulum()
    other.add_body("more", rg.Inertia.point(1.0, at=(0, 0, -1)))
    other.add_joint("second", rg.Revolute((0, 1, 0)), "bob", "more")
    with pytest.raises(rg.ModelError, match="state"):
        rg.simulate_batch(mech, [other.state()], 1.0, step=0.1)
    with pytest.raises(rg.ModelError, match="for one there is simulate"):
        rg.simulate_batch(mech, mech.state(), 1.0, step=0.1)
    with pytest.raises(rg.ModelError, match="leave v out"):
        rg.simulate_batch(mech, [mech.state()], np.zeros((1, 1)), 1.0, step=0.1)
    with pytest.raises(rg.ModelError, match="state 1 must be a State"):
        rg.simulate_batch(mech, [mech.state(), 3.0], 1.0, step=0.1)


def test_a_quaternion_without_unit_length_is_named_with_its_state():
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("joint", rg.Spherical(), "world", "ball")
    with pytest.raises(rg.ModelError, match=r"q\[1\]: the quaternion of joint 'joint'"):
        rg.simulate_batch(mech, [[1, 0, 0, 0], [1, 1, 0, 0]], None, 0.1, step=0.01)


# --- Ctrl-C -------------------------------------------------------------------------------------------------------------------


def interrupted_after(seconds, run):
    """What a run gives that Ctrl-C ends after some time."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may start what runs behind it without one
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        return run()
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_keeps_what_is_done_in_packs():
    mech = pendulum()
    q = np.linspace(-1, 1, 1024)[:, None]
    rg.simulate_batch(mech, q, None, 0.1, step=1e-2, every="end")
    found = interrupted_after(0.5, lambda: rg.simulate_batch(mech, q, None, 1e4, step=1e-2, every="end", threads=1))
    assert found.interrupted
    assert found.failed == {}
    assert found.until.max() > 0.0
    assert found.until.min() == 0.0
    assert "interrupted" in repr(found)
    part = found.until > 0.0
    assert (found.final_q[part & (q[:, 0] != 0.0)] != q[part & (q[:, 0] != 0.0)]).all()


def test_ctrl_c_keeps_what_is_done_one_by_one():
    mech, state = moving_four_bar()
    rg.simulate_batch(mech, [state], 0.01, step=1e-2)
    found = interrupted_after(0.5, lambda: rg.simulate_batch(mech, [state] * 4, 300.0, step=1e-3, every="end", threads=1))
    assert found.interrupted
    assert 0.0 < found.until[0] <= 300.0
    assert found.until[3] < 300.0


def test_progress_is_shown_where_it_is_wanted(capsys, monkeypatch):
    monkeypatch.setattr("regraft.progress_bar._PATIENCE", 0.0)
    monkeypatch.setattr(workers, "_LOOK", 1e-3)
    mech, q = pendulum(), np.linspace(-1, 1, 16)[:, None]
    rg.simulate_batch(mech, q, None, 1e3, step=1e-2, every="end", progress=True)
    assert "of 16 motions" in capsys.readouterr().err
    rg.simulate_batch(mech, q, None, 1e3, step=1e-2, every="end", progress=False)
    assert capsys.readouterr().err == ""
