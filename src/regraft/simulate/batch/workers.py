"""The threads of a batch: chunks of states, how far they are, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from ...progress_bar import LateBar

_LOOK = 0.1  # seconds between looks at how far it is
_CHUNKS = 8
"""Chunks of states for each thread, so that none waits long for the last."""


def chunks_of(count: int, workers: int, group: int) -> list[tuple[int, int]]:
    """First and end of each chunk of states, in groups of this size."""
    groups = -(-count // group)
    size = max(1, groups // (_CHUNKS * workers)) * group
    return [(first, min(first + size, count)) for first in range(0, count, size)]


def run_all(
    runs: Sequence[Callable[[int, int], None]],
    chunks: list[tuple[int, int]],
    stop: Any,
    share: Callable[[], float],
    progress: bool | None,
) -> bool:
    """Compute all chunks, each by the next worker that is free; whether Ctrl-C ended it, which sets `stop`.

    `share` says which part is done.
    """
    waiting, count = iter(chunks), chunks[-1][1]

    def work(run: Callable[[int, int], None]) -> None:
        for first, end in waiting:
            if stop[0]:
                return
            run(first, end)

    interrupted = False
    with ThreadPoolExecutor(len(runs)) as pool, LateBar(count, progress) as bar:
        futures = [pool.submit(work, run) for run in runs]
        try:
            while wait(futures, _LOOK).not_done:
                done = min(share(), 1.0) * count
                bar.update(done, f"simulating, {done:.0f} of {count} motions")
                if any(future.done() and future.exception() for future in futures):
                    stop[0] = 1
        except KeyboardInterrupt:
            stop[0], interrupted = 1, True
    for future in futures:
        future.result()
    return interrupted
