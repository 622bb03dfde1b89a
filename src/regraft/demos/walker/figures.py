"""Pictures of a passive walk: a strobe picture, and Figs. 10 and 11 of S1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ...models.bipeds import LEGS, standing_leg
from ...show.style import BLUE, DASHES, EARTH, GREEN, GREY, INK, ORANGE, PURPLE
from .walk import LegMotion, Walk, positions

Array = NDArray[np.float64]
T = TypeVar("T")

LEG_COLOURS = dict(zip(LEGS, (BLUE, ORANGE), strict=True))
SHOWN_STEPS, FLASHES = 6, 7  # of the strobe picture, and poses in each of its steps
FADING_STEPS = 10  # of a disturbed walk in the phase portrait
LONGEST_AXIS = 60  # steps; by then rounding is all that changes


# --- the walk down the slope ---------------------------------------------------------------------------------------------


def draw_strobe(ax: Axes, walk: Walk) -> None:
    """The first steps from the side, walking to the right: poses at equal times, bold at the strikes, and the path of the hip."""
    segments = walk.trajectory.segments[:SHOWN_STEPS]
    strikes = np.array([segments[0].t[0], *(segment.t[-1] for segment in segments)])
    between = [np.linspace(a, b, FLASHES + 1)[1:-1] for a, b in pairwise(strikes)]
    for times, alpha, width in ((np.concatenate(between), 0.30, 1.0), (strikes, 1.0, 2.0)):
        _draw_poses(ax, positions(walk, times), alpha, width)
    path = positions(walk, np.linspace(strikes[0], strikes[-1], 40 * len(segments)))["hip"]
    ax.plot(*path.T, color=INK, linewidth=1.2, zorder=4)
    at_strikes = positions(walk, strikes)
    ax.plot(*at_strikes["hip"].T, "o", color=INK, markersize=4.5, zorder=5)
    _draw_slope(ax, walk, np.concatenate([at_strikes[leg][:, 0] for leg in LEGS]))
    handles = [Line2D([], [], color=LEG_COLOURS[leg], linewidth=2.0, label=f"{leg} leg") for leg in LEGS]
    handles.append(Line2D([], [], color=INK, linewidth=1.2, marker="o", markersize=4.5, label="hip"))
    ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, handlelength=1.6)
    ax.grid(visible=False)
    ax.set(aspect="equal", xlabel="distance (m)", ylabel="height (m)")
    ax.yaxis.set_major_locator(MaxNLocator(4))


def _draw_poses(ax: Axes, places: dict[str, Array], alpha: float, width: float) -> None:
    for leg in LEGS:
        lines = np.stack((places["hip"], places[leg]), axis=1)
        ax.add_collection(LineCollection(list(lines), colors=LEG_COLOURS[leg], linewidths=width, alpha=alpha, zorder=3))


def _draw_slope(ax: Axes, walk: Walk, reached: Array) -> None:
    margin = 0.25 * walk.biped.length
    ends = np.array([reached.min() - margin, reached.max() + margin])
    ground = -math.tan(walk.biped.slope) * ends
    lowest = ground.min() - 0.12 * walk.biped.length
    ax.fill_between(ends, ground, lowest, color=EARTH, linewidth=0, zorder=1)
    ax.plot(ends, ground, color=INK, linewidth=1.2, zorder=2)
    ax.set(xlim=ends, ylim=(lowest, None))


# --- S1, Fig. 10 ---------------------------------------------------------------------------------------------------------

_PHASES = ((True, "leg supports"), (False, "leg swings"))


def draw_phase(ax: Axes, walk: Walk, disturbed: Sequence[Walk], leg: str = LEGS[0]) -> None:
    """The phase portrait of one leg: the last two steps, bold, and disturbed walks that come back to them, thin."""
    for other in disturbed:
        _draw_cycle(ax, other.leg(leg)[:FADING_STEPS], alpha=0.55, width=0.8)
    pieces = last_steps(walk, walk.leg(leg))
    _draw_cycle(ax, pieces, alpha=1.0, width=2.2, closed=walk.settled)
    for piece in pieces:
        _draw_arrow(ax, piece)
    present = {piece.supports for piece in pieces}
    handles = [Line2D([], [], color=_colour(phase), linewidth=2.2, label=name) for phase, name in _PHASES if phase in present]
    handles.append(Line2D([], [], color=GREY, linewidth=1.3, linestyle=DASHES, label="heel strike"))
    if disturbed:
        handles.append(Line2D([], [], color=INK, linewidth=0.8, alpha=0.55, label="disturbed walks"))
    ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, handlelength=1.8, columnspacing=1.2)
    ax.set(xlabel=r"angle of the leg from the vertical, $\theta$ (rad)", ylabel=r"its rate, $\dot\theta$ (rad/s)")


def last_steps(walk: Walk, pieces: list[T]) -> list[T]:
    """Of the pieces of a walk those of its last two steps; of one that fell, those that led to it."""
    if walk.fell:
        return pieces[-3:]
    made = len(walk.steps)
    return pieces[max(0, made - 2) : max(made, 1)]


def _colour(supports: bool) -> str:
    return GREEN if supports else PURPLE


def _draw_cycle(ax: Axes, pieces: list[LegMotion], alpha: float, width: float, closed: bool = False) -> None:
    for piece in pieces:
        ax.plot(piece.angle, piece.rate, color=_colour(piece.supports), linewidth=width, alpha=alpha, zorder=2 + alpha)
    following = [*pieces[1:], pieces[0]] if closed else pieces[1:]
    for piece, after in zip(pieces, following, strict=False):
        jump = (piece.angle[-1], after.angle[0]), (piece.rate[-1], after.rate[0])
        ax.plot(*jump, color=GREY, linewidth=0.6 * width, linestyle=DASHES, alpha=alpha, zorder=2 + alpha)
        if alpha == 1.0:
            ax.plot(*jump, "o", color=INK, markersize=4, linestyle="none", zorder=5)


def _draw_arrow(ax: Axes, piece: LegMotion) -> None:
    """An arrow half way along the drawn curve."""
    wide, high = (float(np.ptp(values)) or 1.0 for values in (piece.angle, piece.rate))
    run = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(piece.angle) / wide, np.diff(piece.rate) / high))))
    i = max(1, int(np.searchsorted(run, 0.5 * run[-1])))
    tail, head = (piece.angle[i - 1], piece.rate[i - 1]), (piece.angle[i], piece.rate[i])
    ax.annotate("", head, tail, arrowprops=_arrow(_colour(piece.supports)), zorder=4)


def _arrow(colour: str) -> dict[str, Any]:
    return {"arrowstyle": "-|>,head_length=0.55,head_width=0.28", "color": colour, "shrinkA": 0, "shrinkB": 0}


# --- S1, Fig. 11 ---------------------------------------------------------------------------------------------------------


_TOLD = 0.15  # of the width of a line: a loss that is smaller has no room for its number


def draw_energies(ax: Axes, walk: Walk) -> None:
    """Potential against kinetic energy in the last two steps; a slanting line has one total energy."""
    history = walk.trajectory.energy()
    made = len(walk.steps)
    first = max(0, made - 2)
    shown = slice(first, max(made, 1))
    kinetics, potentials = (walk.by_segment(values)[shown] for values in (history.kinetic, history.potential))
    handles = []
    for number, (kinetic, potential) in enumerate(zip(kinetics, potentials, strict=True)):
        prime, height = "′" * number, potential - potentials[0][0]
        leg = standing_leg(walk.trajectory.segments[first + number].mech)
        handles += ax.plot(kinetic, height, color=LEG_COLOURS[leg], linewidth=2.2, zorder=3, label=f"on the {leg} leg")
        _label(ax, "A" + prime, kinetic[0], height[0], (-15, -13))
        if top := int(np.argmax(height)):
            _label(ax, "B" + prime, kinetic[top], height[top], (6, 4))
        if first + number < made:
            _label(ax, "C" + prime, kinetic[-1], height[-1], (7, -4))
            after = kinetic[-1] - walk.steps[first + number].lost
            _draw_loss(ax, kinetic[-1], after, height[-1], told=kinetic[-1] - after > _TOLD * np.ptp(kinetic))
            if first + number + 1 == made:
                _label(ax, "A" + prime + "′", after, height[-1], (-15, -13))
    handles.append(Line2D([], [], color=GREY, linewidth=1.6, linestyle=DASHES, label="heel strike"))
    ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, handlelength=1.8, columnspacing=1.2)
    ax.set(aspect="equal", xlabel="kinetic energy (J)", ylabel="potential energy above that at A (J)")
    ax.margins(0.14, 0.08)


def _draw_loss(ax: Axes, before: float, after: float, height: float, told: bool) -> None:
    """The kinetic energy that a strike takes, while nothing moves up or down; in words where there is room."""
    ax.plot((before, after), (height, height), color=GREY, linewidth=1.6, linestyle=DASHES, zorder=2)
    if not told:
        return
    middle = 0.5 * (before + after)
    ax.annotate("", (middle - 0.02 * (before - after), height), (middle, height), arrowprops=_arrow(GREY), zorder=2)
    ax.annotate(
        f"−{before - after:.2f} J", (middle, height), (0, -5), textcoords="offset points", ha="center", va="top", fontsize=9
    )


def _label(ax: Axes, name: str, x: float, y: float, where: tuple[float, float]) -> None:
    ax.plot(x, y, "o", color=INK, markersize=4.5, zorder=5)
    ax.annotate(name, (x, y), where, textcoords="offset points", fontsize=11, fontstyle="italic", zorder=6, annotation_clip=False)


# --- convergence ---------------------------------------------------------------------------------------------------------


def draw_convergence(ax: Axes, walks: dict[str, Walk]) -> None:
    """How far the state after the strike is from the limit cycle; without one, how much it changes from step to step."""
    cyclic = all(not np.isnan(step.off_cycle) for walk in walks.values() for step in walk.steps)
    for (name, walk), colour, mark in zip(walks.items(), (BLUE, ORANGE, GREEN), "os^", strict=False):
        far = np.array([step.off_cycle if cyclic else step.change for step in walk.steps[:LONGEST_AXIS]])
        ax.semilogy(np.arange(1, len(far) + 1), far, color=colour, marker=mark, markersize=3.5, linewidth=1.0, label=name)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, handlelength=1.8, columnspacing=1.2)
    longest = max(min(len(walk.steps), LONGEST_AXIS) for walk in walks.values())
    what = "distance from the\nlimit cycle" if cyclic else "change of the state\nper step"
    ax.set(xlabel="step", ylabel=f"{what} (rad, rad/s)", xlim=(0.0, longest + 1.0))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
