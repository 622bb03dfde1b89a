"""`regraft map` and `regraft basin`: how gaits change with the slope, and from where they are reached."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import ModelError
from .options import OutFolder
from .terminal import console, problems_told, warnings_told

WalkerName = Annotated[str, typer.Argument(metavar="WALKER", help="walker (the compass biped), simplest, kneed or round.")]

Cores = Annotated[int, typer.Option(min=1, help="How many processes work on it.")]
Cluster = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Of a Dask scheduler, as tcp://host:8786.")]
Kept = Annotated[Path | None, typer.Option(metavar="DIR", help="Keep what is done there, and go on from it if it is killed.")]


def map_command(
    walker: WalkerName,
    slope: Annotated[str, typer.Option(metavar="FROM:TO", help="The range of slopes, in degrees.")] = "0.5:5.3",
    doublings: Annotated[int, typer.Option(min=0, max=6, help="How many doublings of the period are followed.")] = 2,
    values: Annotated[
        int, typer.Option(min=0, help="On how many slopes, from shortly before the first doubling on, walks are let settle.")
    ] = 400,
    settle: Annotated[int, typer.Option(min=0, help="How many steps they are given for that.")] = 200,
    keep: Annotated[int, typer.Option(min=1, help="How many steps are drawn then.")] = 60,
    cores: Cores = 1,
    cluster: Cluster = None,
    store: Kept = None,
    out: OutFolder = Path("map"),
) -> None:
    """How the gait of a walker changes with the slope: branches, doublings of the period, multipliers, chaos; with a report."""
    with problems_told():
        from ..show import map_terminal  # what draws is for commands that draw

        options = map_terminal.MapOptions(_range(slope), doublings, values, settle, keep, _who(cores, cluster), store)
        with warnings_told():
            map_terminal.run_map(walker, options, out, console())


def basin_command(
    walker: WalkerName,
    slope: Annotated[float | None, typer.Option(help="In degrees; one on which the gait is stable unless given.")] = None,
    grid: Annotated[int, typer.Option(min=2, help="How many values each of two velocities has.")] = 200,
    cores: Cores = 1,
    cluster: Cluster = None,
    store: Kept = None,
    out: OutFolder = Path("basin"),
) -> None:
    """From which velocities after a strike the gait of a walker is reached, and from which it falls; with a report."""
    with problems_told():
        from ..show import map_terminal

        executor = _who(cores, cluster)
        angle = None if slope is None else math.radians(slope)
        with warnings_told():
            map_terminal.run_basin(walker, angle, grid, executor, store, out, console())


def _who(cores: int, cluster: str | None) -> Any:
    """Who runs it: what `sweep` takes as an executor."""
    if cluster is not None and cores > 1:
        raise ModelError("--cores and --cluster are two ways to run it; give one of them.")
    return cluster if cluster is not None else cores if cores > 1 else None


def _range(given: str) -> tuple[float, float]:
    """Two slopes in radians, from words such as 0.5:5.3."""
    low, colon, high = given.partition(":")
    try:
        found = math.radians(float(low)), math.radians(float(high))
    except ValueError:
        found = (math.nan, math.nan)
    if not colon or not found[0] < found[1] or not all(map(math.isfinite, found)):
        raise ModelError(f"--slope takes FROM:TO in degrees, as 0.5:5.3, not {given!r}.")
    return found
