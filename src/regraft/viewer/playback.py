"""A trajectory that is played: what time it is, how fast it goes, and what happened when."""

from __future__ import annotations

import bisect
import threading
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..show.room import Room, room_around
from ..show.solids import poses_of, solids_of
from ..simulate import Trajectory
from .forces import ForceHistory
from .session import FRAME
from .tree import told_change, tree_of

Array = NDArray[np.float64]

_LOOKED_AT = 60  # moments at which the room of a motion is measured
THINNED = 600
"""So many points the curves of a plot have at most, beside those at events."""


class Happened(NamedTuple):
    """An event of a trajectory."""

    t: float
    name: str
    change: str
    """What it did to the tree, in words; empty where that is nothing."""


class Playback:
    """A trajectory and where it is being looked at; every method may be called from any thread."""

    def __init__(self, traj: Trajectory) -> None:
        self.traj = traj
        times = traj.t
        self.start, self.end = float(times[0]), float(times[-1])
        self.t, self.speed = self.start, 1.0
        self.running, self.repeats = False, True
        self.lock = threading.RLock()
        self.version = 0
        """Grows with every jump to another time."""
        self.events = _events(traj)

    @property
    def duration(self) -> float:
        """In seconds."""
        return self.end - self.start

    def at(self, t: float) -> tuple[Mechanism, State]:
        """Mechanism and state at a time."""
        return self.traj.mechanism(t), self.traj.state(t)

    @cached_property
    def has_mass(self) -> bool:
        """Whether its bodies have masses, as those of a mere recording do not."""
        return any(body.inertia.mass > 0.0 for segment in self.traj.segments for body in segment.mech.bodies.values())

    @property
    def mech(self) -> Mechanism:
        """The mechanism at the time that is shown."""
        return self.traj.mechanism(self.t)

    @property
    def state(self) -> State:
        """Its state."""
        return self.traj.state(self.t)

    # --- time ----------------------------------------------------------------------------------------------------------

    def advance(self, dt: float) -> None:
        """Go on by a time; from the end to the start, or stop there."""
        with self.lock:
            t = self.t + dt
            if t >= self.end and self.t < self.end:
                t = self.end  # the last moment is seen
            elif t > self.end:
                t, self.running = (self.start, self.running) if self.repeats else (self.end, False)
            self.t = t

    def seek(self, t: float) -> None:
        """Go to a time."""
        with self.lock:
            self.t = float(min(max(t, self.start), self.end))
            self.version += 1

    def step(self, frames: int) -> None:
        """Pause, and go so many frames on or back."""
        with self.lock:
            self.running = False
            self.seek(self.t + frames * FRAME)

    def to_event(self, way: int) -> None:
        """Pause, and go to the next event, or the one before."""
        with self.lock:
            self.running = False
            times = [one.t for one in self.events]
            if way > 0:
                k = bisect.bisect_right(times, self.t)
                self.seek(times[k] if k < len(times) else self.end)
            else:
                k = bisect.bisect_left(times, self.t) - 1
                self.seek(times[k] if k >= 0 else self.start)

    @property
    def latest(self) -> Happened | None:
        """The last event up to the time that is shown."""
        k = bisect.bisect_right([one.t for one in self.events], self.t)
        return self.events[k - 1] if k else None

    # --- all of it -----------------------------------------------------------------------------------------------------

    @cached_property
    def room(self) -> Room:
        """Around the whole motion."""
        points = []
        mech, state = self.at(self.start)
        solids = solids_of(mech, state)
        corners = {piece.body: _corners(piece.vertices) for piece in solids.pieces if not piece.is_ground}
        per_segment = max(2, _LOOKED_AT // len(self.traj.segments))
        for segment in self.traj.segments[:: max(1, len(self.traj.segments) // _LOOKED_AT)]:
            rows = segment.seen[:: max(1, len(segment.seen) // per_segment)]
            for body, poses in poses_of(segment.mech, rows).items():
                inside = corners.get(body, np.zeros((1, 3)))
                placed = np.einsum("nij,kj->nki", poses[:, :9].reshape(-1, 3, 3), inside) + poses[:, None, 9:]
                points.append(placed.reshape(-1, 3))
        points += [corners["world"]] if "world" in corners else []
        return room_around(mech, np.concatenate(points) if points else np.zeros((1, 3)))

    @cached_property
    def thinned(self) -> Trajectory:
        """The trajectory with few samples: for curves and forces."""
        if len(self.traj.t) <= THINNED or self.duration <= 0.0:
            return self.traj
        return self.traj.resample(np.linspace(self.start, self.end, THINNED))

    @cached_property
    def forces(self) -> ForceHistory:
        """The forces at the samples of `thinned`; a ModelError where they are not known."""
        return ForceHistory(self.thinned)

    def sample(self, t: float) -> int:
        """The sample of `thinned` that is nearest to a time; of two at an event the later one."""
        times = self.thinned.t
        k = int(np.searchsorted(times, t, side="right")) - 1
        if k + 1 < len(times) and times[k + 1] - t < t - times[k]:
            k += 1
        return max(k, 0)


def _events(traj: Trajectory) -> list[Happened]:
    """All events, with what those that end a segment did to the tree."""
    changes: dict[float, str] = {}
    for before, after in zip(traj.segments[:-1], traj.segments[1:], strict=True):
        if before.mech is not after.mech:
            changes[float(after.t[0])] = told_change(tree_of(before.mech), tree_of(after.mech))
    found = []
    for t, name in traj.events:
        found.append(Happened(float(t), name, changes.pop(float(t), "")))
    return found


def _corners(points: Array) -> Array:
    """(8, 3): of the box around points."""
    low, high = points.min(axis=0), points.max(axis=0)
    return np.array([[(low, high)[(k >> axis) & 1][axis] for axis in range(3)] for k in range(8)])
