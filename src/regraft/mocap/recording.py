"""What was recorded, as the reader of every format gives it: metres, seconds, radians, z up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_NOTHING: Mapping[str, Array] = MappingProxyType({})


class Bone(NamedTuple):
    """A joint of a recorded skeleton and what hangs on it, up to the next joints."""

    name: str
    parent: str | None
    """The bone that carries it; None for the one that all others hang on."""
    offset: Array
    """(3,): its joint in the axes of its parent, in the pose in which nothing is turned."""
    tips: tuple[Array, ...] = ()
    """Points (3,) in its own axes at which nothing more is recorded: a BVH file's end sites, the end of an ASF bone."""


class Plate(NamedTuple):
    """What a force plate has measured: the force of the ground on the body."""

    name: str
    t: Array
    """(m,): its own instants, often more than the recording's."""
    force: Array
    """(m, 3)."""
    point: Array
    """(m, 3): the centre of pressure; NaN where there is no load."""
    moment: Array
    """(m, 3): the moment about that point."""
    corners: Array | None = None
    """(4, 3), where the file has them."""


@dataclass(frozen=True, eq=False)
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
        Coordinates and whatever else a table has, by its own names; angles in radians.
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
    markers: Mapping[str, Array] = field(default_factory=lambda: _NOTHING)
    columns: Mapping[str, Array] = field(default_factory=lambda: _NOTHING)
    plates: tuple[Plate, ...] = ()
    analogs: Mapping[str, Array] = field(default_factory=lambda: _NOTHING)
    analog_t: Array = field(default_factory=lambda: np.empty(0))
    notes: tuple[str, ...] = ()

    @property
    def rate(self) -> float:
        """Frames per second."""
        return (len(self.t) - 1) / float(self.t[-1] - self.t[0])

    def __len__(self) -> int:
        return len(self.t)
