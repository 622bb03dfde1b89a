"""What a motion should keep, and how far it has drifted: momentum, energy, and the joints' gaps (S3)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ask.loop_measures import loop_gaps
from ..atomic import path_of, writing
from ..describe.mechanism import Mechanism
from ..errors import ModelError, listed
from ..extras import require
from .recorded import Segment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

_INTERVALS = 60  # of the whole time, in which the largest gap is drawn
_LEAST, _ROUNDING = 1e-16, 1e-13  # the ends of an axis on which gaps that are rounding look like that


class JointGap(NamedTuple):
    """How far a joint is open over time.

    Attributes
    ----------
    position : (samples,) array
        Metres or radians, whichever is more.
    velocity : (samples,) array
        These per second.
    """

    position: Array
    velocity: Array


class Invariants(NamedTuple):
    """How far a motion has drifted from what it should keep, at all samples; counted from the last change of structure on.

    Which of these a mechanism keeps is a matter of physics: all of them where it floats without gravity, friction and motors; not
    energy where there is friction or a motor, nor momentum where gravity, the world or a spring to it acts on it.

    Attributes
    ----------
    t : (samples,) array
        The times.
    linear : (samples, 3) array
        Change of linear momentum.
    angular : (samples, 3) array
        Change of angular momentum about the world's origin.
    energy : (samples,) array
        Change of kinetic and potential energy together.
    gaps : mapping of str to JointGap
        By joint that can come apart: those that close loops, and in maximal coordinates all; NaN while a joint is not there.
    """

    t: Array
    linear: Array
    angular: Array
    energy: Array
    gaps: Mapping[str, JointGap]

    @property
    def worst(self) -> dict[str, float]:
        """The largest of each."""
        gaps = self.gaps.values()
        return {
            "linear": float(np.linalg.norm(self.linear, axis=1).max()),
            "angular": float(np.linalg.norm(self.angular, axis=1).max()),
            "energy": float(np.abs(self.energy).max()),
            "position gap": max((float(np.nanmax(gap.position)) for gap in gaps), default=0.0),
            "velocity gap": max((float(np.nanmax(gap.velocity)) for gap in gaps), default=0.0),
        }

    def plot(self, path: str | Path | None = None) -> Figure:
        """A picture of all of them over time. Needs `regraft[show]`.

        Parameters
        ----------
        path : str or Path, optional
            A file to write it to.

        Returns
        -------
        matplotlib.figure.Figure
        """
        require("matplotlib", "a plot")
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # slow to import, and of use here alone
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 7), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(2, 2, sharex=True)
        _draw_vector(axes[0, 0], self.t, self.linear, "linear momentum, change (N s)")
        _draw_vector(axes[0, 1], self.t, self.angular, "angular momentum, change (N m s)")
        axes[1, 0].plot(self.t, self.energy, color="#b5543c")
        axes[1, 0].set_title("energy, change (J)", loc="left", fontsize=10)
        _draw_gaps(axes[1, 1], self.t, self.gaps)
        for ax in axes.flat:
            ax.grid(alpha=0.25)
            ax.spines[["top", "right"]].set_visible(False)
        for ax in axes[1]:
            ax.set_xlabel("time (s)")
        if path is not None:
            _save(figure, path)
        return figure


def _save(figure: Figure, path: str | Path) -> None:
    """Write a picture to a file of exactly this name; its ending says which format it has."""
    form = path_of(path).suffix.lower().removeprefix(".") or "png"
    known = figure.canvas.get_supported_filetypes()
    if form not in known:
        raise ModelError(f"cannot write {str(path)!r}: there are no pictures of the format {form!r}, but: {listed(known)}.")
    with writing(path) as beside:
        figure.savefig(beside, dpi=150, format=form)


def largest_by_interval(t: Array, values: Array, count: int) -> tuple[Array, Array]:
    """The edges of equal intervals of time and the largest value in each: what rounding does from step to step says nothing."""
    edges = np.linspace(t[0], t[-1], count + 1)
    largest = np.full(count, np.nan)
    np.fmax.at(largest, np.clip(np.searchsorted(edges, t, side="right") - 1, 0, count - 1), values)
    return edges, largest


def _draw_vector(ax: Any, t: Array, values: Array, title: str) -> None:
    for component, name, color in zip(values.T, "xyz", ("#3b6ea8", "#5a9367", "#c08a2d"), strict=True):
        ax.plot(t, component, color=color, label=name)
    ax.set_title(title, loc="left", fontsize=10)
    ax.legend(frameon=False, ncols=3, fontsize=8)


def _draw_gaps(ax: Any, t: Array, gaps: Mapping[str, JointGap]) -> None:
    """The largest position gaps in intervals of time, with the names of the three that open most."""
    most = sorted(gaps, key=lambda name: -float(np.nanmax(gaps[name].position)))
    for rank, name in enumerate(most):
        edges, largest = largest_by_interval(t, gaps[name].position, _INTERVALS)
        shown = np.where(largest > 0.0, np.maximum(largest, _LEAST), largest)
        if rank < 3:
            ax.stairs(shown, edges, baseline=None, linewidth=1.5, label=name)
        else:
            ax.stairs(shown, edges, baseline=None, color="0.8", linewidth=0.8, zorder=1)
    widest = max((float(np.nanmax(gap.position)) for gap in gaps.values()), default=0.0)
    ax.set_yscale("log", nonpositive="mask")
    ax.set_ylim(_LEAST, max(_ROUNDING, 3.0 * widest))
    ax.set_title("gaps of the joints (m or rad)", loc="left", fontsize=10)
    if most:
        ax.legend(frameon=False, fontsize=8)


def _that_hold(mech: Mechanism) -> tuple[str | None, ...]:
    """The names of loop joints, None for one that holds nothing, then those of couplings; one that a joint has too is marked."""
    loops = [None if mech.joints[name].type.nv == 6 else name for name in mech.loop_joints]
    return (*loops, *(f"{name} (coupling)" if name in mech.joints else name for name in mech.layout.couplings))


def invariants(segments: tuple[Segment, ...], energies: Array, linear: Array, angular: Array) -> Invariants:
    """The drifts of all segments, from what a trajectory knows at all samples."""
    counts = [len(segment.t) for segment in segments]
    first = np.repeat(np.cumsum([0, *counts[:-1]]), counts)
    names = dict.fromkeys(name for segment in segments for name in _that_hold(segment.moved) if name is not None)
    gaps = {name: JointGap(np.full(len(first), np.nan), np.full(len(first), np.nan)) for name in names}
    at = 0
    for segment, count in zip(segments, counts, strict=True):
        found = loop_gaps(segment.moved, segment.x)
        for l, name in ((l, name) for l, name in enumerate(_that_hold(segment.moved)) if name is not None):
            gaps[name].position[at : at + count], gaps[name].velocity[at : at + count] = found[:, l, 0], found[:, l, 1]
        at += count
    t = np.concatenate([segment.t for segment in segments])
    return Invariants(t, linear - linear[first], angular - angular[first], energies - energies[first], gaps)
