"""How much is kept: every n-th step, across events, in bounded memory; progress; threads."""

import threading
import time
import tracemalloc

import numpy as np
import pytest

import regraft as rg
from simple_mechanisms import arm, ball, chain, slider


@pytest.mark.parametrize(
    "options", [{"integrator": "rk4", "step": 1e-3}, {"integrator": "dopri5", "step": 2e-3}, {"integrator": "dop853"}]
)
@pytest.mark.parametrize("every", [1, 7, 50, 10_000])
def test_every_keeps_each_so_many_steps_and_the_ends_of_segments(options, every):
    mech, state = slider()
    events = [
        rg.when_joint("x", 0.0, lambda mech, state: (mech, mech.state(q=state.q, v=-state.v)), name="back"),
        rg.at_time(0.4),
    ]
    full = rg.simulate(mech, state, 1.0, events=events, **options)
    thin = rg.simulate(mech, state, 1.0, events=events, every=every, **options)
    assert thin.events == full.events
    assert thin.steps == full.steps
    assert len(full.segments) == len(thin.segments) > 1
    for a, b in zip(full.segments, thin.segments, strict=True):
        kept = np.unique([*range(0, len(a.t) - 1, every), len(a.t) - 1])
        assert np.array_equal(b.t, a.t[kept])
        assert np.array_equal(b.x, a.x[kept])
        assert b.terms is None


@pytest.mark.parametrize(("integrator", "numbers"), [("rk4", 7), ("dopri5", 9), ("dop853", 15)])
def test_the_record_grows_by_the_bytes_that_are_documented(integrator, numbers):
    mech, state = chain(10)
    traj = rg.simulate(mech, state, 1.0, integrator=integrator, step=1e-3)
    segment = traj.segments[0]
    size = sum(getattr(segment, name).nbytes for name in ("t", "x", "terms", "sizes"))
    per_step = 8 * (2 + mech.nq + numbers * mech.nv)
    assert integrator != "dopri5" or per_step == 816
    assert abs(size - traj.steps * per_step) < per_step


def test_a_million_steps_fit_into_little_memory():
    mech, state = chain(10)
    rg.simulate(mech, state, 0.01, integrator="euler", step=1e-3, every=10)
    tracemalloc.start()
    try:
        traj = rg.simulate(mech, state, 100.0, integrator="euler", step=1e-4, every=1000)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert traj.steps == 1_000_000
    assert len(traj.t) == 1001
    assert traj.segments[0].x.nbytes + traj.segments[0].t.nbytes == 8 * 21 * 1001
    assert held < 400_000
    assert peak < 3_000_000  # the buffer of a megabyte, and what it holds when it is handed over


def test_dense_output_of_many_steps_needs_little_more_than_itself():
    mech, state = ball()
    rg.simulate(mech, state, 0.01)
    tracemalloc.start()
    try:
        traj = rg.simulate(mech, state, 100.0, integrator="rk4", step=1e-3)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2.5 * traj.steps * 8 * (2 + 1 + 9) + 2_000_000


# --- progress -----------------------------------------------------------------------------------------------------------------


def slow(t, mech, state):
    time.sleep(0.003)
    return np.zeros(1)


@pytest.mark.parametrize(("progress", "shown"), [(None, False), (False, False), (True, True)])
def test_progress_is_shown_after_a_second_where_somebody_looks(progress, shown, capfd):
    mech, state = ball()
    rg.simulate(mech, state, 1.0, torque=slow, integrator="euler", step=1.0 / 500, progress=progress)
    written = capfd.readouterr()
    assert written.out == ""
    assert ("simulating" in written.err) == shown


def test_short_runs_show_nothing(capfd):
    mech, state = ball()
    rg.simulate(mech, state, 1.0, progress=True)
    assert capfd.readouterr().err == ""


# --- threads ------------------------------------------------------------------------------------------------------------------


def test_other_threads_work_while_a_simulation_runs():
    """Compiled stretches give up the interpreter's lock: a counter in another thread goes on, not only ten times a second."""
    mech, state = chain(10)
    ticks, running = [], threading.Event()
    running.set()

    def count():
        while running.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    rg.simulate(mech, state, 0.01, integrator="rk4", step=1e-3)
    other = threading.Thread(target=count)
    other.start()
    began = time.perf_counter()
    rg.simulate(mech, state, 20.0, integrator="rk4", step=1e-4, every=10_000)
    ended = time.perf_counter()
    running.clear()
    other.join()
    within = [t for t in ticks if began < t < ended]
    assert len(within) > 10
    assert len(within) > 50 * (ended - began)


def test_simulations_in_threads_give_what_they_give_one_after_the_other():
    mech, state = arm()
    starts = [mech.state(q=state.q, v=0.2 * (k + 1) * state.v) for k in range(8)]

    def torque(t, mech, state):
        return -0.1 * state.v

    def run(k):
        event = rg.at_time(0.2, lambda mech, state: rg.reroot(mech, state, "hand"))
        return rg.simulate(mech, starts[k], 0.4, torque=torque if k % 2 else None, events=event)

    alone = [run(k) for k in range(8)]
    found = [None] * 8

    def work(k):
        found[k] = run(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, b in zip(alone, found, strict=True):
        assert np.array_equal(a.t, b.t)
        assert all(np.array_equal(x.x, y.x) for x, y in zip(a.segments, b.segments, strict=True))
