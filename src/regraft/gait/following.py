"""A branch as it grows: points one after the other, with the bifurcations between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..errors import RegraftError, warn
from .bifurcations import is_clear, located, passed
from .curves import TURNS, Control, Ended, Family, Solved, Tracer, between

ROUND = 10
"""A branch that comes back to where it began has at least so many points."""


@dataclass(eq=False)
class Track:
    """One direction of a branch: the points in their order, and how to go on from the last one."""

    length: float
    """Of the next step."""
    points: list[Solved] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    """What a point is: "" for an ordinary one, else the kind of bifurcation."""
    ended: Ended | None = None
    switched: bool = False
    """Whether it begins at a flip of another branch, with a first step that has been made."""

    def add(self, point: Solved, kind: str = "") -> None:
        """One more point."""
        self.points.append(point)
        self.kinds.append(kind)


def follow(
    family: Family,
    track: Track,
    bounds: tuple[float, float],
    control: Control,
    most: int,
    tell: Callable[[Track], None],
) -> None:
    """Follow a branch until it ends or has `most` points; `tell` is called after each."""
    tracer = Tracer(family, track.points[-1], bounds, control, track.length)
    while track.ended is None and len(track.points) < most:
        before = track.points[-1]
        found = tracer.advance(lambda a, b: is_clear(a, b, control.measure))
        track.length = tracer.length
        if isinstance(found, Ended):
            track.ended = found
        else:
            for point, kind in _bifurcations(family, before, found, control):
                track.add(point, kind)
            track.add(found)
            if _is_closed(family, track, control):
                track.ended = Ended("the branch has come back to where it began", True)
        tell(track)


def _bifurcations(family: Family, before: Solved, after: Solved, control: Control) -> list[tuple[Solved, str]]:
    """The bifurcations between two points, in their order along the branch."""
    found: list[tuple[Solved, str]] = []
    for kind in passed(before, after, control.measure):
        try:
            point = located(family, kind, before, after, control)
        except RegraftError as problem:
            warn(
                f"between {before.p:.9g} and {after.p:.9g} the branch passes a bifurcation ({kind}) that is not found: {problem}"
            )
            continue
        if point is not None:
            found.append((point, kind))
    return sorted(found, key=lambda item: float(before.tangent @ between(family, before, item[0], control.measure)))


def _is_closed(family: Family, track: Track, control: Control) -> bool:
    """Whether the last step went through the first point, in the direction in which the branch began."""
    first, here, there = track.points[0], track.points[-2], track.points[-1]
    if len(track.points) < ROUND or track.switched or float(first.tangent @ there.tangent) < TURNS:
        return False
    behind, beyond = (between(family, first, point, control.measure) for point in (here, there))
    step = float(np.linalg.norm(beyond - behind))
    passes = float(first.tangent @ behind) < 0.0 <= float(first.tangent @ beyond)
    return passes and max(float(np.linalg.norm(behind)), float(np.linalg.norm(beyond))) < 2.0 * step
