"""Which pictures of a passive walk are drawn, into which files, and the page that plays it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ...algebra.pose import pose_along
from ...show.filming import film_of
from ...show.html import write_film
from ...show.player_page import Showing
from ...show.style import draw, draw_all
from .figures import draw_convergence, draw_energies, draw_phase, draw_strobe
from .walk import Walk

SHOWING = Showing("The passive walker", azimuth=160.0, elevation=9.0, slower=2.0, autoplay=True, loop=True)


def draw_pictures(out: Path, walk: Walk, others: dict[str, Walk], drawn: Callable[[int, int], object]) -> list[Path]:
    """Draw them all; `drawn` is told how many of how many parts are done. `others` are disturbed walks, by name."""
    strobe, energies = partial(draw_strobe, walk=walk), partial(draw_energies, walk=walk)
    phase = partial(draw_phase, walk=walk, disturbed=list(others.values()))
    convergence = partial(draw_convergence, walks={"Table 1": walk} | others)
    together, ratios = {"a": strobe, "b": phase, "c": energies}, {"height_ratios": (1, 1.1), "width_ratios": (1.35, 1)}
    pictures: list[Callable[[], Path]] = [
        partial(draw, out / "walker.png", (10.4, 8.6), together, "aa;bc", **ratios),
        partial(draw, out / "strobe.png", (10.0, 4.0), {"a": strobe}, "a"),
        partial(draw, out / "phase.png", (5.8, 4.8), {"a": phase}, "a"),
        partial(draw, out / "energy.png", (4.4, 5.2), {"a": energies}, "a"),
        partial(draw, out / "convergence.png", (5.8, 3.6), {"a": convergence}, "a"),
    ]
    return draw_all([*pictures, partial(write_motion, out / "walker.html", walk)], drawn)


def write_motion(path: Path, walk: Walk) -> Path:
    """Write the walk as a page that plays it on its slope."""
    slope = walk.biped.slope
    floor = pose_along((-math.sin(slope), 0.0, math.cos(slope)))  # it walks down towards −x
    return write_film(film_of(walk.trajectory)._replace(floor=floor), path, SHOWING)
