"""`simulate_batch`: thousands of motions of one mechanism at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...algebra.scalars import LANES
from ...describe.mechanism import Mechanism, a_mechanism
from ..callbacks import lost_exceptions_kept
from ..settings import Options, method_of, settings_of
from .arguments import clock_of, drive_of, not_finite, on_manifold, states_of, stopping_events, workers_of
from .lanes import ABSENT
from .measures import Measures
from .one_by_one import OneByOne
from .packs import PackWorker, Shared, fit_for_packs
from .result import Batch
from .task import Outcome, Task
from .variants import Variants
from .workers import chunks_of, run_all


def simulate_batch(
    mech: Mechanism,
    q: Any,
    v: Any = None,
    duration: float | None = None,
    step: float | None = None,
    integrator: str = "rk4",
    torque: Any = None,
    every: float | str | None = None,
    threads: int | None = None,
    *,
    events: Any = (),
    measure: Any = None,
    inertia: Any = None,
    mass: Any = None,
    damping: Any = None,
    gravity: Any = None,
    rtol: float = 1e-9,
    atol: float = 1e-10,
    coordinates: str = "reduced",
    start: float = 0.0,
    progress: bool | None = None,
) -> Batch:
    """Many motions of one mechanism, each from a state of its own.

    Trees in fixed steps are computed in packs, several states in the lanes of one register, and on all cores. Each motion is the
    one that `simulate` computes with the same step, but for the rounding of packs. Everything else runs `simulate`'s own loop
    for one state after the other, in several threads: closed chains, maximal coordinates, joints with dry friction, and methods
    that choose their steps.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q : (states, nq) array_like, or sequence of State
        Positions, one state a row; or states, and then there is no `v`: ``simulate_batch(mech, states, duration, ...)``.
    v : (states, nv) array_like, optional
        Velocities; by default at rest.
    duration : float
        How long, in seconds.
    step : float, optional
        The size of a fixed step, or the largest step of "dopri5" and "dop853", in seconds.
    integrator : {"rk4", "euler", "dopri5", "dop853", "hakenberg"}, optional
        As for `simulate`.
    torque : array_like, Numba function, law or controls, optional
        (nv,) for all states, or (states, nv); over time (intervals, nv) or (states, intervals, nv), each held over an equal part
        of the duration, so that the number of fixed steps must be a multiple of the intervals. One axis may be 1. Or a Numba
        function ``torque(t, q, v, out)``, a `law` with such a function, `controls` of actuators, constants by joint name.
    every : int, float or "end", optional
        A sample each so many fixed steps (int), or each so many seconds (float); with "end" nothing else is kept. By default
        each fixed step, or start and end where steps are chosen. The end is always a sample.
    threads : int, optional
        By default the number of cores.
    events : Event or iterable of Event, optional
        Events that stop a motion, with the action STOP: `when_frame_below`, `when_joint`, or a compiled guard. They are found
        as `simulate` finds them.
    measure : mapping of str to Measure, optional
        What to measure along each motion, by a name of yours, at its start and after each step.
    inertia : mapping of str to sequence of Inertia, optional
        For bodies that differ from state to state: an inertia for each.
    mass : mapping of str to (states,) array_like, optional
        Masses of bodies, whose shape stays: the moments of inertia grow with the mass.
    damping : mapping of str to (states,) or (states, nv of the joint) array_like, optional
        Damping of joints.
    gravity : (states, 3) array_like, optional
        The acceleration of free fall.
    rtol, atol : float, optional
        Relative and absolute error of "dopri5" and "dop853".
    coordinates : {"reduced", "maximal"}, optional
        As for `simulate`.
    start : float, optional
        The time at the start.
    progress : bool, optional
        Whether a bar says how far it is, after a second; by default it does in a terminal.

    Returns
    -------
    Batch
        A motion that cannot go on, also from a state with NaN, ends there and is in its `failed`; all others go on. Ctrl-C ends
        the batch and returns what there is until then.

    Raises
    ------
    ModelError
        If an argument does not fit.

    Examples
    --------
    >>> import numpy as np, regraft as rg
    >>> mech, state = rg.models.pendulum().start
    >>> q = np.linspace(-1.0, 1.0, 1000)[:, None]
    >>> found = rg.simulate_batch(mech, q, None, 2.0, step=1e-2, every=10)
    >>> found.t.shape, found.q.shape, found.failed
    ((21,), (1000, 21, 1), {})
    """
    positions, velocities, span = states_of(a_mechanism("simulate_batch", mech), q, v, duration)
    method = method_of(integrator)
    options: dict[str, Any] = {"rtol": rtol, "atol": atol, "step": step, "coordinates": coordinates}
    settings = settings_of(method, mech, Options(**options))
    clock = clock_of(method, start, span, settings.step, every)
    task = Task(
        mech.copy(), method, options, clock,
        drive_of(torque, mech, len(positions), None if method.adaptive else clock.steps),
        stopping_events(events, mech), Variants(mech, len(positions), inertia, mass, damping, gravity), Measures(measure, mech),
        on_manifold(mech, positions), velocities,
    )  # fmt: skip
    return compute(task, threads, progress)


def compute(task: Task, threads: int | None, progress: bool | None) -> Batch:
    """All motions of a task."""
    outcome, clock = Outcome.of(task), task.clock
    outcome.failed.update(not_finite(task.q, task.v))
    outcome.fate[list(outcome.failed)] = ABSENT
    single = OneByOne(task, outcome)
    interrupted = False
    if task.count:
        packed = fit_for_packs(task)
        group = LANES if packed else 1
        workers = workers_of(threads, -(-task.count // group))
        if packed:
            shared = Shared(task, outcome)
            packs = [PackWorker(task, outcome, shared, single) for _ in range(workers)]
            packs[0].run(0, 0)  # so that kernels are compiled here, before there are threads
            steps = max(1, clock.steps) * -(-task.count // LANES)
            runs: list[Callable[[int, int], None]] = [worker.run for worker in packs]
            callbacks = [callback for worker in packs for callback in worker.callbacks]
            share = lambda: sum(worker.course.done for worker in packs) / steps  # noqa: E731
        else:
            runs, callbacks = [_rest_of(single, outcome)] * workers, []
            share = lambda: float((outcome.fate != 0).mean())  # noqa: E731
        with lost_exceptions_kept(callbacks):
            interrupted = run_all(runs, chunks_of(task.count, workers, group), outcome.stop, share, progress)
    return _result(task, outcome, interrupted)


def _rest_of(single: OneByOne, outcome: Outcome) -> Callable[[int, int], None]:
    def run(first: int, end: int) -> None:
        for b in range(first, end):
            if outcome.stop[0]:
                return
            if outcome.fate[b] != ABSENT:
                single.finish(b)

    return run


def _result(task: Task, outcome: Outcome, interrupted: bool) -> Batch:
    stopped = np.full(task.count, np.nan)
    names: list[str | None] = [None] * task.count
    for b, (t, name) in outcome.stopped.items():
        stopped[b], names[b] = t, name
    measured = task.measures.results(outcome.measured, outcome.until - task.clock.start)
    return Batch(
        task.mech, task.clock.samples, outcome.q, outcome.v, dict(sorted(outcome.failed.items())), stopped, tuple(names),
        outcome.until, outcome.last_q, outcome.last_v, measured, interrupted,
    )  # fmt: skip
