"""Pictures of an act: poses side by side as in S2's Figs. 20 and 21, energies, gaps of the loops, and a page that plays it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ...show.filming import film_of
from ...show.html import write_film
from ...show.player_page import Showing
from ...show.scene import Scene, draw_strip
from ...show.style import BLUE, DASHES, GREEN, GREY, INK, ORANGE, draw, draw_all
from ...simulate import Trajectory
from ...simulate.invariants import largest_by_interval
from .plan import Part, Plan

Array = NDArray[np.float64]

SLOWER = 2.0  # how much slower than it is a motion is played
_INTERVALS = 60  # of the whole time, in which the largest gap is looked for
_ROUNDING = 1e-14  # m, rad: loops that are closed to rounding are not open by more


def draw_act_pictures(
    out: Path, plan: Plan, traj: Trajectory, found: Sequence[Part], drawn: Callable[[int, int], object]
) -> list[Path]:
    """Draw them all; `drawn` is told how many of how many parts are done."""
    starts = [float(segment.t[0]) for segment in traj.segments]
    notes = {t: f"{part.joints} coordinates, {part.dof} dof" for t, part in zip(starts, found, strict=True)}
    scene = Scene(plan.camera, traj, rows=3, columns=4, notes=notes)
    loops = {"a": partial(draw_counts, traj=traj, found=found), "b": partial(draw_gaps, traj=traj)}
    pictures: list[Callable[[], Path]] = [
        partial(draw, out / "strip.png", scene.strip_size, {"a": partial(draw_strip, scene=scene)}, "a"),
        partial(draw, out / "energy.png", (7.2, 3.6), {"a": partial(draw_energies, traj=traj)}, "a"),
        partial(draw, out / "loops.png", (7.2, 5.4), loops, "a\nb", sharex=True),
    ]
    showing = Showing(plan.title, *plan.camera, SLOWER, autoplay=True, loop=True)
    return draw_all([*pictures, lambda: write_film(film_of(traj), out / f"{plan.name}.html", showing)], drawn)


def draw_energies(ax: Axes, traj: Trajectory) -> None:
    """The energies over time. Potential energy is zero on the ground, where the world's origin is."""
    history = traj.energy()
    for name, values, colour in (
        ("kinetic", history.kinetic, BLUE),
        ("potential", history.potential, ORANGE),
        ("total", history.total, INK),
    ):
        ax.plot(history.t, values, color=colour, linewidth=1.8, label=name)
    _mark_changes(ax, traj, told=True)
    ax.legend(handlelength=1.6, loc="center left", bbox_to_anchor=(1.0, 0.5))
    ax.set(xlabel="time (s)", ylabel="energy (J), potential: 0 on the ground", xlim=(traj.t[0], traj.t[-1]), ylim=(0.0, None))


def draw_counts(ax: Axes, traj: Trajectory, found: Sequence[Part]) -> None:
    """The coordinates of all joints, and the degrees of freedom that the loops leave of them, from change to change."""
    edges = [float(traj.t[0]), *(part.end for part in found)]
    rows = (("coordinates of all joints", INK, [part.joints for part in found]),
            ("degrees of freedom", BLUE, [part.dof for part in found]))  # fmt: skip
    for name, colour, counts in rows:
        ax.stairs(counts, edges, baseline=None, color=colour, linewidth=1.8, label=name)
    for part, start in zip(found, edges, strict=False):
        for count, colour in {part.dof: BLUE, part.joints: INK}.items():
            middle: Any = {"ha": "center", "va": "bottom", "fontsize": 9, "color": colour}
            ax.annotate(str(count), (0.5 * (start + part.end), count), (0, 2), textcoords="offset points", **middle)
    _mark_changes(ax, traj, told=True)
    ax.legend(loc="lower right", handlelength=1.6)
    ax.set(ylabel="how many", ylim=(0.0, 1.2 * max(part.joints for part in found)))


def draw_gaps(ax: Axes, traj: Trajectory) -> None:
    """The largest gap of a loop in intervals of time, while there are loops."""
    ax.axhspan(0.0, _ROUNDING, color=GREY, alpha=0.15, linewidth=0.0)
    ax.annotate("rounding", (1.0, _ROUNDING), (-4, -3), xycoords=("axes fraction", "data"), textcoords="offset points",
                ha="right", va="top", fontsize=8, color=INK)  # fmt: skip
    gaps, worst = np.split(traj.loop_error().position, np.cumsum([len(segment.t) for segment in traj.segments])[:-1]), _ROUNDING
    for segment, gap in zip(traj.segments, gaps, strict=True):
        if segment.mech.loop_joints and segment.t[-1] > segment.t[0]:
            share = (segment.t[-1] - segment.t[0]) / (traj.t[-1] - traj.t[0])
            edges, largest = largest_by_interval(segment.t, gap, max(1, round(_INTERVALS * share)))
            ax.stairs(largest, edges, baseline=None, color=GREEN, linewidth=1.6)
            worst = max(worst, float(gap.max()))
    _mark_changes(ax, traj, told=False)
    ax.set(xlabel="time (s)", ylabel="largest gap of a loop (m, rad)", xlim=(traj.t[0], traj.t[-1]))
    ax.set(yscale="log", ylim=(1e-16, 10.0 * worst))


def _mark_changes(ax: Axes, traj: Trajectory, told: bool) -> None:
    """A line where the structure changes."""
    for number, (t, name) in enumerate((segment.t[-1], segment.event or "") for segment in traj.segments[:-1]):
        ax.axvline(t, color=GREY, linewidth=1.2, linestyle=DASHES, zorder=1)
        if told:
            place: Any = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            ax.annotate(name, (t, 1.0), (0, 2 + 10 * (number % 3)), ha="center", va="bottom", fontsize=8, color=INK, **place)
