"""States of a batch that are not for packs: each by `simulate`'s own loop, in several threads.

These are those of closed chains, of maximal coordinates, of joints with dry friction, and of methods that choose their steps; and
any other from where packs have handed it over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...describe.mechanism import Mechanism
from ...describe.state import State
from ...errors import RegraftError, SimulationError
from ...tolerances import SAME_TIME
from ..progress import Progress
from ..run import Run
from ..settings import Options, settings_of
from ..trajectory import Trajectory
from .lanes import FINISHED
from .task import Outcome, Task

Array = NDArray[np.float64]


class Watch(Progress):
    """Ends a run where somebody has stopped the whole batch."""

    def __init__(self, stop: Any) -> None:
        super().__init__(0.0, 0.0, False)
        self._stop = stop

    def update(self, t: float) -> None:  # noqa: ARG002
        """The run has come to a time; as Ctrl-C in `simulate` where it shall stop."""
        if self._stop[0]:
            raise KeyboardInterrupt


class OneByOne:
    """Motions of single states."""

    def __init__(self, task: Task, outcome: Outcome) -> None:
        self.task, self.outcome = task, outcome
        self._warned: set[str] = set()
        """The events that were warned of, in whichever motion."""

    def finish(self, b: int) -> None:
        """Let one state go on from where it is to its end, an event, or where it cannot go on."""
        task, outcome = self.task, self.outcome
        begun = int(outcome.steps[b])
        state = State(task.mech.layout, np.concatenate((outcome.last_q[b], outcome.last_v[b])))
        first = not begun
        try:
            mech = task.variants.mechanism(b)
            for start, end, row in self._intervals(begun):
                traj = self._run(b, mech, state, (start, end), row)
                self._keep(b, traj, begun == 0 and start == task.clock.start, first)
                if b in outcome.failed or b in outcome.stopped or traj.interrupted:
                    break
                state, first = traj.final[1], False
            else:
                outcome.fate[b] = FINISHED
        except RegraftError as problem:
            outcome.failed[b] = str(problem)

    def _intervals(self, begun: int) -> Iterator[tuple[float, float, int]]:
        """Start, end and number of each interval of torques that is left after so many fixed steps."""
        clock, rows = self.task.clock, max(self.task.drive.rows, 1)
        if self.task.method.adaptive:
            bounds: Any = clock.start + (clock.end - clock.start) * np.arange(rows + 1) / rows
            bounds[-1] = clock.end
        else:
            bounds = clock.times[np.arange(rows + 1) * clock.steps // rows]
        now = clock.times[begun] if begun else clock.start
        for row in range(rows):
            if bounds[row + 1] > now or row + 1 == rows:
                yield max(float(bounds[row]), now), float(bounds[row + 1]), row

    def _run(self, b: int, mech: Mechanism, state: State, times: tuple[float, float], row: int) -> Trajectory:
        """The motion from one time to another; where it fails, up to there."""
        task = self.task
        settings = settings_of(task.method, mech, Options(torque=task.drive.of_state(b, row), **task.options))
        run = Run(task.method, settings, task.events, *times, False)
        run.warned = self._warned
        try:
            traj = run.from_state(mech.copy(), state, Watch(self.outcome.stop))
        except SimulationError as problem:
            self.outcome.failed[b] = problem.reason
            reached: Trajectory = problem.trajectory
            return reached
        if traj.events:
            self.outcome.stopped[b] = float(traj.events[-1].t), traj.events[-1].name
        return traj

    def _keep(self, b: int, traj: Trajectory, with_start: bool, first: bool) -> None:
        """Keep samples, the end, and what is measured."""
        outcome, wanted, t = self.outcome, self.task.clock.samples, traj.t
        if not len(t):
            return
        slack = SAME_TIME * max(1.0, abs(float(t[-1])))
        new = (wanted >= t[0] - slack) if with_start else (wanted > t[0] + slack)
        rows = np.flatnonzero(new & (wanted <= t[-1] + slack))
        if rows.size:
            x = _states_at(traj, wanted[rows], slack)
            outcome.q[b, rows], outcome.v[b, rows] = np.split(x, [self.task.mech.nq], axis=1)
        last = traj.final[1]
        outcome.last_q[b], outcome.last_v[b], outcome.until[b] = last.q, last.v, t[-1]
        self.task.measures.add(outcome.measured[b], traj, first)


def _states_at(traj: Trajectory, wanted: Array, slack: float) -> Array:
    """(times, nq + nv): the samples at these times where there are such, else by dense output."""
    t, x = traj.t, np.concatenate([segment.seen for segment in traj.segments])
    near = np.clip(np.searchsorted(t, wanted - slack), 0, len(t) - 1)
    found = x[near].copy()
    between = np.abs(t[near] - wanted) > slack
    at = np.searchsorted([segment.t[0] for segment in traj.segments[1:]], wanted, side="right")
    for number, segment in enumerate(traj.segments):
        rows = np.flatnonzero(between & (at == number))
        if segment.bodies is None:
            found[rows] = segment.states(wanted[rows])
        else:  # angles are counted on from the sample before
            for i in rows.tolist():
                found[i] = segment.state(float(wanted[i]))._x
    return found
