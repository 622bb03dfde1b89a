"""What a simulation computed: segments, each with its own structure, behind one surface."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ModelError, listed
from ..kernels import entries
from ..mechanism import Mechanism
from ..motion import difference, integrate
from ..parts import WORLD
from ..pose import MOTION, POSE, Pose
from ..state import State

Array = NDArray[np.float64]


class EventRecord(NamedTuple):
    """An event that happened."""

    t: float
    name: str


class JointHistory(NamedTuple):
    """A joint over time; NaN while the joint is not there."""

    t: Array
    q: Array
    v: Array


class BodyHistory(NamedTuple):
    """A body's, or a frame's, motion over time, in world axes."""

    t: Array
    position: Array
    rotation: Array
    velocity: Array
    angular_velocity: Array


class EnergyHistory(NamedTuple):
    """Energies over time."""

    t: Array
    kinetic: Array
    potential: Array

    @property
    def total(self) -> Array:
        """Kinetic and potential energy together."""
        return self.kinetic + self.potential


class MomentumHistory(NamedTuple):
    """Momentum over time; the angular one is about the world's origin."""

    t: Array
    angular: Array
    linear: Array


@dataclass(frozen=True)
class Segment:
    """The motion of one structure: samples, and between them the dense output of the integrator if it was kept."""

    mech: Mechanism
    t: Array
    """(samples,): the times of the samples, the end of the segment included."""
    x: Array
    """(samples, nq + nv): positions and velocities."""
    terms: Array | None = field(default=None, repr=False)
    """(samples − 1, 8 nv): the terms of the dense output of each step; None where only samples were kept."""
    sizes: Array | None = field(default=None, repr=False)
    """(samples − 1,): the sizes of the steps."""
    event: str | None = None
    """The name of the event that ended it."""

    @classmethod
    def from_rows(cls, mech: Mechanism, rows: Array, dense: bool, t: float, state: State, event: str | None) -> Segment:
        """From the rows that the compiled loop wrote and the state that it reached."""
        size = mech.nq + mech.nv
        first = 2 if dense else 1
        times, states = np.append(rows[:, 0], t), np.concatenate((rows[:, first : first + size], state._x[None]))
        if not dense:
            return cls(mech, times, states, event=event)
        return cls(mech, times, states, rows[:, first + size :], rows[:, 1], event)

    @property
    def q(self) -> Array:
        """(samples, nq)."""
        return self.x[:, : self.mech.nq]

    @property
    def v(self) -> Array:
        """(samples, nv)."""
        return self.x[:, self.mech.nq :]

    def state(self, t: float) -> State:
        """The state at a time: by dense output, or by a cubic between two samples."""
        i = int(np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.t) - 1))
        if t <= self.t[i] or i == len(self.t) - 1:
            return State(self.mech.layout, self.x[i].copy())
        q, v = self._within(i, t)
        return State(self.mech.layout, np.concatenate((q, v)))

    def states(self, times: Array) -> Array:
        """(times, nq + nv): the states at several times."""
        return np.array([self.state(float(t))._x for t in times]).reshape(len(times), -1)

    def _within(self, i: int, t: float) -> tuple[Array, Array]:
        mech, nq = self.mech, self.mech.nq
        q0, v0 = self.x[i, :nq], self.x[i, nq:]
        if self.terms is None or self.sizes is None:
            return self._between(i, t)
        theta = (t - self.t[i]) / self.sizes[i]
        r = self.terms[i].reshape(2, 4, -1)
        step = theta * (r[:, 0] + (1 - theta) * (r[:, 1] + theta * (r[:, 2] + (1 - theta) * r[:, 3])))
        return integrate(mech, q0, step[0]), v0 + step[1]

    def _between(self, i: int, t: float) -> tuple[Array, Array]:
        mech, nq = self.mech, self.mech.nq
        h = self.t[i + 1] - self.t[i]
        theta = (t - self.t[i]) / h
        (q0, v0), (q1, v1) = ((x[:nq], x[nq:]) for x in (self.x[i], self.x[i + 1]))
        step = difference(mech, q1, q0)
        u = theta * (step + (1 - theta) * ((h * v0 - step) + theta * (2 * step - h * (v0 + v1))))
        return integrate(mech, q0, u), v0 + theta * (v1 - v0)


class Trajectory:
    """Everything that a simulation computed, across changes of structure.

    At the time of an event `traj.t` has two samples, the one before and the one after it; `traj.state(t)` gives the later one.
    """

    def __init__(self, segments: Iterable[Segment], events: Iterable[EventRecord], steps: int = 0, rejected: int = 0) -> None:
        self.segments = tuple(segments)
        """The motion from one event that changed something to the next."""
        self.events = list(events)
        """(t, name) of all events, in the order in which they happened."""
        self.steps, self.rejected = steps, rejected
        """How many steps were taken, and tried in vain."""
        self.interrupted = False
        """Whether Ctrl-C ended it."""

    # --- by time -------------------------------------------------------------------------------------------------------

    @property
    def t(self) -> Array:
        """The times of all samples."""
        return np.concatenate([segment.t for segment in self.segments])

    def state(self, t: float) -> State:
        """The state at a time."""
        return self._at(t).state(float(t))

    def mechanism(self, t: float) -> Mechanism:
        """The mechanism at a time."""
        return self._at(t).mech

    @property
    def final(self) -> tuple[Mechanism, State]:
        """Mechanism and state at the end."""
        last = self.segments[-1]
        return last.mech, State(last.mech.layout, last.x[-1].copy())

    def _at(self, t: float) -> Segment:
        start, end = self.segments[0].t[0], self.segments[-1].t[-1]
        slack = 1e-12 * (1.0 + abs(end))
        if not start - slack <= t <= end + slack:
            raise ModelError(f"the trajectory is from t = {start:g} to {end:g}; it has no state at t = {t:g}.")
        for segment in reversed(self.segments):
            if segment.t[0] <= t:
                return segment
        return self.segments[0]

    # --- by name -------------------------------------------------------------------------------------------------------

    def joint(self, name: str) -> JointHistory:
        """Position and velocity of a joint at all samples; NaN while the joint is not in the tree."""
        found = [segment for segment in self.segments if name in segment.mech.layout.q_slices]
        if not found:
            known = dict.fromkeys(joint for segment in self.segments for joint in segment.mech.layout.names)
            raise ModelError(f"the trajectory has no joint {name!r}; it has: {listed(known)}.")
        kind = found[0].mech.joints[name].type
        q, v = [], []
        for segment in self.segments:
            layout, count = segment.mech.layout, len(segment.t)
            if name in layout.q_slices and segment.mech.joints[name].type.nq == kind.nq:
                q.append(segment.q[:, layout.q_slices[name]])
                v.append(segment.v[:, layout.v_slices[name]])
            else:
                q.append(np.full((count, kind.nq), np.nan))
                v.append(np.full((count, kind.nv), np.nan))
        squeeze = (slice(None), 0) if kind.nq == 1 else slice(None)
        return JointHistory(self.t, np.concatenate(q)[squeeze], np.concatenate(v)[squeeze])

    def body(self, name: str) -> BodyHistory:
        """The motion of a body at all samples."""
        return self._history(name, Pose())

    def frame(self, name: str) -> BodyHistory:
        """The motion of a frame at all samples."""
        frames = self.segments[0].mech.frames
        if name not in frames:
            raise ModelError(f"the trajectory has no frame {name!r}; it has: {listed(frames)}.")
        return self._history(frames[name].body, frames[name].pose)

    def _history(self, body: str, place: Pose) -> BodyHistory:
        def one(segment: Segment) -> Array:
            tree, out = segment.mech.tree, np.empty((len(segment.t), MOTION))
            if body == WORLD:
                out[:] = np.concatenate((np.eye(3).ravel(), np.zeros(9)))
            elif body not in tree.row_of:
                raise ModelError(f"the trajectory has no body {body!r}; it has: {listed(tree.row_of)}.")
            else:
                work, states = tree.new_work(), np.ascontiguousarray(segment.x)  # a handle is good as long as its workspace lives
                entries.motion_of_many(work.handle, states, tree.far, tree.row_of[body], out)
            return out

        rows = self._each(one)
        rotation, spin = rows[:, :9].reshape(-1, 3, 3), rows[:, POSE : POSE + 3]
        arm = rotation @ place.translation
        return BodyHistory(
            self.t, rows[:, 9:POSE] + arm, rotation @ place.rotation, rows[:, POSE + 3 :] + np.cross(spin, arm), spin
        )

    def energy(self) -> EnergyHistory:
        """Kinetic and potential energy at all samples."""
        rows = self._each(_balance)
        return EnergyHistory(self.t, rows[:, 0], rows[:, 1])

    def momentum(self) -> MomentumHistory:
        """Angular momentum about the world's origin and linear momentum at all samples."""
        rows = self._each(_balance)
        return MomentumHistory(self.t, rows[:, 2:5], rows[:, 5:])

    def _each(self, one: Callable[[Segment], Array]) -> Array:
        return np.concatenate([one(segment) for segment in self.segments])

    # --- resample ------------------------------------------------------------------------------------------------------

    def resample(self, times: ArrayLike) -> Trajectory:
        """The trajectory at other times: a step in seconds, or the times themselves. Each segment keeps its two ends."""
        start, end = float(self.segments[0].t[0]), float(self.segments[-1].t[-1])
        given = np.asarray(times, float)
        wanted = np.arange(start, end + 0.5 * float(given), float(given)) if given.ndim == 0 else np.sort(given)
        segments = []
        for segment in self.segments:
            a, b = segment.t[0], segment.t[-1]
            t = np.unique(np.concatenate(([a], wanted[(wanted > a) & (wanted < b)], [b])))
            segments.append(Segment(segment.mech, t, segment.states(t), event=segment.event))
        return Trajectory(segments, self.events, self.steps, self.rejected)

    def __repr__(self) -> str:
        end = float(self.segments[-1].t[-1])
        return (
            f"Trajectory: t = {float(self.segments[0].t[0]):g} … {end:g}, {len(self.t)} samples, {self.steps} steps, "
            f"{len(self.segments)} segments, {len(self.events)} events"
        )


def _balance(segment: Segment) -> Array:
    work, out = segment.mech.tree.new_work(), np.empty((len(segment.t), 8))
    entries.balance_of_many(work.handle, np.ascontiguousarray(segment.x), out)
    return out
