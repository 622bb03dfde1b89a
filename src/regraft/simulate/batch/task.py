"""What is to be computed in a batch, and what has come out of it: shared by all threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...describe.mechanism import Mechanism
from ...describe.state import State
from ...errors import ModelError
from ..events import Event
from ..integrators import Integrator
from .arguments import Clock, Drive
from .lanes import RUNNING
from .measures import Measures
from .variants import Variants

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """What is to be computed."""

    mech: Mechanism
    method: Integrator
    options: dict[str, Any]
    """Of `settings.Options`: tolerances, the step, coordinates."""
    clock: Clock
    drive: Drive
    events: tuple[Event, ...]
    variants: Variants
    measures: Measures
    q: Array
    v: Array

    @property
    def count(self) -> int:
        """How many states there are."""
        return len(self.q)

    def state(self, b: int) -> State:
        """The state with the number b at its start."""
        return State(self.mech.layout, np.concatenate((self.q[b], self.v[b])))


@dataclass(frozen=True)
class Outcome:
    """What has come out; each thread writes to the rows of its own states."""

    q: Array
    """(states, samples, nq)."""
    v: Array
    """(states, samples, nv)."""
    last_q: Array
    """(states, nq): the states that were reached."""
    last_v: Array
    """(states, nv)."""
    until: Array
    """(states,): when that is."""
    fate: Integers
    """(states,): RUNNING, or what has become of it, see `lanes`."""
    steps: Integers
    """(states,): fixed steps that were taken in packs."""
    measured: Array
    """(states, 2 · measures): see `lane_measures`."""
    stop: Integers
    """(1,): 1 where all shall stop."""
    stopped: dict[int, tuple[float, str]] = field(default_factory=dict)
    """The states that an event has stopped: when, and which."""
    failed: dict[int, str] = field(default_factory=dict)
    """The states that could not go on, and why."""

    @classmethod
    def of(cls, task: Task) -> Outcome:
        """For a task, before anything is computed."""
        count, samples, nq, nv = task.count, len(task.clock.samples), task.mech.nq, task.mech.nv
        try:
            q, v = np.full((count, samples, nq), np.nan), np.full((count, samples, nv), np.nan)
        except MemoryError:
            size = 8 * count * samples * (nq + nv) / 2**30
            raise ModelError(
                f"{samples} samples of {count} motions take {size:.1f} GiB, more than there is. Keep fewer of them with every=, "
                'only the end with every="end", or measure what you need with measure=.'
            ) from None
        return cls(
            q, v, task.q.copy(), task.v.copy(), np.full(count, task.clock.start), np.full(count, RUNNING, np.int64),
            np.zeros(count, np.int64), np.full((count, 2 * len(task.measures)), np.nan), np.zeros(1, np.int64),
        )  # fmt: skip
