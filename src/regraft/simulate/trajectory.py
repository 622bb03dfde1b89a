"""What a simulation computed: segments, each with its own structure, behind one surface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import MOTION, POSE, WORLD_MOTION, Pose, finite, representable
from ..ask.loop_measures import loop_measures
from ..atomic import path_of
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..errors import ModelError, listed
from ..kernels.energy import balance_of_many
from ..kernels.kinematics import motion_of_many
from ..tolerances import SAMPLE_APART, TIME_ROUNDING
from . import archive, tables
from .applied import reaction_histories, torque_histories, with_known_forces
from .histories import BodyHistory, EnergyHistory, EventRecord, JointHistory, LoopErrorHistory, MomentumHistory
from .invariants import Invariants, invariants
from .recorded import Segment
from .singular import SingularPosition, singular_positions

Array = NDArray[np.float64]


class Trajectory:
    """Everything that a simulation computed, across changes of structure; made by `simulate`.

    At the time of an event `traj.t` has two samples, the one before and the one after it; `traj.state(t)` gives the later one.

    Attributes
    ----------
    segments : tuple of Segment
        The motion from one event that changed something to the next, each with `mech`, `t`, `q` (samples, nq), `v` (samples, nv)
        and the name of the `event` that ended it.
    events : list of (t, name)
        All events, in the order in which they happened.
    steps, rejected : int
        How many steps were taken, and tried in vain.
    interrupted : bool
        Whether Ctrl-C ended it.
    """

    def __init__(
        self,
        segments: Iterable[Segment],
        events: Iterable[EventRecord],
        steps: int = 0,
        rejected: int = 0,
        interrupted: bool = False,
    ) -> None:
        self.segments = tuple(segments)
        """The motion from one event that changed something to the next."""
        self.events = list(events)
        """(t, name) of all events, in the order in which they happened."""
        self.steps, self.rejected = steps, rejected
        """How many steps were taken, and tried in vain."""
        self.interrupted = interrupted
        """Whether Ctrl-C ended it."""

    # --- by time -------------------------------------------------------------------------------------------------------

    @property
    def t(self) -> Array:
        """The times of all samples."""
        return np.concatenate([segment.t for segment in self.segments])

    def state(self, t: float) -> State:
        """The state at a time, from the dense output of the step there.

        Parameters
        ----------
        t : float
            In seconds.

        Returns
        -------
        State

        Raises
        ------
        ModelError
            If the trajectory does not reach there.
        """
        when = float(finite("t", t, ()))
        return self._at(when).state(when)

    def mechanism(self, t: float) -> Mechanism:
        """The mechanism at a time.

        Parameters
        ----------
        t : float
            In seconds.

        Returns
        -------
        Mechanism

        Raises
        ------
        ModelError
            If the trajectory does not reach there.
        """
        return self._at(float(finite("t", t, ()))).mech

    @property
    def final(self) -> tuple[Mechanism, State]:
        """Mechanism and state at the end."""
        last = self.segments[-1]
        return last.mech, State(last.mech.layout, last.seen[-1].copy())

    def _at(self, t: float) -> Segment:
        self._check_times(t)
        for segment in reversed(self.segments):
            if segment.t[0] <= t:
                return segment
        return self.segments[0]

    def _check_times(self, times: float | Array) -> None:
        start, end = self.segments[0].t[0], self.segments[-1].t[-1]
        slack = TIME_ROUNDING * (1.0 + abs(end))
        outside = ~((np.asarray(times) >= start - slack) & (np.asarray(times) <= end + slack))
        if outside.any():
            first = np.asarray(times)[outside].flat[0]
            raise ModelError(f"the trajectory is from t = {start:g} to {end:g}; it has no state at t = {first:g}.")

    # --- by name -------------------------------------------------------------------------------------------------------

    def joint(self, name: str) -> JointHistory:
        """Position and velocity of a joint, loop joints too, at all samples.

        Parameters
        ----------
        name : str
            The joint's name.

        Returns
        -------
        JointHistory
            (t, q, v), with NaN while the joint is not there or has another size; one column a number, or none where it has one
            only.

        Raises
        ------
        ModelError
            If there is no such joint at any time.
        """
        found = [segment for segment in self.segments if isinstance(name, str) and name in segment.mech.joints]
        if not found:
            raise ModelError(f"the trajectory has no joint {name!r}; it has: {listed(self._joint_names())}.")
        kind = found[0].mech.joints[name].type
        q, v = [], []
        for segment in self.segments:
            layout, count = segment.mech.layout, len(segment.t)
            here = segment.mech.joints[name].type if name in segment.mech.joints else None
            if here is not None and (here.nq, here.nv) == (kind.nq, kind.nv):
                positions, velocities = _loop_joint(segment, name) if name not in layout.q_slices else (
                    segment.q[:, layout.q_slices[name]], segment.v[:, layout.v_slices[name]])  # fmt: skip
                q.append(positions)
                v.append(velocities)
            else:
                q.append(np.full((count, kind.nq), np.nan))
                v.append(np.full((count, kind.nv), np.nan))
        squeeze = (slice(None), 0) if kind.nq == 1 else slice(None)
        return JointHistory(self.t, np.concatenate(q)[squeeze], np.concatenate(v)[squeeze])

    def _joint_names(self) -> Iterable[str]:
        return dict.fromkeys(joint for segment in self.segments for joint in segment.mech.joints)

    def body(self, name: str) -> BodyHistory:
        """The motion of a body at all samples.

        Parameters
        ----------
        name : str
            The body's name.

        Returns
        -------
        BodyHistory
            (t, position, rotation, velocity, angular_velocity) of its origin in world axes, with NaN while there is no such body.

        Raises
        ------
        ModelError
            If there is no such body at any time.
        """
        if name != WORLD and not self._some(lambda mech: mech.bodies, name):
            known = dict.fromkeys(body for segment in self.segments for body in segment.mech.bodies)
            raise ModelError(f"the trajectory has no body {name!r}; it has: {listed(known)}.")
        return self._history(lambda mech: (name, Pose()) if name == WORLD or name in mech.bodies else None)

    def frame(self, name: str) -> BodyHistory:
        """The motion of a frame at all samples. A body is a frame too.

        Parameters
        ----------
        name : str
            The frame's name.

        Returns
        -------
        BodyHistory
            (t, position, rotation, velocity, angular_velocity) of its origin in world axes, with NaN while there is no such
            frame.

        Raises
        ------
        ModelError
            If there is no such frame at any time.
        """
        if not self._some(lambda mech: mech.frames, name):
            if name == WORLD or self._some(lambda mech: mech.bodies, name):
                return self.body(name)
            known = dict.fromkeys(frame for segment in self.segments for frame in segment.mech.frames)
            raise ModelError(f"the trajectory has no frame {name!r}; it has: {listed(known)}.")

        def place(mech: Mechanism) -> tuple[str, Pose] | None:
            found = mech.frames.get(name)
            return None if found is None else (found.body, found.pose)

        return self._history(place)

    def _some(self, table: Callable[[Mechanism], Mapping[str, Any]], name: str) -> bool:
        """Whether one of the mechanisms has a part of this name in a table."""
        return isinstance(name, str) and any(name in table(segment.mech) for segment in self.segments)

    def _history(self, place: Callable[[Mechanism], tuple[str, Pose] | None]) -> BodyHistory:
        """The motion of a place that each mechanism has on one of its bodies, or has not."""
        position, rotation, velocity, spin = [], [], [], []
        for segment in self.segments:
            found = place(segment.mech)
            if found is None:
                rows, local = np.full((len(segment.t), MOTION), np.nan), Pose()
            else:
                rows, local = _motion(segment, found[0]), found[1]
            turned = rows[:, :9].reshape(-1, 3, 3)
            arm = turned @ local.translation
            position.append(rows[:, 9:POSE] + arm)
            rotation.append(turned @ local.rotation)
            velocity.append(rows[:, POSE + 3 :] + np.cross(rows[:, POSE : POSE + 3], arm))
            spin.append(rows[:, POSE : POSE + 3])
        return BodyHistory(self.t, *(np.concatenate(parts) for parts in (position, rotation, velocity, spin)))

    def energy(self) -> EnergyHistory:
        """Kinetic and potential energy at all samples.

        Returns
        -------
        EnergyHistory
            (t, kinetic, potential), and their sum `total`; potential energy has its zero where `regraft.energy` has it.
        """
        rows = np.concatenate([_balance(segment) for segment in self.segments])
        return EnergyHistory(self.t, rows[:, 0], rows[:, 1])

    def momentum(self) -> MomentumHistory:
        """Momentum at all samples.

        Returns
        -------
        MomentumHistory
            (t, angular, linear); the angular one is about the world's origin.
        """
        rows = np.concatenate([_balance(segment) for segment in self.segments])
        return MomentumHistory(self.t, rows[:, 2:5], rows[:, 5:])

    def center_of_mass(self) -> Array:
        """The centre of mass of all bodies at all samples.

        Returns
        -------
        (samples, 3) array
            In world axes.
        """
        return np.concatenate([_center_of_mass(segment) for segment in self.segments])

    def torques(self) -> dict[str, Array]:
        """The torques that the run applied to its joints, at all samples.

        They are what `torque` of `simulate` gave, without damping and limits. A run does not record them: its functions are
        asked again at the samples, so they must give the same answer to the same question. `save` keeps the answers.

        Returns
        -------
        dict of str to array
            By joint that can move: (samples, nv), or (samples,) where it has one velocity; NaN while it is not there.

        Raises
        ------
        ModelError
            If they are not known: after `resample` of a trajectory from a file, or if the file does not have them.

        Examples
        --------
        >>> import regraft as rg
        >>> mech, state = rg.models.pendulum().start
        >>> traj = rg.simulate(mech, state, 0.5, torque=lambda t, mech, state: [3.0 * t])
        >>> bool((traj.torques()["hinge"] == 3.0 * traj.t).all())
        True
        """
        return torque_histories(self.segments)

    def reactions(self) -> dict[str, Array]:
        """The wrenches by which parents hold their children, at all samples, as `joint_reactions` has them at a state.

        Returns
        -------
        dict of str to (samples, 6) array
            By joint, loop joints too: (moment, force) on the child in world axes, the moment about the joint's frame on it; NaN
            while the joint is not there.

        Raises
        ------
        ModelError
            If the torques of the run are not known, as in `torques`.

        Examples
        --------
        >>> import regraft as rg
        >>> mech, state = rg.models.pendulum().start
        >>> traj = rg.simulate(mech, state, 0.5)
        >>> traj.reactions()["hinge"].shape == (len(traj.t), 6)
        True
        """
        return reaction_histories(self.segments)

    def loop_error(self) -> LoopErrorHistory:
        """How far the loops are open at all samples; in maximal coordinates every joint closes a loop.

        Returns
        -------
        LoopErrorHistory
            (t, position, velocity): the largest gap of a loop joint, in metres or radians, whichever is more, and these per
            second.
        """
        rows = np.concatenate([loop_measures(segment.moved, segment.x) for segment in self.segments])
        return LoopErrorHistory(self.t, rows[:, 0], rows[:, 1])

    def invariants(self) -> Invariants:
        """How far momentum, energy and joints have drifted since the last change of structure, with a plot.

        Returns
        -------
        Invariants
        """
        rows = np.concatenate([_balance(segment) for segment in self.segments])
        return invariants(self.segments, rows[:, 0] + rows[:, 1], rows[:, 5:], rows[:, 2:5])

    def singular_positions(self) -> list[SingularPosition]:
        """The positions that closed chains passed in which their loops lose rank.

        Returns
        -------
        list of SingularPosition
            Each with `t`, the degrees of freedom `dof` there, and `usual_dof` before and after.
        """
        return [found for segment in self.segments for found in singular_positions(segment.reduced())]

    # --- other times, other forms --------------------------------------------------------------------------------------

    def resample(self, times: ArrayLike) -> Trajectory:
        """The trajectory at other times; each segment keeps its two ends.

        Parameters
        ----------
        times : float or array_like
            A step in seconds, or the times themselves.

        Returns
        -------
        Trajectory

        Raises
        ------
        ModelError
            If a time is outside the trajectory, or the step is not positive.
        """
        given = finite("resample: times", times, np.shape(times))
        if given.ndim > 1 or (given.ndim == 0 and given <= 0.0):
            raise ModelError(f"resample takes a step in seconds, which must be positive, or a list of times, not {times!r}.")
        if given.ndim == 0:
            start, end, step = float(self.segments[0].t[0]), float(self.segments[-1].t[-1]), float(given)
            wanted, close = start + step * np.arange(1, int((end - start) / step) + 1), SAMPLE_APART * step
        else:
            self._check_times(given)
            wanted, close = np.unique(given), 0.0
        segments = []
        for segment in self.segments:
            a, b = segment.t[0], segment.t[-1]
            inside = wanted[(wanted > a + close) & (wanted < b - close)]  # an end is not repeated for the sake of rounding
            t = np.concatenate(([a], inside, [b] if b > a else []))
            x, bodies = segment.states(t), segment.bodies
            applied = segment.applied and segment.applied.at_other_samples()
            rest = {"event": segment.event, "bodies": bodies, "first": segment.first, "applied": applied}
            segments.append(Segment(segment.mech, t, x, **rest))
        return Trajectory(segments, self.events, self.steps, self.rejected, self.interrupted)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All samples by name.

        Returns
        -------
        dict of str to array
            "t", the number of the "segment", and ``"<joint>.q"`` and ``"<joint>.v"`` of every joint that can move.
        """
        found: dict[str, NDArray[Any]] = {
            "t": self.t,
            "segment": np.repeat(np.arange(len(self.segments)), [len(segment.t) for segment in self.segments]),
        }
        for name in self._joint_names():
            _, q, v = self.joint(name)
            if q.size:
                found[f"{name}.q"], found[f"{name}.v"] = q, v
        return found

    def to_pandas(self) -> Any:
        """The arrays of `to_arrays` as a table over the time, a column for each number. Needs `regraft[tables]`.

        Returns
        -------
        pandas.DataFrame
        """
        return tables.to_frame(self.to_arrays(), list(self.events))

    def to_xarray(self) -> Any:
        """The arrays of `to_arrays` as a dataset over the samples. Needs `regraft[tables]`.

        Returns
        -------
        xarray.Dataset
        """
        return tables.to_dataset(self.to_arrays(), list(self.events))

    def save(self, path: str | Path) -> None:
        """Write everything, dense output too, to an .npz file; `regraft.load` reads it back, equal to the last digit.

        Parameters
        ----------
        path : str or Path
            The file.
        """
        segments = [with_known_forces(segment) for segment in self.segments]
        archive.write(path, archive.Contents(segments, self.events, self.steps, self.rejected, self.interrupted))

    @classmethod
    def from_file(cls, path: str | Path) -> Trajectory:
        """The trajectory that `save` wrote; `regraft.load` does the same.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Trajectory

        Raises
        ------
        ModelError
            If the file cannot be read or is damaged.
        """
        return cls(*archive.read(path_of(path)))

    def __add__(self, other: Trajectory) -> Trajectory:
        """This trajectory and one that goes on where it ends, as one; see `regraft.join`."""
        if not isinstance(other, Trajectory):
            return NotImplemented
        from .joining import join  # which makes trajectories

        return join(self, other)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "segments": tuple(with_known_forces(segment) for segment in self.segments)}

    def __repr__(self) -> str:
        end = float(self.segments[-1].t[-1])
        return (
            f"Trajectory: t = {float(self.segments[0].t[0]):g} … {end:g}, {len(self.t)} samples, {self.steps} steps, "
            f"{len(self.segments)} segments, {len(self.events)} events" + (", interrupted" if self.interrupted else "")
        )


def _motion(segment: Segment, body: str) -> Array:
    """(samples, 18): pose and twist of a body."""
    structure, out = segment.moved.structure, np.empty((len(segment.t), MOTION))
    if body == WORLD:
        out[:] = WORLD_MOTION
    else:
        work = structure.new_work()
        motion_of_many.call(work, segment.x, structure.row_of[body], out)
    return out


def _center_of_mass(segment: Segment) -> Array:
    """(samples, 3): of all bodies together."""
    inertias = {name: body.inertia for name, body in segment.moved.bodies.items()}
    total, whole = np.zeros((len(segment.t), 3)), sum(inertia.mass for inertia in inertias.values())
    if whole <= 0.0:
        raise ModelError("nothing has a mass, so there is no centre of mass.")
    for name, inertia in inertias.items():
        rows = _motion(segment, name)
        total += inertia.mass * (rows[:, 9:POSE] + rows[:, :9].reshape(-1, 3, 3) @ inertia.com)
    return total / whole


def _loop_joint(segment: Segment, name: str) -> tuple[Array, Array]:
    """Position and velocity of a loop joint; its angles go on through whole turns."""
    mech, kind = segment.moved, segment.mech.joints[name].type
    q, v = np.empty((len(segment.t), kind.nq)), np.empty((len(segment.t), kind.nv))
    for i, x in enumerate(segment.x):
        q[i], v[i] = mech.settled(State(mech.layout, x), name)
    for c in kind.turns:
        q[:, c] = np.unwrap(q[:, c])
    return q, v


def _balance(segment: Segment) -> Array:
    """(samples, 8): kinetic and potential energy, angular and linear momentum."""
    mech, out = segment.moved, np.empty((len(segment.t), 8))
    work = mech.structure.new_work()
    balance_of_many.call(work, segment.x, out)
    if mech.loop_joints:
        out[:, 1] += loop_measures(mech, segment.x)[:, 2]
    return representable("the energies and momenta of this motion", out)
