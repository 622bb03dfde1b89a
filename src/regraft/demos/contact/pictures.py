"""Pictures of scenes with contacts: poses side by side, energies, forces, impulses and modes over time, pages that play them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from numpy.typing import NDArray

from ...show.filming import film_of
from ...show.html import write_film
from ...show.player_page import Showing
from ...show.scene import Scene, draw_strip
from ...show.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, draw, draw_all
from .motion import Moved

Array = NDArray[np.float64]

PLAYED, SLOWER = 4.0, (1.0, 2.0, 4.0, 5.0, 10.0)  # s that a motion lasts at least, and by how much it may be slower
FPS = 60.0  # frames per second, as it is played
MODES = {"sticking": BLUE, "rolling": GREEN, "sliding": ORANGE}
_AFTER = 1.04  # pictures end a little after a motion came to rest
_HIGHEST = 98.0  # per cent of the time: what forces are larger than in the rest of it goes beyond the picture
_SMALL = 0.1  # J: less is shown in mJ
_ROW = 0.19  # inches, of a line in the picture of modes


class ContactScene(Scene):
    """A scene until it came to rest; below its poses stands how many points touch."""

    def __init__(self, moved: Moved) -> None:
        plan = moved.plan
        super().__init__(plan.camera, moved.traj, plan.rows, plan.columns, margin=plan.margin)
        self.moved, self.end = moved, shown_until(moved)

    @property
    def moments(self) -> list[float]:
        """The times of the poses in a strip: equally far from each other, or halfway from impact to impact."""
        room = self.rows * self.columns
        struck = self.moved.struck[: room - 1, 0]
        if self.moved.plan.between_impacts and len(struck) == room - 1:
            return [self.start, *(0.5 * (struck[1:] + struck[:-1])).tolist(), self.end]
        last = self.start + self.moved.plan.early * (self.end - self.start)
        early = self.moved.plan.early < 1.0
        times: list[float] = np.linspace(self.start, last, room - early).tolist()
        return [*times, self.end] if early else times

    def happened(self, t: float, before: float) -> list[tuple[float, str]]:
        """What the user's events did; what contacts do is too much to be told."""
        own = {event.name for event in self.moved.plan.events}
        return [(moment, name) for moment, name in super().happened(t, before) if name in own]

    def said(self, number: int) -> list[str]:
        """What is written below a pose of a strip, line by line."""
        touching = self.moved.closed(self.moments[number])
        return [
            *super().said(number),
            f"{touching or 'no'} point{'' if touching == 1 else 's'} touch{'es' if touching == 1 else ''}",
        ]


def shown_until(moved: Moved) -> float:
    """The end of what is shown of a motion."""
    return min(float(moved.traj.t[-1]), _AFTER * moved.rest)


def draw_contact_pictures(out: Path, moved: Sequence[Moved], drawn: Callable[[int, int], object]) -> list[Path]:
    """Draw them all; `drawn` is told how many of how many parts are done."""
    scenes = [ContactScene(each) for each in moved]
    pictures: list[Callable[[], Path]] = []
    for each, scene in zip(moved, scenes, strict=True):
        name = each.plan.name
        pictures.append(partial(draw, out / f"{name}.png", scene.strip_size, {"a": partial(draw_strip, scene=scene)}, "a"))
        pictures.append(partial(draw_course, out / f"{name}_course.png", each))
        if name == "coin":
            pictures.append(partial(draw, out / "coin_track.png", (5.6, 4.6), {"a": partial(draw_track, moved=each)}, "a"))
        pictures.append(partial(write_motion, out / f"{name}.html", each))
    return draw_all(pictures, drawn)


def write_motion(path: Path, moved: Moved) -> Path:
    """Write a scene as a page that plays it, so slow that there is time to see it."""
    plan = moved.plan
    showing = Showing(plan.title, *plan.camera, slower(moved), loop=True)
    return write_film(film_of(moved.traj, fps=FPS * max(1.0, slower(moved))), path, showing)


def slower(moved: Moved) -> float:
    """How much slower than it is a scene is played at first."""
    return next((factor for factor in SLOWER if factor * shown_until(moved) >= PLAYED), SLOWER[-1])


def draw_course(path: Path, moved: Moved) -> Path:
    """Energies, forces, impulses and modes over time, one above the other."""
    drawings = {
        "a": partial(draw_energies, moved=moved),
        "b": partial(draw_forces, moved=moved),
        "c": partial(draw_impulses, moved=moved),
        "d": partial(draw_modes, moved=moved),
    }
    rows = _ROW * len(moved.modes) + 0.35
    heights = (2.5, 1.7, 1.5, rows)
    return draw(path, (8.6, sum(heights) + 1.0), drawings, "a\nb\nc\nd", sharex=True, height_ratios=heights)


def draw_energies(ax: Axes, moved: Moved) -> None:
    """Where the energy is, and where it went: layers whose sum stays the same."""
    layers = [
        ("potential", moved.potential, BLUE, 0.75),
        ("kinetic", moved.kinetic, GREEN, 0.75),
        ("lost by friction", moved.friction, ORANGE, 0.55),
        ("lost by impacts", moved.impacts, PURPLE, 0.55),
    ]
    layers += [(f"lost by\n{moved.plan.other}", moved.other, GREY, 0.55)] if moved.plan.other else []
    t, base = moved.traj.t, np.zeros(len(moved.traj.t))
    unit, word = (1.0, "J") if float(moved.kinetic.max()) > _SMALL else (1e3, "mJ")
    for name, values, colour, alpha in layers:
        ax.fill_between(t, base, base + unit * values, color=colour, alpha=alpha, linewidth=0.0, label=name)
        base = base + unit * values
    ax.plot(t, unit * (moved.kinetic + moved.potential), color=INK, linewidth=1.0)
    handles, labels = ax.get_legend_handles_labels()
    ax.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.2)
    ax.set(ylabel=f"energy ({word})", xlim=(moved.plan.since, shown_until(moved)), ylim=(0.0, 1.02 * float(base.max())))


def draw_forces(ax: Axes, moved: Moved) -> None:
    """What presses and rubs on the ground, in units of the weight."""
    normal, rubbing = (force / moved.weight for force in moved.on_the_ground)
    shown = moved.traj.t <= shown_until(moved)
    even = np.interp(np.linspace(moved.plan.since, shown_until(moved), 2000), moved.traj.t[shown], normal[shown])
    top = 1.3 * max(1.0, float(np.percentile(even, _HIGHEST)))
    ax.axhline(1.0, color=GREY, linewidth=0.8)
    ax.plot(moved.traj.t, normal, color=BLUE, linewidth=0.9, label="normal force")
    ax.plot(moved.traj.t, rubbing, color=ORANGE, linewidth=0.9, label="friction")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.2)
    ax.set(ylabel="of the ground\n/ weight", ylim=(0.0, top))


def draw_impulses(ax: Axes, moved: Moved) -> None:
    """The impacts, by their size."""
    if len(moved.struck):
        t, impulse = moved.struck.T
        ax.vlines(t, 0.3 * impulse.min(), impulse, color=PURPLE, linewidth=0.8)
        ax.plot(t, impulse, linestyle="none", marker="o", markersize=2.5, color=PURPLE)
        ax.set(yscale="log", ylim=(0.3 * impulse.min(), 3.0 * impulse.max()))
    ax.set(ylabel="impulse (N s)")


def draw_modes(ax: Axes, moved: Moved) -> None:
    """When what sticks, rolls and slides."""
    t = moved.traj.t
    for row, modes in enumerate(moved.modes.values()):
        edges = [0, *(np.flatnonzero(modes[1:] != modes[:-1]) + 1).tolist(), len(t) - 1]
        for word, colour in MODES.items():
            spans = [(t[a], t[b] - t[a]) for a, b in pairwise(edges) if modes[a] == word]
            ax.broken_barh(spans, (row - 0.36, 0.72), facecolor=colour, linewidth=0.0)
    names = list(moved.modes)
    ax.set_yticks(range(len(names)), names, fontsize=8)
    used = {word for modes in moved.modes.values() for word in np.unique(modes).tolist()}
    ax.legend(
        handles=[Patch(color=colour, label=word) for word, colour in MODES.items() if word in used],
        loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.2,
    )  # fmt: skip
    ax.set(xlabel="time (s)", ylim=(len(names) - 0.4, -0.6))
    ax.grid(visible=False, axis="y")


def draw_track(ax: Axes, moved: Moved) -> None:
    """The ways of the coin's middle and of where it touches, from above."""
    (name,) = moved.contacts
    history, centre = moved.contacts[name], 1e3 * moved.traj.body("coin").position
    places = np.where((history.mode != "open")[:, None], 1e3 * history.point, np.nan)
    ax.plot(places[:, 0], places[:, 1], color=ORANGE, linewidth=0.9, label="where it touches")
    ax.plot(centre[:, 0], centre[:, 1], color=BLUE, linewidth=1.6, label="its middle")
    ax.plot(*centre[0, :2], marker="o", color=INK, markersize=4)
    ax.annotate("start", (centre[0, 0], centre[0, 1]), (-3, 7), textcoords="offset points", fontsize=9)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, handlelength=1.4)
    ax.set(xlabel="x (mm)", ylabel="y (mm)", aspect="equal")
