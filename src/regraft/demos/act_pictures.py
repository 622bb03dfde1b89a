"""Pictures of an act: poses side by side as in S2's Figs. 20 and 21, energies, gaps of the loops, and a moving picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ..motion import body_poses
from ..parts import WORLD
from ..simulate import Trajectory
from .act_plan import Plan
from .animation import Mover, mover, write_animation
from .scenery import Drawn, draw_shapes, empty_collection
from .style import BLUE, DASHES, GREEN, GREY, INK, ORANGE, STYLE, draw, draw_all

Array = NDArray[np.float64]

ROWS, COLUMNS = 3, 4  # of the poses in a strip
STRIP_WIDTH, LINE = 10.4, 0.155  # inches: of a strip, and from line to line of what is written in it
FRAME, SLOWER = 0.025, 2.0  # s between frames, and how much slower they are shown
_MARGIN, _STEPS = 0.25, 60  # m around everything that is ever seen; moments at which that is looked for
_SMALLEST_GAP = 1e-17  # of a logarithmic axis


def draw_act_pictures(out: Path, plan: Plan, traj: Trajectory, drawn: Callable[[int, int], object]) -> list[Path]:
    """Draw them all; `drawn` is told how many of how many parts are done."""
    stage = Stage(plan, traj)
    strip = STRIP_WIDTH, ROWS * STRIP_WIDTH / COLUMNS * (stage.size[1] + stage.label) / stage.size[0]
    pictures: list[Callable[[], Path]] = [
        partial(draw, out / "strip.png", strip, {"a": partial(draw_strip, stage=stage)}, "a"),
        partial(draw, out / "energy.png", (7.2, 3.6), {"a": partial(draw_energies, traj=traj, told=True)}, "a"),
        partial(draw, out / "gaps.png", (7.2, 3.2), {"a": partial(draw_gaps, traj=traj)}, "a"),
    ]
    return draw_all(pictures, partial(animate, out / f"{plan.name}.gif", stage), drawn)


class Stage:
    """A motion as the camera sees it, and the room that it takes on the paper."""

    def __init__(self, plan: Plan, traj: Trajectory) -> None:
        self.plan, self.traj = plan, traj
        self.start, self.end = float(traj.t[0]), float(traj.t[-1])
        places = np.concatenate([self._points(t) for t in np.linspace(self.start, self.end, _STEPS).tolist()])
        low, high = places.min(axis=0) - _MARGIN, places.max(axis=0) + _MARGIN
        self.floor = np.array(
            [(x, y, 0.0) for x, y in ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))]
        )
        seen = np.concatenate([plan.camera.see(places), plan.camera.see(self.floor)])[:, :2]
        self.low, self.high = seen.min(axis=0) - 0.02, seen.max(axis=0) + _MARGIN

    @property
    def moments(self) -> list[float]:
        """The times of the poses in a strip."""
        times: list[float] = np.linspace(self.start, self.end, ROWS * COLUMNS).tolist()
        return times

    @property
    def label(self) -> float:
        """How much of the paper, m, is below a pose of a strip for what is written there."""
        most = max(len(self.happened(after, before)) for before, after in pairwise(self.moments))
        return (most + 1.6) * LINE * COLUMNS / STRIP_WIDTH * self.size[0]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of what is seen, m."""
        wide, high = self.high - self.low
        return float(wide), float(high)

    def drawn(self, t: float) -> Drawn:
        """What is to be seen at a moment."""
        plan = self.plan
        return draw_shapes(plan.model.shapes, self.traj.mechanism(t), self.traj.state(t), plan.camera, self.floor)

    def happened(self, t: float, before: float) -> list[str]:
        """The events after one moment and up to another."""
        return [name for moment, name in self.traj.events if before < moment <= t]

    def _points(self, t: float) -> Array:
        poses = body_poses(self.traj.mechanism(t), self.traj.state(t))
        placed = [
            np.array(shape.points) if shape.body == WORLD else poses[shape.body].apply(np.array(shape.points))
            for shape in self.plan.model.shapes
        ]
        return np.concatenate(placed)


def draw_strip(ax: Axes, stage: Stage) -> None:
    """Poses at equal times, row by row."""
    wide, high = stage.size
    times = stage.moments
    for number, t in enumerate(times):
        row, column = divmod(number, COLUMNS)
        shift = np.array([column * wide, -row * (high + stage.label)]) - stage.low
        seen, poses = stage.drawn(t), empty_collection()
        Drawn([outline + shift for outline in seen.outlines], seen.faces, seen.edges).put_into(poses)
        ax.add_collection(poses)
        said = [f"{t:.2f} s", *stage.happened(t, times[number - 1] if number else -math.inf)]
        ax.text(
            shift[0] + stage.low[0] + 0.5 * wide,
            shift[1] + stage.low[1] - 0.06,
            "\n".join(said),
            ha="center",
            va="top",
            fontsize=9,
        )
    ax.set(xlim=(0.0, COLUMNS * wide), ylim=(-(ROWS - 1) * (high + stage.label) - stage.label, high), aspect="equal")
    ax.axis("off")


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
        movers = _scene(scene, stage, times), _clock(side, stage, times)
        return write_animation(path, figure, movers, len(times), SLOWER * FRAME, False, drawn)


def _scene(ax: Axes, stage: Stage, times: Array) -> Mover:
    bodies = empty_collection()
    ax.add_collection(bodies)
    ax.set(xlim=(stage.low[0], stage.high[0]), ylim=(stage.low[1], stage.high[1]), aspect="equal")
    ax.axis("off")
    label = ax.text(0.02, 0.98, "", transform=ax.transAxes, va="top", fontsize=10)

    def move(frame: int) -> None:
        t = float(times[frame])
        stage.drawn(t).put_into(bodies)
        label.set_text("\n".join([f"{t:.2f} s", *stage.happened(t, -math.inf)]))

    return mover(ax, move, bodies, label)


def _clock(ax: Axes, stage: Stage, times: Array) -> Mover:
    """The energies, and where the moment is in them."""
    draw_energies(ax, stage.traj, told=False)
    (now,) = ax.plot([], [], color=INK, linewidth=1.2)

    def move(frame: int) -> None:
        now.set_data([times[frame]] * 2, ax.get_ylim())

    return mover(ax, move, now)
