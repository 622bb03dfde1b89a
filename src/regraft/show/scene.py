"""A motion on paper: where it takes place as a camera sees it, its poses side by side, and the same in a moving picture."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..tolerances import DRAWN_APART
from .animation import Mover, mover
from .forms import Outline
from .outlines import outlines_of, planes_of
from .room import upright
from .scenery import Camera, Drawn, draw_placed, empty_collection, placed_in

Array = NDArray[np.float64]

STRIP_WIDTH, LINE = 10.4, 0.155  # inches: of a strip, and from line to line of what is written in it
MARGIN, _STEPS = 0.25, 60  # m around everything that is ever seen; moments at which that is looked for
_BELOW, _EDGE = 0.24, 0.08  # of the margin: from a pose to what is written below it; around the ground
_AROUND = 0.12  # the same as a share of what is seen


class Motion(Protocol):
    """What a scene asks of a motion, such as a trajectory."""

    @property
    def t(self) -> Array:
        """Its times."""

    @property
    def events(self) -> Sequence[tuple[float, str]]:
        """What happened, with its times."""

    def mechanism(self, t: float) -> Mechanism:
        """The mechanism at a moment."""

    def state(self, t: float) -> State:
        """Its state at a moment."""


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

    `notes` are written below the poses at their times. One that is `fitted` is of any size and at any height: the paper ends a
    little beyond what is seen, the floor is no higher than the lowest point, and up is where gravity does not pull.
    `margin`, in metres, is to be less around what is small.
    """

    def __init__(
        self,
        camera: Camera,
        traj: Motion,
        rows: int,
        columns: int,
        notes: Mapping[float, str] = MappingProxyType({}),
        *,
        fitted: bool = False,
        margin: float = MARGIN,
    ) -> None:
        self.camera, self.traj, self.rows, self.columns, self.notes = camera, traj, rows, columns, notes
        self.margin = margin
        self.start, self.end = float(traj.t[0]), float(traj.t[-1])
        mech = traj.mechanism(self.start)
        self.outlines = outlines_of(mech, traj.state(self.start))
        self.turned = upright(mech.gravity) if fitted else Pose()
        steps = _STEPS if self.end > self.start else 1
        places = np.concatenate([self._points(t, fitted) for t in np.linspace(self.start, self.end, steps).tolist()])
        if fitted:
            self.margin = margin = _AROUND * (float(np.ptp(places, axis=0).max()) or DRAWN_APART)
            self.turned = Pose(translation=(0.0, 0.0, -_floor_of(places))) @ self.turned
            places = places - (0.0, 0.0, _floor_of(places))
        low, high = places.min(axis=0) - margin, places.max(axis=0) + margin
        planes = () if fitted else planes_of(mech, low, high)
        self.outlines += planes
        places = np.concatenate([places, *(one.points for one in planes)])
        self.floor = np.array(
            [(x, y, 0.0) for x, y in ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))]
        )
        seen = np.concatenate([camera.see(places), camera.see(self.floor)])[:, :2]
        self.low, self.high = seen.min(axis=0) - _EDGE * margin, seen.max(axis=0) + (0.2 * margin if fitted else margin)

    @property
    def moments(self) -> list[float]:
        """The times of the poses in a strip: those of the events, and between them others, about as far from each other."""
        return spread_moments(self.start, [t for t, _ in self.traj.events], self.end, self.rows * self.columns)

    def drawn(self, t: float) -> Drawn:
        """What is to be seen at a moment."""
        return draw_placed(self._placed(t), self.camera, self.floor)

    def happened(self, t: float, before: float) -> list[tuple[float, str]]:
        """The events after one moment and up to another, with their times."""
        return [(moment, name) for moment, name in self.traj.events if before < moment <= t]

    def said(self, number: int) -> list[str]:
        """What is written below a pose of a strip, line by line."""
        times = self.moments
        events = self.happened(times[number], times[number - 1] if number else -math.inf)
        note = self.notes.get(times[number])
        return [f"{times[number]:.2f} s", *(name for _, name in events), *([note] if note else [])]

    def _placed(self, t: float) -> list[tuple[Outline, Array]]:
        placed = placed_in(self.outlines, self.traj.mechanism(t), self.traj.state(t))
        return [(one, self.turned.apply(points)) for one, points in placed]

    def _points(self, t: float, whole: bool) -> Array:
        """Where outlines are; `whole` with what is within their radii."""
        around = np.concatenate((np.eye(3), -np.eye(3))) if whole else np.zeros((1, 3))
        return np.concatenate(
            [(points[:, None] + one.radius * around).reshape(-1, 3) for one, points in self._placed(t)]
        )  # fmt: skip


def _floor_of(places: Array) -> float:
    """How high the floor is: at zero, unless something is below it or all is far above."""
    low, size = float(places[:, 2].min()), float(np.ptp(places, axis=0).max())
    return low if low < 0.0 or low > size else 0.0


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
