"""Motions one after another as one: each must start where the one before ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..ask.poses import body_poses
from ..describe.state import State
from ..errors import ModelError
from ..tolerances import ASSEMBLED, TIME_ROUNDING
from .histories import EventRecord
from .recorded import Segment
from .trajectory import Trajectory


def join(first: Trajectory, *later: Trajectory, shift: bool = False) -> Trajectory:
    """Trajectories one after another as one.

    Every body that two of them share must be where it was; velocities may jump there, as in an impact, and the structure may
    change. ``first + second`` is the same as ``join(first, second)``.

    Parameters
    ----------
    first : Trajectory
        The trajectory that comes first.
    *later : Trajectory
        Those that go on from there.
    shift : bool, optional
        Whether the later ones are moved in time to where the one before ends. By default they must start at that time, as
        `simulate` does with `start`.

    Returns
    -------
    Trajectory
        With all segments, events and steps.

    Raises
    ------
    ModelError
        If one starts at another time or in another place than the one before ends.

    Examples
    --------
    >>> import regraft as rg
    >>> mech, state = rg.models.pendulum().start
    >>> swing = rg.simulate(mech, state, 1.0)
    >>> on = rg.simulate(*swing.final, 0.5, start=1.0)
    >>> rg.join(swing, on).t[-1], (swing + on).state(1.2) == on.state(1.2)
    (np.float64(1.5), True)
    """
    parts = (first, *later)
    for part in parts:
        if not isinstance(part, Trajectory):
            raise ModelError(f"join takes trajectories, not {part!r}.")
    moved = [first]
    for part in later:
        moved.append(_put_behind(moved[-1], part, shift))
    return Trajectory(
        [segment for part in moved for segment in part.segments],
        [event for part in moved for event in part.events],
        sum(part.steps for part in moved),
        sum(part.rejected for part in moved),
        moved[-1].interrupted,
    )


def _put_behind(before: Trajectory, part: Trajectory, shift: bool) -> Trajectory:
    """A part at the time at which the one before ends; where it starts there already, at that very number."""
    end, start = float(before.segments[-1].t[-1]), float(part.segments[0].t[0])
    if not shift and abs(start - end) > TIME_ROUNDING * (1.0 + abs(end)):
        raise ModelError(
            f"the trajectory to be joined starts at t = {start:.12g}, and the one before ends at {end:.12g}; simulate it with "
            f"start={end:.12g}, or let it be moved there: join(..., shift=True)."
        )
    _check_place(before.segments[-1], part.segments[0])
    if start == end:
        return part
    later = end - start
    segments = [_later(segment, later) for segment in part.segments]
    events = [EventRecord(event.t + later, event.name, event.count) for event in part.events]
    return Trajectory(segments, events, part.steps, part.rejected, part.interrupted)


def _later(segment: Segment, by: float) -> Segment:
    applied: Any = segment.applied
    if applied is not None:
        known = applied.known
        applied = applied.at_other_samples(by) or type(applied)()
        applied.known = known
    return replace(segment, t=segment.t + by, applied=applied)


def _check_place(last: Segment, first: Segment) -> None:
    """Every body that both have is where it was."""
    ends = [body_poses(s.mech, State(s.mech.layout, s.seen[row])) for s, row in ((last, -1), (first, 0))]
    shared = [body for body in ends[0] if body in ends[1]]
    if not shared:
        raise ModelError("the trajectories to be joined have no body in common.")
    for body in shared:
        here, there = (poses[body] for poses in ends)
        off = max(
            float(np.abs(there.translation - here.translation).max()) / (1.0 + float(np.abs(here.translation).max())),
            float(np.abs(there.rotation - here.rotation).max()),
        )
        if not off <= ASSEMBLED:
            raise ModelError(
                f"the trajectory to be joined does not start where the one before ends: body {body!r} is off by {off:.3g}. "
                "Start it from traj.final."
            )
