"""The coordinates of all joints, loop joints too (S2's θ_J), and how a caller names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, listed, meant
from ..structure.layout import Layout
from ..structure.once import once
from .parts import Joint

Array = NDArray[np.float64]

Given = str | tuple[str, int]
"""A caller's name of coordinates: "crank" for all of a joint, "base[3]" or ("base", 3) for one of several."""

_INDEXED = re.compile(r"(.*)\[(\d+)\]", re.DOTALL)
_PREFERENCE = 2.0  # another coordinate must be so much better conditioned to be taken instead of an actuated tree joint's


class Coordinates:
    """θ_J: the coordinates of the tree joints in the order of v, then those of the loop joints in the order of `loop_joints`."""

    def __init__(self, layout: Layout, joints: Mapping[str, Joint]) -> None:
        self.tree = layout.nv
        """How many belong to the tree joints."""
        self.slices = dict(layout.v_slices)
        self.count = layout.nv
        for name, *_ in layout.loops:
            self.slices[name] = slice(self.count, self.count + joints[name].type.nv)
            self.count += joints[name].type.nv
        self.labels = tuple(self._labels())
        able = [name for name, joint in joints.items() if joint.type.actuated and joint.type.nv < 6]
        self.actuated = sorted(i for name in able for i in range(self.slices[name].start, self.slices[name].stop))
        """Those of joints that can have a motor: of an actuated type, and not of `Free`, which holds on to nothing."""
        loops = [joints[name] for name, *_ in layout.loops]
        self.loop_size = max(
            (float(np.abs(pose.translation).max()) for joint in loops for pose in (joint.parent_pose, joint.child_pose)),
            default=0.0,
        )
        """The largest coordinate of a loop joint's frame on one of its bodies."""

    @once
    def weights(self) -> Array:
        """The larger the weight of a coordinate, the sooner it becomes a dependent one, not a generalized coordinate."""
        weights = np.full(self.count, _PREFERENCE)
        weights[[i for i in self.actuated if i < self.tree]] = 1.0
        weights.flags.writeable = False
        return weights

    @once
    def _owners(self) -> dict[int, str]:
        return {i: name for name, where in self.slices.items() for i in range(where.start, where.stop)}

    def _labels(self) -> Iterator[str]:
        for name, where in sorted(self.slices.items(), key=lambda item: (item[1].start, item[1].stop)):
            count = where.stop - where.start
            yield from (name,) if count == 1 else (f"{name}[{i}]" for i in range(count))

    def named(self, places: Iterable[int]) -> tuple[str, ...]:
        """The labels of some coordinates."""
        return tuple(self.labels[i] for i in places)

    def joints_of(self, places: Iterable[int]) -> list[str]:
        """The joints that some coordinates belong to, each once, in the order of the coordinates given."""
        return list(dict.fromkeys(self._owners[i] for i in places))

    def find(self, what: str, given: Given | Iterable[Given]) -> list[int]:
        """The places of the coordinates that a caller names, in the caller's order."""
        one = isinstance(given, str) or _is_pair(given)
        names: Iterable[object] = (given,) if one or not isinstance(given, Iterable) else given
        return [i for name in names for i in self._places(what, name)]

    def _places(self, what: str, name: object) -> range:
        where = self.slices.get(name) if isinstance(name, str) else None
        if where is not None:
            return range(where.start, where.stop)
        found = _INDEXED.fullmatch(name) if isinstance(name, str) else None
        if found is not None:
            joint, index = found[1], int(found[2])
        elif _is_pair(name):
            joint, index = name[0], int(name[1])  # type: ignore[index]
        else:
            joint, index = name, 0
        where = self.slices.get(joint) if isinstance(joint, str) else None
        if where is None:
            near = meant(joint, self.slices)
            raise ModelError(f"{what}: there is no joint {joint!r}. Known joints: {listed(self.slices)}.{near}")
        count = where.stop - where.start
        if not 0 <= index < count:
            raise ModelError(f"{what}: joint {joint!r} has {count} coordinates, counted from 0; there is no {joint}[{index}].")
        return range(where.start + index, where.start + index + 1)


def _is_pair(name: object) -> bool:
    return isinstance(name, tuple) and len(name) == 2 and isinstance(name[0], str) and isinstance(name[1], Integral)
