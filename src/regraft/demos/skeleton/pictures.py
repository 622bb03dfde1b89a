"""Pictures of skeletons in maximal coordinates: poses side by side, what is kept and how well, and pages that play them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from ...show.filming import film_of
from ...show.html import write_film
from ...show.player_page import Showing
from ...show.scene import Scene, draw_strip
from ...show.scenery import Camera
from ...show.style import BLUE, DASHES, GREEN, INK, ORANGE, PURPLE, draw, draw_all
from ...simulate import Trajectory
from ...simulate.invariants import largest_by_interval

Array = NDArray[np.float64]
Measure = Callable[[Trajectory], Array]

SLOWER = 2.0  # how much slower than it is a motion is played
COLOURS = BLUE, ORANGE, GREEN, PURPLE, "#B8860B"
_CAMERA = Camera(azimuth=30.0, elevation=15.0)
_INTERVALS = 50  # of the whole time, in which the largest change is looked for
_STEPS = {"a": "rk4, joints closed after each step", "b": "S3's step"}


@dataclass(frozen=True)
class Moved:
    """A motion that has been computed by both steps."""

    name: str
    title: str
    keeps_energy: bool
    stabilised: Trajectory
    """By rk4, with all joints closed after each step."""
    by_s3: Trajectory
    """By S3's step."""


def draw_skeleton_pictures(out: Path, moved: Sequence[Moved], drawn: Callable[[int, int], object]) -> list[Path]:
    """Draw them all; `drawn` is told how many of how many parts are done."""
    scenes = [Scene(_CAMERA, each.stabilised, rows=2, columns=4) for each in moved]
    pictures: list[Callable[[], Path]] = [
        partial(draw, out / f"{each.name}.png", scene.strip_size, {"a": partial(draw_strip, scene=scene)}, "a")
        for each, scene in zip(moved, scenes, strict=True)
    ]
    for name, (label, measure) in MEASURES.items():
        pictures.append(partial(draw_kept, out / f"{name}.png", moved, label, measure, below=name == "energy"))
    pages = [partial(write_motion, out / f"{each.name}.html", each) for each in moved]
    return draw_all([*pictures, *pages], drawn)


def write_motion(path: Path, moved: Moved) -> Path:
    """Write a motion as a page that plays it."""
    showing = Showing(moved.title, *_CAMERA, SLOWER, loop=True)
    return write_film(film_of(moved.stabilised), path, showing)


def linear_change(traj: Trajectory) -> Array:
    """Of linear momentum, as a part of what it is at the start."""
    changes: Array = np.linalg.norm(traj.invariants().linear, axis=1)
    return changes / float(np.linalg.norm(traj.momentum().linear[0]))


def angular_change(traj: Trajectory) -> Array:
    """Of angular momentum, as a part of what it is at the start."""
    changes: Array = np.linalg.norm(traj.invariants().angular, axis=1)
    return changes / float(np.linalg.norm(traj.momentum().angular[0]))


def energy_change(traj: Trajectory) -> Array:
    """Of energy, as a part of what it is at the start."""
    changes: Array = np.abs(traj.invariants().energy)
    return changes / float(traj.energy().total[0])


def largest_gap(traj: Trajectory) -> Array:
    """Of a joint, in metres or radians."""
    return traj.loop_error().position


MEASURES: dict[str, tuple[str, Measure]] = {
    "linear": ("change of linear momentum", linear_change),
    "angular": ("change of angular momentum", angular_change),
    "energy": ("change of energy", energy_change),
    "gaps": ("largest gap (m, rad)", largest_gap),
}


def draw_kept(path: Path, moved: Sequence[Moved], label: str, measure: Measure, below: bool) -> Path:
    """A measure over time by both steps, side by side; of energies, `below`, those that are not to be kept as they are."""
    lines = {letter: [_largest(_by(each, letter), measure) for each in moved] for letter in _STEPS}
    shown = [each.keeps_energy or not below for each in moved]
    told = np.concatenate(
        [line[line > 0.0] for found in lines.values() for (_, line), there in zip(found, shown, strict=True) if there]
    )
    limits = 0.5 * float(told.min()), 2.0 * float(told.max())

    def drift(ax: Axes, letter: str) -> None:
        for each, (t, line), there, colour in zip(moved, lines[letter], shown, COLOURS, strict=True):
            if there:
                ax.semilogy(t, np.where(line > 0.0, line, np.nan), color=colour, linewidth=1.4, label=each.title)
        ax.set(xlabel="time (s)", ylabel=label if letter == "a" else "", ylim=limits)
        ax.set_title(_STEPS[letter], fontsize=10)
        if letter == "b":
            ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.4)

    drawings: dict[str, Callable[[Axes], object]] = {letter: partial(drift, letter=letter) for letter in _STEPS}
    if below:
        drawings["c"] = partial(draw_energies, moved=moved)
    return draw(path, (9.6, 6.4 if below else 3.4), drawings, "ab\ncc" if below else "ab")


def _largest(traj: Trajectory, measure: Measure) -> tuple[Array, Array]:
    """The middle of equal intervals of time, and the largest that a measure is in each."""
    edges, largest = largest_by_interval(traj.t, measure(traj), _INTERVALS)
    return 0.5 * (edges[1:] + edges[:-1]), largest


def draw_energies(ax: Axes, moved: Sequence[Moved]) -> None:
    """The energies of motions with friction or motors, by both steps."""
    for each, colour in zip(moved, COLOURS, strict=True):
        if not each.keeps_energy:
            for traj, dashes in ((each.stabilised, "-"), (each.by_s3, DASHES)):
                ax.plot(traj.t, traj.energy().total, color=colour, linewidth=1.5, linestyle=dashes)
            for t, name in each.stabilised.events:
                ax.axvline(t, color=colour, linewidth=0.8, linestyle=":")
                ax.annotate(
                    name, (t, 1.0), (3, -3), xycoords=("data", "axes fraction"), textcoords="offset points", va="top", fontsize=9
                )
    ways = [
        Line2D([], [], color=colour, label=each.title)
        for each, colour in zip(moved, COLOURS, strict=True)
        if not each.keeps_energy
    ]
    ways += [Line2D([], [], color=INK, label="rk4"), Line2D([], [], color=INK, linestyle=DASHES, label="S3's step")]
    ax.legend(handles=ways, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.6)
    most = max(float(each.stabilised.energy().total.max()) for each in moved if not each.keeps_energy)
    ax.set(xlabel="time (s)", ylabel="energy (J), all of it kinetic", ylim=(0.0, 1.2 * most))


def _by(moved: Moved, letter: str) -> Trajectory:
    return moved.stabilised if letter == "a" else moved.by_s3
