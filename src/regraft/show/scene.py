"""A motion on paper: where it takes place as a camera sees it, its poses side by side, and the same in a moving picture."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ..ask.poses import body_poses
from ..describe.parts import WORLD
from ..simulate import Trajectory
from .animation import Mover, mover
from .outlines import outlines_of, planes_of
from .scenery import Camera, Drawn, draw_outlines, empty_collection

Array = NDArray[np.float64]

STRIP_WIDTH, LINE = 10.4, 0.155  # inches: of a strip, and from line to line of what is written in it
MARGIN, _STEPS = 0.25, 60  # m around everything that is ever seen; moments at which that is looked for
_BELOW, _EDGE = 0.24, 0.08  # of the margin: from a pose to what is written below it; around the ground


class Poses(ABC):
    """What can be seen of a motion at any moment, and the room that its poses take on the paper, in rows and columns."""

    rows: int
    columns: int
    low: Array
    high: Array
    """(2,): the corners of what is seen, m."""
    margin: float = MARGIN
    """Around everything that is ever seen, m."""

    @property
    @abstractmethod
    def moments(self) -> list[float]:
        """The times of the poses in a strip."""

    @abstractmethod
    def drawn(self, t: float) -> Drawn:
        """What is to be seen at a moment."""

    @abstractmethod
    def said(self, number: int) -> list[str]:
        """What is written below a pose of a strip, line by line."""

    @property
    def label(self) -> float:
        """How much of the paper, m, is below a pose of a strip for what is written there."""
        most = max(len(self.said(number)) for number in range(self.rows * self.columns))
        return (most + 0.6) * LINE * self.columns / STRIP_WIDTH * self.size[0]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of what is seen, m."""
        wide, high = self.high - self.low
        return float(wide), float(high)

    @property
    def strip_size(self) -> tuple[float, float]:
        """Width and height of the strip of its poses, inches."""
        return STRIP_WIDTH, self.rows * STRIP_WIDTH / self.columns * (self.size[1] + self.label) / self.size[0]


def spread_moments(start: float, events: Sequence[float], end: float, room: int) -> list[float]:
    """So many times from start to end: those of the events, and between them others, about as far from each other."""
    fixed = np.unique([start, *events, end])
    if len(fixed) > room:
        fixed = np.linspace(start, end, room)
    pieces = np.ones(len(fixed) - 1, int)
    for _ in range(room - len(fixed)):
        pieces[np.argmax(np.diff(fixed) / pieces)] += 1
    parts = [np.linspace(a, b, count, endpoint=False) for (a, b), count in zip(pairwise(fixed), pieces, strict=True)]
    times: list[float] = [*np.concatenate(parts).tolist(), end]
    return times


class Scene(Poses):
    """A motion as the camera sees it, and the room that it takes on the paper; its poses in so many rows and columns.

    `notes` are written below the poses at their times. `margin`, in metres, is to be less around what is small.
    """

    def __init__(
        self,
        camera: Camera,
        traj: Trajectory,
        rows: int,
        columns: int,
        notes: Mapping[float, str] = MappingProxyType({}),
        margin: float = MARGIN,
    ) -> None:
        self.camera, self.traj, self.rows, self.columns, self.notes = camera, traj, rows, columns, notes
        self.margin = margin
        self.start, self.end = float(traj.t[0]), float(traj.t[-1])
        self.outlines = outlines_of(traj.mechanism(self.start), traj.state(self.start))
        places = np.concatenate([self._points(t) for t in np.linspace(self.start, self.end, _STEPS).tolist()])
        low, high = places.min(axis=0) - margin, places.max(axis=0) + margin
        planes = planes_of(traj.mechanism(self.start), low, high)
        self.outlines += planes
        places = np.concatenate([places, *(one.points for one in planes)])
        self.floor = np.array(
            [(x, y, 0.0) for x, y in ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))]
        )
        seen = np.concatenate([camera.see(places), camera.see(self.floor)])[:, :2]
        self.low, self.high = seen.min(axis=0) - _EDGE * margin, seen.max(axis=0) + margin

    @property
    def moments(self) -> list[float]:
        """The times of the poses in a strip: those of the events, and between them others, about as far from each other."""
        return spread_moments(self.start, [t for t, _ in self.traj.events], self.end, self.rows * self.columns)

    def drawn(self, t: float) -> Drawn:
        """What is to be seen at a moment."""
        return draw_outlines(self.outlines, self.traj.mechanism(t), self.traj.state(t), self.camera, self.floor)

    def happened(self, t: float, before: float) -> list[tuple[float, str]]:
        """The events after one moment and up to another, with their times."""
        return [(moment, name) for moment, name in self.traj.events if before < moment <= t]

    def said(self, number: int) -> list[str]:
        """What is written below a pose of a strip, line by line."""
        times = self.moments
        events = self.happened(times[number], times[number - 1] if number else -math.inf)
        note = self.notes.get(times[number])
        return [f"{times[number]:.2f} s", *(name for _, name in events), *([note] if note else [])]

    def _points(self, t: float) -> Array:
        poses = body_poses(self.traj.mechanism(t), self.traj.state(t))
        return np.concatenate([one.points if one.body == WORLD else poses[one.body].apply(one.points) for one in self.outlines])


def draw_strip(ax: Axes, scene: Poses) -> None:
    """Poses at nearly equal times, row by row."""
    wide, high = scene.size
    for number, t in enumerate(scene.moments):
        row, column = divmod(number, scene.columns)
        shift = np.array([column * wide, -row * (high + scene.label)]) - scene.low
        poses = empty_collection()
        scene.drawn(t).shifted(shift).put_into(poses)
        ax.add_collection(poses)
        ax.text(
            shift[0] + scene.low[0] + 0.5 * wide,
            shift[1] + scene.low[1] - _BELOW * scene.margin,
            "\n".join(scene.said(number)),
            ha="center",
            va="top",
            fontsize=9,
        )
    ax.set(xlim=(0.0, scene.columns * wide), ylim=(-(scene.rows - 1) * (high + scene.label) - scene.label, high), aspect="equal")
    ax.axis("off")


def moving_scene(ax: Axes, scene: Scene, times: Array) -> Mover:
    """What moves, with the time and what has happened by then."""
    bodies = empty_collection()
    ax.add_collection(bodies)
    ax.set(xlim=(scene.low[0], scene.high[0]), ylim=(scene.low[1], scene.high[1]), aspect="equal")
    ax.axis("off")
    label = ax.text(0.02, 0.98, "", transform=ax.transAxes, va="top", fontsize=10)

    def move(frame: int) -> None:
        t = float(times[frame])
        scene.drawn(t).put_into(bodies)
        events = [f"{moment:.2f} s: {name}" for moment, name in scene.happened(t, -math.inf)]
        label.set_text("\n".join([f"{t:.2f} s", *events]))

    return mover(ax, move, bodies, label)
