"""Pictures of maps of gaits: branches with their multipliers over a parameter, and basins with the cycle in them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..gait import Branch, LimitCycle
from ..tolerances import SAME_ON_CURVE
from .style import BLUE, DASHES, EARTH, GREY, INK, ORANGE, PURPLE, draw

_DOT = 2.0  # points
_BETWEEN = 12  # places from one point of a branch to the next where its multipliers are drawn
_KINDS = {"flip": ("s", ORANGE), "fold": ("D", PURPLE), "neimark-sacker": ("o", EARTH), "branch": ("^", EARTH)}
_FATES = {
    "stopped": ("#D8DCE1", "falls"),
    "elsewhere": (ORANGE, "goes elsewhere"),
    "no return": ("#9AA3AD", "does not come back"),
    "failed": (PURPLE, "cannot be computed"),
    "not a start": ("#FFFFFF", "no start"),
}
_COLOURS = (BLUE, ORANGE, PURPLE, EARTH)


def draw_map(path: Path, branches: Sequence[Branch], diagram: Any, label: str, scale: float) -> Path:
    """The times of steps over the parameter, settled ones and those of all gaits, with the largest multipliers below."""
    drawings = {
        "a": partial(_draw_steps, branches=branches, diagram=diagram, scale=scale),
        "b": partial(_draw_multipliers, branches=branches, label=label, scale=scale),
    }
    return draw(path, (8.4, 7.2), drawings, "a;b", height_ratios=(2.2, 1), sharex=True)


def _draw_steps(ax: Axes, branches: Sequence[Branch], diagram: Any, scale: float) -> None:
    if diagram is not None:
        values, times = diagram[diagram.attrs["parameter"]].values * scale, diagram.time.values
        across = np.repeat(values, times.shape[1])
        ax.plot(across, times.ravel(), ".", color=INK, markersize=_DOT, alpha=0.6, markeredgewidth=0, zorder=1)
    for branch in branches:
        if branch.returns > 1 and diagram is not None:
            continue  # whose steps are the dots
        _draw_branch(ax, branch, scale)
    for branch in branches:
        for point in branch.points:
            marker, colour = _KINDS[point.kind]
            for time in _steps_of(branch, point):
                ax.plot(point.parameter * scale, time, marker, color=colour, markersize=5.5, markeredgecolor="white", zorder=4)
    ax.set_ylabel("time of a step / s")
    there = {point.kind for branch in branches for point in branch.points}
    handles = [
        Line2D([], [], color=BLUE, label="stable gait"),
        Line2D([], [], color=BLUE, linestyle=DASHES, label="unstable gait"),
    ]
    if diagram is not None:
        handles.append(Line2D([], [], color=INK, marker=".", linestyle="", label="settled walks"))
    for kind, (marker, colour) in _KINDS.items():
        if kind in there:
            handles.append(_key(kind, color=colour, marker=marker, linestyle=""))
    ax.legend(handles=handles, loc="upper left")


def _key(label: str, **look: Any) -> Line2D:
    """A line for a legend."""
    return Line2D([], [], label=label, **look)


def _steps_of(branch: Branch, point: Any) -> list[float]:
    """The times of the steps of a gait, at a bifurcation."""
    if branch.returns == 1:
        return [float(point.period)]
    strikes = [record.t for record in branch.cycle(point.number).trajectory.events if record.name in _section(branch)]
    return [float(time) for time in np.diff([0.0, *strikes])[: branch.returns]]


def _section(branch: Branch) -> tuple[str, ...]:
    return branch.cycle(0).return_map.section


def _draw_branch(ax: Axes, branch: Branch, scale: float) -> None:
    """A curve, dashed where it is not stable."""
    x, y = branch.parameter * scale, branch.period / branch.returns
    fits = branch.stable | (np.array(branch.kinds) != "")  # a bifurcation is the end of what is stable
    pieces = fits[1:] & fits[:-1]
    for stable, run in groupby(range(len(pieces)), key=lambda i: bool(pieces[i])):
        places = list(run)
        part = slice(places[0], places[-1] + 2)
        ax.plot(x[part], y[part], color=BLUE, linestyle="-" if stable else DASHES, linewidth=1.6, zorder=3)


def multipliers_between(branch: Branch, count: int) -> tuple[Any, Any]:
    """The parameter and the largest modulus of a multiplier at so many places from each point of a branch to the next.

    Multipliers meet and part in square roots, but the coefficients of their polynomial are smooth along the branch.
    """
    from scipy.interpolate import CubicSpline  # on first use: it takes long to import

    coefficients = np.array([np.poly(found).real for found in branch.multipliers])
    p, period = branch.parameter, branch.period
    steps = np.hypot(np.diff(p) / (np.ptp(p) or 1.0), np.diff(period) / (np.ptp(period) or 1.0))
    apart = np.append(True, steps > SAME_ON_CURVE)
    s = np.append(0.0, np.cumsum(steps))[apart]
    if len(s) < 2:
        return p, np.abs(branch.multipliers).max(axis=1)
    fine = np.append(np.linspace(s[:-1], s[1:], count, endpoint=False).T.ravel(), s[-1])
    smooth = CubicSpline(s, np.column_stack((p, coefficients))[apart])(fine)
    return smooth[:, 0], np.array([np.abs(np.roots(row)).max(initial=0.0) for row in smooth[:, 1:]])


def _draw_multipliers(ax: Axes, branches: Sequence[Branch], label: str, scale: float) -> None:
    ax.axhline(1.0, color=GREY, linewidth=0.8)
    for number, branch in enumerate(branches):
        p, size = multipliers_between(branch, _BETWEEN)
        ax.plot(p * scale, size, color=_COLOURS[number % len(_COLOURS)], label=f"{branch.returns}-step gait")
    top = max(float(np.abs(branch.multipliers).max()) for branch in branches)
    ax.set_ylim(0.0, min(top * 1.05, 2.5))
    ax.set_xlabel(label)
    ax.set_ylabel("largest multiplier")
    ax.legend(loc="best")


def draw_basin(path: Path, basin: Any, cycle: LimitCycle, labels: tuple[str, str]) -> Path:
    """What becomes of each start: shades for how many returns it takes to reach the cycle."""
    return draw(path, (8.0, 6.2), {"a": partial(_draw_fates, basin=basin, cycle=cycle, labels=labels)}, "a")


def _draw_fates(ax: Axes, basin: Any, cycle: LimitCycle, labels: tuple[str, str]) -> None:
    up, across = basin.fate.dims
    x, y, fate = basin[across].values, basin[up].values, basin.fate.values
    returns = np.where(fate == "reached", basin.returns.values.astype(float), np.nan)
    edges: Any = {"extent": (*_edges(x), *_edges(y)), "origin": "lower", "aspect": "auto", "interpolation": "nearest"}
    handles: list[Any] = []
    for word, (colour, said) in _FATES.items():
        if (fate == word).any():
            ax.imshow(np.where(fate == word, 1.0, np.nan), cmap=ListedColormap([colour]), **edges)
            handles.append(Patch(facecolor=colour, edgecolor=GREY, linewidth=0.5, label=said))
    if np.isfinite(returns).any():
        image = ax.imshow(returns, cmap="viridis_r", **edges)
        ax.figure.colorbar(image, ax=ax, label="steps until the gait is reached", pad=0.02)
    place = [float(_number(cycle, name)) for name in (across, up)]
    ax.plot(*place, "*", color="white", markersize=15, markeredgecolor=INK, zorder=3)
    handles.insert(
        0, Line2D([], [], marker="*", color="white", markeredgecolor=INK, linestyle="", markersize=12, label="the gait")
    )
    ax.legend(handles=handles, loc="upper right", frameon=True, framealpha=0.9)
    ax.set_xlabel(labels[1])
    ax.set_ylabel(labels[0])
    ax.grid(False)


def _edges(values: Any) -> tuple[float, float]:
    """Where the cells of an axis begin and end, whose centres are its values."""
    half = 0.5 * (values[-1] - values[0]) / (len(values) - 1)
    return values[0] - half, values[-1] + half


def _number(cycle: LimitCycle, axis: str) -> float:
    joint, kind = axis[:-2], axis[-1]
    found = cycle.mech.joint_position(cycle.state, joint) if kind == "q" else cycle.mech.joint_velocity(cycle.state, joint)
    return float(found[0])
