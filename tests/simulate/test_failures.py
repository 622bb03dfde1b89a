"""When something goes wrong: errors that keep the work, interruptions, and bad arguments."""

import os
import signal
import sys
import threading
import time

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose

import regraft as rg
from simple_mechanisms import G, arm, ball, pendulum, slider

NAN = float("nan")


def failing(match, mech, state, duration=1.0, **options):
    with pytest.raises(rg.SimulationError, match=match) as caught:
        rg.simulate(mech, state, duration, **options)
    error = caught.value
    assert ".trajectory" in str(error)
    assert error.trajectory.t[-1] == error.time
    assert np.isfinite(error.trajectory.segments[-1].x).all()
    return error


# --- motions that end ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("integrator", "step", "near"), [("dopri5", None, 1e-9), ("dop853", None, 1e-9), ("rk4", 0.01, 0.01)])
def test_a_torque_that_becomes_nan(integrator, step, near):
    mech, state = ball()

    def torque(t, mech, state):
        return np.array([NAN if t > 0.5 else 0.0])

    error = failing("no longer finite.*'fall'", mech, state, torque=torque, integrator=integrator, step=step)
    assert error.joint == "fall"
    assert 0.5 - near - 1e-12 <= error.time <= 0.5 + 1e-12


def test_an_explosion_with_fixed_steps():
    mech, state = slider(stiffness=1e8)
    error = failing("no longer finite.*'x'.*smaller steps", mech, state, 100.0, integrator="euler", step=0.01)
    assert error.joint == "x"
    assert 0.0 < error.time < 5.0


def test_a_step_size_that_becomes_too_small():
    mech, state = ball()

    @numba.njit
    def torque(t, q, v, out):
        out[0] = 1.0 / (1.0 - t) ** 2

    error = failing("step size became too small.*'fall'", mech, state, 2.0, torque=torque)
    assert error.joint == "fall"
    assert abs(error.time - 1.0) < 1e-9
    assert error.trajectory.steps > 20


def test_a_joint_that_moves_no_inertia():
    mech = rg.Mechanism()
    mech.add_body("leg", rg.Inertia.sphere(1.0, 0.1))
    mech.add_body("ghost", rg.Inertia(0.0))
    mech.add_joint("hip", rg.Revolute((0, 1, 0)), "world", "leg")
    mech.add_joint("idle", rg.Revolute((0, 1, 0)), "leg", "ghost")
    for options in ({}, {"integrator": "rk4", "step": 0.1}):
        error = failing("'idle' can move without moving any inertia", mech, mech.state(), **options)
        assert error.joint == "idle"
        assert error.time == 0.0
        assert len(error.trajectory.t) == 1


# --- motions that would never end -----------------------------------------------------------------------------------------


@numba.njit
def coulomb(t, q, v, out):
    out[0] = -np.sign(v[0])


@numba.njit
def pulled_coulomb(t, q, v, out):
    out[0] = 0.5 - np.sign(v[0])


@pytest.mark.parametrize(("torque", "speed", "when"), [(coulomb, 0.5, 0.5), (pulled_coulomb, 0.0, 0.0)])
def test_friction_that_jumps_with_the_velocity_is_stopped_where_it_chatters(torque, speed, when):
    mech, state = slider(0.0, speed, stiffness=0.0)
    errors = [failing(r"too small.*in the mean over thousands.*'x'.*-sign\(v\)", mech, state, torque=torque) for _ in range(2)]
    assert errors[0].joint == "x"
    assert abs(errors[0].time - when) < 1e-4
    assert errors[0].trajectory.steps < 40_000
    assert errors[0].time == errors[1].time  # steps are counted, not seconds


def test_whoever_gives_max_steps_may_take_so_many_however_short_they_are():
    mech, state = slider(0.0, 0.5, stiffness=0.0)
    error = failing("has taken its max_steps = 50000", mech, state, torque=coulomb, max_steps=50_000)
    assert error.trajectory.steps == 50_000


@pytest.mark.parametrize("most", [1, 7, 600])
def test_max_steps(most):
    """Of all segments together; a run that needs just so many ends well."""
    mech, state = slider()
    half = rg.at_time(0.5, lambda mech, state: (mech, mech.state(q=state.q, v=0.5 * state.v)))
    options = {"integrator": "rk4", "step": 1.0 / most, "events": half}
    needed = rg.simulate(mech, state, 1.0, **options).steps
    assert rg.simulate(mech, state, 1.0, max_steps=needed, **options).steps == needed
    if needed > 1:
        error = failing(f"max_steps = {needed - 1} steps", mech, state, max_steps=needed - 1, **options)
        assert error.trajectory.steps == needed - 1


def test_events_that_follow_each_other_too_fast_are_stopped():
    """Each time the ball comes 5 nm below the floor it is put back: no cascade, but a run that would never end."""
    mech, state = ball(1.0)
    back = rg.Event("back", lambda mech, state: state.q[0] + 5e-9, lambda m, s: (m, m.state(q=[0.0], v=[-1.0])))
    error = failing("too small.*events that follow each other", mech, state, events=back)
    assert abs(error.time - np.sqrt(2 / 9.81)) < 1e-3
    assert len(error.trajectory.events) < 40_000


@pytest.mark.parametrize("stiffness", [1e8, 1e10])
def test_stiff_springs_and_limits_are_no_collapse(stiffness):
    """A hundred thousand times stiffer than all else, after a quiet start: steps get short, and the run ends."""
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("fall", rg.Prismatic((0, 0, 1), limits=rg.Limits(-0.05, 1.0, stiffness=stiffness)), "world", "ball")
    traj = rg.simulate(mech, mech.state(), 0.15, rtol=1e-6, atol=1e-9)
    assert traj.t[-1] == 0.15


# --- functions of the user ------------------------------------------------------------------------------------------------


def late(t, *_):
    if t > 0.3:
        raise KeyError("lost")


def late_torque(t, mech, state):
    late(t)
    return np.zeros(mech.nv)


def late_wrenches(t, mech, state):
    late(t)
    return {}


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"torque": late_torque}, "'torque'"),
        ({"wrenches": late_wrenches}, "'wrenches'"),
        ({"events": rg.Event("e", lambda mech, state: late(-state.q[0] / 4.0) or 1.0)}, "guard of event 'e'"),
    ],
)
def test_exceptions_of_the_user_are_kept(options, name):
    mech, state = ball()
    error = failing(f"{name} failed.*KeyError: 'lost'", mech, state, step=0.02, **options)
    assert isinstance(error.__cause__, KeyError)
    assert error.time > 0.25


@pytest.mark.parametrize("kind", ["torque", "wrenches", "guard"])
def test_exceptions_in_compiled_functions_stop_the_run(kind, capfd):
    @numba.njit
    def fails(t, q, v, out):
        if t > 0.3:
            raise ValueError("lost")

    @numba.njit
    def guard_fails(t, q, v):
        if t > 0.3:
            raise ValueError("lost")
        return 1.0

    mech, state = ball()
    options = {"events": rg.Event("e", guard_fails)} if kind == "guard" else {kind: fails}
    error = failing("failed.*ValueError: lost", mech, state, step=0.02, **options)
    assert 0.25 < error.time <= 0.3
    assert isinstance(error.__cause__, ValueError)
    assert capfd.readouterr().err == ""


def test_an_action_that_raises():
    mech, state = ball()

    def action(mech, state):
        raise ZeroDivisionError("oops")

    error = failing("action of event 'act' failed: oops", mech, state, events=rg.at_time(0.5, action, name="act"))
    assert error.time == 0.5
    assert isinstance(error.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("result", "match"),
    [
        (3, "must return"),
        ((1, 2), "must return"),
        ((ball()[0], arm()[1]), "another structure"),
        ((ball()[0], None), "give a State"),
        (ball()[0], "must return"),
        (None, r"action of event 't = 0.5' returned nothing: it must return \(mech, state\), STOP, or PASS"),
    ],
)
def test_an_action_that_returns_something_else(result, match):
    mech, state = ball()
    failing(match, mech, state, events=rg.at_time(0.5, lambda mech, state: result))


def test_an_action_after_which_the_simulation_cannot_go_on():
    mech, state = pendulum()

    def close(mech, state):
        mech.add_joint("loop", rg.Fixed(), "world", "bob")
        return mech, mech.state(q=state.q, v=state.v)

    error = failing("after event 't = 0.5'.*loops are open", mech, state, events=rg.at_time(0.5, close))
    assert isinstance(error.__cause__, rg.StructureError)
    assert error.trajectory.events == [(0.5, "t = 0.5")]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"torque": lambda t, mech, state: 0.0}, "must return 1 numbers"),
        ({"torque": lambda t, mech, state: [0.0, 0.0]}, "must return 1 numbers"),
        ({"torque": lambda t, mech, state: "x"}, "ValueError"),
        ({"wrenches": lambda t, mech, state: np.zeros(6)}, "by body name"),
        ({"wrenches": lambda t, mech, state: {"cube": np.zeros(6)}}, "no body 'cube'"),
        ({"wrenches": lambda t, mech, state: {"ball": np.zeros(5)}}, "wrench on 'ball'"),
        ({"wrenches": lambda t, mech, state: {"ball": [NAN] * 6}}, "wrench on 'ball'"),
        ({"events": rg.Event("e", lambda mech, state: None)}, "guard of event 'e'.*TypeError"),
        ({"events": rg.Event("e", lambda mech, state: NAN)}, "guard of event 'e'.*NaN"),
        ({"events": rg.Event("e", numba.njit(lambda t, q, v: np.nan))}, "guard of event 'e'"),
    ],
)
def test_what_functions_return_is_checked(options, match):
    mech, state = ball()
    assert failing(match, mech, state, **options).time == 0.0


# --- interruptions --------------------------------------------------------------------------------------------------------


def test_a_keyboard_interrupt_in_a_torque_returns_what_there_is():
    mech, state = ball()

    def torque(t, mech, state):
        if t > 0.3:
            raise KeyboardInterrupt
        return np.zeros(1)

    traj = rg.simulate(mech, state, 1.0, torque=torque, step=0.01)
    assert traj.interrupted
    assert 0.25 < traj.t[-1] <= 0.3
    assert traj.steps == len(traj.t) - 1
    assert "interrupted" in repr(traj)


def test_a_keyboard_interrupt_in_an_action_returns_what_there_is():
    mech, state = ball()

    def action(mech, state):
        raise KeyboardInterrupt

    traj = rg.simulate(mech, state, 1.0, events=rg.at_time(0.5, action))
    assert traj.interrupted
    assert traj.t[-1] == 0.5
    assert len(traj.segments) == 1


@pytest.fixture
def _control_c():
    """Signals as they come to a program in the foreground; one that was started in the background may ignore them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@pytest.mark.usefixtures("_control_c")
@pytest.mark.skipif(os.name == "nt", reason="signals come otherwise on Windows")
@pytest.mark.parametrize("torque", [None, lambda t, mech, state: np.zeros(12)])
def test_control_c_ends_a_long_run_soon_and_keeps_it(torque, capfd):
    """With a Python torque the signal mostly arrives on the way into it."""
    mech, state = arm()
    rg.simulate(mech, state, 0.01, torque=torque)
    for _ in range(3):
        timer = interrupt_after(0.25)
        began = time.perf_counter()
        try:
            traj = rg.simulate(mech, state, 1e5, torque=torque, integrator="rk4", step=1e-4, every=1000)
        finally:
            took = time.perf_counter() - began
            timer.join()
        assert traj.interrupted
        assert took < 2.0
        assert traj.steps > 100
    assert "ignored" not in capfd.readouterr().err


@pytest.mark.parametrize("where", ["torque", "wrenches", "guard"])
@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_an_interruption_on_the_way_into_a_function_leaves_no_step_without_it(where, coordinates):
    """What is kept is exact up to the end: no step was made of what the function would have said before it was reached."""
    mech, state = ball()
    lift, called = 3.0 + G, 0

    def interrupt(frame, what, _argument):
        nonlocal called
        if what == "call" and frame.f_code.co_name == "called" and frame.f_code.co_filename.endswith("callbacks.py"):
            called += 1
            if called == 101:
                raise KeyboardInterrupt

    def guard(t, mech, state):
        return state.q[0] - 0.1

    given = {
        "torque": {"torque": lambda t, mech, state: np.array([lift])},
        "wrenches": {"wrenches": lambda t, mech, state: {next(iter(mech.bodies)): [0, 0, 0, 0, 0, lift]}},
        "guard": {"torque": [lift], "events": rg.Event("e", guard, rg.STOP, already="wait")},
    }[where]
    sys.setprofile(interrupt)
    try:
        traj = rg.simulate(mech, state, 1.0, integrator="rk4", step=1e-4, coordinates=coordinates, **given)
    finally:
        sys.setprofile(None)
    assert traj.interrupted
    assert 0 < traj.steps < 1000
    q, v = traj.joint("fall").q, traj.joint("fall").v
    assert_allclose(v, 3.0 * traj.t, rtol=1e-9, atol=1e-12)
    assert_allclose(q, 1.5 * traj.t**2, rtol=1e-9, atol=1e-12)


# --- arguments --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"duration": -1.0}, "duration must not be negative"),
        ({"duration": NAN}, "duration"),
        ({"duration": float("inf")}, "duration"),
        ({"duration": "long"}, "duration"),
        ({"start": NAN}, "start"),
        ({"integrator": "rk45"}, "integrator must be one of 'euler', 'rk4', 'dopri5', 'dop853', 'hakenberg', not 'rk45'"),
        ({"integrator": "rk4"}, "fixed step: give it"),
        ({"integrator": "euler"}, "fixed step: give it"),
        ({"step": 0.0}, "step must be positive"),
        ({"step": -1.0}, "step must be positive"),
        ({"step": NAN}, "step"),
        ({"every": 0}, "every must be a whole number"),
        ({"every": 1.5}, "every must be a whole number"),
        ({"every": True}, "every must be a whole number"),
        ({"coordinates": "polar"}, 'coordinates must be "reduced"'),
        ({"rtol": 0.0, "atol": 0.0}, "rtol and atol"),
        ({"rtol": -1e-3}, "rtol and atol"),
        ({"atol": NAN}, "atol"),
        ({"torque": 3.0}, "torque must be a function"),
        ({"wrenches": 3.0}, "wrenches must be a function"),
        ({"wrenches": {"cube": np.zeros(6)}}, "no body 'cube'"),
        ({"events": "strike"}, "events must be Event objects"),
        ({"events": 3}, "events must be an Event"),
        ({"events": [rg.at_time(1.0), None]}, "events must be Event objects"),
        ({"events": [rg.at_time(1.0), rg.at_time(1.0)]}, "different names.*'t = 1'"),
        ({"events": rg.when_frame_below("toe", 0.0)}, "no frame or body 'toe'"),
        ({"events": rg.when_frame_below("world", 0.0)}, "does not move"),
        ({"events": rg.when_joint("shoulder", 0.0)}, "more than one position"),
        ({"events": rg.when_joint("kneee", 0.0)}, r"'kneee at 0': there is no joint 'kneee'; .*'elbow'.*missing=\"wait\""),
        ({"max_steps": 0}, "max_steps must be a whole number"),
        ({"max_steps": 1.5}, "max_steps must be a whole number"),
        ({"max_steps": 10**30}, "max_steps must be a whole number"),
        ({"every": 10**30}, "every must be a whole number"),
        ({"integrator": ["rk4"]}, "integrator must be one of"),
        ({"integrator": "rk4", "step": 1e-300}, r"steps of 1e-300 s make 1e\+300 of them in 1 s.*max_steps"),
        ({"step": 1e-300}, r"steps of 1e-300 s make 1e\+300 of them in 1 s.*max_steps"),
        ({"state": ball()[1]}, "another structure"),
        ({"state": None}, "give a State"),
    ],
)
def test_bad_arguments(options, match):
    mech, state = arm()
    with pytest.raises(rg.ModelError, match=match):
        rg.simulate(mech, **{"state": state, "duration": 1.0, **options})


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: rg.Event("", lambda mech, state: 1.0), "not empty"),
        (lambda: rg.Event("\x1b[2J", lambda mech, state: 1.0), r"cannot be '\\x1b\[2J'.*cannot be shown"),
        (lambda: rg.Event("two\nlines", lambda mech, state: 1.0), "cannot be shown"),
        (lambda: rg.Event("e", lambda mech: 1.0), r"guard must take \(mech, state\) or \(t, mech, state\), not \(mech\)"),
        (lambda: rg.Event("e", lambda t, mech, state, more: 1.0), "guard must take"),
        (lambda: rg.Event("e", lambda mech, state, *, more: 1.0), "guard must take"),
        (lambda: rg.at_time(0.0, lambda: None), r"action must take \(mech, state\)"),
        (lambda: rg.at_time(0.0, rg.PASS), "action must be a function, STOP or None, not PASS"),
        (lambda: rg.when_joint("x", 0.0, missing="later"), 'missing must be "error" or "wait"'),
        (lambda: rg.when_joint(3, 0.0), "joint must be a name"),
        (lambda: rg.when_frame_below(["toe"], 0.0), "frame must be a name"),
        (lambda: rg.Event("e", 3.0), "guard must be a function"),
        (lambda: rg.Event("e", lambda mech, state: 1.0, direction=2), "direction must be"),
        (lambda: rg.Event("e", lambda mech, state: 1.0, action="stop"), "action must be"),
        (lambda: rg.at_time(NAN), "time"),
        (lambda: rg.when_joint("x", NAN), "value"),
        (lambda: rg.when_frame_below("x", 0.0, slope=NAN), "slope"),
    ],
)
def test_bad_events(make, match):
    with pytest.raises(rg.ModelError, match=match):
        make()


def test_other_solvers_get_no_loops():
    mech, _ = pendulum()
    mech.add_joint("loop", rg.Free(), "world", "bob")
    with pytest.raises(rg.StructureError, match="'loop'"):
        rg.as_ivp(mech)
