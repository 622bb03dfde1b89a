"""`regraft map` and `regraft basin`: from the name of a walker to pictures, tables and a report in a folder."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from ..atomic import make_folder
from ..errors import ModelError, SimulationError, meant
from ..gait import Branch, LimitCycle, basin, bifurcation_diagram, continuation, limit_cycle
from ..models import compass_biped, kneed_walker, round_footed_biped, simplest_walker
from . import page
from .map_pictures import draw_basin, draw_map
from .page import Picture
from .spreadsheet import write_csv
from .terminal import narrow_table, progress_bars, tell

DEGREES = 180.0 / math.pi
_FINE = 0.03  # the largest step along a branch, so that curves look smooth
_BEFORE = 0.1  # how far before the first doubling walks are let settle, by how far beyond
_AROUND = (1.5, 0.6)  # the rates of the standing leg that are tried, by the gait's


class Walker(NamedTuple):
    """A model of its slope, in radians, a slope on which its own state is near a gait, and what it is, in words."""

    model_of: Callable[[float], Any]
    near: float
    words: str


def _walker(slope: float) -> Any:
    return compass_biped(hip_mass=10.0, leg_mass=5.0, slope=slope)


def _simplest(slope: float) -> Any:
    return simplest_walker(slope=slope)


def _kneed(slope: float) -> Any:
    return kneed_walker(slope=slope)


def _round(slope: float) -> Any:
    return round_footed_biped(slope=slope)


WALKERS = {
    "walker": Walker(_walker, 0.0524, "Two straight legs of 5 kg, a hip of 10 kg, a slope, and gravity."),
    "simplest": Walker(
        _simplest, 0.009, "Two straight legs, all mass at the hip but for a trace at the feet, a slope, and gravity."
    ),
    "kneed": Walker(_kneed, 0.0504, "Two legs with knees that lock, a slope, and gravity."),
    "round": Walker(_round, 0.01, "Two straight legs on round feet, a slope, and gravity."),
}
"""The compass of Goswami and others, with the ratios of masses that S1's has; the simplest walker of Garcia and others; walkers
with knees and with round feet. They are functions of a module, which other processes can import."""


class MapOptions(NamedTuple):
    """What a map is to have."""

    slope: tuple[float, float]
    """In radians."""
    doublings: int
    values: int
    settle: int
    keep: int
    executor: Any = None
    """Who lets the walks settle, as for `sweep`."""
    store: Path | None = None


def run_map(name: str, options: MapOptions, out: Path, console: Console) -> None:
    """Follow the gait over the slope, its doublings, and what walks settle to; draw, write, and say what was found."""
    walker = walker_of(name)
    low, high = options.slope
    make_folder(out)
    with progress_bars(console) as progress:
        following = progress.add_task("following gaits", total=1 + options.doublings)
        start = min(max(walker.near, low), high)
        how: Any = {"name": "slope", "largest_arc_step": _FINE}
        branches = [continuation(walker.model_of, (low, high), start=start, **how)]
        progress.update(following, advance=1)
        for _ in range(options.doublings):
            flips = [point for point in branches[-1].points if point.kind == "flip"]
            if flips:
                branches.append(branches[-1].switch(flips[0], (low, high)))
            progress.update(following, advance=1)
        settling = progress.add_task("walking", total=1)
        diagram = settled_walks(walker.model_of, branches, options)
        progress.update(settling, advance=1)
    files = [
        draw_map(out / "map.png", branches, diagram, "slope / degrees", DEGREES),
        _write_branches(out / "branches.csv", branches),
        *(() if diagram is None else (_write_diagram(out / "walks.csv", diagram),)),
    ]
    rows = _point_rows(branches)
    lines = [_outcome(name, branches, diagram)]
    files.append(_report(out, f"Maps of gaits: {name}", walker.words, lines, MAP_PICTURES, POINTS, rows))
    tell(console, narrow_table("bifurcations", POINTS, rows, words=POINTS[1:2]), lines, files)


def run_basin(name: str, slope: float | None, grid: int, executor: Any, store: Path | None, out: Path, console: Console) -> None:
    """Which velocities after a strike lead to the gait."""
    walker = walker_of(name)
    angle = walker.near if slope is None else slope
    model = walker.model_of(angle)
    make_folder(out)
    cycle = _stable_cycle(name, model)
    stance, hip = (float(cycle.mech.joint_velocity(cycle.state, joint)[0]) for joint in ("stance", "hip"))
    around = np.linspace(_AROUND[0] * stance, _AROUND[1] * stance, grid)
    axes = {"stance": around, "hip": hip + np.linspace(-2.5, 2.5, grid) * abs(stance)}
    found = basin(cycle, v=axes, executor=executor, store=store, progress=console.is_terminal)
    labels = "rate of the standing leg / rad/s", "rate of the hip / rad/s"
    files = [draw_basin(out / "basin.png", found, cycle, labels), _write_basin(out / "basin.csv", found)]
    words, counts = np.unique(found.fate.values.astype(str), return_counts=True)
    shares = [f"{100.0 * count / found.fate.size:.2f} %" for count in counts]
    rows = [[str(word), str(count), share] for word, count, share in zip(words, counts, shares, strict=True)]
    lines = [
        f"On the slope of {angle * DEGREES:.4g}° the gait has the period {cycle.period:.9g} s and the spectral radius "
        f"{cycle.spectral_radius:.6g}. Of {found.fate.size} starts {int((found.fate == 'reached').sum())} reach it; they took "
        f"{int(found.returns.sum())} steps in all."
    ]
    files.append(_report(out, f"A basin of attraction: {name}", walker.words, lines, BASIN_PICTURES, FATES, rows))
    tell(console, narrow_table("starts", FATES, rows, words=FATES[:1]), lines, files)


def walker_of(name: str) -> Walker:
    """The walker of a name, or an error with those there are."""
    if name not in WALKERS:
        raise ModelError(f"there is no walker {name!r}; there are: {', '.join(WALKERS)}.{meant(name, WALKERS)}")
    return WALKERS[name]


def _stable_cycle(name: str, model: Any) -> LimitCycle:
    mech, state = model.start
    cycle = limit_cycle(mech, state, model.events, section=getattr(model, "section", None))
    if not cycle.stable:
        raise SimulationError(
            f"the gait of {name!r} on this slope is not stable (spectral radius {cycle.spectral_radius:.4g}), so no start comes "
            "to it; choose a smaller slope."
        )
    return cycle


class OnGaits:
    """A model whose state is that of a known gait nearby: of those with the most steps that there are at its slope.

    Where a gait of so many steps is not stable either, walks begin amid what they settle to.
    """

    def __init__(self, model_of: Callable[[float], Any], branches: Sequence[Branch]) -> None:
        self._model_of = model_of
        self._known = []
        for branch in branches:
            order = np.argsort(branch.parameter)
            self._known.append((branch.parameter[order], np.column_stack((branch.q, branch.v))[order]))

    def __call__(self, slope: float) -> dict[str, Any]:
        """What `bifurcation_diagram` takes."""
        model = self._model_of(slope)
        mech = model.start[0]
        p, numbers = ([found for found in self._known if found[0][0] <= slope <= found[0][-1]] or self._known[:1])[-1]
        x = [np.interp(slope, p, column) for column in numbers.T]
        made = {"mech": mech, "state": mech.state(q=x[: mech.nq], v=x[mech.nq :]), "events": model.events}
        own = getattr(model, "section", None)
        return made if own is None else {**made, "section": own}


def settled_walks(model_of: Callable[[float], Any], branches: Sequence[Branch], options: MapOptions) -> Any:
    """What walks settle to on slopes from shortly before the first doubling on; None where no gait is stable."""
    first = branches[0]
    if not first.stable.any() or options.values == 0:
        return None
    high = options.slope[1]
    doubles = [point.parameter for point in first.points if point.kind == "flip"]
    low = float(first.parameter[first.stable].min())
    low = max(low, doubles[0] - _BEFORE * (high - doubles[0])) if doubles else low
    found = bifurcation_diagram(
        OnGaits(model_of, branches),
        np.linspace(low, high, options.values),
        name="slope",
        begin="model",
        settle=options.settle,
        keep=options.keep,
        executor=options.executor,
        store=options.store,
    )
    found.attrs["parameter"] = "slope"
    return found


# --- what is written ---------------------------------------------------------------------------------------------------

POINTS = ("steps", "kind", "slope / °", "slope / rad", "period / s")
FATES = ("fate", "starts", "share")
MAP_PICTURES = (
    Picture(
        "",
        "map.png",
        "Times of steps over the slope, with periods that double; below the largest multipliers.",
        "Above: how long steps take. The curve is the gait whose steps are all alike, dashed where it is not stable; dots are "
        "steps of walks after they have settled. Below: the largest modulus of a Floquet multiplier of each gait; above 1 it is "
        "not stable.",
    ),
)
BASIN_PICTURES = (
    Picture(
        "",
        "basin.png",
        "For each pair of velocities whether the walk reaches the gait.",
        "Each point is a walk that starts just after a strike, with the legs of the gait and other velocities. The shade is how "
        "many steps it takes until every number is within 0.001 of the gait's.",
    ),
)


def _point_rows(branches: Sequence[Branch]) -> list[list[str]]:
    return [
        [str(branch.returns), point.kind, f"{point.parameter * DEGREES:.8f}", f"{point.parameter:.12g}", f"{point.period:.9g}"]
        for branch in branches
        for point in branch.points
    ]


def _outcome(name: str, branches: Sequence[Branch], diagram: Any) -> str:
    low, high = branches[0].parameter.min() * DEGREES, branches[0].parameter.max() * DEGREES
    flips = [point.parameter * DEGREES for branch in branches for point in branch.points if point.kind == "flip"]
    said = f"The gait of {name!r} was followed over slopes from {low:.4g}° to {high:.4g}°."
    if flips:
        said += f" Its period doubles at {', '.join(f'{flip:.6f}°' for flip in flips)}."
    if diagram is not None and (falls := np.flatnonzero(diagram.fate.values != "goes on")).size:
        said += f" From {diagram.slope.values[falls[0]] * DEGREES:.4g}° on walks fall."
    return said


def _report(
    out: Path,
    title: str,
    lead: str,
    lines: Sequence[str],
    pictures: Sequence[Picture],
    headings: Sequence[str],
    rows: list[list[str]],
) -> Path:
    parts = [page.paragraph(" ".join(lines), "outcome"), *page.pictures(out, pictures), page.table(headings, rows)]
    return page.write_page(out / "index.html", title, lead, *parts)


def _write_branches(path: Path, branches: Sequence[Branch]) -> Path:
    """All points of all branches, with all digits."""
    tables = [branch.to_pandas().assign(returns=branch.returns) for branch in branches]
    return write_csv(path, list(tables[0].columns), (row for table in tables for row in table.itertuples(index=False)))


def _write_diagram(path: Path, diagram: Any) -> Path:
    table = diagram.time.to_dataframe().reset_index()
    return write_csv(path, list(table.columns), table.itertuples(index=False))


def _write_basin(path: Path, found: Any) -> Path:
    table = found[["fate", "event", "returns", "time"]].to_dataframe().reset_index()
    return write_csv(path, list(table.columns), table.itertuples(index=False))
