"""A gait in curves: over time with its phases, and over the gait cycle as means and bands of all strides."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from ..mocap.gait_cycles import FLEXION, PERCENT, View, over_strides, powers, sagittal_moments, strides
from ..mocap.gait_events import SIDES
from ..mocap.gait_result import Gait
from ..mocap.gait_summary import phase_runs
from .gait_colours import SIDE_COLOURS
from .style import BLUE, DASHES, GREEN, GREY, INK, ORANGE, PURPLE

Array = NDArray[np.float64]

PHASE_COLOURS = {"left": BLUE, "right": ORANGE, "both": PURPLE, "none": GREY}
PHASE_NAMES = {"left": "left foot", "right": "right foot", "both": "both feet", "none": "flight"}
_BAND, _TINT = 0.2, 0.13  # how dark bands of strides and of phases are
_WIDTHS = {"left": 3.0, "right": 1.2}  # of lines: one that lies on the other can still be seen


class Curves:
    """What is drawn of a gait, by side, per weight or per kg."""

    def __init__(self, gait: Gait) -> None:
        self.gait = gait
        weight = gait.mass * float(np.linalg.norm(gait.motion.mech.gravity))
        view = View.of(gait)
        self.vertical = {side: force[:, 2] / weight for side, force in gait.reaction.items()}
        self.forward = {side: view.along(force) / weight for side, force in gait.reaction.items()}
        self.inward = {
            side: view.across(force) / weight * (-1.0 if side == "left" else 1.0) for side, force in gait.reaction.items()
        }
        moments, watts = sagittal_moments(gait, view), powers(gait)
        self.moment = {joint: _per_kg(moments, joint, gait.mass) for joint in FLEXION}
        self.power = {joint: _per_kg(watts, joint, gait.mass) for joint in FLEXION}

    def panels(self) -> dict[str, tuple[str, str, dict[str, Array]]]:
        """Title, unit and curves of each panel of the gait cycle, by its letter."""
        force, moment, power = "body weights", "N m/kg", "W/kg"
        found = {
            "a": ("vertical force", force, self.vertical),
            "b": ("fore–aft force, + forward", force, self.forward),
            "c": ("sideways force, + inward", force, self.inward),
        }
        for letter, (joint, (positive, _)) in zip("def", FLEXION.items(), strict=True):
            found[letter] = (f"{joint} moment, + {positive}", moment, self.moment[joint])
        for letter, joint in zip("ghi", FLEXION, strict=True):
            found[letter] = (f"{joint} power, + given", power, self.power[joint])
        return found


def cycle_drawings(gait: Gait, against: Gait | None) -> dict[str, Callable[[Axes], object]]:
    """A drawing for each panel of the gait cycle."""
    curves, others = Curves(gait).panels(), Curves(against).panels() if against is not None else {}
    return {
        letter: partial(_draw_cycle, gait=gait, shown=shown, against=against, other=others.get(letter), letter=letter)
        for letter, shown in curves.items()
    }


def _draw_cycle(
    ax: Axes, gait: Gait, shown: tuple[str, str, dict[str, Array]], against: Gait | None, other: Any, letter: str
) -> None:
    title, unit, by_side = shown
    ax.axhline(0.0, color=INK, linewidth=0.8)
    for side, values in by_side.items():
        _draw_mean(ax, over_strides(gait, values, side), side, "-", band=True)
        if against is not None and other is not None and side in other[2]:
            _draw_mean(ax, over_strides(against, other[2][side], side), side, DASHES, band=False)
        offs = [100.0 * (s.off - s.start) / (s.end - s.start) for s in strides(gait) if s.foot == side]
        if np.isfinite(offs).any():
            ax.axvline(float(np.nanmean(offs)), color=SIDE_COLOURS[side], linewidth=0.5 * _WIDTHS[side], linestyle=":")
    if not any(values.any() for values in by_side.values()):
        ax.text(50.0, 0.0, "not known", ha="center", va="bottom", color=GREY)
        ax.set_yticks([])
    ax.set_title(title, fontsize=10)
    ax.set(xlim=(0.0, 100.0), ylabel=unit if letter in "adg" else "", xlabel="% of the stride" if letter in "ghi" else "")
    if letter == "b":
        ax.legend(handles=_handles(against), loc="lower center", bbox_to_anchor=(0.5, 1.15), ncols=5, handlelength=1.8)


def _draw_mean(ax: Axes, rows: Array, side: str, line: Any, band: bool) -> None:
    """The mean of strides, and between which values one standard deviation is."""
    if not len(rows):
        return
    mean, spread, colour = rows.mean(axis=0), rows.std(axis=0), SIDE_COLOURS[side]
    ax.plot(PERCENT, mean, color=colour, linewidth=_WIDTHS[side] if line == "-" else 1.4, linestyle=line, zorder=3)
    if band and len(rows) > 1:
        ax.fill_between(PERCENT, mean - spread, mean + spread, color=colour, alpha=_BAND, linewidth=0.0, zorder=2)


def _handles(against: Gait | None, over_time: bool = False) -> list[Any]:
    widths = dict.fromkeys(SIDES, 1.8) if over_time else _WIDTHS
    handles: list[Any] = [Line2D([], [], color=SIDE_COLOURS[side], linewidth=widths[side], label=side) for side in SIDES]
    if not over_time:
        handles.append(Line2D([], [], color=INK, linewidth=0.9, linestyle=":", label="toe-off"))
    if against is not None:
        handles.append(Line2D([], [], color=INK, linewidth=1.8, linestyle=DASHES, label="with plates"))
    return handles


# --- over time -----------------------------------------------------------------------------------------------------------


def time_drawings(gait: Gait, against: Gait | None) -> dict[str, Callable[[Axes], object]]:
    """Forces and moments over time."""
    found: dict[str, Callable[[Axes], object]] = {
        "a": partial(draw_vertical, gait=gait, against=against, legend=True),
        "b": partial(draw_forward, gait=gait, against=against),
    }
    for letter, joint in zip("cde", FLEXION, strict=True):
        found[letter] = partial(draw_moment, gait=gait, against=against, joint=joint)
    return found


def draw_vertical(ax: Axes, gait: Gait, against: Gait | None, legend: bool = False) -> None:
    """The vertical force on each foot over time."""
    _draw_time(ax, gait, against, lambda curves: curves.vertical)
    ax.set(ylabel="vertical force\n(body weights)", ylim=(min(0.0, ax.get_ylim()[0]), None))
    present = dict.fromkeys((*PHASE_NAMES, *np.unique(gait.phase).tolist()))
    handles = [
        Patch(color=phase_colour(phase), alpha=2.0 * _TINT, linewidth=0, label=phase_name(phase))
        for phase in present
        if (gait.phase == phase).any()
    ]
    lines = _handles(against, over_time=True) if legend else []
    others = [name for name in gait.reaction if name not in SIDES]
    if legend and others:
        lines.append(Line2D([], [], color=GREEN, linewidth=1.8, label=", ".join(others).replace("_", " ")))
    ax.legend(
        handles=[*lines, *handles], loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=7 if legend else 3,
        handlelength=1.6, columnspacing=1.2, fontsize=10 if legend else 9,
    )  # fmt: skip


def draw_forward(ax: Axes, gait: Gait, against: Gait | None) -> None:
    """The force along the way over time."""
    _draw_time(ax, gait, against, lambda curves: curves.forward)
    ax.set(ylabel="fore–aft force\n(body weights)")


def draw_moment(ax: Axes, gait: Gait, against: Gait | None, joint: str) -> None:
    """The moment of a joint in the plane of walking over time."""
    _draw_time(ax, gait, against, lambda curves: curves.moment[joint])
    ax.set(ylabel=f"{joint} {FLEXION[joint][0]}\n(N m/kg)", xlabel="time (s)" if joint == "hip" else "")


def phase_name(phase: str) -> str:
    """Who carries the body, in words."""
    feet, *others = phase.split("+")
    return " and ".join([PHASE_NAMES.get(feet, feet.replace("_", " ")), *(name.replace("_", " ") for name in others)])


def phase_colour(phase: str) -> str:
    """Of a band: by the feet that stand."""
    return PHASE_COLOURS.get(phase.split("+", maxsplit=1)[0], GREEN)


def draw_phases(ax: Axes, gait: Gait) -> None:
    """Who carries the body, as coloured bands."""
    for phase, root, start, end in phase_runs(gait):
        if root:
            ax.axvspan(start, end, color=phase_colour(phase), alpha=_TINT, linewidth=0.0, zorder=0)


def _draw_time(ax: Axes, gait: Gait, against: Gait | None, pick: Callable[[Curves], dict[str, Array]]) -> None:
    draw_phases(ax, gait)
    ax.axhline(0.0, color=INK, linewidth=0.8)
    for side, values in pick(Curves(gait)).items():
        ax.plot(gait.t, values, color=SIDE_COLOURS.get(side, GREEN), linewidth=1.8)
    if against is not None:
        for side, values in pick(Curves(against)).items():
            ax.plot(against.t, values, color=SIDE_COLOURS.get(side, GREEN), linewidth=1.5, linestyle=DASHES)
    ax.grid(visible=False, axis="x")
    ax.set(xlim=(gait.t[0], gait.t[-1]))


def _per_kg(values: Any, joint: str, mass: float) -> dict[str, Array]:
    return {side: values[f"{side}_{joint}"] / mass for side in SIDES if f"{side}_{joint}" in values}
