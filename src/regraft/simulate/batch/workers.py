"""The threads of a batch: chunks of states, how far they are, and Ctrl-C."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from ...progress_bar import ProgressBar

_LOOK = 0.1  # seconds between looks at how far it is
_PATIENCE = 1.0  # seconds before a bar appears
_CHUNKS = 8
"""Chunks of states for each thread, so that none waits long for the last."""


def chunks_of(count: int, workers: int, group: int) -> list[tuple[int, int]]:
    """First and end of each chunk of states, in groups of this size."""
    groups = -(-count // group)
    size = max(1, groups // (_CHUNKS * workers)) * group
    return [(first, min(first + size, count)) for first in range(0, count, size)]


class Shown:
    """Says how many motions are computed, once it has taken a second; None: only on a terminal."""

    def __init__(self, count: int, wanted: bool | None) -> None:
        self._count, self._began = count, time.perf_counter()
        self._wanted = sys.stderr.isatty() if wanted is None else wanted
        self._bar: ProgressBar | None = None

    def update(self, share: float) -> None:
        """Which part is done."""
        if self._wanted and (self._bar is not None or time.perf_counter() - self._began > _PATIENCE):
            self._bar = self._bar or ProgressBar(self._count)
            done = min(share, 1.0) * self._count
            self._bar.update(done, f"simulating, {done:.0f} of {self._count} motions")

    def close(self) -> None:
        """Show no more."""
        if self._bar is not None:
            self._bar.close()


def run_all(
    runs: Sequence[Callable[[int, int], None]], chunks: list[tuple[int, int]], stop: Any, share: Callable[[], float], shown: Shown
) -> bool:
    """Compute all chunks, each by the next worker that is free; whether Ctrl-C ended it, which sets `stop`."""
    waiting = iter(chunks)

    def work(run: Callable[[int, int], None]) -> None:
        for first, end in waiting:
            if stop[0]:
                return
            run(first, end)

    interrupted = False
    with ThreadPoolExecutor(len(runs)) as pool:
        futures = [pool.submit(work, run) for run in runs]
        try:
            while wait(futures, _LOOK).not_done:
                shown.update(share())
        except KeyboardInterrupt:
            interrupted = True
        finally:
            if interrupted or any(future.done() and future.exception() for future in futures):
                stop[0] = 1
            shown.close()
    for future in futures:
        future.result()
    return interrupted
