"""Bodies without mass that hang on each other by balls, with markers on them: what inverse kinematics moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...ask.targets import Marker
from ...describe.inertia import Inertia
from ...describe.mechanism import Mechanism
from ...describe.parts import WORLD
from ...joints import Free, Spherical
from ...tolerances import ANY_SHIFT, FITS_EXACTLY, NO_LONGER_FALLS, SHOWN_BY_MOTION
from ..skeleton import in_the_world
from .tracking import Tracked, follow

Array = NDArray[np.float64]

_FRAMES = 200  # that are enough to calibrate on
_ROUNDS = 20
_STIFF = 10.0  # rad²: how much it counts that the markers of a body do not turn together
_TRUST = {True: SHOWN_BY_MOTION, False: 1.0}  # rad²: how much it counts that joints stay where motion or landmarks had them


@dataclass(frozen=True)
class Part:
    """A body: the joint that it hangs on is its origin."""

    name: str
    parent: str | None
    offset: Array
    """Its joint in the axes of its parent."""
    markers: Mapping[str, Array]
    """Where markers are on it."""
    rest: Array = field(default_factory=lambda: np.eye(3))
    """Its axes in those of its parent, on the average."""
    by_motion: bool = False
    """Whether its joint was found from how the segments turn, and not from markers beside it."""


@dataclass(frozen=True)
class Rig:
    """All parts, each after its parent."""

    parts: tuple[Part, ...]

    def parents(self) -> list[int]:
        """The index of the parent of each part; −1 for the first."""
        order = {part.name: k for k, part in enumerate(self.parts)}
        return [-1 if part.parent is None else order[part.parent] for part in self.parts]

    def mechanism(self) -> Mechanism:
        """The parts as bodies; the first one is free, and joints have the names of the bodies."""
        mech = Mechanism()
        for part in self.parts:
            mech.add_body(part.name, Inertia(0.0))
        for part in self.parts:
            if part.parent is None:
                mech.add_joint(part.name, Free(), WORLD, part.name)
            else:
                mech.add_joint(part.name, Spherical(), part.parent, part.name, parent_pose=Pose(translation=part.offset))
        return mech

    def follow(self, tracks: Mapping[str, Array], weights: Mapping[str, float], start: Array | None = None) -> Tracked:
        """Inverse kinematics of all frames, from markers (n, 3), and from positions (n, nq) if they are known."""
        rest = [np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), *(Pose(part.rest).quaternion for part in self.parts[1:])]
        few = [part.name for part in self.parts[1:] if len(part.markers) < 2]
        markers = {
            label: Marker(tracks[label], weights.get(label, 1.0), on=part.name, at=at)
            for part in self.parts
            for label, at in part.markers.items()
        }
        return follow(self.mechanism(), markers, np.concatenate(rest), few, start)

    def poses(self, q: Array) -> tuple[Array, Array]:
        """Axes (n, parts, 3, 3) of each part in those of its parent, and joints (n, parts, 3) there."""
        from scipy.spatial.transform import Rotation  # on first use: it takes long to import

        n, whole = len(q), np.isfinite(q).all(axis=1)
        turns, origins = np.full((n, len(self.parts), 3, 3), np.nan), np.full((n, len(self.parts), 3), np.nan)
        for k, part in enumerate(self.parts):
            numbers = q[whole, 3 + 4 * k : 7 + 4 * k]
            turns[whole, k] = Rotation.from_quat(numbers, scalar_first=True).as_matrix()
            origins[whole, k] = part.offset if k else q[whole, :3]
        return turns, origins


def calibrated(rig: Rig, tracks: Mapping[str, Array], weights: Mapping[str, float]) -> tuple[Rig, list[str]]:
    """Shift markers and joints to where misses are least, in turn with inverse kinematics, until these no longer fall."""
    n = len(next(iter(tracks.values())))
    some = {label: track[:: max(1, n // _FRAMES)] for label, track in tracks.items()}
    some = {label: track for label, track in some.items() if np.isfinite(track).all(axis=1).any()}
    rig = replace(rig, parts=tuple(_only(part, some) for part in rig.parts))
    found = rig.follow(some, weights)
    home, first, rounds = rig, found.rms, 0
    while rounds < _ROUNDS and found.rms > FITS_EXACTLY:
        better = _adjusted(rig, home, some, weights, found)
        again = better.follow(some, weights, found.found)
        if again.rms > found.rms * (1.0 - NO_LONGER_FALLS):
            break
        rig, found, rounds = better, again, rounds + 1
    if not rounds:
        return rig, []
    return rig, [
        f"places of markers and joints were adjusted {rounds} times: from {1000 * first:.2f} to {1000 * found.rms:.2f} mm"
    ]


def _only(part: Part, tracks: Mapping[str, Array]) -> Part:
    return replace(part, markers={label: at for label, at in part.markers.items() if label in tracks})


def _adjusted(rig: Rig, home: Rig, tracks: Mapping[str, Array], weights: Mapping[str, float], found: Tracked) -> Rig:
    """Shift joints in their parents and markers on their bodies so that misses become least, with everything turned as it is.

    A linear problem: the miss of a marker is the sum of the shifts of all joints above it, and its own.
    """
    whole = np.isfinite(found.q).all(axis=1)
    turns, origins = rig.poses(found.q[whole])
    parents = rig.parents()
    axes, joints = in_the_world(parents, turns, origins)
    labels = [(k, label, at) for k, part in enumerate(rig.parts) for label, at in part.markers.items()]
    columns = 3 * (len(rig.parts) + len(labels))
    matrix, vector = np.zeros((columns, columns)), np.zeros(columns)
    for row, (k, label, at) in enumerate(labels):
        miss = tracks[label][whole] - joints[:, k] - axes[:, k] @ at
        seen = np.isfinite(miss).all(axis=1)
        above, blocks, places = k, [axes[seen, k]], [len(rig.parts) + row]
        while parents[above] >= 0:
            blocks.append(axes[seen, parents[above]])
            places.append(above)
            above = parents[above]
        rows = np.concatenate(blocks, axis=2).reshape(-1, 3 * len(blocks))
        which = np.concatenate([np.arange(3 * place, 3 * place + 3) for place in places])
        share = weights.get(label, 1.0) / max(1, whole.sum())
        matrix[np.ix_(which, which)] += share * rows.T @ rows
        vector[which] += share * rows.T @ miss[seen].ravel()
    rows, wanted = _faith(rig, home, columns)
    shifts = np.linalg.solve(matrix + rows.T @ rows, vector + rows.T @ wanted).reshape(-1, 3)
    moved = {label: at + shifts[len(rig.parts) + row] for row, (_, label, at) in enumerate(labels)}
    return Rig(
        tuple(
            replace(part, offset=part.offset + shifts[k] * (k > 0), markers={label: moved[label] for label in part.markers})
            for k, part in enumerate(rig.parts)
        )
    )


def _faith(rig: Rig, home: Rig, columns: int) -> tuple[Array, Array]:
    """What speaks for where joints were found, as rows of least squares, and the shifts that lead back there.

    A joint was found on its parent, and among the markers of its own body: these must not be shifted together. Nor may they turn
    together, which would shift the joints below.
    """
    rows, wanted, column = [], [], 3 * len(rig.parts)
    for k, (part, first) in enumerate(zip(rig.parts, home.parts, strict=True)):
        trust = np.sqrt(_TRUST[part.by_motion])
        count = len(part.markers)
        own, there = (np.array([x.markers[label] for label in part.markers]).reshape(-1, 3) for x in (part, first))
        places = there - there.mean(axis=0) if count else there
        size = np.sqrt(np.sum(places**2)) if count > 1 else 1.0
        joint, together, turned = np.zeros((3, columns)), np.zeros((3, columns)), np.zeros((3, columns))
        joint[:, 3 * k : 3 * k + 3] = trust * np.eye(3)
        block = slice(column, column + 3 * count)
        together[:, block] = trust * np.tile(np.eye(3), count) / max(1, count)
        turned[:, block] = np.sqrt(_STIFF) * np.concatenate([np.zeros((3, 0)), *(_crossed(x) / size for x in places)], axis=1)
        off = (there - own).ravel()
        rows += [joint, together, turned]
        wanted += [trust * (first.offset - part.offset), together[:, block] @ off, turned[:, block] @ off]
        column += 3 * count
    any_shift = np.sqrt(ANY_SHIFT) * np.eye(columns)
    return np.concatenate([*rows, any_shift]), np.concatenate([*wanted, np.zeros(columns)])


def _crossed(x: Array) -> Array:
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])
