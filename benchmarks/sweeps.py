"""What a sweep costs beside its cells, and what a second process brings."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

import regraft as rg

CHUNKS = 300
LOOSE = 1e-7  # rtol
STARTS = 60  # along each axis of a basin
STEPS = 40  # of a walker, in each cell
FEW, MANY = 240, 960  # cells: some seconds of work, in which starting processes counts, and half a minute of it


def sweep_lines(found: dict[str, float]) -> list[str]:
    """The figures of `sweep_figures` in sentences."""
    if not found:
        return []
    return [
        f"A step of the compass walker in a sweep, at rtol {LOOSE:g}: {found['step_milliseconds']:.3f} ms on one core. A basin "
        f"of it: {found['start_milliseconds']:.3f} ms a start with {found['steps_a_start']:.2f} steps in the mean, so 400 by 400 "
        f"starts take {found['start_milliseconds'] * 80.0:.0f} s on two cores.",
        f"rg.sweep costs {found['chunk_milliseconds']:.2f} ms beside each piece of work. Two processes are "
        f"{found['two_processes']:.2f} times as fast as one in a sweep that takes it {found['few_seconds']:.0f} s, and "
        f"{found['two_processes_longer']:.2f} times in one of {found['many_seconds']:.0f} s, with all that it takes to start.",
    ]


def sweep_figures() -> dict[str, float]:
    """What a piece of work costs beside its own time, how many times as fast two processes are as one, and what a basin takes."""
    if not hasattr(rg, "sweep") or not hasattr(rg.gait, "basin"):  # versions that are compared with this one may have none
        return {}
    piece = piece_cost()
    (few, of_few), (many, of_many) = speed_of_two(FEW), speed_of_two(MANY)
    two = {"two_processes": of_few, "few_seconds": few, "two_processes_longer": of_many, "many_seconds": many}
    return {"chunk_milliseconds": piece, **two, **basin_cost()}


def piece_cost() -> float:
    """Cells sleep as long as a piece is to take, so that each is one; what the processor does meanwhile is the cost."""

    def wait(cell: int) -> float:
        time.sleep(0.5)
        return float(cell)

    rg.sweep(wait, {"cell": [0]})  # so that nothing is imported later on
    with ThreadPoolExecutor(16) as executor:
        start = time.process_time()
        rg.sweep(wait, {"cell": range(CHUNKS)}, executor=executor)
        return (time.process_time() - start) / CHUNKS * 1e3


def basin_cost() -> dict[str, float]:
    """Milliseconds of a step of a walk that goes on, and of a start of a basin as `regraft basin` has them."""
    biped = rg.models.compass_biped()
    cycle = rg.gait.limit_cycle(*biped.start, biped.events, section=("left strike", "right strike"))
    stance, hip = cycle.state.v
    axes = {"stance": np.linspace(1.5, 0.6, STARTS) * stance, "hip": hip + np.linspace(-2.5, 2.5, STARTS) * abs(stance)}
    walking: Any = {"near": 1e-300, "returns": 400, "rtol": LOOSE, "atol": 0.1 * LOOSE}  # it never comes so near
    rg.gait.basin(cycle, v={"stance": [stance]}, **walking)
    step = min(_seconds(lambda: rg.gait.basin(cycle, v={"stance": [stance]}, **walking))[0] for _ in range(5)) / 400
    start, found = min((_seconds(lambda: rg.gait.basin(cycle, v=axes)) for _ in range(3)), key=lambda pair: pair[0])
    count = STARTS * STARTS
    return {
        "step_milliseconds": step * 1e3,
        "start_milliseconds": start / count * 1e3,
        "steps_a_start": float(found.returns.sum()) / count,
    }


def _seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = run()
    return time.perf_counter() - start, found


def walk(slope: float) -> float:
    """How far a walker gets."""
    biped = rg.models.compass_biped(slope=slope)
    traj = rg.simulate(*biped.start, 0.73 * STEPS, events=biped.events)
    return float(traj.t[-1])


def speed_of_two(cells: int) -> tuple[float, float]:
    """Seconds with one process, and how many times as fast two are, with all that it takes to start them."""
    slopes = {"slope": np.linspace(0.045, 0.057, cells)}
    one, two = (_seconds(partial(rg.sweep, walk, slopes, executor=count))[0] for count in (1, 2))
    return one, one / two


if __name__ == "__main__":
    print("\n".join(sweep_lines(sweep_figures())))
