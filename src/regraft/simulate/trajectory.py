"""What a simulation computed: segments, each with its own structure, behind one surface."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite
from ..ask.loop_measures import loop_measures
from ..atomic import path_of
from ..describe.mechanism import Mechanism
from ..describe.state import State
from . import archive, data_frames
from .applied import reaction_histories, torque_histories, with_known_forces
from .contacts.results import ContactHistories, wrench_histories
from .histories import BodyHistory, EnergyHistory, EventRecord, JointHistory, LoopErrorHistory, MomentumHistory
from .invariants import Invariants, invariants
from .portrayed import Portrayed
from .quantities import balances, body_history, center_of_mass, frame_history, joint_history, joint_names
from .recorded import Segment
from .resampling import resampled, segment_at
from .singular import SingularPosition, singular_positions

Array = NDArray[np.float64]


class Trajectory(Portrayed):
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
        return segment_at(self.segments, when).state(when)

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
        return segment_at(self.segments, float(finite("t", t, ()))).mech

    @property
    def final(self) -> tuple[Mechanism, State]:
        """Mechanism and state at the end."""
        last = self.segments[-1]
        return last.mech, State(last.mech.layout, last.seen[-1].copy())

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
        return joint_history(self.segments, name)

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
        return body_history(self.segments, name)

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
        return frame_history(self.segments, name)

    def energy(self) -> EnergyHistory:
        """Kinetic and potential energy at all samples.

        Returns
        -------
        EnergyHistory
            (t, kinetic, potential), and their sum `total`; potential energy has its zero where `regraft.energy` has it.
        """
        rows = balances(self.segments)
        return EnergyHistory(self.t, rows[:, 0], rows[:, 1])

    def momentum(self) -> MomentumHistory:
        """Momentum at all samples.

        Returns
        -------
        MomentumHistory
            (t, angular, linear); the angular one is about the world's origin.
        """
        rows = balances(self.segments)
        return MomentumHistory(self.t, rows[:, 2:5], rows[:, 5:])

    def center_of_mass(self) -> Array:
        """The centre of mass of all bodies at all samples.

        Returns
        -------
        (samples, 3) array
            In world axes.
        """
        return np.concatenate([center_of_mass(segment) for segment in self.segments])

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

    def contacts(self) -> ContactHistories:
        """What contacts did, at all samples: their modes, forces, places, slips, gaps and impacts.

        Forces are found again, from the states, in the modes that held there and with what acted then. Where the motion does not
        determine them, `unique` is False, and they are some that obey Coulomb's law.

        Returns
        -------
        ContactHistories
            By contact, a mapping of str to ContactHistory; the points of a contact have histories of their own, by names such as
            ``"cube/0"``. With `dissipated`, what friction and impacts have taken.

        Raises
        ------
        ModelError
            If the torques of the run are not known, as in `torques`.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.Mechanism()
        >>> mech.add_body("ball", rg.Inertia.sphere(2.0, 0.1))
        >>> mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
        >>> mech.add_shape("ball", rg.Sphere(0.1))
        >>> traj = rg.simulate(mech, mech.state(q={"fall": 0.1}), 0.5, contacts=rg.Contact("ball", friction=0.5))
        >>> found = traj.contacts()["ball"]
        >>> str(found.mode[-1]), round(float(found.normal[-1]), 9)
        ('sticking', 19.62)
        """
        return ContactHistories(self.segments)

    def contact_wrenches(self) -> dict[str, Array]:
        """What contacts do to bodies, at all samples.

        Returns
        -------
        dict of str to (samples, 6) array
            By body that can be touched: (moment, force) of all contacts on it in world axes, the moment about the body's origin;
            NaN while there is no such body.

        Raises
        ------
        ModelError
            If the torques of the run are not known, as in `torques`.
        """
        return wrench_histories(self.segments)

    def loop_error(self) -> LoopErrorHistory:
        """How far loops and couplings are open at all samples; in maximal coordinates every joint closes a loop.

        Returns
        -------
        LoopErrorHistory
            (t, position, velocity): the largest gap of a loop joint or a coupling, in metres or radians, whichever is more, and
            these per second.
        """
        rows = np.concatenate([loop_measures(segment.moved, segment.x) for segment in self.segments])
        return LoopErrorHistory(self.t, rows[:, 0], rows[:, 1])

    def invariants(self) -> Invariants:
        """How far momentum, energy and joints have drifted since the last change of structure, with a plot.

        Returns
        -------
        Invariants
        """
        rows = balances(self.segments)
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
        return Trajectory(resampled(self.segments, times), self.events, self.steps, self.rejected, self.interrupted)

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
        for name in joint_names(self.segments):
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
        return data_frames.to_frame(self.to_arrays(), list(self.events))

    def to_xarray(self) -> Any:
        """The arrays of `to_arrays` as a dataset over the samples. Needs `regraft[tables]`.

        Returns
        -------
        xarray.Dataset
        """
        return data_frames.to_dataset(self.to_arrays(), list(self.events))

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
