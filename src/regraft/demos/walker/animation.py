"""A passive walk as a moving picture, for where a page cannot play: the walker from the side, and its legs in the phase plane."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from ...models.bipeds import LEGS
from ...show.animation import Mover, mover, write_animation
from ...show.style import EARTH, GREY, INK, STYLE
from .figures import LEG_COLOURS
from .walk import Walk, positions

Array = NDArray[np.float64]

FRAME = 0.03  # s; the file counts in hundredths
FALLING_STEPS = 4  # steps shown of a walk that ends in a fall
TRAIL = 24  # frames


class Window(NamedTuple):
    """The part of a walk that is shown."""

    times: Array
    """Of the frames."""
    centre: Array
    """(frames, 2): where the picture looks. It moves evenly down the slope: a steady gait comes back to its first frame."""
    endless: bool


def animate(path: Path, walk: Walk, drawn: Callable[[int, int], object] = lambda _frame, _frames: None) -> Path:
    """Write a moving picture without end; of a steady gait one stride, which begins where it ends."""
    window = _window(walk)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7.2, 3.3), dpi=100, layout="constrained")
        side, plane = figure.subplots(1, 2, width_ratios=(1.55, 1.0))
        movers = _walker(side, walk, window), _phase_plane(plane, walk, window)
        return write_animation(path, figure, movers, len(window.times), FRAME, window.endless, drawn)


def _window(walk: Walk) -> Window:
    """The last stride of a steady gait, or the last steps before a fall."""
    segments, made = walk.trajectory.segments, len(walk.steps)
    endless = made >= 2 and not walk.fell
    first = made - 2 if endless else max(0, len(segments) - FALLING_STEPS)
    start, end = float(segments[first].t[0]), float(segments[made - 1 if endless else -1].t[-1])
    count = max(2, round((end - start) / FRAME))
    times = np.linspace(start, end, count, endpoint=not endless)
    (begin, height), (finish, _) = positions(walk, np.array([start, end]))["hip"]
    x = begin + (times - start) / (end - start) * (finish - begin)
    return Window(times, np.column_stack((x, height - math.tan(walk.biped.slope) * (x - begin))), endless)


def _walker(ax: Axes, walk: Walk, window: Window) -> Mover:
    """The walker on its slope."""
    length, slope = walk.biped.length, math.tan(walk.biped.slope)
    earlier = window.times[0] - FRAME * np.arange(TRAIL, 0, -1)
    path = positions(walk, np.concatenate((np.clip(earlier, 0.0, None), window.times)))
    far = window.centre[[0, -1], 0] + 4.0 * length * np.array((-1, 1))
    ground = ax.fill_between(far, -slope * far, -slope * far - 4.0 * length, facecolor=EARTH, edgecolor=INK, linewidth=1.3)
    prints = _footprints(walk, far[1] if window.endless else -math.inf)
    (marks,) = ax.plot(prints, -slope * prints, "|", color=INK, markersize=9)
    (trail,) = ax.plot([], [], color=GREY, linewidth=1.2)
    legs = {leg: ax.plot([], [], color=LEG_COLOURS[leg], linewidth=3.5)[0] for leg in LEGS}
    (hip,) = ax.plot([], [], "o", color=INK, markersize=10)
    ax.legend(handles=[Line2D([], [], color=LEG_COLOURS[leg], linewidth=3.0, label=leg) for leg in LEGS], loc="upper right")
    ax.set(aspect="equal", adjustable="box")
    ax.axis("off")

    def move(frame: int) -> None:
        now = frame + TRAIL
        trail.set_data(*path["hip"][frame : now + 1].T)
        hip.set_data(*path["hip"][now : now + 1].T)
        for leg, line in legs.items():
            line.set_data(*np.stack((path["hip"][now], path[leg][now])).T)
        x, z = window.centre[frame]
        ax.set(xlim=(x - 1.15 * length, x + 1.15 * length), ylim=(z - 1.22 * length, z + 0.28 * length))

    return mover(ax, move, ground, marks, trail, *legs.values(), hip)


def _footprints(walk: Walk, until: float) -> Array:
    """Where the feet stand, and where they would go on standing, up to some distance, if every step were as the last one."""
    feet = positions(walk, np.array([segment.t[0] for segment in walk.trajectory.segments]))
    made = np.maximum(feet[LEGS[0]][:, 0], feet[LEGS[1]][:, 0])
    if until <= made[-1]:
        return made
    step = walk.steps[-1].length * math.cos(walk.biped.slope)
    return np.concatenate((made, np.arange(made[-1] + step, until, step)))


def _phase_plane(ax: Axes, walk: Walk, window: Window) -> Mover:
    """Angle and rate of both legs."""
    states = [walk.legs_at(float(t)) for t in window.times]
    for leg in LEGS:
        pieces = walk.leg(leg)
        for segment, piece in zip(walk.trajectory.segments, pieces, strict=True):
            if segment.t[-1] > window.times[0] + 1e-9:
                ax.plot(piece.angle, piece.rate, color=GREY, linewidth=1.0, zorder=2)
    points = {leg: ax.plot([], [], "o", color=LEG_COLOURS[leg], markersize=9, zorder=4)[0] for leg in LEGS}
    ax.set(xlabel="angle from the vertical (rad)", ylabel="rate (rad/s)")

    def move(frame: int) -> None:
        for leg, point in points.items():
            angle, rate = states[frame][leg]
            point.set_data([angle], [rate])

    return mover(ax, move, *points.values())
