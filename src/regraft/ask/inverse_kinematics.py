"""Inverse kinematics: the positions in which a mechanism is nearest to markers, poses and joint coordinates, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite_number, real_numbers
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, listed, warn
from ..kernels.inverse_kinematics import CONVERGED, COST, GAP, ITERATIONS, TOLD, Search, Tracked, track
from ..kernels.memory import TREE_LIMITS
from ..structure.layout import Layout
from ..structure.structure import Structure
from ..tolerances import CLOSED, GAP_SMALL, REPRESENTABLE, SAME_FIT
from .first_pose import best_seen, first_poses
from .targets import Tables, read_targets

Array = NDArray[np.float64]


class States(Sequence[State]):
    """The states of a mechanism at rest in each of some positions."""

    def __init__(self, layout: Layout, q: Array) -> None:
        self._layout, self._q = layout, q

    def __len__(self) -> int:
        return len(self._q)

    @overload
    def __getitem__(self, i: int) -> State: ...
    @overload
    def __getitem__(self, i: slice) -> States: ...
    def __getitem__(self, i: int | slice) -> State | States:
        if isinstance(i, slice):
            return States(self._layout, self._q[i])
        return State(self._layout, np.concatenate((self._q[i], np.zeros(self._layout.nv))))


@dataclass(frozen=True)
class InverseKinematics:
    """What `inverse_kinematics` found in n frames. It unpacks: ``states, residuals = rg.inverse_kinematics(mech, targets)``.

    Attributes
    ----------
    q : (n, nq) array
        Positions, one frame a row.
    states : sequence of State
        The same as states, at rest.
    residuals : mapping of str to (n,) array
        By the name of the target, how far it was missed in each frame, without weights: the distance of a marker in metres, the
        angle of an orientation in radians, the length of the way between joint coordinates. (n, 2), distance and angle, for a
        target that has both. NaN where the target was not seen.
    rms : (n,) array
        The root of the weighted mean of the squares of all that was seen in a frame; NaN where nothing was.
    converged : (n,) array of bool
        Whether the frame was solved to the tolerance, with all loops closed.
    iterations : (n,) array of int
        How many steps that took.
    gap : (n,) array
        How far loops are open, in metres and radians; 0 where there are none.
    undetermined : (n, nv) array of bool
        Which velocities take part in a motion that no target sees, and no loop or limit prevents.
    """

    q: Array
    states: States
    residuals: Mapping[str, Array]
    rms: Array
    converged: NDArray[np.bool_]
    iterations: NDArray[np.int64]
    gap: Array
    undetermined: NDArray[np.bool_]

    def __iter__(self) -> Iterator[Any]:
        """The states, then the residuals."""
        return iter((self.states, self.residuals))


def inverse_kinematics(
    mech: Mechanism,
    targets: Mapping[str, Any],
    start: State | ArrayLike | None = None,
    *,
    limits: bool = True,
    tolerance: float = 1e-9,
    max_iterations: int = 200,
    starts: int = 8,
) -> InverseKinematics:
    """The positions in which a mechanism comes nearest to its targets, frame by frame.

    Minimised is the sum of weight · miss² over all targets of a frame, with all loops closed and all joints of the tree within
    their limits. Each frame starts from the result of the one before it. What the targets of a frame do not determine stays as it
    was there, and a `RegraftWarning` names it.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    targets : mapping of str to array_like, Pose, Marker, PoseTarget or JointTarget
        By the name of a frame or a body its positions in the world, (n, 3) for n frames or (3,) for all of them, or its poses; by
        the name of a joint its coordinates. `Marker`, `PoseTarget` and `JointTarget` have weights, and any names.
        NaN stands for what was not seen.
    start : State, (nq,) or (n, nq) array_like, optional
        Where to start: the first frame, or each of them. By default the frame in which most is seen is solved first, from several
        positions, and the others from there on in both directions.
    limits : bool, optional
        Whether joints stay within their limits.
    tolerance : float, optional
        A frame is solved where a further step would change the root of the cost by no larger a part of it than this.
    max_iterations : int, optional
        The most steps for a frame.
    starts : int, optional
        From how many positions the first frame is solved where there is no `start`: the bind pose placed as a rigid body onto the
        markers, the bind pose itself, and others around the first. The one with the least cost counts.

    Returns
    -------
    InverseKinematics
        Positions, states, residuals and how they were found.

    Raises
    ------
    ModelError
        If a target does not exist, is never seen, or has another shape or a negative weight; the message names it.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("arm", rg.Inertia.rod(1.0, (0, 0, 0), (1, 0, 0)))
    >>> mech.add_joint("shoulder", rg.Revolute((0, 0, 1)), "world", "arm")
    >>> mech.add_frame("hand", "arm", rg.Pose(translation=(1, 0, 0)))
    >>> states, residuals = rg.inverse_kinematics(mech, {"hand": [[0.6, 0.8, 0], [0, 2, 0]]})
    >>> [round(float(state["shoulder"].q), 6) for state in states], residuals["hand"].round(6)
    ([0.927295, 1.570796], array([0., 1.]))
    """
    structure = mech.structure
    if structure.nv == 0:
        raise ModelError("inverse kinematics: no joint of this mechanism can move.")
    tables = read_targets(mech, structure, targets)
    exactness, most, tries = _settings(tolerance, max_iterations, starts)
    if limits and structure.loops_limited:
        warn("inverse kinematics keeps the limits of the joints of the tree only; those of joints that close loops are left out.")
    search = _Search(mech, structure, tables, bool(limits), exactness, most)
    if start is None:
        search.from_everywhere(tries)
    else:
        search.from_given(start)
    return search.result()


def _settings(tolerance: float, max_iterations: int, starts: int) -> tuple[float, int, int]:
    exactness = finite_number("tolerance", tolerance)
    if not 0.0 < exactness < 1.0:
        raise ModelError(f"tolerance must be between 0 and 1, not {exactness:g}.")
    for name, number in (("max_iterations", max_iterations), ("starts", starts)):
        if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or number < 1:
            raise ModelError(f"{name} must be a whole number, at least 1, not {number!r}.")
    return exactness, int(max_iterations), int(starts)


class _Search:
    """All frames of one call, and what kernels left of them."""

    def __init__(self, mech: Mechanism, structure: Structure, tables: Tables, limits: bool, tolerance: float, most: int) -> None:
        self.mech, self.structure, self.tables = mech, structure, tables
        self.limits = structure.work.size(TREE_LIMITS) if limits else 0
        self.tolerance, self.most = tolerance, most
        n, columns = tables.frames, len(tables.point_rows) + len(tables.turn_rows)
        self.work = structure.new_work()
        self.q, self.told = np.tile(structure.layout.neutral, (n, 1)), np.zeros((n, TOLD))
        self.loose = np.zeros((n, structure.nv))
        self.misses = np.zeros((n, columns + (structure.nv if len(tables.joint_goals) else 0)))

    def run(self, frames: Any, before: Any) -> None:
        """Solve some frames, each from the one before it, or from its own q."""
        search = Search(self.limits, self.tolerance, self.most)
        track(self.work, frames, before, self.tables.targets, search, Tracked(self.q, self.told, self.loose, self.misses))

    def from_everywhere(self, tries: int) -> None:
        """Solve the frame in which most is seen from several positions, then all others, away from it."""
        first, n = best_seen(self.tables), self.tables.frames
        nothing = REPRESENTABLE**2 * self.tables.size(first)
        best, least = self.q[first].copy(), np.inf
        for q in first_poses(self.mech, self.structure, self.tables, first, tries):
            self.q[first] = q
            self.run(np.array([first]), np.array([-1]))
            cost = float(self.told[first, COST]) if self.told[first, GAP] <= CLOSED else np.inf
            if cost + nothing < (1.0 - SAME_FIT) * least:  # a later start has to be really better
                best, least = self.q[first].copy(), cost
            if least <= nothing:
                break
        self.q[first] = best
        later, sooner = np.arange(first + 1, n), np.arange(first - 1, -1, -1)
        self.run(np.concatenate(([first], later, sooner)), np.concatenate(([-1], later - 1, sooner + 1)))

    def from_given(self, start: State | ArrayLike) -> None:
        """Solve all frames from the first one on, or each from its own start."""
        frames, nq = np.arange(self.tables.frames), self.structure.nq
        if isinstance(start, State):
            self.mech.check_state(start)
            self.q[0] = start._q
            self.run(frames, frames - 1)
            return
        given = real_numbers("start", start)
        if given.shape not in ((nq,), self.q.shape):
            raise ModelError(f"start must be a state or have shape ({nq},) or {self.q.shape}, not {given.shape}.")
        self.q[: 1 if given.ndim == 1 else None] = [self.mech.state(q=row)._q for row in given.reshape(-1, nq)]
        self.run(frames, frames - 1 if given.ndim == 1 else np.full(len(frames), -1))

    # --- what is told --------------------------------------------------------------------------------------------------------

    def result(self) -> InverseKinematics:
        """What was found, with warnings for frames that are not what was asked for."""
        self._clip()
        converged = (self.told[:, CONVERGED] > 0.0) & (self.told[:, GAP] <= CLOSED)
        undetermined = self.loose > 0.0
        self._warn(converged, undetermined)
        return InverseKinematics(
            q=self.q,
            states=States(self.structure.layout, self.q),
            residuals=self._residuals(),
            rms=self._rms(),
            converged=converged,
            iterations=self.told[:, ITERATIONS].astype(np.int64),
            gap=self.told[:, GAP].copy(),
            undetermined=undetermined,
        )

    def _clip(self) -> None:
        """Take away what rounding put coordinates beyond their limits."""
        layout = self.structure.layout
        for name in layout.names if self.limits else ():
            kind = self.mech.joints[name].type
            if kind.limits is not None and kind.kernels.limit is None:
                numbers = self.q[:, layout.q_slices[name]]
                within = np.clip(numbers, kind.limits.lower, kind.limits.upper)
                numbers[:] = np.where(np.abs(within - numbers) <= GAP_SMALL * (1.0 + np.abs(within)), within, numbers)

    def _warn(self, converged: NDArray[np.bool_], undetermined: NDArray[np.bool_]) -> None:
        """Tell which frames were not solved, and which joints the targets do not determine."""
        if not converged.all():
            is_open = not self.told[~converged, GAP].max() <= CLOSED
            why = "loops stay open, or joints beyond their limits, there" if is_open else f"{self.most} steps were not enough"
            where = _frames(~converged)
            warn(f"inverse kinematics did not converge in {where}: {why}; see `converged`, or give another start.")
        if undetermined.any():
            slices = self.structure.layout.v_slices
            names = [name for name, of_joint in slices.items() if undetermined[:, of_joint].any()]
            warn(
                f"the targets of {_frames(undetermined.any(axis=1))} do not determine the joints {listed(names)}: what is not "
                "determined stays as it was in the frame before, or in the start; see `undetermined`. Give more targets, such as "
                "rg.JointTarget with a small weight."
            )

    def _residuals(self) -> dict[str, Array]:
        first = len(self.tables.point_rows) + len(self.tables.turn_rows)
        found = {}
        for name, miss in self.tables.misses.items():
            columns = miss.columns if miss.joint is None else [first + d for d in range(miss.joint.start, miss.joint.stop)]
            seen = self.tables.seen[:, columns]
            sizes = np.where(seen, self.misses[:, columns], np.nan)
            if miss.joint is not None:
                sizes = np.where(seen.any(axis=1), np.sqrt(np.nansum(sizes**2, axis=1)), np.nan)
            found[name] = sizes[:, 0] if sizes.ndim == 2 and sizes.shape[1] == 1 else sizes
        return found

    def _rms(self) -> Array:
        weights = self.tables.weights
        total = weights.sum(axis=1)
        square = (weights * self.misses**2).sum(axis=1)
        found: Array = np.sqrt(np.divide(square, total, out=np.full(len(total), np.nan), where=total > 0.0))
        return found


def _frames(which: Any, most: int = 6) -> str:
    """Frames for a message, those that follow each other as one: frames 0-3, 7."""
    at = np.flatnonzero(which)
    runs = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1)
    shown = [f"{run[0]}" if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs[:most]]
    return f"frame{'' if len(at) == 1 else 's'} {', '.join(shown)}{', ...' if len(runs) > most else ''}"
