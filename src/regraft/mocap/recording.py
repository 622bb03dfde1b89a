"""What was recorded, as the reader of every format gives it: metres, seconds, radians, z up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .skeleton import in_the_world

Array = NDArray[np.float64]


class Bone(NamedTuple):
    """A joint of a recorded skeleton and what hangs on it, up to the next joints.

    Attributes
    ----------
    name : str
        Its name.
    parent : str or None
        The bone that carries it; None for the one that all others hang on.
    offset : (3,) array
        Its joint in the axes of its parent, in the pose in which nothing is turned.
    tips : tuple of (3,) array
        Points in its own axes at which nothing more is recorded: a BVH file's end sites, the end of an ASF bone.
    """

    name: str
    parent: str | None
    offset: Array
    tips: tuple[Array, ...] = ()


class Plate(NamedTuple):
    """What a force plate has measured: the force of the ground on the body.

    Attributes
    ----------
    name : str
        Its name.
    t : (m,) array
        Its own instants, often more than the recording's.
    force : (m, 3) array
        The force.
    point : (m, 3) array
        The centre of pressure; NaN where there is no load.
    moment : (m, 3) array
        The moment about that point.
    corners : (4, 3) array or None
        Its corners, where the file has them.
    """

    name: str
    t: Array
    force: Array
    point: Array
    moment: Array
    corners: Array | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Recording:
    """A recorded motion: a moving skeleton, markers, coordinates by name or force plates, whichever a file has.

    Attributes
    ----------
    source : str
        The file.
    t : (n,) array
        When each frame was taken.
    bones : tuple of Bone
        The skeleton, each after its parent; empty where there is none.
    turns : (n, bones, 3, 3) array
        Each bone's axes in those of its parent, the first one's in the world.
    origins : (n, bones, 3) array
        Each bone's joint in the axes of its parent, the first one's in the world.
    markers : mapping of str to (n, 3) array
        Points by name; NaN where one was not seen.
    columns : mapping of str to (n,) array
        Coordinates and whatever else a table has, by its own names and in its own units: which of them are angles, only a model
        knows.
    in_degrees : bool or None
        Whether the angles among the columns are in degrees; None where the file does not say.
    plates : tuple of Plate
        Force plates.
    analogs : mapping of str to (m,) array
        Other channels, with instants of their own in ``analog_t``.
    notes : tuple of str
        What was converted, repaired, guessed or left out, in words.
    """

    source: str
    t: Array
    bones: tuple[Bone, ...] = ()
    turns: Array = field(default_factory=lambda: np.empty((0, 0, 3, 3)))
    origins: Array = field(default_factory=lambda: np.empty((0, 0, 3)))
    markers: Mapping[str, Array] = field(default_factory=dict)
    columns: Mapping[str, Array] = field(default_factory=dict)
    plates: tuple[Plate, ...] = ()
    analogs: Mapping[str, Array] = field(default_factory=dict)
    analog_t: Array = field(default_factory=lambda: np.empty(0))
    notes: tuple[str, ...] = ()
    in_degrees: bool | None = None

    @property
    def rate(self) -> float:
        """Frames per second; NaN where there are fewer than two frames."""
        return (len(self.t) - 1) / float(self.t[-1] - self.t[0]) if len(self.t) > 1 else math.nan

    def poses(self) -> tuple[Array, Array]:
        """Axes (n, bones, 3, 3) and joints (n, bones, 3) of all bones in the world."""
        order = {bone.name: k for k, bone in enumerate(self.bones)}
        parents = [-1 if bone.parent is None else order[bone.parent] for bone in self.bones]
        return in_the_world(parents, self.turns, self.origins)

    def points(self) -> Array:
        """(n, bones, 3): the joints of all bones in the world."""
        return self.poses()[1]

    def save(self, path: str | Path, *, up: str = "y", scale: float | None = None) -> None:
        """Write it to a file: see `regraft.mocap.save`."""
        from .loading import save as write  # which needs this module

        write(self, path, up=up, scale=scale)

    def __repr__(self) -> str:
        parts = [f"{len(self.t)} frame{'s' if len(self.t) != 1 else ''}"]
        if len(self.t) > 1:
            parts[0] += f" in {self.t[-1] - self.t[0]:.4g} s at {self.rate:.5g} Hz"
        held = {"bone": self.bones, "marker": self.markers, "column": self.columns, "force plate": self.plates}
        for what, things in {**held, "analog channel": self.analogs, "note": self.notes}.items():
            if things:
                parts.append(f"{len(things)} {what}{'s' if len(things) > 1 else ''}")
        return f"<Recording of {self.source!r}: {', '.join(parts)}>"

    def __len__(self) -> int:
        return len(self.t)
