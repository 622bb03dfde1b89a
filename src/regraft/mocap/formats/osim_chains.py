"""An OpenSim joint as a chain of joints with one coordinate each: first what slides along the parent's axes, then what turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...errors import FileError, listed
from ...joints import Guided, JointType, Prismatic, Revolute
from .osim_functions import Function, Line, as_curve

Array = NDArray[np.float64]


class Axis(NamedTuple):
    """One direction in which a joint moves, how far, and which coordinate says so."""

    direction: Array
    coordinate: str | None
    """None: it stays where it is."""
    function: Function
    direct: bool = False
    """Whether the file says that it is the coordinate itself, a number apart."""


class Link(NamedTuple):
    """One joint of the chain, and the fixed pose in front of it."""

    coordinate: str
    type: JointType
    before: Pose


class Chain(NamedTuple):
    """The joints of the chain, and the fixed pose behind the last one."""

    links: tuple[Link, ...]
    after: Pose


def chain(shifts: Sequence[Axis], turns: Sequence[Axis], fail: Callable[[str], FileError]) -> Chain:
    """The pose Σ shifts, then turns one after another, as joints in a row; `fail` makes the error where that cannot be."""
    shifts, turns = [_settled(axis) for axis in shifts], [_settled(axis) for axis in turns]
    turning = _in_order(turns)
    _check_neighbours(turns, fail)
    before = Pose(translation=sum((_reach(axis) for axis in shifts if axis.coordinate is None), np.zeros(3)))
    links: list[Link] = []
    for name in _in_order(shifts):
        if name not in turning:
            links.append(_sliding(name, [axis for axis in shifts if axis.coordinate == name], before))
            before = Pose()
    for i, name in enumerate(turning):
        first, last = _span(turns, name)
        done = _span(turns, turning[i - 1])[1] + 1 if i else 0
        before = before @ _fixed_turns(turns[done:first])
        along = [axis for axis in shifts if axis.coordinate == name]
        if along and i:
            raise fail(
                f"the coordinate {name!r} slides along the parent's axes although {turning[0]!r} has turned before it does: "
                "these cannot be joints in a row. Let the first rotation be the one of the coordinate that slides."
            )
        links.append(_turning(name, turns[first : last + 1], along, before))
        before = Pose()
    rest = turns[_span(turns, turning[-1])[1] + 1 :] if turning else turns
    return Chain(tuple(links), before @ _fixed_turns(rest))


def _settled(axis: Axis) -> Axis:
    """A coordinate that makes no difference to an axis does not move it."""
    still = isinstance(axis.function, Line) and axis.function.slope == 0.0
    return axis._replace(coordinate=None) if still else axis


def _in_order(axes: Sequence[Axis]) -> list[str]:
    return list(dict.fromkeys(axis.coordinate for axis in axes if axis.coordinate is not None))


def _span(turns: Sequence[Axis], name: str) -> tuple[int, int]:
    """The first and the last turn of a coordinate."""
    own = [i for i, axis in enumerate(turns) if axis.coordinate == name]
    return own[0], own[-1]


def _check_neighbours(turns: Sequence[Axis], fail: Callable[[str], FileError]) -> None:
    for name in _in_order(turns):
        first, last = _span(turns, name)
        others = {axis.coordinate for axis in turns[first : last + 1]} - {name, None}
        if others:
            raise fail(
                f"the coordinate {name!r} turns before and after {listed(sorted(str(x) for x in others))}: these cannot be "
                "joints in a row. Put its rotations one after another."
            )


def _line(axis: Axis) -> Line:
    assert isinstance(axis.function, Line)
    return axis.function


def _reach(axis: Axis) -> Array:
    return axis.direction * _line(axis).offset


def _fixed_turns(turns: Sequence[Axis]) -> Pose:
    pose = Pose()
    for axis in turns:
        if _line(axis).offset != 0.0:
            pose = pose @ Pose.about(axis.direction, _line(axis).offset)
    return pose


def _is_plain(axes: Sequence[Axis]) -> bool:
    """Whether it is one axis that follows its coordinate one to one, in either sense."""
    return len(axes) == 1 and isinstance(axes[0].function, Line) and abs(axes[0].function.slope) == 1.0


def _sliding(name: str, shifts: Sequence[Axis], before: Pose) -> Link:
    if _is_plain(shifts):
        line = _line(shifts[0])
        return Link(name, Prismatic(line.slope * shifts[0].direction), before @ Pose(translation=_reach(shifts[0])))
    return Link(name, Guided(translations=_curves(shifts)), before)


def _turning(name: str, turns: Sequence[Axis], shifts: Sequence[Axis], before: Pose) -> Link:
    if _is_plain(turns) and not shifts:
        line = _line(turns[0])
        return Link(name, Revolute(line.slope * turns[0].direction), before @ _fixed_turns(turns))
    own = [axis._replace(direction=before.rotation.T @ axis.direction) for axis in shifts]
    return Link(name, Guided(rotations=_curves(turns), translations=_curves(own)), before)


def _curves(axes: Sequence[Axis]) -> tuple[tuple[Array, object], ...]:
    return tuple((axis.direction, as_curve(axis.function)) for axis in axes)
