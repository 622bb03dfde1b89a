"""Curves over time: energy, momentum, and a joint; as a run goes on, or over a whole motion with a line at the time shown."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ask.balance import energy, momentum
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import RegraftError
from ..show.colours import BLUE, GREEN, INK, ORANGE, PURPLE
from .controls import MUTED, heard, paragraphs

Array = NDArray[np.float64]

ENERGY, MOMENTUM, TURNING = "Energy, J", "Momentum, N s", "Angular momentum, N m s"
COLOURS = (INK, BLUE, ORANGE, GREEN, PURPLE, "#8A6A3B", "#8A8A8A")
_HEIGHT = 230  # px
_THIN = 1_000_000  # parts of a motion, one of which is as wide as the line at the time that is shown
_WINDOW = 10.0  # s: how long a run is shown
_EVERY = 0.05  # s of the motion between two points of a curve
_AXES = ({"size": 30, "label": "t, s", "labelSize": 16}, {"size": 62})


class Quantity(NamedTuple):
    """Something to plot: its curves' names, and how they are found."""

    curves: tuple[str, ...]

    @staticmethod
    def of(what: str, mech: Mechanism) -> Quantity:
        """The curves of a quantity; of a joint one for each of its numbers."""
        if what == ENERGY:
            return Quantity(("total", "motion", "height and springs"))
        if what in (MOMENTUM, TURNING):
            return Quantity(("x", "y", "z"))
        count = mech.joints[what].type.nq if what in mech.joints else 0
        return Quantity(("q",) if count == 1 else tuple(f"q{k + 1}" for k in range(count)))


def values_of(what: str, mech: Mechanism, state: State) -> list[float]:
    """The numbers of a quantity in a state."""
    if what == ENERGY:
        found = energy(mech, state)
        return [found.total, found.kinetic, found.potential]
    if what in (MOMENTUM, TURNING):
        moved = momentum(mech, state)
        return [float(x) for x in (moved.linear if what == MOMENTUM else moved.angular)]
    return [float(x) for x in np.atleast_1d(mech.joint_position(state, what))]


def series_of(curves: tuple[str, ...], extra: tuple[dict[str, Any], ...] = ()) -> tuple[dict[str, Any], ...]:
    """How curves are drawn."""
    drawn = (
        {"label": name, "stroke": COLOURS[k % len(COLOURS)], "width": 1.5, "points": {"show": False}}
        for k, name in enumerate(curves)
    )
    return {"label": "t, s"}, *drawn, *extra


def add_plot(gui: Any, data: tuple[Array, ...], series: tuple[dict[str, Any], ...]) -> Any:
    """A plot in a panel."""
    scales = {"x": {"time": False, "auto": True}}
    return gui.add_uplot(data, series, scales=scales, axes=_AXES, legend={"show": True}, height=_HEIGHT)


def plottable(mech: Mechanism) -> tuple[str, ...]:
    """All quantities of a mechanism, joints by their names."""
    return (ENERGY, MOMENTUM, TURNING, *(name for name, joint in mech.joints.items() if joint.type.nq))


class LivePlots:
    """A curve of the last seconds of a run."""

    def __init__(self, page: Any, gui: Any) -> None:
        self.page, self._gui = page, gui
        options = plottable(page.session.mech)
        self._what = ENERGY
        self._list = gui.add_dropdown("Plot", options, initial_value=self._what)
        self._list.on_update(heard(page.post, self._chosen))
        self._folder = gui.add_folder(None)
        gui.add_html(paragraphs([f"The last {_WINDOW:g} s of the run."], f"color: {MUTED}"))
        self._rows: deque[list[float]] = deque(maxlen=int(_WINDOW / _EVERY) + 1)
        self._plot: Any = None
        self._curves: tuple[str, ...] = ()

    def _chosen(self, what: str) -> None:
        if what not in self._list.options:  # of a page that is not up to date
            return
        self._what = what
        self._rows.clear()
        self.refresh()

    def refresh(self) -> None:
        """One more point, and the curves as they are then."""
        session = self.page.session
        with session.lock:
            moment = session.moment
        options = plottable(moment.mech)
        if self._list.options != options:
            self._list.options = options
            self._what = self._what if self._what in options else ENERGY
            if self._list.value != self._what:
                self._list.value = self._what
        curves = Quantity.of(self._what, moment.mech).curves
        if curves != self._curves:
            self._rows.clear()
        while self._rows and self._rows[-1][0] > moment.t - 0.5 * _EVERY:  # undone, or the same moment again
            self._rows.pop()
        try:
            self._rows.append([moment.t, *values_of(self._what, moment.mech, moment.state)])
        except RegraftError:  # too large to be numbers, which the panel above tells
            self._rows.append([moment.t] + [np.nan] * len(curves))
        data = tuple(np.array(column) for column in zip(*self._rows, strict=True))
        if self._plot is None or curves != self._curves:
            if self._plot is not None:
                self._plot.remove()
            with self._folder:
                self._plot = add_plot(self._gui, data, series_of(curves))
            self._curves = curves
        else:
            self._plot.data = data


class PlaybackPlots:
    """A curve over a whole motion, with a line at the time that is shown."""

    def __init__(self, page: Any, gui: Any) -> None:
        self.page, self._gui = page, gui
        traj = page.playback.thinned
        self._joints = _moving_joints(traj)
        options = (*((ENERGY, MOMENTUM, TURNING) if page.playback.has_mass else ()), *self._joints)
        self._list = gui.add_dropdown("Plot", options or (ENERGY,), initial_value=(options or (ENERGY,))[0])
        self._list.on_update(heard(page.post, self.choose))
        self._folder = gui.add_folder(None)
        self._plot: Any = None
        self._shown_at = -1.0
        self.choose(str(self._list.value))

    def choose(self, what: str) -> None:
        """Plot something else."""
        if what not in (ENERGY, MOMENTUM, TURNING, *self._joints):
            return
        if self._list.value != what:
            self._list.value = what
        self._t, self._rows, curves = curves_of(self.page.playback.thinned, what)
        known = self._rows[np.isfinite(self._rows)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        margin = 0.05 * (high - low) or 0.05 * max(abs(high), 1.0)
        self._low, self._high = low - margin, high + margin
        if self._plot is not None:
            self._plot.remove()
        now = {"label": "now", "stroke": "#e64980", "width": 1.0, "points": {"show": False}}
        with self._folder:
            self._plot = self._gui.add_uplot(
                self._data(),
                series_of(curves, (now,)),
                scales={"x": {"time": False}, "y": {"range": (self._low, self._high)}},
                axes=_AXES,
                legend={"show": True},
                height=_HEIGHT,
            )

    def _data(self) -> tuple[Array, ...]:
        """Times and curves with three more points: the line at the time that is shown goes up and down there."""
        t = self.page.playback.t
        self._shown_at = t
        near = (self.page.playback.duration or 1.0) / _THIN
        more = np.array([t - near, t, t + near])
        k = int(np.searchsorted(self._t, t))
        times = np.concatenate([self._t[:k], more, self._t[k:]])
        line = np.full(len(times), self._low)
        line[k + 1] = self._high
        rows = [np.concatenate([row[:k], np.interp(more, self._t, row), row[k:]]) for row in self._rows]
        return times, *rows, line

    def refresh(self) -> None:
        """Bring the line to the time that is shown."""
        if self._plot is not None and self.page.playback.t != self._shown_at:
            self._plot.data = self._data()


def _moving_joints(traj: Any) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for segment in traj.segments:
        found |= {name: None for name, joint in segment.mech.joints.items() if joint.type.nq}
    return tuple(found)


def curves_of(traj: Any, what: str) -> tuple[Array, Array, tuple[str, ...]]:
    """Times (n,), curves (k, n) and their names, of a quantity over a trajectory."""
    if what == ENERGY:
        found = traj.energy()
        return traj.t, np.array([found.total, found.kinetic, found.potential]), ("total", "motion", "height and springs")
    if what in (MOMENTUM, TURNING):
        moved = traj.momentum()
        return traj.t, np.asarray((moved.linear if what == MOMENTUM else moved.angular).T), ("x", "y", "z")
    _, q, _ = traj.joint(what)
    rows = np.atleast_2d(np.asarray(q, float).T)
    return traj.t, rows, ("q",) if len(rows) == 1 else tuple(f"q{k + 1}" for k in range(len(rows)))
