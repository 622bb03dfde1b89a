"""Pictures of an act: poses side by side as in S2's Figs. 20 and 21, energies, gaps of the loops, and a moving picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ..simulate import Trajectory
from .act_plan import Plan
from .animation import Mover, mover, write_animation
from .stage import Stage, draw_strip, moving_scene
from .style import BLUE, DASHES, GREEN, GREY, INK, ORANGE, STYLE, draw, draw_all

Array = NDArray[np.float64]

FRAME, SLOWER = 0.025, 2.0  # s between frames, and how much slower they are shown
_SMALLEST_GAP = 1e-17  # of a logarithmic axis


def draw_act_pictures(out: Path, plan: Plan, traj: Trajectory, drawn: Callable[[int, int], object]) -> list[Path]:
    """Draw them all; `drawn` is told how many of how many parts are done."""
    stage = Stage(plan.model.shapes, plan.camera, traj, rows=3, columns=4)
    pictures: list[Callable[[], Path]] = [
        partial(draw, out / "strip.png", stage.strip_size, {"a": partial(draw_strip, stage=stage)}, "a"),
        partial(draw, out / "energy.png", (7.2, 3.6), {"a": partial(draw_energies, traj=traj, told=True)}, "a"),
        partial(draw, out / "gaps.png", (7.2, 3.2), {"a": partial(draw_gaps, traj=traj)}, "a"),
    ]
    return draw_all(pictures, partial(animate, out / f"{plan.name}.gif", stage), drawn)


def draw_energies(ax: Axes, traj: Trajectory, told: bool) -> None:
    """The energies over time, potential energy above that at its lowest; `told` names the changes."""
    history = traj.energy()
    ground = history.potential.min()
    for name, values, colour in (
        ("kinetic", history.kinetic, BLUE),
        ("potential", history.potential - ground, ORANGE),
        ("total", history.total - ground, INK),
    ):
        ax.plot(history.t, values, color=colour, linewidth=1.8, label=name)
    _mark_changes(ax, traj, told)
    where: Any = (
        {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
        if told
        else {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": 3}
    )
    ax.legend(handlelength=1.6, **where)
    ax.set(xlabel="time (s)", ylabel="energy (J)", xlim=(traj.t[0], traj.t[-1]), ylim=(0.0, None))


def draw_gaps(ax: Axes, traj: Trajectory) -> None:
    """The largest gap of a loop at each step."""
    history = traj.loop_error()
    counts = [len(segment.t) for segment in traj.segments]
    closed = np.repeat([bool(segment.mech.loop_joints) for segment in traj.segments], counts)
    gaps = np.where(closed, np.maximum(history.position, _SMALLEST_GAP), np.nan)
    ax.semilogy(history.t, gaps, color=GREEN, linewidth=1.0)
    _mark_changes(ax, traj, told=True)
    ax.set(xlabel="time (s)", ylabel="largest gap of a loop (m, rad)", xlim=(traj.t[0], traj.t[-1]))


def _mark_changes(ax: Axes, traj: Trajectory, told: bool) -> None:
    """A line where the structure changes."""
    for number, (t, name) in enumerate((segment.t[-1], segment.event or "") for segment in traj.segments[:-1]):
        ax.axvline(t, color=GREY, linewidth=1.2, linestyle=DASHES, zorder=1)
        if told:
            place: Any = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            ax.annotate(name, (t, 1.0), (0, 2 + 10 * (number % 3)), ha="center", va="bottom", fontsize=8, color=INK, **place)


def animate(path: Path, stage: Stage, drawn: Callable[[int, int], object]) -> Path:
    """Write the act as a moving picture, slower than it is."""
    times = np.linspace(stage.start, stage.end, max(2, round((stage.end - stage.start) / FRAME) + 1))
    wide, high = stage.size
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7.6, 3.7), dpi=100, layout="constrained")
        scene, side = figure.subplots(1, 2, width_ratios=(1.5 * wide / high, 1.5))
        movers = moving_scene(scene, stage, times), _clock(side, stage, times)
        return write_animation(path, figure, movers, len(times), SLOWER * FRAME, False, drawn)


def _clock(ax: Axes, stage: Stage, times: Array) -> Mover:
    """The energies, and where the moment is in them."""
    draw_energies(ax, stage.traj, told=False)
    (now,) = ax.plot([], [], color=INK, linewidth=1.2)

    def move(frame: int) -> None:
        now.set_data([times[frame]] * 2, ax.get_ylim())

    return mover(ax, move, now)
