"""Films of trajectories and of mechanisms at rest: which frames there are, and what is known in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, RegraftError
from ..simulate.contacts.results import ContactHistories
from ..simulate.recorded import Segment
from ..simulate.trajectory import Trajectory
from .colours import BLUE, INK, ORANGE
from .film import Curve, Film, Forces, Happened, Part
from .solids import poses_of

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST_POSES = 600_000
"""Of single bodies in all frames of a film: 20 000 frames of 30 bodies, 2000 of 300. A film of more has fewer frames."""
FPS = 60.0


def film_of(traj: Trajectory, fps: float = FPS, frames: int | None = None, floor: Pose | None = None) -> Film:
    """A motion at `fps` frames a second, and at every event just before and just after it.

    There are at most `frames`, and no more than `MOST_POSES` allow; where that is fewer, the film tells it.
    """
    if not 0.0 < fps < np.inf:
        raise ModelError(f"fps, the frames per second, must be positive, not {fps!r}.")
    if frames is not None and frames < 2:
        raise ModelError(f"a motion has two frames or more, not {frames}.")
    if floor is not None and not isinstance(floor, Pose):
        raise ModelError(f"floor is a Pose whose plane z = 0 is the floor, not {floor!r}.")
    start, end = float(traj.segments[0].t[0]), float(traj.segments[-1].t[-1])
    runs = _runs(traj.segments)
    room = _room_for_frames(traj, frames)
    wanted = max(2, round((end - start) * fps) + 1)
    changes, others = 2 * len(runs), 2 * (len(traj.segments) - len(runs)) + len(traj.events)
    others = others if changes + others <= room // 2 else 0
    count = min(wanted, max(2, room - changes - others))
    grid = np.linspace(start, end, count)
    if others:
        grid = np.union1d(grid, [event.t for event in traj.events])
    seen = traj.resample(grid) if end > start else traj
    kept = _kept(seen.segments, runs, bool(others))
    parts, told = _parts(seen.segments, runs, kept), []
    shown = sum(len(part.t) for part in parts)
    if count < wanted:
        told.append(
            f"{wanted} frames, {fps:g} a second, are more than the {room} that this page has room for: it shows {shown}, "
            f"{count / (end - start):.3g} a second, and what is between them is interpolated."
        )
    curves = _energies(seen, kept, told)
    forces = _forces(traj, seen, kept, told)
    return Film(
        parts, _events(traj, runs), curves, "energy (J), potential from its least" if curves else "", forces, tuple(told), floor
    )


def still_of(mech: Mechanism, state: State) -> Film:
    """A film of one frame."""
    mech.check_state(state)
    return Film((Part(mech, state, np.zeros(1), poses_of(mech, state._x[None])),))


def _runs(segments: Sequence[Segment]) -> list[slice]:
    """Segments in a row whose mechanism is the same: contacts and events begin segments that change no structure."""
    found, start = [], 0
    for k in range(1, len(segments) + 1):
        if k == len(segments) or not _same(segments[k].mech, segments[start].mech):
            found.append(slice(start, k))
            start = k
    return found


def _same(one: Mechanism, other: Mechanism) -> bool:
    return one is other or one == other


def _room_for_frames(traj: Trajectory, frames: int | None) -> int:
    bodies = max(len(segment.mech.bodies) for segment in traj.segments)
    room = max(2, MOST_POSES // max(1, bodies))
    return room if frames is None else min(room, frames)


def _kept(segments: Sequence[Segment], runs: Sequence[slice], others: bool) -> list[Flags]:
    """Which samples of each segment are frames: ends of segments that change no structure may be none."""
    found = []
    for run in runs:
        for k in range(run.start, run.stop):
            keep = np.ones(len(segments[k].t), bool)
            if not others:
                keep[-1] = k == run.stop - 1
                keep[0] = k == run.start or bool(keep[0] and len(keep) == 1)
            found.append(keep)
    return found


def _parts(segments: Sequence[Segment], runs: Sequence[slice], kept: Sequence[Flags]) -> tuple[Part, ...]:
    found = []
    for run in runs:
        poses: dict[str, list[Array]] = {}
        for segment, keep in zip(segments[run], kept[run], strict=True):
            for body, rows in poses_of(segment.moved, segment.x[keep]).items():
                poses.setdefault(body, []).append(rows)
        first = segments[run.start]
        t = np.concatenate([segment.t[keep] for segment, keep in zip(segments[run], kept[run], strict=True)])
        state = State(first.mech.layout, first.seen[0].copy())
        found.append(Part(first.mech, state, t, {body: np.concatenate(rows) for body, rows in poses.items()}))
    return tuple(found)


def _events(traj: Trajectory, runs: Sequence[slice]) -> tuple[Happened, ...]:
    changes = {float(traj.segments[run.start].t[0]) for run in runs[1:]}
    return tuple(
        Happened(event.t, f"{event.name} (×{event.count})" if event.count > 1 else event.name, event.t in changes)
        for event in traj.events
    )


def _energies(seen: Trajectory, kept: Sequence[Flags], told: list[str]) -> tuple[Curve, ...]:
    keep = np.concatenate(kept)
    if not any(body.inertia.mass > 0.0 for segment in seen.segments for body in segment.mech.bodies.values()):
        told.append("energies are not shown: no body has a mass.")
        return ()
    try:
        energy = seen.energy()
    except RegraftError as problem:
        told.append(f"energies are not shown: {problem}")
        return ()
    least = float(energy.potential[keep].min())  # from which potential energy counts
    named = (
        ("kinetic", BLUE, energy.kinetic),
        ("potential", ORANGE, energy.potential - least),
        ("total", INK, energy.total - least),
    )
    return tuple(Curve(name, colour, values[keep]) for name, colour, values in named)


def _forces(traj: Trajectory, seen: Trajectory, kept: Sequence[Flags], told: list[str]) -> Forces | None:
    """The forces of contacts; where those of a file are known at its own samples only, they are interpolated."""
    if all(segment.contacts is None for segment in traj.segments):
        return None
    try:
        return _at_points(seen.contacts(), np.concatenate(kept))
    except ModelError:
        try:
            known = _at_points(traj.contacts(), np.ones(len(traj.t), bool))
        except ModelError as problem:
            told.append(f"forces of contacts are not shown: {problem}")
            return None
    rows, at = [], 0
    for segment, other, keep in zip(traj.segments, seen.segments, kept, strict=True):
        nearest = np.searchsorted(segment.t, other.t[keep]).clip(0, len(segment.t) - 1)
        rows.append(at + nearest)
        at += len(segment.t)
    which = np.concatenate(rows)
    return None if known is None else Forces(known.names, known.points[which], known.vectors[which])


def _at_points(contacts: ContactHistories, keep: Flags) -> Forces | None:
    """Of all points of contacts that ever press."""
    found = {}
    for name, contact in contacts.items():
        for number, point in enumerate(contact.points):
            force = point.force[keep]
            if np.nan_to_num(force).any():
                found[name if len(contact.points) == 1 else f"{name}/{number}"] = point.point[keep], force
    if not found:
        return None
    points, vectors = (np.stack([pair[k] for pair in found.values()], axis=1) for k in (0, 1))
    return Forces(tuple(found), points, np.where((vectors != 0.0).any(axis=2, keepdims=True), vectors, np.nan))
