"""What a sweep costs beside its cells, and what a second process brings."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import regraft as rg

CHUNKS = 300
CELLS, STEPS = 240, 40  # of the walker, enough that starting processes counts little


def sweep_lines(found: dict[str, float]) -> list[str]:
    """The figures of `sweep_figures` in sentences."""
    if not found:
        return []
    return [
        f"rg.sweep costs {found['chunk_milliseconds']:.2f} ms beside each piece of work; with two processes it is "
        f"{found['two_processes']:.2f} times as fast as with one."
    ]


def sweep_figures() -> dict[str, float]:
    """Milliseconds that a piece of work costs beside its own time, and how many times as fast two processes are as one."""
    if not hasattr(rg, "sweep"):  # versions that are compared with this one may have none
        return {}
    return {"chunk_milliseconds": piece_cost(), "two_processes": speed_of_two()}


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


def walk(slope: float) -> float:
    """How far a walker gets."""
    biped = rg.models.compass_biped(slope=slope)
    traj = rg.simulate(*biped.start, 0.73 * STEPS, events=biped.events)
    return float(traj.t[-1])


def speed_of_two() -> float:
    """The time with one process over that with two, both with all that it takes to start them."""
    slopes = {"slope": [0.045 + 0.00005 * i for i in range(CELLS)]}
    times = []
    for count in (1, 2):
        start = time.perf_counter()
        rg.sweep(walk, slopes, executor=count)
        times.append(time.perf_counter() - start)
    return times[0] / times[1]


if __name__ == "__main__":
    print("\n".join(sweep_lines(sweep_figures())))
